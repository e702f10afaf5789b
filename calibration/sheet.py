"""The sheets a player prints, as values in millimetres; `ui.desktop.paper` draws them.

Places are (x, y) from the paper's top left corner, x right, y down.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from calibration.markers import dictionary_of
from calibration.opencv import cv2
from calibration.prints import SHEET_SIDE_IN
from rules.table import Refused

MM_PER_IN = 25.4
PAPERS_MM = {"letter": (215.9, 279.4), "a4": (210.0, 297.0)}
"""Width and height, upright: ANSI A and ISO 216."""

PointMm = tuple[float, float]

_MARGIN_MM = 10.0
_HEADER_MM = 19.0
_SCALE_SIZE_MM = (26.0, 16.0)
"""Width of the strip on the right that holds the upright scale, height of the one below for the level scale."""
_ADVICE = (
    "Print at 100 % (actual size). Check both scales with a ruler: they must be 100 mm and 4 in long.",
    "If they are not, print again, or give the program the black side that you measure.",
    "Cut along the grey lines. Lay the markers flat anywhere on the table; one is enough, more are better.",
)
_LABEL_MM = 6.0
_SMALLEST_IN = 1.0
_DARK, _GREY = 0.0, 0.55


class Align(StrEnum):
    """Which end of a text stands at its place."""

    LEFT = "left"
    CENTRE = "centre"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Black and white cells, the black ones to be filled as one shape without seams.

    Attributes:
        corner_mm: Top left corner of the pattern.
        cell_mm: Side of a cell.
        black: Rows from the top, each from the left.
    """

    corner_mm: PointMm
    cell_mm: float
    black: tuple[tuple[bool, ...], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line with flat ends; `grey` runs from 0 (black) to 1 (paper)."""

    start_mm: PointMm
    end_mm: PointMm
    width_mm: float = 0.2
    grey: float = _DARK


@dataclass(frozen=True, slots=True)
class Text:
    """Black words on a baseline at `at_mm`.

    Attributes:
        size_mm: Size of the type (its em).
        room_mm: Width the words may take; wider words are drawn smaller. None where there is room enough.
    """

    words: str
    at_mm: PointMm
    size_mm: float
    align: Align = Align.LEFT
    bold: bool = False
    room_mm: float | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """What is drawn on one side of paper."""

    patterns: tuple[Pattern, ...]
    lines: tuple[Line, ...]
    texts: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Pages of one paper ("letter" or "a4"), with a title for the file."""

    title: str
    paper: str
    pages: tuple[Page, ...]

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of the paper."""
        return PAPERS_MM[self.paper]


def marker_sheet(
    paper: str = "letter",
    side_in: float = SHEET_SIDE_IN,
    ids: Sequence[int] = (0, 1, 2, 3),
    dictionary: str = "4X4_50",
) -> Sheet:
    """Markers to cut out, each with a white rim one cell wide, and scales to check the print by.

    Args:
        side_in: Black side of each marker.
        ids: Which markers of the dictionary, each once.

    Raises:
        Refused: if the paper, the dictionary or an id is unknown, an id comes twice, or the side does not fit.
    """
    if paper not in PAPERS_MM:
        raise Refused(f"there is no paper {paper!r} here; use {' or '.join(PAPERS_MM)}")
    aruco = dictionary_of(dictionary)
    _check_ids(ids, len(aruco.bytesList), dictionary)
    cells = aruco.markerSize + 2
    columns, rows = _grid(paper, side_in, cells)
    groups = [ids[start : start + columns * rows] for start in range(0, len(ids), columns * rows)]
    pages = []
    for number, group in enumerate(groups, 1):
        corners = _slots(paper, columns, rows, _piece_size(side_in, cells))
        pieces = [_piece(aruco, i, side_in, corner) for i, corner in zip(group, corners, strict=False)]
        pages.append(_page(paper, f"Sandtable markers, sheet {number} of {len(groups)}", pieces))
    return Sheet("Sandtable markers", paper, tuple(pages))


def _check_ids(ids: Sequence[int], count: int, dictionary: str) -> None:
    if not ids:
        raise Refused("a sheet without markers helps nobody: name at least one marker id")
    unknown = [i for i in ids if not 0 <= i < count]
    if unknown:
        raise Refused(f"dictionary {dictionary} has no marker {unknown[0]}: its ids run from 0 to {count - 1}")
    if len(set(ids)) < len(ids):
        twice = next(i for i in ids if list(ids).count(i) > 1)
        raise Refused(f"marker {twice} is asked for twice, and two markers of one id mislead the camera: name it once")


def _room(paper: str) -> tuple[float, float]:
    width, height = PAPERS_MM[paper]
    return width - 2 * _MARGIN_MM - _SCALE_SIZE_MM[0], height - 2 * _MARGIN_MM - _HEADER_MM - _SCALE_SIZE_MM[1]


def _piece_size(side_in: float, cells: int) -> tuple[float, float]:
    rimmed = side_in * MM_PER_IN * (cells + 2) / cells
    return rimmed, rimmed + _LABEL_MM


def _grid(paper: str, side_in: float, cells: int) -> tuple[int, int]:
    """Columns and rows of pieces that a page takes."""
    room = _room(paper)
    largest_mm = min(room[0], room[1] - _LABEL_MM) * cells / (cells + 2)
    largest_in = math.floor(largest_mm / MM_PER_IN * 10) / 10
    if not _SMALLEST_IN <= side_in <= largest_in:
        raise Refused(
            f"a marker of {side_in:g} in does not do on {paper} paper: choose a side from {_SMALLEST_IN:g}"
            f" (smaller is not seen from above a table) to {largest_in:g} in (what fits with its white rim)"
        )
    width, height = _piece_size(side_in, cells)
    return int(room[0] // width), int(room[1] // height)


def _slots(paper: str, columns: int, rows: int, piece_mm: tuple[float, float]) -> list[PointMm]:
    """Top left corners of the pieces, each in the middle of its share of the page."""
    room = _room(paper)
    wide, high = room[0] / columns, room[1] / rows
    left = _MARGIN_MM + (wide - piece_mm[0]) / 2
    top = _MARGIN_MM + _HEADER_MM + (high - piece_mm[1]) / 2
    return [(left + column * wide, top + row * high) for row in range(rows) for column in range(columns)]


def _piece(aruco: cv2.aruco.Dictionary, number: int, side_in: float, corner_mm: PointMm) -> Page:
    """One marker with rim, cut lines and label."""
    cells = aruco.markerSize + 2
    cell_mm = side_in * MM_PER_IN / cells
    width, height = _piece_size(side_in, cells)
    left, top = corner_mm
    ink = cv2.aruco.generateImageMarker(aruco, number, cells) == 0
    pattern = Pattern((left + cell_mm, top + cell_mm), cell_mm, tuple(tuple(map(bool, row)) for row in ink))
    label = Text(
        f"Marker {number} - {side_in:g} in ({side_in * MM_PER_IN:.1f} mm) side",
        (left + width / 2, top + height - 3.5),
        3.8,
        Align.CENTRE,
        room_mm=width - 4,
    )
    return Page((pattern,), _frame(left, top, width, height), (label,))


def _frame(left: float, top: float, width: float, height: float) -> tuple[Line, ...]:
    corners = [(left, top), (left + width, top), (left + width, top + height), (left, top + height)]
    return tuple(Line(a, b, 0.25, _GREY) for a, b in zip(corners, corners[1:] + corners[:1], strict=True))


def _page(paper: str, title: str, pieces: Iterable[Page]) -> Page:
    width, height = PAPERS_MM[paper]
    level = _scales((_MARGIN_MM + 4, height - _MARGIN_MM - 7.5), upright=False)
    upright = _scales((width - _MARGIN_MM - 14, _MARGIN_MM + _HEADER_MM + 3), upright=True)
    parts = [*pieces, level, upright]
    return Page(
        tuple(pattern for part in parts for pattern in part.patterns),
        tuple(line for part in parts for line in part.lines),
        (*_header(title, width - 2 * _MARGIN_MM), *(text for part in parts for text in part.texts)),
    )


def _header(title: str, room_mm: float) -> tuple[Text, ...]:
    rows = [(title, 4.5), *zip(_ADVICE, (10.5, 15.5, 20.0), strict=True)]
    return tuple(
        Text(words, (_MARGIN_MM, _MARGIN_MM + down), 3.6 if n else 5.0, bold=n < 2, room_mm=room_mm)
        for n, (words, down) in enumerate(rows)
    )


def _scales(origin_mm: PointMm, *, upright: bool) -> Page:
    """A scale of 4 in above (or left of) a line and one of 100 mm on its other side, both from `origin_mm`."""

    def at(along: float, across: float) -> PointMm:
        x, y = (across, along) if upright else (along, across)
        return origin_mm[0] + x, origin_mm[1] + y

    inches = [(n / 4 * MM_PER_IN, -(4.0 if n % 4 == 0 else 2.0)) for n in range(17)]
    millimetres = [(float(n), 4.0 if n % 10 == 0 else 2.8 if n % 5 == 0 else 1.8) for n in range(101)]
    spine = Line(at(0, 0), at(4 * MM_PER_IN, 0))
    ticks = tuple(Line(at(along, 0), at(along, tick), 0.15) for along, tick in inches + millimetres)
    words = [(n * MM_PER_IN, -4.5, f"{n} in" if n == 4 else f"{n}") for n in range(5)]
    words += [(n * 10.0, 4.5, f"{n * 10} mm" if n == 10 else f"{n * 10}") for n in range(11)]
    return Page(
        (),
        (spine, *ticks),
        tuple(_tick_label(at(along, across), text, across, upright) for along, across, text in words),
    )


def _tick_label(at_mm: PointMm, words: str, across: float, upright: bool) -> Text:
    size_mm, cap = 2.5, 0.72  # height of a digit over the size of its type
    if upright:
        return Text(words, (at_mm[0], at_mm[1] + size_mm * cap / 2), size_mm, Align.LEFT if across > 0 else Align.RIGHT)
    return Text(words, (at_mm[0], at_mm[1] + (size_mm * cap if across > 0 else 0)), size_mm, Align.CENTRE)
