"""A short battle to film: a move of six inches, a shot that kills, a note."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

from rules.battle.battle import Battle
from rules.engine.dice import Scripted, play
from rules.engine.events import Change, Effects, Move, Moved, Noted, PhaseBegun, Placed, TableLaid, UnitJoined
from rules.engine.verdict import Verdict
from rules.tabletop.table import TerrainKind, TerrainPiece

PLACES = {"green-1": (4.0, 4.0), "tan-1": (16.0, 4.0), "tan-2": (16.0, 12.0)}
WOODS = TerrainPiece("<i>Wald</i>", TerrainKind.WOODS, ((5.0, 10.0), (8.0, 10.0), (7.0, 12.0)), 0.0, 6.0)
NOTE = "<b>Tee & Gebäck</b> 茶"


def fought(path: Path, sides: Sequence[str] = ("green", "tan"), actions: int = 1) -> Battle:
    """Play it; the shot may be repeated."""
    clock = itertools.count(1_000_000)
    battle = Battle.begin(path, lambda: float(next(clock)), "simple_plastic", list(sides))
    for figure in PLACES:
        battle.record(UnitJoined(figure=figure, side=sides[0 if figure.startswith("green") else 1], card="soldier"))
    for figure, at_in in PLACES.items():
        battle.record(Placed(figure=figure, at_in=at_in))
    battle.record(TableLaid(camera="", terrain=(WOODS,)))
    battle.record(PhaseBegun(turn=1, side=sides[0], phase="moving"))
    battle.record(PhaseBegun(turn=1, side=sides[0], phase="attacking"))
    walk = Move(figure="green-1", from_in=(4.0, 4.0), to_in=(10.0, 4.0), moved_in=6.0, cost_in=6.0)
    battle.record(Moved(moves=(walk,)))  # entry 11
    for _ in range(actions):
        shot = {"attacker": "ordinary", "attacker_moved": True}
        play(battle.asking("attack", shot, _falls, ["green-1"], "Rifle at Tan 1", ["tan-1"]), Scripted([6]))  # entry 12
    battle.record(Noted(text=NOTE))
    return battle


def _falls(_: Verdict) -> Effects:
    return Effects(changes=(Change(figure="tan-1", key="eliminated", value=True, rule="SP-11"),))
