"""Ranges between figures and to things on the table, with their standard deviation, and range bands."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

from shapely.geometry import LineString, Point, Polygon
from shapely.geometry.base import BaseGeometry
from shapely.ops import nearest_points

from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, Outline, PointIn, area_of
from rules.tabletop.tolerance import DOUBT_SIGMAS, EXACT, Call, Choice, at_most, choice


@dataclass(frozen=True, slots=True)
class Range:
    """A measured distance on the table.

    Attributes:
        centre_in: From base centre to base centre.
        edge_in: From nearest base edge to nearest base edge; 0 where the bases touch or overlap.
        sigma_in: One standard deviation of either, over the table or aslant.
        centre_segment_in, edge_segment_in: The two ends of what was measured.
        rise_in: How much higher the far end stands than the near one; negative where it stands lower.
    """

    centre_in: float
    edge_in: float
    sigma_in: float
    centre_segment_in: tuple[PointIn, PointIn]
    edge_segment_in: tuple[PointIn, PointIn]
    rise_in: float = 0.0

    @property
    def slant_centre_in(self) -> float:
        """From base centre to base centre through the air; the games that ship measure over the table."""
        return math.hypot(self.centre_in, self.rise_in)

    @property
    def slant_edge_in(self) -> float:
        """From nearest base edge to nearest base edge through the air, as `slant_centre_in`."""
        return math.hypot(self.edge_in, self.rise_in)

    def turned(self) -> Range:
        """The same distance, measured from the other end."""
        ends = (self.centre_segment_in[::-1], self.edge_segment_in[::-1])
        return Range(self.centre_in, self.edge_in, self.sigma_in, *ends, -self.rise_in)

    def within(self, limit_in: float) -> Call:
        """Whether the bases' edges are at most this far apart over the table."""
        return at_most(self.edge_in, limit_in, self.sigma_in)

    def contact(self, slack_in: float = 0.0) -> Call:
        """Whether the bases touch; `slack_in` is the gap that still counts as touching.

        Two bases cannot stand in one place: where they are found to touch or overlap, they are in contact, whatever
        the error.
        """
        return Call.IN if self.edge_in == 0 else self.within(slack_in)


def base_area(figure: Figure) -> Polygon:
    """The figure's base as a polygon. Bases are convex: an outline that crosses itself is mended to its hull."""
    outline = Polygon(figure.base_in)
    return outline if outline.is_valid else cast(Polygon, outline.convex_hull)


def range_between(a: Figure, b: Figure, sigma_in: float | None = None) -> Range:
    """Distance over the table between two figures.

    Args:
        a, b: The figures.
        sigma_in: Standard deviation of the distance where it is known better than from the two places alone
            (errors that both share cancel); by default both places' deviations, taken as independent.
    """
    base_a, base_b = base_area(a), base_area(b)
    return Range(
        centre_in=math.dist(a.centre_in, b.centre_in),
        edge_in=float(base_a.distance(base_b)),
        sigma_in=math.hypot(a.sigma_in, b.sigma_in) if sigma_in is None else sigma_in,
        centre_segment_in=(a.centre_in, b.centre_in),
        edge_segment_in=_nearest(base_a, base_b),
        rise_in=b.z_in - a.z_in,
    )


def range_to(figure: Figure, marked_in: Outline, z_in: float = 0.0, sigma_in: float = 0.0) -> Range:
    """Distance over the table from a figure to a spot, a line or an area.

    Args:
        figure: The figure.
        marked_in: One point is a spot, two are a line, three and more go round an area.
        z_in: The height of what was marked.
        sigma_in: One standard deviation of its place along one axis.

    Returns:
        A range whose far end is the nearest point of what was marked, seen from the base's centre and from its edge.

    Raises:
        UserError: if there is no point, or an area's outline crosses itself.
    """
    base, thing, centre = base_area(figure), _marked(marked_in), Point(figure.centre_in)
    return Range(
        centre_in=float(centre.distance(thing)),
        edge_in=float(base.distance(thing)),
        sigma_in=math.hypot(figure.sigma_in, sigma_in),
        centre_segment_in=_nearest(centre, thing),
        edge_segment_in=_nearest(base, thing),
        rise_in=z_in - figure.z_in,
    )


def _marked(points_in: Outline) -> BaseGeometry:
    if not points_in:
        raise UserError("there is nothing to measure to: mark a spot, a line or an area")
    if len(points_in) > 2:
        return area_of(points_in)
    return Point(points_in[0]) if len(points_in) == 1 else LineString(points_in)


def _nearest(a: BaseGeometry, b: BaseGeometry) -> tuple[PointIn, PointIn]:
    near_a, near_b = (point.coords[0] for point in nearest_points(a, b))
    return (near_a[0], near_a[1]), (near_b[0], near_b[1])


@dataclass(frozen=True, slots=True)
class Bands:
    """A measuring rod: ascending marks that part all distances into bands.

    Band k holds what lies beyond the k marks before it and at most at the next one; band `len(marks_in)` is what
    lies beyond the rod. A distance exactly at a mark belongs to the band that ends there.

    Attributes:
        marks_in: The marks' distances from the rod's near end.
        bold_in: Those of them that the rod sets off in another colour.

    Raises:
        UserError: if the marks do not ascend from 0 or more, or a bold one is none of them.
    """

    marks_in: tuple[float, ...]
    bold_in: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        ascending = all(a < b for a, b in pairwise(self.marks_in))
        if not self.marks_in or not ascending or self.marks_in[0] < 0 or not math.isfinite(self.marks_in[-1]):
            raise UserError(f"range bands need marks that ascend from 0 or more, not {self.marks_in}")
        if not set(self.bold_in) <= set(self.marks_in):
            raise UserError(f"the range rod can set off only its own marks in colour, not {self.bold_in}")

    def band(self, distance_in: float, sigma_in: float = 0.0) -> Choice[int]:
        """The band a distance falls into, and the others within its error."""
        doubt = DOUBT_SIGMAS * sigma_in
        first, last = self._index(distance_in - doubt), self._index(distance_in + doubt)
        return choice(self._index(distance_in), range(first, last + 1))

    def _index(self, distance_in: float) -> int:
        return bisect_left(self.marks_in, distance_in - EXACT)


def stepped(step_in: float, count: int, bold_in: tuple[float, ...] = ()) -> Bands:
    """A rod with a mark at its near end and one after every step: band k is "within k steps", band 0 contact."""
    if not (math.isfinite(step_in) and step_in > 0 and count > 0):
        raise UserError(f"a range rod needs steps above 0 in and at least one of them, not {count} of {step_in:g} in")
    return Bands(tuple(k * step_in for k in range(count + 1)), bold_in)
