"""The tracker distinguishes bumped cameras, bumped tables and moved markers in rendered pictures."""

import numpy as np
import pytest

from calibration.by_hand import Rectangle, TapeMeasurement
from calibration.calibration_targets import CalibrationTargets
from calibration.calibration_tracker import FRAMES, CalibrationTracker
from calibration.drift import Moved
from calibration.solve import laid_at
from tests.calibration.drawn import camera
from tests.calibration.drawn_room import AT_REST, CAMERA, HOW, PLACES, shot

PRINTS = CalibrationTargets()
NEAR = camera(at_in=(20.5, 14.3), tilt_deg=4.6, **HOW | {"height_in": 48.2})
FAR = camera(at_in=(23.0, 13.0), tilt_deg=1.0, roll_deg=6.0, **HOW | {"height_in": 49.0})
ON_TABLE = np.array([[x, y, 0.0] for x in (6, 20, 34) for y in (5, 13, 21)])


class TrackedTable:
    """A tracker that has seen a table at rest, and its later results."""

    def __init__(self, frames=1, lens=CAMERA.lens, **first):
        self.tracker, self.lens, self.drifts = CalibrationTracker(), lens, []
        for seed in range(frames):
            self.kept = self.start = self.tracker.update(shot(seed=seed, **first), PRINTS, lens)
        assert self.start.calibration is not None

    def look(self, *grays):
        for gray in grays:
            self.kept = self.tracker.update(gray, PRINTS, self.lens)
            self.drifts += self.kept.drifts
        return self

    def error_in(self, seen_by=CAMERA, table=AT_REST):
        """Largest change of the table places of points that move with the table."""
        before = self.start.calibration.camera.pixel_to_table(CAMERA.table_to_pixel(ON_TABLE))
        moved = np.c_[laid_at(ON_TABLE[:, :2], table), ON_TABLE[:, 2]]
        after = self.kept.calibration.camera.pixel_to_table(seen_by.table_to_pixel(moved))
        return np.linalg.norm(after - before, axis=1).max()


@pytest.mark.parametrize("bumped", [NEAR, FAR])
def test_a_bumped_camera_is_recalibrated_in_the_next_frame(bumped):
    table = TrackedTable().look(shot(bumped, seed=9))
    (drift,) = table.drifts
    assert (drift.what, drift.ids) == (Moved.CAMERA, ())
    shift = [NEAR.table_to_pixel(PLACES[n]) - CAMERA.table_to_pixel(PLACES[n]) for n in PLACES]
    if bumped is NEAR:
        assert drift.shift_px == pytest.approx(np.linalg.norm(shift, axis=2).mean(), rel=0.1)
    # Two solves of four markers, each corner to 0.1 px at 18 px an inch.
    assert table.error_in(bumped) < 0.02
    assert table.kept.problem is None
    for number, corners in table.start.calibration.markers_in.items():
        assert table.kept.calibration.markers_in[number] == pytest.approx(corners)


@pytest.mark.slow
def test_each_bump_is_reported_once():
    table = TrackedTable().look(shot(NEAR, seed=1), shot(NEAR, seed=1), shot(FAR, seed=2), *[shot(FAR, seed=3)] * 3)
    assert len(table.drifts) == 1, "the camera swings before it is at rest"
    table.look(shot(seed=4))
    assert [drift.what for drift in table.drifts] == [Moved.CAMERA, Moved.CAMERA]
    assert table.error_in() < 0.02


@pytest.mark.parametrize("table_at", [(0.6, -0.4, 0.01), (0.1, -0.06, 0.0)])
def test_a_still_floor_shows_that_the_table_moved(table_at):
    table = TrackedTable().look(shot(table=table_at, seed=9))
    (drift,) = table.drifts
    assert drift.what is Moved.TABLE
    assert table.error_in(table=table_at) < 0.02


def test_without_texture_camera_and_table_cannot_be_told_apart():
    table = TrackedTable(floor=False).look(shot(NEAR, floor=False, seed=9))
    (drift,) = table.drifts
    assert drift.what is Moved.EITHER
    assert table.error_in(NEAR) < 0.02


def test_a_moved_table_that_fills_the_picture_counts_as_the_camera():
    table = TrackedTable(filled=True).look(shot(table=(0.6, -0.4, 0.0), filled=True, seed=9))
    assert [drift.what for drift in table.drifts] == [Moved.CAMERA]
    assert table.error_in(table=(0.6, -0.4, 0.0)) < 0.02


