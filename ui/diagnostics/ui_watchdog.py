"""Watches the window's thread from another thread, and reports when it does not respond and what it was doing."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

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
