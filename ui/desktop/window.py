"""The main window: creates the store and the features, and connects them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QSettings, QTimer
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import QMainWindow

from ui.desktop.actions import Actions
from ui.desktop.appearance import Appearance
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.battle.panel import BattlePanel
from ui.desktop.battle.pending_moves import MovePills
from ui.desktop.commands import Commands, FileDrop, Mouse
from ui.desktop.devices.devices_controller import DevicesController
from ui.desktop.features import Features
from ui.desktop.film_bar import FilmController
from ui.desktop.guide import GuideController
from ui.desktop.help_controller import HelpController
from ui.desktop.messages import MessageBar, OutcomeBanner, Toast
from ui.desktop.parts import CentralWidget, HintLabel, Parts, StatusLine
from ui.desktop.picture.view import PictureView
from ui.desktop.presenters import TablePresenter, TextPresenter
from ui.desktop.settings import Settings
from ui.desktop.store import Store
from ui.desktop.table.panel import SidePanel
from ui.desktop.table_display import TableDisplay
from ui.diagnostics import EventLog
from ui.hints import title_words
from ui.measuring import Readings
from ui.translation import tr
from vision.source import Source, open_source

_TICK_MS = 16
_TEXT_EVERY_S = 0.2
"""Text that changes faster cannot be read."""


class Window(QMainWindow):
    """The program's window."""

    def __init__(
        self,
        spec: str | None,
        settings: QSettings,
        opener: Callable[[str], Source] = open_source,
        clock: Callable[[], float] = time.monotonic,
        event_log: EventLog | None = None,
        tables: Path | None = None,
        battles: Path | None = None,
    ) -> None:
        """Build the window and open a source.

        `opener` opens a source in a thread; `clock` returns seconds. By default, the source is the last one, and the
        folders of saved tables and battles are the user's own.
        """
        super().__init__()
        stored, self._clock, self._text_written_s = Settings(settings), clock, 0.0
        self.picture, self.panel, self.bar, hint = PictureView(), SidePanel(), MessageBar(), HintLabel()
        self.banner, self.toast, self.pills = OutcomeBanner(clock), Toast(clock), MovePills(self.picture)
        self.display = TableDisplay(self, self.picture, self.panel, read := Readings(), self._draw)
        self.store = Store(stored, self.display.point_at, opener, clock)
        chance = random.SystemRandom()
        self.battle = self.store.battle = BattleController(BattlePanel(), self.store.say, time.time, chance)
        self.status = StatusLine(self.statusBar(), lambda: self.store.session.search_now())
        self.devices = DevicesController(stored, self.store.say, chance, opener=opener)
        central = self._arrange(hint)
        parts = Parts(
            self, self.picture, self.display, self.panel, self.sides, self.bar, hint, self.status, self.pills, stored
        )
        features = self.features = Features(parts, self.store, self.battle, tables, battles)
        self.commands = Commands(parts, self.store, self.battle, features, self.toast)
        log = event_log or EventLog()
        self._create_menus(parts, central, log)
        self._mouse, self._drop = Mouse(self.commands), FileDrop(self.commands)
        self._table = TablePresenter(parts, self.store, self.battle, features, read)
        self._text = TextPresenter(parts, self.store, features, self.actions_, log.said)
        self._connect()
        self.store.open_first(stored.source if spec is None else spec)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.pull)
        self._timer.start(_TICK_MS)

    def _arrange(self, hint: HintLabel) -> CentralWidget:
        tabs = {tr("Table"): self.panel, tr("Battle"): self.battle.panel, tr("Devices"): self.devices.panel}
        central = CentralWidget(
            self.picture,
            self.bar,
            hint,
            tabs,
            above=self.battle.turn_bar,
            banner=self.banner,
            toast=self.toast,
            below=self.display.big,
        )
        self.pills.keep_off(self.toast)
        self.sides = central.sides
        self.setCentralWidget(central)
        return central

    def _create_menus(self, parts: Parts, central: CentralWidget, log: EventLog) -> None:
        actions = self.actions_ = Actions(self, self.commands)
        self.film = FilmController(parts, self.store, actions)
        central.add_under_picture(self.film.bar)
        central.add_left(actions.rail)
        self.appearance = Appearance(parts, actions, self.store.say)
        self.help = HelpController(self, GuideController(self.commands, actions.rail), log)
        menus = (self.features.practice.menu, self.features.calibration.menu, self.help.menu)
        actions.add_menus(self.display.menu, *menus)

    def _connect(self) -> None:
        store, battle, features = self.store, self.battle, self.features
        store.changed.connect(self._show)
        store.said.connect(self._write)
        store.opened.connect(self._clear)
        self.sides.currentChanged.connect(self._follow_tab)
        self.picture.zoomed.connect(lambda: self._draw())
        self.panel.army_box.editTextChanged.connect(lambda _: self._write())
        battle.changed.connect(store.show)  # on a frozen picture nothing else would
        battle.turn_bar.go_on.connect(self._show_battle)
        battle.resolved.connect(self.banner.announce)
        battle.recorded.connect(self.commands.confirm)
        features.files.shown.connect(self._show_battle)
        features.files.left.connect(lambda: self.sides.setCurrentWidget(self.panel))
        features.files.changed.connect(self._draw)
        self._mouse.moved.connect(self._draw)
        self._table.drawn.connect(lambda reading: self.devices.answer(reading, store.session.state.basis))
        self._table.drawn.connect(lambda _: features.terrain.show())

    def _show_battle(self) -> None:
        self.sides.setCurrentWidget(self.battle.panel)
        self.store.show()

    def _follow_tab(self) -> None:
        self.store.battle_shown = self.sides.currentWidget() is self.battle.panel

    def _clear(self) -> None:
        """Show an empty picture for the source that is being opened."""
        self.setWindowTitle(title_words(self.store.source_controller.spec))
        self.display.clear()

    def _draw(self) -> None:
        """Draw the table, and write the text unless it was written just now."""
        self._table.draw()
        self._text.show_undo_steps()
        if self._clock() - self._text_written_s > _TEXT_EVERY_S:
            self._write()

    def _write(self) -> None:
        self._text_written_s = self._clock()
        self._text.write()
        self.features.practice.follow()
        self.features.groups.show()

    def _show(self) -> None:
        self._table.draw()
        self._write()

    def pull(self) -> None:
        """Take new results from the threads and show them; called by the timer."""
        shot = None if self.sides.currentWidget() is self.panel else self.battle.shot
        self.devices.pull(self.battle.rolling.card, self.store.source_controller, shot)
        self.store.session.keep_names(self.battle.figures)
        self.film.pull()
        self.store.pull_opening()
        has_outline = self.features.pull()
        has_news = self.store.source_controller.pull()
        if has_news:
            self.features.follow_table()
            self.store.follow_table()
        if has_news or has_outline:
            self._draw()
        elif self._clock() - self._text_written_s > _TEXT_EVERY_S:
            self._write()

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Stop the threads and store the window's geometry."""
        self._timer.stop()
        self.appearance.keep_geometry()
        self.hide()
        for part in (self.features, self.battle, self.devices, self.help.guide):
            part.close()
        self.store.close()
        super().closeEvent(event)
