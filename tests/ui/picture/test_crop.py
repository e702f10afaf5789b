"""The part of the picture that shows the table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.camera import TableCamera
from calibration.solve import Calibration
from tests.ui.picture.test_overlay import CAMERA, DOWN, LENS, SIZE_PX, figure, view_of
from ui.picture.drawing import TableCrop, box_px

SQUARE = np.array([[-1.0, 1], [1, 1], [1, -1], [-1, -1]])
AREA_IN = ((10.0, 6.0), (38.0, 6.0), (38.0, 22.0), (10.0, 22.0))


def marked(*places: tuple[float, float], camera: TableCamera = CAMERA) -> Calibration:
    """A calibration with markers of 2 in at these places."""
    calibration = view_of(camera=camera).calibration
    assert calibration is not None
    return replace(calibration, markers_in={number: SQUARE + place for number, place in enumerate(places)})


CORNERS = marked((8, 6), (40, 6), (40, 22), (8, 22))


def test_the_area_of_play_fills_the_box() -> None:
    box = TableCrop().of(CORNERS, AREA_IN)
    assert box is not None
    left, top, right, bottom = box
    corners = CAMERA.table_to_pixel([(*corner, 0.0) for corner in AREA_IN])
    # The lens bends the edges outwards by a few pixels.
    assert (left, right) == pytest.approx((corners[:, 0].min(), corners[:, 0].max()), abs=12)
    assert (top, bottom) == pytest.approx((corners[:, 1].min(), corners[:, 1].max()), abs=12)


def test_markers_at_the_corners_show_the_table_and_two_do_not() -> None:
    box = TableCrop().of(CORNERS, None)
    assert 0 < box[0] < 640 < box[2] < SIZE_PX[0]
    assert TableCrop().of(marked((8, 6), (40, 22)), None) is None
    assert TableCrop().of(marked((20, 12), (24, 12), (22, 14)), None) is None, "a small part of the picture"
    assert TableCrop().of(None, None) is None


def test_soldiers_beyond_the_markers_widen_the_table_for_good() -> None:
    crop = TableCrop()
    before = crop.of(CORNERS, None)
    wider = crop.of(CORNERS, None, (figure("tan-1", 43, 14),))
    assert wider[2] > before[2]
    assert crop.of(CORNERS, None, ()) == wider


def test_noise_of_the_calibration_does_not_move_the_picture() -> None:
    crop = TableCrop()
    first = crop.of(CORNERS, AREA_IN)
    nudged = TableCamera(LENS, DOWN, -DOWN @ (24.05, 14.0, 50.0))
    bumped = TableCamera(LENS, DOWN, -DOWN @ (27.0, 14.0, 50.0))
    assert crop.of(marked((8, 6), (40, 6), (40, 22), camera=nudged), AREA_IN) is first
    assert crop.of(marked((8, 6), (40, 6), (40, 22), camera=bumped), AREA_IN) != first


def test_a_table_out_of_the_picture_has_no_box() -> None:
    assert box_px(CAMERA, np.array(AREA_IN) + (300.0, 0.0)) is None
