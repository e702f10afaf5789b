"""Reads and writes learned examples as JSON; a damaged example is dropped, the others are kept."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

import numpy as np

from calibration.opencv import cv2
from rules.tabletop.table import Posture
from ui.translation import tr, tr_count
from vision.examples import CROP_PX, MOST_EXAMPLES, Example, Examples
from vision.frame import ImageBgr
from vision.likeness import DIRECTIONS, unit, version

_MAX_PNG_BYTES = 16_000  # more than 40 x 40 pixels of noise need
_MAX_SIGNATURE = 1e6  # signatures are stored as unit vectors
_MAX_NAME = 100
_MIN_LOG_COLOUR = -30.0


def examples_document(examples: Examples) -> dict[str, Any]:
    """The examples as JSON; `networks` is the version that made their signatures."""
    return {"networks": version(), "all": [_document_of_one(example) for example in examples.all]}


def examples_of(document: object) -> tuple[Examples, str]:
    """The examples of a document, and a sentence about lost ones, empty if none are.

    Args:
        document: As `examples_document` makes it; None if nothing was learned.
    """
    if document is None:
        return Examples(), ""
    body = document if isinstance(document, dict) else {}
    found = body.get("all")
    if not isinstance(found, list):
        return Examples(), tr("The examples cannot be read: confirm or correct some soldiers again.")
    if body.get("networks") != version():
        return Examples(), tr(
            "The examples are from another version of Sandtable: confirm or correct some soldiers again."
        )
    good: list[Example] = []
    for body_of_one in found[-MOST_EXAMPLES:]:
        try:
            good.append(_example_of(body_of_one))
        except (KeyError, TypeError, ValueError, OverflowError, binascii.Error, cv2.error):
            continue
    lost = len(found[-MOST_EXAMPLES:]) - len(good)
    remark = tr_count(
        "{count} example is damaged and was removed; the others are kept.",
        "{count} examples are damaged and were removed; the others are kept.",
        lost,
    )
    return Examples(tuple(good)), remark if lost else ""


def _document_of_one(example: Example) -> dict[str, Any]:
    _, png = cv2.imencode(".png", example.crop_bgr)
    return {
        "name": example.name,
        "army": example.army,
        "posture": str(example.posture),
        "signature": [round(float(value), 4) for value in example.signature],
        "colour": [round(value, 4) for value in example.colour],
        "crop": base64.b64encode(png.tobytes()).decode("ascii"),
    }


def _example_of(document: Mapping[str, Any]) -> Example:
    numbers = np.array(document["signature"], np.float64)
    first, second, third = (float(value) for value in document["colour"])
    if numbers.shape != (DIRECTIONS,) or not np.isfinite([*numbers, first, second, third]).all():
        raise ValueError("a signature is a list of finite numbers")
    if np.abs(numbers).max() > _MAX_SIGNATURE:
        raise ValueError("a signature has no such large numbers")
    signature = numbers.astype(np.float32)
    if not np.linalg.norm(signature) > 0 or min(first, second, third) < _MIN_LOG_COLOUR:
        raise ValueError("a signature must not be zero, nor a colour black")
    posture = Posture(document["posture"])
    if posture is Posture.VEHICLE:
        raise ValueError("vehicles are not learned")
    name, army = document["name"], document["army"]
    if not all(isinstance(text, str) and 0 < len(text) <= _MAX_NAME for text in (name, army)):
        raise ValueError("a name is a short text")
    crop = _crop(document["crop"])
    return Example(name, army, posture, unit(signature), (first, second, third), crop)


def _crop(text: str) -> ImageBgr:
    png = base64.b64decode(text, validate=True)
    if not png.startswith(b"\x89PNG") or len(png) > _MAX_PNG_BYTES:
        raise ValueError("a crop is a small PNG")
    crop = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    if crop is None or crop.shape != (CROP_PX, CROP_PX, 3):
        raise ValueError(f"a crop is {CROP_PX}x{CROP_PX} pixels")
    return np.asarray(crop, np.uint8)
