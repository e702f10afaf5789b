"""One device in the Devices tab: its port, its state, its buttons."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QComboBox, QGroupBox, QHBoxLayout, QPushButton, QVBoxLayout

from ui.desktop.labels import escape_markup, markup_label, wrapping_label
from ui.devices.device_connection import Choice, Level, Standing
from ui.translation import mark_for_translation, tr

_MARKS = {
    Level.OFF: "○",
    Level.LOOKING: "◔",
    Level.UP: "●",
    Level.TROUBLE: "▲",
}  # distinct shapes, for the colour-blind
_COLOURS = {Level.OFF: "#8a8f98", Level.LOOKING: "#56b4e9", Level.UP: "#00be8a", Level.TROUBLE: "#e69f00"}

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
        self._state, self._trouble, self._description = markup_label(), wrapping_label(), wrapping_label(description)
        self._state.setAccessibleName(tr("{title}: state", title=title))
        self._counters = wrapping_label()
        self._port = QComboBox()
        self._chosen: str | None = None
        self._port.setAccessibleName(tr("{title}: port", title=title))
        self._port.setToolTip(port_tip)
        self._port.setMinimumContentsLength(12)
        self._port.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._connect = button_with_tip(tr("Connect"), tr("Use this port, now and next time"))
        self._try = button_with_tip(try_words, tr("Try an emulated device; no hardware is needed"))
        self._test, self._forget = button_with_tip(tr("Test"), test_tip), button_with_tip("", "")
        self._replug = button_with_tip(tr("Unplug"), tr("Unplug the emulated device to see what happens"))
        self._connect.clicked.connect(lambda: self.connected.emit(self._port.currentData()))
        for button, signal in (
            (self._try, self.emulated),
            (self._test, self.tested),
            (self._forget, self.forgotten),
            (self._replug, self.replugged),
        ):
            button.clicked.connect(signal)
        self.extra_layout = QVBoxLayout()
        self._lay_out()

    @property
    def state(self) -> str:
        """The device's state as shown."""
        return self._state.text()

    def show_choices(self, found: Sequence[Choice], chosen: str | None) -> None:
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

    def show_standing(self, one: Standing, *, plugged: bool | None) -> None:
        """Show the device's state; `plugged` is None unless it is emulated."""
        mark_for_translation = f'<span style="color:{_COLOURS[one.level]}">{_MARKS[one.level]}</span>'
        self._state.setText(f"{mark_for_translation} {escape_markup(one.words)}")
        self._trouble.setText(
            tr("Last problem: {trouble}", trouble=one.trouble) if one.trouble and one.level is Level.UP else ""
        )
        self._trouble.setVisible(bool(self._trouble.text()))
        off = one.level is Level.OFF
        self._description.setVisible(off)
        self._forget.setEnabled(not off)
        self._test.setEnabled(one.level is Level.UP)
        emulated = plugged is not None
        self._forget.setText(tr("Stop") if emulated else tr("Forget"))
        self._forget.setToolTip(tr(_STOP_TIP if emulated else _FORGET_TIP))
        self._try.setVisible(bool(self._try.text()) and not emulated)
        self._replug.setVisible(emulated)
        self._replug.setText(tr("Unplug") if plugged else tr("Plug in"))

    def show_counters(self, words: str) -> None:
        """Show the counts of what was sent and received."""
        self._counters.setText(words)
        self._counters.setVisible(bool(words))

    def _lay_out(self) -> None:
        port, buttons = QHBoxLayout(), QHBoxLayout()
        port.addWidget(self._port, 1)
        port.addWidget(self._connect)
        for button in (self._try, self._replug, self._test, self._forget):
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setSpacing(4)
        layout.addWidget(self._state)
        layout.addWidget(self._counters)
        layout.addWidget(self._trouble)
        layout.addWidget(self._description)
        layout.addLayout(port)
        layout.addLayout(buttons)
        layout.addLayout(self.extra_layout)


def button_with_tip(words: str, tip: str) -> QPushButton:
    """Create a button with a tooltip."""
    button = QPushButton(words)
    button.setToolTip(tip)
    return button
