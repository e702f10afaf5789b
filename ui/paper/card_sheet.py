"""The printed sheet of unit cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rules.engine.game import Game
from rules.engine.text import display_name
from rules.tabletop.errors import user_error
from ui.formatting import capitalized
from ui.paper.cards import CARD_MM, UnitCard
from ui.paper.page import (
    MARGIN_MM,
    PAPERS_MM,
    Align,
    Line,
    Page,
    PointMm,
    Sheet,
    Text,
    check_paper,
    cut_frame,
    header,
    joined,
    slots,
    wrapped,
)

_COLUMNS, _ROWS = 2, 4
_INSET_MM = 3.0
_HEAD_MM, _FOOT_MM = 11.5, 7.8
_ADVICE = f"Cut along the grey lines: a card is {CARD_MM[0]:g} x {CARD_MM[1]:g} mm."
_LINE, _SMALL = 4.0, 3.4
"""Type size of the weapons, and of the remarks."""
_LEADING = 1.25
_BOX_MM, _BOX_STEP_MM = 3.2, 3.9
_LETTER_MM = 1.4
_RULE_ROW_MM = 2.5


def card_sheet(cards: Sequence[UnitCard], title: str, game: Game[Any], paper: str = "letter", words: str = "") -> Sheet:
    """Pages of cards, with a title and `words` above them and the game's credit below.

    Raises:
        UserError: if there is no card, or the paper is unknown.
    """
    check_paper(paper)
    if not cards:
        raise user_error("{title} has no figures, so there are no cards to print: add a figure first", title=title)
    groups = [cards[start : start + _COLUMNS * _ROWS] for start in range(0, len(cards), _COLUMNS * _ROWS)]
    advice = f"{words}. {_ADVICE}" if words else _ADVICE
    titles = [f"{title}, {number} of {len(groups)}" for number in range(1, len(groups) + 1)]
    pages = [_page(group, (name, advice), game, paper) for group, name in zip(groups, titles, strict=True)]
    return Sheet(title, paper, tuple(pages))


def _page(cards: Sequence[UnitCard], heading: tuple[str, str], game: Game[Any], paper: str) -> Page:
    width, height = PAPERS_MM[paper]
    room_mm = width - 2 * MARGIN_MM
    block_mm = (_COLUMNS * CARD_MM[0], _ROWS * CARD_MM[1])
    spare_mm = height - 2 * MARGIN_MM - _HEAD_MM - _FOOT_MM - block_mm[1]
    corner = ((width - block_mm[0]) / 2, MARGIN_MM + _HEAD_MM + spare_mm / 2)
    places = slots(corner, block_mm, _COLUMNS, _ROWS, CARD_MM)
    pieces = [card_face(card, place) for card, place in zip(cards, places, strict=False)]
    credit = wrapped(game.credit, room_mm, 2.4)
    down = height - MARGIN_MM - 3.0 * (len(credit) - 1) - 0.8
    foot = [Text(row, (MARGIN_MM, down + n * 3.0), 2.4, room_mm=room_mm) for n, row in enumerate(credit)]
    return joined([Page(texts=(*header(heading[0], heading[1:], room_mm), *foot)), *pieces])


def card_face(card: UnitCard, corner_mm: PointMm) -> Page:
    """One card: title and figure, values, weapons, remarks, boxes to tick, and the rules' ids."""
    left, top = corner_mm[0] + _INSET_MM, corner_mm[1]
    room_mm = CARD_MM[0] - 2 * _INSET_MM
    right = left + room_mm
    name_mm = room_mm * (0.62 if card.figure else 1.0)
    texts = [
        Text(card.title, (left, top + 6.5), 5.0, bold=True, room_mm=name_mm),
        Text(display_name(card.figure), (right, top + 6.5), 5.0, Align.RIGHT, bold=True, room_mm=room_mm - name_mm - 2),
        Text(capitalized(card.kind), (left, top + 11.0), 3.2, room_mm=room_mm * 0.58),
        Text("  ".join(card.rules), (right, top + 11.0), _RULE_ROW_MM, Align.RIGHT, room_mm=room_mm * 0.4),
    ]
    texts = [text for text in texts if text.words]
    rule = Line((left, top + 12.8), (right, top + 12.8), 0.3)
    values, down = _values(card, left, top + 13.0, room_mm)
    foot = top + CARD_MM[1] - 2.5
    boxes = _boxes(card, left, foot, room_mm)
    low = foot - (_BOX_MM + 1.5 if card.boxes else 0.0)
    words = _body(card, (left, down), room_mm, low - down)
    return joined([Page((), (*cut_frame(corner_mm, CARD_MM), rule), tuple(texts)), values, words, boxes])


def _values(card: UnitCard, left: float, top: float, room_mm: float) -> tuple[Page, float]:
    """Names above values, at most four in a row, and the y at which they end."""
    columns = min(4, max(1, len(card.values)))
    wide = room_mm / columns
    texts = []
    for number, (name, value) in enumerate(card.values):
        x, y = left + number % columns * wide, top + number // columns * 9.2
        texts += [Text(name, (x, y + 3.2), 2.7, room_mm=wide - 2)]
        texts += [Text(value, (x, y + 7.8), 4.8, bold=True, room_mm=wide - 2)]
    return Page(texts=tuple(texts)), top + -(-len(card.values) // columns) * 9.2 + 1.0


def _body(card: UnitCard, corner_mm: PointMm, room_mm: float, high_mm: float) -> Page:
    """Weapons and remarks, in smaller type if they would not fit."""
    shrink = 1.0
    while True:
        rows = [(row, _LINE * shrink) for words in card.weapons for row in wrapped(words, room_mm, _LINE * shrink)]
        rows += [(row, _SMALL * shrink) for words in card.remarks for row in wrapped(words, room_mm, _SMALL * shrink)]
        if sum(size * _LEADING for _, size in rows) <= high_mm or shrink < 0.3:
            break
        shrink *= 0.96
    texts, down = [], corner_mm[1]
    for words, size in rows:
        down += size * _LEADING
        texts.append(Text(words, (corner_mm[0], down - size * 0.2), size, room_mm=room_mm))
    return Page(texts=tuple(texts))


def _boxes(card: UnitCard, left: float, foot: float, room_mm: float) -> Page:
    """Names, each followed by its boxes, in one row; smaller if they would not fit."""
    texts, lines = [], list[Line]()
    pad_mm = _BOX_STEP_MM - _BOX_MM
    full_mm = sum(len(name) * _LETTER_MM + pad_mm + count * _BOX_STEP_MM for name, count in card.boxes)
    scale = min(1.0, room_mm / full_mm) if card.boxes else 1.0
    gap_mm = min(6.0, max(0.0, room_mm - full_mm) / max(1, len(card.boxes)))
    box_mm, step_mm = _BOX_MM * scale, _BOX_STEP_MM * scale
    x = left
    for name, count in card.boxes:
        name_mm = len(name) * _LETTER_MM * scale
        texts.append(Text(name, (x, foot - 0.7), 2.6 * scale, room_mm=name_mm))
        x += name_mm + pad_mm * scale
        for _ in range(count):
            lines += cut_frame((x, foot - box_mm), (box_mm, box_mm))
            x += step_mm
        x += gap_mm
    return Page(lines=tuple(lines), texts=tuple(text for text in texts if text.words))
