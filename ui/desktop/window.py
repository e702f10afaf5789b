"""The window: joins picture, tools and panel to the session, and pulls what the threads have seen."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QSettings, Qt, QTimer
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QMainWindow, QTabWidget, QWidget

from calibration.solve import Calibration
from rules.table import Refused
from ui.answer import Answer, Laid, current_answer, newest, on_table
from ui.desktop.actions import Actions
from ui.desktop.bar import MessageBar, Ways
from ui.desktop.battle_desk import BattleDesk
from ui.desktop.battle_panel import BattlePanel
from ui.desktop.bench import Bench
from ui.desktop.dialogs import PrintsDialog, ask_battle, ask_file, ask_folder, ask_where
from ui.desktop.image import to_qimage
from ui.desktop.memory import Memory
from ui.desktop.muster_dialog import MusterDialog
from ui.desktop.painter import annotated
from ui.desktop.panel import SidePanel
from ui.desktop.paper import write_pdf
from ui.desktop.print_dialog import ask_sheet, usual_paper
from ui.desktop.tools import BlastTool, MeasureTool, Pointed, SelectTool, TeachTool, Tool, point_at
from ui.desktop.view import PictureView
from ui.files import write_bytes, write_picture
from ui.guidance import laid_words, next_step, title_words
from ui.overlay import PointPx, Preview, table_overlay
from ui.printing import PrintJob, sheet_of
from ui.readout import calibration_words, place_words
from ui.session import Session
from vision.frame import Frame
from vision.pipeline import Setup, TableView
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
        tool: What the mouse does.
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
        self._real = Setup(prints=self._memory.prints)
        self._left_benches: list[Bench] = []
        self._words, self._words_until_s, self._told_s = "", 0.0, 0.0
        self._mouse_px: PointPx | None = None
        self._last_laid: Laid | None = None
        self._shown: Frame | None = None
        self._calibrated: tuple[Calibration | None, str] = (None, "")
        self.battle = BattleDesk(BattlePanel(), self._say, time.time, random.SystemRandom())
        self.picture, self.panel, self.bar, self._hint = PictureView(), SidePanel(), MessageBar(), QLabel()
        self._status = QLabel(), QLabel(), QLabel()
        self._lay_out()
        self.actions_ = Actions(self, self)
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
        left = QGridLayout()
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
        self.sides.setFixedWidth(self.panel.width() + 2 * _TAB_EDGE_PX)
        layout.addWidget(self.sides)
        self.setCentralWidget(middle)
        status = self.statusBar()
        if status is not None:
            calibrated, place, rate = self._status
            status.addWidget(calibrated, 1)
            status.addPermanentWidget(place)
            status.addPermanentWidget(rate)

    def _connect(self) -> None:
        self.picture.pressed.connect(self._press)
        self.picture.released.connect(self._release)
        self.picture.moved.connect(self._point)
        self.picture.left.connect(self._point_at_nothing)
        self.picture.zoomed.connect(lambda: self._redraw())
        self.picture.turned.connect(self.turn)
        self.panel.forget.connect(lambda army: self._change(lambda: self.session.forget_army(army)))
        self.panel.army_chosen.connect(lambda _: self._tell())

    # What the menus, buttons and keys do

    @property
    def session(self) -> Session:
        """The table before us."""
        return self.bench.session

    def open(self, spec: str) -> None:
        """Open another source: a new table, with the markers and armies of the last real one."""
        self.bench.stop()
        self._left_benches = [bench for bench in (*self._left_benches, self.bench) if not bench.join(0)]
        if self.bench.spec != "demo":
            self._real = self.session.state.setup
        self._take_up(spec)
        self._memory.keep_source(spec)

    def _take_up(self, spec: str) -> None:
        real = self._real
        setup = Setup() if spec == "demo" else Setup(prints=real.prints, lens=real.lens, palette=real.palette)
        self.bench = Bench(spec, setup, self._opener, self._clock)
        self._shown, self._last_laid, self._words = None, None, ""
        self.setWindowTitle(title_words(spec))
        self.picture.show_nothing()
        self.panel.show_answer(Answer())
        self.panel.show_table((), (), ())
        tools = (
            MeasureTool(self.session),
            BlastTool(self.session),
            TeachTool(self.session, lambda: self.panel.army, self._taught),
            SelectTool(),
        )
        self._tools: dict[str, Tool] = {tool.name: tool for tool in tools}
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
        self.tool = self._tools[name]
        self.tool.cancel()
        self.picture.takes_wheel = self.tool.takes_wheel
        self.actions_.tick_tool(name)
        self._words = ""
        self._refresh()

    def let_go(self) -> None:
        """Let go of what is half done; of the tool where nothing is."""
        if not self.tool.cancel():
            self.use_tool("select")
        self._words = ""
        self._refresh()

    def turn(self, steps: int) -> None:
        """Turn the tool's wheel."""
        self.tool.turn(steps)
        self._refresh()

    def undo(self) -> None:
        """Take the last step back: of the battle where that is in sight, else of the table."""
        self._change(self.battle.undo if self._in_battle else self.session.undo)

    def redo(self) -> None:
        """Do the last undone step again."""
        self._change(self.battle.redo if self._in_battle else self.session.redo)

    @property
    def _in_battle(self) -> bool:
        return self.battle.play is not None and self.sides.currentWidget() is self.battle.panel

    def new_battle(self) -> None:
        """Ask what is played, and begin."""
        view, armies = self.bench.view, [colour.name for colour in self.session.state.setup.palette]
        dialog = MusterDialog(armies, view.figures if view else (), self)
        if dialog.exec() == MusterDialog.DialogCode.Accepted:
            path = ask_where(self, "Keep the battle in", "evening.battle", "Battles (*.battle)")
            if path is not None:
                self._try(lambda: self.battle.begin(path, dialog.muster))
                self._show_battle()

    def open_battle(self) -> None:
        """Ask for a battle and go on with it."""
        if path := ask_battle(self):
            self._try(lambda: self.battle.open(path))
            self._show_battle()

    def save_story(self, path: Path | None = None) -> None:
        """Write the battle as a text; ask where to if no path is given."""
        play = self.battle.play
        if play is None:
            self._say("There is no battle to tell of: begin one in the menu Battle.")
            return
        path = path or ask_where(self, "Save the story", "evening.txt", "Texts (*.txt)")
        if path is not None:
            self._try(lambda: write_bytes(path, "\n".join((*play.story, "")).encode()))
            self._say(self._words or f"{path} is saved.")

    def _show_battle(self) -> None:
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

    def choose_prints(self) -> None:
        """Ask which markers lie on the table."""
        dialog = PrintsDialog(self.session.state.setup.prints, self)
        if dialog.exec() == PrintsDialog.DialogCode.Accepted:
            self._change(lambda: self.session.use_prints(dialog.prints))
            if self.bench.spec != "demo":
                self._memory.keep_prints(dialog.prints)

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
        return point_at(frame, self.bench.view, self._mouse_px, self.picture.scale)

    def _press(self, x: float, y: float) -> None:
        self._mouse_px = (x, y)
        if (at := self._pointed()) is not None:
            if self._in_battle and self.tool.name == "select":
                self.battle.choose(at.figure.id if at.figure else "")
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
        if self.bench.pull():
            self._redraw()
        elif self._clock() - self._told_s > _WORDS_EVERY_S:
            self._tell()

    def _redraw(self) -> None:
        frame, view, state = self.bench.frame, self.bench.view, self.session.state
        if frame is not None and frame is not self._shown:
            self._shown = frame
            self.picture.show_picture(to_qimage(frame.image_bgr))
        at = self._pointed()
        preview = self.tool.preview(at)
        if self._in_battle and preview == Preview():
            preview = self.battle.pointing
        if view is not None:
            self.battle.look(view, state.setup)
            self.picture.show_shapes(table_overlay(view, state, preview, self.picture.scale))
            self.panel.show_answer(current_answer(view, state, preview, self._last_laid))
        self._status[1].setText(place_words(at.place_in) if at and at.place_in else "")
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
        calibrated, _, rate = self._status
        rate.setText(self._rate_words())
        view, state = self.bench.view, self.session.state
        calibrated.setText(self._calibration_words(view))
        if view is not None:
            laid = [laid_words(view, thing) for thing in on_table(state)]
            self.panel.show_table([colour.name for colour in state.setup.palette], view.figures, laid)

    def _ways_out(self) -> Ways:
        if self.bench.worker.source_problem or self.bench.worker.broken:
            return (("Try again", self.try_again), ("Open another source…", self._offer_sources))
        if self.bench.view is not None and self.bench.view.calibration is None:
            return (("Print markers…", self.print_sheets), ("Marker size…", self.choose_prints))
        return ()

    def _offer_sources(self) -> None:
        self.actions_.source_menu.popup(self.bar.mapToGlobal(self.bar.rect().bottomLeft()))

    def _next_step(self) -> str:
        view, state = self.bench.view, self.session.state
        if view is None:
            return "" if self.bench.worker.source_problem else f"Opening: {title_words(self.bench.spec)} …"
        return next_step(view, state, self.tool.name, self.tool.hint)

    def _rate_words(self) -> str:
        worker = self.bench.worker
        if worker.source_problem or worker.frame is None:
            return ""
        if worker.ended or worker.held:
            return "frozen" if worker.held else "still picture"
        return f"{self.bench.rate.per_second():.1f} pictures/s"

    def _calibration_words(self, view: TableView | None) -> str:
        calibration = view.calibration if view else None
        if calibration is not self._calibrated[0]:
            self._calibrated = (calibration, calibration_words(calibration) if calibration else "not calibrated")
        return self._calibrated[1]

    def closeEvent(self, event: QCloseEvent | None) -> None:  # noqa: N802 - Qt's name
        """Stop the threads and remember where the window was."""
        self._timer.stop()
        self.battle.close()
        self._memory.keep_geometry(self.saveGeometry())
        self.hide()
        for bench in (*self._left_benches, self.bench):
            bench.stop()
            bench.join()
        super().closeEvent(event)
