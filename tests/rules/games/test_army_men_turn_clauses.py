"""Army Men, clause by clause: set-up, turn and movement."""

from __future__ import annotations

from typing import Any

import pytest

from rules.engine.roster import Army, Recruit
from rules.engine.verdict import RuleRefusal
from rules.games.army_men.roster import check
from tests.rules.games.army_men_clauses import (
    FEET,
    GAME,
    TABLES,
    asked,
    played,
    whole,
)
from tests.rules.games.clauses import code, unit

# Set-up.


def test_players_and_agreements_am_02_am_04() -> None:
    agreed = dict.fromkeys(("playing_area", "victory_conditions", "forces", "starting_positions"), True)
    for players, enough in ((["A"], False), (["A", "A"], False), (["A", "B"], True), (["A", "B", "C"], True)):
        found = asked("set_up", players=players, **agreed).numbers
        assert (found["ready"], found["enough_players"]) == (enough, enough), players
    for missing in agreed:
        found = asked("set_up", players=["A", "B"], **{**agreed, missing: False}).numbers
        assert (found["ready"], found["missing"]) == (False, [missing])


def test_ranges_in_feet_of_twelve_inches_am_03_am_38() -> None:
    for weapon, (least, most) in FEET.items():
        for distance_in, inside in ((12 * most, True), (12 * most + 0.1, False), (12 * least, True)):
            in_range = asked("range_check", weapon=weapon, distance_in=distance_in).numbers["in_range"]
            assert in_range == inside, (weapon, distance_in)
            shot = asked("aim", weapon=weapon, distance_in=distance_in)
            assert (code(shot) == "out_of_range") != inside, (weapon, distance_in)
        if least:
            assert code(asked("aim", weapon=weapon, distance_in=12 * least - 0.1)) == "out_of_range"
    assert asked("aim", weapon="laser", distance_in=500).allowed
    beside = {"distance_in": 12.5, "edge_in": 0.2}  # from the centres of long bases
    assert asked("aim", weapon="knife", **beside).allowed
    assert code(asked("aim", weapon="pistol", **beside)) == "out_of_range"


def test_armies_are_drawn_once_before_the_first_turn_am_05() -> None:
    with pytest.raises(RuleRefusal):
        asked("draw_armies", players=["A", "B"], colours=["green", "tan", "grey"])
    with pytest.raises(RuleRefusal):
        asked("draw_armies", players=["A", "B", "C"], colours=["green", "tan"])
    army = [unit("green-1", "rifleman", 5, 5)]
    before, now = played(army, [], {"ask": ""}, {"phase": "movement", "side": "green", "turn": 1}, {"ask": ""})
    assert "draw_armies" in {one["action"] for one in before["actions"]}
    assert "draw_armies" not in {one["action"] for one in now["actions"]}


def test_the_order_of_moving_is_rolled_once_or_every_turn_am_06() -> None:
    for choice in (False, True):
        found = asked("move_order", [2, 5], {"order_every_turn": choice}, players=["A", "B"])
        assert (found.numbers["every_turn"], found.numbers["order"]) == (choice, ["B", "A"])


def test_advice_on_forces_am_07_am_08() -> None:
    cases: list[tuple[int, int | None, bool, bool]] = [
        (29, None, False, True),
        (30, None, True, True),
        (40, None, True, True),
        (41, None, False, True),
    ]
    cases += [(30, 15, True, True), (30, 16, True, False), (32, 16, True, True), (50, 20, False, True)]
    for men, defenders, typical, strong in cases:
        found = asked("force_advice", men=men, **({} if defenders is None else {"defenders": defenders}))
        assert (found.numbers["typical"], found.numbers["strong_enough"]) == (typical, strong), men
        assert found.outcome == ("as advised" if typical and strong else "unusual"), men


def test_vehicles_come_on_top_of_the_men_am_07() -> None:
    men = [Recruit(figure=f"green-{n}", card="rifleman") for n in range(40)]
    assert check(
        GAME, Army(name="Green", game="army_men", recruits=(*men, Recruit(figure="green-50", card="tank")))
    ).numbers["typical"]


def test_who_is_left_to_be_destroyed_am_09() -> None:
    # "Destroy all enemies": who is wounded is out of the fight, who was hit in this phase still fires in it (AM-15).
    army = [unit("green-1", "rifleman", 5, 5)], [unit("tan-1", "rifleman", 15, 5)]
    assert asked("victory", goal="destroy_all", done=True).numbers["victory"]
    for status, won in (({"wounded": True}, True), ({"down": True, "down_in_phase": 3}, False)):
        phase = {"phase": "small_arms", "turn": 1}
        winner = whole(*army, phase, {"status": {"tan-1": status}})["state"]["winner"]
        assert winner == ("green" if won else None), status


def test_a_card_of_ones_own_is_a_man_unless_it_says_otherwise_am_10() -> None:
    card = {"title": "Robot", "weapons": ["laser"]}
    phase = {"phase": "movement", "side": "green", "turn": 1}
    *_, step = played([unit("green-1", card, 5, 5)], [], phase, {"move": {"green-1": {"path_in": [[5, 5], [5, 15]]}}})
    assert step["allowance_in"] == 12


