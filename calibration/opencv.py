"""The one place that imports OpenCV: its wheel points Qt at plugins of its own, which PyQt6 must not find.

It also bounds what OpenCV unpacks: a file of a few bytes may promise a picture of thousands of millions of pixels.
"""

import os

os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", "120000000")  # read once, at the import

import cv2 as cv2

MOST_PIXELS = 120_000_000
"""Of a picture in a file, unless the environment says otherwise; no webcam has a tenth of it."""

for _name in ("QT_QPA_PLATFORM_PLUGIN_PATH", "QT_QPA_FONTDIR"):
    os.environ.pop(_name, None)
