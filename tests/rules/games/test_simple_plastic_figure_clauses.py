"""Simple Plastic Figure: every clause of a rule by itself: each number at its limit, each exception, each agreement."""

from __future__ import annotations

from typing import Any

import pytest

from rules.battle.scripted import play_situation
from rules.battle.situation import situation_of
from rules.engine.dice import Scripted
from rules.engine.game import Game
from rules.engine.roster import Army, Recruit
from rules.engine.verdict import RuleRefusal, StatusEffect, Verdict
from rules.games import open_game
from rules.games.simple_plastic_figure.roster import check
from rules.games.simple_plastic_figure.tables import Tables

NAME = "simple_plastic_figure"
GAME: Game[Tables] = open_game(NAME)
TABLES = GAME.rules.tables
RANGES = {
    "pistol": 6,
    "american_carbine": 12,
    "rifle_german": 24,
    "rifle_russian": 24,
    "rifle_british": 24,
    "rifle_american": 24,
    "sniper_rifle": 30,
    "smg_german": 12,
    "smg_british": 12,
    "smg_american": 12,
    "smg_russian": 12,
    "bar": 24,
    "bren": 24,
    "dp": 24,
    "mg34_42": 30,
    "medium_machinegun": 30,
    "grenade": 6,
    "panzerfaust": 6,
    "panzerschreck": 12,
    "bazooka": 18,
    "piat": 18,
    "mortar_50_60": 30,
    "mortar_81": 48,
    "mortar_120": 66,
    "gun_75": 72,
    "gun_105": 96,
}
RATES = {
    "pistol": 2,
    "american_carbine": 2,
    "rifle_american": 2,
    "smg_german": 3,
    "smg_british": 3,
    "smg_american": 3,
    "smg_russian": 4,
    "bar": 3,
    "bren": 3,
    "dp": 3,
    "mg34_42": 4,
    "medium_machinegun": 3,
}
RADII = {
    "grenade": 4,
    "bazooka": 3,
    "panzerschreck": 3.5,
    "piat": 4,
    "panzerfaust": 4.5,
    "mortar_50_60": 4.5,
    "mortar_81": 5,
    "mortar_120": 5.5,
    "gun_75": 5,
    "gun_105": 6,
}
LAUNCHERS, MORTARS = ("bazooka", "panzerschreck", "piat", "panzerfaust"), ("mortar_50_60", "mortar_81", "mortar_120")
GUNS = ("gun_75", "gun_105")


def asked(action: str, dice: Any = None, options: Any = None, **given: Any) -> Verdict:
    """The answer to a question."""
    return GAME.choosing(**(options or {})).ask(action, given, Scripted(dice or []))


def code(found: Verdict) -> str:
    """The short name of why something is forbidden; empty if it is allowed."""
    return "" if found.allowed else str(found.numbers["reason"])


def statuses(found: Verdict) -> list[StatusEffect]:
    """The statuses that an answer gives figures or the battle."""
    return [one for one in found.effects if isinstance(one, StatusEffect)]


def rules_of(found: Verdict) -> set[str]:
    """The rules that an answer gives as its reasons."""
    return {one.rule for one in found.reasons}


def whole(
    german: list[dict[str, Any]], allied: list[dict[str, Any]], *steps: dict[str, Any], **more: Any
) -> dict[str, Any]:
    """The whole answer to a situation on an open table."""
    sides = {"german": german, "allied": allied}
    document = {"schema": 1, "game": NAME, "table_in": [72, 48], "sides": sides, "steps": list(steps), **more}
    return play_situation(situation_of(document))


def unit(name: str, card: Any, x_in: float, y_in: float, **more: Any) -> dict[str, Any]:
    """A figure of a situation."""
    return {"id": name, "card": card, "at_in": [x_in, y_in], "facing_deg": 0, **more}


ACTS = {"phase": "first_actions", "side": "german", "turn": 1}


# Set-up.


def test_two_sides_of_players_with_figures_ww_01() -> None:
    cases = [({"g": {"A": 3}, "a": {"B": 2}}, ""), ({"g": {"A": 3}}, "not_two_sides")]
    cases += [({"g": {"A": 3}, "a": {"B": 2}, "x": {"C": 2}}, "not_two_sides")]
    cases += [({"g": {"A": 3, "C": 0}, "a": {"B": 2}}, "player_without_figures")]
    cases += [({"g": {}, "a": {"B": 2}}, "player_without_figures")]
    for armies, why in cases:
        assert code(asked("armies", armies=armies)) == why
    for scale in ("1/76", "1/72", "1/32"):
        assert asked("armies", armies={"g": {"A": 3}, "a": {"B": 2}}, scale=scale).allowed
    with pytest.raises(RuleRefusal):
        asked("initiative", sides=["german"])
    with pytest.raises(RuleRefusal):
        asked("initiative", sides=["german", "german"])


def test_an_army_of_one_side_ww_01_ww_58() -> None:
    def army(*cards: str) -> Verdict:
        recruits = tuple(Recruit(figure=f"figure-{n}", card=card) for n, card in enumerate(cards))
        return check(GAME, Army(name="Army", game=NAME, recruits=recruits))

    assert code(army()) == "no_figures"
    assert code(army("german_rifleman", "russian_rifleman")) == "two_sides"
    found = army("british_rifleman", "russian_rifleman", "american_rifleman", "sentry", "marcher", "observer")
    assert (found.allowed, found.numbers["reserves"], found.numbers["sides"]) == (True, 2, ["allied"])
    assert "WW-58" in rules_of(found)
    sides = {name: (row.side, row.rifle) for name, row in TABLES.nations.items()}
    assert sides == {
        "german": ("german", "rifle_german"),
        **{nation: ("allied", f"rifle_{nation}") for nation in ("russian", "british", "american")},
    }


def test_weapons_and_poses_are_those_of_the_figure_ww_02() -> None:
    shows = ["rifle_german", "grenade"]
    for weapon, why in (("rifle_german", ""), ("grenade", ""), ("pistol", "weapon_not_shown")):
        assert code(asked("may_use_weapon", figure_shows=shows, weapon=weapon)) == why
    for both, why in (
        (["grenade"], ""),
        (["rifle_german"] * 2, ""),
        (shows, "two_weapons"),
        (["pistol"], "weapon_not_shown"),
    ):
        assert code(asked("weapons_in_one_fire_action", figure_shows=shows, weapons=both)) == why


