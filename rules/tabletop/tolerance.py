"""In, out, or too close to call: the comparison of an uncertain measurement with a limit."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from rules.tabletop.table import PointIn

T = TypeVar("T")

DOUBT_SIGMAS = 2.0
"""A measurement closer to the limit than this many standard deviations is too close to call.

With two on either side, a measurement with a correct standard deviation is on the wrong side of a decided limit in 1 of
44 cases.
"""

EXACT = 1e-9
"""Tolerance for rounding errors: values closer than this are equal."""


class Comparison(StrEnum):
    """The result of comparing a measurement with a limit; the players decide what is too close to call."""

    IN = "in"
    OUT = "out"
    TOO_CLOSE = "too close to call"


def at_most(value: float, limit: float, sigma: float = 0.0) -> Comparison:
    """Whether a value is at most the limit. An exact value (sigma 0) that equals the limit is IN."""
    margin = limit - value
    if abs(margin) < DOUBT_SIGMAS * sigma:
        return Comparison.TOO_CLOSE
    return Comparison.IN if margin >= -EXACT else Comparison.OUT


def at_least(value: float, limit: float, sigma: float = 0.0) -> Comparison:
    """Whether a value is at least the limit; an exact value that equals it is IN, as in `at_most`."""
    return at_most(-value, -limit, sigma)


def within(value: float, most: float) -> bool:
    """Whether an exact or settled number is at most the limit."""
    return most - value >= -EXACT


def reaches(value: float, least: float) -> bool:
    """Whether an exact or settled number is at least the limit."""
    return value - least >= -EXACT


def all_of(calls: Iterable[Comparison]) -> Comparison:
    """IN if all are IN, OUT if any is OUT, otherwise TOO_CLOSE; no calls are IN."""
    found = set(calls)
    if Comparison.OUT in found:
        return Comparison.OUT
    return Comparison.TOO_CLOSE if Comparison.TOO_CLOSE in found else Comparison.IN


@dataclass(frozen=True, slots=True)
class Choice(Generic[T]):
    """A measured choice between several values, such as a range band or the side that is hit.

    Attributes:
        value: The value of the measurement itself.
        possible: All values within the measurement's error, including `value`.
    """

    value: T
    possible: tuple[T, ...]

    @property
    def certain(self) -> bool:
        """Whether only one value is possible."""
        return len(self.possible) == 1


def choice(value: T, others: Iterable[T]) -> Choice[T]:
    """The choice of `value` with the other possible values; `value` comes first, repetitions are dropped."""
    return Choice(value, tuple(dict.fromkeys((value, *others))))


def doubtful_shifts(sigma_in: float) -> tuple[PointIn, ...]:
    """Shifts of a place within its error: none, and `DOUBT_SIGMAS` standard deviations in each of eight directions.

    Questions about areas have no simple error formula. They are evaluated at each shift and are certain if all results
    agree.
    """
    if sigma_in == 0:
        return ((0.0, 0.0),)
    reach_in = DOUBT_SIGMAS * sigma_in
    turns = (k * math.pi / 4 for k in range(8))
    return ((0.0, 0.0), *((reach_in * math.cos(turn), reach_in * math.sin(turn)) for turn in turns))
