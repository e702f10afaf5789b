"""A rules question as JSON in, the verdict as JSON out. It translates; every rule lives in its game."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TextIO

from calibration.profile import from_json, read_text
from rules.engine.dice import Scripted
from rules.engine.game import Game
from rules.engine.schema import Reader
from rules.engine.verdict import RuleRefusal, Verdict
from rules.games import open_game


def read_question(source: Path | TextIO) -> Any:
    """The JSON document of a file or stream.

    Raises:
        UserError: if it cannot be read or is no JSON.
    """
    what = f"the question {source}" if isinstance(source, Path) else "the question"
    return from_json(read_text(source, what), what)


def resolve_question(document: Any) -> Any:
    """The answer to a question, or to each of a list of questions.

    A question is `{"ruleset": "army_men", "given": {"action": "attack", ...}, "dice": [6, 1]}`; `options` may choose
    other answers to what the rulebook leaves open. The answer holds all numbers of the verdict, its `outcome` and its
    `reasons`; a question that the rules refuse is answered by `error` and `message`. Facts that only other actions of
    the game ask about are named in `passed_over`: they changed nothing.
    """
    if isinstance(document, list):
        return [resolve_question(one) for one in document]
    try:
        return _answered(document)
    except RuleRefusal as refusal:
        return {"error": refusal.code, "message": str(refusal)} | ({"rule": refusal.rule} if refusal.rule else {})


def is_refused(answer: Any) -> bool:
    """Whether the answer, or one of a list of answers, is a refusal."""
    return any(is_refused(one) for one in answer) if isinstance(answer, list) else "error" in answer


def _answered(document: Any) -> dict[str, Any]:
    if not isinstance(document, Mapping):
        raise RuleRefusal("bad_question", "a question is an object with the keys ruleset, given and dice")
    read = Reader({}).value
    name = read(str, document.get("ruleset"), "ruleset")
    given = dict(read(Mapping[str, Any], document.get("given"), "given"))
    action = read(str, given.pop("action", None), "given.action")
    given.pop("note", None)
    dice = Scripted(read(tuple[int, ...], document.get("dice", []), "dice"))
    game = _game(name)
    if "options" in document:
        game = game.choosing(**read(Mapping[str, Any], document["options"], "options"))
    passed_over = [fact for fact in given if game.concerns(action, fact) is False]
    answer = game.ask(action, {fact: value for fact, value in given.items() if fact not in passed_over}, dice)
    if answer.allowed:
        dice.finish()
    return _told(answer) | ({"passed_over": passed_over} if passed_over else {})


@cache
def _game(name: str) -> Game[Any]:
    return open_game(name)


def _told(answer: Verdict) -> dict[str, Any]:
    reasons = [{"rule": one.rule, "text": one.text, "modifier": one.modifier} for one in answer.reasons]
    told: dict[str, Any] = _whole({"outcome": answer.outcome, **answer.numbers, "reasons": reasons})
    return told


def _whole(value: Any) -> Any:
    """The same with 6 for 6.0, as people write it."""
    if isinstance(value, Mapping):
        return {key: _whole(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
