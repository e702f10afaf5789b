"""The append-only file of a battle's events: one entry per transaction, on the disk before it is confirmed.

Undo and redo are entries too: `standing` reduces all entries to those in force.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any
from weakref import WeakValueDictionary

from rules.battle import database
from rules.battle.database import Row
from rules.battle.progress import Step, no_step
from rules.battle.survey import (
    CHECKSUM_TABLE,
    ENTRY_TABLES,
    LONGEST_ENTRY_BYTES,
    End,
    Survey,
    end_after,
    has_checksums,
    is_journal,
    statements_of,
    structural_fault,
    survey,
    survey_untouched,
)
from rules.battle.survey import Entry as Entry
from rules.engine.events import Event
from rules.engine.state import FOLDS
from rules.tabletop.errors import UserError, user_error

SCHEMA = 1
APPLICATION_ID = 0x53616E64
"""Identifies the file as Sandtable's ("Sand") in SQLite's application id."""

UNDO, REDO = "undo", "redo"

EXTERNAL_EVENTS = ("camera_moved", "marker_moved", "table")
"""External events: no player caused them, so they are never undone and do not clear what can be redone."""

MOST_BYTES = 2**25
"""Limit of a journal's file: as much as sixty long evenings."""

SYNCHRONOUS = "EXTRA"
"""SQLite's setting for when the disk confirms a transaction: before it ends, and the folder too."""

_ONE_FILE = b"\1\1"  # rollback-journal mode for writing and reading, so that no log is kept in a second file
_MODE_AT = 18
"""https://www.sqlite.org/fileformat2.html, section 1.3."""

_open_files: WeakValueDictionary[tuple[int, int], Journal] = WeakValueDictionary()
"""The journals that this process has open, by device and inode. POSIX drops a process's locks on a file as soon as the
process closes any of its handles to it, so none of these may be opened a second time, even to read the header."""


class Damaged(UserError):
    """A damaged journal; a copy may be able to continue from one of its entries.

    Attributes:
        path: Its file.
        kept: Number of entries that a copy would keep.
    """

    def __init__(self, path: Path, why: str, kept: int, checked: int) -> None:
        self.path, self.kept = path, kept
        super().__init__(f"the battle {path} is damaged: {why}. {_advice(kept, checked)}")


def _advice(kept: int, checked: int) -> str:
    if not kept:
        return "Nothing in it can be saved: restore it from a backup"
    if checked:
        return f"It is intact up to entry {kept}: continue from there in a copy"
    return (
        f"It has no checksums, so other changes to it cannot be detected. {_entries(kept)} can be read:"
        " continue from there in a copy"
    )


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


