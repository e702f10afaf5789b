"""The players' answers to facts that a picture cannot show, and to measurements that are too close to call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rules.engine.action import Action, FactPath, UncertainFact
from rules.engine.game import Game, Question
from rules.engine.position import Position
from rules.engine.text import place_words
from rules.engine.verdict import RuleRefusal
from rules.engine.without_dice import verdict_before
from rules.tabletop.tolerance import DOUBT_SIGMAS


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A measurement too close to a limit: within its error, the verdict could be different.

    Attributes:
        question: The question to the players.
        fact: Path of the fact.
        answers: The value of the fact for each answer.
        limit: The value at which the verdict changes; None for a fact that is not a number.
    """

    question: str
    fact: FactPath
    answers: Mapping[str, Any]
    limit: float | None = None


def with_answers(position: Position, action: Action) -> tuple[Action, tuple[Ambiguity, ...], tuple[Question, ...]]:
    """The action with all answers of the players, the ambiguities still to be settled, and the facts still missing."""
    asks = tuple(one for one in position.game.questions(action.name) if one.fact not in action.given)
    action = _with_answers(position, action, asks)
    asks = tuple(one for one in asks if one.fact not in action.given)
    if action.blocked_by is not None:
        return action, (), asks
    settled, unsettled = position.state.settled, []
    for one in action.measured:
        ambiguity = _ambiguity(position, action, one)
        if ambiguity is None:
            continue
        answer = settled.get(ambiguity.question, "")
        if answer in ambiguity.answers:
            action = replace(action, given=_with(action.given, ambiguity.fact, ambiguity.answers[answer]))
        else:
            unsettled.append(ambiguity)
    return action, tuple(unsettled), asks


def answer_key(action: Action, fact: str) -> str:
    """The status that stores the players' answer about a fact; the key names the target or terrain, if there is one.

    It is a status of the acting figure or, for an obligation of no single figure, of the battle; the battle's keys
    begin with the title of the obligation.
    """
    aim = place_words(action.spot_in) if action.spot_in else action.at[0] if action.at else action.piece
    target = f" at {aim}" if aim else ""
    return f"{fact}{target}" if action.by else f"{action.title}: {fact}{target}"


def _with_answers(position: Position, action: Action, asks: Iterable[Question]) -> Action:
    """The action with the players' answers as facts; a fact may also be a status that rules have set."""
    of = position.unit(action.by[0]) if action.by else position.state
    statuses = {**of.statuses, **of.this_turn}
    found = {
        one.fact: next((statuses[key] for key in (answer_key(action, one.fact), one.fact) if key in statuses), None)
        for one in asks
    }
    answers = {fact: value for fact, value in found.items() if value is not None}
    return replace(action, given={**action.given, **answers}) if answers else action


NEARER, FARTHER = "less", "more"
"""The answers to an ambiguity of a number: it is less than the limit, or more."""

_LIMIT_PRECISION = 1e-4


def _ambiguity(position: Position, action: Action, one: UncertainFact) -> Ambiguity | None:
    """The ambiguity of a measured fact; None if the verdict is the same for every possible value."""

    def verdict_at(value: Any) -> tuple[Any, ...]:
        return _compared(position.game, replace(action, given=_with(action.given, one.fact, value)))

    ends = one.either or _ends(_at(action.given, one.fact), one)
    first, *others = map(verdict_at, ends.values())
    if all(other == first for other in others):
        return None
    state = position.state
    question = f"turn {state.turn}, {state.side or 'all'}, {action.title}: {one.what}"
    limit = None if one.either else _limit(ends[NEARER], ends[FARTHER], lambda value: verdict_at(value) == first)
    return Ambiguity(question, one.fact, ends, limit)


def _limit(low: float, high: float, is_low: Callable[[float], bool]) -> float:
    """The value between `low`, where `is_low` holds, and `high` at which it ceases to hold, to a hundredth."""
    while high - low > _LIMIT_PRECISION:
        middle = (low + high) / 2
        low, high = (middle, high) if is_low(middle) else (low, middle)
    return round(high, 2)


def _ends(value: float, one: UncertainFact) -> Mapping[str, float]:
    """The smallest and the largest possible value, by answer."""
    margin = DOUBT_SIGMAS * one.sigma
    return {NEARER: max(one.low, value - margin), FARTHER: min(one.high, value + margin)}


def _compared(game: Game[Any], action: Action) -> tuple[Any, ...]:
    """The part of the answer that must be equal for two values of a fact to count as the same."""
    try:
        found = verdict_before(game, action)
    except RuleRefusal as refusal:
        return (refusal.code,)
    if found is None:
        return ()
    return found.outcome, found.allowed, tuple((one.rule, one.modifier) for one in found.reasons)


def _at(given: Any, way: FactPath) -> float:
    for step in way:
        given = given[step]
    return float(given)


def _with(given: Any, way: FactPath, value: float) -> Any:
    """The same facts with another value at one path."""
    if not way:
        return value
    if isinstance(given, Mapping):
        return {**given, way[0]: _with(given[way[0]], way[1:], value)}
    return [_with(one, way[1:], value) if index == way[0] else one for index, one in enumerate(given)]
