"""What is new in a picture: places that changed and are at rest, and places where something still moves.

Works on pictures an eighth as wide, where noise averages out and a soldier is still a few pixels. Light is not news:
a lamp changes all that it lights by one factor and leaves sunlit parts alone, so every change between those two is
explained by light, and so is a change that leaves the edges around it where they were. Nothing is ever waited for
without end: a place that keeps changing is searched after a few seconds all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.markers import ImageGray
from calibration.opencv import cv2
from rules.table import FloatArray
from vision.local_light import LightWatch, beyond_light

SHRINK = 8
"""Pixels of the picture to one that is compared, along each axis."""
STILL_S = 0.4
"""A place must rest this long before anything is concluded from it."""
PATIENCE_S = 4.0
"""What reaches in over the table's edge and has rested this long is scenery, not a hand: players rest their arms."""
LONGEST_S, LONGEST_HAND_S = 5.0, 10.0
"""No place is held longer than this before it is searched all the same; the second where a hand moves."""

_LEAST_GREY = 4.0
"""A grey level is 1/255; soft shadows and the camera's own gain leave less."""
_NOISE_SIGMAS = 6.0
_LEAST_CELLS = 3
_HAND_OF_PICTURE = (0.01, 0.4)
"""Smaller is a thing at the edge of the picture; larger is another table, or the light was switched."""
_STIRRED = 0.1
"""A place moves while more than this part of it does."""
_SPARSE = 4
"""One row and column in so many is enough for the statistics of light."""
_LIT_PERCENTILES = (15.0, 85.0)
"""Light that changes reaches at least so much of the table; an arm covers less."""
_LIGHT_RANGE = 1.25
"""Brightness of the table's parts, each to the table's own change, that light alone explains."""
_SAME_EDGES = 0.8
"""Correlation of the edges in a place before and after, from which only its light has changed."""
_EDGED_CELLS = 12
"""A place smaller than this has too few edges to compare."""
_UNKNOWN = -1000.0
"""Grey of what was never seen: beyond the edge of the pictures before the camera was moved."""
_NEAR = np.ones((3, 3), np.uint8)
_CLOSE = np.ones((5, 5), np.uint8)
_WIDE = np.ones((9, 9), np.uint8)

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of the picture, the last two excluded."""
BoolImage = npt.NDArray[np.bool_]
_Small = npt.NDArray[np.float32]
MaskImage = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """What is new in one picture.

    Attributes:
        places_px: Where the picture differs from what was searched last, and is at rest.
        held: (rows, columns) of the picture made `SHRINK` times smaller: where something moves or a hand reaches, and
            nothing is to be concluded; None where that is nowhere.
        hand: Whether something large reaches in over the picture's edge.
        moving: Whether some place has not rested long enough.
        unseen: Whether parts of the picture have not been searched since the camera was moved.
        new: (rows, columns) as `held`: where in `places_px` the picture differs; None where that is nowhere.
        unsteady: Whether light is changing over much of the picture, so that nothing is to be concluded from it.
    """

    places_px: tuple[Box, ...] = ()
    held: BoolImage | None = None
    hand: bool = False
    moving: bool = False
    unseen: bool = False
    new: BoolImage | None = None
    unsteady: bool = False

    def holds(self, x_px: float, y_px: float) -> bool:
        """Whether nothing is to be concluded at this pixel of the picture."""
        if self.held is None:
            return False
        row, column = int(y_px // SHRINK), int(x_px // SHRINK)
        rows, columns = self.held.shape
        return 0 <= row < rows and 0 <= column < columns and bool(self.held[row, column])


class MotionDetector:
    """Compares each picture with the one before, and with what was searched last."""

    def __init__(self) -> None:
        self._before: _Small | None = None
        self._known: _Small | None = None
        self._now: _Small | None = None
        self._blur: _Small | None = None
        self._aside: BoolImage | None = None
        self._held: BoolImage | None = None
        self._stirred_s: _Small | None = None  # when each cell was last seen to move
        self._held_from_s: _Small | None = None  # since when each cell has been held
        self._before_s = -np.inf
        self._noise = 0.5
        self._light = LightWatch()

    def look(
        self, gray: ImageGray, time_s: float, aside_px: Sequence[Box] = (), table_px: FloatArray | None = None
    ) -> Motion:
        """What is new in this picture.

        Args:
            gray: (height, width) uint8.
            time_s: when it was taken.
            aside_px: parts that are set aside, as a dice tray: nothing is new there.
            table_px: (N, 2) convex outline beyond which nothing is new either; None for the whole picture.
        """
        small = _shrunk(gray)
        self._aside = _covered(small.shape, aside_px, table_px)
        before, self._before, self._now = self._before, small, small
        restarted, self._before_s, last_s = time_s < self._before_s, time_s, self._before_s
        if before is None or before.shape != small.shape or self._stirred_s is None or self._held_from_s is None:
            self._begin(small.shape)
            return Motion((_whole(gray),))
        if restarted:  # a camera that was plugged in again counts from 0 again
            self._stirred_s[:], self._held_from_s[:] = time_s, np.inf
        stirred = cv2.dilate(self._differs(small, before), _NEAR) > 0
        self._stirred_s[stirred] = time_s
        if self._known is None:
            return Motion((_whole(gray),))
        # Pictures far apart differ, and may be at rest all the same.
        quick = restarted or time_s - last_s < STILL_S
        motion = self._compared(small, self._known, time_s, quick=quick)
        return replace(motion, unsteady=self._light.changes(small, time_s) and quick)

    def searched(self) -> None:
        """Take what the last picture shows for known, apart from places that are held."""
        if self._known is None or self._held is None or self._now is None:
            self._known, self._blur = self._now, None
            return
        # Where nothing was known before, an arm cannot be told from the table that it hides.
        kept = self._held | (self._known < 0)
        self._known = np.where(kept, self._known, self._now)
        self._blur = None if self._blur is None else np.where(kept, self._blur, 0)

    def turned(self, old_to_new: FloatArray, table_px: FloatArray | None = None) -> None:
        """The camera was moved: what was known is seen from there, as far as it lies on the table.

        Args:
            old_to_new: (3, 3) homography from pixels of the pictures before to those of the next.
            table_px: (N, 2) outline, in the next picture, of what lies on the table for certain; None for all. The
                floor under the table's edge moves otherwise than the table does.
        """
        if self._known is None or self._now is None:
            return
        way = on_cells(old_to_new)
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

    def _begin(self, shape: tuple[int, ...]) -> None:
        self._known = self._held = self._blur = None
        self._stirred_s = np.full(shape, -np.inf, np.float32)
        self._held_from_s = np.full(shape, np.inf, np.float32)

    def _compared(self, small: _Small, known: _Small, time_s: float, *, quick: bool) -> Motion:
        """Every place that differs from what is known: light, something at rest, or to be held."""
        assert self._stirred_s is not None and self._held_from_s is not None  # noqa: PT018 - set by `_begin`
        differs = self._differs(small, known, self._blur)
        if quick and self._blur is None and differs.any():
            differs &= beyond_light(small, known)
        places = list(_places(differs, small, known, _rim(known, self._aside), apart=quick))
        held, rested = (np.zeros(small.shape, np.bool_) for _ in range(2))
        resting: list[_Place] = []
        hand = moving = False
        stirring = cv2.dilate((self._stirred_s > time_s - PATIENCE_S).astype(np.uint8), _WIDE) > 0
        for one in places:
            rest_s = time_s - _quantile(self._stirred_s[one.part][one.own], 1 - _STIRRED)
            since_s = time_s - _quantile(self._held_from_s[one.part][one.own], 0.25)
            is_hand, restless = one.is_hand and rest_s < PATIENCE_S, quick and rest_s < STILL_S
            # Between pictures far apart a hand may have been anywhere: all that is new is concluded from at once.
            is_hand |= hand and not quick
            if (is_hand or restless) and since_s < (LONGEST_HAND_S if is_hand else LONGEST_S):
                held[one.part] |= one.own & (stirring[one.part] | restless | (not quick))
                hand, moving = hand or is_hand, moving or restless
            else:
                resting.append(one)
        # Feet beside the last cell that changed are hidden too.
        held = np.asarray(cv2.dilate(held.astype(np.uint8), _CLOSE) > 0)
        self._held_from_s = np.where(held, np.minimum(self._held_from_s, time_s), np.inf).astype(np.float32)
        self._held = held if held.any() else None
        resting = [one for one in resting if not held[one.part][one.own].all()]
        for one in resting:
            rested[one.part] |= one.own
        boxes = tuple(one.box_px for one in resting)
        return Motion(boxes, self._held, hand, moving, bool(known.min() < 0), rested if boxes else None)

    def _differs(self, small: _Small, other: _Small, blur: _Small | None = None) -> MaskImage:
        """Where two pictures differ beyond light, noise and blur; 1 there, else 0."""
        few, few_other = small[::_SPARSE, ::_SPARSE], other[::_SPARSE, ::_SPARSE]
        seen = few_other >= 0
        if not seen.any():
            return np.zeros(small.shape, np.uint8)
        ratio = (few[seen] + 1) / (few_other[seen] + 1)
        low, gain, high = np.percentile(ratio, (_LIT_PERCENTILES[0], 50, _LIT_PERCENTILES[1]))
        low, high = max(low, gain / _LIGHT_RANGE), min(high, gain * _LIGHT_RANGE)
        if gain / _LIGHT_RANGE < 1 < gain * _LIGHT_RANGE:  # what the lamp does not light stays as it is
            low, high = min(low, 1.0), max(high, 1.0)
        away = np.maximum(np.maximum(np.float32(low) * other - small, small - np.float32(high) * other), 0)
        noise = float(np.median(np.abs(few[seen] - gain * few_other[seen]))) * 1.48
        self._noise = 0.95 * self._noise + 0.05 * noise
        if blur is not None:
            away = away - blur
        least = max(_LEAST_GREY, _NOISE_SIGMAS * self._noise)
        differs = (away > least) & (other >= 0)
        return np.asarray(differs if self._aside is None else differs & ~self._aside, np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """A connected part of a picture that is new.

    Attributes:
        part: Rows and columns of the small picture round it.
        own: Which of the cells there belong to it.
        is_hand: Whether it is as large as a hand and reaches in over the edge.
    """

    part: tuple[slice, slice]
    own: BoolImage
    is_hand: bool = False

    @property
    def box_px(self) -> Box:
        """The part in pixels of the picture."""
        rows, columns = self.part
        return (columns.start * SHRINK, rows.start * SHRINK, columns.stop * SHRINK, rows.stop * SHRINK)


def _places(differs: MaskImage, small: _Small, known: _Small, rim: BoolImage, *, apart: bool) -> Iterator[_Place]:
    """The connected parts of what is new, apart from noise and light: hands, and then what is beside them.

    With `apart`, what is joined to a hand only by a thread of noise or shadow is not part of it.
    """
    new = np.asarray(cv2.morphologyEx(differs, cv2.MORPH_CLOSE, _CLOSE), np.uint8)
    thick = np.asarray(cv2.morphologyEx(new, cv2.MORPH_OPEN, _CLOSE), np.uint8) if apart else new
    beside = new.copy()
    for one in _parts(thick, small, known):
        at_rim = _HAND_OF_PICTURE[0] < one.own.sum() / new.size < _HAND_OF_PICTURE[1] and rim[one.part][one.own].any()
        if at_rim:
            beside[one.part][one.own] = 0
            yield replace(one, is_hand=True)
    yield from _parts(beside, small, known)


def _parts(new: MaskImage, small: _Small, known: _Small) -> Iterator[_Place]:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(new)
    for label in range(1, count):
        x, y, w, h, area = (int(v) for v in np.asarray(stats)[label])
        part = slice(y, y + h), slice(x, x + w)
        own = np.asarray(labels[part] == label)
        if area < _LEAST_CELLS or (area >= _EDGED_CELLS and _edges_stayed(small, known, part, own)):
            continue
        yield _Place(part, own)


def _quantile(times_s: _Small, part: float) -> float:
    """As numpy's, without interpolation: between minus infinity and a time lies no time."""
    return float(np.quantile(times_s, part, method="lower"))


