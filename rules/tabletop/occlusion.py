"""What prisms hide of upright silhouettes, seen from an eye: plain geometry, many at once.

Every look has an eye and `K` upright lines through the target, its columns, side by side in the plane through the
target's place that faces the eye. Seen from above, the line from the eye to a column runs over a prism's outline from
one part of its length to another; a ray up that line to height z meets the prism exactly when z lies in one interval.
So what is hidden is exact in height, and only across the target is anything sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rules.tabletop.table import FloatArray, Outline

IndexArray = npt.NDArray[np.intp]
BoolArray = npt.NDArray[np.bool_]
_NEAREST = 1e-9  # part of the way: an eye that touches an outline divides by this, not by zero


@dataclass(frozen=True, slots=True, eq=False)
class Prisms:
    """Upright prisms, their corners laid end to end.

    Attributes:
        corners_in: (N, 2) corners of all outlines.
        first, counts: (M,) index of each outline's first corner, and number of its corners.
        base_in, top_in: (M,) heights.
        depth_in: (M,) how far a ray gets into the prism before it ends.
        middle_in, reach_in: (M, 2) and (M,) a circle round each outline.
    """

    corners_in: FloatArray
    first: IndexArray
    counts: IndexArray
    base_in: FloatArray
    top_in: FloatArray
    depth_in: FloatArray
    middle_in: FloatArray
    reach_in: FloatArray


def prisms(
    outlines_in: Sequence[Outline], base_in: Sequence[float], top_in: Sequence[float], depth_in: Sequence[float]
) -> Prisms:
    """Prisms over the outlines; the four sequences have one length."""
    rings = [np.asarray(outline, np.float64) for outline in outlines_in]
    counts = np.array([len(ring) for ring in rings], np.intp)
    middles = np.array([(ring.min(0) + ring.max(0)) / 2 for ring in rings]).reshape(-1, 2)
    reach = [np.linalg.norm(ring - middle, axis=1).max() for ring, middle in zip(rings, middles, strict=True)]
    return Prisms(
        corners_in=np.concatenate([np.empty((0, 2)), *rings]),
        first=np.cumsum(counts) - counts,
        counts=counts,
        base_in=np.array(base_in, np.float64),
        top_in=np.array(top_in, np.float64),
        depth_in=np.array(depth_in, np.float64),
        middle_in=middles,
        reach_in=np.array(reach, np.float64),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """Pairs of an eye and a target's columns.

    Attributes:
        eye_in: (P, 3) where each look starts.
        target_in: (P, 2) place of each target on the table.
        offset_in: (P, K) of each column from the target's place, to the left of the line of sight.
        distance_in: (P,) from eye to target over the table.
        forward: (P, 2) unit vectors from eye to target; +x where the eye is right above the target.
    """

    eye_in: FloatArray
    target_in: FloatArray
    offset_in: FloatArray
    distance_in: FloatArray
    forward: FloatArray

    @property
    def columns_in(self) -> FloatArray:
        """(P, K, 2) places of the columns on the table."""
        left = self.forward[:, ::-1] * [-1.0, 1.0]
        return np.asarray(self.target_in[:, None] + self.offset_in[:, :, None] * left[:, None])


def directions(eye_in: FloatArray, target_in: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Distances (P,) over the table and unit vectors (P, 2) from eyes (P, 3) to targets (P, 2)."""
    away = target_in - eye_in[:, :2]
    distance = np.hypot(away[:, 0], away[:, 1])
    apart = distance[:, None] > 0
    return distance, np.where(apart, away / np.where(apart, distance[:, None], 1.0), [1.0, 0.0])


def near(looks: Looks, solids: Prisms) -> tuple[IndexArray, IndexArray]:
    """(look, prism) of every pair whose prism's circle reaches the corridor between eye and target."""
    half = np.abs(looks.offset_in).max(1, keepdims=True)
    dx = solids.middle_in[:, 0] - looks.eye_in[:, :1]
    dy = solids.middle_in[:, 1] - looks.eye_in[:, 1:2]
    cos, sin = looks.forward[:, :1], looks.forward[:, 1:]
    along = cos * dx + sin * dy
    reach = solids.reach_in
    touching = (along >= -reach) & (along <= looks.distance_in[:, None] + reach)
    touching &= np.abs(cos * dy - sin * dx) <= reach + half
    look, prism = np.nonzero(touching)
    return look, prism


@dataclass(frozen=True, slots=True, eq=False)
class Crossings:
    """Where lines from eyes to columns run over outlines, seen from above.

    Attributes:
        look, prism, column: (C,) indices.
        enter, leave: (C,) parts of the way to the column, 0 to 1.
    """

    look: IndexArray
    prism: IndexArray
    column: IndexArray
    enter: FloatArray
    leave: FloatArray

    def only(self, keep: BoolArray) -> Crossings:
        """Those that are kept."""
        return Crossings(self.look[keep], self.prism[keep], self.column[keep], self.enter[keep], self.leave[keep])


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """Corners of (look, prism) pairs as an eye has them: along its line of sight and to the left of it.

    `following` is the next corner of the same outline, `pair` the index of the (look, prism) pair.
    """

    along: FloatArray
    left: FloatArray
    pair: IndexArray
    following: IndexArray


