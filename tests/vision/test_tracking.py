import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.table import Posture, ellipse_outline
from vision.figures import Sighting
from vision.tracking import Event, EventKind, Tracker


def sighting(army, x, y, posture=Posture.STANDING, sigma_in=0.05):
    return Sighting(army, x, y, 0.0, sigma_in, posture, ellipse_outline((x, y), 0.5, 0.4), None, 0.9)


def places(tracking):
    return {figure.id: figure.centre_in for figure in tracking.figures}


def run(*frames):
    tracker = Tracker()
    return [tracker.update(frame) for frame in frames]


def test_names_by_army_from_left_to_right_and_no_news_at_first():
    (first,) = run([sighting("tan", 9, 1), sighting("tan", 2, 1), sighting("green", 5, 5)])
    assert places(first) == {"green-1": (5, 5), "tan-1": (2, 1), "tan-2": (9, 1)}
    assert first.events == ()


def test_shimmer_is_averaged():
    views = run(*([sighting("tan", 2 + (-1) ** k * 0.1, 1)] for k in range(9)))
    assert views[-1].figures[0].x_in == pytest.approx(2.0, abs=0.03)
    assert all(view.events == () for view in views)


def test_a_base_goes_with_its_averaged_centre():
    last = run([sighting("tan", 2, 1)], [sighting("tan", 2.2, 1)])[-1].figures[0]
    assert last.x_in == pytest.approx(2.1)
    assert sum(x for x, _ in last.base_in) / len(last.base_in) == pytest.approx(last.x_in)


def test_a_move_is_told_once_when_it_has_ended():
    stops = [(2, 1), (3, 1), (4, 1), (5, 1), (5, 1), (5, 1), (5, 1)]
    views = run(*([sighting("tan", *stop)] for stop in stops))
    told = [(k, event) for k, view in enumerate(views) for event in view.events]
    assert told == [(5, Event(EventKind.MOVED, "tan-1", (2, 1), (5, 1)))]
    assert places(views[3]) == {"tan-1": (5, 1)}, "a moving figure is followed at once"


def test_a_carried_figure_keeps_its_name():
    gone = [sighting("tan", 30, 30)]
    views = run([sighting("tan", 2, 1), *gone], gone, gone, gone, *([[sighting("tan", 9, 4), *gone]] * 3))
    assert places(views[-1]) == {"tan-1": (9, 4), "tan-2": (30, 30)}
    kinds = [event.kind for view in views for event in view.events]
    assert kinds == [EventKind.LOST, EventKind.FOUND, EventKind.MOVED]


def test_a_lost_figure_is_kept_where_it_was():
    views = run([sighting("tan", 2, 1)], [], [], [], [])
    assert [len(view.figures) for view in views] == [1, 0, 0, 0, 0]
    assert views[-1].lost[0].centre_in == (2, 1)
    assert [[event.kind for event in view.events] for view in views] == [[], [], [], [EventKind.LOST], []]


def test_a_stranger_must_be_seen_twice():
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


def told_by(*looks):
    """Kinds of the events of each look at one man: his posture, and whether the picture shows what it showed before."""
    tracker = Tracker()
    views = [
        tracker.update([sighting("tan", 2, 1, posture)], unchanged=lambda _, same=same: same) for posture, same in looks
    ]
    return [[event.kind for event in view.events] for view in views], [view.figures[0].posture for view in views]


def test_nobody_falls_in_a_picture_that_has_not_changed():
    kneels, lies = (Posture.KNEELING, True), (Posture.DOWN, True)
    events, postures = told_by(kneels, kneels, kneels, lies, lies, kneels, lies, lies)
    assert events == [[]] * 8
    assert set(postures) == {Posture.KNEELING}, "four said that he kneels, four that he lies"


