"""Freezes the picture, compares it with the current one, and saves it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import QObject, QTimer, pyqtSignal
from PyQt6.QtWidgets import QWidget

from ui.desktop.picture.painter import annotated
from ui.desktop.saving import BackgroundSave, ask_where
from ui.desktop.store import Store
from ui.files import check_picture_name, picture_bytes
from ui.picture.drawing import table_overlay
from ui.picture.preview import Preview
from ui.table.finding import Finding
from ui.tools.table_diff import compared
from ui.translation import tr
from ui.vocabulary import Unit
from vision.frame import Frame
from vision.table_view import TableView

BLINK_MS = 800
"""Slow enough not to harm people sensitive to flicker, fast enough to see what changes."""

Seen = tuple[Frame | None, TableView | None]


class FrozenFrame(QObject):
    """Keeps the last frozen picture.

    Signals:
        thawed: The picture must go on.
        ended: The comparison has ended, or there is nothing to compare with.

    Attributes:
        comparing: Whether the frozen and the current picture are shown in turn.
        shows_then: Whether the frozen one is shown now.
    """

    thawed = pyqtSignal()
    ended = pyqtSignal()

    def __init__(self, window: QWidget, store: Store, background_save: BackgroundSave) -> None:
        """Dialogs open over `window`."""
        super().__init__(window)
        self._window, self._store, self.background_save = window, store, background_save
        self._then: tuple[Frame, TableView] | None = None
        self._frozen_s = 0.0
        self._found: tuple[TableView | None, Unit, Finding] | None = None
        self.comparing = self.shows_then = False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._blink)
        store.restarted.connect(self._forget)

    def freeze(self, on: bool) -> None:
        """Freeze the picture, or let it go on and keep the frozen one for comparison."""
        worker, frame, view = self._store.source_controller.worker, self._store.frame, self._store.view
        if worker.held and not on and frame is not None and view is not None:
            self._then = (frame, view)
        if on:
            self._frozen_s = self._store.clock()
        worker.held = on

    def compare(self, on: bool) -> None:
        """Start or end showing the frozen and the current picture in turn, with the changes marked."""
        if on and self._store.source_controller.worker.held:
            self.thawed.emit()
        if on and self._then is None:
            self._store.say(tr("Nothing to compare yet. Freeze the picture (P) first, and compare (Shift+P) later."))
            self.ended.emit()
            return
        self.comparing = self.shows_then = on
        self._found = None
        if on:
            self._timer.start(BLINK_MS)
        else:
            self._timer.stop()
        self._store.show()

    def _forget(self) -> None:
        """Drop the frozen picture, because the figures get new ids."""
        self._then = None
        if self.comparing:
            self.ended.emit()

    @property
    def hint(self) -> str:
        """Which picture is shown; empty while not comparing."""
        if not self.comparing:
            return ""
        ago_s = self._store.clock() - self._frozen_s
        ago = tr("{ago_s:.0f} s ago", ago_s=ago_s) if ago_s < 100 else tr("{ago_min:.0f} min ago", ago_min=ago_s / 60)
        picture = tr("BEFORE: frozen {ago}.", ago=ago) if self.shows_then else tr("NOW: changes are marked.")
        return tr("{picture}   Shift+P: stop", picture=picture)

    def shown(self, frame: Frame | None, view: TableView | None) -> Seen:
        """The frame and view to show instead of the current ones."""
        return self._then if self.comparing and self.shows_then and self._then is not None else (frame, view)

    def over(self, preview: Preview, view: TableView | None) -> Preview:
        """Add the changes to the preview, unless the selected tool shows its own finding."""
        finding = self._finding(view)
        return preview if finding is None or preview.finding is not None else replace(preview, finding=finding)

    def _finding(self, view: TableView | None) -> Finding | None:
        if not self.comparing or self._then is None or view is None:
            return None
        unit = self._store.session.state.unit
        if self._found is None or self._found[0] is not view or self._found[1] is not unit:
            self._found = (view, unit, compared(self._then[1], view, unit))
        return self._found[2]

    def _blink(self) -> None:
        self.shows_then = not self.shows_then
        self._store.show()

    def save(self, path: Path | None = None, *, bare: bool = False) -> None:
        """Save the shown picture, with what is drawn over it or `bare`; without a path, ask where."""
        frame, view = self.shown(self._store.frame, self._store.view)
        state, preview = self._store.session.state, self.over(Preview(), self._store.view)
        path = path or ask_where(self._window, tr("Save the picture"), "sandtable.png", tr("Pictures (*.png *.jpg)"))
        if path is None or frame is None:
            return
        check_picture_name(path)
        where, image_bgr = path, frame.image_bgr
        shapes = table_overlay(view, state, preview) if view and not bare else ()
        self.background_save.send(
            path, lambda: picture_bytes(where, annotated(image_bgr, shapes) if shapes else image_bgr)
        )
