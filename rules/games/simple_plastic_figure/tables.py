"""The tables of Simple Plastic Figure: the columns of each row, and checks of their names."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, TypeAlias

from rules.engine import common
from rules.engine.ruleset import Cited, Limit, Ruleset
from rules.engine.schema import Count, Inches, Part, Record, Row, Within
from rules.tabletop.table import TerrainKind

WeaponName = Annotated[str, Row("weapons", "unknown_weapon")]
PlaceName = Annotated[str, Row("places", "unknown_place")]
PoseName = Annotated[str, Row("poses", "unknown_pose")]
CoverName = Annotated[str, Row("covers", "unknown_cover")]
TerrainName = Annotated[str, Row("terrain", "unknown_terrain")]
CrossingName = Annotated[str, Row("crossings", "unknown_event")]
CommanderName = Annotated[str, Row("commanders", "unknown_commander")]
NationName = Annotated[str, Row("nations", "unknown_nation")]
Face = Annotated[int, Within(low=1, high=6, code="impossible_die_face")]


class AimAt(StrEnum):
    """The kind of target of a weapon."""

    FIGURE = "figure"
    SPOT = "spot"


class Enemies(StrEnum):
    """The effect of entering a place with enemies inside."""

    NONE = "none"
    FIGHT = "fight"
    REFUSE = "refuse"


class Occupants(StrEnum):
    """The figures inside that an explosive catches when it hits a shelter."""

    NONE = "none"
    ALL = "all"
    RADIUS = "radius"
    HOLE = "hole"
    REMOVED = "removed"


class Phase(Cited):
    """A part of the turn.

    Attributes:
        half: The side whose part it is, 0 for both.
        checks, acts: Its figures roll their status checks in it; they move or fire.
    """

    number: Count
    text: str
    half: Annotated[int, Within(low=0, high=2)] = 0
    checks: bool = False
    acts: bool = False


class Status(Cited):
    """The actions that the faces of a status check allow a figure."""

    faces: tuple[int, ...]
    may_move: bool
    may_fire: bool


class Goal(Cited):
    """An objective; `counted` ones are decided by numbers, the rest by the players; `numbered` need an agreed one.

    `title` says what a side is to do, and `text` when it has done so.
    """

    title: str
    text: str
    counted: bool = False
    numbered: bool = False


class Nation(Cited):
    """The side that a nation fights on, and its rifle."""

    side: str
    rifle: WeaponName


class Crossing(Cited):
    """The cost of crossing, entering or leaving a piece.

    Attributes:
        touch_first: Only a move that begins in contact with it may do so.
        led: It takes nothing off; it says that a leader helps the move.
    """

    penalty_in: Inches
    impassable: bool = False
    touch_first: bool = False
    led: bool = False


class Ground(Cited):
    """The effect of a measured terrain piece on a moving figure.

    Attributes:
        enter, leave: What coming into it and out of it is, among the crossings.
        hurdle: Priced by its height, as leg high or waist high.
        touch_first: A move ends at it; only the next may lead in.
        on_top: One walks on it.
    """

    passable: bool = True
    enter: CrossingName | None = None
    leave: CrossingName | None = None
    hurdle: bool = False
    touch_first: bool = False
    on_top: bool = False


class Place(Cited):
    """Somewhere a figure may be.

    Attributes:
        pose_steps: By how many poses its occupants count as lower.
        enter_rule: Rule of coming in; None if it is the row's own.
        shelter: Its column among the attacks on shelters.
        kinds: Which measured pieces are such a place.
    """

    cover: CoverName = "none"
    pose_steps: Count = 0
    may_enter: bool = True
    enter_rule: str | None = None
    touch_first: bool = False
    enemies: Enemies = Enemies.NONE
    shelter: str | None = None
    kinds: tuple[TerrainKind, ...] = ()


class Weapon(Cited):
    """A row of the weapon tables; `first_list` where the rulebook's first list has it too."""

    range_in: Inches
    rof: Count
    fire: Annotated[str, Row("fires")]
    kind: Annotated[str, Row("weapon_kinds")]
    blast_radius_in: Inches | None = None
    first_list: bool = True
    title: str = ""


class WeaponKind(Cited):
    """How a kind of weapon is aimed; indirect ones are not `direct`."""

    aim_at: AimAt
    direct: bool


class Alias(Cited):
    """Another name of a weapon."""

    weapon: WeaponName


class Band(Cited):
    """A range band up to and with `up_to_in`, None beyond all; it brings a modifier or a number to hit."""

    up_to_in: Inches | None = None
    modifier: int = 0
    hit_on: Count = 0


class Modifier(Cited):
    """The modifier of a kind of fire or cover."""

    modifier: int


class Pose(Cited):
    """A pose: its modifier, the next lower pose, and the part that a waist-high piece hides."""

    modifier: int
    lower: PoseName
    behind: Part
    lying: bool = False


class Terrain(Cited):
    """The cover of a kind of terrain for a figure behind it.

    Attributes:
        kinds: Which measured pieces may be of that kind; the first row that has one is what it usually is.
        through: Fire runs through it, so that it conceals and never hides.
    """

    cover: CoverName
    kinds: tuple[TerrainKind, ...]
    through: bool = False


class Scatter(Cited):
    """The directions of a shell by the faces of its die."""

    faces: tuple[int, ...]
    strays: bool = True


class ShelterAttack(Cited):
    """The effect of a kind of explosive on a kind of shelter; `hit_on` is None if no die decides it."""

    occupants: Occupants
    outside: bool
    hit_on: Count | None = None
    radius_factor: Count = 1
    touching: bool = False
    within_in: Inches | None = None


class Commander(Cited):
    """The help that a figure can give others."""

    leads: bool = False
    binoculars: bool = False
    radio: bool = False


class Card(Cited):
    """A ready unit; None if any nation has it."""

    title: str
    nation: NationName | None = None
    weapons: tuple[WeaponName, ...] = ()
    pose: PoseName = "standing"
    role: CommanderName = "figure"
    bayonet: bool = False
    reserve: bool = False


class Tables(Record):
    """All tables of the game, by the name of the row."""

    limits: Mapping[str, Limit]
    phases: Mapping[str, Phase]
    status: Mapping[str, Status]
    goals: Mapping[str, Goal]
    later_segments: Mapping[str, Cited]
    scales: Mapping[str, Cited]
    nations: Mapping[str, Nation]
    crossings: Mapping[str, Crossing]
    ground: Mapping[TerrainKind, Ground]
    places: Mapping[str, Place]
    weapons: Mapping[str, Weapon]
    weapon_kinds: Mapping[str, WeaponKind]
    aliases: Mapping[str, Alias]
    range_bands: Mapping[str, Band]
    fires: Mapping[str, Modifier]
    poses: Mapping[str, Pose]
    covers: Mapping[str, Modifier]
    terrain: Mapping[str, Terrain]
    launcher_bands: Mapping[str, Band]
    scatter: Mapping[str, Scatter]
    shelter_attacks: Mapping[str, ShelterAttack]
    commanders: Mapping[str, Commander]
    cards: Mapping[str, Card]
    statuses: Mapping[str, common.Status]


Rules: TypeAlias = Ruleset[Tables]
