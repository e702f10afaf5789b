"""A menu of which one entry is chosen, such as the language; the choice is stored and used at the next start."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from PyQt6.QtGui import QAction, QActionGroup
from PyQt6.QtWidgets import QMenu

_Value = TypeVar("_Value")


class ChoiceMenu(Generic[_Value]):
    """A menu of checkable entries."""

    def __init__(
        self,
        parent: QMenu,
        title: str,
        choices: Iterable[tuple[str, _Value]],
        chosen: Callable[[], _Value],
        choose: Callable[[_Value], object],
    ) -> None:
        """Add the menu to its parent; `choose` gets a value that differs from the one that `chosen` returns."""
        self._chosen, self._choose = chosen, choose
        self.menu = QMenu(title, parent)
        self._group = QActionGroup(self.menu)
        for text, value in choices:
            self._add(text, value)
        parent.addMenu(self.menu)

    def _add(self, text: str, value: _Value) -> None:
        action = QAction(text, self.menu)
        action.setCheckable(True)
        action.setChecked(self._chosen() == value)
        action.triggered.connect(lambda: self._choose_new(value))
        self._group.addAction(action)
        self.menu.addAction(action)

    def _choose_new(self, value: _Value) -> None:
        if value != self._chosen():
            self._choose(value)
