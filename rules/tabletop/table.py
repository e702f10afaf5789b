"""Figures, postures, terrain pieces and outlines in table coordinates.

Table coordinates are in inches and right-handed: x right along the near edge, y away from it, z up from the surface.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from shapely.geometry import Polygon

from rules.tabletop.errors import UserError, user_error
from rules.tabletop.translation import tr

FloatArray = npt.NDArray[np.float64]
PointIn = tuple[float, float]
Point3In = tuple[float, float, float]
Outline = tuple[PointIn, ...]

STANDING_HEIGHT_IN = 2.1
"""Height of a standing 54 mm figure above its surface."""

MOST_CORNERS = 1000
"""Limit of corners of one outline: enough for one every few millimetres around the largest piece. With a hundred times
as many, the check for self-intersection takes minutes."""

MAX_PIECES = 500
"""Terrain pieces in one file; a crowded table has 40."""
FARTHEST_IN = 1000.0
"""Largest coordinate; more indicates another unit or a typing error."""

_NO_AREA = 1e-9  # square inches: more than rounding errors give to points on one line


class Posture(StrEnum):
    """How a figure stands or lies; `DOWN` is a casualty lying on the table."""

    STANDING = "standing"
    KNEELING = "kneeling"
    PRONE = "prone"
    DOWN = "down"
    VEHICLE = "vehicle"


POSTURE_HEIGHT_IN = {
    Posture.STANDING: STANDING_HEIGHT_IN,
    Posture.KNEELING: 1.5,
    Posture.PRONE: 0.5,
    Posture.DOWN: 0.5,
    Posture.VEHICLE: 1.6,
}
"""Height of a 54 mm figure by posture; for other scales it is multiplied by their standing height / 2.1."""

SURE_OF_POSTURE = 0.9
"""Confidence from which a posture counts as certain: of the surer ones, 97 % are right."""


class TerrainKind(StrEnum):
    """Kind of a terrain piece; the rulesets define the effects of each kind."""

    HILL = "hill"
    BUILDING = "building"
    BUNKER = "bunker"
    WALL = "wall"
    LOW_WALL = "low_wall"
    FENCE = "fence"
    HEDGE = "hedge"
    TREE = "tree"
    WOODS = "woods"
    BUSH = "bush"
    ROCKS = "rocks"
    SANDBAGS = "sandbags"
    FOXHOLE = "foxhole"
    TRENCH = "trench"
    WATER = "water"
    SHALLOW_WATER = "shallow_water"
    MARSH = "marsh"
    DESERT = "desert"
    MOUNTAIN = "mountain"
    ROAD = "road"
    BRIDGE = "bridge"
    WIRE = "wire"
    TANK_OBSTACLE = "tank_obstacle"
    MINE = "mine"
    SMOKE = "smoke"
    ROUGH = "rough"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Figure:
    """One soldier or vehicle, located by the centre of its base (for a casualty, of its outline).

    Attributes:
        id: Permanent name of the figure, such as "green-1".
        army: Name of its army.
        x_in, y_in: Centre of the base.
        z_in: Height of the surface the figure stands on.
        sigma_in: One standard deviation of the place along one axis.
        posture: Standing, kneeling, prone, down or vehicle.
        base_in: Outline of the base: at least three points, in order.
        facing_deg: Counter-clockwise from +x; None if unknown.
        confidence: Probability, 0 to 1, that this is a figure of this army.
        posture_confidence: Probability, 0 to 1, that the posture is right.
        second_posture: The next likeliest posture; None if the posture is known.

    Raises:
        UserError: if a number is not finite, sigma is negative, a confidence is outside 0..1, or the base has
            fewer than three points or no area.
    """

    id: str
    army: str
    x_in: float
    y_in: float
    z_in: float
    sigma_in: float
    posture: Posture
    base_in: Outline
    facing_deg: float | None = None
    confidence: float = 1.0
    posture_confidence: float = 1.0
    second_posture: Posture | None = None

    def __post_init__(self) -> None:
        if not all(math.isfinite(v) for v in (self.x_in, self.y_in, self.z_in, self.sigma_in)):
            raise UserError(
                f"figure {self.id!r} needs finite coordinates, not {(self.x_in, self.y_in, self.z_in, self.sigma_in)}"
            )
        if self.sigma_in < 0:
            raise UserError(f"figure {self.id!r} needs a standard deviation of 0 or more, not {self.sigma_in}")
        for confidence in (self.confidence, self.posture_confidence):
            if not 0 <= confidence <= 1:
                raise UserError(f"figure {self.id!r} needs a confidence from 0 to 1, not {confidence}")
        if self.facing_deg is not None and not math.isfinite(self.facing_deg):
            raise UserError(f"figure {self.id!r} needs a finite facing or none, not {self.facing_deg}")
        _check_points(f"the base of figure {self.id!r}", self.base_in)
        if _swept(self.base_in) < _NO_AREA:
            raise UserError(f"the base of figure {self.id!r} has no area: draw its outline again")

    @property
    def centre_in(self) -> PointIn:
        """Centre of the base, (x, y)."""
        return (self.x_in, self.y_in)

    @property
    def possible_postures(self) -> tuple[Posture, ...]:
        """The posture and, unless it is certain, the next likeliest one."""
        if self.second_posture is None or self.posture_confidence >= SURE_OF_POSTURE:
            return (self.posture,)
        return (self.posture, self.second_posture)


@dataclass(frozen=True, slots=True)
class TerrainPiece:
    """A prism over `outline_in`, filled from `base_in` up to `base_in + height_in`.

    Raises:
        UserError: if the outline has fewer than three points, crosses itself or has no area, a number is not finite
            or the height is negative.
    """

    name: str
    kind: TerrainKind
    outline_in: Outline
    base_in: float = 0.0
    height_in: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.base_in) and math.isfinite(self.height_in)):
            raise UserError(f"terrain {self.name!r} needs finite heights, not {self.base_in} and {self.height_in}")
        if self.height_in < 0:
            raise UserError(f"terrain {self.name!r} needs a height of 0 or more, not {self.height_in}")
        area_of(self.outline_in, tr("the outline of terrain {name!r}", name=self.name))

    @property
    def top_in(self) -> float:
        """Height of the upper side above the table."""
        return self.base_in + self.height_in


def area_of(outline_in: Outline, what: str = "") -> Polygon:
    """The polygon of an outline.

    Raises:
        UserError: if the outline has fewer than three points or one that is not finite, crosses itself or has no area;
            the message names `what`.
    """
    what = what or tr("an outline on the table")
    _check_points(what, outline_in)
    area = Polygon(outline_in)
    if not area.is_valid or area.area == 0:
        fault = tr("it has no area") if area.is_valid else tr("it crosses itself")
        raise user_error("{what} must go around its area once ({reason}): draw it again", what=what, reason=fault)
    return area


def _check_points(what: str, outline_in: Outline) -> None:
    if len(outline_in) < 3:
        raise user_error(
            "{what} has {count} points, but an area needs three: draw it again", what=what, count=len(outline_in)
        )
    if len(outline_in) > MOST_CORNERS:
        raise user_error(
            "{what} has {count:,} corners, more than {most:,}: draw it with fewer",
            what=what,
            count=len(outline_in),
            most=MOST_CORNERS,
        )
    if any(len(point) != 2 for point in outline_in):
        raise user_error("{what} has a point that is not [x, y]: draw it again", what=what)
    if not all(math.isfinite(v) for point in outline_in for v in point):
        raise user_error("{what} has a coordinate that is not finite: draw it again", what=what)


def boxes_meet(a_in: Outline, b_in: Outline, reach_in: float = 0.0) -> bool:
    """Whether the boxes round two outlines are at most so far apart: a quick look that spares an exact one."""
    sides = zip(zip(*a_in, strict=True), zip(*b_in, strict=True), strict=True)
    return all(min(b) - max(a) <= reach_in and min(a) - max(b) <= reach_in for a, b in sides)


def _swept(outline_in: Outline) -> float:
    """Twice the sum of the absolute areas of the triangles between the first corner and each edge.

    It is 0 if all corners lie on one line. Unlike the signed area, it is not 0 for an outline that crosses itself.
    """
    x0, y0 = outline_in[0]
    arms = [(x - x0, y - y0) for x, y in outline_in[1:]]
    return sum(abs(ax * by - ay * bx) for (ax, ay), (bx, by) in pairwise(arms))


def ellipse_outline(
    centre_in: PointIn, half_length_in: float, half_width_in: float, turn_deg: float = 0.0, points: int = 24
) -> Outline:
    """Outline of an ellipse as a polygon with the area of the ellipse (not the inscribed polygon).

    `half_length_in` lies along `turn_deg`, counter-clockwise from +x.
    """
    step = 2 * math.pi / points
    # Area of the regular n-gon is n/2 sin(step) r^2, the disc's n/2 step r^2.
    grow = math.sqrt(step / math.sin(step))
    c, s = grow * math.cos(math.radians(turn_deg)), grow * math.sin(math.radians(turn_deg))
    unit = [(math.cos(k * step) * half_length_in, math.sin(k * step) * half_width_in) for k in range(points)]
    return tuple((centre_in[0] + c * u - s * v, centre_in[1] + s * u + c * v) for u, v in unit)
