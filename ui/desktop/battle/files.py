"""Battles as files: begun, opened, told as a text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtWidgets import QWidget

from rules.battle.battle import Battle
from rules.tabletop.errors import UserError
from ui.battle.armies import Shelf, armies_folder
from ui.battle.battle_setup import NEEDS_TWO_SIDES
from ui.desktop.background_save import Say
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.battle.battle_setup_dialog import MusterDialog
from ui.desktop.battle.opening import BattleOpening
from ui.desktop.dialogs import ask_battle, ask_where
from ui.desktop.tools.window_context import WindowContext
from ui.desktop.translation import tr
from ui.files import write_bytes
from ui.formatting import begun
from vision.palette import army_names


class BattleFiles:
    """What the menu Battle does."""

    def __init__(
        self, window: QWidget, battle: BattleController, hands: WindowContext, show: Callable[[], None], say: Say
    ) -> None:
        """Ask over `window`; `show` brings the battle into sight, `say` tells a sentence with its buttons."""
        self._window, self._battle, self._hands, self._show = window, battle, hands, show
        self._opening = BattleOpening(window, say, battle.clock, self._take_up)

    def new_battle(self) -> None:
        """Ask what is played, and begin."""
        figures = self._hands.view.figures if self._hands.view else ()
        on_table = {figure.army for figure in figures}
        armies = [army for army in army_names(self._hands.session.state.setup.palette) if army in on_table]
        if len(armies) < 2:  # said before the player fills in a dialog
            self._hands.say(begun(NEEDS_TWO_SIDES))
            return
        dialog = MusterDialog(armies, figures, Shelf(armies_folder()), self._window)
        while dialog.exec() == MusterDialog.DialogCode.Accepted:  # what was typed stays until the battle has begun
            path = ask_where(self._window, tr("Keep the battle in"), "evening.battle", tr("Battles (*.battle)"))
            if path is None:
                continue
            try:
                self._battle.begin(path, dialog.muster)
            except UserError as refusal:
                dialog.say(begun(str(refusal)))
            else:
                self._hands.change(self._show)
                break
        dialog.deleteLater()

    def open_battle(self) -> None:
        """Ask for a battle and go on with it."""
        if path := ask_battle(self._window):
            play = self._battle.play
            if play is not None and play.battle.path.resolve() == path.resolve():
                self._hands.say(tr("{path} is open here already.", path=path))
            else:
                self._opening.open(path)
            self._show()

    def close(self) -> None:
        """End what is under way."""
        self._opening.close()

    def _take_up(self, battle: Battle) -> None:
        self._hands.change(lambda: self._battle.take_up(battle))

    def save_story(self, path: Path | None = None) -> None:
        """Write the battle as a text; ask where to if no path is given."""
        play = self._battle.play
        if play is None:
            self._hands.say(tr("There is no battle to tell of: begin one in the menu Battle."))
            return
        path = path or ask_where(self._window, tr("Save the story"), "evening.txt", tr("Texts (*.txt)"))
        if path is None:
            return
        try:
            write_bytes(path, "\n".join((*play.story, "")).encode())
            self._hands.say(tr("{path} is saved.", path=path))
        except UserError as refusal:
            self._hands.say(str(refusal))
