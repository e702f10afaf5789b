import math

import numpy as np
import pytest

from calibration.opencv import cv2
from rules.table import Posture
from vision.plastic import SCULPT_POSTURE, Sculpt, toy
from vision.stance import standing_odds
from vision.tiles import CROP_PX, CROP_PX_PER_IN

FEET = np.array([24.0, 31.5])
CAMERA_IN = 50.0
UPRIGHT = [
    sculpt for sculpt in Sculpt if SCULPT_POSTURE.get(sculpt, Posture.STANDING) in (Posture.STANDING, Posture.KNEELING)
]


def crop(sculpt, lean, turn_deg, feet=FEET):
    """Evidence of a solid whose feet are `lean` of the camera's height off its axis: point by point its shadow."""
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    polygons_in = toy(sculpt).polygons_in @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    flat, height = polygons_in[..., :2], polygons_in[..., 2:]
    lifted = flat + (flat + (lean * CAMERA_IN, 0)) * height / (CAMERA_IN - height)
    mask = np.zeros((CROP_PX, CROP_PX), np.uint8)
    for polygon in np.round(lifted * CROP_PX_PER_IN + feet).astype(np.int32):
        cv2.fillConvexPoly(mask, cv2.convexHull(polygon), 1)
    return np.where(mask > 0, 1, -1).astype(np.float32)


@pytest.mark.parametrize("sculpt", UPRIGHT)
def test_toys_far_out_are_told_apart(sculpt):
    # Where bodies lean out by 0.45 of their height, heads 2.1 and 1.5 in up land 0.27 in apart: five pixels.
    stands = SCULPT_POSTURE.get(sculpt, Posture.STANDING) is Posture.STANDING
    odds = [standing_odds(crop(sculpt, lean, turn), FEET, lean) for turn in range(15, 360, 60) for lean in (0.45, 0.55)]
    assert np.mean((np.array(odds) > 0) == stands) >= 0.75  # a coin would reach this once in 14 times


def test_where_nothing_is_seen_nothing_is_said():
    assert standing_odds(np.zeros((CROP_PX, CROP_PX), np.float32), FEET, 0.4) == 0


def test_feet_three_pixels_off_make_no_difference_to_speak_of():
    seen = crop(UPRIGHT[0], 0.45, 40)
    there, beside = (standing_odds(seen, FEET + shift, 0.45) for shift in ((0, 0), (2, -3)))
    assert beside == pytest.approx(there, rel=0.25)


def test_feet_outside_of_the_crop_say_nothing_rather_than_fail():
    assert standing_odds(crop(UPRIGHT[0], 0.45, 40), np.array([-40.0, 90.0]), 0.45) == 0
