"""The body of a die around a face: a square of even colour."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2
from rules.tabletop.table import FloatArray
from vision.frame import ImageBgr

_PATCH = 64  # pixels a side
_ANGLES = 18  # in a quarter turn
_RINGS = _PATCH // 2 + 1
_MIDDLE = (_PATCH - 1) / 2
_HALF_PX = 22.0  # of the patch: half the side of the largest possible die
_RIM = 0.94  # half sides: further out, a die is rounded and shaded
_BAND = (1.04, 1.3)  # half sides: the surroundings
_FAR = 60.0  # colour distance that is not exceeded
_SHADING = 6.0  # colour distance caused by the rounded edge of a die
_NOISE = 2.5  # colour distance caused by noise

_Bins = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Body:
    """The best square around a place.

    Attributes:
        side: Its side, in the unit of the place.
        turn_rad: Angle from the given axes to it.
        contrast: Colour difference of the surroundings / that within the body, both to the body's colour; about 1 where
            there is no die.
    """

    side: float
    turn_rad: float
    contrast: float


@cache
def _square_bins() -> _Bins:
    """(angles, pixels) Chebyshev distance of every pixel of the patch from its middle, offset by rings per angle."""
    y, x = np.indices((_PATCH, _PATCH)).reshape(2, -1) - _MIDDLE
    angle = (np.arange(_ANGLES) * (np.pi / 2 / _ANGLES))[:, None]
    along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    away = np.minimum(np.maximum(np.abs(along), np.abs(across)), _MIDDLE).astype(np.intp)
    return np.asarray(away + _RINGS * np.arange(_ANGLES)[:, None])


def fit_body(
    image_bgr: ImageBgr,
    centre: FloatArray,
    axes: FloatArray,
    sides: tuple[float, float],
    hidden: FloatArray,
    colour_bgr: FloatArray,
    turns: bool,
) -> Body:
    """The square that best separates a body from its surroundings.

    Args:
        image_bgr: (height, width, 3) uint8.
        centre: (2,) pixels.
        axes: (2, 2) rows: pixels per unit of length along the die's two directions.
        sides: Smallest and largest side, in that unit.
        hidden: (N, 3) discs to leave out, such as pips: offsets along both axes and radius, in that unit.
        colour_bgr: (3,) of the body.
        turns: Whether the square may be turned, because the axes only describe the perspective.
    """
    unit = 2 * _HALF_PX / sides[1]  # patch pixels to one unit
    to_px = axes.T / unit
    back = np.c_[to_px, centre - to_px @ [_MIDDLE, _MIDDLE]]
    patch = cv2.warpAffine(
        image_bgr,
        back,
        (_PATCH, _PATCH),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2LAB).astype(np.float32)
    body = cv2.cvtColor(np.asarray(colour_bgr, np.uint8).reshape(1, 1, 3), cv2.COLOR_BGR2LAB).reshape(3)
    away = (lab - body.astype(np.float32)) * np.array([0.6, 1, 1], np.float32)
    colour_distance = np.minimum(np.sqrt(np.einsum("ijk,ijk->ij", away, away)), _FAR)
    visible = np.ones((_PATCH, _PATCH), np.uint8)
    for x, y, radius in (hidden * unit + [_MIDDLE, _MIDDLE, 1]).round().astype(int).tolist():
        cv2.circle(visible, (x, y), radius, 0, -1)
    bins = _square_bins()[: _ANGLES if turns else 1]
    total, count = (_within(bins, values) for values in (colour_distance * visible, visible))
    halves = np.arange(sides[0] * unit / 2, _HALF_PX + 0.5, 0.5)
    rim, start, end = (np.minimum(np.round(halves * part), _RINGS - 1).astype(int) for part in (_RIM, *_BAND))
    inner = total[:, rim - 1] / np.maximum(count[:, rim - 1], 1)
    outer = (total[:, end] - total[:, start]) / np.maximum(count[:, end] - count[:, start], 1)
    edge = (outer + _SHADING) / (inner + _SHADING)
    k, h = np.unravel_index(int(edge.argmax()), edge.shape)
    contrast = (outer[k, h] + _NOISE) / (inner[k, h] + _NOISE)
    return Body(float(2 * halves[h] / unit), float(k * np.pi / 2 / _ANGLES), float(contrast))


def _within(bins: _Bins, values: FloatArray | npt.NDArray[np.uint8]) -> FloatArray:
    """(angles, rings) sums of a patch's values inside each ring."""
    sums = np.bincount(bins.ravel(), np.tile(values.ravel(), len(bins)), len(bins) * _RINGS)
    return np.asarray(np.cumsum(sums.reshape(len(bins), _RINGS), axis=1))
