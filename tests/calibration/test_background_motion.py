"""Background motion, tested on rendered texture that is shifted by known pixels."""

import numpy as np
import pytest

from calibration.background_motion import BackgroundMotion, compare_background
from tests.calibration.drawn import camera
from tests.calibration.test_scene_texture import shifted, texture

PLAIN = {"tilt_deg": 0.0, "k1": 0.0, "k2": 0.0, "height_in": 50.0}
PX_PER_IN = 0.78 * 960 / 50
OLD = camera(at_in=(20.0, 14.0), **PLAIN)
BEFORE = texture()


def moved_camera(x_px, y_px=0.0):
    """The camera after the table has moved by this shift in the picture."""
    return camera(at_in=(20.0 - x_px / PX_PER_IN, 14.0 + y_px / PX_PER_IN), **PLAIN)


def count_points(now, new, before=BEFORE, keep_out=()):
    return compare_background(before, now, OLD, new, [*keep_out])


def test_the_two_cameras_are_the_stated_distance_apart():
    middle = np.array([[20.0, 14.0]])
    view_distance_px = moved_camera(6, 3).table_to_pixel(middle) - OLD.table_to_pixel(middle)
    assert view_distance_px == pytest.approx(np.array([[6, 3]]), abs=1e-3)


@pytest.mark.parametrize("shift_px", [(6.0, 0.0), (-3.0, 5.0), (0.8, 0.0), (20.0, -10.0)])
def test_all_points_move_with_the_markers(shift_px):
    found = count_points(shifted(BEFORE, *shift_px), moved_camera(*shift_px))
    assert found.stayed == 0
    assert found.moved_along > 150, "of 200 places, but for some by the picture's edges"


@pytest.mark.parametrize("shift_px", [(6.0, 0.0), (-3.0, 5.0), (0.8, 0.0), (40.0, 0.0)])
def test_all_points_stay(shift_px):
    found = count_points(BEFORE, moved_camera(*shift_px))
    assert found.moved_along == 0
    assert found.stayed > 150


def test_half_of_the_points_stay():
    now = shifted(BEFORE, 6, 0)
    now[:, :480] = BEFORE[:, :480]
    found = count_points(now, moved_camera(6))
    assert found.stayed == pytest.approx(100, abs=20)
    assert found.moved_along == pytest.approx(100, abs=20)


def test_at_most_two_hundred_points_are_tracked():
    found = count_points(BEFORE, moved_camera(6))
    assert 170 < found.stayed <= 200


@pytest.mark.parametrize(("expected_px", "counted"), [(0.35, False), (0.45, True)])
def test_a_predicted_motion_below_the_limit_is_ignored(expected_px, counted):
    """A motion below 0.4 px cannot be distinguished from rest."""
    found = count_points(BEFORE, moved_camera(expected_px))
    assert (found != BackgroundMotion(0, 0)) is counted


@pytest.mark.parametrize(
    ("expected_px", "went_px", "stayed", "along"),
    [
        (4.0, 1.2, True, False),  # 0.35 of 4 px is 1.4: still at rest
        (4.0, 1.7, False, False),
        (4.0, 2.3, False, False),
        (4.0, 2.9, False, True),
        (10.0, 1.3, True, False),
        (10.0, 1.8, False, False),  # rest is at most 1.5 px, however far the table moved
        (10.0, 7.0, False, True),
        (10.0, 13.0, False, True),
        (10.0, 14.0, False, False),
    ],
)
def test_a_point_must_end_near_a_prediction(expected_px, went_px, stayed, along):
    found = count_points(shifted(BEFORE, went_px), moved_camera(expected_px))
    assert (found.stayed > 100, found.moved_along > 100) == (stayed, along)


def test_markers_and_the_paper_around_them_are_excluded():
    """A marker of 100 px is excluded with 30 px around it: nothing remains of a picture of that size."""
    square = np.array([[400.0, 200], [500, 200], [500, 300], [400, 300]])
    only = np.full_like(BEFORE, 120)
    only[172:328, 372:528] = BEFORE[172:328, 372:528]
    assert count_points(only, moved_camera(6), only).stayed > 20
    assert count_points(only, moved_camera(6), only, [square]) == BackgroundMotion(0, 0)
    wider = np.full_like(BEFORE, 120)
    wider[120:380, 320:580] = BEFORE[120:380, 320:580]
    assert count_points(wider, moved_camera(6), wider, [square]).stayed > 20
    corner = np.full_like(BEFORE, 120)
    corner[180:204, 380:404] = BEFORE[180:204, 380:404]
    assert count_points(corner, moved_camera(6), corner).stayed > 0
    triangle = np.array([[400.0, 200], [520, 200], [400, 320]])
    assert count_points(corner, moved_camera(6), corner, [triangle]) == BackgroundMotion(0, 0), (
        "its own shape grown, not mirrored"
    )


def test_a_picture_without_texture_has_no_points():
    blank = np.full_like(BEFORE, 120)
    assert count_points(blank, moved_camera(6), blank) == BackgroundMotion(0, 0)


def test_covered_points_are_not_counted():
    now = shifted(BEFORE, 6)
    now[:, 240:] = texture(seed=5)[:, 240:]
    found = count_points(now, moved_camera(6))
    assert found.moved_along == pytest.approx(50, abs=15)
    assert found.stayed < 8
