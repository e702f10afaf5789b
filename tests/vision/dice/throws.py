"""Random throws of dice, drawn: bodies and inks of many colours, trays, slants, lamps, glare, blur and noise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tests.vision.dice.pictures import Colour, Drawn, Eye, Room, draw
from vision.frame import ImageBgr

DICE: tuple[tuple[Colour, Colour], ...] = (
    ((225, 235, 235), (30, 30, 30)),
    ((30, 30, 170), (240, 240, 240)),
    ((35, 35, 35), (240, 240, 240)),
    ((40, 160, 220), (20, 20, 20)),
    ((150, 60, 30), (240, 240, 240)),
    ((60, 120, 40), (235, 235, 235)),
    ((235, 235, 235), (40, 40, 190)),
    ((40, 190, 230), (245, 245, 245)),
    ((200, 205, 210), (150, 60, 20)),
)
"""Body and ink."""

TRAYS: tuple[Colour, ...] = (
    (60, 110, 60),
    (90, 130, 170),
    (40, 40, 120),
    (60, 60, 60),
    (225, 228, 228),
    (50, 70, 100),
    (120, 60, 40),
)
_TOO_ALIKE = 60.0  # grey levels over three channels: players avoid dice of the tray's colour


@dataclass(frozen=True)
class Throw:
    """Dice on a tray, the camera and the light."""

    dice: tuple[Drawn, ...]
    eye: Eye
    room: Room

    def picture(self) -> ImageBgr:
        return draw(self.dice, self.eye, self.room)

    def places_px(self) -> list[tuple[float, float]]:
        """Middle of each die's top."""
        middles = np.array([[die.x, die.y, 1.0] for die in self.dice]).reshape(-1, 3)
        return [(float(x), float(y)) for x, y in self.eye.pixel(middles)]


def throws(seed: int, count: int, fudge: bool) -> Iterator[Throw]:
    """Throws of up to twelve dice of at most two colours; in four of ten the middle row touches.

    Sides are 26 to 110 px; one view in three is from straight above, the others slant up to 40 degrees.
    """
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield _throw(rng, fudge)


def _throw(rng: np.random.Generator, fudge: bool) -> Throw:
    side = math.exp(rng.uniform(math.log(26), math.log(110)))
    slant = float(rng.choice([0, 0, 10, 20, 30, 40]))
    tray = TRAYS[rng.integers(len(TRAYS))]
    colours = [_seen_on(tray, *DICE[k]) for k in rng.integers(len(DICE), size=2)]
    touching = rng.random() < 0.4
    pitch = float(rng.uniform(0.22, 0.27))
    pip = float(rng.uniform(0.075, 0.43 * pitch))
    dice = []
    for row in range(3):
        for column in range(4):
            if rng.random() < 0.35:
                continue
            body, ink = colours[rng.integers(2)]
            if touching and row == 1:
                x, y, turn = (column - 1.5) * 1.03, float(rng.uniform(-0.2, 0.2)), 90.0 * int(rng.integers(4))
            else:
                x, y = (column - 1.5) * 1.75, (row - 1) * 1.9 + float(rng.uniform(-0.1, 0.1))
                turn = float(rng.uniform(0, 360))
            face = int(rng.integers(-1, 2) if fudge else rng.integers(1, 7))
            dice.append(Drawn(face, x, y, turn, body, ink, fudge, 0.0, pip, pitch))
    room = Room(
        tray,
        grain=float(rng.uniform(1, 6)),
        lamp=(float(rng.uniform(-1, 1)), float(rng.uniform(-1, 1)), 1.2),
        shadow=float(rng.uniform(0.2, 0.6)),
        glare=float(rng.uniform(0, 0.6)),
        blur_px=float(rng.uniform(0.5, 0.7 + side / 60)),
        noise=float(rng.uniform(1, 5)),
        planks=bool(rng.random() < 0.3),
        seed=int(rng.integers(1_000_000)),
        light=float(rng.uniform(0.5, 1.05)),
    )
    size = (min(1280, int(side * 9)), min(960, int(side * 6.5)))
    return Throw(tuple(dice), Eye(size, side, slant), room)


def _seen_on(tray: Colour, body: Colour, ink: Colour) -> tuple[Colour, Colour]:
    if math.dist(body, tray) > _TOO_ALIKE:
        return body, ink
    return DICE[0] if sum(tray) < 500 else DICE[1]