def _edges_stayed(small: _Small, known: _Small, part: tuple[slice, slice], own: BoolImage) -> bool:
    """Whether a place shows the same edges as before, however bright."""
    rows, columns = part
    around = slice(max(0, rows.start - 1), rows.stop + 1), slice(max(0, columns.start - 1), columns.stop + 1)
    padding = ((rows.start - around[0].start, 0), (columns.start - around[1].start, 0))
    inside = np.zeros(small[around].shape, np.uint8)
    inside[padding[0][0] : padding[0][0] + own.shape[0], padding[1][0] : padding[1][0] + own.shape[1]] = own
    cells = cv2.dilate(inside, _NEAR) > 0
    if (known[around][cells] < 0).any():
        return False
    now, then = (
        np.stack([cv2.Sobel(image[around], cv2.CV_32F, *axis)[cells] for axis in ((1, 0), (0, 1))])
        for image in (small, known)
    )
    strength = float(np.sqrt((now * now).sum() * (then * then).sum()))
    return strength > 0 and float((now * then).sum()) / strength > _SAME_EDGES


def on_cells(old_to_new: FloatArray) -> FloatArray:
    """A homography of the picture's pixels, for the cells of the small picture."""
    shrink = np.diag([1 / SHRINK, 1 / SHRINK, 1.0])
    return np.asarray(shrink @ old_to_new @ np.linalg.inv(shrink))


