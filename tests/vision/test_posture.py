import math

import numpy as np
import pytest

from calibration.opencv import cv2
from rules.table import Posture
from tests.vision.figure_pictures import camera, soldier
from vision.plastic import SCULPT_POSTURE, Sculpt, toy
from vision.posture import upright_stance, window_half
from vision.segment import EVIDENCE_LIMIT
from vision.sheet import lay_sheet

EYE = camera()
FOOT = np.array([15.0, 12.0])
CAMERA_IN = 40.0
PX_PER_IN = 14.0
HALF = window_half(PX_PER_IN, 1.0)
UPRIGHT = [
    sculpt for sculpt in Sculpt if SCULPT_POSTURE.get(sculpt, Posture.STANDING) in (Posture.STANDING, Posture.KNEELING)
]


def stance(evidence, away):
    return upright_stance(evidence, np.asarray(away), CAMERA_IN, PX_PER_IN, 1.0)


def seen(polygons_in, away):
    """Evidence of a solid standing `away` from the camera's foot: its shadow from the camera, point by point."""
    flat, height = polygons_in[..., :2], polygons_in[..., 2:]
    lifted = flat + (flat + away) * height / (CAMERA_IN - height)
    mask = np.zeros((2 * HALF + 1,) * 2, np.uint8)
    for polygon in np.round(lifted * PX_PER_IN + HALF).astype(np.int32):
        cv2.fillConvexPoly(mask, cv2.convexHull(polygon), 1)
    return np.where(mask > 0, EVIDENCE_LIMIT, -EVIDENCE_LIMIT).astype(np.float32)


def turned(mesh, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return mesh.polygons_in @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])


def test_where_nothing_tells_the_commoner_posture_is_said_with_its_own_odds():
    nothing = np.zeros((2 * HALF + 1,) * 2, np.float32)
    told = stance(nothing, (3.0, 4.0))
    assert told.posture is Posture.STANDING
    assert told.chance == pytest.approx(2 / 3)  # two stand for one who kneels


@pytest.mark.parametrize("sculpt", UPRIGHT)
def test_toys_far_out_are_told_apart(sculpt):
    # 18 in off the axis heads of 2.1 and 1.5 in land 1.0 and 0.7 in outwards, four pixels apart.
    right = [
        stance(seen(turned(toy(sculpt), turn), away), away).posture is SCULPT_POSTURE.get(sculpt, Posture.STANDING)
        for turn in range(15, 360, 60)
        for away in ((18.0, 0.0), (-11.0, 14.0))
    ]
    assert np.mean(right) >= 0.75  # a coin would reach this once in 50 times


@pytest.mark.parametrize("posture", [Posture.STANDING, Posture.KNEELING])
@pytest.mark.parametrize("place", [(27.0, 20.0), (3.0, 4.0), (28.0, 5.0)])
def test_plain_bodies_far_out_are_told_apart(posture, place):
    picture = np.zeros((720, 960, 3), np.uint8)
    soldier(picture, EYE, *place, (255, 255, 255), posture=posture)
    low = np.array(place) - (HALF + 0.5) / PX_PER_IN
    sheet = lay_sheet(EYE, low, low + (2 * HALF + 1) / PX_PER_IN, 0.0, PX_PER_IN)
    laid = sheet.lay(picture)[: 2 * HALF + 1, : 2 * HALF + 1, 0]
    evidence = np.where(laid > 127, EVIDENCE_LIMIT, -EVIDENCE_LIMIT).astype(np.float32)
    assert stance(evidence, np.array(place) - FOOT).posture is posture
