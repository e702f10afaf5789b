"""What is new in drawn pictures: a soldier that was moved, an arm, and light that fades, flickers or wanders."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from vision.motion import LONGEST_S, PATIENCE_S, SHRINK, STILL_S, Motion, MotionDetector
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
    """A wooden table with soldiers 24 px wide and perhaps an arm that reaches so far in, with a camera's noise.

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
    return not motion.moving and motion.places_px == () and not motion.hand


def watched(rng: np.random.Generator, *soldiers: tuple[int, int]) -> MotionDetector:
    """A detector that knows a table at rest, at 0 s and 1 s."""
    watch = MotionDetector()
    for time_s in (0.0, 1.0):
        watch.look(table(rng, *soldiers), time_s)
    watch.searched()
    return watch


def test_the_first_picture_is_all_new(rng: np.random.Generator) -> None:
    assert MotionDetector().look(table(rng), 0.0).places_px == ((0, 0, SIZE[1], SIZE[0]),)


def test_one_picture_again_and_again_is_at_rest(rng: np.random.Generator) -> None:
    """A still picture is looked at anew whenever an army is taught; its time stands still."""
    watch, picture = MotionDetector(), table(rng, (300, 300))
    assert not any(watch.look(picture, 0.0).moving for _ in range(3))


def test_noise_and_fading_light_are_not_new(rng: np.random.Generator) -> None:
    watch = watched(rng, (300, 300))
    for step in range(30):
        light = 1.0 - 0.01 * step  # a third of the light goes within a second
        assert nothing(watch.look(table(rng, (300, 300), light=light), 1.0 + step / 30))


def test_a_soldier_who_was_carried_is_new_at_both_places_once_all_rests(rng: np.random.Generator) -> None:
    watch = watched(rng, (300, 300))
    assert watch.look(table(rng, (700, 120)), 1.1).moving
    rested = watch.look(table(rng, (700, 120)), 1.1 + STILL_S + 0.01)
    assert not rested.moving
    assert len(rested.places_px) == 2
    for (x, y), box in zip(
        sorted([(300, 300), (700, 120)], key=lambda at: at[1]),
        sorted(rested.places_px, key=lambda b: b[1]),
        strict=True,
    ):
        assert box[0] <= x - 8
        assert box[2] >= x + 8
        assert box[1] <= y <= box[3]
        assert box[2] - box[0] <= 24 + 6 * SHRINK
    watch.searched()
    assert nothing(watch.look(table(rng, (700, 120)), 3.0))


@pytest.mark.parametrize("apart_s", [0.1, 0.8])
def test_an_arm_that_rests_in_the_picture_is_waited_for_but_not_for_ever(
    rng: np.random.Generator, apart_s: float
) -> None:
    watch = watched(rng, (700, 300))
    watch.look(table(rng, (700, 300), arm=400), 2.0)
    for since_s in np.arange(apart_s, PATIENCE_S, apart_s):
        waited = watch.look(table(rng, (700, 300), arm=400), 2.0 + since_s)
        assert waited.hand
        assert waited.holds(300, 250), "the arm covers this"
        assert not waited.holds(700, 300), "the rest of the table goes on"
    over = watch.look(table(rng, (700, 300), arm=400), 2.0 + PATIENCE_S + 0.1)
    assert not over.hand
    assert over.held is None
    assert len(over.places_px) == 1


def test_what_moves_beyond_the_table_is_no_news(rng: np.random.Generator) -> None:
    board_px = np.array([[500.0, 0.0], [960, 0], [960, 540], [500, 540]])
    watch = MotionDetector()
    watch.look(table(rng, (700, 300)), 0.0, table_px=board_px)
    watch.searched()
    for n in range(1, 4):
        assert nothing(watch.look(table(rng, (700, 300), arm=100 * n), 0.1 * n, table_px=board_px))
    both = watch.look(table(rng, (800, 300), arm=300), 1.0, table_px=board_px)
    assert both.places_px
    assert min(box[0] for box in both.places_px) >= 500 - SHRINK


@pytest.mark.parametrize("sun", [0, 700], ids=["lamp alone", "lamp and sun"])
def test_a_lamp_that_flickers_is_not_new(rng: np.random.Generator, sun: int) -> None:
    """The lamp swings by 15 %; where the sun shines as well, brightness swings by less than half of that."""
    watch = MotionDetector()
    watch.look(table(rng, (300, 300), sun=sun), 0.0)
    watch.searched()
    for step in range(60):
        light = 1.0 + 0.15 * np.sin(step * 1.7)
        assert nothing(watch.look(table(rng, (300, 300), light=light, sun=sun), 1.0 + step / 30))


def test_a_soldier_carried_while_lamp_and_sun_differ_is_found(rng: np.random.Generator) -> None:
    watch = MotionDetector()
    watch.look(table(rng, (300, 300), sun=700), 0.0)
    watch.searched()
    for step in range(1, 20):
        light = 1.0 + 0.1 * np.sin(step * 1.7)
        motion = watch.look(table(rng, (860, 120), light=light, sun=700), step / 15)
    assert motion.held is None
    assert {box[0] < 500 for box in motion.places_px} == {True, False}, "where it was, and where it is"


def test_light_that_is_switched_on_over_half_the_table_does_not_stop_the_search(rng: np.random.Generator) -> None:
    """A projector, or the sun that comes out: more than one factor explains, and yet waited for only briefly."""
    watch = watched(rng, (300, 300))
    held = [watch.look(table(rng, (300, 300), sun=700), 2.0 + step / 30).held is not None for step in range(60)]
    assert not any(held[round(STILL_S * 30) + 1 :])


