"""Lens and layout files: JSON in, values out, and back."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from calibration.camera import Lens
from calibration.intrinsics import COUNT
from rules.tabletop.errors import UserError, refuse_strange
from rules.tabletop.regular_file import open_regular
from rules.tabletop.table import FloatArray

SCHEMA = 1

FARTHEST_IN = 1000.0
"""From the table's origin: more is another unit, or a slip of the pen."""

_MOST_PX = 100_000  # of a picture in a row
_LARGEST = 1e6  # of anything in a lens profile: what is larger overflows in the squares of it
_MOST_CHARACTERS = 10_000_000
"""Of a file that is read as a whole: a hundred times the largest that makes sense, and nothing to a machine."""


def read_json(path: Path, what: str) -> dict[str, Any]:
    """A JSON object of our schema from a file.

    Raises:
        UserError: if it cannot be read, is no JSON object, or was written by a newer program.
    """
    document = from_json(read_text(path, f"the {what} file {path}"), f"the {what} file {path}")
    if not isinstance(document, dict):
        raise UserError(f'the {what} file {path} must hold a JSON object with "schema": {SCHEMA}')
    schema = document.get("schema", SCHEMA)
    if schema != SCHEMA:
        raise UserError(
            f"the {what} file {path} has schema {schema!r} and this program reads {SCHEMA}:"
            " it was written by another version; update Sandtable"
        )
    return document


def read_text(source: Path | TextIO, what: str) -> str:
    """The text of a file or stream, never more than makes sense: a stream may have no end.

    Raises:
        UserError: in the name of `what`, if it cannot be read, is a pipe or a device, is no text or far too long.
    """
    try:
        if isinstance(source, Path):
            with open_regular(source, what) as raw, io.TextIOWrapper(raw, encoding="utf-8-sig") as file:
                text = file.read(_MOST_CHARACTERS + 1)
        else:
            text = source.read(_MOST_CHARACTERS + 1)
    except OSError as error:
        raise UserError(f"{what} cannot be read: {error.strerror or error}") from error
    except UserError:
        raise
    except ValueError as error:  # no UTF-8, or a name that no file can have
        raise UserError(f"{what} is no text, and so not JSON or YAML: {error}") from error
    if len(text) > _MOST_CHARACTERS:
        raise UserError(f"{what} has more than {_MOST_CHARACTERS // 1_000_000} million characters: choose another file")
    return text


def from_json(text: str, what: str) -> Any:
    """The values of a JSON document.

    Raises:
        UserError: in the name of `what`, if it is none; also as `refuse_strange`.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{what} is not JSON: {error}") from error
    refuse_strange(document, what)
    return document


def read_lens(path: Path) -> Lens:
    """A lens profile.

    Raises:
        UserError: if the file is not one.
    """
    document = read_json(path, "lens")
    try:
        width, height = (int(v) for v in document["image_size"])
        matrix = np.array(document["matrix"], np.float64).reshape(3, 3)
        distortion = np.array(document["distortion"], np.float64).reshape(5)
        spread = document.get("covariance")
        covariance = None if spread is None else np.array(spread, np.float64).reshape(COUNT, COUNT)
        if not 0 < min(width, height) <= max(width, height) <= _MOST_PX:
            raise ValueError(f"no picture is {width}x{height} pixels")
        told = [*matrix.flat, *distortion, *(() if covariance is None else covariance.flat)]
        if min(matrix[0, 0], matrix[1, 1]) < 1:
            raise ValueError("the focal lengths are in pixels, so they are at least 1")
        if np.abs(told).max() > _LARGEST:
            raise ValueError(f"a number beyond {_LARGEST:g} is of no lens")
        return Lens((width, height), matrix, distortion, covariance)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise UserError(
            f"the lens file {path} needs image_size [w, h], matrix 3x3 and distortion [k1, k2, p1, p2, k3]"
            f" (and covariance 9x9, if it is given): {error}"
        ) from error


def lens_document(lens: Lens) -> dict[str, Any]:
    """What is written of a lens: `read_lens` reads it back. The covariance is that of `calibration.intrinsics`."""
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
    """Known marker places: id -> (4, 2) corners in table inches.

    Raises:
        UserError: if the file is not one, or names a marker twice.
    """
    document = read_json(path, "layout")
    layout: dict[int, FloatArray] = {}
    try:
        for marker in document["markers"]:
            corners = np.array(marker["corners_in"], np.float64).reshape(4, 2)
            if not np.isfinite(corners).all():
                raise ValueError(f"marker {marker['id']} has a corner that is not a number")
            if np.abs(corners).max() > FARTHEST_IN:
                raise ValueError(f"marker {marker['id']} lies beyond {FARTHEST_IN:g} in")
            if not _is_square(corners):
                raise ValueError(f"the corners of marker {marker['id']} do not run clockwise round a square")
            if int(marker["id"]) in layout:
                raise ValueError(f"marker {marker['id']} stands there twice")
            layout[int(marker["id"])] = corners
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise UserError(
            f'the layout file {path} needs "markers": [{{"id": .., "corners_in": [[x, y] four times]}}]: {error}'
        ) from error
    if not layout:
        raise UserError(f"the layout file {path} names no marker")
    return layout


def _is_square(corners_in: FloatArray) -> bool:
    """Whether four corners run clockwise (y up) round a square, within the hundredths that hand-made files have."""
    sides = np.roll(corners_in, -1, 0) - corners_in
    lengths = np.linalg.norm(sides, axis=1)
    turns = sides[:, 0] * np.roll(sides[:, 1], -1) - sides[:, 1] * np.roll(sides[:, 0], -1)
    return bool(lengths.min() > 0.9 * lengths.max() and (turns < -0.9 * lengths * np.roll(lengths, -1)).all())
