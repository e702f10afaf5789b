"""Fudge Miniatures Battles: when a model may act, what it must roll first, and how long a task has been kept up."""

from __future__ import annotations

from collections.abc import Sequence

from rules.engine.position import Position, rules_with
from rules.engine.state import State
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, forbidden
from rules.games.fudge_miniatures import statuses
from rules.games.fudge_miniatures.model import Model, models
from rules.games.fudge_miniatures.tables import Step, Tables
from rules.games.fudge_miniatures.turn import actions_in_step_2, may_do

rules_of = rules_with(Tables)
"""The rules of a position."""


def step_of(position: Position) -> tuple[Step | None, str]:
    """The step of the turn, and the one model that plays it; empty if the whole force acts together."""
    name, _, figure = position.state.phase.partition(" ")
    return rules_of(position).tables.phases.get(name), figure


def order(state: State) -> Sequence[str]:
    """The players in the order of their turns."""
    return list(state.statuses.get(statuses.ORDER) or state.sides)


def counts_now(position: Position, side: str) -> bool:
    """Whether a side counts another turn of a task that it keeps up: in the last step of its turn, once."""
    state, (step, _) = position.state, step_of(position)
    last = max((one.number for one in rules_of(position).tables.phases.values() if one.moves), default=0)
    counted = statuses.held_by(side) in state.this_turn
    return state.side == side and step is not None and step.number == last and not counted


def turns_held(position: Position, side: str) -> int:
    """For how many turns in a row a side has kept up its task, the present one included if it counts now."""
    state = position.state
    broken = int(state.statuses.get(statuses.last_held_by(side), state.turn - 1)) < state.turn - 1
    return (0 if broken else int(state.statuses.get(statuses.held_by(side), 0))) + counts_now(position, side)


def next_own_turn(model: Model) -> int:
    """The number of the game turn in which a model's player is next at his turn."""
    state = model.position.state
    seats = order(state)
    later = bool(state.turn) and seats.index(model.unit.side) > seats.index(state.side)
    return state.turn if later else state.turn + 1


def turns_since(model: Model, first: int) -> int:
    """How many turns there have been since a turn, both included."""
    return max(0, model.position.state.turn - first + 1)


def not_now(model: Model, action: str, step: str) -> Verdict | None:
    """Why a model may not act like this now: it is another's turn or step, or its state forbids it.

    Args:
        action: A row of the table of activities.
        step: The flag of the steps in which it is done, as "moves".
    """
    rules, side = model.rules, model.position.state.side
    if not model.own_turn:
        return forbidden("not_your_turn", rules.because("FM-17", f"it is the turn of {display_name(side)}"))
    row, alone = step_of(model.position)
    if alone and alone != model.id:
        return forbidden("not_his_turn", rules.because("FM-A11", f"it is the turn of {display_name(alone)}"))
    if row is None or not getattr(row, step):
        steps = sorted((one for one in rules.tables.phases.values() if getattr(one, step)), key=lambda one: one.number)
        when = " and ".join(f"{one.number}" for one in steps)
        text = f"{display_name(action).lower()} belongs to step {when} of the turn"
        return forbidden("wrong_step", rules.because(steps[0].rule, text))
    if not model.lies and (bar := waits_for(model) if not model.must_run else None):
        return bar
    if runner := next((one for one in models(model.position) if one.must_run and not one.lies), None):
        return forbidden("must_run", rules.because("FM-53", f"{runner.name} must run first"))
    found = may_do(rules, (action,), model.state, model.effect)
    return None if found.numbers["allowed"] else forbidden("stopped", *found.reasons)


def cannot_act(model: Model, action: str) -> Verdict | None:
    """Why a model may not do this in the step of actions now."""
    return not_now(model, action, "acts") or acted(model, action)


def acted(model: Model, action: str) -> Verdict | None:
    """Why a model that has acted may not do this as well: it attacks with each weapon, but does all else once."""
    done = model.listed(statuses.DONE)
    if done and not model.rules.tables.activities[action].attack:
        return forbidden("already_acted", model.rules.because("FM-19"))
    found = actions_in_step_2(model.rules, (*done, action))
    return None if found.allowed else found


def waits_for(model: Model) -> Verdict | None:
    """The rolls before any action of a model: attacks on it as it leaves, and Guts checks."""
    rules = model.rules
    if strikers := ", ".join(map(display_name, model.strikers)):
        return forbidden("free_attack", rules.because("FM-25", f"the free attack of {strikers} comes first"))
    for one in model.owed.values():
        rule = rules.tables.guts_triggers[one["trigger"]].rule
        return forbidden("guts_check", rules.because(rule, f"{model.name} checks Guts first"))
    if to_try_again(model):
        return forbidden("guts_check", rules.because("FM-55", f"{model.name} checks Guts again first"))
    return None


def to_try_again(model: Model) -> list[str]:
    """Its open Guts checks that it repeats now, in its own turn."""
    if not model.own_turn or model.lies:
        return []
    turn, tried = model.position.state.turn, model.listed(statuses.TRIED)
    return [name for name, one in model.failed.items() if one["first"] <= turn and name not in tried]
