"""The tables of Army Men: the columns of each row."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, TypeAlias

from rules.engine.common import Status
from rules.engine.ruleset import Cited, Limit, Ruleset
from rules.engine.schema import Count, Inches, Record, Row
from rules.tabletop.table import TerrainKind
from rules.tabletop.tolerance import within

INCHES_A_FOOT = 12
"""The rulebook measures ranges in feet (AM-03)."""

MOVING = 1
"""The number of the phase of movement (AM-12)."""
EXTRA_ARM = "lmg"
"""What a vehicle may fire in addition to its main weapon (AM-81)."""

WeaponName = Annotated[str, Row("weapons", "unknown_weapon")]
KindName = Annotated[str, Row("kinds", "unknown_unit")]


class Effect(StrEnum):
    """The effect of a weapon's hit on a kind of target."""

    ELIMINATES = "eliminates"
    IF_SUSTAINED = "if_sustained"
    SECOND_DIE = "second_die"
    MEN_INSIDE = "men_inside"
    IMMOBILIZES = "immobilizes"
    NOTHING = "nothing"
    IMMUNE = "immune"
    NOT_ALLOWED = "not_allowed"


class Face(StrEnum):
    """The face of a vehicle that is struck."""

    FRONT = "front"
    SIDE = "side"
    REAR = "rear"


class Indirect(StrEnum):
    """Whether a weapon fires over the terrain that hides its target."""

    NEVER = "never"
    CAN = "can"
    ALWAYS = "always"


class Weapon(Cited):
    """A row of the weapon table.

    Attributes:
        group: Its row in the table of effects.
        range_max_ft: None if it reaches as far as its line of sight.
        blast_in, cone_in, area_in: Width of what it fills: a burst, a flame, glue.
        crew: Men it needs.
        automatic: Jams on a 12; others with `ammunition` run out of it.
        indirect: Whether it fires over obstacles.
        gun: Has to range in on a fixed location.
        high_tech: A missile or a laser.
        turret: Fires where the turret points.
        laid: A mine, which is not fired.
    """

    group: Annotated[str, Row("effects")]
    attack: int
    phase: Count
    range_min_ft: Inches = 0
    range_max_ft: Inches | None = None
    rof: Count = 1
    blast_in: Inches | None = None
    cone_in: Inches | None = None
    area_in: Inches | None = None
    stationary: bool = False
    half_move: bool = False
    crew: Count = 1
    automatic: bool = False
    ammunition: bool = False
    indirect: Indirect = Indirect.NEVER
    gun: bool = False
    high_tech: bool = False
    turret: bool = False
    laid: bool = False

    @property
    def range_min_in(self) -> float:
        """Nearest target, inches."""
        return self.range_min_ft * INCHES_A_FOOT

    @property
    def range_max_in(self) -> float | None:
        """Farthest target, inches; None as far as it sees."""
        return None if self.range_max_ft is None else self.range_max_ft * INCHES_A_FOOT

    @property
    def spreads(self) -> bool:
        """Whether it fills an area, half of the target must then be in it."""
        return (self.blast_in, self.cone_in, self.area_in) != (None, None, None)

    def reaches(self, distance_in: float) -> bool:
        """Whether a target at this distance is in range, both ends included."""
        far = self.range_max_in
        return within(self.range_min_in, distance_in) and (far is None or within(distance_in, far))


class Effects(Cited):
    """The effect of a group of weapons on each kind of target."""

    infantry: Effect
    helicopter: Effect
    plane: Effect
    soft: Effect
    half_track: Effect
    tank: Effect
    pillbox: Effect
    cannon: Effect


class AttackModifier(Cited):
    """Added to the attack value where `fact` holds and the target is farther than `beyond_in`."""

    text: str
    modifier: int
    fact: str | None = None
    beyond_in: Inches | None = None
    not_for: tuple[WeaponName, ...] = ()
    cover: bool = False


class HardDie(Cited):
    """The result of the die against a hard target, for the faces 1 to 6."""

    results: tuple[str, ...]


class HardModifier(Cited):
    """Added to the die against a hard target where everything that is given fits."""

    text: str
    modifier: int
    targets: tuple[KindName, ...] = ()
    faces: tuple[Face, ...] = ()
    heavy: bool = False
    weapons: tuple[WeaponName, ...] = ()
    not_for: tuple[WeaponName, ...] = ()


