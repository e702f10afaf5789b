"""One taped distance combined with a camera of uncertain height; expected values are computed by hand."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.by_hand import CLICK_SIGMA_PX, TAPE_SIGMA_IN, Rectangle, TapeMeasurement, calibrate_rectangle, sharpen
from calibration.solve import PERTURBATION_SIGMAS, Calibration
from rules.tabletop.errors import UserError
from tests.calibration.drawn import camera
from tests.calibration.test_solve_frame import SIZE, above

ENDS_PX = ((300.0, 400.0), (700.0, 400.0))  # 400 px at 20 px an inch are 20 in
READING = np.hypot(0.06, np.sqrt(2) * 1.5 / 20)
"""Standard deviation: 1/16 in of the tape, and two clicks of 1.5 px each at 20 px per inch."""


def uncertain(higher_in=2.0):
    """A camera 40 in high, with this uncertainty: 20 in on the table are uncertain by the same fortieths."""
    here, there = above(), above(height_in=40 + higher_in)
    nudged = replace(here, translation=here.translation + PERTURBATION_SIGMAS * (there.translation - here.translation))
    beside = replace(here, translation=here.translation + PERTURBATION_SIGMAS * np.array([0.3, 0, 0]))
    return Calibration(here, {1: np.array([[0.0, 30], [3, 30], [3, 27], [0, 27]])}, 0.1, (nudged, beside))


def distance_in(calibration, ends_px=ENDS_PX):
    a, b = calibration.camera.pixel_to_table(ends_px)
    return float(np.hypot(*(b - a)))


def test_the_stated_errors_of_tape_and_clicks():
    assert (CLICK_SIGMA_PX, TAPE_SIGMA_IN) == (1.5, 0.06)
    assert distance_in(uncertain()) == pytest.approx(20)


@pytest.mark.parametrize("measured_in", [20.5, 19.3])
def test_the_camera_moves_in_proportion_to_its_uncertainty(measured_in):
    """The prior is uncertain by 1 in of 20, the reading by 0.12 in: the camera moves by 98 % of the difference."""
    after = sharpen(uncertain(), ENDS_PX, measured_in)
    share = 1 / (1 + READING**2)
    assert share == pytest.approx(0.985, abs=0.002)
    assert distance_in(after) == pytest.approx(20 + share * (measured_in - 20), abs=0.005)


def test_the_remaining_uncertainty_is_that_of_the_reading():
    before, after = uncertain(), sharpen(uncertain(), ENDS_PX, 20.5)
    assert [distance_in(replace(before, camera=one)) for one in before.deviants] == pytest.approx([20.01, 20])
    was = sum(
        ((distance_in(replace(after, camera=one)) - distance_in(after)) / PERTURBATION_SIGMAS) ** 2
        for one in after.deviants
    )
    # 1 in beforehand and READING by the tape: together the root of 1 / (1 + 1 / READING**2).
    assert np.sqrt(was) == pytest.approx(READING / np.hypot(1, READING), rel=0.03)
    # The tape does not determine the horizontal position: 0.3 in as before.
    beside = [one.pixel_to_table((500, 400))[0] - after.camera.pixel_to_table((500, 400))[0] for one in after.deviants]
    assert np.linalg.norm(beside, axis=1).max() / PERTURBATION_SIGMAS == pytest.approx(0.3, rel=0.02)


def test_markers_move_with_the_updated_camera():
    before, after = uncertain(), sharpen(uncertain(), ENDS_PX, 20.5)
    assert after.camera.table_to_pixel(after.markers_in[1]) == pytest.approx(
        before.camera.table_to_pixel(before.markers_in[1]), abs=1e-6
    )
    assert after.residual_px == before.residual_px


def test_a_distance_off_by_four_sigmas_is_refused():
    """The sigma is the root of 1 + 0.12 squared, 1.007 in: 24.0 in is accepted, 24.1 is not."""
    assert distance_in(sharpen(uncertain(), ENDS_PX, 24.0)) > 23.5
    words = r"you measured 24.10 in, but the calibration gives 20.00 in \(±2.01 in\)"
    with pytest.raises(UserError, match=words):
        sharpen(uncertain(), ENDS_PX, 24.1)
    with pytest.raises(UserError, match=r"you measured 15.90 in"):
        sharpen(uncertain(), ENDS_PX, 15.9)


@pytest.mark.parametrize("measured_in", [0.0, -3.0, float("nan"), float("inf")])
def test_an_invalid_distance_is_refused(measured_in):
    for ends_px, distance_in in ((ENDS_PX, measured_in), ((ENDS_PX[0], ENDS_PX[0]), 12.0)):
        with pytest.raises(UserError, match="two different places on the table"):
            sharpen(uncertain(), ends_px, distance_in)


def test_an_end_beyond_the_horizon_is_refused():
    low = camera(tilt_deg=75.0, at_in=(20.0, -40.0), height_in=10.0)
    with pytest.raises(UserError, match="two different places on the table"):
        sharpen(Calibration(low, {}, 0.1, (low,)), ((400.0, 0.0), (400.0, 600.0)), 12.0)


def test_the_lens_is_updated_too():
    """A focal length uncertain by 1/20 makes all lengths uncertain by 1/20."""
    here, longer = above(), above(focal_px=800 * np.exp(0.05 * PERTURBATION_SIGMAS))
    after = sharpen(Calibration(here, {}, 0.1, (longer,)), ENDS_PX, 20.5)
    assert distance_in(after) == pytest.approx(20.5, abs=0.02)
    assert after.camera.lens.matrix[0, 0] == pytest.approx(800 * 20 / 20.5, rel=2e-3)
    assert after.camera.position_in == pytest.approx(here.position_in)


def test_values_and_functions_give_the_same_result():
    by_value = TapeMeasurement(ENDS_PX, 20.5).sharpen(uncertain())
    assert distance_in(by_value) == distance_in(sharpen(uncertain(), ENDS_PX, 20.5))
    corners = above().table_to_pixel([[2, 8], [22, 8], [22, 26], [2, 26]])
    clicks = tuple((float(x), float(y)) for x, y in corners)
    one = Rectangle(clicks, (20.0, 18.0)).calibrate(SIZE, above().lens)
    other = calibrate_rectangle(clicks, (20.0, 18.0), SIZE, above().lens)
    assert one.camera.translation == pytest.approx(other.camera.translation)
    assert one.camera.position_in == pytest.approx((8, 12, 40), abs=0.01)


CORNERS = above().table_to_pixel([[2, 8], [22, 8], [22, 26], [2, 26]])


@pytest.mark.parametrize("size", [(20.0, 0.0), (-1.0, 18.0), (20.0, float("inf")), (float("nan"), 18.0)])
def test_a_rectangle_without_size_is_refused(size):
    with pytest.raises(UserError, match=f"a rectangle of {size[0]:g} x {size[1]:g} in is not possible"):
        calibrate_rectangle(CORNERS, size, SIZE)


def test_a_rectangle_that_is_not_convex_is_refused():
    for changed in ((700.0, 420.0), (500.0, 200.0)):
        clicks = CORNERS.copy()
        clicks[0] = changed
        with pytest.raises(UserError, match="click the rectangle's four corners in this order"):
            calibrate_rectangle(clicks, (20.0, 18.0), SIZE, above().lens)
    with pytest.raises(UserError, match="click the rectangle's four corners in this order"):
        calibrate_rectangle(np.vstack([CORNERS, CORNERS[:1]]), (20.0, 18.0), SIZE, above().lens)


def test_exchanged_sides_are_refused():
    """18 in wide and 40 in deep, where 20 x 18 in are seen from straight above."""
    with pytest.raises(UserError, match="the clicked corners do not fit a rectangle of 18 x 40 in: check the clicks"):
        calibrate_rectangle(CORNERS, (18.0, 40.0), SIZE, above().lens)


def test_a_clicked_rectangle_has_no_markers():
    found = calibrate_rectangle(CORNERS, (20.0, 18.0), SIZE, above().lens)
    assert found.camera.pixel_to_table(CORNERS) == pytest.approx(
        np.array([[0, 0], [20, 0], [20, 18], [0, 18]]), abs=1e-3
    )
    assert found.markers_in == {}


def test_longer_sides_have_a_smaller_relative_error():
    """The tape's error of 1/16 in applies to the diagonal: the far corner of 20 x 18 in has at least this error."""
    sizes = [(20.0, 18.0), (200.0, 180.0)]
    small, large = (calibrate_rectangle(CORNERS, size, SIZE, above().lens) for size in sizes)
    # The same clicks: without the tape's error, errors would be ten times as large.
    ratio = large.sigma_in([[200.0, 180, 0]]) / small.sigma_in([[20.0, 18, 0]])
    assert 8.0 < ratio < 10.0
