"""What a model of Fudge Miniatures Battles can do now, with odds, and the reasons why other actions are not allowed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from rules.engine.events import Change, Changed, QuestionAnswered, QuestionAsked
from rules.tabletop.errors import UserError
from rules.tabletop.table import TerrainKind
from tests.rules.battle_driver import BattleDriver, begun, played_from
from tests.rules.board import box, piece
from tests.rules.bridge import (
    BLUE,
    KING,
    PLACES,
    RED,
    TERRAIN,
    army,
    go,
    go_to,
    look,
    put,
    reason,
    say,
    set_up,
)

driver = played_from(set_up)


# What a model can do.


def test_a_bow_has_exact_odds(driver: BattleDriver) -> None:
    go_to(driver, "blue action")
    found = driver.preview_of(driver.attack("blue-3", "red-1", "Shortbow"))
    assert found.before is not None
    assert (found.before.numbers["to_hit"], found.action.band) == (-2, "in Range")  # RODF 3 against DDF 1
    # Of 81, the sums -4 to 4 have 1 4 10 16 19 16 10 4 1; a wound is the sum + 2, by FM-39 to 2, 4, 6, 8 and on.
    # Four pluses are thrown again: no plus in four dice is 16/81 (6), one or two 56/81 (7, 8), more 9/81 (9, 10).
    again = Fraction(1, 81)
    assert found.odds == {
        "miss": Fraction(1 + 4, 81),
        "scratch": Fraction(10 + 16 + 19, 81),
        "hurt": Fraction(16 + 10, 81),
        "very_hurt": Fraction(4, 81) + again * Fraction(16, 81),
        "near_death": again * Fraction(56, 81),
        "dead": again * Fraction(9, 81),
    }


def test_each_further_range_costs_one(driver: BattleDriver) -> None:
    put(driver, red_3=(16, 27.5))  # 18.9 in from edge to edge: beyond 18 in, and the low wall hides nothing so far off
    go_to(driver, "blue action")
    found = driver.preview_of(driver.attack("blue-3", "red-3", "Shortbow"))
    assert found.before is not None
    assert found.action.band == "2 Ranges"
    assert [one.rule for one in found.before.reasons if one.modifier == -1] == ["FM-36"]


def test_cover_and_hidden_targets(tmp_path: Path) -> None:
    house = piece("house", TerrainKind.BUILDING, box(9, 13, 11, 16), height=5.0)
    with set_up(tmp_path / "b").battle as battle:
        driver = BattleDriver(battle, [*TERRAIN, house], look)
        put(driver, blue_3=(10, 5), red_1=(10, 18))
        go_to(driver, "blue action")
        hidden = driver.attack("blue-3", "red-1", "Shortbow")
        assert reason(driver, hidden) == "no_line_of_sight"
        assert "0% of the target is seen; 50% is needed (FM-35)" in driver.preview_of(hidden).why_not
        behind_wall = driver.preview_of(driver.attack("blue-3", "red-3", "Shortbow"))
        assert behind_wall.before is not None
        assert ("FM-37", -1) in {(one.rule, one.modifier) for one in behind_wall.before.reasons}


def test_models_hide_but_are_no_cover(tmp_path: Path) -> None:
    """FM-A22: Brutas stands before the Knave; more than half of him is hidden, and no cover is counted."""
    for blocks in (True, False):
        battle = begun(
            tmp_path / f"b{blocks}", "fudge_miniatures", {"blue": BLUE, "red": RED}, PLACES,
            {"models_block_sight": blocks},
        )  # fmt: skip
        with battle:
            driver = BattleDriver(battle, [], look)
            put(driver, blue_3=(4, 5), red_2=(4, 12), red_1=(4, 13.2))
            go_to(driver, "blue action")
            found = driver.preview_of(driver.attack("blue-3", "red-1", "Shortbow"))
            assert found.possible is not blocks
            if not blocks:
                assert found.before is not None
                assert found.before.numbers["to_hit"] == -2


def test_actions_are_forbidden_in_the_wrong_turn_and_step_and_before_the_first_turn(driver: BattleDriver) -> None:
    assert not driver.available_actions("blue-1").movement.possible
    go_to(driver, "blue move")
    moves = driver.available_actions("blue-2").movement.before
    assert moves is not None
    assert (moves.numbers["left_in"], moves.numbers["allowance_in"]) == (6, 6)
    assert "it is the turn of Blue (FM-17)" in driver.available_actions("red-1").movement.why_not
    assert "shoot belongs to step 2 of the turn (FM-19)" in driver.available_actions("blue-3").attacks[0].why_not
    go_to(driver, "blue action")
    assert "move belongs to step 1 and 4 of the turn" in driver.available_actions("blue-1").movement.why_not
    assert "Melee needs base contact" in driver.available_actions("blue-1").attacks[0].why_not


def test_a_model_does_one_kind_of_action_with_the_weapons_in_hand(driver: BattleDriver) -> None:
    """FM-19, FM-A09: the dagger must be drawn, and then the bow is put away."""
    put(driver, red_1=(6, 12))
    go_to(driver, "blue action")
    assert reason(driver, driver.attack("blue-3", "red-1", "Dagger")) == "not_in_hand"
    assert reason(driver, driver.attack("blue-3", "red-1", "Shortbow")) == "enemy_in_contact"  # FM-34
    driver.do(driver.other("blue-3", "wield"))
    assert reason(driver, driver.attack("blue-3", "red-1", "Shortbow")) == "not_in_hand"
    assert driver.do(driver.attack("blue-3", "red-1", "Dagger"), 0, 0, 0, 1).numbers["total"] == 1  # MODF 0
    assert reason(driver, driver.attack("blue-3", "red-1", "Dagger")) == "already_attacked"
    assert reason(driver, driver.other("blue-3", "wield")) == "already_acted"
    assert reason(driver, driver.other("blue-3", "take_up")) == "already_acted"


def test_a_wound_waits_for_step_3_and_undo_takes_it_back(driver: BattleDriver) -> None:
    go_to(driver, "blue action")
    driver.do(driver.attack("blue-3", "red-1", "Shortbow"), 0, 1, 0, 1)  # 2 + 3 against 1: 4
    red = driver.battle.state.unit("red-1")
    assert (red.statuses["wounds_to_mark"], "wounds" in red.statuses) == ([4], False)
    assert not driver.preview_of(driver.attack("blue-3", "red-2", "Shortbow")).possible
    driver.battle.undo()
    assert "wounds_to_mark" not in driver.battle.state.unit("red-1").statuses
    assert driver.preview_of(driver.attack("blue-3", "red-2", "Shortbow")).possible


def test_from_behind_is_seen_by_the_facing(driver: BattleDriver) -> None:
    """FM-62: Red looks down the table, Blue up; the Knave stands south of the King."""
    put(driver, red_1=(10.5, 9))
    go_to(driver, "red action")
    found = driver.preview_of(driver.attack("red-1", "blue-1")).before
    assert found is not None
    assert found.numbers["modifier"] == 7 + 1
    unseen = BattleDriver(driver.battle, TERRAIN)  # whose facing no camera tells: the players are asked
    asks = {one.fact for one in unseen.preview_of(unseen.attack("red-1", "blue-1")).asks}
    assert asks == {"from_behind"}


def test_an_answer_about_contact_is_forgotten_after_a_move(tmp_path: Path) -> None:
    """A gap of 0.05 in give or take 0.07 may be none: whether the bases touch is for the players to say."""
    with set_up(tmp_path / "b").battle as battle:
        blurred = BattleDriver(battle, TERRAIN, lambda unit: replace(look(unit), sigma_in=0.05))
        put(blurred, blue_1=(10.2, 15.64))
        go_to(blurred, "blue action")
        action = blurred.attack("blue-1", "red-1")
        found = blurred.preview_of(action)
        assert {one.fact for one in found.asks} == {"in_base_contact"}
        assert found.possible
        told_so = Change(figure="blue-1", key="in_base_contact at red-1", value=False, this_turn=True)
        battle.record(Changed(changes=(told_so,)))
        assert reason(blurred, blurred.attack("blue-1", "red-1")) == "no_contact"
        go_to(blurred, "blue move_on")
        go(blurred, "blue-1", (9, 15))
        assert "in_base_contact at red-1" not in battle.state.unit("blue-1").this_turn


def test_a_range_at_the_limit_is_settled_by_the_players(tmp_path: Path) -> None:
    """The sling's Range is 6 in: 5.96 give or take 0.07 may be more, and then it costs 1."""
    with set_up(tmp_path / "b").battle as battle:
        blurred = BattleDriver(battle, [], lambda unit: replace(look(unit), sigma_in=0.05))
        put(blurred, red_3=(20, 17), blue_3=(20, 10.04))
        go_to(blurred, "red action")
        action = blurred.attack("red-3", "blue-3", "Sling")
        [doubt] = blurred.preview_of(action).ambiguities
        assert "the range to Blue 3" in doubt.question
        with pytest.raises(UserError, match="too close to call: settle it first"):
            blurred.do(action, 0, 0, 0, 0)
        battle.record(QuestionAsked(question=doubt.question, answers=tuple(doubt.answers)))
        for answer, total in (("more", 1), ("less", 2)):
            battle.record(QuestionAnswered(question=doubt.question, answer=answer))
            assert blurred.do(action, 0, 0, 0, 0).numbers["total"] == total
            battle.undo()
            battle.undo()


