"""Starts and stops the phone page, and publishes the battle there whenever it changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, QTimer
from PyQt6.QtGui import QAction

from rules.engine.position import Position
from ui.desktop.action import create_action
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.parts import Parts
from ui.desktop.phone.phone_dialog import PhoneDialog
from ui.desktop.store import Store
from ui.phone.addresses import local_addresses
from ui.phone.snapshot import PhoneSnapshot, last_verdict
from ui.translation import tr

if TYPE_CHECKING:
    from ui.phone.server import PhoneServer

_PUBLISH_EVERY_MS = 250


class PhoneController(QObject):
    """The entry *Phone page…* in the menu Screen. Nothing listens until the player presses *Start page*.

    Attributes:
        action: The entry; its text says whether the page runs.
        addresses: Returns the addresses of this computer that phones may reach.
        server: The running page; None while it is stopped.
        dialog: The last dialog opened.
    """

    def __init__(self, parts: Parts, store: Store, battle: BattleController) -> None:
        super().__init__(parts.window)
        self._window, self._store, self._battle = parts.window, store, battle
        self.addresses: Callable[[], tuple[str, ...]] = local_addresses
        self.server: PhoneServer | None = None
        self.dialog: PhoneDialog | None = None
        tip = tr("Show the battle on phones on this network")
        self.action: QAction = create_action(parts.window, tr("Phone page…"), "", tip, self.show)
        parts.display.menu.addAction(self.action)
        self._published: tuple[object, ...] = ()
        # A copy has caches of its own, which only the server's thread fills.
        self._copy: Callable[[Position], Position] = lru_cache(maxsize=1)(lambda position: replace(position))
        self._verdict: tuple[object, tuple[str, ...]] = (None, ())
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._publish)

    def show(self) -> None:
        """Show the dialog; if it is open, bring it to the front."""
        if self.dialog is not None:
            self.dialog.raise_()
            self.dialog.activateWindow()
            return
        dialog = self.dialog = PhoneDialog(self._window)
        dialog.started.connect(lambda address: self._store.attempt(lambda: self.start(address)))
        dialog.stopped.connect(self.stop)
        dialog.finished.connect(self._forget_dialog)
        self._show_state()
        dialog.show()

    def _forget_dialog(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
        self.dialog = None

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
            state.area.corners_in if state.area is not None else (),
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
