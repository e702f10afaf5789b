"""A patch is recognised in other light and after a bump, but not after its figure has changed."""

from dataclasses import replace

import numpy as np
import pytest

from vision.frame import Frame
from vision.patch_memory import PatchMemory, spot_at
from vision.simulation.scene import Model, Scene, Sculpt
from vision.simulation.simulator import overhead_camera, render

SIZE, TABLE_IN = (640, 360), (24.0, 16.0)
CAMERA = overhead_camera(SIZE, TABLE_IN, 32.0)
BUMPED = overhead_camera(SIZE, TABLE_IN, 32.3, tilt_deg=4.2, roll_deg=2.0)
PLACE = (10.0, 8.0, 0.0)
SCENE = Scene(TABLE_IN, models=(Model("green-1", "green", Sculpt.RIFLEMAN, 10.0, 8.0, 0.0),))


def frame(scene=SCENE, camera=CAMERA, lamp=1.0, seed=0):
    return Frame(render(scene, camera, np.random.default_rng(seed), lamp), 0, 0.0)


@pytest.fixture(scope="module")
def spot():
    return spot_at(frame(), CAMERA, PLACE)


@pytest.mark.slow
def test_a_patch_is_unchanged_under_another_lamp_and_after_a_bump(spot):
    assert spot.unchanged(frame(lamp=0.6, seed=1), CAMERA)
    assert spot.unchanged(frame(lamp=1.2, seed=2), CAMERA)
    assert spot.unchanged(frame(camera=BUMPED, seed=3), BUMPED)


def test_a_patch_changes_when_the_figure_leaves_or_another_object_comes(spot):
    assert not spot.unchanged(frame(SCENE.empty, seed=1), CAMERA)
    other = replace(SCENE, models=(Model("tan-1", "tan", Sculpt.PRONE, 10.0, 8.0, facing_deg=90.0),))
    assert not spot.unchanged(frame(other, seed=1), CAMERA)


def test_bare_ground_is_unchanged_until_a_figure_stands_there():
    grey = Frame(np.full((360, 640, 3), 120, np.uint8), 0, 0.0)
    bare = spot_at(grey, CAMERA, PLACE)
    assert bare.unchanged(Frame(np.full((360, 640, 3), 150, np.uint8), 0, 0.0), CAMERA)
    assert not bare.unchanged(frame(), CAMERA)


def test_a_patch_outside_the_picture_is_unknown(spot):
    assert spot_at(frame(), CAMERA, (100.0, 8.0, 0.0)) is None
    away = overhead_camera(SIZE, (200.0, 16.0), 32.0)
    assert spot.unchanged(frame(), away) is None


@pytest.mark.parametrize("sculpt", [Sculpt.RIFLEMAN, Sculpt.KNEELING, Sculpt.GRENADIER])
@pytest.mark.slow
def test_a_figure_that_fell_or_was_laid_down_changes_its_patch(sculpt):
    stands = Model("green-1", "green", sculpt, 10.0, 8.0, facing_deg=30.0)
    fell = replace(stands, tilt_deg=90.0)
    laid = replace(fell, x_in=20.0 - fell.figure.x_in, y_in=16.0 - fell.figure.y_in)
    known = PatchMemory()
    known.keep(frame(replace(SCENE, models=(stands,))), CAMERA, [("green-1", PLACE)])
    assert known.unchanged("green-1", frame(replace(SCENE, models=(stands,)), seed=1), CAMERA)
    for model in (fell, laid):
        assert not known.unchanged("green-1", frame(replace(SCENE, models=(model,)), seed=1), CAMERA)


def test_a_figure_without_a_stored_patch_is_not_unchanged():
    known = PatchMemory()
    known.keep(frame(), CAMERA, [("far", (100.0, 8.0, 0.0))])
    assert not known.unchanged("far", frame(), CAMERA)
    assert not known.unchanged("nobody", frame(), CAMERA)


@pytest.mark.slow
def test_a_place_changes_when_a_figure_is_put_down_but_not_in_other_light():
    memory = PatchMemory()
    assert not memory.changed(PLACE, frame(), CAMERA), "nothing is known before the table was at rest"
    memory.keep_table(frame(SCENE.empty), CAMERA)
    assert memory.changed(PLACE, frame(seed=1), CAMERA)
    assert not memory.changed(PLACE, frame(SCENE.empty, lamp=0.6, seed=2), CAMERA)
    assert not memory.changed((100.0, 8.0, 0.0), frame(seed=1), CAMERA), "not in the picture"
