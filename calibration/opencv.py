"""The one place that imports OpenCV: its wheel points Qt at plugins of its own, which PyQt6 must not find.

It also bounds what OpenCV unpacks: a file of a few bytes may promise a picture of thousands of millions of pixels.
"""

import os

os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", "120000000")  # no webcam has a tenth; read once, at the import

import cv2 as cv2

for _name in ("QT_QPA_PLATFORM_PLUGIN_PATH", "QT_QPA_FONTDIR"):
    os.environ.pop(_name, None)
