"""How far seen points of a target may lie from where a perfect print would show them.

Three causes with different shapes: the finder places each point a little wrong, printers place ink a little wrong, and
paper does not lie quite flat. What lies higher is seen farther from below the camera, hardly at all right beneath it
and by as much as it is high where the view is at 45 degrees; so lengths on paper are turned into pixels by the pose.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rules.tabletop.table import FloatArray

POINT_SIGMA_PX = 0.08
"""Of one point within its target; the spread of fitted against true corners of rendered markers is 0.04 to 0.1 px."""

TARGET_SIGMA_PX = 0.05
"""Shared by all points of one target: what the lens model leaves, as seen on rendered markers."""

_PAPER_WAVE_IN = 3.0
"""How far apart two places of one paper rise independently: about the size of a marker."""


@dataclass(frozen=True, slots=True)
class Paper:
    """How true a print is, as standard deviations.

    Attributes:
        place_in: Of a printed point from where it was drawn, along one axis: a dot of a coarse printer. The 80 corners
            of a photographed board, seen in 42 pictures alike, were 0.0055 in off.
        height_in: Of the paper above the table: a quarter of a millimetre.
    """

    place_in: float = 0.004
    height_in: float = 0.01


USUAL = Paper()
"""Of a home printer."""

PERFECT = Paper(0.0, 0.0)
"""Points of the table itself."""


def whitener(
    points_in: FloatArray, slopes: FloatArray, point_sigma_px: float, paper: Paper, place_sigma_in: float = 0.0
) -> FloatArray:
    """(2N, 2N) lower matrix that takes a target's misses x1, y1, x2, ... to independent unit deviations.

    Args:
        points_in: (N, 2) places on the table.
        slopes: (N, 2, 3) pixels that each point moves by for an inch along x, y and up.
        point_sigma_px: of one point as seen.
        paper: of the print.
        place_sigma_in: of the whole target's place along one axis, where it is stated; its turn errs by as much at its
            points.
    """
    n = len(points_in)
    apart = np.linalg.norm(points_in[:, None] - points_in[None], axis=2)
    heights = paper.height_in**2 * np.exp(-0.5 * (apart / _PAPER_WAVE_IN) ** 2)
    lift = slopes[:, :, 2].ravel()
    covariance = np.kron(heights, np.ones((2, 2))) * np.outer(lift, lift)
    covariance += np.kron(np.full((n, n), TARGET_SIGMA_PX**2), np.eye(2))
    covariance += np.eye(2 * n) * point_sigma_px**2
    arm = points_in - points_in.mean(0)
    about = np.stack([-arm[:, 1], arm[:, 0]], axis=1) / max(float(np.sqrt((arm**2).sum(1).mean())), 1e-9)
    turned = (slopes[:, :, :2] @ about[:, :, None]).reshape(2 * n, 1)
    shared = np.hstack([slopes[:, :, :2].reshape(2 * n, 2), turned])
    covariance += place_sigma_in**2 * shared @ shared.T
    for k, slope in enumerate(slopes[:, :, :2]):
        covariance[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] += paper.place_in**2 * slope @ slope.T
    return np.asarray(np.linalg.inv(np.linalg.cholesky(covariance)))
