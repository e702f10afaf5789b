"""The Help menu: the guide, the command palette, all keys, details for a bug report, about, licences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QAction, QBrush, QFontDatabase, QGuiApplication, QKeyEvent, QPalette
from PyQt6.QtWidgets import (
    QAbstractButton,
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from ui.background_task import BackgroundTask
from ui.desktop.action import NATIVE, ActionMenu
from ui.desktop.guide import GuideController
from ui.desktop.theme import TEXT_PX
from ui.desktop.widgets import button_with_tip, close_button, in_column, stretch_first_column, wrapping_label
from ui.diagnostics import TYPEFACE, EventLog, about_words, bug_report, libraries
from ui.translation import tr

_SIZE = (760, 600)

KeyRow = tuple[str, str, str]
"""Keys, name, and effect."""


class HelpController:
    """The Help menu, last in the menu bar."""

    def __init__(self, window: QMainWindow, guide: GuideController, event_log: EventLog) -> None:
        self._window, self.guide, self._event_log = window, guide, event_log
        self.dialog: QDialog | None = None
        menu = self.menu = ActionMenu(tr("&Help"), window)
        menu.add(tr("Guide…"), "", tr("Set up the camera and measure your first shot, step by step"), guide.begin)
        menu.add(tr("Commands…"), "Ctrl+K", tr("Find any command by its name and run it"), self.show_commands)
        menu.add(tr("Keys…"), "F1", tr("See what every key does"), self.show_keys)
        tip = tr("Show the details that help us to fix a problem")
        menu.add(tr("Details for a bug report…"), "", tip, self.show_details)
        menu.add(tr("About…"), "", tr("What this program does, and its version"), self.show_about)
        menu.add(tr("Licences…"), "", tr("The libraries in this program, and their licences"), self.show_licences)

    def show_commands(self) -> None:
        palette = CommandPalette(self._window, commands_of(self._window))
        palette.finished.connect(palette.deleteLater)
        self.dialog = palette
        palette.show()

    def show_keys(self) -> None:
        parts = [
            f"<h3>{escape(title)}</h3><table cellpadding='3'>{''.join(map(_row, rows))}</table>"
            for title, rows in keys_of(self._window)
        ]
        self._show(tr("Keys"), "".join(parts))

    def show_details(self) -> None:
        self._open(DetailsDialog(self._event_log, self._window))

    def show_about(self) -> None:
        paragraphs = about_words().split("\n\n")
        self._show(
            tr("About"), f"<h2>{escape(paragraphs[0])}</h2>" + "".join(f"<p>{escape(p)}</p>" for p in paragraphs[1:])
        )

    def show_licences(self) -> None:
        rows = "".join(
            f"<tr><td><b>{escape(one.name)}</b></td><td>{escape(one.version)}</td><td>{escape(one.licence)}</td>"
            f"<td><a href='{escape(one.home)}'>{escape(one.home)}</a></td></tr>"
            for one in (*libraries(), TYPEFACE)
        )
        self._show(tr("Licences"), f"<table cellpadding='4'>{rows}</table>")

    def _show(self, title: str, html: str) -> None:
        dialog = QDialog(self._window)
        dialog.setWindowTitle(title)
        dialog.resize(*_SIZE)
        words = QTextBrowser()
        words.setOpenExternalLinks(True)
        words.setAccessibleName(title)
        document = words.document()
        if document is not None:  # Qt's blue is illegible on black
            document.setDefaultStyleSheet(f"a {{ color: {words.palette().text().color().name()} }}")
        words.setHtml(html)
        in_column(words, close_button(dialog), on=dialog)
        self._open(dialog)

    def _open(self, dialog: QDialog) -> None:
        dialog.finished.connect(dialog.deleteLater)
        self.dialog = dialog
        dialog.open()


def keys_of(window: QMainWindow) -> tuple[tuple[str, tuple[KeyRow, ...]], ...]:
    """All keys of a window, read from its actions and buttons: by menu, then those in no menu."""
    menus = _menus(window)
    listed = {action for actions in menus.values() for action in actions}
    sections = [(top.text().replace("&", ""), _rows(actions)) for top, actions in menus.items()]
    rest = [action for action in actions_of(window) if action not in listed]
    buttons = [
        (button.shortcut().toString(NATIVE), button.text(), button.toolTip() or tr("Press this button"))
        for button in window.findChildren(QAbstractButton)
        if not button.shortcut().isEmpty() and "&" not in button.text()
    ]
    sections.append((tr("Everywhere"), (*_rows(rest), *buttons)))
    return tuple((title, rows) for title, rows in sections if rows)


def commands_of(window: QMainWindow) -> tuple[tuple[Command, QAction], ...]:
    """The commands of a window: all actions but those made only for a key, which have no tooltip of their own."""
    menu_of = {action: top.text().replace("&", "") for top, actions in _menus(window).items() for action in actions}
    return tuple(
        (_command(action, menu_of.get(action, "")), action)
        for action in actions_of(window)
        if action.text() and (action in menu_of or action.toolTip() != action.iconText())
    )


def _command(action: QAction, menu: str) -> Command:
    keys = " ".join(key.toString(NATIVE) for key in action.shortcuts())
    words, short = action.text().replace("&", ""), action.iconText()
    name = words if words.rstrip("….") == short else short  # the text of Undo names the whole step
    return Command(name, menu, keys, action.statusTip())


def actions_of(window: QMainWindow) -> tuple[QAction, ...]:
    """All actions of a window: those in its menus, then the others that have a key."""
    in_menus = [action for actions in _menus(window).values() for action in actions]
    return tuple(dict.fromkeys((*in_menus, *window.actions())))


def _menus(window: QMainWindow) -> dict[QAction, tuple[QAction, ...]]:
    """The actions of each menu in the menu bar, those of its submenus included."""
    bar = window.menuBar()
    return {top: tuple(_inside(top)) for top in (bar.actions() if bar is not None else ())}


def _inside(action: QAction) -> Iterable[QAction]:
    menu = action.menu()
    if menu is None:
        yield action
        return
    for one in menu.actions():
        yield from _inside(one)


def _rows(actions: Iterable[QAction]) -> tuple[KeyRow, ...]:
    """One row per action; keys with the same effect share a row."""
    found: dict[tuple[str, str], list[str]] = {}
    for action in actions:
        for key in action.shortcuts():
            keys = found.setdefault((action.iconText(), action.statusTip()), [])
            if (words := key.toString(NATIVE)) not in keys:
                keys.append(words)
    return tuple((" ".join(keys), name, tip) for (name, tip), keys in found.items())


def _row(row: KeyRow) -> str:
    keys, name, tip = map(escape, row)
    return f"<tr><td><b>{keys}</b></td><td>{name}</td><td>{tip}</td></tr>"


_TICK_MS = 100
_DETAILS_SIZE = (760, 560)


class DetailsDialog(QDialog):
    """Examines the machine in the background and shows the report."""

    def __init__(self, event_log: EventLog, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Details for a bug report"))
        self.resize(*_DETAILS_SIZE)
        self._event_log = event_log
        self._examination: BackgroundTask[str] = BackgroundTask("sandtable details")
        self._text = QPlainTextEdit(tr("Checking this computer…"))
        self._text.setReadOnly(True)
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(TEXT_PX)
        self._text.setFont(font)
        self._text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._text.setAccessibleName(tr("Details for a bug report"))
        about = wrapping_label(
            tr(
                "Copy this into your report, and write what you did and what happened. It names your files, cameras and"
                " ports, but not their folders. Read it before you send it."
            )
        )
        buttons = close_button(self)
        self.report = ""
        self.copy = button_with_tip(tr("Copy"), tr("Copy the whole text"), self._copy)
        self.copy.setEnabled(False)
        buttons.addButton(self.copy, QDialogButtonBox.ButtonRole.ActionRole)
        in_column(about, self._text, buttons, on=self)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._pull)
        self._timer.start(_TICK_MS)
        self._examination.start(event_log.examined)

    def _pull(self) -> None:
        if self._examination.busy:
            return
        self._timer.stop()
        self.report = bug_report(self._examination.take() or self._examination.refusal, self._event_log)
        self._text.setPlainText(self.report)
        self.copy.setEnabled(True)

    def _copy(self) -> None:
        clipboard = QGuiApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(self.report)


_PALETTE_SIZE = (560, 420)
_TOP_PX = 72
"""Distance from the top of the window."""
_POSITION = Qt.ItemDataRole.UserRole
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}


@dataclass(frozen=True, slots=True)
class Command:
    """What can be done in the window.

    Attributes:
        name: What the menu calls it.
        menu: The menu that it is in; empty if it is in none.
        keys: Its keys, as text.
        effect: What it does, in one sentence.
    """

    name: str
    menu: str
    keys: str
    effect: str


PaletteCommands = Sequence[tuple[Command, QAction]]


class CommandPalette(QDialog):
    """A search field over a list of commands; Enter runs the selected one, Esc or a click beside it closes the palette.

    Attributes:
        field: What to search for.
        list: The commands found: name, menu and keys; those that cannot be used now are grey.
    """

    def __init__(self, window: QWidget, commands: PaletteCommands) -> None:
        """Show all commands at the top of the window."""
        super().__init__(window, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self._commands = commands
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setWindowTitle(tr("Commands"))
        self.resize(*_PALETTE_SIZE)
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Type what you want to do"))
        self.field.setAccessibleName(tr("Search for a command"))
        self.field.textChanged.connect(self._search)
        self.list = QTreeWidget()
        self.list.setAccessibleName(tr("Commands"))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the arrow keys in the field move the selection
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setColumnCount(3)
        self.list.setHeaderHidden(True)
        stretch_first_column(self.list)
        self.list.itemClicked.connect(lambda *_: self.run_selected())
        in_column(self.field, self.list, on=self)
        self._search("")
        self.field.setFocus()  # a window of this kind would get the keys itself
        self.move(window.mapToGlobal(window.rect().topLeft()))
        self.move(self.x() + (window.width() - self.width()) // 2, self.y() + _TOP_PX)

    def run_selected(self) -> None:
        """Close the palette and run the selected command, if it can be used now."""
        item = self.list.currentItem()
        if item is None:
            return
        _, action = self._commands[item.data(0, _POSITION)]
        if action.isEnabled():
            self.accept()
            action.trigger()

    def _search(self, typed: str) -> None:
        self.list.clear()
        for at in matching(typed, [command for command, _ in self._commands]):
            command, action = self._commands[at]
            item = QTreeWidgetItem([command.name, command.menu, command.keys])
            item.setToolTip(0, command.effect)
            item.setForeground(1, self.palette().placeholderText())
            item.setData(0, _POSITION, at)
            if not action.isEnabled():  # it stays selectable, so that the selection never disappears
                for column in range(item.columnCount()):
                    item.setForeground(column, _disabled_text(self.palette()))
            self.list.addTopLevelItem(item)
        self.list.setCurrentItem(self.list.topLevelItem(0))

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Select another row, or run the selected one."""
        key = Qt.Key(event.key()) if event is not None else None
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run_selected()
        elif key in _STEPS:
            row = self.list.indexOfTopLevelItem(self.list.currentItem()) + _STEPS[key]
            self.list.setCurrentItem(self.list.topLevelItem(min(max(row, 0), self.list.topLevelItemCount() - 1)))
        else:
            super().keyPressEvent(event)


