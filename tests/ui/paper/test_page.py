"""The scales on every printed page: positions of their ticks and numbers."""

from __future__ import annotations

import pytest

from ui.paper.page import HEADER_MM, MARGIN_MM, PAPERS_MM, Align, Line, Text, measured_page, room

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
