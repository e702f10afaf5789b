"""Frames: pictures with their time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2

ImageBgr = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture from a source; the array is read-only and belongs to this frame alone.

    Attributes:
        image_bgr: (height, width, 3) uint8.
        index: Number of the frame in its source, from 0.
        time_s: Seconds since the source was opened, by the source's own clock.
        scene: Of a recording that the player controls: the number of jumps before this frame. `time_s` grows with each
            jump, in whichever direction. None for all other sources.
    """

    image_bgr: ImageBgr
    index: int
    time_s: float
    scene: int | None = None

    def __post_init__(self) -> None:
        if self.image_bgr.ndim != 3 or self.image_bgr.shape[2] != 3 or self.image_bgr.dtype != np.uint8:
            raise ValueError(
                f"a frame must be (height, width, 3) uint8, not {self.image_bgr.shape} {self.image_bgr.dtype}"
            )
        self.image_bgr.setflags(write=False)

    @property
    def size_px(self) -> tuple[int, int]:
        """(width, height)."""
        return (self.image_bgr.shape[1], self.image_bgr.shape[0])

    @property
    def has_colours(self) -> bool:
        """Whether any of its pixels, one in each 8 x 8, is not grey."""
        some = self.image_bgr[::8, ::8]
        return bool((some != some[..., :1]).any())

    def gray(self) -> npt.NDArray[np.uint8]:
        """(height, width) brightness; every call computes it again."""
        return np.asarray(cv2.cvtColor(self.image_bgr, cv2.COLOR_BGR2GRAY), np.uint8)
