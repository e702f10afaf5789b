"""What happened, in order, in a file that forgets nothing: one entry a transaction, on the disk before it is confirmed.

A journal only grows. Taking something back is an entry, too: `standing` folds them into what holds now.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any

from rules.table import Refused, refuse_strange

SCHEMA = 1
APPLICATION_ID = 0x53616E64
"""Marks the file as ours ("Sand"), where SQLite keeps a number for the purpose."""

UNDO, REDO = "undo", "redo"

BEFALLEN = ("camera_moved", "marker_moved", "table")
"""What befalls the table and nobody did: it is not taken back, and ends nothing that could be done again."""

_MAGIC = b"SQLite format 3\0"
_ONE_FILE = b"\1\1"  # written and read by a rollback journal: no second file grows beside it
_MODE_AT, _VERSION_AT, _APPLICATION_AT, _HEADER_BYTES = 18, 60, 68, 100
"""https://www.sqlite.org/fileformat2.html, section 1.3."""

_MOST_BYTES = 2**28  # a thousand evenings
_LONGEST_ENTRY = 10_000_000
_TABLES = """
    CREATE TABLE entry (
        seq INTEGER PRIMARY KEY, time_s REAL NOT NULL, kind TEXT NOT NULL, version INTEGER NOT NULL, body TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER entry_stays BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'a journal only grows'); END;
    CREATE TRIGGER entry_kept BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'a journal only grows'); END;
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened.

    Attributes:
        seq: Counts from 1, without gaps.
        time_s: By the clock that was handed in; it may go backwards, `seq` never does.
        kind: What happened, as "moved".
        version: Of the meaning of `body` for this kind.
        body: The particulars, in values that JSON knows; read-only.
    """

    seq: int
    time_s: float
    kind: str
    version: int
    body: Mapping[str, Any]


