"""Generic toy soldiers for training: random bodies with the features that all 54 mm sets share."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rules.tabletop.table import FloatArray, Posture
from training.finder.grips import grip, rifle
from vision.simulation.mesh import Mesh, ball, block, disc, join, lathe, limb, prism, turn_z

Rng = np.random.Generator
_TURNED = 0.12  # share of standing toys that are playing pieces


@dataclass(frozen=True, slots=True, eq=False)
class Toy:
    """One toy that faces +x, with its base (for a casualty, the centre of its outline) at the origin.

    Attributes:
        mesh: The shape, in white.
        posture: Its posture.
        half_base_in: Half length and half width of the base.
    """

    mesh: Mesh
    posture: Posture
    half_base_in: tuple[float, float]


def toy(posture: Posture, rng: Rng) -> Toy:
    """A random soldier in this posture, with limbs of cones."""
    if posture is Posture.DOWN:
        return fallen(toy(Posture.STANDING if rng.random() < 0.65 else Posture.KNEELING, rng), rng)
    base = base_size(posture, rng)
    if rng.random() < 0.03:
        return Toy(_pawn(posture, base, rng), posture, base)
    if posture is Posture.STANDING and rng.random() < _TURNED:
        return _turned(rng)
    build = {Posture.STANDING: _standing, Posture.KNEELING: _kneeling, Posture.PRONE: _prone}[posture]
    parts = build(rng)
    bare = posture is Posture.PRONE and rng.random() < 0.3
    if not bare:
        body = join(parts).placed(turn_z(rng.normal(0, 8)), (*rng.normal(0, 0.05, 2), 0.0))
        parts = [body, _base(base, rng)]
    mesh = join(parts)
    return Toy(mesh.placed(np.eye(3) * rng.uniform(0.93, 1.07)), posture, base)


def _pawn(posture: Posture, base: tuple[float, float], rng: Rng) -> Mesh:
    """A playing piece instead of a soldier: a base and a plain round body."""
    if posture is Posture.PRONE:
        return join([disc(*base, 0.0, 0.1), limb((-0.8, 0, 0.25), (0.8, 0, 0.25), 0.2, 0.2)])
    top = 2.0 if posture is Posture.STANDING else 1.45
    waist = rng.uniform(0.2, 0.32)
    rings = [(waist, 0.1), (waist * 1.1, 0.6 * top), (0.2, 0.8 * top), (0.19, top), (0, top)]
    return join([disc(*base, 0.0, 0.1), lathe(rings, 12)])


def _turned(rng: Rng) -> Toy:
    """A turned playing piece: a round foot, a narrow waist, a collar and a head."""
    top, foot = rng.uniform(1.2, 3.3), rng.uniform(0.38, 0.62)
    waist, collar, head = foot * rng.uniform(0.35, 0.6), foot * rng.uniform(0.5, 0.8), foot * rng.uniform(0.3, 0.75)
    neck = top * rng.uniform(0.55, 0.75)
    rings = [(foot, 0.0), (foot, 0.12), (0.8 * foot, 0.25), (waist, 0.45 * neck), (waist, neck), (collar, neck + 0.04)]
    crown = [(head * 0.6, neck + 0.1), (head, (neck + top) / 2), (head * rng.uniform(0.3, 1.0), top), (0.0, top)]
    parts = [lathe(rings + crown, 12)]
    if rng.random() < 0.2:  # a horse's head
        parts.append(limb((-0.1, 0, neck), (0.35, 0, top), 0.22, 0.13))
    if rng.random() < 0.2:
        parts.append(ball((0, 0, top + 0.08), (0.1, 0.1, 0.12)))
    return Toy(join(parts), Posture.STANDING, (foot, foot))


def base_size(posture: Posture, rng: Rng) -> tuple[float, float]:
    """Half length and half width of a base."""
    if posture is Posture.PRONE:
        return float(rng.uniform(0.62, 1.0)), float(rng.uniform(0.28, 0.42))
    return float(rng.uniform(0.48, 0.62)), float(rng.uniform(0.35, 0.47))


def _base(half_in: tuple[float, float], rng: Rng) -> Mesh:
    high = rng.uniform(0.06, 0.14)
    if rng.random() < 0.85:
        return disc(*half_in, 0.0, high)
    return block((0.0, 0.0), (2 * half_in[0], 1.8 * half_in[1]), 0.0, high)


def _near(point: tuple[float, float, float], rng: Rng, by: float = 0.06) -> FloatArray:
    return np.asarray(np.array(point) + rng.normal(0, by, 3))


def _leg(hip: FloatArray, knee: FloatArray, ankle: FloatArray, thick: float) -> list[Mesh]:
    foot = ankle + (0.14, 0, -0.04)
    return [
        limb(hip, knee, 0.13 * thick, 0.1 * thick),
        limb(knee, ankle, 0.1 * thick, 0.075 * thick),
        limb(ankle, foot, 0.08, 0.06),
    ]


def _arm(shoulder: FloatArray, hand: FloatArray, side: int, thick: float) -> list[Mesh]:
    """Upper and lower arm of fixed length; the elbow moves out and down as needed."""
    span = hand - shoulder
    gap = float(np.linalg.norm(span))
    bend = math.sqrt(max(0.0, 0.38**2 - (gap / 2) ** 2))
    out = np.array([-0.2, side * 0.7, -0.7])
    out -= out @ span / max(gap * gap, 1e-6) * span
    elbow = (shoulder + hand) / 2 + bend * out / max(float(np.linalg.norm(out)), 1e-6)
    return [limb(shoulder, elbow, 0.095 * thick, 0.08 * thick), limb(elbow, hand, 0.08 * thick, 0.06 * thick)]


def _trunk(hip: FloatArray, neck: FloatArray, rng: Rng, thick: float) -> list[Mesh]:
    parts = [
        limb(hip, neck - (0, 0, 0.2), 0.17 * thick, 0.18 * thick),
        ball(neck - (0.0, 0.0, 0.14), np.array([0.15, 0.28, 0.15]) * thick),
        ball(hip, np.array([0.17, 0.2, 0.13]) * thick),
    ]
    if rng.random() < 0.45:
        size = rng.uniform((0.14, 0.25, 0.3), (0.28, 0.42, 0.6))
        parts.append(
            block((0, 0), (size[0], size[1]), -size[2] / 2, size[2] / 2).placed(
                np.eye(3), (hip + neck) / 2 - (0.24, 0, 0)
            )
        )
        if rng.random() < 0.3:
            foot = (hip + neck) / 2 + (-0.28, rng.uniform(-0.15, 0.15), 0.3)
            parts.append(limb(foot, foot + (rng.normal(0, 0.1), rng.normal(0, 0.1), rng.uniform(0.4, 1.0)), 0.03, 0.02))
    return parts


def _head(neck: FloatArray, rng: Rng) -> list[Mesh]:
    turned = neck + rng.normal(0, 0.03, 3)
    helmet = rng.uniform(0.17, 0.21)
    brim = lathe([(0.0, 0.0), (helmet * 1.15, 0.0), (helmet, 0.035), (0.0, 0.035)], 12)
    return [
        ball(turned + (0.02, 0, 0.13), (0.14, 0.125, 0.16)),
        brim.placed(np.diag([1.1, 0.95, 1.0]), turned + (0, 0, 0.21)),
        ball(turned + (0, 0, 0.24), (helmet, 0.9 * helmet, 0.9 * helmet), 12),
    ]


def _hands(neck: FloatArray, rng: Rng, thick: float) -> list[Mesh]:
    """Arms and what they hold."""
    held, right, left = grip(rng)
    arms = _arm(np.array([0, -0.27, -0.15]), right, -1, thick) + _arm(np.array([0, 0.27, -0.15]), left, 1, thick)
    return [part.placed(np.eye(3), neck) for part in (*held, *arms)]


def _twist(parts: list[Mesh], rng: Rng) -> list[Mesh]:
    """Trunk and arms rotated relative to the legs."""
    return [join(parts).placed(turn_z(rng.normal(0, 14)))]


def _standing(rng: Rng) -> list[Mesh]:
    thick, crouch = rng.uniform(0.9, 1.2), max(0.0, rng.normal(0, 0.08))
    stride, spread = rng.uniform(0.0, 0.38), rng.uniform(0.08, 0.24)
    first = 1 if rng.random() < 0.6 else -1
    hip = np.array([0.0, 0.0, 0.92 - crouch])
    bent = rng.uniform(0.25, 0.4) if rng.random() < 0.08 else rng.uniform(-0.05, 0.25)
    neck = hip + _near((bent, 0, 0.74 - 0.3 * max(0.0, bent - 0.2)), rng, 0.02)
    legs: list[Mesh] = []
    for side in (1, -1):
        forth = stride * (1 if side == first else -1)
        ankle = np.array([forth * 0.9 - 0.05, side * spread, 0.17])
        knee = np.array([forth * 0.45 + 0.06 + crouch * 0.6, side * (spread + 0.11) / 2, 0.5])
        legs += _leg(hip + (0, side * 0.11, -0.03), knee, ankle, thick)
    return legs + _twist([*_trunk(hip, neck, rng, thick), *_head(neck, rng), *_hands(neck, rng, thick)], rng)


def _kneeling(rng: Rng) -> list[Mesh]:
    """A kneeling body: on one knee, sitting on a heel, or on both knees; some bend over or serve a mortar."""
    thick, way = rng.uniform(0.9, 1.2), rng.choice(["knee", "heel", "both"], p=[0.62, 0.23, 0.15])
    # A kneeling man is about three quarters as high as a standing one.
    low = rng.uniform(0.28, 0.44) if way == "heel" else rng.uniform(0.34, 0.6)
    side = 1 if rng.random() < 0.7 else -1
    hip = np.array([-0.22 if way == "heel" else rng.uniform(-0.12, 0.05), 0.0, low])
    bent = rng.uniform(0.2, 0.42) if rng.random() < 0.25 else rng.uniform(0.0, 0.2)
    neck = hip + _near((bent, 0, math.sqrt(0.69**2 - bent**2)), rng, 0.03)
    spread = rng.uniform(0.14, 0.3)
    ahead = rng.uniform(0.28, 0.48)
    up = _leg(
        hip + (0.05, side * 0.12, 0.0),
        _near((ahead, side * spread, 0.58), rng, 0.04),
        _near((ahead - 0.04, side * spread, 0.17), rng, 0.04),
        thick,
    )
    down, also = (
        _leg(
            hip + (0, -s * 0.12, 0.0),
            _near((0.1, -s * spread, 0.17), rng, 0.04),
            _near((-0.38, -s * 0.18, 0.17), rng, 0.05),
            thick,
        )
        for s in (side, -side)
    )
    legs = down + (also if way == "both" else up)
    held = _mortar(neck, rng, thick) if rng.random() < 0.1 else _hands(neck, rng, thick)
    return legs + _twist([*_trunk(hip, neck, rng, thick), *_head(neck, rng), *held], rng)


def _mortar(neck: FloatArray, rng: Rng, thick: float) -> list[Mesh]:
    """A mortar tube on its plate and two legs in front of the figure, with the hands at it."""
    foot = np.array([rng.uniform(0.4, 0.6), rng.normal(0, 0.15), 0.12])
    mouth = foot + (rng.uniform(0.1, 0.4), 0, rng.uniform(0.6, 0.9))
    legs = [limb(0.4 * foot + 0.6 * mouth, mouth * (1, 1, 0) + (0.15, s * 0.2, 0.1), 0.03, 0.03) for s in (-1, 1)]
    left, right = neck + (0, 0.27, -0.15), neck + (0, -0.27, -0.15)
    shell = mouth + (-0.05, 0, rng.uniform(-0.3, 0.12))
    return [limb(foot, mouth, 0.08, 0.08), *legs, *_arm(left, shell, 1, thick), *_arm(right, shell, -1, thick)]


def _prone(rng: Rng) -> list[Mesh]:
    """A prone body, stretched out or with a knee drawn up, with a rifle, a machine gun or nothing."""
    thick, shift = rng.uniform(0.9, 1.2), rng.uniform(-0.25, 0.1)
    parts: list[Mesh] = []
    drawn = rng.choice([-1, 1]) if rng.random() < 0.25 else 0
    for side in (1, -1):
        spread = rng.uniform(0.1, 0.32)
        knee = np.array([-0.55, side * (0.1 + spread) / 2, 0.2])
        if side == drawn:
            knee, spread = np.array([-0.3, side * rng.uniform(0.3, 0.45), 0.2]), rng.uniform(0.25, 0.45)
        parts += [
            limb((-0.15, side * 0.1, 0.22), knee, 0.13 * thick, 0.1),
            limb(knee, (knee[0] - 0.4, side * spread, 0.16), 0.1, 0.08),
        ]
    raised = rng.uniform(0.26, 0.4) if rng.random() < 0.75 else rng.uniform(0.4, 0.58)
    parts += [limb((-0.15, 0, 0.24), (0.3, 0, raised), 0.16 * thick, 0.16), ball((0.32, 0, raised), (0.15, 0.27, 0.13))]
    if rng.random() < 0.4:
        parts.append(block((0.05, 0), (0.3, 0.3), 0.33, 0.47))
    head = np.array([0.52, rng.normal(0, 0.04), raised + 0.05])
    parts += [ball(head, (0.14, 0.125, 0.13)), ball(head + (-0.01, 0, 0.05), (0.19, 0.17, 0.16), 12)]
    muzzle = np.array([rng.uniform(1.0, 1.4), rng.normal(0.03, 0.06), 0.3])
    butt = np.array([0.4, -0.13, 0.28])
    armed = rng.random()
    parts += rifle(butt, muzzle) if armed < 0.9 else []
    if armed < 0.3:
        parts += _machine_gun(butt, muzzle, rng)
    for side, hand in ((1, butt + 0.45 * (muzzle - butt)), (-1, butt + 0.2 * (muzzle - butt))):
        elbow = np.array([rng.uniform(0.45, 0.65), side * rng.uniform(0.28, 0.42), 0.14])
        parts += [limb((0.33, side * 0.24, raised - 0.07), elbow, 0.09, 0.08), limb(elbow, hand, 0.08, 0.06)]
    return [join(parts).placed(np.eye(3), (shift, 0, 0))]


def _machine_gun(butt: FloatArray, muzzle: FloatArray, rng: Rng) -> list[Mesh]:
    """The parts that turn a rifle into a machine gun: a thicker barrel, two legs and a box or a drum."""
    fork = butt + rng.uniform(0.6, 0.85) * (muzzle - butt)
    legs = [limb(fork, (fork[0] + 0.08, fork[1] + side * 0.2, 0.06), 0.035, 0.03) for side in (-1, 1)]
    box = block((0, 0), (0.16, 0.16), -0.1, 0.12).placed(np.eye(3), butt + 0.4 * (muzzle - butt) + (0, 0.12, 0))
    return [limb(butt, muzzle, 0.075, 0.05), *legs, box]


def fallen(upright: Toy, rng: Rng) -> Toy:
    """The toy knocked over to a random side, its head towards +x, resting on its base's rim and other contacts."""
    fall = turn_z(rng.uniform(0, 360))
    angle = math.radians(rng.uniform(74, 93))
    c, s = math.cos(angle), math.sin(angle)
    over = fall @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ fall.T
    mesh = upright.mesh.placed(fall.T @ over)
    mesh = mesh.placed(np.eye(3), (0, 0, -mesh.polygons_in[..., 2].min()))
    return Toy(mesh, Posture.DOWN, upright.half_base_in)


