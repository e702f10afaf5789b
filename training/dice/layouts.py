"""Random throws: where dice lie, how they are turned, and which lean or are stacked.

Lengths are in sides of a die; the table is z = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
_TRIES = 40


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A die: (3,) middle and (3, 3) rotation from the die to the table."""

    middle: Array
    rotation: Array


@dataclass(frozen=True, slots=True)
class Setting:
    """What a scene shows; the rest is random.

    Attributes:
        fudge, tray: Shares of scenes with Fudge dice, and with a tray.
        count: Fewest and most dice.
        tilt_deg: Range of the camera's tilt from the vertical.
        white: Whether all dice are white with black pips, and lit by strips of LEDs.
        zoom: Width of the picture in its usual widths.
    """

    fudge: float = 0.25
    tray: float = 0.5
    count: tuple[int, int] = (1, 24)
    tilt_deg: tuple[float, float] = (0.0, 42.0)
    white: bool = False
    zoom: float = 1.0

    def tilt(self, rng: np.random.Generator) -> float:
        """The camera's tilt in radians; half of all cameras look almost straight down if they may."""
        low, high = self.tilt_deg
        return math.radians(rng.choice([rng.uniform(low, max(low, 12)), rng.uniform(low, high)]))


SETTINGS = {
    "any": Setting(),
    "tray": Setting(fudge=0.0, tray=1.0, count=(6, 16), white=True),
    "tables": Setting(fudge=0.0, tray=0.0, count=(20, 24), tilt_deg=(10.0, 55.0), zoom=1.6),
}


def about_z(angle: float) -> Array:
    """Rotation about the vertical."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _about_x(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def random_turn(rng: np.random.Generator) -> Array:
    """One of the 24 rotations of a cube onto itself."""
    while True:
        turn = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)
        if np.linalg.det(turn) > 0:
            return turn


def overlaps(a: Array, b: Array, angle_a: float, angle_b: float, gap: float = 0.0) -> bool:
    """Whether two unit squares overlap."""
    for angle in (angle_a, angle_b):
        axes = about_z(angle)[:2, :2].T
        reach = 0.5 + 0.5 * (abs(math.cos(angle_a - angle_b)) + abs(math.sin(angle_a - angle_b))) + gap
        if np.abs(axes @ (b - a)).max() > reach:
            return False
    return True


def throw(rng: np.random.Generator, count: int, half: tuple[float, float]) -> list[Placed]:
    """Up to `count` dice on a table of (2 * half) size: apart, touching, leaning on another, or stacked."""
    flat: list[tuple[Array, float]] = []
    dice: list[Placed] = []
    crowded = rng.random() < 0.4
    for _ in range(count):
        spot = _place(rng, flat, half, crowded)
        if spot is None:
            continue
        at, angle = spot
        flat.append(spot)
        kind = rng.random()
        turn = about_z(angle) @ random_turn(rng)
        if kind < 0.05 and len(flat) > 1:
            dice.append(_leaning(rng, at, angle))
        else:
            dice.append(Placed(np.array([at[0], at[1], 0.5]), turn))
            if kind > 0.97:
                off = at + rng.uniform(-0.35, 0.35, 2)
                above = about_z(rng.uniform(0, 2 * math.pi)) @ random_turn(rng)
                dice.append(Placed(np.array([off[0], off[1], 1.5]), above))
    return dice


def _place(
    rng: np.random.Generator, flat: list[tuple[Array, float]], half: tuple[float, float], crowded: bool
) -> tuple[Array, float] | None:
    for _ in range(_TRIES):
        angle = rng.uniform(0, 2 * math.pi)
        at = rng.uniform(-1, 1, 2) * half
        if crowded and flat and rng.random() < 0.7:  # beside another, edge to edge or with a gap
            near, turned = flat[rng.integers(len(flat))]
            angle = turned if rng.random() < 0.6 else angle
            along = turned + math.pi / 2 * rng.integers(4)
            side = np.array([math.cos(along), math.sin(along)])
            extent = 0.5 + 0.5 * (abs(math.cos(angle - along)) + abs(math.sin(angle - along)))
            slide = rng.choice([0.0, rng.uniform(-0.6, 0.6)]) * np.array([-side[1], side[0]])
            at = near + side * (extent + rng.choice([0.01, rng.uniform(0.01, 0.3)])) + slide
            if (np.abs(at) > half).any():
                continue
        if not any(overlaps(at, other, angle, turned, -0.005) for other, turned in flat):
            return at, angle
    return None


def _leaning(rng: np.random.Generator, at: Array, angle: float) -> Placed:
    """A die that stands on one edge, as if propped up by another or by a rim."""
    tip = math.radians(rng.uniform(12, 35))
    height = 0.5 * (math.cos(tip) + math.sin(tip))
    rotation = about_z(angle) @ _about_x(tip) @ random_turn(rng)
    return Placed(np.array([at[0], at[1], height]), rotation)
