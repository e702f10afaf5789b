"""Line of sight in two and a half dimensions: how much each figure sees of another, and what hides the rest.

Terrain pieces are prisms, targets are silhouettes that face the eye. Objects behind the target, behind the shooter or
below the feet of both hide nothing; `rules.tabletop.opacity` defines what a piece hides from and of a figure inside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rules.tabletop.errors import user_error
from rules.tabletop.occlusion import BoolArray
from rules.tabletop.opacity import CoverKind
from rules.tabletop.scene import Cover, Scene, SightRules, find_cover, scene
from rules.tabletop.table import Figure, FloatArray, Point3In, TerrainPiece

SLIVER = 0.015
"""Precision of silhouettes: a figure with a smaller part in sight is not seen."""
_BLOCK = 2048  # pairs per batch, so that the arrays of a large table stay in the processor's cache
_RAY_COLUMNS = (1, 3, 4, 6)
_RAY_PARTS = (1 / 6, 1 / 2, 5 / 6)


@dataclass(frozen=True, slots=True)
class Hidden:
    """Something that hides a part of the target.

    Attributes:
        name: The terrain piece's name, or the figure's id.
        fraction: Part of the target's silhouette that it would hide alone, above 0 and up to 1.
    """

    name: str
    fraction: float


@dataclass(frozen=True, slots=True)
class Ray:
    """A line from the shooter's eye to a point of the target's silhouette; x, y, z in inches.

    `stop_in` and `stopped_by` are the place where it is blocked and what blocks it; None if it reaches the target.
    """

    start_in: Point3In
    end_in: Point3In
    stop_in: Point3In | None = None
    stopped_by: str | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """What a shooter sees of a target.

    Attributes:
        exposure: Part of the target's silhouette in sight, 0 to 1.
        exposure_to_fire: The same if screens (hedges, light trees, fences) hide nothing.
        shooter_exposure: Part of the shooter that the target sees.
        hidden_by: The terrain that hides a part of the target, the largest part first.
        figures_in_the_way: Other figures that would hide a part, whether the rules count them or not.
        shooter_within, target_within: Terrain that they are inside.
        rays: A dozen rays over the silhouette, for drawing.
    """

    exposure: float
    exposure_to_fire: float
    shooter_exposure: float
    hidden_by: tuple[Hidden, ...]
    figures_in_the_way: tuple[Hidden, ...]
    shooter_within: tuple[str, ...]
    target_within: tuple[str, ...]
    rays: tuple[Ray, ...]

    @property
    def visible(self) -> bool:
        """Whether the shooter sees enough of the target to count."""
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
        shooter, target: The two figures; both may be among `figures`.
        terrain: All terrain pieces.
        figures: The figures that may stand in the way.
        rules: The ruleset's rules for lines of sight; by default terrain hides, figures do not.

    Raises:
        UserError: if shooter and target are the same figure.
    """
    rules = rules or SightRules()
    if shooter.id == target.id:
        raise user_error("{shooter} cannot be its own target: choose another figure", shooter=shooter.id)
    cast = [shooter, target, *(figure for figure in figures if figure.id not in (shooter.id, target.id))]
    table = scene(cast, terrain, rules, bodies=True)
    cover = find_cover(table, np.array([0]), np.array([1]))
    shooter_cover = find_cover(table, np.array([1]), np.array([0]))
    counted = _counted(table, rules)
    hidden = list(_hidden(table, cover, cast, terrain))
    return Sight(
        exposure=float(cover.exposure(counted)[0]),
        exposure_to_fire=float(cover.exposure(counted & ~table.having(cover_kind=CoverKind.SCREEN))[0]),
        shooter_exposure=float(shooter_cover.exposure(counted)[0]),
        hidden_by=tuple(one for at, one in hidden if at < len(terrain)),
        figures_in_the_way=tuple(one for at, one in hidden if at >= len(terrain)),
        shooter_within=_names(table.within[0], terrain),
        target_within=_names(table.within[1], terrain),
        rays=tuple(_rays(table, cover, counted, cast, terrain)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Exposures:
    """What each figure sees of each other figure.

    Attributes:
        ids: Ids of the F figures, in the order of rows and columns.
        pieces: Names of the M terrain pieces.
        exposure: (F, F) part of the column's figure that the row's figure sees; 1 on the diagonal.
        exposure_to_fire: (F, F) the same if screens hide nothing.
        hidden: (H, 4) row, column, piece and the part of the column's figure that this piece would hide alone, for
            every piece that hides some; ordered by row and column.
    """

    ids: tuple[str, ...]
    pieces: tuple[str, ...]
    exposure: FloatArray
    exposure_to_fire: FloatArray
    hidden: FloatArray

    @property
    def visible(self) -> BoolArray:
        """(F, F) whether the row's figure sees enough of the column's figure to count."""
        return np.asarray(self.exposure >= SLIVER)

    def hidden_by(self, row: int, column: int) -> tuple[tuple[str, float], ...]:
        """The pieces and the part that each would hide alone, largest first."""
        pair = self.hidden[:, 0] * len(self.ids) + self.hidden[:, 1]
        begin, end = np.searchsorted(pair, row * len(self.ids) + column + np.array([0, 1]))
        parts = [(self.pieces[int(piece)], float(part)) for piece, part in self.hidden[begin:end, 2:]]
        return tuple(sorted(parts, key=lambda one: -one[1]))


def exposures(
    figures: Sequence[Figure],
    terrain: Sequence[TerrainPiece],
    rules: SightRules | None = None,
    shooter: str | None = None,
) -> Exposures:
    """What each figure sees of each other figure: `sight` for all ordered pairs at once, without its details.

    With a `shooter`, only its row is computed; the other rows are those of a table without terrain.
    """
    rules = rules or SightRules()
    table = scene(figures, terrain, rules, bodies=rules.figures_hide)
    count = len(figures)
    counted = _counted(table, rules)
    solid = counted & ~table.having(cover_kind=CoverKind.SCREEN)
    seen, open_to_fire = np.ones((count, count)), np.ones((count, count))
    hidden = [np.empty((0, 4))]
    is_wanted = np.array([shooter in (None, figure.id) for figure in figures], bool)
    shooters, targets = np.nonzero(~np.eye(count, dtype=bool) & is_wanted[:, None])
    for begin in range(0, len(shooters), _BLOCK):
        row, column = shooters[begin : begin + _BLOCK], targets[begin : begin + _BLOCK]
        cover = find_cover(table, row, column)
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
    """Everything that hides a part of the target, the largest part first, each with the index of its prism."""
    _, prism, fraction = cover.alone(len(table.opacity))
    for n in np.argsort(-fraction, kind="stable"):
        at, part = int(prism[n]), float(fraction[n])
        owner = int(table.owner[at])
        yield at, Hidden(terrain[at].name if owner < 0 else cast[owner].id, part)


def _names(chosen: BoolArray, terrain: Sequence[TerrainPiece]) -> tuple[str, ...]:
    return tuple(piece.name for piece, is_chosen in zip(terrain, chosen, strict=False) if is_chosen)


def _rays(
    table: Scene, cover: Cover, counted: BoolArray, cast: Sequence[Figure], terrain: Sequence[TerrainPiece]
) -> Iterator[Ray]:
    """Rays to the middles of the target's strips, at heights that divide each strip's area evenly."""
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
            fraction, prism = stop
            owner = int(table.owner[prism])
            name = terrain[prism].name if owner < 0 else cast[owner].id
            stop_in = (x + fraction * (u - x), y + fraction * (v - y), z + fraction * (w - z))
            yield Ray((x, y, z), (u, v, w), stop_in, name)


def _stop(
    table: Scene, cover: Cover, counted: BoolArray, column: int, area: float, rise_in: float
) -> tuple[float, int] | None:
    """(part of its length, prism) where the ray to this point of a strip is first blocked; None if it is not."""
    found, eye = cover.found, cover.looks.eye_in[0, 2]
    hits = np.flatnonzero(counted[found.prism] & (found.column == column) & (cover.low <= area) & (area <= cover.high))
    stops = []
    for n in hits:
        prism, fraction = int(found.prism[n]), float(found.enter[n])
        height = eye + fraction * rise_in
        bound = np.clip(height, table.solids.base_in[prism], table.solids.top_in[prism])
        stops.append((fraction if bound == height else float((bound - eye) / rise_in), prism))
    return min(stops, default=None)
