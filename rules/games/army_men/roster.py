"""Army Men: checks of army lists."""

from __future__ import annotations

from typing import Any

from rules.engine.dice import no_dice
from rules.engine.game import Game
from rules.engine.roster import Army, card_of
from rules.engine.verdict import Verdict


def check(game: Game[Any], army: Army) -> Verdict:
    """The game advises a number of men; fortifications and vehicles come on top."""
    men = sum(card_of(game, one).get("kind", "infantry") == "infantry" for one in army.recruits)
    return game.ask("force_advice", {"men": men}, no_dice)
