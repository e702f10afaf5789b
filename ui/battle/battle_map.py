"""A map of a battle's journalled state from straight above: terrain and the figures' places. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from shapely import LineString, Point, Polygon, get_parts, unary_union

from rules.engine.events import Move
from rules.engine.state import State, Unit
from rules.tabletop.table import PointIn, TerrainPiece, ellipse_outline
from ui.picture.figure_shapes import figure_number
from ui.picture.shapes import Shape, marked
from ui.picture.table_map import Extent, overhead
from ui.rules_text import display_name
from ui.table.finding import Mark, Note, Trace, along, cross, lifted, ring
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
    return extent_around(places)


def extent_around(places_in: Sequence[PointIn]) -> Extent:
    """The extent (left, near, right, far) of these places with a margin, at least as large as a small table."""
    if not places_in:
        return (0.0, 0.0, _MIN_SIDE_IN, _MIN_SIDE_IN)
    (left, right), (near, far) = (_span(axis) for axis in zip(*places_in, strict=True))
    return (left, near, right, far)


def _span(values: Sequence[float]) -> tuple[float, float]:
    low, high = math.floor(min(values) - _MARGIN_IN), math.ceil(max(values) + _MARGIN_IN)
    padding = max(0.0, _MIN_SIDE_IN - (high - low)) / 2
    return (low - padding, high + padding)


def map_shapes(
    state: State, extent: Extent, size_px: tuple[int, int], highlighted: Iterable[str] = (), more: Iterable[Mark] = ()
) -> tuple[tuple[int, int], tuple[Shape, ...]]:
    """The (width, height) of the map of a state, which fits into `size_px`, and its shapes from the lowest up.

    Figures that are `highlighted` wear a thick ring and their names; `more` is drawn above the terrain.
    """
    camera = overhead(extent, size_px)
    px_per_in = camera.lens.image_size[0] / (extent[2] - extent[0])
    marks: list[Mark] = [
        Trace(ring(piece.outline_in), TERRAIN, 1.5, faded(TERRAIN, 40), closed=True) for piece in state.terrain
    ]
    if state.area_in:
        marks.append(Trace(ring(state.area_in), faded(SKY, 220), 2.0, closed=True, dashed=True))
    marks += (
        _terrain_name(piece, state.terrain) for piece in state.terrain
    )  # first: a label moves aside for those above it
    marks += more
    emphasized = set(highlighted)
    for unit in sorted(state.units.values(), key=lambda unit: (unit.id in emphasized, not unit.out)):
        if unit.at_in is not None:
            named = px_per_in >= _NAMES_FROM_PX_PER_IN
            marks += _unit_marks(unit, unit.at_in, state.sides, unit.id in emphasized, named)
    return camera.lens.image_size, tuple(marked(camera, marks))


def move_trails(moves: Iterable[Move], state: State, part: float = 1.0) -> tuple[Mark, ...]:
    """Dashed lines from where figures set out to where they are after this part of their moves."""
    return tuple(
        Trace(
            along(lifted((move.from_in, partway(move.from_in, move.to_in, part)))),
            army_colour(state.unit(move.figure).side, state.sides),
            2.5,
            dashed=True,
        )
        for move in moves
    )


def partway(start: PointIn, end: PointIn, part: float) -> PointIn:
    """The place on the straight line between two places, from 0 at the start to 1 at the end."""
    return (start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1]))


def _terrain_name(piece: TerrainPiece, terrain: Sequence[TerrainPiece]) -> Note:
    """The name in the middle of a piece or, if a higher piece stands there, in the largest gap above or below that."""
    x, y = (sum(axis) / len(piece.outline_in) for axis in zip(*piece.outline_in, strict=True))
    higher = [Polygon(one.outline_in).buffer(0) for one in terrain if one.top_in > piece.top_in]
    if any(one.intersects(Point(x, y)) for one in higher):
        outline = Polygon(piece.outline_in).buffer(0)
        _, near, _, far = outline.bounds
        upright = LineString(((x, near), (x, far))).intersection(outline).difference(unary_union(higher))
        if not upright.is_empty:
            y = max(get_parts(upright), key=lambda gap: gap.length).centroid.y
    return Note((x, y, 0.0), ((piece.name, 11.0),), TERRAIN)


def _unit_marks(unit: Unit, at_in: PointIn, sides: Sequence[str], emphasized: bool, named: bool) -> Iterable[Mark]:
    colour = SILVER if unit.out else army_colour(unit.side, sides)
    x, y = at_in
    if unit.out:
        yield from cross((x, y, 0.0), colour, _HALF_BASE_IN)
    else:
        outline = ring(ellipse_outline(at_in, _HALF_BASE_IN, _HALF_BASE_IN))
        width, opacity = (3.5, 200) if emphasized else (2.0, 90)
        yield Trace(outline, colour, width, faded(colour, opacity), closed=True)
    if emphasized or (named and not unit.out):
        words = display_name(unit.id) if emphasized else figure_number(unit.id)
        yield Note((x, y, 0.0), ((words, 13.0 if emphasized else 10.0),), colour, (0.0, -16.0))
