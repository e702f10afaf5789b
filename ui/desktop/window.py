"""The window: joins picture, tools and panel to the session, and pulls what the threads have seen."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QSettings, Qt, QTimer
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QMainWindow, QTabWidget, QWidget

from rules.table import Refused
from ui.answer import Laid, asked_now, current_answer, newest, on_table
from ui.desktop.actions import Actions
from ui.desktop.bar import MessageBar, Ways
from ui.desktop.battle_desk import BattleDesk
from ui.desktop.battle_files import BattleFiles
from ui.desktop.battle_panel import BattlePanel
from ui.desktop.bench import Bench
from ui.desktop.calibration_desk import CalibrationDesk
from ui.desktop.correct_menu import CorrectDesk
from ui.desktop.devices_desk import DevicesDesk
from ui.desktop.dialogs import ask_file, ask_folder, ask_where
from ui.desktop.hands import Hands
from ui.desktop.help_desk import HelpDesk
from ui.desktop.kept_tables import KeptTables
from ui.desktop.memory import Memory
from ui.desktop.painter import annotated
from ui.desktop.panel import SidePanel
from ui.desktop.paper import write_pdf
from ui.desktop.print_dialog import ask_sheet, usual_paper
from ui.desktop.stage import Stage
from ui.desktop.status_line import StatusLine
from ui.desktop.terrain_desk import TerrainDesk
from ui.desktop.toolbox import Toolbox
from ui.desktop.tools import Pointed, Tool
from ui.desktop.view import PictureView
from ui.files import write_picture
from ui.guidance import laid_words, next_step, title_words
from ui.overlay import PointPx, Preview, table_overlay
from ui.printing import PrintJob, sheet_of
from ui.session import Session
from ui.situation import Situation, basis_of
from vision.source import Source, open_source

_TICK_MS = 16
_TAB_EDGE_PX = 6
_WORDS_STAY_S = 8.0
_WORDS_EVERY_S = 0.2
"""Numbers that flicker cannot be read."""


class Window(QMainWindow):
    """The program's window.

    Attributes:
        bench: The source that is open and the session over it.
        picture, panel, bar: The parts.
        tools: What the mouse can do.
        files, help: What these menus do.
        actions_: Menus, toolbar and keys.
    """

    def __init__(
        self,
        spec: str | None,
        settings: QSettings,
        opener: Callable[[str], Source] = open_source,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Build the window and open a source.

        Args:
            spec: What to open; None opens what was open last.
            settings: What is remembered.
            opener: Opens a source; called in a thread.
            clock: Seconds.
        """
        super().__init__()
        self._memory, self._opener, self._clock = Memory(settings), opener, clock
        self._tables = KeptTables(self._memory)
        self._left_benches: list[Bench] = []
        self._words, self._words_until_s, self._told_s = "", 0.0, 0.0
        self._mouse_px: PointPx | None = None
        self._last_laid: Laid | None = None
        self.battle = BattleDesk(BattlePanel(), self._say, time.time, random.SystemRandom())
        self.picture, self.panel, self.bar, self._hint = PictureView(), SidePanel(), MessageBar(), QLabel()
        self._status = StatusLine(self.statusBar())
        self.devices = DevicesDesk(self._memory, self._say, random.SystemRandom(), opener=opener)
        self.tools = Toolbox(self._now)
        self._lay_out()
        hands = Hands(lambda: self.bench, self._change, self.use_tool, lambda: self.tool.name, self._pointed, self._say)
        self.terrain = TerrainDesk(self.picture, self.sides, hands)
        self.corrections = CorrectDesk(self.picture, hands)
        self.files = BattleFiles(self, self.battle, hands, self._show_battle)
        self.actions_ = Actions(self, self)
        self.stage = Stage(self, self.picture, self.panel, self._redraw)
        self._left.addWidget(self.stage.big, 2, 0)
        self.calibration = CalibrationDesk(self, hands, self._memory, self.battle.drifted)
        self.help = HelpDesk(self, self, self._memory, self._hint)
        self._connect()
        self._take_up(self._memory.source if spec is None else spec)
        geometry = self._memory.geometry
        if geometry is None or not self.restoreGeometry(geometry):
            self.resize(1280, 720)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.pull)
        self._timer.start(_TICK_MS)

    def _lay_out(self) -> None:
        font = self._hint.font()
        font.setPointSizeF(1.25 * font.pointSizeF())
        self._hint.setFont(font)
        self._hint.setMargin(6)
        self._hint.setWordWrap(True)
        # Two lines always, for the same reason as the bar below.
        self._hint.setMinimumHeight(2 * self._hint.fontMetrics().lineSpacing() + 2 * self._hint.margin())
        left = self._left = QGridLayout()
        left.setSpacing(0)
        left.addWidget(self.picture, 0, 0)
        # Over the picture: above it, each message would push the soldiers away from under the mouse.
        left.addWidget(self.bar, 0, 0, Qt.AlignmentFlag.AlignTop)
        left.addWidget(self._hint, 1, 0)
        left.setRowStretch(0, 1)
        middle = QWidget()
        layout = QHBoxLayout(middle)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(left, 1)
        self.sides = QTabWidget()
        self.sides.addTab(self.panel, "Table")
        self.sides.addTab(self.battle.panel, "Battle")
        self.sides.addTab(self.devices.panel, "Devices")
        self.sides.setFixedWidth(self.panel.width() + 2 * _TAB_EDGE_PX)
        layout.addWidget(self.sides)
        self.setCentralWidget(middle)

    def _connect(self) -> None:
        self.picture.pressed.connect(self._press)
        self.picture.released.connect(self._release)
        self.picture.moved.connect(self._point)
        self.picture.left.connect(self._point_at_nothing)
        self.picture.zoomed.connect(lambda: self._redraw())
        self.picture.turned.connect(self.turn)
        self.picture.ended.connect(lambda: self._change(self.tool.finish))
        self.panel.forget.connect(lambda army: self._change(lambda: self.session.forget_army(army)))
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
        self._last_laid, self._words = None, ""
        self.setWindowTitle(title_words(spec))
        self.stage.clear()
        self.panel.show_table((), (), ())
        self.tools.fill(self.session, lambda: self.panel.army, self._taught, (self.terrain.tool, self.corrections.tool))
        self.actions_.freeze.setChecked(False)
        self.use_tool("measure" if spec == "demo" or setup.palette else "teach")

    def try_again(self) -> None:
        """Open the source anew."""
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
        self.tools.take(name)
        self.picture.takes_wheel = self.tool.takes_wheel
        self.actions_.tick_tool(name)
        self._words = ""
        self._refresh()

    def let_go(self) -> None:
        """Let go of what is half done; of the tool where nothing is."""
        left = self._in_battle and self.tool.name == "select" and self.battle.let_go()
        if not (self.tool.cancel() or left):
            self.use_tool("select")
        self._words = ""
        self._refresh()

    def turn(self, steps: int) -> None:
        """Turn the tool's wheel."""
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
            self._say("This picture is now the empty table. Keep the camera where it is, and put the figures on.")

    def print_sheets(self) -> None:
        """Ask what to print and where to, and write it there."""
        dictionary = self.session.state.setup.prints.dictionary
        asked = ask_sheet(PrintJob(paper=usual_paper(), dictionary=dictionary, scale=self._memory.print_scale), self)
        if asked is not None:
            job, path = asked
            self._memory.keep_print_scale(job.scale)
            self._words = ""
            self._try(lambda: write_pdf(sheet_of(job), path))
            self._say(self._words or f"{path} is written: print it at 100 % (actual size).")

    def freeze(self, on: bool) -> None:
        """Hold the picture, or let it go on."""
        self.bench.worker.held = on

    def save_snapshot(self, path: Path | None = None) -> None:
        """Save the picture with what is drawn over it; ask where to if no path is given."""
        frame, view = self.bench.frame, self.bench.view
        path = path or ask_where(self, "Save the picture", "sandtable.png", "Pictures (*.png *.jpg)")
        if path is None or frame is None:
            return
        shapes = table_overlay(view, self.session.state) if view else ()
        self._try(lambda: write_picture(path, annotated(frame.image_bgr, shapes)))
        self._say(self._words or f"{path} is saved.")

    def fit(self) -> None:
        """Show the whole picture."""
        self.picture.fit()

    def zoom(self, steps: int) -> None:
        """Enlarge the picture, or show more of it."""
        self.picture.zoom(1.25**steps)

    # The mouse

    def _pointed(self) -> Pointed | None:
        frame = self.bench.frame
        if frame is None or self._mouse_px is None:
            return None
        return self.stage.point_at(frame, self.bench.view, self._mouse_px)

    def _press(self, x: float, y: float) -> None:
        self._mouse_px = (x, y)
        if (at := self._pointed()) is not None:
            if self._in_battle and self.tool.name == "select":
                self.battle.point(at.figure.id if at.figure else "", at.place_in)
            self._change(lambda: self.tool.press(at))

    def _release(self, x: float, y: float) -> None:
        self._mouse_px = (x, y)
        if (at := self._pointed()) is not None:
            self._do(lambda: self.tool.release(at))

    def _point(self, x: float, y: float) -> None:
        self._mouse_px = (x, y)
        self._redraw()

    def _point_at_nothing(self) -> None:
        self._mouse_px = None
        self._redraw()

    def _change(self, change: Callable[[], object]) -> None:
        """Do something new to the table, and show what came of it."""
        self._words = ""
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
        except Refused as refusal:
            self._say(str(refusal))

    # What is shown

    def _taught(self, army: str) -> None:
        self._say(f"{army} is taught. The list at the right tells how many of them are seen.")

    def _say(self, words: str) -> None:
        self._words, self._words_until_s = words, self._clock() + _WORDS_STAY_S
        self._tell()

    def pull(self) -> None:
        """Show what is new; called by the timer."""
        shot = None if self.sides.currentWidget() is self.panel else self.battle.shot
        self.devices.pull(self.battle.dialog, self.bench, shot)
        if self.bench.pull():
            self.calibration.pull()
            self._redraw()
        elif self._clock() - self._told_s > _WORDS_EVERY_S:
            self._tell()

    def _redraw(self) -> None:
        frame, view, state = self.bench.frame, self.bench.view, self.session.state
        self.stage.show_frame(frame, view, state)
        at = self._pointed()
        self.picture.in_progress = self.tool.in_progress
        bare_in = at.place_in if at is not None and at.figure is None and self.tool.name == "select" else None
        preview = self.tools.preview(at, self.battle.aiming(bare_in) if self._in_battle else Preview())
        if view is not None:
            self.battle.look(view, state.setup)
            self.stage.show_table(view, state, preview, current_answer(view, state, preview, self._last_laid))
            self.devices.answer(view, asked_now(state, preview, self._last_laid), state.basis)
        self.terrain.show()
        self._status.point(at, state)
        turns = self.battle.play.battle if self._in_battle and self.battle.play else self.session
        self.actions_.name_steps(turns.can_undo, turns.can_redo)
        if self._clock() - self._told_s > _WORDS_EVERY_S:
            self._tell()

    def _refresh(self) -> None:
        """Show at once what the player's own doing changed."""
        self._redraw()
        self._tell()

    def _tell(self) -> None:
        """Bring the words up to date: message bar, hint, lists, status."""
        self._told_s = self._clock()
        if self._words and self._told_s > self._words_until_s:
            self._words = ""
        words = self._words or self.bench.problem
        self.bar.say(words[:1].upper() + words[1:], () if self._words else self._ways_out())
        self._hint.setText(self._next_step())
        self._status.tell(self.bench)
        view, state = self.bench.view, self.session.state
        if view is not None:
            laid = [laid_words(view, thing, state.basis, state.unit) for thing in on_table(state)]
            self.panel.show_table(
                [colour.name for colour in state.setup.palette], view.figures, laid, state.place_words
            )

    def _ways_out(self) -> Ways:
        if self.bench.worker.source_problem or self.bench.worker.broken:
            return (("Try again", self.try_again), ("Open another source…", self._offer_sources))
        if self.bench.view is not None and self.bench.view.problem:
            return (("Print markers…", self.print_sheets), *self.calibration.ways)
        return ()

    def _offer_sources(self) -> None:
        self.actions_.source_menu.popup(self.bar.mapToGlobal(self.bar.rect().bottomLeft()))

    def _next_step(self) -> str:
        view, state = self.bench.view, self.session.state
        if view is None:
            return "" if self.bench.worker.source_problem else f"Opening: {title_words(self.bench.spec)} …"
        return next_step(view, state, self.tool.name, self.tool.hint)

    def closeEvent(self, event: QCloseEvent | None) -> None:  # noqa: N802 - Qt's name
        """Stop the threads and remember where the window was."""
        self._timer.stop()
        for part in (self.battle, self.devices, self.help.guide):
            part.close()
        self._memory.keep_geometry(self.saveGeometry())
        self.hide()
        for bench in (*self._left_benches, self.bench):
            bench.stop()
            bench.join()
        super().closeEvent(event)