def _shrunk(gray: ImageGray) -> _Small:
    height, width = gray.shape
    size = (max(1, width // SHRINK), max(1, height // SHRINK))
    return np.asarray(cv2.resize(gray, size, interpolation=cv2.INTER_AREA), np.float32)


def _whole(gray: ImageGray) -> Box:
    return (0, 0, gray.shape[1], gray.shape[0])


def _covered(shape: tuple[int, ...], boxes_px: Sequence[Box], table_px: FloatArray | None) -> BoolImage | None:
    """Where boxes of the picture reach in the small one, or nothing of the table does; None for nowhere."""
    if not boxes_px and table_px is None:
        return None
    mask = np.zeros(shape, np.bool_)
    if table_px is not None:
        on_table = np.zeros(shape, np.uint8)
        cv2.fillConvexPoly(on_table, np.clip(table_px / SHRINK, -1e4, 1e4).round().astype(np.int32), 1)
        mask = np.asarray(on_table == 0)
    for left, top, right, bottom in boxes_px:
        mask[top // SHRINK : -(-bottom // SHRINK), left // SHRINK : -(-right // SHRINK)] = True
    return mask


def _rim(known: _Small, aside: BoolImage | None) -> BoolImage:
    """The edge of what is known of a picture, inside of its own edge once the camera was turned, or a part is aside."""
    beyond = known < 0 if aside is None else (known < 0) | aside
    unknown = cv2.copyMakeBorder(beyond.astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=1)
    return np.asarray(cv2.dilate(unknown, _CLOSE)[1:-1, 1:-1] > 0)
