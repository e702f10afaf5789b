"""The table as a battle's journal has it, from straight above: terrain, and where everybody stood. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from calibration.camera import TableCamera
from rules.engine.state import State, Unit
from rules.engine.text import spoken
from rules.tabletop.table import PointIn, TerrainPiece, ellipse_outline
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
    marks: list[Mark] = [
        Trace(ring(piece.outline_in), TERRAIN, 1.5, faded(TERRAIN, 40), closed=True) for piece in state.terrain
    ]
    if state.area_in:
        marks.append(Trace(ring(state.area_in), faded(SKY, 220), 2.0, closed=True, dashed=True))
    pointed, stood = set(told), len(marks)
    for unit in sorted(state.units.values(), key=lambda one: (one.id in pointed, not one.out)):
        if unit.at_in is not None:
            marks += _unit(unit, unit.at_in, state.sides, unit.id in pointed, px_per_in >= _NAMES_FROM_PX_PER_IN)
    marks[stood:stood] = _apart(camera, state.terrain, [one for one in marks if isinstance(one, Note)])
    return camera.lens.image_size, tuple(marked(camera, marks))


_SCALE = 0.6
"""Of the map on the screen, where it is small: words keep their size, and so are nearer to one another."""
_LETTER, _LINE, _PLATE_PX = 0.62, 1.2, (14.0, 8.0)


def _apart(camera: TableCamera, terrain: Sequence[TerrainPiece], taken: Sequence[Note]) -> list[Note]:
    """The names of the terrain, each at its middle or as near to it as it covers no other words."""
    rooms, found = [_room(camera, note) for note in taken], []
    for piece in terrain:
        x, y = (sum(axis) / len(piece.outline_in) for axis in zip(*piece.outline_in, strict=True))
        note = Note((x, y, 0.0), ((piece.name, 11.0),), TERRAIN)
        width, height = _size(note)
        steps = [(right, down) for down in (0, 1, -1, 2, -2, 3, -3) for right in (0, 1, -1)]
        steps.sort(key=lambda step: math.hypot(step[0] * width, step[1] * height))
        notes = [replace(note, offset=(right * width, down * height)) for right, down in steps]
        found.append(min(notes, key=lambda one: sum(_shared(_room(camera, one), other) for other in rooms)))
        rooms.append(_room(camera, found[-1]))
    return found


_Room = tuple[float, float, float, float]


def _size(note: Note) -> tuple[float, float]:
    """About how wide and high its plate is."""
    wide, high = _PLATE_PX
    width = max(_LETTER * size * len(words) for words, size in note.rows)
    return width + wide, sum(_LINE * size for _, size in note.rows) + high


def _room(camera: TableCamera, note: Note) -> _Room:
    """About where its plate is on the screen: left, top, right, bottom."""
    (u, v), (right, down), (width, height) = camera.table_to_pixel(note.at_in)[0], note.offset, _size(note)
    x, y = _SCALE * float(u) + right, _SCALE * float(v) + down
    return (x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _shared(a: _Room, b: _Room) -> float:
    """The area that two rooms share."""
    wide, high = (max(0.0, min(a[k + 2], b[k + 2]) - max(a[k], b[k])) for k in (0, 1))
    return wide * high


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
