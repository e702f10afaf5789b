"""Find printed ArUco markers and ChArUco boards in a picture, with unbiased corners.

OpenCV's corners of a black marker lie 0.4 to 1 px inside the print: lenses blur linear light, pictures are stored
with gamma and clip the paper, so the stored edge shifts towards the ink; at 80 px a side that is 1 % of scale. Ink
that bleeds shifts it the other way. Neither changes the pitch of the printed grid, because an edge from ink to paper
and one from paper to ink shift in opposite directions. So each marker is fitted as a whole: the homography of its grid
and one common edge shift, to where linear light crosses half way between ink and paper.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from calibration.marker_issue import MarkerIssue, Reason, outline_of
from calibration.opencv import cv2
from calibration.profile import read_text
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import FloatArray
from rules.tabletop.translation import tr

ImageGray = npt.NDArray[np.uint8]

DICTIONARY_SUFFIXES = (".yml", ".yaml", ".json", ".xml")
"""File types of custom dictionaries."""

SMALLEST_SIDE_PX = 20.0
"""Below three pixels a cell, codes are read by chance and edges cannot be located."""

MAX_BEND_PX, MAX_BEND_SIDES = 0.6, 0.006
"""Edge residuals, in pixels and in sides, above which a marker is bent; motion blur and noise leave up to 0.4 px."""

_LINEAR_LIGHT = np.array(
    [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in np.arange(256) / 255], np.float32
)
_STEP_PX = 0.25
_MIN_IN, _MAX_IN = 0.01, 400.0  # of a board's parts; OpenCV's single precision resolves no others


@dataclass(frozen=True, slots=True, eq=False)
class SeenMarker:
    """One marker in one picture.

    Attributes:
        id: Its number in the dictionary.
        corners_px: (4, 2) top-left of the printed pattern, then clockwise as printed.
        residual_px: Root mean square distance of the marker's edges from the fitted grid.
        edge_shift_px: Shift of all edges from paper into ink, caused by blur, clipping or bleeding ink.
    """

    id: int
    corners_px: FloatArray
    residual_px: float
    edge_shift_px: float


@dataclass(frozen=True, slots=True, eq=False)
class SeenBoard:
    """The inner corners of a board in a picture: `ids` (N,) counted along its rows, `corners_px` (N, 2)."""

    ids: npt.NDArray[np.int32]
    corners_px: FloatArray


@dataclass(frozen=True, slots=True)
class Board:
    """A printed ChArUco board: squares across and down, lengths in inches."""

    columns: int
    rows: int
    square_in: float
    marker_in: float

    def __post_init__(self) -> None:
        plausible = _MIN_IN <= self.marker_in < 0.99 * self.square_in <= self.square_in <= _MAX_IN
        if self.columns < 2 or self.rows < 2 or not plausible:
            raise user_error(
                "a board of {columns}x{rows} squares of {square:g} in with markers of {marker:g} in is"
                " impossible: use at least 2x2 squares, and markers smaller than the squares",
                columns=self.columns,
                rows=self.rows,
                square=self.square_in,
                marker=self.marker_in,
            )

    def corners_in(self, ids: npt.NDArray[np.int32]) -> FloatArray:
        """(N, 2) inches of the inner corners from the board's top-left corner; y is up, so y is negative."""
        row, column = np.divmod(ids, self.columns - 1)
        return np.asarray(np.c_[column + 1, -(row + 1)] * self.square_in, np.float64)

    def marker_corners_in(self, dictionary: str) -> dict[int, FloatArray]:
        """Marker id -> (4, 2) corners in the same frame, in OpenCV's order."""
        size = (self.columns, self.rows)
        board = cv2.aruco.CharucoBoard(size, self.square_in, self.marker_in, dictionary_of(dictionary))
        places = zip(np.ravel(board.getIds()), board.getObjPoints(), strict=True)
        return {int(i): np.asarray(corners)[:, :2] * (1, -1) for i, corners in places}


def dictionary_of(name: str) -> cv2.aruco.Dictionary:
    """The predefined ArUco dictionary with this name, such as "4X4_50" or "DICT_4X4_50", or the one in a file (.yml).

    Raises:
        UserError: if OpenCV has no such dictionary, or the file does not contain one.
    """
    if Path(name).suffix.lower() in DICTIONARY_SUFFIXES:
        return _read_dictionary(Path(name))
    number = getattr(cv2.aruco, "DICT_" + name.upper().removeprefix("DICT_"), None)
    if number is None:
        raise user_error(
            "there is no ArUco dictionary {name!r}; use 4X4_50, 5X5_100, 6X6_250 or ARUCO_ORIGINAL", name=name
        )
    return cv2.aruco.getPredefinedDictionary(number)


