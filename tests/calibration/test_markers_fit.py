"""Parts of the marker fit, on explicit patterns and pictures."""

import numpy as np
import pytest

from calibration.marker_issue import Reason
from calibration.markers import (
    SMALLEST_SIDE_PX,
    Board,
    SeenMarker,
    apply_homography,
    bad_fit_issue,
    edge_crossings,
    find_board,
    find_markers,
    homography_jacobian,
    linear_light,
    matches_pattern,
    pattern_edges,
    pattern_of,
    refit_marker,
    scan_markers,
    side_px,
    size_issue,
    square_homography,
)
from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from tests.calibration.drawn import camera, marker_corners, picture

DICTIONARY = "4X4_50"
SQUARE = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])


def printed(number=3, cell_px=10, at=(40, 40), size=(200, 200)):
    """A pixel-aligned marker; its corners lie half a pixel before its first pixels."""
    gray = np.full(size, 255, np.uint8)
    marker = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(0), number, 6 * cell_px)
    gray[at[1] : at[1] + 6 * cell_px, at[0] : at[0] + 6 * cell_px] = marker
    return cv2.GaussianBlur(gray, (0, 0), 1.0)


def corners_of(cell_px=10, at=(40, 40)):
    return SQUARE * 6 * cell_px + at - 0.5


def test_linear_light_follows_srgb():
    """0, a value in the linear part, one in the curve (IEC 61966-2-1), and the maximum."""
    found = linear_light(np.array([[0, 5, 10, 11, 128, 255]], np.uint8))[0]
    curve = [((v / 255 + 0.055) / 1.055) ** 2.4 for v in (11, 128)]
    assert found == pytest.approx([0, 5 / 255 / 12.92, 10 / 255 / 12.92, *curve, 1], rel=1e-5)


def test_edges_point_from_ink_to_paper():
    """One cell of paper surrounded by ink: its four sides, with two points on each, at the thirds."""
    paper = np.zeros((3, 3), bool)
    paper[1, 1] = True
    places, outward = pattern_edges(paper, 2)
    found = {(round(float(x), 3), round(float(y), 3)): tuple(way) for (x, y), way in zip(places, outward, strict=True)}
    # Counted from the centre cell's top left corner; the ring around it is the quiet zone.
    assert found == {
        (0, 0.333): (1, 0),
        (0, 0.667): (1, 0),
        (1, 0.333): (-1, 0),
        (1, 0.667): (-1, 0),
        (0.333, 0): (0, 1),
        (0.667, 0): (0, 1),
        (0.333, 1): (0, -1),
        (0.667, 1): (0, -1),
    }


def test_a_pattern_has_the_code_in_a_black_border():
    """4X4_50's marker 0 as published: 1011 0101 0011 0010, 1 white."""
    pattern = pattern_of(DICTIONARY, 0)
    rows = ["".join("01"[cell] for cell in row) for row in pattern.paper.astype(int)]
    assert rows == ["000000", "010110", "001010", "000110", "000100", "000000"]
    assert pattern.id == 0
    assert np.linalg.norm(pattern.outward, axis=1) == pytest.approx(np.ones(len(pattern.places)))
    # The border's outer edge alone has 6 x 4 cell sides with four points each.
    outer = (pattern.places == 0).any(1) | (pattern.places == 6).any(1)
    assert outer.sum() == 96
    assert set(np.round(np.mod(pattern.places[outer], 1).ravel(), 6)) == {0.0, 0.2, 0.4, 0.6, 0.8}


def test_a_homography_maps_the_grid_to_its_corners():
    quad = np.array([[100.0, 90], [170, 100], [160, 175], [95, 150]])
    h = square_homography(6, quad)
    assert apply_homography(h, SQUARE * 6) == pytest.approx(quad, abs=1e-4)
    plain = square_homography(6, SQUARE * 60)
    assert apply_homography(plain, np.array([[1.5, 2]])) == pytest.approx(np.array([[15, 20]]), abs=1e-4)


def test_the_jacobian_of_a_place():
    rng = np.random.default_rng(1)
    h = square_homography(6, np.array([[100.0, 90], [170, 100], [160, 175], [95, 150]]))
    places, normal = rng.uniform(0, 6, (7, 2)), rng.normal(size=(7, 2))
    found = homography_jacobian(h, places, normal)
    for k in range(8):
        step = np.eye(8)[k] * 1e-6
        numeric = ((apply_homography(h + step, places) - apply_homography(h - step, places)) * normal).sum(1) / 2e-6
        assert found[:, k] == pytest.approx(numeric, rel=1e-4, abs=1e-4)


def ramp(*levels):
    return np.tile(np.array(levels, np.float32), (9, 1))


