"""Collect pictures of a printed board for a lens profile, and explain why a picture is rejected.

A `LensViews` is an immutable value; `add_view` returns the next one. So pictures from files and from a live camera are
handled alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.markers import Board, ImageGray, SeenBoard, find_board
from calibration.opencv import cv2
from rules.tabletop.errors import user_error
from rules.tabletop.table import FloatArray
from rules.tabletop.translation import tr

MIN_VIEWS = 6
"""A lens has nine parameters and each view six; fewer views could fit anything."""

_MIN_CORNERS = 8
_MIN_SQUARE_PX = 8.0
_MAX_BLUR_PX, _MAX_BLUR_SQUARES = 2.5, 0.12
_MIN_SHIFT_WIDTHS = 0.02
_COLUMNS, _ROWS = 12, 9
_TILTED = 0.2  # relative difference of the squares' sides on a tilted board; lens distortion alone causes less


@dataclass(frozen=True, slots=True)
class Chessboard:
    """A plain chessboard: inner corners (where four squares meet) across and down, and the side of a square."""

    columns: int
    rows: int
    square_in: float

    def __post_init__(self) -> None:
        if min(self.columns, self.rows) < 3 or self.columns == self.rows or not self.square_in > 0:
            raise user_error(
                "a chessboard of {columns}x{rows} inner corners of {square:g} in cannot be used: use at"
                " least three each way, and different numbers, so that its orientation is clear",
                columns=self.columns,
                rows=self.rows,
                square=self.square_in,
            )

    def corners_in(self, ids: npt.NDArray[np.int32]) -> FloatArray:
        """(N, 2) inches of the inner corners, counted along the rows, y up."""
        row, column = np.divmod(ids, self.columns)
        return np.asarray(np.c_[column, -row] * self.square_in, np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class BoardView:
    """The board in one picture.

    Attributes:
        ids: (N,) ids of the visible corners.
        points_in: (N, 2) their places on the board.
        seen_px: (N, 2) their pixels.
        blur_px: Standard deviation of the blur across its edges; 0 if it was not measured.
    """

    ids: npt.NDArray[np.int32]
    points_in: FloatArray
    seen_px: FloatArray
    blur_px: float = 0.0

    @property
    def square_px(self) -> float:
        """Typical distance in the picture between neighbouring corners."""
        return float(np.median([np.linalg.norm(self.seen_px[a] - self.seen_px[b]) for a, b in self.neighbours()]))

    def neighbours(self) -> list[tuple[int, int]]:
        """Index pairs of neighbouring points."""
        apart = np.linalg.norm(self.points_in[:, None] - self.points_in[None], axis=2)
        np.fill_diagonal(apart, np.inf)
        a, b = np.nonzero(apart < 1.01 * apart.min())
        return [(int(i), int(j)) for i, j in zip(a, b, strict=True) if i < j]


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """The part of the picture that the views cover.

    Attributes:
        cells: (9, 12) True if a view shows the board; rows from the top.
        slanted: Number of views with a tilted board.
    """

    cells: npt.NDArray[np.bool_]
    slanted: int

    @property
    def part(self) -> float:
        """The covered part of the picture, 0 to 1."""
        return float(self.cells.mean())

    @property
    def missing(self) -> tuple[str, ...]:
        """The ninths of the picture that lack coverage, such as "top left"."""
        names = []
        for row, high in enumerate(("top", "middle", "bottom")):
            for column, side in enumerate(("left", "centre", "right")):
                ninth = self.cells[3 * row : 3 * row + 3, 4 * column : 4 * column + 4]
                if ninth.mean() < 0.4:
                    names.append("middle" if high == "middle" and side == "centre" else f"{high} {side}")
        return tuple(names)

    @property
    def sentence(self) -> str:
        """A sentence for players: how much is covered and what to show next."""
        sentence = tr("The board has been in {percent:.0f} % of the frame", percent=100 * self.part)
        if self.missing:
            sentence += tr("; move the board to: {parts}", parts=", ".join(map(tr, self.missing)))
        if self.slanted < 2:
            sentence += tr("; tilt the board in some pictures, to measure the focal length")
        return sentence


@dataclass(frozen=True, slots=True, eq=False)
class LensViews:
    """The accepted views of one camera; `image_size` is (width, height)."""

    image_size: tuple[int, int]
    views: tuple[BoardView, ...] = ()

    @property
    def coverage(self) -> Coverage:
        """The coverage of all views together."""
        cells = np.zeros((_ROWS, _COLUMNS), np.uint8)
        for view in self.views:
            hull = cv2.convexHull(view.seen_px.astype(np.float32)).reshape(-1, 2)
            place = hull * (_COLUMNS / self.image_size[0], _ROWS / self.image_size[1]) - 0.5
            cv2.fillConvexPoly(cells, np.round(place).astype(np.int32), (1,))
        return Coverage(cells.astype(bool), sum(_tilt(view) > _TILTED for view in self.views))


@dataclass(frozen=True, slots=True, eq=False)
class AddedView:
    """The result of adding a view: the new set of views, and why the view was rejected ("" if it was accepted)."""

    lens_views: LensViews
    refusal: str

    @property
    def accepted(self) -> bool:
        """Whether the view was added."""
        return not self.refusal


def add_view(lens_views: LensViews, view: BoardView | None) -> AddedView:
    """Add a view if it is useful; `view` is None for a picture without a board."""
    refusal = _rejection_reason(lens_views, view)
    if refusal or view is None:
        return AddedView(lens_views, refusal)
    return AddedView(replace(lens_views, views=(*lens_views.views, view)), "")


def _rejection_reason(lens_views: LensViews, view: BoardView | None) -> str:
    if view is None:
        return "no board found: hold all of it in the picture, flat and well lit"
    if len(view.ids) < _MIN_CORNERS:
        return f"only {len(view.ids)} corners of the board are visible: hold all of it in the picture"
    if view.square_px < _MIN_SQUARE_PX:
        return f"the board's squares are only {view.square_px:.0f} px wide: move the board closer"
    if view.blur_px > min(_MAX_BLUR_PX, max(1.0, _MAX_BLUR_SQUARES * view.square_px)):
        return f"the picture is blurred by {view.blur_px:.1f} px: hold the board still, or focus the camera"
    for number, other in enumerate(lens_views.views, 1):
        if view_distance_px(view, other) < _MIN_SHIFT_WIDTHS * lens_views.image_size[0]:
            return f"the board is at the same place as in picture {number}: move it or tilt it"
    return ""


def view_distance_px(view: BoardView, other: BoardView) -> float:
    """Root mean square distance between the common corners of two views; infinite if they share too few."""
    _, a, b = np.intersect1d(view.ids, other.ids, return_indices=True)
    if len(a) < _MIN_CORNERS // 2:
        return float("inf")
    return float(np.sqrt(((view.seen_px[a] - other.seen_px[b]) ** 2).sum(1).mean()))


def _tilt(view: BoardView) -> float:
    """Relative difference between the long and the short sides of the board's squares."""
    lengths = np.array([np.linalg.norm(view.seen_px[a] - view.seen_px[b]) for a, b in view.neighbours()])
    near, far = np.percentile(lengths, (90, 10))
    return float(near / max(far, 1e-9) - 1)


