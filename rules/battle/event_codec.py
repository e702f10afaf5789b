"""Events as entries of a journal: every kind that this program knows, and the event that an entry holds."""

from __future__ import annotations

from collections.abc import Mapping

from rules.battle.journal import REDO, UNDO, Entry
from rules.engine.events import (
    Asked,
    Begun,
    CameraMoved,
    Changed,
    Doubted,
    Enlisted,
    Event,
    MarkerMoved,
    Moved,
    Noted,
    Overruled,
    PhaseBegun,
    Placed,
    Ruled,
    Settled,
    TableLaid,
)
from rules.tabletop.errors import UserError

EVENTS: Mapping[str, type[Event]] = {
    event.kind: event
    for event in (
        *(Begun, Enlisted, PhaseBegun, Placed, Moved, Asked),
        *(Changed, Doubted, Settled, Overruled, Ruled, Noted, CameraMoved, MarkerMoved, TableLaid),
    )
}
"""Every event by its kind."""


def event_of(entry: Entry) -> Event:
    """The event of an entry.

    Raises:
        UserError: if this program does not know it, or its body is not one.
    """
    if entry.kind not in EVENTS:
        raise UserError(f"entry {entry.seq} is of the unknown kind {entry.kind!r}: update Sandtable")
    check_version(entry, EVENTS[entry.kind].version)
    return EVENTS[entry.kind].from_body(entry.body, f"entry {entry.seq} ({entry.kind})")


def check_version(entry: Entry, known: int = 1) -> None:
    """Refuse an entry that a newer program wrote."""
    if entry.version > known:
        newer = f"has version {entry.version} and this program reads {known}"
        raise UserError(f"entry {entry.seq} ({entry.kind}) {newer}: update Sandtable")


def is_event(entry: Entry) -> bool:
    """Whether an entry is an event; the rest take one back, or do it again."""
    return entry.kind not in (UNDO, REDO)
