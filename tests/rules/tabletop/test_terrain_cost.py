import math

import pytest

from rules.tabletop.errors import UserError
from rules.tabletop.terrain_cost import IMPASSABLE, MovementProfile, TerrainCost, hurdle, slowed


@pytest.mark.parametrize(
    ("percent", "cost"),
    # A move of 12 in at -50 % covers 6 in for all 12: 2 per inch. At -75 % it covers 3 in: 4 per inch.
    [(0, 1), (-50, 2), (-75, 4), (-37.5, 1.6), (50, 2 / 3)],
)
def test_percentage_becomes_a_cost_per_inch(percent, cost):
    assert slowed(percent).cost_per_in == pytest.approx(cost)


def test_minus_hundred_percent_is_impassable():
    assert slowed(-100) is IMPASSABLE
    assert slowed(-150) is IMPASSABLE


def test_cost_of_hurdles_by_height():
    classes = ((0.7, 1.0), (1.3, 3.0))  # up to leg high, up to waist high
    assert [hurdle(height, classes).enter_in for height in (0.3, 0.7, 0.8, 1.3)] == [1, 1, 3, 3]
    assert hurdle(1.4, classes) is IMPASSABLE


@pytest.mark.parametrize("wrong", [{"cost_per_in": -1}, {"enter_in": math.inf}, {"leave_in": math.nan}])
def test_invalid_costs_are_refused(wrong):
    with pytest.raises(UserError, match="movement costs"):
        TerrainCost(**wrong)


@pytest.mark.parametrize("wrong", ["open_cost_per_in", "climb_cost_per_in", "descent_cost_per_in", "height_step_in",
                                   "uphill_factor"])  # fmt: skip
def test_invalid_movement_profile_is_refused(wrong):
    with pytest.raises(UserError, match="movement costs"):
        MovementProfile(lambda one: TerrainCost(), **{wrong: -1})