@pytest.mark.parametrize(
    ("card", "said", "seen", "modifier"),
    [
        ("german_rifleman", None, "standing", 1),
        ("german_rifleman", None, "prone", -1),  # as the camera sees it
        ("german_rifleman", "prone", "standing", -1),  # the players know better
        ({"title": "Crawler", "weapons": ["rifle_german"], "pose": "prone"}, None, "standing", -1),
        ({"title": "Crawler", "weapons": ["rifle_german"], "pose": "prone"}, "kneeling", "standing", 0),
    ],
)
def test_the_pose_of_the_figure_ww_02_ww_53(card: Any, said: str | None, seen: str, modifier: int) -> None:
    german, allied = [unit("german-1", card, 40, 20, posture=seen)], [unit("allied-1", "british_rifleman", 20, 20)]
    steps: list[dict[str, Any]] = [{"phase": "first_actions", "side": "allied", "turn": 1}]
    steps += [{"status": {"allied-1": {"status_die": 1}, **({"german-1": {"pose": said}} if said else {})}}]
    [step] = whole(german, allied, *steps, {"ask": "allied-1"})["steps"]
    [shot] = [one for one in step["actions"] if one["action"] == "attack"]
    assert sum(one["modifier"] for one in shot["modifiers"] if one["rule"] == "WW-53") == modifier


def test_the_weapons_of_segment_one_ww_03_ww_25_ww_35_ww_36_ww_37_ww_38() -> None:
    assert set(TABLES.weapons) == set(RANGES)
    for weapon, range_in in RANGES.items():
        found = asked("weapon_profile", weapon=weapon, distances_in=[range_in, range_in + 0.1])
        assert found.numbers["in_range"] == [True, False]
        assert (found.numbers["range_in"], found.numbers["rate_of_fire"]) == (range_in, RATES.get(weapon, 1)), weapon
        assert found.numbers["blast_radius_in"] == RADII.get(weapon), weapon
        assert {"WW-03", "WW-36"} <= rules_of(found)
        for distance_in, why in ((range_in, ""), (range_in + 0.1, "out_of_range")):
            assert code(asked("may_target", weapon=weapon, distance_in=distance_in)) == why, weapon
        for shots in (RATES.get(weapon, 1), RATES.get(weapon, 1) + 1):
            why = "" if shots <= RATES.get(weapon, 1) else "rate_of_fire"
            assert code(asked("declare_shots", weapon=weapon, shots=shots)) == why, weapon
        spot = weapon in RADII
        aimed = asked("aim", weapon=weapon).numbers
        assert (aimed["aim_at"], aimed["direct"]) == ("spot" if spot else "figure", weapon not in MORTARS + GUNS)
        volley = asked("volley_aim", weapon=weapon, shots=[{"target": "a", "range_in": 1, "pose": "standing"}])
        assert code(volley) == ("aimed_at_a_spot" if spot else ""), weapon
    first = {"weapon_list": "first_list"}
    for weapon in RANGES:
        if weapon in ("american_carbine", "sniper_rifle", "panzerschreck"):
            with pytest.raises(RuleRefusal):
                asked("weapon_profile", None, first, weapon=weapon)
        else:
            assert asked("weapon_profile", None, first, weapon=weapon).allowed


def test_any_rifle_with_a_scope_ww_35_ww_25() -> None:
    for weapon in RANGES:
        found = asked("weapon_profile", weapon=weapon, scope=True).numbers["weapon"]
        assert found == ("sniper_rifle" if weapon.startswith("rifle_") else weapon)
    for nation in TABLES.nations:
        for scope in (False, True):
            found = asked("weapon_of_rifle_figure", nation=nation, scope=scope).numbers["weapon"]
            assert found == ("sniper_rifle" if scope else f"rifle_{nation}")
    assert asked("may_target", weapon="rifle_german", scope=True, distance_in=30).allowed


def test_the_names_of_weapons_ww_35_ww_37() -> None:
    names = {
        "American BAR": "bar",
        "British BREN": "bren",
        "Russian DP": "dp",
        "any rifle with a scope": "sniper_rifle",
    }
    names |= dict.fromkeys(("American .30 cal Browning", "British Vickers", "Russian Maxim"), "medium_machinegun")
    names |= {"German Maxim 08": "medium_machinegun", "German MG34": "mg34_42", "German MG42": "mg34_42"}
    assert {name: asked("weapon_alias", name=name).numbers["weapon"] for name in TABLES.aliases} == names


def test_every_kind_of_fire_ww_52() -> None:
    automatic = {"smg_german", "smg_british", "smg_american", "smg_russian", "bar", "bren", "dp", "mg34_42"}
    for weapon in RANGES:
        found = asked("combat", [3], weapon=weapon, pose="kneeling", range_for_modifier_in=10).numbers["modifier"]
        wanted = 1 if weapon in automatic | {"medium_machinegun"} else 2 if weapon == "sniper_rifle" else 0
        assert found == (3 if weapon in RADII else wanted), weapon
    agreed = {"semi_automatic": "automatic"}
    for weapon in ("pistol", "american_carbine", "rifle_american"):
        found = asked("combat", [3], agreed, weapon=weapon, pose="kneeling", range_for_modifier_in=10)
        assert found.numbers["modifier"] == 1


def test_the_cards_of_every_nation() -> None:
    """WW-02, WW-24, WW-35, WW-37, WW-38, WW-42, WW-44, WW-56, WW-57, WW-58 and WW-60: what each figure has."""
    common = {"rifleman": "rifle", "rifleman_with_bayonet": "rifle", "sniper": "sniper_rifle", "grenadier": "grenade"}
    common |= {"submachine_gunner": "smg", "medium_machine_gunner": "medium_machinegun", "officer": "pistol"}
    own = {
        "german": {
            "rifle_grenadier": "rifle_german grenade",
            "machine_gunner": "mg34_42",
            "panzerfaust": "panzerfaust",
            "panzerschreck": "panzerschreck",
            "50mm_mortar": "mortar_50_60",
            "81mm_mortar": "mortar_81",
            "120mm_mortar": "mortar_120",
            "75mm_infantry_gun": "gun_75",
            "105mm_howitzer": "gun_105",
            "officer_with_binoculars": "pistol",
            "sergeant": "smg_german",
            "radioman": "",
        },
        "russian": {"dp_gunner": "dp", "50mm_mortar": "mortar_50_60", "120mm_mortar": "mortar_120", "radioman": ""},
        "british": {
            "bren_gunner": "bren",
            "piat": "piat",
            "50mm_mortar": "mortar_50_60",
            "81mm_mortar": "mortar_81",
            "radioman": "",
        },
        "american": {
            "carbineer": "american_carbine",
            "bar_gunner": "bar",
            "bazooka": "bazooka",
            "60mm_mortar": "mortar_50_60",
            "81mm_mortar": "mortar_81",
            "4_2_inch_mortar": "mortar_120",
            "75mm_howitzer": "gun_75",
            "105mm_howitzer": "gun_105",
            "officer_with_binoculars": "pistol",
            "sergeant": "smg_american",
            "radioman": "american_carbine",
        },
    }
    roles = {"officer": "leader", "sergeant": "leader", "officer_with_binoculars": "leader_with_binoculars"}
    roles |= {"radioman": "radioman"}
    expected: dict[str, tuple[str | None, list[str], str, bool, bool]] = {}
    for nation, cards in own.items():
        of_nation = {"rifle": f"rifle_{nation}", "smg": f"smg_{nation}"}
        for name, weapons in {**{card: of_nation.get(w, w) for card, w in common.items()}, **cards}.items():
            role, bayonet = roles.get(name, "figure"), name.endswith("bayonet")
            expected[f"{nation}_{name}"] = (nation, weapons.split(), role, bayonet, False)
    expected["observer"] = (None, [], "figure_with_binoculars", False, False)
    expected |= dict.fromkeys(("sentry", "marcher", "wounded"), (None, [], "figure", False, True))
    found = {
        name: (row.nation, list(row.weapons), row.role, row.bayonet, row.reserve) for name, row in TABLES.cards.items()
    }
    assert found == expected
    lying = {name for name, row in TABLES.cards.items() if row.pose == "prone"}
    guns = {"german_machine_gunner", "russian_dp_gunner", "british_bren_gunner", "british_piat", "wounded"}
    assert lying == guns | {f"{nation}_sniper" for nation in own}
    kneeling = {name for name, row in TABLES.cards.items() if row.pose == "kneeling"}
    low = ("mortar", "gun", "howitzer", "medium_machine_gunner", "panzerfaust", "panzerschreck", "bazooka")
    assert kneeling == {name for name in TABLES.cards if name.endswith(low) and name not in lying}


