"""Records the stack of each thread when a signal kills the program, in a file that the next start reads."""

from __future__ import annotations

import faulthandler
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_MAX_CHARACTERS = 8000
"""The limit for a bug report; one crash takes a quarter of it."""


def crash_file(log: Path) -> Path:
    """The file for crashes beside the log."""
    return log.with_name(f"{log.stem}-crash.log")


def last_crash(file: Path) -> str:
    """What the previous run wrote when it crashed; empty if it did not, or the file cannot be read."""
    try:
        return file.read_text("utf-8", errors="replace")[-_MAX_CHARACTERS:].strip()
    except OSError:
        return ""


@contextmanager
def crashes_kept(file: Path) -> Iterator[None]:
    """Write the threads' stacks to the file if a signal kills the program before the block ends.

    Without a crash the file stays empty. A fault handler that is already on, as with `python -X faulthandler`, is kept.
    Errors of the disk are ignored.
    """
    if faulthandler.is_enabled():
        yield
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        stream = file.open("w", encoding="utf-8")
    except OSError:
        yield
        return
    with stream:
        faulthandler.enable(stream)
        try:
            yield
        finally:
            faulthandler.disable()
