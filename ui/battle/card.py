"""The battle card: which actions of a figure come first, and how they are worded in a narrow column. No Qt here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rules.engine.referee import ActionPreview
from ui.battle.action_text import action_words, chance_lines, chance_words, refusal_words, success_chance
from ui.formatting import percent_words, sentence

BEST = 3
"""Actions that are offered at once; the others are one step away."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """A figure's actions in the order of the card, as their numbers in the given sequence.

    Attributes:
        best: The best possible ones.
        more: The other possible ones.
        impossible: Those that the rules forbid.
    """

    best: tuple[int, ...]
    more: tuple[int, ...]
    impossible: tuple[int, ...]


def ranked(previews: Sequence[ActionPreview]) -> Ranking:
    """Possible actions first: what is owed, then attacks by their chance of success, then the rest as given."""
    possible = [number for number, one in enumerate(previews) if one.possible]
    possible.sort(key=lambda number: (not previews[number].action.owed, -(_attack_chance(previews[number]) or 0.0)))
    impossible = tuple(number for number, one in enumerate(previews) if not one.possible)
    # A fold for a single action would take the same room as the action.
    best = BEST + 1 if len(possible) == BEST + 1 else BEST
    return Ranking(tuple(possible[:best]), tuple(possible[best:]), impossible)


def odds_column(preview: ActionPreview) -> str:
    """An attack's chance of success, such as "83 %"; the outcomes of other rolls; empty where nothing is rolled."""
    chance = _attack_chance(preview)
    if chance is not None and not preview.ambiguities:
        return percent_words(chance)
    return "" if chance_words(preview) == "yes" or not preview.possible else chance_lines(preview)


def forbidden_words(preview: ActionPreview) -> str:
    """An impossible action with the rule that forbids it, such as "Rifle at Tan 4: Out of range (AM-46)."."""
    return f"{action_words(preview)}: {sentence(refusal_words(preview))}"


def _attack_chance(preview: ActionPreview) -> float | None:
    """The chance that an attack has an effect; None for other actions, whose outcomes are no success or failure."""
    return success_chance(preview) if preview.action.at and preview.action.by else None
