"""How far a long task is, told to whoever waits, who may end it."""

from __future__ import annotations

from collections.abc import Callable

from rules.table import Refused

Step = Callable[[int, int], None]
"""Is told how much is done, and of how much; it may raise `Cancelled` to end the task there."""


class Cancelled(Refused):
    """The player ended a task; its text says so."""


def no_step(_done: int, _of: int) -> None:
    """Where nobody waits."""


def part_of(step: Step, number: int, parts: int) -> Step:
    """What tells `step` how far the whole is, for part `number` (from 0) of so many that take about as long."""
    return lambda done, of: step(number * of + done, parts * of)
