"""Simple Plastic Figure, clause by clause: leaders, observers, radiomen, reserves, and who acts, in play."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.games.clauses import Step, rules_of, unit
from tests.rules.games.simple_plastic_figure_clauses import ACTS, asked, whole

FREE = 1
"""A status die that allows everything."""


def free(*names: str) -> Step:
    """All of these have passed their status checks."""
    return {"status": {name: {"status_die": FREE} for name in names}}


def offered(answer: dict[str, Any], step: int) -> list[tuple[str, Any]]:
    """What a figure was offered at a step, each action with its target."""
    [found] = [one for one in answer["steps"] if one["step"] == step]
    return [(one["action"], one["at"]) for one in found["actions"]]


def aimed_at(answer: dict[str, Any], step: int, name: str) -> dict[str, Any]:
    """The first action at a target that a figure was offered at a step."""
    [found] = [one for one in answer["steps"] if one["step"] == step]
    shot: dict[str, Any] = next(one for one in found["actions"] if one["at"] == name)
    return shot


def done(answer: dict[str, Any], step: int) -> dict[str, Any]:
    """What became of a step."""
    [found] = [one for one in answer["steps"] if one["step"] == step]
    assert isinstance(found, dict)
    return found


# Combat effects.


def test_a_shot_that_cannot_miss_says_so_ww_55() -> None:
    sure = {"weapon": "panzerfaust", "pose": "standing", "range_for_modifier_in": 3}  # 3 + 1 + 2: even a 1 eliminates
    found = asked("combat", [1], **sure)
    assert (found.numbers["modifier"], found.numbers["eliminated"]) == (6, True)
    assert "WW-55" in rules_of(found)


def test_all_that_a_burst_eliminates_are_taken_off_ww_50_ww_63() -> None:
    """The rulebook: "A 6 equals the elimination of the target figure", of each that is in the blast."""
    german, allied = (
        [unit("g1", "german_81mm_mortar", 10, 5)],
        [unit(f"a{k}", "sentry", 8 + 2 * k, 30) for k in range(3)],
    )
    steps: list[Step] = [
        ACTS,
        free("g1"),
        {"do": {"action": "shell", "by": "g1", "at": [10, 30]}, "dice": [6]},
        {"do": {"action": "burst", "by": "g1"}, "dice": [6, 1, 6]},
    ]
    answer = whole(german, [*allied, unit("b1", "american_rifleman", 60, 40)], *steps)
    each = done(answer, 3)["verdict"]["numbers"]["each"]
    dead = {one["target"] for one in each if one["eliminated"]}
    assert len(dead) == 2
    assert {name for name, one in answer["state"]["figures"].items() if one["out"]} == dead


# Leaders.


def test_whom_a_leader_leads_ww_56() -> None:
    """The rulebook: "Any figure with in 6 inches of the leader": of his own side, not the enemy who moves after him."""
    german = [unit("g1", "german_officer", 20, 20), unit("g2", "german_rifleman", 23, 20)]
    allied = [unit("a1", "american_rifleman", 20, 24)]
    steps: list[Step] = [
        ACTS,
        free("g1", "g2", "a1"),
        {"do": {"action": "lead", "by": "g1"}},
        {"move": {"g2": {"path_in": [[30, 20]]}}},
        {"phase": "second_actions", "side": "allied"},
        free("a1"),
        {"move": {"a1": {"path_in": [[20, 30.5]]}}},
        {"move": {"a1": {"path_in": [[20, 30]]}}},
    ]
    answer = whole(german, allied, *steps)
    assert done(answer, 3)["allowed"]
    assert not done(answer, 6)["allowed"]
    assert done(answer, 7)["allowed"]


def test_a_second_check_waits_for_a_shell_ww_56_ww_62() -> None:
    german = [
        unit("g1", "german_officer", 20, 5),
        unit("g2", "german_radioman", 22, 5),
        unit("g3", "german_rifleman", 24, 5),
    ]
    steps: list[Step] = [
        ACTS,
        {"status": {"g1": {"status_die": 1}, "g2": {"status_die": 1}, "g3": {"status_die": 6}}},
        {"do": {"action": "lead", "by": "g1"}},
        {"do": {"action": "radio", "by": "g2", "at": "a1"}},
        {"do": {"action": "status_reroll", "by": "g3", "at": "g1"}, "dice": [3]},
        {"do": {"action": "deviation", "by": "g2"}, "dice": [6]},
        {"do": {"action": "burst", "by": "g2"}, "dice": [2]},
        {"do": {"action": "status_reroll", "by": "g3", "at": "g1"}, "dice": [3]},
    ]
    answer = whole(german, [unit("a1", "american_rifleman", 22, 30)], *steps)
    assert not done(answer, 4)["allowed"]
    assert done(answer, 7)["allowed"]


# Observers.


def test_an_observer_directs_friends_only_ww_57() -> None:
    """The rulebook: "Direct fire to another figure within 6 inches of him"."""
    german = [unit("g1", "observer", 20, 20), unit("g2", "german_rifleman", 23, 20)]
    answer = whole(german, [unit("a1", "american_rifleman", 20, 23)], ACTS, free("g1", "g2"), {"ask": "g1"})
    directed = {at for action, at in offered(answer, 2) if action == "direct_fire_binoculars"}
    assert directed == {"g2"}


def test_the_range_of_the_weapon_counts_not_the_observers_ww_57() -> None:
    """The rulebook: "Binoculars can be used to 'direct fire' to any target within range of the weapon"."""
    german = [unit("g1", "observer", 6, 20), unit("g2", "german_rifleman", 10, 20)]
    allied = [unit("a1", "american_rifleman", 33, 20, posture="standing")]
    directs: Step = {"do": {"action": "direct_fire_binoculars", "by": "g1", "at": "g2"}}
    answer = whole(german, allied, ACTS, free("g1", "g2"), directs, {"ask": "g2"})
    assert aimed_at(answer, 3, "a1")["needs"] == "4 or more"  # 6, -1 standing, -1 directed


def test_each_observer_directs_by_his_own_means_ww_57_ww_61() -> None:
    """The target is beyond the radioman's 3 feet; the binoculars beside the mortar still help."""
    german = [
        unit("g1", "observer", 20, 5),
        unit("g2", "german_81mm_mortar", 23, 5, posture="kneeling"),
        unit("g3", "german_radioman", 2, 2),
    ]
    allied = [unit("a1", "american_rifleman", 40, 40, posture="standing")]
    steps: list[Step] = [
        ACTS,
        free("g1", "g2", "g3"),
        {"do": {"action": "direct_fire_binoculars", "by": "g1", "at": "g2"}},
        {"do": {"action": "radio", "by": "g3", "at": "g2"}},
        {"do": {"action": "shell", "by": "g2", "at": "a1"}, "dice": [6]},
        {"do": {"action": "burst", "by": "g2"}, "dice": [1]},
    ]
    answer = whole(german, allied, *steps)
    assert done(answer, 3)["allowed"]
    [hit] = done(answer, 5)["verdict"]["numbers"]["each"]
    assert hit["modifier"] == 3 + 1 + 1


