"""The way to the first shot of a battle: Simple Plastic has no dice before it, Army Men rolls for the first move."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rules.battle.referees import position_of
from rules.engine.dice import Scripted
from rules.engine.position import Position
from rules.engine.roster import Army
from tests.rules.battle_driver import begun, recruits
from tests.rules.board import figure
from tests.rules.test_battle_simple_plastic import GREEN, PLACES, TAN
from tests.ui.battle.test_battle_session import seen
from ui.battle.battle_session import BattleSession
from ui.battle.first_shot import FirstShot, Need, ShotStep


@pytest.fixture
def play(tmp_path: Path) -> Iterator[BattleSession]:
    with begun(tmp_path / "b", "simple_plastic", {"green": GREEN, "tan": TAN}, PLACES) as battle:
        yield BattleSession(battle)


def test_moves_soldier_target_roll(play: BattleSession) -> None:
    watch = FirstShot()

    def now() -> Position:
        return seen(play.battle)

    for need in (Need.PHASE, Need.MOVE):  # the battle begins, then the moves are done
        assert watch.next_step(play, now(), None) == ShotStep(need)
        play.go_on(now())
    assert watch.next_step(play, now(), None) == ShotStep(Need.SOLDIER, "green-1")
    actions = play.available_actions(now(), "green-1")
    step = watch.next_step(play, now(), None, actions.attacks)
    assert step.need is Need.TARGET
    [shot] = [one for one in actions.attacks if one.action.at[0] == step.figure]
    assert watch.next_step(play, now(), shot, actions.attacks) == ShotStep(Need.ROLL)
    assert watch.next_step(play, now(), shot, actions.attacks, is_rolling=True) == ShotStep(Need.DICE)
    play.do(now(), shot.action, Scripted((1,)))  # a miss is a shot too
    assert watch.next_step(play, now(), None) == ShotStep(Need.NOTHING)
    play.battle.undo()
    assert watch.next_step(play, now(), None) == ShotStep(Need.SOLDIER, "green-1")
    play.go_on(now())  # Tan moves
    assert watch.next_step(play, now(), None, actions.attacks) == ShotStep(Need.MOVE)


def test_moves_that_wait_come_before_the_next_phase(play: BattleSession) -> None:
    play.go_on(seen(play.battle))
    watch, position = FirstShot(), seen(play.battle)
    assert watch.next_step(play, position, None, must_answer=True) == ShotStep(Need.MOVES)
    assert watch.next_step(play, position, None) == ShotStep(Need.MOVE)


def test_initiative_is_rolled_first_and_phases_without_shots_pass(tmp_path: Path) -> None:
    armies = {side: Army(name=side, game="army_men", recruits=recruits(side, "rifleman")) for side in ("green", "tan")}
    with begun(tmp_path / "b", "army_men", armies, {"green-1": (3, 3), "tan-1": (9, 3)}) as battle:
        play, watch = BattleSession(battle), FirstShot()

        def now() -> Position:
            return position_of(battle, [figure("green-1", 3, 3), figure("tan-1", 9, 3)], ())

        first = next(one for one in play.obligations(now()) if one.action.owed)
        assert watch.next_step(play, now(), first) == ShotStep(Need.DUTY), "nobody shoots yet"
        while battle.state.phase != "automatic_weapons":
            need = Need.MOVE if battle.state.phase == "movement" else Need.PHASE
            assert watch.next_step(play, now(), None) == ShotStep(need)
            play.go_on(now(), play.owed(now()))
        assert watch.next_step(play, now(), None) == ShotStep(Need.PHASE), "rifles are next (AM-12)"
        play.go_on(now())
        assert watch.next_step(play, now(), None) == ShotStep(Need.SOLDIER, "green-1")


def test_the_players_choose_who_begins(tmp_path: Path) -> None:
    """FM-17: one of the sides begins, without dice; the turn bar's button would only skip the choice."""
    armies = {
        side: Army(name=side, game="fudge_miniatures", recruits=recruits(side, "Knavely Knave"))
        for side in ("green", "tan")
    }
    with begun(tmp_path / "b", "fudge_miniatures", armies, {"green-1": (3, 3), "tan-1": (9, 3)}) as battle:
        play, watch = BattleSession(battle), FirstShot()
        position = position_of(battle, [figure("green-1", 3, 3), figure("tan-1", 9, 3)], ())
        owed = play.obligations(position)
        assert watch.next_step(play, position, None, owed) == ShotStep(Need.CHOICE)
        [green, _] = [one for one in owed if one.action.owed]
        assert watch.next_step(play, position, green, owed) == ShotStep(Need.DUTY)
