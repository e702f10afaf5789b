"""Baseline for `rules.tabletop.sight`: line of sight as a plain scan of every ray against every polygon.

The target is the same silhouette; rays go from the eye to its points, at heights that divide each strip's area evenly,
and are tested against every piece. Figures that touch, enter or stand on a piece, woods and screens are not supported,
so the tables for this baseline have none of these.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rules.tabletop.body import BODIES, strips
from rules.tabletop.table import Figure, FloatArray, TerrainPiece

HEIGHTS = 24
"""Rays per strip; a silhouette has eight strips."""


def scan_exposures(figures: Sequence[Figure], terrain: Sequence[TerrainPiece]) -> FloatArray:
    """(F, F) exposure of the column's figure to the row's figure; 1 on the diagonal."""
    seen = np.ones((len(figures), len(figures)))
    for a, shooter in enumerate(figures):
        for b, target in enumerate(figures):
            if a != b:
                seen[a, b] = _seen(shooter, target, terrain)
    return seen


def _seen(shooter: Figure, target: Figure, terrain: Sequence[TerrainPiece]) -> float:
    body, eye = BODIES[target.posture], shooter.z_in + BODIES[shooter.posture].eye_in
    middles, below = strips(body)
    share = below[:, -1]
    dx, dy = target.x_in - shooter.x_in, target.y_in - shooter.y_in
    far = math.hypot(dx, dy)
    left = np.array([-dy, dx]) / far
    low, high = -body.half_width_in, body.half_width_in
    if body.by_base:
        across = (np.array(target.base_in) - target.centre_in) @ left
        low, high = across.min() * body.half_width_in, across.max() * body.half_width_in
    offsets = (low + high) / 2 + middles * (high - low) / 2
    levels = np.linspace(0.0, body.height_in, below.shape[1])
    parts = (np.arange(HEIGHTS) + 0.5) / HEIGHTS
    z = target.z_in + np.array([np.interp(parts * all_, some, levels) for all_, some in zip(share, below, strict=True)])
    ends = np.array(target.centre_in) + offsets[:, None] * left
    free = np.ones(z.shape, bool)
    for piece in terrain:
        for strip, enter, leave in _inside(np.array(shooter.centre_in), ends, np.array(piece.outline_in)):
            rise = z[strip] - eye
            first, last = eye + enter * rise, eye + leave * rise
            free[strip] &= (np.maximum(first, last) < piece.base_in) | (np.minimum(first, last) > piece.top_in)
    return float(free.mean(axis=1) @ share)


def _inside(start_in: FloatArray, ends_in: FloatArray, corners_in: FloatArray) -> Iterator[tuple[int, float, float]]:
    """Sections of lines from one place to several over a polygon: index of the line, start and end (0 to 1)."""
    ways, sides = ends_in - start_in, np.roll(corners_in, -1, axis=0) - corners_in
    to = corners_in - start_in
    across = ways[:, :1] * sides[:, 1] - ways[:, 1:] * sides[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        along = (to[:, 0] * sides[:, 1] - to[:, 1] * sides[:, 0]) / across
        along_side = (to[:, 0] * ways[:, 1:] - to[:, 1] * ways[:, :1]) / across
    cut = (along_side >= 0) & (along_side < 1) & (across != 0)
    for line in np.flatnonzero(cut.any(axis=1)):
        cuts = np.sort(along[line, cut[line]]).tolist()
        for enter, leave in zip(cuts[::2], cuts[1::2], strict=False):
            if enter < 1 and leave > 0:
                yield int(line), max(0.0, enter), min(1.0, leave)
