"""Who is where: near a leader, on which terrain, inside an objective, off the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shapely.affinity import translate
from shapely.geometry import Point, Polygon
from shapely.geometry.base import BaseGeometry

from rules.tabletop.errors import UserError
from rules.tabletop.measure import Range, base_area, range_between
from rules.tabletop.table import Figure, Outline, PointIn, TerrainKind, TerrainPiece, area_of
from rules.tabletop.template import Hit, Zone, under
from rules.tabletop.tolerance import EXACT, Call, Choice, choice, doubtful_shifts

LAID_OVER = frozenset({TerrainKind.ROAD, TerrainKind.BRIDGE})
"""What is laid over the ground: beneath it the ground does not count."""

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
"""What a road or a bridge leads through or over; a wall or wire across it still counts, and so does its hill."""


CARRIES = frozenset({TerrainKind.HILL, TerrainKind.BRIDGE, TerrainKind.MOUNTAIN})
"""What one stands on top of."""


def surface_in(at_in: PointIn, terrain: Iterable[TerrainPiece]) -> float:
    """Height of what one stands on at a place: the highest hill or bridge there, else the table."""
    spot, carrying = Point(at_in), (piece for piece in terrain if piece.kind in CARRIES)
    return max((piece.top_in for piece in carrying if Polygon(piece.outline_in).covers(spot)), default=0.0)


def counting(pieces: Iterable[TerrainPiece]) -> tuple[TerrainPiece, ...]:
    """Of the pieces at one place, those that count there: no ground beneath a road or a bridge."""
    here = tuple(pieces)
    if not any(piece.kind in LAID_OVER for piece in here):
        return here
    return tuple(piece for piece in here if piece.kind not in GROUND)


@dataclass(frozen=True, slots=True)
class Near:
    """A figure near another: how far it is, from base edge to base edge, and whether that is within the limit."""

    id: str
    range: Range
    call: Call


def near(middle: Figure, others: Iterable[Figure], limit_in: float) -> tuple[Near, ...]:
    """Every other figure within a distance of this one or perhaps so, nearest first."""
    ranges = ((other.id, range_between(middle, other)) for other in others if other.id != middle.id)
    found = (Near(name, measured, measured.within(limit_in)) for name, measured in ranges)
    wanted = (one for one in found if one.call is not Call.OUT)
    return tuple(sorted(wanted, key=lambda one: (one.range.edge_in, one.range.centre_in, one.id)))


@dataclass(frozen=True, slots=True)
class Share:
    """The part of a base's area, above 0 and up to 1, that stands on a piece; None is the open table."""

    piece: TerrainPiece | None
    fraction: float


def standing_on(figure: Figure, terrain: Iterable[TerrainPiece]) -> tuple[Share, ...]:
    """What a base stands on, part by part, the largest first; the parts add up to 1.

    Where pieces lie on one another, the uppermost counts: a road or a bridge, otherwise the one with the smaller
    outline, as a foxhole in the woods. To ask about woods on a hill apart from the hill, leave the hill out.
    """
    return _shares(base_area(figure), _uppermost_first(terrain))


def ground_under(figure: Figure, terrain: Iterable[TerrainPiece]) -> Choice[TerrainPiece | None]:
    """The terrain under the larger part of a base, None for the open table, and what else it may be."""
    base, layers = base_area(figure), _uppermost_first(terrain)
    found = [_shares(translate(base, *shift), layers)[0].piece for shift in doubtful_shifts(figure.sigma_in)]
    return choice(found[0], found)


def _uppermost_first(terrain: Iterable[TerrainPiece]) -> list[tuple[TerrainPiece, Polygon]]:
    areas = [(piece, Polygon(piece.outline_in)) for piece in terrain]
    return sorted(areas, key=lambda layer: (layer[0].kind not in LAID_OVER, layer[1].area))


def _shares(base: Polygon, layers: Sequence[tuple[TerrainPiece, Polygon]]) -> tuple[Share, ...]:
    rest: BaseGeometry = base
    shares = []
    for piece, area in layers:
        if rest.intersects(area):
            shares.append(Share(piece, rest.intersection(area).area / base.area))
            rest = rest.difference(area)
    shares.append(Share(None, rest.area / base.area))
    there = [share for share in shares if share.fraction > EXACT]
    return tuple(sorted(there, key=lambda share: -share.fraction))


def inside(figures: Iterable[Figure], outline_in: Outline) -> tuple[Hit, ...]:
    """Every figure that stands in an area such as an objective, wholly or in part or perhaps so, and how far."""
    return under(Zone(outline_in), figures)


def off_table(figures: Iterable[Figure], table_in: Outline) -> tuple[Hit, ...]:
    """Every figure that reaches past the table's edge or may do so, and how much of its base is beyond.

    An objective may be to leave by the far edge (WW-05); who routs leaves by any (PF-67).

    Args:
        figures: The figures asked about.
        table_in: The table's outline.
    """
    figures = tuple(figures)
    on_it = {hit.id: hit for hit in inside(figures, table_in)}
    nowhere = Hit("", 0.0, 0.0, 0.0)
    off = ((figure.id, on_it.get(figure.id, nowhere)) for figure in figures)
    hits = (Hit(name, 1 - on.fraction, 1 - on.most, 1 - on.least) for name, on in off)
    return tuple(sorted((hit for hit in hits if hit.most > EXACT), key=lambda hit: (-hit.fraction, hit.id)))


def refuse_off_table(figures: Iterable[Figure], table_in: Outline) -> None:
    """Refuse figures whose centre is beyond the table's edge, by name: no game is set up so.

    Raises:
        UserError: if there is one.
    """
    table = area_of(table_in)
    lost = [figure.id for figure in figures if not table.covers(Point(figure.centre_in))]
    if lost:
        verb = "stand" if len(lost) > 1 else "stands"
        raise UserError(f"{', '.join(lost)} {verb} off the table: set them on it, or take them out of the game")
