"""Small drawn tables with known figures: plain shapes through a known camera, no simulator."""

from __future__ import annotations

import math

import numpy as np

from calibration.camera import Lens, TableCamera
from calibration.opencv import cv2
from rules.table import Posture, ellipse_outline
from vision.frame import ImageBgr

GREEN = (45, 90, 60)
TAN = (120, 175, 205)
TABLE = (70, 95, 130)
SIZE = (960, 720)
BODY = {
    Posture.STANDING: ((0.3, 0.22), (1.3, 0.3), (1.9, 0.17)),
    Posture.KNEELING: ((0.3, 0.34), (0.9, 0.3), (1.4, 0.18)),
}


def camera(height_in: float = 40.0) -> TableCamera:
    """Straight above (15, 12), x to the right, y up the picture, 25 px/in on the table."""
    lens = Lens(SIZE, [[1000, 0, 480], [0, 1000, 360], [0, 0, 1]], [-0.1, 0.02, 0, 0, 0])
    flip = np.diag([1.0, -1.0, -1.0])
    return TableCamera(lens, flip, -flip @ np.array([15.0, 12.0, height_in]))


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
    """A base and a stack of discs, or a prone one; every disc is drawn where the camera sees it."""
    light = tuple(min(255, int(1.15 * c)) for c in colour)
    if posture is Posture.PRONE:
        c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        fill(image, eye, list(ellipse_outline((x, y), 0.76, 0.35, turn)), z, colour)
        for k in np.linspace(-1, 1, 15):
            fill(image, eye, list(ellipse_outline((x + 0.95 * k * c, y + 0.95 * k * s), 0.2, 0.2)), z + 0.3, light)
        return
    fill(image, eye, list(ellipse_outline((x, y), 0.54, 0.41, turn)), z, colour)
    heights, radii = np.array(BODY[posture]).T
    for h in np.linspace(heights[0], heights[-1], 20):
        r = float(np.interp(h, heights, radii))
        fill(image, eye, list(ellipse_outline((x, y), r, r)), z + float(h), light)
