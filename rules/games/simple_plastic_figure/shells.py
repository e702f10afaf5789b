"""Simple Plastic Figure: grenades, launchers, mortars and guns, from the firer to the figures that they eliminate."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any

from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.facts import facts_from
from rules.engine.game import Answer
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Inches
from rules.engine.verdict import Reason, RuleRefusal, Verdict, total
from rules.games.simple_plastic_figure.aims import Aim, aiming
from rules.games.simple_plastic_figure.blast import (
    Caught,
    Explosion,
    Thrown,
    against,
    blast_radius_in,
    caught,
    explosion,
    grenade_at,
    hole_in,
    hole_in_wall,
    names,
    outside,
)
from rules.games.simple_plastic_figure.fire import Aiming, may_target, need
from rules.games.simple_plastic_figure.rows import band, called, display_name, illegal, kind_of, legal, tidy, weapon_of
from rules.games.simple_plastic_figure.statuses import LANDED, eliminated, for_now
from rules.games.simple_plastic_figure.tables import Occupants, PlaceName, Rules, ShelterAttack, WeaponName
from rules.games.simple_plastic_figure.turn import Helped, aimed_help
from rules.tabletop.bearing import Compass, bearing_deg, drifted
from rules.tabletop.table import PointIn
from rules.tabletop.tolerance import within


class Choice(StrEnum):
    """How a gun attacks a building."""

    HOLE = "hole"
    ROOF = "roof"


# Anti-tank launchers.


class Launched(Helped):
    """A launcher's shot at a shelter."""

    weapon: WeaponName
    target: PlaceName
    distance_in: Inches
    figures: tuple[Caught, ...] = ()


def at_to_hit(rules: Rules, shot: Launched) -> Procedure[Verdict]:
    """A launcher's die to hit a foxhole, trench or bunker."""
    weapon = weapon_of(rules, shot.weapon)
    if weapon.kind != "at_launcher":
        return illegal("not_a_launcher", rules.because("WW-42", f"a {called(rules, shot.weapon)} is no launcher"))
    if not within(shot.distance_in, weapon.range_in):
        return illegal("out_of_range", rules.because("WW-25", f"it reaches {weapon.range_in:g} in"))
    shelter = rules.tables.places[shot.target].shelter
    if shelter is None:
        return illegal("no_shelter", rules.because("WW-42", "in the open the spot is hit without a roll"))
    row = rules.tables.shelter_attacks[f"at_launcher_{shelter}"]
    if shelter == "building" and rules.chooses("launcher_at_building", "no_roll"):
        return struck(rules, row, shot, [rules.because(row.rule)], hit=True)
    least = band(rules, rules.tables.launcher_bands, shot.distance_in).hit_on
    roll = yield DiceRequest(Die.D6, 1, "the firer", f"hitting the {shot.target} with the {called(rules, shot.weapon)}")
    help_ = aimed_help(rules, shot)
    why = rules.because("WW-42", f"rolled {roll.total}; at {shot.distance_in:g} in {least} or more hits")
    return struck(rules, row, shot, [*help_, why], hit=roll.total + total(help_) >= least)


def at_on_building(
    rules: Rules, weapon: WeaponName, distance_in: Inches = 0, figures: tuple[Caught, ...] = ()
) -> Procedure[Verdict]:
    """A launcher's normal blast at the point that it hits on a building."""
    return at_to_hit(rules, Launched(weapon=weapon, target="building", distance_in=distance_in, figures=figures))


# Where a shell comes down.


class Fired(Helped):
    """A mortar's or gun's shot; with the places given, the answer tells where it comes down.

    Attributes:
        own_edge_deg: Direction of the firing player's board edge, counter-clockwise from +x.
    """

    weapon: WeaponName
    firer_in: tuple[float, ...] | None = None
    spot_in: tuple[float, ...] | None = None
    own_edge_deg: float = -90.0
    at_shelter: Annotated[bool, Asked("Is the spot on a shelter?")] = False


def deviation(rules: Rules, shot: Fired) -> Procedure[Verdict]:
    """The place where a mortar or gun hits."""
    if kind_of(rules, shot.weapon).direct:
        return illegal("not_indirect", rules.because("WW-44", f"a {called(rules, shot.weapon)} hits its spot"))
    if shot.at_shelter and rules.chooses("shells_deviate_at_shelters", False):
        return _landed(rules, shot, "on_spot", 0, [])
    roll = yield DiceRequest(Die.D6, 1, "the firer", f"where the shell of the {called(rules, shot.weapon)} comes down")
    help_ = aimed_help(rules, shot)
    face = min(roll.total + int(total(help_)), max(Die.D6.faces))
    direction, row = next((name, row) for name, row in rules.tables.scatter.items() if face in row.faces)
    if not row.strays:
        return _landed(rules, shot, direction, 0, help_)
    inches = yield DiceRequest(Die.D6, 1, "the firer", "how many inches off")
    return _landed(rules, shot, direction, inches.total, help_)


