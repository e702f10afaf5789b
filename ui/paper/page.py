"""Contents of a printed page as values in millimetres; `ui.desktop.paper` draws them.

Positions are (x, y) from the paper's top left corner, x right, y down.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from calibration.print_scale import TRUE_PRINT, PrintScale

MM_PER_IN = 25.4
PAPERS_MM = {"letter": (215.9, 279.4), "a4": (210.0, 297.0)}
"""Width and height in portrait format, after ANSI A and ISO 216."""

PointMm = tuple[float, float]

MARGIN_MM = 10.0
HEADER_MM = 22.0
_SCALE_SIZE_MM = (26.0, 16.0)
"""Width of the strip on the right for the vertical scale; height of the strip below for the horizontal scale."""
_DARK, _GREY = 0.0, 0.55
_TITLE_SHARE = 0.6
"""Share of the row's width; the rest is for the note on a corrected print."""
_WIDE_FONT = 0.52
"""Mean advance of a letter relative to the font size, a little more than that of DejaVu Sans, a wide font."""


class Align(StrEnum):
    """Which end of a text is at its position."""

    LEFT = "left"
    CENTRE = "centre"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A grid of black and white cells; the black cells are filled as one shape, without seams.

    Attributes:
        corner_mm: Top left corner of the pattern.
        cell_mm: Side of a cell.
        black: True for a black cell; rows from the top, each from the left.
    """

    corner_mm: PointMm
    cell_mm: float
    black: tuple[tuple[bool, ...], ...]


@dataclass(frozen=True, slots=True)
class Fill:
    """A rectangle of one colour (red, green, blue, 0 to 255 each), drawn below everything else."""

    corner_mm: PointMm
    size_mm: tuple[float, float]
    colour: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Line:
    """A line with flat ends; `grey` ranges from 0 (black) to 1 (white)."""

    start_mm: PointMm
    end_mm: PointMm
    width_mm: float = 0.2
    grey: float = _DARK


@dataclass(frozen=True, slots=True)
class Text:
    """A black text on a baseline at `at_mm`.

    Attributes:
        size_mm: Font size (its em).
        room_mm: Available width; a wider text is drawn smaller. None for no limit.
    """

    words: str
    at_mm: PointMm
    size_mm: float
    align: Align = Align.LEFT
    bold: bool = False
    room_mm: float | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """The drawing of a page, or of a part of one."""

    patterns: tuple[Pattern, ...] = ()
    lines: tuple[Line, ...] = ()
    texts: tuple[Text, ...] = ()
    fills: tuple[Fill, ...] = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """Pages of one paper size ("letter" or "a4"), with a title for the file.

    Attributes:
        stretch: Factors by which the drawing is scaled in width and height about the paper's centre; see `corrected`.
    """

    title: str
    paper: str
    pages: tuple[Page, ...]
    stretch: tuple[float, float] = (1.0, 1.0)

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of the paper."""
        return PAPERS_MM[self.paper]


def corrected(sheet: Sheet, scale: PrintScale) -> Sheet:
    """The sheet scaled so that a printer with this scale prints it at the right size, with a note on each page."""
    if scale == TRUE_PRINT:
        return sheet
    x_mm, y_mm = scale.measured_x_mm, scale.measured_y_mm
    words = f"corrected for a printer that prints 100 mm as {x_mm:g} mm across, {y_mm:g} mm down"
    width = sheet.size_mm[0]
    note = Text(
        words,
        (width - MARGIN_MM, MARGIN_MM + 4.2),
        3.0,
        Align.RIGHT,
        room_mm=(width - 2 * MARGIN_MM) * (1 - _TITLE_SHARE) - 2,
    )
    pages = tuple(replace(page, texts=(*page.texts, note)) for page in sheet.pages)
    return replace(sheet, pages=pages, stretch=scale.correction)


def room(paper: str) -> tuple[float, float]:
    """Width and height in mm of the free area of a page with header and scales, from `ROOM_CORNER_MM`."""
    width, height = PAPERS_MM[paper]
    return width - 2 * MARGIN_MM - _SCALE_SIZE_MM[0], height - 2 * MARGIN_MM - HEADER_MM - _SCALE_SIZE_MM[1]


ROOM_CORNER_MM: PointMm = (MARGIN_MM, MARGIN_MM + HEADER_MM)
"""Top left corner of the free area below the header."""


