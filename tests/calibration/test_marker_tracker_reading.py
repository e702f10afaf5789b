"""Sampling lines across edges, and the choice of tracked markers, with explicit grey levels and places."""

import numpy as np
import pytest

from calibration.marker_tracker import MAX_TRACKED, edge_crossings, far_apart, matches_print, track_markers
from tests.calibration.test_marker_tracker import GRAY, SIZE, TRUE

STEP = np.array([[0.5]])


def read(*levels):
    """The crossing of one line of 13 samples, half a pixel apart, and whether it is clear."""
    gap, clean = edge_crossings(np.array([[levels]], np.float32), STEP)
    return float(gap[0, 0]), bool(clean[0, 0])


@pytest.mark.parametrize(
    ("levels", "gap_px"),
    [
        ((0,) * 6 + (50,) + (100,) * 6, 0.0),  # half way at the middle, the seventh of 13
        ((0,) * 6 + (100,) * 7, -0.25),  # between the sixth and the seventh
        ((0,) * 7 + (100,) * 6, 0.25),
        ((0,) * 6 + (80,) + (100,) * 6, -0.1875),  # 50 of 80 from the sixth to the seventh
        ((0,) * 3 + (100,) * 10, -1.75),
        ((0,) * 10 + (100,) * 3, 1.75),
        ((20,) * 6 + (26,) + (32.5,) * 6, 0.01),  # 12.5 levels are enough
    ],
)
def test_the_crossing_is_at_half_light(levels, gap_px):
    found, clean = read(*levels)
    assert clean
    assert found == pytest.approx(gap_px, abs=1e-3 if len(set(levels)) < 3 or max(levels) > 50 else 0.02)


@pytest.mark.parametrize(
    "levels",
    [
        (20,) * 7 + (32,) * 6,  # 12 levels are no contrast
        (100,) * 6 + (0,) * 7,  # from paper to ink: another edge
        (100, 0, 0) + (0,) * 3 + (100,) * 7,  # light at its inner end
        (0,) * 7 + (100,) * 5 + (0,),  # dark at its outer end
    ],
)
def test_an_unclear_edge_gives_zero(levels):
    assert read(*levels) == (0.0, False)


@pytest.mark.parametrize(("wrong", "seen"), [(0, True), (3, True), (4, False)])
def test_one_wrong_cell_in_ten_is_accepted(wrong, seen):
    """Three of 36 cells are fewer than a tenth, four are more."""
    paper = np.arange(36) % 2 == 0
    cells = np.where(paper, 200, 30).astype(np.float32)
    cells[:wrong] = 230 - cells[:wrong]
    assert matches_print(cells[None], paper[None]).tolist() == [seen]


def test_cells_are_compared_with_the_markers_own_brightness():
    paper = np.arange(36) % 2 == 0
    both = np.array([np.where(paper, 60, 10), np.where(paper, 250, 180)], np.float32)
    assert matches_print(both, np.array([paper, paper])).tolist() == [True, True]


def test_each_further_marker_is_the_farthest_one():
    """The search starts from the lowest id; of ten on a line it picks the ends, then the centres of the gaps."""
    line = {number: np.array([100.0 * number, 50]) for number in range(3, 13)}
    assert far_apart({3: line[3]}) == [3]
    assert far_apart(dict(list(line.items())[:MAX_TRACKED])) == [3, 4, 5, 6, 7, 8, 9, 10]
    uneven = {0: np.array([0.0, 0]), 1: np.array([10.0, 0]), 2: np.array([0, 900.0]), 3: np.array([800.0, 0])}
    near = {4 + k: np.array([k, 5.0]) for k in range(6)}
    chosen = far_apart(uneven | near)
    assert len(chosen) == MAX_TRACKED
    assert {1, 2, 3} <= set(chosen)
    assert chosen == sorted(chosen)


def test_a_marker_is_tracked_if_its_centre_is_in_the_picture():
    square = np.array([[0.0, 0], [40, 0], [40, 40], [0, 40]])
    places = {1: square - 21, 2: square - 20, 3: square + (900, 400), 4: square + (920, 519), 5: square + (940, 520)}
    places[6] = np.where(np.eye(4, 2) > 0, np.nan, square + 200)
    assert track_markers(places, "4X4_50", SIZE).ids == (2, 3, 4)


def test_samples_lie_across_edges_and_in_cells():
    """An upright marker of 60 px: cells of 10 px, lines of 4.5 px on either side of an edge."""
    square = np.array([[100.0, 100], [160, 100], [160, 160], [100, 160]])
    looked = track_markers({0: square}, "4X4_50", SIZE)
    assert looked.u_px.shape == looked.v_px.shape == (1, 40 * 13 + 36)
    u, v = (at[0, :520].reshape(40, 13) for at in (looked.u_px, looked.v_px))
    assert looked.step_px == pytest.approx(np.array([[0.75]]))
    assert np.hypot(u[:, -1] - u[:, 0], v[:, -1] - v[:, 0]) == pytest.approx([9.0] * 40, abs=1e-3)
    middle = np.c_[u[:, 6], v[:, 6]] - 100
    on_line = np.abs(middle / 10 - np.round(middle / 10)).min(1)
    assert on_line == pytest.approx([0] * 40, abs=1e-3), "each lies on an edge between cells"
    upright = np.abs(u[:, -1] - u[:, 0]) > 1
    assert 8 < upright.sum() < 32, "some across upright edges, some across level ones"
    cells = np.c_[looked.u_px[0, 520:], looked.v_px[0, 520:]]
    row, column = np.divmod(np.arange(36), 6)
    assert cells == pytest.approx(np.c_[105 + 10 * column, 105 + 10 * row], abs=1e-3)
    assert looked.paper.shape == (1, 36)


@pytest.mark.parametrize(("side_px", "reach_px"), [(12.0, 1.0), (60.0, 4.5), (90.0, 6.0)])
def test_the_length_of_the_sampling_lines(side_px, reach_px):
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]) * side_px + 100
    assert track_markers({0: square}, "4X4_50", SIZE).step_px == pytest.approx(np.array([[reach_px / 6]]))


def test_a_check_returns_corners_and_shift():
    watching = track_markers({n: px + (0.6, -0.8) for n, px in TRUE.items()}, "4X4_50", SIZE)
    check = watching.check(GRAY)
    for k, number in enumerate(watching.ids):
        shift = check.corners_px[number] - watching.corners_px[k]
        assert check.shift_px[number] == pytest.approx(np.linalg.norm(shift, axis=1).mean())
        assert shift.mean(0) == pytest.approx((-0.6, 0.8), abs=0.25)


def test_half_of_the_edges_must_be_visible():
    """A hand may cover the lower third of a marker, but not the lower two thirds."""
    x, y = TRUE[0].min(0).astype(int)
    right, bottom = TRUE[0].max(0).astype(int)
    for part, hidden in ((0.12, False), (0.66, True)):
        gray = GRAY.copy()
        edge = int(bottom - part * (bottom - y))
        gray[edge : bottom + 8, x - 8 : right + 8] = 40
        assert (0 in track_markers(TRUE, "4X4_50", SIZE).check(gray).hidden) is hidden
