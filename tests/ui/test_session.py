from dataclasses import replace

import numpy as np
import pytest

from calibration.by_hand import Taped
from calibration.camera import Lens, TableCamera
from calibration.drift import Drift, Moved
from calibration.prints import Prints
from calibration.solve import NUDGE, Calibration
from rules.aftermath import shifted
from rules.table import Figure, Posture, Refused, ellipse_outline
from rules.template import Blast
from ui.session import Ruler, Session, Tape, blasted, figure_at, measured, read_off
from ui.units import Unit
from vision.frame import Frame
from vision.pipeline import Setup, TableView
from vision.tracking import Tracking

# Looks straight down from 40 in over (10, 8): 800 px of focal length make 20 px an inch.
DOWN = np.diag([1.0, -1.0, -1.0])
LENS = Lens((1000, 800), [[800, 0, 500], [0, 800, 400], [0, 0, 1]], [0] * 5)


def over(height_in=40.0, at=(10.0, 8.0)):
    return TableCamera(LENS, DOWN, -DOWN @ np.array([*at, height_in]))


def figure(name, x, y, sigma_in=0.1, posture=Posture.STANDING):
    return Figure(name, name.split("-")[0], x, y, 0.0, sigma_in, posture, ellipse_outline((x, y), 0.5, 0.4))


def view_of(*figures, deviants=()):
    calibration = Calibration(over(), {0: np.zeros((4, 2))}, 0.1, deviants)
    frame = Frame(np.zeros((800, 1000, 3), np.uint8), 0, 0.0)
    return TableView(frame, calibration, Tracking(figures=figures))


def test_a_range_with_a_perfect_camera_has_the_figures_errors_only():
    a, b = figure("tan-1", 4, 8, 0.3), figure("tan-2", 14, 8, 0.4)
    ranges = measured(view_of(a, b), (a, b))
    assert set(ranges) == {("tan-1", "tan-2"), ("tan-2", "tan-1")}
    assert ranges["tan-1", "tan-2"].centre_in == pytest.approx(10)
    assert ranges["tan-1", "tan-2"].edge_in == pytest.approx(9, abs=0.02)
    assert ranges["tan-1", "tan-2"].sigma_in == pytest.approx(0.5)


def test_what_shifts_both_ends_alike_is_no_error_of_a_range():
    """A camera that may hang elsewhere moves every place by the same: places err, ranges do not."""
    moved = over(at=(10.0 + 0.5 * NUDGE, 8.0))  # half an inch of standard deviation
    a, b = figure("tan-1", 4, 8, 0.5), figure("tan-2", 14, 8, 0.5)
    view = view_of(a, b, deviants=(moved,))
    assert view.calibration.sigma_in([(4, 8, 0)])[0] == pytest.approx(0.5 / np.sqrt(2), rel=1e-3)
    # 0.5^2 - 0.5^2 / 2 each is the figures' own; the pair adds nothing: sqrt(2 * 0.125) = 0.5.
    assert measured(view, (a, b))["tan-1", "tan-2"].sigma_in == pytest.approx(0.5, rel=1e-3)


def test_what_scales_the_table_grows_with_the_range():
    higher = over(height_in=40.0 * (1 + 0.01 * NUDGE))  # one per cent of scale
    a, b, c = figure("t-1", 4, 8, 0.0), figure("t-2", 9, 8, 0.0), figure("t-3", 14, 8, 0.0)
    ranges = measured(view_of(a, b, c, deviants=(higher,)), (a, b, c))
    assert ranges["t-1", "t-2"].sigma_in == pytest.approx(0.05, rel=1e-3)
    assert ranges["t-1", "t-3"].sigma_in == pytest.approx(0.10, rel=1e-3)


def test_a_click_means_the_body_not_only_the_base():
    standing = figure("tan-1", 20, 8)
    view = view_of(standing, figure("tan-2", 4, 8))
    head = view.calibration.camera.table_to_pixel((20, 8, 1.6))[0]
    assert np.hypot(*(head - view.calibration.camera.table_to_pixel((20, 8, 0))[0])) > 8
    assert figure_at(view, tuple(head)) is not None
    assert figure_at(view, tuple(head)).id == "tan-1"
    assert figure_at(view, (500, 50)) is None


def test_a_ruler_goes_with_its_figures_and_waits_for_the_missing():
    ruler = Ruler("tan-1", (10.0, 8.0))
    assert read_off(view_of(figure("tan-1", 4, 8)), ruler).range.centre_in == pytest.approx(6)
    assert read_off(view_of(figure("tan-1", 7, 8)), ruler).range.centre_in == pytest.approx(3)
    assert read_off(view_of(figure("tan-2", 7, 8)), ruler) is None


def test_a_blast_over_a_view():
    view = view_of(figure("tan-1", 4, 8), figure("tan-2", 14, 8))
    assert [hit.id for hit in blasted(view, Blast((4, 8), 2))] == ["tan-1"]


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


def test_a_tape_measures_a_figure_that_was_shifted_anew():
    a, b = figure("tan-1", 4, 8), figure("tan-2", 14, 8)
    tape = Tape(view_of(a, b).calibration, (a, b))
    assert tape(a, b).centre_in == pytest.approx(10)
    assert tape(a, shifted(b, (17, 12))).centre_in == pytest.approx(np.hypot(13, 4))
    assert tape(a, b).centre_in == pytest.approx(10)
    assert tape(b, a) == tape(a, b).turned()


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
