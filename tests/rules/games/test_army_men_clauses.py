"""Army Men: every clause of a rule by itself: each number at its limit, each exception, each agreement."""

from __future__ import annotations

from typing import Any

import pytest

from rules.battle.scripted import play_situation
from rules.battle.situation import situation_of
from rules.engine.dice import Scripted, no_dice
from rules.engine.game import Game
from rules.engine.roster import Army, Recruit
from rules.engine.verdict import RuleRefusal, Verdict
from rules.games import open_game
from rules.games.army_men.roster import check
from rules.games.army_men.tables import Tables

GAME: Game[Tables] = open_game("army_men")
TABLES = GAME.rules.tables
FEET = {
    "knife": (0, 0),
    "pistol": (0, 1),
    "rifle": (0, 2),
    "sniper_rifle": (0, 3),
    "submachine_gun": (0, 1),
    "assault_rifle": (0, 2),
    "lmg": (0, 2),
    "hmg": (0, 3),
    "grenade": (0, 1),
    "light_mortar": (2, 4),
    "heavy_mortar": (2, 5),
    "flame_thrower": (0, 1),
    "bazooka": (0, 2),
    "tank_gun": (0, 4),
    "light_cannon": (0, 3),
    "howitzer": (0, 6),
    "missile": (0, 9),
    "glue_cannon": (0, 3),
}


def asked(action: str, dice: Any = None, options: Any = None, **given: Any) -> Verdict:
    """The answer to a question."""
    return GAME.choosing(**(options or {})).ask(action, given, Scripted(dice or []))


def code(found: Verdict) -> str:
    """The short name of why something is forbidden; empty if it is allowed."""
    return "" if found.allowed else str(found.numbers["reason"])


def modifiers(found: Verdict) -> dict[str, float]:
    """The modifiers of an attack value, by rule."""
    return {one.rule: one.modifier for one in found.reasons[1:] if one.modifier is not None}


def played(
    green: list[dict[str, Any]], tan: list[dict[str, Any]], *steps: dict[str, Any], **more: Any
) -> list[dict[str, Any]]:
    """The answers to the steps of a situation on an open table."""
    answers: list[dict[str, Any]] = whole(green, tan, *steps, **more)["steps"]
    return answers


def whole(
    green: list[dict[str, Any]], tan: list[dict[str, Any]], *steps: dict[str, Any], **more: Any
) -> dict[str, Any]:
    """The whole answer to a situation."""
    sides = {"green": green, "tan": tan}
    document = {"schema": 1, "game": "army_men", "table_in": [96, 72], "sides": sides, "steps": list(steps), **more}
    return play_situation(situation_of(document))


def unit(name: str, card: Any, x_in: float, y_in: float, **more: Any) -> dict[str, Any]:
    """A figure of a situation."""
    return {"id": name, "card": card, "at_in": [x_in, y_in], "facing_deg": 0, **more}


def attack_on(step: dict[str, Any], target: str, weapon: str) -> dict[str, Any]:
    """An attack among the actions that a step lists."""
    found = (one for one in step["actions"] if one["at"] in (target, [target]) and one["weapon"] == weapon)
    return next(one for one in found if one["action"] in ("attack", "blast"))


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
    assert len(titles) == 1, "nobody is to be chosen where nobody stays wounded"


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


# Attacks.


def test_any_weapon_shown_am_36() -> None:
    for weapon in ("rifle", "grenade", "knife"):
        found = asked("aim", weapon=weapon, distance_in=0, shown_weapons=["rifle", "grenade"])
        assert code(found) == ("weapon_not_shown" if weapon == "knife" else "")


def test_one_attack_a_turn_am_37_am_81() -> None:
    shot = {"weapon": "rifle", "distance_in": 10}
    assert asked("aim", **shot).allowed
    assert code(asked("aim", **shot, attacks_made_this_turn=1)) == "already_attacked"
    for kind in TABLES.kinds:
        for weapon, fired in (("lmg", "tank_gun"), ("tank_gun", "lmg"), ("lmg", "lmg"), ("tank_gun", "tank_gun")):
            of = {"attacker": kind, "mounted": True, "attacks_made_this_turn": 1, "fired_this_turn": [fired]}
            again = asked("aim", weapon=weapon, distance_in=10, **of)
            extra = kind in ("tank", "plane") and weapon != fired
            assert code(again) == ("" if extra else "already_attacked"), (kind, weapon, fired)
            without = asked("aim", None, {"extra_lmg": False}, weapon=weapon, distance_in=10, **of)
            assert code(without) == "already_attacked"
        lmg = asked("extra_attack", unit=kind)
        assert lmg.allowed == (kind in ("tank", "plane")), kind
        assert asked("extra_attack", unit=kind, weapon="hmg").reasons[0].rule == "AM-37"
        assert not asked("extra_attack", None, {"extra_lmg": False}, unit=kind).allowed
    on_foot = {"attacker": "tank", "attacks_made_this_turn": 1, "fired_this_turn": ["tank_gun"]}
    assert code(asked("aim", weapon="lmg", distance_in=10, **on_foot)) == "already_attacked"
    twice = {"attacker": "tank", "mounted": True, "attacks_made_this_turn": 2, "fired_this_turn": ["tank_gun"]}
    assert code(asked("aim", weapon="lmg", distance_in=10, **twice)) == "already_attacked"
    cleared = {"attacker": "tank", "mounted": True, "cleared_this_turn": True, "attacks_made_this_turn": 1}
    assert code(asked("aim", weapon="lmg", distance_in=10, **cleared)) == "already_attacked"
    assert asked("aim", weapon="tank_gun", distance_in=10, **cleared).allowed
    numbers = asked("extra_attack", unit="tank").numbers
    assert (numbers["phase"], numbers["stationary"], numbers["half_move"]) == (2, False, False)


def test_a_weapon_that_does_not_fire_am_17_am_62_am_70_am_75_am_77_am_95_am_96_am_112() -> None:
    shot = {"weapon": "rifle", "distance_in": 10}
    bars = ("wounded", "shut_in", "jammed", "out_of_ammo", "stunned")
    assert [code(asked("aim", **shot, **{bar: True})) for bar in bars] == list(bars)
    assert code(asked("aim", weapon="land_mine", distance_in=0)) == "not_fired"
    for bar, option in (("glued", "glued_may_attack"), ("immobilized", "immobilized_may_attack")):
        assert asked("aim", **shot, **{bar: True}).allowed
        assert code(asked("aim", None, {option: False}, **shot, **{bar: True})) == bar


def test_the_value_needed_stays_between_two_and_eleven_am_39_am_73_am_74() -> None:
    low = asked("aim", weapon="knife", distance_in=0, behind_cover=True, from_lower=True, flying=True)
    assert (low.numbers["attack_value"], low.numbers["at_most"]) == (-2, 2)
    high = asked("aim", weapon="sniper_rifle", distance_in=0, adjacent=True, from_behind=True, hero=True)
    assert (high.numbers["attack_value"], high.numbers["at_most"]) == (14, 11)


def test_a_hit_at_the_value_or_less_am_39_am_40_am_73_am_74() -> None:
    for faces, hit in (([3, 4], True), ([4, 4], False), ([1, 1], True), ([6, 6], False), ([1, 2], True)):
        found = asked("attack", faces, weapon="rifle", distance_in=10).numbers
        assert (found["hit"], found["target_eliminated"]) == (hit, hit), faces
    sure = {"weapon": "sniper_rifle", "distance_in": 0, "adjacent": True, "from_behind": True}
    assert [asked("attack", faces, **sure).numbers["hit"] for faces in ([5, 6], [6, 6])] == [True, False]
    lost = {"weapon": "knife", "distance_in": 0, "behind_cover": True, "from_lower": True, "flying": True}
    assert [asked("attack", faces, **lost).numbers["hit"] for faces in ([1, 1], [1, 2])] == [True, False]


def test_bursts_on_as_many_targets_as_the_rate_of_fire_am_42_am_48_am_49_am_50_am_51() -> None:
    for weapon, rof in (("submachine_gun", 3), ("assault_rifle", 5), ("lmg", 7), ("hmg", 10), ("rifle", 1)):
        for more in (0, 1):
            bearings = [float(n) for n in range(rof + more)]
            assert code(asked("burst", weapon=weapon, bearings_deg=bearings)) == ("rof_exceeded" if more else "")
            names = [f"tan-{n}" for n in range(rof + more)]
            aimed = asked("burst_aim", weapon=weapon, distance_in=10, targets=names)
            assert code(aimed) == ("rof_exceeded" if more else "")
    assert code(asked("burst", weapon="lmg", bearings_deg=[0.0], separate_targets=False)) == "same_target_twice"
    assert code(asked("burst_aim", weapon="lmg", distance_in=9, targets=["a", "a"])) == "same_target_twice"


