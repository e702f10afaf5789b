"""Paints overlays, on the screen and into picture files; what is at rest is painted once."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from PyQt6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PyQt6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QImage,
    QPainter,
    QPainterPath,
    QPen,
    QPolygonF,
    QRegion,
    QTransform,
)

from ui.desktop.picture.image import painting, to_bgr, to_qimage
from ui.picture.placement import LABEL_GAPS, Box, Taken, inset_scale, nearest, placed
from ui.picture.shapes import Label, Line, PointPx, Region, Ring, Shape
from ui.theme import DARK, HALO, PLATE, WHITE, Colour, Dash
from vision.frame import ImageBgr

_HALO_WIDTH = 1.5
_EDGE_WIDTH = 1.5
_CASING = (1.5, 1.5)  # widths of a ring's light outer and dark inner rim
_DASHED: Dash = (4.0, 3.0)
_PLATE_MARGIN, _SMALL_MARGIN = (7.0, 3.0), (3.0, -1.0)
_SMALL_GAPS = (1.0, 5.0)  # distances between a number and its figure, each tried in turn
_LEADER_PX, _LEADER_WIDTH = 20.0, 2.0  # distance from which a line joins a label with its figure
_USUAL_WIDTH_PX = 1280  # usual viewing width; larger pictures get thicker lines and larger text


def paint(
    painter: QPainter,
    shapes: Iterable[Shape],
    to_screen: QTransform,
    size: float = 1.0,
    taken: Taken | None = None,
    sprites: Sprites | None = None,
) -> Taken:
    """Draw shapes; labels avoid each other, figures and the tips of templates.

    Args:
        painter: On the screen or a picture; its own transform is the identity.
        shapes: In picture pixels; the centre of the top left pixel is (0, 0).
        to_screen: From picture pixels to the painter's pixels.
        size: Factor for line widths and text sizes.
        taken: What lower layers have already drawn.
        sprites: Images from earlier paintings of the same widget.

    Returns:
        What labels of upper layers must avoid, `taken` included.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    labels: list[Label] = []
    bodies: list[Box] = []
    for shape in shapes:
        if isinstance(shape, Label):
            labels.append(shape)
            continue
        if isinstance(shape, Region):
            _paint_region(painter, shape, to_screen, size)
            continue
        bodies += [_box(group, to_screen) for group in shape.keep_clear if group]
        draw = partial(_paint_ring, shape, size) if isinstance(shape, Ring) else partial(_paint_line, shape, size)
        if sprites is None or sprites.is_zooming or len(shape.points_px) < 2:
            draw(painter, to_screen)
        else:
            edge = shape.width * size + 2 * _HALO_WIDTH
            box = _rectangle(_box(shape.points_px, to_screen)).adjusted(-edge, -edge, edge, edge)
            sprites.draw(painter, (shape, size), box, to_screen, draw)
    return _paint_labels(painter, labels, to_screen, size, (taken or Taken()).and_boxes(bodies), sprites)


def _paint_labels(
    painter: QPainter,
    labels: Sequence[Label],
    to_screen: QTransform,
    size: float,
    taken: Taken,
    sprites: Sprites | None,
) -> Taken:
    """Place and draw labels, and the lines to what they name; returns what is taken afterwards."""
    fonts, rooms = _Fonts(painter), list[tuple[Label, Box]]()
    for label in reversed(labels):  # the last is the most important: it gets its preferred place
        room = _room(fonts, label, to_screen, size, taken)
        if room is not None:
            taken = taken.and_boxes([room])
            rooms.append((label, room))
    painter.save()
    beside = QRegion(painter.window())
    for _, room in rooms:  # no line crosses a label, which is translucent
        beside -= QRegion(_rectangle(room).toAlignedRect())
    painter.setClipRegion(beside, Qt.ClipOperation.IntersectClip)
    for label, room in rooms:
        _draw_leader(painter, label, room, to_screen, size)
    painter.restore()
    for label, room in rooms:
        _draw_label(painter, fonts, label, room, size, sprites)
    return taken


def _draw_leader(painter: QPainter, label: Label, box: Box, to_screen: QTransform, size: float) -> None:
    """A line from a label to what it names, if it had to stand farther away than a neighbour might."""
    if not label.around:
        return
    start, end = nearest(box, _box(label.around, to_screen))
    if math.dist(start, end) > _LEADER_PX * size:
        _paint_line(Line((start, end), label.colour, _LEADER_WIDTH), size, painter, QTransform())


