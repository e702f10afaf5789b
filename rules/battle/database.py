"""SQLite files from untrusted sources: the checks before SQLite opens one, and how to open it.

SQLite trusts the files beside a database. It plays back a rollback journal (`-journal`), and if that names a
super-journal it deletes that file afterwards, whatever it is: https://www.sqlite.org/atomiccommit.html, section 5. It
reads a write-ahead log (`-wal`) in place of the database, even if the database was never written with one.
"""

from __future__ import annotations

import os
import sqlite3
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from rules.tabletop.errors import UserError, user_error
from rules.tabletop.regular_file import open_regular, refuse_special

Row = tuple[int, float, str, int, str]
"""An entry as stored in the file: seq, time_s, kind, version and the JSON text of its body."""

START = sha256(b"sandtable journal").digest()
"""The previous checksum of the first entry."""


def next_checksum(before: bytes, row: Row) -> bytes:
    """The checksum of an entry (SHA-256, 32 bytes).

    The hashed bytes are, in this order: the previous checksum; seq, time_s, version and the lengths of kind and body in
    bytes, each in 8 bytes, big-endian (time_s as an IEEE double, the others as integers); kind; body.

    Args:
        before: The checksum of the previous entry, or `START`.
        row: The entry.
    """
    seq, time_s, kind, version, body = row
    kind_bytes, body_bytes = kind.encode(), body.encode()
    numbers = struct.pack(">qdqqq", seq, time_s, version, len(kind_bytes), len(body_bytes))
    return sha256(b"".join((before, numbers, kind_bytes, body_bytes))).digest()


FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""What Python's sqlite3 raises; the second if SQLite's own message quotes bytes of the file that are not UTF-8."""

MAGIC = b"SQLite format 3\0"
JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
"""First bytes of a rollback journal, and last bytes of the super-journal record at the end of the file."""

JOURNAL, LOG, LOG_INDEX = "-journal", "-wal", "-shm"
_BESIDE = (JOURNAL, LOG, LOG_INDEX)

_VERSION_AT, _APPLICATION_AT, HEADER_BYTES = 60, 68, 100
"""https://www.sqlite.org/fileformat2.html, section 1.3."""


def resolved_path(path: Path, what: str) -> Path:
    """The database's path with links resolved: SQLite follows links and looks there for the files beside it.

    Raises:
        UserError: if it is a broken link, a pipe or a device, or cannot be reached.
    """
    with _reading(what):
        try:
            place = Path(os.path.realpath(path))
            if os.path.lexists(path):
                refuse_special(path, what)
        except FileNotFoundError as fault:
            raise user_error(
                "{what} is a link to a missing file: choose another file or another name", what=what
            ) from fault
    return place


@contextmanager
def _reading(what: str) -> Iterator[None]:
    try:
        yield
    except UserError:
        raise
    except (OSError, ValueError) as fault:
        raise user_error(
            "{what} cannot be read: {reason}", what=what, reason=getattr(fault, "strerror", None) or fault
        ) from fault


def beside(place: Path, kinds: Iterable[str] = _BESIDE) -> tuple[Path, ...]:
    """The existing files beside a database with these suffixes."""
    return tuple(path for path in (Path(f"{place}{kind}") for kind in kinds) if os.path.lexists(path))


def refuse_unsafe_companions(place: Path, what: str, unused: Iterable[str] = ()) -> None:
    """Refuse a database if SQLite would change the database or delete other files because of the files beside it.

    Args:
        place: The database, see `resolved_path`.
        what: Its name in messages, such as "the battle evening.battle".
        unused: Suffixes of files that this program never writes beside it.

    Raises:
        UserError: if an unused file exists; if a file beside it is a link, a pipe, a device or not a journal; or if the
            journal names a super-journal.
    """
    for path in beside(place):
        if path.is_symlink() or not path.is_file():
            raise user_error(
                "{path}, beside {what}, is not a regular file: delete it, then try again", path=path, what=what
            )
    for path in beside(place, unused):
        raise user_error(
            "{path}, beside {what}, was not written by this program and would change it: move it to another folder",
            path=path,
            what=what,
        )
    for path in beside(place, [JOURNAL]):
        first, last = _ends(path, len(JOURNAL_MAGIC), what)
        if first.strip(b"\0") and first != JOURNAL_MAGIC:
            raise user_error(
                "{path}, beside {what}, is not an SQLite journal: move it to another folder", path=path, what=what
            )
        if last == JOURNAL_MAGIC:
            raise user_error(
                "{path}, beside {what}, would make SQLite delete another file; this program did not"
                " write it: move {name} to another folder",
                path=path,
                what=what,
                name=path.name,
            )


