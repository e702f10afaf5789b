"""What is new in a picture: nothing, some places, or something that moves (a hand), while which nothing is concluded.

Works on pictures an eighth as wide, where noise averages out and a soldier is still a few pixels. Light that rises or
falls everywhere is taken out; what is left beyond the noise is new.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.markers import ImageGray
from calibration.opencv import cv2
from rules.table import FloatArray

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
_HAND_OF_PICTURE = (0.01, 0.4)
"""Smaller is a thing at the edge of the picture; larger is another table, or the light was switched."""
_MOVING_OF_PICTURE = 0.0015
_SPARSE = 4
"""One row and column in so many is enough for a median."""
_UNKNOWN = -1000.0
"""Grey of what was never seen: beyond the edge of the pictures before the camera was moved."""
_NEAR = np.ones((3, 3), np.uint8)
_CLOSE = np.ones((5, 5), np.uint8)

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of the picture, the last two excluded."""
BoolImage = npt.NDArray[np.bool_]
_Small = npt.NDArray[np.float32]
_Mask = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """What is new in one picture.

    Attributes:
        moving: Something large moves, or has not rested long enough.
        places_px: Where the picture differs from the one that was taken as known; empty while it moves.
        hand: Whether something large reaches in over the picture's edge, and has not rested too long to be one.
    """

    moving: bool
    places_px: tuple[Box, ...]
    hand: bool = False


class MotionWatch:
    """Compares each picture with the one before, and with the last that was understood."""

    def __init__(self) -> None:
        self._before: _Small | None = None
        self._known: _Small | None = None
        self._now: _Small | None = None
        self._blur: _Small | None = None
        self._aside: BoolImage | None = None
        self._rest_from_s = self._before_s = -np.inf
        self._noise = 0.5

    def look(self, gray: ImageGray, time_s: float, aside_px: Sequence[Box] = ()) -> Motion:
        """What is new in this picture, but for some parts of it: dice that are thrown there, and who throws them."""
        small = _shrunk(gray)
        self._aside = _covered(small.shape, aside_px)
        before, self._before, self._now = self._before, small, small
        if before is None or before.shape != small.shape:
            self._known, self._rest_from_s, self._before_s = None, -np.inf, time_s
            return Motion(False, (_whole(gray),))
        stirred = self._differs(small, before)
        quick = time_s - self._before_s < STILL_S  # pictures far apart differ, and may all the same be at rest
        again, self._before_s = time_s < self._before_s, time_s  # a camera that was plugged in again counts from 0
        if again or stirred.mean() > _MOVING_OF_PICTURE:
            self._rest_from_s = time_s
        rested_s = time_s - self._rest_from_s
        restless = quick and rested_s < STILL_S
        if self._known is None:
            return Motion(restless, (_whole(gray),))
        new = cv2.morphologyEx(self._differs(small, self._known, self._blur), cv2.MORPH_CLOSE, _CLOSE)
        boxes, hand = _components(np.asarray(new, np.uint8), _rim(self._known, self._aside))
        return Motion(restless, () if restless else boxes, hand and rested_s < PATIENCE_S)

    def turned(self, old_to_new: FloatArray, table_px: FloatArray | None = None) -> None:
        """The camera was moved: what was known is seen from there, as far as it lies on the table.

        Args:
            old_to_new: (3, 3) homography from pixels of the pictures before to those of the next.
            table_px: (N, 2) outline, in the next picture, of what lies on the table for certain; None for all. The
                floor under the table's edge moves otherwise than the table does.
        """
        if self._known is None or self._now is None:
            return
        shrink = np.diag([1 / SHRINK, 1 / SHRINK, 1.0])
        way = shrink @ old_to_new @ np.linalg.inv(shrink)
        size = self._known.shape[::-1]
        known = np.asarray(cv2.warpPerspective(np.abs(self._known), way, size), np.float32)
        surely = np.asarray(cv2.warpPerspective(np.asarray(self._known >= 0, np.float32), way, size), np.float32)
        if table_px is not None:
            on_table = np.zeros(known.shape, np.uint8)
            cv2.fillPoly(on_table, [np.round(table_px / SHRINK).astype(np.int32)], 1)
            surely[on_table == 0] = 0
        # The table as it would be seen is a cell off here and there, which shows at every sharp edge.
        self._blur = np.asarray(cv2.dilate(known, _NEAR) - cv2.erode(known, _NEAR), np.float32)
        self._known = np.where(surely > 0.99, known, _UNKNOWN).astype(np.float32)

    def understood(self) -> None:
        """Take the picture that was looked at last as known: what it shows is no longer new."""
        self._known, self._blur = self._now, None

    def _differs(self, small: _Small, other: _Small, blur: _Small | None = None) -> _Mask:
        """Where two pictures differ beyond light, noise and blur; 1 there, else 0."""
        few, few_other = small[::_SPARSE, ::_SPARSE], other[::_SPARSE, ::_SPARSE]
        known = few_other >= 0
        if not known.any():
            return np.zeros(small.shape, np.uint8)
        gain = float(np.median(few[known]) + 1) / float(np.median(few_other[known]) + 1)
        away = cv2.absdiff(small, gain * other)
        self._noise = 0.95 * self._noise + 0.05 * float(np.median(away[::_SPARSE, ::_SPARSE][known])) * 1.48
        if blur is not None:
            away = np.where(other >= 0, away - blur, 0)
        least = max(_LEAST_GREY, _NOISE_SIGMAS * self._noise)
        return np.asarray(away > least if self._aside is None else (away > least) & ~self._aside, np.uint8)


def _shrunk(gray: ImageGray) -> _Small:
    height, width = gray.shape
    size = (max(1, width // SHRINK), max(1, height // SHRINK))
    return np.asarray(cv2.resize(gray, size, interpolation=cv2.INTER_AREA), np.float32)


def _whole(gray: ImageGray) -> Box:
    return (0, 0, gray.shape[1], gray.shape[0])


def _covered(shape: tuple[int, ...], boxes_px: Sequence[Box]) -> BoolImage | None:
    """Where boxes of the picture reach in the small one; None without any."""
    if not boxes_px:
        return None
    mask = np.zeros(shape, np.bool_)
    for left, top, right, bottom in boxes_px:
        mask[top // SHRINK : -(-bottom // SHRINK), left // SHRINK : -(-right // SHRINK)] = True
    return mask


def _rim(known: _Small, aside: BoolImage | None) -> BoolImage:
    """The edge of what is known of a picture, inside of its own edge once the camera was turned, or a part is aside."""
    beyond = known < 0 if aside is None else (known < 0) | aside
    unknown = cv2.copyMakeBorder(beyond.astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=1)
    return np.asarray(cv2.dilate(unknown, _CLOSE)[1:-1, 1:-1] > 0)


def _components(new: _Mask, rim: BoolImage) -> tuple[tuple[Box, ...], bool]:
    """Boxes of what is new, and whether some of it is large and comes in over the rim, as an arm does."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(new)
    at_rim = set(np.unique(labels[rim]).tolist())
    boxes, hand = [], False
    for label in range(1, count):
        x, y, w, h, area = np.asarray(stats)[label]
        if area < _LEAST_CELLS:
            continue
        boxes.append((int(x) * SHRINK, int(y) * SHRINK, int(x + w) * SHRINK, int(y + h) * SHRINK))
        hand |= label in at_rim and _HAND_OF_PICTURE[0] < area / new.size < _HAND_OF_PICTURE[1]
    return tuple(boxes), hand
