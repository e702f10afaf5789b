"""The Devices tab: ports, states and readings of the range rod and the dice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QFrame, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from hardware.adalight import Colour
from hardware.emulator import FaultInjector
from hardware.range_rod import RodShape
from ui.desktop.devices.box import DeviceBox, button_with_tip
from ui.desktop.devices.rod_view import RodView
from ui.desktop.devices.strip_form import StripForm
from ui.desktop.devices.tray_view import TrayPicture, TrayView
from ui.desktop.labels import wrapping_label
from ui.translation import mark_for_translation, tr

_FONT_SCALE = 1.2

_PORT_TIP = mark_for_translation("Where the device is plugged in; likely places come first")
_ROD_TEST_TIP = mark_for_translation("Show the bands, then green, amber and red, then a moving light")
_ROD_DESCRIPTION = mark_for_translation(
    "An LED strip on an ESP32 board with WLED, plugged into USB, shows the measured range beside the soldiers. "
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
        reshaped: The player changed the strip to this `RodShape`.
        thrown: Roll emulated dice, such as "2d6", or cause the fault of this name.
        refused: A setting is impossible; the sentence says why.
        tray_wanted: The player wants to draw the tray's place.

    Attributes:
        rod, dice, tray: The common parts of each device.
    """

    reshaped = pyqtSignal(object)
    thrown = pyqtSignal(str)
    refused = pyqtSignal(str)
    tray_wanted = pyqtSignal()

    def __init__(self, shape: RodShape, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        font = self.font()
        font.setPointSizeF(_FONT_SCALE * font.pointSizeF())
        self.setFont(font)
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
        self._view, self._shown, self._strip = RodView(), wrapping_label(), StripForm(shape, self.refused.emit)
        self._rolls, self._throws = wrapping_label(), _throws(self.thrown.emit)
        self._tray_view, self._tray_text = TrayView(), wrapping_label()
        self._draw_tray = button_with_tip(tr("Mark tray…"), tr("Draw a box around the tray in the camera's picture"))
        self._lay_out()

    @property
    def lights(self) -> tuple[Colour, ...]:
        """The drawn colours of the rod's LEDs."""
        return self._view.lights

    @property
    def rolls_text(self) -> str:
        """The text about the dice."""
        return self._rolls.text()

    @property
    def tray_text(self) -> str:
        """The text about the tray."""
        return self._tray_text.text()

    def show_rod(self, shape: RodShape, lights: Sequence[Colour], words: str) -> None:
        """Show the rod's lights and their meaning."""
        self._view.show_lights(shape, lights)
        self._shown.setText(words)

    def show_dice(self, rows: Sequence[str], *, emulated: bool) -> None:
        """Show the last rolls, newest first; `emulated` shows the buttons of the emulator."""
        self._rolls.setText("\n".join(rows))
        self._throws.setVisible(emulated)

    def show_tray(self, tray: TrayPicture | None, rows: Sequence[str]) -> None:
        """Show the watched tray, None if there is none, and the last readings, newest first."""
        self._tray_view.show_tray(tray)
        self._tray_view.setVisible(tray is not None)
        self._tray_text.setText("\n".join(rows))

    def _lay_out(self) -> None:
        self._rolls.setAccessibleName(tr("Last rolls"))
        self._shown.setAccessibleName(tr("What the rod shows"))
        self._tray_text.setAccessibleName(tr("Last tray readings"))
        self._strip.changed.connect(self.reshaped)
        self._draw_tray.clicked.connect(self.tray_wanted)
        inner = QWidget()
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(4, 4, 4, 4)
        for box, widgets in (
            (self.rod, (self._view, self._shown, self._strip)),
            (self.dice, (self._throws, self._rolls)),
            (self.tray, (self._draw_tray, self._tray_view, self._tray_text)),
        ):
            for widget in widgets:
                box.extra_layout.addWidget(widget)
            layout.addWidget(box)
        layout.addStretch(1)
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
        button = button_with_tip(
            words, tr("{tip}. A roll that nobody asked for answers the next request within 5 seconds.", tip=tip)
        )
        button.clicked.connect(lambda _, what=what: thrown(str(what)))
        grid.addWidget(button, place // 3, place % 3)
    return box
