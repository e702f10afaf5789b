"""One slow thing at a time, in a thread."""

import threading

from rules.table import Refused
from ui.behind import Behind


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
        raise Refused("too dark")

    behind: Behind[int] = Behind("test")
    behind.start(refuse)
    behind.join()
    assert (behind.take(), behind.refusal) == (None, "too dark")
    behind.start(lambda: 3)
    behind.join()
    assert (behind.take(), behind.refusal) == (3, "")
