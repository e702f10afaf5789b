"""What the readers of dice share: the part of the picture that is sought, and the die that was found in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from rules.table import FloatArray
from vision.dice_body import Body, fit_body
from vision.dice_marks import Marks
from vision.frame import ImageBgr


class DieKind(StrEnum):
    """What is printed on a die."""

    D6 = "d6"
    FUDGE = "fudge"


@dataclass(frozen=True, slots=True)
class DieSeen:
    """A die that lies in the picture.

    Attributes:
        face: 1 to 6, or of a Fudge die -1, 0 or 1.
        kind: Of die.
        outline_px: Four corners of the top face, in order, in pixels of the whole picture.
        confidence: 0 to 1, that there is a die and that it shows this face.
        cocked: The face is not level: the die leans on something.
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


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A picture with its marks, and how the tops of dice are squashed in it.

    Attributes:
        image_bgr: (height, width, 3) uint8.
        marks: Found in it.
        level: (2, 2) takes pixels to the level frame, where the tops of dice are square; its determinant is 1.
        side_px: Side of a die in the level frame, where it is known.
    """

    image_bgr: ImageBgr
    marks: Marks
    level: FloatArray
    side_px: float | None = None

    def level_marks(self) -> Marks:
        """The marks in the level frame."""
        spread = self.level @ self.marks.spread_px2 @ self.level.T
        return replace(self.marks, centre_px=self.marks.centre_px @ self.level.T, spread_px2=spread)

    def body(
        self,
        centre: FloatArray,
        axes: FloatArray,
        sides: tuple[float, float],
        hidden: FloatArray,
        colour_bgr: FloatArray,
        *,
        turns: bool,
    ) -> Body:
        """The die's body round a place of the level frame; arguments as of `fit_body`, but all level."""
        back = np.linalg.inv(self.level)
        return fit_body(self.image_bgr, back @ centre, axes @ back.T, sides, hidden, colour_bgr, turns)

    def square_px(self, centre: FloatArray, axes: FloatArray, body: Body) -> FloatArray:
        """(4, 2) pixels: corners of a body."""
        c, s = np.cos(body.turn_rad), np.sin(body.turn_rad)
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * body.side / 2
        return np.asarray((centre + corners @ np.array([[c, s], [-s, c]]) @ axes) @ np.linalg.inv(self.level).T)
