"""Finds what a player could not read: too large windows, clipped or small text, and parts without a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from PyQt6.QtGui import QFontInfo
from PyQt6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)

from ui.desktop.theme import TEXT_PX

SCREEN = (1366, 768)
"""Size in pixels of the smallest supported screen."""

_FRAME_PX = 40
"""Height of a dialog's title bar, which the system draws."""
_ARROW_PX = 34
"""Width of a combo box's arrow and edges."""
_EDGE_PX = 12
"""Width of both edges of a line edit."""


def layout_problems(shown: QWidget) -> tuple[str, ...]:
    """List what is clipped or too large in a visible window, dialog or menu, one sentence each."""
    found = list(_too_large(shown))
    for child in _visible(shown):
        found += _cut(child)
    return tuple(found)


def _visible(shown: QWidget) -> list[QWidget]:
    """The visible parts of known kinds; parts that Qt made for its own use may be gone a moment later."""
    kinds = QLabel | _INTERACTIVE | QAbstractScrollArea
    return [child for child in shown.findChildren(QWidget) if isinstance(child, kinds) and child.isVisibleTo(shown)]


def access_problems(shown: QWidget) -> tuple[str, ...]:
    """List what has no name for a screen reader, no tooltip beside an icon, or too small text, one sentence each."""
    found: list[str] = []
    for child in _visible(shown):
        if isinstance(child, _INTERACTIVE) and not _is_inner(child):
            if not _name(child, shown):
                found.append(f"the {type(child).__name__} has no accessible name")
            if isinstance(child, QAbstractButton) and not child.text() and not child.toolTip():
                found.append(f"the button {child.accessibleName()!r} shows only an icon and has no tooltip")
        if isinstance(child, QLabel | _INTERACTIVE) and QFontInfo(child.font()).pixelSize() < TEXT_PX:
            found.append(f"{_words(child)!r} is only {QFontInfo(child.font()).pixelSize()} px high")
    return tuple(found)


_INTERACTIVE = (
    QAbstractButton
    | QComboBox
    | QAbstractSpinBox
    | QLineEdit
    | QAbstractItemView
    | QTabBar
    | QTextEdit
    | QPlainTextEdit
)


def _is_inner(part: QWidget) -> bool:
    """Whether Qt made it as a part of another widget, which has the name."""
    around = part.parentWidget()
    in_table = isinstance(around, QAbstractItemView) and not isinstance(part, QComboBox)
    return isinstance(part, QHeaderView) or in_table or isinstance(around, QComboBox | QAbstractSpinBox)


def _name(part: QWidget, shown: QWidget) -> str:
    """Its name for screen readers: its own, its text, or the label that belongs to it."""
    text = part.text() if isinstance(part, QAbstractButton) else ""
    return (
        part.accessibleName()
        or text
        or next((label.text() for label in shown.findChildren(QLabel) if label.buddy() is part), "")
    )


def _too_large(shown: QWidget) -> Iterator[str]:
    room = (SCREEN[0], SCREEN[1] - (_FRAME_PX if shown.windowTitle() and shown.parentWidget() else 0))
    if shown.width() > room[0] or shown.height() > room[1]:
        yield f"{shown.width()} x {shown.height()} pixels exceed the limit of {room[0]} x {room[1]}"


def _cut(part: QWidget) -> Iterator[str]:
    for kinds, is_cut, name in _KINDS:
        if isinstance(part, kinds) and is_cut(part):
            yield f"{name} {_words(part)!r} is clipped"


def _label(part: QLabel) -> bool:
    if part.wordWrap():
        return part.heightForWidth(part.width()) > part.height()
    return bool(part.text()) and part.sizeHint().width() > part.width()


def _button(part: QAbstractButton) -> bool:
    return bool(part.text()) and part.minimumSizeHint().width() > part.width()


def _combo(part: QComboBox) -> bool:
    return part.fontMetrics().horizontalAdvance(part.currentText()) + _ARROW_PX > part.width()


def _line(part: QLineEdit) -> bool:
    return part.fontMetrics().horizontalAdvance(part.placeholderText()) + _EDGE_PX > part.width()


def _scroll(part: QAbstractScrollArea) -> bool:
    bar = part.horizontalScrollBar()
    return bar is not None and bar.isVisible() and not isinstance(part, QPlainTextEdit)  # these scroll long lines


_KINDS: tuple[tuple[type[QWidget], Callable[[Any], bool], str], ...] = (
    (QLabel, _label, "the text"),
    (QAbstractButton, _button, "the button"),
    (QComboBox, _combo, "the choice"),
    (QLineEdit, _line, "the placeholder"),
    (QAbstractScrollArea, _scroll, "the horizontally scrolling area"),
)


def _words(part: QWidget) -> str:
    if isinstance(part, QComboBox):
        return part.currentText()
    if isinstance(part, QLabel | QAbstractButton):
        return part.text() or part.toolTip()
    if isinstance(part, QLineEdit):
        return part.placeholderText()
    return part.accessibleName() or type(part).__name__
