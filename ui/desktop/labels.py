"""Labels that show text literally: players' names and file names must never be read as markup, as Qt does by default.

Lists, tables, combo boxes, buttons and menus always show plain text; labels and tooltips guess.
"""

from __future__ import annotations

from html import escape
from itertools import product

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QFont, QFontInfo, QFontMetricsF, QResizeEvent
from PyQt6.QtWidgets import QLabel, QSizePolicy


def plain_label(words: str = "") -> QLabel:
    """A label of one line that never interprets its text."""
    label = QLabel(words)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def wrapping_label(words: str = "") -> QLabel:
    """A plain label that wraps its text."""
    label = plain_label(words)
    label.setWordWrap(True)
    return label


def markup_label(mark_up: str = "") -> QLabel:
    """A wrapping label for the program's own markup; escape other text in it with `escape_markup`."""
    label = wrapping_label(mark_up)
    label.setTextFormat(Qt.TextFormat.RichText)
    return label


def escape_markup(words: str) -> str:
    """Escape text for the markup of a `markup_label`."""
    return escape(words, quote=False)


def literal_text(words: str) -> str:
    """Text for places where Qt guesses the format: tooltips and the questions of its dialogs."""
    return "<qt>" + escape_markup(words).replace("\n", "<br>") + "</qt>" if "<" in words else words


_SIZES_PX, _MARGINS_PX = (18, 16, 14), (8, 2)


class FittedLabel(QLabel):
    """A plain text that wraps; it is smaller if it would be higher than allowed, but always at least 14 pixels high."""

    def __init__(self, most_px: int | None = None) -> None:
        """`most_px` is the allowed height; by default, the layout decides it."""
        super().__init__()
        self._most_px = most_px
        if most_px is None:
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self._fit()

    def show_text(self, words: str) -> None:
        """Show a text."""
        if words != self.text():
            self.setText(words)
            self._fit()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Fit the text into another width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Use the largest size in which the text fits."""
        font = self.font()
        for size_px, margin_px in product(_SIZES_PX, _MARGINS_PX):
            font.setPixelSize(size_px)
            self.setFont(font)
            self.setMargin(margin_px)
            if self.heightForWidth(self.width()) <= (self._most_px or self.height()):
                return


_MIN_PX = 8


def fit_font(font: QFont, words: str, width_px: float) -> QFont:
    """The font, made smaller if needed to fit the text on one line of this width."""
    wide_px = QFontMetricsF(font).horizontalAdvance(words)
    if wide_px <= width_px:
        return font
    smaller = QFont(font)
    smaller.setPixelSize(max(_MIN_PX, int(QFontInfo(font).pixelSize() * width_px / wide_px)))
    return smaller
