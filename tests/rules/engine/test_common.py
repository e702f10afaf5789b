"""What many rulebooks share: the highest die, the last side standing, and the cost of ground."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rules.engine.common import End, Ground, Phase, highest_die, last_standing, profile_of
from rules.engine.dice import Scripted, odds, play
from rules.tabletop.errors import UserError
from rules.tabletop.movement import walk
from rules.tabletop.table import TerrainKind
from tests.rules.board import box, piece


@pytest.mark.parametrize(
    ("faces", "order"),
    [
        ([5, 2, 1], ["a", "b", "c"]),
        ([1, 6, 2], ["b", "c", "a"]),
        ([4, 1, 4, 2, 3], ["c", "a", "b"]),  # a and c tie, and roll again
        ([3, 3, 3, 1, 5, 5, 2, 6], ["c", "a", "b"]),  # all tie, then b and c
    ],
)
def test_the_highest_die_is_first_and_the_rest_follow_as_they_sit(faces: list[int], order: list[str]) -> None:
    dice = Scripted(faces)
    assert play(highest_die(["a", "b", "c"], "initiative"), dice) == order
    dice.finish()


def test_ties_are_rolled_again_so_the_odds_are_even() -> None:
    found = odds(lambda: highest_die(["a", "b"], "initiative"), lambda order: order[0])
    assert found == {"a": Fraction(1, 2), "b": Fraction(1, 2)}


@pytest.mark.parametrize(
    ("left", "end"),
    [
        ({"a": 2, "b": 1}, End("not yet", over=False, winner=None)),
        ({"a": 2, "b": 0}, End("victory", over=True, winner="a")),
        ({"a": 0, "b": 0}, End("draw", over=True, winner=None)),
        ({"a": 2}, End("not yet", over=False, winner=None)),  # nobody to beat yet
    ],
)
def test_the_last_side_standing_wins(left: dict[str, int], end: End) -> None:
    assert last_standing(left) == end


def test_ground_without_a_row_is_open() -> None:
    rows = {"woods": Ground(rule="X-01", cost=2), "wall": Ground(rule="X-02", passable=False)}
    woods = piece("wood", TerrainKind.WOODS, box(0, 2, 4, 4))
    hedge = piece("hedge", TerrainKind.HEDGE, box(0, 5, 4, 6))
    wall = piece("wall", TerrainKind.WALL, box(0, 8, 4, 9))
    path = ((2.0, 0.0), (2.0, 7.0))
    assert walk(path, (woods, hedge), profile_of(rows), 0.0).cost_in == pytest.approx(9)  # 7 in, two of them twice
    assert walk(((2.0, 7.0), (2.0, 10.0)), (wall,), profile_of(rows), 0.0).impassable


def test_a_row_that_is_no_kind_of_terrain_is_named() -> None:
    with pytest.raises(UserError, match="'wods', which is no kind of terrain"):
        profile_of({"wods": Ground(rule="X-01")})


def test_what_a_row_leaves_out_does_not_apply() -> None:
    assert Phase(rule="X-01") == Phase(rule="X-01", moves=False)
    assert Ground(rule="X-01") == Ground(rule="X-01", cost=1, passable=True)
