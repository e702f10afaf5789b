"""Simple Plastic Figure: explosives, from the spot aimed at to the figures that are caught."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from rules.engine.dice import Procedure
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Inches, Record
from rules.engine.verdict import Reason, RuleRefusal, Verdict
from rules.games.simple_plastic_figure.cover import Piece, cover_of, lowered, worst
from rules.games.simple_plastic_figure.fire import modifiers, rolled_at
from rules.games.simple_plastic_figure.rows import called, display_name, illegal, legal, tidy, weapon_of
from rules.games.simple_plastic_figure.statuses import eliminated
from rules.games.simple_plastic_figure.tables import CoverName, PlaceName, PoseName, Rules, ShelterAttack, WeaponName
from rules.games.simple_plastic_figure.turn import Helped
from rules.tabletop.tolerance import within


class Caught(Record):
    """A figure near a burst.

    Attributes:
        near_edge_in, far_edge_in: From the burst to the nearest and farthest point of the base.
        inside: In the shelter that the shot is about, or in one at all.
        cover, cover_from_firer: As judged from the burst, and from the firer.
        terrain, terrain_from_firer: The same as it was measured.
        firer_distance_in: From the firer; None is as far as the spot.
    """

    id: str
    near_edge_in: Inches
    far_edge_in: Inches | None = None
    side: str = ""
    inside: Annotated[bool, Asked("Is the figure inside?")] = False
    pose: PoseName = "standing"
    place: PlaceName = "open"
    cover: CoverName = "none"
    cover_from_firer: CoverName | None = None
    terrain: tuple[Piece, ...] = ()
    terrain_from_firer: tuple[Piece, ...] = ()
    firer_distance_in: Inches | None = None


def caught(rules: Rules, figure: Caught, radius_in: float) -> bool:
    """Whether a figure is within a radius of the burst."""
    near_in = figure.near_edge_in
    far_in = near_in if figure.far_edge_in is None else figure.far_edge_in
    distance_in = {"near_edge": near_in, "centre": (near_in + far_in) / 2, "whole_base": far_in}
    return within(distance_in[rules.option("caught_by")], radius_in)


def names(figures: Sequence[Caught]) -> list[str]:
    """Ids of figures."""
    return [figure.id for figure in figures]


def outside(rules: Rules, figures: Sequence[Caught], radius_in: float) -> list[str]:
    """The figures caught in the open."""
    return names([figure for figure in figures if not figure.inside and caught(rules, figure, radius_in)])


def blast_radius_in(rules: Rules, weapon: str) -> float:
    """A weapon's blast radius.

    Raises:
        RuleRefusal: "no_blast" for a small arm.
    """
    radius_in = weapon_of(rules, weapon).blast_radius_in
    if radius_in is None:
        raise RuleRefusal("no_blast", f"a {called(rules, weapon)} has no blast: aim it at a figure", "WW-38")
    return radius_in


def blast_targets(
    rules: Rules, weapon: WeaponName, figures: tuple[Caught, ...] = (), all_in_open: bool = False
) -> Verdict:
    """The targets of a burst in the open, friend and foe; those in shelters are safe from it."""
    radius_in = blast_radius_in(rules, weapon)
    near = [replace(one, inside=False) for one in figures] if all_in_open else figures
    targets = outside(rules, near, radius_in)
    return legal("bursts", rules.because("WW-38", f"within {radius_in:g} in"), radius_in=radius_in, targets=targets)


# The combat rolls.


class Explosion(Helped):
    """An explosive's effect on figures.

    Attributes:
        range_for_modifier_in: From the firer to the spot.
        radius_in: As in an earlier answer, where the blast is inside; None is the weapon's own.
        everybody: All figures given are caught, however far from the burst.
        inside_shelter: It went off inside the shelter that the figures are in.
    """

    weapon: WeaponName
    range_for_modifier_in: Inches
    figures: tuple[Caught, ...]
    radius_in: Inches | None = None
    everybody: bool = False
    inside_shelter: bool = False


def explosion(rules: Rules, blast: Explosion) -> Procedure[Verdict]:
    """A combat roll for every figure that is caught."""
    own_in = blast_radius_in(rules, blast.weapon)
    radius_in = own_in if blast.radius_in is None else blast.radius_in
    hit = [figure for figure in blast.figures if blast.everybody or caught(rules, figure, radius_in)]
    return _rolled(rules, blast, hit, [])


def hole_in_wall(rules: Rules, blast: Explosion) -> Procedure[Verdict]:
    """A gun's hole in a wall: those at the spot are eliminated, those within 3 inches of it are rolled for."""
    half_in = hole_in(rules, blast.weapon) / 2
    reach_in = limit(rules, "hole_roll_in") + (half_in if rules.chooses("hole_roll_from", "edge") else 0)
    gone = [figure for figure in blast.figures if caught(rules, figure, half_in)]
    hit = [figure for figure in blast.figures if figure not in gone and caught(rules, figure, reach_in)]
    return _rolled(rules, blast, hit, gone)


