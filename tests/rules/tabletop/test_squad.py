import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.tabletop.measure import ahead_of, chain, forwardness_in
from tests.rules.board import Turned, block, figure

few = settings(max_examples=40)
places = st.tuples(st.floats(-20, 20), st.floats(-20, 20))


def row(*xs, sigma=0.0):
    """Unit squares in a row: the gap between two is the difference of their places, less 1."""
    return [block(str(k), x, 0, sigma=sigma) for k, x in enumerate(xs)]


def test_chain_of_half_inch_links_holds():
    # Gaps of 0.5, 0.4 and 0.3: each link is at most 0.5, although the ends are 4.2 in apart.
    assert [link.edge_in for link in chain(row(0, 1.5, 2.9, 4.2))] == pytest.approx([0.5, 0.4, 0.3])
    # A casualty has left a gap of 1.5 in.
    assert [link.edge_in for link in chain(row(0, 1.5, 4.0, 5.5))] == pytest.approx([0.5, 1.5, 0.5])


def test_chain_skips_the_widest_side_of_a_ring():
    # A ring of four with one wide side: the wide side is not needed.
    ring = [block("a", 0, 0), block("b", 1.3, 0), block("c", 1.3, 1.3), block("d", -0.6, 1.3)]
    assert {link.centre_segment_in for link in chain(ring)} == {
        ((0, 0), (1.3, 0)),
        ((1.3, 0), (1.3, 1.3)),
        ((0, 0), (-0.6, 1.3)),
    }


def test_single_figure_forms_a_chain():
    assert chain(row(3)) == ()
    assert chain([]) == ()


@few
@given(st.lists(places, min_size=1, max_size=6, unique=True), st.randoms(use_true_random=False))
def test_chain_does_not_depend_on_the_order(spots, random):
    squad = [figure(str(k), *spot) for k, spot in enumerate(spots)]
    mixed = random.sample(squad, len(squad))
    found, other = (sorted(link.edge_in for link in chain(s)) for s in (squad, mixed))
    assert len(found) == len(squad) - 1
    assert found == pytest.approx(other, abs=1e-9)


@given(st.lists(places, min_size=1, max_size=6, unique=True), st.floats(0, 360))
def test_no_figure_is_ahead_of_the_leader(spots, toward):
    squad = [figure(str(k), *spot) for k, spot in enumerate(spots)]
    leader = max(squad, key=lambda one: forwardness_in(one, toward))
    assert ahead_of(leader, squad, toward) == ()


@few
@given(st.builds(Turned, st.floats(0, 360), st.floats(-9, 9), st.floats(-9, 9)))
def test_chain_does_not_depend_on_the_tables_pose(table):
    squad = [figure("a", 0, 0), figure("b", 2, 1), figure("c", 5, -3), figure("d", 1, 6)]
    there, here = chain([table.figure(one) for one in squad]), chain(squad)
    assert [link.edge_in for link in there] == pytest.approx([link.edge_in for link in here])


def test_frontmost_figure_leads():
    squad = row(0, 4, 2)
    assert ahead_of(squad[0], squad, 0) == ("1", "2")
    assert ahead_of(squad[2], row(0, 2.1, sigma=0.1), 0) == ()  # 0.1 in ahead is too close to call
