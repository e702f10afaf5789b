"""Fudge Miniatures: an army on paper."""

from __future__ import annotations

from typing import Any

from rules.engine.dice import no_dice
from rules.engine.game import Game
from rules.engine.roster import Army
from rules.engine.verdict import Verdict


def check(game: Game[Any], army: Army) -> Verdict:
    """The game advises a number of models."""
    return game.ask("force_size", {"models": len(army.recruits)}, no_dice)
