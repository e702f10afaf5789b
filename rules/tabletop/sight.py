"""Line of sight in two and a half dimensions: who sees how much of whom, and what hides the rest.

Terrain pieces are prisms, targets are silhouettes that face the eye. What lies behind the target, behind the shooter
or below either's feet hides nothing; a piece a figure is inside of hides what
`rules.tabletop.opacity` says of its kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from shapely.geometry import LineString, Point, Polygon

from rules.tabletop.errors import UserError
from rules.tabletop.measure import base_area
from rules.tabletop.occlusion import BoolArray
from rules.tabletop.opacity import CoverKind
from rules.tabletop.scene import ON_TOP_IN, Cover, Scene, SightRules, look, scene
from rules.tabletop.table import Figure, FloatArray, Point3In, TerrainPiece

SLIVER = 0.015
"""Silhouettes are not known better: a figure with less than this part in sight is not seen."""
_BLOCK = 2048  # looks at a time, so that the arrays of a large table stay in the processor's cache
_RAY_COLUMNS = (1, 3, 4, 6)
_RAY_PARTS = (1 / 6, 1 / 2, 5 / 6)


@dataclass(frozen=True, slots=True)
class Hidden:
    """Something that hides a part of the target.

    Attributes:
        name: The terrain piece's name, or the figure's id.
        fraction: Part of the target's silhouette that it would hide alone, above 0 and up to 1.
        veil: Solid, or a screen that hides without stopping a shot.
        gap_in: Over the table from it to the target's base; 0 where they touch.
    """

    name: str
    fraction: float
    veil: CoverKind
    gap_in: float

    def touches_target(self, within_in: float = 0.1) -> bool:
        """Whether it reaches the target's base, as what a prone figure lies next to (WW-34), or nearly so."""
        return self.gap_in <= within_in


@dataclass(frozen=True, slots=True)
class Ray:
    """A line from the shooter's eye to a point of the target's silhouette; x, y, z in inches.

    `stop_in` and `stopped_by` say where and at what it ends; None for a ray that arrives.
    """

    start_in: Point3In
    end_in: Point3In
    stop_in: Point3In | None = None
    stopped_by: str | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """What a shooter sees of a target.

    Attributes:
        shooter, target: Their ids.
        exposure: Part of the target's silhouette in sight, 0 to 1.
        exposure_to_fire: The same with screens (hedges, light trees, fences) looked through.
        shooter_exposure: Part of the shooter that the target sees.
        hidden_by: The terrain that hides some of the target, most first.
        figures_in_the_way: The other figures that would, whether the rules count them or not.
        crosses: Terrain that the line between the centres runs over and that stands somewhere between the lower feet
            and the higher head, but for what either stands on.
        shooter_within, target_within: Terrain they are inside of.
        rays: For the picture; a dozen over the silhouette.
    """

    shooter: str
    target: str
    exposure: float
    exposure_to_fire: float
    shooter_exposure: float
    hidden_by: tuple[Hidden, ...]
    figures_in_the_way: tuple[Hidden, ...]
    crosses: tuple[str, ...]
    shooter_within: tuple[str, ...]
    target_within: tuple[str, ...]
    rays: tuple[Ray, ...]

    @property
    def visible(self) -> bool:
        """Whether the shooter sees anything worth the name."""
        return self.exposure >= SLIVER


