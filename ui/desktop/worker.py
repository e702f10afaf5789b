"""The two threads behind the window: one reads the source, one analyses the newest picture; the window pulls.

There are no queues: each slot holds the newest value, and a slow reader misses those in between.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from rules.tabletop.errors import UserError
from ui.playback import Playback, playback_of
from ui.session import Session
from vision.frame import Frame
from vision.setup import Setup
from vision.source import Source
from vision.table_view import TableView

_BLINK_S = 0.05
"""How long an idle thread sleeps before it checks whether to end."""

_RUNS_AFTER_CHANGE = 2
"""How often a picture that may be the last is analysed after a change of setup: the tracker must see it twice."""

_RUNS_AT_REST = 4
"""How often a picture is analysed while a recording is paused: the tracker drops a soldier missing in three."""

_MIN_STEP_S = 0.03
"""Time between two pictures of a camera or a film; more pictures would only load the processor."""
_NEARLY = 0.8  # threads wake up a little late


class Worker:
    """Reads a source and analyses its pictures until stopped.

    The window reads `frame`, `view`, `source_problem`, `view_problem` and `ended`; each is replaced as a whole by the
    thread that owns it.

    Attributes:
        frame: The newest picture; None before the first.
        view: What the newest processed picture shows.
        source_problem: Why no pictures arrive, as a sentence; None while they do.
        view_problem: Why the newest picture could not be processed.
        ended: Whether the source has delivered its last picture.
        playback: The controls of a film or folder, once it is open; None for other sources.
        held: While set, no newer picture is taken; the current one may be processed again.
        diverted_to: While set, it gets each new picture, in the reading thread, instead of the window.
    """

    def __init__(
        self,
        session: Session,
        open_source: Callable[[], Source],
        retry_s: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare the threads; `start` starts them, and the reading thread opens the source.

        It is opened again `retry_s` after a failure, never if None. By `clock`, recorded sources play no faster than
        their own time.
        """
        self.frame: Frame | None = None
        self.view: TableView | None = None
        self.source_problem: str | None = None
        self.view_problem: str | None = None
        self.ended = False
        self.playback: Playback | None = None
        self.held = False
        self.diverted_to: Callable[[Frame], None] | None = None
        self._session, self._open, self._retry_s, self._clock = session, open_source, retry_s, clock
        self._started = False
        self._last_frame_s = 0.0
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._taken = threading.Event()
        self._threads = (
            threading.Thread(target=self._read, name="sandtable source", daemon=True),
            threading.Thread(target=self._analyse, name="sandtable vision", daemon=True),
        )

    @property
    def broken(self) -> bool:
        """Whether a thread ended with an unexpected error."""
        source, vision = self._threads
        done = self._stop.is_set() or self.ended or (self.source_problem is not None and self._retry_s is None)
        return self._started and not self._stop.is_set() and not (vision.is_alive() and (source.is_alive() or done))

    @property
    def paused(self) -> bool:
        """Whether a recording shows one frame until the player goes on."""
        return self.playback is not None and not self.playback.playing

    def start(self) -> None:
        self._started = True
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Ask both threads to end; they may take as long as one picture takes."""
        self._stop.set()
        self._wake.set()

    def join(self, timeout_s: float = 12.0) -> bool:
        """Wait for both threads; return whether they ended. An unplugged camera may block a read for ten seconds."""
        until = time.monotonic() + timeout_s
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _read(self) -> None:
        while not self._stop.is_set():
            try:
                self._read_one_source()
                return
            except UserError as refusal:
                self.source_problem = str(refusal)
            if self._retry_s is None:
                return
            self._stop.wait(self._retry_s)

    def _read_one_source(self) -> None:
        source = self._open()
        try:
            self.playback = playback_of(source)
            if self.playback is not None:
                self._follow(self.playback)
            else:
                self._read_in_order(source)
                self.ended = True
        finally:
            source.close()

    def _read_in_order(self, source: Source) -> None:
        # A camera that was plugged in again counts from 0; its pictures come after the earlier ones.
        before_s = 0.0 if self.frame is None else self.frame.time_s + self._clock() - self._last_frame_s
        start_s: float | None = None
        while not self._stop.is_set():
            if self.held and not source.live:
                self._stop.wait(_BLINK_S)
                start_s = None
                continue
            asked_s = self._clock()
            frame = source.read()
            if frame is None:
                return
            if source.live:
                self._stop.wait(max(0.0, asked_s + _MIN_STEP_S - self._clock()))
            else:
                start_s = self._wait_for_turn(frame, start_s)
            if before_s:
                frame = replace(frame, time_s=before_s + frame.time_s)
            if (diverted_to := self.diverted_to) is not None:
                diverted_to(frame)
            elif not self.held:
                self._show(frame)

    def _follow(self, playback: Playback) -> None:
        """Show the frames of a recording that the player asks for, until stopped."""
        left_out: Frame | None = None
        while not self._stop.is_set():
            if self.held or not playback.has_work:
                if left_out is not None and not self.held:
                    self._show(left_out)
                    left_out = None
                playback.rest()
                playback.wait(_BLINK_S)
                continue
            is_asked = playback.is_asked
            frame = playback.next_frame()
            self.ended = playback.at_end
            if frame is None:
                continue
            if not (is_asked or self._is_due(frame, playback)):
                left_out = frame
                continue
            left_out = None
            self._show(frame)
            if playback.pictures:
                self._wait_until_taken(lambda: playback.is_asked)

    def _is_due(self, frame: Frame, playback: Playback) -> bool:
        """Wait until the next frame of a recording is due; False if it follows the shown one too soon."""
        due_s = self._clock() + playback.delay_s(frame, self._clock())
        while (left_s := due_s - self._clock()) > 0 and not (self._stop.is_set() or playback.is_asked):
            if playback.wait(min(left_s, _BLINK_S)) and not playback.playing:
                break
        return self._clock() - self._last_frame_s >= _NEARLY * _MIN_STEP_S or not playback.playing

    def _show(self, frame: Frame) -> None:
        self._last_frame_s = self._clock()
        self.frame, self.source_problem = frame, None
        self._wake.set()

    def _wait_for_turn(self, frame: Frame, start_s: float | None) -> float:
        """Sleep until the frame is due and the previous one was processed; return the clock time of frame time 0."""
        now_s = self._clock()
        start_s = now_s - frame.time_s if start_s is None else start_s
        self._stop.wait(max(0.0, start_s + frame.time_s - now_s))
        self._wait_until_taken()
        # If the analysis took longer than the frame lasts, the rest follows at its own pace instead of catching up.
        return max(start_s, self._clock() - frame.time_s)

    def _wait_until_taken(self, abandoned: Callable[[], bool] = lambda: False) -> None:
        while self.frame is not None and not (self._taken.is_set() or self._stop.is_set() or abandoned()):
            self._taken.wait(_BLINK_S)
        self._taken.clear()

    def _analyse(self) -> None:
        seen: tuple[Frame | None, Setup | None] = (None, None)
        runs = wanted = 0
        while not self._stop.is_set():
            frame, setup = self.frame, self._session.state.setup
            if seen[0] is not frame or seen[1] is not setup:
                runs, wanted = 0, 1 if seen[1] is setup else _RUNS_AFTER_CHANGE
                seen = (frame, setup)
            if frame is None or runs >= (_RUNS_AT_REST if self.paused else wanted):
                self._taken.set()
                self._wake.wait(_BLINK_S)
                self._wake.clear()
                continue
            runs += 1
            try:
                self.view, self.view_problem = self._session.process(frame), None
            except UserError as refusal:
                self.view_problem = str(refusal)
