import numpy as np
import pytest
from shapely.geometry import Polygon

from calibration.opencv import cv2
from tests.vision.figure_pictures import SIZE, camera, empty
from vision.area import seen_area, table_area

EYE = camera()


def paper(x, y, half=1.5):
    return ((x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half))


def table_on_a_floor(low, high):
    """Draw a brown table between two corners on a grey floor, seen by EYE."""
    image = np.full((SIZE[1], SIZE[0], 3), 60, np.uint8)
    corners = EYE.table_to_pixel(np.array([low, (high[0], low[1]), high, (low[0], high[1])]))
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 1)
    image[mask > 0] = empty()[mask > 0]
    return image


def test_seen_area_is_the_outline_of_the_picture_on_the_table():
    low, *_, high = sorted(seen_area(EYE, empty()))
    # 1000 px focal length at 40 in: 960 x 720 px are 38.4 x 28.8 in, and the barrel lens sees a little more.
    assert high[0] - low[0] == pytest.approx(38.4, rel=0.05)
    assert high[0] - low[0] > 38.4
    assert high[1] - low[1] == pytest.approx(28.8, rel=0.05)
    assert high[1] - low[1] > 28.8


def test_without_papers_the_whole_visible_area_is_table():
    assert table_area(EYE, empty(), ()) == seen_area(EYE, empty())


def test_papers_in_the_corners_define_the_table():
    papers = [paper(2, 2), paper(28, 2), paper(28, 24)]
    # The papers reach from 0.5 to 29.5 and to 25.5; a table goes on half an inch beyond.
    assert table_area(EYE, empty(), papers) == ((0, 0), (30, 0), (30, 26), (0, 26))


def test_with_one_paper_the_table_extends_as_far_as_its_colour():
    low, high = (4.0, 3.0), (27.0, 20.0)
    found = Polygon(table_area(EYE, table_on_a_floor(low, high), [paper(9, 8)]))
    true = Polygon([low, (high[0], low[1]), high, (low[0], high[1])])
    # Measured at 2 px/in in a picture blurred by 9 px: within an inch on every side.
    assert true.buffer(-1.0).within(found)
    assert found.within(true.buffer(1.0))


def test_a_cloth_under_the_marker_is_not_the_table():
    image = table_on_a_floor((5.0, 4.0), (14.0, 12.0))  # 72 sq in
    assert table_area(EYE, image, [paper(9, 8)]) == seen_area(EYE, image)
