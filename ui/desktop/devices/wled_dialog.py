"""Asks for a WLED controller on the network and for one of its segments."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QPushButton, QWidget

from hardware import wled
from hardware.wled import Address, Segment
from hardware.wled_link import WledError, segments
from rules.tabletop.errors import UserError
from ui.background_task import BackgroundTask
from ui.desktop.widgets import button_with_tip, wrapping_label
from ui.devices.device_connection import EMULATED_WLED, WLED
from ui.formatting import sentence
from ui.translation import tr

_POLL_MS, _WIDTH_PX = 50, 380


class WledDialog(QDialog):
    """Finds the segments of the controller at the typed address, in a thread.

    Attributes:
        spec: The chosen segment, as `DeviceConnection` names it; empty before the player chose one.
        words: What to do, or what went wrong.
    """

    def __init__(
        self, host: str, parent: QWidget | None = None, find: Callable[[Address], tuple[Segment, ...]] = segments
    ) -> None:
        """`host` is the last address; `find` asks a controller for its segments."""
        super().__init__(parent)
        self.setWindowTitle(tr("WLED on the network"))
        self.spec, self._list = "", find
        self._host, self._segment, self.words = QLineEdit(host), QComboBox(), wrapping_label()
        tip = tr("Ask the controller for its segments")
        self._find = button_with_tip(tr("Find segments"), tip, self.list_segments)
        tip = tr("Try an emulated device; no hardware is needed")
        emulate = button_with_tip(tr("Try one"), tip, lambda: self._choose(EMULATED_WLED))
        self._task: BackgroundTask[tuple[Segment, ...]] = BackgroundTask("sandtable WLED")
        self._found: Address | None = None
        self._host.setPlaceholderText("192.168.1.40")
        self._host.setToolTip(tr("The address that WLED's own page or app shows"))
        self._segment.setToolTip(tr("The part of the LEDs that lies on the rod; WLED's page names it"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._connect = QPushButton(tr("Connect"))
        buttons.addButton(self._connect, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(emulate, QDialogButtonBox.ButtonRole.ActionRole)
        form = QFormLayout(self)
        form.addRow(tr("Address:"), self._host)
        form.addRow("", self._find)
        form.addRow(tr("Segment:"), self._segment)
        form.addRow(self.words)
        form.addRow(buttons)
        self._host.textChanged.connect(self._forget)
        self._host.returnPressed.connect(self._find.click)
        buttons.accepted.connect(lambda: self._choose(f"{WLED}{self._found}/{self._segment.currentData()}"))
        buttons.rejected.connect(self.reject)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._take)
        self._forget()
        self._find.setDefault(True)
        self.setMinimumWidth(_WIDTH_PX)

    def _choose(self, spec: str) -> None:
        self.spec = spec
        self.accept()

    def _forget(self) -> None:
        """Another address has other segments."""
        self._found = None
        self._segment.clear()
        self._show(tr("Type the address of the controller, then find its segments."))

    def list_segments(self) -> None:
        try:
            where = wled.address(self._host.text())
        except ValueError as error:
            self._show(sentence(str(error)))
            return
        self._forget()
        self._task.drop()
        self._task.start(lambda: _segments(self._list, where))
        self._found = where
        self._show(tr("Asking {host}…", host=where))
        self._timer.start(_POLL_MS)

    def _take(self) -> None:
        if self._task.busy:
            return
        self._timer.stop()
        if self._found is None:
            return  # the address was changed meanwhile
        found = self._task.take() or ()
        for one in found:
            self._segment.addItem(tr("{segment} ({leds} LEDs)", segment=one.name, leds=one.leds), one.name)
        none = self._task.refusal or tr("This controller has no segments: add one on its own page.")
        self._show(tr("Choose the segment of the rod, then connect.") if found else sentence(none))

    def _show(self, words: str) -> None:
        self.words.setText(words)
        self._segment.setEnabled(self._segment.count() > 0)
        self._connect.setEnabled(self._segment.count() > 0)


def _segments(find: Callable[[Address], tuple[Segment, ...]], where: Address) -> tuple[Segment, ...]:
    try:
        return find(where)
    except WledError as error:
        raise UserError(str(error)) from None
