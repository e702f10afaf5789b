"""A whole battle of Fudge Miniatures Battles: King Kingsley holds the bridge against a knave, a brute and a harpy.

Every distance, contact and cover is measured on the table that the state describes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rules.battle.battle import Battle
from rules.games import points_check
from tests.rules.battle_driver import (
    BattleDriver,
    play_at_random,
    plot,
    replays_to_the_same,
    story_of,
    undone_and_done_again,
)
from tests.rules.bridge import BLUE, go, owed_by, put, say, set_up


def turn_1(driver: BattleDriver) -> None:
    driver.do(driver.obligation("turn_order"))  # FM-17: the scenario says that Blue begins
    driver.next_phase(1, "blue", "move")
    # 2 in of open ground, 0.9 on the bridge, and 2 for a part of an inch climbed (FM-26, FM-27): 4.9 of 5 and 6
    driver.march((0, 2.9), "blue-1", "blue-2")
    driver.next_phase(1, "blue", "action")
    # 2 + RODF 3 - 1 for the wall is 4 against DDF 0: a wound of 4, Hurt, to be marked in step 3 (FM-20, FM-39)
    driver.do(driver.attack("blue-3", "red-3", "Shortbow"), 1, 1, 0, 0)
    driver.next_phase(1, "blue", "damage")
    driver.do(owed_by(driver, "red-3", "apply_wounds"))
    # FM-46: +1 is the target; Guts 0 is -1 now. 1 - 1 fails by 1: -1 to rolls (FM-51)
    driver.do(owed_by(driver, "red-3", "guts_check"), 1, 0, 0, 0)
    driver.next_phase(1, "blue", "move_on")
    driver.do(driver.obligation("victory"))
    driver.next_phase(1, "red", "move")
    # FM-55, FM-56: Guts -1, +1 for the first turn since, -1 on rolls: 2 - 1 just reaches +1
    driver.do(owed_by(driver, "red-3", "guts_recovery"), 1, 1, 0, 0)
    driver.do(driver.other("red-2", "charge", "blue-2"))
    say(driver, "blue-2", "defending_king", True)
    # FM-49: one Terrifying gift, so +1; Guts 2 + 1 for defending the King (FM-60): -2 + 3 reaches it
    driver.do(owed_by(driver, "blue-2", "guts_check"), -1, -1, 0, 0)
    go(driver, "red-2", (11.6, 13.9))  # 3.13 in, and 2 for the bridge
    go(driver, "red-1", (10.5, 13.9))  # 2.82 in, and 2 for the bridge
    go(driver, "red-4", (6, 12))  # 7.07 in at half the cost: it flies (FM-27)
    driver.next_phase(1, "red", "action")
    driver.do(driver.attack("red-1", "blue-1"), -1, -1, -1, 0)  # -3 + MODF 7 against DDF 1: 3, Hurt
    driver.do(driver.attack("red-4", "blue-3", "Claw"), 1, 1, 0, 0)  # 2 + MODF 2 against DDF 4: a tie, Scratch
    driver.do(driver.attack("red-4", "blue-3", "Claw (2)"), 0, 0, 0, 0)  # FM-29: once for each weapon
    driver.do(driver.attack("red-2", "blue-2"), 0, 0, 0, 0)  # 4 against DDF 3: Scratch
    # 6.1 in is beyond the sling's Range of 6: -1 (FM-36); 2 - 1 against DDF 3
    driver.do(driver.attack("red-3", "blue-2", "Sling"), 0, 0, 0, 0)
    # FM-47: a friend shot into Brutas's fight: +0. -3 + Guts 2 fails by 1, and a mercenary runs (FM-63)
    driver.do(owed_by(driver, "red-2", "guts_check"), -1, -1, -1, 0)
    driver.do(driver.other("red-2", "flee"))
    # FM-53: Sir Knightly strikes at +1. -1 + MODF 4 + 1 against DDF 3: 1, Scratch, at once
    driver.do(driver.obligation("free_attack"), -1, 0, 0, 0)
    go(driver, "red-2", (12.6, 18.4))  # 4.61 in: at least half of his Movement
    driver.next_phase(1, "red", "damage")
    for name in ("blue-1", "blue-2", "blue-3"):
        driver.do(owed_by(driver, name, "apply_wounds"))
    driver.do(owed_by(driver, "blue-1", "guts_check"), 1, 1, 0, 0)  # 2 + Guts 1 - 1 passes +1
    driver.next_phase(1, "red", "move_on")


def turn_2(driver: BattleDriver) -> None:
    driver.next_phase(2, "blue", "move")
    # FM-25: Dexterity 3; -3 + 3 is less than the harpy's Strength and Dexterity of 1
    driver.do(driver.other("blue-3", "disengage", "red-4"), -1, -1, -1, 0)
    # FM-61: +1 against Yanni. 1 + MODF 2 + 1 against DDF 4: a tie, his second Scratch
    driver.do(driver.obligation("free_attack"), 1, 0, 0, 0)
    go(driver, "blue-3", (3, 8))
    go(driver, "blue-2", (11.5, 13.9))
    driver.next_phase(2, "blue", "action")
    # FM-33: two attack the Knave. -2 + MODF 7 - 1 (Hurt) + 1 against DDF 1: 4, Hurt
    driver.do(driver.attack("blue-1", "red-1"), -1, -1, 0, 0)
    driver.do(driver.attack("blue-2", "red-1"), -1, -1, -1, 0)  # -3 + 4 + 1 against 1: 1, Scratch
    # FM-04: four pluses, thrown again for two more. 6 + RODF 3 against DDF 1: 8, Near Death
    driver.do(driver.attack("blue-3", "red-4", "Shortbow"), *(1, 1, 1, 1), *(1, 1, -1, 0))
    driver.next_phase(2, "blue", "damage")
    driver.do(owed_by(driver, "red-1", "apply_wounds"))
    driver.do(owed_by(driver, "red-1", "guts_check"), 1, 1, 0, 0)  # 2 + Guts 1 - 1 passes +1
    # FM-62: he is wounded, so he runs; King and knight strike at +1
    driver.do(driver.other("red-1", "flee"))
    # 1 + MODF 6 + 1 against DDF 0: 8, Near Death; Sir Knightly does not strike who lies there (FM-60)
    driver.do(driver.obligation("free_attack"), 1, 0, 0, 0)
    # FM-48: from Hurt to Near Death: +2. Guts 1 - 1, and Near Death takes off nothing more (FM-A25)
    driver.do(owed_by(driver, "red-1", "guts_check"), 1, 1, 0, 0)
    driver.do(owed_by(driver, "red-4", "apply_wounds"))
    driver.do(owed_by(driver, "red-4", "crash"), -1, 0, 0, 0)  # FM-43: -1 + 5: 4, Hurt besides
    driver.do(owed_by(driver, "red-4", "guts_check"), 1, 1, 0, 0)  # 2 + Guts 1 - 1 passes +2
    driver.next_phase(2, "blue", "move_on")
    driver.do(driver.obligation("victory"))
    driver.next_phase(2, "red", "move")
    # FM-44: +2 or more rises, -1 or less dies; Guts 1 - 1 for Hurt
    driver.do(owed_by(driver, "red-1", "near_death_roll"), 1, 1, 0, 0)
    driver.do(owed_by(driver, "red-4", "near_death_roll"), -1, 0, 0, 0)
    # FM-56: Guts 2, +1, -1 on rolls; -2 + 2 just reaches +0
    driver.do(owed_by(driver, "red-2", "guts_recovery"), -1, -1, 0, 0)
    driver.next_phase(2, "red", "action")
    # -2 + MODF 7 - 2 (Very Hurt) against DDF 1 - 1: 3; Hurt is marked, so it is Very Hurt (FM-40)
    driver.do(driver.attack("red-1", "blue-1"), -1, -1, 0, 0)
    driver.next_phase(2, "red", "damage")
    driver.do(owed_by(driver, "blue-1", "apply_wounds"))
    driver.do(owed_by(driver, "blue-1", "guts_check"), 1, 1, 0, 0)  # 2 + Guts 1 - 2 just reaches +1
    driver.next_phase(2, "red", "move_on")


def turn_3(driver: BattleDriver) -> None:
    driver.next_phase(3, "blue", "move")
    go(driver, "blue-3", (5.4, 10))
    driver.next_phase(3, "blue", "action")
    driver.do(driver.attack("blue-1", "red-1"), 1, 1, 1, 0)  # 3 + 7 - 2 + 1 against 1 - 2: 10, Dead
    driver.do(driver.attack("blue-2", "red-1"), -1, -1, -1, -1)  # -4 + 4 + 1 against -1: 2, Scratch
    driver.do(driver.other("blue-3", "take_up"))
    driver.next_phase(3, "blue", "damage")
    driver.do(owed_by(driver, "red-1", "apply_wounds"))
    driver.next_phase(3, "blue", "move_on")
    driver.do(driver.obligation("victory"))


TURNS = (turn_1, turn_2, turn_3)


def played(path: Path) -> Battle:
    return set_up(path).played(*TURNS)


@pytest.fixture(scope="module")
def battle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Battle]:
    """Played once; tests that undo steps redo them."""
    with played(tmp_path_factory.mktemp("evening") / "evening.battle") as one:
        yield one


def test_the_story_of_the_battle(battle: Battle) -> None:
    lines = plot(battle)
    assert lines[lines.index("Turn 1 · Blue moves") :] == STORY.splitlines()


STORY = """\
Turn 1 · Blue moves
  Blue 1, Blue 2: Move together: legal.
  Blue 1 moves 2.9 in to (10.5, 12.9), which costs 4.9 in.
  Blue 2 moves 2.9 in to (11.6, 12.9), which costs 4.9 in.

