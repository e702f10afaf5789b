"""A position: the state of a battle with the measured table, and the ranges and lines of sight between its figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from rules.engine.game import Game
from rules.engine.roster import card_of
from rules.engine.ruleset import Ruleset
from rules.engine.state import State, Unit
from rules.engine.text import display_name
from rules.tabletop.body import BODIES
from rules.tabletop.errors import user_error
from rules.tabletop.measure import Range, range_between, range_to, surface_in
from rules.tabletop.scene import SightRules
from rules.tabletop.sight import SLIVER, Exposures, exposures
from rules.tabletop.table import Figure, PointIn, Posture, TerrainPiece, ellipse_outline
from rules.tabletop.tolerance import DOUBT_SIGMAS

T = TypeVar("T")

SPOT = "the spot"
BODY_WIDTH_IN = 2 * BODIES[Posture.STANDING].half_width_in
"""Largest width of a standing soldier. Where the body is narrower, the error of the part in sight is slightly larger
than computed."""
_POINT_IN = 0.05
"""Half the width of a spot: small, but large enough for a silhouette."""

Measure = Callable[[Figure, Figure], Range]


@dataclass(frozen=True, slots=True)
class View:
    """A target as one figure sees it.

    Attributes:
        range: The range to it.
        exposure, exposure_to_fire: The part of it in sight, and the same if screens hide nothing.
        hidden_by: The terrain pieces that hide a part of it, each with the part that it would hide alone, largest
            first.
    """

    range: Range
    exposure: float
    exposure_to_fire: float
    hidden_by: tuple[tuple[TerrainPiece, float], ...]

    def part_errors(self, part: float) -> tuple[float, ...]:
        """One standard deviation of the part in sight; empty if all or nothing of the body is in sight.

        An error of the two places shifts the edge that hides the body by as much, which changes the part by that shift
        divided by the body's width; the part is not computed more precisely than `SLIVER`.
        """
        if not 0 < part < 1:
            return ()
        return (math.hypot(SLIVER / DOUBT_SIGMAS, self.range.sigma_in / BODY_WIDTH_IN),)


@dataclass(frozen=True, eq=False)
class Position:
    """The position that the rules are applied to.

    Attributes:
        game: The game.
        state: State of the battle.
        figures: The figures on the table, by id; eliminated units neither see nor are seen.
        terrain: All terrain pieces.
        sight: The game's rules for lines of sight.
        measure: Measures ranges; by default from the two places and their own errors alone.
    """

    game: Game[Any]
    state: State
    figures: Mapping[str, Figure]
    terrain: tuple[TerrainPiece, ...] = ()
    sight: SightRules = field(default_factory=SightRules)
    measure: Measure = range_between

    def figure(self, name: str) -> Figure:
        """A figure that is on the table.

        Raises:
            UserError: if the camera does not see it there.
        """
        if name not in self.figures:
            raise user_error(
                "{name} is not on the table: put it there or mark it as eliminated", name=display_name(name)
            )
        return self.figures[name]

    def unit(self, name: str) -> Unit:
        """The unit of a figure; raises `UserError` as `State.unit`."""
        return self.state.unit(name)

    def kind(self, unit: Unit) -> Mapping[str, Any]:
        """The card of a unit, ready or its own, as plain data."""
        return card_of(self.game, unit)

    def squad(self, unit: Unit) -> tuple[Unit, ...]:
        """The units of its squad that are not eliminated, including itself; only itself if it has no squad."""
        mates = self.state.standing(unit.side) if unit.squad else (unit,)
        return tuple(mate for mate in mates if mate.squad == unit.squad)

    def enemies(self, unit: Unit) -> tuple[Unit, ...]:
        """The units of other sides that are not eliminated and stand on the table."""
        units = self.state.units.values()
        return tuple(one for one in units if one.side != unit.side and not one.out and one.id in self.figures)

    def view(self, of: str, at: str) -> View:
        """How the figure `of` sees the figure `at`.

        Raises:
            UserError: if one of them is not on the table or is eliminated.
        """
        if (of, at) not in self._views:
            measured = self.measure(self.figure(of), self.figure(at))
            self._views[of, at] = self._viewed(self._seen, of, at, measured)
        return self._views[of, at]

    def spot(self, at_in: PointIn) -> Figure:
        """A place as a figure that can be seen and measured to; it lies on the surface there.

        The players choose it, so it has no measurement error.
        """
        outline = ellipse_outline(at_in, _POINT_IN, _POINT_IN)
        return Figure(SPOT, "", *at_in, surface_in(at_in, self.terrain), 0.0, Posture.PRONE, outline)

    def view_of_spot(self, of: str, at_in: PointIn) -> View:
        """How the figure `of` sees a place; raises `UserError` as `view`."""
        near, spot = self.figure(of), self.spot(at_in)
        seen = exposures([*self._standing, spot], self.terrain, self.sight, shooter=of)
        return self._viewed(seen, of, SPOT, range_to(near, (at_in,), spot.z_in))

    def _viewed(self, seen: Exposures, of: str, at: str, measured: Range) -> View:
        row, column = (_place(seen, name) for name in (of, at))
        return View(
            range=measured,
            exposure=float(seen.exposure[row, column]),
            exposure_to_fire=float(seen.exposure_to_fire[row, column]),
            hidden_by=tuple((self._pieces[name], part) for name, part in seen.hidden_by(row, column)),
        )

    @cached_property
    def _views(self) -> dict[tuple[str, str], View]:
        return {}

    @cached_property
    def _seen(self) -> Exposures:
        return exposures(self._standing, self.terrain, self.sight)

    @cached_property
    def _standing(self) -> list[Figure]:
        gone = {unit.id for unit in self.state.units.values() if unit.out}
        return [one for name, one in self.figures.items() if name not in gone]

    @cached_property
    def _pieces(self) -> Mapping[str, TerrainPiece]:
        return {piece.name: piece for piece in self.terrain}


def rules_with(_: type[T]) -> Callable[[Position], Ruleset[T]]:
    """A function that returns the ruleset of a position, typed for a game whose tables have this type."""

    def rules_of(position: Position) -> Ruleset[T]:
        rules: Ruleset[T] = position.game.rules
        return rules

    return rules_of


def _place(seen: Exposures, name: str) -> int:
    """The index of a figure in the exposures.

    Raises:
        UserError: if it is eliminated; it may still lie on the table, but sees nothing.
    """
    if name not in seen.ids:
        raise user_error("{name} is out of the battle: choose another figure", name=display_name(name))
    return seen.ids.index(name)
