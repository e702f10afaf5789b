import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.segment import EVIDENCE_LIMIT
from vision.tiles import (
    CHANNELS,
    CLOSER_PX_PER_IN,
    CROP_PX,
    TILE_PX,
    NetworkView,
    Photo,
    Place,
    crop_at,
    cut,
    cut_photo_tile,
    tile_at,
)

MIDDLE = (TILE_PX - 1) / 2
EYE_PX = np.array([20.0, 30.0, 500.0])


def photo(scale=1):
    """A grey photo of twice the rectified resolution, not turned, with a white pixel in the middle of (140, 85)."""
    taken = np.full((400, 480, 3), 100, np.uint8)
    taken[170:172, 280:282] = 255
    x, y = (np.arange(n, dtype=np.float32) for n in (240, 200))
    fine = 2 / scale
    x, y = ((at + 0.5) * fine - 0.5 for at in (x, y))
    return Photo(taken, np.tile(x, (200, 1)), np.tile(y[:, None], (1, 240)), scale)


def view(empty=None, seen=1.0):
    picture = np.full((200, 240, 3), 100, np.uint8)
    evidence = np.full((200, 240), -EVIDENCE_LIMIT, np.float32)
    return NetworkView(picture, photo(), evidence, np.full((200, 240), seen, np.float32), EYE_PX, empty)


@given(
    st.floats(0, 300), st.floats(0, 300), st.floats(-4, 4), st.floats(0, 4), st.floats(0.3, 3),
    st.floats(-50, 120), st.floats(-50, 120),
)  # fmt: skip
def test_tile_and_sheet_coordinates_are_inverse(column, row, turn, lean, zoom, u, v):
    place = Place(column, row, turn, lean, zoom)
    assert place.to_tile(place.to_rectified(np.array([[u, v]])))[0] == pytest.approx((u, v), abs=1e-6)


def test_bodies_lean_to_the_right_in_a_tile():
    for turn in (0.0, 1.0, -2.5):
        place = Place(100, 90, turn, 0.3, 1.2)
        outwards = np.array([[100 + 12 * math.cos(turn), 90 + 12 * math.sin(turn)]])
        assert place.to_tile(outwards)[0] == pytest.approx((MIDDLE + 10, MIDDLE))


def test_a_tile_includes_the_lean_of_bodies():
    place = tile_at(EYE_PX, np.array([50.0, 70.0]), 1.5)
    assert place.lean == pytest.approx(50 / 500)  # 30 and 40 px off the camera's foot, 500 px below it
    assert place.turn_rad == pytest.approx(math.atan2(4, 3))
    assert place.to_tile(np.array([[50.0, 70.0]]))[0] == pytest.approx((MIDDLE, MIDDLE))


def test_a_crop_is_centred_on_the_body():
    at = np.array([120.0, 30.0])
    crop = crop_at(EYE_PX, at, 1.5)  # tiles have 12 px/in: the rectified image 18, as many as crops have
    assert (crop.zoom, crop.side_px, crop.lean) == (pytest.approx(1.0), CROP_PX, pytest.approx(0.2))
    feet = crop.to_tile(at[None])[0]
    # A waist 0.7 in up leans out by a fifth of that: 2.5 of 18 px/in.
    assert feet == pytest.approx(((CROP_PX - 1) / 2 - 0.2 * 0.7 * 18, (CROP_PX - 1) / 2))
    assert cut(view(), crop).shape == (CHANNELS, CROP_PX, CROP_PX)


def test_a_tile_is_oblique_where_it_is_squeezed():
    steep, oblique = (crop_at(np.array([0.0, 0.0, 540.0]), np.array([540.0 * lean, 0.0]), 1.0) for lean in (0.75, 0.76))
    assert (steep.is_oblique, steep.squeeze) == (False, 1.0)
    assert oblique.is_oblique
    assert oblique.squeeze < 1


