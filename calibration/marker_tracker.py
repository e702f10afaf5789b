"""Check in every frame whether the markers are still in place; cheap, because it reads only a few thousand pixels.

Each tracked marker is sampled along short lines across its edges, and at the centres of its cells. The edge crossings
on these lines give its shift, rotation and scale change since it was measured. A common edge shift (changed light) is
removed, as in `markers`. A marker that moved more than half a cell, or lies under a hand, counts as hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.markers import ImageGray, MarkerPattern, apply_homography, pattern_of, side_px, square_homography
from calibration.opencv import cv2
from rules.tabletop.table import FloatArray

MAX_TRACKED = 8
"""Tracked markers; this many, far from one another, contain as much information as a whole board."""

_EDGES, _STEPS = 40, 13  # sampling lines per marker, and samples per line
_MIN_CONTRAST = 12.0  # grey levels between ink and paper
_MIN_MATCHING_CELLS = 0.9  # share of the cells


@dataclass(frozen=True, slots=True, eq=False)
class MarkerCheck:
    """The tracked markers in one frame.

    Attributes:
        corners_px: Id -> (4, 2) corners of the markers found near their places.
        shift_px: Id -> mean distance of the corners from their expected places.
        hidden: Ids of the markers not found there.
    """

    corners_px: Mapping[int, FloatArray]
    shift_px: Mapping[int, float]
    hidden: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class MarkerTracker:
    """Precomputed samples for M tracked markers.

    Attributes:
        ids: Ids of the markers.
        corners_px: (M, 4, 2) their expected corners.
        u_px, v_px: (M, samples) the pixels to read: `_STEPS` on each of `_EDGES` lines, then the cells' centres.
        step_px: (M, 1) distance between two samples of a line.
        design: (M, _EDGES, 5) Jacobian of an edge's place on its line by shift x, y, scale, rotation and edge shift.
        paper: (M, cells) True if a cell is paper.
    """

    ids: tuple[int, ...]
    corners_px: FloatArray
    u_px: npt.NDArray[np.float32]
    v_px: npt.NDArray[np.float32]
    step_px: FloatArray
    design: FloatArray
    paper: npt.NDArray[np.bool_]

    def check(self, gray: ImageGray) -> MarkerCheck:
        """Locate the markers in a frame, which must have the size of the measured picture."""
        if not self.ids:
            return MarkerCheck({}, {}, frozenset())
        samples = np.asarray(
            cv2.remap(gray, self.u_px, self.v_px, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32
        )
        lines = samples[:, : _EDGES * _STEPS].reshape(-1, _EDGES, _STEPS)
        gap_px, clean = edge_crossings(lines, self.step_px)
        seen = (clean.mean(1) >= 0.5) & matches_print(samples[:, _EDGES * _STEPS :], self.paper)
        moved = self.corners_px + self._shifts(gap_px, clean, seen)
        away = np.linalg.norm(moved - self.corners_px, axis=2).mean(1)
        found = {number: k for k, number in enumerate(self.ids) if seen[k]}
        return MarkerCheck(
            {number: moved[k] for number, k in found.items()},
            {number: float(away[k]) for number, k in found.items()},
            frozenset(self.ids) - found.keys(),
        )

    def _shifts(self, gap_px: FloatArray, clean: npt.NDArray[np.bool_], seen: npt.NDArray[np.bool_]) -> FloatArray:
        """(M, 4, 2) shift of each corner, by robust least squares; 0 for hidden markers."""
        design, weight = self.design, clean.astype(np.float64)
        design_t = design.transpose(0, 2, 1)
        ridge = np.eye(5) * 1e-6
        for _ in range(3):
            weighted = design_t * weight[:, None]
            fit = np.linalg.solve(weighted @ design + ridge, weighted @ gap_px[..., None])
            residual = np.abs((design @ fit)[..., 0] - gap_px)
            scale = (residual * clean).sum(1, keepdims=True) / np.maximum(clean.sum(1, keepdims=True), 1) + 0.03
            weight = clean / (1 + (residual / (2 * scale)) ** 2)
        x, y, growth, turn = fit[:, :4, 0].T[..., None]
        arm = self.corners_px - self.corners_px.mean(1, keepdims=True)
        shift = np.stack(
            [x + growth * arm[..., 0] - turn * arm[..., 1], y + growth * arm[..., 1] + turn * arm[..., 0]], axis=2
        )
        return np.asarray(shift * seen[:, None, None])


def track_markers(corners_px: Mapping[int, FloatArray], dictionary: str, image_size: tuple[int, int]) -> MarkerTracker:
    """A tracker for markers with these corners (4, 2) in pictures of this size; markers outside are skipped."""
    inside = {n: c for n, c in corners_px.items() if np.isfinite(c).all() and _within(c.mean(0), image_size)}
    ids = far_apart({number: corners.mean(0) for number, corners in inside.items()})
    if not ids:
        empty = np.empty((0, 0, 2))
        no_samples = empty.astype(np.float32)
        return MarkerTracker((), empty, no_samples, no_samples, empty, empty, empty.astype(bool))
    patterns = [pattern_of(dictionary, number) for number in ids]
    maps, steps, designs = zip(*(_samples(inside[n], p) for n, p in zip(ids, patterns, strict=True)), strict=True)
    u_px, v_px = np.ascontiguousarray(np.stack(maps).transpose(2, 0, 1), np.float32)
    return MarkerTracker(
        tuple(ids),
        np.stack([inside[n] for n in ids]),
        u_px,
        v_px,
        np.array(steps)[:, None],
        np.stack(designs),
        np.stack([pattern.paper.ravel() for pattern in patterns]),
    )


def _within(px: FloatArray, image_size: tuple[int, int]) -> bool:
    return bool((px >= 0).all() and (px < image_size).all())


def far_apart(centres_px: Mapping[int, FloatArray]) -> Sequence[int]:
    """Up to `MAX_TRACKED` ids, each the one farthest from those chosen before."""
    left = dict(centres_px)
    chosen: list[int] = []
    while left and len(chosen) < MAX_TRACKED:
        near = chosen or [min(left)]
        number = max(left, key=lambda n: min(float(np.hypot(*(left[n] - centres_px[c]))) for c in near))
        chosen.append(number)
        del left[number]
    return sorted(chosen)


def _samples(corners_px: FloatArray, pattern: MarkerPattern) -> tuple[FloatArray, float, FloatArray]:
    """One marker's samples (N, 2), and its rows of `MarkerTracker.step_px` and `.design`."""
    cells = len(pattern.paper)
    h = square_homography(cells, corners_px)
    # Edges of both directions, spread over the whole print.
    chosen = np.linspace(0, len(pattern.places) - 1, _EDGES).astype(int)
    places, outward = pattern.places[chosen], pattern.outward[chosen]
    at_px = apply_homography(h, places)
    normal = apply_homography(h, places + outward * 0.05) - at_px
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    reach_px = float(np.clip(0.45 * side_px(corners_px) / cells, 1.0, 6.0))
    steps = np.linspace(-reach_px, reach_px, _STEPS)
    lines = at_px[:, None] + normal[:, None] * steps[:, None]
    row, column = np.indices(pattern.paper.shape).reshape(2, -1)
    centres = apply_homography(h, np.c_[column + 0.5, row + 0.5])
    arm = at_px - corners_px.mean(0)
    enlarged = (normal * arm).sum(1)
    turned = normal[:, 1] * arm[:, 0] - normal[:, 0] * arm[:, 1]
    design = np.c_[normal, enlarged, turned, np.ones(len(normal))]
    return np.concatenate([lines.reshape(-1, 2), centres]), float(steps[1] - steps[0]), design


def edge_crossings(
    lines: npt.NDArray[np.float32], step_px: FloatArray
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """(M, _EDGES) signed distance to each line's crossing from ink to paper, 0 if unclear; and whether it is clear."""
    dark, bright = lines[..., :3].mean(2), lines[..., -3:].mean(2)
    half = (dark + bright) / 2
    over = lines > half[..., None]
    first = np.maximum(over.argmax(2), 1)[..., None]
    before, after = np.take_along_axis(lines, first - 1, 2)[..., 0], np.take_along_axis(lines, first, 2)[..., 0]
    clean = (bright - dark > _MIN_CONTRAST) & ~over[..., 0] & over[..., -1]
    part = (half - before) / np.where(clean, after - before, 1.0)
    gap = (first[..., 0] - 1 + part - (_STEPS - 1) / 2) * step_px
    return np.where(clean, gap, 0.0), clean


def matches_print(cells: npt.NDArray[np.float32], paper: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """(M,) whether at least 90 % of the cells are dark or light as printed."""
    half = (cells.min(1) + cells.max(1)) / 2
    return np.asarray(((cells > half[:, None]) == paper).mean(1) >= _MIN_MATCHING_CELLS)