def _landed(rules: Rules, shot: Fired, direction: str, inches: int, help_: Sequence[Reason]) -> Verdict:
    numbers: dict[str, Any] = {"deviation": direction, "inches": inches}
    if shot.spot_in is not None:
        numbers["spot_in"] = [round(place, 6) for place in _off(rules, shot, direction, inches)]
    text = "on the spot" if inches == 0 else f"{inches} in {display_name(direction)}"
    return legal(display_name(direction), *help_, rules.because("WW-44", text), **numbers)


BOARD = {
    "left": Compass.WEST,
    "right": Compass.EAST,
    "toward_opponent": Compass.NORTH,
    "toward_self": Compass.SOUTH,
}


def _off(rules: Rules, shot: Fired, direction: str, inches: float) -> PointIn:
    """The place where a shell comes down; north is the opponent's edge, or where the gun points if not straight up."""
    spot_in = _point(shot.spot_in, "spot_in")
    if inches == 0:
        return spot_in
    north_deg = shot.own_edge_deg + 180
    along = direction in ("left", "right") and rules.chooses("left_and_right", "along_the_fire")
    firer_in = spot_in if shot.firer_in is None else _point(shot.firer_in, "firer_in")
    if along and firer_in != spot_in:
        north_deg = bearing_deg(firer_in, spot_in)
    return drifted(spot_in, BOARD[direction], inches, north_deg)


def _point(given: tuple[float, ...] | None, name: str) -> PointIn:
    if given is None or len(given) != 2:
        raise RuleRefusal("bad_point", f"{name} must be [x, y] in inches, not {given}", "WW-44")
    return (given[0], given[1])


# What a shell does to a shelter.


class Shell(Helped):
    """A mortar's or gun's shell whose final spot is on a shelter."""

    weapon: WeaponName
    place: PlaceName
    choice: Annotated[Choice, Asked("A hole in the wall, or through the roof?")] = Choice.ROOF
    figures: tuple[Caught, ...] = ()


def shell_on_shelter(rules: Rules, shell: Shell) -> Procedure[Verdict]:
    """Whether a shell reaches the occupants, and the figures that it catches."""
    kind = weapon_of(rules, shell.weapon).kind
    shelter = rules.tables.places[shell.place].shelter
    if rules.tables.weapon_kinds[kind].direct:
        return illegal("not_indirect", rules.because("WW-44", f"a {called(rules, shell.weapon)} is no mortar or gun"))
    if shelter is None:
        return illegal("no_shelter", rules.because("WW-45", "in the open a shell bursts on its spot"))
    attacks = rules.tables.shelter_attacks
    name = f"{kind}_{shelter}"
    row = attacks[name] if name in attacks else attacks[f"{name}_{shell.choice}"]
    if row.hit_on is None:
        return struck(rules, row, shell, [rules.because(row.rule)], hit=False)
    roll = yield DiceRequest(Die.D6, 1, "the firer", f"the shell on the {shell.place}")
    help_ = aimed_help(rules, shell)
    why = rules.because(row.rule, f"rolled {roll.total}; {row.hit_on} or more hits")
    return struck(rules, row, shell, [*help_, why], hit=roll.total + total(help_) >= row.hit_on)


def struck(
    rules: Rules, row: ShelterAttack, shot: Launched | Shell, reasons: Sequence[Reason], *, hit: bool
) -> Verdict:
    """The effect of an explosive that has hit a shelter, or bursts beside it."""
    radius_in = tidy(blast_radius_in(rules, shot.weapon) * (row.radius_factor if hit else 1))
    inside = hit and row.occupants is not Occupants.NONE
    around = row.outside if hit else _bursts_beside(rules, row, shot)
    figures = shot.figures
    within_it = _occupants(rules, row, figures, radius_in) if hit else []
    numbers: dict[str, Any] = {
        "hit": hit,
        "explodes_inside": inside,
        "radius_in": radius_in,
        "occupants_are_targets": inside and row.occupants is not Occupants.REMOVED,
        "figures_outside_are_targets": around,
        "figures_outside_in_radius_are_targets": around,
        "caught": names(within_it) + (outside(rules, figures, radius_in) if around else []),
        **_special(rules, row, shot, within_it, hit=hit),
    }
    return legal("hit" if hit else "no hit", *reasons, **numbers)