Turn 1 · Blue acts
  Blue 3: Shortbow at Red 3: hurt.
  Red 3: wounds to mark 4.

Turn 1 · Blue deals damage
  The wounds of Red 3: hurt.
  Red 3 no longer wounds to mark.
  Red 3: wounds Hurt.
  Red 3: guts checks owed New wound level.
  Red 3 checks Guts: new wound level: -1 on all rolls.
  Red 3 no longer guts checks owed.
  Red 3: guts failed Minus1 rolls.

Turn 1 · Blue moves on
  Blue: the bridge was held for the turns agreed: not yet.
  Turns held by blue: 1.
  Last held by blue: 1.

Turn 1 · Red moves
  Red 3 checks Guts again: recovers.
  Red 3 no longer guts failed.
  Red 2: Charge Blue 2: charge.
  Blue 2: guts checks owed Terrifying charge.
  Blue 2 defending king.
  Blue 2 checks Guts: terrifying charge: passed.
  Blue 2 no longer guts checks owed.
  Red 2: Move: legal.
  Red 2 moves 3.1 in to (11.6, 13.9), which costs 5.1 in.
  Red 1: Move: legal.
  Red 1 moves 2.8 in to (10.5, 13.9), which costs 4.8 in.
  Red 4: Move: legal.
  Red 4 moves 7.1 in to (6.0, 12.0), which costs 4.0 in.

