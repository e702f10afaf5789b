"""Moves, vehicles and weapons aimed at a bare place in Army Men."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from rules.battle.referees import position_of
from rules.engine.events import Change, Changed, Placed, QuestionAnswered, QuestionAsked
from rules.engine.preview import available_actions, preview_of
from rules.tabletop.table import PointIn, TerrainKind, TerrainPiece
from rules.tabletop.template import Blast
from tests.rules.battle_driver import BattleDriver, begun, played_from, plot
from tests.rules.board import box, piece
from tests.rules.pillbox import (
    TERRAIN,
    army,
    go_to,
    look,
    set_up,
)

driver = played_from(set_up)


# Moves.


def test_wire_mines_and_a_move_that_is_too_long(driver: BattleDriver) -> None:
    go_to(driver, "green movement")
    assert driver.march((0, 13), "green-1").numbers["reason"] == "too_far"  # AM-19
    assert driver.march((0, 7), "green-4").allowed
    assert driver.march((0, 5.1), "green-4").numbers["reason"] == "too_far"  # 7 of the 12 are spent
    assert driver.march((0, 3), "green-5").numbers["reason"] == "blocked"  # AM-71
    driver.do(driver.other("green-5", "destroy_obstacle"))
    assert (
        driver.preview_of(driver.referee.march(driver.position, {"green-5": ((4, 13.3), (4, 12))})).before.numbers[
            "reason"
        ]
        == "cleared_this_turn"
    )  # AM-67
    go_to(driver, "green movement")
    assert driver.march((-2, 7), "green-5", "green-3").allowed
    assert driver.battle.state.unit("green-5").at_in == (2, 20.3)
    assert driver.battle.state.unit("green-5").allowance_used_in == pytest.approx((2**2 + 7**2) ** 0.5)
    driver.do(driver.obligation("minefield"), 3, 4)  # AM-70: 7
    assert driver.battle.state.unit("green-5").out


def test_a_passenger_without_a_known_place_rides_along_and_stays_unplaced(tmp_path: Path) -> None:
    """The players put the figure into the vehicle before the camera ever saw it on the table."""
    armies = {"green": army("green", ("half_track", "rifleman")), "tan": army("tan", ("rifleman",))}
    with begun(tmp_path / "b", "army_men", armies, {"green-1": (10, 10), "tan-1": (10, 30)}) as battle:
        driver = BattleDriver(battle, look=look)
        driver.say("green-2", "inside", "green-1", this_turn=False)
        go_to(driver, "green movement")
        assert driver.march((0, 10), "green-1").allowed
        assert battle.state.unit("green-1").at_in == pytest.approx((10, 20))
        assert battle.state.unit("green-2").at_in is None


def test_a_wreck_stays_as_cover_and_obstacle_and_does_nothing_more(driver: BattleDriver) -> None:
    changes = [Change(figure="green-9", key=key, value=True) for key in ("eliminated", "wreck")]
    driver.battle.record(Changed(changes=tuple(changes)))
    driver.battle.record(Placed(figure="tan-8", at_in=(26, 11)))  # right behind it, half an inch from its rear
    go_to(driver, "green movement")
    there = position_of(driver.battle, [look(unit) for unit in driver.battle.state.units.values()], TERRAIN)
    shot = next(one for one in driver.referee.attacks(there, "green-7") if one.at[0] == "tan-8")
    assert shot.given["cover_to_target_in"] == pytest.approx(0.5, abs=0.02)  # AM-18, AM-83
    through = driver.referee.march(there, {"green-7": ((20, 4), (26, 8))})
    assert preview_of(there, through).before.numbers["reason"] == "blocked"
    wreck = available_actions(driver.referee, there, "green-9")
    assert (wreck.attacks, wreck.others, wreck.movement.possible) == ((), (), False)


def test_a_truck_tows_a_gun(tmp_path: Path) -> None:
    """AM-A44: a gun that its crew pushes 6 in moves 24 in behind a truck."""
    armies = {"green": army("green", ("light_cannon", "truck", "tank")), "tan": army("tan", ("rifleman",))}
    places: dict[str, PointIn] = {"green-1": (10, 10), "green-2": (10, 11.1), "green-3": (20, 10), "tan-1": (10, 45)}
    with begun(tmp_path / "b", "army_men", armies, places) as battle:
        driver = BattleDriver(battle)
        go_to(driver, "green movement")
        assert driver.available_actions("green-1").movement.before.numbers["allowance_in"] == 6
        assert not any(one.action.name == "hitch" for one in driver.available_actions("green-3").others)
        driver.do(driver.other("green-2", "hitch", "green-1"))
        assert driver.available_actions("green-1").movement.before.numbers["allowance_in"] == 24
        driver.march((0, 20), "green-2")
        gun = battle.state.unit("green-1")
        assert gun.at_in == pytest.approx((10, 30))
        assert gun.this_turn["moved"]  # AM-58: it does not fire in the turn in which it moved
        driver.do(driver.other("green-2", "hitch", "green-1"))
        assert "towed_by" not in battle.state.unit("green-1").statuses
        driver.do(driver.other("green-2", "hitch", "green-1"))
        driver.march((0, 1), "green-1")  # set down behind it by hand: it is not moved twice
        driver.march((0, 1), "green-2")
        assert battle.state.unit("green-1").at_in == pytest.approx((10, 31))
        driver.do(driver.other("green-2", "hitch", "green-1"))
        battle.record(Placed(figure="green-1", at_in=(10, 20)))
        assert "(AM-89)" in driver.preview_of(driver.other("green-2", "hitch", "green-1")).why_not


def test_armies_are_drawn_once_the_table_is_laid_out(driver: BattleDriver) -> None:
    found = driver.do(driver.obligation("draw_armies"), 6)  # AM-05: the second of two
    assert found.numbers["armies"] == {"player 1": "tan", "player 2": "green"}
    assert plot(driver.battle)[-3:] == [
        "  Draw the armies: drawn.",
        "  Player 1 plays: tan.",
        "  Player 2 plays: green.",
    ]
    assert "draw_armies" not in [one.name for one in driver.referee.obligations(driver.position)]


# At a bare place.


def gunners(path: Path, places: dict[str, PointIn], terrain: list[TerrainPiece] | None = None) -> BattleDriver:
    """Green's grenade thrower, mortar and radio man against riflemen, in the heavy-weapons phase."""
    armies = {
        "green": army("green", ("grenadier", "light_mortar_man", "radio_man")),
        "tan": army("tan", ("rifleman", "rifleman", "rifleman", "tank")),
    }
    driver = BattleDriver(begun(path / "b", "army_men", armies, places), terrain or [], look)
    go_to(driver, "heavy_weapons")
    return driver