def test_what_terrain_is_ww_04_ww_54() -> None:
    for kind, names in {
        "hedge": ["hedge", "hedgerow"],
        "wall": ["stone_wall", "wood_wall", "earth_wall"],
        "fence": ["wood_fence", "wood_wall"],
        "tree": ["light_trees", "thin_trees", "thick_trees"],
        "woods": ["light_trees", "thin_trees", "thick_trees"],
        "bush": ["light_trees", "thin_trees"],
        "rough": ["high_grass", "earth_mound", "rubble"],
        "rocks": ["stone_mound", "rubble"],
        "trench": ["trench", "ditch"],
        "hill": ["hill"],
        "building": ["building"],
        "bunker": ["bunker"],
        "foxhole": ["foxhole"],
        "other": ["logs"],
        "water": [],
    }.items():
        found = asked("terrain_on_table", kind=kind)
        assert (found.outcome, found.numbers["terrain"]) == ("known" if names else "no effect", names), kind
    conceal = {"light_trees", "high_grass", "wood_fence", "hedge", "thin_trees", "wood_wall"}
    names = list(TABLES.terrain)
    classes = asked("terrain_class", terrain=names).numbers["class"]
    assert {name for name, one in zip(names, classes, strict=True) if one == "concealment"} == conceal
    assert {name for name, one in zip(names, classes, strict=True) if one == "cover"} == set(names) - conceal
    through = {name for name, row in TABLES.terrain.items() if row.through}
    assert through == {"light_trees", "thin_trees", "high_grass", "wood_fence", "hedge"}
    assert {name: row.modifier for name, row in TABLES.covers.items()} == {"none": 0, "concealment": -1, "cover": -3}


# Objectives.


def test_when_an_objective_is_reached_ww_05() -> None:
    cases: list[tuple[str, dict[str, Any], bool]] = [
        ("eliminate_number", {"needed": 3, "enemies_eliminated": 3}, True),
        ("eliminate_number", {"needed": 3, "enemies_eliminated": 2}, False),
        ("eliminate_more_than_lost", {"enemies_eliminated": 3, "own_lost": 2}, True),
        ("eliminate_more_than_lost", {"enemies_eliminated": 2, "own_lost": 2}, False),
        ("eliminate_all", {"enemies_left": 0}, True),
        ("eliminate_all", {"enemies_left": 1}, False),
        ("exit_far_edge", {"needed": 2, "exited": 2}, True),
        ("exit_far_edge", {"needed": 2, "exited": 1}, False),
        ("take_or_hold", {"reached": True}, True),
        ("take_or_hold", {"reached": False}, False),
    ]
    for goal, facts, won in cases:
        found = asked("victory", side="german", goal=goal, **facts)
        assert (found.numbers["won"], found.numbers.get("winner")) == (won, "german" if won else None), goal
        assert {one.status for one in statuses(found)} == ({"victory"} if won else set())
    for goal, row in TABLES.goals.items():
        numbered = goal in ("eliminate_number", "exit_far_edge")
        assert (row.numbered, row.counted) == (numbered, goal != "take_or_hold")
        assert code(asked("objective", side="german", goal=goal)) == ("no_number" if numbered else "")
        assert asked("objective", side="german", goal=goal, needed=2).allowed
    texts = {name: (row.title, row.text) for name, row in TABLES.goals.items()}
    assert texts == {
        "take_or_hold": ("take or hold a place", "the place is taken or held"),
        "eliminate_number": ("eliminate a number", "the agreed number of enemies is eliminated"),
        "eliminate_more_than_lost": ("lose fewer", "more enemies are eliminated than own figures"),
        "eliminate_all": ("eliminate all", "no enemy is left"),
        "exit_far_edge": ("leave by the far edge", "the agreed number of figures has left by the far edge"),
    }


def test_leaving_by_the_far_edge_ww_05_ww_09_ww_10() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, ""),
        ({"actions": ["move"]}, ""),
        ({"actions": ["fire"]}, "one_action_a_turn"),
        ({"actions": ["lead"]}, "one_action_a_turn"),
        ({"status_die": 5}, "status"),
        ({"reaches_far_edge": False}, "not_at_the_edge"),
    ]
    for given, why in cases:
        found = asked("leave_table", **{"reaches_far_edge": True, **given})
        assert code(found) == why, given
        if not why:
            assert {one.status for one in statuses(found)} == {"exited", "eliminated"}


