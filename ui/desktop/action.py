"""What the window can be told to do, one by one: in a menu, on the toolbar, by a key."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtWidgets import QWidget


def action_of(window: QWidget, text: str, key: str, tip: str, slot: Callable[[], object]) -> QAction:
    """An action that is reached from the whole window; its key, if it has one, stands in its tip."""
    action = _action(window, text, key, tip)
    action.triggered.connect(lambda: slot())
    return action


def switch_of(window: QWidget, text: str, key: str, tip: str) -> QAction:
    """The same that is on or off, and off to begin with."""
    action = _action(window, text, key, tip)
    action.setCheckable(True)
    return action


def _action(window: QWidget, text: str, key: str, tip: str) -> QAction:
    action = QAction(text, window)
    action.setShortcut(QKeySequence(key))
    action.setToolTip(f"{tip} ({key})" if key else tip)
    action.setStatusTip(tip)
    window.addAction(action)
    return action
