"""Scenario of Plastic Fudge: a mine and woods, with Green and Tan on square bases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rules.engine.action import Action
from rules.engine.events import PhaseBegun
from rules.engine.roster import Army
from rules.engine.state import Unit
from rules.tabletop.table import Figure, PointIn, TerrainKind, TerrainPiece
from tests.rules.battle_driver import (
    BattleDriver,
    begun,
    recruits,
)
from tests.rules.board import box, figure, piece, square

MARKER = piece("marker", TerrainKind.MINE, box(13.5, 7, 14.5, 8))


def army(side: str, *cards: str) -> Army:
    return Army(name=f"The {side} camp", game="plastic_fudge", recruits=recruits(side, *cards))


def square_base(unit: Unit, sigma: float = 0.0) -> Figure:
    """The figure of a unit on a square base; Green faces up the table, Tan down."""
    assert unit.at_in is not None
    facing = 90.0 if unit.side == "green" else 270.0
    return figure(unit.id, *unit.at_in, sigma, square(*unit.at_in, 0.5), facing)


def obligation(driver: BattleDriver, action: str, by: str) -> Action:
    """The obligation of a unit with this rule."""
    return next(one for one in driver.referee.obligations(driver.position) if one.name == action and one.by == (by,))


EVEN = (0, 0, 0, 0)


# Available actions.


def table(
    path: Path,
    green: Sequence[str],
    tan: Sequence[str],
    places: Sequence[PointIn],
    terrain: Sequence[TerrainPiece] = (),
    sigma: float = 0.0,
    phase: str = "attacks",
    **options: object,
) -> BattleDriver:
    """Two sides at these places, Green first, in a phase of the first turn."""
    armies = {"green": army("green", *green), "tan": army("tan", *tan)}
    names = [one.figure for side in armies.values() for one in side.recruits]
    battle = begun(path / "b", "plastic_fudge", armies, dict(zip(names, places, strict=True)), options)
    battle.record(PhaseBegun(turn=1, side={"a_moves": "green", "b_moves": "tan"}.get(phase, ""), phase=phase))
    return BattleDriver(battle, terrain, lambda unit: square_base(unit, sigma))
