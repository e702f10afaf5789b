"""Simple Plastic Figure, clause by clause: turn, movement and hand-to-hand combat."""

from __future__ import annotations

import pytest

from tests.rules.games.clauses import code, rules_of, unit
from tests.rules.games.simple_plastic_figure_clauses import (
    ACTS,
    TABLES,
    asked,
    statuses,
    whole,
)

# The turn.


def test_who_goes_first_ww_07() -> None:
    sides = ["german", "allied"]
    chooses = asked("initiative", [3, 5], sides=sides).numbers
    assert (chooses["chooser"], chooses["goes_first"]) == ("allied", None)
    first = asked("initiative", [3, 5], {"initiative_dice": "highest_goes_first"}, sides=sides).numbers
    assert (first["chooser"], first["goes_first"]) == ("allied", "allied")
    for face in range(1, 7):
        found = asked("initiative", [face], {"initiative_dice": "one_die"}, sides=sides).numbers
        assert found["goes_first"] == ("german" if face <= 3 else "allied")
    again = asked("initiative", [4, 4, 6, 1], sides=sides, last_chooser="allied").numbers
    assert (again["chooser"], again["rolls"]) == ("german", [6, 1])
    last = {"tied_initiative": "last_chooser"}
    kept = asked("initiative", [4, 4], last, sides=sides, last_chooser="allied")
    assert kept.numbers["chooser"] == "allied"
    assert "chose_last" in {one.status for one in statuses(kept)}
    assert "chose_last" not in {one.status for one in statuses(asked("initiative", [2, 1], sides=sides))}
    many = asked("initiative", [1, 5, 2, 3], sides=sides, players={"german": 2, "allied": 2}).numbers
    assert (many["rolls"], many["chooser"]) == ([5, 3], "german")  # the highest die of a side


def test_the_parts_of_a_turn_ww_07_ww_08_ww_09() -> None:
    rows = {name: (row.number, row.half, row.checks, row.acts) for name, row in TABLES.phases.items()}
    assert rows == {
        "initiative": (1, 0, False, False),
        "first_status": (2, 1, True, False),
        "first_actions": (3, 1, False, True),
        "second_status": (4, 2, True, False),
        "second_actions": (5, 2, False, True),
        "end": (6, 0, False, False),
    }
    found = asked("turn", first="allied", second="german")
    assert [(one["phase"], one["side"]) for one in found.numbers["steps"]] == [
        ("initiative", None),
        ("first_status", "allied"),
        ("first_actions", "allied"),
        ("second_status", "german"),
        ("second_actions", "german"),
        ("end", None),
    ]
    assert [(one.status, one.value) for one in statuses(found)] == [("goes_first", "allied")]


def test_figures_act_in_their_own_half_after_their_check_ww_08_ww_09() -> None:
    army = [unit("german-1", "german_rifleman", 20, 20)], [unit("allied-1", "british_rifleman", 30, 20)]
    checked = {"status": {"german-1": {"status_die": 1}}}
    for phase, steps, rule in (
        ({"phase": "first_status", "side": "german", "turn": 1}, [checked], "WW-08"),
        ({"phase": "first_actions", "side": "german", "turn": 1}, [], "WW-09"),
        ({"phase": "first_actions", "side": "allied", "turn": 1}, [checked], "WW-08"),
        ({"phase": "end", "turn": 1}, [checked], "WW-08"),
        ({"phase": "first_actions", "side": "german", "turn": 1}, [checked], None),
    ):
        move = {"move": {"german-1": {"path_in": [[20, 20], [20, 24]]}}}
        [step] = whole(*army, phase, *steps, move)["steps"]
        assert (step["why_not"]["rule"] if step.get("why_not") else None) == rule, phase


def test_what_a_status_die_allows_ww_09_ww_21_ww_10() -> None:
    for face in range(1, 7):
        move, fire = face <= 4, face <= 5
        found = asked("status_check", [face]).numbers
        assert (found["may_move"], found["may_fire"], found["status_die"]) == (move, fire, face)
        each = asked("status_checks", [face, 7 - face], figures=["a", "b"]).numbers["each"]
        assert (each["a"]["status_die"], each["b"]["status_die"]) == (face, 7 - face)
        may = {
            "move": move,
            "move_into_hand_to_hand": move,
            "fire": fire,
            **dict.fromkeys(("lead", "direct_fire", "call_fire"), fire),
        }
        for action, allowed in may.items():
            answer = asked("actions", actions=[action], status_die=face)
            assert code(answer) == ("" if allowed else "status"), (face, action)
            if not allowed:
                assert answer.reasons[0].rule == ("WW-21" if action == "move_into_hand_to_hand" else "WW-09")
        for needs, allowed in (("firing", fire), ("nothing", True), ("everything", move)):
            answer = asked("actions", None, {"commander_needs": needs}, actions=["lead"], status_die=face)
            assert answer.allowed == allowed
        assert code(asked("may_target", weapon="pistol", distance_in=1, status_die=face)) == ("" if fire else "status")
        assert code(asked("move", distance_in=1, status_die=face)) == ("" if move else "status")
        fight = asked("hand_to_hand", [6, 1], enemies=[{"id": "a"}], status_die=face)
        assert code(fight) == ("" if move else "status")
    for failed in (5, 6):
        for face in (4, 5, 6):
            assert asked("status_check", [face], {"failed_status": failed}).numbers["failed"] == (face >= failed)


