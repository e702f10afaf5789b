"""The dice tray: reads the dice of a video once they lie still, and marks those that are doubtful.

Uses neither a camera nor a clock of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2
from rules.tabletop.errors import user_error
from rules.tabletop.table import FloatArray
from vision.dice.view import DieSeen
from vision.frame import ImageBgr

Reader = Callable[[ImageBgr], tuple[DieSeen, ...]]
"""Reads the dice of one picture, like `read_dice` with the tray's outline."""

SURE = 0.8
"""Dice of less confidence are doubtful; `benchmarks.dice --drawn` shows how often the others are wrong."""

_SMALL_PX = 160  # longer side of the pictures that are compared
_MOVED_LEVELS = 14.0  # grey levels by which a pixel changes when something moves
_MOVED_PART = 0.0015  # of the tray's pixels: noise changes fewer, a die of a 40th of the tray's width more


@dataclass(frozen=True, slots=True)
class TrayReading:
    """The dice in the tray at rest.

    Attributes:
        dice: All dice, from the top left.
        time_s: Time at which they had lain still long enough.
        doubtful: Indices of dice that the players should check: cocked, or read with little confidence.
    """

    dice: tuple[DieSeen, ...]
    time_s: float
    doubtful: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        doubt = (k for k, die in enumerate(self.dice) if die.cocked or die.confidence < SURE)
        object.__setattr__(self, "doubtful", tuple(doubt))


class TrayWatch:
    """Produces one reading each time something moved in the tray and came to rest.

    Args:
        read: Reads one picture.
        tray_px: Outline of the tray in pixels; None for the whole picture.
        still_s: Seconds without movement before a reading.
    """

    def __init__(
        self, read: Reader, tray_px: Sequence[tuple[float, float]] | None = None, still_s: float = 0.5
    ) -> None:
        if not (math.isfinite(still_s) and still_s > 0):
            raise user_error("Dice cannot be still for {still_s:g} s. Enter a positive time.", still_s=still_s)
        self._read, self._tray_px, self._still_s = read, tray_px, still_s
        self._last: FloatArray | None = None
        self._since_s = 0.0
        self._reported = False

    def feed(self, time_s: float, image_bgr: ImageBgr) -> TrayReading | None:
        """The reading, in the first picture in which the dice have lain still long enough; else None."""
        small = _downsampled(image_bgr, self._tray_px)
        last = self._last
        if last is None or last.shape != small.shape or time_s < self._since_s or _has_moved(small, last):
            self._last, self._since_s, self._reported = small, time_s, False
            return None
        if self._reported or time_s - self._since_s < self._still_s:
            return None
        self._reported = True
        return TrayReading(self._read(image_bgr), time_s)

    def again(self) -> None:
        """Read the tray again, even if nothing moves."""
        self._last = None


def _downsampled(image_bgr: ImageBgr, tray_px: Sequence[tuple[float, float]] | None) -> FloatArray:
    """The tray, downsampled and grey; NaN outside it."""
    height, width = image_bgr.shape[:2]
    if tray_px is None:
        left, top, right, bottom = 0, 0, width, height
    else:
        outline = np.array(tray_px)
        left, top = np.clip(np.floor(outline.min(axis=0)).astype(int), 0, (width - 1, height - 1))
        right, bottom = np.clip(np.ceil(outline.max(axis=0)).astype(int) + 1, (left + 1, top + 1), (width, height))
    scale = min(1.0, _SMALL_PX / max(right - left, bottom - top))
    size = (max(1, round((right - left) * scale)), max(1, round((bottom - top) * scale)))
    small = cv2.resize(image_bgr[top:bottom, left:right], size, interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float64)
    if tray_px is not None:
        inside: npt.NDArray[np.uint8] = np.zeros(grey.shape, np.uint8)
        points = (np.array(tray_px) - [left, top]) * scale
        cv2.fillPoly(inside, [np.round(points).astype(np.int32)], 1)
        grey[inside == 0] = np.nan
    return grey


def _has_moved(small: FloatArray, last: FloatArray) -> bool:
    """Whether more has changed than noise and a flickering lamp explain."""
    change = small - last
    inside = np.isfinite(change)
    change = change[inside]
    if not change.size:
        return False
    changed = np.abs(change - np.median(change)) > _MOVED_LEVELS
    return bool(changed.mean() > max(_MOVED_PART, 1.5 / change.size))
