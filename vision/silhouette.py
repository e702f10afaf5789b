"""What a soldier looks like from above: the outline of his base and of the body that leans outwards from the camera.

Everything is drawn on a picture laid flat on the surface the figure stands on, so a base keeps its shape everywhere
and a point `h` inches up moves away from the camera's foot by `h / (camera height - h)` of its distance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2
from rules.table import STANDING_HEIGHT_IN, FloatArray, Outline, Posture, ellipse_outline

# Half sizes in inches of the bases of common 54 mm sets; others scale with their standing height.
_UPRIGHT_BASE = (0.54, 0.41)
_PRONE_BASE = (0.76, 0.35)
_LYING = (1.0, 0.28)  # a casualty: head to foot, and across the body
_TURNS = {
    (Posture.STANDING, True): 6,
    (Posture.KNEELING, True): 6,
    (Posture.PRONE, True): 8,
    (Posture.DOWN, True): 12,
    (Posture.PRONE, False): 8,
}  # by posture and whether he has a base
# Body as (height, radius) of discs whose hull is always filled, whatever the arms do.
_BODY = {
    Posture.STANDING: ((0.1, 0.22), (1.1, 0.28), (1.9, 0.19)),
    Posture.KNEELING: ((0.1, 0.32), (0.8, 0.30), (1.4, 0.19)),
}
REACH_IN = 1.5
"""Half the side of the square a silhouette is drawn in, for a 2.1 in figure."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One way a figure can stand: posture, and the way its base (or, of a casualty, its body) is turned.

    Of those who lie prone, many have no base.
    """

    posture: Posture
    turn_deg: float
    based: bool = True

    def base(self, x_in: float, y_in: float, scale: float) -> Outline:
        """Outline in inches of the base; of a casualty, of the body."""
        length, width = _UPRIGHT_BASE
        if self.posture is Posture.PRONE:
            length, width = _PRONE_BASE
        elif self.posture is Posture.DOWN:
            length, width = _LYING[0], 0.4
        return ellipse_outline((x_in, y_in), length * scale, width * scale, self.turn_deg)


@cache
def shapes() -> tuple[Shape, ...]:
    """Every shape that is tried, coarse in turn."""
    return tuple(
        Shape(posture, k * (360 if posture is Posture.DOWN else 180) / count, based)
        for (posture, based), count in _TURNS.items()
        for k in range(count)
    )


def _at(outline: FloatArray, height: float) -> FloatArray:
    return np.asarray(np.c_[outline, np.full(len(outline), height)])


def _disc(radius: float) -> FloatArray:
    return np.array(ellipse_outline((0, 0), radius, radius, points=16))


def _solids(shape: Shape) -> list[FloatArray]:
    """The convex bodies a figure is made of, each (N, 3) points in inches for a 2.1 in figure at the origin."""
    turn = math.radians(shape.turn_deg)
    along, across = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])
    if shape.posture is Posture.DOWN:
        # The base stands on its edge at one end, the body lies from there.
        body = np.vstack([_at(_disc(0.24) - 0.72 * along, 0.3), _at(_disc(0.22) + 0.75 * along, 0.5)])
        base = np.vstack([_at(_disc(0.1) + 0.9 * along + s * 0.4 * across, h) for s in (-1, 1) for h in (0.15, 0.75)])
        return [body, base]
    if not shape.based:
        return [np.vstack([_at(_disc(0.22) + s * 0.7 * along, 0.25) for s in (-1, 1)])]
    base = _at(np.array(shape.base(0, 0, 1.0)), 0.05)
    if shape.posture is Posture.PRONE:
        return [base, np.vstack([_at(_disc(0.2) + s * 0.7 * along, 0.25) for s in (-1, 1)])]
    rings = [_at(_disc(radius), height) for height, radius in _BODY[shape.posture]]
    return [base, *(np.vstack(pair) for pair in pairwise(rings))]


@cache
def _all_solids() -> tuple[FloatArray, list[tuple[int, slice]]]:
    """Points of every shape's solids, (N, 3), and for each solid its shape and the points that are its own."""
    points: list[FloatArray] = []
    parts = []
    start = 0
    for k, shape in enumerate(shapes()):
        for solid in _solids(shape):
            points.append(solid)
            parts.append((k, slice(start, start + len(solid))))
            start += len(solid)
    return np.vstack(points), parts


def draw_all(away_in: FloatArray, camera_in: float, px_per_in: float, scale: float = 1.0) -> npt.NDArray[np.uint8]:
    """Masks of every shape's silhouette, its place in the middle, x to the right and y down the rows.

    Args:
        away_in: (2,) from the camera's foot to the figure.
        camera_in: height of the camera above what the figure stands on.
        px_per_in: pixels per inch of the masks.
        scale: the figure's standing height / 2.1 in.

    Returns:
        (shapes, N, N) uint8 from 0 to 255, N odd.
    """
    half = math.ceil(REACH_IN * scale * px_per_in)
    masks = np.zeros((len(shapes()), 2 * half + 1, 2 * half + 1), np.uint8)
    points, parts = _all_solids()
    flat, height = points[:, :2] * scale, points[:, 2:] * scale
    lifted = flat + (flat + away_in) * (height / (camera_in - height))
    corners = np.round((lifted * px_per_in + half) * 16).astype(np.int32)
    for shape, own in parts:
        cv2.fillConvexPoly(masks[shape], cv2.convexHull(corners[own]), 255, cv2.LINE_AA, 4)
    return masks


def figure_scale(figure_height_in: float) -> float:
    """How much bigger than the 54 mm soldiers the sizes here were taken from."""
    return figure_height_in / STANDING_HEIGHT_IN
