"""Where something has moved since each place was last searched: only there can figures come or go."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.opencv import cv2
from rules.tabletop.table import FloatArray
from vision.motion import SHRINK, Box, MaskImage, Motion, to_cells

_MARGIN_CELLS = 2
"""Cells around a figure's feet in which its appearance may have changed."""
_CHANGED_PER_BASE_CELL = 0.8
"""Cells around the feet that change when a figure comes or goes, per cell of its base."""
_ENOUGH_CHANGED = 6
"""This many changed cells are enough for a base of any size."""
_BASE_IN = (1.0, 0.8)
_START_SEARCHES = 4
"""Searches at the start that establish what is there; later differences must be caused by movement."""
_VISIT_SEARCHES = 8
"""Searches of a place at rest that end a visit to it."""


class Visits:
    """Where something has moved, and where it left the table changed; everywhere at the start."""

    def __init__(self) -> None:
        self._everywhere = _START_SEARCHES
        self._moved: MaskImage | None = None  # per cell: searches until the visit ends
        self._changed: MaskImage | None = None

    def add(self, motion: Motion, size_px: tuple[int, int]) -> None:
        """Add the motion in a picture of (width, height)."""
        shape = (max(1, size_px[1] // SHRINK), max(1, size_px[0] // SHRINK))
        if self._moved is None or self._changed is None or self._moved.shape != shape:
            self._moved, self._changed = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
        for mask in (motion.new, motion.blocked):
            if mask is not None:
                self._moved[mask] = _VISIT_SEARCHES
        if motion.new is not None:
            self._changed[motion.new] = _VISIT_SEARCHES

    def follow_camera(self, old_to_new: FloatArray) -> None:
        """Warp the visits to the new pose after the camera moved; (3, 3) homography of the picture's pixels."""
        self._moved = _warped(self._moved, old_to_new)
        # Whether a place changed cannot be compared across poses, so every visited place may have changed.
        self._changed = None if self._moved is None else self._moved.copy()

    def mark_everywhere(self) -> None:
        """Consider all places visited until a few searches have been made."""
        self._everywhere = _START_SEARCHES

    def searched(self, parts_px: Sequence[Box] | None = None) -> None:
        """Count one search of these parts of the picture, or of all of it; places still moving are added again."""
        self._everywhere = max(0, self._everywhere - 1)
        for mask in (self._moved, self._changed):
            if mask is None:
                continue
            whole = (0, 0, SHRINK * mask.shape[1], SHRINK * mask.shape[0])
            for left, top, right, bottom in (whole,) if parts_px is None else parts_px:
                part = mask[top // SHRINK : -(-bottom // SHRINK), left // SHRINK : -(-right // SHRINK)]
                np.subtract(part, 1, out=part, where=part > 0)

    def clear(self) -> None:
        """End all visits: everything is at rest and was searched completely."""
        self._everywhere, self._moved, self._changed = 0, None, None

    def visited(self, x_px: float, y_px: float) -> bool:
        """Whether something moved near a figure whose feet are at this pixel, so that the figure may have changed."""
        return self._everywhere > 0 or _count(self._moved, x_px, y_px, _MARGIN_CELLS) > 0

    def changed(self, x_px: float, y_px: float, px_per_in: float) -> bool:
        """Whether a visit left the table changed there, so that a figure was taken or put down.

        Args:
            x_px, y_px: Pixel of the figure's feet.
            px_per_in: Pixels per inch there, for a 54 mm figure; more for larger figures.
        """
        base_cells = _BASE_IN[0] * _BASE_IN[1] * (px_per_in / SHRINK) ** 2
        least = min(_ENOUGH_CHANGED, max(1, round(_CHANGED_PER_BASE_CELL * base_cells)))
        return self._everywhere > 0 or _count(self._changed, x_px, y_px, _MARGIN_CELLS) >= least


def _warped(mask: MaskImage | None, old_to_new: FloatArray) -> MaskImage | None:
    if mask is None:
        return None
    size = mask.shape[::-1]
    return np.asarray(cv2.warpPerspective(mask, to_cells(old_to_new), size, flags=cv2.INTER_NEAREST), np.uint8)


def _count(mask: MaskImage | None, x_px: float, y_px: float, margin: int) -> int:
    """Number of cells of a mask that are set around a pixel."""
    if mask is None:
        return 0
    row, column = int(y_px // SHRINK), int(x_px // SHRINK)
    rows, columns = (slice(max(0, at - margin), max(0, at + margin + 1)) for at in (row, column))
    return int(np.count_nonzero(mask[rows, columns]))
