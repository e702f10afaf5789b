"""Types of the arguments on the command line; each raises `argparse.ArgumentTypeError` for other text."""

from __future__ import annotations

import argparse
import math

from rules.tabletop.table import PointIn

_SLOWEST_BAUD, _FASTEST_BAUD = 300, 4_000_000  # as in `hardware.link`, which is slow to load
_MAX_SQUARES = 60  # in a row of a board; the largest dictionary has markers for 44 x 44


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


def _numbers(text: str, count: int, expected: str) -> list[float]:
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) != count or not all(abs(v) < 1e9 for v in values):
        raise argparse.ArgumentTypeError(f"{text!r} is not {expected}")
    return values


def length_in(text: str) -> float:
    """A length above 0 in inches."""
    (value,) = _numbers(text, 1, "a length in inches")
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a length above 0")
    return value


def teaching_click(text: str) -> tuple[str, tuple[float, float]]:
    """The name of an army, and the pixel of one of its soldiers."""
    name, at, place = text.rpartition("@")
    if not at or not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME@X,Y")
    x, y = _numbers(place, 2, "NAME@X,Y")
    return name.strip(), (x, y)


def rectangle(text: str) -> tuple[tuple[tuple[float, float], ...], tuple[float, float]]:
    """The corners in pixels, and the width and depth in inches."""
    size, *corners = text.split(":")
    width, depth = _numbers(size.lower().replace("x", ","), 2, f"a size in inches, as 24x18, in {text!r}")
    if len(corners) != 4:
        raise argparse.ArgumentTypeError(f"{text!r} does not have four corners: WxH:X,Y:X,Y:X,Y:X,Y")
    return tuple((x, y) for x, y in (_numbers(one, 2, "a corner X,Y in pixels") for one in corners)), (width, depth)


def blast(text: str) -> tuple[PointIn, float]:
    """A centre and a radius in inches."""
    x, y, radius = _numbers(text, 3, "X,Y,RADIUS")
    if radius <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} has a radius that is not above 0")
    return (x, y), radius


def measured_mm(text: str) -> tuple[float, float]:
    """The measured lengths of the two 100 mm scales."""
    across, down = _numbers(text, 2, "ACROSS,DOWN in millimetres, as 99.5,101")
    return across, down


def board(text: str) -> tuple[int, int, float, float]:
    """Columns and rows of a board, and the sides of its squares and its markers in inches."""
    size, _, lengths = text.partition(":")
    try:
        columns, rows = (int(part) for part in size.lower().split("x"))
        square, marker = (float(part) for part in lengths.split(":"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not COLSxROWS:SQUARE:MARKER, as 7x5:1.4:1.0") from None
    if max(columns, rows) > _MAX_SQUARES:
        raise argparse.ArgumentTypeError(f"{text!r} has more than {_MAX_SQUARES} squares in a row")
    return columns, rows, square, marker


def chessboard(text: str) -> tuple[int, int, float]:
    """Inner corners in a row and in a column of a chessboard, and the side of its squares in inches."""
    size, _, length = text.partition(":")
    try:
        columns, rows = (int(part) for part in size.lower().split("x"))
        return columns, rows, float(length)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not COLSxROWS:SQUARE, as 9x6:1.0") from None
