"""The soldiers of a battle that the camera no longer sees on the table."""

from __future__ import annotations

from rules.battle.referees import referee_of
from rules.engine.position import Position
from rules.engine.text import display_name
from ui.translation import tr

_MOST_NAMES = 4


def absent(position: Position) -> tuple[str, ...]:
    """Ids of the figures that should be on the table and are not.

    Those that are eliminated, not placed yet, or inside another figure are elsewhere.
    """
    inside = referee_of(position.game.name).inside
    return tuple(
        unit.id
        for unit in position.state.units.values()
        if unit.at_in is not None
        and not unit.out
        and unit.id not in position.figures
        and not any(map(unit.statuses.get, inside))
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
