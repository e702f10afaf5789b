"""Soldiers of a battle that are not on the table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rules.battle.referees import position_of
from rules.engine.position import Position
from rules.engine.state import ELIMINATED
from rules.games.army_men.status import INSIDE, RANGED_IN
from tests.rules.battle_driver import give_status
from tests.ui.tables import in_battle, soldier
from ui.battle.turn_bar import absent, absent_words

NAMES = tuple(f"green-{number}" for number in range(1, 7))


def without(position: Position, *names: str) -> Position:
    """The position once the camera no longer sees these figures."""
    return replace(position, figures={name: one for name, one in position.figures.items() if name not in names})


def test_absent_soldiers_are_named_and_a_crowd_of_them_counted(tmp_path: Path) -> None:
    figures = tuple(soldier(name, 4.0 * number, 10) for number, name in enumerate(NAMES, 1))
    with in_battle(tmp_path / "b", "army_men", "rifleman", figures) as now:
        assert absent_words(now.position) == ""
        assert absent_words(without(now.position, "green-2")) == "Not on the table: Green 2"
        most = without(now.position, *NAMES)
        assert absent_words(most) == "Not on the table: Green 1, Green 2, Green 3 and 3 others"


def test_casualties_and_passengers_are_not_absent(tmp_path: Path) -> None:
    figures = tuple(soldier(name, 4.0 * number, 10) for number, name in enumerate(NAMES[:3], 1))
    with in_battle(tmp_path / "b", "army_men", "rifleman", figures) as now:
        give_status(now.play.battle, "green-1", ELIMINATED, True)
        give_status(now.play.battle, "green-2", INSIDE, "green-3")
        position = position_of(now.play.battle, figures[2:], ())
        assert absent(position) == ()
        assert absent(without(position, "green-3")) == ("green-3",)


def test_a_gunner_who_has_ranged_in_on_another_figure_is_no_passenger(tmp_path: Path) -> None:
    figures = tuple(soldier(name, 4.0 * number, 10) for number, name in enumerate(NAMES[:3], 1))
    with in_battle(tmp_path / "b", "army_men", "rifleman", figures) as now:
        give_status(now.play.battle, "green-2", RANGED_IN, "green-3")
        assert absent(position_of(now.play.battle, (figures[0], figures[2]), ())) == ("green-2",)
