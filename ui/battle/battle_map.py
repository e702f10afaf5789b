"""A map of a battle's journalled state from straight above: terrain and the figures' places. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from calibration.camera import TableCamera
from rules.engine.state import State, Unit
from rules.engine.text import display_name
from rules.tabletop.table import PointIn, TerrainPiece, ellipse_outline
from ui.picture.overlay import Shape, marked
from ui.picture.table_map import Extent, overhead
from ui.table.finding import Mark, Note, Trace, lifted, ring
from ui.theme import SILVER, SKY, TERRAIN, army_colour, faded

_HALF_BASE_IN, _MARGIN_IN, _MIN_SIDE_IN = 0.5, 3.0, 24.0
_NAMES_FROM_PX_PER_IN = 9.0


def extent_of(states: Iterable[State]) -> Extent:
    """The extent (left, near, right, far) of all figures and terrain in all of these states."""
    places: list[PointIn] = []
    for state in states:
        places += [unit.at_in for unit in state.units.values() if unit.at_in is not None]
        places += [place for piece in state.terrain for place in piece.outline_in]
        places += state.area_in
    if not places:
        return (0.0, 0.0, _MIN_SIDE_IN, _MIN_SIDE_IN)
    (left, right), (near, far) = (_span(axis) for axis in zip(*places, strict=True))
    return (left, near, right, far)


def _span(values: Sequence[float]) -> tuple[float, float]:
    low, high = math.floor(min(values) - _MARGIN_IN), math.ceil(max(values) + _MARGIN_IN)
    padding = max(0.0, _MIN_SIDE_IN - (high - low)) / 2
    return (low - padding, high + padding)


def map_shapes(
    state: State, extent: Extent, size_px: tuple[int, int], highlighted: Iterable[str] = ()
) -> tuple[tuple[int, int], tuple[Shape, ...]]:
    """The map of a state.

    Args:
        state: The battle's state.
        extent: What the map shows, see `extent_of`.
        size_px: (width, height) into which it must fit.
        highlighted: Ids of figures to emphasize.

    Returns:
        The map's (width, height), and the shapes from the lowest up.
    """
    camera = overhead(extent, size_px)
    px_per_in = camera.lens.image_size[0] / (extent[2] - extent[0])
    marks: list[Mark] = [
        Trace(ring(piece.outline_in), TERRAIN, 1.5, faded(TERRAIN, 40), closed=True) for piece in state.terrain
    ]
    if state.area_in:
        marks.append(Trace(ring(state.area_in), faded(SKY, 220), 2.0, closed=True, dashed=True))
    emphasized, below_units = set(highlighted), len(marks)
    for unit in sorted(state.units.values(), key=lambda unit: (unit.id in emphasized, not unit.out)):
        if unit.at_in is not None:
            named = px_per_in >= _NAMES_FROM_PX_PER_IN
            marks += _unit_marks(unit, unit.at_in, state.sides, unit.id in emphasized, named)
    notes = [mark for mark in marks if isinstance(mark, Note)]
    marks[below_units:below_units] = _terrain_names(camera, state.terrain, notes)
    return camera.lens.image_size, tuple(marked(camera, marks))


_SCALE = 0.6
"""Smallest scale of the map on the screen, where labels, which keep their size, lie closest together."""
_LETTER_WIDTH, _LINE_HEIGHT, _PLATE_MARGIN_PX = 0.62, 1.2, (14.0, 8.0)


def _terrain_names(camera: TableCamera, terrain: Sequence[TerrainPiece], taken: Sequence[Note]) -> list[Note]:
    """The names of the terrain, each as near to its middle as possible without covering other labels."""
    plates, found = [_plate(camera, note) for note in taken], []
    for piece in terrain:
        x, y = (sum(axis) / len(piece.outline_in) for axis in zip(*piece.outline_in, strict=True))
        note = Note((x, y, 0.0), ((piece.name, 11.0),), TERRAIN)
        width, height = _size(note)
        steps = [(right, down) for down in (0, 1, -1, 2, -2, 3, -3) for right in (0, 1, -1)]
        steps.sort(key=lambda step: math.hypot(step[0] * width, step[1] * height))
        notes = [replace(note, offset=(right * width, down * height)) for right, down in steps]
        found.append(min(notes, key=lambda note: sum(_overlap(_plate(camera, note), plate) for plate in plates)))
        plates.append(_plate(camera, found[-1]))
    return found


_Rectangle = tuple[float, float, float, float]


def _size(note: Note) -> tuple[float, float]:
    """The approximate width and height of a note's plate."""
    margin_x, margin_y = _PLATE_MARGIN_PX
    width = max(_LETTER_WIDTH * size * len(words) for words, size in note.rows)
    return width + margin_x, sum(_LINE_HEIGHT * size for _, size in note.rows) + margin_y


def _plate(camera: TableCamera, note: Note) -> _Rectangle:
    """The approximate place of a note's plate on the screen: left, top, right, bottom."""
    (u, v), (right, down), (width, height) = camera.table_to_pixel(note.at_in)[0], note.offset, _size(note)
    x, y = _SCALE * float(u) + right, _SCALE * float(v) + down
    return (x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _overlap(a: _Rectangle, b: _Rectangle) -> float:
    """The area of the intersection."""
    width, height = (max(0.0, min(a[k + 2], b[k + 2]) - max(a[k], b[k])) for k in (0, 1))
    return width * height


def _unit_marks(unit: Unit, at_in: PointIn, sides: Sequence[str], emphasized: bool, named: bool) -> Iterable[Mark]:
    colour = SILVER if unit.out else army_colour(unit.side, sides)
    x, y = at_in
    if unit.out:
        for slope in (1, -1):
            ends = [(x - _HALF_BASE_IN, y - slope * _HALF_BASE_IN), (x + _HALF_BASE_IN, y + slope * _HALF_BASE_IN)]
            yield Trace(lifted(ends), colour, 2.5)
    else:
        outline = ring(ellipse_outline(at_in, _HALF_BASE_IN, _HALF_BASE_IN))
        width, opacity = (3.5, 200) if emphasized else (2.0, 90)
        yield Trace(outline, colour, width, faded(colour, opacity), closed=True)
    if emphasized or (named and not unit.out):
        words = display_name(unit.id) if emphasized else unit.id.rpartition("-")[2]
        yield Note((x, y, 0.0), ((words, 13.0 if emphasized else 10.0),), colour, (0.0, -16.0))
