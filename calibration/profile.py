"""Read and write lens profiles and layout files (JSON)."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from calibration.camera import Lens
from calibration.intrinsics import PARAMETER_COUNT
from rules.tabletop.errors import UserError, refuse_unusable_values, user_error
from rules.tabletop.regular_file import open_regular
from rules.tabletop.table import FARTHEST_IN, FloatArray
from rules.tabletop.translation import tr

SCHEMA = 1

_MAX_PX = 100_000  # width and height of a picture
_MAX_VALUE = 1e6  # in a lens profile; the squares of larger numbers overflow
_MAX_CHARACTERS = 10_000_000
"""Limit of a file that is read as a whole: a hundred times the largest sensible file."""


def read_json(path: Path, what: str) -> dict[str, Any]:
    """Read a JSON object with the program's schema number from a file.

    Raises:
        UserError: if the file cannot be read, is not a JSON object, or was written by a newer program.
    """
    where = tr("the {what} file {path}", what=what, path=path)
    document = from_json(read_text(path, where), where)
    if not isinstance(document, dict):
        raise user_error(
            'the {what} file {path} must hold a JSON object with "schema": {expected}',
            what=what,
            path=path,
            expected=SCHEMA,
        )
    schema = document.get("schema", SCHEMA)
    if schema != SCHEMA:
        raise user_error(
            "the {what} file {path} has schema {schema!r}, but this version of Sandtable reads"
            " schema {expected}: update Sandtable",
            what=what,
            path=path,
            schema=schema,
            expected=SCHEMA,
        )
    return document


def read_text(source: Path | TextIO, what: str) -> str:
    """The text of a file or stream, with a size limit, because a stream may be endless; errors name it `what`.

    Raises `UserError` if it cannot be read, is a pipe or a device, is not text, or is too long.
    """
    try:
        if isinstance(source, Path):
            with open_regular(source, what) as raw, io.TextIOWrapper(raw, encoding="utf-8-sig") as file:
                text = file.read(_MAX_CHARACTERS + 1)
        else:
            text = source.read(_MAX_CHARACTERS + 1)
    except OSError as error:
        raise user_error("{what} cannot be read: {reason}", what=what, reason=error.strerror or error) from error
    except UserError:
        raise
    except UnicodeDecodeError as error:
        raise user_error("{what} is not a text file in UTF-8: save it as UTF-8", what=what) from error
    except ValueError as error:  # an invalid file name
        raise user_error("{what} is not a text file: {reason}", what=what, reason=error) from error
    if len(text) > _MAX_CHARACTERS:
        raise user_error(
            "{what} has more than {millions} million characters: choose another file",
            what=what,
            millions=_MAX_CHARACTERS // 1_000_000,
        )
    return text


def from_json(text: str, what: str) -> Any:
    """Parse a JSON document; `what` names it in error messages.

    Raises:
        UserError: if it is not JSON, or an object has a key twice; also see `refuse_unusable_values`.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise user_error(
                "{what} has the key {twice!r} twice in one object: rename or remove one", what=what, twice=twice
            )
        return found

    try:
        document = json.loads(text, object_pairs_hook=once)
    except RecursionError as error:
        raise user_error(
            "{what} is not JSON that can be read, its values are nested too deep: choose another file", what=what
        ) from error
    except ValueError as error:
        raise user_error("{what} is not JSON: {reason}", what=what, reason=error) from error
    refuse_unusable_values(document, what)
    return document


def read_lens(path: Path) -> Lens:
    """Read a lens profile. Raises `UserError` if the file is none."""
    document = read_json(path, tr("lens"))
    try:
        width, height = (int(v) for v in document["image_size"])
        matrix = np.array(document["matrix"], np.float64).reshape(3, 3)
        distortion = np.array(document["distortion"], np.float64).reshape(5)
        rows = document.get("covariance")
        covariance = None if rows is None else np.array(rows, np.float64).reshape(PARAMETER_COUNT, PARAMETER_COUNT)
        if not 0 < min(width, height) <= max(width, height) <= _MAX_PX:
            raise ValueError(f"{width}x{height} pixels is not a valid picture size")
        values = [*matrix.flat, *distortion, *(() if covariance is None else covariance.flat)]
        if min(matrix[0, 0], matrix[1, 1]) < 1:
            raise ValueError("the focal lengths must be at least 1 px")
        if np.abs(values).max() > _MAX_VALUE:
            raise ValueError(f"a number is larger than {_MAX_VALUE:g}")
        return Lens((width, height), matrix, distortion, covariance)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise user_error(
            "the lens file {path} needs image_size [w, h], matrix 3x3 and distortion [k1, k2, p1,"
            " p2, k3] (covariance 9x9 is optional): {reason}",
            path=path,
            reason=error,
        ) from error


def lens_document(lens: Lens) -> dict[str, Any]:
    """The JSON document of a lens, as `read_lens` reads it; the covariance is that of `calibration.intrinsics`."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "image_size": list(lens.image_size),
        "matrix": lens.matrix.tolist(),
        "distortion": lens.distortion.tolist(),
    }
    if lens.covariance is not None:
        document["covariance"] = lens.covariance.tolist()
    return document


def read_layout(path: Path) -> Mapping[int, FloatArray]:
    """Read known marker places: id -> (4, 2) corners in table inches.

    Raises:
        UserError: if the file is not a layout, or lists a marker twice.
    """
    document = read_json(path, tr("layout"))
    layout: dict[int, FloatArray] = {}
    try:
        for marker in document["markers"]:
            corners = np.array(marker["corners_in"], np.float64).reshape(4, 2)
            if not np.isfinite(corners).all():
                raise ValueError(f"marker {marker['id']} has a corner that is not a number")
            if np.abs(corners).max() > FARTHEST_IN:
                raise ValueError(f"marker {marker['id']} lies beyond {FARTHEST_IN:g} in")
            if not _is_square(corners):
                raise ValueError(f"the corners of marker {marker['id']} do not run clockwise around a square")
            if int(marker["id"]) in layout:
                raise ValueError(f"marker {marker['id']} is listed twice")
            layout[int(marker["id"])] = corners
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise user_error(
            'the layout file {path} needs "markers": [{{"id": .., "corners_in": [[x, y] four times]}}]: {reason}',
            path=path,
            reason=error,
        ) from error
    if not layout:
        raise user_error("the layout file {path} lists no markers: add at least one", path=path)
    return layout


def _is_square(corners_in: FloatArray) -> bool:
    """Whether four corners run clockwise (y up) around a square, within the tolerance that hand-made files need."""
    sides = np.roll(corners_in, -1, 0) - corners_in
    lengths = np.linalg.norm(sides, axis=1)
    turns = sides[:, 0] * np.roll(sides[:, 1], -1) - sides[:, 1] * np.roll(sides[:, 0], -1)
    return bool(lengths.min() > 0.9 * lengths.max() and (turns < -0.9 * lengths * np.roll(lengths, -1)).all())
