"""Drawn dice with known faces: rounded cubes on a tray through a pinhole, lit by one lamp; no vision is used.

Lengths are in sides of a die; the tray is z = 0, and the camera looks at its middle from the south.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2
from vision.frame import ImageBgr

Colour = tuple[int, int, int]
Points = npt.NDArray[np.float64]
PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    5: [(-1, -1), (1, -1), (1, 1), (-1, 1), (0, 0)],
    6: [(-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1)],
}
SIDES = {1: (2, 3), 2: (6, 3), 3: (1, 2), 4: (1, 2), 5: (6, 3), 6: (2, 3)}
"""Faces to the east and to the north of a top; opposite faces add up to seven."""


@dataclass(frozen=True)
class Drawn:
    """A die: place of its middle above the tray, top face, and turn.

    A Fudge die shows -1, 0 or 1 and the other signs on its sides. `lean_deg` tips it over its lower south edge.
    """

    face: int
    x: float = 0.0
    y: float = 0.0
    turn_deg: float = 0.0
    body: Colour = (225, 235, 235)
    ink: Colour = (30, 30, 30)
    fudge: bool = False
    lean_deg: float = 0.0
    pip: float = 0.09
    pitch: float = 0.25


@dataclass(frozen=True)
class Eye:
    """The camera: pixels per side of a die where it points, and its angle from straight down."""

    size: tuple[int, int] = (640, 480)
    side_px: float = 60.0
    slant_deg: float = 0.0
    away: float = 25.0

    def axes(self) -> Points:
        """(3, 3) rows: right, down and ahead of the camera, in the tray's frame."""
        s, c = math.sin(math.radians(self.slant_deg)), math.cos(math.radians(self.slant_deg))
        return np.array([[1.0, 0, 0], [0, -c, -s], [0, s, -c]])

    def place(self) -> Points:
        return np.asarray(-self.away * self.axes()[2])

    def pixel(self, points: Points) -> Points:
        """(N, 2) pixels of (N, 3) points."""
        seen = (points - self.place()) @ self.axes().T
        return np.asarray(seen[:, :2] / seen[:, 2:] * self.side_px * self.away + np.array(self.size) / 2 - 0.5)

    def rays(self, columns: Points, rows: Points) -> Points:
        """(N, 3) unit directions through pixels."""
        middle = np.array(self.size) / 2 - 0.5
        flat = np.c_[columns - middle[0], rows - middle[1], np.full(len(rows), self.side_px * self.away)]
        flat /= np.linalg.norm(flat, axis=1)[:, None]
        return np.asarray(flat @ self.axes())


@dataclass(frozen=True)
class Room:
    """The surroundings of the dice."""

    tray: Colour = (60, 110, 60)
    grain: float = 4.0
    lamp: tuple[float, float, float] = (-0.5, 0.4, 1.0)
    shadow: float = 0.5
    glare: float = 0.25
    blur_px: float = 0.7
    noise: float = 2.0
    planks: bool = False
    seed: int = 1
    light: float = field(default=1.0)


def turn(die: Drawn) -> tuple[Points, Points]:
    """Rotation (die to tray) and the middle of a die."""
    c, s = math.cos(math.radians(die.turn_deg)), math.sin(math.radians(die.turn_deg))
    k, q = math.cos(math.radians(die.lean_deg)), math.sin(math.radians(die.lean_deg))
    rotation = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, k, -q], [0, q, k]])
    return rotation, np.array([die.x, die.y, (k + abs(q)) / 2])


def draw(dice: Sequence[Drawn], eye: Eye = Eye(), room: Room = Room()) -> ImageBgr:
    """The picture: tray, shadows, dice, blur and noise."""
    rng = np.random.default_rng(room.seed)
    image = _tray(eye, room, rng)
    lamp = np.array(room.lamp) / np.linalg.norm(room.lamp)
    dark = np.zeros(image.shape[:2], np.float32)
    for die in dice:
        _shade(dark, die, eye, lamp)
    image *= (1 - room.shadow * cv2.GaussianBlur(dark, (0, 0), eye.side_px * 0.06))[..., None]
    depth = np.full(image.shape[:2], np.inf)
    for die in dice:
        _die(image, depth, die, eye, room, lamp)
    soft = cv2.GaussianBlur(image * room.light, (0, 0), room.blur_px)
    return np.asarray(np.clip(soft + rng.normal(0, room.noise, soft.shape), 0, 255), np.uint8)


