"""Terrain of the simulated table: a mesh for each kind of piece, within the piece's prism."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from rules.tabletop.table import FloatArray, TerrainKind, TerrainPiece
from vision.simulation.mesh import Mesh, Tone, ball, counter_clockwise, join, prism, ring, sides, turn_z, white

_Random = np.random.Generator

_CLOTH: tuple[Tone, ...] = (
    (0.035, 0.05, 0.33),
    (0.22, 0.09, 0.05),
    (0.1, 0.2, 0.05),
    (0.05, 0.32, 0.55),
    (0.55, 0.62, 0.68),
)
_PAPER: Tone = (0.5, 0.6, 0.66)
_STONE: Tone = (0.26, 0.31, 0.34)
_TIMBER: Tone = (0.07, 0.14, 0.22)
_LEAF: Tone = (0.02, 0.12, 0.05)
_LEAF_IN = 0.17
_SACKING: Tone = (0.18, 0.3, 0.38)
_PLASTER: Tone = (0.42, 0.52, 0.58)
_TILE: Tone = (0.06, 0.08, 0.26)
_FLAT: dict[TerrainKind, Tone] = {
    TerrainKind.WATER: (0.3, 0.16, 0.06),
    TerrainKind.SHALLOW_WATER: (0.36, 0.26, 0.12),
    TerrainKind.ROAD: (0.14, 0.17, 0.19),
    TerrainKind.MARSH: (0.06, 0.13, 0.12),
    TerrainKind.DESERT: (0.25, 0.45, 0.56),
}


def terrain_mesh(piece: TerrainPiece) -> Mesh:
    """The mesh of a piece, within its prism; the same piece always looks the same."""
    rng = np.random.default_rng(zlib.crc32(piece.name.encode()))
    build = _BUILD.get(piece.kind, _plain)
    return build(piece, counter_clockwise(piece.outline_in), rng)


def _plain(piece: TerrainPiece, outline: FloatArray, rng: _Random) -> Mesh:
    return prism(outline, piece.base_in, piece.top_in, rows=_rows(piece)).painted(_FLAT.get(piece.kind, _STONE))


def _rows(piece: TerrainPiece) -> int:
    return max(1, round(piece.height_in / 0.4))


def _towards_middle(outline: FloatArray, part: float) -> FloatArray:
    return np.asarray(outline.mean(0) + part * (outline - outline.mean(0)))


def _hill(piece: TerrainPiece, outline: FloatArray, rng: _Random) -> Mesh:
    """A book if the outline has four corners, otherwise a knoll of foam in steps."""
    if len(outline) != 4:
        steps = [
            prism(_towards_middle(outline, part), piece.base_in, piece.base_in + part_up * piece.height_in, 0.97)
            for part, part_up in ((1.0, 0.4), (0.86, 0.75), (0.72, 1.0))
        ]
        return join(steps).painted((0.04, 0.17, 0.11))
    cloth = _CLOTH[rng.integers(len(_CLOTH))]
    ink: Tone = (0.05, 0.05, 0.06) if np.mean(cloth) > 0.5 else (0.55, 0.6, 0.6)
    board = min(0.08, 0.2 * piece.height_in)
    pages = sides(ring(outline, piece.base_in), ring(outline, piece.top_in - board), _rows(piece)).painted(_PAPER, 0.02)
    cover = sides(ring(outline, piece.top_in - board), ring(outline, piece.top_in)).painted(cloth, 0.1)
    lid = white(ring(outline, piece.top_in)[None]).painted(cloth, 0.1)
    frame = [_inlay(outline, part, part, piece.top_in).painted(tone, 0.1) for part, tone in ((0.84, ink), (0.8, cloth))]
    words = [_inlay(outline, 0.5, 0.07, piece.top_in, up=shift).painted(ink) for shift in (0.3, 0.14)]
    return join([pages, cover, lid, *frame, *words, _inlay(outline, 0.24, 0.24, piece.top_in, up=-0.25).painted(ink)])


def _inlay(outline: FloatArray, along: float, across: float, z_in: float, up: float = 0.0) -> Mesh:
    """Parallelogram printed on a four-cornered top: parts of its length and breadth, shifted across by `up`."""
    middle, u, v = outline.mean(0), (outline[1] - outline[0]) / 2, (outline[3] - outline[0]) / 2
    corners = [middle + i * along * u + (j * across + up) * v for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return white(np.array([ring(corners, z_in)]))


def _lengthwise(outline: FloatArray) -> FloatArray:
    """The four corners in an order in which 0-1 and 2-3 are the long sides."""
    edges = np.linalg.norm(np.roll(outline, -1, 0) - outline, axis=1)
    return np.asarray(outline if edges[0] + edges[2] >= edges[1] + edges[3] else np.roll(outline, -1, 0))


def _blocks(tone: Tone, length_in: float) -> Callable[[TerrainPiece, FloatArray, _Random], Mesh]:
    """A row of blocks (stones, planks, sacks) along the piece's length."""

    def build(piece: TerrainPiece, outline: FloatArray, rng: _Random) -> Mesh:
        if len(outline) != 4:
            return prism(outline, piece.base_in, piece.top_in, rows=_rows(piece)).painted(tone)
        a, b, c, d = _lengthwise(outline)
        count = max(2, round(float(np.linalg.norm(b - a)) / length_in))
        cuts = np.linspace(0, 1, count + 1)
        cuts[1:-1] += rng.uniform(-0.2, 0.2, count - 1) / count
        stones = []
        for start, stop in pairwise(cuts):
            foot = np.array([a + start * (b - a), a + stop * (b - a), d + stop * (c - d), d + start * (c - d)])
            top = piece.top_in - rng.uniform(0, 0.08) * piece.height_in
            stone = prism(_towards_middle(foot, 0.97), piece.base_in, top, 0.86, _rows(piece))
            shade = rng.uniform(0.6, 1.25, len(stone.gloss))
            stones.append(Mesh(stone.polygons_in, stone.albedo_bgr * shade[:, None], stone.gloss).painted(tone))
        return join(stones)

    return build


