"""Figures and terrain as arrays for computing lines of sight, and the cover that each target has from a shooter."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import shapely
from shapely.geometry import Polygon

from rules.tabletop.body import BODIES, Body, mean_half_width, strips
from rules.tabletop.errors import UserError
from rules.tabletop.occlusion import (
    BoolArray,
    Crossings,
    IndexArray,
    Looks,
    Prisms,
    covered,
    crossings,
    directions,
    hidden_heights,
    near,
    prisms,
)
from rules.tabletop.opacity import OPACITY, CoverKind, Opacity, Within, standing_outlines
from rules.tabletop.table import (
    STANDING_HEIGHT_IN,
    Figure,
    FloatArray,
    Outline,
    Posture,
    TerrainKind,
    TerrainPiece,
    ellipse_outline,
)
from rules.tabletop.tolerance import EXACT

ON_TOP_IN = 0.15
"""A figure whose feet are at most this far below a piece's top stands on the piece, not inside it."""
LEANING_IN = 0.6
"""A figure that seems to be at most this far inside a piece leans on it: half a base plus the error of its place."""

Find = Callable[[Looks, Prisms, IndexArray, IndexArray], Crossings]
"""Returns the crossings of the given (look, prism) pairs, like `rules.tabletop.occlusion.crossings`."""


@dataclass(frozen=True, slots=True)
class SightRules:
    """The rules for lines of sight of a ruleset and of the figures used.

    Attributes:
        opacity: Opacity of each kind of terrain; other kinds keep their defaults.
        bodies: Bodies by posture, for figures unlike ordinary soldiers; other postures keep their defaults.
        standing_height_in: Height of a standing figure; bodies are scaled by it.
        figures_hide: Whether other figures hide what is behind them.
        fire_passes_screens: Whether shots reach what only screens hide, such as a hedge.

    Raises:
        UserError: if the standing height is not a positive number.
    """

    opacity: Mapping[TerrainKind, Opacity] = field(default_factory=dict)
    bodies: Mapping[Posture, Body] = field(default_factory=dict)
    standing_height_in: float = STANDING_HEIGHT_IN
    figures_hide: bool = False
    fire_passes_screens: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.standing_height_in < math.inf:
            raise UserError(f"a standing figure must be higher than 0 in, not {self.standing_height_in}: measure one")

    @property
    def scale(self) -> float:
        """Size of the figures relative to 54 mm figures."""
        return self.standing_height_in / STANDING_HEIGHT_IN

    def body(self, posture: Posture) -> Body:
        """The body of this posture at 54 mm."""
        return self.bodies.get(posture, BODIES[posture])

    def of(self, kind: TerrainKind) -> Opacity:
        """The opacity of a kind of terrain."""
        return self.opacity.get(kind, OPACITY[kind])

    @property
    def for_fire(self) -> SightRules:
        """The rules for what shots reach, in which screens hide nothing if shots pass them."""
        if not self.fire_passes_screens:
            return self
        screens = (kind for kind in TerrainKind if self.of(kind).cover_kind is CoverKind.SCREEN)
        clear = {kind: replace(self.of(kind), cover_kind=CoverKind.CLEAR) for kind in screens}
        return replace(self, opacity={**self.opacity, **clear})


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """F figures among M prisms: the terrain pieces in order, then the figures' bodies if they count.

    Attributes:
        place_in: (F, 3) place of each figure's feet.
        eye_in, height_in: (F,) height of the eye above the table, and of the body above its feet.
        half_width_in: (F,) half width of the silhouette's widest band; a part of the base's half width if `by_base`.
        by_base: (F,) whether widths are relative to the base.
        base_in: F arrays (N, 2), the base's outline relative to its centre.
        middles, below: (F, K) and (F, K, levels) strips of the silhouettes, see `rules.tabletop.body.strips`.
        solids: The prisms.
        opacity: M opacities.
        owner: (M,) index of the figure whose body the prism is, or -1.
        within: (F, M) whether the figure is inside the prism.
        beside: (F, M) whether the figure seems to be inside the prism, but leans on it.
    """

    place_in: FloatArray
    eye_in: FloatArray
    height_in: FloatArray
    half_width_in: FloatArray
    by_base: BoolArray
    base_in: tuple[FloatArray, ...]
    middles: FloatArray
    below: FloatArray
    solids: Prisms
    opacity: tuple[Opacity, ...]
    owner: IndexArray
    within: BoolArray
    beside: BoolArray

    def having(self, *, cover_kind: CoverKind | None = None, within: Within | None = None) -> BoolArray:
        """(M,) whether each prism has this cover kind or this effect on figures inside it."""
        return np.array([one.cover_kind is cover_kind or one.within is within for one in self.opacity], bool)


