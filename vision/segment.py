"""Evidence: for each pixel, the log-likelihood ratio of an army's plastic to the table.

The likelihood of the army comes from its taught colour; that of the table from the picture's own histogram, in which
figures are a small minority and, with a picture of the empty table, from the colour of the same spot when it was
empty, lit or in shadow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2
from rules.tabletop.table import FloatArray
from vision.frame import ImageBgr
from vision.palette import LOG_LEVELS, ArmyColour, FloatImage, Palette, log_colour

EVIDENCE_LIMIT = 2.0
"""Bound of the evidence of one pixel: neighbours are not independent, and no single pixel should decide."""

_LEVELS = 64  # steps of log brightness per channel of the colour cells
_LOW = np.array([-1.2, -1.6, -3.6])
_STEP = np.array([0.05, 0.05, 0.125])
_BINS = (60, 60, 30)
_CHROMA_FLOOR = 0.05  # spread added to that of a click: lamps of two colours, other soldiers
_BLUE_FLOOR = 0.07  # blue is the noisiest channel
_LIGHT_FLOOR = 0.35
_FREEDOM = 5.0  # degrees of freedom of the t-distribution: plastic has highlights and deep folds
_SHADOW = 0.6  # mean log brightness that a shadow takes away
_OTHERS = 0.3  # weight of the other armies' colours relative to the table's
_OTHER_CHANCE = 0.3  # probability that a pixel which no longer shows the empty table shows no army either
_UNSEEN_WEIGHT = 2.0  # odds that a colour never seen before is not an army's
_UNSEEN_DENSITY = 0.15  # density of colours never seen before
_ANY_PLASTIC = 6.0  # density of every colour for an unknown plastic

_BAND = 32  # rows
_LIGHT_SAMPLES = 8000  # pixels that show how the light has changed
_DARKEST, _STEPS = -3.5, 256  # range of log brightness, and its steps
_LEAST_SPREAD = 0.02  # of the log colours, by the change of light
_LIGHT_GROUPS = 8  # of brightness; the change of light is measured in each

CellImage = npt.NDArray[np.int32]


@cache
def _levels() -> npt.NDArray[np.int32]:
    """(256, 1, 3) contribution of each grey level of blue, green and red to the number of a colour's cell."""
    step = np.round((LOG_LEVELS / LOG_LEVELS[0] - 1) * (1 - _LEVELS)).astype(np.int32)
    return np.stack([step * _LEVELS**2, step * _LEVELS, step], axis=-1)[:, None]


@cache
def _cells() -> tuple[FloatImage, CellImage]:
    """Log colour of every cell, and the histogram bin that it falls into."""
    level = np.linspace(LOG_LEVELS[0], 0, _LEVELS)
    blue, green, red = np.meshgrid(level, level, level, indexing="ij")
    colours = np.stack([red - green, blue - green, (red + green + blue) / 3], axis=-1).reshape(-1, 3)
    at = np.clip(((colours - _LOW) / _STEP).astype(np.int32), 0, np.array(_BINS) - 1)
    return colours.astype(np.float32), np.asarray((at[:, 0] * _BINS[1] + at[:, 1]) * _BINS[2] + at[:, 2], np.int32)


def cells_of(image_bgr: ImageBgr) -> CellImage:
    """(height, width) number of the colour cell of each pixel."""
    blue, green, red = cv2.split(cv2.LUT(image_bgr, _levels()))
    return np.asarray(blue + green + red)


def _histogram(cells: CellImage) -> FloatImage:
    """Density of the colours of some pixels, (N,), at every colour cell."""
    grid = np.bincount(_cells()[1][cells], minlength=math.prod(_BINS)).astype(np.float32).reshape(_BINS)
    for axis in range(3):
        line = np.moveaxis(grid, axis, 0)
        smooth = 0.5 * line
        smooth[1:] += 0.25 * line[:-1]
        smooth[:-1] += 0.25 * line[1:]
        grid = np.moveaxis(smooth, 0, axis)
    grid /= np.float32(max(len(cells), 1) * _STEP.prod())
    return np.asarray(grid.ravel()[_cells()[1]])


def army_covariance(army: ArmyColour) -> FloatArray:
    """(3, 3) covariance of the log colours of a whole army, of which few figures were clicked."""
    return np.asarray(army.covariance + np.diag(np.square([_CHROMA_FLOOR, _BLUE_FLOOR, _LIGHT_FLOOR])))


def _army_density(army: ArmyColour) -> FloatImage:
    """Density of the army's colour at every colour cell: a t-distribution around the taught colour."""
    covariance = army_covariance(army)
    root = np.linalg.cholesky(np.linalg.inv(covariance)).astype(np.float32)
    distance = np.square((_cells()[0] - army.mean.astype(np.float32)) @ root).sum(axis=1)
    scale = math.lgamma((_FREEDOM + 3) / 2) - math.lgamma(_FREEDOM / 2) - 1.5 * math.log(_FREEDOM * math.pi)
    scale -= 0.5 * float(np.linalg.slogdet(covariance)[1])
    return np.asarray(np.exp(scale - (_FREEDOM + 3) / 2 * np.log1p(distance / _FREEDOM)), np.float32)


