"""The shapes over a picture, cached, and which part of the picture is the table. No Qt here."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from calibration.solve import Calibration
from rules.tabletop.table import Figure, FloatArray, Outline
from ui.measuring import Read, read_off
from ui.picture.overlay import area_shapes, found_shapes, loose_shapes, resting_shapes
from ui.picture.placement import Box
from ui.picture.preview import Preview
from ui.picture.shapes import Shape
from ui.session import TableState
from ui.table.finding import Finding
from vision.table_view import TableView

Shapes = tuple[Shape, ...]


class Drawing:
    """The shapes over one picture of the table."""

    def __init__(self, read: Read = read_off) -> None:
        self._read = read
        self._resting: Shapes = ()
        self._resting_key: tuple[object, ...] = ()
        self._areas: Shapes = ()
        self._areas_key: tuple[object, ...] = ()
        self._found: Shapes = ()
        self._found_key: tuple[object, Finding | None] = (None, None)

    def of(
        self, view: TableView, state: TableState, preview: Preview, screen_scale: float = 1.0, *, numbers: bool = True
    ) -> tuple[Shapes, Shapes, Shapes, Shapes]:
        """Areas, what lies on the table, the tool's answer, and what follows the mouse: together `table_overlay`.

        The first three are the identical tuples as before while nothing in them changes.
        """
        quiet = preview.finding is not None
        key = (view.calibration, view.figures, state, preview.ground, screen_scale, quiet, numbers)
        if key != self._resting_key:
            self._resting_key = key
            self._resting = resting_shapes(
                view, state, preview.ground, screen_scale, self._read, quiet=quiet, numbers=numbers
            )
        areas_key = (view.calibration, view.figures, preview.areas, preview.picked, preview.ruler)
        if areas_key != self._areas_key:
            self._areas_key, self._areas = areas_key, area_shapes(view, preview)
        if self._found_key[0] is not view.calibration or self._found_key[1] is not preview.finding:
            self._found_key, self._found = (view.calibration, preview.finding), found_shapes(view, preview)
        loose = loose_shapes(view, state, preview, screen_scale, self._read)
        return self._areas, self._resting, self._found, loose


def table_overlay(
    view: TableView, state: TableState, preview: Preview | None = None, screen_scale: float = 1.0
) -> Shapes:
    """All shapes over a picture, from the lowest up; none without a calibration.

    `screen_scale` is in screen pixels per pixel of the picture.
    """
    return tuple(chain.from_iterable(Drawing().of(view, state, preview or Preview(), screen_scale)))


_MARGIN_IN = 1.5
_LEAST_MARKERS = 3
_LEAST_PART = 0.25
"""Markers that span less of the picture's width or height do not show where the table ends."""
_PART = np.linspace(0, 1, 9)[:-1, None]  # places along an edge, which the lens bends
_GROWTH_IN = 3.0
"""The crop grows in steps, so that it does not follow each soldier."""
_STEADY = 0.01
"""Smaller changes, in parts of the picture, are noise of the calibration."""


class TableCrop:
    """Finds the table in the picture; the result stays the same while only noise changes it."""

    def __init__(self) -> None:
        self._markers: frozenset[int] = frozenset()
        self._hull: FloatArray | None = None
        self._box: Box | None = None
        self._key: tuple[object, ...] = ()

    def of(
        self, calibration: Calibration | None, area_in: Outline | None, figures: Sequence[Figure] = ()
    ) -> Box | None:
        """The table's box in pixels of the picture, widened by `figures` beyond it; None if its ends are not known."""
        key = (calibration, area_in, figures)
        if key == self._key:
            return self._box
        self._key = key
        if calibration is None:
            self._hull = self._box = None
            return None
        edges = np.array(area_in) if area_in is not None else self._marked(calibration, figures)
        box = box_px(calibration.camera, edges) if edges is not None else None
        if area_in is None and box is not None and not _is_large(box, calibration.camera):
            box = None
        width, height = calibration.camera.lens.image_size
        if box is None or self._box is None or np.abs(np.subtract(box, self._box)).max() > _STEADY * max(width, height):
            self._box = box
        return self._box

    def _marked(self, calibration: Calibration, figures: Sequence[Figure]) -> FloatArray | None:
        """Corners of the rectangle round all markers and figures; None with too few markers."""
        if len(calibration.markers_in) < _LEAST_MARKERS:
            return None
        corners = np.vstack(list(calibration.markers_in.values()))
        low, high = corners.min(0), corners.max(0)
        if self._hull is not None and self._markers == frozenset(calibration.markers_in):
            low, high = np.minimum(low, self._hull[0]), np.maximum(high, self._hull[1])
        beyond = [f.centre_in for f in figures if (f.centre_in < low).any() or (f.centre_in > high).any()]
        if beyond:
            low = np.minimum(low, np.min(beyond, 0) - _GROWTH_IN)
            high = np.maximum(high, np.max(beyond, 0) + _GROWTH_IN)
        self._markers, self._hull = frozenset(calibration.markers_in), np.array([low, high])
        (left, near), (right, far) = low - _MARGIN_IN, high + _MARGIN_IN
        return np.array([(left, near), (right, near), (right, far), (left, far)])


def box_px(camera: TableCamera, corners_in: npt.ArrayLike) -> Box | None:
    """The box round a part of the table in the picture, cut off at the picture's edges; None if not in it."""
    corners = np.asarray(corners_in, np.float64)
    ends = np.roll(corners, -1, 0)
    rim = np.vstack([a + _PART * (b - a) for a, b in zip(corners, ends, strict=True)])
    pixels = camera.table_to_pixel(np.c_[rim, np.zeros(len(rim))])
    if not np.isfinite(pixels).all():
        return None  # it reaches behind the camera
    width, height = camera.lens.image_size
    low = np.clip(pixels.min(0), 0, (width, height))
    high = np.clip(pixels.max(0) + 1, 0, (width, height))
    if (high - low).min() < 1:
        return None
    return (float(low[0]), float(low[1]), float(high[0]), float(high[1]))


def _is_large(box: Box, camera: TableCamera) -> bool:
    width, height = camera.lens.image_size
    return (box[2] - box[0]) >= _LEAST_PART * width and (box[3] - box[1]) >= _LEAST_PART * height
