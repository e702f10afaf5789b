"""Files the faces read and write: terrain, pictures, text. Whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

from calibration.opencv import cv2
from calibration.profile import FARTHEST_IN, read_json
from rules.tabletop.errors import UserError
from rules.tabletop.regular_file import is_special
from rules.tabletop.table import TerrainKind, TerrainPiece
from vision.frame import ImageBgr

MOST_PIECES = 500
"""Of terrain in one file; a crowded table has 40."""

_PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")


def read_terrain(path: Path) -> tuple[TerrainPiece, ...]:
    """Terrain pieces from a file.

    Raises:
        UserError: if the file is not one, has more than `MOST_PIECES`, or a piece cannot be.
    """
    document = read_json(path, "terrain")
    pieces = document.get("pieces")
    if not isinstance(pieces, list):
        raise UserError(f'the terrain file {path} needs a list "pieces"')
    if len(pieces) > MOST_PIECES:
        raise UserError(f"the terrain file {path} has {len(pieces):,} pieces, more than {MOST_PIECES}: take some out")
    return tuple(_piece(piece, f"piece {number} of {path}") for number, piece in enumerate(pieces, 1))


def _piece(piece: Any, where: str) -> TerrainPiece:
    if not isinstance(piece, dict):
        raise UserError(f"{where} must be an object with name, kind, outline_in, base_in and height_in")
    kind = piece.get("kind", "other")
    if kind not in [k.value for k in TerrainKind]:
        raise UserError(f"{where} has the unknown kind {kind!r}; use one of {', '.join(TerrainKind)}")
    try:
        outline = tuple((float(x), float(y)) for x, y in piece["outline_in"])
        base_in, height_in = float(piece.get("base_in", 0.0)), float(piece.get("height_in", 0.0))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise UserError(f"{where} needs outline_in [[x, y], ...], base_in and height_in as numbers: {error}") from error
    if max(map(abs, chain((base_in, height_in), *outline))) > FARTHEST_IN:
        raise UserError(f"{where} reaches beyond {FARTHEST_IN:g} in: give its places in inches from the table's origin")
    return TerrainPiece(str(piece.get("name", kind)), TerrainKind(kind), outline, base_in, height_in)


def write_json(path: Path, document: Any) -> None:
    """Write a JSON document; numbers stay as they are, NaN is a fault.

    Raises:
        UserError: see `write_bytes`.
    """
    write_bytes(path, (json.dumps(document, indent=1, allow_nan=False) + "\n").encode())


def write_picture(path: Path, image_bgr: ImageBgr) -> None:
    """Write a picture in the format that its name ends with.

    Raises:
        UserError: for an unknown ending; see also `write_bytes`.
    """
    write_bytes(path, picture_bytes(path, image_bgr))


def picture_bytes(path: Path, image_bgr: ImageBgr) -> bytes:
    """What is to be written to `path` for a picture.

    Raises:
        UserError: for an unknown ending.
    """
    refuse_unpicturable(path)
    done, data = cv2.imencode(path.suffix, image_bgr)
    if not done:
        raise UserError(f"the picture {path} cannot be written as {path.suffix}: use .png or .jpg")
    return data.tobytes()


def refuse_unpicturable(path: Path) -> None:
    """Refuse a name whose ending is of no kind of picture.

    Raises:
        UserError: for such a name.
    """
    if path.suffix.lower() not in _PICTURES:
        raise UserError(f"the picture {path} needs a name ending in {', '.join(_PICTURES)}")


def refuse_unwritable(path: Path) -> None:
    """Refuse a file that could not be written, before there is work to lose.

    Raises:
        UserError: if it is a folder, or its own folder is missing or not writable.
    """
    if os.path.isdir(path):
        raise _not_written(path, errno.EISDIR)
    if not os.path.exists(path) and not os.path.isdir(path.parent):
        raise _not_written(path, errno.ENOENT)
    if not os.access(path if is_special(path) else Path(os.path.realpath(path)).parent, os.W_OK):
        raise _not_written(path, errno.EACCES)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file beside its place and move it there, so that a full disk leaves the old one whole.

    Where a link leads is written to, and the link stays; a pipe or a device (`/dev/stdout`) is written into.

    Raises:
        UserError: if the folder is missing, not writable or full, or nothing reads from the pipe.
    """
    beside = None
    try:
        if is_special(path):
            _write_into(path, data)
            return
        place = Path(os.path.realpath(path))
        handle, beside = tempfile.mkstemp(dir=place.parent, prefix=".sandtable.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(beside).chmod(0o666 & ~_umask())
        os.replace(beside, place)
    except OSError as error:
        if beside:
            Path(beside).unlink(missing_ok=True)
        raise _not_written(path, error.errno or 0, error.strerror or str(error)) from error


def make_folder(folder: Path) -> None:
    """Make a folder, with those it lies in, unless it is there.

    Raises:
        UserError: if it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = f"{error.strerror or error}: {_way_out(error.errno or 0)}"
        raise UserError(f"the folder {folder} cannot be made ({why})") from error


def set_aside(path: Path, as_number: Callable[[int], Path]) -> Path:
    """Move a file to the first of these places that is free, where nothing is lost of it; where that is.

    Raises:
        OSError: if it cannot be moved.
    """
    aside = next(place for place in map(as_number, range(1, 10_000)) if not os.path.exists(place))
    os.replace(path, aside)
    return aside


def _write_into(path: Path, data: bytes) -> None:
    """Write into a pipe or a device; opened this way, a pipe that nothing reads from fails instead of waiting."""
    not_waiting = getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, os.O_WRONLY | not_waiting)
    if not_waiting:
        os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as file:
        file.write(data)


_REASONS = {
    errno.EISDIR: "it is a folder",
    errno.ENOENT: "there is no such folder",
    errno.EACCES: "its folder may not be written in",
    errno.EPERM: "its folder may not be written in",
    errno.EROFS: "its folder may only be read",
    errno.ENOSPC: "the disk is full",
    errno.ENXIO: "no program reads from this pipe",
}
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def _not_written(path: Path, number: int, words: str = "") -> UserError:
    why = _REASONS.get(number, words)
    return UserError(f"{path} cannot be written ({why}): {_way_out(number)}")


def _way_out(number: int) -> str:
    """What helps against an error of the system, by its number."""
    return "make room, or choose another disk" if number in _NO_ROOM else "choose another folder or name"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
