"""A whole battle of Plastic Fudge, from set-up to victory: woods, a mine, a grenade, an exploding flamethrower.

Every distance, every share of a base and every modifier is measured on the table that the battle's state describes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from rules.battle.battle import Battle
from rules.engine.dice import Scripted
from rules.games import points_check
from rules.tabletop.table import PointIn, TerrainKind
from tests.rules.battle_driver import (
    BattleDriver,
    begun,
    play_at_random,
    plot,
    replays_to_the_same,
    story_of,
    undone_and_done_again,
)
from tests.rules.board import box, piece
from tests.rules.minefield import (
    EVEN,
    MARKER,
    army,
    obligation,
    square_base,
    table,
)

WOODS = piece("woods", TerrainKind.WOODS, box(5, 8, 7, 10), height=3.0)
GREEN = army("green", "commander", "radioman", "grenade_and_rifle", "minesweeper", "basic")
TAN = army("tan", "commander", "radioman", "flamethrower", "basic")
PLACES: dict[str, PointIn] = {
    "green-1": (4, 2), "green-2": (8, 3), "green-3": (10, 5), "green-4": (14, 5), "green-5": (6, 5),
    "tan-1": (8, 18), "tan-2": (4, 18), "tan-3": (10, 15), "tan-4": (6, 15),
}  # fmt: skip
"""Centres of square bases an inch wide: edges are half an inch nearer on either side."""


def set_up(path: Path) -> BattleDriver:
    battle = begun(path, "plastic_fudge", {"green": GREEN, "tan": TAN}, PLACES)
    found = points_check(battle.game, GREEN)  # 168 + 108 + 111 + 73 + 40
    assert found is not None
    assert (found.outcome, found.numbers["points"]) == ("legal", 500)
    mine = battle.game.ask("mine_cost", {"markers": 1}, Scripted([])).numbers["cost"]  # PF-84: 35 + 10
    roster = {"roster": [one.card for one in TAN.recruits], "extra_points": mine}  # 168 + 108 + 110 + 40 + 45
    assert battle.game.ask("muster", roster, Scripted([])).numbers["points"] == 471
    return BattleDriver(battle, [WOODS, MARKER], square_base)


def stand(driver: BattleDriver, side: str, *dice: Sequence[int]) -> None:
    """The morale checks that a side must make, in order."""
    names = [unit.id for unit in driver.battle.state.standing(side)]
    for name, faces in zip(names, dice, strict=True):
        driver.do(obligation(driver, "morale_check", name), *faces)


def round_1(driver: BattleDriver) -> None:
    driver.next_phase(1, "", "initiative")
    # Superb commanders on either side: 3 + 1 against 3.
    driver.do(driver.obligation("initiative"), 0, 0, 0, 1, *EVEN)
    driver.do(driver.obligation("choose_order"))  # Green moves first
    driver.next_phase(1, "green", "a_moves")
    driver.march((0, 6), "green-3")
    assert driver.march((0, 6), "green-5").numbers["reason"] == "too_far"  # PF-30: 2 of the 6 in cost double
    driver.march((0, 4.5), "green-5")  # 3 in of grass and 1.5 in of woods at 2 are all of his 6
    driver.next_phase(1, "tan", "b_moves")
    driver.march((0, -1.5), "tan-3")
    driver.march((0, -2.5), "tan-4")
    driver.next_phase(1, "", "attacks")
    attacks_of_round_1(driver)
    driver.next_phase(1, "", "morale")
    morale_of_round_1(driver)


def attacks_of_round_1(driver: BattleDriver) -> None:
    driver.say("green-4", "real", True)
    # PF-102: 3 on the dice and his 1 make 4, the mine's 0 and an even roll 0: a kill takes it out.
    driver.do(driver.other("green-4", "sweep"), 1, 1, 1, 0, *EVEN)
    # PF-116: 2 on the dice and the grenade's 2 are Legendary: the flamethrower goes up, without a defence.
    driver.do(driver.attack("green-3", "tan-3", "grenade"), 1, 1, 0, 0)
    # PF-46: he still fires. 2 against -1 injures, but the grenadier's back is past the 3 in of the flame (PF-77).
    driver.do(driver.attack("tan-3", "green-3"), *EVEN, *EVEN)
    driver.do(driver.attack("tan-4", "green-5"), 1, 1, 1, 1, *EVEN)  # 3 against -1 + 1 in the woods: an injury
    driver.do(driver.attack("green-5", "tan-4"), 1, 1, 0, 0, -1, 0, 0, 0)  # 1 against -2: an injury as well
    driver.do(driver.obligation("conflagration"))  # 7 in across: the grenadier is wholly in it, Tan 4 just outside
    driver.do(driver.obligation("casualties"))


def morale_of_round_1(driver: BattleDriver) -> None:
    # -1 and the commander 7 in away: -1 is not 0, and he runs. All others roll even or better.
    stand(driver, "green", EVEN, EVEN, EVEN, EVEN)
    driver.do(obligation(driver, "rout_move", "green-5"))  # 6 in less what 1.5 in of woods take besides: to y = 5
    driver.say("green-5", "reaches_edge", False)
    driver.do(obligation(driver, "rout_reaches_edge", "green-5"))
    # He stops 1.4 in away: 1 + 1 for the Commander - 1.
    driver.do(obligation(driver, "morale_check", "green-2"), -1, 0, 0, 0)
    stand(driver, "tan", EVEN, EVEN, EVEN)  # -1 + 1 for the Commander 4.6 in away: just 0


def round_2(driver: BattleDriver) -> None:
    driver.next_phase(2, "", "initiative")
    driver.do(driver.obligation("initiative"), *EVEN, 0, 0, 0, 1)
    second = [one for one in driver.referee.obligations(driver.position) if one.given.get("choice") == "B"]
    driver.do(second[0])  # Tan has won and moves second
    driver.next_phase(2, "green", "a_moves")
    driver.march((0, 3), "green-4")  # over the marker that he has swept
    driver.march((0, 7), "green-1")
    driver.next_phase(2, "tan", "b_moves")
    driver.march((-4, -4), "tan-1")  # a turn of 45 degrees costs an inch besides the 5.7
    driver.next_phase(2, "", "attacks")
    driver.do(driver.attack("green-1", "tan-4"), 1, 0, 0, 0, *EVEN)  # 2 against the -2 that is left: a kill
    driver.do(driver.attack("tan-4", "green-1"), 1, 1, 1, 1, *EVEN)  # who falls still fires: 3 against 1 injures
    driver.do(driver.attack("tan-1", "green-1"), 1, 0, 0, 0, *EVEN)  # 2 against 1: the injury does not count yet
    driver.do(driver.obligation("casualties"))
    driver.next_phase(2, "", "morale")
    # Half of the enemy destroyed: +1. Green 5 has the Commander at 3.2 in too and rallies with -1 + 1 + 1 - 1.
    stand(driver, "green", EVEN, EVEN, EVEN, (-1, 0, 0, 0))
    stand(driver, "tan", EVEN, (-1, -1, 0, 0))  # the Radioman: 1 + 1 for the Commander - 1 for the half lost - 2
    driver.do(obligation(driver, "rout_move", "tan-2"))


def round_3(driver: BattleDriver) -> None:
    driver.next_phase(3, "", "initiative")
    driver.do(driver.obligation("initiative"), 1, 0, 0, 0, *EVEN)
    driver.do(driver.obligation("choose_order"))
    driver.next_phase(3, "green", "a_moves")
    driver.march((0, 4), "green-1")  # up to the other Commander's base: hand to hand
    driver.next_phase(3, "tan", "b_moves")
    driver.next_phase(3, "", "attacks")
    driver.do(driver.attack("green-1", "tan-1"), 1, 1, 1, 0, 0, 0, 0, -1)  # 4 against 0: a kill
    driver.do(driver.attack("tan-1", "green-1"), *EVEN, *EVEN)  # 1 against the 0 that is left: a scratch
    driver.do(driver.obligation("casualties"))
    driver.do(driver.obligation("victory_check"))  # PF-86: three of four are lost


def played(path: Path) -> Battle:
    return set_up(path).played(round_1, round_2, round_3)


@pytest.fixture
def battle(tmp_path: Path) -> Iterator[Battle]:
    with played(tmp_path / "evening.battle") as one:
        yield one


def test_the_story_of_the_battle(battle: Battle) -> None:
    lines = plot(battle)
    assert lines[lines.index("Turn 1 · Initiative") : lines.index("Turn 2 · Initiative")] == [
        "Turn 1 · Initiative",
        "  Initiative: Green for Green.",
        "  Green moves first.",
        "",
        "Turn 1 · Green moves (A)",
        "  Green 3: Move: may move.",
        "  Green 3 moves 6.0 in to (10.0, 11.0).",
        "  Green 5: Move: forbidden.",
        "  Green 5: Move: may move.",
        "  Green 5 moves 4.5 in to (6.0, 9.5), which costs 6.0 in.",
        "",
        "Turn 1 · Tan moves (B)",
        "  Tan 3: Move: may move.",
        "  Tan 3 moves 1.5 in to (10.0, 13.5).",
        "  Tan 4: Move: may move.",
        "  Tan 4 moves 2.5 in to (6.0, 12.5).",
        "",
        "Turn 1 · Attacks",
        "  Green 4 real.",
        "  Green 4: Sweep marker: deactivated.",
        "  Mine marker: deactivated.",
        "  Green 3: Grenade at Tan 3: kills Tan 3.",
        "  Tan 3 falls.",
        "  Tan 3 explodes.",
        "  Tan 3: Flamethrower at Green 3: no effect on Green 3.",
        "  Tan 4: Rifle at Green 5: injures.",
        "  Green 5: under fire 1.",
        "  Green 5: Rifle at Tan 4: injures.",
        "  Tan 4: under fire 1.",
        "  Tan 3 goes up in flames: conflagration.",
        "  Tan 3 no longer explodes.",
        "  Green 3 falls.",
        "  Apply the hits: Green 3, Green 5, Tan 3, Tan 4: 2 destroyed.",
        "  Green 3 eliminated.",
        "  Green 5 no longer under fire.",
        "  Green 5: injured 1.",
        "  Tan 3 eliminated.",
        "  Tan 4 no longer under fire.",
        "  Tan 4: injured 1.",
        "",
        "Turn 1 · Morale",
        "  Morale of Green 1: passed.",
        "  Morale of Green 2: passed.",
        "  Morale of Green 4: passed.",
        "  Morale of Green 5: routed.",
        "  Green 5 routed.",
        "  Green 5: Flee: flees.",
        "  Green 5 moves 4.5 in to (6.0, 5.0).",
        "  Green 5 no longer reaches edge.",
        "  Is Green 5 at the edge: stays.",
        "  Green 2 sees Green 5 run: passed.",
        "  Morale of Tan 1: passed.",
        "  Morale of Tan 2: passed.",
        "  Morale of Tan 4: passed.",
        "",
    ]
    assert lines[lines.index("Turn 2 · Tan moves (B)") :] == [
        "Turn 2 · Tan moves (B)",
        "  Tan 1: Move: may move.",
        "  Tan 1 moves 5.7 in to (4.0, 14.0), which costs 6.7 in.",
        "",
        "Turn 2 · Attacks",
        "  Green 1: Pistol at Tan 4: kills.",
        "  Tan 4 falls.",
        "  Tan 4: Rifle at Green 1: injures.",
        "  Green 1: under fire 1.",
        "  Tan 1: Pistol at Green 1: no effect.",
        "  Apply the hits: Green 1, Tan 4: 1 destroyed.",
        "  Green 1 no longer under fire.",
        "  Green 1: injured 1.",
        "  Tan 4 eliminated.",
        "",
        "Turn 2 · Morale",
        "  Morale of Green 1: passed.",
        "  Morale of Green 2: passed.",
        "  Morale of Green 4: passed.",
        "  Morale of Green 5: passed.",
        "  Green 5 no longer routed.",
        "  Morale of Tan 1: passed.",
        "  Morale of Tan 2: routed.",
        "  Tan 2 routed.",
        "  Tan 2: Flee: flees.",
        "  Tan 2 moves 12.0 in to (4.0, 30.0).",
        "",
        "Turn 3 · Initiative",
        "  Initiative: Green for Green.",
        "  Green moves first.",
        "",
        "Turn 3 · Green moves (A)",
        "  Green 1: Move: may move.",
        "  Green 1 moves 4.0 in to (4.0, 13.0).",
        "",
        "Turn 3 · Tan moves (B)",
        "",
        "Turn 3 · Attacks",
        "  Green 1: Pistol at Tan 1: kills.",
        "  Tan 1 falls.",
        "  Tan 1: Pistol at Green 1: no effect.",
        "  Apply the hits: Tan 1: 1 destroyed.",
        "  Tan 1 eliminated.",
        "  Declare victory of Green: victory for Green.",
        "  Victory: green.",
    ]


def test_the_story_of_a_shot_into_the_woods_has_dice_and_rules(battle: Battle) -> None:
    lines = story_of(battle)
    shot = lines.index("  Tan 4: Rifle at Green 5: injures.")
    assert lines[shot + 1 : shot + 3] == [
        "    +1 +1 +1 +1 rolled for the attacker: the attack",
        "    0 0 0 0 rolled for the defender: the defence",
    ]
    assert lines[shot + 4 : shot + 10] == [
        "    PF-47  rolled +4 (+4)",
        "    PF-11  the Attack Level (-1)",
        "    PF-48  rolled +0 (+0)",
        "    PF-12  the Defense Level (-1)",
        "    PF-30  in the forest (+1)",
        "    PF-49  attack +3 against defence +0: INJ",
    ]


def test_green_holds_the_field(battle: Battle) -> None:
    state = battle.state
    assert (state.figures_left, state.turn, dict(state.statuses)["victory"]) == ({"green": 4, "tan": 1}, 3, "green")
    hero = state.unit("green-1")
    assert (hero.at_in, dict(hero.statuses), dict(hero.acts)) == (
        (4, 13),
        {"injured": 1},
        {"move": 2, "morale_check": 2, "shot": 2},
    )


def test_replaying_gives_the_same_battle(tmp_path: Path) -> None:
    path = tmp_path / "evening.battle"
    replays_to_the_same(path, played(path))


def test_undoing_everything_and_redoing_it_gives_the_same_battle(battle: Battle) -> None:
    names = undone_and_done_again(battle)
    assert names[:3] == [
        "Declare victory of Green, victory",
        "Apply the hits: Tan 1, 1 destroyed",
        "Tan 1: Pistol at Green 1, no effect",
    ]
    assert names[-1] == "Green 1 joins Green"


@pytest.mark.slow
def test_random_play_causes_no_errors(tmp_path: Path) -> None:
    play_at_random(set_up(tmp_path / "b"), seed=5, steps=40)


@pytest.mark.slow
def test_random_play_with_vehicles_causes_no_errors(tmp_path: Path) -> None:
    green = ["tank", "helicopter", "radioman", "jet_fighter", "flamethrower", "minesweeper"]
    tan = ["commander", "mortar", "spotter", "grenade_and_rifle", "towed_howitzer", "50_cal"]
    places: list[PointIn] = [(3.0 * n, y + n % 2) for y in (2.0, 5.0) for n in range(6)]
    driver = table(tmp_path, green, tan, places, [WOODS, MARKER], phase="attacks", attacks_when="any_time")
    play_at_random(driver, seed=11, steps=30)
