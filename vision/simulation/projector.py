"""A simulated projector over the simulated table: its light with colour, blur and keystone, also on what stands there.

Light adds to the lamp's and is reflected alike, so it multiplies each pixel of the picture taken without it. Shadows
are those that the surfaces in the camera's sight throw.
"""

from __future__ import annotations

import numpy as np

from calibration.camera import Lens, TableCamera
from calibration.opencv import cv2
from rules.tabletop.table import FloatArray
from vision.frame import ImageBgr
from vision.simulation.drawing import SCREEN_GAMMA
from vision.simulation.surface import FLOOR_BELOW_IN, Picture, PixelMap

_STEP = 2  # camera pixels between exact projections; pixels in between are interpolated
_SHADOW_STEP = 6  # projector pixels of one cell of the shadow map
_SHADOW_IN = 0.3  # a surface this far below another one on the same ray is in its shadow

_LINEAR = ((np.arange(256) / 255) ** SCREEN_GAMMA).astype(np.float32)


class SimulatedProjector:
    """A projector that lights the table.

    Attributes:
        model: The true projector, as an inverse camera.
        picture: (height, width, 3) what it shows; None while it is off. Any thread may replace it.
    """

    def __init__(
        self,
        model: TableCamera,
        table_size_in: tuple[float, float] = (48.0, 36.0),
        *,
        brightness: float = 1.0,
        tint_bgr: tuple[float, float, float] = (1.0, 1.0, 1.0),
        blur_px: float = 0.8,
    ) -> None:
        """Hang it up.

        Args:
            model: The true projector.
            table_size_in: (width, depth) of the table; light beside it falls on the floor.
            brightness: Light of a white pixel, where the lamp's is 1.
            tint_bgr: Share of it in each channel.
            blur_px: Standard deviation of its blur, in its pixels.
        """
        self.model = model
        self.picture: ImageBgr | None = None
        self._table_size_in, self._white, self._blur_px = table_size_in, brightness * np.array(tint_bgr), blur_px
        self._geometry: tuple[object, tuple[Picture, Picture], Picture] | None = None
        self._lit: tuple[ImageBgr, object, Picture] | None = None

    def lit(self, clean: ImageBgr, camera: TableCamera, z_in: Picture, drawn: object) -> ImageBgr:
        """The camera's picture with this projector's light.

        Args:
            clean: (height, width, 3) the picture without it.
            camera: The camera that takes it.
            z_in: (height, width) height of what each of its pixels shows.
            drawn: Changes whenever one of the others does.
        """
        picture = self.picture
        if picture is None:
            return clean
        if self._geometry is None or self._geometry[0] != drawn:
            self._geometry = (drawn, *self._pixels(camera, z_in))
        if self._lit is None or self._lit[0] is not picture or self._lit[1] is not self._geometry:
            self._lit = (picture, self._geometry, self._factor(picture))
        return np.asarray(cv2.multiply(clean, self._lit[2], dtype=cv2.CV_8U), np.uint8)

    def _factor(self, picture: ImageBgr) -> Picture:
        """By what the light multiplies the stored values of each pixel."""
        assert self._geometry is not None
        light = cv2.GaussianBlur(cv2.LUT(picture, _LINEAR), (0, 0), self._blur_px)
        _, maps, shade = self._geometry
        fallen = cv2.remap(light, *maps, cv2.INTER_LINEAR, borderValue=(0, 0, 0))
        return np.asarray(
            (1 + fallen * shade[..., None] * self._white.astype(np.float32)) ** (1 / SCREEN_GAMMA), np.float32
        )

    def _pixels(self, camera: TableCamera, z_in: Picture) -> tuple[tuple[Picture, Picture], Picture]:
        """For each of the camera's pixels the projector's pixel that lights what it shows, and 0 in shadows."""
        height, width = z_in.shape
        u, v = np.arange(0, width, _STEP, dtype=np.float64), np.arange(0, height, _STEP, dtype=np.float64)
        on_table, up = np.stack(PixelMap(camera).places(u, v)), np.stack(PixelMap(camera, 1.0).places(u, v))
        z = np.array(z_in[::_STEP, ::_STEP], np.float64)
        size = np.array(self._table_size_in)[:, None, None]
        z[((on_table < 0) | (on_table > size)).any(0) & (z < 0.01)] = -FLOOR_BELOW_IN
        x, y = on_table + z * (up - on_table)  # a pixel's ray is a straight line
        lit_px = self.model.table_to_pixel(np.c_[x.ravel(), y.ravel(), z.ravel()])
        shade = _lit_first(lit_px, z.ravel(), self.model.lens.image_size).reshape(z.shape)
        lit_px = np.nan_to_num(lit_px, nan=-100.0).reshape(*z.shape, 2)
        whole = [_enlarged(part, (width, height)) for part in (lit_px[..., 0], lit_px[..., 1], shade)]
        return (whole[0], whole[1]), whole[2]