def test_the_arc_of_a_burst_am_43() -> None:
    for bearings, wide in (
        ([0, 60], False),
        ([0, 60.1], True),
        ([350, 50], False),
        ([330, 40], True),
        ([0, 30, 60], False),
    ):
        found = asked("burst", weapon="lmg", bearings_deg=bearings)
        assert code(found) == ("arc_exceeded" if wide else ""), bearings
        names = [f"tan-{n}" for n in range(len(bearings))]
        aimed = asked("burst_aim", weapon="lmg", distance_in=9, targets=names, bearings_deg=bearings)
        assert code(aimed) == ("arc_exceeded" if wide else ""), bearings


def test_a_crew_too_small_am_63() -> None:
    needs = {"hmg": 2, "heavy_mortar": 2, "bazooka": 2, "tank_gun": 3, "light_cannon": 3, "howitzer": 3}
    for weapon, (least, _) in FEET.items():
        for crew in (1, 2, 3):
            shot = {"weapon": weapon, "distance_in": 12 * least, "crew": crew}
            short = crew < needs.get(weapon, 1)
            assert code(asked("aim", **shot)) == ("short_crew" if short else ""), (weapon, crew)
            assert asked("aim", None, {"short_crew": "attacks"}, **shot).allowed


@pytest.mark.parametrize(
    ("others", "allowed"),
    [
        ([("rifleman", 1.2), ("rifleman", 1.2), ("rifleman", 1.2)], True),
        ([("rifleman", 1.2), ("rifleman", 1.2), ("rifleman", 1.5)], False),  # half an inch off is not at the gun
        ([("rifleman", 1.2), ("rifleman", 1.2), ("jeep", 1.2)], False),  # a crew is men
        ([("rifleman", 1.2), ("rifleman", 1.2)], False),
    ],
)
def test_the_men_beside_a_gun_are_its_crew_am_58_am_63(others: list[tuple[str, float]], allowed: bool) -> None:
    places = ((0.0, 1.0), (0.0, -1.0), (-1.0, 0.0))
    crew = [
        unit(f"green-{n}", card, 20 + x * far, 20 + y * far, squad="gun")
        for n, ((card, far), (x, y)) in enumerate(zip(others, places, strict=False), 2)
    ]
    green = [unit("green-1", "light_cannon", 20, 20, squad="gun"), *crew]
    tan = [unit("tan-1", "rifleman", 40, 20)]
    *_, step = played(green, tan, {"phase": "heavy_weapons", "turn": 1}, {"ask": "green-1"})
    found = attack_on(step, "tan-1", "light_cannon")
    assert found["allowed"] == allowed
    if not allowed:
        assert found["why_not"]["rule"] == "AM-63"


def test_a_team_on_one_base_and_a_tank_need_no_men_beside_them_am_51_am_57_am_63() -> None:
    for card, weapon, phase in (
        ("tank", "tank_gun", "heavy_weapons"),
        ("heavy_machine_gun_team", "hmg", "automatic_weapons"),
    ):
        green = [unit("green-1", card, 20, 20, squad="a"), unit("green-2", "rifleman", 20, 30, squad="a")]
        *_, step = played(green, [unit("tan-1", "rifleman", 40, 20)], {"phase": phase, "turn": 1}, {"ask": "green-1"})
        assert attack_on(step, "tan-1", weapon)["allowed"], card


# Leaders, binoculars, radios.


def test_how_far_a_leader_leads_am_64() -> None:
    for area, far_in in (("radius", 12), ("diameter", 6)):
        for distance_in, led in ((far_in, 1), (far_in + 0.1, 0)):
            given = {"weapon": "rifle", "distance_in": 10, "leader_distance_in": distance_in}
            assert modifiers(asked("aim", None, {"leader_area": area}, **given)).get("AM-64", 0) == led
            assert asked("leader_bonus", None, {"leader_area": area}, **given).numbers["modifier"] == led
    for himself, led in ((True, 1), (False, 0)):
        given = {"weapon": "rifle", "distance_in": 10, "leader": True}
        assert modifiers(asked("aim", None, {"leader_leads_himself": himself}, **given)).get("AM-64", 0) == led


@pytest.mark.parametrize(
    ("cards", "tan_card", "modifier"),
    [
        ([("officer", 60, 20), ("officer", 24, 20)], "rifleman", True),
        ([("officer", 24, 20), ("officer", 60, 20)], "rifleman", True),
        ([("officer", 60, 20)], "rifleman", False),
        ([("hero", 24, 20)], "rifleman", False),
        ([], "officer", False),
    ],
)
def test_the_nearest_leader_of_ones_own_side_am_64_am_114(
    cards: list[tuple[str, float, float]], tan_card: str, modifier: bool
) -> None:
    leaders = [unit(f"green-{n}", *where) for n, where in enumerate(cards, 2)]
    green = [unit("green-1", "rifleman", 20, 20), *leaders]
    phase = {"phase": "small_arms", "turn": 1}
    *_, step = played(green, [unit("tan-1", tan_card, 28, 20)], phase, {"ask": "green-1"})
    assert ("AM-64" in {one["rule"] for one in attack_on(step, "tan-1", "rifle")["modifiers"]}) == modifier


def test_an_officer_leads_himself_am_64() -> None:
    phase = {"phase": "small_arms", "turn": 1}
    army = [unit("green-1", "officer", 20, 20)], [unit("tan-1", "rifleman", 28, 20)]
    for choice in (True, False):
        *_, step = played(*army, phase, {"ask": "green-1"}, options={"leader_leads_himself": choice})
        found = attack_on(step, "tan-1", "pistol")["modifiers"]
        assert ("AM-64" in {one["rule"] for one in found}) == choice


@pytest.mark.parametrize(
    ("card", "others", "asks"),
    [
        ("radio_man", [("officer", 60)], True),  # he carries the radio himself
        ("officer", [("radio_man", 60)], False),  # the bonus reaches him without one
        ("spotter", [("officer", 60)], False),  # nobody has a radio
        ("spotter", [("officer", 60), ("radio_man", 50)], True),
        ("spotter", [("officer", 25), ("radio_man", 50)], False),
        ("spotter", [("radio_man", 50)], False),  # nobody leads
    ],
)
def test_when_a_radio_may_pass_on_the_leaders_bonus_am_66(
    card: str, others: list[tuple[str, float]], asks: bool
) -> None:
    mates = [unit(f"green-{n}", mate, x_in, 20) for n, (mate, x_in) in enumerate(others, 2)]
    phase = {"phase": "small_arms", "turn": 1}
    green, tan = [unit("green-1", card, 20, 20), *mates], [unit("tan-1", "rifleman", 28, 20)]
    *_, step = played(green, tan, phase, {"ask": "green-1"})
    keys = {one["key"] for one in attack_on(step, "tan-1", "pistol")["asks"]}
    assert ("leader_by_radio" in keys) == asks


def test_binoculars_beyond_three_feet_am_65_am_87() -> None:
    for distance_in, beyond in ((36, False), (36.1, True)):
        given = {"weapon": "tank_gun", "distance_in": distance_in, "binoculars": True}
        found = modifiers(asked("aim", **given))
        assert (found.get("AM-65"), found.get("AM-87")) == ((1, -1) if beyond else (None, None))
    far = {"weapon": "tank_gun", "distance_in": 40, "spotter_binoculars": True}
    assert modifiers(asked("aim", **far)).get("AM-65") is None
    assert modifiers(asked("aim", None, {"binoculars_held_by": "spotter_too"}, **far)).get("AM-65") == 1


def test_a_spotter_must_see_the_target_am_65() -> None:
    wall = {"name": "wall", "kind": "wall", "outline_in": [[44, 24], [52, 24], [52, 24.5], [44, 24.5]], "height_in": 6}
    green = [unit("green-1", "howitzer", 5, 20), unit("green-2", "spotter", 48, 30)]
    phase = {"phase": "heavy_weapons", "turn": 1}
    for terrain, helped in (([], True), ([wall], False)):
        steps = phase, {"status": {"green-1": {"crew": 3}}}, {"ask": "green-1"}
        tan, options = [unit("tan-1", "rifleman", 48, 20)], {"binoculars_held_by": "spotter_too"}
        *_, step = played(green, tan, *steps, terrain=terrain, options=options)
        found = attack_on(step, "tan-1", "howitzer")["modifiers"]
        assert ("AM-65" in {one["rule"] for one in found}) == helped


