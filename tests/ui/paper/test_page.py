"""Positions on a printed page, computed by hand: A4 is 210 x 297 mm, letter 8.5 x 11 in."""

from __future__ import annotations

import pytest

from calibration.print_scale import TRUE_PRINT, PrintScale
from ui.paper.page import (
    HEADER_MM,
    MARGIN_MM,
    PAPERS_MM,
    ROOM_CORNER_MM,
    Align,
    Fill,
    Line,
    Page,
    Pattern,
    Sheet,
    Text,
    corrected,
    cut_frame,
    header,
    joined,
    measured_page,
    room,
    slots,
    wrapped,
)


def test_paper_sizes_follow_the_standards():
    assert PAPERS_MM["letter"] == pytest.approx((8.5 * 25.4, 11 * 25.4))
    assert PAPERS_MM["a4"] == (210, 297)
    assert Sheet("title", "a4", ()).size_mm == (210, 297)
    assert Sheet("title", "a4", ()).stretch == (1, 1)


def test_the_free_area_excludes_margins_header_and_scales():
    """Margins of 10 mm, a header of 22 mm, and 26 mm on the right and 16 mm at the bottom for the scales."""
    assert (MARGIN_MM, HEADER_MM) == (10, 22)
    assert room("a4") == (210 - 20 - 26, 297 - 20 - 22 - 16)
    assert ROOM_CORNER_MM == (10, 32)


def test_pieces_are_centred_in_their_cells_row_by_row():
    """An area of 60 x 40 mm from (10, 32) with cells of 30 x 20 mm: pieces of 20 x 10 mm have 5 mm around them."""
    assert slots((10.0, 32.0), (60.0, 40.0), 2, 2, (20.0, 10.0)) == [(15, 37), (45, 37), (15, 57), (45, 57)]


def test_the_cut_frame_is_closed():
    lines = cut_frame((10.0, 20.0), (30.0, 40.0))
    assert [(line.start_mm, line.end_mm) for line in lines] == [
        ((10, 20), (40, 20)),
        ((40, 20), (40, 60)),
        ((40, 60), (10, 60)),
        ((10, 60), (10, 20)),
    ]
    assert {(line.width_mm, line.grey) for line in lines} == {(0.25, 0.55)}, "a thin grey"


def test_a_header_has_a_title_and_up_to_three_lines():
    title, *rows = header("Title", ("one", "two", "three", "four"), 190.0)
    assert title == Text("Title", (10, 14.5), 5.0, bold=True, room_mm=114)
    assert rows == [
        Text("one", (10, 20.5), 3.6, bold=True, room_mm=190),
        Text("two", (10, 25.5), 3.6, room_mm=190),
        Text("three", (10, 30), 3.6, room_mm=190),
    ]
    assert rows[0].align is Align.LEFT
    assert len(header("Title", ("one",), 190.0)) == 2


def test_a_page_has_its_pieces_between_header_and_scales():
    piece = Page((Pattern((0, 0), 1.0, ((True,),)),), (Line((1, 1), (2, 2)),), (Text("here", (3, 3), 4.0),))
    page = measured_page("a4", "Title", ("one",), [piece])
    assert page.texts[:3] == (*header("Title", ("one",), 190.0), piece.texts[0])
    assert page.patterns == piece.patterns
    assert page.lines[0] == piece.lines[0]
    level, upright = (line for line in page.lines if line.width_mm == 0.2 and line not in piece.lines)
    assert (level.start_mm, level.end_mm) == (pytest.approx((14, 279.5)), pytest.approx((115.6, 279.5)))
    assert (upright.start_mm, upright.end_mm) == (pytest.approx((186, 35)), pytest.approx((186, 136.6)))
    assert {line.width_mm for line in page.lines if line not in (level, upright, *piece.lines)} == {0.15}


def test_joined_pieces_keep_all_parts():
    one = Page(fills=(Fill((0, 0), (1, 1), (1, 2, 3)),), texts=(Text("a", (0, 0), 1.0),))
    other = Page((Pattern((0, 0), 1.0, ()),), (Line((0, 0), (1, 1)),), (Text("b", (0, 0), 1.0),))
    assert joined(iter([one, other])) == Page(other.patterns, other.lines, (*one.texts, *other.texts), one.fills)
    assert joined([]) == Page()


