"""A game as it is asked: which facts a question takes."""

from __future__ import annotations

import pytest

from rules.dice import Scripted
from rules.games import open_game
from rules.verdict import RuleRefusal
from ui.resolve import resolve_question

GAME = open_game("army_men")
RIFLE = {"weapon": "rifle", "distance_in": 10.0, "target": "infantry"}


def test_a_fact_of_another_action_is_refused_where_it_would_change_nothing() -> None:
    """`path` belongs to a move: a shot that took it in silence would seem to heed it."""
    with pytest.raises(RuleRefusal, match="has the unknown key 'path'") as refusal:
        GAME.ask("attack", {**RIFLE, "path": []}, Scripted([3, 3]))
    assert refusal.value.code == "unknown_key"


def test_whom_a_fact_concerns() -> None:
    asked = [GAME.concerns("attack", fact) for fact in ("weapon", "path", "weather")]
    assert asked == [True, False, None]


def test_a_moment_told_as_json_serves_many_questions_and_says_what_it_passed_over() -> None:
    question = {"ruleset": "army_men", "given": {"action": "attack", **RIFLE, "path": []}, "dice": [3, 3]}
    assert resolve_question(question)["passed_over"] == ["path"]
    assert "passed_over" not in resolve_question({**question, "given": {"action": "attack", **RIFLE}})


def test_a_fact_may_be_called_as_python_calls_a_class() -> None:
    bought = open_game("plastic_fudge").ask("unit_cost", {"class": "vehicle"}, Scripted([]))
    assert bought.numbers == open_game("plastic_fudge").ask("unit_cost", {"class_": "vehicle"}, Scripted([])).numbers
