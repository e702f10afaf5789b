"""Uncertainty of a fit to one picture: noise, one-sigma steps, and the chance that the other of two poses is right."""

from __future__ import annotations

import numpy as np

from rules.tabletop.table import FloatArray

_PRIOR_COUNT = 6.0
"""Weight of the stated noise, as a number of redundant measurements; the noise of pictures varies by a factor of two
either way."""

SOFT_L1_SCALE = 4.0
"""Standard deviations above which a residual gets less weight (scale of the soft L1 loss)."""


def noise_estimate(jacobian: FloatArray, white: FloatArray) -> tuple[float, float]:
    """Variance of the measurements relative to the stated noise, and the number of redundant measurements.

    The estimate combines the residuals with the stated noise, because a good fit of few points proves little.

    Args:
        jacobian: (2N + priors, P) of the whitened residuals and the priors, at the solution.
        white: (2N,) whitened residuals at the solution.
    """
    left, _, _ = np.linalg.svd(jacobian, full_matrices=False)
    spare = max(0.0, white.size - float((left[: white.size] ** 2).sum()))
    # Weighted as by the soft L1 loss, so that an outlier inflates the estimate less.
    residuals2 = 2 * SOFT_L1_SCALE**2 * (np.sqrt(1 + (white / SOFT_L1_SCALE) ** 2) - 1)
    return float((_PRIOR_COUNT + residuals2.sum()) / (_PRIOR_COUNT + spare)), spare


def one_sigma_steps(jacobian: FloatArray, measured: int, noise2: float) -> FloatArray:
    """(P, P) rows: one standard deviation along each principal direction of the parameters' covariance.

    The first `measured` rows of the Jacobian belong to measurements, scaled by `noise2`; the rest are priors, which do
    not scale with it.
    """
    left, size, directions = np.linalg.svd(jacobian, full_matrices=False)
    left[:measured] *= np.sqrt(noise2)
    _, deviation, turn = np.linalg.svd(left / np.maximum(size, 1e-9), full_matrices=False)
    return np.asarray(deviation[:, None] * (turn @ directions))


def rival_step(x: FloatArray, rival: FloatArray, chance: float) -> FloatArray:
    """(P,) the one-sigma step for a rival solution that is true with probability `chance`.

    A rotation vector that is longer or shorter by whole turns is the same rotation; the one nearest to `x` is used.
    """
    turn = rival[:3]
    angle = max(float(np.linalg.norm(turn)), 1e-9)
    around = np.round((angle - x[:3] @ turn / angle) / (2 * np.pi))
    near = turn * (1 - 2 * np.pi * around / angle)
    return np.asarray(np.sqrt(chance) * (np.concatenate([near, rival[3:]]) - x))


def rival_probability(rival_cost: float, cost: float, spare: float) -> float:
    """Probability that the rival is the true solution, from the costs (half sums of squares) of both.

    Uses Student's t odds because the noise is only estimated, which makes a misfit weaker evidence.
    """
    ratio = (_PRIOR_COUNT + 2 * rival_cost) / (_PRIOR_COUNT + 2 * cost)
    return float(1 / (1 + ratio ** ((_PRIOR_COUNT + 2 + spare) / 2)))
