"""Sculpts for training: human bodies with bones, posed by inverse kinematics, swollen like plastic, and equipped."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rules.tabletop.table import FloatArray, Posture
from training.finder.bodies import BONES, JOINTS, Bodies, bodies
from training.finder.grips import grip, rifle
from training.finder.soldiers import Rng, Toy, base_size, fallen, toy
from vision.simulation.mesh import Mesh, ball, block, disc, join, lathe, limb, prism, turn_z, white

_START = dict(zip(BONES, ("pelvis", "spine-2", "neck", *JOINTS[4:]), strict=True))  # joint at which each bone starts
_SCULPTS = 0.75
_GROUND_IN = 0.1  # height of a base
_ARM_POLE, _LEG_POLE = np.array([-1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0])  # where elbows and knees point at rest
_SIDES = {"l": 1, "r": -1}


@dataclass(frozen=True, slots=True, eq=False)
class _Bone:
    """A turn about a point of the body at rest, and where that point goes."""

    turn: FloatArray
    start: FloatArray
    to: FloatArray

    def moved(self, points: FloatArray) -> FloatArray:
        return np.asarray((points - self.start) @ self.turn.T + self.to)


@dataclass(frozen=True, slots=True, eq=False)
class _Leg:
    """Knee (None: as the ankle's place requires, bent towards `pole`), ankle and the turn of the foot."""

    knee: FloatArray | None
    ankle: FloatArray
    foot: FloatArray
    pole: FloatArray


class Body:
    """One random build, at rest and while it is being posed."""

    def __init__(self, bodies: Bodies, rng: Rng) -> None:
        shares, scale = rng.dirichlet(np.full(len(bodies.corners_in), 0.6)), rng.uniform(0.94, 1.0)
        corners = np.einsum("k,kvi->vi", shares, bodies.corners_in) * scale
        joints = np.einsum("k,kji->ji", shares, bodies.joints_in) * scale
        self.bodies, self.joints = bodies, dict(zip(JOINTS, joints, strict=True))
        corners = corners + rng.uniform(0.02, 0.065) * _corner_normals(corners, bodies.triangles)
        for bones, most in ((("head",), 1.25), (("hand_l", "hand_r"), 1.4), (("foot_l", "foot_r"), 1.35)):
            grown = rng.uniform(1.0, most)
            for bone in bones:
                share = bodies.weights[:, BONES.index(bone), None] * (grown - 1)
                corners = corners + share * (corners - self.joints[_START[bone]])
        self.corners, self.bones = corners, dict[str, _Bone]()
        self.thigh, self.shin = (
            _length(self.joints, *ends) for ends in (("l-upper-leg", "l-knee"), ("l-knee", "l-ankle"))
        )
        self.ankle_in = float(self.joints["l-ankle"][2])

    def turn(self, bone: str, turn: FloatArray, to: FloatArray) -> None:
        """Set one bone."""
        self.bones[bone] = _Bone(turn, self.joints[_START[bone]], to)

    def at(self, bone: str, joint: str) -> FloatArray:
        """Where a joint is that this bone carries."""
        return self.bones[bone].moved(self.joints[joint])

    def trunk(self, pelvis: FloatArray, turns: tuple[FloatArray, FloatArray, FloatArray]) -> None:
        """Set pelvis, chest and head by their turns."""
        self.turn("pelvis", turns[0], pelvis)
        self.turn("chest", turns[1], self.at("pelvis", "spine-2"))
        self.turn("head", turns[2], self.at("chest", "neck"))

    def leg(self, side: str, leg: _Leg) -> None:
        """Set thigh, calf and foot."""
        names = [f"{side}-upper-leg", f"{side}-knee", f"{side}-ankle"]
        start = self.at("pelvis", names[0])
        self._limb(names, [f"thigh_{side}", f"calf_{side}"], (start, leg.knee, leg.ankle), leg.pole, _LEG_POLE)
        self.turn(f"foot_{side}", leg.foot, self.at(f"calf_{side}", names[2]))

    def arm(self, side: str, hand: FloatArray, pole: FloatArray) -> None:
        """Set upper and lower arm and hand."""
        names = [f"{side}-shoulder", f"{side}-elbow", f"{side}-hand"]
        start = self.at("chest", names[0])
        self._limb(names, [f"upperarm_{side}", f"lowerarm_{side}"], (start, None, hand), pole, _ARM_POLE)
        self.turn(f"hand_{side}", self.bones[f"lowerarm_{side}"].turn, self.at(f"lowerarm_{side}", names[2]))

    def _limb(
        self,
        names: list[str],
        bones: list[str],
        ends: tuple[FloatArray, FloatArray | None, FloatArray],
        pole: FloatArray,
        rest_pole: FloatArray,
    ) -> None:
        start, middle, end = ends
        rest = [self.joints[name] for name in names]
        if middle is None:
            middle, end = two_bones(start, end, pole, math.dist(rest[0], rest[1]), math.dist(rest[1], rest[2]))
        pole = middle - (start + end) / 2
        if np.linalg.norm(np.cross(pole, end - start)) < 1e-3:
            pole = rest_pole
        axis = np.cross(end - start, pole)
        for bone, a, b, to, towards in (
            (bones[0], rest[0], rest[1], start, middle - start),
            (bones[1], rest[1], rest[2], middle, end - middle),
        ):
            self.turn(bone, _frame(towards, axis) @ _frame(b - a, np.cross(b - a, rest_pole)).T, to)

    def skin(self) -> Mesh:
        """The posed body."""
        moved = np.stack([self.bones[bone].moved(self.corners) for bone in BONES])
        return white(np.einsum("vb,bvi->vi", self.bodies.weights, moved)[self.bodies.triangles])

    def carried(self, bone: str, mesh: Mesh) -> Mesh:
        """A mesh beside the body at rest, moved with a bone."""
        one = self.bones[bone]
        return mesh.placed(one.turn, one.to - one.turn @ one.start)


def sculpt_or_toy(posture: Posture, rng: Rng) -> Toy:
    """A random soldier in this posture: a sculpt, or sometimes a toy of cones or a playing piece."""
    return sculpt(posture, rng) if rng.random() < _SCULPTS else toy(posture, rng)


def sculpt(posture: Posture, rng: Rng) -> Toy:
    """A random sculpt in this posture, with its base."""
    if posture is Posture.DOWN:
        return fallen(sculpt(Posture.STANDING if rng.random() < 0.65 else Posture.KNEELING, rng), rng)
    base = base_size(posture, rng)
    figure = _figure(posture, rng).placed(turn_z(rng.normal(0, 8)), (*rng.normal(0, 0.05, 2), 0.0))
    bare = posture is Posture.PRONE and rng.random() < 0.3
    mesh = figure if bare else join([figure, _base(base, rng)])
    return Toy(mesh.placed(np.eye(3) * rng.uniform(0.93, 1.07)), posture, base)


def _base(half_in: tuple[float, float], rng: Rng) -> Mesh:
    """Oval, or a rectangle with rounded corners."""
    high, way = rng.uniform(0.06, 0.14), rng.random()
    if way < 0.6:
        return disc(*half_in, 0.0, high)
    angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    outline = np.column_stack([np.cos(angle), np.sin(angle)])
    outline = np.sign(outline) * np.abs(outline) ** rng.uniform(0.2, 0.8) * half_in
    return prism(outline, 0.0, high, rng.uniform(0.93, 1.0))


def _figure(posture: Posture, rng: Rng) -> Mesh:
    """A random upright or prone sculpt without its base, balanced on the origin."""
    body = Body(bodies(), rng)
    held = pose(body, posture, rng)
    skin = body.skin()
    if posture is Posture.PRONE:
        outline = skin.polygons_in[..., :2].reshape(-1, 2)
        middle = (outline.min(axis=0) + outline.max(axis=0)) / 2
    else:
        feet = np.mean([body.bones[f"foot_{side}"].to[:2] for side in _SIDES], axis=0)
        middle = (feet + body.bones["pelvis"].to[:2]) / 2
    return join([skin, *held, *_equipment(body, rng)]).placed(np.eye(3), (*-middle, 0.0))


def pose(body: Body, posture: Posture, rng: Rng) -> list[Mesh]:
    """Set all bones of the body for this posture; returns what its hands hold."""
    if posture is Posture.PRONE:
        return _prone(body, rng)
    (_kneeling if posture is Posture.KNEELING else _standing)(body, rng)
    return _armed(body, rng)


def _standing(body: Body, rng: Rng) -> None:
    stride, spread = rng.uniform(0.0, 0.4), rng.uniform(0.09, 0.26)
    ahead = "l" if rng.random() < 0.6 else "r"
    reach = (body.thigh + body.shin) * rng.uniform(0.93, 0.995)
    pelvis = np.array([rng.uniform(-0.3, 0.3) * stride, 0.0, 0.0])
    pelvis[2] = _GROUND_IN + body.ankle_in + math.sqrt(reach**2 - (0.5 * stride + abs(pelvis[0])) ** 2)
    bent = rng.uniform(25, 50) if rng.random() < 0.1 else rng.uniform(-5, 22)
    yaw = rng.normal(0, 10)
    twist = yaw + rng.normal(0, 16)
    body.trunk(
        pelvis, (_turn(0.3 * bent, yaw), _turn(bent, twist), _turn(rng.uniform(-5, 20), twist + rng.normal(0, 15)))
    )
    for side, sign in _SIDES.items():
        forth = stride * (0.5 if side == ahead else -0.5)
        heel = rng.uniform(0, 40) if side != ahead and stride > 0.2 else 0.0
        ankle = np.array([forth, sign * spread, _GROUND_IN + body.ankle_in + 0.15 * math.sin(math.radians(heel))])
        out = sign * rng.uniform(0, 30)
        body.leg(side, _Leg(None, ankle, _turn(heel, out), turn_z(out) @ _LEG_POLE))


def _kneeling(body: Body, rng: Rng) -> None:
    """On one knee, sitting on a heel, or on both knees."""
    way = rng.choice(["knee", "heel", "both"], p=[0.6, 0.25, 0.15])
    up = "l" if rng.random() < 0.75 else "r"
    back = rng.uniform(0.75, 0.9) if way == "heel" else rng.uniform(-0.2, 0.65)  # of the thigh
    floor = _GROUND_IN + 0.1
    hip_in = floor + body.thigh * math.sqrt(1 - back**2) + 0.01
    pelvis = np.array([-back * body.thigh, 0.0, hip_in])
    bent = rng.uniform(20, 40) if rng.random() < 0.2 else rng.uniform(-5, 18)
    yaw = (-1 if up == "l" else 1) * rng.uniform(0, 35)
    twist = yaw * rng.uniform(-0.5, 1) + rng.normal(0, 10)
    body.trunk(pelvis, (_turn(0.4 * bent, yaw), _turn(bent, twist), _turn(rng.uniform(-5, 20), rng.normal(0, 15))))
    for side, sign in _SIDES.items():
        hip = body.at("pelvis", f"{side}-upper-leg")
        if side == up and way != "both":
            ankle = np.array([hip[0] + rng.uniform(0.25, 0.55), hip[1] + sign * rng.uniform(-0.05, 0.15), 0.0])
            ankle[2] = _GROUND_IN + body.ankle_in
            pole = turn_z(sign * rng.uniform(0, 25)) @ np.array([1.0, 0.0, 0.6])
            body.leg(side, _Leg(None, ankle, _turn(0, sign * rng.uniform(0, 25)), pole))
            continue
        out = turn_z(yaw + sign * rng.uniform(-5, 20))
        down = min(hip[2] - floor, body.thigh)
        ahead = math.copysign(math.sqrt(body.thigh**2 - down**2), back)
        knee = hip + out @ (ahead, 0.0, -down)
        behind = turn_z(yaw - sign * rng.uniform(-10, 25))
        rise = rng.uniform(0.0, 0.12)
        ankle = knee + behind @ (-math.sqrt(body.shin**2 - rise**2), 0.0, rise)
        body.leg(side, _Leg(knee, ankle, behind @ _turn(rng.uniform(60, 160), 0), _LEG_POLE))


def _prone(body: Body, rng: Rng) -> list[Mesh]:
    """On the ground, legs stretched or one knee drawn up; returns what the hands hold."""
    raised = rng.uniform(10, 40)
    yaw = rng.normal(0, 8)
    pelvis = np.array([0.0, 0.0, _GROUND_IN + rng.uniform(0.1, 0.16)])
    twist = yaw + rng.normal(0, 8)
    turns = (
        _turn(rng.uniform(80, 95), yaw),
        _turn(90 - raised, twist),
        _turn(rng.uniform(0, 35), twist + rng.normal(0, 10)),
    )
    body.trunk(pelvis, turns)
    drawn = rng.choice(["l", "r"]) if rng.random() < 0.4 else ""
    for side, sign in _SIDES.items():
        hip = body.at("pelvis", f"{side}-upper-leg")
        out = math.radians(rng.uniform(50, 95) if side == drawn else rng.uniform(2, 28)) * sign
        knee = hip + body.thigh * np.array([-math.cos(out), math.sin(out), 0.0])
        knee[2] = _GROUND_IN + 0.09
        after = math.radians(rng.uniform(-25, 20)) if side == drawn else out * rng.uniform(0.2, 1.2)
        ankle = knee + body.shin * np.array([-math.cos(after), math.sin(after), 0.0])
        foot = turn_z(-math.degrees(after)) @ _turn(rng.uniform(110, 170), sign * rng.uniform(0, 50))
        body.leg(side, _Leg(knee, ankle, foot, _LEG_POLE))
    return _prone_hands(body, twist, rng)


def _prone_hands(body: Body, twist: float, rng: Rng) -> list[Mesh]:
    """Arms of a prone body that crawls or fires, and what they hold."""
    neck, turned = body.at("chest", "neck"), turn_z(twist)
    armed, parts = rng.random(), list[Mesh]()
    if armed < 0.2:
        hands = {
            side: neck + turned @ (rng.uniform(0.1, 0.45), sign * rng.uniform(0.1, 0.4), -0.2)
            for side, sign in _SIDES.items()
        }
        across = turned @ np.array([rng.uniform(-0.2, 0.3), 0.5, 0.05])
        if armed < 0.12:
            parts.append(limb(hands["r"] - across, hands["r"] + across, 0.055, 0.035))
    else:
        butt = neck + turned @ (rng.uniform(-0.1, 0.1), -0.12, rng.uniform(-0.15, 0.0))
        gun = turned @ np.array([rng.uniform(0.7, 1.15), rng.uniform(0, 0.15), rng.uniform(-0.12, 0.05)])
        hands = {"r": butt + 0.2 * gun, "l": butt + rng.uniform(0.3, 0.5) * gun}
        parts += rifle(butt, butt + gun)
        if armed < 0.45:  # a machine gun on its two legs
            fork = butt + rng.uniform(0.6, 0.85) * gun
            feet = [(*(fork[:2] + turned[:2, 1] * side * 0.2), _GROUND_IN) for side in (-1, 1)]
            parts += [limb(fork, foot, 0.035, 0.03) for foot in feet]
            parts.append(ball(butt + 0.4 * gun + (0, 0, 0.1), (0.1, 0.1, 0.1), 8))
    for side, sign in _SIDES.items():
        hands[side][2] = max(hands[side][2], _GROUND_IN + 0.06)
        body.arm(side, hands[side], np.array([0.1, sign * rng.uniform(0.4, 1.2), -0.8]))
    return parts


def _armed(body: Body, rng: Rng) -> list[Mesh]:
    """Arms of an upright body, and what they hold."""
    neck, chest = body.at("chest", "neck"), body.bones["chest"].turn
    turned = turn_z(math.degrees(math.atan2(-chest[0, 1], chest[1, 1])))  # bending forwards leaves the shoulders level
    parts, right, left = grip(rng)
    for side, hand in (("r", right), ("l", left)):
        out = _SIDES[side] * rng.uniform(0.3, 1.2)
        body.arm(side, neck + turned @ hand, turned @ np.array([rng.uniform(-0.5, 0.0), out, -0.7]))
    return [part.placed(turned, neck) for part in parts]


def _equipment(body: Body, rng: Rng) -> list[Mesh]:
    """Headgear, and what hangs on chest and belt."""
    parts = [body.carried("head", part) for part in _headgear(body.joints["head"], rng)]
    spine, hip = (body.joints["spine-2"] + body.joints["neck"]) / 2, body.joints["pelvis"]

    def add(bone: str, size: tuple[float, float, float], at: FloatArray) -> None:
        box = block((0, 0), size[:2], -size[2] / 2, size[2] / 2)
        parts.append(body.carried(bone, box.placed(turn_z(rng.normal(0, 5)), at)))

    if rng.random() < 0.5:
        deep, wide, high = rng.uniform((0.12, 0.22, 0.25), (0.28, 0.42, 0.6))
        add("chest", (deep, wide, high), spine + (-0.16 - deep / 2, 0, rng.uniform(-0.2, 0.05)))
        if rng.random() < 0.3:  # a bedroll
            across = spine + (-0.2 - deep / 2, 0, rng.uniform(0.0, 0.3))
            parts.append(body.carried("chest", limb(across - (0, 0.25, 0), across + (0, 0.25, 0), 0.08, 0.08)))
        if rng.random() < 0.3:  # an aerial
            foot = spine + (-0.25, rng.uniform(-0.15, 0.15), 0.2)
            top = foot + (rng.normal(0, 0.1), rng.normal(0, 0.1), rng.uniform(0.4, 1.0))
            parts.append(body.carried("chest", limb(foot, top, 0.03, 0.02)))
    for angle in rng.uniform(0, 2 * math.pi, rng.integers(0, 4)):
        size = rng.uniform((0.08, 0.1, 0.12), (0.14, 0.18, 0.25))
        add("pelvis", tuple(size), hip + (0.16 * math.cos(angle), 0.2 * math.sin(angle), rng.uniform(0.0, 0.1)))
    return parts


def _headgear(head: FloatArray, rng: Rng) -> list[Mesh]:
    """A steel helmet, one with a skirt, a field cap, a beret, or nothing."""
    wide = rng.uniform(0.15, 0.2)
    crown = head + (0.02, 0.0, 0.05)
    way = rng.choice(["pot", "skirt", "cap", "beret", "bare"], p=[0.5, 0.2, 0.12, 0.1, 0.08])
    if way == "bare":
        return []
    if way == "cap":
        hat = lathe([(0, 0.0), (0.8 * wide, 0.0), (0.8 * wide, 0.12), (0, 0.14)], 10)
        peak = disc(0.12, 0.1, 0.0, 0.03).placed(np.eye(3), (0.12, 0, 0))
        return [part.placed(np.eye(3), crown) for part in (hat, peak)]
    if way == "beret":
        return [ball(crown + (0, rng.choice([-0.04, 0.04]), 0.1), (wide, wide, 0.07))]
    low = rng.uniform(0.02, 0.08) if way == "skirt" else 0.0
    brim = lathe([(0.0, 0.0), (wide * rng.uniform(1.05, 1.3), -low), (wide, 0.03), (0.0, 0.03)], 12)
    dome = ball(crown + (0, 0, 0.02), np.array([1.08, 0.95, rng.uniform(0.75, 1.0)]) * wide, 12)
    return [dome, brim.placed(np.diag([1.15, 0.95, 1.0]), crown)]


def _turn(pitch: float, yaw: float) -> FloatArray:
    """(3, 3) bent forwards by `pitch` degrees, then turned about z by `yaw`."""
    c, s = math.cos(math.radians(pitch)), math.sin(math.radians(pitch))
    return np.asarray(turn_z(yaw) @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]))