def test_one_action_a_turn_ww_10_ww_56_ww_57() -> None:
    for done, rule in (
        (["move", "fire"], "WW-10"),
        (["fire", "fire"], "WW-10"),
        (["lead", "move"], "WW-56"),
        (["direct_fire", "fire"], "WW-57"),
    ):
        found = asked("actions", actions=done)
        assert (code(found), found.reasons[0].rule) == ("one_action_a_turn", rule)


@pytest.mark.parametrize(
    ("status", "allowed"), [({"moved": True}, False), ({"fired": True}, False), ({"leads": True}, False), ({}, True)]
)
def test_who_has_acted_does_not_move_ww_10(status: dict[str, bool], allowed: bool) -> None:
    army = [unit("german-1", "german_officer", 20, 20)], [unit("allied-1", "british_rifleman", 24, 20)]
    steps = ACTS, {"status": {"german-1": {"status_die": 1, **status}}}
    [moved, listed] = whole(
        *army, *steps, {"move": {"german-1": {"path_in": [[20, 20], [20, 23]]}}}, {"ask": "german-1"}
    )["steps"]
    assert moved["allowed"] == allowed
    assert not any(one["allowed"] for one in listed["actions"] if one["action"] in ("attack", "command_actions"))


# Movement.


def test_six_inches_whatever_the_pose_ww_12() -> None:
    for pose in TABLES.poses:
        for distance_in, why in ((6, ""), (6.1, "too_far")):
            assert code(asked("move", distance_in=distance_in, pose=pose)) == why
    assert asked("move", distance_in=7, led=True).allowed
    assert code(asked("move", distance_in=7.1, led=True)) == "too_far"


def test_the_price_of_each_crossing_ww_13_ww_14_ww_16_ww_18_ww_19_ww_56() -> None:
    price = {"cross_leg_high": 1, "cross_waist_high": 3, "leave_building": 2, "leave_bunker": 3}
    price |= dict.fromkeys(("leave_foxhole", "leave_trench", "leave_ditch"), 3)
    for name, row in TABLES.crossings.items():
        if name in ("cross_trees", "cross_higher_than_waist"):
            assert code(asked("move", distance_in=1, events=[name])) == "impassable"
            continue
        most_in = 6 - price.get(name, 0) + (name == "led")
        given = {"events": [name], "touching_at_start_of_move": True}
        assert asked("move", distance_in=most_in, **given).allowed, name
        assert code(asked("move", distance_in=most_in + 0.1, **given)) == "too_far", name
        assert row.touch_first == (name == "enter_bunker")
        assert code(asked("move", distance_in=1, events=[name])) == ("touch_it_first" if row.touch_first else "")


def test_several_crossings_in_one_move_ww_13_ww_14() -> None:
    both = ["cross_leg_high", "cross_waist_high"]
    for penalties, most_in in (("add", 2), ("largest", 3)):
        options = {"penalties": penalties}
        assert asked("move", None, options, distance_in=most_in, events=both).allowed
        assert code(asked("move", None, options, distance_in=most_in + 0.1, events=both)) == "too_far"
    two = ["cross_waist_high", "cross_waist_high"]
    assert asked("move", distance_in=0, events=two).allowed
    dear = [*two, "cross_leg_high"]
    assert code(asked("move", distance_in=0, events=dear)) == "crossing_too_dear"
    assert asked("move", None, {"unpaid_crossing": "allowed"}, distance_in=0, events=dear).allowed


def test_a_move_inside_a_building_ww_16() -> None:
    for option, left_in in (("normal", 4), ("whole_move", 0)):
        found = asked("move", None, {"inside_move": option}, distance_in=2, inside_building=True).numbers
        assert found["left_in"] == left_in
    assert asked("move", None, {"inside_move": "whole_move"}, distance_in=2).numbers["left_in"] == 4


