"""Games: the facts that a rule takes, and the answers that players type."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rules.engine.dice import Scripted
from rules.engine.game import Question
from rules.engine.verdict import RuleRefusal
from rules.games import open_game
from rules.tabletop.errors import UserError
from ui.commands.resolve import resolve_question

GAME = open_game("army_men")
RIFLE = {"weapon": "rifle", "distance_in": 10.0, "target": "infantry"}


def test_fact_of_another_rule_is_refused() -> None:
    """`path` belongs to a move: a shot that silently accepted it would seem to use it."""
    with pytest.raises(RuleRefusal, match="has the unknown key 'path'") as refusal:
        GAME.ask("attack", {**RIFLE, "path": []}, Scripted([3, 3]))
    assert refusal.value.code == "unknown_key"


def test_concerns() -> None:
    asked = [GAME.concerns("attack", fact) for fact in ("weapon", "path", "weather")]
    assert asked == [True, False, None]


def test_json_position_serves_many_questions_and_names_unused_facts() -> None:
    question = {"ruleset": "army_men", "given": {"action": "attack", **RIFLE, "path": []}, "dice": [3, 3]}
    assert resolve_question(question)["passed_over"] == ["path"]
    assert "passed_over" not in resolve_question({**question, "given": {"action": "attack", **RIFLE}})


def test_fact_may_have_the_name_of_a_python_keyword() -> None:
    bought = open_game("plastic_fudge").ask("unit_cost", {"class": "vehicle"}, Scripted([]))
    assert bought.numbers == open_game("plastic_fudge").ask("unit_cost", {"class_": "vehicle"}, Scripted([])).numbers


def test_facts_of_a_rule_may_be_its_parameters() -> None:
    game = open_game("fudge_miniatures")
    assert game.ask("behind", {"facing_deg": 90.0, "to_attacker_deg": 270.0}, Scripted([])).numbers["from_behind"]
    assert [one.fact for one in game.questions("behind")] == ["facing_deg"]
    with pytest.raises(RuleRefusal) as refusal:
        game.ask("behind", {"facing_deg": 90.0}, Scripted([]))
    assert refusal.value.code == "missing_key"


@pytest.mark.parametrize(
    ("holds", "typed", "value"),
    [(int, " 3 ", 3), (float, "2.5", 2.5), (str, " green ", "green"), (list, "tan-1, tan-2,", ["tan-1", "tan-2"])],
)
def test_typed_answer_becomes_a_value(holds: type, typed: str, value: object) -> None:
    assert Question("fact", "How many?", None, (), holds).read(typed) == value


def test_invalid_number_is_refused_with_the_question() -> None:
    with pytest.raises(UserError, match=r"How many\? Type a whole number, not 'two'"):
        Question("fact", "How many?", None, (), int).read("two")


def test_only_the_opened_game_is_imported() -> None:
    told = "print(sorted(name.split('.')[2] for name in sys.modules if name.endswith('.tables')))"
    code = f"import sys; from rules.games import open_game; open_game('simple_plastic'); {told}"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "['simple_plastic']\n"


def test_yes_or_no_and_words_are_offered_as_answers() -> None:
    asked = {one.fact: one.answers for one in open_game("simple_plastic").questions("attack")}
    assert asked["attacker_moved"] == (True, False)
    assert asked["elevation_of_target"] == ("downhill", "level", "uphill")
    assert asked["dice_at_target"] == (), "a number is typed"
