"""The nine lens parameters and their prior."""

import numpy as np
import pytest

from calibration.camera import Lens
from calibration.intrinsics import (
    by_lens_parameters,
    default_lens,
    default_prior,
    lens_from_parameters,
    lens_parameters,
    profile_prior,
)
from calibration.opencv import cv2

LENS = Lens((1280, 720), [[1000, 0, 650], [0, 1010, 350], [0, 0, 1]], [-0.2, 0.05, 0.0004, -0.0003, 0.01])


def test_lens_parameters_round_trip():
    numbers = lens_parameters(LENS)
    assert numbers == pytest.approx([np.log(1000), np.log(1010), 650, 350, -0.2, 0.05, 0.0004, -0.0003, 0.01])
    back = lens_from_parameters(numbers, LENS.image_size)
    assert back.matrix == pytest.approx(LENS.matrix)
    assert back.distortion == pytest.approx(LENS.distortion)
    assert back.image_size == (1280, 720)


def test_the_jacobian_by_lens_parameters():
    """Compared with finite differences."""
    points, turn, shift = np.array([[3.0, -2, 0], [-4, 3, 0.5]]), np.array([3.0, 0.1, 0.2]), np.array([0.5, 0.3, 20])

    def seen(numbers):
        lens = lens_from_parameters(numbers, LENS.image_size)
        return cv2.projectPoints(points, turn, shift, lens.matrix, lens.distortion)

    numbers = lens_parameters(LENS)
    found = by_lens_parameters(np.asarray(seen(numbers)[1], float), numbers)
    steps = np.eye(9) * 1e-5
    numeric = [(seen(numbers + step)[0] - seen(numbers - step)[0]).ravel() / 2e-5 for step in steps]
    assert found == pytest.approx(np.array(numeric).T, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("size", [(1920, 1080), (1080, 1920)])
def test_the_default_lens_sees_65_degrees_along_the_longer_side(size):
    lens = default_lens(size)
    assert np.degrees(2 * np.arctan(960 / lens.matrix[0, 0])) == pytest.approx(65, abs=0.5)
    assert lens.matrix[1, 1] == lens.matrix[0, 0]
    # Pixel centres are at integers: the centre of 1920 px is 959.5.
    assert lens.matrix[:2, 2] == pytest.approx(((size[0] - 1) / 2, (size[1] - 1) / 2))
    assert lens.distortion == pytest.approx([-0.12, 0.04, 0, 0, 0])
    assert lens.matrix[[0, 1, 2, 2, 2], [1, 0, 0, 1, 2]].tolist() == [0, 0, 0, 0, 1]


def test_the_prior_of_typical_cameras():
    """Webcams and phones see 50 to 90 degrees, with a nearly central axis and square pixels."""
    prior = default_prior((1920, 1080))
    assert prior.mean == pytest.approx(lens_parameters(default_lens((1920, 1080))))
    spread = np.linalg.inv(prior.root.T @ prior.root)
    sigma = np.sqrt(np.diag(spread))
    near, far = (np.degrees(2 * np.arctan(0.5 / (0.78 * np.exp(way * sigma[0])))) for way in (2, -2))
    assert (near, far) == pytest.approx((45, 90), abs=3), "two deviations"
    square = np.array([1, -1])
    assert np.sqrt(square @ spread[:2, :2] @ square) == pytest.approx(0.001), "fx and fy go together"
    assert sigma[2:4] == pytest.approx([0.012 * 1920] * 2)
    assert sigma[4:] == pytest.approx([0.12, 0.05, 0.0006, 0.0006, 0.01])


def test_the_prior_of_a_profile_is_its_covariance():
    assert profile_prior(LENS) is None
    mixed = np.random.default_rng(3).normal(size=(9, 9))
    covariance = mixed @ mixed.T
    prior = profile_prior(Lens(LENS.image_size, LENS.matrix, LENS.distortion, covariance))
    assert prior.mean == pytest.approx(lens_parameters(LENS))
    assert prior.root @ covariance @ prior.root.T == pytest.approx(np.eye(9), abs=1e-6)


def test_parameters_fixed_in_a_profile_stay_fixed():
    covariance = np.diag([4.0, 0, 0, 0, 0, 0, 0, 0, 0])
    prior = profile_prior(Lens(LENS.image_size, LENS.matrix, LENS.distortion, covariance))
    known = np.sqrt(np.diag(prior.root.T @ prior.root))
    assert known == pytest.approx([0.5, *[1e7] * 8])