@pytest.mark.parametrize("lean", [0.8, 1.2, 1.7])
def test_a_crop_of_an_oblique_camera_contains_the_body_from_feet_to_shoulders(lean):
    eye_px = np.array([0.0, 0.0, 27 * 30.0])  # 30 in up, on a rectified image of 27 px/in
    at = np.array([27 * 30.0 * lean, 0.0])
    crop = crop_at(eye_px, at, CLOSER_PX_PER_IN / 12, CLOSER_PX_PER_IN)
    assert crop.lean == pytest.approx(lean)
    feet, shoulders = crop.to_tile(np.array([at, at + (27 * lean * 1.6, 0)]))[:, 0]  # 1.6 in up
    assert feet > 0
    assert shoulders < CROP_PX - 1
    assert crop.lean_in_tile < 1.25  # the hypotenuse of 1 and 0.75: no body is longer in a tile, however oblique
    assert cut(view(), replace(crop, column=100, row=100))[8] == pytest.approx(crop.lean_in_tile)


@pytest.mark.parametrize("scale", [1, 2])
def test_the_closer_look_sees_the_photo_itself(scale):
    seen = replace(view(), photo=photo(scale))
    place = Place(138.0, 86.0, 0.7, 0.4, 0.5, CROP_PX)
    crop = cut_photo_tile(seen, place)
    assert crop.shape == (CHANNELS, CROP_PX, CROP_PX)
    row, column = np.unravel_index(np.argmax(crop[1]), crop[1].shape)
    assert (column, row) == pytest.approx(place.to_tile(np.array([[140.0, 85.0]]))[0], abs=1)
    bright = np.log(
        255 / 100
    )  # a quarter of a rectified image's pixel each: no blur of the rectified image has dimmed them
    assert crop[1].max() == pytest.approx(bright, rel=0.35)
    assert not cut(seen, replace(place, zoom=1.0))[1].any()  # the rectified image does not show it


def test_the_closer_look_has_half_again_the_resolution():
    crop = crop_at(EYE_PX, np.array([120.0, 30.0]), 1.5, CLOSER_PX_PER_IN)
    assert crop.zoom == pytest.approx(18 / 27)


def test_evidence_appears_at_its_place_in_the_tile():
    seen = view()
    seen.evidence[84:87, 139:142] = EVIDENCE_LIMIT
    place = Place(120, 95, 0.7, 0.4, 1.0)
    tile = cut(seen, place)
    assert tile.shape == (CHANNELS, TILE_PX, TILE_PX)
    row, column = np.unravel_index(np.argmax(tile[0]), tile[0].shape)
    assert (column, row) == pytest.approx(place.to_tile(np.array([[140.0, 85.0]]))[0], abs=1)
    assert tile[0].max() == pytest.approx(1.0, abs=0.05)
    assert tile[0].min() == -1
    assert (tile[8] == np.float32(0.4)).all()


def test_a_tile_does_not_depend_on_the_lamp():
    bright, dim = view(), view()
    for one, gain in ((bright, 2.0), (dim, 1.0)):
        one.picture_bgr[:] = (40, 50, 60)
        one.picture_bgr[90:100, 110:130] = (60, 80, 70)
        one.picture_bgr[:] = (one.picture_bgr * gain).astype(np.uint8)
    place = Place(120, 95, 0.0, 0.4, 1.0)
    # The eight grey levels that keep dark pixels' logarithms quiet make a tenth of a difference at 40.
    assert cut(bright, place)[1:4] == pytest.approx(cut(dim, place)[1:4], abs=0.12)


def test_a_known_empty_table_differs_from_none():
    place = Place(120, 95, 0.0, 0.4, 1.0)
    assert not cut(view(), place)[4:8].any()
    darker = np.log((np.full((200, 240, 3), 100) + 8) / 263.0).astype(np.float32)
    empty = np.dstack([np.zeros((200, 240, 2), np.float32), darker[..., 0] - 0.5])
    tile = cut(view(empty), place)
    assert tile[4] == pytest.approx(np.full((TILE_PX, TILE_PX), 0.5), abs=1e-3)
    assert (tile[7] == 1).all()


def test_unseen_pixels_are_zero():
    tile = cut(view(seen=0.0), Place(120, 95, 0.0, 0.4, 1.0))
    assert not tile[:7].any()
    assert not tile[9].any()
