"""A vertical scroll area for parts that can be too high for a laptop's screen."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, QSize, Qt
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget


class Scrolled(QScrollArea):
    """Asks for the height that its part needs at its width and accepts less; never scrolls sideways."""

    def __init__(self, part: QWidget, min_px: int) -> None:
        """Show `part`, at least `min_px` high."""
        super().__init__()
        self._min_px = min_px
        self.setWidget(part)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its fields have the focus
        part.setAutoFillBackground(False)  # tabs and windows differ in colour
        viewport = self.viewport()
        if viewport is not None:
            viewport.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        """Size of the whole part."""
        part = self.widget()
        if part is None:
            return super().sizeHint()
        wide_px = self.width()
        high_px = part.heightForWidth(wide_px) if part.hasHeightForWidth() else part.sizeHint().height()
        return QSize(part.sizeHint().width(), max(high_px, self._min_px))

    def minimumSizeHint(self) -> QSize:
        """Smallest accepted size."""
        part = self.widget()
        return QSize(part.minimumSizeHint().width() if part is not None else 0, self._min_px)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Update the geometry when the part gets another width, and so needs another height."""
        super().resizeEvent(event)
        if event is not None and event.oldSize().width() != event.size().width():
            self.updateGeometry()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Update the geometry when the part wants another height."""
        if event is not None and watched is self.widget() and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)
