"""Places, frame and uncertainty of a solution, compared with known cameras."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.camera import Lens, TableCamera
from calibration.noise import PERFECT, Paper
from calibration.solve import PERTURBATION_SIGMAS, Calibration, Target, laid_at, marker_square, place_of, solve
from rules.tabletop.errors import UserError
from tests.calibration.drawn import camera, marker_corners
from tests.calibration.test_solve import PLACES, targets

SIZE = (1000, 800)
DOWN = np.diag([1.0, -1.0, -1.0])


def above(x_in=10.0, y_in=20.0, height_in=40.0, focal_px=800.0):
    """A camera that looks straight down: 20 px per inch from 40 in."""
    lens = Lens(SIZE, [[focal_px, 0, 500], [0, focal_px, 400], [0, 0, 1]], [0] * 5)
    return TableCamera(lens, DOWN, -DOWN @ np.array([x_in, y_in, height_in]))


def known_to(*others):
    """A calibration whose camera has these others at one standard deviation."""
    here = above()
    deviants = tuple(
        replace(here, translation=here.translation + PERTURBATION_SIGMAS * (other.translation - here.translation))
        for other in others
    )
    return Calibration(here, {}, 0.1, deviants)


def test_sigma_of_a_camera_with_an_uncertain_position():
    """It may be off by 0.5 in along x, or 0.2 in along y, and so are all places."""
    unsure = known_to(above(x_in=10.5), above(y_in=20.2))
    covariance = unsure.covariance_in2([[12.0, 25, 0], [3.0, 7, 0]])
    one = np.diag([0.25, 0.04])
    assert covariance == pytest.approx(np.block([[one, one], [one, one]]), rel=1e-3)
    # Along one axis: the root of the mean of both variances.
    assert unsure.sigma_in([[12.0, 25, 0], [3.0, 7, 0]]) == pytest.approx([np.sqrt(0.145)] * 2, rel=1e-3)


def test_sigma_of_a_camera_with_an_uncertain_height():
    """4 in of 40 in: a tenth of the distance from the camera's foot; for points 20 in high, 4 of 20."""
    unsure = known_to(above(height_in=44.0))
    assert unsure.sigma_in([[20.0, 20, 0], [10.0, 20, 0]]) == pytest.approx([1.0 / np.sqrt(2), 0], rel=1e-3, abs=1e-9)
    assert unsure.sigma_in([[20.0, 20, 20]]) == pytest.approx([2.0 / np.sqrt(2)], rel=1e-3)


def test_typical_sigma_is_a_median_of_near_places():
    """A camera 40 in high sees 50 x 40 in, all within 60 in: the median sigma of 81 places."""
    assert known_to(above(x_in=10.5)).typical_sigma_in() == pytest.approx(0.5 / np.sqrt(2), rel=1e-3)
    x, y = np.meshgrid(np.linspace(-22.5, 22.5, 9), np.linspace(-18, 18, 9))
    away = np.hypot(x, y).ravel() * 0.1 / np.sqrt(2)
    assert known_to(above(height_in=44.0)).typical_sigma_in() == pytest.approx(np.median(away), rel=2e-3)


def test_typical_sigma_ignores_distant_places():
    """A short lens of 400 px sees 100 x 80 in from 40 in: the corners, more than 60 in away, do not count."""
    wide, higher = above(focal_px=200.0), above(focal_px=200.0, height_in=44.0)
    nudged = replace(wide, translation=wide.translation + PERTURBATION_SIGMAS * (higher.translation - wide.translation))
    x, y = np.meshgrid(np.linspace(-90, 90, 9), np.linspace(-72, 72, 9))
    away = np.hypot(x, y).ravel()
    expected = np.median(away[away < 60]) * 0.1 / np.sqrt(2)
    assert Calibration(wide, {}, 0.1, (nudged,)).typical_sigma_in() == pytest.approx(expected, rel=2e-3)


def test_typical_sigma_is_infinite_without_a_visible_table():
    up = TableCamera(above().lens, np.eye(3), np.array([0.0, 0, 10]))
    assert Calibration(up, {}, 0.1, (up,)).typical_sigma_in() == np.inf


def test_marker_corners_run_clockwise_from_the_top_left():
    assert marker_square(3.0).tolist() == [[-1.5, 1.5], [1.5, 1.5], [1.5, -1.5], [-1.5, -1.5]]


def test_place_of_inverts_laid_at():
    shape = np.array([[1.0, 2], [4, 2], [4, 3]])
    laid = laid_at(shape, (10.0, 20.0, np.pi / 2))
    assert laid == pytest.approx(np.array([[8, 21], [8, 24], [7, 24]]))
    assert place_of(shape, laid) == pytest.approx((10, 20, np.pi / 2))
    assert place_of(shape * 1.1, laid)[2] == pytest.approx(np.pi / 2), "a scale is no turn"


