"""Editing terrain: adding, changing, moving, stacking and saving pieces. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from shapely.geometry import LineString, Point, Polygon

from calibration.camera import TableCamera
from rules.tabletop.errors import user_error
from rules.tabletop.measure import STANDABLE_KINDS
from rules.tabletop.table import Outline, PointIn, TerrainKind, TerrainPiece
from rules.tabletop.tolerance import EXACT
from ui.files import write_json
from ui.translation import tr
from ui.vocabulary import terrain_kind_words

Terrain = tuple[TerrainPiece, ...]
PointPx = tuple[float, float]

_CROWNS = frozenset({TerrainKind.TREE, TerrainKind.WOODS, TerrainKind.BUSH, TerrainKind.ROCKS})
_MOST_AREA = 0.5
_LEVEL_IN = 0.02
_HEIGHT_IN = {
    TerrainKind.HILL: 1.0,
    TerrainKind.BUILDING: 4.0,
    TerrainKind.BUNKER: 2.0,
    TerrainKind.WALL: 2.0,
    TerrainKind.LOW_WALL: 1.0,
    TerrainKind.FENCE: 1.2,
    TerrainKind.HEDGE: 1.5,
    TerrainKind.TREE: 4.0,
    TerrainKind.WOODS: 4.0,
    TerrainKind.BUSH: 1.2,
    TerrainKind.ROCKS: 1.0,
    TerrainKind.SANDBAGS: 1.0,
    TerrainKind.MOUNTAIN: 4.0,
    TerrainKind.BRIDGE: 1.0,
    TerrainKind.WIRE: 0.8,
    TerrainKind.TANK_OBSTACLE: 1.0,
    TerrainKind.SMOKE: 3.0,
    TerrainKind.OTHER: 1.0,
}


def usual_height_in(kind: TerrainKind) -> float:
    """The default height of this kind for 54 mm figures; 0 for flat kinds."""
    return _HEIGHT_IN.get(kind, 0.0)


def usual_name(kind: TerrainKind) -> str:
    """The default name of a piece of this kind."""
    return tr("piece") if kind is TerrainKind.OTHER else terrain_kind_words(kind)


def outline_height_in(piece: TerrainPiece) -> float:
    """Height above the table of the outline that is visible from above.

    A crown is widest half-way up, a roof at its eaves; other pieces show their upper edge.
    """
    part = 0.5 if piece.kind in _CROWNS else 0.85 if piece.kind is TerrainKind.BUILDING else 1.0
    return piece.base_in + part * piece.height_in


def standing_place(camera: TableCamera, px: PointPx, terrain: Iterable[TerrainPiece]) -> tuple[PointIn, float] | None:
    """The place at a pixel and its height: on the highest hill or bridge there, else on the table.

    None if the pixel does not show the table.
    """
    levels = sorted({0.0, *(piece.top_in for piece in terrain if piece.kind in STANDABLE_KINDS)}, reverse=True)
    for level_in in levels:
        x, y = (float(v) for v in camera.pixel_to_table(px, level_in)[0])
        if math.isfinite(x) and (level_in == 0 or any(_is_top(piece, level_in, (x, y)) for piece in terrain)):
            return (x, y), level_in
    return None


def _is_top(piece: TerrainPiece, level_in: float, at_in: PointIn) -> bool:
    return piece.kind in STANDABLE_KINDS and piece.top_in == level_in and Polygon(piece.outline_in).covers(Point(at_in))


def base_under(outline_in: Outline, terrain: Iterable[TerrainPiece]) -> float:
    """Height of the ground under an outline: the highest hill or bridge under most of it, else 0."""
    area = Polygon(outline_in)
    under = (p for p in terrain if p.kind in STANDABLE_KINDS and _lies_over(area, p))
    return max((piece.top_in for piece in under), default=0.0)


def _lies_over(area: Polygon, piece: TerrainPiece) -> bool:
    return bool(area.intersection(Polygon(piece.outline_in)).area > _MOST_AREA * area.area)


def fresh_name(wanted: str, terrain: Iterable[TerrainPiece]) -> str:
    """The name, with a number after it if another piece has it."""
    taken = {piece.name for piece in terrain}
    names = (wanted if n == 1 else f"{wanted} {n}" for n in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def piece_named(terrain: Iterable[TerrainPiece], name: str | None) -> TerrainPiece | None:
    """The piece with this name, or None."""
    return next((piece for piece in terrain if piece.name == name), None)


def piece_seen_at(camera: TableCamera, px: PointPx, terrain: Iterable[TerrainPiece]) -> TerrainPiece | None:
    """The uppermost piece whose outline contains a pixel, the smallest of several."""
    pieces = tuple(terrain)
    places = camera.pixel_to_table([px] * len(pieces), np.array([outline_height_in(piece) for piece in pieces]))
    containing = [
        piece
        for piece, place in zip(pieces, places, strict=True)
        if np.isfinite(place).all() and Polygon(piece.outline_in).covers(Point(place))
    ]
    return max(containing, key=lambda piece: (piece.base_in, -Polygon(piece.outline_in).area), default=None)


def as_seen(before: Terrain, after: Terrain, camera: TableCamera) -> Terrain:
    """The terrain after a change of heights, with outlines moved so that they stay the same in the picture.

    `before` are the same pieces, in the same order, with the old heights.
    """
    return tuple(_as_seen(old, new, camera) for old, new in zip(before, after, strict=True))


def _as_seen(old: TerrainPiece, new: TerrainPiece, camera: TableCamera) -> TerrainPiece:
    from_in, to_in = outline_height_in(old), outline_height_in(new)
    if abs(from_in - to_in) < EXACT:
        return new
    return replace(new, outline_in=reprojected(camera, old.outline_in, from_in, to_in))


def reprojected(camera: TableCamera, outline_in: Outline, from_in: float, to_in: float) -> Outline:
    """The outline at another height that looks the same in the picture.

    Raises:
        UserError: if that height is not below the camera.
    """
    places = camera.pixel_to_table(camera.table_to_pixel([(*point, from_in) for point in outline_in]), to_in)
    if not np.isfinite(places).all():
        raise user_error(
            "a height of {height_in:g} in is too much: the camera hangs at {camera_in:.1f} in",
            height_in=to_in,
            camera_in=camera.position_in[2],
        )
    return tuple((float(x), float(y)) for x, y in places)


def resettled(piece: TerrainPiece, terrain: Iterable[TerrainPiece]) -> TerrainPiece:
    """The piece, standing on the ground under most of it."""
    return replace(piece, base_in=base_under(piece.outline_in, terrain))


def with_piece(terrain: Terrain, piece: TerrainPiece) -> Terrain:
    """The terrain with another piece, which gets a free name."""
    return (*terrain, replace(piece, name=fresh_name(piece.name, terrain)))


def without_piece(terrain: Terrain, name: str) -> Terrain:
    """The terrain without a piece; pieces that stood on it come down."""
    gone = piece_named(terrain, name)
    rest = tuple(piece for piece in terrain if piece.name != name)
    if gone is None:
        return terrain
    return _settled(rest, gone, base_under(gone.outline_in, [p for p in rest if p.top_in <= gone.base_in + _LEVEL_IN]))


def with_changed(terrain: Terrain, name: str, piece: TerrainPiece) -> Terrain:
    """The terrain with a changed piece in place of the named one; pieces on it follow its height.

    Raises:
        UserError: if there is no piece of that name, or another piece has the new name.
    """
    old = piece_named(terrain, name)
    if old is None:
        raise user_error("the piece of terrain {name!r} no longer exists: click another piece", name=name)
    if not piece.name.strip():
        raise user_error("the terrain {name!r} needs a name: type one", name=name)
    if piece.name != name and piece_named(terrain, piece.name):
        raise user_error("another piece of terrain is called {name!r}: choose another name", name=piece.name)
    changed = tuple(piece if other.name == name else other for other in terrain)
    return (
        _settled(changed, old, piece.top_in)
        if old.kind in STANDABLE_KINDS and piece.kind in STANDABLE_KINDS
        else changed
    )


def _settled(terrain: Terrain, carrier: TerrainPiece, level_in: float) -> Terrain:
    """Move everything that stood on the carrier to another level, and what stood on that, too."""
    if abs(level_in - carrier.top_in) < EXACT:
        return terrain
    for rider in _riders(terrain, carrier):
        terrain = tuple(replace(p, base_in=level_in) if p.name == rider.name else p for p in terrain)
        terrain = _settled(terrain, rider, level_in + rider.height_in)
    return terrain


def _riders(terrain: Terrain, carrier: TerrainPiece) -> list[TerrainPiece]:
    """The pieces that stand on a piece."""
    return [
        piece
        for piece in terrain
        if carrier.kind in STANDABLE_KINDS
        and piece.name != carrier.name
        and abs(piece.base_in - carrier.top_in) < _LEVEL_IN
        and _lies_over(Polygon(piece.outline_in), carrier)
    ]


def _pile(terrain: Terrain, piece: TerrainPiece) -> set[str]:
    """Names of a piece and of everything above it."""
    return {piece.name}.union(*(_pile(terrain, rider) for rider in _riders(terrain, piece)))


def with_moved(terrain: Terrain, name: str, by_in: PointIn) -> Terrain:
    """The terrain with a piece and everything on it moved."""
    piece = piece_named(terrain, name)
    pile = _pile(terrain, piece) if piece is not None else set()
    return tuple(
        replace(other, outline_in=_shifted(other.outline_in, by_in)) if other.name in pile else other
        for other in terrain
    )


def with_landed(before: Terrain, moved: Terrain, name: str) -> Terrain:
    """The terrain with a moved piece set on its new ground, unless it did not stand on the ground before."""
    old, piece = piece_named(before, name), piece_named(moved, name)
    if old is None or piece is None:
        return moved
    pile = _pile(before, old)
    rest = [other for other in moved if other.name not in pile]
    if abs(old.base_in - base_under(old.outline_in, rest)) > _LEVEL_IN:
        return moved
    up_in = base_under(piece.outline_in, rest) - old.base_in
    return tuple(replace(other, base_in=other.base_in + up_in) if other.name in pile else other for other in moved)


def _shifted(outline_in: Outline, by_in: PointIn) -> Outline:
    return tuple((x + by_in[0], y + by_in[1]) for x, y in outline_in)


def with_corner_at(piece: TerrainPiece, corner: int, at_in: PointIn) -> TerrainPiece:
    """The piece with one corner moved; raises `UserError` if the outline would cross itself."""
    return replace(piece, outline_in=(*piece.outline_in[:corner], at_in, *piece.outline_in[corner + 1 :]))


def with_corner_on(piece: TerrainPiece, edge: int, at_in: PointIn) -> TerrainPiece:
    """The piece with a new corner on the edge after corner `edge`; raises `UserError` if its outline would cross."""
    return replace(piece, outline_in=(*piece.outline_in[: edge + 1], at_in, *piece.outline_in[edge + 1 :]))


def without_corner(piece: TerrainPiece, corner: int) -> TerrainPiece:
    """The piece without one corner. Raises `UserError` if it has only three, or the outline would cross itself."""
    if len(piece.outline_in) <= 3:
        raise user_error("{piece} has only three corners: drag them, or delete the whole piece", piece=piece.name)
    return replace(piece, outline_in=(*piece.outline_in[:corner], *piece.outline_in[corner + 1 :]))


def terrain_document(terrain: Iterable[TerrainPiece]) -> dict[str, Any]:
    """The terrain as the JSON that `ui.files.read_terrain` reads."""
    return {
        "schema": 1,
        "pieces": [
            {
                "name": piece.name,
                "kind": str(piece.kind),
                "outline_in": [[round(x, 4), round(y, 4)] for x, y in piece.outline_in],
                "base_in": round(piece.base_in, 4),
                "height_in": round(piece.height_in, 4),
            }
            for piece in terrain
        ],
    }


def write_terrain(path: Path, terrain: Sequence[TerrainPiece]) -> None:
    """Write the terrain to a file; raises `UserError` as `ui.files.write_bytes`."""
    write_json(path, terrain_document(terrain))


def terrain_words(piece: TerrainPiece) -> str:
    """A piece in one line, such as "house: building, 4 in high on 1.3 in"."""
    high = tr("{height_in:g} in high", height_in=piece.height_in) if piece.height_in else tr("flat")
    words = f"{piece.name}: {terrain_kind_words(piece.kind)}, {high}"
    return tr("{piece} on {base_in:g} in", piece=words, base_in=piece.base_in) if piece.base_in else words


def nearest_corner(corners: Sequence[PointIn], at: PointIn, reach: float) -> int | None:
    """Index of the nearest corner within reach, or None; all lengths in the same unit."""
    return _nearest_within([math.dist(corner, at) for corner in corners], reach)


def nearest_edge(corners: Sequence[PointIn], at: PointIn, reach: float) -> int | None:
    """Index of the corner at which the nearest edge within reach starts, or None."""
    edges = zip(corners, (*corners[1:], corners[0]), strict=True)
    return _nearest_within([LineString(edge).distance(Point(at)) for edge in edges], reach)


def _nearest_within(distances: Sequence[float], reach: float) -> int | None:
    nearest = min(range(len(distances)), key=distances.__getitem__, default=None)
    return nearest if nearest is not None and distances[nearest] <= reach else None
