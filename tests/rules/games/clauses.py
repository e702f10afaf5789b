"""Questions to a game and situations on its table, for tests of single clauses of its rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.battle.scripted import play_situation
from rules.battle.situation import situation_of
from rules.engine.dice import Scripted
from rules.engine.game import Game
from rules.engine.verdict import Verdict

Step = dict[str, Any]


def answer_to(
    game: Game[Any], action: str, dice: Any = None, options: Mapping[str, Any] | None = None, **given: Any
) -> Verdict:
    """The answer to a question, under some options."""
    return game.choosing(**(options or {})).ask(action, given, Scripted(dice or []))


def code(found: Verdict) -> str:
    """The short name of why something is forbidden; empty if it is allowed."""
    return "" if found.allowed else str(found.numbers["reason"])


def rules_of(found: Verdict) -> set[str]:
    """The rules that an answer gives as its reasons."""
    return {one.rule for one in found.reasons}


def played_out(game: str, sides: Mapping[str, Sequence[Step]], *steps: Step, **more: Any) -> dict[str, Any]:
    """The whole answer to a situation on an open table, unless `more` adds terrain or options."""
    document = {"schema": 1, "game": game, "table_in": [96, 72], "sides": sides, "steps": list(steps), **more}
    return play_situation(situation_of(document))


def unit(name: str, card: Any, x_in: float, y_in: float, **more: Any) -> dict[str, Any]:
    """A figure of a situation that looks along the x axis."""
    return {"id": name, "card": card, "at_in": [x_in, y_in], "facing_deg": 0, **more}
