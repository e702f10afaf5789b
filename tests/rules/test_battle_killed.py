"""A process killed during a battle: all confirmed events are stored, and the battle can continue."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from rules.battle.battle import Battle
from rules.battle.event_codec import event_of
from rules.engine.roster import Army
from tests.rules.battle_driver import BattleDriver, begun, play_at_random, recruits

KILLS = 3


def army(side: str, *cards: str) -> Army:
    return Army(name=f"The {side} camp", game="plastic_fudge", recruits=recruits(side, *cards))


def set_up(path: Path) -> None:
    cards = ["commander", "radioman", "grenade_and_rifle", "basic", "tank"]
    armies = {side: army(side, *cards) for side in ("green", "tan")}
    places = {f"{side}-{n + 1}": (3.0 * n, y) for side, y in (("green", 2.0), ("tan", 9.0)) for n in range(len(cards))}
    begun(path, "plastic_fudge", armies, places).close()


def play(path: Path, seed: int) -> None:
    """Play forever and print every confirmed event."""
    battle = Battle.open(path, itertools.count().__next__)
    for turn in itertools.count():
        play_at_random(BattleDriver(battle), seed=seed * 1000 + turn, steps=1)
        print(json.dumps([len(battle.entries), repr(event_of(battle.entries[-1]))]), flush=True)


def killed_after(path: Path, seed: int, count: int) -> Sequence[tuple[int, str]]:
    """Play in another process, kill it, and return the events that it had confirmed."""
    code = f"from pathlib import Path; from {__name__} import play; play(Path({str(path)!r}), {seed})"
    player = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert player.stdout is not None
    first = "".join(player.stdout.readline() for _ in range(count))
    os.kill(player.pid, signal.SIGKILL)
    rest, _ = player.communicate()
    lines = [line for line in (first + rest).splitlines(keepends=True) if line.endswith("\n")]
    return [tuple(json.loads(line)) for line in lines]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_process_loses_no_confirmed_event(tmp_path: Path) -> None:
    path, chance = tmp_path / "b", random.Random(3)
    set_up(path)
    before = 0
    for seed in range(KILLS):
        confirmed = killed_after(path, seed, chance.randint(1, 12))
        with Battle.open(path, lambda: 0.0) as battle:
            assert len(battle.entries) >= confirmed[-1][0] > before
            for count, event in confirmed:
                assert repr(event_of(battle.entries[count - 1])) == event
            before, state = len(battle.entries), battle.state
        with Battle.open(path, lambda: 0.0) as again:
            assert again.state == state
    with Battle.open(path, lambda: 0.0) as battle:
        while battle.undo():
            pass
        assert not battle.state.units
