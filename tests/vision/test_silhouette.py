import math

import numpy as np
import pytest
from shapely.geometry import MultiPoint, Point, Polygon

from rules.tabletop.table import Posture
from tests.vision.figure_pictures import camera
from vision.rectified import rectified_image
from vision.silhouette import base_outline, figure_scale, solids

EYE = camera()  # 40 in above (15, 12)


def test_a_head_hides_what_lies_behind_it():
    image = rectified_image(EYE, np.array([0.0, 0.0]), np.array([30.0, 24.0]), 0.0, 14.0)
    body = solids(Posture.STANDING, 25.0, 12.0, 0.0, 1.0)
    hidden = MultiPoint(np.vstack([image.project_solid(part) for part in body])).convex_hull
    # The highest disc is 1.9 in up with a radius of 0.19 in: 10.19 * 40 / 38.1 in from the point below the camera.
    assert hidden.bounds[2] == pytest.approx(15 + 10.19 * 40 / 38.1, abs=0.02)
    assert hidden.contains(Point(25, 12))


def test_heights_on_a_hill_count_from_its_top():
    low, high = (rectified_image(EYE, np.array([0.0, 0.0]), np.array([30.0, 24.0]), z, 14.0) for z in (0.0, 20.0))
    post = np.array([[25.0, 12.0, 2.0]] * 3) + [[0, 0, 0], [0.01, 0, 0], [0, 0.01, 0]]
    assert low.project_solid(post)[:, 0].min() == pytest.approx(15 + 10 * 40 / 38, abs=0.02)
    assert high.project_solid(post)[:, 0].min() == pytest.approx(15 + 10 * 20 / 18, abs=0.02)


@pytest.mark.parametrize("posture", [p for p in Posture if p is not Posture.VEHICLE])
def test_bases_scale_and_turn_with_the_figures(posture):
    small, large = (Polygon(base_outline(posture, 3.0, 4.0, 30.0, scale)) for scale in (1.0, 1.5))
    assert large.area == pytest.approx(1.5**2 * small.area)
    assert (small.centroid.x, small.centroid.y) == pytest.approx((3, 4))
    far = max(small.exterior.coords, key=lambda p: math.dist(p, (3, 4)))
    assert math.degrees(math.atan2(far[1] - 4, far[0] - 3)) % 180 == pytest.approx(30, abs=8)  # 24 corners


def test_a_28_mm_soldier_is_half_as_high():
    assert figure_scale(1.05) == pytest.approx(0.5)


def test_outlines_beyond_the_sheet_are_clipped():
    image = rectified_image(EYE, np.array([0.0, 0.0]), np.array([4.0, 3.0]), 0.0, 10.0)
    window, mask = image.rasterized([np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])])
    assert window == (slice(0, 11), slice(0, 11))
    assert mask.all()
    window, mask = image.rasterized([np.array([[8.0, 8.0], [9.0, 8.0], [9.0, 9.0]])])
    assert not mask.any()