@pytest.mark.parametrize("to_in", [(31.0, 20.0, 40.0), (33.1, 22.05, 10.0)])
@pytest.mark.slow
def test_a_moved_marker_changes_only_its_own_place(to_in):
    table = TrackedTable().look(*[shot(moved=((2, *to_in),), seed=1), shot(moved=((2, *to_in),), seed=2)] * 6)
    (drift,) = table.drifts
    assert (drift.what, drift.ids) == (Moved.MARKER, (2,))
    shift = np.subtract(drift.to_in, drift.from_in)
    # The frame is chosen by the program, so only the length of the motion can be compared.
    assert np.hypot(*shift) == pytest.approx(np.hypot(to_in[0] - 33, to_in[1] - 22), abs=0.03)
    assert table.error_in() < 0.01
    # The marker counts at its new place from now on: it and one other survive a bump.
    table.look(shot(NEAR, markers=(0,), moved=((2, *to_in),), seed=20))
    assert table.drifts[-1].what is Moved.CAMERA
    assert table.error_in(NEAR) < 0.08


@pytest.mark.slow
def test_a_marker_in_a_hand_is_not_relocated_yet():
    on_the_way = [shot(moved=((2, 33.1 - 0.3 * step, 22 - 0.2 * step, 10.0),), seed=step) for step in range(5)]
    table = TrackedTable().look(*on_the_way)
    assert table.drifts == []
    table.look(*[shot(moved=((2, 31.5, 21.0, 10.0),), seed=7)] * 2)
    assert [drift.ids for drift in table.drifts] == [(2,)]


def test_a_still_picture_shows_that_the_sheet_of_markers_moved():
    """All markers moved as after a camera bump, but nothing else did."""
    sheet = tuple((n, *(PLACES[n].mean(0) + (0.8, 0.5)), turn) for n, turn in ((0, 0), (1, 90), (2, 10), (3, 200)))
    table = TrackedTable().look(shot(moved=sheet, seed=1), shot(moved=sheet, seed=2))
    assert {drift.what for drift in table.drifts} == {Moved.MARKER}
    assert {drift.ids[0] for drift in table.drifts} == {0, 1, 2, 3}
    assert table.error_in() < 0.01


def test_a_single_marker_or_the_camera_moved():
    moved = TrackedTable(markers=(2,)).look(*(shot(markers=(), moved=((2, 31, 20, 40),), seed=seed) for seed in (1, 2)))
    assert [drift.what for drift in moved.drifts] == [Moved.MARKER]
    assert moved.error_in() < 0.01
    bumped = TrackedTable(markers=(2,)).look(shot(NEAR, markers=(2,), seed=1))
    assert [drift.what for drift in bumped.drifts] == [Moved.CAMERA]
    # One marker determines the far side of the table only as well as its corners are known, see its sigma.
    assert bumped.error_in(NEAR) < 4 * bumped.kept.calibration.sigma_in(ON_TABLE).max()


def test_a_bump_while_a_hand_hides_markers():
    table = TrackedTable().look(shot(NEAR, markers=(1, 3), seed=5))
    assert [drift.what for drift in table.drifts] == [Moved.CAMERA]
    assert table.error_in(NEAR) < 0.03
    assert set(table.kept.calibration.markers_in) == {0, 1, 2, 3}, "the hidden ones still lie there"
    table.look(shot(NEAR, seed=6))
    assert (len(table.drifts), table.kept.problem) == (1, None)


def test_contradicting_markers_are_reported():
    start = TrackedTable(markers=(0, 2))
    start.look(shot(NEAR, markers=(0,), moved=((2, 30.0, 18.0, 60.0),), seed=1))
    assert start.drifts == []
    assert "contradict" in start.kept.problem
    assert start.kept.calibration is start.start.calibration


@pytest.mark.slow
def test_hidden_markers_are_reported_and_a_bump_meanwhile_is_found():
    table = TrackedTable().look(shot(markers=(), seed=1), shot(markers=(), seed=2))
    assert "no marker is visible" in table.kept.problem
    table.look(*(shot(NEAR, seed=seed) for seed in range(3, 6)))
    assert [drift.what for drift in table.drifts] == [Moved.CAMERA]
    assert table.kept.problem is None


@pytest.mark.slow
def test_a_marker_that_was_hidden_at_the_start_is_added():
    table = TrackedTable(markers=(0, 1, 3))
    table.tracker.tracked.frames_since_search = 10**6  # a search of the whole picture is due
    table.look(shot(seed=1), shot(seed=2))
    assert set(table.kept.calibration.markers_in) == {0, 1, 2, 3}
    true = np.linalg.norm(PLACES[2].mean(0) - PLACES[0].mean(0))
    places = table.kept.calibration.markers_in
    assert np.linalg.norm(places[2].mean(0) - places[0].mean(0)) == pytest.approx(true, abs=0.03)
    assert table.drifts == [], "nothing was moved"


