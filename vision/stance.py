"""Standing or kneeling: which of the two bodies, legs, arms and rifle, makes more of what is seen.

A second opinion beside the judge's (`recogniser`), which is told nothing of bodies: how often each spot of a crop is
covered by men who stand or kneel and face one way, so that a knee, a rifle or a head tells.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2
from rules.table import FloatArray, Posture, ellipse_outline
from vision.palette import FloatImage
from vision.segment import EVIDENCE_LIMIT
from vision.tiles import CROP_PX_PER_IN

_TURNS = 12
_ALIKE_PX = 12.0  # neighbouring pixels that say the same thing, for lens and folds make them alike
_REACH_PX = 27  # of a body round its feet
_ROOM_PX = 3  # that the feet may be off
_EYE_IN = 55.0  # height of a camera; what others would see differs by a hundredth of an inch or two
_LEAN_STEP = 0.04

_Knot = tuple[float, float, float, float]  # x forward, y left, z up and radius, in inches for a 2.1 in soldier
_Rod = tuple[_Knot, _Knot]


def _chain(*knots: _Knot) -> list[_Rod]:
    return list(pairwise(knots))


# What common 54 mm sets look like: the trunk that all share, then what each pose does with arms and weapon.
_STANDING = [
    *_chain((0.22, 0.17, 0.15, 0.09), (0.03, 0.12, 0.9, 0.13)),
    *_chain((-0.25, -0.17, 0.15, 0.09), (-0.03, -0.12, 0.9, 0.13)),
    *_chain((0, 0, 0.9, 0.19), (0, 0, 1.35, 0.17)),
    *_chain((0, 0.17, 1.5, 0.14), (0, -0.17, 1.5, 0.14)),
    *_chain((0.04, 0, 1.8, 0.17), (0.04, 0, 1.95, 0.19)),
]
_KNEELING = [
    *_chain((0.03, 0.12, 0.5, 0.13), (0.36, 0.16, 0.56, 0.1), (0.32, 0.18, 0.15, 0.08)),
    *_chain((-0.03, -0.12, 0.5, 0.13), (0.1, -0.18, 0.17, 0.1), (-0.38, -0.18, 0.15, 0.07)),
    *_chain((-0.04, 0, 0.46, 0.2), (0.02, 0, 0.8, 0.17)),
    *_chain((0.02, 0.17, 0.95, 0.14), (0.02, -0.17, 0.95, 0.14)),
    *_chain((0.07, 0, 1.2, 0.17), (0.07, 0, 1.33, 0.19)),
]
_AIMING = [
    *_chain((0, 0.27, 1.5, 0.09), (0.3, 0.3, 1.36, 0.08), (0.55, 0.02, 1.5, 0.06)),
    *_chain((0, -0.27, 1.5, 0.09), (0.08, -0.5, 1.38, 0.08), (0.22, -0.12, 1.5, 0.06)),
    *_chain((0.05, -0.14, 1.53, 0.06), (1.05, 0.03, 1.56, 0.03)),
]
_CARRYING = [
    *_chain((0, 0.27, 1.5, 0.09), (-0.1, 0.38, 1.2, 0.08), (0.2, 0.3, 1.1, 0.06)),
    *_chain((0, -0.27, 1.5, 0.09), (0.1, -0.38, 1.2, 0.08), (0.3, -0.2, 1.2, 0.06)),
    *_chain((0.25, -0.4, 1.0, 0.06), (0.25, 0.45, 1.6, 0.03)),
]
_THROWING = [
    *_chain((0, 0.27, 1.5, 0.09), (0.28, 0.42, 1.5, 0.08), (0.5, 0.3, 1.6, 0.06)),
    *_chain((0, -0.27, 1.5, 0.09), (-0.2, -0.5, 1.6, 0.08), (-0.3, -0.52, 1.95, 0.07)),
]
_AIMING_LOW = [
    *_chain((0.03, 0.27, 0.94, 0.09), (0.36, 0.26, 0.72, 0.08), (0.55, 0.03, 0.9, 0.06)),
    *_chain((0.03, -0.27, 0.94, 0.09), (0.1, -0.48, 0.78, 0.08), (0.25, -0.12, 0.92, 0.06)),
    *_chain((0.07, -0.14, 0.94, 0.06), (1.05, 0.03, 0.97, 0.03)),
]
_SHOULDERING = [
    *_chain((0.03, 0.27, 0.94, 0.09), (0.32, 0.22, 0.8, 0.08)),
    *_chain((0.03, -0.27, 0.94, 0.09), (0.16, -0.46, 0.82, 0.08)),
    *_chain((-0.62, -0.25, 1.14, 0.085), (0.85, -0.25, 1.14, 0.085)),
]
_POSES = {
    Posture.STANDING: [_STANDING + arms for arms in (_AIMING, _CARRYING, _THROWING)],
    Posture.KNEELING: [_KNEELING + arms for arms in (_AIMING_LOW, _SHOULDERING)],
}
_BASE = (0.52, 0.39)


def standing_odds(evidence: FloatImage, feet_px: FloatArray, lean: float) -> float:
    """Logarithm of how much likelier what is seen is of one who stands than of one who kneels.

    Args:
        evidence: (N, N) of a crop, within plus and minus 1: of plastic, in shares of the limit.
        feet_px: (2,) column and row in it where his base's middle is.
        lean: inches that bodies lean to the right for each inch of their height.
    """
    reach = _REACH_PX + _ROOM_PX
    column, row = (round(float(v)) + reach for v in feet_px)
    wide = np.pad(evidence * np.float32(EVIDENCE_LIMIT), reach)
    seen = wide[row - reach : row + reach + 1, column - reach : column + reach + 1]
    side = 2 * _REACH_PX + 1
    if seen.shape != (side + 2 * _ROOM_PX,) * 2:
        return 0.0
    signed = np.stack([np.maximum(seen, 0), np.minimum(seen, 0)], axis=-1)
    views = np.lib.stride_tricks.sliding_window_view(signed, (side, side), axis=(0, 1))
    places = np.ascontiguousarray(views).reshape(views.shape[0] * views.shape[1], -1)
    standing, kneeling = (float((maps @ places.T).max()) for maps in _weights(round(lean / _LEAN_STEP)))
    return (standing - kneeling) / _ALIKE_PX


@cache
def _solids() -> tuple[FloatArray, list[tuple[Posture, int, int, slice]]]:
    """Points of every pose's convex parts at every turn, and for each part its posture, turn, pose and points."""
    round_ = np.array(ellipse_outline((0, 0), 1, 1, points=8))
    base = np.c_[np.array(ellipse_outline((0, 0), *_BASE, points=16)), np.full(16, 0.05)]
    points: list[FloatArray] = []
    parts = []
    start = 0
    for turn in range(_TURNS):
        c, s = math.cos(2 * math.pi * turn / _TURNS), math.sin(2 * math.pi * turn / _TURNS)
        for posture, poses in _POSES.items():
            for pose, rods in enumerate(poses):
                ends = [[np.c_[round_ * r + (x, y), np.full(8, z)] for x, y, z, r in rod] for rod in rods]
                for solid in (base, *(np.vstack(end) for end in ends)):
                    points.append(solid @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]))
                    parts.append((posture, turn, pose, slice(start, start + len(solid))))
                    start += len(solid)
    return np.vstack(points), parts


