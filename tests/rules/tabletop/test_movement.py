import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.tabletop.bearing import Turning, bearing_deg
from rules.tabletop.errors import UserError
from rules.tabletop.movement import IMPASSABLE, MovementProfile, Reason, TerrainCost, Toll, hurdle, walk
from rules.tabletop.path import length_in
from rules.tabletop.table import TerrainKind
from tests.rules.board import Turned, box, piece

few = settings(max_examples=40)
K = TerrainKind
PACES = {
    K.WOODS: TerrainCost(2),
    K.MARSH: TerrainCost(2),
    K.ROUGH: TerrainCost(4),
    K.WATER: IMPASSABLE,
    K.WIRE: IMPASSABLE,
    K.BRIDGE: TerrainCost(2, on_top=True),
    K.ROAD: TerrainCost(),
    K.HILL: TerrainCost(on_top=True),
    K.TRENCH: TerrainCost(leave_in=3),
    K.BUILDING: TerrainCost(leave_in=2),
}


def cost_of(one):
    return hurdle(one.height_in, ((0.7, 1.0), (1.3, 3.0))) if one.kind is K.WALL else PACES[one.kind]


PLAIN = MovementProfile(cost_of)
WOODS = piece("woods", K.WOODS, box(2, -5, 5, 5), 5)
AHEAD = ((0.0, 0.0), (10.0, 0.0))


def test_path_is_split_by_ground():
    # 2 in open, 3 in of woods at 2 per inch, 5 in open: 2 + 6 + 5.
    found = walk(AHEAD, [WOODS], PLAIN, 14)
    assert [(s.ground.name if s.ground else None, s.length_in) for s in found.stretches] == [
        (None, pytest.approx(2)),
        ("woods", pytest.approx(3)),
        (None, pytest.approx(5)),
    ]
    assert found.cost_in == pytest.approx(13)
    assert (found.entered, found.left) == (("woods",), ("woods",))
    assert found.reach_in == (10, 0)


@pytest.mark.parametrize(
    ("allowance", "reach"),
    [(0, 0), (1.5, 1.5), (2, 2), (6, 4), (8, 5), (9.5, 6.5), (13, 10)],  # 2 open; then half of the rest, up to 3
)
def test_reach_of_an_allowance(allowance, reach):
    assert walk(AHEAD, [WOODS], PLAIN, allowance).reach_in == pytest.approx((reach, 0))


def test_water_is_impassable_except_on_a_bridge():
    river = piece("river", K.WATER, box(4, -20, 6, 20))
    found = walk(AHEAD, [river], PLAIN, 36)
    assert [s.ground.name for s in found.impassable] == ["river"]
    assert found.cost_in == math.inf
    assert found.reach_in == pytest.approx((4, 0))
    # 10 in, of which the bridge's 4 in count double; the water beneath does not count at all.
    over = walk(AHEAD, [river, piece("bridge", K.BRIDGE, box(3, -1, 7, 1), 0.5)], PLAIN, 36)
    assert over.impassable == ()
    assert over.cost_in == pytest.approx(14)


def test_road_replaces_woods_but_not_wire():
    road, wire = piece("road", K.ROAD, box(-9, -1, 19, 1)), piece("wire", K.WIRE, box(7, -3, 7.2, 3), 0.5)
    found = walk(AHEAD, [WOODS, road], PLAIN, 12)
    assert found.cost_in == pytest.approx(10)
    assert [s.ground.name for s in walk(AHEAD, [WOODS, road, wire], PLAIN, 12).impassable] == ["wire"]


def test_slower_of_two_grounds_counts():
    rubble = piece("rubble", K.ROUGH, box(3, -5, 4, 5))
    # 1 in of rubble at 4 in place of 2 in the woods: 13 + 2.
    assert walk(AHEAD, [WOODS, rubble], PLAIN, 20).cost_in == pytest.approx(15)


