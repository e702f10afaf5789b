"""Writes files that take a while in a background thread, with a message when done and a way to cancel."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PyQt6.QtCore import QObject, QTimer

from ui.background_task import BackgroundTask
from ui.desktop.bar import MessageActions
from ui.files import write_bytes
from ui.translation import tr

_TICK_MS = 40
_PATIENCE_S = 0.5
"""A shorter save shows only its final message."""


class Say(Protocol):
    """Shows the player a message, with or without buttons."""

    def __call__(self, words: str, actions: MessageActions = ()) -> None: ...


class BackgroundSave(QObject):
    """Runs one save at a time."""

    def __init__(self, parent: QObject, say: Say, clock: Callable[[], float] = time.monotonic) -> None:
        """`say` shows progress and the result to the player."""
        super().__init__(parent)
        self._say, self._clock = say, clock
        self._behind: BackgroundTask[str] = BackgroundTask("sandtable save")
        self._going = self._cancelled = False
        self._doing, self._started_s = "", 0.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._pull)

    @property
    def is_cancelled(self) -> bool:
        """Whether the save was cancelled; long work checks this now and then, and stops."""
        return self._cancelled

    def send(self, doing: str, make: Callable[[], bytes], path: Path, done: str) -> None:
        """Start writing a file in the background; while a save runs, a second one is refused with a message.

        Args:
            doing: The message while it runs, such as "Saving table.png".
            make: Computes the file's content; runs in a thread.
            path: The file; it is not written if the save is cancelled first.
            done: The message afterwards.
        """
        if self._going:
            self._say(tr("{doing} is still running. Wait a moment, or cancel it.", doing=self._doing), self._actions)
            return

        def work() -> str:
            data = make()
            if self._cancelled:
                return tr("Cancelled. Nothing was saved.")
            write_bytes(path, data)
            return done

        self._doing, self._started_s, self._cancelled = doing, self._clock(), False
        self._going = self._behind.start(work)
        self._timer.start(_TICK_MS)

    def cancel(self) -> None:
        """Do not write the file, unless writing has begun."""
        self._cancelled = True

    def close(self) -> None:
        """Wait until the file is written."""
        self._timer.stop()
        self._behind.join()

    @property
    def _actions(self) -> MessageActions:
        return ((tr("Cancel"), self.cancel),)

    def _pull(self) -> None:
        if not self._behind.busy:
            self._timer.stop()
            self._going = False
            self._say(self._behind.take() or self._behind.refusal)
        elif self._cancelled:
            self._say(tr("Cancelling …"))
        elif self._clock() - self._started_s > _PATIENCE_S:
            self._say(f"{self._doing} …", self._actions)
