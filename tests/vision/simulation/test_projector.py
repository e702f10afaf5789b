"""The simulated projector throws its light where its model says, also on what stands on the table."""

import numpy as np
import pytest

from calibration.opencv import cv2
from rules.tabletop.table import TerrainKind, TerrainPiece
from vision.simulation.drawing import SCREEN_GAMMA
from vision.simulation.projector import SimulatedProjector, hung_projector
from vision.simulation.scene import Scene, corner_markers
from vision.simulation.simulator import SimulatedTable, overhead_camera

TABLE_IN, SIZE_PX = (30.0, 20.0), (960, 540)
HILL = TerrainPiece("book", TerrainKind.HILL, ((18.0, 8.0), (26.0, 8.0), (26.0, 15.0), (18.0, 15.0)), 0.0, 2.0)
MODEL = hung_projector((800, 500), TABLE_IN, keystone_deg=20.0)


@pytest.fixture(scope="module")
def table():
    return SimulatedTable(
        Scene(TABLE_IN, terrain=(HILL,), markers=corner_markers(TABLE_IN)), overhead_camera(SIZE_PX, TABLE_IN, 40.0)
    )


def light_of(table, picture, **light):
    """The light of the projector, which shows `picture`, relative to the lamp's at each pixel."""
    table.projector = None
    dark = np.mean([table.read().image_bgr for _ in range(4)], axis=0)
    table.projector = SimulatedProjector(MODEL, TABLE_IN, **light)
    table.projector.picture = picture
    lit = np.mean([table.read().image_bgr for _ in range(4)], axis=0)
    return (np.maximum(lit, 1) / np.maximum(dark, 1)) ** SCREEN_GAMMA - 1


@pytest.mark.parametrize("at_in", [(8.0, 12.0, 0.0), (21.0, 11.0, 2.0)])
def test_a_dot_lights_its_place_on_the_table_and_on_a_hill(table, at_in):
    px = MODEL.table_to_pixel(at_in)[0]
    picture = np.zeros((500, 800, 3), np.uint8)
    cv2.circle(picture, tuple(np.round(px * 16).astype(int).tolist()), 6 * 16, (255, 255, 255), -1, cv2.LINE_AA, 4)
    light = np.maximum(light_of(table, picture).mean(2) - 0.3, 0)
    u, v = np.meshgrid(np.arange(SIZE_PX[0]), np.arange(SIZE_PX[1]))
    seen_in = table.camera.pixel_to_table(((u * light).sum() / light.sum(), (v * light).sum() / light.sum()), at_in[2])
    # A pixel of the camera is 0.04 in; its geometry is exact only at every other one.
    assert np.linalg.norm(seen_in[0] - at_in[:2]) < 0.05


def test_light_has_its_tint_and_the_hill_throws_a_shadow(table):
    white = np.full((500, 800, 3), 255, np.uint8)
    light = light_of(table, white, tint_bgr=(0.2, 1.0, 1.0))

    def seen(x_in, y_in):
        u, v = np.round(table.camera.table_to_pixel((x_in, y_in))[0]).astype(int)
        return light[v - 3 : v + 4, u - 3 : u + 4].mean((0, 1))

    lit = seen(8.0, 12.0)
    assert lit == pytest.approx((0.2, 1.0, 1.0), abs=0.06)  # noise of 2 grey levels in 80, over 49 pixels
    # The projector hangs beyond the far edge, tilted by 20 degrees, so the hill's shadow falls on its near side.
    _, y_in, z_in = MODEL.position_in
    reach_in = HILL.height_in * (y_in - 8.0) / (z_in - HILL.height_in)
    assert 0.5 < reach_in < 1.5
    assert seen(22.0, 8.0 - reach_in / 2).max() < 0.3
    assert seen(22.0, 8.0 - reach_in - 0.5).max() > 0.9


def test_a_projector_that_is_off_changes_nothing(table):
    assert abs(np.median(light_of(table, None))) < 0.01  # the lamp drifts by less
