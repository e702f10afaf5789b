"""The palette: colours of the armies, learned from clicks, that hold in any light.

Colours are log-ratios: red/green and blue/green stay the same when a lamp dims or a shadow falls; the third axis, log
brightness, varies with the light. Lab chroma shrinks with the light, so shaded plastic would look like another colour.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2
from rules.tabletop.errors import user_error
from rules.tabletop.table import FloatArray
from vision.frame import ImageBgr

FloatImage = npt.NDArray[np.float32]

_DARK = 8.0  # grey levels added before the logarithm: below them a ratio is sensor noise
LOG_LEVELS = np.log(np.arange(256, dtype=np.float32) + _DARK) - np.float32(math.log(255 + _DARK))
"""Log brightness of each grey level, 0 for white."""
LOG_LEVELS.setflags(write=False)

_LIGHT_SIGMA = 0.45  # of log brightness: lit against shaded side of one soldier, measured on taught soldiers
_CHROMA_SIGMA = 0.045  # least spread of a log-ratio: one soldier differs this much between base and helmet
_REACHES_PX = (40, 80, 160)  # a larger region is the table, not a soldier
_TOLERANCES = (0.30, 0.22, 0.16, 0.12, 0.08)
_LEAST_PX = 12
_ONE_COLOUR = 0.36  # distance in log colour below which two plastics are confused where they are dark
_LIGHT_WEIGHT = 0.45  # of log brightness in it


@dataclass(frozen=True, slots=True, eq=False)
class ArmyColour:
    """Colour of one plastic of an army.

    Attributes:
        name: The army.
        mean: (3,) log red/green, log blue/green, log brightness.
        covariance: (3, 3) of the same.
        samples: Number of pixels it was learned from.
    """

    name: str
    mean: FloatArray
    covariance: FloatArray
    samples: int


Palette = tuple[ArmyColour, ...]
"""The plastics of all armies; an army of several plastics has several entries of the same name."""


def army_names(palette: Palette) -> tuple[str, ...]:
    """Names of the armies, without repetition, in their order."""
    return tuple(dict.fromkeys(army.name for army in palette))


def log_colour(image_bgr: ImageBgr) -> FloatImage:
    """(height, width, 3) log red/green, log blue/green and log brightness (0 is white) of a picture."""
    blue, green, red = cv2.split(cv2.LUT(image_bgr, LOG_LEVELS))
    return np.asarray(cv2.merge([red - green, blue - green, (red + green + blue) / 3]), np.float32)


def teach(image_bgr: ImageBgr, px: tuple[float, float], army: str, known: ArmyColour | None = None) -> ArmyColour:
    """Learn an army's colour from a click on one of its soldiers, without a calibration.

    With a calibrated camera use `vision.teaching`, which finds the soldier and refuses fewer clicks.

    Args:
        image_bgr: (height, width, 3) uint8.
        px: (x, y) of the click in pixels.
        army: Name of the army.
        known: Colour from earlier clicks; this click refines it.

    Raises:
        UserError: If the click is outside the picture, or there is no separate patch of one colour.
    """
    height, width = image_bgr.shape[:2]
    x, y = round(px[0]), round(px[1])
    if not (0 <= x < width and 0 <= y < height):
        raise user_error(
            "The click for {army!r} at {x:g},{y:g} is outside the picture of {width}x{height} pixels. Click a soldier.",
            army=army,
            x=px[0],
            y=px[1],
            width=width,
            height=height,
        )
    for reach in _REACHES_PX:
        left, top = max(0, x - reach), max(0, y - reach)
        window = image_bgr[top : y + reach + 1, left : x + reach + 1]
        colours = log_colour(np.asarray(cv2.GaussianBlur(window, (0, 0), 0.8), np.uint8))
        region = _grow(colours, (x - left, y - top))
        if region is not None:
            return learn_colour(colours[region], army, known)
    raise user_error("No soldier here. Click the middle of a base.")


def _grow(colours: FloatImage, seed: tuple[int, int]) -> npt.NDArray[np.bool_] | None:
    """Pixels of the soldier around the seed, with the widest tolerance that does not include the table."""
    x, y = seed
    patch = colours[max(0, y - 1) : y + 2, max(0, x - 1) : x + 2].reshape(-1, 3)
    centre = np.median(patch, axis=0)
    away = np.abs(colours - centre)
    for tolerance in _TOLERANCES:
        near = (np.hypot(away[..., 0], away[..., 1]) < tolerance) & (away[..., 2] < 4 * tolerance)
        near[y, x] = True
        _, labels = cv2.connectedComponents(near.astype(np.uint8), connectivity=4)
        region = np.asarray(labels == labels[y, x])
        rim = np.r_[region[0], region[-1], region[:, 0], region[:, -1]].sum()
        if rim == 0 and region.sum() < 0.35 * region.size:
            return region if region.sum() >= _LEAST_PX else None
    return None


def learn_colour(colours: FloatImage, army: str, known: ArmyColour | None = None) -> ArmyColour:
    """An army's colour from pixels of its plastic.

    Args:
        colours: (N, 3) log colours; some may be edges and highlights.
        army: Name of the army.
        known: Colour learned before; these pixels refine it.
    """
    mean = np.median(colours, axis=0).astype(np.float64)
    spread = colours - mean
    # The region includes edges and highlights; four spreads from the mean they are no longer plastic.
    limit = 4 * np.maximum(1.4826 * np.median(np.abs(spread), axis=0), (_CHROMA_SIGMA, _CHROMA_SIGMA, _LIGHT_SIGMA))
    kept = colours[(np.abs(spread) < limit).all(axis=1)].astype(np.float64)
    count = len(kept)
    mean = kept.mean(axis=0)
    covariance = np.cov(kept.T, bias=True)
    for array in (mean, covariance):
        array.setflags(write=False)
    learned = ArmyColour(army, mean, covariance, count)
    return learned if known is None else merged(known, learned)


def merged(known: ArmyColour, more: ArmyColour) -> ArmyColour:
    """The colour of all pixels of two colours, under the first one's name."""
    total = known.samples + more.samples
    share = more.samples / total
    apart = more.mean - known.mean
    covariance = (1 - share) * known.covariance + share * more.covariance + share * (1 - share) * np.outer(apart, apart)
    mean = known.mean + share * apart
    for array in (mean, covariance):
        array.setflags(write=False)
    return ArmyColour(known.name, mean, covariance, total)


def nearly_one_colour(one: ArmyColour, other: ArmyColour) -> bool:
    """Whether a figure of one army may easily be mistaken for one of the other."""
    return float(np.linalg.norm((one.mean - other.mean) * (1, 1, _LIGHT_WEIGHT))) < _ONE_COLOUR
