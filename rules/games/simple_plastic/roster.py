"""Simple Plastic Wargame: an army on paper."""

from __future__ import annotations

from typing import Any

from rules.engine.dice import no_dice
from rules.engine.game import Game
from rules.engine.roster import Army, Recruit, card_of
from rules.engine.verdict import Verdict


def check(game: Game[Any], army: Army) -> Verdict:
    """The game counts specialists and squads."""

    def kind(one: Recruit) -> Any:
        return card_of(game, one).get("unit")

    alone = [kind(one) for one in army.recruits if not one.squad]
    squads_of = [[kind(one) for one in men] for men in army.squads.values()]
    return game.ask("force_legal", {"squads_of": squads_of, "alone": alone}, no_dice)
