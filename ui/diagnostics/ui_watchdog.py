"""Watches the thread of the window from another one: a time in which it answers nobody is told, and where it stood."""

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
"""A hand notices what takes longer."""

BEAT_S = 0.02
"""The watched thread is to beat so often."""

_DEEPEST = 12
_LOOKS = 8  # to a limit: so often is looked where the thread stands

Where = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stall:
    """A time in which the watched thread answered nobody.

    Attributes:
        lasted_s: How long.
        busy_s: What the thread itself worked in it; the rest it waited, for a lock, a disk or a processor.
        where: Where it stood most often, outermost first, as "paper.py:41 write_pdf"; empty if nobody looked in time.
    """

    lasted_s: float
    busy_s: float
    where: Where = ()

    @property
    def words(self) -> str:
        """In one line."""
        return f"{1000 * self.lasted_s:.0f} ms ({1000 * self.busy_s:.0f} at work): {' > '.join(self.where) or 'unseen'}"


class StallWatch:
    """Watches the thread that beats.

    Attributes:
        limit_s: What lasts longer is a stall.
    """

    def __init__(
        self,
        told: Callable[[Stall], object],
        limit_s: float = LIMIT_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`told` is called with each stall once it is over, in the watcher's own thread."""
        self.limit_s = limit_s
        self._told, self._clock = told, clock
        self._watched = 0
        self._beat: tuple[float, float] | None = None
        self._over: deque[tuple[float, float]] = deque()
        self._seen: Counter[Where] = Counter()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="sandtable stall watch", daemon=True)

    def beat(self) -> None:
        """Show that the loop turns; the thread that calls is the one that is watched."""
        before, now = self._beat, (self._clock(), time.thread_time())
        self._watched, self._beat = threading.get_ident(), now
        if before is not None and now[0] - before[0] > self.limit_s:
            self._over.append((now[0] - before[0], now[1] - before[1]))

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Watch no more; what has stalled by then is told."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()
        self.look()

    def look(self) -> None:
        """Look once; the watcher does it all the time."""
        beat = self._beat
        if self._over:
            self._tell()
        elif beat is not None and self._clock() - beat[0] > self.limit_s / 2:
            if where := _where(sys._current_frames().get(self._watched)):
                self._seen[where] += 1
        else:
            self._seen.clear()

    def _tell(self) -> None:
        where = self._seen.most_common(1)[0][0] if self._seen else ()
        self._seen.clear()
        while self._over:
            self._told(Stall(*self._over.popleft(), where))
            where = ()

    def _watch(self) -> None:
        while not self._stop.wait(self.limit_s / _LOOKS):
            self.look()


def _where(frame: FrameType | None) -> Where:
    """Files' own names only: where they lie is nobody's business."""
    places: list[str] = []
    while frame is not None and len(places) < _DEEPEST:
        places.append(f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {frame.f_code.co_name}")
        frame = frame.f_back
    return tuple(reversed(places))
