"""A disk that is full, as SQLite reports it."""

from __future__ import annotations

import sqlite3


def fill(file: sqlite3.Connection) -> None:
    """Leave no room for another page in this database."""
    [(pages,)] = file.execute("PRAGMA page_count").fetchall()
    file.execute(f"PRAGMA max_page_count = {pages}")


def make_room(file: sqlite3.Connection) -> None:
    file.execute("PRAGMA max_page_count = 100000")
