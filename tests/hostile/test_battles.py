"""Battles from strangers: opened, or refused in one sentence, and never changed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.battle.battle import Battle
from rules.battle.database import START, next_checksum
from rules.battle.journal import Journal
from rules.engine.dice import Scripted, play
from rules.engine.events import (
    CameraMoved,
    Change,
    Changed,
    Effects,
    MarkerMoved,
    Move,
    Moved,
    Noted,
    PhaseBegun,
    Placed,
    QuestionAnswered,
    QuestionAsked,
    UnitJoined,
    VerdictOverruled,
)
from rules.tabletop.errors import UserError
from tests.hostile.nasty import NASTY, TREES, damaged, few, mutants, only_refuses, text_of
from ui.battle.history import battle_document, story_text
from ui.commands.replay import open_battle

Row = tuple[Any, Any, Any, str]
"""Time, kind, version and body of an entry, as SQLite stores them."""


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A battle with an entry of every kind."""
    path = tmp_path_factory.mktemp("evening") / "evening.battle"
    house = path.parent / "house.toml"
    house.write_text('inherits = "simple_plastic"\nhouse_rules = "Attic"\n', "utf-8")
    with Battle.begin(path, lambda: 7.0, "simple_plastic", ["green", "tan"], house_rules=house) as battle:
        walk = Move(figure="green-1", from_in=(1, 2), to_in=(4.5, 2), moved_in=3.5, cost_in=3.5, ground=("hill",))
        hurt = Change(figure="tan-1", key="wounds", value=[1, {"by": "green-1"}], rule="SP-01")
        battle.record(UnitJoined(figure="green-1", side="green", card="soldier"))
        battle.record(UnitJoined(figure="tan-1", side="tan", own={"unit": "sniper", "title": "Old Tom"}, squad="A"))
        battle.record(PhaseBegun(turn=1, side="green", phase="attacking"))
        battle.record(Placed(figure="green-1", at_in=(1, 2)))
        battle.record(Moved(moves=(walk,)))
        facts = {"attacker": "ordinary", "attacker_moved": True, "target_special": True}
        play(
            battle.asking("attack", facts, lambda _: Effects(moves=(walk,), changes=(hurt,)), by=["green-1"]),
            Scripted([4]),
        )
        battle.record(Changed(changes=(hurt, Change(figure="", key="first", value="tan", this_turn=True))))
        battle.record(QuestionAsked(question="Is Tan 1 in?"))
        battle.record(QuestionAnswered(question="Is Tan 1 in?", answer="in"))
        battle.record(VerdictOverruled(entry=7, reason="he stood behind", effects=Effects(changes=(hurt,))))
        battle.record(Noted(text="Tea?"))
        battle.undo()
        battle.redo()
        battle.record(CameraMoved(what="camera"))
        battle.record(MarkerMoved(ids=(3, 4)))
    return path


