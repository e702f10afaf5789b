import math

import numpy as np
import pytest

from calibration.opencv import cv2
from vision.simulation.mesh import turn_z
from vision.simulation.toy_models import Sculpt, toy
from vision.vehicles import hulls

LIMIT = 2.0
PX_PER_IN = 7.0


def drawn(long_in, broad_in, turn_deg=0.0, value=LIMIT, at=(100.0, 80.0)):
    evidence = np.full((160, 200), -LIMIT, np.float32)
    corners = cv2.boxPoints((at, (long_in * PX_PER_IN, broad_in * PX_PER_IN), turn_deg))
    cv2.fillPoly(evidence, [np.round(corners).astype(np.int32)], value)
    return evidence


@pytest.mark.parametrize("turn_deg", [0, 25, 60])
def test_a_tank_is_found_where_it_stands(turn_deg):
    evidence = drawn(5.0, 2.6, turn_deg)
    (hull,) = hulls(evidence, PX_PER_IN, LIMIT)
    # Painting rounds corners to whole pixels; opening with a disc eats half a pixel more.
    assert hull.corners_px.mean(axis=0) == pytest.approx((100, 80), abs=1.0)
    sides = sorted(math.dist(hull.corners_px[k], hull.corners_px[k - 1]) / PX_PER_IN for k in (0, 1))
    assert sides == pytest.approx((2.6, 5.0), abs=3 / PX_PER_IN)
    assert hull.fill > 0.9
    assert hull.mask[80, 100]
    assert not hull.mask[10, 10]


def test_the_gun_is_not_part_of_the_hull():
    evidence = drawn(4.4, 2.4)
    evidence[78:82, 100:150] = LIMIT  # 0.6 in thick, 5 in to the right of the middle
    (hull,) = hulls(evidence, PX_PER_IN, LIMIT)
    assert not hull.mask[80, 140]
    assert hull.corners_px.mean(axis=0) == pytest.approx((100, 80), abs=1.0)


@pytest.mark.parametrize("turn_deg", [0, 70, 200])
def test_a_tank_faces_where_its_gun_points(turn_deg):
    evidence = drawn(4.4, 2.4, turn_deg)
    ahead = np.array([math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))])
    ends = [np.round(np.array([100, 80]) + reach * PX_PER_IN * ahead).astype(int).tolist() for reach in (0, 3.6)]
    cv2.line(evidence, ends[0], ends[1], LIMIT, 3)
    (hull,) = hulls(evidence, PX_PER_IN, LIMIT)
    turned = math.degrees(hull.facing_rad) - turn_deg
    assert (turned + 180) % 360 - 180 == pytest.approx(0, abs=5)


def test_a_hull_without_a_gun_has_no_facing():
    (hull,) = hulls(drawn(4.4, 2.4, 25), PX_PER_IN, LIMIT)
    assert hull.facing_rad is None


def jeep(turn_deg, value=LIMIT):
    evidence = np.full((160, 200), -LIMIT, np.float32)
    lifted = toy(Sculpt.JEEP).polygons_in @ turn_z(turn_deg).T
    flat = (lifted[..., :2] * (1 + lifted[..., 2:] / 50) * PX_PER_IN + (100, 80)) * 16  # seen from 50 in above
    for polygon in np.round(flat).astype(np.int32):
        cv2.fillConvexPoly(evidence, cv2.convexHull(polygon), value, cv2.LINE_8, 4)
    return evidence


@pytest.mark.parametrize("turn_deg", [0, 30, 75, 158])
def test_a_jeep_is_a_vehicle_although_its_wheels_stick_out(turn_deg):
    (hull,) = hulls(jeep(turn_deg), PX_PER_IN, LIMIT)
    # It is 2.75 in long with the spare wheel at its back and 1.26 in wide with the wheels.
    assert hull.corners_px.mean(axis=0) == pytest.approx((100, 80), abs=1.5)


@pytest.mark.parametrize(
    ("long_in", "broad_in"),
    [(1.1, 0.8), (2.4, 1.0), (12.0, 0.3), (4.0, 4.0), (15.0, 9.0)],
    ids=["soldier", "two soldiers", "pencil", "square as a tree's box", "book"],
)
def test_other_shapes_are_not_vehicles(long_in, broad_in):
    assert list(hulls(drawn(long_in, broad_in), PX_PER_IN, LIMIT)) == []


def test_a_round_canopy_is_not_a_vehicle():
    evidence = np.full((160, 200), -LIMIT, np.float32)
    cv2.ellipse(evidence, (100, 80), (18, 12), 0, 0, 360, LIMIT, -1)  # 5.1 by 3.4 in
    assert list(hulls(evidence, PX_PER_IN, LIMIT)) == []


def test_a_ragged_shape_needs_strong_evidence():
    assert list(hulls(jeep(158, value=0.6 * LIMIT), PX_PER_IN, LIMIT)) == []


def test_faint_evidence_is_not_a_vehicle():
    assert list(hulls(drawn(5.0, 2.6, value=0.3 * LIMIT), PX_PER_IN, LIMIT)) == []
