import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.tabletop.table import Posture, ellipse_outline
from vision.figure_search import Sighting
from vision.tracking import Tracker
from vision.tracks import Event, EventKind, SearchScope


def sighting(army, x, y, posture=Posture.STANDING, sigma_in=0.05):
    return Sighting(army, x, y, 0.0, sigma_in, posture, ellipse_outline((x, y), 0.5, 0.4), None, 0.9)


def places(tracking):
    return {figure.id: figure.centre_in for figure in tracking.figures}


def run(*frames):
    tracker = Tracker()
    return [tracker.update(frame) for frame in frames]


def test_ids_are_given_by_army_from_left_to_right_without_events():
    (first,) = run([sighting("tan", 9, 1), sighting("tan", 2, 1), sighting("green", 5, 5)])
    assert places(first) == {"green-1": (5, 5), "tan-1": (2, 1), "tan-2": (9, 1)}
    assert first.events == ()


def test_jitter_is_averaged():
    views = run(*([sighting("tan", 2 + (-1) ** k * 0.1, 1)] for k in range(9)))
    assert views[-1].figures[0].x_in == pytest.approx(2.0, abs=0.03)
    assert all(view.events == () for view in views)


def test_a_base_moves_with_its_averaged_centre():
    last = run([sighting("tan", 2, 1)], [sighting("tan", 2.2, 1)])[-1].figures[0]
    assert last.x_in == pytest.approx(2.1)
    assert sum(x for x, _ in last.base_in) / len(last.base_in) == pytest.approx(last.x_in)


def test_a_move_is_reported_once_when_it_has_ended():
    stops = [(2, 1), (3, 1), (4, 1), (5, 1), (5, 1), (5, 1), (5, 1)]
    views = run(*([sighting("tan", *stop)] for stop in stops))
    reported = [(k, event) for k, view in enumerate(views) for event in view.events]
    assert reported == [(5, Event(EventKind.MOVED, "tan-1", (2, 1), (5, 1)))]
    assert places(views[3]) == {"tan-1": (5, 1)}, "a moving figure is followed at once"


def test_a_carried_figure_keeps_its_id():
    gone = [sighting("tan", 30, 30)]
    views = run([sighting("tan", 2, 1), *gone], gone, gone, gone, *([[sighting("tan", 9, 4), *gone]] * 3))
    assert places(views[-1]) == {"tan-1": (9, 4), "tan-2": (30, 30)}
    kinds = [event.kind for view in views for event in view.events]
    assert kinds == [EventKind.LOST, EventKind.FOUND, EventKind.MOVED]


def test_a_figure_carried_right_after_its_army_was_taught_keeps_its_id():
    tracker, taught = Tracker(), SearchScope(armies=frozenset(("tan",)), armies_reopened=True)
    rest = sighting("tan", 30, 30)
    for _ in range(2):
        tracker.update([sighting("tan", 2, 1), rest], taught)
    views = [tracker.update([sighting("tan", 9, 4), rest], taught) for _ in range(3)]
    assert places(views[-1]) == {"tan-1": (9, 4), "tan-2": (30, 30)}
    assert views[-1].lost == ()


def test_a_lost_figure_is_kept_where_it_was():
    views = run([sighting("tan", 2, 1)], [], [], [], [])
    assert [len(view.figures) for view in views] == [1, 0, 0, 0, 0]
    assert views[-1].lost[0].centre_in == (2, 1)
    assert [[event.kind for event in view.events] for view in views] == [[], [], [], [EventKind.LOST], []]


def test_a_newcomer_must_be_seen_twice():
    base = [sighting("tan", 2, 1)]
    views = run(base, [*base, sighting("green", 20, 20)], base, *([[*base, sighting("green", 25, 9)]] * 2))
    assert [len(view.figures) for view in views] == [1, 1, 1, 1, 2]
    assert views[-1].events == (Event(EventKind.FOUND, "green-2"),), "a name is never given twice"


def test_falling_and_rising_need_two_frames():
    up, down = [sighting("tan", 2, 1)], [sighting("tan", 2.3, 1, Posture.DOWN)]
    views = run(up, down, up, down, down, up, up)
    assert [[event.kind for event in view.events] for view in views] == [
        [], [], [], [], [EventKind.DOWN], [], [EventKind.UP]
    ]  # fmt: skip


