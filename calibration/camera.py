"""The camera model of the whole program: the only conversion between pixels and inches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from rules.tabletop.table import FloatArray

_NEGLIGIBLE = 1e-12
"""A distortion this small moves no corner of a picture by a millionth of a pixel; dividing by it would overflow."""

_NOT_ORTHOGONAL = 2e-5

_UNDISTORT = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 40, 1e-10)


def times_full_hd(image_size: tuple[int, ...]) -> float:
    """The longer side of a picture relative to 1920 px, the size for which limits in pixels are stated."""
    return max(image_size) / 1920


def _read_only(values: npt.ArrayLike, shape: tuple[int, ...], name: str) -> FloatArray:
    array = np.array(values, np.float64).reshape(-1)
    if array.size != np.prod(shape) or not np.isfinite(array).all():
        raise UserError(f"{name} must be {'x'.join(map(str, shape))} finite numbers")
    array = array.reshape(shape)
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """A lens in OpenCV's pinhole model with the distortion k1, k2, p1, p2, k3.

    Attributes:
        image_size: (width, height) of the picture in pixels.
        matrix: (3, 3) camera matrix, in pixels.
        distortion: (5,) k1, k2, p1, p2, k3.
        covariance: (9, 9) of the parameters of `calibration.intrinsics`; None for an exact lens.

    Raises:
        UserError: if a number is not finite or a focal length is not positive.
    """

    image_size: tuple[int, int]
    matrix: FloatArray
    distortion: FloatArray
    covariance: FloatArray | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", _read_only(self.matrix, (3, 3), "the camera matrix"))
        object.__setattr__(self, "distortion", _read_only(self.distortion, (5,), "the lens distortion"))
        if self.covariance is not None:
            object.__setattr__(self, "covariance", _read_only(self.covariance, (9, 9), "the lens covariance"))
        if min(self.matrix[0, 0], self.matrix[1, 1]) <= 0:
            raise UserError(f"a focal length must be positive, not {min(self.matrix[0, 0], self.matrix[1, 1]):g} px")

    @property
    def valid_radius(self) -> float:
        """Tangent of the largest angle from the axis at which distorted radii still increase (may be inf).

        Beyond it the model folds back.
        """
        return _fold_radius(*self.distortion[[0, 1, 4]])


@lru_cache(maxsize=256)  # most lenses that a search for the best one tries are never asked
def _fold_radius(k1: float, k2: float, k3: float) -> float:
    # d/dr of r (1 + k1 r^2 + k2 r^4 + k3 r^6) = 1 + 3 k1 q + 5 k2 q^2 + 7 k3 q^3 with q = r^2
    powers = [0.0 if abs(power) < _NEGLIGIBLE else power for power in (7 * k3, 5 * k2, 3 * k1)]
    roots = np.roots([*powers, 1.0])
    turning = [root.real for root in roots if abs(root.imag) < 1e-9 and root.real > 0]
    return float(np.sqrt(min(turning))) if turning else float("inf")


@dataclass(frozen=True, slots=True, eq=False)
class TableCamera:
    """Lens and pose: `rotation` and `translation` transform table inches to the camera frame, as OpenCV's solvePnP.

    Raises:
        UserError: if a number is not finite or the rotation is not a rotation matrix.
    """

    lens: Lens
    rotation: FloatArray
    translation: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotation", _read_only(self.rotation, (3, 3), "the camera rotation"))
        object.__setattr__(self, "translation", _read_only(self.translation, (3,), "the camera translation"))
        off = np.abs(self.rotation @ self.rotation.T - np.eye(3)).max()
        if off > _NOT_ORTHOGONAL or np.linalg.det(self.rotation) < 0:
            raise UserError("the camera rotation is not a rotation matrix")

    @property
    def position_in(self) -> FloatArray:
        """(3,) the camera's position, in table inches."""
        return np.asarray(-self.rotation.T @ self.translation)

    def pixel_to_table(self, px: npt.ArrayLike, height_in: float | FloatArray = 0.0) -> FloatArray:
        """Points at a given height above the table that are seen at the pixels.

        Args:
            px: (N, 2) or (2,) pixels.
            height_in: one height above the table's surface, or (N,) heights.

        Returns:
            (N, 2) inches; NaN for a pixel at or above the horizon of that height.
        """
        pixels = np.asarray(px, np.float64).reshape(-1, 1, 2)
        if not len(pixels):
            return np.empty((0, 2))
        ideal = cv2.undistortPointsIter(
            pixels, self.lens.matrix, self.lens.distortion, np.eye(3), np.eye(3), _UNDISTORT
        ).reshape(-1, 2)
        rays = np.c_[ideal, np.ones(len(ideal))] @ self.rotation
        eye = self.position_in
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = (np.asarray(height_in) - eye[2]) / rays[:, 2]
            points = eye[:2] + rays[:, :2] * reach[:, None]
        points[~(reach > 0)] = np.nan
        return np.asarray(points, np.float64)

    def table_to_pixel(self, points_in: npt.ArrayLike) -> FloatArray:
        """Pixels of table points.

        Args:
            points_in: (N, 3) or (3,) inches; (N, 2) or (2,) for points on the surface.

        Returns:
            (N, 2) pixels; NaN for points behind the camera or beyond the range of the lens model.
        """
        points = np.atleast_2d(np.asarray(points_in, np.float64))
        if not points.size:
            return np.empty((0, 2))
        if points.shape[1] == 2:
            points = np.c_[points, np.zeros(len(points))]
        seen = points @ self.rotation.T + self.translation
        good = seen[:, 2] > 1e-6
        good[good] &= np.hypot(seen[good, 0], seen[good, 1]) < self.lens.valid_radius * seen[good, 2]
        pixels = np.full((len(points), 2), np.nan)
        if good.any():
            none = np.zeros(3)
            projected, _ = cv2.projectPoints(seen[good], none, none, self.lens.matrix, self.lens.distortion)
            pixels[good] = projected.reshape(-1, 2)
        return pixels

    def px_per_inch(self, x_in: float, y_in: float, height_in: float = 0.0) -> float:
        """Pixels per inch on the table at this place (geometric mean over both directions)."""
        at = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]) * 0.1 + [x_in, y_in, height_in]
        origin, right, away = self.table_to_pixel(at)
        return float(np.sqrt(abs(np.linalg.det(np.array([right - origin, away - origin])))) / 0.1)
