"""What a bug report needs: the last events, in memory and in a log file, the last crash, and the report as text."""

from __future__ import annotations

import faulthandler
import logging
import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path
from queue import SimpleQueue

from platformdirs import user_log_path

from ui.about import about_words, libraries
from ui.diagnostics.ui_watchdog import Stall

# Folder names may contain spaces, so everything up to a path's last slash is removed, even if that is a word too many.
_FOLDERS = re.compile(r"""(?:~|\b[A-Za-z]:|(?<![\w.]))[/\\](?:.*[/\\])?|[^\s"'(]*[/\\]""")


def bug_report(examined: str, event_log: EventLog, home: Path | None = None) -> str:
    """The report with the findings of `sandtable doctor`, without the name of the home folder."""
    home = Path.home() if home is None else home
    version = about_words().partition("\n")[0]
    parts: dict[str, Sequence[str]] = {
        version: [f"{library.name} {library.version}" for library in libraries()],
        "This computer": examined.splitlines(),
        "Times when the window did not respond": event_log.stalls,
        "Last messages": [line for message in event_log.messages for line in message.splitlines()],
    }
    sections = ((title, [without_folders(line, home) for line in lines]) for title, lines in parts.items())
    return "\n\n".join("\n".join((title, *(lines or ["none"]))) for title, lines in sections)


def without_folders(line: str, home: Path) -> str:
    """The line with all folders removed from its paths, including the player's home folder."""
    return _FOLDERS.sub("", line.replace(str(home), "~") if len(home.parts) > 1 else line)


LARGEST_BYTES = 200_000
"""Size of a log file; there are two, and the older one is overwritten."""

_LAST = 20


def log_file() -> Path:
    """This user's log file; neither it nor its folder need exist yet."""
    return user_log_path("sandtable", appauthor=False) / "sandtable.log"


class EventLog:
    """Records the last events; safe for use from any thread.

    Attributes:
        log: The log file; None if there is none or it cannot be written.
        examined: Returns the findings of `sandtable doctor`, which takes time.
    """

    def __init__(
        self, log: Path | None = None, clock: Callable[[], float] = time.time, examined: Callable[[], str] = lambda: ""
    ) -> None:
        """Record in memory and, if `log` is given, in that file; a full or read-only disk is ignored."""
        self.log, self._clock, self.examined = log, clock, examined
        self._stalls: deque[str] = deque(maxlen=_LAST)
        self._messages: deque[str] = deque(maxlen=_LAST)
        self._last_message = ""
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
    def messages(self) -> tuple[str, ...]:
        """The last messages and errors, each with its time."""
        return tuple(self._messages)

    def stalled(self, stall: Stall) -> None:
        """Record a stall of the window."""
        self._stalls.append(self._dated(stall.words))
        self._logger.warning("stalled %s", stall.words)

    def said(self, words: str) -> None:
        """Record a message to the players, unless it is still the same."""
        if words and words != self._last_message:
            self._messages.append(self._dated(words))
            self._logger.info("said %s", words)
        self._last_message = words

    def failed(self, report: str) -> None:
        """Record an unexpected error."""
        self._messages.append(self._dated(report))
        self._logger.error("failed %s", report)

    def close(self) -> None:
        """Write everything that is not yet written, and close the file."""
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
        # Disks can be slow, so the window's thread only fills a queue.
        queue: SimpleQueue[logging.LogRecord] = SimpleQueue()
        self._logger.addHandler(QueueHandler(queue))
        self._writer = QueueListener(queue, file)
        self._writer.start()
        return True


class _File(RotatingFileHandler):
    """A log file that ignores errors, so that they do not disturb a game."""

    def handleError(self, record: logging.LogRecord) -> None:  # logging's name
        """Ignore the error."""

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):  # the disk may be full
            super().close()


_MAX_CHARACTERS = 8000
"""The limit for a bug report; one crash takes a quarter of it."""


def crash_file(log: Path) -> Path:
    """The file for crashes beside the log."""
    return log.with_name(f"{log.stem}-crash.log")


def last_crash(file: Path) -> str:
    """What the previous run wrote when it crashed; empty if it did not, or the file cannot be read."""
    try:
        return file.read_text("utf-8", errors="replace")[-_MAX_CHARACTERS:].strip()
    except OSError:
        return ""


@contextmanager
def crashes_kept(file: Path) -> Iterator[None]:
    """Write the threads' stacks to the file if a signal kills the program before the block ends.

    Without a crash the file stays empty. A fault handler that is already on, as with `python -X faulthandler`, is kept.
    Errors of the disk are ignored.
    """
    if faulthandler.is_enabled():
        yield
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        stream = file.open("w", encoding="utf-8")
    except OSError:
        yield
        return
    with stream:
        faulthandler.enable(stream)
        try:
            yield
        finally:
            faulthandler.disable()
