"""Creates actions that the whole window can reach, from a menu, the tool rail or a key."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtWidgets import QWidget

_NATIVE = QKeySequence.SequenceFormat.NativeText


def create_action(window: QWidget, text: str, key: str, tip: str, slot: Callable[[], object]) -> QAction:
    """Create a window-wide action; its tooltip names its key."""
    action = _action(window, text, key, tip)
    action.triggered.connect(lambda: slot())
    return action


def create_switch(window: QWidget, text: str, key: str, tip: str) -> QAction:
    """Create a window-wide action that is on or off, initially off."""
    action = _action(window, text, key, tip)
    action.setCheckable(True)
    return action


def create_key_action(window: QWidget, key: str, text: str, tip: str, slot: Callable[[], object]) -> QAction:
    """Create an action that only a key triggers, without a tooltip."""
    action = QAction(text, window)
    action.setStatusTip(tip)
    action.setShortcut(QKeySequence(key))
    action.triggered.connect(lambda: slot())
    window.addAction(action)
    return action


def _action(window: QWidget, text: str, key: str, tip: str) -> QAction:
    action = QAction(text, window)
    action.setShortcut(QKeySequence(key))
    # Qt names the keys in the player's language.
    action.setToolTip(f"{tip} ({action.shortcut().toString(_NATIVE)})" if key else tip)
    action.setStatusTip(tip)
    window.addAction(action)
    return action
