import math

import numpy as np
import pytest

from tests.vision.figure_pictures import camera
from vision.ground import Grounds
from vision.segment import EVIDENCE_LIMIT
from vision.tile_proposals import propose_tiles, tile_around
from vision.tiles import TILE_PX

EYE = camera()
AREA = ((0, 0), (30, 0), (30, 24), (0, 24))
GROUND = Grounds(EYE, AREA, (), (), None, 1.0).grounds[-1]


def evidence(*spots_in, radius_in=0.5):
    out = np.full(GROUND.image.shape, -EVIDENCE_LIMIT, np.float32)
    rows, columns = np.indices(out.shape)
    for x, y in spots_in:
        column, row = GROUND.image.to_pixel(np.array([[x, y]]))[0]
        out[np.hypot(columns - column, rows - row) < radius_in * GROUND.image.px_per_in] = EVIDENCE_LIMIT
    return out


def test_no_tiles_on_a_table_without_plastic():
    assert list(propose_tiles(GROUND, evidence(), 1.0)) == []


def test_every_spot_of_plastic_is_well_inside_a_tile():
    spots = [(4, 5), (12, 12), (12.9, 12.4), (27, 20), (15, 3)]
    places = list(propose_tiles(GROUND, evidence(*spots), 1.0))
    assert len(places) <= len(spots)
    for x, y in spots:
        at = GROUND.image.to_pixel(np.array([[x, y]]))
        # A waist leans 0.6 in for each inch and more of the table's half, 19 in off 40 in: 0.3 in; tiles cover 0.9.
        assert min(np.abs(place.to_tile(at)[0] - TILE_PX / 2).max() for place in places) < (0.9 + 0.4) * 12


def test_no_tiles_on_a_table_of_the_armys_colour():
    assert list(propose_tiles(GROUND, np.full(GROUND.image.shape, EVIDENCE_LIMIT, np.float32), 1.0)) == []


def test_an_expected_place_always_gets_exactly_one_tile():
    places = list(propose_tiles(GROUND, evidence((20, 15)), 1.0, [(20.1, 15.2), (6, 7)]))
    middles = [tuple(GROUND.image.to_table(place.column, place.row)) for place in places]
    assert middles == [pytest.approx((20.1, 15.2)), pytest.approx((6, 7))]


def test_a_tile_includes_the_lean_of_bodies():
    place = tile_around(GROUND, np.array([18.0, 16.0]), 1.0)
    assert place.lean == pytest.approx(5 / 40)  # 3 and 4 in off the camera's foot, 40 in below it
    assert place.turn_rad == pytest.approx(math.atan2(4, 3))
