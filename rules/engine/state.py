"""The state of a battle, computed by folding its events in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from types import MappingProxyType
from typing import Any, TypeVar

from rules.engine import events
from rules.tabletop.errors import UserError
from rules.tabletop.table import Outline, PointIn, Posture, TerrainPiece

K = TypeVar("K")
V = TypeVar("V")

ELIMINATED = "eliminated"
"""The status of a figure that is out of the battle."""

MOST_KEPT = 2000
"""Limit of figures, of statuses of one figure, of answers, and so on. Every change copies such a table, because earlier
states must not change; without a limit, a malicious file would take hours to open."""

_NOTHING: Mapping[Any, Any] = MappingProxyType({})


def _nothing() -> Mapping[Any, Any]:
    return _NOTHING


@dataclass(frozen=True, slots=True)
class Unit:
    """A figure in the battle with its current values.

    Attributes:
        card, own: Its ready card by name, or its own card as data; one of them is None.
        squad: Name of its squad; empty if it has none.
        at_in: Its place after the last placement or move; None before it is placed.
        facing_deg: Its facing then; None if unknown.
        is_facing_given: Whether the players gave this facing, and it has not moved since.
        posture: Its posture as far as the battle knows it; None if only the camera does.
        statuses: Its statuses by name, kept until an event changes them.
        this_turn: Its statuses that end with the turn.
        allowance_used_in: Allowance spent in this turn.
        acts, acts_this_turn: How often it did each action, in the whole battle and in this turn.
    """

    id: str
    side: str
    card: str | None
    own: Mapping[str, Any] | None
    squad: str = ""
    at_in: PointIn | None = None
    facing_deg: float | None = None
    is_facing_given: bool = False
    posture: Posture | None = None
    statuses: Mapping[str, Any] = field(default_factory=_nothing)
    this_turn: Mapping[str, Any] = field(default_factory=_nothing)
    allowance_used_in: float = 0.0
    acts: Mapping[str, int] = field(default_factory=_nothing)
    acts_this_turn: Mapping[str, int] = field(default_factory=_nothing)

    @property
    def out(self) -> bool:
        """Whether it is eliminated."""
        return bool(self.statuses.get(ELIMINATED))


@dataclass(frozen=True, slots=True)
class State:
    """A battle after some of its events.

    Attributes:
        game, options, house_rules: The game, as in `BattleBegun`.
        sides: The players, in order.
        turn, side, phase: The current turn, side and phase; turn 0 is the set-up.
        units: The units by figure id.
        statuses, this_turn: Statuses of the battle itself, as of a unit.
        open_questions: Open questions to the players, each with its possible answers.
        settled: The players' answers by question.
        overruled: The reasons of overruled entries, by entry number.
        terrain, area_in: The terrain and the area of play, as far as known.
    """

    game: str = ""
    options: Mapping[str, Any] = field(default_factory=_nothing)
    house_rules: str = ""
    sides: tuple[str, ...] = ()
    turn: int = 0
    side: str = ""
    phase: str = ""
    units: Mapping[str, Unit] = field(default_factory=_nothing)
    statuses: Mapping[str, Any] = field(default_factory=_nothing)
    this_turn: Mapping[str, Any] = field(default_factory=_nothing)
    open_questions: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)
    settled: Mapping[str, str] = field(default_factory=_nothing)
    overruled: Mapping[int, str] = field(default_factory=_nothing)
    terrain: tuple[TerrainPiece, ...] = ()
    area_in: Outline = ()

    def unit(self, figure: str) -> Unit:
        """The unit of a figure.

        Raises:
            UserError: if the figure is not in the battle.
        """
        if figure not in self.units:
            raise UserError(f"{figure} is not in this battle: add it first")
        return self.units[figure]

    def standing(self, side: str) -> tuple[Unit, ...]:
        """The units of a side that are not eliminated."""
        return tuple(unit for unit in self.units.values() if unit.side == side and not unit.out)

    @property
    def figures_left(self) -> dict[str, int]:
        """Number of units of each side that are not eliminated."""
        return {side: len(self.standing(side)) for side in self.sides}


S = TypeVar("S", Unit, State)


def fold(state: State, event: events.Event) -> State:
    """The state after an event.

    Raises:
        UserError: if the event does not fit this state.
    """
    if isinstance(event, events.BattleBegun) == bool(state.game):
        raise UserError("a battle begins exactly once, with its game and its players: begin another one in a new file")
    return FOLDS[type(event)](state, event)


def _begun(state: State, event: events.BattleBegun) -> State:
    has_names = all(event.players) and len(set(event.players)) == len(event.players)
    if not event.game or not event.players or not has_names:
        players = ", ".join(event.players)
        raise UserError(f"a battle needs a game and players with different names, not {players!r}: name each player")
    return replace(
        state, game=event.game, options=event.options, house_rules=event.house_rules, sides=tuple(event.players)
    )


def _enlisted(state: State, event: events.UnitJoined) -> State:
    _known_side(state, event.side)
    if not event.figure or event.figure in state.units:
        raise UserError(f"the figure {event.figure!r} cannot join: give it a name that no other figure has")
    return _with(state, Unit(event.figure, event.side, event.card, event.own, event.squad))


def _phase(state: State, event: events.PhaseBegun) -> State:
    if event.side:
        _known_side(state, event.side)
    if event.turn not in (state.turn, state.turn + 1):
        raise UserError(f"turn {event.turn} cannot follow turn {state.turn}: begin turn {state.turn + 1}")
    after = replace(state, turn=event.turn, side=event.side, phase=event.phase)
    if event.turn == state.turn:
        return after
    return replace(after, units=_reset_for_turn(state.units), this_turn=_NOTHING)


def _reset_for_turn(units: Mapping[str, Unit]) -> Mapping[str, Unit]:
    """The units with everything that belongs to a turn reset."""
    return MappingProxyType(
        {
            figure: replace(unit, this_turn=_NOTHING, allowance_used_in=0.0, acts_this_turn=_NOTHING)
            for figure, unit in units.items()
        }
    )


def _placed(state: State, event: events.Placed) -> State:
    unit = state.unit(event.figure)
    return _with(state, replace(unit, at_in=event.at_in, facing_deg=_known(event.facing_deg, unit.facing_deg)))


def _posed(state: State, event: events.Posed) -> State:
    unit = state.unit(event.figure)
    unit = replace(unit, posture=event.posture or unit.posture)
    if event.facing_deg is not None:
        unit = replace(unit, facing_deg=event.facing_deg, is_facing_given=True)
    return _with(state, unit)


def _known(new_deg: float | None, old_deg: float | None) -> float | None:
    return old_deg if new_deg is None else new_deg


def _resolved(state: State, event: events.ActionResolved | events.OutcomeDecided) -> State:
    for figure in event.by:
        unit = state.unit(figure)
        acts, this_turn = (_counted(counts, event.action) for counts in (unit.acts, unit.acts_this_turn))
        state = _with(state, replace(unit, acts=acts, acts_this_turn=this_turn))
    return _with_effects(state, event.effects)


def _with_effects(state: State, effects: events.Effects) -> State:
    return reduce(_change, effects.changes, reduce(_move, effects.moves, state))


def _move(state: State, move: events.Move) -> State:
    unit = state.unit(move.figure)
    used_in, facing_deg = unit.allowance_used_in + move.cost_in, _known(move.facing_deg, unit.facing_deg)
    moved = replace(unit, at_in=move.to_in, facing_deg=facing_deg, is_facing_given=False, allowance_used_in=used_in)
    return _with(state, moved)


def _change(state: State, change: events.Change) -> State:
    if not change.figure:
        return _changed(state, change)
    return _with(state, _changed(state.unit(change.figure), change))


def _changed(of: S, change: events.Change) -> S:
    """A unit, or the battle itself, with a changed status."""
    if change.this_turn:
        return replace(of, this_turn=_set(of.this_turn, change.key, change.value))
    return replace(of, statuses=_set(of.statuses, change.key, change.value))


def _question_asked(state: State, event: events.QuestionAsked) -> State:
    if len(set(event.answers)) < 2 or event.question in state.open_questions:
        raise UserError(f"the question {event.question!r} must have two answers and be asked only once")
    return replace(state, open_questions=_set(state.open_questions, event.question, event.answers))


def _question_answered(state: State, event: events.QuestionAnswered) -> State:
    answers = state.open_questions.get(event.question, (event.answer,))
    if event.answer not in answers:
        raise UserError(f"the answer to {event.question!r} must be {' or '.join(answers)}, not {event.answer!r}")
    settled = _set(state.settled, event.question, event.answer)
    return replace(state, open_questions=_set(state.open_questions, event.question, None), settled=settled)


def _overruled(state: State, event: events.VerdictOverruled) -> State:
    after = _with_effects(state, event.effects)
    after = after if event.given_back is None else _refunded(after, event.given_back)
    return replace(after, overruled=_set(state.overruled, event.entry, event.reason))


def _refunded(state: State, refund: events.Refund) -> State:
    for figure, inches in refund.allowance_in.items():
        unit = state.unit(figure)
        state = _with(state, replace(unit, allowance_used_in=max(0.0, unit.allowance_used_in - inches)))
    for figure in refund.by:
        unit, action = state.unit(figure), refund.action
        total = max(0, unit.acts.get(action, 0) - 1)
        in_turn = min(total, max(0, unit.acts_this_turn.get(action, 0) - refund.this_turn))
        acts, acts_this_turn = (
            _set(unit.acts, action, total or None),
            _set(unit.acts_this_turn, action, in_turn or None),
        )
        state = _with(state, replace(unit, acts=acts, acts_this_turn=acts_this_turn))
    return state


FOLDS: Mapping[type[events.Event], Callable[[State, Any], State]] = {
    events.BattleBegun: _begun,
    events.UnitJoined: _enlisted,
    events.PhaseBegun: _phase,
    events.Placed: _placed,
    events.Posed: _posed,
    events.Moved: lambda state, event: reduce(_move, event.moves, state),
    events.ActionResolved: _resolved,
    events.Changed: lambda state, event: reduce(_change, event.changes, state),
    events.QuestionAsked: _question_asked,
    events.QuestionAnswered: _question_answered,
    events.VerdictOverruled: _overruled,
    events.OutcomeDecided: _resolved,
    events.Noted: lambda state, _: state,
    events.CameraMoved: lambda state, _: state,
    events.MarkerMoved: lambda state, _: state,
    events.TableLaid: lambda state, event: replace(state, terrain=event.terrain, area_in=event.area_in),
}
"""Every kind of event with its effect on the state."""


def _known_side(state: State, side: str) -> None:
    if side not in state.sides:
        raise UserError(f"{side!r} is not a side of this battle: choose one of {', '.join(state.sides)}")


def _with(state: State, unit: Unit) -> State:
    return replace(state, units=_set(state.units, unit.id, unit))


def _counted(counts: Mapping[str, int], key: str) -> Mapping[str, int]:
    return _set(counts, key, counts.get(key, 0) + 1)


def _set(table: Mapping[K, V], key: K, value: V | None) -> Mapping[K, V]:
    """The table with a new value for the key; None removes the key.

    Raises:
        UserError: if it would have more than `MOST_KEPT` keys.
    """
    if len(table) >= MOST_KEPT and key not in table and value is not None:
        raise UserError(f"a battle holds at most {MOST_KEPT:,} figures, statuses or answers: begin another battle")
    rest = {name: old for name, old in table.items() if name != key or value is not None}
    return MappingProxyType(rest if value is None else {**rest, key: value})
