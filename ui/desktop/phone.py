"""The phone page in the window: its dialog, and publishing the battle there whenever it changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QObject, Qt, QTimer
from PyQt6.QtGui import QPixmap
from PyQt6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QWidget

from calibration.opencv import cv2
from rules.engine.position import Position
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.parts import Parts
from ui.desktop.picture.image import to_qimage
from ui.desktop.store import Store
from ui.desktop.widgets import button_with_tip, close_button, plain_label, wrapping_label
from ui.phone.addresses import local_addresses
from ui.phone.snapshot import PhoneSnapshot, last_verdict
from ui.translation import tr
from vision.frame import ImageBgr

if TYPE_CHECKING:
    from ui.phone.server import PhoneServer

_PUBLISH_EVERY_MS = 250


class PhoneController(QObject):
    """The entry *Phone page…* in the menu Screen. Nothing listens until the player presses *Start page*.

    Attributes:
        action: The entry; its text says whether the page runs.
        addresses: Returns the addresses of this computer that phones may reach.
        server: The running page; None while it is stopped.
        dialog: The dialog; None before it was opened.
    """

    def __init__(self, parts: Parts, store: Store, battle: BattleController) -> None:
        super().__init__(parts.window)
        self._window, self._store, self._battle = parts.window, store, battle
        self.addresses: Callable[[], tuple[str, ...]] = local_addresses
        self.server: PhoneServer | None = None
        self.dialog: PhoneDialog | None = None
        tip = tr("Show the battle on phones on this network")
        self.action = parts.display.menu.add(tr("Phone page…"), "", tip, self.show)
        self._published: tuple[object, ...] = ()
        # A copy has caches of its own, which only the server's thread fills.
        self._copy: Callable[[Position], Position] = lru_cache(maxsize=1)(lambda position: replace(position))
        self._verdict: tuple[object, tuple[str, ...]] = (None, ())
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._publish)

    def show(self) -> None:
        """Show the dialog; if it is open, bring it to the front."""
        if self.dialog is None:
            dialog = self.dialog = PhoneDialog(self._window)
            dialog.start.clicked.connect(lambda: self._store.attempt(lambda: self.start(dialog.networks.currentText())))
            dialog.stop.clicked.connect(self.stop)
        if not self.dialog.isVisible():  # the player's choice of a network stays
            self._show_state()
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def start(self, address: str) -> None:
        """Start the page at an address of this computer; raises `UserError` if it cannot be used."""
        from ui.phone.server import PhoneServer  # not before it is used: asyncio delays the program's start

        self.stop()
        self.server, self._published = PhoneServer(address), ()
        self._publish()
        self._timer.start(_PUBLISH_EVERY_MS)
        self._show_state()

    def stop(self) -> None:
        """Stop the page; returns at once."""
        self._timer.stop()
        if self.server is not None:
            self.server.stop()
        self.server = None
        self._show_state()

    def close(self) -> None:
        """Stop the page and wait until nothing listens."""
        server = self.server
        self.stop()
        if server is not None:
            server.join()

    def _show_state(self) -> None:
        self.action.setText(tr("Phone page…") if self.server is None else tr("Phone page (on)…"))
        if self.dialog is None:
            return
        if self.server is None:
            self.dialog.show_stopped(self.addresses())
        else:
            self.dialog.show_running(self.server.url, self.server.port)
            self.dialog.show_phones(self.server.phones)

    def _publish(self) -> None:
        """Publish the table if anything on it may have changed."""
        server, store, battle = self.server, self._store, self._battle
        if server is None:
            return
        if not server.running:
            self.stop()
            store.say(tr("The phone page has stopped unexpectedly. Start it again in the menu Screen."))
            return
        if self.dialog is not None:
            self.dialog.show_phones(server.phones)
        now = (store.view, store.session.state, battle.position, battle.turn_bar.shown)
        if any(one is not before for one, before in zip_longest(now, self._published)):
            self._published = now
            server.publish(self._snapshot())

    def _snapshot(self) -> PhoneSnapshot:
        view, state, position = self._store.view, self._store.session.state, self._battle.position
        return PhoneSnapshot(
            tuple(view.figures) if view is not None else (),
            state.setup.terrain,
            state.area_in or (),
            self._copy(position) if position is not None else None,
            self._battle.turn_bar.shown,
            self._last_verdict(),
        )

    def _last_verdict(self) -> tuple[str, ...]:
        play = self._battle.play
        entries = play.battle.entries if play is not None else None
        if self._verdict[0] is not entries:
            self._verdict = (entries, last_verdict(play.battle) if play is not None else ())
        return self._verdict[1]


_CODE_PX, _WIDTH_PX = 260, 540


class PhoneDialog(QDialog):
    """Shows whether the phone page runs; closing the dialog leaves it running.

    Attributes:
        start, stop: The buttons; only one of them is shown.
        networks: The addresses to choose from.
        url: The page's address; empty while it does not run.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Phone page"))
        self.networks, self.url, self.code = QComboBox(), QLineEdit(), QLabel()
        self._about, self._hint, self.phones = wrapping_label(), wrapping_label(), plain_label()
        tip = tr("Let phones on this network open the page")
        self.start = button_with_tip(tr("Start page"), tip)
        self.stop = button_with_tip(tr("Stop page"), tr("Close the page on all phones"))
        self.networks.setToolTip(tr("This computer's address on the phones' network"))
        self.url.setReadOnly(True)
        self.url.setToolTip(tr("The address to type where a phone cannot scan the code"))
        self.code.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.stop.setAutoDefault(False)  # Return must not end the page on all phones
        buttons = close_button(self)
        for button in (self.start, self.stop):
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        self._form = QFormLayout(self)
        self._form.addRow(self._about)
        self._form.addRow(tr("Network:"), self.networks)
        self._form.addRow(self.code)
        self._form.addRow(tr("Address:"), self.url)
        self._form.addRow(tr("Phones:"), self.phones)
        self._form.addRow(self._hint)
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


_QUIET_MODULES = 4
"""The white margin that the standard demands."""


def qr_code(text: str, least_px: int) -> ImageBgr:
    """The QR code of a text, (side, side, 3), with its white margin, at least `least_px` wide."""
    dark = np.asarray(cv2.QRCodeEncoder.create().encode(text), np.uint8) == 0
    rows, columns = np.nonzero(dark)  # the encoder's own margin is too narrow
    code = np.where(dark[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1], 0, 255).astype(np.uint8)
    code = np.pad(code, _QUIET_MODULES, constant_values=255)
    scale = -(-least_px // len(code))
    return np.repeat(np.kron(code, np.ones((scale, scale), np.uint8))[..., None], 3, axis=2)
