"""The tray is read after the dice have come to rest, once per throw."""

import numpy as np
import pytest

from rules.tabletop.errors import UserError
from vision.dice.tray import TrayReading, TrayWatch
from vision.dice.view import DieKind, DieSeen
from vision.frame import ImageBgr

DIE = DieSeen(4, DieKind.D6, ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0)), 0.9)


def picture(x: int, seed: int = 0, light: float = 1.0) -> ImageBgr:
    """A pale square of 30 px on a dark tray, with a webcam's noise."""
    image = np.full((240, 320, 3), 60.0)
    image[100:130, x : x + 30] = 220
    return np.clip(image * light + np.random.default_rng(seed).normal(0, 4, image.shape), 0, 255).astype(np.uint8)


def readings(frames: list[tuple[float, ImageBgr]], **how: object) -> list[TrayReading]:
    watch = TrayWatch(lambda _: (DIE,), **how)  # type: ignore[arg-type]
    return [reading for time_s, image in frames if (reading := watch.feed(time_s, image)) is not None]


def test_nothing_is_read_while_dice_roll() -> None:
    assert not readings([(0.1 * k, picture(10 + 8 * k, k)) for k in range(30)])


def test_read_once_after_rest_despite_noise_and_a_flickering_lamp() -> None:
    rolling = [(0.1 * k, picture(10 + 8 * k, k)) for k in range(10)]  # the last moves at 0.9 s
    lying = [(0.1 * k, picture(82, k, 1 + 0.04 * (k % 2))) for k in range(10, 40)]
    (reading,) = readings(rolling + lying, still_s=0.5)
    assert reading.time_s == pytest.approx(1.4)
    assert reading.dice == (DIE,)


def test_a_new_throw_is_read_again() -> None:
    frames = [(0.1 * k, picture(50 if k < 20 else 150, k)) for k in range(40)]
    assert [reading.time_s for reading in readings(frames, still_s=0.5)] == pytest.approx([0.5, 2.5])


def test_motion_outside_the_tray_is_ignored() -> None:
    frames = [(0.1 * k, picture(10 + 4 * k, k)) for k in range(20)]
    tray = [(200.0, 10.0), (310.0, 10.0), (310.0, 230.0), (200.0, 230.0)]
    assert len(readings(frames, tray_px=tray)) == 1


def test_read_again_when_asked() -> None:
    watch = TrayWatch(lambda _: (DIE,), still_s=0.2)
    reading = []
    for k in range(20):
        reading.append(watch.feed(0.1 * k, picture(80, k)) is not None)
        if k == 10:
            watch.again()
    assert sum(reading) == 2


def test_a_slow_creep_is_movement() -> None:
    # 1 px a picture is a 30th of the die: each picture is compared with the one at which rest began
    assert not readings([(0.1 * k, picture(40 + k, k)) for k in range(60)], still_s=0.5)


def test_doubtful_dice_are_listed() -> None:
    unsure = DieSeen(4, DieKind.D6, DIE.outline_px, 0.5)
    cocked = DieSeen(4, DieKind.D6, DIE.outline_px, 0.9, cocked=True)
    assert TrayReading((DIE, unsure, cocked), 0.0).doubtful == (1, 2)


def test_a_time_of_zero_is_refused() -> None:
    with pytest.raises(UserError, match="positive time"):
        TrayWatch(lambda _: (), still_s=0)
