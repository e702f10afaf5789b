"""Connects terrain with the window: tool, panel and files."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import QObject, Qt, QTimer
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import QTabWidget

from rules.tabletop.table import TerrainKind, TerrainPiece
from ui.desktop.dialogs import ask_terrain, ask_where
from ui.desktop.picture.view import PictureView
from ui.desktop.store import Store
from ui.desktop.table.terrain_panel import TerrainPanel
from ui.desktop.table.terrain_tool import TERRAIN, OutlineSearch, TerrainTool
from ui.files import read_terrain
from ui.table.terrain import fresh_name, usual_height_in, usual_name, write_terrain
from ui.translation import tr
from ui.vocabulary import terrain_kind_words
from vision.terrain import OutlineProposal

_LOOK_EVERY_MS = 20


class TerrainController(QObject):
    """The terrain of one window."""

    def __init__(self, picture: PictureView, sides: QTabWidget, store: Store) -> None:
        """Add a tab to `sides`; the Delete key, over `picture`, removes terrain."""
        self.panel = TerrainPanel()
        super().__init__(picture)
        self._picture, self._store, self._sides, self._side_before = picture, store, sides, 0
        self._in_hand = False
        sides.addTab(self.panel, tr("Terrain"))
        self._looker = ThreadPoolExecutor(1, "terrain")
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_EVERY_MS)
        self._timer.timeout.connect(self._take)
        self.tool = TerrainTool(store, self._begin)
        for key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            shortcut = QShortcut(QKeySequence(key), picture)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(self._delete)
        panel = self.panel
        panel.chosen.connect(lambda name: store.change(lambda: self.tool.select(name)))
        panel.named.connect(lambda name: store.change(lambda: self._rename(name)))
        panel.kinded.connect(lambda kind: store.change(lambda: self._set_kind(TerrainKind(kind))))
        panel.raised.connect(lambda height_in: store.change(lambda: self._raise(height_in)))
        panel.based.connect(lambda base_in: store.change(lambda: self._base(base_in)))
        panel.removed.connect(lambda: store.change(self._remove))
        panel.opened.connect(self.open)
        panel.saved.connect(self.save)

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
        outline_in = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
        next_piece = TerrainPiece("", tool.kind, outline_in, 0.0, tool.height_in)
        self.panel.show_terrain(self._store.terrain, tool.selected, next_piece)

    def open(self, path: Path | None = None) -> None:
        """Load terrain from a file; without a path, ask which."""
        path = path or ask_terrain(self.panel)
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

    def _begin(self, search: OutlineSearch) -> Future[OutlineProposal]:
        self._timer.start()
        return self._looker.submit(search)

    def _take(self) -> None:
        if self.tool.is_found:
            self._timer.stop()
            self._store.change(self.tool.take)

    def _delete(self) -> None:
        if self._store.tool.name == TERRAIN:
            self._store.change(self.tool.delete)

    def _remove(self) -> None:
        self.tool.cancel_corner()
        self.tool.delete()

    def _rename(self, name: str) -> None:
        piece = self.tool.piece
        if piece is not None:
            self.tool.change(tr("rename {old} to {new}", old=piece.name, new=name), replace(piece, name=name.strip()))

    def _set_kind(self, kind: TerrainKind) -> None:
        """Change the kind; the height becomes the kind's usual one unless another was typed."""
        tool, piece = self.tool, self.tool.piece
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
        piece = self.tool.piece
        self.tool.height_in = height_in
        if piece is not None:
            label = tr("set the height of {piece} to {height_in:g} in", piece=piece.name, height_in=height_in)
            self.tool.change(label, replace(piece, height_in=height_in), as_seen_now=True)

    def _base(self, base_in: float) -> None:
        piece = self.tool.piece
        if piece is not None:
            label = tr("set the base of {piece} to {base_in:g} in", piece=piece.name, base_in=base_in)
            self.tool.change(label, replace(piece, base_in=base_in), as_seen_now=True)
