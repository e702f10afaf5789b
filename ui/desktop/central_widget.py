"""The window's central widget: the picture with its messages, and the tabs beside it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QTabWidget, QVBoxLayout, QWidget

from ui.desktop.bar import MessageBar
from ui.desktop.picture.view import PictureView
from ui.desktop.theme import TEXT_PX

_TAB_EDGE_PX = 4
_HINT_SIZES_PX = (18, 16, TEXT_PX)
_HINT_MARGINS_PX = (8, 2)


class HintLabel(QLabel):
    """What to do next, always in the height of two large lines: a long text is smaller."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self._fit()
        self.setFixedHeight(2 * self.fontMetrics().lineSpacing() + 2 * self.margin())

    def show_text(self, words: str) -> None:
        """Show a text."""
        if words != self.text():
            self.setText(words)
            self._fit()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Fit the text into another width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Use the largest size in which the text fits."""
        font = self.font()
        for size_px, margin_px in product(_HINT_SIZES_PX, _HINT_MARGINS_PX):
            font.setPixelSize(size_px)
            self.setFont(font)
            self.setMargin(margin_px)
            if self.heightForWidth(self.width()) <= self.height():
                return


class CentralWidget(QWidget):
    """Arranges the window's main parts.

    Attributes:
        sides: The tabs.
    """

    def __init__(self, picture: PictureView, bar: MessageBar, hint: HintLabel, tabs: Mapping[str, QWidget]) -> None:
        """Arrange the parts; the first tab sets the width of all."""
        super().__init__()
        # Its height stays the same, shown or not: otherwise the soldiers would move away from the mouse.
        policy = hint.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        hint.setSizePolicy(policy)
        left = self._left = QGridLayout()
        left.setSpacing(0)
        left.addWidget(picture, 0, 0)
        left.addWidget(hint, 2, 0)
        # A message covers the hint, and the picture only if it is longer than two lines.
        bar.setMinimumHeight(hint.height())
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