@pytest.mark.parametrize("roll_deg", [0.0, 35.0, 170.0, -100.0])
def test_the_frame_of_a_single_marker(roll_deg):
    """x runs along the picture's lower edge from the near-left corner of the marker."""
    seen_by = camera(roll_deg=roll_deg, tilt_deg=0.0)
    corners = marker_corners((18, 12), 3.0, 25.0)
    square = marker_square(3.0)
    found = solve([Target(square, seen_by.table_to_pixel(corners), {5: square})], (960, 540), seen_by.lens)
    assert found.markers_in[5].min(0) == pytest.approx([0, 0], abs=1e-6)
    middle = found.markers_in[5].mean(0)
    left, right = found.camera.table_to_pixel([middle - (1, 0), middle + (1, 0)])
    assert right[0] > left[0] + 20
    assert right[1] == pytest.approx(left[1], abs=0.3)


def test_known_and_free_targets_get_their_true_places():
    seen_by = camera()
    some = targets(seen_by, known=True)[:2] + targets(seen_by)[2:]
    found = solve(some, (960, 540), seen_by.lens)
    for number, (at, turn) in PLACES.items():
        assert found.markers_in[number] == pytest.approx(marker_corners(at, 3.0, turn), abs=0.01)


def test_markers_move_with_their_target():
    """A sheet with two markers, with four points of its own."""
    seen_by = camera()
    own = np.array([[0.0, 0], [8, 0], [8, 4], [0, 4]])
    marks = {1: marker_square(2.0) + (2, 2), 2: marker_square(2.0) + (6, 2)}
    laid = laid_at(own, (10.0, 8.0, 0.4))
    found = solve([Target(own, seen_by.table_to_pixel(laid), marks, (10.0, 8.0, 0.4))], (960, 540), seen_by.lens)
    for number, corners in marks.items():
        assert found.markers_in[number] == pytest.approx(laid_at(corners, (10.0, 8.0, 0.4)), abs=1e-3)


def test_the_residual_is_a_root_mean_square_of_distances():
    """Equal shifts of (0.3, 0.4) px are absorbed by the marker's place; opposite ones remain as residuals."""
    seen_by, off = camera(), np.array([[0.3, 0.4], [-0.3, -0.4], [0.3, 0.4], [-0.3, -0.4]])
    made = [replace(one, seen_px=one.seen_px + off) for one in targets(seen_by, known=True)]
    assert solve(made, (960, 540), seen_by.lens).residual_px == pytest.approx(0.5, rel=0.05)


@pytest.mark.parametrize(("off_px", "sigma_px", "fits"), [(1.2, 0.08, True), (1.5, 0.08, False), (1.5, 1.0, True)])
def test_the_largest_accepted_residual(off_px, sigma_px, fits):
    """1.5 px at 960 px across; the robust loss leaves 10 % more than plain least squares."""
    seen_by, way = camera(), np.array([[0.6, 0.8], [-0.6, -0.8], [0.6, 0.8], [-0.6, -0.8]])
    made = [replace(t, seen_px=t.seen_px + off_px * way, sigma_px=sigma_px) for t in targets(seen_by, known=True)]
    if fits:
        assert solve(made, (960, 540), seen_by.lens).residual_px == pytest.approx(off_px, rel=0.15)
    else:
        with pytest.raises(UserError, match=r"do not fit a flat table \(off by 1\.[5-9] px\)"):
            solve(made, (960, 540), seen_by.lens)


def test_raised_paper_shifts_all_places():
    """Paper 0.5 in high, seen from 50 in, shifts all places by 1 % towards the camera's foot."""
    seen_by = camera(tilt_deg=0.0, k1=0.0, k2=0.0)
    flat, high = (
        solve([replace(t, paper=paper) for t in targets(seen_by, known=True)], (960, 540), seen_by.lens)
        for paper in (PERFECT, Paper(0.0, 0.5))
    )
    away = np.array([[20.0 + 15, 14.0, 0]])
    more = np.diag(high.covariance_in2(away))[0] - np.diag(flat.covariance_in2(away))[0]
    assert len(high.deviants) == len(flat.deviants) + 1
    assert np.sqrt(more) > 0.14
    lifted = high.deviants[-1].pixel_to_table(high.camera.table_to_pixel(away))[0] - away[0, :2]
    assert np.abs(lifted / PERTURBATION_SIGMAS) == pytest.approx([0.15, 0], rel=0.02, abs=1e-3)


def test_stated_places_keep_their_sigma():
    """Pixels within each marker fit to 0.01 px; the sigma of 0.5 in of each place remains."""
    seen_by = camera()
    doubtful = [replace(t, place_sigma_in=0.5) for t in targets(seen_by, known=True)]
    sure = solve(targets(seen_by, known=True), (960, 540), seen_by.lens)
    unsure = solve(doubtful, (960, 540), seen_by.lens)
    middle = [[20.0, 14.0, 0]]
    # Four places of 0.5 in: 0.25 in at their centre.
    assert unsure.sigma_in(middle)[0] == pytest.approx(0.25, rel=0.2)
    assert sure.sigma_in(middle)[0] < 0.02
