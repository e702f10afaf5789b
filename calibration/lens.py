"""Pictures of a printed board, gathered for a lens profile: what each adds, and why one is refused.

Nothing here waits or remembers: a gathering is a value, and `offer` answers with the next one, so that pictures from
files and a live session with the board in hand are the same thing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.markers import Board, ImageGray, SeenBoard, find_board
from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from rules.tabletop.table import FloatArray

FEWEST_VIEWS = 6
"""Nine numbers of the lens and six of each view: fewer views fit anything."""

_FEWEST_CORNERS = 8
_SMALLEST_SQUARE_PX = 8.0
_MOST_BLUR_PX, _MOST_BLUR_OF_SQUARE = 2.5, 0.12
_SAME_OF_WIDTH = 0.02
_COLUMNS, _ROWS = 12, 9
_SLANTED = 0.2  # squares differ in length by this part over a board at a slant, and by less through any lens alone


@dataclass(frozen=True, slots=True)
class Chessboard:
    """A plain chessboard: inner corners (where four squares meet) across and down, and the side of a square."""

    columns: int
    rows: int
    square_in: float

    def __post_init__(self) -> None:
        if min(self.columns, self.rows) < 3 or self.columns == self.rows or not self.square_in > 0:
            raise UserError(
                f"a chessboard of {self.columns}x{self.rows} inner corners of {self.square_in:g} in cannot be used: it"
                " needs three or more each way, of two different numbers, or nobody knows which way is up"
            )

    def corners_in(self, ids: npt.NDArray[np.int32]) -> FloatArray:
        """(N, 2) inches of the inner corners, counted along the rows, y up."""
        row, column = np.divmod(ids, self.columns)
        return np.asarray(np.c_[column, -row] * self.square_in, np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The board in one picture.

    Attributes:
        ids: (N,) which corners.
        points_in: (N, 2) on the board.
        seen_px: (N, 2).
        blur_px: Deviation of the blur across its edges; 0 where it was not measured.
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
        """Indices of points that no others lie nearer together than."""
        apart = np.linalg.norm(self.points_in[:, None] - self.points_in[None], axis=2)
        np.fill_diagonal(apart, np.inf)
        a, b = np.nonzero(apart < 1.01 * apart.min())
        return [(int(i), int(j)) for i, j in zip(a, b, strict=True) if i < j]


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """Which part of the frame the board has been held to.

    Attributes:
        cells: (9, 12) True where it has been, rows from the top.
        slanted: In how many views it was held at a slant.
    """

    cells: npt.NDArray[np.bool_]
    slanted: int

    @property
    def part(self) -> float:
        """0 to 1."""
        return float(self.cells.mean())

    @property
    def missing(self) -> tuple[str, ...]:
        """The ninths of the frame that the board has hardly been in, as "top left"."""
        names = []
        for row, high in enumerate(("top", "middle", "bottom")):
            for column, side in enumerate(("left", "centre", "right")):
                ninth = self.cells[3 * row : 3 * row + 3, 4 * column : 4 * column + 4]
                if ninth.mean() < 0.4:
                    names.append("middle" if high == "middle" and side == "centre" else f"{high} {side}")
        return tuple(names)

    @property
    def sentence(self) -> str:
        """For people: how much has been covered and what to show next."""
        words = f"The board has been in {100 * self.part:.0f} % of the frame"
        words += f"; hardly at {', '.join(self.missing)}" if self.missing else ", in all parts of it"
        if self.slanted < 2:
            words += "; hold it at a slant, too, or the focal length stays unknown"
        return words


@dataclass(frozen=True, slots=True, eq=False)
class Gathering:
    """The views of one camera that have been accepted so far; `image_size` is (width, height)."""

    image_size: tuple[int, int]
    views: tuple[View, ...] = ()

    @property
    def coverage(self) -> Coverage:
        """Of all views together."""
        cells = np.zeros((_ROWS, _COLUMNS), np.uint8)
        for view in self.views:
            hull = cv2.convexHull(view.seen_px.astype(np.float32)).reshape(-1, 2)
            place = hull * (_COLUMNS / self.image_size[0], _ROWS / self.image_size[1]) - 0.5
            cv2.fillConvexPoly(cells, np.round(place).astype(np.int32), (1,))
        return Coverage(cells.astype(bool), sum(_slant(view) > _SLANTED for view in self.views))


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """What became of a view: the gathering after it, and why it was refused ("" where it was accepted)."""

    gathering: Gathering
    refusal: str

    @property
    def accepted(self) -> bool:
        """Whether the view was taken."""
        return not self.refusal


def offer(gathering: Gathering, view: View | None) -> Offer:
    """The gathering with this view, or without it and the reason. None is a picture in which no board was found."""
    refusal = _refusal(gathering, view)
    if refusal or view is None:
        return Offer(gathering, refusal)
    return Offer(replace(gathering, views=(*gathering.views, view)), "")


def _refusal(gathering: Gathering, view: View | None) -> str:
    if view is None:
        return "no board is seen: hold it wholly in the picture, flat and in light"
    if len(view.ids) < _FEWEST_CORNERS:
        return f"only {len(view.ids)} corners of the board are seen: hold it wholly in the picture"
    if view.square_px < _SMALLEST_SQUARE_PX:
        return f"the board's squares are only {view.square_px:.0f} px wide: hold it nearer"
    if view.blur_px > min(_MOST_BLUR_PX, max(1.0, _MOST_BLUR_OF_SQUARE * view.square_px)):
        return f"it is blurred by {view.blur_px:.1f} px: hold the board still, or focus"
    for number, other in enumerate(gathering.views, 1):
        if apart_px(view, other) < _SAME_OF_WIDTH * gathering.image_size[0]:
            return f"it shows the board where accepted picture {number} has it already: hold it elsewhere or at a slant"
    return ""


def apart_px(view: View, other: View) -> float:
    """Root mean square distance of the corners that both views show; infinite where they share few."""
    _, a, b = np.intersect1d(view.ids, other.ids, return_indices=True)
    if len(a) < _FEWEST_CORNERS // 2:
        return float("inf")
    return float(np.sqrt(((view.seen_px[a] - other.seen_px[b]) ** 2).sum(1).mean()))


def _slant(view: View) -> float:
    """How much longer a square is at one side of the board than at the other, as a part."""
    lengths = np.array([np.linalg.norm(view.seen_px[a] - view.seen_px[b]) for a, b in view.neighbours()])
    near, far = np.percentile(lengths, (90, 10))
    return float(near / max(far, 1e-9) - 1)


def find_view(gray: ImageGray, board: Board | Chessboard, dictionary: str) -> View | None:
    """The board in a picture (height, width), with the blur across its edges; None where it is not found."""
    seen = _find_chessboard(gray, board) if isinstance(board, Chessboard) else find_board(gray, board, dictionary)
    if seen is None:
        return None
    view = View(seen.ids, board.corners_in(seen.ids), seen.corners_px)
    return replace(view, blur_px=_blur_px(gray, view))


def _find_chessboard(gray: ImageGray, board: Chessboard) -> SeenBoard | None:
    size, ids = (board.columns, board.rows), np.arange(board.columns * board.rows, dtype=np.int32)
    flags = cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_EXHAUSTIVE | cv2.CALIB_CB_ACCURACY
    found, corners = cv2.findChessboardCornersSB(gray, size, flags=flags)
    return SeenBoard(ids, np.asarray(corners, np.float64).reshape(-1, 2)) if found else None


def _blur_px(gray: ImageGray, view: View) -> float:
    """Deviation of the blur across the board's edges, in the blurrier of its two directions.

    Between two neighbouring corners runs an edge from black to white; a step blurred by a normal curve rises at its
    steepest by 1 / (sqrt(2 pi) deviations) of its height in a pixel.
    """
    by_direction: dict[bool, list[float]] = {True: [], False: []}
    for a, b in view.neighbours():
        start, end = view.seen_px[a], view.seen_px[b]
        along = end - start
        reach = 0.35 * float(np.linalg.norm(along))
        normal = np.array([-along[1], along[0]]) / max(float(np.linalg.norm(along)), 1e-9)
        steps = np.arange(-reach, reach + 0.01, 0.25)
        line = ((start + end) / 2 + normal * steps[:, None]).astype(np.float32)
        light = cv2.remap(gray.astype(np.float32), line[:, :1], line[:, 1:], cv2.INTER_LINEAR)[:, 0]
        rise, steepest = float(np.ptp(light)), float(np.abs(light[4:] - light[:-4]).max())
        if rise > 20:
            on_board = np.abs(view.points_in[b] - view.points_in[a])
            by_direction[bool(on_board[0] > on_board[1])].append(rise / steepest / np.sqrt(2 * np.pi))
    return float(max((np.median(some) for some in by_direction.values() if some), default=0.0))
