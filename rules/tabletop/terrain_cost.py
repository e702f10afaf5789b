"""Movement profiles: the cost of terrain, heights and turns for a unit."""

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
class TerrainCost:
    """The movement costs of a terrain piece.

    Attributes:
        cost_per_in: Allowance per inch of path.
        enter_in: Allowance for entering, once; the cost of climbing a wall or a hedge.
        leave_in: Allowance for leaving, once.
        passable: Whether a path may lead through it.
        on_top: Whether figures walk on its upper side, as on a hill or a bridge, and gain its height.

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
        raise UserError(f"movement costs must be 0 in or more, not {costs}")


IMPASSABLE = TerrainCost(passable=False)


def hurdle(height_in: float, classes: Sequence[tuple[float, float]]) -> TerrainCost:
    """An obstacle whose crossing cost depends on its height.

    Args:
        height_in: Its height.
        classes: (greatest height in inches, cost of crossing in inches), lowest first, such as leg high and waist high;
            anything higher is impassable.
    """
    return next((TerrainCost(enter_in=cost) for up_to, cost in classes if height_in <= up_to + EXACT), IMPASSABLE)


class Rounding(StrEnum):
    """How inches on ground with a special cost are rounded before they are multiplied by the cost."""

    EXACT = "exact"
    STRETCH = "each unbroken stretch of one ground up to whole inches"
    GROUND = "all inches on one ground together up to whole inches"


@dataclass(frozen=True, slots=True)
class MovementProfile:
    """How a unit moves under a ruleset.

    Attributes:
        cost_of: Returns the movement costs of a terrain piece.
        open_cost_per_in: Allowance per inch of open table.
        climb_cost_per_in, descent_cost_per_in: Additional allowance per inch of height gained or lost.
        height_step_in: Only whole steps of this height count for each change; 0 counts every height.
        uphill_factor: Multiplies the inches on ground that was climbed onto until the height changes again; hills are
            prisms, so their upper side stands for the slope.
        turning: The cost of turning; None if it is free.
        rounding: How inches on slow ground are rounded.

    Raises:
        UserError: if a number is negative or not finite.
    """

    cost_of: Callable[[TerrainPiece], TerrainCost]
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
