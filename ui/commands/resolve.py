"""`sandtable resolve` and `sandtable battle`: a rules question or a scripted situation in JSON, its answer in JSON."""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from calibration.profile import from_json, read_text
from rules.engine.dice import Scripted
from rules.engine.game import Game
from rules.engine.schema import Reader
from rules.engine.verdict import RuleRefusal, Verdict
from rules.games import open_game
from ui.files import write_json


def run_resolve(options: argparse.Namespace) -> int:
    """Answer the questions of a file and return the exit status, 1 if one is refused."""
    answer = resolve_question(read_document(options.file, "question"), options.house_rules)
    _print(answer)
    return 1 if is_refused(answer) else 0


def run_battle(options: argparse.Namespace) -> int:
    """Play the situation of a file, as `docs/formats.md` describes it, and return the exit status."""
    # Loaded here, because `sandtable resolve` answers twice as fast without it.
    from rules.battle.scripted import play_situation
    from rules.battle.situation import situation_of

    answer = play_situation(situation_of(read_document(options.file, "situation")))
    if options.json is not None:
        write_json(options.json, answer)
    _print(answer)
    return 0


def read_document(file: str, kind: str) -> Any:
    """The JSON in a file, or in standard input if the name is "-"; messages call it a `kind`.

    Raises:
        UserError: if it cannot be read or is not JSON.
    """
    what = f"the {kind}" if file == "-" else f"the {kind} {file}"
    return from_json(read_text(sys.stdin or io.StringIO() if file == "-" else Path(file), what), what)


def _print(answer: Any) -> None:
    print(json.dumps(answer, indent=1, ensure_ascii=False))


def resolve_question(document: Any, house_rules: Path | None = None) -> Any:
    """The answer to a question, or to each of a list of questions, with a file of house rules.

    A question is `{"ruleset": "army_men", "given": {"action": "attack", ...}, "dice": [6, 1]}`; `options` may change
    the game's options. The answer has all numbers of the verdict, its `outcome` and its `reasons`; if the rules refuse
    the question, it has `error` and `message`. `passed_over` lists facts that the action ignores because only other
    actions use them.
    """
    if isinstance(document, list):
        return [resolve_question(question, house_rules) for question in document]
    try:
        return _answered(document, house_rules)
    except RuleRefusal as error:
        return {"error": error.code, "message": str(error)} | ({"rule": error.rule} if error.rule else {})


def is_refused(answer: Any) -> bool:
    """Whether the answer, or one of a list of answers, is a refusal."""
    return any(map(is_refused, answer)) if isinstance(answer, list) else "error" in answer


def _answered(document: Any, house_rules: Path | None) -> dict[str, Any]:
    if not isinstance(document, Mapping):
        raise RuleRefusal("bad_question", "a question is an object with the keys ruleset, given and dice")
    read = Reader({}).value
    name = read(str, document.get("ruleset"), "ruleset")
    given = dict(read(Mapping[str, Any], document.get("given"), "given"))
    action = read(str, given.pop("action", None), "given.action")
    given.pop("note", None)
    dice = Scripted(read(tuple[int, ...], document.get("dice", []), "dice"))
    game = _game(name, house_rules)
    if "options" in document:
        game = game.choosing(**read(Mapping[str, Any], document["options"], "options"))
    passed_over = [fact for fact in given if game.concerns(action, fact) is False]
    answer = game.ask(action, {fact: value for fact, value in given.items() if fact not in passed_over}, dice)
    if answer.allowed:
        dice.finish()
    return _document(answer) | ({"passed_over": passed_over} if passed_over else {})


@cache
def _game(name: str, house_rules: Path | None) -> Game[Any]:
    return open_game(name, house_rules)


def _document(answer: Verdict) -> dict[str, Any]:
    reasons = [{"rule": reason.rule, "text": reason.text, "modifier": reason.modifier} for reason in answer.reasons]
    document: dict[str, Any] = _whole({"outcome": answer.outcome, **answer.numbers, "reasons": reasons})
    return document


def _whole(value: Any) -> Any:
    """The value with whole numbers as integers."""
    if isinstance(value, Mapping):
        return {key: _whole(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
