"""Soldiers in one picture, placed where their bases stand.

The picture is laid flat on the table and on each hill (`sheet`), every pixel gets its evidence for each army
(`segment`), and patches of evidence are explained by silhouettes (`explain`). What stands out from what is round it is
a figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.table import POSTURE_HEIGHT_IN, STANDING_HEIGHT_IN, Outline, Posture, Refused, TerrainKind, TerrainPiece
from vision.area import table_area
from vision.explain import SEARCH_IN, Explained, Explainer
from vision.frame import ImageBgr
from vision.palette import FloatImage, Palette
from vision.segment import EVIDENCE_LIMIT, Likelihood, army_evidence, disc, likelihood, without_clutter
from vision.sheet import Sheet, lay_sheet
from vision.silhouette import REACH_IN, figure_scale
from vision.vehicles import hulls

_PX_PER_IN = 14.0
_LEAST_CONTRAST = 1.0  # of the evidence limit, between a silhouette and what is just outside it
_LEAST_CONTRAST_ALONE = 1.1  # the same without a picture of the empty table
_VEHICLE_SIGMA_IN = 0.2
_PAPER_IN = 0.2  # a paper's edge is not where it is said to be
_GROUND = {TerrainKind.HILL, TerrainKind.BRIDGE, TerrainKind.MOUNTAIN}
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
        area_in: outline of the table; without it, it is told from the picture and the papers.

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
    table_in = area_in or table_area(camera, image_bgr, keep_out_in)
    search = _Search(image_bgr, camera, palette, figure_scale(figure_height_in), reference_bgr)
    return tuple(search.over(_surfaces(terrain, table_in), terrain, keep_out_in))


@dataclass(frozen=True, slots=True)
class _Surface:
    """A level place to stand: its outline, and what rises out of it."""

    z_in: float
    outline_in: Outline
    holes_in: tuple[Outline, ...]


def _surfaces(terrain: Sequence[TerrainPiece], table_in: Outline) -> list[_Surface]:
    """The tops of the terrain, highest first, and the table itself."""
    pieces = [piece for piece in terrain if piece.kind in _GROUND and piece.top_in > 0.2]
    tops = [_Surface(piece.top_in, piece.outline_in, ()) for piece in pieces]
    higher = [
        _Surface(top.z_in, top.outline_in, tuple(o.outline_in for o in tops if o.z_in > top.z_in)) for top in tops
    ]
    ground = _Surface(0.0, table_in, tuple(piece.outline_in for piece in pieces if piece.base_in < 0.2))
    return [*sorted(higher, key=lambda top: -top.z_in), ground]


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
        self.least_contrast = _LEAST_CONTRAST_ALONE if reference_bgr is None else _LEAST_CONTRAST
        self.free = np.full(image_bgr.shape[:2], 1, np.float32)

    def _open_above(self, z_in: float, terrain: Sequence[TerrainPiece]) -> FloatImage:
        """Picture mask of what is seen past the terrain by somebody on a surface: nothing is known of the rest."""
        seen = np.full(self.free.shape, 1, np.float32)
        for piece in terrain:
            if piece.top_in > z_in + _LOW_IN:
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
            plain = without_clutter(evidence, self.px_per_in * self.scale)
            explainer = Explainer(sheet, inside, plain, open_, self.camera.position_in, self.scale)
            for fit, contrast in explainer.figures(evidence):
                if contrast >= self.least_contrast:
                    self.claim(sheet, explainer.claimed(fit), round(fit.column), round(fit.row))
                    yield self._sighting(sheet, fit, contrast)

    def _vehicles(self, sheet: Sheet, inside: npt.NDArray[np.bool_], evidence: FloatImage) -> Iterator[Sighting]:
        """The vehicles; what they cover is evidence no more."""
        eye = self.camera.position_in
        height = POSTURE_HEIGHT_IN[Posture.VEHICLE] * self.scale / 2
        margin = disc(0.15 * self.px_per_in * self.scale)
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
        room = (REACH_IN + SEARCH_IN) * self.scale
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
            margin = disc(_PAPER_IN * self.px_per_in)
            evidence[:, cv2.dilate(barred, margin) > 0] = 0  # unknown: a figure may well lean over it
        return np.asarray(evidence, np.float32)

    def _sighting(self, sheet: Sheet, fit: Explained, contrast: float) -> Sighting:
        x, y = (float(v) for v in sheet.to_table(fit.column, fit.row))
        quality = min(1.0, max(0.0, fit.fill))
        return Sighting(
            army=self.palette[fit.army].name,
            x_in=x,
            y_in=y,
            z_in=sheet.z_in,
            sigma_in=0.05 + 0.15 * (1 - quality),
            posture=fit.shape.posture,
            base_in=fit.shape.base(x, y, self.scale),
            facing_deg=None,
            confidence=min(1.0, max(0.0, contrast / 1.8)),
        )

    def claim(self, sheet: Sheet, mask: npt.NDArray[np.bool_], column: int, row: int) -> None:
        """Take the pixels of a silhouette out of the picture; the mask's middle lies at the place given."""
        contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            at = contour.reshape(-1, 2) + [column - mask.shape[1] // 2, row - mask.shape[0] // 2]
            x, y = sheet.low_in[:, None] + at.T / sheet.px_per_in
            px = self.camera.table_to_pixel(np.c_[x, y, np.full(len(x), sheet.z_in)])
            if np.isfinite(px).all():
                cv2.fillPoly(self.free, [np.round(px).astype(np.int32)], 0.0)


def _fill(mask: npt.NDArray[np.uint8], sheet: Sheet, outline: Outline, value: int) -> None:
    cv2.fillPoly(mask, [np.round(sheet.to_pixel(np.array(outline))).astype(np.int32)], value)
