"""Printable calibration sheets: markers to cut out, and a ChArUco board."""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibration.calibration_targets import SHEET_SIDE_IN
from calibration.markers import Board, dictionary_of
from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from ui.paper.page import (
    MM_PER_IN,
    ROOM_CORNER_MM,
    Align,
    Page,
    Pattern,
    PointMm,
    Sheet,
    Text,
    check_paper,
    cut_frame,
    measured_page,
    room,
    slots,
)
from ui.translation import tr

EDGE_SIDE_IN = 1.5
EDGE_IDS = tuple(range(10, 18))
"""Ids of eight markers for the table's corners and the midpoints of its edges; the large markers use other ids."""

LENS_BOARD = Board(6, 8, 1.0, 0.75)
"""The program's own board: it has 35 corners and fits both paper sizes."""

_ADVICE = (
    "Print at 100 % (actual size). Check both scales with a ruler: they must be 100 mm and 4 in long.",
    "If they are not, enter the measured lengths in the program, and print again.",
)
_MARKER_ADVICE = "Cut along the grey lines. Lay the markers flat anywhere on the table; one is enough, more are better."
_ONE_SIZE = "All markers on a table must have the same size. Choose Inches, Marker size, and enter {:g} in for these."
_BOARD_ADVICE = "Glue it to something stiff and flat. For the lens, take pictures from many angles and in all corners."
_LABEL_MM = 6.0
_MIN_SIDE_IN = 1.0


def marker_sheet(
    paper: str = "letter", side_in: float = SHEET_SIDE_IN, ids: Sequence[int] = (0, 1, 2, 3), dictionary: str = "4X4_50"
) -> Sheet:
    """Markers to cut out, each with a white margin one cell wide, and scales to check the print size.

    A page holds as many as fit: two markers of 3 in, one of 4 in or more.

    Raises:
        UserError: if the paper, the dictionary or an id is unknown, an id is repeated, or the side does not fit.
    """
    check_paper(paper)
    aruco = dictionary_of(dictionary)
    _check_ids(ids, len(aruco.bytesList), dictionary)
    cells = aruco.markerSize + 2
    columns, rows = _grid(paper, side_in, cells)
    groups = [ids[start : start + columns * rows] for start in range(0, len(ids), columns * rows)]
    usual = side_in == SHEET_SIDE_IN
    advice = (_ADVICE[0], _ADVICE[1] if usual else _ONE_SIZE.format(side_in), _MARKER_ADVICE)
    pages = []
    for number, group in enumerate(groups, 1):
        corners = slots(ROOM_CORNER_MM, room(paper), columns, rows, _piece_size(side_in, cells))
        pieces = [_piece(aruco, i, side_in, corner) for i, corner in zip(group, corners, strict=False)]
        title = f"Sandtable markers, sheet {number} of {len(groups)}"
        pages.append(measured_page(paper, title, advice, pieces))
    return Sheet("Sandtable markers", paper, tuple(pages))


def _check_ids(ids: Sequence[int], count: int, dictionary: str) -> None:
    if not ids:
        raise UserError(tr("name at least one marker id"))
    unknown = [i for i in ids if not 0 <= i < count]
    if unknown:
        raise UserError(
            tr(
                "dictionary {dictionary} has no marker {number}: use ids from 0 to {last}",
                dictionary=dictionary,
                number=unknown[0],
                last=count - 1,
            )
        )
    if len(set(ids)) < len(ids):
        repeated = next(i for i in ids if list(ids).count(i) > 1)
        raise UserError(tr("marker {repeated} is listed twice: list each id once", repeated=repeated))


def _piece_size(side_in: float, cells: int) -> tuple[float, float]:
    with_margin_mm = side_in * MM_PER_IN * (cells + 2) / cells
    return with_margin_mm, with_margin_mm + _LABEL_MM


