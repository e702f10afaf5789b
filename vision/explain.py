"""Evidence explained by soldiers: which silhouettes, where, gather most of it.

Each patch of evidence is explained by the silhouette that gathers most of it with the fewest holes: a base, and a body
that leans outwards from the camera. What a silhouette explains is taken away, so that soldiers who touch come apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2
from rules.table import Posture
from vision.palette import FloatImage
from vision.posture import UPRIGHT, Stance, upright_stance, window_half
from vision.segment import EVIDENCE_LIMIT, disc
from vision.sheet import BoolImage, Sheet
from vision.silhouette import REACH_IN, Shape, draw_all, shapes

SEARCH_IN = 0.7  # how far from its patch of evidence a base may stand
_BASE_RADIUS_IN = 0.42
_LEAST_PEAK = 0.25  # of the evidence limit, averaged over a base: below it nobody stands there
_LEAST_RISE = 0.65  # of it, between a base and what is an inch off
_LEAST_FILL = {
    Posture.STANDING: 0.35,
    Posture.KNEELING: 0.35,
    Posture.PRONE: 0.28,
    Posture.DOWN: 0.2,
}  # of the evidence limit
_NEIGHBOUR_IN2 = 0.3  # evidence left over by one soldier that may be another one
_LYING = {Posture.STANDING: 0, Posture.KNEELING: 0, Posture.PRONE: 1, Posture.DOWN: 2}
_NEIGHBOUR_COST = 0.4  # of it: two soldiers where one would do
_GROUPS = (slice(0, 12), slice(12, 20), slice(20, 32))  # upright, prone and down among the shapes
_BARE = (slice(32, 40),)  # prone without a base: part of everybody else, so tried when nothing else will do
_CROWD = 0.5  # of it, at most, may be owed to neighbours left out of account
_RING = 0.2  # weight of evidence just outside a silhouette against evidence inside
_STEP = 2  # pixels of the coarse search, and of the picture it is done on
_ROUNDS = 2
_LEAST_SEEN = 0.3  # of a silhouette, past the terrain in front of it


_Pixel = TypeVar("_Pixel", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Explained:
    """The best explanation of a patch: where, as what, and how much of the silhouette is filled with evidence.

    The shape says what the patch is explained by; `stance` tells a standing one from a kneeling one more finely.
    """

    army: int
    shape: Shape
    column: float
    row: float
    mask: FloatImage
    score: float
    fill: float
    stance: Stance

    @property
    def worth(self) -> float:
        """The evidence, counting for more the fuller the silhouette is: a body has no holes."""
        return self.score * self.fill


class Explainer:
    """One sheet with its evidence, explained figure by figure."""

    def __init__(self, sheet: Sheet, inside: BoolImage, seen: FloatImage, evidence: FloatImage, scale: float) -> None:
        """Prepare a search; `evidence` is used up by it.

        Args:
            sheet: the surface, R rows and C columns.
            inside: (R, C), where figures may stand.
            seen: (R, C), 1 where the surface is seen past the terrain, else 0.
            evidence: (A, R, C) for each army.
            scale: the figures' standing height / 2.1 in.
        """
        self.sheet, self.inside, self.evidence, self.seen, self.scale = sheet, inside, evidence, seen, scale
        self.reach = math.ceil(REACH_IN * scale * sheet.px_per_in)
        self.room = math.ceil(SEARCH_IN * scale * sheet.px_per_in)

    def figures(self, whole: FloatImage) -> list[tuple[Explained, float]]:
        """Every figure, with its contrast against `whole`, the evidence with all clutter in it."""
        fits: list[Explained] = []
        tried: dict[tuple[int, int, int], bool] = {}
        for _ in range(_ROUNDS):
            peaks = [peak for peak in self._peaks() if peak not in tried]
            for peak in peaks:
                tried[peak] = self._settle(peak, _GROUPS, fits)
            if not peaks:
                break
        for peak in (peak for peak, explained in tried.items() if not explained):
            self._settle(peak, _BARE, fits)
        return list(zip(fits, self._contrasts(whole, fits), strict=True))

    def _settle(self, peak: tuple[int, int, int], groups: Sequence[slice], fits: list[Explained]) -> bool:
        """Add the figure at a peak and take away what he explains, if there is one."""
        fit = self._fit(*peak, groups)
        if fit is None or fit.fill < _LEAST_FILL[fit.shape.posture]:
            return False
        fits.append(replace(fit, stance=self._stance(fit)))
        self._claim(fit)
        return True

    def _contrasts(self, whole: FloatImage, fits: Sequence[Explained]) -> list[float]:
        """By how much of the evidence limit each silhouette differs from a ring round it, neighbours apart."""
        owner = np.zeros(whole.shape[1:], np.float32)
        for k, fit in enumerate(fits):
            _paste(owner, self.claimed(fit), fit, k + 1)
        inner, outer = (disc(r * self.scale * self.sheet.px_per_in) for r in (0.1, 0.3))
        out = []
        for k, fit in enumerate(fits):
            row, column = round(fit.row), round(fit.column)
            around = _cut(whole[fit.army], row, column, self.reach)
            ring = (cv2.dilate(fit.mask, outer) > 0.5) & ~(cv2.dilate(fit.mask, inner) > 0.5)
            owners = _cut(owner, row, column, self.reach)
            clear = ring & ((owners == 0) | (owners == k + 1))
            core = fit.mask > 0.5
            seen = _cut(self.seen, row, column, self.reach)
            inside = float((around * seen)[core].sum()) / max(float(seen[core].sum()), 1.0)

            def outside(where: BoolImage, around: FloatImage = around) -> float:
                return float(around[where].mean()) if where.any() else 0.0

            alone, crowded = inside - outside(ring), inside - outside(clear)
            out.append(min(crowded, alone + _CROWD * EVIDENCE_LIMIT) / EVIDENCE_LIMIT)
        return out

    def _peaks(self) -> list[tuple[int, int, int]]:
        """Where each army's evidence over a base's area is highest and exceeds that around it, best first."""
        radius = _BASE_RADIUS_IN * self.scale * self.sheet.px_per_in / _STEP
        base, wide, rim = (disc(k * radius).astype(np.float32) for k in (1, 2.2, 1.8))
        around = wide - np.pad(rim, (len(wide) - len(rim)) // 2)
        crest_side = np.ones((2 * (2 * round(radius) // 3) + 1,) * 2, np.uint8)
        found = []
        for army, layer in enumerate(self.evidence):
            evidence = coarse(layer)
            mean = cv2.filter2D(evidence, -1, base / base.sum(), borderType=cv2.BORDER_CONSTANT)
            crests = (mean > _LEAST_PEAK * EVIDENCE_LIMIT) & (mean >= cv2.dilate(mean, crest_side))
            for row, column in np.argwhere(crests).tolist():
                ring = _cut(evidence, row, column, len(around) // 2)
                height = float(mean[row, column])
                if height - float((ring * around).sum() / around.sum()) > _LEAST_RISE * EVIDENCE_LIMIT:
                    found.append((height, army, row * _STEP + _STEP // 2, column * _STEP + _STEP // 2))
        return [(army, row, column) for _, army, row, column in sorted(found, reverse=True)]

    def _fit(self, army: int, row: int, column: int, groups: Sequence[slice]) -> Explained | None:
        """The silhouette near a peak that gathers the most evidence, together with what it leaves to a neighbour."""
        row, column = self._foot(row, column)
        allowed = _cut(self.inside, row, column, self.room)
        if not allowed.any():
            return None
        stencils = self._stencils(row, column)
        window = _cut(self.evidence[army], row, column, self.reach + self.room)
        rough = coarse(window)
        fits = []
        for group in groups:
            sums = np.where(allowed[::_STEP, ::_STEP], _scores(rough, stencils.coarse[group]), -np.inf)
            best, top, left = (int(v) for v in np.unravel_index(np.argmax(sums), sums.shape))
            best += group.start
            top, left, scores = self._refine(window, stencils.kernel(best), allowed, top * _STEP, left * _STEP)
            at = (row - self.room + top, column - self.room + left)
            fit = self._fit_at(army, best, stencils.mask(best), scores, *at)
            if fit is not None and fit.score > 0:
                fits.append(fit)
        return self._with_neighbours(fits, stencils, row, column) if len(fits) > 1 else next(iter(fits), None)

    def _stance(self, fit: Explained) -> Stance:
        if fit.shape.posture not in UPRIGHT:
            return fit.stance
        sheet = self.sheet
        half = window_half(sheet.px_per_in, self.scale)
        window = _cut(self.evidence[fit.army], round(fit.row), round(fit.column), half)
        away_in = sheet.to_table(fit.column, fit.row) - sheet.eye_in[:2]
        return upright_stance(window, away_in, sheet.eye_in[2] - sheet.z_in, sheet.px_per_in, self.scale)

    def _with_neighbours(self, fits: list[Explained], stencils: Stencils, row: int, column: int) -> Explained:
        """The fit that is worth most together with the best neighbour in what it leaves over."""
        wide = _cut(self.evidence[fits[0].army], row, column, self.reach + 2 * self.room)
        least = _NEIGHBOUR_IN2 * EVIDENCE_LIMIT * (self.sheet.px_per_in * self.scale) ** 2
        rests = [self._left_over(wide, fit, row, column) for fit in fits]
        amounts = [float(np.maximum(rest, 0).sum()) for rest in rests]
        # Two upright soldiers side by side fill the outline of one who lies: only what an upright one leaves tells.
        simplest = min(range(len(fits)), key=lambda k: _LYING[fits[k].shape.posture])
        if amounts[simplest] < least:
            return max(fits, key=lambda fit: fit.worth)
        most = [
            fit.worth + max(0.0, amount - _NEIGHBOUR_COST * least) for fit, amount in zip(fits, amounts, strict=True)
        ]
        best, best_total = fits[0], -math.inf
        for k in sorted(range(len(fits)), key=lambda k: -most[k]):
            if most[k] > best_total:
                sums = _scores(coarse(rests[k]), stencils.coarse)
                worth = float((np.maximum(sums, 0) ** 2 / stencils.areas[:, None, None]).max()) / EVIDENCE_LIMIT
                total = fits[k].worth + max(0.0, worth - _NEIGHBOUR_COST * least)
                if total > best_total:
                    best, best_total = fits[k], total
        return best

    def _refine(
        self, window: FloatImage, kernel: FloatImage, allowed: BoolImage, top: int, left: int
    ) -> tuple[int, int, FloatImage]:
        """The best place within a coarse step, and the scores of it and its eight neighbours."""
        last = 2 * self.room - _STEP
        top, left = min(max(top, _STEP), last), min(max(left, _STEP), last)
        near = slice(top - _STEP, top + _STEP + 1), slice(left - _STEP, left + _STEP + 1)
        side = kernel.shape[0] + 2 * _STEP
        part = window[near[0].start : near[0].start + side, near[1].start : near[1].start + side]
        scores = _scores(part, kernel[None])[0]
        reachable = np.where(allowed[near], scores, -np.inf)[1:-1, 1:-1]
        down, across = (int(v) + 1 for v in np.unravel_index(np.argmax(reachable), reachable.shape))
        around = scores[down - 1 : down + 2, across - 1 : across + 2]
        return near[0].start + down, near[1].start + across, around

    def _fit_at(
        self, army: int, best: int, mask: FloatImage, scores: FloatImage, row: int, column: int
    ) -> Explained | None:
        seen = float((_cut(self.seen, row, column, self.reach) * mask).sum())
        if seen < _LEAST_SEEN * float(mask.sum()):
            return None
        held = float((_cut(self.evidence[army], row, column, self.reach) * mask).sum())
        dx, dy = _vertex(scores)
        fill = held / seen / EVIDENCE_LIMIT
        shape = shapes()[best]
        sure = Stance(shape.posture, 1.0)
        return Explained(army, shape, column + dx, row + dy, mask, float(scores[1, 1]), fill, sure)

    def _left_over(self, wide: FloatImage, fit: Explained, row: int, column: int) -> FloatImage:
        """The evidence round a peak without what a fit explains."""
        claimed = self.claimed(fit)
        middle = wide.shape[0] // 2
        top, left = round(fit.row) - row + middle - self.reach, round(fit.column) - column + middle - self.reach
        out = wide.copy()
        part = out[top : top + len(claimed), left : left + len(claimed)]
        part[claimed] = np.minimum(part[claimed], 0)
        return out

    def _foot(self, row: int, column: int) -> tuple[int, int]:
        """Where the foot of a body is likely, given the middle of what is seen of him."""
        eye = self.sheet.eye_in
        height = 0.6 * self.scale
        place = self.sheet.to_table(column, row)
        place = place - (place - eye[:2]) * height / (eye[2] - self.sheet.z_in)
        column, row = (int(v) for v in np.round(self.sheet.to_pixel(place[None]))[0])
        return row, column

    def _stencils(self, row: int, column: int) -> Stencils:
        eye = self.sheet.eye_in
        away = np.round(self.sheet.to_table(column, row) - eye[:2])
        return _stencils(*away, round(eye[2] - self.sheet.z_in, 1), self.sheet.px_per_in, self.scale)

    def claimed(self, fit: Explained) -> BoolImage:
        """The silhouette with a margin for arms and rifle."""
        margin = disc(0.1 * self.scale * self.sheet.px_per_in)
        return np.asarray(cv2.dilate(fit.mask, margin) > 0.5)

    def _claim(self, fit: Explained) -> None:
        """What a fit explains is no evidence for another."""
        claimed = self.claimed(fit)
        for layer in self.evidence:
            rest = np.minimum(_cut(layer, round(fit.row), round(fit.column), self.reach), 0)
            _paste(layer, claimed, fit, rest)


@dataclass(frozen=True, slots=True, eq=False)
class Stencils:
    """Every shape's silhouette as seen in one part of the sheet, S shapes.

    Attributes:
        masks: (S, N, N) uint8 from 0 to 255.
        rings: (S, N, N) uint8, the ring round each that ought to be empty.
        coarse: (S, M, M) float32, mask with the ring against it, in the steps of the coarse search.
        areas: (S,) pixels of each mask.
    """

    masks: npt.NDArray[np.uint8]
    rings: npt.NDArray[np.uint8]
    coarse: FloatImage
    areas: FloatImage

    def mask(self, shape: int) -> FloatImage:
        """(N, N) from 0 to 1."""
        return np.asarray(self.masks[shape] / np.float32(255))

    def kernel(self, shape: int) -> FloatImage:
        """(N, N) mask with the ring against it."""
        return np.asarray((self.masks[shape] - _RING * self.rings[shape].astype(np.float32)) / np.float32(255))


@lru_cache(maxsize=256)
def _stencils(away_x_in: float, away_y_in: float, camera_in: float, px_per_in: float, scale: float) -> Stencils:
    masks = draw_all(np.array([away_x_in, away_y_in]), camera_in, px_per_in, scale)
    layers = np.ascontiguousarray(masks.transpose(1, 2, 0))
    inner, outer = (cv2.dilate(layers, disc(radius * scale * px_per_in)) for radius in (0.06, 0.26))
    rings = np.ascontiguousarray((outer - inner).transpose(2, 0, 1))
    out = Stencils(masks, rings, np.empty(0, np.float32), masks.sum(axis=(1, 2), dtype=np.float32) / 255)
    steps = np.stack([coarse(out.kernel(k)) for k in range(len(masks))])
    return replace(out, coarse=steps * np.float32(_STEP**2))


def coarse(image: FloatImage) -> FloatImage:
    """The image in the steps of the coarse search, what is missing from its last step taken to be 0."""
    rows, columns = image.shape
    even = cv2.copyMakeBorder(image, 0, -rows % _STEP, 0, -columns % _STEP, cv2.BORDER_CONSTANT)
    return np.asarray(cv2.resize(even, None, fx=1 / _STEP, fy=1 / _STEP, interpolation=cv2.INTER_AREA))


def _scores(window: FloatImage, masks: FloatImage) -> FloatImage:
    """Evidence inside each mask at each place of the window: (masks, places down, places across)."""
    views = np.lib.stride_tricks.sliding_window_view(window, masks.shape[1:])
    stack = np.ascontiguousarray(views).reshape(-1, masks[0].size)
    return np.asarray((masks.reshape(len(masks), -1) @ stack.T).reshape(len(masks), *views.shape[:2]))


def _paste(image: FloatImage, mask: BoolImage, fit: Explained, value: float | FloatImage) -> None:
    """Set the pixels of a mask laid on a fit's place; the part off the image is dropped."""
    half = mask.shape[0] // 2
    top, left = round(fit.row) - half, round(fit.column) - half
    t0, l0 = max(top, 0), max(left, 0)
    part = image[t0 : max(top + len(mask), 0), l0 : max(left + len(mask), 0)]
    inner = slice(t0 - top, t0 - top + part.shape[0]), slice(l0 - left, l0 - left + part.shape[1])
    part[mask[inner]] = np.broadcast_to(np.asarray(value, np.float32), mask.shape)[inner][mask[inner]]


def _cut(image: npt.NDArray[_Pixel], row: int, column: int, half: int) -> npt.NDArray[_Pixel]:
    """The square round a place; what lies off the image is 0."""
    size = 2 * half + 1
    top, left = row - half, column - half
    t0, l0, t1, l1 = max(top, 0), max(left, 0), min(top + size, image.shape[0]), min(left + size, image.shape[1])
    if t1 - t0 == size and l1 - l0 == size:
        return image[t0:t1, l0:l1]
    out = np.zeros((size, size), image.dtype)
    if t0 < t1 and l0 < l1:
        out[t0 - top : t1 - top, l0 - left : l1 - left] = image[t0:t1, l0:l1]
    return out


def _vertex(scores: FloatImage) -> tuple[float, float]:
    """Offset (columns, rows) of the peak in the middle of 3x3 scores, from parabolas through its neighbours."""

    def along(before: float, at: float, after: float) -> float:
        bend = before - 2 * at + after
        return float(np.clip(0.5 * (before - after) / bend, -0.5, 0.5)) if bend < 0 else 0.0

    return along(*scores[1].tolist()), along(*scores[:, 1].tolist())
