"""Local changes of light between two small grey pictures.

A shadow changes the brightness of what it falls on and leaves its edges in place. So places with unchanged edges show
by what factor the light around them changed, and anything that changed by another factor is an object. One factor for
the whole picture does not suffice: a player who leans over the table shades a part of it, and the camera's exposure
then brightens the rest.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2

FloatImage = npt.NDArray[np.float32]
BoolImage = npt.NDArray[np.bool_]

_DARK = 8.0  # grey levels added before the logarithm: below them a ratio is sensor noise
_WINDOW = (3, 3)  # cells over which edges are compared
_SAME_EDGES = 0.8  # correlation of edges above which only the light has changed
_LEAST_TEXTURE = 0.03  # change of log brightness per cell above which edges can be compared
_REACHES_CELLS = ((24.0, 6), (8.0, 2), (3.0, 1))
"""Sigmas over which a place shows the light of its neighbours, the nearest last, for they count most; and the factor
by which the picture may be downsampled for each."""
_DOUBT = 0.03  # weight of the estimate from further away
_OTHER_LIGHT = 0.15  # change of log brightness beyond that of the surrounding light


def differs_beyond_light(now: FloatImage, before: FloatImage) -> BoolImage:
    """(rows, columns) where a picture differs from an earlier one by more than the light on it.

    Args:
        now: (rows, columns) grey levels.
        before: Of the same size.
    """
    log_now, log_then = (np.log(np.maximum(one, 0) + _DARK) for one in (now, before))
    (across, down), (across_then, down_then) = _edges(log_now), _edges(log_then)
    strength = cv2.blur(across**2 + down**2, _WINDOW) * cv2.blur(across_then**2 + down_then**2, _WINDOW)
    together = cv2.blur(across * across_then + down * down_then, _WINDOW)
    root = cv2.sqrt(np.maximum(strength, 1e-12))
    same = (root > _LEAST_TEXTURE**2) & (together > _SAME_EDGES * root)
    change = log_now - log_then
    return np.asarray(~same & (cv2.absdiff(change, _light(change, same)) > _OTHER_LIGHT))


def _light(change: FloatImage, same: BoolImage) -> FloatImage:
    """Change of log brightness caused by the light, interpolated from the nearest places with unchanged edges."""
    weight = same.astype(np.float32)
    weighted = change * weight
    light = np.full((1, 1), np.median(change), np.float32)
    rows, columns = change.shape
    for reach, shrink in _REACHES_CELLS:
        size = (-(-columns // shrink), -(-rows // shrink))
        near, sum_near = (
            cv2.GaussianBlur(cv2.resize(one, size, interpolation=cv2.INTER_AREA), (0, 0), reach / shrink)
            for one in (weight, weighted)
        )
        light = (sum_near + _DOUBT * cv2.resize(light, size)) / (near + _DOUBT)
    return np.asarray(light)


def _edges(log: FloatImage) -> tuple[FloatImage, FloatImage]:
    """Change of log brightness per cell along both axes, each (rows, columns)."""
    across, down = (cv2.Sobel(log, cv2.CV_32F, *axis, scale=1 / 8) for axis in ((1, 0), (0, 1)))
    return np.asarray(across), np.asarray(down)


class LightChangeDetector:
    """Detects whether the light on much of the table is changing."""

    _CHANGE, _PART = 0.1, 0.1  # of log brightness, relative to the picture's median change; share of the picture
    _FLICKER_S = 2.0  # a longer change is a flickering lamp, and is ignored

    def __init__(self) -> None:
        self._log_before: FloatImage | None = None
        self._since_s: float | None = None

    def is_changing(self, now: FloatImage, time_s: float) -> bool:
        """Whether this picture, (rows, columns) grey levels, should not be searched because the light is changing."""
        log_now = np.log(now + _DARK)
        before, self._log_before = self._log_before, log_now
        if before is None or before.shape != now.shape:
            return False
        change = log_now - before
        if not self._is_uneven(change):
            self._since_s = None
            return False
        self._since_s = time_s if self._since_s is None or time_s < self._since_s else self._since_s
        return time_s - self._since_s < self._FLICKER_S

    def _is_uneven(self, change: FloatImage) -> bool:
        """Whether much of the picture changed otherwise than its median."""
        # Where most cells hardly changed, so did the median: finding it takes longer than everything else here.
        if float((np.abs(change) > self._CHANGE / 2).mean()) < self._PART:
            return False
        return float((np.abs(change - np.median(change)) > self._CHANGE).mean()) >= self._PART
