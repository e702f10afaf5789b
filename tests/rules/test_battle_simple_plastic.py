"""A whole battle of Simple Plastic Wargame, from set-up to victory: two squads, a hedge, dice that are written down.

Every distance, every cover and every target is measured on the table that the battle's own state describes.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from rules.battle.battle import Battle
from rules.battle.journal import event_of
from rules.engine.events import QuestionAnswered, QuestionAsked
from rules.engine.preview import SET_UP
from rules.engine.roster import Army, Recruit
from rules.games import points_check
from rules.tabletop.errors import UserError
from rules.tabletop.table import PointIn, TerrainKind
from tests.rules.battle_driver import (
    BattleDriver,
    begun,
    play_at_random,
    played_from,
    plot,
    replays_to_the_same,
    story_of,
    undone_and_done_again,
)
from tests.rules.board import box, figure, piece

HEDGE = piece("hedge", TerrainKind.HEDGE, box(0, 13, 12, 13.4), height=1.0)

GREEN = Army(
    name="First rifles",
    game="simple_plastic",
    recruits=(
        *(Recruit(figure=f"green-{n}", card="soldier", squad="rifles") for n in (1, 2, 3)),
        Recruit(figure="green-4", card="heavy_machine_gunner", squad="rifles"),
    ),
)
TAN = Army(
    name="Hedge guard",
    game="simple_plastic",
    recruits=(
        *(Recruit(figure=f"tan-{n}", card="soldier", squad="guard") for n in (1, 2)),
        Recruit(figure="tan-3", card="sniper"),
    ),
)
PLACES: dict[str, PointIn] = {
    "green-1": (4, 4), "green-2": (5.3, 4), "green-3": (6.6, 4), "green-4": (7.9, 4),
    "tan-1": (4, 14.5), "tan-2": (5.3, 14.5), "tan-3": (16, 15),
}  # fmt: skip
"""Centres; bases are an inch across, so that men 1.3 in apart leave gaps of 0.3."""


def set_up(path: Path) -> BattleDriver:
    battle = begun(path, "simple_plastic", {"green": GREEN, "tan": TAN}, PLACES, {"victory": "elimination"})
    for army in (GREEN, TAN):
        found = points_check(battle.game, army)
        assert found is not None
        assert found.outcome == "legal"
    return BattleDriver(battle, [HEDGE])


def turn_1(driver: BattleDriver) -> None:
    driver.next_phase(1, "green", "moving")
    driver.march((0, 4), "green-1", "green-2", "green-3", "green-4")
    driver.next_phase(1, "green", "attacking")
    # Who moved needs 4 + 1 for the hedge, the heavy weapon 1 less: three rifles miss, the best of four dice kills.
    driver.do(driver.other("green-1", "squad_attack", "tan-1"), 2, 4, 3, 5, 1, 2, 1)
    driver.next_phase(1, "tan", "moving")
    driver.next_phase(1, "tan", "attacking")
    # A sniper who stays needs 4 - 1 - 1, and 1 more against a heavy weapon.
    driver.do(driver.attack("tan-3", "green-4"), 1)
    driver.do(driver.attack("tan-3", "green-4"), 3)
    driver.do(driver.other("tan-1", "squad_attack", "green-1"), 2)  # 4 - 1: so near the hedge he looks over it


def turn_2(driver: BattleDriver) -> None:
    driver.next_phase(2, "green", "moving")
    driver.next_phase(2, "green", "attacking")
    # 4 - 1 + 1: the second kills, and the third has nobody left
    driver.do(driver.other("green-1", "squad_attack", "tan-1"), 3, 4)
    driver.next_phase(2, "tan", "moving")
    driver.next_phase(2, "tan", "attacking")
    # 4 - 1 - 1 in the open; the second is spared
    shot = driver.do(driver.other("tan-3", "sniper_attacks", "green-3"), 2)
    assert [reason.modifier for reason in shot.reasons if reason.rule == "SP-12"] == [-1, -1]
    driver.do(driver.attack("tan-3", "green-2"), 6)


def turn_3(driver: BattleDriver) -> None:
    driver.next_phase(3, "green", "moving")
    driver.next_phase(3, "green", "attacking")
    driver.do(driver.other("green-1", "squad_attack", "tan-3"), 6)  # 4 - 1 + 1 for a special unit
    driver.do(driver.obligation("victory"))


def played(path: Path) -> Battle:
    return set_up(path).played(turn_1, turn_2, turn_3)


@pytest.fixture
def battle(tmp_path: Path) -> Iterator[Battle]:
    with played(tmp_path / "evening.battle") as one:
        yield one


def test_the_story_of_the_battle(battle: Battle) -> None:
    lines = plot(battle)
    assert lines[lines.index("Turn 1 · Green moves") :] == [
        "Turn 1 · Green moves",
        "  Green 1, Green 2, Green 3, Green 4: Move the squad rifles: legal.",
        "  Green 1 moves 4.0 in to (4.0, 8.0).",
        "  Green 2 moves 4.0 in to (5.3, 8.0).",
        "  Green 3 moves 4.0 in to (6.6, 8.0).",
        "  Green 4 moves 4.0 in to (7.9, 8.0).",
        "",
        "Turn 1 · Green attacks",
        "  Green 1, Green 2, Green 3, Green 4: Attack with the squad: Tan 1, Tan 2: kills.",
        "  Tan 2 eliminated.",
        "",
        "Turn 1 · Tan moves",
        "",
        "Turn 1 · Tan attacks",
        "  Tan 3: Attack on Green 4: misses.",
        "  Tan 3: Attack on Green 4: kills.",
        "  Green 4 eliminated.",
        "  Tan 1: Attack with the squad: Green 1, Green 2, Green 3: misses.",
        "",
        "Turn 2 · Green moves",
        "",
        "Turn 2 · Green attacks",
        "  Green 1, Green 2, Green 3: Attack with the squad: Tan 1: kills.",
        "  Tan 1 eliminated.",
        "",
        "Turn 2 · Tan moves",
        "",
        "Turn 2 · Tan attacks",
        "  Tan 3: All his attacks on Green 3: kills.",
        "  Green 3 eliminated.",
        "  Tan 3: Attack on Green 2: kills.",
        "  Green 2 eliminated.",
        "",
        "Turn 3 · Green moves",
        "",
        "Turn 3 · Green attacks",
        "  Green 1: Attack with the squad: Tan 3: kills.",
        "  Tan 3 eliminated.",
        "  Declare victory: victory for Green.",
    ]


def test_the_story_of_the_last_shot_has_dice_and_rules(battle: Battle) -> None:
    lines = story_of(battle)
    shot = lines.index("  Green 1: Attack with the squad: Tan 3: kills.")
    assert lines[shot + 1] == "    6 rolled for the soldier: the attack"
    # From the rulebook's table: 4, not moved -1, target special +1; no hedge on this line.
    assert lines[shot + 5 : shot + 9] == [
        "    SP-11  4 or more kills (+4)",
        "    SP-12  the attacker did not move (-1)",
        "    SP-25  the target is a special unit (+1)",
        "    SP-11  the ordinary rolls 6 and kills Tan 3",
    ]


def test_green_wins_with_one_man(battle: Battle) -> None:
    last = event_of(battle.entries[-1])
    assert (battle.state.figures_left, battle.state.turn) == ({"green": 1, "tan": 0}, 3)
    assert last.to_body()["verdict"]["numbers"] == {"over": True, "winner": "green", "by": "elimination"}
    hero = battle.state.unit("green-1")
    assert hero.at_in == (4.0, 8.0)
    assert dict(hero.acts) == {"squad_move": 1, "squad_attack": 3}


def test_replaying_gives_the_same_battle(tmp_path: Path) -> None:
    path = tmp_path / "evening.battle"
    replays_to_the_same(path, played(path))


def test_undoing_everything_and_redoing_it_gives_the_same_battle(battle: Battle) -> None:
    names = undone_and_done_again(battle)
    assert names[:3] == [
        "Declare victory, victory",
        "Green 1: Attack with the squad: Tan 3, kills",
        "Turn 3 · Green attacks",
    ]
    assert names[-1] == "Green 1 joins Green"
    assert battle.state.sides == ("green", "tan")


driver = played_from(set_up)


def test_undo_gives_the_allowance_back(driver: BattleDriver) -> None:
    driver.next_phase(1, "green", "moving")
    driver.march((0, 4), "green-1", "green-2", "green-3", "green-4")
    man = driver.battle.state.unit("green-2")
    assert (man.at_in, man.allowance_used_in, dict(man.this_turn)) == (
        (5.3, 8.0),
        4.0,
        {"moved": True, "moved_in": 4.0},
    )
    assert driver.battle.undo() == "Green 1, Green 2, Green 3, Green 4 moved 4.0 in"
    man = driver.battle.state.unit("green-2")
    assert (man.at_in, man.allowance_used_in, dict(man.this_turn)) == ((5.3, 4.0), 0.0, {})


def test_a_move_that_is_too_long_has_a_reason_and_moves_no_figure(driver: BattleDriver) -> None:
    driver.next_phase(1, "green", "moving")
    before = driver.battle.state.unit("green-1").at_in
    found = driver.march((0, 4.5), "green-1", "green-2", "green-3", "green-4")
    assert found.numbers["reason"] == "too_far"
    assert driver.battle.state.unit("green-1").at_in == before


# What a figure can do.


def test_a_man_that_stays_sees_the_guard_over_the_hedge_and_the_sniper_in_the_open(driver: BattleDriver) -> None:
    driver.next_phase(1, "green", "moving")
    driver.next_phase(1, "green", "attacking")
    shots = {one.action.at[0]: one for one in driver.available_actions("green-1").attacks}
    assert set(shots) == {"tan-1", "tan-3"}  # SP-15: of a squad the closest is killed first
    assert all(one.possible for one in shots.values())
    # SP-11, SP-12: 4, not moved -1, behind the hedge +1 is 4 or more; a special unit +1 without a hedge is 4 as well.
    assert shots["tan-1"].before is not None
    assert shots["tan-1"].before.numbers["to_kill"] == 4
    assert shots["tan-1"].odds == {"kills": Fraction(1, 2), "misses": Fraction(1, 2)}
    assert [one.rule for one in shots["tan-3"].before.reasons if one.modifier] == ["SP-11", "SP-12", "SP-25"]


def test_the_remaining_move_and_the_reason_when_none_remains(driver: BattleDriver) -> None:
    assert driver.available_actions("green-1").movement.why_not == SET_UP
    driver.next_phase(1, "green", "moving")
    driver.march((0, 2.5), "green-1", "green-2", "green-3", "green-4")
    left = driver.available_actions("green-3").movement.before
    assert left is not None
    assert left.numbers["left_in"] == 1.5  # SP-02: 4 in a turn
    why = {one.action.at[0]: one.why_not for one in driver.available_actions("green-1").attacks}
    assert set(why.values()) == {driver.available_actions("green-2").attacks[0].why_not}
    assert "SP-01" in why["tan-1"]  # the moving phase is not for attacks


def test_attacks_are_forbidden_in_the_enemys_turn(driver: BattleDriver) -> None:
    driver.next_phase(1, "green", "moving")
    driver.next_phase(1, "green", "attacking")
    tan = driver.available_actions("tan-1")
    assert {one.why_not for one in (tan.movement, *tan.attacks, *tan.others)} == {"it is the turn of Green (SP-01)"}
    with pytest.raises(UserError, match="Attack on Green 1 is not allowed: it is the turn of Green"):
        driver.do(driver.attack("tan-1", "green-1"), 6)


def test_a_sniper_has_two_attacks_and_then_none(driver: BattleDriver) -> None:
    for _ in range(4):
        driver.battle.record(driver.referee.next_phase(driver.position))
    driver.do(driver.attack("tan-3", "green-1"), 1)
    assert driver.preview_of(driver.attack("tan-3", "green-1")).possible
    driver.do(driver.attack("tan-3", "green-1"), 1)
    assert driver.preview_of(driver.attack("tan-3", "green-1")).before.numbers["reason"] == "already_attacked"


def test_a_march_at_the_limit_is_settled_by_the_players(tmp_path: Path) -> None:
    """4 in with a standard deviation of 0.05 may be 3.9 or 4.1, which changes the verdict."""
    blurred = set_up(tmp_path / "b")
    with blurred.battle as battle:
        driver = BattleDriver(battle, [HEDGE], lambda unit: figure(unit.id, *unit.at_in, sigma=0.05))
        driver.next_phase(1, "green", "moving")
        with pytest.raises(UserError, match="how far its leading man went is too close to call: settle it first"):
            driver.march((0, 4), "green-1", "green-2", "green-3", "green-4")
        starts = {f"green-{n}": driver.position.figure(f"green-{n}").centre_in for n in (1, 2, 3, 4)}
        action = driver.referee.march(driver.position, {n: (at, (at[0], at[1] + 4)) for n, at in starts.items()})
        [doubt] = driver.preview_of(action).ambiguities
        assert doubt.answers == {"less": pytest.approx(3.9), "more": pytest.approx(4.1)}
        battle.record(QuestionAsked(question=doubt.question, answers=tuple(doubt.answers)))
        battle.record(QuestionAnswered(question=doubt.question, answer="less"))
        assert driver.do(action).allowed
        assert battle.undo() is not None
        battle.record(QuestionAnswered(question=doubt.question, answer="more"))
        assert driver.do(action).numbers["reason"] == "too_far"


def test_random_play_causes_no_errors(tmp_path: Path) -> None:
    play_at_random(set_up(tmp_path / "b"), seed=7, steps=40)


def test_after_every_event_the_file_holds_the_state(tmp_path: Path) -> None:
    """The state that a new process would read."""
    with played(tmp_path / "whole") as whole:
        events = [event_of(entry) for entry in whole.entries]
    path = tmp_path / "again"
    begun, *rest = events
    options = begun.to_body()["options"]
    Battle.begin(path, lambda: 0.0, "simple_plastic", ["green", "tan"], options).close()
    for event in rest:
        with Battle.open(path, lambda: 0.0) as battle:
            battle.record(event)
            before = battle.state
        with Battle.open(path, lambda: 0.0) as battle:
            assert battle.state == before
