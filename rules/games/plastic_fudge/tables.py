"""The tables of Plastic Fudge: the columns of each row, and the parsing of levels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from rules.engine.common import Status
from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.ruleset import Cited, Limit, Ruleset, limit
from rules.engine.schema import Count, Inches, Part, Record, Row, Within
from rules.engine.verdict import Reason
from rules.tabletop.table import TerrainKind

LevelName = Annotated[str, Row("levels", "unknown_level")]
ClassName = Annotated[str, Row("classes", "unknown_class")]
TerrainName = Annotated[str, Row("terrain", "unknown_terrain")]
WeaponName = Annotated[str, Row("weapons", "unknown_weapon")]
UnitName = Annotated[str, Row("cards", "unknown_unit")]
PoseName = Annotated[str, Row("poses", "unknown_pose")]
ResultName = Annotated[str, Row("results", "unknown_result")]
Rating = Annotated[int, Within(-9, 9, "unknown_level")]
"""A level as a number; beyond Terrible and Superb it comes from poses, injuries and hand-to-hand."""


class Level(Cited):
    """A level: its modifier, cost, movement and reach."""

    rating: int
    cost: Count
    move_in: Inches
    range_bands: Count


class UnitClass(Cited):
    """Troopers or vehicles: the factor for the cost of their attributes, and the fixed cost.

    Attributes:
        trained_for_terrain: Training changes the cost of terrain for a move.
    """

    cost_factor: Count
    surcharge: Count
    checks_morale: bool
    trained_for_terrain: bool


class Terrain(Cited):
    """Terrain: its cost for a move, and its modifier for the Defense of a unit inside."""

    passable: bool = True
    move_pct: Annotated[float, Within(-100, 0)] = 0
    defense: int = 0
    ranged_only: bool = False


class Ground(Cited):
    """Which terrain a piece on the table is; `on_top` where one walks on its upper side."""

    terrain: TerrainName
    on_top: bool = False


class ChartRow(Cited):
    """A row of the damage chart, from the worst offence to the best."""

    results: tuple[ResultName, ...]


class Swept(Cited):
    """The meaning of a chart result for a mine that is swept."""

    fate: str


class Result(Cited):
    """A result of the damage chart."""

    mine: Swept
    injures: bool = False
    destroys: bool = False


class MoraleModifier(Cited):
    """Added to a morale check; with `counted`, from that share of the starting units on."""

    text: str
    modifier: int
    counted: str | None = None
    share: Part = 0


class Pose(Cited):
    """The levels of Defense that a pose brings."""

    levels: int


class Template(Cited):
    """A disk by its diameter, or a wedge by its radius and angle."""

    diameter_in: Inches | None = None
    radius_in: Inches | None = None
    angle_deg: Annotated[float | None, Within(0, 180)] = None


class Weapon(Cited):
    """A weapon; its levels are the unit's.

    Attributes:
        template: What it lays on the table.
        thrown: Reaches a part of the Range Level only.
        most_RL: Reaches no farther than this level, whatever was paid for.
        holes: Takes a hole out of a base.
    """

    template: Annotated[str | None, Row("templates")] = None
    thrown: bool = False
    most_RL: LevelName | None = None  # noqa: N815
    holes: bool = False


class HandToHand(Cited):
    """The levels that a unit gains when it is attacked hand to hand."""

    AL: int
    RL: int


class Special(Cited):
    """A special trooper.

    Attributes:
        cost: Points on top of his attributes.
        spotter: Cannot act without a spotter.
        fixed: Moves only when attacked hand to hand.
        explodes: A Legendary attack on him sets him off.
    """

    cost: Count
    hand_to_hand: HandToHand
    spotter: bool = False
    fixed: bool = False
    explodes: bool = False


class FudgeFace(Cited):
    """The faces of a six-sided die that stand for one of a Fudge die."""

    value: int
    faces: tuple[int, ...]


class Phase(Cited):
    """A part of the round, with the number of the sheet's phase; morale may be checked after it.

    Attributes:
        seat: Whose it is, A's or B's; empty if all act in it.
        initiative, moves, attacks, morale: What is done in it.
        called: Only by units that were called, and no others.
    """

    phase: Count
    simultaneous: bool = False
    morale_after: bool = False
    seat: str = ""
    initiative: bool = False
    moves: bool = False
    attacks: bool = False
    morale: bool = False
    called: bool = False


class Forces(Cited):
    """The limits of a side."""

    units_most: Count
    points_most: Count


class Victory(Cited):
    """The part of his troops that the enemy must lose."""

    enemy_loss: Part


class Scenario(Cited):
    """Forces, terrain and end of a battle; with a `flag`, its capture ends it too."""

    title: str
    forces: Forces
    victory: Victory
    terrain: tuple[str, ...]
    set_up: str
    flag: bool = False


class Card(Cited):
    """A ready unit.

    Attributes:
        kind: Its class.
        RL, AL: The levels paid for, one for each weapon.
        posed: His pose is added to DL; `pose` is the one already in it.
        ML_by_jeep: The printed ML is that of the jeep.
        tows, towed: A jeep, and what moves only with one.
        called: Comes when the radio calls it.
    """

    title: str
    kind: ClassName
    ML: LevelName
    RL: tuple[LevelName, ...]
    AL: tuple[LevelName, ...]
    DL: LevelName
    TL: LevelName
    weapons: tuple[WeaponName, ...]
    printed_cost: Count
    special: Annotated[str | None, Row("specials")] = None
    pose: PoseName | None = None
    posed: bool = False
    commander: bool = False
    radio: bool = False
    binoculars: bool = False
    sweeps: bool = False
    ML_by_jeep: bool = False
    tows: bool = False
    towed: bool = False
    flies: bool = False
    carries: bool = False
    called: bool = False
    note: str = ""


class Tables(Record):
    """All tables of the game, by the name of the row."""

    levels: Mapping[str, Level]
    classes: Mapping[str, UnitClass]
    terrain: Mapping[str, Terrain]
    ground: Mapping[TerrainKind, Ground]
    chart: Mapping[str, ChartRow]
    results: Mapping[str, Result]
    morale_modifiers: Mapping[str, MoraleModifier]
    poses: Mapping[str, Pose]
    templates: Mapping[str, Template]
    weapons: Mapping[str, Weapon]
    specials: Mapping[str, Special]
    fudge_faces: Mapping[str, FudgeFace]
    phases: Mapping[str, Phase]
    statuses: Mapping[str, Status]
    limits: Mapping[str, Limit]
    scenarios: Mapping[str, Scenario]
    cards: Mapping[str, Card]


Rules: TypeAlias = Ruleset[Tables]


def rating(rules: Rules, level: str) -> int:
    """The modifier of a level."""
    return rules.tables.levels[level].rating


def called(rules: Rules, number: int) -> str:
    """The name of a rating, as "Good"; levels that only poses, injuries and rolls reach go by their number."""
    return next((name for name, row in rules.tables.levels.items() if row.rating == number), f"{number:+d}")


def range_bands(rules: Rules, number: int) -> int:
    """The bands that a Range Level reaches; below Terrible as Terrible, above Superb as Superb."""
    rows = sorted(rules.tables.levels.values(), key=lambda row: row.rating)
    nearest = min(max(number, rows[0].rating), rows[-1].rating)
    return next(row.range_bands for row in rows if row.rating == nearest)


def moves_in(rules: Rules, phase: str, called: bool, own_turn: bool) -> bool:
    """Whether a unit, one that is called or an ordinary one, moves in a phase."""
    row = rules.tables.phases.get(phase)
    return row is not None and row.moves and row.called == called and (own_turn or not row.seat)


def attacks_in(rules: Rules, phase: str, called: bool) -> bool:
    """Whether a unit, one that is called or an ordinary one, attacks in a phase."""
    row = rules.tables.phases.get(phase)
    return row is not None and row.called == called and (row.attacks or rules.chooses("attacks_when", "any_time"))


def together_in(rules: Rules, phase: str) -> bool:
    """Whether attacks in a phase are resolved at the same time."""
    row = rules.tables.phases.get(phase)
    return row is not None and (row.simultaneous or rules.chooses("attacks_when", "any_time"))


def special_of(rules: Rules, unit: str | None) -> Special | None:
    """The special trait of a unit; None if it has none."""
    name = rules.tables.cards[unit].special if unit else None
    return rules.tables.specials[name] if name else None


def fudge(rules: Rules, for_whom: str, why: str, attack: bool = False) -> Procedure[tuple[int, bool]]:
    """Roll Fudge dice: their sum, and whether every one of them shows minus."""
    count = int(limit(rules, "dice")) if attack else rules.option("dice_for_other_rolls")
    roll = yield DiceRequest(Die.FUDGE, count, for_whom, why, stands_for=six_sided(rules))
    return roll.total, all(face == min(Die.FUDGE.faces) for face in roll.faces)


def six_sided(rules: Rules) -> tuple[int, ...]:
    """The Fudge face that each face of a six-sided die stands for, from 1 to 6."""
    meant = {face: row.value for row in rules.tables.fudge_faces.values() for face in row.faces}
    return tuple(meant[face] for face in sorted(meant))


def thrown(rules: Rules, rule: str, total: int) -> Reason:
    """The dice as a reason."""
    return rules.because(rule, f"rolled {total:+d}", total)
