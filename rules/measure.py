"""Ranges between figures, with their standard deviation."""

from __future__ import annotations

import math
from dataclasses import dataclass

from shapely.geometry import Polygon
from shapely.ops import nearest_points

from rules.table import Figure, PointIn


@dataclass(frozen=True, slots=True)
class Range:
    """A measured distance on the table.

    Attributes:
        centre_in: From base centre to base centre.
        edge_in: From nearest base edge to nearest base edge; 0 where the bases touch or overlap.
        sigma_in: One standard deviation of either.
        centre_segment_in, edge_segment_in: The two ends of what was measured.
    """

    centre_in: float
    edge_in: float
    sigma_in: float
    centre_segment_in: tuple[PointIn, PointIn]
    edge_segment_in: tuple[PointIn, PointIn]

    def turned(self) -> Range:
        """The same distance, measured from the other end."""
        return Range(
            self.centre_in, self.edge_in, self.sigma_in, self.centre_segment_in[::-1], self.edge_segment_in[::-1]
        )


def range_between(a: Figure, b: Figure, sigma_in: float | None = None) -> Range:
    """Distance over the table between two figures.

    Args:
        a, b: The figures.
        sigma_in: Standard deviation of the distance where it is known better than from the two places alone
            (errors that both share cancel); by default both places' deviations, taken as independent.
    """
    base_a, base_b = Polygon(a.base_in), Polygon(b.base_in)
    near_a, near_b = (point.coords[0] for point in nearest_points(base_a, base_b))
    return Range(
        centre_in=math.dist(a.centre_in, b.centre_in),
        edge_in=float(base_a.distance(base_b)),
        sigma_in=math.hypot(a.sigma_in, b.sigma_in) if sigma_in is None else sigma_in,
        centre_segment_in=(a.centre_in, b.centre_in),
        edge_segment_in=((near_a[0], near_a[1]), (near_b[0], near_b[1])),
    )
