"""The current message for the player: shown for some seconds, or until the player does something else."""

from __future__ import annotations

from collections.abc import Callable

from ui.desktop.bar import MessageActions

_SHOWN_S = 8.0


class StatusMessage:
    """Holds one message with its buttons."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` returns seconds."""
        self._clock = clock
        self._text, self._until_s = "", 0.0
        self._actions: MessageActions = ()

    def say(self, text: str, actions: MessageActions = ()) -> None:
        """Replace the message; it expires after 8 s."""
        self._text, self._actions, self._until_s = text, actions, self._clock() + _SHOWN_S

    def forget(self) -> None:
        """Drop the message, because the player does something else."""
        self._text = ""

    @property
    def now(self) -> tuple[str, MessageActions]:
        """The current message and its buttons; empty if there is none."""
        if self._clock() > self._until_s:
            self.forget()
        return (self._text, self._actions) if self._text else ("", ())