def test_who_left_is_not_lost_ww_05() -> None:
    """Whoever has left by the far edge is neither eliminated nor lost, and counts for his own side only."""
    german = [unit("german-1", "german_rifleman", 10, 46), unit("german-2", "german_rifleman", 14, 10)]
    allied = [unit("allied-1", "british_rifleman", 30, 2), unit("allied-2", "british_rifleman", 34, 40)]

    def winner(goals: dict[str, Any], leaves: str, dead: str = "") -> Any:
        acts = {"phase": "first_actions", "side": leaves.split("-", maxsplit=1)[0], "turn": 1}
        status = {"": goals, leaves: {"status_die": 1}, **({dead: {"eliminated": True}} if dead else {})}
        steps = acts, {"status": status}, {"do": {"action": "leave_table", "by": leaves}}
        return whole(german, allied, *steps)["state"]["winner"]

    lose_fewer = {
        "goal_of_german": "eliminate_more_than_lost",
        "goal_of_allied": "exit_far_edge",
        "needed_by_allied": 2,
    }
    assert winner(lose_fewer, "allied-1") is None
    assert winner(lose_fewer, "allied-1", "allied-2") == "german"
    leave = {"goal_of_german": "exit_far_edge", "needed_by_german": 1}
    assert winner(leave, "german-1") == "german"
    both = {**leave, "goal_of_allied": "exit_far_edge", "needed_by_allied": 2}
    assert winner(both, "allied-1") is None


def test_the_set_up_zone_ww_06() -> None:
    for depth_in in (24, 12):
        for gap_in, near in ((depth_in, True), (depth_in + 0.1, False)):
            found = asked("setup", None, {"setup_in": depth_in}, distance_to_own_edge_in=gap_in)
            assert found.allowed == near
    found = asked("deployment", figures={"a": 24, "b": 24.5, "c": 0, "d": 30})
    assert found.numbers["too_far_in"] == ["b", "d"]


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


# Sight and cover.


def test_a_quarter_must_show_ww_26_ww_27() -> None:
    for part, enough in ((0.25, True), (0.24, False), (0.0, False), (1.0, True)):
        given = {"weapon": "rifle_german", "distance_in": 10}
        assert code(asked("may_target", **given, target_exposed=part)) == ("" if enough else "target_hidden")
        assert code(asked("may_target", **given, shooter_exposed=part)) == ("" if enough else "shooter_hidden")
    for shown in (0.25, 0.5, 1.0):
        options = {"exposed_at_opening": shown}
        for who in ("target", "shooter"):
            found = asked(
                "may_target", None, options, weapon="rifle_german", distance_in=10, **{f"{who}_at_opening": True}
            )
            assert found.numbers[f"{who}_exposed"] == shown
    for weapon in RANGES:
        hidden = {"weapon": weapon, "distance_in": 5, "target_exposed": 0.0}
        indirect = weapon in MORTARS + GUNS
        assert code(asked("may_target", **hidden)) == ("" if indirect else "target_hidden"), weapon
        assert code(asked("may_target", None, {"indirect_needs_sight": True}, **hidden)) == "target_hidden"
    line = {"weapon": "rifle_german", "distance_in": 10, "figure_in_line": True}
    assert asked("may_target", **line).allowed
    assert code(asked("may_target", None, {"figures_block": True}, **line)) == "figure_in_the_way"


@pytest.mark.parametrize("pose", ["standing", "kneeling", "crouching", "prone"])
def test_half_of_the_body_behind_it_ww_26_ww_28_ww_29_ww_30_ww_34(pose: str) -> None:
    lying, waist = pose == "prone", {"standing": 0.25, "prone": 0.75}.get(pose, 0.5)
    for part, covered in ((0.5, True), (0.49, False), (0.74, True)):
        found = asked("cover", terrain="stone_wall", pose=pose, fraction_behind=part, line_passes_terrain=True).numbers
        assert (found["cover"], found["modifier"]) == (("cover", -3) if covered else ("none", 0)), part
        touched = {"terrain": "stone_wall", "pose": pose, "fraction_behind": part, "touching": True}
        crossed = asked("cover", **touched, line_passes_terrain=True).numbers["cover"]
        assert crossed == ("cover" if covered or lying else "none"), part
        enough = asked("cover", None, {"touching_is_enough": True}, **touched, line_passes_terrain=True)
        assert enough.numbers["cover"] == "cover"
        apart = {**touched, "touching": False}
        alone = asked("cover", None, {"touching_is_enough": True}, **apart, line_passes_terrain=True)
        assert alone.numbers["cover"] == ("cover" if covered else "none")
        aside = asked("cover", **touched)
        assert aside.numbers["cover"] == ("cover" if lying else "none")
        assert ("WW-34" if lying else "WW-30") in rules_of(aside)
    clear = asked("cover", terrain="stone_wall", pose=pose, fraction_behind=1.0)
    assert (clear.numbers["cover"], clear.numbers["targetable"]) == ("none", True)
    assert "WW-28" in rules_of(clear)
    by_pose = asked("cover", terrain="stone_wall", pose=pose, line_passes_terrain=True).numbers
    assert by_pose["cover"] == ("none" if pose == "standing" else "cover")
    assert by_pose["exposed"] == 1 - waist
    for part, seen in ((0.75, True), (0.76, False)):
        wall = asked("cover", terrain="stone_wall", pose=pose, fraction_behind=part, line_passes_terrain=True)
        assert wall.numbers["targetable"] == seen
        hedge = asked("cover", terrain="hedge", pose=pose, fraction_behind=part, line_passes_terrain=True)
        assert hedge.numbers["targetable"]
    for option, cover in (("own_class", "concealment"), ("cover", "cover")):
        light = asked("cover", None, {"prone_by_concealment": option}, terrain="hedge", pose=pose, touching=True)
        assert light.numbers["cover"] == (cover if lying else "none")
    beside = {
        "terrain": "stone_wall",
        "pose": pose,
        "fraction_behind": 1.0,
        "line_passes_terrain": True,
        "touching": True,
    }
    for shown in (0.25, 0.5):
        found = asked("cover", None, {"exposed_at_opening": shown}, **beside).numbers["exposed"]
        assert found == (shown if lying else 0)


def test_shelters_lower_the_pose_ww_31_ww_32_ww_33_ww_53() -> None:
    lower = {"standing": "kneeling", "kneeling": "prone", "crouching": "prone", "prone": "prone"}
    modifier = {"standing": 1, "kneeling": 0, "crouching": 0, "prone": -1}
    for place in TABLES.places:
        for pose in lower:
            inside = place in ("building", "bunker", "foxhole", "trench", "ditch")
            counts_as = "prone" if place == "bunker" else lower[pose] if inside else pose
            found = asked("shelter", place=place, pose=pose).numbers
            assert (found["pose_counts_as"], found["cover"]) == (counts_as, "cover" if inside else "none")
            assert found["modifier"] == modifier[counts_as] - 3 * inside
            shot = asked("combat", [3], weapon="rifle_german", pose=pose, place=place, range_for_modifier_in=10)
            assert shot.numbers["modifier"] == modifier[counts_as] - 3 * inside
            aimed = asked("aimed", weapon="rifle_german", pose=pose, place=place, distance_in=10)
            assert aimed.numbers["modifier"] == modifier[counts_as] - 3 * inside
            burst = asked(
                "explosion",
                [1],
                weapon="grenade",
                range_for_modifier_in=10,
                everybody=True,
                figures=[{"id": "a", "near_edge_in": 1, "pose": pose, "place": place}],
            )
            assert burst.numbers["each"][0]["modifier"] == 3 + modifier[counts_as] - 3 * inside
    flat = {"ditch_lowers_pose": False}
    assert asked("shelter", None, flat, place="ditch", pose="standing").numbers["pose_counts_as"] == "standing"