def test_fire_at_what_one_does_not_see_am_66() -> None:
    over = {"light_mortar", "heavy_mortar", "howitzer"}
    for weapon, (least, _) in FEET.items():
        for radio in (False, True):
            hidden = {"weapon": weapon, "distance_in": 12 * least, "los": False, "radio": radio}
            assert code(asked("aim", **hidden)) == ("" if weapon in over and radio else "no_line_of_sight"), weapon
            free = asked("aim", None, {"indirect_fire_needs": "nothing"}, **hidden)
            assert code(free) == ("" if weapon in over else "no_line_of_sight"), weapon
        assert asked("aim", weapon=weapon, distance_in=12 * least).allowed


# Specialists.


def test_an_engineer_beside_the_obstacle_and_stationary_am_67_am_71_am_72_am_37_am_06() -> None:
    for obstacle in ("barbed_wire", "tank_obstacle"):
        given = {"obstacle": obstacle, "by": "engineer"}
        cases: list[tuple[dict[str, Any], str]] = [
            ({"distance_in": 0.25}, ""),
            ({"distance_in": 0.3}, "not_adjacent"),
            ({"waits": True}, "not_his_move"),
        ]
        cases += [({"moved_this_turn": True}, "moved_this_turn"), ({"attacks_made_this_turn": 1}, "already_attacked")]
        for more, why in cases:
            assert code(asked("destroy_obstacle", **given, **more)) == why, more
        for distance_in, why in ((3, ""), (3.1, "not_adjacent")):
            found = asked("destroy_obstacle", None, {"clearing_within_in": 3}, **given, distance_in=distance_in)
            assert code(found) == why
    for weapon in ("tank_gun", "light_cannon", "howitzer"):
        assert code(asked("destroy_obstacle", obstacle="tank_obstacle", by=weapon)) == "cannot_destroy"
        assert asked("destroy_obstacle", obstacle="barbed_wire", by=weapon, distance_in=10).allowed
        empty = {"obstacle": "barbed_wire", "by": weapon, "distance_in": 10}
        assert code(asked("destroy_obstacle", **empty, jammed_or_empty=True)) == "out_of_ammo"
        assert code(asked("destroy_obstacle", **empty, attacks_made_this_turn=1)) == "already_attacked"


def test_a_medics_roll_am_68() -> None:
    for faces in ([1, 1], [3, 3], [3, 4], [4, 4], [6, 6]):
        roll = sum(faces)
        assert asked("medic", faces).numbers["healed"] == (roll <= 7)
        assert asked("medic", faces, {"medic_roll": "exactly_seven"}).numbers["healed"] == (roll == 7)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"adjacent": False}, "not_adjacent"),
        ({"edge_in": 0.3}, "not_adjacent"),
        ({"waits": True}, "not_his_move"),
    ]
    cases += [({"wounded": False}, "not_wounded"), ({"treated_this_turn": True}, "already_treated")]
    for given, why in cases:
        assert code(asked("medic", **given)) == why
    assert asked("medic", [3, 4], edge_in=0.25).allowed


def test_what_a_mine_detector_clears_am_69() -> None:
    for distance_in, long_in, cleared_in in ((3, 5, 3), (3.1, 5, 0), (0, 2, 2), (0, 3, 3)):
        given = {"mine_distance_in": distance_in, "path_in": long_in}
        found = asked("mine_detector", **given).numbers
        assert (found["found"], found["cleared_in"], found["width_in"]) == (distance_in <= 3, cleared_in, None)
        wide = asked("mine_detector", None, {"mine_path": "width"}, **given).numbers
        assert (wide["cleared_in"], wide["width_in"]) == (long_in if cleared_in else 0, 3)
    assert code(asked("mine_detector", swept_this_turn=True)) == "already_swept"
    assert code(asked("mine_detector", waits=True)) == "not_his_move"


@pytest.mark.parametrize("kind", list(TABLES.kinds))
def test_mines_under_every_kind_am_70_am_73_am_102(kind: str) -> None:
    """ "One attack of 7 on all men, vehicles"; a die at -1 decides about armour, unless the roll is a natural 2."""
    flies, armour = kind in ("plane", "helicopter"), kind in ("tank", "half_track")
    for faces, hit in (([3, 4], True), ([4, 4], False), ([1, 1], True)):
        found = asked("minefield", [*faces, 6], unit=kind).numbers
        assert found["hit"] == (hit and not flies), faces
        if armour and hit:
            natural = faces == [1, 1]
            assert found["second_die"] != natural
            # A 6 at -1 is a 5; a half-track has +1.
            assert found["hard_result"] == "destroyed"
        elif kind != "pillbox":  # which stands still
            assert found["eliminated"] == (hit and not flies), faces
    if armour:
        results = [asked("minefield", [3, 4, face], unit=kind).numbers["hard_result"] for face in range(1, 7)]
        shift = 0 if kind == "tank" else 1
        wanted = ["no_effect"] * 3 + ["immobilized"] * 2 + ["destroyed"]
        assert results == [*wanted[shift:], *["destroyed"] * shift]
    again = {"unit": kind, "attacked_by_mines_this_turn": True}
    assert not asked("minefield", **again).numbers["roll_needed"]
    if not flies:
        assert "roll" in asked("minefield", [4, 4], {"minefield_attacks": "every_entry"}, **again).numbers
    heavy = asked("minefield", [3, 4, 6], unit="tank", heavy=True).numbers
    assert heavy["hard_result"] == "immobilized"


# Rolls of 2 and 12, areas, armour.


@pytest.mark.parametrize("weapon", list(FEET))
def test_a_twelve_with_every_weapon_am_74_am_75_am_77(weapon: str) -> None:
    """ "Automatic weapons jam on a roll of 12. All tanks, heavy guns, and flame-throwers are out of ammo on a 12." """
    given = {"weapon": weapon, "distance_in": 12 * FEET[weapon][0], "adjacent": True, "from_behind": True}
    for faces in ([6, 6], [5, 6]):
        found = asked("attack", faces, **given).numbers
        twelve = faces == [6, 6]
        assert found["jammed"] == (twelve and weapon in ("submachine_gun", "assault_rifle", "lmg", "hmg"))
        assert found["out_of_ammo"] == (twelve and weapon in ("tank_gun", "light_cannon", "howitzer", "flame_thrower"))
        assert not (twelve and found["hit"])
    agreed = asked("attack", [6, 6], {"mortars_run_out": True}, **given).numbers
    more = ("light_mortar", "heavy_mortar", "bazooka")
    assert agreed["out_of_ammo"] == (weapon in (*more, "tank_gun", "light_cannon", "howitzer", "flame_thrower"))


def test_a_jam_within_a_burst_am_75_am_42() -> None:
    assert code(asked("burst", weapon="lmg", bearings_deg=[0.0], jammed=True)) == "jammed"
    given = {"weapon": "lmg", "distance_in": 9, "targets": ["a", "b", "c"]}
    stopped = asked("burst_rolls", [6, 6], **given).numbers
    assert (stopped["rolls"], stopped["jammed"]) == ([12], True)
    goes_on = asked("burst_rolls", [6, 6, 3, 3, 3, 3], {"jam_stops_burst": False}, **given).numbers
    assert (goes_on["rolls"], goes_on["hits"], goes_on["jammed"]) == ([12, 6, 6], [False, True, True], True)


@pytest.mark.parametrize("weapon", list(FEET))
def test_after_a_move_am_47_am_50_am_51_am_53_am_54_am_58_am_59_am_78(weapon: str) -> None:
    """ "Stationary weapons cannot attack on the same turn in which they move", but a vehicle's do."""
    stationary = weapon in ("sniper_rifle", "lmg", "hmg", "light_mortar", "heavy_mortar", "light_cannon", "howitzer")
    given = {"weapon": weapon, "distance_in": 12 * FEET[weapon][0], "moved_this_turn": True}
    assert code(asked("aim", **given)) == ("moved_stationary_weapon" if stationary else "")
    assert asked("aim", **given, mounted=True).allowed
    burst = {"weapon": weapon, "bearings_deg": [0.0], "moved_this_turn": True}
    assert code(asked("burst", **burst)) == ("moved_stationary_weapon" if stationary else "")
    assert asked("burst", **burst, mounted=True).allowed


