"""Army Men, clause by clause: rolls of 2 and 12, cover, hard targets and heroes."""

from __future__ import annotations

from typing import Any

import pytest

from rules.engine.dice import no_dice
from tests.rules.games.army_men_clauses import (
    FEET,
    GAME,
    TABLES,
    asked,
    attack_on,
    modifiers,
    played,
)
from tests.rules.games.clauses import code, unit

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
