"""Draw throws of dice by ray casting: `python -m training.dice.drawn FOLDER --seed 1 --count 5000`.

Writes pictures and truth like `training.dice.traced`, a hundred times as fast: rounded cubes in one panorama of lamps,
strips and windows, with dimples, ink, reflections, shadows and translucent plastic, all randomised beyond what is
natural. Needs numpy and OpenCV.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from calibration.opencv import cv2
from training.dice.bodies import BodyStyle, mark_distance, random_style
from training.dice.layouts import SETTINGS, Placed, Setting, about_z, throw
from training.dice.patterns import pattern

Array = np.ndarray
SIZE_PX = 352
_LIT_PX = (24, 48)  # side of a die in the picture
_STEPS = 14
_SKY = (96, 192)  # pixels of the panorama
BODIES = (
    (0.9, 0.9, 0.87), (0.82, 0.77, 0.62), (0.05, 0.05, 0.05), (0.62, 0.06, 0.06), (0.06, 0.12, 0.5), (0.06, 0.35, 0.12),
    (0.85, 0.65, 0.08), (0.8, 0.32, 0.06), (0.35, 0.08, 0.42), (0.85, 0.4, 0.5), (0.35, 0.35, 0.37), (0.2, 0.55, 0.7),
)  # fmt: skip
INKS = ((0.03, 0.03, 0.03), (0.92, 0.92, 0.92), (0.7, 0.5, 0.12), (0.6, 0.05, 0.05), (0.06, 0.1, 0.4))


@dataclass(frozen=True, slots=True)
class Plastic:
    """Colours (RGB, 0 to 1) and gloss of a die; `ace` is the ink of its one."""

    body: Array
    marbled: Array
    ink: Array
    ace: Array
    gloss: int  # blur of the reflection, 0 to 2
    mirror: float  # reflection seen straight on
    inked_mirror: float
    clear: float  # share of the light that passes through


@dataclass(frozen=True, slots=True)
class Eye:
    """A pinhole camera: place, axes (columns right, up, back), focal length and width of the picture in pixels."""

    place: Array
    axes: Array
    focal: float
    size_px: int

    def pixel(self, points: Array) -> Array:
        local = (points - self.place) @ self.axes
        return (self.size_px - 1) / 2 + self.focal * local[..., :2] * [1, -1] / -local[..., 2:]

    def rays(self, columns: Array, rows: Array) -> Array:
        middle = (self.size_px - 1) / 2
        local = np.stack([(columns - middle) / self.focal, (middle - rows) / self.focal, -np.ones(columns.shape)], -1)
        world = local @ self.axes.T
        return np.asarray(world / np.linalg.norm(world, axis=-1, keepdims=True))


@dataclass(frozen=True, slots=True)
class Light:
    """The panorama at three blurs, its distance in sides, and the lamps that cast shadows: directions and colours."""

    skies: tuple[Array, ...]
    away: float
    lamps: list[tuple[Array, Array, float]]
    ambient: Array


def main() -> None:
    """Draw scenes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--setting", choices=SETTINGS, default="any")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    for number in range(options.count):
        name = options.folder / f"{options.seed}_{number:05d}"
        image, dice = render(np.random.default_rng([options.seed, number]), SETTINGS[options.setting])
        cv2.imwrite(str(name.with_suffix(".jpg")), image, [cv2.IMWRITE_JPEG_QUALITY, 97])
        name.with_suffix(".json").write_text(json.dumps({"dice": dice}), "utf-8")


def render(rng: np.random.Generator, setting: Setting = SETTINGS["any"]) -> tuple[Array, list[dict[str, Any]]]:
    """One scene: the picture (BGR uint8) and its dice."""
    fudge = bool(rng.random() < setting.fudge)
    size_px = round(SIZE_PX * setting.zoom)
    side_px = math.exp(rng.uniform(*np.log(_LIT_PX)))
    wide = size_px / side_px / 2
    tray = None if rng.random() < 1 - setting.tray else np.maximum(rng.uniform(0.45, 0.85, 2) * wide, 1.8)
    half = (0.85 * wide, 0.85 * wide) if tray is None else (tray[0] - 0.6, tray[1] - 0.6)
    placed = throw(rng, int(rng.integers(setting.count[0], setting.count[1] + 1)), half)
    styles = [random_style(rng, fudge) for _ in range(rng.integers(1, 4))]
    plastics = [_plastic(rng, setting.white) for _ in range(rng.integers(1, 4))]
    eye, light = _eye(rng, wide, size_px, setting), _light(rng, setting.white)
    image = _ground(rng, eye, light, tray, placed)
    depth = np.full((size_px, size_px), np.inf)
    owner = np.full((size_px, size_px), -1)
    chosen = [styles[int(rng.integers(len(styles)))] for _ in placed]
    for k, (die, style) in enumerate(zip(placed, chosen, strict=True)):
        plastic = plastics[int(rng.integers(len(plastics)))]
        _draw_die(rng, image, depth, owner, (k, die, style, plastic), eye, light)
    return _developed(rng, image), _truth(eye, placed, chosen, owner)