def test_what_may_be_entered_ww_15_ww_16_ww_17_ww_18_ww_19_ww_20_ww_22() -> None:
    for place in TABLES.places:
        for enemy in (False, True):
            for touching in (False, True):
                found = asked("enter", place=place, enemy_inside=enemy, touching_at_start_of_move=touching)
                why = "go_around" if place == "trees" else ""
                if place == "bunker":
                    why = "enemy_inside" if enemy else "" if touching else "touch_it_first"
                assert code(found) == why, (place, enemy, touching)
                fight = enemy and place == "building"
                assert found.numbers["must_fight"] == fight
                if fight:
                    assert {"WW-17", "WW-22"} <= rules_of(found)
    assert rules_of(asked("enter", place="bunker", enemy_inside=True)) == {"WW-20"}
    assert rules_of(asked("enter", place="bunker")) == {"WW-19"}
    assert rules_of(asked("enter", place="building")) == {"WW-16"}
    assert {rule for place in ("foxhole", "trench", "ditch") for rule in rules_of(asked("enter", place=place))} == {
        "WW-18"
    }


def test_where_touching_an_enemy_ends_the_move_ww_22() -> None:
    for touched_in, wanted_in, stops_in, fight in (
        (3, 5, 3, True),
        (5, 5, 5, True),
        (6, 5, 5, False),
        (None, 5, 5, False),
    ):
        given = {"wanted_in": wanted_in, **({} if touched_in is None else {"enemy_base_touched_after_in": touched_in})}
        found = asked("move_contact", **given).numbers
        assert (found["stops_at_in"], found["must_fight"]) == (stops_in, fight), given
        ends = asked("move_contact", None, {"contact": "where_it_ends"}, **given).numbers
        assert ends["must_fight"] == (touched_in == wanted_in), given
    past = {"distance_in": 5, "enemy_base_touched_after_in": 3}
    assert code(asked("move", **past)) == "stops_at_an_enemy"
    assert asked("move", None, {"contact": "where_it_ends"}, **past).allowed


def test_whom_a_move_leads_to_a_fight_with_ww_21_ww_22_ww_17() -> None:
    gaps = {"a": 0.0, "b": 0.1, "c": 0.0}
    open_ground = asked("move", distance_in=3, enemy_gaps_in=gaps).numbers
    assert (open_ground["fights"], open_ground["must_fight"]) == (["a", "c"], True)
    house = asked("move", distance_in=3, enemy_gaps_in=gaps, ends_in="building", enemies_inside=["d"]).numbers
    assert house["fights"] == ["d"]
    trench = asked("move", distance_in=3, ends_in="trench", enemies_inside=["d"]).numbers
    assert trench["fights"] == []


# Hand-to-hand combat.


def test_several_enemies_one_after_another_ww_23_ww_24_ww_20_ww_15_ww_21() -> None:
    two = [{"id": "a"}, {"id": "b"}]
    won = asked("hand_to_hand", [5, 1, 5, 1], enemies=two).numbers
    assert (won["enemies_eliminated"], won["fights"], won["attacker_alive"]) == (["a", "b"], 2, True)
    lost = asked("hand_to_hand", [1, 5], enemies=two)
    assert (lost.numbers["attacker_alive"], lost.numbers["fights"]) == (False, 1)
    assert lost.numbers["enemies_left"] == ["a", "b"]
    in_house = asked("hand_to_hand", [5, 1], enemies=two, where="building").numbers
    assert (in_house["enemies_eliminated"], in_house["enemies_left"]) == (["a"], ["b"])
    at_once = asked("hand_to_hand", [5, 1, 5, 1], {"further_enemies": "at_once"}, enemies=two, where="building").numbers
    assert at_once["enemies_eliminated"] == ["a", "b"]
    trench = asked("hand_to_hand", [5, 1, 5, 1], enemies=two, where="trench").numbers
    assert trench["fights"] == 2
    assert code(asked("hand_to_hand", enemies=[])) == "nobody_to_fight"
    for where, rule in (("bunker", "WW-20"), ("trees", "WW-15")):
        barred = asked("hand_to_hand", enemies=two, where=where)
        assert (code(barred), rules_of(barred)) == ("no_fight_here", {rule})


def test_ties_and_bayonets_ww_24() -> None:
    tie = asked("hand_to_hand", [3, 3, 4, 2], enemies=[{"id": "a"}])
    assert tie.numbers["attacker_alive"]
    for own, other, dice, alive in (
        (True, False, [3, 3], True),
        (False, True, [3, 3], False),
        (True, True, [3, 4], False),
        (True, False, [3, 4, 1, 6], False),  # 4 each: rolled again
        (False, False, [3, 4], False),
    ):
        given = {"attacker_bayonet": own, "enemies": [{"id": "a", "bayonet": other}]}
        assert asked("hand_to_hand", dice, **given).numbers["attacker_alive"] == alive, (own, other, dice)
