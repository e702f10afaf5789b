import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.camera import Lens, TableCamera
from rules.table import Refused

IDEAL = Lens((1000, 800), [[800, 0, 500], [0, 800, 400], [0, 0, 1]], [0] * 5)
# Looks straight down from (10, 20, 40): x right, picture's down is the table's -y.
DOWN = np.diag([1.0, -1.0, -1.0])
OVERHEAD = TableCamera(IDEAL, DOWN, -DOWN @ np.array([10.0, 20.0, 40.0]))


def tilted(k1, tilt_deg):
    c, s = math.cos(math.radians(tilt_deg)), math.sin(math.radians(tilt_deg))
    rotation = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ DOWN
    lens = Lens((1000, 800), IDEAL.matrix, [k1, 0.05, 0.001, -0.001, 0])
    return TableCamera(lens, rotation, -rotation @ np.array([10.0, 20.0, 40.0]))


def test_straight_down():
    # 800 px of focal length over 40 in of height: 20 px an inch; the axis meets the table under the camera.
    assert OVERHEAD.table_to_pixel([[10, 20, 0], [11, 20, 0], [10, 21, 0]]) == pytest.approx(
        np.array([[500, 400], [520, 400], [500, 380]])
    )
    assert OVERHEAD.px_per_inch(10, 20) == pytest.approx(20)


def test_a_head_leans_outwards():
    # 24 in off the axis, 2.1 in up under a camera 40 in up: the head covers the table 24 * 2.1 / 37.9 = 1.33 in on.
    head = OVERHEAD.table_to_pixel([34, 20, 2.1])
    assert OVERHEAD.pixel_to_table(head)[0] == pytest.approx([34 + 24 * 2.1 / 37.9, 20])
    assert OVERHEAD.pixel_to_table(head, 2.1)[0] == pytest.approx([34, 20])


@given(
    st.floats(-0.25, 0.1), st.floats(0, 25), st.floats(-8, 28), st.floats(5, 34), st.floats(0, 6)
)  # fmt: skip
def test_there_and_back(k1, tilt_deg, x, y, height):
    camera = tilted(k1, tilt_deg)
    pixel = camera.table_to_pixel([x, y, height])
    assert camera.pixel_to_table(pixel, height)[0] == pytest.approx([x, y], abs=1e-6)


def test_heights_may_differ_by_pixel():
    points = np.array([[5.0, 10, 0], [12, 22, 1.5], [20, 30, 4]])
    back = OVERHEAD.pixel_to_table(OVERHEAD.table_to_pixel(points), points[:, 2])
    assert back == pytest.approx(points[:, :2])


def test_what_cannot_be_seen_is_nan():
    assert np.isnan(OVERHEAD.table_to_pixel([10, 20, 41])).all(), "behind the camera"
    assert np.isnan(OVERHEAD.pixel_to_table([500, 400], 41.0)).all(), "above the camera"
    barrel = TableCamera(Lens((1000, 800), IDEAL.matrix, [-0.3, 0, 0, 0, 0]), DOWN, OVERHEAD.translation)
    # r (1 - 0.3 r^2) turns back at r = sqrt(1 / 0.9) = 1.054: beyond 42 in off the axis the model folds over.
    assert barrel.lens.valid_radius == pytest.approx(math.sqrt(1 / 0.9))
    assert np.isnan(barrel.table_to_pixel([10 + 43, 20, 0])).all()
    assert np.isfinite(barrel.table_to_pixel([10 + 41, 20, 0])).all()


def test_nothing_in_nothing_out():
    assert OVERHEAD.table_to_pixel(np.empty((0, 3))).shape == (0, 2)
    assert OVERHEAD.pixel_to_table(np.empty((0, 2))).shape == (0, 2)


def test_a_camera_cannot_be_changed():
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
def test_nonsense_is_refused(make):
    with pytest.raises(Refused):
        make()
