"""Simple Plastic Figure, clause by clause: set-up and objectives."""

from __future__ import annotations

from typing import Any

import pytest

from rules.engine.roster import Army, Recruit
from rules.engine.verdict import RuleRefusal, Verdict
from rules.games.simple_plastic_figure.roster import check
from tests.rules.games.clauses import code, rules_of, unit
from tests.rules.games.simple_plastic_figure_clauses import (
    GAME,
    GUNS,
    MORTARS,
    NAME,
    RADII,
    RANGES,
    RATES,
    TABLES,
    asked,
    statuses,
    whole,
)

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
    """A figure that left by the far edge is neither eliminated nor lost, and counts for its own side only."""
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