Turn 1 · Red acts
  Red 1: Sword of Smiting at Blue 1: hurt.
  Blue 1: wounds to mark 3.
  Red 4: Claw at Blue 3: scratch.
  Blue 3: wounds to mark 0.
  Red 4: Claw (2) at Blue 3: miss.
  Red 2: Longsword at Blue 2: scratch.
  Blue 2: wounds to mark 1.
  Red 3: Sling at Blue 2: miss.
  Red 2: guts checks owed Friend shoots into combat.
  Red 2 checks Guts: friend shoots into combat: -1 on all rolls.
  Red 2 no longer guts checks owed.
  Red 2: guts failed Minus1 rolls.
  Red 2 must run.
  Red 2: Break off to run: Blue 2: runs.
  Blue 2 strikes at Red 2, who leaves: scratch.
  Red 2: wounds Scratch.
  Red 2: Run: runs.
  Red 2 moves 4.6 in to (12.6, 18.4).
  Red 2 no longer must run.

Turn 1 · Red deals damage
  The wounds of Blue 1: hurt.
  Blue 1 no longer wounds to mark.
  Blue 1: wounds Hurt.
  Blue 1: guts checks owed New wound level.
  The wounds of Blue 2: scratch.
  Blue 2 no longer wounds to mark.
  Blue 2: wounds Scratch.
  The wounds of Blue 3: scratch.
  Blue 3 no longer wounds to mark.
  Blue 3: wounds Scratch.
  Blue 1 checks Guts: new wound level: passed.
  Blue 1 no longer guts checks owed.

