"""Sight, targets and moves on tables small enough to calculate by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.engine.events import Change, Changed
from rules.games import open_game
from rules.tabletop.measure import range_between
from rules.tabletop.path import length_in
from rules.tabletop.table import Posture
from rules.tabletop.tolerance import Comparison
from tests.ui.tables import before, box, in_battle, piece, soldier
from ui.formatting import Basis
from ui.table.finding import Finding, Note, Trace, along
from ui.tools.plan import plan_finding, planned
from ui.tools.reach import Arm, Chance, aims, card_reaches, fan_finding
from ui.tools.sight import sight_finding
from ui.tools.tool_context import basis_of

GREEN, TAN = soldier("green-1", 10, 10), soldier("tan-1", 20, 10)
# Higher than any figure, directly in front of the target: it hides the part of the target behind it.
HALF_HOUSE = piece("house", "building", box(18.0, 10.0, 18.5, 14.0), 9.0)
HOUSE = piece("house", "building", box(18.0, 6.0, 18.5, 14.0), 9.0)
RIFLE = Arm("rifle", 12.0)


def words(found: Finding) -> list[str]:
    return [row for mark in found.marks if isinstance(mark, Note) for row, _ in mark.rows]


def traces(found: Finding) -> list[Trace]:
    return [mark for mark in found.marks if isinstance(mark, Trace)]


def test_without_obstacles_the_target_is_fully_visible() -> None:
    found = sight_finding(before(GREEN, TAN), GREEN, TAN)
    assert found.answer.headline == "100 % in sight"
    assert found.answer.rows[0] == "Green 1 looks at Tan 1"
    assert found.answer.rows[1].startswith("10.0 in ± 0.1, edge 9.0 in")
    assert len(traces(found)) == 12  # rays, all clear


def test_the_obstacle_is_named_and_stops_its_rays() -> None:
    """The house's corner lies on the line between the two, and a figure is symmetric, so half of it is hidden."""
    found = sight_finding(before(GREEN, TAN, terrain=(HALF_HOUSE,)), GREEN, TAN)
    assert found.answer.headline == "50 % in sight"
    assert "hidden by house 50 %" in found.answer.rows
    assert "house" in words(found)
    stopped = [line for line in traces(found) if line.points_in[-1][0] == pytest.approx(18.0)]
    assert len(stopped) == 6  # the rays to the left half, of twelve


def test_a_target_behind_a_house_is_hidden() -> None:
    found = sight_finding(before(GREEN, TAN, terrain=(HOUSE,)), GREEN, TAN)
    assert found.answer.headline == "hidden"
    assert "hidden by house 100 %" in found.answer.rows


def test_an_uncertain_posture_is_mentioned_where_it_makes_a_difference() -> None:
    # The line from the eye (1.6 in) over the wall (1.58 in, 8.5 in away) is at the target 1.578 in up, above a kneeling
    # soldier's 1.5 in.
    wall = piece("wall", "wall", box(18.3, 6.0, 18.5, 14.0), 1.58)
    kneels = replace(TAN, posture=Posture.KNEELING, posture_confidence=0.6, second_posture=Posture.STANDING)
    hidden = sight_finding(before(GREEN, kneels, terrain=(wall,)), GREEN, kneels)
    stands = sight_finding(before(GREEN, TAN, terrain=(wall,)), GREEN, TAN)
    assert hidden.answer.headline == "hidden"
    assert hidden.answer.rows[-1] == f"if Tan 1 is standing: {stands.answer.headline}"
    assert not any("if Tan 1" in row for row in sight_finding(before(GREEN, kneels), GREEN, kneels).answer.rows)
    sure = replace(kneels, posture_confidence=0.95)
    assert not any("if" in row for row in sight_finding(before(GREEN, sure, terrain=(wall,)), GREEN, sure).answer.rows)


def test_figures_in_the_way_are_listed() -> None:
    found = sight_finding(before(GREEN, TAN, soldier("tan-2", 15, 10)), GREEN, TAN)
    assert found.answer.headline == "100 % in sight"
    assert any(row.startswith("in the way: Tan 2") and "do not block sight" in row for row in found.answer.rows)


