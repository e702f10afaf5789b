"""A picture at several sizes: large pictures are reduced quickly and without skipping pixels."""

from __future__ import annotations

import numpy as np

from calibration.opencv import cv2
from vision.frame import ImageBgr

_SMALLEST_PX = 32


class Pyramid:
    """A picture and its halves, which are made when they are needed."""

    def __init__(self, image: ImageBgr) -> None:
        self._levels = [image]

    @property
    def size_px(self) -> tuple[int, int]:
        """(width, height) of the whole picture."""
        height, width = self._levels[0].shape[:2]
        return width, height

    def level(self, scale: float) -> tuple[ImageBgr, float]:
        """The smallest level that is at least as large as the picture at this scale, and its own scale."""
        k = 0
        while 0.5 ** (k + 1) >= scale and min(self._level(k).shape[:2]) > 2 * _SMALLEST_PX:
            k += 1
        return self._level(k), 0.5**k

    def reduced(self, scale: float) -> ImageBgr:
        """The picture at this scale, at most 1."""
        level, own = self.level(scale)
        size = [max(16, round(length * scale)) for length in self.size_px]
        if own == scale:
            return level
        return np.asarray(cv2.resize(level, size, interpolation=cv2.INTER_AREA), np.uint8)

    def _level(self, k: int) -> ImageBgr:
        while len(self._levels) <= k:
            last = self._levels[-1]
            even = last[: last.shape[0] // 2 * 2, : last.shape[1] // 2 * 2]
            half = (even.shape[1] // 2, even.shape[0] // 2)
            self._levels.append(np.asarray(cv2.resize(even, half, interpolation=cv2.INTER_AREA), np.uint8))
        return self._levels[k]
