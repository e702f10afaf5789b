"""Grounds: level surfaces on which figures may stand, rectified once per camera pose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.tabletop.table import POSTURE_HEIGHT_IN, FloatArray, Outline, Posture, TerrainKind, TerrainPiece
from vision.frame import ImageBgr
from vision.motion import Box
from vision.palette import FloatImage
from vision.rectified import BoolImage, RectifiedImage, rectified_image
from vision.segment import EmptyTable, disc, empty_table
from vision.tiles import CLOSER_PX_PER_IN, Photo

_PX_PER_IN = 18.0
_MARGIN_IN = 2.2  # by which a rectified image extends beyond its ground: figures lean over the edge
_PART_MARGIN_IN = 3.5  # around the searched part, for tiles and bodies
_SHRINK = 1.9  # pictures this many times finer than the rectified image, or than the close-up network, are halved first
_PAPER_MARGIN_IN = 0.2  # the edge of a marker's paper is only known roughly
_TOPS = {TerrainKind.HILL, TerrainKind.BRIDGE, TerrainKind.MOUNTAIN}
_POINTS_PER_SIDE = 8  # of a box
_LOW_TERRAIN_IN = 0.45  # lower terrain hides no figure


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A level surface on which figures may stand.

    Attributes:
        image: The rectified image of the surface with a margin: R rows and C columns.
        inside: (R, C) where a figure may stand.
        seen: (R, C) float32, 1 where the surface is seen past the terrain, else 0.
        excluded: (R, C) where paper lies or the picture is not searched; a figure may lean over it.
        empty: What it looks like without figures, if known.
    """

    image: RectifiedImage
    inside: BoolImage
    seen: FloatImage
    excluded: BoolImage
    empty: EmptyTable | None

    @property
    def eye_px(self) -> FloatArray:
        """(3,) column and row of the rectified image below the camera, and the camera's height in rectified pixels."""
        image = self.image
        height_px = (image.eye_in[2] - image.z_in) * image.px_per_in
        return np.asarray([*image.to_pixel(image.eye_in[None, :2])[0], height_px])

    def window(self, low_in: FloatArray, high_in: FloatArray) -> Ground | None:
        """The part between two corners, (2,) inches each; None if no figure may stand in it."""
        rows, columns = self.image.shape
        corners = self.image.to_pixel(np.array([low_in, high_in]))
        low = np.clip(np.floor(corners[0]), 0, (columns, rows)).astype(int)
        high = np.clip(np.ceil(corners[1]), 0, (columns, rows)).astype(int)
        part = slice(low[1], high[1]), slice(low[0], high[0])
        inside = self.inside[part]
        if not inside.any():
            return None
        empty = None if self.empty is None else self.empty.window(part, inside)
        return Ground(self.image.window(part), inside, self.seen[part], self.excluded[part], empty)

    def contains(self, x_in: float, y_in: float) -> bool:
        """Whether a figure may stand there."""
        column, row = np.round(self.image.to_pixel(np.array([[x_in, y_in]]))[0]).astype(int)
        rows, columns = self.image.shape
        return bool(0 <= row < rows and 0 <= column < columns and self.inside[row, column])


@dataclass(frozen=True, slots=True, eq=False)
class RectifiedGround:
    """A picture rectified to a ground.

    Attributes:
        ground: The ground or the searched part of it.
        picture_bgr: (R, C, 3) uint8, the rectified picture.
        photo: The picture as taken, and the map from the ground into it.
    """

    ground: Ground
    picture_bgr: ImageBgr
    photo: Photo


@dataclass(frozen=True, slots=True)
class _Surface:
    """Outline of a level surface, and the raised surfaces in it."""

    z_in: float
    outline_in: Outline
    holes_in: tuple[Outline, ...]


