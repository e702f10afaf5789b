"""Templates on the table (discs, wedges, flames, strips and zones), and the part of each base under them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import shapely
from shapely.affinity import translate
from shapely.geometry import LineString, Point, Polygon
from shapely.geometry.base import BaseGeometry

from rules.tabletop.bearing import onward
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.measure import base_area
from rules.tabletop.table import Figure, Outline, PointIn, area_of
from rules.tabletop.tolerance import DOUBT_SIGMAS, doubtful_shifts


@dataclass(frozen=True, slots=True)
class Blast:
    """A disc on the table.

    Raises:
        UserError: if the radius is not a positive number or the centre is not finite.
    """

    centre_in: PointIn
    radius_in: float

    def __post_init__(self) -> None:
        _check("a blast", self.centre_in, radius=self.radius_in)

    @classmethod
    def across(cls, centre_in: PointIn, diameter_in: float) -> Blast:
        """A disc given by its diameter, as the rulebooks print it."""
        return cls(centre_in, diameter_in / 2)


@dataclass(frozen=True, slots=True)
class Wedge:
    """A sector of a disc, `angle_deg` wide, centred on the direction `toward_deg` from its apex.

    Raises:
        UserError: if the radius is not a positive number, the angle not above 0 and below 180 or a place not finite.
    """

    apex_in: PointIn
    toward_deg: float
    radius_in: float
    angle_deg: float

    def __post_init__(self) -> None:
        _check("a wedge", (*self.apex_in, self.toward_deg), radius=self.radius_in, angle=self.angle_deg)
        if self.angle_deg >= 180:
            raise UserError(f"the angle of a wedge must be below 180 degrees, not {self.angle_deg:g}")


@dataclass(frozen=True, slots=True)
class Flame:
    """A triangle with its apex at the figure, `length_in` long and `width_in` wide at the far end.

    Raises:
        UserError: if the length or the width is not a positive number or a place is not finite.
    """

    apex_in: PointIn
    toward_deg: float
    length_in: float
    width_in: float

    def __post_init__(self) -> None:
        _check("a flame", (*self.apex_in, self.toward_deg), length=self.length_in, width=self.width_in)


@dataclass(frozen=True, slots=True)
class Strip:
    """A lane of constant width along a path, with square ends and mitred corners.

    Raises:
        UserError: if the width is not a positive number, a place is not finite or the path has no length.
    """

    path_in: Outline
    width_in: float

    def __post_init__(self) -> None:
        _check("a strip", [v for point in self.path_in for v in point], width=self.width_in)
        if len(set(self.path_in)) < 2:
            raise user_error("a strip needs two different points: mark a second one")


@dataclass(frozen=True, slots=True)
class Zone:
    """An area with any outline, such as an objective.

    Raises:
        UserError: if the outline has fewer than three points, crosses itself or has no area.
    """

    outline_in: Outline

    def __post_init__(self) -> None:
        area_of(self.outline_in)


_ROUNDING = 1e-12
"""Rounding error of areas: fractions this close to 0 or 1 are rounded."""

Template = Blast | Wedge | Flame | Strip | Zone


def _check(what: str, places: Iterable[float], **sizes: float) -> None:
    if not all(math.isfinite(v) for v in places):
        raise UserError(f"{what} needs finite coordinates: place it on the table again")
    for name, size in sizes.items():
        if not (math.isfinite(size) and size > 0):
            raise UserError(f"{what} needs a {name} above 0, not {size:g}")


@dataclass(frozen=True, slots=True)
class Hit:
    """A figure that is or may be under a template.

    Attributes:
        id: The figure.
        fraction: Part of its base's area that is inside, 0 to 1.
        least, most: Bounds of that part if the places of figure and template are wrong by up to `DOUBT_SIGMAS` standard
            deviations in any direction; both are equal to `fraction` if the places are exactly known.
    """

    id: str
    fraction: float
    least: float
    most: float


def under_blast(blast: Blast, figures: Iterable[Figure]) -> tuple[Hit, ...]:
    """Every figure of any side whose base reaches into the blast, most covered first."""
    return tuple(hit for hit in under(blast, figures) if hit.fraction > 0)


def under(template: Template, figures: Iterable[Figure], sigma_in: float = 0.0) -> tuple[Hit, ...]:
    """Every figure of any side whose base is or may be under a template, most covered first.

    Args:
        template: The template.
        figures: The figures to check.
        sigma_in: One standard deviation of the template's own place along one axis.
    """
    hits = (_hit(template, figure, math.hypot(figure.sigma_in, sigma_in)) for figure in figures)
    return tuple(sorted((hit for hit in hits if hit.most > 0), key=lambda hit: (-hit.fraction, -hit.most, hit.id)))


def _hit(template: Template, figure: Figure, sigma_in: float) -> Hit:
    base = base_area(figure)
    if _out_of_reach(template, base, DOUBT_SIGMAS * sigma_in):
        return Hit(figure.id, 0.0, 0.0, 0.0)
    # A round base is drawn with corners, so that one that only touches the rim is a few millionths inside.
    parts = [round(_fraction(template, translate(base, *shift)), 5) for shift in doubtful_shifts(sigma_in)]
    return Hit(figure.id, parts[0], min(parts), max(parts))


def _out_of_reach(template: Template, base: Polygon, doubt_in: float) -> bool:
    """A cheap test that avoids the exact computation for most figures."""
    match template:
        case Blast(burst, radius) | Wedge(burst, _, radius, _):
            return bool(base.distance(Point(burst)) > radius + doubt_in)
        case _:
            return bool(base.distance(_straight_sided(template)) > doubt_in)


def fraction_inside(template: Template, outline_in: Outline) -> float:
    """Exact part of a polygon's area inside the template, 0 to 1 (0 for an outline without area)."""
    return _fraction(template, area_of(outline_in)) if Polygon(outline_in).area else 0.0


