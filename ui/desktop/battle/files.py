"""Starts, opens, closes, copies and exports battles."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from PyQt6.QtCore import QObject, QPoint, Qt, pyqtSignal
from PyQt6.QtWidgets import QApplication, QWidget

from rules.battle.battle import Battle
from rules.tabletop.errors import UserError
from ui.battle.armies import ArmyLists, armies_folder
from ui.battle.battle_folder import new_battle_path
from ui.battle.battle_overlay import lit_marks
from ui.battle.battle_setup import NEEDS_TWO_SIDES, BattleSetup
from ui.battle.titles import title_of
from ui.desktop.bar import MessageActions
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.battle.battle_setup_dialog import BattleSetupDialog
from ui.desktop.battle.opening import BattleOpening, LastBattleOffer
from ui.desktop.dialogs import ask_battle, ask_where, place_right
from ui.desktop.picture.view import PictureView
from ui.desktop.settings import Settings
from ui.desktop.store import Store
from ui.desktop.tools.tool import PickResult
from ui.files import write_bytes
from ui.formatting import capitalized
from ui.picture.overlay import Preview
from ui.table.portrait import portrait
from ui.tools.tool_context import basis_of
from ui.translation import tr
from vision.examples import CROP_PX
from vision.palette import army_names
from vision.table_view import TableView


class BattleFiles(QObject):
    """The commands of the Battle menu that start, open, close or write battles.

    Signals:
        continued: An earlier battle is about to be opened.
        shown: A battle is open, or will be soon: bring it to the front.
        left: The battle is closed.
        changed: What the setup of a battle points out has changed.
    """

    continued = pyqtSignal()
    shown = pyqtSignal()
    left = pyqtSignal()
    changed = pyqtSignal()

    def __init__(
        self,
        window: QWidget,
        picture: PictureView,
        battle: BattleController,
        store: Store,
        settings: Settings,
        folder: Path,
    ) -> None:
        """Dialogs open over `window` and leave the table in `picture` free; new battles are saved in `folder`."""
        super().__init__(window)
        self._window, self._picture, self._battle, self._store = window, picture, battle, store
        self._settings, self._folder = settings, folder
        self._opening = BattleOpening(window, store.say, battle.clock, self._resume)
        self._offer = LastBattleOffer(battle.clock, self._open)
        self._offer.start(settings.last_battle)
        self._setup: BattleSetupDialog | None = None
        battle.panel.games.chosen.connect(self.new_battle)
        store.closing.connect(self._leave_table)

    @property
    def offer(self) -> tuple[str, MessageActions]:
        """The offer to continue a battle, with its answers; empty if there is none."""
        return self._offer.now if self._battle.play is None else ("", ())

    @property
    def is_setting_up(self) -> bool:
        """Whether the setup of a battle is open."""
        return self._setup is not None

    def new_battle(self, game: str = "") -> None:
        """Ask for the setup of a battle, and start it; `game` is the one to propose, empty for any."""
        if self._setup is not None:
            if game:
                self._setup.choose_game(game)
            self._setup.activateWindow()
            return
        view = self._store.view
        figures = view.figures if view is not None else ()
        on_table = {figure.army for figure in figures}
        armies = [army for army in army_names(self._store.session.state.setup.palette) if army in on_table]
        if view is None or len(armies) < 2:  # checked before the player fills in a dialog
            self._store.say(capitalized(tr(NEEDS_TWO_SIDES)))
            return
        found = ((figure.id, portrait(view, figure.id, CROP_PX)) for figure in figures)
        crops = {name: crop for name, crop in found if crop is not None}
        lists = ArmyLists(armies_folder())
        self._setup = dialog = BattleSetupDialog(armies, figures, lists, self._window, self._begin, crops)
        if game:
            dialog.choose_game(game)
        dialog.pointed.connect(self.changed)
        dialog.finished.connect(self._forget_setup)
        dialog.finished.connect(dialog.deleteLater)
        dialog.show()
        place_right(dialog, self._window)
        right_edge = self._picture.mapToGlobal(QPoint(self._picture.width(), 0))
        self._picture.keep_clear(right_edge.x() - dialog.x())

    def press(self, at: PickResult) -> bool:
        """Begin to select soldiers on the table, while a battle is being set up; return whether one is."""
        if self._setup is not None:
            shift = bool(QApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._setup.picker.press(at, extend=shift)
        return self._setup is not None

    def move(self) -> None:
        """The mouse moved over the table."""
        if self._setup is not None:
            self._setup.picker.move(self._store.pointed)

    def release(self, at: PickResult) -> bool:
        """Select soldiers on the table, while a battle is being set up; return whether one is."""
        if self._setup is not None:
            self._setup.picker.release(at)
            self.changed.emit()
        return self._setup is not None

    def lit(self, preview: Preview, view: TableView | None) -> Preview:
        """The preview with a ring around each soldier that the setup of a battle points out, and the drawn line."""
        if self._setup is None or view is None:
            return preview
        lit = lit_marks(view.figures, self._setup.soldiers.pointed_out)
        return replace(preview, marks=(*preview.marks, *lit, *self._setup.picker.marks(self._store.pointed)))

    def _forget_setup(self) -> None:
        self._setup = None
        self._picture.keep_clear(0)
        self.changed.emit()

    def _begin(self, setup: BattleSetup) -> None:
        now = datetime.fromtimestamp(self._battle.clock())
        path = new_battle_path(self._folder, title_of(setup.game), now)
        self._battle.begin(path, setup)
        self._note_open(path)
        self._store.use_tool("select")  # a click on a soldier shows its actions
        self._store.change(self._show)

    def open_battle(self) -> None:
        """Ask for a battle and continue it."""
        if path := ask_battle(self._window, self._folder):
            self._open(path)

    def continue_last(self) -> None:
        """Continue the last battle."""
        path = self._settings.last_battle
        if path is None or not path.is_file():
            self._store.say(tr("There is no earlier battle. Start one with New battle."))
        else:
            self._open(path)

    def _open(self, path: Path) -> None:
        self._offer.withdraw()
        play = self._battle.play
        if play is not None and play.battle.path.resolve() == path.resolve():
            self._store.say(tr("This battle is already open."))
        else:
            self.continued.emit()
            self._opening.open(path)
        self._show()

    def close_battle(self) -> None:
        """Close the open battle, which stays saved."""
        path = self._close()
        if path is None:
            self._store.say(tr("No battle is open."))
        else:
            self._store.say(tr("The battle is saved and closed."), ((tr("Continue"), lambda: self._open(path)),))

    def _leave_table(self) -> None:
        """Close the battle before another table opens, whose figures are not those of the battle; offer it again."""
        if self._setup is not None:
            self._setup.reject()
        if (path := self._close()) is not None:
            self._offer.interrupted(path)

    def _close(self) -> Path | None:
        """Close the open battle and return its file; None without one."""
        if self._battle.play is None:
            return None
        path = self._battle.play.battle.path
        self._battle.close()
        self._store.change(self._leave)
        return path

    def _show(self) -> None:
        self._store.session.measure_from(basis_of(self._battle.play))
        self.shown.emit()

    def _leave(self) -> None:
        self._store.session.measure_from(basis_of(None))
        self.left.emit()

    def close(self) -> None:
        """Stop setting up or opening a battle, if that is in progress."""
        if self._setup is not None:
            self._setup.reject()
        self._opening.close()
        self._offer.withdraw()

    def _resume(self, battle: Battle) -> None:
        self._store.use_tool("select")
        self._store.change(lambda: self._battle.resume(battle))
        self._note_open(battle.path)

    def _note_open(self, path: Path) -> None:
        self._settings.last_battle = path
        self._offer.withdraw()

    def save_copy(self, path: Path | None = None) -> None:
        """Write a copy of the open battle; without a path, ask where."""
        play = self._battle.play
        if play is None:
            self._store.say(tr("No battle is open."))
            return
        own = play.battle.path
        name = tr("{name} copy", name=own.stem)
        path = path or ask_where(self._window, tr("Save a copy"), f"{name}.battle", tr("Battles (*.battle)"))
        if path is not None and path.resolve() == own.resolve():
            self._store.say(tr("This is the open battle itself. Choose another name."))
        elif path is not None:
            self._write(path, play.battle.snapshot())

    def save_story(self, path: Path | None = None) -> None:
        """Write the battle's story as text; without a path, ask where."""
        play = self._battle.play
        if play is None:
            self._store.say(tr("There is no battle yet. Start one in the menu Battle."))
            return
        path = path or ask_where(self._window, tr("Save the story"), "evening.txt", tr("Texts (*.txt)"))
        if path is not None:
            self._write(path, "\n".join((*play.story, "")).encode())

    def _write(self, path: Path, content: bytes) -> None:
        try:
            write_bytes(path, content)
            self._store.say(tr("Saved {path}.", path=path))
        except UserError as refusal:
            self._store.say(str(refusal))
