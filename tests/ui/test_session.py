"""What is set up and laid on the table, step by step."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.by_hand import Taped
from calibration.drift import Drift, Moved
from calibration.prints import Prints
from rules.table import Refused
from rules.template import Blast
from tests.ui.views import (
    LENS,
    view_of,
)
from ui.session import Ruler, Session
from ui.table.play_area import PlayArea
from ui.units import Unit
from vision.frame import Frame
from vision.palette import log_colour
from vision.pipeline import Setup


def test_undo_and_redo_reach_everything_by_name():
    session = Session()
    session.lay_ruler("tan-1", "tan-2")
    session.lay(Blast((4, 8), 2.0))
    session.clear()
    assert session.state.rulers == session.state.templates == ()
    assert [session.undo() for _ in range(4)] == ["clear the table", "blast of 2 in", "ruler tan-1 to tan-2", None]
    assert session.redo() == "ruler tan-1 to tan-2"
    assert session.state.rulers == (Ruler("tan-1", "tan-2"),)
    session.lay(Blast((1, 1), 1.0))
    assert session.can_redo is None, "a new step ends what had been undone"


def test_the_same_ruler_twice_is_one_step():
    session = Session()
    session.lay_ruler("tan-1", "tan-2")
    session.lay_ruler("tan-1", "tan-2")
    session.lay_ruler("tan-1", "tan-1")
    assert len(session.state.rulers) == 1


def test_an_army_begins_with_its_usual_plastic_and_a_click_makes_it_its_own():
    image = np.full((200, 200, 3), (40, 90, 150), np.uint8)
    image[80:110, 80:110] = (60, 120, 70)
    session = Session()
    session.begin_army(" Green ")
    (usual,) = session.state.setup.palette
    assert usual.name == "Green"
    session.teach(Frame(image, 0, 0.0), "Green", (95, 95))
    (taught,) = session.state.setup.palette
    # 30 x 30 pixels and a little rim against the 12 that the usual colour counts for.
    assert np.abs(taught.mean - log_colour(image[95:96, 95:96])[0, 0]).max() < 0.03
    assert [session.undo(), session.undo()] == ["teach Green", "begin Green"]
    with pytest.raises(Refused, match="no usual plastic is called 'pink'; there is green, tan"):
        session.begin_army("pink")


def test_a_tray_is_put_aside_in_every_step_and_is_none():
    session = Session()
    session.lay_ruler("tan-1", "tan-2")
    session.put_aside(((10, 20, 30, 40),))
    before = session.state
    session.put_aside(((10, 20, 30, 40),))
    assert session.state is before, "what is known changes nothing: the table is not searched again"
    assert session.undo() == "ruler tan-1 to tan-2"
    assert session.state.setup.aside_px == ((10, 20, 30, 40),)
    session.put_aside(())
    session.redo()
    assert session.state.setup.aside_px == ()


def test_who_looks_is_told_what_is_played_on_and_that_once(monkeypatch):
    asked = []
    session = Session()
    monkeypatch.setattr(session._pipeline, "look", lambda frame, setup: asked.append(setup) or view_of())
    session.use_area(PlayArea((1.0, 2.0), 30.0, 20.0))
    for _ in range(2):
        session.look(view_of().frame)
    assert asked[0].area_in == ((1, 2), (31, 2), (31, 22), (1, 22))
    assert asked[0] is asked[1], "another set-up would be searched anew"
    session.undo()
    session.look(view_of().frame)
    assert asked[2].area_in is None


def test_teaching_undoes_and_refines():
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
    with pytest.raises(Refused, match="name"):
        session.teach(frame, "  ", (95, 95))


def test_the_empty_table_is_a_step():
    session = Session()
    session.learn_empty_table(Frame(np.zeros((20, 30, 3), np.uint8), 0, 0.0))
    assert session.state.setup.reference_bgr is not None
    session.undo()
    assert session.state.setup.reference_bgr is None


TAPED = Prints(taped=(Taped(((10.0, 10.0), (900.0, 10.0)), 40.0),))


def test_a_lens_that_was_known_all_along_is_no_step():
    session = Session(Setup(prints=TAPED))
    session.use_lens(LENS, as_before=True)
    assert session.state.setup.lens is LENS
    assert session.can_undo is None
    assert session.state.setup.prints.taped == (), "measured through another lens"
    session.use_lens(LENS)
    assert session.can_undo == "the lens profile"


def test_the_unit_is_no_step_and_stays_through_undo():
    session = Session()
    session.use_prints(Prints(side_in=2.0))
    session.show_in(Unit.CENTIMETRE)
    session.undo()
    assert session.state.unit is Unit.CENTIMETRE
    assert session.can_redo == "markers of 2 in"


def test_what_was_moved_is_told_once_even_from_views_that_nobody_saw(monkeypatch):
    bump = Drift(Moved.CAMERA, 3.0)
    session = Session()
    monkeypatch.setattr(session._pipeline, "look", lambda frame, setup: replace(view_of(), drifts=(bump,)))
    for _ in range(2):
        session.look(view_of().frame)
    assert session.take_drifts() == (bump, bump)
    assert session.take_drifts() == ()


def test_what_was_clicked_for_inches_does_not_outlive_its_picture():
    session = Session(Setup(prints=TAPED))
    session.clear()
    session.new_source()
    assert session.state.setup.prints.taped == ()
    before = session.state
    session.new_source()
    assert session.state is before
