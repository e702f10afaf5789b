"""What fills the window: the picture, what is said above and below it, and the tabs at its side."""

from __future__ import annotations

from collections.abc import Mapping

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QTabWidget, QWidget

from ui.desktop.bar import MessageBar
from ui.desktop.picture.view import PictureView

_TAB_EDGE_PX = 6
_LARGER = 1.25


class Middle(QWidget):
    """Lays out what it is given.

    Attributes:
        sides: The tabs.
    """

    def __init__(self, picture: PictureView, bar: MessageBar, hint: QLabel, tabs: Mapping[str, QWidget]) -> None:
        """Lay out the parts; the first of the tabs is as wide as all are to be."""
        super().__init__()
        font = hint.font()
        font.setPointSizeF(_LARGER * font.pointSizeF())
        hint.setFont(font)
        hint.setMargin(6)
        # Two lines always, for the same reason as the bar below.
        hint.setMinimumHeight(2 * hint.fontMetrics().lineSpacing() + 2 * hint.margin())
        left = self._left = QGridLayout()
        left.setSpacing(0)
        left.addWidget(picture, 0, 0)
        # Over the picture: above it, each message would push the soldiers away from under the mouse.
        left.addWidget(bar, 0, 0, Qt.AlignmentFlag.AlignTop)
        left.addWidget(hint, 1, 0)
        left.setRowStretch(0, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(left, 1)
        self.sides = QTabWidget()
        for name, tab in tabs.items():
            self.sides.addTab(tab, name)
        self.sides.setFixedWidth(next(iter(tabs.values())).width() + 2 * _TAB_EDGE_PX)
        layout.addWidget(self.sides)

    def add_below(self, part: QWidget) -> None:
        """Show something over the picture's whole width, below the hint."""
        self._left.addWidget(part, 2, 0)
