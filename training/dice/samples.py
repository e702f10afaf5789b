"""Training samples for the networks that find and read dice: cut from rendered scenes and degraded at random."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from calibration.opencv import cv2

Array = np.ndarray
CROP_PX, SIDE_PX = 64, 28.0  # a crop, and the side of the die in it
TILE_PX, CELL_PX = 192, 4
CLASSES = (1, 2, 3, 4, 5, 6, -1, 0, 1)  # six-sided, then Fudge; the tenth class is no top face
NOTHING = 9
_UNFOCUSED = 0.12  # share
_VISIBLE = 0.6  # share from which a top face counts
_SIZES_PX = (9.0, 60.0)  # sides of dice in tiles
_TOO_LARGE_PX = (66.0, 300.0)  # in some tiles: parts of dice are no dice
_LEANS, _LEVEL = 10.0, 3.0  # degrees from which a die leans, and up to which it lies flat


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A picture with its dice.

    Attributes:
        image: (height, width, 3) uint8, BGR.
        faces: (N,) index in `CLASSES`.
        centres, halves: (N, 2) middles of the top faces, and (N, 2, 2) half sides in columns.
        leans: (N,) angle of the top face from level, in degrees.
        visible: (N,) visible share of the top face.
        sides: (M, 2) middles of the side faces that are seen.
        normals: (N, 2) part of each top's unit normal across the line of sight; NaN where its sign is unknown.
    """

    image: Array
    faces: Array
    centres: Array
    halves: Array
    leans: Array
    visible: Array
    sides: Array
    normals: Array

    @property
    def sides_px(self) -> Array:
        """(N,) side of the square of the same area as each top face."""
        return 2 * np.sqrt(np.abs(np.linalg.det(self.halves)) + 1e-9)

    def with_image(self, image: Array) -> Scene:
        """The same dice in another picture."""
        return replace(self, image=image)


def load(path: Path) -> Scene | None:
    """One scene from its `.json` and `.jpg`; None without dice."""
    image = cv2.imread(str(path.with_suffix(".jpg")))
    return scene_of(image, json.loads(path.read_text("utf-8"))["dice"]) if image is not None else None


def scene_of(image: Array, dice: list[dict[str, Any]]) -> Scene | None:
    """A picture with its dice; None without dice."""
    if not dice:
        return None
    faces = [CLASSES.index(die["face"], 6) if die["fudge"] else die["face"] - 1 for die in dice]
    halves = np.array([die["half"] for die in dice]).transpose(0, 2, 1)
    centres = np.array([die["centre"] for die in dice])
    sides = np.array([side[:2] for die in dice for side in die["sides"]]).reshape(-1, 2)
    return Scene(
        image, np.array(faces), centres, halves,
        np.array([die["lean"] for die in dice]), np.array([die["visible"] for die in dice]), sides,
        _normals(dice, halves, centres, np.array(image.shape[1::-1]) / 2),
    )  # fmt: skip


def _normals(dice: list[dict[str, Any]], halves: Array, centres: Array, middle: Array) -> Array:
    """(N, 2) tops' normals across the line of sight: away from the side faces that are seen.

    Where none is seen, a die is taken to lie level with the others: its normal changes evenly over the picture.
    """
    normals = np.full((len(dice), 2), np.nan)
    unsigned = normals.copy()
    for k, (die, half) in enumerate(zip(dice, halves, strict=True)):
        directions, (long, short), _ = np.linalg.svd(half)
        unsigned[k] = directions[:, 1] * math.sqrt(max(0.0, 1 - (short / long) ** 2))
        if die["sides"]:
            away = np.mean([side[:2] for side in die["sides"]], axis=0) - die["centre"]
            normals[k] = unsigned[k] * (-1 if away @ unsigned[k] > 0 else 1)
    level = np.array([die["lean"] < _LEVEL for die in dice])
    known = level & np.isfinite(normals[:, 0])
    expected = centres - middle
    if known.sum() >= 3:
        table = np.c_[centres - middle, np.full(len(dice), 100.0)]
        expected = table @ np.linalg.lstsq(table[known], normals[known], rcond=None)[0]
    signs = np.where((expected * unsigned).sum(axis=1) < 0, -1, 1)[:, None]
    return np.where((level & ~known)[:, None], unsigned * signs, normals)


