"""A whole battle of Army Men, from set-up to victory: a hero, a tank and a machine gun against a wall and a pillbox.

Every distance, every cover and every target is measured on the table that the battle's own state describes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rules.battle.battle import Battle
from rules.battle.journal import event_of
from rules.engine.events import Change, Changed
from rules.games import points_check
from tests.rules.battle_driver import (
    BattleDriver,
    play_at_random,
    plot,
    replays_to_the_same,
    story_of,
    undone_and_done_again,
)
from tests.rules.pillbox import (
    GREEN,
    attack,
    set_up,
)


def turn_1(driver: BattleDriver) -> None:
    driver.do(driver.obligation("hero_names"))
    driver.do(driver.obligation("move_order"), 5, 3)  # AM-06: the higher die moves first
    driver.next_phase(1, "green", "movement")
    driver.march((0, 12), "green-9")
    driver.march((0, 6), "green-3")
    # AM-31, AM-32: 4 is east of the target, by 1 ft: behind the pillbox.
    driver.do(driver.other("green-10", "paratrooper"), 4, 1)
    driver.do(driver.other("green-5", "destroy_obstacle"))
    driver.next_phase(1, "tan", "movement")
    driver.march((0, -6), "tan-3")  # AM-55: half of 12 with the flame-thrower
    driver.march((0, -18), "tan-6")  # past the tank and behind the house
    driver.next_phase(1, "", "automatic_weapons")
    # 8 - 3 for the wall + 1 for the officer: 6 hits; a 12 misses and jams (AM-74, AM-75)
    driver.do(driver.other("green-2", "burst_rolls", "tan-1"), 3, 3, 6, 6)
    driver.do(driver.attack("green-9", "tan-3", "lmg"), 5, 6)  # AM-81: besides its gun; 8
    driver.do(driver.attack("tan-4", "green-3"), 4, 3)  # 8: the hero's first life (AM-115)
    driver.do(driver.obligation("casualties"))
    driver.next_phase(1, "", "small_arms")
    driver.do(driver.attack("tan-1", "green-1"), 2, 5)  # 7 from the wall into the open
    driver.battle.record(Changed(changes=(Change(figure="green-1", key="wanted", value=1, this_turn=True),)))
    driver.do(driver.obligation("casualties"))  # one may stay as wounded (AM-17)
    driver.next_phase(1, "", "heavy_weapons")
    # AM-34: the half-track is out of sight by now, but it was seen. 7; then 4 + 1 for a half-track is destroyed.
    driver.do(attack(driver, "green-9", "tan-6", "tank_gun", "on its way"), 2, 4, 4)
    driver.do(driver.attack("tan-3", "green-6"), 4, 5)  # 9
    # AM-15: who is hit in a phase fires in that phase. 6 without the wounded officer; AM-82: 2 explodes.
    driver.do(driver.attack("green-6", "tan-3"), 2, 2, 2)
    driver.do(driver.attack("green-7", "tan-1"), 2, 2)  # 6 - 3 for the wall
    driver.do(driver.obligation("casualties"))
    driver.do(driver.obligation("casualties"))


def turn_2(driver: BattleDriver) -> None:
    driver.next_phase(2, "green", "movement")
    driver.do(driver.other("green-4", "medic", "green-1"), 3, 4)  # AM-68: 7
    driver.march((0, 7), "green-9")
    driver.do(driver.obligation("overrun"))  # AM-26
    driver.do(driver.other("green-5", "entrench"))
    driver.next_phase(2, "tan", "movement")
    driver.next_phase(2, "", "automatic_weapons")
    driver.do(driver.other("green-2", "clear_jam"), 3, 4)  # AM-76: 7
    driver.do(driver.attack("green-3", "tan-1", "assault_rifle"), 3, 4)  # 8 - 3 + 1 for the hero + 1: 7
    driver.do(driver.attack("tan-4", "green-3"), 2, 2)  # his second life
    driver.do(driver.obligation("casualties"))
    driver.next_phase(2, "", "small_arms")
    driver.next_phase(2, "", "heavy_weapons")
    # AM-66: the mortar does not see him behind the house, the radio man does. 6 + 1 for the officer
    driver.do(driver.attack("green-7", "tan-7"), 3, 4)
    driver.do(driver.other("green-10", "attack_pillbox_from_safe_zone"), 6, 6)  # AM-111: on anything but a 12
    driver.do(attack(driver, "green-9", "tan-5", "tank_gun"), 3, 4, 5)  # 7; AM-96: 5 stuns
    driver.do(driver.obligation("casualties"))


def turn_3(driver: BattleDriver) -> None:
    driver.next_phase(3, "green", "movement")
    driver.do(driver.other("green-5", "entrench"))  # AM-92: the second turn
    driver.next_phase(3, "tan", "movement")
    driver.next_phase(3, "", "automatic_weapons")
    driver.next_phase(3, "", "small_arms")
    driver.next_phase(3, "", "heavy_weapons")
    driver.do(attack(driver, "green-9", "tan-5", "tank_gun"), 1, 3, 6)  # AM-96: 6 destroys
    driver.do(driver.obligation("crew_survival"), 4)  # AM-105: 1 to 3 survives
    driver.do(driver.obligation("casualties"))
    driver.do(driver.obligation("victory"))


TURNS = (turn_1, turn_2, turn_3)


def played(path: Path) -> Battle:
    return set_up(path).played(*TURNS)


@pytest.fixture
def battle(tmp_path: Path) -> Iterator[Battle]:
    with played(tmp_path / "evening.battle") as one:
        yield one


def test_the_story_of_the_battle(battle: Battle) -> None:
    lines = plot(battle)
    assert lines[lines.index("Turn 1 · Green moves") :] == STORY.splitlines()


STORY = """\
Turn 1 · Green moves
  Green 9: Move: legal.
  Green 9 moves 12.0 in to (26.0, 20.0).
  Green 3: Move: legal.
  Green 3 moves 6.0 in to (13.0, 16.0).
  Green 10: Land by parachute: off target.
  Green 10 moves 12.0 in to (26.0, 38.0), which costs 0.0 in.
  Green 5: Destroy Wire: destroyed.
  Cleared: Wire.