class Kind(Cited):
    """A kind of unit: its movement, and its kind as a target.

    Attributes:
        target: Column of the table of effects.
        road_in: Allowance when the whole move is on a road.
        hard: Row of the hard-target die; None for the rest.
        extra_lmg: May also carry a light machine gun.
        carries: Men get inside.
        ports: The men inside may shoot, and be shot at with small arms.
        sealed: Nothing reaches the men inside but what destroys it.
    """

    move_in: Inches
    target: str
    road_in: Inches | None = None
    vehicle: bool = False
    flies: bool = False
    hard: Annotated[str | None, Row("hard_target_die")] = None
    extra_lmg: bool = False
    carries: bool = False
    ports: bool = False
    sealed: bool = False


class Halving(Cited):
    """Multiplies the movement allowance where `fact` holds."""

    text: str
    fact: str
    factor: float
    vehicles_only: bool = False
    kinds: tuple[KindName, ...] = ()


class Climbing(Cited):
    """The results of a climber's die."""

    faces: tuple[int, ...]
    climbed_in: Inches
    dead: bool = False


class Landing(Cited):
    """The faces of a paratrooper's die for one direction."""

    faces: tuple[int, ...]


class Survival(Cited):
    """The highest face on which a crew survives; 0 is never."""

    survives_to: Count


class Phase(Cited):
    """A part of the turn; in one with `moves`, figures move."""

    number: Count
    simultaneous: bool
    moves: bool = False


class Blocked(StrEnum):
    """The kinds of units that an obstacle stops."""

    INFANTRY = "infantry"
    VEHICLES = "vehicles"


class Obstacle(Cited):
    """An obstacle: the units that it stops, and the way to clear it."""

    blocks: Blocked
    destroyed_by: tuple[str, ...]
    terrain: TerrainKind


class Goal(Cited):
    """A victory condition; `counted` ones are reached when no enemy is left, the rest when the players say so."""

    text: str
    counted: bool = False


class Prop(Cited):
    """A household thing on the table; with several kinds of terrain the players are asked which."""

    stands_for: str
    terrain: tuple[TerrainKind, ...]
    cover: bool = False
    rough: bool = False
    blocks_sight: bool = False
    cliff: bool = False


class Shelter(Cited):
    """Kinds of terrain that protect the units that they hide.

    Attributes:
        inside: Also protects a unit inside, wherever it is seen from.
        pillbox: It is a pillbox, and no mere cover.
        if_sensible: Only where things without a printed effect have a sensible one.
    """

    terrain: tuple[TerrainKind, ...]
    inside: bool = False
    pillbox: bool = False
    if_sensible: bool = False


class Card(Cited):
    """A ready unit."""

    title: str
    kind: KindName
    weapons: tuple[WeaponName, ...]
    leader: bool = False
    hero: bool = False
    heavy: bool = False
    binoculars: bool = False
    radio: bool = False
    engineer: bool = False
    medic: bool = False
    mine_detector: bool = False
    shovel: bool = False
    parachute: bool = False
    note: str = ""


class Tables(Record):
    """All tables of the game, by the name of the row."""

    weapons: Mapping[str, Weapon]
    effects: Mapping[str, Effects]
    attack_modifiers: Mapping[str, AttackModifier]
    hard_target_die: Mapping[str, HardDie]
    hard_target_modifiers: Mapping[str, HardModifier]
    kinds: Mapping[str, Kind]
    halvings: Mapping[str, Halving]
    climbing: Mapping[str, Climbing]
    landing: Mapping[str, Landing]
    crew_survival: Mapping[str, Survival]
    limits: Mapping[str, Limit]
    phases: Mapping[str, Phase]
    obstacles: Mapping[str, Obstacle]
    goals: Mapping[str, Goal]
    props: Mapping[str, Prop]
    shelters: Mapping[str, Shelter]
    cards: Mapping[str, Card]
    statuses: Mapping[str, Status]


Rules: TypeAlias = Ruleset[Tables]


def touching(rules: Rules, edge_in: float) -> bool:
    """Whether bases with this gap between them are adjacent."""
    return within(edge_in, rules.option("adjacent_within_in"))


def in_phase(rules: Rules, phase: str | None, number: int) -> bool:
    """Whether it is the phase of that number; true if the phase is unknown."""
    if phase is None:
        return True
    row = rules.tables.phases.get(phase)
    return row is not None and row.number == number
