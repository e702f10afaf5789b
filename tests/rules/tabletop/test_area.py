import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely import Polygon

from rules.tabletop.measure import (
    counting,
    ground_under,
    held_by,
    sides_in,
    standing_on,
    surface_in,
)
from rules.tabletop.table import TerrainKind
from tests.rules.board import Turned, block, box, figure, piece, square

K = TerrainKind
TABLE = box(0, 0, 48, 36)
WOODS = piece("woods", K.WOODS, box(0, 0, 4, 4), 5)
# Shapely's areas of outlines with subnormal coordinates are wrong by 0.0004.
moves = st.floats(-30, 30, allow_subnormal=False)
tables = st.builds(Turned, st.floats(0, 360, allow_subnormal=False), moves, moves)


def test_surface_is_the_highest_hill_but_never_a_roof():
    book, upper = piece("book", K.HILL, box(0, 0, 8, 8), 1), piece("upper", K.HILL, box(0, 0, 4, 4), 1.5, base=1)
    house = piece("house", K.BUILDING, box(0, 0, 9, 9), 5)
    places = [(2, 2), (6, 6), (8.5, 8.5)]
    assert [surface_in(place, [book, upper, house]) for place in places] == [2.5, 1, 0]


def test_base_on_a_border_stands_on_the_larger_share():
    # A unit square centred 0.1 in inside the woods: 0.6 of it is in them.
    shares = standing_on(block("a", 3.9, 2), [WOODS])
    assert [(share.piece, share.fraction) for share in shares] == [
        (WOODS, pytest.approx(0.6)),
        (None, pytest.approx(0.4)),
    ]
    assert ground_under(block("a", 3.9, 2), [WOODS]).value is WOODS
    assert ground_under(block("a", 4.1, 2), [WOODS]).value is None


def test_a_figure_stands_inside_what_holds_the_larger_part_of_its_base():
    hill = piece("hill", K.HILL, box(0, 0, 9, 9), 1)
    assert held_by(block("a", 3.9, 2), [WOODS, hill]) == (WOODS, hill)  # 0.6 in the woods, all on the hill
    assert held_by(block("a", 4.1, 2), [WOODS, hill]) == (hill,)  # 0.4
    assert held_by(block("a", 4.0, 2), [WOODS]) == ()  # exactly half


def test_woods_side_by_side_hold_a_figure_together():
    others = piece("others", K.WOODS, box(4, 1.8, 8, 9), 5)  # from 0.3 in above the lower side of the base
    assert held_by(block("a", 4.1, 2), [WOODS, others]) == (others,)  # 0.4 + 0.6 x 0.7 = 0.82, and 0.42 is the most
    marsh = piece("marsh", K.MARSH, box(4, 1.8, 8, 9))
    assert held_by(block("a", 4.1, 2), [WOODS, marsh]) == ()


def test_ground_near_a_border_is_uncertain():
    assert ground_under(block("a", 3.9, 2, sigma=0.04), [WOODS]).certain
    assert ground_under(block("a", 3.9, 2, sigma=0.06), [WOODS]).possible == (WOODS, None)


def test_uppermost_ground_counts():
    road, foxhole = piece("road", K.ROAD, box(-9, 1, 9, 3)), piece("foxhole", K.FOXHOLE, square(1, 0.4, 0.6), 0.3)
    assert ground_under(block("a", 2, 2), [road, WOODS]).value is road
    assert ground_under(block("a", 1, 0.4, half=0.4), [WOODS, foxhole]).value is foxhole
    assert ground_under(block("a", 1, 3.5), [WOODS, foxhole, road]).value is WOODS


@pytest.mark.parametrize("over", [K.ROAD, K.BRIDGE])
def test_ground_beneath_a_road_or_bridge_does_not_count(over):
    ground = {K.WOODS, K.TREE, K.BUSH, K.WATER, K.SHALLOW_WATER, K.MARSH, K.DESERT, K.MOUNTAIN, K.ROUGH, K.TRENCH,
              K.FOXHOLE}  # fmt: skip
    here = [piece(kind, kind, square(0, 0, 1)) for kind in K if kind not in (K.ROAD, K.BRIDGE)]
    laid = piece("laid", over, square(0, 0, 1))
    assert {one.kind for one in counting([*here, laid])} == set(K) - ground - {K.ROAD, K.BRIDGE} | {over}
    assert counting(here) == tuple(here)


@given(st.floats(-1, 5), st.floats(-1, 5), tables)
def test_shares_of_a_base_add_up_to_one(x, y, table):
    terrain = [WOODS, piece("road", K.ROAD, box(-9, 1, 9, 3)), piece("pond", K.WATER, box(2.5, -2, 6, 3.3))]
    soldier = figure("a", x, y)
    shares = standing_on(soldier, terrain)
    assert sum(share.fraction for share in shares) == pytest.approx(1)
    assert all(0 < share.fraction <= 1 + 1e-12 for share in shares)
    turned = standing_on(table.figure(soldier), [table.piece(one) for one in terrain])
    there = {share.piece.name if share.piece else None: share.fraction for share in turned}
    for share in shares:
        assert there.get(share.piece.name if share.piece else None, 0) == pytest.approx(share.fraction, abs=1e-6)


def test_sides_of_the_smallest_rectangle():
    # 3 by 4 in, turned so that its sides go along (4, 3) and (-3, 4).
    assert sides_in(Polygon([(0, 0), (3.2, 2.4), (1.4, 4.8), (-1.8, 2.4)])) == pytest.approx((3, 4))