# Combat effects.


def test_a_six_with_everything_added_ww_50_ww_51_ww_52_ww_53_ww_54_ww_55() -> None:
    for distance_in, near in ((0, 2), (3, 2), (3.1, 1), (6, 1), (6.1, 0), (24, 0)):
        for pose, stands in (("standing", 1), ("kneeling", 0), ("crouching", 0), ("prone", -1)):
            for cover, hides in (("none", 0), ("concealment", -1), ("cover", -3)):
                modifier = near + stands + hides
                for face in range(1, 7):
                    given = {
                        "weapon": "rifle_german",
                        "pose": pose,
                        "cover": cover,
                        "range_for_modifier_in": distance_in,
                    }
                    found = asked("combat", [face], **given)
                    assert (found.numbers["modifier"], found.numbers["eliminated"]) == (modifier, face + modifier >= 6)
                    least = max(1, 6 - modifier)
                    assert found.numbers["needs_roll"] == (None if least > 6 else least)
                    assert ("WW-55" in rules_of(found)) == (least > 6 or least == 1)
                    exactly = asked("combat", [face], {"eliminated_on": "exactly_6"}, **given).numbers
                    assert exactly["eliminated"] == (face + modifier == 6)
    for between, distance_in, near in (
        ("next_band", 3.4, 1),
        ("nearest_inch", 3.4, 2),
        ("nearest_inch", 3.5, 1),
        ("whole_inches", 3.9, 2),
        ("whole_inches", 4, 1),
    ):
        given = {"weapon": "rifle_german", "pose": "kneeling", "range_for_modifier_in": distance_in}
        assert asked("combat", [3], {"between_bands": between}, **given).numbers["modifier"] == near


def test_one_cover_or_both_ww_54() -> None:
    pieces = [
        {"terrain": name, "fraction_behind": 0.6, "line_passes_terrain": True} for name in ("hedge", "stone_wall")
    ]
    for option, modifier in (("worst", -3), ("add", -4)):
        found = asked(
            "aimed",
            None,
            {"both_covers": option},
            weapon="rifle_german",
            pose="kneeling",
            distance_in=10,
            terrain=pieces,
        )
        assert found.numbers["modifier"] == modifier


def test_shots_at_one_target_or_several_ww_36_ww_50_ww_63() -> None:
    given = {"weapon": "smg_german", "distance_in": 10, "pose": "kneeling", "shots": 3}
    found = asked("attack", [1, 5, 2], **given)
    assert (found.numbers["rolls"], found.numbers["eliminated"]) == ([1, 5, 2], True)
    assert "eliminated" in {one.status for one in statuses(found)}
    assert "WW-63" in rules_of(found)
    one_by_one = {"targets_named": "one_by_one"}
    early = asked("attack", [1, 5], one_by_one, **given).numbers
    assert (early["rolls"], early["shots_left"]) == ([1, 5], 1)
    shots = [{"target": name, "range_in": 10, "pose": "kneeling"} for name in ("a", "a", "b")]
    volley = asked("volley", [6, 6, 6], weapon="smg_german", shots=shots)
    assert (volley.numbers["eliminated"], volley.numbers["shots_left"]) == (["a", "b"], 0)
    dead = [one.figure for one in statuses(volley) if one.status == "eliminated"]
    assert dead == ["a", "b"]
    saved = asked("volley", [6, 6], one_by_one, weapon="smg_german", shots=shots).numbers
    assert (saved["eliminated"], saved["shots_left"]) == (["a", "b"], 1)
    assert code(asked("volley", weapon="smg_german", shots=[*shots, shots[0]])) == "rate_of_fire"
    far = {"target": "c", "range_in": 12.1, "pose": "kneeling"}
    assert code(asked("volley", weapon="smg_german", shots=[shots[0], far])) == "out_of_range"


# Explosives.


def figure(name: str, near_in: float, far_in: float, **more: Any) -> dict[str, Any]:
    """A figure near a burst."""
    return {"id": name, "near_edge_in": near_in, "far_edge_in": far_in, **more}


@pytest.mark.parametrize("weapon", list(RADII))
def test_every_figure_in_the_radius_ww_38(weapon: str) -> None:
    radius_in = RADII[weapon]
    men = [
        figure("edge", radius_in, radius_in + 1, side="german"),
        figure("middle", radius_in - 0.5, radius_in + 0.5, side="allied"),
        figure("whole", radius_in - 1, radius_in),
        figure("out", radius_in + 0.1, radius_in + 1),
        figure("inside", 0, 1, inside=True),
    ]
    for by, names in (
        ("near_edge", ["edge", "middle", "whole"]),
        ("centre", ["middle", "whole"]),
        ("whole_base", ["whole"]),
    ):
        found = asked("blast_targets", None, {"caught_by": by}, weapon=weapon, figures=men).numbers
        assert (found["targets"], found["radius_in"]) == (names, radius_in), by
    everybody = asked("blast_targets", weapon=weapon, figures=men, all_in_open=True).numbers["targets"]
    assert everybody == ["edge", "middle", "whole", "inside"]
    rolled = asked("explosion", [6, 6, 6, 6], weapon=weapon, range_for_modifier_in=10, figures=men)
    assert rolled.numbers["targets"] == ["edge", "middle", "whole", "inside"]
    assert {one.figure for one in statuses(rolled)} == set(rolled.numbers["eliminated"])
    with pytest.raises(RuleRefusal):
        asked("blast_targets", weapon="pistol")


def test_from_where_an_explosive_is_judged_ww_51_ww_54() -> None:
    man = figure("a", 1, 2, firer_distance_in=5, pose="kneeling", cover="cover", cover_from_firer="none")
    for option, near in (("firer_to_spot", 0), ("firer_to_figure", 1), ("burst_to_figure", 2)):
        given = {"weapon": "grenade", "range_for_modifier_in": 10, "figures": [man]}
        found = asked("explosion", [1], {"blast_range": option}, **given).numbers["each"][0]["modifier"]
        assert found == near + 3 - 3
        bare = asked("explosion", [1], {"blast_range": option, "blast_cover": "firer"}, **given)
        assert bare.numbers["each"][0]["modifier"] == near + 3
    indoors = figure("a", 1, 2, pose="kneeling", place="building")
    for counts, cover in ((True, -3), (False, 0)):
        given = {"weapon": "grenade", "range_for_modifier_in": 10, "figures": [indoors], "inside_shelter": True}
        found = asked("explosion", [1], {"cover_inside_shelter": counts}, **given).numbers["each"][0]["modifier"]
        assert found == 3 - 1 + cover
        beside = {**given, "inside_shelter": False}
        assert asked("explosion", [1], {"cover_inside_shelter": counts}, **beside).numbers["each"][0]["modifier"] == -1