def _bursts_beside(rules: Rules, row: ShelterAttack, shot: Launched | Shell) -> bool:
    """Whether a shot that does not get inside bursts outside."""
    if row.occupants is Occupants.NONE:
        return row.outside
    if isinstance(shot, Launched):
        return rules.chooses("launcher_miss", "bursts_outside")
    option = {"WW-45": "shell_misses_trench"}.get(row.rule, "shell_misses_building")
    return rules.chooses(option, "bursts_outside")


def _occupants(rules: Rules, row: ShelterAttack, figures: Sequence[Caught], radius_in: float) -> list[Caught]:
    inside = [figure for figure in figures if figure.inside]
    reach_in = {Occupants.RADIUS: radius_in, Occupants.HOLE: limit(rules, "hole_roll_in"), Occupants.NONE: -1.0}
    if row.occupants not in reach_in:
        return inside
    return [figure for figure in inside if caught(rules, figure, reach_in[row.occupants])]


def _special(
    rules: Rules, row: ShelterAttack, shot: Launched | Shell, within_it: Sequence[Caught], *, hit: bool
) -> dict[str, Any]:
    """Effects of some attacks only: a destroyed bunker, a hole in a wall, everyone under a roof."""
    if row.occupants is Occupants.REMOVED:
        return {"bunker_eliminated": hit, "occupants_eliminated": hit, "eliminated": names(within_it)}
    if not hit:
        return {}
    if row.occupants is Occupants.HOLE:
        return {
            "section_in": hole_in(rules, shot.weapon),
            "at_spot": "eliminated",
            "roll_within_in": limit(rules, "hole_roll_in"),
            "targets": "at_the_spot",
        }
    targets = {Occupants.ALL: "all_inside", Occupants.RADIUS: "inside_radius"}
    return {"targets": targets.get(row.occupants, "none")}


# Whole shots on the measured table.


def _needs(rules: Rules, blast: Explosion, caught: Collection[str]) -> list[Reason]:
    return [need(rules, one.id, against(rules, blast, one)) for one in blast.figures if one.id in caught]


def _rolled(
    rules: Rules, blast: Explosion, caught: Collection[str], reasons: Iterable[Reason], *, hole: bool = False
) -> Procedure[Verdict]:
    """The combat rolls for the figures that are caught, after the reasons given before."""
    hit = tuple(one for one in blast.figures if one.id in caught)
    burst = hole_in_wall if hole else explosion
    found = yield from burst(rules, replace(blast, figures=hit, everybody=not hole))
    outcome = f"eliminates {len(found.numbers['eliminated'])} of {len(hit)}" if hit else "catches nobody"
    return replace(found, outcome=outcome, reasons=(*reasons, *found.reasons))


class Charge(Aiming):
    """A grenade or a launcher's round at a spot.

    Attributes:
        place: What the spot is in.
        figures: All that may be caught.
    """

    place: Annotated[PlaceName, aiming(Aim.place_there)] = "open"
    thrower_touching_wall: Annotated[bool, Asked("Does the thrower touch the wall?"), aiming(Aim.touches_wall)] = False
    figures: Annotated[tuple[Caught, ...], aiming(Aim.in_blast)] = ()

    def launched(self) -> Launched:
        """The same as a launcher's shot."""
        return facts_from(Launched, self, target=self.place)

    def blast(self, *, inside: bool) -> Explosion:
        """Its blast, inside a shelter or not."""
        return facts_from(Explosion, self, range_for_modifier_in=self.distance_in, inside_shelter=inside)


def charge_aim(rules: Rules, charge: Charge) -> Verdict:
    """The figures that a grenade or a launcher's round would catch, with the die needed; or why it is forbidden."""
    kind = weapon_of(rules, charge.weapon).kind
    if not (seen := may_target(rules, charge)).allowed:
        return seen
    inside = False
    if kind == "grenade":
        found = grenade_at(rules, facts_from(Thrown, charge, thrower_distance_in=charge.distance_in))
        if not found.allowed:
            return found
        inside = found.numbers["lands_inside"]
        caught, hit_on, why = found.numbers["targets"], None, found.reasons
    elif rules.tables.weapon_kinds[kind].direct and kind != "small_arm":
        caught, hit_on, why = _launched(rules, charge)
    else:
        text = f"a {called(rules, charge.weapon)} is not aimed so at a spot"
        return illegal("not_at_a_spot", rules.because("WW-38", text))
    needs = _needs(rules, charge.blast(inside=inside), caught)
    return legal("bursts", *seen.reasons, *why, *needs, targets=list(caught), inside=inside, hit_on=hit_on)


