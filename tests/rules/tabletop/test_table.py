import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import Polygon

from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, Posture, TerrainKind, TerrainPiece, boxes_meet, ellipse_outline

BASE = ellipse_outline((0, 0), 0.5, 0.4)
TAN_7 = {"id": "tan-7", "army": "tan", "x_in": 1.0, "y_in": 2.0, "z_in": 0.0, "sigma_in": 0.1,
         "posture": Posture.PRONE, "base_in": BASE}  # fmt: skip


@given(st.floats(0.1, 5), st.floats(0.1, 5), st.floats(-360, 360), st.integers(3, 60))
def test_ellipse_outline_has_the_area_of_the_ellipse(half_length, half_width, turn, points):
    outline = Polygon(ellipse_outline((3, -2), half_length, half_width, turn, points))
    assert outline.area == pytest.approx(math.pi * half_length * half_width)
    assert outline.centroid.coords[0] == pytest.approx((3, -2))


def test_ellipse_is_turned():
    x, y = ellipse_outline((0, 0), 2, 1, 90)[0]
    assert x == pytest.approx(0, abs=1e-12)
    assert y > 2


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"x_in": math.nan}, "finite coordinates"),
        ({"z_in": math.inf}, "finite coordinates"),
        ({"sigma_in": -0.1}, "standard deviation of 0"),
        ({"confidence": 1.5}, "confidence"),
        ({"posture_confidence": -0.1}, "confidence"),
        ({"facing_deg": math.nan}, "finite facing"),
        ({"base_in": ()}, "0 points"),
        ({"base_in": BASE[:2]}, "2 points"),
        ({"base_in": ((0, 0), (1, 0), (1, math.nan))}, "finite"),
        ({"base_in": ((1.1, 0.7), (1.3, 0.8), (2.1, 1.2))}, "no area"),  # on one line, except for rounding
        ({"base_in": ((3, 3),) * 3}, "no area"),
    ],
)
def test_invalid_figure_is_refused_by_name(wrong, fault):
    with pytest.raises(UserError, match=f"tan-7.*{fault}"):
        Figure(**TAN_7 | wrong)


def test_self_intersecting_base_is_accepted():
    crossed = ((0, 0), (1, 1), (1, 0), (0, 1))
    assert Figure(**TAN_7 | {"base_in": crossed}).base_in == crossed


@pytest.mark.parametrize(
    ("outline", "height", "fault"),
    [
        (((0, 0), (1, 0)), 1, "2 points"),
        (((0, 0), (2, 2), (2, 0), (0, 2)), 1, "crosses itself"),
        (((0, 0), (1, 1), (2, 2)), 1, "no area|crosses itself"),
        (((0, 0), (1, 0), (1, math.nan)), 1, "finite"),
        ((), 1, "0 points"),
        (((0, 0), (1, 0), (1, 1)), -1, "height of 0 or more"),
        (((0, 0), (1, 0), (1, 1)), math.inf, "finite"),
    ],
)
def test_invalid_terrain_is_refused_by_name(outline, height, fault):
    with pytest.raises(UserError, match=f"house.*({fault})"):
        TerrainPiece("house", TerrainKind.BUILDING, outline, 0.0, height)


def test_top_of_terrain_is_above_its_base():
    assert TerrainPiece("canopy", TerrainKind.TREE, ((0, 0), (1, 0), (1, 1)), 0.6, 5).top_in == 5.6


@pytest.mark.parametrize(
    ("corner", "reach_in", "meet"),
    [((2, 0.5), 0, False), ((2, 0.5), 1, True), ((0.5, -1.5), 1.4, False), ((1, 1), 0, True), ((0.2, 0.4), 0, True)],
)
def test_boxes_that_meet(corner, reach_in, meet):
    # A square from 0 to 1: 1 in to its right, 1.5 in below it, at its corner, inside it.
    square = ((0, 0), (1, 0), (1, 1), (0, 1))
    assert boxes_meet((corner,), square, reach_in) is meet
    assert boxes_meet(square, (corner,), reach_in) is meet
