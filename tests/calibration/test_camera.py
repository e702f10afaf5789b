import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.camera import Lens, TableCamera, times_full_hd
from rules.tabletop.errors import UserError

IDEAL = Lens((1000, 800), [[800, 0, 500], [0, 800, 400], [0, 0, 1]], [0] * 5)
# The camera looks straight down from (10, 20, 40): x right, and the picture's down is the table's -y.
DOWN = np.diag([1.0, -1.0, -1.0])
OVERHEAD = TableCamera(IDEAL, DOWN, -DOWN @ np.array([10.0, 20.0, 40.0]))


def tilted(k1, tilt_deg):
    c, s = math.cos(math.radians(tilt_deg)), math.sin(math.radians(tilt_deg))
    rotation = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ DOWN
    lens = Lens((1000, 800), IDEAL.matrix, [k1, 0.05, 0.001, -0.001, 0])
    return TableCamera(lens, rotation, -rotation @ np.array([10.0, 20.0, 40.0]))


def test_straight_down():
    # A focal length of 800 px at a height of 40 in gives 20 px per inch; the axis meets the table below the camera.
    assert OVERHEAD.table_to_pixel([[10, 20, 0], [11, 20, 0], [10, 21, 0]]) == pytest.approx(
        np.array([[500, 400], [520, 400], [500, 380]])
    )
    assert OVERHEAD.px_per_inch(10, 20) == pytest.approx(20)


def test_a_raised_point_shifts_outwards():
    # 24 in off the axis and 2.1 in high, camera 40 in high: the point covers the table 24 * 2.1 / 37.9 = 1.33 in on.
    head = OVERHEAD.table_to_pixel([34, 20, 2.1])
    assert OVERHEAD.pixel_to_table(head)[0] == pytest.approx([34 + 24 * 2.1 / 37.9, 20])
    assert OVERHEAD.pixel_to_table(head, 2.1)[0] == pytest.approx([34, 20])


@settings(deadline=None)
@given(
    st.floats(-0.25, 0.1), st.floats(0, 25), st.floats(-8, 28), st.floats(5, 34), st.floats(0, 6)
)  # fmt: skip
def test_pixel_and_table_conversions_are_inverse(k1, tilt_deg, x, y, height):
    camera = tilted(k1, tilt_deg)
    pixel = camera.table_to_pixel([x, y, height])
    assert camera.pixel_to_table(pixel, height)[0] == pytest.approx([x, y], abs=1e-6)


def test_each_pixel_may_have_its_own_height():
    points = np.array([[5.0, 10, 0], [12, 22, 1.5], [20, 30, 4]])
    back = OVERHEAD.pixel_to_table(OVERHEAD.table_to_pixel(points), points[:, 2])
    assert back == pytest.approx(points[:, :2])


def test_invisible_points_are_nan():
    assert np.isnan(OVERHEAD.table_to_pixel([10, 20, 41])).all(), "behind the camera"
    assert np.isnan(OVERHEAD.pixel_to_table([500, 400], 41.0)).all(), "above the camera"
    barrel = TableCamera(Lens((1000, 800), IDEAL.matrix, [-0.3, 0, 0, 0, 0]), DOWN, OVERHEAD.translation)
    # r (1 - 0.3 r^2) has its maximum at r = sqrt(1 / 0.9) = 1.054: beyond 42 in off the axis the model folds back.
    assert barrel.lens.valid_radius == pytest.approx(math.sqrt(1 / 0.9))
    assert np.isnan(barrel.table_to_pixel([10 + 43, 20, 0])).all()
    assert np.isfinite(barrel.table_to_pixel([10 + 41, 20, 0])).all()


def test_empty_input_gives_empty_output():
    assert OVERHEAD.table_to_pixel(np.empty((0, 3))).shape == (0, 2)
    assert OVERHEAD.pixel_to_table(np.empty((0, 2))).shape == (0, 2)


def test_a_camera_is_immutable():
    with pytest.raises(ValueError, match="read-only"):
        OVERHEAD.rotation[0, 0] = 2
    assert OVERHEAD.position_in == pytest.approx([10, 20, 40])


@pytest.mark.parametrize(
    "make",
    [
        lambda: Lens((10, 10), [[0, 0, 5], [0, 10, 5], [0, 0, 1]], [0] * 5),
        lambda: Lens((10, 10), np.full((3, 3), np.nan), [0] * 5),
        lambda: Lens((10, 10), IDEAL.matrix, [0] * 4),
        lambda: TableCamera(IDEAL, np.eye(3) * 2, [0, 0, 1]),
        lambda: TableCamera(IDEAL, np.diag([1.0, 1, -1]), [0, 0, 1]),
    ],
)
def test_invalid_values_are_refused(make):
    with pytest.raises(UserError):
        make()


def lens_with(matrix=IDEAL.matrix, distortion=(0.0,) * 5, covariance=None):
    return Lens((1000, 800), np.array(matrix, float), np.array(distortion, float), covariance)