@cache
def _read_dictionary(path: Path) -> cv2.aruco.Dictionary:
    """A dictionary as written by OpenCV's `Dictionary.writeDictionary`."""
    text = read_text(path, tr("the dictionary {path}", path=path))
    aruco = cv2.aruco.Dictionary()
    try:
        store = cv2.FileStorage(text, cv2.FILE_STORAGE_READ | cv2.FILE_STORAGE_MEMORY)
        complete = bool(aruco.readDictionary(store.root())) and aruco.bytesList is not None
    except (cv2.error, SystemError):  # the binding raises SystemError if the file is not YAML
        complete = False
    if not complete:
        raise user_error(
            "the dictionary {path} was not written by OpenCV: it needs nmarkers, markersize and marker_0, marker_1 ...",
            path=path,
        )
    return aruco


@dataclass(frozen=True, slots=True, eq=False)
class MarkerScan:
    """The markers of a picture: the usable ones in `found`, by id, and the unusable ones in `set_aside`."""

    found: tuple[SeenMarker, ...]
    set_aside: tuple[MarkerIssue, ...]


def find_markers(gray: ImageGray, dictionary: str) -> tuple[SeenMarker, ...]:
    """All usable markers of the dictionary in the picture, by id.

    Raises:
        UserError: if markers are seen but all are unusable: too small, blurred, bent or duplicate.
    """
    seen = scan_markers(gray, dictionary)
    if seen.set_aside and not seen.found:
        raise UserError(seen.set_aside[0].sentence)
    return seen.found


def scan_markers(gray: ImageGray, dictionary: str) -> MarkerScan:
    """All markers of the dictionary in the picture (height, width), usable or not."""
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary_of(dictionary), _parameters()).detectMarkers(gray)
    if ids is None:
        return MarkerScan((), ())
    numbers = [int(i) for i in ids.ravel()]
    quads = [rough.reshape(4, 2).astype(np.float64) for rough in corners]
    duplicates = {i for i, count in Counter(numbers).items() if count > 1}
    light = linear_light(gray)
    found, issues = [], []
    for number, quad in sorted(zip(numbers, quads, strict=True), key=lambda seen: seen[0]):
        issue = _duplicate(number, quad) if number in duplicates else size_issue(number, quad)
        marker = None if issue else _fit_grid(light, quad, pattern_of(dictionary, number))
        issue = issue or bad_fit_issue(number, quad, marker)
        if marker is not None and issue is None:
            found.append(marker)
        elif issue is not None:
            issues.append(issue)
    return MarkerScan(tuple(found), tuple(issues))


def _duplicate(number: int, quad: FloatArray) -> MarkerIssue:
    sentence = tr("marker {number} is on the table more than once: remove the copies", number=number)
    return MarkerIssue(outline_of(quad), Reason.DUPLICATE, sentence, number)


def size_issue(number: int, quad: FloatArray) -> MarkerIssue | None:
    """Why a marker is too small to measure with; None if it is large enough."""
    if side_px(quad) >= SMALLEST_SIDE_PX:
        return None
    sentence = tr(
        "marker {number} is too small to measure with ({side} px wide; {needed:.0f} needed):"
        " move the camera closer, or print larger markers",
        number=number,
        side=math.floor(side_px(quad)),
        needed=SMALLEST_SIDE_PX,
    )
    return MarkerIssue(outline_of(quad), Reason.TOO_SMALL, sentence, number)


def bad_fit_issue(number: int, quad: FloatArray, marker: SeenMarker | None) -> MarkerIssue | None:
    """Why a marker that was read cannot be measured with: blurred or not flat; None if it can."""
    if marker is None:
        sentence = tr(
            "marker {number} is too blurred to measure with: focus the camera and keep it still", number=number
        )
        return MarkerIssue(outline_of(quad), Reason.BLURRED, sentence, number)
    if marker.residual_px > max(MAX_BEND_PX, MAX_BEND_SIDES * side_px(quad)):
        sentence = tr(
            "marker {number} does not lie flat (its edges are off by {off:.1f} px): press it down",
            number=number,
            off=marker.residual_px,
        )
        return MarkerIssue(outline_of(quad), Reason.NOT_FLAT, sentence, number)
    return None


