"""What the player was told last: it stands in the message bar until he does something else, or some seconds."""

from __future__ import annotations

from collections.abc import Callable

from ui.desktop.bar import Ways

_STAYS_S = 8.0


class Said:
    """One sentence at a time, and the ways out that go with it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` gives seconds, from any start."""
        self._clock = clock
        self._words, self._until_s = "", 0.0
        self._ways: Ways = ()

    def say(self, words: str, ways: Ways = ()) -> None:
        """Let this stand from now on, in place of what stood before."""
        self._words, self._ways, self._until_s = words, ways, self._clock() + _STAYS_S

    def forget(self) -> None:
        """He does something else: it is no longer about that."""
        self._words = ""

    @property
    def now(self) -> tuple[str, Ways]:
        """What stands now, and its ways out; empty words where that is nothing."""
        if self._clock() > self._until_s:
            self.forget()
        return (self._words, self._ways) if self._words else ("", ())
