"""How much each pixel looks like an army's plastic rather than like this table.

The answer is a log-likelihood ratio: the taught colour against the table's own colours. The table's colours are the
picture's own histogram, in which figures are a small minority, and, with a picture of the empty table, the colour that
the very same spot had when it was empty, lit or in shadow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2
from rules.table import FloatArray
from vision.frame import ImageBgr
from vision.palette import LOG_LEVELS, ArmyColour, FloatImage, Palette, log_colour

EVIDENCE_LIMIT = 2.0
"""Evidence of one pixel is held within this: neighbours are not independent, and no single pixel decides."""

_LEVELS = 64  # steps of log brightness per channel in the table of all colours
_LOW = np.array([-1.2, -1.6, -3.6])
_STEP = np.array([0.05, 0.05, 0.125])
_BINS = (60, 60, 30)
_CHROMA_FLOOR = 0.05  # spread added to what one click teaches: lamps of two colours, other soldiers
_BLUE_FLOOR = 0.07  # blue is the noisiest channel
_LIGHT_FLOOR = 0.35
_FREEDOM = 5.0  # of the t-distribution: plastic has highlights and deep folds
_SHADOW = 0.6  # log brightness a shadow takes away, on average
_OTHERS = 0.3  # weight of the other armies' colours beside the table's
_ELSE = 0.3  # chance that a pixel which is no longer empty table is not an army either
_STRANGE = 2.0  # a colour never seen before is rather not an army's
_FLAT = 0.15  # density of colours nobody has seen

_LIKELY = 0.15  # of the evidence limit, for a pixel to belong to a patch
_TOO_BROAD_IN = 0.68  # radius of a disc that no soldier's silhouette holds
_LONG_IN = 2.6  # nothing that fills a rectangle this long is a soldier

IndexImage = npt.NDArray[np.int32]


@cache
def _steps() -> npt.NDArray[np.uint8]:
    return np.asarray(np.round((LOG_LEVELS / LOG_LEVELS[0] - 1) * (1 - _LEVELS)), np.uint8)


@cache
def _cells() -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """Log colour of every cell of the table of all colours, and the histogram bin it falls into."""
    level = np.linspace(LOG_LEVELS[0], 0, _LEVELS)
    blue, green, red = np.meshgrid(level, level, level, indexing="ij")
    colours = np.stack([red - green, blue - green, (red + green + blue) / 3], axis=-1).reshape(-1, 3)
    at = np.clip(((colours - _LOW) / _STEP).astype(np.intp), 0, np.array(_BINS) - 1)
    return colours, (at[:, 0] * _BINS[1] + at[:, 1]) * _BINS[2] + at[:, 2]


def _index(image_bgr: ImageBgr) -> IndexImage:
    step = cv2.LUT(image_bgr, _steps()).astype(np.int32)
    return np.asarray((step[..., 0] * _LEVELS + step[..., 1]) * _LEVELS + step[..., 2])


def _histogram(index: IndexImage, within: npt.NDArray[np.bool_]) -> FloatArray:
    """Density of the picture's colours, for every cell of the table of all colours."""
    counts = np.bincount(index[within], minlength=_LEVELS**3)
    grid = np.bincount(_cells()[1], weights=counts, minlength=math.prod(_BINS)).reshape(_BINS)
    for axis in range(3):
        ahead, behind = np.roll(grid, 1, axis), np.roll(grid, -1, axis)
        grid = 0.5 * grid + 0.25 * (ahead + behind)
    density = grid / (max(counts.sum(), 1) * _STEP.prod())
    return np.asarray(density.ravel()[_cells()[1]])


def _army_density(army: ArmyColour) -> FloatArray:
    """Density of the army's colour, a t-distribution round what was taught, for every cell."""
    covariance = army.covariance + np.diag(np.square([_CHROMA_FLOOR, _BLUE_FLOOR, _LIGHT_FLOOR]))
    away = _cells()[0] - army.mean
    distance = np.einsum("ni,ij,nj->n", away, np.linalg.inv(covariance), away)
    scale = math.lgamma((_FREEDOM + 3) / 2) - math.lgamma(_FREEDOM / 2) - 1.5 * math.log(_FREEDOM * math.pi)
    scale -= 0.5 * float(np.linalg.slogdet(covariance)[1])
    return np.asarray(np.exp(scale - (_FREEDOM + 3) / 2 * np.log1p(distance / _FREEDOM)))


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """How probable each colour is as each army's plastic and as anything else; one value per cell of all colours.

    Attributes:
        armies: (A, cells) float32.
        rest: (A, cells) float32, the table and the other armies.
    """

    armies: FloatImage
    rest: FloatImage


