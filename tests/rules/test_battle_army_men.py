"""A whole battle of Army Men, from set-up to victory: a hero, a tank and a machine gun against a wall and a pillbox.

Every distance, every cover and every target is measured on the table that the battle's own state describes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from rules.battle import Battle
from rules.events import Change, Changed, Doubted, Placed, Settled, event_of, spoken
from rules.games.referees import moment_of
from rules.referee import Deed, outlook, prospect
from rules.roster import Army, Recruit, points_check
from rules.state import Unit
from rules.table import Figure, PointIn, Refused, TerrainKind, TerrainPiece
from rules.template import Blast
from tests.rules.board import box, figure, piece
from tests.rules.evening import (
    Evening,
    begun,
    inch_base,
    plot,
    random_evening,
    recruits,
    replays_to_the_same,
    told,
    undone_and_done_again,
)

GREEN_CARDS = (
    *("officer", "heavy_machine_gun_team", "hero", "medic", "engineer"),
    *("bazooka_team", "light_mortar_man", "radio_man", "tank"),
)
TAN_CARDS = (
    *("rifleman", "rifleman", "flame_thrower_man", "light_machine_gunner"),
    *("pillbox", "half_track", "rifleman", "rifleman"),
)
COMMANDO = {"title": "Commando", "kind": "infantry", "weapons": ["submachine_gun", "grenade"], "parachute": True}


def army(side: str, cards: tuple[str, ...], *more: Recruit) -> Army:
    return Army(name=side, game="army_men", recruits=(*recruits(side, *cards), *more))


GREEN = army("green", GREEN_CARDS, Recruit(figure="green-10", own=COMMANDO))
TAN = army("tan", TAN_CARDS)
PLACES: dict[str, PointIn] = {
    "green-1": (10, 10), "green-2": (11.5, 10), "green-3": (13, 10), "green-4": (8.8, 10), "green-5": (4, 13.3),
    "green-6": (17, 12), "green-7": (20, 4), "green-8": (40, 24), "green-9": (26, 8), "green-10": (14, 38),
    "tan-1": (11, 28), "tan-2": (13, 28), "tan-3": (17, 24), "tan-4": (26, 32), "tan-5": (26, 32),
    "tan-6": (42, 32), "tan-7": (46, 12), "tan-8": (26.5, 25),
}  # fmt: skip
"""Centres; soldiers stand on bases an inch across."""
SIZES = {"tank": (1.5, 2.0), "half_track": (1.0, 1.5), "pillbox": (2.0, 1.5)}
"""Half the width and half the length of what is larger."""
TERRAIN = [
    piece("low wall", TerrainKind.LOW_WALL, box(8, 27, 16, 27.4), height=1.2),
    piece("house", TerrainKind.BUILDING, box(34, 8, 38, 20), height=5.0),
    piece("wire", TerrainKind.WIRE, box(2, 14, 8, 14.4), height=0.5),
    piece("mines", TerrainKind.MINE, box(0, 20, 6, 22)),
]


def look(unit: Unit) -> Figure:
    """Soldiers on round bases, the rest on rectangles that face each other over the table."""
    if unit.card not in SIZES:
        return inch_base(unit)
    assert unit.at_in is not None
    (x, y), (across, along) = unit.at_in, SIZES[unit.card]
    base = box(x - across, y - along, x + across, y + along)
    return figure(unit.id, x, y, base=base, facing=90 if unit.side == "green" else 270)


def set_up(path: Path) -> Evening:
    battle = begun(path, "army_men", {"green": GREEN, "tan": TAN}, PLACES, {"wounded_limit": 1})
    battle.record(Changed(changes=(Change(figure="tan-4", key="inside", value="tan-5"),)))
    return Evening(battle, TERRAIN, look)


def turn_1(evening: Evening) -> None:
    evening.do(evening.duty("hero_names"))
    evening.do(evening.duty("move_order"), 5, 3)  # AM-06: the higher die moves first
    evening.next_phase(1, "green", "movement")
    evening.march((0, 12), "green-9")
    evening.march((0, 6), "green-3")
    # AM-31, AM-32: 4 is east of the target, by 1 ft: behind the pillbox.
    evening.do(evening.other("green-10", "paratrooper"), 4, 1)
    evening.do(evening.other("green-5", "destroy_obstacle"))
    evening.next_phase(1, "tan", "movement")
    evening.march((0, -6), "tan-3")  # AM-55: half of 12 with the flame-thrower
    evening.march((0, -18), "tan-6")  # past the tank and behind the house
    evening.next_phase(1, "", "automatic_weapons")
    # 8 - 3 for the wall + 1 for the officer: 6 hits; a 12 misses and jams (AM-74, AM-75)
    evening.do(evening.other("green-2", "burst_rolls", "tan-1"), 3, 3, 6, 6)
    evening.do(evening.attack("green-9", "tan-3", "lmg"), 5, 6)  # AM-81: besides its gun; 8
    evening.do(evening.attack("tan-4", "green-3"), 4, 3)  # 8: the hero's first life (AM-115)
    evening.do(evening.duty("casualties"))
    evening.next_phase(1, "", "small_arms")
    evening.do(evening.attack("tan-1", "green-1"), 2, 5)  # 7 from the wall into the open
    evening.battle.record(Changed(changes=(Change(figure="green-1", key="wanted", value=1, this_turn=True),)))
    evening.do(evening.duty("casualties"))  # one may stay as wounded (AM-17)
    evening.next_phase(1, "", "heavy_weapons")
    # AM-34: the half-track is out of sight by now, but it was seen. 7; then 4 + 1 for a half-track is destroyed.
    evening.do(attack(evening, "green-9", "tan-6", "tank_gun", "on its way"), 2, 4, 4)
    evening.do(evening.duty("crew_survival"))  # AM-105: never
    evening.do(evening.attack("tan-3", "green-6"), 4, 5)  # 9
    # AM-15: who is hit in a phase fires in that phase. 6 without the wounded officer; AM-82: 2 explodes.
    evening.do(evening.attack("green-6", "tan-3"), 2, 2, 2)
    evening.do(evening.attack("green-7", "tan-1"), 2, 2)  # 6 - 3 for the wall
    evening.do(evening.duty("casualties"))
    evening.do(evening.duty("casualties"))


def turn_2(evening: Evening) -> None:
    evening.next_phase(2, "green", "movement")
    evening.do(evening.other("green-4", "medic", "green-1"), 3, 4)  # AM-68: 7
    evening.march((0, 7), "green-9")
    evening.do(evening.duty("overrun"))  # AM-26
    evening.do(evening.other("green-5", "entrench"))
    evening.next_phase(2, "tan", "movement")
    evening.next_phase(2, "", "automatic_weapons")
    evening.do(evening.other("green-2", "clear_jam"), 3, 4)  # AM-76: 7
    evening.do(evening.attack("green-3", "tan-1", "assault_rifle"), 3, 4)  # 8 - 3 + 1 for the hero + 1: 7
    evening.do(evening.attack("tan-4", "green-3"), 2, 2)  # his second life
    evening.do(evening.duty("casualties"))
    evening.next_phase(2, "", "small_arms")
    evening.next_phase(2, "", "heavy_weapons")
    # AM-66: the mortar does not see him behind the house, the radio man does. 6 + 1 for the officer
    evening.do(evening.attack("green-7", "tan-7"), 3, 4)
    evening.do(evening.other("green-10", "attack_pillbox_from_safe_zone"), 6, 6)  # AM-111: on anything but a 12
    evening.do(attack(evening, "green-9", "tan-5", "tank_gun"), 3, 4, 5)  # 7; AM-96: 5 stuns
    evening.do(evening.duty("casualties"))


def turn_3(evening: Evening) -> None:
    evening.next_phase(3, "green", "movement")
    evening.do(evening.other("green-5", "entrench"))  # AM-92: the second turn
    evening.next_phase(3, "tan", "movement")
    evening.next_phase(3, "", "automatic_weapons")
    evening.next_phase(3, "", "small_arms")
    evening.next_phase(3, "", "heavy_weapons")
    evening.do(attack(evening, "green-9", "tan-5", "tank_gun"), 1, 3, 6)  # AM-96: 6 destroys
    evening.do(evening.duty("crew_survival"), 4)  # AM-105: 1 to 3 survives
    evening.do(evening.duty("casualties"))
    evening.do(evening.duty("victory"))


def attack(evening: Evening, name: str, enemy: str, weapon: str, how: str = "") -> Deed:
    """The attack that is aimed at an enemy himself, as he is now, was on his way, or in return."""
    deeds = [
        one for one in evening.referee.attacks(evening.moment, name) if one.at[0] == enemy and one.weapon == weapon
    ]
    return next(deed for deed in deeds if deed.title.endswith(how or spoken(enemy)))


TURNS = (turn_1, turn_2, turn_3)


def played(path: Path) -> Battle:
    return set_up(path).played(*TURNS)


@pytest.fixture
def battle(tmp_path: Path) -> Iterator[Battle]:
    with played(tmp_path / "evening.battle") as one:
        yield one


def test_it_reads_as_a_story(battle: Battle) -> None:
    lines = plot(battle)
    assert lines[lines.index("Turn 1, Green, movement") :] == STORY.splitlines()


STORY = """\
Turn 1, Green, movement
  Green 9: move: legal.
  Green 9 moves 12.0 in to (26.0, 20.0).
  Green 3: move: legal.
  Green 3 moves 6.0 in to (13.0, 16.0).
  Green 10: paratrooper: off target.
  Green 10 moves 12.0 in to (26.0, 38.0), which takes 0.0.
  Green 5: destroy obstacle: destroyed.
  Cleared: Wire.