def _disabled_text(palette: QPalette) -> QBrush:
    return palette.brush(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)


def matching(typed: str, commands: Sequence[Command]) -> tuple[int, ...]:
    """The positions of the commands that match every typed word, the best first; all if nothing is typed."""
    ranks = ((_rank(typed.casefold().split(), command), at) for at, command in enumerate(commands))
    return tuple(at for rank, at in sorted((rank, at) for rank, at in ranks if rank is not None))


def _rank(words: Sequence[str], command: Command) -> int | None:
    """How well the words match, 0 is best; None if one of them does not."""
    ranks = [_word_rank(word, command) for word in words]
    known = [rank for rank in ranks if rank is not None]
    return sum(known) if len(known) == len(ranks) else None


def _word_rank(word: str, command: Command) -> int | None:
    name = command.name.casefold()
    matches = (
        name.startswith(word),
        _begins_a_word(word, name),
        _begins_a_word(word, command.menu.casefold()),
        _begins_a_word(word, command.effect.casefold()),
        _has_letters(word, name),
    )
    return next((rank for rank, fits in enumerate(matches) if fits), None)


def _begins_a_word(word: str, words: str) -> bool:
    return any(one.strip("(").startswith(word) for one in words.split())


def _has_letters(word: str, name: str) -> bool:
    """Whether the name contains the letters of the word in this order, with others between them."""
    rest = iter(name)
    return all(letter in rest for letter in word)
