"""What is wrong with something that should be a marker, as a value: where, why, and a sentence with the way out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

PointPx = tuple[float, float]


class Reason(StrEnum):
    """Why a marker does not help."""

    TOO_SMALL = "too small"
    BLURRED = "blurred"
    CUT_OFF = "cut off"
    GLARE = "glare"
    DUPLICATE = "number seen twice"
    WRONG_DICTIONARY = "of another dictionary"
    MIRRORED = "mirrored"
    NOT_FLAT = "not flat"
    WRONG_SIDE = "of another side"
    UNREADABLE = "not readable"


@dataclass(frozen=True, slots=True)
class Trouble:
    """One of them.

    Attributes:
        outline_px: Its outline in the picture.
        reason: Why it does not help.
        sentence: The same for people, with what to do.
        id: Its number, where it could be read.
    """

    outline_px: tuple[PointPx, ...]
    reason: Reason
    sentence: str
    id: int | None = None


def outline_of(corners_px: npt.ArrayLike) -> tuple[PointPx, ...]:
    """`Trouble.outline_px` of corners (N, 2)."""
    return tuple((float(x), float(y)) for x, y in np.asarray(corners_px, np.float64).reshape(-1, 2))