Turn 1, Tan, movement
  Tan 3: move: legal.
  Tan 3 moves 6.0 in to (17.0, 18.0).
  Tan 6: move: legal.
  Tan 6 moves 18.0 in to (42.0, 14.0).

Turn 1, automatic weapons
  Green 2: burst rolls: hits 1 of 2.
  Green 2 hmg jammed.
  Tan 2 down.
  Green 9: attack: miss.
  Tan 4: attack: hit.
  Green 3: eliminations 1.
  Tan 2: casualties: removed.
  Tan 2 eliminated.

Turn 1, small arms
  Tan 1: attack: hit.
  Green 1 down.
  Green 1: wanted 1.
  Green 1: casualties: removed.
  Green 1 no longer down.
  Green 1 wounded.
  Wounded of green: 1.

Turn 1, heavy weapons
  Green 9: attack: hit.
  Tan 6 down.
  Tan 6 wreck.
  Tan 6: its crew trapped.
  Crew survival: dead.
  Tan 6: its crew dead.
  Tan 3: blast: hits 1 of 1.
  Green 6 down.
  Green 6: blast: hits 1 of 1.
  Tan 3 down.
  Green 7: blast: misses.
  Green 6: casualties: removed.
  Green 6 eliminated.
  Tan 3, Tan 6: casualties: removed.
  Tan 3 eliminated.
  Tan 6 eliminated.

