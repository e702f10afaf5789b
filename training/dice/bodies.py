"""Meshes of dice: rounded cubes with drilled or painted marks.

Lengths are in sides of the die; the middle is the origin. Every vertex knows its distance from the edge of the nearest
mark, negative inside, from which a shader inks the marks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    5: ((-1, -1), (1, -1), (1, 1), (-1, 1), (0, 0)),
    6: ((-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1)),
}
_GRID = 44  # squares along the side of a face


@dataclass(frozen=True, slots=True)
class BodyStyle:
    """Shape of a die.

    Attributes:
        faces: Faces to +x, -x, +y, -y, +z, -z: 1 to 6, or -1, 0 and 1 with `fudge`.
        fudge: Whether the marks are signs instead of pips.
        edge: Radius of the rounded edges.
        ball: Radius of the sphere that cuts off the corners.
        pip: Radius of a pip, or half the width of a sign's bar.
        pitch: Distance of the outer pips from the middle, or half the length of a sign's bar.
        one: Radius of the pip of the one, relative to the others.
        six: Distance between the pips in the rows of a six, relative to `pitch`.
        depth: Depth of the marks at their middle.
        hollow: Whether pips are parts of a sphere; else they have a flat ground.
        turned: Bits: whether the marks of each face are turned by 90 degrees.
    """

    faces: tuple[int, ...]
    fudge: bool
    edge: float
    ball: float
    pip: float
    pitch: float
    one: float
    six: float
    depth: float
    hollow: bool
    turned: int


def random_style(rng: np.random.Generator, fudge: bool) -> BodyStyle:
    """Any die a shop may sell."""
    pitch = rng.uniform(0.2, 0.3)
    pip = rng.uniform(0.065, min(0.43 * pitch, 0.115))
    one = 1.0 if rng.random() < 0.7 else rng.uniform(1.1, 2.0)
    rows = rng.permutation(3)
    signs = np.where(rng.random(3) < 0.5, 1, -1)
    pairs = [(1, 6), (2, 5), (3, 4)] if not fudge else [(1, 1), (-1, -1), (0, 0)]
    faces: list[int] = []
    for row in rows:
        faces += list(pairs[row])[:: signs[row]]
    if fudge:
        pip, pitch = rng.uniform(0.045, 0.1), rng.uniform(0.22, 0.37)
        if rng.random() < 0.3:  # some put equal signs on adjacent faces
            faces = [int(face) for face in rng.permutation(faces)]
    depth = rng.choice([0.0, rng.uniform(0.2, 0.6), rng.uniform(0.6, 1.0)]) * min(pip, 0.09)
    return BodyStyle(
        faces=tuple(faces),
        fudge=fudge,
        edge=float(rng.choice([rng.uniform(0.03, 0.08), rng.uniform(0.08, 0.2)])),
        ball=float(rng.choice([0.9, rng.uniform(0.66, 0.8)])),
        pip=float(pip),
        pitch=float(pitch),
        one=float(one),
        six=float(rng.choice([1.0, rng.uniform(0.8, 1.1)])),
        depth=float(depth),
        hollow=bool(rng.random() < 0.7),
        turned=int(rng.integers(64)),
    )


def mark_distance(style: BodyStyle, face: int, u: Array, v: Array) -> Array:
    """Distance of points on a face from the edge of the nearest mark, negative inside."""
    if style.fudge:
        bars = [np.maximum(np.abs(u) - style.pitch, np.abs(v) - style.pip)] if face else []
        if face == 1:
            bars.append(np.maximum(np.abs(v) - style.pitch, np.abs(u) - style.pip))
        return np.min(bars, axis=0) if bars else np.full(u.shape, 1.0)
    radius = style.pip * (style.one if face == 1 else 1.0)
    stretch = style.six if face == 6 else 1.0
    away = [np.hypot(u - x * style.pitch * stretch, v - y * style.pitch) for x, y in PIPS[face]]
    return np.min(away, axis=0) - radius


def mesh(style: BodyStyle) -> tuple[Array, npt.NDArray[np.int32], Array]:
    """(V, 3) vertices, (Q, 4) quads that face outwards, and (V,) distances from the marks."""
    line = np.linspace(-0.5, 0.5, _GRID + 1)
    v, u = np.meshgrid(line, line, indexing="ij")
    points, quads, inks, corners = [], [], [], []
    for k, face in enumerate(style.faces):
        axis, sign = k // 2, 1 - 2 * (k % 2)
        cube = np.empty((u.size, 3))
        cube[:, axis] = 0.5 * sign
        cube[:, (axis + 1) % 3], cube[:, (axis + 2) % 3] = u.ravel(), v.ravel()
        point = _rounded(cube, style)
        across, up = point[:, (axis + 1) % 3], point[:, (axis + 2) % 3]
        if style.turned >> k & 1:
            across, up = up, across
        ink = mark_distance(style, face, across, up)
        within = np.clip(-ink / style.pip, 0, 1)
        bowl = within * (2 - within) if style.hollow and not style.fudge else np.clip(4 * within, 0, 1)
        point[:, axis] -= sign * style.depth * bowl
        index = np.arange(u.size).reshape(u.shape) + k * u.size
        quad = np.stack([index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]], axis=-1).reshape(-1, 4)
        points.append(point)
        quads.append(quad if sign > 0 else quad[:, ::-1])
        inks.append(ink)
        corners.append(np.round(cube * 1000).astype(np.int64))
    _, first, inverse = np.unique(np.concatenate(corners), axis=0, return_index=True, return_inverse=True)
    welded = inverse.reshape(-1)[np.concatenate(quads)]
    return np.concatenate(points)[first], welded.astype(np.int32), np.clip(np.concatenate(inks)[first], -0.2, 0.2)


def _rounded(cube: Array, style: BodyStyle) -> Array:
    inner = np.clip(cube, style.edge - 0.5, 0.5 - style.edge)
    out = cube - inner
    point = inner + style.edge * out / np.linalg.norm(out, axis=1, keepdims=True)
    length = np.linalg.norm(point, axis=1, keepdims=True)
    return np.asarray(point * np.minimum(1.0, style.ball / length))
