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
from vision.local_light import LightChangeDetector, differs_beyond_light

SHRINK = 8
"""Pixels of the picture to one that is compared, along each axis."""
STILL_S = 0.4
"""A place must rest this long before anything is concluded from it."""
HAND_REST_S = 4.0
"""What reaches in over the table's edge and has rested this long is scenery, not a hand: players rest their arms."""
MAX_BLOCKED_S, MAX_HAND_BLOCKED_S = 5.0, 10.0
"""No place is held longer than this before it is searched all the same; the second where a hand moves."""

_MIN_GREY = 4.0
"""A grey level is 1/255; soft shadows and the camera's own gain leave less."""
_NOISE_SIGMAS = 6.0
_MIN_CELLS = 3
_HAND_SHARE = (0.01, 0.4)
"""Smaller is a thing at the edge of the picture; larger is another table, or the light was switched."""
_MOVING_SHARE = 0.1
"""A place moves while more than this part of it does."""
_SAMPLE_STEP = 4
"""One row and column in so many is enough for the statistics of light."""
_LIT_PERCENTILES = (15.0, 85.0)
"""Light that changes reaches at least so much of the table; an arm covers less."""
_LIGHT_RANGE = 1.25
"""Brightness of the table's parts, each to the table's own change, that light alone explains."""
_SAME_EDGES = 0.8
"""Correlation of the edges in a place before and after, from which only its light has changed."""
_MIN_EDGE_CELLS = 12
"""A place smaller than this has too few edges to compare."""
_UNKNOWN = -1000.0
"""Grey of what was never seen: beyond the edge of the pictures before the camera was moved."""
_KERNEL_3 = np.ones((3, 3), np.uint8)
_KERNEL_5 = np.ones((5, 5), np.uint8)
_KERNEL_9 = np.ones((9, 9), np.uint8)

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of the picture, the last two excluded."""
BoolImage = npt.NDArray[np.bool_]
_Small = npt.NDArray[np.float32]
MaskImage = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """What is new in one picture.

    Attributes:
        changed_px: Where the picture differs from what was searched last, and is at rest.
        blocked: (rows, columns) of the picture made `SHRINK` times smaller: where something moves or a hand reaches, and
            nothing is to be concluded; None where that is nowhere.
        hand: Whether something large reaches in over the picture's edge.
        moving: Whether some place has not rested long enough.
        unsearched: Whether parts of the picture have not been searched since the camera was moved.
        new: (rows, columns) as `blocked`: where in `changed_px` the picture differs; None where that is nowhere.
        light_changing: Whether light is changing over much of the picture, so that nothing is to be concluded from it.
    """

    changed_px: tuple[Box, ...] = ()
    blocked: BoolImage | None = None
    hand: bool = False
    moving: bool = False
    unsearched: bool = False
    new: BoolImage | None = None
    light_changing: bool = False

    def is_blocked(self, x_px: float, y_px: float) -> bool:
        """Whether nothing is to be concluded at this pixel of the picture."""
        if self.blocked is None:
            return False
        row, column = int(y_px // SHRINK), int(x_px // SHRINK)
        rows, columns = self.blocked.shape
        return 0 <= row < rows and 0 <= column < columns and bool(self.blocked[row, column])


class MotionDetector:
    """Compares each picture with the one before, and with what was searched last."""

    def __init__(self) -> None:
        self._previous: _Small | None = None
        self._reference: _Small | None = None
        self._current: _Small | None = None
        self._blur: _Small | None = None
        self._ignored: BoolImage | None = None
        self._blocked: BoolImage | None = None
        self._moved_s: _Small | None = None  # when each cell was last seen to move
        self._blocked_since_s: _Small | None = None  # since when each cell has been held
        self._previous_s = -np.inf
        self._noise = 0.5
        self._light = LightChangeDetector()

    def detect(
        self, gray: ImageGray, time_s: float, aside_px: Sequence[Box] = (), table_px: FloatArray | None = None
    ) -> Motion:
        """What is new in this picture.

        Args:
            gray: (height, width) uint8.
            time_s: when it was taken.
            aside_px: parts that are set aside, as a dice tray: nothing is new there.
            table_px: (N, 2) convex outline beyond which nothing is new either; None for the whole picture.
        """
        small = _downsampled(gray)
        self._ignored = _ignored_mask(small.shape, aside_px, table_px)
        previous, self._previous, self._current = self._previous, small, small
        restarted, self._previous_s, last_s = time_s < self._previous_s, time_s, self._previous_s
        if previous is None or previous.shape != small.shape or self._moved_s is None or self._blocked_since_s is None:
            self._reset(small.shape)
            return Motion((_whole(gray),))
        if restarted:  # a camera that was plugged in again counts from 0 again
            self._moved_s[:], self._blocked_since_s[:] = time_s, np.inf
        moved = cv2.dilate(self._differs(small, previous), _KERNEL_3) > 0
        self._moved_s[moved] = time_s
        if self._reference is None:
            return Motion((_whole(gray),))
        # Pictures far apart differ, and may be at rest all the same.
        continuous = restarted or time_s - last_s < STILL_S
        motion = self._compare(small, self._reference, time_s, continuous=continuous)
        return replace(motion, light_changing=self._light.is_changing(small, time_s) and continuous)

    def searched(self) -> None:
        """Take what the last picture shows for known, apart from places that are held."""
        if self._reference is None or self._blocked is None or self._current is None:
            self._reference, self._blur = self._current, None
            return
        # Where nothing was known before, an arm cannot be told from the table that it hides.
        kept = self._blocked | (self._reference < 0)
        self._reference = np.where(kept, self._reference, self._current)
        self._blur = None if self._blur is None else np.where(kept, self._blur, 0)

    def follow_camera(self, old_to_new: FloatArray, table_px: FloatArray | None = None) -> None:
        """The camera was moved: what was known is seen from there, as far as it lies on the table.

        Args:
            old_to_new: (3, 3) homography from pixels of the pictures before to those of the next.
            table_px: (N, 2) outline, in the next picture, of what lies on the table for certain; None for all. The
                floor under the table's edge moves otherwise than the table does.
        """
        if self._reference is None or self._current is None:
            return
        cell_homography = to_cells(old_to_new)
        size = self._reference.shape[::-1]
        reference = np.asarray(cv2.warpPerspective(np.abs(self._reference), cell_homography, size), np.float32)
        surely = np.asarray(
            cv2.warpPerspective(np.asarray(self._reference >= 0, np.float32), cell_homography, size), np.float32
        )
        if table_px is not None:
            on_table = np.zeros(reference.shape, np.uint8)
            cv2.fillPoly(on_table, [np.round(table_px / SHRINK).astype(np.int32)], 1)
            surely[on_table == 0] = 0
        # The table as it would be seen is a cell off here and there, which shows at every sharp edge.
        self._blur = np.asarray(cv2.dilate(reference, _KERNEL_3) - cv2.erode(reference, _KERNEL_3), np.float32)
        self._reference = np.where(surely > 0.99, reference, _UNKNOWN).astype(np.float32)

    def _reset(self, shape: tuple[int, ...]) -> None:
        self._reference = self._blocked = self._blur = None
        self._moved_s = np.full(shape, -np.inf, np.float32)
        self._blocked_since_s = np.full(shape, np.inf, np.float32)

    def _compare(self, small: _Small, reference: _Small, time_s: float, *, continuous: bool) -> Motion:
        """Every place that differs from what is known: light, something at rest, or to be held."""
        assert self._moved_s is not None and self._blocked_since_s is not None  # noqa: S101, PT018 - set by `_reset`
        differs = self._differs(small, reference, self._blur)
        if continuous and self._blur is None and differs.any():
            differs &= differs_beyond_light(small, reference)
        regions = list(
            _changed_regions(differs, small, reference, _border(reference, self._ignored), split_hands=continuous)
        )
        blocked, rested = (np.zeros(small.shape, np.bool_) for _ in range(2))
        resting: list[_Region] = []
        hand = moving = False
        recently_moved = cv2.dilate((self._moved_s > time_s - HAND_REST_S).astype(np.uint8), _KERNEL_9) > 0
        for one in regions:
            rest_s = time_s - _quantile(self._moved_s[one.window][one.mask], 1 - _MOVING_SHARE)
            since_s = time_s - _quantile(self._blocked_since_s[one.window][one.mask], 0.25)
            is_hand, restless = one.is_hand and rest_s < HAND_REST_S, continuous and rest_s < STILL_S
            # Between pictures far apart a hand may have been anywhere: all that is new is concluded from at once.
            is_hand |= hand and not continuous
            if (is_hand or restless) and since_s < (MAX_HAND_BLOCKED_S if is_hand else MAX_BLOCKED_S):
                blocked[one.window] |= one.mask & (recently_moved[one.window] | restless | (not continuous))
                hand, moving = hand or is_hand, moving or restless
            else:
                resting.append(one)
        # Feet beside the last cell that changed are hidden too.
        blocked = np.asarray(cv2.dilate(blocked.astype(np.uint8), _KERNEL_5) > 0)
        self._blocked_since_s = np.where(blocked, np.minimum(self._blocked_since_s, time_s), np.inf).astype(np.float32)
        self._blocked = blocked if blocked.any() else None
        resting = [one for one in resting if not blocked[one.window][one.mask].all()]
        for one in resting:
            rested[one.window] |= one.mask
        boxes = tuple(one.box_px for one in resting)
        return Motion(boxes, self._blocked, hand, moving, bool(reference.min() < 0), rested if boxes else None)

    def _differs(self, small: _Small, other: _Small, blur: _Small | None = None) -> MaskImage:
        """Where two pictures differ beyond light, noise and blur; 1 there, else 0."""
        sample, other_sample = small[::_SAMPLE_STEP, ::_SAMPLE_STEP], other[::_SAMPLE_STEP, ::_SAMPLE_STEP]
        seen = other_sample >= 0
        if not seen.any():
            return np.zeros(small.shape, np.uint8)
        ratio = (sample[seen] + 1) / (other_sample[seen] + 1)
        low, gain, high = np.percentile(ratio, (_LIT_PERCENTILES[0], 50, _LIT_PERCENTILES[1]))
        low, high = max(low, gain / _LIGHT_RANGE), min(high, gain * _LIGHT_RANGE)
        if gain / _LIGHT_RANGE < 1 < gain * _LIGHT_RANGE:  # what the lamp does not light stays as it is
            low, high = min(low, 1.0), max(high, 1.0)
        excess = np.maximum(np.maximum(np.float32(low) * other - small, small - np.float32(high) * other), 0)
        noise = float(np.median(np.abs(sample[seen] - gain * other_sample[seen]))) * 1.48
        self._noise = 0.95 * self._noise + 0.05 * noise
        if blur is not None:
            excess = excess - blur
        threshold = max(_MIN_GREY, _NOISE_SIGMAS * self._noise)
        differs = (excess > threshold) & (other >= 0)
        return np.asarray(differs if self._ignored is None else differs & ~self._ignored, np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class _Region:
    """A connected part of a picture that is new.

    Attributes:
        window: Rows and columns of the small picture round it.
        mask: Which of the cells there belong to it.
        is_hand: Whether it is as large as a hand and reaches in over the edge.
    """

    window: tuple[slice, slice]
    mask: BoolImage
    is_hand: bool = False

    @property
    def box_px(self) -> Box:
        """The part in pixels of the picture."""
        rows, columns = self.window
        return (columns.start * SHRINK, rows.start * SHRINK, columns.stop * SHRINK, rows.stop * SHRINK)


def _changed_regions(
    differs: MaskImage, small: _Small, reference: _Small, border: BoolImage, *, split_hands: bool
) -> Iterator[_Region]:
    """The connected parts of what is new, apart from noise and light: hands, and then what is beside them.

    With `split_hands`, what is joined to a hand only by a thread of noise or shadow is not part of it.
    """
    new = np.asarray(cv2.morphologyEx(differs, cv2.MORPH_CLOSE, _KERNEL_5), np.uint8)
    opened = np.asarray(cv2.morphologyEx(new, cv2.MORPH_OPEN, _KERNEL_5), np.uint8) if split_hands else new
    remaining = new.copy()
    for one in _regions(opened, small, reference):
        at_rim = _HAND_SHARE[0] < one.mask.sum() / new.size < _HAND_SHARE[1] and border[one.window][one.mask].any()
        if at_rim:
            remaining[one.window][one.mask] = 0
            yield replace(one, is_hand=True)
    yield from _regions(remaining, small, reference)


def _regions(new: MaskImage, small: _Small, reference: _Small) -> Iterator[_Region]:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(new)
    for label in range(1, count):
        x, y, w, h, area = (int(v) for v in np.asarray(stats)[label])
        window = slice(y, y + h), slice(x, x + w)
        mask = np.asarray(labels[window] == label)
        if area < _MIN_CELLS or (area >= _MIN_EDGE_CELLS and _edges_unchanged(small, reference, window, mask)):
            continue
        yield _Region(window, mask)


def _quantile(times_s: _Small, window: float) -> float:
    """As numpy's, without interpolation: between minus infinity and a time lies no time."""
    return float(np.quantile(times_s, window, method="lower"))


