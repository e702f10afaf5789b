"""Starts, opens and exports battles as files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtWidgets import QWidget

from rules.battle.battle import Battle
from rules.tabletop.errors import UserError
from ui.battle.armies import ArmyLists, armies_folder
from ui.battle.battle_setup import NEEDS_TWO_SIDES
from ui.desktop.background_save import Say
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.battle.battle_setup_dialog import BattleSetupDialog
from ui.desktop.battle.opening import BattleOpening
from ui.desktop.dialogs import ask_battle, ask_where
from ui.desktop.tools.window_context import WindowContext
from ui.files import write_bytes
from ui.formatting import capitalized
from ui.translation import tr
from vision.palette import army_names


class BattleFiles:
    """The commands of the Battle menu that read or write files."""

    def __init__(
        self, window: QWidget, battle: BattleController, context: WindowContext, show: Callable[[], None], say: Say
    ) -> None:
        """Dialogs open over `window`; `show` brings the Battle tab to the front, `say` shows a message with buttons."""
        self._window, self._battle, self._context, self._show = window, battle, context, show
        self._opening = BattleOpening(window, say, battle.clock, self._resume)

    def new_battle(self) -> None:
        """Ask for the setup of a battle, and start it."""
        figures = self._context.view.figures if self._context.view else ()
        on_table = {figure.army for figure in figures}
        armies = [army for army in army_names(self._context.session.state.setup.palette) if army in on_table]
        if len(armies) < 2:  # checked before the player fills in a dialog
            self._context.say(capitalized(NEEDS_TWO_SIDES))
            return
        dialog = BattleSetupDialog(armies, figures, ArmyLists(armies_folder()), self._window)
        while dialog.exec() == BattleSetupDialog.DialogCode.Accepted:  # the input stays until the battle starts
            path = ask_where(self._window, tr("Save the battle"), "evening.battle", tr("Battles (*.battle)"))
            if path is None:
                continue
            try:
                self._battle.begin(path, dialog.battle_setup)
            except UserError as refusal:
                dialog.say(capitalized(str(refusal)))
            else:
                self._context.change(self._show)
                break
        dialog.deleteLater()

    def open_battle(self) -> None:
        """Ask for a battle and continue it."""
        if path := ask_battle(self._window):
            play = self._battle.play
            if play is not None and play.battle.path.resolve() == path.resolve():
                self._context.say(tr("{path} is already open.", path=path))
            else:
                self._opening.open(path)
            self._show()

    def close(self) -> None:
        """Stop opening a battle, if that is in progress."""
        self._opening.close()

    def _resume(self, battle: Battle) -> None:
        self._context.change(lambda: self._battle.resume(battle))

    def save_story(self, path: Path | None = None) -> None:
        """Write the battle's story as text; without a path, ask where."""
        play = self._battle.play
        if play is None:
            self._context.say(tr("There is no battle yet. Start one in the menu Battle."))
            return
        path = path or ask_where(self._window, tr("Save the story"), "evening.txt", tr("Texts (*.txt)"))
        if path is None:
            return
        try:
            write_bytes(path, "\n".join((*play.story, "")).encode())
            self._context.say(tr("Saved {path}.", path=path))
        except UserError as refusal:
            self._context.say(str(refusal))
