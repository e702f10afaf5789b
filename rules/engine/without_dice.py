"""What a rule says before any dice are thrown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.engine.action import Action
from rules.engine.dice import DiceRequest
from rules.engine.game import Game
from rules.engine.verdict import Verdict


def verdict_before(game: Game[Any], action: Action) -> Verdict | None:
    """The verdict before the dice; None if the rule rolls first and says nothing of the roll."""
    if action.preview:
        given = game.taken_by(action.preview, action.given)
        return verdict_without_dice(game, action.preview, given)
    return verdict_without_dice(game, action.name, action.given)


def verdict_without_dice(game: Game[Any], action: str, given: Mapping[str, Any]) -> Verdict | None:
    """The verdict of a rule that needs no dice for these facts, or what it knows before it rolls, if anything."""
    first = _begun(game, action, given)
    return first if isinstance(first, Verdict) else first.known


def refusal_of(game: Game[Any], action: str, given: Mapping[str, Any]) -> Verdict | None:
    """The verdict that forbids an action with these facts; None if it is allowed."""
    found = verdict_without_dice(game, action, given)
    return None if found is None or found.allowed else found


def needs_dice(game: Game[Any], action: str, given: Mapping[str, Any]) -> bool:
    """Whether a rule asks for dice for these facts."""
    return not isinstance(_begun(game, action, given), Verdict)


def _begun(game: Game[Any], action: str, given: Mapping[str, Any]) -> DiceRequest | Verdict:
    """A rule's first request for dice, or its verdict if it needs none."""
    procedure = game.begin(action, given)
    try:
        request = next(procedure)
    except StopIteration as end:
        found: Verdict = end.value
        return found
    procedure.close()
    return request
