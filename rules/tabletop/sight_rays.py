"""Rays from an eye over the table, seen from above, and the slopes below which they hide everything."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rules.tabletop.occlusion import BoolArray, Crossings, IndexArray, Looks, Prisms, hidden_heights
from rules.tabletop.table import FloatArray

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
