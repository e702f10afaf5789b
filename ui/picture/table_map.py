"""The table map: the picture rectified to a view from straight above, with each figure where its base is. No Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.camera import Lens, TableCamera
from calibration.opencv import cv2
from calibration.solve import Calibration
from rules.tabletop.table import FloatArray, Outline
from vision.frame import Frame, ImageBgr
from vision.table_view import TableView

Extent = tuple[float, float, float, float]
"""Left, near, right and far edge of a map, in table inches."""

_EYE_IN = 20_000.0  # so high that a soldier's head is less than a pixel from its feet
_MARGIN_IN = 1.5
_MAX_SIDE = 1.5  # horizontal reach of the measured area in camera heights: see `Calibration.typical_sigma_in`
_BLOCK = 8  # map pixels between exact projections; pixels in between are interpolated
_OUTSIDE_PX = -32.0


@dataclass(frozen=True, slots=True, eq=False)
class MapCalibration(Calibration):
    """The calibration of the map's virtual camera, with the errors of the real one."""

    measured: Calibration

    def covariance_in2(self, points_in: npt.ArrayLike) -> FloatArray:
        """Covariance from the real calibration."""
        return self.measured.covariance_in2(points_in)


@dataclass(frozen=True, slots=True, eq=False)
class TableMap:
    """A map of a table.

    Attributes:
        calibration: The virtual camera, with the errors of the real one.
        maps: For each of its pixels the pixel of the camera's picture, in the form of `cv2.remap`.
    """

    calibration: MapCalibration
    maps: tuple[npt.NDArray[np.int16], npt.NDArray[np.uint16]]

    @property
    def camera(self) -> TableCamera:
        """The virtual camera, which looks straight down."""
        return self.calibration.camera

    def picture(self, image_bgr: ImageBgr) -> ImageBgr:
        """The camera's picture rectified to the table's surface; black where the camera does not see it."""
        return np.asarray(cv2.remap(image_bgr, *self.maps, cv2.INTER_LINEAR), np.uint8)

    def view(self, view: TableView) -> TableView:
        """The view with this map's calibration; its frame is still the camera's."""
        return replace(view, calibration=self.calibration)

    def frame(self, frame: Frame) -> Frame:
        """The frame with the map's picture."""
        return Frame(self.picture(frame.image_bgr), frame.index, frame.time_s)


def map_of(calibration: Calibration, extent: Extent, size_px: tuple[int, int]) -> TableMap:
    """The map of a part of the table, as large as fits into `size_px`, (width, height)."""
    camera = overhead(extent, size_px)
    known = (calibration.markers_in, calibration.residual_px, calibration.deviants)
    return TableMap(MapCalibration(camera, *known, calibration), _pixel_maps(camera, calibration.camera))


class MapMaker:
    """Keeps the last map until the calibration, the area or the size changes."""

    def __init__(self) -> None:
        self._last: TableMap | None = None
        self._key: tuple[Calibration, Outline | None, tuple[int, int]] | None = None

    def made(self, calibration: Calibration, area_in: Outline | None, size_px: tuple[int, int]) -> TableMap:
        """The map of the area of play, or of everything the camera sees, within `size_px`."""
        key = (calibration, area_in, size_px)
        if self._last is None or key != self._key:
            self._key, self._last = key, map_of(calibration, extent_of(calibration, area_in), size_px)
        return self._last


def overhead(extent: Extent, size_px: tuple[int, int]) -> TableCamera:
    """A virtual camera straight above the table, with +x to the right and +y up in its picture."""
    left, near, right, far = extent
    px_per_in = min(size_px[0] / (right - left), size_px[1] / (far - near))
    width, height = (max(1, round(px_per_in * inches)) for inches in (right - left, far - near))
    focal = px_per_in * _EYE_IN
    matrix = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
    down = np.diag([1.0, -1.0, -1.0])
    place = ((left + right) / 2, (near + far) / 2, _EYE_IN)
    return TableCamera(Lens((width, height), matrix, np.zeros(5)), down, -down @ place)


def extent_of(calibration: Calibration, area_in: Outline | None = None) -> Extent:
    """The area of play with a margin, or everything that the camera sees of the table."""
    if area_in is not None:
        x, y = np.array(area_in).T
        edges = (x.min() - _MARGIN_IN, y.min() - _MARGIN_IN, x.max() + _MARGIN_IN, y.max() + _MARGIN_IN)
        return tuple(float(edge) for edge in edges)  # type: ignore[return-value]
    width, height = calibration.camera.lens.image_size
    u, v = np.meshgrid(np.linspace(0, width - 1, 17), np.linspace(0, height - 1, 17))
    places = calibration.camera.pixel_to_table(np.c_[u.ravel(), v.ravel()])
    eye = calibration.camera.position_in
    with np.errstate(invalid="ignore"):
        near = np.hypot(*(places - eye[:2]).T) < _MAX_SIDE * abs(eye[2])
    x, y = places[near].T if near.any() else eye[:2, None] + np.array([[-1.0, 1.0], [-1.0, 1.0]])
    return (math.floor(x.min()), math.floor(y.min()), math.ceil(x.max()), math.ceil(y.max()))


def _pixel_maps(camera: TableCamera, real: TableCamera) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.uint16]]:
    """Where each of the map's pixels lies in the real picture: exact every `_BLOCK` pixels, interpolated between."""
    width, height = camera.lens.image_size
    columns, rows = width // _BLOCK + 3, height // _BLOCK + 3  # with a border of one block for interpolation
    u, v = np.meshgrid(_BLOCK * np.arange(-1, columns - 1), _BLOCK * np.arange(-1, rows - 1))
    middles = np.c_[u.ravel(), v.ravel()] + (_BLOCK - 1) / 2
    pixels = real.table_to_pixel(camera.pixel_to_table(middles)).reshape(rows, columns, 2)
    coarse = np.where(np.isfinite(pixels), pixels, _OUTSIDE_PX).astype(np.float32)
    fine = cv2.resize(coarse, (columns * _BLOCK, rows * _BLOCK), interpolation=cv2.INTER_LINEAR)
    inner = fine[_BLOCK : _BLOCK + height, _BLOCK : _BLOCK + width]
    u_px, v_px = (np.ascontiguousarray(inner[..., axis]) for axis in (0, 1))
    first, second = cv2.convertMaps(u_px, v_px, cv2.CV_16SC2)
    return np.asarray(first, np.int16), np.asarray(second, np.uint16)