def crossings(looks: Looks, solids: Prisms, look: IndexArray, prism: IndexArray) -> Crossings:
    """All stretches of the lines from eyes to columns over the outlines of the given (look, prism) pairs.

    An outline that turns back gives several stretches of one line. What lies behind the eye or past the target's
    plane is cut off. In the order of the columns, then of the pairs, then by distance.
    """
    seen = _in_corridor(looks, look, _corners_seen(looks, solids, look, prism))
    offsets = looks.offset_in.T[:, look[seen.pair]]
    past = looks.distance_in[look[seen.pair]] * seen.left - offsets * seen.along
    side = past >= 0
    column, corner = np.nonzero(side != side[:, seen.following])
    end = seen.following[corner]
    part = past[column, corner] / (past[column, corner] - past[column, end])
    along = seen.along[corner] + part * (seen.along[end] - seen.along[corner])
    left = seen.left[corner] + part * (seen.left[end] - seen.left[corner])
    pair = seen.pair[corner]
    distance, offset = looks.distance_in[look[pair]], offsets[column, corner]
    way = (along * distance + left * offset) / (distance * distance + offset * offset)

    enter, leave = _by_twos(column * len(look) + pair, way)
    enter, leave = np.maximum(enter, 0.0), np.minimum(leave, 1.0)
    inside = enter < leave
    pair = pair[::2][inside]
    return Crossings(look[pair], prism[pair], column[::2][inside], enter[inside], leave[inside])


def _by_twos(line: IndexArray, way: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where lines enter and leave outlines; `line` rises, and each leaves its outline as often as it enters it."""
    one, other = way[::2], way[1::2]
    enter, leave = np.minimum(one, other), np.maximum(one, other)
    first = line[::2]
    again = np.flatnonzero(first[1:] == first[:-1])
    if len(again):  # outlines that turn back: more than two crossings of a line
        several = np.union1d(again, again + 1)
        ways = np.stack([one[several], other[several]], axis=1).ravel()
        ways = ways[np.lexsort((ways, np.repeat(first[several], 2)))]
        enter[several], leave[several] = ways[::2], ways[1::2]
    return enter, leave


def _corners_seen(looks: Looks, solids: Prisms, look: IndexArray, prism: IndexArray) -> _Seen:
    counts = solids.counts[prism]
    first = np.cumsum(counts) - counts
    here = np.arange(counts.sum())
    following = here + 1
    following[first + counts - 1] = first
    corner = here + np.repeat(solids.first[prism] - first, counts)
    x = solids.corners_in[corner, 0] - np.repeat(looks.eye_in[look, 0], counts)
    y = solids.corners_in[corner, 1] - np.repeat(looks.eye_in[look, 1], counts)
    cos, sin = (np.repeat(part, counts) for part in looks.forward[look].T)
    return _Seen(x * cos + y * sin, y * cos - x * sin, np.repeat(np.arange(len(prism)), counts), following)


def _in_corridor(looks: Looks, look: IndexArray, seen: _Seen) -> _Seen:
    """Only the outlines that reach the strip of table between eye and columns."""
    first = np.flatnonzero(np.r_[True, seen.pair[1:] != seen.pair[:-1]][: len(seen.pair)])
    if not len(first):
        return seen
    right = np.minimum(looks.offset_in.min(1), 0.0)[look]
    left = np.maximum(looks.offset_in.max(1), 0.0)[look]
    reaches = (np.maximum.reduceat(seen.along, first) > 0) & (np.minimum.reduceat(seen.left, first) < left)
    reaches &= np.minimum.reduceat(seen.along, first) < looks.distance_in[look]
    reaches &= np.maximum.reduceat(seen.left, first) > right
    keep = reaches[seen.pair]
    renumbered = np.cumsum(keep) - 1
    return _Seen(seen.along[keep], seen.left[keep], seen.pair[keep], renumbered[seen.following[keep]])


def hidden_heights(looks: Looks, solids: Prisms, found: Crossings) -> tuple[FloatArray, FloatArray]:
    """Heights (low, high) on its column that each crossing hides; low >= high where it hides nothing.

    A ray to height z is at `eye + t (z - eye)` at the part t of its way. It meets the prism between enter and leave
    when z is between `eye + (base - eye) / t` and `eye + (top - eye) / t` for some t there; both bounds move one way
    with t. Where sight gets `depth` into the prism, z must lie between them at some t and still at t + depth.
    """
    eye = looks.eye_in[found.look, 2]
    way = np.hypot(looks.distance_in[found.look], looks.offset_in[found.look, found.column])
    depth = solids.depth_in[found.prism] / np.maximum(way, _NEAREST)
    early = np.maximum(found.enter + depth, _NEAREST)
    late = np.maximum(found.leave - depth, _NEAREST)
    under, over = solids.base_in[found.prism] - eye, solids.top_in[found.prism] - eye
    low = eye + under / np.where(under <= 0, early, late)
    high = eye + over / np.where(over >= 0, early, late)
    return low, np.where(found.leave - found.enter >= depth, high, low)


def covered(group: IndexArray, low: FloatArray, high: FloatArray, groups: int) -> FloatArray:
    """(groups,) length of the union of each group's intervals, all within 0 to 1."""
    start, end = 2.0 * group + low, 2.0 * group + high
    order = np.argsort(start, kind="stable")
    start, end = start[order], end[order]
    reached = np.maximum.accumulate(np.r_[-1.0, end])[:-1]
    gained = np.maximum(end - np.maximum(start, reached), 0.0)
    return np.asarray(np.bincount(group[order], gained, minlength=groups), np.float64)
