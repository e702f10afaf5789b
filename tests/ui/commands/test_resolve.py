"""Rules questions in JSON: answers, refusals with a code, and lists; and scripted situations."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from ui.cli import main
from ui.commands.resolve import is_refused, resolve_question

RIFLE = {"action": "attack", "weapon": "rifle", "distance_in": 10.0, "target": "infantry"}


def _ask(given: Any, dice: Any = (), **more: Any) -> dict[str, Any]:
    answer: dict[str, Any] = resolve_question({"ruleset": "army_men", "given": given, "dice": list(dice), **more})
    json.dumps(answer)
    return answer


def test_an_answer_has_numbers_and_reasons() -> None:
    answer = _ask({**RIFLE, "behind_cover": True}, [2, 3])
    assert answer["outcome"] == "miss"
    assert answer["attack_value"] == 4
    assert {"rule": "AM-83", "text": "the target is behind cover", "modifier": -3} in answer["reasons"]
    assert not is_refused(answer)


def test_a_forbidden_action_is_an_answer() -> None:
    answer = _ask({**RIFLE, "distance_in": 25})
    assert (answer["allowed"], answer["reason"]) == (False, "out_of_range")
    assert not is_refused(answer)


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ({"ruleset": "army_men", "given": {**RIFLE, "weapon": "phaser"}, "dice": [3, 4]}, "unknown_weapon"),
        ({"ruleset": "army_men", "given": RIFLE, "dice": [3, 7]}, "impossible_die_face"),
        ({"ruleset": "army_men", "given": RIFLE, "dice": [3]}, "wrong_dice_count"),
        ({"ruleset": "army_men", "given": RIFLE, "dice": [3, 3, 3]}, "wrong_dice_count"),
        ({"ruleset": "army_men", "given": RIFLE, "dice": [3, "4"]}, "wrong_type"),
        ({"ruleset": "army_men", "given": RIFLE, "dice": 7}, "wrong_type"),
        ({"ruleset": "army_men", "given": {**RIFLE, "distance_in": -1}, "dice": [3, 4]}, "negative_range"),
        ({"ruleset": "army_men", "given": {**RIFLE, "fraction": 1.01}, "dice": [3, 4]}, "bad_fraction"),
        ({"ruleset": "army_men", "given": {**RIFLE, "behind_covr": True}, "dice": [3, 4]}, "unknown_key"),
        ({"ruleset": "army_men", "given": {"action": "attack", "weapon": "rifle"}}, "missing_key"),
        ({"ruleset": "army_men", "given": {"action": "dance"}}, "unknown_action"),
        ({"ruleset": "army_men", "given": {}}, "wrong_type"),
        ({"ruleset": "army_men"}, "wrong_type"),
        ({"ruleset": "chess", "given": {"action": "attack"}}, "unknown_ruleset"),
        ({"ruleset": "army_men", "given": {"action": "climb"}, "dice": [1], "options": {"luck": 1}}, "unknown_option"),
        ({"ruleset": "army_men", "given": {"action": "climb"}, "dice": [1], "options": {"covers": "no"}}, "bad_option"),
        ("attack", "bad_question"),
        (None, "bad_question"),
    ],
)
def test_invalid_questions_are_refused_with_a_code(document: Any, code: str) -> None:
    answer = resolve_question(document)
    assert answer["error"] == code
    assert answer["message"]
    assert is_refused(answer)


def test_a_list_of_questions_gives_a_list_of_answers() -> None:
    climb = {"ruleset": "army_men", "given": {"action": "climb"}, "dice": [6]}
    answers = resolve_question([climb, {**climb, "dice": []}])
    assert answers[0]["climbed_in"] == 3
    assert answers[1]["error"] == "wrong_dice_count"
    assert is_refused(answers)


def test_questions_may_have_options_and_notes() -> None:
    given = {"action": "swim", "note": "in the pond"}
    assert _ask(given, [6], options={"drowning_face": 6})["drowned"]
    assert not _ask(given, [6])["drowned"]


def test_facts_of_other_actions_are_passed_over() -> None:
    assert _ask({**RIFLE, "action": "climb"}, [5])["climbed_in"] == 3


def test_the_command_answers_from_a_file_and_from_a_pipe(tmp_path, capsys, monkeypatch):
    question = {"ruleset": "army_men", "given": {"action": "weapon", "weapon": "knife"}, "dice": []}
    path = tmp_path / "question.json"
    path.write_text(json.dumps(question))
    assert main(["resolve", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["attack"] == 6  # AM-44
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps([question, {"ruleset": "chess", "given": {}}])))
    assert main(["resolve", "-"]) == 1
    good, bad = json.loads(capsys.readouterr().out)
    assert good["attack"] == 6
    assert bad["error"]


@pytest.mark.parametrize(
    ("content", "words"), [("{", "not JSON"), ("[" * 200_000, "not JSON"), (None, "cannot be read")]
)
def test_a_file_that_is_not_a_question(tmp_path, capsys, content, words):
    path = tmp_path / "question.json"
    if content is not None:
        path.write_text(content)
    assert main(["resolve", str(path)]) == 1
    assert words in capsys.readouterr().err


def test_whole_numbers_are_written_as_integers():
    answer = resolve_question({"ruleset": "army_men", "given": {"action": "move_allowance", "unit": "infantry"}})
    assert answer["distance_in"] == 12  # AM-19
    assert '"distance_in": 12,' in json.dumps(answer)


def test_house_rules_are_named_on_the_command_line(tmp_path, capsys):
    rules, question = tmp_path / "rules.toml", tmp_path / "question.json"
    rules.write_text('inherits = "army_men"\n[kinds.infantry]\nmove_in = 8\n', "utf-8")
    asked = {"ruleset": "army_men", "given": {"action": "move_allowance", "unit": "infantry"}}
    question.write_text(json.dumps(asked), "utf-8")
    assert main(["resolve", str(question), "--house-rules", str(rules)]) == 0
    assert json.loads(capsys.readouterr().out)["distance_in"] == 8


SITUATION = Path(__file__).parents[2] / "data" / "situations" / "simple_plastic" / "frontmost_is_killed_first.json"


def test_the_answer_is_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["battle", str(SITUATION), "--json", str(tmp_path / "answer.json")]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((tmp_path / "answer.json").read_text(encoding="utf-8"))
    assert printed["state"]["figures"]["tan-1"]["out"]


def test_a_wrong_step_prints_one_sentence_and_no_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = json.loads(SITUATION.read_text(encoding="utf-8"))
    wrong["steps"].append({"ask": "green-9"})
    (tmp_path / "wrong.json").write_text(json.dumps(wrong), encoding="utf-8")
    assert main(["battle", str(tmp_path / "wrong.json")]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "step 2: there is no figure 'green-9'" in printed.err
