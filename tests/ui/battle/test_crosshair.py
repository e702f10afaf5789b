"""Cycling through figures, and moving the cross-hair in the direction of the arrow keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.camera import TableCamera
from rules.battle.referees import position_of
from rules.engine.dice import Scripted
from rules.engine.events import Change, Changed, PhaseBegun
from rules.engine.position import Position
from rules.engine.roster import Army
from tests.rules.battle_driver import begun, recruits
from tests.rules.board import figure
from ui.battle.battle_session import BattleSession
from ui.battle.selection import first_place, search_next, stepped
from ui.picture.table_map import overhead

PLACES = {"green-1": (2.0, 2.0), "green-2": (4.0, 2.0), "green-3": (6.0, 2.0), "tan-1": (2.0, 9.0), "tan-2": (6.0, 5.0)}


@pytest.fixture
def play(tmp_path: Path) -> Iterator[BattleSession]:
    """Green attacks; Green 2 is out."""
    cards = {"green": ["soldier"] * 3, "tan": ["soldier"] * 2}
    armies = {
        side: Army(name=side, game="simple_plastic", recruits=recruits(side, *men)) for side, men in cards.items()
    }
    with begun(tmp_path / "b", "simple_plastic", armies, PLACES) as battle:
        battle.record(PhaseBegun(turn=1, side="green", phase="attacking"))
        battle.record(Changed(changes=(Change(figure="green-2", key="eliminated", value=True),)))
        yield BattleSession(battle)


@pytest.fixture
def position(play: BattleSession) -> Position:
    return now_in(play)


def now_in(play: BattleSession) -> Position:
    return position_of(play.battle, [figure(name, *at) for name, at in PLACES.items()], ())


def test_figures_of_the_acting_side_are_cycled(play: BattleSession, position: Position) -> None:
    def after(steps: int, *names: str) -> list[str]:
        return [[*search_next(play, position, name, steps)][-1] for name in names]

    assert after(1, "", "green-1", "green-3") == ["green-1", "green-3", "green-1"]
    assert after(-1, "", "green-1", "tan-1") == ["green-3", "green-3", "green-3"]


def test_figures_that_can_do_nothing_are_passed_over(play: BattleSession, position: Position) -> None:
    action = next(iter(play.referee.attacks(position, "green-1")))
    play.do(position, action, Scripted((1, 1)))  # SP-12: a soldier attacks once
    assert [*search_next(play, now_in(play), "", 1)] == ["green-3"], "who has acted is not even examined"
    play.battle.record(PhaseBegun(turn=1, side="tan", phase="moving"))
    play.battle.record(PhaseBegun(turn=2, side="green", phase="attacking"))
    alone = replace(now_in(play), figures={"green-1": position.figures["green-1"]})
    assert [*search_next(play, alone, "", 1)] == [""], "there is no enemy on the table"


def test_the_cross_hair_starts_at_the_nearest_enemy(position: Position) -> None:
    assert first_place(position, "green-3") == (6.0, 5.0)
    assert first_place(position, "green-1") == (6.0, 5.0)  # 5 in off; Tan 1 is 7
    assert first_place(position, "tan-1") == (2.0, 2.0)  # 7 in; Green 3 is 8.1, Green 2 is out


NEAR = overhead((0.0, 0.0, 30.0, 20.0), (900, 600))
HALF_TURN = np.diag([-1.0, -1.0, 1.0])
FAR = TableCamera(NEAR.lens, NEAR.rotation @ HALF_TURN, NEAR.rotation @ (30.0, 20.0, 0.0) + NEAR.translation)
"""The same camera from the far edge: it sees (x, y) where the other sees (30 - x, 20 - y)."""


@pytest.mark.parametrize(
    ("toward_px", "way_in"),
    [((1, 0), (0.25, 0.0)), ((-1, 0), (-0.25, 0.0)), ((0, -1), (0.0, 0.25)), ((0, 1), (0.0, -0.25))],
)
def test_the_cross_hair_moves_in_the_direction_of_the_picture(
    toward_px: tuple[int, int], way_in: tuple[float, float]
) -> None:
    (dx, dy), at_in = way_in, (10.0, 8.0)
    assert stepped(NEAR, at_in, toward_px, 0.25) == pytest.approx((10.0 + dx, 8.0 + dy))
    assert stepped(FAR, at_in, toward_px, 0.25) == pytest.approx((10.0 - dx, 8.0 - dy))


def test_the_cross_hair_stays_in_the_picture() -> None:
    assert stepped(NEAR, (29.5, 8.0), (1, 0), 1.0) == (29.5, 8.0)
    assert stepped(NEAR, (29.5, 8.0), (1, 0), 0.25) == (29.75, 8.0)
