"""Decides which announcement is spoken next: one at a time, none late, none that is no longer true."""

from __future__ import annotations

from collections.abc import Callable

from ui.voice.announcements import Announcement, AnnouncementKind

STALE_S = 2.0
"""An announcement that could not be spoken for this long is dropped: the game has gone on."""

_URGENCY = {kind: place for place, kind in enumerate(AnnouncementKind)}


class SpeechQueue:
    """Holds at most one announcement of each kind: the newest."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` returns seconds."""
        self._clock = clock
        self._waiting: dict[AnnouncementKind, tuple[float, Announcement]] = {}

    def add(self, announcement: Announcement) -> None:
        """Add an announcement, which replaces the one of its kind; one without words only removes that."""
        self._waiting.pop(announcement.kind, None)
        if announcement.words:
            self._waiting[announcement.kind] = (self._clock(), announcement)

    def next(self) -> Announcement | None:
        """The most urgent announcement that is not stale, once; call it only while nothing is spoken."""
        now_s = self._clock()
        self._waiting = {kind: one for kind, one in self._waiting.items() if now_s - one[0] <= STALE_S}
        kind = min(self._waiting, key=_URGENCY.__getitem__, default=None)
        return None if kind is None else self._waiting.pop(kind)[1]

    def clear(self) -> None:
        """Drop everything."""
        self._waiting.clear()
