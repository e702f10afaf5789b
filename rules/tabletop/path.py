"""Paths over the table, and the figures and areas along them.

A path is a sequence of places of the base's centre, joined by straight legs; a single place is a path without length.
"Along" is the length from the start. The figure does not turn on its way; bases are convex.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
import shapely
from shapely.geometry import LineString, MultiPoint, Point
from shapely.geometry.base import BaseGeometry

from rules.tabletop.bearing import bearing_deg, onward
from rules.tabletop.errors import user_error
from rules.tabletop.table import Figure, Outline, PointIn, area_of
from rules.tabletop.tolerance import EXACT

Path = tuple[PointIn, ...]
Span = tuple[float, float]
"""A part of a path: its start and end, as lengths along the path."""


def checked(path_in: Path) -> Path:
    """The path itself, after a check.

    Raises:
        UserError: if it is empty or has a place that is not finite.
    """
    if not path_in or not all(math.isfinite(v) for point in path_in for v in point):
        raise user_error("a path needs at least one place, and finite coordinates: draw it again")
    return path_in


def length_in(path_in: Path) -> float:
    """Length of the path; 0 for a single place."""
    return sum(math.dist(a, b) for a, b in pairwise(path_in))


def straight(from_in: PointIn, toward_deg: float, distance_in: float) -> Path:
    """A straight path in one direction."""
    return (from_in, onward(from_in, toward_deg, distance_in))


def legs(path_in: Path) -> Iterator[tuple[float, PointIn, PointIn]]:
    """Each leg with a length: where along the path it starts, and its two ends."""
    along = 0.0
    for a, b in pairwise(path_in):
        if a != b:
            yield along, a, b
        along += math.dist(a, b)


def end_facing_deg(path_in: Path) -> float | None:
    """The direction of the last leg that goes anywhere; None if there is none."""
    ways = [bearing_deg(a, b) for _, a, b in legs(path_in)]
    return ways[-1] if ways else None


def place_at(path_in: Path, along_in: float) -> PointIn:
    """The place at this length along the path, clamped to its ends."""
    for start, a, b in legs(path_in):
        part = (along_in - start) / math.dist(a, b)
        if part < 1:
            part = max(0.0, part)
            return a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])
    return path_in[-1]


def places_along(path_in: Path, every_in: float) -> list[PointIn]:
    """Places along a path, at most so far apart: its start, its corners and its end among them."""
    found = [path_in[0]]
    for _, a, b in legs(path_in):
        parts = max(1, math.ceil(math.dist(a, b) / every_in))
        found += [place_at((a, b), n * math.dist(a, b) / parts) for n in range(1, parts)] + [b]
    return found


def cut(path_in: Path, along_in: float) -> Path:
    """The path up to this length."""
    if along_in >= length_in(path_in):
        return path_in
    before = tuple(a for start, a, _ in legs(path_in) if start < along_in)
    return (*before, place_at(path_in, along_in))


def placed(figure: Figure, at_in: PointIn) -> Figure:
    """The figure with its base's centre at another place and the same facing."""
    dx, dy = at_in[0] - figure.x_in, at_in[1] - figure.y_in
    base_in = tuple((x + dx, y + dy) for x, y in figure.base_in)
    return dataclasses.replace(figure, x_in=at_in[0], y_in=at_in[1], base_in=base_in)


def spans_in(path_in: Path, area: BaseGeometry) -> tuple[Span, ...]:
    """The parts of a path inside an area, its border included; touching it at one place is a span without length."""
    found: list[Span] = []
    for start, a, b in legs(path_in):
        for part in shapely.get_parts(LineString((a, b)).intersection(area)):
            alongs = [start + math.dist(a, place) for place in shapely.get_coordinates(part)]
            if alongs:
                found.append((min(alongs), max(alongs)))
    if not found and len(set(path_in)) == 1 and area.intersects(Point(path_in[0])):
        found.append((0.0, 0.0))
    return _joined(sorted(found))


def _joined(spans: list[Span]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for span in spans:
        if joined and span[0] <= joined[-1][1] + EXACT:
            joined[-1] = (joined[-1][0], max(joined[-1][1], span[1]))
        else:
            joined.append(span)
    return tuple(joined)


def _meeting(mover: Figure, points_in: Outline) -> BaseGeometry:
    """The area in which the mover's centre is while its base touches the convex hull of some points.

    It is their Minkowski difference, so the centre's distance from this area is the base's distance from the hull.
    """
    base = np.asarray(mover.base_in) - mover.centre_in
    return MultiPoint((np.asarray(points_in)[:, None] - base[None]).reshape(-1, 2)).convex_hull


def nearest_in(mover: Figure, path_in: Path, other: Figure) -> float:
    """The smallest distance between two bases while the mover goes along a path; 0 if they touch."""
    way = LineString(path_in) if len(checked(path_in)) > 1 else Point(path_in[0])
    return float(way.distance(_meeting(mover, other.base_in)))


@dataclasses.dataclass(frozen=True, slots=True)
class Contact:
    """The first touch with another base: at `along_in` on the path."""

    id: str
    along_in: float


def contacts(mover: Figure, path_in: Path, others: Iterable[Figure], slack_in: float = 0.0) -> tuple[Contact, ...]:
    """Every figure whose base the mover touches, in the order of the path; the mover itself is ignored.

    A base that it touches at the start counts only if the mover leaves it and returns. In games where contact ends a
    move, the first contact is its end; a vehicle overruns all of them.

    Args:
        mover: The figure that moves.
        path_in: Its path.
        others: The figures that it may touch.
        slack_in: Gap between bases that still counts as touching; if negative, how far they must overlap.
    """
    checked(path_in)
    found = [
        Contact(other.id, span[0])
        for other in others
        if other.id != mover.id
        for span in [s for s in spans_in(path_in, _touching(mover, other, slack_in)) if s[0] > EXACT][:1]
    ]
    return tuple(sorted(found, key=lambda contact: (contact.along_in, contact.id)))


def _touching(mover: Figure, other: Figure, slack_in: float) -> BaseGeometry:
    meeting = _meeting(mover, other.base_in)
    return meeting.buffer(slack_in, quad_segs=32) if slack_in else meeting


def spans_over(
    mover: Figure, path_in: Path, outline_in: Outline, without: BaseGeometry | None = None
) -> tuple[Span, ...]:
    """The parts of a path along which the mover's base overlaps or touches an area, such as a minefield.

    The first of them begins where the mover reaches the area, such as a bunker. Movement costs depend on the base's
    centre instead: see `spans_in`.

    Args:
        mover: The figure that moves.
        path_in: Its path.
        outline_in: The outline of the area.
        without: Ground that does not belong to the area, such as a swept lane.
    """
    area = area_of(outline_in) if without is None else area_of(outline_in).difference(without)
    return spans_in(checked(path_in), shapely.union_all([area, *_edges_met(mover, area)]))


def _edges_met(mover: Figure, area: BaseGeometry) -> list[BaseGeometry]:
    """For each edge of an area, the area in which the mover's centre is while its base touches that edge."""
    rings = [ring for part in shapely.get_parts(area) for ring in (part.exterior, *part.interiors)]
    return [_meeting(mover, edge) for ring in rings for edge in pairwise(ring.coords)]
