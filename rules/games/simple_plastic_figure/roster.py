"""Simple Plastic Figure: an army on paper."""

from __future__ import annotations

from typing import Any

from rules.engine.dice import no_dice
from rules.engine.game import Game
from rules.engine.roster import Army, Recruit, card_of
from rules.engine.verdict import Verdict, forbidden, verdict
from rules.tabletop.errors import UserError


def check(game: Game[Any], army: Army) -> Verdict:
    """The game has no points: an army is of one side, armed with weapons that its tables have.

    The game's own action `armies` judges two sides that are laid out; this is about one list before that.
    """
    rules = game.rules
    sides: dict[str, list[str]] = {}
    for one in army.recruits:
        for weapon in card_of(game, one).get("weapons", ()):
            game.ask("may_use_weapon", {"weapon": weapon, "figure_shows": [weapon]}, no_dice)
        if (side := _side(game, one)) is not None:
            sides.setdefault(side, []).append(one.figure)
    reserves = sum(bool(card_of(game, one).get("reserve")) for one in army.recruits)
    numbers = {"figures": len(army.recruits), "reserves": reserves, "sides": list(sides)}
    if not army.recruits:
        return forbidden("no_figures", rules.because("WW-01"), legal=False, **numbers)
    if len(sides) > 1:
        names = "; ".join(f"{side}: {', '.join(figures)}" for side, figures in sides.items())
        return forbidden("two_sides", rules.because("WW-01", f"figures of both sides, {names}"), legal=False, **numbers)
    kept = (rules.because("WW-58", f"{reserves} in reserve"),) if reserves else ()
    of = next(iter(sides), "either")
    return verdict("legal", rules.because("WW-01", f"all on the {of} side"), *kept, legal=True, **numbers)


def _side(game: Game[Any], one: Recruit) -> str | None:
    """The side that a figure's nation fights on; None for one of any nation."""
    nation, nations = card_of(game, one).get("nation"), game.rules.plain["nations"]
    if nation is not None and nation not in nations:
        raise UserError(f"{one.figure} is of the unknown nation {nation!r}: choose one of {', '.join(nations)}")
    return None if nation is None else str(nations[nation]["side"])
