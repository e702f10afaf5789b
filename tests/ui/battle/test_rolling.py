"""An action and its dice: nothing happens before the last roll, and a series is rolled in one go."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rules.engine.action import Action
from rules.engine.dice import DiceRequest, Die, Procedure, Roll
from rules.engine.events import PhaseBegun
from rules.engine.verdict import Verdict
from tests.ui.battle.test_round_sequence import opened, seen
from ui.battle.battle_session import BattleSession
from ui.battle.dice import RollingAction
from ui.rules_text import roller_words


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


@pytest.mark.parametrize(
    ("asked", "shown"),
    [("Knavely Knave follower", "Tan 1"), ("tan-2", "Tan 2"), ("tan", "Tan"), ("the target", "the target")],
)
def test_a_roll_is_named_after_its_figure_and_not_after_its_card(asked: str, shown: str) -> None:
    """Fudge Miniatures calls the roller by the words to which its gifts and faults apply."""

    def roll() -> Procedure[Verdict]:
        yield DiceRequest(Die.FUDGE, 4, asked, "a Guts check")
        return Verdict("none", {}, ())

    state = SimpleNamespace(units={"tan-1": None, "tan-2": None}, sides=("green", "tan"))
    play: Any = SimpleNamespace(doing=lambda *_: roll())
    position: Any = SimpleNamespace(state=state)
    rolling = RollingAction(play, position, Action("Tan 1 checks Guts", "guts_check", {}, by=("tan-1",)))
    assert rolling.request is not None
    assert roller_words(rolling.request.for_whom) == shown
