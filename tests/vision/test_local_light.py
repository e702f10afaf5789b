"""Light explains changes that leave edges in place, such as shadows and exposure, but not an arm over a board."""

from __future__ import annotations

import numpy as np
import pytest

from vision.local_light import LightChangeDetector, differs_beyond_light


def board() -> np.ndarray:
    """A chequered board of 60 x 80 cells with squares 6 cells wide, slightly lighter to one side."""
    rows, columns = np.mgrid[:60, :80]
    return (np.where((rows // 6 + columns // 6) % 2, 90.0, 150.0) + columns * 0.3).astype(np.float32)


def shaded(picture: np.ndarray, depth: float) -> np.ndarray:
    """A soft shadow over the left half, and the exposure that compensates it."""
    fall = 1 / (1 + np.exp((np.arange(80) - 40) / 4))
    return (picture * (1 - depth * fall) * 1.15).astype(np.float32)


def test_a_soft_shadow_and_another_exposure_count_as_light() -> None:
    assert differs_beyond_light(shaded(board(), 0.45), board()).mean() < 0.01


def test_a_piece_moved_in_a_shadow_is_detected_at_both_places() -> None:
    before, after = board(), board()
    before[20:23, 20:23] = 40
    after[20:23, 32:35] = 40
    new = differs_beyond_light(shaded(after, 0.45), before)
    assert new[20:23, 20:23].sum() >= 5
    assert new[20:23, 32:35].sum() >= 5
    new[18:25, 18:37] = False
    assert new.mean() < 0.01


def test_an_arm_over_the_board_is_not_taken_for_light() -> None:
    reached = shaded(board(), 0.3)
    reached[25:40, 40:] = 105
    new = differs_beyond_light(reached, board())
    assert new[25:40, 42:].mean() > 0.6


def test_a_change_of_light_is_waited_for_but_a_flicker_is_not() -> None:
    watch = LightChangeDetector()
    waited = [watch.is_changing(shaded(board(), 0.3 * (step % 2)), step / 20) for step in range(80)]
    assert waited[1:38] == [True] * 37
    assert not any(waited[45:])


def test_another_exposure_is_not_a_change_of_local_light() -> None:
    watch = LightChangeDetector()
    assert not any(watch.is_changing(board() * (1 - 0.2 * (step % 2)), step / 20) for step in range(10))


@pytest.mark.parametrize(
    ("share", "factor", "changing"), [(0.12, 1.15, True), (0.08, 1.15, False), (0.12, 1.05, False)]
)
def test_light_changes_with_a_tenth_of_the_picture_by_a_tenth(share: float, factor: float, *, changing: bool) -> None:
    """The detector adds 8 to the grey levels, so 100 grows by log((8 + 115) / 108) = 0.13 or log(113 / 108) = 0.045."""
    watch, lit = LightChangeDetector(), np.full((50, 100), 100, np.float32)
    lit[:, : round(100 * share)] *= factor
    watch.is_changing(np.full((50, 100), 100, np.float32), 0.0)
    assert watch.is_changing(lit, 0.05) is changing