def charge(rules: Rules, round_: Charge) -> Procedure[Verdict]:
    """A grenade or a launcher's round and its effects."""
    if not (aim := charge_aim(rules, round_)).allowed:
        return aim
    blast = round_.blast(inside=aim.numbers["inside"])
    if aim.numbers["hit_on"] is None:
        return (yield from _rolled(rules, blast, aim.numbers["targets"], aim.reasons))
    found = yield from at_to_hit(rules, round_.launched())
    caught, reasons = found.numbers["caught"], (*aim.reasons, *found.reasons)
    if not found.numbers["hit"] and not caught:
        return Verdict("misses", {**found.numbers, "targets": [], "eliminated": []}, reasons)
    effects = yield from _rolled(rules, blast, caught, reasons)
    return replace(effects, numbers={**effects.numbers, "hit": found.numbers["hit"]})


def _launched(rules: Rules, charge: Charge) -> tuple[list[str], int | None, tuple[Reason, ...]]:
    """The figures that a launcher's round catches, the number needed to hit, and the reasons."""
    shelter = rules.tables.places[charge.place].shelter
    if shelter is None:
        radius_in = blast_radius_in(rules, charge.weapon)
        return outside(rules, charge.figures, radius_in), None, (rules.because("WW-38", f"within {radius_in:g} in"),)
    row = rules.tables.shelter_attacks[f"at_launcher_{shelter}"]
    caught = struck(rules, row, charge.launched(), (), hit=True).numbers["caught"]
    if shelter == "building" and rules.chooses("launcher_at_building", "no_roll"):
        return caught, None, (rules.because(row.rule),)
    hit_on = band(rules, rules.tables.launcher_bands, charge.distance_in).hit_on
    return caught, hit_on, (rules.because(row.rule, f"{hit_on} or more hits the {charge.place}"),)


class Lofted(Aiming):
    """A mortar's or gun's shot; the places are as in `Fired`."""

    firer_in: tuple[float, ...] | None = None
    spot_in: tuple[float, ...] | None = None
    own_edge_deg: float = -90.0
    at_shelter: bool = False


def shell(rules: Rules, shot: Lofted) -> Answer:
    """A mortar's or gun's shot as far as the place where it comes down."""
    seen = may_target(rules, shot)
    return deviation(rules, facts_from(Fired, shot)) if seen.allowed else seen


class Landed(Shell):
    """A shell that has come down, and all figures that it may catch."""

    range_for_modifier_in: Inches
    place: PlaceName = "open"


def burst_aim(rules: Rules, shell: Landed) -> Verdict:
    """The figures in the blast of a shell that has landed, and the number needed against each."""
    if rules.tables.places[shell.place].shelter is None:
        caught = outside(rules, shell.figures, blast_radius_in(rules, shell.weapon))
        why = rules.because("WW-38")
    else:
        caught, why = names(shell.figures), rules.because("WW-44", f"on the spot: a {shell.place}")
    return legal("bursts", why, *_needs(rules, facts_from(Explosion, shell), caught), targets=caught)


def burst(rules: Rules, shell: Landed) -> Procedure[Verdict]:
    """The effects of a shell that has landed."""
    found = yield from _burst(rules, shell)
    return found.causing(for_now("", LANDED, None, "WW-44"), *found.effects)


def _burst(rules: Rules, shell: Landed) -> Procedure[Verdict]:
    blast = facts_from(Explosion, shell)
    if rules.tables.places[shell.place].shelter is None:
        aim = burst_aim(rules, shell)
        return (yield from _rolled(rules, blast, aim.numbers["targets"], aim.reasons[:1]))
    found = yield from shell_on_shelter(rules, shell)
    numbers = found.numbers
    if numbers.get("bunker_eliminated"):
        dead = eliminated(numbers["eliminated"], "WW-50")
        return Verdict(f"eliminates the {shell.place}", numbers, found.reasons, dead)
    hole = "section_in" in numbers
    caught = names([one for one in shell.figures if one.inside]) if hole else numbers["caught"]
    blast = replace(blast, inside_shelter=numbers["explodes_inside"])
    after = yield from _rolled(rules, blast, caught, found.reasons, hole=hole)
    kept = {"hole_in": numbers["section_in"]} if hole else {}
    return replace(after, numbers={**after.numbers, **kept, "hit": numbers["hit"]})
