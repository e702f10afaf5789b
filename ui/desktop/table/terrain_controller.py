"""Connects terrain with the window: tool, tab and files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PyQt6.QtCore import QObject, QSignalBlocker, Qt
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QGroupBox,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QTabWidget,
    QWidget,
)

from rules.tabletop.table import TerrainKind
from ui.desktop.picture.view import PictureView
from ui.desktop.saving import ask_file, ask_where
from ui.desktop.store import Store
from ui.desktop.table.terrain_tool import TERRAIN, TerrainTool
from ui.desktop.widgets import NumberBox, button_with_tip, described, in_column, in_row, plain_label, set_font
from ui.files import read_terrain
from ui.table.terrain import Terrain, fresh_name, piece_named, terrain_words, usual_height_in, usual_name, write_terrain
from ui.translation import tr
from ui.vocabulary import terrain_kind_words


class TerrainController(QObject):
    """The terrain of one window."""

    def __init__(self, picture: PictureView, sides: QTabWidget, store: Store) -> None:
        """Add a tab to `sides`; the Delete key, over `picture`, removes terrain."""
        super().__init__(picture)
        self._picture, self._store, self._sides, self._side_before = picture, store, sides, 0
        self._in_hand = False
        self.tool = TerrainTool(store)
        self.panel = TerrainPanel(store, self.tool, self.open, self.save)
        sides.addTab(self.panel, tr("Terrain"))
        for key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            shortcut = QShortcut(QKeySequence(key), picture)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(self._delete)

    def show(self) -> None:
        """Update the panel; its tab is shown while the tool is selected."""
        in_hand, tool = self._store.tool.name == TERRAIN, self.tool
        if in_hand and not self._in_hand:
            self._side_before = self._sides.currentIndex()
            self._sides.setCurrentWidget(self.panel)
        elif self._in_hand and not in_hand and self._sides.currentWidget() is self.panel:
            self._sides.setCurrentIndex(self._side_before)
        self._in_hand = in_hand
        if in_hand:
            self._picture.takes_wheel = tool.choosing
        self.panel.show_terrain(self._store.terrain, tool.selected, tool.kind, tool.height_in)

    def open(self, path: Path | None = None) -> None:
        """Load terrain from a file; without a path, ask which."""
        path = path or ask_file(self.panel, tr("Open terrain"), tr("Terrain (*.json);;All files (*)"))
        if path is not None:
            self._store.change(lambda: self._open(path))

    def save(self, path: Path | None = None) -> None:
        """Save the terrain to a file; without a path, ask where."""
        path = path or ask_where(self.panel, tr("Save the terrain"), "terrain.json", tr("Terrain (*.json)"))
        if path is not None:
            self._store.change(lambda: self._save(path))

    def _open(self, path: Path) -> None:
        self._store.session.set_terrain(tr("open {file}", file=path.name), read_terrain(path))
        self.tool.select(None)

    def _save(self, path: Path) -> None:
        write_terrain(path, self._store.terrain)
        self._store.say(tr("Saved {path}.", path=path))

    def _delete(self) -> None:
        if self._store.tool.name == TERRAIN:
            self._store.change(self.tool.delete)


_MAX_HEIGHT_IN = 40.0


class TerrainPanel(QWidget):
    """The Terrain tab: shows the pieces, and changes the selected one or the next."""

    def __init__(
        self, store: Store, tool: TerrainTool, open_file: Callable[[], object], save_file: Callable[[], object]
    ) -> None:
        """Change the piece that `tool` has selected; the buttons below the list call the functions for files."""
        super().__init__()
        self._store, self._tool = store, tool
        self._shown: object = None
        self._list, self._of = QListWidget(), plain_label()
        self.name, self.kind = QLineEdit(), QComboBox()
        tip = tr("Its height from bottom to top")
        self.height_in = NumberBox(0.0, _MAX_HEIGHT_IN, 0.25, unit=tr(" in"), tip=tip)
        tip = tr("The height of what it stands on, such as a book under a house")
        self.base_in = NumberBox(0.0, _MAX_HEIGHT_IN, 0.25, unit=tr(" in"), tip=tip)
        tip = tr("Remove the piece from the table (Delete)")
        self.remove = button_with_tip(tr("Remove"), tip, lambda: store.change(lambda: tool.delete(whole=True)))
        tip = tr("Open terrain from a file; it replaces this terrain")
        open_ = button_with_tip(tr("Open…"), tip, lambda: open_file())
        tip = tr("Save the terrain to a file for another day")
        self.save = button_with_tip(tr("Save…"), tip, lambda: save_file())
        in_column((self._pieces_box(open_), 1), self._piece_box(), on=self)

    def show_terrain(
        self, terrain: Terrain, selected: str | None, next_kind: TerrainKind, next_height_in: float
    ) -> None:
        """Show the pieces and the selected one, or without a selection the settings of the next piece."""
        shown = (terrain, selected, next_kind, next_height_in)
        if shown == self._shown:
            return
        self._shown = shown
        piece = piece_named(terrain, selected)
        self._fill_list(terrain, selected)
        self._of.setText(piece.name if piece else tr("The next piece"))
        boxes = (self.name, self.kind, self.height_in, self.base_in)
        for box in boxes:
            box.blockSignals(True)
        if not (self.name.hasFocus() and self.name.isModified()):
            self.name.setText(piece.name if piece else "")
        self.kind.setCurrentIndex(self.kind.findData(str(piece.kind if piece else next_kind)))
        self.height_in.setValue(piece.height_in if piece else next_height_in)
        self.base_in.setValue(piece.base_in if piece else 0.0)
        for box in boxes:
            box.blockSignals(False)
        for part in (self.name, self.base_in, self.remove):
            part.setEnabled(piece is not None)
        self.save.setEnabled(bool(terrain))

    def _fill_list(self, terrain: Terrain, selected: str | None) -> None:
        with QSignalBlocker(self._list):
            self._list.clear()
            for piece in terrain:
                item = QListWidgetItem(terrain_words(piece))
                item.setData(Qt.ItemDataRole.UserRole, piece.name)
                self._list.addItem(item)
                if piece.name == selected:
                    self._list.setCurrentItem(item)

    def _pieces_box(self, open_: QPushButton) -> QWidget:
        box = QGroupBox(tr("Terrain"))
        described(self._list, tr("Pieces of terrain"), tr("The terrain on the table; click a piece to change it"))
        self._list.setWordWrap(True)
        self._list.currentItemChanged.connect(lambda item, _: self._choose(item))
        in_column(self._list, in_row(open_, self.save), on=box)
        return box

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            name = str(item.data(Qt.ItemDataRole.UserRole))
            self._store.change(lambda: self._tool.select(name))

    def _piece_box(self) -> QWidget:
        box = QGroupBox(tr("Piece"))
        set_font(self._of, bold=True)
        self.name.setToolTip(tr("The piece's name, used in messages"))
        self.name.setMaxLength(40)
        self.name.editingFinished.connect(self._read_name)
        for kind in TerrainKind:
            self.kind.addItem(terrain_kind_words(kind), str(kind))
        self.kind.setToolTip(tr("What it is in the rules: it may hide, cover, slow or carry soldiers"))
        self.kind.currentIndexChanged.connect(lambda _: self._store.change(self._set_kind))
        self.kind.setMaxVisibleItems(self.kind.count())
        for number, change in ((self.height_in, self._raise), (self.base_in, self._base)):
            number.setKeyboardTracking(False)
            number.valueChanged.connect(partial(self._set_number, change))
        form = QFormLayout(box)
        form.addRow(self._of)
        for words, part in ((tr("&Name:"), self.name), (tr("&Kind:"), self.kind), (tr("Hei&ght:"), self.height_in)):
            form.addRow(words, part)
            part.setAccessibleName(words.replace("&", "").strip(":"))
        form.addRow(tr("Stands &on:"), self.base_in)
        self.base_in.setAccessibleName(tr("Stands on"))
        form.addRow(self.remove)
        return box

    # What the player changes

    def _set_number(self, change: Callable[[float], None], value: float) -> None:
        self._store.change(lambda: change(value))

    def _read_name(self) -> None:
        if self.name.isModified():
            self.name.setModified(False)
            self._store.change(lambda: self._rename(self.name.text()))

    def _rename(self, name: str) -> None:
        piece = self._tool.piece
        if piece is not None:
            self._tool.change(tr("rename {old} to {new}", old=piece.name, new=name), replace(piece, name=name.strip()))

    def _set_kind(self) -> None:
        """Change the kind; the height becomes the kind's usual one unless another was typed."""
        tool, piece, kind = self._tool, self._tool.piece, TerrainKind(self.kind.currentData())
        usual = (piece or tool).height_in == usual_height_in((piece or tool).kind)
        height_in = usual_height_in(kind) if usual else (piece or tool).height_in
        tool.kind, tool.height_in = kind, height_in
        if piece is not None:
            others = [one for one in self._store.terrain if one is not piece]
            said = piece.name.rstrip(" 0123456789") != usual_name(piece.kind)
            name = piece.name if said else fresh_name(usual_name(kind), others)
            changed = replace(piece, name=name, kind=kind, height_in=height_in)
            label = tr("change {piece} to {kind}", piece=piece.name, kind=terrain_kind_words(kind))
            tool.change(label, changed, as_seen_now=True)

    def _raise(self, height_in: float) -> None:
        piece = self._tool.piece
        self._tool.height_in = height_in
        if piece is not None:
            label = tr("set the height of {piece} to {height_in:g} in", piece=piece.name, height_in=height_in)
            self._tool.change(label, replace(piece, height_in=height_in), as_seen_now=True)

    def _base(self, base_in: float) -> None:
        piece = self._tool.piece
        if piece is not None:
            label = tr("set the base of {piece} to {base_in:g} in", piece=piece.name, base_in=base_in)
            self._tool.change(label, replace(piece, base_in=base_in), as_seen_now=True)
