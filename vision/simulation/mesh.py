"""Meshes of flat polygons, from which the simulated table's soldiers, vehicles and terrain are built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rules.tabletop.table import FloatArray

_UPRIGHT = np.eye(3)

Tone = float | tuple[float, float, float]
"""Albedo, 0 to 1, in linear light: a grey, or (blue, green, red)."""


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Polygons of one colour each.

    Attributes:
        polygons_in: (F, K, 3) inches, counter-clockwise from outside; short ones repeat their last corner.
        albedo_bgr: (F, 3) share of the light that is reflected; linear.
        gloss: (F,) strength of the highlight.
    """

    polygons_in: FloatArray
    albedo_bgr: FloatArray
    gloss: FloatArray

    @property
    def centres_in(self) -> FloatArray:
        """(F, 3) mean of each polygon's corners."""
        return np.asarray(self.polygons_in.mean(1))

    @property
    def normals(self) -> FloatArray:
        """(F, 3) unit vectors outwards (zero for a polygon without area)."""
        spokes = self.polygons_in - self.polygons_in[:, :1]
        summed = np.cross(spokes[:, 1:-1], spokes[:, 2:]).sum(1)
        length = np.linalg.norm(summed, axis=1, keepdims=True)
        return np.asarray(np.divide(summed, length, out=np.zeros_like(summed), where=length > 0))

    def placed(self, turn: npt.ArrayLike = _UPRIGHT, at_in: npt.ArrayLike = (0.0, 0.0, 0.0)) -> Mesh:
        """The mesh turned about the origin by a (3, 3) rotation and then moved to `at_in`."""
        return replace(self, polygons_in=self.polygons_in @ np.asarray(turn, np.float64).T + np.asarray(at_in))

    def painted(self, tone: Tone, gloss: float = 0.0) -> Mesh:
        """The mesh with its albedo multiplied by `tone`, and with this gloss."""
        return replace(self, albedo_bgr=self.albedo_bgr * np.asarray(tone), gloss=np.full(len(self.gloss), gloss))


def white(polygons_in: FloatArray) -> Mesh:
    """White mesh without gloss of (F, K, 3) polygons."""
    return Mesh(polygons_in, np.ones((len(polygons_in), 3)), np.zeros(len(polygons_in)))


def join(meshes: Sequence[Mesh]) -> Mesh:
    """All polygons of several meshes in one."""
    corners = max(mesh.polygons_in.shape[1] for mesh in meshes)
    padded = [
        np.pad(mesh.polygons_in, ((0, 0), (0, corners - mesh.polygons_in.shape[1]), (0, 0)), mode="edge")
        for mesh in meshes
    ]
    return Mesh(
        np.concatenate(padded),
        np.concatenate([mesh.albedo_bgr for mesh in meshes]),
        np.concatenate([mesh.gloss for mesh in meshes]),
    )