CROWD = [
    figure("near", 3, 4, inside=True),
    figure("deep", 7.5, 8.5, inside=True),
    figure("beyond", 12.5, 13.5, inside=True),
    figure("outside", 1, 2),
]


def test_grenades_at_shelters_ww_38_ww_39_ww_40_ww_41_ww_25() -> None:
    for place, lands, radius_in, targets in (
        ("bunker", {"thrower_touching_wall": True}, 4, ["near", "deep", "beyond"]),
        ("building", {"thrower_touching_wall": True}, 8, ["near", "deep"]),
        ("foxhole", {"thrower_distance_in": 3}, 4, ["near", "deep", "beyond"]),
        ("trench", {"thrower_distance_in": 3}, 4, ["near", "deep", "beyond"]),
        ("ditch", {"thrower_distance_in": 3}, 4, ["near", "deep", "beyond"]),
    ):
        inside = asked("grenade_at", place=place, figures=CROWD, **lands).numbers
        assert (inside["lands_inside"], inside["radius_in"], inside["targets"]) == (True, radius_in, targets), place
        trench = place in ("foxhole", "trench", "ditch")
        misses = {"thrower_distance_in": 3.1, "thrower_touching_wall": True} if trench else {"thrower_distance_in": 1}
        outside = asked("grenade_at", place=place, figures=CROWD, **misses)
        assert (outside.numbers["lands_inside"], outside.numbers["targets"]) == (False, ["outside"]), place
        assert outside.numbers["radius_in"] == 4
        assert rules_of(outside) == {"WW-41" if trench else "WW-40"}
    assert asked("grenade_at", place="open", figures=CROWD).numbers["targets"] == ["outside"]
    assert asked("grenade_at", place="open", thrower_distance_in=6).allowed
    assert code(asked("grenade_at", place="open", thrower_distance_in=6.1)) == "out_of_range"
    assert code(asked("grenade_at", place="open", weapon="bazooka")) == "not_a_grenade"


@pytest.mark.parametrize("weapon", LAUNCHERS)
def test_launchers_at_shelters_ww_42_ww_43_ww_25(weapon: str) -> None:
    radius_in = RADII[weapon]
    for distance_in, least in ((3, 3), (3.1, 4), (6, 4), (6.1, 5), (12, 5), (12.1, 6), (18, 6)):
        for place in ("bunker", "foxhole", "trench", "ditch"):
            given = {"weapon": weapon, "target": place, "distance_in": distance_in, "figures": CROWD}
            if distance_in > RANGES[weapon]:
                assert code(asked("at_to_hit", **given)) == "out_of_range"
                continue
            hit = asked("at_to_hit", [least], **given).numbers
            assert (hit["hit"], hit["caught"]) == (True, ["near", "deep", "beyond", "outside"])
            missed = asked("at_to_hit", [least - 1], **given).numbers
            assert (missed["hit"], missed["caught"]) == (False, [])
            beside = asked("at_to_hit", [least - 1], {"launcher_miss": "bursts_outside"}, **given).numbers
            assert beside["caught"] == ["outside"]
            directed = asked("at_to_hit", [least - 1], {"direction_helps": "all_rolls"}, **given, directed=True).numbers
            assert directed["hit"]
            assert not asked("at_to_hit", [least - 1], **given, directed=True).numbers["hit"]
    wall = asked("at_on_building", weapon=weapon, distance_in=5, figures=CROWD).numbers
    assert (wall["hit"], wall["radius_in"]) == (True, radius_in)
    assert wall["caught"] == (["near"] if radius_in >= 3 else []) + ["outside"]
    rolled = {"launcher_at_building": "to_hit"}
    assert [
        asked("at_on_building", [face], rolled, weapon=weapon, distance_in=5).numbers["hit"] for face in (3, 4)
    ] == [False, True]
    assert code(asked("at_to_hit", weapon=weapon, target="open", distance_in=5)) == "no_shelter"
    assert code(asked("at_to_hit", weapon="grenade", target="trench", distance_in=5)) == "not_a_launcher"


@pytest.mark.parametrize("weapon", [*MORTARS, *GUNS])
def test_where_a_shell_comes_down_ww_44(weapon: str) -> None:
    ways = {
        4: ("left", [16, 20]),
        3: ("right", [24, 20]),
        2: ("toward_opponent", [20, 24]),
        1: ("toward_self", [20, 16]),
    }
    place = {"spot_in": [20.0, 20.0], "own_edge_deg": -90.0}
    for face in range(1, 7):
        found = asked("deviation", [face, 4], weapon=weapon, **place).numbers
        way, spot = ways.get(face, ("on_spot", [20, 20]))
        assert (found["deviation"], found["inches"], found["spot_in"]) == (way, 4 if face < 5 else 0, spot)
        at_shelter = {"weapon": weapon, "at_shelter": True}
        never = asked("deviation", [face, 4], {"shells_deviate_at_shelters": False}, **at_shelter).numbers
        assert never["deviation"] == "on_spot"
        assert asked("deviation", [face, 4], **at_shelter).numbers["deviation"] == way
        # A gun that fires to the right of the board has left at the far edge.
        aside = asked("deviation", [face, 4], weapon=weapon, **place, firer_in=[0.0, 20.0]).numbers["spot_in"]
        along = {4: [20, 24], 3: [20, 16], 2: [20, 24], 1: [20, 16]}.get(face, [20, 20])
        assert aside == along
        edge = {"left_and_right": "from_the_board_edge"}
        assert (
            asked("deviation", [face, 4], edge, weapon=weapon, **place, firer_in=[0.0, 20.0]).numbers["spot_in"] == spot
        )
    helped = asked("deviation", [4], {"direction_helps": "all_rolls"}, weapon=weapon, directed=True).numbers
    assert helped["deviation"] == "on_spot"
    assert asked("deviation", [4, 2], weapon=weapon, directed=True).numbers["deviation"] == "left"
    for direct in ("grenade", "bazooka", "pistol"):
        assert code(asked("deviation", weapon=direct)) == "not_indirect"


