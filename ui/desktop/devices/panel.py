"""The side of the window for devices: what the range rod and the dice hang on, how they stand, what they show."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QFrame, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from hardware.adalight import Colour
from hardware.emulator import FaultInjector
from hardware.range_rod import RodShape
from ui.desktop.devices.box import DeviceBox, tipped_button
from ui.desktop.devices.rod_view import RodView
from ui.desktop.devices.strip_form import StripForm
from ui.desktop.devices.tray_view import TrayPicture, TrayView
from ui.desktop.labels import word_label
from ui.desktop.translation import mark, tr

_TEXT = 1.2

_PORT_TIP = mark("The port that it hangs on; likely ones come first")
_ROD_TEST_TIP = mark("Light the bands, then green, amber and red, then the running light")
_ROD_INVITATION = mark(
    "An LED strip on any ESP32 board with WLED, plugged in by USB, shows the measured range beside the soldiers. "
    "docs/hardware.md tells how to build one."
)
_DICE_INVITATION = mark(
    "Dice that say what they show over USB or Bluetooth answer when a roll is asked for. Without them you type, or let "
    "the program roll."
)
_TRAY_INVITATION = mark(
    "Ordinary dice and Fudge dice in a tray are read once they lie still; you confirm what was read."
)


class DevicesPanel(QScrollArea):
    """Shows what it is given; knows no port.

    Signals:
        reshaped: The strip is another `RodShape`.
        thrown: Emulated dice are to be thrown, as "2d6" or a mischief's name.
        refused: A sentence on what cannot be.
        tray_wanted: The player wants to draw where the tray lies.

    Attributes:
        rod, dice, tray: What all devices have.
    """

    reshaped = pyqtSignal(object)
    thrown = pyqtSignal(str)
    refused = pyqtSignal(str)
    tray_wanted = pyqtSignal()

    def __init__(self, shape: RodShape, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        font = self.font()
        font.setPointSizeF(_TEXT * font.pointSizeF())
        self.setFont(font)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.rod = DeviceBox(
            tr("Range rod"), tr(_PORT_TIP), tr("Try an emulated rod"), tr(_ROD_TEST_TIP), tr(_ROD_INVITATION)
        )
        self.dice = DeviceBox(
            tr("Electronic dice"),
            tr(_PORT_TIP),
            tr("Try emulated dice"),
            tr("Listen for a throw"),
            tr(_DICE_INVITATION),
        )
        self.tray = DeviceBox(
            tr("Dice by camera"), tr("The camera over the tray"), "", tr("Read the tray now"), tr(_TRAY_INVITATION)
        )
        self._view, self._shown, self._strip = RodView(), word_label(), StripForm(shape, self.refused.emit)
        self._fallen, self._throws = word_label(), _throws(self.thrown.emit)
        self._tray_view, self._read = TrayView(), word_label()
        self._draw_tray = tipped_button(tr("Where the tray lies…"), tr("Draw a box round it in the camera's picture"))
        self._lay_out()

    @property
    def lights(self) -> tuple[Colour, ...]:
        """The rod's LEDs as they are drawn."""
        return self._view.lights

    @property
    def told(self) -> str:
        """What is said of the dice."""
        return self._fallen.text()

    @property
    def read(self) -> str:
        """What is said of the tray."""
        return self._read.text()

    def show_rod(self, shape: RodShape, lights: Sequence[Colour], words: str) -> None:
        """Show what is lit, and what it means."""
        self._view.show_lights(shape, lights)
        self._shown.setText(words)

    def show_dice(self, rows: Sequence[str], *, emulated: bool) -> None:
        """Show what fell, the newest first."""
        self._fallen.setText("\n".join(rows))
        self._throws.setVisible(emulated)

    def show_tray(self, tray: TrayPicture | None, rows: Sequence[str]) -> None:
        """Show the tray, if it is watched, and what was read in it, the newest first."""
        self._tray_view.show_tray(tray)
        self._tray_view.setVisible(tray is not None)
        self._read.setText("\n".join(rows))

    def _lay_out(self) -> None:
        self._fallen.setAccessibleName(tr("What the dice showed"))
        self._shown.setAccessibleName(tr("What the rod shows"))
        self._read.setAccessibleName(tr("What was read in the tray"))
        self._strip.changed.connect(self.reshaped)
        self._draw_tray.clicked.connect(self.tray_wanted)
        inner = QWidget()
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(4, 4, 4, 4)
        for box, widgets in (
            (self.rod, (self._view, self._shown, self._strip)),
            (self.dice, (self._throws, self._fallen)),
            (self.tray, (self._draw_tray, self._tray_view, self._read)),
        ):
            for widget in widgets:
                box.room.addWidget(widget)
            layout.addWidget(box)
        layout.addStretch(1)
        self.setWidget(inner)


def _throws(thrown: Callable[[str], object]) -> QWidget:
    """What emulated dice can do."""
    box = QWidget()
    grid = QGridLayout(box)
    grid.setContentsMargins(0, 0, 0, 0)
    for place, (words, what, tip) in enumerate(
        (
            (tr("Throw 2d6"), "2d6", tr("Two emulated dice fall")),
            (tr("Throw 4dF"), "4dF", tr("Four emulated Fudge dice fall")),
            (tr("Leaning"), FaultInjector.COCKED, tr("A die falls that leans on something")),
            (tr("Old"), FaultInjector.STALE, tr("A roll comes in that fell 20 s ago")),
            (tr("Twice"), FaultInjector.DOUBLE, tr("One die falls twice")),
            (tr("Torn"), FaultInjector.TORN, tr("Half a line comes in: it is counted and dropped")),
        )
    ):
        button = tipped_button(words, tr("{tip}; what is thrown unasked answers the next request for 5 s", tip=tip))
        button.clicked.connect(lambda _, what=what: thrown(str(what)))
        grid.addWidget(button, place // 3, place % 3)
    return box
