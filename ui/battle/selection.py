"""What the players have selected in a battle, and selecting and aiming by keys. No Qt."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from calibration.camera import TableCamera
from rules.engine.position import Position
from rules.tabletop.table import PointIn, ellipse_outline
from ui.battle.battle_session import BattleSession
from ui.battle.round_sequence import able_to_act, able_to_attack, can_act
from ui.table.finding import Mark, Note, Trace, lifted, ring
from ui.theme import PREVIEW
from ui.translation import tr


@dataclass(frozen=True, slots=True)
class Selection:
    """A selected figure that aims at nothing yet, at a place, at several targets, or with the cross-hair.

    Attributes:
        figure: Its id; empty if none is selected.
        spot_in: The place aimed at, if any.
        targets: The targets chosen one by one, to be attacked by one action.
        cross_hair_in: The cross-hair's position, for aiming by keys.
    """

    figure: str = ""
    spot_in: PointIn | None = None
    targets: tuple[str, ...] = ()
    cross_hair_in: PointIn | None = None

    def less(self) -> Selection:
        """Without the last thing selected: the cross-hair, the targets, the place, at last the figure."""
        if self.cross_hair_in is not None:
            return replace(self, cross_hair_in=None)
        if self.targets:
            return replace(self, targets=())
        return Selection(self.figure if self.spot_in is not None else "")


STEP_IN, LONG_STEP_IN = 0.25, 1.0
_ARM_IN, _GAP_IN, _RING_IN = 1.0, 0.3, 0.65
_IN_FRONT_IN = 3.0


def search_next(play: BattleSession, position: Position, now: str, direction: int) -> Iterator[str]:
    """Search the next figure after `now` that can do something, cyclically; a `direction` of -1 goes backwards.

    Whether a figure can do anything takes long to compute, so one is examined at a time: the search yields an empty
    text for each that can do nothing, and last the id of one that can, if there is any.
    """
    names = able_to_attack(position)[::direction]
    here = names.index(now) + 1 if now in names else 0
    ready, is_set_up = able_to_act(play, position), not position.state.turn
    for name in (*names[here:], *names[:here]):
        if name in ready:
            able = is_set_up or can_act(play, position, name)
            yield name if able else ""
            if able:
                return


def first_place(position: Position, figure: str) -> PointIn:
    """Where the cross-hair starts: at the nearest enemy, else a little in front of the figure."""
    here = position.figure(figure).centre_in
    enemies = [position.figure(enemy.id).centre_in for enemy in position.enemies(position.unit(figure))]
    return min(enemies, key=lambda place: math.dist(here, place), default=(here[0], here[1] + _IN_FRONT_IN))


def stepped(camera: TableCamera, at_in: PointIn, toward_px: tuple[int, int], step_in: float) -> PointIn:
    """Move a place one step along the table axis that is closest to a direction in the picture; (1, 0) is right.

    A step that would leave the picture is not taken.
    """
    steps = [(step_in, 0.0), (-step_in, 0.0), (0.0, step_in), (0.0, -step_in)]
    places = [(at_in[0] + dx, at_in[1] + dy) for dx, dy in steps]
    start_px, *ends_px = camera.table_to_pixel(np.array([(*place, 0.0) for place in (at_in, *places)]))
    best = max(range(len(places)), key=lambda row: float(_unit(ends_px[row] - start_px) @ np.array(toward_px, float)))
    (u, v), (width, height) = ends_px[best], camera.lens.image_size
    return places[best] if 0 <= u < width and 0 <= v < height else at_in


def _unit(vector_px: np.ndarray) -> np.ndarray:
    return np.asarray(vector_px / max(float(np.hypot(*vector_px)), 1e-9))


def cross_marks(at_in: PointIn) -> tuple[Mark, ...]:
    """A ring with four arms that leave the place itself visible."""
    x, y = at_in
    arms = [((x + _GAP_IN * dx, y + _GAP_IN * dy), (x + _ARM_IN * dx, y + _ARM_IN * dy)) for dx, dy in _ARMS]
    words = ((tr("Enter: aim here"), 14.0), (tr("arrow keys: move, Esc: cancel"), 14.0))
    return (
        Trace(ring(ellipse_outline(at_in, _RING_IN, _RING_IN)), PREVIEW, 3.0, closed=True),
        *(Trace(lifted(arm), PREVIEW, 3.0) for arm in arms),
        Note((x, y, 0.0), words, PREVIEW, (0.0, 34.0)),
    )


_ARMS = ((1, 0), (-1, 0), (0, 1), (0, -1))