# The turn.


def test_a_jam_is_cleared_in_the_weapons_own_phase_am_12_am_76() -> None:
    for phase, dice, why in (("automatic_weapons", [3, 4], ""), ("small_arms", [], "wrong_phase")):
        assert code(asked("clear_jam", dice, turns_since_jam=1, weapon="lmg", phase=phase)) == why
    assert code(asked("clear_jam", turns_since_jam=0)) == "jammed_this_turn"
    assert code(asked("clear_jam", turns_since_jam=1, attacks_made_this_turn=1)) == "already_attacked"
    for faces, fixed in (([3, 4], True), ([4, 4], False), ([1, 1], True)):
        for choice in (False, True):
            found = asked("clear_jam", faces, {"fires_after_clearing": choice}, turns_since_jam=1).numbers
            assert (found["fixed"], found["may_fire_this_turn"]) == (fixed, fixed and choice)


def test_how_many_stay_wounded_am_17() -> None:
    for casualties, wanted, before, most in (
        (1, 1, 0, 1),
        (1, 2, 0, 1),
        (5, 2, 0, 2),
        (5, 3, 0, 2),
        (5, 1, 1, 1),
        (5, 2, 1, 1),
    ):
        given = {"casualties": casualties, "wanted": wanted, "kept_before": before}
        for chooser in ("owner", "enemy"):
            found = asked("casualties", None, {"wounded_limit": 2, "wounded_chosen_by": chooser}, **given)
            assert found.allowed == (wanted <= most), given
            assert (found.numbers["most"], found.numbers["chosen_by"]) == (most, chooser), given
    assert code(asked("casualties", casualties=3, wanted=1)) == "too_many_wounded"


def test_only_soldiers_stay_wounded_am_17() -> None:
    army = [unit("green-1", "truck", 5, 5), unit("green-2", "rifleman", 15, 5)], [unit("tan-1", "rifleman", 40, 5)]
    hit = {"down": True, "down_in_phase": 4}
    steps: list[dict[str, Any]] = [{"phase": "heavy_weapons", "turn": 1}, {"status": {"green-1": hit, "green-2": hit}}]
    remove = {"do": {"action": "casualties", "answers": {"wanted": 1}}}
    last = played(*army, *steps, remove, options={"wounded_limit": 1})[-1]
    changed = {one["figure"]: one["status"] for one in last["effects"] if one["figure"]}
    assert changed["green-2"].get("wounded") is True
    assert changed["green-1"].get("eliminated") is True
    titles = [one["by"] for one in played(*army, *steps, {"ask": ""})[-1]["actions"] if one["action"] == "casualties"]
    assert len(titles) == 1, "no choice of who stays wounded is owed if no one does"


def test_a_wreck_am_18_am_104() -> None:
    for vehicle in ("tank", "jeep", "truck", "half_track", "train"):
        found = asked("vehicle_destroyed", vehicle=vehicle).numbers
        assert (found["stays_on_table"], found["upside_down"]) == (True, True)
        assert found["acts_as"] == ["cover", "obstacle"]


# Movement.


def test_the_rule_of_an_allowance_am_19_am_20_am_23_am_29() -> None:
    for name, kind in TABLES.kinds.items():
        if not kind.flies and name not in ("pillbox", "cannon", "light_cannon", "howitzer"):
            rule = "AM-20" if kind.vehicle else "AM-19"
            assert asked("move_allowance", unit=name).reasons[0].rule == rule, name
            road = asked("move_allowance", unit=name, on_road=True)
            assert (road.reasons[0].rule == "AM-23") == (name in ("jeep", "truck", "train")), name
            swims = asked("move_allowance", unit=name, swimming=True)
            assert (swims.numbers["distance_in"] == 6) == (name == "infantry"), name


def test_several_halvings_am_21_am_22_am_24() -> None:
    slow = {"uphill": True, "rough": True, "turns": True}
    assert asked("move_allowance", unit="tank", **slow).numbers["distance_in"] == 3
    assert asked("move_allowance", None, {"halvings": "once"}, unit="tank", **slow).numbers["distance_in"] == 12


def test_still_uphill_past_a_change_of_ground_on_the_hill_am_21() -> None:
    terrain = [
        {"name": "hill", "kind": "hill", "outline_in": [[4, 0], [14, 0], [14, 10], [4, 10]], "height_in": 2},
        {"name": "scrub", "kind": "rough", "outline_in": [[6, 0], [8, 0], [8, 10], [6, 10]], "height_in": 0},
    ]
    phase = {"phase": "movement", "side": "green", "turn": 1}
    path = {"move": {"green-1": {"path_in": [[2, 5], [8, 5]]}}}
    *_, step = played([unit("green-1", "rifleman", 2, 5)], [], phase, path, terrain=terrain)
    assert step["cost_in"] == pytest.approx(2 + 2 * 4)


