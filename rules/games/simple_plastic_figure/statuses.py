"""The statuses of Simple Plastic Figure that its rules set and read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rules.engine.state import ELIMINATED, Unit
from rules.engine.verdict import StatusEffect

DONE = "done"
"""What a figure has done with its half of the turn, in order."""
SAID = {"moved": "move", "fired": "fire", "leads": "lead"}
"""The same as the players may enter it for a figure."""
STATUS_DIE, FAILED, REROLLED = "status_die", "failed_check", "rolled_again"
FIRE_ONLY_DIE, IDLE_DIE = 5, 6
"""The results of a status check after which a figure only fires, or does nothing (WW-09)."""
DIRECTED_BY = "directed_by"
"""The figures that direct its fire, and their means."""
FIGHTS = "fights"
"""The enemies that it touches after its move, and the place: it must fight them."""
SHOTS_LEFT = "shots_left"
"""Its weapon and the shots left to it, where targets are named one by one."""
NAMED = "named"
"""Its weapon and the targets named for its shots, in order, before the first die."""
INITIATIVE = "initiative"
"""The part of the turn in which the sides roll for going first."""
FIRST, CHOOSER, LAST_CHOOSER = "goes_first", "chooses", "chose_last"
FALLING, LANDED = "falling", "landed"
"""Of the battle in this turn: a shell that was called, and one that has come down but not burst yet."""
GONE = "gone"
"""Of the battle: the bunkers that are eliminated."""
LOST = "lost_in_turn"
"""The turn in which a figure was eliminated that a reserve may bring back."""
EXITED = "exited"
"""The figure has left by the far edge."""
RETURNED = "returned_to_{}"
"""Of the battle in this turn: how many figures of a side came back."""
NEEDED_BY = "needed_by_{}"
"""Of the battle: the number that the objective of a side needs."""
PLACE_OF = "place_of_{}"
"""Of the battle: the piece of terrain that a side is to take or hold."""
HOLES_IN = "holes in {}"
"""Of the battle: how often a gun has blown a hole into the wall of a building."""

THIS_TURN = frozenset(
    (DONE, *SAID, STATUS_DIE, FAILED, REROLLED, DIRECTED_BY, FIGHTS, SHOTS_LEFT, NAMED, FIRST, CHOOSER, FALLING, LANDED)
)
"""What the next turn forgets."""


def done(unit: Unit) -> list[str]:
    """Its actions in this half of the turn, from the journal or the players' answer."""
    said = [action for key, action in SAID.items() if unit.this_turn.get(key)]
    return [*unit.this_turn.get(DONE, ()), *said]


def status_die(unit: Unit) -> int:
    """The result of its status check; before the check nothing is forbidden."""
    return int(unit.this_turn.get(STATUS_DIE, 1))


def for_now(figure: str, status: str, value: Any, rule: str) -> StatusEffect:
    """The effect that a figure, or the battle, has a status until the turn ends."""
    return StatusEffect(figure, status, value, rule, this_turn=True)


def eliminated(figures: Iterable[str], rule: str) -> tuple[StatusEffect, ...]:
    """The effect that these figures are eliminated."""
    return tuple(StatusEffect(figure, ELIMINATED, rule=rule) for figure in figures)