def sight(
    shooter: Figure,
    target: Figure,
    terrain: Sequence[TerrainPiece],
    figures: Sequence[Figure] = (),
    rules: SightRules | None = None,
) -> Sight:
    """What one figure sees of another.

    Args:
        shooter, target: The two; both may be among `figures`.
        terrain: Every piece on the table.
        figures: Everybody who may stand in the way.
        rules: What the ruleset says about seeing; by default terrain hides, figures do not.

    Raises:
        UserError: if shooter and target are one figure.
    """
    rules = rules or SightRules()
    if shooter.id == target.id:
        raise UserError(f"figure {shooter.id!r} cannot be its own target: choose another")
    cast = [shooter, target, *(figure for figure in figures if figure.id not in (shooter.id, target.id))]
    table = scene(cast, terrain, rules, bodies=True)
    there = look(table, np.array([0]), np.array([1]))
    back = look(table, np.array([1]), np.array([0]))
    counted = _counted(table, rules)
    hidden = list(_hidden(table, there, cast, terrain))
    return Sight(
        shooter=shooter.id,
        target=target.id,
        exposure=float(there.exposure(counted)[0]),
        exposure_to_fire=float(there.exposure(counted & ~table.having(veil=CoverKind.SCREEN))[0]),
        shooter_exposure=float(back.exposure(counted)[0]),
        hidden_by=tuple(one for at, one in hidden if at < len(terrain)),
        figures_in_the_way=tuple(one for at, one in hidden if at >= len(terrain)),
        crosses=_crossed(shooter, target, terrain, head_in=float((table.place_in[:2, 2] + table.height_in[:2]).max())),
        shooter_within=_names(table.within[0], terrain),
        target_within=_names(table.within[1], terrain),
        rays=tuple(_rays(table, there, counted, cast, terrain)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Exposures:
    """What everybody sees of everybody.

    Attributes:
        ids: F figures, in the order of rows and columns.
        pieces: M names of the terrain.
        exposure: (F, F) part of the column's figure that the row's figure sees; 1 for oneself.
        exposure_to_fire: (F, F) the same with screens looked through.
        hidden: (H, 4) row, column, piece and the part of the column's figure that this piece would hide alone, for
            all that hide any; ordered by row and column.
    """

    ids: tuple[str, ...]
    pieces: tuple[str, ...]
    exposure: FloatArray
    exposure_to_fire: FloatArray
    hidden: FloatArray

    @property
    def visible(self) -> BoolArray:
        """(F, F) whether the row's figure sees anything worth the name of the column's."""
        return np.asarray(self.exposure >= SLIVER)

    def hidden_by(self, row: int, column: int) -> tuple[tuple[str, float], ...]:
        """The pieces, and how much each would hide alone, most first."""
        pair = self.hidden[:, 0] * len(self.ids) + self.hidden[:, 1]
        begin, end = np.searchsorted(pair, row * len(self.ids) + column + np.array([0, 1]))
        some = [(self.pieces[int(piece)], float(part)) for piece, part in self.hidden[begin:end, 2:]]
        return tuple(sorted(some, key=lambda one: -one[1]))


def exposures(
    figures: Sequence[Figure],
    terrain: Sequence[TerrainPiece],
    rules: SightRules | None = None,
    shooter: str | None = None,
) -> Exposures:
    """What each figure sees of each other one: `sight` for all ordered pairs at once, without its particulars.

    Where a `shooter` is named, only its own row is worked out; the others are as on a table without terrain.
    """
    rules = rules or SightRules()
    table = scene(figures, terrain, rules, bodies=rules.figures_hide)
    count = len(figures)
    counted = _counted(table, rules)
    solid = counted & ~table.having(veil=CoverKind.SCREEN)
    seen, open_to_fire = np.ones((count, count)), np.ones((count, count))
    hidden = [np.empty((0, 4))]
    asked = np.array([shooter in (None, figure.id) for figure in figures], bool)
    shooters, targets = np.nonzero(~np.eye(count, dtype=bool) & asked[:, None])
    for begin in range(0, len(shooters), _BLOCK):
        row, column = shooters[begin : begin + _BLOCK], targets[begin : begin + _BLOCK]
        cover = look(table, row, column)
        seen[row, column] = cover.exposure(counted)
        open_to_fire[row, column] = cover.exposure(solid)
        of, piece, part = cover.alone(len(table.opacity))
        hidden.append(np.c_[row[of], column[of], piece, part][piece < len(terrain)])
    ids, pieces = tuple(figure.id for figure in figures), tuple(piece.name for piece in terrain)
    return Exposures(ids, pieces, seen, open_to_fire, np.concatenate(hidden))


def _counted(table: Scene, rules: SightRules) -> BoolArray:
    return np.asarray((table.owner < 0) | rules.figures_hide)


def _hidden(
    table: Scene, cover: Cover, cast: Sequence[Figure], terrain: Sequence[TerrainPiece]
) -> Iterator[tuple[int, Hidden]]:
    """All that hides some of the one target, most first, each with its place among the prisms."""
    base = base_area(cast[1])
    _, prism, fraction = cover.alone(len(table.opacity))
    for n in np.argsort(-fraction, kind="stable"):
        at, part = int(prism[n]), float(fraction[n])
        owner = int(table.owner[at])
        name = terrain[at].name if owner < 0 else cast[owner].id
        area = Polygon(terrain[at].outline_in) if owner < 0 else base_area(cast[owner])
        yield at, Hidden(name, part, table.opacity[at].veil, float(base.distance(area)))


def _crossed(a: Figure, b: Figure, terrain: Sequence[TerrainPiece], head_in: float) -> tuple[str, ...]:
    line, foot_in = LineString([a.centre_in, b.centre_in]), min(a.z_in, b.z_in)
    between = [(piece, Polygon(piece.outline_in)) for piece in terrain]
    return tuple(
        piece.name
        for piece, area in between
        if foot_in < piece.top_in and piece.base_in < head_in and line.intersection(area).length > 0
        if not any(_stands_on(figure, piece, area) for figure in (a, b))
    )


def _stands_on(figure: Figure, piece: TerrainPiece, area: Polygon) -> bool:
    return piece.top_in <= figure.z_in + ON_TOP_IN and area.contains(Point(figure.centre_in))


def _names(chosen: BoolArray, terrain: Sequence[TerrainPiece]) -> tuple[str, ...]:
    return tuple(piece.name for piece, is_chosen in zip(terrain, chosen, strict=False) if is_chosen)


def _rays(
    table: Scene, cover: Cover, counted: BoolArray, cast: Sequence[Figure], terrain: Sequence[TerrainPiece]
) -> Iterator[Ray]:
    """Rays to the middle of the target's strips, at heights that part each strip's area evenly."""
    x, y, z = cover.looks.eye_in[0].tolist()
    foot, height = table.place_in[1, 2], table.height_in[1]
    levels = np.linspace(0.0, height, table.below.shape[2])
    for column in _RAY_COLUMNS:
        u, v = cover.looks.columns_in[0, column].tolist()
        for part in _RAY_PARTS:
            area = part * table.below[1, column, -1]
            w = float(foot + np.interp(area, table.below[1, column], levels))
            stop = _stop(table, cover, counted, column, area, w - z)
            if stop is None:
                yield Ray((x, y, z), (u, v, w))
                continue
            way, prism = stop
            owner = int(table.owner[prism])
            name = terrain[prism].name if owner < 0 else cast[owner].id
            yield Ray((x, y, z), (u, v, w), (x + way * (u - x), y + way * (v - y), z + way * (w - z)), name)


def _stop(
    table: Scene, cover: Cover, counted: BoolArray, column: int, area: float, rise_in: float
) -> tuple[float, int] | None:
    """(part of its way, prism) where the ray to this point of a strip first meets something; None if nowhere."""
    found, eye = cover.found, cover.looks.eye_in[0, 2]
    hits = np.flatnonzero(counted[found.prism] & (found.column == column) & (cover.low <= area) & (area <= cover.high))
    stops = []
    for n in hits:
        prism, way = int(found.prism[n]), float(found.enter[n])
        at = eye + way * rise_in
        bound = np.clip(at, table.solids.base_in[prism], table.solids.top_in[prism])
        stops.append((way if bound == at else float((bound - eye) / rise_in), prism))
    return min(stops, default=None)