def _plastic(rng: np.random.Generator, white: bool) -> Plastic:
    body = np.array(BODIES[int(rng.integers(2)) if rng.random() < 0.35 or white else int(rng.integers(len(BODIES)))])
    body = np.clip(body * np.exp(rng.normal(0, 0.2)) + rng.normal(0, 0.04, 3), 0.01, 0.97)
    inks = [ink for ink in INKS[:2] * 3 + INKS if abs(sum(ink) - body.sum()) > 0.75]
    ink = np.array(inks[int(rng.integers(len(inks)))] if inks and not white else INKS[0])
    ink = np.clip(ink + rng.normal(0, 0.04, 3), 0.01, 0.97)
    marbled = body
    if rng.random() >= 0.75 and not white:
        marbled = np.clip(body * np.exp(rng.normal(0, 0.5)) + rng.normal(0, 0.1, 3), 0, 1)
    ace = np.array(INKS[3]) if white and rng.random() < 0.3 else ink
    gloss, mirror = int(rng.integers(3)), float(rng.uniform(0.02, 0.12))
    inked = float(rng.choice([0.02, rng.uniform(0.02, 0.3 if white else 0.15)]))
    clear = float(rng.choice([0.0, 0.0, 0.0, rng.uniform(0.3, 0.8)]))
    return Plastic(body, marbled, ink, ace, gloss, mirror, inked, 0.0 if white else clear)


def _eye(rng: np.random.Generator, wide: float, size_px: int, setting: Setting) -> Eye:
    tilt = setting.tilt(rng)
    turn, distance = rng.uniform(0, 2 * math.pi), rng.uniform(2.0, 5.0) * wide
    back = np.array([math.sin(tilt) * math.sin(turn), -math.sin(tilt) * math.cos(turn), math.cos(tilt)])
    right = np.array([math.cos(turn), math.sin(turn), 0.0])
    up = np.cross(back, right)
    roll = rng.uniform(0, 2 * math.pi) if tilt < 0.2 else rng.normal(0, 0.15)
    c, s = math.cos(roll), math.sin(roll)
    axes = np.stack([c * right + s * up, c * up - s * right, back], axis=1)
    target = np.append(rng.uniform(-0.1, 0.1, 2) * wide, 0.5)
    return Eye(target + distance * back, axes, size_px / 2 * distance / wide, size_px)


def _light(rng: np.random.Generator, strips: bool) -> Light:
    """A panorama: rows from straight up to the horizon, with bright things in it."""
    sky = np.ones((*_SKY, 3)) * rng.uniform(0.05, 0.6) * np.exp(rng.normal(0, 0.15, 3))
    rooms = cv2.resize(rng.uniform(0.3, 1.6, (4, 8, 3)), _SKY[::-1], interpolation=cv2.INTER_LINEAR)
    sky *= rooms
    lamps = []
    for _ in range(rng.integers(3, 9) if strips else rng.integers(1, 5)):
        u, v = rng.uniform(0, _SKY[1]), rng.uniform(2, 45 if strips else 62)
        power = math.exp(rng.uniform(1.5, 4.0))
        colour = np.exp(rng.normal(0, 0.12, 3))
        _add_lamp(rng, sky, (u, v), power * colour, strips)
        lamps.append((_direction(u, v), colour * rng.uniform(0.2, 1.0), float(rng.uniform(0.05, 0.5))))
    sky = np.asarray(sky, np.float32)
    skies = tuple(
        sky if not blur else cv2.GaussianBlur(sky, None, blur, borderType=cv2.BORDER_REFLECT) for blur in (0.6, 2, 5)
    )
    away = float(rng.uniform(3, 12) if strips else rng.uniform(6, 60))
    return Light(skies, away, lamps, sky.mean(axis=(0, 1)) * rng.uniform(0.3, 1.0) + 0.08)