# The turn.


def steps(driver: BattleDriver, many: int) -> list[str]:
    """The next steps, as "1 blue move"."""
    found = []
    for _ in range(many):
        begins = driver.referee.next_phase(driver.position)
        driver.battle.record(begins)
        found.append(f"{begins.turn} {begins.side} {begins.phase}")
    return found


def test_the_players_follow_each_other_clockwise(tmp_path: Path) -> None:
    """FM-17: beginning with the player that the scenario names; a force without models has no turn."""
    armies = {"blue": BLUE, "red": RED, "tan": army("tan", KING)}
    with begun(tmp_path / "b", "fudge_miniatures", armies, {**PLACES, "tan-1": (2, 2)}) as battle:
        driver = BattleDriver(battle, TERRAIN, look)
        first = {one.title: one for one in driver.referee.obligations(driver.position)}
        driver.do(first["Red begins"])
        assert steps(driver, 5) == [f"1 red {step}" for step in ("move", "action", "damage", "move_on")] + [
            "1 tan move"
        ]
        say(driver, "tan-1", "eliminated", True)
        assert steps(driver, 5)[3:] == ["1 blue move", "1 blue action"]
        assert steps(driver, 7)[2:] == ["2 red move", "2 red action", "2 red damage", "2 red move_on", "2 blue move"]


def test_model_by_model(tmp_path: Path) -> None:
    """FM-A11: each model goes through its steps separately."""
    with begun(
        tmp_path / "b", "fudge_miniatures", {"blue": BLUE, "red": RED}, PLACES, {"activation": "model_by_model"}
    ) as battle:
        driver = BattleDriver(battle, TERRAIN, look)
        assert steps(driver, 2) == ["1 blue move blue-1", "1 blue action blue-1"]
        assert "it is the turn of Blue 1" in driver.available_actions("blue-3").attacks[0].why_not
        say(driver, "blue-1", "eliminated", True)
        assert steps(driver, 3)[2] == "1 blue move blue-2"
