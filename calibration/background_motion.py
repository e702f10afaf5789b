"""What else the picture shows, asked when markers moved on it: did it come along, or stay where it was?

With one camera a table that slides and a camera that turns look alike on the table itself. What tells them apart lies
beyond the table: floor, wall, chair. Small textured places are followed from the last quiet picture to this one. If
all go as the table goes, the camera was moved (or the table fills the picture: then nobody can say, and it does not
matter to a measurement); if some go along and some stay, the table was; if all stay, only the prints were.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from calibration.markers import ImageGray
from calibration.opencv import cv2
from rules.tabletop.table import FloatArray

_PLACES = 200
_LEAST_MOTION_PX = 0.4
_NEAR = 0.35  # of the motion: so near to an expectation a place has gone there
_REST_PX = 1.5  # what stays does not stir, however far the rest goes
_CLEARLY = 0.7  # one end is believed if its patch differs so much less than the other's
_WINDOW_PX, _LEVELS = (15, 15), 1
_PRECISE = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 20, 0.02)


@dataclass(frozen=True, slots=True)
class Backdrop:
    """How many places beside the markers `stayed` on the picture, and how many `went_along` with them."""

    stayed: int
    went_along: int


def backdrop(
    before: ImageGray, now: ImageGray, old: TableCamera, new: TableCamera, keep_out_px: list[FloatArray]
) -> Backdrop:
    """Compare two pictures under the supposition that what lies on the table moved from `old` to `new`.

    Args:
        before, now: (height, width) pictures of one size.
        old, new: The camera over the table in each.
        keep_out_px: Outlines (N, 2) in `before` of what is no backdrop: the markers.
    """
    mask = np.full(before.shape, 255, np.uint8)
    for outline in keep_out_px:
        grown = outline.mean(0) + (outline - outline.mean(0)) * 1.6
        cv2.fillConvexPoly(mask, np.round(grown).astype(np.int32), 0)
    found = cv2.goodFeaturesToTrack(before, _PLACES, 0.02, before.shape[1] / 40, mask=mask, blockSize=7)
    if found is None:
        return Backdrop(0, 0)
    start = found.reshape(-1, 2).astype(np.float32)
    along = new.table_to_pixel(old.pixel_to_table(start)) - start
    far = np.hypot(*along.T) > _LEAST_MOTION_PX  # NaN, off the model, is not
    start, along = start[far], along[far]
    if not len(start):
        return Backdrop(0, 0)
    return _count(_followed(before, now, start, along), along)


def _followed(before: ImageGray, now: ImageGray, start: npt.NDArray[np.float32], along: FloatArray) -> FloatArray:
    """(N, 2) how far each place went on the picture; NaN where that is not clear."""
    ends, misses = [], []
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
        misses.append(np.where(good == 1, miss, np.inf).ravel())
    same = np.hypot(*(ends[0] - ends[1]).T) < 0.3
    first = same | (misses[0] < _CLEARLY * misses[1])
    second = misses[1] < _CLEARLY * misses[0]
    return np.asarray(np.select([first[:, None], second[:, None]], ends, np.nan), np.float64)


def _count(went: FloatArray, along: FloatArray) -> Backdrop:
    size = np.hypot(*along.T)
    stayed = np.hypot(*went.T) < np.minimum(_NEAR * size, _REST_PX)
    went_along = np.hypot(*(went - along).T) < _NEAR * size
    return Backdrop(int(stayed.sum()), int(went_along.sum()))
