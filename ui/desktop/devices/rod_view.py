"""Draws the range rod's lights over a scale of inches."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from hardware.adalight import Colour
from hardware.range_rod import BAND_IN, RodShape
from ui.desktop.picture.painting import painting
from ui.translation import tr

_STRIP_PX = 26
_GAP_PX = 1.0
_CASE = QColor(16, 18, 22)
_UNLIT = QColor(58, 61, 67)


class RodView(QWidget):
    """The rod's LEDs, the near end at the left."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shape, self._lights = RodShape(), ()  # type: RodShape, tuple[Colour, ...]
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("The rod's lights"))
        self.setToolTip(tr("The rod's lights; the soldier is at 0"))

    def sizeHint(self) -> QSize:
        """Size of the strip and its scale."""
        return QSize(300, _STRIP_PX + self.fontMetrics().height() + 4)

    @property
    def lights(self) -> tuple[Colour, ...]:
        """The drawn colours."""
        return self._lights

    def show_lights(self, shape: RodShape, lights: Sequence[Colour]) -> None:
        """Draw these lights; repaints only on a change."""
        if (shape, tuple(lights)) != (self._shape, self._lights):
            self._shape, self._lights = shape, tuple(lights)
            self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        with painting(self) as painter:
            painter.fillRect(QRectF(0, 0, self.width(), _STRIP_PX), _CASE)
            px_per_in = (self.width() - 2 * _GAP_PX) / self._shape.length_in
            wide = px_per_in / self._shape.leds_per_in
            for led, colour in enumerate(self._lights):
                box = QRectF(_GAP_PX + led * wide, 3, max(1.0, wide - _GAP_PX), _STRIP_PX - 6)
                painter.fillRect(box, QColor(*colour) if any(colour) else _UNLIT)
            self._draw_scale(painter, px_per_in)

    def _draw_scale(self, painter: QPainter, px_per_in: float) -> None:
        metrics, last = self.fontMetrics(), -1.0
        painter.setPen(self.palette().windowText().color())
        for band in range(int(self._shape.length_in / BAND_IN) + 1):
            at_px, words = _GAP_PX + band * BAND_IN * px_per_in, f"{band * BAND_IN:g}"
            wide = metrics.horizontalAdvance(words)
            left = min(max(0.0, at_px - wide / 2), self.width() - wide)
            painter.drawLine(QPointF(at_px, _STRIP_PX), QPointF(at_px, _STRIP_PX + 3))
            if left > last + 3:
                room = QRectF(left, _STRIP_PX + 3, wide + 1, metrics.height())
                painter.drawText(room, Qt.AlignmentFlag.AlignLeft, words)
                last = left + wide
