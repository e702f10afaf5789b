"""The buttons for a move that the camera saw, and the resulting journal entries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rules.evening import begun
from tests.rules.test_battle_simple_plastic import GREEN, PLACES, TAN
from tests.ui.battle.test_battle_session import seen
from ui.battle.battle_session import BattleSession
from ui.desktop.battle.pending_moves import pending_move


@pytest.fixture
def play(tmp_path: Path) -> Iterator[BattleSession]:
    with begun(tmp_path / "b", "simple_plastic", {"green": GREEN, "tan": TAN}, PLACES) as battle:
        one = BattleSession(battle)
        one.go_on(seen(battle))
        yield one


def test_a_decided_move_is_journalled_with_the_allowance(play: BattleSession) -> None:
    moved = {f"green_{n}": (PLACES[f"green-{n}"][0], 8.0) for n in (1, 2, 3, 4)}
    position = seen(play.battle, **moved)
    [proposal] = play.proposals(position)
    ways = pending_move(play, position, proposal, lambda change: change()).buttons
    assert [way.words for way in ways] == ["Allow", "Forbid"]
    ways[0].does()
    assert play.battle.can_undo == "settled: Move the squad rifles: how far its leading man went: less than 4 in"
    assert play.story[-1].endswith("how far its leading man went: less than 4 in.")
