"""SQLite files that may be a stranger's: what is checked before SQLite opens one, and how one is opened.

SQLite trusts the files beside a database. A rollback journal (`-journal`) is played back into it, and one that names a
super-journal has that file deleted afterwards, whatever it is: https://www.sqlite.org/atomiccommit.html, section 5. A
write-ahead log (`-wal`) is read in place of the database, even where the database was never written with one.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from rules.tabletop.errors import UserError
from rules.tabletop.regular_file import open_regular, refuse_special

FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""What Python's sqlite3 raises; the second where SQLite's own message quotes bytes of the file that are no text."""

MAGIC = b"SQLite format 3\0"
JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
"""A rollback journal begins with it; the record of a super-journal, the last in the file, ends with it."""

JOURNAL, LOG, LOG_INDEX = "-journal", "-wal", "-shm"
_BESIDE = (JOURNAL, LOG, LOG_INDEX)

_VERSION_AT, _APPLICATION_AT, HEADER_BYTES = 60, 68, 100
"""https://www.sqlite.org/fileformat2.html, section 1.3."""


def true_place(path: Path, what: str) -> Path:
    """Where a database lies: SQLite follows links, and looks for the files beside it there.

    Raises:
        UserError: if it is a link that leads nowhere, a pipe or a device, or cannot be reached.
    """
    try:
        place = Path(os.path.realpath(path))
        if os.path.lexists(path):
            refuse_special(path, what)
    except FileNotFoundError as fault:
        raise UserError(f"{what} is a link to what is not there: choose a file, or another name") from fault
    except UserError:
        raise
    except (OSError, ValueError) as fault:
        raise UserError(f"{what} cannot be read: {getattr(fault, 'strerror', None) or fault}") from fault
    return place


def beside(place: Path, kinds: Iterable[str] = _BESIDE) -> tuple[Path, ...]:
    """The files that belong to a database, of these kinds, as far as there are any."""
    return tuple(path for path in (Path(f"{place}{kind}") for kind in kinds) if os.path.lexists(path))


def refuse_unsafe_companions(place: Path, what: str, unused: Iterable[str] = ()) -> None:
    """Refuse a database with files beside it through which SQLite would alter or delete a file that is not its own.

    Args:
        place: Of the database, see `true_place`.
        what: Its name in messages, as "the battle evening.battle".
        unused: Kinds of files that this program never writes beside it.

    Raises:
        UserError: if such a file is there, is a link, a pipe, a device or no journal, or names a super-journal.
    """
    for path in beside(place):
        if path.is_symlink() or not path.is_file():
            raise UserError(f"{path}, beside {what}, is not an ordinary file: delete it, then open again")
    for path in beside(place, unused):
        raise UserError(
            f"{path}, beside {what}, was not written by this program and would change it: move it to another folder"
        )
    for path in beside(place, [JOURNAL]):
        first, last = _ends(path, len(JOURNAL_MAGIC), what)
        if first.strip(b"\0") and first != JOURNAL_MAGIC:
            raise UserError(f"{path}, beside {what}, is no journal of SQLite: move it to another folder")
        if last == JOURNAL_MAGIC:
            raise UserError(
                f"{path}, beside {what}, names another file for SQLite to delete; this program never writes that:"
                f" move {path.name} to another folder"
            )


def is_rollback_due(place: Path) -> bool:
    """Whether a rollback journal beside the database waits to be played back: its writer was stopped, or is writing.

    As SQLite decides it: the journal of a finished transaction is empty, or begins with zeros.
    """
    try:
        with Path(f"{place}{JOURNAL}").open("rb") as file:
            return file.read(1) not in (b"", b"\0")
    except FileNotFoundError:
        return False


def header(place: Path, what: str) -> bytes:
    """The first `HEADER_BYTES` of a file, fewer where it is shorter.

    Raises:
        UserError: if it cannot be read.
    """
    try:
        with open_regular(place, what) as file:
            return file.read(HEADER_BYTES)
    except UserError:
        raise
    except (OSError, ValueError) as fault:
        raise UserError(f"{what} cannot be read: {getattr(fault, 'strerror', None) or fault}") from fault


def is_marked(header_bytes: bytes, application_id: int) -> bool:
    """Whether a header is that of an SQLite file with this mark of its writer."""
    mark = int.from_bytes(header_bytes[_APPLICATION_AT : _APPLICATION_AT + 4], "big")
    return header_bytes.startswith(MAGIC) and len(header_bytes) == HEADER_BYTES and mark == application_id


def user_version(header_bytes: bytes) -> int:
    """The number that SQLite keeps for the writer's own version, from a whole header."""
    return int.from_bytes(header_bytes[_VERSION_AT : _VERSION_AT + 4], "big")


def connect_untouched(place: Path) -> sqlite3.Connection:
    """A connection that reads the database alone: no file beside it is read, none is written, nothing is locked.

    Raises:
        sqlite3.Error: if it cannot be opened.
    """
    return sqlite3.connect(f"{place.as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)


def is_locked(place: Path) -> bool:
    """Whether another program is writing the database. It is only read, and a rollback that is due is left undone."""
    try:
        file = sqlite3.connect(f"{place.as_uri()}?mode=ro", uri=True, isolation_level=None, timeout=0.2)
    except sqlite3.Error:
        return False
    try:
        file.execute("SELECT 1 FROM sqlite_schema").fetchone()
    except FAULTS as fault:
        return is_busy(fault)
    finally:
        file.close()
    return False


def is_busy(fault: Exception) -> bool:
    """Whether this error says that another program has the file."""
    return primary_code(fault) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_broken(fault: Exception) -> bool:
    """Whether this error says that the file itself is damaged or no database, and trying again cannot help."""
    return isinstance(fault, UnicodeDecodeError) or primary_code(fault) in (
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    )


def words_of(fault: Exception) -> str:
    """What an error says, as part of a sentence."""
    return "its text is not UTF-8" if isinstance(fault, UnicodeDecodeError) else str(fault)


def why_not(fault: Exception) -> str:
    """Why a database cannot be used, and the way out, as part of a sentence."""
    if is_busy(fault):
        return "another program has it open: close it there"
    code = primary_code(fault)
    if code == sqlite3.SQLITE_FULL:
        return "the disk is full: make room"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return "it may not be written to: choose a folder of your own"
    return words_of(fault)


def primary_code(fault: Exception) -> int:
    """SQLite's number for an error without its extension: https://www.sqlite.org/rescode.html."""
    return getattr(fault, "sqlite_errorcode", 0) & 0xFF


def one_line(sql: str) -> str:
    """A statement as the schema keeps it, without its layout."""
    return " ".join(sql.split()).removesuffix(";")


def _ends(path: Path, count: int, what: str) -> tuple[bytes, bytes]:
    """The first and the last so many bytes of a file, fewer where it is shorter."""
    try:
        with open_regular(path, str(path)) as file:
            first = file.read(count)
            file.seek(max(0, os.fstat(file.fileno()).st_size - count))
            return first, file.read(count)
    except OSError as fault:
        raise UserError(f"{path}, beside {what}, cannot be read: {fault.strerror or fault}") from fault
