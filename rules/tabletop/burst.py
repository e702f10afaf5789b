"""Which part of an area an explosion reaches past the walls around it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

import shapely
from shapely.geometry import Point, Polygon
from shapely.geometry.base import BaseGeometry

from rules.tabletop.table import PointIn, TerrainPiece

EDGE_ON_IN = 1e-9
"""An edge whose line passes nearer to the burst than this is seen edge-on and skipped: the wall's other edges cast the
shadow."""


def reached(area: BaseGeometry, burst_in: PointIn, walls: Iterable[TerrainPiece]) -> BaseGeometry:
    """The part of an area that is neither inside a wall nor behind one, seen from the burst.

    A piece whose outline contains the burst, such as a building, confines it.
    """
    spot = Point(burst_in)
    reach_in = float(shapely.hausdorff_distance(spot, area)) if not area.is_empty else 0.0
    outlines = [Polygon(wall.outline_in) for wall in walls]
    for enclosing in [outline for outline in outlines if outline.contains(spot)]:
        area = area.intersection(enclosing)
    near = [outline for outline in outlines if not outline.contains(spot) and outline.distance(spot) < reach_in]
    return area.difference(shapely.union_all([_shadow(outline, burst_in, reach_in) for outline in near]))


def _shadow(wall: Polygon, burst_in: PointIn, reach_in: float) -> BaseGeometry:
    """The wall's outline and the area behind it, to at least `reach_in` from the burst."""
    corners = [(x, y) for x, y, *_ in wall.exterior.coords]
    behind = [_behind(a, b, burst_in, reach_in) for a, b in pairwise(corners) if a != b]
    return shapely.union_all([wall, *(part for part in behind if part is not None)])


def _behind(a: PointIn, b: PointIn, burst_in: PointIn, reach_in: float) -> Polygon | None:
    """The quadrilateral behind an edge, between the lines from the burst through its two ends; None if edge-on."""
    off_in = _distance_from_line(a, b, burst_in)
    if off_in < EDGE_ON_IN:
        return None
    grow = max(1.0, 2 * reach_in / off_in)
    far_a, far_b = (
        (burst_in[0] + grow * (end[0] - burst_in[0]), burst_in[1] + grow * (end[1] - burst_in[1])) for end in (a, b)
    )
    return Polygon((a, b, far_b, far_a))


def _distance_from_line(a: PointIn, b: PointIn, point: PointIn) -> float:
    cross = (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0])
    return abs(cross) / math.dist(a, b)
