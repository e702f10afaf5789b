"""Files the faces read and write: terrain, pictures, text. Whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from calibration.opencv import cv2
from calibration.profile import read_json
from rules.table import Refused, TerrainKind, TerrainPiece
from vision.frame import ImageBgr

_PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")


def read_terrain(path: Path) -> tuple[TerrainPiece, ...]:
    """Terrain pieces from a file.

    Raises:
        Refused: if the file is not one, or a piece cannot be.
    """
    document = read_json(path, "terrain")
    pieces = document.get("pieces")
    if not isinstance(pieces, list):
        raise Refused(f'the terrain file {path} needs a list "pieces"')
    return tuple(_piece(piece, f"piece {number} of {path}") for number, piece in enumerate(pieces, 1))


def _piece(piece: Any, where: str) -> TerrainPiece:
    if not isinstance(piece, dict):
        raise Refused(f"{where} must be an object with name, kind, outline_in, base_in and height_in")
    kind = piece.get("kind", "other")
    if kind not in {k.value for k in TerrainKind}:
        raise Refused(f"{where} has the unknown kind {kind!r}; use one of {', '.join(TerrainKind)}")
    try:
        outline = tuple((float(x), float(y)) for x, y in piece["outline_in"])
        base_in, height_in = float(piece.get("base_in", 0.0)), float(piece.get("height_in", 0.0))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise Refused(f"{where} needs outline_in [[x, y], ...], base_in and height_in as numbers: {error}") from error
    return TerrainPiece(str(piece.get("name", kind)), TerrainKind(kind), outline, base_in, height_in)


def write_json(path: Path, document: Any) -> None:
    """Write a JSON document; numbers stay as they are, NaN is a fault.

    Raises:
        Refused: see `write_bytes`.
    """
    write_bytes(path, (json.dumps(document, indent=1, allow_nan=False) + "\n").encode())


def write_picture(path: Path, image_bgr: ImageBgr) -> None:
    """Write a picture in the format that its name ends with.

    Raises:
        Refused: for an unknown ending; see also `write_bytes`.
    """
    if path.suffix.lower() not in _PICTURES:
        raise Refused(f"the picture {path} needs a name ending in {', '.join(_PICTURES)}")
    done, data = cv2.imencode(path.suffix, image_bgr)
    if not done:
        raise Refused(f"the picture {path} cannot be written as {path.suffix}: use .png or .jpg")
    write_bytes(path, data.tobytes())


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file beside its place and move it there, so that a full disk leaves the old one whole.

    Raises:
        Refused: if the folder is missing, not writable or full.
    """
    beside = None
    try:
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(beside).chmod(0o666 & ~_umask())
        os.replace(beside, path)
    except OSError as error:
        if beside:
            Path(beside).unlink(missing_ok=True)
        raise Refused(f"{path} cannot be written: {error.strerror or error}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
