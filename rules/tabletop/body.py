"""Silhouettes and eye heights of figures by posture.

A silhouette is a stack of bands, each as wide as the body at that height in any direction. The sizes are those of
54 mm soldiers with base, arms and weapon; for another scale they are multiplied by its standing height / 2.1 in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from rules.tabletop.table import FloatArray, Posture

COLUMNS = 8
"""Number of upright strips of a silhouette; even, so that no strip's middle lies on the line between the centres."""
_LEVELS = 96


@dataclass(frozen=True, slots=True)
class Body:
    """Eye and silhouette of the figures of one posture.

    Attributes:
        eye_in: Height of the eye above the surface under the figure.
        bands: (top, half width) from the ground up: from the band below up to `top` inches the body extends
            `half width` to either side.
        by_base: The half widths are parts of the base's half width across the line of sight instead of inches, as for
            lying figures and vehicles.
    """

    eye_in: float
    bands: tuple[tuple[float, float], ...]
    by_base: bool = False

    @property
    def height_in(self) -> float:
        """Top of the silhouette."""
        return self.bands[-1][0]

    @property
    def half_width_in(self) -> float:
        """Half width of the widest band: inches, or a part of the base's half width if `by_base`."""
        return max(width for _, width in self.bands)


BODIES: Mapping[Posture, Body] = MappingProxyType(
    {
        Posture.STANDING: Body(1.6, ((0.07, 0.45), (0.4, 0.26), (0.85, 0.21), (1.2, 0.19), (1.65, 0.37), (2.1, 0.15))),
        Posture.KNEELING: Body(1.0, ((0.07, 0.45), (0.45, 0.28), (0.88, 0.2), (1.22, 0.45), (1.5, 0.15))),
        Posture.PRONE: Body(0.3, ((0.33, 1.0), (0.5, 0.3)), by_base=True),
        Posture.DOWN: Body(0.3, ((0.3, 1.0), (0.5, 0.5)), by_base=True),
        Posture.VEHICLE: Body(1.4, ((0.9, 1.0), (1.6, 0.55)), by_base=True),
    }
)
"""The bodies of 54 mm figures."""


def strips(body: Body) -> tuple[FloatArray, FloatArray]:
    """A silhouette as `COLUMNS` strips of equal width.

    Returns:
        (COLUMNS,) middles of the strips, from -1 to 1 of `half_width_in`, left to right as the shooter sees them;
        (COLUMNS, levels) part of the whole silhouette's area that lies in the strip below each of the evenly spaced
        heights from 0 to `height_in`.
    """
    edges = np.linspace(-body.half_width_in, body.half_width_in, COLUMNS + 1)
    heights = np.linspace(0.0, body.height_in, _LEVELS)
    below = np.zeros((COLUMNS, _LEVELS))
    bottom = 0.0
    for top, width in body.bands:
        across = np.clip(np.minimum(edges[1:], width) - np.maximum(edges[:-1], -width), 0.0, None)
        below += across[:, None] * np.clip(heights - bottom, 0.0, top - bottom)
        bottom = top
    middles = (edges[:-1] + edges[1:]) / (2 * body.half_width_in)
    return middles, below / below[:, -1].sum()


def mean_half_width(body: Body) -> float:
    """Half width of a rectangle with the silhouette's height and area."""
    bottoms = (0.0, *(top for top, _ in body.bands))
    area = sum((top - bottom) * width for bottom, (top, width) in zip(bottoms, body.bands, strict=False))
    return area / body.height_in