def _lit_first(lit_px: FloatArray, z_in: FloatArray, size_px: tuple[int, int]) -> Picture:
    """(N,) 1 where the projector's ray meets nothing higher first, 0 in the shadow of something."""
    cells = np.nan_to_num(lit_px / _SHADOW_STEP, nan=-1.0).astype(int)
    columns, rows = (size // _SHADOW_STEP + 1 for size in size_px)
    inside = (cells >= 0).all(1) & (cells < (columns, rows)).all(1)
    highest = np.full((rows, columns), -FLOOR_BELOW_IN, np.float32)
    np.maximum.at(highest, (cells[inside, 1], cells[inside, 0]), z_in[inside].astype(np.float32))
    lit = np.ones(len(z_in), np.float32)
    lit[inside] = z_in[inside] > highest[cells[inside, 1], cells[inside, 0]] - _SHADOW_IN
    return lit


def _enlarged(coarse: FloatArray | Picture, size_px: tuple[int, int]) -> Picture:
    """Values at every `_STEP`th pixel, interpolated at all pixels."""
    across, down = (np.arange(size, dtype=np.float32) / _STEP for size in size_px)
    at = np.meshgrid(across, down)
    return np.asarray(cv2.remap(coarse.astype(np.float32), *at, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))


def hung_projector(
    size_px: tuple[int, int] = (1280, 720),
    table_size_in: tuple[float, float] = (48.0, 36.0),
    height_widths: float = 1.3,
    keystone_deg: float = 12.0,
    *,
    throw: float = 1.15,
    turn_deg: float = 1.5,
    k1: float = 0.01,
) -> TableCamera:
    """A projector that lights most of the table.

    Args:
        size_px: (width, height) of its picture.
        table_size_in: (width, depth) of the table.
        height_widths: Height of its lens above the table, in widths of the table.
        keystone_deg: Angle between its axis and the vertical; towards the near edge.
        throw: Distance divided by the width of its picture.
        turn_deg: Angle between its picture's lower edge and the table's near edge.
        k1: First radial distortion.
    """
    width, height = size_px
    matrix = [[throw * width, 0, 0.5 * width], [0, throw * width, 0.55 * height], [0, 0, 1]]
    lens = Lens(size_px, np.array(matrix), np.array([k1, 0, 0, 0, 0]))
    turn, _ = cv2.Rodrigues(np.array([0.0, 0.0, np.radians(turn_deg)]))
    tilt, _ = cv2.Rodrigues(np.array([np.radians(keystone_deg), 0.0, 0.0]))
    rotation = np.asarray(turn @ tilt @ np.diag([1.0, -1.0, -1.0]), np.float64)
    aim_in = np.array([table_size_in[0] / 2 + 0.4, table_size_in[1] / 2 - 0.3, 0.0])
    eye_in = aim_in - rotation[2] * height_widths * table_size_in[0] / -rotation[2, 2]
    return TableCamera(lens, rotation, -rotation @ eye_in)
