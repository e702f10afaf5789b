"""The window's menus, tool rail and keys: each command's name, key, tooltip and icon."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from PyQt6.QtCore import QPoint, QSize, Qt, QTimer
from PyQt6.QtGui import QAction, QActionGroup, QContextMenuEvent, QKeyEvent, QMouseEvent, QPaintEvent, QPolygon
from PyQt6.QtWidgets import QFrame, QMainWindow, QMenu, QToolButton

from ui.desktop.action import ActionMenu, add_entry, create_action, create_key_action, create_switch, icon
from ui.desktop.commands import Commands
from ui.desktop.picture.image import painting
from ui.desktop.widgets import described, in_column
from ui.setup.cameras import Camera, cameras
from ui.translation import mark_for_translation, tr

_ZOOM_FACTOR = 1.25


def _tools() -> tuple[tuple[str, str, str, str], ...]:
    """Name, text, key and tip of each tool."""
    return (
        ("measure", tr("Measure"), "M", tr("Click two soldiers to measure the distance between them")),
        ("path", tr("Path"), "K", tr("Measure around corners: click each point, then press Enter")),
        ("sight", tr("Sight"), "S", tr("Show how much one soldier sees of another, and what is in the way")),
        ("fan", tr("Targets"), "A", tr("Show which targets a soldier can shoot, and which are hidden or too far away")),
        (
            "sight_fan",
            tr("Sight fan"),
            "Shift+S",
            tr("Show the ground that a soldier sees, and in a battle how far it shoots and moves"),
        ),
        ("blast", tr("Blast"), "B", tr("Place a blast disc to see which soldiers it hits")),
        ("wedge", tr("Wedge"), "W", tr("Place a wedge in front of a soldier to see which soldiers it hits")),
        ("flame", tr("Flame"), "L", tr("Place a flame in front of a soldier; the game sets its width")),
        ("strip", tr("Strip"), "I", tr("Place a straight strip in front of a soldier")),
        ("plan", tr("Move"), "D", tr("Try a move first: see its inches, what the ground costs and what is left")),
        ("teach", tr("Teach"), "T", tr("Click a soldier to teach the colour of its army")),
        (
            "terrain",
            tr("Terrain"),
            "G",
            tr("Click a house, a book or a tree, then drag its outline and choose its kind and height"),
        ),
        (
            "correct",
            tr("Correct"),
            "C",
            tr("Click a soldier that is wrong or missing; the right button works with any tool"),
        ),
        ("select", tr("Inspect"), "V", tr("Point at a soldier to see what the program knows about it")),
    )


class Actions:
    """The actions of one window; those that change with the table are attributes.

    Attributes:
        undo, redo: Their texts name the step to undo or redo.
        numbers: Checked while soldiers wear their numbers.
        freeze: Checked while the picture is frozen.
        compare: Checked while the frozen and the current picture are shown in turn.
        side_panel: Checked while the tabs beside the picture are shown.
        decimal_point: Types the point of a template's size; disabled where the key does something else.
        source_menu: The sources that can be opened.
    """

    def __init__(self, window: QMainWindow, commands: Commands) -> None:
        self._window = window
        self._tools = {name: self._tool(commands, name, *texts) for name, *texts in _tools()}
        group = QActionGroup(window)
        for action in self._tools.values():
            group.addAction(action)
        self.undo = create_action(window, tr("Undo"), "Ctrl+Z", tr("Undo the last step"), commands.undo, "undo")
        self.redo = create_action(
            window, tr("Redo"), "Ctrl+Shift+Z", tr("Redo the last undone step"), commands.redo, "redo"
        )
        tip = tr("Stop the picture; you can still measure in it")
        self.freeze = create_switch(window, tr("Freeze"), "P", tip, "freeze")
        tip = tr("Switch between the frozen and the current picture, and mark what has changed")
        self.compare = create_switch(window, tr("Compare"), "Shift+P", tip, "compare")
        tip = tr("Show every soldier's number on the table")
        self.numbers = create_switch(window, tr("Numbers"), "Shift+N", tip)
        tip = tr("Show or hide the tabs beside the picture; without them the table fills the window")
        self.side_panel = create_switch(window, tr("Side panel"), "F9", tip, "panel")
        tip = tr("Fill the window with the table; again: show the whole picture")
        self._fit = create_action(window, tr("Fit"), "F", tip, commands.parts.picture.toggle_fit, "fit")
        self._connect(commands)
        self.source_menu = self._make_source_menu(commands)
        self.view_menu = self._make_view_menu(commands)
        self._make_menus(commands)
        at_bottom = (self.undo, self.redo, self.freeze, self._fit, self.side_panel)
        self.rail = ToolRail(self._tools, self.source_menu, at_bottom)
        create_key_action(window, "Escape", tr("Cancel"), tr("Cancel, or put the tool away"), commands.cancel)
        tip = tr("Make the template larger or smaller, like the mouse wheel")
        for key, steps in (("+", 1), ("=", 1), ("-", -1)):
            create_key_action(window, key, tr("Size"), tip, partial(commands.turn, steps))
        tip = tr("Type a template's size in inches")
        for digit in "0123456789.":
            slot = partial(commands.type_digit, digit)
            self.decimal_point = create_key_action(window, digit, tr("Number"), tip, slot)

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

    def _connect(self, commands: Commands) -> None:
        frozen_frame, store = commands.features.frozen_frame, commands.store
        self.freeze.toggled.connect(frozen_frame.freeze)
        self.compare.toggled.connect(frozen_frame.compare)
        frozen_frame.thawed.connect(lambda: self.freeze.setChecked(False))
        frozen_frame.ended.connect(lambda: self.compare.setChecked(False))
        store.restarted.connect(lambda: self.freeze.setChecked(False))
        store.tool_selected.connect(lambda name, _: self._tools[name].setChecked(True))

    def _toggle_full_screen(self) -> None:
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)

    def _tool(self, commands: Commands, name: str, text: str, key: str, tip: str) -> QAction:
        action = create_switch(self._window, text, key, tip, name)
        action.triggered.connect(lambda: commands.store.use_tool(name))
        return action

    def _make_source_menu(self, commands: Commands) -> QMenu:
        menu, cameras_menu = ActionMenu(tr("Open source"), self._window), QMenu(tr("Camera"), self._window)
        tip = tr("Open a picture or a video of a table")
        menu.add(tr("Picture or video…"), "Ctrl+O", tip, commands.open_file)
        tip = tr("Step through the pictures of a folder")
        menu.add(tr("Folder of pictures…"), "Ctrl+Shift+O", tip, commands.open_folder)
        tip = tr("Try a computer-made table; no camera needed")
        menu.add(tr("Simulated table"), "Ctrl+D", tip, lambda: commands.store.open("demo"))
        menu.add_separator()
        menu.addMenu(cameras_menu)
        menu.setToolTipsVisible(True)
        cameras_menu.aboutToShow.connect(lambda: _list_cameras(cameras_menu, commands))
        return menu

    def _make_view_menu(self, commands: Commands) -> QMenu:
        menu, zoom = ActionMenu(tr("&View"), self._window), commands.parts.picture.zoom
        menu.addActions([self._fit, self.numbers, self.freeze, self.compare])
        tip = tr("Enlarge the picture (or use the mouse wheel)")
        menu.add(tr("Zoom in"), "Ctrl++", tip, partial(zoom, _ZOOM_FACTOR))
        menu.add(tr("Zoom out"), "Ctrl+-", tr("Show more of the picture"), partial(zoom, 1 / _ZOOM_FACTOR))
        menu.addAction(self.side_panel)
        tip = tr("Fill the whole screen, or go back to a window")
        menu.add(tr("Full screen"), "F11", tip, self._toggle_full_screen, "full-screen")
        return menu

    def _make_menus(self, commands: Commands) -> None:
        tools = QMenu(tr("T&ools"), self._window)
        tools.addActions(list(self._tools.values()))
        edit = self._edit_menu(commands)
        self.add_menus(self._table_menu(commands), edit, tools, self._battle_menu(commands), self.view_menu)

    def _table_menu(self, commands: Commands) -> QMenu:
        menu, tables = ActionMenu(tr("&Table"), self._window), commands.features.tables
        menu.addMenu(self.source_menu)
        menu.add_separator()
        tip = tr("Make a PDF of markers, the lens board, the range rod or unit cards")
        self.print = menu.add(tr("Print…"), "Ctrl+P", tip, commands.print_sheets)
        tip = tr("Use this picture as the empty table, to find soldiers more reliably")
        menu.add(tr("Learn empty table"), "Ctrl+E", tip, commands.store.learn_empty_table)
        tip = tr("Search the whole table, even where something is moving")
        menu.add(tr("Search now"), "F5", tip, lambda: commands.store.session.search_now())
        tip = tr("Say how each soldier stands whose posture the camera is not sure of")
        menu.add(tr("Check postures"), "", tip, commands.features.corrections.check_postures)
        tip = tr("Bring back terrain, rulers, corrections, names and the empty table from last time")
        menu.add(tr("Restore table"), "", tip, tables.restore)
        tip = tr("Forget everything learned from soldiers that you confirmed or corrected")
        menu.add(tr("Forget examples"), "", tip, tables.forget_examples)
        tip = tr("Save soldiers, ranges, lines of sight, rulers and terrain for other programs")
        menu.add(tr("Save table…"), "", tip, tables.save)
        menu.add_separator()
        tip = tr("Save the picture with everything drawn over it")
        menu.add(tr("Save picture…"), "Ctrl+S", tip, commands.save_snapshot)
        tip = tr("Save the picture as the camera sees it, with nothing drawn over it")
        menu.add(tr("Save photo…"), "Ctrl+Shift+S", tip, partial(commands.save_snapshot, bare=True))
        menu.add(tr("Quit"), "Ctrl+Q", tr("Close the program"), self._window.close)
        return menu

    def _edit_menu(self, commands: Commands) -> QMenu:
        menu = ActionMenu(tr("&Edit"), self._window)
        menu.addActions([self.undo, self.redo])
        menu.add(tr("Clear"), "Ctrl+L", tr("Remove all rulers and templates"), commands.clear, "clear")
        tip = tr("Switch between measuring from base centres and from base edges")
        menu.add(tr("Centre or edge"), "E", tip, commands.turn_basis)
        return menu

    def _battle_menu(self, commands: Commands) -> QMenu:
        files, history = commands.features.files, commands.features.history
        menu = ActionMenu(tr("&Battle"), self._window)
        menu.add(tr("New battle…"), "Ctrl+N", tr("Choose a game and what each soldier plays"), files.new_battle)
        tip = tr("Continue a battle; every battle is saved as you play")
        menu.add(tr("Open battle…"), "Ctrl+B", tip, files.open_battle)
        menu.add(tr("Continue last battle"), "", tr("Go on where the last battle stopped"), files.continue_last)
        menu.add(tr("Save a copy…"), "", tr("Save the battle in another file, too"), files.save_copy)
        menu.add(tr("Close battle"), "", tr("Measure without a battle; the battle stays saved"), files.close_battle)
        menu.add(tr("Restore terrain"), "", tr("Put the battle's terrain back where it was"), history.lay_out)
        tip = tr("See what happened, with pictures; go back to an earlier turn")
        menu.add(tr("History…"), "Ctrl+H", tip, history.show)
        menu.add(tr("Save story…"), "", tr("Save the battle so far as a text to read"), history.save_story)
        tip = tr("Save the battle with its maps and pictures as a web page")
        menu.add(tr("Save page…"), "", tip, history.save_page)
        menu.add(tr("Save film…"), "", tr("Save the battle as a film to show to others"), history.save_film)
        menu.add(tr("Save data…"), "", tr("Save the battle for other programs"), history.save_json)
        menu.addAction(commands.features.sight_areas.danger)
        return menu


def _list_cameras(menu: QMenu, commands: Commands) -> None:
    menu.clear()
    for camera in cameras() or [Camera(number, "") for number in range(3)]:
        tip = tr("Use camera {number}", number=camera.number)
        add_entry(menu, camera.words, partial(commands.store.open, str(camera.number)), tip)


_WIDTH_PX, _BUTTON_PX, _ICON_PX, _GAP_PX = 48, 36, 24, 2
_CORNER_PX = 12
"""Side of the corner of a button that opens the other tools of its group."""
_HOLD_MS = 400

_GROUPS = (
    (mark_for_translation("Inspect"), ("select",)),
    (mark_for_translation("Measure"), ("measure", "path")),
    (mark_for_translation("See"), ("sight", "fan", "sight_fan")),
    (mark_for_translation("Templates"), ("blast", "wedge", "flame", "strip")),
    (mark_for_translation("Move"), ("plan",)),
    (mark_for_translation("Set up"), ("teach", "terrain")),
    (mark_for_translation("Correct"), ("correct",)),
)
"""The title and the tools of each group."""


class ToolRail(QFrame):
    """A narrow column of buttons.

    Attributes:
        open: Its menu lists the sources to open.
        groups: One button per group of tools, by the name of the group's first tool.
    """

    def __init__(self, tools: Mapping[str, QAction], sources: QMenu, others: Iterable[QAction]) -> None:
        """Create the buttons: the menu of `sources`, the tools in their groups, and `others` at the lower end."""
        super().__init__()
        self.setFixedWidth(_WIDTH_PX)
        self.setAccessibleName(tr("Tools"))
        self.open = _RailButton()
        self.open.setIcon(icon("open"))
        described(self.open, tr("Open"), tr("Open a camera, a picture, a video, a folder or the simulated table"))
        self.open.setMenu(sources)
        self.open.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.groups = {
            names[0]: ToolGroupButton(tr(title), [tools[name] for name in names]) for title, names in _GROUPS
        }
        at_bottom = map(_RailButton, others)
        edge = (_WIDTH_PX - _BUTTON_PX) // 2
        in_column(self.open, *self.groups.values(), None, *at_bottom, on=self, margin=edge).setSpacing(_GAP_PX)


class _RailButton(QToolButton):
    def __init__(self, action: QAction | None = None) -> None:
        super().__init__()
        self.setFixedSize(_BUTTON_PX, _BUTTON_PX)
        self.setIconSize(QSize(_ICON_PX, _ICON_PX))
        if action is not None:
            self.setDefaultAction(_with_name_in_tip(action))


class ToolGroupButton(_RailButton):
    """The tool of a group that was used last; the others are in a menu beside it.

    The menu opens at a long press, a right click, a click on the corner, or the right arrow key.
    """

    def __init__(self, title: str, tools: Sequence[QAction]) -> None:
        super().__init__()
        self._title = title
        self.choices = QMenu(title, self)
        self.choices.addActions([_with_name_in_tip(tool) for tool in tools])
        for tool in tools:
            tool.toggled.connect(lambda on, tool=tool: self._show_tool(tool) if on else None)
        self._held = QTimer(self)
        self._held.setSingleShot(True)
        self._held.setInterval(_HOLD_MS)
        self._held.timeout.connect(self.show_choices)
        self._show_tool(tools[0])

    def show_choices(self) -> None:
        """Open the menu if there is more than one tool."""
        self._held.stop()
        if self._has_choices:
            self.setDown(False)
            self.choices.popup(self.mapToGlobal(self.rect().topRight()))

    @property
    def _has_choices(self) -> bool:
        return len(self.choices.actions()) > 1

    def _show_tool(self, tool: QAction) -> None:
        self.setDefaultAction(tool)
        self.setAccessibleName(f"{self._title}: {tool.iconText()}" if self._has_choices else self._title)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the button, with a triangle in the corner if there are other tools."""
        super().paintEvent(event)
        if not self._has_choices:
            return
        corner = self.rect().bottomRight() - QPoint(4, 4)
        with painting(self) as painter:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.palette().buttonText())
            painter.drawPolygon(QPolygon([corner, corner - QPoint(5, 0), corner - QPoint(0, 5)]))

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.button() == Qt.MouseButton.LeftButton and self._has_choices:
            from_corner = self.rect().bottomRight() - event.position().toPoint()
            if max(from_corner.x(), from_corner.y()) < _CORNER_PX:
                self.show_choices()
                return
            self._held.start()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        self._held.stop()
        super().mouseReleaseEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        self.show_choices()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        if event is not None and event.key() == Qt.Key.Key_Right and self._has_choices:
            self.show_choices()
        else:
            super().keyPressEvent(event)


def _with_name_in_tip(action: QAction) -> QAction:
    """The action, with its name in the tooltip, because these buttons show only icons."""
    key = action.shortcut().toString()
    name = f"{action.iconText()} ({key})" if key else action.iconText()
    action.setToolTip(f"{name}\n{action.statusTip()}")
    return action
