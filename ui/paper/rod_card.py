"""The range rod of Plastic Fudge on paper: strips to glue together, or round a dowel."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rules.engine.game import Game
from ui.paper.page import (
    MARGIN_MM,
    MM_PER_IN,
    ROOM_CORNER_MM,
    Align,
    Fill,
    Page,
    PointMm,
    Sheet,
    Text,
    check_paper,
    cut_frame,
    measured_page,
    room,
    slots,
    wrapped,
)
from ui.theme import BLUE, ORANGE

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
_ADVICE = (
    "Print at 100 % (actual size). Check both scales with a ruler: they must be 100 mm and 4 in long.",
    "Cut out the strips along the grey lines and glue each on the tab of the one before.",
    "0 is the end of strip 1; a mark is the outer edge of its bar. Measure from {0} to {0}.",
)


def rod_sheet(game: Game[Any], paper: str = "letter") -> Sheet:
    """The rod with a mark at every range band of Plastic Fudge with the players' options, in its lengths and colours.

    Raises `UserError` if the paper is unknown.
    """
    check_paper(paper)
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
    advice = [row.format(ends) for row in _ADVICE]
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
