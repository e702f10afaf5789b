"""The Terrain tab: the list of pieces, and name, kind and height of the selected one."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QGroupBox,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from rules.tabletop.table import TerrainKind, TerrainPiece
from ui.desktop.dialogs import NumberBox
from ui.desktop.labels import plain_label
from ui.desktop.layouts import button_with_tip, in_column, in_row
from ui.table.terrain import Terrain, piece_named, terrain_words
from ui.translation import tr
from ui.vocabulary import terrain_kind_words

_MAX_HEIGHT_IN = 40.0


class TerrainPanel(QWidget):
    """The Terrain tab; independent of camera and session.

    Signals:
        chosen: Select the piece of this name.
        named, kinded: The selected piece gets this name or kind.
        raised, based: Its height or its base's height becomes this, in inches.
        removed, opened, saved: The button was pressed.
    """

    chosen = pyqtSignal(str)
    named = pyqtSignal(str)
    kinded = pyqtSignal(str)
    raised = pyqtSignal(float)
    based = pyqtSignal(float)
    removed = pyqtSignal()
    opened = pyqtSignal()
    saved = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self._shown: object = None
        self._list, self._of = QListWidget(), plain_label()
        self.name, self.kind, self.height_in, self.base_in = QLineEdit(), QComboBox(), NumberBox(), NumberBox()
        tip = tr("Remove the piece from the table (Delete)")
        self.remove = button_with_tip(tr("Remove"), tip, self.removed.emit)
        tip = tr("Save the terrain to a file for another day")
        self.save = button_with_tip(tr("Save…"), tip, self.saved.emit)
        in_column((self._pieces_box(), 1), self._piece_box(), on=self)

    def show_terrain(self, terrain: Terrain, selected: str | None, next_piece: TerrainPiece) -> None:
        """Show the pieces and the selected one, or without a selection the settings of the next piece."""
        shown = (terrain, selected, next_piece)
        if shown == self._shown:
            return
        self._shown = shown
        piece = piece_named(terrain, selected) or next_piece
        known = piece is not next_piece
        self._fill_list(terrain, selected)
        self._of.setText(piece.name if known else tr("The next piece"))
        boxes = (self.name, self.kind, self.height_in, self.base_in)
        for box in boxes:
            box.blockSignals(True)
        if not (self.name.hasFocus() and self.name.isModified()):
            self.name.setText(piece.name if known else "")
        self.kind.setCurrentIndex(self.kind.findData(str(piece.kind)))
        self.height_in.setValue(piece.height_in)
        self.base_in.setValue(piece.base_in)
        for box in boxes:
            box.blockSignals(False)
        for part in (self.name, self.base_in, self.remove):
            part.setEnabled(known)
        self.save.setEnabled(bool(terrain))

    def _fill_list(self, terrain: Terrain, selected: str | None) -> None:
        self._list.blockSignals(True)
        self._list.clear()
        for piece in terrain:
            item = QListWidgetItem(terrain_words(piece))
            item.setData(Qt.ItemDataRole.UserRole, piece.name)
            self._list.addItem(item)
            if piece.name == selected:
                self._list.setCurrentItem(item)
        self._list.blockSignals(False)

    def _pieces_box(self) -> QWidget:
        box = QGroupBox(tr("Terrain"))
        self._list.setToolTip(tr("The terrain on the table; click a piece to change it"))
        self._list.setAccessibleName(tr("Pieces of terrain"))
        self._list.setWordWrap(True)
        self._list.currentItemChanged.connect(lambda item, _: self._choose(item))
        tip = tr("Open terrain from a file; it replaces this terrain")
        open_ = button_with_tip(tr("Open…"), tip, self.opened.emit)
        in_column(self._list, in_row(open_, self.save), on=box)
        return box

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.chosen.emit(str(item.data(Qt.ItemDataRole.UserRole)))

    def _piece_box(self) -> QWidget:
        box = QGroupBox(tr("Piece"))
        font = self._of.font()
        font.setBold(True)
        self._of.setFont(font)
        self.name.setToolTip(tr("The piece's name, used in messages"))
        self.name.setMaxLength(40)
        self.name.editingFinished.connect(self._name)
        for kind in TerrainKind:
            self.kind.addItem(terrain_kind_words(kind), str(kind))
        self.kind.setToolTip(tr("What it is in the rules: it may hide, cover, slow or carry soldiers"))
        self.kind.currentIndexChanged.connect(lambda _: self.kinded.emit(str(self.kind.currentData())))
        self.kind.setMaxVisibleItems(self.kind.count())
        for number, signal, tip in (
            (self.height_in, self.raised, tr("Its height from bottom to top")),
            (self.base_in, self.based, tr("The height of what it stands on, such as a book under a house")),
        ):
            number.setRange(0.0, _MAX_HEIGHT_IN)
            number.setDecimals(2)
            number.setSingleStep(0.25)
            number.setSuffix(tr(" in"))
            number.setKeyboardTracking(False)
            number.setToolTip(tip)
            number.valueChanged.connect(signal)
        form = QFormLayout(box)
        form.addRow(self._of)
        for words, part in ((tr("&Name:"), self.name), (tr("&Kind:"), self.kind), (tr("Hei&ght:"), self.height_in)):
            form.addRow(words, part)
            part.setAccessibleName(words.replace("&", "").strip(":"))
        form.addRow(tr("Stands &on:"), self.base_in)
        self.base_in.setAccessibleName(tr("Stands on"))
        form.addRow(self.remove)
        return box

    def _name(self) -> None:
        if self.name.isModified():
            self.name.setModified(False)
            self.named.emit(self.name.text())
