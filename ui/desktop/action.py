"""Creates actions that the whole window can reach, from a menu, the tool rail or a key, and their icons."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from PyQt6.QtCore import QByteArray, QPointF, QRect, QRectF, QSize, QSizeF, Qt
from PyQt6.QtGui import (
    QAction,
    QActionGroup,
    QGuiApplication,
    QIcon,
    QIconEngine,
    QKeySequence,
    QPainter,
    QPalette,
    QPixmap,
)
from PyQt6.QtSvg import QSvgRenderer
from PyQt6.QtWidgets import QMenu, QWidget

from ui.desktop.picture.image import painting
from ui.desktop.widgets import literal_text

NATIVE = QKeySequence.SequenceFormat.NativeText

V = TypeVar("V", bound=Hashable)


def create_action(
    window: QWidget, text: str, key: str | Sequence[str], tip: str, slot: Callable[[], object], icon_name: str = ""
) -> QAction:
    """Create a window-wide action; its tooltip names its key or keys."""
    action = _action(window, text, [key] if isinstance(key, str) else key, tip, icon_name)
    action.triggered.connect(lambda: slot())
    return action


def create_switch(window: QWidget, text: str, key: str, tip: str, icon_name: str = "") -> QAction:
    """Create a window-wide action that is on or off, initially off."""
    action = _action(window, text, [key], tip, icon_name)
    action.setCheckable(True)
    return action


class ActionMenu(QMenu):
    """A menu that creates its window-wide actions."""

    def __init__(self, title: str, window: QWidget) -> None:
        super().__init__(title, window)
        self._window = window

    def add(
        self, text: str, key: str | Sequence[str], tip: str, slot: Callable[[], object], icon_name: str = ""
    ) -> QAction:
        """Add an action, as `create_action` creates it."""
        action = create_action(self._window, text, key, tip, slot, icon_name)
        self.addAction(action)
        return action

    def add_switch(self, text: str, key: str, tip: str) -> QAction:
        """Add an action that is on or off, as `create_switch` creates it."""
        switch = create_switch(self._window, text, key, tip)
        self.addAction(switch)
        return switch

    def add_choices(
        self, choices: Iterable[tuple[V, str, str]], now: V | None, choose: Callable[[V], object]
    ) -> dict[V, QAction]:
        """Add an action for each value, text and tooltip, of which only that of `now` is on; returns them by value.

        `choose` gets the value of another one that is switched on.
        """
        group, switches = QActionGroup(self), dict[V, QAction]()
        for value, text, tip in choices:
            switch = switches[value] = self.add_switch(text, "", tip)
            switch.setChecked(value == now)
            switch.toggled.connect(lambda on, value=value: choose(value) if on else None)
            group.addAction(switch)
        return switches

    def add_separator(self) -> None:
        add_separator(self)


def add_entry(menu: QMenu, text: str, slot: Callable[[], object], tip: str = "") -> QAction:
    """Add an action that only this menu has; Python makes it, not Qt, so that PyQt hears of its end."""
    entry = QAction(text, menu)
    entry.setToolTip(literal_text(tip))
    entry.triggered.connect(lambda: slot())
    menu.addAction(entry)
    return entry


def add_separator(menu: QMenu) -> None:
    """Add a line between groups of actions; made like the entries."""
    line = QAction(menu)
    line.setSeparator(True)
    menu.addAction(line)


def create_key_action(window: QWidget, key: str, text: str, tip: str, slot: Callable[[], object]) -> QAction:
    """Create an action that only a key triggers, without a tooltip."""
    action = QAction(text, window)
    action.setStatusTip(tip)
    action.setShortcut(QKeySequence(key))
    action.triggered.connect(lambda: slot())
    window.addAction(action)
    return action


def _action(window: QWidget, text: str, keys: Sequence[str], tip: str, icon_name: str) -> QAction:
    action = QAction(text, window)
    if icon_name:
        action.setIcon(icon(icon_name))
    action.setShortcuts([QKeySequence(key) for key in filter(None, keys)])
    # Qt names the keys in the player's language.
    words = ", ".join(key.toString(NATIVE) for key in action.shortcuts())
    action.setToolTip(f"{tip} ({words})" if words else tip)
    action.setStatusTip(tip)
    window.addAction(action)
    return action


FOLDER = Path(__file__).parent / "icons"


def icon(name: str) -> QIcon:
    """The icon of this name in `FOLDER`; its colour is taken from the palette whenever it is painted."""
    return QIcon(_OutlineEngine((FOLDER / f"{name}.svg").read_text(encoding="utf-8")))


class _OutlineEngine(QIconEngine):
    """Paints an SVG drawing whose strokes have the colour `currentColor`."""

    def __init__(self, svg: str) -> None:
        super().__init__()
        self._svg = svg

    def clone(self) -> QIconEngine:
        return _OutlineEngine(self._svg)

    def paint(self, painter: QPainter | None, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        if painter is None:
            return
        coloured = self._svg.replace("currentColor", _colour_name(mode))
        drawing = QSvgRenderer(QByteArray(coloured.encode()))
        side = min(rect.width(), rect.height())
        target = QRectF(QPointF(), QSizeF(side, side))
        target.moveCenter(QRectF(rect).center())
        drawing.render(painter, target)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        drawn = QPixmap(size)
        drawn.fill(Qt.GlobalColor.transparent)
        with painting(drawn) as painter:
            self.paint(painter, drawn.rect(), mode, state)
        return drawn


def _colour_name(mode: QIcon.Mode) -> str:
    palette, role = QGuiApplication.palette(), QPalette.ColorRole
    if mode == QIcon.Mode.Disabled:
        return palette.color(QPalette.ColorGroup.Disabled, role.ButtonText).name()
    return palette.color(role.HighlightedText if mode == QIcon.Mode.Selected else role.ButtonText).name()
