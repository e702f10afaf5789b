"""Motion in drawn pictures: a carried soldier, an arm, and light that fades, flickers or wanders."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from vision.motion import HAND_REST_S, MAX_BLOCKED_S, SHRINK, STILL_S, Motion, MotionDetector, cell_means
from vision.visits import Visits

SIZE = (540, 960)


@cache
def wood() -> np.ndarray:
    grain = np.random.default_rng(1).normal(0, 6, SIZE)
    return (120 + np.repeat(np.repeat(grain[::4, ::4], 4, 0), 4, 1)).astype(np.float32)


@cache
def noise(number: int) -> np.ndarray:
    return np.random.default_rng(number).normal(0, 3, SIZE).astype(np.float32)


def table(
    rng: np.random.Generator, *soldiers: tuple[int, int], light: float = 1.0, arm: int = 0, sun: int = 0
) -> np.ndarray:
    """A wooden table with soldiers 24 px wide and optionally an arm of this reach, with a camera's noise.

    The lamp's `light` falls on all of it, and the sun on a patch 300 px wide that begins at column `sun` - 300.
    """
    picture = wood().copy()
    for x, y in soldiers:
        picture[y - 12 : y + 12, x - 12 : x + 12] = 70
    picture[200:300, : arm or 0] = 190
    picture[60:480, max(0, sun - 300) : sun] *= 1 + 0.8 / light
    picture *= 0.6 * light
    # Fresh noise would take most of the time of these tests: eight pictures of it are shifted at random instead.
    picture += np.roll(noise(int(rng.integers(8))), rng.integers(SIZE), axis=(0, 1))
    return np.clip(picture, 0, 255).astype(np.uint8)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def nothing(motion: Motion) -> bool:
    return not motion.moving and motion.changed_px == () and not motion.hand


def watched(rng: np.random.Generator, *soldiers: tuple[int, int]) -> MotionDetector:
    """A detector after two pictures of a table at rest, at 0 s and 1 s."""
    detector = MotionDetector()
    for time_s in (0.0, 1.0):
        detector.detect(table(rng, *soldiers), time_s)
    detector.searched()
    return detector


@pytest.mark.parametrize("low", [0, 250])
def test_cells_are_the_means_of_their_pixels(rng: np.random.Generator, low: int) -> None:
    gray = rng.integers(low, 256, (1080, 1920), dtype=np.uint8)
    means = gray.reshape(135, SHRINK, 240, SHRINK).mean((1, 3))
    assert np.array_equal(cell_means(gray), np.rint(means))
    assert np.array_equal(cell_means(gray[:, ::-1]), np.rint(means)[:, ::-1])  # not contiguous in memory
    assert cell_means(gray[:19, :30]).shape == (2, 3)


def test_the_whole_first_picture_is_new(rng: np.random.Generator) -> None:
    assert MotionDetector().detect(table(rng), 0.0).changed_px == ((0, 0, SIZE[1], SIZE[0]),)


def test_a_repeated_picture_is_at_rest(rng: np.random.Generator) -> None:
    """A still picture is processed again whenever an army is taught; its time stands still."""
    detector, picture = MotionDetector(), table(rng, (300, 300))
    assert not any(detector.detect(picture, 0.0).moving for _ in range(3))


def test_noise_and_fading_light_are_not_new(rng: np.random.Generator) -> None:
    detector = watched(rng, (300, 300))
    for step in range(30):
        light = 1.0 - 0.01 * step  # a third of the light goes within a second
        assert nothing(detector.detect(table(rng, (300, 300), light=light), 1.0 + step / 30))


def test_a_carried_soldier_is_new_at_both_places_once_all_is_at_rest(rng: np.random.Generator) -> None:
    detector = watched(rng, (300, 300))
    assert detector.detect(table(rng, (700, 120)), 1.1).moving
    rested = detector.detect(table(rng, (700, 120)), 1.1 + STILL_S + 0.01)
    assert not rested.moving
    assert len(rested.changed_px) == 2
    for (x, y), box in zip(
        sorted([(300, 300), (700, 120)], key=lambda at: at[1]),
        sorted(rested.changed_px, key=lambda b: b[1]),
        strict=True,
    ):
        assert box[0] <= x - 8
        assert box[2] >= x + 8
        assert box[1] <= y <= box[3]
        assert box[2] - box[0] <= 24 + 6 * SHRINK
    detector.searched()
    assert nothing(detector.detect(table(rng, (700, 120)), 3.0))


@pytest.mark.parametrize("apart_s", [0.1, 0.8])
def test_an_arm_at_rest_in_the_picture_blocks_for_a_limited_time(rng: np.random.Generator, apart_s: float) -> None:
    detector = watched(rng, (700, 300))
    detector.detect(table(rng, (700, 300), arm=400), 2.0)
    for since_s in np.arange(apart_s, HAND_REST_S, apart_s):
        waited = detector.detect(table(rng, (700, 300), arm=400), 2.0 + since_s)
        assert waited.hand
        assert waited.is_blocked(300, 250), "the arm covers this"
        assert not waited.is_blocked(700, 300), "the rest of the table goes on"
    over = detector.detect(table(rng, (700, 300), arm=400), 2.0 + HAND_REST_S + 0.1)
    assert not over.hand
    assert over.blocked is None
    assert len(over.changed_px) == 1


def test_motion_outside_the_table_is_ignored(rng: np.random.Generator) -> None:
    board_px = np.array([[500.0, 0.0], [960, 0], [960, 540], [500, 540]])
    detector = MotionDetector()
    detector.detect(table(rng, (700, 300)), 0.0, table_px=board_px)
    detector.searched()
    for n in range(1, 4):
        assert nothing(detector.detect(table(rng, (700, 300), arm=100 * n), 0.1 * n, table_px=board_px))
    both = detector.detect(table(rng, (800, 300), arm=300), 1.0, table_px=board_px)
    assert both.changed_px
    assert min(box[0] for box in both.changed_px) >= 500 - SHRINK


@pytest.mark.parametrize("sun", [0, 700], ids=["lamp alone", "lamp and sun"])
def test_a_flickering_lamp_is_not_a_change(rng: np.random.Generator, sun: int) -> None:
    """The lamp varies by 15 %; where the sun shines as well, brightness varies by less than half of that."""
    detector = MotionDetector()
    detector.detect(table(rng, (300, 300), sun=sun), 0.0)
    detector.searched()
    for step in range(60):
        light = 1.0 + 0.15 * np.sin(step * 1.7)
        assert nothing(detector.detect(table(rng, (300, 300), light=light, sun=sun), 1.0 + step / 30))


def test_a_soldier_carried_while_lamp_and_sun_differ_is_detected(rng: np.random.Generator) -> None:
    detector = MotionDetector()
    detector.detect(table(rng, (300, 300), sun=700), 0.0)
    detector.searched()
    for step in range(1, 20):
        light = 1.0 + 0.1 * np.sin(step * 1.7)
        motion = detector.detect(table(rng, (860, 120), light=light, sun=700), step / 15)
    assert motion.blocked is None
    assert {box[0] < 500 for box in motion.changed_px} == {True, False}, "where it was, and where it is"


def test_light_switched_on_over_half_the_table_does_not_stop_the_search(rng: np.random.Generator) -> None:
    """A projector, or the sun comes out: light of more than one factor, which blocks only briefly."""
    detector = watched(rng, (300, 300))
    blocked = [
        detector.detect(table(rng, (300, 300), sun=700), 2.0 + step / 30).blocked is not None for step in range(60)
    ]
    assert not any(blocked[round(STILL_S * 30) + 1 :])


@pytest.mark.slow
def test_a_place_that_never_rests_is_searched_anyway(rng: np.random.Generator) -> None:
    """A cat's tail: a part of the picture changes in every frame without end."""
    detector = watched(rng, (700, 300))
    searched_s = []
    for step in range(1, 20 * 15):
        time_s = 1.0 + step / 15
        tail = table(rng, (700, 300), (300 + 12 * (step % 5), 300))
        if detector.detect(tail, time_s).changed_px:
            searched_s.append(time_s)
            detector.searched()
    gaps_s = np.diff([1.0, *searched_s])
    assert gaps_s.max() < MAX_BLOCKED_S + 2 * STILL_S


