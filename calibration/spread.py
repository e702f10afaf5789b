"""From the fit of one picture to the spread of what it found: noise, one-sigma steps, and the other of two poses."""

from __future__ import annotations

import numpy as np

from rules.tabletop.table import FloatArray

_STATED = 6.0
"""How many spare measurements the stated noise counts for against what the picture itself shows: pictures differ in
noise by a factor of two either way."""

SOFT = 4.0
"""Deviations from which on a point pulls less than in proportion."""


def noise2_of(jacobian: FloatArray, white: FloatArray) -> tuple[float, float]:
    """Variance of the measurements in units of what was stated of them, and how many of them were to spare.

    It is what their misses show and what was stated, each counting for as much as it knows: few points that happen to
    fit well prove little.

    Args:
        jacobian: (2N + priors, P) of the measurements' deviations and of what is believed, at the solution.
        white: (2N,) the measurements' deviations there.
    """
    left, _, _ = np.linalg.svd(jacobian, full_matrices=False)
    spare = max(0.0, white.size - float((left[: white.size] ** 2).sum()))
    # As soft_l1 counts them: a point that the fit lets go of widens the rest less.
    misses2 = 2 * SOFT**2 * (np.sqrt(1 + (white / SOFT) ** 2) - 1)
    return float((_STATED + misses2.sum()) / (_STATED + spare)), spare


def one_sigma_steps(jacobian: FloatArray, measured: int, noise2: float) -> FloatArray:
    """(P, P) rows: one standard deviation along each principal direction of the parameters' covariance.

    The first rows of the Jacobian are of measurements with that noise; what is believed beforehand, in the rest, does
    not change with it.
    """
    left, size, directions = np.linalg.svd(jacobian, full_matrices=False)
    left[:measured] *= np.sqrt(noise2)
    _, deviation, turn = np.linalg.svd(left / np.maximum(size, 1e-9), full_matrices=False)
    return np.asarray(deviation[:, None] * (turn @ directions))


def step_to(x: FloatArray, rival: FloatArray, chance: float) -> FloatArray:
    """One standard deviation by the chance that the rival is the true one.

    A rotation vector that is longer or shorter by whole turns is the same rotation: the one nearest to `x` counts.
    """
    turn = rival[:3]
    angle = max(float(np.linalg.norm(turn)), 1e-9)
    around = np.round((angle - x[:3] @ turn / angle) / (2 * np.pi))
    near = turn * (1 - 2 * np.pi * around / angle)
    return np.asarray(np.sqrt(chance) * (np.concatenate([near, rival[3:]]) - x))


def chance_of(rival_cost: float, cost: float, spare: float) -> float:
    """How likely the rival is the true one, by their half sums of squares.

    Student's odds: the noise itself is only estimated, so a misfit tells less than it would of a known one.
    """
    times = (_STATED + 2 * rival_cost) / (_STATED + 2 * cost)
    return float(1 / (1 + times ** ((_STATED + 2 + spare) / 2)))
