"""The solid that every soldier in a posture fills: the base and a body without arms and weapons."""

from __future__ import annotations

import math

import numpy as np

from rules.tabletop.table import STANDING_HEIGHT_IN, FloatArray, Outline, Posture, ellipse_outline

# Half sizes in inches of the bases of common 54 mm sets; others scale with their standing height.
_BASE = {Posture.STANDING: (0.54, 0.41), Posture.KNEELING: (0.54, 0.41), Posture.PRONE: (0.76, 0.35)}
_LYING = (1.0, 0.4)  # a casualty: head to foot, and across the body
# Discs as (height, radius) whose hull the body always fills, whatever the arms do.
_BODY = {
    Posture.STANDING: ((0.1, 0.22), (1.1, 0.28), (1.9, 0.19)),
    Posture.KNEELING: ((0.1, 0.32), (0.8, 0.30), (1.4, 0.19)),
}
_LOW_IN = 0.3  # height of a lying body

Solid = FloatArray
"""(N, 3) points in inches whose hull is one convex part of a body."""


def base_outline(posture: Posture, x_in: float, y_in: float, turn_deg: float, scale: float) -> Outline:
    """Outline in inches of the base; of a casualty, of the body."""
    length, width = _BASE.get(posture, _LYING)
    return ellipse_outline((x_in, y_in), length * scale, width * scale, turn_deg)


def solids(posture: Posture, x_in: float, y_in: float, turn_deg: float, scale: float) -> list[Solid]:
    """The convex parts of a figure at (x, y), with heights above the surface it stands on."""
    place = np.array([x_in, y_in])
    if posture not in _BODY:
        turn = math.radians(turn_deg)
        half = np.array([math.cos(turn), math.sin(turn)]) * 0.7 * scale
        return [np.vstack([_disc(place + side * half, 0.24, _LOW_IN, scale) for side in (-1, 1)])]
    base = np.array(base_outline(posture, x_in, y_in, turn_deg, scale))
    rings = [_disc(place, radius, height, scale) for height, radius in _BODY[posture]]
    return [np.c_[base, np.full(len(base), 0.05 * scale)], np.vstack(rings[:2]), np.vstack(rings[1:])]


def _disc(middle_in: FloatArray, radius_in: float, height_in: float, scale: float) -> FloatArray:
    rim = np.array(ellipse_outline(tuple(middle_in.tolist()), radius_in * scale, radius_in * scale, points=16))
    return np.asarray(np.c_[rim, np.full(len(rim), height_in * scale)])


def figure_scale(figure_height_in: float) -> float:
    """Size relative to the 54 mm soldiers on which all sizes here are based."""
    return figure_height_in / STANDING_HEIGHT_IN