def refit_marker(gray: ImageGray, expected_px: FloatArray, dictionary: str, number: int) -> SeenMarker | None:
    """The marker near its expected corners (4, 2), or None if it is hidden or more than half a cell away."""
    height, width = gray.shape
    if not np.isfinite(expected_px).all():
        return None
    low = np.maximum(np.floor(expected_px.min(0)).astype(int) - 10, 0)
    high = np.minimum(np.ceil(expected_px.max(0)).astype(int) + 11, (width, height))
    if (high - low < SMALLEST_SIDE_PX).any():
        return None
    light = linear_light(gray[low[1] : high[1], low[0] : high[0]])
    pattern = pattern_of(dictionary, number)
    seen = _fit_grid(light, expected_px - low, pattern)
    if seen is None or not matches_pattern(light, seen.corners_px, pattern):
        return None
    return SeenMarker(number, seen.corners_px + low, seen.residual_px, seen.edge_shift_px)


def find_board(gray: ImageGray, board: Board, dictionary: str) -> SeenBoard | None:
    """Inner corners of the board in the picture, or None if fewer than six are visible."""
    size = (board.columns, board.rows)
    for legacy in (False, True):
        target = cv2.aruco.CharucoBoard(size, board.square_in, board.marker_in, dictionary_of(dictionary))
        target.setLegacyPattern(legacy)
        corners, ids, _, _ = cv2.aruco.CharucoDetector(target).detectBoard(gray)
        if ids is not None and len(ids) >= 6:
            return SeenBoard(ids.ravel().astype(np.int32), corners.reshape(-1, 2).astype(np.float64))
    return None


def _parameters() -> cv2.aruco.DetectorParameters:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_CONTOUR
    parameters.minMarkerPerimeterRate = 0.02
    # Markers at the picture's border are accepted; their corners are fitted from the visible part.
    parameters.minDistanceToBorder = 0
    # Windows for markers of 20 to 200 px; bits are read from the centre of each cell, finer than OpenCV's 4 px.
    parameters.adaptiveThreshWinSizeMin = 13
    parameters.adaptiveThreshWinSizeMax = 53
    parameters.adaptiveThreshWinSizeStep = 20
    parameters.perspectiveRemovePixelPerCell = 8
    parameters.perspectiveRemoveIgnoredMarginPerCell = 0.25
    return parameters


def linear_light(gray: ImageGray) -> npt.NDArray[np.float32]:
    """(height, width) light from 0 to 1, of stored grey levels (sRGB)."""
    return np.asarray(cv2.LUT(gray, _LINEAR_LIGHT), np.float32)


def side_px(quad: npt.ArrayLike) -> float:
    """Mean length of the four sides of corners (4, 2)."""
    corners = np.asarray(quad, np.float64).reshape(4, 2)
    return float(np.linalg.norm(np.roll(corners, -1, 0) - corners, axis=1).mean())


@dataclass(frozen=True, slots=True, eq=False)
class MarkerPattern:
    """The printed pattern of one marker.

    Attributes:
        id: Its number.
        paper: (n + 2, n + 2) True if a cell is paper; the code and its black border.
        places: (N, 2) points on its edges, in cells from its top-left corner, x right and y down.
        outward: (N, 2) unit direction from ink to paper at each point.
    """

    id: int
    paper: npt.NDArray[np.bool_]
    places: FloatArray
    outward: FloatArray


@cache
def pattern_of(dictionary: str, number: int) -> MarkerPattern:
    """The printed pattern of the marker with this number."""
    aruco = dictionary_of(dictionary)
    paper = cv2.aruco.generateImageMarker(aruco, number, aruco.markerSize + 2) > 0
    return MarkerPattern(number, paper, *pattern_edges(np.pad(paper, 1, constant_values=True)))


def pattern_edges(paper: npt.NDArray[np.bool_], per_cell: int = 4) -> tuple[FloatArray, FloatArray]:
    """`MarkerPattern.places` and `.outward` of a marker with one cell of quiet zone around it."""
    along = (np.arange(per_cell) + 1) / (per_cell + 1)
    places, outward = [], []
    rows, columns = np.nonzero(paper[:, 1:] != paper[:, :-1])
    for row, column in zip(rows, columns, strict=True):
        places += [(column, row - 1 + a) for a in along]
        outward += [(1.0 if paper[row, column + 1] else -1.0, 0.0)] * per_cell
    rows, columns = np.nonzero(paper[1:] != paper[:-1])
    for row, column in zip(rows, columns, strict=True):
        places += [(column - 1 + a, row) for a in along]
        outward += [(0.0, 1.0 if paper[row + 1, column] else -1.0)] * per_cell
    return np.array(places, np.float64), np.array(outward, np.float64)


def _square(cells: int) -> FloatArray:
    return np.array([[0, 0], [cells, 0], [cells, cells], [0, cells]], np.float64)


def square_homography(cells: int, quad: FloatArray) -> FloatArray:
    """The homography (8,) from a square of `cells` by `cells` to its corners in pixels (4, 2)."""
    matrix = cv2.getPerspectiveTransform(_square(cells).astype(np.float32), quad.astype(np.float32))
    return np.asarray(matrix, np.float64).ravel()[:8]