def _add_lamp(rng: np.random.Generator, sky: Array, at: tuple[float, float], power: Array, strips: bool) -> None:
    """A lamp, a strip, a row of LEDs or a window."""
    kind, (u, v) = (rng.integers(1, 3) if strips else rng.integers(4)), at
    canvas = np.zeros(sky.shape[:2], np.float32)
    if kind == 0:
        cv2.circle(canvas, (int(u), int(v)), int(rng.integers(1, 6)), 1.0, -1)
    elif kind == 1:
        angle, long = rng.uniform(0, math.pi), rng.uniform(10, 70)
        along = long * np.array([math.cos(angle), 0.6 * math.sin(angle)])
        a, b = np.array([u, v]) - along, np.array([u, v]) + along
        cv2.line(canvas, [int(x) for x in a], [int(x) for x in b], 1.0, int(rng.integers(1, 4)))
    elif kind == 2:
        angle, count = rng.uniform(0, math.pi), int(rng.integers(6, 20))
        step = rng.uniform(3, 7) * np.array([math.cos(angle), 0.6 * math.sin(angle)])
        for k in range(count):
            x, y = np.array([u, v]) + (k - count / 2) * step
            cv2.circle(canvas, (int(x), int(y)), 1, 1.0, -1)
    else:
        across, down = rng.uniform(5, 18, 2)
        cv2.rectangle(canvas, (int(u - across), int(v - down)), (int(u + across), int(v + down)), 1.0, -1)
        cv2.line(canvas, (int(u), 0), (int(u), _SKY[0]), 0.0, 1)
        cv2.line(canvas, (0, int(v)), (_SKY[1], int(v)), 0.0, 1)
        power = power * 0.4
    sky += canvas[..., None] * power


def _direction(u: float, v: float) -> Array:
    up, turn = math.cos(v / _SKY[0] * math.pi / 2), u / _SKY[1] * 2 * math.pi
    flat = math.sqrt(1 - up * up)
    return np.array([flat * math.cos(turn), flat * math.sin(turn), up])


def _reflected(light: Light, place: Array, out: Array, blur: int) -> Array:
    """Light that comes from a direction; the panorama is at a finite distance."""
    to = out * light.away + place
    to /= np.linalg.norm(to, axis=-1, keepdims=True)
    v = np.arccos(np.clip(to[..., 2], 0.0, 1.0)) / (math.pi / 2) * (_SKY[0] - 1)
    u = np.mod(np.arctan2(to[..., 1], to[..., 0]) / (2 * math.pi), 1.0) * (_SKY[1] - 1)
    found = light.skies[blur][np.round(v).astype(int), np.round(u).astype(int)]
    return np.asarray(found * np.where(to[..., 2:] < 0, 0.3, 1.0))


def _ground(rng: np.random.Generator, eye: Eye, light: Light, tray: Array | None, placed: list[Placed]) -> Array:
    """The table with shadows and gloss, in a tray if it has a size."""
    rows, columns = np.mgrid[0 : eye.size_px, 0 : eye.size_px].astype(np.float64)
    rays = eye.rays(columns, rows)
    place = eye.place + rays * (-eye.place[2] / np.minimum(rays[..., 2:], -0.05))
    albedo = _mapped(rng, place)
    lit = np.ones(albedo.shape) * light.ambient * _occlusion(eye, placed)[..., None]
    for to, colour, soft in light.lamps:
        lit += colour * to[2] * _shadows(eye, placed, to, soft)[..., None]
    image = albedo * lit
    if rng.random() < 0.5:  # varnish
        mirror = rng.uniform(0.01, 0.08)
        out = rays * [1, 1, -1]
        image += mirror * _reflected(light, place, out, int(rng.integers(1, 3))) * np.clip(2 * albedo, 0.3, 1)
    if tray is not None:
        _draw_rims(rng, image, eye, tray, light)
    return image


