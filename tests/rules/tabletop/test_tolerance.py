import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.tabletop.tolerance import Choice, Comparison, all_of, at_least, at_most, choice, doubtful_shifts

values = st.floats(-100, 100)
sigmas = st.floats(0, 5)


@pytest.mark.parametrize(
    ("value", "sigma", "call"),
    [
        (12.0, 0.0, Comparison.IN),  # exactly at the limit and exactly known: "exactly at range is in range"
        (12.0 + 1e-12, 0.0, Comparison.IN),  # a rounding error does not count
        (12.001, 0.0, Comparison.OUT),
        (11.9, 0.1, Comparison.TOO_CLOSE),  # 1 standard deviation short
        (11.75, 0.125, Comparison.IN),  # 2 standard deviations short, to the bit
        (12.25, 0.125, Comparison.OUT),
        (12.2, 0.125, Comparison.TOO_CLOSE),
        (12.0, 0.1, Comparison.TOO_CLOSE),
        (3.0, math.inf, Comparison.TOO_CLOSE),  # an infinite error decides nothing
    ],
)
def test_a_value_against_twelve(value, sigma, call):
    assert at_most(value, 12.0, sigma) is call


def test_infinite_limit_is_always_in():
    assert at_most(500.0, math.inf, math.inf) is Comparison.IN


@given(values, values, sigmas, values)
def test_only_the_difference_to_the_limit_matters(value, limit, sigma, shift):
    assert at_least(value, limit, sigma) is at_most(-value, -limit, sigma)
    margin = abs(limit - value)
    if not (margin < 1e-6 or abs(margin - 2 * sigma) < 1e-6):
        assert at_most(value + shift, limit + shift, sigma) is at_most(value, limit, sigma)


@given(values, values, sigmas)
def test_in_and_out_are_exclusive(value, limit, sigma):
    both = {at_most(value, limit, sigma), at_least(value, limit, sigma)}
    assert both in ({Comparison.IN, Comparison.OUT}, {Comparison.TOO_CLOSE}) or (
        both == {Comparison.IN} and abs(value - limit) <= 1e-9
    )


def test_all_of_combines_calls():
    assert all_of([Comparison.IN, Comparison.TOO_CLOSE]) is Comparison.TOO_CLOSE
    assert all_of([Comparison.IN, Comparison.TOO_CLOSE, Comparison.OUT]) is Comparison.OUT
    assert all_of([]) is Comparison.IN


def test_choice_with_one_possible_value_is_certain():
    assert choice(2, [2, 2]) == Choice(2, (2,))
    assert choice(2, [2]).certain
    assert choice(2, [1, 2, 3]).possible == (2, 1, 3)
    assert not choice(2, [1]).certain


def test_shifts_reach_two_standard_deviations_in_all_directions():
    shifts = doubtful_shifts(0.3)
    assert shifts[0] == (0, 0)
    assert [math.hypot(*shift) for shift in shifts[1:]] == pytest.approx([0.6] * 8)
    assert sum(x for x, _ in shifts) == pytest.approx(0, abs=1e-12)
    assert doubtful_shifts(0) == ((0, 0),)
