import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from shapely.geometry import LineString, Point, Polygon

from rules.tabletop.table import TerrainKind, ellipse_outline
from rules.tabletop.template import Blast, Flame, Wedge, fraction_inside, reached, under
from tests.rules.board import Turned, box, figure, piece

WALL = piece("wall", TerrainKind.WALL, box(1, -1, 1.5, 1), 2)
places = st.floats(-4, 4)


def test_wall_casts_a_shadow():
    # Seen from (0, 0), the wall's near corners at (1, 1) and (1, -1) span a quarter of all directions: of a square of
    # half side 4, the burst reaches the other three quarters (12 of 16 triangles) and the triangle in front of the
    # wall, of area 1.
    around = Polygon(box(-4, -4, 4, 4))
    assert reached(around, (0, 0), [WALL]).area == pytest.approx(48 + 1)


@pytest.mark.parametrize(
    ("base", "fraction"),
    [
        (box(2, -0.2, 2.4, 0.2), 0.0),  # behind the wall
        (box(1.1, -0.2, 1.3, 0.2), 0.0),  # inside the wall
        (box(0.2, -0.2, 0.6, 0.2), 1.0),  # in front of the wall
        (box(-1, -1, -0.5, 1), 1.0),  # on the other side
        (box(2, 1, 3, 3), 0.25),  # the shadow's edge is y = x: below it lie 1 + 0.5 of its 2 square inches
    ],
)
def test_burst_does_not_reach_behind_a_wall(base, fraction):
    assert fraction_inside(Blast((0, 0), 9), base, [WALL]) == pytest.approx(fraction, abs=1e-12)
    assert fraction_inside(Blast((0, 0), 9), base) == 1


def test_building_confines_a_burst_inside():
    house = piece("house", TerrainKind.BUILDING, box(0, 0, 4, 4), 5)
    inside, outside = figure("in", 1, 1), figure("out", 5, 1)
    assert [hit.id for hit in under(Blast((2, 2), 6), [inside, outside], walls=[house])] == ["in"]
    assert [hit.id for hit in under(Blast((6, 1), 6), [inside, outside], walls=[house])] == ["out"]


def test_flames_and_wedges_stop_at_walls():
    behind = box(2, -0.2, 2.4, 0.2)
    for template in (Flame((0, 0), 0, 12, 6), Wedge((0, 0), 0, 3, 45)):
        assert fraction_inside(template, behind) > 0.9
        assert fraction_inside(template, behind, [WALL]) == 0


def test_flame_reaches_past_a_wall_beside_it():
    assert fraction_inside(Flame((0, 0), 180, 12, 6), box(-12, -0.5, -10, 0.5), [WALL]) == pytest.approx(1)


def test_duplicate_corner_changes_nothing():
    twice = piece("wall", TerrainKind.WALL, (*WALL.outline_in, *WALL.outline_in[-1:]), 2)
    around = Polygon(box(-4, -4, 4, 4))
    assert reached(around, (0, 0), [twice]).area == pytest.approx(49)


def test_wall_at_the_end_of_the_reach_stops_the_burst():
    assert reached(Polygon(box(0, -0.1, 1.1, 0.1)), (0, 0), [WALL]).area == pytest.approx(0.2)


@pytest.mark.parametrize("burst", [(1, 0), (1, 1), (0.9999999999, 0.3), (1, -0.5)])
def test_charge_against_a_wall_does_not_reach_through_it(burst):
    assert fraction_inside(Blast(burst, 9), box(2, -0.2, 2.4, 0.2), [WALL]) == pytest.approx(0, abs=1e-9)
    assert fraction_inside(Blast(burst, 9), box(-1, -0.2, 0, 0.2), [WALL]) == pytest.approx(1, abs=1e-9)


@given(places, places, places, places)
def test_place_is_reached_if_the_straight_line_is_free(bx, by, x, y):
    spot, wall = Point(x, y), Polygon(WALL.outline_in)
    way = LineString([(bx, by), (x, y)])
    assume(not wall.buffer(1e-6).contains(Point(bx, by)))
    assume(wall.boundary.intersection(way).length == 0)  # not along the wall's face
    assume(all(way.distance(Point(corner)) > 1e-6 for corner in WALL.outline_in))
    assume(wall.boundary.distance(spot) > 1e-6)  # half of a place on the face is inside the wall
    near = spot.buffer(1e-9)
    free = not way.intersects(wall)
    assert (reached(near, (bx, by), [WALL]).area > near.area / 2) == free


@given(places, places, st.builds(Turned, st.floats(0, 360), places, places))
def test_shadow_turns_with_the_table(x, y, table):
    base, blast = ellipse_outline((x, y), 0.5, 0.4), Blast((-0.3, 0.2), 3)
    there = fraction_inside(Blast(table.point(blast.centre_in), 3), table.outline(base), [table.piece(WALL)])
    here = fraction_inside(blast, base, [WALL])
    assert there == pytest.approx(here, abs=1e-7)
    assert here <= fraction_inside(blast, base) + 1e-12


def test_more_walls_never_increase_the_area():
    base = ellipse_outline((2.5, 2.3), 0.5, 0.4)
    other = piece("crates", TerrainKind.ROCKS, box(1.4, 1.5, 1.6, 1.55), 1)
    one, two = (fraction_inside(Blast((0, 0), 9), base, walls) for walls in ([WALL], [WALL, other]))
    assert 0 < two < one < 1