Turn 1 · Tan moves
  Tan 3: Move: legal.
  Tan 3 moves 6.0 in to (17.0, 18.0).
  Tan 6: Move: legal.
  Tan 6 moves 18.0 in to (42.0, 14.0).

Turn 1 · Automatic weapons
  Green 2: Heavy machine gun at Tan 2, Tan 1: hits 1 of 2.
  Green 2 hmg jammed.
  Tan 2 down.
  Green 9: Light machine gun at Tan 3: miss.
  Tan 4: Light machine gun at Green 3: hit.
  Green 3: eliminations 1.
  Take off Tan 2: removed.
  Tan 2 eliminated.

Turn 1 · Small arms
  Tan 1: Rifle at Green 1: hit.
  Green 1 down.
  Green 1: wanted 1.
  Take off Green 1: removed.
  Green 1 no longer down.
  Green 1 wounded.
  Wounded of green: 1.

Turn 1 · Heavy weapons
  Green 9: Tank gun at Tan 6 on its way: hit.
  Tan 6 down.
  Tan 6 wreck.
  Tan 3: Flame thrower at Green 6: hits 1 of 1.
  Green 6 down.
  Green 6: Bazooka at Tan 3: hits 1 of 1.
  Tan 3 down.
  Green 7: Light mortar at Tan 1: misses.
  Take off Green 6: removed.
  Green 6 eliminated.
  Take off Tan 3, Tan 6: removed.
  Tan 3 eliminated.
  Tan 6 eliminated.

Turn 2 · Green moves
  Green 4: Treat Green 1: healed.
  Green 1 no longer wounded.
  Green 9: Move: legal.
  Green 9 moves 7.0 in to (26.0, 27.0).
  Green 9 runs over Tan 8: run over.
  Tan 8 eliminated.
  Green 5: Dig in: digging.
  Green 5: turns of digging 1.

Turn 2 · Tan moves

Turn 2 · Automatic weapons
  Green 2: Clear the heavy machine gun: fixed.
  Green 2 no longer hmg jammed.
  Green 3: Assault rifle at Tan 1: hit.
  Tan 1 down.
  Tan 4: Light machine gun at Green 3: hit.
  Green 3: eliminations 2.
  Take off Tan 1: removed.
  Tan 1 eliminated.

