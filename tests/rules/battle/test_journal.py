import itertools
import os
import random
import signal
import sqlite3
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.battle.journal import APPLICATION_ID, Entry, Journal, standing
from rules.battle.survey import CorruptEntry, End, end_after, values_in
from rules.tabletop.errors import UserError
from tests.full_disk import fill, make_room


def clock():
    ticks = itertools.count()
    return lambda: float(next(ticks))


def test_values_of_the_wrong_types_end_a_journal():
    row = (1, 0.0, "moved", 1, "{}")
    assert end_after(End(), row).seq == 1
    with pytest.raises(CorruptEntry, match="entry 1 holds values of the wrong types"):
        end_after(End(), (1, "noon", *row[2:]))


def test_entries_are_read_back(tmp_path):
    path = tmp_path / "Schlacht am Küchentisch.battle"
    with Journal(path, clock()) as journal:
        first = journal.append("moved", {"figure": "tan-1", "to_in": [3.5, 4.25], "why": None})
        second = journal.append("hit", {"figure": "green-2"}, version=2)
    assert (first.seq, second.seq, second.time_s) == (1, 2, 1.0)
    with Journal(path, clock()) as journal:
        assert journal.entries() == (first, second)


def test_the_disk_confirms_every_entry(tmp_path):
    # In a process of its own, because the tests themselves do not wait for the disk. SQLite's number of EXTRA is 3.
    code = (
        "import pathlib, sqlite3, sys; connect = sqlite3.connect; opened = []\n"
        "sqlite3.connect = lambda *where, **how: opened.append(connect(*where, **how)) or opened[-1]\n"
        "from rules.battle.journal import Journal; Journal(pathlib.Path(sys.argv[1]), lambda: 0.0)\n"
        "print(opened[-1].execute('PRAGMA synchronous').fetchone()[0])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "b")], capture_output=True, text=True, check=True
    )
    assert found.stdout == "3\n"


def test_a_snapshot_of_an_open_journal_is_a_journal(tmp_path):
    with Journal(tmp_path / "a", lambda: 1.0) as journal:
        journal.append("noted", {"text": "first"})
        (tmp_path / "b").write_bytes(journal.snapshot())
        journal.append("noted", {"text": "second"})
        with Journal(tmp_path / "b", lambda: 1.0) as copy:
            assert copy.entries() == journal.entries()[:1]


def test_entry_cannot_be_changed(tmp_path):
    with Journal(tmp_path / "b", clock()) as journal:
        entry = journal.append("moved", {"a": 1})
        with pytest.raises(TypeError):
            entry.body["a"] = 2
    raw = sqlite3.connect(tmp_path / "b")
    for change in ("UPDATE entry SET kind = 'x'", "DELETE FROM entry"):
        with pytest.raises(sqlite3.Error, match="only grows"):
            raw.execute(change)
    raw.close()


def test_number_without_json_form_is_not_written(tmp_path):
    with Journal(tmp_path / "b", clock()) as journal:
        with pytest.raises(ValueError, match="JSON"):
            journal.append("moved", {"x": float("nan")})
        assert journal.entries() == ()


def entries(kinds):
    return [Entry(n, 0.0, kind, 1, {}) for n, kind in enumerate(kinds, 1)]


@pytest.mark.parametrize(
    ("kinds", "holds"),
    [
        (["a", "b", "undo"], [1]),
        (["a", "b", "camera_moved", "undo"], [1, 3]),
        (["a", "b", "undo", "marker_moved", "redo"], [1, 4, 2]),
        (["camera_moved", "undo"], [1]),
        (["a", "b", "undo", "undo", "redo"], [1]),
        (["a", "undo", "b", "redo"], [3]),  # b ended what could be done again
        (["undo", "redo", "a"], [3]),
        (["a", "b", "c", "undo", "undo", "redo", "redo", "redo"], [1, 2, 3]),
    ],
)
def test_undo_and_redo(kinds, holds):
    assert [entry.seq for entry in standing(entries(kinds))] == holds


@given(st.lists(st.sampled_from(["a", "b", "undo", "redo"]), max_size=30))
def test_equal_numbers_of_undo_and_redo_change_nothing(kinds):
    before = standing(entries(kinds))
    again = standing(entries([*kinds, *["undo"] * len(before), *["redo"] * len(before)]))
    assert again == before
    assert standing(entries([*kinds, *["undo"] * len(kinds)])) == ()


