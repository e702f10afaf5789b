"""Random pieces of table seen from above, for training: ground, light, clutter, camera and figures, with their truth.

The picture is drawn in the plane of the table, so solids are only stretched away from the point below the camera; lens
and pose need no training. The light is a lamp (or a window with bars) and a sky of another colour; shadows are lit by
the sky only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.opencv import cv2
from rules.tabletop.table import FloatArray, Posture
from training.finder.grounds import FINE, SHAPE, SIZE_IN, army_colour, clutter, ground_picture, painted, terrain
from training.finder.soldiers import Rng, Toy, toy, vehicle
from vision.palette import FloatImage
from vision.simulation.mesh import Mesh, turn_z

Toys = Callable[[Posture, Rng], Toy]
"""Draws a random toy in a posture."""
_POSTURES = (Posture.STANDING, Posture.KNEELING, Posture.PRONE, Posture.DOWN)
_ODDS = (0.42, 0.26, 0.16, 0.16)
_OBLIQUE = 0.45  # share of the cameras
_FORESHORTENED = 0.6  # lean from which the view is foreshortened


@dataclass(frozen=True, slots=True, eq=False)
class FigureTruth:
    """A figure on the table; `part` is its visible share, `army` is -1 for no army."""

    army: int
    posture: Posture
    place_in: FloatArray
    facing_rad: float
    part: float


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """A picture with and without figures, the visible area, and the truth.

    Attributes:
        picture, empty: (R, C, 3) uint8 at `px_per_in`, row 0 at y = 0.
        seen: (R, C) float32, 1 where terrain does not hide the table.
        eye_in: (3,) the camera's position.
        shade: (2,) shift of a shadow in inches per inch of height.
        clicks: A pixel (x, y) for each army.
    """

    picture: np.ndarray
    empty: np.ndarray
    seen: FloatImage
    px_per_in: float
    eye_in: FloatArray
    shade: FloatArray
    figures: tuple[FigureTruth, ...]
    clicks: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Light:
    to_lamp: FloatArray
    ways: tuple[FloatArray, ...]  # directions to points of the extended lamp
    lamp: FloatArray
    sky: FloatArray
    soft_px: float
    gobo: FloatImage  # share of the lamp's light that arrives, over the table


def _light(rng: Rng) -> _Light:
    sun = rng.random() < 0.4
    elevation, azimuth = math.radians(rng.uniform(28, 65 if sun else 85)), rng.uniform(0, 2 * math.pi)
    flat = math.cos(elevation)
    to_lamp = np.array([math.cos(azimuth) * flat, math.sin(azimuth) * flat, math.sin(elevation)])
    ratio = math.exp(rng.uniform(1.0, 2.6)) if sun else math.exp(rng.uniform(-0.9, 1.5))
    tint = rng.normal(0, 0.12, 3)
    if sun:  # with a blue sky
        tint += rng.uniform(0, 0.3) * np.array([1.0, 0.2, -0.8])
    gobo = _bars(rng) if rng.random() < (0.6 if sun else 0.25) else np.ones(SHAPE, np.float32)
    soft = math.exp(rng.uniform(math.log(0.02), math.log(0.12 if sun else 0.5))) * FINE
    ways = tuple(way / np.linalg.norm(way) for way in to_lamp + rng.normal(0, 0.04 if sun else 0.1, (3, 3)))
    return _Light(to_lamp, ways, ratio * np.exp(-tint * 0.5), np.exp(tint), soft, gobo)


def _bars(rng: Rng) -> FloatImage:
    """The light that passes window frames, leaves and people."""
    mask = np.full(SHAPE, 255 if rng.random() < 0.6 else 0, np.uint8)
    turn = rng.uniform(0, 180)
    for k in range(rng.integers(1, 5)):
        at = rng.uniform(0, SHAPE[::-1])
        size = (float(rng.uniform(1, 7) * FINE), float(rng.uniform(8, 40) * FINE))
        box = cv2.boxPoints(((at[0], at[1]), size, turn + 90 * (k % 2)))
        cv2.fillConvexPoly(mask, box.astype(np.int32), int(rng.integers(2)) * 255)
    soft = cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.05, 1.2) * FINE)
    return np.asarray(soft / np.float32(255) * np.float32(rng.uniform(0.6, 1)) + np.float32(rng.uniform(0, 0.2)))


def _fill(canvas: np.ndarray, points: np.ndarray, value: object) -> None:
    cv2.fillConvexPoly(canvas, points, value, cv2.LINE_8, 4)


def _fixed(points_px: FloatArray) -> np.ndarray:
    return np.asarray(np.round(points_px * 16), np.int32)


class _Canvas:
    """The picture in progress: shadows first, then solids."""

    def __init__(self, ground: FloatImage, light: _Light, eye_in: FloatArray, rng: Rng) -> None:
        self.light, self.eye_in = light, eye_in
        self.albedo = ground
        self.shadow = np.zeros(SHAPE, np.uint8)
        self.near = np.zeros(SHAPE, np.uint8)
        self.solids: list[tuple[Mesh, int]] = []
        self.gloss = rng.uniform(0, 0.5)

    def put(self, mesh: Mesh, owner: int) -> None:
        self.solids.append((mesh, owner))
        light = self.light.to_lamp
        polygons = mesh.polygons_in[mesh.normals @ light > 0]
        cast = polygons[..., :2] - polygons[..., 2:] * (light[:2] / light[2])
        for points in _fixed(cast * FINE):
            _fill(self.shadow, points, 255)
        low = mesh.polygons_in[mesh.polygons_in[..., 2].max(axis=1) < 0.9]
        for points in _fixed(low[..., :2] * FINE):
            _fill(self.near, points, 255)

    def picture(self) -> tuple[np.ndarray, np.ndarray]:
        """(R, C, 3) linear light, and (R, C) the owner of each pixel, 0 for the ground."""
        light = self.light
        hard = cv2.GaussianBlur(self.shadow, (0, 0), light.soft_px).astype(np.float32) / 255
        dim = cv2.GaussianBlur(self.near, (0, 0), 0.25 * FINE).astype(np.float32) / 255
        lamp = (light.gobo * (1 - hard))[..., None] * (light.lamp * light.to_lamp[2]).astype(np.float32)
        out = self.albedo * (lamp + (1 - 0.45 * dim)[..., None] * light.sky.astype(np.float32))
        whole = np.dstack([out, np.zeros(SHAPE, np.float32)])
        if self.solids:
            self._paint(whole)
        return whole[..., :3], whole[..., 3].astype(np.uint8)

    def _paint(self, canvas: np.ndarray) -> None:
        pieces, values, heights = [], [], []
        for mesh, owner in self.solids:
            facing = np.einsum("fi,fi->f", mesh.normals, self.eye_in - mesh.centres_in) > 0
            colour = self._lit(mesh)[facing]
            points = mesh.polygons_in[facing]
            flat, z = points[..., :2], points[..., 2:]
            out = flat + (flat - self.eye_in[:2]) * (z / (self.eye_in[2] - z))
            pieces += list(_fixed(out * FINE))
            values += np.c_[colour, np.full(len(colour), owner)].tolist()
            heights.append(points[..., 2].mean(axis=1))
        for k in np.argsort(np.concatenate(heights), kind="stable").tolist():
            _fill(canvas, pieces[k], values[k])

    def _lit(self, mesh: Mesh) -> FloatArray:
        light, normals, centres = self.light, mesh.normals, mesh.centres_in
        at = np.clip(
            np.round((centres[:, :2] - centres[:, 2:] * (light.to_lamp[:2] / light.to_lamp[2])) * FINE).astype(int),
            0,
            np.array(SHAPE[::-1]) - 1,
        )
        share = light.gobo[at[:, 1], at[:, 0]] * np.mean([_lamp_sees(mesh, way) for way in light.ways], axis=0)
        lamp = np.maximum(normals @ light.to_lamp, 0) * share
        top = max(0.3, float(mesh.polygons_in[..., 2].max()))
        sky = (0.5 + 0.5 * normals[:, 2]) * (0.55 + 0.45 * np.clip(centres[:, 2] / (0.7 * top), 0, 1))
        to_eye = self.eye_in - centres
        halfway = to_eye / np.linalg.norm(to_eye, axis=1, keepdims=True) + light.to_lamp
        halfway /= np.linalg.norm(halfway, axis=1, keepdims=True)
        shine = self.gloss * mesh.gloss * share * np.maximum(np.einsum("fi,fi->f", normals, halfway), 0) ** 20
        return np.asarray(
            mesh.albedo_bgr * (lamp[:, None] * light.lamp + sky[:, None] * light.sky)
            + shine[:, None] * light.lamp * 0.5
        )


def _lamp_sees(mesh: Mesh, to_lamp: FloatArray) -> FloatArray:
    """(F,) 1 where the same solid does not block the lamp."""
    aside = np.cross(to_lamp, [0.3, 0.9, 0.1])
    aside /= np.linalg.norm(aside)
    frame = np.stack([aside, np.cross(to_lamp, aside), to_lamp])
    seen = mesh.polygons_in @ frame.T
    low = seen[..., :2].reshape(-1, 2).min(axis=0)
    size = np.ceil((seen[..., :2].reshape(-1, 2).max(axis=0) - low) * 20).astype(int) + 3
    depth = np.full(size[::-1], -1e3, np.float32)
    points = _fixed((seen[..., :2] - low) * 20 + 1)
    far = seen[..., 2].mean(axis=1)
    for k in np.argsort(far).tolist():
        _fill(depth, points[k], float(far[k]))
    at = np.round((seen[..., :2].mean(axis=1) - low) * 20 + 1).astype(int)
    return np.asarray(depth[at[:, 1], at[:, 0]] < far + 0.12, np.float64)


def _places(rng: Rng) -> list[FloatArray]:
    """Places of figures: alone, in pairs, and in touching crowds."""
    places: list[FloatArray] = []
    for _ in range(rng.integers(9, 22)):
        centre = rng.uniform((1.5, 1.5), np.array(SIZE_IN) - 1.5)
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            place = centre + rng.normal(0, 1.2, 2)
            inside = (place > 1).all() and (place < np.array(SIZE_IN) - 1).all()
            if inside and all(np.linalg.norm(place - other) > rng.uniform(0.75, 1.2) for other in places):
                places.append(place)
    return places


def _camera(rng: Rng, *, oblique: bool) -> tuple[float, float]:
    """Height and horizontal distance of a camera from the piece's centre: above it, or on a shelf or tripod."""
    if oblique:
        height_in = rng.uniform(16, 55)
        return height_in, max(rng.uniform(0.75, 1.9) * height_in, 8.0)
    if rng.random() < _OBLIQUE:
        height_in = rng.uniform(16, 50)
        return height_in, max(rng.uniform(0.6, 1.7) * height_in, 8.0)
    height_in = rng.uniform(38, 75)
    return height_in, rng.uniform(0, 1) ** 0.7 * 0.75 * height_in


