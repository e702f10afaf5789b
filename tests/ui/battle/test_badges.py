"""The signs beside figures that are more than riflemen."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from rules.battle.referees import referee_of
from rules.games import game_names, open_game
from tests.ui.tables import in_battle, soldier
from ui.battle.battle_overlay import BADGES, CONDITIONS, badge_marks, badge_of, condition_of
from ui.table.finding import Trace

REFEREE = referee_of("simple_plastic")


@pytest.mark.parametrize(
    ("card", "badge"),
    [
        ("officer", "leader"),
        ("german_sergeant_with_submachine_gun", "leader"),
        ("sniper_prone", "sniper"),
        ("heavy_machine_gun_team", "machine_gun"),
        ("50_cal", "machine_gun"),
        ("submachine_gunner", ""),
        ("german_81mm_mortar", "mortar"),
        ("german_75mm_infantry_gun", "gun"),
        ("german_panzerfaust", "rocket"),
        ("radioman", "radio"),
        ("rifleman", ""),
        ("tank", ""),
    ],
)
def test_a_card_wears_the_badge_of_its_task(card: str, badge: str) -> None:
    assert badge_of(card) == badge


def test_a_leader_with_a_card_of_the_players_own_wears_a_badge() -> None:
    assert badge_of("", {"title": "Merla", "faults": ["leader"]}) == "leader"
    assert badge_of("", {"title": "Mort", "faults": ["coward"]}) == ""


def test_every_badge_is_worn_in_some_game_and_riflemen_wear_none() -> None:
    cards = [card for name in game_names() for card in open_game(name).rules.plain["cards"]]
    assert {badge_of(card) for card in cards} == {"", *BADGES}
    assert {badge_of(card) for card in cards if card.endswith("rifleman")} == {""}


def test_strokes_stay_inside_their_disc() -> None:
    assert all(math.hypot(x, y) < 1.4 for strokes in BADGES.values() for stroke in strokes for x, y in stroke)


def test_the_badge_is_beside_its_figure_and_goes_with_it(tmp_path: Path) -> None:
    figures = (soldier("green-1", 10, 10), soldier("tan-1", 20, 10))
    with in_battle(tmp_path / "b", "simple_plastic", "sniper", figures) as now:
        marks = [mark for mark in badge_marks(now.position, REFEREE) if isinstance(mark, Trace)]
        # A disc and the strokes of a cross-hair for each; none touches the base, whose half-length is 0.5 in.
        assert len(marks) == 2 * (1 + len(BADGES["sniper"]))
        places = [place for mark in marks for place in mark.points_in]
        nearest = [min(math.dist(place[:2], (x, 10.0)) for place in places) for x in (10.0, 20.0)]
        assert all(0.5 < distance_in < 0.9 for distance_in in nearest)


def test_a_status_die_that_forbids_something_and_harm_are_seen_on_the_table(tmp_path: Path) -> None:
    figures = (soldier("german-1", 10, 10), soldier("american-1", 20, 10))
    with in_battle(tmp_path / "b", "simple_plastic_figure", "german_rifleman", figures[:1]) as now:
        unit, war = now.position.unit("german-1"), referee_of("simple_plastic_figure")
    # WW-09: 1 to 4 anything, 5 only fire, 6 nothing.
    found = [condition_of(replace(unit, this_turn={"status_die": die}), war) for die in range(1, 7)]
    assert found == ["", "", "", "", "5", "6"]
    assert condition_of(replace(unit, statuses={"under_fire": 1}), war) == "harmed"
    assert condition_of(unit, war) == ""


def test_the_condition_stands_at_the_left_where_no_badge_of_a_unit_is(tmp_path: Path) -> None:
    with in_battle(
        tmp_path / "b", "simple_plastic", "sniper", (soldier("green-1", 10, 10), soldier("tan-1", 20, 10))
    ) as now:
        before = len(list(badge_marks(now.position, REFEREE)))
        unit = now.position.unit("green-1")
        hurt = {**now.position.state.units, "green-1": replace(unit, statuses={"pinned": True})}
        position = replace(now.position, state=replace(now.position.state, units=hurt))
        marks = [mark for mark in badge_marks(position, REFEREE) if isinstance(mark, Trace)]
    assert len(marks) == before + 1 + len(CONDITIONS["harmed"])
    left = [mark for mark in marks if all(place[0] < 10.0 for place in mark.points_in)]
    assert len(left) == 1 + len(CONDITIONS["harmed"])
