"""Occlusion of upright silhouettes by prisms, seen from an eye: vectorised geometry.

Every look has an eye and `K` columns: upright lines through the target, side by side in the plane through the target's
place that faces the eye. Seen from above, the line from the eye to a column crosses a prism's outline from one part of
its length to another; a ray along that line to height z meets the prism exactly when z lies in one interval. The result
is therefore exact in height; only the width of the target is sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rules.tabletop.table import FloatArray, Outline

IndexArray = npt.NDArray[np.intp]
BoolArray = npt.NDArray[np.bool_]
_NEAREST = 1e-9  # part of the distance; avoids a division by zero when an eye touches an outline


@dataclass(frozen=True, slots=True, eq=False)
class Prisms:
    """M upright prisms with the corners of all outlines in one array.

    Attributes:
        corners_in: (N, 2) corners of all outlines.
        first, counts: (M,) index of each outline's first corner, and number of its corners.
        base_in, top_in: (M,) heights.
        depth_in: (M,) how far a ray reaches into the prism before it ends.
        middle_in, reach_in: (M, 2) and (M,) centre and radius of a circle around each outline.
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
    """Prisms over the outlines; the four sequences have the same length."""
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
    """P pairs of an eye and a target's columns.

    Attributes:
        eye_in: (P, 3) positions of the eyes.
        target_in: (P, 2) places of the targets on the table.
        offset_in: (P, K) offset of each column from the target's place, to the left of the line of sight.
        distance_in: (P,) horizontal distances from eye to target.
        forward: (P, 2) unit vectors from eye to target; +x if the eye is directly above the target.
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
    """Horizontal distances (P,) and unit vectors (P, 2) from eyes (P, 3) to targets (P, 2)."""
    offset = target_in - eye_in[:, :2]
    distance = np.hypot(offset[:, 0], offset[:, 1])
    apart = distance[:, None] > 0
    return distance, np.where(apart, offset / np.where(apart, distance[:, None], 1.0), [1.0, 0.0])


def near(looks: Looks, solids: Prisms) -> tuple[IndexArray, IndexArray]:
    """(look, prism) indices of every pair in which the prism's circle reaches the corridor between eye and target."""
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
    """C intervals in which lines from eyes to columns are inside outlines, seen from above.

    Attributes:
        look, prism, column: (C,) indices.
        enter, leave: (C,) ends of the interval as parts of the distance to the column, 0 to 1.
    """

    look: IndexArray
    prism: IndexArray
    column: IndexArray
    enter: FloatArray
    leave: FloatArray

    def only(self, keep: BoolArray) -> Crossings:
        """The crossings where `keep` is true."""
        return Crossings(self.look[keep], self.prism[keep], self.column[keep], self.enter[keep], self.leave[keep])


@dataclass(frozen=True, slots=True, eq=False)
class _EyeCorners:
    """Corners of (look, prism) pairs relative to the eye: along its line of sight and to the left of it.

    `following` is the next corner of the same outline, `pair` the index of the (look, prism) pair.
    """

    along: FloatArray
    left: FloatArray
    pair: IndexArray
    following: IndexArray


def crossings(looks: Looks, solids: Prisms, look: IndexArray, prism: IndexArray) -> Crossings:
    """All crossings of the lines from eyes to columns with the outlines of the given (look, prism) pairs.

    A concave outline can cross one line several times. Parts behind the eye or beyond the target's plane are cut off.
    The result is ordered by column, then by pair, then by distance.
    """
    corners = _in_corridor(looks, look, _corners_from_eye(looks, solids, look, prism))
    offsets = looks.offset_in.T[:, look[corners.pair]]
    beside = looks.distance_in[look[corners.pair]] * corners.left - offsets * corners.along  # its sign is the side
    side = beside >= 0
    column, corner = np.nonzero(side != side[:, corners.following])
    end = corners.following[corner]
    part = beside[column, corner] / (beside[column, corner] - beside[column, end])
    along = corners.along[corner] + part * (corners.along[end] - corners.along[corner])
    left = corners.left[corner] + part * (corners.left[end] - corners.left[corner])
    pair = corners.pair[corner]
    distance, offset = looks.distance_in[look[pair]], offsets[column, corner]
    fraction = (along * distance + left * offset) / (distance * distance + offset * offset)

    enter, leave = _paired(column * len(look) + pair, fraction)
    enter, leave = np.maximum(enter, 0.0), np.minimum(leave, 1.0)
    inside = enter < leave
    pair = pair[::2][inside]
    return Crossings(look[pair], prism[pair], column[::2][inside], enter[inside], leave[inside])


