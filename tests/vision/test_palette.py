import numpy as np
import pytest

from rules.tabletop.errors import UserError
from tests.vision.figure_pictures import GREEN, TAN, camera, empty, soldier
from vision.palette import log_colour, teach


@pytest.fixture(scope="module")
def table():
    image, eye = empty(), camera()
    soldier(image, eye, 8, 8, GREEN)
    soldier(image, eye, 22, 16, TAN)
    return image, eye


def base_px(eye, x, y):
    u, v = eye.table_to_pixel((x, y))[0]
    return float(u), float(v)


def test_a_click_learns_the_plastic_not_the_table(table):
    image, eye = table
    green = teach(image, base_px(eye, 8, 8), "green")
    painted = log_colour(np.full((1, 1, 3), GREEN, np.uint8))[0, 0]
    # Base and body differ by 15 % in brightness, not in chroma; 0.03 is one grey level of 45.
    assert green.mean[:2] == pytest.approx(painted[:2], abs=0.03)
    # A 1.08 x 0.82 in oval alone is 0.70 sq in, 435 px at 25 px/in.
    assert green.samples > 400


def test_log_ratios_do_not_change_with_the_lamp():
    bright = np.full((1, 1, 3), (100, 160, 200), np.uint8)
    dim = np.full((1, 1, 3), (46, 76, 96), np.uint8)  # (value + 8) halved, less 8: exactly half in the logarithm
    a, b = log_colour(bright)[0, 0], log_colour(dim)[0, 0]
    assert b[:2] == pytest.approx(a[:2], abs=1e-5)
    assert b[2] == pytest.approx(a[2] - np.log(2), abs=1e-5)


def test_a_second_click_refines(table):
    image, eye = table
    first = teach(image, base_px(eye, 22, 16), "tan")
    both = teach((image * 0.7).astype(np.uint8), base_px(eye, 22, 16), "tan", first)
    assert both.samples > first.samples
    assert both.covariance[2, 2] > first.covariance[2, 2], "the dimmer soldier widens the brightness"
    assert first.mean[2] + np.log(0.7) < both.mean[2] < first.mean[2]


@pytest.mark.parametrize("px", [(-3, 10), (10, 5000), (960, 100)])
def test_a_click_outside_the_picture_is_refused(table, px):
    with pytest.raises(UserError, match="outside the picture of 960x720"):
        teach(table[0], px, "green")


def test_a_click_on_the_bare_table_is_refused(table):
    image, eye = table
    with pytest.raises(UserError, match="No soldier here"):
        teach(image, base_px(eye, 15, 12), "green")
