"""Conversion of journal entries into events."""

from __future__ import annotations

from collections.abc import Mapping

from rules.battle.journal import REDO, UNDO, Entry
from rules.engine.events import Event
from rules.engine.state import FOLDS
from rules.tabletop.errors import user_error

EVENTS: Mapping[str, type[Event]] = {event.kind: event for event in FOLDS}
"""Event classes by kind."""


def event_of(entry: Entry) -> Event:
    """The event that an entry stores.

    Raises:
        UserError: if the kind is unknown, the version is newer or the body is invalid.
    """
    if entry.kind not in EVENTS:
        raise user_error(
            "entry {seq} is of the unknown kind {kind!r}: update Sandtable", seq=entry.seq, kind=entry.kind
        )
    check_version(entry, EVENTS[entry.kind].version)
    return EVENTS[entry.kind].from_body(entry.body, f"entry {entry.seq} ({entry.kind})")


def check_version(entry: Entry, known: int = 1) -> None:
    """Raise `UserError` for an entry written by a newer program."""
    if entry.version > known:
        newer = f"has version {entry.version}, but this program reads version {known}"
        raise user_error("entry {seq} ({kind}) {newer}: update Sandtable", seq=entry.seq, kind=entry.kind, newer=newer)


def is_event(entry: Entry) -> bool:
    """Whether an entry stores an event; the others undo or redo one."""
    return entry.kind not in (UNDO, REDO)