def _draw_label(painter: QPainter, fonts: _Fonts, label: Label, box: Box, size: float, sprites: Sprites | None) -> None:
    """Draw a label in its room, from its image if there is one: then at whole pixels."""
    if sprites is None:
        _paint_label(painter, fonts, label, box, size)
        return
    left, top = round(box[0]), round(box[1])
    room = (0.0, 0.0, box[2] - box[0], box[3] - box[1])

    def draw(to: QPainter, to_screen: QTransform) -> None:
        x, y = to_screen.dx(), to_screen.dy()
        _paint_label(to, fonts, label, (x, y, x + room[2], y + room[3]), size)

    what = (label.rows, label.colour, label.small, size, room)
    sprites.draw(painter, what, _rectangle(room).translated(left, top), QTransform.fromTranslate(left, top), draw)


def annotated(image_bgr: ImageBgr, shapes: Iterable[Shape]) -> ImageBgr:
    """Draw shapes on a copy of the picture; needs no display."""
    own = text_application()
    picture = to_qimage(image_bgr)
    with painting(picture) as painter:
        size = max(1.0, picture.width() / _USUAL_WIDTH_PX)
        within = (0.0, 0.0, float(picture.width()), float(picture.height()))
        paint(painter, shapes, QTransform.fromTranslate(0.5, 0.5), size, Taken(within=within))
    drawn = to_bgr(picture)
    del own
    return drawn


def text_application() -> QGuiApplication | None:
    """What drawing text needs without a window, and must live until the drawing is done; None if it exists already.

    On Linux it uses no display.
    """
    arguments = ["sandtable", "-platform", "offscreen"] if sys.platform == "linux" else ["sandtable"]
    return None if QGuiApplication.instance() else QGuiApplication(arguments)


def _paint_line(line: Line, size: float, painter: QPainter, to_screen: QTransform) -> None:
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
    painter.setPen(_pen(line.colour, line.width * size, _DASHED if line.dashed else ()))
    draw(polygon)


def _paint_region(painter: QPainter, region: Region, to_screen: QTransform, size: float) -> None:
    """The fill, the hatching in lines of the screen, and the edge."""
    path = QPainterPath()  # holes are left out, because it fills by the odd-even rule
    for ring in region.rings_px:
        path.addPolygon(to_screen.map(QPolygonF([QPointF(x, y) for x, y in ring])))
        path.closeSubpath()
    style = region.style
    painter.fillPath(path, QColor(*style.fill))
    if style.hatch is not None:
        pattern = Qt.BrushStyle.FDiagPattern if style.crosses else Qt.BrushStyle.BDiagPattern
        painter.fillPath(path, QBrush(QColor(*style.hatch), pattern))
    painter.strokePath(path, _pen(style.edge, _EDGE_WIDTH * size))


def _paint_ring(ring: Ring, size: float, painter: QPainter, to_screen: QTransform) -> None:
    """The light rim, then the dark one over its inner part, then the army's colour over their middle."""
    if len(ring.points_px) < 3:
        return
    polygon = to_screen.map(QPolygonF([QPointF(x, y) for x, y in ring.points_px]))
    light, dark = _CASING
    painter.setPen(_pen(WHITE, (ring.width + 2 * light) * size))
    painter.setBrush(QBrush(Qt.BrushStyle.NoBrush) if ring.fill is None else QColor(*ring.fill))
    painter.drawPolygon(polygon)
    painter.setBrush(QBrush(Qt.BrushStyle.NoBrush))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # the smooth outlines beside it cover its edges
    painter.setPen(_pen(DARK, (ring.width + dark) * size))
    painter.drawPolygon(_inset(polygon, dark * size / 2))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(_pen(ring.colour, ring.width * size, ring.dash))
    painter.drawPolygon(polygon)


def _inset(polygon: QPolygonF, by: float) -> QPolygonF:
    """An outline whose sides are moved inwards."""
    box = polygon.boundingRect()
    across, down = inset_scale((box.left(), box.top(), box.right(), box.bottom()), by)
    x, y = box.center().x(), box.center().y()
    return QTransform(across, 0, 0, down, x * (1 - across), y * (1 - down)).map(polygon)


def _pen(colour: Colour, width: float, dash: Dash = ()) -> QPen:
    pen = QPen(QColor(*colour), width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap if dash else Qt.PenCapStyle.RoundCap)
    # Round joins at every point of a curve take half as long again; bevel joins look the same there.
    pen.setJoinStyle(Qt.PenJoinStyle.BevelJoin)
    if dash:
        pen.setDashPattern(dash)
    return pen


class _Fonts:
    """The fonts of one painting with their measures, which take longer to make than to use."""

    def __init__(self, painter: QPainter) -> None:
        self._painter = painter
        self._known: dict[float, tuple[QFont, QFontMetricsF]] = {}

    def of(self, size: float) -> tuple[QFont, QFontMetricsF]:
        """The bold font of a size in pixels, and its metrics."""
        if size not in self._known:
            font = _font(self._painter, size)
            self._known[size] = font, QFontMetricsF(font)
        return self._known[size]


