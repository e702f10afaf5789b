"""Simple Plastic Figure: an explosive on the measured table, from the firer to the figures that it eliminates."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any

from rules.engine.dice import Procedure
from rules.engine.game import Answer
from rules.engine.schema import Asked, Inches
from rules.engine.verdict import Reason, Verdict
from rules.games.simple_plastic_figure.blast import (
    Caught,
    Explosion,
    Thrown,
    against,
    blast_radius_in,
    explosion,
    grenade_at,
    hole_in_wall,
    names,
    outside,
)
from rules.games.simple_plastic_figure.command import Helped
from rules.games.simple_plastic_figure.fire import Aiming, may_target, need
from rules.games.simple_plastic_figure.shells import (
    Choice,
    Fired,
    Launched,
    Shell,
    at_to_hit,
    deviation,
    shell_on_shelter,
    struck,
)
from rules.games.simple_plastic_figure.tables import (
    PlaceName,
    Rules,
    WeaponName,
    band,
    called,
    illegal,
    legal,
    weapon_of,
)


def _answered(answer: Answer) -> Procedure[Verdict]:
    """An answer that may need dice or not."""
    if isinstance(answer, Verdict):
        return answer
    return (yield from answer)


def _help(of: Helped) -> dict[str, Any]:
    return {field.name: getattr(of, field.name) for field in fields(Helped)}


def _needs(rules: Rules, blast: Explosion, caught: Collection[str]) -> list[Reason]:
    return [need(rules, one.id, against(rules, blast, one)) for one in blast.figures if one.id in caught]


def _rolled(
    rules: Rules, blast: Explosion, caught: Collection[str], told: Iterable[Reason], *, hole: bool = False
) -> Procedure[Verdict]:
    """The combat rolls for those who are caught, after what was told before."""
    hit = tuple(one for one in blast.figures if one.id in caught)
    burst = hole_in_wall if hole else explosion
    found = yield from burst(rules, replace(blast, figures=hit, everybody=not hole))
    dead = found.numbers["eliminated"]
    outcome = f"eliminates {len(dead)} of {len(hit)}" if hit else "catches nobody"
    return Verdict(outcome, found.numbers, (*told, *found.reasons))


# Thrown and launched at a spot that one sees.


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge(Aiming):
    """A grenade or a launcher's round at a spot.

    Attributes:
        place: What the spot is in.
        figures: Everybody who may be caught.
    """

    place: PlaceName = "open"
    thrower_touching_wall: Annotated[bool, Asked("Does the thrower touch the wall?")] = False
    figures: tuple[Caught, ...] = ()


def charge_aim(rules: Rules, charge: Charge) -> Verdict:
    """Whom a grenade or a launcher's round would catch, and what a die must show against each; or why it may not."""
    kind = weapon_of(rules, charge.weapon).kind
    seen = may_target(rules, charge)
    if not seen.allowed:
        return seen
    if kind == "grenade":
        found = grenade_at(rules, _thrown(charge))
        if not found.allowed:
            return found
        caught, inside, hit_on = found.numbers["targets"], found.numbers["lands_inside"], None
        told = found.reasons
    elif rules.tables.weapon_kinds[kind].direct and kind != "small_arm":
        caught, hit_on, told = _launched(rules, charge)
        inside = False
    else:
        return illegal(
            "not_at_a_spot", rules.because("WW-38", f"a {called(rules, charge.weapon)} is not aimed so at a spot")
        )
    needs = _needs(rules, _blast(charge, inside=inside), caught)
    return legal("bursts", *seen.reasons, *told, *needs, targets=list(caught), inside=inside, hit_on=hit_on)


def charge(rules: Rules, round_: Charge) -> Answer:
    """A grenade or a launcher's round and what it does."""
    aim = charge_aim(rules, round_)
    return _charged(rules, round_, aim) if aim.allowed else aim


def _charged(rules: Rules, round_: Charge, aim: Verdict) -> Procedure[Verdict]:
    caught, told = aim.numbers["targets"], aim.reasons
    if aim.numbers["hit_on"] is not None:
        found = yield from _answered(at_to_hit(rules, _launch(round_)))
        caught, told = found.numbers["caught"], (*told, *found.reasons)
        if not found.numbers["hit"] and not caught:
            return Verdict("misses", {**found.numbers, "targets": [], "eliminated": []}, told)
    return (yield from _rolled(rules, _blast(round_, inside=aim.numbers["inside"]), caught, told))


def _blast(charge: Charge, *, inside: bool) -> Explosion:
    return Explosion(
        weapon=charge.weapon,
        range_for_modifier_in=charge.distance_in,
        figures=charge.figures,
        inside_shelter=inside,
        **_help(charge),
    )


