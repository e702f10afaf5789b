"""The range rod in the Devices tab: its lights over a scale of inches, and the settings of its LED strip."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QPainter, QPaintEvent
from PyQt6.QtWidgets import QCheckBox, QFormLayout, QLabel, QSizePolicy, QWidget

from hardware.adalight import Colour
from hardware.range_rod import BAND_IN, RodShape
from ui.desktop.dialogs import NumberBox
from ui.desktop.layouts import in_column
from ui.desktop.picture.painting import painting
from ui.translation import mark_for_translation, tr

_STRIP_PX = 26
_GAP_PX = 1.0
_CASE = QColor(16, 18, 22)
_UNLIT = QColor(58, 61, 67)


class RodView(QWidget):
    """The rod's LEDs, the near end at the left."""

    def __init__(self) -> None:
        super().__init__()
        self._shape, self.lights = RodShape(), tuple[Colour, ...]()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("The rod's lights"))
        self.setToolTip(tr("The rod's lights; the soldier is at 0"))

    def sizeHint(self) -> QSize:
        """Size of the strip and its scale."""
        return QSize(300, _STRIP_PX + self.fontMetrics().height() + 4)

    def show_lights(self, shape: RodShape, lights: Sequence[Colour]) -> None:
        """Draw these lights; repaints only on a change."""
        if (shape, tuple(lights)) != (self._shape, self.lights):
            self._shape, self.lights = shape, tuple(lights)
            self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        with painting(self) as painter:
            painter.fillRect(QRectF(0, 0, self.width(), _STRIP_PX), _CASE)
            px_per_in = (self.width() - 2 * _GAP_PX) / self._shape.length_in
            wide = px_per_in / self._shape.leds_per_in
            for led, colour in enumerate(self.lights):
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


_APPLY_TIP = mark_for_translation("Changing this connects the rod again, which can take 3 seconds")


class StripForm(QWidget):
    """The strip's settings, hidden until the player opens them.

    Signals:
        changed: The new, valid `RodShape`.
    """

    changed = pyqtSignal(object)

    def __init__(self, shape: RodShape, refuse: Callable[[str], None]) -> None:
        """`refuse` shows the player why a value is impossible."""
        super().__init__()
        self._refuse = refuse
        self._fold = QCheckBox(tr("Strip settings"))
        self._form = QWidget()
        self._length = _number(
            shape.length_in, 1, 400, 0.5, 2, tr(" in"), tr("From the near end to the far edge of the last LED")
        )
        self._leds_per_in = _number(
            shape.leds_per_in, 0.1, 20, 0.1, 3, "", tr("1.524 for 60 LEDs per metre, 0.762 for 30, 3.658 for 144")
        )
        self._brightness = _number(
            100 * shape.brightness, 1, 100, 5, 0, " %", tr("25 % needs at most 0.4 A, 100 % at most 1.4 A")
        )
        self._gamma = _number(
            shape.gamma, 0.5, 4, 0.1, 1, "", tr("2.2 for bare strips, 1 if WLED corrects the colours itself")
        )
        self._turned = QCheckBox(tr("First LED at the far end"))
        self._turned.setChecked(shape.reversed)
        self._turned.setToolTip(tr(_APPLY_TIP))
        form = QFormLayout(self._form)
        form.setContentsMargins(0, 0, 0, 0)
        form.addRow(tr("LEDs per inch:"), self._leds_per_in)
        form.addRow(tr("Length:"), self._length)
        self._leds = QLabel()
        form.addRow(tr("LEDs:"), self._leds)
        form.addRow(tr("Direction:"), self._turned)
        form.addRow(tr("Brightness:"), self._brightness)
        form.addRow(tr("Gamma:"), self._gamma)
        in_column(self._fold, self._form, on=self, margin=0)
        self._form.hide()
        self._fold.toggled.connect(self._form.setVisible)
        for box in (self._length, self._leds_per_in, self._brightness, self._gamma):
            box.editingFinished.connect(self._change)
        self._turned.toggled.connect(self._change)
        self._last_values = self._read()
        self._count(shape)

    def _read(self) -> tuple[float, float, bool, float, float]:
        boxes = (self._length.value(), self._leds_per_in.value(), self._turned.isChecked())
        return (*boxes, self._brightness.value() / 100, self._gamma.value())

    def _change(self) -> None:
        """Report a changed strip; leaving a box unchanged reports nothing."""
        now = self._read()
        if now == self._last_values:
            return
        self._last_values = now
        try:
            shape = RodShape(*now)
        except ValueError as error:
            self._refuse(str(error))
            return
        self._count(shape)
        self.changed.emit(shape)

    def _count(self, shape: RodShape) -> None:
        self._leds.setText(tr("{leds} (enter this number in WLED)", leds=shape.leds))


def _number(value: float, low: float, high: float, step: float, decimals: int, unit: str, tip: str) -> NumberBox:
    box = NumberBox()
    box.setDecimals(decimals)
    box.setRange(low, high)
    box.setSingleStep(step)
    box.setSuffix(unit)
    box.setValue(value)
    box.setToolTip(f"{tip}. {tr(_APPLY_TIP)}")
    return box
