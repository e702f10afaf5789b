"""Progress of a long task, and a way to cancel it."""

from __future__ import annotations

from collections.abc import Callable

from rules.tabletop.errors import UserError

Step = Callable[[int, int], None]
"""Takes how much is done, and of how much; it may raise `Cancelled` to end the task there."""


class Cancelled(UserError):
    """The player ended a task; its text says so."""


def no_step(_done: int, _of: int) -> None:
    """Report no progress."""


def part_of(step: Step, number: int, parts: int) -> Step:
    """Progress of the whole, from that of part `number` (from 0) of so many that take about as long."""
    return lambda done, of: step(number * of + done, parts * of)
