import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from shapely.geometry import Polygon

from rules.tabletop.errors import UserError
from rules.tabletop.measure import range_between
from rules.tabletop.path import (
    contacts,
    cut,
    length_in,
    nearest_in,
    place_at,
    placed,
    places_along,
    spans_in,
    spans_over,
    straight,
)
from tests.rules.board import Turned, block, box, figure

few = settings(max_examples=40)
places = st.tuples(st.floats(-20, 20), st.floats(-20, 20))
paths = st.lists(places, min_size=1, max_size=5).map(tuple)
tables = st.builds(Turned, st.floats(0, 360), st.floats(-30, 30), st.floats(-30, 30))
BENT = ((0.0, 0.0), (3.0, 0.0), (3.0, 4.0))
TABLE = box(0, 0, 48, 36)


def test_length_and_places_of_a_path():
    assert length_in(BENT) == 7
    assert [place_at(BENT, along) for along in (-1, 2, 3, 5, 9)] == [(0, 0), (2, 0), (3, 0), (3, 2), (3, 4)]
    assert cut(BENT, 5) == ((0, 0), (3, 0), (3, 2))
    assert cut(BENT, 2) == ((0, 0), (2, 0))
    assert cut(BENT, 0) == ((0, 0),)
    assert cut(BENT, 99) == BENT
    assert length_in(straight((1, 1), 30, 6)) == pytest.approx(6)


def test_single_place_is_a_path_without_length():
    still = ((2.0, 3.0), (2.0, 3.0))
    assert length_in(still) == 0
    assert place_at(still, 1) == (2, 3)
    assert cut(still, 0) == still
    assert nearest_in(block("a", 2, 3), still, block("b", 5, 3)) == 2
    assert nearest_in(block("a", 2, 3), still[:1], block("b", 5, 3)) == 2
    assert contacts(block("a", 2, 3), still, [block("b", 3, 3)]) == ()


def test_places_along_a_path():
    # Legs of 3 and 4 in: two parts of 1.5 in each, then two of 2 in.
    assert places_along(BENT, 2) == [(0, 0), (1.5, 0), (3, 0), (3, 2), (3, 4)]
    assert places_along(BENT[:1], 2) == [(0, 0)]


@given(paths, st.floats(0, 80))
def test_cut_path_has_the_requested_length(path, along):
    assert length_in(cut(path, along)) == pytest.approx(min(along, length_in(path)), abs=1e-9)


@pytest.mark.parametrize("path", [(), ((0, math.nan),)])
def test_invalid_paths_are_refused(path):
    with pytest.raises(UserError, match="path"):
        nearest_in(block("a", 0, 0), path, block("b", 5, 0))


def test_spans_of_a_path_in_an_area():
    # There and back through a pond from x = 1 to 2; along its border; touching its corner.
    pond = Polygon(box(1, -1, 2, 1))
    assert spans_in(((0, 0), (3, 0), (0, 0)), pond) == ((1, 2), (4, 5))
    assert spans_in(((2, -2), (2, 2)), pond) == ((1, 3),)
    assert spans_in(((0, 1), (1, 1), (0, 2)), pond) == ((1, 1),)
    assert spans_in(((0, 0), (0, 5)), pond) == ()


def test_nearest_approach_when_passing_a_figure():
    # Unit squares: past one whose centre is 2.5 in beside the path, the edges are 1.5 in apart.
    soldier, friend = block("a", 0, 0), block("b", 5, 2.5)
    assert nearest_in(soldier, ((0, 0), (10, 0)), friend) == pytest.approx(1.5)
    assert nearest_in(soldier, ((0, 0), (3, 0)), friend) == pytest.approx(math.hypot(1, 1.5))
    assert nearest_in(block("a", 0, 0), ((0, 0), (1, 0), (12, 0)), block("b", 6, 0)) == 0


@few
@given(paths, places, tables)
def test_nearest_approach_is_the_minimum_over_the_path(path, other, table):
    mover, foe = figure("a", *path[0]), figure("b", *other)
    near_in = nearest_in(mover, path, foe)
    steps = (place_at(path, length_in(path) * k / 200) for k in range(201))
    # The nearest step is at most half a step away from the nearest place; a gap below 0.01 in is none.
    seen_in = min(range_between(placed(mover, step), foe).edge_in for step in steps)
    assert near_in - 0.01 <= seen_in <= near_in + length_in(path) / 400 + 0.01
    there = nearest_in(table.figure(mover), table.outline(path), table.figure(foe))
    assert there == pytest.approx(near_in, abs=1e-6)


