"""Where figures are: near a leader, on which terrain, inside an objective, off the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shapely.affinity import translate
from shapely.geometry import Point, Polygon
from shapely.geometry.base import BaseGeometry

from rules.tabletop.measure import base_area
from rules.tabletop.table import Figure, PointIn, TerrainKind, TerrainPiece
from rules.tabletop.tolerance import EXACT, Choice, choice, doubtful_shifts

OVERLAY_KINDS = frozenset({TerrainKind.ROAD, TerrainKind.BRIDGE})
"""Terrain that lies on top of other ground; the ground beneath it does not count."""

GROUND = frozenset(
    {
        TerrainKind.WOODS,
        TerrainKind.TREE,
        TerrainKind.BUSH,
        TerrainKind.WATER,
        TerrainKind.SHALLOW_WATER,
        TerrainKind.MARSH,
        TerrainKind.DESERT,
        TerrainKind.MOUNTAIN,
        TerrainKind.ROUGH,
        TerrainKind.TRENCH,
        TerrainKind.FOXHOLE,
    }
)
"""Ground that does not count beneath a road or a bridge. A wall or wire across a road still counts, and so does a hill
under it."""

STANDABLE_KINDS = frozenset({TerrainKind.HILL, TerrainKind.BRIDGE, TerrainKind.MOUNTAIN})
"""Terrain on whose upper side figures stand."""


def surface_in(at_in: PointIn, terrain: Iterable[TerrainPiece]) -> float:
    """Height of the surface at a place: the top of the highest hill or bridge there, else 0, the table."""
    spot, candidates = Point(at_in), (piece for piece in terrain if piece.kind in STANDABLE_KINDS)
    return max((piece.top_in for piece in candidates if Polygon(piece.outline_in).covers(spot)), default=0.0)


def counting(pieces: Iterable[TerrainPiece]) -> tuple[TerrainPiece, ...]:
    """The pieces at one place that count there: without the ground beneath a road or a bridge."""
    here = tuple(pieces)
    if not any(piece.kind in OVERLAY_KINDS for piece in here):
        return here
    return tuple(piece for piece in here if piece.kind not in GROUND)


@dataclass(frozen=True, slots=True)
class Share:
    """The part of a base's area, above 0 and up to 1, that stands on a piece; `piece` is None for the open table."""

    piece: TerrainPiece | None
    fraction: float


def standing_on(figure: Figure, terrain: Iterable[TerrainPiece]) -> tuple[Share, ...]:
    """The terrain under a base as shares that add up to 1, the largest first.

    Where pieces overlap, the uppermost counts: a road or a bridge, otherwise the piece with the smaller outline, such
    as a foxhole in the woods. To get the woods on a hill without the hill, leave the hill out of `terrain`.
    """
    return _shares(base_area(figure), _uppermost_first(terrain))


def ground_under(figure: Figure, terrain: Iterable[TerrainPiece]) -> Choice[TerrainPiece | None]:
    """The terrain under the largest share of a base, None for the open table, and what else it may be within the
    figure's position error.
    """
    base, layers = base_area(figure), _uppermost_first(terrain)
    found = [_shares(translate(base, *shift), layers)[0].piece for shift in doubtful_shifts(figure.sigma_in)]
    return choice(found[0], found)


def _uppermost_first(terrain: Iterable[TerrainPiece]) -> list[tuple[TerrainPiece, Polygon]]:
    areas = [(piece, Polygon(piece.outline_in)) for piece in terrain]
    return sorted(areas, key=lambda layer: (layer[0].kind not in OVERLAY_KINDS, layer[1].area))


def _shares(base: Polygon, layers: Sequence[tuple[TerrainPiece, Polygon]]) -> tuple[Share, ...]:
    rest: BaseGeometry = base
    shares = []
    for piece, area in layers:
        if rest.intersects(area):
            shares.append(Share(piece, rest.intersection(area).area / base.area))
            rest = rest.difference(area)
    shares.append(Share(None, rest.area / base.area))
    return tuple(sorted((share for share in shares if share.fraction > EXACT), key=lambda share: -share.fraction))
