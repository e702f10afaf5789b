"""A battle at one moment, on the table as it is measured: who stands where, sees whom, and is how far away."""

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
from rules.engine.text import spoken
from rules.tabletop.area import surface_in
from rules.tabletop.body import BODIES
from rules.tabletop.errors import UserError
from rules.tabletop.measure import Range, range_between, range_to
from rules.tabletop.scene import SightRules
from rules.tabletop.sight import SLIVER, Exposures, exposures
from rules.tabletop.table import Figure, PointIn, Posture, TerrainPiece, ellipse_outline
from rules.tabletop.tolerance import DOUBT_SIGMAS

T = TypeVar("T")

SPOT = "the spot"
BODY_WIDTH_IN = 2 * BODIES[Posture.STANDING].half_width_in
"""A soldier at his widest; where he is narrower, the part of him in sight is a little less sure than is said."""
_POINT_IN = 0.05
"""A spot is hardly wider than a point, but wide enough to be looked at."""

Measure = Callable[[Figure, Figure], Range]


@dataclass(frozen=True, slots=True)
class View:
    """One figure as another has it before it.

    Attributes:
        range: How far it is.
        exposure, exposure_to_fire: The part of it in sight, and the same with screens looked through.
        hidden_by: The pieces that hide some of it, each with the part that it would hide alone, most first.
    """

    range: Range
    exposure: float
    exposure_to_fire: float
    hidden_by: tuple[tuple[TerrainPiece, float], ...]

    def part_errors(self, part: float) -> tuple[float, ...]:
        """One standard deviation of a part that is seen; none where all or nothing is.

        What hides a body has its edge as much too far to a side as the two places together, so that the part is off by
        that over the body's width; and rays tell nothing smaller than a sliver.
        """
        if not 0 < part < 1:
            return ()
        return (math.hypot(SLIVER / DOUBT_SIGMAS, self.range.sigma_in / BODY_WIDTH_IN),)


@dataclass(frozen=True, eq=False)
class Moment:
    """What a question about the rules is asked of.

    Attributes:
        game: What is played.
        state: How the battle stands.
        figures: Who is on the table, by id; units that are out of the battle do not count.
        terrain: Every piece.
        sight: What the game says about seeing.
        measure: How ranges are measured; by default from the places and their own errors alone.
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
            UserError: if it is not seen there.
        """
        if name not in self.figures:
            raise UserError(f"{name} is not seen on the table: put it there, or say that it is gone")
        return self.figures[name]

    def unit(self, name: str) -> Unit:
        """The unit of a figure; raises `UserError` as `State.unit`."""
        return self.state.unit(name)

    def kind(self, unit: Unit) -> Mapping[str, Any]:
        """The card of a unit, ready or its own, as the game's data has it."""
        return card_of(self.game, unit)

    def squad(self, unit: Unit) -> tuple[Unit, ...]:
        """The men of its squad that are not out, itself among them; itself where it is alone."""
        mates = self.state.standing(unit.side) if unit.squad else (unit,)
        return tuple(mate for mate in mates if mate.id == unit.id or (mate.squad and mate.squad == unit.squad))

    def enemies(self, unit: Unit) -> tuple[Unit, ...]:
        """Everybody of another side who is not out and stands on the table."""
        every = self.state.units.values()
        return tuple(one for one in every if one.side != unit.side and not one.out and one.id in self.figures)

    def view(self, of: str, at: str) -> View:
        """How the figure `of` has the figure `at` before it.

        Raises:
            UserError: if one of them is not on the table, or out of the battle.
        """
        if (of, at) not in self._views:
            self._views[of, at] = self._viewed(of, at)
        return self._views[of, at]

    def spot(self, at_in: PointIn) -> Figure:
        """A bare place as something to look at and to measure to: it lies on what one stands on there.

        It is where the players say, so it has no error of its own.
        """
        outline = ellipse_outline(at_in, _POINT_IN, _POINT_IN)
        return Figure(SPOT, "", *at_in, surface_in(at_in, self.terrain), 0.0, Posture.PRONE, outline)

    def view_of_spot(self, of: str, at_in: PointIn) -> View:
        """How the figure `of` has a bare place before it; raises `UserError` as `view`."""
        near, spot = self.figure(of), self.spot(at_in)
        seen = exposures([*self._standing, spot], self.terrain, self.sight, shooter=of)
        row, column = _place(seen, of), len(seen.ids) - 1
        return View(
            range=range_to(near, (at_in,), spot.z_in),
            exposure=float(seen.exposure[row, column]),
            exposure_to_fire=float(seen.exposure_to_fire[row, column]),
            hidden_by=tuple((self._pieces[name], part) for name, part in seen.hidden_by(row, column)),
        )

    def _viewed(self, of: str, at: str) -> View:
        near, far = self.figure(of), self.figure(at)
        row, column = (_place(self._seen, name) for name in (of, at))
        hidden = tuple((self._pieces[name], part) for name, part in self._seen.hidden_by(row, column))
        return View(
            range=self.measure(near, far),
            exposure=float(self._seen.exposure[row, column]),
            exposure_to_fire=float(self._seen.exposure_to_fire[row, column]),
            hidden_by=hidden,
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


def rules_with(_: type[T]) -> Callable[[Moment], Ruleset[T]]:
    """What gives the rules of a moment, in a game whose tables are of this type."""

    def rules_of(moment: Moment) -> Ruleset[T]:
        rules: Ruleset[T] = moment.game.rules
        return rules

    return rules_of


def _place(seen: Exposures, name: str) -> int:
    """The number of a figure among those who see and are seen.

    Raises:
        UserError: if it is out of the battle: it may lie on the table still, but sees nobody.
    """
    if name not in seen.ids:
        raise UserError(f"{spoken(name)} is out of the battle: choose another")
    return seen.ids.index(name)
