"""The bar above the picture during a battle: whose turn it is, what is left, and the button that goes on."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from ui.battle.turn_bar import TurnBar
from ui.desktop.widgets import fit_font, in_row, literal_text, without_keys
from ui.theme import hex_colour
from ui.translation import tr

_HEIGHT_PX, _BUTTON_WIDTH_PX = 40, 440
_TEXT_PX, _SMALLEST_TEXT_PX, _BUTTON_TEXT_PX = 28, 14, 18


class TurnBarView(QWidget):
    """Shows a `TurnBar`; hidden while no battle is open.

    Attributes:
        words: The turn, the phase and what is left.
        button: Begins the next phase, or leads to what is still owed.
        shown: What the bar shows; None while no battle is open.

    Signals:
        go_on: The button was pressed.
    """

    go_on = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.shown: TurnBar | None = None
        self.words, self.button = _FittedLabel(), QPushButton(tr("Next phase"))
        self.words.setAccessibleName(tr("Turn and phase"))
        font = self.button.font()
        font.setPixelSize(_BUTTON_TEXT_PX)
        font.setBold(True)
        self.button.setFont(font)
        self.button.setShortcut("N")
        self.button.setToolTip(tr("Begin the next phase, or see what is owed first"))
        self.button.clicked.connect(self.go_on)
        self.setFixedHeight(_HEIGHT_PX)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        in_row((self.words, 1), self.button, on=self, margin=(16, 4, 8, 4)).setSpacing(16)
        self.hide()

    def show_turn(self, bar: TurnBar | None) -> None:
        """Show a battle's turn; None hides the bar."""
        if bar == self.shown:
            return
        self.shown = bar
        if bar is not None:
            self._fill(bar)
        self.setVisible(bar is not None)  # last: the picture changes its size, and the battle is shown again

    def _fill(self, bar: TurnBar) -> None:
        self.words.show_words(bar.words)
        # A new text would take the shortcut away, and an ampersand would define another one.
        words = self.button.fontMetrics().elidedText(bar.button, Qt.TextElideMode.ElideRight, _BUTTON_WIDTH_PX)
        self.button.setText(without_keys(words))
        self.button.setShortcut("N")
        self.button.setToolTip(literal_text(bar.tip))
        self.button.setVisible(bool(bar.button))
        # A change of the theme would reset a palette.
        self.setStyleSheet(f"TurnBarView {{ background: {hex_colour(bar.colour)} }}")
        self.words.setStyleSheet(f"color: {hex_colour(bar.ink)}")
        self.button.setStyleSheet(_button_style(bar))


class _FittedLabel(QLabel):
    """A line of text as large as it fits, up to a largest size."""

    def __init__(self) -> None:
        super().__init__()
        self._full = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_words(self, words: str) -> None:
        self._full = words
        self.setAccessibleDescription(words)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        font = self.font()
        font.setPixelSize(_TEXT_PX)
        font.setBold(True)
        font = fit_font(font, self._full, self.width() - 1)
        font.setPixelSize(max(font.pixelSize(), _SMALLEST_TEXT_PX))
        self.setFont(font)
        self.setText(self.fontMetrics().elidedText(self._full, Qt.TextElideMode.ElideRight, self.width()))


def _button_style(bar: TurnBar) -> str:
    """The next thing to press in the bar's colours, exchanged; anything else is only outlined."""
    ink, ground = hex_colour(bar.ink), hex_colour(bar.colour)
    back, front = (ink, ground) if bar.is_next else (ground, ink)
    return (
        f"QPushButton {{ background: {back}; color: {front}; border: 2px solid {ink};"
        f" border-radius: 6px; padding: 0 16px; min-height: 28px; }}"
        f" QPushButton:hover, QPushButton:focus {{ border-color: {front}; }}"
        f" QPushButton:pressed {{ background: {front}; color: {back}; }}"
    )
