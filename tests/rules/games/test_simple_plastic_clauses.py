"""Simple Plastic: every clause of a rule by itself: each number at its limit, each exception, each agreement."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from rules.engine.game import Game
from rules.engine.verdict import MoveEffect, RuleRefusal, StatusEffect, Verdict
from rules.games import open_game
from rules.games.simple_plastic.tables import Tables
from tests.rules.games.clauses import Step, answer_to, code, played_out, rules_of

GAME: Game[Tables] = open_game("simple_plastic")
TABLES = GAME.rules.tables
asked = partial(answer_to, GAME)


def statuses(found: Verdict) -> dict[str, Any]:
    """The statuses that an answer gives, with their values."""
    return {one.status: one.value for one in found.effects if isinstance(one, StatusEffect)}


def unit(name: str, x_in: float, y_in: float, card: str = "soldier", **more: Any) -> dict[str, Any]:
    """A figure of a situation."""
    return {"id": name, "card": card, "at_in": [x_in, y_in], **more}


def played(green: list[Step], tan: list[Step], *steps: Step, **more: Any) -> list[Step]:
    """The answers to the steps of a situation."""
    found = played_out("simple_plastic", {"green": green, "tan": tan}, *steps, **{"table_in": [72, 48], **more})
    answers: list[Step] = found["steps"]
    return answers


def test_each_action_in_its_own_phase_and_turn_sp_01_sp_08() -> None:
    green = [
        unit("green-1", 10, 10, squad="a"),
        unit("green-2", 11.2, 10, squad="a"),
        unit("green-3", 20, 10, "sniper"),
    ]
    tan = [unit("tan-1", 10, 20), unit("tan-2", 14, 20)]
    for phase, side, moves, attacks in (
        ("moving", "green", True, False),
        ("attacking", "green", False, True),
        ("moving", "tan", False, False),
        ("attacking", "tan", False, False),
    ):
        begin = {"phase": phase, "side": side, "turn": 1}
        asks = [{"ask": name} for name in ("green-1", "green-3")]
        shots = {"do": {"action": "sniper_attacks", "by": "green-3", "at": ["tan-1", "tan-2"]}, "dice": [1, 1]}
        path = {"move": {"green-3": {"path_in": [[20, 10], [20, 11]]}}}
        squad, sniper, moved = played(green, tan, begin, *asks, path)
        *_, shot = played(green, tan, begin, shots)
        listed = [*squad["actions"], *sniper["actions"]]
        assert {one["allowed"] for one in listed if "attack" in one["action"]} == {attacks}, (phase, side)
        assert {one["action"] for one in listed} >= {"attack", "squad_attack", "sniper_attacks"}
        assert (moved["allowed"], shot["allowed"]) == (moves, attacks), (phase, side)
    assert code(asked("attack", attacker="ordinary", attacker_moved=False, phase="moving")) == "wrong_phase"
    assert code(asked("lone_unit_move", moved_in=1, phase="attacking")) == "wrong_phase"
    order = asked("turn_sequence", players=["A", "B"]).numbers["steps"]
    assert order == [["A", "moving"], ["A", "attacking"], ["B", "moving"], ["B", "attacking"]]
    shared = asked("turn_sequence", None, {"turn_order": "shared_phases"}, players=["A", "B"]).numbers["steps"]
    assert shared == [["A", "moving"], ["B", "moving"], ["A", "attacking"], ["B", "attacking"]]


def test_four_inches_or_a_span_sp_02_sp_04() -> None:
    for action, moved in (("lone_unit_move", "moved_in"), ("squad_move", "lead_moved_in")):
        for mode, option, allowance_in in (
            (None, "exact", 4),
            (None, "span", 5),
            ("exact", "span", 4),
            ("span", "exact", 5),
        ):
            how = {"span_in": 5, **({"mode": mode} if mode else {})}
            for went_in, why in ((allowance_in, ""), (allowance_in + 0.1, "too_far")):
                found = asked(action, None, {"move_measure": option}, **how, **{moved: went_in})
                assert (code(found), found.numbers["allowance_in"]) == (why, allowance_in), (mode, option)
                assert found.numbers["left_in"] == max(0, allowance_in - went_in)
        before = {"moved_before_in": 3}
        assert asked(action, **before, **{moved: 1}).allowed
        assert code(asked(action, **before, **{moved: 1.1})) == "too_far"
    assert "SP-04" in rules_of(asked("lone_unit_move", moved_in=1))


def test_who_is_measured_and_who_follows_sp_03() -> None:
    for option, why in (("frontmost", "wrong_lead"), ("any", "")):
        found = asked("squad_move", None, {"lead_is": option}, lead_moved_in=3, lead_is_frontmost=False)
        assert code(found) == why
    for behind, why in ((True, "follower_ahead"), (False, "")):
        found = asked("squad_move", None, {"followers_behind": behind}, lead_moved_in=3, follower_ahead=True)
        assert code(found) == why
    assert asked("squad_move", lead_moved_in=3, follower_moved_in=[9, 12]).allowed
    led = asked("squad_move", lead_moved_in=1.5, moved_before_in=2)
    assert statuses(led)["moved_in"] == 3.5


def test_a_lone_unit_that_moves_at_all_has_moved_sp_04_sp_21() -> None:
    for moved_in, moved in ((0, False), (0.1, True), (0.5, True)):
        found = asked("lone_unit_move", moved_in=moved_in)
        assert ("moved" in statuses(found)) == moved
        assert any(isinstance(one, MoveEffect) for one in found.effects)
    *_, step = played(
        [unit("green-1", 10, 10)], [], {"phase": "moving", "side": "green", "turn": 1}, {"ask": "green-1"}
    )
    assert "squad_move" not in {one["action"] for one in step["actions"]}


def test_half_an_inch_between_the_men_sp_05_sp_06() -> None:
    for slack, gap_in, wide in ((0, 0.5, False), (0, 0.51, True), (0.1, 0.6, False), (0.1, 0.61, True)):
        options = {"cohesion_slack_in": slack}
        assert asked("cohesion", None, options, gaps_in=[0.1, gap_in]).numbers["coherent"] != wide
        for led_in, rule in ((2, "SP-05"), (0, "SP-06")):
            found = asked("squad_move", None, options, lead_moved_in=led_in, gaps_in=[gap_in])
            assert code(found) == ("not_coherent" if wide else "")
            if wide:
                assert rules_of(found) == {rule}
    assert asked("squad_move", lead_moved_in=2, gaps_in=[0.9], coherent_after=True).allowed
    assert code(asked("squad_move", lead_moved_in=2, gaps_in=[0.1], coherent_after=False)) == "not_coherent"
    for closed_by in ("next_moving_phase", "at_once"):
        found = asked("cohesion", None, {"gaps_closed_by": closed_by}, gaps_in=[2])
        assert (found.numbers["close_by"], rules_of(found)) == (closed_by, {"SP-05", "SP-06"})


@pytest.mark.parametrize(
    ("gap_in", "dead_side", "option", "owed"),
    [
        (2.0, "green", "next_moving_phase", False),
        (2.0, "green", "at_once", True),
        (0.3, "green", "at_once", False),  # no gap
        (2.0, "tan", "at_once", False),  # the enemy's squad of the same name has lost a man
    ],
)
def test_gaps_closed_at_once_sp_06(gap_in: float, dead_side: str, option: str, owed: bool) -> None:
    x_in = 11 + gap_in
    green = [
        unit("green-1", 10, 10, squad="a"),
        unit("green-2", x_in, 10, squad="a"),
        unit("green-3", 30, 10, squad="a"),
    ]
    tan = [unit("tan-1", 40, 40, squad="a"), unit("tan-2", 41, 40, squad="a")]
    fallen = "green-3" if dead_side == "green" else "tan-2"
    green = green if dead_side == "green" else green[:2]
    steps: list[dict[str, Any]] = [{"phase": "attacking", "side": "tan", "turn": 1}]
    steps += [{"status": {fallen: {"eliminated": True}}}, {"ask": ""}]
    steps += [{"move": {"green-2": {"path_in": [[x_in, 10], [11.2, 10]]}}}]
    listed, moved = played(green, tan, *steps, options={"gaps_closed_by": option})
    assert any(one["rule"] == "SP-06" for one in listed["owed"]) == owed
    assert moved["allowed"] == owed


def test_who_closes_gaps_does_not_walk_away_sp_06_sp_07() -> None:
    closing = {"closes_gaps": True, "phase": "attacking", "moved_before_in": 4}
    assert asked("squad_move", **closing, lead_moved_in=0.5).allowed
    assert code(asked("squad_move", **closing, lead_moved_in=0.6)) == "wrong_phase"


def test_who_has_moved_sp_07() -> None:
    for place_in in (0.5, 0, 0.25, 1):
        for led_in, moved in ((place_in, False), (place_in + 0.1, True)):
            options = {"same_place_in": place_in}
            for closed in (False, True):
                found = asked("counts_as_moved", None, options, lead_moved_in=led_in, followers_closed_gaps=closed)
                assert found.numbers["moved"] == moved
            step = asked("squad_move", None, options, lead_moved_in=led_in)
            assert ("moved" in statuses(step)) == moved
    twice = asked("squad_move", lead_moved_in=0.4, moved_before_in=0.4)
    assert "moved" in statuses(twice)
    for option, number in (("figure", 3), ("squad", 4)):
        given = {"attacker": "ordinary", "attacker_moved": True, "stayed_put": True}
        assert asked("to_kill", None, {"did_not_move": option}, **given).numbers["to_kill"] == number


def test_one_attack_a_turn_sp_08_sp_22() -> None:
    for name, most in (("ordinary", 1), ("heavy_weapon", 1), ("sniper", 2)):
        for made in (most - 1, most):
            found = asked("to_kill", attacker=name, attacker_moved=False, attacks_made_this_turn=made)
            assert code(found) == ("" if made < most else "already_attacked")


def men(*distances: float, **more: Any) -> list[dict[str, Any]]:
    """The men of a squad at these distances."""
    return [
        {"id": f"tan-{n}", "distance_in": distance_in, "squad": "b", **more}
        for n, distance_in in enumerate(distances, 1)
    ]


def test_the_squads_own_targets_sp_08_sp_14() -> None:
    two = [*men(3), {"id": "tan-9", "distance_in": 4, "squad": "c"}]
    squad = {"attackers": ["ordinary"], "attacker_moved": False}
    assert code(asked("squad_attack", **squad, targets=two)) == "several_targets"
    fired = {"attacker": "ordinary", "attacker_moved": True, "targets": men(3), "squad_fired_at": "c"}
    assert asked("to_kill", **fired).allowed
    assert code(asked("to_kill", None, {"squad_fires_at": "one_target"}, **fired)) == "several_targets"
    assert asked("to_kill", None, {"squad_fires_at": "one_target"}, **{**fired, "squad_fired_at": "b"}).allowed
    marked = asked("attack", [6], {"squad_fires_at": "one_target"}, **{**fired, "squad_fired_at": ""})
    assert statuses(marked)["fired_at"] == "b"


def test_what_can_be_seen_and_is_covered_sp_09_sp_16_sp_17() -> None:
    for obstacle, solid in (
        (None, True),
        ("wall", True),
        ("building", True),
        ("terrain", True),
        ("bush", False),
        ("fence", False),
    ):
        for part, option in ((0.0, 0), (0.01, 0), (0.5, 0), (1.0, 0), (0.75, 0.25), (0.74, 0.25), (0.9, 0.1)):
            given = {"visible_fraction": part, **({"obstacle": obstacle} if obstacle else {})}
            found = asked("may_attack", None, {"cover_beyond": option}, **given)
            seen = part > 0 or not solid
            covered = not solid or 1 - part > option + 1e-9
            assert code(found) == ("" if seen else "not_visible"), given
            shot = {"attacker": "ordinary", "attacker_moved": True, **given}
            kills = asked("to_kill", None, {"cover_beyond": option}, **shot)
            assert code(kills) == code(found)
            if seen:
                assert (found.numbers["in_cover"], found.numbers["cover_modifier"]) == (covered, int(covered)), given
                assert kills.numbers["to_kill"] == 4 + covered
                assert "SP-10" in rules_of(found)
    for part, ask in ((0.05, True), (0.95, True), (0.5, False), (1.0, False)):
        assert asked("may_attack", visible_fraction=part).numbers["ask"] == ask


def test_distance_does_not_matter_sp_10() -> None:
    for distance_in in (0, 0.2, 3, 12.5, 24, 100, 500):
        given = {"attacker": "ordinary", "attacker_moved": True}
        assert asked("to_kill", **given, distance_in=distance_in).numbers["to_kill"] == 4
        found = asked("to_kill", **given, targets=men(distance_in, in_cover=True))
        assert (found.numbers["to_kill"], "SP-10" in rules_of(found)) == (5, True)
        hard = asked("to_kill", **given, targets=men(distance_in, in_cover=True, special=True))
        assert hard.numbers["to_kill"] == 6


def test_a_four_or_more_kills_one_sp_11_sp_13_sp_26() -> None:
    given = {"attacker": "ordinary", "attacker_moved": True}
    for face in range(1, 7):
        alone = asked("attack", [face], **given)
        assert alone.numbers["kills"] == (face >= 4)
        assert ("eliminated" in statuses(alone)) == (face >= 4)
        assert ("SP-13" in rules_of(alone)) == (face == 1)
        squad = asked("attack", [face], **given, targets=men(3, 5))
        assert squad.numbers["killed"] == (["tan-1"] if face >= 4 else [])
    easy = {"attacker": "heavy_weapon", "attacker_moved": False, "elevation_of_target": "downhill"}
    assert asked("to_kill", **easy).numbers["to_kill"] == 1
    assert asked("attack", [1, 1, 2, 1], **easy).numbers["hits"] == 1
    heavy = {"attacker": "heavy_weapon", "attacker_moved": True}
    for figures, kills in ((None, 3), (2, 2), (5, 3)):
        some = {} if figures is None else {"target_figures": figures}
        found = asked("attack", [3, 4, 6, 2], **heavy, **some).numbers
        assert (found["hits"], found["kills"]) == (3, kills)
    five = {"attacker_moved": True, "targets": men(1, 2, 3, 4, 5)}
    mixed = asked("squad_attack", [3, 3, 3, 3, 3], attackers=["heavy_weapon", "ordinary"], **five)
    assert mixed.numbers["killed"] == ["tan-1", "tan-2", "tan-3", "tan-4"]
    other = asked("squad_attack", [3, 3, 3, 3, 3], attackers=["ordinary", "heavy_weapon"], **five)
    assert len(other.numbers["killed"]) == 4
    stayed = {"attackers": ["ordinary", "ordinary"], "attacker_moved": True, "stayed_put_each": [False, True]}
    each = asked("squad_attack", [3, 3], {"did_not_move": "figure"}, **stayed, targets=men(1, 2)).numbers
    assert each["killed"] == ["tan-1"]
    views = [men(1, 2, in_cover=True), men(1, 2)]
    seen = asked("squad_attack", [4, 4], attackers=["ordinary"] * 2, attacker_moved=True, views=views).numbers
    assert seen["killed"] == ["tan-1"]


def test_every_condition_alone_and_together_sp_12_sp_23_sp_25() -> None:
    for name, special in (("ordinary", 0), ("heavy_weapon", -1), ("sniper", -1)):
        for moved in (False, True):
            for height, up in (("uphill", 1), ("level", 0), ("downhill", -1)):
                for cover in (False, True):
                    for hard in (False, True):
                        target = {"elevation_of_target": height, "target_in_cover": cover, "target_special": hard}
                        found = asked("to_kill", attacker=name, attacker_moved=moved, **target)
                        if name == "sniper" and moved:
                            assert (code(found), rules_of(found)) == ("moved", {"SP-21"})
                            continue
                        number = 4 + special - (not moved) + up + cover + hard
                        assert code(found) == ("too_well_protected" if number > 6 else "")
                        assert found.numbers["to_kill"] == number
                        assert ("SP-23" in rules_of(found)) == (name == "sniper" and number <= 6)
    for beyond in (0, 0.25, 0.5, 1, 2):
        for rise_in, height in (
            (beyond, "level"),
            (-beyond, "level"),
            (beyond + 0.1, "uphill"),
            (-beyond - 0.1, "downhill"),
        ):
            found = asked("elevation", None, {"uphill_beyond_in": beyond}, rise_in=rise_in)
            assert found.numbers["elevation"] == height


def test_a_protected_man_in_front_sp_14_sp_15() -> None:
    hidden = {"in_cover": True, "special": True, "elevation": "uphill"}
    targets = [*men(2, **hidden), {"id": "tan-9", "distance_in": 5, "squad": "b"}]
    given = {"attacker": "ordinary", "attacker_moved": True, "targets": targets}
    assert asked("attack", [4], **given).numbers["killed"] == ["tan-9"]
    assert code(asked("attack", None, {"protected_closest": "shields_the_rest"}, **given)) == "too_well_protected"


def test_the_closest_first_sp_15() -> None:
    targets = [
        *men(5),
        {"id": "tan-9", "distance_in": 2, "squad": "b"},
        {"id": "tan-8", "distance_in": 3, "squad": "b"},
    ]
    heavy = {"attacker": "heavy_weapon", "attacker_moved": True, "targets": targets}
    assert asked("attack", [1, 6, 6, 1], **heavy).numbers["killed"] == ["tan-9", "tan-8"]
    listed = asked("attack", [1, 6, 6, 1], {"closest_to": "squad"}, **heavy).numbers["killed"]
    assert listed == ["tan-1", "tan-9"]
    # The best die is read against the closest man: the five kills the one in cover, the four the next.
    behind = [*men(2, in_cover=True), {"id": "tan-9", "distance_in": 3, "squad": "b"}]
    moved = {"attacker": "heavy_weapon", "attacker_moved": True, "targets": behind}
    assert asked("attack", [3, 4, 1, 1], **moved).numbers["killed"] == ["tan-1", "tan-9"]
    first = asked("attack", [3, 4, 1, 1], {"modifiers_of": "closest_of_squad"}, **moved).numbers["killed"]
    assert first == ["tan-1"]
    views = [[*men(2, 6)], [{**one, "distance_in": 8 - one["distance_in"]} for one in men(2, 6)]]
    squad = {"attackers": ["ordinary"] * 2, "attacker_moved": True, "views": views}
    assert asked("squad_attack", [6, 1], **squad).numbers["killed"] == ["tan-1"]
    assert asked("squad_attack", [1, 6], **squad).numbers["killed"] == ["tan-2"]
    apart = [men(4, 6), [{**one, "distance_in": near} for one, near in zip(men(1, 1), (5, 1), strict=True)]]
    together = {**squad, "views": apart}
    assert asked("squad_attack", [6, 1], **together).numbers["killed"] == ["tan-1"]
    assert asked("squad_attack", [6, 1], {"closest_to": "squad"}, **together).numbers["killed"] == ["tan-2"]
    equal = {"attackers": ["ordinary"], "attacker_moved": True}
    assert asked("squad_attack", [6], **equal, targets=men(3, 3)).numbers["tied"] == ["tan-1", "tan-2"]
    assert asked("squad_attack", [6], **equal, targets=men(3, 3.1)).numbers["tied"] == []
    none_left = asked("squad_attack", [6], attackers=["ordinary"] * 2, attacker_moved=True, targets=men(3))
    assert "SP-15" in rules_of(none_left)
    assert none_left.numbers["rolls"] == [[6], []]


def test_specialists_sp_18_sp_19_sp_20() -> None:
    for squads, specialists, lone, legal, counted in (
        (2, 2, 0, True, True),
        (2, 3, 0, False, False),
        (2, 3, 1, False, True),
        (0, 1, 1, False, True),
    ):
        given = {"squads": squads, "specialists": specialists, "lone_specialists": lone}
        assert asked("army_legal", **given).allowed == legal, given
        assert asked("army_legal", None, {"lone_specialist_is_squad": True}, **given).allowed == counted, given
    with pytest.raises(RuleRefusal):
        asked("army_legal", squads=1, specialists=1, lone_specialists=2)
    forces = [
        ([["ordinary", "heavy_weapon"]], [], ""),
        ([["ordinary", "heavy_weapon", "heavy_weapon"]], [], "too_many_specialists"),
        ([["ordinary"]], ["sniper"], ""),
        ([["ordinary"]], ["sniper", "heavy_weapon"], "too_many_specialists"),
        ([["ordinary", "heavy_weapon"]], ["sniper"], "too_many_specialists"),
        ([["ordinary", "sniper"]], [], "not_in_squad"),
        ([["ordinary"], ["ordinary"]], ["heavy_weapon", "ordinary"], ""),
    ]
    for squads_of, alone, why in forces:
        assert code(asked("force_legal", squads_of=squads_of, alone=alone)) == why
    found = asked("squad_legal", members=["ordinary", "sniper"])
    assert (code(found), found.numbers["unit"]) == ("not_in_squad", "sniper")
    shared = {"attackers": ["ordinary", "sniper"], "attacker_moved": False, "targets": men(3)}
    assert code(asked("squad_attack", **shared)) == "not_in_squad"
    assert asked("squad_attack", [6], **{**shared, "attackers": ["sniper"]}).allowed
    with pytest.raises(RuleRefusal):
        asked("squad_legal", members=[])


def test_four_dice_at_one_target_or_shared_sp_19() -> None:
    heavy = {"attacker": "heavy_weapon", "attacker_moved": True}
    assert asked("to_kill", **heavy).numbers["dice"] == 4
    assert code(asked("to_kill", **heavy, dice_at_target=2)) == "dice_not_shared"
    shares = {"split_dice": True}
    for at_target, rolled, why in (
        (2, 0, ""),
        (2, 2, ""),
        (3, 2, "dice_not_shared"),
        (0, 0, "dice_not_shared"),
        (5, 0, "dice_not_shared"),
    ):
        found = asked("to_kill", None, shares, **heavy, dice_at_target=at_target, dice_rolled=rolled)
        assert code(found) == why, (at_target, rolled)
        if not why:
            assert found.numbers["dice"] == at_target
    assert asked("to_kill", None, shares, **heavy, dice_rolled=1).numbers["dice"] == 3


def test_a_snipers_two_attacks_sp_22_sp_23_sp_21() -> None:
    two = [{"id": "tan-1", "squad": "b"}, {"id": "tan-2", "squad": "c"}]
    found = asked("sniper_attacks", [2, 2], attacker_moved=False, targets=two)
    assert found.numbers["killed"] == ["tan-1", "tan-2"]
    assert {"SP-22", "SP-23"} <= rules_of(found)
    assert statuses(found)["attacks_made"] == 2
    for made, aims, why in (
        (0, 3, "too_many_attacks"),
        (1, 2, "too_many_attacks"),
        (1, 1, ""),
        (2, 1, "already_attacked"),
    ):
        targets = [{"id": f"tan-{n}"} for n in range(aims)]
        shots = asked("sniper_attacks", [2] * aims, attacker_moved=False, attacks_made_this_turn=made, targets=targets)
        assert code(shots) == why, (made, aims)
    assert code(asked("sniper_attacks", attacker_moved=True, targets=two)) == "moved"
    same = asked("sniper_attacks", [2], attacker_moved=False, targets=[two[0]] * 2).numbers
    assert (same["killed"], same["rolls"]) == (["tan-1"], [[2]])
    blocked = [two[0], {**two[1], "visible_fraction": 0.0}]
    assert code(asked("sniper_attacks", attacker_moved=False, targets=blocked)) == "not_visible"


def test_what_a_posture_stands_for_sp_24_sp_11_sp_15_sp_27() -> None:
    stands = {"standing": "ordinary", "kneeling": "ordinary", "prone": "sniper", "down": None, "vehicle": None}
    for posture, name in stands.items():
        found = asked("unit_of_posture", posture=posture)
        assert (found.numbers["unit"], found.numbers.get("ask")) == (name, True if name else None)
        assert code(found) == ("" if name else "no_unit")


def test_how_the_game_ends_sp_27() -> None:
    fallen, standing = {"green": 2, "tan": 0}, {"green": 2, "tan": 1}
    ends = [
        ("objective_or_elimination", fallen, None, ("green", "elimination")),
        ("objective", fallen, None, (None, None)),
        ("elimination", fallen, None, ("green", "elimination")),
        ("objective_or_elimination", standing, "tan", ("tan", "objective")),
        ("objective", standing, "tan", ("tan", "objective")),
        ("elimination", standing, "tan", (None, None)),
        ("elimination", {"green": 0, "tan": 0}, None, (None, "elimination")),
    ]
    texts = {
        "elimination": "every figure of the other side is gone",
        "objective": "the objective that was agreed is reached",
    }
    for option, left, reached, (winner, by) in ends:
        found = asked(
            "victory",
            None,
            {"victory": option},
            figures_left=left,
            **({"objective_reached_by": reached} if reached else {}),
        )
        assert (found.numbers["winner"], found.numbers["by"]) == (winner, by), (option, left)
        assert found.outcome == ("victory" if winner else "draw" if by else "not yet")
        if by:
            assert found.reasons[0].text == texts[by]
    with pytest.raises(RuleRefusal):
        asked("victory", figures_left=fallen, objective_reached_by="grey")
    with pytest.raises(RuleRefusal):
        asked("turn_sequence", players=["A", "A"])
    dice = asked("turn_sequence", [2, 5], {"first_player": "highest_die"}, players=["A", "B"])
    assert dice.numbers["order"] == ["B", "A"]
    assert statuses(dice)["steps"] == dice.numbers["steps"]


def test_who_begins_is_settled_before_the_first_turn_sp_27() -> None:
    army = [unit("green-1", 10, 10)], [unit("tan-1", 40, 40)]
    before, now = played(*army, {"ask": ""}, {"phase": "moving", "side": "green", "turn": 1}, {"ask": ""})
    assert [one["action"] for one in before["actions"]].count("turn_sequence") == 2
    assert "turn_sequence" not in {one["action"] for one in now["actions"]}


def test_every_table_as_printed() -> None:
    """SP-02, SP-03, SP-05, SP-09, SP-11, SP-12, SP-13, SP-14, SP-16, SP-17, SP-18 and SP-25."""
    limits = {"move_in": 4, "abreast_in": 0.25, "cohesion_in": 0.5, "base_to_kill": 4, "never_kills": 1}
    limits |= {"most_to_kill": 6, "specialists_per_squad": 1}
    assert {name: TABLES.limits[name].value for name in limits} == limits
    changes = {name: row.modifier for name, row in TABLES.modifiers.items()}
    lower = ("target_downhill", "attacker_special", "attacker_did_not_move")
    higher = ("target_uphill", "target_in_cover", "target_special")
    assert changes == {**dict.fromkeys(lower, -1), **dict.fromkeys(higher, 1)}
    covers = {name: (row.counts, row.blocks, row.always, set(row.also)) for name, row in TABLES.covers.items()}
    assert covers == {
        "solid": (True, True, False, {"wall", "building", "terrain"}),
        "semi_solid": (True, False, True, {"bush", "fence"}),
        "figures": (False, False, False, set()),
    }
    soft = {"fence", "hedge", "bush", "tree", "woods", "smoke"}
    flat = {"wire", "water", "shallow_water", "marsh", "desert", "road", "mine", "rough"}
    for name, row in TABLES.terrain.items():
        assert row.cover == ("semi_solid" if name in soft else None if name in flat else "solid"), name


def test_the_players_say_what_is_covered_sp_16() -> None:
    """Whatever part the camera sees."""
    for seen, said, number in ((1.0, True, 4), (1.0, None, 3), (0.5, False, 3), (0.5, None, 4)):
        given = {
            "attacker": "ordinary",
            "attacker_moved": False,
            "visible_fraction": seen,
            "elevation_of_target": "level",
        }
        given |= {} if said is None else {"target_in_cover": said}
        assert asked("to_kill", **given).numbers["to_kill"] == number, (seen, said)


def test_a_wall_behind_a_hedge_still_blocks_sp_16_sp_17() -> None:
    """The rulebook: "Solid covers like walls, buildings and terrain may completely block the target"."""
    wall = {"name": "wall", "kind": "wall", "outline_in": [[5, 18], [25, 18], [25, 18.3], [5, 18.3]], "height_in": 8}
    hedge = {"name": "hedge", "kind": "hedge", "outline_in": [[5, 12], [25, 12], [25, 12.3], [5, 12.3]], "height_in": 8}
    attack: Step = {"do": {"action": "attack", "by": "green-1", "at": "tan-1"}, "dice": [6]}
    phase: Step = {"phase": "attacking", "side": "green"}
    for terrain, allowed in (([hedge], True), ([wall, hedge], False)):
        pieces = [{"base_in": 0, **one} for one in terrain]
        [found] = played([unit("green-1", 15, 8)], [unit("tan-1", 15, 25)], phase, attack, terrain=pieces)
        assert found["allowed"] == allowed, terrain


def test_gaps_are_closed_in_the_own_moving_phase_sp_06() -> None:
    """The other side's squads wait for theirs."""
    men = [unit(f"tan-{k}", 20 + 1.2 * k, 20, squad="b") for k in range(3)]
    steps: list[Step] = [
        {"phase": "moving", "side": "green"},
        {"status": {"tan-1": {"eliminated": True}}},
        {"next": {}},
        {"phase": "moving", "side": "tan"},
        {"next": {}},
    ]
    answers = played([unit("green-1", 20, 5)], men, *steps)
    assert [one["allowed"] for one in answers] == [True, False]
    assert answers[1]["why_not"]["rule"] == "SP-06"


def test_only_a_sniper_attacks_two_targets_sp_22() -> None:
    tan = [unit("tan-1", 10, 20), unit("tan-2", 20, 20)]
    both: Step = {"do": {"action": "attack", "by": "green-1", "at": ["tan-1", "tan-2"]}, "dice": [6, 6]}
    for card in TABLES.cards:
        [found] = played([unit("green-1", 15, 8, card)], tan, {"phase": "attacking", "side": "green"}, both)
        assert found["allowed"] == (card == "sniper"), card