def reported_by(*looks):
    """Kinds of the events of each sighting: (posture, whether the picture is unchanged); and the postures."""
    tracker = Tracker()
    views = [
        tracker.update([sighting("tan", 2, 1, posture)], SearchScope(patch_unchanged=lambda _, same=same: same))
        for posture, same in looks
    ]
    return [[event.kind for event in view.events] for view in views], [view.figures[0].posture for view in views]


def test_a_figure_tells_how_sure_its_posture_is():
    unsure = replace(sighting("tan", 2, 1, Posture.KNEELING), postures=(0.3, 0.62, 0.07, 0.01))
    (one,) = run([unsure])[0].figures
    assert (one.posture_confidence, one.second_posture) == (0.62, Posture.STANDING)
    (known,) = run([sighting("tan", 2, 1)])[0].figures
    assert (known.posture_confidence, known.second_posture) == (1.0, None)


def test_no_figure_falls_in_an_unchanged_picture():
    kneels, lies = (Posture.KNEELING, True), (Posture.DOWN, True)
    events, postures = reported_by(kneels, kneels, kneels, lies, lies, kneels, lies, lies)
    assert events == [[]] * 8
    assert set(postures) == {Posture.KNEELING}, "four sightings kneel, four lie"


def test_a_wrong_first_posture_is_corrected_by_the_majority_without_an_event():
    lies, stands = (Posture.DOWN, True), (Posture.STANDING, True)
    events, postures = reported_by(lies, stands, stands, stands)
    assert events == [[]] * 4
    assert postures == [Posture.DOWN] * 2 + [Posture.STANDING] * 2


def test_a_figure_laid_down_on_the_spot_has_fallen_once_the_picture_changes():
    stands, lies = (Posture.STANDING, True), (Posture.DOWN, False)
    assert reported_by(stands, stands, lies, lies)[0] == [[], [], [], [EventKind.DOWN]]


def test_a_figure_seen_lying_away_from_its_place_has_fallen():
    tracker = Tracker()
    looks = [sighting("tan", 2, 1), *[sighting("tan", 2.7, 1, Posture.DOWN)] * 3]
    reported = [
        event.kind
        for one in looks
        for event in tracker.update([one], SearchScope(patch_unchanged=lambda _: False)).events
    ]
    assert reported == [EventKind.DOWN]


def test_armies_that_cross_do_not_swap():
    frames = [[sighting("tan", 2 + 0.5 * k, 1), sighting("green", 6 - 0.5 * k, 1.1)] for k in range(9)]
    assert places(run(*frames)[-1]) == {"tan-1": (6, 1), "green-1": (2, 1.1)}


def test_one_frame_of_a_wrong_colour_does_not_change_the_army():
    views = run([sighting("tan", 2, 1)], [sighting("grey", 2.1, 1)], [sighting("tan", 2, 1)])
    assert [view.figures[0].id for view in views] == ["tan-1"] * 3
    assert views[1].figures[0].army == "tan"


def test_a_tank_does_not_become_a_soldier():
    views = run([sighting("tan", 2, 1, Posture.VEHICLE)], [], [], *([[sighting("tan", 9, 1)]] * 2))
    assert views[-1].lost[0].id == "tan-1"
    assert views[-1].figures[0].id == "tan-2"


@given(st.lists(st.lists(st.tuples(st.sampled_from(["tan", "green"]), st.integers(0, 40), st.integers(0, 30)),
                         max_size=6, unique=True), max_size=8))  # fmt: skip
def test_ids_are_unique_and_known_figures_never_disappear(frames):
    tracker, known = Tracker(), set()
    for frame in frames:
        tracking = tracker.update([sighting(*one) for one in frame])
        names = [figure.id for figure in (*tracking.figures, *tracking.lost)]
        assert len(names) == len(set(names))
        assert known <= set(names)
        assert all(math.isfinite(figure.x_in) for figure in tracking.figures)
        known = set(names)


