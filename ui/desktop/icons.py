"""The window's icons: one family of outlines, drawn in the colours of the current palette."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QByteArray, QPointF, QRect, QRectF, QSize, QSizeF, Qt
from PyQt6.QtGui import QGuiApplication, QIcon, QIconEngine, QPainter, QPalette, QPixmap
from PyQt6.QtSvg import QSvgRenderer

from ui.desktop.picture.painting import painting

FOLDER = Path(__file__).parent / "icons"


def icon(name: str) -> QIcon:
    """The icon of this name in `FOLDER`; its colour is taken from the palette whenever it is painted."""
    return QIcon(_OutlineEngine((FOLDER / f"{name}.svg").read_text(encoding="utf-8")))


class _OutlineEngine(QIconEngine):
    """Paints an SVG drawing whose strokes have the colour `currentColor`."""

    def __init__(self, svg: str) -> None:
        super().__init__()
        self._svg = svg

    def clone(self) -> QIconEngine:
        return _OutlineEngine(self._svg)

    def paint(self, painter: QPainter | None, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        if painter is None:
            return
        coloured = self._svg.replace("currentColor", _colour_name(mode))
        drawing = QSvgRenderer(QByteArray(coloured.encode()))
        side = min(rect.width(), rect.height())
        target = QRectF(QPointF(), QSizeF(side, side))
        target.moveCenter(QRectF(rect).center())
        drawing.render(painter, target)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        drawn = QPixmap(size)
        drawn.fill(Qt.GlobalColor.transparent)
        with painting(drawn) as painter:
            self.paint(painter, drawn.rect(), mode, state)
        return drawn


def _colour_name(mode: QIcon.Mode) -> str:
    palette, role = QGuiApplication.palette(), QPalette.ColorRole
    if mode == QIcon.Mode.Disabled:
        return palette.color(QPalette.ColorGroup.Disabled, role.ButtonText).name()
    return palette.color(role.HighlightedText if mode == QIcon.Mode.Selected else role.ButtonText).name()