def world(rng: Rng, toys: Toys = toy, *, oblique: bool = False) -> World | None:
    """One piece of table, seen by a camera beside it if `oblique`; None if no figure on it can be clicked."""
    armies = [army_colour(rng) for _ in range(rng.choice([1, 2, 2, 3]))]
    height_in, away = _camera(rng, oblique=oblique)
    bearing = rng.uniform(0, 2 * math.pi)
    middle = np.array(SIZE_IN) / 2
    eye = np.array([*(middle + away * np.array([math.cos(bearing), math.sin(bearing)])), height_in])
    ground, light = ground_picture(rng, armies), _light(rng)
    land = [terrain(rng, armies) for _ in range(rng.integers(0, 4))]
    figures = []
    for place in _places(rng):
        figure_toy = toys(_POSTURES[rng.choice(4, p=_ODDS)], rng)
        facing = rng.uniform(-math.pi, math.pi)
        mesh = figure_toy.mesh.placed(turn_z(math.degrees(facing)), (*place, 0.0))
        figures.append((int(rng.integers(len(armies))), figure_toy.posture, place, facing, mesh))
    drawn = []
    moved = np.array([[1, 0, 0], [0, 1, 0]]) + np.c_[np.zeros((2, 2)), rng.uniform(-6, 6, 2) * (rng.random() < 0.5)]
    before = cv2.warpAffine(light.gobo, moved, SHAPE[::-1], borderMode=cv2.BORDER_REPLICATE)  # the sun moves
    state = rng.bit_generator.state
    for full in (False, True):
        rng.bit_generator.state = state
        canvas = _Canvas(ground, light if full else replace(light, gobo=before), eye, rng)
        for mesh in land:
            canvas.put(mesh, 0)
        if full:
            shades = [colour * rng.uniform(0.9, 1.1) for colour in armies]
            for k, (army, _, _, _, mesh) in enumerate(figures):
                canvas.put(painted(mesh, shades[army] * rng.uniform(0.93, 1.07)), k + 1)
            for _ in range(rng.integers(0, 7)):
                canvas.put(clutter(rng, armies), 0)
            if rng.random() < 0.35:
                mesh, _ = vehicle(rng)
                spot = (*rng.uniform(2, np.array(SIZE_IN) - 2), 0.0)
                canvas.put(
                    painted(mesh.placed(turn_z(rng.uniform(0, 360)), spot), shades[rng.integers(len(shades))]), 250
                )
        drawn.append(canvas.picture())
    shade = -light.to_lamp[:2] / light.to_lamp[2]
    return _developed(rng, drawn, land, figures, eye, shade, len(armies))


