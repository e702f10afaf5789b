"""The command palette: finds any command by its name and runs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction, QBrush, QKeyEvent, QPalette
from PyQt6.QtWidgets import QDialog, QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from ui.translation import tr

_SIZE = (560, 420)
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


Commands = Sequence[tuple[Command, QAction]]


class CommandPalette(QDialog):
    """A search field over a list of commands; Enter runs the selected one, Esc or a click beside it closes the palette.

    Attributes:
        field: What to search for.
        list: The commands found: name, menu and keys; those that cannot be used now are grey.
    """

    def __init__(self, window: QWidget, commands: Commands) -> None:
        """Show all commands at the top of the window."""
        super().__init__(window, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self._commands = commands
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setWindowTitle(tr("Commands"))
        self.resize(*_SIZE)
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
        header = self.list.header()
        if header is not None:
            header.hide()
            header.setStretchLastSection(False)
            header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.itemClicked.connect(lambda *_: self.run_selected())
        layout = QVBoxLayout(self)
        layout.addWidget(self.field)
        layout.addWidget(self.list)
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
