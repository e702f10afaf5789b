from importlib import resources

import numpy as np
import pytest

from rules.tabletop.table import Posture
from tests.vision.figure_pictures import GREEN, camera, empty, oblique_camera, soldier
from vision.ground import Grounds
from vision.recogniser import POSTURES, Recogniser
from vision.segment import EVIDENCE_LIMIT
from vision.tile_proposals import tile_around
from vision.tiles import NetworkView, Photo

EYE = camera()
AREA = ((0, 0), (30, 0), (30, 24), (0, 24))
GROUND = Grounds(EYE, AREA, (), (), None, 1.0).grounds[-1]
NETWORKS = ("finder", "judge", "closer", "closer_oblique")


@pytest.fixture(scope="module")
def recogniser():
    return Recogniser()


def view(image, bare, ground=GROUND):
    """The input of the networks, with certain evidence wherever the picture differs from the bare table."""
    rectified, empty_bgr = ground.image.rectify(image), ground.image.rectify(bare)
    changed = np.abs(rectified.astype(int) - empty_bgr).max(axis=2) > 12
    evidence = np.where(changed, EVIDENCE_LIMIT, -EVIDENCE_LIMIT).astype(np.float32)
    photo = Photo(image, ground.image.map_x, ground.image.map_y)
    return NetworkView(rectified, photo, evidence, ground.seen, ground.eye_px)


def test_the_weights_are_small():
    networks = [resources.files("vision").joinpath(f"{name}.onnx") for name in NETWORKS]
    assert sum(len(network.read_bytes()) for network in networks) < 6.5e6


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


STANDING = [(x, y) for y in (22.0, 14.0, 6.0) for x in (7.0, 13.0, 19.0, 25.0)]
"""The far ones first, since near ones hide them."""


def seen_obliquely(eye):
    """The input of the networks for twelve figures, and the tiles around them."""
    image, ground = empty(), Grounds(eye, AREA, (), (), None, 1.0).grounds[-1]
    for number, (x, y) in enumerate(STANDING):
        soldier(image, eye, x, y, GREEN, turn=40 * number)
    return view(image, empty(), ground), [tile_around(ground, np.array(at), 1.0) for at in STANDING], ground.image


def test_an_oblique_camera_places_figures_as_exactly_as_one_above(recogniser):
    """The figures lean by 1 to 1.5, so the oblique network sees them all."""
    shown, places, image = seen_obliquely(oblique_camera())
    assert all(place.is_oblique for place in places)
    found = [one for one in recogniser.candidates(shown, places) if one.chance > 0.5]
    seen = np.array([image.to_table(one.column, one.row) for one in found])
    errors_in = np.linalg.norm(seen[:, None] - np.array(STANDING)[None], axis=2).min(axis=0)
    assert len(found) == len(STANDING)
    assert errors_in.max() < 0.2


def test_each_look_is_the_same_among_others_as_alone(recogniser):
    """Near figures lean by 0.5 and far ones by 1, so two networks share the looks."""
    shown, places, _ = seen_obliquely(oblique_camera(11.0))
    hints = recogniser.hints(shown, places)
    together = recogniser.looks(shown, hints)
    assert {one.second.place.is_oblique for one in together if one.second} == {False, True}
    for hint, one in zip(hints, together, strict=True):
        (alone,) = recogniser.looks(shown, [hint])
        assert one.candidate.chance == pytest.approx(alone.candidate.chance, abs=1e-3)
        assert (one.candidate.column, one.candidate.row) == pytest.approx(
            (alone.candidate.column, alone.candidate.row), abs=0.05
        )
