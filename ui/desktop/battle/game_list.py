"""The games to choose from, while no battle is open."""

from __future__ import annotations

import textwrap
from functools import partial

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtGui import QShowEvent
from PyQt6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from rules.games import game_names
from ui.battle.titles import title_of
from ui.translation import tr

_BUTTON_PX = 40
_LINE = 34  # letters


class GameList(QWidget):
    """A button for each game; filled when it is first shown, because the titles are read from files.

    Signals:
        chosen: The short name of the game to play.
    """

    chosen = pyqtSignal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Games"))
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(4, 4, 4, 4)

    def showEvent(self, event: QShowEvent | None) -> None:
        """Fill the list."""
        super().showEvent(event)
        for name in () if self._layout.count() else game_names():
            title = "\n".join(textwrap.wrap(title_of(name), _LINE)).replace("&", "&&")
            button = QPushButton(title, self)
            button.setMinimumHeight(_BUTTON_PX)
            button.setToolTip(tr("Choose what each soldier plays, then start the battle"))
            button.clicked.connect(partial(self._choose, name))
            self._layout.addWidget(button)
            button.show()

    def _choose(self, name: str, _: bool = False) -> None:
        self.chosen.emit(name)
