"""The one place that imports OpenCV: its wheel points Qt at plugins of its own, which PyQt6 must not find."""

import os

import cv2 as cv2

for _name in ("QT_QPA_PLATFORM_PLUGIN_PATH", "QT_QPA_FONTDIR"):
    os.environ.pop(_name, None)
