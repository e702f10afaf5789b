"""Corrections applied to the tracks, however these change."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, Posture, area_of, ellipse_outline
from tests.ui.views import figure, view_of
from ui.session import Session
from ui.table.correction_options import everybody, options_at, options_for, place, rename
from ui.table.corrections import (
    Added,
    ArmyChanged,
    Confirmed,
    Deleted,
    FacingSet,
    Merged,
    PlacedAt,
    PostureSet,
    Renamed,
    SizeSet,
    bind,
    corrected,
    next_name,
    usual_base,
)
from vision.frame import Frame
from vision.table_view import TableView, Waiting
from vision.tracks import Event, EventKind, Tracking

ARMIES = ("green", "tan")


def seen(*figures: Figure, lost: tuple[Figure, ...] = (), events: tuple[Event, ...] = ()) -> Tracking:
    return Tracking(figures, events, lost)


def ids(tracking: Tracking) -> list[str]:
    return [one.id for one in tracking.figures]


def test_without_corrections_nothing_changes() -> None:
    tracking = seen(figure("tan-1", 4, 8))
    assert corrected(tracking, ()) is tracking


def test_a_confirmed_figure_stays_when_it_is_not_visible() -> None:
    doubtful = replace(figure("tan-1", 4, 8), confidence=0.4)
    confirmed = (Confirmed("tan-1"),)
    assert corrected(seen(doubtful), confirmed).figures[0].confidence == 1
    gone = seen(lost=(doubtful,), events=(Event(EventKind.LOST, "tan-1"),))
    assert ids(corrected(gone, confirmed)) == ["tan-1"]
    assert corrected(gone, confirmed).lost == corrected(gone, confirmed).events == ()


def test_a_deleted_figure_is_gone_until_its_id_appears_elsewhere() -> None:
    """The tracker may give a lost mug's id to a new soldier."""
    deleted = (Deleted("tan-1", (4, 8)),)
    moved = Event(EventKind.MOVED, "tan-1", (4, 8), (4.3, 8))
    after = corrected(seen(figure("tan-1", 4.3, 8), events=(moved,)), deleted)
    assert after.figures == after.events == ()
    assert ids(corrected(seen(figure("tan-1", 12, 8)), deleted)) == ["tan-1"]


def pictured(seed: int, *figures: Figure, frozen: bool = False) -> TableView:
    """A view with a different picture for each seed."""
    picture = np.random.default_rng(seed).integers(0, 255, (80, 100, 3), np.uint8).repeat(10, 0).repeat(10, 1)
    return replace(view_of(*figures), frame=Frame(picture, 0, 0.0), waiting=Waiting.HAND if frozen else None)


def test_a_deletion_holds_while_the_picture_there_is_unchanged() -> None:
    session, mug = Session(), figure("tan-1", 4, 8)
    neighbour = figure("tan-2", 4.6, 8)
    view = session.shown(pictured(1, mug, neighbour))
    (delete,) = [way for way in options_for(view, view.figures[0], (4, 8), ARMIES) if way.words.startswith("Delete")]
    session.correct(delete.label, *delete.corrections)
    returned = figure("tan-3", 4.2, 8)
    assert ids(session.shown(pictured(1, mug, neighbour)).tracking) == ["tan-2"]
    assert ids(session.shown(pictured(1, neighbour, returned)).tracking) == ["tan-2"], (
        "a known track is not the deleted figure"
    )
    assert ids(session.shown(pictured(2, mug, returned, frozen=True)).tracking) == [], (
        "nothing is decided while a hand is in the picture"
    )
    # A soldier replaces the mug: it counts under any id.
    assert ids(session.shown(pictured(2, mug)).tracking) == ["tan-1"]
    assert ids(session.shown(pictured(1, mug, frozen=True)).tracking) == ["tan-1"], "nor here"
    assert ids(session.shown(pictured(2, returned)).tracking) == ["tan-3"]
    assert ids(session.shown(pictured(1, returned)).tracking) == []
    session.undo()
    assert ids(session.shown(pictured(1, mug, returned)).tracking) == ["tan-1", "tan-3"]


