"""Progress of a long task, and a way to cancel it."""

from __future__ import annotations

from collections.abc import Callable

from rules.tabletop.errors import UserError

Step = Callable[[int, int], None]
"""Receives the amount done and the total amount; may raise `Cancelled` to end the task."""


class Cancelled(UserError):
    """The player cancelled a task; the message says so."""


def no_step(_done: int, _of: int) -> None:
    """Report no progress."""


def part_of(step: Step, number: int, parts: int) -> Step:
    """Convert the progress of part `number` (from 0) of `parts` equally long parts into progress of the whole."""
    return lambda done, of: step(number * of + done, parts * of)
