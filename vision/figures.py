"""Soldiers in one picture, placed where their bases stand.

The picture is laid flat on the table (and on each hill), every pixel gets its evidence for each army, and each patch of
evidence is explained by the silhouette that gathers most of it: a base, and a body that leans outwards from the camera.
What a silhouette explains is taken away, so that soldiers who touch come apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.table import POSTURE_HEIGHT_IN, STANDING_HEIGHT_IN, Outline, Posture, Refused, TerrainKind, TerrainPiece
from vision.frame import ImageBgr
from vision.palette import FloatImage, Palette
from vision.segment import EVIDENCE_LIMIT, Likelihood, army_evidence, likelihood
from vision.sheet import Sheet, lay_sheet
from vision.silhouette import REACH_IN, Shape, draw, figure_scale, shapes
from vision.vehicles import hulls

_PX_PER_IN = 14.0
_SEARCH_IN = 0.7  # how far from its patch of evidence a base may stand
_BASE_RADIUS_IN = 0.42
_LEAST_PEAK = 0.25  # of the evidence limit, averaged over a base: below it nobody stands there
_LEAST_RISE = 0.5  # of it, between a base and what is an inch off
_LEAST_FILL = {
    Posture.STANDING: 0.35,
    Posture.KNEELING: 0.35,
    Posture.PRONE: 0.28,
    Posture.DOWN: 0.2,
}  # of the evidence limit
_NEIGHBOUR_IN2 = 0.3  # evidence left over by one soldier that may be another one
_GROUPS = (slice(0, 12), slice(12, 20), slice(20, 32))  # upright, prone and down among the shapes
_LEAST_CONTRAST = 1.0  # of the evidence limit, between a silhouette and what is just outside it
_CROWD = 0.5  # of it, at most, may be owed to neighbours left out of account
_RING = 0.2  # weight of evidence just outside a silhouette against evidence inside
_LIKELY = 0.15  # of the evidence limit, for a pixel to belong to a patch
_STEP = 2  # pixels of the coarse search
_ROUNDS = 2
_VEHICLE_SIGMA_IN = 0.2
_PAPER_IN = 0.2  # a paper's edge is not where it is said to be
_LEAST_SEEN = 0.3  # of a silhouette, past the terrain in front of it
_TOO_BROAD_IN = 0.68  # radius of a disc that no soldier's silhouette holds
_LONG_IN = 2.6  # nothing that fills a rectangle this long is a soldier
_GROUND = {TerrainKind.HILL, TerrainKind.BRIDGE, TerrainKind.MOUNTAIN}
_BEYOND_IN = 1.0  # a table goes on this much beyond the papers in its corners
_APART_IN = 20.0  # papers nearer together than this do not mark a table's corners
_LOW_IN = 0.45  # terrain lower than this hides nobody


@dataclass(frozen=True, slots=True)
class Sighting:
    """One figure in one picture, without an identity yet.

    Attributes:
        army: Name of the army.
        x_in, y_in: Centre of the base (of a casualty, of its outline).
        z_in: Height of the surface it stands on.
        sigma_in: One standard deviation of the place along one axis, calibration apart.
        posture: Standing, kneeling, prone, down or vehicle.
        base_in: Outline of the base (of a casualty or a vehicle, of the whole).
        facing_deg: Counter-clockwise from +x; None when the shape does not tell.
        confidence: 0 to 1.
    """

    army: str
    x_in: float
    y_in: float
    z_in: float
    sigma_in: float
    posture: Posture
    base_in: Outline
    facing_deg: float | None
    confidence: float


def find_figures(
    image_bgr: ImageBgr,
    camera: TableCamera,
    palette: Palette,
    *,
    figure_height_in: float = STANDING_HEIGHT_IN,
    terrain: Sequence[TerrainPiece] = (),
    reference_bgr: ImageBgr | None = None,
    keep_out_in: Sequence[Outline] = (),
    area_in: Outline | None = None,
) -> tuple[Sighting, ...]:
    """Find the figures of the taught armies.

    Args:
        image_bgr: (height, width, 3) uint8.
        camera: where the picture was taken from.
        palette: the armies; nobody is found without one.
        figure_height_in: height of a standing figure.
        terrain: pieces on the table; figures may stand on those with a level top.
        reference_bgr: the empty table seen by the same camera, of the same size.
        keep_out_in: outlines on the table that are no figures, as the markers.
        area_in: outline of the table; without it, what lies between markers set far apart, or else everything the
            camera sees.

    Raises:
        Refused: if the reference is not of the picture's size, or the figure height is no height.
    """
    if reference_bgr is not None and reference_bgr.shape != image_bgr.shape:
        raise Refused(
            f"the picture of the empty table is {reference_bgr.shape[1]}x{reference_bgr.shape[0]} pixels and this one "
            f"{image_bgr.shape[1]}x{image_bgr.shape[0]}; take both with the same camera settings"
        )
    if not figure_height_in > 0:
        raise Refused(f"a standing figure cannot be {figure_height_in:g} in high; 54 mm soldiers are 2.1 in")
    if not palette:
        return ()
    search = _Search(image_bgr, camera, palette, figure_scale(figure_height_in), reference_bgr)
    return tuple(
        search.over(_surfaces(camera, image_bgr, terrain, area_in or _between(keep_out_in)), terrain, keep_out_in)
    )


@dataclass(frozen=True, slots=True)
class _Surface:
    """A level place to stand: its outline, and what rises out of it."""

    z_in: float
    outline_in: Outline
    holes_in: tuple[Outline, ...]


def _surfaces(
    camera: TableCamera, image_bgr: ImageBgr, terrain: Sequence[TerrainPiece], area_in: Outline | None
) -> list[_Surface]:
    """The tops of the terrain, highest first, and the table itself."""
    pieces = [piece for piece in terrain if piece.kind in _GROUND and piece.top_in > 0.2]
    tops = [_Surface(piece.top_in, piece.outline_in, ()) for piece in pieces]
    higher = [
        _Surface(top.z_in, top.outline_in, tuple(o.outline_in for o in tops if o.z_in > top.z_in)) for top in tops
    ]
    table = area_in or _seen_area(camera, image_bgr)
    ground = _Surface(0.0, table, tuple(piece.outline_in for piece in pieces if piece.base_in < 0.2))
    return [*sorted(higher, key=lambda top: -top.z_in), ground]


def _between(papers_in: Sequence[Outline]) -> Outline | None:
    """The rectangle spanned by papers far apart, as those in a table's corners, and a little more."""
    if len(papers_in) < 3:
        return None
    points = np.array([point for paper in papers_in for point in paper])
    low, high = points.min(axis=0) - _BEYOND_IN, points.max(axis=0) + _BEYOND_IN
    if (high - low).min() < _APART_IN:
        return None
    return ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))


