"""Puts the soldiers of the simulated table where the battle says, such as after undo or when a battle is continued."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from rules.engine.position import Position
from rules.tabletop.table import Figure, PointIn, Posture
from ui.battle.battle_session import FALLEN_WITHIN_IN, LEAST_MOVE_IN, BattleSession
from vision.simulation.practice import CATCH_UP_S, ENTER_S, LEAVE_S, TOUCH_S, Practice
from vision.simulation.practice_table import PracticeTable
from vision.simulation.scene import Model
from vision.table_view import TableView

_NEAR_IN = 1.0
"""The toy whose base is this close to a seen figure is that figure."""


class PracticePlaces:
    """Moves one soldier after another with a hand, as a player would, so that the camera can follow each of them."""

    def __init__(self) -> None:
        self._play: BattleSession | None = None
        self._held: tuple[str, float] | None = None  # the toy, and when the hand is at its place
        self._seen_from_s = 0.0  # only later pictures show the table without the hand
        self._tried: dict[str, PointIn] = {}

    def follow(
        self,
        table: PracticeTable | None,
        view: TableView | None,
        play: BattleSession | None,
        position: Position | None,
    ) -> None:
        """Move the next figure that the battle awaits elsewhere; without a table or a battle do nothing."""
        if play is not self._play:
            self._play, self._tried = play, {}
        if play is None or position is None or table is None or view is None:
            return
        self._put_down(table, view.frame.time_s)
        is_clear = not view.frozen and view.frame.time_s > self._seen_from_s
        if is_clear and self._held is None and table.now.held is None:
            self._pick_up(table, play, position)
            if self._held is None:
                self._pose(table, play, position)

    def _pick_up(self, table: PracticeTable, play: BattleSession, position: Position) -> None:
        """Pick up the next figure that is seen elsewhere than it should be; each place is tried once."""
        for name, place_in in list(play.awaited.items()):
            figure = position.figures.get(name)
            if figure is None:
                continue
            toy = _toy_at(table.now, figure.centre_in)
            if self._tried.get(name) == place_in or toy is None or _is_at(toy, figure, place_in):
                del play.awaited[name]
                self._tried.pop(name, None)
                continue
            self._tried[name] = place_in
            table.change(partial(_carried, toy.id, place_in, position.unit(name).facing_deg))
            self._held = toy.id, table.time_s + ENTER_S + CATCH_UP_S
            return

    def _pose(self, table: PracticeTable, play: BattleSession, position: Position) -> None:
        """Lay down or stand up the next figure that is not as it should be."""
        for name, posture in list(play.awaited_postures.items()):
            figure = position.figures.get(name)
            if figure is None:
                continue
            del play.awaited_postures[name]
            toy = _toy_at(table.now, figure.centre_in)
            if toy is not None and (posture is Posture.DOWN) != _is_down(toy):
                table.change(partial(_laid_down_or_stood_up, toy.id))
                self._seen_from_s = table.time_s + TOUCH_S + LEAVE_S
                return

    def _put_down(self, table: PracticeTable, seen_s: float) -> None:
        """Put the toy down once a view has shown it in the hand: a toy that jumps would be taken for another one."""
        if self._held is None:
            return
        toy, there_s = self._held
        is_held = table.now.carried == toy  # otherwise the player has picked up another one
        if seen_s >= there_s or not is_held:
            if is_held:
                table.change(lambda now, now_s: now.put_down(now_s))
            self._held, self._seen_from_s = None, table.time_s + LEAVE_S


def _carried(toy: str, to_in: PointIn, facing_deg: float | None, now: Practice, now_s: float) -> Practice:
    """The table with a toy in the hand at its place, turned as the battle knows it to face."""
    there = now.pick_up(toy, now_s).carry(to_in)
    return there if facing_deg is None else there.turn(toy, facing_deg - there.model(toy).facing_deg)


def _laid_down_or_stood_up(toy: str, now: Practice, now_s: float) -> Practice:
    return now.lay_down_or_stand_up(toy, now_s)


def _is_at(toy: Model, figure: Figure, place_in: PointIn) -> bool:
    """Whether a toy is at a place, as it is seen; one that lies there by its base."""
    at_in = (toy.x_in, toy.y_in) if figure.posture is Posture.DOWN else figure.centre_in
    return math.dist(at_in, place_in) <= LEAST_MOVE_IN


def postures(before: Practice, now: Practice, position: Position) -> Iterator[tuple[str, Posture]]:
    """The figures of the battle whose toys were laid down or stood up, each with its posture now."""
    was_down = {toy.id: _is_down(toy) for toy in before.scene.models}
    posed = {toy.id: toy for toy in now.scene.models if was_down.get(toy.id, _is_down(toy)) != _is_down(toy)}
    for name in position.figures.keys() & position.state.units.keys() if posed else ():
        toy = _toy_at(before, position.figure(name).centre_in)
        if toy is not None and toy.id in posed:
            yield name, Posture.DOWN if _is_down(posed[toy.id]) else Posture.STANDING


def _is_down(toy: Model) -> bool:
    return toy.tilt_deg > 45


def _toy_at(table: Practice, place_in: PointIn) -> Model | None:
    """The toy at a place, one in the hand at the place that it was taken from; None if there is none."""
    held = table.held
    toys = [held if held is not None and toy.id == held.id else toy for toy in table.scene.models]
    # A toy's base is quickly found, the middle of one that lies is not.
    around = [toy for toy in toys if math.dist((toy.x_in, toy.y_in), place_in) <= _NEAR_IN + FALLEN_WITHIN_IN]
    near = min(around, key=lambda toy: math.dist(toy.figure.centre_in, place_in), default=None)
    return near if near is not None and math.dist(near.figure.centre_in, place_in) <= _NEAR_IN else None
