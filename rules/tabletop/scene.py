"""Figures and terrain as arrays that lines of sight are computed on, and what every look at a figure meets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
"""A figure whose feet are this little under a piece's top stands on the piece, not in it."""
LEANING_IN = 0.6
"""A figure that seems to be this little inside something leans on it: half a base, and what places are uncertain by."""


@dataclass(frozen=True, slots=True)
class SightRules:
    """What a ruleset, and the figures used, say about seeing.

    Attributes:
        opacity: What each kind of terrain hides; kinds left out keep their usual reading.
        bodies: Silhouettes, eyes and muzzles by posture, of figures unlike the usual soldiers; postures left out keep
            theirs.
        standing_height_in: Height of a standing figure, by which bodies are scaled.
        from_muzzle: Sight starts at the muzzle instead of the eye, from which the games that ship look.
        figures_hide: Other figures hide what is behind them.

    Raises:
        UserError: if the standing height is not a positive number.
    """

    opacity: Mapping[TerrainKind, Opacity] = field(default_factory=dict)
    bodies: Mapping[Posture, Body] = field(default_factory=dict)
    standing_height_in: float = STANDING_HEIGHT_IN
    from_muzzle: bool = False
    figures_hide: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.standing_height_in < math.inf:
            raise UserError(f"a standing figure is more than 0 in high, not {self.standing_height_in}: measure one")

    @property
    def scale(self) -> float:
        """Size of the figures beside 54 mm ones."""
        return self.standing_height_in / STANDING_HEIGHT_IN

    def body(self, posture: Posture) -> Body:
        """The figure's body at 54 mm."""
        return self.bodies.get(posture, BODIES[posture])

    def of(self, kind: TerrainKind) -> Opacity:
        """What a kind of terrain hides."""
        return self.opacity.get(kind, OPACITY[kind])


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """F figures among M prisms: the terrain in its order, then the figures' own bodies where these are asked for.

    Attributes:
        place_in: (F, 3) what each figure stands on.
        eye_in, height_in: (F,) height of the eye above the table, of the body above its feet.
        half_width_in: (F,) of the silhouette's widest band; a part of the base's where `by_base`.
        by_base: (F,) widths go by the base.
        base_in: F arrays (N, 2), the base's outline about its centre.
        middles, below: (F, K) and (F, K, levels) strips of the silhouettes, see `rules.tabletop.body.strips`.
        solids: the prisms.
        opacity: M readings.
        owner: (M,) figure whose body a prism is, or -1.
        within: (F, M) the figure is inside the prism.
        beside: (F, M) the figure seems to be inside the prism, but leans on it.
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

    def having(self, *, veil: CoverKind | None = None, within: Within | None = None) -> BoolArray:
        """(M,) prisms of that reading."""
        return np.array([one.veil is veil or one.within is within for one in self.opacity], bool)


def scene(figures: Sequence[Figure], terrain: Sequence[TerrainPiece], rules: SightRules, *, bodies: bool) -> Scene:
    """Arrays of a table; with `bodies`, the figures themselves are among the prisms."""
    shapes = {posture: rules.body(posture) for posture in {figure.posture for figure in figures}}
    cut = {posture: strips(body) for posture, body in shapes.items()}
    own = [shapes[figure.posture] for figure in figures]
    outlines = list(standing_outlines(terrain))
    place = np.array([(f.x_in, f.y_in, f.z_in) for f in figures], np.float64).reshape(-1, 3)
    height = rules.scale * np.array([body.height_in for body in own])
    eye = rules.scale * np.array([body.muzzle_in if rules.from_muzzle else body.eye_in for body in own])
    of = tuple(rules.of(piece.kind) for piece in terrain)
    base, top = [piece.base_in for piece in terrain], [piece.top_in for piece in terrain]
    there = _inside(place, height, [Polygon(outline) for outline in outlines], terrain)
    cores = [_core(outline, one) for outline, one in zip(outlines, of, strict=True)]
    within = _inside(place, height, cores, terrain)
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
        middles=np.array([cut[figure.posture][0] for figure in figures]),
        below=np.array([cut[figure.posture][1] for figure in figures]),
        solids=prisms(outlines, base, top, [one.depth_in for one in of] + [0.0] * len(solid)),
        opacity=of + (Opacity(),) * len(solid),
        owner=np.array([-1] * len(terrain) + solid, np.intp),
        within=np.pad(within, ((0, 0), (0, len(solid)))),
        beside=np.pad(there & ~within, ((0, 0), (0, len(solid)))),
    )


def _core(outline_in: Outline, opacity: Opacity) -> Polygon:
    """Where a figure's centre is when it is inside a piece."""
    if opacity.within is Within.BESIDE:
        return Polygon()
    return Polygon(outline_in).buffer(-LEANING_IN if opacity.within is Within.OPEN else 0.0)