def test_an_added_figure_becomes_the_new_track_at_its_place() -> None:
    added = Added(figure("tan-2", 10, 8), frozenset({"tan-1"}))
    bound = bind((added,), seen(figure("tan-1", 9.8, 8)), {})
    assert bound == {}, "a known track is another figure"
    assert ids(corrected(seen(figure("tan-1", 9.8, 8)), (added,), bound)) == ["tan-1", "tan-2"]
    # The camera finally sees the figure and gives it the next id; then it moves.
    here = seen(figure("tan-1", 4, 8), figure("tan-2", 10.2, 8), events=(Event(EventKind.FOUND, "tan-2"),))
    bound = bind((added,), here, bound)
    assert ids(corrected(here, (added,), bound)) == ["tan-1", "tan-2"]
    assert corrected(here, (added,), bound).events == ()
    away = seen(figure("tan-1", 4, 8), figure("tan-2", 15, 8))
    bound = bind((added,), away, bound)
    assert [one.centre_in for one in corrected(away, (added,), bound).figures] == [(4, 8), (15, 8)]
    lost = seen(figure("tan-1", 4, 8), lost=(figure("tan-2", 15, 8),))
    assert ids(corrected(lost, (added,), bound)) == ["tan-1"], "it is lost like any other figure"


def test_a_new_track_elsewhere_does_not_get_an_added_name() -> None:
    added = Added(figure("tan-2", 10, 8), frozenset({"tan-1"}))
    newcomer = seen(figure("tan-1", 4, 8), figure("tan-2", 18, 3))
    after = corrected(newcomer, (added,), bind((added,), newcomer, {}))
    assert {one.id: one.centre_in for one in after.figures} == {"tan-1": (4, 8), "tan-3": (18, 3), "tan-2": (10, 8)}


def test_merged_figures_keep_the_first_name() -> None:
    merged = (Merged("tan-1", "tan-2"),)
    one, two = figure("tan-1", 4, 8), figure("tan-2", 4.4, 8)
    assert ids(corrected(seen(one, two), merged)) == ["tan-1"]
    assert corrected(seen(one, two), merged).figures[0].centre_in == (4, 8)
    only = corrected(seen(two, lost=(one,)), merged)
    assert [(f.id, f.centre_in) for f in only.figures] == [("tan-1", (4.4, 8))]
    assert only.lost == ()


def test_a_changed_army_gives_the_next_name() -> None:
    changed = (ArmyChanged("green-1", "tan", "tan-2"),)
    first = corrected(seen(figure("green-1", 4, 8), figure("tan-1", 10, 8)), changed)
    assert [(f.id, f.army) for f in first.figures] == [("tan-2", "tan"), ("tan-1", "tan")]
    later = corrected(seen(figure("green-1", 4, 8), figure("tan-1", 10, 8), figure("tan-2", 15, 8)), changed)
    assert ids(later) == ["tan-2", "tan-1", "tan-3"]
    unseen = corrected(seen(figure("tan-2", 15, 8)), changed)
    assert ids(unseen) == ["tan-3"], "whether it is visible or not"


def test_a_corrected_posture_holds_until_the_figure_falls_or_rises() -> None:
    kneels = (PostureSet("tan-1", Posture.KNEELING, Posture.STANDING),)
    for posture in (Posture.STANDING, Posture.PRONE):
        (one,) = corrected(seen(figure("tan-1", 4, 8, posture=posture)), kneels).figures
        assert one.posture is Posture.KNEELING
    (fallen,) = corrected(seen(figure("tan-1", 4, 8, posture=Posture.DOWN)), kneels).figures
    assert fallen.posture is Posture.DOWN
    lies = (PostureSet("tan-1", Posture.DOWN, Posture.STANDING),)
    (one,) = corrected(seen(figure("tan-1", 4, 8)), lies).figures
    assert one.base_in == usual_base(Posture.DOWN, (4, 8))


def test_a_corrected_posture_is_certain_even_if_it_was_right() -> None:
    unsure = replace(figure("tan-1", 4, 8), posture_confidence=0.6, second_posture=Posture.KNEELING)
    assert unsure.possible_postures == (Posture.STANDING, Posture.KNEELING)
    stands = (PostureSet("tan-1", Posture.STANDING, Posture.STANDING),)
    (one,) = corrected(seen(unsure), stands).figures
    assert (one.posture_confidence, one.possible_postures) == (1.0, (Posture.STANDING,))


