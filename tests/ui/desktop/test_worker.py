"""The worker's threads, with scripted sources."""

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from rules.tabletop.errors import UserError
from tests.waiting import PATIENCE_S, until
from ui.desktop.worker import Worker
from vision.frame import Frame

IMAGE = np.zeros((4, 6, 3), np.uint8)


class Script:
    """A source that delivers its frames, each `step_s` after the last, then raises or ends."""

    name = "script"

    def __init__(self, frames: int, live: bool, then: Exception | None = None, step_s: float = 0.0) -> None:
        self.live, self._frames, self._then, self._step_s = live, frames, then, step_s
        self.opened_by, self.closed_by = threading.get_ident(), 0
        self.given = 0

    def read(self) -> Frame | None:
        if self.given == self._frames:
            if self._then is not None:
                raise self._then
            return None
        self.given += 1
        return Frame(IMAGE.copy(), self.given - 1, (self.given - 1) * self._step_s)

    def close(self) -> None:
        self.closed_by = threading.get_ident()


class Eyes:
    """A stand-in for a session that records the frames it gets, no faster than the test allows.

    Attributes:
        seen: Numbers of the frames.
        state: Has a setup, like a session's.
        looking: Set by the first frame.
        open: `look` does not return while this is cleared.
    """

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.state = type("State", (), {"setup": object()})()
        self.looking, self.open = threading.Event(), threading.Event()
        self.open.set()

    def process(self, frame: Frame) -> Frame:
        self.looking.set()
        assert self.open.wait(PATIENCE_S)
        if frame.index == 99:
            raise UserError("another size")
        self.seen.append(frame.index)
        return frame


@pytest.fixture
def work() -> Iterator[Callable[..., Worker]]:
    workers: list[Worker] = []

    def start(eyes: Eyes, opener: Callable[[], Script], retry_s: float | None = None) -> Worker:
        workers.append(Worker(eyes, opener, retry_s))  # type: ignore[arg-type]
        workers[-1].start()
        return workers[-1]

    yield start
    for worker in workers:
        worker.stop()
        assert worker.join(60.0)


def test_each_picture_of_a_folder_is_processed_in_order(work: Callable[..., Worker]) -> None:
    eyes = Eyes()
    eyes.open.clear()
    worker = work(eyes, lambda: Script(5, live=False))
    assert eyes.looking.wait(PATIENCE_S)
    eyes.open.set()
    until(lambda: worker.ended and eyes.seen[-1:] == [4])
    assert sorted(set(eyes.seen)) == [0, 1, 2, 3, 4]


def test_a_video_plays_at_its_own_pace(work: Callable[..., Worker]) -> None:
    started_s = time.monotonic()
    worker = work(Eyes(), lambda: Script(4, live=False, step_s=0.1))
    until(lambda: worker.frame is not None and worker.frame.index == 3)
    assert time.monotonic() - started_s >= 0.3


def test_slow_vision_skips_camera_pictures_but_sees_the_newest(work: Callable[..., Worker]) -> None:
    eyes = Eyes()
    eyes.open.clear()
    worker = work(eyes, lambda: Script(12, live=True))
    until(lambda: worker.ended)
    eyes.open.set()
    until(lambda: eyes.seen[-1:] == [11])
    assert len(set(eyes.seen)) < 12


def test_the_thread_that_opens_a_source_closes_it(work: Callable[..., Worker]) -> None:
    opened: list[Script] = []
    worker = work(Eyes(), lambda: opened.append(Script(3, live=True)) or opened[-1])
    until(lambda: worker.ended)
    worker.stop()
    assert worker.join(60)
    assert opened[0].closed_by == opened[0].opened_by != threading.get_ident()


def test_an_unplugged_camera_is_reopened(work: Callable[..., Worker]) -> None:
    opened: list[Script] = []
    plugged = threading.Event()

    def opener() -> Script:
        opened.append(Script(3, live=True, then=None if plugged.is_set() else UserError("camera 0 is gone")))
        return opened[-1]

    worker = work(Eyes(), opener, retry_s=0.02)
    until(lambda: worker.source_problem == "camera 0 is gone")
    assert worker.frame is not None, "the last picture stays"
    plugged.set()
    until(lambda: worker.source_problem is None and worker.ended)
    assert all(script.closed_by for script in opened)


def test_times_continue_after_a_camera_reconnects(work: Callable[..., Worker]) -> None:
    """Each time it counts from 0; the window never shows an older picture than the current one."""
    last_s = iter((3600.0, 60.0, 5.0))
    ready, workers, shown_s = threading.Event(), [], []

    def opener() -> Script:
        ready.wait(60)
        shown_s.extend(worker.frame.time_s for worker in workers if worker.frame)
        return Script(2, live=True, then=UserError("camera 0 is gone"), step_s=next(last_s, 0.0))

    workers.append(work(Eyes(), opener, retry_s=0.1))
    ready.set()
    until(lambda: len(shown_s) >= 3)
    assert shown_s[0] == 3600.0
    assert shown_s[1] > 3660.1, "with the pause of 0.1 s"
    assert shown_s[2] > 3665.2


def test_a_broken_file_is_not_reopened(work: Callable[..., Worker]) -> None:
    opened: list[Script] = []
    worker = work(Eyes(), lambda: opened.append(Script(0, live=False, then=UserError("no picture"))) or opened[-1])
    until(lambda: worker.source_problem)
    until(lambda: not any(thread.name == "sandtable source" for thread in threading.enumerate()))
    assert len(opened) == 1
    assert not worker.broken


def test_an_unprocessable_picture_stops_nothing(work: Callable[..., Worker]) -> None:
    worker = work(Eyes(), lambda: Script(101, live=False))
    until(lambda: worker.view is not None and worker.view.index == 100)  # type: ignore[attr-defined]
    assert worker.view_problem is None


def test_a_new_setup_is_applied_to_the_last_picture(work: Callable[..., Worker]) -> None:
    eyes = Eyes()
    worker = work(eyes, lambda: Script(1, live=False))
    until(lambda: worker.ended and eyes.seen)
    until(lambda: eyes.seen == [0, 0])
    eyes.state.setup = object()
    until(lambda: eyes.seen == [0] * 4)  # twice, so that the tracker believes it
    worker.stop()
    assert worker.join(PATIENCE_S)
    assert eyes.seen == [0] * 4


def test_a_held_worker_takes_no_newer_picture(work: Callable[..., Worker]) -> None:
    script = Script(10**6, live=True)
    worker = work(Eyes(), lambda: script)
    until(lambda: worker.frame)
    worker.held = True
    passed = script.given
    until(lambda: script.given > passed + 1)  # the one that was being read may still be taken
    held, passed = worker.frame, script.given
    until(lambda: script.given > passed + 1)
    assert worker.frame is held
    worker.held = False
    until(lambda: worker.frame is not held)


def test_an_unexpected_error_is_detected(work: Callable[..., Worker], monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr(threading, "excepthook", told.append)
    worker = work(Eyes(), lambda: Script(1, live=True, then=ZeroDivisionError("a fault")))
    until(lambda: worker.broken)
    assert len(told) == 1
