"""How a unit moves under a ruleset, and what each piece of terrain does to that."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rules.tabletop.bearing import Turning
from rules.tabletop.errors import UserError
from rules.tabletop.table import TerrainPiece
from rules.tabletop.tolerance import EXACT


@dataclass(frozen=True, slots=True)
class Going:
    """What a terrain piece does to movement.

    Attributes:
        cost_per_in: Allowance that an inch of path takes here.
        enter_in: Allowance that coming in takes, once: a wall or hedge is paid for as it is climbed.
        leave_in: Allowance that coming out takes, once.
        passable: Whether a path may lead here at all.
        on_top: Whether one walks on its upper side, as on a hill or a bridge, and so gains its height.

    Raises:
        UserError: if a cost is negative or not finite.
    """

    cost_per_in: float = 1.0
    enter_in: float = 0.0
    leave_in: float = 0.0
    passable: bool = True
    on_top: bool = False

    def __post_init__(self) -> None:
        _check_costs(self.cost_per_in, self.enter_in, self.leave_in)


def _check_costs(*costs: float) -> None:
    if not all(math.isfinite(cost) and cost >= 0 for cost in costs):
        raise UserError(f"movement costs 0 in or more, not {costs}")


IMPASSABLE = Going(passable=False)


def slowed(percent: float) -> Going:
    """Ground that takes a percentage off the move: at -50 an inch costs two, at -100 there is no way through."""
    return IMPASSABLE if percent <= -100 else Going(100 / (100 + percent))


def hurdle(height_in: float, classes: Sequence[tuple[float, float]]) -> Going:
    """An obstacle to climb over, priced by its height.

    Args:
        height_in: How high it is.
        classes: (up to which height in inches, what the crossing costs in inches), lowest first, as leg high and
            waist high; what is higher than all of them is impassable.
    """
    return next((Going(enter_in=cost) for up_to, cost in classes if height_in <= up_to + EXACT), IMPASSABLE)


class Rounding(StrEnum):
    """How inches on ground that costs other than open ground are counted before they are multiplied."""

    EXACT = "exact"
    STRETCH = "each unbroken stretch of one ground up to whole inches"
    GROUND = "all inches on one ground together up to whole inches"


@dataclass(frozen=True, slots=True)
class MovementProfile:
    """How a unit moves under a ruleset.

    Attributes:
        going: What each terrain piece does to it.
        open_cost_per_in: Allowance that an inch of open table takes.
        climb_cost_per_in, descent_cost_per_in: Allowance that each inch of height gained or lost takes besides.
        height_step_in: Only whole steps of this height count, each time; 0 counts all of it.
        uphill_factor: Multiplies the inches walked on ground that was climbed onto, until the height changes again:
            a hill is a prism here, and its upper side stands for the slope.
        turning: What a change of heading costs; None where it is free.
        rounding: How inches on slow ground are counted.

    Raises:
        UserError: if a number is negative or not finite.
    """

    going: Callable[[TerrainPiece], Going]
    open_cost_per_in: float = 1.0
    climb_cost_per_in: float = 0.0
    descent_cost_per_in: float = 0.0
    height_step_in: float = 0.0
    uphill_factor: float = 1.0
    turning: Turning | None = None
    rounding: Rounding = Rounding.EXACT

    def __post_init__(self) -> None:
        climbing = (self.climb_cost_per_in, self.descent_cost_per_in, self.height_step_in, self.uphill_factor)
        _check_costs(self.open_cost_per_in, *climbing)
