"""Whether a picture still shows what it showed, seen from the same place: where no marker can tell."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from calibration.camera import times_full_hd
from calibration.markers import ImageGray
from calibration.opencv import cv2
from rules.tabletop.table import FloatArray

_PLACES, _FEWEST = 150, 12
_MOVED_PX = 1.0
"""At 1920 px across; a camera at rest shimmers by a tenth of it."""
_ALIKE = 0.4
"""Table and floor each go their own way."""
_STAYED = 0.25
"""Hands and soldiers hide the rest."""
_WINDOW_PX, _LEVELS = (21, 21), 3
_INLIER_PX = 1.0
PATIENCE = 3
"""So many looks in a row at which nothing is known again are a shift, too: until then somebody may lean over it."""


class Grain:
    """Remembers where a picture has grain, and follows it in later ones."""

    def __init__(self, gray: ImageGray) -> None:
        self._gray = gray
        found = cv2.goodFeaturesToTrack(gray, _PLACES, 0.01, gray.shape[1] / 40, blockSize=7)
        self._start = np.empty((0, 1, 2), np.float32) if found is None else np.asarray(found, np.float32)
        self._limit_px = _MOVED_PX * max(1.0, times_full_hd(gray.shape))
        self._unknown = 0

    def has_shifted(self, gray: ImageGray) -> bool:
        """Whether most of it has gone one common way, or nothing of it was seen for several looks.

        Args:
            gray: (height, width), of the size of the first picture.
        """
        if len(self._start) < _FEWEST:
            return False
        end, good, _ = cv2.calcOpticalFlowPyrLK(
            self._gray, gray, self._start, self._start.copy(), winSize=_WINDOW_PX, maxLevel=_LEVELS
        )
        back, again, _ = cv2.calcOpticalFlowPyrLK(
            gray, self._gray, end, end.copy(), winSize=_WINDOW_PX, maxLevel=_LEVELS
        )
        astray = np.linalg.norm(back - self._start, axis=2).ravel()
        sure = (good.ravel() == 1) & (again.ravel() == 1) & (astray < _INLIER_PX)
        went_px = np.linalg.norm(end - self._start, axis=2).ravel()
        if (sure & (went_px < self._limit_px / 2)).mean() > _STAYED:
            self._unknown = 0
            return False
        self._unknown += 1
        return self._unknown >= PATIENCE or self._went_together(np.asarray(end, np.float32), sure, went_px)

    def _went_together(self, end: npt.NDArray[np.float32], sure: npt.NDArray[np.bool_], went_px: FloatArray) -> bool:
        if sure.sum() < _FEWEST:
            return False
        _, alike = cv2.estimateAffinePartial2D(self._start[sure], end[sure], ransacReprojThreshold=_INLIER_PX)
        return bool(alike is not None and alike.mean() >= _ALIKE and np.median(went_px[sure]) > self._limit_px)
