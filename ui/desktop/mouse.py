"""The mouse over the picture: passes presses to the battle's setup, the simulated table, or the tool."""

from __future__ import annotations

from PyQt6.QtCore import QObject, Qt, pyqtSignal
from PyQt6.QtWidgets import QApplication

from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.battle.files import BattleFiles
from ui.desktop.picture.view import PictureView
from ui.desktop.store import Store
from ui.desktop.table.practice_controller import PracticeController
from ui.desktop.tools.tool import PickResult
from ui.picture.overlay import PointPx


class Mouse(QObject):
    """Follows the mouse over one picture.

    Signals:
        moved: The mouse has moved, or left the picture.
    """

    moved = pyqtSignal()

    def __init__(
        self,
        picture: PictureView,
        store: Store,
        battle: BattleController,
        files: BattleFiles,
        practice: PracticeController,
    ) -> None:
        """Start following; the features come in the order in which they take a press, and the tool is last."""
        super().__init__(picture)
        self._picture, self._store, self._battle, self._files = picture, store, battle, files
        self._practice = practice
        picture.pressed.connect(lambda x, y: self._press((x, y)))
        picture.released.connect(lambda x, y: self._release((x, y)))
        picture.moved.connect(lambda x, y: self._move((x, y)))
        picture.left.connect(lambda: self._move(None))
        picture.ended.connect(lambda: store.change(store.tool.finish))
        practice.changed.connect(self._assign_wheel)
        store.tool_selected.connect(self._assign_wheel)

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
        adds = bool(QApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier)
        if store.in_battle and store.tool.name == "select" and adds and at.figure:
            self._battle.add_target(at.figure.id)
            return
        if store.in_battle and store.tool.name == "select":
            self._battle.point(at.figure.id if at.figure else "", at.place_in)
        store.change(lambda: store.tool.press(at))

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
