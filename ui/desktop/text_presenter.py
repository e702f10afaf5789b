"""Writes the window's text from the store: message, offer, next step, status and undo. It changes nothing."""

from __future__ import annotations

from collections.abc import Callable

from ui.desktop.actions import Actions
from ui.desktop.bar import MessageActions
from ui.desktop.battle.panel import CLICK_ONE
from ui.desktop.features import Features
from ui.desktop.parts import Parts
from ui.desktop.store import Store
from ui.formatting import capitalized
from ui.setup.guidance import next_step, title_words
from ui.translation import tr


class TextPresenter:
    """Writes what the window says in words."""

    def __init__(
        self, parts: Parts, store: Store, features: Features, actions: Actions, log: Callable[[str], None]
    ) -> None:
        """Write about `store` and what the features ask; `log` is called with each message."""
        self._parts, self._store, self._features, self._actions, self._log = parts, store, features, actions, log

    def write(self) -> None:
        """Write all text."""
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
        steps = play.battle if play is not None and self._store.in_battle else self._store.session
        self._actions.show_undo_steps(steps.can_undo, steps.can_redo)

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
            return ((tr("Print markers…"), self._actions.print.trigger), *self._features.calibration.actions)
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
            return next_step(store.view, store.session.state, store.tool.name, hint, practice.hint)
        if store.source_controller.worker.source_problem:
            return ""
        return tr("Opening {spec}…", spec=title_words(store.source_controller.spec))