SPREAD: dict[str, PointIn] = {
    "green-1": (10, 10), "green-2": (10, -10), "green-3": (30, 17),
    "tan-1": (9, 18), "tan-2": (11, 18), "tan-3": (10, 22), "tan-4": (10, 16),
}  # fmt: skip
SPOT: PointIn = (10, 18)


def test_a_grenade_lands_between_two_men_where_nobody_stands(tmp_path: Path) -> None:
    driver = gunners(tmp_path, SPREAD)
    found = driver.at_spot("green-1", SPOT, "grenade")
    assert (found.action.title, found.action.spot_in) == ("Grenade at the spot (10.0, 18.0)", SPOT)
    assert found.action.template == Blast(SPOT, 3.0)  # AM-A42: 6 in across
    # AM-52: 6 or less is 15 of 36 for either. Tan 3's base begins 3.5 in off; a blast does nothing to a tank (AM-80).
    assert {name: odds["hits 1 of 1"] for name, odds in found.odds_of.items()} == {
        "tan-1": Fraction(15, 36),
        "tan-2": Fraction(15, 36),
    }
    assert found.action.view is not None
    assert found.action.view.range.edge_in == pytest.approx(7.5, abs=0.02)
    driver.do(found.action, 3, 3)  # AM-A41: one roll for all of them
    assert [driver.battle.state.unit(name).statuses.get("down") for name in ("tan-1", "tan-2", "tan-3")] == [
        True,
        True,
        None,
    ]
    assert "(AM-37)" in driver.at_spot("green-1", SPOT, "grenade").why_not