def _grid(paper: str, side_in: float, cells: int) -> tuple[int, int]:
    """Number of columns and rows of markers on a page."""
    width_mm, height_mm = room(paper)
    largest_mm = min(width_mm, height_mm - _LABEL_MM) * cells / (cells + 2)
    largest_in = math.floor(largest_mm / MM_PER_IN * 10) / 10
    if not _MIN_SIDE_IN <= side_in <= largest_in:
        raise UserError(
            tr(
                "a marker of {side_in:g} in cannot be used on {paper} paper: choose a side from"
                " {smallest:g} in (the smallest that a camera can read) to {largest:g} in (the largest"
                " that fits with its white margin)",
                side_in=side_in,
                paper=paper,
                smallest=_MIN_SIDE_IN,
                largest=largest_in,
            )
        )
    width, height = _piece_size(side_in, cells)
    return int(width_mm // width), int(height_mm // height)


def _piece(aruco: cv2.aruco.Dictionary, number: int, side_in: float, corner_mm: PointMm) -> Page:
    """One marker with margin, cut lines and label."""
    cells = aruco.markerSize + 2
    cell_mm = side_in * MM_PER_IN / cells
    width, height = _piece_size(side_in, cells)
    left, top = corner_mm
    label = Text(
        f"Marker {number} - {side_in:g} in ({side_in * MM_PER_IN:.1f} mm) side",
        (left + width / 2, top + height - 3.5),
        3.8,
        Align.CENTRE,
        room_mm=width - 4,
    )
    pattern = _marker(aruco, number, side_in, (left + cell_mm, top + cell_mm))
    return Page((pattern,), cut_frame(corner_mm, (width, height)), (label,))


def _marker(aruco: cv2.aruco.Dictionary, number: int, side_in: float, corner_mm: PointMm) -> Pattern:
    cells = aruco.markerSize + 2
    ink = cv2.aruco.generateImageMarker(aruco, number, cells) == 0
    return Pattern(corner_mm, side_in * MM_PER_IN / cells, tuple(tuple(map(bool, row)) for row in ink))


def board_words(board: Board) -> str:
    """A board in the format of the option `--board`: COLSxROWS:SQUARE:MARKER, in inches."""
    return f"{board.columns}x{board.rows}:{board.square_in:g}:{board.marker_in:g}"


def board_sheet(paper: str = "letter", board: Board = LENS_BOARD, dictionary: str = "4X4_50") -> Sheet:
    """A ChArUco board, labelled with its description.

    Raises:
        UserError: if the paper or the dictionary is unknown, the board does not fit the paper, or the board has more
            markers than the dictionary.
    """
    check_paper(paper)
    aruco = dictionary_of(dictionary)
    size_mm = (board.columns * board.square_in * MM_PER_IN, (board.rows * board.square_in) * MM_PER_IN)
    _check_board(board, paper, (size_mm[0], size_mm[1] + 2 * _LABEL_MM), len(aruco.bytesList), dictionary)
    ((left, top),) = slots(ROOM_CORNER_MM, room(paper), 1, 1, (size_mm[0], size_mm[1] + 2 * _LABEL_MM))
    lines = (
        f"ChArUco board {board.columns} x {board.rows}: squares {_in_and_mm(board.square_in)}, markers"
        f" {_in_and_mm(board.marker_in)}, ids 0 to {board.columns * board.rows // 2 - 1} of {dictionary}",
        f"Board {board_words(board)}, dictionary {dictionary}",
    )
    down = top + size_mm[1]
    labels = tuple(
        Text(words, (left, down + row * 5.0), 3.6, bold=row > 1, room_mm=size_mm[0])
        for row, words in enumerate(lines, 1)
    )
    piece = Page(_board_patterns(board, aruco, dictionary, (left, top)), (), labels)
    title = "Sandtable board for the lens"
    page = measured_page(paper, title, (*_ADVICE, _BOARD_ADVICE), [piece])
    return Sheet(title, paper, (page,))


def _in_and_mm(length_in: float) -> str:
    return f"{length_in:g} in ({length_in * MM_PER_IN:.2f} mm)"


def _check_board(board: Board, paper: str, size_mm: PointMm, markers: int, dictionary: str) -> None:
    width_mm, height_mm = room(paper)
    if size_mm[0] > width_mm or size_mm[1] > height_mm:
        share = min(width_mm / size_mm[0], height_mm / size_mm[1])
        raise UserError(
            tr(
                "the board {board} does not fit on {paper} paper: use squares of at most {largest:g} in,"
                " or fewer squares",
                board=board_words(board),
                paper=paper,
                largest=math.floor(board.square_in * share * 100) / 100,
            )
        )
    if board.columns * board.rows // 2 > markers:
        raise UserError(
            tr(
                "the board {board} needs {needed} markers, but {dictionary} has only {markers}: use"
                " fewer squares or a larger dictionary, such as 4X4_250",
                board=board_words(board),
                needed=board.columns * board.rows // 2,
                dictionary=dictionary,
                markers=markers,
            )
        )


def _board_patterns(
    board: Board, aruco: cv2.aruco.Dictionary, dictionary: str, corner_mm: PointMm
) -> tuple[Pattern, ...]:
    """The black squares, and the markers on the white squares in OpenCV's order."""
    left, top = corner_mm
    markers = {i: (float(at[0][0]), float(-at[0][1])) for i, at in board.marker_corners_in(dictionary).items()}
    white = {(math.floor(x / board.square_in), math.floor(y / board.square_in)) for x, y in markers.values()}
    squares = tuple(tuple((column, row) not in white for column in range(board.columns)) for row in range(board.rows))
    return (
        Pattern(corner_mm, board.square_in * MM_PER_IN, squares),
        *(
            _marker(aruco, number, board.marker_in, (left + x * MM_PER_IN, top + y * MM_PER_IN))
            for number, (x, y) in markers.items()
        ),
    )
