"""The covariance of a target's residuals; expected values are computed by hand."""

import numpy as np
import pytest

from calibration.noise import HOME_PRINTER, PERFECT, TARGET_SIGMA_PX, Paper, whitener

LEVEL = np.array([[[10.0, 0, 3], [0, 10, 4]]])  # 10 px an inch, and (3, 4) px for an inch up
SEEN = 0.1**2 + TARGET_SIGMA_PX**2


def covariance(points_in, slopes, paper, place_sigma_in=0.0, point_sigma_px=0.1):
    back = np.linalg.inv(whitener(np.array(points_in, float), slopes, point_sigma_px, paper, place_sigma_in))
    return back @ back.T


def test_a_perfect_point_has_only_detection_noise():
    """Its own variance of 0.01 px², plus the variance shared by its target."""
    assert covariance([[2, 5]], LEVEL, PERFECT) == pytest.approx(np.eye(2) * (0.01 + 0.0025))


def test_print_errors_scale_with_the_resolution():
    """0.02 in at 10 px an inch are 0.2 px."""
    assert covariance([[2, 5]], LEVEL, Paper(0.02, 0.0)) == pytest.approx(np.eye(2) * (SEEN + 0.04))


def test_raised_paper_shifts_along_one_line():
    """0.1 in up moves the point by (0.3, 0.4) px."""
    expected = np.eye(2) * SEEN + np.array([[0.09, 0.12], [0.12, 0.16]])
    assert covariance([[2, 5]], LEVEL, Paper(0.0, 0.1)) == pytest.approx(expected)


@pytest.mark.parametrize(("apart_in", "together"), [(3.0, np.exp(-0.5)), (6.0, np.exp(-2.0)), (0.0, 1.0)])
def test_near_points_rise_together(apart_in, together):
    """Correlated by a Gaussian of 3 in, the wavelength of the paper."""
    found = covariance([[0, 0], [apart_in, 0]], np.repeat(LEVEL, 2, 0), Paper(0.0, 0.1))
    risen = np.array([[0.09, 0.12], [0.12, 0.16]])
    assert found[:2, :2] == pytest.approx(np.eye(2) * SEEN + risen)
    assert found[2:, 2:] == pytest.approx(np.eye(2) * SEEN + risen)
    assert found[:2, 2:] == pytest.approx(np.eye(2) * TARGET_SIGMA_PX**2 + risen * together)


@pytest.mark.parametrize("half_in", [0.25, 4.0])
def test_a_stated_place_has_shift_and_rotation_errors(half_in):
    """Two points left and right of the centre: both shift by 0.3 px, and rotate up and down by as much."""
    shift, turn = np.tile(np.eye(2), (2, 2)) * 0.09, np.outer([0, -0.3, 0, 0.3], [0, -0.3, 0, 0.3])
    own = np.eye(4) * 0.01 + np.kron(np.ones((2, 2)), np.eye(2)) * TARGET_SIGMA_PX**2
    found = covariance([[7 - half_in, 2], [7 + half_in, 2]], np.repeat(LEVEL, 2, 0), PERFECT, 0.03)
    assert found == pytest.approx(own + shift + turn)


def test_rotation_errors_of_a_stated_place():
    """Four points 1 in around a centre: each moves perpendicular to its radius."""
    points = np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1]])
    across = np.array([0, 1.0, -1, 0, 0, -1, 1, 0])
    found = covariance(points, np.repeat(LEVEL, 4, 0), PERFECT, 0.03)
    alike = np.kron(np.ones((4, 4)), np.eye(2))
    expected = np.eye(8) * 0.01 + alike * (TARGET_SIGMA_PX**2 + 0.09) + 0.09 * np.outer(across, across)
    assert found == pytest.approx(expected)


def test_a_single_point_has_no_rotation_error():
    assert covariance([[1, 2]], LEVEL, PERFECT, 0.03) == pytest.approx(np.eye(2) * (SEEN + 0.09))


def test_the_errors_of_a_home_printer():
    assert (HOME_PRINTER.place_in, HOME_PRINTER.height_in * 25.4) == pytest.approx((0.1 / 25.4, 0.25), rel=0.02)
    assert (PERFECT.place_in, PERFECT.height_in) == (0, 0)


def test_the_whitening_matrix_is_lower_triangular():
    white = whitener(np.array([[0.0, 0], [3, 0]]), np.repeat(LEVEL, 2, 0), 0.1, HOME_PRINTER)
    assert white == pytest.approx(np.tril(white))
    assert white == pytest.approx(
        whitener(np.array([[0.0, 0], [3, 0]]), np.repeat(LEVEL, 2, 0), 0.1, HOME_PRINTER, 0.0)
    )
