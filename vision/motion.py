"""Motion detection: what changed and is at rest, and where something still moves.

Compares pictures downsampled by eight, where noise averages out and a soldier is still a few pixels. Changes of light
are ignored: a lamp changes everything it lights by one factor and leaves sunlit parts alone, so light explains every
factor between those two, and every change that leaves the edges in place. A place that keeps changing is searched
after a few seconds anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.markers import ImageGray
from calibration.opencv import cv2
from rules.tabletop.table import FloatArray
from vision.local_light import LightChangeDetector, differs_beyond_light

SHRINK = 8
"""Factor by which pictures are downsampled along each axis; one pixel of the result is a *cell*."""
STILL_S = 0.4
"""A changed place is searched after it has been at rest this long."""
HAND_REST_S = 4.0
"""Something that reaches in over the table's edge and has rested this long is scenery: a hand would move."""
MAX_BLOCKED_S, MAX_HAND_BLOCKED_S = 5.0, 10.0
"""Longest time that a place is blocked from being searched; the second where a hand moves."""

_MIN_GREY = 4.0
"""Smaller differences (a grey level is 1/255) are soft shadows and the camera's own gain."""
_NOISE_SIGMAS = 6.0
_MIN_CELLS = 3
_HAND_SHARE = (0.01, 0.4)
"""Share of the picture that a hand covers. Anything smaller is an object at the edge of the picture; anything larger is
another table, or the light was switched."""
_MOVING_SHARE = 0.1
"""A region moves while more than this share of its cells does."""
_SAMPLE_STEP = 4
"""Step between the rows and columns that are sampled for the statistics of light."""
_LIT_SHARES = (0.15, 0.85)
"""A change of light reaches at least this much of the table; an arm covers less."""
_LIGHT_RANGE = 1.25
"""Largest factor, relative to the table's median change, that light alone explains."""
_SAME_EDGES = 0.8
"""Correlation of the edges before and after above which only the light has changed."""
_MIN_EDGE_CELLS = 12
"""A smaller region has too few edges to compare."""
_UNKNOWN = -1000.0
"""Grey level of cells never seen: beyond the picture's edge before the camera moved."""
_EVEN_BYTES, _ONE_BYTE = np.uint64(0x00FF00FF00FF00FF), np.uint64(8)
_ADD_LANES, _LAST_LANE = np.uint64(0x0001000100010001), np.uint64(48)
"""Multiplying by the first adds the four lanes of 16 bits into the last, which starts at the second."""
_ROWS_AT_ONCE = 4
"""Rows of cells added at once: their pixels stay in the processor's cache."""
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
    """Changes in one picture.

    Attributes:
        changed_px: Boxes around changes since the last search that are at rest.
        blocked: (rows, columns) of cells that must not be searched, because something moves or a hand is there; None if
            there are none.
        hand: Whether something large reaches in over the picture's edge.
        moving: Whether a region has not been at rest long enough.
        unsearched: Whether parts of the picture have not been searched since the camera moved.
        new: (rows, columns) of cells that differ inside `changed_px`; None if there are none.
        light_changing: Whether light is changing over much of the picture, so that it should not be searched.
    """

    changed_px: tuple[Box, ...] = ()
    blocked: BoolImage | None = None
    hand: bool = False
    moving: bool = False
    unsearched: bool = False
    new: BoolImage | None = None
    light_changing: bool = False

    def is_blocked(self, x_px: float, y_px: float) -> bool:
        """Whether this pixel must not be searched now."""
        if self.blocked is None:
            return False
        row, column = int(y_px // SHRINK), int(x_px // SHRINK)
        rows, columns = self.blocked.shape
        return 0 <= row < rows and 0 <= column < columns and bool(self.blocked[row, column])


class MotionDetector:
    """Compares each picture with the previous one and with the one that was last searched."""

    def __init__(self) -> None:
        self._previous: _Small | None = None
        self._reference: _Small | None = None
        self._current: _Small | None = None
        self._blur: _Small | None = None
        self._ignored: BoolImage | None = None
        self._blocked: BoolImage | None = None
        self._moved_s: _Small | None = None  # when each cell last moved
        self._blocked_since_s: _Small | None = None
        self._previous_s = -np.inf
        self._noise = 0.5
        self._light = LightChangeDetector()

    def detect(
        self, gray: ImageGray, time_s: float, aside_px: Sequence[Box] = (), table_px: FloatArray | None = None
    ) -> Motion:
        """Detect the changes in the next picture.

        Args:
            gray: (height, width) uint8.
            time_s: Time of the picture.
            aside_px: Parts to ignore, such as a dice tray.
            table_px: (N, 2) convex outline of the table; changes outside it are ignored. None for the whole picture.
        """
        small = cell_means(gray)
        self._ignored = _ignored_mask(small.shape, aside_px, table_px)
        previous, self._previous, self._current = self._previous, small, small
        restarted, self._previous_s, last_s = time_s < self._previous_s, time_s, self._previous_s
        if previous is None or previous.shape != small.shape or self._moved_s is None or self._blocked_since_s is None:
            self._reset(small.shape)
            return Motion((_whole(gray),))
        if restarted:  # the clock of a camera that was plugged in again starts at 0
            self._moved_s[:], self._blocked_since_s[:] = time_s, np.inf
        moved = cv2.dilate(self._differs(small, previous), _KERNEL_3) > 0
        self._moved_s[moved] = time_s
        if self._reference is None:
            return Motion((_whole(gray),))
        # Pictures taken far apart differ although nothing moves now.
        continuous = restarted or time_s - last_s < STILL_S
        motion = self._compare(small, self._reference, time_s, continuous=continuous)
        return replace(motion, light_changing=self._light.is_changing(small, time_s) and continuous)

    def searched(self) -> None:
        """Make the last picture the reference for changes, except where it is blocked."""
        if self._reference is None or self._blocked is None or self._current is None:
            self._reference, self._blur = self._current, None
            return
        # Where nothing was known before, an arm looks no different from the table under it.
        kept = self._blocked | (self._reference < 0)
        self._reference = np.where(kept, self._reference, self._current)
        self._blur = None if self._blur is None else np.where(kept, self._blur, 0)

    def follow_camera(self, old_to_new: FloatArray, table_px: FloatArray | None = None) -> None:
        """Warp the reference to the new pose after the camera moved.

        Args:
            old_to_new: (3, 3) homography from the pixels of earlier pictures to those of the next one.
            table_px: (N, 2) outline, in the next picture, of what certainly lies on the table; None for everything.
                The homography is wrong for the floor beside the table.
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
        # The warped picture is off by up to a cell, which shows at every sharp edge.
        self._blur = np.asarray(cv2.dilate(reference, _KERNEL_3) - cv2.erode(reference, _KERNEL_3), np.float32)
        self._reference = np.where(surely > 0.99, reference, _UNKNOWN).astype(np.float32)

    def _reset(self, shape: tuple[int, ...]) -> None:
        self._reference = self._blocked = self._blur = None
        self._moved_s = np.full(shape, -np.inf, np.float32)
        self._blocked_since_s = np.full(shape, np.inf, np.float32)

    def _compare(self, small: _Small, reference: _Small, time_s: float, *, continuous: bool) -> Motion:
        """Classify every region that differs from the reference as light, at rest, or blocked."""
        assert self._moved_s is not None  # set by `_reset`, like the next
        assert self._blocked_since_s is not None
        differs = self._differs(small, reference, self._blur)
        if not differs.any():  # as in most frames
            self._blocked = None
            self._blocked_since_s.fill(np.inf)
            return Motion(unsearched=bool(reference.min() < 0))
        if continuous and self._blur is None:
            differs &= differs_beyond_light(small, reference)
        regions = list(
            _changed_regions(differs, small, reference, _border(reference, self._ignored), split_hands=continuous)
        )
        blocked, rested = (np.zeros(small.shape, np.bool_) for _ in range(2))
        resting: list[_Region] = []
        hand = moving = False
        recently_moved = cv2.dilate((self._moved_s > time_s - HAND_REST_S).astype(np.uint8), _KERNEL_9) > 0
        for one in regions:
            (moved_s,) = _quantiles(self._moved_s[one.window][one.mask], 1 - _MOVING_SHARE)
            (blocked_s,) = _quantiles(self._blocked_since_s[one.window][one.mask], 0.25)
            rest_s, since_s = time_s - moved_s, time_s - blocked_s
            is_hand, restless = one.is_hand and rest_s < HAND_REST_S, continuous and rest_s < STILL_S
            # Between pictures taken far apart a hand may have been anywhere, so every change is searched at once.
            is_hand |= hand and not continuous
            if (is_hand or restless) and since_s < (MAX_HAND_BLOCKED_S if is_hand else MAX_BLOCKED_S):
                blocked[one.window] |= one.mask & (recently_moved[one.window] | restless | (not continuous))
                hand, moving = hand or is_hand, moving or restless
            else:
                resting.append(one)
        # The feet beside the last changed cell are hidden too.
        blocked = np.asarray(cv2.dilate(blocked.astype(np.uint8), _KERNEL_5) > 0)
        self._blocked_since_s = np.where(blocked, np.minimum(self._blocked_since_s, time_s), np.inf).astype(np.float32)
        self._blocked = blocked if blocked.any() else None
        resting = [one for one in resting if not blocked[one.window][one.mask].all()]
        for one in resting:
            rested[one.window] |= one.mask
        boxes = tuple(one.box_px for one in resting)
        return Motion(boxes, self._blocked, hand, moving, bool(reference.min() < 0), rested if boxes else None)

    def _differs(self, small: _Small, other: _Small, blur: _Small | None = None) -> MaskImage:
        """1 where two pictures differ by more than light, noise and blur explain, else 0."""
        sample, other_sample = small[::_SAMPLE_STEP, ::_SAMPLE_STEP], other[::_SAMPLE_STEP, ::_SAMPLE_STEP]
        seen = other_sample >= 0
        if not seen.any():
            return np.zeros(small.shape, np.uint8)
        sample, other_sample = sample[seen], other_sample[seen]
        low, gain, high = _quantiles((sample + 1) / (other_sample + 1), _LIT_SHARES[0], 0.5, _LIT_SHARES[1])
        low, high = max(low, gain / _LIGHT_RANGE), min(high, gain * _LIGHT_RANGE)
        if gain / _LIGHT_RANGE < 1 < gain * _LIGHT_RANGE:  # parts that the lamp does not light stay the same
            low, high = min(low, 1.0), max(high, 1.0)
        excess = np.maximum(np.maximum(np.float32(low) * other - small, small - np.float32(high) * other), 0)
        (deviation,) = _quantiles(np.abs(sample - gain * other_sample), 0.5)
        noise = 1.48 * deviation
        self._noise = 0.95 * self._noise + 0.05 * noise
        if blur is not None:
            excess = excess - blur
        threshold = max(_MIN_GREY, _NOISE_SIGMAS * self._noise)
        differs = (excess > threshold) & (other >= 0)
        return np.asarray(differs if self._ignored is None else differs & ~self._ignored, np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class _Region:
    """A connected region of changed cells.

    Attributes:
        window: Rows and columns of cells around it.
        mask: Cells of the window that belong to it.
        is_hand: Whether it is as large as a hand and reaches in over the edge.
    """

    window: tuple[slice, slice]
    mask: BoolImage
    is_hand: bool = False

    @property
    def box_px(self) -> Box:
        """The window in pixels of the picture."""
        rows, columns = self.window
        return (columns.start * SHRINK, rows.start * SHRINK, columns.stop * SHRINK, rows.stop * SHRINK)


def _changed_regions(
    differs: MaskImage, small: _Small, reference: _Small, border: BoolImage, *, split_hands: bool
) -> Iterator[_Region]:
    """Changed regions except noise and light: first hands, then the rest.

    With `split_hands`, a change that touches a hand only by a thin line of noise or shadow is a region of its own.
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


def _quantiles(values: _Small, *shares: float) -> list[float]:
    """The values below which these shares of all values lie.

    `np.quantile` interpolates, which fails between minus infinity and a time, and takes five times as long.
    """
    ordered = np.sort(values, axis=None)
    return [float(ordered[int(share * (len(ordered) - 1))]) for share in shares]


def _edges_unchanged(small: _Small, reference: _Small, window: tuple[slice, slice], mask: BoolImage) -> bool:
    """Whether a region shows the same edges as before, at whatever brightness."""
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
    """Convert a homography of the picture's pixels to one of cells."""
    shrink = np.diag([1 / SHRINK, 1 / SHRINK, 1.0])
    return np.asarray(shrink @ old_to_new @ np.linalg.inv(shrink))


def cell_means(gray: ImageGray) -> _Small:
    """(rows, columns) means of the pixels of each cell, rounded to grey levels."""
    height, width = gray.shape
    rows, columns = max(1, height // SHRINK), max(1, width // SHRINK)
    if (height, width) != (rows * SHRINK, columns * SHRINK) or not gray.flags.c_contiguous:
        return np.asarray(cv2.resize(gray, (columns, rows), interpolation=cv2.INTER_AREA), np.float32)
    # The same means in a third of the time: eight pixels are added as one integer, in four lanes of 16 bits.
    eights = gray.view(np.uint64).reshape(rows, SHRINK, columns)
    lanes = np.empty((rows, columns), np.uint64)
    for row in range(0, rows, _ROWS_AT_ONCE):
        some = eights[row : row + _ROWS_AT_ONCE]
        pairs = some >> _ONE_BYTE
        pairs &= _EVEN_BYTES
        pairs += some & _EVEN_BYTES
        pairs.sum(axis=1, out=lanes[row : row + _ROWS_AT_ONCE])
    return np.rint((lanes * _ADD_LANES >> _LAST_LANE) / SHRINK**2).astype(np.float32)


def _whole(gray: ImageGray) -> Box:
    return (0, 0, gray.shape[1], gray.shape[0])


def _ignored_mask(shape: tuple[int, ...], boxes_px: Sequence[Box], table_px: FloatArray | None) -> BoolImage | None:
    """Cells to ignore: in the given boxes or outside the table; None if there are none."""
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
    """Cells at the edge of the known part of the picture that is not ignored."""
    beyond = reference < 0 if aside is None else (reference < 0) | aside
    unknown = cv2.copyMakeBorder(beyond.astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=1)
    return np.asarray(cv2.dilate(unknown, _KERNEL_5)[1:-1, 1:-1] > 0)
