"""Simple Plastic Figure, clause by clause: leaders, observers, radiomen and reserves in play."""

from __future__ import annotations

from typing import Any

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


# Leaders.


def test_whom_a_leader_leads_ww_56() -> None:
    """ "Any figure with in 6 inches of the leader": of his own side, not the enemy who moves after him."""
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
    """ "Direct fire to another figure within 6 inches of him"."""
    german = [unit("g1", "observer", 20, 20), unit("g2", "german_rifleman", 23, 20)]
    answer = whole(german, [unit("a1", "american_rifleman", 20, 23)], ACTS, free("g1", "g2"), {"ask": "g1"})
    directed = {at for action, at in offered(answer, 2) if action == "direct_fire_binoculars"}
    assert directed == {"g2"}


def test_the_range_of_the_weapon_counts_not_the_observers_ww_57() -> None:
    """ "Binoculars can be used to 'direct fire' to any target within range of the weapon"."""
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
    """ "They must be on the board so that they can be fired on"."""
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
