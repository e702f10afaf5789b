"""Fudge Miniatures: an army on paper."""

from __future__ import annotations

from typing import Any

from rules.dice import no_dice
from rules.game import Game
from rules.roster import Army
from rules.verdict import Verdict


def check(game: Game[Any], army: Army) -> Verdict:
    """The game advises a number of models."""
    return game.ask("force_size", {"models": len(army.recruits)}, no_dice)