def _seen_area(camera: TableCamera, image_bgr: ImageBgr) -> Outline:
    """What the camera sees of the table's plane, within five feet of its foot."""
    height, width = image_bgr.shape[:2]
    along = np.linspace(0, 1, 9)
    rim = np.array(
        [(t * width, e * height) for t in along for e in (0, 1)]
        + [(e * width, t * height) for t in along for e in (0, 1)]
    )
    points = camera.pixel_to_table(rim)
    points = points[np.isfinite(points).all(axis=1)]
    foot = camera.position_in[:2]
    points = foot + np.clip(points - foot, -60, 60)
    low, high = points.min(axis=0), points.max(axis=0)
    return ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))


class _Search:
    """One picture being searched; `free` remembers which of its pixels no figure has claimed yet."""

    def __init__(
        self, image_bgr: ImageBgr, camera: TableCamera, palette: Palette, scale: float, reference_bgr: ImageBgr | None
    ) -> None:
        self.image_bgr = np.asarray(cv2.GaussianBlur(image_bgr, (0, 0), 0.8), np.uint8)
        self.reference_bgr = None
        if reference_bgr is not None:
            self.reference_bgr = np.asarray(cv2.GaussianBlur(reference_bgr, (0, 0), 0.8), np.uint8)
        self.camera = camera
        self.palette = palette
        self.scale = scale
        self.px_per_in = _PX_PER_IN / scale
        self.free = np.full(image_bgr.shape[:2], 1, np.float32)

    def _open_above(self, z_in: float, terrain: Sequence[TerrainPiece]) -> FloatImage:
        """Picture mask of what is seen past the terrain by somebody on a surface: nothing is known of the rest."""
        seen = np.full(self.free.shape, 1, np.float32)
        for piece in terrain:
            if piece.kind not in _GROUND and piece.top_in > z_in + _LOW_IN:
                self._hide(seen, piece)
        return seen

    def _hide(self, seen: FloatImage, piece: TerrainPiece) -> None:
        outline = np.array(piece.outline_in)
        rings = [np.c_[outline, np.full(len(outline), height)] for height in (piece.base_in, piece.top_in)]
        low, high = (self.camera.table_to_pixel(ring) for ring in rings)
        sides = [np.array([low[k - 1], low[k], high[k], high[k - 1]]) for k in range(len(outline))]
        for face in (low, high, *sides):
            if np.isfinite(face).all():
                cv2.fillPoly(seen, [np.round(face).astype(np.int32)], 0.0)

    def over(
        self, surfaces: Sequence[_Surface], terrain: Sequence[TerrainPiece], keep_out_in: Sequence[Outline]
    ) -> Iterator[Sighting]:
        """Sightings on each surface in turn; the table comes last and teaches the table's colours."""
        ground, ground_in = self._sheet(surfaces[-1])
        known = likelihood(ground.lay(self.image_bgr), self.palette, ground_in)
        for surface in surfaces:
            sheet, inside = self._sheet(surface)
            if not inside.any():
                continue
            open_ = np.asarray(sheet.lay(self._open_above(surface.z_in, terrain)), np.float32)
            evidence = self._evidence(sheet, known, keep_out_in) * open_
            yield from self._vehicles(sheet, inside, evidence)
            plain = _without_clutter(evidence, self.px_per_in * self.scale)
            yield from _Patch(self, sheet, inside, plain, open_).figures(evidence)

    def _vehicles(self, sheet: Sheet, inside: npt.NDArray[np.bool_], evidence: FloatImage) -> Iterator[Sighting]:
        """The vehicles; what they cover is evidence no more."""
        eye = self.camera.position_in
        height = POSTURE_HEIGHT_IN[Posture.VEHICLE] * self.scale / 2
        margin = _disc(0.15 * self.px_per_in * self.scale)
        for army, layer in enumerate(evidence):
            for hull in hulls(layer, self.px_per_in * self.scale, EVIDENCE_LIMIT):
                seen = np.array([sheet.to_table(*corner) for corner in hull.corners_px])
                corners = seen - (seen - eye[:2]) * height / (eye[2] - sheet.z_in)
                x, y = corners.mean(axis=0)
                column, row = np.round(sheet.to_pixel(np.array([[x, y]]))[0]).astype(int)
                if not (0 <= row < inside.shape[0] and 0 <= column < inside.shape[1] and inside[row, column]):
                    continue
                evidence[:, cv2.dilate(hull.mask.astype(np.uint8), margin) > 0] = -EVIDENCE_LIMIT
                yield Sighting(
                    army=self.palette[army].name,
                    x_in=float(x),
                    y_in=float(y),
                    z_in=sheet.z_in,
                    sigma_in=_VEHICLE_SIGMA_IN,
                    posture=Posture.VEHICLE,
                    base_in=tuple((float(px), float(py)) for px, py in corners),
                    facing_deg=None,
                    confidence=min(1.0, hull.fill),
                )

    def _sheet(self, surface: _Surface) -> tuple[Sheet, npt.NDArray[np.bool_]]:
        """The surface laid flat with room for what leans over its edge, and where on it a figure may stand."""
        outline = np.array(surface.outline_in)
        room = (REACH_IN + _SEARCH_IN) * self.scale
        sheet = lay_sheet(
            self.camera, outline.min(axis=0) - room, outline.max(axis=0) + room, surface.z_in, self.px_per_in
        )
        inside = np.zeros(sheet.map_x.shape, np.uint8)
        _fill(inside, sheet, surface.outline_in, 1)
        for hole in surface.holes_in:
            _fill(inside, sheet, hole, 0)
        height, width = self.image_bgr.shape[:2]
        seen = (sheet.map_x >= 0) & (sheet.map_x < width) & (sheet.map_y >= 0) & (sheet.map_y < height)
        return sheet, (inside > 0) & seen

    def _evidence(self, sheet: Sheet, known: Likelihood, keep_out_in: Sequence[Outline]) -> FloatImage:
        empty = None if self.reference_bgr is None else sheet.lay(self.reference_bgr)
        evidence = army_evidence(sheet.lay(self.image_bgr), known, empty)
        free = sheet.lay(self.free)
        evidence = np.where(evidence > 0, evidence * free, evidence)
        if sheet.z_in == 0:
            barred = np.zeros(sheet.map_x.shape, np.uint8)
            for outline in keep_out_in:
                _fill(barred, sheet, outline, 1)
            margin = _disc(_PAPER_IN * self.px_per_in)
            evidence[:, cv2.dilate(barred, margin) > 0] = 0  # unknown: a figure may well lean over it
        return np.asarray(evidence, np.float32)

    def claim(self, sheet: Sheet, mask: npt.NDArray[np.bool_], column: int, row: int) -> None:
        """Take the pixels of a silhouette out of the picture; the mask's middle lies at the place given."""
        contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            at = contour.reshape(-1, 2) + [column - mask.shape[1] // 2, row - mask.shape[0] // 2]
            x, y = sheet.low_in[:, None] + at.T / sheet.px_per_in
            px = self.camera.table_to_pixel(np.c_[x, y, np.full(len(x), sheet.z_in)])
            if np.isfinite(px).all():
                cv2.fillPoly(self.free, [np.round(px).astype(np.int32)], 0.0)


def _without_clutter(evidence: FloatImage, px_per_in: float) -> FloatImage:
    """Evidence without what is too broad for a soldier or as straight as a wall: trees, books, floors, pencils."""
    broad = round(_TOO_BROAD_IN * px_per_in)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * broad + 1,) * 2)
    close = np.ones((3, 3), np.uint8)
    out = evidence.copy()
    for layer in out:
        likely = cv2.morphologyEx((layer > _LIKELY * EVIDENCE_LIMIT).astype(np.uint8), cv2.MORPH_CLOSE, close)
        clutter = cv2.dilate(cv2.morphologyEx(likely, cv2.MORPH_OPEN, disc), close, iterations=2)
        count, labels, boxes, _ = cv2.connectedComponentsWithStats(likely, connectivity=8)
        for k in range(1, count):
            x, y, width, height, area = (int(v) for v in boxes[k])
            if max(width, height) > _LONG_IN * px_per_in / math.sqrt(2):
                part = labels[y : y + height, x : x + width] == k
                _, sides, _ = cv2.minAreaRect(cv2.findNonZero(part.astype(np.uint8)))
                if max(sides) > _LONG_IN * px_per_in and area > 0.72 * (sides[0] + 1) * (sides[1] + 1):
                    clutter[y : y + height, x : x + width][part] = 1
        layer[clutter > 0] = -EVIDENCE_LIMIT
    return out