def matrix_with(row, column, value):
    changed = np.array(IDEAL.matrix)
    changed[row, column] = value
    return changed


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lens_with(matrix_with(0, 2, np.nan)), "the camera matrix must be 3x3 finite numbers"),
        (lambda: lens_with(matrix_with(0, 0, 0.0)), "a focal length must be positive, not 0 px"),
        (lambda: lens_with(matrix_with(1, 1, -3.0)), "a focal length must be positive, not -3 px"),
        (lambda: lens_with(distortion=[0, 0, 0, 0, np.inf]), "the lens distortion must be 5 finite numbers"),
        (lambda: lens_with(covariance=np.eye(8)), "the lens covariance must be 9x9 finite numbers"),
        (lambda: TableCamera(IDEAL, np.eye(2), [0, 0, 1]), "the camera rotation must be 3x3 finite numbers"),
        (lambda: TableCamera(IDEAL, DOWN, [0, 1]), "the camera translation must be 3 finite numbers"),
        (lambda: TableCamera(IDEAL, DOWN * 1.0001, [0, 0, 1]), "the camera rotation is not a rotation matrix"),
    ],
)
def test_the_error_names_the_invalid_value(make, message):
    with pytest.raises(UserError, match=message):
        make()


def test_a_rotation_may_be_rounded():
    assert TableCamera(IDEAL, np.round(tilted(0.0, 30).rotation, 6), [0, 0, 1]).rotation.shape == (3, 3)


@pytest.mark.parametrize(
    ("k1", "k2", "k3", "turning"),
    [
        # Where 1 + 3 k1 q + 5 k2 q^2 + 7 k3 q^3 is 0 for the first time; the radius is the root of q.
        (0.0, 0.0, 0.0, np.inf),
        (0.2, 0.1, 0.05, np.inf),
        (-1 / 12, 0.0, 0.0, 4.0),
        (-4 / 3, 0.0, 0.0, 0.25),
        (0.0, -1 / 20, 0.0, 2.0),
        (0.0, 0.0, -1 / 56, 2.0),
        (-0.5, 0.1, 0.0, 1.0),  # 1 - 1.5 q + 0.5 q^2: at 1 and again at 2
        (-0.5, 0.15, 0.0, np.inf),  # 1 - 1.5 q + 0.75 q^2 is close to 0 at 1, but never 0
        (0.0, 0.0, -1e-13, np.inf),  # too small to show in a picture
    ],
)
def test_the_valid_radius_of_the_lens_model(k1, k2, k3, turning):
    assert lens_with(distortion=[k1, k2, 0, 0, k3]).valid_radius ** 2 == pytest.approx(turning)


def test_px_per_inch_is_the_geometric_mean():
    assert OVERHEAD.px_per_inch(10, 20, 20.0) == pytest.approx(40), "half as far away"
    squeezed = TableCamera(lens_with(matrix_with(1, 1, 200.0)), DOWN, OVERHEAD.translation)
    assert squeezed.px_per_inch(13, 25) == pytest.approx(10), "20 by 5"


def test_visible_and_invisible_points_keep_their_order():
    seen = OVERHEAD.table_to_pixel([[10, 20, 0], [10, 20, 41], [11, 20, 0]])
    assert np.isnan(seen).all(1).tolist() == [False, True, False]
    assert seen[2] == pytest.approx([520, 400])


def test_single_points_and_surface_points_are_accepted():
    assert OVERHEAD.table_to_pixel([11, 20]) == pytest.approx(np.array([[520, 400]]))
    assert OVERHEAD.table_to_pixel([[11, 20], [10, 21]]) == pytest.approx(np.array([[520, 400], [500, 380]]))
    assert OVERHEAD.pixel_to_table([520, 400]) == pytest.approx(np.array([[11, 20]]))


def test_pixels_at_the_horizon_are_nan():
    """60 degrees from straight down: the horizon is 30 degrees above the centre, 800 tan 30 = 462 px."""
    c, s = np.cos(np.radians(60)), np.sin(np.radians(60))
    rotation = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ DOWN
    low = TableCamera(IDEAL, rotation, -rotation @ np.array([0, 0, 40.0]))
    away = -1 if np.isnan(low.pixel_to_table([500, 400 - 470])).all() else 1
    at = low.pixel_to_table([[500, 400 + away * 455], [500, 400 + away * 470]])
    assert np.isfinite(at[0]).all()
    assert np.abs(at[0]).max() > 1000
    assert np.isnan(at[1]).all()


@pytest.mark.parametrize(("size", "times"), [((960, 540), 0.5), ((1080, 1920), 1.0), ((3840, 2160), 2.0)])
def test_limits_in_pixels_grow_with_the_longer_side(size, times):
    assert times_full_hd(size) == times


def test_nearby_objects_and_short_lenses_are_projected():
    near = TableCamera(IDEAL, DOWN, -DOWN @ np.array([10.0, 20.0, 0.5]))
    assert near.pixel_to_table([500, 400]) == pytest.approx(np.array([[10, 20]]))
    assert near.table_to_pixel([10.1, 20]) == pytest.approx(np.array([[500 + 160, 400]]))
    assert lens_with(np.diag([0.5, 0.5, 1.0])).matrix[0, 0] == 0.5
