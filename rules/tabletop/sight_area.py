"""The ground that a figure sees: the cells of a grid on which it would see a standing figure.

Each cell gets the verdict that `rules.tabletop.sight.sight` gives for a standing figure in its middle. Seen from above,
rays leave the eye in all directions, one cell apart at the farthest corner. Along a ray, everything below a slope is
hidden, and this slope never falls with the distance. That decides most cells: a strip of the figure is in sight if the
slope passes below its top. The cells that this leaves open go through `rules.tabletop.scene.find_cover`, with the
crossings of the rays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry import Polygon

from rules.tabletop.errors import user_error
from rules.tabletop.measure import STANDABLE_KINDS
from rules.tabletop.occlusion import BoolArray, Crossings, IndexArray, Looks, Prisms, hidden_heights
from rules.tabletop.opacity import CoverKind, Within, standing_outlines
from rules.tabletop.scene import Scene, SightRules, crossings_that_matter, find_cover, scene, within_and_beside
from rules.tabletop.sight import SLIVER
from rules.tabletop.table import Figure, FloatArray, Outline, Posture, TerrainPiece, ellipse_outline

Float32Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Rays:
    """A rays from an eye at equal angles, and their C crossings with the M prisms.

    Attributes:
        eye_in: (3,) place of the eye.
        count: A.
        reach_in: Length of the rays.
        ray, prism: (C,) indices, ordered by prism and ray.
        enter_in, leave_in: (C,) distances from the eye.
        low, high: (C,) slopes between which each crossing hides everything behind it; equal if it hides nothing.
        first: (M A + 1,) index of the first crossing of each prism and ray.
        solids: The prisms.
    """

    eye_in: FloatArray
    count: int
    reach_in: float
    ray: IndexArray
    prism: IndexArray
    enter_in: FloatArray
    leave_in: FloatArray
    low: FloatArray
    high: FloatArray
    first: IndexArray
    solids: Prisms

    def nearest(self, turn_rad: FloatArray) -> IndexArray:
        """The rays closest to angles."""
        return np.rint(turn_rad * (self.count / (2 * np.pi))).astype(np.intp) % self.count

    def find(self, looks: Looks, solids: Prisms, look: IndexArray, prism: IndexArray) -> Crossings:
        """The crossings of the (look, prism) pairs, taken from the ray next to each column."""
        x, y = np.moveaxis(looks.columns_in[look] - self.eye_in[:2], 2, 0)
        length = np.maximum(np.hypot(x, y), 1e-9)
        line = (prism[:, None] * self.count + self.nearest(np.arctan2(y, x))).ravel()
        each = self.first[line + 1] - self.first[line]
        which = np.repeat(np.arange(len(line)), each)
        crossing = np.arange(len(which)) + np.repeat(self.first[line] - (np.cumsum(each) - each), each)
        pair, column = np.divmod(which, x.shape[1])
        enter, leave = (part[crossing] / length.flat[which] for part in (self.enter_in, self.leave_in))
        found = Crossings(look[pair], prism[pair], column, enter, np.minimum(leave, 1.0))
        return found.only(enter < 1.0)


def rays_of(looks: Looks, solids: Prisms, found: Crossings) -> Rays:
    """The rays along A looks with one column each: all from one eye, of one length and at equal angles from 0."""
    eye_in, reach_in, count = looks.eye_in[0], float(looks.distance_in[0]), len(looks.eye_in)
    low, high = ((height - eye_in[2]) / reach_in for height in hidden_heights(looks, solids, found))
    line = found.prism * count + found.look
    order = np.argsort(line, kind="stable")
    return Rays(
        eye_in,
        count,
        reach_in,
        found.look[order],
        found.prism[order],
        reach_in * found.enter[order],
        reach_in * found.leave[order],
        low[order],
        np.maximum(low, high)[order],
        np.r_[0, np.cumsum(np.bincount(line, minlength=len(solids.counts) * count))],
        solids,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """N places: polar coordinates about the eye, height, and how near the pieces around them are.

    `piece_in` is the least distance from the eye to a piece that contains the place; infinite if none does.
    """

    turn_rad: Float32Array
    away_in: Float32Array
    foot_in: Float32Array
    piece_in: Float32Array

    def take(self, chosen: IndexArray) -> Places:
        """Only the chosen places."""
        parts = (self.turn_rad, self.away_in, self.foot_in, self.piece_in)
        return Places(*(part.take(chosen) for part in parts))


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """The slopes that limit sight along each of A rays, in bins of the distance.

    Attributes:
        eye_in, bin_in: Height of the eye, and length of a bin.
        row: (3 A,) index of each ray's first bin, three times round; rays that meet nothing share one row of bins.
        horizon: Everything below this slope is hidden.
        low, high: What hangs above the ground hides nothing below and above these slopes; empty if nothing hangs.
    """

    eye_in: float
    bin_in: float
    row: IndexArray
    horizon: Float32Array
    low: Float32Array
    high: Float32Array

    def hidden_to(
        self, places: Places, offset_in: float, height_in: float, limit_in: Float32Array | None = None
    ) -> tuple[Float32Array, BoolArray]:
        """(N,) up to which height an upright strip is hidden at each place, and whether nothing else hides any of it.

        Args:
            places: The places.
            offset_in: Offset of the strip to the left of the line from the eye to the place.
            height_in: Its height.
            limit_in: (N,) only what is nearer to the eye than these distances counts.
        """
        offset, eye_in, count = np.float32(offset_in), np.float32(self.eye_in), len(self.row) // 3
        turn = places.turn_rad + np.arctan(offset / places.away_in)
        row = self.row.take(np.rint(turn * np.float32(count / (2 * np.pi))).astype(np.intp) + count)
        away_in = np.sqrt(places.away_in**2 + offset**2)
        until_in = away_in if limit_in is None else np.minimum(away_in, limit_in - np.float32(self.bin_in))
        at = row + np.rint(np.maximum(until_in, 0) * np.float32(1 / self.bin_in)).astype(np.intp)
        hidden_to = eye_in + self.horizon.take(at, mode="clip") * away_in
        if not len(self.low):
            return hidden_to, np.ones(1, bool)
        is_clear = eye_in + self.high.take(at, mode="clip") * away_in <= np.maximum(hidden_to, places.foot_in)
        is_clear |= eye_in + self.low.take(at, mode="clip") * away_in >= places.foot_in + np.float32(height_in)
        return hidden_to, is_clear


def slopes_of(rays: Rays, bin_in: float) -> Slopes:
    """The slopes along rays."""
    hides = np.flatnonzero(rays.high > rays.low)
    prism, low, high = rays.prism[hides], rays.low[hides], rays.high[hides]
    above_in, depth_in = rays.solids.top_in[prism] - rays.eye_in[2], rays.solids.depth_in[prism]
    hangs = rays.solids.base_in[prism] > min(0.0, rays.eye_in[2])
    met, row = np.unique(rays.ray[hides], return_inverse=True)
    shape = (len(met) + 1, math.ceil(rays.reach_in / bin_in) + 2)
    from_in, to_in = rays.enter_in[hides] + depth_in, rays.leave_in[hides]
    begin, end = (np.rint(at_in / bin_in).astype(np.intp) for at_in in (from_in, to_in))
    first = (row + 1) * shape[1] + begin

    # Over a prism below the eye the horizon rises up to its far edge.
    length = np.where((above_in < 0) & ~hangs, np.maximum(end - begin, 0), 0)
    over = np.repeat(np.arange(len(hides)), length)
    step = np.arange(len(over)) - np.repeat(np.cumsum(length) - length, length)
    rising = above_in[over] / np.maximum((begin[over] + step) * bin_in - depth_in[over], bin_in / 2)

    def grid(keep: np.ufunc, nothing: float, at: IndexArray, slope: FloatArray) -> Float32Array:
        filled = np.full(shape, nothing, np.float32)
        keep.at(filled.reshape(-1), at, slope.astype(np.float32))
        return np.asarray(keep.accumulate(filled, axis=1).ravel(), np.float32)

    row_of = np.zeros(rays.count, np.intp)
    row_of[met] = np.arange(1, len(met) + 1)
    events = np.r_[(first + length)[~hangs], first[over] + step]
    horizon = grid(np.maximum, -math.inf, events, np.r_[high[~hangs], rising])
    between = (np.empty(0, np.float32), np.empty(0, np.float32))
    if hangs.any():
        between = (
            grid(np.minimum, math.inf, first[hangs], low[hangs]),
            grid(np.maximum, -math.inf, first[hangs], high[hangs]),
        )
    return Slopes(rays.eye_in[2], bin_in, np.tile(shape[1] * row_of, 3), horizon, *between)


MOST_CELLS = 4_000_000
_LEAST_AWAY_IN = 1e-3
_HALF_BASE_IN = 0.5
_BLOCK = 2048  # places per batch, so that the arrays stay in the processor's cache


@dataclass(frozen=True, slots=True)
class Cells:
    """A grid of square cells over a part of the table; row 0 is the nearest, column 0 the leftmost.

    Raises:
        UserError: if the part has no area, or more cells than `MOST_CELLS`.
    """

    left_in: float
    near_in: float
    right_in: float
    far_in: float
    cell_in: float = 0.1

    def __post_init__(self) -> None:
        if not (self.left_in < self.right_in and self.near_in < self.far_in and self.cell_in > 0):
            raise user_error("this part of the table has no area: set the area of play again")
        if self.shape[0] * self.shape[1] > MOST_CELLS:
            raise user_error("this part of the table is too large to compute: set the area of play")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return (
            math.ceil((self.far_in - self.near_in) / self.cell_in - 1e-9),
            math.ceil((self.right_in - self.left_in) / self.cell_in - 1e-9),
        )

    @property
    def middles_in(self) -> tuple[FloatArray, FloatArray]:
        """x of the columns and y of the rows."""
        rows, columns = self.shape
        x, y = (np.arange(count, dtype=np.float64) + 0.5 for count in (columns, rows))
        return self.left_in + self.cell_in * x, self.near_in + self.cell_in * y

    def inside(self, outline_in: Outline | FloatArray) -> IndexArray:
        """Flat indices of the cells whose middles are inside an outline."""
        (left, low), (right, high) = np.min(outline_in, 0), np.max(outline_in, 0)
        x, y = self.middles_in
        columns, rows = (slice(*np.searchsorted(axis, ends)) for axis, ends in ((x, (left, right)), (y, (low, high))))
        u, v = np.meshgrid(x[columns], y[rows])
        area = Polygon(outline_in)
        shapely.prepare(area)
        found = np.nonzero(shapely.contains_xy(area, u, v))
        return np.asarray((found[0] + rows.start) * self.shape[1] + found[1] + columns.start, np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The N cells of a part of the table with its terrain.

    Attributes:
        cells, terrain: The cells and all terrain pieces.
        height_in: (rows, columns) height of the surface, as by `rules.tabletop.measure.surface_in`.
        inside: For each piece the flat indices of the cells inside what blocks sight of it.
    """

    cells: Cells
    terrain: tuple[TerrainPiece, ...]
    height_in: FloatArray
    inside: tuple[IndexArray, ...]


