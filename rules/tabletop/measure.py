"""Ranges on the table with their standard deviation, the ground under figures, and squads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import cast

from shapely import get_coordinates
from shapely.affinity import translate
from shapely.geometry import LineString, Point, Polygon
from shapely.geometry.base import BaseGeometry
from shapely.ops import nearest_points

from rules.tabletop.errors import user_error
from rules.tabletop.table import Figure, Outline, PointIn, TerrainKind, TerrainPiece, area_of, boxes_meet
from rules.tabletop.tolerance import EXACT, Choice, Comparison, at_most, choice, doubtful_shifts

TOUCHING_IN = 0.01
"""Bases with a smaller gap touch: a round base is a polygon of 24 corners, and places are written to the hundredth."""


@dataclass(frozen=True, slots=True)
class Range:
    """A measured distance on the table.

    Attributes:
        centre_in: From base centre to base centre.
        edge_in: From nearest base edge to nearest base edge; 0 if the bases touch or overlap.
        sigma_in: One standard deviation of each of these distances, along the table or through the air.
        centre_segment_in, edge_segment_in: The two ends of each measured segment.
        rise_in: Height of the far end above the near one; negative if it is lower.
    """

    centre_in: float
    edge_in: float
    sigma_in: float
    centre_segment_in: tuple[PointIn, PointIn]
    edge_segment_in: tuple[PointIn, PointIn]
    rise_in: float = 0.0

    def turned(self) -> Range:
        """The same range, measured from the other end."""
        ends = (self.centre_segment_in[::-1], self.edge_segment_in[::-1])
        return Range(self.centre_in, self.edge_in, self.sigma_in, *ends, -self.rise_in)

    def within(self, limit_in: float) -> Comparison:
        """Whether the bases' edges are at most this far apart along the table."""
        return at_most(self.edge_in, limit_in, self.sigma_in)

    def contact(self) -> Comparison:
        """Whether the bases touch.

        Two bases cannot stand in the same place: if they were measured as touching or overlapping, they are in contact
        whatever the error.
        """
        return Comparison.IN if self.edge_in == 0 else self.within(0.0)


def base_area(figure: Figure) -> Polygon:
    """The figure's base as a polygon. Bases are convex, so an outline that crosses itself is replaced by its hull."""
    return _area(figure.base_in)


def sides_in(area: Polygon) -> tuple[float, float]:
    """The short and the long side of the smallest rectangle round an area, however it is turned."""
    corners = get_coordinates(area.minimum_rotated_rectangle)[:3]
    short_in, long_in = sorted(math.dist(a, b) for a, b in pairwise(corners))
    return short_in, long_in


@lru_cache(maxsize=1024)  # a list of actions measures the same bases hundreds of times
def _area(base_in: Outline) -> Polygon:
    outline = Polygon(base_in)
    return outline if outline.is_valid else cast(Polygon, outline.convex_hull)


def range_between(a: Figure, b: Figure, sigma_in: float | None = None) -> Range:
    """The range along the table between two figures.

    Args:
        a, b: The figures.
        sigma_in: Standard deviation of the distance if it is better known than from the two places alone, because
            shared errors cancel; by default the errors of the two places are taken as independent.
    """
    base_a, base_b = base_area(a), base_area(b)
    return Range(
        centre_in=math.dist(a.centre_in, b.centre_in),
        edge_in=_gap_in(base_a, base_b),
        sigma_in=math.hypot(a.sigma_in, b.sigma_in) if sigma_in is None else sigma_in,
        centre_segment_in=(a.centre_in, b.centre_in),
        edge_segment_in=_nearest(base_a, base_b),
        rise_in=b.z_in - a.z_in,
    )


def range_to(figure: Figure, marked_in: Outline, z_in: float = 0.0, sigma_in: float = 0.0) -> Range:
    """The range along the table from a figure to a point, a line or an area.

    Args:
        figure: The figure.
        marked_in: One point, two ends of a line, or three and more corners of an area.
        z_in: Height of the marked place.
        sigma_in: One standard deviation of the marked place along one axis.

    Returns:
        A range whose far ends are the points of the marked place nearest to the base's centre and to its edge.

    Raises:
        UserError: if there is no point, or an area's outline crosses itself.
    """
    base, target, centre = base_area(figure), _geometry(marked_in), Point(figure.centre_in)
    return Range(
        centre_in=float(centre.distance(target)),
        edge_in=_gap_in(base, target),
        sigma_in=math.hypot(figure.sigma_in, sigma_in),
        centre_segment_in=_nearest(centre, target),
        edge_segment_in=_nearest(base, target),
        rise_in=z_in - figure.z_in,
    )


def _geometry(points_in: Outline) -> BaseGeometry:
    if not points_in:
        raise user_error("there is nothing to measure to: mark a point, a line or an area")
    if len(points_in) > 2:
        return area_of(points_in)
    return Point(points_in[0]) if len(points_in) == 1 else LineString(points_in)


def _gap_in(a: BaseGeometry, b: BaseGeometry) -> float:
    found_in = float(a.distance(b))
    return 0.0 if found_in < TOUCHING_IN else found_in


def _nearest(a: BaseGeometry, b: BaseGeometry) -> tuple[PointIn, PointIn]:
    near_a, near_b = (point.coords[0] for point in nearest_points(a, b))
    return (near_a[0], near_a[1]), (near_b[0], near_b[1])


OVERLAY_KINDS = frozenset({TerrainKind.ROAD, TerrainKind.BRIDGE})
"""Terrain that lies on top of other ground; the ground beneath it does not count."""