@pytest.mark.slow
def test_several_frames_at_rest_are_averaged():
    one, many = TrackedTable(lens=CAMERA.lens), TrackedTable(FRAMES + 2, lens=CAMERA.lens)
    assert many.kept.calibration is not one.kept.calibration
    same = [many.tracker.update(shot(seed=seed), PRINTS, many.lens).calibration for seed in (30, 31)]
    assert same[0] is same[1] is many.kept.calibration, "and then kept"


def test_the_uncertainty_of_lens_and_places_survives_a_bump():
    """The pose alone would be known to 0.01 in; the uncertainty of the unknown lens must remain after a bump."""
    table = TrackedTable(lens=None)
    before = table.kept.calibration.sigma_in(ON_TABLE)
    table.look(shot(NEAR, seed=9))
    after = table.kept.calibration.sigma_in(ON_TABLE)
    assert (after > 0.8 * before).all()
    assert (after < 2.0 * before).all()


def test_a_picture_without_markers_gives_a_problem():
    kept = CalibrationTracker().update(shot(markers=()), PRINTS, None)
    assert kept.calibration is None
    assert "lay a printed marker" in kept.problem


def test_a_lens_of_another_size_is_reported_as_a_problem():
    kept = CalibrationTracker().update(shot()[:500], PRINTS, CAMERA.lens)
    assert "lens profile" in kept.problem


def ends_px(*places, seen_by=CAMERA):
    return tuple(tuple(px) for px in seen_by.table_to_pixel(places))


def test_a_measured_distance_survives_a_bump():
    far = np.array([[36.0, 24.0, 0.0]])
    taped = CalibrationTargets(taped=(TapeMeasurement(ends_px((4.0, 14.0), (36.0, 14.0)), 32.0),))
    for bumped_first in (False, True):
        table = TrackedTable()
        if bumped_first:
            table.look(shot(NEAR, seed=1), *[shot(NEAR, seed=1)] * 4)
        before = table.kept.calibration
        problems = taped if not bumped_first else CalibrationTargets(
            taped=(TapeMeasurement(ends_px((4.0, 14.0), (36.0, 14.0), seen_by=NEAR), 32.0),)
        )  # fmt: skip
        kept = table.tracker.update(shot(NEAR, seed=1) if bumped_first else shot(seed=5), problems, table.lens)
        assert kept.drifts == ()
        # 0.5 % of 36 in before; 0.2 % with the tape.
        assert kept.calibration.sigma_in(far) < 0.8 * before.sigma_in(far)
        after = table.tracker.update(shot(FAR, seed=2), problems, table.lens)
        assert [drift.what for drift in after.drifts] == [Moved.CAMERA]
        assert after.calibration.sigma_in(far) < 0.8 * before.sigma_in(far)


def test_a_distance_that_contradicts_the_markers_is_reported():
    wrong = CalibrationTargets(taped=(TapeMeasurement(ends_px((4.0, 14.0), (36.0, 14.0)), 25.0),))
    kept = CalibrationTracker().update(shot(), wrong, CAMERA.lens)
    assert kept.calibration is None
    assert "you measured 25.00 in" in kept.problem


CLICKED = CalibrationTargets(
    rectangle=Rectangle(ends_px((2.0, 3.0), (38.0, 3.0), (38.0, 26.0), (2.0, 26.0)), (36.0, 23.0))
)


def after_clicks(*grays):
    tracker = CalibrationTracker()
    first = tracker.update(shot(markers=()), CLICKED, CAMERA.lens)
    assert first.problem is None
    for gray in grays:
        for _ in range(10):  # every tenth frame is checked
            kept = tracker.update(gray, CLICKED, CAMERA.lens)
    assert kept.calibration is first.calibration
    return kept


def test_a_clicked_rectangle_calibrates_without_markers():
    kept = after_clicks(shot(markers=(), seed=3))
    assert kept.problem is None
    off = kept.calibration.camera.pixel_to_table(CAMERA.table_to_pixel(ON_TABLE)) + (2, 3) - ON_TABLE[:, :2]
    assert np.abs(off).max() < 0.01


def test_a_shift_after_the_clicks_is_reported():
    nudged = camera(at_in=(20.1, 14.1), **HOW)
    for bumped in (nudged, NEAR, FAR):
        kept = after_clicks(shot(bumped, markers=(), seed=4), *[shot(bumped, markers=(), seed=5)] * 3)
        assert "click the corners again" in kept.problem


def test_hands_and_soldiers_do_not_move_clicked_corners():
    gray = shot(markers=(), seed=6).copy()
    gray[200:, 300:560] = 120  # an arm with a sleeve
    assert after_clicks(gray, gray, gray, gray).problem is None
    assert after_clicks(shot(markers=(0, 1), seed=7)).problem is None
