"""Soldiers in one picture, placed where their bases stand.

The picture is laid flat on the table and on each hill (`sheet`), every pixel gets its evidence for each army
(`segment`), and patches of evidence are explained by silhouettes (`explain`). What stands out from what is round it is
a figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.table import POSTURE_HEIGHT_IN, STANDING_HEIGHT_IN, FloatArray, Outline, Posture, Refused, TerrainPiece
from vision.area import table_area
from vision.explain import Explained, Explainer, coarse
from vision.frame import ImageBgr
from vision.ground import Ground, Lie
from vision.palette import FloatImage, Palette
from vision.segment import EVIDENCE_LIMIT, Likelihood, army_evidence, cells_of, clutter, disc, likelihood
from vision.sheet import BoolImage, Sheet
from vision.silhouette import figure_scale
from vision.vehicles import hulls

_LEAST_CONTRAST = 0.93  # of the evidence limit, between a silhouette and what is just outside it
_LEAST_CONTRAST_ALONE = 1.1  # the same without a picture of the empty table
_LEAST_CONTRAST_BARE = 1.2  # of one without a base: what others leave over, an arm and a rifle, looks much like him
_VEHICLE_SIGMA_IN = 0.2
_SPARSE = 2  # one row and column in so many teaches the table's colours


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


class Finder:
    """Finds figures in picture after picture and keeps what stays the same between them: the lie of the land."""

    def __init__(self) -> None:
        self._asked: tuple[object, ...] = ()
        self._reference: ImageBgr | None = None
        self._lie: Lie | None = None

    def find(
        self,
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
        """Find the figures of the taught armies in one picture.

        Args:
            image_bgr: (height, width, 3) uint8.
            camera: where the picture was taken from.
            palette: the armies; nobody is found without one.
            figure_height_in: height of a standing figure.
            terrain: pieces on the table; figures may stand on those with a level top.
            reference_bgr: the empty table seen by the same camera, of the same size; it must not be written to later.
            keep_out_in: outlines on the table that are no figures, as the markers.
            area_in: outline of the table; without it, it is told from the picture and the papers.

        Raises:
            Refused: if the reference is not of the picture's size, or the figure height is no height.
        """
        if reference_bgr is not None and reference_bgr.shape != image_bgr.shape:
            raise Refused(
                f"the picture of the empty table is {reference_bgr.shape[1]}x{reference_bgr.shape[0]} pixels and this "
                f"one {image_bgr.shape[1]}x{image_bgr.shape[0]}; take both with the same camera settings"
            )
        if not figure_height_in > 0:
            raise Refused(f"a standing figure cannot be {figure_height_in:g} in high; 54 mm soldiers are 2.1 in")
        if not palette:
            return ()
        asked = (camera, figure_height_in, tuple(terrain), tuple(keep_out_in), area_in)
        if self._lie is None or asked != self._asked or reference_bgr is not self._reference:
            self._asked, self._reference = asked, reference_bgr
            bare_bgr = image_bgr if reference_bgr is None else reference_bgr  # no hand reaches over the empty table
            table_in = area_in or table_area(camera, bare_bgr, keep_out_in)
            scale = figure_scale(figure_height_in)
            self._lie = Lie(camera, table_in, terrain, keep_out_in, reference_bgr, scale)
        return tuple(_Search(self._lie, palette).over(image_bgr))


class _Search:
    """One picture being searched, ground by ground; what a figure on one ground covers is not searched on the next."""

    def __init__(self, lie: Lie, palette: Palette) -> None:
        self.lie, self.palette, self.scale = lie, palette, lie.scale
        self.claims: list[tuple[float, FloatArray]] = []  # height and outline in inches

    def over(self, image_bgr: ImageBgr) -> Iterator[Sighting]:
        """Sightings on each ground in turn; the table, which comes last, teaches the table's colours."""
        smooth = self.lie.smooth(image_bgr)
        laid = [ground.sheet.lay(smooth) for ground in self.lie.grounds]
        if not laid:
            return
        table = laid[-1][::_SPARSE, ::_SPARSE], self.lie.grounds[-1].inside[::_SPARSE, ::_SPARSE]
        known = likelihood(cells_of(table[0])[table[1]], self.palette)
        for ground, picture in zip(self.lie.grounds, laid, strict=True):
            evidence = self._evidence(ground, picture, known)
            yield from self._on(ground, evidence)

    def _evidence(self, ground: Ground, picture: ImageBgr, known: Likelihood) -> FloatImage:
        evidence = army_evidence(picture, known, ground.empty)
        if self.claims:
            claimed = np.zeros(ground.sheet.shape, np.uint8)
            for z_in, outline_in in self.claims:
                ground.sheet.fill(claimed, ground.sheet.shadow(outline_in, z_in), 1)
            evidence[(evidence > 0) & (claimed > 0)] = 0
        evidence[:, ground.barred] = 0
        evidence *= ground.seen
        return evidence

    def _on(self, ground: Ground, evidence: FloatImage) -> Iterator[Sighting]:
        """The vehicles and the soldiers on one ground."""
        sheet = ground.sheet
        yield from self._vehicles(ground, evidence)
        plain = evidence.copy()
        for layer in plain:
            _spread(layer, clutter(coarse(layer), sheet.px_per_in * self.scale / 2))
        explainer = Explainer(sheet, ground.inside, ground.seen, plain, self.scale)
        least = _LEAST_CONTRAST_ALONE if ground.empty is None else _LEAST_CONTRAST
        for fit, contrast in explainer.figures(evidence):
            if contrast >= (least if fit.shape.based else _LEAST_CONTRAST_BARE):
                self._claim(sheet, explainer.claimed(fit), fit)
                yield self._sighting(sheet, fit, contrast)

    def _vehicles(self, ground: Ground, evidence: FloatImage) -> Iterator[Sighting]:
        """The vehicles; what they cover is evidence no more."""
        sheet, eye = ground.sheet, ground.sheet.eye_in
        px_per_in = sheet.px_per_in * self.scale / 2
        middle_in = POSTURE_HEIGHT_IN[Posture.VEHICLE] * self.scale / 2
        margin = disc(0.15 * px_per_in)
        for army, layer in enumerate(evidence):
            for hull in hulls(coarse(layer), px_per_in, EVIDENCE_LIMIT):
                seen = np.array([sheet.to_table(*corner) for corner in 2 * hull.corners_px + 0.5])
                corners = seen - (seen - eye[:2]) * middle_in / (eye[2] - sheet.z_in)
                x, y = corners.mean(axis=0)
                column, row = np.round(sheet.to_pixel(np.array([[x, y]]))[0]).astype(int)
                rows, columns = sheet.shape
                if not (0 <= row < rows and 0 <= column < columns and ground.inside[row, column]):
                    continue
                covered = cv2.dilate(hull.mask.astype(np.uint8), margin) > 0
                for other in evidence:
                    _spread(other, covered)
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

    def _sighting(self, sheet: Sheet, fit: Explained, contrast: float) -> Sighting:
        x, y = (float(v) for v in sheet.to_table(fit.column, fit.row))
        quality = min(1.0, max(0.0, fit.fill))
        return Sighting(
            army=self.palette[fit.army].name,
            x_in=x,
            y_in=y,
            z_in=sheet.z_in,
            sigma_in=0.05 + 0.15 * (1 - quality),
            posture=fit.stance.posture,
            base_in=fit.shape.base(x, y, self.scale),
            facing_deg=None,
            confidence=min(1.0, max(0.0, contrast / 1.8)),
        )

    def _claim(self, sheet: Sheet, mask: BoolImage, fit: Explained) -> None:
        """Remember a silhouette; the mask's middle lies at the fit's place."""
        corner = np.array([round(fit.column), round(fit.row)]) - mask.shape[0] // 2
        contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            at = sheet.low_in + (contour.reshape(-1, 2) + corner) / sheet.px_per_in
            self.claims.append((sheet.z_in, at))


def _spread(evidence: FloatImage, taken: BoolImage) -> None:
    """Strike out of the evidence what a mask of half its size covers."""
    if taken.any():
        whole = cv2.resize(taken.astype(np.uint8), None, fx=2, fy=2, interpolation=cv2.INTER_NEAREST)
        evidence[whole[: evidence.shape[0], : evidence.shape[1]] > 0] = -EVIDENCE_LIMIT