class Grounds:
    """All grounds under one camera, the highest first and the table last."""

    def __init__(
        self,
        camera: TableCamera,
        table_in: Outline,
        terrain: Sequence[TerrainPiece],
        papers_in: Sequence[Outline],
        reference_bgr: ImageBgr | None,
        scale: float,
        reference_camera: TableCamera | None = None,
        aside_px: Sequence[Box] = (),
    ) -> None:
        """Rectify every level surface.

        Args:
            camera: Pose and lens.
            table_in: Outline of the table.
            terrain: Pieces on the table.
            papers_in: Outlines of the markers' paper.
            reference_bgr: The empty table, (height, width, 3) uint8.
            scale: The figures' standing height / 2.1 in.
            reference_camera: Pose from which the empty table was taken, if not `camera`.
            aside_px: Parts of the picture that are not searched.
        """
        self.scale = scale
        self._reference_camera = reference_camera or camera
        self.px_per_in = _PX_PER_IN / scale
        self._camera = camera
        self._aside_px = tuple(aside_px)
        self._table_in = np.array(table_in)
        middle = self._table_in.mean(axis=0)
        px_per_in = camera.px_per_inch(*middle.tolist())
        self._shrink = 2 if px_per_in > _SHRINK * self.px_per_in else 1
        self._photo_full_size = px_per_in <= _SHRINK * CLOSER_PX_PER_IN / scale
        reference = None if reference_bgr is None else self._smooth(reference_bgr)
        tallest = POSTURE_HEIGHT_IN[Posture.STANDING] * scale
        grounds = [
            self._make_ground(camera, surface, terrain, papers_in, reference)
            for surface in _surfaces(terrain, table_in)
            if surface.z_in + 1.5 * tallest < camera.position_in[2]
        ]
        self.grounds = tuple(ground for ground in grounds if ground.inside.any())

    def rectified(self, image_bgr: ImageBgr, within_px: Box | None = None) -> list[RectifiedGround]:
        """Rectify a picture to every ground, the highest first and the table last.

        Args:
            image_bgr: (height, width, 3) uint8.
            within_px: The part of the picture to search; a margin is added for tiles and bodies. None for all of it.
        """
        if within_px is None:
            smooth = self._smooth(image_bgr)
            return [self._rectified(ground, ground.image, smooth, image_bgr) for ground in self.grounds]
        windows = [window for ground in self.grounds if (window := self._window(ground, within_px))]
        boxes = np.array([window.image.picture_box() for window in windows]).reshape(-1, 4)
        if not len(boxes):
            return []
        height, width = image_bgr.shape[:2]
        left, top = np.maximum(boxes[:, :2].min(axis=0), 0).tolist()
        right, bottom = np.minimum(boxes[:, 2:].max(axis=0) * self._shrink, (width, height)).tolist()
        part = image_bgr[top * self._shrink : bottom, left * self._shrink : right]
        smooth = self._smooth(part)
        return [self._rectified(window, window.image.cropped(left, top), smooth, part) for window in windows]

    def _rectified(
        self, ground: Ground, image: RectifiedImage, smooth: ImageBgr, image_bgr: ImageBgr
    ) -> RectifiedGround:
        picture, scale = (image_bgr, self._shrink) if self._photo_full_size else (smooth, 1)
        return RectifiedGround(ground, image.rectify(smooth), Photo(picture, image.map_x, image.map_y, scale))

    def _window(self, ground: Ground, within_px: Box) -> Ground | None:
        left, top, right, bottom = within_px
        corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.float64)
        seen = self._camera.pixel_to_table(corners, ground.image.z_in)[:, :2]
        if not np.isfinite(seen).all():
            return ground
        margin = _PART_MARGIN_IN * self.scale
        return ground.window(seen.min(axis=0) - margin, seen.max(axis=0) + margin)

    def _smooth(self, image_bgr: ImageBgr) -> ImageBgr:
        """The picture without details finer than a rectified image."""
        if self._shrink == 1:
            return np.asarray(cv2.GaussianBlur(image_bgr, (0, 0), 0.8), np.uint8)
        return np.asarray(cv2.resize(image_bgr, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)

    def _make_ground(
        self,
        camera: TableCamera,
        surface: _Surface,
        terrain: Sequence[TerrainPiece],
        papers_in: Sequence[Outline],
        reference: ImageBgr | None,
    ) -> Ground:
        outline = np.array(surface.outline_in)
        margin = _MARGIN_IN * self.scale
        # Terrain that was drawn far beyond the table would need a rectified image larger than memory.
        low = np.maximum(outline.min(axis=0), self._table_in.min(axis=0)) - margin
        high = np.minimum(outline.max(axis=0), self._table_in.max(axis=0)) + margin
        image = rectified_image(camera, low, high, surface.z_in, self.px_per_in, self._shrink)
        inside, excluded, seen = (np.zeros(image.shape, np.uint8) for _ in range(3))
        image.fill(inside, outline, 1)
        for hole in surface.holes_in:
            image.fill(inside, np.array(hole), 0)
        if surface.z_in == 0:
            for paper in papers_in:
                image.fill(excluded, np.array(paper), 1)
            excluded = np.asarray(cv2.dilate(excluded, disc(_PAPER_MARGIN_IN * self.px_per_in)), np.uint8)
        for box_px in self._aside_px:
            edge_in = camera.pixel_to_table(_box_points(box_px), surface.z_in)[:, :2]
            if np.isfinite(edge_in).all():
                image.fill(excluded, edge_in, 1)
                image.fill(inside, edge_in, 0)
        seen += 1
        for piece in terrain:
            if piece.top_in > surface.z_in + _LOW_TERRAIN_IN:
                _clear_hidden(seen, image, piece)
        width, height = camera.lens.image_size
        usable = (inside > 0) & image.in_view((width // self._shrink, height // self._shrink))
        empty = None
        if reference is not None:
            reference_camera = self._reference_camera
            reference_image = image
            if reference_camera is not camera:
                reference_image = rectified_image(
                    reference_camera, low, high, surface.z_in, self.px_per_in, self._shrink
                )
            empty = empty_table(reference_image.rectify(reference), usable if usable.any() else inside > 0)
        return Ground(image, usable, seen.astype(np.float32), excluded > 0, empty)


def _box_points(box_px: Box) -> FloatArray:
    """(N, 2) points along the edge of a box in the picture; the lens bends the edge on the table."""
    left, top, right, bottom = box_px
    corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.float64)
    along = np.linspace(0, 1, _POINTS_PER_SIDE, endpoint=False)[:, None]
    return np.vstack([a + along * (b - a) for a, b in zip(corners, np.roll(corners, -1, 0), strict=True)])


def _surfaces(terrain: Sequence[TerrainPiece], table_in: Outline) -> list[_Surface]:
    """Level tops of the terrain, the highest first, and the table."""
    pieces = [piece for piece in terrain if piece.kind in _TOPS and piece.top_in > 0.2]
    tops = [(piece.top_in, piece.outline_in) for piece in pieces]
    higher = [_Surface(z_in, outline, tuple(o for z, o in tops if z > z_in)) for z_in, outline in tops]
    ground = _Surface(0.0, table_in, tuple(piece.outline_in for piece in pieces if piece.base_in < 0.2))
    return [*sorted(higher, key=lambda top: -top.z_in), ground]


def _clear_hidden(seen: npt.NDArray[np.uint8], image: RectifiedImage, piece: TerrainPiece) -> None:
    """Clear the part of a rectified image that a piece of terrain hides."""
    outline = np.array(piece.outline_in)
    heights = [h for h in (piece.base_in, piece.top_in) if h < image.eye_in[2]]
    rings = [image.project(outline, height) for height in heights]
    for ring in rings:
        image.fill(seen, ring, 0)
    if len(rings) == 2:
        low, high = rings
        for k in range(len(outline)):
            image.fill(seen, np.array([low[k - 1], low[k], high[k], high[k - 1]]), 0)
