"""Random battles of every game, option and number of sides: undone, done again, closed and opened at any moment.

`UNDONE_SEEDS=50 pytest -m slow tests/rules/test_undone_and_stored.py` draws 50 battles for each.
"""

from __future__ import annotations

import itertools
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.battle.battle import Battle
from rules.battle.replay import replay
from rules.battle.scripted import SituationPlay, begin_battle
from rules.battle.situation import Situation, situation_of
from rules.engine.state import State
from rules.games import GAMES, open_game
from rules.tabletop.errors import UserError
from tests.rules.battle_driver import BattleDriver, play_at_random

FOLDER = Path(__file__).parents[1] / "data" / "situations"
SEEDS = range(int(os.environ.get("UNDONE_SEEDS", "1")))
MOVES = 7
"""Moments of a battle; at each it is played on, undone, done again, or closed and opened."""


def option_values(game: str) -> Iterator[dict[str, Any]]:
    """Every value of every option that is not its default."""
    for name, option in open_game(game).options.items():
        yield from ({name: value} for value in option.values if value != option.default)


def drawn(game: str, chance: random.Random, sides: int, options: dict[str, Any]) -> Situation:
    """A situation of the game with this many sides, among which its figures are divided again."""
    files = sorted((FOLDER / game).glob("*.json"))
    while True:
        document = json.loads(chance.choice(files).read_text("utf-8"))
        figures = [one for army in document["sides"].values() for one in army]
        names = [*document["sides"], "third", "fourth"][:sides]
        if len(figures) < sides or len(document["sides"]) > sides:
            continue
        if sides > len(document["sides"]):
            document["sides"] = {name: figures[n::sides] for n, name in enumerate(names)}
        if chance.random() < 0.3:
            document.setdefault("house_rules", f'inherits = "{game}"\nhouse_rules = "Attic"\n')
        ready = [step for step in document["steps"][:2] if {"phase", "status"} & set(step)]
        return situation_of({**document, "steps": ready, "options": {**document.get("options", {}), **options}})


def begun(game: str, folder: Path, chance: random.Random, sides: int, options: dict[str, Any]) -> Battle:
    """A battle of a drawn situation, after the steps that set it up."""
    for number in itertools.count():
        place = folder / str(number)
        place.mkdir()
        situation = drawn(game, chance, sides, options)
        battle = begin_battle(situation, place)
        try:
            play = SituationPlay(situation, battle)
            for step in situation.steps:
                play.step(step)
        except UserError:  # the phase belongs to the players' own side, or the status to another option
            battle.close()
        else:
            return battle
    raise AssertionError("unreachable")


def stored(battle: Battle) -> tuple[Any, ...]:
    """What a battle has after it was closed and opened: the state, undo and redo, the rules of the game."""
    rules = battle.game.rules
    history = (battle.state, battle.can_undo, battle.can_redo, tuple(battle.in_force))
    return (*history, rules.labels, dict(rules.chosen), dict(rules.plain))


class Moments:
    """The states of a battle by the last entry in force, which determines all entries before it."""

    def __init__(self) -> None:
        self.known: dict[int, State] = {}

    def compare(self, battle: Battle) -> None:
        """Check the state against the one that the battle had at the same entry before."""
        last = max(battle.in_force)
        assert battle.state == self.known.setdefault(last, battle.state)


def play_undo_and_store(battle: Battle, chance: random.Random) -> None:
    """Play, undo, redo, and close and open a battle at random; the same entries always make the same state."""
    moments, path, terrain = Moments(), battle.path, battle.state.terrain
    moments.compare(battle)
    for number in range(MOVES):
        what = chance.choice(("play", "play", "undo and redo", "undo", "store"))
        if what == "play":
            play_at_random(BattleDriver(battle, terrain), chance.randrange(10**6) + number, steps=2)
        elif what.startswith("undo"):
            names = []
            for _ in range(chance.randint(1, 6)):
                if (name := battle.undo()) is None:
                    break
                names.append(name)
                moments.compare(battle)
            for name in names[::-1] if what == "undo and redo" else ():
                assert battle.can_redo == name
                assert battle.redo() == name
                moments.compare(battle)
        else:
            before = stored(battle)
            battle.close()
            battle = Battle.open(path, itertools.count().__next__)
            assert stored(battle) == before
        moments.compare(battle)
    battle.close()
    assert replay(path) == ()


def most_sides(game: str) -> int:
    """How many sides are tried."""
    return open_game(game).rules.header.most_sides or 4


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_sides(game: str, tmp_path: Path) -> None:
    for sides, seed in itertools.product(range(2, most_sides(game) + 1), range(3 * len(SEEDS))):
        chance, folder = random.Random(f"{game} {sides} {seed}"), tmp_path / f"{sides} {seed}"
        folder.mkdir()
        play_undo_and_store(begun(game, folder, chance, sides, {}), chance)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_options(game: str, tmp_path: Path) -> None:
    for (number, options), seed in itertools.product(enumerate(option_values(game)), SEEDS):
        chance, folder = random.Random(f"{game} {options} {seed}"), tmp_path / f"{number} {seed}"
        folder.mkdir()
        sides = chance.randint(2, most_sides(game))
        play_undo_and_store(begun(game, folder, chance, sides, options), chance)
