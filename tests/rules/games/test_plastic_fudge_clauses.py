"""Plastic Fudge, clause by clause: moves, attacks, bases and blasts as the table shows them."""

from __future__ import annotations

from functools import partial
from typing import Any

from rules.engine.game import Game
from rules.games import open_game
from rules.games.plastic_fudge.tables import Tables
from tests.rules.games.clauses import Step, answer_to, played_out, unit

GAME: Game[Tables] = open_game("plastic_fudge")
ATTACKS: Step = {"phase": "attacks", "turn": 1}

asked = partial(answer_to, GAME)


def played(green: list[Step], tan: list[Step], *steps: Step, **more: Any) -> dict[int, dict[str, Any]]:
    """The answers to the steps of a situation, by their numbers."""
    answer = played_out("plastic_fudge", {"green": green, "tan": tan}, *steps, **more)
    return {one["step"]: one for one in answer["steps"]}


def piece(name: str, kind: str, x_in: float, y_in: float, size_in: float, height_in: float) -> dict[str, Any]:
    """A square terrain piece, by its lower left corner."""
    right, top = x_in + size_in, y_in + size_in
    outline = [[x_in, y_in], [right, y_in], [right, top], [x_in, top]]
    return {"name": name, "kind": kind, "outline_in": outline, "base_in": 0, "height_in": height_in}


# Moves.


def test_each_unit_moves_by_itself_pf_26() -> None:
    """The rulebook: "A Unit move in the direction he is pointing"."""
    green = [unit("green-1", "basic", 10, 10), unit("green-2", "basic", 10, 14)]
    together: Step = {"move": {name: {"path_in": [[12, y_in]]} for name, y_in in (("green-1", 10), ("green-2", 14))}}
    alone: Step = {"move": {"green-1": {"path_in": [[12, 10]]}}}
    answers = played(green, [], {"phase": "a_moves", "side": "green"}, together, alone)
    assert answers[1]["why_not"]["rule"] == "PF-26"
    assert answers[2]["allowed"]


def test_going_down_costs_nothing_pf_40() -> None:
    """The rulebook: "A higher elevation costs 1 additional inch to enter"."""
    hill = piece("hill", "hill", 10, 10, 8, 6)
    down: Step = {"move": {"green-1": {"path_in": [[22, 14]]}}}
    answers = played(
        [unit("green-1", "bazooka", 16, 14)], [], {"phase": "a_moves", "side": "green"}, down, terrain=[hill]
    )
    assert (answers[1]["allowed"], answers[1]["cost_in"]) == (True, 6)


# Attacks.


def test_a_hole_is_the_attack_of_a_turn_pf_45_pf_81() -> None:
    """The rulebook: "Units may only make one attack per turn"."""
    base = piece("base", "bunker", 18, 8, 6, 2)
    shoots: Step = {"do": {"action": "attack", "by": "green-1", "at": "tan-1"}, "dice": [0] * 8}
    hole: Step = {"do": {"action": "hole", "by": "green-1", "at": [19, 10]}}
    green, tan = [unit("green-1", "bazooka", 10, 10)], [unit("tan-1", "basic", 10, 18)]
    answers = played(green, tan, ATTACKS, hole, shoots, terrain=[base])
    assert answers[1]["allowed"]
    assert answers[2]["why_not"]["rule"] == "PF-45"


def test_which_weapons_take_holes_out_of_what_pf_81() -> None:
    """The rulebook: "If a Bazooka is targeted at a Base, it removes a Grenade Disk size hole"."""
    pieces = [piece("base", "bunker", 18, 8, 6, 2), piece("house", "building", 18, 20, 6, 4)]
    green = [unit("green-1", "bazooka", 10, 10), unit("green-2", "basic", 12, 10), unit("green-3", "tank", 12, 14)]
    steps: list[Step] = [{"ask": one["id"]} for one in green]
    answers = played(green, [unit("tan-1", "basic", 30, 30)], ATTACKS, *steps, terrain=pieces)
    holes = {step: [one["title"] for one in answers[step]["actions"] if one["action"] == "hole"] for step in (1, 2, 3)}
    assert [title.split(" at ")[1] for title in holes[1]] == ["base"]
    assert (holes[2], holes[3]) == ([], [])


def test_a_base_keeps_every_hole_pf_81() -> None:
    base = piece("base", "bunker", 18, 4, 12, 2)
    green = [unit("green-1", "bazooka", 14, 7), unit("green-2", "bazooka", 14, 13)]
    steps: list[Step] = [
        {"do": {"action": "hole", "by": "green-1", "at": [19, 7]}},
        {"do": {"action": "hole", "by": "green-2", "at": [19, 13]}},
    ]
    answer = played_out("plastic_fudge", {"green": green, "tan": []}, ATTACKS, *steps, terrain=[base])
    assert answer["state"]["status"]["holes in base"] == [[19, 7], [19, 13]]


# Blasts.


def test_a_base_that_was_hit_defends_on_what_is_left_pf_76() -> None:
    """The rulebook: "All Troopers, Vehicles and Bases in the target area must make a Defense Roll"."""
    base = piece("base", "bunker", 18, 8, 4, 2)
    green = [unit("green-1", "tank", 10, 10), unit("green-2", "tank", 10, 16)]
    dice = [0, 0, 0, 0, 0, 0, 0, 0]  # Great +2 against Fair 0: injured; then against -1
    steps: list[Step] = [
        {"do": {"action": "attack", "by": name, "at": [20, 10], "weapon": "tank"}, "dice": dice}
        for name in ("green-1", "green-2")
    ]
    answers = played(green, [], ATTACKS, *steps, terrain=[base])
    found = [answers[step]["verdict"]["numbers"]["targets"] for step in (1, 2)]
    assert [one["defense_total"] for [one] in found] == [0, -1]


def test_men_in_a_vehicle_are_hit_with_it_only_pf_76_pf_70() -> None:
    green = [unit("green-1", "tank", 10, 10)]
    tan = [unit("tan-1", "jeep", 20, 10), unit("tan-2", "commander", 20, 10.5), unit("tan-3", "basic", 20, 12)]
    steps: list[Step] = [
        {"status": {"tan-2": {"rides": "tan-1"}}},
        {"do": {"action": "attack", "by": "green-1", "at": [20, 10], "weapon": "tank"}, "dice": [0] * 12},
    ]
    answers = played(green, tan, ATTACKS, *steps)
    targets = {one["id"] for one in answers[2]["verdict"]["numbers"]["targets"]}
    assert targets == {"tan-1", "tan-3"}


def test_half_in_where_half_is_needed_pf_77() -> None:
    """The rulebook: "Any that are half in and half out move one level down on the damage chart"."""
    for part, result in ((0.49, None), (0.5, "INJ"), (0.99, "INJ"), (1, "KIL")):
        given = {"attack_total": 4, "defense_total": 0, "fraction": part}
        found = asked("explosion_result", None, {"partly_inside": "half_or_more"}, **given).numbers
        assert found.get("result") == result, part
    for attack, row_lower in ((2, "NE"), (4, "INJ")):
        given = {"attack_total": attack, "defense_total": 0, "fraction": 0.5}
        found = asked("explosion_result", None, {"one_level_less": "chart_row"}, **given).numbers
        assert found["result"] == row_lower