def scene(figures: Sequence[Figure], terrain: Sequence[TerrainPiece], rules: SightRules, *, bodies: bool) -> Scene:
    """The arrays of a table; with `bodies`, the figures' bodies are added to the prisms."""
    body_of = {posture: rules.body(posture) for posture in {figure.posture for figure in figures}}
    strips_of = {posture: strips(body) for posture, body in body_of.items()}
    own = [body_of[figure.posture] for figure in figures]
    outlines = list(standing_outlines(terrain))
    place = np.array([(f.x_in, f.y_in, f.z_in) for f in figures], np.float64).reshape(-1, 3)
    height = rules.scale * np.array([body.height_in for body in own])
    eye = rules.scale * np.array([body.eye_in for body in own])
    of = tuple(rules.of(piece.kind) for piece in terrain)
    base, top = [piece.base_in for piece in terrain], [piece.top_in for piece in terrain]
    within, beside = within_and_beside(place, height, terrain, rules)
    solid: list[int] = list(range(len(figures))) if bodies else []
    for n in solid:
        outlines.append(_body_outline(figures[n], own[n], rules.scale))
        base.append(figures[n].z_in)
        top.append(figures[n].z_in + float(height[n]))
    return Scene(
        place_in=place,
        eye_in=place[:, 2] + eye,
        height_in=height,
        half_width_in=np.array([body.half_width_in * (1.0 if body.by_base else rules.scale) for body in own]),
        by_base=np.array([body.by_base for body in own], bool),
        base_in=tuple(np.array(figure.base_in) - figure.centre_in for figure in figures),
        middles=np.array([strips_of[figure.posture][0] for figure in figures]),
        below=np.array([strips_of[figure.posture][1] for figure in figures]),
        solids=prisms(outlines, base, top, [one.depth_in for one in of] + [0.0] * len(solid)),
        opacity=of + (Opacity(),) * len(solid),
        owner=np.array([-1] * len(terrain) + solid, np.intp),
        within=np.pad(within, ((0, 0), (0, len(solid)))),
        beside=np.pad(beside, ((0, 0), (0, len(solid)))),
    )


def within_and_beside(
    place_in: FloatArray, height_in: FloatArray, terrain: Sequence[TerrainPiece], rules: SightRules
) -> tuple[BoolArray, BoolArray]:
    """(F, M) which of the figures at these places (F, 3) are inside each piece, and which lean on it."""
    outlines, of = standing_outlines(terrain), [rules.of(piece.kind) for piece in terrain]
    overlapping = _inside(place_in, height_in, [Polygon(outline) for outline in outlines], terrain)
    cores = [_core(outline, one) for outline, one in zip(outlines, of, strict=True)]
    within = _inside(place_in, height_in, cores, terrain)
    return within, overlapping & ~within


def _core(outline_in: Outline, opacity: Opacity) -> Polygon:
    """The area in which a figure's centre is when the figure counts as inside the piece."""
    if opacity.within is Within.BESIDE:
        return Polygon()
    has_walls = opacity.within is Within.OPEN and not opacity.depth_in
    return Polygon(outline_in).buffer(-LEANING_IN if has_walls else 0.0)


def _inside(
    place_in: FloatArray, height_in: FloatArray, areas: Sequence[Polygon], terrain: Sequence[TerrainPiece]
) -> BoolArray:
    """(F, M) whether a figure's centre is in the area and its body, not only its feet, at the piece's heights."""
    inside = np.zeros((len(place_in), len(terrain)), bool)
    foot = place_in[:, 2]
    x, y = place_in[:, 0], place_in[:, 1]
    for m, (area, piece) in enumerate(zip(areas, terrain, strict=True)):
        left, low, right, high = area.bounds  # few places are near; an empty area has no bounds
        at = np.flatnonzero((x >= left) & (x <= right) & (y >= low) & (y <= high))
        at = at[(foot[at] < piece.top_in - ON_TOP_IN) & (foot[at] + height_in[at] > piece.base_in)]
        inside[at, m] = shapely.contains_xy(area, x[at], y[at])
    return inside


def _body_outline(figure: Figure, body: Body, scale: float) -> Outline:
    """The area that a figure's body covers, averaged over its height."""
    width = mean_half_width(body)
    if not body.by_base:
        return ellipse_outline(figure.centre_in, width * scale, width * scale, points=12)
    x, y = figure.centre_in
    return tuple((x + width * (u - x), y + width * (v - y)) for u, v in figure.base_in)


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """What hides parts of the targets of P looks with K columns.

    Attributes:
        looks: The eyes and columns.
        found: The C crossings that hide something.
        low, high: (C,) the hidden interval of the column, as parts of the whole silhouette's area from the feet up.
    """

    looks: Looks
    found: Crossings
    low: FloatArray
    high: FloatArray

    def exposure(self, counted: BoolArray) -> FloatArray:
        """(P,) part of each target's silhouette that the counted prisms (M,) leave in sight."""
        total, columns = self.looks.offset_in.shape
        keep = counted[self.found.prism]
        group = (self.found.look * columns + self.found.column)[keep]
        hidden = covered(group, self.low[keep], self.high[keep], total * columns)
        exposed = 1.0 - hidden.reshape(total, columns).sum(1)
        return np.asarray(np.where(exposed < EXACT, 0.0, exposed))

    def alone(self, solids: int) -> tuple[IndexArray, IndexArray, FloatArray]:
        """(look, prism, fraction) of each prism that hides something, as if it were alone; ordered by look, prism."""
        columns = self.looks.offset_in.shape[1]
        pair = self.found.look * solids + self.found.prism
        pairs, at = np.unique(pair, return_inverse=True)
        hidden = covered(at * columns + self.found.column, self.low, self.high, len(pairs) * columns)
        return pairs // solids, pairs % solids, hidden.reshape(-1, columns).sum(1)


