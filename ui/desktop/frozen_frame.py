"""The picture that stands still: frozen, compared with what is seen now, saved."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import QObject, QTimer, pyqtSignal
from PyQt6.QtWidgets import QWidget

from ui.desktop.background_save import BackgroundSave
from ui.desktop.dialogs import ask_where
from ui.desktop.picture.painter import annotated
from ui.desktop.tools.window_context import WindowContext
from ui.desktop.translation import tr
from ui.files import picture_bytes, refuse_unpicturable
from ui.picture.overlay import Preview, table_overlay
from ui.questions.table_diff import compared
from ui.table.finding import Finding
from ui.units import Unit
from vision.frame import Frame
from vision.pipeline import TableView

BLINK_MS = 800
"""Slow enough for eyes that flicker harms, quick enough for others to see what jumps."""

Seen = tuple[Frame | None, TableView | None]


class Stills(QObject):
    """Keeps the picture that was frozen last.

    Signals:
        thawed: The picture is to go on.
        ended: There is nothing to compare with, or not any more.

    Attributes:
        comparing: Whether then and now are shown in turn.
        shows_then: Whether it is then's turn.
        errand: Writes files.
    """

    thawed = pyqtSignal()
    ended = pyqtSignal()

    def __init__(
        self,
        window: QWidget,
        hands: WindowContext,
        errand: BackgroundSave,
        refresh: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask over `window`; `refresh` shows anew what changed."""
        super().__init__(window)
        self._window, self._hands, self.errand, self._refresh, self._clock = window, hands, errand, refresh, clock
        self._then: tuple[Frame, TableView] | None = None
        self._frozen_s = 0.0
        self._found: tuple[TableView | None, Unit, Finding] | None = None
        self.comparing = self.shows_then = False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._blink)

    def freeze(self, on: bool) -> None:
        """Hold the picture, or let it go on; what was held is kept to compare with."""
        bench = self._hands.bench()
        if bench.worker.held and not on and bench.frame is not None and bench.view is not None:
            self._then = (bench.frame, bench.view)
        if on:
            self._frozen_s = self._clock()
        bench.worker.held = on

    def compare(self, on: bool) -> None:
        """Show the picture that was frozen last and the one of now in turn, with what has changed; or end it."""
        if on and self._hands.bench().worker.held:
            self.thawed.emit()
        if on and self._then is None:
            self._hands.say(tr("There is nothing to compare with yet: freeze a picture (P), compare (Shift+P) later."))
            self.ended.emit()
            return
        self.comparing = self.shows_then = on
        self._found = None
        if on:
            self._timer.start(BLINK_MS)
        else:
            self._timer.stop()
        self._refresh()

    def forget(self) -> None:
        """Another table is open: what was frozen is no measure for it."""
        self._then = None
        if self.comparing:
            self.ended.emit()

    @property
    def hint(self) -> str:
        """Which picture is shown; empty while none are compared."""
        if not self.comparing:
            return ""
        ago_s = self._clock() - self._frozen_s
        ago = tr("{ago_s:.0f} s ago", ago_s=ago_s) if ago_s < 100 else tr("{ago_min:.0f} min ago", ago_min=ago_s / 60)
        picture = (
            tr("THEN: as it was frozen {ago}.", ago=ago) if self.shows_then else tr("NOW: what has changed is marked.")
        )
        return tr("{picture}   Shift+P: leave", picture=picture)

    def shown(self, frame: Frame | None, view: TableView | None) -> Seen:
        """What is to be shown in their place."""
        return self._then if self.comparing and self.shows_then and self._then is not None else (frame, view)

    def over(self, preview: Preview, view: TableView | None) -> Preview:
        """The preview with what has changed, unless the tool in hand answers a question of its own."""
        finding = self._finding(view)
        return preview if finding is None or preview.finding is not None else replace(preview, finding=finding)

    def _finding(self, view: TableView | None) -> Finding | None:
        if not self.comparing or self._then is None or view is None:
            return None
        unit = self._hands.session.state.unit
        if self._found is None or self._found[0] is not view or self._found[1] is not unit:
            self._found = (view, unit, compared(self._then[1], view, unit))
        return self._found[2]

    def _blink(self) -> None:
        self.shows_then = not self.shows_then
        self._refresh()

    def save(self, path: Path | None = None, *, bare: bool = False) -> None:
        """Save the picture that is shown, with what is drawn over it or `bare`; ask where to if no path is given."""
        bench = self._hands.bench()
        frame, view = self.shown(bench.frame, bench.view)
        state, preview = self._hands.session.state, self.over(Preview(), bench.view)
        path = path or ask_where(self._window, tr("Save the picture"), "sandtable.png", tr("Pictures (*.png *.jpg)"))
        if path is None or frame is None:
            return
        refuse_unpicturable(path)
        where, image_bgr = path, frame.image_bgr
        shapes = table_overlay(view, state, preview) if view and not bare else ()
        self.errand.send(
            tr("Saving {name}", name=path.name),
            lambda: picture_bytes(where, annotated(image_bgr, shapes) if shapes else image_bgr),
            path,
            tr("{path} is saved.", path=path),
        )
