from importlib import resources

import numpy as np
import pytest

from rules.tabletop.table import Posture
from tests.vision.figure_pictures import GREEN, camera, empty, soldier
from vision.ground import Grounds
from vision.recogniser import POSTURES, Recogniser
from vision.segment import EVIDENCE_LIMIT
from vision.tile_proposals import tile_around
from vision.tiles import NetworkView, Photo

EYE = camera()
AREA = ((0, 0), (30, 0), (30, 24), (0, 24))
GROUND = Grounds(EYE, AREA, (), (), None, 1.0).grounds[-1]


@pytest.fixture(scope="module")
def recogniser():
    return Recogniser()


def view(image, bare):
    """The input of the networks, with certain evidence wherever the picture differs from the bare table."""
    rectified, empty_bgr = GROUND.image.rectify(image), GROUND.image.rectify(bare)
    changed = np.abs(rectified.astype(int) - empty_bgr).max(axis=2) > 12
    evidence = np.where(changed, EVIDENCE_LIMIT, -EVIDENCE_LIMIT).astype(np.float32)
    photo = Photo(image, GROUND.image.map_x, GROUND.image.map_y)
    return NetworkView(rectified, photo, evidence, GROUND.seen, GROUND.eye_px)


def test_the_weights_are_small():
    networks = [resources.files("vision").joinpath(f"{name}.onnx") for name in ("finder", "judge", "closer")]
    assert sum(len(network.read_bytes()) for network in networks) < 5e6


def test_no_candidates_on_a_bare_table(recogniser):
    places = [tile_around(GROUND, np.array(at), 1.0) for at in ((5.0, 5.0), (15.0, 12.0), (26.0, 20.0))]
    assert all(one.chance < 0.5 for one in recogniser.candidates(view(empty(), empty()), places))


def test_no_tiles_give_no_candidates(recogniser):
    assert recogniser.candidates(view(empty(), empty()), []) == []


@pytest.mark.parametrize("at", [(8.0, 8.0), (15.5, 12.5), (25.0, 19.0)])
@pytest.mark.parametrize("posture", [Posture.STANDING, Posture.PRONE])
def test_a_figure_in_several_tiles_is_found_once_at_its_place(recogniser, at, posture):
    image = empty()
    soldier(image, EYE, *at, GREEN, turn=40, posture=posture)
    places = [tile_around(GROUND, np.array(at) + shift, 1.0) for shift in ((0.0, 0.0), (0.9, -0.4), (-0.3, 1.0))]
    found = [one for one in recogniser.candidates(view(image, empty()), places) if one.chance > 0.5]
    assert len(found) == 1
    x, y = GROUND.image.to_table(found[0].column, found[0].row)
    assert np.hypot(x - at[0], y - at[1]) < 0.2
    assert (POSTURES[int(np.argmax(found[0].postures))] is Posture.PRONE) == (posture is Posture.PRONE)
    assert sum(found[0].postures) == pytest.approx(1)
