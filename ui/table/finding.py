"""The answer to a question about the table, as text and as marks on the table. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rules.tabletop.table import Point3In, PointIn
from ui.theme import WHITE, Colour

Rows = tuple[tuple[str, float], ...]
"""Lines of text, each with its size on the screen."""

_CROSS_IN = 0.22
_PIECE_IN = 4.0  # length of a segment, because the lens bends straight lines


@dataclass(frozen=True, slots=True)
class Answer:
    """A headline in large letters, and details."""

    headline: str = ""
    rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """A line through places (x, y, z), closed and filled or not; its width is in pixels of the screen.

    Attributes:
        clear_in: Groups of places; labels keep off the box round each.
    """

    points_in: tuple[Point3In, ...]
    colour: Colour
    width: float = 2.0
    fill: Colour | None = None
    closed: bool = False
    dashed: bool = False
    halo: bool = True
    clear_in: tuple[tuple[Point3In, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """Text with its centre at `offset` (right, down, on the screen) from a place."""

    at_in: Point3In
    rows: Rows
    colour: Colour = WHITE
    offset: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Style:
    """How an area is drawn; hatching distinguishes areas without colours.

    Attributes:
        edge, fill: Colours of the outlines and of the area.
        hatch: Colour of the hatching; None for none.
        crosses: Whether the hatching leans to the left, so that it crosses that of an area below.
    """

    edge: Colour
    fill: Colour
    hatch: Colour | None = None
    crosses: bool = False


@dataclass(frozen=True, slots=True)
class Patch:
    """An area within rings of places (x, y, z), outlines and holes."""

    rings_in: tuple[tuple[Point3In, ...], ...]
    style: Style


Mark = Trace | Note | Patch


@dataclass(frozen=True, slots=True)
class Finding:
    """An answer with its marks, from the lowest up."""

    answer: Answer
    marks: tuple[Mark, ...] = ()


def along(places_in: Sequence[Point3In]) -> tuple[Point3In, ...]:
    """The line divided into short segments, so that it follows the lens distortion when projected."""
    found = [places_in[0]] if places_in else []
    for a, b in pairwise(places_in):
        count = max(1, math.ceil(math.dist(a, b) / _PIECE_IN))
        found += [*(_between(a, b, k / count) for k in range(1, count)), b]
    return tuple(found)


def lifted(outline_in: Iterable[PointIn], height_in: float = 0.0) -> tuple[Point3In, ...]:
    """Places at a height."""
    return tuple((x, y, height_in) for x, y in outline_in)


def ring(outline_in: Sequence[PointIn], height_in: float = 0.0) -> tuple[Point3In, ...]:
    """A closed outline at a height, divided into short segments as by `along`."""
    return along(lifted((*outline_in, outline_in[0]), height_in))[:-1]


def _between(a: Point3In, b: Point3In, part: float) -> Point3In:
    return (a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]), a[2] + part * (b[2] - a[2]))


def cross(at_in: Point3In, colour: Colour, half_in: float = _CROSS_IN) -> Iterator[Mark]:
    """Two crossed strokes at a place."""
    x, y, z = at_in
    for lean in (1, -1):
        ends = ((x - half_in, y - lean * half_in, z), (x + half_in, y + lean * half_in, z))
        yield Trace(ends, colour, 2.5)
