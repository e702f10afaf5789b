"""An action and its dice: nothing happens before the last roll, and a series is rolled in one go."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rules.engine.dice import DiceRequest, Roll
from rules.engine.events import PhaseBegun
from rules.engine.referee import Action
from tests.ui.battle.test_round_sequence import opened, seen
from ui.battle.battle_session import BattleSession
from ui.battle.dice import RollingAction


@pytest.fixture
def morale(tmp_path: Path) -> Iterator[BattleSession]:
    """Plastic Fudge, whose morale phase asks all five figures (PF-61)."""
    with opened(tmp_path, "plastic_fudge", "basic", PhaseBegun(turn=1, phase="morale")) as battle:
        yield BattleSession(battle)


def checks(play: BattleSession) -> tuple[Action, ...]:
    return tuple(one.action for one in play.owed(seen(play.battle)) if one.action.name == "morale_check")


def begun(play: BattleSession) -> RollingAction:
    return RollingAction(play, seen(play.battle), checks(play)[0])


def blank(request: DiceRequest) -> Roll:
    return Roll((0,) * request.count)


def test_the_last_roll_brings_the_result(morale: BattleSession) -> None:
    before, rolling = len(morale.battle.entries), begun(morale)
    request = rolling.request
    assert request is not None
    assert rolling.may_cancel
    assert not rolling.more_follows
    assert len(morale.battle.entries) == before
    rolling.answer(blank(request))
    assert rolling.request is None
    assert not rolling.may_cancel
    assert rolling.verdict is not None
    assert rolling.throws == ((request, blank(request)),)
    assert len(morale.battle.entries) == before + 1
    assert morale.done(morale.battle.entries[-1].seq) is not None


def test_a_cancelled_action_leaves_nothing(morale: BattleSession) -> None:
    before, rolling = len(morale.battle.entries), begun(morale)
    request = rolling.request
    assert request is not None
    rolling.cancel()
    rolling.answer(blank(request))
    assert rolling.verdict is None
    assert len(morale.battle.entries) == before


def test_a_series_goes_through_all_figures(morale: BattleSession) -> None:
    one: RollingAction | None = begun(morale)
    assert len(one.same) == 5
    done: set[str] = set()
    while one is not None:
        one.answer_all(blank)
        done.add(one.action.words)
        one = one.following(done)
    assert len(done) == 5
    assert not checks(morale)
