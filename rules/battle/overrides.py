"""Overrides: the players decide an outcome themselves, or replace a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from rules.battle.battle import Battle
from rules.battle.history import history_of
from rules.engine.action import Action
from rules.engine.events import (
    ActionResolved,
    Change,
    Effects,
    Event,
    Move,
    Noted,
    OutcomeDecided,
    Refund,
    VerdictOverruled,
)
from rules.engine.position import Position
from rules.engine.preview import preview_of
from rules.engine.referee import Referee
from rules.engine.state import State, Unit
from rules.engine.text import change_words, outcome_words
from rules.engine.verdict import Verdict
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.path import Path

Verdicts = ActionResolved | OutcomeDecided
"""What can be overruled."""


@dataclass(frozen=True, slots=True)
class Override:
    """An outcome that the players can choose for an action.

    Attributes:
        outcome: Its name, in a few words.
        effects: What it changes in the battle.
        chance: Its probability by the rules; None if no dice are involved.
        counts: Whether the action counts as done.
    """

    outcome: str
    effects: Effects
    chance: Fraction | None = None
    counts: bool = True

    @property
    def words(self) -> str:
        """The outcome with its lasting changes, such as "kills: Tan 4 eliminated"."""
        changes = ", ".join(change_words(one) for one in self.effects.changes if not one.this_turn)
        return f"{self.outcome}: {changes}" if changes else self.outcome


def possible_overrides(referee: Referee[Any], position: Position, action: Action) -> tuple[Override, ...]:
    """The outcomes of an action that the rules can produce, the most probable first.

    Empty if the action is not allowed or lacks facts, or if its dice have too many combinations.

    Args:
        referee: The referee of the game.
        position: The current position.
        action: The action, with the facts that the players have supplied and settled, as in an `ActionPreview`.
    """
    if action.blocked_by is not None or not action.has_odds:
        return ()
    overrides: dict[str, Override] = {}

    def words_of(verdict: Verdict) -> str:
        effects = referee.effects(position, action, verdict) if verdict.allowed else Effects()
        override = Override(outcome_words(verdict.outcome), effects)
        overrides.setdefault(override.words, override)
        return override.words if verdict.allowed else ""

    try:
        chances = position.game.odds_of(action.name, action.given, words_of)
    except UserError:
        return ()
    ranked = sorted(chances.items(), key=lambda one: (-one[1], one[0]))
    return tuple(replace(overrides[words], chance=chance) for words, chance in ranked if words)


STANDS = "it stands"


def record_forbidden_moves(
    battle: Battle, referee: Referee[Any], position: Position, moves: Sequence[Mapping[str, Path]], reason: str
) -> None:
    """Record moves that the rules forbid, with all effects of an allowed move.

    Args:
        battle: The battle.
        referee: The referee of its game.
        position: The position before the moves.
        moves: The paths of the figures that move together, for each move.
        reason: The players' reason.

    Raises:
        UserError: if no reason is given, or as `Battle.record`; then nothing has happened.
    """
    actions = [referee.march(position, paths) for paths in moves]
    overrides = [Override(STANDS, _effects_as_allowed(referee, position, action)) for action in actions]
    battle.record_all(_ruled(action, override, reason) for action, override in zip(actions, overrides, strict=True))


def _effects_as_allowed(referee: Referee[Any], position: Position, action: Action) -> Effects:
    """The effects of a move as if it were allowed, with the numbers of the verdict that forbids it, if there is one."""
    preview = preview_of(position, replace(action, blocked_by=None))
    numbers = preview.before.numbers if preview.before else {}
    effects = preview.before.effects if preview.before else ()
    return referee.effects(position, preview.action, Verdict(STANDS, {**numbers, "allowed": True}, (), effects))


def rule(battle: Battle, action: Action, override: Override, reason: str, also: Sequence[Change] = ()) -> None:
    """Record an outcome that the players chose for an action, without dice.

    Args:
        battle: The battle.
        action: The action.
        override: The chosen outcome.
        reason: The players' reason.
        also: Further changes that the players decided.

    Raises:
        UserError: if no reason is given, or as `Battle.record`.
    """
    battle.record(_ruled(action, override, reason, also))


def _ruled(action: Action, override: Override, reason: str, also: Sequence[Change] = ()) -> OutcomeDecided:
    return OutcomeDecided(
        title=action.title,
        action=action.name,
        by=action.by if override.counts else (),
        outcome=override.outcome,
        reason=_reason(reason),
        effects=replace(override.effects, changes=(*override.effects.changes, *also)),
    )


def overrule(battle: Battle, seq: int, what: str, override: Override, reason: str, also: Sequence[Change] = ()) -> None:
    """Replace the outcome of an entry: the state becomes what it would be with this outcome and all later events.

    Args:
        battle: The battle.
        seq: Number of the entry with the verdict.
        what: Label of the replaced verdict.
        override: The new outcome.
        reason: The players' reason.
        also: Further changes that the players decided, applied last.

    Raises:
        UserError: if the entry is not a verdict or was undone, no reason is given, or as `Battle.record`.
    """
    events = battle.in_force
    event = events.get(seq)
    if not isinstance(event, (ActionResolved, OutcomeDecided)):
        raise user_error("entry {seq} is not a verdict in force: choose another one to overrule", seq=seq)
    target = _state_with(battle, events, seq, event, override)
    moves, changes, given_back = _difference(battle.state, target, event)
    battle.record(
        VerdictOverruled(
            entry=seq,
            reason=_reason(reason),
            effects=Effects(moves=tuple(moves), changes=(*changes, *also)),
            what=what,
            outcome=override.outcome,
            given_back=given_back,
        )
    )


def _reason(words: str) -> str:
    if not words.strip():
        raise user_error("overruling the rules needs a reason: type why")
    return words.strip()


def _state_with(battle: Battle, events: Mapping[int, Event], seq: int, event: Verdicts, override: Override) -> State:
    """The state if the entry had this outcome; earlier overrides of the same entry are ignored."""
    by = event.by if override.counts else ()
    earlier = [n for n, other in events.items() if isinstance(other, VerdictOverruled) and other.entry == seq]
    blanks = dict.fromkeys(earlier, Noted(text=""))
    changed = {**events, **blanks, seq: replace(event, by=by, effects=override.effects)}
    return history_of(battle.entries, changed).state


def _difference(now: State, target: State, event: Verdicts) -> tuple[list[Move], list[Change], Refund]:
    """The moves, changes and refunds that lead from the current state to the target state."""
    pairs = [(unit, target.units[name]) for name, unit in now.units.items()]
    moves = [move for unit, other in pairs for move in _moves_to(unit, other)]
    changes = [*_changes_to("", now, target)]
    changes += [one for unit, other in pairs for one in _changes_to(unit.id, unit, other)]
    less_in = {unit.id: round(unit.allowance_used_in - other.allowance_used_in, 9) for unit, other in pairs}
    undone = tuple(unit.id for unit, other in pairs if unit.acts.get(event.action) != other.acts.get(event.action))
    this_turn = any(dict(unit.acts_this_turn) != dict(other.acts_this_turn) for unit, other in pairs)
    refund_in = {name: inches for name, inches in less_in.items() if inches > 0}
    return moves, changes, Refund(allowance_in=refund_in, action=event.action, by=undone, this_turn=this_turn)


def _moves_to(unit: Unit, other: Unit) -> Iterator[Move]:
    """The move that puts a figure where it would stand; it costs at most what the figure would have spent."""
    cost_in = max(0.0, other.allowance_used_in - unit.allowance_used_in)
    start, end = unit.at_in, other.at_in
    if start is not None and end is not None and (start != end or cost_in):
        at = other.facing_deg
        yield Move(figure=unit.id, from_in=start, to_in=end, moved_in=0.0, cost_in=cost_in, facing_deg=at)


def _changes_to(figure: str, now: Unit | State, target: Unit | State) -> Iterator[Change]:
    for this_turn, old, new in ((False, now.statuses, target.statuses), (True, now.this_turn, target.this_turn)):
        for key in {**old, **new}:
            if old.get(key) != new.get(key):
                yield Change(figure=figure, key=key, value=new.get(key), this_turn=this_turn)
