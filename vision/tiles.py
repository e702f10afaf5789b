"""Tiles: the inputs of the networks, square parts of a rectified image, each turned so that bodies lean to the right.

A tile has the same scale for figures of any height, and includes how far bodies lean in it. So the network need not
learn the camera's pose.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2
from rules.tabletop.table import FloatArray
from vision.frame import ImageBgr
from vision.palette import FloatImage, log_colour
from vision.segment import EVIDENCE_LIMIT

TILE_PX = 72
"""Side of a tile."""
TILE_PX_PER_IN = 12.0
"""Pixels of a tile per inch, for 54 mm soldiers."""
CROP_PX = 64
"""Side of the judge's and the close-up network's crop."""
CROP_PX_PER_IN = 18.0
CLOSER_PX_PER_IN = 27.0
"""About the resolution of a webcam that sees a yard of table: a knee on the base is three pixels."""
CHANNELS = 10
"""Evidence, colour minus tile median (3), colour minus empty table (3), whether that is known, lean, seen."""

_Pixel = TypeVar("_Pixel", np.uint8, np.float32)

_WAIST_IN = 0.7  # mean height of what is seen of a figure
_UNSQUEEZED_LEAN = 0.75  # tiles with more lean are squeezed along it
_GAIN = np.array([1.0, 3.0, 3.0], np.float32)  # light, red/green, blue/green; scales each to about -1 to 1
_MAX_DIFFERENCE = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """The picture as taken, and the map from a rectified image into it.

    Attributes:
        picture_bgr: (height, width, 3) uint8.
        map_x, map_y: (R, C) float32, the rectified image's map, in pixels `scale` times as large as these.
        scale: 1 or 2.
    """

    picture_bgr: ImageBgr
    map_x: FloatImage
    map_y: FloatImage
    scale: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class NetworkView:
    """What the networks see of one rectified image: R rows and C columns.

    Attributes:
        picture_bgr: (R, C, 3), the rectified picture.
        photo: The picture as taken, with more detail.
        evidence: (R, C) of the likeliest army at each pixel.
        seen: (R, C) 1 where the surface is seen past the terrain, else 0.
        eye_px: (3,) column and row below the camera, and the camera's height, in rectified pixels.
        empty: (R, C, 3) log colours of the empty table in the current light, if known.
    """

    picture_bgr: ImageBgr
    photo: Photo
    evidence: FloatImage
    seen: FloatImage
    eye_px: FloatArray
    empty: FloatImage | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Placement of a tile on its rectified image.

    Attributes:
        column, row: Middle of the tile, on the rectified image.
        turn_rad: Direction in which bodies lean there, from the columns' towards the rows' direction.
        lean: Inches that a body leans out per inch of height.
        zoom: Sheet pixels per tile pixel across the lean.
        side_px: Side of the tile.
    """

    column: float
    row: float
    turn_rad: float
    lean: float
    zoom: float
    side_px: int = TILE_PX

    @property
    def squeeze(self) -> float:
        """Length along the lean in the tile, relative to the rectified image; below 1 where the camera looks obliquely.

        There a body would extend beyond the tile, and the picture itself shows the table foreshortened.
        """
        return min(1.0, math.hypot(1, _UNSQUEEZED_LEAN) / math.hypot(1, self.lean))

    @property
    def is_oblique(self) -> bool:
        """Whether the camera looks so obliquely there that the tile is squeezed."""
        return self.lean > _UNSQUEEZED_LEAN

    @property
    def lean_in_tile(self) -> float:
        """The lean in pixels of the tile."""
        return self.lean * self.squeeze

    def to_rectified(self, points_px: FloatArray) -> FloatArray:
        """(N, 2) tile pixels to columns and rows of the rectified image."""
        c, s = math.cos(self.turn_rad) * self.zoom, math.sin(self.turn_rad) * self.zoom
        along = (points_px - (self.side_px - 1) / 2) * (1 / self.squeeze, 1.0)
        return np.asarray(along @ np.array([[c, s], [-s, c]]) + (self.column, self.row))

    def to_tile(self, points: FloatArray) -> FloatArray:
        """(N, 2) columns and rows of the rectified image to tile pixels."""
        c, s = math.cos(self.turn_rad) / self.zoom, math.sin(self.turn_rad) / self.zoom
        along = (points - (self.column, self.row)) @ np.array([[c, -s], [s, c]])
        return np.asarray(along * (self.squeeze, 1.0) + (self.side_px - 1) / 2)