def test_a_corrected_sheet_has_a_note_on_every_page():
    sheet = Sheet("title", "a4", (Page(texts=(Text("own", (0, 0), 1.0),)), Page()))
    assert corrected(sheet, TRUE_PRINT) is sheet
    found = corrected(sheet, PrintScale(98.0, 102.0))
    assert found.stretch == pytest.approx((1 / 0.98, 1 / 1.02))
    assert found.size_mm == sheet.size_mm
    words = "corrected for a printer that prints 100 mm as 98 mm across, 102 mm down"
    # At the right margin, on the title's row, in the 40 % that the title leaves, with a gap of 2 mm.
    note = Text(words, (200, pytest.approx(14.2)), 3.0, Align.RIGHT, room_mm=pytest.approx(74))
    assert [page.texts for page in found.pages] == [(Text("own", (0, 0), 1.0), note), (note,)]


def test_text_is_wrapped_for_a_wide_font():
    """A font of 4 mm takes 2.08 mm per letter: nine letters in 20 mm."""
    assert wrapped("lay it flat here", 20.0, 4.0) == ["lay it", "flat here"]
    assert wrapped("ab", 0.5, 4.0) == ["a", "b"], "one letter a row at least"
    assert wrapped("", 20.0, 4.0) == [""]


PAGES = [*PAPERS_MM]
# Length of the ticks: inches on one side of the line, millimetres on the other.
WHOLE_IN, QUARTER_IN, TEN_MM, FIVE_MM, ONE_MM = -4.0, -2.0, 4.0, 2.8, 1.8


def scale(paper: str, axis: int) -> tuple[tuple[float, float], list[Line], list[Text]]:
    """Origin, ticks and numbers of a scale; axis 0 is the horizontal one."""
    page = measured_page(paper, "Title", ("advice",), ())
    spine = next(line for line in page.lines if line.end_mm[axis] - line.start_mm[axis] == pytest.approx(101.6))
    lines = [line for line in page.lines if line is not spine and line.start_mm[axis] == line.end_mm[axis]]
    ticks = [line for line in lines if line.start_mm[1 - axis] == spine.start_mm[1 - axis]]
    texts = [text for text in page.texts if text.size_mm == 2.5]
    return spine.start_mm, ticks, texts[:16] if axis == 0 else texts[16:]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("paper", PAGES)
def test_ticks_at_each_quarter_inch_and_millimetre(paper: str, axis: int) -> None:
    start, ticks, _ = scale(paper, axis)
    found = {
        (round(tick.start_mm[axis] - start[axis], 6), round(tick.end_mm[1 - axis] - start[1 - axis], 6))
        for tick in ticks
    }
    inches = {(round(n * 6.35, 6), QUARTER_IN if n % 4 else WHOLE_IN) for n in range(17)}
    millimetres = {(float(n), ONE_MM if n % 5 else FIVE_MM if n % 10 else TEN_MM) for n in range(101)}
    assert found == inches | millimetres


@pytest.mark.parametrize("axis", [0, 1])
def test_numbers_are_beyond_their_ticks(axis: int) -> None:
    start, _, numbers = scale("a4", axis)
    assert [text.words for text in numbers[:5]] == ["0", "1", "2", "3", "4 in"]
    assert [text.words for text in numbers[5:]] == [*(f"{n}" for n in range(0, 100, 10)), "100 mm"]
    for text, at in zip(numbers, [n * 25.4 for n in range(5)] + [n * 10.0 for n in range(11)], strict=True):
        # A digit is 0.72 of the font's 2.5 mm high, on its baseline; on the vertical scale it is centred at the tick.
        down = 0.9 if axis else 0.0
        assert text.at_mm[axis] - start[axis] == pytest.approx(at + down)
        beyond = text.at_mm[1 - axis] - start[1 - axis]
        if axis:
            assert (beyond, text.align) in [(-4.5, Align.RIGHT), (4.5, Align.LEFT)]
        else:
            assert text.align is Align.CENTRE
            assert any(beyond == pytest.approx(there) for there in (-4.5, 4.5 + 1.8)), "one above, one under its tick"


@pytest.mark.parametrize("paper", PAGES)
def test_the_scales_stay_between_margin_and_free_area(paper: str) -> None:
    width, height = PAPERS_MM[paper]
    right, bottom = MARGIN_MM + room(paper)[0], MARGIN_MM + HEADER_MM + room(paper)[1]
    for axis in (0, 1):
        _, ticks, _ = scale(paper, axis)
        xs, ys = zip(*(end for tick in ticks for end in (tick.start_mm, tick.end_mm)), strict=True)
        assert min(xs) >= MARGIN_MM
        assert max(xs) <= width - MARGIN_MM
        assert min(ys) >= MARGIN_MM + HEADER_MM
        assert max(ys) <= height - MARGIN_MM
        assert min(xs) >= right if axis else min(ys) >= bottom
