"""What a figure of Army Men can do now, with odds, and the reasons why other actions are not allowed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from rules.engine.events import Change, Changed, Placed, QuestionAnswered, QuestionAsked
from rules.tabletop.errors import UserError
from rules.tabletop.table import TerrainKind
from tests.rules.battle_driver import BattleDriver, played_from
from tests.rules.board import box, piece
from tests.rules.pillbox import (
    TERRAIN,
    attack,
    go_to,
    look,
    set_up,
)

driver = played_from(set_up)


# What a figure can do.


def test_a_rifle_at_the_officer_has_exact_odds(driver: BattleDriver) -> None:
    go_to(driver, "small_arms")
    shots = {one.action.at[0]: one for one in driver.available_actions("tan-1").attacks}
    found = shots["green-1"]
    # AM-46: 7 or less with two dice is 21 of 36; no modifier: the wall is at the firer's, not near the officer.
    assert found.before is not None
    assert (found.before.numbers["attack_value"], found.odds["hit"]) == (7, Fraction(21, 36))
    # 28 - 10 less both halves of the bases is 17 (the outline of a round base is a little larger than its circle)
    assert found.action.given["distance_in"] == pytest.approx(17, abs=0.02)
    # AM-38: 24 in; the mortar stands 24 and more away, 25.6 from centre to centre.
    assert "the rifle reaches 0 to 24 in" in shots["green-7"].why_not
    assert shots["green-9"].before.numbers["reason"] == "immune"  # AM-93


def test_a_burst_has_odds_for_each_target(driver: BattleDriver) -> None:
    go_to(driver, "automatic_weapons")
    found = driver.preview_of(driver.other("green-2", "burst_rolls", "tan-1"))
    assert found.before is not None
    assert found.before.numbers["each"]["tan-1"]["attack_value"] == 6
    assert found.action.at == ("tan-2", "tan-1")
    assert sum(found.odds_of["tan-2"].values()) == 1
    # 8 - 3 + 1: 6 or less is 15 of 36. If Tan 2 rolls two sixes, 1 of 36, the gun jams and Tan 1 is spared (AM-75).
    assert found.odds_of["tan-1"]["hits 1 of 1"] == Fraction(35, 36) * Fraction(15, 36)
    assert found.odds_of["tan-1"]["not attacked"] == Fraction(1, 36)
    assert sum(found.odds_of["tan-1"].values()) == 1


def test_actions_are_forbidden_in_the_wrong_phase_and_before_the_first_turn(driver: BattleDriver) -> None:
    assert not driver.available_actions("green-1").movement.possible
    go_to(driver, "green movement")
    assert driver.available_actions("tan-1").movement.before.numbers["reason"] == "not_his_move"
    assert driver.available_actions("green-1").movement.before.numbers["left_in"] == 12  # AM-19
    go_to(driver, "small_arms")
    assert "units move in the phase of movement only" in driver.available_actions("green-1").movement.why_not
    left = driver.available_actions("tan-3").attacks[0]
    assert "the flame thrower fires in the phase of heavy weapons (AM-12)" in left.why_not


def test_the_nearest_cover_on_the_line_counts_and_woods_cover_figures_inside(tmp_path: Path) -> None:
    """AM-83: a wall 6 in in front of the target is no cover; woods around the target are."""
    far = piece("far wall", TerrainKind.LOW_WALL, box(8, 21, 16, 21.4), height=1.4)
    woods = piece("woods", TerrainKind.WOODS, box(8, 27, 14, 30), height=4)
    with set_up(tmp_path / "b").battle as battle:
        for terrain, cover_in in (([far], 6.1), ([far, TERRAIN[0]], 0.1), ([woods], 0.0)):
            shot = BattleDriver(battle, terrain, look).attack("green-2", "tan-1", "hmg")
            assert shot.given["cover_to_target_in"] == pytest.approx(cover_in, abs=0.01)


def test_undo_gives_the_ammunition_back(driver: BattleDriver) -> None:
    go_to(driver, "heavy_weapons")
    driver.do(attack(driver, "green-9", "tan-3", "tank_gun"), 6, 6)  # AM-77
    assert driver.battle.state.unit("green-9").statuses["tank_gun_out_of_ammunition"]
    go_to(driver, "heavy_weapons")
    empty = driver.preview_of(attack(driver, "green-9", "tan-3", "tank_gun"))
    assert empty.before.numbers["reason"] == "out_of_ammo"
    while driver.battle.state.turn == 2:
        driver.battle.undo()
    assert driver.battle.undo() == "Green 9: Tank gun at Tan 3, misses"
    assert driver.preview_of(attack(driver, "green-9", "tan-3", "tank_gun")).possible


def test_facts_that_no_camera_sees_are_asked_and_stored(driver: BattleDriver) -> None:
    go_to(driver, "heavy_weapons")
    action = attack(driver, "green-9", "tan-3", "tank_gun")
    asked = {one.fact for one in driver.preview_of(action).asks}
    assert asked == {"off_facing_deg", "fixed_location", "turret_points_at_target", "leader_by_radio"}
    told_so = Change(figure="green-9", key="turret_points_at_target at tan-3", value=False, this_turn=True)
    driver.battle.record(Changed(changes=(told_so,)))
    action = attack(driver, "green-9", "tan-3", "tank_gun")
    assert {one.fact for one in driver.preview_of(action).asks} == asked - {"turret_points_at_target"}
    assert driver.preview_of(action).before.numbers["reason"] == "turret_elsewhere"  # AM-25


def test_a_range_at_the_limit_is_settled_by_the_players(tmp_path: Path) -> None:
    """A rifle's range is 24 in: 23.96 with an error of 0.07 may be more."""
    places = {"tan-1": (11, 28), "green-1": (11, 3.03)}
    with set_up(tmp_path / "b").battle as battle:
        for name, place in places.items():
            battle.record(Placed(figure=name, at_in=place))
        blurred = BattleDriver(battle, [], lambda unit: replace(look(unit), sigma_in=0.05))
        go_to(blurred, "small_arms")
        action = attack(blurred, "tan-1", "green-1", "rifle")
        [doubt] = blurred.preview_of(action).ambiguities
        assert "the range from Tan 1 to Green 1" in doubt.question
        with pytest.raises(UserError, match="too close to call: settle it first"):
            blurred.do(action, 3, 4)
        battle.record(QuestionAsked(question=doubt.question, answers=tuple(doubt.answers)))
        battle.record(QuestionAnswered(question=doubt.question, answer="more"))
        assert blurred.preview_of(action).before.numbers["reason"] == "out_of_range"
        battle.undo()
        battle.record(QuestionAnswered(question=doubt.question, answer="less"))
        assert blurred.do(action, 3, 4).numbers["hit"]
