"""Colours of the plastic of known figures, by which one army is split into two."""

from __future__ import annotations

import numpy as np

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.tabletop.table import STANDING_HEIGHT_IN, Figure, FloatArray, Posture
from vision.frame import ImageBgr
from vision.palette import FloatImage, Palette, log_colour
from vision.silhouette import figure_scale, solids

_NEAR = 0.4  # in log chroma: a pixel further from all plastics of the army is table, paint or shadow
_UPRIGHT = (Posture.STANDING, Posture.KNEELING)


def plastic_colours(
    image_bgr: ImageBgr,
    camera: TableCamera,
    figure: Figure,
    plastics: Palette,
    figure_height_in: float = STANDING_HEIGHT_IN,
) -> FloatImage:
    """Log colours of the pixels that show a figure's plastic.

    Args:
        image_bgr: (height, width, 3) uint8.
        camera: Its pose and lens.
        figure: A figure found in it.
        plastics: Approximate colours that its plastic may have.
        figure_height_in: Height of a standing figure.

    Returns:
        (N, 3), empty if the figure is not entirely in the picture.
    """
    height, width = image_bgr.shape[:2]
    hulls = []
    for part_in in _parts(figure, figure_scale(figure_height_in)):
        part_px = camera.table_to_pixel(part_in)
        if not (np.isfinite(part_px).all() and (part_px >= 0).all() and (part_px < (width, height)).all()):
            return np.empty((0, 3), np.float32)
        hulls.append(cv2.convexHull(np.round(part_px).astype(np.int32)))
    left, top, across, down = cv2.boundingRect(np.vstack(hulls))
    mask = np.zeros((down, across), np.uint8)
    for hull in hulls:
        cv2.fillConvexPoly(mask, np.asarray(hull - (left, top), np.int32), 1)
    window = image_bgr[top : top + down, left : left + across]
    colours = log_colour(np.asarray(cv2.blur(window, (3, 3)), np.uint8))[mask > 0]
    chroma = np.array([army.mean[:2] for army in plastics])
    away = np.linalg.norm(colours[:, None, :2] - chroma, axis=-1).min(axis=1)
    return np.asarray(colours[away < _NEAR])


def _parts(figure: Figure, scale: float) -> list[FloatArray]:
    """(N, 3) points in inches around each convex part of the figure."""
    base = np.array(figure.base_in)
    parts = [np.c_[base, np.full(len(base), figure.z_in)]]
    if figure.posture in _UPRIGHT:
        _, *body = solids(figure.posture, *figure.centre_in, 0.0, scale)
        parts += [part + (0, 0, figure.z_in) for part in body]
    return parts
