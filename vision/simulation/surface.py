"""Surfaces of the simulated table: procedural textures, printed markers and light through the lens."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.tabletop.table import FloatArray

Picture = npt.NDArray[np.float32]
"""(height, width, 3) blue, green, red, 0 to 255 in sRGB, or (height, width)."""

TEXTURE_PX_PER_IN = 30


class Surface(StrEnum):
    """Coverings of the table."""

    WOOD = "wood"
    CARDBOARD = "cardboard"
    GRASS = "grass"
    FELT = "felt"


class PixelMap:
    """Table places of all pixels at one height, by bilinear interpolation of the exact ones on an 8 px grid.

    Exact places for every pixel of a 1080p picture take two seconds. The lens bends so little within 8 px
    (second derivative of x at k1 = -0.15 about 3e-4 px per px^2) that the line is 0.003 px off at worst.
    """

    _STEP = 8

    def __init__(self, camera: TableCamera, height_in: float = 0.0) -> None:
        width, height = self._size_px = camera.lens.image_size
        self._columns = np.arange(-self._STEP, width + 2 * self._STEP, self._STEP, dtype=np.float64)
        self._rows = np.arange(-self._STEP, height + 2 * self._STEP, self._STEP, dtype=np.float64)
        u, v = np.meshgrid(self._columns, self._rows)
        places = camera.pixel_to_table(np.c_[u.ravel(), v.ravel()], height_in)
        self._grid = np.ascontiguousarray(places.T).reshape(2, *u.shape)  # fast to multiply

    def places(self, u_px: FloatArray, v_px: FloatArray) -> tuple[FloatArray, FloatArray]:
        """x and y in inches, each (len(v_px), len(u_px)), at every combination of column and row."""
        (columns, across), (rows, down) = self._weights(self._columns, u_px), self._weights(self._rows, v_px)
        x, y = (down @ self._grid[axis, rows, columns] @ across.T for axis in (0, 1))
        return x, y

    def all_places(self) -> tuple[Picture, Picture]:
        """x and y in inches, each (height, width), of all pixels; thirty times as fast as `places`, to 1e-4 in."""
        width, height = self._size_px
        grids = self._grid.astype(np.float32)
        x, y = (_between(np.asarray(cv2.resize(grid, None, fx=self._STEP, fy=self._STEP))) for grid in grids)
        first = self._STEP + self._STEP // 2 - 1
        part = slice(first, first + height), slice(first, first + width)
        return x[part], y[part]

    def _weights(self, knots: FloatArray, at: FloatArray) -> tuple[slice, FloatArray]:
        """The knots around these coordinates, and the weight of each of them at each coordinate."""
        position = (np.asarray(at, np.float64) - knots[0]) / self._STEP
        left = np.clip(position.astype(int), 0, len(knots) - 2)
        near = slice(int(left.min()), int(left.max()) + 2)
        weights = np.zeros((len(position), near.stop - near.start))
        index = np.arange(len(position))
        weights[index, left - near.start] = 1 - (position - left)
        weights[index, left - near.start + 1] = position - left
        return near, weights


def _between(values: Picture) -> Picture:
    """Bilinear values half-way between each value and the next, in both directions."""
    down = (values[1:] + values[:-1]) / 2
    return np.asarray((down[:, 1:] + down[:, :-1]) / 2, np.float32)


def _noise(shape: tuple[int, int], cell_px: tuple[float, float], rng: np.random.Generator) -> Picture:
    """Smooth noise of unit deviation with a grain of about `cell_px` (across, down)."""
    small = (max(4, round(shape[0] / cell_px[1])), max(4, round(shape[1] / cell_px[0])))
    grown = cv2.resize(rng.standard_normal(small, np.float32), shape[::-1], interpolation=cv2.INTER_CUBIC)
    _, [[deviation]] = cv2.meanStdDev(grown)
    return np.asarray(grown / max(float(deviation), 1e-6), np.float32)


def _layered(shape: tuple[int, int], rng: np.random.Generator, *layers: tuple[float, float, float]) -> Picture:
    """Sum of noises, each (deviation, cell across, cell down)."""
    return np.asarray(sum(part * _noise(shape, (across, down), rng) for part, across, down in layers), np.float32)


def _tinted(bgr: tuple[float, float, float], light: Picture) -> Picture:
    return np.asarray(np.array(bgr, np.float32) * (1 + light[..., None]), np.float32)


def _wood(shape: tuple[int, int], rng: np.random.Generator) -> Picture:
    """Boards along x with grain, pores, knots and dark joints."""
    row = np.arange(shape[0])
    wave = row.astype(np.float32)[:, None] + 6 * _noise(shape, (260, 60), rng)
    light = _layered(shape, rng, (0.05, 110, 3.0), (0.035, 30, 1.3), (0.05, 200, 90))
    light += 0.035 * np.sin(wave / 5 + 2.5 * _noise(shape, (330, 40), rng))
    light -= 0.17 * np.clip(_noise(shape, (34, 2.2), rng) - 1.3, 0, 1.2)
    board_px = 4.6 * TEXTURE_PX_PER_IN
    board = (row // board_px).astype(int)
    light += rng.uniform(-0.11, 0.09, board[-1] + 1).astype(np.float32)[board, None]
    light[(row % board_px) < 2.0] -= 0.45
    picture = _tinted((70, 108, 160), light)
    for x, y in rng.uniform((0, 0), shape[::-1], (9, 2)):
        _knot(picture, int(x), int(y), rng.uniform(4, 8))
    return picture


def _knot(picture: Picture, x: int, y: int, radius_px: float) -> None:
    reach = int(4 * radius_px)
    part = picture[max(0, y - reach) : y + reach, max(0, x - reach) : x + reach]
    v, u = np.mgrid[: part.shape[0], : part.shape[1]].astype(np.float32)
    far = np.hypot((u - min(x, reach)) / 2.2, v - min(y, reach)) / radius_px
    part *= (1 - 0.55 * np.exp(-(far**4)) - 0.12 * np.exp(-(far**2) / 3) * np.cos(7 * far))[..., None]


def _cardboard(shape: tuple[int, int], rng: np.random.Generator) -> Picture:
    flutes = 0.012 * np.sin(np.arange(shape[1], dtype=np.float32) * (2 * np.pi / (0.25 * TEXTURE_PX_PER_IN)))
    fibres = _noise(shape, (9, 1.3), rng)
    light = _layered(shape, rng, (0.022, 3, 2), (0.02, 160, 120)) + flutes
    light -= 0.05 * (fibres > 2.1) - 0.04 * (fibres < -2.3)
    return _tinted((112, 152, 184), light)


def _grass(shape: tuple[int, int], rng: np.random.Generator) -> Picture:
    picture = _tinted((52, 118, 92), _layered(shape, rng, (0.16, 1.6, 2.6), (0.09, 5, 7), (0.07, 130, 110)))
    picture[..., 2] *= 1 + 0.06 * _noise(shape, (90, 80), rng)
    return picture


def _felt(shape: tuple[int, int], rng: np.random.Generator) -> Picture:
    return _tinted((122, 108, 88), _layered(shape, rng, (0.035, 1.5, 1.5), (0.03, 6, 6), (0.03, 200, 150)))


def _carpet(shape: tuple[int, int], rng: np.random.Generator) -> Picture:
    return _tinted((108, 98, 92), _layered(shape, rng, (0.12, 2, 2), (0.05, 9, 9), (0.05, 150, 150)))


_TEXTURE: dict[Surface, Callable[[tuple[int, int], np.random.Generator], Picture]] = {
    Surface.WOOD: _wood,
    Surface.CARDBOARD: _cardboard,
    Surface.GRASS: _grass,
    Surface.FELT: _felt,
}

FLOOR_BELOW_IN = 29.0


def table_picture(
    surface: Surface, size_in: tuple[float, float], camera: TableCamera, places: PixelMap, rng: np.random.Generator
) -> Picture:
    """(height, width, 3) picture of the bare table top and the floor under it, evenly lit."""
    x, y = places.all_places()
    scale = TEXTURE_PX_PER_IN
    texture = _TEXTURE[surface]((round(size_in[1] * scale), round(size_in[0] * scale)), rng)
    table = _sampled(texture, x * scale, (size_in[1] - y) * scale)
    floor = _sampled(_carpet((512, 512), rng), *(9 * c for c in PixelMap(camera, -FLOOR_BELOW_IN).all_places()))
    outside_in = np.maximum(np.maximum(-x, x - size_in[0]), np.maximum(-y, y - size_in[1]))
    floor *= (1 - 0.6 * np.exp(-np.maximum(outside_in, 0) / 2.5))[..., None]
    table *= np.where(outside_in > -0.12, np.float32(0.8), np.float32(1))[..., None]
    per_inch = camera.px_per_inch(size_in[0] / 2, size_in[1] / 2)
    share = np.clip(0.5 - outside_in * np.float32(per_inch), 0, 1)[..., None]
    return np.asarray(floor + share * (table - floor), np.float32)


def _sampled(texture: Picture, u: Picture, v: Picture) -> Picture:
    """Texture at the corner-origin coordinates, mirrored beyond its edges."""
    return np.asarray(cv2.remap(texture, u - 0.5, v - 0.5, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT), np.float32)


_PAPER, _INK = 226.0, 30.0
_MARKER_CELLS = 6  # of DICT_4X4_50: four bits and the black border
_BORDER_CELLS = 1
_MARKER_SAMPLES = 8


def lay_marker(picture: Picture, marker_id: int, corners_in: FloatArray, camera: TableCamera, places: PixelMap) -> None:
    """Draw a marker of DICT_4X4_50 with its white border into the picture.

    Each pixel is the mean of 8 x 8 samples of the print, in sRGB values: black and white
    then meet half-way, and a detector finds the edge where it is. (Real cameras average light, and push the edges
    of black prints inwards by up to half the blur.)

    Args:
        picture: (height, width, 3), modified in place.
        marker_id: 0 to 49.
        corners_in: (4, 2) as OpenCV reports them.
        camera: The camera.
        places: Its pixel map at the table's height.
    """
    middle, right, down = corners_in.mean(0), corners_in[1] - corners_in[0], corners_in[3] - corners_in[0]
    reach = 1 + 2 * _BORDER_CELLS / _MARKER_CELLS
    sheet = [middle + reach / 2 * (i * right + j * down) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    pixels = camera.table_to_pixel(sheet)
    low = np.maximum(np.floor(np.nanmin(pixels, 0)).astype(int) - 3, 0)
    high = np.minimum(np.ceil(np.nanmax(pixels, 0)).astype(int) + 4, picture.shape[1::-1])
    if (low >= high).any():
        return
    fine = [np.arange(a, b, 1 / _MARKER_SAMPLES) - 0.5 + 0.5 / _MARKER_SAMPLES for a, b in zip(low, high, strict=True)]
    x, y = places.places(*fine)
    dx, dy = x - corners_in[0, 0], y - corners_in[0, 1]
    scale = _MARKER_CELLS / float(right @ right)
    column = np.floor((dx * right[0] + dy * right[1]) * scale).astype(int) + _BORDER_CELLS
    row = np.floor((dx * down[0] + dy * down[1]) * scale).astype(int) + _BORDER_CELLS
    cells = _MARKER_CELLS + 2 * _BORDER_CELLS
    on_sheet = ((column >= 0) & (column < cells) & (row >= 0) & (row < cells)).astype(np.float32)
    printed = _sheet(marker_id)[np.clip(row, 0, cells - 1), np.clip(column, 0, cells - 1)] * on_sheet
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    ink, cover = (cv2.resize(part, size, interpolation=cv2.INTER_AREA)[..., None] for part in (printed, on_sheet))
    part = picture[low[1] : high[1], low[0] : high[0]]
    part *= 1 - cover
    part += ink


def _sheet(marker_id: int) -> Picture:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    cells = cv2.aruco.generateImageMarker(dictionary, marker_id, _MARKER_CELLS)
    return np.where(np.pad(cells, _BORDER_CELLS, constant_values=255) > 0, _PAPER, _INK).astype(np.float32)


def light_over(size_px: tuple[int, int], vignette: float) -> Picture:
    """(height, width, 1) light of lamp and lens: brighter up and left of the middle, darker in the corners."""
    width, height = size_px
    u = (np.arange(width, dtype=np.float32) - width / 2) / (width / 2)
    v = (np.arange(height, dtype=np.float32) - height / 2) / (width / 2)
    corner = 1 + (height / width) ** 2
    fall = 1 - vignette * (u**2 + v[:, None] ** 2) / corner
    glow = 1 + 0.1 * np.exp(-((u + 0.3) ** 2 + (v[:, None] + 0.25) ** 2) / 0.35)
    return np.asarray(fall * glow, np.float32)[..., None]


_SUN = 1.36  # in sRGB values: about twice the light
_SUN_EDGE_IN = 0.25
_PANES_IN = (
    ((5.0, 3.0), (13.0, 4.6), (17.5, 14.2), (9.5, 12.6)),
    ((15.0, 5.0), (23.0, 6.6), (27.5, 16.2), (19.5, 14.6)),
    ((28.0, 20.0), (36.0, 21.6), (40.5, 31.2), (32.5, 29.6)),
)
"""Outlines of the sun through a window's panes on a table of 48 x 36 in."""


def sun_patches(camera: TableCamera) -> Picture:
    """(height, width, 1) factor of sunlight through a window: 1 outside its patches."""
    width, height = camera.lens.image_size
    patches = np.zeros((height, width), np.float32)
    for pane in _PANES_IN:
        corners = camera.table_to_pixel(pane)
        if np.isfinite(corners).all():
            cv2.fillPoly(patches, [np.round(corners * 16).astype(np.int32)], 1.0, cv2.LINE_8, 4)
    edge_px = _SUN_EDGE_IN * camera.px_per_inch(*np.mean(_PANES_IN, axis=(0, 1)).tolist())
    soft = np.asarray(cv2.GaussianBlur(patches, (0, 0), max(edge_px, 0.5)), np.float32)
    return (1 + (_SUN - 1) * soft)[..., None]
