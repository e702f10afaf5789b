"""The table as a battle's journal has it, from straight above: terrain, and where everybody stood. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rules.spoken import spoken
from rules.state import State, Unit
from rules.table import PointIn, ellipse_outline
from ui.picture.overlay import Shape, marked
from ui.picture.table_map import Extent, overhead
from ui.table.finding import Mark, Note, Trace, lifted, ring
from ui.theme import SILVER, SKY, TERRAIN, army_colour, faded

_HALF_IN, _ROOM_IN, _LEAST_IN = 0.5, 3.0, 24.0
_NAMES_FROM_PX_PER_IN = 9.0


def extent_of(states: Iterable[State]) -> Extent:
    """What holds everybody in all of these states, and their terrain: left, near, right, far."""
    places: list[PointIn] = []
    for state in states:
        places += [unit.at_in for unit in state.units.values() if unit.at_in is not None]
        places += [place for piece in state.terrain for place in piece.outline_in]
        places += state.area_in
    if not places:
        return (0.0, 0.0, _LEAST_IN, _LEAST_IN)
    (left, right), (near, far) = (_span(axis) for axis in zip(*places, strict=True))
    return (left, near, right, far)


def _span(values: Sequence[float]) -> tuple[float, float]:
    low, high = math.floor(min(values) - _ROOM_IN), math.ceil(max(values) + _ROOM_IN)
    room = max(0.0, _LEAST_IN - (high - low)) / 2
    return (low - room, high + room)


def map_shapes(
    state: State, extent: Extent, size_px: tuple[int, int], told: Iterable[str] = ()
) -> tuple[tuple[int, int], tuple[Shape, ...]]:
    """The map of a state.

    Args:
        state: Of the battle.
        extent: What it shows, see `extent_of`.
        size_px: (width, height) that it must fit into.
        told: Figures that are pointed out.

    Returns:
        Its own (width, height), and the shapes from the lowest up.
    """
    camera = overhead(extent, size_px)
    px_per_in = camera.lens.image_size[0] / (extent[2] - extent[0])
    marks: list[Mark] = []
    for piece in state.terrain:
        marks.append(Trace(ring(piece.outline_in), TERRAIN, 1.5, faded(TERRAIN, 40), closed=True))
        middle = tuple(sum(axis) / len(piece.outline_in) for axis in zip(*piece.outline_in, strict=True))
        marks.append(Note((*middle, 0.0), ((piece.name, 11.0),), TERRAIN))
    if state.area_in:
        marks.append(Trace(ring(state.area_in), faded(SKY, 220), 2.0, closed=True, dashed=True))
    pointed = set(told)
    for unit in sorted(state.units.values(), key=lambda one: (one.id in pointed, not one.out)):
        if unit.at_in is not None:
            marks += _unit(unit, unit.at_in, state.sides, unit.id in pointed, px_per_in >= _NAMES_FROM_PX_PER_IN)
    return camera.lens.image_size, tuple(marked(camera, marks))


def _unit(unit: Unit, at_in: PointIn, sides: Sequence[str], told: bool, named: bool) -> Iterable[Mark]:
    colour = SILVER if unit.out else army_colour(unit.side, sides)
    x, y = at_in
    if unit.out:
        for way in (1, -1):
            ends = [(x - _HALF_IN, y - way * _HALF_IN), (x + _HALF_IN, y + way * _HALF_IN)]
            yield Trace(lifted(ends), colour, 2.5)
    else:
        outline = ellipse_outline(at_in, _HALF_IN, _HALF_IN)
        yield Trace(ring(outline), colour, 3.5 if told else 2.0, faded(colour, 200 if told else 90), closed=True)
    if told or (named and not unit.out):
        words = spoken(unit.id) if told else unit.id.rpartition("-")[2]
        yield Note((x, y, 0.0), ((words, 13.0 if told else 10.0),), colour, (0.0, -16.0))