def _fraction(template: Template, base: Polygon) -> float:
    match template:
        case Blast(centre, radius):
            inside = _disc_area(centre, radius, base)
        case Wedge(apex, toward, radius, angle):
            inside = _disc_area(apex, radius, base.intersection(_cone(apex, toward, angle, base)))
        case _:
            inside = base.intersection(_straight_sided(template)).area
    fraction = float(inside / base.area)
    return float(round(fraction)) if min(abs(fraction), abs(1 - fraction)) < _ROUNDING else fraction


def _straight_sided(template: Flame | Strip | Zone) -> Polygon:
    match template:
        case Flame(apex, toward, length, width):
            far = onward(apex, toward, length)
            return Polygon((apex, onward(far, toward - 90, width / 2), onward(far, toward + 90, width / 2)))
        case Strip(path, width):
            return LineString(path).buffer(width / 2, cap_style="flat", join_style="mitre")
        case Zone(outline):
            return Polygon(outline)


def drawn(template: Template, step_deg: float = 3.0) -> Outline:
    """The template's outline for a picture; an arc is drawn in chords of about `step_deg`."""
    match template:
        case Blast(centre, radius):
            return _arc(centre, radius, 0.0, 360.0, step_deg)[:-1]
        case Wedge(apex, toward, radius, angle):
            return (apex, *_arc(apex, radius, toward - angle / 2, angle, step_deg))
        case _:
            return tuple((x, y) for x, y, *_ in _straight_sided(template).exterior.coords[:-1])


def _arc(centre: PointIn, radius: float, from_deg: float, sweep_deg: float, step_deg: float) -> Outline:
    count = math.ceil(sweep_deg / step_deg)
    return tuple(onward(centre, from_deg + sweep_deg * k / count, radius) for k in range(count + 1))


def _cone(apex: PointIn, toward_deg: float, angle_deg: float, base: Polygon) -> Polygon:
    """The triangle between the wedge's two sides, extended beyond the base."""
    reach_in = shapely.hausdorff_distance(Point(apex), base)
    side_in = (reach_in + 1) / math.cos(math.radians(angle_deg) / 2)
    return Polygon((apex, *(onward(apex, toward_deg + off, side_in) for off in (-angle_deg / 2, angle_deg / 2))))


def _disc_area(centre: PointIn, radius: float, area: BaseGeometry) -> float:
    """Exact overlap of a disc and polygons without holes.

    It is summed over the edges, each seen from the disc's centre: a triangle where the edge is inside the circle, a
    sector where it is outside (the usual closed form for the overlap of a disc and a polygon).
    """
    polygons = [part for part in shapely.get_parts(area) if isinstance(part, Polygon)]
    rings = ([(x - centre[0], y - centre[1]) for x, y, *_ in part.exterior.coords] for part in polygons)
    return sum(abs(sum(_edge_area(p, q, radius) for p, q in pairwise(ring))) for ring in rings)


def _cross(p: PointIn, q: PointIn) -> float:
    return p[0] * q[1] - p[1] * q[0]


def _sector(p: PointIn, q: PointIn, radius: float) -> float:
    return radius * radius * math.atan2(_cross(p, q), p[0] * q[0] + p[1] * q[1]) / 2


def _edge_area(p: PointIn, q: PointIn, radius: float) -> float:
    """Signed area of the part of the triangle (centre, p, q) inside the circle around the centre."""
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
    # Ends inside the circle are used unchanged, because recomputing one at the centre would lose its direction.
    a = (p[0] + enter * dx, p[1] + enter * dy) if enter > 0 else p
    b = (p[0] + leave * dx, p[1] + leave * dy) if leave < 1 else q
    return _sector(p, a, radius) + _cross(a, b) / 2 + _sector(b, q, radius)