def _thrown(charge: Charge) -> Thrown:
    return Thrown(
        place=charge.place,
        thrower_touching_wall=charge.thrower_touching_wall,
        thrower_distance_in=charge.distance_in,
        figures=charge.figures,
        weapon=charge.weapon,
    )


def _launch(charge: Charge) -> Launched:
    return Launched(
        weapon=charge.weapon,
        target=charge.place,
        distance_in=charge.distance_in,
        figures=charge.figures,
        **_help(charge),
    )


def _launched(rules: Rules, charge: Charge) -> tuple[list[str], int | None, tuple[Reason, ...]]:
    """Whom a launcher's round catches if it hits, what the die must show to hit, and why."""
    shelter = rules.tables.places[charge.place].shelter
    if shelter is None:
        radius_in = blast_radius_in(rules, charge.weapon)
        return outside(rules, charge.figures, radius_in), None, (rules.because("WW-38", f"within {radius_in:g} in"),)
    row = rules.tables.shelter_attacks[f"at_launcher_{shelter}"]
    caught = struck(rules, row, _launch(charge), (), hit=True).numbers["caught"]
    if shelter == "building" and rules.chooses("launcher_at_building", "no_roll"):
        return caught, None, (rules.because(row.rule),)
    hit_on = band(rules, rules.tables.launcher_bands, charge.distance_in).hit_on
    return caught, hit_on, (rules.because(row.rule, f"{hit_on} or more hits the {charge.place}"),)


# Shells that come down somewhere.


@dataclass(frozen=True, slots=True, kw_only=True)
class Lofted(Aiming):
    """A mortar's or gun's shot; the places are as in `Fired`."""

    firer_in: tuple[float, ...] | None = None
    spot_in: tuple[float, ...] | None = None
    own_edge_deg: float = -90.0
    at_shelter: bool = False


def shell(rules: Rules, shot: Lofted) -> Answer:
    """A mortar's or gun's shot as far as the place where it comes down."""
    seen = may_target(rules, shot)
    if not seen.allowed:
        return seen
    fired = {field.name: getattr(shot, field.name) for field in fields(Fired)}
    return deviation(rules, Fired(**fired))


@dataclass(frozen=True, slots=True, kw_only=True)
class Landed(Helped):
    """A shell that has come down, and everybody whom it may catch."""

    weapon: WeaponName
    range_for_modifier_in: Inches
    place: PlaceName = "open"
    choice: Annotated[Choice, Asked("A hole in the wall, or through the roof?")] = Choice.ROOF
    figures: tuple[Caught, ...] = ()


def burst_aim(rules: Rules, shell: Landed) -> Verdict:
    """Whom a shell that has come down catches, and what a die must show against each."""
    shelter = rules.tables.places[shell.place].shelter
    if shelter is None:
        caught = outside(rules, shell.figures, blast_radius_in(rules, shell.weapon))
        told = [rules.because("WW-38")]
    else:
        caught, told = names(shell.figures), [rules.because("WW-44", f"on the spot: a {shell.place}")]
    return legal("bursts", *told, *_needs(rules, _shell_blast(shell), caught), targets=caught)


def burst(rules: Rules, shell: Landed) -> Procedure[Verdict]:
    """What a shell that has come down does."""
    aim = burst_aim(rules, shell)
    if rules.tables.places[shell.place].shelter is None:
        return _rolled(rules, _shell_blast(shell), aim.numbers["targets"], aim.reasons[:1])
    return _on_shelter(rules, shell)


def _on_shelter(rules: Rules, shell: Landed) -> Procedure[Verdict]:
    asked = Shell(weapon=shell.weapon, place=shell.place, choice=shell.choice, figures=shell.figures, **_help(shell))
    found = yield from _answered(shell_on_shelter(rules, asked))
    numbers = found.numbers
    if numbers.get("bunker_eliminated"):
        dead = numbers["eliminated"]
        return Verdict(f"eliminates the {shell.place}", {**numbers, "eliminated": dead}, found.reasons)
    hole = "section_in" in numbers
    caught: Sequence[str] = names([one for one in shell.figures if one.inside]) if hole else numbers["caught"]
    blast = replace(_shell_blast(shell), inside_shelter=numbers["explodes_inside"])
    after = yield from _rolled(rules, blast, caught, found.reasons, hole=hole)
    kept = {"hole_in": numbers["section_in"]} if hole else {}
    return Verdict(after.outcome, {**after.numbers, **kept, "hit": numbers["hit"]}, after.reasons)


def _shell_blast(shell: Landed) -> Explosion:
    return Explosion(
        weapon=shell.weapon,
        range_for_modifier_in=shell.range_for_modifier_in,
        figures=shell.figures,
        **_help(shell),
    )