Turn 2, Green, movement
  Green 4: medic: healed.
  Green 1 no longer wounded.
  Green 9: move: legal.
  Green 9 moves 7.0 in to (26.0, 27.0).
  Green 9: overrun: run over.
  Tan 8 eliminated.
  Green 5: entrench: digging.
  Green 5: turns of digging 1.

Turn 2, Tan, movement

Turn 2, automatic weapons
  Green 2: clear jam: fixed.
  Green 2 no longer hmg jammed.
  Green 3: attack: hit.
  Tan 1 down.
  Tan 4: attack: hit.
  Green 3: eliminations 2.
  Tan 1: casualties: removed.
  Tan 1 eliminated.

Turn 2, small arms

Turn 2, heavy weapons
  Green 7: blast: hits 1 of 1.
  Tan 7 down.
  Green 10: attack pillbox from safe zone: missed.
  Green 9: blast: hits 1 of 2.
  Green 9: ranged in on Tan 5.
  Tan 5: stunned in turn 2.
  Tan 7: casualties: removed.
  Tan 7 eliminated.

Turn 3, Green, movement
  Green 5: entrench: entrenched.
  Green 5: turns of digging 2.
  Green 5 entrenched.

Turn 3, Tan, movement

Turn 3, automatic weapons

Turn 3, small arms

Turn 3, heavy weapons
  Green 9: blast: hits 1 of 2.
  Tan 5 down.
  Tan 5: its crew trapped.
  Crew survival: dead.
  Tan 5: its crew dead.
  Tan 4 no longer inside.
  Tan 4 eliminated.
  Tan 5: casualties: removed.
  Tan 5 eliminated.
  Victory: victory for Green.