def _tray(eye: Eye, room: Room, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    width, height = eye.size
    grain = rng.normal(0, 1, (height, width)).astype(np.float32)
    if room.planks:
        grain = 3 * cv2.blur(grain, (1 + 2 * (width // 24), 3)) * math.sqrt(width / 24)
        grain[:: max(24, height // 6)] -= 6
    flat = np.array(room.tray, np.float32) + room.grain * grain[..., None]
    ramp = 0.85 + 0.3 * np.linspace(0, 1, width, dtype=np.float32)[None, :, None]
    return np.asarray(flat * ramp, np.float32)


def _corners(die: Drawn) -> Points:
    rotation, middle = turn(die)
    return np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) @ rotation.T + middle


def _shade(dark: npt.NDArray[np.float32], die: Drawn, eye: Eye, lamp: Points) -> None:
    corners = _corners(die)
    fallen = corners - lamp * (corners[:, 2:] / lamp[2])
    hull = cv2.convexHull(np.round(eye.pixel(fallen) * 16).astype(np.int32))
    cv2.fillConvexPoly(dark, hull, 1.0, cv2.LINE_AA, 4)


def _die(image: npt.NDArray[np.float32], depth: Points, die: Drawn, eye: Eye, room: Room, lamp: Points) -> None:
    """March rays to the rounded cube; two by two in every pixel."""
    box = eye.pixel(_corners(die))
    low = np.clip(np.floor(box.min(axis=0)) - 1, 0, eye.size).astype(int)
    high = np.clip(np.ceil(box.max(axis=0)) + 2, 0, eye.size).astype(int)
    if (high <= low).any():
        return
    rows, columns = np.mgrid[low[1] : high[1], low[0] : high[0]]
    total = np.zeros((*rows.shape, 3), np.float32)
    cover = np.zeros(rows.shape, np.float32)
    near = np.full(rows.shape, np.inf)
    rotation, middle = turn(die)
    for dx, dy in ((-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)):
        rays = eye.rays((columns + dx).ravel(), (rows + dy).ravel())
        start, ahead = (eye.place() - middle) @ rotation, rays @ rotation
        met, reach = _meets_cube(start, ahead)
        colour, cut = np.zeros((len(rays), 3)), np.full(len(rays), np.inf)
        rays, ahead, reach = rays[met], ahead[met], reach[met]
        for _ in range(12):
            reach = reach + _distance(start + ahead * reach[:, None])
        points = start + ahead * reach[:, None]
        hit = _distance(points) < 0.01
        colour[np.flatnonzero(met)[hit]] = _surface(points[hit], die, rotation, rays[hit], lamp, room)
        cut[np.flatnonzero(met)[hit]] = reach[hit]
        total += colour.reshape(total.shape)
        cover += np.isfinite(cut).reshape(cover.shape)
        near = np.minimum(near, cut.reshape(near.shape))
    window = (slice(low[1], high[1]), slice(low[0], high[0]))
    front = (near < depth[window]) & (cover > 0)
    blended = total / 4 + image[window] * (1 - cover / 4)[..., None]
    image[window] = np.where(front[..., None], blended, image[window])
    depth[window] = np.where(front, near, depth[window])


def _meets_cube(start: Points, ahead: Points) -> tuple[npt.NDArray[np.bool_], Points]:
    """Rays that meet the cube without rounded edges, and the distances at which they enter it."""
    with np.errstate(divide="ignore"):
        ends = (np.array([[-0.5], [0.5]])[:, None] - start) / ahead
    enter, leave = ends.min(axis=0).max(axis=1), ends.max(axis=0).min(axis=1)
    return np.asarray(enter < leave), np.asarray(enter)


def _distance(points: Points) -> Points:
    """Distance from a cube of side 1 with edges rounded by 0.12 and corners cut by a ball, as real dice are."""
    outside = np.maximum(np.abs(points) - 0.38, 0)
    cube = np.linalg.norm(outside, axis=1) + np.minimum((np.abs(points) - 0.38).max(axis=1), 0) - 0.12
    return np.asarray(np.maximum(cube, np.linalg.norm(points, axis=1) - 0.74))


def _surface(points: Points, die: Drawn, rotation: Points, rays: Points, lamp: Points, room: Room) -> Points:
    """Lit colour of points on the die, in its own frame."""
    step = 1e-3
    normal = np.stack([_distance(points + step * np.eye(3)[k]) - _distance(points) for k in range(3)], axis=1)
    normal = normal / np.maximum(np.linalg.norm(normal, axis=1), 1e-9)[:, None] @ rotation.T
    inked = _inked(points, die)
    base = np.where(inked[:, None], np.array(die.ink, float), np.array(die.body, float))
    lit = 0.45 + 0.55 * np.clip(normal @ lamp, 0, 1)
    mirror = rays - 2 * (rays * normal).sum(axis=1)[:, None] * normal
    shine = np.clip(mirror @ lamp, 0, 1) ** 30 * 255 * room.glare
    return np.asarray(base * lit[:, None] + shine[:, None])


def _inked(points: Points, die: Drawn) -> npt.NDArray[np.bool_]:
    east, north = (-1, 1) if die.fudge else SIDES[die.face]
    pair = 0 if die.fudge else 7  # what opposite faces add up to
    faces = {(2, 1): die.face, (2, -1): pair - die.face, (0, 1): east, (0, -1): pair - east}
    faces |= {(1, 1): north, (1, -1): pair - north}
    inked = np.zeros(len(points), np.bool_)
    for (axis, sign), face in faces.items():
        on = sign * points[:, axis] > 0.40
        u, v = points[:, [(1, 2), (0, 2), (0, 1)][axis][0]], points[:, [(1, 2), (0, 2), (0, 1)][axis][1]]
        if die.fudge:
            bar = (np.abs(u) < 0.3) & (np.abs(v) < 0.075)
            stem = (np.abs(v) < 0.3) & (np.abs(u) < 0.075)
            inked |= on & ((bar & (face != 0)) | (stem & (face == 1)))
            continue
        for x, y in PIPS[face]:
            inked |= on & (np.hypot(u - x * die.pitch, v - y * die.pitch) < die.pip)
    return inked
