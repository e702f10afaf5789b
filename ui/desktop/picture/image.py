"""The one place where OpenCV's pictures become Qt's, and back."""

from __future__ import annotations

import numpy as np
from PyQt6.QtGui import QImage

from calibration.opencv import cv2
from vision.frame import ImageBgr


def to_qimage(image_bgr: ImageBgr) -> QImage:
    """A picture (height, width, 3) for painting, in memory of its own."""
    height, width = image_bgr.shape[:2]
    # Four bytes a pixel paint twice as fast as three. Written into Qt's own memory: a QImage over Python's outlives it
    # as soon as Qt shares it.
    image = QImage(width, height, QImage.Format.Format_RGB32)
    bits = image.bits()
    if bits is None:
        raise MemoryError(f"no room for a picture of {width} x {height}")
    bgra = np.frombuffer(bits.asarray(image.sizeInBytes()), np.uint8)  # type: ignore[call-overload]  # it is a buffer
    cv2.cvtColor(image_bgr, cv2.COLOR_BGR2BGRA, bgra.reshape(height, width, 4))
    return image


def to_bgr(image: QImage) -> ImageBgr:
    """(height, width, 3) copy of a picture."""
    rgb32 = image.convertToFormat(QImage.Format.Format_RGB32)
    bits = rgb32.constBits()
    assert bits is not None  # noqa: S101 - only an empty picture has none
    rows = np.frombuffer(bits.asstring(rgb32.sizeInBytes()), np.uint8).reshape(rgb32.height(), rgb32.width(), 4)
    return np.ascontiguousarray(rows[..., :3])
