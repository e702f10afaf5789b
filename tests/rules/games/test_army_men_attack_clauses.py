"""Army Men, clause by clause: attacks, leaders and specialists."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.games.army_men_clauses import (
    FEET,
    TABLES,
    asked,
    attack_on,
    modifiers,
    played,
)
from tests.rules.games.clauses import code, unit

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
    found = asked("aim", weapon="light_cannon", distance_in=20, crew=2)
    assert [one.text for one in found.reasons] == ["it needs a crew of 3 beside it, not 2"]


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
        ("spotter", [("officer", 60)], False),  # no one has a radio
        ("spotter", [("officer", 60), ("radio_man", 50)], True),
        ("spotter", [("officer", 25), ("radio_man", 50)], False),
        ("spotter", [("radio_man", 50)], False),  # no one leads
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
