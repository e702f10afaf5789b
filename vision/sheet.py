"""The picture laid flat on a level surface: every pixel the same fraction of an inch, lens and tilt gone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.table import FloatArray
from vision.frame import ImageBgr
from vision.palette import FloatImage

_GRID_PX = 8  # the way back into the picture is computed on a grid this coarse and interpolated


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A rectangle of a level surface and where each of its pixels is seen in the picture.

    Attributes:
        low_in: (2,) corner with the smallest x and y; x runs along the columns, y along the rows.
        z_in: height of the surface.
        px_per_in: pixels per inch of the sheet.
        map_x, map_y: (rows, columns) float32, picture pixels; -1 where the surface is not seen.
    """

    low_in: FloatArray
    z_in: float
    px_per_in: float
    map_x: FloatImage
    map_y: FloatImage

    def lay(self, image: ImageBgr | FloatImage) -> ImageBgr:
        """The picture (or a mask of its size) as it lies on this sheet; black where nothing is seen."""
        return np.asarray(cv2.remap(image, self.map_x, self.map_y, cv2.INTER_LINEAR))

    def to_pixel(self, points_in: FloatArray) -> FloatArray:
        """(N, 2) inches to (N, 2) columns and rows of the sheet."""
        return np.asarray((np.asarray(points_in) - self.low_in) * self.px_per_in)

    def to_table(self, column: float, row: float) -> FloatArray:
        """(2,) inches of a place on the sheet."""
        return np.asarray(self.low_in + np.array([column, row]) / self.px_per_in)


def lay_sheet(camera: TableCamera, low_in: FloatArray, high_in: FloatArray, z_in: float, px_per_in: float) -> Sheet:
    """The sheet between two corners at a height."""
    columns, rows = (max(2, math.ceil(v)) for v in (np.asarray(high_in) - low_in) * px_per_in)
    # One cell too many on every side: resize has nothing to interpolate from in the outer half cell.
    across, down = (np.arange(-1, math.ceil(n / _GRID_PX) + 1) * _GRID_PX + (_GRID_PX - 1) / 2 for n in (columns, rows))
    places = np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2) / px_per_in + low_in
    seen = camera.table_to_pixel(np.c_[places, np.full(len(places), z_in)]).reshape(len(down), len(across), 2)
    coarse = np.nan_to_num(seen, nan=-1e4).astype(np.float32)
    fine = cv2.resize(coarse, None, fx=_GRID_PX, fy=_GRID_PX, interpolation=cv2.INTER_LINEAR)
    fine = fine[_GRID_PX : _GRID_PX + rows, _GRID_PX : _GRID_PX + columns]
    map_x, map_y = (np.ascontiguousarray(fine[..., k], np.float32) for k in (0, 1))
    return Sheet(np.asarray(low_in, np.float64), z_in, px_per_in, map_x, map_y)
