"""What a game must provide: it turns a position into actions, and verdicts into effects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar

from rules.engine.action import Action
from rules.engine.effects import CONDITIONS, Condition, moves_along, status_changes
from rules.engine.events import Change, Effects, PhaseBegun
from rules.engine.objectives import Task
from rules.engine.position import Position
from rules.engine.ruleset import Ruleset
from rules.engine.state import State, Unit
from rules.engine.verdict import ACTORS, TARGETS, MoveEffect, StatusEffect, Verdict
from rules.tabletop.path import Path
from rules.tabletop.scene import SightRules
from rules.tabletop.table import PointIn, TerrainPiece

T = TypeVar("T")

FIRE = "Fire"
"""The round of all figures that have a target; attacks that name no other round belong to it."""

NO_FACINGS: Mapping[str, float] = MappingProxyType({})


class March(Protocol):
    """Asks whether figures may go along their paths."""

    def __call__(
        self, position: Position, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS
    ) -> Action:
        """The move, with which way each figure faces at its end, as far as that is known."""
        ...


def phase_says(position: Position, flag: str) -> bool:
    """Whether the row of the phase says this, such as "moves"; a figure's own phase has its id after the name."""
    rows = position.game.rules.plain.get("phases", {})
    return bool(rows.get(position.state.phase.partition(" ")[0], {}).get(flag))


def rounds_where(flag: str) -> Callable[[Position], tuple[str, ...]]:
    """A round of fire in the phases whose rows say this."""
    return lambda position: (FIRE,) if phase_says(position, flag) else ()


@dataclass(frozen=True, slots=True)
class Referee(Generic[T]):
    """The part of a game that turns a position into actions, and verdicts into effects.

    Attributes:
        sight: The game's rules for lines of sight.
        movement: The action that shows a figure's remaining move; its preview or verdict has `allowance_in` and
            `left_in`.
        march: The action that moves figures along their paths, with their facings at the end.
        attacks: Every weapon of a figure at every target.
        others: All other actions of a figure.
        obligations: The obligations that belong to no single figure: initiative, morale rounds, victory.
        effects: What an allowed verdict changes in the battle.
        next_phase: The phase that begins when the players end the current one.
        at_phase_end: What the end of the phase changes by itself, as a turn more for which a place was held.
        at_spot: The actions of a figure at a place; empty in games without such weapons.
        at_targets: The actions of a figure at several targets, named in the order of its shots.
        unoffered: Why a figure is not offered an attack on these targets with this weapon, if a rule says so.
        strayed: Where a shot was aimed and where it landed after it strayed; None if it did not stray.
        ground: The terrain, as changed by the battle.
        conditions: The conditions that the players may give a figure when they overrule the rules, by name.
        rounds: The rounds of attacks that are possible now, in which figures are asked one by one.
        ready: Whether a unit on the table may still do anything in this phase, whatever it sees.
        turn_in: How many inches of its move a unit loses if it first turns to set off in this direction (degrees).
        shown_die: The die that restricts a unit for now and lies beside it on a real table; 0 if none does.
        moves: Whether figures move in the current phase; by default if its row in the table `phases` says `moves`.
        tasks: The tasks that a side may have, the default first; empty if the game leaves objectives to the players.
        this_turn: Names of the statuses that end with the turn.
        harmless: Names of lasting statuses that an attack gives its target without harming it.
        inside: Names of the statuses that name the vehicle or building that a figure is in, so not on the table itself.
        squads: Whether the squads of figures matter to the rules.
    """

    sight: Callable[[Ruleset[T]], SightRules]
    movement: Callable[[Position, str], Action]
    march: March
    attacks: Callable[[Position, str], Iterable[Action]]
    others: Callable[[Position, str], Iterable[Action]]
    obligations: Callable[[Position], Iterable[Action]]
    effects: Callable[[Position, Action, Verdict], Effects]
    next_phase: Callable[[Position], PhaseBegun]
    at_phase_end: Callable[[Position], tuple[Change, ...]] = lambda _: ()
    at_spot: Callable[[Position, str, PointIn], Iterable[Action]] = lambda *_: ()
    at_targets: Callable[[Position, str, tuple[str, ...]], Iterable[Action]] = lambda *_: ()
    unoffered: Callable[[Position, str, tuple[str, ...], str], Verdict | None] = lambda *_: None
    ground: Callable[[Ruleset[T], State, Iterable[TerrainPiece]], Iterable[TerrainPiece]] = (
        lambda _rules, _state, terrain: terrain
    )
    strayed: Callable[[Position, Action, Verdict], tuple[PointIn, PointIn] | None] = lambda *_: None
    conditions: Mapping[str, Condition] = field(default_factory=lambda: CONDITIONS)
    rounds: Callable[[Position], tuple[str, ...]] = lambda _: (FIRE,)
    ready: Callable[[Position, Unit], bool] = lambda *_: True
    turn_in: Callable[[Position, Unit, float], float] = lambda *_: 0.0
    shown_die: Callable[[Unit], int] = lambda _: 0
    moves: Callable[[Position], bool] = lambda position: phase_says(position, "moves")
    tasks: Callable[[Ruleset[T]], tuple[Task, ...]] = lambda _: ()
    this_turn: frozenset[str] = frozenset()
    harmless: frozenset[str] = frozenset()
    inside: frozenset[str] = frozenset()
    squads: bool = True


def effects_of(position: Position, action: Action, found: Verdict) -> Effects:
    """The effects of a verdict on the figures of its action."""
    moves = [
        move
        for one in found.effects
        if isinstance(one, MoveEffect)
        for move in moves_along(position, action.paths, one.cost_in, action.facing_deg)
    ]
    names = {ACTORS: action.by, TARGETS: action.at}
    changes = [
        change
        for one in found.effects
        if isinstance(one, StatusEffect)
        for change in status_changes(
            names.get(one.figure, (one.figure,)), one.status, one.value, one.rule, this_turn=one.this_turn
        )
    ]
    return Effects(moves=tuple(moves), changes=tuple(changes))
