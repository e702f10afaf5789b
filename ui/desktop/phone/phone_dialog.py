"""The dialog of the phone page: start and stop it, its QR code, and how many phones show it."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QPixmap
from PyQt6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QPushButton, QWidget

from ui.desktop.labels import plain_label, wrapping_label
from ui.desktop.picture.image import to_qimage
from ui.phone.qr_code import qr_code
from ui.translation import tr

_CODE_PX, _WIDTH_PX = 260, 540


class PhoneDialog(QDialog):
    """Shows whether the phone page runs; closing the dialog leaves it running.

    Attributes:
        start, stop: The buttons; only one of them is shown.
        networks: The addresses to choose from.
        url: The page's address; empty while it does not run.

    Signals:
        started: Start the page at this address of the computer.
        stopped: Stop it.
    """

    started = pyqtSignal(str)
    stopped = pyqtSignal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Phone page"))
        self.networks, self.url, self.code = QComboBox(), QLineEdit(), QLabel()
        self._about, self._hint, self.phones = wrapping_label(), wrapping_label(), plain_label()
        self.start, self.stop = QPushButton(tr("Start page")), QPushButton(tr("Stop page"))
        self.start.setToolTip(tr("Let phones on this network open the page"))
        self.stop.setToolTip(tr("Close the page on all phones"))
        self.networks.setToolTip(tr("This computer's address on the phones' network"))
        self.url.setReadOnly(True)
        self.url.setToolTip(tr("The address to type where a phone cannot scan the code"))
        self.code.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.stop.setAutoDefault(False)  # Return must not end the page on all phones
        self.start.clicked.connect(lambda: self.started.emit(self.networks.currentText()))
        self.stop.clicked.connect(self.stopped)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        for button in (self.start, self.stop):
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        self._form = QFormLayout(self)
        for part in (self._about, self.code, self._hint):
            self._form.addRow(part)
        self._form.insertRow(1, tr("Network:"), self.networks)
        self._form.insertRow(3, tr("Address:"), self.url)
        self._form.insertRow(4, tr("Phones:"), self.phones)
        self._form.addRow(buttons)

    def show_stopped(self, addresses: Sequence[str]) -> None:
        """Show that the page does not run, and where it could; without an address, how to get one."""
        self.networks.clear()
        self.networks.addItems(addresses)
        self._about.setText(
            tr(
                "Players at the other side of the table can follow the battle on their phones: the map, whose turn it"
                " is, the last verdict, and what each soldier can do. They can change nothing, and the camera's"
                " picture is never sent."
            )
            if addresses
            else tr("This computer is not on a private network. Connect it to the phones' Wi-Fi, then open this again.")
        )
        self._hint.setText(tr("Everybody who gets the code can read the page until you stop it. Nobody else can."))
        self._show_running(False, has_choice=len(addresses) > 1, has_hint=bool(addresses))
        self.start.setEnabled(bool(addresses))

    def show_running(self, url: str, port: int) -> None:
        """Show the code of the running page."""
        self._about.setText(tr("Scan this code with a phone on the same network."))
        self.code.setPixmap(QPixmap.fromImage(to_qimage(qr_code(url, _CODE_PX))))
        self.code.setAccessibleName(tr("QR code of the address {url}", url=url))
        self.url.setText(url)
        self.url.setCursorPosition(0)
        self._hint.setText(
            tr(
                "If a phone cannot open the page, check that it is on the same network, and allow Sandtable to receive"
                " connections on port {port} in this computer's firewall.",
                port=port,
            )
        )
        self._show_running(True, has_choice=False, has_hint=True)

    def show_phones(self, count: int) -> None:
        """Show the number of connected phones."""
        self.phones.setText(tr("{count} connected", count=count))

    def _show_running(self, is_running: bool, *, has_choice: bool, has_hint: bool) -> None:
        for part in (self.code, self.url, self.phones):
            self._form.setRowVisible(part, is_running)
        self._form.setRowVisible(self._hint, has_hint)
        self._form.setRowVisible(self.networks, has_choice)
        self.start.setVisible(not is_running)
        self.stop.setVisible(is_running)
        self._form.activate()
        self.resize(_WIDTH_PX, self._form.totalHeightForWidth(_WIDTH_PX))  # `adjustSize` leaves room below wrapped text
