"""Words in widgets as they stand: what players and files name must never be taken for mark-up, as Qt would by itself.

Lists, tables, combo boxes, buttons and menus show plain words anyway; labels and tool tips guess.
"""

from __future__ import annotations

from html import escape

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QFont, QFontInfo, QFontMetricsF
from PyQt6.QtWidgets import QLabel


def plain_label(words: str = "") -> QLabel:
    """A line of words, whatever they look like."""
    label = QLabel(words)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def word_label(words: str = "") -> QLabel:
    """Words that may take several lines."""
    label = plain_label(words)
    label.setWordWrap(True)
    return label


def marked_label(mark_up: str = "") -> QLabel:
    """Mark-up of our own that may take several lines; words of others are escaped in it, with `in_mark_up`."""
    label = word_label(mark_up)
    label.setTextFormat(Qt.TextFormat.RichText)
    return label


def in_mark_up(words: str) -> str:
    """Words as they stand, within the mark-up of a `marked_label`."""
    return escape(words, quote=False)


def as_typed(words: str) -> str:
    """Words as they stand where Qt guesses and cannot be told: in tool tips, and in the questions of its dialogs."""
    return "<qt>" + in_mark_up(words).replace("\n", "<br>") + "</qt>" if "<" in words else words


_LEAST_PX = 8


def fitted(font: QFont, words: str, width_px: float) -> QFont:
    """The font, smaller where it leaves these words no room on one line."""
    wide_px = QFontMetricsF(font).horizontalAdvance(words)
    if wide_px <= width_px:
        return font
    smaller = QFont(font)
    smaller.setPixelSize(max(_LEAST_PX, int(QFontInfo(font).pixelSize() * width_px / wide_px)))
    return smaller
