"""Waiting for other threads and processes in tests: until a condition holds, never for a fixed time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

PATIENCE_S = 60.0
"""No condition of a test takes a second on a quiet machine."""

_PAUSE_S = 0.001


class TookTooLong(AssertionError):
    """A condition did not hold in time."""


def until(condition: Callable[[], object], step: Callable[[], object] = int, timeout_s: float = PATIENCE_S) -> None:
    """Call `step` repeatedly until the condition holds; fail if it does not hold in time."""
    deadline_s, pause = time.monotonic() + timeout_s, threading.Event()
    while not condition():
        if time.monotonic() > deadline_s:
            raise TookTooLong(f"the condition did not hold within {timeout_s:g} s")
        step()
        pause.wait(_PAUSE_S)


def block(time_s: float) -> None:
    """Block the calling thread without work: to be detected as blocked, or to set the pace of what a test sends."""
    threading.Event().wait(time_s)