def test_first_contact_with_an_enemy_ends_the_move():
    # Unit squares: the base at 6 is touched when the centres are 1 in apart, at 5; the one at 9 comes later.
    soldier, foes = block("a", 0, 0), [block("far", 9, 0), block("near", 6, 0.9), block("aside", 4, 3)]
    path = ((0, 0), (12, 0))
    met = contacts(soldier, path, foes)
    assert [(contact.id, contact.along_in) for contact in met] == [
        ("near", pytest.approx(5)),
        ("far", pytest.approx(8)),
    ]


def test_slack_makes_contact_earlier():
    met = contacts(block("a", 0, 0), ((0, 0), (12, 0)), [block("b", 6, 0)], slack_in=0.25)
    assert met[0].along_in == pytest.approx(4.75)
    # Corner to corner, the bases touch when the centres are 1 in apart in x and in y, 5 sqrt 2 along.
    (corner,) = contacts(block("a", 0, 0), ((0, 0), (9, 9)), [block("b", 6, 6)], slack_in=0.25)
    assert corner.along_in == pytest.approx(5 * math.sqrt(2) - 0.25)


def test_a_hull_runs_over_what_it_touched_at_the_start_but_not_what_it_only_touches():
    hull, ahead = block("a", 0, 0), block("b", 1, 0)  # they touch
    (met,) = contacts(hull, ((0, 0), (3, 0)), [ahead, block("aside", 2, 1), block("end", 4, 0)], slack_in=-0.01)
    assert (met.id, met.along_in) == ("b", pytest.approx(0.01))


def test_base_touched_at_the_start_counts_only_on_return():
    soldier, foe = block("a", 0, 0), block("b", 1, 0)  # they touch
    assert contacts(soldier, ((0, 0), (-5, 0)), [foe]) == ()
    assert contacts(soldier, ((0, 0), (0, -0.5)), [foe]) == ()  # sliding along it
    back = contacts(soldier, ((0, 0), (-5, 0), (0, 0)), [foe])
    assert [contact.along_in for contact in back] == [pytest.approx(10)]


def test_self_crossing_path_touches_at_its_first_pass():
    loop = ((0, 0), (10, 0), (10, 5), (5, 5), (5, -5))  # passes x = 5 twice
    met = contacts(block("a", 0, 0), loop, [block("b", 5, 0)])
    assert met[0].along_in == pytest.approx(4)


@given(paths, places)
def test_bases_touch_at_a_contact(path, other):
    mover, foe = figure("a", *path[0]), figure("b", *other)
    for contact in contacts(mover, path, [foe]):
        there = placed(mover, place_at(path, contact.along_in))
        assert range_between(there, foe).edge_in == pytest.approx(0, abs=1e-6)


def test_spans_of_a_base_over_a_minefield():
    # Unit squares reach the field from x = 3 to 5 half an inch before their centre, and leave it half an inch later.
    field, path = box(3, -1, 5, 1), ((0, 0), (9, 0), (0, 0))
    assert spans_over(block("a", 0, 0), path, field) == ((2.5, 5.5), (12.5, 15.5))
    assert spans_over(block("a", 0, 1.6), ((0, 1.6), (9, 1.6)), field) == ()
    assert spans_over(block("a", 0, 1.4), ((0, 1.4), (9, 1.4)), field) == ((2.5, 5.5),)
    (mine,) = spans_over(block("a", 0, 0), ((0, 0), (9, 0)), box(4.9, -0.1, 5.1, 0.1))
    assert mine == pytest.approx((4.4, 5.6))
    assert spans_over(block("a", 4, 0, half=0.1), ((4, 0),), field) == ((0, 0),)  # wholly on it
    # A lane half an inch wider than the base, up to x = 4: the mines beyond begin where the front reaches them.
    lane = Polygon(box(2, -0.75, 4, 0.75))
    assert spans_over(block("a", 0, 0), ((0, 0), (9, 0)), field, lane) == ((3.5, 5.5),)
    assert spans_over(block("a", 0, 0.5), ((0, 0.5), (9, 0.5)), field, lane) == ((2.5, 5.5),)  # beside the lane


@given(places, places)
def test_base_touches_an_area_only_within_its_spans(start, end):
    # A yard that is open to the north, which differs from its convex hull.
    yard = ((-5, -5), (5, -5), (5, 5), (4, 5), (4, -4), (-4, -4), (-4, 5), (-5, 5))
    mover, path = figure("a", *start), (start, end)
    assume(start == end or length_in(path) > 1e-6)
    spans = spans_over(mover, path, yard)
    for k in range(17):
        along = length_in(path) * k / 16
        away = Polygon(placed(mover, place_at(path, along)).base_in).distance(Polygon(yard))
        if any(low + 1e-6 < along < high - 1e-6 for low, high in spans):
            assert away < 1e-9
        if not any(low - 1e-6 <= along <= high + 1e-6 for low, high in spans):
            assert away > 0