# Reserves.


def test_a_reserve_off_the_table_brings_nobody_back_ww_58() -> None:
    """The rulebook: "They must be on the board so that they can be fired on"."""
    german = [unit("g1", "german_rifleman", 10, 10)]
    allied = [unit("a1", "american_rifleman", 10, 20, posture="standing"), unit("a2", "sentry", 30, 45)]
    steps: list[Step] = [
        ACTS,
        free("g1"),
        {"do": {"action": "attack", "by": "g1", "at": "a1"}, "dice": [6]},
        {"phase": "second_status", "side": "allied", "turn": 2},
        {"see": {"a2": None}},
        {"do": {"action": "reserve", "by": "a2"}},
        {"see": {"a2": {"at_in": [30, 45]}}},
        {"do": {"action": "reserve", "by": "a2"}},
    ]
    answer = whole(german, allied, *steps)
    assert not done(answer, 5)["allowed"]
    assert done(answer, 7)["allowed"]


def test_whom_a_reserve_brings_back_and_when_ww_59() -> None:
    """A fighting figure comes back "on the next turn" for a reserve of its own side, before that side acts."""
    german = [unit("g1", "german_rifleman", 10, 10), unit("g2", "sentry", 30, 2)]
    allied = [unit("a1", "american_rifleman", 10, 20, posture="standing"), unit("a2", "sentry", 30, 45)]
    back: Step = {"do": {"action": "reserve", "by": "a2", "at": "a1"}}
    steps: list[Step] = [
        ACTS,
        free("g1"),
        {"do": {"action": "attack", "by": "g1", "at": "a1"}, "dice": [6]},
        {"phase": "first_status", "side": "german", "turn": 2},
        {"do": {"action": "reserve", "by": "g2", "at": "a1"}},
        {"phase": "second_actions", "side": "allied"},
        back,
        {"phase": "second_status", "side": "allied", "turn": 3},
        back,
    ]
    answer = whole(german, allied, *steps)
    assert [done(answer, step)["allowed"] for step in (4, 6, 8)] == [False, False, True]
    found = asked("reserve", fighting_figures_eliminated=1, reserves_on_board=1).numbers
    assert (found["reserve_eliminated"], found["placed_at"]) == (True, "spot of the reserve")


