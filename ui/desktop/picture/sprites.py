"""Small things drawn once: the rings, outlines and labels of soldiers at rest are the same in thousands of pictures."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable

from PyQt6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PyQt6.QtGui import QImage, QPainter, QTransform

from ui.desktop.picture.painting import painting

_LARGEST_PX = 400
"""Side of the largest image: long rulers are mostly empty space."""
_MOST_PIXELS = 8_000_000
"""All images are dropped when they have more pixels than this, as after zooming often."""

Draw = Callable[[QPainter, QTransform], object]


class Sprites:
    """Images of what was drawn, by what it was and how it lay between the pixels.

    Attributes:
        is_zooming: Whether the scale differs from the last painting's: images of shapes would not be used again.
    """

    def __init__(self) -> None:
        self.is_zooming = False
        self._place: tuple[float, ...] = ()
        self._images: dict[Hashable, tuple[QImage, QPoint]] = {}
        self._pixels = 0

    def begin(self, to_screen: QTransform) -> None:
        """Begin a painting."""
        before, self._place = self._place, (to_screen.m11(), *_between(to_screen))
        self.is_zooming = self._place != before

    def draw(self, painter: QPainter, what: Hashable, box: QRectF, to_screen: QTransform, draw: Draw) -> None:
        """Draw something, from its image if there is one.

        Args:
            painter: On the widget or a layer; its own transform is the identity.
            what: Everything that the drawing depends on, except `to_screen`.
            box: Where it lies on the screen.
            to_screen: Moves and scales, without turning.
            draw: Draws it with a painter and another `to_screen`.
        """
        device = painter.device()
        ratio = device.devicePixelRatio() if device is not None else 1.0
        if max(box.width(), box.height()) > _LARGEST_PX or ratio != int(ratio):
            draw(painter, to_screen)
            return
        whole = QPoint(math.floor(to_screen.dx()), math.floor(to_screen.dy()))
        key = (what, to_screen.m11(), _between(to_screen), ratio)
        if key not in self._images:
            made = self._images[key] = _drawn(box.translated(-QPointF(whole)), to_screen, whole, ratio, draw)
            self._pixels += made[0].width() * made[0].height()
            if self._pixels > _MOST_PIXELS:
                self._images, self._pixels = {key: made}, 0
        image, corner = self._images[key]
        painter.drawImage(corner + whole, image)


def _between(to_screen: QTransform) -> tuple[float, float]:
    """How far a movement goes beyond whole pixels."""
    return round(to_screen.dx() % 1, 3), round(to_screen.dy() % 1, 3)


def _drawn(box: QRectF, to_screen: QTransform, whole: QPoint, ratio: float, draw: Draw) -> tuple[QImage, QPoint]:
    """The image of a thing, and its corner beside the whole pixels of the transform."""
    room = QRect(box.toAlignedRect())
    image = QImage(QSize(room.size() * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    corner = room.topLeft() + whole
    with painting(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw(painter, to_screen * QTransform.fromTranslate(-corner.x(), -corner.y()))
    return image, room.topLeft()
