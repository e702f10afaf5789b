"""What must be rolled for an action to succeed, in words."""

from __future__ import annotations

from collections.abc import Mapping

from rules.engine.dice import Die
from rules.engine.referee import ActionPreview
from rules.engine.text import display_name

_MOST_FACE = max(Die.D6.faces)


def needed_words(preview: ActionPreview) -> str:
    """The roll needed, such as "7 or less on two dice"; empty if no dice or no number is known beforehand."""
    if not preview.possible or preview.before is None:
        return ""
    numbers = preview.before.numbers
    if isinstance(each := numbers.get("each"), Mapping):
        alike = {most: one for one in each.values() if (most := one.get("at_most"))}
        numbers = next(iter(alike.values())) if len(alike) == 1 else numbers
    if isinstance(least := numbers.get("needs_roll"), Mapping):
        return "; ".join(f"{display_name(name)}: {_least_words(one)}" for name, one in least.items())
    if isinstance(least, int):
        dice = int(numbers.get("dice", 1))
        return f"{_least_words(least)} on each of {dice} dice" if dice > 1 else _least_words(least)
    if isinstance(most := numbers.get("at_most"), int):
        return f"{most} or less on two dice" if most else "no roll hits"
    if isinstance(hits := numbers.get("to_hit"), int):
        return f"{hits:+d} or more on the Fudge dice"
    chart = ((numbers.get("to_injure"), "injures"), (numbers.get("to_kill"), "kills"))
    return ", ".join(f"{sum_:+d} {does}" for sum_, does in chart if isinstance(sum_, int))


def _least_words(least: int | None) -> str:
    """The least number that one six-sided die must show; None if no face is enough."""
    if least is None or least > _MOST_FACE:
        return "no roll hits"
    return f"{least} or more" if least > 1 else "any roll hits"
