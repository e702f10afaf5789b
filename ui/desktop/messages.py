"""Messages for the player: the bar below the picture, a short confirmation, and a banner with an outcome over it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PyQt6.QtCore import QRectF, QSize, Qt, QTimer
from PyQt6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QPaintEvent
from PyQt6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy, QStyle, QWidget

from ui.desktop.picture.image import painting
from ui.desktop.widgets import FittedLabel, button_with_tip, clear_layout, fit_font, in_row, plain_label, without_keys
from ui.formatting import unbroken
from ui.theme import DARK, PLATE, SKY, WHITE
from ui.translation import tr

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
        self._buttons = in_row()
        in_row(sign, (self._words, 1), self._buttons, on=self, margin=(8, 0, 8, 0))
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
        clear_layout(self._buttons)
        for name, action in actions:
            self._add_button(name, action)
        self._words.show_text(words)
        self.setVisible(bool(words))
        self.raise_()

    def _add_button(self, name: str, action: Callable[[], object]) -> None:
        button = button_with_tip(without_keys(name), "", lambda: action())
        self._buttons.addWidget(button)
        button.show()  # otherwise it appears one event loop pass later


_SHOWN_S = 8.0


class StatusMessage:
    """Holds one message with its buttons."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` returns seconds."""
        self._clock = clock
        self._text, self._until_s = "", 0.0
        self._actions: MessageActions = ()

    def say(self, text: str, actions: MessageActions = ()) -> None:
        """Replace the message; it expires after 8 s."""
        self._text, self._actions, self._until_s = text, actions, self._clock() + _SHOWN_S

    def forget(self) -> None:
        """Drop the message, because the player does something else."""
        self._text = ""

    @property
    def now(self) -> tuple[str, MessageActions]:
        """The current message and its buttons; empty if there is none."""
        if self._clock() > self._until_s:
            self.forget()
        return (self._text, self._actions) if self._text else ("", ())


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
        margin = (_MARGIN_PX, _MARGIN_PX // 2, _MARGIN_PX, _MARGIN_PX // 2)
        in_row(self.words, self.button, on=self, margin=margin)
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


BANNER_S, _FADE_S = 2.0, 0.5
_LARGEST_PX, _SMALLEST_PX, _BANNER_MARGIN_PX = 64, 48, 24
_FADE_TICK_MS = 40


class OutcomeBanner(QWidget):
    """Lies over the picture; the mouse goes through it, and it never takes the focus."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` returns seconds."""
        super().__init__()
        self._clock, self.words, self._began_s = clock, "", 0.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.advance)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Outcome"))
        self.hide()

    @property
    def opacity(self) -> float:
        """From 1 to 0, as the banner fades at the end of its time."""
        left_s = BANNER_S - (self._clock() - self._began_s)
        return min(max(left_s / _FADE_S, 0.0), 1.0) if self.words else 0.0

    def announce(self, words: str) -> None:
        """Show an outcome; an empty one hides the banner."""
        self.words, self._began_s = words, self._clock()
        self.setAccessibleDescription(words)
        self.updateGeometry()
        self.setVisible(bool(words))
        if words:
            self.raise_()
            self._timer.start(_FADE_TICK_MS)
            self.update()
        else:
            self._timer.stop()

    def advance(self) -> None:
        """Fade, and hide once the time is over; called by the timer."""
        if self.opacity > 0:
            self.update()
        else:
            self.announce("")

    def sizeHint(self) -> QSize:
        return QSize(0, 2 * _BANNER_MARGIN_PX + 2 * _LARGEST_PX)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Draw the words on a dark band as wide as the picture."""
        with painting(self) as painter:
            painter.setOpacity(self.opacity)
            painter.fillRect(self.rect(), QColor(*PLATE))
            room = QRectF(self.rect()).adjusted(_BANNER_MARGIN_PX, 0, -_BANNER_MARGIN_PX, 0)
            painter.setFont(self._fitting_font(room.width()))
            painter.setPen(QColor(*WHITE))
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, unbroken(self.words))

    def _fitting_font(self, width_px: float) -> QFont:
        """The largest font with which the words fit on one line or, smaller, on two."""
        font = QFont(self.font())
        font.setBold(True)
        font.setPixelSize(_LARGEST_PX)
        one_line = fit_font(font, self.words, width_px)
        if QFontInfo(one_line).pixelSize() >= _SMALLEST_PX:
            return one_line
        font.setPixelSize(_SMALLEST_PX)
        if QFontMetricsF(font).horizontalAdvance(self.words) <= 1.8 * width_px:  # lines break between words
            return font
        return fit_font(font, self.words, 1.8 * width_px)
