"""The history dialog: the battle moment by moment, with pictures, a map and the way back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PyQt6.QtCore import QAbstractListModel, QModelIndex, QSize, Qt
from PyQt6.QtGui import QIcon, QImage, QKeySequence, QPixmap, QShortcut
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QSplitter,
    QWidget,
)

from rules.battle.battle import Battle
from rules.engine.state import State
from ui.battle.battle_map import extent_of, map_shapes
from ui.battle.history import HistoryMoment, matching, positions
from ui.battle.thumbnail_store import ThumbnailStore
from ui.desktop.picture.image import to_qimage
from ui.desktop.picture.view import PictureView
from ui.desktop.widgets import button_with_tip, close_button, described, in_column, in_row, set_font
from ui.theme import DARK
from ui.translation import tr

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
        """Replace the rows."""
        self.beginResetModel()
        self._shown, self._icons = story, {}
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's default
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Text, thumbnail and tooltip of a row."""
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
        self.story.setPlainText("\n".join(one.lines))
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