def likelihood(image_bgr: ImageBgr, palette: Palette, within: npt.NDArray[np.bool_]) -> Likelihood:
    """Learn the table's colours from the picture itself.

    Args:
        image_bgr: (height, width, 3) uint8.
        palette: the armies, A of them.
        within: (height, width) bool, the part of the picture that is table.
    """
    armies = np.stack([_army_density(army) for army in palette])
    others = _OTHERS * (armies.sum(axis=0) - armies)
    rest = _histogram(_index(image_bgr), within) + others
    return Likelihood(armies.astype(np.float32) + _FLAT, rest.astype(np.float32) + _STRANGE * _FLAT)


def army_evidence(image_bgr: ImageBgr, known: Likelihood, empty_bgr: ImageBgr | None = None) -> FloatImage:
    """Log-likelihood ratio of each army against the table and the other armies, pixel by pixel.

    Args:
        image_bgr: (height, width, 3) uint8.
        known: the colours.
        empty_bgr: (height, width, 3) uint8, the same view of the empty table, if there is one.

    Returns:
        (A, height, width) float32 within plus and minus EVIDENCE_LIMIT.
    """
    index = _index(image_bgr)
    if empty_bgr is None:
        ratio = np.log(known.armies / known.rest)[:, index]
    else:
        # A spot's own empty colour counts most; the histogram stands for what else may come.
        local = _empty_density(image_bgr, empty_bgr)
        ratio = np.log(known.armies[:, index] / ((1 - _ELSE) * local + _ELSE * known.rest[:, index]))
    return np.asarray(np.clip(ratio, -EVIDENCE_LIMIT, EVIDENCE_LIMIT), np.float32)


def _empty_density(image_bgr: ImageBgr, empty_bgr: ImageBgr) -> FloatImage:
    """Density of each pixel's colour if it still shows the empty table, in the light of then or in a shadow."""
    change = log_colour(image_bgr) - log_colour(empty_bgr)
    sample = change.reshape(-1, 3)[::7]
    change -= np.median(sample, axis=0)  # the lamp, or the camera's gain, moved a little
    sigma = 1.4826 * np.median(np.abs(sample - np.median(sample, axis=0)), axis=0) + 0.02
    chroma = (change[..., 0] / sigma[0]) ** 2 + (change[..., 1] / sigma[1]) ** 2
    light = change[..., 2]
    lit = np.exp(-0.5 * (chroma + (light / sigma[2]) ** 2)) / sigma[2] / math.sqrt(2 * math.pi)
    # Shadows keep the chroma only roughly: the light that fills them has another colour than the lamp.
    shadow = (
        np.where(light < sigma[2], np.exp(np.minimum(light, 0) / _SHADOW) / _SHADOW, 0) * np.exp(-0.125 * chroma) / 4
    )
    return np.asarray((0.8 * lit + 0.2 * shadow) / (2 * math.pi * sigma[0] * sigma[1]), np.float32)


def without_clutter(evidence: FloatImage, px_per_in: float) -> FloatImage:
    """Evidence without what is too broad for a soldier or as straight as a wall: trees, books, floors, pencils."""
    broad = round(_TOO_BROAD_IN * px_per_in)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * broad + 1,) * 2)
    close = np.ones((3, 3), np.uint8)
    out = evidence.copy()
    for layer in out:
        likely = cv2.morphologyEx((layer > _LIKELY * EVIDENCE_LIMIT).astype(np.uint8), cv2.MORPH_CLOSE, close)
        clutter = cv2.dilate(cv2.morphologyEx(likely, cv2.MORPH_OPEN, disc), close, iterations=2)
        count, labels, boxes, _ = cv2.connectedComponentsWithStats(likely, connectivity=8)
        for k in range(1, count):
            x, y, width, height, area = (int(v) for v in boxes[k])
            if max(width, height) > _LONG_IN * px_per_in / math.sqrt(2):
                part = labels[y : y + height, x : x + width] == k
                _, sides, _ = cv2.minAreaRect(cv2.findNonZero(part.astype(np.uint8)))
                if max(sides) > _LONG_IN * px_per_in and area > 0.72 * (sides[0] + 1) * (sides[1] + 1):
                    clutter[y : y + height, x : x + width][part] = 1
        layer[clutter > 0] = -EVIDENCE_LIMIT
    return out


def disc(radius_px: float) -> npt.NDArray[np.uint8]:
    """A round element for morphology, (N, N) uint8 with N odd."""
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * round(radius_px) + 1,) * 2), np.uint8)