Turn 1 · Red moves on

Turn 2 · Blue moves
  Blue 3: Break away from Red 4: struck at.
  Red 4 strikes at Blue 3, who leaves: scratch.
  Blue 3: wounds Scratch, Scratch.
  Blue 3: Move: legal.
  Blue 3 moves 4.2 in to (3.0, 8.0).
  Blue 2: Move: legal.
  Blue 2 moves 1.0 in to (11.5, 13.9).

Turn 2 · Blue acts
  Blue 1: Sword of Smiting at Red 1: hurt.
  Red 1: wounds to mark 4.
  Blue 2: Longsword at Red 1: scratch.
  Red 1: wounds to mark 4, 1.
  Blue 3: Shortbow at Red 4: near death.
  Red 4: wounds to mark 8.

Turn 2 · Blue deals damage
  The wounds of Red 1: hurt.
  Red 1 no longer wounds to mark.
  Red 1: wounds Scratch, Hurt.
  Red 1: guts checks owed New wound level.
  Red 1 must run.
  Red 1 checks Guts: new wound level: passed.
  Red 1 no longer guts checks owed.
  Red 1: Break off to run: Blue 1, Blue 2: runs.
  Blue 1 strikes at Red 1, who leaves: near death.
  Red 1: wounds Scratch, Hurt, Near death.
  Red 1: guts checks owed Two wound levels one attack.
  Red 1: clings to life from turn 2.
  Red 1 no longer must run.
  Red 1 checks Guts: two wound levels at once: passed.
  Red 1 no longer guts checks owed.
  The wounds of Red 4: near death.
  Red 4 no longer wounds to mark.
  Red 4: wounds Near death.
  Red 4: guts checks owed Two wound levels one attack.
  Red 4: clings to life from turn 2.
  Red 4 falls from the air.
  Red 4 falls from the air: near death.
  Red 4 no longer falls from the air.
  Red 4: wounds Hurt, Near death.
  Red 4 checks Guts: two wound levels at once: passed.
  Red 4 no longer guts checks owed.

Turn 2 · Blue moves on
  Blue: the bridge was held for the turns agreed: not yet.
  Turns held by blue: 2.
  Last held by blue: 2.

Turn 2 · Red moves
  Red 1 clings to life: very hurt.
  Red 1: wounds Scratch, Hurt, Very hurt.
  Red 1 no longer clings to life from turn.
  Red 4 clings to life: dead.
  Red 4: wounds Hurt, Near death, Dead.
  Red 4 eliminated.
  Red 2 checks Guts again: recovers.
  Red 2 no longer guts failed.

Turn 2 · Red acts
  Red 1: Sword of Smiting at Blue 1: hurt.
  Blue 1: wounds to mark 3.

