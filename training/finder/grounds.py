"""Parts of the training worlds: grounds, prints, terrain and clutter."""

from __future__ import annotations

import math

import numpy as np

from calibration.opencv import cv2
from rules.tabletop.table import FloatArray
from training.finder.soldiers import Rng
from vision.palette import FloatImage
from vision.simulation.mesh import Mesh, ball, block, disc, join, lathe, limb, turn_z

FINE = 32.0
"""Resolution of the drawing, in pixels per inch."""
_CHEQUERED = 0.18  # share of the tables
_OF_ARMY = 0.4  # share of the chequered boards whose squares have the colour of an army, as chess boards have
SIZE_IN = (26.0, 20.0)
SHAPE = (int(SIZE_IN[1] * FINE), int(SIZE_IN[0] * FINE))


def _noise(rng: Rng, cell_px: tuple[float, float]) -> FloatImage:
    small = tuple(max(2, math.ceil(n / c)) for n, c in zip(SHAPE, cell_px, strict=True))
    return np.asarray(cv2.resize(rng.standard_normal(small, np.float32), SHAPE[::-1], interpolation=cv2.INTER_CUBIC))


def _colour(rng: Rng) -> FloatArray:
    """A muted albedo like paint or plastic, linear BGR."""
    hue, grey, value = rng.uniform(0, 180), rng.beta(2, 2.5), rng.uniform(0.12, 0.85)
    pixel = np.array([[[hue, 255 * grey, 255 * value]]], np.float32)
    bgr = cv2.cvtColor(pixel.astype(np.uint8), cv2.COLOR_HSV2BGR)[0, 0] / 255.0
    return np.asarray(np.maximum(bgr, 0.03) ** 2.2)


def army_colour(rng: Rng) -> FloatArray:
    """A common plastic colour, or a random one."""
    common = [
        (46, 102, 96),
        (120, 168, 196),
        (150, 142, 134),
        (150, 90, 40),
        (44, 44, 160),
        (60, 170, 205),
        (50, 75, 110),
        (55, 80, 60),
    ]
    if rng.random() < 0.75:
        srgb = np.array(common[rng.integers(len(common))]) * rng.uniform(0.7, 1.2) + rng.normal(0, 10, 3)
        return np.asarray((np.clip(srgb, 12, 240) / 255) ** 2.2)
    return _colour(rng)


def ground_picture(rng: Rng, armies: list[FloatArray]) -> FloatImage:
    base = _colour(rng)
    if rng.random() < 0.6:
        usual = [
            (60, 95, 140),
            (110, 150, 185),
            (55, 105, 75),
            (120, 108, 92),
            (70, 70, 75),
            (45, 70, 50),
            (150, 165, 175),
        ]
        base = (np.clip(np.array(usual[rng.integers(len(usual))]) * rng.uniform(0.8, 1.2, 3), 5, 250) / 255) ** 2.2
    if rng.random() < 0.3:
        base = armies[rng.integers(len(armies))] * rng.uniform(0.6, 1.6) * rng.uniform(0.85, 1.15, 3)
    kind = rng.choice(["plain", "grass", "wood", "cloth", "blotchy"])
    light = rng.uniform(0, 0.06) * _noise(rng, (2, 2)) + rng.uniform(0, 0.1) * _noise(rng, (120, 160))
    if kind == "grass":
        light += rng.uniform(0.1, 0.3) * _noise(rng, (2, 2)) + 0.12 * _noise(rng, (5, 5))
    elif kind == "wood":
        light += rng.uniform(0.05, 0.2) * _noise(rng, (3, 130)) + 0.06 * _noise(rng, (1.5, 40))
        light -= 0.5 * ((np.arange(SHAPE[0]) + rng.integers(200)) % int(rng.uniform(70, 160)) < 3)[:, None]
    elif kind == "cloth":
        light += rng.uniform(0.05, 0.2) * _noise(rng, (1.5, 1.5))
    picture = base * np.exp(light)[..., None]
    if kind in ("blotchy", "grass"):
        other = base * rng.uniform(0.6, 1.6, 3)
        share = np.clip(0.5 + 0.6 * _noise(rng, (90, 90)), 0, 1)[..., None]
        picture = picture * (1 - share) + other * np.exp(light)[..., None] * share
    picture = np.ascontiguousarray(picture, np.float32)
    if rng.random() < _CHEQUERED:
        _squares(picture, rng, armies)
    for _ in range(rng.integers(0, 4)):
        _print(picture, rng, armies)
    for _ in range(rng.integers(1, 4) if rng.random() < 0.25 else 0):
        _lid(picture, rng, armies)
    return picture


