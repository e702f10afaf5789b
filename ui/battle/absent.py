"""The soldiers of a battle that the camera no longer sees on the table."""

from __future__ import annotations

from rules.engine.position import Position
from rules.engine.text import display_name
from ui.translation import tr

_MOST_NAMES = 4


def absent(position: Position) -> tuple[str, ...]:
    """Ids of the figures that should be on the table and are not.

    Those that are eliminated, not placed yet, or inside another one, which their status names, are elsewhere.
    """
    units = position.state.units
    return tuple(
        unit.id
        for unit in units.values()
        if unit.at_in is not None
        and not unit.out
        and unit.id not in position.figures
        and not any(isinstance(value, str) and value in units for value in unit.statuses.values())
    )


def absent_words(position: Position) -> str:
    """Such as "Not on the table: Tan 3, Tan 7"; empty if all are there."""
    names = [display_name(name) for name in absent(position)]
    if not names:
        return ""
    if len(names) > _MOST_NAMES:
        listed, more = ", ".join(names[: _MOST_NAMES - 1]), len(names) - _MOST_NAMES + 1
        return tr("Not on the table: {listed} and {more} others", listed=listed, more=more)
    return tr("Not on the table: {listed}", listed=", ".join(names))