@pytest.mark.parametrize("weapon", list(FEET))
def test_half_of_the_target_in_the_area_am_73_am_79_am_80(weapon: str) -> None:
    row = TABLES.weapons[weapon]
    area = weapon in ("flame_thrower", "glue_cannon", "grenade") or row.blast_in is not None
    for part, enough in ((0.5, True), (0.49, False)):
        given = {"weapon": weapon, "distance_in": 12 * FEET[weapon][0], "fraction": part}
        for faces in ([2, 3], [1, 1]):
            assert asked("attack", faces, **given).numbers["hit"] == (enough or not area), (weapon, part)
        assert (asked("aim", **given).numbers["at_most"] == 0) == (area and not enough)
    if row.blast_in is not None and weapon not in ("grenade", "light_mortar", "heavy_mortar"):
        for kind in ("tank", "half_track", "pillbox", "truck", "cannon"):
            found = asked("attack", [2, 3, 3], weapon=weapon, distance_in=10, target=kind, fraction=0.1).numbers
            assert found["blast"] == (kind not in ("tank", "half_track")), kind
            assert found["hit"] == (kind in ("tank", "half_track")), kind
            whole = asked(
                "blast_aim",
                weapon=weapon,
                distance_in=10,
                targets=["a", "b"],
                each={"b": {"distance_in": 10, "target": kind}},
            )
            assert code(whole) == ("armour_piercing" if kind in ("tank", "half_track") else ""), kind
    if not area:
        assert code(asked("blast_aim", weapon=weapon, distance_in=0, targets=["a"])) == "no_blast"


def test_one_roll_for_a_blast_or_one_for_each_am_79() -> None:
    given = {"weapon": "bazooka", "distance_in": 10, "targets": ["a", "b"]}
    assert asked("blast", [3, 3], **given).numbers["rolls"] == [6, 6]
    each = asked("blast", [3, 3, 4, 3], {"blast_roll": "one_each"}, **given).numbers
    assert (each["rolls"], each["hits"]) == ([6, 7], [True, False])


def test_the_size_of_areas_am_52_am_53_am_54_am_55_am_56_am_57_am_58_am_59_am_60_am_62_am_79() -> None:
    across = {"grenade": 6, "light_mortar": 6, "heavy_mortar": 9, "bazooka": 6, "tank_gun": 6, "light_cannon": 6}
    across |= {"howitzer": 9, "missile": 12, "glue_cannon": 9}
    for weapon, size_in in across.items():
        assert asked("template", weapon=weapon).numbers["radius_in"] == size_in / 2
        assert asked("template", None, {"blast_size": "radius"}, weapon=weapon).numbers["radius_in"] == size_in
    for shape in ("triangle", "strip"):
        flame = asked("template", None, {"flame_shape": shape}, weapon="flame_thrower").numbers
        assert (flame["shape"], flame["length_in"], flame["width_in"]) == (shape, 12, 6)


def test_whether_a_flame_thrower_explodes_am_82() -> None:
    for faces, choice in (((1, 2, 3), "1-3"), ((4, 5, 6), "4-6")):
        for face in range(1, 7):
            found = asked("flame_thrower_hit", [face], {"flame_explodes_on": choice}).numbers
            assert (found["explodes"], found["explosion_in"]) == (face in faces, 3 if face in faces else 0)
    hit = asked("attack", [3, 4, 3], weapon="rifle", distance_in=10, target_weapon="flame_thrower").numbers
    assert hit["explodes"]
    assert "explodes" not in asked("attack", [3, 4], weapon="rifle", distance_in=10, target_weapon="bazooka").numbers


def test_a_natural_two_am_73_am_93_am_108() -> None:
    """A 2 eliminates what the weapon can hurt, and armour beside infantry; it does not make glue deadly."""
    for weapon, target, beside, destroyed in (
        ("rifle", "truck", False, True),
        ("rifle", "tank", True, True),
        ("rifle", "half_track", True, True),
        ("bazooka", "tank", False, True),
        ("light_cannon", "pillbox", False, True),
        ("glue_cannon", "infantry", False, False),
        ("glue_cannon", "truck", False, False),
    ):
        found = asked(
            "attack", [1, 1], weapon=weapon, distance_in=0.2 if beside else 10, target=target, adjacent=beside
        )
        assert found.numbers["target_eliminated"] == destroyed, (weapon, target)
        assert ("AM-108" in {one.rule for one in found.reasons}) == (beside and destroyed), (weapon, target)
    for target, beside in (("tank", False), ("half_track", False), ("pillbox", False), ("pillbox", True)):
        given = {"weapon": "rifle", "distance_in": 0.2 if beside else 10, "target": target, "adjacent": beside}
        assert code(asked("attack", **given)) == "immune", target
        always = asked("attack", [1, 1], {"natural_two": "always"}, **given)
        assert always.numbers["target_eliminated"], target
    by_tank = {"weapon": "lmg", "attacker": "tank", "mounted": True, "distance_in": 0.2, "adjacent": True}
    assert code(asked("attack", **by_tank, target="tank")) == "immune"
    three = {"weapon": "bazooka", "distance_in": 0.2, "adjacent": True, "target": "tank"}
    assert asked("attack", [1, 2, 1], **three).numbers["hard_result"] == "no_effect"


# Cover, height, faces.


def test_the_worst_cover_or_all_of_them_am_39_am_83_am_86_am_92_am_113() -> None:
    shot = {"weapon": "rifle", "distance_in": 10}
    both = {"behind_cover": True, "entrenched": True}
    assert modifiers(asked("aim", **shot, **both)) == {"AM-83": -3}
    assert modifiers(asked("aim", None, {"covers": "added"}, **shot, **both)) == {"AM-83": -3, "AM-92": -3}
    inside = {"behind_cover": True, "inside_pillbox": True}
    assert modifiers(asked("aim", **shot, **inside)) == {"AM-86": -5}
    assert modifiers(asked("aim", None, {"covers": "added"}, **shot, **inside)) == {"AM-83": -3, "AM-86": -5}
    riding = {"behind_cover": True, "inside_half_track": True}
    assert sum(modifiers(asked("aim", **shot, **riding)).values()) == -3
    assert modifiers(asked("aim", None, {"covers": "added"}, **shot, **riding)) == {"AM-83": -3, "AM-113": -3}
    for weapon, left in (("grenade", -5), ("flame_thrower", 0)):
        given = {"weapon": weapon, "distance_in": 10, **both, "inside_pillbox": True, "inside_half_track": True}
        assert sum(modifiers(asked("aim", **given)).values()) == left


def test_how_near_cover_must_be_am_83() -> None:
    for option, within_in in ((1, 1), (0.5, 0.5), (2, 2), (3, 3)):
        for gap_in, covered in ((within_in, True), (within_in + 0.1, False)):
            options = {"cover_within_in": option}
            assert asked("cover", None, options, cover_to_target_in=gap_in).numbers["behind_cover"] == covered
            shot = asked("aim", None, options, weapon="rifle", distance_in=10, cover_to_target_in=gap_in)
            assert modifiers(shot).get("AM-83", 0) == (-3 if covered else 0)
    assert not asked("cover").numbers["behind_cover"]


def test_the_nearest_of_several_covers_am_83() -> None:
    walls = [
        {
            "name": f"wall {n}",
            "kind": "wall",
            "outline_in": [[x, 0], [x + 0.3, 0], [x + 0.3, 40], [x, 40]],
            "height_in": 1,
        }
        for n, x in enumerate((22, 26.5, 30))
    ]
    phase = {"phase": "small_arms", "turn": 1}
    green, tan = [unit("green-1", "rifleman", 20, 20)], [unit("tan-1", "rifleman", 31.5, 20)]
    *_, step = played(green, tan, phase, {"ask": "green-1"}, terrain=walls)
    assert "AM-83" in {one["rule"] for one in attack_on(step, "tan-1", "rifle")["modifiers"]}


def test_a_plane_over_a_blast_is_not_touched_by_it_am_85() -> None:
    phase = {"phase": "heavy_weapons", "turn": 1}
    green, tan = (
        [unit("green-1", "grenadier", 20, 20)],
        [unit("tan-1", "rifleman", 28, 20), unit("tan-2", "plane", 29, 21)],
    )
    *_, step = played(green, tan, phase, {"ask": "green-1"})
    assert attack_on(step, "tan-1", "grenade")["allowed"]