def _squares(picture: FloatImage, rng: Rng, armies: list[FloatArray]) -> None:
    """A chequered board or cloth, or square tiles."""
    side, turn = rng.uniform(0.8, 3.0) * FINE, rng.uniform(0, math.pi)
    v, u = np.mgrid[: SHAPE[0], : SHAPE[1]]
    across, down = (u * math.cos(turn) + v * math.sin(turn)) / side, (v * math.cos(turn) - u * math.sin(turn)) / side
    odd = (np.floor(across) + np.floor(down)) % 2 > 0
    inside = cv2.boxPoints(((SHAPE[1] / 2, SHAPE[0] / 2), tuple(rng.uniform(8, 30, 2) * FINE), math.degrees(turn)))
    where = np.zeros(SHAPE, np.uint8)
    cv2.fillConvexPoly(where, inside.astype(np.int32), 1)
    own = armies[rng.integers(len(armies))] * rng.uniform(0.8, 1.3) if rng.random() < _OF_ARMY else _colour(rng)
    picture[odd & (where > 0)] *= (own / np.median(picture, axis=(0, 1))).astype(np.float32)


def _print(picture: FloatImage, rng: Rng, armies: list[FloatArray]) -> None:
    """A book cover, a card or a printed mat."""
    middle, half = rng.uniform(0, SHAPE[::-1]), rng.uniform(1, 4.5, 2) * FINE
    turn = rng.uniform(0, 180)
    colour = armies[rng.integers(len(armies))] * rng.uniform(0.7, 1.4) if rng.random() < 0.3 else _colour(rng)
    box = cv2.boxPoints(((middle[0], middle[1]), (2 * half[0], 2 * half[1]), turn))
    cv2.fillConvexPoly(picture, box.astype(np.int32), colour.tolist())
    for _ in range(rng.integers(0, 5)):
        at = middle + rng.uniform(-0.6, 0.6, 2) * half.min()
        ink = _colour(rng).tolist()
        what = rng.integers(3)
        if what == 0:
            cv2.circle(
                picture,
                at.astype(int).tolist(),
                int(rng.uniform(0.2, 1.2) * FINE),
                ink,
                -1 if rng.random() < 0.5 else 3,
            )
        elif what == 1:
            part = cv2.boxPoints(((at[0], at[1]), tuple(rng.uniform(0.2, 3, 2) * FINE), turn))
            cv2.fillConvexPoly(picture, part.astype(np.int32), ink)
        else:
            cv2.putText(
                picture,
                "THE ATLAS"[rng.integers(5) :],
                at.astype(int).tolist(),
                0,
                rng.uniform(0.5, 2),
                ink,
                int(rng.integers(1, 6)),
            )


def _lid(picture: FloatImage, rng: Rng, armies: list[FloatArray]) -> None:
    """A jar's lid, a coaster or a patch of paint; a figure may stand on it."""
    middle, radius = rng.uniform(0, SHAPE[::-1]).astype(int).tolist(), rng.uniform(0.8, 2.2) * FINE
    colour = armies[rng.integers(len(armies))] * rng.uniform(0.3, 1.2) if rng.random() < 0.4 else _colour(rng)
    cv2.circle(picture, middle, int(radius), colour.tolist(), -1, cv2.LINE_AA)
    rim = colour * rng.uniform(0.5, 1.6)
    cv2.circle(picture, middle, int(radius), rim.tolist(), int(rng.uniform(2, 9)), cv2.LINE_AA)


