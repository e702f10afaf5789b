"""The painter, pixel by pixel, and pictures to Qt and back."""

import gc
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication

from ui.desktop.picture.image import to_bgr, to_qimage
from ui.desktop.picture.painter import annotated
from ui.picture.shapes import Label, Line, Region
from ui.table.finding import Style

GREY = np.full((200, 321, 3), 128, np.uint8)  # an odd width reveals a wrong row length


def test_a_picture_survives_the_round_trip_to_qt(qt: QApplication) -> None:
    image = np.random.default_rng(1).integers(0, 256, (37, 41, 3), np.uint8)
    assert np.array_equal(to_bgr(to_qimage(image)), image)


def test_a_shared_picture_outlives_its_source(qt: QApplication) -> None:
    made = to_qimage(np.full((720, 1280, 3), 77, np.uint8))
    shared = QImage(made)  # as Qt does internally
    del made
    gc.collect()
    other = [np.zeros((720, 1280, 4), np.uint8) for _ in range(10)]
    assert (to_bgr(shared) == 77).all()
    assert not any(array.any() for array in other)


def test_a_line_runs_through_the_pixels_it_names(qt: QApplication) -> None:
    drawn = annotated(GREY, [Line(((20, 100), (300, 100)), (255, 0, 0, 255), width=3.0)])
    assert drawn[100, 160].tolist() == [0, 0, 255]
    # Three pixels wide about the centre of row 100: rows 99 to 101, then a halo of one and a half.
    assert drawn[99, 160].tolist() == drawn[101, 160].tolist() == [0, 0, 255]
    assert drawn[102, 160].max() < 80
    assert drawn[98, 160].max() < 80
    assert np.array_equal(drawn[104:], GREY[104:])
    assert np.array_equal(drawn[:97], GREY[:97])
    assert (GREY == 128).all()


def test_a_filled_outline_is_closed(qt: QApplication) -> None:
    square = ((100, 50), (200, 50), (200, 150), (100, 150))
    drawn = annotated(GREY, [Line(square, (0, 0, 255, 255), fill=(0, 255, 0, 128), closed=True)])
    # Half of green over grey.
    assert drawn[100, 150].tolist() == pytest.approx([64, 192, 64], abs=2)
    assert drawn[100, 100].tolist() == [255, 0, 0]


def test_an_area_has_holes_and_hatching_in_one_of_two_directions(qt: QApplication) -> None:
    around = ((40, 40), (280, 40), (280, 160), (40, 160))
    hole = ((100, 60), (200, 60), (200, 140), (100, 140))
    styles = [Style((0, 0, 255, 255), (0, 255, 0, 128), (255, 255, 255, 255), leans) for leans in (False, True)]
    right, left = (annotated(GREY, [Region((around, hole), style)]) for style in styles)
    assert right[100, 40].tolist() == [255, 0, 0]
    assert np.array_equal(right[70:130, 110:190], GREY[70:130, 110:190])
    inside = right[70:130, 50:90].reshape(-1, 3).tolist()
    assert [64, 192, 64] in inside or [63, 191, 63] in inside
    assert [255, 255, 255] in inside
    assert not np.array_equal(left, right)
    plain = annotated(GREY, [Region((around, hole), replace(styles[0], hatch=None))])
    assert len({tuple(pixel) for pixel in plain[70:130, 50:90].reshape(-1, 3).tolist()}) == 1


def test_an_outline_outside_the_picture_draws_nothing(qt: QApplication) -> None:
    assert np.array_equal(annotated(GREY, [Line((), (0, 0, 255, 255), closed=True)]), GREY)


def plate_area(image: np.ndarray) -> int:
    return int((image.max(2) < 70).sum())


def test_labels_have_a_dark_plate_at_their_place(qt: QApplication) -> None:
    drawn = annotated(GREY, [Label((160, 100), (("12.4 in", 20.0),), offset=(0.0, -50.0))])
    rows, columns = np.nonzero((drawn != GREY).any(2))
    assert (rows.min() + rows.max()) / 2 == pytest.approx(50, abs=2)
    assert (columns.min() + columns.max()) / 2 == pytest.approx(160, abs=2)
    assert plate_area(drawn) > 800
    assert (drawn.min(2) > 200).sum() > 50, "white letters"


def test_labels_avoid_one_another(qt: QApplication) -> None:
    label = Label((160, 100), (("73 %", 16.0),), offset=(0.0, -25.0))
    one, two = plate_area(annotated(GREY, [label])), plate_area(annotated(GREY, [label, label]))
    assert two == pytest.approx(2 * one, rel=0.02)


@pytest.mark.parametrize(("kept_clear_px", "joined"), [(8, False), (45, True)])
def test_a_line_joins_a_label_that_stands_far_from_its_figure(
    qt: QApplication, kept_clear_px: int, joined: bool
) -> None:
    figure = ((155, 20), (165, 30))
    clear = ((155 - kept_clear_px, 0), (165 + kept_clear_px, 30 + kept_clear_px))
    hidden = Line(((0, 199), (1, 199)), (0, 0, 0, 255), keep_clear=(clear,))
    drawn = annotated(GREY, [hidden, Label(figure[0], (("1", 14.0),), (0, 255, 0, 255), around=figure)])
    # Below the figure, at its middle; labels stand at least as far away as what is kept clear.
    assert (drawn[33, 160].tolist() == [0, 255, 0]) == joined


def test_large_pictures_get_large_labels(qt: QApplication) -> None:
    large = np.full((800, 2560, 3), 128, np.uint8)
    label = Label((300, 100), (("73 %", 16.0),))
    # 2560 px is twice the usual viewing width.
    ratio = plate_area(annotated(large, [label])) / plate_area(annotated(large[:, :1280].copy(), [label]))
    assert ratio == pytest.approx(4, rel=0.1)


@pytest.mark.slow
def test_it_paints_without_display_and_application() -> None:
    code = (
        "import numpy as np\n"
        "from ui.desktop.picture.painter import annotated\n"
        "from ui.picture.shapes import Label\n"
        "grey = np.full((90, 160, 3), 128, np.uint8)\n"
        "print(int((annotated(grey, [Label((80, 45), (('x', 20.0),))]) != grey).sum()) > 300)\n"
    )
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    bare = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run([sys.executable, "-c", code], env=bare, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == ("True", 0), done.stderr


def test_no_line_to_another_figure_crosses_a_label() -> None:
    figure = ((150, 90), (170, 90), (170, 110), (150, 110))
    crowd = [Label(figure[0], ((f"{n} soldiers", 14.0),), (0, 255, 0, 255), around=figure) for n in range(14)]
    alone, among_others = (annotated(GREY, labels) for labels in (crowd[-1:], crowd))
    plate = (alone != GREY).any(axis=2)
    assert plate.any()
    assert (among_others[plate] == alone[plate]).all()
