"""Show the store: the picture with everything over it, and the window's text. They change nothing."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QObject, pyqtSignal

from ui.desktop.actions import Actions
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.battle.panel import CLICK_ONE
from ui.desktop.features import Features
from ui.desktop.messages import MessageActions
from ui.desktop.parts import Parts
from ui.desktop.store import Store
from ui.formatting import capitalized
from ui.hints import next_step, title_words
from ui.measuring import Read
from ui.picture.preview import Preview
from ui.rules_text import step_words
from ui.session import Ruler
from ui.tools.answer import current_answer
from ui.translation import tr
from vision.source import is_camera


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
            is_playing = store.in_battle and not self._features.files.is_setting_up
            moves = self._battle.pending if is_playing else ()
            self._parts.pills.show_moves(moves, display.seen(shown_view).calibration)
        self._parts.status.point(at, state)
        self.drawn.emit(reading)


class TextPresenter:
    """Writes what the window says in words."""

    def __init__(
        self, parts: Parts, store: Store, features: Features, actions: Actions, log: Callable[[str], None]
    ) -> None:
        """Write about `store` and what the features ask; `log` is called with each message."""
        self._parts, self._store, self._features, self._actions, self._log = parts, store, features, actions, log

    def write(self) -> None:
        store = self._store
        said, its_actions = store.message.now
        words = said or store.source_controller.problem
        self._log(words)
        offered, answers = ("", ()) if words else self._offer
        self._parts.bar.say(capitalized(words or offered), answers or (its_actions if said else self._solutions()))
        self._parts.hint.show_text(self._next_step())
        self._parts.status.tell(store.source_controller)
        self.show_undo_steps()

    def show_undo_steps(self) -> None:
        """Name the steps that can be undone and redone."""
        play = self._store.battle.play
        if play is not None and self._store.in_battle:
            undo, redo = (one and step_words(one) for one in (play.undo_label, play.redo_label))
        else:
            undo, redo = self._store.session.can_undo, self._store.session.can_redo
        self._actions.show_undo_steps(undo, redo)

    @property
    def _offer(self) -> tuple[str, MessageActions]:
        """The most urgent question to the player, with its answers, if any."""
        offers = (feature.offer for feature in self._features.asking)
        return next((offer for offer in offers if offer[0]), ("", ()))

    def _solutions(self) -> MessageActions:
        worker, view = self._store.source_controller.worker, self._store.view
        if worker.source_problem or worker.broken:
            return ((tr("Try again"), self._store.try_again), (tr("Open…"), self._offer_sources))
        if view is not None and view.problem:
            lasting = not is_camera(self._store.source_controller.spec)  # no marker can be laid there any more
            without = (tr("Without markers…"), self._features.calibration.click_corners)
            first = without if lasting else (tr("Print markers…"), self._actions.print.trigger)
            return (first, *self._features.calibration.actions)
        return ()

    def _offer_sources(self) -> None:
        self._actions.source_menu.popup(self._parts.bar.mapToGlobal(self._parts.bar.rect().bottomLeft()))

    def _next_step(self) -> str:
        store, frozen_frame, practice = self._store, self._features.frozen_frame, self._features.practice
        if frozen_frame.hint or practice.is_carrying:
            return frozen_frame.hint or practice.hint
        if self._features.files.is_setting_up:
            return tr("Click a soldier to select its row, or drag the mouse around several.")
        if store.in_battle and store.battle.is_rolling:
            return tr("Roll on the right, or enter the faces of your own dice.")
        if store.view is not None:
            selects = store.in_battle and store.tool.name == "select"
            hint = tr(CLICK_ONE) if selects else store.tool.hint
            drag = practice.hint if store.battle.may_move else ""
            return next_step(store.view, store.session.state, store.tool.name, hint, drag, keys=not selects)
        if store.source_controller.worker.source_problem:
            return ""
        if store.frame is not None:
            return tr("Looking at the table for the first time. This takes a few seconds.")
        return tr("Opening {spec}…", spec=title_words(store.source_controller.spec))
