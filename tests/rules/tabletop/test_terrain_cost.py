import math

import pytest

from rules.tabletop.errors import UserError
from rules.tabletop.movement import IMPASSABLE, MovementProfile, TerrainCost, hurdle


def test_cost_of_hurdles_by_height():
    classes = ((0.7, 1.0), (1.3, 3.0))  # up to leg high, up to waist high
    assert [hurdle(height, classes).enter_in for height in (0.3, 0.7, 0.8, 1.3)] == [1, 1, 3, 3]
    assert hurdle(1.4, classes) is IMPASSABLE


@pytest.mark.parametrize("wrong", [{"cost_per_in": -1}, {"enter_in": math.inf}, {"leave_in": math.nan}])
def test_invalid_costs_are_refused(wrong):
    with pytest.raises(UserError, match="movement costs"):
        TerrainCost(**wrong)


@pytest.mark.parametrize("wrong", ["open_cost_per_in", "climb_cost_per_in", "height_step_in", "uphill_factor"])
def test_invalid_movement_profile_is_refused(wrong):
    with pytest.raises(UserError, match="movement costs"):
        MovementProfile(lambda one: TerrainCost(), **{wrong: -1})