def test_who_stands_lower_am_88() -> None:
    for rise_in, lower in ((0.5, True), (0.4, False), (0, False), (-3, False), (3, True)):
        found = modifiers(asked("aim", weapon="rifle", distance_in=10, rise_in=rise_in))
        assert found.get("AM-88", 0) == (-1 if lower else 0), rise_in
    assert modifiers(asked("aim", weapon="rifle", distance_in=10, from_lower=True)) == {"AM-88": -1}


def test_what_is_adjacent_am_89() -> None:
    for option in (0.25, 0, 0.5, 1):
        for edge_in, beside in ((option, True), (option + 0.1, False)):
            options = {"adjacent_within_in": option}
            assert asked("adjacent", None, options, edge_in=edge_in).numbers["adjacent"] == beside
            shot = asked("aim", None, options, weapon="rifle", distance_in=edge_in, edge_in=edge_in)
            assert modifiers(shot).get("AM-89", 0) == (2 if beside else 0)
    assert modifiers(asked("aim", weapon="rifle", distance_in=0, adjacent=True)) == {"AM-89": 2}
    assert modifiers(asked("aim", weapon="knife", distance_in=0, adjacent=True)) == {}


def test_from_which_side_am_90_am_98() -> None:
    """A quarter of the circle is behind, a quarter in front, unless the players agree on a third or a half."""
    for rear_deg, front_deg in ((90, 90), (120, 90), (180, 90), (90, 120), (90, 180)):
        options = {"rear_arc_deg": rear_deg, "front_arc_deg": front_deg}
        for off_deg in (0, front_deg / 2, front_deg / 2 + 1, 180 - rear_deg / 2 - 1, 180 - rear_deg / 2, 180):
            behind, front = off_deg >= 180 - rear_deg / 2, off_deg <= front_deg / 2
            wanted = "rear" if behind else "front" if front else "side"
            for off in (off_deg, -off_deg, off_deg + 360):
                found = asked("face", None, options, off_facing_deg=off).numbers
                assert (found["face"], found["from_behind"]) == (wanted, wanted == "rear"), (options, off)
                shot = asked("aim", None, options, weapon="rifle", distance_in=10, off_facing_deg=off)
                assert modifiers(shot).get("AM-90", 0) == (2 if wanted == "rear" else 0), (options, off)
    assert modifiers(asked("aim", weapon="rifle", distance_in=10, from_behind=True)) == {"AM-90": 2}


@pytest.mark.parametrize("weapon", list(FEET))
def test_the_first_attack_of_a_gun_on_a_place_am_91(weapon: str) -> None:
    gun = weapon in ("tank_gun", "light_cannon", "howitzer", "light_mortar", "heavy_mortar")
    mortar = weapon in ("light_mortar", "heavy_mortar")
    far_in, near_in = 40.0, 12.0 * FEET[weapon][0] or 5.0
    shot = {"weapon": weapon, "fixed_location": True}

    def first(options: dict[str, Any] | None = None, **given: Any) -> bool:
        return "AM-91" in modifiers(GAME.choosing(**(options or {})).ask("aim", {**shot, **given}, no_dice))

    assert first(distance_in=near_in) == mortar
    assert first(distance_in=near_in, indirect=True) == gun
    assert not first(distance_in=near_in, indirect=True, earlier_attacks_on_location=1)
    assert not first(distance_in=near_in, indirect=True, fixed_location=False)
    one = {"first_shot_and_range": "one"}
    assert first(one, distance_in=near_in, indirect=True) == gun
    without = {"mortars_are_guns": False}
    assert first(without, distance_in=near_in, indirect=True) == (gun and not mortar)
    if FEET[weapon][1] * 12 > far_in:
        assert first(distance_in=far_in) == gun
        assert first(distance_in=36) == mortar
        assert first(distance_in=36.1) == gun
        assert not first(one, distance_in=far_in)
    if weapon in ("howitzer", "light_mortar", "heavy_mortar"):
        assert first(distance_in=near_in, los=False, radio=True)


def test_which_place_a_gun_has_ranged_in_on_am_91() -> None:
    phase, known = {"phase": "heavy_weapons", "turn": 1}, {"status": {"green-1": {"ranged_in_on": [[40, 20]]}}}
    green, tan = [unit("green-1", "light_mortar_man", 10, 20)], [unit("tan-1", "rifleman", 41, 20)]
    for x_in, first in ((40.5, False), (43, True)):
        *_, step = played(green, tan, phase, known, {"ask": "green-1", "spot_in": [x_in, 20]})
        [shell] = [one for one in step["actions"] if one["weapon"] == "light_mortar"]
        assert ("AM-91" in {one["rule"] for one in shell["modifiers"]}) == first, x_in


def test_digging_in_am_92() -> None:
    for turns, shovels, kind, done in (
        (1, True, "infantry", False),
        (2, True, "infantry", True),
        (3, True, "infantry", True),
        (2, False, "infantry", False),
        (2, True, "tank", False),
    ):
        found = asked("entrench", turns_digging=turns, shovels=shovels, unit=kind).numbers
        assert (found["entrenched"], found["cover_modifier"]) == (done, -3 if done else 0)
    assert code(asked("entrench", turns_digging=2, busy_this_turn=True)) == "busy_this_turn"
    assert code(asked("entrench", turns_digging=2, waits=True)) == "not_his_move"


# Hard targets and those inside.


def test_what_the_second_die_does_am_41_am_95_am_96() -> None:
    for face, result in enumerate(
        ("no_effect", "no_effect", "immobilized", "immobilized", "destroyed", "destroyed"), 1
    ):
        found = asked("attack", [3, 3, face], weapon="tank_gun", distance_in=10, target="tank").numbers
        assert (found["second_die"], found["hard_result"]) == (True, result)
        assert found["target_eliminated"] == (result == "destroyed")
    assert not asked("attack", [4, 4], weapon="tank_gun", distance_in=10, target="tank").numbers["second_die"]
    turned = asked("attack", [3, 3, 4], weapon="tank_gun", distance_in=10, target="tank", off_facing_deg=180)
    assert turned.numbers["modified"] == 5
    heavy = asked("attack", [3, 3, 5], weapon="tank_gun", distance_in=10, target="tank", heavy=True)
    assert heavy.numbers["hard_result"] == "immobilized"
    assert "AM-41" in {one.rule for one in heavy.reasons}


def test_how_long_a_pillbox_is_stunned_am_96() -> None:
    for lasts, last in (("through_next_turn", 1), ("this_turn", 0)):
        for turns in (0, 1, 2):
            found = asked("stunned", None, {"stun_lasts": lasts}, turns_since=turns)
            assert found.allowed == (turns > last), (lasts, turns)


def test_a_crew_of_several_am_105() -> None:
    for wreck, last in (("tank", 2), ("pillbox", 3)):
        for crew in (1, 3):
            assert asked("crew_survival", [last], destroyed=wreck, crew=crew).numbers["survivors"] == crew
            assert asked("crew_survival", [last + 1], destroyed=wreck, crew=crew).numbers["survivors"] == 0
        each = asked("crew_survival", [last, last + 1, 1], {"crew_die": "one_each"}, destroyed=wreck, crew=3).numbers
        assert (each["saved"], each["survivors"], each["survives"]) == ([True, False, True], 2, True)


def test_what_gives_the_rule_of_an_elimination_am_40_am_106_am_107() -> None:
    for target, rule in (("infantry", "AM-40"), ("truck", "AM-107"), ("jeep", "AM-107"), ("light_cannon", "AM-106")):
        found = asked("attack", [3, 3], weapon="tank_gun", distance_in=10, target=target)
        assert found.numbers["target_eliminated"]
        assert rule in {one.rule for one in found.reasons}, target
    for sustained in (False, True):
        found = asked("attack", [3, 3], weapon="hmg", distance_in=10, target="truck", sustained=sustained)
        assert found.numbers["target_eliminated"] == sustained
        any_hit = asked("attack", [3, 3], {"sustained_fire": "any_hit"}, weapon="hmg", distance_in=10, target="jeep")
        assert any_hit.numbers["target_eliminated"]
        lmg = asked("attack", [3, 3], weapon="lmg", distance_in=10, target="jeep", sustained=sustained)
        assert not lmg.numbers["target_eliminated"]
    for weapon, agreed in (("mortar", True), ("bazooka", False)):
        name = "light_mortar" if weapon == "mortar" else weapon
        given = {"weapon": name, "distance_in": 24, "target": "light_cannon"}
        found = asked("attack", [2, 3], {"big_guns": "with_mortars"}, **given)
        assert found.numbers["target_eliminated"] == agreed
        assert not asked("attack", [2, 3], **given).numbers["target_eliminated"]


