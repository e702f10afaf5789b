"""The Devices tab: ports, states, buttons and readings of the range rod and the dice, and the strip of the rod."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QPainter, QPaintEvent
from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QFrame,
    QGridLayout,
    QGroupBox,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from hardware.adalight import Colour
from hardware.emulator import FaultInjector
from hardware.range_rod import BAND_IN, RodShape
from ui.desktop.devices.tray_view import TrayPicture, TrayView
from ui.desktop.picture.image import painting
from ui.desktop.widgets import (
    NumberBox,
    button_with_tip,
    described,
    escape_markup,
    in_column,
    markup_label,
    wrapping_label,
)
from ui.devices.device_connection import DeviceStatus, PortChoice, StatusLevel
from ui.translation import mark_for_translation, tr

_PORT_TIP = mark_for_translation("Where the device is plugged in; likely places come first")
_ROD_TEST_TIP = mark_for_translation("Show the bands, then green, amber and red, then a moving light")
_ROD_DESCRIPTION = mark_for_translation(
    "An LED strip on an ESP32 board with WLED, over USB or the network, shows the measured range beside the soldiers. "
    "docs/hardware.md explains how to build one."
)
_DICE_DESCRIPTION = mark_for_translation(
    "Dice that report their numbers over USB or Bluetooth can answer a roll. Without them, type what your dice show or "
    "let the program roll."
)
_TRAY_DESCRIPTION = mark_for_translation(
    "A camera can read ordinary dice and Fudge dice in a tray once they lie still. You confirm what it read."
)


class DevicesPanel(QScrollArea):
    """The Devices tab; it opens no port itself.

    Signals:
        thrown: Roll emulated dice, such as "2d6", or cause the fault of this name.

    Attributes:
        rod, dice, tray: The common parts of each device.
        rod_view, strip: The rod's lights and the settings of its strip.
        rolls: The last rolls.
        draw_tray: The button with which the player draws the tray's place.
    """

    thrown = pyqtSignal(str)

    def __init__(self, shape: RodShape) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.rod = DeviceBox(tr("Range rod"), tr(_PORT_TIP), tr("Try one"), tr(_ROD_TEST_TIP), tr(_ROD_DESCRIPTION))
        self.dice = DeviceBox(
            tr("Electronic dice"),
            tr(_PORT_TIP),
            tr("Try some"),
            tr("Wait for a roll of the dice, to test them"),
            tr(_DICE_DESCRIPTION),
        )
        self.tray = DeviceBox(
            tr("Dice by camera"),
            tr("The camera over the tray"),
            "",
            tr("Read the dice in the tray now"),
            tr(_TRAY_DESCRIPTION),
        )
        self.rod_view, self._shown, self.strip = RodView(), wrapping_label(), StripForm(shape)
        self.rolls, self._throws = wrapping_label(), _throws(self.thrown.emit)
        self._tray_view, self._tray_text = TrayView(), wrapping_label()
        self.draw_tray = button_with_tip(tr("Mark tray…"), tr("Draw a box around the tray in the camera's picture"))
        self._lay_out()

    def show_rod(self, shape: RodShape, lights: Sequence[Colour], words: str) -> None:
        self.rod_view.show_lights(shape, lights)
        self._shown.setText(words)

    def show_dice(self, rows: Sequence[str], *, emulated: bool) -> None:
        """Show the last rolls, newest first; `emulated` shows the buttons of the emulator."""
        self.rolls.setText("\n".join(rows))
        self._throws.setVisible(emulated)

    def show_tray(self, tray: TrayPicture | None, rows: Sequence[str]) -> None:
        """Show the watched tray, None if there is none, and the last readings, newest first."""
        self._tray_view.show_tray(tray)
        self._tray_view.setVisible(tray is not None)
        self._tray_text.setText("\n".join(rows))

    def _lay_out(self) -> None:
        self.rolls.setAccessibleName(tr("Last rolls"))
        self._shown.setAccessibleName(tr("What the rod shows"))
        self._tray_text.setAccessibleName(tr("Last tray readings"))
        self.rod.extra_layout.addLayout(in_column(self.rod_view, self._shown, self.strip))
        self.dice.extra_layout.addLayout(in_column(self._throws, self.rolls))
        self.tray.extra_layout.addLayout(in_column(self.draw_tray, self._tray_view, self._tray_text))
        inner = QWidget()
        in_column(self.rod, self.dice, self.tray, None, on=inner, margin=4)
        self.setWidget(inner)


def _throws(thrown: Callable[[str], object]) -> QWidget:
    """Build the emulator's buttons."""
    box = QWidget()
    grid = QGridLayout(box)
    grid.setContentsMargins(0, 0, 0, 0)
    for place, (words, what, tip) in enumerate(
        (
            (tr("Roll 2d6"), "2d6", tr("Roll two emulated dice")),
            (tr("Roll 4dF"), "4dF", tr("Roll four emulated Fudge dice")),
            (tr("Lean"), FaultInjector.COCKED, tr("Roll a die that leans on something")),
            (tr("Delay"), FaultInjector.STALE, tr("Report a roll that is 20 seconds old")),
            (tr("Repeat"), FaultInjector.DOUBLE, tr("Report one die twice")),
            (tr("Garble"), FaultInjector.TORN, tr("Send half a message; it is counted and dropped")),
        )
    ):
        full_tip = tr("{tip}. An unrequested roll answers the next request within 5 seconds.", tip=tip)
        button = button_with_tip(words, full_tip, partial(thrown, str(what)))
        grid.addWidget(button, place // 3, place % 3)
    return box


_SIGNS = {
    StatusLevel.OFF: ("○", "#8a8f98"),
    StatusLevel.LOOKING: ("◔", "#56b4e9"),
    StatusLevel.UP: ("●", "#00be8a"),
    StatusLevel.TROUBLE: ("▲", "#e69f00"),
}
"""Shape and colour of each; the shapes differ for the colour-blind."""

_FORGET_TIP = mark_for_translation("Disconnect this device and do not connect it again")
_STOP_TIP = mark_for_translation("Stop the emulated device and connect the real one again")


class DeviceBox(QGroupBox):
    """One device: its port, its state, its buttons.

    Signals:
        connected: Connect to this port (its spec).
        emulated: Connect to an emulated device.
        tested, forgotten, replugged: The button was pressed.

    Attributes:
        extra_layout: Layout for the widgets of one kind of device.
    """

    connected = pyqtSignal(str)
    emulated = pyqtSignal()
    tested = pyqtSignal()
    forgotten = pyqtSignal()
    replugged = pyqtSignal()

    def __init__(self, title: str, port_tip: str, try_words: str, test_tip: str, description: str) -> None:
        """`try_words` is empty if the device has no emulator; `description` describes a device to connect."""
        super().__init__(title)
        self.state, self._trouble, self._description = markup_label(), wrapping_label(), wrapping_label(description)
        self.state.setAccessibleName(tr("{title}: state", title=title))
        self._counters = wrapping_label()
        self._port = QComboBox()
        self._chosen: str | None = None
        self._is_connected = False
        described(self._port, tr("{title}: port", title=title), port_tip)
        self._port.setMinimumContentsLength(12)
        self._port.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        tip = tr("Use this port, now and next time")
        self._connect = button_with_tip(tr("Connect"), tip, lambda: self.connected.emit(self._port.currentData()))
        tip = tr("Try an emulated device; no hardware is needed")
        self._try = button_with_tip(try_words, tip, self.emulated.emit)
        self._test = button_with_tip(tr("Test"), test_tip, self.tested.emit)
        self._forget = button_with_tip("", "", self.forgotten.emit)
        tip = tr("Unplug the emulated device to see what happens")
        self._replug = button_with_tip(tr("Unplug"), tip, self.replugged.emit)
        self._port.currentIndexChanged.connect(self._allow_connecting)
        self.extra_layout = QVBoxLayout()
        self._lay_out()

    def show_choices(self, found: Sequence[PortChoice], chosen: str | None) -> None:
        """List the ports; the player's selection stays, unless another port has come into use."""
        now = [(self._port.itemData(row), self._port.itemText(row)) for row in range(self._port.count())]
        if now == [(one.spec, one.words) for one in found] and chosen == self._chosen:
            return
        picked = self._port.currentData() if now and chosen == self._chosen else chosen
        self._chosen = chosen
        self._port.clear()
        for one in found:
            self._port.addItem(one.words, one.spec)
        self._port.setCurrentIndex(max(0, self._port.findData(picked)))

    def show_status(self, one: DeviceStatus, *, plugged: bool | None) -> None:
        """Show the device's state; `plugged` is None unless it is emulated."""
        sign, colour = _SIGNS[one.level]
        self.state.setText(f'<span style="color:{colour}">{sign}</span> {escape_markup(one.words)}')
        self._trouble.setText(
            tr("Last problem: {trouble}", trouble=one.trouble) if one.trouble and one.level is StatusLevel.UP else ""
        )
        self._trouble.setVisible(bool(self._trouble.text()))
        off = one.level is StatusLevel.OFF
        self._description.setVisible(off)
        self._forget.setEnabled(not off)
        self._test.setEnabled(one.level is StatusLevel.UP)
        emulated = plugged is not None
        self._is_connected = one.level is StatusLevel.UP and not emulated
        self._allow_connecting()
        self._forget.setText(tr("Stop") if emulated else tr("Forget"))
        self._forget.setToolTip(tr(_STOP_TIP if emulated else _FORGET_TIP))
        self._try.setVisible(bool(self._try.text()) and not emulated)
        self._replug.setVisible(emulated)
        self._replug.setText(tr("Unplug") if plugged else tr("Plug in"))

    def _allow_connecting(self) -> None:
        """Let the player connect, except to the port that is connected already."""
        self._connect.setEnabled(not self._is_connected or self._port.currentData() != self._chosen)

    def show_counters(self, words: str) -> None:
        self._counters.setText(words)
        self._counters.setVisible(bool(words))

    def _lay_out(self) -> None:
        buttons = QGridLayout()  # four in one row are cut off in a narrow panel
        # "Try one" and "Unplug" share a place, because only one of them is shown.
        for button, row, column in (
            (self._connect, 0, 0),
            (self._try, 0, 1),
            (self._replug, 0, 1),
            (self._test, 1, 0),
            (self._forget, 1, 1),
        ):
            buttons.addWidget(button, row, column)
        # What comes and goes is below the buttons, which stay under the mouse; spare height would move them.
        below = (self._counters, self._trouble, self._description, self.extra_layout, None)
        in_column(self.state, self._port, buttons, *below, on=self).setSpacing(4)


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
        refused: A value is impossible; the sentence says why.
    """

    changed = pyqtSignal(object)
    refused = pyqtSignal(str)

    def __init__(self, shape: RodShape) -> None:
        super().__init__()
        self._fold = QCheckBox(tr("Strip settings"))
        self._form = QWidget()
        tip = tr("From the near end to the far edge of the last LED")
        self._length = NumberBox(1, 400, 0.5, 2, tr(" in"), tip)
        tip = tr("1.524 for 60 LEDs per metre, 0.762 for 30, 3.658 for 144")
        self._leds_per_in = NumberBox(0.1, 20, 0.1, 3, tip=tip)
        self._brightness = NumberBox(1, 100, 5, 0, " %", tr("25 % needs at most 0.4 A, 100 % at most 1.4 A"))
        self._gamma = NumberBox(0.5, 4, 0.1, 1, tip=tr("2.2 for bare strips, 1 if WLED corrects the colours itself"))
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
        for box, value in (
            (self._length, shape.length_in),
            (self._leds_per_in, shape.leds_per_in),
            (self._brightness, 100 * shape.brightness),
            (self._gamma, shape.gamma),
        ):
            box.setValue(value)
            box.setToolTip(f"{box.toolTip()}. {tr(_APPLY_TIP)}")
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
            self.refused.emit(str(error))
            return
        self._count(shape)
        self.changed.emit(shape)

    def _count(self, shape: RodShape) -> None:
        self._leds.setText(tr("{leds} (enter this number in WLED)", leds=shape.leds))
