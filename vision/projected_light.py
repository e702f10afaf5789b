"""A projector's light in the camera's pictures: its alignment pattern, and later the marks that show whether it holds.

A picture of the pattern, one of its inverse and a dark one give for each pixel the part of the projector's light that
falls there, from -1 (black) to 1 (white): plastic, wood and lamps cancel out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from calibration.markers import ImageGray, linear_light
from calibration.opencv import cv2
from calibration.projector import COLUMNS, Pattern, Projection, gray_code, solve_projector
from calibration.solve import Calibration
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import POSTURE_HEIGHT_IN, Figure, FloatArray, Outline, TerrainPiece
from rules.tabletop.translation import mark_for_translation, tr
from vision.table_outline import marker_papers

_Light = npt.NDArray[np.float32]
"""(height, width) linear light."""

_WEAK = 0.12
"""The projector's white must add this share to the room's light, and stand out from the camera's noise."""

_STRONG = 0.3  # share from which weakness is no reason for a failure
_VISIBLE = 0.05  # share of the room's light from which it is weak, not absent

_LEAST_LIT = 0.03  # share of the picture
_NEAR, _AROUND = (7, 7), (31, 31)  # pixels
_BLUR_PX = 0.7
_CORNER_SHARE = 0.13  # of a square's side: half the window in which a corner is refined; the markers begin at 0.15
_LEAST_CONTRAST = 0.5
_MOST_SHIFT = 0.5  # of the window
_STEP = 4  # pixels between those whose codes are read
_LEAST_CELL_SHARE = 0.25  # of a square that must be read for its middle to count

_ROUGH_SIGMA_PX = 2.0

_UNSEEN = mark_for_translation(
    "the camera does not see the projector's light: turn the projector on, point it at the table, and put the"
    " projector's window on its screen"
)
_TOO_WEAK = mark_for_translation(
    "the projector's light is too weak against the room's: dim the lamps, or make the projector brighter"
)


@dataclass(frozen=True, slots=True, eq=False)
class PatternLight:
    """The projector's pattern as the camera sees it.

    Attributes:
        part: (height, width) part of the projector's light at each pixel, -1 to 1; 0 where none falls.
        middle, swing: Light half-way between black and white, and from there to white; both linear.
        strength: The projector's white relative to the room's light.
    """

    part: _Light
    middle: _Light
    swing: _Light
    strength: float

    def part_in(self, picture: _Light) -> _Light:
        """The same for another linear picture."""
        return np.asarray(np.where(self.part == 0, 0, np.clip((picture - self.middle) / self.swing, -1, 1)), np.float32)


def linear(grays: Sequence[ImageGray]) -> _Light:
    """The mean of pictures of one scene, in linear light."""
    return np.asarray(cv2.GaussianBlur(np.mean([linear_light(gray) for gray in grays], axis=0), (0, 0), _BLUR_PX))


def pattern_light(dark: _Light, pattern: _Light, inverse: _Light) -> PatternLight:
    """Where the projector's light falls.

    Raises:
        UserError: if it falls nowhere in the picture, or is too weak.
    """
    middle = np.asarray((pattern + inverse) / 2, np.float32)
    swing, room = middle - dark, cv2.blur(dark, _NEAR)
    smooth = np.asarray(cv2.blur(swing, _NEAR), np.float32)
    noise = 1.48 * float(np.median(np.abs(swing - smooth)))
    lit = (2 * smooth > _WEAK * room) & (smooth > noise)
    if lit.mean() < _LEAST_LIT:
        visible = np.abs(cv2.blur(pattern - inverse, _AROUND)) > _VISIBLE * cv2.blur(dark, _AROUND)
        raise user_error(_TOO_WEAK if visible.mean() > _LEAST_LIT else _UNSEEN)
    swing = np.where(lit, np.maximum(swing, smooth / 2), 1).astype(np.float32)
    part = np.where(lit, np.clip((pattern - inverse) / (2 * swing), -1, 1), 0).astype(np.float32)
    return PatternLight(part, middle, swing, 2 * float(np.median(smooth[lit] / room[lit])))


def board_points(light: PatternLight, pattern: Pattern) -> tuple[FloatArray, FloatArray]:
    """The corners of the markers that can be read: (N, 2) projector pixels and (N, 2) camera pixels."""
    return pattern.read(_gray(light.part))


def coded_points(light: PatternLight, codes: Sequence[_Light], pattern: Pattern) -> tuple[FloatArray, FloatArray]:
    """The middles of squares by structured light, where no marker can be read; as `board_points`.

    Args:
        light: The pattern's light.
        codes: A linear picture of each of `Pattern.codes`.
        pattern: The pattern.
    """
    bits = np.array([light.part_in(code)[::_STEP, ::_STEP] > 0 for code in codes])
    column = _numbers(bits[: pattern.code_bits], COLUMNS)
    row = _numbers(bits[pattern.code_bits :], pattern.rows)
    readable = (light.part[::_STEP, ::_STEP] != 0) & (column >= 0) & (row >= 0)
    squares = np.where(readable, row * COLUMNS + column, -1)
    counts = np.bincount(squares[readable], minlength=pattern.rows * COLUMNS)
    usual = float(np.median(counts[counts > 0])) if readable.any() else 0.0
    whole = np.flatnonzero(counts > _LEAST_CELL_SHARE * usual)
    seen_px = [np.median(np.nonzero(squares == square), axis=1)[::-1] * _STEP for square in whole]
    return pattern.middles_px.reshape(-1, 2)[whole], np.array(seen_px).reshape(-1, 2)


