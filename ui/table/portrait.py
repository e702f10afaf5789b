"""Small pictures of single figures, cut out of the camera's picture."""

from __future__ import annotations

import numpy as np

from calibration.opencv import cv2
from rules.tabletop.table import STANDING_HEIGHT_IN, Figure, Posture
from vision.frame import ImageBgr
from vision.table_view import TableView

_WAIST = 0.4  # height of the centre, as a part of the standing height
_SOLDIER_IN, _VEHICLE_IN = 2.8, 6.0


def figure_crop(view: TableView, figure: Figure, wide_in: float, size_px: int) -> ImageBgr | None:
    """A square picture with the figure at its centre, `wide_in` wide at its place; None without a calibration."""
    if view.calibration is None:
        return None
    waist_in = figure.z_in + _WAIST * STANDING_HEIGHT_IN
    px_per_in = view.calibration.camera.px_per_inch(*figure.centre_in, waist_in)
    u, v = view.calibration.camera.table_to_pixel((*figure.centre_in, waist_in))[0]
    scale = wide_in * px_per_in / size_px
    transform = np.array([[scale, 0.0, u], [0.0, scale, v]])
    transform[:, 2] -= scale * (size_px - 1) / 2
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(view.frame.image_bgr, transform, (size_px, size_px), flags=flags), np.uint8)


def portrait(view: TableView, name: str, size_px: int) -> ImageBgr | None:
    """The picture of a figure for its card; None if it is not seen, or without a calibration."""
    figure = next((one for one in view.figures if one.id == name), None)
    if figure is None:
        return None
    return figure_crop(view, figure, _VEHICLE_IN if figure.posture is Posture.VEHICLE else _SOLDIER_IN, size_px)
