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
from shutil import copyfile
from tempfile import TemporaryDirectory
from types import MappingProxyType, TracebackType
from typing import Any
from weakref import WeakValueDictionary

from rules.battle.checksum import Row
from rules.battle.database import (
    FAULTS,
    JOURNAL,
    LOG,
    LOG_INDEX,
    header,
    is_busy,
    is_locked,
    is_marked,
    is_rollback_due,
    primary_code,
    refuse_unsafe_companions,
    true_place,
    user_version,
    words_of,
)
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
from rules.tabletop.errors import UserError

SCHEMA = 1
APPLICATION_ID = 0x53616E64
"""Marks the file as ours ("Sand"), where SQLite keeps a number for the purpose."""

UNDO, REDO = "undo", "redo"

BEFALLEN = ("camera_moved", "marker_moved", "table")
"""External events: nobody did them, so they are never undone, and what was undone before can still be redone."""

MOST_BYTES = 2**25
"""Of a journal's file: sixty long evenings."""

_ONE_FILE = b"\1\1"  # written and read by a rollback journal: no second file grows beside it
_MODE_AT = 18
"""https://www.sqlite.org/fileformat2.html, section 1.3."""

_open_files: WeakValueDictionary[tuple[int, int], Journal] = WeakValueDictionary()
"""Device and number of the journals this process has open. The system drops a process's locks on a file as soon as it
closes any of its handles on it, so none of these may be opened a second time, even to read the header."""


class Damaged(UserError):
    """A journal that cannot be used as it is, though a copy can go on from one of its entries.

    Attributes:
        path: Of its file.
        kept: How many entries a copy would keep.
    """

    def __init__(self, path: Path, why: str, kept: int, checked: int) -> None:
        self.path, self.kept = path, kept
        super().__init__(f"the battle {path} is damaged: {why}. {_trust(kept, checked)}")


def _trust(kept: int, checked: int) -> str:
    if not kept:
        return "Nothing of it can be saved: take a copy of it from a backup"
    if checked:
        return f"Up to entry {kept} it is as it was written: go on from there in a copy"
    return (
        f"It has no checksums, so whether anything else in it was altered is unknown. {_entries(kept)} can be read:"
        " go on from there in a copy"
    )


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


