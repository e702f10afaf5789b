"""The window: joins picture, tools and panel to the session, and pulls what the threads have seen."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QSettings, QTimer
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import QMainWindow

from rules.table import UserError
from ui.desktop.actions import Actions
from ui.desktop.background_save import BackgroundSave
from ui.desktop.bar import MessageBar, Ways
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.battle.files import BattleFiles
from ui.desktop.battle.history_controller import HistoryController
from ui.desktop.battle.keys import BattleKeys
from ui.desktop.battle.panel import BattlePanel
from ui.desktop.central_widget import Middle
from ui.desktop.devices.devices_controller import DevicesController
from ui.desktop.dialogs import ask_file, ask_folder
from ui.desktop.frozen_frame import Stills
from ui.desktop.help_controller import HelpController
from ui.desktop.labels import word_label
from ui.desktop.mouse import Mouse
from ui.desktop.panel import SidePanel
from ui.desktop.picture.view import PictureView
from ui.desktop.print_controller import PrintController
from ui.desktop.settings import Memory
from ui.desktop.setup.calibration_controller import CalibrationController
from ui.desktop.setup.empty_table_controller import EmptyTableController
from ui.desktop.setup.saved_tables import KeptTables
from ui.desktop.setup.table_controller import TableController
from ui.desktop.source_controller import Bench
from ui.desktop.status_line import StatusLine
from ui.desktop.status_message import Said
from ui.desktop.table_display import Stage
from ui.desktop.tools.correct_menu import CorrectionController
from ui.desktop.tools.groups_controller import GroupsController
from ui.desktop.tools.move_questions import MoveQuestions
from ui.desktop.tools.practice_controller import PracticeController
from ui.desktop.tools.teach_controller import TeachController
from ui.desktop.tools.terrain_controller import TerrainController
from ui.desktop.tools.tool import PickResult, Tool
from ui.desktop.tools.toolbox import Toolbox
from ui.desktop.tools.window_context import WindowContext
from ui.desktop.translation import tr
from ui.diagnostics.event_log import Diary
from ui.formatting import begun
from ui.measuring import Readings
from ui.picture.overlay import PointPx, Preview
from ui.questions.answer import Laid, asked_now, current_answer, newest
from ui.questions.tool_context import Situation, basis_of
from ui.session import Ruler, Session
from ui.setup.guidance import TEACH, next_step, title_words
from ui.setup.saved_table_store import TableShelf, tables_folder
from vision.source import Source, open_source

_TICK_MS = 16
_WORDS_EVERY_S = 0.2
"""Numbers that flicker cannot be read."""


class Window(QMainWindow):
    """The program's window.

    Attributes:
        bench: The source that is open and the session over it.
        picture, panel, bar, status: The parts.
        tools: What the mouse can do.
        files, history, kept, help: What these menus do.
        actions_: Menus, toolbar and keys.
        context: The window as its controllers see it.
    """

    def __init__(
        self,
        spec: str | None,
        settings: QSettings,
        opener: Callable[[str], Source] = open_source,
        clock: Callable[[], float] = time.monotonic,
        diary: Diary | None = None,
        tables: Path | None = None,
    ) -> None:
        """Build the window and open a source.

        Args:
            spec: What to open; None opens what was open last.
            settings: What is remembered.
            opener: Opens a source; called in a thread.
            clock: Seconds.
            diary: Keeps what is told; one of its own if None.
            tables: Folder of the tables that are kept; the user's own if None.
        """
        super().__init__()
        self._diary = diary or Diary()
        self._memory, self._opener, self._clock = Memory(settings), opener, clock
        self._tables = KeptTables(self._memory)
        self._left_benches: list[Bench] = []
        self._said, self._told_s = Said(clock), 0.0
        self._last_laid: Laid | None = None
        self.battle = BattleController(BattlePanel(), self._say, time.time, random.SystemRandom())
        self.picture, self.panel, self.bar, self._hint = PictureView(), SidePanel(), MessageBar(), word_label()
        self.status = StatusLine(self.statusBar(), self.search_now)
        self.devices = DevicesController(self._memory, self._say, random.SystemRandom(), opener=opener)
        self.tools = Toolbox(self._now)
        tabs = {tr("Table"): self.panel, tr("Battle"): self.battle.panel, tr("Devices"): self.devices.panel}
        middle = Middle(self.picture, self.bar, self._hint, tabs)
        self.sides = middle.sides
        self.setCentralWidget(middle)
        self._set_up_desks(tables or tables_folder())
        middle.add_below(self.stage.big)
        self._connect()
        self._take_up(self._memory.source if spec is None else spec)
        self._timer = QTimer(self)
        self._begin()

    def _set_up_desks(self, tables: Path) -> None:
        """All that the menus, the panels and the keys do by themselves."""
        self.context = hands = WindowContext(
            lambda: self.bench, self._change, self.use_tool, lambda: self.tool.name, self._pointed, self._say
        )
        self.terrain = TerrainController(self.picture, self.sides, hands)
        self.groups = GroupsController(self.panel, hands, lambda: self.help.guide.at_armies)
        self.corrections = CorrectionController(self.picture, hands, self.groups.split_off)
        self.teaching = TeachController(self.panel, self.sides, hands, self._clock)
        self.moves = MoveQuestions(hands)
        self.empty = EmptyTableController(hands, self.learn_empty_table)
        self.files = BattleFiles(self, self.battle, hands, self._show_battle, self._say)
        self._errand = BackgroundSave(self, self._say)
        self._prints = PrintController(self, self._memory, self._errand)
        self.history = HistoryController(self, self.battle, hands, self._errand)
        self.keys = BattleKeys(self, self.battle, hands)
        self.kept = TableController(self, hands, TableShelf(tables), self._deeds, self._errand, clock=self._clock)
        self.stills = Stills(self, hands, self._errand, self._refresh)
        self.actions_ = Actions(self, self)
        self._read = Readings()
        self.stage = Stage(self, self.picture, self.panel, self._read, self._redraw)
        self.practice = PracticeController(self, self.picture, hands)
        self.calibration = CalibrationController(self, hands, self._memory, self.battle.drifted)
        self.help = HelpController(self, self, self._memory, self._hint, self._diary)

    def _begin(self) -> None:
        """Stand where the window stood, and go on from there."""
        geometry = self._memory.geometry
        if geometry is None or not self.restoreGeometry(geometry):
            self.resize(1280, 720)
        self._timer.timeout.connect(self.pull)
        self._timer.start(_TICK_MS)

    def _connect(self) -> None:
        self._mouse = Mouse(self.picture, self._meaning, self._press, self._release, self._redraw)
        self.picture.moved.connect(lambda *_: self.practice.move())
        self.picture.zoomed.connect(lambda: self._redraw())
        self.picture.turned.connect(self.turn)
        self.practice.changed.connect(self._share_wheel)
        self.stills.thawed.connect(lambda: self.actions_.freeze.setChecked(False))
        self.stills.ended.connect(lambda: self.actions_.compare.setChecked(False))
        self.picture.ended.connect(lambda: self._change(self.tool.finish))
        self.panel.army_chosen.connect(lambda _: self._tell())

    # What the menus, buttons and keys do

    @property
    def session(self) -> Session:
        """The table before us."""
        return self.bench.session

    @property
    def tool(self) -> Tool:
        """What the mouse does."""
        return self.tools.in_hand

    def _now(self) -> Situation | None:
        view = self.bench.view
        return Situation(view, self.session.state, self.battle.play, self.battle.moment) if view else None

    def open(self, spec: str) -> None:
        """Open another source: a new table, with the markers and armies of the last real one."""
        self.bench.stop()
        self._left_benches = [bench for bench in (*self._left_benches, self.bench) if not bench.join(0)]
        self._take_up(spec)
        self._memory.keep_source(spec)

    def _take_up(self, spec: str) -> None:
        setup = self._tables.setup_for(spec)
        self.bench = Bench(spec, setup, self._opener, self._clock)
        self._last_laid = None
        self._said.forget()
        self.setWindowTitle(title_words(spec))
        self.stage.clear()
        self.panel.show_table((), (), ())
        self.tools.fill(self.session, (self.terrain.tool, self.corrections.tool, self.teaching.tool))
        self.stills.forget()
        self.actions_.freeze.setChecked(False)
        self.use_tool("measure" if spec == "demo" or setup.palette else "teach")

    def try_again(self) -> None:
        """Open the source anew."""
        self.stills.forget()  # figures are named anew
        self.actions_.freeze.setChecked(False)
        self.bench.try_again()

    def open_file(self) -> None:
        """Ask for a picture or a video and open it."""
        if spec := ask_file(self):
            self.open(spec)

    def open_folder(self) -> None:
        """Ask for a folder of pictures and open it."""
        if spec := ask_folder(self):
            self.open(spec)

    def use_tool(self, name: str) -> None:
        """Take another tool in hand."""
        begins = name == TEACH and self.tool.name != TEACH
        self.tools.take(name)
        if begins:
            self.teaching.begin()
        self._share_wheel()
        self.actions_.tick_tool(name)
        self._said.forget()
        self._refresh()

    def _share_wheel(self) -> None:
        """The wheel turns a soldier who is carried, else it is the tool's."""
        self.picture.takes_wheel = self.practice.is_carrying or self.tool.takes_wheel

    def let_go(self) -> None:
        """Cancel what is half done, or put the tool away."""
        if self.practice.cancel():
            return
        left = self._in_battle and self.tool.name == "select" and self.battle.let_go()
        if not (self.tool.cancel() or left):
            self.use_tool("select")
        self._said.forget()
        self._refresh()

    def turn(self, steps: int) -> None:
        """Turn the soldier who is carried, else the tool's wheel."""
        if not self.practice.turn(steps):
            self.tool.turn(steps)
        self._refresh()

    def type_digit(self, digit: str) -> None:
        """Give the tool a number, digit by digit."""
        self.tools.type_digit(digit, self._clock())
        self._refresh()

    def turn_basis(self) -> None:
        """Measure from the bases' edges instead of their centres, or the other way round."""
        self._change(self.session.turn_basis)

    def undo(self) -> None:
        """Take the last step back: of the battle where that is in sight, else of the table."""
        self._change(self.battle.undo if self._in_battle else self.session.undo)

    def redo(self) -> None:
        """Do the last undone step again."""
        self._change(self.battle.redo if self._in_battle else self.session.redo)

    def _deeds(self) -> int:
        return len(self.battle.play.battle.entries) if self.battle.play is not None else 0

    @property
    def _in_battle(self) -> bool:
        return self.battle.play is not None and self.sides.currentWidget() is self.battle.panel

    def _show_battle(self) -> None:
        self.session.measure_from(basis_of(self.battle.play))
        self.sides.setCurrentWidget(self.battle.panel)
        self._refresh()

    def clear(self) -> None:
        """Take everything off the table."""
        self._change(self.session.clear)

    def learn_empty_table(self) -> None:
        """Take the picture as the empty table."""
        frame = self.bench.frame
        if frame is not None:
            self._change(lambda: self.session.learn_empty_table(frame))
            self._say(tr("This picture is now the empty table. Keep the camera where it is, and put the figures on."))

    def search_now(self) -> None:
        """Search the whole table, even where something moves."""
        self.session.search_now()

    def print_sheets(self) -> None:
        """Ask what to print and where to, and write it there."""
        self._prints.print_sheets(self.session.state.setup.prints.dictionary)

    def save_snapshot(self, path: Path | None = None, *, bare: bool = False) -> None:
        """Save the picture with what is drawn over it, or `bare`; ask where to if no path is given."""
        self._try(lambda: self.stills.save(path, bare=bare))

    # The mouse

    def _pointed(self) -> PickResult | None:
        return self._mouse.pointed

    def _meaning(self, px: PointPx) -> PickResult | None:
        frame = self.bench.frame
        return self.stage.point_at(frame, self.bench.view, px) if frame is not None else None

    def _press(self, at: PickResult) -> None:
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
        """Do something new to the table, and show what came of it."""
        self._said.forget()
        self._do(change)

    def _do(self, change: Callable[[], object]) -> None:
        before = self.session.state
        self._try(change)
        if self.session.state is not before:
            self._last_laid = newest(before, self.session.state) or self._last_laid
            self._tables.keep(self.bench.spec, self.session.state.setup)
        self._refresh()

    def _try(self, change: Callable[[], object]) -> None:
        try:
            change()
        except UserError as refusal:
            self._say(str(refusal))

    # What is shown

    def _say(self, words: str, ways: Ways = ()) -> None:
        self._said.say(words, ways)
        self._tell()

    def pull(self) -> None:
        """Show what is new; called by the timer."""
        self.kept.pull()
        self.history.pull()
        shot = None if self.sides.currentWidget() is self.panel else self.battle.shot
        self.devices.pull(self.battle.dialog, self.bench, shot)
        self.empty.pull()
        self.session.keep_names(self.battle.figures)
        outlined = self.teaching.pull()
        if self.bench.pull():
            self.calibration.pull()
            self.moves.pull()
            self._redraw()
        elif outlined:
            self._redraw()
        elif self._clock() - self._told_s > _WORDS_EVERY_S:
            self._tell()

    def _redraw(self) -> None:
        frame, view, state = self.bench.frame, self.bench.view, self.session.state
        shown, shown_view = self.stills.shown(frame, view)
        self.stage.show_frame(shown, shown_view, state)
        at = None if self.practice.is_carrying else self._pointed()
        self.picture.in_progress = self.tool.in_progress
        bare_in = at.place_in if at is not None and at.figure is None and self.tool.name == "select" else None
        preview = self.tools.preview(at, self.battle.aiming(bare_in) if self._in_battle else Preview())
        preview = self.stills.over(preview, view)
        if view is not None and shown_view is not None:
            self.battle.look(view, state.setup)
            question = asked_now(state, preview, self._last_laid)
            reading = self._read(view, question) if isinstance(question, Ruler) else None
            self.stage.show_table(shown_view, state, preview, current_answer(view, state, preview, question, reading))
            self.devices.answer(reading, state.basis)
        self.terrain.show()
        self.status.point(at, state)
        self._name_steps()
        if self._clock() - self._told_s > _WORDS_EVERY_S:
            self._tell()

    def _refresh(self) -> None:
        """Show at once what the player's own doing changed."""
        self._redraw()
        self._tell()

    def _tell(self) -> None:
        """Bring the words up to date: message bar, hint, lists, status."""
        self._told_s = self._clock()
        said, its_ways = self._said.now
        words = said or self.bench.problem
        self._diary.said(words)
        ways = its_ways if said else self._ways_out()
        offered, answers = ("", ()) if words else self._offer
        self.bar.say(begun(words or offered), answers or ways)
        self._hint.setText(self._next_step())
        self.practice.follow()
        self.status.tell(self.bench)
        self._name_steps()
        self.groups.show()

    @property
    def _offer(self) -> tuple[str, Ways]:
        """The question that waits for an answer, if any."""
        offers = (part.offer for part in (self.teaching, self.moves, self.empty, self.kept, self.groups))
        return next((offer for offer in offers if offer[0]), ("", ()))

    def _name_steps(self) -> None:
        turns = self.battle.play.battle if self._in_battle and self.battle.play else self.session
        self.actions_.name_steps(turns.can_undo, turns.can_redo)

    def _ways_out(self) -> Ways:
        if self.bench.worker.source_problem or self.bench.worker.broken:
            return ((tr("Try again"), self.try_again), (tr("Open another source…"), self._offer_sources))
        if self.bench.view is not None and self.bench.view.problem:
            return ((tr("Print markers…"), self.print_sheets), *self.calibration.ways)
        return ()

    def _offer_sources(self) -> None:
        self.actions_.source_menu.popup(self.bar.mapToGlobal(self.bar.rect().bottomLeft()))

    def _next_step(self) -> str:
        view, state = self.bench.view, self.session.state
        if self.stills.hint or self.practice.is_carrying:
            return self.stills.hint or self.practice.hint
        if view is None:
            return (
                "" if self.bench.worker.source_problem else tr("Opening: {spec} …", spec=title_words(self.bench.spec))
            )
        return next_step(view, state, self.tool.name, self.tool.hint, self.practice.hint)

    def closeEvent(self, event: QCloseEvent | None) -> None:  # noqa: N802 - Qt's name
        """Stop the threads and remember where the window was."""
        self._timer.stop()
        self._memory.keep_geometry(self.saveGeometry())
        self.hide()
        parts = (self._errand, self.files, self.kept, self.history, self.battle, self.devices, self.help.guide)
        for part in (self.teaching, self.empty, *parts):
            part.close()
        for bench in (*self._left_benches, self.bench):
            bench.stop()
            bench.join()
        super().closeEvent(event)
