"""Where each thread stood when the program died by a signal: a file that the next start reads."""

from __future__ import annotations

import faulthandler
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_MOST_CHARACTERS = 8000
"""Of a bug report; the threads of one crash take a quarter of that."""


def crash_file(log: Path) -> Path:
    """The file for crashes beside the log."""
    return log.with_name(f"{log.stem}-crash.log")


def last_crash(file: Path) -> str:
    """What the previous run wrote as it died; empty where it ended well or nothing can be read."""
    try:
        return file.read_text("utf-8", errors="replace")[-_MOST_CHARACTERS:].strip()
    except OSError:
        return ""


@contextmanager
def crashes_kept(file: Path) -> Iterator[None]:
    """Write the threads' positions to the file if the program dies by a signal before the block ends.

    A run that ends well leaves the file empty. A fault handler that is on already stays as it is, as with
    `python -X faulthandler`, and a disk that cannot be written to is no reason not to play.
    """
    if faulthandler.is_enabled():
        yield
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        kept = file.open("w", encoding="utf-8")
    except OSError:
        yield
        return
    with kept:
        faulthandler.enable(kept)
        try:
            yield
        finally:
            faulthandler.disable()