class Journal:
    """An open journal; only one at a time has a file open. One thread at a time uses it.

    Attributes:
        path: Of the file.
        remark: What the players should know about the file, as a sentence; empty where all is well.
        is_checked: Whether checksums say that what was read of it is as it was written.
    """

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        """Open a journal, or begin one where there is no file.

        Args:
            path: Of the file.
            clock: Seconds, kept with every entry.

        Raises:
            Damaged: if some of it can be read, but it must not be written on.
            UserError: if it is no journal, of a newer program, unsafe to open, or open elsewhere. It is left as it was.
        """
        self.path, self._clock, self.remark = path, clock, ""
        self._end: End | None = None
        self.is_checked = True
        self._has_checksums = True
        place = true_place(path, f"the battle {path}")
        _refuse_open(path, place)
        refuse_unsafe_companions(place, f"the battle {path}", unused=(LOG, LOG_INDEX))
        if os.path.exists(place) and place.stat().st_size > 0:
            _check_header(path, place)
            if is_rollback_due(place):
                _rehearse(path, place)
                self.remark = f"The program was stopped while it wrote to {path}: what was not confirmed is gone."
        try:
            # In autocommit every statement is its own transaction; EXTRA makes the disk confirm it, folder included.
            self._file = sqlite3.connect(place, isolation_level=None, timeout=0.2, check_same_thread=False)
        except sqlite3.Error as fault:
            raise UserError(f"the battle {path} cannot be opened ({fault}): choose another folder or name") from fault
        try:
            self._take()
        except (*FAULTS, UserError) as fault:
            self._file.close()
            raise _refusal(path, fault) from fault
        status = place.stat()
        self._identity = (status.st_dev, status.st_ino)
        _open_files[self._identity] = self

    def _take(self) -> None:
        self._file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_ENTRY_BYTES)
        self._file.execute("PRAGMA synchronous = EXTRA")
        self._file.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._file.execute("BEGIN EXCLUSIVE")
        if self._file.execute("PRAGMA application_id").fetchone()[0] == 0:  # an empty file
            for statement in _statements():
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
        """Add an entry; when this returns it is on the disk.

        Raises:
            UserError: if the disk is full or gone, or the journal holds all that one can. Nothing that was confirmed is
                lost, and the entry is not there.
        """
        with self.together():
            return self._insert(kind, body, version)

    def append_all(self, entries: Iterable[tuple[str, Mapping[str, Any]]]) -> tuple[Entry, ...]:
        """Add several, as (kind, body), that are one thing to the players: all are on the disk, or none is there.

        Raises:
            UserError: as `append`.
        """
        with self.together():
            return tuple(self._insert(kind, body, 1) for kind, body in entries)

    def take_over(self, entries: Iterable[Entry]) -> None:
        """Add entries of another journal, with the times they have: all are on the disk, or none is there.

        Raises:
            UserError: as `append`.
        """
        with self.together():
            for entry in entries:
                self._write(entry.kind, dict(entry.body), entry.version, entry.time_s)

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is appended meanwhile is one transaction: on the disk when this ends, or none of it is there.

        A disk takes as long to confirm sixty entries as one. Inside of another `together` it is part of that one.

        Raises:
            UserError: if the disk is full or gone; then nothing of it is there.
        """
        if self._file.in_transaction:
            yield
            return
        before, done = (self._end, self._has_checksums), False
        try:
            self._file.execute("BEGIN IMMEDIATE")
            yield
            self._file.execute("COMMIT")
            done = True
        except sqlite3.Error as fault:
            raise _refusal(self.path, fault) from fault
        finally:
            if not done:
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
        """Everything, in order.

        Args:
            step: Called now and then with the progress; it may end the work.

        Raises:
            Damaged: if it cannot be trusted to the end.
            UserError: if it holds too much, or what `step` raises.
        """
        found = self._survey(step)
        self._end, self.is_checked = found.end, bool(found.checked) or not found.entries
        if not self.is_checked:
            unknown = (
                f"{self.path} was written by an earlier version, without checksums: whether its"
                f" {_entries(len(found.entries))} were altered is unknown. From the next entry on, damage is noticed."
            )
            self.remark = f"{self.remark} {unknown}".strip()
        return found.entries

    def _survey(self, step: Step = no_step) -> Survey:
        found = survey(self._file, step)
        if found.fault:
            raise Damaged(self.path, found.fault, found.kept, found.checked)
        return found

    def close(self) -> None:
        """Let go of the file; a second call does nothing."""
        _open_files.pop(self._identity, None)
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()


def survey_of(path: Path, step: Step = no_step) -> Survey:
    """What can be read of the journal in a file, however damaged it is; the file and those beside it are only read.

    Raises:
        UserError: if it is no journal at all, of a newer program, or too large.
    """
    place = true_place(path, f"the battle {path}")
    _refuse_open(path, place)
    _check_header(path, place)
    return survey_untouched(place, step)


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


def _statements() -> list[str]:
    marks = [f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {SCHEMA}"]
    return [*statements_of(ENTRY_TABLES), CHECKSUM_TABLE, *marks]


def _refuse_open(path: Path, place: Path) -> None:
    try:
        status = place.stat()
    except OSError:
        return  # a new file
    if (status.st_dev, status.st_ino) in _open_files:
        raise _in_use(path)


def _check_header(path: Path, place: Path) -> None:
    """Refuse what is not ours before SQLite lays a hand on it."""
    start = header(place, f"the battle {path}")
    if not is_marked(start, APPLICATION_ID):
        raise _foreign(path)
    if start[_MODE_AT : _MODE_AT + 2] != _ONE_FILE:
        raise UserError(
            f"the battle {path} was opened by another program, which has changed it: take a copy from a backup"
        )
    if place.stat().st_size > MOST_BYTES:
        raise UserError(
            f"the battle {path} is larger than {MOST_BYTES // 2**20} MB, which no battle is: choose another file"
        )
    version = user_version(start)
    if version != SCHEMA:
        raise UserError(f"the battle {path} has schema {version} and this program reads {SCHEMA}: update Sandtable")


def _rehearse(path: Path, place: Path) -> None:
    """Play the rollback journal back into a copy first: a damaged or foreign one would spoil the battle.

    Raises:
        Damaged: if what comes of it is not a sound journal.
        UserError: if another program is writing the battle right now.
    """
    if is_locked(place):
        raise _in_use(path)
    journal = Path(f"{place}{JOURNAL}")
    if journal.stat().st_size > 2 * MOST_BYTES:
        raise UserError(f"{journal}, beside the battle {path}, is too large to belong to it: move it to another folder")
    with TemporaryDirectory() as folder:
        copy = Path(folder).resolve() / "copy"
        copyfile(place, copy)
        copyfile(journal, f"{copy}{JOURNAL}")
        found = survey_untouched(place)
        fault = _rolled_back(copy, found)
    if fault:
        why = f"{journal.name} beside it should mend it, but is damaged or of another battle ({fault})"
        raise Damaged(path, why, found.kept, found.checked)


def _rolled_back(copy: Path, before: Survey) -> str:
    """Let SQLite play back the journal beside this copy; what is wrong with it then, empty where nothing is.

    Args:
        copy: Of a battle.
        before: What could be read of the battle. A rollback takes entries from its end and changes none.
    """
    try:
        file = sqlite3.connect(copy, isolation_level=None)
        try:
            file.execute("BEGIN EXCLUSIVE")
            file.execute("COMMIT")
        finally:
            file.close()
    except FAULTS as fault:
        return words_of(fault)
    if not copy.stat().st_size:
        return ""  # the very beginning was taken back
    after = survey_untouched(copy)
    in_both = min(len(before.entries), len(after.entries))
    if before.entries[:in_both] != after.entries[:in_both]:
        return "with it this would be another battle"
    return after.fault


def _foreign(path: Path) -> UserError:
    return UserError(f"{path} is not a battle of Sandtable: choose another file")


def _in_use(path: Path) -> UserError:
    return UserError(f"the battle {path} is open in another window: close it there first")


def _refusal(path: Path, fault: Exception) -> UserError:
    if isinstance(fault, UserError):
        return fault
    if is_busy(fault):
        return _in_use(path)
    code = primary_code(fault)
    if code == sqlite3.SQLITE_FULL:
        return UserError(f"the disk is full, so the last entry of {path} was not kept: make room and do it again")
    if code == sqlite3.SQLITE_IOERR:
        return UserError(f"the disk failed, so the last entry of {path} was not kept: check it and its free space")
    if code == sqlite3.SQLITE_READONLY:
        return UserError(f"the battle {path} may not be written to: copy it to a folder of yours and open the copy")
    return UserError(f"the battle {path} cannot be used ({words_of(fault)}): take a copy of it from a backup")