def test_a_place_out_of_reach_or_sight_of_a_grenade_has_a_reason(tmp_path: Path) -> None:
    wall = piece("tall wall", TerrainKind.WALL, box(0, 14, 20, 14.4), height=5)
    driver = gunners(tmp_path, SPREAD, [wall])
    assert "out of sight (AM-66)" in driver.at_spot("green-1", SPOT, "grenade").why_not
    assert "0 to 12 in (AM-38)" in driver.at_spot("green-1", (10, 30), "grenade").why_not
    assert "not reach anyone there (AM-79)" in driver.at_spot("green-1", (18, 10), "grenade").why_not
    # The radio man sees past the wall's end, and the mortar fires over it (AM-66).
    assert driver.at_spot("green-2", SPOT, "light_mortar").possible
    driver.battle.record(Placed(figure="green-3", at_in=(10, 8)))
    assert "out of sight, and no friend" in driver.at_spot("green-2", SPOT, "light_mortar").why_not


def test_a_settled_range_holds_for_all_figures_in_the_blast(tmp_path: Path) -> None:
    """AM-38: the range is 12 in; the spot is at 12.02 in, with a standard deviation of 0.1."""
    places: dict[str, PointIn] = {"green-1": (10, 10), "tan-1": (9, 22.52), "tan-2": (11, 22.52)}
    armies = {"green": army("green", ("grenadier",)), "tan": army("tan", ("rifleman", "rifleman"))}
    with begun(tmp_path / "b", "army_men", armies, places) as battle:
        driver = BattleDriver(battle, [], lambda unit: replace(look(unit), sigma_in=0.05))
        go_to(driver, "heavy_weapons")
        found = driver.at_spot("green-1", (10, 22.52))
        [doubt] = found.ambiguities
        assert "the range from Green 1 to the spot" in doubt.question
        battle.record(QuestionAsked(question=doubt.question, answers=tuple(doubt.answers)))
        battle.record(QuestionAnswered(question=doubt.question, answer="less"))
        assert driver.do(driver.at_spot("green-1", (10, 22.52)).action, 1, 2).numbers["hits"] == [True, True]


def test_a_mortar_keeps_the_range_of_a_place(tmp_path: Path) -> None:
    driver = gunners(tmp_path, SPREAD)
    first = driver.at_spot("green-2", SPOT, "light_mortar")
    assert first.odds_of["tan-1"]["hits 1 of 1"] == Fraction(10, 36)  # AM-91: 6 less 1
    driver.do(first.action, 6, 4)
    assert plot(driver.battle)[-1] == "  Green 2: ranged in on (10.0, 18.0)."
    go_to(driver, "heavy_weapons")
    # An inch beside it is the same place to a gun; 3 in beside it is another.
    assert driver.at_spot("green-2", (10.6, 18.5), "light_mortar").odds_of["tan-1"]["hits 1 of 1"] == Fraction(15, 36)
    assert driver.at_spot("green-2", (12, 20), "light_mortar").odds_of["tan-2"]["hits 1 of 1"] == Fraction(10, 36)


def test_only_a_hill_that_is_higher_is_climbed(tmp_path: Path) -> None:
    """Woods, a wall and the hill that the figure stands on are not cliffs."""
    kinds = [(TerrainKind.HILL, 4.0), (TerrainKind.WOODS, 4.0), (TerrainKind.WALL, 2.0), (TerrainKind.MOUNTAIN, 6.0)]
    terrain = [
        piece(kind.value, kind, box(20 + 6 * k, 10, 24 + 6 * k, 14), height=height)
        for k, (kind, height) in enumerate(kinds)
    ]
    armies = {"green": army("green", ("rifleman",)), "tan": army("tan", ("rifleman",))}
    with begun(tmp_path / "b", "army_men", armies, {"green-1": (18, 12), "tan-1": (10, 40)}) as battle:
        driver = BattleDriver(battle, terrain)
        go_to(driver, "green movement")
        climbs = [one for one in driver.referee.others(driver.position, "green-1") if one.name == "climb"]
        assert [one.piece for one in climbs] == ["hill", "mountain"]
        assert climbs[0].given["edge_in"] == 1.5  # from his base, an inch across
