"""The table map of a known camera."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.solve import Calibration
from tests.ui.picture.test_overlay import CAMERA, MARKER, NUDGED, SIZE_PX, view_of
from tests.ui.tables import soldier
from ui.measuring import figure_at, measured
from ui.picture.table_map import extent_of, map_of, overhead

CALIBRATION = Calibration(CAMERA, {0: MARKER}, 0.1, (NUDGED,))
EXTENT = (8.0, 6.0, 40.0, 22.0)


def test_the_map_fits_its_size_with_square_inches() -> None:
    camera = overhead(EXTENT, (1000, 1000))  # 32 x 16 in: 1000 / 32 = 31.25 px to the inch
    assert camera.lens.image_size == (1000, 500)
    corners = camera.table_to_pixel([(8, 22, 0), (40, 6, 0)])  # the outer edges of the outermost pixels
    assert corners == pytest.approx(np.array([[-0.5, -0.5], [999.5, 499.5]]), abs=1e-6)


@settings(max_examples=40)
@given(st.floats(8, 40), st.floats(6, 22), st.floats(0, 6))
def test_heights_do_not_shift_places_on_the_map(x: float, y: float, height: float) -> None:
    camera = overhead(EXTENT, (1920, 1080))
    assert camera.table_to_pixel((x, y, height)) == pytest.approx(camera.table_to_pixel((x, y, 0.0)), abs=0.5)
    assert camera.pixel_to_table(camera.table_to_pixel((x, y, 0.0)))[0] == pytest.approx((x, y), abs=1e-6)


def test_the_map_shows_places_undistorted() -> None:
    """A dot painted where the camera, with its distorted lens, sees (30, 9) appears at (30, 9) on the map."""
    picture = np.zeros((SIZE_PX[1], SIZE_PX[0], 3), np.uint8)
    u, v = np.round(CAMERA.table_to_pixel((30.0, 9.0, 0.0))[0]).astype(int)
    picture[v - 2 : v + 3, u - 2 : u + 3] = 255
    table = map_of(CALIBRATION, EXTENT, (1280, 640))  # 40 px to the inch
    rows, columns = np.nonzero(table.picture(picture)[..., 0] > 127)
    found = table.camera.pixel_to_table([(columns.mean(), rows.mean())])[0]
    assert found == pytest.approx((30.0, 9.0), abs=0.05)  # the dot was drawn at whole pixels, 20 per inch


def test_the_map_keeps_the_measured_errors() -> None:
    figures = (soldier("green-1", 10, 10, 0.05), soldier("tan-1", 30, 18, 0.05))
    view = view_of(*figures)
    seen = map_of(CALIBRATION, EXTENT, (1280, 640)).view(view)
    there, here = measured(seen, figures)["green-1", "tan-1"], measured(view, figures)["green-1", "tan-1"]
    assert there == here
    px = seen.calibration.camera.table_to_pixel((30.0, 18.0, 0.0))[0]  # type: ignore[union-attr]
    assert figure_at(seen, tuple(px)) == figures[1]


def test_the_map_shows_the_area_of_play_or_everything_visible() -> None:
    assert extent_of(CALIBRATION, ((0, 0), (48, 0), (48, 36), (0, 36))) == (-1.5, -1.5, 49.5, 37.5)
    left, near, right, far = extent_of(CALIBRATION)
    corner = CAMERA.pixel_to_table([(0, 0), (1279, 719)])
    assert (left, far) == pytest.approx((corner[0, 0], corner[0, 1]), abs=1)
    assert (right, near) == pytest.approx((corner[1, 0], corner[1, 1]), abs=1)


def test_a_new_map_is_made_quickly() -> None:
    begin = time.process_time()
    map_of(CALIBRATION, EXTENT, (1920, 1080))
    assert time.process_time() - begin < 0.5  # CPU time, 20 times the time on an idle processor
