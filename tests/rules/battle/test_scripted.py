"""Scripted situations: what a file may hold, what is refused in one sentence, and what undo takes back."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest

from rules.battle.scripted import play_situation
from rules.battle.situation import situation_of
from rules.games import GAMES, open_game
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


def test_a_list_of_one_target_is_that_target_and_dead_men_name_no_targets() -> None:
    shot = {"do": {**SHOT["do"], "at": ["tan-1"]}, "dice": [6]}
    assert played(ATTACKING, shot)["state"]["winner"] == "green"
    dead = {"status": {"green-1": {"eliminated": True}}}
    assert not played(dead, ATTACKING, {"do": {**SHOT["do"], "at": ["tan-1", "tan-1"]}})["steps"][0]["allowed"]


def test_a_weapon_may_be_written_as_a_player_calls_it() -> None:
    figures = {
        "green": [{"id": "green-1", "card": "grenadier", "at_in": [10, 10]}],
        "tan": [{"id": "tan-1", "card": "rifleman", "at_in": [10, 20]}],
    }
    throw = {"do": {**SHOT["do"], "weapon": "Grenade"}}
    answer = played({"phase": "heavy_weapons"}, throw, game="army_men", sides=figures)
    assert answer["steps"][0]["needs_dice"]["count"] == 2


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
        ({"do": {"action": "attack", "by": "green-1", "at": 5}}, "at must be a figure, a list of figures or a place"),
        ({**SHOT, "dice": "6"}, "dice must be a list of faces"),
        ({"phase": "lunch", "side": "green"}, "no phase 'lunch': choose one of moving, attacking"),
        ({"phase": "moving", "side": "blue"}, "'blue'"),
        ({"status": {"green-9": {"moved": True}}}, "no figure 'green-9'"),
        ({"see": {"green-1": {"posture": "flying"}}}, "posture must be one of standing"),
        ({"move": {}}, "move names no figure"),
        ({"move": {"green-1": {"path_in": [[10]]}}}, r"path_in must be \[x, y\] in inches"),
        ({"undo": 0}, "undo must be a whole number above 0"),
        ({"undo": 1, "turn": 2}, "the step 'undo' has the unknown key 'turn'"),
        ({"phase": "moving", "side": "green", "turn": 0}, "turn 0 cannot follow turn 0"),
        ({"phase": "moving", "side": "green", "turn": "2"}, "turn '2' cannot follow turn 0"),
        ({"see": {"green-1": {"colour": "red"}}}, "see green-1: unknown key 'colour'"),
        ({"do": {"action": "attack", "by": "green-1", "at": {}}}, "at must be a figure, a list of figures or a place"),
        ({"do": {"action": "attack", "by": "green-1", "at": [["tan-1"]]}}, "at must be a figure, a list of figures"),
        ({"do": {"action": "attack", "by": 3}}, "by must be the id of a figure, not 3"),
        ({**SHOT, "dice": [6, "x"]}, "dice must be a list of faces"),
        ({**SHOT, "dice_read": "d10"}, "dice_read must be"),
        ({"move": "green-1"}, "move must be an object, not 'green-1'"),
        ({"move": {"green-1": {"way": []}}}, "move green-1: unknown key 'way'"),
        ({"move": {"green-1": {"path_in": "north"}}}, "path_in must be a list of places"),
        ({"move": {"green-1": {"facing_deg": "north"}}}, "facing_deg must be a number, not 'north'"),
        ({"next": {"waive": "morale"}}, "waive must be true or a list of actions"),
        ({"next": {"wave": ["morale"]}}, "next: unknown key 'wave'; choose waive"),
        ({"do": {"by": "green-1"}}, "do lacks an action: name one"),
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
        ({"sides": {"green": [{"id": "a", "card": 5, "at_in": [1, 1]}]}}, "a: card must be the name of a ready unit"),
        ({"sides": {"green": [{"id": "a", "card": "soldier", "at_in": [1, 1], "base_in": [1]}]}}, r"base_in \[length"),
        ({"terrain": ["hill"]}, r"terrain\[0\] must be an object"),
        ({"terrain": [{"kind": "hill", "outline_in": [[0, 0], [1], [1, 1]]}]}, r"outline_in must be \[x, y\]"),
        ({"options": {"weather": "rain"}}, "weather"),
    ],
)
def test_a_document_that_is_none_is_refused_in_one_sentence(keys: Mapping[str, Any], told: str) -> None:
    with pytest.raises(UserError, match=told):
        played(**keys)


def test_an_answer_to_no_question_is_refused() -> None:
    step = {"do": {**SHOT["do"], "answers": {"weather": "rain"}}}
    with pytest.raises(UserError, match=r"does not ask 'weather'; it asks .*target_in_cover"):
        played(ATTACKING, step)


def test_a_figure_that_the_camera_does_not_see_neither_acts_nor_is_a_target() -> None:
    gone = {"see": {"tan-1": None}}
    answer = played(ATTACKING, gone, {"ask": "green-1"}, {"ask": "tan-1"})
    assert not any(one["action"] == "attack" for one in answer["steps"][0]["actions"])
    assert answer["steps"][1]["actions"] == []
    with pytest.raises(UserError, match="Green 1 is not on the table: put it there or mark it as eliminated"):
        played(MOVING, {"see": {"green-1": None}}, {"move": {"green-1": {"path_in": [[10, 12]]}}})


def test_a_figure_comes_into_the_picture_again() -> None:
    back = {"see": {"tan-1": {"at_in": [10, 24], "facing_deg": 180, "z_in": 2}}}
    answer = played(ATTACKING, {"see": {"tan-1": None}}, back, {**SHOT, "dice": [6]})
    assert answer["steps"][0]["verdict"]["outcome"] == "kills"
    # 2 in higher: uphill (SP-12), so 4 - 1 + 1
    assert answer["steps"][0]["verdict"]["numbers"]["to_kill"] == 4


def test_the_actor_may_be_a_list_and_terrain_needs_no_name() -> None:
    step = {"do": {**SHOT["do"], "by": ["green-1"]}, "dice": [6]}
    assert played(ATTACKING, step)["state"]["winner"] == "green"
    wall = {"kind": "wall", "outline_in": [[0, 0], [1, 0], [1, 1]]}
    situation = situation_of({**DOCUMENT, "terrain": [wall, {**wall, "name": "old wall"}]})
    assert [piece.name for piece in situation.terrain] == ["wall 1", "old wall"]


def test_turns_that_are_left_out_have_been_played() -> None:
    answer = played({**MOVING, "turn": 3}, {"ask": ""})
    assert answer["state"]["turn"] == 3


@pytest.mark.parametrize(
    ("step", "rule", "text"),
    [
        ({"status": {"tan-1": {"eliminated": True}}}, "SP-08", "Tan 1 is out of the battle"),
        ({"see": {"tan-1": None}}, None, "Tan 1 is not on the table"),
        ({"see": {"green-1": None}}, None, "Green 1 is not on the table"),
    ],
)
def test_a_refusal_names_the_figure_that_is_not_there(step: Mapping[str, Any], rule: str | None, text: str) -> None:
    answer = played(ATTACKING, step, {**SHOT, "dice": [6]})
    assert answer["steps"] == [{"step": 2, "allowed": False, "why_not": {"rule": rule, "text": text}}]


def test_an_attack_needs_a_target_unless_there_is_only_one() -> None:
    shot = {"do": {"action": "attack", "by": "green-1"}, "dice": [6]}
    assert played(ATTACKING, shot)["steps"][0]["allowed"]
    tan = [{"id": name, "card": "soldier", "at_in": at} for name, at in (("tan-1", [10, 20]), ("tan-2", [20, 20]))]
    sides = {**DOCUMENT["sides"], "tan": tan}
    with pytest.raises(UserError, match='attack by green-1 has several possible targets: name one with "at"'):
        played(ATTACKING, shot, sides=sides)


def test_a_refusal_names_the_rule_of_the_phase_if_the_action_has_none() -> None:
    [answer] = played(ATTACKING, {"do": {"action": "cohesion", "by": "green-1"}})["steps"]
    assert answer["why_not"]["rule"] == "SP-01"


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_of_unavailable_actions_belong_to_actions(game: str) -> None:
    opened = open_game(game)
    rows = opened.rules.header.unavailable
    assert set(rows) <= {*opened.actions, "attack"}
    names = [*rows, *(name for row in rows.values() for name in row.also)]
    assert len(names) == len(set(names)), "a name must mean one action"


@pytest.mark.parametrize("game", GAMES)
def test_no_game_accepts_a_phase_that_it_lacks(game: str) -> None:
    document = {"schema": 1, "game": game, "sides": {"green": [], "tan": []}, "steps": [{"phase": "lunch", "side": ""}]}
    with pytest.raises(UserError, match="has no phase 'lunch': choose one of"):
        play_situation(situation_of(document))


def test_a_question_that_lacks_a_fact_names_its_rule() -> None:
    """A router turns about (PF-65), and the way he faces is missing."""
    sides = {"green": [{"id": "green-1", "card": "basic", "at_in": [5, 9]}], "tan": []}
    failed = {"do": {"action": "morale_check", "by": "green-1"}, "dice": [-1, -1, 0, 0]}
    steps = [{"phase": "morale", "turn": 1}, failed, {"do": {"action": "rout_move", "by": "green-1"}}]
    answer = play_situation(situation_of({"schema": 1, "game": "plastic_fudge", "sides": sides, "steps": steps}))
    assert answer["steps"][1]["why_not"]["rule"] == "PF-65"


def _asked_with_own_card(own: dict[str, Any]) -> dict[str, Any]:
    sides = {"green": [{"id": "green-1", "card": own, "at_in": [5, 9]}], "tan": []}
    document = {"schema": 1, "game": "plastic_fudge", "sides": sides, "steps": [{"ask": "green-1"}]}
    return play_situation(situation_of(document))


@pytest.mark.parametrize("own", [{"unit": "basic", "weapons": ["grenade"]}, {"weapons": ["rifle", "grenade"]}])
def test_a_card_of_ones_own_that_is_like_no_ready_one_is_refused(own: dict[str, Any]) -> None:
    """A Basic Trooper has no grenade, and no ready card has these two."""
    with pytest.raises(UserError, match="the card of Green 1 is like no ready one in weapons: let it name"):
        _asked_with_own_card(own)


def test_remarks_on_a_card_of_ones_own_do_not_matter() -> None:
    assert _asked_with_own_card({"title": "Guard", "note": "on the bridge", "printed_cost": 3}) == _asked_with_own_card(
        {"title": "Guard"}
    )


def test_an_unavailable_action_is_refused_with_its_rule() -> None:
    card = {"title": "Man", "strength": 0, "dexterity": 0, "guts": 0, "movement_in": 5, "modf": 1, "ddf": 0, "hddf": 0}
    sides = {side: [{"id": f"{side}-1", "card": card, "at_in": [x, 9]}] for side, x in (("blue", 5), ("red", 25))}
    steps = [{"phase": "action", "side": "blue", "turn": 1}, {"do": {"action": "guts_check", "by": "blue-1"}}]
    answer = play_situation(situation_of({"schema": 1, "game": "fudge_miniatures", "sides": sides, "steps": steps}))
    why_not = answer["steps"][0]["why_not"]
    assert (why_not["rule"], why_not["text"][:29]) == ("FM-46", "Blue 1 cannot do this now: A ")
