"""A problem with a marker in the picture: its place, the reason, and a sentence that says what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

PointPx = tuple[float, float]


class Reason(StrEnum):
    """Why a marker is unusable."""

    TOO_SMALL = "too small"
    BLURRED = "blurred"
    CUT_OFF = "cut off"
    GLARE = "glare"
    DUPLICATE = "number used twice"
    WRONG_DICTIONARY = "from another dictionary"
    MIRRORED = "mirrored"
    NOT_FLAT = "not flat"
    WRONG_SIDE = "of another size"
    UNREADABLE = "not readable"


@dataclass(frozen=True, slots=True)
class MarkerIssue:
    """An unusable marker.

    Attributes:
        outline_px: Its outline in the picture.
        reason: Why it is unusable.
        sentence: The reason and a remedy, for players.
        id: The marker's number, or None if it could not be read.
    """

    outline_px: tuple[PointPx, ...]
    reason: Reason
    sentence: str
    id: int | None = None


def outline_of(corners_px: npt.ArrayLike) -> tuple[PointPx, ...]:
    """`MarkerIssue.outline_px` of corners (N, 2)."""
    return tuple((float(x), float(y)) for x, y in np.asarray(corners_px, np.float64).reshape(-1, 2))
