"""Simple Plastic Figure, clause by clause: sight, cover and combat effects."""

from __future__ import annotations

import pytest

from tests.rules.games.clauses import code, rules_of
from tests.rules.games.simple_plastic_figure_clauses import (
    GUNS,
    MORTARS,
    RANGES,
    TABLES,
    asked,
    statuses,
)

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


def test_shelters_lower_the_pose_ww_31_ww_32_ww_33_ww_53_ww_54() -> None:
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
