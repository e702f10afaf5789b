"""In, out, or too close to call: how a measurement with an error stands to a limit."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from rules.tabletop.table import PointIn

T = TypeVar("T")

DOUBT_SIGMAS = 2.0
"""A limit nearer to the measurement than this many standard deviations is not decided by it.

Two on either side: a measurement that errs as it says it does is on the wrong side of a decided limit in 1 case of 44.
"""

EXACT = 1e-9
"""What the arithmetic itself may be off by: values nearer than this are equal."""


class Call(StrEnum):
    """What a measurement says about a limit; the players settle what is too close to call."""

    IN = "in"
    OUT = "out"
    TOO_CLOSE = "too close to call"


def at_most(value: float, limit: float, sigma: float = 0.0) -> Call:
    """Whether a value lies within a limit. One that is exactly known (sigma 0) is in at the limit itself."""
    margin = limit - value
    if abs(margin) < DOUBT_SIGMAS * sigma:
        return Call.TOO_CLOSE
    return Call.IN if margin >= -EXACT else Call.OUT


def at_least(value: float, limit: float, sigma: float = 0.0) -> Call:
    """Whether a value reaches a limit; exactly at it counts, as in `at_most`."""
    return at_most(-value, -limit, sigma)


def within(value: float, most: float) -> bool:
    """Whether a settled number lies within a limit, the limit included."""
    return at_most(value, most) is Call.IN


def reaches(value: float, least: float) -> bool:
    """Whether a settled number comes up to a limit, the limit included."""
    return at_least(value, least) is Call.IN


def all_of(calls: Iterable[Call]) -> Call:
    """IN where every call is, OUT where one is; no calls at all are IN."""
    found = set(calls)
    if Call.OUT in found:
        return Call.OUT
    return Call.TOO_CLOSE if Call.TOO_CLOSE in found else Call.IN


@dataclass(frozen=True, slots=True)
class Choice(Generic[T]):
    """One answer of several, such as a range band or the side that is struck.

    Attributes:
        value: The answer of the measurement itself.
        possible: Every answer within its error, `value` among them; a single one is certain.
    """

    value: T
    possible: tuple[T, ...]

    @property
    def certain(self) -> bool:
        """Whether the error leaves no other answer."""
        return len(self.possible) == 1


def choice(value: T, others: Iterable[T]) -> Choice[T]:
    """The answer `value` and what else it might have been; `value` leads, repetitions fall away."""
    return Choice(value, tuple(dict.fromkeys((value, *others))))


def doubtful_shifts(sigma_in: float) -> tuple[PointIn, ...]:
    """Where else a thing might stand: no shift, and eight directions as far as `DOUBT_SIGMAS` go.

    A question about areas has no simple error; it is asked again at each of these, and is decided where all agree.
    """
    if sigma_in == 0:
        return ((0.0, 0.0),)
    reach_in = DOUBT_SIGMAS * sigma_in
    turns = (k * math.pi / 4 for k in range(8))
    return ((0.0, 0.0), *((reach_in * math.cos(turn), reach_in * math.sin(turn)) for turn in turns))
