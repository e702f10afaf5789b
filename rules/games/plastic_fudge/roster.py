"""Plastic Fudge: an army on paper."""

from __future__ import annotations

from typing import Any

from rules.engine.dice import no_dice
from rules.engine.game import Game
from rules.engine.roster import Army
from rules.engine.verdict import Verdict
from rules.tabletop.errors import UserError


def check(game: Game[Any], army: Army) -> Verdict:
    """The game counts units, points and commanders by their cards."""
    strange = next((one.figure for one in army.recruits if one.card is None), None)
    if strange is not None:
        raise UserError(f"the points of {strange} are unknown, because its card is a player's own: add them by hand")
    return game.ask("muster", {"roster": [one.card for one in army.recruits]}, no_dice)
