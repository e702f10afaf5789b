"""The projector's light in linear pictures that are computed from a known camera and projector."""

import numpy as np
import pytest

from calibration.calibration_targets import CalibrationTargets, Detections, fix
from calibration.opencv import cv2
from calibration.projector import Pattern
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, Posture, TerrainKind, TerrainPiece, ellipse_outline
from vision.projected_light import align, board_points, coded_points, pattern_light, solids_px
from vision.simulation.projector import hung_projector
from vision.simulation.scene import corner_markers
from vision.simulation.simulator import overhead_camera

TABLE_IN, CAMERA_PX, SIZE_PX = (40.0, 26.0), (1280, 720), (800, 500)
CAMERA = overhead_camera(CAMERA_PX, TABLE_IN, 45.0)
MODEL = hung_projector(SIZE_PX, TABLE_IN, keystone_deg=20.0)
PATTERN = Pattern(SIZE_PX)


@pytest.fixture(scope="module")
def measured():
    markers = {marker.id: marker.corners_in for marker in corner_markers(TABLE_IN)}
    seen = {number: CAMERA.table_to_pixel(corners) for number, corners in markers.items()}
    return fix(Detections(CAMERA_PX, seen), CalibrationTargets(layout=markers), CAMERA.lens).calibration


@pytest.fixture(scope="module")
def maps():
    """For each camera pixel, the projector's pixel that lights it."""
    u, v = np.meshgrid(np.arange(CAMERA_PX[0]), np.arange(CAMERA_PX[1]))
    lit_px = MODEL.table_to_pixel(CAMERA.pixel_to_table(np.c_[u.ravel(), v.ravel()]))
    return np.nan_to_num(lit_px, nan=-9).astype(np.float32).reshape(*CAMERA_PX[::-1], 2)


def seen(maps, picture, strength=0.5, seed=0):
    """What the camera sees, in linear light: plastic, wood and lamp, and the projector's light on them."""
    rng = np.random.default_rng(3)
    albedo = cv2.resize(rng.uniform(0.1, 0.6, (90, 160)).astype(np.float32), CAMERA_PX)
    light = cv2.remap(picture.astype(np.float32) / 255, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR)
    noise = np.random.default_rng(seed).normal(0, 0.002, albedo.shape)
    return (albedo * (1 + strength * light) + noise).astype(np.float32)


@pytest.fixture(scope="module")
def light(maps):
    pictures = (0 * PATTERN.picture, PATTERN.picture, 255 - PATTERN.picture)
    return pattern_light(*(seen(maps, picture, seed=n) for n, picture in enumerate(pictures)))


def test_plastic_wood_and_lamp_cancel_out(light, maps):
    drawn = cv2.remap(PATTERN.picture, maps[..., 0], maps[..., 1], cv2.INTER_NEAREST)
    inner = cv2.erode((light.part != 0).astype(np.uint8), np.ones((15, 15), np.uint8)) > 0
    for value, part in ((255, 1.0), (0, -1.0)):
        there = inner & (cv2.erode((drawn == value).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0)
        assert np.median(light.part[there]) == pytest.approx(part, abs=0.05)
    assert light.strength == pytest.approx(0.5, abs=0.02)


def test_corners_are_found_by_markers_and_by_codes(light, maps, measured):
    codes = [seen(maps, code, seed=10 + n) for n, code in enumerate(PATTERN.codes)]
    found = [
        align(light, rough, PATTERN, measured)
        for rough in (board_points(light, PATTERN), coded_points(light, codes, PATTERN))
    ]
    for projection, places_in in found:
        assert len(places_in) > 60
        lit = MODEL.pixel_to_table(projection.camera.table_to_pixel(places_in))
        assert np.linalg.norm(lit - places_in, axis=1).max() < 0.02  # half a pixel of the camera
    middles, _ = coded_points(light, codes, PATTERN)
    assert len(middles) > 0.8 * len(board_points(light, PATTERN)[0]) / 4


def test_corners_on_solids_and_on_printed_markers_are_not_used(light, measured):
    left = np.array([[0.0, 0.0], [640.0, 0.0], [640.0, 720.0], [0.0, 720.0]])
    _, places_in = align(light, board_points(light, PATTERN), PATTERN, measured, [left])
    assert CAMERA.table_to_pixel(places_in)[:, 0].min() > 640
    for corners in measured.markers_in.values():
        assert (np.abs(places_in - corners.mean(0)).max(1) > 1.4).all()  # half the marker's side of 3 in, turned a bit


def test_dark_weak_and_hidden_light_is_refused(maps, measured, light):
    def lit(strength):
        pictures = (0 * PATTERN.picture, PATTERN.picture, 255 - PATTERN.picture)
        return pattern_light(*(seen(maps, picture, strength, n) for n, picture in enumerate(pictures)))

    with pytest.raises(UserError, match="does not see the projector's light: turn the projector on"):
        lit(0.0)
    with pytest.raises(UserError, match="too weak against the room's: dim the lamps"):
        lit(0.11)
    everywhere = np.array([[0.0, 0.0], [1280.0, 0.0], [1280.0, 720.0], [0.0, 720.0]])
    with pytest.raises(UserError, match="too little of the projector's pattern"):
        align(light, board_points(light, PATTERN), PATTERN, measured, [everywhere])


def test_solids_reach_from_foot_to_top():
    at = (12.0, 20.0)
    soldier = Figure("green-1", "green", *at, 0.0, 0.0, Posture.STANDING, ellipse_outline(at, 0.5, 0.4))
    house = TerrainPiece("house", TerrainKind.BUILDING, ((25, 8), (30, 8), (30, 12), (25, 12)), 0.0, 5.0)
    body, block = solids_px(CAMERA, [soldier], [house])
    for outline, inside in ((body, (*at, 1.9)), (block, (27.0, 10.0, 4.9))):
        px = tuple(float(part) for part in CAMERA.table_to_pixel(inside)[0])
        assert cv2.pointPolygonTest(outline.astype(np.float32), px, True) > 0
