"""Labels find a place where they cover nothing."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from ui.picture.placement import LABEL_GAPS, Box, Taken, candidates, placed

SIZE = (40.0, 20.0)
SCREEN: Box = (0.0, 0.0, 800.0, 600.0)
FIGURE: Box = (390.0, 290.0, 410.0, 310.0)


def shared(a: Box, b: Box) -> float:
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return max(width, 0.0) * max(height, 0.0)


def test_a_label_gets_its_preferred_place_if_that_is_free() -> None:
    assert placed(SIZE, (400.0, 250.0), FIGURE, Taken((FIGURE,), SCREEN)) == (380.0, 240.0, 420.0, 260.0)


def test_the_opposite_place_is_the_second_best() -> None:
    other: Box = (395.0, 245.0, 405.0, 255.0)
    assert placed(SIZE, (400.0, 250.0), FIGURE, Taken((FIGURE, other), SCREEN)) == (380.0, 340.0, 420.0, 360.0)


def test_a_label_at_the_edge_stays_inside() -> None:
    corner: Box = (0.0, 580.0, 20.0, 600.0)
    box = placed(SIZE, (10.0, 620.0), corner, Taken((corner,), SCREEN))
    assert box is not None
    assert shared(box, SCREEN) == SIZE[0] * SIZE[1]
    assert shared(box, corner) == 0


def test_without_room_an_optional_label_is_left_out_and_another_covers_least() -> None:
    crowd: Box = (300.0, 200.0, 500.0, 400.0)
    hole: Box = (500.0, 200.0, 501.0, 400.0)
    taken = Taken((crowd, hole), SCREEN)
    assert placed(SIZE, (400.0, 300.0), FIGURE, taken, optional=True) is None
    covered = placed(SIZE, (400.0, 300.0), FIGURE, taken)
    assert covered is not None
    least = min(shared(box, crowd) for box in candidates(SIZE, (400.0, 300.0), FIGURE, LABEL_GAPS))
    assert shared(covered, crowd) == least


def test_a_label_stands_farther_away_rather_than_on_the_numbers_around() -> None:
    numbers: Box = (320.0, 220.0, 480.0, 380.0)  # 70 px beyond the figure on all sides
    box = placed(SIZE, (400.0, 320.0), FIGURE, Taken((FIGURE, numbers), SCREEN))
    assert box is not None
    assert shared(box, numbers) == 0


def test_labels_in_a_crowd_hardly_ever_cover_a_figure() -> None:
    covering = 0
    for seed in range(50):
        randomly = random.Random(seed)
        crowd: list[Box] = []
        while len(crowd) < 30:  # thirty figures on a third of a picture of 900 x 530 pixels
            x, y = randomly.gauss(450, 90), randomly.gauss(265, 70)
            if all(abs(x - one[0]) > 26 or abs(y - one[1]) > 30 for one in crowd):
                crowd.append((x, y, x + 24, y + 28))
        taken = Taken(tuple(crowd), (0.0, 0.0, 900.0, 530.0))
        for figure in randomly.sample(crowd, 8):
            below = ((figure[0] + figure[2]) / 2, figure[3] + 16)
            box = placed((100.0, 24.0), below, figure, taken)
            assert box is not None
            covering += any(shared(box, other) > 0.5 for other in crowd)
            taken = taken.and_boxes([box])
    assert covering <= 20, "12 of 400 when it was written; 58 with three distances"


@given(st.lists(st.tuples(st.floats(0, 780), st.floats(0, 580)), max_size=12))
def test_an_optional_label_never_covers_anything(corners: list[tuple[float, float]]) -> None:
    others = tuple((x, y, x + 20, y + 20) for x, y in corners)
    box = placed(SIZE, (400.0, 320.0), FIGURE, Taken((FIGURE, *others), SCREEN), optional=True)
    # Half a pixel's area, which rounding may cause, is not visible.
    assert box is None or sum(shared(box, other) for other in (FIGURE, *others)) <= 0.5
