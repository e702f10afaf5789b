import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.measure import range_between
from rules.table import Figure, Posture, ellipse_outline

places = st.floats(-50, 50)


def figure(name, x, y, sigma=0.1, base=None):
    return Figure(name, "tan", x, y, 0.0, sigma, Posture.STANDING, base or ellipse_outline((x, y), 0.5, 0.5))


def square(x, y, half):
    return ((x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half))


def test_centre_and_edge():
    # 3-4-5 triangle between centres; squares of half side 0.5 face each other over 3 - 1 in x and 4 - 1 in y.
    a, b = figure("a", 0, 0, base=square(0, 0, 0.5)), figure("b", 3, 4, base=square(3, 4, 0.5))
    found = range_between(a, b)
    assert found.centre_in == pytest.approx(5)
    assert found.edge_in == pytest.approx(math.hypot(2, 3))
    assert found.edge_segment_in == ((0.5, 0.5), (2.5, 3.5))


def test_bases_that_touch_are_at_no_range():
    assert range_between(figure("a", 0, 0), figure("b", 0.8, 0)).edge_in == 0


def test_independent_errors_add_in_quadrature():
    assert range_between(figure("a", 0, 0, 0.3), figure("b", 5, 0, 0.4)).sigma_in == pytest.approx(0.5)
    assert range_between(figure("a", 0, 0, 0.3), figure("b", 5, 0, 0.4), 0.1).sigma_in == 0.1


@given(places, places, places, places)
def test_a_range_is_the_same_from_both_ends(ax, ay, bx, by):
    there = range_between(figure("a", ax, ay), figure("b", bx, by))
    back = range_between(figure("b", bx, by), figure("a", ax, ay))
    assert there.centre_in == back.centre_in
    assert there.edge_in == pytest.approx(back.edge_in, abs=1e-9)
    assert there.turned().centre_segment_in == back.centre_segment_in


@given(places, places, st.floats(0, 360))
def test_turning_the_table_changes_no_range(x, y, turn):
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    a, b = figure("a", 1, 2), figure("b", x, y)
    turned = [
        figure(f.id, c * f.x_in - s * f.y_in, s * f.x_in + c * f.y_in,
               base=tuple((c * u - s * v, s * u + c * v) for u, v in f.base_in))
        for f in (a, b)
    ]  # fmt: skip
    assert range_between(*turned).edge_in == pytest.approx(range_between(a, b).edge_in, abs=1e-9)
