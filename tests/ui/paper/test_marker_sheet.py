import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.markers import Board
from rules.tabletop.errors import UserError
from ui.paper.marker_sheet import EDGE_IDS, EDGE_SIDE_IN, LENS_BOARD, board_sheet, marker_sheet
from ui.paper.page import PAPERS_MM, Align, Line, Page, Text, wrapped

MARGIN_MM = 10.0


def _inked(page: Page) -> list[tuple[float, float]]:
    """Extreme points of everything except text."""
    points = [point for line in page.lines for point in (line.start_mm, line.end_mm)]
    for pattern in page.patterns:
        x, y = pattern.corner_mm
        points += [(x, y), (x + len(pattern.black[0]) * pattern.cell_mm, y + len(pattern.black) * pattern.cell_mm)]
    return points


def _labels(page: Page) -> list[Text]:
    return [text for text in page.texts if text.words.startswith("Marker ")]


@pytest.mark.parametrize("paper", PAPERS_MM)
def test_the_default_sheet_has_four_markers_two_a_page(paper: str) -> None:
    sheet = marker_sheet(paper)
    assert [[text.words for text in _labels(page)] for page in sheet.pages] == [
        ["Marker 0 - 3 in (76.2 mm) side", "Marker 1 - 3 in (76.2 mm) side"],
        ["Marker 2 - 3 in (76.2 mm) side", "Marker 3 - 3 in (76.2 mm) side"],
    ]
    assert all("Print at 100 % (actual size)" in " ".join(text.words for text in page.texts) for page in sheet.pages)


def test_the_cells_are_those_of_the_dictionary() -> None:
    # 4X4_50 marker 0 as published with the dictionary: 1011 0101 0011 0010, 1 white, in a black frame.
    (pattern, _) = marker_sheet().pages[0].patterns
    drawn = ["".join("01"[not black] for black in row) for row in pattern.black]
    assert drawn == ["000000", "010110", "001010", "000110", "000100", "000000"]
    assert pattern.cell_mm * 6 == pytest.approx(76.2)  # 3 in


@settings(deadline=None)
@given(
    paper=st.sampled_from(sorted(PAPERS_MM)),
    side_in=st.floats(1.0, 4.5),
    ids=st.lists(st.integers(0, 49), min_size=1, max_size=50, unique=True),
    dictionary=st.sampled_from(["4X4_50", "6X6_250", "APRILTAG_36h11"]),
)
def test_every_marker_is_complete_with_margin(paper: str, side_in: float, ids: list[int], dictionary: str) -> None:
    sheet = marker_sheet(paper, side_in, ids, dictionary)
    width, height = PAPERS_MM[paper]
    assert [int(re.findall(r"\d+", text.words)[0]) for page in sheet.pages for text in _labels(page)] == ids
    for page in sheet.pages:
        for x, y in _inked(page):
            assert MARGIN_MM <= x <= width - MARGIN_MM
            assert MARGIN_MM <= y <= height - MARGIN_MM
        for pattern in page.patterns:
            # No line and no other marker is closer than one cell, the white margin that the detector needs.
            x, y = pattern.corner_mm
            side = len(pattern.black) * pattern.cell_mm
            others = [*page.lines, *(p for p in page.patterns if p is not pattern)]
            for other in others:
                low, high = _box(other)
                apart = max(low[0] - (x + side), x - high[0], low[1] - (y + side), y - high[1])
                assert apart >= pattern.cell_mm - 1e-9


