"""The part of the table that is played on: a rectangle whose near-left corner is where places are counted from."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rules.tabletop.errors import UserError
from rules.tabletop.table import Outline, PointIn
from rules.tabletop.tolerance import EXACT
from ui.table.finding import Mark, Note, Trace, lifted, ring
from ui.theme import SKY, faded

_LEAST_IN, _MOST_IN = 2.0, 240.0
_ARM_IN = 2.0


@dataclass(frozen=True, slots=True)
class PlayArea:
    """A rectangle on the table.

    Attributes:
        origin_in: Its near-left corner in the table's frame.
        width_in: Along its own x axis.
        depth_in: Along its own y axis.
        turn_deg: From the table's x axis to its own, counter-clockwise.

    Raises:
        UserError: if it cannot be.
    """

    origin_in: PointIn
    width_in: float
    depth_in: float
    turn_deg: float = 0.0

    def __post_init__(self) -> None:
        sizes_fit = all(_LEAST_IN <= side <= _MOST_IN for side in (self.width_in, self.depth_in))
        if not (sizes_fit and all(map(math.isfinite, (*self.origin_in, self.turn_deg)))):
            raise UserError(
                f"a table of {self.width_in:g} x {self.depth_in:g} in cannot be played on: give a width and a depth"
                f" from {_LEAST_IN:g} to {_MOST_IN:g} in"
            )

    @property
    def corners_in(self) -> Outline:
        """Near left, near right, far right, far left, in the table's frame."""
        sides = ((0.0, 0.0), (self.width_in, 0.0), (self.width_in, self.depth_in), (0.0, self.depth_in))
        return tuple(self.to_table(corner) for corner in sides)

    def to_table(self, place_in: PointIn) -> PointIn:
        """From places counted from its corner to the table's frame."""
        c, s = self._axis
        x, y = place_in
        return (self.origin_in[0] + c * x - s * y, self.origin_in[1] + s * x + c * y)

    def from_table(self, place_in: PointIn) -> PointIn:
        """The other way."""
        c, s = self._axis
        x, y = place_in[0] - self.origin_in[0], place_in[1] - self.origin_in[1]
        return (c * x + s * y, -s * x + c * y)

    def holds(self, place_in: PointIn) -> bool:
        """Whether a place of the table's frame lies in it, its edge included."""
        x, y = self.from_table(place_in)
        return -EXACT <= x <= self.width_in + EXACT and -EXACT <= y <= self.depth_in + EXACT

    @property
    def _axis(self) -> tuple[float, float]:
        turn = math.radians(self.turn_deg)
        return math.cos(turn), math.sin(turn)


def area_marks(area: PlayArea) -> tuple[Mark, ...]:
    """Its edges, and an angle where places are counted from."""
    angle = [area.to_table(place) for place in ((_ARM_IN, 0.0), (0.0, 0.0), (0.0, _ARM_IN))]
    return (
        Trace(ring(area.corners_in), faded(SKY, 220), 2.0, closed=True, dashed=True),
        Trace(lifted(angle), SKY, 5.0),
        Note((*area.origin_in, 0.0), (("0, 0", 13.0),), SKY, (0.0, 16.0)),
    )