def _fill(mask: npt.NDArray[np.uint8], sheet: Sheet, outline: Outline, value: int) -> None:
    cv2.fillPoly(mask, [np.round(sheet.to_pixel(np.array(outline))).astype(np.int32)], value)


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """The best explanation of a patch: where, as what, and how much of the silhouette is filled with evidence."""

    army: int
    shape: Shape
    column: float
    row: float
    mask: FloatImage
    score: float
    fill: float


class _Patch:
    """One sheet with its evidence, explained figure by figure."""

    def __init__(
        self,
        search: _Search,
        sheet: Sheet,
        inside: npt.NDArray[np.bool_],
        evidence: FloatImage,
        open_: FloatImage,
    ) -> None:
        self.search, self.sheet, self.inside, self.evidence, self.open = search, sheet, inside, evidence, open_
        self.reach = math.ceil(REACH_IN * search.scale * sheet.px_per_in)
        self.room = math.ceil(_SEARCH_IN * search.scale * sheet.px_per_in)

    def figures(self, whole: FloatImage) -> Iterator[Sighting]:
        """Explain the evidence figure by figure, then keep what stands out from the whole evidence, clutter and all."""
        fits: list[_Fit] = []
        tried: set[tuple[int, int, int]] = set()
        for _ in range(_ROUNDS):
            peaks = [peak for peak in self._peaks() if peak not in tried]
            for army, row, column in peaks:
                tried.add((army, row, column))
                fit = self._fit(army, row, column)
                if fit is not None and fit.fill >= _LEAST_FILL[fit.shape.posture]:
                    self._claim(fit)
                    fits.append(fit)
            if not peaks:
                break
        for fit, contrast in zip(fits, self._contrasts(whole, fits), strict=True):
            if contrast >= _LEAST_CONTRAST:
                self.search.claim(self.sheet, self._claimed(fit), round(fit.column), round(fit.row))
                yield self._sighting(fit, contrast)

    def _contrasts(self, whole: FloatImage, fits: Sequence[_Fit]) -> list[float]:
        """By how much of the evidence limit each silhouette differs from a ring round it, neighbours apart."""
        owner = np.zeros(whole.shape[1:], np.float32)
        for k, fit in enumerate(fits):
            _paste(owner, self._claimed(fit), fit, k + 1)
        inner, outer = (_disc(r * self.search.scale * self.sheet.px_per_in) for r in (0.1, 0.3))
        out = []
        for k, fit in enumerate(fits):
            row, column = round(fit.row), round(fit.column)
            around = _cut(whole[fit.army], row, column, self.reach, 0.0)
            ring = (cv2.dilate(fit.mask, outer) > 0.5) & ~(cv2.dilate(fit.mask, inner) > 0.5)
            owners = _cut(owner, row, column, self.reach, 0.0)
            clear = ring & ((owners == 0) | (owners == k + 1))
            core = fit.mask > 0.5
            seen = _cut(self.open, row, column, self.reach, 0.0)
            inside = float((around * seen)[core].sum()) / max(float(seen[core].sum()), 1.0)

            def outside(where: npt.NDArray[np.bool_], around: FloatImage = around) -> float:
                return float(around[where].mean()) if where.any() else 0.0

            alone, crowded = inside - outside(ring), inside - outside(clear)
            out.append(min(crowded, alone + _CROWD * EVIDENCE_LIMIT) / EVIDENCE_LIMIT)
        return out

    def _peaks(self) -> list[tuple[int, int, int]]:
        """Where each army's evidence over a base's area is highest and exceeds that around it, best first."""
        radius = _BASE_RADIUS_IN * self.search.scale * self.sheet.px_per_in
        base, wide, rim = (_disc(k * radius).astype(np.float32) for k in (1, 2.2, 1.8))
        around = wide - np.pad(rim, (len(wide) - len(rim)) // 2)
        crest_side = np.ones((2 * (2 * round(radius) // 3) + 1,) * 2, np.uint8)
        found = []
        for army, evidence in enumerate(self.evidence):
            mean = cv2.filter2D(evidence, -1, base / base.sum(), borderType=cv2.BORDER_CONSTANT)
            rest = cv2.filter2D(evidence, -1, around / around.sum(), borderType=cv2.BORDER_CONSTANT)
            good = (mean > _LEAST_PEAK * EVIDENCE_LIMIT) & (mean - rest > _LEAST_RISE * EVIDENCE_LIMIT)
            rows, columns = np.nonzero(good & (mean >= cv2.dilate(mean, crest_side)))
            found += [(float(mean[r, c]), army, int(r), int(c)) for r, c in zip(rows, columns, strict=True)]
        return [(army, row, column) for _, army, row, column in sorted(found, reverse=True)]

    def _fit(self, army: int, row: int, column: int) -> _Fit | None:
        """The silhouette near a peak that gathers the most evidence, together with what it leaves to a neighbour."""
        row, column = self._foot(row, column)
        masks, kernels = self._masks(row, column)
        half = self.reach + self.room
        window = _cut(self.evidence[army], row, column, half, 0.0)
        allowed = _cut(self.inside.astype(np.float32), row, column, self.room, 0) > 0
        if not allowed.any():
            return None
        coarse = np.where(allowed[::_STEP, ::_STEP], _scores(window, kernels, _STEP), -np.inf)
        fits = []
        for group in _GROUPS:
            best, top, left = (int(v) for v in np.unravel_index(np.argmax(coarse[group]), coarse[group].shape))
            best += group.start
            top, left, scores = self._refine(window, kernels[best], allowed, top * _STEP, left * _STEP)
            at = (row - self.room + top, column - self.room + left)
            fit = self._fit_at(army, best, masks[best], scores, *at)
            if fit is not None and fit.score > 0:
                fits.append(fit)
        if len(fits) < 2:
            return fits[0] if fits else None
        fits.sort(key=lambda fit: -fit.score)
        wide = _cut(self.evidence[army], row, column, self.reach + 2 * self.room, 0.0)
        least = _NEIGHBOUR_IN2 * EVIDENCE_LIMIT * (self.sheet.px_per_in * self.search.scale) ** 2
        if np.maximum(self._left_over(wide, fits[0], row, column), 0).sum() < least:
            return fits[0]

        def total(fit: _Fit) -> float:
            rest = self._left_over(wide, fit, row, column)
            return fit.score + max(0.0, float(_scores(rest, kernels, 2 * _STEP).max()) - least)

        return max((fit for fit in fits if fit.score > 0.6 * fits[0].score), key=total)

    def _refine(
        self, window: FloatImage, kernel: FloatImage, allowed: npt.NDArray[np.bool_], top: int, left: int
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

    def _fit_at(self, army: int, best: int, mask: FloatImage, scores: FloatImage, row: int, column: int) -> _Fit | None:
        seen = float((_cut(self.open, row, column, self.reach, 0) * mask).sum())
        if seen < _LEAST_SEEN * float(mask.sum()):
            return None
        held = float((_cut(self.evidence[army], row, column, self.reach, 0) * mask).sum())
        dx, dy = _vertex(scores)
        fill = held / seen / EVIDENCE_LIMIT
        return _Fit(army, shapes()[best], column + dx, row + dy, mask, float(scores[1, 1]), fill)

    def _left_over(self, wide: FloatImage, fit: _Fit, row: int, column: int) -> FloatImage:
        """The evidence round a peak without what a fit explains."""
        claimed = self._claimed(fit)
        middle = wide.shape[0] // 2
        top, left = round(fit.row) - row + middle - self.reach, round(fit.column) - column + middle - self.reach
        out = wide.copy()
        part = out[top : top + len(claimed), left : left + len(claimed)]
        part[claimed] = np.minimum(part[claimed], 0)
        return out

    def _foot(self, row: int, column: int) -> tuple[int, int]:
        """Where the foot of a body is likely, given the middle of what is seen of him."""
        eye = self.search.camera.position_in
        height = 0.6 * self.search.scale
        place = self.sheet.to_table(column, row)
        place = place - (place - eye[:2]) * height / (eye[2] - self.sheet.z_in)
        column, row = (int(v) for v in np.round(self.sheet.to_pixel(place[None]))[0])
        return row, column

    def _masks(self, row: int, column: int) -> tuple[FloatImage, FloatImage]:
        eye = self.search.camera.position_in
        away = np.round(self.sheet.to_table(column, row) - eye[:2])
        return _kernels(*away, round(eye[2] - self.sheet.z_in, 1), self.sheet.px_per_in, self.search.scale)

    def _claimed(self, fit: _Fit) -> npt.NDArray[np.bool_]:
        """The silhouette with a margin for arms and rifle."""
        margin = _disc(0.1 * self.search.scale * self.sheet.px_per_in)
        return np.asarray(cv2.dilate(fit.mask, margin) > 0.5)

    def _claim(self, fit: _Fit) -> None:
        """What a fit explains is no evidence for another."""
        claimed = self._claimed(fit)
        for layer in self.evidence:
            rest = np.minimum(_cut(layer, round(fit.row), round(fit.column), self.reach, 0.0), 0)
            _paste(layer, claimed, fit, rest)

    def _sighting(self, fit: _Fit, contrast: float) -> Sighting:
        x, y = (float(v) for v in self.sheet.to_table(fit.column, fit.row))
        quality = min(1.0, max(0.0, fit.fill))
        return Sighting(
            army=self.search.palette[fit.army].name,
            x_in=x,
            y_in=y,
            z_in=self.sheet.z_in,
            sigma_in=0.05 + 0.15 * (1 - quality),
            posture=fit.shape.posture,
            base_in=fit.shape.base(x, y, self.search.scale),
            facing_deg=None,
            confidence=min(1.0, max(0.0, contrast / 1.8)),
        )


@lru_cache(maxsize=128)
def _kernels(
    away_x_in: float, away_y_in: float, camera_in: float, px_per_in: float, scale: float
) -> tuple[FloatImage, FloatImage]:
    """Every shape's silhouette, and the same with a ring against it that ought to be empty."""
    away = np.array([away_x_in, away_y_in])
    masks = np.stack([draw(shape, away, camera_in, px_per_in, scale) for shape in shapes()])
    inner, outer = (_disc(radius * scale * px_per_in) for radius in (0.06, 0.26))
    rings = np.stack([cv2.dilate(mask, outer) - cv2.dilate(mask, inner) for mask in masks])
    return masks, np.asarray(masks - _RING * rings, np.float32)


def _scores(window: FloatImage, masks: FloatImage, step: int = 1) -> FloatImage:
    """Evidence inside each mask at each place of the window: (masks, places down, places across)."""
    views = np.lib.stride_tricks.sliding_window_view(window, masks.shape[1:])[::step, ::step]
    stack = np.ascontiguousarray(views).reshape(-1, masks[0].size)
    return np.asarray((masks.reshape(len(masks), -1) @ stack.T).reshape(len(masks), *views.shape[:2]))


def _disc(radius_px: float) -> npt.NDArray[np.uint8]:
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * round(radius_px) + 1,) * 2), np.uint8)


def _paste(image: FloatImage, mask: npt.NDArray[np.bool_], fit: _Fit, value: float | FloatImage) -> None:
    """Set the pixels of a mask laid on a fit's place; the part off the image is dropped."""
    half = mask.shape[0] // 2
    top, left = round(fit.row) - half, round(fit.column) - half
    t0, l0 = max(top, 0), max(left, 0)
    part = image[t0 : max(top + len(mask), 0), l0 : max(left + len(mask), 0)]
    inner = slice(t0 - top, t0 - top + part.shape[0]), slice(l0 - left, l0 - left + part.shape[1])
    part[mask[inner]] = np.broadcast_to(np.asarray(value, np.float32), mask.shape)[inner][mask[inner]]


def _cut(image: FloatImage, row: int, column: int, half: int, beyond: float) -> FloatImage:
    """The square round a place; `beyond` fills what lies off the image."""
    size = 2 * half + 1
    out = np.full((size, size), beyond, np.float32)
    top, left = row - half, column - half
    t0, l0, t1, l1 = max(top, 0), max(left, 0), min(top + size, image.shape[0]), min(left + size, image.shape[1])
    if t0 < t1 and l0 < l1:
        out[t0 - top : t1 - top, l0 - left : l1 - left] = image[t0:t1, l0:l1]
    return out


def _vertex(scores: FloatImage) -> tuple[float, float]:
    """Offset (columns, rows) of the peak in the middle of 3x3 scores, from parabolas through its neighbours."""

    def along(before: float, at: float, after: float) -> float:
        bend = before - 2 * at + after
        return float(np.clip(0.5 * (before - after) / bend, -0.5, 0.5)) if bend < 0 else 0.0

    return along(*scores[1].tolist()), along(*scores[:, 1].tolist())
