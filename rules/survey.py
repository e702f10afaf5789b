"""What a journal's file holds, and up to which entry it can be trusted. Nothing here writes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rules.checksum import START, Row, next_checksum
from rules.database import FAULTS, connect_untouched, one_line, words_of
from rules.progress import Step, no_step
from rules.table import UserError, refuse_strange

LONGEST_ENTRY_BYTES = 4_000_000
"""House rules, which the first entry holds, have half of it."""
MOST_ENTRIES = 20_000
"""Of one battle; a long evening has 500."""
MOST_VALUES = 2_000_000
"""Of all entries together; each takes up to 300 bytes of memory, and an entry has some 30."""

ENTRY_TABLES = """
    CREATE TABLE entry (
        seq INTEGER PRIMARY KEY, time_s REAL NOT NULL, kind TEXT NOT NULL, version INTEGER NOT NULL, body TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER entry_stays BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'a journal only grows'); END;
    CREATE TRIGGER entry_kept BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'a journal only grows'); END;
"""
CHECKSUM_TABLE = "CREATE TABLE checksum (seq INTEGER PRIMARY KEY, sha256 BLOB NOT NULL) STRICT"
"""Journals of earlier versions have none until something is appended."""

_PLAIN = "SELECT seq, time_s, kind, version, body, NULL FROM entry ORDER BY seq"
_CHECKED = (
    "SELECT entry.seq, time_s, kind, version, body, sha256 FROM entry LEFT JOIN checksum USING (seq) ORDER BY entry.seq"
)
_TYPES = (int, float, str, int, str)


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


@dataclass(frozen=True, slots=True)
class End:
    """Where a journal ends, for the next entry.

    Attributes:
        seq: Number of the last entry; 0 where there is none.
        checksum: Of the last entry, see `rules.checksum`.
        values: How many values all entries hold, see `values_in`.
    """

    seq: int = 0
    checksum: bytes = START
    values: int = 0


@dataclass(frozen=True, slots=True)
class Survey:
    """What can be read of a journal.

    Attributes:
        entries: From the first on, as far as they are as the file's checksums say, or have none.
        end: After the last of them.
        checked: How many of them, from the first on, are as they were written. Zero in a journal without checksums.
        fault: Why the journal cannot be read further, as part of a sentence; empty where all of it could be.
    """

    entries: tuple[Entry, ...]
    end: End
    checked: int
    fault: str = ""

    @property
    def kept(self) -> int:
        """How many entries a copy would keep: those that are as they were written; without checksums, all."""
        return self.checked or len(self.entries)


class Unsound(Exception):
    """Ends a survey; its text is the fault."""


def survey(file: sqlite3.Connection, step: Step = no_step) -> Survey:
    """Read a journal as far as it can be read.

    Args:
        file: A connection to it; the schema has been checked.
        step: Called now and then with the progress; it may end the work.

    Raises:
        UserError: if it has more entries or values than `MOST_ENTRIES` and `MOST_VALUES`, or what `step` raises.
    """
    entries: list[Entry] = []
    end, checked = End(), 0
    try:
        summed, count = has_checksums(file), _count(file)
        for row, written in _rows(file, summed):
            step(end.seq, count)
            after = end_after(end, row)
            if summed and not (written is None and checked == 0):
                if written != after.checksum:
                    raise Unsound(f"entry {after.seq} does not match its checksum")
                checked = after.seq
            entries.append(Entry(*row[:4], body_of(row)))
            end = after
        _check_end(file, summed, end, checked)
    except FAULTS as fault:
        return Survey(tuple(entries), end, checked, f"what follows entry {end.seq} cannot be read ({words_of(fault)})")
    except Unsound as fault:
        return Survey(tuple(entries), end, checked, str(fault))
    return Survey(tuple(entries), end, checked)


def survey_untouched(place: Path, step: Step = no_step) -> Survey:
    """Read the journal of a file that SQLite may not open otherwise: nothing is locked, written or rolled back.

    Raises:
        UserError: as `survey`.
    """
    file = None
    try:
        file = connect_untouched(place)
        file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_ENTRY_BYTES)
        if not is_journal(file):
            return Survey((), End(), 0, "it is not a battle of Sandtable")
        found = survey(file, step)
        return found if found.fault else Survey(found.entries, found.end, found.checked, structural_fault(file))
    except FAULTS as fault:
        return Survey((), End(), 0, f"it cannot be read ({words_of(fault)})")
    finally:
        if file is not None:
            file.close()


def is_journal(file: sqlite3.Connection) -> bool:
    """Whether the file has the tables of a journal and nothing else; asked before anything else is read of it.

    A view of a stranger's may pass for a table, and have no end.

    Raises:
        sqlite3.Error, UnicodeDecodeError: if it is damaged.
    """
    schema = {one_line(sql or "") for (sql,) in file.execute("SELECT sql FROM sqlite_schema LIMIT 9")}
    entry_tables = {one_line(statement) for statement in statements_of(ENTRY_TABLES)}
    return schema in (entry_tables, entry_tables | {CHECKSUM_TABLE})


def has_checksums(file: sqlite3.Connection) -> bool:
    """Whether the journal has a table of checksums.

    Raises:
        sqlite3.Error, UnicodeDecodeError: if it is damaged.
    """
    return bool(file.execute("SELECT 1 FROM sqlite_schema WHERE name = 'checksum'").fetchone())


def structural_fault(file: sqlite3.Connection) -> str:
    """What SQLite itself finds wrong with the file, as part of a sentence; empty where it is sound."""
    try:
        found = file.execute("PRAGMA quick_check(1)").fetchone()[0]
    except FAULTS as fault:
        found = words_of(fault)
    return "" if found == "ok" else f"the file is damaged ({found})"


def end_after(end: End, row: Row) -> End:
    """Where a journal ends after this entry.

    Raises:
        Unsound: if the row is no entry, or does not follow.
        UserError: if the journal would hold too much.
    """
    if tuple(map(type, row)) != _TYPES:
        raise Unsound(f"entry {end.seq + 1} holds values of the wrong types")
    if row[0] != end.seq + 1:
        raise Unsound(f"entry {end.seq + 1} is missing")
    values = end.values + values_in(row[4])
    if values > MOST_VALUES or row[0] > MOST_ENTRIES:
        raise UserError(
            f"a battle holds at most {MOST_ENTRIES:,} entries and {MOST_VALUES:,} values in them:"
            " begin another battle in a new file"
        )
    return End(row[0], next_checksum(end.checksum, row), values)


def values_in(body: str) -> int:
    """How many values a JSON text holds at most, without reading it: what a reader would make objects of."""
    return body.count(",") + body.count("[") + body.count("{") + body.count(":")


def body_of(row: Row) -> Mapping[str, Any]:
    """The particulars of an entry, as they were written.

    Raises:
        Unsound: if they are not a JSON object that this program would write.
    """
    what = f"entry {row[0]}"
    try:
        body = json.loads(row[4])
        refuse_strange(body, what)
    except UserError as refusal:
        raise Unsound(str(refusal)) from refusal
    except (ValueError, RecursionError) as fault:
        raise Unsound(f"{what} is not JSON ({fault})") from fault
    if not isinstance(body, dict):
        raise Unsound(f"{what} is not a JSON object")
    return MappingProxyType(body)


def statements_of(script: str) -> list[str]:
    """The statements of a script, each with its semicolon."""
    return [statement + ";" for statement in script.split(";\n") if statement.strip()]


def _rows(file: sqlite3.Connection, summed: bool) -> Iterator[tuple[Row, bytes | None]]:
    for *row, written in file.execute(_CHECKED if summed else _PLAIN):
        yield tuple(row), written


def _count(file: sqlite3.Connection) -> int:
    return int(file.execute("SELECT coalesce(max(seq), 0) FROM entry").fetchone()[0])


def _check_end(file: sqlite3.Connection, summed: bool, end: End, checked: int) -> None:
    """Notice entries that were lost at the end, and those that something else added without a checksum."""
    if not summed:
        return
    if end.seq and not checked:
        raise Unsound("its checksums are lost")
    last = file.execute("SELECT coalesce(max(seq), 0) FROM checksum").fetchone()[0]
    if last != end.seq:
        raise Unsound(f"what followed entry {end.seq} is lost")