def test_a_corrected_place_holds_until_the_figure_moves() -> None:
    put = (PlacedAt("tan-1", (4, 8), (4.6, 8), 1.3, 0.1),)
    (one,) = corrected(seen(figure("tan-1", 4.2, 8)), put).figures
    assert (one.centre_in, one.z_in, one.sigma_in) == ((4.6, 8), 1.3, 0.1)
    assert sum(one.base_in, ()) == pytest.approx(sum(ellipse_outline((4.6, 8), 0.5, 0.4), ()))
    (moved,) = corrected(seen(figure("tan-1", 9, 8)), put).figures
    assert moved.centre_in == (9, 8)


def test_a_given_facing_holds_until_the_figure_moves() -> None:
    turned = (FacingSet("tan-1", (4, 8), 120.0),)
    for facing_deg in (None, 10.0):
        (one,) = corrected(seen(replace(figure("tan-1", 4.2, 8), facing_deg=facing_deg)), turned).figures
        assert one.facing_deg == 120.0
        assert one.base_in == figure("tan-1", 4.2, 8).base_in
    (moved,) = corrected(seen(replace(figure("tan-1", 9, 8), facing_deg=10.0)), turned).figures
    assert moved.facing_deg == 10.0


@pytest.mark.parametrize("facing_deg", [None, 30.0, 210.0])
def test_a_hull_turns_with_its_vehicle_and_is_sized_along_it(facing_deg: float | None) -> None:
    hull_in = usual_base(Posture.VEHICLE, (4, 8), 30.0)
    vehicle = replace(figure("tan-1", 4, 8), posture=Posture.VEHICLE, base_in=hull_in, facing_deg=facing_deg)
    (one,) = corrected(seen(vehicle), (FacingSet("tan-1", (4, 8), 90.0),)).figures
    assert area_of(one.base_in).bounds == pytest.approx((4 - 0.95, 8 - 1.6, 4 + 0.95, 8 + 1.6))
    (one,) = corrected(seen(vehicle), (FacingSet("tan-1", (4, 8), 90.0), SizeSet("tan-1", 6.0, 2.0))).figures
    assert area_of(one.base_in).bounds == pytest.approx((3, 5, 5, 11))


def test_no_vehicle_is_a_point_or_as_large_as_a_table() -> None:
    for size_in in ((0.1, 2.0), (3.0, 30.0)):
        with pytest.raises(UserError, match="inches long and wide"):
            SizeSet("tan-1", *size_in)


def test_renaming_to_a_taken_name_swaps_both() -> None:
    swapped = (Renamed("tan-1", "tan-2"),)
    event = Event(EventKind.DOWN, "tan-1")
    after = corrected(seen(figure("tan-1", 4, 8), figure("tan-2", 9, 8), events=(event,)), swapped)
    assert ids(after) == ["tan-2", "tan-1"]
    assert after.events[0].id == "tan-2"


# Any sequence of corrections, undos and redos, over any sequence of pictures

CHOICES = st.lists(
    st.tuples(st.sampled_from(("fix", "fix", "fix", "undo", "redo", "born", "move", "hide")), st.integers(0, 999))
)


def names(view: TableView) -> list[str]:
    return [one.id for one in everybody(view)]


@settings(max_examples=60)
@given(CHOICES)
def test_random_corrections_and_undos_never_duplicate_names(choices: list[tuple[str, int]]) -> None:
    session = Session()
    figures = [figure("green-1", 4, 8), figure("green-2", 5, 8), figure("tan-1", 14, 8), figure("tan-2", 14.9, 8)]
    count, hidden = {"green": 2, "tan": 2}, set[str]()
    model: list[tuple[object, ...]] = [()]
    at = 0
    for what, number in choices:
        raw = raw_view(figures, hidden)
        view = session.shown(raw)
        assert len(set(names(view))) == len(names(view)), (names(view), session.state.corrections)
        if what == "fix" and (ways := offered(view, number)):
            way = ways[number % len(ways)]
            session.correct(way.label, *way.corrections)
            at += 1
            model[at:] = [session.state.corrections]
            assert session.can_undo == way.label
        elif what == "undo":
            session.undo()
            at = max(0, at - 1)
        elif what == "redo":
            session.redo()
            at = min(len(model) - 1, at + 1)
        elif what == "born":
            army = ARMIES[number % 2]
            count[army] += 1
            figures.append(figure(f"{army}-{count[army]}", 2 + number % 16, 3 + number % 11))
        elif what == "move":
            k = number % len(figures)
            figures[k] = figure(figures[k].id, 2 + number % 16, 4 + number % 9)
        elif what == "hide":
            hidden ^= {figures[number % len(figures)].id}
        assert session.state.corrections == model[at]
    while session.undo():
        pass
    raw = raw_view(figures, hidden)
    assert session.shown(raw) is raw, "after undoing everything, the tracks are unchanged"