def find_view(gray: ImageGray, board: Board | Chessboard, dictionary: str) -> BoardView | None:
    """The board in a picture (height, width), with its blur measured; None if there is no board."""
    seen = _find_chessboard(gray, board) if isinstance(board, Chessboard) else find_board(gray, board, dictionary)
    if seen is None:
        return None
    view = BoardView(seen.ids, board.corners_in(seen.ids), seen.corners_px)
    return replace(view, blur_px=measured_blur_px(gray, view))


def _find_chessboard(gray: ImageGray, board: Chessboard) -> SeenBoard | None:
    size, ids = (board.columns, board.rows), np.arange(board.columns * board.rows, dtype=np.int32)
    flags = cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_EXHAUSTIVE | cv2.CALIB_CB_ACCURACY
    found, corners = cv2.findChessboardCornersSB(gray, size, flags=flags)
    return SeenBoard(ids, np.asarray(corners, np.float64).reshape(-1, 2)) if found else None


def measured_blur_px(gray: ImageGray, view: BoardView) -> float:
    """Standard deviation of the blur across the board's edges, in the blurrier of its two directions.

    Between two neighbouring corners runs an edge from black to white. A step blurred by a Gaussian rises at most by
    1 / (sqrt(2 pi) sigma) of its height per pixel.
    """
    by_direction: dict[bool, list[float]] = {True: [], False: []}
    for a, b in view.neighbours():
        start, end = view.seen_px[a], view.seen_px[b]
        along = end - start
        reach_px = 0.35 * float(np.linalg.norm(along))
        normal = np.array([-along[1], along[0]]) / max(float(np.linalg.norm(along)), 1e-9)
        steps = np.arange(-reach_px, reach_px + 0.01, 0.25)
        line = ((start + end) / 2 + normal * steps[:, None]).astype(np.float32)
        light = cv2.remap(gray.astype(np.float32), line[:, :1], line[:, 1:], cv2.INTER_LINEAR)[:, 0]
        rise, steepest = float(np.ptp(light)), float(np.abs(light[4:] - light[:-4]).max())
        if rise > 20:
            on_board = np.abs(view.points_in[b] - view.points_in[a])
            by_direction[bool(on_board[0] > on_board[1])].append(rise / steepest / np.sqrt(2 * np.pi))
    return float(max((np.median(some) for some in by_direction.values() if some), default=0.0))
