"""Overrides by the players: the possible outcomes, and a state as if the outcome had been this from the beginning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from rules.battle.battle import Battle
from rules.battle.journal import event_of
from rules.battle.overrides import Override, overrule, possible_overrides, record_forbidden_moves, rule
from rules.battle.replay import replay
from rules.engine.action import Action
from rules.engine.dice import Scripted, play
from rules.engine.effects import condition_changes
from rules.engine.events import Effects, VerdictOverruled
from rules.tabletop.errors import UserError
from tests.rules.battle_driver import BattleDriver, begun, story_of
from tests.rules.test_battle_simple_plastic import GREEN, HEDGE, PLACES, TAN

MISSES = Override("misses", Effects())
UNTRIED = replace(MISSES, counts=False)


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[BattleDriver]:
    """Green attacks in turn 1; no figure has moved."""
    with begun(tmp_path / "b", "simple_plastic", {"green": GREEN, "tan": TAN}, PLACES) as battle:
        one = BattleDriver(battle, [HEDGE])
        one.next_phase(1, "green", "moving")
        one.next_phase(1, "green", "attacking")
        yield one


def shot(driver: BattleDriver) -> Action:
    return driver.attack("green-1", "tan-1")


def seq(battle: Battle) -> int:
    return battle.entries[-1].seq


def test_an_attack_names_whom_it_attacks_and_a_move_nobody(driver: BattleDriver) -> None:
    assert shot(driver).attacked == ("tan-1", "tan-2"), "the squad, its closest man first"
    assert driver.referee.movement(driver.position, "green-1").attacked == ()


def test_possible_outcomes_of_a_shot(driver: BattleDriver) -> None:
    found = possible_overrides(driver.referee, driver.position, shot(driver))
    # SP-11, SP-12: 4, minus 1 for not moving, plus 1 for the hedge: 4, 5 and 6 kill.
    assert [(one.words, one.chance) for one in found] == [
        ("kills: Tan 1 eliminated", Fraction(1, 2)),
        ("misses", Fraction(1, 2)),
    ]


def test_no_outcomes_if_forbidden_or_with_too_many_dice(driver: BattleDriver) -> None:
    volley = driver.other("green-1", "squad_attack", "tan-1")
    assert possible_overrides(driver.referee, driver.position, volley) == ()
    driver.next_phase(1, "tan", "moving")
    assert possible_overrides(driver.referee, driver.position, shot(driver)) == ()


def test_players_decide_without_dice(driver: BattleDriver, tmp_path: Path) -> None:
    battle, action = driver.battle, shot(driver)
    kills = possible_overrides(driver.referee, driver.position, action)[0]
    rule(battle, action, kills, "he is in the open, we all saw it")
    assert battle.state.unit("tan-1").out
    assert battle.state.unit("green-1").acts_this_turn == {"attack": 1}
    assert story_of(battle)[-2:] == [
        "  Green 1: Attack on Tan 1: the players decide: kills. He is in the open, we all saw it.",
        "  Tan 1 eliminated.",
    ]
    assert battle.undo() == "Green 1: Attack on Tan 1, ruled: kills"
    assert not battle.state.unit("tan-1").out
    battle.close()
    assert replay(tmp_path / "b") == ()


def test_overruled_kill_becomes_a_miss(driver: BattleDriver) -> None:
    battle = driver.battle
    before = battle.state.unit("tan-1")
    driver.do(shot(driver), 6)
    overrule(battle, seq(battle), "Green 1: Attack: kills", MISSES, "he stood behind the wagon")
    assert battle.state.unit("tan-1") == before
    assert battle.state.unit("green-1").acts_this_turn == {"attack": 1}  # the shot was fired
    assert story_of(battle)[-2:] == [
        "  The players overrule Green 1: Attack: kills: misses. He stood behind the wagon.",
        "  Tan 1 no longer eliminated.",
    ]
    assert battle.undo() == "overruled Green 1: Attack: kills: misses"
    assert battle.state.unit("tan-1").out


def test_overruled_action_can_be_done_again(driver: BattleDriver) -> None:
    battle = driver.battle
    before = battle.state
    driver.do(shot(driver), 6)
    overrule(battle, seq(battle), "Green 1: Attack: kills", UNTRIED, "wrong soldier")
    assert battle.state.units == before.units


def test_overruled_move_refunds_its_inches(driver: BattleDriver) -> None:
    driver.next_phase(1, "tan", "moving")
    before = driver.battle.state
    driver.march((0, 2), "tan-3")
    assert driver.battle.state.unit("tan-3").allowance_used_in == 2
    overrule(driver.battle, seq(driver.battle), "Tan 3: Move: moved", UNTRIED, "the dog did it")
    faced = replace(before.unit("tan-3"), facing_deg=90.0)  # where nobody knew his facing before, the last one stays
    assert driver.battle.state.units == {**before.units, "tan-3": faced}
    assert story_of(driver.battle)[-2:] == [
        "  The players overrule Tan 3: Move: moved: misses. The dog did it.",
        "  Tan 3 moves 0.0 in to (16.0, 15.0).",
    ]


def test_later_events_keep_their_effects(driver: BattleDriver) -> None:
    battle = driver.battle
    driver.do(shot(driver), 6)
    first = seq(battle)
    driver.do(driver.attack("green-2", "tan-2"), 6)
    overrule(battle, first, "Green 1: Attack: kills", MISSES, "he stood behind")
    assert [unit.id for unit in battle.state.units.values() if unit.out] == ["tan-2"]


def test_last_override_of_a_verdict_counts(driver: BattleDriver) -> None:
    battle = driver.battle
    driver.do(shot(driver), 6)
    first, kills = (
        seq(battle),
        Override("kills", Effects(changes=condition_changes("tan-1", driver.referee.conditions["eliminated"]))),
    )
    overrule(battle, first, "it", MISSES, "he stood behind")
    overrule(battle, first, "it", kills, "no, he did not")
    assert battle.state.unit("tan-1").out
    overrule(battle, first, "it", MISSES, "he did")
    assert not battle.state.unit("tan-1").out


def test_additional_changes_are_applied_last(driver: BattleDriver) -> None:
    battle = driver.battle
    driver.do(shot(driver), 1)
    first = seq(battle)
    driver.do(driver.attack("green-2", "tan-2"), 6)
    also = condition_changes("tan-2", driver.referee.conditions["unharmed"])
    overrule(battle, first, "it", MISSES, "all wrong", also)
    assert not battle.state.unit("tan-2").out


def test_override_needs_a_reason_and_a_verdict(driver: BattleDriver) -> None:
    battle = driver.battle
    with pytest.raises(UserError, match="needs a reason: type why"):
        rule(battle, shot(driver), MISSES, "  ")
    with pytest.raises(UserError, match="entry 1 is not a verdict in force"):
        overrule(battle, 1, "it", MISSES, "why not")
    driver.do(shot(driver), 6)
    last = seq(battle)
    battle.undo()
    with pytest.raises(UserError, match=f"entry {last} is not a verdict in force"):
        overrule(battle, last, "it", MISSES, "why not")


def test_override_without_labels_is_read() -> None:
    body = {"entry": 3, "reason": "agreed", "effects": {"moves": [], "changes": []}}
    assert VerdictOverruled.from_body(body) == VerdictOverruled(entry=3, reason="agreed", effects=Effects())


def test_override_survives_reopening(driver: BattleDriver, tmp_path: Path) -> None:
    battle = driver.battle
    play(battle.asking("attack", shot(driver).given, by=["green-1"]), Scripted([6]))
    overrule(battle, seq(battle), "it", UNTRIED, "we agreed")
    state, last = battle.state, event_of(battle.entries[-1])
    battle.close()
    with Battle.open(tmp_path / "b", lambda: 0.0) as again:
        assert again.state == state
        assert event_of(again.entries[-1]) == last


def test_a_forbidden_move_is_let_pass_with_all_its_effects(driver: BattleDriver) -> None:
    # Green attacks: the sniper of the other side does not move now (SP-01), and 15 in are more than 4 (SP-02).
    paths = [{"tan-3": (driver.position.figure("tan-3").centre_in, (16.0, 30.0))}]
    with pytest.raises(UserError):
        record_forbidden_moves(driver.battle, driver.referee, driver.position, paths, "")
    assert driver.battle.state.unit("tan-3").at_in == (16, 15)
    record_forbidden_moves(driver.battle, driver.referee, driver.position, paths, "we agreed on it")
    moved = driver.battle.state.unit("tan-3")
    assert (moved.at_in, moved.this_turn["moved"]) == ((16, 30), True)
    assert any("we agreed on it" in line.lower() for line in story_of(driver.battle))
