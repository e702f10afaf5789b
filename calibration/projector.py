"""A projector as an inverse camera: the pattern that aligns it, and which of its pixels lights which place.

A projector obeys the model of a camera whose light travels the other way. So the solver for cameras finds it from its
pixels and the places on the table that they light. One plane does not determine the focal length when the projector
looks straight down; the usual values of projectors then decide, and the error bounds above the table say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from calibration.camera import Lens
from calibration.markers import ImageGray, dictionary_of
from calibration.noise import PERFECT
from calibration.opencv import cv2
from calibration.solve import Calibration, Target, solve
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import FloatArray
from rules.tabletop.translation import mark_for_translation

COLUMNS = 16
"""Squares across the picture: 3 in each on a table of 4 ft, so that a camera reads the markers in them."""

LEAST_POINTS = 12
"""Points that must be seen; a homography has eight numbers, and an outlier must not pass."""

_DICTIONARY = "4X4_100"
_MARKER_SHARE = 0.7  # of a square's side
_POINT_SIGMA_PX = 0.2
_OUTLIER_IN = 0.25
_MOST_POINTS = 80  # for the solver, whose time grows with their square
_LEAST_SHARE = 0.4  # of the points must lie on one plane

# Throw ratios (distance to width) are 1 to 2; lens shift moves the axis by up to half the height. Projector lenses bend
# lines by a few thousandths.
_FOCAL_WIDTHS, _FOCAL_SPREAD, _ASPECT_SPREAD = 1.4, 0.35, 0.001
_AXIS_SPREAD_X, _AXIS_SPREAD_Y = 0.03, 0.35
_DISTORTION_SPREAD = (0.02, 0.01, 0.0005, 0.0005, 0.002)

_TOO_LITTLE = mark_for_translation(
    "too little of the projector's pattern lies on the bare table: point the projector at the table, and take off"
    " terrain that fills its light"
)
_MIRRORED = mark_for_translation("the projector's picture is mirrored: turn off rear projection in its menu")


@dataclass(frozen=True)
class Pattern:
    """A ChArUco board of square cells that fills a projector's picture of `size_px`, (width, height)."""

    size_px: tuple[int, int]

    @property
    def square_px(self) -> int:
        """Side of a square, in pixels of the projector; a marker's is a whole number too."""
        return max(1, self.size_px[0] // COLUMNS // 10) * 10

    @property
    def rows(self) -> int:
        """Number of squares from top to bottom."""
        return self.size_px[1] // self.square_px

    @cached_property
    def corners_px(self) -> FloatArray:
        """((COLUMNS - 1) * (rows - 1), 2) inner corners of the squares, row by row."""
        columns, rows = np.meshgrid(np.arange(1, COLUMNS), np.arange(1, self.rows))
        return self._at(np.c_[columns.ravel(), rows.ravel()])

    @cached_property
    def middles_px(self) -> FloatArray:
        """(rows, COLUMNS, 2) middles of the squares."""
        columns, rows = np.meshgrid(np.arange(COLUMNS) + 0.5, np.arange(self.rows) + 0.5)
        return self._at(np.dstack([columns, rows]))

    @cached_property
    def picture(self) -> ImageGray:
        """(height, width) the board, white on black around it."""
        width, height = COLUMNS * self.square_px, self.rows * self.square_px
        return self._framed(np.asarray(self._board.generateImage((width, height)), np.uint8))

    @cached_property
    def codes(self) -> tuple[ImageGray, ...]:
        """Pictures of bits that number the squares: the Gray code of the column, then that of the row."""
        columns, rows = np.meshgrid(np.arange(COLUMNS), np.arange(self.rows))
        bits = [gray_code(numbers) >> bit & 1 for numbers in (columns, rows) for bit in range(self.code_bits)]
        side = np.ones((self.square_px, self.square_px), np.uint8)
        return tuple(self._framed(np.kron(255 * bit.astype(np.uint8), side)) for bit in bits)

    @property
    def code_bits(self) -> int:
        """Pictures for the column, and as many for the row."""
        return int(max(COLUMNS, self.rows) - 1).bit_length()

    def read(self, gray: ImageGray) -> tuple[FloatArray, FloatArray]:
        """The corners of the board's markers in a camera's picture: (N, 2) projector pixels and (N, 2) seen pixels."""
        detector = cv2.aruco.ArucoDetector(dictionary_of(_DICTIONARY))
        corners, ids, _ = detector.detectMarkers(gray)
        numbers = [] if ids is None else [int(number) for number in ids.ravel()]
        drawn = self._marker_corners_px
        known = [
            (drawn[number], seen.reshape(4, 2))
            for number, seen in zip(numbers, corners, strict=True)
            if number in drawn
        ]
        if not known:
            return np.empty((0, 2)), np.empty((0, 2))
        return np.concatenate([at for at, _ in known]), np.concatenate([seen for _, seen in known]).astype(np.float64)

    @cached_property
    def _board(self) -> cv2.aruco.CharucoBoard:
        return cv2.aruco.CharucoBoard((COLUMNS, self.rows), 1.0, _MARKER_SHARE, dictionary_of(_DICTIONARY))

    @cached_property
    def _marker_corners_px(self) -> dict[int, FloatArray]:
        places = zip(np.ravel(self._board.getIds()), self._board.getObjPoints(), strict=True)
        return {int(number): self._at(np.asarray(corners, np.float64)[:, :2]) for number, corners in places}

    def _at(self, squares: FloatArray) -> FloatArray:
        """Pixels of places that are counted in squares; a pixel's middle has whole coordinates."""
        return np.asarray(squares * self.square_px + self._border_px - 0.5, np.float64)

    @property
    def _border_px(self) -> npt.NDArray[np.int64]:
        return np.asarray((np.array(self.size_px) - np.array([COLUMNS, self.rows]) * self.square_px) // 2, np.int64)

    def _framed(self, inner: ImageGray) -> ImageGray:
        left, top = self._border_px
        picture = np.zeros(self.size_px[::-1], np.uint8)
        picture[top : top + inner.shape[0], left : left + inner.shape[1]] = inner
        return picture


def gray_code(numbers: npt.NDArray[np.signedinteger]) -> npt.NDArray[np.int64]:
    """The Gray codes of numbers: those of neighbours differ in one bit."""
    return np.asarray(numbers, np.int64) ^ (np.asarray(numbers, np.int64) >> 1)


@dataclass(frozen=True, slots=True, eq=False)
class Projection(Calibration):
    """The calibration of a projector: `camera.table_to_pixel` is the pixel that lights a place on or above the table.

    Attributes:
        measured: The calibration of the camera that saw the light; its errors are errors of the light's places too.
    """

    measured: Calibration

    def covariance_in2(self, points_in: npt.ArrayLike) -> FloatArray:
        """Covariance of where light for points (N, 3) falls, including the camera's errors on the table below them."""
        points = np.asarray(points_in, np.float64).reshape(-1, 3)
        seen = Calibration.covariance_in2(self, points)
        return np.asarray(seen + self.measured.covariance_in2(points * (1, 1, 0)))


def solve_projector(
    lit_px: FloatArray,
    places_in: FloatArray,
    size_px: tuple[int, int],
    measured: Calibration,
    sigma_px: float = _POINT_SIGMA_PX,
) -> tuple[Projection, npt.NDArray[np.bool_]]:
    """The projector, and which of the points it agrees with.

    Args:
        lit_px: (N, 2) pixels of the projector.
        places_in: (N, 2) places on the table that they light; some may be on figures and terrain instead.
        size_px: (width, height) of the projector's picture.
        measured: The calibration that the places come from.
        sigma_px: Standard deviation of a point along one axis, in the projector's pixels.

    Raises:
        UserError: if too few points lie on one plane, or the picture is mirrored.
    """
    finite = np.isfinite(places_in).all(1)
    if finite.sum() < LEAST_POINTS:
        raise user_error(_TOO_LITTLE)
    plane, flat = cv2.findHomography(lit_px[finite], places_in[finite], cv2.RANSAC, _OUTLIER_IN, maxIters=5000)
    agrees = np.zeros(len(lit_px), np.bool_)
    agrees[finite] = False if plane is None else np.ravel(flat) > 0
    if agrees.sum() < max(LEAST_POINTS, _LEAST_SHARE * finite.sum()):
        raise user_error(_TOO_LITTLE)
    if _is_mirrored(np.asarray(plane, np.float64), lit_px[agrees].mean(0)):
        raise user_error(_MIRRORED)
    used = np.flatnonzero(agrees)[:: -(-int(agrees.sum()) // _MOST_POINTS)]
    target = Target(places_in[used], lit_px[used], {}, place=(0.0, 0.0, 0.0), sigma_px=sigma_px, paper=PERFECT)
    try:
        found = solve([target], size_px, usual_projector(size_px))
    except UserError as error:  # its sentence is about printed markers
        raise user_error(_TOO_LITTLE) from error
    return Projection(found.camera, {}, found.residual_px, found.deviants, measured), agrees


def _is_mirrored(plane: FloatArray, at_px: FloatArray) -> bool:
    """Whether a homography from pixels (y down) to the table (y up) keeps the sense of turning."""
    around = at_px + np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    lit = cv2.perspectiveTransform(around[None], plane)[0]
    return bool(np.linalg.det(lit[1:] - lit[0]) > 0)


def usual_projector(size_px: tuple[int, int]) -> Lens:
    """The lens of a usual projector, with a covariance as wide as projectors differ."""
    width, height = size_px
    focal = _FOCAL_WIDTHS * width
    matrix = np.array([[focal, 0, width / 2 - 0.5], [0, focal, height / 2 - 0.5], [0, 0, 1]])
    spread = (0.0, _ASPECT_SPREAD, _AXIS_SPREAD_X * width, _AXIS_SPREAD_Y * height, *_DISTORTION_SPREAD)
    covariance = np.diag(np.square(spread))
    covariance[:2, :2] += _FOCAL_SPREAD**2
    return Lens(size_px, matrix, np.zeros(5), covariance)