@lru_cache(maxsize=4)
def _army_and_other_densities(palette: Palette) -> tuple[FloatImage, FloatImage]:
    """(A, cells) density of each colour as each army's, and as another army's or one never seen."""
    armies = np.stack([_army_density(army) for army in palette])
    names = np.array([army.name for army in palette])
    others = _OTHERS * ((names[:, None] != names).astype(np.float32) @ armies)
    return armies + np.float32(_UNSEEN_DENSITY), others + np.float32(_UNSEEN_WEIGHT * _UNSEEN_DENSITY)


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """Density of each colour as each army's plastic and as anything else, at every colour cell.

    Attributes:
        armies: (A, cells) float32.
        rest: (A, cells) float32, of the table and the other armies.
        ratios: (A, cells) float32, log of armies / rest.
    """

    armies: FloatImage
    rest: FloatImage
    ratios: FloatImage


def likelihood(cells: CellImage, palette: Palette) -> Likelihood:
    """Learn the table's colours from the picture itself.

    Args:
        cells: (N,) colour cells of pixels of the table, from `cells_of`.
        palette: The armies, A of them.
    """
    armies, others = _army_and_other_densities(palette)
    rest = _histogram(cells) + others
    return Likelihood(armies, rest, np.asarray(cv2.log(armies / rest)))


def any_plastic(cells: CellImage) -> Likelihood:
    """As `likelihood` for one army of unknown colour: any colour that is rare on the table may be its plastic."""
    rest = _histogram(cells)[None] + np.float32(_UNSEEN_WEIGHT * _UNSEEN_DENSITY)
    army = np.full_like(rest, _ANY_PLASTIC)
    return Likelihood(army, rest, np.asarray(cv2.log(army / rest)))


@dataclass(frozen=True, slots=True, eq=False)
class EmptyTable:
    """The empty table on a rectified image.

    Attributes:
        colours: (rows, columns, 3) log colours.
        levels: (rows, columns) steps of brightness; dark pixels are noisier, and an overcast sky is not a lamp.
        sample: (N,) flat indices of the pixels that show how the light has changed since.
    """

    colours: FloatImage
    levels: npt.NDArray[np.uint8]
    sample: npt.NDArray[np.intp]

    def window(self, part: tuple[slice, slice], within: npt.NDArray[np.bool_]) -> EmptyTable:
        """A part, rows and columns, of it; `within` is where the part shows table."""
        return EmptyTable(self.colours[part], self.levels[part], _sampled(within))


def empty_table(image_bgr: ImageBgr, within: npt.NDArray[np.bool_]) -> EmptyTable:
    """Prepare a picture of the empty table, (rows, columns, 3) uint8; `within` is where it shows table."""
    colours = log_colour(image_bgr)
    levels = np.clip((colours[..., 2] - _DARKEST) * (_STEPS / -_DARKEST), 0, _STEPS - 1).astype(np.uint8)
    return EmptyTable(colours, levels, _sampled(within))


