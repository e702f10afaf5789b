"""Opens battles in a thread, since long ones take seconds, and offers to continue the last one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QWidget

from rules.battle.battle import Battle, Clock
from rules.battle.journal import Damaged
from rules.battle.progress import Cancelled
from rules.battle.recovery import recover
from ui.background_task import BackgroundTask
from ui.battle.battle_folder import LastBattle, continue_words, last_battle
from ui.desktop.bar import MessageActions, Say
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
        self._task: BackgroundTask[Battle | Damaged] = BackgroundTask("sandtable opening")
        self._name, self._part, self._cancelled = "", 0, False
        self._timer = QTimer(window)
        self._timer.timeout.connect(self._pull)

    def open(self, path: Path) -> None:
        """Open a battle in the background; `take` receives it, or a message says why it cannot be opened."""
        self._start(path, lambda: Battle.open(path, self._clock, self._step))

    def close(self) -> None:
        """Stop opening, if in progress, and close the battle."""
        self._cancelled = True
        self._timer.stop()
        self._task.join()
        found = self._task.take()
        if isinstance(found, Battle):
            found.close()

    def _start(self, path: Path, make: Callable[[], Battle]) -> None:
        def work() -> Battle | Damaged:
            try:
                return make()
            except Damaged as damage:
                return damage

        if self._task.busy:
            self._show_progress()
            return
        self._name, self._part, self._cancelled = path.name, 0, False
        self._task.start(work)
        self._task.join(_WAIT_S)
        self._timer.start(_TICK_MS)
        self._pull()

    def _step(self, done: int, of: int) -> None:
        self._part = 100 * done // max(of, 1)
        if self._cancelled:
            raise Cancelled(tr("Cancelled. No battle was opened."))

    def _pull(self) -> None:
        if self._task.busy:
            self._show_progress()
            return
        self._timer.stop()
        found = self._task.take()
        if isinstance(found, Battle):
            self._take(found)
            if found.remark:
                self._say(found.remark)
        elif found is not None:
            self._offer(found)
        elif self._task.refusal:
            self._say(self._task.refusal)

    def _show_progress(self) -> None:
        if self._cancelled:
            self._say(tr("Cancelling…"))
        else:
            words = tr("Opening {name}… {part} %", name=self._name, part=self._part)
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


class LastBattleOffer:
    """One offer at a time, in the message bar."""

    def __init__(self, clock: Clock, open_battle: Callable[[Path], object]) -> None:
        """`clock` returns seconds since the epoch; `open_battle` opens a battle in the background."""
        self._clock, self._open = clock, open_battle
        self._search: BackgroundTask[LastBattle] = BackgroundTask("sandtable last battle")
        self._path: Path | None = None
        self._words = ""

    def start(self, path: Path | None) -> None:
        """Look in a thread whether this battle can be continued, and then offer it."""
        if path is not None and path.is_file():
            self._search.start(lambda: last_battle(path, self._clock))

    def interrupted(self, path: Path) -> None:
        """Offer to continue this battle on the table that is open now."""
        self._path, self._words = path, tr("Another table is open, so the battle was closed. Continue it here?")

    def withdraw(self) -> None:
        """Withdraw the offer, and stop looking: the file is free."""
        self._search.join()
        self._search.drop()
        self._path, self._words = None, ""

    @property
    def now(self) -> tuple[str, MessageActions]:
        """The offer with its answers; empty if there is none."""
        if (found := self._search.take()) is not None and not found.ended:
            self._path = found.path
            self._words = continue_words(found, datetime.fromtimestamp(self._clock()))
        if self._path is None:
            return "", ()
        path = self._path
        return self._words, ((tr("Continue"), lambda: self._open(path)), (tr("Not now"), self.withdraw))