def test_figures_outside_the_searched_part_stay_unchanged():
    tracker = Tracker()
    tracker.update([sighting("tan", 5, 5), sighting("tan", 20, 5)])
    for _ in range(6):
        seen = tracker.update([sighting("tan", 5, 5)], SearchScope(lambda place: place[0] < 10))
        assert places(seen) == {"tan-1": (5, 5), "tan-2": (20, 5)}
        assert seen.events == ()
    assert tracker.positions_in == ((5, 5, 0), (20, 5, 0))


def test_a_figure_put_down_in_the_searched_part_keeps_its_id():
    tracker = Tracker()
    tracker.update([sighting("tan", 5, 5), sighting("tan", 20, 5)])
    reported = []
    for _ in range(4):
        seen = tracker.update([sighting("tan", 12, 9)], SearchScope(lambda place: place[0] > 10))
        reported += seen.events
    assert [(event.kind, event.id) for event in reported] == [(EventKind.MOVED, "tan-2")]
    assert places(seen) == {"tan-1": (5, 5), "tan-2": (12, 9)}


def test_a_figure_lost_and_found_in_one_picture_is_not_reported_as_lost():
    """Carried far in three pictures: in the third the figure would be lost, and the newcomer is confirmed."""
    views = run([sighting("tan", 5, 5)], [], *[[sighting("tan", 15, 5)]] * 5)
    reported = [event for view in views for event in view.events]
    assert [(event.kind, event.id) for event in reported] == [(EventKind.MOVED, "tan-1")]


NOWHERE = SearchScope(visited=lambda _: False, patch_unchanged=lambda _: True)
"""Nothing has moved, and the picture is unchanged."""


def kinds(views):
    return [event.kind for view in views for event in view.events]


def ids(view):
    return {figure.id for figure in view.figures}


def test_a_second_army_is_taught_after_the_first_was_tracked():
    """Before tan is known, tan soldiers are mistaken for green ones; correct ids and all places stay."""
    tracker = Tracker()
    for _ in range(6):
        tracker.update([sighting("green", 2, 1), sighting("green", 9, 1)])
    tracker.reopen_armies()
    both = frozenset(("green", "tan"))
    view = tracker.update(
        [sighting("green", 2, 1), sighting("tan", 9, 1)], SearchScope(armies=both, armies_reopened=True)
    )
    assert places(view) == {"green-1": (2, 1), "tan-1": (9, 1)}
    assert view.renamed == (("green-2", "tan-1"),)
    assert view.events == ()


def test_soldiers_of_a_proposed_army_keep_their_numbers_when_it_is_taught():
    """While no army is known, no soldier is found; one that came in the meantime gets a new number."""
    tracker = Tracker()
    tracker.update([sighting("green", 2, 1), sighting("tan", 9, 1), sighting("green", 15, 1)])
    for armies, seen in (
        ((), []),
        (("tan",), [sighting("tan", 9, 1)]),
        (("green", "tan"), [sighting("tan", 9, 1), *(sighting("green", x, 1) for x in (20, 15, 2))]),
    ):
        tracker.reopen_armies()
        view = tracker.update(seen, SearchScope(armies=frozenset(armies), armies_reopened=True))
    assert places(view) == {"tan-1": (9, 1), "green-1": (2, 1), "green-2": (15, 1), "green-3": (20, 1)}


def test_a_figure_gets_its_number_back_with_its_army():
    """The player has renamed an army, and undone that."""
    tracker, seen = Tracker(), []
    tracker.update([sighting("green", 2, 1), sighting("green", 9, 1)])
    for army in ("rangers", "green", "rangers", "green"):
        tracker.reopen_armies()
        scope = SearchScope(armies=frozenset((army,)), armies_reopened=True)
        view = tracker.update([sighting(army, 9, 1), sighting(army, 2, 1)], scope)
        seen.append([figure.id for figure in view.figures])
    assert seen == 2 * [["rangers-1", "rangers-2"], ["green-1", "green-2"]]
    assert view.renamed == (("rangers-1", "green-1"), ("rangers-2", "green-2"))


