"""Where labels stand, inside the picture and off figures and other labels; the width of rings. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels of the screen."""
Pair = tuple[float, float]

_DIRECTIONS = (
    *((0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0)),
    *((0.5, 1.0), (-0.5, 1.0), (0.5, -1.0), (-0.5, -1.0)),
    *((1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)),
)
"""In order of preference: below, above, beside, half-way to the corners, at the corners."""
LABEL_GAPS = (4.0, 10.0, 16.0, 24.0, 34.0, 56.0, 84.0)
"""Distances at which a label that must be shown is tried; the farthest only in a crowd."""
_NEGLIGIBLE_PX2 = 0.5


@dataclass(frozen=True, slots=True)
class Taken:
    """What labels must not cover.

    Attributes:
        boxes: Labels that have their place, figures, and other things to see.
        within: The visible part of the picture; None for no limit.
    """

    boxes: tuple[Box, ...] = ()
    within: Box | None = None

    def and_boxes(self, boxes: Iterable[Box]) -> Taken:
        """The same with other boxes."""
        return replace(self, boxes=(*self.boxes, *boxes))


def placed(
    size: Pair,
    preferred: Pair,
    around: Box,
    taken: Taken,
    gaps: Sequence[float] = LABEL_GAPS,
    *,
    optional: bool = False,
) -> Box | None:
    """The first candidate that covers nothing, else the one that covers least, or None if the label is optional.

    The best centre is `preferred`; other candidates stand beside `around`, to which the label belongs, at these gaps.
    """
    near = _meeting(taken.boxes, _reach(size, preferred, around, gaps[-1]))
    best, least = None, math.inf
    for box in candidates(size, preferred, around, gaps):
        covers = sum(_shared(box, other) for other in _meeting(near, box))
        if taken.within is not None:
            covers += size[0] * size[1] - _shared(box, taken.within)
        if covers <= _NEGLIGIBLE_PX2:
            return box
        if covers < least:
            best, least = box, covers
    return None if optional else best


def candidates(size: Pair, preferred: Pair, around: Box, gaps: Sequence[float]) -> Iterator[Box]:
    """Boxes where a label may stand, the best first: the preferred one, the opposite one, then around the thing."""
    half_x, half_y = size[0] / 2, size[1] / 2
    left, top, right, bottom = around
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    centres = [preferred, (2 * middle_x - preferred[0], 2 * middle_y - preferred[1])]
    for gap in gaps:
        reach_x, reach_y = (right - left) / 2 + half_x + gap, (bottom - top) / 2 + half_y + gap
        centres += [(middle_x + dx * reach_x, middle_y + dy * reach_y) for dx, dy in _DIRECTIONS]
    for x, y in centres:
        yield (x - half_x, y - half_y, x + half_x, y + half_y)


def nearest(a: Box, b: Box) -> tuple[Pair, Pair]:
    """The places of two boxes that are nearest to each other; in the middle where they face each other."""
    (ax, bx), (ay, by) = (_nearest_along(a[k], a[k + 2], b[k], b[k + 2]) for k in (0, 1))
    return (ax, ay), (bx, by)


def _nearest_along(a_low: float, a_high: float, b_low: float, b_high: float) -> Pair:
    if a_high < b_low:
        return a_high, b_low
    if b_high < a_low:
        return a_low, b_high
    middle = (max(a_low, b_low) + min(a_high, b_high)) / 2
    return middle, middle


def _reach(size: Pair, preferred: Pair, around: Box, gap: float) -> Box:
    """A box that holds all candidates."""
    left, top, right, bottom = around
    beyond_x = abs(preferred[0] - (left + right) / 2) + size[0] + gap
    beyond_y = abs(preferred[1] - (top + bottom) / 2) + size[1] + gap
    return (left - beyond_x, top - beyond_y, right + beyond_x, bottom + beyond_y)


def _meeting(boxes: Iterable[Box], box: Box) -> list[Box]:
    left, top, right, bottom = box
    return [one for one in boxes if one[0] < right and left < one[2] and one[1] < bottom and top < one[3]]


def _shared(a: Box, b: Box) -> float:
    """The area that two boxes share."""
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return width * height if width > 0 and height > 0 else 0.0


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
