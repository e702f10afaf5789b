"""A short confirmation over the lower edge of the picture, with an optional button; it disappears by itself."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QPushButton

from ui.desktop.labels import plain_label
from ui.theme import DARK, SKY, WHITE
from ui.translation import tr

SHOWN_S = 4.0
_TICK_MS = 100
_MARGIN_PX = 16
_DARK, _WHITE, _LINK = (f"rgb{colour[:3]}" for colour in (DARK, WHITE, SKY))
_STYLE = f"""
#toast {{ background: {_DARK}; border: 1px solid {_LINK}; border-radius: 8px; margin-bottom: 16px; }}
#toast QLabel {{ color: {_WHITE}; font-size: 16px; }}
#toast QPushButton {{ color: {_LINK}; background: transparent; border: none; font-size: 16px; font-weight: bold;
    padding: 4px 8px; }}
#toast QPushButton:hover, #toast QPushButton:focus {{ text-decoration: underline; }}
"""


class Toast(QFrame):
    """Shows one confirmation for four seconds.

    Attributes:
        words: The confirmation.
        button: Takes the confirmed step back, or repeats it; hidden if there is nothing to do.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` returns seconds."""
        super().__init__()
        self._clock, self._until_s = clock, 0.0
        self._does: Callable[[], object] | None = None
        self.words, self.button = plain_label(), QPushButton()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.advance)
        self.setObjectName("toast")
        self.setStyleSheet(_STYLE)
        self.setAccessibleName(tr("Confirmation"))
        row = QHBoxLayout(self)
        row.setContentsMargins(_MARGIN_PX, _MARGIN_PX // 2, _MARGIN_PX, _MARGIN_PX // 2)
        row.addWidget(self.words)
        row.addWidget(self.button)
        self.button.clicked.connect(self._press)
        self.hide()

    def confirm(self, words: str, button: str = "", does: Callable[[], object] | None = None) -> None:
        """Show a confirmation instead of the last one; without `button`, it has none. Empty words hide the toast."""
        self.words.setText(words)
        self.button.setText(button)
        self.button.setVisible(bool(button))
        self._does, self._until_s = does, self._clock() + SHOWN_S
        self.setVisible(bool(words))
        if words:
            self.raise_()
            self._timer.start(_TICK_MS)
        else:
            self._timer.stop()

    def advance(self) -> None:
        """Hide once the time is over; called by the timer. The toast stays while the mouse is on it."""
        if self._clock() > self._until_s and not self.underMouse():
            self.confirm("")

    def _press(self) -> None:
        does = self._does
        self.confirm("")
        if does is not None:
            does()