OTHERS = (
    soldier("tan-1", 18, 10),  # 8 in
    soldier("tan-2", 10, 22, sigma_in=0.1),  # 12 in, at the very end of the reach
    soldier("tan-3", 10, -10),  # 20 in
    soldier("tan-4", 1, 10),  # 9 in, behind the wall
)
WALL = piece("wall", "wall", box(4.0, 5.0, 4.5, 15.0), 9.0)


def chances(basis: Basis) -> dict[str, Chance]:
    now = before(GREEN, *OTHERS, soldier("green-2", 12, 12), terrain=(WALL,), basis=basis)
    return {aim.target.id: aim.chance for aim in aims(now, GREEN, RIFLE)}


def test_the_fan_separates_four_kinds_of_targets() -> None:
    assert chances(Basis.CENTRE) == {
        "tan-1": Chance.IN,
        "tan-2": Chance.DOUBT,
        "tan-3": Chance.OUT,
        "tan-4": Chance.HIDDEN,
    }


def test_reach_from_base_edges_is_one_base_longer() -> None:
    assert chances(Basis.EDGE)["tan-2"] is Chance.IN  # 12 - 0.5 - 0.5 = 11 in


def test_the_fan_does_not_rely_on_colour_alone() -> None:
    now = before(GREEN, *OTHERS, terrain=(WALL,))
    found = fan_finding(now, GREEN, RIFLE)
    assert found.answer.headline == "1 target"
    assert found.answer.rows[:2] == (
        "Green 1: rifle, 12 in",
        "1 in range, 1 too close to call, 1 out of reach, 1 hidden",
    )
    assert set(words(found)) == {"8.0 in", "12.0 in ?", "20.0 in out", "9.0 in hidden"}


def test_the_reach_is_drawn() -> None:
    (circle,) = [t for t in traces(fan_finding(before(GREEN, TAN), GREEN, RIFLE)) if t.closed and len(t.points_in) > 60]
    away = {round(((x - 10) ** 2 + (y - 10) ** 2) ** 0.5, 6) for x, y, _ in circle.points_in}
    assert away == {12.0}


@pytest.mark.parametrize(
    ("game", "card", "arms"),
    [
        ("army_men", "rifleman", ("rifle, 24 in",)),  # AM: 2 ft
        ("army_men", "heavy_mortar_team", ("heavy mortar, 24 to 60 in",)),  # AM-54: 2 to 5 ft
        ("plastic_fudge", "grenade_and_rifle", ("rifle, 12 in", "grenade, 4.5 in")),  # PF-96: Good; Fair, thrown half
        ("simple_plastic_figure", "german_rifle_grenadier", ("rifle german, 24 in", "grenade, 6 in")),  # WW-35, WW-38
        ("fudge_miniatures", "Yanni the Yeoman", ("Shortbow, 18 in",)),  # FM-58
        ("simple_plastic", "soldier", ("any weapon, as far as it sees",)),  # the game has no ranges
    ],
)
def test_reach_comes_from_the_unit_card(game: str, card: str, arms: tuple[str, ...]) -> None:
    opened = open_game(game)
    assert tuple(arm.words for arm in card_reaches(opened, opened.rules.plain["cards"][card])) == arms


def test_too_near_for_a_mortar_is_out_of_reach() -> None:
    assert Arm("mortar", 60, 24).reaches(range_between(GREEN, TAN), Basis.CENTRE) is Comparison.OUT


def test_a_plan_without_a_battle_uses_the_typed_allowance() -> None:
    mover = soldier("green-1", 10, 10, sigma_in=0.05)
    now = before(mover)
    assert planned(now, mover, ((10, 10), (14, 10)), 6.0).call is Comparison.IN
    assert planned(now, mover, ((10, 10), (13, 10), (13, 13)), 6.0).call is Comparison.TOO_CLOSE  # 3 + 3 in, of 6
    far = planned(now, mover, ((10, 10), (18, 10)), 6.0)
    assert (far.call, far.reach_in) == (Comparison.OUT, 6.0)


