"""Details for bug reports: the last events, the last crash, and when the window did not respond. No Qt here."""

from __future__ import annotations

import faulthandler
import logging
import re
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import metadata
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path
from queue import SimpleQueue
from types import FrameType

from platformdirs import user_log_path

from ui.translation import tr

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


LIMIT_S = 0.1
"""Players notice longer delays."""

BEAT_S = 0.02
"""Time between two beats of the watched thread."""

_MAX_DEPTH = 12
_SAMPLES = 8  # of the stack within the limit

Where = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stall:
    """A time in which the watched thread did not respond.

    Attributes:
        lasted_s: Its duration.
        busy_s: CPU time of the thread; for the rest it waited for a lock, a disk or a processor.
        where: Its most frequent stack, outermost first, such as "paper.py:41 write_pdf"; empty if not sampled in time.
    """

    lasted_s: float
    busy_s: float
    where: Where = ()

    @property
    def words(self) -> str:
        """The stall in one line."""
        where = " > ".join(self.where) or "place unknown"
        return f"{1000 * self.lasted_s:.0f} ms ({1000 * self.busy_s:.0f} busy): {where}"


class StallWatchdog:
    """Watches the thread that calls `beat`.

    Attributes:
        limit_s: A longer time without a beat is a stall.
    """

    def __init__(
        self, report: Callable[[Stall], object], limit_s: float = LIMIT_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`report` is called with each stall once it is over, in the watching thread."""
        self.limit_s = limit_s
        self._report, self._clock = report, clock
        self._watched = 0
        self._beat: tuple[float, float] | None = None
        self._ended: deque[tuple[float, float]] = deque()
        self._samples: Counter[Where] = Counter()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="sandtable stall watch", daemon=True)

    def beat(self) -> None:
        """Show that the loop is running; the calling thread is the watched one."""
        before, now = self._beat, (self._clock(), time.thread_time())
        self._watched, self._beat = threading.get_ident(), now
        if before is not None and now[0] - before[0] > self.limit_s:
            self._ended.append((now[0] - before[0], now[1] - before[1]))

    def start(self) -> None:
        """Start watching."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching, and report the stalls so far."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()
        self.sample()

    def sample(self) -> None:
        """Sample the watched thread once; the watching thread calls this repeatedly."""
        beat = self._beat
        if self._ended:
            self._report_all()
        elif beat is not None and self._clock() - beat[0] > self.limit_s / 2:
            if where := _where(sys._current_frames().get(self._watched)):
                self._samples[where] += 1
        else:
            self._samples.clear()

    def _report_all(self) -> None:
        where = self._samples.most_common(1)[0][0] if self._samples else ()
        self._samples.clear()
        while self._ended:
            self._report(Stall(*self._ended.popleft(), where))
            where = ()

    def _watch(self) -> None:
        while not self._stop.wait(self.limit_s / _SAMPLES):
            self.sample()


def _where(frame: FrameType | None) -> Where:
    """The stack, with file names but no folders, which are private."""
    places: list[str] = []
    while frame is not None and len(places) < _MAX_DEPTH:
        places.append(f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {frame.f_code.co_name}")
        frame = frame.f_back
    return tuple(reversed(places))


LIBRARIES = (
    "PyQt6",
    "PyQt6-Qt6",
    "PyQt6-sip",
    "opencv-python",
    "numpy",
    "scipy",
    "shapely",
    "pyserial",
    "platformdirs",
    "bleak",
)
"""Names in the package index; the last is optional."""

_CLASSIFIER = "License :: OSI Approved :: "
_MAX_NAME = 60  # characters; some packages put the whole licence where its name belongs


@dataclass(frozen=True, slots=True)
class Library:
    """A library's name, version, name of its licence and home page."""

    name: str
    version: str
    licence: str
    home: str


TYPEFACE = Library("Inter", "4.0 beta 7", "OFL-1.1", "https://rsms.me/inter/")
"""The typeface of the window, which comes with the program."""


def program_version() -> str:
    """The installed version, such as "0.1.0"."""
    try:
        return metadata.version("sandtable")
    except metadata.PackageNotFoundError:  # run from an unpacked folder
        return tr("(not installed)")


def about_words() -> str:
    """What the program is, its version and its licence, in paragraphs."""
    purpose = tr(
        "Sandtable measures a table of plastic soldiers through a webcam. It reads the scale from a printed marker,"
        " shows how accurate every length is, and plays five published games by their rules."
    )
    terms = tr(
        "Free software under the GNU General Public License, version 3 or later, without any warranty. The games belong"
        " to their authors, who are named when a battle begins."
    )
    return f"Sandtable {program_version()}\n\n{purpose}\n\n{terms}"


def libraries(read: Callable[[str], metadata.PackageMetadata] = metadata.metadata) -> tuple[Library, ...]:
    """The libraries that are installed, from their own metadata."""
    found = []
    for name in LIBRARIES:
        try:
            about = read(name)
        except metadata.PackageNotFoundError:
            continue
        found.append(Library(name, about["Version"], _licence(about), _home(about)))
    return tuple(found)


def _licence(about: metadata.PackageMetadata) -> str:
    if expression := _field(about, "License-Expression"):
        return expression
    classes = [words.removeprefix(_CLASSIFIER) for words in about.get_all("Classifier") or () if _CLASSIFIER in words]
    name = _field(about, "License").strip()
    return name if name and len(name) < _MAX_NAME and "\n" not in name else ", ".join(classes) or "unknown"


def _home(about: metadata.PackageMetadata) -> str:
    if home := _field(about, "Home-page"):
        return home
    links = [link.split(", ", 1) for link in about.get_all("Project-URL") or ()]
    named = {name.lower(): link for name, link in links}
    return next((named[name] for name in ("homepage", "repository", "source") if name in named), "")


def _field(about: metadata.PackageMetadata, name: str) -> str:
    return next(iter(about.get_all(name) or ()), "")
