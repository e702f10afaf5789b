"""Connects a battle's history with the window: thumbnails, going back, the battle's table, exports."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
from PyQt6.QtGui import QTransform
from PyQt6.QtWidgets import QWidget

from calibration.opencv import cv2
from rules.battle.battle import Battle
from rules.battle.event_codec import is_event
from rules.battle.progress import Cancelled
from rules.battle.story import story_lines
from rules.engine.events import TableLaid
from rules.tabletop.errors import UserError
from rules.tabletop.table import Outline, TerrainPiece
from ui.battle.history import HistoryMoment, battle_json, report_of
from ui.battle.report_page import report_page
from ui.battle.thumbnail_store import ThumbnailStore, small_jpeg
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.battle.film_dialog import FilmDialog
from ui.desktop.battle.history_dialog import HistoryDialog
from ui.desktop.picture.image import painting, to_bgr, to_qimage
from ui.desktop.picture.painter import paint
from ui.desktop.saving import BackgroundSave, ask_where
from ui.desktop.store import Store
from ui.picture.overlay import Label, table_overlay
from ui.session import TableState
from ui.setup.lens import camera_identity
from ui.translation import mark_for_translation, tr
from vision.frame import ImageBgr
from vision.table_view import TableView

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
        laid = TableLaid(camera=camera, terrain=terrain, area_in=area_in)
        self._store.attempt(lambda: battle.record(laid))

    # Exports

    def save_story(self, path: Path | None = None) -> None:
        """Write the battle's story as text; without a path, ask where."""
        self._save(path, tr("Save the story"), "txt", tr("Texts (*.txt)"), lambda battle, _: _story(battle))

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


def _story(battle: Battle) -> bytes:
    return "\n".join((*story_lines(battle.game, battle.in_force.values()), "")).encode()


_MAX_WIDTH_PX = 640
_MAX_WAITING = 20
"""Every waiting picture holds a frame; further ones are dropped."""


class ThumbnailRecorder:
    """Records the thumbnails of the open battle."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """`say` shows the player a message."""
        self.thumbnails: ThumbnailStore | None = None
        self._say, self._reported = say, ""
        self._battle: Battle | None = None
        self._last = 0
        self._writer: ThreadPoolExecutor | None = None
        self._writing: list[Future[None]] = []
        self._refusal = ""

    def record(self, battle: Battle | None, view: TableView | None, state: TableState) -> None:
        """Record a thumbnail if there are new events; may be called at any rate."""
        if battle is not self._battle:
            self._attach(battle)
        self._report_error()
        if battle is None or view is None or self.thumbnails is None or battle.entries[-1].seq == self._last:
            return
        new = [entry for entry in battle.entries[self._last :] if is_event(entry)]
        self._last = battle.entries[-1].seq
        self._writing = [one for one in self._writing if not one.done()]
        if new and self._writer is not None and len(self._writing) <= _MAX_WAITING:
            self._writing.append(self._writer.submit(self._write, self.thumbnails, new[-1].seq, view, state))

    def close(self) -> None:
        """Write the pending thumbnails, and stop."""
        if self._writer is not None:
            self._writer.shutdown()
        self._writer = None
        if self.thumbnails is not None:
            self.thumbnails.close()
        self.thumbnails = self._battle = None

    def _attach(self, battle: Battle | None) -> None:
        self.close()
        self._battle, self.thumbnails, self._last = battle, None, 0
        if battle is None:
            return
        self.thumbnails = ThumbnailStore(battle)
        self._last = battle.opened_seq  # earlier events have no picture
        self._writer = ThreadPoolExecutor(1, "sandtable thumbnails")

    def _write(self, thumbnails: ThumbnailStore, seq: int, view: TableView, state: TableState) -> None:
        try:
            thumbnails.put(seq, small_jpeg(small_picture(view, state)))
            self._refusal = thumbnails.remark
        except UserError as refusal:
            self._refusal = str(refusal)

    def _report_error(self) -> None:
        if self._refusal not in ("", self._reported):
            self._reported = self._refusal
            self._say(self._reported)


def small_picture(view: TableView, state: TableState) -> ImageBgr:
    """The picture with everything drawn over it except labels, at most `_MAX_WIDTH_PX` wide."""
    width, height = view.frame.size_px
    scale = min(1.0, _MAX_WIDTH_PX / width)
    size = (round(width * scale), round(height * scale))
    small = to_qimage(np.asarray(cv2.resize(view.frame.image_bgr, size, interpolation=cv2.INTER_AREA), np.uint8))
    with painting(small) as painter:
        shapes = [shape for shape in table_overlay(view, state) if not isinstance(shape, Label)]
        paint(painter, shapes, QTransform.fromTranslate(0.5, 0.5) * QTransform.fromScale(scale, scale), 0.8)
    return to_bgr(small)
