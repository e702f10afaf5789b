"""When the tracker searches the whole picture, and when it starts a new calibration."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.by_hand import Rectangle, TapeMeasurement
from calibration.calibration_targets import CalibrationTargets, fix, see
from calibration.calibration_tracker import FRAMES, CalibrationTracker, TrackedMarkers
from calibration.marker_tracker import MarkerCheck
from tests.calibration.drawn import camera, marker_corners, picture
from tests.calibration.drawn_room import CAMERA, HOW, PLACES, shot
from tests.calibration.test_calibration_tracker import CLICKED, PRINTS, TrackedTable, ends_px

GRAY = shot(floor=False)
BUMPED = camera(at_in=(20.5, 14.3), tilt_deg=4.6, **HOW | {"height_in": 48.2})
SQUARE = np.zeros((4, 2))


def tracked_markers():
    return TrackedMarkers(GRAY, fix(see(GRAY, PRINTS), PRINTS, CAMERA.lens), PRINTS, CAMERA.lens)


def check(*seen, hidden=()):
    return MarkerCheck(dict.fromkeys(seen, SQUARE), dict.fromkeys(seen, 0.0), frozenset(hidden))


def search_frames(tracked, frames, one):
    """Numbers of the frames, from 1, in which the whole picture is searched."""
    found = []
    for frame in range(1, frames + 1):
        tracked.frames_since_search += 1
        tracked.frames_unseen = 0 if one.corners_px else tracked.frames_unseen + 1
        if tracked.search_is_due(one):
            tracked.frames_since_search = 0
            found.append(frame)
    return found


def test_searches_are_rare_while_all_is_well():
    assert search_frames(tracked_markers(), 650, check(0, 1, 2, 3)) == [300, 600]


def test_searches_for_a_hidden_marker_become_rarer():
    """After 10 frames, 20, 40 ... and 300 at most."""
    assert search_frames(tracked_markers(), 1250, check(0, 1, hidden=(2,))) == [10, 30, 70, 150, 310, 610, 910, 1210]


def test_the_search_interval_resets_when_all_markers_are_visible():
    tracked = tracked_markers()
    assert search_frames(tracked, 40, check(0, 1, hidden=(2,))) == [10, 30]
    tracked.search_is_due(check(0, 1, 2))
    tracked.frames_since_search = 0
    assert search_frames(tracked, 20, check(0, 1, hidden=(2,))) == [10]


def test_without_visible_markers_searches_run_often_at_first():
    """The interval is a third of the frames without markers, plus one."""
    assert search_frames(tracked_markers(), 12, check(hidden=(0, 1))) == [1, 2, 4, 7, 11]
    tracked = tracked_markers()
    tracked.frames_unseen = 200
    assert search_frames(tracked, 30, check(hidden=(0, 1))) == [10, 20, 30]


def test_a_displaced_marker_is_searched_in_every_frame():
    tracked = tracked_markers()
    tracked.displaced = {2: SQUARE}
    assert search_frames(tracked, 3, check(0, 1, 2)) == [1, 2, 3]


@pytest.mark.slow
def test_eight_frames_at_rest_are_averaged():
    tracker = CalibrationTracker()
    kept = [tracker.update(shot(seed=seed), PRINTS, CAMERA.lens).calibration for seed in range(FRAMES + 1)]
    assert FRAMES == 8
    assert all(one is kept[0] for one in kept[:7])
    assert kept[7] is not kept[0]
    assert kept[8] is kept[7]


@pytest.mark.parametrize(
    "changed",
    [
        {"side_in": 2.5},
        {"taped": (TapeMeasurement(ends_px((6.0, 14.0), (30.0, 14.0)), 24.0),)},
        {"dictionary": "4X4_100"},
    ],
)
def test_other_prints_start_a_new_calibration(changed):
    """Exception: an additional measured distance updates the current calibration."""
    tracker = CalibrationTracker()
    first = tracker.update(GRAY, PRINTS, CAMERA.lens)
    held_by = tracker.tracked
    kept = tracker.update(GRAY, replace(PRINTS, **changed), CAMERA.lens)
    assert kept.problem is None
    assert (tracker.tracked is held_by) is ("taped" in changed)
    assert kept.calibration is not first.calibration


@pytest.mark.slow
def test_another_lens_or_size_starts_a_new_calibration():
    tracker = CalibrationTracker()
    first = tracker.update(GRAY, PRINTS, CAMERA.lens)
    assert tracker.update(GRAY, PRINTS, CAMERA.lens).calibration is first.calibration
    guessed = tracker.update(GRAY, PRINTS, None)
    assert guessed.calibration is not first.calibration
    smaller = tracker.update(GRAY[:500], PRINTS, None)
    assert smaller.calibration.camera.lens.image_size == (960, 500)
    taped = CalibrationTargets(taped=(TapeMeasurement(ends_px((6.0, 14.0), (30.0, 14.0)), 24.0),))
    assert tracker.update(GRAY, taped, None).calibration.camera.lens.image_size == (960, 540)


def test_the_next_frame_is_tried_after_an_error():
    tracker = CalibrationTracker()
    refused = tracker.update(shot(markers=(), floor=False), PRINTS, CAMERA.lens)
    assert (refused.calibration, refused.drifts) == (None, ())
    found = tracker.update(GRAY, PRINTS, CAMERA.lens)
    assert found.problem is None
    assert found.calibration is not None


def test_markers_set_aside_are_reported_with_every_frame():
    gray = picture(CAMERA, PLACES | {2: marker_corners((33, 22), 2.7, 10)})
    tracker = CalibrationTracker()
    for _ in range(2):
        kept = tracker.update(gray, PRINTS, CAMERA.lens)
        assert [trouble.id for trouble in kept.set_aside] == [2]


def test_clicked_corners_are_checked_in_every_tenth_frame():
    tracker = CalibrationTracker()
    bumped = shot(BUMPED, markers=(), seed=4)
    tracker.update(shot(markers=()), CLICKED, CAMERA.lens)
    problems = [tracker.update(bumped, CLICKED, CAMERA.lens).problem for _ in range(12)]
    assert problems[:9] == [None] * 9
    assert all("click the corners again" in problem for problem in problems[9:])
    back = [tracker.update(shot(markers=()), CLICKED, CAMERA.lens).problem for _ in range(10)]
    assert "click the corners again" in back[6]
    assert back[7] is None, "ten frames after the look before"


def test_impossible_clicked_corners_are_reported():
    wrong = CalibrationTargets(rectangle=Rectangle(((0.0, 0.0), (10.0, 0.0), (0.0, 10.0), (10.0, 10.0)), (36.0, 23.0)))
    kept = CalibrationTracker().update(GRAY, wrong, CAMERA.lens)
    assert kept.calibration is None
    assert "click the rectangle's four corners" in kept.problem


def test_a_distance_is_applied_to_clicked_corners_once():
    tracker = CalibrationTracker()
    first = tracker.update(shot(markers=()), CLICKED, CAMERA.lens)
    ends = ends_px((4.0, 14.0), (36.0, 14.0))
    one = replace(CLICKED, taped=(TapeMeasurement(ends, 32.0),))
    sharper = tracker.update(shot(markers=()), one, CAMERA.lens).calibration
    again = tracker.update(shot(markers=()), one, CAMERA.lens).calibration
    two = replace(CLICKED, taped=(TapeMeasurement(ends, 32.0), TapeMeasurement(ends, 32.0)))
    sharpest = tracker.update(shot(markers=()), two, CAMERA.lens).calibration
    far = [[34.0, 22.0, 0.0]]
    assert again is sharper
    assert sharpest.sigma_in(far) < sharper.sigma_in(far) < first.calibration.sigma_in(far)
    by_hand = one.taped[0].sharpen(first.calibration)
    assert sharper.camera.translation == pytest.approx(by_hand.camera.translation)
    twice = one.taped[0].sharpen(by_hand)
    assert sharpest.camera.translation == pytest.approx(twice.camera.translation)
    # The same result with all distances from the start.
    fresh = CalibrationTracker().update(shot(markers=()), two, CAMERA.lens).calibration
    assert fresh.camera.translation == pytest.approx(twice.camera.translation)


def test_slightly_displaced_markers_are_expected_at_their_seen_places():
    """Within twice the rest limit; markers farther away are expected at their predicted places."""
    table = TrackedTable(floor=False)
    tracked = table.tracker.tracked
    detections = see(GRAY, PRINTS)
    still = tracked.still_limit_px
    moved = {0: detections.corners_px[0] + (1.9 * still, 0), 1: detections.corners_px[1] + (0, 2.5 * still)}
    tracked.expect(replace(detections, corners_px=detections.corners_px | moved))
    places = dict(zip(tracked.tracker.ids, tracked.tracker.corners_px, strict=True))
    predicted = {n: tracked.calibration.camera.table_to_pixel(c) for n, c in tracked.calibration.markers_in.items()}
    assert places[0] == pytest.approx(moved[0])
    assert places[1] == pytest.approx(predicted[1])
