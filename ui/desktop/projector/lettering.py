"""Outlines of letters, to paint words on the table in perspective."""

from __future__ import annotations

from functools import lru_cache

from PyQt6.QtGui import QFont, QPainterPath

from rules.tabletop.table import PointIn

_FONT_PX = 100


@lru_cache(maxsize=1)
def letter_outlines(words: str) -> tuple[tuple[PointIn, ...], ...]:
    """Closed outlines of the letters, 1 high and y up; their line begins at (0, 0)."""
    font, path = QFont(), QPainterPath()
    font.setPixelSize(_FONT_PX)
    path.addText(0.0, 0.0, font, words)
    return tuple(
        tuple((polygon.at(k).x() / _FONT_PX, -polygon.at(k).y() / _FONT_PX) for k in range(polygon.count()))
        for polygon in path.toSubpathPolygons()
    )
