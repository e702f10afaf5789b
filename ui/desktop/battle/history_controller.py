"""A battle's history in the window: its dialog, thumbnails, going back, the battle's table, exports."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
from PyQt6.QtCore import QAbstractListModel, QModelIndex, QSize, Qt
from PyQt6.QtGui import QIcon, QImage, QKeySequence, QPixmap, QShortcut, QTransform
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QListView, QPlainTextEdit, QSplitter, QWidget

from calibration.opencv import cv2
from rules.battle.battle import Battle
from rules.battle.journal import is_event
from rules.battle.story import story_lines
from rules.engine.events import TableLaid
from rules.engine.state import State
from rules.tabletop.errors import UserError
from rules.tabletop.table import Outline, TerrainPiece
from ui.battle.battle_map import extent_of, map_shapes
from ui.battle.history import HistoryMoment, battle_json, matching, positions, report_of
from ui.battle.report_page import report_page
from ui.battle.thumbnail_store import ThumbnailStore, small_jpeg
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.battle.film import FilmDialog
from ui.desktop.picture.image import painting, to_bgr, to_qimage
from ui.desktop.picture.painter import paint
from ui.desktop.picture.view import PictureView
from ui.desktop.saving import BackgroundSave, ask_where
from ui.desktop.store import Store
from ui.desktop.widgets import button_with_tip, close_button, described, in_column, in_row, set_font
from ui.picture.drawing import table_overlay
from ui.picture.shapes import Label
from ui.rules_text import story_line
from ui.session import TableState
from ui.setup.lens import camera_identity
from ui.theme import DARK
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
        return state.setup.terrain, state.area_in or ()

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
        step = self._background_save.step
        self._save(path, tr("Save data"), "json", tr("Data (*.json)"), lambda battle, _: battle_json(battle, step))

    def save_page(self, path: Path | None = None) -> None:
        """Write the story with its pictures as one web page."""
        self._save(path, tr("Save page"), "html", tr("Web pages (*.html)"), self._page)

    def _page(self, battle: Battle, thumbnails: ThumbnailStore | None) -> bytes:
        picture = (lambda _: None) if thumbnails is None else thumbnails.picture
        return report_page(report_of(battle), picture, self._background_save.step)

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


_ICON = QSize(128, 72)
_MAP_PX = (900, 640)
_MAX_ICONS = 400


class MomentList(QAbstractListModel):
    """Moments as rows; a thumbnail is loaded when its row comes into view."""

    def __init__(self, picture: Callable[[HistoryMoment], QImage | None], parent: QWidget) -> None:
        super().__init__(parent)
        self._picture = picture
        self._shown: Sequence[HistoryMoment] = ()
        self._icons: dict[int, QIcon] = {}
        blank = QPixmap(_ICON)
        blank.fill(Qt.GlobalColor.transparent)
        self._blank = QIcon(blank)

    def show(self, story: Sequence[HistoryMoment]) -> None:
        self.beginResetModel()
        self._shown, self._icons = story, {}
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's default
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        position = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            when = f"{position.when:%H:%M}  " if position.when else ""
            undone = "" if position.stands else "  " + tr("(undone)")
            return f"{when}{position.title}{undone}"
        if role == Qt.ItemDataRole.DecorationRole:
            return self._icon(position)
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(position.lines)
        return None

    def _icon(self, position: HistoryMoment) -> QIcon:
        seq = position.seqs[-1]
        if seq not in self._icons:
            if len(self._icons) > _MAX_ICONS:
                self._icons.clear()
            image = self._picture(position)
            self._icons[seq] = self._blank if image is None else QIcon(QPixmap.fromImage(image))
        return self._icons[seq]


class HistoryDialog(QDialog):
    """Shows a battle's history, which changes nothing, and goes back to a moment on request."""

    def __init__(
        self, battle: Battle, thumbnails: ThumbnailStore | None, go_to: Callable[[HistoryMoment], None], parent: QWidget
    ) -> None:
        """Show a battle; `go_to` goes back or forward to a moment."""
        super().__init__(parent)
        self.setWindowTitle(tr("History"))
        self._battle, self._thumbnails, self._go_to = battle, thumbnails, go_to
        self._every: tuple[HistoryMoment, ...] = ()
        self._shown: tuple[HistoryMoment, ...] = ()
        self._extent = extent_of([State()])
        self.position: HistoryMoment | None = None
        self.search, self.list = QLineEdit(), QListView()
        self._map, self._picture = PictureView(), PictureView()
        self._title, self.story = QLabel(), QPlainTextEdit()
        tip = tr("Undo or redo until the battle is as it was then; you can come back again")
        self.back = button_with_tip("", tip, self._go)
        self._model = MomentList(self._image, self)
        self._lay_out()
        self.search.textChanged.connect(lambda _: self._find())
        QShortcut(QKeySequence.StandardKey.Find, self, self.search.setFocus)
        self.refresh()

    def refresh(self) -> None:
        """Reload the battle and show the newest moment that was not undone."""
        self._every = positions(self._battle)
        self._extent = extent_of(one.after for one in self._every)
        self._find()

    def _find(self) -> None:
        self._shown = matching(self._every, self.search.text())
        self._model.show(self._shown)
        held = [row for row, one in enumerate(self._shown) if one.stands]
        self.list.setCurrentIndex(self._model.index(held[-1] if held else 0))
        self._look(held[-1] if held else 0)

    def _look(self, row: int) -> None:
        self.position = one = self._shown[row] if 0 <= row < len(self._shown) else None
        if one is None:
            self._map.show_nothing()
            self._picture.hide()
            self._title.setText(tr("Nothing found. Try another word."))
            self.story.clear()
            self.back.setEnabled(False)
            return
        self._title.setText(one.title)
        self.story.setPlainText("\n".join(map(story_line, one.lines)))
        self._show_map(one)
        image = self._image(one)
        if image is not None:
            self._picture.show_picture(image.convertToFormat(QImage.Format.Format_RGB32))
        self._picture.setVisible(image is not None)
        self._update_back_button(one)

    def _update_back_button(self, one: HistoryMoment) -> None:
        steps = [other.seqs[-1] for other in self._every if other.stands and other.is_step]
        here = bool(steps) and steps[-1] == one.seqs[-1]
        self.back.setEnabled(one.is_step and not here)
        self.back.setText(tr("Go back") if one.stands else tr("Redo"))

    def _show_map(self, one: HistoryMoment) -> None:
        (width, height), shapes = map_shapes(one.after, self._extent, _MAP_PX, one.figures)
        ground = np.full((height, width, 3), DARK[2::-1], np.uint8)
        self._map.show_picture(to_qimage(ground))
        self._map.show_shapes(shapes)
        out = sum(unit.out for unit in one.after.units.values())
        self._map.setAccessibleName(tr("Map: {count} soldiers, {out} of them out", count=len(one.after.units), out=out))

    def _image(self, one: HistoryMoment) -> QImage | None:
        if self._thumbnails is None:
            return None
        seqs = self._thumbnails.seqs
        jpeg = next((self._thumbnails.picture(seq) for seq in reversed(one.seqs) if seq in seqs), None)
        if jpeg is None:
            return None
        image = QImage.fromData(jpeg, "JPG")  # Qt rejects images that do not fit into memory
        return None if image.isNull() else image

    def _go(self) -> None:
        if self.position is not None:
            self._go_to(self.position)
            self.refresh()

    def _lay_out(self) -> None:
        self._set_up_list()
        self._set_up_words()
        buttons = close_button(self)
        buttons.addButton(self.back, QDialogButtonBox.ButtonRole.ActionRole)
        left, right = QWidget(), QWidget()
        in_column(self.search, (self.list, 1), on=left, margin=0)
        in_column(self._title, (self._map, 3), in_row(self._picture, (self.story, 1)), on=right, margin=0)
        middle = QSplitter()
        middle.addWidget(left)
        middle.addWidget(right)
        middle.setStretchFactor(1, 1)
        middle.setSizes([420, 760])
        in_column((middle, 1), buttons, on=self)
        self.resize(1200, 680)
        self.list.setFocus()

    def _set_up_list(self) -> None:
        self.search.setPlaceholderText(tr("A soldier, such as Tan 4, or a word"))
        self.search.setClearButtonEnabled(True)
        described(self.search, tr("Search"), tr("Show only moments with this soldier or this word (Ctrl+F)"))
        self.list.setModel(self._model)
        self.list.setIconSize(_ICON)
        self.list.setUniformItemSizes(True)
        self.list.setWordWrap(True)
        self.list.setAccessibleName(tr("Moments"))
        selection = self.list.selectionModel()
        if selection is not None:
            selection.currentChanged.connect(lambda now, _: self._look(now.row()))

    def _set_up_words(self) -> None:
        set_font(self._title, bold=True, scale=1.35)
        self._title.setWordWrap(True)
        self.story.setReadOnly(True)
        self.story.setAccessibleName(tr("The story of this moment"))
        self._picture.setAccessibleName(tr("The table at this moment"))
        self._picture.setFixedSize(320, 180)
