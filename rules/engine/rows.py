"""Rows of tables that every ruleset has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from rules.engine.schema import Count
from rules.tabletop.errors import UserError
from rules.tabletop.table import Posture, TerrainKind


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of the turn."""

    rule: str
    number: Count


@dataclass(frozen=True, slots=True)
class Goal:
    """A way to end the game."""

    rule: str
    text: str


def check_complete(tables: object) -> None:
    """Raise `UserError` unless the tables `terrain` and `postures` have a row for each kind."""
    kinds: tuple[tuple[str, Iterable[StrEnum]], ...] = (("terrain", TerrainKind), ("postures", Posture))
    for table, needed in kinds:
        missing = {one.value for one in needed} - set(getattr(tables, table))
        if missing:
            raise UserError(f"the table {table} lacks {', '.join(sorted(missing))}: give each a row")
