"""Paints overlays, on the screen and into picture files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QGuiApplication, QPainter, QPen, QPolygonF, QTransform

from ui.desktop.picture.image import to_bgr, to_qimage
from ui.desktop.picture.painting import painting
from ui.picture.overlay import Label, Line, Shape
from ui.theme import HALO, PLATE, Colour
from vision.frame import ImageBgr

_HALO_WIDTH = 1.5
_PLATE_MARGIN = (7.0, 3.0)
_USUAL_WIDTH_PX = 1280  # usual viewing width; larger pictures get thicker lines and larger text


def paint(
    painter: QPainter,
    shapes: Iterable[Shape],
    to_screen: QTransform,
    size: float = 1.0,
    taken: Sequence[QRectF] = (),
) -> list[QRectF]:
    """Draw shapes; labels avoid each other.

    Args:
        painter: On the screen or a picture; its own transform is the identity.
        shapes: In picture pixels; the centre of the top left pixel is (0, 0).
        to_screen: From picture pixels to the painter's pixels.
        size: Factor for line widths and text sizes.
        taken: Rectangles of labels that are already drawn.

    Returns:
        Rectangles of all labels, `taken` included.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    labels = []
    for shape in shapes:
        if isinstance(shape, Label):
            labels.append(shape)
        else:
            _paint_line(painter, shape, to_screen, size)
    rooms = list(taken)
    for label in reversed(labels):  # the last is the most important: it gets its preferred place
        room = _free_room(_rooms(painter, label, to_screen, size), rooms)
        rooms.append(room)
        _paint_label(painter, label, room, size)
    return rooms


def annotated(image_bgr: ImageBgr, shapes: Iterable[Shape]) -> ImageBgr:
    """Draw shapes on a copy of the picture; needs no display."""
    # Text needs an application, which must live until the drawing is done.
    own = None if QGuiApplication.instance() else QGuiApplication(_arguments())
    picture = to_qimage(image_bgr)
    with painting(picture) as painter:
        paint(painter, shapes, QTransform.fromTranslate(0.5, 0.5), max(1.0, picture.width() / _USUAL_WIDTH_PX))
    drawn = to_bgr(picture)
    del own
    return drawn


def _arguments() -> list[str]:
    headless = sys.platform == "linux" and "QT_QPA_PLATFORM" not in os.environ
    return ["sandtable", "-platform", "offscreen"] if headless else ["sandtable"]


def _paint_line(painter: QPainter, line: Line, to_screen: QTransform, size: float) -> None:
    polygon = to_screen.map(QPolygonF([QPointF(x, y) for x, y in line.points_px]))
    draw = painter.drawPolygon if line.closed else painter.drawPolyline
    painter.setBrush(QBrush(Qt.BrushStyle.NoBrush))
    if line.halo:
        # Smooth edges would take a third of the painting time and are invisible on the dark halo.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(_pen(HALO, (line.width + 2 * _HALO_WIDTH) * size))
        draw(polygon)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if line.fill is not None:
        painter.setBrush(QColor(*line.fill))
    painter.setPen(_pen(line.colour, line.width * size, line.dashed))
    draw(polygon)


def _pen(colour: Colour, width: float, dashed: bool = False) -> QPen:
    pen = QPen(QColor(*colour), width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap if dashed else Qt.PenCapStyle.RoundCap)
    # Round joins at every point of a curve take half as long again; bevel joins look the same there.
    pen.setJoinStyle(Qt.PenJoinStyle.BevelJoin)
    if dashed:
        pen.setDashPattern([4.0, 3.0])
    return pen


def _rooms(painter: QPainter, label: Label, to_screen: QTransform, size: float) -> list[QRectF]:
    """Candidate rectangles for a label: the preferred one, then others around the same point."""
    metrics = [QFontMetricsF(_font(painter, row_size * size)) for _, row_size in label.rows]
    width = max(m.horizontalAdvance(words) for m, (words, _) in zip(metrics, label.rows, strict=True))
    height = sum(m.height() for m in metrics)
    room = QRectF(0, 0, width + 2 * _PLATE_MARGIN[0] * size, height + 2 * _PLATE_MARGIN[1] * size)
    right, down = label.offset
    aside = room.width() / 2 / size + abs(down) / 2
    rooms = []
    for offset in ((right, down), (-right, -down), (aside, 0.0), (-aside, 0.0), (right, 2 * down), (-right, -2 * down)):
        room.moveCenter(to_screen.map(QPointF(*label.at_px)) + QPointF(*offset) * size)
        rooms.append(QRectF(room))
    return rooms


def _free_room(rooms: Sequence[QRectF], taken: Sequence[QRectF]) -> QRectF:
    return next((room for room in rooms if not any(room.intersects(other) for other in taken)), rooms[0])


def _paint_label(painter: QPainter, label: Label, room: QRectF, size: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(*PLATE))
    painter.drawRoundedRect(room, 5 * size, 5 * size)
    painter.setPen(QColor(*label.colour))
    top = room.top() + _PLATE_MARGIN[1] * size
    for words, row_size in label.rows:
        font = _font(painter, row_size * size)
        height = QFontMetricsF(font).height()
        painter.setFont(font)
        painter.drawText(QRectF(room.left(), top, room.width(), height), Qt.AlignmentFlag.AlignCenter, words)
        top += height


def _font(painter: QPainter, size: float) -> QFont:
    font = QFont(painter.font())
    font.setPixelSize(max(1, round(size)))
    font.setBold(True)
    return font