def two_bones(
    start: FloatArray, end: FloatArray, pole: FloatArray, first: float, second: float
) -> tuple[FloatArray, FloatArray]:
    """Middle joint of two bones of fixed length, bent towards `pole`, and the end, moved within reach."""
    away = end - start
    reach = float(np.clip(np.linalg.norm(away), abs(first - second) + 0.03, first + second - 1e-3))
    away = away / max(float(np.linalg.norm(away)), 1e-6)
    aside = pole - pole @ away * away
    aside = aside / max(float(np.linalg.norm(aside)), 1e-6)
    along = (first**2 + reach**2 - second**2) / (2 * reach)
    return start + along * away + math.sqrt(max(0.0, first**2 - along**2)) * aside, start + reach * away


def _frame(direction: FloatArray, axis: FloatArray) -> FloatArray:
    """(3, 3) right-handed columns: the direction, the part of the axis across it, and the third."""
    along = direction / np.linalg.norm(direction)
    across = axis - axis @ along * along
    across = across / np.linalg.norm(across)
    return np.column_stack([along, across, np.cross(along, across)])


def _length(joints: dict[str, FloatArray], start: str, end: str) -> float:
    return float(np.linalg.norm(joints[end] - joints[start]))


def _corner_normals(corners: FloatArray, triangles: np.ndarray) -> FloatArray:
    """(V, 3) unit vectors outwards at the corners."""
    points = corners[triangles]
    faces = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    out = np.zeros_like(corners)
    for k in range(3):
        np.add.at(out, triangles[:, k], faces)
    return np.asarray(out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9))