def _sacks(piece: TerrainPiece, outline: FloatArray, rng: _Random) -> Mesh:
    """Two courses of filled sacks along a four-cornered piece."""
    if len(outline) != 4:
        return _plain(piece, outline, rng)
    a, b, c, d = _lengthwise(outline)
    along, width_in = (b - a + c - d) / 2, float(np.linalg.norm(d - a))
    count = max(2, round(float(np.linalg.norm(along)) / 0.95))
    radii = np.array([np.linalg.norm(along) / count / 1.9, width_in / 2, piece.height_in / 3.4])
    turn = turn_z(float(np.degrees(np.arctan2(along[1], along[0]))))
    sacks = []
    for level, (first, number) in enumerate(((0.5, count), (1.0, count - 1))):
        for n in range(number):
            place = (a + d) / 2 + (first + n) / count * along
            z_in = piece.base_in + radii[2] + level * (piece.height_in - 2 * radii[2])
            sack = ball((0, 0, 0), radii * (1 - 0.08 * level), 12).placed(turn, (*place, z_in))
            sacks.append(sack.painted(rng.uniform(0.75, 1.15)).painted(_SACKING))
    return join(sacks)


def _building(piece: TerrainPiece, outline: FloatArray, rng: _Random) -> Mesh:
    """Plastered walls with windows under a low tiled roof; a flat roof if the outline is no rectangle."""
    eaves = piece.base_in + 0.82 * piece.height_in
    rows, columns = 6, 9
    walls = sides(ring(outline, piece.base_in), ring(outline, eaves), rows, columns)
    tone = np.ones((len(outline), rows, columns))
    tone[:, 3:5, 1:-1:3] = tone[:, 3:5, 2:-1:3] = 0.12
    tone[0, :3, 4] = 0.2
    walls = Mesh(walls.polygons_in, walls.albedo_bgr * tone.reshape(-1, 1), walls.gloss).painted(_PLASTER)
    if len(outline) != 4:
        return join([walls, white(ring(outline, piece.top_in)[None]).painted(_TILE)])
    a, b, c, d = (np.append(corner, eaves) for corner in _lengthwise(outline))
    ridge = np.array([[*(a + d)[:2] / 2, piece.top_in], [*(b + c)[:2] / 2, piece.top_in]])
    ridge[:, :2] += 0.12 * (ridge[::-1, :2] - ridge[:, :2])
    slopes = [_tiles(a, b, ridge[1], ridge[0], rng), _tiles(c, d, ridge[0], ridge[1], rng)]
    hips = [_tiles(b, c, ridge[1], ridge[1], rng), _tiles(d, a, ridge[0], ridge[0], rng)]
    foot = ridge[0] + 0.25 * (ridge[1] - ridge[0])
    stack = prism(foot[:2] + 0.3 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), eaves, piece.top_in).painted(_TILE)
    flue = prism(foot[:2] + 0.15 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), eaves, piece.top_in).painted(0.02)
    return join([walls, *slopes, *hips, stack, flue])


