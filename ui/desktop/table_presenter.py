"""Draws the open table with everything over it, from the store. It changes nothing."""

from __future__ import annotations

from PyQt6.QtCore import QObject, pyqtSignal

from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.features import Features
from ui.desktop.parts import Parts
from ui.desktop.store import Store
from ui.measuring import Read
from ui.picture.overlay import Preview
from ui.session import Ruler
from ui.tools.answer import current_answer


class TablePresenter(QObject):
    """Draws the picture, what lies on it, what the tools and the battle point out, and the answer.

    Signals:
        drawn: With the reading of the ruler whose answer is shown; None if there is no such ruler.
    """

    drawn = pyqtSignal(object)

    def __init__(self, parts: Parts, store: Store, battle: BattleController, features: Features, read: Read) -> None:
        """Draw `store`, and what the features point out; `read` measures a ruler."""
        super().__init__(parts.picture)
        self._parts, self._store, self._battle, self._features, self._read = parts, store, battle, features, read

    def draw(self) -> None:
        """Draw the newest picture and everything over it."""
        store, view, state = self._store, self._store.view, self._store.session.state
        frozen_frame, practice = self._features.frozen_frame, self._features.practice
        display = self._parts.display
        shown, shown_view = frozen_frame.shown(store.frame, view)
        display.show_frame(shown, shown_view, state)
        at = None if practice.is_carrying or store.rests_on_answer else store.pointed
        self._parts.picture.in_progress = store.tool.in_progress
        bare_in = at.place_in if at is not None and at.figure is None and store.tool.name == "select" else None
        preview = store.tools.preview(at, self._battle.aiming(bare_in) if store.in_battle else Preview())
        preview = self._features.sight_areas.over(preview, self._battle.chosen)
        preview = self._features.files.lit(frozen_frame.over(preview, view), view)
        reading = None
        if view is not None and shown_view is not None:
            asking = Preview() if store.rests_on_answer else preview
            question = store.question(asking)
            reading = self._read(view, question) if isinstance(question, Ruler) else None
            answer = current_answer(view, state, asking, question, reading)
            display.show_table(shown_view, state, preview, answer)
            self._features.projector.show_table(shown_view, state, preview)
            moves = self._battle.pending if store.in_battle else ()
            self._parts.pills.show_moves(moves, display.seen(shown_view).calibration)
        self._parts.status.point(at, state)
        self.drawn.emit(reading)
