"""The only import of OpenCV: its wheel directs Qt to its own plugins, which PyQt6 must not use.

This module also limits the size of decoded pictures: a file of a few bytes may declare billions of pixels.
"""

import os

os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", "120000000")  # read once, at the import

import cv2 as cv2

MOST_PIXELS = 120_000_000
"""Limit for a picture file, unless the environment sets another; no webcam produces a tenth of it."""

for _name in ("QT_QPA_PLATFORM_PLUGIN_PATH", "QT_QPA_FONTDIR"):
    os.environ.pop(_name, None)
