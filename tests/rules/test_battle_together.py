"""Several events in one transaction: each is an entry, and all of them are stored or none."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from rules.battle.battle import Battle
from rules.battle.journal import Journal
from rules.engine.events import Noted, UnitJoined
from rules.tabletop.errors import UserError
from tests.full_disk import fill, make_room

RECRUITS = [UnitJoined(figure=f"green-{number}", side="green", card="soldier") for number in range(1, 61)]


def clock() -> float:
    return 12.5


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "evening.battle"


@pytest.fixture
def battle(connections: list[sqlite3.Connection], path: Path) -> Iterator[Battle]:
    with Battle.begin(path, clock, "simple_plastic", ["green", "tan"]) as one:
        yield one


def test_sixty_units_join_in_one_transaction(battle: Battle, path: Path, connections: list[sqlite3.Connection]) -> None:
    statements: list[str] = []
    connections[-1].set_trace_callback(statements.append)
    battle.record_all(RECRUITS)
    assert [one.split()[0] for one in statements if not one.startswith("INSERT")] == ["BEGIN", "COMMIT"]
    assert len(battle.entries) == 61
    state = battle.state
    battle.close()
    with Battle.open(path, clock) as again:
        assert again.state == state
        assert again.can_undo == battle.can_undo
        again.undo()
        assert "green-60" not in again.state.units, "each is undone by itself"
        assert "green-59" in again.state.units


def test_one_invalid_event_cancels_all(battle: Battle, path: Path) -> None:
    before = battle.state
    with pytest.raises(UserError):
        battle.record_all([*RECRUITS[:3], RECRUITS[0]])  # a figure cannot join twice
    assert battle.state is before
    assert len(battle.entries) == 1
    battle.record_all(RECRUITS[:2])  # the battle continues
    battle.record(Noted(text="on"))
    state = battle.state
    battle.close()
    with Battle.open(path, clock) as again:
        assert again.state == state
        assert len(again.entries) == 4


def test_full_disk_stores_none_of_several_events(battle: Battle, connections: list[sqlite3.Connection]) -> None:
    fill(connections[-1])
    before = battle.state
    with pytest.raises(UserError, match="disk is full"):
        battle.record_all([*RECRUITS, Noted(text="x" * 100_000)])
    assert battle.state is before
    make_room(connections[-1])
    battle.record_all(RECRUITS)
    assert len(battle.entries) == 61


def test_interrupted_transaction_stores_nothing(path: Path) -> None:
    def break_off(journal: Journal) -> None:
        with journal.together():
            journal.append("noted", {"text": "one"})
            raise ZeroDivisionError

    with Journal(path, clock) as journal:
        with pytest.raises(ZeroDivisionError):
            break_off(journal)
        assert journal.entries() == ()
        journal.append("noted", {"text": "two"})
    with Journal(path, clock) as again:
        assert [entry.body["text"] for entry in again.entries()] == ["two"]
