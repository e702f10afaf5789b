from dataclasses import replace

import numpy as np
import pytest

from calibration.camera import Lens, TableCamera
from calibration.intrinsics import lens_parameters
from calibration.lens import BoardView, Chessboard, LensViews, add_view, find_view
from calibration.lens_fit import fit_lens
from calibration.markers import Board, dictionary_of
from calibration.opencv import cv2
from rules.tabletop.errors import UserError

SIZE = (1280, 720)
LENS = Lens(SIZE, [[1000, 0, 650], [0, 1000, 350], [0, 0, 1]], [-0.2, 0.05, 0.0004, -0.0003, 0])
BOARD = Board(6, 8, 1.0, 0.75)
IDS = np.arange(35, dtype=np.int32)
PLACES = [(x, y) for y in (-0.55, 0.0, 0.55) for x in (-0.75, 0.0, 0.75)]


def view(at, tilts_deg=(0.0, 0.0), away_in=16.0, noise_px=0.0, rng=None):
    """The board with its centre at a fraction of the half frame, rotated about its two axes."""
    points = BOARD.corners_in(IDS)
    turn = cv2.Rodrigues(np.radians([180 + tilts_deg[0], tilts_deg[1], 0.0]))[0]
    middle = np.array([at[0] * 0.64 * away_in, at[1] * 0.36 * away_in, away_in])
    camera = TableCamera(LENS, turn, middle - turn @ [*points.mean(0), 0])
    seen = camera.table_to_pixel(points)
    return BoardView(IDS, points, seen + (rng.normal(0, noise_px, seen.shape) if rng else 0))


def random_views(rng, noise_px=0.2, tilt_deg=30.0):
    lens_views = LensViews(SIZE)
    for k, at in enumerate(PLACES):
        answer = add_view(
            lens_views, view(at, (tilt_deg * (-1) ** k, tilt_deg * (k % 3 - 1)), noise_px=noise_px, rng=rng)
        )
        assert answer.accepted, answer.refusal
        lens_views = answer.lens_views
    return lens_views


@pytest.mark.slow
def test_the_lens_is_found_with_the_stated_covariance():
    """12 fits of nine parameters: whitened by the stated covariance, they have unit variance within sampling error."""
    rng = np.random.default_rng(2)
    squares = []
    for _ in range(12):
        fit = fit_lens(random_views(rng))
        off = lens_parameters(fit.lens) - lens_parameters(LENS)
        assert abs(off[0]) < 0.01
        squares.append(off @ np.linalg.solve(fit.lens.covariance, off) / 9)
        assert fit.residual_px == pytest.approx(0.2 * np.sqrt(2), rel=0.1)  # of two axes
    assert 0.6 < np.sqrt(np.mean(squares)) < 1.3


def test_an_outlying_view_is_rejected():
    lens_views = random_views(np.random.default_rng(1))
    bent = replace(
        lens_views.views[4], seen_px=lens_views.views[4].seen_px + np.random.default_rng(0).normal(0, 4, (35, 2))
    )
    views = (*lens_views.views[:4], bent, *lens_views.views[5:])
    fit = fit_lens(replace(lens_views, views=views))
    assert np.flatnonzero(np.isnan(fit.by_view_px)).tolist() == [4]


def test_too_few_views_are_refused_with_advice():
    lens_views = replace(random_views(np.random.default_rng(1)), views=random_views(np.random.default_rng(1)).views[:5])
    with pytest.raises(UserError, match=r"5 usable pictures .* 6 are needed: take more"):
        fit_lens(lens_views)
    with pytest.raises(UserError, match="there are no usable pictures"):
        fit_lens(LensViews(SIZE))


def test_views_without_a_tilt_do_not_determine_the_focal_length():
    """A board parallel to the picture looks the same from near with a short lens and from far with a long one."""
    lens_views = random_views(np.random.default_rng(1), tilt_deg=0.0)
    assert lens_views.coverage.slanted == 0
    assert "tilt the board" in lens_views.coverage.sentence
    with pytest.raises(UserError, match=r"focal length is uncertain .* tilted"):
        fit_lens(lens_views)


def test_coverage_lists_the_missing_parts():
    left = LensViews(SIZE, tuple(view(at, (20, 0)) for at in PLACES if at[0] < 0))
    assert {name.split()[-1] for name in left.coverage.missing} >= {"right"}
    assert not any("left" in name for name in left.coverage.missing)
    assert 0.2 < left.coverage.part < 0.6
    everywhere = LensViews(SIZE, tuple(view(at, (20, 0)) for at in PLACES))
    assert everywhere.coverage.missing == ()
    assert LensViews(SIZE).coverage.part == 0


def drawn(blur_px):
    """The board with squares of 60 px and corner (0, 0) at (100, 100), blurred."""
    sheet = cv2.aruco.CharucoBoard((6, 8), 1.0, 0.75, dictionary_of("4X4_50")).generateImage((360, 480))
    return cv2.GaussianBlur(np.pad(sheet, 100, constant_values=255), (0, 0), blur_px)


@pytest.mark.parametrize("blur_px", [0.8, 1.5, 3.0])
def test_blur_is_measured(blur_px):
    assert find_view(drawn(blur_px), BOARD, "4X4_50").blur_px == pytest.approx(blur_px, rel=0.15, abs=0.1)


def test_a_plain_chessboard():
    squares = np.kron(np.indices((6, 8)).sum(0) % 2, np.ones((50, 50))) * 255
    seen = find_view(np.pad(squares.astype(np.uint8), 60, constant_values=255), Chessboard(7, 5, 1.0), "")
    assert len(seen.ids) == 35
    # Inner corner (1, 1) of the squares is at 60 + 50 - 0.5; the detector may start at either end.
    ends = sorted([tuple(seen.seen_px[0]), tuple(seen.seen_px[-1])])
    assert np.array(ends) == pytest.approx(np.array([[109.5, 109.5], [409.5, 309.5]]), abs=0.5)
    assert find_view(np.full((300, 400), 200, np.uint8), Chessboard(7, 5, 1.0), "") is None
