"""Baseline for the finder, as in a typical tutorial: homography, colour range, contours, centroids.

The markers' corners, with known places on the table, give one homography from pixels to inches; the clicked pixel's hue
gives a range, which is thresholded and cleaned; every blob of a likely size is a figure at its centroid. The method has
no model of lens, height, shape or shadow, and no uncertainty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from calibration.opencv import cv2
from rules.tabletop.table import Figure, FloatArray, Posture, ellipse_outline
from vision.frame import ImageBgr

HUE = 10
"""Tolerance on either side of the clicked hue, as in the usual tutorial."""
SATURATION, VALUE = 70, 60
BLOB_IN2 = (0.15, 4.0)
"""Smallest and largest area of a soldier seen from above."""
BASE_IN = (0.5, 0.4)
Click = tuple[str, tuple[float, float]]


def find_by_colour(
    image_bgr: ImageBgr, clicks: Sequence[Click], layout: Mapping[int, FloatArray], dictionary: int
) -> list[Figure]:
    """The figures of the clicked armies.

    Args:
        image_bgr: (height, width, 3) uint8.
        clicks: for each army, its name and a pixel on one of its soldiers.
        layout: (4, 2) corners in inches by the marker's number.
        dictionary: OpenCV's number of the markers' dictionary.

    Returns:
        Figures on elliptical bases at the blobs' centroids; empty if no marker of the layout is seen.
    """
    to_table = _homography(image_bgr, layout, dictionary)
    if to_table is None:
        return []
    hsv = np.asarray(cv2.cvtColor(cv2.GaussianBlur(image_bgr, (5, 5), 0), cv2.COLOR_BGR2HSV), np.uint8)
    found: list[Figure] = []
    for army, click in clicks:
        contours, _ = cv2.findContours(_mask(hsv, click), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            outline = cv2.perspectiveTransform(contour.astype(np.float64), to_table)
            if not BLOB_IN2[0] < cv2.contourArea(outline.astype(np.float32)) < BLOB_IN2[1]:
                continue
            moments = cv2.moments(contour)
            middle = np.array([[[moments["m10"], moments["m01"]]]]) / moments["m00"]
            x, y = cv2.perspectiveTransform(middle, to_table)[0, 0].tolist()
            base = ellipse_outline((x, y), *BASE_IN)
            found.append(Figure(f"{army}-{len(found) + 1}", army, x, y, 0.0, 0.0, Posture.STANDING, base))
    return found


def _homography(image_bgr: ImageBgr, layout: Mapping[int, FloatArray], dictionary: int) -> FloatArray | None:
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(dictionary))
    corners, numbers, _ = detector.detectMarkers(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY))
    seen = [(c.reshape(4, 2), int(n)) for c, n in zip(corners, np.ravel(numbers), strict=True) if int(n) in layout]
    if not seen:
        return None
    pixels, places = np.concatenate([c for c, _ in seen]), np.concatenate([layout[n] for _, n in seen])
    return np.asarray(cv2.findHomography(pixels, places)[0], np.float64)


def _mask(hsv: ImageBgr, click: tuple[float, float]) -> ImageBgr:
    """255 where the picture has the clicked hue, after removing specks."""
    x, y = round(click[0]), round(click[1])
    hue = int(np.median(hsv[max(0, y - 2) : y + 3, max(0, x - 2) : x + 3, 0]))
    low, high = (max(0, hue - HUE), SATURATION, VALUE), (min(179, hue + HUE), 255, 255)
    mask = cv2.inRange(hsv, np.array(low, np.uint8), np.array(high, np.uint8))
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
