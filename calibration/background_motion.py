"""Background motion: when markers moved in the picture, did the background move with them?

On the table itself, a sliding table and a turning camera look alike. The background beyond the table distinguishes
them: floor, wall, chair. Small textured points are followed from the last picture at rest to this one. If all move as
the table does, the camera moved (or the table fills the picture; then the difference does not matter to a
measurement). If some move with the table and some stay, the table moved. If all stay, only the prints moved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from calibration.markers import ImageGray
from calibration.opencv import cv2
from rules.tabletop.table import FloatArray

_MAX_POINTS = 200
_MIN_MOTION_PX = 0.4
_TOLERANCE = 0.35  # of the table's motion: distance from a predicted end point
_REST_PX = 1.5  # a point at rest moves less than this, however large the table's motion is
_MAX_ERROR_RATIO = 0.7  # one end point is chosen if its patch error is this much smaller than the other's
_WINDOW_PX, _LEVELS = (15, 15), 1
_PRECISE = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 20, 0.02)


@dataclass(frozen=True, slots=True)
class BackgroundMotion:
    """Number of background points that `stayed` in the picture, and that `moved_along` with the markers."""

    stayed: int
    moved_along: int


def compare_background(
    before: ImageGray, now: ImageGray, old: TableCamera, new: TableCamera, keep_out_px: list[FloatArray]
) -> BackgroundMotion:
    """Compare two pictures of one size, assuming that the camera's pose over the table changed from `old` to `new`.

    The outlines `keep_out_px` in `before` are excluded: the markers.
    """
    mask = np.full(before.shape, 255, np.uint8)
    for outline in keep_out_px:
        enlarged = outline.mean(0) + (outline - outline.mean(0)) * 1.6
        cv2.fillConvexPoly(mask, np.round(enlarged).astype(np.int32), 0)
    found = cv2.goodFeaturesToTrack(before, _MAX_POINTS, 0.02, before.shape[1] / 40, mask=mask, blockSize=7)
    if found is None:
        return BackgroundMotion(0, 0)
    start = found.reshape(-1, 2).astype(np.float32)
    along = new.table_to_pixel(old.pixel_to_table(start)) - start
    far = np.hypot(*along.T) > _MIN_MOTION_PX  # also drops NaN, beyond the range of the lens model
    start, along = start[far], along[far]
    if not len(start):
        return BackgroundMotion(0, 0)
    return _count(_tracked_motion(before, now, start, along), along)


def _tracked_motion(before: ImageGray, now: ImageGray, start: npt.NDArray[np.float32], along: FloatArray) -> FloatArray:
    """(N, 2) motion of each point in the picture; NaN if it is ambiguous."""
    ends, errors = [], []
    for guess in (np.zeros_like(along), along):
        end, good, miss = cv2.calcOpticalFlowPyrLK(
            before,
            now,
            start,
            (start + guess).astype(np.float32),
            winSize=_WINDOW_PX,
            maxLevel=_LEVELS,
            criteria=_PRECISE,
            flags=cv2.OPTFLOW_USE_INITIAL_FLOW,
        )
        ends.append(np.where(good == 1, end - start, np.nan))
        errors.append(np.where(good == 1, miss, np.inf).ravel())
    same = np.hypot(*(ends[0] - ends[1]).T) < 0.3
    first = same | (errors[0] < _MAX_ERROR_RATIO * errors[1])
    second = errors[1] < _MAX_ERROR_RATIO * errors[0]
    return np.asarray(np.select([first[:, None], second[:, None]], ends, np.nan), np.float64)


def _count(motion: FloatArray, along: FloatArray) -> BackgroundMotion:
    size = np.hypot(*along.T)
    stayed = np.hypot(*motion.T) < np.minimum(_TOLERANCE * size, _REST_PX)
    moved_along = np.hypot(*(motion - along).T) < _TOLERANCE * size
    return BackgroundMotion(int(stayed.sum()), int(moved_along.sum()))
