"""Drift detection with computed corners and plain grey pictures."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.background_motion import BackgroundMotion
from calibration.calibration_targets import CalibrationTargets, Detections
from calibration.camera import Lens
from calibration.drift import (
    Drift,
    Moved,
    assess_drift,
    known_targets,
    moved_part,
    relocate_markers,
    solve_pose,
    still_px,
)
from calibration.markers import Board, SeenBoard
from calibration.opencv import cv2
from calibration.solve import Target, solve
from tests.calibration.drawn import camera, marker_corners
from tests.calibration.test_scene_texture import texture

SIZE = (960, 540)
HERE = (0.0, 0.0, 0.0)
CAMERA = camera()
BUMPED = camera(at_in=(20.6, 14.2), tilt_deg=4.8)
PLACES = {
    0: marker_corners((5, 5), 3.0),
    1: marker_corners((35, 5), 3.0, 90),
    2: marker_corners((34, 24), 3.0, 10),
    3: marker_corners((6, 23), 3.0, -45),
}
GREY = np.full((540, 960), 120, np.uint8)
PRINTS = CalibrationTargets()


def targets(places=PLACES, seen_by=CAMERA):
    return [Target(at, seen_by.table_to_pixel(at), {n: at}, HERE) for n, at in places.items()]


TABLE = solve(targets(), SIZE, CAMERA.lens)


def detections(seen_by=CAMERA, without=(), **moved):
    """What is seen of the markers; `m2=(x, y, turn)` lies elsewhere."""
    places = PLACES | {int(name[1:]): marker_corners((x, y), 3.0, turn) for name, (x, y, turn) in moved.items()}
    return Detections(SIZE, {n: seen_by.table_to_pixel(at) for n, at in places.items() if n not in without})


def judged(seen, table=TABLE, was=CAMERA):
    return assess_drift(table, was, seen, PRINTS, (GREY, was), GREY)


@pytest.mark.parametrize(
    ("stayed", "moved_along", "moved"),
    [
        (5, 0, Moved.EITHER),  # fewer than six points are too few
        (0, 5, Moved.EITHER),
        (6, 0, Moved.MARKER),
        (0, 6, Moved.CAMERA),
        (18, 2, Moved.MARKER),
        (17, 3, Moved.TABLE),  # exactly 85 % is not more than 85 %
        (6, 4, Moved.TABLE),
        (5, 5, Moved.CAMERA),  # five points may be chance
        (21, 79, Moved.TABLE),
        (20, 80, Moved.CAMERA),  # 20 % may be chance
    ],
)
def test_the_background_shows_what_moved(stayed, moved_along, moved):
    assert moved_part(BackgroundMotion(stayed, moved_along)) is moved


def test_noise_below_the_limit_is_not_a_movement():
    assert still_px(replace(TABLE, residual_px=0.0), 1.0) == 0.5
    assert still_px(replace(TABLE, residual_px=0.0), 0.5) == 0.25
    assert still_px(replace(TABLE, residual_px=0.4), 1.0) == 0.8


def test_unmoved_markers_give_no_drift():
    assessment = judged(detections())
    assert (assessment.calibration, assessment.what, assessment.ids, assessment.displaced) == (
        None,
        None,
        {0, 1, 2, 3},
        {},
    )
    assert assessment.shift_px == 0


def test_a_moved_marker_is_displaced():
    seen = detections(m2=(33.0, 23.0, 10))
    assessment = judged(seen)
    assert (assessment.calibration, assessment.what, assessment.ids) == (None, Moved.MARKER, {0, 1, 3})
    assert set(assessment.displaced) == {2}
    assert assessment.displaced[2] is seen.corners_px[2]


def test_a_new_marker_is_displaced_and_changes_nothing_else():
    assessment = judged(detections(m9=(20.0, 14.0, 0)))
    assert (assessment.what, assessment.ids, set(assessment.displaced)) == (None, {0, 1, 2, 3}, {9})


def test_two_markers_in_place_outweigh_two_that_moved_together():
    """The two others moved together, as on one sheet."""
    assessment = judged(detections(m2=(33.0, 24.5, 10), m3=(5.0, 23.5, -45)))
    assert (assessment.what, assessment.ids, set(assessment.displaced)) == (Moved.MARKER, {0, 1}, {2, 3})


def test_a_bumped_camera_is_found_with_its_shift():
    assessment = judged(detections(BUMPED))
    assert (assessment.what, assessment.ids, assessment.displaced) == (Moved.EITHER, {0, 1, 2, 3}, {})
    shift = [BUMPED.table_to_pixel(at) - CAMERA.table_to_pixel(at) for at in PLACES.values()]
    by_marker = [np.sqrt((one**2).sum(1).mean()) for one in shift]
    assert assessment.shift_px == pytest.approx(np.mean(by_marker), rel=1e-4)
    assert assessment.calibration.camera.position_in == pytest.approx(BUMPED.position_in, abs=1e-3)
    assert assessment.calibration.markers_in is TABLE.markers_in


def test_a_bump_with_one_marker_moved_meanwhile():
    assessment = judged(detections(BUMPED, m1=(30.0, 9.0, 40)))
    assert (assessment.what, assessment.ids, set(assessment.displaced)) == (Moved.EITHER, {0, 2, 3}, {1})


def test_two_contradicting_markers_give_no_result():
    assert judged(detections(BUMPED, without=(1, 3), m2=(30.0, 18.0, 60))) is None


def test_a_single_marker_in_place_confirms_the_camera():
    assessment = judged(detections(without=(0, 1, 3)))
    assert (assessment.calibration, assessment.what, assessment.ids, assessment.displaced) == (None, None, {2}, {})


def test_three_consistent_markers_outweigh_one_in_place():
    """By chance it lies where the bumped camera sees it at its old pixels."""
    bumped = detections(BUMPED)
    seen = replace(bumped, corners_px=bumped.corners_px | {2: CAMERA.table_to_pixel(PLACES[2])})
    assessment = judged(seen)
    assert (assessment.what, assessment.ids, set(assessment.displaced)) == (Moved.EITHER, {0, 1, 3}, {2})


def test_two_markers_in_place_outweigh_three_that_moved_together():
    five = {**PLACES, 4: marker_corners((20, 14), 3.0)}
    table = solve(targets(five), SIZE, CAMERA.lens)
    seen = detections(BUMPED, m4=(20.0, 14.0, 0))
    seen = replace(seen, corners_px=seen.corners_px | {n: CAMERA.table_to_pixel(five[n]) for n in (0, 4)})
    assessment = judged(seen, table)
    assert (assessment.what, assessment.ids, set(assessment.displaced)) == (Moved.MARKER, {0, 4}, {1, 2, 3})


def test_a_small_rotation_about_two_markers_is_a_camera_bump():
    """Rotated by 1/12 degree about their side: 1 and 2 are off by 0.2 px, 0 and 3 by 0.7 px."""
    turned = camera(at_in=(19.988, 13.9315), height_in=50.05, tilt_deg=3.947, roll_deg=-0.0786)
    assessment = judged(detections(turned))
    assert (assessment.what, assessment.ids, assessment.displaced) == (Moved.EITHER, {0, 1, 2, 3}, {})
    assert assessment.calibration.camera.position_in == pytest.approx(turned.position_in, abs=1e-3)


def test_a_still_background_means_that_only_the_prints_moved():
    gray = texture()
    assessment = assess_drift(TABLE, CAMERA, detections(BUMPED, m9=(20.0, 14.0, 0)), PRINTS, (gray, CAMERA), gray)
    assert (assessment.calibration, assessment.what, assessment.ids) == (None, Moved.MARKER, frozenset())
    assert set(assessment.displaced) == {0, 1, 2, 3, 9}


def test_the_markers_are_not_background():
    """All texture lies on the markers; a marker partly beyond the lens model's range is ignored."""
    gray = np.full((540, 960), 120, np.uint8)
    for at in PLACES.values():
        (left, top), (right, bottom) = (CAMERA.table_to_pixel(at)[k] for k in (0, 2))
        x, y = sorted((int(left), int(right))), sorted((int(top), int(bottom)))
        gray[y[0] : y[1], x[0] : x[1]] = texture()[y[0] : y[1], x[0] : x[1]]
    assert assess_drift(TABLE, CAMERA, detections(BUMPED), PRINTS, (gray, CAMERA), gray).what is Moved.EITHER
    folding = replace(CAMERA, lens=Lens(SIZE, CAMERA.lens.matrix, [-0.3, 0, 0, 0, 0]))
    astride = marker_corners((20 + 50 * folding.lens.valid_radius, 14), 3.0)
    assert np.isnan(folding.table_to_pixel(astride)).any(1).sum() == 2
    table = replace(TABLE, markers_in=TABLE.markers_in | {8: astride})
    assert assess_drift(table, CAMERA, detections(BUMPED), PRINTS, (gray, folding), gray).what is Moved.EITHER


