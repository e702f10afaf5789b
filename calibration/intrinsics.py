"""The nine lens parameters and their prior.

The parameters are the log focal lengths along x and y, the principal point, then k1, k2, p1, p2, k3. The prior
describes a typical camera, or a lens profile with its covariance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from calibration.camera import Lens
from rules.tabletop.table import FloatArray

PARAMETER_COUNT = 9

# Webcams and phones have a horizontal field of view of about 50 to 90 degrees and a nearly central principal point.
_FOCAL_WIDTHS, _FOCAL_SPREAD = 0.78, 0.22
_AXIS_SPREAD_WIDTHS = 0.012
_K1, _K1_SPREAD, _K2, _K2_SPREAD = -0.12, 0.12, 0.04, 0.05
# Pixels are square to a thousandth; lenses are nearly centred, and k2 models most of what k3 could.
_ASPECT_SPREAD, _P_SPREAD, _K3_SPREAD = 0.001, 0.0006, 0.01


@dataclass(frozen=True, slots=True, eq=False)
class LensPrior:
    """A Gaussian prior: `mean` (9,), and `root` (9, 9), which whitens differences from the mean."""

    mean: FloatArray
    root: FloatArray


def lens_parameters(lens: Lens) -> FloatArray:
    """(9,) the parameters of a lens."""
    focal = np.log([lens.matrix[0, 0], lens.matrix[1, 1]])
    return np.concatenate([focal, lens.matrix[:2, 2], lens.distortion])


def lens_from_parameters(numbers: FloatArray, image_size: tuple[int, int]) -> Lens:
    """The lens with these parameters (9,)."""
    fx, fy = np.exp(numbers[:2])
    matrix = np.array([[fx, 0, numbers[2]], [0, fy, numbers[3]], [0, 0, 1]])
    return Lens(image_size, matrix, numbers[4:])


def by_lens_parameters(slopes: FloatArray, numbers: FloatArray) -> FloatArray:
    """(2N, 9) Jacobian by the lens parameters, from the (2N, 15) Jacobian of `cv2.projectPoints`."""
    by = slopes[:, 6:].copy()
    by[:, :2] *= np.exp(numbers[:2])
    return np.asarray(by)


@cache
def default_lens(image_size: tuple[int, int]) -> Lens:
    """The default lens: a horizontal field of view of 65 degrees, with slight barrel distortion."""
    width, height = image_size
    focal = _FOCAL_WIDTHS * max(width, height)
    return Lens(
        image_size,
        np.array([[focal, 0, width / 2 - 0.5], [0, focal, height / 2 - 0.5], [0, 0, 1]]),
        np.array([_K1, _K2, 0, 0, 0]),
    )


@cache
def default_prior(image_size: tuple[int, int]) -> LensPrior:
    """The prior of a typical camera."""
    axis = _AXIS_SPREAD_WIDTHS * max(image_size)
    spread = [_FOCAL_SPREAD, _ASPECT_SPREAD, axis, axis, _K1_SPREAD, _K2_SPREAD, _P_SPREAD, _P_SPREAD, _K3_SPREAD]
    root = np.diag(1 / np.array(spread))
    root[1, 0] = -root[1, 1]
    mean = lens_parameters(default_lens(image_size))
    for shared in (mean, root):
        shared.setflags(write=False)
    return LensPrior(mean, root)


def profile_prior(lens: Lens) -> LensPrior | None:
    """The prior from a lens profile; None if the profile is exact."""
    if lens.covariance is None:
        return None
    size, directions = np.linalg.eigh(lens.covariance)
    # Parameters that the profile held fixed have zero variance; use a tiny one instead.
    return LensPrior(lens_parameters(lens), (directions / np.sqrt(np.maximum(size, 1e-14))).T)