FALLS: dict[str, tuple[str, list[Step]]] = {
    "hand to hand": (
        "german_rifleman",
        [
            {"move": {"g1": {"path_in": [[10, 13]]}}},
            {"do": {"action": "hand_to_hand", "by": "g1", "at": "a1"}, "dice": [6, 1]},
        ],
    ),
    "a grenade": ("german_grenadier", [{"do": {"action": "charge", "by": "g1", "at": "a1"}, "dice": [6, 1]}]),
    "a shell": (
        "german_81mm_mortar",
        [
            {"do": {"action": "shell", "by": "g1", "at": "a1"}, "dice": [6]},
            {"do": {"action": "burst", "by": "g1"}, "dice": [6, 1]},
        ],
    ),
}


@pytest.mark.parametrize("how", FALLS)
def test_however_a_figure_fell_it_may_come_back_ww_59(how: str) -> None:
    card, steps = FALLS[how]
    allied = [unit("a1", "american_rifleman", 10, 14, posture="standing"), unit("a2", "sentry", 30, 45)]
    later: list[Step] = [
        {"phase": "second_status", "side": "allied", "turn": 2},
        {"do": {"action": "reserve", "by": "a2", "at": "a1"}},
    ]
    answer = whole([unit("g1", card, 10, 10)], allied, ACTS, free("g1"), *steps, *later)
    assert done(answer, len(steps) + 3)["allowed"]
    assert not answer["state"]["figures"]["a1"]["out"]


# Radiomen.


def test_what_a_radioman_directs_ww_60_ww_61() -> None:
    """The rulebook: "from any on board mortar or Infantry gun/howitzer", armed or not."""
    allied = [
        unit("a1", "american_radioman", 10, 40),
        unit("a2", "american_105mm_howitzer", 60, 40),
        unit("a3", "american_81mm_mortar", 30, 40),
        unit("a4", "american_rifleman", 12, 40),
    ]
    german = [unit("g1", "german_rifleman", 10, 20)]
    half: Step = {"phase": "second_actions", "side": "allied", "turn": 1}
    everybody = free("a1", "a2", "a3", "a4")
    answer = whole(german, allied, half, everybody, {"ask": "a1"})
    directed = {one["at"]: one["allowed"] for one in done(answer, 2)["actions"] if one["title"] == "Direct by radio"}
    assert directed == {"a2": True, "a3": True}
    unarmed = whole(german, allied, half, everybody, {"ask": "a1"}, options={"armed_radioman_directs": False})
    assert not any(one["allowed"] for one in done(unarmed, 2)["actions"] if one["title"] == "Direct by radio")