@pytest.mark.parametrize("content", [b"once upon a time" * 20, b"SQLite format 3\0", b"\xff\xd8\xff\xe0" * 50])
def test_other_file_is_refused_and_unchanged(tmp_path, content):
    path = tmp_path / "letter.txt"
    path.write_bytes(content)
    with pytest.raises(UserError, match="not a battle"):
        Journal(path, clock())
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_database_of_another_program_is_refused_and_unchanged(tmp_path):
    path = tmp_path / "photos.db"
    raw = sqlite3.connect(path)
    raw.execute("CREATE TABLE photo (id)")
    raw.close()
    content = path.read_bytes()
    with pytest.raises(UserError, match="not a battle"):
        Journal(path, clock())
    assert path.read_bytes() == content


def test_newer_file_is_refused_and_unchanged(tmp_path):
    path = tmp_path / "b"
    Journal(path, clock()).close()
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA user_version = 7")
    raw.close()
    content = path.read_bytes()
    with pytest.raises(UserError, match=r"schema 7, .*update"):
        Journal(path, clock())
    assert path.read_bytes() == content


def test_damaged_file_is_refused(tmp_path):
    path = tmp_path / "b"
    with Journal(path, clock()) as journal:
        for n in range(400):
            journal.append("moved", {"n": n, "long": "x" * 200})
    content = bytearray(path.read_bytes())
    content[4096 * 3 : 4096 * 8] = os.urandom(4096 * 5)
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"damaged|cannot be used"):
        Journal(path, clock()).entries()
    assert path.read_bytes() == content


def test_battle_cannot_be_open_in_two_windows(tmp_path):
    with Journal(tmp_path / "b", clock()) as journal:
        journal.append("moved", {})
        with pytest.raises(UserError, match="another window"):
            Journal(tmp_path / "b", clock())
    Journal(tmp_path / "b", clock()).close()


def test_full_disk_loses_no_confirmed_entry(tmp_path, connections):
    with Journal(tmp_path / "b", clock()) as journal:
        confirmed = journal.append("moved", {"n": 1})
        fill(connections[-1])
        with pytest.raises(UserError, match="disk is full"):
            journal.append("moved", {"long": "x" * 100_000})
        assert journal.entries() == (confirmed,)
        make_room(connections[-1])
        assert journal.append("moved", {"n": 2}).seq == 2


def test_missing_folder_is_refused(tmp_path):
    with pytest.raises(UserError, match="cannot be"):
        Journal(tmp_path / "none" / "b", clock())


_WRITER = """
import sys, time
from pathlib import Path
from rules.battle.journal import Journal
journal = Journal(Path(sys.argv[1]), time.time)
n = len(journal.entries())
while True:
    n += 1
    journal.append("moved", {"n": n, "pad": "x" * (n % 3000)})
    print(n, flush=True)
"""


def test_killed_process_loses_no_confirmed_entry(tmp_path):
    """SIGKILL after random numbers of entries, then reopen the file: every confirmed entry is there, in order."""
    path, rng, confirmed = tmp_path / "b", random.Random(3), 0
    for _ in range(6):
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE, text=True, stderr=subprocess.PIPE
        )
        lines = [writer.stdout.readline() for _ in range(rng.randint(1, 60))]
        os.kill(writer.pid, signal.SIGKILL)
        output, complaint = writer.communicate()
        assert not complaint
        confirmed = max([confirmed, *map(int, lines), *map(int, output.split("\n")[:-1])])
        with Journal(path, clock()) as journal:
            numbers = [entry.body["n"] for entry in journal.entries()]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) >= confirmed
    assert confirmed > 10


def test_application_id_and_version_are_written(tmp_path):
    Journal(tmp_path / "b", clock()).close()
    assert int.from_bytes((tmp_path / "b").read_bytes()[68:72], "big") == APPLICATION_ID


def test_the_values_of_an_entry_are_counted_by_its_brackets_commas_and_keys() -> None:
    # 2 commas, 1 list, 2 objects and 2 keys; the values are 5: the object, 1, 2, the list and the empty object.
    assert values_in('{"a": [1, 2], "b": {}}') == 7