@pytest.mark.parametrize(("height", "cost"), [(0.5, 11), (1.0, 13)])
def test_cost_of_crossing_by_height(height, cost):
    wall = piece("wall", K.WALL, box(4, -3, 4.2, 3), height)
    found = walk(AHEAD, [wall], PLAIN, 12)
    assert found.cost_in == pytest.approx(cost)
    assert found.stretches[1].tolls == (Toll(Reason.ENTER, cost - 10),)
    # It is paid once, although the path bends on it.
    assert walk(((0, 0), (4.1, 0), (10, 0)), [wall], PLAIN, 12).cost_in == pytest.approx(cost)


def test_unaffordable_obstacle_is_not_crossed():
    # 4 in to the wall, then less than the 3 in that it costs are left.
    wall = piece("wall", K.WALL, box(4, -3, 4.2, 3), 1.0)
    assert walk(AHEAD, [wall], PLAIN, 6).reach_in == pytest.approx((4, 0))
    assert walk(AHEAD, [wall], PLAIN, 7.1).reach_in == pytest.approx((4.1, 0))
    free_inside = MovementProfile(lambda one: TerrainCost(0, enter_in=3))
    assert walk(AHEAD, [wall], free_inside, 5).reach_in == pytest.approx((4, 0))


def test_high_wall_is_impassable():
    found = walk(AHEAD, [piece("wall", K.WALL, box(4, -3, 4.2, 3), 2.0)], PLAIN, 12)
    assert [s.ground.name for s in found.impassable] == ["wall"]


@pytest.mark.parametrize(("kind", "toll"), [(K.TRENCH, 3), (K.BUILDING, 2)])
def test_cost_of_leaving(kind, toll):
    shelter = piece("shelter", kind, box(-1, -1, 1, 1), 1)
    out, back = walk(((0, 0), (3, 0)), [shelter], PLAIN, 6), walk(((3, 0), (0, 0)), [shelter], PLAIN, 6)
    assert out.cost_in == pytest.approx(3 + toll)
    assert (out.left, out.entered) == (("shelter",), ())
    assert back.cost_in == pytest.approx(3)
    assert (back.left, back.entered) == ((), ("shelter",))
    assert walk(((0, 0), (0.5, 0)), [shelter], PLAIN, 6).cost_in == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("whole_inches", "cost"),
    [
        # Marsh of 2.3 in, 1 in open, marsh of 1.2 in, at 2 per inch, and 5.5 in open in total.
        (False, 5.5 + 2 * 3.5),
        (True, 5.5 + 2 * (3 + 2)),
    ],
)
def test_rounding(whole_inches, cost):
    marshes = [piece("m1", K.MARSH, box(1, -1, 3.3, 1)), piece("m2", K.MARSH, box(4.3, -1, 5.5, 1))]
    movement_profile = replace(PLAIN, whole_inches=whole_inches)
    path = (
        (0, 0),
        (1.2, 0),
        (1.5, 0),
        (2, 0),
        (9, 0),
    )  # points on a straight line inside the marsh do not split a stretch
    assert walk(path, marshes, movement_profile, 20).cost_in == pytest.approx(cost)


def test_allowance_pays_for_whole_inches_of_a_rounded_stretch():
    movement_profile = replace(PLAIN, whole_inches=True)
    # 2 in open, then 5 in are left: two whole inches of woods at 2; the fifth inch does not pay for a part of one.
    assert walk(AHEAD, [WOODS], movement_profile, 7).reach_in == pytest.approx((4, 0))
    # A bend at x = 2.5: the first inch of woods is paid there and is valid up to x = 3.
    assert walk(((0, 0), (2.5, 0), (10, 0)), [WOODS], movement_profile, 4).reach_in == pytest.approx((3, 0))
    # At 0.2 per inch, 0.6 in pay for three, although 0.6 / 0.2 is less than 3 in floating point.
    cheap = MovementProfile(lambda one: TerrainCost(0.2), whole_inches=True)
    assert walk(((2.5, 0), (9, 0)), [replace(WOODS, outline_in=box(2, -5, 20, 5))], cheap, 0.6).reach_in == (5.5, 0)