def vehicle(rng: Rng) -> tuple[Mesh, tuple[float, float]]:
    """A hull with tracks or wheels and a superstructure; with its half length and half width."""
    half = np.array([rng.uniform(1.2, 2.6), rng.uniform(0.6, 1.3)])
    high = rng.uniform(0.6, 1.1)
    x, y = half
    taper = rng.uniform(0.75, 1.0)
    parts = [
        prism(
            [(-x, -y * 0.7), (x, -y * 0.7 * taper), (x, y * 0.7 * taper), (-x, y * 0.7)],
            0.25,
            high,
            rng.uniform(0.8, 1.0),
        ),
        *(block((0, side * y * 0.8), (2 * x * 0.98, y * 0.4), 0.0, rng.uniform(0.45, 0.7)) for side in (-1, 1)),
    ]
    if rng.random() < 0.6:
        top = rng.uniform(0.35, 0.6) * min(x, y * 1.6)
        parts.append(
            lathe([(top, high), (top * 0.85, high + 0.45), (0, high + 0.45)], 8).placed(
                np.eye(3), (rng.normal(0, 0.2), 0, 0)
            )
        )
        parts.append(limb((0.2, 0, high + 0.25), (rng.uniform(1.2, 2.6), 0, high + 0.28), 0.08, 0.06))
    else:
        parts += [
            block(
                (rng.uniform(-x, x) * 0.6, rng.uniform(-y, y) * 0.4),
                tuple(rng.uniform(0.2, 0.9, 2)),
                high,
                high + rng.uniform(0.1, 0.6),
            )
            for _ in range(4)
        ]
    return join(parts), (float(x), float(y))