def _developed(rng, drawn, land, figures, eye, shade, armies):  # type: ignore[no-untyped-def]
    """Two exposures of one camera, and the truth of the second."""
    (bare, _), (full, owner) = drawn
    fine = rng.uniform(13, 32)
    exposure = math.exp(rng.uniform(math.log(0.025), math.log(0.6))) / max(1e-3, float(np.median(bare)))
    blur, noise, quality = rng.uniform(0.3, 1.0), math.exp(rng.uniform(0, 2.0)), int(rng.integers(55, 96))
    smear = rng.uniform(1, 5) if rng.random() < 0.12 else 0.0
    gamma = 1 / rng.uniform(1.9, 2.4)
    drift = rng.uniform(0.93, 1.07) * np.exp(rng.normal(0, 0.01, 3))

    def exposed(linear: np.ndarray, gain: np.ndarray) -> np.ndarray:
        small = cv2.resize(linear, None, fx=fine / FINE, fy=fine / FINE, interpolation=cv2.INTER_AREA)
        size = small.shape[1::-1]
        forth, seen_size = _as_seen(size, eye)
        if forth is not None:
            small = cv2.GaussianBlur(small, (0, 0), 0.5)
            small = cv2.warpAffine(small, forth, seen_size, borderMode=cv2.BORDER_REFLECT)
        small = cv2.GaussianBlur(small, (0, 0), blur)
        if smear:
            line = np.zeros((7, 7), np.float32)
            cv2.line(line, (3 - round(smear / 2), 3), (3 + round(smear / 2), 3), 1.0)
            small = cv2.filter2D(small, -1, line / line.sum())
        values = 255 * np.clip(small * exposure * gain, 0, 1) ** gamma
        grain = cv2.GaussianBlur(rng.standard_normal(small.shape, np.float32), (0, 0), 0.5) * 1.8
        picture = np.clip(values + noise * grain + 0.5, 0, 255).astype(np.uint8)
        taken = np.asarray(cv2.imdecode(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], 1))
        if forth is None:
            return taken
        return np.asarray(cv2.warpAffine(taken, forth, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP))

    picture, empty = exposed(full, np.ones(3)), exposed(bare, drift)
    small_owner = cv2.resize(owner, picture.shape[1::-1], interpolation=cv2.INTER_NEAREST)
    truths, clicks = [], {}
    for k, (army, posture, place, facing, mesh) in enumerate(figures):
        part = _part_seen(mesh, owner == k + 1, eye)
        where = place
        if posture is Posture.DOWN:
            hull = cv2.convexHull(mesh.polygons_in[..., :2].reshape(-1, 2).astype(np.float32))
            moments = cv2.moments(hull)
            where = np.array([moments["m10"], moments["m01"]]) / moments["m00"]
        truths.append(FigureTruth(army, posture, where, facing, part))
        if part > 0.9 and posture is not Posture.DOWN and army not in clicks:
            deep = cv2.distanceTransform((small_owner == k + 1).astype(np.uint8), cv2.DIST_L2, 5)
            clicks[army] = tuple(int(v) for v in np.unravel_index(np.argmax(deep), deep.shape)[::-1])
    if len(clicks) < armies:
        return None
    seen = _seen(rng, land, eye, fine, picture.shape[:2])
    return World(
        picture,
        empty,
        seen.astype(np.float32),
        picture.shape[1] / SIZE_IN[0],
        eye,
        shade,
        tuple(truths),
        tuple(clicks[k] for k in range(armies)),
    )


