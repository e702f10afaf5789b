"""Bearings, turns, the side of a figure that is hit, arcs of fire, and where shots and paratroopers land.

Angles are in degrees, counter-clockwise from +x (rightwards along the table's near edge), like `Figure.facing_deg`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import Figure, PointIn
from rules.tabletop.tolerance import EXACT


def bearing_deg(from_in: PointIn, to_in: PointIn) -> float:
    """Direction from one place to another, 0 up to 360.

    Raises:
        UserError: if both are the same place.
    """
    if from_in == to_in:
        raise user_error("there is no direction between two equal places: choose two different places")
    return math.degrees(math.atan2(to_in[1] - from_in[1], to_in[0] - from_in[0])) % 360


def turn_deg(from_deg: float, to_deg: float) -> float:
    """The shorter turn from one direction to another: above -180, up to 180, positive to the left."""
    turn = math.remainder(to_deg - from_deg, 360)
    return 180.0 if turn == -180 else turn


def onward(from_in: PointIn, toward_deg: float, distance_in: float) -> PointIn:
    """The place at this distance in this direction."""
    turn = math.radians(toward_deg)
    return from_in[0] + distance_in * math.cos(turn), from_in[1] + distance_in * math.sin(turn)


@dataclass(frozen=True, slots=True)
class Turning:
    """The price of turning: each step costs movement, and a part of a step costs as much as a whole one.

    Attributes:
        step_deg: The largest turn of one step.
        cost_in: Movement allowance per step, in inches.

    Raises:
        UserError: if the step is not above 0 or the cost is negative.
    """

    step_deg: float
    cost_in: float

    def __post_init__(self) -> None:
        if not (self.step_deg > 0 and self.cost_in >= 0):
            numbers = f"{self.step_deg:g} and {self.cost_in:g}"
            raise UserError(f"turning needs a step above 0 degrees and a cost of 0 in or more, not {numbers}")

    def steps(self, from_deg: float, to_deg: float) -> int:
        """Number of steps of the shorter turn."""
        return max(0, math.ceil((abs(turn_deg(from_deg, to_deg)) - EXACT) / self.step_deg))

    def price_in(self, from_deg: float, to_deg: float) -> float:
        """Movement allowance that the shorter turn costs, in inches."""
        return self.cost_in * self.steps(from_deg, to_deg)


def aspect_sigma_deg(figure: Figure, other: Figure) -> float:
    """Standard deviation, in degrees, of the angle between a figure's known facing and the direction to another."""
    sideways_in = math.hypot(figure.sigma_in, other.sigma_in)
    return math.degrees(math.atan2(sideways_in, math.dist(figure.centre_in, other.centre_in)))


def arc_sigma_deg(shooter: Figure, targets: Sequence[Figure]) -> float:
    """Standard deviation of the width of the smallest arc that contains the centres of all targets, seen by a shooter.

    Raises:
        UserError: if a target stands exactly where the shooter does.
    """
    bearings = sorted((bearing_deg(shooter.centre_in, target.centre_in), k) for k, target in enumerate(targets))
    full_circle = [*bearings, (bearings[0][0] + 360, bearings[0][1])]
    # The arc begins and ends at the widest gap between neighbouring bearings.
    (_, last), (_, first) = max(pairwise(full_circle), key=lambda pair: pair[1][0] - pair[0][0])
    return _width_sigma_deg(shooter, targets[first], targets[last])


def _width_sigma_deg(shooter: Figure, first: Figure, last: Figure) -> float:
    """One standard deviation of the angle between two figures; the shooter's own error changes both bearings."""
    if first is last:
        return 0.0
    (ax, ay), (bx, by) = (_bearing_gradient(shooter.centre_in, end.centre_in) for end in (first, last))
    parts = (
        first.sigma_in * math.hypot(ax, ay),
        last.sigma_in * math.hypot(bx, by),
        shooter.sigma_in * math.hypot(bx - ax, by - ay),
    )
    return math.degrees(math.hypot(*parts))


def _bearing_gradient(from_in: PointIn, to_in: PointIn) -> PointIn:
    """Change of the bearing in radians per inch that its far end moves along x and along y."""
    dx, dy = to_in[0] - from_in[0], to_in[1] - from_in[1]
    return -dy / (dx * dx + dy * dy), dx / (dx * dx + dy * dy)


class Compass(StrEnum):
    """Directions relative to north: an edge of the table, or the way from the firer to his target."""

    NORTH = "north"
    EAST = "east"
    SOUTH = "south"
    WEST = "west"


_TURN_DEG = {
    Compass.NORTH: 0.0,
    Compass.WEST: 90.0,
    Compass.SOUTH: 180.0,
    Compass.EAST: -90.0,
}


def drifted(spot_in: PointIn, direction: Compass, distance_in: float, north_deg: float = 90.0) -> PointIn:
    """The place at this distance from a spot in a compass direction; by default, north is away from the near edge."""
    return onward(spot_in, north_deg + _TURN_DEG[direction], distance_in)
