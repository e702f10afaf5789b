"""Paints shapes in layers, and keeps an unchanged layer as an image that is only copied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QImage, QPainter, QTransform

from ui.desktop.picture.image import painting
from ui.desktop.picture.painter import Sprites, paint
from ui.picture.overlay import Shape
from ui.picture.placement import Taken

Shapes = Sequence[Shape]
_Place = tuple[QTransform, QSize, float]


@dataclass(slots=True)
class _CachedLayer:
    """A painted layer: its image from the second time on, and what upper layers must avoid."""

    shapes: Shapes
    place: _Place
    rooms: Taken = field(default_factory=Taken)
    image: QImage | None = None


class Layers:
    """The shapes over one widget.

    Attributes:
        shapes: All layers, the lowest first.
    """

    def __init__(self) -> None:
        self.shapes: tuple[Shapes, ...] = ()
        self._cached: list[_CachedLayer] = []
        self._sprites = Sprites()

    def show(self, *shapes: Shapes) -> bool:
        """Replace the layers; return whether they changed."""
        before, self.shapes = self.shapes, shapes
        return before != shapes

    def paint(self, painter: QPainter, to_screen: QTransform, size: QSize, ratio: float) -> None:
        """Draw the layers with an untransformed painter; `ratio` is in screen pixels per widget pixel."""
        place, before = (to_screen, size, ratio), self._cached
        rooms = Taken(within=(0.0, 0.0, float(size.width()), float(size.height())))
        self._cached = []
        self._sprites.begin(to_screen)
        for number, shapes in enumerate(self.shapes):
            known = before[number] if number < len(before) else None
            if known is not None and known.place == place and known.shapes == shapes and shapes:
                known.image = known.image or self._picture(shapes, place, rooms)
                painter.drawImage(0, 0, known.image)
            else:
                known = _CachedLayer(
                    shapes, place, paint(painter, shapes, to_screen, taken=rooms, sprites=self._sprites)
                )
            rooms = known.rooms
            self._cached.append(known)

    def _picture(self, shapes: Shapes, place: _Place, rooms: Taken) -> QImage:
        to_screen, size, ratio = place
        image = QImage(size * ratio, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(ratio)
        image.fill(Qt.GlobalColor.transparent)
        with painting(image) as painter:
            paint(painter, shapes, to_screen, taken=rooms, sprites=self._sprites)
        return image
