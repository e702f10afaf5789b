"""The lamp and the camera's response to it, computed by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.simulation.light import FLICKER_STRIPS, LEVELS, OFF_LEVEL, USUAL_LIGHT


def test_the_usual_light_is_constant_at_one() -> None:
    assert [USUAL_LIGHT.strips_at(time_s) for time_s in (0.0, 7.0, 1e6)] == [(1.0,)] * 3


def test_steps_are_a_quarter_and_cancel_each_other() -> None:
    assert USUAL_LIGHT.stepped(1, 0.0).strips_at(1.0) == (1.25,)
    assert USUAL_LIGHT.stepped(1, 0.0).stepped(-1, 1.0).level == pytest.approx(1.0)


@given(st.lists(st.integers(-3, 3)))
def test_the_lamp_stays_within_its_levels(steps: list[int]) -> None:
    light = USUAL_LIGHT
    for number, step in enumerate(steps):
        light = light.stepped(step, float(number))
    assert LEVELS[0] <= light.level <= LEVELS[1]


def test_the_lamp_can_be_switched_off_for_a_moment() -> None:
    light = USUAL_LIGHT.switched_off(2.0, 10.0)
    assert [light.strips_at(time_s) for time_s in (10.0, 11.9, 12.0)] == [(OFF_LEVEL,), (OFF_LEVEL,), (1.0,)]


def test_automatic_exposure_compensates_most_of_a_dimmer_lamp() -> None:
    light = USUAL_LIGHT.exposed(True, 0.0).stepped(-1, 5.0)
    assert light.strips_at(5.0) == pytest.approx((0.8,)), "at once it is darker by a step"
    # In the end gain is 0.8^-0.8 and the picture 0.8 * 0.8^-0.8 = 0.8^0.2 as bright; e^-10 is nothing.
    assert light.strips_at(11.0)[0] == pytest.approx(0.8**0.2, rel=1e-4)
    held = light.exposed(False, 11.0)
    assert held.strips_at(20.0)[0] == pytest.approx(0.8**0.2, rel=1e-4)


def test_automatic_exposure_overshoots_after_the_dark() -> None:
    light = USUAL_LIGHT.exposed(True, 0.0).switched_off(2.0, 0.0)
    # In the dark the gain goes towards its limit of 6: 6 - 5 e^(-2 / 0.6) = 5.82 when the lamp is on again.
    assert light.strips_at(2.0)[0] == pytest.approx(6 - 5 * math.exp(-2 / 0.6))
    assert light.strips_at(8.0)[0] == pytest.approx(1.0, abs=1e-3)


def test_flicker_makes_bands_around_the_same_mean() -> None:
    strips = USUAL_LIGHT.with_flicker(True).strips_at(3.0)
    assert len(strips) == FLICKER_STRIPS
    assert max(strips) == pytest.approx(1.08, abs=0.002)
    assert min(strips) == pytest.approx(0.92, abs=0.002)
