"""The session: setup, rulers, templates, teaching and corrections, with undo."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.by_hand import TapeMeasurement
from calibration.calibration_targets import CalibrationTargets
from calibration.drift import Drift, Moved
from calibration.solve import Calibration
from rules.tabletop.errors import UserError
from rules.tabletop.template import Blast
from tests.ui.views import LENS, figure, view_of
from tests.vision.figure_pictures import GREEN, TAN, camera, empty, soldier
from ui.session import Ruler, Session
from ui.table.corrections import Renamed
from ui.table.play_area import PlayArea
from ui.table.teaching import NoFigureThere, OtherPlastic
from ui.vocabulary import Unit
from vision.frame import Frame
from vision.palette import log_colour
from vision.setup import Setup
from vision.teaching import FigurePicker
from vision.tracks import Event, EventKind, Tracking


def test_undo_and_redo_return_their_labels():
    session = Session()
    session.lay_ruler("tan-1", "tan-2")
    session.lay(Blast((4, 8), 2.0))
    session.clear()
    assert session.state.rulers == session.state.templates == ()
    assert [session.undo() for _ in range(4)] == ["clear the table", "blast of 2 in", "ruler Tan 1 to Tan 2", None]
    assert session.redo() == "ruler Tan 1 to Tan 2"
    assert session.state.rulers == (Ruler("tan-1", "tan-2"),)
    session.lay(Blast((1, 1), 1.0))
    assert session.can_redo is None, "a new step discards undone steps"


def test_laying_the_same_ruler_twice_is_one_step():
    session = Session()
    session.lay_ruler("tan-1", "tan-2")
    session.lay_ruler("tan-1", "tan-2")
    session.lay_ruler("tan-1", "tan-1")
    assert len(session.state.rulers) == 1


def test_a_click_replaces_an_armys_usual_colour():
    image = np.full((200, 200, 3), (40, 90, 150), np.uint8)
    image[80:110, 80:110] = (60, 120, 70)
    session = Session()
    session.begin_army(" Green ")
    (usual,) = session.state.setup.palette
    assert usual.name == "Green"
    session.teach(Frame(image, 0, 0.0), "Green", (95, 95))
    (taught,) = session.state.setup.palette
    # 30 x 30 pixels with a small margin, against the weight 12 of the usual colour.
    assert np.abs(taught.mean - log_colour(image[95:96, 95:96])[0, 0]).max() < 0.03
    assert [session.undo(), session.undo()] == ["teach Green", "begin Green"]
    with pytest.raises(UserError, match=r"No stock colour is called 'pink'\. Choose one of green, tan"):
        session.begin_army("pink")


def test_ignoring_the_tray_is_not_an_undo_step():
    session = Session()
    session.lay_ruler("tan-1", "tan-2")
    session.put_aside(((10, 20, 30, 40),))
    before = session.state
    session.put_aside(((10, 20, 30, 40),))
    assert session.state is before, "an unchanged setup does not start another search"
    assert session.undo() == "ruler Tan 1 to Tan 2"
    assert session.state.setup.aside_px == ((10, 20, 30, 40),)
    session.put_aside(())
    session.redo()
    assert session.state.setup.aside_px == ()


def test_vision_gets_the_area_of_play_once(monkeypatch):
    asked = []
    session = Session()
    monkeypatch.setattr("ui.session.Pipeline.process", lambda _, frame, setup: asked.append(setup) or view_of())
    session.use_area(PlayArea((1.0, 2.0), 30.0, 20.0))
    for _ in range(2):
        session.process(view_of().frame)
    assert asked[0].area_in == ((1, 2), (31, 2), (31, 22), (1, 22))
    assert asked[0] is asked[1], "another setup would start a search"
    session.undo()
    session.process(view_of().frame)
    assert asked[2].area_in is None


def test_teaching_refines_and_can_be_undone():
    image = np.full((200, 200, 3), (40, 90, 150), np.uint8)
    image[80:110, 80:110] = (60, 120, 70)
    image[20:40, 20:40] = (70, 130, 80)
    session, frame = Session(), Frame(image, 0, 0.0)
    session.teach(frame, " green ", (95, 95))
    once = session.state.setup.palette
    session.teach(frame, "green", (30, 30))
    twice = session.state.setup.palette
    assert [c.name for c in once] == [c.name for c in twice] == ["green"]
    assert twice[0].samples > once[0].samples
    session.undo()
    assert session.state.setup.palette == once
    session.forget_army("green")
    assert session.state.setup.palette == ()
    with pytest.raises(UserError, match="name"):
        session.teach(frame, "  ", (95, 95))


def test_learning_the_empty_table_can_be_undone():
    session = Session()
    session.learn_empty_table(Frame(np.zeros((20, 30, 3), np.uint8), 0, 0.0))
    assert session.state.setup.reference_bgr is not None
    session.undo()
    assert session.state.setup.reference_bgr is None


TAPED = CalibrationTargets(taped=(TapeMeasurement(((10.0, 10.0), (900.0, 10.0)), 40.0),))


def test_a_lens_known_from_the_start_is_not_a_step():
    session = Session(Setup(prints=TAPED))
    session.use_lens(LENS, as_before=True)
    assert session.state.setup.lens is LENS
    assert session.can_undo is None
    assert session.state.setup.prints.taped == (), "measured through another lens"
    session.use_lens(LENS)
    assert session.can_undo == "the lens profile"


def test_the_unit_is_not_changed_by_undo():
    session = Session()
    session.use_prints(CalibrationTargets(side_in=2.0))
    session.show_in(Unit.CENTIMETRE)
    session.undo()
    assert session.state.unit is Unit.CENTIMETRE
    assert session.can_redo == "markers of 2 in"


def test_drifts_are_reported_once_even_from_skipped_views(monkeypatch):
    bump = Drift(Moved.CAMERA, 3.0)
    session = Session()
    monkeypatch.setattr("ui.session.Pipeline.process", lambda _, frame, setup: replace(view_of(), drifts=(bump,)))
    for _ in range(2):
        session.process(view_of().frame)
    assert session.take_drifts() == (bump, bump)
    assert session.take_drifts() == ()


def test_a_clicked_rectangle_is_forgotten_with_its_source():
    session = Session(Setup(prints=TAPED))
    session.clear()
    session.new_source()
    assert session.state.setup.prints.taped == ()
    before = session.state
    session.new_source()
    assert session.state is before


DRAWN = camera()
GREEN_IN, OTHER_GREEN_IN, TAN_IN = (8.0, 8.0), (12.0, 15.0), (18.0, 14.0)


def drawn_px(place_in):
    x, y = DRAWN.table_to_pixel(place_in)[0]
    return float(x), float(y)


@pytest.fixture
def at_table(monkeypatch):
    """A session after a view of a drawn table with two green soldiers and a tan one, and the picture."""
    image = empty()
    for place, colour in ((GREEN_IN, GREEN), (OTHER_GREEN_IN, GREEN), (TAN_IN, TAN)):
        soldier(image, DRAWN, *place, colour)
    view = replace(
        view_of(figure("green-4", *GREEN_IN)), frame=Frame(image, 0, 0.0), calibration=Calibration(DRAWN, {}, 0.1, ())
    )
    monkeypatch.setattr("ui.session.Pipeline.process", lambda self, frame, setup: view)
    session = Session()
    session.process(view.frame)
    return session, view.frame


def test_a_click_on_bare_table_names_the_nearest_figure(at_table):
    session, frame = at_table
    session.correct("rename", Renamed("green-4", "green-7"))
    with pytest.raises(NoFigureThere, match="The nearest is Green 7") as refused:
        session.teach(frame, "green", drawn_px((10.5, 9.5)))  # 2.9 in from the soldier at (8, 8)
    assert refused.value.nearest_px == pytest.approx(drawn_px(GREEN_IN))
    with pytest.raises(NoFigureThere, match="Click the middle of a base") as refused:
        session.teach(frame, "green", drawn_px((14.0, 5.0)))  # 6.7 in from him: nothing is near
    assert refused.value.nearest is None
    assert session.state.setup.palette == ()


@pytest.mark.slow
def test_a_soldier_of_another_army_is_rejected(at_table):
    session, frame = at_table
    session.teach(frame, "green", drawn_px(GREEN_IN))
    (green,) = session.state.setup.palette
    with pytest.raises(OtherPlastic, match="That soldier looks different from green") as refused:
        session.teach(frame, "green", drawn_px(TAN_IN))
    assert (refused.value.army, refused.value.like) == ("green", "")
    assert session.state.setup.palette == (green,)
    session.teach(frame, "green", drawn_px(OTHER_GREEN_IN))
    assert session.undo() == "teach green", "its own soldiers refine it"
    session.teach(frame, "tan", drawn_px(TAN_IN))
    with pytest.raises(OtherPlastic, match="That soldier looks like tan") as refused:
        session.teach(frame, "green", drawn_px(TAN_IN))
    assert refused.value.like == "tan"
    session.teach(frame, "green", drawn_px(TAN_IN), surely=True)
    mixed = next(colour for colour in session.state.setup.palette if colour.name == "green")
    assert mixed.samples > green.samples, "the player knows better"


def test_an_army_cannot_be_taught_under_two_names(at_table):
    session, frame = at_table
    session.teach(frame, "green", drawn_px(GREEN_IN))
    with pytest.raises(OtherPlastic, match="That soldier looks like green") as refused:
        session.teach(frame, "olive", drawn_px(OTHER_GREEN_IN))
    assert (refused.value.army, refused.value.like) == ("olive", "green")
    session.teach(frame, "olive", drawn_px(OTHER_GREEN_IN), surely=True)
    assert [colour.name for colour in session.state.setup.palette] == ["green", "olive"]


def test_an_early_pick_teaches_the_same_as_a_click(at_table, monkeypatch):
    session, frame = at_table
    with_click, with_pick = [], []
    session.teach(frame, "green", drawn_px(GREEN_IN))
    with_click.extend(session.state.setup.palette)
    session.undo()
    request = session.pick_request(frame, drawn_px(GREEN_IN))
    picked = request.answer(FigurePicker())
    monkeypatch.setattr("ui.table.teaching.FigurePicker.pick", None)  # no further search
    session.teach(frame, "green", drawn_px(GREEN_IN), picked=picked)
    with_pick.extend(session.state.setup.palette)
    assert with_pick[0].samples == with_click[0].samples
    np.testing.assert_allclose(with_pick[0].mean, with_click[0].mean)
    assert session.pick_request(frame, (-1.0, 5.0)) is None, "outside the picture"
    assert Session().pick_request(frame, drawn_px(GREEN_IN)) is None, "not calibrated yet"


def moved(name, or_else):
    return Event(EventKind.MOVED, name, (5.0, 5.0), (9.0, 9.0), or_else)


def test_doubtful_moves_are_reported_once_even_from_skipped_views(monkeypatch):
    both = (figure("green-3", 5, 5), figure("green-5", 9, 9))
    seen = [
        view_of(*both),
        replace(view_of(*both), tracking=Tracking(both, (moved("green-5", "green-3"), moved("green-3", "green-5")))),
        replace(view_of(*both), tracking=Tracking(both, (moved("green-3", None), moved("green-9", "green-3")))),
    ]
    monkeypatch.setattr("ui.session.Pipeline.process", lambda self, frame, setup: seen.pop(0))
    session = Session()
    views = [session.process(view_of().frame) for _ in range(3)]
    assert session.take_doubtful_moves() == (("green-3", "green-5"),), "green-9 does not exist any more"
    assert session.take_doubtful_moves() == ()
    session.swap("green-3", "green-5")
    shown = session.shown(views[-1])
    assert {one.id: one.centre_in for one in shown.figures} == {"green-3": (9, 9), "green-5": (5, 5)}
    assert session.undo() == "swap Green 3 and Green 5"
    assert {one.id: one.centre_in for one in session.shown(views[-1]).figures}["green-3"] == (5, 5)


def test_doubtful_moves_use_the_shown_names(monkeypatch):
    both = (figure("green-3", 5, 5), figure("green-5", 9, 9))
    view = replace(view_of(*both), tracking=Tracking(both, (moved("green-3", "green-5"),)))
    monkeypatch.setattr("ui.session.Pipeline.process", lambda self, frame, setup: view)
    session = Session()
    session.correct("rename", Renamed("green-5", "green-1"))
    session.process(view.frame)
    assert session.take_doubtful_moves() == (("green-1", "green-3"),)


def test_figures_in_play_are_pinned_by_their_track_ids(monkeypatch):
    pinned = []
    monkeypatch.setattr("ui.session.Pipeline.pin", lambda self, ids: pinned.append(ids))
    view = view_of(figure("green-3", 5, 5), figure("tan-2", 9, 9))
    monkeypatch.setattr("ui.session.Pipeline.process", lambda self, frame, setup: view)
    session = Session()
    session.correct("rename", Renamed("green-3", "green-8"))
    session.process(view.frame)
    session.keep_names(frozenset({"green-8", "tan-2"}))
    session.process(view.frame)
    assert pinned[-1] == {"green-3", "green-8", "tan-2"}
    assert session.in_play == {"green-8", "tan-2"}
    session.undo()
    session.keep_names(frozenset())
    session.process(view.frame)
    assert pinned[-1] == frozenset(), "teaching applies again after the battle"
