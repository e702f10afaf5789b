"""A place is known again in another light and after a bump, and not once something else is there."""

from dataclasses import replace

import numpy as np
import pytest

from vision.frame import Frame
from vision.simulator import overhead_camera, render
from vision.spot import spot_at
from vision.table_scene import Model, Scene, Sculpt

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
    other = replace(SCENE, models=(Model("tan-1", "tan", Sculpt.PRONE, 10.0, 8.0, 90.0),))
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
