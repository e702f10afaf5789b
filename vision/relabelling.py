"""Corrects postures and armies of sightings by the players' examples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rules.tabletop.table import Posture
from vision.examples import Appearance, Examples
from vision.figure_search import Sighting
from vision.recogniser import POSTURES
from vision.silhouette import base_outline

_LYING = (Posture.PRONE, Posture.DOWN)


def relabelled(
    sightings: Sequence[Sighting], examples: Examples, scale: float, seen: Sequence[Appearance] = ()
) -> tuple[Sighting, ...]:
    """The same sightings in the same order and places, with the postures and armies that the examples suggest.

    Args:
        sightings: Figures of one picture or a part of it.
        examples: Confirmed or corrected figures.
        scale: The figures' height / 2.1 in.
        seen: Latest appearances of all figures on the table; the unambiguous ones vote as bystanders.
    """
    if not examples.all:
        return tuple(sightings)
    sure = examples.bystanders(seen)
    return tuple(_relabelled(one, examples, scale, sure) for one in sightings)


def _relabelled(one: Sighting, examples: Examples, scale: float, bystanders: Sequence[Appearance]) -> Sighting:
    if one.appearance is None:
        return one
    postures, army = examples.postures_of(one.appearance, bystanders), examples.army_of(one.appearance)
    posture = POSTURES[int(np.argmax(postures))]
    base_in = one.base_in
    if (posture in _LYING) != (one.posture in _LYING):
        tip_x, tip_y = base_in[0]
        turn_deg = math.degrees(math.atan2(tip_y - one.y_in, tip_x - one.x_in))
        base_in = base_outline(posture, one.x_in, one.y_in, turn_deg, scale)
    return replace(one, posture=posture, postures=postures, army=army, base_in=base_in)