def test_when_a_radioman_calls_a_shell_ww_62() -> None:
    """The rulebook: "If there is no on board Mortar or Infantry gun/howitzer" of his side; only a radioman calls."""
    german = [unit("g1", "german_radioman", 20, 5), unit("g2", "german_officer", 24, 5)]
    allied = [unit("a1", "american_rifleman", 20, 30), unit("a2", "american_81mm_mortar", 40, 40)]
    call: Step = {"do": {"action": "radio", "by": "g1", "at": "a1"}}
    answer = whole(german, allied, ACTS, free("g1", "g2"), {"ask": "g2"}, call)
    assert not [one for one in offered(answer, 2) if one[0] == "radio"]
    assert done(answer, 3)["allowed"]
    for gun in ("german_105mm_howitzer", "german_81mm_mortar"):
        barred = whole([*german, unit("g3", gun, 40, 5)], allied, ACTS, free("g1", "g2", "g3"), call)
        assert done(barred, 2)["why_not"]["rule"] == "WW-62"


def test_a_radioman_leads_or_calls_ww_60_ww_62() -> None:
    german, allied = [unit("g1", "german_radioman", 20, 5)], [unit("a1", "american_rifleman", 20, 30)]
    lead: Step = {"do": {"action": "lead", "by": "g1"}}
    answer = whole(german, allied, ACTS, free("g1"), lead, {"do": {"action": "radio", "by": "g1", "at": "a1"}})
    assert (done(answer, 2)["allowed"], done(answer, 3)["allowed"]) == (True, False)


# Who has acted, and who is eliminated.


def test_who_has_fired_does_not_move_ww_10() -> None:
    """The rulebook: "Figures may either move or do fire combat, but not both": volleys and shells are fire."""
    allied = [unit("a1", "american_rifleman", 10, 18), unit("a2", "american_rifleman", 13, 18)]
    shots: dict[str, list[Step]] = {
        "german_submachine_gunner": [{"do": {"action": "volley", "by": "g1", "at": ["a1", "a2"]}, "dice": [1, 1, 1]}],
        "german_81mm_mortar": [
            {"do": {"action": "shell", "by": "g1", "at": "a1"}, "dice": [6]},
            {"do": {"action": "burst", "by": "g1"}, "dice": [1, 1]},
        ],
    }
    for card, steps in shots.items():
        moves: Step = {"move": {"g1": {"path_in": [[10, 9]]}}}
        answer = whole([unit("g1", card, 10, 10)], allied, ACTS, free("g1"), *steps, moves)
        assert done(answer, 2)["allowed"], card
        assert done(answer, len(steps) + 2)["why_not"]["rule"] == "WW-10", card


def test_the_eliminated_do_nothing_more_ww_63() -> None:
    german = [unit("g1", "german_officer", 10, 10), unit("g2", "german_rifleman", 12, 10)]
    steps: list[Step] = [
        ACTS,
        free("g1", "g2"),
        {"status": {"g1": {"eliminated": True}}},
        {"move": {"g1": {"path_in": [[10, 9]]}}},
        {"ask": "g1"},
    ]
    answer = whole(german, [unit("a1", "american_rifleman", 10, 15)], *steps)
    assert done(answer, 3)["why_not"]["rule"] == "WW-63"
    assert offered(answer, 4) == []


# Terrain.


def piece(name: str, kind: str, x_in: float, y_in: float, wide_in: float, deep_in: float, high_in: float) -> Step:
    """A rectangular terrain piece, by its lower left corner."""
    right, top = x_in + wide_in, y_in + deep_in
    outline = [[x_in, y_in], [right, y_in], [right, top], [x_in, top]]
    return {"name": name, "kind": kind, "outline_in": outline, "base_in": 0, "height_in": high_in}


