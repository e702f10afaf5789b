"""Every kind of marker issue, rendered on purpose, is found with its place and reason."""

import numpy as np
import pytest

from calibration.calibration_targets import CalibrationTargets
from calibration.diagnosis import why_not
from calibration.marker_issue import Reason
from calibration.opencv import cv2
from tests.calibration.drawn import camera, marker_corners, picture

CAMERA = camera()
GOOD = {0: marker_corners((6, 6), 3), 7: marker_corners((30, 22), 3, 30), 5: marker_corners((9, 21), 3, -60)}
AT = marker_corners((20, 14), 3, 15)
PRINTS = CalibrationTargets()


def middle(corners_in=AT):
    return CAMERA.table_to_pixel(corners_in.mean(0))[0]


def one(gray, lens=None):
    (trouble,) = why_not(gray, PRINTS, lens)
    assert trouble.sentence[0].islower()
    return trouble


def at(trouble):
    return np.mean(trouble.outline_px, axis=0)


def test_a_good_picture_has_no_issues():
    assert why_not(picture(CAMERA, GOOD), PRINTS) == ()
    assert why_not(np.full((540, 960), 120, np.uint8), PRINTS) == ()


@pytest.mark.parametrize(("side_in", "number"), [(1.2, 3), (0.8, None)])
def test_too_small(side_in, number):
    trouble = one(picture(CAMERA, {3: marker_corners((20, 14), side_in)}))
    assert (trouble.reason, trouble.id) == (Reason.TOO_SMALL, number)
    assert at(trouble) == pytest.approx(middle(), abs=2)


def test_blurred():
    """Four pixels of blur over cells of seven leave a tenth of the contrast, and no code."""
    trouble = one(picture(CAMERA, {3: AT}, blur_px=4))
    assert trouble.reason is Reason.BLURRED
    assert at(trouble) == pytest.approx(middle(), abs=6)


@pytest.mark.parametrize("turn_deg", [0, 30])
def test_cut_off(turn_deg):
    edge_in = CAMERA.pixel_to_table((0, 300))[0]
    trouble = one(picture(CAMERA, GOOD | {3: marker_corners(edge_in + (0.4, 0), 3, turn_deg)}))
    assert trouble.reason is Reason.CUT_OFF
    assert at(trouble) == pytest.approx((12, 300), abs=14)


@pytest.mark.parametrize("spot", [(6, 3, 10), (-15, 12, 10)])
def test_glare(spot):
    """A white spot of 10 px radius on a marker of 45 px, inside it or over its border."""
    x, y, radius = spot
    gray = picture(CAMERA, GOOD | {3: AT})
    u, v = middle()
    gray = cv2.GaussianBlur(cv2.circle(gray, (round(u + x), round(v + y)), radius, 255, -1), (0, 0), 0.8)
    trouble = one(gray)
    assert trouble.reason is Reason.GLARE
    assert at(trouble) == pytest.approx(middle(), abs=6)


def test_a_covered_marker():
    gray = picture(CAMERA, GOOD | {3: AT})
    u, v = middle().astype(int)
    gray[v - 8 : v + 8, u - 8 : u + 8] = 110
    assert one(gray).reason is Reason.UNREADABLE


def test_a_number_seen_twice():
    gray = picture(CAMERA, GOOD)
    gray[:, 600:] = picture(CAMERA, {5: marker_corners((32, 20), 3)})[:, 600:]
    troubles = why_not(gray, PRINTS)
    assert [(t.reason, t.id) for t in troubles] == [(Reason.DUPLICATE, 5)] * 2


@pytest.mark.parametrize(
    ("dictionary", "number", "name"),
    [
        ("6X6_250", 7, "6X6_50"),
        ("4X4_100", 77, "4X4_100"),
        ("5X5_1000", 300, "5X5_1000"),
        ("APRILTAG_36h11", 2, "APRILTAG_36h11"),
    ],
)
def test_a_marker_of_another_dictionary(dictionary, number, name):
    """The smallest dictionary of the family that contains it is named, because that is the one people print."""
    trouble = one(picture(CAMERA, {number: AT}, dictionary=dictionary))
    assert (trouble.reason, trouble.id) == (Reason.WRONG_DICTIONARY, number)
    assert f"choose dictionary {name}" in trouble.sentence


def test_a_mirrored_marker():
    flipped = np.ascontiguousarray(picture(CAMERA, GOOD)[:, ::-1])
    troubles = why_not(flipped, PRINTS)
    assert {(t.reason, t.id) for t in troubles} == {(Reason.MIRRORED, n) for n in GOOD}
    u, v = CAMERA.table_to_pixel(GOOD[7].mean(0))[0]
    (seen,) = (t for t in troubles if t.id == 7)
    assert at(seen) == pytest.approx((959 - u, v), abs=1)


@pytest.mark.parametrize("lift_px", [3.0, 5.0])
@pytest.mark.slow
def test_a_curled_marker(lift_px):
    """An obliquely seen marker of 45 px whose right side curls up by this shift in the picture."""
    gray = picture(CAMERA, GOOD | {3: marker_corners((31, 6), 3)})
    u, v = middle(marker_corners((31, 6), 3))
    y, x = np.indices(gray.shape, np.float32)
    lift = lift_px * np.clip((x - u) / 22, 0, 1) ** 2 * (np.hypot(x - u, y - v) < 60)
    trouble = one(cv2.remap(gray, x, (y + lift).astype(np.float32), cv2.INTER_LINEAR), CAMERA.lens)
    assert (trouble.reason, trouble.id) == (Reason.NOT_FLAT, 3)


@pytest.mark.slow
def test_a_marker_of_another_size():
    trouble = one(picture(CAMERA, GOOD | {3: marker_corners((31, 6), 2.85)}), CAMERA.lens)
    assert (trouble.reason, trouble.id) == (Reason.WRONG_SIDE, 3)
    assert "its side is 2.85 in" in trouble.sentence
