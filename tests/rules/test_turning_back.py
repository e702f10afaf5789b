"""Going back to an entry of a battle and forward again, and the table that a battle stores."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.battle.battle import Battle
from rules.battle.journal import EXTERNAL_EVENTS, Entry, event_of, redoable, standing
from rules.engine.events import CameraMoved, Noted, Placed, TableLaid, UnitJoined
from rules.tabletop.errors import UserError
from rules.tabletop.table import TerrainKind, TerrainPiece
from tests.full_disk import fill

HOUSE = TerrainPiece("house", TerrainKind.BUILDING, ((1.0, 1.0), (5.0, 1.0), (5.0, 4.0)), 0.0, 5.0)


@pytest.fixture
def battle(tmp_path: Path) -> Iterator[Battle]:
    with Battle.begin(tmp_path / "b", lambda: 1.0, "simple_plastic", ["green", "tan"]) as one:
        one.record(UnitJoined(figure="tan-4", side="tan", card="soldier"))  # 2
        one.record(Placed(figure="tan-4", at_in=(1.0, 1.0)))  # 3
        one.record(CameraMoved(what="table"))  # 4
        one.record(Placed(figure="tan-4", at_in=(2.0, 1.0)))  # 5
        one.record(Noted(text="tea"))  # 6
        yield one


def test_going_back_to_an_entry_and_forward_again(battle: Battle) -> None:
    after = battle.state
    assert battle.go_to(3) == 2
    assert battle.state.unit("tan-4").at_in == (1.0, 1.0)
    assert [entry.seq for entry in redoable(battle.entries)] == [5, 6]
    assert [entry.kind for entry in battle.entries[6:]] == ["undo", "undo"]
    assert battle.can_redo == "Tan 4 placed at (2.0, 1.0)"
    assert battle.go_to(6) == 2
    assert battle.state == after
    assert battle.go_to(6) == 0


def test_going_back_equals_repeated_undo(battle: Battle) -> None:
    battle.undo()
    battle.undo()
    by_hand = [(entry.kind, dict(entry.body)) for entry in battle.entries[6:]]
    battle.redo()
    battle.redo()
    before = len(battle.entries)
    battle.go_to(3)
    assert [(entry.kind, dict(entry.body)) for entry in battle.entries[before:]] == by_hand


def test_full_disk_undoes_nothing(connections: list[sqlite3.Connection], battle: Battle, tmp_path: Path) -> None:
    for _ in range(6):
        battle.record(Noted(text="long " * 600))  # its label is stored in the undo entry
    before, count = battle.state, len(battle.entries)
    fill(connections[-1])
    with pytest.raises(UserError, match="the disk is full"):
        battle.go_to(3)
    assert (battle.state, len(battle.entries)) == (before, count)
    battle.close()
    with Battle.open(tmp_path / "b", lambda: 1.0) as again:
        assert (again.state, len(again.entries)) == (before, count)
        assert again.go_to(3) == 8


def test_external_events_are_not_undo_steps(battle: Battle) -> None:
    for seq in (4, 99):
        with pytest.raises(UserError, match=f"cannot return to entry {seq}"):
            battle.go_to(seq)
    battle.go_to(3)
    battle.record(Noted(text="otherwise"))
    with pytest.raises(UserError, match="cannot return to entry 5"):
        battle.go_to(5)


@given(st.lists(st.sampled_from(["noted", "undo", "redo", "table"]), max_size=30))
def test_redoable_lists_what_redo_would_restore(kinds: list[str]) -> None:
    entries = [Entry(1, 0.0, "begun", 1, {}), *(Entry(n, 0.0, kind, 1, {}) for n, kind in enumerate(kinds, 2))]
    coming = redoable(entries)
    for number, one in enumerate(coming):
        more = [*entries, *(Entry(1000 + k, 0.0, "redo", 1, {}) for k in range(number + 1))]
        done = [entry for entry in standing(more) if entry.kind not in EXTERNAL_EVENTS]
        assert done[-1] is one
    assert {one.seq for one in coming}.isdisjoint(one.seq for one in standing(entries))


def test_table_of_a_battle_is_stored_and_not_undone(battle: Battle, tmp_path: Path) -> None:
    laid = TableLaid(camera="a camera", terrain=(HOUSE,), area_in=((0.0, 0.0), (9.0, 0.0), (9.0, 9.0)))
    entry = battle.record(laid)
    assert event_of(entry) == laid
    assert battle.can_undo == "note: tea"
    battle.go_to(3)
    assert battle.state.terrain == (HOUSE,)
    battle.close()
    with Battle.open(tmp_path / "b", lambda: 1.0) as again:
        assert again.state.terrain == (HOUSE,)


def test_point_with_three_coordinates_is_refused() -> None:
    body = TableLaid(camera="", terrain=(HOUSE,)).to_body()
    body["terrain"][0]["outline_in"][0].append(1.0)
    with pytest.raises(UserError, match=r"house.* has a point that is not"):
        TableLaid.from_body(body)