def _mapped(rng: np.random.Generator, place: Array) -> Array:
    """A pattern on the plane."""
    tile = pattern(rng)
    scale = math.exp(rng.uniform(math.log(8), math.log(60)))  # pixels of the tile per side
    turned = place[..., :2] @ about_z(rng.uniform(0, 6.3))[:2, :2] * scale + rng.uniform(0, 500, 2)
    size = tile.shape[0]
    at = np.mod(turned, 2 * size - 2)
    at = np.minimum(at, 2 * size - 2 - at).astype(np.float32)  # mirrored tiles
    return np.asarray(cv2.remap(tile, at[..., 0], at[..., 1], cv2.INTER_LINEAR), np.float64)


def _cube(die: Placed, half: float = 0.49) -> Array:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return np.asarray(die.middle + half * signs @ die.rotation.T)


def _fill(canvas: Array, points: Array) -> None:
    hull = cv2.convexHull(np.round(points * 16).astype(np.int32))
    cv2.fillConvexPoly(canvas, hull, 1.0, cv2.LINE_AA, 4)


def _shadows(eye: Eye, placed: list[Placed], to: Array, soft: float) -> Array:
    """Light that reaches the table from a direction, 0 to 1."""
    blocked = np.zeros((eye.size_px, eye.size_px), np.float32)
    for die in placed:
        corners = _cube(die)
        corners = corners - to * (corners[:, 2:] / max(to[2], 0.15))
        _fill(blocked, eye.pixel(corners * [1, 1, 0]))
    side = eye.focal / np.linalg.norm(eye.place)
    return np.asarray(1 - cv2.GaussianBlur(blocked, None, 0.5 + soft * side * 0.5))


def _occlusion(eye: Eye, placed: list[Placed]) -> Array:
    blocked = np.zeros((eye.size_px, eye.size_px), np.float32)
    for die in placed:
        _fill(blocked, eye.pixel(_cube(die, 0.55) * [1, 1, 0]))
    side = eye.focal / np.linalg.norm(eye.place)
    return np.asarray(1 - 0.8 * cv2.GaussianBlur(blocked, None, 0.3 * side))


def _draw_rims(rng: np.random.Generator, image: Array, eye: Eye, tray: Array, light: Light) -> None:
    """Four walls around the tray, the farthest first."""
    height, thick = float(rng.uniform(0.4, 2.0)), float(rng.uniform(0.2, 1.0))
    tone = pattern(rng).mean(axis=(0, 1)) * rng.uniform(0.5, 1.5)
    inner = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * tray
    outer = inner + np.sign(inner) * thick
    walls = sorted(
        range(4), key=lambda k: -np.linalg.norm(np.append((inner[k] + inner[(k + 1) % 4]) / 2, 0) - eye.place)
    )
    for k in walls:
        a, b = inner[k], inner[(k + 1) % 4]
        c, d = outer[k], outer[(k + 1) % 4]
        normal = -np.append((a + b) / 2 / np.linalg.norm((a + b) / 2), 0)
        faces = [([(*a, 0), (*b, 0), (*b, height), (*a, height)], normal)]
        faces.append(([(*c, 0), (*d, 0), (*d, height), (*c, height)], -normal))
        faces.append(([(*a, height), (*b, height), (*d, height), (*c, height)], np.array([0, 0, 1.0])))
        for corners, facing in faces:
            points = np.array(corners, np.float64)
            if (eye.place - points.mean(axis=0)) @ facing <= 0:
                continue
            lit = light.ambient + sum(colour * max(float(to @ facing), 0.0) for to, colour, _ in light.lamps)
            mask = np.zeros(image.shape[:2], np.float32)
            _fill(mask, eye.pixel(points))
            image += mask[..., None] * (tone * lit - image)


