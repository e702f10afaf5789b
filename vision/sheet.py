"""The picture laid flat on a level surface: every pixel the same fraction of an inch, lens and tilt gone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.table import FloatArray
from vision.frame import ImageBgr
from vision.palette import FloatImage

BoolImage = npt.NDArray[np.bool_]

_GRID_PX = 8  # the way back into the picture is computed on a grid this coarse and interpolated


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A rectangle of a level surface and where each of its pixels is seen in the picture.

    Attributes:
        low_in: (2,) corner with the smallest x and y; x runs along the columns, y along the rows.
        z_in: height of the surface.
        px_per_in: pixels per inch of the sheet.
        eye_in: (3,) the camera's place.
        map_x, map_y: (rows, columns) float32, picture pixels; far off the picture where the surface is not seen.
    """

    low_in: FloatArray
    z_in: float
    px_per_in: float
    eye_in: FloatArray
    map_x: FloatImage
    map_y: FloatImage

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.map_x.shape[0], self.map_x.shape[1]

    def lay(self, image: ImageBgr) -> ImageBgr:
        """The picture as it lies on this sheet; black where nothing is seen."""
        return np.asarray(cv2.remap(image, self.map_x, self.map_y, cv2.INTER_LINEAR))

    def in_view(self, size: tuple[int, int]) -> BoolImage:
        """(rows, columns) where the sheet is seen in a picture of (width, height)."""
        x, y = self.map_x, self.map_y
        return np.asarray((x >= 0) & (x < size[0]) & (y >= 0) & (y < size[1]))

    def to_pixel(self, points_in: FloatArray) -> FloatArray:
        """(N, 2) inches to (N, 2) columns and rows of the sheet."""
        return np.asarray((np.asarray(points_in) - self.low_in) * self.px_per_in)

    def to_table(self, column: float, row: float) -> FloatArray:
        """(2,) inches of a place on the sheet."""
        return np.asarray(self.low_in + np.array([column, row]) / self.px_per_in)

    def shadow(self, points_in: FloatArray, z_in: float) -> FloatArray:
        """(N, 2) places of this surface that are seen behind points, (N, 2) inches, at another height."""
        foot, height = self.eye_in[:2], self.eye_in[2]
        return np.asarray(foot + (np.asarray(points_in) - foot) * ((height - self.z_in) / (height - z_in)))

    def fill(self, mask: npt.NDArray[np.uint8], outline_in: FloatArray, value: int) -> None:
        """Paint an outline, (N, 2) inches, on a (rows, columns) mask."""
        cv2.fillPoly(mask, [np.round(self.to_pixel(outline_in)).astype(np.int32)], value)


def lay_sheet(
    camera: TableCamera, low_in: FloatArray, high_in: FloatArray, z_in: float, px_per_in: float, shrink: int = 1
) -> Sheet:
    """The sheet between two corners at a height; it lays pictures that are `shrink` times smaller than the camera's."""
    columns, rows = (max(2, math.ceil(v)) for v in (np.asarray(high_in) - low_in) * px_per_in)
    # One cell too many on every side: resize has nothing to interpolate from in the outer half cell.
    across, down = (np.arange(-1, math.ceil(n / _GRID_PX) + 1) * _GRID_PX + (_GRID_PX - 1) / 2 for n in (columns, rows))
    places = np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2) / px_per_in + low_in
    seen = camera.table_to_pixel(np.c_[places, np.full(len(places), z_in)]).reshape(len(down), len(across), 2)
    coarse = np.nan_to_num((seen + 0.5) / shrink - 0.5, nan=-1e4).astype(np.float32)
    fine = cv2.resize(coarse, None, fx=_GRID_PX, fy=_GRID_PX, interpolation=cv2.INTER_LINEAR)
    fine = fine[_GRID_PX : _GRID_PX + rows, _GRID_PX : _GRID_PX + columns]
    map_x, map_y = (np.ascontiguousarray(fine[..., k], np.float32) for k in (0, 1))
    return Sheet(np.asarray(low_in, np.float64), z_in, px_per_in, camera.position_in, map_x, map_y)