def test_the_zones_around_a_pillbox_am_109() -> None:
    for off_deg, edge_in, zone in (
        (0, 0.3, "front"),
        (0, 0.25, "front_below"),
        (90, 5, "front"),
        (91, 5, "behind"),
        (91, 0, "behind"),
        (180, 0, "behind"),
        (-90, 5, "front"),
        (-91, 5, "behind"),
        (270, 5, "front"),
    ):
        zones = asked("pillbox_zone", off_front_deg=off_deg, edge_in=edge_in).numbers
        assert (zones["zone"], zones["safe"]) == (zone, zone != "front"), off_deg
    for edge_in, zone in ((3, "front_below"), (3.1, "front")):
        found = asked(
            "pillbox_zone", None, {"safe_zones": "rear_half_and_front_3_in"}, off_front_deg=0, edge_in=edge_in
        )
        assert found.numbers["zone"] == zone


@pytest.mark.parametrize("zone", ["front", "front_below", "side", "behind"])
def test_fire_out_of_and_into_a_pillbox_am_109_am_110_am_111(zone: str) -> None:
    for weapon, (least, _) in FEET.items():
        blind = zone == "behind" or (zone == "front_below" and weapon != "grenade")
        out = asked("fire_from_pillbox", weapon=weapon, target_zone=zone)
        assert code(out) == ("pillbox_blind_zone" if blind else ""), weapon
        aimed = asked("aim", weapon=weapon, distance_in=12 * least, target_zone=zone)
        assert code(aimed) == ("pillbox_blind_zone" if blind else ""), weapon
        if out.allowed:
            assert out.reasons[0].rule == ("AM-110" if zone == "front_below" else "AM-109")
        into = asked("attack_pillbox_from_safe_zone", [5, 6], weapon=weapon, zone=zone)
        if weapon not in ("flame_thrower", "grenade"):
            assert code(into) == "wrong_weapon"
        else:
            assert code(into) == ("" if zone in ("front_below", "behind") else "not_in_safe_zone")
    assert code(asked("fire_from_pillbox", weapon="rifle", target_zone="front", stunned=True)) == "stunned"


def test_any_roll_but_a_twelve_am_111() -> None:
    for weapon in ("flame_thrower", "grenade"):
        for faces, destroyed in (([5, 6], True), ([6, 6], False), ([1, 1], True)):
            found = asked("attack_pillbox_from_safe_zone", faces, weapon=weapon).numbers
            assert (found["occupants_destroyed"], found["pillbox_affected"]) == (destroyed, False)
            assert found["out_of_ammo"] == (weapon == "flame_thrower" and faces == [6, 6])  # AM-77
        used = asked("attack_pillbox_from_safe_zone", weapon=weapon, attacks_made_this_turn=1)
        assert code(used) == "already_attacked"


def test_flames_burn_the_men_and_never_the_pillbox_am_103() -> None:
    assert code(asked("aim", weapon="flame_thrower", distance_in=5, target="pillbox")) == "cannot_destroy_pillbox"
    man = {"weapon": "flame_thrower", "distance_in": 5, "inside_pillbox": True, "garrison": True}
    found = asked("attack", [4, 5], **man)
    assert (found.numbers["attack_value"], found.numbers["target_eliminated"]) == (9, True)
    assert found.numbers["pillbox_affected"] is False
    for target in ("tank", "half_track"):
        assert asked("attack", [4, 5, 3], weapon="flame_thrower", distance_in=5, target=target).numbers["second_die"]


def test_which_weapons_reach_the_men_inside_am_93_am_112_am_113() -> None:
    small = {"knife", "pistol", "rifle", "sniper_rifle", "submachine_gun", "assault_rifle", "lmg", "hmg"}
    for weapon, (least, _) in FEET.items():
        shot = {"weapon": weapon, "distance_in": 12 * least, "garrison": True, "inside_pillbox": True}
        reaches = weapon in small | {"grenade", "flame_thrower", "glue_cannon"}
        assert code(asked("aim", **shot)) == ("" if reaches else "immune"), weapon
        assert code(asked("aim", weapon=weapon, distance_in=12 * least, sealed=True)) == "immune"
    for inside, number in (("inside_pillbox", "pillbox_affected"), ("inside_half_track", "half_track_affected")):
        found = asked("attack", [1, 1], weapon="rifle", distance_in=10, **{inside: True})
        assert (found.numbers["target_eliminated"], found.numbers[number]) == (True, False)
        assert "AM-112" in {one.rule for one in found.reasons}


def test_getting_in_and_out_am_112_am_62_am_17_am_12_am_06() -> None:
    for kind, row in TABLES.kinds.items():
        assert code(asked("board", vehicle=kind)) == ("" if row.carries else "carries_nobody"), kind
    cases: list[tuple[dict[str, Any], str]] = [
        ({"edge_in": 0.25}, ""),
        ({"edge_in": 0.3}, "not_adjacent"),
        ({"held": True}, "glued"),
        ({"flying": True}, "flying"),
    ]
    cases += [
        ({"casualty": True}, "casualty"),
        ({"phase": "small_arms"}, "wrong_phase"),
        ({"waits": True}, "not_his_move"),
    ]
    for given, why in cases:
        assert code(asked("board", vehicle="truck", **given)) == why


# Heroes.


def test_a_heros_three_lives_am_115() -> None:
    for lost, removed, left in ((0, False, 3), (1, False, 2), (2, False, 1), (3, True, 0), (4, True, 0)):
        status = asked("hero_status", eliminations=lost).numbers
        assert (status["removed"], status["lives_left"]) == (removed, left)
    for before, removed in ((0, False), (1, False), (2, True)):
        found = asked("attack", [3, 4], weapon="rifle", distance_in=10, target_hero=True, target_eliminations=before)
        assert found.numbers["removed"] == removed
        assert "AM-115" in {one.rule for one in found.reasons}
    assert "removed" not in asked("attack", [3, 4], weapon="rifle", distance_in=10).numbers


def test_a_hero_attacks_better_with_every_weapon_am_116() -> None:
    for weapon, (least, _) in FEET.items():
        given = {"weapon": weapon, "distance_in": 12 * least}
        assert modifiers(asked("aim", **given, hero=True)) == {"AM-116": 1}
        assert modifiers(asked("aim", **given)) == {}


@pytest.mark.parametrize(
    ("names", "legal", "unnamed", "repeated"),
    [
        (["Sarge"], True, 0, []),
        (["Sarge", "Tex"], True, 0, []),
        (["Sarge", "Sarge"], False, 0, ["Sarge"]),
        (["Sarge", ""], False, 1, []),
        (["Sarge", " ", " "], False, 2, []),
    ],
)
def test_the_names_of_heroes_am_114_am_118(names: list[str], legal: bool, unnamed: int, repeated: list[str]) -> None:
    found = asked("hero_names", names=names).numbers
    assert (found["legal"], found["unnamed"], found["repeated"]) == (legal, unnamed, repeated)


def test_glue_holds_to_the_end_of_the_game_or_turn_am_62() -> None:
    for lasts in ("game", "turn"):
        found = asked("attack", [3, 4], {"glue_lasts": lasts}, weapon="glue_cannon", distance_in=10).numbers
        assert (found["immobilized"], found["target_eliminated"]) == (True, False)
        assert found["until"] == f"the end of the {lasts}"


# As the referee offers it.

MOVES = {"phase": "movement", "side": "green", "turn": 1}


def offered(step: dict[str, Any], action: str) -> list[dict[str, Any]]:
    """The actions of a name among those that a step lists."""
    return [one for one in step["actions"] if one["action"] == action]


def box(name: str, kind: str, x_in: float, y_in: float, wide_in: float = 4, height_in: float = 1) -> dict[str, Any]:
    """A square piece of terrain by its lower left corner."""
    far_in = (x_in + wide_in, y_in + wide_in)
    outline = [[x_in, y_in], [far_in[0], y_in], [*far_in], [x_in, far_in[1]]]
    return {"name": name, "kind": kind, "outline_in": outline, "height_in": height_in}