def test_only_slow_ground_is_rounded():
    movement_profile, road = replace(PLAIN, whole_inches=True), piece("road", K.ROAD, box(1, -1, 3.3, 1))
    assert walk(((0, 0), (5.5, 0)), [road], movement_profile, 20).cost_in == pytest.approx(5.5)


def test_rounding_errors_do_not_reduce_the_reach():
    found = walk(((0, 0), (0.1, 0), (0.1, 0.2)), [], PLAIN, 0.3)
    assert found.cost_in > 0.3
    assert found.reach_in == (0.1, 0.2)


HILL = piece("hill", K.HILL, box(4, -5, 6, 5), 2.0)


def test_cost_of_climbing_by_height():
    # 2 in up at 2 per inch, and 10 in along the table; the way down is free.
    movement_profile = replace(PLAIN, climb_cost_per_in=2)
    found = walk(AHEAD, [HILL], movement_profile, 20)
    assert found.cost_in == pytest.approx(10 + 4)
    assert [toll.reason for s in found.stretches for toll in s.tolls] == [Reason.CLIMB]
    assert [s.height_in for s in found.stretches] == [0, 2, 0]
    terrace = piece("top", K.HILL, box(4.5, -5, 5.5, 5), 1.0, base=2.0)
    assert walk(AHEAD, [HILL, terrace], movement_profile, 20).cost_in == pytest.approx(10 + 6)


@pytest.mark.parametrize(("height", "cost"), [(2.9, 0), (3.0, 1), (5.9, 1), (6.0, 2)])
def test_height_in_whole_steps(height, cost):
    # 1 in for each whole 3 in of height.
    movement_profile = replace(PLAIN, climb_cost_per_in=1 / 3, height_step_in=3)
    hill = replace(HILL, height_in=height)
    assert walk(((0, 0), (5, 0)), [hill], movement_profile, 20).cost_in == pytest.approx(5 + cost)


def test_whole_steps_are_counted_without_rounding_errors():
    assert 0.6 / 0.2 < 3
    movement_profile = replace(PLAIN, climb_cost_per_in=5, height_step_in=0.2)
    assert walk(((0, 0), (5, 0)), [replace(HILL, height_in=0.6)], movement_profile, 20).cost_in == pytest.approx(5 + 3)


def test_uphill_costs_double():
    # The 2 in on the hill that was climbed cost double; beyond the hill, nothing does.
    movement_profile = replace(PLAIN, uphill_factor=2)
    assert walk(AHEAD, [HILL], movement_profile, 20).cost_in == pytest.approx(12)
    assert walk(((5, 0), (10, 0)), [HILL], movement_profile, 20).cost_in == pytest.approx(5)
    # On a terrace, 0.5 in and 1 in are reached by climbing; the last 0.5 in of hill are reached by descending.
    terrace = piece("top", K.HILL, box(4.5, -5, 5.5, 5), 1.0, base=2.0)
    assert walk(AHEAD, [HILL, terrace], movement_profile, 20).cost_in == pytest.approx(11.5)


def test_road_on_a_hill_determines_the_cost():
    slow_hill = MovementProfile(lambda one: TerrainCost(2, on_top=True) if one.kind is K.HILL else TerrainCost())
    assert walk(AHEAD, [HILL], slow_hill, 20).cost_in == pytest.approx(12)
    assert walk(AHEAD, [HILL, piece("road", K.ROAD, box(-1, -1, 11, 1))], slow_hill, 20).cost_in == pytest.approx(10)


def test_turns_on_the_path_cost_allowance():
    # A quarter turn is two steps of 45 degrees at 1 in, which the woods do not double; it faces along the first leg.
    movement_profile = replace(PLAIN, turning=Turning(45, 1))
    bent = ((0.0, 0.0), (3.0, 0.0), (3.0, 4.0))
    assert walk(bent, [], movement_profile, 12).cost_in == pytest.approx(9)
    # 1 in and then 4 in of the path are in woods and cost double.
    assert walk(bent, [WOODS], movement_profile, 20).cost_in == pytest.approx(9 + 5)