class Journal:
    """An open journal; only one at a time has a file open. The thread that opens it uses it.

    Attributes:
        path: Of the file.
    """

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        """Open a journal, or begin one where there is no file.

        Args:
            path: Of the file.
            clock: Seconds, kept with every entry.

        Raises:
            Refused: if the file is damaged, no journal, of a newer program, or open elsewhere. It is left as it was.
        """
        self.path, self._clock = path, clock
        fresh = not os.path.exists(path) or path.stat().st_size == 0
        if not fresh:
            _check_header(path)
        try:
            # In autocommit every statement is its own transaction; EXTRA makes the disk confirm it, folder included.
            self._file = sqlite3.connect(path, isolation_level=None, timeout=0.2)
        except sqlite3.Error as fault:
            raise Refused(f"the battle {path} cannot be opened ({fault}): choose another folder or name") from fault
        try:
            self._take(fresh)
        except (sqlite3.Error, Refused) as fault:
            self._file.close()
            raise _refusal(path, fault) from fault

    def _take(self, fresh: bool) -> None:
        self._file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_ENTRY)
        self._file.execute("PRAGMA synchronous = EXTRA")
        self._file.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._file.execute("BEGIN EXCLUSIVE")
        if fresh:
            for statement in _statements():
                self._file.execute(statement)
        self._file.execute("COMMIT")
        # Before anything is read: a view of a stranger's may pass for the table, and have no end.
        schema = {_one_line(sql) for (sql,) in self._file.execute("SELECT sql FROM sqlite_schema")}
        if schema != {_one_line(statement) for statement in _tables()}:
            raise _foreign(self.path)
        state = self._file.execute("PRAGMA quick_check(1)").fetchone()[0]
        if state != "ok":
            raise Refused(f"the battle {self.path} is damaged ({state}): take a copy of it from a backup")

    def append(self, kind: str, body: Mapping[str, Any], version: int = 1) -> Entry:
        """Add an entry; when this returns it is on the disk.

        Raises:
            Refused: if the disk is full or gone. Nothing that was confirmed is lost, and the entry is not there.
        """
        try:
            return self._insert(kind, body, version)
        except sqlite3.Error as fault:
            raise _refusal(self.path, fault) from fault

    def append_all(self, entries: Iterable[tuple[str, Mapping[str, Any]]]) -> tuple[Entry, ...]:
        """Add several, as (kind, body), that are one thing to the players: all are on the disk, or none is there.

        Raises:
            Refused: as `append`.
        """
        try:
            self._file.execute("BEGIN")
            try:
                added = tuple(self._insert(kind, body, 1) for kind, body in entries)
                self._file.execute("COMMIT")
            finally:
                if self._file.in_transaction:
                    self._file.execute("ROLLBACK")
        except sqlite3.Error as fault:
            raise _refusal(self.path, fault) from fault
        return added

    def _insert(self, kind: str, body: Mapping[str, Any], version: int) -> Entry:
        text = json.dumps(body, allow_nan=False, sort_keys=True)
        time_s = float(self._clock())
        insert = "INSERT INTO entry (time_s, kind, version, body) VALUES (?, ?, ?, ?)"
        seq = self._file.execute(insert, (time_s, kind, version, text)).lastrowid
        return Entry(int(seq or 0), time_s, kind, version, MappingProxyType(json.loads(text)))

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is appended meanwhile is one transaction: on the disk when this ends, or none of it is there.

        A disk takes as long to confirm sixty entries as one.

        Raises:
            Refused: if the disk is full or gone; then nothing of it is there.
        """
        try:
            self._file.execute("BEGIN IMMEDIATE")
            yield
            self._file.execute("COMMIT")
        except sqlite3.Error as fault:
            raise _refusal(self.path, fault) from fault
        finally:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")

    def entries(self) -> tuple[Entry, ...]:
        """Everything, in order.

        Raises:
            Refused: if the file is damaged.
        """
        try:
            rows = self._file.execute("SELECT seq, time_s, kind, version, body FROM entry ORDER BY seq").fetchall()
            return tuple(Entry(s, t, k, v, _body(s, body)) for s, t, k, v, body in rows)
        except (sqlite3.Error, ValueError, RecursionError) as fault:
            raise _refusal(self.path, fault) from fault

    def close(self) -> None:
        """Let go of the file; a second call does nothing."""
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Turned:
    """What of a journal holds, and what was taken back.

    Attributes:
        held: All entries but those taken back, in order.
        undone: Those that can be done again, the next of them last.
        untouched: How many of those that held before still do, up to the first that was taken back.
    """

    held: tuple[Entry, ...]
    undone: tuple[Entry, ...]
    untouched: int


def turned(entries: Iterable[Entry], held: Sequence[Entry] = (), undone: Sequence[Entry] = ()) -> Turned:
    """What holds after these entries, going on from what held, and was taken back, before them.

    A new one after an undo ends what could be done again.
    """
    done, taken, untouched = list(held), list(undone), len(held)
    for entry in entries:
        if entry.kind == UNDO:
            last = next((k for k in reversed(range(len(done))) if done[k].kind not in BEFALLEN), None)
            if last is not None:
                taken.append(done.pop(last))
                untouched = min(untouched, last)
        elif entry.kind == REDO:
            done += [taken.pop()] if taken else []
        else:
            done.append(entry)
            taken = taken if entry.kind in BEFALLEN else []
    return Turned(tuple(done), tuple(taken), untouched)


def standing(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """What holds: all entries but those taken back."""
    return turned(entries).held


def redoable(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """What was taken back and can be done again, in the order in which it would be."""
    return turned(entries).undone[::-1]


def _body(seq: int, text: str) -> Mapping[str, Any]:
    """The particulars of an entry, as they were written."""
    body = json.loads(text)
    refuse_strange(body, f"entry {seq}")
    if not isinstance(body, dict):
        raise Refused(f"entry {seq} holds no object: it was not written by this program")
    return MappingProxyType(body)


def _tables() -> list[str]:
    return [statement + ";" for statement in _TABLES.split(";\n") if statement.strip()]


def _one_line(sql: str) -> str:
    return " ".join(sql.split()).removesuffix(";")


def _statements() -> list[str]:
    return [*_tables(), f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {SCHEMA}"]


def _check_header(path: Path) -> None:
    """Refuse what is not ours before SQLite lays a hand on it."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except OSError as fault:
        raise Refused(f"the battle {path} cannot be read: {fault.strerror}") from fault
    number = int.from_bytes(header[_APPLICATION_AT : _APPLICATION_AT + 4], "big")
    if not header.startswith(_MAGIC) or len(header) < _HEADER_BYTES or number != APPLICATION_ID:
        raise _foreign(path)
    if header[_MODE_AT : _MODE_AT + 2] != _ONE_FILE:
        raise Refused(
            f"the battle {path} was opened by another program, which has changed it: take a copy from a backup"
        )
    if path.stat().st_size > _MOST_BYTES:
        raise Refused(
            f"the battle {path} is larger than {_MOST_BYTES // 2**20} MB, which no battle is: choose another file"
        )
    version = int.from_bytes(header[_VERSION_AT : _VERSION_AT + 4], "big")
    if version != SCHEMA:
        raise Refused(f"the battle {path} has schema {version} and this program reads {SCHEMA}: update Sandtable")


def _foreign(path: Path) -> Refused:
    return Refused(f"{path} is not a battle of Sandtable: choose another file")


def _refusal(path: Path, fault: Exception) -> Refused:
    if isinstance(fault, Refused):
        return fault
    if "locked" in str(fault):
        return Refused(f"the battle {path} is open in another window: close it there first")
    if "full" in str(fault):
        return Refused(f"the disk is full, so the last entry of {path} was not kept: make room and do it again")
    return Refused(f"the battle {path} cannot be used ({fault}): everything confirmed before is still in the file")
