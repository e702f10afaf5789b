"""Exceptions in slots and time limits are stored until the test can raise them, never inside Qt.

PyQt ends the process at an exception that leaves a slot or an event handler, unless `sys.excepthook` is replaced. A
time limit is such an exception, and it can come at any bytecode: between two steps of painting it leaves a painter
behind that crashes the process later. So a limit is only noted when it comes, and raised by the test's own next step.
"""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

import pytest
from PyQt6.QtCore import QObject, QTimer
from PyQt6.QtWidgets import QApplication, QDialog, QWidget

LAST_CALL_S = 60.0
"""A test that is still running this long after its limit is interrupted anywhere, even if that crashes."""

_BEAT_MS = 50
_FRAMES = 12
_HAS_ALARM = hasattr(signal, "SIGALRM")
"""False on Windows, where pytest-timeout ends the process."""

_Handler = Callable[[int, FrameType | None], object]


class SlotErrors:
    """The exceptions of one test, oldest first."""

    def __init__(self) -> None:
        self._kept: list[BaseException] = []

    def __bool__(self) -> bool:
        return bool(self._kept)

    def keep(self, error: BaseException) -> None:
        """Keep an exception that cannot be raised where it occurred."""
        self._kept.append(error)

    def catch(self, _kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        """Keep an uncaught exception, as `sys.excepthook`."""
        # A traceback keeps the variables of its functions alive, among them painters and widgets.
        traceback.clear_frames(where)
        self.keep(error)

    def raise_first(self) -> None:
        """Raise the oldest exception, if any, with the others as notes."""
        if not self._kept:
            return
        first, *others = self._kept
        self._kept.clear()
        for other in others:
            first.add_note(f"Later in the same test: {''.join(traceback.format_exception_only(other)).strip()}")
        raise first


ERRORS = SlotErrors()
"""The errors of the running test; global, because the exception hook is global, too."""


@contextmanager
def kept_errors() -> Iterator[SlotErrors]:
    """Keep slot errors and time limits until the block ends; then raise those that the test has not raised yet."""
    before = sys.excepthook
    sys.excepthook = ERRORS.catch
    beat = _Beat()
    LIMITS.begin()
    try:
        yield ERRORS
    finally:
        LIMITS.end()
        beat.stop()
        sys.excepthook = before
    ERRORS.raise_first()


class _Beat(QObject):
    """Lets Python handle signals while Qt waits, and closes dialogs that a failed test would wait for."""

    def __init__(self) -> None:
        super().__init__()
        self._timer = QTimer(self)
        self._timer.timeout.connect(_end_what_waits)
        self._timer.start(_BEAT_MS)

    def stop(self) -> None:
        self._timer.stop()
        self.deleteLater()


def _end_what_waits() -> None:
    """Close the dialog or menu in front, because nothing will answer it after a failure."""
    if not ERRORS:
        return
    waiting: QWidget | None = QApplication.activePopupWidget() or QApplication.activeModalWidget()
    if isinstance(waiting, QDialog):
        waiting.reject()
    elif waiting is not None:
        waiting.close()


class GentleLimits:
    """Keeps time limits that pytest-timeout would raise, and raises them directly only as a last resort."""

    def __init__(self, keep: Callable[[BaseException], None]) -> None:
        self._keep, self._active, self._is_over = keep, False, False
        self._raise: _Handler | None = None

    def begin(self) -> None:
        """Handle the present time limit and all later ones."""
        self._active, self._is_over = True, False
        self.take_over()

    def take_over(self) -> None:
        """Handle the limit that was just set, if there is one and handling has begun."""
        limit = signal.getsignal(signal.SIGALRM) if self._active and _HAS_ALARM else None
        if callable(limit) and limit != self._handle:
            self._raise = limit
            signal.signal(signal.SIGALRM, self._handle)

    def end(self) -> None:
        """Leave limits to pytest-timeout again; a kept one ends."""
        self._active = False
        if self._is_over:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if _HAS_ALARM and signal.getsignal(signal.SIGALRM) == self._handle:
            signal.signal(signal.SIGALRM, self._raise)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        assert self._raise is not None
        if self._is_over:
            self._raise(number, frame)
            return
        try:
            self._raise(number, frame)
        except pytest.fail.Exception as late:
            late.add_note("The test stood here:\n" + "".join(traceback.format_stack(frame, _FRAMES)))
            self._is_over = True
            self._keep(late)
            signal.setitimer(signal.ITIMER_REAL, LAST_CALL_S)


LIMITS = GentleLimits(ERRORS.keep)
"""The limits of the running test; global, because the process has only one alarm."""
