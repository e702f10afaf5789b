"""The single-slot background task."""

import threading

from rules.tabletop.errors import UserError
from tests.waiting import until
from ui.background_task import BackgroundTask, NewestAnswer


def test_one_task_at_a_time_with_one_result() -> None:
    behind: BackgroundTask[int] = BackgroundTask("test")
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


def test_an_error_is_kept_until_the_next_task() -> None:
    def refuse() -> int:
        raise UserError("too dark")

    behind: BackgroundTask[int] = BackgroundTask("test")
    behind.start(refuse)
    behind.join()
    assert (behind.take(), behind.refusal) == (None, "too dark")
    behind.start(lambda: 3)
    behind.join()
    assert (behind.take(), behind.refusal) == (3, "")


def test_a_dropped_task_is_not_awaited() -> None:
    behind: BackgroundTask[int] = BackgroundTask("test")
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
    until(lambda: done == [1])  # it still runs to its end
    assert behind.take() is None


def test_a_dropped_tasks_error_is_forgotten() -> None:
    def refuse() -> int:
        raise UserError("too dark")

    behind: BackgroundTask[int] = BackgroundTask("test")
    behind.start(refuse)
    behind.join()
    behind.drop()
    assert behind.refusal == ""


def test_the_newest_question_is_answered_and_those_between_are_left_out() -> None:
    newest: NewestAnswer[int] = NewestAnswer("test")
    gate, asked = threading.Event(), list[int]()

    def work(number: int) -> int:
        gate.wait(10)
        asked.append(number)
        return number

    for number in (1, 2, 3):
        assert not newest.ask(number, lambda number=number: work(number))  # type: ignore[misc]
    assert not newest.pull()
    gate.set()
    until(newest.pull)
    assert newest.answer == 1
    until(newest.pull)
    assert (newest.answer, asked) == (3, [1, 3])
    assert newest.ask(3, lambda: work(4))
    newest.join()
    assert asked == [1, 3], "nothing is computed again"
    newest.forget()
    assert newest.answer is None
    assert not newest.pull()


def test_a_refusal_leaves_no_answer() -> None:
    def refuse() -> int:
        raise UserError("too dark")

    newest: NewestAnswer[int] = NewestAnswer("test")
    newest.ask(1, refuse)
    until(newest.pull)
    assert (newest.answer, newest.refusal) == (None, "too dark")
    assert newest.ask(1, refuse), "the same question is not tried again"