def test_who_carries_a_heavy_weapon_goes_half_as_far_am_50_am_51_am_53_am_54_am_55_am_56() -> None:
    half = {"lmg", "hmg", "light_mortar", "heavy_mortar", "flame_thrower", "bazooka"}
    for weapon in TABLES.weapons:
        on_foot = asked("move_allowance", unit="infantry", weapon=weapon).numbers["distance_in"]
        assert on_foot == (6 if weapon in half else 12), weapon
        assert asked("move_allowance", unit="infantry", weapon=weapon, mounted=True).numbers["distance_in"] == 12
        assert asked("move_allowance", unit="tank", weapon=weapon).numbers["distance_in"] == 24


def test_a_turret_points_where_it_was_turned_am_25() -> None:
    away = {"turret_points_at_target": False, "distance_in": 20}
    assert {weapon for weapon in FEET if code(asked("aim", weapon=weapon, **away)) == "turret_elsewhere"} == {
        "tank_gun"
    }
    turned = asked("move_allowance", unit="tank", turret_turns=True)
    assert turned.numbers["distance_in"] == 24
    assert "AM-25" in {one.rule for one in turned.reasons}
    for given, why in (({"phase": "small_arms"}, "wrong_phase"), ({"waits": True}, "not_his_move"), ({}, "")):
        assert code(asked("turn_turret", **given)) == why
    assert code(asked("turn_turret", casualty=True)) == "casualty"


def test_whom_a_tank_runs_over_am_26() -> None:
    for tank in TABLES.kinds:
        for target in TABLES.kinds:
            found = asked("overrun", unit=tank, target=target)
            assert found.numbers["eliminated"] == (tank == "tank" and target == "infantry"), (tank, target)
    assert not asked("overrun", unit="tank", target="infantry", passes_over_base=False).numbers["eliminated"]
    for faces, hit in (([3, 4], True), ([4, 4], False)):
        assert asked("overrun", faces, {"overrun": "attack_of_7"}).numbers["eliminated"] == hit


@pytest.mark.parametrize(("action", "rule"), [("climb", "AM-27"), ("swim", "AM-30"), ("paratrooper", "AM-33")])
def test_one_try_a_turn_in_ones_own_move_am_27_am_30_am_33_am_62(action: str, rule: str) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"phase": "small_arms"}, "wrong_phase"),
        ({"waits": True}, "not_his_move"),
    ]
    cases += [({"tried_this_turn": True}, "already_tried")]
    if action == "climb":
        cases += [({"glued": True}, "glued"), ({"edge_in": 0.3}, "not_adjacent")]
    if action == "paratrooper":
        cases += [({"busy_this_turn": True}, "busy_this_turn")]
    for given, why in cases:
        assert code(asked(action, **given)) == why
    assert asked(action, tried_this_turn=True).reasons[0].rule == rule
    assert asked(action, [2, 1], edge_in=0.25, phase="movement").allowed


def test_nothing_else_in_the_turn_of_a_drop_am_33_am_28() -> None:
    shot = {"weapon": "rifle", "distance_in": 10}
    assert code(asked("aim", **shot, dropped_this_turn=True)) == "dropped_this_turn"
    assert code(asked("aim", **shot, in_the_air=True)) == "in_the_air"
    assert code(asked("aim", **shot, climbing=True)) == "climbing"
    assert code(asked("move_allowance", unit="infantry", dropped_this_turn=True)) == "dropped_this_turn"
    assert code(asked("move", unit="infantry", path=[{"inches": 1}], in_the_air=True)) == "in_the_air"
    assert code(asked("move_allowance", unit="tank", immobilized=True)) == "immobilized"


# Opportunity fire.


def test_who_may_fire_at_a_passing_target_am_34_am_37() -> None:
    always, can = {"light_mortar", "heavy_mortar"}, {"howitzer"}
    for weapon in FEET:
        for crossed in (False, True):
            for end in (False, True):
                seen = {"target_crossed_los": crossed, "target_in_los_at_end": end}
                direct = weapon not in always and (weapon not in can or end)
                found = asked("opportunity_fire", weapon=weapon, **seen)
                assert found.allowed == ((crossed or end) and direct), (weapon, seen)
    seen = {"target_crossed_los": True}
    assert code(asked("opportunity_fire", weapon="rifle", attacks_made_this_turn=1, **seen)) == "already_attacked"
    for choice, phase in (("weapon_phase", 3), ("movement_phase", 1)):
        found = asked("opportunity_fire", None, {"opportunity_fire_in": choice}, weapon="rifle", **seen)
        assert found.numbers["phase"] == phase


def test_who_may_return_fire_am_35_am_44() -> None:
    assert code(asked("return_fire")) == "not_attacked"
    for weapon in FEET:
        assert asked("return_fire", attacked_by_opportunity_fire=True, attackers_weapon=weapon).allowed
        silent = {"silent_knife": "no_return_fire"}
        found = asked("return_fire", None, silent, attacked_by_opportunity_fire=True, attackers_weapon=weapon)
        assert code(found) == ("silent" if weapon == "knife" else "")
    returns = {"weapon": "bazooka", "distance_in": 10, "phase": "automatic_weapons", "returns": True}
    assert asked("aim", **returns).allowed
    assert asked("aim", **returns, destroyed_in_phase=2).allowed
    assert code(asked("aim", **returns, attacks_made_this_turn=1)) == "already_attacked"