def find_cover(table: Scene, shooter: IndexArray, target: IndexArray, find: Find = crossings) -> Cover:
    """The cover of targets from shooters (P indices each); `find` finds the crossings."""
    looks = _looks(table, shooter, target)
    found = crossings_that_matter(table, shooter, target, looks, find)
    low, high = hidden_heights(looks, table.solids, found)
    low, high = (_area_below(table, target[found.look], found.column, z) for z in (low, high))
    hides = high > low
    return Cover(looks, found.only(hides), low[hides], high[hides])


def crossings_that_matter(
    table: Scene, shooter: IndexArray, target: IndexArray, looks: Looks, find: Find = crossings
) -> Crossings:
    """The crossings of the looks of shooters at targets (P indices each) with prisms that can hide something there."""
    of, prism = near(looks, table.solids)
    matters = _matters(table, shooter[of], target[of], prism)
    found = find(looks, table.solids, of[matters], prism[matters])
    return _at_both_ends(table, shooter, target, looks, found)


def _looks(table: Scene, shooter: IndexArray, target: IndexArray) -> Looks:
    eye = np.c_[table.place_in[shooter, :2], table.eye_in[shooter]]
    place = table.place_in[target, :2]
    distance, forward = directions(eye, place)
    half = table.half_width_in[target]
    right, left = -half, half.copy()
    for n in np.unique(target[table.by_base[target]]):
        seen = target == n
        x, y = table.base_in[n].T
        across = forward[seen] @ np.stack([y, -x])
        right[seen], left[seen] = half[seen] * across.min(1), half[seen] * across.max(1)
    middle, reach = (right + left) / 2, (left - right) / 2
    return Looks(eye, place, middle[:, None] + table.middles[target] * reach[:, None], distance, forward)


def _matters(table: Scene, shooter: IndexArray, target: IndexArray, prism: IndexArray) -> BoolArray:
    """Whether a prism can hide anything between the two figures."""
    foot, eye = table.place_in[target, 2], table.eye_in[shooter]
    head = foot + table.height_in[target]
    one, other = table.within[shooter, prism], table.within[target, prism]
    keep = ~table.having(cover_kind=CoverKind.CLEAR)[prism]
    keep &= table.solids.top_in[prism] > np.minimum(eye, foot)
    keep &= table.solids.base_in[prism] < np.maximum(eye, head)
    keep &= (table.owner[prism] != shooter) & (table.owner[prism] != target)
    keep &= ~(table.having(within=Within.OPEN)[prism] & (one | other))
    return np.asarray(keep & ~(table.having(within=Within.RIM)[prism] & one & other))


def _at_both_ends(table: Scene, shooter: IndexArray, target: IndexArray, looks: Looks, found: Crossings) -> Crossings:
    """The crossings shortened or removed for figures inside or beside a piece, see `Within`."""
    one, other, prism = shooter[found.look], target[found.look], found.prism
    first, last = found.enter == 0.0, found.leave == 1.0
    length = np.hypot(looks.distance_in[found.look], looks.offset_in[found.look, found.column])
    leaning = LEANING_IN / np.maximum(length, LEANING_IN)
    enter = np.where(table.beside[one, prism] & first, leaning, found.enter)
    leave = np.where(table.beside[other, prism] & last, 1.0 - leaning, found.leave)
    rim = table.having(within=Within.RIM)[prism]
    out, into = rim & table.within[one, prism] & first, rim & table.within[other, prism] & last
    shortened = replace(found, enter=np.where(out, leave, enter), leave=np.where(into, enter, leave))
    return shortened.only(shortened.enter <= shortened.leave)


def _area_below(table: Scene, target: IndexArray, column: IndexArray, height_in: FloatArray) -> FloatArray:
    """Part of the silhouette's area in a column that is below a height above the table."""
    levels = table.below.shape[2]
    at = np.clip((height_in - table.place_in[target, 2]) / table.height_in[target], 0.0, 1.0) * (levels - 1)
    level = np.minimum(at.astype(np.intp), levels - 2)
    low, high = table.below[target, column, level], table.below[target, column, level + 1]
    return np.asarray(low + (high - low) * (at - level))
