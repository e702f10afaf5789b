"""What many rulebooks share: sources of facts, the highest die, the last side standing, and the cost of ground.

A game whose rulebook differs writes its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rules.engine.action import FactPath, UncertainFact
from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.facts import Context, Source, Uncertain
from rules.engine.position import Position, View
from rules.engine.ruleset import Cited
from rules.engine.schema import Inches
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, forbidden
from rules.tabletop.errors import UserError
from rules.tabletop.movement import MovementProfile, TerrainCost, Walk, walk
from rules.tabletop.sight import SLIVER
from rules.tabletop.table import TerrainKind, TerrainPiece
from rules.tabletop.tolerance import DOUBT_SIGMAS, Choice

# Sources of facts.

SIDES = Source(lambda context: list(context.position.state.sides))
"""The sides of the battle, in order."""

FIGURES_LEFT = Source(lambda context: context.position.state.figures_left)
"""How many figures each side has left."""

ACTOR = Source(lambda context: context.actor.id)
"""The id of the acting figure."""

WEAPON = Source(lambda context: context.position.kind(context.actor)["weapons"][0])
"""The first weapon on the card of the acting figure."""


def _edge_range(context: Context) -> Uncertain:
    found = context.target_view.range
    return Uncertain(round(found.edge_in, 2), found.sigma_in, f"the range to {display_name(context.target.id)}")


def part_of_target(context: Context, part: float) -> Uncertain:
    """A part of the target that the acting figure sees, to a hundredth, with its error."""
    what = f"how much of {display_name(context.target.id)} is seen by {display_name(context.actor.id)}"
    return Uncertain(round(part, 2), sum(context.target_view.part_errors(round(part, 2))), what, 0.0, 1.0)


EDGE_RANGE = Source(_edge_range)
"""The range to the target from base edge to base edge, to a hundredth of an inch."""

PART_SEEN = Source(lambda context: part_of_target(context, context.target_view.exposure))
"""The part of the target that the acting figure sees, from 0 to 1."""


# Measurement errors of facts that are not numbers.

HIDDEN, SEEN = "hidden", "seen"
"""The players' answers to the question whether one figure sees another."""


def in_sight(view: View, what: str, way: FactPath = ("los",)) -> tuple[UncertainFact, ...]:
    """The uncertainty of whether the target is seen; empty if clearly enough of it is in sight, or nothing.

    Args:
        view: The target as the shooter sees it.
        what: Text for the player: which figure sees which.
        way: Path of the fact among the facts of the question.
    """
    exposure = view.exposure
    sigmas = (sigma for sigma in view.part_errors(exposure) if exposure - DOUBT_SIGMAS * sigma < SLIVER)
    return tuple(UncertainFact(way, sigma, what, either={HIDDEN: False, SEEN: True}) for sigma in sigmas)


def one_of(found: Choice[tuple[str, ...]], sigma_in: float, what: str, way: FactPath) -> tuple[UncertainFact, ...]:
    """The uncertainty of the terrain that a figure stands in, by its names; empty if it is certain."""
    either = {" and ".join(map(display_name, names)).lower() or "open": names for names in found.possible}
    return () if found.certain else (UncertainFact(way, sigma_in, what, either=either),)


# Rows of tables.


class Phase(Cited):
    """A row of a table `phases`: a part of the turn; in one with `moves`, figures move."""

    moves: bool = False


class Ground(Cited):
    """A row of a table `terrain`: what a kind of terrain does to a move; its name is that of a `TerrainKind`.

    Attributes:
        cost: Allowance for each inch.
    """

    cost: Inches = 1
    passable: bool = True


class Status(Cited):
    """A row of a table `statuses`: the meaning of a status of a figure or of the battle, for authors of situations.

    Attributes:
        means: The status that is kept in its place, where this is another word for it.
        value: What that is where this is true.
        many: Whether it holds a list.
    """

    text: str
    means: str = ""
    value: Any = None
    many: bool = False


def profile_of(rows: Mapping[str, Ground]) -> MovementProfile:
    """The movement profile of a table `terrain`; a kind of terrain without a row is open ground.

    Raises:
        UserError: if a row is no kind of terrain.
    """
    unknown = next((name for name in rows if name not in {kind.value for kind in TerrainKind}), None)
    if unknown is not None:
        known = ", ".join(TerrainKind)
        raise UserError(f"the table terrain has a row {unknown!r}, which is no kind of terrain: choose one of {known}")

    def cost_of(piece: TerrainPiece) -> TerrainCost:
        row = rows.get(piece.kind.value)
        return TerrainCost() if row is None else TerrainCost(row.cost, passable=row.passable)

    return MovementProfile(cost_of)


def _walk(context: Context) -> Walk | None:
    """The acting figure's walk along its path; None if it has none."""
    path = context.paths.get(context.actor.id)
    if path is None:
        return None
    sigma_in = context.position.figure(context.actor.id).sigma_in
    return walk(path, context.position.terrain, profile_of(context.rules.tables.terrain), 0.0, sigma_in=sigma_in)


def _path_cost(context: Context) -> Uncertain:
    found = _walk(context)
    if found is None or not math.isfinite(found.cost_in):  # see IN_THE_WAY
        return Uncertain(0.0, 0.0, "")
    return Uncertain(found.cost_in, found.sigma_in, f"the move of {display_name(context.actor.id)}")


def _in_the_way(context: Context) -> list[str]:
    found = _walk(context)
    grounds = (one.ground for one in found.impassable) if found is not None else ()
    return list(dict.fromkeys(f"the {ground.kind}".replace("_", " ") for ground in grounds if ground is not None))


PATH_COST = Source(_path_cost)
"""The allowance that the path of the acting figure costs, by the game's table `terrain`; 0 without a path."""

IN_THE_WAY = Source(_in_the_way)
"""The kinds of impassable terrain on the path of the acting figure."""


# The turn, dice and victory.


def not_your_turn(position: Position, unit: Unit, rule: str) -> Verdict | None:
    """The reason that forbids the actions of a unit in the turn of another side."""
    side = position.state.side
    if side in ("", unit.side):
        return None
    return forbidden("not_your_turn", position.game.rules.because(rule, f"it is the turn of {display_name(side)}"))


def highest_die(sides: Sequence[str], why: str) -> Procedure[list[str]]:
    """The sides in the order in which they act: the highest die first, then as they sit; a tie is rolled again."""
    best, again = list(sides), False
    while len(best) > 1:
        faces = []
        for side in best:
            request = DiceRequest(Die.D6, 1, side, f"{why}: {', '.join(best)}")
            faces.append((yield request.once_more() if again and side == best[0] else request).total)
        left = [side for side, face in zip(best, faces, strict=True) if face == max(faces)]
        again, best = left == best, left
    start = sides.index(best[0]) if best else 0
    return [*sides[start:], *sides[:start]]


@dataclass(frozen=True, slots=True)
class End:
    """Whether a battle is over, and who won it; None if nobody is left."""

    outcome: str
    over: bool
    winner: str | None


def last_standing(figures_left: Mapping[str, int]) -> End:
    """The end of a battle that the last side with figures wins."""
    left = [side for side, figures in figures_left.items() if figures]
    if len(left) > 1 or len(figures_left) < 2:
        return End("not yet", over=False, winner=None)
    return End("victory" if left else "draw", over=True, winner=left[0] if left else None)
