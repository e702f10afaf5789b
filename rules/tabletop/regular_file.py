"""Opening of files only if they are regular files, because reading a pipe or a device may never end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from rules.tabletop.errors import user_error
from rules.tabletop.translation import mark_for_translation, tr

_KINDS = {
    stat.S_IFIFO: mark_for_translation("a pipe"),
    stat.S_IFSOCK: mark_for_translation("a socket"),
    stat.S_IFCHR: mark_for_translation("a device"),
    stat.S_IFBLK: mark_for_translation("a device"),
}


def open_regular(path: Path, what: str) -> BinaryIO:
    """Open a file for reading bytes; the call never blocks, unlike opening a pipe without a writer.

    Args:
        path: The file; links are followed.
        what: Its name in messages, such as "the lens file lens.json".

    Raises:
        UserError: if it is a pipe, a socket or a device.
        OSError: if it cannot be opened, or is a folder.
        ValueError: if no file can have this name.
    """
    refuse_special(path, what)
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    file = os.fdopen(handle, "rb")
    try:
        _refuse_kind(os.fstat(handle).st_mode, path, what)  # the file may have been replaced since the first check
    except BaseException:
        file.close()
        raise
    return file


def refuse_special(path: Path, what: str) -> None:
    """Refuse a pipe, a socket or a device without opening it: opening alone may block, or reset a board.

    Args:
        path: The file; links are followed.
        what: Its name in messages.

    Raises:
        UserError: if it is a pipe, a socket or a device.
        OSError: if there is no such file, or it is a folder.
        ValueError: if no file can have this name.
    """
    _refuse_kind(path.stat().st_mode, path, what)


def is_special(path: Path) -> bool:
    """Whether this path is a pipe, a socket or a device."""
    try:
        return stat.S_IFMT(path.stat().st_mode) in _KINDS
    except (OSError, ValueError):
        return False


def _refuse_kind(mode: int, path: Path, what: str) -> None:
    kind = stat.S_IFMT(mode)
    if kind == stat.S_IFDIR:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if kind in _KINDS:
        raise user_error(
            "{what} is {kind}, not a file: save its contents in a file and choose that file",
            what=what,
            kind=tr(_KINDS[kind]),
        )
