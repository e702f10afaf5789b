"""What was measured, in words for the player."""

from __future__ import annotations

import math
from collections.abc import Iterable

from calibration.solve import Calibration
from rules.measure import Range
from rules.table import Figure, PointIn


def spread_in(sigma_in: float) -> float:
    """Half the width that holds the truth nineteen times in twenty, in tenths of an inch rounded up."""
    return max(1, math.ceil(20 * sigma_in - 1e-9)) / 10


def range_words(distance: Range) -> str:
    """Base centre to base centre, as "12.4 in ± 0.1"."""
    return f"{distance.centre_in:.1f} in ± {spread_in(distance.sigma_in):.1f}"


def edge_words(distance: Range) -> str:
    """Base edge to base edge, as "edge 11.5 in"."""
    return f"edge {distance.edge_in:.1f} in" if distance.edge_in > 0 else "bases touch"


def percent_words(fraction: float) -> str:
    """A part as "73 %"; never 0 % for what is there, never 100 % for what is not whole."""
    percent = round(100 * fraction)
    if 0 < fraction < 1 - 1e-6:
        percent = min(99, max(1, percent))
    return f"{percent} %"


def in_order(figures: Iterable[Figure]) -> list[Figure]:
    """By army, then by number as people count: green-2 before green-10."""
    return sorted(figures, key=lambda figure: (figure.army, len(figure.id), figure.id))


def place_words(place_in: PointIn) -> str:
    """A place on the table, as "x 12.3 in, y 4.5 in"."""
    return f"x {place_in[0]:.1f} in, y {place_in[1]:.1f} in"


def calibration_words(calibration: Calibration) -> str:
    """How well the camera is known, as "calibrated: 4 markers, ±0.01 in, residual 0.1 px"."""
    count = len(calibration.markers_in)
    markers = "1 marker" if count == 1 else f"{count} markers"
    sigma_in = max(0.01, calibration.typical_sigma_in())  # no error is never the answer
    return f"calibrated: {markers}, ±{sigma_in:.2f} in, residual {calibration.residual_px:.1f} px"