"""
"""Without dice and reasons; why each face does what it does stands beside it in the script."""


def test_the_machine_gun_tells_its_dice_and_its_rules(battle: Battle) -> None:
    lines = told(battle)
    burst = lines.index("  Green 2: burst rolls: hits 1 of 2.")
    # From the rulebook's tables: 8, behind cover -3, in the leader's area +1; a 12 misses whatever the value.
    assert lines[burst + 1 : burst + 14] == [
        "    3 3 on the dice: tan-2, the attack with the hmg",
        "    6 6 on the dice: tan-1, the attack with the hmg",
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


def test_the_rulebook_would_have_more_men(tmp_path: Path) -> None:
    """AM-07 advises 30 to 40 men; nothing forbids an evening with fewer."""
    with played(tmp_path / "b") as battle:
        found = points_check(battle.game, GREEN)
    assert found is not None
    assert (found.outcome, found.numbers["typical"]) == ("unusual", False)


def test_replayed_it_is_the_same_battle(tmp_path: Path) -> None:
    path = tmp_path / "evening.battle"
    replays_to_the_same(path, played(path))


def test_undone_to_the_beginning_and_done_again(battle: Battle) -> None:
    names = undone_and_done_again(battle)
    assert names[0] == "victory: victory"
    assert names[-1] == "Green 1 joins Green"
    assert battle.state.sides == ("green", "tan")


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    one = set_up(tmp_path / "b")
    with one.battle:
        yield one


def go_to(evening: Evening, phase: str) -> None:
    """On to the next phase of that name."""
    while True:
        begins = evening.referee.next_phase(evening.moment)
        evening.battle.record(begins)
        if phase in (begins.phase, f"{begins.side} {begins.phase}"):
            return


# What a figure can do.


def test_a_rifle_at_the_officer_has_exact_odds(evening: Evening) -> None:
    go_to(evening, "small_arms")
    shots = {one.deed.at[0]: one for one in evening.outlook("tan-1").attacks}
    found = shots["green-1"]
    # AM-46: 7 or less with two dice is 21 of 36; no modifier: the wall is at the firer's, not near the officer.
    assert found.before is not None
    assert (found.before.numbers["attack_value"], found.odds["hit"]) == (7, Fraction(21, 36))
    # 28 - 10 less both halves of the bases is 17 (the outline of a round base is a little larger than its circle)
    assert found.deed.given["distance_in"] == pytest.approx(17, abs=0.02)
    # AM-38: 24 in; the mortar stands 24 and more away, 25.6 from centre to centre.
    assert "the rifle reaches 0 to 24 in" in shots["green-7"].why_not
    assert shots["green-9"].before.numbers["reason"] == "immune"  # AM-93


def test_a_burst_tells_the_odds_of_each_of_its_targets(evening: Evening) -> None:
    go_to(evening, "automatic_weapons")
    found = evening.prospect(evening.other("green-2", "burst_rolls", "tan-1"))
    assert found.before is not None
    assert found.before.numbers["each"]["tan-1"]["attack_value"] == 6
    # 8 - 3 + 1: 6 or less is 15 of 36
    assert found.odds_of["tan-1"]["hits 1 of 1"] == Fraction(15, 36)
    assert sum(found.odds_of["tan-2"].values()) == 1


def test_the_wrong_phase_and_nobody_moves_before_the_first_turn(evening: Evening) -> None:
    assert not evening.outlook("green-1").movement.possible
    go_to(evening, "green movement")
    assert evening.outlook("tan-1").movement.before.numbers["reason"] == "not_his_move"
    assert evening.outlook("green-1").movement.before.numbers["left_in"] == 12  # AM-19
    go_to(evening, "small_arms")
    assert "units move in the phase of movement only" in evening.outlook("green-1").movement.why_not
    left = evening.outlook("tan-3").attacks[0]
    assert "the flame thrower fires in the phase of heavy weapons (AM-12)" in left.why_not


def test_what_is_hidden_is_seen_through_the_radio_only(evening: Evening) -> None:
    go_to(evening, "heavy_weapons")
    by_radio = evening.prospect(evening.attack("green-7", "tan-7"))
    assert by_radio.possible
    assert not by_radio.deed.given["los"]
    # Behind the house as well, he sees nothing of the target either.
    evening.battle.record(Placed(figure="green-8", at_in=(30, 14)))
    alone = evening.prospect(evening.attack("green-7", "tan-7"))
    assert alone.before.numbers["reason"] == "no_line_of_sight"
    assert "AM-66" in alone.why_not


def test_the_nearest_cover_on_the_line_counts_and_woods_cover_whom_they_hold(tmp_path: Path) -> None:
    """AM-83: a wall 6 in before the target is none, woods around him are."""
    far = piece("far wall", TerrainKind.LOW_WALL, box(8, 21, 16, 21.4), height=1.4)
    woods = piece("woods", TerrainKind.WOODS, box(8, 27, 14, 30), height=4)
    with set_up(tmp_path / "b").battle as battle:
        for terrain, cover_in in (([far], 6.1), ([far, TERRAIN[0]], 0.1), ([woods], 0.0)):
            shot = Evening(battle, terrain, look).attack("green-2", "tan-1", "hmg")
            assert shot.given["cover_to_target_in"] == pytest.approx(cover_in, abs=0.01)


def test_once_a_turn_but_a_tank_has_a_machine_gun_besides(evening: Evening) -> None:
    go_to(evening, "automatic_weapons")
    evening.do(attack(evening, "green-3", "tan-3", "assault_rifle"), 6, 5)
    evening.do(attack(evening, "green-9", "tan-3", "lmg"), 6, 5)
    assert evening.prospect(attack(evening, "green-9", "tan-3", "lmg")).before.numbers["reason"] == "already_attacked"
    go_to(evening, "heavy_weapons")
    thrown = evening.prospect(attack(evening, "green-3", "tan-3", "grenade"))
    assert thrown.before.numbers["reason"] == "already_attacked"  # AM-37
    assert evening.prospect(attack(evening, "green-9", "tan-3", "tank_gun")).possible  # AM-81


def test_undo_gives_the_ammunition_back(evening: Evening) -> None:
    go_to(evening, "heavy_weapons")
    evening.do(attack(evening, "green-9", "tan-3", "tank_gun"), 6, 6)  # AM-77
    assert evening.battle.state.unit("green-9").statuses["tank_gun_out_of_ammunition"]
    go_to(evening, "heavy_weapons")
    empty = evening.prospect(attack(evening, "green-9", "tan-3", "tank_gun"))
    assert empty.before.numbers["reason"] == "out_of_ammo"
    while evening.battle.state.turn == 2:
        evening.battle.undo()
    assert evening.battle.undo() == "Green 9 tank gun out of ammunition"
    assert evening.prospect(attack(evening, "green-9", "tan-3", "tank_gun")).possible


def test_a_pillbox_does_not_fire_behind_itself(evening: Evening) -> None:
    evening.battle.record(Placed(figure="green-10", at_in=(26, 38)))
    go_to(evening, "automatic_weapons")
    behind = evening.prospect(attack(evening, "tan-4", "green-10", "lmg"))
    assert behind.before.numbers["reason"] == "pillbox_blind_zone"  # AM-109
    assert evening.prospect(attack(evening, "tan-4", "green-6", "lmg")).possible


def test_what_no_camera_sees_is_asked_and_kept(evening: Evening) -> None:
    go_to(evening, "heavy_weapons")
    deed = attack(evening, "green-9", "tan-3", "tank_gun")
    asked = {one.fact for one in evening.prospect(deed).asks}
    assert asked == {"off_facing_deg", "fixed_location", "turret_points_at_target", "leader_by_radio"}
    told_so = Change(figure="green-9", key="turret_points_at_target at tan-3", value=False, this_turn=True)
    evening.battle.record(Changed(changes=(told_so,)))
    deed = attack(evening, "green-9", "tan-3", "tank_gun")
    assert {one.fact for one in evening.prospect(deed).asks} == asked - {"turret_points_at_target"}
    assert evening.prospect(deed).before.numbers["reason"] == "turret_elsewhere"  # AM-25


def test_a_range_at_the_limit_is_settled_by_the_players(tmp_path: Path) -> None:
    """24 in is a rifle's range: 23.96 give or take 0.07 may be more."""
    places = {"tan-1": (11, 28), "green-1": (11, 3.03)}
    with set_up(tmp_path / "b").battle as battle:
        for name, place in places.items():
            battle.record(Placed(figure=name, at_in=place))
        blurred = Evening(battle, [], lambda unit: replace(look(unit), sigma_in=0.05))
        go_to(blurred, "small_arms")
        deed = attack(blurred, "tan-1", "green-1", "rifle")
        [doubt] = blurred.prospect(deed).doubts
        assert "the range from Tan 1 to Green 1" in doubt.question
        with pytest.raises(Refused, match="too close to call: settle it first"):
            blurred.do(deed, 3, 4)
        battle.record(Doubted(question=doubt.question, answers=tuple(doubt.answers)))
        battle.record(Settled(question=doubt.question, answer="more"))
        assert blurred.prospect(deed).before.numbers["reason"] == "out_of_range"
        battle.undo()
        battle.record(Settled(question=doubt.question, answer="less"))
        assert blurred.do(deed, 3, 4).numbers["hit"]


