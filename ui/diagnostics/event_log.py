"""What happened in the program lately: kept in memory for a bug report, and in a log that stays small."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path
from queue import SimpleQueue

from platformdirs import user_log_path

from ui.diagnostics.ui_watchdog import Stall

LARGEST_BYTES = 200_000
"""Of one file; there are two, the older one is overwritten."""

_LAST = 20


def log_file() -> Path:
    """Where this user's log is kept; neither file nor folder need exist yet."""
    return user_log_path("sandtable", appauthor=False) / "sandtable.log"


class Diary:
    """Keeps the last things that happened; from any thread.

    Attributes:
        log: The file; None where none is kept, or none can be.
        examined: Has the doctor look at the machine, and tells what he found; takes its time.
    """

    def __init__(
        self,
        log: Path | None = None,
        clock: Callable[[], float] = time.time,
        examined: Callable[[], str] = lambda: "",
    ) -> None:
        """Keep a diary, in a file too if one is named; a disk that is full or read-only stops nobody."""
        self.log, self._clock, self.examined = log, clock, examined
        self._stalls: deque[str] = deque(maxlen=_LAST)
        self._told: deque[str] = deque(maxlen=_LAST)
        self._last_words = ""
        self._logger = logging.Logger("sandtable")
        self._logger.addHandler(logging.NullHandler())
        self._writer: QueueListener | None = None
        if log is not None and not self._open(log):
            self.log = None

    @property
    def stalls(self) -> tuple[str, ...]:
        """The last stalls, each with its time."""
        return tuple(self._stalls)

    @property
    def told(self) -> tuple[str, ...]:
        """What the players were last told, and what went wrong, each with its time."""
        return tuple(self._told)

    def stalled(self, stall: Stall) -> None:
        """The window has stalled."""
        self._stalls.append(self._dated(stall.words))
        self._logger.warning("stalled %s", stall.words)

    def said(self, words: str) -> None:
        """The players are told this now; what still stands there is not told again."""
        if words and words != self._last_words:
            self._told.append(self._dated(words))
            self._logger.info("said %s", words)
        self._last_words = words

    def failed(self, report: str) -> None:
        """Something went wrong that should not have."""
        self._told.append(self._dated(report))
        self._logger.error("failed %s", report)

    def close(self) -> None:
        """Write down what is not yet written."""
        if self._writer is not None:
            self._writer.stop()
            for handler in self._writer.handlers:
                handler.close()
            self._writer = None

    def _dated(self, words: str) -> str:
        return f"{time.strftime('%H:%M:%S', time.localtime(self._clock()))}  {words}"

    def _open(self, log: Path) -> bool:
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            file = _File(log, maxBytes=LARGEST_BYTES, backupCount=1, encoding="utf-8")
        except OSError:
            return False
        file.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        # A disk may take its time, so the window's thread only puts into a queue.
        queue: SimpleQueue[logging.LogRecord] = SimpleQueue()
        self._logger.addHandler(QueueHandler(queue))
        self._writer = QueueListener(queue, file)
        self._writer.start()
        return True


class _File(RotatingFileHandler):
    """A log that cannot be written is no reason to disturb a game."""

    def handleError(self, record: logging.LogRecord) -> None:
        """Nothing."""

    def close(self) -> None:
        """Let go of the file."""
        with suppress(OSError):  # what was held back for a full disk
            super().close()
