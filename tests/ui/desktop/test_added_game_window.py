"""A game of an added folder in the real window: chosen, set up, the owed roll, and the first shot."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.games import add_games
from tests.ui.desktop.test_battle_window import press, rolls, started_battle
from tests.ui.windows import next_phase
from ui.desktop.window import Window

FOLDER = Path(__file__).parents[3] / "samples" / "games"


@pytest.mark.slow
def test_an_added_game_is_played_in_the_window(window: Window, tmp_path: Path) -> None:
    add_games(FOLDER)
    panel = started_battle(window, tmp_path / "b", "matchbox")
    next_phase(window)
    assert window.battle.turn_bar.shown.heading == "Turn 1 · Initiative"
    panel.action_list.choose(0)
    rolls(window, 5, 2)
    press(panel, "Roll")
    assert panel.result.text().startswith("Initiative: Green")
    next_phase(window)
    assert window.battle.turn_bar.shown.heading == "Turn 1 · Green acts"
    window.battle.choose("green-1")
    panel.action_list.choose(0)
    assert "takes the target out (MB-08)" in panel.why.text()
    [target] = panel.chosen.action.at
    rolls(window, 6)
    press(panel, "Roll")
    play = window.battle.play
    assert play.battle.state.unit(target).out
