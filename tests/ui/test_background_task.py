"""One slow thing at a time, in a thread."""

import threading

from rules.table import UserError
from tests.waiting import until
from ui.background_task import Behind


def test_one_thing_at_a_time_taken_once() -> None:
    behind: Behind[int] = Behind("test")
    gate = threading.Event()
    assert behind.take() is None
    assert behind.start(lambda: gate.wait(10) and 7)
    assert behind.busy
    assert not behind.start(lambda: 8)
    assert behind.take() is None
    gate.set()
    behind.join()
    assert behind.take() == 7
    assert behind.take() is None


def test_a_refusal_is_kept_until_the_next() -> None:
    def refuse() -> int:
        raise UserError("too dark")

    behind: Behind[int] = Behind("test")
    behind.start(refuse)
    behind.join()
    assert (behind.take(), behind.refusal) == (None, "too dark")
    behind.start(lambda: 3)
    behind.join()
    assert (behind.take(), behind.refusal) == (3, "")


def test_what_is_dropped_is_waited_for_by_nobody_and_never_taken() -> None:
    behind: Behind[int] = Behind("test")
    gate = threading.Event()
    done: list[int] = []
    behind.start(lambda: gate.wait(10) and (done.append(1), 7)[1])  # type: ignore[func-returns-value]
    behind.drop()
    assert not behind.busy
    assert behind.start(lambda: 8)
    behind.join()
    gate.set()
    assert behind.take() == 8
    behind.drop()
    assert behind.take() is None
    until(lambda: done == [1])  # it goes on to its end all the same
    assert behind.take() is None


def test_a_dropped_refusal_is_not_told() -> None:
    def refuse() -> int:
        raise UserError("too dark")

    behind: Behind[int] = Behind("test")
    behind.start(refuse)
    behind.join()
    behind.drop()
    assert behind.refusal == ""