def test_visits_last_until_the_visited_places_are_searched(rng: np.random.Generator) -> None:
    visits = Visits()
    assert visits.visited(10, 10), "at the start anything may have moved"
    visits.clear()
    assert not visits.visited(10, 10)
    detector = watched(rng, (700, 300))
    visits.add(detector.detect(table(rng, (700, 300), arm=400), 2.0), (SIZE[1], SIZE[0]))
    assert visits.visited(300, 250)
    assert not visits.visited(700, 300)
    visits.follow_camera(np.array([[1.0, 0, 200], [0, 1, 0], [0, 0, 1]]))
    assert visits.visited(500, 250), "the camera was moved by 200 px"
    visits.clear()
    assert not visits.visited(500, 250)


def test_a_clock_that_restarts_at_zero_does_not_delay_rest(rng: np.random.Generator) -> None:
    """A camera was plugged in again after an hour, just after something had moved."""
    detector = watched(rng, (300, 300))
    detector.detect(table(rng, (700, 120)), 3600.0)
    assert detector.detect(table(rng, (700, 120)), 3600.1).moving
    steps = round(STILL_S / 0.1) + 1
    *_, rested = (detector.detect(table(rng, (700, 120)), step * 0.1) for step in range(steps + 1))
    assert not rested.moving
    assert not rested.hand
    assert len(rested.changed_px) == 2


