"""Visible sides of dice: a die that leans on something shows more of its sides than the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.opencv import cv2
from rules.tabletop.table import FloatArray
from vision.dice.view import Face, View

COCKED_EXCESS = 0.11
"""A die is cocked if its visible sides exceed the expected ones by more than this part of its side."""

_RAYS = np.linspace(-0.25, 0.25, 5)  # sides along an edge
_STEPS = np.arange(0.08, 1.1, 0.04)  # sides beyond it
_PLASTIC = (0.3, 1.25)  # light on a die's side / on its top
_TRAY = (0.35, 1.2)  # light on the tray / its median
_OTHER = 1.15  # sides of the square in which another die hides what is beyond an edge
_PRIOR = 1.5  # weight of the slant, in dice
_NO_SPREAD = 10.0  # weight of no perspective, in dice
_TRUST = 0.1  # sides: larger deviations count less
_SLANT_SLACK = 0.3  # added tolerance per drop in oblique views, where shadow meets the sides
_SMALL_DROP = 0.2
_ROUNDS = 8


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """(N, 4) edges of N top faces, in the level frame.

    Attributes:
        out: (N, 4, 2) unit vectors away from the top.
        visible: (N, 4) extent of the plastic beyond each edge, in sides of the die.
        free: (N, 4) whether no other die hides what is beyond.
    """

    out: FloatArray
    visible: FloatArray
    free: npt.NDArray[np.bool_]


def excess(view: View, faces: Sequence[Face]) -> FloatArray:
    """(N,) visible sides of each die in excess of the expected ones, in sides; tipping by 15 degrees gives 0.25.

    The expected ones come from the other dice, which differ only by perspective.
    """
    if not faces:
        return np.empty(0)
    edges = _edges(view, faces)
    side = float(np.median([face.body.side for face in faces]))
    middle = view.level @ np.array(view.image_bgr.shape[1::-1]) / 2
    away = (np.array([face.centre for face in faces]) - middle) / side
    foot = np.einsum("nk,nkx->nx", edges.visible, edges.out)
    weight = edges.free.all(axis=1).astype(float)
    x, y = away.T
    one, none = np.ones(len(x)), np.zeros(len(x))
    table = np.concatenate([np.stack([one, none, x], axis=1), np.stack([none, one, y], axis=1), np.eye(3)])
    values = np.concatenate([foot.T.ravel(), view.slant.drop, [0.0]])
    for _ in range(_ROUNDS):
        trust = np.sqrt(np.concatenate([weight, weight, [_PRIOR, _PRIOR, _NO_SPREAD]]))
        model = np.linalg.lstsq(table * trust[:, None], values * trust, rcond=None)[0]
        expected_drop = model[:2] + model[2] * away
        expected = np.clip(np.einsum("nkx,nx->nk", edges.out, expected_drop), 0, _STEPS[-1] - _STEPS[0])
        off = np.linalg.norm((edges.visible - expected) * edges.free, axis=1)
        weight = edges.free.all(axis=1) / (1 + (off / _TRUST) ** 2)
    slack = _SLANT_SLACK * max(0.0, float(np.linalg.norm(view.slant.drop)) - _SMALL_DROP)
    return np.asarray(np.maximum(off - slack, 0))


def _edges(view: View, faces: Sequence[Face]) -> _Edges:
    tray = np.median(view.image_bgr[::7, ::7].reshape(-1, 3), axis=0)
    back = np.linalg.inv(view.level)
    squares = [view.square_px(face.centre, face.axes, face.body) @ view.level.T for face in faces]
    large = [((s - s.mean(axis=0)) * _OTHER + s.mean(axis=0)).astype(np.float32) for s in squares]
    outs, visible, free = [], [], []
    for k, (face, square) in enumerate(zip(faces, squares, strict=True)):
        for a, b in zip(square, np.roll(square, -1, axis=0), strict=True):
            out = (a + b) / 2 - face.centre
            starts = (a + b) / 2 + _RAYS[:, None] * (b - a)
            points = starts[:, None] + _STEPS[:, None] * 2 * out
            reach = _extent(_plastic(_pixels(view, points @ back.T), face.colour_bgr, tray))
            probes = points[len(_RAYS) // 2, max(reach, 0.2) + 0.1 > _STEPS]
            others = [other for i, other in enumerate(large) if i != k]
            outs.append(out / np.linalg.norm(out))
            visible.append(reach)
            free.append(not any(_holds(other, probe) for other in others for probe in probes))
    count = (len(faces), 4)
    return _Edges(np.array(outs).reshape(*count, 2), np.array(visible).reshape(count), np.array(free).reshape(count))


def _holds(outline: npt.NDArray[np.float32], point: FloatArray) -> bool:
    return cv2.pointPolygonTest(outline, (float(point[0]), float(point[1])), False) >= 0


def _pixels(view: View, points: FloatArray) -> FloatArray:
    height, width = view.image_bgr.shape[:2]
    place = np.round(points).astype(np.intp)
    pixels = view.image_bgr[place[..., 1].clip(0, height - 1), place[..., 0].clip(0, width - 1)]
    return np.asarray(pixels, np.float64)


def _plastic(pixels: FloatArray, body_bgr: FloatArray, tray_bgr: FloatArray) -> npt.NDArray[np.bool_]:
    """Pixels that look more like the die than like the tray, each in any light."""

    def off(colour: FloatArray, shades: tuple[float, float]) -> FloatArray:
        shade = np.clip(pixels @ colour / max(float(colour @ colour), 1.0), *shades)
        return np.asarray(np.linalg.norm(pixels - shade[..., None] * colour, axis=-1))

    return np.asarray(off(body_bgr, _PLASTIC) < off(tray_bgr, _TRAY))


def _extent(plastic: npt.NDArray[np.bool_]) -> float:
    """Extent of the plastic beyond an edge in sides, the median over the rays of (rays, steps)."""
    first = np.where(plastic.all(axis=1), len(_STEPS) - 1, np.argmin(plastic, axis=1))
    return float(np.median(_STEPS[first])) - float(_STEPS[0])
