"""Small pictures of figures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.ui.setup.test_saved_table import man, view
from ui.table.portrait import figure_crop, portrait


def test_the_figure_is_in_the_middle() -> None:
    soldier = man("tan-1", 10.0, 8.0)
    table = view(None, soldier)
    x, y = table.calibration.camera.table_to_pixel((*soldier.centre_in, soldier.z_in))[0]
    image = table.frame.image_bgr.copy()
    image[:] = 40
    image[round(y) - 4 : round(y) + 4, round(x) - 4 : round(x) + 4] = (0, 0, 255)
    found = portrait(replace(table, frame=replace(table.frame, image_bgr=image)), "tan-1", 96)
    assert found.shape == (96, 96, 3)
    red = np.argwhere(found[..., 2] > 150)
    assert abs(red.mean(axis=0) - 47.5).max() < 24  # the feet are near the middle, which is the waist


def test_there_is_no_picture_of_what_is_not_seen() -> None:
    soldier = man("tan-1", 10.0, 8.0)
    table = view(None, soldier)
    assert portrait(table, "tan-2", 96) is None
    assert figure_crop(replace(table, calibration=None), soldier, 2.0, 48) is None
