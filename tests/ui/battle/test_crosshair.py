"""Cycling through figures, and moving the cross-hair in the direction of the arrow keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from calibration.camera import TableCamera
from rules.battle.referees import position_of
from rules.engine.events import Change, Changed, PhaseBegun
from rules.engine.position import Position
from rules.engine.roster import Army
from tests.rules.battle_driver import begun, recruits
from tests.rules.board import figure
from ui.battle.selection import first_place, next_figure, stepped
from ui.picture.table_map import overhead

PLACES = {"green-1": (2.0, 2.0), "green-2": (4.0, 2.0), "green-3": (6.0, 2.0), "tan-1": (2.0, 9.0), "tan-2": (6.0, 5.0)}


@pytest.fixture
def position(tmp_path: Path) -> Position:
    """Green attacks; Green 2 is out."""
    cards = {"green": ["soldier"] * 3, "tan": ["soldier"] * 2}
    armies = {
        side: Army(name=side, game="simple_plastic", recruits=recruits(side, *men)) for side, men in cards.items()
    }
    with begun(tmp_path / "b", "simple_plastic", armies, PLACES) as battle:
        battle.record(PhaseBegun(turn=1, side="green", phase="attacking"))
        battle.record(Changed(changes=(Change(figure="green-2", key="eliminated", value=True),)))
        return position_of(battle, [figure(name, *at) for name, at in PLACES.items()], ())


def test_figures_of_the_acting_side_are_cycled(position: Position) -> None:
    assert [next_figure(position, now, 1) for now in ("", "green-1", "green-3")] == ["green-1", "green-3", "green-1"]
    assert [next_figure(position, now, -1) for now in ("", "green-1", "tan-1")] == ["green-3", "green-3", "green-3"]


def test_the_cross_hair_starts_at_the_nearest_enemy(position: Position) -> None:
    assert first_place(position, "green-3") == (6.0, 5.0)
    assert first_place(position, "green-1") == (6.0, 5.0)  # 5 in off; Tan 1 is 7
    assert first_place(position, "tan-1") == (2.0, 2.0)  # 7 in; Green 3 is 8.1, Green 2 is out


NEAR = overhead((0.0, 0.0, 30.0, 20.0), (900, 600))
HALF_TURN = np.diag([-1.0, -1.0, 1.0])
FAR = TableCamera(NEAR.lens, NEAR.rotation @ HALF_TURN, NEAR.rotation @ (30.0, 20.0, 0.0) + NEAR.translation)
"""The same camera from the far edge: it sees (x, y) where the other sees (30 - x, 20 - y)."""


@pytest.mark.parametrize(
    ("toward_px", "way_in"),
    [((1, 0), (0.25, 0.0)), ((-1, 0), (-0.25, 0.0)), ((0, -1), (0.0, 0.25)), ((0, 1), (0.0, -0.25))],
)
def test_the_cross_hair_moves_in_the_direction_of_the_picture(
    toward_px: tuple[int, int], way_in: tuple[float, float]
) -> None:
    (dx, dy), at_in = way_in, (10.0, 8.0)
    assert stepped(NEAR, at_in, toward_px, 0.25) == pytest.approx((10.0 + dx, 8.0 + dy))
    assert stepped(FAR, at_in, toward_px, 0.25) == pytest.approx((10.0 - dx, 8.0 - dy))


def test_the_cross_hair_stays_in_the_picture() -> None:
    assert stepped(NEAR, (29.5, 8.0), (1, 0), 1.0) == (29.5, 8.0)
    assert stepped(NEAR, (29.5, 8.0), (1, 0), 0.25) == (29.75, 8.0)
