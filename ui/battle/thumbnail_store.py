"""Small pictures of a battle's moments, in a file beside it; the battle does not depend on them."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np

from calibration.opencv import cv2
from rules.battle.battle import Battle
from rules.battle.database import FAULTS, beside, is_broken, one_line, refuse_unsafe_companions, why_not
from rules.tabletop.errors import UserError
from rules.tabletop.regular_file import refuse_special
from ui.files import set_aside
from vision.frame import ImageBgr

MOST_BYTES = 20_000
"""Of one picture: an evening of 500 moments stays under 10 MB."""

APPLICATION_ID, SCHEMA = 0x53616E70, 1
"""Mark the file as ours ("Sanp")."""

_MOST_FILE_BYTES = 2**28
"""Of the album: more pictures than a battle has entries."""

_QUALITIES = (80, 65, 50, 38)
_SMALLER = 0.75
_JPEG = b"\xff\xd8"
_TABLES = (
    "CREATE TABLE battle (born TEXT NOT NULL) STRICT",
    "CREATE TABLE picture (seq INTEGER PRIMARY KEY, jpeg BLOB NOT NULL) STRICT",
)


def small_jpeg(image_bgr: ImageBgr) -> bytes:
    """The picture as a JPEG of `MOST_BYTES` at most: coarser first, then smaller."""
    while True:
        for quality in _QUALITIES:
            _, data = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
            if data.size <= MOST_BYTES:
                return data.tobytes()
        smaller = cv2.resize(image_bgr, None, fx=_SMALLER, fy=_SMALLER, interpolation=cv2.INTER_AREA)
        image_bgr = np.asarray(smaller, np.uint8)


def album_path(battle: Path) -> Path:
    """The file of the pictures of the battle in that file."""
    return battle.with_name(f"{battle.name}.pictures")


class Album:
    """The pictures of one battle; any thread may use it.

    A battle without pictures has no such file. One that is damaged, or of another battle, is set aside under another
    name. One that cannot be opened now, as one that another program is using, stays where it is and is not used.

    Attributes:
        path: Of the file.
        remark: What is wrong with it, as a sentence; empty where all is well.
    """

    def __init__(self, battle: Battle) -> None:
        self.path, self.remark = album_path(battle.path), ""
        first = battle.entries[0]
        self._born = hashlib.sha256(repr((first.time_s, sorted(first.body.items()))).encode()).hexdigest()
        self._lock = threading.Lock()
        self._file: sqlite3.Connection | None = None
        self._seqs: frozenset[int] | None = None

    @property
    def seqs(self) -> frozenset[int]:
        """Numbers of the entries that have a picture."""
        with self._lock:
            if self._seqs is None:
                rows = self._rows("SELECT seq FROM picture")
                found = frozenset(seq for (seq,) in rows if isinstance(seq, int))
                if self._file is None:
                    return found  # it may be opened later
                self._seqs = found
            return self._seqs

    def picture(self, seq: int) -> bytes | None:
        """The JPEG of an entry; None where there is none."""
        with self._lock:
            rows = self._rows("SELECT jpeg FROM picture WHERE seq = ? AND length(jpeg) <= ?", seq, MOST_BYTES)
        return next((data for (data,) in rows if isinstance(data, bytes) and data.startswith(_JPEG)), None)

    def put(self, seq: int, jpeg: bytes) -> None:
        """Keep the picture of an entry; a newer one of the same takes its place.

        Raises:
            UserError: if the disk is full or the folder is not to be written in.
        """
        with self._lock:
            try:
                file = self._opened(make=True)
                if file is not None:
                    # No picture makes the disk wait, which the journal needs; with the power the newest few are lost.
                    file.execute("PRAGMA journal_mode = WAL")
                    file.execute("INSERT OR REPLACE INTO picture VALUES (?, ?)", (seq, jpeg))
                    self._seqs = None
            except FAULTS as fault:
                raise UserError(
                    f"the pictures of this battle cannot be kept in {self.path} ({why_not(fault)}); the battle itself"
                    " goes on"
                ) from fault

    def close(self) -> None:
        """Let go of the file; a second call does nothing."""
        with self._lock:
            if self._file is not None:
                with suppress(sqlite3.Error):  # one file again, that can be read where nothing may be written
                    self._file.execute("PRAGMA journal_mode = DELETE")
                self._file.close()
            self._file = None

    def _rows(self, query: str, *values: int) -> list[tuple[object, ...]]:
        try:
            file = self._opened(make=False)
            return [] if file is None else file.execute(query, values).fetchall()
        except FAULTS as fault:
            self.remark = (
                f"The pictures in {self.path} cannot be read ({why_not(fault)}); the battle does not need them."
            )
        except UserError as refusal:
            self.remark = f"{refusal} (the battle does not need it)"
        return []

    def _opened(self, *, make: bool) -> sqlite3.Connection | None:
        """The connection, if there is a file or one is to be made.

        Raises:
            sqlite3.Error, UnicodeDecodeError: if it cannot be used now.
            UserError: if it must not be opened.
        """
        if self._file is None and os.path.lexists(self.path):
            self._file = self._connected()
            if self._file is None:
                self._set_aside()
        if self._file is None and make:
            self._file = self._connected()
        return self._file

    def _connected(self) -> sqlite3.Connection | None:
        """A connection that can be written through, since only then SQLite mends what a killed program has left.

        Returns:
            None where the file is damaged or of another battle.
        """
        self._refuse_unsafe()
        file = sqlite3.connect(self.path, isolation_level=None, timeout=1.0, check_same_thread=False)
        try:
            file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * MOST_BYTES)
            file.execute("PRAGMA locking_mode = EXCLUSIVE")  # and so there is no index of the log to be tampered with
            file.execute("PRAGMA synchronous = NORMAL")
            if self._is_ours(file):
                return file
        except FAULTS as fault:
            file.close()
            if is_broken(fault):
                return None
            raise
        file.close()
        return None

    def _refuse_unsafe(self) -> None:
        what = f"the album {self.path}"
        if self.path.is_symlink():
            raise UserError(f"{what} is a link, which is not followed: delete it, or put the album itself there")
        if os.path.lexists(self.path):
            try:
                refuse_special(self.path, what)
            except OSError as fault:
                raise UserError(f"{what} cannot be used: {fault.strerror}") from fault
        refuse_unsafe_companions(self.path, what)
        if sum(path.stat().st_size for path in (self.path, *beside(self.path)) if path.exists()) > _MOST_FILE_BYTES:
            raise UserError(f"{what} is larger than {_MOST_FILE_BYTES // 2**20} MB, which no album is: move it away")

    def _is_ours(self, file: sqlite3.Connection) -> bool:
        """Whether it holds pictures of this battle; an empty file is made to."""
        marks = [file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
        schema = {one_line(sql or "") for (sql,) in file.execute("SELECT sql FROM sqlite_schema LIMIT 9")}
        if marks == [0, 0] and not schema:
            self._begin(file)
            return True
        if marks != [APPLICATION_ID, SCHEMA] or schema != set(_TABLES):
            return False
        return [born for (born,) in file.execute("SELECT born FROM battle LIMIT 2")] == [self._born]

    def _begin(self, file: sqlite3.Connection) -> None:
        file.execute("BEGIN")
        for statement in (*_TABLES, f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {SCHEMA}"):
            file.execute(statement)
        file.execute("INSERT INTO battle VALUES (?)", (self._born,))
        file.execute("COMMIT")

    def _set_aside(self) -> None:
        companions = beside(self.path)
        try:
            aside = set_aside(self.path, lambda number: Path(f"{self.path}.aside-{number}"))
            for path in companions:  # they are read with the file that they stand beside, and with no other
                os.replace(path, f"{aside}{path.name.removeprefix(self.path.name)}")
        except OSError as error:
            raise UserError(f"the album {self.path} is of another battle, and stays: {error.strerror}") from error
        self.remark = f"The pictures in {self.path} were of another battle or damaged; they are set aside as {aside}."
