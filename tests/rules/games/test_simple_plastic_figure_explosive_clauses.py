"""Simple Plastic Figure, clause by clause: explosives, leaders and observers."""

from __future__ import annotations

from typing import Any

import pytest

from rules.engine.verdict import RuleRefusal
from tests.rules.games.clauses import code, rules_of
from tests.rules.games.simple_plastic_figure_clauses import (
    GUNS,
    LAUNCHERS,
    MORTARS,
    RADII,
    RANGES,
    TABLES,
    asked,
    statuses,
)

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
