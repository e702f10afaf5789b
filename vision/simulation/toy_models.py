"""Toy models of the simulated table: one-piece plastic soldiers and vehicles, 54 mm, made of a few simple solids."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import cache

import numpy as np

from rules.tabletop.table import Posture
from vision.simulation.mesh import Mesh, ball, block, disc, join, lathe, limb, prism

Point = tuple[float, float, float]


class Sculpt(StrEnum):
    """Kinds of toys. The figure looks along +x and its base is centred on the origin."""

    RIFLEMAN = "rifleman"
    MARCHING = "marching"
    GRENADIER = "grenadier"
    OFFICER = "officer"
    KNEELING = "kneeling"
    BAZOOKA = "bazooka"
    PRONE = "prone"
    TANK = "tank"
    JEEP = "jeep"


SCULPT_POSTURE = {
    Sculpt.KNEELING: Posture.KNEELING,
    Sculpt.BAZOOKA: Posture.KNEELING,
    Sculpt.PRONE: Posture.PRONE,
    Sculpt.TANK: Posture.VEHICLE,
    Sculpt.JEEP: Posture.VEHICLE,
}
"""Postures of the toys that do not stand."""

HALF_BASE_IN = {Sculpt.PRONE: (1.0, 0.3), Sculpt.TANK: (1.6, 0.95), Sculpt.JEEP: (1.25, 0.6)}
"""Half length and half width of the base (for a vehicle, of its hull) if they are not a soldier's."""

SOLDIER_HALF_BASE_IN = (0.5, 0.375)

_BASE_TOP = 0.1
_GLOSS = 0.5


def _rifle(butt: Point, muzzle: Point) -> list[Mesh]:
    a, b = np.array(butt), np.array(muzzle)
    return [limb(a, a + 0.4 * (b - a), 0.065, 0.05), limb(a + 0.4 * (b - a), b, 0.035, 0.028)]


def _arm(shoulder: Point, elbow: Point, hand: Point) -> list[Mesh]:
    return [limb(shoulder, elbow, 0.095, 0.08), limb(elbow, hand, 0.08, 0.06)]


def _leg(hip: Point, knee: Point, ankle: Point) -> list[Mesh]:
    foot = (ankle[0] + 0.13, ankle[1], ankle[2] - 0.02)
    return [limb(hip, knee, 0.13, 0.105), limb(knee, ankle, 0.1, 0.075), limb(ankle, foot, 0.075, 0.06)]


def _head(neck: Point, lean: float = 0.0) -> list[Mesh]:
    """Face and helmet; the helmet's crown is 0.42 in above the neck."""
    x, y, z = neck[0] + lean, neck[1], neck[2]
    brim = lathe([(0.0, 0.0), (0.215, 0.0), (0.2, 0.035), (0.0, 0.035)], 12).placed(
        np.diag([1.1, 0.95, 1.0]), (x, y, z + 0.21)
    )
    return [ball((x + 0.02, y, z + 0.13), (0.14, 0.125, 0.16)), brim, ball((x, y, z + 0.24), (0.19, 0.17, 0.18), 12)]


def _trunk(hip: Point, neck: Point, pack: bool = True) -> list[Mesh]:
    """Torso with broad shoulders, belt and a pack on the back."""
    h, n = np.array(hip), np.array(neck)
    middle = (h + n) / 2
    parts = [
        limb(h, n - [0, 0, 0.2], 0.17, 0.17),
        ball(n - [0.0, 0.0, 0.13], (0.15, 0.29, 0.15)),
        ball(h, (0.17, 0.2, 0.13)),
    ]
    if pack:
        parts.append(block((0.0, 0.0), (0.2, 0.34), -0.17, 0.2).placed(np.eye(3), middle + [-0.22, 0.0, 0.02]))
    return parts


def _rifleman() -> list[Mesh]:
    legs = _leg((0.05, 0.12, 0.9), (0.2, 0.16, 0.5), (0.22, 0.2, 0.17)) + _leg(
        (-0.05, -0.12, 0.9), (-0.13, -0.17, 0.52), (-0.3, -0.2, 0.17)
    )
    arms = _arm((0.0, 0.27, 1.52), (0.3, 0.3, 1.36), (0.55, 0.02, 1.5)) + _arm(
        (0.0, -0.27, 1.52), (0.08, -0.5, 1.38), (0.22, -0.12, 1.5)
    )
    return [*legs, *_trunk((0, 0, 0.92), (0.03, 0, 1.66)), *_head((0.06, -0.02, 1.68)), *arms] + _rifle(
        (0.05, -0.14, 1.53), (1.05, 0.03, 1.56)
    )


