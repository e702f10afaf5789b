import numpy as np
import pytest

from calibration.markers import Board
from calibration.opencv import cv2
from calibration.prints import Prints, calibrate, watch
from rules.table import Refused
from tests.calibration.drawn import camera, marker_corners, picture

LAYOUT = {0: marker_corners((5, 5), 3.0), 1: marker_corners((35, 5), 3.0, 90), 2: marker_corners((34, 24), 3.0, 10)}
CAMERA = camera()
GRAY = picture(CAMERA, LAYOUT, noise=1.5)


def worst_in(calibration):
    places = np.array([[x, y, 0.0] for x in (3, 20, 37) for y in (3, 14, 26)])
    return np.abs(calibration.camera.pixel_to_table(CAMERA.table_to_pixel(places)) - places[:, :2]).max()


def test_from_a_picture_to_inches():
    calibration = calibrate(GRAY, Prints(layout=LAYOUT), CAMERA.lens)
    assert worst_in(calibration) < 0.03
    assert calibration.residual_px < 0.3


def test_without_a_lens_profile():
    assert worst_in(calibrate(GRAY, Prints(layout=LAYOUT))) < 0.15


def test_markers_of_the_picture_that_no_layout_names_are_placed_too():
    calibration = calibrate(GRAY, Prints(layout={0: LAYOUT[0], 1: LAYOUT[1]}), CAMERA.lens)
    assert calibration.markers_in[2] == pytest.approx(LAYOUT[2], abs=0.05)


def test_no_marker_at_all():
    with pytest.raises(Refused, match="lay a printed marker flat"):
        calibrate(np.full((540, 960), 128, np.uint8), Prints())


def test_none_of_the_layout_is_there():
    with pytest.raises(Refused, match="none of the layout's markers"):
        calibrate(GRAY, Prints(layout={9: LAYOUT[0]}))


def test_a_side_that_contradicts_the_layout():
    with pytest.raises(Refused, match=r"marker 0 3 in a side, .* 2 in"):
        calibrate(GRAY, Prints(side_in=2.0, layout=LAYOUT))


@pytest.mark.parametrize("side", [0.0, -3.0, 100.0, float("nan")])
def test_a_side_that_cannot_be(side):
    with pytest.raises(Refused, match="marker side"):
        Prints(side_in=side)


def test_a_still_camera_has_not_moved():
    calibration = calibrate(GRAY, Prints(layout=LAYOUT), CAMERA.lens)
    drift = watch(GRAY, calibration, Prints())
    assert (drift.seen, drift.expected) == (3, 3)
    assert drift.shift_px < 0.3
    assert not drift.moved(960)


def test_a_bumped_camera_has_and_a_hidden_marker_is_only_hidden():
    calibration = calibrate(GRAY, Prints(layout=LAYOUT), CAMERA.lens)
    bumped = picture(camera(at_in=(20.15, 14.1)), LAYOUT)
    drift = watch(bumped, calibration, Prints())
    # 0.15 and 0.1 in at 15 px an inch: about 2.7 px.
    assert drift.shift_px == pytest.approx(2.7, abs=0.4)
    assert drift.moved(960)
    hidden = GRAY.copy()
    hidden[:, :480] = 120
    drift = watch(hidden, calibration, Prints())
    assert (drift.seen, drift.moved(960)) == (2, False)
    assert watch(np.full_like(GRAY, 120), calibration, Prints()).seen == 0


def test_a_board_on_the_table():
    board = Board(7, 5, 1.4, 1.0)
    image = cv2.aruco.CharucoBoard((7, 5), 1.4, 1.0, cv2.aruco.getPredefinedDictionary(0)).generateImage((700, 500))
    image = np.pad(image, ((100, 140), (150, 110)), constant_values=200)  # 960 x 740, 71.4 px an inch
    calibration = calibrate(image, Prints(board=board))
    corners = np.concatenate([calibration.markers_in[n] for n in range(17)])
    assert np.ptp(corners, axis=0) == pytest.approx([7 * 1.4 - 0.4, 5 * 1.4 - 0.4], abs=0.05)
    # The same table with the board's place known: the frame is the layout's.
    layout = {n: c + (3.0, 4.0) for n, c in calibration.markers_in.items()}
    moved = calibrate(image, Prints(board=board, layout=layout))
    assert moved.markers_in[5] == pytest.approx(layout[5], abs=0.01)


def test_no_board_in_sight():
    with pytest.raises(Refused, match="no marker was found"):
        calibrate(GRAY, Prints(board=Board(7, 5, 1.4, 1.0)))