def _numbers(bits: npt.NDArray[np.bool_], count: int) -> npt.NDArray[np.int64]:
    """The numbers below `count` whose Gray codes have these bits, the lowest first; -1 for other codes."""
    lookup = np.full(1 << len(bits), -1, np.int64)
    lookup[gray_code(np.arange(count))] = np.arange(count)
    return np.asarray(lookup[(bits << np.arange(len(bits))[:, None, None]).sum(0)])


def align(
    light: PatternLight,
    rough: tuple[FloatArray, FloatArray],
    pattern: Pattern,
    measured: Calibration,
    solids_px: Sequence[FloatArray] = (),
) -> tuple[Projection, FloatArray]:
    """The projector, and the (N, 2) places on the bare table that its pattern's corners were seen to light.

    Args:
        light: The pattern's light.
        rough: Points of `board_points` or `coded_points`.
        pattern: The pattern.
        measured: The camera.
        solids_px: Outlines of what stands on the table, in the camera's picture; corners there are not used.

    Raises:
        UserError: see `solve_projector`; also if the light is weak.
    """
    try:
        return _aligned(light, rough, pattern, measured, solids_px)
    except UserError as error:
        raise UserError(tr(_TOO_WEAK)) if light.strength < _STRONG else error from None


def _aligned(
    light: PatternLight,
    rough: tuple[FloatArray, FloatArray],
    pattern: Pattern,
    measured: Calibration,
    solids_px: Sequence[FloatArray],
) -> tuple[Projection, FloatArray]:
    camera = measured.camera
    papers_px = [camera.table_to_pixel(paper) for paper in marker_papers(measured)]  # ink reflects too little
    solids_px = [*solids_px, *(paper for paper in papers_px if np.isfinite(paper).all())]
    projection, _ = solve_projector(
        rough[0], camera.pixel_to_table(rough[1]), pattern.size_px, measured, _ROUGH_SIGMA_PX
    )
    places_in = np.empty((0, 2))
    for _ in range(2):  # the second round also finds corners that the rough points predicted badly
        lit_px, seen_px = _corners(light, projection, pattern, camera, solids_px)
        places_in = camera.pixel_to_table(seen_px)
        projection, agrees = solve_projector(lit_px, places_in, pattern.size_px, measured)
        places_in = places_in[agrees]
    return projection, places_in


def _corners(
    light: PatternLight, projection: Projection, pattern: Pattern, camera: TableCamera, solids_px: Sequence[FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """The pattern's corners on the bare table: projector pixels, and refined camera pixels."""
    shape = light.part.shape
    free = (light.part != 0).astype(np.uint8)
    for outline in solids_px:
        cv2.fillConvexPoly(free, np.round(outline).astype(np.int32), 0)
    free = cv2.erode(free, np.ones(_NEAR, np.uint8))

    def seen(lit_px: FloatArray) -> FloatArray:
        return camera.table_to_pixel(projection.camera.pixel_to_table(lit_px))

    corners = pattern.corners_px
    expected = seen(corners)
    arm = _CORNER_SHARE * pattern.square_px
    arms = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]]) * arm
    around = np.stack([seen(corners + offset) for offset in arms], axis=1)
    inside = (
        np.isfinite(around).all((1, 2)) & (around > 2).all((1, 2)) & (around < np.array(shape[::-1]) - 3).all((1, 2))
    )
    corners, expected, around = corners[inside], expected[inside], around[inside]
    drawn = np.sign(_sampled(pattern.picture, np.stack([corners + offset for offset in arms], axis=1)) - 127.0)
    contrast = (drawn * _sampled(cv2.blur(light.part, (5, 5)), around)).min(1)
    good = (contrast > _LEAST_CONTRAST) & (_sampled(free, around).min(1) > 0)
    corners, expected, around = corners[good], expected[good], around[good]
    if not len(corners):
        return corners, expected
    half_px = max(2, int(np.median(np.linalg.norm(around - expected[:, None], axis=2)) / np.sqrt(2)))
    stop = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 40, 0.005)
    start = np.ascontiguousarray(expected[:, None], np.float32)
    refined = cv2.cornerSubPix(_gray(light.part), start, (half_px, half_px), (-1, -1), stop)
    refined = np.asarray(refined, np.float64).reshape(-1, 2)
    near = np.linalg.norm(refined - expected, axis=1) < _MOST_SHIFT * half_px * np.sqrt(2)
    return corners[near], refined[near]


def _sampled(picture: npt.NDArray[np.generic], at_px: FloatArray) -> FloatArray:
    """Values of a picture at pixels (..., 2), to the nearest pixel."""
    columns, rows = np.round(at_px).astype(int).T
    return np.asarray(picture[rows, columns].T, np.float64)


def _gray(part: _Light) -> ImageGray:
    return np.asarray(np.round(127.5 + 127.5 * part), np.uint8)


def solids_px(camera: TableCamera, figures: Sequence[Figure], terrain: Sequence[TerrainPiece]) -> list[FloatArray]:
    """Convex outlines of figures and terrain in the picture, from foot to top."""
    solids: list[tuple[Outline, float, float]] = [
        (figure.base_in, figure.z_in, figure.z_in + POSTURE_HEIGHT_IN[figure.posture]) for figure in figures
    ]
    solids += [(piece.outline_in, 0.0, piece.top_in) for piece in terrain]
    outlines = []
    for outline_in, low_in, high_in in solids:
        points = [(*point, height) for height in (low_in, high_in) for point in outline_in]
        pixels = camera.table_to_pixel(points)
        if np.isfinite(pixels).all():
            outlines.append(np.asarray(cv2.convexHull(pixels.astype(np.float32)), np.float64).reshape(-1, 2))
    return outlines