def tile_at(eye_px: FloatArray, at: FloatArray, zoom: float) -> Place:
    """The tile centred on a column and row of the rectified image, (2,); `zoom` is rectified pixels per tile pixel."""
    away = at - eye_px[:2]
    turn_rad = math.atan2(away[1], away[0])
    return Place(float(at[0]), float(at[1]), turn_rad, float(np.hypot(*away) / eye_px[2]), zoom)


def crop_at(eye_px: FloatArray, at: FloatArray, tile_zoom: float, px_per_in: float = CROP_PX_PER_IN) -> Place:
    """The crop of a figure that may stand there, centred on its body rather than its feet."""
    feet = tile_at(eye_px, at, tile_zoom * TILE_PX_PER_IN / px_per_in)
    column, row = at + (at - eye_px[:2]) / eye_px[2] * (_WAIST_IN * px_per_in * feet.zoom)
    return Place(float(column), float(row), feet.turn_rad, feet.lean, feet.zoom, CROP_PX)


def cut(view: NetworkView, place: Place) -> FloatImage:
    """(CHANNELS, side, side) float32 input of the finder and the judge."""
    tile_to_rectified = _tile_to_rectified(place)
    return _network_input(view, place, tile_to_rectified, _warp(view.picture_bgr, tile_to_rectified, place.side_px))


def cut_photo_tile(view: NetworkView, place: Place) -> FloatImage:
    """(CHANNELS, side, side) float32 input of the close-up network, cut from the photo itself."""
    tile_to_rectified, photo = _tile_to_rectified(place), view.photo
    x, y = (
        (_warp(at, tile_to_rectified, place.side_px) + 0.5) * photo.scale - 0.5 for at in (photo.map_x, photo.map_y)
    )
    return _network_input(
        view, place, tile_to_rectified, np.asarray(cv2.remap(photo.picture_bgr, x, y, cv2.INTER_LINEAR), np.uint8)
    )


def _tile_to_rectified(place: Place) -> FloatArray:
    """(2, 3) affine matrix from tile pixels to rectified pixels."""
    corner, right, down = place.to_rectified(np.array([[0.0, 0.0], [1, 0], [0, 1]]))
    return np.column_stack([right - corner, down - corner, corner])


def _network_input(view: NetworkView, place: Place, tile_to_rectified: FloatArray, picture_bgr: ImageBgr) -> FloatImage:
    side = place.side_px
    out = np.zeros((CHANNELS, side, side), np.float32)
    seen = _warp(view.seen, tile_to_rectified, side)
    out[0] = _warp(view.evidence, tile_to_rectified, side) / EVIDENCE_LIMIT * seen
    colours = log_colour(picture_bgr)
    known = seen > 0
    tile_median = np.median(colours[known], axis=0) if known.any() else np.zeros(3, np.float32)
    out[1:4] = _colour_channels(colours - tile_median) * seen
    if view.empty is not None:
        out[4:7] = _colour_channels(colours - _warp(view.empty, tile_to_rectified, side)) * seen
        out[7] = 1.0
    out[8] = place.lean_in_tile
    out[9] = seen
    return out


def _colour_channels(differences: FloatImage) -> FloatImage:
    """(3, ...) light, red/green and blue/green, scaled and clipped, of (..., 3) differences of log colours."""
    ordered = np.moveaxis(differences, -1, 0)[[2, 0, 1]] * _GAIN[:, None, None]
    return np.asarray(np.clip(ordered, -_MAX_DIFFERENCE, _MAX_DIFFERENCE), np.float32)


def _warp(image: npt.NDArray[_Pixel], tile_to_rectified: FloatArray, side: int) -> npt.NDArray[_Pixel]:
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(image, tile_to_rectified, (side, side), flags=flags), image.dtype)
