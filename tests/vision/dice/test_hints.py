"""Hints of the finder at several sizes of the picture."""

import numpy as np

from vision.dice.networks import DieHint, without_duplicates


def hint(x: float, side_px: float, chance: float) -> DieHint:
    return DieHint(np.array([x, 50.0]), side_px, chance)


def test_a_hint_that_repeats_another_is_left_out() -> None:
    likely, repeated, next_die = hint(50, 30, 0.9), hint(53, 26, 0.8), hint(80, 30, 0.7)
    assert list(without_duplicates([repeated, next_die, likely])) == [likely, next_die]


def test_a_die_in_a_larger_false_hint_is_kept() -> None:
    """The top and the side of a die together look like one large die in a reduced picture."""
    both, top = hint(50, 50, 0.9), hint(45, 30, 0.8)
    assert list(without_duplicates([both, top])) == [both, top]


def test_a_hint_beside_the_middle_is_kept() -> None:
    edge, middle = hint(50, 30, 0.9), hint(60, 30, 0.8)
    assert list(without_duplicates([edge, middle])) == [edge, middle]
