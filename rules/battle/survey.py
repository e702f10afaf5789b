"""Reading of a journal's file, with a check of how many entries are intact. Nothing here writes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rules.battle.database import FAULTS, START, Row, connect_untouched, error_words, next_checksum, one_line
from rules.battle.progress import Step, no_step
from rules.tabletop.errors import UserError, refuse_unusable_values, user_error

LONGEST_ENTRY_BYTES = 4_000_000
"""Limit of one entry; the house rules in the first entry may take half of it."""
MOST_ENTRIES = 20_000
"""Limit of entries in one battle; a long evening has 500."""
MOST_VALUES = 2_000_000
"""Limit of values in all entries together; a value takes up to 300 bytes of memory, and an entry has about 30."""

ENTRY_TABLES = """
    CREATE TABLE entry (
        seq INTEGER PRIMARY KEY, time_s REAL NOT NULL, kind TEXT NOT NULL, version INTEGER NOT NULL, body TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER entry_stays BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'a journal only grows'); END;
    CREATE TRIGGER entry_kept BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'a journal only grows'); END;
"""
CHECKSUM_TABLE = "CREATE TABLE checksum (seq INTEGER PRIMARY KEY, sha256 BLOB NOT NULL) STRICT"
"""Journals of earlier versions have no such table until an entry is appended."""

_PLAIN = "SELECT seq, time_s, kind, version, body, NULL FROM entry ORDER BY seq"
_CHECKED = (
    "SELECT entry.seq, time_s, kind, version, body, sha256 FROM entry LEFT JOIN checksum USING (seq) ORDER BY entry.seq"
)
_TYPES = (int, float, str, int, str)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a journal.

    Attributes:
        seq: Number of the entry, from 1 without gaps.
        time_s: Time by the journal's clock, which may go backwards.
        kind: Kind of the event, such as "moved".
        version: Format version of `body` for this kind.
        body: The event's data as JSON values; read-only.
    """

    seq: int
    time_s: float
    kind: str
    version: int
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class End:
    """The end of a journal, from which the next entry continues.

    Attributes:
        seq: Number of the last entry; 0 if there is none.
        checksum: Checksum of the last entry, see `rules.battle.checksum`.
        values: Number of values in all entries, see `values_in`.
    """

    seq: int = 0
    checksum: bytes = START
    values: int = 0


@dataclass(frozen=True, slots=True)
class Survey:
    """The readable part of a journal.

    Attributes:
        entries: The entries from the first on that match their checksums or have none.
        end: The end after these entries.
        checked: How many of them match their checksums; zero in a journal without checksums.
        fault: Why the journal cannot be read further, as part of a sentence; empty if all of it was read.
    """

    entries: tuple[Entry, ...]
    end: End
    checked: int
    fault: str = ""

    @property
    def kept(self) -> int:
        """How many entries a copy would keep: those that match their checksums; all if there are no checksums."""
        return self.checked or len(self.entries)


class CorruptEntry(Exception):
    """Ends a survey; the message is the fault."""


def survey(file: sqlite3.Connection, step: Step = no_step) -> Survey:
    """Read a journal as far as possible.

    Args:
        file: A connection to it; the schema has been checked.
        step: Receives the progress and may cancel.

    Raises:
        UserError: if it has more entries than `MOST_ENTRIES` or more values than `MOST_VALUES`; also whatever `step`
            raises.
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
                    raise CorruptEntry(f"entry {after.seq} does not match its checksum")
                checked = after.seq
            entries.append(Entry(*row[:4], body_of(row)))
            end = after
        _check_end(file, summed, end, checked)
    except FAULTS as fault:
        return Survey(
            tuple(entries), end, checked, f"what follows entry {end.seq} cannot be read ({error_words(fault)})"
        )
    except CorruptEntry as fault:
        return Survey(tuple(entries), end, checked, str(fault))
    return Survey(tuple(entries), end, checked)


def survey_untouched(place: Path, step: Step = no_step) -> Survey:
    """Read a journal from a file that may be unsafe to open: nothing is locked, written or rolled back.

    Raises:
        UserError: as `survey`.
    """
    file = None
    try:
        file = connect_untouched(place)
        file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_ENTRY_BYTES)
        if not is_journal(file):
            return Survey((), End(), 0, "it is not a Sandtable battle")
        found = survey(file, step)
        return found if found.fault else Survey(found.entries, found.end, found.checked, structural_fault(file))
    except FAULTS as fault:
        return Survey((), End(), 0, f"it cannot be read ({error_words(fault)})")
    finally:
        if file is not None:
            file.close()


def is_journal(file: sqlite3.Connection) -> bool:
    """Whether the file has exactly the tables of a journal; to be checked before anything else is read.

    A malicious file could have an endless view in place of a table.

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
    """The result of SQLite's own check as part of a sentence; empty if the file is intact."""
    try:
        found = file.execute("PRAGMA quick_check(1)").fetchone()[0]
    except FAULTS as fault:
        found = error_words(fault)
    return "" if found == "ok" else f"the file is damaged ({found})"


def end_after(end: End, row: Row) -> End:
    """The end of a journal after this entry.

    Raises:
        CorruptEntry: if the row is not a valid entry or not the next one.
        UserError: if the journal would exceed its limits.
    """
    if tuple(map(type, row)) != _TYPES:
        raise CorruptEntry(f"entry {end.seq + 1} holds values of the wrong types")
    if row[0] != end.seq + 1:
        raise CorruptEntry(f"entry {end.seq + 1} is missing")
    values = end.values + values_in(row[4])
    if values > MOST_VALUES or row[0] > MOST_ENTRIES:
        raise user_error(
            "a battle holds at most {entries:,} entries and {values:,} values in them: begin another"
            " battle in a new file",
            entries=MOST_ENTRIES,
            values=MOST_VALUES,
        )
    return End(row[0], next_checksum(end.checksum, row), values)


def values_in(body: str) -> int:
    """Upper bound of the number of values in a JSON text, without parsing it."""
    return body.count(",") + body.count("[") + body.count("{") + body.count(":")


def body_of(row: Row) -> Mapping[str, Any]:
    """The body of an entry.

    Raises:
        CorruptEntry: if it is not a JSON object that this program would write.
    """
    what = f"entry {row[0]}"
    try:
        body = json.loads(row[4])
        refuse_unusable_values(body, what)
    except UserError as refusal:
        raise CorruptEntry(str(refusal)) from refusal
    except (ValueError, RecursionError) as fault:
        raise CorruptEntry(f"{what} is not JSON ({fault})") from fault
    if not isinstance(body, dict):
        raise CorruptEntry(f"{what} is not a JSON object")
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
    """Detect entries that are missing at the end, and entries that another program added without a checksum."""
    if not summed:
        return
    if end.seq and not checked:
        raise CorruptEntry("its checksums are lost")
    last = file.execute("SELECT coalesce(max(seq), 0) FROM checksum").fetchone()[0]
    if last != end.seq:
        raise CorruptEntry(f"what followed entry {end.seq} is lost")