@pytest.mark.parametrize("weapon", [*MORTARS, *GUNS])
def test_shells_on_shelters_ww_45_ww_46_ww_47_ww_48_ww_49(weapon: str) -> None:
    gun, radius_in = weapon in GUNS, RADII[weapon]
    for face in range(1, 7):
        for place in ("foxhole", "trench", "ditch"):
            given = {"weapon": weapon, "place": place, "figures": CROWD}
            found = asked("shell_on_shelter", [face], **given).numbers
            assert (found["hit"], found["caught"]) == (
                (True, ["near", "deep", "beyond"]) if face == 6 else (False, ["outside"])
            )
            silent = asked("shell_on_shelter", [face], {"shell_misses_trench": "nothing"}, **given).numbers
            assert silent["caught"] == (["near", "deep", "beyond"] if face == 6 else [])
        bunker = asked("shell_on_shelter", [face], weapon=weapon, place="bunker", figures=CROWD).numbers
        if gun:
            assert (bunker["bunker_eliminated"], bunker["occupants_eliminated"]) == (face == 6, face == 6)
            assert bunker["eliminated"] == (["near", "deep", "beyond"] if face == 6 else [])
        else:
            assert (bunker["hit"], bunker["explodes_inside"], bunker["caught"]) == (False, False, ["outside"])
        for choice in ("hole", "roof"):
            given = {"weapon": weapon, "place": "building", "choice": choice, "figures": CROWD}
            found = asked("shell_on_shelter", [face], **given).numbers
            assert found["hit"] == (face >= 5)
            nothing = asked("shell_on_shelter", [face], {"shell_misses_building": "nothing"}, **given).numbers
            if face < 5:
                assert (found["caught"], nothing["caught"]) == (["outside"], [])
            elif not gun:
                assert (found["radius_in"], found["caught"]) == (2 * radius_in, ["near", "deep"])
            elif choice == "roof":
                assert found["caught"] == ["near", "deep", "beyond"]
            else:
                assert (found["section_in"], found["roll_within_in"]) == (radius_in / 2, 3)
                assert found["caught"] == ["near"]
    assert code(asked("shell_on_shelter", weapon=weapon, place="open")) == "no_shelter"
    assert code(asked("shell_on_shelter", weapon="bazooka", place="trench")) == "not_indirect"
    help_ = {"direction_helps": "all_rolls"}
    assert asked("shell_on_shelter", [5], help_, weapon=weapon, place="trench", directed=True).numbers["hit"]
    assert not asked("shell_on_shelter", [5], weapon=weapon, place="trench", directed=True).numbers["hit"]


@pytest.mark.parametrize(("weapon", "half_in"), [("gun_75", 1.25), ("gun_105", 1.5)])
def test_a_hole_in_the_wall_ww_49(weapon: str, half_in: float) -> None:
    """Half of the radius wide: who stands in it is eliminated, within 3 in of the spot there is a roll."""
    for size, from_, wide_in, reach_in in (
        ("width", "middle", half_in, 3),
        ("radius", "middle", 2 * half_in, 3),
        ("width", "edge", half_in, 3 + half_in),
    ):
        gaps = {"at": wide_in, "by": wide_in + 0.1, "in": reach_in, "out": reach_in + 0.1}
        if size == "radius":
            gaps["by"] = wide_in + 0.0 if wide_in >= 3 else wide_in + 0.1
        men = [figure(name, gap_in, gap_in + 1, pose="kneeling", cover="cover") for name, gap_in in gaps.items()]
        options = {"hole_size": size, "hole_roll_from": from_}
        found = asked("hole_in_wall", [1] * 4, options, weapon=weapon, range_for_modifier_in=20, figures=men).numbers
        gone = [name for name, gap_in in gaps.items() if gap_in <= wide_in]
        assert found["eliminated"] == gone, options
        assert found["targets"] == [name for name, gap_in in gaps.items() if wide_in < gap_in <= reach_in], options


# Leaders, observers, radiomen, reserves.


def test_who_may_lead_direct_and_call_ww_56_ww_57_ww_60_ww_62() -> None:
    for who in TABLES.commanders:
        leads = who in ("leader", "leader_with_binoculars", "radioman")
        directs = who in ("leader_with_binoculars", "figure_with_binoculars", "radioman")
        for action, able in (
            ("lead", leads),
            ("direct_fire", directs),
            ("call_fire", who == "radioman"),
            ("fire", True),
        ):
            found = asked("command_actions", who=who, actions=[action])
            assert code(found) == ("" if able else "cannot"), (who, action)
        assert asked("command_actions", who=who, actions=["direct_fire"], binoculars=True).allowed
        for first in ("lead", "direct_fire", "call_fire"):
            if asked("command_actions", who=who, actions=[first]).allowed:
                for second in ("move", "fire"):
                    assert code(asked("command_actions", who=who, actions=[first, second])) == "one_action_a_turn"
        for armed in (False, True):
            only = {"armed_radioman_directs": False}
            found = asked("command_actions", None, only, who=who, actions=["direct_fire"], radioman_armed=armed)
            assert found.allowed == (directs and not (who == "radioman" and armed))


def test_what_a_leader_gives_ww_56() -> None:
    for who in TABLES.commanders:
        for action in ("lead", "move", "fire"):
            for distance_in in (6, 6.1):
                leads = who in ("leader", "leader_with_binoculars", "radioman")
                led = leads and action == "lead" and distance_in == 6
                found = asked("lead", leader_action=action, figure_distance_in=distance_in, who=who).numbers
                assert found["bonus_available"] == led
                assert (found["move_bonus_in"], found["fire_bonus"]) == ((1, 1) if led else (0, 0))
    idle = asked("lead", leader_action="lead", figure_distance_in=3, status_die=6).numbers
    assert not idle["bonus_available"]
    for stack, led in ((True, True), (False, False)):
        given = {"leader_action": "lead", "figure_distance_in": 3, "led_already": True}
        assert asked("lead", None, {"leads_stack": stack}, **given).numbers["bonus_available"] == led
    shot = {"weapon": "rifle_german", "pose": "kneeling", "range_for_modifier_in": 10}
    for distances, bonus, stacked in (([6], 1, 1), ([6.1], 0, 0), ([3, 6], 1, 2)):
        for stack, wanted in ((False, bonus), (True, stacked)):
            fired = asked("combat", [3], {"leads_stack": stack}, **shot, leader_distances_in=distances)
            assert fired.numbers["modifier"] == wanted, distances
            move = asked("move", None, {"leads_stack": stack}, distance_in=1, leader_distances_in=distances)
            assert move.numbers["max_in"] == 6 + wanted


def test_leading_and_directing_together_ww_56_ww_57_ww_61() -> None:
    shot = {"weapon": "rifle_german", "pose": "kneeling", "range_for_modifier_in": 10}
    for option, together in ((True, 2), (False, 1)):
        for means in ("directed", "directed_by_binoculars", "directed_by_radio"):
            found = asked("combat", [3], {"lead_adds_to_direction": option}, **shot, led=True, **{means: True})
            assert found.numbers["modifier"] == together
            alone = asked("combat", [3], {"lead_adds_to_direction": option}, **shot, **{means: True})
            assert alone.numbers["modifier"] == 1
            assert ("WW-61" if means == "directed_by_radio" else "WW-57") in rules_of(alone)