def slots(corner_mm: PointMm, size_mm: PointMm, columns: int, rows: int, piece_mm: PointMm) -> list[PointMm]:
    """Top left corners of pieces, row by row, each centred in its cell of an area."""
    wide, high = size_mm[0] / columns, size_mm[1] / rows
    left, top = corner_mm[0] + (wide - piece_mm[0]) / 2, corner_mm[1] + (high - piece_mm[1]) / 2
    return [(left + column * wide, top + row * high) for row in range(rows) for column in range(columns)]


def wrapped(words: str, room_mm: float, size_mm: float) -> list[str]:
    """The text in lines that fit a width; estimated for a wide font, because this package has no font metrics."""
    return textwrap.wrap(words, max(1, int(room_mm / (_WIDE_FONT * size_mm)))) or [""]


def cut_frame(corner_mm: PointMm, size_mm: PointMm) -> tuple[Line, ...]:
    """The grey lines to cut along."""
    (left, top), (width, height) = corner_mm, size_mm
    corners = [(left, top), (left + width, top), (left + width, top + height), (left, top + height)]
    return tuple(Line(a, b, 0.25, _GREY) for a, b in zip(corners, corners[1:] + corners[:1], strict=True))


def joined(pieces: Iterable[Page]) -> Page:
    """Several pieces combined into one."""
    parts = list(pieces)
    return Page(
        tuple(pattern for part in parts for pattern in part.patterns),
        tuple(line for part in parts for line in part.lines),
        tuple(text for part in parts for text in part.texts),
        tuple(fill for part in parts for fill in part.fills),
    )


def measured_page(paper: str, title: str, advice: Sequence[str], pieces: Iterable[Page]) -> Page:
    """A page with a title, up to three lines of advice, the pieces, and scales along both axes."""
    width, height = PAPERS_MM[paper]
    horizontal = _scales((MARGIN_MM + 4, height - MARGIN_MM - 7.5), upright=False)
    vertical = _scales((width - MARGIN_MM - 14, MARGIN_MM + HEADER_MM + 3), upright=True)
    return joined([Page(texts=header(title, advice, width - 2 * MARGIN_MM)), *pieces, horizontal, vertical])


def header(title: str, advice: Sequence[str], room_mm: float) -> tuple[Text, ...]:
    """The title, and lines of advice below it; the first line is bold."""
    rows = [Text(title, (MARGIN_MM, MARGIN_MM + 4.5), 5.0, bold=True, room_mm=room_mm * _TITLE_SHARE)]
    for words, down in zip(advice, (10.5, 15.5, 20.0), strict=False):
        rows.append(Text(words, (MARGIN_MM, MARGIN_MM + down), 3.6, bold=len(rows) < 2, room_mm=room_mm))
    return tuple(rows)


def _scales(origin_mm: PointMm, *, upright: bool) -> Page:
    """A 4 in scale above (or left of) a line and a 100 mm scale on its other side, both from `origin_mm`."""

    def at(along: float, across: float) -> PointMm:
        x, y = (across, along) if upright else (along, across)
        return origin_mm[0] + x, origin_mm[1] + y

    inches = [(n / 4 * MM_PER_IN, -(4.0 if n % 4 == 0 else 2.0)) for n in range(17)]
    millimetres = [(float(n), 4.0 if n % 10 == 0 else 2.8 if n % 5 == 0 else 1.8) for n in range(101)]
    spine = Line(at(0, 0), at(4 * MM_PER_IN, 0))
    ticks = tuple(Line(at(along, 0), at(along, tick), 0.15) for along, tick in inches + millimetres)
    words = [(n * MM_PER_IN, -4.5, f"{n} in" if n == 4 else f"{n}") for n in range(5)]
    words += [(n * 10.0, 4.5, f"{n * 10} mm" if n == 10 else f"{n * 10}") for n in range(11)]
    labels = tuple(_tick_label(at(along, across), text, across, upright) for along, across, text in words)
    return Page(lines=(spine, *ticks), texts=labels)


def _tick_label(at_mm: PointMm, words: str, across: float, upright: bool) -> Text:
    size_mm, cap = 2.5, 0.72  # height of a digit relative to the font size
    if upright:
        return Text(words, (at_mm[0], at_mm[1] + size_mm * cap / 2), size_mm, Align.LEFT if across > 0 else Align.RIGHT)
    return Text(words, (at_mm[0], at_mm[1] + (size_mm * cap if across > 0 else 0)), size_mm, Align.CENTRE)