@pytest.mark.parametrize(
    ("levels", "crossing"),
    [
        ((0, 0, 0, 0, 0, 0.5, 1, 1, 1, 1, 1), 0.0),
        ((0, 0, 0, 0, 0, 0.2, 1, 1, 1, 1, 1), 0.375),  # 0.3 of the 0.8 from the fifth pixel to the next
        ((0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1), -2.5),
        ((0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1), 2.5),
        ((0.5, 0.5, 0.5, 0.5, 0.5, 0.515, 0.53, 0.53, 0.53, 0.53, 0.53), 0.0),
        ((0.5, 0.5, 0.5, 0.5, 0.5, 0.505, 0.51, 0.51, 0.51, 0.51, 0.51), np.nan),  # no contrast
        ((1, 1, 1, 1, 1, 0.5, 0, 0, 0, 0, 0), np.nan),  # from paper to ink
        ((0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0.1), np.nan),  # dark again at its end
        ((0.9, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1), np.nan),  # light at its beginning
    ],
)
def test_an_edge_is_located_at_half_light(levels, crossing):
    found = edge_crossings(ramp(*levels), np.array([[5.0, 4]]), np.array([[1.0, 0]]), 5.0)
    assert found == pytest.approx([crossing], abs=1e-3, nan_ok=True)


def test_an_edge_is_searched_along_its_normal():
    found = edge_crossings(ramp(0, 0, 0, 0, 0, 0.5, 1, 1, 1, 1, 1), np.array([[5.0, 4]]), np.array([[-1.0, 0]]), 4.0)
    assert np.isnan(found).all(), "the other way it runs from paper to ink"
    down = edge_crossings(ramp(0, 0, 0, 0, 0.5, 1, 1, 1, 1).T[:9], np.array([[4.0, 4]]), np.array([[0, 1.0]]), 3.0)
    assert down == pytest.approx([0], abs=1e-3)


def test_a_marker_is_read_at_the_centres_of_its_cells():
    gray = printed(3)
    light, pattern = linear_light(gray), pattern_of(DICTIONARY, 3)
    assert matches_pattern(light, corners_of(), pattern)
    assert matches_pattern(light * 0.2 + 0.1, corners_of(), pattern), "by its own light"
    assert not matches_pattern(light, corners_of(), pattern_of(DICTIONARY, 4))
    cells = [(row, column) for row in range(6) for column in range(6) if not pattern.paper[row, column]]
    for wrong, read in ((3, True), (4, False)):  # of 36
        picture_with_wrong_marker = gray.copy()
        for row, column in cells[:wrong]:
            picture_with_wrong_marker[40 + 10 * row : 50 + 10 * row, 40 + 10 * column : 50 + 10 * column] = 255
        assert matches_pattern(linear_light(picture_with_wrong_marker), corners_of(), pattern) is read


def test_a_pixel_aligned_marker_is_found_to_hundredths():
    (seen,) = find_markers(printed(), DICTIONARY)
    assert seen.corners_px == pytest.approx(corners_of(), abs=0.03)
    assert seen.residual_px < 0.15
    assert side_px(seen.corners_px) == pytest.approx(60, abs=0.02)


@pytest.mark.parametrize(
    ("at", "cut"), [((2, 70), (-2, -1)), ((70, 3), (1, -2)), ((138, 70), (2, 1)), ((70, 137), (0, 2))]
)
def test_a_marker_at_the_pictures_border_is_refitted(at, cut):
    again = refit_marker(printed(at=at), corners_of(at=at) + cut, DICTIONARY, 3)
    assert again.corners_px == pytest.approx(corners_of(at=at), abs=0.3), "half of some lines is cut off"
    assert again.id == 3


def test_a_marker_mostly_outside_the_picture_is_not_refitted():
    gray = printed(at=(100, 100))
    assert refit_marker(gray, corners_of(at=(195, 100)), DICTIONARY, 3) is None
    assert refit_marker(gray, corners_of(at=(100, -75)), DICTIONARY, 3) is None
    assert refit_marker(gray, np.full((4, 2), np.nan), DICTIONARY, 3) is None
    assert refit_marker(gray, np.where(np.eye(4, 2) > 0, np.inf, corners_of(at=(100, 100))), DICTIONARY, 3) is None


def test_a_shift_of_nearly_half_a_cell_is_followed():
    gray = printed()
    for shift_px in (4.0, -4.0):
        again = refit_marker(gray, corners_of() + (shift_px, 0), DICTIONARY, 3)
        assert again.corners_px == pytest.approx(corners_of(), abs=0.1)
    assert refit_marker(gray, corners_of() + (9.0, 0), DICTIONARY, 3) is None


