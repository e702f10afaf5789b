import numpy as np
import pytest
from scipy.spatial.distance import pdist

from calibration.calibration_targets import CalibrationTargets, Detections, calibrate, combine_frames, fix, see
from calibration.marker_issue import Reason
from calibration.markers import Board
from calibration.opencv import cv2
from calibration.print_scale import PrintScale
from calibration.solve import laid_at, marker_square
from rules.tabletop.errors import UserError
from tests.calibration.drawn import camera, marker_corners, picture

LAYOUT = {0: marker_corners((5, 5), 3.0), 1: marker_corners((35, 5), 3.0, 90), 2: marker_corners((34, 24), 3.0, 10)}
CAMERA = camera()
GRAY = picture(CAMERA, LAYOUT, noise=1.5)


def worst_in(calibration):
    places = np.array([[x, y, 0.0] for x in (3, 20, 37) for y in (3, 14, 26)])
    return np.abs(calibration.camera.pixel_to_table(CAMERA.table_to_pixel(places)) - places[:, :2]).max()


def test_from_a_picture_to_inches():
    calibration = calibrate(GRAY, CalibrationTargets(layout=LAYOUT), CAMERA.lens)
    assert worst_in(calibration) < 0.03
    assert calibration.residual_px < 0.3


def test_without_a_lens_profile():
    assert worst_in(calibrate(GRAY, CalibrationTargets(layout=LAYOUT))) < 0.15


def test_markers_outside_the_layout_get_a_place():
    calibration = calibrate(GRAY, CalibrationTargets(layout={0: LAYOUT[0], 1: LAYOUT[1]}), CAMERA.lens)
    assert calibration.markers_in[2] == pytest.approx(LAYOUT[2], abs=0.05)


def test_a_picture_without_markers_is_refused():
    with pytest.raises(UserError, match="lay a printed marker flat"):
        calibrate(np.full((540, 960), 128, np.uint8), CalibrationTargets())


def test_a_picture_without_markers_of_the_layout_is_refused():
    with pytest.raises(UserError, match="none of the markers in the layout"):
        calibrate(GRAY, CalibrationTargets(layout={9: LAYOUT[0]}))


def test_a_side_that_contradicts_the_layout_is_refused():
    with pytest.raises(UserError, match=r"marker 0 has a side of 3 in in the layout file, .* 2 in"):
        calibrate(GRAY, CalibrationTargets(side_in=2.0, layout=LAYOUT))


FOUR = LAYOUT | {3: marker_corners((6, 23), 3.0, -20)}


def picture_with_wrong_marker(number, corners, others=FOUR):
    """A picture of markers, one of which is drawn with other corners than stated."""
    return picture(CAMERA, {n: places for n, places in others.items() if n != number} | {number: corners}, noise=1.5)


@pytest.mark.parametrize(
    ("lens", "side_in"), [(CAMERA.lens, 2.85), (CAMERA.lens, 3.2), pytest.param(None, 2.7, marks=pytest.mark.slow)]
)
def test_a_marker_of_another_size_does_not_affect_the_others(lens, side_in):
    found = fix(
        see(picture_with_wrong_marker(2, marker_corners((34, 24), side_in, 10)), CalibrationTargets()),
        CalibrationTargets(),
        lens,
    )
    (trouble,) = found.set_aside
    assert (trouble.reason, trouble.id) == (Reason.WRONG_SIDE, 2)
    assert set(found.calibration.markers_in) == {0, 1, 3}
    true = np.linalg.norm(FOUR[1].mean(0) - FOUR[3].mean(0))
    places = found.calibration.markers_in
    away = np.linalg.norm(places[1].mean(0) - places[3].mean(0))
    # With an unknown lens, three markers leave an error of 0.1 in over 34 in.
    assert away == pytest.approx(true, abs=0.03 if lens else 0.15)


def test_the_bad_one_of_three_markers_is_found():
    found = fix(
        see(picture_with_wrong_marker(1, marker_corners((35, 5), 2.8, 90), LAYOUT), CalibrationTargets()),
        CalibrationTargets(),
        CAMERA.lens,
    )
    assert [(t.reason, t.id) for t in found.set_aside] == [(Reason.WRONG_SIDE, 1)]


def test_a_marker_away_from_its_place_in_the_layout_is_set_aside():
    prints = CalibrationTargets(layout=FOUR)
    found = fix(see(picture_with_wrong_marker(2, marker_corners((33, 24), 3.0, 10)), prints), prints, CAMERA.lens)
    assert [t.id for t in found.set_aside] == [2]
    assert worst_in(found.calibration) < 0.03


def test_a_duplicate_marker_does_not_affect_the_others():
    gray = picture(CAMERA, FOUR, noise=1.5)
    x, y = CAMERA.table_to_pixel((20.0, 14.0, 0.0))[0].astype(int)
    corners = CAMERA.table_to_pixel(FOUR[2]).astype(int)
    low, high = corners.min(0), corners.max(0)
    patch = gray[low[1] - 12 : high[1] + 12, low[0] - 12 : high[0] + 12]
    gray[y : y + patch.shape[0], x : x + patch.shape[1]] = patch
    found = fix(see(gray, CalibrationTargets()), CalibrationTargets(), CAMERA.lens)
    assert [(t.reason, t.id) for t in found.set_aside] == [(Reason.DUPLICATE, 2)] * 2
    assert set(found.calibration.markers_in) == {0, 1, 3}


@pytest.mark.slow
def test_good_markers_are_not_set_aside():
    for lens in (CAMERA.lens, None):
        assert (
            fix(see(picture(CAMERA, FOUR, noise=3.0), CalibrationTargets()), CalibrationTargets(), lens).set_aside == ()
        )