def test_motion_in_a_part_set_aside_is_ignored_but_an_arm_beyond_it_is_not(rng: np.random.Generator) -> None:
    """Rolling dice and the hand that throws them; an arm that reaches on to the table crosses its edge."""
    tray = ((0, 150, 240, 350),)
    detector = watched(rng, (700, 300))
    for step in range(1, 20):  # they roll for two seconds and end elsewhere than they lay
        dice = table(rng, (700, 300), (20 + 10 * step, 180 + 7 * step), arm=200 if step < 5 else 0)
        assert nothing(detector.detect(dice, 1.0 + step / 10, tray))
    detector.detect(table(rng, (700, 300), arm=500), 4.0, tray)
    beyond = detector.detect(table(rng, (700, 300), arm=500), 4.0 + STILL_S + 0.01, tray)
    assert beyond.hand
    assert all(box[0] >= 240 for box in beyond.changed_px)


def test_after_a_camera_move_the_table_is_unchanged_and_an_arm_is_detected(rng: np.random.Generator) -> None:
    """The camera moves by 40 pixels: everything is 40 px further left, and 40 columns were never seen."""
    detector = watched(rng, (300, 300), (700, 300))
    by = 40
    moved = np.roll(table(rng, (300, 300), (700, 300)), -by, axis=1)
    detector.follow_camera(np.array([[1.0, 0, -by], [0, 1, 0], [0, 0, 1]]))
    assert nothing(detector.detect(moved, 2.0))
    reached = moved.copy()
    reached[200:300, -by - 200 :] = 150  # beside an area that was never seen, and so over the edge of the seen area
    detector.detect(reached, 3.0)
    assert detector.detect(reached, 3.0 + STILL_S + 0.01).hand


def test_places_hidden_by_a_hand_during_a_camera_move_remain_unsearched(rng: np.random.Generator) -> None:
    """Only the columns from 200 to 800 certainly lie on the table; the rest is compared after a full search."""
    detector = watched(rng, (300, 300), (700, 300))
    by = 8
    table_px = np.array([[200.0, 0], [800, 0], [800, 540], [200, 540]])
    detector.follow_camera(np.array([[1.0, 0, -by], [0, 1, 0], [0, 0, 1]]), table_px)
    reached = np.roll(table(rng, (300, 300), (700, 300)), -by, axis=1)
    reached[200:300, 400:] = 190
    assert detector.detect(reached, 2.0).blocked is not None
    detector.searched()
    gone = np.roll(table(rng, (300, 300), (700, 300)), -by, axis=1)
    detector.detect(gone, 3.0)
    rested = detector.detect(gone, 3.0 + STILL_S + 0.01)
    assert rested.blocked is None
    assert rested.unsearched
    detector.searched()
    assert not detector.detect(gone, 4.0).unsearched


def test_a_camera_turned_away_completely_has_no_reference(rng: np.random.Generator) -> None:
    detector = watched(rng, (300, 300))
    detector.follow_camera(np.array([[1.0, 0, -5000], [0, 1, 0], [0, 0, 1]]))
    assert nothing(detector.detect(table(rng, (700, 120)), 2.0 + STILL_S))


def test_a_picture_of_another_size_resets_the_detector(rng: np.random.Generator) -> None:
    detector = watched(rng)
    assert detector.detect(table(rng)[:400], 2.0).changed_px == ((0, 0, 960, 400),)
