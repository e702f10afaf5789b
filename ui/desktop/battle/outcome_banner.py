"""A banner across the picture that shows an outcome for two seconds, large enough to read across the room."""

from __future__ import annotations

import re
from collections.abc import Callable

from PyQt6.QtCore import QRectF, QSize, Qt, QTimer
from PyQt6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QPaintEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from ui.desktop.picture.image import painting
from ui.desktop.widgets import fit_font
from ui.theme import PLATE, WHITE
from ui.translation import tr

SHOWN_S, _FADE_S = 2.0, 0.5
_LARGEST_PX, _SMALLEST_PX, _MARGIN_PX = 64, 48, 24
_TICK_MS = 40


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
        left_s = SHOWN_S - (self._clock() - self._began_s)
        return min(max(left_s / _FADE_S, 0.0), 1.0) if self.words else 0.0

    def announce(self, words: str) -> None:
        """Show an outcome; an empty one hides the banner."""
        self.words, self._began_s = words, self._clock()
        self.setAccessibleDescription(words)
        self.updateGeometry()
        self.setVisible(bool(words))
        if words:
            self.raise_()
            self._timer.start(_TICK_MS)
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
        return QSize(0, 2 * _MARGIN_PX + 2 * _LARGEST_PX)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Draw the words on a dark band as wide as the picture."""
        with painting(self) as painter:
            painter.setOpacity(self.opacity)
            painter.fillRect(self.rect(), QColor(*PLATE))
            room = QRectF(self.rect()).adjusted(_MARGIN_PX, 0, -_MARGIN_PX, 0)
            painter.setFont(self._fitting_font(room.width()))
            painter.setPen(QColor(*WHITE))
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, _unbroken(self.words))

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


def _unbroken(words: str) -> str:
    """The text with names such as "Tan 7" kept on one line."""
    return re.sub(r" (?=\d)", "\N{NO-BREAK SPACE}", words)