GROUND = frozenset(
    {
        TerrainKind.WOODS,
        TerrainKind.TREE,
        TerrainKind.BUSH,
        TerrainKind.WATER,
        TerrainKind.SHALLOW_WATER,
        TerrainKind.MARSH,
        TerrainKind.DESERT,
        TerrainKind.MOUNTAIN,
        TerrainKind.ROUGH,
        TerrainKind.TRENCH,
        TerrainKind.FOXHOLE,
    }
)
"""Ground that does not count beneath a road or a bridge. A wall or wire across a road still counts, and so does a hill
under it."""

STANDABLE_KINDS = frozenset({TerrainKind.HILL, TerrainKind.BRIDGE, TerrainKind.MOUNTAIN})
"""Terrain on whose upper side figures stand."""


def surface_in(at_in: PointIn, terrain: Iterable[TerrainPiece]) -> float:
    """Height of the surface at a place: the top of the highest hill or bridge there, else 0, the table."""
    spot, candidates = Point(at_in), (piece for piece in terrain if piece.kind in STANDABLE_KINDS)
    return max((piece.top_in for piece in candidates if Polygon(piece.outline_in).covers(spot)), default=0.0)


def counting(pieces: Iterable[TerrainPiece]) -> tuple[TerrainPiece, ...]:
    """The pieces at one place that count there: without the ground beneath a road or a bridge."""
    here = tuple(pieces)
    if not any(piece.kind in OVERLAY_KINDS for piece in here):
        return here
    return tuple(piece for piece in here if piece.kind not in GROUND)


@dataclass(frozen=True, slots=True)
class Share:
    """The part of a base's area, above 0 and up to 1, that stands on a piece; `piece` is None for the open table."""

    piece: TerrainPiece | None
    fraction: float


def standing_on(figure: Figure, terrain: Iterable[TerrainPiece]) -> tuple[Share, ...]:
    """The terrain under a base as shares that add up to 1, the largest first.

    Where pieces overlap, the uppermost counts: a road or a bridge, otherwise the piece with the smaller outline, such
    as a foxhole in the woods. To get the woods on a hill without the hill, leave the hill out of `terrain`.
    """
    return _shares(base_area(figure), _uppermost_first(terrain))


def held_by(figure: Figure, terrain: Iterable[TerrainPiece]) -> tuple[TerrainPiece, ...]:
    """The pieces that a figure stands inside with the larger part of its base.

    Where several pieces of one kind hold it only together, such as two woods side by side, the largest part counts.
    """
    base, half = base_area(figure), 0.5 + EXACT
    near = [piece for piece in terrain if boxes_meet(figure.base_in, piece.outline_in)]
    parts = [base.intersection(Polygon(piece.outline_in)).area / base.area for piece in near]

    def holds(piece: TerrainPiece, part: float) -> bool:
        alike = [other for one, other in zip(near, parts, strict=True) if one.kind is piece.kind]
        return part > half or (part == max(alike) and sum(alike) > half)

    return tuple(piece for piece, part in zip(near, parts, strict=True) if holds(piece, part))


def ground_under(figure: Figure, terrain: Iterable[TerrainPiece]) -> Choice[TerrainPiece | None]:
    """The terrain under the largest share of a base, None for the open table, and what else it may be within the
    figure's position error.
    """
    base, layers = base_area(figure), _uppermost_first(terrain)
    found = [_shares(translate(base, *shift), layers)[0].piece for shift in doubtful_shifts(figure.sigma_in)]
    return choice(found[0], found)


def _uppermost_first(terrain: Iterable[TerrainPiece]) -> list[tuple[TerrainPiece, Polygon]]:
    areas = [(piece, Polygon(piece.outline_in)) for piece in terrain]
    return sorted(areas, key=lambda layer: (layer[0].kind not in OVERLAY_KINDS, layer[1].area))


def _shares(base: Polygon, layers: Sequence[tuple[TerrainPiece, Polygon]]) -> tuple[Share, ...]:
    rest: BaseGeometry = base
    shares = []
    for piece, area in layers:
        if rest.intersects(area):
            shares.append(Share(piece, rest.intersection(area).area / base.area))
            rest = rest.difference(area)
    shares.append(Share(None, rest.area / base.area))
    return tuple(sorted((share for share in shares if share.fraction > EXACT), key=lambda share: -share.fraction))


def chain(squad: Sequence[Figure]) -> tuple[Range, ...]:
    """The links that join a squad over the smallest gaps, one fewer than its figures: its minimum spanning tree.

    By Prim's algorithm: always add the figure nearest to those already joined.
    """
    links: list[Range] = []
    waiting = list(squad[1:])
    best = {other.id: range_between(squad[0], other) for other in waiting}
    while waiting:
        newest = min(waiting, key=lambda other: (best[other.id].edge_in, other.id))
        waiting.remove(newest)
        links.append(best[newest.id])
        for other in waiting:
            best[other.id] = min(best[other.id], range_between(newest, other), key=lambda link: link.edge_in)
    return tuple(links)


def ahead_of(leader: Figure, squad: Sequence[Figure], toward_deg: float) -> tuple[str, ...]:
    """The figures that are certainly farther along the direction than the leader."""
    front = forwardness_in(leader, toward_deg)
    return tuple(
        other.id
        for other in squad
        if at_most(forwardness_in(other, toward_deg), front, math.hypot(leader.sigma_in, other.sigma_in))
        is Comparison.OUT
    )


def forwardness_in(figure: Figure, toward_deg: float) -> float:
    """How far along a direction the centre of a base lies; only differences between figures mean anything."""
    turn = math.radians(toward_deg)
    return figure.x_in * math.cos(turn) + figure.y_in * math.sin(turn)
