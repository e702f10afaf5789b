"""Leaning dice and faces on the sides of dice: they face another way than the tops of the other dice.

The tops of dice that lie flat face one way; seen through a lens, their normals across the line of sight change evenly
over the picture. A calibrated camera gives these normals; else they are fitted to the dice, and the picture is taken to
be upright: an oblique camera sees tops above the sides of dice, so tops do not face down in the picture. A die by
itself is judged by its look alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rules.tabletop.table import FloatArray
from vision.dice.networks import NOTHING, DieHint, FaceRead

_TURNED = 0.18  # sine of the angle between a die's top and the others', from which it leans
_LOOKS = 0.7  # probability by the look alone
_DOWN = 0.3  # of a normal, down in the picture, from which a level top cannot look so
_SIDE_REACH = 0.8  # distance in sides from a top, below which there is no other top: that of a side is at most 0.71
_SIDE_TURN = 0.2  # length of the difference of two normals, from which the faces are not level with each other
_SIDE_ALONG = 0.7  # cosine of the angle between that difference and the line between the faces
_LIKELIER = 2.0  # chance that a top is none, relative to that of the face on its side, above which both are kept
_TOO_LOW, _FLATTER = 0.35, 0.85  # in sides: how far below a top its die is found, and the side of that top
_FITTED = 5  # dice from which the change over the picture is fitted
_ROUNDS = 8
_NOISE = 0.04  # of a normal


def leaning_dice(faces: Sequence[FaceRead], level: FloatArray | None = None) -> list[bool]:
    """Whether each die leans, or shows its side; `level` are the (N, 2) normals of level dice there, if known."""
    turned = np.asarray(_turns(faces, level)) > _TURNED
    return [bool(turn) or face.leaning > _LOOKS for turn, face in zip(turned, faces, strict=True)]


def without_sides(faces: Sequence[FaceRead]) -> list[FaceRead]:
    """Without faces on the side of a die whose top is known."""
    return [face for face in faces if not any(_is_side(face, top) for top in faces)]


def hint_above(face: FaceRead) -> DieHint:
    """Where the top of a die may be if this face is on its side, or was read too low, in an upright picture."""
    aside, down = face.normal
    if down < _DOWN:
        return DieHint(face.centre_px + np.array([0.0, -_TOO_LOW * face.side_px]), _FLATTER * face.side_px, face.hint)
    # The side of a die faces (aside, down) if the camera's tilt has the cosine down / sqrt(1 - aside ** 2).
    cosine = min(down / math.sqrt(max(1 - aside**2, _NOISE)), 1.0)
    to_top = np.array([0.0, -math.sqrt(1 - cosine**2)]) - face.normal
    return DieHint(face.centre_px + to_top * face.long_px / 2, face.long_px * math.sqrt(cosine), face.hint)


def _is_side(face: FaceRead, top: FaceRead) -> bool:
    """Whether two faces are nearer than the tops of two dice, and look away from each other."""
    apart_px = top.centre_px - face.centre_px
    away_px = math.hypot(*apart_px)
    if not 0 < away_px < _SIDE_REACH * max(face.long_px, top.long_px) or not _is_above(top, face):
        return False
    between = top.normal - face.normal
    turned = math.hypot(*between)
    return turned > _SIDE_TURN and float(between @ apart_px) > _SIDE_ALONG * turned * away_px


def _is_above(top: FaceRead, face: FaceRead) -> bool:
    """Whether of two faces of a die, the first is the top: unlike the other, it does not face down in the picture.

    If both or neither do, the top is seen less obliquely, so it looks larger; a doubtful top does not count.
    """
    if (top.normal[1] > _DOWN) != (face.normal[1] > _DOWN):
        return bool(face.normal[1] > _DOWN)
    return top.side_px > face.side_px and bool(top.chances[NOTHING] <= _LIKELIER * face.chances[NOTHING])


def _turns(faces: Sequence[FaceRead], level: FloatArray | None) -> FloatArray:
    """(N,) sine of the angle between each top and those of level dice."""
    if not faces:
        return np.zeros(0)
    normals = np.array([face.normal for face in faces])
    if level is None:
        level = _level_normals(normals, np.array([face.centre_px for face in faces]))
        if np.median(level[:, 1]) > _DOWN:
            return np.ones(len(faces))
    return np.asarray(np.linalg.norm(normals - level, axis=1))


def _level_normals(normals: FloatArray, centres: FloatArray) -> FloatArray:
    """(N, 2) normals of level dice at these places: most of the dice lie flat."""
    if len(normals) < _FITTED:
        return np.tile(np.median(normals, axis=0), (len(normals), 1))
    spread = centres - np.median(centres, axis=0)
    spread = spread / (np.abs(spread).max() + 1e-9)
    weights = np.ones(len(normals))
    level = normals
    for _ in range(_ROUNDS):  # least absolute differences; the change is the same in all directions
        shares = weights / weights.sum()
        middle, mean = shares @ spread, shares @ normals
        away = spread - middle
        change = shares @ (away * (normals - mean)).sum(axis=1) / (shares @ (away**2).sum(axis=1) + 1e-9)
        level = mean + change * away
        weights = 1 / np.maximum(np.linalg.norm(normals - level, axis=1), _NOISE)
    return np.asarray(level)
