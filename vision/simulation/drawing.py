"""Drawing of the simulated table's solids: every corner is projected by the camera."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.tabletop.table import FloatArray
from vision.simulation.mesh import Mesh
from vision.simulation.surface import Picture

TO_LAMP: FloatArray = np.array([-0.42, 0.5, 1.0]) / np.linalg.norm([-0.42, 0.5, 1.0])
"""Unit vector towards the lamp: above, to the left and beyond."""

SCREEN_GAMMA = 2.2

_SAMPLES = 4  # per pixel along each axis, in a solid's own picture
_LIFT_IN = 100.0  # keeps drawn heights above 0, which means that nothing is drawn there
_SHIFT = 4  # fractional bits of OpenCV's polygon corners


class Box(NamedTuple):
    """Rectangle of whole pixels; right and bottom are excluded."""

    left: int
    top: int
    right: int
    bottom: int

    @staticmethod
    def around(pixels: FloatArray, margin_px: float) -> Box:
        """Smallest box that contains all pixels with a margin."""
        low, high = np.floor(pixels.min(0) - margin_px), np.ceil(pixels.max(0) + margin_px) + 1
        return Box(int(low[0]), int(low[1]), int(high[0]), int(high[1]))

    def grown(self, by_px: int) -> Box:
        """The box enlarged on every side."""
        return Box(self.left - by_px, self.top - by_px, self.right + by_px, self.bottom + by_px)

    def common(self, other: Box) -> Box | None:
        """Intersection of two boxes; None if empty."""
        box = Box(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )
        return box if box.left < box.right and box.top < box.bottom else None

    def united(self, other: Box) -> Box:
        """Smallest box that contains both."""
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def of(self, part: Box) -> tuple[slice, slice]:
        """Rows and columns of `part` in an array that shows this box."""
        return (
            slice(part.top - self.top, part.bottom - self.top),
            slice(part.left - self.left, part.right - self.left),
        )

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return (self.bottom - self.top, self.right - self.left)


@dataclass(frozen=True, slots=True, eq=False)
class Sprite:
    """One solid as the camera sees it, and the shadow it casts on the plane it stands on.

    Attributes:
        box: Place of the arrays below in the picture.
        colour: (h, w, 3) colour times `cover`.
        cover: (h, w) 0 to 1.
        z_in: (h, w) height of the visible surface.
        shade_box: Place of `shade` in the picture.
        shade: (h, w) share of the light that is left, 0 to 1.
        plane_in: Height of the plane that the shadow falls on.
    """

    box: Box
    colour: Picture
    cover: Picture
    z_in: Picture
    shade_box: Box
    shade: Picture
    plane_in: float

    @property
    def reach(self) -> Box:
        """All pixels that it affects."""
        return self.box.united(self.shade_box)


def sprite(mesh: Mesh, plane_in: float, camera: TableCamera, to_lamp: FloatArray = TO_LAMP) -> Sprite | None:
    """Draw one solid whose shadow falls on `plane_in`; None if it is outside the picture."""
    frame = Box(0, 0, *camera.lens.image_size)
    facing = _facing(mesh, camera.position_in)
    seen = Mesh(mesh.polygons_in[facing], mesh.albedo_bgr[facing], mesh.gloss[facing])
    corners = camera.table_to_pixel(seen.polygons_in.reshape(-1, 3)).reshape(*seen.polygons_in.shape[:2], 2)
    good = np.isfinite(corners).all((1, 2))
    if not good.any():
        return None
    seen = Mesh(seen.polygons_in[good], seen.albedo_bgr[good], seen.gloss[good])
    box = Box.around(corners[good].reshape(-1, 2), 1).common(frame)
    shadow = _shadow(mesh, plane_in, camera, to_lamp)
    if box is None or shadow is None:
        return None
    return Sprite(box, *_painted(seen, corners[good], box, camera.position_in, to_lamp), *shadow, plane_in)


def _facing(mesh: Mesh, eye_in: FloatArray) -> npt.NDArray[np.bool_]:
    return np.asarray(np.einsum("fi,fi->f", mesh.normals, eye_in - mesh.centres_in) > 0)


def _painted(
    mesh: Mesh, corners_px: FloatArray, box: Box, eye_in: FloatArray, to_lamp: FloatArray
) -> tuple[Picture, Picture, Picture]:
    """Colour, cover and height; where polygons overlap, the higher is nearer to a camera that looks down."""
    height_in = mesh.centres_in[:, 2]
    values = np.c_[lit(mesh, eye_in, to_lamp), height_in + _LIFT_IN].tolist()
    points = _fixed_point(corners_px, box, _SAMPLES)
    canvas = np.zeros((box.shape[0] * _SAMPLES, box.shape[1] * _SAMPLES, 4), np.float32)
    for n in np.argsort(height_in, kind="stable"):
        _fill(canvas, points[n], values[n])
    drawn = (canvas[..., 3] > 0).astype(np.float32)
    small, cover = (
        np.asarray(cv2.resize(part, box.shape[::-1], interpolation=cv2.INTER_AREA), np.float32)
        for part in (canvas, drawn)
    )
    z_in = np.divide(small[..., 3], cover, out=np.zeros_like(cover), where=cover > 0) - np.float32(_LIFT_IN)
    return small[..., :3], cover, np.asarray(z_in, np.float32)


def _fill(canvas: Picture | npt.NDArray[np.uint8], points: npt.NDArray[np.int32], value: Sequence[float]) -> None:
    if len(points) <= 4:
        cv2.fillConvexPoly(canvas, points, value, cv2.LINE_8, _SHIFT)
    else:
        cv2.fillPoly(canvas, [points], value, cv2.LINE_8, _SHIFT)


def _fixed_point(pixels: FloatArray, box: Box, samples: int) -> npt.NDArray[np.int32]:
    # OpenCV's pixel centres are whole numbers: pixel 0 extends from -0.5 to 0.5, and its first sample is inside.
    inside = (pixels - (box.left, box.top) + 0.5) * samples - 0.5
    return np.asarray(np.round(inside * (1 << _SHIFT)), np.int32)


def lit(mesh: Mesh, eye_in: FloatArray, to_lamp: FloatArray = TO_LAMP) -> FloatArray:
    """(F, 3) sRGB colour of each polygon, 0 to 255: lamp, sky, and a highlight on gloss."""
    normals = mesh.normals
    to_eye = eye_in - mesh.centres_in
    halfway = to_eye / np.linalg.norm(to_eye, axis=1, keepdims=True) + to_lamp
    halfway /= np.linalg.norm(halfway, axis=1, keepdims=True)
    lamp = np.maximum(normals @ to_lamp, 0)
    sky = 0.5 + 0.5 * normals[:, 2]
    highlight = mesh.gloss * np.maximum(np.einsum("fi,fi->f", normals, halfway), 0) ** 24
    linear = mesh.albedo_bgr * (0.3 * sky + 0.85 * lamp)[:, None] + 0.9 * highlight[:, None]
    return np.asarray(255 * np.clip(linear, 0, 1) ** (1 / SCREEN_GAMMA))


def _shadow(mesh: Mesh, plane_in: float, camera: TableCamera, to_lamp: FloatArray) -> tuple[Box, Picture] | None:
    """Shadow on the plane: a soft one away from the lamp, and a wide faint one where the room's light is blocked."""
    polygons = mesh.polygons_in[mesh.normals @ to_lamp > 0]  # the lit side alone casts the whole shadow
    fall = (polygons[..., 2:] - plane_in) / to_lamp[2]
    on_plane = polygons - np.maximum(fall, 0) * to_lamp
    on_plane[..., 2] = plane_in
    pixels = camera.table_to_pixel(on_plane.reshape(-1, 3)).reshape(*polygons.shape[:2], 2)
    pixels = pixels[np.isfinite(pixels).all((1, 2))]
    x_in, y_in, _ = on_plane.mean((0, 1)).tolist()
    per_inch = camera.px_per_inch(x_in, y_in, plane_in)
    if not len(pixels):
        return None
    whole = Box.around(pixels.reshape(-1, 2), 0.9 * per_inch)
    box = whole.common(Box(0, 0, *camera.lens.image_size).grown(int(2 * per_inch)))
    if box is None:
        return None
    mask = np.zeros(box.shape, np.uint8)
    for polygon in _fixed_point(pixels, box, 1):
        _fill(mask, polygon, (255,))
    dark = mask.astype(np.float32) / 255
    sharp, wide = (cv2.GaussianBlur(dark, (0, 0), max(0.4, s * per_inch)) for s in (0.05, 0.3))
    return box, (1 - 0.42 * sharp) * (1 - 0.22 * wide)
