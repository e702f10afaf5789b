"""The area of play: a rectangle whose near-left corner is the origin of the places shown to the players."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rules.tabletop.errors import user_error
from rules.tabletop.table import Outline, PointIn
from rules.tabletop.tolerance import EXACT
from ui.table.finding import Mark, Note, Trace, lifted, ring
from ui.theme import SKY, faded

_MIN_SIDE_IN, _MAX_SIDE_IN = 2.0, 240.0
_ARM_IN = 2.0


@dataclass(frozen=True, slots=True)
class PlayArea:
    """A rectangle on the table.

    Attributes:
        origin_in: Its near-left corner in table coordinates.
        width_in: Size along its own x axis.
        depth_in: Size along its own y axis.
        turn_deg: Rotation from the table's x axis to its own, counter-clockwise.

    Raises:
        UserError: if a size is out of range or a number is not finite.
    """

    origin_in: PointIn
    width_in: float
    depth_in: float
    turn_deg: float = 0.0

    def __post_init__(self) -> None:
        sizes_fit = all(_MIN_SIDE_IN <= side <= _MAX_SIDE_IN for side in (self.width_in, self.depth_in))
        if not (sizes_fit and all(map(math.isfinite, (*self.origin_in, self.turn_deg)))):
            raise user_error(
                "a table of {width_in:g} x {depth_in:g} in is not possible: width and depth must be {least_in:g} to"
                " {most_in:g} in",
                width_in=self.width_in,
                depth_in=self.depth_in,
                least_in=_MIN_SIDE_IN,
                most_in=_MAX_SIDE_IN,
            )

    @property
    def corners_in(self) -> Outline:
        """Near left, near right, far right, far left, in table coordinates."""
        sides = ((0.0, 0.0), (self.width_in, 0.0), (self.width_in, self.depth_in), (0.0, self.depth_in))
        return tuple(self.to_table(corner) for corner in sides)

    def to_table(self, place_in: PointIn) -> PointIn:
        """Convert a place in the area's coordinates to table coordinates."""
        c, s = self._axis
        x, y = place_in
        return (self.origin_in[0] + c * x - s * y, self.origin_in[1] + s * x + c * y)

    def from_table(self, place_in: PointIn) -> PointIn:
        """Convert a place in table coordinates to the area's coordinates."""
        c, s = self._axis
        x, y = place_in[0] - self.origin_in[0], place_in[1] - self.origin_in[1]
        return (c * x + s * y, -s * x + c * y)

    def holds(self, place_in: PointIn) -> bool:
        """Whether a place, in table coordinates, lies in the area or on its edge."""
        x, y = self.from_table(place_in)
        return -EXACT <= x <= self.width_in + EXACT and -EXACT <= y <= self.depth_in + EXACT

    @property
    def _axis(self) -> tuple[float, float]:
        turn = math.radians(self.turn_deg)
        return math.cos(turn), math.sin(turn)


def area_marks(area: PlayArea) -> tuple[Mark, ...]:
    """The area's edges, with an angle at its origin."""
    angle = [area.to_table(place) for place in ((_ARM_IN, 0.0), (0.0, 0.0), (0.0, _ARM_IN))]
    return (
        Trace(ring(area.corners_in), faded(SKY, 220), 2.0, closed=True, dashed=True),
        Trace(lifted(angle), SKY, 5.0),
        Note((*area.origin_in, 0.0), (("0, 0", 14.0),), SKY, (0.0, 16.0)),
    )