def test_the_path_beyond_the_allowance_is_dashed() -> None:
    mover = soldier("green-1", 10, 10)
    found = plan_finding(before(mover), mover, ((10, 10), (14, 10), (14, 14)), 6.0)
    beyond, allowed = [line for line in traces(found) if not line.closed and line.width >= 3.0]
    assert beyond.dashed
    assert not allowed.dashed
    assert allowed.points_in[-1] == beyond.points_in[0] == pytest.approx((14, 12, 0))  # 4 in, and 2 of the next 4
    assert beyond.points_in[-1] == pytest.approx((14, 14, 0))
    assert "6.0 in" in words(found)
    assert "too far" in words(found)


def test_an_allowed_path_ends_with_one_base() -> None:
    mover = soldier("green-1", 10, 10)
    found = plan_finding(before(mover), mover, ((10, 10), (14, 10)), 6.0)
    (ghost,) = [line for line in traces(found) if line.closed]
    assert not ghost.dashed
    assert "2.0 left" in words(found)
    far = plan_finding(before(mover), mover, ((10, 10), (18, 10)), 6.0)
    assert [line.dashed for line in traces(far) if line.closed] == [True, False]  # the wanted and the reachable place


WOOD = piece("wood", "woods", box(12.0, 0.0, 14.0, 20.0), 4.0)


def test_terrain_costs_come_from_the_game(tmp_path: Path) -> None:
    """Fudge Miniatures, 6 in: two inches to the wood and two in it at double cost leave nothing (FM-27)."""
    figures = (soldier("green-1", 10, 10), soldier("tan-1", 40, 20))
    with in_battle(tmp_path / "b", "fudge_miniatures", "Sir Knightly", figures, (WOOD,)) as now:
        through = planned(now, figures[0], ((10, 10), (14, 10)), 99.0)
        assert (through.call, through.allowance_in, through.cost_in) == (Comparison.IN, 6.0, 6.0)
        beyond = planned(now, figures[0], ((10, 10), (17, 10)), 99.0)
        assert beyond.call is Comparison.OUT
        assert beyond.reach_in == pytest.approx(4.0, abs=0.11)  # found by bisection, to a tenth
        assert "2.0 in through wood (woods)" in plan_finding(now, figures[0], ((10, 10), (17, 10)), 99).answer.rows


def test_a_forbidden_move_gives_the_reason(tmp_path: Path) -> None:
    figures = (soldier("green-1", 10, 10), soldier("tan-1", 40, 20))
    with in_battle(tmp_path / "b", "simple_plastic", "sniper", figures) as now:
        found = plan_finding(now, figures[1], ((40, 20), (41, 20)), 6.0)
        assert found.answer.rows[0] == "Tan 1: may not go"
        assert any("it is the turn of Green" in row for row in found.answer.rows)


def test_the_game_defines_the_basis(tmp_path: Path) -> None:
    figures = (soldier("green-1", 10, 10), soldier("tan-1", 40, 20))
    assert basis_of(None) is Basis.CENTRE
    with in_battle(tmp_path / "b", "army_men", "rifleman", figures) as now:
        assert basis_of(now.play) is Basis.EDGE


def test_the_battle_describes_a_figure(tmp_path: Path) -> None:
    figures = (soldier("green-1", 10, 10), soldier("tan-1", 40, 20))
    with in_battle(tmp_path / "b", "army_men", "rifleman", figures) as now:
        assert now.battle_lines("green-1")[0].startswith("Rifleman")
        assert now.battle_lines("nobody") == ()
        assert now.position is not None
        hit = (("down", True), ("down_in_phase", 2))
        now.play.battle.record(
            Changed(changes=tuple(Change(figure="tan-1", key=key, value=value) for key, value in hit))
        )
        after = replace(now, position=replace(now.position, state=now.play.battle.state))
        assert after.battle_lines("tan-1") == ("Rifleman", "down"), "in which phase matters only to the rules"
    assert before(GREEN).battle_lines("green-1") == ()


@settings(max_examples=50)
@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(-50, 50)), min_size=1, max_size=5))
def test_a_divided_line_keeps_its_corners_and_length(places: list[tuple[float, float]]) -> None:
    fine = along([(x, y, 0.0) for x, y in places])
    assert [p for p in places if (*p, 0.0) not in fine] == []
    assert length_in(tuple((x, y) for x, y, _ in fine)) == pytest.approx(length_in(tuple(places)), abs=1e-6)
