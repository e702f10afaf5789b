"""Who acts and what is aimed at by keys alone: the figures one after another, and a cross-hair on the table. No Qt."""

from __future__ import annotations

import math

import numpy as np

from calibration.camera import TableCamera
from rules.engine.position import Moment
from rules.tabletop.table import PointIn
from ui.battle.round_sequence import in_turn
from ui.table.finding import Mark, Note, Trace, lifted, ring
from ui.theme import PREVIEW

STEP_IN, LONG_STEP_IN = 0.25, 1.0
_ARM_IN, _GAP_IN, _RING_IN = 1.0, 0.3, 0.65
_BEFORE_HIM_IN = 3.0


def next_figure(moment: Moment, now: str, steps: int) -> str:
    """Who of those that may act comes so many after another, round the end; empty where there is nobody."""
    names = in_turn(moment)
    if not names:
        return ""
    if now not in names:
        return names[0 if steps > 0 else -1]
    return names[(names.index(now) + steps) % len(names)]


def first_place(moment: Moment, figure: str) -> PointIn:
    """Where a cross-hair begins: at the nearest enemy, else a little before the figure itself."""
    here = moment.figure(figure).centre_in
    there = [moment.figure(enemy.id).centre_in for enemy in moment.enemies(moment.unit(figure))]
    return min(there, key=lambda place: math.dist(here, place), default=(here[0], here[1] + _BEFORE_HIM_IN))


def stepped(camera: TableCamera, at_in: PointIn, toward_px: tuple[int, int], step_in: float) -> PointIn:
    """A place one step along that edge of the table which the picture has most nearly in this direction.

    Args:
        camera: That shows it.
        at_in: Where it is.
        toward_px: On the screen, as (1, 0) for the right and (0, -1) for up.
        step_in: How far.

    Returns:
        The place; where it was, if the step leads out of the picture.
    """
    ways = [(step_in, 0.0), (-step_in, 0.0), (0.0, step_in), (0.0, -step_in)]
    places = [(at_in[0] + dx, at_in[1] + dy) for dx, dy in ways]
    here_px, *there_px = camera.table_to_pixel(np.array([(*place, 0.0) for place in (at_in, *places)]))
    best = max(range(len(places)), key=lambda row: float(_unit(there_px[row] - here_px) @ np.array(toward_px, float)))
    (u, v), (width, height) = there_px[best], camera.lens.image_size
    return places[best] if 0 <= u < width and 0 <= v < height else at_in


def _unit(way_px: np.ndarray) -> np.ndarray:
    return np.asarray(way_px / max(float(np.hypot(*way_px)), 1e-9))


def cross_marks(at_in: PointIn) -> tuple[Mark, ...]:
    """A ring with four arms that leave the place itself free to be seen."""
    x, y = at_in
    turns = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    circle = [(x + _RING_IN * math.cos(turn), y + _RING_IN * math.sin(turn)) for turn in turns]
    arms = [((x + _GAP_IN * dx, y + _GAP_IN * dy), (x + _ARM_IN * dx, y + _ARM_IN * dy)) for dx, dy in _ARMS]
    words = (("Enter aims here", 13.0), ("arrows move it, Esc lets go", 11.0))
    return (
        Trace(ring(circle), PREVIEW, 3.0, closed=True),
        *(Trace(lifted(arm), PREVIEW, 3.0) for arm in arms),
        Note((x, y, 0.0), words, PREVIEW, (0.0, 34.0)),
    )


_ARMS = ((1, 0), (-1, 0), (0, 1), (0, -1))