def clutter(rng: Rng, armies: list[FloatArray]) -> Mesh:
    """An object that is not a figure: dice, pencils, mugs, coins, a hand, rubble."""
    kind = rng.integers(7)
    colour = armies[rng.integers(len(armies))] * rng.uniform(0.6, 1.5) if rng.random() < 0.3 else _colour(rng)
    at = (*(rng.uniform(0, SIZE_IN)), 0.0)
    if kind == 0:
        return _die(rng, colour).placed(turn_z(rng.uniform(0, 360)), at)
    if kind == 1:
        mesh = limb((-rng.uniform(1, 3.5), 0, 0.14), (2, 0, 0.14), 0.14, 0.14)
    elif kind == 2:
        radius = rng.uniform(0.3, 1.7)
        high = rng.uniform(0.05, 0.2) if rng.random() < 0.6 else rng.uniform(0.5, 3.5)
        mesh = lathe([(radius, 0), (radius, high), (0, high)], 16)
    elif kind == 3:
        mesh = block((0, 0), tuple(rng.uniform(0.5, 4, 2)), 0, rng.uniform(0.02, 1.5))
    elif kind == 4:
        skin = np.array([0.25, 0.38, 0.62]) * rng.uniform(0.4, 1.2)
        fingers = [
            limb((0, y, 0.8), (rng.uniform(0.8, 1.8), 1.3 * y, 0.3), 0.27, 0.22) for y in (-0.7, -0.25, 0.2, 0.6)
        ]
        mesh = join([ball((-0.6, 0, 1.0), (1.2, 1.0, 0.6)), *fingers, limb((-1.2, 0, 1.2), (-9, 0, 2.5), 0.9, 1.4)])
        colour = skin
    elif kind == 5:
        mesh = join(
            [ball((*rng.normal(0, 0.5, 2), 0.15), rng.uniform(0.15, 0.5, 3)) for _ in range(rng.integers(1, 6))]
        )
    else:
        mesh = block((0, 0), (rng.uniform(2, 6), rng.uniform(0.3, 0.8)), 0, rng.uniform(0.1, 1.2))
    return painted(mesh.placed(turn_z(rng.uniform(0, 360)), at), colour)


def _die(rng: Rng, colour: FloatArray) -> Mesh:
    """A die with the pips of its upper side, in ivory, black or any colour."""
    side = rng.uniform(0.4, 0.8)
    if rng.random() < 0.5:
        colour = np.full(3, rng.choice([0.02, 0.7])) * rng.uniform(0.8, 1.2, 3)
    cube = painted(block((0, 0), (side, side), 0, side), colour)
    ink = np.full(3, 0.75 if float(colour.mean()) < 0.3 else 0.02)
    spots = np.array([(-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0), (0, 0)])
    count = int(rng.integers(1, 7))
    shown = [*spots[: count - count % 2], *([spots[6]] if count % 2 else [])]
    pips = [
        disc(0.1 * side, 0.1 * side, side, side + 0.004).placed(np.eye(3), (*(0.27 * side * at), 0.0)) for at in shown
    ]
    return join([cube, *(painted(pip, ink) for pip in pips)])


def terrain(rng: Rng, armies: list[FloatArray]) -> Mesh:
    """A permanent object: a tree, hedge, house or wall."""
    at = (*(rng.uniform(0, SIZE_IN)), 0.0)
    turn = turn_z(rng.uniform(0, 360))
    if rng.random() < 0.5:
        green = np.array([0.03, 0.1, 0.04]) * rng.uniform(0.5, 3) * rng.uniform(0.7, 1.4, 3)
        half, high = rng.uniform(0.5, 2.2, 2), rng.uniform(0.8, 4.0)
        count = int(180 * half.prod()) + 60
        spot = rng.normal(0, 0.5, (count, 2)).clip(-1, 1) * half
        z = high * (1 - 0.5 * (np.square(spot / half).sum(axis=1)).clip(0, 1)) * rng.uniform(0.6, 1, count)
        corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * 0.14
        tilt = rng.normal(0, 0.09, (count, 1, 3))
        leaves = np.c_[spot, z][:, None] + corners + tilt * corners[:, [1, 2, 0]] * 8
        mesh = Mesh(leaves, np.tile(green, (count, 1)) * rng.uniform(0.4, 1.8, (count, 1)), np.zeros(count))
        return mesh.placed(turn, at)
    size = rng.uniform((0.4, 2), (5, 7))
    return painted(block((0, 0), tuple(size), 0, rng.uniform(0.5, 4.5)).placed(turn, at), _colour(rng))


def painted(mesh: Mesh, colour: FloatArray) -> Mesh:
    return mesh.painted((float(colour[0]), float(colour[1]), float(colour[2])), 1.0)