def is_rollback_due(place: Path) -> bool:
    """Whether a rollback journal beside the database must be played back: its writer was stopped or is still writing.

    SQLite decides it the same way: the journal of a finished transaction is empty or begins with zeros.
    """
    try:
        with Path(f"{place}{JOURNAL}").open("rb") as file:
            return file.read(1) not in (b"", b"\0")
    except FileNotFoundError:
        return False


def header(place: Path, what: str) -> bytes:
    """The first `HEADER_BYTES` of a file, fewer if it is shorter.

    Raises:
        UserError: if it cannot be read.
    """
    with _reading(what), open_regular(place, what) as file:
        return file.read(HEADER_BYTES)


def is_marked(header_bytes: bytes, application_id: int) -> bool:
    """Whether the header belongs to an SQLite file with this application id."""
    found_id = int.from_bytes(header_bytes[_APPLICATION_AT : _APPLICATION_AT + 4], "big")
    return header_bytes.startswith(MAGIC) and len(header_bytes) == HEADER_BYTES and found_id == application_id


def user_version(header_bytes: bytes) -> int:
    """SQLite's `user_version` from a complete header."""
    return int.from_bytes(header_bytes[_VERSION_AT : _VERSION_AT + 4], "big")


def connect_untouched(place: Path) -> sqlite3.Connection:
    """A read-only connection to the database file alone: it reads no file beside it, writes nothing and locks nothing.

    Raises:
        sqlite3.Error: if it cannot be opened.
    """
    return sqlite3.connect(f"{place.as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)


def is_locked(place: Path) -> bool:
    """Whether another program is writing the database. The check only reads, and plays back no journal."""
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
    """Whether this error means that another program has locked the file."""
    return primary_code(fault) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_broken(fault: Exception) -> bool:
    """Whether this error means that the file is damaged or not a database, so that trying again cannot help."""
    return isinstance(fault, UnicodeDecodeError) or primary_code(fault) in (
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    )


def error_words(fault: Exception) -> str:
    """The message of an error as part of a sentence."""
    return "its text is not UTF-8" if isinstance(fault, UnicodeDecodeError) else str(fault)


def why_not(fault: Exception) -> str:
    """Why a database cannot be used and what to do, as part of a sentence."""
    if is_busy(fault):
        return "another program has it open: close it there"
    code = primary_code(fault)
    if code == sqlite3.SQLITE_FULL:
        return "the disk is full: make room"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return "it cannot be written: choose a folder where you may write"
    return error_words(fault)


def primary_code(fault: Exception) -> int:
    """SQLite's primary result code of an error: https://www.sqlite.org/rescode.html."""
    return getattr(fault, "sqlite_errorcode", 0) & 0xFF


def one_line(sql: str) -> str:
    """A statement as the schema stores it, with its white space collapsed."""
    return " ".join(sql.split()).removesuffix(";")


def _ends(path: Path, count: int, what: str) -> tuple[bytes, bytes]:
    """The first and the last `count` bytes of a file, fewer if it is shorter."""
    try:
        with open_regular(path, str(path)) as file:
            first = file.read(count)
            file.seek(max(0, os.fstat(file.fileno()).st_size - count))
            return first, file.read(count)
    except OSError as fault:
        raise user_error(
            "{path}, beside {what}, cannot be read: {reason}", path=path, what=what, reason=fault.strerror or fault
        ) from fault