def hole_in(rules: Rules, weapon: str) -> float:
    """Width of the hole that a gun makes."""
    part_in = blast_radius_in(rules, weapon) * limit(rules, "hole_part")
    return tidy(part_in * (2 if rules.chooses("hole_size", "radius") else 1))


def _rolled(rules: Rules, blast: Explosion, hit: Sequence[Caught], gone: Sequence[Caught]) -> Procedure[Verdict]:
    each, dead = [], names(gone)
    reasons = [rules.because("WW-49", f"at the spot: {', '.join(dead)}")] if gone else []
    for figure in hit:
        answer = yield from rolled_at(rules, figure.id, blast.weapon, against(rules, blast, figure))
        each.append({"target": figure.id, **answer.numbers})
        dead += [figure.id] if answer.numbers["eliminated"] else []
        reasons += answer.reasons
    found = legal("bursts", rules.because("WW-38"), *reasons, targets=names(hit), eliminated=dead, each=each)
    return found.causing(*eliminated(dead, "WW-50"))


def against(rules: Rules, blast: Explosion, figure: Caught) -> tuple[Reason, ...]:
    """All that is added to the combat roll for a figure that is caught."""
    pose = lowered(rules, figure.place, figure.pose)
    covers = _covers(rules, blast, figure)
    return modifiers(rules, blast.weapon, _range_in(rules, blast, figure), pose, covers, blast)


def _covers(rules: Rules, blast: Explosion, figure: Caught) -> list[str]:
    place = rules.tables.places[figure.place]
    if place.cover != "none":
        bare = blast.inside_shelter and rules.chooses("cover_inside_shelter", False)
        return ["none" if bare else place.cover]
    from_firer = rules.chooses("blast_cover", "firer")
    pieces = figure.terrain_from_firer if from_firer else figure.terrain
    said = figure.cover_from_firer if from_firer and figure.cover_from_firer else figure.cover
    return worst(rules, [said, *(cover_of(rules, figure.pose, piece)[0] for piece in pieces)])


def _range_in(rules: Rules, blast: Explosion, figure: Caught) -> float:
    spot_in = blast.range_for_modifier_in
    firer_in = spot_in if figure.firer_distance_in is None else figure.firer_distance_in
    ranges = {"firer_to_spot": spot_in, "firer_to_figure": firer_in, "burst_to_figure": figure.near_edge_in}
    return ranges[rules.option("blast_range")]


# Grenades.


class Thrown(Record):
    """A grenade at a place."""

    place: PlaceName
    thrower_touching_wall: Annotated[bool, Asked("Does the thrower touch the wall?")] = False
    thrower_distance_in: Inches | None = None
    figures: tuple[Caught, ...] = ()
    weapon: WeaponName = "grenade"


def grenade_at(rules: Rules, throw: Thrown) -> Verdict:
    """Whether a grenade lands inside, and the figures that it catches."""
    grenade = weapon_of(rules, throw.weapon)
    if grenade.kind != "grenade":
        return illegal("not_a_grenade", rules.because("WW-39", f"a {called(rules, throw.weapon)} is not thrown"))
    if throw.thrower_distance_in is not None and not within(throw.thrower_distance_in, grenade.range_in):
        return illegal("out_of_range", rules.because("WW-25"))
    radius_in = blast_radius_in(rules, throw.weapon)
    shelter = rules.tables.places[throw.place].shelter
    row = rules.tables.shelter_attacks[f"grenade_{shelter}"] if shelter else None
    if row is None or not _lands_inside(throw, row):
        targets = outside(rules, throw.figures, radius_in)
        rule = "WW-38" if row is None else "WW-40" if row.touching else row.rule
        why = rules.because(rule)
        return legal("bursts outside", why, lands_inside=False, radius_in=radius_in, targets=targets)
    radius_in *= row.radius_factor
    whole = row.occupants == "all"
    hit = [one for one in throw.figures if one.inside and (whole or caught(rules, one, radius_in))]
    lands = rules.option("grenade_inside")
    return legal(
        "bursts inside",
        rules.because(row.rule),
        rules.because("WW-A28", f"where it lands: {display_name(lands)}"),
        lands_inside=True,
        lands=lands,
        radius_in=radius_in,
        everybody=whole,
        targets=names(hit),
    )


def _lands_inside(throw: Thrown, row: ShelterAttack) -> bool:
    """A wall must be touched; touching some wall does not help into a foxhole, only being near it."""
    if row.within_in is None:
        return throw.thrower_touching_wall
    return throw.thrower_distance_in is not None and within(throw.thrower_distance_in, row.within_in)