# Moves.


def test_wire_mines_and_a_move_that_is_too_long(evening: Evening) -> None:
    go_to(evening, "green movement")
    assert evening.march((0, 13), "green-1").numbers["reason"] == "too_far"  # AM-19
    assert evening.march((0, 7), "green-4").allowed
    assert evening.march((0, 5.1), "green-4").numbers["reason"] == "too_far"  # 7 of the 12 are spent
    assert evening.march((0, 3), "green-5").numbers["reason"] == "blocked"  # AM-71
    evening.do(evening.other("green-5", "destroy_obstacle"))
    assert evening.march((-2, 7), "green-5", "green-3").allowed
    assert evening.battle.state.unit("green-5").at_in == (2, 20.3)
    assert evening.battle.state.unit("green-5").allowance_used_in == pytest.approx((2**2 + 7**2) ** 0.5)
    evening.do(evening.duty("minefield"), 3, 4)  # AM-70: 7
    assert evening.battle.state.unit("green-5").out


def test_who_was_fired_at_on_his_way_fires_back(tmp_path: Path) -> None:
    """AM-34, AM-35: a rifleman runs behind a tall wall before the hero's eyes."""
    with set_up(tmp_path / "b").battle as battle:
        evening = Evening(battle, [piece("tall wall", TerrainKind.WALL, box(20, 20, 24, 20.5), height=5)], look)
        battle.record(Placed(figure="green-3", at_in=(22, 10)))
        go_to(evening, "tan movement")
        evening.march((-4.5, 0), "tan-8")
        go_to(evening, "automatic_weapons")
        now = evening.prospect(evening.attack("green-3", "tan-8", "assault_rifle"))
        assert now.before.numbers["reason"] == "no_line_of_sight"
        passing = attack(evening, "green-3", "tan-8", "assault_rifle", "on its way")
        # 8, a hero +1, 11 in from his officer +1: 10 or less is 33 of 36
        assert evening.prospect(passing).odds["hit"] == Fraction(33, 36)
        evening.do(passing, 5, 6)
        go_to(evening, "small_arms")
        assert not evening.prospect(evening.attack("tan-8", "green-3")).possible
        back = evening.prospect(attack(evening, "tan-8", "green-3", "rifle", "in return"))
        assert back.odds["hit"] == Fraction(21, 36)
        go_to(evening, "green movement")  # the next turn forgets it
        assert len([*evening.referee.attacks(evening.moment, "tan-8")]) == 10


