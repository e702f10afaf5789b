"""Templates laid on the table: the blast disc, and how much of each base is under it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from rules.table import Figure, Outline, PointIn, Refused


@dataclass(frozen=True, slots=True)
class Blast:
    """A disc on the table.

    Raises:
        Refused: if the radius is not a positive number or the centre is not finite.
    """

    centre_in: PointIn
    radius_in: float

    def __post_init__(self) -> None:
        if not all(math.isfinite(v) for v in self.centre_in):
            raise Refused(f"a blast needs a place on the table, not {self.centre_in}")
        if not (math.isfinite(self.radius_in) and self.radius_in > 0):
            raise Refused(f"a blast needs a radius above 0 in, not {self.radius_in:g}")


@dataclass(frozen=True, slots=True)
class Hit:
    """A figure under a template; `fraction` of its base's area, above 0 and up to 1."""

    id: str
    fraction: float


def under_blast(blast: Blast, figures: Iterable[Figure]) -> tuple[Hit, ...]:
    """Every figure whose base reaches into the blast, most covered first."""
    hits = [Hit(figure.id, fraction_inside(blast, figure.base_in)) for figure in figures]
    return tuple(sorted((hit for hit in hits if hit.fraction > 0), key=lambda hit: (-hit.fraction, hit.id)))


def fraction_inside(blast: Blast, outline_in: Outline) -> float:
    """Exact part of a polygon's area inside the disc, 0 to 1 (0 for an outline without area).

    The overlap is summed over the edges, each seen from the disc's centre: a triangle where the edge runs inside
    the circle, a sector where it runs outside (the usual closed form for the area of disc and polygon).
    """
    points = [(x - blast.centre_in[0], y - blast.centre_in[1]) for x, y in outline_in]
    edges = list(zip(points, points[1:] + points[:1], strict=True))
    area = sum(_cross(p, q) for p, q in edges) / 2
    if area == 0:
        return 0.0
    inside = sum(_edge_area(p, q, blast.radius_in) for p, q in edges)
    fraction = inside / area
    return 0.0 if fraction < 1e-12 else min(1.0, fraction)


def _cross(p: PointIn, q: PointIn) -> float:
    return p[0] * q[1] - p[1] * q[0]


def _sector(p: PointIn, q: PointIn, radius: float) -> float:
    return radius * radius * math.atan2(_cross(p, q), p[0] * q[0] + p[1] * q[1]) / 2


def _edge_area(p: PointIn, q: PointIn, radius: float) -> float:
    """Signed area of the triangle (centre, p, q) inside the circle round the centre."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    length2 = dx * dx + dy * dy
    if length2 == 0:
        return 0.0
    nearest = -(p[0] * dx + p[1] * dy) / length2
    away2 = _cross(p, q) ** 2 / length2
    if away2 >= radius * radius:
        return _sector(p, q, radius)
    reach = math.sqrt((radius * radius - away2) / length2)
    enter, leave = max(0.0, nearest - reach), min(1.0, nearest + reach)
    if enter >= leave:
        return _sector(p, q, radius)
    a, b = (p[0] + enter * dx, p[1] + enter * dy), (p[0] + leave * dx, p[1] + leave * dy)
    return _sector(p, a, radius) + _cross(a, b) / 2 + _sector(b, q, radius)