def _inside(
    place_in: FloatArray, height_in: FloatArray, areas: Sequence[Polygon], terrain: Sequence[TerrainPiece]
) -> BoolArray:
    """(F, M) figures with their centre in the area and their body, not only their feet, at the piece's heights."""
    inside = np.zeros((len(place_in), len(terrain)), bool)
    foot = place_in[:, 2]
    for m, (area, piece) in enumerate(zip(areas, terrain, strict=True)):
        inside[:, m] = shapely.contains_xy(area, place_in[:, 0], place_in[:, 1])
        inside[:, m] &= (foot < piece.top_in - ON_TOP_IN) & (foot + height_in > piece.base_in)
    return inside


def _body_outline(figure: Figure, body: Body, scale: float) -> Outline:
    """What a figure fills of the table on average over its height."""
    width = mean_half_width(body)
    if not body.by_base:
        return ellipse_outline(figure.centre_in, width * scale, width * scale, points=12)
    x, y = figure.centre_in
    return tuple((x + width * (u - x), y + width * (v - y)) for u, v in figure.base_in)


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """What P looks at K columns meet.

    Attributes:
        looks: eyes and columns.
        found: each crossing that hides something.
        low, high: (C,) what it hides of its column, as parts of the whole silhouette's area counted from the feet.
    """

    looks: Looks
    found: Crossings
    low: FloatArray
    high: FloatArray

    def exposure(self, counted: BoolArray) -> FloatArray:
        """(P,) part of each target's silhouette that the counted (M,) prisms leave in sight."""
        total, columns = self.looks.offset_in.shape
        keep = counted[self.found.prism]
        group = (self.found.look * columns + self.found.column)[keep]
        hidden = covered(group, self.low[keep], self.high[keep], total * columns)
        left = 1.0 - hidden.reshape(total, columns).sum(1)
        return np.asarray(np.where(left < EXACT, 0.0, left))

    def alone(self, solids: int) -> tuple[IndexArray, IndexArray, FloatArray]:
        """(look, prism, fraction) of all that hides something, each as if it were alone; in order."""
        columns = self.looks.offset_in.shape[1]
        pair = self.found.look * solids + self.found.prism
        pairs, at = np.unique(pair, return_inverse=True)
        hidden = covered(at * columns + self.found.column, self.low, self.high, len(pairs) * columns)
        return pairs // solids, pairs % solids, hidden.reshape(-1, columns).sum(1)


def look(table: Scene, shooter: IndexArray, target: IndexArray) -> Cover:
    """Looks of shooters at targets (P indices each) and what hides the targets."""
    looks = _looks(table, shooter, target)
    of, prism = near(looks, table.solids)
    matters = _matters(table, shooter[of], target[of], prism)
    found = crossings(looks, table.solids, of[matters], prism[matters])
    found = _at_both_ends(table, shooter, target, looks, found)
    low, high = hidden_heights(looks, table.solids, found)
    low, high = (_area_below(table, target[found.look], found.column, z) for z in (low, high))
    hides = high > low
    return Cover(looks, found.only(hides), low[hides], high[hides])


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
    """Whether a prism can hide anything from, or of, the two figures at all."""
    foot, eye = table.place_in[target, 2], table.eye_in[shooter]
    head = foot + table.height_in[target]
    one, other = table.within[shooter, prism], table.within[target, prism]
    keep = ~table.having(veil=CoverKind.CLEAR)[prism]
    keep &= table.solids.top_in[prism] > np.minimum(eye, foot)
    keep &= table.solids.base_in[prism] < np.maximum(eye, head)
    keep &= (table.owner[prism] != shooter) & (table.owner[prism] != target)
    keep &= ~(table.having(within=Within.OPEN)[prism] & (one | other))
    return np.asarray(keep & ~(table.having(within=Within.RIM)[prism] & one & other))


def _at_both_ends(table: Scene, shooter: IndexArray, target: IndexArray, looks: Looks, found: Crossings) -> Crossings:
    """Crossings less what hides nothing of, or for, those inside or beside a piece: see `Within`."""
    one, other, prism = shooter[found.look], target[found.look], found.prism
    first, last = found.enter == 0.0, found.leave == 1.0
    way = np.hypot(looks.distance_in[found.look], looks.offset_in[found.look, found.column])
    leaning = LEANING_IN / np.maximum(way, LEANING_IN)
    enter = np.where(table.beside[one, prism] & first, leaning, found.enter)
    leave = np.where(table.beside[other, prism] & last, 1.0 - leaning, found.leave)
    rim = table.having(within=Within.RIM)[prism]
    out, into = rim & table.within[one, prism] & first, rim & table.within[other, prism] & last
    there = replace(found, enter=np.where(out, leave, enter), leave=np.where(into, enter, leave))
    return there.only(there.enter <= there.leave)


def _area_below(table: Scene, target: IndexArray, column: IndexArray, height_in: FloatArray) -> FloatArray:
    """Part of the silhouette's area that lies in its column below a height above the table."""
    levels = table.below.shape[2]
    at = np.clip((height_in - table.place_in[target, 2]) / table.height_in[target], 0.0, 1.0) * (levels - 1)
    level = np.minimum(at.astype(np.intp), levels - 2)
    low, high = table.below[target, column, level], table.below[target, column, level + 1]
    return np.asarray(low + (high - low) * (at - level))