def test_a_gun_needs_its_crew_beside_it(tmp_path: Path) -> None:
    cards = ("light_cannon", "rifleman", "rifleman", "rifleman")
    recruits = tuple(Recruit(figure=f"green-{n}", card=card, squad="gun") for n, card in enumerate(cards, 1))
    green = Army(name="battery", game="army_men", recruits=recruits)
    places: dict[str, PointIn] = {
        "green-1": (10, 10), "green-2": (11.1, 10), "green-3": (8.9, 10), "green-4": (10, 8.9), "tan-1": (10, 30)
    }  # fmt: skip
    with begun(tmp_path / "b", "army_men", {"green": green, "tan": army("tan", ("rifleman",))}, places) as battle:
        evening = Evening(battle)
        go_to(evening, "heavy_weapons")
        assert evening.prospect(evening.attack("green-1", "tan-1")).possible  # AM-63: 3 men
        evening.battle.record(Placed(figure="green-4", at_in=(10, 5)))
        assert evening.prospect(evening.attack("green-1", "tan-1")).before.numbers["reason"] == "short_crew"


def test_the_order_may_be_rolled_every_turn(tmp_path: Path) -> None:
    armies = {"green": army("green", ("rifleman",)), "tan": army("tan", ("rifleman",))}
    places: dict[str, PointIn] = {"green-1": (10, 10), "tan-1": (10, 30)}
    with begun(tmp_path / "b", "army_men", armies, places, {"order_every_turn": True}) as battle:
        evening = Evening(battle)
        for faces, first in (((2, 5), "tan"), ((6, 5), "green")):
            go_to(evening, "order_of_moving")
            evening.do(evening.duty("move_order"), *faces)
            begins = evening.referee.next_phase(evening.moment)
            assert (begins.side, begins.phase) == (first, "movement")  # AM-A01
            go_to(evening, "heavy_weapons")


def test_men_in_a_half_track_ride_with_it_and_have_its_cover(tmp_path: Path) -> None:
    armies = {"green": army("green", ("half_track", "rifleman")), "tan": army("tan", ("rifleman",))}
    places: dict[str, PointIn] = {"green-1": (10, 10), "green-2": (11.6, 10), "tan-1": (10, 30)}
    with begun(tmp_path / "b", "army_men", armies, places) as battle:
        evening = Evening(battle, look=look)
        go_to(evening, "green movement")
        evening.do(evening.other("green-2", "board", "green-1"))
        evening.march((0, 10), "green-1")
        man = battle.state.unit("green-2")
        assert (man.at_in, man.allowance_used_in) == (pytest.approx((11.6, 20)), 0)
        go_to(evening, "small_arms")
        found = evening.prospect(evening.attack("tan-1", "green-2")).before
        assert [one.rule for one in found.reasons] == ["AM-46", "AM-113"]  # 7 - 3


def test_a_wreck_stays_as_cover_and_obstacle_and_does_nothing_more(evening: Evening) -> None:
    changes = [Change(figure="green-9", key=key, value=True) for key in ("eliminated", "wreck")]
    evening.battle.record(Changed(changes=tuple(changes)))
    evening.battle.record(Placed(figure="tan-8", at_in=(26, 11)))  # right behind it, half an inch from its rear
    go_to(evening, "green movement")
    there = moment_of(evening.battle, [look(unit) for unit in evening.battle.state.units.values()], TERRAIN)
    shot = next(one for one in evening.referee.attacks(there, "green-7") if one.at[0] == "tan-8")
    assert shot.given["cover_to_target_in"] == pytest.approx(0.5, abs=0.02)  # AM-18, AM-83
    through = evening.referee.march(there, {"green-7": ((20, 4), (26, 8))})
    assert prospect(there, through).before.numbers["reason"] == "blocked"
    wreck = outlook(evening.referee, there, "green-9")
    assert (wreck.attacks, wreck.others, wreck.movement.possible) == ((), (), False)


