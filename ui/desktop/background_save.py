"""Files that take a while to write: written behind the window, which tells when it is done and lets it be cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PyQt6.QtCore import QObject, QTimer

from ui.background_task import Behind
from ui.desktop.bar import Ways
from ui.desktop.translation import tr
from ui.files import write_bytes

_TICK_MS = 40
_PATIENCE_S = 0.5
"""What is done sooner is told only once it is done."""


class Say(Protocol):
    """Tells the player a sentence, with buttons or without."""

    def __call__(self, words: str, ways: Ways = ()) -> None: ...  # noqa: D102


class BackgroundSave(QObject):
    """Does one errand at a time."""

    def __init__(self, parent: QObject, say: Say, clock: Callable[[], float] = time.monotonic) -> None:
        """`say` tells the player what becomes of it."""
        super().__init__(parent)
        self._say, self._clock = say, clock
        self._behind: Behind[str] = Behind("sandtable errand")
        self._going = self._cancelled = False
        self._doing, self._since_s = "", 0.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._pull)

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody waits for it any more: what takes long may ask now and then, and stop."""
        return self._cancelled

    def send(self, doing: str, make: Callable[[], bytes], path: Path, done: str) -> None:
        """Write a file.

        Args:
            doing: What goes on, as "Saving table.png".
            make: Works out what is to be written; in a thread.
            path: Where to; nothing is written there once it is cancelled.
            done: What to say then.
        """
        if self._going:
            self._say(tr("{doing} is not done yet: wait a moment, or cancel it.", doing=self._doing), self._ways)
            return

        def work() -> str:
            data = make()
            if self._cancelled:
                return tr("Cancelled: nothing was written.")
            write_bytes(path, data)
            return done

        self._doing, self._since_s, self._cancelled = doing, self._clock(), False
        self._going = self._behind.start(work)
        self._timer.start(_TICK_MS)

    def cancel(self) -> None:
        """Do not write it, unless it is being written already."""
        self._cancelled = True

    def close(self) -> None:
        """Wait until it is written."""
        self._timer.stop()
        self._behind.join()

    @property
    def _ways(self) -> Ways:
        return ((tr("Cancel"), self.cancel),)

    def _pull(self) -> None:
        if not self._behind.busy:
            self._timer.stop()
            self._going = False
            self._say(self._behind.take() or self._behind.refusal)
        elif self._cancelled:
            self._say(tr("Cancelling …"))
        elif self._clock() - self._since_s > _PATIENCE_S:
            self._say(f"{self._doing} …", self._ways)
