"""The demo's two armies are enough for every game in the program."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pytest

from rules.battle.referees import position_of, referee_of
from rules.engine.preview import preview_of
from rules.games import GAMES, open_game
from ui.battle.battle_setup import BattleSetup, begin, usual_armies
from vision.simulation.scene import demo_scene


@pytest.mark.parametrize("name", GAMES)
def test_every_game_can_start_with_the_demo_armies(name: str, tmp_path: Path) -> None:
    scene, game = demo_scene(), open_game(name)
    armies = usual_armies(game, ("green", "tan"), scene.figures)
    battle = begin(tmp_path / "demo.battle", itertools.count().__next__, BattleSetup(name, armies))
    # The other games have no tanks, and FM-01 allows ten models.
    count = {"army_men": 12, "plastic_fudge": 12, "fudge_miniatures": 10}.get(name, 11)
    assert Counter(unit.side for unit in battle.state.units.values()) == {"green": count, "tan": count}
    referee = referee_of(name)
    battle.record(referee.next_phase(position_of(battle, scene.figures, scene.terrain)))
    position = position_of(battle, scene.figures, scene.terrain)
    refusals = {action.name: preview_of(position, action).refusal for action in referee.obligations(position)}
    assert refusals, "the first phase has actions"
    assert not any(refusals.values()), refusals