@lru_cache(maxsize=64)
def _weights(lean_steps: int) -> tuple[FloatImage, FloatImage]:
    """For standing and kneeling, (turns, 2 N N): what evidence for and against plastic counts at each spot."""
    away_in = np.array([lean_steps * _LEAN_STEP * _EYE_IN, 0.0])
    points, parts = _solids()
    flat, height = points[:, :2], points[:, 2:]
    lifted = flat + (flat + away_in) * (height / (_EYE_IN - height))
    corners = np.round((lifted * CROP_PX_PER_IN + _REACH_PX) * 16).astype(np.int32)
    size = 2 * _REACH_PX + 1
    masks = {p: np.zeros((_TURNS, len(poses), size, size), np.uint8) for p, poses in _POSES.items()}
    for posture, turn, pose, own in parts:
        cv2.fillConvexPoly(masks[posture][turn, pose], cv2.convexHull(corners[own]), 255, cv2.LINE_AA, 4)
    return _evidence_weights(masks[Posture.STANDING]), _evidence_weights(masks[Posture.KNEELING])


def _evidence_weights(masks: npt.NDArray[np.uint8]) -> FloatImage:
    """Log-likelihood per unit of evidence, given how often each spot is covered.

    A spot covered with chance p and seen with likelihood ratio e^v has the ratio 1 + p (e^v - 1) to a bare one; it is
    taken at the limits of v and as straight in between.
    """
    covered = masks.mean(axis=1, dtype=np.float32) / np.float32(255)
    rise = np.log1p(covered * np.float32(math.expm1(EVIDENCE_LIMIT)))
    drop = -np.log1p(covered * np.float32(math.expm1(-EVIDENCE_LIMIT)))
    return np.asarray(np.stack([rise, drop], axis=1).reshape(len(masks), -1) / np.float32(EVIDENCE_LIMIT))
