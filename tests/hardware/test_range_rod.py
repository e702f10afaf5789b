"""Colours of the rod, by default on a strip with one LED per inch: LED k covers k to k + 1 in."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.adalight import BLACK
from hardware.range_rod import (
    ALARM_PERIOD_S,
    FIRST_MARK,
    LAMP_COLOUR,
    PLAIN,
    REACH,
    SECOND_MARK,
    TIP,
    WAIT_PERIOD_S,
    Alarm,
    DiceWait,
    Idle,
    Lamp,
    Measured,
    RodShape,
    Ruler,
    band_colour,
    colours,
    moves,
    plain_colours,
)
from hardware.rod_text import blocks, letters, scale
from rules.tabletop.tolerance import Comparison

INCHES = RodShape(length_in=36, leds_per_in=1, brightness=1, gamma=1)


def test_the_common_strip() -> None:
    # 60 LEDs per metre: 36 in = 0.9144 m = 54.86 LEDs; the last must lie on the rod.
    assert RodShape().leds == 54
    assert RodShape(39.4).leds == 60


def test_idle_is_dark() -> None:
    assert colours(INCHES, Idle(), 3.0) == (BLACK,) * 36


def test_the_ruler_has_bands_of_3_in_and_marks_at_6_and_12() -> None:
    along = plain_colours(INCHES, Ruler(), 0.0)
    assert along[6] == FIRST_MARK
    assert along[12] == SECOND_MARK
    assert [led for led, colour in enumerate(along) if colour in (FIRST_MARK, SECOND_MARK)] == [6, 12]
    for led in set(range(36)) - {6, 12}:
        assert along[led] == band_colour(led + 0.5)
    edges = [led for led in range(1, 36) if band_colour(led - 0.5) != band_colour(led + 0.5)]
    assert edges == list(range(3, 36, 3))
    assert len({band_colour(1.5), band_colour(7.5), band_colour(13.5)}) == 3  # up to 6 in, up to 12 in, beyond


def test_every_band_gives_light_and_differs_from_its_neighbour_as_sent() -> None:
    along = colours(RodShape(), Ruler(), 0.0)
    assert all(any(colour) for colour in along)
    bands = [along[RodShape().led_at(mark + 1.5)] for mark in range(0, 33, 3)]
    assert all(a != b for a, b in pairwise(bands))


@pytest.mark.parametrize("lamp", list(Lamp))
def test_a_range_lights_up_in_the_colour_of_its_verdict(lamp: Lamp) -> None:
    along = plain_colours(INCHES, Measured(9.5, lamp, reach_in=15.2), 0.0)
    assert {along[led] for led in range(9) if led != 6} == {LAMP_COLOUR[lamp]}
    assert along[6] == FIRST_MARK  # the mark stays visible
    assert along[9] == TIP
    assert along[10] == band_colour(10.5)
    assert along[12] == SECOND_MARK
    assert along[15] == REACH
    assert set(along[16:]) == {BLACK}  # beyond the weapon's range


def test_a_shot_out_of_range_passes_the_reach() -> None:
    along = plain_colours(INCHES, Measured(20, Lamp.RED, reach_in=15.2), 0.0)
    assert (along[14], along[15], along[16], along[20]) == (LAMP_COLOUR[Lamp.RED], REACH, LAMP_COLOUR[Lamp.RED], TIP)


def test_a_range_beyond_the_rod_has_no_tip() -> None:
    along = plain_colours(INCHES, Measured(40, Lamp.RED, reach_in=50), 0.0)
    assert TIP not in along
    assert along[35] == LAMP_COLOUR[Lamp.RED]


def test_a_plain_measurement_has_no_verdict() -> None:
    along = plain_colours(INCHES, Measured(2.5), 0.0)
    assert along[:3] == (PLAIN, PLAIN, TIP)
    assert along[35] != BLACK


def test_the_lamps_match_the_answers_of_a_measurement() -> None:
    assert {lamp.value for lamp in Lamp} == {call.value for call in Comparison}
    assert Lamp(Comparison.TOO_CLOSE.value) is Lamp.AMBER


def test_the_strip_may_be_reversed() -> None:
    turned = RodShape(length_in=36, leds_per_in=1, reversed=True, brightness=1, gamma=1)
    assert colours(turned, Measured(9.5), 0.0) == colours(INCHES, Measured(9.5), 0.0)[::-1]


def test_brightness_and_gamma() -> None:
    # 0.5 * 255 * (130 / 255) ** 2 = 33.1 for the green of amber; full red is 127.5.
    half = RodShape(length_in=36, leds_per_in=1, brightness=0.5, gamma=2)
    assert colours(half, Measured(9.5, Lamp.AMBER), 0.0)[0] == (128, 33, 0)


def test_the_light_of_a_dice_wait_runs_back_and_forth() -> None:
    brightest = [
        max(range(36), key=lambda led: plain_colours(INCHES, DiceWait(), t * WAIT_PERIOD_S)[led])
        for t in (0, 0.25, 0.5, 0.75, 1)
    ]
    assert brightest == pytest.approx([0, 17.5, 35, 17.5, 0], abs=0.5)


def test_the_alarm_flashes_twice_a_second() -> None:
    lit = [any(plain_colours(INCHES, Alarm(), k * ALARM_PERIOD_S / 2 + 0.1)[0]) for k in range(4)]
    assert lit == [True, False, True, False]
    assert ALARM_PERIOD_S >= 1 / 3  # more than three flashes per second may be harmful


def test_only_patterns_are_animated() -> None:
    assert [moves(sign) for sign in (Idle(), Ruler(), Measured(3), DiceWait(), Alarm())] == [0, 0, 0, 1, 1]


signs = st.one_of(
    st.sampled_from([Idle(), Ruler(), DiceWait(), Alarm()]),
    st.builds(Measured, st.floats(0, 500), st.none() | st.sampled_from(Lamp), st.none() | st.floats(0, 500)),
)
shapes = st.builds(RodShape, st.floats(1, 200), st.floats(1, 8), st.booleans(), st.floats(0.01, 1), st.floats(0.5, 4))


@given(shapes, signs, st.floats(0, 1e6))
def test_every_sign_on_every_strip_is_a_frame(shape: RodShape, sign, time_s: float) -> None:
    shown = colours(shape, sign, time_s)
    assert len(shown) == shape.leds >= 1
    limit = round(255 * shape.brightness)
    assert all(type(part) is int and 0 <= part <= limit for colour in shown for part in colour)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ({"length_in": 0}, "length in inches must be between 1 and 400, not 0"),
        ({"leds_per_in": float("nan")}, "LEDs per inch"),
        ({"brightness": 1.5}, "brightness"),
        ({"gamma": 0}, "gamma"),
        ({"length_in": 2, "leds_per_in": 0.2}, "has no LED"),
    ],
)
def test_an_invalid_rod_is_refused(shape: dict[str, float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        RodShape(**shape)


@pytest.mark.parametrize("range_in", [-1, float("nan"), float("inf")])
def test_an_invalid_range_is_refused(range_in: float) -> None:
    with pytest.raises(ValueError, match="0 in or more"):
        Measured(range_in)


def test_the_rod_as_text() -> None:
    short = RodShape(length_in=13, leds_per_in=1)
    shown = colours(short, Measured(4.5, Lamp.GREEN, reach_in=10.5), 0.0)
    assert letters(shown) == "GGGGWyCbbbP.B"  # the marks stay at any range
    assert scale(short) == "0  3  6  9  12"
    assert letters(colours(short, Measured(4.5, Lamp.AMBER), 0.0)).startswith("YYYYW")
    assert letters(colours(short, Measured(4.5, Lamp.RED), 0.0)).startswith("RRRRW")
    assert letters([BLACK] * 3) == "..."
    assert blocks([(0, 40, 0)]) == "\x1b[48;2;0;255;0m \x1b[0m"