def _marching() -> list[Mesh]:
    legs = _leg((0.03, 0.11, 0.9), (0.24, 0.12, 0.55), (0.27, 0.13, 0.17)) + _leg(
        (-0.03, -0.11, 0.9), (-0.05, -0.12, 0.5), (-0.3, -0.13, 0.2)
    )
    arms = _arm((0.0, 0.27, 1.52), (-0.18, 0.36, 1.22), (-0.02, 0.4, 0.98)) + _arm(
        (0.0, -0.27, 1.52), (0.1, -0.36, 1.2), (0.3, -0.26, 1.22)
    )
    return [*legs, *_trunk((0, 0, 0.92), (0.02, 0, 1.66)), *_head((0.03, 0, 1.68)), *arms] + _rifle(
        (0.3, -0.27, 1.16), (-0.5, -0.22, 1.92)
    )


def _grenadier() -> list[Mesh]:
    legs = _leg((0.05, 0.12, 0.88), (0.24, 0.18, 0.5), (0.27, 0.2, 0.17)) + _leg(
        (-0.05, -0.12, 0.88), (-0.17, -0.15, 0.5), (-0.33, -0.18, 0.17)
    )
    arms = _arm((-0.03, 0.27, 1.5), (0.28, 0.4, 1.5), (0.55, 0.38, 1.6)) + _arm(
        (-0.06, -0.27, 1.52), (-0.34, -0.46, 1.6), (-0.4, -0.5, 1.92)
    )
    grenade = ball((-0.4, -0.5, 2.01), (0.085, 0.085, 0.09), 8)
    return [*legs, *_trunk((0, 0, 0.9), (-0.03, 0, 1.64)), *_head((0.0, 0.0, 1.67)), *arms, grenade]


def _officer() -> list[Mesh]:
    legs = _leg((0.02, 0.12, 0.9), (0.05, 0.18, 0.5), (0.02, 0.22, 0.17)) + _leg(
        (-0.02, -0.12, 0.9), (0.0, -0.18, 0.5), (-0.05, -0.22, 0.17)
    )
    arms = _arm((0.0, 0.27, 1.52), (0.22, 0.42, 1.6), (0.32, 0.12, 1.78)) + _arm(
        (0.0, -0.27, 1.52), (0.25, -0.46, 1.5), (0.66, -0.52, 1.58)
    )
    pistol = limb((0.66, -0.52, 1.6), (0.86, -0.53, 1.62), 0.045, 0.035)
    glasses = limb((0.24, 0.07, 1.82), (0.36, 0.07, 1.82), 0.07, 0.07)
    return [*legs, *_trunk((0, 0, 0.92), (0.0, 0, 1.66), pack=False), *_head((0.03, 0, 1.68)), *arms, pistol, glasses]


def _kneeler(hands: list[Mesh]) -> list[Mesh]:
    legs = _leg((0.03, 0.12, 0.5), (0.36, 0.16, 0.56), (0.32, 0.18, 0.17)) + _leg(
        (-0.03, -0.12, 0.5), (0.1, -0.18, 0.17), (-0.36, -0.18, 0.17)
    )
    return [*legs, *_trunk((-0.04, 0, 0.46), (0.04, 0, 1.06)), *_head((0.07, -0.02, 1.08)), *hands]


def _kneeling() -> list[Mesh]:
    arms = _arm((0.03, 0.27, 0.94), (0.36, 0.26, 0.72), (0.55, 0.03, 0.9)) + _arm(
        (0.03, -0.27, 0.94), (0.1, -0.48, 0.78), (0.25, -0.12, 0.92)
    )
    return _kneeler(arms + _rifle((0.07, -0.14, 0.94), (1.05, 0.03, 0.97)))


def _bazooka() -> list[Mesh]:
    arms = _arm((0.03, 0.27, 0.94), (0.32, 0.22, 0.8), (0.48, -0.14, 1.04)) + _arm(
        (0.03, -0.27, 0.94), (0.16, -0.46, 0.82), (0.22, -0.26, 1.04)
    )
    return _kneeler([*arms, limb((-0.62, -0.25, 1.14), (0.85, -0.25, 1.14), 0.085, 0.085)])


def _prone() -> list[Mesh]:
    legs = [
        limb((-0.15, 0.1, 0.24), (-0.55, 0.2, 0.2), 0.13, 0.1),
        limb((-0.55, 0.2, 0.2), (-0.92, 0.25, 0.18), 0.1, 0.08),
        limb((-0.15, -0.1, 0.24), (-0.55, -0.2, 0.2), 0.13, 0.1),
        limb((-0.55, -0.2, 0.2), (-0.92, -0.22, 0.18), 0.1, 0.08),
    ]
    body = [
        limb((-0.15, 0, 0.25), (0.3, 0, 0.3), 0.16, 0.15),
        ball((0.32, 0, 0.28), (0.14, 0.28, 0.13)),
        block((0.05, 0.0), (0.3, 0.3), 0.33, 0.46),
    ]
    arms = _arm((0.35, 0.25, 0.26), (0.6, 0.28, 0.16), (0.78, 0.03, 0.27)) + _arm(
        (0.35, -0.25, 0.26), (0.52, -0.36, 0.16), (0.6, -0.1, 0.27)
    )
    head = [ball((0.5, 0, 0.3), (0.13, 0.12, 0.11)), ball((0.49, 0, 0.35), (0.19, 0.17, 0.15), 12)]
    return [*legs, *body, *arms, *head, *_rifle((0.4, -0.12, 0.28), (1.25, 0.03, 0.3))]


