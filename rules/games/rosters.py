"""Checks of an army list by its game: the limits and the advice of its rulebook."""

from __future__ import annotations

from typing import Any

from rules.engine.game import Game
from rules.engine.roster import Army, check_army
from rules.engine.verdict import Verdict
from rules.games import game_names, has_module, module_of


def points_check(game: Game[Any], army: Army) -> Verdict | None:
    """The game's verdict on an army list; None if the game has no limits or advice.

    Raises:
        UserError: as `rules.engine.roster.enlistment`, or as the game's own action.
    """
    check_army(game, army)
    if game.name not in game_names() or not has_module(game.name, "roster"):
        return None
    found: Verdict | None = module_of(game.name, "roster").check(game, army)
    return found
