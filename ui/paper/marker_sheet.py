"""Printable sheets for measuring: markers to cut out, a ChArUco board, and the range rod."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from calibration.calibration_targets import SHEET_SIDE_IN
from calibration.markers import Board, dictionary_of
from calibration.opencv import cv2
from rules.engine.game import Game
from rules.tabletop.errors import user_error
from ui.paper.page import (
    MARGIN_MM,
    MM_PER_IN,
    ROOM_CORNER_MM,
    Align,
    Fill,
    Page,
    Pattern,
    PointMm,
    Sheet,
    Text,
    cut_frame,
    measured_page,
    room,
    slots,
    wrapped,
)
from ui.theme import BLUE, ORANGE

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
_ONE_SIZE = (
    "All markers on a table must have the same size. Choose Calibration, Marker size, and enter {:g} in for these."
)
_BOARD_ADVICE = "Glue it to something stiff and flat. For the lens, take pictures from many angles and in all corners."
_LABEL_MM = 6.0
_MIN_SIDE_IN = 1.0


def marker_sheet(
    paper: str = "letter", side_in: float = SHEET_SIDE_IN, ids: Sequence[int] = (0, 1, 2, 3), dictionary: str = "4X4_50"
) -> Sheet:
    """Markers to cut out, each with a white margin one cell wide, and scales to check the print size.

    A page holds as many as fit: two markers of 3 in, one of 4 in or more.

    Raises:
        UserError: if the dictionary is unknown, or the side does not fit.
    """
    aruco = dictionary_of(dictionary)
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


def _piece_size(side_in: float, cells: int) -> tuple[float, float]:
    with_margin_mm = side_in * MM_PER_IN * (cells + 2) / cells
    return with_margin_mm, with_margin_mm + _LABEL_MM


def _grid(paper: str, side_in: float, cells: int) -> tuple[int, int]:
    """Number of columns and rows of markers on a page."""
    width_mm, height_mm = room(paper)
    largest_mm = min(width_mm, height_mm - _LABEL_MM) * cells / (cells + 2)
    largest_in = math.floor(largest_mm / MM_PER_IN * 10) / 10
    if not _MIN_SIDE_IN <= side_in <= largest_in:
        raise user_error(
            "a marker of {side_in:g} in cannot be used on {paper} paper: choose a side from"
            " {smallest:g} in (the smallest that a camera can read) to {largest:g} in (the largest"
            " that fits with its white margin)",
            side_in=side_in,
            paper=paper,
            smallest=_MIN_SIDE_IN,
            largest=largest_in,
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
        UserError: if the dictionary is unknown, the board does not fit the paper, or it has more markers than the
            dictionary.
    """
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
        raise user_error(
            "the board {board} does not fit on {paper} paper: use squares of at most {largest:g} in, or fewer squares",
            board=board_words(board),
            paper=paper,
            largest=math.floor(board.square_in * share * 100) / 100,
        )
    if board.columns * board.rows // 2 > markers:
        raise user_error(
            "the board {board} needs {needed} markers, but {dictionary} has only {markers}: use"
            " fewer squares or a larger dictionary, such as 4X4_250",
            board=board_words(board),
            needed=board.columns * board.rows // 2,
            dictionary=dictionary,
            markers=markers,
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


Rgb = tuple[int, int, int]

STRIP_IN = 6
"""Length of a strip; the joints then lie under the coloured marks."""

_WIDTH_MM, _TAB_MM, _MARK_MM = 22.0, 9.0, 4.0
_PLAIN: Rgb = (0, 0, 0)
_ZONES: tuple[tuple[Rgb, Rgb], ...] = (
    ((255, 241, 214), (255, 224, 165)),
    ((224, 239, 252), (188, 220, 247)),
    ((255, 255, 255), (222, 222, 222)),
)
"""Colours of odd and even bands, up to the first coloured mark, up to the second, and beyond, as on the LED rod."""
_ROD_ADVICE = (
    "Print at 100 % (actual size). Check both scales with a ruler: they must be 100 mm and 4 in long.",
    "Cut out the strips along the grey lines and glue each on the tab of the one before.",
    "0 is the end of strip 1; a mark is the outer edge of its bar. Measure from {0} to {0}.",
)


def rod_sheet(game: Game[Any], paper: str = "letter") -> Sheet:
    """The rod with a mark at every range band of Plastic Fudge with the players' options, as long and as coloured."""
    limits = game.rules.tables.limits
    band_in, rod_in = float(game.rules.option("band_in")), limits["rod_in"].value
    colours = {limits["first_colour_in"].value: ORANGE[:3], limits["second_colour_in"].value: BLUE[:3]}
    count = math.ceil(rod_in / STRIP_IN)
    width = room(paper)[0]
    size_mm = (_WIDTH_MM, STRIP_IN * MM_PER_IN + _TAB_MM)
    corners = slots(ROOM_CORNER_MM, (width, size_mm[1] + 6), count, 1, size_mm)
    strips = [_strip(number, count, corner, band_in, colours) for number, corner in enumerate(corners)]
    table = _levels(game, (MARGIN_MM, ROOM_CORNER_MM[1] + size_mm[1] + 12), width)
    ends = "base edge" if game.rules.chooses("measured_from", "base_edges") else "base centre"
    advice = [row.format(ends) for row in _ROD_ADVICE]
    title = f"Range rod, {rod_in:g} in, a mark every {band_in:g} in"
    return Sheet(title, paper, (measured_page(paper, title, advice, [*strips, table]),))


def _strip(number: int, count: int, corner_mm: PointMm, band_in: float, colours: Mapping[float, Rgb]) -> Page:
    """One strip, from its near end at the bottom to its tab."""
    left, top = corner_mm
    foot = top + _TAB_MM + STRIP_IN * MM_PER_IN
    first_in, last_in = number * STRIP_IN, (number + 1) * STRIP_IN
    middle = left + _WIDTH_MM / 2

    def y_mm(at_in: float) -> float:
        return foot - (at_in - first_in) * MM_PER_IN

    fills, texts = [], []
    for band in range(math.floor(first_in / band_in), math.ceil(last_in / band_in)):
        low, high = max(first_in, band * band_in), min(last_in, (band + 1) * band_in)
        shades = _ZONES[sum(mark_in < high for mark_in in colours)]
        fills.append(Fill((left, y_mm(high)), (_WIDTH_MM, (high - low) * MM_PER_IN), shades[band % 2]))
        texts.append(Text(f"R{band + 1}", (middle, (y_mm(low) + y_mm(high)) / 2 + 2.5), 7.0, Align.CENTRE))
        mark_in = (band + 1) * band_in
        if mark_in <= last_in:
            fills.append(Fill((left, y_mm(mark_in)), (_WIDTH_MM, _MARK_MM), colours.get(mark_in, _PLAIN)))
            words = f"{mark_in:g} in"
            texts.append(Text(words, (middle, y_mm(mark_in) + _MARK_MM + 5.0), 5.0, Align.CENTRE, bold=True))
    last = number + 1 == count
    tab = "the end" if last else f"tab: under strip {number + 2}"
    texts.append(Text(tab, (middle, top + _TAB_MM - 3.2), 3.0, Align.CENTRE, room_mm=_WIDTH_MM - 2))
    texts.append(Text(f"strip {number + 1}", (middle, foot - 2.0), 3.0, Align.CENTRE))
    return Page((), cut_frame(corner_mm, (_WIDTH_MM, foot - top)), tuple(texts), tuple(fills))


def _levels(game: Game[Any], corner_mm: PointMm, room_mm: float) -> Page:
    """A table of how far each level moves and reaches, and the game's credit."""
    left, top = corner_mm
    rows = [("Level", "moves", "reaches")]
    for name, row in game.rules.tables.levels.items():
        move_in = row.move_in * game.rules.option("move_scale")
        reach_in = row.range_bands * game.rules.option("band_in")
        rows.append(
            (name, f"{move_in:g} in", f"R{row.range_bands}, " + (f"{reach_in:g} in" if reach_in else "contact"))
        )
    texts = [
        Text(words, (left + across, top + down * 4.6), 3.6, bold=not down)
        for down, row in enumerate(rows)
        for across, words in zip((0.0, 26.0, 46.0), row, strict=True)
    ]
    credit = wrapped(game.credit, room_mm - 76.0, 3.0)
    beside = [Text(words, (left + 76.0, top + down * 4.6), 3.0) for down, words in enumerate(credit)]
    return Page(texts=(*texts, *beside))
