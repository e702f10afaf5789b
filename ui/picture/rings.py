"""The geometry of the rings round figures. No Qt here."""

from __future__ import annotations

from ui.picture.placement import Box

_LEAST_PX, _MOST_PX, _PART_OF_INCH = 2.0, 3.0, 0.1
_LEAST_SCALE = 0.2


def ring_width(screen_px_per_in: float) -> float:
    """Width of a ring on the screen: 2 to 3 pixels, depending on the size of a figure there."""
    return min(max(_PART_OF_INCH * screen_px_per_in, _LEAST_PX), _MOST_PX)


def inset_scale(box: Box, by: float) -> tuple[float, float]:
    """The scales of x and y, about the middle of an outline's box, that move its sides inwards by a distance.

    For a circle, an ellipse or a level rectangle this is nearly as exact as moving each edge, and much faster.
    """
    left, top, right, bottom = box
    return (_scaled(right - left, by), _scaled(bottom - top, by))


def _scaled(length: float, by: float) -> float:
    return max(1 - 2 * by / length, _LEAST_SCALE) if length > 0 else 1.0
