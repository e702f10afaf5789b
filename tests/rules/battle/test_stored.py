"""Battles stored by earlier versions of the program still open, with the state that they had then."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from rules.battle.battle import Battle
from rules.battle.replay import differences

STORED = Path(__file__).parents[2] / "data" / "stored"


@pytest.mark.parametrize("name", sorted(path.stem for path in STORED.glob("*.battle")))
def test_a_battle_of_an_earlier_version_opens_unchanged(tmp_path: Path, name: str) -> None:
    """The states beside the battles were written by the versions that played them."""
    copy = tmp_path / "stored.battle"
    shutil.copy(STORED / f"{name}.battle", copy)
    then = json.loads((STORED / f"{name}.json").read_text("utf-8"))
    with Battle.open(copy, lambda: 0.0) as battle:
        state = battle.state
        assert (state.turn, state.side, state.phase) == (then["turn"], then["side"], then["phase"])
        assert {entry.kind for entry in battle.entries} == set(then["kinds"])
        units = {
            unit.id: {"out": unit.out, "statuses": dict(unit.statuses), "at_in": list(unit.at_in or ())}
            for unit in state.units.values()
        }
        assert units == then["units"]
        assert differences(battle.game, battle.events) == ()
        while battle.undo() is not None:
            pass
        assert battle.redo() is not None