@pytest.mark.slow
def test_each_corner_is_the_median_of_several_frames():
    rng = np.random.default_rng(4)
    still = picture(CAMERA, FOUR).astype(float)
    shots = [np.clip(still + rng.normal(0, 8, still.shape), 0, 255).astype(np.uint8) for _ in range(8)]
    shots[3] = picture(CAMERA, FOUR | {0: marker_corners((5.3, 5), 3)})  # a hand nudges one, for one frame
    shots[5] = picture(CAMERA, {n: FOUR[n] for n in (0, 1, 3)})  # and hides another
    frames = [see(shot, CalibrationTargets()) for shot in shots]
    joint = combine_frames(frames)
    assert set(joint.corners_px) == set(FOUR)
    truth = {n: CAMERA.table_to_pixel(corners) for n, corners in FOUR.items()}

    def error_px(detections):
        return np.sqrt(np.mean([(detections.corners_px[n] - truth[n]) ** 2 for n in truth]))

    alone = np.median([error_px(detections) for detections in frames[:3]])
    # Noise alone would fall to 1.25 / sqrt(7) of it; the systematic error of the fit remains.
    assert error_px(joint) < 0.75 * alone


def test_a_board_calibrates_the_table():
    board = Board(7, 5, 1.4, 1.0)
    image = cv2.aruco.CharucoBoard((7, 5), 1.4, 1.0, cv2.aruco.getPredefinedDictionary(0)).generateImage((700, 500))
    image = np.pad(image, ((100, 140), (150, 110)), constant_values=200)  # 960 x 740, 71.4 px an inch
    calibration = calibrate(image, CalibrationTargets(board=board))
    corners = np.concatenate([calibration.markers_in[n] for n in range(17)])
    assert np.ptp(corners, axis=0) == pytest.approx([7 * 1.4 - 0.4, 5 * 1.4 - 0.4], abs=0.05)
    # The same table with a known place of the board: the layout defines the frame.
    layout = {n: c + (3.0, 4.0) for n, c in calibration.markers_in.items()}
    moved = calibrate(image, CalibrationTargets(board=board, layout=layout))
    assert moved.markers_in[5] == pytest.approx(layout[5], abs=0.01)


def test_a_picture_without_the_board_is_refused():
    with pytest.raises(UserError, match="no marker found"):
        calibrate(GRAY, CalibrationTargets(board=Board(7, 5, 1.4, 1.0)))


UNEVEN = PrintScale(98.0, 101.5)


def ranges_off(scale, count, trials=12):
    """Median relative error of ranges and their stated sigma, for markers from an uneven printer."""
    rng = np.random.default_rng(1)
    places = np.array([[3.0, 3.0], [37, 3], [3, 25], [37, 25], [20, 14]])
    middle = CAMERA.table_to_pixel(places)
    off = []
    for _ in range(trials):
        seen = {}
        for number in range(count):
            shape = UNEVEN.true_in(marker_square(3.0))
            place = (*rng.uniform([4, 4], [36, 24]), rng.uniform(0, 2 * np.pi))
            corners_px = CAMERA.table_to_pixel(laid_at(shape, place))
            seen[number] = corners_px + rng.normal(0, 0.05, (4, 2))
        camera = fix(Detections((960, 540), seen), CalibrationTargets(scale=scale), CAMERA.lens).calibration.camera
        found, true = (pdist(at) for at in (camera.pixel_to_table(middle), places))
        off.append(np.median(np.abs(found / true - 1)))
    return float(np.median(off))


@pytest.mark.slow
def test_a_measured_print_scale_corrects_an_uneven_print():
    """Without the scale, a marker printed 2 % narrower and 1.5 % longer tilts the whole table."""
    assert ranges_off(UNEVEN, 1) < 0.006
    assert ranges_off(None, 1) > 0.03
    assert ranges_off(UNEVEN, 4) < 0.003


def test_a_measured_print_scale_reduces_sigma():
    far = [[33.0, 14.0, 0.0]]
    measured, unmeasured = (
        fix(see(GRAY, p), p, CAMERA.lens).calibration
        for p in (CalibrationTargets(scale=PrintScale()), CalibrationTargets())
    )
    # 0.5 % against 0.25 % of the 10 in from the markers' centre; the rest is the noise of the corners.
    assert unmeasured.sigma_in(far) > 1.5 * measured.sigma_in(far)


def test_a_measured_print_scale_corrects_an_uneven_board():
    prints = CalibrationTargets(board=Board(7, 5, 1.4, 1.0), scale=UNEVEN)
    corners = prints.board_corners_in(np.arange(24, dtype=np.int32))
    assert np.ptp(corners, axis=0) == pytest.approx([5 * 1.4 * 0.98, 3 * 1.4 * 1.015])
    assert np.ptp(prints.board_marks_in[0], axis=0) == pytest.approx([0.98, 1.015])


@pytest.mark.slow
def test_errors_of_a_hand_made_layout_match_the_stated_sigma():
    """Layout places that are off by half a millimetre cause errors that match sigma."""
    rng = np.random.default_rng(5)
    ratios = []
    for _ in range(20):
        stated = {n: corners + rng.normal(0, 0.02, 2) for n, corners in FOUR.items()}
        seen = {n: CAMERA.table_to_pixel(corners) for n, corners in FOUR.items()}
        known = fix(Detections((960, 540), seen), CalibrationTargets(layout=stated), CAMERA.lens).calibration
        places = np.array([[x, y, 0.0] for x in (3, 20, 37) for y in (3, 14, 26)])
        off = known.camera.pixel_to_table(CAMERA.table_to_pixel(places)) - places[:, :2]
        ratios.append(off / known.sigma_in(places)[:, None])
    assert 0.5 < np.sqrt(np.mean(np.square(ratios))) < 1.25
