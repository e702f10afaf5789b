"""Outlines of the table and of the markers' paper on it, in inches and in pixels."""

from __future__ import annotations

import numpy as np

from calibration.camera import TableCamera
from calibration.opencv import cv2
from calibration.solve import Calibration
from rules.tabletop.table import FloatArray, Outline
from vision.area import played_area, seen_area, table_area
from vision.frame import Frame
from vision.setup import Setup

_MIN_MARKER_AREA = 0.15
"""Share of the picture that the markers must enclose to stand in for the table."""
_PAPER_SCALE = 1.4
"""Side of the paper to that of its marker: the quiet zone is a sixth of the side or more."""


class TableOutline:
    """The table's outline; it is computed again only when the calibration or the setup changes."""

    def __init__(self) -> None:
        self._cached: tuple[Calibration, Setup, Outline, FloatArray] | None = None

    def outline_in(
        self, frame: Frame, calibration: Calibration, setup: Setup, reference_camera: TableCamera | None
    ) -> Outline:
        """Outline of the table in inches, as far as the picture shows where the table ends."""
        return self._outlines(frame, calibration, setup, reference_camera)[0]

    def outline_px(
        self, frame: Frame, calibration: Calibration, setup: Setup, reference_camera: TableCamera | None
    ) -> FloatArray:
        """(N, 2) outline in pixels of everything that stands on the table; motion beyond it is ignored."""
        return self._outlines(frame, calibration, setup, reference_camera)[1]

    def _outlines(
        self, frame: Frame, calibration: Calibration, setup: Setup, reference_camera: TableCamera | None
    ) -> tuple[Outline, FloatArray]:
        if self._cached is None or self._cached[:2] != (calibration, setup):
            bare_bgr, camera = frame.image_bgr, calibration.camera
            if setup.reference_bgr is not None:  # no hand reaches over the empty table
                bare_bgr, camera = setup.reference_bgr, reference_camera or camera
            outline_in = table_area(camera, bare_bgr, _papers_on_table(calibration, setup))
            outline_px = _standing_outline_px(outline_in, calibration.camera, setup.figure_height_in, frame.size_px)
            self._cached = calibration, setup, outline_in, outline_px
        return self._cached[2:]

    def search_area(
        self, frame: Frame, calibration: Calibration, setup: Setup, reference_camera: TableCamera | None
    ) -> Outline | None:
        """Where figures are searched: the table or the area of play; None if the picture shows none of the latter."""
        if setup.area_in is not None:
            return played_area(setup.area_in, seen_area(calibration.camera, frame.image_bgr))
        return self.outline_in(frame, calibration, setup, reference_camera)


def _standing_outline_px(
    outline_in: Outline, camera: TableCamera, height_in: float, size_px: tuple[int, int]
) -> FloatArray:
    """(N, 2) outline in pixels of everything up to this height on the table; the whole picture if it cannot be seen."""
    points_in = np.vstack([np.c_[outline_in, np.full(len(outline_in), z_in)] for z_in in (0.0, height_in)])
    points_px = camera.table_to_pixel(points_in)
    if not np.isfinite(points_px).all():  # behind the camera
        width, height = size_px
        return np.array([[0.0, 0.0], [width, 0], [width, height], [0, height]])
    return np.asarray(cv2.convexHull(points_px.astype(np.float32))[:, 0], np.float64)


def _papers_on_table(calibration: Calibration, setup: Setup) -> tuple[Outline, ...]:
    """Outlines of what certainly lies on the table: the markers' paper, or the clicked rectangle in their place."""
    if setup.prints.rectangle is None:
        return marker_papers(calibration)
    width, depth = setup.prints.rectangle.size_in
    return (((0.0, 0.0), (width, 0.0), (width, depth), (0.0, depth)),)


def marker_papers(calibration: Calibration) -> tuple[Outline, ...]:
    """Outlines in inches of the paper of each marker."""
    papers = []
    for corners in calibration.markers_in.values():
        middle = corners.mean(0)
        papers.append(tuple((float(x), float(y)) for x, y in middle + (corners - middle) * _PAPER_SCALE))
    return tuple(papers)


def markers_hull_px(calibration: Calibration, picture_px2: int) -> FloatArray | None:
    """(N, 2) convex hull of all markers in pixels; None if it covers too little of the picture's area."""
    corners_in = np.concatenate([*calibration.markers_in.values()])
    corners_px = calibration.camera.table_to_pixel(np.c_[corners_in, np.zeros(len(corners_in))])
    hull = cv2.convexHull(corners_px.astype(np.float32))
    return hull[:, 0].astype(np.float64) if cv2.contourArea(hull) > _MIN_MARKER_AREA * picture_px2 else None
