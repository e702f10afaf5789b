"""Exceptions that leave a slot: kept until the test can raise them. Time limits: the same way, never inside Qt.

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
"""A test that has not ended so long after its limit is interrupted wherever it stands, even if that crashes."""

_BEAT_MS = 50
_FRAMES = 12


class SlotErrors:
    """Keeps the exceptions of one test, oldest first."""

    def __init__(self) -> None:
        self._kept: list[BaseException] = []

    def __bool__(self) -> bool:
        return bool(self._kept)

    def keep(self, error: BaseException) -> None:
        """Keep an exception that cannot be raised where it occurred."""
        self._kept.append(error)

    def catch(self, _kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        """Keep an exception that nothing caught: for `sys.excepthook`."""
        # A traceback keeps the variables of its functions alive, among them painters and widgets.
        traceback.clear_frames(where)
        self.keep(error)

    def raise_first(self) -> None:
        """Raise the oldest exception, with the others as notes; nothing where there is none."""
        if not self._kept:
            return
        first, *others = self._kept
        self._kept.clear()
        for other in others:
            first.add_note(f"Later in the same test: {''.join(traceback.format_exception_only(other)).strip()}")
        raise first


ERRORS = SlotErrors()
"""Those of the test that runs now: the hook that fills it is one for the whole process, too."""


@contextmanager
def kept_errors() -> Iterator[SlotErrors]:
    """Keep what leaves a slot, and time limits, until the block ends; then raise what the test has not raised yet."""
    before = sys.excepthook
    sys.excepthook = ERRORS.catch
    beat = _Beat()
    try:
        with _gentle_limit(ERRORS.keep):
            yield ERRORS
    finally:
        beat.stop()
        sys.excepthook = before
    ERRORS.raise_first()


class _Beat(QObject):
    """Lets Python handle signals while Qt waits, and ends the dialogs that a failed test would wait for."""

    def __init__(self) -> None:
        super().__init__()
        self._timer = QTimer(self)
        self._timer.timeout.connect(_end_what_waits)
        self._timer.start(_BEAT_MS)

    def stop(self) -> None:
        self._timer.stop()
        self.deleteLater()


def _end_what_waits() -> None:
    """Close the dialog or menu in front: once something has failed, nothing will answer it."""
    if not ERRORS:
        return
    waiting: QWidget | None = QApplication.activePopupWidget() or QApplication.activeModalWidget()
    if isinstance(waiting, QDialog):
        waiting.reject()
    elif waiting is not None:
        waiting.close()


@contextmanager
def _gentle_limit(keep: Callable[[BaseException], None]) -> Iterator[None]:
    """Have the time limit that pytest-timeout has set kept instead of raised, and raised only as a last resort."""
    alarm = getattr(signal, "SIGALRM", None)  # there is none on Windows, where pytest-timeout ends the process
    limit = signal.getsignal(alarm) if alarm is not None else None
    if alarm is None or not callable(limit):
        yield
        return
    over: list[BaseException] = []

    def handle(number: int, frame: FrameType | None) -> None:
        if over:
            limit(number, frame)
            return
        try:
            limit(number, frame)
        except pytest.fail.Exception as late:
            late.add_note("The test stood here:\n" + "".join(traceback.format_stack(frame, _FRAMES)))
            over.append(late)
            keep(late)
            signal.setitimer(signal.ITIMER_REAL, LAST_CALL_S)

    signal.signal(alarm, handle)
    try:
        yield
    finally:
        if over:
            signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(alarm, limit)
