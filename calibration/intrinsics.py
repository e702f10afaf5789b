"""The lens as nine numbers and what is believed of them before a picture is seen.

The numbers are log focal lengths along x and y, the axis' pixel, then k1, k2, p1, p2, k3. A belief is what a camera
usually is, or what a lens profile found with the error it found it with.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.camera import Lens
from rules.tabletop.table import FloatArray

COUNT = 9

# Webcams and phones span about 50 to 90 degrees across; their axis meets the picture near its middle.
_FOCAL_OF_WIDTH, _FOCAL_SPREAD = 0.78, 0.22
_AXIS_SPREAD_OF_WIDTH = 0.012
_K1, _K1_SPREAD, _K2, _K2_SPREAD = -0.12, 0.12, 0.04, 0.05
# Pixels are square to a thousandth; lenses sit askew by little, and k2 takes most of what k3 could.
_ASPECT_SPREAD, _P_SPREAD, _K3_SPREAD = 0.001, 0.0006, 0.01


@dataclass(frozen=True, slots=True, eq=False)
class LensBelief:
    """`mean` (9,), and `root` (9, 9) that takes what differs from it to independent unit deviations."""

    mean: FloatArray
    root: FloatArray


def lens_numbers(lens: Lens) -> FloatArray:
    """(9,) of a lens."""
    focal = np.log([lens.matrix[0, 0], lens.matrix[1, 1]])
    return np.concatenate([focal, lens.matrix[:2, 2], lens.distortion])


def lens_of(numbers: FloatArray, image_size: tuple[int, int]) -> Lens:
    """The lens of its (9,) numbers."""
    fx, fy = np.exp(numbers[:2])
    matrix = np.array([[fx, 0, numbers[2]], [0, fy, numbers[3]], [0, 0, 1]])
    return Lens(image_size, matrix, numbers[4:])


def by_numbers(slopes: FloatArray, numbers: FloatArray) -> FloatArray:
    """(2N, 9) derivatives by the numbers, from (2N, 15) of `cv2.projectPoints`."""
    by = slopes[:, 6:].copy()
    by[:, :2] *= np.exp(numbers[:2])
    return np.asarray(by)


def usual_lens(image_size: tuple[int, int]) -> Lens:
    """The lens that is assumed before anything is known: 65 degrees across, a little barrel distortion."""
    width, height = image_size
    focal = _FOCAL_OF_WIDTH * max(width, height)
    return Lens(
        image_size,
        np.array([[focal, 0, width / 2 - 0.5], [0, focal, height / 2 - 0.5], [0, 0, 1]]),
        np.array([_K1, _K2, 0, 0, 0]),
    )


def usual_belief(image_size: tuple[int, int]) -> LensBelief:
    """What cameras usually are."""
    axis = _AXIS_SPREAD_OF_WIDTH * max(image_size)
    spread = [_FOCAL_SPREAD, _ASPECT_SPREAD, axis, axis, _K1_SPREAD, _K2_SPREAD, _P_SPREAD, _P_SPREAD, _K3_SPREAD]
    root = np.diag(1 / np.array(spread))
    root[1, 0] = -root[1, 1]
    return LensBelief(lens_numbers(usual_lens(image_size)), root)


def profile_belief(lens: Lens) -> LensBelief | None:
    """What a profile says; None where it claims to be exact."""
    if lens.covariance is None:
        return None
    size, directions = np.linalg.eigh(lens.covariance)
    # What the profile held fixed has no variance: a millionth of a deviation stands for none.
    return LensBelief(lens_numbers(lens), (directions / np.sqrt(np.maximum(size, 1e-14))).T)
