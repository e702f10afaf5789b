"""The tables of Simple Plastic Wargame: the columns of each row."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, TypeAlias

from rules.engine.ruleset import Cited, Limit, Ruleset
from rules.engine.schema import Count, Record, Row

UnitName = Annotated[str, Row("units", "unknown_unit_type")]
CoverName = Annotated[str, Row("covers", "unknown_obstacle")]
PhaseName = Annotated[str, Row("phases", "unknown_phase")]


class Elevation(StrEnum):
    """The height of the target relative to the attacker."""

    DOWNHILL = "downhill"
    LEVEL = "level"
    UPHILL = "uphill"


class Unit(Cited):
    """A kind of soldier.

    Attributes:
        special: A specialist: harder to kill, and a better shot.
        dice: Rolled in one attack, each checked by itself.
        attacks: Made in one turn.
        in_squad, alone: Where he may serve.
        attacks_after_moving: Whether he attacks in a turn in which he moved.
    """

    special: bool = False
    dice: Count = 1
    attacks: Count = 1
    in_squad: bool = True
    alone: bool = True
    attacks_after_moving: bool = True


class Modifier(Cited):
    """Added to the to-kill number where `fact` holds; see `rules.games.simple_plastic.attack.FACTS`."""

    text: str
    fact: str
    modifier: int


class Cover(Cited):
    """The effect of an obstacle on the line to the target.

    Attributes:
        counts: Whether it matters at all.
        blocks: Forbids the attack where it hides all of the target.
        always: Covers the target however much of it can be seen.
        also: Other names for it.
    """

    counts: bool = True
    blocks: bool = False
    always: bool = False
    also: tuple[str, ...] = ()


class Terrain(Cited):
    """The cover that a kind of terrain piece gives; None if it hides nothing."""

    cover: CoverName | None = None


class Phase(Cited):
    """A part of the turn; in one with `moves`, figures move."""

    number: Count
    moves: bool = False


class Goal(Cited):
    """A way to end the game."""

    text: str


class Posing(Cited):
    """The unit that a posture suggests; None if it is no unit of the game."""

    text: str
    unit: UnitName | None = None


class Card(Cited):
    """A ready unit."""

    title: str
    unit: UnitName
    note: str = ""


class Tables(Record):
    """All tables of the game, by the name of the row."""

    units: Mapping[str, Unit]
    modifiers: Mapping[str, Modifier]
    covers: Mapping[str, Cover]
    terrain: Mapping[str, Terrain]
    phases: Mapping[str, Phase]
    limits: Mapping[str, Limit]
    postures: Mapping[str, Posing]
    goals: Mapping[str, Goal]
    cards: Mapping[str, Card]


Rules: TypeAlias = Ruleset[Tables]
"""Simple Plastic Wargame with its options and house rules."""