def is_validation(path: Path) -> bool:
    """Whether a scene is kept out of the training: every twelfth."""
    return int(path.stem.split("_")[1]) % 12 == 0


def augmented(rng: np.random.Generator, image: Array, side_px: float) -> Array:
    """A picture with dice of this side as a worse camera, in other light, would have taken it."""
    size = image.shape[1::-1]
    shown = image.astype(np.float32)
    if rng.random() < 0.45:  # reflections and haze
        shown = _glare(rng, shown, side_px)
    if rng.random() < 0.4:
        least = min(1.0, 11 / side_px)
        scale = rng.uniform(least, 1.0)
        small = cv2.resize(shown, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        shown = cv2.resize(small, size, interpolation=int(rng.choice([cv2.INTER_LINEAR, cv2.INTER_CUBIC])))
    kind = rng.random()
    if kind < 0.4:
        shown = cv2.GaussianBlur(shown, None, rng.uniform(0.3, 0.055 * side_px + 0.2))
    elif kind < 0.55:
        shown = _motion(rng, shown, rng.uniform(1.5, 1.5 + 0.16 * side_px))
    if rng.random() < 0.2:  # sharpened by the camera
        soft = cv2.GaussianBlur(shown, None, rng.uniform(0.6, 1.5))
        shown = shown + rng.uniform(0.3, 1.5) * (shown - soft)
    shown = _coloured(rng, np.clip(shown, 0, 255).astype(np.uint8))
    if rng.random() < 0.6:
        noise = rng.standard_normal((*shown.shape[:2], 3 if rng.random() < 0.5 else 1), np.float32)
        shown = np.clip(shown + rng.uniform(0.5, 9) * noise, 0, 255).astype(np.uint8)
    if rng.random() < 0.4:
        coded = cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 95))])[1]
        shown = cv2.imdecode(coded, cv2.IMREAD_COLOR)
    return shown


def _unfocused(rng: np.random.Generator, shown: Array, centres: Array, halves: Array) -> Array:
    """Only the tops are sharp: the focus is shallow, or the dice lie on frosted glass and are seen from below."""
    side = float(np.median(np.sqrt(np.abs(np.linalg.det(halves)))) * 2)
    sharp = np.zeros(shown.shape[:2], np.float32)
    part = rng.uniform(0.8, 0.95)
    for centre, half in zip(centres, halves, strict=True):
        corners = centre + part * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) @ half.T
        cv2.fillConvexPoly(sharp, np.round(corners * 16).astype(np.int32), 1.0, cv2.LINE_AA, 4)
    sharp = cv2.GaussianBlur(sharp, None, rng.uniform(0.02, 0.08) * side + 0.3)[..., None]
    soft = cv2.GaussianBlur(shown, None, rng.uniform(0.05, 0.3) * side + 0.3).astype(np.float32)
    if rng.random() < 0.5:  # the glass is grey
        fog = rng.uniform(30, 200) + rng.normal(0, 8, 3)
        soft = soft + rng.uniform(0.2, 0.9) * (fog - soft)
    return np.clip(shown * sharp + soft * (1 - sharp), 0, 255).astype(np.uint8)


