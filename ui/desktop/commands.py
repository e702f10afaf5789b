"""What the menus, the tool rail, the keys and the mouse do to the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PyQt6.QtCore import QEvent, QObject, Qt, pyqtSignal
from PyQt6.QtGui import QDropEvent
from PyQt6.QtWidgets import QApplication

from ui.battle.battle_folder import is_battle
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.features import Features
from ui.desktop.messages import Toast
from ui.desktop.parts import Parts
from ui.desktop.saving import ask_folder, ask_picture
from ui.desktop.store import Store
from ui.desktop.tools.tool import PickResult
from ui.formatting import capitalized
from ui.picture.shapes import PointPx
from ui.translation import tr


@dataclass(frozen=True)
class Commands:
    """The window's commands; those of one feature are its own."""

    parts: Parts
    store: Store
    battle: BattleController
    features: Features
    toast: Toast

    def open_file(self) -> None:
        """Ask for a picture or a video and open it."""
        if path := ask_picture(self.parts.window):
            self.store.open(str(path))

    def open_folder(self) -> None:
        """Ask for a folder of pictures and open it."""
        if spec := ask_folder(self.parts.window):
            self.store.open(spec)

    def open_path(self, path: Path) -> None:
        """Open a battle, or a picture, a video or a folder of pictures."""
        if is_battle(path):
            self.features.files.open(path)
        else:
            self.store.open(str(path))

    def cancel(self) -> None:
        """Cancel the current step or, if there is none, put the tool away."""
        store = self.store
        if self.features.practice.cancel():
            return
        left = store.in_battle and store.tool.name == "select" and self.battle.cancel()
        if not (store.tool.cancel() or left):
            store.use_tool("select")
        store.message.forget()
        store.show()

    def turn(self, steps: int) -> None:
        """Turn a carried soldier, otherwise the tool's wheel."""
        if not self.features.practice.turn(steps):
            self.store.tool.turn(steps)
        self.store.show()

    def type_digit(self, digit: str) -> None:
        self.store.tools.type_digit(digit)
        self.store.show()

    def turn_basis(self) -> None:
        """Switch between measuring from base centres and from base edges."""
        self.store.change(self.store.session.turn_basis)

    def undo(self) -> None:
        """Undo the last step: of the battle if its tab is shown, otherwise of the table."""
        source = self.battle if self.store.in_battle else self.store.session
        self._step(source.undo, tr("Undone"), tr("Redo"), self.redo)

    def confirm(self, step: str) -> None:
        """Confirm a recorded step, with a button that undoes it."""
        self.toast.confirm(f"{capitalized(step)}.", tr("Undo"), self.undo)

    def redo(self) -> None:
        source = self.battle if self.store.in_battle else self.store.session
        self._step(source.redo, tr("Redone"), tr("Undo"), self.undo)

    def _step(self, step: Callable[[], str | None], words: str, opposite: str, go_back: Callable[[], object]) -> None:
        """Undo or redo a step, and confirm it by its name with a button for the opposite."""

        def change() -> None:
            name = step()
            if name is not None:
                self.toast.confirm(f"{words}: {name}.", opposite, go_back)

        self.store.change(change)

    def clear(self) -> None:
        """Remove all rulers and templates."""
        self.store.change(self.store.session.clear)

    def print_sheets(self) -> None:
        """Ask what to print and where to write it."""
        self.features.prints.print_sheets(self.store.session.state.setup.prints.dictionary)

    def save_snapshot(self, path: Path | None = None, *, bare: bool = False) -> None:
        """Save the picture, with what is drawn over it or `bare`; without a path, ask where."""
        self.store.attempt(lambda: self.features.frozen_frame.save(path, bare=bare))


class FileDrop(QObject):
    """Opens the file or the folder that is dropped on the window; of several, the first."""

    def __init__(self, commands: Commands) -> None:
        window = commands.parts.window
        super().__init__(window)
        self._commands = commands
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, _: QObject | None, event: QEvent | None) -> bool:
        if not isinstance(event, QDropEvent):
            return False
        mime = event.mimeData()
        paths = [url.toLocalFile() for url in mime.urls() if url.isLocalFile()] if mime is not None else []
        if not paths:
            return False
        event.acceptProposedAction()
        if event.type() == QEvent.Type.Drop:
            self._commands.open_path(Path(paths[0]))
        return True


class Mouse(QObject):
    """Follows the mouse over one picture.

    Signals:
        moved: The mouse has moved, or left the picture.
    """

    moved = pyqtSignal()

    def __init__(self, commands: Commands) -> None:
        picture = commands.parts.picture
        super().__init__(picture)
        self._picture, self._store, self._battle = picture, commands.store, commands.battle
        self._files, self._practice = commands.features.files, commands.features.practice
        picture.pressed.connect(lambda x, y: self._press((x, y)))
        picture.released.connect(lambda x, y: self._release((x, y)))
        picture.moved.connect(lambda x, y: self._move((x, y)))
        picture.left.connect(lambda: self._move(None))
        picture.turned.connect(commands.turn)
        picture.ended.connect(lambda: self._store.change(self._store.tool.finish))
        self._practice.changed.connect(self._assign_wheel)
        self._store.tool_selected.connect(self._assign_wheel)

    def _assign_wheel(self) -> None:
        """Give the wheel to a carried soldier, otherwise to the tool."""
        self._picture.takes_wheel = self._practice.is_carrying or self._store.tool.takes_wheel

    def _move(self, at_px: PointPx | None) -> None:
        self._store.mouse_px = at_px
        if at_px is not None:
            self._files.move()
            self._practice.move()
        self.moved.emit()

    def _press(self, at_px: PointPx) -> None:
        self._store.mouse_px = at_px
        at = self._store.pointed
        if at is None or self._files.press(at):
            return
        if not self._practice.press(at):
            self._press_tool(at)

    def _press_tool(self, at: PickResult) -> None:
        store = self._store
        selects = store.in_battle and store.tool.name == "select"
        adds = bool(QApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier)
        if selects and adds and at.figure:
            self._battle.add_target(at.figure.id)
            return

        def press() -> None:
            if selects:
                self._battle.point(at.figure.id if at.figure else "", at.place_in)
            store.tool.press(at)

        store.change(press)

    def _release(self, at_px: PointPx) -> None:
        self._store.mouse_px = at_px
        at = self._store.pointed
        if at is None or self._files.release(at):
            return
        carried, clicked = self._practice.release(at)
        if carried:
            self._store.show()
            return
        if clicked is not None:
            self._press_tool(clicked)
        self._store.go_on(lambda: self._store.tool.release(at))
