"""Data shared by the readers of dice: the picture with its slant, and the dice found in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol, TypeVar

import numpy as np

from rules.tabletop.table import FloatArray
from vision.dice.body import Body, fit_body
from vision.dice.marks import Marks
from vision.frame import ImageBgr

_STRAIGHT_DROP = 0.25  # sides
_LIT_ALIKE = 14.0  # grey levels, over three channels
_DARK = 20.0  # grey levels below which hues are noise
_ONE_HUE = 1.6  # largest ratio between the channels' ratios for one hue
_SHADED = 0.3  # light on the darkest side of a die / on the lightest
TOUCHING = 0.96
"""Least distance between the middles of two dice, in sides."""


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


class Face(Protocol):
    """A face that may be the top of a die or its near side, in the level frame."""

    @property
    def centre(self) -> FloatArray:
        """(2,) middle of the face."""

    @property
    def axes(self) -> FloatArray:
        """(2, 2) rows: the directions from which the body's turn counts."""

    @property
    def body(self) -> Body:
        """The body around the face."""

    @property
    def colour_bgr(self) -> FloatArray:
        """(3,) colour of the body."""


F = TypeVar("F", bound=Face)


@dataclass(frozen=True, slots=True, eq=False)
class Slant:
    """The direction from which the camera sees the dice.

    Attributes:
        level: (2, 2) symmetric matrix of determinant 1 from pixels to the level frame, where the tops of dice are
            square.
        drop: (2,) from the top of a die to the tray under it, in sides, in the level frame: the near sides of the dice
            show there.
    """

    level: FloatArray
    drop: FloatArray

    @staticmethod
    def of(to_level: FloatArray) -> Slant:
        """The slant of any map from pixels to a level frame, for a camera that is not upside down."""
        _, sizes, directions = np.linalg.svd(to_level)
        level = directions.T * (sizes / np.sqrt(sizes.prod())) @ directions
        ahead = directions[0] * (1 if directions[0][1] >= 0 else -1)
        lean = float(sizes[0] / sizes[1])  # 1 over the cosine of the slant
        return Slant(level, ahead * np.sqrt(max(lean**2 - 1, 0.0)))

    @property
    def straight(self) -> bool:
        """Whether the dice are seen from straight above, with hardly any sides."""
        return bool(np.linalg.norm(self.drop) < _STRAIGHT_DROP)

    def near_side(self, top: FloatArray, face: FloatArray, side: float, slack: float = 0.3) -> bool:
        """Whether a face is the near side of a die, by its place relative to the top.

        Two tops are at least a side apart; the middle of a near side is half a side and half the drop away.
        """
        if self.straight:
            return False
        along = self.drop / np.linalg.norm(self.drop)
        away = (face - top) / side
        down, across = float(away @ along), abs(float(away[0] * along[1] - away[1] * along[0]))
        reach = 0.5 + 0.5 * float(np.linalg.norm(self.drop)) + slack
        return 0.25 < down < reach and across < 0.6 and np.hypot(down, across) < max(TOUCHING, reach)

    def tops(self, faces: Sequence[F]) -> list[F]:
        """The faces that are not the near side of another."""
        if self.straight or not faces:
            return list(faces)
        side = float(np.quantile([face.body.side for face in faces], 0.75))  # near sides look smaller
        found: list[F] = []
        for face in sorted(faces, key=lambda face: float(face.centre @ self.drop)):
            if not any(self._under(face, top, side) for top in found):
                found.append(face)
        return found

    def _under(self, face: Face, top: Face, side: float) -> bool:
        """Whether a face is a near side: it is lit differently, while dice that touch are lit alike."""
        close = np.linalg.norm(face.centre - top.centre) < TOUCHING * side
        return self.near_side(top.centre, face.centre, side) and (
            bool(close) or other_light(face.colour_bgr, top.colour_bgr)
        )


def other_light(colour_bgr: FloatArray, other_bgr: FloatArray) -> bool:
    """Whether two colours may be one plastic in different light."""
    unlike = float(np.linalg.norm(colour_bgr - other_bgr)) > _LIT_ALIKE
    ratio = (colour_bgr + _DARK) / (other_bgr + _DARK)
    return unlike and bool(ratio.max() / ratio.min() < _ONE_HUE and _SHADED < ratio.mean() < 1 / _SHADED)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A picture with its marks and slant.

    Attributes:
        image_bgr: (height, width, 3) uint8.
        marks: Marks found in it.
        slant: Direction from which the dice are seen.
        side_px: Side of a die in the level frame, if known.
    """

    image_bgr: ImageBgr
    marks: Marks
    slant: Slant
    side_px: float | None = None

    @property
    def level(self) -> FloatArray:
        """(2, 2) matrix from pixels to the level frame."""
        return self.slant.level

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
        """The die's body around a place of the level frame; arguments as of `fit_body`, but in the level frame."""
        back = np.linalg.inv(self.level)
        return fit_body(self.image_bgr, back @ centre, axes @ back.T, sides, hidden, colour_bgr, turns)

    def square_px(self, centre: FloatArray, axes: FloatArray, body: Body) -> FloatArray:
        """(4, 2) corners of a body in pixels."""
        c, s = np.cos(body.turn_rad), np.sin(body.turn_rad)
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * body.side / 2
        return np.asarray((centre + corners @ np.array([[c, s], [-s, c]]) @ axes) @ np.linalg.inv(self.level).T)