def _glare(rng: np.random.Generator, shown: Array, side_px: float) -> Array:
    height, width = shown.shape[:2]
    mask = np.zeros((height, width), np.float32)
    for _ in range(int(rng.integers(1, 4 + width * height // 8000))):
        at = (int(rng.integers(width)), int(rng.integers(height)))
        long, wide = side_px * rng.uniform(0.08, 0.8), side_px * rng.uniform(0.03, 0.25)
        axes = (max(1, int(long / 2)), max(1, int(wide / 2)))
        cv2.ellipse(mask, at, axes, float(rng.uniform(0, 180)), 0, 360, float(rng.uniform(0.2, 1.0)), -1, cv2.LINE_AA)
    mask = cv2.GaussianBlur(mask, None, rng.uniform(0.02, 0.1) * side_px + 0.3)[..., None]
    light = rng.choice([255.0, 255.0, 255.0, 20.0])
    return shown + mask * (light - shown)


def _motion(rng: np.random.Generator, shown: Array, length: float) -> Array:
    size = int(length) | 1
    kernel = np.zeros((size + 2, size + 2), np.float32)
    angle, middle = rng.uniform(0, math.pi), (size + 1) / 2
    along = length / 2 * np.array([math.cos(angle), math.sin(angle)])
    a, b = [int(16 * x) for x in middle - along], [int(16 * x) for x in middle + along]
    cv2.line(kernel, a, b, 1.0, 1, cv2.LINE_AA, 4)
    return cv2.filter2D(shown, -1, kernel / max(kernel.sum(), 1e-3), borderType=cv2.BORDER_REFLECT)


def _coloured(rng: np.random.Generator, shown: Array) -> Array:
    """Other colours, exposure and contrast, (h, w, 3) uint8."""
    if rng.random() < 0.15:
        shown = shown[..., rng.permutation(3)]
    if rng.random() < 0.35:
        mix = rng.uniform(0, 1.5)
        shown = cv2.transform(shown, mix * np.eye(3) + (1 - mix) / 3)
    levels = (np.arange(256) / 255.0) ** math.exp(rng.normal(0, 0.25)) * 255
    gains = np.exp(rng.normal(0, 0.1, 3)) * math.exp(rng.normal(-0.05, 0.25))
    lift = rng.uniform(0, 60) if rng.random() < 0.3 else 0.0  # haze: black is not black
    table = np.clip(lift + levels[:, None] * gains * (255 - lift) / 255, 0, 255).astype(np.uint8)
    shown = cv2.LUT(np.ascontiguousarray(shown), table.reshape(1, 256, 3))
    if rng.random() < 0.3:  # uneven light
        height, width = shown.shape[:2]
        across, down = rng.normal(0, 0.35, 2)
        ramp = 1 + across * np.linspace(-1, 1, width)[None, :] + down * np.linspace(-1, 1, height)[:, None]
        ramp = np.clip(ramp, 0.25, 2).astype(np.float32)
        shown = np.clip(shown * ramp[..., None], 0, 255).astype(np.uint8)
    return shown


def crops(rng: np.random.Generator, scene: Scene, count: int, degrade: bool = True) -> Iterator[tuple[Array, Array]]:
    """(64, 64, 3) crops with targets.

    The targets are: class, leans (or -1), offset (2), stretch (3), turn (2), normal (2), weights of shape and normal.
    """
    for _ in range(count):
        kind = rng.random()
        aim = _die(rng, scene) if kind < 0.72 else _elsewhere(rng, scene) if kind < 0.92 else _misjudged(rng, scene)
        if aim is None:
            continue
        k, at, side = aim
        turn = _any_turn(rng, SIDE_PX / side * math.exp(rng.normal(0, 0.1)))
        shift = (CROP_PX - 1) / 2 - turn @ at
        crop = warped(scene.image, turn, shift)
        if degrade and rng.random() < _UNFOCUSED:
            crop = _unfocused(rng, crop, scene.centres @ turn.T + shift, turn @ scene.halves)
        target = np.zeros(13, np.float32)
        target[:2] = NOTHING, -1
        if kind < 0.72:
            target[:] = _target(scene, k, turn, shift)
        yield (augmented(rng, crop, SIDE_PX) if degrade else crop), target


Aim = tuple[int, Array, float]
"""Die, middle of a crop, and the side that is taken for the die's."""


def _die(rng: np.random.Generator, scene: Scene) -> Aim | None:
    """Almost the middle of a visible top face; leaning dice more often."""
    leaning = np.flatnonzero(scene.leans > _LEANS)
    k = int(rng.choice(leaning) if len(leaning) and rng.random() < 0.2 else rng.integers(len(scene.faces)))
    if scene.visible[k] < _VISIBLE or scene.leans[k] > 40:
        return None
    wide = 0.05 if rng.random() < 0.7 else 0.11
    return k, scene.centres[k] + rng.normal(0, wide, 2) * scene.sides_px[k], scene.sides_px[k]


def _misjudged(rng: np.random.Generator, scene: Scene) -> Aim:
    """A part of a die, or dice far away."""
    k = int(rng.integers(len(scene.faces)))
    side = scene.sides_px[k]
    at = scene.centres[k] + rng.uniform(-0.5, 0.5, 2) * side
    return k, at, side * (math.exp(rng.uniform(*np.log([0.15, 0.5]))) if rng.random() < 0.7 else rng.uniform(2.2, 4))


def _any_turn(rng: np.random.Generator, scale: float) -> Array:
    """Turned, perhaps mirrored, and perhaps distorted a little by the lens."""
    angle = rng.uniform(0, 2 * math.pi)
    turn = scale * np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    if rng.random() < 0.5:
        turn = turn @ np.diag([-1.0, 1.0])
    if rng.random() < 0.3:
        turn = turn @ (np.eye(2) + rng.normal(0, 0.05, (2, 2)))
    return np.asarray(turn)


def _target(scene: Scene, k: int, turn: Array, shift: Array) -> Array:
    lean = scene.leans[k]
    offset = turn @ scene.centres[k] + shift - (CROP_PX - 1) / 2
    normal = turn / math.sqrt(abs(np.linalg.det(turn))) @ scene.normals[k]
    return np.array([
        scene.faces[k], 1 if lean > _LEANS else 0 if lean < _LEVEL else -1, *(offset / SIDE_PX),
        *shape_of(turn @ scene.halves[k]), *np.nan_to_num(normal), 1, np.isfinite(normal[0]),
    ])  # fmt: skip


def warped(image: Array, turn: Array, shift: Array) -> Array:
    """A crop without aliasing: pictures of large dice are reduced first."""
    scale = math.sqrt(abs(np.linalg.det(turn)))
    if scale < 0.6:
        least = scale / 0.8
        image = cv2.resize(image, None, fx=least, fy=least, interpolation=cv2.INTER_AREA)
        shift = shift + turn @ np.full(2, 0.5 / least - 0.5)
        turn = turn / least
    both = np.hstack([turn, shift[:, None]])
    return cv2.warpAffine(image, both, (CROP_PX, CROP_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def shape_of(half: Array) -> Array:
    """Symmetric stretch (3) relative to the expected half side, and cosine and sine of 4 times the turn."""
    u, sizes, vt = np.linalg.svd(half)
    rotation, stretch = u @ vt, u * sizes @ u.T / (SIDE_PX / 2)
    if np.linalg.det(rotation) < 0:
        rotation = rotation @ np.diag([-1.0, 1.0])
    turn = 4 * math.atan2(rotation[1, 0], rotation[0, 0])
    return np.array([stretch[0, 0], stretch[0, 1], stretch[1, 1], math.cos(turn), math.sin(turn)])


def _elsewhere(rng: np.random.Generator, scene: Scene) -> Aim | None:
    """A place that is not the middle of a visible top face."""
    kind = rng.random()
    k = int(rng.integers(len(scene.faces)))
    side = scene.sides_px[k]
    if kind < 0.55 and len(scene.sides):
        at = scene.sides[rng.integers(len(scene.sides))] + rng.normal(0, 0.06, 2) * side
    elif kind < 0.8:
        angle = rng.uniform(0, 2 * math.pi)
        at = scene.centres[k] + side * rng.uniform(0.4, 1.2) * np.array([math.cos(angle), math.sin(angle)])
    else:
        at = rng.uniform(0, 1, 2) * scene.image.shape[1::-1]
    side *= math.exp(rng.uniform(-0.6, 0.1))  # the finder takes an oblique side face for a smaller die
    away = np.linalg.norm(scene.centres - at, axis=1)
    seen = scene.visible > 0.25
    return None if (away[seen] < 0.36 * scene.sides_px[seen]).any() else (k, at, side)


def tile(rng: np.random.Generator, scene: Scene, degrade: bool = True) -> tuple[Array, Array]:
    """A (192, 192, 3) tile; its (48, 48, 5) targets: top 1, 0 or -1 (ignored), place (2), log side, weight."""
    usual = float(np.median(scene.sides_px))
    sizes = _SIZES_PX if rng.random() < 0.85 else _TOO_LARGE_PX
    scale = math.exp(rng.uniform(*np.log(sizes))) / usual
    angle = rng.uniform(0, 2 * math.pi) if rng.random() < 0.4 else rng.normal(0, 0.15)  # most pictures are upright
    turn = scale * np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    k = int(rng.integers(len(scene.faces)))
    middle = scene.centres[k] if rng.random() < 0.8 else rng.uniform(0, 1, 2) * scene.image.shape[1::-1]
    shift = rng.uniform(0.15, 0.85, 2) * TILE_PX - turn @ middle
    image = scene.image
    if scale < 0.6:
        least = scale / 0.8
        image = cv2.resize(image, None, fx=least, fy=least, interpolation=cv2.INTER_AREA)
        both = np.hstack([turn / least, (shift + turn @ np.full(2, 0.5 / least - 0.5))[:, None]])
    else:
        both = np.hstack([turn, shift[:, None]])
    border = int(rng.choice([cv2.BORDER_REFLECT, cv2.BORDER_REPLICATE]))
    border = cv2.BORDER_REPLICATE if scale * scene.image.shape[0] < TILE_PX else border
    shown = cv2.warpAffine(image, both, (TILE_PX, TILE_PX), flags=cv2.INTER_LINEAR, borderMode=border)
    within = cv2.warpAffine(
        np.ones(scene.image.shape[:2], np.uint8), np.hstack([turn, shift[:, None]]), (TILE_PX, TILE_PX)
    )
    if degrade and rng.random() < _UNFOCUSED:
        shown = _unfocused(rng, shown, scene.centres @ turn.T + shift, turn @ scene.halves)
    target = _cells(scene, scene.centres @ turn.T + shift, scene.sides_px * scale)
    beyond = cv2.resize(within, target.shape[1::-1], interpolation=cv2.INTER_AREA) == 0
    if border == cv2.BORDER_REFLECT:
        target[beyond, 0] = -1
    return (augmented(rng, shown, usual * scale) if degrade else shown), target


def _cells(scene: Scene, centres: Array, sides: Array) -> Array:
    cells = TILE_PX // CELL_PX
    target = np.zeros((cells, cells, 5), np.float32)
    rows, columns = np.mgrid[0:cells, 0:cells] * CELL_PX + (CELL_PX - 1) / 2
    for centre, side, seen in sorted(zip(centres, sides, scene.visible, strict=True), key=lambda one: one[2]):
        away = np.hypot(columns - centre[0], rows - centre[1])
        if seen < _VISIBLE or side > 1.1 * _SIZES_PX[1]:
            if seen > 0.1:
                target[away < 0.35 * side, 0] = -1
            continue
        near = away < max(0.12 * side, 0.71 * CELL_PX)
        target[(away < max(0.3 * side, 1.3 * CELL_PX)) & (target[..., 0] == 0), 0] = -1
        target[near] = np.stack([
            np.ones(near.sum()), (centre[0] - columns[near]) / CELL_PX, (centre[1] - rows[near]) / CELL_PX,
            np.full(near.sum(), math.log(side / 24)), np.ones(near.sum()),
        ], axis=-1)  # fmt: skip
    return target