def _tank() -> list[Mesh]:
    tracks = [block((0.0, y), (3.2, 0.5), 0.0, 0.62) for y in (-0.7, 0.7)]
    treads = [
        block((x, y), (0.06, 0.48), 0.62, 0.66).painted(0.6) for y in (-0.7, 0.7) for x in np.arange(-1.4, 1.5, 0.2)
    ]
    hull = prism([(-1.5, -0.62), (1.5, -0.5), (1.5, 0.5), (-1.5, 0.62)], 0.3, 0.9, 0.86)
    grille = [block((x, 0.0), (0.05, 0.7), 0.9, 0.93).painted(0.55) for x in (-1.15, -1.02, -0.89, -0.76)]
    turret_side = [(-0.62, -0.4), (0.35, -0.52), (0.7, -0.26)]
    turret = prism(turret_side + [(x, -y) for x, y in reversed(turret_side)], 0.9, 1.42, 0.82)
    hatches = [
        lathe([(0.2, 1.42), (0.2, 1.58), (0.15, 1.6), (0, 1.6)], 14).placed(at_in=(-0.12, 0.2, 0)),
        lathe([(0.14, 1.42), (0.14, 1.47), (0, 1.47)], 12).placed(at_in=(-0.1, -0.24, 0)).painted(0.85),
    ]
    gun = [limb((0.6, 0, 1.16), (0.85, 0, 1.16), 0.14, 0.12), limb((0.85, 0, 1.16), (2.0, 0, 1.18), 0.07, 0.055)]
    return [*tracks, *treads, hull, *grille, turret, *hatches, *gun]


def _jeep() -> list[Mesh]:
    turned = np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])
    wheel = lathe([(0, -0.13), (0.3, -0.13), (0.3, 0.13), (0.12, 0.13), (0, 0.1)], 14)
    wheels = [wheel.placed(turned, (x, y, 0.3)).painted(0.6) for x in (-0.75, 0.8) for y in (-0.5, 0.5)]
    tub = [
        block((0.0, 0.0), (2.4, 0.92), 0.35, 0.62),
        prism([(0.25, -0.42), (1.2, -0.36), (1.2, 0.36), (0.25, 0.42)], 0.62, 0.92, 0.95),
        block((-0.45, 0.43), (1.4, 0.08), 0.62, 0.88),
        block((-0.45, -0.43), (1.4, 0.08), 0.62, 0.88),
        block((-1.16, 0.0), (0.08, 0.94), 0.62, 0.88),
    ]
    seats = [block((x, y), (0.32, 0.3), 0.62, 0.74).painted(0.75) for x, y in ((-0.2, 0.2), (-0.2, -0.2), (-0.85, 0.0))]
    screen = block((0.22, 0.0), (0.05, 0.86), 0.92, 1.5)
    spare = wheel.placed(np.array([[0, 0, 1.0], [0, 1.0, 0], [-1.0, 0, 0]]), (-1.28, 0.12, 0.62)).painted(0.6)
    steering = lathe([(0.14, 0.98), (0.14, 1.0), (0.09, 1.0)], 10).placed(at_in=(0.02, 0.2, 0.0)).painted(0.7)
    return [*wheels, *tub, *seats, screen, spare, steering]


_PARTS: dict[Sculpt, Callable[[], list[Mesh]]] = {
    Sculpt.RIFLEMAN: _rifleman,
    Sculpt.MARCHING: _marching,
    Sculpt.GRENADIER: _grenadier,
    Sculpt.OFFICER: _officer,
    Sculpt.KNEELING: _kneeling,
    Sculpt.BAZOOKA: _bazooka,
    Sculpt.PRONE: _prone,
    Sculpt.TANK: _tank,
    Sculpt.JEEP: _jeep,
}


@cache
def toy(sculpt: Sculpt) -> Mesh:
    """The toy in white plastic, darker in its lower folds, which the room's light hardly reaches."""
    parts = _PARTS[sculpt]()
    if SCULPT_POSTURE.get(sculpt) not in (Posture.PRONE, Posture.VEHICLE):
        parts.insert(0, disc(*SOLDIER_HALF_BASE_IN, 0.0, _BASE_TOP))
    mesh = join(parts)
    z_in = mesh.centres_in[:, 2]
    sky = 0.5 + 0.5 * np.clip(z_in / (0.75 * mesh.polygons_in[..., 2].max()), 0, 1)
    sky[(z_in > 0.9 * _BASE_TOP) & (z_in <= _BASE_TOP)] = 0.85
    return Mesh(mesh.polygons_in, mesh.albedo_bgr * sky[:, None], np.full(len(sky), _GLOSS))