def test_a_burst_goes_at_all_who_ran_by_before_it(tmp_path: Path) -> None:
    """AM-34, AM-42: two riflemen run behind a tall wall before a machine gun."""
    armies = {"green": army("green", ("light_machine_gunner",)), "tan": army("tan", ("rifleman", "rifleman"))}
    places: dict[str, PointIn] = {"green-1": (22, 10), "tan-1": (26.5, 25), "tan-2": (27.5, 27)}
    wall = piece("tall wall", TerrainKind.WALL, box(20, 20, 24, 20.5), height=5)
    with begun(tmp_path / "b", "army_men", armies, places) as battle:
        evening = Evening(battle, [wall], look)
        go_to(evening, "tan movement")
        evening.march((-4.5, 0), "tan-1")
        evening.march((-4.5, 0), "tan-2")
        go_to(evening, "automatic_weapons")
        [found] = [one for one in evening.outlook("green-1").others if one.deed.action == "burst_rolls"]
        assert found.deed.title == "Lmg at Tan 2, Tan 1 on their way"
        # 8 or less is 26 of 36 for either.
        assert {name: odds["hits 1 of 1"] for name, odds in found.odds_of.items()} == dict.fromkeys(
            ("tan-1", "tan-2"), Fraction(26, 36)
        )
        evening.do(found.deed, 6, 5, 6, 5)
        assert not [one for one in evening.outlook("green-1").others if one.deed.action == "burst_rolls"]  # AM-37
        go_to(evening, "small_arms")
        for name in ("tan-1", "tan-2"):  # AM-35
            assert evening.prospect(attack(evening, name, "green-1", "rifle", "in return")).possible


def test_a_truck_tows_a_gun(tmp_path: Path) -> None:
    """AM-A44: what a crew pushes 6 in goes 24 in behind a truck."""
    armies = {"green": army("green", ("light_cannon", "truck", "tank")), "tan": army("tan", ("rifleman",))}
    places: dict[str, PointIn] = {"green-1": (10, 10), "green-2": (10, 11.1), "green-3": (20, 10), "tan-1": (10, 45)}
    with begun(tmp_path / "b", "army_men", armies, places) as battle:
        evening = Evening(battle)
        go_to(evening, "green movement")
        assert evening.outlook("green-1").movement.before.numbers["allowance_in"] == 6
        assert not any(one.deed.action == "hitch" for one in evening.outlook("green-3").others)
        evening.do(evening.other("green-2", "hitch", "green-1"))
        assert evening.outlook("green-1").movement.before.numbers["allowance_in"] == 24
        evening.march((0, 20), "green-2")
        gun = battle.state.unit("green-1")
        assert gun.at_in == pytest.approx((10, 30))
        assert gun.this_turn["moved"]  # AM-58: it does not fire in the turn in which it moved
        evening.do(evening.other("green-2", "hitch", "green-1"))
        assert "towed_by" not in battle.state.unit("green-1").statuses
        evening.do(evening.other("green-2", "hitch", "green-1"))
        evening.march((0, 1), "green-1")  # set down behind it by hand: it is not moved twice
        evening.march((0, 1), "green-2")
        assert battle.state.unit("green-1").at_in == pytest.approx((10, 31))
        evening.do(evening.other("green-2", "hitch", "green-1"))
        battle.record(Placed(figure="green-1", at_in=(10, 20)))
        assert "(AM-89)" in evening.prospect(evening.other("green-2", "hitch", "green-1")).why_not


def test_armies_are_drawn_once_the_table_is_laid_out(evening: Evening) -> None:
    found = evening.do(evening.duty("draw_armies"), 6)  # AM-05: the second of two
    assert found.numbers["armies"] == {"player 1": "tan", "player 2": "green"}
    assert plot(evening.battle)[-3:] == [
        "  Draw armies: drawn.",
        "  Player 1 plays: tan.",
        "  Player 2 plays: green.",
    ]
    assert "draw_armies" not in [one.action for one in evening.referee.duties(evening.moment)]


# At a bare place.


def gunners(path: Path, places: dict[str, PointIn], terrain: list[TerrainPiece] | None = None) -> Evening:
    """A grenade thrower, a mortar and a radio of Green against riflemen, as the heavy weapons fire."""
    armies = {
        "green": army("green", ("grenadier", "light_mortar_man", "radio_man")),
        "tan": army("tan", ("rifleman", "rifleman", "rifleman", "tank")),
    }
    evening = Evening(begun(path / "b", "army_men", armies, places), terrain or [], look)
    go_to(evening, "heavy_weapons")
    return evening


