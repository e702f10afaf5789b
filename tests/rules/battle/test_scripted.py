"""Scripted situations: what a file may hold, what is refused in one sentence, and what undo takes back."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest

from rules.battle.scripted import play_situation
from rules.battle.situation import situation_of
from rules.tabletop.errors import UserError

DOCUMENT: Mapping[str, Any] = {
    "schema": 1,
    "game": "simple_plastic",
    "table_in": [48, 36],
    "sides": {
        "green": [{"id": "green-1", "card": "soldier", "at_in": [10, 10], "facing_deg": 90}],
        "tan": [{"id": "tan-1", "card": "soldier", "at_in": [10, 20]}],
    },
    "steps": [],
}
ATTACKING = {"phase": "attacking", "side": "green", "turn": 1}
MOVING = {"phase": "moving", "side": "green", "turn": 1}
SHOT = {"do": {"action": "attack", "by": "green-1", "at": "tan-1"}}


def played(*steps: Mapping[str, Any], **keys: Any) -> dict[str, Any]:
    return play_situation(situation_of({**copy.deepcopy(dict(DOCUMENT)), **keys, "steps": list(steps)}))


def test_quiet_steps_say_nothing_and_the_others_name_their_numbers() -> None:
    answer = played(ATTACKING, {"ask": "green-1"}, {**SHOT, "dice": [6]}, {"see": {"tan-1": {"posture": "down"}}})
    assert [one["step"] for one in answer["steps"]] == [1, 2]
    assert answer["state"]["winner"] == "green"


def test_without_dice_nothing_happens() -> None:
    answer = played(ATTACKING, SHOT)
    assert answer["steps"] == [{"step": 1, "needs_dice": {"count": 1, "sides": 6, "for": "the ordinary: the attack"}}]
    assert not answer["state"]["figures"]["tan-1"]["out"]


def test_a_missing_die_takes_the_answers_of_the_players_back() -> None:
    with_answer = {"do": {**SHOT["do"], "answers": {"target_in_cover": True}}}
    answer = played(ATTACKING, with_answer, {"ask": "green-1"})
    [attack] = [one for one in answer["steps"][1]["actions"] if one["action"] == "attack"]
    assert attack["chance"] == pytest.approx(4 / 6)  # 4 less 1 for staying; in cover it would be 3 of 6


def test_an_answer_counts() -> None:
    covered = {"do": {**SHOT["do"], "answers": {"target_in_cover": True}}, "dice": [3]}
    assert played(ATTACKING, covered)["steps"][0]["verdict"]["outcome"] == "misses"  # 4 - 1 + 1


def test_undo_takes_back_whole_steps_and_redo_brings_them_back() -> None:
    move = {"move": {"green-1": {"path_in": [[10, 10], [10, 13]], "facing_deg": 45}}}
    figures = played(MOVING, move, {"undo": 1})["state"]["figures"]
    assert (figures["green-1"]["at_in"], figures["green-1"]["facing_deg"]) == ([10, 10], 90)
    figures = played(MOVING, move, {"undo": 1}, {"redo": 1})["state"]["figures"]
    assert (figures["green-1"]["at_in"], figures["green-1"]["facing_deg"]) == ([10, 13], 45)


def test_undo_goes_no_farther_than_the_beginning() -> None:
    answer = played(MOVING, {"undo": 9})
    assert (answer["steps"], answer["state"]["turn"]) == ([{"step": 1, "undone": 1}], 0)


def test_a_path_may_begin_where_the_figure_stands_or_at_its_next_corner() -> None:
    for path in ([[10, 10], [10, 12]], [[10, 12]]):
        answer = played(MOVING, {"move": {"green-1": {"path_in": path}}})
        assert answer["steps"][0]["left_in"] == 2


def test_house_rules_are_toml_in_the_file() -> None:
    house_rules = 'inherits = "simple_plastic"\n[limits.move_in]\nvalue = 6\n'
    answer = played(MOVING, {"move": {"green-1": {"path_in": [[10, 15.5]]}}}, house_rules=house_rules)
    assert answer["steps"][0]["allowed"]


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ({"dance": {}}, "step 0: .*not a step: choose one of phase"),
        ({"ask": "green-9"}, "step 0: there is no figure 'green-9': choose one of green-1, tan-1"),
        ({"do": {"action": "dance", "by": "green-1"}}, "no action 'dance': choose one of"),
        ({"do": {"action": "attack", "by": "green-1", "at": "tan-9"}}, "no figure 'tan-9'"),
        ({"do": {"action": "attack", "by": "green-1", "with": "gun"}}, "unknown key 'with'"),
        ({**SHOT, "dice": "6"}, "dice must be a list of faces"),
        ({"phase": "lunch", "side": "green"}, "no phase 'lunch': choose one of moving, attacking"),
        ({"phase": "moving", "side": "blue"}, "'blue'"),
        ({"status": {"green-9": {"moved": True}}}, "no figure 'green-9'"),
        ({"see": {"green-1": {"posture": "flying"}}}, "posture must be one of standing"),
        ({"move": {}}, "move names no figure"),
        ({"move": {"green-1": {"path_in": [[10]]}}}, r"path_in must be \[x, y\] in inches"),
        ({"undo": 0}, "undo must be a whole number above 0"),
        ({"next": {"waive": "morale"}}, "waive must be true or a list of actions"),
    ],
)
def test_a_step_that_is_none_is_refused_in_one_sentence(step: Mapping[str, Any], told: str) -> None:
    with pytest.raises(UserError, match=told):
        played(step)


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"schema": 2}, '"schema": 1'),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"figures": []}, "unknown key 'figures'"),
        ({"sides": {"green": [{"id": "a", "card": "wizard", "at_in": [1, 1]}]}}, "'wizard'"),
        ({"sides": {"green": [{"id": "a", "card": "soldier", "at_in": [1]}]}}, r"a: at_in must be \[x, y\]"),
        ({"sides": {"green": [{"id": "a", "card": "soldier", "at_in": [1, 1]}] * 2}}, "the id 'a' is used twice"),
        ({"terrain": [{"kind": "volcano", "outline_in": [[0, 0], [1, 0], [1, 1]]}]}, r"terrain\[0\]: kind"),
        ({"table_in": [48]}, r"table_in must be \[width, depth\]"),
        ({"options": {"weather": "rain"}}, "weather"),
    ],
)
def test_a_document_that_is_none_is_refused_in_one_sentence(keys: Mapping[str, Any], told: str) -> None:
    with pytest.raises(UserError, match=told):
        played(**keys)
