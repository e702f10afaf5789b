"""Types of command line options, for argparse."""

from __future__ import annotations

import argparse
import math

_SLOWEST_BAUD, _FASTEST_BAUD = 300, 4_000_000  # as in `hardware.link`, which is slow to load


def seed(text: str) -> int:
    """A seed for random numbers: a whole number from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)


def from_zero(text: str) -> float:
    """A number from 0."""
    value = _number(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is below 0")
    return value


def above_zero(text: str) -> float:
    """A number above 0."""
    value = _number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not above 0")
    return value


def count(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def baud(text: str) -> int:
    """The speed of a serial port."""
    if not text.isdecimal() or not _SLOWEST_BAUD <= int(text) <= _FASTEST_BAUD:
        raise argparse.ArgumentTypeError(f"{text!r} is not a speed from {_SLOWEST_BAUD} to {_FASTEST_BAUD} baud")
    return int(text)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return value
