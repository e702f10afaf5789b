"""The current message for the player: shown for some seconds, or until the player does something else."""

from __future__ import annotations

from collections.abc import Callable

from ui.desktop.bar import Ways

_STAYS_S = 8.0


class Said:
    """Holds one message with its buttons."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` returns seconds."""
        self._clock = clock
        self._words, self._until_s = "", 0.0
        self._ways: Ways = ()

    def say(self, words: str, ways: Ways = ()) -> None:
        """Replace the message; it expires after 8 s."""
        self._words, self._ways, self._until_s = words, ways, self._clock() + _STAYS_S

    def forget(self) -> None:
        """Drop the message, because the player does something else."""
        self._words = ""

    @property
    def now(self) -> tuple[str, Ways]:
        """The current message and its buttons; empty if there is none."""
        if self._clock() > self._until_s:
            self.forget()
        return (self._words, self._ways) if self._words else ("", ())
