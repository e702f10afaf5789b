import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rules.tabletop.bearing import (
    Turning,
    arc_sigma_deg,
    aspect_sigma_deg,
    bearing_deg,
    onward,
    turn_deg,
)
from rules.tabletop.errors import UserError
from tests.rules.board import figure

angles = st.floats(-720, 720)
places = st.floats(-50, 50)


@pytest.mark.parametrize(
    ("to", "bearing"), [((5, 0), 0), ((0, 5), 90), ((-5, 0), 180), ((0, -5), 270), ((-3, -3), 225)]
)
def test_bearings_are_counter_clockwise_from_the_near_edge(to, bearing):
    assert bearing_deg((0, 0), to) == pytest.approx(bearing)


def test_bearing_to_the_same_place_is_refused():
    with pytest.raises(UserError, match="different places"):
        bearing_deg((1, 2), (1, 2))


@pytest.mark.parametrize(
    ("start", "end", "turn"), [(350, 10, 20), (10, 350, -20), (0, 180, 180), (180, 0, 180), (90, 90, 0), (0, 540, 180)]
)
def test_shorter_turn_wraps_around(start, end, turn):
    assert turn_deg(start, end) == pytest.approx(turn)


@given(angles, angles)
def test_turn_leads_to_the_target_direction(start, end):
    turn = turn_deg(start, end)
    assert -180 < turn <= 180
    assert math.remainder(start + turn - end, 360) == pytest.approx(0, abs=1e-9)


@given(places, places, angles, st.floats(0.1, 50))
def test_onward_is_the_inverse_of_bearing(x, y, toward, distance):
    there = onward((x, y), toward, distance)
    assert math.dist((x, y), there) == pytest.approx(distance)
    assert math.remainder(bearing_deg((x, y), there) - toward, 360) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("turn", "steps"),
    # "At most 45 degrees and costs 1 in; 90 = 2 in, 180 = 4 in"; a part of a step costs a whole one.
    [(0, 0), (1, 1), (45, 1), (46, 2), (90, 2), (-90, 2), (180, 4), (270, 2), (135, 3)],
)
def test_turning_in_steps_of_45(turn, steps):
    assert Turning(45, 1).steps(10, 10 + turn) == steps
    assert Turning(45, 1.5).price_in(10, 10 + turn) == pytest.approx(1.5 * steps)


@given(angles, angles)
def test_opposite_turns_cost_the_same(start, end):
    assume(abs(abs(turn_deg(start, end)) % 45) > 1e-6)  # not at a whole step, where rounding may tip either way
    assert Turning(45, 1).steps(start, end) == Turning(45, 1).steps(end, start)


@pytest.mark.parametrize("wrong", [(0, 1), (-45, 1), (45, -1), (math.nan, 1)])
def test_invalid_turning_is_refused(wrong):
    with pytest.raises(UserError, match="turning"):
        Turning(*wrong)


def test_angle_error_decreases_with_distance():
    # 0.3 and 0.4 in across make 0.5 in: atan(0.5 / 5) = 5.71 degrees.
    soldier, near = figure("a", 0, 0, sigma=0.3, facing=0), figure("b", 5, 0, sigma=0.4)
    assert aspect_sigma_deg(soldier, near) == pytest.approx(math.degrees(math.atan(0.1)))


def test_standard_deviation_of_an_arc():
    # Both 10 in away with an error of 0.1 in: 0.01 rad each, 0.01 sqrt 2 together. A shooter's error of 0.1 in along y
    # changes the bearing to the right by 0.01 rad, and one along x the bearing upwards by as much: the same result.
    a, b = figure("a", 10, 0, 0.1), figure("b", 0, 10, 0.1)
    assert arc_sigma_deg(figure("gun", 0, 0), [a, b]) == pytest.approx(math.degrees(0.01 * math.sqrt(2)))
    assert arc_sigma_deg(figure("gun", 0, 0, 0.1), [a, b]) == pytest.approx(math.degrees(0.02))
    assert arc_sigma_deg(figure("gun", 0, 0, 0.1), [a]) == 0
    # Between two opposite targets with exact places, a sideways error turns both bearings the same way: 0.02 rad.
    opposite = [figure("a", 10, 0), figure("b", -10, 0)]
    assert arc_sigma_deg(figure("gun", 0, 0, 0.1), opposite) == pytest.approx(math.degrees(0.02))


@pytest.mark.parametrize(
    ("bearings", "ends"), [((10, 50, 30), (0, 1)), ((340, 20, 0), (0, 1)), ((60, 120, 100, 80), (0, 1))]
)
def test_only_the_outermost_targets_count_for_an_arc(bearings, ends):
    # Each 10 in away: an error of 0.1 in across at each end of the arc, none from the targets between them.
    targets = [figure(str(k), *onward((2, 3), deg, 10), 0.1) for k, deg in enumerate(bearings)]
    targets = [one if k in ends else figure(one.id, *one.centre_in, 9.0) for k, one in enumerate(targets)]
    assert arc_sigma_deg(figure("gun", 2, 3), targets) == pytest.approx(math.degrees(0.01 * math.sqrt(2)))