def test_no_visible_marker_is_not_a_contradiction():
    assessment = judged(Detections(SIZE, {}))
    assert (assessment.what, assessment.ids, assessment.displaced) == (None, frozenset(), {})


@pytest.mark.parametrize(
    ("nearer_in", "residual_px", "ids"), [(0.3, 0.0, {2, 3}), (0.4, 0.0, None), (0.4, 0.3, {2, 3}), (0.5, 0.35, None)]
)
def test_a_bumped_camera_may_fit_a_little_worse_than_one_at_rest(nearer_in, residual_px, ids):
    """Two markers closer together than expected: in the best pose, 0.3 in are 0.55 px, 0.4 0.81 and 0.5 1.27.

    At 960 px across, 0.25 px are at rest and 0.75 px are one rigid table, or three times the earlier residual.
    """
    near = detections(BUMPED, without=(0, 1), m2=(34 - nearer_in, 24.0, 10))
    assessment = judged(near, replace(TABLE, residual_px=residual_px))
    assert (assessment and assessment.ids) == ids


def test_a_marker_at_rest_gets_its_new_place():
    moved = marker_corners((30, 20), 3.0, 70)
    known, (drift,) = relocate_markers(TABLE, {2: CAMERA.table_to_pixel(moved)}, PRINTS)
    assert known.markers_in[2] == pytest.approx(moved, abs=1e-3)
    assert all(known.markers_in[n] is TABLE.markers_in[n] for n in (0, 1, 3))
    assert (drift.what, drift.ids) == (Moved.MARKER, (2,))
    assert drift.from_in == pytest.approx((34, 24), abs=1e-3)
    assert drift.to_in == pytest.approx((30, 20), abs=1e-3)
    shift = CAMERA.table_to_pixel(moved) - CAMERA.table_to_pixel(PLACES[2])
    assert drift.shift_px == pytest.approx(np.linalg.norm(shift, axis=1).mean(), rel=1e-3)
    assert drift.sentence == "marker 2 was moved on the table; positions on the table stay valid"


