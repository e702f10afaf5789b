"""Reads terrain files and writes JSON, pictures and other files, each completely or not at all."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from calibration.opencv import cv2
from calibration.profile import read_json
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.regular_file import is_special
from rules.tabletop.table import FARTHEST_IN, MAX_PIECES, TerrainKind, TerrainPiece
from ui.translation import mark_for_translation, tr
from vision.frame import ImageBgr

_PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")


def read_terrain(path: Path) -> tuple[TerrainPiece, ...]:
    """Read the terrain pieces of a file.

    Raises:
        UserError: if it is not a terrain file, has more than `MAX_PIECES`, or one of them is invalid.
    """
    document = read_json(path, tr("terrain"))
    pieces = document.get("pieces")
    if not isinstance(pieces, list):
        raise user_error('the terrain file {path} needs a list "pieces"', path=path)
    if len(pieces) > MAX_PIECES:
        raise user_error(
            "the terrain file {path} has {count:,} pieces, more than {most}: remove some",
            path=path,
            count=len(pieces),
            most=MAX_PIECES,
        )
    return tuple(
        _piece(piece, tr("piece {number} of {path}", number=number, path=path))
        for number, piece in enumerate(pieces, 1)
    )


def _piece(piece: Any, where: str) -> TerrainPiece:
    if not isinstance(piece, dict):
        raise user_error("{where} must be an object with name, kind, outline_in, base_in and height_in", where=where)
    kind = piece.get("kind", "other")
    if kind not in [k.value for k in TerrainKind]:
        raise user_error(
            "{where} has the unknown kind {kind!r}; use one of {kinds}",
            where=where,
            kind=kind,
            kinds=", ".join(TerrainKind),
        )
    try:
        outline = tuple((float(x), float(y)) for x, y in piece["outline_in"])
        base_in, height_in = float(piece.get("base_in", 0.0)), float(piece.get("height_in", 0.0))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise user_error(
            "{where} needs outline_in [[x, y], ...], base_in and height_in as numbers: {reason}",
            where=where,
            reason=error,
        ) from error
    if max(map(abs, chain((base_in, height_in), *outline))) > FARTHEST_IN:
        raise user_error(
            "{where} reaches beyond {farthest:g} in: give its places in inches from the table's origin",
            where=where,
            farthest=FARTHEST_IN,
        )
    return TerrainPiece(str(piece.get("name", kind)), TerrainKind(kind), outline, base_in, height_in)


def write_json(path: Path, document: Any) -> None:
    """Write a JSON document; NaN in it raises ValueError. Raises `UserError` like `write_bytes`."""
    write_bytes(path, (json.dumps(document, indent=1, allow_nan=False) + "\n").encode())


def write_picture(path: Path, image_bgr: ImageBgr) -> None:
    """Write a picture in the format of its file name's ending.

    Raises:
        UserError: for an unknown ending; see also `write_bytes`.
    """
    write_bytes(path, picture_bytes(path, image_bgr))


def picture_bytes(path: Path, image_bgr: ImageBgr) -> bytes:
    """The picture encoded in the format of the path's ending. Raises `UserError` for an unknown ending."""
    check_picture_name(path)
    done, data = cv2.imencode(path.suffix, image_bgr)
    if not done:
        raise user_error(
            "the picture {path} cannot be written as {ending}: use .png or .jpg", path=path, ending=path.suffix
        )
    return data.tobytes()


def check_picture_name(path: Path) -> None:
    """Check that the file name has the ending of a known picture format. Raises `UserError` if it has not."""
    if path.suffix.lower() not in _PICTURES:
        endings = ", ".join(_PICTURES)
        raise user_error("the picture {path} needs a name ending in {endings}", path=path, endings=endings)


def check_writable(path: Path) -> None:
    """Check that a file can be written, before there is work to lose.

    Raises:
        UserError: if it is a folder, or its parent folder is missing or not writable.
    """
    if os.path.isdir(path):
        raise _not_written(path, errno.EISDIR)
    if not os.path.exists(path) and not os.path.isdir(path.parent):
        raise _not_written(path, errno.ENOENT)
    if not os.access(path if is_special(path) else Path(os.path.realpath(path)).parent, os.W_OK):
        raise _not_written(path, errno.EACCES)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file as `replaced` does; a pipe or a device (`/dev/stdout`) is written to directly.

    Raises:
        UserError: as `replaced`; also if no program reads from the pipe.
    """
    if is_special(path):
        try:
            _write_into(path, data)
        except OSError as error:
            raise _not_written(path, error.errno or 0, error.strerror or str(error)) from error
        return
    with replaced(path) as temporary:
        temporary.write_bytes(data)


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """A temporary file that takes the place of the old one at the end, so that a full disk leaves the old one whole.

    A link is followed and kept. Whatever ends the block early removes the temporary file.

    Raises:
        UserError: if the folder is missing, not writable or full.
    """
    temporary = None
    try:
        target = Path(os.path.realpath(path))
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".sandtable.", suffix=path.suffix)
        os.close(handle)
        temporary = Path(name)
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        os.replace(temporary, target)
    except UserError:  # of the block
        raise
    except OSError as error:
        raise _not_written(path, error.errno or 0, error.strerror or str(error)) from error
    except ValueError as error:  # a null character in the name
        raise _not_written(path, errno.EINVAL, str(error)) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def data_folder(name: str) -> Path:
    """A folder of this user's data, such as "battles"; it need not exist yet."""
    return user_data_path("sandtable", appauthor=False) / name


def make_folder(folder: Path) -> None:
    """Create a folder and its parents if they are missing. Raises `UserError` if it cannot be created."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason, advice = error.strerror or error, _advice(error.errno or 0)
        raise user_error(
            "the folder {folder} cannot be created ({reason}: {advice})",
            folder=folder,
            reason=reason,
            advice=advice,
        ) from error


def set_aside(path: Path, as_number: Callable[[int], Path]) -> Path:
    """Move a file to the first free path that `as_number` gives for 1, 2, ... and return that path.

    Raises:
        OSError: if it cannot be moved.
    """
    aside = next(place for place in map(as_number, range(1, 10_000)) if not os.path.exists(place))
    os.replace(path, aside)
    return aside


def _write_into(path: Path, data: bytes) -> None:
    """Write to a pipe or a device; without blocking, so that a pipe without a reader fails at once."""
    non_blocking = getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, os.O_WRONLY | non_blocking)
    if non_blocking:
        os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as file:
        file.write(data)


_REASONS = {
    errno.EISDIR: mark_for_translation("it is a folder"),
    errno.ENOENT: mark_for_translation("there is no such folder"),
    errno.EACCES: mark_for_translation("you may not write in its folder"),
    errno.EPERM: mark_for_translation("you may not write in its folder"),
    errno.EROFS: mark_for_translation("its folder is read-only"),
    errno.ENOSPC: mark_for_translation("the disk is full"),
    errno.ENXIO: mark_for_translation("no program reads from this pipe"),
}
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def _not_written(path: Path, number: int, description: str = "") -> UserError:
    reason = tr(_REASONS[number]) if number in _REASONS else description
    return UserError(
        tr("{path} cannot be written ({reason}): {advice}", path=path, reason=reason, advice=_advice(number))
    )


def _advice(number: int) -> str:
    """What to do about a system error, by its errno."""
    if number in _DISK_FULL:
        return tr("free some space, or choose another disk")
    return tr("choose another folder or name")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