Turn 2 · Red deals damage
  The wounds of Blue 1: very hurt.
  Blue 1 no longer wounds to mark.
  Blue 1: wounds Hurt, Very hurt.
  Blue 1: guts checks owed New wound level.
  Blue 1 checks Guts: new wound level: passed.
  Blue 1 no longer guts checks owed.

Turn 2 · Red moves on

Turn 3 · Blue moves
  Blue 3: Move: legal.
  Blue 3 moves 3.1 in to (5.4, 10.0).

Turn 3 · Blue acts
  Blue 1: Sword of Smiting at Red 1: dead.
  Red 1: wounds to mark 10.
  Blue 2: Longsword at Red 1: scratch.
  Red 1: wounds to mark 10, 2.
  Blue 3: Take up Relic: legal.
  Blue 3: carries Relic.

Turn 3 · Blue deals damage
  The wounds of Red 1: dead.
  Red 1 no longer wounds to mark.
  Red 1: wounds Scratch, Scratch, Hurt, Very hurt, Dead.
  Red 1 eliminated.

Turn 3 · Blue moves on
  Blue: the bridge was held for the turns agreed: victory for Blue.
  Victory: blue.
  Turns held by blue: 3.
  Last held by blue: 3.
"""
"""The story without dice and reasons; the script explains each face beside it."""


def test_the_story_of_the_bow_has_dice_and_rules(battle: Battle) -> None:
    lines = story_of(battle)
    shot = lines.index("  Blue 3: Shortbow at Red 4: near death.")
    assert lines[shot + 1 : shot + 9] == [
        "    +1 +1 +1 +1 rolled for the attacker: the attack on the normal target",
        "    +1 +1 -1 0 rolled for the attacker: the attack on the normal target, again after four pluses",
        "    FM-03  the dice show +6 (+6)",
        "    FM-04  On four natural pluses, the four dice are rolled again, and only their pluses are added.",
        "    FM-38  the ranged weapon (RODF) (+3)",
        "    FM-31  against DDF +1",
        "    FM-32  +9 against +1: a wound of 8, Near Death",
        "  Red 4: wounds to mark 8.",
    ]


def test_blue_holds_the_bridge_and_red_has_two_left(battle: Battle) -> None:
    state = battle.state
    assert (state.figures_left, state.turn) == ({"blue": 3, "red": 2}, 3)
    assert (state.statuses["victory"], state.statuses["turns_held_by_blue"]) == ("blue", 3)
    assert state.unit("blue-1").statuses["wounds"] == ["hurt", "very_hurt"]
    assert state.unit("blue-3").statuses["carries"] == ["relic"]
    assert state.unit("red-1").statuses["wounds"] == ["scratch", "scratch", "hurt", "very_hurt", "dead"]
    assert (state.unit("red-2").at_in, state.unit("red-2").statuses.get("guts_failed")) == ((12.6, 18.4), None)


def test_the_forces_are_a_skirmish(battle: Battle) -> None:
    found = points_check(battle.game, BLUE)
    assert found is not None
    assert found.allowed  # FM-01: 3 to 10 models


def test_replaying_gives_the_same_battle(tmp_path: Path) -> None:
    path = tmp_path / "evening.battle"
    replays_to_the_same(path, played(path))


def test_undoing_everything_and_redoing_it_gives_the_same_battle(battle: Battle) -> None:
    names = undone_and_done_again(battle)
    assert names[0] == "Blue: the bridge was held for the turns agreed, victory"
    assert names[-1] == "Blue 1 joins Blue"
    assert battle.state.sides == ("blue", "red")


@pytest.mark.slow
def test_random_play_causes_no_errors(tmp_path: Path) -> None:
    driver = set_up(tmp_path / "b")
    put(driver, red_1=(10.5, 11), red_2=(11.6, 11), red_3=(12.7, 10.3), red_4=(6, 12))
    play_at_random(driver, seed=1, steps=32)
    acts = {name for unit in driver.battle.state.units.values() for name in unit.acts}
    assert len(acts) > 5
