"""The area of play: its coordinates and contents."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.tabletop.errors import UserError
from ui.table.finding import Note, Trace
from ui.table.play_area import PlayArea, area_marks

inches = st.floats(-80, 80)
areas = st.builds(
    PlayArea, st.tuples(inches, inches), st.floats(2, 96), st.floats(2, 96), st.floats(-180, 180)
)  # fmt: skip


@given(areas, st.tuples(inches, inches))
def test_area_coordinates_round_trip(area: PlayArea, place: tuple[float, float]) -> None:
    assert area.to_table(area.from_table(place)) == pytest.approx(place, abs=1e-9)
    assert math.dist(area.to_table(place), area.to_table((0, 0))) == pytest.approx(math.hypot(*place))


@given(areas, st.floats(0, 1), st.floats(0, 1))
def test_places_inside_the_area(area: PlayArea, across: float, deep: float) -> None:
    assert area.holds(area.to_table((across * area.width_in, deep * area.depth_in)))
    assert not area.holds(area.to_table((-0.01, deep * area.depth_in)))
    assert not area.holds(area.to_table((across * area.width_in, area.depth_in + 0.01)))


def test_a_quarter_turn_by_hand() -> None:
    """Its x axis runs along the table's y axis."""
    area = PlayArea((10.0, 5.0), 30.0, 20.0, 90.0)
    assert area.to_table((3.0, 4.0)) == pytest.approx((10 - 4, 5 + 3))
    far_right = area.corners_in[2]
    assert far_right == pytest.approx((10 - 20, 5 + 30))


@pytest.mark.parametrize("size", [(1.0, 30.0), (30.0, 300.0), (math.nan, 30.0)])
def test_an_impossible_area_is_rejected(size: tuple[float, float]) -> None:
    with pytest.raises(UserError, match="is not possible"):
        PlayArea((0.0, 0.0), *size)


def test_the_areas_origin_is_marked() -> None:
    *_, note = area_marks(PlayArea((10.0, 5.0), 30.0, 20.0))
    assert isinstance(note, Note)
    assert note.at_in == (10.0, 5.0, 0.0)
    edges = area_marks(PlayArea((10.0, 5.0), 30.0, 20.0))[0]
    assert isinstance(edges, Trace)
    assert {(10.0, 5.0, 0.0), (40.0, 25.0, 0.0)} <= set(edges.points_in)
