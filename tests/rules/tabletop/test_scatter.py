import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.tabletop.bearing import Compass, bearing_deg, drifted
from tests.rules.board import Turned

places = st.floats(-50, 50)


@pytest.mark.parametrize(
    ("direction", "place"),
    # Fired along +x from the left edge: left is up the table, right is down, south is back to the firer.
    [(Compass.WEST, (10, 3)), (Compass.EAST, (10, -3)), (Compass.SOUTH, (7, 0)), (Compass.NORTH, (13, 0))],
)
def test_shot_strays_relative_to_the_line_of_fire(direction, place):
    assert drifted((10, 0), direction, 3, bearing_deg((0, 0), (10, 0))) == pytest.approx(place)


@pytest.mark.parametrize(
    ("direction", "place"),
    [(Compass.NORTH, (10, 36)), (Compass.EAST, (34, 12)), (Compass.SOUTH, (10, -12)), (Compass.WEST, (-14, 12))],
)
def test_paratrooper_drifts_two_feet(direction, place):
    assert drifted((10, 12), direction, 24) == pytest.approx(place)


def test_other_direction_of_north():
    assert drifted((0, 0), Compass.EAST, 5, north_deg=0) == pytest.approx((0, -5))


@given(places, places, st.sampled_from(Compass), st.floats(0, 40), st.builds(Turned, st.floats(0, 360), places, places))
def test_stray_turns_with_the_table(x, y, direction, distance, table):
    spot, firer = (x, y), (60.0, 1.0)
    there = drifted(table.point(spot), direction, distance, bearing_deg(table.point(firer), table.point(spot)))
    here = drifted(spot, direction, distance, bearing_deg(firer, spot))
    assert there == pytest.approx(table.point(here), abs=1e-8)
    assert math.dist(there, table.point(spot)) == pytest.approx(distance)
