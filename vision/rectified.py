"""Rectified images: the picture warped to a level surface, so that every pixel is the same part of an inch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.tabletop.table import FloatArray
from vision.frame import ImageBgr
from vision.palette import FloatImage

BoolImage = npt.NDArray[np.bool_]

_GRID_PX = 8  # the map into the picture is computed on a grid this coarse and interpolated


@dataclass(frozen=True, slots=True, eq=False)
class RectifiedImage:
    """A rectangle of a level surface, and the map of its pixels into the picture.

    Attributes:
        low_in: (2,) corner with the smallest x and y; x runs along the columns, y along the rows.
        z_in: Height of the surface.
        px_per_in: Its pixels per inch.
        eye_in: (3,) position of the camera.
        map_x, map_y: (rows, columns) float32, picture pixels; far outside the picture where the surface is not seen.
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

    def rectify(self, image: ImageBgr) -> ImageBgr:
        """The rectified picture; black where nothing is seen."""
        return np.asarray(cv2.remap(image, self.map_x, self.map_y, cv2.INTER_LINEAR))

    def window(self, part: tuple[slice, slice]) -> RectifiedImage:
        """A window of the rectified image, as slices of rows and columns."""
        row, column = part[0].start, part[1].start
        low_in = self.to_table(column, row)
        return replace(self, low_in=low_in, map_x=self.map_x[part], map_y=self.map_y[part])

    def picture_box(self) -> tuple[int, int, int, int]:
        """Left, top, right and bottom of the picture's part that is rectified, the last two excluded."""
        seen = (self.map_x > -2) & (self.map_y > -2)
        x, y = self.map_x[seen], self.map_y[seen]
        if not x.size:
            return 0, 0, 1, 1
        return int(x.min()) - 2, int(y.min()) - 2, math.ceil(x.max()) + 3, math.ceil(y.max()) + 3

    def cropped(self, left: int, top: int) -> RectifiedImage:
        """The same image for a picture that is cropped to start at this column and row."""
        return replace(self, map_x=self.map_x - np.float32(left), map_y=self.map_y - np.float32(top))

    def in_view(self, size: tuple[int, int]) -> BoolImage:
        """(rows, columns) where a picture of (width, height) shows the surface."""
        x, y = self.map_x, self.map_y
        return np.asarray((x >= 0) & (x < size[0]) & (y >= 0) & (y < size[1]))

    def to_pixel(self, points_in: FloatArray) -> FloatArray:
        """(N, 2) inches to (N, 2) columns and rows of the rectified image."""
        return np.asarray((np.asarray(points_in) - self.low_in) * self.px_per_in)

    def to_table(self, column: float, row: float) -> FloatArray:
        """(2,) inches of one pixel of the rectified image."""
        return np.asarray(self.low_in + np.array([column, row]) / self.px_per_in)

    def project(self, points_in: FloatArray, z_in: float) -> FloatArray:
        """(N, 2) inches where this surface is seen behind points, (N, 2) inches, at another height."""
        foot, height = self.eye_in[:2], self.eye_in[2]
        return np.asarray(foot + (np.asarray(points_in) - foot) * ((height - self.z_in) / (height - z_in)))

    def project_solid(self, solid_in: FloatArray) -> FloatArray:
        """(N, 2) inches, outline on this surface of what a solid on it hides.

        The solid is (M, 3) points with heights above the surface.
        """
        away, height = solid_in[:, :2] - self.eye_in[:2], solid_in[:, 2:]
        cast = solid_in[:, :2] + away * (height / (self.eye_in[2] - self.z_in - height))
        return np.asarray(cv2.convexHull(cast.astype(np.float32)).reshape(-1, 2), np.float64)

    def rasterized(self, outlines_in: Sequence[FloatArray]) -> tuple[tuple[slice, slice], BoolImage]:
        """The window around some outlines, (N, 2) inches each, and a mask of them in it."""
        pixels = [np.round(self.to_pixel(outline)).astype(np.int32) for outline in outlines_in]
        low = np.clip(np.vstack(pixels).min(axis=0), 0, np.array(self.shape[::-1]) - 1)
        high = np.clip(np.vstack(pixels).max(axis=0) + 1, low + 1, self.shape[::-1])
        mask = np.zeros((high - low)[::-1], np.uint8)
        for outline in pixels:
            cv2.fillConvexPoly(mask, outline - low.astype(np.int32), 1)
        return (slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0]))), mask > 0

    def fill(self, mask: npt.NDArray[np.uint8], outline_in: FloatArray, value: int) -> None:
        """Fill an outline, (N, 2) inches, in a (rows, columns) mask."""
        cv2.fillPoly(mask, [np.round(self.to_pixel(outline_in)).astype(np.int32)], value)


def rectified_image(
    camera: TableCamera, low_in: FloatArray, high_in: FloatArray, z_in: float, px_per_in: float, shrink: int = 1
) -> RectifiedImage:
    """The rectified image between two corners at a height, for pictures downsampled by `shrink`."""
    columns, rows = (max(2, math.ceil(v)) for v in (np.asarray(high_in) - low_in) * px_per_in)
    # One extra cell on every side: resize has nothing to interpolate from in the outer half cell.
    across, down = (np.arange(-1, math.ceil(n / _GRID_PX) + 1) * _GRID_PX + (_GRID_PX - 1) / 2 for n in (columns, rows))
    places = np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2) / px_per_in + low_in
    seen = camera.table_to_pixel(np.c_[places, np.full(len(places), z_in)]).reshape(len(down), len(across), 2)
    coarse = np.nan_to_num((seen + 0.5) / shrink - 0.5, nan=-1e4).astype(np.float32)
    fine = cv2.resize(coarse, None, fx=_GRID_PX, fy=_GRID_PX, interpolation=cv2.INTER_LINEAR)
    fine = fine[_GRID_PX : _GRID_PX + rows, _GRID_PX : _GRID_PX + columns]
    map_x, map_y = (np.ascontiguousarray(fine[..., k], np.float32) for k in (0, 1))
    return RectifiedImage(np.asarray(low_in, np.float64), z_in, px_per_in, camera.position_in, map_x, map_y)
