"""The battle card: which actions of a figure come first, and how they are worded in a narrow column. No Qt here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rules.engine.referee import ActionPreview
from rules.engine.text import display_name
from ui.battle.action_text import action_words, chance_lines, refusal_words, success_chance
from ui.formatting import percent_words, sentence
from ui.translation import tr

_LENGTH = re.compile(r"\d+(?:\.\d+)?(?= in\b)")

BEST = 3
"""Actions that are offered at once; the others are one step away."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """A figure's actions in the order of the card, as their numbers in the given sequence."""

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
    """An attack's chance of success, such as "83 %"; the outcomes of other rolls; empty if nothing is rolled."""
    chance = _attack_chance(preview)
    if chance is not None and not preview.ambiguities:
        return percent_words(chance)
    is_certain = not (preview.odds or preview.ambiguities)
    return "" if is_certain or not preview.possible else chance_lines(preview)


def forbidden_words(preview: ActionPreview) -> str:
    """An impossible action with the rule that forbids it, such as "Rifle at Tan 4: Out of range (AM-46)."."""
    return f"{action_words(preview)}: {sentence(refusal_words(preview))}"


def forbidden_groups(
    previews: Sequence[ActionPreview], numbers: Sequence[int]
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Impossible actions that differ only in their targets, together: their words, and their numbers in `previews`.

    Such as "Rifle at 17 targets: The target is 28.1 to 34.5 in away; the rifle reaches 0 to 24 in (AM-38).".
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for number in numbers:
        one = previews[number]
        groups.setdefault((_stem(one), _LENGTH.sub("#", _reason(one))), []).append(number)
    return tuple((_group_words([previews[number] for number in group]), tuple(group)) for group in groups.values())


def _group_words(group: Sequence[ActionPreview]) -> str:
    if len(group) == 1:
        return forbidden_words(group[0])
    lengths = zip(*(_LENGTH.findall(_reason(one)) for one in group), strict=True)
    ranges = iter([_range_words(values) for values in lengths])
    reason = sentence(_LENGTH.sub(lambda _: next(ranges), _reason(group[0])))
    return tr("{action} {count} targets: {reason}", action=_stem(group[0]), count=len(group), reason=reason)


def _range_words(values: Sequence[str]) -> str:
    if len(set(values)) == 1:
        return values[0]
    return tr("{least:.1f} to {most:.1f}", least=min(map(float, values)), most=max(map(float, values)))


def _target(preview: ActionPreview) -> str:
    """The name of an action's target, such as "Tan 4"; empty without one."""
    return display_name(preview.action.at[0]) if preview.action.at and preview.action.by else ""


def _stem(preview: ActionPreview) -> str:
    """An action without its target, such as "Rifle at"; actions without a target are never alike."""
    target = _target(preview)
    return action_words(preview).removesuffix(target).rstrip() if target else action_words(preview)


def _reason(preview: ActionPreview) -> str:
    target = _target(preview)
    return refusal_words(preview).replace(target, "the target") if target else refusal_words(preview)


def _attack_chance(preview: ActionPreview) -> float | None:
    """The chance that an attack has an effect; None for other actions, whose outcomes are no success or failure."""
    return success_chance(preview) if preview.action.at and preview.action.by else None