def test_what_never_rests_is_searched_all_the_same(rng: np.random.Generator) -> None:
    """A cat's tail: a part of the picture changes in every frame, for ever."""
    watch = watched(rng, (700, 300))
    searched_s = []
    for step in range(1, 20 * 15):
        time_s = 1.0 + step / 15
        tail = table(rng, (700, 300), (300 + 12 * (step % 5), 300))
        if watch.look(tail, time_s).places_px:
            searched_s.append(time_s)
            watch.searched()
    gaps_s = np.diff([1.0, *searched_s])
    assert gaps_s.max() < LONGEST_S + 2 * STILL_S


def test_visits_remember_where_something_moved_until_all_is_searched(rng: np.random.Generator) -> None:
    visits = Visits()
    assert visits.include(10, 10), "at the start anything may have moved"
    visits.settle()
    assert not visits.include(10, 10)
    watch = watched(rng, (700, 300))
    visits.add(watch.look(table(rng, (700, 300), arm=400), 2.0), (SIZE[1], SIZE[0]))
    assert visits.include(300, 250)
    assert not visits.include(700, 300)
    visits.turned(np.array([[1.0, 0, 200], [0, 1, 0], [0, 0, 1]]))
    assert visits.include(500, 250), "the camera was moved by 200 px"
    visits.settle()
    assert not visits.include(500, 250)


def test_a_camera_that_counts_from_0_again_is_at_rest_as_soon_as_any(rng: np.random.Generator) -> None:
    """It was plugged in again, an hour into the evening, a moment after somebody had moved."""
    watch = watched(rng, (300, 300))
    watch.look(table(rng, (700, 120)), 3600.0)
    assert watch.look(table(rng, (700, 120)), 3600.1).moving
    steps = round(STILL_S / 0.1) + 1
    *_, rested = (watch.look(table(rng, (700, 120)), step * 0.1) for step in range(steps + 1))
    assert not rested.moving
    assert not rested.hand
    assert len(rested.places_px) == 2


def test_what_moves_in_a_part_set_aside_is_no_news_and_an_arm_beyond_it_is(rng: np.random.Generator) -> None:
    """Dice that roll there, and the hand that throws them; one that reaches on to the table comes in over its edge."""
    tray = ((0, 150, 240, 350),)
    watch = watched(rng, (700, 300))
    for step in range(1, 20):  # they roll for two seconds and end elsewhere than they lay
        dice = table(rng, (700, 300), (20 + 10 * step, 180 + 7 * step), arm=200 if step < 5 else 0)
        assert nothing(watch.look(dice, 1.0 + step / 10, tray))
    watch.look(table(rng, (700, 300), arm=500), 4.0, tray)
    beyond = watch.look(table(rng, (700, 300), arm=500), 4.0 + STILL_S + 0.01, tray)
    assert beyond.hand
    assert all(box[0] >= 240 for box in beyond.places_px)


def test_a_camera_that_was_moved_knows_the_table_again_and_an_arm_over_it(rng: np.random.Generator) -> None:
    """The camera moves by 40 pixels: all lies 40 px further left in the picture, and 40 columns were never seen."""
    watch = watched(rng, (300, 300), (700, 300))
    by = 40
    moved = np.roll(table(rng, (300, 300), (700, 300)), -by, axis=1)
    watch.turned(np.array([[1.0, 0, -by], [0, 1, 0], [0, 0, 1]]))
    assert nothing(watch.look(moved, 2.0))
    reached = moved.copy()
    reached[200:300, -by - 200 :] = 150  # beside what was never seen, and so over the edge of what was
    watch.look(reached, 3.0)
    assert watch.look(reached, 3.0 + STILL_S + 0.01).hand


def test_what_was_not_seen_because_of_a_hand_when_the_camera_moved_is_still_to_be_searched(
    rng: np.random.Generator,
) -> None:
    """Only the columns from 200 to 800 lie surely on the table; the rest is not compared until all was searched."""
    watch = watched(rng, (300, 300), (700, 300))
    by = 8
    table_px = np.array([[200.0, 0], [800, 0], [800, 540], [200, 540]])
    watch.turned(np.array([[1.0, 0, -by], [0, 1, 0], [0, 0, 1]]), table_px)
    reached = np.roll(table(rng, (300, 300), (700, 300)), -by, axis=1)
    reached[200:300, 400:] = 190
    assert watch.look(reached, 2.0).held is not None
    watch.searched()
    gone = np.roll(table(rng, (300, 300), (700, 300)), -by, axis=1)
    watch.look(gone, 3.0)
    rested = watch.look(gone, 3.0 + STILL_S + 0.01)
    assert rested.held is None
    assert rested.unseen
    watch.searched()
    assert not watch.look(gone, 4.0).unseen


def test_a_camera_that_looks_elsewhere_altogether_knows_nothing(rng: np.random.Generator) -> None:
    watch = watched(rng, (300, 300))
    watch.turned(np.array([[1.0, 0, -5000], [0, 1, 0], [0, 0, 1]]))
    assert nothing(watch.look(table(rng, (700, 120)), 2.0 + STILL_S))


def test_another_size_of_picture_begins_anew(rng: np.random.Generator) -> None:
    watch = watched(rng)
    assert watch.look(table(rng)[:400], 2.0).places_px == ((0, 0, 960, 400),)
