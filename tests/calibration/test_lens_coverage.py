"""Coverage of the picture by views of a board."""

import numpy as np
import pytest

from calibration.lens import BoardView, Coverage, LensViews

NINTHS = (
    *("top left", "top centre", "top right"),
    *("middle left", "middle", "middle right"),
    *("bottom left", "bottom centre", "bottom right"),
)


def cells(filled=0, row=0, column=0):
    """(9, 12) with `filled` of the twelve cells of one ninth."""
    ninth = np.zeros(12, bool)
    ninth[:filled] = True
    all_of_them = np.zeros((9, 12), bool)
    all_of_them[3 * row : 3 * row + 3, 4 * column : 4 * column + 4] = ninth.reshape(3, 4)
    return all_of_them


def test_nothing_is_covered_at_first():
    assert Coverage(cells(), 0).missing == NINTHS
    assert LensViews((1200, 900)).coverage.part == 0


@pytest.mark.parametrize("index", range(9))
def test_a_ninth_counts_from_two_fifths_of_its_cells(index):
    row, column = divmod(index, 3)
    assert Coverage(cells(4, row, column), 0).missing == NINTHS, "4 of 12 are a third"
    assert Coverage(cells(5, row, column), 0).missing == NINTHS[:index] + NINTHS[index + 1 :]


def test_a_view_covers_what_its_corners_enclose():
    """A board over the left half; one cell is 100 x 100 px."""
    x, y = np.meshgrid(np.linspace(10, 590, 5), np.linspace(10, 890, 4))
    points = np.stack(np.meshgrid(np.arange(5.0), -np.arange(4.0)), -1).reshape(-1, 2)
    view = BoardView(np.arange(20, dtype=np.int32), points, np.c_[x.ravel(), y.ravel()])
    found = LensViews((1200, 900), (view,)).coverage
    assert found.cells.shape == (9, 12)
    assert found.part == 0.5
    assert found.cells[:, :6].all()
    assert found.missing == ("top right", "middle right", "bottom right")  # the middle ninths have two of four columns


@pytest.mark.parametrize(
    ("covered", "slanted", "words"),
    [
        (np.ones((9, 12), bool), 2, "The board has been in 100 % of the frame"),
        (
            np.repeat([[True] * 8 + [False] * 4], 9, 0),
            2,
            "The board has been in 67 % of the frame; move the board to: top right, middle right, bottom right",
        ),
        (
            np.ones((9, 12), bool),
            1,
            "The board has been in 100 % of the frame; tilt the board in some pictures, to measure the focal length",
        ),
    ],
)
def test_the_sentence_says_what_to_show_next(covered, slanted, words):
    assert Coverage(covered, slanted).sentence == words