def test_who_left_the_road_has_no_more_of_it_am_23() -> None:
    road = {"name": "road", "kind": "road", "outline_in": [[0, 18], [96, 18], [96, 22], [0, 22]], "height_in": 0}
    for first, second, allowed in (
        ([[5, 20], [25, 20]], [[25, 20], [41, 20]], True),  # 36 in along the road
        ([[5, 20], [5, 26]], [[5, 26], [5, 20], [27, 20]], False),
        ([[5, 20], [5, 26], [5, 20]], [[5, 20], [18, 20]], False),  # off and back
    ):
        steps = [{"move": {"green-1": {"path_in": path}}} for path in (first, second)]
        green = [unit("green-1", "jeep", 5, 20)]
        *_, step = played(green, [], MOVES, *steps, terrain=[road])
        assert step["allowed"] == allowed, first


def test_a_turn_of_a_tank_and_of_others_am_24() -> None:
    for length_in, changes, legal in ((24, 0, True), (12, 1, True), (12.1, 1, False), (12, 2, True)):
        found = asked("move", unit="tank", path=[{"inches": length_in}], direction_changes=changes)
        assert found.allowed == legal, changes
    each = {"tank_turns": "each_time"}
    for length_in, changes, legal in ((12, 1, True), (6, 2, True), (6.1, 2, False)):
        assert (
            asked("move", None, each, unit="tank", path=[{"inches": length_in}], direction_changes=changes).allowed
            == legal
        )
    assert asked("move", None, each, unit="jeep", path=[{"inches": 24}], direction_changes=3).allowed
    bend = {"move": {"green-1": {"path_in": [[10, 20], [20, 20], [26, 23.5]], "facing_deg": 30}}}
    [step] = played([unit("green-1", "tank", 10, 20)], [], MOVES, bend)
    assert step["allowance_in"] == 12


def test_only_a_turret_turns_and_shoots_where_it_points_am_25() -> None:
    green = [unit("green-1", "tank", 20, 20), unit("green-2", "half_track", 20, 30), unit("green-3", "plane", 20, 40)]
    tan = [unit("tan-1", "rifleman", 40, 20), unit("tan-2", "rifleman", 38, 29)]
    for phase, names in ((MOVES, {"green-1"}), ({"phase": "heavy_weapons", "turn": 1}, set())):
        steps = played(green, tan, phase, *({"ask": one["id"]} for one in green))
        turns = {one["id"] for one, step in zip(green, steps, strict=True) if offered(step, "turn_turret")}
        assert turns == names
    fires, pointed = {"phase": "heavy_weapons", "turn": 1}, {"status": {"green-1": {"turret_deg": 0}}}
    [step] = played(green, tan, fires, pointed, {"ask": "green-1"})
    assert attack_on(step, "tan-1", "tank_gun")["allowed"]
    assert not attack_on(step, "tan-2", "tank_gun")["allowed"]  # 27 degrees aside


@pytest.mark.parametrize(
    ("mover", "below", "owed"),
    [
        ("tank", "rifleman", True),
        ("heavy_tank", "rifleman", True),
        ("truck", "rifleman", False),
        ("half_track", "rifleman", False),
        ("tank", "light_cannon", False),
        ("tank", "jeep", False),
    ],
)
def test_who_is_run_over_am_26(mover: str, below: str, owed: bool) -> None:
    move, ask = {"move": {"green-1": {"path_in": [[10, 20], [30, 20]]}}}, {"ask": ""}
    *_, step = played([unit("green-1", mover, 10, 20)], [unit("tan-1", below, 20, 20)], MOVES, move, ask)
    assert bool(offered(step, "overrun")) == owed


def test_a_man_in_a_vehicle_is_not_run_over_am_26() -> None:
    tan = [unit("tan-1", "jeep", 20, 20), unit("tan-2", "rifleman", 20, 20)]
    inside, move = {"status": {"tan-2": {"inside": "tan-1"}}}, {"move": {"green-1": {"path_in": [[10, 20], [30, 20]]}}}
    *_, step = played([unit("green-1", "tank", 10, 20)], tan, MOVES, inside, move, {"ask": ""})
    assert not offered(step, "overrun")


def test_where_a_climb_is_offered_am_27() -> None:
    for kind in ("hill", "mountain"):
        cliff = box("cliff", kind, 20, 18, 6, 3)
        for x_in, offers in ((19.4, True), (23, False)):  # at its foot, and on top
            [step] = played([unit("green-1", "rifleman", x_in, 20)], [], MOVES, {"ask": "green-1"}, terrain=[cliff])
            assert bool(offered(step, "climb")) == offers, (kind, x_in)


def test_swimming_is_owed_by_men_in_the_water_am_29_am_30() -> None:
    found = asked("move", unit="infantry", path=[{"inches": 2, "swimming": True}])
    assert "AM-29" in {one.rule for one in found.reasons}
    lake = box("lake", "water", 10, 10, 20, 0)
    bridge = {"name": "bridge", "kind": "bridge", "outline_in": [[8, 18], [32, 18], [32, 22], [8, 22]], "height_in": 0}
    for x_in, y_in, side, owed in (
        (20, 14, "green", True),
        (20, 20, "green", False),
        (20, 14, "tan", False),
        (5, 5, "green", False),
    ):
        phase = {"phase": "movement", "side": side, "turn": 1}
        green, tan = [unit("green-1", "rifleman", x_in, y_in)], [unit("tan-1", "rifleman", 60, 60)]
        *_, step = played(green, tan, phase, {"ask": ""}, terrain=[lake, bridge])
        assert any(one["rule"] == "AM-30" for one in step["owed"]) == owed, (x_in, y_in, side)


def test_where_a_paratrooper_lands_am_31_am_32() -> None:
    drop = {"action": "paratrooper", "by": "green-1"}
    [step] = played([unit("green-1", "paratrooper", 20, 20)], [], MOVES, {"do": {**drop, "at": [40, 30]}, "dice": [1]})
    assert [one["at_in"] for one in step["effects"] if one.get("at_in")] == [[40, 30]]
    for y_in, lost in ((36, False), (37, True)):  # 3 ft to the north, to the table's edge or past it
        green = [unit("green-1", "paratrooper", 20, y_in)]
        answer = whole(green, [unit("tan-1", "rifleman", 60, 60)], MOVES, {"do": drop, "dice": [3, 3]})
        assert answer["state"]["figures"]["green-1"]["out"] == lost


def test_who_may_not_drop_am_33() -> None:
    for status, allowed in (({}, True), ({"moved": True}, False), ({"attacked": 1}, False), ({"wounded": True}, False)):
        steps = MOVES, {"status": {"green-1": status}}, {"ask": "green-1"}
        *_, step = played([unit("green-1", "paratrooper", 20, 20)], [], *steps)
        assert [one["allowed"] for one in offered(step, "paratrooper")] == [allowed], status


def test_what_specialists_are_offered_am_67_am_68_am_69_am_92() -> None:
    terrain = [box("wire", "wire", 20.6, 18), box("mines", "mine", 20.6, 24), box("wall", "wall", 20.6, 30)]
    digger = {"title": "Digger", "weapons": ["rifle"], "shovel": True}
    for card, clears, sweeps, digs in (
        ("rifleman", False, False, False),
        ("engineer", True, False, True),
        ("mine_sweeper", False, True, False),
        (digger, False, False, True),
    ):
        *_, step = played([unit("green-1", card, 20, 22)], [], MOVES, {"ask": "green-1"}, terrain=terrain)
        assert [bool(offered(step, name)) for name in ("destroy_obstacle", "mine_detector", "entrench")] == [
            clears,
            sweeps,
            digs,
        ]
        assert len(offered(step, "mine_detector")) == int(sweeps)  # the mines only
    walked = {"status": {"green-1": {"moved": True}}}
    *_, step = played([unit("green-1", "engineer", 20, 22)], [], MOVES, walked, {"ask": "green-1"})
    assert [one["allowed"] for one in offered(step, "entrench")] == [False]
    mates = [unit(f"green-{n}", "rifleman", 20, 20 + n) for n in (2, 3, 4)]
    hurt = {"green-2": {"wounded": True}, "green-3": {"down": True, "down_in_phase": 2}, "tan-1": {"wounded": True}}
    for card, treated in (("medic", 1), ("rifleman", 0)):
        steps = MOVES, {"status": hurt}, {"ask": "green-1"}
        *_, step = played([unit("green-1", card, 21, 22), *mates], [unit("tan-1", "rifleman", 22, 22)], *steps)
        assert len(offered(step, "medic")) == treated