def test_figures_of_a_new_army_are_confirmed_at_once_but_later_newcomers_are_not():
    tracker = Tracker()
    tracker.update([sighting("green", 2, 1)])
    tracker.reopen_armies()
    scope = SearchScope(armies=frozenset(("green", "tan")), armies_reopened=True)
    both = [sighting("green", 2, 1), sighting("tan", 9, 1)]
    assert ids(tracker.update(both, scope)) == {"green-1", "tan-1"}
    # A hand carries tan-1 away while the armies are still being decided: it is the same figure.
    views = [tracker.update([sighting("green", 2, 1), sighting("tan", 20, 9)], scope) for _ in range(2)]
    assert ids(views[-1]) == {"green-1", "tan-1"}


def test_one_wrong_sighting_does_not_change_an_army_that_three_confirmed():
    tracker = Tracker()
    both = SearchScope(armies=frozenset(("green", "tan")), armies_reopened=True)
    for army in ("tan", "tan", "tan", "green", "tan"):
        view = tracker.update([sighting(army, 9, 1)], both)
    assert ids(view) == {"tan-1"}


def test_armies_are_not_decided_again_while_the_known_armies_stay_the_same():
    tracker = Tracker()
    tracker.update([sighting("tan", 9, 1)])
    for _ in range(20):
        view = tracker.update([sighting("green", 9, 1)], SearchScope(armies=frozenset(("green", "tan"))))
    assert ids(view) == {"tan-1"}


def test_an_army_settled_by_a_player_stays():
    tracker = Tracker()
    tracker.update([sighting("green", 9, 1)])
    tracker.reopen_armies()
    scope = SearchScope(armies=frozenset(("green", "tan")), armies_reopened=True, pinned=frozenset(("green-1",)))
    view = tracker.update([sighting("tan", 9, 1)], scope)
    assert ids(view) == {"green-1"}
    assert view.renamed == ()


def test_figures_of_a_removed_army_are_dropped_without_being_lost():
    tracker = Tracker()
    tracker.update([sighting("green", 2, 1), sighting("tan", 9, 1)])
    tracker.reopen_armies()
    view = tracker.update([sighting("green", 2, 1)], SearchScope(armies=frozenset(("green",)), armies_reopened=True))
    assert ids(view) == {"green-1"}
    assert view.lost == ()
    assert view.events == ()


def test_a_figure_that_topples_beyond_the_gate_has_fallen_and_not_moved():
    # It lies 1.3 in from its base, more than a standing figure shifts between two pictures.
    views = run([sighting("tan", 2, 1)], *([[sighting("tan", 3.3, 1, Posture.DOWN)]] * 6))
    assert kinds(views) == [EventKind.DOWN]
    assert ids(views[-1]) == {"tan-1"}
    assert views[-1].figures[0].posture is Posture.DOWN


def test_a_figure_carried_away_and_laid_down_has_moved_and_fallen():
    views = run([sighting("tan", 2, 1)], *([[sighting("tan", 9, 1, Posture.DOWN)]] * 6))
    assert kinds(views) == [EventKind.MOVED, EventKind.DOWN]


def test_the_only_newcomer_is_the_only_missing_figure_at_once():
    both = [sighting("tan", 2, 1), sighting("green", 20, 5)]
    views = run(both, [sighting("tan", 9, 4), sighting("green", 20, 5)])
    assert [(event.kind, event.id) for event in views[-1].events] == [(EventKind.MOVED, "tan-1")]


def test_a_figure_is_not_carried_to_a_far_newcomer_if_a_near_one_needs_another_picture():
    # The far one, which is no figure, has been seen since before the move; the near one is hidden by the hand first.
    far = replace(sighting("tan", 30, 20), confidence=0.6)
    views = run([sighting("tan", 2, 1)], [far], *([[sighting("tan", 5, 1), far]] * 3))
    assert places(views[-1])["tan-1"] == (5, 1)
    moves = [event for view in views for event in view.events if event.kind is EventKind.MOVED]
    assert [(event.id, event.to_in) for event in moves] == [("tan-1", (5, 1))]


