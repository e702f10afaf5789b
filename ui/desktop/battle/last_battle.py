"""Offers to continue a battle: the last one when the program starts, or the one that another table interrupted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from rules.battle.battle import Clock
from ui.background_task import BackgroundTask
from ui.battle.battle_folder import LastBattle, continue_words, last_battle
from ui.desktop.bar import MessageActions
from ui.translation import tr


class LastBattleOffer:
    """One offer at a time, in the message bar."""

    def __init__(self, clock: Clock, open_battle: Callable[[Path], object]) -> None:
        """`clock` returns seconds since the epoch; `open_battle` opens a battle in the background."""
        self._clock, self._open = clock, open_battle
        self._look: BackgroundTask[LastBattle] = BackgroundTask("sandtable last battle")
        self._path: Path | None = None
        self._words = ""

    def start(self, path: Path | None) -> None:
        """Look in a thread whether this battle can be continued, and then offer it."""
        if path is not None and path.is_file():
            self._look.start(lambda: last_battle(path, self._clock))

    def interrupted(self, path: Path) -> None:
        """Offer to continue this battle on the table that is open now."""
        self._path, self._words = path, tr("Another table is open, so the battle was closed. Go on with it here?")

    def withdraw(self) -> None:
        """Withdraw the offer, and stop looking: the file is free."""
        self._look.join()
        self._look.drop()
        self._path, self._words = None, ""

    @property
    def now(self) -> tuple[str, MessageActions]:
        """The offer with its answers; empty if there is none."""
        if (found := self._look.take()) is not None and not found.ended:
            self._path = found.path
            self._words = continue_words(found, datetime.fromtimestamp(self._clock()))
        if self._path is None:
            return "", ()
        path = self._path
        return self._words, ((tr("Continue"), lambda: self._open(path)), (tr("Not now"), self.withdraw))
