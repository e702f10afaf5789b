"""The window's main widgets, as its features use them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QGridLayout, QHBoxLayout, QMainWindow, QTabWidget, QVBoxLayout, QWidget

from ui.desktop.battle.pending_moves import MovePills
from ui.desktop.messages import MessageBar
from ui.desktop.picture.view import PictureView
from ui.desktop.settings import Settings
from ui.desktop.status_line import StatusLine
from ui.desktop.table.panel import SidePanel
from ui.desktop.table_display import TableDisplay
from ui.desktop.widgets import FittedLabel, keep_place, name_tabs
from ui.translation import tr


@dataclass(frozen=True, slots=True)
class Parts:
    """What the features work with.

    Attributes:
        window: Dialogs open over it.
        picture, display: The picture of the table, and what shows it there.
        panel, sides: The Table tab, and all tabs.
        bar, hint, status: Messages, the next step, and the status bar.
        pills: Moves on the picture.
        settings: The stored settings.
    """

    window: QMainWindow
    picture: PictureView
    display: TableDisplay
    panel: SidePanel
    sides: QTabWidget
    bar: MessageBar
    hint: HintLabel
    status: StatusLine
    pills: MovePills
    settings: Settings


_TAB_EDGE_PX = 4
HINT_PX = 58
"""Two lines of 18 pixels and their margins; a message takes the same place."""


class HintLabel(FittedLabel):
    """What to do next, always in the height of two large lines."""

    def __init__(self) -> None:
        super().__init__(HINT_PX)
        self.setFixedHeight(HINT_PX)


class CentralWidget(QWidget):
    """Arranges the window's main parts."""

    def __init__(self, picture: PictureView, bar: MessageBar, hint: HintLabel, tabs: Mapping[str, QWidget]) -> None:
        """Arrange the parts; the first tab sets the width of all."""
        super().__init__()
        # Its height stays the same, shown or not: otherwise the soldiers would move away from the mouse.
        keep_place(hint)
        left = self._left = QGridLayout()
        left.setSpacing(0)
        left.addWidget(picture, 0, 0)
        left.addWidget(hint, 2, 0)
        # A message covers the hint, and what is above it only if it is longer than three small lines.
        bar.setMinimumHeight(HINT_PX)
        left.addWidget(bar, 0, 0, 3, 1, Qt.AlignmentFlag.AlignBottom)
        left.setRowStretch(0, 1)
        layout = self._row = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        column = self._column = QVBoxLayout()
        column.setSpacing(0)
        column.addLayout(left, 1)
        layout.addLayout(column, 1)
        self.sides = QTabWidget()
        for name, tab in tabs.items():
            self.sides.addTab(tab, name)
        name_tabs(self.sides, tr("Side panel"))
        self.sides.setFixedWidth(next(iter(tabs.values())).width() + 2 * _TAB_EDGE_PX)
        layout.addWidget(self.sides)

    def add_left(self, part: QWidget) -> None:
        """Add a widget at the left of the picture, as high as the window."""
        self._row.insertWidget(0, part)

    def add_above(self, part: QWidget) -> None:
        """Add a widget above the picture, as wide as it."""
        self._column.insertWidget(0, part)

    def add_over(self, part: QWidget, place: Qt.AlignmentFlag) -> None:
        """Add a widget over the picture."""
        self._left.addWidget(part, 0, 0, place)

    def add_under_picture(self, part: QWidget) -> None:
        """Add a widget between the picture and the hint."""
        self._left.addWidget(part, 1, 0)

    def add_below(self, part: QWidget) -> None:
        """Add a widget below the hint, as wide as the picture."""
        self._left.addWidget(part, 3, 0)
