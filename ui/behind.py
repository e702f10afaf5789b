"""One slow thing at a time, in a thread, for a window that must not wait: start it, and take what came of it later."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from rules.table import Refused

T = TypeVar("T")


class Behind(Generic[T]):
    """Does one thing in a thread.

    Attributes:
        refusal: Why the last thing could not be done; empty where it could.
    """

    def __init__(self, name: str) -> None:
        """`name` it to whoever debugs."""
        self.refusal = ""
        self._name, self._thread = name, threading.Thread()
        self._result: T | None = None

    @property
    def busy(self) -> bool:
        """Whether it is at work."""
        return self._thread.is_alive()

    def start(self, work: Callable[[], T]) -> bool:
        """Begin; whether it did: it does one thing at a time, and what was not taken is lost."""
        if self.busy:
            return False
        self._result, self.refusal = None, ""
        self._thread = threading.Thread(target=self._do, args=(work,), name=self._name, daemon=True)
        self._thread.start()
        return True

    def take(self) -> T | None:
        """What came of it, once; None before it is done, or where it was refused."""
        if self.busy:
            return None
        result, self._result = self._result, None
        return result

    def join(self) -> None:
        """Wait until it is done."""
        if self._thread.ident is not None:
            self._thread.join()

    def _do(self, work: Callable[[], T]) -> None:
        try:
            self._result = work()
        except Refused as refusal:
            self.refusal = str(refusal)
