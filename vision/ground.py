"""The places where a figure may stand, laid flat once: nothing here changes from picture to picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.table import POSTURE_HEIGHT_IN, Outline, Posture, TerrainKind, TerrainPiece
from vision.explain import SEARCH_IN
from vision.frame import ImageBgr
from vision.palette import FloatImage
from vision.segment import Empty, disc, empty_table
from vision.sheet import BoolImage, Sheet, lay_sheet
from vision.silhouette import REACH_IN

_PX_PER_IN = 14.0
_SHRINK = 1.9  # a picture this much finer than its sheet is halved first
_PAPER_IN = 0.2  # a paper's edge is not where it is said to be
_TOPS = {TerrainKind.HILL, TerrainKind.BRIDGE, TerrainKind.MOUNTAIN}
_LOW_IN = 0.45  # terrain lower than this hides nobody


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A level place to stand.

    Attributes:
        sheet: It, laid flat, with room for what leans over its edge: R rows and C columns.
        inside: (R, C) where on it a figure may stand.
        seen: (R, C) float32, 1 where it is seen past the terrain, else 0: nothing is known of the rest.
        barred: (R, C) where paper lies: a figure may lean over it, and nothing is known.
        empty: What it looks like without figures, if that is known.
    """

    sheet: Sheet
    inside: BoolImage
    seen: FloatImage
    barred: BoolImage
    empty: Empty | None


@dataclass(frozen=True, slots=True)
class _Surface:
    """A level place to stand: its outline, and what rises out of it."""

    z_in: float
    outline_in: Outline
    holes_in: tuple[Outline, ...]


class Lie:
    """How the land lies under one camera: every ground, highest first and the table last."""

    def __init__(
        self,
        camera: TableCamera,
        table_in: Outline,
        terrain: Sequence[TerrainPiece],
        papers_in: Sequence[Outline],
        reference_bgr: ImageBgr | None,
        scale: float,
    ) -> None:
        """Lay every level flat.

        Args:
            camera: where the pictures are taken from.
            table_in: outline of the table.
            terrain: what stands on it.
            papers_in: outlines of papers on the table.
            reference_bgr: the empty table, (height, width, 3) uint8.
            scale: the figures' standing height / 2.1 in.
        """
        self.scale = scale
        self.px_per_in = _PX_PER_IN / scale
        self._table_in = np.array(table_in)
        middle = self._table_in.mean(axis=0)
        self._shrink = 2 if camera.px_per_inch(*middle.tolist()) > _SHRINK * self.px_per_in else 1
        reference = None if reference_bgr is None else self.smooth(reference_bgr)
        tallest = POSTURE_HEIGHT_IN[Posture.STANDING] * scale
        grounds = [
            self._lay(camera, surface, terrain, papers_in, reference)
            for surface in _surfaces(terrain, table_in)
            if surface.z_in + 1.5 * tallest < camera.position_in[2]
        ]
        self.grounds = tuple(ground for ground in grounds if ground.inside.any())

    def smooth(self, image_bgr: ImageBgr) -> ImageBgr:
        """The picture without the detail that a sheet is too coarse for."""
        if self._shrink == 1:
            return np.asarray(cv2.GaussianBlur(image_bgr, (0, 0), 0.8), np.uint8)
        return np.asarray(cv2.resize(image_bgr, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)

    def _lay(
        self,
        camera: TableCamera,
        surface: _Surface,
        terrain: Sequence[TerrainPiece],
        papers_in: Sequence[Outline],
        reference: ImageBgr | None,
    ) -> Ground:
        outline = np.array(surface.outline_in)
        room = (REACH_IN + SEARCH_IN) * self.scale
        # Terrain that was drawn far beyond the table would make a sheet that no memory holds.
        low = np.maximum(outline.min(axis=0), self._table_in.min(axis=0)) - room
        high = np.minimum(outline.max(axis=0), self._table_in.max(axis=0)) + room
        sheet = lay_sheet(camera, low, high, surface.z_in, self.px_per_in, self._shrink)
        inside, barred, seen = (np.zeros(sheet.shape, np.uint8) for _ in range(3))
        sheet.fill(inside, outline, 1)
        for hole in surface.holes_in:
            sheet.fill(inside, np.array(hole), 0)
        if surface.z_in == 0:
            for paper in papers_in:
                sheet.fill(barred, np.array(paper), 1)
            barred = np.asarray(cv2.dilate(barred, disc(_PAPER_IN * self.px_per_in)), np.uint8)
        seen += 1
        for piece in terrain:
            if piece.top_in > surface.z_in + _LOW_IN:
                _hide(seen, sheet, piece)
        width, height = camera.lens.image_size
        may = (inside > 0) & sheet.in_view((width // self._shrink, height // self._shrink))
        empty = None if reference is None else empty_table(sheet.lay(reference), may if may.any() else inside > 0)
        return Ground(sheet, may, seen.astype(np.float32), barred > 0, empty)


def _surfaces(terrain: Sequence[TerrainPiece], table_in: Outline) -> list[_Surface]:
    """The tops of the terrain, highest first, and the table itself."""
    pieces = [piece for piece in terrain if piece.kind in _TOPS and piece.top_in > 0.2]
    tops = [(piece.top_in, piece.outline_in) for piece in pieces]
    higher = [_Surface(z_in, outline, tuple(o for z, o in tops if z > z_in)) for z_in, outline in tops]
    ground = _Surface(0.0, table_in, tuple(piece.outline_in for piece in pieces if piece.base_in < 0.2))
    return [*sorted(higher, key=lambda top: -top.z_in), ground]


def _hide(seen: npt.NDArray[np.uint8], sheet: Sheet, piece: TerrainPiece) -> None:
    """Take away what a piece of terrain hides of a sheet."""
    outline = np.array(piece.outline_in)
    heights = [h for h in (piece.base_in, piece.top_in) if h < sheet.eye_in[2]]
    rings = [sheet.shadow(outline, height) for height in heights]
    for ring in rings:
        sheet.fill(seen, ring, 0)
    if len(rings) == 2:
        low, high = rings
        for k in range(len(outline)):
            sheet.fill(seen, np.array([low[k - 1], low[k], high[k], high[k - 1]]), 0)
