"""Views of a board at the limits of acceptance, with computed corners."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.lens import BoardView, Chessboard, LensViews, add_view, find_view, measured_blur_px, view_distance_px
from calibration.markers import Board
from calibration.opencv import cv2
from rules.tabletop.errors import UserError

SIZE = (1200, 900)
BOARD = Chessboard(5, 4, 1.0)
IDS = np.arange(20, dtype=np.int32)


def view(square_px=60.0, at=(100.0, 100.0), count=20, blur_px=0.0, wider=1.0):
    """A board parallel to the picture, with squares `wider` by this factor at its right end."""
    points = BOARD.corners_in(IDS[:count])
    x = np.cumsum([0, *np.linspace(1, wider, 4)])[points[:, 0].astype(int)]
    return BoardView(IDS[:count], points, np.c_[x, -points[:, 1]] * square_px + at, blur_px)


def refused(seen, *before, size=SIZE):
    return add_view(LensViews(size, before), seen).refusal


def test_corners_are_numbered_along_the_rows():
    assert Chessboard(3, 4, 2.0).corners_in(np.arange(5, dtype=np.int32)).tolist() == [
        [0, 0],
        [2, 0],
        [4, 0],
        [0, -2],
        [2, -2],
    ]


@pytest.mark.parametrize("size", [(3, 4, 0.5), (4, 3, 0.5)])
def test_the_smallest_chessboard(size):
    assert Chessboard(*size).square_in == 0.5


@pytest.mark.parametrize("size", [(2, 3, 1.0), (3, 2, 1.0), (4, 4, 1.0), (3, 4, 0.0), (3, 4, float("nan"))])
def test_the_error_repeats_the_invalid_chessboard(size):
    with pytest.raises(UserError, match=f"{size[0]}x{size[1]} inner corners of {size[2]:g} in"):
        Chessboard(*size)


def test_neighbours_share_a_side_of_a_square():
    found = view().neighbours()
    across = {(5 * row + column, 5 * row + column + 1) for row in range(4) for column in range(4)}
    down = {(5 * row + column, 5 * row + column + 5) for row in range(3) for column in range(5)}
    assert set(found) == across | down
    assert len(found) == 31


def test_the_square_size_is_a_median():
    assert view(43.0).square_px == pytest.approx(43)


def test_at_least_eight_corners_must_be_visible():
    assert "no board found" in refused(None)
    assert refused(view(count=8)) == ""
    assert "only 7 corners" in refused(view(count=7))


def test_squares_are_at_least_eight_pixels_wide():
    assert refused(view(8.0)) == ""
    assert "only 8 px wide" in refused(view(7.9))


@pytest.mark.parametrize(
    ("square_px", "most_px"), [(8.1, 1.0), (8.3, 1.0), (10.0, 1.2), (20.0, 2.4), (21.0, 2.5), (100.0, 2.5)]
)
def test_the_largest_accepted_blur(square_px, most_px):
    """At least one pixel and at most 2.5 are accepted."""
    assert refused(view(square_px, blur_px=most_px - 0.01)) == ""
    assert f"blurred by {most_px + 0.01:.1f} px" in refused(view(square_px, blur_px=most_px + 0.01))


def test_the_same_view_is_not_taken_twice():
    """The limit is 2 % of 1200 px, 24 px."""
    here, there = view(), view(at=(700.0, 500.0))
    assert "the same place as in picture 1" in refused(view(at=(100.0, 123.0)), here, there)
    assert "the same place as in picture 2" in refused(view(at=(723.0, 500.0)), here, there)
    assert refused(view(at=(100.0, 125.0)), here, there) == ""
    tall = (900, 1200)
    assert refused(view(at=(100.0, 119.0)), here, size=tall) == "", "18 px are two hundredths of the width"


def test_the_distance_of_views_is_that_of_their_corners():
    assert view_distance_px(view(), view(at=(103.0, 104.0))) == pytest.approx(5)
    askew = view()
    other = replace(askew, seen_px=askew.seen_px + np.where(np.arange(20) % 2, 2.0, 0.0)[:, None] * (3, 4))
    assert view_distance_px(askew, other) == pytest.approx(np.sqrt(50)), (
        "half of them by 10 px: the root of a mean square"
    )


def test_corners_are_compared_by_id():
    later = BoardView(IDS[10:], BOARD.corners_in(IDS[10:]), view().seen_px[10:])
    assert view_distance_px(view(), later) == 0
    assert view_distance_px(later, view()) == 0


def test_views_with_few_common_corners_are_infinitely_apart():
    rest = view(at=(110.0, 100.0))

    def from_on(first):
        return BoardView(IDS[first:], rest.points_in[first:], rest.seen_px[first:])

    assert view_distance_px(view(count=8), from_on(4)) == 10
    assert view_distance_px(view(count=8), from_on(5)) == np.inf


@pytest.mark.parametrize(("wider", "slanted"), [(1.0, 0), (1.2, 0), (1.35, 1), (0.75, 1)])
def test_a_tilt_is_detected_by_different_square_sizes(wider, slanted):
    """Percentiles ignore a tenth of the squares at either end; on a tilted board the sides differ by 20 %."""
    assert LensViews(SIZE, (view(wider=wider),)).coverage.slanted == slanted


def test_an_accepted_view_comes_last():
    before = LensViews(SIZE, (view(),))
    answer = add_view(before, view(at=(500.0, 500.0)))
    assert answer.accepted
    assert add_view(answer.lens_views, view()).lens_views is answer.lens_views, "the same place again"
    assert [seen.seen_px[0].tolist() for seen in answer.lens_views.views] == [[100, 100], [500, 500]]
    assert answer.lens_views.image_size == SIZE


def bars(blur_px=1.0):
    """A chessboard of 7 x 6 squares of 50 px, with 6 x 5 inner corners."""
    squares = np.kron(np.indices((6, 7)).sum(0) % 2, np.ones((50, 50))) * 200 + 20
    padded = np.pad(squares, 60, constant_values=220).astype(np.uint8)
    return cv2.GaussianBlur(padded, (0, 0), blur_px)


def test_the_blur_of_the_worse_direction_counts():
    """A box of 9 px: its slope is 1/9 per pixel, as for a Gaussian with sigma 9 / sqrt(2 pi)."""
    board = Chessboard(6, 5, 1.0)
    for size in ((9, 1), (1, 9)):
        found = find_view(cv2.blur(bars(0.3), size), board, "")
        assert found.blur_px == pytest.approx(9 / np.sqrt(2 * np.pi), rel=0.1)


def test_blur_is_measured_where_the_edges_are():
    """A board on the right of a wide picture, white elsewhere."""
    points = BOARD.corners_in(IDS)
    gray = np.full((700, 1100), 220, np.uint8)
    gray[400:650, 750:1050] = np.kron(np.indices((5, 6)).sum(0) % 2, np.ones((50, 50))) * 200 + 20
    seen = BoardView(IDS, points, points * (50, -50) + (799.5, 449.5))
    assert measured_blur_px(cv2.GaussianBlur(gray, (0, 0), 1.5), seen) == pytest.approx(1.5, rel=0.1)


def test_without_clear_edges_blur_is_zero():
    """Edges of 15 grey levels are too weak to measure blur."""
    faint = (bars().astype(float) * 0.07 + 100).astype(np.uint8)
    found = find_view(faint, Chessboard(6, 5, 1.0), "")
    assert found is None or found.blur_px == 0


def test_a_picture_without_a_board_gives_none():
    assert find_view(np.full((300, 400), 200, np.uint8), Board(6, 8, 1.0, 0.75), "4X4_50") is None
