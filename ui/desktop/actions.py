"""The window's menus, tool rail and keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction, QActionGroup, QKeySequence
from PyQt6.QtWidgets import QMainWindow, QMenu

from ui.desktop.action import create_action, create_switch
from ui.desktop.commands import Commands
from ui.desktop.icons import icon
from ui.desktop.tool_rail import ToolRail
from ui.setup.cameras import Camera, cameras
from ui.translation import mark_for_translation, tr

_ZOOM_FACTOR = 1.25


@dataclass(frozen=True, slots=True)
class _Tool:
    name: str
    text: str
    key: str
    tip: str


_TOOLS = (
    _Tool(
        "measure",
        mark_for_translation("Measure"),
        "M",
        mark_for_translation("Click two soldiers to measure the distance between them"),
    ),
    _Tool(
        "path",
        mark_for_translation("Path"),
        "K",
        mark_for_translation("Measure around corners: click each point, then press Enter"),
    ),
    _Tool(
        "sight",
        mark_for_translation("Sight"),
        "S",
        mark_for_translation("Show how much one soldier sees of another, and what is in the way"),
    ),
    _Tool(
        "fan",
        mark_for_translation("Targets"),
        "A",
        mark_for_translation("Show which targets a soldier can shoot, and which are hidden or too far away"),
    ),
    _Tool(
        "sight_fan",
        mark_for_translation("Sight fan"),
        "Shift+S",
        mark_for_translation("Show the ground that a soldier sees, and in a battle how far it shoots and moves"),
    ),
    _Tool(
        "blast",
        mark_for_translation("Blast"),
        "B",
        mark_for_translation("Place a blast disc to see which soldiers it hits"),
    ),
    _Tool(
        "wedge",
        mark_for_translation("Wedge"),
        "W",
        mark_for_translation("Place a wedge in front of a soldier to see which soldiers it hits"),
    ),
    _Tool(
        "flame",
        mark_for_translation("Flame"),
        "L",
        mark_for_translation("Place a flame in front of a soldier; the game sets its width"),
    ),
    _Tool(
        "strip",
        mark_for_translation("Strip"),
        "I",
        mark_for_translation("Place a straight strip in front of a soldier"),
    ),
    _Tool(
        "plan",
        mark_for_translation("Move"),
        "D",
        mark_for_translation("Try a move first: see its inches, what the ground costs and what is left"),
    ),
    _Tool(
        "teach",
        mark_for_translation("Teach"),
        "T",
        mark_for_translation("Click a soldier to teach the colour of its army"),
    ),
    _Tool(
        "terrain",
        mark_for_translation("Terrain"),
        "G",
        mark_for_translation("Click a house, a book or a tree, then drag its outline and choose its kind and height"),
    ),
    _Tool(
        "correct",
        mark_for_translation("Correct"),
        "C",
        mark_for_translation("Click a soldier that is wrong or missing; the right button works with any tool"),
    ),
    _Tool(
        "select",
        mark_for_translation("Inspect"),
        "V",
        mark_for_translation("Point at a soldier to see what the program knows about it"),
    ),
)


class Actions:
    """The actions of one window; those that change with the table are attributes.

    Attributes:
        undo, redo: Their texts name the step to undo or redo.
        numbers: Checked while soldiers wear their numbers.
        freeze: Checked while the picture is frozen.
        compare: Checked while the frozen and the current picture are shown in turn.
        side_panel: Checked while the tabs beside the picture are shown.
        print: Asks what to print.
        decimal_point: Types the point of a template's size; disabled where the key does something else.
        source_menu: The sources that can be opened.
        view_menu: The View menu.
        rail: The tool rail.
    """

    def __init__(self, window: QMainWindow, commands: Commands) -> None:
        self._window = window
        self._tools = {tool.name: self._tool(tool, commands) for tool in _TOOLS}
        group = QActionGroup(window)
        for action in self._tools.values():
            group.addAction(action)
        self.undo = self._action(tr("Undo"), "Ctrl+Z", tr("Undo the last step"), commands.undo)
        self.redo = self._action(tr("Redo"), "Ctrl+Shift+Z", tr("Redo the last undone step"), commands.redo)
        frozen_frame = commands.features.frozen_frame
        tip = tr("Stop the picture; you can still measure in it")
        self.freeze = self._switch(tr("Freeze"), "P", tip, frozen_frame.freeze)
        tip = tr("Switch between the frozen and the current picture, and mark what has changed")
        self.compare = self._switch(tr("Compare"), "Shift+P", tip, frozen_frame.compare)
        frozen_frame.thawed.connect(lambda: self.freeze.setChecked(False))
        frozen_frame.ended.connect(lambda: self.compare.setChecked(False))
        commands.store.restarted.connect(lambda: self.freeze.setChecked(False))
        commands.store.tool_selected.connect(lambda name, _: self._tools[name].setChecked(True))
        commands.parts.picture.turned.connect(commands.turn)
        self._clear = self._action(tr("Clear"), "Ctrl+L", tr("Remove all rulers and templates"), commands.clear)
        self._basis = self._action(
            tr("Centre or edge"),
            "E",
            tr("Switch between measuring from base centres and from base edges"),
            commands.turn_basis,
        )
        self._save = self._action(
            tr("Save picture…"),
            "Ctrl+S",
            tr("Save the picture with everything drawn over it"),
            lambda: commands.save_snapshot(),
        )
        self._save_bare = self._action(
            tr("Save photo…"),
            "Ctrl+Shift+S",
            tr("Save the picture as the camera sees it, with nothing drawn over it"),
            lambda: commands.save_snapshot(bare=True),
        )
        tip = tr("Fill the window with the table; again: show the whole picture")
        self._fit = self._action(tr("Fit"), "F", tip, commands.parts.picture.toggle_fit)
        tip = tr("Show every soldier's number on the table")
        self.numbers = create_switch(window, tr("Numbers"), "Shift+N", tip)
        tip = tr("Show or hide the tabs beside the picture; without them the table fills the window")
        self.side_panel = create_switch(window, tr("Side panel"), "F9", tip)
        tip = tr("Fill the whole screen, or go back to a window")
        self._full_screen = self._action(tr("Full screen"), "F11", tip, self._toggle_full_screen)
        self.source_menu = self._source_menu(commands)
        self.view_menu = QMenu(tr("&View"), window)
        self._make_menus(commands)
        self._set_icons()
        at_bottom = (self.undo, self.redo, self.freeze, self._fit, self.side_panel)
        self.rail = ToolRail(self._tools, self.source_menu, at_bottom)
        self._key_action("Escape", tr("Cancel"), tr("Cancel, or put the tool away"), commands.cancel)
        for key, steps in (("+", 1), ("=", 1), ("-", -1)):
            self._key_action(
                key,
                tr("Size"),
                tr("Make the template larger or smaller, like the mouse wheel"),
                partial(commands.turn, steps),
            )
        for digit in "0123456789.":
            self.decimal_point = self._key_action(
                digit, tr("Number"), tr("Type a template's size in inches"), partial(commands.type_digit, digit)
            )

    def add_menus(self, *menus: QMenu) -> None:
        """Add the menus of features to the menu bar."""
        bar = self._window.menuBar()
        if bar is not None:
            for menu in menus:
                bar.addMenu(menu)

    def show_undo_steps(self, undo: str | None, redo: str | None) -> None:
        """Show which steps can be undone and redone; None disables the action."""
        for action, verb, step in (
            (self.undo, tr("Undo"), undo and tr("Undo {step}", step=undo)),
            (self.redo, tr("Redo"), redo and tr("Redo {step}", step=redo)),
        ):
            action.setEnabled(step is not None)
            action.setText(step or verb)
            action.setIconText(verb)

    def _toggle_full_screen(self) -> None:
        """Fill the whole screen, or go back to the size before."""
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)

    def _action(self, text: str, key: str, tip: str, slot: Callable[[], object]) -> QAction:
        return create_action(self._window, text, key, tip, slot)

    def _switch(self, text: str, key: str, tip: str, slot: Callable[[bool], object]) -> QAction:
        switch = create_switch(self._window, text, key, tip)
        switch.toggled.connect(slot)
        return switch

    def _key_action(self, key: str, text: str, tip: str, slot: Callable[[], object]) -> QAction:
        action = QAction(text, self._window)
        action.setStatusTip(tip)
        action.setShortcut(QKeySequence(key))
        action.triggered.connect(lambda: slot())
        self._window.addAction(action)
        return action

    def _tool(self, tool: _Tool, commands: Commands) -> QAction:
        action = create_switch(self._window, tr(tool.text), tool.key, tr(tool.tip))
        action.triggered.connect(lambda: commands.store.use_tool(tool.name))
        return action

    def _source_menu(self, commands: Commands) -> QMenu:
        menu = QMenu(tr("Open source"), self._window)
        menu.setToolTipsVisible(True)
        open_ = self._action(
            tr("Picture or video…"), "Ctrl+O", tr("Open a picture or a video of a table"), commands.open_file
        )
        folder = self._action(
            tr("Folder of pictures…"), "Ctrl+Shift+O", tr("Step through the pictures of a folder"), commands.open_folder
        )
        demo = self._action(
            tr("Simulated table"),
            "Ctrl+D",
            tr("Try a computer-made table; no camera needed"),
            lambda: commands.store.open("demo"),
        )
        menu.addActions([open_, folder, demo])
        menu.addSeparator()
        cameras = menu.addMenu(tr("Camera"))
        if cameras is not None:
            cameras.aboutToShow.connect(lambda: self._list_cameras(cameras, commands))
        return menu

    def _list_cameras(self, menu: QMenu, commands: Commands) -> None:
        menu.clear()
        for camera in cameras() or [Camera(number, "") for number in range(3)]:
            action = menu.addAction(camera.words)
            if action is not None:
                action.setToolTip(tr("Use camera {number}", number=camera.number))
                action.triggered.connect(partial(_open, commands, str(camera.number)))

    def _make_menus(self, commands: Commands) -> None:
        bar = self._window.menuBar()
        if bar is None:
            return
        table = QMenu(tr("&Table"), self._window)
        table.addMenu(self.source_menu)
        table.addSeparator()
        tip = tr("Make a PDF of markers, the lens board, the range rod or unit cards")
        self.print = self._action(tr("Print…"), "Ctrl+P", tip, commands.print_sheets)
        table.addAction(self.print)
        table.addAction(
            self._action(
                tr("Learn empty table"),
                "Ctrl+E",
                tr("Use this picture as the empty table, to find soldiers more reliably"),
                commands.store.learn_empty_table,
            )
        )
        tip = tr("Search the whole table, even where something is moving")
        table.addAction(self._action(tr("Search now"), "F5", tip, commands.search_now))
        tip = tr("Bring back terrain, rulers, corrections, names and the empty table from last time")
        table.addAction(self._action(tr("Restore table"), "", tip, commands.features.tables.restore))
        tip = tr("Forget everything learned from soldiers that you confirmed or corrected")
        table.addAction(self._action(tr("Forget examples"), "", tip, commands.features.tables.forget_examples))
        tip = tr("Save soldiers, ranges, lines of sight, rulers and terrain for other programs")
        table.addAction(self._action(tr("Save table…"), "", tip, commands.features.tables.save))
        table.addSeparator()
        table.addActions([self._save, self._save_bare])
        table.addAction(self._action(tr("Quit"), "Ctrl+Q", tr("Close the program"), self._window.close))
        edit, look = QMenu(tr("&Edit"), self._window), self.view_menu
        edit.addActions([self.undo, self.redo, self._clear, self._basis])
        look.addActions([self._fit, self.numbers, self.freeze, self.compare])
        look.addAction(
            self._action(
                tr("Zoom in"),
                "Ctrl++",
                tr("Enlarge the picture (or use the mouse wheel)"),
                lambda: commands.parts.picture.zoom(_ZOOM_FACTOR),
            )
        )
        look.addAction(
            self._action(
                tr("Zoom out"),
                "Ctrl+-",
                tr("Show more of the picture"),
                lambda: commands.parts.picture.zoom(1 / _ZOOM_FACTOR),
            )
        )
        look.addActions([self.side_panel, self._full_screen])
        tools = QMenu(tr("T&ools"), self._window)
        tools.addActions(list(self._tools.values()))
        for menu in (table, edit, tools, self._battle_menu(commands), look):
            bar.addMenu(menu)

    def _battle_menu(self, commands: Commands) -> QMenu:
        menu = QMenu(tr("&Battle"), self._window)
        files, history = commands.features.files, commands.features.history
        for text, key, tip, slot in (
            (tr("New battle…"), "Ctrl+N", tr("Choose a game and what each soldier plays"), files.new_battle),
            (
                tr("Open battle…"),
                "Ctrl+B",
                tr("Continue a battle; every battle is saved as you play"),
                files.open_battle,
            ),
            (tr("Continue last battle"), "", tr("Go on where the last battle stopped"), files.continue_last),
            (tr("Save a copy…"), "", tr("Save the battle in another file, too"), files.save_copy),
            (tr("Close battle"), "", tr("Measure without a battle; the battle stays saved"), files.close_battle),
            (tr("Restore terrain"), "", tr("Put the battle's terrain back where it was"), history.lay_out),
            (
                tr("History…"),
                "Ctrl+H",
                tr("See what happened, with pictures; go back to an earlier turn"),
                history.show,
            ),
            (tr("Save story…"), "", tr("Save the battle so far as a text to read"), files.save_story),
            (tr("Save page…"), "", tr("Save the battle with its maps and pictures as a web page"), history.save_page),
            (tr("Save film…"), "", tr("Save the battle as a film to show to others"), history.save_film),
            (tr("Save data…"), "", tr("Save the battle for other programs"), history.save_json),
        ):
            menu.addAction(self._action(text, key, tip, slot))
        menu.addAction(commands.features.sight_areas.danger)
        return menu

    def _set_icons(self) -> None:
        for name, action in (
            *self._tools.items(),
            ("undo", self.undo),
            ("redo", self.redo),
            ("clear", self._clear),
            ("freeze", self.freeze),
            ("compare", self.compare),
            ("fit", self._fit),
            ("panel", self.side_panel),
            ("full-screen", self._full_screen),
        ):
            action.setIcon(icon(name))


def _open(commands: Commands, spec: str, _checked: bool = False) -> None:
    commands.store.open(spec)
