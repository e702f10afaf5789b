"""The alignment on simulated tables: the error of painted points, light that fails, and what shows that it holds."""

from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from benchmarks.projector import CASES, Case, Room, painted_errors, picture_of, run, watch_light
from calibration.calibration_targets import CalibrationTargets, calibrate
from rules.tabletop.errors import UserError
from rules.tabletop.table import TerrainKind, TerrainPiece
from ui.picture.preview import Preview
from ui.projector import Alignment, AlignmentWatch, Light
from ui.session import TableState
from vision.frame import Frame
from vision.setup import Setup
from vision.simulation.projector import SimulatedProjector, hung_projector
from vision.simulation.scene import Model, Scene, Sculpt, corner_markers, demo_scene
from vision.simulation.simulator import SimulatedTable, overhead_camera
from vision.simulation.surface import Surface
from vision.table_view import TableView, Waiting
from vision.tracks import Tracking

TABLE_IN, CAMERA_PX, SIZE_PX = (30.0, 20.0), (960, 540), (800, 500)
HILL = TerrainPiece("book", TerrainKind.HILL, ((18.0, 8.0), (24.0, 8.0), (24.0, 13.0), (18.0, 13.0)), 0.0, 2.0)
MODELS = tuple(Model(f"green-{n}", "green", Sculpt.RIFLEMAN, 7 + 4.0 * (n % 4), 5 + 4.0 * (n // 4)) for n in range(10))
MEDIAN_IN, MOST_IN = 0.05, 0.15
"""The promise to the players: half of all painted points are nearer to their places than the first, 95 % than the
second."""


def room(surface=Surface.WOOD, case=CASES[1], models=MODELS, noise_seed=0):
    """A table with its projector, and what the camera sees of it."""
    scene = Scene(TABLE_IN, surface, (HILL,), corner_markers(TABLE_IN), models)
    table = SimulatedTable(scene, overhead_camera(CAMERA_PX, TABLE_IN, 40.0), seed=noise_seed)
    case = replace(case, size_px=SIZE_PX)
    frame = table.read()
    measured = calibrate(frame.gray(), CalibrationTargets(layout=table.truth.markers), table.camera.lens)
    return table, case.hang(table), TableView(frame, measured, Tracking(table.truth.figures))


@pytest.fixture(scope="module")
def wooden():
    table, projector, view = room()
    return table, projector, view, aligned_by(table, projector, view).aligned


def aligned_by(table, projector, view):
    """The alignment after it is over."""
    alignment = Alignment(SIZE_PX, view, Setup(terrain=(HILL,)))
    run(alignment, table, projector)
    return alignment


def assert_promise(aligned, projector):
    error_in, _ = painted_errors(aligned.projection, projector, TABLE_IN)
    assert len(error_in) > 200  # the projector lights at least half of the table
    assert np.median(error_in) < MEDIAN_IN
    assert np.percentile(error_in, 95) < MOST_IN


def test_painted_points_lie_in_their_places(wooden):
    _, projector, _, aligned = wooden
    assert_promise(aligned, projector)
    # Light on the hill too: this projector is tilted, so that one plane shows its focal length.
    high_in, sigma_in = painted_errors(aligned.projection, projector, TABLE_IN, HILL.top_in)
    assert (high_in < 3 * sigma_in).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "surface"),
    [
        (CASES[0], Surface.GRASS),
        (CASES[2], Surface.WOOD),
        (CASES[3], Surface.CARDBOARD),
        (Case("a bright room and yellowish light", 30.0, brightness=0.15, tint_bgr=(0.6, 0.9, 1.0)), Surface.FELT),
    ],
    ids=lambda value: getattr(value, "words", value),
)
def test_they_do_so_from_any_position_in_any_light_on_any_table(case, surface):
    table, projector, view = room(surface, case)
    alignment = aligned_by(table, projector, view)
    assert not alignment.problem
    assert_promise(alignment.aligned, projector)


@pytest.mark.slow
def test_codes_replace_the_board_where_no_marker_can_be_read(monkeypatch):
    nothing = (np.empty((0, 2)), np.empty((0, 2)))
    monkeypatch.setattr("ui.projector.board_points", lambda *_: nothing)
    table, projector, view = room(Surface.GRASS, CASES[2])
    alignment = aligned_by(table, projector, view)
    assert alignment.progress == 1.0  # all pictures were needed
    assert_promise(alignment.aligned, projector)


def test_a_slow_camera_is_waited_for(wooden):
    table, projector, view, _ = wooden
    table.projector = projector
    alignment = Alignment(SIZE_PX, view, Setup(terrain=(HILL,)))
    run(alignment, table, projector, lag_frames=20)  # 0.67 s, longer than any picture is shown at least
    assert_promise(alignment.aligned, projector)


def test_dark_and_weak_projectors_are_told_apart(wooden):
    table, _, view, _ = wooden
    model = hung_projector(SIZE_PX, TABLE_IN)
    for brightness, words in ((0.0, "does not see the projector's light"), (0.055, "too weak against the room's")):
        table.projector = SimulatedProjector(model, TABLE_IN, brightness=brightness)
        assert words in aligned_by(table, table.projector, view).problem


def test_it_needs_inches_and_can_be_cancelled(wooden):
    table, _, view, _ = wooden
    with pytest.raises(UserError, match="Lay a printed marker on the table"):
        Alignment(SIZE_PX, replace(view, calibration=None), Setup())
    alignment = Alignment(SIZE_PX, view, Setup())
    alignment.cancel()
    alignment.take(table.read())
    assert (alignment.over, alignment.problem) == (True, "The projector is not aligned.")


# What shows that it still holds


def lit_by(table, projector, aligned, state=TableState()):  # noqa: B008
    """A function that returns views while the projector paints the marks."""
    numbers = count(1000)

    def look(view, **changes):
        projector.picture = picture_of(Light(aligned).painted(view, state, Preview()), SIZE_PX)
        table.projector = projector
        picture = table.read().image_bgr
        return replace(view, frame=Frame(picture, next(numbers), 0.0), **changes)

    return look


def test_marks_show_when_the_projector_has_moved(wooden):
    table, projector, view, aligned = wooden
    watch, look = AlignmentWatch(aligned), lit_by(table, projector, aligned)
    assert len(aligned.marks.places_in) == 4
    assert [watch.problem(look(view)) for _ in range(4)] == [""] * 4
    offsets_in = aligned.marks.offsets_in(look(view).frame.gray(), view.calibration.camera)
    assert np.abs(offsets_in).max() <= 0.051  # one step of the search
    pushed = SimulatedProjector(hung_projector(SIZE_PX, TABLE_IN, turn_deg=4.0), TABLE_IN)
    look = lit_by(table, pushed, aligned)
    problems = [watch.problem(look(view)) for _ in range(3)]
    assert problems[:2] == ["", ""]  # it might be a sleeve
    assert problems[2].startswith("The projector or the table has moved")


def test_marks_show_when_the_light_is_gone_but_not_under_a_hand(wooden):
    table, projector, view, aligned = wooden
    watch, look = AlignmentWatch(aligned), lit_by(table, projector, aligned)
    off = SimulatedProjector(projector.model, TABLE_IN, brightness=0.0)
    never_seen = AlignmentWatch(aligned)
    assert not watch.problem(look(view))
    dark = lit_by(table, off, aligned)
    assert not any(watch.problem(dark(view, waiting=Waiting.HAND)) for _ in range(4))
    problems = [(watch.problem(dark(view)), never_seen.problem(dark(view))) for _ in range(3)]
    assert problems[2][0].startswith("The camera no longer sees the projector's light")
    assert not any(words for _, words in problems)  # too weak for this camera from the start


def test_a_bump_of_the_camera_changes_nothing_but_moved_markers_do(wooden):
    _, projector, view, aligned = wooden
    bumped = SimulatedTable(
        Scene(TABLE_IN, Surface.WOOD, (HILL,), corner_markers(TABLE_IN)),
        overhead_camera(CAMERA_PX, TABLE_IN, 41.0, 6.0),
    )
    frame = bumped.read()
    measured = calibrate(frame.gray(), CalibrationTargets(layout=bumped.truth.markers), bumped.camera.lens)
    watch, look = AlignmentWatch(aligned), lit_by(bumped, projector, aligned)
    now = replace(view, calibration=measured)
    assert [watch.problem(look(now)) for _ in range(4)] == [""] * 4
    assert np.isfinite(aligned.marks.offsets_in(look(now).frame.gray(), measured.camera)).any()
    shifted = replace(measured, markers_in={number: at + 0.2 for number, at in measured.markers_in.items()})
    assert "printed markers have moved" in watch.problem(look(replace(view, calibration=shifted)))


@pytest.mark.slow
def test_the_finder_sees_the_same_soldiers_while_lines_are_painted_among_them():
    before, views = watch_light(Room(demo_scene()), frames=14)
    assert len(before.figures) == len(demo_scene().figures)
    assert [event for view in views for event in view.tracking.events] == []
    then = {figure.id: figure.centre_in for figure in before.figures}
    now = {figure.id: figure.centre_in for figure in views[-1].figures}
    assert then.keys() == now.keys()
    # A tenth of what is reported as a move; without light they differ as much.
    assert max(np.hypot(*np.subtract(now[name], then[name])) for name in then) < 0.05