def _paired(line: IndexArray, fraction: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where lines enter and leave outlines; `line` is ascending, and each line has an even number of crossings."""
    one, other = fraction[::2], fraction[1::2]
    enter, leave = np.minimum(one, other), np.maximum(one, other)
    first = line[::2]
    again = np.flatnonzero(first[1:] == first[:-1])
    if len(again):  # concave outlines cross a line more than twice
        several = np.union1d(again, again + 1)
        fractions = np.stack([one[several], other[several]], axis=1).ravel()
        fractions = fractions[np.lexsort((fractions, np.repeat(first[several], 2)))]
        enter[several], leave[several] = fractions[::2], fractions[1::2]
    return enter, leave


def _corners_from_eye(looks: Looks, solids: Prisms, look: IndexArray, prism: IndexArray) -> _EyeCorners:
    counts = solids.counts[prism]
    first = np.cumsum(counts) - counts
    here = np.arange(counts.sum())
    following = here + 1
    following[first + counts - 1] = first
    corner = here + np.repeat(solids.first[prism] - first, counts)
    x = solids.corners_in[corner, 0] - np.repeat(looks.eye_in[look, 0], counts)
    y = solids.corners_in[corner, 1] - np.repeat(looks.eye_in[look, 1], counts)
    cos, sin = (np.repeat(part, counts) for part in looks.forward[look].T)
    return _EyeCorners(x * cos + y * sin, y * cos - x * sin, np.repeat(np.arange(len(prism)), counts), following)


def _in_corridor(looks: Looks, look: IndexArray, corners: _EyeCorners) -> _EyeCorners:
    """Only the outlines that reach the strip between eye and columns."""
    pair = corners.pair
    first = np.flatnonzero(np.r_[True, pair[1:] != pair[:-1]][: len(pair)])
    if not len(first):
        return corners
    right = np.minimum(looks.offset_in.min(1), 0.0)[look]
    left = np.maximum(looks.offset_in.max(1), 0.0)[look]
    reaches = (np.maximum.reduceat(corners.along, first) > 0) & (np.minimum.reduceat(corners.left, first) < left)
    reaches &= np.minimum.reduceat(corners.along, first) < looks.distance_in[look]
    reaches &= np.maximum.reduceat(corners.left, first) > right
    keep = reaches[pair]
    renumbered = np.cumsum(keep) - 1
    return _EyeCorners(corners.along[keep], corners.left[keep], pair[keep], renumbered[corners.following[keep]])


def hidden_heights(looks: Looks, solids: Prisms, found: Crossings) -> tuple[FloatArray, FloatArray]:
    """Heights (low, high) on its column that each crossing hides; low >= high if it hides nothing.

    A ray to height z is at height `eye + t (z - eye)` after the part t of its length. It meets the prism between enter
    and leave if z is between `eye + (base - eye) / t` and `eye + (top - eye) / t` for some t there; both bounds are
    monotonic in t. If sight reaches `depth` into the prism, z must lie between them at some t and still at t + depth.
    """
    eye = looks.eye_in[found.look, 2]
    length = np.hypot(looks.distance_in[found.look], looks.offset_in[found.look, found.column])
    depth = solids.depth_in[found.prism] / np.maximum(length, _NEAREST)
    early = np.maximum(found.enter + depth, _NEAREST)
    late = np.maximum(found.leave - depth, _NEAREST)
    under, over = solids.base_in[found.prism] - eye, solids.top_in[found.prism] - eye
    low = eye + under / np.where(under <= 0, early, late)
    high = eye + over / np.where(over >= 0, early, late)
    return low, np.where(found.leave - found.enter >= depth, high, low)


def covered(group: IndexArray, low: FloatArray, high: FloatArray, groups: int) -> FloatArray:
    """(groups,) length of the union of each group's intervals, which lie within 0 to 1."""
    start, end = 2.0 * group + low, 2.0 * group + high
    order = np.argsort(start, kind="stable")
    start, end = start[order], end[order]
    reached = np.maximum.accumulate(np.r_[-1.0, end])[:-1]
    gained = np.maximum(end - np.maximum(start, reached), 0.0)
    return np.asarray(np.bincount(group[order], gained, minlength=groups), np.float64)
