"""The cost of a move: profiles of units, a path split by the ground it crosses, and how far the allowance goes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from shapely.geometry import Point, Polygon

from rules.tabletop.bearing import Turning, bearing_deg
from rules.tabletop.errors import UserError
from rules.tabletop.measure import OVERLAY_KINDS, counting
from rules.tabletop.path import Path, checked, legs, place_at, spans_in
from rules.tabletop.table import PointIn, TerrainKind, TerrainPiece
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


@dataclass(frozen=True, slots=True)
class MovementProfile:
    """How a unit moves under a ruleset.

    Attributes:
        cost_of: Returns the movement costs of a terrain piece.
        open_cost_per_in: Allowance per inch of open table.
        climb_cost_per_in: Additional allowance per inch of height gained.
        height_step_in: Only whole steps of this height count for each climb; 0 counts every height.
        uphill_factor: Multiplies the inches on ground that was climbed onto until the height changes again; hills are
            prisms, so their upper side stands for the slope.
        turning: The cost of turning; None if it is free.
        whole_inches: Whether each unbroken stretch of slow ground is rounded up to whole inches.

    Raises:
        UserError: if a number is negative or not finite.
    """

    cost_of: Callable[[TerrainPiece], TerrainCost]
    open_cost_per_in: float = 1.0
    climb_cost_per_in: float = 0.0
    height_step_in: float = 0.0
    uphill_factor: float = 1.0
    turning: Turning | None = None
    whole_inches: bool = False

    def __post_init__(self) -> None:
        _check_costs(self.open_cost_per_in, self.climb_cost_per_in, self.height_step_in, self.uphill_factor)


class Reason(StrEnum):
    """Why a toll is paid."""

    TURN = "turn"
    LEAVE = "leave"
    ENTER = "enter"
    CLIMB = "climb"


@dataclass(frozen=True, slots=True)
class Toll:
    """Allowance paid at one place, and why."""

    reason: Reason
    cost_in: float


@dataclass(frozen=True, slots=True)
class Stretch:
    """A straight part of a path on one ground.

    Attributes:
        ground: The piece that determines the cost: an impassable piece, else a road or bridge, else the slowest piece
            here; None for the open table.
        inside: Every piece here that counts.
        from_in, to_in: Its ends.
        length_in: Its length.
        height_in: Height of the ground.
        tolls: Tolls paid at its beginning.
        cost_per_in: Allowance per inch; infinite if impassable.
        prepaid_in: Inches of it that were already paid for by rounding up earlier stretches.
        whole: Whether the remaining inches are rounded up to whole inches.
    """

    ground: TerrainPiece | None
    inside: tuple[TerrainPiece, ...]
    from_in: PointIn
    to_in: PointIn
    length_in: float
    height_in: float
    tolls: tuple[Toll, ...]
    cost_per_in: float
    prepaid_in: float = 0.0
    whole: bool = False

    @property
    def passable(self) -> bool:
        """Whether a path may lead here."""
        return math.isfinite(self.cost_per_in)

    @property
    def toll_in(self) -> float:
        """Sum of the tolls."""
        return sum(toll.cost_in for toll in self.tolls)

    @property
    def charged_in(self) -> float:
        """The inches charged for, after rounding."""
        unpaid = max(0.0, self.length_in - self.prepaid_in)
        return float(math.ceil(unpaid - EXACT)) if self.whole else unpaid

    @property
    def cost_in(self) -> float:
        """Allowance spent on the stretch, tolls included; infinite if impassable."""
        return self.toll_in + (self.charged_in * self.cost_per_in if self.passable else math.inf)

    def carries_in(self, left_in: float) -> float:
        """Length of the stretch that the remaining allowance pays for; 0 if it does not even cover the tolls."""
        if not self.passable or self.toll_in > left_in + EXACT:
            return 0.0
        if self.cost_in <= left_in + EXACT:
            return self.length_in
        paid = (left_in - self.toll_in) / self.cost_per_in
        return self.prepaid_in + (math.floor(paid + EXACT) if self.whole else paid)


@dataclass(frozen=True, slots=True)
class Walk:
    """A path with its cost.

    Attributes:
        start_in: Where it begins.
        start_inside: The pieces that contain the start.
        stretches: Its parts in order; empty for a path without length.
        allowance_in: Movement allowance of the unit.
        sigma_in: One standard deviation of the cost.
    """

    start_in: PointIn
    start_inside: tuple[TerrainPiece, ...]
    stretches: tuple[Stretch, ...]
    allowance_in: float
    sigma_in: float = 0.0

    @property
    def cost_in(self) -> float:
        """Allowance spent; infinite if a stretch is impassable."""
        return sum(stretch.cost_in for stretch in self.stretches)

    @property
    def impassable(self) -> tuple[Stretch, ...]:
        """The stretches that may not be entered."""
        return tuple(stretch for stretch in self.stretches if not stretch.passable)

    @property
    def reach_in(self) -> PointIn:
        """The place along the path where the allowance runs out, or the end of the path."""
        left_in, place = self.allowance_in, self.start_in
        for stretch in self.stretches:
            carried = stretch.carries_in(left_in)
            if carried < stretch.length_in:
                return place_at((stretch.from_in, stretch.to_in), carried)
            left_in, place = left_in - stretch.cost_in, stretch.to_in
        return place

    @property
    def entered(self) -> tuple[str, ...]:
        """Names of the pieces that the path enters, in order."""
        return tuple(name for before, after in self._steps() for name in after if name not in before)

    @property
    def left(self) -> tuple[str, ...]:
        """Names of the pieces that the path leaves, in order."""
        return tuple(name for before, after in self._steps() for name in before if name not in after)

    def _steps(self) -> Iterable[tuple[list[str], list[str]]]:
        inside = (self.start_inside, *(stretch.inside for stretch in self.stretches))
        return pairwise([piece.name for piece in pieces] for pieces in inside)


def walk(
    path_in: Path,
    terrain: Iterable[TerrainPiece],
    movement_profile: MovementProfile,
    allowance_in: float,
    sigma_in: float = 0.0,
) -> Walk:
    """Compute the cost of a path; the turn to its first leg is free.

    Args:
        path_in: Places of the base's centre; the ground under the centre counts. A start exactly on an outline counts
            as outside.
        terrain: The pieces to consider; ground beneath a road or a bridge does not count.
        movement_profile: Movement profile of the unit.
        allowance_in: Its movement allowance.
        sigma_in: One standard deviation of the two ends of the path along one axis, taken as independent.

    Raises:
        UserError: if the path is empty or has a place that is not finite, or the allowance is negative.
    """
    if not allowance_in >= 0:
        raise UserError(f"a movement allowance must be 0 in or more, not {allowance_in:g}")
    areas = tuple((piece, Polygon(piece.outline_in)) for piece in terrain)
    walker = _Walker(movement_profile, areas, checked(path_in))
    start_inside = walker.inside
    stretches = tuple(walker.stretches())
    rates = [s.cost_per_in for s in stretches if s.passable and s.length_in > 0] or [0.0]
    return Walk(path_in[0], start_inside, stretches, allowance_in, sigma_in * math.hypot(rates[0], rates[-1]))


_Ground = tuple[TerrainKind, float]
"""Terrain kind and cost per inch; neighbouring stretches with the same values are rounded together."""


class _Walker:
    """A figure on its path: the pieces it is inside, its heading, and the inches it has paid for in advance."""

    def __init__(
        self, movement_profile: MovementProfile, terrain: Sequence[tuple[TerrainPiece, Polygon]], path_in: Path
    ) -> None:
        self._profile, self._terrain, self._path = movement_profile, terrain, path_in
        self._heading: float | None = None
        self._place = path_in[0]
        self.inside = self._at(path_in[0])
        self._height = self._height_of(self.inside)
        self._uphill = False
        self._ground: _Ground | None = None
        self._prepaid_in = 0.0

    def stretches(self) -> Iterator[Stretch]:
        for _, a, b in legs(self._path):
            turn = self._turn(bearing_deg(a, b))
            for to in self._stops(a, b):
                middle = ((self._place[0] + to[0]) / 2, (self._place[1] + to[1]) / 2)
                yield self._stretch(to, self._at(middle), turn)
                turn = ()

    def _stops(self, a: PointIn, b: PointIn) -> list[PointIn]:
        """Where a leg crosses outlines, followed by its end."""
        length = math.dist(a, b)
        ends = sorted(end for _, area in self._terrain for span in spans_in((a, b), area) for end in span)
        stops = [end for before, end in pairwise((0.0, *ends)) if end - before > EXACT and length - end > EXACT]
        return [*(place_at((a, b), stop) for stop in stops), b]

    def _at(self, place: PointIn) -> tuple[TerrainPiece, ...]:
        return counting(piece for piece, area in self._terrain if area.contains(Point(place)))

    def _height_of(self, inside: Iterable[TerrainPiece]) -> float:
        return max((piece.top_in for piece in inside if self._profile.cost_of(piece).on_top), default=0.0)

    def _turn(self, to_deg: float) -> tuple[Toll, ...]:
        turning, heading = self._profile.turning, self._heading
        self._heading = to_deg
        price_in = turning.price_in(heading, to_deg) if turning is not None and heading is not None else 0.0
        return (Toll(Reason.TURN, price_in),) if price_in > 0 else ()

    def _stretch(self, to: PointIn, inside: tuple[TerrainPiece, ...], turn: tuple[Toll, ...]) -> Stretch:
        height = self._height_of(inside)
        tolls = (*turn, *self._border_tolls(inside), *self._height_tolls(height - self._height))
        if abs(height - self._height) > EXACT:
            self._uphill = height > self._height
        ground, rate = self._ground_cost(inside)
        length = math.dist(self._place, to)
        slow = (
            (ground.kind, rate)
            if ground is not None and rate not in (self._profile.open_cost_per_in, math.inf)
            else None
        )
        prepaid_in, whole = (
            self._prepaid_in if slow == self._ground else 0.0,
            slow is not None and self._profile.whole_inches,
        )
        found = Stretch(ground, inside, self._place, to, length, height, tolls, rate, prepaid_in, whole)
        self._prepaid_in = max(0.0, prepaid_in + found.charged_in - length) if whole else 0.0
        self.inside, self._place, self._height, self._ground = inside, to, height, slow
        return found

    def _border_tolls(self, inside: tuple[TerrainPiece, ...]) -> list[Toll]:
        cost_of, before = self._profile.cost_of, self.inside
        left = [Toll(Reason.LEAVE, cost_of(piece).leave_in) for piece in before if piece not in inside]
        entered = [Toll(Reason.ENTER, cost_of(piece).enter_in) for piece in inside if piece not in before]
        return [toll for toll in (*left, *entered) if toll.cost_in > 0]

    def _height_tolls(self, rise_in: float) -> list[Toll]:
        step, rise_in = self._profile.height_step_in, max(0.0, rise_in)
        counted = math.floor(rise_in / step + EXACT) * step if step > 0 else rise_in
        price_in = counted * self._profile.climb_cost_per_in
        return [Toll(Reason.CLIMB, price_in)] if price_in > 0 else []

    def _ground_cost(self, inside: tuple[TerrainPiece, ...]) -> tuple[TerrainPiece | None, float]:
        """The piece that determines the cost, and the cost per inch."""
        cost_of = self._profile.cost_of
        if not inside:
            return None, self._profile.open_cost_per_in
        impassable = next((piece for piece in inside if not cost_of(piece).passable), None)
        if impassable is not None:
            return impassable, math.inf
        overlays = [piece for piece in inside if piece.kind in OVERLAY_KINDS]
        ground = max(overlays or inside, key=lambda piece: cost_of(piece).cost_per_in)
        return ground, cost_of(ground).cost_per_in * (self._profile.uphill_factor if self._uphill else 1.0)
