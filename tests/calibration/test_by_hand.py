import numpy as np
import pytest

from calibration.by_hand import calibrate_rectangle, sharpen
from calibration.solve import Target, solve
from rules.tabletop.errors import UserError
from tests.calibration.drawn import camera, marker_corners
from tests.calibration.test_solve import PLACES, TABLE, errors_in, targets

SIZE_PX = (960, 540)
RECTANGLE_IN = np.array([[4.0, 3], [36, 3], [36, 25], [4, 25]])
SIZE_IN = (32.0, 22.0)


def test_four_exact_corners_give_exact_places():
    seen_by = camera(tilt_deg=10.0)
    found = calibrate_rectangle(seen_by.table_to_pixel(RECTANGLE_IN), SIZE_IN, SIZE_PX, seen_by.lens)
    places = found.camera.pixel_to_table(seen_by.table_to_pixel(TABLE))
    assert places + (4, 3) == pytest.approx(TABLE[:, :2], abs=0.01)  # its origin is the near left corner


def test_errors_of_clicks_match_the_stated_sigma():
    """Errors over sigma for 40 clicked cameras."""
    rng = np.random.default_rng(5)
    ratios = []
    for _ in range(40):
        seen_by = camera(height_in=rng.uniform(40, 60), tilt_deg=rng.uniform(-15, 15))
        clicks = seen_by.table_to_pixel(RECTANGLE_IN) + rng.normal(0, 1.5, (4, 2))
        off = 1 + rng.normal(0, 0.06 / np.hypot(*SIZE_IN))
        found = calibrate_rectangle(clicks, (SIZE_IN[0] * off, SIZE_IN[1] * off), SIZE_PX, seen_by.lens)
        places = found.camera.pixel_to_table(seen_by.table_to_pixel(TABLE))
        sigma = found.sigma_in(np.c_[places, TABLE[:, 2]])
        ratios.append((places + (4, 3) - TABLE[:, :2]) / sigma[:, None])
    assert 0.7 < np.sqrt(np.mean(np.square(ratios))) < 1.3


def test_without_a_lens_profile_sigma_is_larger():
    seen_by = camera(tilt_deg=10.0)
    clicks = seen_by.table_to_pixel(RECTANGLE_IN)
    known, unknown = (calibrate_rectangle(clicks, SIZE_IN, SIZE_PX, lens) for lens in (seen_by.lens, None))
    assert np.all(unknown.sigma_in([[32.0, 22, 0], [16, 11, 2]]) > known.sigma_in([[32.0, 22, 0], [16, 11, 2]]))


@pytest.mark.parametrize("order", [[0, 3, 2, 1], [0, 2, 1, 3], [0, 1, 2]])
def test_corners_in_the_wrong_order_are_refused(order):
    seen = camera().table_to_pixel(RECTANGLE_IN)[order]
    with pytest.raises(UserError, match="near left, near right, far right, far left"):
        calibrate_rectangle(seen, SIZE_IN, SIZE_PX)


def badly_printed(seen_by, grown):
    """Markers printed larger than stated by this share, with a size uncertainty of 2 %."""
    made = []
    for t, (at, turn) in zip(targets(seen_by), PLACES.values(), strict=True):
        made.append(Target(t.points_in, seen_by.table_to_pixel(marker_corners(at, 3 * grown, turn)), t.marks))
    return solve(made, SIZE_PX, seen_by.lens, print_sigma=0.02)


def test_one_distance_corrects_the_print_size():
    seen_by = camera(tilt_deg=5.0)
    ends_in = np.array([[4.0, 6, 0], [34.0, 22, 0]])
    ends = tuple(map(tuple, seen_by.table_to_pixel(ends_in)))
    true = float(np.hypot(30, 16))
    before = badly_printed(seen_by, 1.03)
    after = sharpen(before, ends, true)
    a, b = after.camera.pixel_to_table(ends)
    # Tape and clicks are known to about 0.15 in of 34 in, the prints to 0.68: 19/20 of the error is corrected.
    assert np.hypot(*(b - a)) == pytest.approx(true, abs=0.1)
    assert np.abs(errors_in(before, seen_by)).max() > 0.4
    assert np.abs(errors_in(after, seen_by)).max() < 0.1
    place = [[30.0, 20.0, 0.0]]
    assert after.sigma_in(place) < 0.4 * before.sigma_in(place)


def test_a_certain_calibration_hardly_changes():
    seen_by = camera()
    certain = solve(targets(seen_by), SIZE_PX, seen_by.lens)
    ends = ((100.0, 100.0), (800.0, 400.0))
    a, b = certain.camera.pixel_to_table(ends)
    after = sharpen(certain, ends, float(np.hypot(*(b - a))) + 0.1)
    moved = after.camera.pixel_to_table(ends) - certain.camera.pixel_to_table(ends)
    assert np.abs(moved).max() < 0.02
