"""The main window: connects picture, tools and panels with the session, and pulls results from the threads."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QSettings, Qt, QTimer
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import QMainWindow

from rules.tabletop.errors import UserError
from ui.battle.battle_folder import battles_folder
from ui.desktop.actions import Actions
from ui.desktop.appearance import Appearance
from ui.desktop.background_save import BackgroundSave
from ui.desktop.bar import MessageActions, MessageBar
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.battle.files import BattleFiles, BattleViews
from ui.desktop.battle.history_controller import HistoryController
from ui.desktop.battle.keys import BattleKeys
from ui.desktop.battle.move_pills import MovePills
from ui.desktop.battle.outcome_banner import OutcomeBanner
from ui.desktop.battle.panel import BattlePanel
from ui.desktop.central_widget import CentralWidget
from ui.desktop.devices.devices_controller import DevicesController
from ui.desktop.dialogs import ask_file, ask_folder
from ui.desktop.frozen_frame import FrozenFrame
from ui.desktop.help_controller import HelpController
from ui.desktop.labels import wrapping_label
from ui.desktop.languages import LanguageMenu
from ui.desktop.mouse import Mouse
from ui.desktop.panel import SidePanel
from ui.desktop.picture.view import PictureView
from ui.desktop.print_controller import PrintController
from ui.desktop.settings import Settings
from ui.desktop.setup.calibration_controller import CalibrationController
from ui.desktop.setup.empty_table_controller import EmptyTableController
from ui.desktop.setup.saved_tables import SavedSetups
from ui.desktop.setup.table_controller import TableController
from ui.desktop.source_controller import SourceController
from ui.desktop.status_line import StatusLine
from ui.desktop.status_message import StatusMessage
from ui.desktop.table_display import TableDisplay
from ui.desktop.toast import Toast
from ui.desktop.tools.correct_menu import CorrectionController
from ui.desktop.tools.groups_controller import GroupsController
from ui.desktop.tools.move_questions import MoveQuestions
from ui.desktop.tools.practice_controller import PracticeController
from ui.desktop.tools.teach_controller import TeachController
from ui.desktop.tools.terrain_controller import TerrainController
from ui.desktop.tools.tool import PickResult, Tool
from ui.desktop.tools.toolbox import Toolbox
from ui.desktop.tools.window_context import WindowContext
from ui.diagnostics.event_log import EventLog
from ui.formatting import capitalized
from ui.measuring import Readings
from ui.picture.overlay import PointPx, Preview
from ui.questions.answer import Laid, asked_now, current_answer, newest
from ui.questions.tool_context import Situation, basis_of
from ui.session import Ruler, Session
from ui.setup.guidance import TEACH, next_step, title_words
from ui.setup.saved_table_store import SavedTables, tables_folder
from ui.translation import tr
from vision.source import Source, open_source

_TICK_MS = 16
_TEXT_EVERY_S = 0.2
"""Text that changes faster cannot be read."""


class Window(QMainWindow):
    """The program's window.

    Attributes:
        source_controller: The open source and its session.
        picture, panel, bar, status: The parts.
        banner, toast: What lies over the picture for some seconds: outcomes, and confirmations.
        pills: The moves to answer, on the picture.
        tools: The mouse tools.
        files, history, tables, help: What the menus of these names do.
        actions_, appearance: Menus, tool rail and keys; the theme.
        context: The window as its controllers see it.
    """

    def __init__(
        self,
        spec: str | None,
        settings: QSettings,
        opener: Callable[[str], Source] = open_source,
        clock: Callable[[], float] = time.monotonic,
        event_log: EventLog | None = None,
        tables: Path | None = None,
        battles: Path | None = None,
    ) -> None:
        """Build the window and open a source.

        Args:
            spec: The source to open; None opens the last one.
            settings: The stored settings.
            opener: Opens a source; called in a thread.
            clock: Returns seconds.
            event_log: The event log; None creates a new one.
            tables: Folder of saved tables; None uses the user's own.
            battles: Folder of new battles; None uses the user's own.
        """
        super().__init__()
        self._diary = event_log or EventLog()
        self._settings, self._opener, self._clock = Settings(settings), opener, clock
        self._saved_setups = SavedSetups(self._settings)
        self._old_sources: list[SourceController] = []
        self._message, self._text_updated_s = StatusMessage(clock), 0.0
        self._last_laid: Laid | None = None
        self.battle = BattleController(BattlePanel(), self._say, time.time, random.SystemRandom())
        self.picture, self.panel, self.bar, self._hint = PictureView(), SidePanel(), MessageBar(), wrapping_label()
        self.banner, self.toast = OutcomeBanner(clock), Toast(clock)
        self.pills = MovePills(self.picture)
        self.status = StatusLine(self.statusBar(), self.search_now)
        self.devices = DevicesController(self._settings, self._say, random.SystemRandom(), opener=opener)
        self.tools = Toolbox(self._now)
        tabs = {tr("Table"): self.panel, tr("Battle"): self.battle.panel, tr("Devices"): self.devices.panel}
        central_widget = CentralWidget(self.picture, self.bar, self._hint, tabs)
        self.sides = central_widget.sides
        self.setCentralWidget(central_widget)
        self._create_controllers(tables or tables_folder(), battles or battles_folder())
        central_widget.add_below(self.display.big)
        central_widget.add_left(self.actions_.rail)
        central_widget.add_above(self.battle.turn_bar)
        central_widget.add_over(self.banner, Qt.AlignmentFlag.AlignVCenter)
        central_widget.add_over(self.toast, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignHCenter)
        self._connect()
        self._open_source(self._settings.source if spec is None else spec)
        self._timer = QTimer(self)
        self._start()

    def _create_controllers(self, tables: Path, battles: Path) -> None:
        """Create the controllers of the menus, panels and keys."""
        self.context = context = WindowContext(
            lambda: self.source_controller,
            self._change,
            self.use_tool,
            lambda: self.tool.name,
            self._pointed,
            self._say,
        )
        self.terrain = TerrainController(self.picture, self.sides, context)
        self.groups = GroupsController(self.panel, context, lambda: self.help.guide.at_armies)
        self.corrections = CorrectionController(self.picture, context, self.groups.split_off)
        self.teaching = TeachController(self.panel, self.sides, context, self._clock)
        self.moves = MoveQuestions(context)
        self.empty = EmptyTableController(context, self.learn_empty_table)
        views = BattleViews(self._show_battle, self._leave_battle, self._redraw)
        self.files = BattleFiles(self, self.battle, context, views, self._say, self._settings, battles)
        self._background_save = BackgroundSave(self, self._say)
        self._prints = PrintController(self, self._settings, self._background_save)
        self.history = HistoryController(self, self.battle, context, self._background_save)
        self.keys = BattleKeys(self, self.battle, context)
        self.tables = TableController(
            self, context, SavedTables(tables), self._entry_count, self._background_save, clock=self._clock
        )
        self.frozen_frame = FrozenFrame(self, context, self._background_save, self._refresh)
        self.actions_ = Actions(self, self)
        self.languages = LanguageMenu(self.actions_.view_menu, self._settings, self._say)
        self.appearance = Appearance(self, self.actions_.view_menu, self._settings)
        self._read = Readings()
        self.display = TableDisplay(self, self.picture, self.panel, self._read, self._redraw)
        self.practice = PracticeController(self, self.picture, context)
        self.calibration = CalibrationController(self, context, self._settings, self.battle.drifted)
        self.help = HelpController(self, self, self._settings, self._hint, self._diary)

    def _start(self) -> None:
        """Restore the window's geometry and start its timer."""
        geometry = self._settings.geometry
        if geometry is None or not self.restoreGeometry(geometry):
            self.resize(1280, 720)
        self.actions_.side_panel.setChecked(self._settings.shows_side_panel)
        self.sides.setVisible(self._settings.shows_side_panel)
        self.actions_.numbers.setChecked(self._settings.numbers)
        self._timer.timeout.connect(self.pull)
        self._timer.start(_TICK_MS)

    def _connect(self) -> None:
        self._mouse = Mouse(self.picture, self._pick_at, self._press, self._release, self._redraw)
        self.picture.moved.connect(lambda *_: self.practice.move())
        self.picture.zoomed.connect(lambda: self._redraw())
        self.battle.changed.connect(self._redraw)  # on a frozen picture nothing else would
        self.picture.turned.connect(self.turn)
        self.practice.changed.connect(self._assign_wheel)
        self.frozen_frame.thawed.connect(lambda: self.actions_.freeze.setChecked(False))
        self.frozen_frame.ended.connect(lambda: self.actions_.compare.setChecked(False))
        self.picture.ended.connect(lambda: self._change(self.tool.finish))
        self.panel.army_chosen.connect(lambda _: self._update_text())
        self.battle.turn_bar.go_on.connect(self._show_phase)
        self.battle.resolved.connect(self.banner.announce)
        self.battle.recorded.connect(lambda step: self.toast.confirm(f"{capitalized(step)}.", tr("Undo"), self.undo))

    # What the menus, buttons and keys do

    @property
    def session(self) -> Session:
        """The session of the open table."""
        return self.source_controller.session

    @property
    def tool(self) -> Tool:
        """The selected tool."""
        return self.tools.selected

    def _now(self) -> Situation | None:
        view = self.source_controller.view
        return Situation(view, self.session.state, self.battle.play, self.battle.position) if view else None

    def open(self, spec: str) -> None:
        """Open another source: a new table, with the markers and armies of the last real one."""
        self.files.leave_table()
        self.source_controller.stop()
        self._old_sources = [
            source_controller
            for source_controller in (*self._old_sources, self.source_controller)
            if not source_controller.join(0)
        ]
        self._open_source(spec)
        self._settings.keep_source(spec)

    def _open_source(self, spec: str) -> None:
        setup = self._saved_setups.setup_for(spec)
        self.source_controller = SourceController(spec, setup, self._opener, self._clock)
        self._last_laid = None
        self._message.forget()
        self.setWindowTitle(title_words(spec))
        self.display.clear()
        self.panel.show_table((), (), ())
        self.tools.fill(self.session, (self.terrain.tool, self.corrections.tool, self.teaching.tool))
        self.frozen_frame.forget()
        self.actions_.freeze.setChecked(False)
        self.use_tool("measure" if spec == "demo" or setup.palette else "teach")

    def try_again(self) -> None:
        """Open the source again."""
        self.frozen_frame.forget()  # figures get new ids
        self.actions_.freeze.setChecked(False)
        self.source_controller.try_again()

    def open_file(self) -> None:
        """Ask for a picture or a video and open it."""
        if spec := ask_file(self):
            self.open(spec)

    def open_folder(self) -> None:
        """Ask for a folder of pictures and open it."""
        if spec := ask_folder(self):
            self.open(spec)

    def use_tool(self, name: str) -> None:
        """Select a tool."""
        begins = name == TEACH and self.tool.name != TEACH
        self.tools.take(name)
        if begins:
            self.teaching.begin()
        self._assign_wheel()
        self.actions_.check_tool(name)
        self._message.forget()
        self._refresh()

    def _assign_wheel(self) -> None:
        """Give the wheel to a carried soldier, otherwise to the tool."""
        self.picture.takes_wheel = self.practice.is_carrying or self.tool.takes_wheel

    def cancel(self) -> None:
        """Cancel the current step or, if there is none, put the tool away."""
        if self.practice.cancel():
            return
        left = self._in_battle and self.tool.name == "select" and self.battle.cancel()
        if not (self.tool.cancel() or left):
            self.use_tool("select")
        self._message.forget()
        self._refresh()

    def turn(self, steps: int) -> None:
        """Turn a carried soldier, otherwise the tool's wheel."""
        if not self.practice.turn(steps):
            self.tool.turn(steps)
        self._refresh()

    def type_digit(self, digit: str) -> None:
        """Pass a typed digit to the tool."""
        self.tools.type_digit(digit, self._clock())
        self._refresh()

    def turn_basis(self) -> None:
        """Switch between measuring from base centres and from base edges."""
        self._change(self.session.turn_basis)

    def undo(self) -> None:
        """Undo the last step: of the battle if its tab is shown, otherwise of the table."""
        self._turn(self.battle.undo if self._in_battle else self.session.undo, tr("Undone"), tr("Redo"), self.redo)

    def redo(self) -> None:
        """Redo the last undone step."""
        self._turn(self.battle.redo if self._in_battle else self.session.redo, tr("Redone"), tr("Undo"), self.undo)

    def _turn(self, turn: Callable[[], str | None], words: str, opposite: str, turn_back: Callable[[], object]) -> None:
        """Undo or redo a step, and confirm it by its name with a button for the opposite."""

        def change() -> None:
            step = turn()
            if step is not None:
                self.toast.confirm(f"{words}: {step}.", opposite, turn_back)

        self._change(change)

    def _entry_count(self) -> int:
        return len(self.battle.play.battle.entries) if self.battle.play is not None else 0

    @property
    def _in_battle(self) -> bool:
        return self.battle.play is not None and self.sides.currentWidget() is self.battle.panel

    def _show_battle(self) -> None:
        self.session.measure_from(basis_of(self.battle.play))
        self.sides.setCurrentWidget(self.battle.panel)
        self._refresh()

    def _show_phase(self) -> None:
        """Show the new phase, or what is owed before it, also on the table."""
        self.sides.setCurrentWidget(self.battle.panel)
        self._refresh()

    def _leave_battle(self) -> None:
        self.session.measure_from(basis_of(None))
        self.sides.setCurrentWidget(self.panel)

    def clear(self) -> None:
        """Remove all rulers and templates."""
        self._change(self.session.clear)

    def show_numbers(self, on: bool) -> None:
        """Show or hide the soldiers' numbers on the table."""
        self.display.numbers = on
        self._settings.keep_numbers(on)
        self._redraw()

    def learn_empty_table(self) -> None:
        """Use the current picture as the empty table."""
        frame = self.source_controller.frame
        if frame is not None:
            self._change(lambda: self.session.learn_empty_table(frame))
            self._say(tr("This picture is now the empty table. Leave the camera where it is and put the soldiers on."))

    def search_now(self) -> None:
        """Search the whole table, even where something is moving."""
        self.session.search_now()

    def show_side_panel(self, shown: bool) -> None:
        """Show or hide the tabs beside the picture, and remember it."""
        self.sides.setVisible(shown)
        self._settings.keep_side_panel(shown)

    def print_sheets(self) -> None:
        """Ask what to print and where to write it."""
        self._prints.print_sheets(self.session.state.setup.prints.dictionary)

    def save_snapshot(self, path: Path | None = None, *, bare: bool = False) -> None:
        """Save the picture, with what is drawn over it or `bare`; without a path, ask where."""
        self._try(lambda: self.frozen_frame.save(path, bare=bare))

    # The mouse

    def _pointed(self) -> PickResult | None:
        return self._mouse.pointed

    def _pick_at(self, px: PointPx) -> PickResult | None:
        frame = self.source_controller.frame
        return self.display.point_at(frame, self.source_controller.view, px) if frame is not None else None

    def _press(self, at: PickResult) -> None:
        if self.files.pick(at.figure.id if at.figure else ""):
            return
        if not self.practice.press(at):
            self._press_tool(at)

    def _press_tool(self, at: PickResult) -> None:
        if self._in_battle and self.tool.name == "select":
            self.battle.point(at.figure.id if at.figure else "", at.place_in)
        self._change(lambda: self.tool.press(at))

    def _release(self, at: PickResult) -> None:
        carried, clicked = self.practice.release(at)
        if carried:
            self._refresh()
            return
        if clicked is not None:
            self._press_tool(clicked)
        self._do(lambda: self.tool.release(at))

    def _change(self, change: Callable[[], object]) -> None:
        """Apply a change by the player and show the result."""
        self._message.forget()
        self._do(change)

    def _do(self, change: Callable[[], object]) -> None:
        before = self.session.state
        self._try(change)
        if self.session.state is not before:
            self._last_laid = newest(before, self.session.state) or self._last_laid
            self._saved_setups.keep(self.source_controller.spec, self.session.state.setup)
        self._refresh()

    def _try(self, change: Callable[[], object]) -> None:
        try:
            change()
        except UserError as refusal:
            self._say(str(refusal))

    # What is shown

    def _say(self, words: str, actions: MessageActions = ()) -> None:
        self._message.say(words, actions)
        self._update_text()

    def pull(self) -> None:
        """Show new results; called by the timer."""
        self.tables.pull()
        self.history.pull()
        shot = None if self.sides.currentWidget() is self.panel else self.battle.shot
        self.devices.pull(self.battle.dice_card, self.source_controller, shot)
        self.empty.pull()
        self.session.keep_names(self.battle.figures)
        outlined = self.teaching.pull()
        if self.source_controller.pull():
            self.calibration.pull()
            self.moves.pull()
            self._redraw()
        elif outlined:
            self._redraw()
        elif self._clock() - self._text_updated_s > _TEXT_EVERY_S:
            self._update_text()

    def _redraw(self) -> None:
        frame, view, state = self.source_controller.frame, self.source_controller.view, self.session.state
        shown, shown_view = self.frozen_frame.shown(frame, view)
        self.display.show_frame(shown, shown_view, state)
        at = None if self.practice.is_carrying else self._pointed()
        self.picture.in_progress = self.tool.in_progress
        bare_in = at.place_in if at is not None and at.figure is None and self.tool.name == "select" else None
        preview = self.tools.preview(at, self.battle.aiming(bare_in) if self._in_battle else Preview())
        preview = self.files.lit(self.frozen_frame.over(preview, view), view)
        if view is not None and shown_view is not None:
            self.battle.update_position(view, state.setup)
            question = asked_now(state, preview, self._last_laid)
            reading = self._read(view, question) if isinstance(question, Ruler) else None
            self.display.show_table(shown_view, state, preview, current_answer(view, state, preview, question, reading))
            self.pills.show_moves(
                self.battle.pending if self._in_battle else (), self.display.seen(shown_view).calibration
            )
            self.devices.answer(reading, state.basis)
        self.terrain.show()
        self.status.point(at, state)
        self._show_undo_steps()
        if self._clock() - self._text_updated_s > _TEXT_EVERY_S:
            self._update_text()

    def _refresh(self) -> None:
        """Show the player's own change at once."""
        self._redraw()
        self._update_text()

    def _update_text(self) -> None:
        """Update all text: message bar, hint, lists, status."""
        self._text_updated_s = self._clock()
        said, its_ways = self._message.now
        words = said or self.source_controller.problem
        self._diary.said(words)
        actions = its_ways if said else self._solutions()
        offered, answers = ("", ()) if words else self._offer
        self.bar.say(capitalized(words or offered), answers or actions)
        self._hint.setText(self._next_step())
        self.practice.follow()
        self.status.tell(self.source_controller)
        self._show_undo_steps()
        self.groups.show()

    @property
    def _offer(self) -> tuple[str, MessageActions]:
        """The open question to the player, with its answers, if any."""
        offers = (part.offer for part in (self.teaching, self.moves, self.empty, self.tables, self.files, self.groups))
        return next((offer for offer in offers if offer[0]), ("", ()))

    def _show_undo_steps(self) -> None:
        turns = self.battle.play.battle if self._in_battle and self.battle.play else self.session
        self.actions_.show_undo_steps(turns.can_undo, turns.can_redo)

    def _solutions(self) -> MessageActions:
        if self.source_controller.worker.source_problem or self.source_controller.worker.broken:
            return ((tr("Try again"), self.try_again), (tr("Open…"), self._offer_sources))
        if self.source_controller.view is not None and self.source_controller.view.problem:
            return ((tr("Print markers…"), self.print_sheets), *self.calibration.actions)
        return ()

    def _offer_sources(self) -> None:
        self.actions_.source_menu.popup(self.bar.mapToGlobal(self.bar.rect().bottomLeft()))

    def _next_step(self) -> str:
        view, state = self.source_controller.view, self.session.state
        if self.frozen_frame.hint or self.practice.is_carrying:
            return self.frozen_frame.hint or self.practice.hint
        if view is None:
            return (
                ""
                if self.source_controller.worker.source_problem
                else tr("Opening {spec} …", spec=title_words(self.source_controller.spec))
            )
        return next_step(view, state, self.tool.name, self.tool.hint, self.practice.hint)

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Stop the threads and store the window's geometry."""
        self._timer.stop()
        self._settings.keep_geometry(self.saveGeometry())
        self.hide()
        parts = (
            self._background_save,
            self.files,
            self.tables,
            self.history,
            self.battle,
            self.devices,
            self.help.guide,
        )
        for part in (self.teaching, self.empty, *parts):
            part.close()
        for source_controller in (*self._old_sources, self.source_controller):
            source_controller.stop()
            source_controller.join()
        super().closeEvent(event)