SPREAD: dict[str, PointIn] = {
    "green-1": (10, 10), "green-2": (10, -10), "green-3": (30, 17),
    "tan-1": (9, 18), "tan-2": (11, 18), "tan-3": (10, 22), "tan-4": (10, 16),
}  # fmt: skip
SPOT: PointIn = (10, 18)


def test_a_grenade_lands_between_two_men_where_nobody_stands(tmp_path: Path) -> None:
    evening = gunners(tmp_path, SPREAD)
    found = evening.at_spot("green-1", SPOT, "grenade")
    assert (found.deed.title, found.deed.spot_in) == ("Grenade at the spot (10.0, 18.0)", SPOT)
    assert found.deed.template == Blast(SPOT, 3.0)  # AM-A42: 6 in across
    # AM-52: 6 or less is 15 of 36 for either. Tan 3's base begins 3.5 in off; a blast does nothing to a tank (AM-80).
    assert {name: odds["hits 1 of 1"] for name, odds in found.odds_of.items()} == {
        "tan-1": Fraction(15, 36),
        "tan-2": Fraction(15, 36),
    }
    assert found.deed.view is not None
    assert found.deed.view.range.edge_in == pytest.approx(7.5, abs=0.02)
    evening.do(found.deed, 3, 3)  # AM-A41: one roll for all of them
    assert [evening.battle.state.unit(name).statuses.get("down") for name in ("tan-1", "tan-2", "tan-3")] == [
        True,
        True,
        None,
    ]
    assert "(AM-37)" in evening.at_spot("green-1", SPOT, "grenade").why_not


def test_why_a_grenade_cannot_go_to_a_place(tmp_path: Path) -> None:
    wall = piece("tall wall", TerrainKind.WALL, box(0, 14, 20, 14.4), height=5)
    evening = gunners(tmp_path, SPREAD, [wall])
    assert "out of sight (AM-66)" in evening.at_spot("green-1", SPOT, "grenade").why_not
    assert "0 to 12 in (AM-38)" in evening.at_spot("green-1", (10, 30), "grenade").why_not
    assert "reach nobody there (AM-79)" in evening.at_spot("green-1", (18, 10), "grenade").why_not
    # The radio man sees past the wall's end, and the mortar fires over it (AM-66).
    assert evening.at_spot("green-2", SPOT, "light_mortar").possible
    evening.battle.record(Placed(figure="green-3", at_in=(10, 8)))
    assert "out of sight, and nobody" in evening.at_spot("green-2", SPOT, "light_mortar").why_not


def test_a_range_that_was_settled_holds_for_all_who_are_caught(tmp_path: Path) -> None:
    """AM-38: 12 in is as far as he throws; to the spot it is 12.02 in, give or take 0.1."""
    places: dict[str, PointIn] = {"green-1": (10, 10), "tan-1": (9, 22.52), "tan-2": (11, 22.52)}
    armies = {"green": army("green", ("grenadier",)), "tan": army("tan", ("rifleman", "rifleman"))}
    with begun(tmp_path / "b", "army_men", armies, places) as battle:
        evening = Evening(battle, [], lambda unit: replace(look(unit), sigma_in=0.05))
        go_to(evening, "heavy_weapons")
        found = evening.at_spot("green-1", (10, 22.52))
        [doubt] = found.doubts
        assert "the range from Green 1 to the spot" in doubt.question
        battle.record(Doubted(question=doubt.question, answers=tuple(doubt.answers)))
        battle.record(Settled(question=doubt.question, answer="less"))
        assert evening.do(evening.at_spot("green-1", (10, 22.52)).deed, 1, 2).numbers["hits"] == [True, True]


def test_a_mortar_ranges_in_on_a_place_that_is_pointed_out(tmp_path: Path) -> None:
    evening = gunners(tmp_path, SPREAD)
    first = evening.at_spot("green-2", SPOT, "light_mortar")
    assert first.odds_of["tan-1"]["hits 1 of 1"] == Fraction(10, 36)  # AM-91: 6 less 1
    evening.do(first.deed, 6, 4)
    assert plot(evening.battle)[-1] == "  Green 2: ranged in on (10.0, 18.0)."
    go_to(evening, "heavy_weapons")
    # An inch beside it is the same place to a gun; 3 in beside it is another.
    assert evening.at_spot("green-2", (10.6, 18.5), "light_mortar").odds_of["tan-1"]["hits 1 of 1"] == Fraction(15, 36)
    assert evening.at_spot("green-2", (12, 20), "light_mortar").odds_of["tan-2"]["hits 1 of 1"] == Fraction(10, 36)


def test_a_random_player_breaks_nothing(tmp_path: Path) -> None:
    random_evening(set_up(tmp_path / "b"), seed=3, steps=30)