def raw_view(figures: list[Figure], hidden: set[str]) -> TableView:
    here = [one for one in figures if one.id not in hidden]
    view = view_of(*here)
    return replace(view, tracking=replace(view.tracking, lost=tuple(one for one in figures if one.id in hidden)))


def offered(view: TableView, number: int):
    at_in = (2.0 + number % 15, 3.0 + number % 10)
    ways = list(options_at(view, at_in, 0.0, ARMIES))
    if view.figures:
        one = view.figures[number % len(view.figures)]
        ways += options_for(view, one, at_in, ARMIES)
        ways += [rename(view, one, word) for word in ("Sergeant Rock", "tan-7", "green-1")]
        ways.append(place(view, one, at_in, 0.0))
    return ways


def test_a_new_source_drops_corrections() -> None:
    session = Session()
    session.correct("Green 1 is tan", ArmyChanged("green-1", "tan", "tan-1"))
    session.new_source()
    assert ids(session.shown(view_of(figure("green-1", 15, 3))).tracking) == ["green-1"]
    assert session.undo() == "forget corrections"
    assert session.undo() == "Green 1 is tan"
    session.new_source()
    assert session.can_undo is None


def test_correction_options_for_a_figure_and_a_bare_place() -> None:
    view = view_of(figure("green-1", 4, 8), figure("tan-1", 10, 8))
    ways = {(way.group, way.words): way for way in options_for(view, view.figures[0], (4.5, 8), ARMIES)}
    assert ways["Army", "tan"].corrections == (ArmyChanged("green-1", "tan", "tan-2"),)
    assert ("Army", "green") not in ways
    assert ways["The same as", "Tan 1"].corrections == (Merged("tan-1", "green-1"),)
    there = {(way.group, way.words): way for way in options_at(view, (5, 12), 1.3, ARMIES)}
    (added,) = there["Add", "green"].corrections
    assert (added.figure.id, added.figure.centre_in, added.figure.z_in) == ("green-2", (5, 12), 1.3)
    (tank,) = there["Add", "tan, vehicle"].corrections
    assert tank.figure.posture is Posture.VEHICLE
    assert area_of(tank.figure.base_in).area == pytest.approx(3.2 * 1.9)
    (put,) = there["Stands here", "Green 1"].corrections
    assert (put.at_in, put.z_in) == ((5, 12), 1.3)


def test_a_split_separates_two_figures_at_the_click() -> None:
    view = view_of(figure("green-1", 4, 8))
    (split,) = [
        way for way in options_for(view, view.figures[0], (4.5, 8), ARMIES) if way.words == "Split: these are two"
    ]
    session = Session()
    session.shown(view)
    session.correct(split.label, *split.corrections)
    after = session.shown(view).figures
    assert [(one.id, one.centre_in) for one in after] == [("green-1", (3.5, 8)), ("green-2", (4.5, 8))]
    # When the camera separates them, they are the same two figures.
    apart = session.shown(view_of(figure("green-1", 3.6, 8), figure("green-2", 4.4, 8))).figures
    assert {one.id: round(one.x_in, 1) for one in apart} == {"green-1": 3.5, "green-2": 4.4}
    assert session.undo() == "split Green 1"


def test_an_invalid_figure_name_is_rejected() -> None:
    view = view_of(figure("green-1", 4, 8))
    with pytest.raises(UserError, match="this is not a name"):
        rename(view, view.figures[0], "  ")


def test_the_next_name_counts_lost_figures() -> None:
    assert next_name("tan", (figure("tan-9", 1, 1), figure("tan-10", 2, 1), figure("green-20", 1, 2))) == "tan-11"
    assert next_name("tan", ()) == "tan-1"
