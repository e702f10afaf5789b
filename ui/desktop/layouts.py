"""Arranges widgets in rows and columns, and creates the buttons that many panels and dialogs have."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLayout,
    QPushButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

Part = QWidget | QLayout | None
"""A widget, a layout, or None for empty space that takes what is left."""

Margin = int | tuple[int, int, int, int] | None
"""Pixels on all sides, or at the left, the top, the right and the bottom; None for the usual margin."""


def in_column(*parts: Part | tuple[Part, int], on: QWidget | None = None, margin: Margin = None) -> QVBoxLayout:
    """Parts below each other, on the widget whose layout they become.

    A number beside a part is its share of the space that is left.
    """
    layout = QVBoxLayout() if on is None else QVBoxLayout(on)
    _fill(layout, parts, margin)
    return layout


def in_row(*parts: Part | tuple[Part, int], on: QWidget | None = None, margin: Margin = None) -> QHBoxLayout:
    """Parts beside each other, from left to right; otherwise like `in_column`."""
    layout = QHBoxLayout() if on is None else QHBoxLayout(on)
    _fill(layout, parts, margin)
    return layout


def _fill(layout: QBoxLayout, parts: tuple[Part | tuple[Part, int], ...], margin: Margin) -> None:
    for entry in parts:
        part, share = entry if isinstance(entry, tuple) else (entry, 0)
        if part is None:
            layout.addStretch(share or 1)
        elif isinstance(part, QWidget):
            layout.addWidget(part, share)
        else:
            layout.addLayout(part, share)
    if margin is not None:
        layout.setContentsMargins(*(margin if isinstance(margin, tuple) else (margin,) * 4))


def name_tabs(tabs: QTabWidget, name: str) -> None:
    """Give a row of tabs a name for screen readers."""
    if (bar := tabs.tabBar()) is not None:
        bar.setAccessibleName(name)


def button_with_tip(words: str, tip: str, slot: Callable[[], object] | None = None) -> QPushButton:
    """A button with a tooltip, which calls `slot`."""
    button = QPushButton(words)
    button.setToolTip(tip)
    if slot is not None:
        button.clicked.connect(slot)  # not in a lambda, which would keep the widget of a bound method alive
    return button


def ok_and_cancel(dialog: QDialog) -> QDialogButtonBox:
    """The buttons OK and Cancel of a dialog."""
    return _connected(dialog, QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)


def close_button(dialog: QDialog) -> QDialogButtonBox:
    """The button Close of a dialog."""
    return _connected(dialog, QDialogButtonBox.StandardButton.Close)


def _connected(dialog: QDialog, kinds: QDialogButtonBox.StandardButton) -> QDialogButtonBox:
    buttons = QDialogButtonBox(kinds)
    buttons.accepted.connect(dialog.accept)
    buttons.rejected.connect(dialog.reject)
    return buttons