def _box(thing: object) -> tuple[tuple[float, float], tuple[float, float]]:
    if isinstance(thing, Line):
        (x0, y0), (x1, y1) = thing.start_mm, thing.end_mm
        return (min(x0, x1), min(y0, y1)), (max(x0, x1), max(y0, y1))
    x, y = thing.corner_mm  # type: ignore[attr-defined]
    side = len(thing.black) * thing.cell_mm  # type: ignore[attr-defined]
    return (x, y), (x + side, y + side)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"side_in": 6.0}, "a marker of 6 in cannot be used on letter paper"),
        ({"side_in": 0.5}, "a marker of 0.5 in cannot be used on letter paper"),
        ({"side_in": math.nan}, "a marker of nan in cannot be used on letter paper"),
        ({"dictionary": "9X9_9"}, "there is no ArUco dictionary '9X9_9'"),
    ],
)
def test_an_unprintable_sheet_is_refused(changed: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        marker_sheet(**changed)  # type: ignore[arg-type]


@pytest.mark.parametrize("paper", PAPERS_MM)
def test_the_small_markers_fit_one_page_with_their_option(paper: str) -> None:
    (page,) = marker_sheet(paper, EDGE_SIDE_IN, EDGE_IDS).pages
    assert [text.words for text in _labels(page)][::7] == [
        "Marker 10 - 1.5 in (38.1 mm) side",
        "Marker 17 - 1.5 in (38.1 mm) side",
    ]
    assert any("Marker size, and enter 1.5 in" in text.words for text in page.texts)


@pytest.mark.parametrize("paper", PAPERS_MM)
def test_the_board_fits_and_prints_its_option(paper: str) -> None:
    (page,) = board_sheet(paper).pages
    words = [text.words for text in page.texts]
    assert "Board 6x8:1:0.75, dictionary 4X4_50" in words
    assert not any("--" in row for row in words), "nobody types a command on paper"
    assert any("squares 1 in (25.40 mm), markers 0.75 in (19.05 mm), ids 0 to 23 of 4X4_50" in row for row in words)
    width, height = PAPERS_MM[paper]
    for x, y in _inked(page):
        assert MARGIN_MM <= x <= width - MARGIN_MM
        assert MARGIN_MM <= y <= height - MARGIN_MM


def test_the_board_alternates_with_centred_markers() -> None:
    squares, *markers = board_sheet().pages[0].patterns
    assert all(
        black == ((row + column) % 2 == 0)
        for row, line in enumerate(squares.black)
        for column, black in enumerate(line)
    )
    assert len(markers) == 24
    for marker in markers:
        middle = [
            (at + 19.05 / 2 - corner) / 25.4 for at, corner in zip(marker.corner_mm, squares.corner_mm, strict=True)
        ]
        assert [value % 1 for value in middle] == pytest.approx([0.5, 0.5])
        assert not squares.black[int(middle[1])][int(middle[0])]


@pytest.mark.parametrize(
    ("board", "dictionary", "message"),
    [
        (
            Board(9, 9, 1.0, 0.7),
            "4X4_250",
            "the board 9x9:1:0.7 does not fit on letter paper: use squares of at most 0.74 in",
        ),
        (Board(12, 12, 0.5, 0.4), "4X4_50", "needs 72 markers, but 4X4_50 has only 50"),
        (LENS_BOARD, "9X9_9", "there is no ArUco dictionary '9X9_9'"),
    ],
)
def test_an_unprintable_board_is_refused(board: Board, dictionary: str, message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        board_sheet("letter", board, dictionary)


def test_the_squares_in_the_error_fit() -> None:
    with pytest.raises(UserError) as refused:
        board_sheet("a4", Board(9, 9, 1.0, 0.7))
    square_in = float(re.findall(r"squares of at most ([\d.]+) in", str(refused.value))[0])
    assert board_sheet("a4", Board(9, 9, square_in, 0.5)).pages


@given(st.text("abc .", max_size=200), st.floats(10.0, 190.0), st.floats(2.0, 5.0))
def test_wrapped_text_is_complete_and_fits(words: str, room_mm: float, size_mm: float) -> None:
    rows = wrapped(words, room_mm, size_mm)
    assert "".join(rows).replace(" ", "") == words.replace(" ", "")
    assert all(len(row) <= max(1, room_mm / (0.52 * size_mm)) for row in rows)


def test_a_markers_label_is_centred_below_it() -> None:
    """A marker of 3 in with its margin, a cell of 0.5 in, is 4 in wide; its label has 6 mm."""
    page = marker_sheet("a4").pages[0]
    left = page.lines[0].start_mm[0]
    top = page.lines[0].start_mm[1]
    label = _labels(page)[0]
    assert label.at_mm == pytest.approx((left + 50.8, top + 101.6 + 6 - 3.5))
    assert (label.size_mm, label.align, label.bold, label.room_mm) == (3.8, Align.CENTRE, False, pytest.approx(97.6))
    assert page.patterns[0].corner_mm == pytest.approx((left + 12.7, top + 12.7))
    # The cut frame is 4 in wide and 6 mm higher, centred in half the free area: (164 - 101.6) / 2.
    assert (left, top) == pytest.approx((10 + 31.2, 32 + (239 / 2 - 107.6) / 2))


def test_the_boards_labels_are_below_it() -> None:
    """Squares of 6 x 8 in, centred in the free area with 12 mm for the labels."""
    page = board_sheet("a4").pages[0]
    left, top = page.patterns[0].corner_mm
    assert (left, top) == pytest.approx((10 + (164 - 152.4) / 2, 32 + (239 - 203.2 - 12) / 2))
    first, second = (text for text in page.texts if text.words.startswith(("ChArUco", "Board")))
    assert (first.at_mm, second.at_mm) == (
        pytest.approx((left, top + 203.2 + 5)),
        pytest.approx((left, top + 203.2 + 10)),
    )
    assert (first.bold, second.bold) == (False, True)
    assert (first.size_mm, second.size_mm) == (3.6, 3.6)
    assert (first.room_mm, second.room_mm) == pytest.approx((152.4, 152.4))


def test_sheets_are_numbered_and_give_advice() -> None:
    first, second = marker_sheet("letter").pages
    assert [page.texts[0].words for page in (first, second)] == [f"Sandtable markers, sheet {n} of 2" for n in (1, 2)]
    said = [text.words for text in first.texts]
    assert "If they are not, enter the measured lengths in the program, and print again." in said
    assert not any("Marker size" in words for words in said), "the usual side goes without saying"
    other = [text.words for text in marker_sheet("letter", 2.0).pages[0].texts]
    assert (
        "All markers on a table must have the same size. Choose Calibration, Marker size, and enter 2 in for these."
        in other
    )
    assert not any("--" in words for words in (*said, *other)), "nobody types a command on paper"


@pytest.mark.parametrize(("paper", "largest"), [("letter", 5.0), ("a4", 4.8)])
def test_the_largest_marker_fits_the_width_with_its_margin(paper: str, largest: float) -> None:
    """The margin makes it 8/6 as wide: the 169.9 and 164 mm beside the scales fit 5.02 and 4.84 in of black."""
    assert marker_sheet(paper, largest).pages
    with pytest.raises(UserError, match=rf"to {largest:g} in \(the largest that fits with its white margin\)"):
        marker_sheet(paper, largest + 0.1)
    assert marker_sheet(paper, 1.0).pages
    with pytest.raises(UserError, match="choose a side from 1"):
        marker_sheet(paper, 0.99)


def test_a_board_may_have_as_many_markers_as_the_dictionary() -> None:
    assert board_sheet("a4", Board(10, 10, 0.6, 0.4), "4X4_50").pages
    with pytest.raises(UserError, match="needs 55 markers, but 4X4_50 has only 50"):
        board_sheet("a4", Board(10, 11, 0.6, 0.4), "4X4_50")
