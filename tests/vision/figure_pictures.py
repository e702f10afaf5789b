"""Small drawn tables with known figures: plain shapes through a known camera, no simulator."""

from __future__ import annotations

import math

import numpy as np

from calibration.camera import Lens, TableCamera
from calibration.opencv import cv2
from rules.tabletop.table import Posture, ellipse_outline
from vision.frame import ImageBgr

GREEN = (45, 90, 60)
TAN = (120, 175, 205)
TABLE = (70, 95, 130)
SIZE = (960, 720)
# Limbs as (start, end, radius): ahead, to the left and up of the base's centre, in inches.
LIMBS = {
    Posture.STANDING: (
        ((0.15, 0.2, 0.1), (0.0, 0.12, 0.9), 0.1),
        ((-0.15, -0.2, 0.1), (0.0, -0.12, 0.9), 0.1),
        ((0.0, 0.0, 0.9), (0.05, 0.0, 1.5), 0.2),
        ((0.05, 0.25, 1.45), (0.45, 0.1, 1.4), 0.08),
        ((0.05, -0.25, 1.45), (0.3, 0.0, 1.4), 0.08),
        ((0.1, 0.0, 1.75), (0.1, 0.0, 1.9), 0.17),
        ((-0.2, 0.0, 1.4), (1.0, 0.05, 1.45), 0.05),
    ),
    Posture.KNEELING: (
        ((0.35, 0.2, 0.1), (0.35, 0.2, 0.6), 0.1),
        ((0.35, 0.2, 0.6), (0.0, 0.12, 0.5), 0.1),
        ((-0.4, -0.15, 0.15), (0.1, -0.15, 0.15), 0.1),
        ((0.1, -0.15, 0.15), (0.0, -0.12, 0.5), 0.1),
        ((0.0, 0.0, 0.5), (0.1, 0.0, 1.05), 0.2),
        ((0.1, 0.25, 1.0), (0.5, 0.1, 0.95), 0.08),
        ((0.1, -0.25, 1.0), (0.35, 0.0, 0.95), 0.08),
        ((0.15, 0.0, 1.25), (0.15, 0.0, 1.4), 0.17),
        ((-0.15, 0.0, 0.95), (1.05, 0.05, 1.0), 0.05),
    ),
    Posture.PRONE: (
        ((-0.95, 0.25, 0.15), (-0.1, 0.1, 0.2), 0.1),
        ((-0.95, -0.25, 0.15), (-0.1, -0.1, 0.2), 0.1),
        ((-0.1, 0.0, 0.22), (0.4, 0.0, 0.35), 0.2),
        ((0.35, 0.25, 0.3), (0.8, 0.05, 0.3), 0.08),
        ((0.35, -0.25, 0.3), (0.65, 0.0, 0.3), 0.08),
        ((0.6, 0.0, 0.42), (0.62, 0.0, 0.5), 0.17),
        ((0.4, 0.0, 0.35), (1.5, 0.05, 0.4), 0.05),
    ),
}


def camera(height_in: float = 40.0) -> TableCamera:
    """Straight above (15, 12), x to the right, y up the picture, 25 px/in on the table."""
    lens = Lens(SIZE, [[1000, 0, 480], [0, 1000, 360], [0, 0, 1]], [-0.1, 0.02, 0, 0, 0])
    flip = np.diag([1.0, -1.0, -1.0])
    return TableCamera(lens, flip, -flip @ np.array([15.0, 12.0, height_in]))


def oblique_camera(beyond_in: float = 28.0) -> TableCamera:
    """34 in up and beyond the near edge of the same table, looking at its middle: 28 in give a tilt of 50 degrees."""
    lens = Lens(SIZE, [[1000, 0, 480], [0, 1000, 360], [0, 0, 1]], [-0.1, 0.02, 0, 0, 0])
    eye_in, middle_in = np.array([15.0, -beyond_in, 34.0]), np.array([15.0, 12.0, 0.0])
    ahead = (middle_in - eye_in) / np.linalg.norm(middle_in - eye_in)
    right = np.array([1.0, 0.0, 0.0])
    turn = np.stack([right, np.cross(ahead, right), ahead])
    return TableCamera(lens, turn, -turn @ eye_in)


def empty(seed: int = 1) -> ImageBgr:
    """A brown table with some grain."""
    grain = np.random.default_rng(seed).normal(0, 2.0, (SIZE[1], SIZE[0], 1))
    return np.clip(np.array(TABLE) + grain, 0, 255).astype(np.uint8)


def fill(image: ImageBgr, eye: TableCamera, outline: list[tuple[float, float]], z_in: float, colour: tuple[int, ...]):
    points = eye.table_to_pixel(np.c_[np.array(outline), np.full(len(outline), z_in)])
    cv2.fillPoly(image, [np.round(points * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)


def soldier(
    image: ImageBgr,
    eye: TableCamera,
    x: float,
    y: float,
    colour: tuple[int, int, int],
    turn: float = 0.0,
    z: float = 0.0,
    posture: Posture = Posture.STANDING,
) -> None:
    """A base, and on it limbs and a rifle of balls, lit from the left; every ball is drawn where the camera sees it."""
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    half = (0.76, 0.35) if posture is Posture.PRONE else (0.54, 0.41)
    fill(image, eye, list(ellipse_outline((x, y), *half, turn)), z, colour)
    balls = [
        (x + c * ahead - s * aside, y + s * ahead + c * aside, z + up, radius)
        for (start, end, radius) in LIMBS[posture]
        for ahead, aside, up in np.linspace(start, end, 12)
    ]
    for bx, by, up, radius in sorted(balls, key=lambda ball: ball[2]):
        for part, light in ((1.0, 0.9), (0.75, 1.0), (0.4, 1.15)):
            shade = tuple(min(255, int(light * v)) for v in colour)
            at = (bx - 0.4 * (1 - part) * radius, by)
            fill(image, eye, list(ellipse_outline(at, part * radius, part * radius)), up, shade)
