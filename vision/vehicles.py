"""Vehicles: patches of an army's colour that are too broad for a soldier and nearly rectangular."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2
from vision.palette import FloatImage

_LONG_IN = (2.6, 8.0)  # hulls from a jeep to a long gun carriage, for 54 mm soldiers
_BROAD_IN = (1.2, 4.0)
_OBLONG = 1.25  # least length / breadth; a tree's canopy is about as long as broad
_SQUARE = 0.8  # a hull fills more of its rectangle; an ellipse fills pi / 4
_SLENDER = 1.7  # length / breadth that no canopy has; wheels and mudguards may stick out of a hull this slender
_RAGGED = 0.72  # share of its rectangle that such a hull fills
_CLEAR = 0.75  # least mean evidence / limit of so ragged a shape: shadows on grass are ragged too
_NARROW_IN = 0.45  # radius; guns, arms and soldiers beside the hull are thinner than the hull
_GAP_IN = 0.3  # between wheel and hull
_GUN_IN = 2.0  # length beyond the hull that is searched for a gun
_CLEAR_IN = 0.4  # by which a gun extends further than anything at the other end
_LEAST = 0.35  # least mean evidence / limit


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """One vehicle on a rectified image.

    Attributes:
        corners_px: (4, 2) columns and rows of the corners of its rectangle.
        mask: (rows, columns) bool of the pixels that it covers.
        fill: Mean evidence inside / limit.
        facing_rad: Direction of its gun, from the columns' towards the rows' direction; None if no gun is seen.
    """

    corners_px: npt.NDArray[np.float32]
    mask: npt.NDArray[np.bool_]
    fill: float
    facing_rad: float | None


def hulls(evidence: FloatImage, px_per_in: float, limit: float) -> Iterator[Hull]:
    """Vehicles in one army's evidence.

    Args:
        evidence: (rows, columns) of a rectified image.
        px_per_in: Its pixels per inch, for 54 mm soldiers.
        limit: The largest value of evidence.
    """
    gap = 2 * round(_GAP_IN * px_per_in) + 1
    plastic = (evidence > 0.15 * limit).astype(np.uint8)
    likely = np.asarray(cv2.morphologyEx(plastic, cv2.MORPH_CLOSE, np.ones((gap, gap), np.uint8)), np.uint8)
    reach = round(_NARROW_IN * px_per_in)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1,) * 2)
    bodies = cv2.morphologyEx(likely, cv2.MORPH_OPEN, disc)
    count, labels, boxes, _ = cv2.connectedComponentsWithStats(bodies)
    for k in range(1, count):
        area = float(boxes[k, cv2.CC_STAT_AREA]) / px_per_in**2
        if not _LONG_IN[0] * _BROAD_IN[0] * _RAGGED < area < _LONG_IN[1] * _BROAD_IN[1]:
            continue
        mask = labels == k
        rectangle = cv2.minAreaRect(cv2.findNonZero(mask.astype(np.uint8)))
        broad, long = sorted((side + 1) / px_per_in for side in rectangle[1])
        fill = float(evidence[mask].mean()) / limit
        shaped = _LONG_IN[0] < long < _LONG_IN[1] and _BROAD_IN[0] < broad < _BROAD_IN[1] and long > _OBLONG * broad
        square = _RAGGED if long > _SLENDER * broad and fill > _CLEAR else _SQUARE
        if shaped and area > square * long * broad and fill > _LEAST:
            corners = np.asarray(cv2.boxPoints(rectangle), np.float32)
            yield Hull(corners, mask, fill, _gun(likely, corners, px_per_in))


def _gun(likely: npt.NDArray[np.uint8], corners: npt.NDArray[np.float32], px_per_in: float) -> float | None:
    """Direction in which plastic extends beyond one end of a hull, narrowly and further than beyond the other."""
    sides = corners[1] - corners[0], corners[2] - corners[1]
    long, broad = sorted(sides, key=lambda side: -float(np.linalg.norm(side)))
    along, across = long / np.linalg.norm(long), broad / np.linalg.norm(broad)
    middle, half = corners.mean(axis=0), float(np.linalg.norm(long)) / 2
    inner = np.arange(-0.25 * np.linalg.norm(broad), 0.25 * np.linalg.norm(broad) + 1)
    reach = []
    for side in (1, -1):
        steps = np.arange(half + 0.1 * px_per_in, half + _GUN_IN * px_per_in)
        at = middle + side * steps[:, None, None] * along + inner[:, None] * across
        column, row = np.moveaxis(np.round(at).astype(int), -1, 0)
        rows, columns = likely.shape
        seen = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
        lit = (likely[row.clip(0, rows - 1), column.clip(0, columns - 1)] > 0) & seen
        unbroken = np.cumprod(lit.any(axis=1))
        reach.append(float(unbroken.sum()) / px_per_in)
    if abs(reach[0] - reach[1]) < _CLEAR_IN:
        return None
    ahead = along if reach[0] > reach[1] else -along
    return math.atan2(float(ahead[1]), float(ahead[0]))
