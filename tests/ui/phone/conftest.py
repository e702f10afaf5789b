"""A battle for the phone page: Green 1 has killed Tan 1 in the first attack of Simple Plastic Wargame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.rules.test_battle_simple_plastic import set_up
from ui.battle.battle_session import BattleSession
from ui.battle.turn_bar import turn_bar
from ui.phone.snapshot import PhoneSnapshot, last_verdict


@pytest.fixture
def skirmish(tmp_path: Path) -> Iterator[PhoneSnapshot]:
    """The camera sees all who stand, except Tan 3."""
    driver = set_up(tmp_path / "skirmish.battle")
    with driver.battle as battle:
        play = BattleSession(battle)
        for _ in range(2):
            play.go_on(driver.position, play.owed(driver.position))
        driver.do(driver.attack("green-1", "tan-1"), 6)
        position = driver.position
        seen = tuple(replace(figure, army=figure.id.split("-")[0]) for figure in position.figures.values())
        yield PhoneSnapshot(
            tuple(figure for figure in seen if figure.id != "tan-3"),
            (),
            ((0, 0), (20, 0), (20, 20), (0, 20)),
            position,
            turn_bar(play, position, ()),
            last_verdict(battle),
        )