def test_a_second_status_check_ww_56() -> None:
    for face in range(1, 7):
        found = asked("status_reroll", [3], status_die=face)
        assert code(found) == ("" if face >= 5 else "not_failed")
        strict = asked("status_reroll", [3], {"failed_status": 6}, status_die=face)
        assert code(strict) == ("" if face == 6 else "not_failed")
    for option, shift in (("minus_one", -1), ("plus_one", 1), ("plain", 0)):
        for face in range(1, 7):
            found = asked("status_reroll", [face], {"status_reroll": option}, status_die=6)
            assert found.numbers["status_die"] == min(max(face + shift, 1), 6)
            stored = {one.status: one.value for one in statuses(found)}
            assert (stored["status_die"], stored["rolled_again"]) == (min(max(face + shift, 1), 6), True)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"figure_distance_in": 6}, ""),
        ({"figure_distance_in": 6.1}, "too_far_from_leader"),
        ({"has_acted": True}, "too_late"),
        ({"anybody_acted": True}, ""),
        ({"rerolled_already": True}, "rerolled_already"),
    ]
    for given, why in cases:
        assert code(asked("status_reroll", [3], status_die=6, **given)) == why, given
    late = asked("status_reroll", [3], {"status_reroll_when": "before_any_action"}, status_die=6, anybody_acted=True)
    assert code(late) == "too_late"


def test_binoculars_ww_57() -> None:
    for weapon, range_in in RANGES.items():
        given = {"weapon": weapon, "distance_to_directed_figure_in": 6, "weapon_to_target_in": range_in}
        assert asked("direct_fire_binoculars", **given).numbers["fire_bonus"] == 1
        cases: list[tuple[dict[str, Any], str]] = [
            ({"distance_to_directed_figure_in": 6.1}, "too_far_from_figure"),
            ({"weapon_to_target_in": range_in + 0.1}, "out_of_range"),
            ({"figures_directed_already": 1}, "directs_another"),
            ({"status_die": 6}, "status"),
            ({"observer_sees_target": False}, ""),
        ]
        for more, why in cases:
            assert code(asked("direct_fire_binoculars", **{**given, **more})) == why, (weapon, more)
        blind = asked("direct_fire_binoculars", None, {"observer_must_see": True}, **given, observer_sees_target=False)
        assert code(blind) == "observer_sees_nothing"


def test_radios_ww_60_ww_61_ww_62() -> None:
    for mode, on_board in (("direct_onboard", True), ("offboard", False)):
        given = {"mode": mode, "onboard_mortar_or_gun": on_board, "distance_to_target_in": 36}
        cases: list[tuple[dict[str, Any], str]] = [
            ({}, ""),
            ({"distance_to_target_in": 36.1}, "target_too_far"),
            ({"distance_to_weapon_in": 500}, ""),
            ({"status_die": 6}, "status"),
            ({"observer_sees_target": False}, ""),
            ({"radioman_armed": True}, ""),
            ({"onboard_mortar_or_gun": not on_board}, "no_mortar_or_gun" if on_board else "mortar_or_gun_on_board"),
        ]
        for more, why in cases:
            assert code(asked("radio", **{**given, **more})) == why, (mode, more)
        blind = asked("radio", None, {"observer_must_see": True}, **given, observer_sees_target=False)
        assert code(blind) == "observer_sees_nothing"
        armed = asked("radio", None, {"armed_radioman_directs": False}, **given, radioman_armed=True)
        assert code(armed) == ("armed" if on_board else "")
    directs = {"mode": "direct_onboard", "onboard_mortar_or_gun": True, "distance_to_target_in": 10}
    for weapon in RANGES:
        found = asked("radio", **directs, weapon=weapon)
        assert code(found) == ("" if weapon in MORTARS + GUNS else "not_a_mortar_or_gun")
    assert asked("radio", **directs).numbers["fire_bonus"] == 1
    calls = {"mode": "offboard", "onboard_mortar_or_gun": False, "distance_to_target_in": 10}
    called = asked("radio", **calls).numbers
    assert (called["weapon"], called["blast_radius_in"], called["deviation_roll"]) == ("mortar_81", 5, True)
    assert (called["fire_bonus"], called["directed_bonus"]) == (0, 0)
    for option, by in (("one_each_radioman", "calls_by_this_radioman"), ("one_a_side", "calls_by_side")):
        counts = ("calls_by_this_radioman", "calls_by_side")
        for count in counts:
            found = asked("radio", None, {"offboard_calls": option}, **calls, **{count: 1})
            assert code(found) == ("called_already" if count == by else "")


def test_reserves_ww_58_ww_59() -> None:
    assert asked("reserve_can_be_shot").numbers["answer"] is True
    given = {"fighting_figures_eliminated": 2, "reserves_on_board": 3, "eliminated_on_turn": 4}
    for turn, why in ((4, "not_before_the_next_turn"), (5, ""), (6, "")):
        assert code(asked("reserve", **given, turn=turn)) == why
    found = asked("reserve", **given, turn=5).numbers
    assert (found["returning"], found["may_return_on_turn"], found["reserves_left"]) == (2, 5, 1)
    one = asked("reserve", None, {"reserves_a_turn": "one"}, **given, turn=5).numbers
    assert (one["returning"], one["reserves_left"]) == (1, 2)
    second = asked("reserve", None, {"reserves_a_turn": "one"}, **given, turn=5, returned_this_turn=1)
    assert code(second) == "one_a_turn"
    assert asked("reserve", **given, turn=5, returned_this_turn=1).allowed
    few = asked("reserve", fighting_figures_eliminated=3, reserves_on_board=1).numbers
    assert (few["returning"], few["reserves_left"]) == (1, 0)
    assert code(asked("reserve", fighting_figures_eliminated=1, reserves_on_board=0)) == "no_reserves"
    assert code(asked("reserve", fighting_figures_eliminated=0, reserves_on_board=1)) == "nobody_lost"
    effects = [(one.figure, one.status, one.value) for one in statuses(asked("reserve", **given, turn=5))]
    assert len(effects) == 3
    assert {status for _, status, _ in effects} == {"eliminated", "lost_in_turn"}


def test_what_belongs_to_later_segments_ww_64() -> None:
    assert set(TABLES.later_segments) == {"tank", "vehicle", "anti_tank_gun", "artillery", "flamethrower", "mine"}
    for name in TABLES.later_segments:
        assert code(asked("later_segment", unit=name)) == "later_segment"