def _as_seen(size: tuple[int, int], eye_in: FloatArray) -> tuple[FloatArray | None, tuple[int, int]]:
    """(2, 3) from pixels of the piece of table to those of a foreshortened view, and that view's size.

    Args:
        size: (width, height) of the piece in pixels.
        eye_in: (3,) the camera; the matrix is None for a nearly vertical view.
    """
    away = eye_in[:2] - np.array(SIZE_IN) / 2
    lean = float(np.hypot(*away)) / eye_in[2]
    if lean < _FORESHORTENED:
        return None, size
    bearing, squeeze = math.atan2(away[1], away[0]), 1 / math.hypot(1, lean)
    c, s = math.cos(bearing), math.sin(bearing)
    turn = np.array([[c * squeeze, s * squeeze], [-s, c]])
    corners = np.array([[0, 0], [size[0], 0], [0, size[1]], size], np.float64) @ turn.T
    low, high = corners.min(axis=0), corners.max(axis=0)
    wide, tall = (math.ceil(length) for length in high - low)
    return np.column_stack([turn, -low]), (wide, tall)


def _seen(rng: Rng, land: Sequence[Mesh], eye: FloatArray, fine: float, shape: tuple[int, ...]) -> np.ndarray:
    """1 where the table is visible past the terrain, if the terrain is known; else 0."""
    seen = np.ones(shape, np.uint8)
    if rng.random() < 0.6:
        for mesh in land:
            if float(mesh.polygons_in[..., 2].max()) > 0.45:
                z = mesh.polygons_in[..., 2:]
                flat = mesh.polygons_in[..., :2]
                out = (flat + (flat - eye[:2]) * (z / (eye[2] - z))).reshape(-1, 2)
                hull = cv2.convexHull((out * fine).astype(np.float32))
                cv2.fillConvexPoly(seen, hull.astype(np.int32), 0)
    return seen


def _part_seen(mesh: Mesh, own: np.ndarray, eye: FloatArray) -> float:
    whole = np.zeros(SHAPE, np.uint8)
    flat, z = mesh.polygons_in[..., :2], mesh.polygons_in[..., 2:]
    for points in _fixed((flat + (flat - eye[:2]) * (z / (eye[2] - z))) * FINE):
        _fill(whole, points, 1)
    return float(own.sum() / max(1, int(whole.sum())))
