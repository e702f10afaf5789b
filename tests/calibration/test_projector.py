"""A projector solved from the places that its pixels light, and the pattern that it shows for that."""

import numpy as np
import pytest

from calibration.calibration_targets import CalibrationTargets, Detections, fix
from calibration.projector import COLUMNS, LEAST_POINTS, Pattern, gray_code, solve_projector
from rules.tabletop.errors import UserError
from vision.simulation.projector import hung_projector
from vision.simulation.scene import corner_markers
from vision.simulation.simulator import overhead_camera

SIZE_PX, TABLE_IN = (1280, 720), (48.0, 36.0)
CAMERA = overhead_camera()
MARKERS = {marker.id: marker.corners_in for marker in corner_markers(TABLE_IN)}
NOISE_PX = 0.2
"""Of a corner, in the camera's pixels."""


@pytest.fixture(scope="module")
def measured():
    seen = {number: CAMERA.table_to_pixel(corners) for number, corners in MARKERS.items()}
    return fix(Detections(CAMERA.lens.image_size, seen), CalibrationTargets(layout=MARKERS), CAMERA.lens).calibration


def seen_corners(model, measured, seed=0):
    """The pattern's corners on the table: projector pixels, and the places that the camera measures with its noise."""
    lit_px = Pattern(SIZE_PX).corners_px
    seen_px = CAMERA.table_to_pixel(model.pixel_to_table(lit_px))
    seen_px += np.random.default_rng(seed).normal(0, NOISE_PX, seen_px.shape)
    return lit_px, measured.camera.pixel_to_table(seen_px)


def errors_in(projection, model, height_in=0.0):
    x, y = np.meshgrid(np.linspace(4, 44, 9), np.linspace(4, 32, 7))
    points = np.c_[x.ravel(), y.ravel(), np.full(x.size, height_in)]
    lit = model.pixel_to_table(projection.camera.table_to_pixel(points), height_in)
    return np.linalg.norm(lit - points[:, :2], axis=1), projection.sigma_in(points)


@pytest.mark.parametrize("keystone_deg", [0.0, 15.0, -30.0])
def test_light_falls_where_it_should_although_some_points_lie_on_figures(measured, keystone_deg):
    model = hung_projector(SIZE_PX, TABLE_IN, keystone_deg=keystone_deg)
    lit_px, places_in = seen_corners(model, measured)
    places_in[::5] += (0.4, -0.6)  # a fifth of the corners, on heads
    projection, agrees = solve_projector(lit_px, places_in, SIZE_PX, measured)
    assert not agrees[::5].any()
    assert agrees.sum() > 0.75 * len(lit_px)
    # A corner is off by 0.2 px or 0.007 in; the fit averages over 96 of them.
    error_in, sigma_in = errors_in(projection, model)
    assert np.median(error_in) < 0.007
    assert np.percentile(error_in, 95) < 0.02
    # The stated error also holds for light 2 in above the table, where only the usual projector fixes the parallax.
    high_in, high_sigma_in = errors_in(projection, model, 2.0)
    assert (high_in < 3 * high_sigma_in).all()
    assert np.median(high_sigma_in) > np.median(sigma_in)


def test_the_cameras_own_error_is_part_of_the_lights(measured):
    projection, _ = solve_projector(*seen_corners(hung_projector(SIZE_PX, TABLE_IN), measured), SIZE_PX, measured)
    points = [(20.0, 15.0, 0.0), (40.0, 30.0, 0.0)]
    assert (projection.sigma_in(points) > measured.sigma_in(points)).all()


def test_a_mirrored_picture_and_too_few_points_are_refused(measured):
    lit_px, places_in = seen_corners(hung_projector(SIZE_PX, TABLE_IN), measured)
    with pytest.raises(UserError, match="mirrored: turn off rear projection"):
        solve_projector((SIZE_PX[0], 0) + lit_px * (-1, 1), places_in, SIZE_PX, measured)
    for few in (places_in[: LEAST_POINTS - 1], np.where(np.arange(len(places_in))[:, None] < 9, places_in, np.nan)):
        with pytest.raises(UserError, match="too little of the projector's pattern"):
            solve_projector(lit_px[: len(few)], few, SIZE_PX, measured)
    scattered = np.random.default_rng(1).uniform(0, 40, places_in.shape)
    with pytest.raises(UserError, match="too little of the projector's pattern"):
        solve_projector(lit_px, scattered, SIZE_PX, measured)


@pytest.mark.parametrize("size_px", [(1280, 720), (1024, 768), (1366, 768)])
def test_the_pattern_is_a_board_whose_markers_are_read_at_their_places(size_px):
    pattern = Pattern(size_px)
    for column, row in np.round(pattern.corners_px * 2).astype(int):
        left, top = column // 2, row // 2  # a corner lies between four pixels, of which the diagonal ones are equal
        (a, b), (c, d) = pattern.picture[top : top + 2, left : left + 2]
        assert a == d != b == c
    drawn_px, seen_px = pattern.read(pattern.picture)
    assert len(drawn_px) == 4 * (COLUMNS * pattern.rows // 2)  # a marker in every other square
    assert np.abs(drawn_px - seen_px).max() < 1.5  # drawn in whole pixels; corners are refined later


def test_the_codes_number_the_squares():
    pattern = Pattern((1366, 768))
    middles = np.round(pattern.middles_px).astype(int)
    bits = np.array([code[middles[..., 1], middles[..., 0]] > 0 for code in pattern.codes])
    half = pattern.code_bits
    weights = (1 << np.arange(half))[:, None, None]
    assert ((bits[:half] * weights).sum(0) == gray_code(np.arange(COLUMNS))).all()
    assert ((bits[half:] * weights).sum(0) == gray_code(np.arange(pattern.rows))[:, None]).all()
    neighbours = gray_code(np.arange(15)) ^ gray_code(np.arange(1, 16))
    assert all(int(change).bit_count() == 1 for change in neighbours)
