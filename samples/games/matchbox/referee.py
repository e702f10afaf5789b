"""Matchbox Skirmish on a measured table: the order of a turn, and what must be done in it."""

from __future__ import annotations

from collections.abc import Iterator

from rules.engine.action import Action
from rules.engine.facts import Context, action_for
from rules.engine.plain_referee import plain_referee
from rules.engine.position import Position

from .game import ORDER


def steps(position: Position) -> list[tuple[str, str]]:
    """The initiative roll, then the sides in its order."""
    order = position.state.this_turn.get(ORDER, position.state.sides)
    return [("", "initiative"), *((side, "acting") for side in order)]


def obligations(position: Position) -> Iterator[Action]:
    """The initiative roll, and who has won."""
    if position.state.phase == "initiative" and ORDER not in position.state.this_turn:
        yield action_for("Initiative", "initiative", Context(position), has_odds=False, owed="MB-02")
    yield action_for("Declare victory", "victory", Context(position))


REFEREE = plain_referee(
    steps=steps, obligations=obligations, turn_rule="MB-01", preview="to_hit", fire_phases=("acting",)
)