def test_path_that_ends_on_an_outline_stays_outside():
    (only,) = walk(((0, 0), (2, 0)), [WOODS], PLAIN, 6).stretches
    assert (only.ground, only.length_in) == (None, 2)


def test_path_without_length():
    still = walk(((3, 3),), [WOODS], PLAIN, 6)
    assert (still.cost_in, still.reach_in) == (0, (3, 3))
    assert walk(((3, 3), (3, 3)), [WOODS], PLAIN, 6).stretches == ()


def test_error_of_a_cost():
    # Errors of 0.1 in at both ends make 0.14 in; an end in woods counts double: hypot(0.1, 0.2).
    assert walk(((0, 0), (5.9, 0)), [], PLAIN, 6, sigma_in=0.1).sigma_in == pytest.approx(0.1 * math.sqrt(2))
    assert walk(((0, 0), (3, 0)), [WOODS], PLAIN, 6, sigma_in=0.1).sigma_in == pytest.approx(math.hypot(0.1, 0.2))


def test_negative_allowance_is_refused():
    with pytest.raises(UserError, match="allowance"):
        walk(AHEAD, [], PLAIN, -1)


# Outlines at irregular places, so that no generated path runs along one.
TERRAIN = [
    piece("woods", K.WOODS, box(2.137, -5.219, 5.431, 4.877), 5),
    piece("marsh", K.MARSH, box(-7.713, 1.117, -1.331, 8.237)),
    piece("hill", K.HILL, box(-4.317, -8.119, 3.713, -1.913), 2.0),
    piece("wall", K.WALL, box(-9.127, -0.613, 9.413, -0.391), 0.5),
    piece("trench", K.TRENCH, box(6.119, 2.337, 8.773, 7.919)),
]
GAIT = MovementProfile(cost_of, 1.0, 2.0, turning=Turning(45, 1))
spots = st.tuples(st.floats(-10, 10), st.floats(-10, 10)).map(lambda p: (round(p[0], 2), round(p[1], 2)))


@few
@given(st.lists(spots, min_size=3, max_size=6, unique=True), st.data())
def test_cost_of_a_path_is_the_sum_of_its_parts(places, data):
    path = tuple(places)
    k = data.draw(st.integers(1, len(path) - 2))
    turn_in = GAIT.turning.price_in(bearing_deg(path[k - 1], path[k]), bearing_deg(path[k], path[k + 1]))
    first, rest = walk(path[: k + 1], TERRAIN, GAIT, 9), walk(path[k:], TERRAIN, GAIT, 9)
    whole = walk(path, TERRAIN, GAIT, 9)
    assert whole.cost_in == pytest.approx(first.cost_in + turn_in + rest.cost_in)
    assert whole.cost_in >= length_in(path) - 1e-9


@few
@given(st.lists(spots, min_size=2, max_size=4, unique=True), st.floats(0, 30))
def test_allowance_pays_for_its_reach(places, allowance):
    path = tuple(places)
    found = walk(path, TERRAIN, GAIT, allowance)
    assert (found.reach_in == path[-1]) == (found.cost_in <= allowance + 1e-9)


@few
@given(
    st.lists(spots, min_size=2, max_size=4, unique=True),
    st.builds(Turned, st.floats(0, 360), st.floats(-30, 30), st.floats(-30, 30)),
)
def test_cost_does_not_depend_on_the_tables_pose(places, table):
    path, movement_profile = tuple(places), replace(GAIT, turning=None)
    there = walk(table.outline(path), [table.piece(one) for one in TERRAIN], movement_profile, 9)
    assert there.cost_in == pytest.approx(walk(path, TERRAIN, movement_profile, 9).cost_in, abs=1e-6)
