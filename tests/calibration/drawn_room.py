"""Render a table with markers on a floor, both with texture, to test what moved and what stayed."""

from functools import cache

import numpy as np

from calibration.opencv import cv2
from calibration.solve import laid_at
from tests.calibration.drawn import camera, marker_corners, picture

PLACES = {
    0: marker_corners((6, 5), 3.0),
    1: marker_corners((34, 5), 3.0, 90),
    2: marker_corners((33, 22), 3.0, 10),
    3: marker_corners((7, 21), 3.0, 200),
}
HOW = {"height_in": 48.0, "focal_of_width": 0.9}
CAMERA = camera(at_in=(20.0, 14.0), **HOW)
TABLE_IN = (1.0, 1.5, 39.0, 27.5)
FLOOR_IN = -28.0
AT_REST = (0.0, 0.0, 0.0)


def shot(seen_by=CAMERA, markers=(0, 1, 2, 3), moved=(), table=AT_REST, filled=False, floor=True, seed=0):
    """(540, 960) uint8.

    Args:
        seen_by: The camera.
        markers: The visible markers.
        moved: (id, x, y, turn) of markers that are not at `PLACES`.
        table: (x, y, turn) by which the table and everything on it moved; the floor stays.
        filled: Whether the table fills the picture.
        floor: Whether table and floor have texture.
    """
    gray = _without_noise(seen_by, markers, moved, table, filled, floor)
    noisy = gray + np.random.default_rng(seed).normal(0, 2.0, gray.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


@cache
def _without_noise(seen_by, markers, moved, table, filled, floor):
    places = {number: PLACES[number] for number in markers}
    places |= {number: marker_corners((x, y), 3.0, turn) for number, x, y, turn in moved}
    ground = _ground(seen_by, table, filled) if floor else 0.2
    return picture(seen_by, {n: laid_at(corners, table) for n, corners in places.items()}, ground=ground, fine=3)


def _ground(seen_by, table, filled):
    width, height = seen_by.lens.image_size
    on_floor = _grain(2, _places(seen_by, FLOOR_IN), 2.5)
    x, y, turn = table
    c, s = np.cos(turn), np.sin(turn)
    places = (_places(seen_by, 0.0) - np.float32((x, y))) @ np.float32([[c, -s], [s, c]])
    left, near, right, far = TABLE_IN
    on = (places[..., 0] > left) & (places[..., 0] < right) & (places[..., 1] > near) & (places[..., 1] < far)
    return np.where(on | filled, _grain(1, places, 4.0), on_floor).reshape(height, width)


def _places(seen_by, z_in):
    """(height, width, 2) float32: what each pixel sees at this height, from every eighth."""
    width, height = seen_by.lens.image_size
    u, v = np.meshgrid(np.arange(-4, width + 12, 8), np.arange(-4, height + 12, 8))
    seen = seen_by.pixel_to_table(np.c_[u.ravel(), v.ravel()] + 3.5, z_in).reshape(*u.shape, 2)
    fine = cv2.resize(seen.astype(np.float32), (8 * u.shape[1], 8 * u.shape[0]))
    return fine[8 : 8 + height, 8 : 8 + width]


@cache
def _noise(seed):
    return cv2.GaussianBlur(np.random.default_rng(seed).random((512, 512)), (0, 0), 1.2)


def _grain(seed, places, per_in):
    at = np.mod(places * per_in, 511).astype(np.float32)
    return np.clip(0.65 * (cv2.remap(_noise(seed), at[..., 0], at[..., 1], cv2.INTER_LINEAR) - 0.5) + 0.22, 0.02, 1)
