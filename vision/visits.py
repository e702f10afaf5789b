"""Where something has been on the table since each place was last searched: only there can figures come or go."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.opencv import cv2
from rules.table import FloatArray
from vision.motion import SHRINK, Box, MaskImage, Motion, to_cells

_BESIDE = 2
"""Cells beside a figure's feet in which what is seen of it may have changed."""
_CHANGED = 0.8
"""Cells beside a figure's feet that change when it comes or goes, for each that its base covers, ..."""
_MOST_CHANGED = 6
"""... and how many are enough in any case."""
_BASE_IN = (1.0, 0.8)
_FIRST_LOOKS = 4
"""So many searches show what is there at the start; what they differ in later has to have moved."""
_LOOKS = 8
"""So many searches of a place at rest end a visit to it."""


class Visits:
    """Where something has moved, and where it left the table changed; at the start that may be everywhere."""

    def __init__(self) -> None:
        self._everywhere = _FIRST_LOOKS
        self._moved: MaskImage | None = None  # how many more searches there are until the visit has ended
        self._changed: MaskImage | None = None

    def add(self, motion: Motion, size_px: tuple[int, int]) -> None:
        """Something moves, or has moved, in these places of a picture of (width, height)."""
        shape = (max(1, size_px[1] // SHRINK), max(1, size_px[0] // SHRINK))
        if self._moved is None or self._changed is None or self._moved.shape != shape:
            self._moved, self._changed = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
        for mask in (motion.new, motion.blocked):
            if mask is not None:
                self._moved[mask] = _LOOKS
        if motion.new is not None:
            self._changed[motion.new] = _LOOKS

    def follow_camera(self, old_to_new: FloatArray) -> None:
        """The camera was moved: the same places are seen elsewhere; (3, 3) homography of the picture's pixels."""
        self._moved = _turned(self._moved, old_to_new)
        # What a visit left changed cannot be told across such a turn: all that it passed may be another.
        self._changed = None if self._moved is None else self._moved.copy()

    def mark_everywhere(self) -> None:
        """All may be another than it was, until a few searches have shown it."""
        self._everywhere = _FIRST_LOOKS

    def searched(self, parts_px: Sequence[Box] | None = None) -> None:
        """These parts of the picture were searched once more, or all of it; what moves there is added again anyway."""
        self._everywhere = max(0, self._everywhere - 1)
        for mask in (self._moved, self._changed):
            if mask is None:
                continue
            whole = (0, 0, SHRINK * mask.shape[1], SHRINK * mask.shape[0])
            for left, top, right, bottom in (whole,) if parts_px is None else parts_px:
                part = mask[top // SHRINK : -(-bottom // SHRINK), left // SHRINK : -(-right // SHRINK)]
                np.subtract(part, 1, out=part, where=part > 0)

    def clear(self) -> None:
        """All is at rest and was searched to the end."""
        self._everywhere, self._moved, self._changed = 0, None, None

    def visited(self, x_px: float, y_px: float) -> bool:
        """Whether something was near a figure whose feet are seen at this pixel, so that it may be another now."""
        return self._everywhere > 0 or _count(self._moved, x_px, y_px, _BESIDE) > 0

    def changed(self, x_px: float, y_px: float, px_per_in: float) -> bool:
        """Whether the table looks different there since, so that a figure was taken or put down.

        Args:
            x_px, y_px: where the figure's feet are seen.
            px_per_in: pixels there of an inch of a 54 mm figure; larger figures have more.
        """
        base_cells = _BASE_IN[0] * _BASE_IN[1] * (px_per_in / SHRINK) ** 2
        least = min(_MOST_CHANGED, max(1, round(_CHANGED * base_cells)))
        return self._everywhere > 0 or _count(self._changed, x_px, y_px, _BESIDE) >= least


def _turned(mask: MaskImage | None, old_to_new: FloatArray) -> MaskImage | None:
    if mask is None:
        return None
    size = mask.shape[::-1]
    return np.asarray(cv2.warpPerspective(mask, to_cells(old_to_new), size, flags=cv2.INTER_NEAREST), np.uint8)


def _count(mask: MaskImage | None, x_px: float, y_px: float, beside: int) -> int:
    """Cells of a mask that are set round a pixel."""
    if mask is None:
        return 0
    row, column = int(y_px // SHRINK), int(x_px // SHRINK)
    rows, columns = (slice(max(0, at - beside), max(0, at + beside + 1)) for at in (row, column))
    return int(np.count_nonzero(mask[rows, columns]))
