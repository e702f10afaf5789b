"""Starts, opens, closes and copies battles, and offers to continue the last one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from PyQt6.QtCore import QObject, QPoint, Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import QApplication, QInputDialog, QWidget

from rules.battle.battle import Battle, Clock
from rules.battle.journal import Damaged
from rules.battle.recovery import recover
from rules.engine.events import Recruit
from rules.tabletop.errors import user_error
from rules.tabletop.table import Figure
from ui.background_task import BackgroundTask
from ui.battle.battle_folder import LastBattle, continue_words, last_battle, new_battle_path
from ui.battle.battle_overlay import lit_marks
from ui.battle.battle_session import BattleSession
from ui.battle.battle_setup import (
    NEEDS_TWO_SIDES,
    ArmyLists,
    BattleSetup,
    title_of,
    unit_title,
    usual_card,
)
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.battle.battle_setup_dialog import BattleSetupDialog
from ui.desktop.messages import MessageActions, Say
from ui.desktop.picture.view import PictureView
from ui.desktop.saving import ask_file, ask_where, place_right
from ui.desktop.settings import Settings
from ui.desktop.store import Store
from ui.desktop.tools.tool import PickResult
from ui.desktop.widgets import literal_text
from ui.files import data_folder, write_bytes
from ui.formatting import capitalized
from ui.picture.preview import Preview
from ui.rules_text import display_name
from ui.setup.armies import armies_of
from ui.table.portrait import portrait
from ui.tools.tool_context import basis_of
from ui.translation import tr
from vision.examples import CROP_PX
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
        accept_armies: Callable[[], object],
    ) -> None:
        """Dialogs open over `window` and leave the table in `picture` free; new battles are saved in `folder`.

        `accept_armies` turns the proposed groups into armies.
        """
        super().__init__(window)
        self._window, self._picture, self._battle, self._store = window, picture, battle, store
        self._settings, self._folder, self._accept_armies = settings, folder, accept_armies
        self._awaited_game: str | None = None
        self._opening = BattleOpening(window, store.say, battle.clock, self._resume)
        self._offer = LastBattleOffer(battle.clock, self.open)
        self._offer.start(settings.last_battle)
        self._setup: BattleSetupDialog | None = None
        battle.panel.games.chosen.connect(self.new_battle)
        battle.stranger.connect(self._offer_to_add)
        store.closing.connect(self._leave_table)

    @property
    def offer(self) -> tuple[str, MessageActions]:
        """The offer to continue a battle or not to wait for a new one, with its answers; empty if there is none."""
        if self._awaited_game is not None:
            words = tr("Searching for the soldiers. The battle is set up as soon as two armies are found.")
            return words, ((tr("Cancel"), lambda: self._await(None)),)
        return self._offer.now if self._battle.play is None else ("", ())

    @property
    def is_setting_up(self) -> bool:
        return self._setup is not None

    def new_battle(self, game: str = "") -> None:
        """Ask for the setup of a battle, and start it; `game` is the one to propose, empty for any."""
        if self._setup is not None:
            if game:
                self._setup.choose_game(game)
            self._setup.activateWindow()
            return
        view, armies, self._awaited_game = self._store.view, self._armies, None
        if view is not None and len(armies) > 1:  # checked before the player fills in a dialog
            if not self._store.session.state.setup.palette:
                self._accept_armies()
            self._open_setup(game, view, armies)
        elif self._store.source_controller.is_searching:
            self._await(game)
        else:
            self._store.say(capitalized(tr(NEEDS_TWO_SIDES)))

    def follow_table(self) -> None:
        """Ask for the setup that waits for two armies, once they are found."""
        if self._awaited_game is not None and len(self._armies) > 1:
            self.new_battle(self._awaited_game)

    @property
    def _armies(self) -> list[str]:
        """Names of the armies, taught or proposed, that have a soldier on the table."""
        view = self._store.view
        if view is None:
            return []
        on_table = {figure.army for figure in view.figures}
        return [army for army in armies_of(view, self._store.session.state) if army in on_table]

    def _await(self, game: str | None) -> None:
        self._awaited_game = game
        self._store.show()

    def _open_setup(self, game: str, view: TableView, armies: Sequence[str]) -> None:
        found = ((figure.id, portrait(view, figure.id, CROP_PX)) for figure in view.figures)
        crops = {name: crop for name, crop in found if crop is not None}
        lists = ArmyLists(data_folder("armies"))
        places = [one.name for one in self._store.session.state.setup.terrain]
        self._battle.choose("")  # its aim would stay on the table
        self._setup = dialog = BattleSetupDialog(armies, view.figures, lists, self._window, self._begin, crops, places)
        if game:
            dialog.choose_game(game)
        dialog.soldiers.pointed.connect(self.changed)
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

    def _offer_to_add(self, name: str) -> None:
        """Say that a soldier is not in the battle; offer to add it if its army takes part."""
        view, play = self._store.view, self._battle.play
        figure = next((one for one in view.figures if one.id == name), None) if view is not None else None
        if figure is None or play is None:
            return
        if figure.army in play.battle.state.sides:
            words = tr("{soldier} is not in this battle.", soldier=display_name(name))
            self._store.say(words, ((tr("Add…"), lambda: self._add(play, figure)),))
        else:
            self._store.say(tr("{soldier} is of an army that is not in this battle.", soldier=display_name(name)))

    def _add(self, play: BattleSession, figure: Figure) -> None:
        """Ask for the unit of a soldier, and add it to the battle."""
        cards = play.battle.game.rules.plain["cards"]
        names, titles = list(cards), [unit_title(name, card) for name, card in cards.items()]
        question = literal_text(tr("Unit of {name}", name=display_name(figure.id)))
        usual = names.index(usual_card(play, figure))
        chosen, sure = QInputDialog.getItem(self._window, tr("Add to the battle"), question, titles, usual, False)
        if sure and play is self._battle.play:
            recruit = Recruit(figure=figure.id, card=names[titles.index(chosen)])
            self._store.change(lambda: self._battle.add(figure, recruit))

    def open_battle(self) -> None:
        kinds = tr("Battles (*.battle);;All files (*)")
        if path := ask_file(self._window, tr("Open a battle"), kinds, self._folder):
            self.open(path)

    def continue_last(self) -> None:
        path = self._settings.last_battle
        if path is None or not path.is_file():
            self._store.say(tr("There is no earlier battle. Start one with New battle."))
        else:
            self.open(path)

    def open(self, path: Path) -> None:
        self._offer.withdraw()
        self._awaited_game, play = None, self._battle.play
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
            self._store.say(tr("The battle is saved and closed."), ((tr("Continue"), lambda: self.open(path)),))

    def _leave_table(self) -> None:
        """Close the battle before another table opens, whose figures are not those of the battle; offer it again."""
        self._awaited_game = None
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
        name = tr("{name} copy", name=play.battle.path.stem)
        path = path or ask_where(self._window, tr("Save a copy"), f"{name}.battle", tr("Battles (*.battle)"))
        if path is not None:
            self._store.attempt(lambda: self._copy(play.battle, path))

    def _copy(self, battle: Battle, path: Path) -> None:
        if path.resolve() == battle.path.resolve():
            raise user_error("This is the open battle itself. Choose another name.")
        write_bytes(path, battle.snapshot())
        self._store.say(tr("Saved {path}.", path=path))


_TICK_MS = 40
_WAIT_S = 0.05
"""Most battles open faster than this, so the player sees no progress message."""


class BattleOpening:
    """Opens one battle at a time."""

    def __init__(self, window: QWidget, say: Say, clock: Clock, take: Callable[[Battle], object]) -> None:
        """Dialogs open over `window`; `say` shows a message, `clock` times events, `take` receives the open battle."""
        self._window, self._say, self._clock, self._take = window, say, clock, take
        cancelled = tr("Cancelled. No battle was opened.")
        self._task: BackgroundTask[Battle | Damaged] = BackgroundTask("sandtable opening", cancelled)
        self._name = ""
        self._timer = QTimer(window)
        self._timer.timeout.connect(self._pull)

    def open(self, path: Path) -> None:
        """Open a battle in the background; `take` receives it, or a message says why it cannot be opened."""
        self._start(path, lambda: Battle.open(path, self._clock, self._task.step))

    def close(self) -> None:
        """Stop opening, if in progress, and close the battle."""
        self._task.cancel()
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
        self._name = path.name
        self._task.start(work)
        self._task.join(_WAIT_S)
        self._timer.start(_TICK_MS)
        self._pull()

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
        if self._task.is_cancelled:
            self._say(tr("Cancelling…"))
        else:
            words = tr("Opening {name}… {part} %", name=self._name, part=self._task.percent)
            self._say(words, ((tr("Cancel"), self._task.cancel),))

    def _offer(self, damage: Damaged) -> None:
        actions: MessageActions = ((tr("Open copy"), lambda: self._open_copy(damage)),) if damage.kept else ()
        self._say(str(damage), actions)

    def _open_copy(self, damage: Damaged) -> None:
        name = f"{damage.path.stem}-copy.battle"
        copy = ask_where(self._window, tr("Save the copy"), name, tr("Battles (*.battle)"))
        if copy is None:
            return

        def make() -> Battle:
            recover(damage.path, copy, self._clock, self._task.step)
            return Battle.open(copy, self._clock, self._task.step)

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
