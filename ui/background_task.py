"""One slow thing at a time, in a thread, for a window that must not wait: start it, and take what came of it later."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from rules.tabletop.errors import UserError

T = TypeVar("T")


class Behind(Generic[T]):
    """Does one thing in a thread."""

    def __init__(self, name: str) -> None:
        """`name` it to whoever debugs."""
        self._name, self._thread = name, threading.Thread()
        self._task: _Task[T] | None = None

    @property
    def busy(self) -> bool:
        """Whether it is at work."""
        return self._thread.is_alive()

    @property
    def refusal(self) -> str:
        """Why the last thing could not be done; empty where it could."""
        return self._task.refusal if self._task is not None else ""

    def start(self, work: Callable[[], T]) -> bool:
        """Begin; whether it did: it does one thing at a time, and what was not taken is lost."""
        if self.busy:
            return False
        self._task = _Task(work)
        # No daemon: one that is cut off inside a library may take the program's ending down with it.
        self._thread = threading.Thread(target=self._task.do, name=self._name, daemon=False)
        self._thread.start()
        return True

    def take(self) -> T | None:
        """What came of it, once; None before it is done, or where it was refused."""
        if self.busy or self._task is None:
            return None
        result, self._task.result = self._task.result, None
        return result

    def drop(self) -> None:
        """Forget what is under way: nobody waits for it, and what comes of it is lost."""
        self._task, self._thread = None, threading.Thread()

    def join(self, most_s: float | None = None) -> None:
        """Wait until it is done, or for so many seconds at most."""
        if self._thread.ident is not None:
            self._thread.join(most_s)


class _Task(Generic[T]):
    """One thing, and what came of it."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self.result: T | None = None
        self.refusal = ""

    def do(self) -> None:
        try:
            self.result = self._work()
        except UserError as refusal:
            self.refusal = str(refusal)
