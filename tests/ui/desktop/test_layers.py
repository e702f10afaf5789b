"""Unchanged layers are computed and painted once, and look like layers painted every time."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtCore import QRectF, QSize
from PyQt6.QtGui import QImage, QPainter, QTransform
from PyQt6.QtWidgets import QApplication

from rules.tabletop.template import Wedge
from tests.ui.tables import before, soldier
from ui.desktop.picture.image import to_bgr
from ui.desktop.picture.painter import Layers, Sprites, paint
from ui.picture.drawing import Drawing, table_overlay
from ui.picture.preview import Preview
from ui.picture.shapes import Label, Line, Shape
from ui.session import Ruler, TableState
from ui.table.finding import Answer, Finding, Patch, Style, Trace
from ui.theme import SKY

NOW = before(soldier("green-1", 10, 10), soldier("tan-1", 30, 18), soldier("tan-2", 20, 10))
STATE = TableState(rulers=(Ruler("green-1", "tan-1"),), templates=(Wedge((10.0, 10.0), 0, 12, 45),))
FINDING = Finding(Answer("here"), (Trace(((0, 0, 0), (30, 20, 0)), SKY),))
AREAS = (Patch((((0, 0, 0), (9, 0, 0), (9, 9, 0)), ((5, 1, 0), (6, 1, 0), (6, 2, 0))), Style(SKY, SKY)),)
SIZE = QSize(1280, 720)


def test_only_shapes_that_follow_the_mouse_are_computed_again() -> None:
    drawing = Drawing()
    first = drawing.of(NOW.view, STATE, Preview(hovered="tan-1", finding=FINDING, areas=AREAS))
    second = drawing.of(NOW.view, STATE, Preview(hovered="tan-2", finding=FINDING, areas=AREAS))
    assert [after is before for before, after in zip(first, second, strict=True)] == [True, True, True, False]
    assert second[3] != first[3]
    moved = drawing.of(NOW.view, TableState(rulers=STATE.rulers), Preview())
    assert moved[1] != first[1]
    assert (moved[0], moved[2]) == ((), ())


def test_the_layers_together_contain_all_shapes() -> None:
    preview = Preview(hovered="tan-1", ruler=Ruler("tan-1", "tan-2"), finding=FINDING, areas=AREAS)
    layers = Drawing().of(NOW.view, STATE, preview)
    assert sum(layers, ()) == table_overlay(NOW.view, STATE, preview)


def painted(layers: Layers, moved_px: float = 0.0) -> np.ndarray:  # type: ignore[type-arg]
    image = QImage(SIZE, QImage.Format.Format_RGB32)
    image.fill(0xFF808080)
    painter = QPainter(image)
    layers.paint(painter, QTransform.fromTranslate(moved_px, 0.0), SIZE, 1.0)
    painter.end()
    return to_bgr(image).astype(int)


def shapes() -> tuple[tuple[Shape, ...], ...]:
    return Drawing().of(NOW.view, STATE, Preview(hovered="tan-1"))


def test_a_cached_layer_looks_like_a_painted_one(qt: QApplication) -> None:
    layers = Layers()
    assert layers.show(*shapes())
    first = painted(layers)
    assert not layers.show(*shapes())
    second = painted(layers)
    assert abs(first - second).max() <= 3  # transparent pictures are rounded once more
    assert abs(first - 128).max() > 100


def test_a_cached_layer_moves_with_the_picture(qt: QApplication) -> None:
    layers = Layers()
    layers.show(*shapes())
    for _ in range(2):
        here = painted(layers)
    there = painted(layers, moved_px=40.0)
    assert abs(there[:, 40:] - here[:, :-40]).max() <= 3


def test_the_label_at_the_mouse_keeps_off_other_widgets(qt: QApplication) -> None:
    around, layers = ((600.0, 300.0), (620.0, 320.0)), Layers()
    layers.show([], [Label(around[0], (("Green 1", 14.0), ("Rifleman", 14.0)), SKY, around=around)])
    ys, xs = np.nonzero(abs(painted(layers) - 128).max(axis=2) > 3)
    usual = (xs.min(), ys.min(), xs.max() + 1, ys.max() + 1)
    layers.covered = (tuple(map(float, usual)),)
    left, top, right, bottom = usual
    moved = abs(painted(layers) - 128) > 3
    assert moved.any()
    assert not moved[top:bottom, left:right].any()


def test_lines_from_images_look_like_painted_ones(qt: QApplication) -> None:
    lines = [shape for layer in shapes() for shape in layer if not isinstance(shape, Label)]
    moves_px = (0.3, 7.3, -12.7)
    fresh = []
    for moved_px in moves_px:  # a first painting at a scale uses no images
        layers = Layers()
        layers.show(lines)
        fresh.append(painted(layers, moved_px))
    layers = Layers()
    layers.show(lines)
    painted(layers, 0.3)
    for number, moved_px in enumerate(moves_px):
        layers.show([*lines, Line(((0.0, 0.0), (1.0, 1.0)), SKY, width=number + 1.0)])  # else the layer is kept
        assert abs(painted(layers, moved_px)[5:] - fresh[number][5:]).max() <= 3


@pytest.mark.parametrize(("moved_px", "drawings"), [(5.0, 1), (5.25, 2)], ids=["whole pixels", "parts of a pixel"])
def test_an_image_serves_wherever_its_pixels_lie_the_same(qt: QApplication, moved_px: float, drawings: int) -> None:
    image, sprites = QImage(SIZE, QImage.Format.Format_RGB32), Sprites()
    painter, drawn = QPainter(image), list[QTransform]()
    for x in (0.5, 0.5 + moved_px):
        box = QRectF(x, 3.0, 20.0, 20.0)
        sprites.draw(painter, "ring", box, QTransform.fromTranslate(x, 3.0), lambda _, there: drawn.append(there))
    painter.end()
    assert len(drawn) == drawings


def test_images_of_shapes_wait_until_the_zoom_rests() -> None:
    sprites, zoomed = Sprites(), QTransform.fromScale(2.0, 2.0)
    seen = []
    for place in (zoomed, zoomed, zoomed * QTransform.fromTranslate(7.0, 0.0), QTransform.fromScale(3.0, 3.0)):
        sprites.begin(place)
        seen.append(sprites.is_zooming)
    assert seen == [True, False, False, True]


def test_labels_avoid_the_labels_of_lower_layers(qt: QApplication) -> None:
    image = QImage(SIZE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    every_shape = table_overlay(NOW.view, TableState(), Preview(picked="tan-1"))
    (label,) = [shape for shape in every_shape if isinstance(shape, Label) and not shape.small]
    below = paint(painter, [label], QTransform())
    lower, upper = paint(painter, [label], QTransform(), taken=below).boxes
    painter.end()
    assert below.boxes == (lower,)
    assert lower[2] <= upper[0] or upper[2] <= lower[0] or lower[3] <= upper[1] or upper[3] <= lower[1]
