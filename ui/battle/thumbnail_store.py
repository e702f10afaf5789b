"""Thumbnails of a battle's moments, in an SQLite file beside the battle, which does not depend on them."""

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
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.regular_file import refuse_special
from ui.files import set_aside
from ui.translation import tr
from vision.frame import ImageBgr

MOST_BYTES = 20_000
"""Size of one picture; 500 moments then take less than 10 MB."""

APPLICATION_ID, SCHEMA = 0x53616E70, 1
"""Identify the file ("Sanp")."""

_MAX_FILE_BYTES = 2**28
"""Size of the file; more than the pictures of any battle need."""

_QUALITIES = (80, 65, 50, 38)
_SHRINK = 0.75
_JPEG = b"\xff\xd8"
_TABLES = (
    "CREATE TABLE battle (born TEXT NOT NULL) STRICT",
    "CREATE TABLE picture (seq INTEGER PRIMARY KEY, jpeg BLOB NOT NULL) STRICT",
)


def small_jpeg(image_bgr: ImageBgr) -> bytes:
    """The picture as a JPEG of at most `MOST_BYTES`, reducing first its quality, then its size."""
    while True:
        for quality in _QUALITIES:
            _, data = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
            if data.size <= MOST_BYTES:
                return data.tobytes()
        smaller = cv2.resize(image_bgr, None, fx=_SHRINK, fy=_SHRINK, interpolation=cv2.INTER_AREA)
        image_bgr = np.asarray(smaller, np.uint8)


def thumbnail_path(battle: Path) -> Path:
    """The file of a battle's pictures."""
    return battle.with_name(f"{battle.name}.pictures")


class ThumbnailStore:
    """The pictures of one battle; safe for use from any thread.

    The first picture creates the file. A damaged file, or that of another battle, is renamed out of the way. A file
    that cannot be opened now, because another program is using it, stays and is not used.

    Attributes:
        remark: What is wrong with it, as a sentence; empty if nothing is.
    """

    def __init__(self, battle: Battle) -> None:
        self.path, self.remark = thumbnail_path(battle.path), ""
        first = battle.entries[0]
        self._born = hashlib.sha256(repr((first.time_s, sorted(first.body.items()))).encode()).hexdigest()
        self._lock = threading.Lock()
        self._file: sqlite3.Connection | None = None

    @property
    def seqs(self) -> frozenset[int]:
        """Numbers of the entries that have a picture."""
        with self._lock:
            rows = self._rows("SELECT seq FROM picture")
        return frozenset(seq for (seq,) in rows if isinstance(seq, int))

    def picture(self, seq: int) -> bytes | None:
        """The JPEG of an entry, or None."""
        with self._lock:
            rows = self._rows("SELECT jpeg FROM picture WHERE seq = ? AND length(jpeg) <= ?", seq, MOST_BYTES)
        return next((data for (data,) in rows if isinstance(data, bytes) and data.startswith(_JPEG)), None)

    def put(self, seq: int, jpeg: bytes) -> None:
        """Store the picture of an entry, replacing an older one.

        Raises:
            UserError: if the disk is full or the folder is not writable.
        """
        with self._lock:
            try:
                file = self._opened(make=True)
                if file is not None:
                    # Without a disk flush, which is reserved for the journal; a power cut loses the newest few.
                    file.execute("PRAGMA journal_mode = WAL")
                    file.execute("INSERT OR REPLACE INTO picture VALUES (?, ?)", (seq, jpeg))
            except FAULTS as fault:
                raise user_error(
                    "the pictures of this battle cannot be saved in {path} ({reason}); the battle itself is safe",
                    path=self.path,
                    reason=why_not(fault),
                ) from fault

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        with self._lock:
            if self._file is not None:
                with suppress(sqlite3.Error):  # back to one file, which is readable on a read-only disk
                    self._file.execute("PRAGMA journal_mode = DELETE")
                self._file.close()
            self._file = None

    def _rows(self, query: str, *values: int) -> list[tuple[object, ...]]:
        try:
            file = self._opened(make=False)
            return [] if file is None else file.execute(query, values).fetchall()
        except FAULTS as fault:
            self.remark = (
                f"The pictures in {self.path} cannot be read ({why_not(fault)}); the battle works without them."
            )
        except UserError as error:
            self.remark = f"{error} (the battle works without it)"
        return []

    def _opened(self, *, make: bool) -> sqlite3.Connection | None:
        """The connection, if there is a file or `make` asks for one.

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
        """A writable connection, because only then SQLite recovers from a killed program.

        None if the file is damaged or of another battle.
        """
        self._refuse_unsafe()
        file = sqlite3.connect(self.path, isolation_level=None, timeout=1.0, check_same_thread=False)
        try:
            file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * MOST_BYTES)
            file.execute("PRAGMA locking_mode = EXCLUSIVE")  # no shared-memory index that others could tamper with
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
        what = tr("the picture file {path}", path=self.path)
        if self.path.is_symlink():
            raise user_error(
                "{what} is a link, which is not followed: delete it, or put the file itself there", what=what
            )
        if os.path.lexists(self.path):
            try:
                refuse_special(self.path, what)
            except OSError as fault:
                raise user_error("{what} cannot be used: {reason}", what=what, reason=fault.strerror) from fault
        refuse_unsafe_companions(self.path, what)
        if sum(path.stat().st_size for path in (self.path, *beside(self.path)) if path.exists()) > _MAX_FILE_BYTES:
            raise user_error(
                "{what} is larger than {megabytes} MB, so it is damaged: move it away",
                what=what,
                megabytes=_MAX_FILE_BYTES // 2**20,
            )

    def _is_ours(self, file: sqlite3.Connection) -> bool:
        """Whether the file belongs to this battle; an empty file is initialized."""
        header = [file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
        schema = {one_line(sql or "") for (sql,) in file.execute("SELECT sql FROM sqlite_schema LIMIT 9")}
        if header == [0, 0] and not schema:
            self._begin(file)
            return True
        if header != [APPLICATION_ID, SCHEMA] or schema != set(_TABLES):
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
            for path in companions:  # SQLite reads them with the file of the matching name only
                os.replace(path, f"{aside}{path.name.removeprefix(self.path.name)}")
        except OSError as error:
            raise user_error(
                "{path} belongs to another battle but cannot be renamed: {reason}",
                path=self.path,
                reason=error.strerror,
            ) from error
        self.remark = tr(
            "The pictures in {path} belong to another battle or are damaged; they are now in {aside}.",
            path=self.path,
            aside=aside,
        )
