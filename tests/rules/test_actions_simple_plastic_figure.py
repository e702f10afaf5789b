"""Moves, explosives, reserves and victory in Simple Plastic Figure."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from rules.engine.preview import at_spot
from rules.tabletop.table import PointIn, TerrainKind
from rules.tabletop.template import Blast
from tests.rules.board import box, piece
from tests.rules.farmhouse import (
    FOXHOLE,
    GI,
    HOUSE,
    RIFLE,
    needs,
    obligation,
    shots,
    spread,
    table,
    why,
)

FAR: PointIn = (90, 90)


# Moving.


def test_costs_and_obstacles_of_a_move(tmp_path: Path) -> None:
    tree = piece("tree", TerrainKind.TREE, box(9, 2, 11, 4), height=5.0)
    low = piece("low", TerrainKind.LOW_WALL, box(14, 2, 18, 2.5), height=0.6)
    high = piece("high", TerrainKind.WALL, box(19, 2, 23, 2.5), height=2.5)
    cards = [RIFLE] * 4
    places: list[PointIn] = [(0, 0), (10, 0), (16, 0), (21, 0), (0, 5)]
    driver = table(tmp_path, cards, [GI], places, [tree, low, high])
    both = driver.referee.march(driver.position, {"german-1": ((0, 0), (0, 1)), "german-2": ((10, 0), (10, 1))})
    assert "one figure at a time" in driver.preview_of(both).why_not
    assert driver.march((-3, 6), "german-1").numbers["reason"] == "too_far"
    assert driver.march((0, 5), "german-2").numbers["reason"] == "impassable"  # WW-15
    assert driver.march((0, 5.2), "german-3").numbers["reason"] == "too_far"  # WW-13: an inch for the low wall
    driver.march((0, 5), "german-3")
    assert driver.march((0, 5), "german-4").numbers["reason"] == "impassable"  # WW-A09
    man = driver.battle.state.unit("german-3")
    assert (man.at_in, man.allowance_used_in) == ((16, 5), 6)
    assert "(WW-10)" in driver.available_actions("german-3").movement.why_not
    assert driver.battle.undo() is not None  # the march that was refused
    assert driver.battle.undo() == "German 3 moved 5.0 in"
    assert driver.available_actions("german-3").movement.possible


def test_coming_out_of_a_foxhole_takes_half_of_the_move(tmp_path: Path) -> None:
    driver = table(tmp_path, [RIFLE, RIFLE], [GI], [(15.2, 19), (15.2, 24), FAR], [FOXHOLE])
    assert driver.march((0, 3.1), "german-1").numbers["reason"] == "too_far"  # WW-18: 3 in for leaving
    assert driver.march((0, 3), "german-1").allowed
    assert driver.battle.state.unit("german-1").allowance_used_in == 6
    assert driver.march((0, -5.5), "german-2").allowed  # going in is free


def test_touching_an_enemy_ends_a_move_and_must_be_fought_out(tmp_path: Path) -> None:
    places: list[PointIn] = [(0, 0), (9, 0), (0, 4), (0.9, 4.6)]
    driver = table(tmp_path, ["german_rifleman_with_bayonet", RIFLE], [GI, "american_rifleman_with_bayonet"], places)
    start = (0.0, 0.0)
    past = driver.referee.march(driver.position, {"german-1": (start, (0, 3), (-2.5, 3.2))})
    assert "(WW-22)" in driver.preview_of(past).why_not
    into = driver.referee.march(driver.position, {"german-1": (start, (1, 3.65))})
    assert driver.do(into).numbers["fights"] == ["american-2"]
    assert "German 1 must fight first" in driver.available_actions("german-2").movement.why_not
    fight = driver.preview_of(driver.other("german-1", "hand_to_hand"))
    assert fight.odds["attacker wins"] == Fraction(1, 2)  # a bayonet on either side
    driver.do(fight.action, 1, 6)
    assert driver.battle.state.unit("german-1").out
    assert driver.available_actions("german-2").movement.possible


def test_two_enemies_are_fought_in_the_chosen_order(tmp_path: Path) -> None:
    driver = table(tmp_path, [RIFLE], [GI, GI], [(0, 0), (-0.5, 3), (0.5, 3)])
    driver.march((0, 2.13), "german-1")
    orders = [one.action.at for one in driver.available_actions("german-1").others]
    assert orders == [("american-1", "american-2"), ("american-2", "american-1")]
    driver.do(driver.other("german-1", "hand_to_hand"), 6, 1, 2, 3)
    state = driver.battle.state
    assert (state.figures_left, state.unit("american-1").out) == ({"german": 0, "american": 1}, True)


def test_in_a_house_there_is_one_fight_a_turn(tmp_path: Path) -> None:
    places: list[PointIn] = [(6, 9), (5, 15), (7, 15)]
    driver = table(tmp_path, [RIFLE], [GI, GI], places, [HOUSE])
    assert driver.march((0, 4.5), "german-1").numbers["fights"] == ["american-1", "american-2"]  # WW-17
    driver.do(driver.other("german-1", "hand_to_hand"), 6, 1)  # WW-23: the second is for another turn
    assert driver.battle.state.figures_left == {"german": 1, "american": 1}
    assert "(WW-10)" in driver.preview_of(driver.other("german-1", "move")).why_not
    for _ in range(3):
        driver.battle.record(driver.referee.next_phase(driver.position))
    driver.next_phase(2, "german", "first_status")
    driver.do(driver.obligation("status_checks"), 1)
    driver.next_phase(2, "german", "first_actions")
    driver.do(driver.other("german-1", "move"))  # WW-A11: he fights on
    driver.do(driver.other("german-1", "hand_to_hand"), 6, 1)
    assert driver.battle.state.figures_left == {"german": 1, "american": 0}


def test_a_bunker_is_touched_first_and_never_stormed(tmp_path: Path) -> None:
    bunker = piece("bunker", TerrainKind.BUNKER, box(-3, 3, 3, 7), height=2.0)
    free, held = tmp_path / "free", tmp_path / "held"
    for path, enemy in ((free, FAR), (held, (0.0, 6.0))):
        path.mkdir()
        driver = table(path, [RIFLE, RIFLE], [GI], [(0, 2.5), (2, 1), enemy], [bunker])
        touching = driver.referee.march(driver.position, {"german-1": ((0, 2.5), (0, 4.5))})
        apart = driver.referee.march(driver.position, {"german-2": ((2, 1), (2, 4.5))})
        if path is free:
            assert "touches a bunker first" in driver.preview_of(apart).why_not  # WW-19
            assert driver.do(touching).allowed
        else:
            assert "(WW-20)" in driver.preview_of(touching).why_not


# Explosives.


def test_a_blast_spares_no_friend_and_is_aimed_between_two(tmp_path: Path) -> None:
    places: list[PointIn] = [(0, 0), (1, 3), (-2, 5), (2, 6)]
    driver = table(tmp_path, ["german_grenadier", RIFLE], [GI, GI], places)
    at = {one.action.at[0]: one for one in driver.available_actions("german-1").attacks}
    assert set(at["american-1"].odds_of) == {"american-1", "american-2", "german-2"}  # WW-38
    between = next(one for one in driver.available_actions("german-1").others if one.action.name == "charge")
    assert (between.action.title, between.action.at) == (
        "Grenade between American 1 and American 2",
        ("american-1", "american-2"),
    )
    # 5 in away +1, +3, standing +1: a 1 will do. The friend is 2.7 - 0.5 in from the spot.
    assert between.odds_of["american-2"] == {"eliminates 1 of 1": Fraction(1)}
    driver.do(between.action, 1, 1, 1)
    assert driver.battle.state.figures_left == {"german": 1, "american": 0}


def test_explosives_go_to_any_place(tmp_path: Path) -> None:
    places: list[PointIn] = [(0, 0), (3, 0), (20, 0), (0, 7), (-2, 8)]
    driver = table(tmp_path, ["german_grenadier", "german_50mm_mortar", RIFLE], [GI, GI], places)
    thrown = driver.at_spot("german-1", (-1, 6))
    assert thrown.action.template == Blast((-1, 6), 4.0)  # WW-38
    # 5.6 in away +1, +3, standing +1: a 1 will do for either, who are 1 and 1.7 in off.
    assert {name: dict(odds) for name, odds in thrown.odds_of.items()} == {
        "american-1": {"eliminates 1 of 1": 1},
        "american-2": {"eliminates 1 of 1": 1},
    }
    assert "(WW-25)" in driver.at_spot("german-1", (0, 7)).why_not  # 6.5 in
    assert at_spot(driver.referee, driver.position, "german-3", (20, 5)) == ()  # a rifle is aimed at a figure
    lofted = driver.at_spot("german-2", (3, 20))
    assert sum(lofted.odds.values()) == 1
    driver.do(lofted.action, 4, 3)  # WW-44: 3 in to the left, as he sees it
    assert driver.battle.state.this_turn["landed"]["spot_in"] == [0, 20]
    burst = driver.obligation("burst")
    assert (burst.spot_in, burst.template) == ((3, 20), Blast((0, 20), 4.5))


def test_a_place_behind_a_wall_is_for_mortars(tmp_path: Path) -> None:
    wall = piece("wall", TerrainKind.WALL, box(-9, 3, 9, 3.3), height=5)
    driver = table(tmp_path, ["german_grenadier", "german_50mm_mortar"], [GI], [(0, 0), (3, 0), (0, 7)], [wall])
    assert "(WW-26)" in driver.at_spot("german-1", (0, 5)).why_not
    assert driver.at_spot("german-2", (0, 5)).possible  # WW-A25


def test_a_radioman_calls_a_shell_to_a_place(tmp_path: Path) -> None:
    driver = table(tmp_path, ["german_radioman"], [GI], [(0, 0), (0, 20)])
    called = driver.at_spot("german-1", (2, 18))
    assert called.action.title == "Call a shell at the spot (2.0, 18.0)"
    assert "(WW-62)" in driver.at_spot("german-1", (0, 37)).why_not  # 36.5 in
    driver.do(called.action)
    driver.do(driver.obligation("deviation"), 5)
    assert driver.battle.state.this_turn["landed"]["spot_in"] == [2, 18]


def test_a_grenade_into_a_house_and_beside_it(tmp_path: Path) -> None:
    places: list[PointIn] = [(6, 11.5), (1.5, 10), (5, 14), (1.6, 14)]
    driver = table(tmp_path, ["german_grenadier", "german_grenadier"], [GI, GI], places, [HOUSE])
    inside = shots(driver, "german-1")["grenade", "american-1"]
    # WW-39: he touches the wall, it goes off inside, and nobody outside is caught. 2.2 in away +2, +3, -3.
    assert inside.odds_of["american-1"] == {"eliminates 1 of 1": Fraction(1, 2), "eliminates 0 of 1": Fraction(1, 2)}
    assert inside.odds_of["german-1"] == {"catches nobody": Fraction(1)}
    beside = shots(driver, "german-2")["grenade", "american-1"]
    assert beside.before is not None
    # WW-40: thrown from farther off it does nothing inside; those outside within 4 in are caught, friends too.
    assert beside.before.numbers["targets"] == ["german-1", "american-2"]


def test_a_launcher_rolls_to_hit_a_bunker(tmp_path: Path) -> None:
    bunker = piece("bunker", TerrainKind.BUNKER, box(-2, 6, 2, 9), height=2.0)
    driver = table(tmp_path, ["german_panzerschreck"], [GI], [(0, 0), (0, 7)], [bunker])
    driver.say("german-1", "target_at_opening at american-1", True)
    [one] = driver.available_actions("german-1").attacks
    # WW-42: at 6.5 in a 5. Then +3, prone -1, cover -3: no 6 is more than 5.
    assert one.odds == {"misses": Fraction(2, 3), "eliminates 0 of 1": Fraction(1, 3)}


def test_a_gun_takes_a_bunker_away_and_blows_a_hole(tmp_path: Path) -> None:
    bunker = piece("bunker", TerrainKind.BUNKER, box(-2, 30, 2, 33), height=2.0)
    house = piece("house", TerrainKind.BUILDING, box(8, 30, 14, 35), height=5.0)
    cards = ["german_75mm_infantry_gun", "german_75mm_infantry_gun", RIFLE]
    places: list[PointIn] = [(0, 0), (10, 0), (0, 25), (0, 31), (10, 32), (12, 32), (0, 37)]
    driver = table(tmp_path, cards, [GI, GI, GI, GI], places, [bunker, house])
    assert "(WW-26)" in why(driver, "german-3")["american-4"]
    driver.do(driver.attack("german-1", "american-1"), 6)
    driver.do(driver.obligation("burst"), 6)  # WW-48
    assert driver.battle.state.unit("american-1").out
    assert driver.battle.state.statuses["gone"] == ["bunker"]
    assert needs(shots(driver, "german-3")["rifle_german", "american-4"]) == 5  # nothing hides him any more
    driver.do(driver.attack("german-2", "american-2"), 6)
    burst = driver.preview_of(driver.obligation("burst"))
    assert [one.fact for one in burst.asks] == ["choice"]
    driver.say("german-2", "choice at (10.0, 32.0)", "hole")
    # WW-49: 2.5 in wide. He is at the spot; the other, 1.5 in from it, is rolled for: +3, standing 0 lower, cover -3.
    found = driver.do(driver.obligation("burst"), 5, 6)
    assert (found.numbers["eliminated"], found.numbers["hole_in"]) == (["american-2", "american-3"], 2.5)
    assert driver.battle.state.statuses["holes in house"] == 1
    walk = driver.referee.march(driver.position, {"german-1": ((0, 0), (0, 5))})
    assert "(WW-10)" in driver.preview_of(walk).why_not


# Reserves and victory.


def test_a_reserve_brings_back_one_figure_a_turn_with_that_option(tmp_path: Path) -> None:
    cards, places = [GI, GI, "sentry", "marcher"], [(0.0, 0.0), (0.0, 3.0), (2.0, 3.0), (20.0, 30.0), (24.0, 30.0)]
    for name, agreed in (("each", "one_each_lost"), ("one", "one")):
        (tmp_path / name).mkdir()
        driver = table(tmp_path / name, ["german_machine_gunner"], cards, places, reserves_a_turn=agreed)
        driver.do(spread(driver, "german-1", "american-1", "american-2"), 6, 6, 1, 1)
        driver.next_phase(1, "american", "second_status")
        back = [driver.preview_of(one) for one in driver.referee.obligations(driver.position) if one.name == "reserve"]
        assert len(back) == 4  # either man in the place of either
        assert {"(WW-59)" in one.why_not for one in back} == {True}  # not before the next turn
        driver.next_phase(1, "american", "second_actions")
        driver.next_phase(2, "", "initiative")
        driver.do(driver.obligation("initiative"), 1, 6)
        driver.do(obligation(driver, "turn", first="american"))
        driver.next_phase(2, "american", "first_status")
        driver.do(driver.obligation("reserve"))
        assert driver.battle.state.unit("american-1").at_in == (20, 30)
        assert driver.preview_of(driver.obligation("reserve")).possible is (agreed == "one_each_lost")


def test_figures_that_leave_by_the_far_edge_count_for_victory(tmp_path: Path) -> None:
    driver = table(tmp_path, [RIFLE, RIFLE], [GI], [(0, 0), (9, 0), FAR], dice=[1, 5])
    for key, value in (("goal_of_german", "exit_far_edge"), ("needed_by_german", 1)):
        driver.say("", key, value, this_turn=False)
    assert "(WW-09)" in driver.preview_of(driver.other("german-2", "leave_table")).why_not
    driver.march((0, 5), "german-1")
    leaving = driver.other("german-1", "leave_table")
    assert [one.fact for one in driver.preview_of(leaving).asks] == ["reaches_far_edge"]
    assert not driver.preview_of(leaving).possible
    driver.say("german-1", "reaches_far_edge", True)
    driver.do(leaving)
    assert driver.do(obligation(driver, "victory", side="german")).numbers["won"]
    # He is no casualty: the other side has eliminated nobody.
    assert obligation(driver, "victory", side="american").given["enemies_eliminated"] == 0


def test_whether_a_place_is_held_is_asked(tmp_path: Path) -> None:
    driver = table(tmp_path, [RIFLE], [GI], [(0, 0), FAR])
    driver.say("", "goal_of_american", "take_or_hold", this_turn=False)
    held = driver.preview_of(obligation(driver, "victory", side="american"))
    assert ([one.fact for one in held.asks], held.odds) == (["reached"], {"not yet": Fraction(1)})
    driver.say("american-1", "reached", True)
    assert driver.do(held.action).numbers["winner"] == "american"


def test_tied_dice_go_to_the_last_chooser_with_that_option(tmp_path: Path) -> None:
    driver = table(tmp_path, [RIFLE], [GI], [(0, 0), FAR], tied_initiative="last_chooser")
    for turn, faces in ((2, (2, 5)), (3, (3, 3))):
        while driver.battle.state.phase != "initiative" or driver.battle.state.turn != turn:
            driver.battle.record(driver.referee.next_phase(driver.position))
        driver.do(driver.obligation("initiative"), *faces)
        assert {one.title for one in driver.referee.obligations(driver.position) if one.name == "turn"} == {
            "American lets German go first",
            "American goes first",
        }
