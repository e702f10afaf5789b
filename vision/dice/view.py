"""Dice seen in a picture: their kinds, faces and places."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np


class DieKind(StrEnum):
    """Kinds of dice."""

    D6 = "d6"
    FUDGE = "fudge"


@dataclass(frozen=True, slots=True)
class DieSeen:
    """A die in the picture.

    Attributes:
        face: 1 to 6, or -1, 0 or 1 for a Fudge die.
        kind: Kind of the die.
        outline_px: Four corners of the top face, in order, in pixels of the whole picture.
        confidence: Probability, 0 to 1, that there is a die and that it shows this face.
        cocked: Whether the die leans on something, so that its face is not level.
    """

    face: int
    kind: DieKind
    outline_px: tuple[tuple[float, float], ...]
    confidence: float
    cocked: bool = False

    @property
    def centre_px(self) -> tuple[float, float]:
        """Middle of the top face."""
        x, y = np.mean(self.outline_px, axis=0)
        return (float(x), float(y))

    @property
    def side_px(self) -> float:
        """Side of the square of the same area."""
        corners = np.array(self.outline_px)
        across, down = corners[2] - corners[0], corners[3] - corners[1]
        return float(np.sqrt(abs(across[0] * down[1] - across[1] * down[0]) / 2))
