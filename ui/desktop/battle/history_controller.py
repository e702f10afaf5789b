"""Connects a battle's history with the window: thumbnails, going back, the battle's table, exports."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PyQt6.QtWidgets import QWidget

from rules.battle.battle import Battle
from rules.battle.progress import Cancelled
from rules.engine.events import TableLaid
from rules.tabletop.errors import UserError
from rules.tabletop.table import Outline, TerrainPiece
from ui.battle.battle_report import report_of
from ui.battle.export import battle_json
from ui.battle.history import HistoryMoment
from ui.battle.report_page import report_page
from ui.battle.thumbnail_store import ThumbnailStore
from ui.desktop.background_save import BackgroundSave
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.battle.film_dialog import FilmDialog
from ui.desktop.battle.history_dialog import HistoryDialog
from ui.desktop.battle.thumbnail_recorder import ThumbnailRecorder
from ui.desktop.dialogs import ask_where
from ui.desktop.store import Store
from ui.setup.profiles import camera_identity
from ui.translation import mark_for_translation, tr

_SETTLED_S = 3.0
"""Keeps terrain that is being dragged from being journalled at every mouse step."""

_NONE = mark_for_translation("There is no battle yet. Start one in the menu Battle.")

_TableState = tuple[tuple[TerrainPiece, ...], Outline]


class HistoryController:
    """The commands of the Battle menu that concern its history."""

    def __init__(
        self, window: QWidget, battle: BattleController, store: Store, background_save: BackgroundSave
    ) -> None:
        """Dialogs open over `window`."""
        self._window, self._battle, self._store = window, battle, store
        self.clock: Callable[[], float] = time.monotonic
        self.recorder, self._background_save = ThumbnailRecorder(store.say), background_save
        self.dialog: HistoryDialog | None = None
        self.film: FilmDialog | None = None
        self._attached: Battle | None = None
        self._unsaved_table: tuple[_TableState, float] | None = None
        battle.begun.connect(self._record_table)

    @property
    def _open(self) -> Battle | None:
        return self._battle.play.battle if self._battle.play is not None else None

    def pull(self) -> None:
        """Record a thumbnail of new events and journal the table; called whenever anything is new."""
        battle = self._open
        if battle is not self._attached:
            self._attach(battle)
        self.recorder.record(battle, self._store.view, self._store.session.state)
        if battle is not None:
            self._journal_table(battle)

    def close(self) -> None:
        """Cancel the film and write the pending thumbnails."""
        if self.film is not None:
            self.film.stop()
        self.recorder.close()

    # History

    def show(self) -> None:
        """Open the history dialog."""
        battle = self._open
        if battle is None:
            self._store.say(tr(_NONE))
            return
        dialog = HistoryDialog(battle, self.recorder.thumbnails, self._go_to, self._window)
        dialog.finished.connect(dialog.deleteLater)
        dialog.finished.connect(self._forget_dialog)
        self.dialog = dialog
        dialog.open()

    def _forget_dialog(self) -> None:
        self.dialog = None

    def _go_to(self, position: HistoryMoment) -> None:
        self._store.change(lambda: self._battle.go_to(position.seqs[-1]))

    # The battle's table

    def lay_out(self) -> None:
        """Put the battle's terrain on the table, as a step that can be undone."""
        battle = self._open
        if battle is None or not battle.state.terrain:
            self._store.say(tr(_NONE) if battle is None else tr("This battle has no saved terrain."))
            return
        session, terrain = self._store.session, battle.state.terrain
        self._store.change(lambda: session.set_terrain(tr("restore terrain"), terrain))

    def _attach(self, battle: Battle | None) -> None:
        self._attached, self._unsaved_table = battle, None
        if battle is None:
            return
        if battle.state.terrain and not self._store.session.state.setup.terrain:
            count = len(battle.state.terrain)
            where = tr("Choose Battle, Restore terrain to put it back.")
            played = tr("This battle was played with {count} pieces of terrain.", count=count)
            if count == 1:
                played = tr("This battle was played with 1 piece of terrain.")
            self._store.say(f"{played} {where}")

    def _journal_table(self, battle: Battle) -> None:
        """Journal the table once it is at rest and the battle goes on: only looking at a battle adds no entry."""
        now = self._table
        if now == (battle.state.terrain, battle.state.area_in) or len(battle.entries) == battle.opened_seq:
            self._unsaved_table = None
        elif self._unsaved_table is None or self._unsaved_table[0] != now:
            self._unsaved_table = (now, self.clock())
        elif self.clock() - self._unsaved_table[1] > _SETTLED_S:
            self._unsaved_table = None
            self._record_table()

    @property
    def _table(self) -> _TableState:
        state = self._store.session.state
        return state.setup.terrain, state.area.corners_in if state.area is not None else ()

    def _record_table(self) -> None:
        """Journal the table as it is; of a new battle before its soldiers are placed, for its film."""
        battle, (terrain, area_in) = self._open, self._table
        if battle is None or (terrain, area_in) == (battle.state.terrain, battle.state.area_in):
            return
        camera = camera_identity(self._store.source_controller.spec)
        try:
            battle.record(TableLaid(camera=camera, terrain=terrain, area_in=area_in))
        except UserError as refusal:
            self._store.say(str(refusal))

    # Exports

    def save_json(self, path: Path | None = None) -> None:
        """Write the battle like `sandtable replay --json`; without a path, ask where."""
        self._save(
            path, tr("Save data"), "json", tr("Data (*.json)"), lambda battle, _: battle_json(battle, self._step)
        )

    def save_page(self, path: Path | None = None) -> None:
        """Write the story with its pictures as one web page."""
        self._save(path, tr("Save page"), "html", tr("Web pages (*.html)"), self._page)

    def _page(self, battle: Battle, thumbnails: ThumbnailStore | None) -> bytes:
        picture = (lambda _: None) if thumbnails is None else thumbnails.picture
        return report_page(report_of(battle), picture, self._step)

    def save_film(self) -> None:
        """Ask how to film the battle, and write it."""
        if self._open is None:
            self._store.say(tr(_NONE))
            return
        dialog = FilmDialog(self._open, self.recorder.thumbnails, self._store.say, self._window)
        dialog.finished.connect(dialog.deleteLater)
        dialog.finished.connect(self._forget_film)
        self.film = dialog
        dialog.open()

    def _forget_film(self) -> None:
        self.film = None

    def _save(
        self,
        path: Path | None,
        title: str,
        ending: str,
        kinds: str,
        make: Callable[[Battle, ThumbnailStore | None], bytes],
    ) -> None:
        battle, thumbnails = self._open, self.recorder.thumbnails
        if battle is None:
            self._store.say(tr(_NONE))
        elif path := path or ask_where(self._window, title, f"{battle.path.stem}.{ending}", kinds):
            self._background_save.send(path, lambda: make(battle, thumbnails))

    def _step(self, _done: int, _of: int) -> None:
        if self._background_save.is_cancelled:
            raise Cancelled(tr("Cancelled. Nothing was saved."))