def apply_homography(h: FloatArray, places: FloatArray) -> FloatArray:
    """(N, 2) pixels of places (N, 2) in cells, by a homography (8,)."""
    seen = np.c_[places, np.ones(len(places))] @ np.append(h, 1.0).reshape(3, 3).T
    return np.asarray(seen[:, :2] / seen[:, 2:])


def edge_crossings(
    light: npt.NDArray[np.float32], at_px: FloatArray, normal: FloatArray, reach_px: float
) -> FloatArray:
    """(N,) signed distance along `normal` (ink to paper) to the half-way light level; NaN without a clean edge."""
    steps = np.arange(-reach_px, reach_px + 1e-9, _STEP_PX)
    line = (at_px[:, None] + normal[:, None] * steps[:, None]).astype(np.float32)
    profile = cv2.remap(light, line[..., 0], line[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    ends = max(2, len(steps) // 5)
    dark, bright = profile[:, :ends].mean(1), profile[:, -ends:].mean(1)
    over = profile > ((dark + bright) / 2)[:, None]
    first = np.maximum(np.argmax(over, axis=1), 1)
    row = np.arange(len(profile))
    before, after = profile[row, first - 1], profile[row, first]
    part = ((dark + bright) / 2 - before) / np.maximum(after - before, 1e-9)
    clean = (bright - dark > 0.02) & ~over[:, 0] & over[:, -1]
    return np.where(clean, steps[first - 1] + part * _STEP_PX, np.nan)


def _fit_grid(light: npt.NDArray[np.float32], quad: FloatArray, pattern: MarkerPattern) -> SeenMarker | None:
    """Fit the marker's grid by Gauss-Newton with robust weights; None if too few edges are visible."""
    cells, places, outward = len(pattern.paper), pattern.places, pattern.outward
    square = _square(cells)
    h = square_homography(cells, quad)
    reach_px = float(np.clip(0.45 * side_px(quad) / cells, 1.0, 6.0))
    shift = 0.0
    rms = np.inf
    for _ in range(6):
        at_px = apply_homography(h, places)
        normal = apply_homography(h, places + outward * 0.05) - at_px
        normal /= np.linalg.norm(normal, axis=1)[:, None]
        gap = edge_crossings(light, at_px, normal, reach_px) - shift
        good = np.isfinite(gap)
        if good.sum() < 40 or good.mean() < 0.5:
            return None
        sigma = 1.4826 * np.median(np.abs(gap[good])) + 0.03
        weight = 1 / (1 + (gap[good] / (2 * sigma)) ** 2)
        jacobian = np.c_[homography_jacobian(h, places[good], normal[good]), np.ones(good.sum())]
        weighted = jacobian * weight[:, None]
        step = np.linalg.lstsq(weighted.T @ jacobian, weighted.T @ gap[good], rcond=None)[0]
        h, shift = h + step[:8], shift + step[8]
        rms = float(np.sqrt((weight * gap[good] ** 2).sum() / weight.sum()))
        if (
            np.abs(step[8]) < 1e-3
            and np.abs(apply_homography(h, square) - apply_homography(h - step[:8], square)).max() < 5e-3
        ):
            break
    return SeenMarker(pattern.id, apply_homography(h, square), rms, -float(shift))


def matches_pattern(light: npt.NDArray[np.float32], quad: FloatArray, pattern: MarkerPattern) -> bool:
    """Whether at least 90 % of the cells inside these corners (4, 2) are dark or light as printed."""
    paper = pattern.paper
    row, column = np.indices(paper.shape).reshape(2, -1)
    centre = apply_homography(square_homography(len(paper), quad), np.c_[column + 0.5, row + 0.5]).astype(np.float32)
    value = cv2.remap(light, centre[:, :1], centre[:, 1:], cv2.INTER_LINEAR)[:, 0]
    bright = value > (value.min() + value.max()) / 2
    return bool((bright == paper.ravel()).mean() >= 0.9)


def homography_jacobian(h: FloatArray, places: FloatArray, normal: FloatArray) -> FloatArray:
    """(N, 8) derivative of a place's pixel, along its normal, by the homography."""
    x, y = places.T
    scale = 1 / (h[6] * x + h[7] * y + 1)
    seen = apply_homography(h, places)
    base = np.c_[x, y, np.ones(len(x))] * scale[:, None]
    along = (normal * seen).sum(1)
    return np.asarray(np.c_[base * normal[:, :1], base * normal[:, 1:], -base[:, :2] * along[:, None]])
