"""A single-slot background task: start slow work in a thread, and take its result later without blocking."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from rules.battle.progress import Cancelled
from rules.tabletop.errors import UserError

T = TypeVar("T")


class BackgroundTask(Generic[T]):
    """Runs one function at a time in a thread, which may report its progress and be cancelled by `step`.

    Attributes:
        percent: How much of the work is done.
        is_cancelled: Whether the work is to stop.
    """

    def __init__(self, name: str, cancelled: str = "") -> None:
        """`name` becomes the thread's name, for debugging; `cancelled` is the refusal of cancelled work."""
        self._name, self._cancelled, self._thread = name, cancelled, threading.Thread()
        self.percent, self.is_cancelled = 0, False
        self._task: _Task[T] | None = None

    @property
    def busy(self) -> bool:
        """Whether the work is still running."""
        return self._thread.is_alive()

    @property
    def refusal(self) -> str:
        """The message of the UserError that ended the last work; empty if there was none."""
        return self._task.refusal if self._task is not None else ""

    def start(self, work: Callable[[], T]) -> bool:
        """Start the work and return True, or return False if other work is running; drops a result not yet taken."""
        if self.busy:
            return False
        self._task = _Task(work)
        self.percent, self.is_cancelled = 0, False
        # Not a daemon: a thread that is cut off inside a library may crash the program at exit.
        self._thread = threading.Thread(target=self._task.run, name=self._name, daemon=False)
        self._thread.start()
        return True

    def step(self, done: int, of: int) -> None:
        """Report progress, as a `Step` of the work. Raises `Cancelled` after `cancel`."""
        self.percent = 100 * done // max(of, 1)
        if self.is_cancelled:
            raise Cancelled(self._cancelled)

    def cancel(self) -> None:
        """Let the work stop at its next step."""
        self.is_cancelled = True

    def take(self) -> T | None:
        """The result, once; None before the work is done, or if it failed."""
        if self.busy or self._task is None:
            return None
        result, self._task.result = self._task.result, None
        return result

    def drop(self) -> None:
        """Abandon the work: it runs to its end, but its result is lost."""
        self._task, self._thread = None, threading.Thread()

    def join(self, timeout_s: float | None = None) -> None:
        """Wait until the work is done, at most `timeout_s` seconds."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)


class _Task(Generic[T]):
    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self.result: T | None = None
        self.refusal = ""

    def run(self) -> None:
        try:
            self.result = self._work()
        except UserError as error:
            self.refusal = str(error)


class NewestAnswer(Generic[T]):
    """Answers the newest question in a thread; questions that come while it works replace each other."""

    def __init__(self, name: str) -> None:
        """`name` becomes the thread's name, for debugging."""
        self._task: BackgroundTask[T] = BackgroundTask(name)
        self._wanted: tuple[object, Callable[[], T]] | None = None
        self._working_on: object = None
        self._answered: object = None
        self.answer: T | None = None

    @property
    def refusal(self) -> str:
        """The message of the UserError that the newest work ended with; empty if there was none."""
        return self._task.refusal

    def ask(self, question: object, work: Callable[[], T]) -> bool:
        """Let `work` answer a question, and return whether `answer` already does."""
        self._wanted = (question, work)
        self._go_on()
        return question == self._answered

    def pull(self) -> bool:
        """Take a new answer and go on with the newest question; return whether there is a new answer."""
        if self._working_on is None or self._task.busy:
            return False
        self.answer, self._answered, self._working_on = self._task.take(), self._working_on, None
        self._go_on()
        return True

    def forget(self) -> None:
        """Drop the question and its answer."""
        self._wanted = self._answered = self.answer = None

    def join(self) -> None:
        """Wait until the work is done."""
        self._task.join()

    def _go_on(self) -> None:
        if self._wanted is None or self._working_on is not None or self._wanted[0] == self._answered:
            return
        question, work = self._wanted
        if self._task.start(work):
            self._working_on = question