def _sampled(within: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    places = np.flatnonzero(within)
    return places[:: max(1, len(places) // _LIGHT_SAMPLES)]


def army_evidence(image_bgr: ImageBgr, colour_model: Likelihood, empty: EmptyTable | None = None) -> FloatImage:
    """Log-likelihood ratio of each army against the table and the other armies, pixel by pixel.

    Args:
        image_bgr: (height, width, 3) uint8.
        colour_model: The colour model.
        empty: The empty table on the same rectified image, if known.

    Returns:
        (A, height, width) float32 within plus and minus EVIDENCE_LIMIT.
    """
    out = np.empty((len(colour_model.armies), *image_bgr.shape[:2]), np.float32)
    light_change = None if empty is None else _light_change(image_bgr, empty)
    for start in range(0, len(image_bgr), _BAND):  # in bands that fit into the processor's cache
        band = image_bgr[start : start + _BAND]
        cells = cells_of(band)
        if empty is None or light_change is None:
            for k, table in enumerate(colour_model.ratios):
                table.take(cells, out=out[k, start : start + _BAND], mode="clip")
            continue
        part = slice(start, start + _BAND)
        local = _empty_density(band, empty.colours[part], empty.levels[part], light_change)
        _against_empty_table(local, cells, colour_model, out[:, start : start + _BAND])
    return np.asarray(np.clip(out, -EVIDENCE_LIMIT, EVIDENCE_LIMIT, out=out))


def _against_empty_table(local: FloatImage, cells: CellImage, colour_model: Likelihood, out: FloatImage) -> None:
    """Evidence from the density of each pixel's colour in the empty table at the same spot.

    That density counts most; the histogram stands for everything else that may have come there.
    """
    for k, (army, rest) in enumerate(zip(colour_model.armies, colour_model.rest, strict=True)):
        cv2.log(army[cells] / ((1 - _OTHER_CHANCE) * local + _OTHER_CHANCE * rest[cells]), out[k])


def evidence_anywhere(
    colours_bgr: ImageBgr, colour_model: Likelihood, image_bgr: ImageBgr, empty: EmptyTable | None
) -> FloatImage:
    """The evidence of some colours if they were seen at places spread over the table.

    Args:
        colours_bgr: (1, N, 3) uint8.
        colour_model: The colour model.
        image_bgr: (height, width, 3) picture of the table.
        empty: The empty table on the same rectified image, if known.

    Returns:
        (A, N) as from `army_evidence`.
    """
    cells = cells_of(colours_bgr)
    out = np.ascontiguousarray(colour_model.ratios[:, cells])
    if empty is not None:
        count = colours_bgr.shape[1]
        at = empty.sample[np.linspace(0, len(empty.sample), count, endpoint=False).astype(int)]
        there, levels = empty.colours.reshape(-1, 3)[at][None], empty.levels.reshape(-1)[at][None]
        _against_empty_table(
            _empty_density(colours_bgr, there, levels, _light_change(image_bgr, empty)), cells, colour_model, out
        )
    return np.asarray(np.clip(out, -EVIDENCE_LIMIT, EVIDENCE_LIMIT)[:, 0])


@dataclass(frozen=True, slots=True, eq=False)
class _LightChange:
    """(3, _STEPS) shift of the log colours by lamp or camera at each brightness, and its spread."""

    shift: FloatImage
    spread: FloatImage


def _light_change(image_bgr: ImageBgr, empty: EmptyTable) -> _LightChange:
    if not len(empty.sample):
        return _LightChange(np.zeros((3, _STEPS), np.float32), np.full((3, _STEPS), _LEAST_SPREAD, np.float32))
    now = log_colour(image_bgr.reshape(-1, 1, 3)[empty.sample]).reshape(-1, 3)
    change = now - empty.colours.reshape(-1, 3)[empty.sample]
    levels = empty.levels.reshape(-1)[empty.sample]
    order = np.argsort(levels, kind="stable")
    # As many pixels in each, from dark to bright; in a small part of the table there may be fewer pixels than groups.
    parts = [part for part in np.array_split(order, _LIGHT_GROUPS) if len(part)]
    groups = [change[part] for part in parts]
    at = [float(np.mean(levels[part])) for part in parts]
    middles = [np.median(group, axis=0) for group in groups]
    spreads = [1.4826 * np.median(np.abs(g - m), axis=0) + _LEAST_SPREAD for g, m in zip(groups, middles, strict=True)]
    shift, spread = (
        np.array([np.interp(np.arange(_STEPS), at, np.array(values)[:, k]) for k in range(3)], np.float32)
        for values in (middles, spreads)
    )
    return _LightChange(shift, spread)


def relit_empty_table(image_bgr: ImageBgr, empty: EmptyTable) -> FloatImage:
    """(rows, columns, 3) log colours of the empty table in the current light."""
    shift = cv2.merge([cv2.LUT(empty.levels, table) for table in _light_change(image_bgr, empty).shift])
    return np.asarray(cv2.add(empty.colours, shift), np.float32)


def _empty_density(
    image_bgr: ImageBgr, colours: FloatImage, levels: npt.NDArray[np.uint8], light_change: _LightChange
) -> FloatImage:
    """Density of each pixel's colour if it still shows the empty table, lit as then or in shadow."""
    planes = cv2.split(cv2.subtract(log_colour(image_bgr), colours))
    sigma = [cv2.LUT(levels, table) for table in light_change.spread]
    red, blue, light = (
        (plane - cv2.LUT(levels, table)) / one
        for plane, table, one in zip(planes, light_change.shift, sigma, strict=True)
    )
    chroma = red * red + blue * blue
    lit = cv2.exp(np.float32(-0.5) * (chroma + light * light)) * (np.float32(0.8 / math.sqrt(2 * math.pi)) / sigma[2])
    # Shadows keep the chroma only roughly: the light in them has another colour than the lamp.
    shadow = cv2.exp(np.minimum(light, 0) * sigma[2] * np.float32(1 / _SHADOW) - np.float32(0.125) * chroma)
    lit += shadow * (light < 1) * np.float32(0.2 / 4 / _SHADOW)
    return np.asarray(lit / (np.float32(2 * math.pi) * sigma[0] * sigma[1]))


def disc(radius_px: float) -> npt.NDArray[np.uint8]:
    """A round structuring element, (N, N) uint8 with N odd."""
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * round(radius_px) + 1,) * 2), np.uint8)
