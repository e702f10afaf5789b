"""Stalls are reported once they are over, with the thread's stack."""

import threading
import time
from collections.abc import Callable

import pytest

from tests.waiting import block
from ui.diagnostics import LIMIT_S, Stall, StallWatchdog


def work_long(seconds: float) -> None:
    end_s = time.thread_time() + seconds
    while time.thread_time() < end_s:
        pass


@pytest.mark.parametrize("stand_still", [block, work_long])
def test_a_real_stall_is_reported_with_its_stack(stand_still: Callable[[float], None]) -> None:
    told: list[Stall] = []
    watch = StallWatchdog(told.append)
    watch.start()
    watch.beat()
    stand_still(3 * LIMIT_S)
    watch.beat()
    watch.stop()
    (stall,) = told
    assert stall.lasted_s >= 3 * LIMIT_S
    assert any(place.endswith(stand_still.__name__) for place in stall.where)
    assert not any("/" in place for place in stall.where)
    # A sleeping thread uses no CPU time; a working one uses all of it.
    assert stall.busy_s < LIMIT_S if stand_still is block else stall.busy_s >= 3 * LIMIT_S
    assert threading.active_count() == 1 or all(t.name != "sandtable stall watch" for t in threading.enumerate())


def test_stalls_are_measured_by_the_given_clock() -> None:
    now_s, told = [0.0], []  # type: ignore[var-annotated]
    watch = StallWatchdog(told.append, 0.1, lambda: now_s[0])

    def at(time_s: float, *, beats: bool) -> None:
        now_s[0] = time_s
        if beats:
            watch.beat()
        watch.sample()

    at(0.0, beats=True)
    at(0.10, beats=True)  # exactly the limit is not a stall
    assert told == []
    at(0.16, beats=False)
    at(0.25, beats=True)
    assert [stall.lasted_s for stall in told] == [pytest.approx(0.15)]
    assert told[0].where
    at(0.30, beats=True)
    at(0.45, beats=True)  # without a sample in between
    assert told[1].where == ()
    assert told[1].words.endswith("place unknown")


def test_nothing_is_reported_before_the_first_beat() -> None:
    told: list[Stall] = []
    now_s = iter((1.0, 2.0, 3.0))
    watch = StallWatchdog(told.append, 0.01, now_s.__next__)
    watch.sample()
    watch.sample()
    watch.stop()
    assert told == []


def test_a_stall_as_text() -> None:
    assert Stall(0.213, 0.1949, ("a.py:1 run", "b.py:2 slow")).words == "213 ms (195 busy): a.py:1 run > b.py:2 slow"
