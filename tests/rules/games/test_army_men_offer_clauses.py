"""Army Men, clause by clause: what the referee offers."""

from __future__ import annotations

import pytest

from rules.engine.dice import no_dice
from tests.rules.games.army_men_clauses import (
    GAME,
    MOVES,
    asked,
    attack_on,
    box,
    offered,
    played,
    whole,
)
from tests.rules.games.clauses import code, unit

# As the referee offers it.


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
    dry = [unit("green-1", "tank", 20, 14), unit("green-2", "jeep", 14, 14), unit("green-3", "rifleman", 14, 14)]
    rides = {"status": {"green-3": {"inside": "green-2"}}}
    *_, step = played(dry, [unit("tan-1", "rifleman", 60, 60)], rides, MOVES, {"ask": ""}, terrain=[lake])
    assert not [one for one in step["owed"] if one["rule"] == "AM-30"]  # vehicles and their passengers do not swim


def test_who_is_inside_does_not_burn_outside_am_82() -> None:
    """An explosion beside a tank: armour keeps it from the man inside, not from one in a jeep or beside it."""
    for card, burnt in (("tank", set()), ("jeep", {"tan-2", "tan-3"})):
        tan = [
            unit("tan-1", "flame_thrower_man", 20, 25),
            unit("tan-2", card, 20, 26),
            unit("tan-3", "rifleman", 20, 26),
        ]
        steps = [
            {"status": {"tan-3": {"inside": "tan-2"}}},
            {"phase": "small_arms", "side": "", "turn": 1},
            {"do": {"action": "attack", "by": "green-1", "at": "tan-1"}, "dice": [3, 4, 3]},
        ]
        *_, step = played([unit("green-1", "rifleman", 20, 10)], tan, *steps)
        down = {one["figure"] for one in step["effects"] if one.get("status", {}).get("down")}
        assert down - {"tan-1"} == burnt, card


def test_who_gets_out_of_a_tank_on_mines_is_inside_no_more_am_105() -> None:
    field = {"name": "mines", "kind": "mine", "outline_in": [[18, 18], [22, 18], [22, 22], [18, 22]], "height_in": 0}
    steps = [
        {"status": {"green-2": {"inside": "green-1"}}},
        MOVES,
        {"move": {"green-1": {"path_in": [[10, 20], [20, 20]]}}},
        {"do": {"action": "minefield", "by": "green-1"}, "dice": [1, 1]},  # a natural 2 destroys it
        {"do": {"action": "crew_survival"}, "dice": [1]},
    ]
    green = [unit("green-1", "tank", 10, 20), unit("green-2", "rifleman", 10, 20)]
    answer = whole(green, [unit("tan-1", "rifleman", 60, 60)], *steps, terrain=[field])
    figures = answer["state"]["figures"]
    assert figures["green-1"]["out"]
    assert (figures["green-2"]["out"], figures["green-2"]["status"]) == (False, {"moved": True})


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
