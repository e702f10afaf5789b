"""Where a shot that strays, or a drifting paratrooper, lands."""

from __future__ import annotations

import math
from enum import StrEnum

from rules.tabletop.bearing import bearing_deg, onward
from rules.tabletop.errors import UserError
from rules.tabletop.table import PointIn


class Along(StrEnum):
    """Directions relative to the line of fire, from the firer's point of view."""

    LEFT = "left"
    RIGHT = "right"
    TOWARDS = "towards"
    AWAY = "away"


class Compass(StrEnum):
    """Directions relative to the table's north."""

    NORTH = "north"
    EAST = "east"
    SOUTH = "south"
    WEST = "west"


_TURN_DEG = {
    Along.AWAY: 0.0,
    Along.LEFT: 90.0,
    Along.TOWARDS: 180.0,
    Along.RIGHT: -90.0,
    Compass.NORTH: 0.0,
    Compass.WEST: 90.0,
    Compass.SOUTH: 180.0,
    Compass.EAST: -90.0,
}


def strayed(spot_in: PointIn, direction: Along, distance_in: float, firer_in: PointIn) -> PointIn:
    """The place at this distance from a spot in a direction of the line of fire; "towards" is towards the firer.

    Raises:
        UserError: if the distance is negative or not finite, or the firer is at the spot.
    """
    return _off(spot_in, bearing_deg(firer_in, spot_in) + _TURN_DEG[direction], distance_in)


def drifted(spot_in: PointIn, direction: Compass, distance_in: float, north_deg: float = 90.0) -> PointIn:
    """The place at this distance from a spot in a compass direction; by default, north is away from the near edge.

    Raises:
        UserError: if the distance is negative or not finite.
    """
    return _off(spot_in, north_deg + _TURN_DEG[direction], distance_in)


def _off(spot_in: PointIn, toward_deg: float, distance_in: float) -> PointIn:
    if not (math.isfinite(distance_in) and distance_in >= 0):
        raise UserError(f"a shot strays 0 in or more, not {distance_in:g} in")
    return onward(spot_in, toward_deg, distance_in)
