"""What the hands of an upright soldier hold, and where the hands are, relative to the neck of a body that faces +x."""

from __future__ import annotations

import numpy as np

from rules.tabletop.table import FloatArray
from vision.simulation.mesh import Mesh, ball, block, limb

Grip = tuple[list[Mesh], FloatArray, FloatArray]
"""What is held; the right hand; the left hand."""


def grip(rng: np.random.Generator) -> Grip:
    """A typical pose of toys."""

    def at(x: float, y: float, z: float) -> FloatArray:
        return np.asarray(np.array([x, y, z]) + rng.normal(0, 0.05, 3))

    way = rng.choice(["aim", "low", "port", "ready", "throw", "point", "radio", "tube", "two", "sling"])
    if way == "aim":
        butt, muzzle = at(0.05, -0.14, -0.14), at(rng.uniform(0.8, 1.1), 0.03, -0.1)
    elif way == "low":
        butt, muzzle = (
            at(-0.15, -0.3, -0.6),
            at(rng.uniform(0.5, 0.9), rng.uniform(-0.2, 0.1), rng.uniform(-0.75, -0.4)),
        )
    elif way == "port":
        butt, muzzle = at(0.25, -0.4, -0.65), at(0.25, 0.45, -0.1)
        if rng.random() < 0.3:
            butt, muzzle = muzzle * (1, -1, 1), butt * (1, -1, 1)
    elif way == "ready":  # the muzzle up: from above, a gun as short as an arm, and higher than the head
        butt, muzzle = at(0.2, -0.25, -0.65), at(rng.uniform(0.25, 0.7), rng.uniform(-0.35, 0.0), rng.uniform(0.0, 0.5))
    elif way == "sling":
        butt, muzzle = at(0.25, -0.3, -0.5), at(-0.45, -0.25, 0.25)
    elif way == "tube":
        back, front = at(-rng.uniform(0.3, 0.75), -0.22, 0.0), at(rng.uniform(0.5, 0.95), -0.22, 0.05)
        tube = limb(back, front, 0.085, rng.uniform(0.07, 0.11))
        left = at(0.42, -0.1, -0.05)
        return [tube], at(0.2, -0.25, -0.08), left
    else:
        return _free_hands(way, at, rng)
    near, far = butt + 0.2 * (muzzle - butt), butt + 0.5 * (muzzle - butt)
    if way == "port" and rng.random() >= 0.7:
        near, far = far, near
    return rifle(butt, muzzle), near, far


def _free_hands(way, at, rng):  # type: ignore[no-untyped-def]
    """Hands without a long gun."""
    if way == "throw":
        back = at(-0.45, -0.4, rng.uniform(0.0, 0.35))
        fore = at(rng.uniform(0.2, 0.6), 0.35, rng.uniform(-0.5, 0.1))
        gun = rifle(fore + (-0.3, 0.0, -0.2), fore + (0.4, 0.1, 0.2)) if rng.random() < 0.5 else []
        return [ball(back + (0, 0, 0.08), (0.08, 0.08, 0.09), 8), *gun], back, fore
    if way == "point":
        hand = at(rng.uniform(0.4, 0.65), -0.35, rng.uniform(-0.3, 0.3))
        return [limb(hand, hand + (0.22, 0, 0.03), 0.045, 0.03)], hand, at(0.2, 0.3, rng.uniform(-0.7, 0.25))
    if way == "radio":
        pack = block((0, 0), (0.25, 0.42), -0.35, 0.3).placed(np.eye(3), at(-0.3, 0, -0.35))
        mast = at(-0.35, 0.15, -0.1)
        mast_mesh = limb(mast, mast + (-0.05, 0, rng.uniform(0.2, 0.9)), 0.03, 0.02)
        return [pack, mast_mesh], at(0.15, -0.2, 0.05), at(0.3, 0.15, -0.6)
    right, left = (at(rng.uniform(-0.1, 0.5), side * 0.35, rng.uniform(-0.7, 0.1)) for side in (-1, 1))
    return [], right, left


def rifle(butt: FloatArray, muzzle: FloatArray) -> list[Mesh]:
    """A rifle, thicker towards its butt."""
    middle = butt + 0.45 * (muzzle - butt)
    return [limb(butt, middle, 0.065, 0.05), limb(middle, muzzle, 0.04, 0.03)]