Turn 2 · Small arms

Turn 2 · Heavy weapons
  Green 7: Light mortar at Tan 7: hits 1 of 1.
  Tan 7 down.
  Green 10: Grenade through the port of Tan 5: missed.
  Green 9: Tank gun at Tan 5: hits 1 of 1.
  Green 9: ranged in on Tan 5.
  Tan 5: stunned in turn 2.
  Take off Tan 7: removed.
  Tan 7 eliminated.

Turn 3 · Green moves
  Green 5: Dig in: entrenched.
  Green 5: turns of digging 2.
  Green 5 entrenched.

Turn 3 · Tan moves

Turn 3 · Automatic weapons

Turn 3 · Small arms

Turn 3 · Heavy weapons
  Green 9: Tank gun at Tan 5: hits 1 of 1.
  Tan 5 down.
  Tan 5: its crew trapped.
  The men inside Tan 5: dead.
  Tan 5: its crew dead.
  Tan 4 down.
  Take off Tan 4, Tan 5: removed.
  Tan 4 eliminated.
  Tan 5 eliminated.
  Tan 4 no longer inside.
  Declare victory of Green: victory for Green.
"""
"""The story without dice and reasons; the script explains each face beside it."""


def test_the_story_of_the_machine_gun_has_dice_and_rules(battle: Battle) -> None:
    lines = story_of(battle)
    burst = lines.index("  Green 2: Heavy machine gun at Tan 2, Tan 1: hits 1 of 2.")
    # From the rulebook's tables: 8, behind cover -3, in the leader's area +1; a 12 misses whatever the value.
    assert lines[burst + 1 : burst + 14] == [
        "    3 3 rolled for Tan 2: the attack with the hmg",
        "    6 6 rolled for Tan 1: the attack with the hmg",
        "    AM-51  the hmg attacks at 8 (+8)",
        "    AM-83  the target is behind cover (-3)",
        "    AM-64  in the leader's area (+1)",
        "    AM-39  rolled 6; 6 or less hits",
        "    AM-40  the infantry is eliminated",
        "    AM-51  the hmg attacks at 8 (+8)",
        "    AM-83  the target is behind cover (-3)",
        "    AM-64  in the leader's area (+1)",
        "    AM-74  A natural 12 always misses.",
        "    AM-75  An automatic weapon jams on a 12.",
        "  Green 2 hmg jammed.",
    ]


def test_green_wins_and_the_hero_has_one_life_left(battle: Battle) -> None:
    last = event_of(battle.entries[-1])
    assert (battle.state.figures_left, battle.state.turn) == ({"green": 9, "tan": 0}, 3)
    assert last.to_body()["verdict"]["numbers"] == {"victory": True, "winner": "green"}
    units = battle.state.units
    assert units["green-3"].statuses["eliminations"] == 2
    assert units["green-5"].statuses["entrenched"]
    assert battle.state.statuses["cleared"] == ("wire",) or battle.state.statuses["cleared"] == ["wire"]
    assert (units["green-10"].at_in, units["green-9"].at_in) == ((26.0, 38.0), (26, 27))


def test_a_battle_with_fewer_men_than_advised_is_allowed(tmp_path: Path) -> None:
    """AM-07 advises 30 to 40 men; fewer are allowed."""
    with played(tmp_path / "b") as battle:
        found = points_check(battle.game, GREEN)
    assert found is not None
    assert (found.outcome, found.numbers["typical"]) == ("unusual", False)


def test_replaying_gives_the_same_battle(tmp_path: Path) -> None:
    path = tmp_path / "evening.battle"
    replays_to_the_same(path, played(path))


def test_undoing_everything_and_redoing_it_gives_the_same_battle(battle: Battle) -> None:
    names = undone_and_done_again(battle)
    assert names[0] == "Declare victory of Green, victory"
    assert names[-1] == "Green 1 joins Green"
    assert battle.state.sides == ("green", "tan")


def test_random_play_causes_no_errors(tmp_path: Path) -> None:
    play_at_random(set_up(tmp_path / "b"), seed=3, steps=30)