def test_what_a_piece_of_terrain_is_ww_04() -> None:
    """The players say what a piece stands for, of the kinds that it may be."""
    wall = piece("wall", "low_wall", 5, 20, 20, 0.5, 1)
    german = [unit("g1", "german_rifleman", 10, 10, posture="standing")]
    allied = [unit("a1", "american_rifleman", 10, 21.2, posture="kneeling")]
    words: list[dict[str, str]] = [{}, {"wall is": "wood_wall"}, {"wall is": "hedge"}]
    for said in words:
        steps: list[Step] = [ACTS, free("g1"), {"status": {"": said}}, {"ask": "g1"}]
        shot = aimed_at(whole(german, allied, *steps, terrain=[wall]), 3, "a1")
        covers = {one["text"]: one["modifier"] for one in shot["modifiers"] if one["rule"] == "WW-54"}
        conceals = said.get("wall is") == "wood_wall"
        assert covers == ({"cover: concealment": -1} if conceals else {"cover: cover": -3}), said


def test_a_ditch_lowers_no_pose_where_agreed_ww_04_ww_33() -> None:
    trench = piece("trench", "trench", 5, 18, 20, 4, 0)
    german = [unit("g1", "german_rifleman", 10, 10, posture="standing")]
    allied = [unit("a1", "american_rifleman", 10, 20, posture="standing")]
    flat = {"ditch_lowers_pose": False}
    for said, stands in (({}, 0), ({"trench is": "ditch"}, 1)):
        steps: list[Step] = [ACTS, free("g1"), {"status": {"": said, "g1": {"target_at_opening": True}}}, {"ask": "g1"}]
        shot = aimed_at(whole(german, allied, *steps, terrain=[trench], options=flat), 3, "a1")
        assert [one["modifier"] for one in shot["modifiers"] if one["rule"] == "WW-53"] == [stands], said


def test_what_is_left_of_a_move_ww_12() -> None:
    for distance_in, left_in in ((0, 6), (2.5, 3.5), (6, 0)):
        assert asked("move", distance_in=distance_in).numbers["left_in"] == left_in


def test_the_wall_of_a_bunker_parts_enemies_ww_20() -> None:
    """The rulebook: "Figures may never enter a bunker with enemy troops inside"; no melee through its wall."""
    bunker = piece("bunker", "bunker", 18, 20, 4, 4, 2)
    german = [unit("g1", "german_rifleman", 20, 17)]
    to_the_wall: Step = {"move": {"g1": {"path_in": [[20, 19.5]]}}}
    inside = [unit("a1", "american_rifleman", 20, 20.4)]
    passed = whole(german, inside, ACTS, free("g1"), to_the_wall, terrain=[bunker])
    assert done(passed, 2)["verdict"]["numbers"]["fights"] == []
    enters: Step = {"move": {"g1": {"path_in": [[20, 22]]}}}
    at_the_wall = [unit("g1", "german_rifleman", 20, 19.5)]
    barred = whole(at_the_wall, inside, ACTS, free("g1"), enters, terrain=[bunker])
    assert done(barred, 2)["why_not"]["rule"] == "WW-20"
    friend = [*at_the_wall, unit("g2", "german_rifleman", 20.9, 22.5)]
    allowed = whole(friend, [unit("a1", "american_rifleman", 40, 40)], ACTS, free("g1"), enters, terrain=[bunker])
    assert done(allowed, 2)["allowed"]


def test_how_much_of_the_firer_shows_ww_27() -> None:
    """The rulebook: it fires from behind cover only "if at least 25% of itself is exposed", however well it sees."""
    wall = piece("wall", "wall", 5, 10.6, 20, 0.2, 1.5)
    german = [unit("g1", "german_rifleman", 10, 10, posture="standing")]
    allied = [unit("a1", "american_rifleman", 10, 30, posture="standing")]
    shot = aimed_at(whole(german, allied, ACTS, free("g1"), {"ask": "g1"}, terrain=[wall]), 2, "a1")
    assert shot["why_not"]["rule"] == "WW-27"
    house = piece("house", "building", 5, 8, 10, 4, 4)
    asks = aimed_at(whole(german, allied, ACTS, free("g1"), {"ask": "g1"}, terrain=[house]), 2, "a1")["asks"]
    assert "shooter_at_opening" in str(asks)
