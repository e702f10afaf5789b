"""Everything the window can be told to do: its menus, toolbar and keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction, QActionGroup, QKeySequence
from PyQt6.QtWidgets import QMainWindow, QMenu, QToolBar, QToolButton

from ui.desktop.action import action_of, switch_of
from ui.desktop.battle.files import BattleFiles
from ui.desktop.battle.history_controller import HistoryController
from ui.desktop.frozen_frame import Stills
from ui.desktop.picture.view import PictureView
from ui.desktop.setup.table_controller import TableController
from ui.desktop.translation import mark, tr
from ui.setup.cameras import Camera, cameras

_CLOSER = 1.25


class WindowCommands(Protocol):
    """What the window does when told."""

    picture: PictureView
    files: BattleFiles
    history: HistoryController
    kept: TableController
    stills: Stills

    def use_tool(self, name: str) -> None: ...  # noqa: D102
    def let_go(self) -> None: ...  # noqa: D102
    def turn(self, steps: int) -> None: ...  # noqa: D102
    def type_digit(self, digit: str) -> None: ...  # noqa: D102
    def turn_basis(self) -> None: ...  # noqa: D102
    def undo(self) -> None: ...  # noqa: D102
    def redo(self) -> None: ...  # noqa: D102
    def clear(self) -> None: ...  # noqa: D102
    def open(self, spec: str) -> None: ...  # noqa: D102
    def open_file(self) -> None: ...  # noqa: D102
    def open_folder(self) -> None: ...  # noqa: D102
    def learn_empty_table(self) -> None: ...  # noqa: D102
    def search_now(self) -> None: ...  # noqa: D102
    def print_sheets(self) -> None: ...  # noqa: D102
    def save_snapshot(self, path: Path | None = None, *, bare: bool = False) -> None: ...  # noqa: D102
    def close(self) -> bool: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class _Tool:
    name: str
    text: str
    key: str
    tip: str


_TOOLS = (
    _Tool("measure", mark("Measure"), "M", mark("Click a soldier, then another: the distance between them")),
    _Tool("path", mark("Path"), "K", mark("A ruler round corners: click after click; right button or Enter ends it")),
    _Tool("sight", mark("Sight"), "S", mark("What one soldier sees of another, and what hides the rest")),
    _Tool(
        "fan", mark("Targets"), "A", mark("Whom a soldier can shoot: in range, too close to call, out of reach, hidden")
    ),
    _Tool("blast", mark("Blast"), "B", mark("Lay a blast disc: who is under it, and how much of each")),
    _Tool("wedge", mark("Wedge"), "W", mark("Lay a wedge from a soldier: who is under it, and how much of each")),
    _Tool("flame", mark("Flame"), "L", mark("Lay a flame from a soldier, as wide at its end as the game says")),
    _Tool("strip", mark("Strip"), "I", mark("Lay a strip from a soldier, of one width all along")),
    _Tool("plan", mark("Move"), "D", mark("A move before it is made: its inches, what the ground costs, what is left")),
    _Tool("teach", mark("Teach"), "T", mark("Click a soldier to teach its army's colour")),
    _Tool(
        "terrain",
        mark("Terrain"),
        "G",
        mark("Click a house, a book, a tree: its outline; drag it, say its kind and height"),
    ),
    _Tool(
        "correct", mark("Correct"), "C", mark("Click a figure, or where one is missing; or the right button, any time")
    ),
    _Tool("select", mark("Inspect"), "V", mark("Point at a figure to see what is known of it")),
)


class Actions:
    """The actions of one window; those that change with the table are attributes.

    Attributes:
        undo, redo: Named after the step they would undo or do again.
        freeze: Checked while the picture stands still.
        compare: Checked while the picture that was frozen last and that of now are shown in turn.
        source_menu: What can be opened.
    """

    def __init__(self, window: QMainWindow, do: WindowCommands) -> None:
        self._window = window
        self._tools = {tool.name: self._tool(tool, do) for tool in _TOOLS}
        group = QActionGroup(window)
        for action in self._tools.values():
            group.addAction(action)
        self.undo = self._action(tr("Undo"), "Ctrl+Z", tr("Take the last step back"), do.undo)
        self.redo = self._action(tr("Redo"), "Ctrl+Shift+Z", tr("Do again what was undone"), do.redo)
        still = do.stills
        tip = tr("Hold the picture still; it can still be measured")
        self.freeze = self._switch(tr("Freeze"), "P", tip, still.freeze)
        tip = tr("Show the picture that was frozen last and the one of now in turn, and mark what has changed")
        self.compare = self._switch(tr("Compare"), "Shift+P", tip, still.compare)
        self._clear = self._action(tr("Clear"), "Ctrl+L", tr("Take all rulers and templates off the table"), do.clear)
        self._basis = self._action(
            tr("Centre or edge"), "E", tr("Measure from the bases' centres, or edges"), do.turn_basis
        )
        self._save = self._action(
            tr("Save picture…"), "Ctrl+S", tr("Save the picture with all that is drawn"), lambda: do.save_snapshot()
        )
        self._save_bare = self._action(
            tr("Save bare picture…"),
            "Ctrl+Shift+S",
            tr("Save the picture as the camera sees it, with nothing drawn over it"),
            lambda: do.save_snapshot(bare=True),
        )
        self._fit = self._action(tr("Fit"), "F", tr("Show the whole picture"), do.picture.fit)
        self.source_menu = self._source_menu(do)
        self._make_menus(do)
        self._make_toolbar()
        self._silent("Escape", tr("Let go"), tr("Let go of what is half done; of the tool where nothing is"), do.let_go)
        for key, steps in (("+", 1), ("=", 1), ("-", -1)):
            self._silent(
                key, tr("Size"), tr("Larger or smaller, as the wheel does for a template"), partial(do.turn, steps)
            )
        for digit in "0123456789.":
            self._silent(digit, tr("Number"), tr("Type a template's size in inches"), partial(do.type_digit, digit))

    def tick_tool(self, name: str) -> None:
        """Show which tool is in hand."""
        self._tools[name].setChecked(True)

    def name_steps(self, undo: str | None, redo: str | None) -> None:
        """Show what would be undone and done again."""
        for action, verb, step in ((self.undo, tr("Undo"), undo), (self.redo, tr("Redo"), redo)):
            action.setEnabled(step is not None)
            action.setText(f"{verb} {step}" if step else verb)
            action.setIconText(verb)

    def _action(self, text: str, key: str, tip: str, slot: Callable[[], object]) -> QAction:
        return action_of(self._window, text, key, tip, slot)

    def _switch(self, text: str, key: str, tip: str, slot: Callable[[bool], object]) -> QAction:
        switch = switch_of(self._window, text, key, tip)
        switch.toggled.connect(slot)
        return switch

    def _silent(self, key: str, text: str, tip: str, slot: Callable[[], object]) -> None:
        action = QAction(text, self._window)
        action.setStatusTip(tip)
        action.setShortcut(QKeySequence(key))
        action.triggered.connect(lambda: slot())
        self._window.addAction(action)

    def _tool(self, tool: _Tool, do: WindowCommands) -> QAction:
        action = switch_of(self._window, tr(tool.text), tool.key, tr(tool.tip))
        action.triggered.connect(lambda: do.use_tool(tool.name))
        return action

    def _source_menu(self, do: WindowCommands) -> QMenu:
        menu = QMenu(tr("Open source"), self._window)
        menu.setToolTipsVisible(True)
        open_ = self._action(
            tr("Picture or video…"), "Ctrl+O", tr("Open a picture or a video of a table"), do.open_file
        )
        folder = self._action(
            tr("Folder of pictures…"), "Ctrl+Shift+O", tr("Play the pictures of a folder"), do.open_folder
        )
        demo = self._action(
            tr("Simulated table"), "Ctrl+D", tr("A table of soldiers without a camera"), lambda: do.open("demo")
        )
        menu.addActions([open_, folder, demo])
        menu.addSeparator()
        cameras = menu.addMenu(tr("Camera"))
        if cameras is not None:
            cameras.aboutToShow.connect(lambda: self._list_cameras(cameras, do))
        return menu

    def _list_cameras(self, menu: QMenu, do: WindowCommands) -> None:
        menu.clear()
        for camera in cameras() or [Camera(number, "") for number in range(3)]:
            action = menu.addAction(camera.words)
            if action is not None:
                action.setToolTip(tr("Look through camera {number}", number=camera.number))
                action.triggered.connect(partial(_open, do, str(camera.number)))

    def _make_menus(self, do: WindowCommands) -> None:
        bar = self._window.menuBar()
        if bar is None:
            return
        table = QMenu(tr("&Table"), self._window)
        table.addMenu(self.source_menu)
        table.addSeparator()
        tip = tr("Markers, the board for the lens, the range rod, unit cards: as a PDF")
        table.addAction(self._action(tr("Print…"), "Ctrl+P", tip, do.print_sheets))
        table.addAction(
            self._action(
                tr("Learn empty table"),
                "Ctrl+E",
                tr("Take this picture as the table without figures; they are found more surely then"),
                do.learn_empty_table,
            )
        )
        tip = tr("Search the whole table, even where something moves")
        table.addAction(self._action(tr("Search now"), "F5", tip, do.search_now))
        tip = tr("Terrain, rulers, corrections, the empty table and everybody's names, as this camera saw them last")
        table.addAction(self._action(tr("As you left it"), "", tip, do.kept.take_up))
        tip = tr("Forget what confirmed and corrected figures taught about others like them")
        table.addAction(self._action(tr("Forget learned figures"), "", tip, do.kept.forget_examples))
        tip = tr("Figures, every range and sight, rulers and terrain as JSON, for programs")
        table.addAction(self._action(tr("Save what lies there…"), "", tip, do.kept.save))
        table.addSeparator()
        table.addActions([self._save, self._save_bare])
        table.addAction(self._action(tr("Quit"), "Ctrl+Q", tr("Close the program"), do.close))
        edit, look = QMenu(tr("&Edit"), self._window), QMenu(tr("&View"), self._window)
        edit.addActions([self.undo, self.redo, self._clear, self._basis])
        look.addActions([self._fit, self.freeze, self.compare])
        look.addAction(
            self._action(
                tr("Closer"), "Ctrl++", tr("Enlarge the picture (or turn the wheel)"), lambda: do.picture.zoom(_CLOSER)
            )
        )
        look.addAction(
            self._action(tr("Farther"), "Ctrl+-", tr("Show more of the picture"), lambda: do.picture.zoom(1 / _CLOSER))
        )
        tools = QMenu(tr("T&ools"), self._window)
        tools.addActions(list(self._tools.values()))
        for menu in (table, edit, tools, self._battle_menu(do), look):
            bar.addMenu(menu)

    def _battle_menu(self, do: WindowCommands) -> QMenu:
        menu = QMenu(tr("&Battle"), self._window)
        for text, key, tip, slot in (
            (tr("New battle…"), "Ctrl+N", tr("Choose a game and say which figure is which unit"), do.files.new_battle),
            (
                tr("Open battle…"),
                "Ctrl+B",
                tr("Go on with a battle; every one is saved as it is played"),
                do.files.open_battle,
            ),
            (tr("Lay out its terrain"), "", tr("Put the battle's terrain where it stood"), do.history.lay_out),
            (tr("History…"), "Ctrl+H", tr("What happened, with pictures; look back, and go back"), do.history.show),
            (tr("Save the story…"), "", tr("The battle so far as a text to read"), do.files.save_story),
            (tr("Save with pictures…"), "", tr("The battle as one page that any browser opens"), do.history.save_page),
            (tr("Save as JSON…"), "", tr("The battle's journal and state, for programs"), do.history.save_json),
        ):
            menu.addAction(self._action(text, key, tip, slot))
        return menu

    def _make_toolbar(self) -> None:
        bar = QToolBar(tr("Tools"), self._window)
        bar.setObjectName("tools")
        bar.setMovable(False)
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        open_ = QToolButton(bar)
        open_.setText(tr("Open…"))
        open_.setToolTip(tr("Choose a camera, a picture, a video, a folder or the simulated table"))
        open_.setMenu(self.source_menu)
        open_.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        bar.addWidget(open_)
        bar.addSeparator()
        bar.addActions(list(self._tools.values()))
        bar.addSeparator()
        bar.addActions([self.undo, self.redo, self._clear])
        bar.addSeparator()
        bar.addActions([self.freeze, self.compare, self._fit, self._save])
        self._window.addToolBar(bar)


def _open(do: WindowCommands, spec: str, _checked: bool = False) -> None:
    do.open(spec)
