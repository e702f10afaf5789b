"""Opens battles in a thread, since long ones take seconds, and offers a copy of a damaged one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QWidget

from rules.battle.battle import Battle, Clock
from rules.battle.journal import Damaged
from rules.battle.progress import Cancelled
from rules.battle.recovery import recover
from ui.background_task import BackgroundTask
from ui.desktop.background_save import Say
from ui.desktop.bar import MessageActions
from ui.desktop.dialogs import ask_where
from ui.translation import tr

_TICK_MS = 40
_WAIT_S = 0.05
"""Most battles open faster than this, so the player sees no progress message."""


class BattleOpening:
    """Opens one battle at a time."""

    def __init__(self, window: QWidget, say: Say, clock: Clock, take: Callable[[Battle], object]) -> None:
        """Dialogs open over `window`; `say` shows a message, `clock` times events, `take` receives the open battle."""
        self._window, self._say, self._clock, self._take = window, say, clock, take
        self._behind: BackgroundTask[Battle | Damaged] = BackgroundTask("sandtable opening")
        self._name, self._part, self._cancelled = "", 0, False
        self._timer = QTimer(window)
        self._timer.timeout.connect(self._pull)

    def open(self, path: Path) -> None:
        """Open a battle in the background; `take` receives it, or the player is told why it cannot be opened."""
        self._start(path, lambda: Battle.open(path, self._clock, self._step))

    def close(self) -> None:
        """Stop opening, if in progress, and close the battle."""
        self._cancelled = True
        self._timer.stop()
        self._behind.join()
        found = self._behind.take()
        if isinstance(found, Battle):
            found.close()

    def _start(self, path: Path, make: Callable[[], Battle]) -> None:
        def work() -> Battle | Damaged:
            try:
                return make()
            except Damaged as damage:
                return damage

        if self._behind.busy:
            self._show_progress()
            return
        self._name, self._part, self._cancelled = path.name, 0, False
        self._behind.start(work)
        self._behind.join(_WAIT_S)
        self._timer.start(_TICK_MS)
        self._pull()

    def _step(self, done: int, of: int) -> None:
        self._part = 100 * done // max(of, 1)
        if self._cancelled:
            raise Cancelled(tr("Cancelled. No battle was opened."))

    def _pull(self) -> None:
        if self._behind.busy:
            self._show_progress()
            return
        self._timer.stop()
        found = self._behind.take()
        if isinstance(found, Battle):
            self._take(found)
            if found.remark:
                self._say(found.remark)
        elif found is not None:
            self._offer(found)
        elif self._behind.refusal:
            self._say(self._behind.refusal)

    def _show_progress(self) -> None:
        if self._cancelled:
            self._say(tr("Cancelling …"))
        else:
            words = tr("Opening {name} … {part} %", name=self._name, part=self._part)
            self._say(words, ((tr("Cancel"), self._cancel),))

    def _cancel(self) -> None:
        self._cancelled = True

    def _offer(self, damage: Damaged) -> None:
        actions: MessageActions = ((tr("Open copy"), lambda: self._open_copy(damage)),) if damage.kept else ()
        self._say(str(damage), actions)

    def _open_copy(self, damage: Damaged) -> None:
        name = f"{damage.path.stem}-copy.battle"
        copy = ask_where(self._window, tr("Save the copy"), name, tr("Battles (*.battle)"))
        if copy is None:
            return

        def make() -> Battle:
            recover(damage.path, copy, self._clock, self._step)
            return Battle.open(copy, self._clock, self._step)

        self._start(copy, make)
