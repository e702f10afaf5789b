"""A picture at several sizes."""

import numpy as np
import pytest

from vision.dice.pyramid import Pyramid


@pytest.mark.parametrize(("scale", "level_scale"), [(1.0, 1.0), (0.6, 1.0), (0.5, 0.5), (0.3, 0.5), (0.2, 0.25)])
def test_the_level_is_at_least_as_large_as_asked(scale: float, level_scale: float) -> None:
    level, own = Pyramid(np.zeros((400, 600, 3), np.uint8)).level(scale)
    assert own == level_scale
    assert level.shape[:2] == (400 * own, 600 * own)


def test_a_reduced_picture_keeps_its_mean() -> None:
    image = np.random.default_rng(1).integers(0, 255, (301, 401, 3), np.uint8)
    picture = Pyramid(image)
    reduced = picture.reduced(0.2)
    assert reduced.shape == (60, 80, 3)
    # 25 independent pixels in each of 4800: a standard error of 73 / 5 / 69 = 0.2, half a level of rounding each time
    assert abs(float(reduced.mean()) - float(image.mean())) < 1.0
    assert picture.size_px == (401, 301)


def test_small_pictures_are_not_halved() -> None:
    level, own = Pyramid(np.zeros((40, 60, 3), np.uint8)).level(0.1)
    assert (level.shape[0], own) == (40, 1.0)