def test_wounded_men_serve_no_gun_am_63_am_17() -> None:
    crew = [
        unit(f"green-{n}", "rifleman", 20 + x, 20 + y, squad="gun")
        for n, x, y in ((2, 0, 1.2), (3, 0, -1.2), (4, -1.2, 0))
    ]
    green, phase = [unit("green-1", "light_cannon", 20, 20, squad="gun"), *crew], {"phase": "heavy_weapons", "turn": 1}
    for status, allowed in (({}, True), ({"wounded": True}, False), ({"down": True, "down_in_phase": 4}, True)):
        steps = phase, {"status": {"green-2": status}}, {"ask": "green-1"}
        *_, step = played(green, [unit("tan-1", "rifleman", 40, 20)], *steps)
        assert attack_on(step, "tan-1", "light_cannon")["allowed"] == allowed, status


def test_planes_fly_over_obstacles_am_71_am_72() -> None:
    terrain = [box("wire", "wire", 15, 18), box("pencils", "tank_obstacle", 22, 18)]
    move, options = {"move": {"green-1": {"path_in": [[10, 20], [30, 20]]}}}, {"plane_moves": "as_vehicles"}
    for card, allowed in (("plane", True), ("helicopter", True), ("truck", False), ("rifleman", False)):
        [step] = played([unit("green-1", card, 10, 20)], [], MOVES, move, terrain=terrain, options=options)
        assert step["allowed"] == allowed, card


def test_one_empty_gun_in_a_blast_of_two_rolls_am_77() -> None:
    given = {"weapon": "tank_gun", "distance_in": 10, "targets": ["a", "b"]}
    assert asked("blast", [6, 6, 3, 3], {"blast_roll": "one_each"}, **given).numbers["out_of_ammo"]


def test_armour_beside_the_target_is_not_in_the_blast_am_80() -> None:
    phase = {"phase": "heavy_weapons", "turn": 1}
    tan = [
        unit("tan-1", "rifleman", 35, 20),
        unit("tan-2", "half_track", 36.5, 20),
        unit("tan-3", "rifleman", 35, 21.2),
    ]
    *_, step = played([unit("green-1", "tank", 20, 20)], tan, phase, {"ask": "green-1"})
    [shell] = [one for one in offered(step, "blast") if one["at"][0] == "tan-1"]
    assert (shell["allowed"], set(shell["at"])) == (True, {"tan-1", "tan-3"})


def test_a_tank_is_no_fixed_location_unless_the_players_say_so_am_91() -> None:
    phase, crew = {"phase": "heavy_weapons", "turn": 1}, {"status": {"green-1": {"crew": 3}}}
    *_, step = played(
        [unit("green-1", "howitzer", 10, 20)], [unit("tan-1", "tank", 60, 20)], phase, crew, {"ask": "green-1"}
    )
    assert "fixed_location" in {one["key"] for one in attack_on(step, "tan-1", "howitzer")["asks"]}


def test_hard_and_soft_targets_am_93_am_106() -> None:
    for kind in ("truck", "infantry", "light_cannon"):
        assert code(asked("hard_target_die", weapon="tank_gun", target=kind)) == "not_a_hard_target"
    for kind in ("tank", "half_track", "pillbox"):
        assert (
            asked("attack", [3, 4], weapon="laser", distance_in=10, target=kind).numbers["hard_result"] == "destroyed"
        )
    inside = {"weapon": "bazooka", "distance_in": 10, "inside_pillbox": True}
    assert asked("aim", **inside).allowed
    assert code(asked("aim", **inside, garrison=True)) == "immune"
    for weapon in ("laser", "missile", "tank_gun"):
        hit = asked("attack", [3, 3], weapon=weapon, distance_in=10, target="light_cannon")
        assert "AM-106" in {one.rule for one in hit.reasons}, weapon


@pytest.mark.parametrize(
    ("card", "wreck"), [("half_track", True), ("tank", True), ("jeep", True), ("truck", True), ("rifleman", False)]
)
def test_what_leaves_a_wreck_am_104_am_18(card: str, wreck: bool) -> None:
    steps = {"phase": "heavy_weapons", "turn": 1}, {"status": {"green-1": {"crew": 3}}}
    shot = {"do": {"action": "attack", "by": "green-1", "at": "tan-1", "weapon": "light_cannon"}, "dice": [3, 3, 6]}
    answer = whole([unit("green-1", "light_cannon", 20, 20)], [unit("tan-1", card, 40, 20)], *steps, shot)
    assert bool(answer["state"]["figures"]["tan-1"]["status"].get("wreck")) == wreck


def test_whom_one_reaches_through_the_port_am_111() -> None:
    tan = [
        unit("tan-1", "pillbox", 40, 20, base_in=[4, 4]),
        unit("tan-2", "rifleman", 40, 20),
        unit("tan-3", "half_track", 38, 26),
    ]
    green = [unit("green-1", "grenadier", 37.4, 20), unit("green-2", "pillbox", 35, 20, base_in=[3, 3])]
    tan += [unit("tan-4", "rifleman", 38, 26), unit("tan-5", "rifleman", 40, 20)]
    inside = {"tan-2": {"inside": "tan-1"}, "tan-4": {"inside": "tan-3"}, "tan-5": {"inside": "tan-1", "wounded": True}}
    *_, step = played(green, tan, {"phase": "heavy_weapons", "turn": 1}, {"status": inside}, {"ask": "green-1"})
    assert [one["at"] for one in offered(step, "attack_pillbox_from_safe_zone")] == [["tan-1", "tan-2"]]
    *_, far = played(
        [unit("green-1", "grenadier", 25, 20)],
        tan,
        {"phase": "heavy_weapons", "turn": 1},
        {"status": inside},
        {"ask": "green-1"},
    )
    assert [one["allowed"] for one in offered(far, "attack_pillbox_from_safe_zone")] == [False]  # 12.5 in


def test_what_one_gets_into_am_112() -> None:
    green = [unit("green-1", "rifleman", 20, 20), unit("green-2", "truck", 21.2, 20), unit("green-3", "jeep", 20, 21.2)]
    *_, step = played(green, [unit("tan-1", "truck", 18.8, 20)], MOVES, {"ask": "green-1"})
    assert {one["at"] for one in offered(step, "board")} == {"green-2", "green-3"}
    *_, truck = played(green, [], MOVES, {"ask": "green-2"})
    assert not offered(truck, "board")


def test_only_a_half_track_covers_its_men_am_113() -> None:
    for card, covered in (("half_track", True), ("jeep", False), ("truck", False), ("pillbox", False)):
        tan, phase = (
            [unit("tan-1", card, 30, 20), unit("tan-2", "rifleman", 30, 20)],
            {"phase": "small_arms", "turn": 1},
        )
        steps = phase, {"status": {"tan-2": {"inside": "tan-1"}}}, {"ask": "green-1"}
        *_, step = played([unit("green-1", "rifleman", 20, 20)], tan, *steps)
        found = {one["rule"] for one in attack_on(step, "tan-2", "rifle")["modifiers"]}
        assert ("AM-113" in found) == covered, card


def test_the_heroes_of_every_side_are_named_am_114_am_118_am_115() -> None:
    leads = {"title": "Sarge", "weapons": ["pistol"], "hero": True, "leader": True, "name": "Sarge"}
    green = [unit("green-1", "hero", 10, 10), unit("green-2", leads, 12, 10), unit("green-3", "rifleman", 14, 10)]
    tan = [unit("tan-1", leads, 40, 40), unit("tan-2", leads, 42, 40), unit("tan-3", "officer", 44, 40)]
    [step] = played(green, tan, {"ask": ""})
    assert [one["at"] for one in offered(step, "hero_names")] == [["green-1", "green-2"], ["tan-1", "tan-2"]]
    named = [{"do": {"action": "hero_names", "at": names}} for names in (["green-1", "green-2"], ["tan-1", "tan-2"])]
    own, other = played(green, tan, *named)
    assert (own["verdict"]["numbers"]["legal"], other["verdict"]["numbers"]["legal"]) == (True, False)
    assert other["verdict"]["numbers"]["repeated"] == ["Sarge"]
    shot = {"do": {"action": "attack", "by": "tan-3", "at": "green-1", "weapon": "pistol"}, "dice": [1, 1]}
    near = [unit("tan-3", "officer", 12, 10)]
    *_, hit = played([green[0]], near, {"phase": "small_arms", "turn": 1}, shot)
    assert hit["verdict"]["numbers"]["removed"] is False
    assert GAME.ask("unit_card", {"card": "hero"}, no_dice).numbers["lives"] == 3
