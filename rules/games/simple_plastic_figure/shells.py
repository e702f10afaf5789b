"""Simple Plastic Figure: anti-tank launchers, mortars and guns, and what they do to shelters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.game import Answer
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Inches
from rules.engine.verdict import Reason, RuleRefusal, Verdict, total
from rules.games.simple_plastic_figure.blast import Caught, blast_radius_in, caught, hole_in, names, outside
from rules.games.simple_plastic_figure.command import Helped, aimed_help
from rules.games.simple_plastic_figure.tables import (
    Occupants,
    PlaceName,
    Rules,
    ShelterAttack,
    WeaponName,
    band,
    called,
    display_name,
    illegal,
    legal,
    tidy,
    weapon_of,
)
from rules.tabletop.scatter import Along, Compass, drifted, strayed
from rules.tabletop.table import PointIn
from rules.tabletop.tolerance import within


class Choice(StrEnum):
    """How a gun attacks a building."""

    HOLE = "hole"
    ROOF = "roof"


# Anti-tank launchers.


@dataclass(frozen=True, slots=True, kw_only=True)
class Launched(Helped):
    """A launcher's shot at a shelter."""

    weapon: WeaponName
    target: PlaceName
    distance_in: Inches
    figures: tuple[Caught, ...] = ()


def at_to_hit(rules: Rules, shot: Launched) -> Answer:
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
    return _launched(rules, shot, row)


def _launched(rules: Rules, shot: Launched, row: ShelterAttack) -> Procedure[Verdict]:
    least = band(rules, rules.tables.launcher_bands, shot.distance_in).hit_on
    roll = yield DiceRequest(Die.D6, 1, "the firer", f"hitting the {shot.target} with the {called(rules, shot.weapon)}")
    help_ = aimed_help(rules, shot)
    told = rules.because("WW-42", f"rolled {roll.total}; at {shot.distance_in:g} in {least} or more hits")
    return struck(rules, row, shot, [*help_, told], hit=roll.total + total(help_) >= least)


@dataclass(frozen=True, slots=True, kw_only=True)
class AtBuilding:
    """A launcher's shot at a window, a door or a wall."""

    weapon: WeaponName
    distance_in: Inches = 0
    figures: tuple[Caught, ...] = ()


def at_on_building(rules: Rules, shot: AtBuilding) -> Answer:
    """A launcher's normal blast at the point that it hits on a building."""
    return at_to_hit(
        rules, Launched(weapon=shot.weapon, target="building", distance_in=shot.distance_in, figures=shot.figures)
    )


# Where a shell comes down.


@dataclass(frozen=True, slots=True, kw_only=True)
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


def deviation(rules: Rules, shot: Fired) -> Answer:
    """Where a mortar or gun hits."""
    if rules.tables.weapon_kinds[weapon_of(rules, shot.weapon).kind].direct:
        return illegal("not_indirect", rules.because("WW-44", f"a {called(rules, shot.weapon)} hits its spot"))
    if shot.at_shelter and rules.chooses("shells_deviate_at_shelters", False):
        return _landed(rules, shot, "on_spot", 0, [])
    return _deviation(rules, shot)


def _deviation(rules: Rules, shot: Fired) -> Procedure[Verdict]:
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


ALONG = {"left": Along.LEFT, "right": Along.RIGHT}
BOARD = {
    "left": Compass.WEST,
    "right": Compass.EAST,
    "toward_opponent": Compass.NORTH,
    "toward_self": Compass.SOUTH,
}


def _off(rules: Rules, shot: Fired, direction: str, inches: float) -> PointIn:
    """The place where a shell comes down; the firing player sees his opponent's edge as north."""
    spot_in = _point(shot.spot_in, "spot_in")
    if inches == 0:
        return spot_in
    if direction in ALONG and shot.firer_in is not None and rules.chooses("left_and_right", "along_the_fire"):
        return strayed(spot_in, ALONG[direction], inches, _point(shot.firer_in, "firer_in"))
    return drifted(spot_in, BOARD[direction], inches, shot.own_edge_deg + 180)


def _point(given: tuple[float, ...] | None, name: str) -> PointIn:
    if given is None or len(given) != 2:
        raise RuleRefusal("bad_point", f"{name} must be [x, y] in inches, not {given}", "WW-44")
    return (given[0], given[1])


# What a shell does to a shelter.


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell(Helped):
    """A mortar's or gun's shell whose final spot is on a shelter."""

    weapon: WeaponName
    place: PlaceName
    choice: Annotated[Choice, Asked("A hole in the wall, or through the roof?")] = Choice.ROOF
    figures: tuple[Caught, ...] = ()


def shell_on_shelter(rules: Rules, shell: Shell) -> Answer:
    """Whether a shell gets at the occupants, and whom it catches."""
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
    return _shelled(rules, shell, row, row.hit_on)


def _shelled(rules: Rules, shell: Shell, row: ShelterAttack, least: int) -> Procedure[Verdict]:
    roll = yield DiceRequest(Die.D6, 1, "the firer", f"the shell on the {shell.place}")
    help_ = aimed_help(rules, shell)
    told = rules.because(row.rule, f"rolled {roll.total}; {least} or more hits")
    return struck(rules, row, shell, [*help_, told], hit=roll.total + total(help_) >= least)


def struck(
    rules: Rules, row: ShelterAttack, shot: Launched | Shell, reasons: Sequence[Reason], *, hit: bool
) -> Verdict:
    """What an explosive does that has hit a shelter, or missed it and bursts beside it."""
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
    """What only some attacks bring: a bunker that is gone, a hole in the wall, everyone under a roof."""
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
