import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.tabletop.errors import UserError
from rules.tabletop.measure import range_between, range_to
from rules.tabletop.table import ellipse_outline
from rules.tabletop.tolerance import Comparison
from tests.rules.board import Turned, block, figure, square

places = st.floats(-50, 50)
tables = st.builds(Turned, st.floats(0, 360), places, places)


def test_centre_and_edge():
    # 3-4-5 triangle between centres; between squares of half side 0.5 the gap is 3 - 1 in x and 4 - 1 in y.
    found = range_between(block("a", 0, 0), block("b", 3, 4))
    assert found.centre_in == pytest.approx(5)
    assert found.edge_in == pytest.approx(math.hypot(2, 3))
    assert found.edge_segment_in == ((0.5, 0.5), (2.5, 3.5))


def test_height_does_not_count_along_the_table():
    found = range_between(block("a", 0, 0), figure("b", 4, 0, base=square(4, 0, 0.5), z=4.0))
    assert found.edge_in == pytest.approx(3)
    assert (found.rise_in, found.turned().rise_in) == (4, -4)


def test_range_of_touching_bases_is_zero():
    assert range_between(figure("a", 0, 0), figure("b", 0.8, 0)).edge_in == 0


def test_round_bases_touch_in_every_direction():
    # Their centres are two half bases apart; the polygons of the circles leave gaps of up to 0.003 in between them.
    turns = (math.radians(degrees) for degrees in range(0, 360, 7))
    around = [ellipse_outline((math.cos(turn), math.sin(turn)), 0.5, 0.5) for turn in turns]
    ranges = [range_to(figure("a", 0, 0, base=ellipse_outline((0, 0), 0.5, 0.5)), outline) for outline in around]
    assert {one.edge_in for one in ranges} == {0}
    assert range_between(block("a", 0, 0), block("b", 1.02, 0)).edge_in == pytest.approx(0.02)


def test_independent_errors_add_in_quadrature():
    assert range_between(figure("a", 0, 0, 0.3), figure("b", 5, 0, 0.4)).sigma_in == pytest.approx(0.5)
    assert range_between(figure("a", 0, 0, 0.3), figure("b", 5, 0, 0.4), 0.1).sigma_in == 0.1


@pytest.mark.parametrize(
    ("gap", "sigma", "call"),
    [
        (0.0, 0.2, Comparison.IN),  # measured as touching: in contact
        (-0.1, 0.2, Comparison.IN),  # bases cannot overlap, so this is a measurement error
        (0.1, 0.1, Comparison.TOO_CLOSE),
        (0.1, 0.0, Comparison.OUT),
    ],
)
def test_base_contact(gap, sigma, call):
    # Each end has an error of sigma / sqrt 2, so that the gap has an error of sigma.
    a, b = block("a", 0, 0, sigma=sigma / math.sqrt(2)), block("b", 1 + gap, 0, sigma=sigma / math.sqrt(2))
    assert range_between(a, b).contact() is call


def test_range_within_a_limit():
    apart = range_between(block("a", 0, 0, sigma=0.03), block("b", 7, 0, sigma=0.04))  # 6 in with sigma 0.05
    assert [apart.within(limit) for limit in (5.85, 5.95, 6.05, 6.15)] == [
        Comparison.OUT,
        Comparison.TOO_CLOSE,
        Comparison.TOO_CLOSE,
        Comparison.IN,
    ]


@given(places, places, places, places)
def test_range_is_symmetric(ax, ay, bx, by):
    there = range_between(figure("a", ax, ay), figure("b", bx, by))
    back = range_between(figure("b", bx, by), figure("a", ax, ay))
    assert there.centre_in == back.centre_in
    assert there.edge_in == pytest.approx(back.edge_in, abs=1e-9)
    assert there.turned().centre_segment_in == back.centre_segment_in


@given(places, places, tables)
def test_range_does_not_depend_on_the_tables_pose(x, y, table):
    a, b = figure("a", 1, 2), figure("b", x, y)
    there, here = range_between(table.figure(a), table.figure(b)), range_between(a, b)
    assert there.edge_in == pytest.approx(here.edge_in, abs=1e-9)
    assert there.centre_in == pytest.approx(here.centre_in, abs=1e-9)


def test_range_to_a_point_a_line_and_an_area():
    soldier = block("a", 0, 0, sigma=0.3)
    spot = range_to(soldier, ((3.5, 4.5),), z_in=2.0, sigma_in=0.4)
    assert spot.edge_in == pytest.approx(5)  # from the corner (0.5, 0.5): 3-4-5
    assert spot.centre_in == pytest.approx(math.hypot(3.5, 4.5))
    assert spot.sigma_in == pytest.approx(0.5)
    assert spot.rise_in == 2
    assert range_to(soldier, ((-10, -3), (10, -3))).edge_in == pytest.approx(2.5)  # the near edge, 3 in off
    assert range_to(soldier, square(4, 0, 1)).edge_in == pytest.approx(2.5)  # 4 - 1 - 0.5
    assert range_to(soldier, square(0, 0, 3)).centre_in == 0


@pytest.mark.parametrize("marked", [(), ((0, 0), (2, 2), (2, 0), (0, 2)), ((0, 0), (1, 1), (2, 2))])
def test_range_to_invalid_geometry_is_refused(marked):
    with pytest.raises(UserError, match=r"draw it again|mark a point"):
        range_to(figure("a", 0, 0), marked)


def test_self_intersecting_base_becomes_its_hull():
    crossed = figure("a", 0.5, 0.5, base=((0, 0), (1, 1), (1, 0), (0, 1)))
    assert range_between(crossed, block("b", 3.5, 0.5)).edge_in == pytest.approx(2)