def turn_z(degrees: float) -> FloatArray:
    """(3, 3) rotation about z, counter-clockwise seen from above."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def lathe(profile: Sequence[tuple[float, float]], sides: int = 10) -> Mesh:
    """Solid of revolution about z; `profile` is (radius, z) from the bottom up."""
    angle = np.arange(sides + 1) * 2 * np.pi / sides
    rings = np.array([np.c_[r * np.cos(angle), r * np.sin(angle), np.full(sides + 1, z)] for r, z in profile])
    low, high = rings[:-1], rings[1:]
    quads = np.stack([low[:, :-1], low[:, 1:], high[:, 1:], high[:, :-1]], axis=2)
    return white(quads.reshape(-1, 4, 3))


def ball(centre_in: npt.ArrayLike, radii_in: npt.ArrayLike, sides: int = 10) -> Mesh:
    """Ellipsoid with half axes `radii_in` along x, y and z."""
    steps = np.linspace(-np.pi / 2, np.pi / 2, 7)
    unit = lathe([(float(np.cos(s)), float(np.sin(s))) for s in steps], sides)
    return unit.placed(np.diag(np.asarray(radii_in, np.float64)), centre_in)


def disc(half_length_in: float, half_width_in: float, low_in: float, high_in: float, sides: int = 22) -> Mesh:
    """Upright oval slab with a bevelled upper rim; its length lies along x."""
    bevel = 0.3 * (high_in - low_in)
    unit = lathe([(0, low_in), (1, low_in), (1, high_in - bevel), (0.93, high_in), (0.5, high_in), (0, high_in)], sides)
    return unit.placed(np.diag([half_length_in, half_width_in, 1.0]))


def limb(
    start_in: npt.ArrayLike, end_in: npt.ArrayLike, start_radius_in: float, end_radius_in: float, sides: int = 7
) -> Mesh:
    """Tapered rod with rounded ends."""
    start, end = np.asarray(start_in, np.float64), np.asarray(end_in, np.float64)
    length = float(np.linalg.norm(end - start))
    a, b = start_radius_in, end_radius_in
    profile = [(0, -a), (0.7 * a, -0.7 * a), (a, 0), (b, length), (0.7 * b, length + 0.7 * b), (0, length + b)]
    up = (end - start) / length
    aside = np.cross(up, [0.0, 0.0, 1.0] if abs(up[2]) < 0.9 else [1.0, 0.0, 0.0])
    aside /= np.linalg.norm(aside)
    return lathe(profile, sides).placed(np.stack([np.cross(up, aside), -aside, up], axis=1), start)


def counter_clockwise(outline_in: npt.ArrayLike) -> FloatArray:
    """(N, 2) outline, reversed if it is clockwise."""
    points = np.asarray(outline_in, np.float64)
    after = np.roll(points, -1, axis=0)
    area = np.sum(points[:, 0] * after[:, 1] - points[:, 1] * after[:, 0])
    return np.asarray(points if area > 0 else points[::-1])


def sides(low_in: FloatArray, high_in: FloatArray, rows: int = 1, columns: int = 1) -> Mesh:
    """Wall between two rings (N, 3) of equal length, each side cut into `rows` x `columns` quadrilaterals.

    Order of the polygons: by side, in each from the bottom row up, in each row along the ring.
    """
    across, up = np.linspace(0, 1, columns + 1), np.linspace(0, 1, rows + 1)
    start, stop = np.stack([low_in, high_in], 1), np.stack([np.roll(low_in, -1, 0), np.roll(high_in, -1, 0)], 1)
    along = start[:, :, None] + (stop - start)[:, :, None] * across[:, None]  # side, low or high, column, xyz
    grid = along[:, :1] + (along[:, 1:] - along[:, :1]) * up[:, None, None]  # side, row, column, xyz
    quads = np.stack([grid[:, :-1, :-1], grid[:, :-1, 1:], grid[:, 1:, 1:], grid[:, 1:, :-1]], axis=3)
    return white(quads.reshape(-1, 4, 3))


def ring(outline_in: npt.ArrayLike, z_in: float) -> FloatArray:
    """(N, 3) counter-clockwise outline at one height."""
    points = counter_clockwise(outline_in)
    return np.column_stack([points, np.full(len(points), z_in)])


def prism(outline_in: npt.ArrayLike, low_in: float, high_in: float, shrink: float = 1.0, rows: int = 1) -> Mesh:
    """Prism without its underside; `shrink` scales the upper outline."""
    low, high = ring(outline_in, low_in), ring(outline_in, high_in)
    high[:, :2] = low[:, :2].mean(0) + shrink * (low[:, :2] - low[:, :2].mean(0))
    return join([sides(low, high, rows), white(high[None])])


def block(centre_in: tuple[float, float], size_in: tuple[float, float], low_in: float, high_in: float) -> Mesh:
    """Upright box, its sides along x and y."""
    (x, y), (a, b) = centre_in, (size_in[0] / 2, size_in[1] / 2)
    return prism([(x - a, y - b), (x + a, y - b), (x + a, y + b), (x - a, y + b)], low_in, high_in)
