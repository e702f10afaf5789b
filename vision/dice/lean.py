"""Leaning dice: their tops face another way than the others'.

The tops of dice that lie flat face one way; seen through a lens, their normals across the line of sight change evenly
over the picture. A die by itself is judged by its look alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rules.tabletop.table import FloatArray
from vision.dice.networks import NOTHING, FaceRead

_TURNED = 0.18  # sine of the angle between a die's top and the others', from which it leans
_LOOKS = 0.7  # probability by the look alone
_SIDE_REACH = 0.95  # distance in sides from a top, below which there is no other top
_SIDE_TURN = 0.2  # length of the difference of two normals, from which the faces are not level with each other
_SIDE_ALONG = 0.7  # cosine of the angle between that difference and the line between the faces
_LIKELIER = 2.0  # chance that a top is none, relative to that of the face on its side, above which both are kept
_FITTED = 5  # dice from which the change over the picture is fitted
_ROUNDS = 8
_NOISE = 0.04  # of a normal


def leaning_dice(faces: Sequence[FaceRead]) -> list[bool]:
    """Whether each die leans."""
    return [bool(turn > _TURNED) or face.leaning > _LOOKS for turn, face in zip(_turns(faces), faces, strict=True)]


def without_sides(faces: Sequence[FaceRead]) -> list[FaceRead]:
    """Without faces on the side of a die whose top is known: the top is seen less obliquely, so it looks larger."""
    return [face for face in faces if not any(_is_side(face, top) for top in faces)]


def _is_side(face: FaceRead, top: FaceRead) -> bool:
    """Whether two faces are nearer than the tops of two dice, and look away from each other."""
    apart_px = top.centre_px - face.centre_px
    away_px = float(np.linalg.norm(apart_px))
    if face.side_px >= top.side_px or not 0 < away_px < _SIDE_REACH * max(face.long_px, top.long_px):
        return False
    if top.chances[NOTHING] > _LIKELIER * face.chances[NOTHING]:
        return False
    between = top.normal - face.normal
    turned = float(np.linalg.norm(between))
    return turned > _SIDE_TURN and float(between @ apart_px) > _SIDE_ALONG * turned * away_px


def _turns(faces: Sequence[FaceRead]) -> FloatArray:
    """(N,) sine of the angle between each top and those of level dice."""
    if not faces:
        return np.zeros(0)
    normals = np.array([face.normal for face in faces])
    centres = np.array([face.centre_px for face in faces])
    return np.asarray(np.linalg.norm(normals - _level_normals(normals, centres), axis=1))


def _level_normals(normals: FloatArray, centres: FloatArray) -> FloatArray:
    """(N, 2) normals of level dice at these places: most of the dice lie flat."""
    if len(normals) < _FITTED:
        return np.tile(np.median(normals, axis=0), (len(normals), 1))
    spread = centres - np.median(centres, axis=0)
    spread = spread / (np.abs(spread).max() + 1e-9)
    weights = np.ones(len(normals))
    level = normals
    for _ in range(_ROUNDS):  # least absolute differences; the change is the same in all directions
        table, said = [], []
        for place, normal, weight in zip(spread, normals, np.sqrt(weights), strict=True):
            table += [[weight, 0.0, weight * place[0]], [0.0, weight, weight * place[1]]]
            said += list(weight * normal)
        x, y, change = np.linalg.lstsq(np.array(table), np.array(said), rcond=None)[0]
        level = np.array([x, y]) + change * spread
        weights = 1 / np.maximum(np.linalg.norm(normals - level, axis=1), _NOISE)
    return np.asarray(level)