def test_two_similar_figures_moved_in_one_visit_may_be_swapped():
    # From (2, 1) and (2, 9) to (8, 4) and (8, 6): 6.7 in each, and 7.8 in each if swapped.
    tracker = Tracker()
    tracker.update([sighting("tan", 2, 1), sighting("tan", 2, 9)])
    views = [tracker.update([sighting("tan", 8, 4), sighting("tan", 8, 6)]) for _ in range(3)]
    moves = {event.id: event for view in views for event in view.events}
    assert {name: (event.to_in, event.or_else) for name, event in moves.items()} == {
        "tan-1": ((8, 4), "tan-2"),
        "tan-2": ((8, 6), "tan-1"),
    }


def test_two_different_moved_figures_are_distinguished_by_army_and_posture():
    tracker = Tracker()
    tracker.update([sighting("tan", 2, 1), sighting("tan", 2, 4, Posture.KNEELING)])
    # The kneeling one went past the other: 3 in each would be shorter.
    put = [sighting("tan", 5, 1, Posture.KNEELING), sighting("tan", 5, 4)]
    views = [tracker.update(put) for _ in range(3)]
    assert places(views[-1]) == {"tan-1": (5, 4), "tan-2": (5, 1)}
    assert all(event.or_else is None for view in views for event in view.events)


def test_where_nothing_moved_an_overlooked_figure_stays():
    tracker = Tracker()
    for _ in range(4):
        tracker.update([sighting("tan", 2, 1), sighting("tan", 9, 1)])
    views = [tracker.update([sighting("tan", 9, 1)], NOWHERE) for _ in range(3)]
    assert all(ids(view) == {"tan-1", "tan-2"} for view in views)
    assert kinds(views) == []


def test_where_nothing_moved_a_figure_seen_once_is_dropped():
    tracker = Tracker()
    tracker.update([sighting("tan", 2, 1), sighting("tan", 9, 1)])
    views = [tracker.update([sighting("tan", 9, 1)], NOWHERE) for _ in range(3)]
    assert ids(views[-1]) == {"tan-2"}
    assert kinds(views) == []


def test_no_figure_is_carried_to_where_nothing_moved():
    """A shadow mistaken for a soldier is not the one that a hand has just taken away elsewhere."""
    tracker = Tracker()
    tracker.update([sighting("tan", 2, 1), sighting("tan", 20, 5)])
    near = lambda place: place[0] < 10  # noqa: E731
    scope = SearchScope(visited=near, changed=near)
    views = [tracker.update([sighting("tan", 20, 5), sighting("tan", 30, 9)], scope) for _ in range(4)]
    assert EventKind.MOVED not in kinds(views)


def test_a_figure_detected_twice_becomes_one_again():
    tracker = Tracker()
    for _ in range(3):
        tracker.update([sighting("tan", 2, 1), sighting("tan", 2.45, 1)])
    views = [tracker.update([sighting("tan", 2.1, 1)], NOWHERE) for _ in range(2)]
    assert ids(views[-1]) == {"tan-1"}
    assert kinds(views) == []


@given(
    st.lists(
        st.tuples(st.integers(0, 7), st.integers(0, 5), st.sampled_from(["tan", "green"])),
        unique_by=lambda at: at[:2],
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_every_order_of_teaching_gives_every_figure_its_army(places_of, random):
    """Figures are 4 in apart; until both armies are known, all look like the known one or are not found."""
    truth = [sighting(army, 4.0 * x, 4.0 * y) for x, y, army in places_of]
    taught, tracker = frozenset(), Tracker()
    order = random.sample(["tan", "green"], 2)
    for army in order:
        taught |= {army}
        tracker.reopen_armies()
        for _ in range(random.randint(1, 5)):
            seen = [one if one.army in taught else sighting(army, one.x_in, one.y_in) for one in truth]
            seen = [one for one in seen if one.army in taught]
            view = tracker.update(seen, SearchScope(armies=taught, armies_reopened=True))
    for _ in range(3):
        view = tracker.update(truth, SearchScope(armies=taught, armies_reopened=True))
    assert sorted((f.army, f.centre_in) for f in view.figures) == sorted((s.army, (s.x_in, s.y_in)) for s in truth)
    assert all(figure.id.startswith(figure.army) for figure in view.figures)
