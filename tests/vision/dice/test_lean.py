"""Leaning dice, and faces on the sides of dice, from where the faces look."""

import math

import numpy as np
import pytest

from vision.dice.lean import hint_above, leaning_dice, without_sides
from vision.dice.networks import FACES, FaceRead

ONE, NONE = np.eye(len(FACES) + 1)[[0, -1]]


def face(
    x: float, y: float, normal: tuple[float, float] = (0.0, 0.0), leaning: float = 0.0, doubt: float = 0.0
) -> FaceRead:
    """A face of a die of 20 px that looks this way, across or down in the picture, and is shortened accordingly."""
    half = np.diag([10.0 * math.sqrt(1 - part**2) for part in normal])
    return FaceRead(np.array([x, y]), half, (1 - doubt) * ONE + doubt * NONE, 0.9, leaning, np.array(normal))


@pytest.mark.parametrize("lean_deg", [12, 20, 30])
def test_a_die_that_looks_another_way_leans(lean_deg: float) -> None:
    turned = math.sin(math.radians(lean_deg))
    assert leaning_dice([face(0, 0), face(60, 0, (0.0, turned)), face(120, 0)]) == [False, True, False]


def test_level_dice_look_outwards_more_and_more() -> None:
    # Half a picture of 400 px at four times its width from the camera: the rays differ by up to 0.25.
    dice = [face(x, y, (x / 800, y / 800)) for x in (-200, 0, 200) for y in (-200, 0, 200)]
    assert not any(leaning_dice(dice))
    dice[4] = face(0, 0, (0.25, 0.0))
    assert leaning_dice(dice) == [k == 4 for k in range(9)]


def test_a_die_alone_is_judged_by_its_look() -> None:
    assert leaning_dice([face(0, 0, (0.5, 0.0))]) == [False]
    assert leaning_dice([face(0, 0, leaning=0.9)]) == [True]
    assert leaning_dice([]) == []


def test_tops_do_not_face_down_in_a_picture() -> None:
    # An oblique camera saw only the fronts of these dice: each by itself, and all together, they face one way.
    assert leaning_dice([face(0, 0, (0.0, 0.5))]) == [True]
    assert leaning_dice([face(60 * k, 0, (0.0, 0.5)) for k in range(6)]) == [True] * 6
    assert leaning_dice([face(60 * k, 0, (0.0, -0.5)) for k in range(6)]) == [False] * 6


def test_a_calibrated_camera_says_how_level_dice_look() -> None:
    level = np.array([(0.0, 0.5), (0.0, 0.5)])  # a camera that is mounted upside down
    assert leaning_dice([face(0, 0, (0.0, 0.5)), face(60, 0, (0.0, 0.2))], level) == [False, True]


@pytest.mark.parametrize("slant_deg", [25, 40, 55])  # at 55 degrees, the side looks larger than the top
def test_of_two_faces_of_a_die_the_top_is_kept(slant_deg: float) -> None:
    s, c = math.sin(math.radians(slant_deg)), math.cos(math.radians(slant_deg))
    top = face(100, 100, (0.0, -s))
    side = face(100, 100 + 10 * (s + c), (0.0, c))  # half a side down along the top's normal, and half along its own
    assert without_sides([side, top]) == [top]


@pytest.mark.parametrize("slant_deg", [50, 65])
def test_the_top_is_looked_for_above_a_side(slant_deg: float) -> None:
    s, c = math.sin(math.radians(slant_deg)), math.cos(math.radians(slant_deg))
    hint = hint_above(face(100, 100 + 10 * (s + c), (0.0, c)))  # the top of that die is at (100, 100)
    assert hint.centre_px == pytest.approx((100, 100), abs=0.01)
    assert hint.side_px == pytest.approx(20 * math.sqrt(c))  # it is 20 px wide, and shortened by the cosine


def test_a_clear_face_is_no_side_of_a_doubtful_top() -> None:
    top, side = face(100, 100, (-0.5, 0.0), doubt=0.3), face(113, 100, (0.87, 0.0), doubt=0.01)
    assert without_sides([side, top]) == [side, top]
    clear = face(100, 100, (-0.5, 0.0))
    assert without_sides([side, clear]) == [clear]


def test_dice_that_touch_are_kept() -> None:
    dice = [face(100, 100, (0.0, -0.6)), face(100, 116, (0.0, -0.6)), face(120, 100, (0.0, -0.6))]
    assert without_sides(dice) == dice


def test_an_oblique_view_shortens_only_one_side() -> None:
    """A square of 20 px, turned by 30 degrees and shortened to 0.6 downwards: its area is 0.6 of 400 px."""
    c, s = math.cos(math.radians(30)), math.sin(math.radians(30))
    half = np.diag([1.0, 0.6]) @ np.array([[c, -s], [s, c]]) * 10
    seen = FaceRead(np.zeros(2), half, ONE, 0.9, 0.0, np.zeros(2))
    assert seen.long_px == pytest.approx(20)
    assert seen.side_px == pytest.approx(math.sqrt(0.6 * 400))
