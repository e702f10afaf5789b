"""Noise model: how far the seen points of a target deviate from those of a perfect print.

Three causes have different covariances: the detector misplaces points, printers misplace ink, and paper does not lie
quite flat. A raised point shifts away from the point below the camera: by nothing right beneath the camera, by its own
height at a viewing angle of 45 degrees. So the pose is needed to convert lengths on paper to pixels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rules.tabletop.table import FloatArray

POINT_SIGMA_PX = 0.08
"""Standard deviation of one point within its target; 0.04 to 0.1 px for fitted corners of rendered markers."""

TARGET_SIGMA_PX = 0.05
"""Standard deviation shared by all points of one target: lens model errors, measured on rendered markers."""

_PAPER_WAVE_IN = 3.0
"""Distance beyond which two points of a paper rise independently: about the size of a marker."""


@dataclass(frozen=True, slots=True)
class Paper:
    """Accuracy of a print, as standard deviations.

    Attributes:
        place_in: Distance of a printed point from its drawn position, along one axis: a dot of a coarse printer. The 80
            corners of a photographed board were off by 0.0055 in, the same in 42 pictures.
        height_in: Height of the paper above the table: a quarter of a millimetre.
    """

    place_in: float = 0.004
    height_in: float = 0.01


HOME_PRINTER = Paper()
"""A home printer."""

PERFECT = Paper(0.0, 0.0)
"""Points of the table itself, without paper."""


def whitener(
    points_in: FloatArray, slopes: FloatArray, point_sigma_px: float, paper: Paper, place_sigma_in: float = 0.0
) -> FloatArray:
    """(2N, 2N) lower triangular matrix that whitens a target's residuals x1, y1, x2, ...

    Args:
        points_in: (N, 2) places on the table.
        slopes: (N, 2, 3) shift of each point in pixels per inch along x, y and up.
        point_sigma_px: Standard deviation of one detected point.
        paper: Accuracy of the print.
        place_sigma_in: Standard deviation of the whole target's place along one axis; its rotation is assumed to cause
            an equal error at its points.
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