class Journal(AbstractContextManager["Journal"]):
    """An open journal. A file can be open only once at a time, and only one thread at a time may use the journal.

    Attributes:
        path: The file.
        remark: A warning about the file for the players, as a sentence; empty if there is none.
        is_checked: Whether checksums confirm that the entries that were read are unchanged.
    """

    def __init__(self, path: Path, clock: Callable[[], float], *, is_kept: bool = True) -> None:
        """Open a journal, or create it if there is no file.

        Args:
            path: The file.
            clock: Seconds, stored with every entry.
            is_kept: Whether the file must survive a power cut, which takes the disk's time for every entry.

        Raises:
            Damaged: if the file is damaged but may be readable in part.
            UserError: if it is not a journal, of a newer program, unsafe to open, or open elsewhere. The file stays
                unchanged.
        """
        self.path, self._clock, self.remark = path, clock, ""
        self._end: End | None = None
        self.is_checked = True
        self._has_checksums = True
        place = database.resolved_path(path, f"the battle {path}")
        _refuse_open(path, place)
        database.refuse_unsafe_companions(place, f"the battle {path}", unused=(database.LOG, database.LOG_INDEX))
        if os.path.exists(place) and place.stat().st_size > 0:
            _check_header(path, place)
            if database.is_rollback_due(place):
                _test_rollback(path, place)
                self.remark = f"The program was stopped while it wrote to {path}: unconfirmed entries are lost."
        try:
            # In autocommit every statement is its own transaction.
            self._file = sqlite3.connect(place, isolation_level=None, timeout=0.2, check_same_thread=False)
        except sqlite3.Error as fault:
            raise user_error(
                "the battle {path} cannot be opened ({reason}): choose another folder or name", path=path, reason=fault
            ) from fault
        try:
            self._prepare(SYNCHRONOUS if is_kept else "OFF")
        except (*database.FAULTS, UserError) as fault:
            self._file.close()
            raise _refusal(path, fault) from fault
        status = place.stat()
        self._identity = (status.st_dev, status.st_ino)
        _open_files[self._identity] = self

    def _prepare(self, synchronous: str) -> None:
        self._file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_ENTRY_BYTES)
        self._file.execute(f"PRAGMA synchronous = {synchronous}")
        self._file.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._file.execute("BEGIN EXCLUSIVE")
        if self._file.execute("PRAGMA application_id").fetchone()[0] == 0:  # an empty file
            pragmas = (f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {SCHEMA}")
            for statement in (*statements_of(ENTRY_TABLES), CHECKSUM_TABLE, *pragmas):
                self._file.execute(statement)
        self._file.execute("COMMIT")
        if not is_journal(self._file):
            raise _foreign(self.path)
        self._has_checksums = has_checksums(self._file)
        fault = structural_fault(self._file)
        if fault:
            found = survey(self._file)
            raise Damaged(self.path, found.fault or fault, found.kept, found.checked)

    def append(self, kind: str, body: Mapping[str, Any], version: int = 1) -> Entry:
        """Add an entry and return it after it is on the disk.

        Raises:
            UserError: if the disk is full or missing, or the journal has reached its limits. The entry is not added,
                and no confirmed entry is lost.
        """
        with self.together():
            return self._insert(kind, body, version)

    def append_all(self, entries: Iterable[tuple[str, Mapping[str, Any]]]) -> tuple[Entry, ...]:
        """Add several entries, given as (kind, body), in one transaction.

        Raises:
            UserError: as `append`.
        """
        with self.together():
            return tuple(self._insert(kind, body, 1) for kind, body in entries)

    def copy_entries(self, entries: Iterable[Entry]) -> None:
        """Add entries of another journal, with their times, in one transaction.

        Raises:
            UserError: as `append`.
        """
        with self.together():
            for entry in entries:
                self._write(entry.kind, dict(entry.body), entry.version, entry.time_s)

    @contextmanager
    def together(self) -> Iterator[None]:
        """A transaction: everything appended within it is stored together when it ends, or not at all.

        It saves time because a disk takes as long to confirm sixty entries as one. A nested call joins the outer
        transaction.

        Raises:
            UserError: if the disk is full or missing; then nothing is stored.
        """
        if self._file.in_transaction:
            yield
            return
        before, committed = (self._end, self._has_checksums), False
        try:
            self._file.execute("BEGIN IMMEDIATE")
            yield
            self._file.execute("COMMIT")
            committed = True
        except sqlite3.Error as fault:
            raise _refusal(self.path, fault) from fault
        finally:
            if not committed:
                self._end, self._has_checksums = before
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")

    def _insert(self, kind: str, body: Mapping[str, Any], version: int) -> Entry:
        return self._write(kind, body, version, float(self._clock()))

    def _write(self, kind: str, body: Mapping[str, Any], version: int, time_s: float) -> Entry:
        text = json.dumps(body, allow_nan=False, sort_keys=True)
        end = self._end if self._end is not None else self._survey().end
        row: Row = (end.seq + 1, time_s, kind, version, text)
        after = end_after(end, row)
        if not self._has_checksums:
            self._file.execute(CHECKSUM_TABLE)
            self._has_checksums = True
        self._file.execute("INSERT INTO entry (seq, time_s, kind, version, body) VALUES (?, ?, ?, ?, ?)", row)
        self._file.execute("INSERT INTO checksum VALUES (?, ?)", (after.seq, after.checksum))
        self._end = after
        return Entry(after.seq, time_s, kind, version, MappingProxyType(json.loads(text)))

    def entries(self, step: Step = no_step) -> tuple[Entry, ...]:
        """All entries, in order.

        Args:
            step: Receives the progress and may cancel.

        Raises:
            Damaged: if any entry is damaged.
            UserError: if there are too many entries or values; also whatever `step` raises.
        """
        found = self._survey(step)
        self._end, self.is_checked = found.end, bool(found.checked) or not found.entries
        if not self.is_checked:
            warning = (
                f"{self.path} was written by an earlier version without checksums: changes to its"
                f" {_entries(len(found.entries))} cannot be detected. From the next entry on, damage is detected."
            )
            self.remark = f"{self.remark} {warning}".strip()
        return found.entries

    def _survey(self, step: Step = no_step) -> Survey:
        found = survey(self._file, step)
        if found.fault:
            raise Damaged(self.path, found.fault, found.kept, found.checked)
        return found

    def snapshot(self) -> bytes:
        """The content of the file, which must not be opened a second time to copy it."""
        return self._file.serialize()

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        _open_files.pop(self._identity, None)
        self._file.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def survey_of(path: Path, step: Step = no_step) -> Survey:
    """What can be read of a possibly damaged journal; no file is written.

    Raises:
        UserError: if the file is not a journal, of a newer program, or too large.
    """
    place = database.resolved_path(path, f"the battle {path}")
    _refuse_open(path, place)
    _check_header(path, place)
    return survey_untouched(place, step)


@dataclass(frozen=True, slots=True)
class EntriesInForce:
    """The entries in force and those that were undone.

    Attributes:
        in_force: The entries in force, in order.
        undone: The entries that can be redone, the next one last.
        untouched: How many of the entries in force before are still the beginning of `in_force`.
    """

    in_force: tuple[Entry, ...]
    undone: tuple[Entry, ...]
    untouched: int


def apply_entries(
    entries: Iterable[Entry], before: Sequence[Entry] = (), undone: Sequence[Entry] = ()
) -> EntriesInForce:
    """Apply entries to those in force `before` them and to those that can be redone (`undone`).

    A new entry after an undo clears what could be redone, unless it is an external event.
    """
    in_force, to_redo, untouched = list(before), list(undone), len(before)
    for entry in entries:
        if entry.kind == UNDO:
            last = next((k for k in reversed(range(len(in_force))) if in_force[k].kind not in EXTERNAL_EVENTS), None)
            if last is not None:
                to_redo.append(in_force.pop(last))
                untouched = min(untouched, last)
        elif entry.kind == REDO:
            in_force += [to_redo.pop()] if to_redo else []
        else:
            in_force.append(entry)
            to_redo = to_redo if entry.kind in EXTERNAL_EVENTS else []
    return EntriesInForce(tuple(in_force), tuple(to_redo), untouched)


def standing(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The entries in force: all that were not undone."""
    return apply_entries(entries).in_force


def redoable(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The undone entries in the order in which redo would restore them."""
    return apply_entries(entries).undone[::-1]


def _refuse_open(path: Path, place: Path) -> None:
    try:
        status = place.stat()
    except OSError:
        return  # a new file
    if (status.st_dev, status.st_ino) in _open_files:
        raise _in_use(path)


def _check_header(path: Path, place: Path) -> None:
    """Refuse a file that is not a Sandtable journal before SQLite opens it."""
    start = database.header(place, f"the battle {path}")
    if not database.is_marked(start, APPLICATION_ID):
        raise _foreign(path)
    if start[_MODE_AT : _MODE_AT + 2] != _ONE_FILE:
        raise user_error("the battle {path} was changed by another program: restore it from a backup", path=path)
    if place.stat().st_size > MOST_BYTES:
        raise user_error(
            "the battle {path} is larger than {megabytes} MB, the limit for a battle: choose another file",
            path=path,
            megabytes=MOST_BYTES // 2**20,
        )
    version = database.user_version(start)
    if version != SCHEMA:
        raise user_error(
            "the battle {path} has schema {version}, but this program reads {expected}: update Sandtable",
            path=path,
            version=version,
            expected=SCHEMA,
        )


def _test_rollback(path: Path, place: Path) -> None:
    """Play the rollback journal back into a copy, because a damaged or foreign one would destroy the battle.

    Raises:
        Damaged: if the result is not an intact journal.
        UserError: if another program is writing the battle.
    """
    if database.is_locked(place):
        raise _in_use(path)
    journal = Path(f"{place}{database.JOURNAL}")
    if journal.stat().st_size > 2 * MOST_BYTES:
        raise user_error(
            "{journal}, beside the battle {path}, is too large to belong to it: move it to another folder",
            journal=journal,
            path=path,
        )
    with TemporaryDirectory() as folder:
        copy = Path(folder).resolve() / "copy"
        copyfile(place, copy)
        copyfile(journal, f"{copy}{database.JOURNAL}")
        found = survey_untouched(place)
        fault = _rolled_back(copy, found)
    if fault:
        why = f"{journal.name} beside it is needed to repair it, but is damaged or of another battle ({fault})"
        raise Damaged(path, why, found.kept, found.checked)


def _rolled_back(copy: Path, before: Survey) -> str:
    """Let SQLite play back the journal beside this copy; returns what is wrong afterwards, or an empty string.

    Args:
        copy: A copy of a battle's file.
        before: What could be read of the battle. A rollback removes entries from its end and changes none.
    """
    try:
        file = sqlite3.connect(copy, isolation_level=None)
        try:
            file.execute("BEGIN EXCLUSIVE")
            file.execute("COMMIT")
        finally:
            file.close()
    except database.FAULTS as fault:
        return database.error_words(fault)
    if not copy.stat().st_size:
        return ""  # the transaction that created the battle was rolled back
    after = survey_untouched(copy)
    in_both = min(len(before.entries), len(after.entries))
    if before.entries[:in_both] != after.entries[:in_both]:
        return "it would change earlier entries"
    return after.fault


def _foreign(path: Path) -> UserError:
    return user_error("{path} is not a battle of Sandtable: choose another file", path=path)


def _in_use(path: Path) -> UserError:
    return user_error("the battle {path} is open in another window: close it there first", path=path)


def _refusal(path: Path, fault: Exception) -> UserError:
    if isinstance(fault, UserError):
        return fault
    if database.is_busy(fault):
        return _in_use(path)
    code = database.primary_code(fault)
    if code == sqlite3.SQLITE_FULL:
        return user_error(
            "the disk is full, so the last entry of {path} was not saved: make room and try again", path=path
        )
    if code == sqlite3.SQLITE_IOERR:
        return user_error(
            "the disk failed, so the last entry of {path} was not saved: check it and its free space", path=path
        )
    if code == sqlite3.SQLITE_READONLY:
        return user_error(
            "the battle {path} is read-only: copy it to a folder where you may write and open the copy", path=path
        )
    return user_error(
        "the battle {path} cannot be used ({reason}): restore it from a backup",
        path=path,
        reason=database.error_words(fault),
    )


EVENTS: Mapping[str, type[Event]] = {event.kind: event for event in FOLDS}
"""Event classes by kind."""


def event_of(entry: Entry) -> Event:
    """The event that an entry stores.

    Raises:
        UserError: if the kind is unknown, the version is newer or the body is invalid.
    """
    if entry.kind not in EVENTS:
        raise user_error(
            "entry {seq} is of the unknown kind {kind!r}: update Sandtable", seq=entry.seq, kind=entry.kind
        )
    check_version(entry, EVENTS[entry.kind].version)
    return EVENTS[entry.kind].from_body(entry.body, f"entry {entry.seq} ({entry.kind})")


def check_version(entry: Entry, known: int = 1) -> None:
    """Raise `UserError` for an entry written by a newer program."""
    if entry.version > known:
        newer = f"has version {entry.version}, but this program reads version {known}"
        raise user_error("entry {seq} ({kind}) {newer}: update Sandtable", seq=entry.seq, kind=entry.kind, newer=newer)


def is_event(entry: Entry) -> bool:
    """Whether an entry stores an event; the others undo or redo one."""
    return entry.kind not in (UNDO, REDO)
