"""Where battles are saved by themselves, and the words about the last one."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from rules.battle.battle import Battle
from rules.engine.events import PhaseBegun
from rules.tabletop.errors import UserError
from ui.battle.battle_folder import LastBattle, continue_words, day_words, last_battle, new_battle_path

NOW = datetime(2026, 11, 23, 19, 30)  # a Monday


def test_battles_are_named_by_date_time_and_game(tmp_path: Path) -> None:
    first = new_battle_path(tmp_path / "battles", "Army Men", NOW)
    assert first == tmp_path / "battles" / "2026-11-23 19.30 Army Men.battle"
    first.touch()
    assert new_battle_path(first.parent, "Army Men", NOW).name == "2026-11-23 19.30 Army Men 2.battle"
    assert new_battle_path(first.parent, "A/B: the <game>", NOW).name == "2026-11-23 19.30 A B the game.battle"


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="file"):
        new_battle_path(tmp_path / "file" / "battles", "Army Men", NOW)


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (datetime(2026, 11, 22, 20, 0), "Sunday evening"),
        (datetime(2026, 11, 23, 2, 0), "Sunday evening"),  # it went on after midnight
        (datetime(2026, 11, 23, 9, 0), "Monday morning"),
        (datetime(2026, 11, 17, 15, 0), "Tuesday afternoon"),
        (datetime(2026, 11, 16, 15, 0), "2026-11-16"),  # another Monday
    ],
)
def test_a_day_is_named_within_a_week(time: datetime, words: str) -> None:
    assert day_words(time, NOW) == words


def test_the_offer_names_the_turn_if_there_is_one() -> None:
    evening_s = datetime(2026, 11, 22, 20, 0).timestamp()
    last = LastBattle(Path("b"), "Army Men", evening_s, 3, ended=False)
    assert continue_words(last, NOW) == "Continue Army Men of Sunday evening, turn 3?"
    assert continue_words(LastBattle(Path("b"), "Army Men", evening_s, 0, ended=False), NOW).endswith("Sunday evening?")


def test_the_last_battle_is_read_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "b.battle"
    with Battle.begin(path, lambda: 7.0, "simple_plastic", ["green", "tan"]) as battle:
        battle.record(PhaseBegun(turn=1, side="green", phase="moving"))
    assert last_battle(path, lambda: 9.0) == LastBattle(path, "Simple Plastic Wargame", 7.0, 1, ended=False)
