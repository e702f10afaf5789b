"""The sight fan and the danger area on tables small enough to calculate by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shapely.geometry import Point, Polygon

from rules.engine.state import ELIMINATED
from rules.tabletop.sight_area import Cells, ground_of
from rules.tabletop.table import Figure
from tests.ui.tables import before, box, in_battle, piece, soldier
from ui.formatting import Basis
from ui.table.finding import Note, Patch, Style, Trace
from ui.table.play_area import PlayArea
from ui.tools.reach import Arm
from ui.tools.sight import cells_of, danger_area, in_range, patches, side_in_danger, sight_fan
from ui.tools.tool_context import ToolContext

GREEN, TAN = soldier("green-1", 2, 5), soldier("tan-1", 50, 5)
HOUSE = piece("house", "building", box(18.0, 0.0, 20.0, 10.0), 9.0)


def on_table(now: ToolContext, width_in: float, depth_in: float) -> ToolContext:
    return replace(now, state=replace(now.state, area=PlayArea((0.0, 0.0), width_in, depth_in)))


def contains(patch: Patch, x: float, y: float) -> bool:
    """By the odd-even rule, as it is painted."""
    return sum(Polygon(ring).contains(Point(x, y)) for ring in patch.rings_in) % 2 == 1


def test_the_fan_separates_the_ground_that_is_seen_from_the_ground_that_is_not() -> None:
    # The house hides all of the table behind it: 40 - 20 = 20 of 40 in. Inside, all but its rims is seen.
    fan = sight_fan(on_table(before(GREEN, terrain=(HOUSE,)), 40, 10), GREEN)
    hidden, seen = fan.areas
    assert [contains(seen, x, 5) for x in (5, 17, 22, 38)] == [True, True, False, False]
    assert [contains(hidden, x, 5) for x in (5, 17, 22, 38)] == [False, False, True, True]
    part = int(fan.finding.answer.headline.split()[0])
    assert 45 <= part <= 50
    assert fan.figure == "green-1"


def test_slanting_slivers_of_two_cells_are_left_out() -> None:
    ground = ground_of(Cells(0.0, 0.0, 6.0, 6.0), ())
    chosen = np.zeros(ground.cells.shape, bool)
    for step in range(50):
        chosen[step // 5, step : step + 2] = chosen[step // 5 + 1, step : step + 2] = True
    style = Style((0, 0, 0, 255), (0, 0, 0, 255))
    assert patches(chosen, ground, style) == ()
    chosen[30:40, 10:13] = True  # a shadow of three cells stays
    [patch] = patches(chosen, ground, style)
    assert contains(patch, 1.15, 3.5)


def test_the_outline_of_ground_on_a_hill_lies_on_the_hill() -> None:
    hill = piece("hill", "hill", box(18.0, -1.0, 40.0, 11.0), 2.0)  # seen to its far edge, from a hill as high
    [seen] = sight_fan(on_table(before(GREEN, terrain=(hill,)), 40, 10), GREEN).areas[-1:]
    heights = {round(z, 3) for ring in seen.rings_in for _, _, z in ring}
    assert heights <= {0.0, 2.0}
    assert 0.0 in heights


def test_in_a_battle_the_fan_shows_ranges_and_the_move(tmp_path: Path) -> None:
    with in_battle(tmp_path / "b", "fudge_miniatures", "Yanni the Yeoman", (GREEN, TAN)) as now:
        fan = sight_fan(on_table(now, 60, 10), GREEN)
    notes = [words for mark in fan.finding.marks if isinstance(mark, Note) for words, _ in mark.rows]
    assert notes == ["Shortbow, 18 in"]  # FM-58
    rings = [mark for mark in fan.areas if isinstance(mark, Trace)]
    reach = [max(x for x, _, _ in ring.points_in) - GREEN.x_in for ring in rings]
    assert reach == pytest.approx([18, 5], abs=0.05)  # the range, and the move of 5 in


@pytest.mark.parametrize(
    ("game", "card", "reach_in"),
    [
        ("army_men", "rifleman", 36),  # 2 ft, after a move of 12 in
        ("army_men", "heavy_machine_gun_team", 36),  # AM-51 and AM-78: 3 ft, not in a turn in which it moves
        ("plastic_fudge", "grenade_and_rifle", 18),  # 12 in, after a move of 6 in
        ("simple_plastic_figure", "german_rifle_grenadier", 24),  # WW-10: a figure moves or fires, never both
        ("fudge_miniatures", "Yanni the Yeoman", 23),  # 18 in, after a move of 5 in
    ],
)
def test_the_danger_area_ends_at_the_range_after_a_move(tmp_path: Path, game: str, card: str, reach_in: float) -> None:
    with in_battle(tmp_path / "b", game, card, (GREEN, TAN)) as now:
        [area] = danger_area(on_table(now, 60, 10), "green").areas
    edge = TAN.x_in - reach_in
    assert contains(area, edge + 0.4, 5)
    assert not contains(area, edge - 0.4, 5)


def changed(now: ToolContext, **values: Any) -> ToolContext:
    """The same battle, in which something has happened to the enemy."""
    state = now.position.state
    units = {**state.units, "tan-1": replace(state.units["tan-1"], **values)}
    return replace(now, position=replace(now.position, state=replace(state, units=units)))


def test_what_an_enemy_may_not_do_this_turn_it_may_do_in_the_next(tmp_path: Path) -> None:
    with in_battle(tmp_path / "b", "army_men", "rifleman", (GREEN, TAN)) as now:
        fresh = on_table(now, 60, 10)
        landed = changed(fresh, this_turn={"dropped": True})  # by parachute: it does not move in this turn
        assert danger_area(landed, "green") == danger_area(fresh, "green")


def test_a_jet_moves_and_shoots_in_the_turn_in_which_it_comes(tmp_path: Path) -> None:
    # PF-124, PF-126: called in turn 1, it comes in turn 4. RL Superb is 18 in, after a move of 36 in: 54 in.
    far = soldier("tan-1", 80, 5)
    with in_battle(tmp_path / "b", "plastic_fudge", "jet_fighter", (GREEN, far)) as now:
        called = on_table(changed(now, statuses={"called_turn": 1}), 90, 10)
        state = replace(called.position.state, turn=4, phase="attacks", side="")
        [area] = danger_area(replace(called, position=replace(called.position, state=state)), "green").areas
    assert contains(area, 26.4, 5)
    assert not contains(area, 25.6, 5)


def test_the_dead_are_no_danger(tmp_path: Path) -> None:
    with in_battle(tmp_path / "b", "simple_plastic", "soldier", (GREEN, TAN)) as now:
        assert danger_area(changed(now, statuses={ELIMINATED: True}), "green").areas == ()


@pytest.mark.parametrize(
    ("game", "card", "through"),
    [
        ("simple_plastic", "soldier", True),  # SP-17: a target wholly behind a bush can still be attacked
        ("simple_plastic_figure", "german_rifleman", True),  # WW-54: hedges conceal, and bar no fire
        ("army_men", "rifleman", False),
    ],
)
def test_a_hedge_keeps_off_only_the_shots_that_need_sight(tmp_path: Path, game: str, card: str, through: bool) -> None:
    hedge = piece("hedge", "hedge", box(38.0, -1.0, 39.0, 11.0), 4.0)
    with in_battle(tmp_path / "b", game, card, (GREEN, TAN), (hedge,)) as now:
        areas = danger_area(on_table(now, 60, 10), "green").areas
    assert any(contains(area, 34, 5) for area in areas) is through


def test_a_house_covers_from_danger_and_more_enemies_make_more_layers(tmp_path: Path) -> None:
    enemies = tuple(soldier(f"tan-{n}", 50, 2 * n) for n in range(1, 5))
    with in_battle(tmp_path / "b", "simple_plastic", "soldier", (GREEN, *enemies), (HOUSE,)) as now:
        found = danger_area(on_table(now, 60, 10), "green")
    one, two, four = found.areas
    assert not any(contains(area, 10, 5) for area in found.areas)
    assert all(contains(area, 40, 5) for area in found.areas)
    assert four.style.hatch is not None
    assert four.style.crosses
    assert (one.style.crosses, two.style.hatch) == (False, None)
    assert found.words.startswith("Enemies of Green can shoot at 6")  # 60 - 20 = 40 of 60 in, and some of the house


def test_the_side_in_danger_is_the_one_whose_turn_it_is(tmp_path: Path) -> None:
    with in_battle(tmp_path / "b", "simple_plastic", "soldier", (GREEN, TAN)) as now:
        position = now.position
    assert side_in_danger(position, "tan-1") == "green"
    together = replace(position, state=replace(position.state, side=""))
    assert side_in_danger(together, "tan-1") == "tan"
    assert side_in_danger(together, "") == "green"


def test_a_weapon_reaches_farther_and_nearer_after_a_move() -> None:
    mortar = Arm("mortar", 48.0, 24.0)
    assert mortar.moved(6.0) == Arm("mortar", 54.0, 18.0)
    assert replace(mortar, after_moving=False).moved(6.0).most_in == 48.0
    assert Arm("rifle", None).moved(6.0).most_in is None


def _row(figure: Figure, basis: Basis) -> float:
    """How far to the right the cells within 10 in go."""
    cells = Cells(0.0, 4.95, 40.0, 5.05, 0.1)
    return float(cells.middles_in[0][in_range(cells, figure, (Arm("rifle", 10.0),), basis)[0]].max())


def test_ranges_are_measured_as_the_game_measures_them() -> None:
    assert _row(GREEN, Basis.CENTRE) == pytest.approx(12.0, abs=0.1)
    assert _row(GREEN, Basis.EDGE) == pytest.approx(13.0, abs=0.1)  # two half bases of 0.5 in


def test_cells_grow_on_a_very_large_table() -> None:
    assert cells_of(on_table(before(GREEN), 60, 40), 0.1).cell_in == 0.1
    huge = cells_of(on_table(before(GREEN), 200, 200), 0.1)
    assert huge.shape[0] * huge.shape[1] <= 410_000
