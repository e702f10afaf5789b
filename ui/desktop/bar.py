"""The message bar below the picture, in place of the hint: what is wrong, with buttons that solve it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QStyle

from ui.desktop.labels import FittedLabel

_WORDS_PX = 58
"""The height of the hint, whose place the message takes."""

MessageActions = Sequence[tuple[str, Callable[[], object]]]
"""Pairs of a button's text and what it does."""


class Say(Protocol):
    """Shows the player a message, with buttons that solve it."""

    def __call__(self, words: str, actions: MessageActions = ()) -> None: ...


class MessageBar(QFrame):
    """A message with buttons; hidden while there is no message."""

    def __init__(self) -> None:
        super().__init__()
        self.setAutoFillBackground(True)
        self._words = FittedLabel(_WORDS_PX)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        sign = QLabel()
        style = self.style()
        if style is not None:
            size = style.pixelMetric(QStyle.PixelMetric.PM_SmallIconSize)
            sign.setPixmap(style.standardIcon(QStyle.StandardPixmap.SP_MessageBoxInformation).pixmap(size, size))
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(8, 0, 8, 0)
        self._row.addWidget(sign)
        self._row.addWidget(self._words, 1)
        self._buttons: list[QPushButton] = []
        self._shown: tuple[str, tuple[str, ...]] = ("", ())
        self.hide()

    @property
    def text(self) -> str:
        """The message; empty while the bar is hidden."""
        return self._shown[0]

    def say(self, words: str, actions: MessageActions = ()) -> None:
        """Show a message and its buttons; an empty message hides the bar."""
        wanted = (words, tuple(name for name, _ in actions))
        if wanted == self._shown:
            return
        self._shown = wanted
        for button in self._buttons:
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons = [self._button(name, action) for name, action in actions]
        self._words.show_text(words)
        self.setVisible(bool(words))
        self.raise_()

    def _button(self, name: str, action: Callable[[], object]) -> QPushButton:
        button = QPushButton(name)
        button.clicked.connect(lambda: action())
        self._row.addWidget(button)
        button.show()  # otherwise it appears one event loop pass later
        return button