@pytest.fixture(scope="module")
def rows(evening: Path) -> list[Row]:
    with sqlite3.connect(evening) as raw:
        found = raw.execute("SELECT time_s, kind, version, body FROM entry ORDER BY seq").fetchall()
    raw.close()
    return found


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A journal without entries."""
    path = tmp_path_factory.mktemp("empty") / "empty.battle"
    Journal(path, lambda: 0.0).close()
    return path.read_bytes()


def written(path: Path, empty: bytes, rows: Sequence[Row]) -> Path:
    """A journal with these entries, written without any validation but with correct checksums."""
    path.write_bytes(empty)
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA synchronous = OFF")
    raw.execute("BEGIN")
    raw.executemany("INSERT INTO entry (time_s, kind, version, body) VALUES (?, ?, ?, ?)", rows)
    checksum = START
    for number, row in enumerate(rows, 1):
        checksum = next_checksum(checksum, (number, *row))
        raw.execute("INSERT INTO checksum VALUES (?, ?)", (number, checksum))
    raw.execute("COMMIT")
    raw.close()
    return path


def take(path: Path) -> None:
    """Use a battle as the program does: open it, name the steps that can be undone, and write its story."""

    def look() -> None:
        with Battle.open(path, lambda: 0.0) as battle:
            assert battle.can_undo != ""
            assert battle.can_redo != ""

    def replay() -> None:
        with open_battle(path) as battle:
            json.dumps([story_text(battle), battle_document(battle)])

    for read in (look, replay):
        only_refuses(read, path)
    assert [beside.name for beside in path.parent.iterdir()] == [path.name]


def test_the_unchanged_battle_opens(evening: Path, empty: bytes, rows: list[Row], tmp_path: Path) -> None:
    again = written(tmp_path / "again.battle", empty, rows)
    with open_battle(again) as one, open_battle(evening) as other:
        assert story_text(one) == story_text(other)
    assert {kind for _, kind, _, _ in rows} >= {"begun", "asked", "overruled", "undo", "redo", "marker_moved"}


@few
@given(data=st.data())
def test_one_wrong_value(empty: bytes, rows: list[Row], tmp_path: Path, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(rows) - 1))
    time_s, kind, version, body = rows[at]
    mutant = text_of(data.draw(mutants(json.loads(body)) | TREES))
    take(written(tmp_path / "x.battle", empty, [*rows[:at], (time_s, kind, version, mutant), *rows[at + 1 :]]))


@few
@given(data=st.data())
def test_missing_repeated_and_relabelled_entries(
    empty: bytes, rows: list[Row], tmp_path: Path, data: st.DataObject
) -> None:
    some = data.draw(st.lists(st.sampled_from(rows), max_size=8))
    kinds = st.sampled_from([kind for _, kind, _, _ in rows]) | st.text(max_size=5)
    swapped = [
        (t, data.draw(kinds), data.draw(st.sampled_from((1, 1, 0, -1, 2, 2**40))), body) for t, _, _, body in some
    ]
    take(written(tmp_path / "x.battle", empty, [*rows[: data.draw(st.integers(0, 6))], *some, *swapped]))


@few
@given(data=st.data())
def test_a_damaged_file(evening: Path, tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "x.battle"
    path.write_bytes(data.draw(damaged(evening.read_bytes())))
    take(path)


@pytest.mark.parametrize("number", range(len(NASTY)))
def test_each_nasty_value_as_a_fact_and_as_a_status(number: int, empty: bytes, rows: list[Row], tmp_path: Path) -> None:
    nasty = text_of(NASTY[number])
    bodies = {
        "begun": f'{{"game": "simple_plastic", "players": ["green", "tan"], "options": {{}}, "house_rules": {nasty}}}',
        "changed": f'{{"changes": [{{"figure": "green-1", "key": "wounds", "value": {nasty}}}]}}',
        "enlisted": f'{{"figure": "green-9", "side": "green", "own": {{"title": {nasty}}}}}',
        "noted": f'{{"text": {nasty}}}',
        "undo": nasty,
    }
    for kind, body in bodies.items():
        before = [] if kind == "begun" else rows[:6]
        take(written(tmp_path / "x.battle", empty, [*before, (0.0, kind, 1, body), *rows[1:3]]))


OTHER_SCHEMAS = {
    "endless": """
        CREATE VIEW entry AS WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n)
        SELECT seq, 0.0 AS time_s, 'noted' AS kind, 1 AS version, '{"text": "again"}' AS body FROM n""",
    "large": """
        CREATE VIEW entry AS
        SELECT 1 AS seq, 0.0 AS time_s, 'noted' AS kind, 1 AS version, hex(zeroblob(400000000)) AS body""",
    "trap": """
        CREATE TABLE entry (seq INTEGER PRIMARY KEY, time_s REAL, kind TEXT, version INTEGER, body TEXT);
        CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END""",
    "other columns": "CREATE TABLE entry (seq, kind)",
    "nothing": "",
}


@pytest.mark.timeout(30)
@pytest.mark.parametrize("name", OTHER_SCHEMAS)
def test_a_file_that_imitates_a_battle(name: str, empty: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.battle"
    path.write_bytes(empty)
    raw = sqlite3.connect(path)
    raw.execute("DROP TABLE entry")
    raw.executescript(OTHER_SCHEMAS[name])
    raw.commit()
    raw.close()
    take(path)
    with pytest.raises(UserError, match="not a battle"):
        Battle.open(path, lambda: 0.0)