def _edges_unchanged(small: _Small, reference: _Small, window: tuple[slice, slice], mask: BoolImage) -> bool:
    """Whether a place shows the same edges as before, however bright."""
    rows, columns = window
    around = slice(max(0, rows.start - 1), rows.stop + 1), slice(max(0, columns.start - 1), columns.stop + 1)
    padding = ((rows.start - around[0].start, 0), (columns.start - around[1].start, 0))
    inside = np.zeros(small[around].shape, np.uint8)
    inside[padding[0][0] : padding[0][0] + mask.shape[0], padding[1][0] : padding[1][0] + mask.shape[1]] = mask
    cells = cv2.dilate(inside, _KERNEL_3) > 0
    if (reference[around][cells] < 0).any():
        return False
    now, then = (
        np.stack([cv2.Sobel(image[around], cv2.CV_32F, *axis)[cells] for axis in ((1, 0), (0, 1))])
        for image in (small, reference)
    )
    strength = float(np.sqrt((now * now).sum() * (then * then).sum()))
    return strength > 0 and float((now * then).sum()) / strength > _SAME_EDGES


def to_cells(old_to_new: FloatArray) -> FloatArray:
    """A homography of the picture's pixels, for the cells of the small picture."""
    shrink = np.diag([1 / SHRINK, 1 / SHRINK, 1.0])
    return np.asarray(shrink @ old_to_new @ np.linalg.inv(shrink))


def _downsampled(gray: ImageGray) -> _Small:
    height, width = gray.shape
    size = (max(1, width // SHRINK), max(1, height // SHRINK))
    return np.asarray(cv2.resize(gray, size, interpolation=cv2.INTER_AREA), np.float32)


def _whole(gray: ImageGray) -> Box:
    return (0, 0, gray.shape[1], gray.shape[0])


def _ignored_mask(shape: tuple[int, ...], boxes_px: Sequence[Box], table_px: FloatArray | None) -> BoolImage | None:
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


def _border(reference: _Small, aside: BoolImage | None) -> BoolImage:
    """The edge of what is known of a picture, inside of its own edge once the camera was turned, or a part is aside."""
    beyond = reference < 0 if aside is None else (reference < 0) | aside
    unknown = cv2.copyMakeBorder(beyond.astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=1)
    return np.asarray(cv2.dilate(unknown, _KERNEL_5)[1:-1, 1:-1] > 0)