def _tiles(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray, rng: _Random) -> Mesh:
    """One slope of a roof, eaves a-b up to ridge d-c, in rows of tiles of uneven red."""
    rows, columns = 9, 16
    up, across = np.linspace(0, 1, rows + 1)[:, None, None], np.linspace(0, 1, columns + 1)[:, None]
    left, right = a + up * (d - a), b + up * (c - b)
    grid = left + across * (right - left)
    quads = np.stack([grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]], axis=2).reshape(-1, 4, 3)
    shade = np.repeat(rng.uniform(0.75, 1.0, rows), columns) * rng.uniform(0.75, 1.15, rows * columns)
    return Mesh(quads, np.ones((len(quads), 3)) * shade[:, None], np.zeros(len(quads))).painted(_TILE, 0.05)


def _foliage(fall: float) -> Callable[[TerrainPiece, FloatArray, _Random], Mesh]:
    """Leaves on a dark core; `fall` is the exponent of the crown's profile: 2 a ball, 8 a clipped hedge."""

    def build(piece: TerrainPiece, outline: FloatArray, rng: _Random) -> Mesh:
        after, middle = np.roll(outline, -1, 0), outline.mean(0)
        a, b = outline - middle, after - middle
        share = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
        count = int(min(4000, 14 * share.sum() / 2 / _LEAF_IN) + 150)
        edge = rng.choice(len(outline), count, p=share / share.sum())
        out, t = np.sqrt(rng.uniform(0, 0.9, count)), rng.uniform(0, 1, count)
        place = middle + out[:, None] * (outline[edge] + t[:, None] * (after - outline)[edge] - middle)
        crown = (1 - out**fall) ** (1 / fall)
        depth = rng.uniform(0, 1, count) ** (2.5 - 2 * out**4)
        z = piece.base_in + piece.height_in * crown * (1 - depth * (0.35 + 0.6 * out**6)) - _LEAF_IN / 2
        leaves = _leaves(np.c_[place, np.maximum(z, piece.base_in)], _LEAF_IN, rng)
        tone = (0.45 + 0.75 * crown) * (1 - 0.6 * depth) * rng.uniform(0.7, 1.4, count)
        leaves = Mesh(leaves.polygons_in, leaves.albedo_bgr * tone[:, None], leaves.gloss).painted(_LEAF, 0.06)
        core = prism(_towards_middle(outline, 0.9), piece.base_in, piece.base_in + 0.7 * piece.height_in, 0.6, 4)
        return join([core.painted(0.6).painted(_LEAF), leaves])

    return build


def _leaves(centres: FloatArray, size_in: float, rng: _Random) -> Mesh:
    """Small squares at `centres` (N, 3), most of them facing up."""
    normal = rng.normal(0, 0.45, centres.shape) + [0, 0, 1]
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    u = np.cross(normal, rng.normal(0, 1, centres.shape))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    v = np.cross(normal, u)
    half = size_in / 2
    corners = [centres + half * (i * u + j * v) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return white(np.stack(corners, axis=1))


_BUILD: dict[TerrainKind, Callable[[TerrainPiece, FloatArray, _Random], Mesh]] = {
    TerrainKind.HILL: _hill,
    TerrainKind.BUILDING: _building,
    TerrainKind.BUNKER: _blocks(_STONE, 1.5),
    TerrainKind.WALL: _blocks(_STONE, 0.55),
    TerrainKind.LOW_WALL: _blocks(_STONE, 0.55),
    TerrainKind.FENCE: _blocks(_TIMBER, 0.3),
    TerrainKind.BRIDGE: _blocks(_TIMBER, 0.4),
    TerrainKind.SANDBAGS: _sacks,
    TerrainKind.HEDGE: _foliage(8.0),
    TerrainKind.BUSH: _foliage(2.5),
    TerrainKind.TREE: _foliage(2.5),
    TerrainKind.WOODS: _foliage(6.0),
}
