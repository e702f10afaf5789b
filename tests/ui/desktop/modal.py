"""Answers modal dialogs of a window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication, QDialog

from tests.ui.slot_errors import ERRORS
from tests.ui.windows import let_qt_work

D = TypeVar("D", bound=QDialog)


@contextmanager
def answered(kind: type[D], answer: Callable[[D], object]) -> Iterator[None]:
    """Answer the dialog of this kind that the block must open; errors in the answer are raised at the block's end."""
    met: list[D] = []

    def find() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, kind):
            QTimer.singleShot(10, find) if not met else None
            return
        met.append(dialog)
        answer(dialog)
        if dialog.isVisible():
            dialog.reject()

    QTimer.singleShot(0, find)
    yield
    try:
        let_qt_work(lambda: met)  # a button pressed by its key is clicked a moment later
    finally:
        met.append(None)  # type: ignore[arg-type]  # no longer needed
    ERRORS.raise_first()