def _draw_die(
    rng: np.random.Generator, image: Array, depth: Array, owner: Array,
    what: tuple[int, Placed, BodyStyle, Plastic], eye: Eye, light: Light,
) -> None:  # fmt: skip
    number, die, style, plastic = what
    corners = eye.pixel(_cube(die, 0.5))
    low = np.clip(np.floor(corners.min(axis=0)).astype(int) - 1, 0, eye.size_px)
    high = np.clip(np.ceil(corners.max(axis=0)).astype(int) + 2, 0, eye.size_px)
    if (high <= low).any():
        return
    rows, columns = np.mgrid[low[1] : high[1], low[0] : high[0]]
    rays = eye.rays(columns.ravel().astype(float), rows.ravel().astype(float))
    start, local = (eye.place - die.middle) @ die.rotation, rays @ die.rotation
    away, hit = _cast(start, local, style)
    box = owner[low[1] : high[1], low[0] : high[0]].ravel()
    near = depth[low[1] : high[1], low[0] : high[0]].ravel()
    hit &= away < near
    at = start + local[hit] * away[hit, None]
    colour = _shaded(
        rng, at, local[hit], die, style, plastic, light, image[low[1] : high[1], low[0] : high[0]].reshape(-1, 3)[hit]
    )
    patch = image[low[1] : high[1], low[0] : high[0]].reshape(-1, 3).copy()
    patch[hit] = colour
    near[hit], box[hit] = away[hit], number
    shape = rows.shape
    image[low[1] : high[1], low[0] : high[0]] = patch.reshape(*shape, 3)
    depth[low[1] : high[1], low[0] : high[0]] = near.reshape(shape)
    owner[low[1] : high[1], low[0] : high[0]] = box.reshape(shape)


def _cast(start: Array, rays: Array, style: BodyStyle) -> tuple[Array, Array]:
    """Distance along each ray to the body by sphere tracing, and whether it is hit."""
    away = np.full(len(rays), np.linalg.norm(start) - 0.9)
    gap = np.zeros(len(rays))
    for _ in range(_STEPS):
        at = start + rays * away[:, None]
        out = np.abs(at) - (0.5 - style.edge)
        box = np.sqrt((np.maximum(out, 0) ** 2).sum(axis=1)) + np.minimum(out.max(axis=1), 0) - style.edge
        gap = np.maximum(box, np.sqrt((at**2).sum(axis=1)) - style.ball)
        away += gap
    return away, np.abs(gap) < 0.03


def _inked(at: Array, style: BodyStyle) -> tuple[Array, Array, Array]:
    """For points on the body: share of ink, whether their face is a one, and the slope of its dimples (N, 3)."""
    axis = np.abs(at).argmax(axis=1)
    ink, ace, slope = np.zeros(len(at)), np.zeros(len(at), bool), np.zeros(at.shape)
    soft = 0.015
    for k, face in enumerate(style.faces):
        a, sign = k // 2, 1 - 2 * (k % 2)
        on = (axis == a) & (sign * at[:, a] > 0)
        if not on.any():
            continue
        ace[on] = face == 1
        first, second = (a + 1) % 3, (a + 2) % 3
        if style.turned >> k & 1:
            first, second = second, first
        u, v = at[on, first], at[on, second]
        distance = mark_distance(style, face, u, v)
        ink[on] = np.clip(0.5 - distance / (2 * soft), 0, 1)
        if style.depth:
            step = 0.01
            inside = (distance < 0) & (np.ones(len(u), bool) if style.hollow else distance > -0.03)
            steep = 2 * style.depth / style.pip * (np.clip(1 + distance / style.pip, 0, 1) if style.hollow else 1.0)
            du = (mark_distance(style, face, u + step, v) - distance) / step
            dv = (mark_distance(style, face, u, v + step) - distance) / step
            some = np.zeros((len(u), 3))
            some[:, first], some[:, second] = -steep * du * inside, -steep * dv * inside
            slope[on] = some
    return ink, ace, slope


def _shaded(
    rng: np.random.Generator,
    at: Array,
    rays: Array,
    die: Placed,
    style: BodyStyle,
    plastic: Plastic,
    light: Light,
    behind: Array,
) -> Array:
    """Colours of points on the body, all in the die's frame but the light."""
    out = at - np.clip(at, style.edge - 0.5, 0.5 - style.edge)
    normal = out / (np.linalg.norm(out, axis=1, keepdims=True) + 1e-9)
    far = np.linalg.norm(at, axis=1, keepdims=True)
    normal = np.where(far > style.ball - 0.01, at / far, normal)
    ink, ace, slope = _inked(at, style)
    normal = normal + slope
    normal /= np.linalg.norm(normal, axis=1, keepdims=True) + 1e-9
    facing = normal @ die.rotation.T
    place = at @ die.rotation.T + die.middle
    view = rays @ die.rotation.T
    waves = np.sin(at @ rng.normal(0, 6, (3, 3)) + rng.uniform(0, 6, 3)).mean(axis=1, keepdims=True) * 0.5 + 0.5
    body = plastic.body * waves + plastic.marbled * (1 - waves)
    ground = np.clip(place[:, 2:], 0, 1)
    lit = light.ambient * (0.55 + 0.45 * ground) * (0.75 + 0.25 * facing[:, 2:])
    for to, colour, _ in light.lamps:
        lit = lit + colour * np.clip(facing @ to, 0, None)[:, None]
    diffuse = body * lit
    if plastic.clear:
        diffuse = (1 - plastic.clear) * diffuse + plastic.clear * _through(at, rays, style, plastic, behind, light)
    shade = ink[:, None] * np.where(ace[:, None], plastic.ace, plastic.ink) * lit + (1 - ink[:, None]) * diffuse
    out_ray = view - 2 * (view * facing).sum(axis=1, keepdims=True) * facing
    grazing = np.clip(1 + (view * facing).sum(axis=1, keepdims=True), 0, 1) ** 5
    strength = ink[:, None] * plastic.inked_mirror + (1 - ink[:, None]) * plastic.mirror
    mirror = strength + (1 - strength) * grazing * 0.6
    return np.asarray(shade * (1 - mirror) + mirror * _reflected(light, place, out_ray, plastic.gloss))


