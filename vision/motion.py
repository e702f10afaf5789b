"""What is new in a picture: nothing, some places, or something that moves (a hand), while which nothing is concluded.

Works on pictures an eighth as wide, where noise averages out and a soldier is still a few pixels. Light that rises or
falls everywhere is taken out; what is left beyond the noise is new.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.markers import ImageGray
from calibration.opencv import cv2

SHRINK = 8
"""Pixels of the picture to one that is compared, along each axis."""
STILL_S = 0.4
"""So long the picture must rest before anything is concluded from it."""
PATIENCE_S = 4.0
"""What came in over the picture's edge and rests so long is no hand."""

_LEAST_GREY = 4.0
"""A grey level is 1/255; shadows of clouds and the camera's own gain leave less."""
_NOISE_SIGMAS = 6.0
_LEAST_CELLS = 3
_HAND_OF_PICTURE = 0.01
_MOVING_OF_PICTURE = 0.0015
_CLOSE = np.ones((5, 5), np.uint8)

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of the picture, the last two excluded."""
_Small = npt.NDArray[np.float32]
_Mask = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Motion:
    """What is new in one picture.

    Attributes:
        moving: Something large moves, or has not rested long enough, or a hand is in the picture.
        places_px: Where the picture differs from the one that was taken as known; empty while it moves.
    """

    moving: bool
    places_px: tuple[Box, ...]


class MotionWatch:
    """Compares each picture with the one before, and with the last that was understood."""

    def __init__(self) -> None:
        self._before: _Small | None = None
        self._known: _Small | None = None
        self._now: _Small | None = None
        self._rest_from_s = -np.inf
        self._noise = 0.5

    def look(self, gray: ImageGray, time_s: float) -> Motion:
        """What is new in this picture."""
        small = _shrunk(gray)
        before, self._before, self._now = self._before, small, small
        if before is None or before.shape != small.shape:
            self._known, self._rest_from_s = None, time_s
            return Motion(False, (_whole(gray),))
        stirred = self._differs(small, before)
        if stirred.mean() > _MOVING_OF_PICTURE:
            self._rest_from_s = time_s
        rested_s = time_s - self._rest_from_s
        if self._known is None:
            return Motion(rested_s < STILL_S, (_whole(gray),))
        new = cv2.morphologyEx(self._differs(small, self._known), cv2.MORPH_CLOSE, _CLOSE)
        boxes, is_hand = _components(np.asarray(new, np.uint8))
        moving = rested_s < STILL_S or (is_hand and rested_s < PATIENCE_S)
        return Motion(moving, () if moving else boxes)

    def understood(self) -> None:
        """Take the picture that was looked at last as known: what it shows is no longer new."""
        self._known = self._now

    def _differs(self, small: _Small, other: _Small) -> _Mask:
        """Where two pictures differ beyond light and noise; 1 there, else 0."""
        gain = float(np.median(small) + 1) / float(np.median(other) + 1)
        away = np.abs(small - gain * other)
        self._noise = 0.95 * self._noise + 0.05 * float(np.median(away)) * 1.48
        return np.asarray(away > max(_LEAST_GREY, _NOISE_SIGMAS * self._noise), np.uint8)


def _shrunk(gray: ImageGray) -> _Small:
    height, width = gray.shape
    size = (max(1, width // SHRINK), max(1, height // SHRINK))
    return np.asarray(cv2.resize(gray, size, interpolation=cv2.INTER_AREA), np.float32)


def _whole(gray: ImageGray) -> Box:
    return (0, 0, gray.shape[1], gray.shape[0])


def _components(new: _Mask) -> tuple[tuple[Box, ...], bool]:
    """Boxes of what is new, and whether one of them is large and comes in over the edge, as an arm does."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(new)
    height, width = new.shape
    boxes, is_hand = [], False
    for x, y, w, h, area in np.asarray(stats)[1:count]:
        if area < _LEAST_CELLS:
            continue
        boxes.append((int(x) * SHRINK, int(y) * SHRINK, int(x + w) * SHRINK, int(y + h) * SHRINK))
        at_edge = x == 0 or y == 0 or x + w == width or y + h == height
        is_hand |= bool(at_edge and area > _HAND_OF_PICTURE * new.size)
    return tuple(boxes), is_hand