def test_a_wrong_first_verdict_is_put_right_by_the_majority_and_is_no_news():
    lies, stands = (Posture.DOWN, True), (Posture.STANDING, True)
    events, postures = told_by(lies, stands, stands, stands)
    assert events == [[]] * 4
    assert postures == [Posture.DOWN] * 2 + [Posture.STANDING] * 2


def test_who_is_laid_down_on_the_spot_has_fallen_once_the_picture_changed():
    stands, lies = (Posture.STANDING, True), (Posture.DOWN, False)
    assert told_by(stands, stands, lies, lies)[0] == [[], [], [], [EventKind.DOWN]]


def test_who_strayed_has_fallen_whatever_else_is_seen_there():
    tracker = Tracker()
    looks = [sighting("tan", 2, 1), *[sighting("tan", 2.7, 1, Posture.DOWN)] * 3]
    told = [event.kind for one in looks for event in tracker.update([one], unchanged=lambda _: False).events]
    assert told == [EventKind.DOWN]


def test_armies_that_cross_do_not_swap():
    frames = [[sighting("tan", 2 + 0.5 * k, 1), sighting("green", 6 - 0.5 * k, 1.1)] for k in range(9)]
    assert places(run(*frames)[-1]) == {"tan-1": (6, 1), "green-1": (2, 1.1)}


def test_one_frame_in_a_wrong_colour_changes_no_army():
    views = run([sighting("tan", 2, 1)], [sighting("grey", 2.1, 1)], [sighting("tan", 2, 1)])
    assert [view.figures[0].id for view in views] == ["tan-1"] * 3
    assert views[1].figures[0].army == "tan"


def test_a_tank_does_not_become_a_soldier():
    views = run([sighting("tan", 2, 1, Posture.VEHICLE)], [], [], *([[sighting("tan", 9, 1)]] * 2))
    assert views[-1].lost[0].id == "tan-1"
    assert views[-1].figures[0].id == "tan-2"


@given(st.lists(st.lists(st.tuples(st.sampled_from(["tan", "green"]), st.integers(0, 40), st.integers(0, 30)),
                         max_size=6, unique=True), max_size=8))  # fmt: skip
def test_nobody_shares_a_name_and_nobody_known_disappears(frames):
    tracker, known = Tracker(), set()
    for frame in frames:
        tracking = tracker.update([sighting(*one) for one in frame])
        names = [figure.id for figure in (*tracking.figures, *tracking.lost)]
        assert len(names) == len(set(names))
        assert known <= set(names)
        assert all(math.isfinite(figure.x_in) for figure in tracking.figures)
        known = set(names)


def test_of_who_stands_where_nobody_looked_nothing_new_is_known():
    tracker = Tracker()
    tracker.update([sighting("tan", 5, 5), sighting("tan", 20, 5)])
    for _ in range(6):
        seen = tracker.update([sighting("tan", 5, 5)], looked=lambda place: place[0] < 10)
        assert places(seen) == {"tan-1": (5, 5), "tan-2": (20, 5)}
        assert seen.events == ()
    assert tracker.places_in == ((5, 5, 0), (20, 5, 0))


def test_who_is_put_down_where_they_look_keeps_his_name():
    tracker = Tracker()
    tracker.update([sighting("tan", 5, 5), sighting("tan", 20, 5)])
    told = []
    for _ in range(4):
        seen = tracker.update([sighting("tan", 12, 9)], looked=lambda place: place[0] > 10)
        told += seen.events
    assert [(event.kind, event.id) for event in told] == [(EventKind.MOVED, "tan-2")]
    assert places(seen) == {"tan-1": (5, 5), "tan-2": (12, 9)}


def test_who_is_given_up_and_known_again_in_one_picture_is_not_told_as_lost():
    """Carried far in three pictures: at the third his patience ends, and the newcomer there has been seen twice."""
    views = run([sighting("tan", 5, 5)], [], *[[sighting("tan", 15, 5)]] * 5)
    told = [event for view in views for event in view.events]
    assert [(event.kind, event.id) for event in told] == [(EventKind.MOVED, "tan-1")]
