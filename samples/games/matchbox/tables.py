"""The tables of Matchbox Skirmish: what a row of each must hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from rules.engine.common import Ground, Phase
from rules.engine.ruleset import Limit, Ruleset
from rules.engine.schema import Inches, Row

WeaponName = Annotated[str, Row("weapons", "unknown_weapon")]


@dataclass(frozen=True, slots=True)
class Weapon:
    """A weapon and its longest range, base to base."""

    rule: str
    range_in: Inches


@dataclass(frozen=True, slots=True)
class Card:
    """A ready unit."""

    rule: str
    title: str
    weapons: tuple[WeaponName, ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """All tables of the game, by the name of the row."""

    phases: Mapping[str, Phase]
    limits: Mapping[str, Limit]
    terrain: Mapping[str, Ground]
    weapons: Mapping[str, Weapon]
    cards: Mapping[str, Card]


Rules: TypeAlias = Ruleset[Tables]
"""Matchbox Skirmish with its options and house rules."""