def ground_of(cells: Cells, terrain: Sequence[TerrainPiece]) -> Ground:
    """The ground of a part of the table."""
    height_in = np.zeros(cells.shape)
    for piece in terrain:
        if piece.kind in STANDABLE_KINDS:
            here = cells.inside(piece.outline_in)
            height_in.flat[here] = np.maximum(height_in.flat[here], piece.top_in)
    return Ground(cells, tuple(terrain), height_in, tuple(map(cells.inside, standing_outlines(terrain))))


def ground_in_sight(
    shooter: Figure,
    ground: Ground,
    figures: Sequence[Figure] = (),
    rules: SightRules | None = None,
    where: BoolArray | None = None,
) -> BoolArray:
    """(rows, columns) whether the shooter would see a standing figure in the middle of each cell.

    Args:
        shooter: The figure that looks.
        ground: The ground.
        figures: The figures that may stand in the way, if the rules count them; the shooter may be among them.
        rules: The ruleset's rules for lines of sight, as in `rules.tabletop.sight.sight`.
        where: (rows, columns) the cells to compute, by default all; the others are False.
    """
    rules = rules or SightRules()
    others = [figure for figure in figures if figure.id != shooter.id]
    table = scene([shooter, *others], ground.terrain, rules, bodies=rules.figures_hide)
    target = _standing(rules)
    found = np.zeros(ground.cells.shape, bool)
    chosen = slice(None) if where is None else np.flatnonzero(where)
    x, y = ground.cells.middles_in
    dx, dy = (part.ravel()[chosen] for part in np.meshgrid(_relative(x, shooter.x_in), _relative(y, shooter.y_in)))
    if len(dx):
        away = np.maximum(np.hypot(dx, dy), np.float32(_LEAST_AWAY_IN))
        rays = _rays(table, target, ground, float(away.max()))
        foot = ground.height_in.ravel()[chosen].astype(np.float32)
        places = Places(np.arctan2(dy, dx), away, foot, _nearest_pieces(rays, ground, rules, target)[chosen])
        seen, left = _by_slopes(slopes_of(rays, ground.cells.cell_in), target, places)
        at = np.arange(found.size)[chosen][left]
        place_in = np.c_[x[at % len(x)], y[at // len(x)], ground.height_in.flat[at]]
        seen[left] = _by_looking(rays, table, target, place_in, ground.terrain, rules)
        found.reshape(-1)[chosen] = seen
    return found


def _relative(places_in: FloatArray, origin_in: float) -> Float32Array:
    return np.asarray(places_in - origin_in, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class _Target:
    """The standing figure that might be seen.

    Attributes:
        scene: It alone on an empty table.
        offset_in: (K,) its strips' offsets to the left of the line of sight.
        open_in: (K,) height above which exactly a sliver of the silhouette is in each strip; -inf for smaller strips.
        top_in: (K,) top of each strip.
    """

    scene: Scene
    offset_in: FloatArray
    open_in: FloatArray
    top_in: FloatArray

    @property
    def height_in(self) -> float:
        return float(self.scene.height_in[0])

    def at(self, table: Scene, place_in: FloatArray, within: BoolArray, beside: BoolArray) -> Scene:
        """The table with its first figure, the shooter, and then this target at each of the places (P, 3)."""
        count, bodies = len(place_in) + 1, table.within.shape[1] - within.shape[1]

        def each(of_target: FloatArray) -> FloatArray:
            return np.broadcast_to(of_target[0], (count, *of_target.shape[1:]))

        return replace(
            table,
            place_in=np.r_[table.place_in[:1], place_in],
            height_in=each(self.scene.height_in),
            half_width_in=each(self.scene.half_width_in),
            by_base=np.zeros(count, bool),
            middles=each(self.scene.middles),
            below=each(self.scene.below),
            owner=np.where(table.owner == 0, 0, -1),
            within=np.r_[table.within[:1], np.pad(within, ((0, 0), (0, bodies)))],
            beside=np.r_[table.beside[:1], np.pad(beside, ((0, 0), (0, bodies)))],
        )


def _standing(rules: SightRules) -> _Target:
    outline = ellipse_outline((0.0, 0.0), _HALF_BASE_IN, _HALF_BASE_IN)
    alone = scene([Figure("", "", 0.0, 0.0, 0.0, 0.0, Posture.STANDING, outline)], (), rules, bodies=False)
    half_width_in = alone.half_width_in * np.where(alone.by_base, _HALF_BASE_IN, 1.0)
    alone = replace(alone, half_width_in=half_width_in)
    above = alone.below[0, :, -1:] - alone.below[0]
    heights = np.linspace(0.0, alone.height_in[0], above.shape[1])
    open_in = np.array([np.interp(-SLIVER, -part, heights, left=-math.inf) for part in above])
    return _Target(alone, half_width_in[0] * alone.middles[0], open_in, heights[(above > 0).sum(1)])


def _rays(table: Scene, target: _Target, ground: Ground, away_in: float) -> Rays:
    """Rays from the shooter's eye to cells at most so far away, one cell apart at their ends."""
    eye_in = np.r_[table.place_in[0, :2], table.eye_in[0]]
    reach_in = away_in + 1.0  # the strips of a figure are a little farther away than its middle
    count = math.ceil(2 * math.pi * reach_in / ground.cells.cell_in)
    turn = np.arange(count) * (2 * math.pi / count)
    forward = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    eyes, ends = np.tile(eye_in, (count, 1)), eye_in[:2] + reach_in * forward
    looks = Looks(eyes, ends, np.zeros((count, 1)), np.full(count, reach_in), forward)
    outside = np.zeros((1, table.within.shape[1]), bool)
    beyond = target.at(table, np.zeros((1, 3)), outside, outside)
    beyond = replace(beyond, height_in=np.full(2, ground.height_in.max() + target.height_in))
    found = crossings_that_matter(beyond, np.zeros(count, np.intp), np.ones(count, np.intp), looks)
    return rays_of(looks, table.solids, found)


_ORDER = (3, 7, 0, 4, 6, 1, 5, 2)
"""Strips of the figure, those first that are likely to be in sight while their neighbours are not."""


def _by_slopes(slopes: Slopes, target: _Target, places: Places) -> tuple[BoolArray, IndexArray]:
    """(N,) where a figure is certainly seen, and the places at which the slopes do not decide."""
    seen = np.zeros(len(places.away_in), bool)
    left, rest = np.arange(len(seen)), places
    dark = np.ones(len(seen), bool)
    for strip in _ORDER:
        hidden_to, is_clear = slopes.hidden_to(rest, target.offset_in[strip], target.height_in)
        is_seen = is_clear & (hidden_to <= rest.foot_in + np.float32(target.open_in[strip]))
        dark &= hidden_to >= rest.foot_in + np.float32(target.top_in[strip])
        seen[left[is_seen]] = True
        open_ = np.flatnonzero(~is_seen)
        left, dark, rest = left.take(open_), dark.take(open_), rest.take(open_)
    # A piece hides less of a figure in it than of one behind it: there, only what is in front of the piece counts.
    within = np.flatnonzero(dark & np.isfinite(rest.piece_in))
    rest = rest.take(within)
    dark[within] = True
    for strip in _ORDER:
        hidden_to, _ = slopes.hidden_to(rest, target.offset_in[strip], target.height_in, rest.piece_in)
        dark[within] &= hidden_to >= rest.foot_in + np.float32(target.top_in[strip])
    return seen, left[~dark]


def _nearest_pieces(rays: Rays, ground: Ground, rules: SightRules, target: _Target) -> Float32Array:
    """(N,) least distance from the eye to the pieces that a figure would be inside of; infinite if there are none."""
    height_in, nearest = ground.height_in.ravel(), np.full(ground.height_in.size, math.inf, np.float32)
    for number, (piece, here) in enumerate(zip(ground.terrain, ground.inside, strict=True)):
        opacity = rules.of(piece.kind)
        if opacity.cover_kind is not CoverKind.CLEAR and opacity.within is not Within.FILLED:
            foot_in = height_in[here]
            here = here[(foot_in < piece.top_in) & (foot_in + target.height_in > piece.base_in)]
            least_in = rays.enter_in[rays.prism == number].min(initial=math.inf)
            nearest[here] = np.minimum(nearest[here], least_in)
    return nearest


def _by_looking(
    rays: Rays,
    table: Scene,
    target: _Target,
    place_in: FloatArray,
    terrain: Sequence[TerrainPiece],
    rules: SightRules,
) -> BoolArray:
    """(P,) whether the shooter sees a figure at each of the places (P, 3), by its exposure."""
    counted = np.ones(len(table.opacity), bool)
    height_in = np.full(len(place_in), target.height_in)
    ground = target.at(table, place_in, *within_and_beside(place_in, height_in, terrain, rules))
    seen = np.zeros(len(place_in), bool)
    for begin in range(0, len(place_in), _BLOCK):
        number = np.arange(begin, min(begin + _BLOCK, len(place_in)))
        cover = find_cover(ground, np.zeros(len(number), np.intp), number + 1, rays.find)
        seen[number] = cover.exposure(counted) >= SLIVER
    return seen
