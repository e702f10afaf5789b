"""Qt's pictures: converting them from and to OpenCV's, and painting on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from PyQt6.QtGui import QImage, QPaintDevice, QPainter

from calibration.opencv import cv2
from vision.frame import ImageBgr


def to_qimage(image_bgr: ImageBgr) -> QImage:
    """Convert a picture (height, width, 3) for painting; the result owns its memory."""
    height, width = image_bgr.shape[:2]
    # Four bytes per pixel paint twice as fast as three. The pixels are written into Qt's own memory: a QImage on
    # Python's memory would outlive it once Qt shares it.
    image = QImage(width, height, QImage.Format.Format_RGB32)
    bits = image.bits()
    if bits is None:
        raise MemoryError(f"not enough memory for a picture of {width} x {height} pixels")
    bgra = np.frombuffer(bits.asarray(image.sizeInBytes()), np.uint8)  # type: ignore[call-overload]  # it is a buffer
    cv2.cvtColor(image_bgr, cv2.COLOR_BGR2BGRA, bgra.reshape(height, width, 4))
    return image


def to_bgr(image: QImage) -> ImageBgr:
    """Convert a picture to an array (height, width, 3)."""
    rgb32 = image.convertToFormat(QImage.Format.Format_RGB32)
    bits = rgb32.constBits()
    assert bits is not None  # only an empty picture has none
    rows = np.frombuffer(bits.asstring(rgb32.sizeInBytes()), np.uint8).reshape(rgb32.height(), rgb32.width(), 4)
    return np.asarray(cv2.cvtColor(rows, cv2.COLOR_BGRA2BGR), np.uint8)


@contextmanager
def painting(device: QPaintDevice) -> Iterator[QPainter]:
    """Paint on a widget, a picture or a printed page until the block ends.

    The traceback of an exception keeps the painter alive. Qt crashes if its device is destroyed before it ends.
    """
    painter = QPainter(device)
    try:
        yield painter
    finally:
        painter.end()
