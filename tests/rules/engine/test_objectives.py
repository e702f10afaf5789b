"""Objectives of the sides: agreed, changed, undone, and used by each game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rules.battle.battle import Battle
from rules.battle.referees import referee_of
from rules.engine.events import Changed
from rules.engine.objectives import Objective, Task, objective_changes, objectives_of
from rules.engine.roster import Army
from rules.games import GAMES, open_game
from rules.tabletop.errors import UserError
from rules.tabletop.table import PointIn
from tests.rules.battle_driver import BattleDriver, begun, recruits

PLACES: dict[str, PointIn] = {"green-1": (4, 4), "green-2": (6, 4), "tan-1": (4, 30), "tan-2": (6, 30)}


def driver(path: Path, game: str) -> BattleDriver:
    card = next(iter(open_game(game).rules.plain["cards"]))
    armies = {side: Army(name=side, game=game, recruits=recruits(side, card, card)) for side in ("green", "tan")}
    return BattleDriver(begun(path / "b", game, armies, PLACES))


def agree(battle: Battle, aim: Objective) -> None:
    tasks = referee_of(battle.game.name).tasks(battle.game.rules)
    battle.record(Changed(changes=objective_changes(battle.state, tasks, aim)))


USUAL = {
    "army_men": "destroy_all",
    "fudge_miniatures": "last_man_standing",
    "simple_plastic_figure": "eliminate_all",
}
"""Simple Plastic has one option for both sides, Plastic Fudge scenarios: neither has a task for each side."""


@pytest.mark.parametrize("game", GAMES)
def test_every_goal_of_a_game_is_a_task_with_the_default_first(game: str) -> None:
    opened = open_game(game)
    tasks = referee_of(game).tasks(opened.rules)
    rows = opened.rules.plain["goals"] if game in USUAL else {}
    assert sorted(task.name for task in tasks) == sorted(rows)
    assert [task.name for task in tasks][:1] == ([USUAL[game]] if rows else [])
    assert all(bool(task.number) == (task.number_key is not None) for task in tasks)


def test_bridge_must_be_held_for_the_agreed_turns(tmp_path: Path) -> None:
    """FM-05: won after holding it for the agreed number of turns; the number may be changed in between."""
    one = driver(tmp_path, "fudge_miniatures")
    agree(one.battle, Objective("green", "hold_bridge", 3, "the stone one"))
    assert one.battle.can_undo is not None
    assert "hold bridge" in one.battle.can_undo

    def held() -> bool:
        return bool(one.do(one.obligation("victory")).numbers["victory"])

    def last_step(turn: int) -> None:
        """A turn in which the bridge was held is counted when the side's turn ends."""
        while (one.battle.state.turn, one.battle.state.side, one.battle.state.phase) != (turn, "green", "move_on"):
            one.battle.record(one.referee.next_phase(one.position))

    last_step(1)
    assert not held()
    agree(one.battle, Objective("green", "hold_bridge", 2, "the stone one"))
    last_step(2)
    assert held()


def test_changed_number_of_enemies_can_be_undone(tmp_path: Path) -> None:
    one = driver(tmp_path, "simple_plastic_figure")
    agree(one.battle, Objective("green", "eliminate_number", 2))
    agree(one.battle, Objective("green", "eliminate_number", 1))
    tasks = one.referee.tasks(one.battle.game.rules)
    assert objectives_of(one.battle.state, tasks) == (
        Objective("green", "eliminate_number", 1),
        Objective("tan", "eliminate_all"),
    )
    assert one.battle.undo() == "Needed by green: 1"
    assert objectives_of(one.battle.state, tasks)[0].number == 2


def test_own_description_in_a_game_without_tasks(tmp_path: Path) -> None:
    battle = driver(tmp_path, "simple_plastic").battle
    agree(battle, Objective("tan", words=" bring the flag home "))
    assert objectives_of(battle.state, ()) == (Objective("green"), Objective("tan", words="bring the flag home"))
    agree(battle, Objective("tan"))
    assert "task_of_tan" not in battle.state.statuses


def test_unchanged_objective_gives_no_changes(tmp_path: Path) -> None:
    battle = driver(tmp_path, "army_men").battle
    tasks = referee_of("army_men").tasks(battle.game.rules)
    agree(battle, Objective("green", "escape"))
    assert objective_changes(battle.state, tasks, Objective("green", "escape")) == ()


@pytest.mark.parametrize(
    ("aim", "message"),
    [
        (Objective("green", "win"), "there is no task 'win': choose one of last_man_standing"),
        (Objective("green", "hold_bridge"), "the task of green needs a number: enter how many turns"),
        (Objective("green", "hold_bridge", 0), "needs a number"),
    ],
)
def test_invalid_objectives_are_refused(aim: Objective, message: str, tmp_path: Path) -> None:
    battle = driver(tmp_path, "fudge_miniatures").battle
    with pytest.raises(UserError, match=message):
        agree(battle, aim)


def test_the_usual_number_of_a_task() -> None:
    # Half of the enemies, rounded up: 3 of 5; half of the own figures: 2 of 4; else the number of the task itself.
    plain = Task("hold", "the bridge is held", "FM-05", number="turns", usual=3)
    assert plain.usual_number(own=4, enemies=5) == 3
    assert replace(plain, half_of="enemies").usual_number(own=4, enemies=5) == 3
    assert replace(plain, half_of="own").usual_number(own=4, enemies=5) == 2