def _through(at: Array, rays: Array, style: BodyStyle, plastic: Plastic, behind: Array, light: Light) -> Array:
    """Light through a clear body: tinted ground, dark where the marks of the far side are."""
    inward = rays - 0.33 * at / np.linalg.norm(at, axis=1, keepdims=True)
    inward /= np.linalg.norm(inward, axis=1, keepdims=True)
    reach = np.min((np.sign(inward) * 0.5 - at) / np.where(np.abs(inward) < 1e-6, 1e-6, inward), axis=1)
    exit_at = at + inward * np.clip(reach, 0, 2)[:, None] * 0.98
    ink = _inked(exit_at, style)[0][:, None]
    tint = plastic.body**0.6
    return np.asarray(tint * (1 - 0.7 * ink) * (0.6 * behind + 0.5 * light.ambient))


def _developed(rng: np.random.Generator, linear: Array) -> Array:
    usual, bright = np.percentile(linear.mean(axis=2), (50, 97.5)) + 1e-4
    developed = (
        linear * np.exp(rng.normal(0, 0.08, 3)) * min(rng.uniform(0.1, 0.6) / usual, rng.uniform(0.55, 1.25) / bright)
    )
    if rng.random() < 0.6:
        developed = developed * (1 + developed / 6) / (1 + developed * rng.uniform(0.2, 0.8))
    return np.uint8(255 * np.clip(developed[..., ::-1], 0, 1) ** (1 / rng.uniform(1.9, 2.4)))


def _truth(eye: Eye, placed: list[Placed], styles: list[BodyStyle], owner: Array) -> list[dict[str, Any]]:
    dice = []
    for number, (die, style) in enumerate(zip(placed, styles, strict=True)):
        normals = [die.rotation[:, k // 2] * (1 - 2 * (k % 2)) for k in range(6)]
        top = int(np.argmax([normal[2] for normal in normals]))
        sides = []
        for k, normal in enumerate(normals):
            centre = die.middle + 0.5 * normal
            if k != top and (eye.place - centre) @ normal > 0.15 * np.linalg.norm(eye.place - centre):
                sides.append([*map(float, eye.pixel(centre)), style.faces[k]])
        centre = die.middle + 0.5 * normals[top]
        first, second = die.rotation[:, (top // 2 + 1) % 3], die.rotation[:, (top // 2 + 2) % 3]
        half = [(eye.pixel(centre + 0.1 * axis) - eye.pixel(centre - 0.1 * axis)) * 2.5 for axis in (first, second)]
        spots = [
            centre + a * first + b * second for a in np.linspace(-0.35, 0.35, 5) for b in np.linspace(-0.35, 0.35, 5)
        ]
        at = np.round(eye.pixel(np.array(spots))).astype(int)
        inside = ((at >= 0) & (at < eye.size_px)).all(axis=1)
        seen = [owner[y, x] == number for x, y in at[inside].tolist()]
        dice.append({
            "face": style.faces[top], "fudge": style.fudge, "centre": eye.pixel(centre).tolist(),
            "half": [half[0].tolist(), half[1].tolist()], "lean": math.degrees(math.acos(min(1.0, normals[top][2]))),
            "visible": sum(seen) / 25, "sides": sides,
        })  # fmt: skip
    return dice


if __name__ == "__main__":
    main()
