"""What must be rolled for an action to succeed, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rules.engine.dice import Die
from rules.engine.preview import ActionPreview
from rules.engine.text import display_name
from rules.tabletop.translation import mark_for_translation

_MOST_FACE = max(Die.D6.faces)

_FUDGE_DICE = 4
"""Rolled together, each from -1 to +1."""

_LEAST = mark_for_translation("{least} or more")
_EACH = mark_for_translation("{needed} on each of {dice} dice")
_TWO_DICE = mark_for_translation("{most} or less on two dice")
_FUDGE = mark_for_translation("{least:+d} or more on the Fudge dice")
_INJURES = mark_for_translation("{sum:+d} injures")
_KILLS = mark_for_translation("{sum:+d} kills")
_ANY_ROLL = mark_for_translation("any roll hits")
_NO_ROLL = mark_for_translation("no roll hits")


def needed_words(preview: ActionPreview, say: Callable[..., str] = str.format) -> str:
    """The roll needed, such as "7 or less on two dice"; empty if no dice or no number is known beforehand.

    `say` formats the text; the window passes `tr`.
    """
    if not preview.possible or preview.before is None:
        return ""
    numbers = preview.before.numbers
    if isinstance(each := numbers.get("each"), Mapping):
        alike = {most: one for one in each.values() if (most := one.get("at_most"))}
        numbers = next(iter(alike.values())) if len(alike) == 1 else numbers
    if isinstance(least := numbers.get("needs_roll"), Mapping):
        return "; ".join(f"{display_name(name)}: {_least_words(one, say)}" for name, one in least.items())
    if isinstance(least, int):
        dice = int(numbers.get("dice", 1))
        return say(_EACH, needed=_least_words(least, say), dice=dice) if dice > 1 else _least_words(least, say)
    if isinstance(most := numbers.get("at_most"), int):
        return say(_TWO_DICE, most=most) if most else say(_NO_ROLL)
    if isinstance(hits := numbers.get("to_hit"), int):
        return say(_ANY_ROLL) if hits <= -_FUDGE_DICE else say(_NO_ROLL if hits > _FUDGE_DICE else _FUDGE, least=hits)
    chart = ((numbers.get("to_injure"), _INJURES), (numbers.get("to_kill"), _KILLS))
    return ", ".join(say(words, sum=sum_) for sum_, words in chart if isinstance(sum_, int))


def _least_words(least: int | None, say: Callable[..., str]) -> str:
    """The least number that one six-sided die must show; None if no face is enough."""
    if least is None or least > _MOST_FACE:
        return say(_NO_ROLL)
    return say(_LEAST, least=least) if least > 1 else say(_ANY_ROLL)
