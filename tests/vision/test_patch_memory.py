"""A place is known again in another light and after a bump, and not once something else is there."""

from dataclasses import replace

import numpy as np
import pytest

from vision.frame import Frame
from vision.patch_memory import AppearanceMemory, spot_at
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


def test_the_same_under_another_lamp_and_after_a_bump(spot):
    assert spot.unchanged(frame(lamp=0.6, seed=1), CAMERA)
    assert spot.unchanged(frame(lamp=1.2, seed=2), CAMERA)
    assert spot.unchanged(frame(camera=BUMPED, seed=3), BUMPED)


def test_another_once_it_is_gone_or_something_else_is_there(spot):
    assert not spot.unchanged(frame(SCENE.empty, seed=1), CAMERA)
    other = replace(SCENE, models=(Model("tan-1", "tan", Sculpt.PRONE, 10.0, 8.0, facing_deg=90.0),))
    assert not spot.unchanged(frame(other, seed=1), CAMERA)


def test_bare_ground_stays_bare_ground_and_no_longer_once_somebody_stands_there():
    grey = Frame(np.full((360, 640, 3), 120, np.uint8), 0, 0.0)
    bare = spot_at(grey, CAMERA, PLACE)
    assert bare.unchanged(Frame(np.full((360, 640, 3), 150, np.uint8), 0, 0.0), CAMERA)
    assert not bare.unchanged(frame(), CAMERA)


def test_beside_the_picture_there_is_no_telling(spot):
    assert spot_at(frame(), CAMERA, (100.0, 8.0, 0.0)) is None
    away = overhead_camera(SIZE, (200.0, 16.0), 32.0)
    assert spot.unchanged(frame(), away) is None


@pytest.mark.parametrize("sculpt", [Sculpt.RIFLEMAN, Sculpt.KNEELING, Sculpt.GRENADIER])
def test_who_fell_over_or_was_laid_where_he_stood_looks_another(sculpt):
    stands = Model("green-1", "green", sculpt, 10.0, 8.0, facing_deg=30.0)
    fell = replace(stands, tilt_deg=90.0)
    laid = replace(fell, x_in=20.0 - fell.figure.x_in, y_in=16.0 - fell.figure.y_in)
    known = AppearanceMemory()
    known.keep(frame(replace(SCENE, models=(stands,))), CAMERA, [("green-1", PLACE)])
    assert known.unchanged("green-1", frame(replace(SCENE, models=(stands,)), seed=1), CAMERA)
    for model in (fell, laid):
        assert not known.unchanged("green-1", frame(replace(SCENE, models=(model,)), seed=1), CAMERA)


def test_of_whom_nothing_was_kept_nothing_is_known():
    known = AppearanceMemory()
    known.keep(frame(), CAMERA, [("far", (100.0, 8.0, 0.0))])
    assert not known.unchanged("far", frame(), CAMERA)
    assert not known.unchanged("nobody", frame(), CAMERA)