def test_a_new_marker_is_added_without_a_drift():
    known, drifts = relocate_markers(TABLE, {9: CAMERA.table_to_pixel(marker_corners((20, 14), 3.0))}, PRINTS)
    assert drifts == ()
    assert known.markers_in[9] == pytest.approx(marker_corners((20, 14), 3.0), abs=1e-3)


@pytest.mark.parametrize(("side_in", "taken"), [(3.1, True), (2.9, True), (3.3, False), (2.7, False)])
def test_a_new_marker_of_another_size_is_skipped(side_in, taken):
    """Half of the difference, 0.05 or 0.15 in, at each corner and axis; a corner may be off by 0.09 in."""
    known, _ = relocate_markers(TABLE, {9: CAMERA.table_to_pixel(marker_corners((20, 14), side_in))}, PRINTS)
    assert (9 in known.markers_in) is taken


def test_a_curled_new_marker_is_skipped_and_the_next_one_added():
    curled = marker_corners((20, 14), 3.0)
    curled[1] += (0.3, 0.0)
    flat = marker_corners((12, 14), 3.0)
    displaced = {9: CAMERA.table_to_pixel(curled), 10: CAMERA.table_to_pixel(flat)}
    assert relocate_markers(TABLE, displaced, PRINTS)[0].markers_in.keys() == {0, 1, 2, 3, 10}


def test_a_marker_partly_beyond_the_horizon_is_skipped():
    low = camera(tilt_deg=75.0, at_in=(20.0, -40.0), height_in=10.0)
    seen = np.array([[400.0, 0], [440, 0], [440, 40], [400, 600]])
    assert np.isnan(low.pixel_to_table(seen)).any(1).tolist() == [False, False, False, True]
    known, drifts = relocate_markers(replace(TABLE, camera=low), {9: seen}, PRINTS)
    assert (9 in known.markers_in, drifts) == (False, ())


def test_a_board_is_one_target_at_its_markers():
    board = Board(5, 4, 1.4, 1.0)
    prints = CalibrationTargets(board=board)
    shifted = {n: at + (3.0, 20.0) for n, at in board.marker_corners_in("4X4_50").items()}
    known = replace(TABLE, markers_in=shifted)
    corners = board.corners_in(np.arange(12, dtype=np.int32))
    (target,) = known_targets(
        known, Detections(SIZE, {}, SeenBoard(np.arange(12, dtype=np.int32), corners * 10)), prints
    )
    assert target.points_in == pytest.approx(corners + (3.0, 20.0))
    assert target.seen_px == pytest.approx(corners * 10)
    assert target.place == HERE
    assert target.marks.keys() == shifted.keys()
    assert known_targets(known, Detections(SIZE, {}), prints) == []


def test_markers_without_a_known_place_are_not_targets():
    assert [*known_targets(TABLE, detections(m9=(20.0, 14.0, 0)), PRINTS)[0].marks] == [0]
    assert len(known_targets(TABLE, detections(m9=(20.0, 14.0, 0)), PRINTS)) == 4


def test_the_uncertainty_of_lens_and_places_carries_over_to_the_new_pose():
    """A perturbation of the camera that measured the markers persists in every later pose.

    The old camera and its perturbed camera stay equally far apart at the markers.
    """
    turn = cv2.Rodrigues(np.array([2e-4, -3e-4, 1e-3]))[0] @ CAMERA.rotation
    askew = replace(CAMERA, rotation=turn, translation=CAMERA.translation + (0.02, -0.01, 0.05))
    known = replace(TABLE, deviants=(askew,))
    after = solve_pose(known, targets(seen_by=BUMPED), SIZE)
    assert len(after.deviants) > 1, "the pose has an error of its own"
    carried = after.deviants[0]
    middles = np.array([at.mean(0) for at in PLACES.values()])
    was = askew.pixel_to_table(CAMERA.table_to_pixel(middles)) - middles
    now = carried.pixel_to_table(BUMPED.table_to_pixel(middles)) - middles
    assert np.abs(was).max() > 0.02
    assert now == pytest.approx(was, abs=2e-3)


@pytest.mark.parametrize("what", [Moved.CAMERA, Moved.TABLE, Moved.EITHER])
def test_the_sentence_names_what_moved(what):
    assert Drift(what, 3.0).sentence.startswith(f"the {what.value} was moved; the camera position was updated")
    assert Drift(what, 3.0).ids == ()