def test_the_smallest_side_is_twenty_pixels():
    assert SMALLEST_SIDE_PX == 20
    assert size_issue(3, SQUARE * 20.0) is None
    assert "19 px wide; 20 needed" in size_issue(3, SQUARE * 19.9).sentence
    trouble = size_issue(3, SQUARE * 19.4)
    assert (trouble.reason, trouble.id, trouble.outline_px[2]) == (Reason.TOO_SMALL, 3, (19.4, 19.4))
    assert "(19 px wide; 20 needed)" in trouble.sentence


def test_a_small_marker_is_measured_and_a_smaller_one_is_set_aside():
    """60 px scaled by 0.38 are 22.8 px, by 0.3 18 px."""
    large, small = (
        scan_markers(cv2.resize(printed(), None, fx=by, fy=by, interpolation=cv2.INTER_AREA), DICTIONARY)
        for by in (0.38, 0.3)
    )
    assert [marker.id for marker in large.found] == [3]
    assert [(trouble.reason, trouble.id) for trouble in small.set_aside] == [(Reason.TOO_SMALL, 3)]


@pytest.mark.parametrize(
    ("side", "off_px", "reason"),
    [
        (50.0, 0.59, None),
        (50.0, 0.61, Reason.NOT_FLAT),
        (200.0, 1.19, None),  # 0.6 % of a side
        (200.0, 1.21, Reason.NOT_FLAT),
    ],
)
def test_a_bent_marker_is_not_flat(side, off_px, reason):
    trouble = bad_fit_issue(3, SQUARE * side, SeenMarker(3, SQUARE * side, off_px, 0.0))
    assert (trouble and (trouble.reason, trouble.id)) == (reason and (reason, 3))


def test_a_marker_without_a_fit_is_blurred():
    trouble = bad_fit_issue(3, SQUARE * 50, None)
    assert (trouble.reason, trouble.id, len(trouble.outline_px)) == (Reason.BLURRED, 3, 4)


def test_the_error_is_that_of_the_first_marker_set_aside():
    gray = picture(camera(), {3: marker_corners((20, 14), 1.2), 1: marker_corners((28, 14), 1.2)})
    with pytest.raises(UserError, match="marker 1 is too small"):
        find_markers(gray, DICTIONARY)
    both = picture(camera(), {3: marker_corners((20, 14), 1.2), 1: marker_corners((28, 14), 3.0)})
    assert [marker.id for marker in find_markers(both, DICTIONARY)] == [1]


def board_picture(legacy=False, shown=slice(None), columns=7, rows=6):
    board = cv2.aruco.CharucoBoard((columns, rows), 1.4, 1.0, cv2.aruco.getPredefinedDictionary(0))
    board.setLegacyPattern(legacy)
    gray = np.pad(board.generateImage((100 * columns, 100 * rows)), 40, constant_values=255)
    hidden = np.full_like(gray, 255)
    hidden[:, shown] = gray[:, shown]
    return hidden


@pytest.mark.parametrize("legacy", [False, True])
def test_boards_of_either_pattern_are_found(legacy):
    """Until OpenCV 4.6, a board with an even number of rows started with a marker instead of a black square."""
    board = Board(7, 6, 1.4, 1.0)
    seen = find_board(board_picture(legacy), board, DICTIONARY)
    assert seen.ids.tolist() == list(range(30))
    assert seen.corners_px == pytest.approx(board.corners_in(seen.ids) * (1, -1) / 1.4 * 100 + 39.5, abs=0.3)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ((1, 5, 1.4, 1.0), "a board of 1x5 squares"),
        ((5, 1, 1.4, 1.0), "a board of 5x1 squares"),
        ((2, 2, 1.0, 0.995), "markers of 0.995 in"),
        ((7, 5, 1.0, 1.4), "markers of 1.4 in"),
        ((7, 5, 1.4, 0.0), "markers of 0 in"),
        ((2, 2, 401.0, 1.0), "squares of 401 in"),
        ((2, 2, 1.0, 0.009), "markers of 0.009 in"),
    ],
)
def test_the_error_repeats_the_invalid_board(size, words):
    with pytest.raises(UserError, match=words):
        Board(*size)


def test_boards_at_the_limits():
    assert Board(2, 2, 400.0, 300.0).square_in == 400
    assert Board(2, 2, 0.02, 0.01).marker_in == 0.01
    assert Board(2, 2, 1.0, 0.98).columns == 2


def test_a_boards_marker_is_centred_in_a_white_square():
    marks = Board(3, 4, 2.0, 1.0).marker_corners_in(DICTIONARY)
    assert sorted(marks) == [0, 1, 2, 3, 4, 5]
    assert marks[0] == pytest.approx(np.array([[2.5, -0.5], [3.5, -0.5], [3.5, -1.5], [2.5, -1.5]]))
    assert marks[1] == pytest.approx(marks[0] + (-2, -2))
