"""Small pictures of a battle's moments, in a file beside it: what becomes of them is nothing to the battle."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np

from calibration.opencv import cv2
from rules.battle import Battle
from rules.table import Refused
from ui.files import set_aside
from vision.frame import ImageBgr

MOST_BYTES = 20_000
"""Of one picture: an evening of 500 moments stays under 10 MB."""

APPLICATION_ID, SCHEMA = 0x53616E70, 1
"""Mark the file as ours ("Sanp")."""

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

    A battle without pictures has no such file. One that is damaged, or of another battle, is set aside by its name.

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
                self._seqs = frozenset(seq for (seq,) in rows if isinstance(seq, int))
            return self._seqs

    def picture(self, seq: int) -> bytes | None:
        """The JPEG of an entry; None where there is none."""
        with self._lock:
            rows = self._rows("SELECT jpeg FROM picture WHERE seq = ? AND length(jpeg) <= ?", seq, MOST_BYTES)
        return next((data for (data,) in rows if isinstance(data, bytes) and data.startswith(_JPEG)), None)

    def put(self, seq: int, jpeg: bytes) -> None:
        """Keep the picture of an entry; a newer one of the same takes its place.

        Raises:
            Refused: if the disk is full or the folder is not to be written in.
        """
        with self._lock:
            try:
                file = self._opened(make=True)
                if file is not None:
                    # No picture makes the disk wait, which the journal needs; with the power the newest few are lost.
                    file.execute("PRAGMA journal_mode = WAL")
                    file.execute("INSERT OR REPLACE INTO picture VALUES (?, ?)", (seq, jpeg))
                    self._seqs = None
            except sqlite3.Error as fault:
                raise Refused(
                    f"the pictures of this battle cannot be kept in {self.path} ({fault}): make room; the battle itself"
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
        except sqlite3.Error as fault:
            self.remark = f"the pictures in {self.path} cannot be read ({fault}): the battle itself is whole"
            return []

    def _opened(self, *, make: bool) -> sqlite3.Connection | None:
        if self._file is None and os.path.exists(self.path) and not self._is_ours():
            self._set_aside()
        if self._file is None and (make or os.path.exists(self.path)):
            fresh = not os.path.exists(self.path)
            self._file = sqlite3.connect(self.path, isolation_level=None, timeout=1.0, check_same_thread=False)
            self._file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * MOST_BYTES)
            self._file.execute("PRAGMA synchronous = NORMAL")
            if fresh:
                self._begin(self._file)
        return self._file

    def _begin(self, file: sqlite3.Connection) -> None:
        file.execute("BEGIN")
        for statement in (*_TABLES, f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {SCHEMA}"):
            file.execute(statement)
        file.execute("INSERT INTO battle VALUES (?)", (self._born,))
        file.execute("COMMIT")

    def _is_ours(self) -> bool:
        try:
            file = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True, timeout=1.0)
        except sqlite3.Error:
            return False
        try:
            marks = [file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
            schema = {sql for (sql,) in file.execute("SELECT sql FROM sqlite_schema")}
            if marks != [APPLICATION_ID, SCHEMA] or schema != set(_TABLES):
                return False
            return [born for (born,) in file.execute("SELECT born FROM battle LIMIT 2")] == [self._born]
        except (sqlite3.Error, UnicodeDecodeError):
            return False
        finally:
            file.close()

    def _set_aside(self) -> None:
        try:
            aside = set_aside(self.path, lambda number: Path(f"{self.path}.aside-{number}"))
        except OSError as error:
            raise sqlite3.OperationalError(f"it is of another battle, and stays: {error.strerror}") from error
        self.remark = f"The pictures in {self.path} were of another battle or damaged; they are set aside as {aside}."
