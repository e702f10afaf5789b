"""Detect a moved camera from the texture of the picture, for tables without markers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from calibration.camera import times_full_hd
from calibration.markers import ImageGray
from calibration.opencv import cv2
from rules.tabletop.table import FloatArray

_MAX_FEATURES, _MIN_FEATURES = 150, 12
_MOVED_PX = 1.0
"""At 1920 px across; the noise of a camera at rest is a tenth of it."""
_MIN_COMMON_SHARE = 0.4
"""Share of the features that must move together; table and floor may move differently."""
_MIN_STAYED_SHARE = 0.25
"""Share of the features that must stay; hands and soldiers may hide the rest."""
_WINDOW_PX, _LEVELS = (21, 21), 3
_INLIER_PX = 1.0
PATIENCE = 3
"""Consecutive unmatched frames that count as a shift; a shorter gap may be a person leaning over the table."""


class SceneTexture:
    """Finds corner features in a first picture and follows them in later ones."""

    def __init__(self, gray: ImageGray) -> None:
        self._gray = gray
        found = cv2.goodFeaturesToTrack(gray, _MAX_FEATURES, 0.01, gray.shape[1] / 40, blockSize=7)
        self._start = np.empty((0, 1, 2), np.float32) if found is None else np.asarray(found, np.float32)
        self._limit_px = _MOVED_PX * max(1.0, times_full_hd(gray.shape))
        self._unmatched_frames = 0

    def has_shifted(self, gray: ImageGray) -> bool:
        """Whether many features moved together, or too few were found in several consecutive frames.

        Args:
            gray: (height, width), of the size of the first picture.
        """
        if len(self._start) < _MIN_FEATURES:
            return False
        end, good, _ = cv2.calcOpticalFlowPyrLK(
            self._gray, gray, self._start, self._start.copy(), winSize=_WINDOW_PX, maxLevel=_LEVELS
        )
        back, again, _ = cv2.calcOpticalFlowPyrLK(
            gray, self._gray, end, end.copy(), winSize=_WINDOW_PX, maxLevel=_LEVELS
        )
        round_trip_px = np.linalg.norm(back - self._start, axis=2).ravel()
        matched = (good.ravel() == 1) & (again.ravel() == 1) & (round_trip_px < _INLIER_PX)
        shift_px = np.linalg.norm(end - self._start, axis=2).ravel()
        if (matched & (shift_px < self._limit_px / 2)).mean() > _MIN_STAYED_SHARE:
            self._unmatched_frames = 0
            return False
        self._unmatched_frames += 1
        return self._unmatched_frames >= PATIENCE or self._moved_together(
            np.asarray(end, np.float32), matched, shift_px
        )

    def _moved_together(
        self, end: npt.NDArray[np.float32], matched: npt.NDArray[np.bool_], shift_px: FloatArray
    ) -> bool:
        if matched.sum() < _MIN_FEATURES:
            return False
        _, inliers = cv2.estimateAffinePartial2D(self._start[matched], end[matched], ransacReprojThreshold=_INLIER_PX)
        if inliers is None:
            return False
        return bool(inliers.mean() >= _MIN_COMMON_SHARE and np.median(shift_px[matched]) > self._limit_px)