def _room(fonts: _Fonts, label: Label, to_screen: QTransform, size: float, taken: Taken) -> Box | None:
    """Where a label stands; None for a small one without room."""
    metrics = [fonts.of(row_size * size)[1] for _, row_size in label.rows]
    width = max(m.horizontalAdvance(words) for m, (words, _) in zip(metrics, label.rows, strict=True))
    across, down = (margin * size for margin in _margin(label))
    room = (width + 2 * across, sum(m.height() for m in metrics) + 2 * down)
    gaps = [gap * size for gap in (_SMALL_GAPS if label.small else LABEL_GAPS)]
    if label.around:
        around = _box(label.around, to_screen)
        best = ((around[0] + around[2]) / 2, around[3] + room[1] / 2 + gaps[0])
    else:
        x, y = to_screen.map(*label.at_px)
        around, best = (x, y, x, y), (x + label.offset[0] * size, y + label.offset[1] * size)
    return placed(room, best, around, taken, gaps, optional=label.small)


def _margin(label: Label) -> tuple[float, float]:
    return _SMALL_MARGIN if label.small else _PLATE_MARGIN


def _box(points_px: Sequence[PointPx], to_screen: QTransform) -> Box:
    """The box round points, on the screen; pictures are only moved and scaled."""
    xs, ys = zip(*points_px, strict=True)
    left, top = to_screen.map(min(xs), min(ys))
    right, bottom = to_screen.map(max(xs), max(ys))
    return (left, top, right, bottom)


def _rectangle(box: Box) -> QRectF:
    return QRectF(QPointF(*box[:2]), QPointF(*box[2:]))


def _paint_label(painter: QPainter, fonts: _Fonts, label: Label, box: Box, size: float) -> None:
    room = _rectangle(box)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(*PLATE))
    radius = (3 if label.small else 5) * size
    painter.drawRoundedRect(room, radius, radius)
    painter.setPen(QColor(*label.colour))
    top = room.top() + _margin(label)[1] * size
    for words, row_size in label.rows:
        font, metrics = fonts.of(row_size * size)
        painter.setFont(font)
        painter.drawText(QRectF(room.left(), top, room.width(), metrics.height()), Qt.AlignmentFlag.AlignCenter, words)
        top += metrics.height()


def _font(painter: QPainter, size: float) -> QFont:
    font = QFont(painter.font())
    font.setPixelSize(max(1, round(size)))
    font.setBold(True)
    return font


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
    image = _clear_image(room.size(), ratio)
    corner = room.topLeft() + whole
    with painting(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw(painter, to_screen * QTransform.fromTranslate(-corner.x(), -corner.y()))
    return image, room.topLeft()


def _clear_image(size: QSize, ratio: float) -> QImage:
    image = QImage(QSize(size * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    return image


Shapes = Sequence[Shape]
_Place = tuple[QTransform, QSize, float, tuple[Box, ...]]


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
        covered: Boxes of the widget that other widgets cover; the labels of the top layer keep off them.
    """

    def __init__(self) -> None:
        self.shapes: tuple[Shapes, ...] = ()
        self.covered: tuple[Box, ...] = ()
        self._cached: list[_CachedLayer] = []
        self._sprites = Sprites()

    def show(self, *shapes: Shapes) -> bool:
        """Replace the layers; return whether they changed."""
        before, self.shapes = self.shapes, shapes
        return before != shapes

    @property
    def taken(self) -> Taken:
        """Where the figures and labels below the top layer stood when they were last painted."""
        return self._cached[-2].rooms if len(self._cached) > 1 else Taken()

    def paint(self, painter: QPainter, to_screen: QTransform, size: QSize, ratio: float) -> None:
        """Draw the layers with an untransformed painter; `ratio` is in screen pixels per widget pixel."""
        place: _Place = (to_screen, size, ratio, ())
        before = self._cached
        rooms = Taken(within=(0.0, 0.0, float(size.width()), float(size.height())))
        self._cached = []
        self._sprites.begin(to_screen)
        for number, shapes in enumerate(self.shapes):
            if number == len(self.shapes) - 1:
                rooms, place = rooms.and_boxes(self.covered), (to_screen, size, ratio, self.covered)
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
        to_screen, size, ratio, _ = place
        image = _clear_image(size, ratio)
        with painting(image) as painter:
            paint(painter, shapes, to_screen, taken=rooms, sprites=self._sprites)
        return image
