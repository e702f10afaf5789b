"""Formats measurements as text for the players."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from enum import StrEnum

from calibration.solve import Calibration
from rules.tabletop.measure import Range
from rules.tabletop.table import Figure, PointIn
from ui.table.play_area import PlayArea
from ui.translation import tr, tr_count
from ui.vocabulary import Unit


class Basis(StrEnum):
    """The parts of two bases between which a distance is shown."""

    CENTRE = "centre"
    EDGE = "edge"


def capitalized(words: str) -> str:
    """The text with its first letter in upper case."""
    return words[:1].upper() + words[1:]


def sentence(words: str) -> str:
    """The text as a sentence: capitalized, and ending with a full stop."""
    return capitalized(words) + ("" if not words or words[-1] in ".…?!" else ".")


def spread_in(sigma_in: float) -> float:
    """Two sigma (95 % confidence), rounded up to tenths of an inch."""
    return float(spread_words(sigma_in))


def spread_words(sigma_in: float, unit: Unit = Unit.INCH) -> str:
    """Two sigma as a number in text, rounded up to tenths of the unit."""
    return f"{max(1, math.ceil(20 * sigma_in * unit.per_in - 1e-9)) / 10:.1f}"


def range_words(distance: Range, basis: Basis = Basis.CENTRE, unit: Unit = Unit.INCH) -> str:
    """The distance between the bases' centres or edges, such as "12.4 in ± 0.1"."""
    length_in = distance.edge_in if basis is Basis.EDGE else distance.centre_in
    return f"{unit.words(length_in)} ± {spread_words(distance.sigma_in, unit)}"


def other_words(distance: Range, basis: Basis = Basis.CENTRE, unit: Unit = Unit.INCH) -> str:
    """The distance between those parts of the bases that `basis` does not name."""
    if basis is Basis.CENTRE:
        return edge_words(distance, unit)
    return tr("centre {distance}", distance=unit.words(distance.centre_in))


def edge_words(distance: Range, unit: Unit = Unit.INCH) -> str:
    """The distance from base edge to base edge, such as "edge 11.5 in"."""
    if distance.edge_in > 0:
        return tr("edge {distance}", distance=unit.words(distance.edge_in))
    return tr("bases touch")


def percent_words(fraction: float) -> str:
    """A fraction such as "73 %"; only 0 gives 0 %, and only 1 gives 100 %."""
    percent = round(100 * fraction)
    if 0 < fraction < 1 - 1e-6:
        percent = min(99, max(1, percent))
    return f"{percent} %"


def in_order(figures: Iterable[Figure]) -> list[Figure]:
    """Figures sorted by army, then by number: green-2 before green-10."""
    return sorted(figures, key=lambda figure: (figure.army, len(figure.id), figure.id))


def place_words(place_in: PointIn, unit: Unit = Unit.INCH, area: PlayArea | None = None) -> str:
    """A place such as "x 12.3 in, y 4.5 in", measured from the corner of the area of play if there is one."""
    x, y = place_in if area is None else area.from_table(place_in)
    words = f"x {unit.words(x)}, y {unit.words(y)}"
    return words if area is None or area.holds(place_in) else tr("{place}, off the table", place=words)


def calibration_words(calibration: Calibration, unit: Unit = Unit.INCH) -> str:
    """How accurate places are, such as "4 markers: places accurate to ±0.03 in"; ± is two sigma."""
    count = len(calibration.markers_in)
    markers = tr_count("{count} marker", "{count} markers", count) if count else tr("by hand")
    error_in = max(0.01, 2 * calibration.typical_sigma_in())  # never claim a perfect measurement
    return tr("{markers}: places accurate to ±{error}", markers=markers, error=unit.fine_words(error_in))


def unbroken(words: str) -> str:
    """The text with names such as "Tan 7" kept on one line."""
    return re.sub(r" (?=\d)", "\N{NO-BREAK SPACE}", words)
