"""Fudge Miniatures Battles: when a model may act, what it must roll first, and who may strike at it as it leaves."""

from __future__ import annotations

from collections.abc import Sequence

from rules.engine.effects import stored_list
from rules.engine.position import Position
from rules.engine.referee import verdict_without_dice
from rules.engine.state import State, Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, forbidden
from rules.games.fudge_miniatures.guts import MUST_RUN
from rules.games.fudge_miniatures.referee_facts import (
    STRIKES,
    TRIED,
    effect_of,
    failed,
    held_by,
    last_held_by,
    lies,
    model,
    owed,
    ready,
    rules_of,
    state_of,
    stats,
    touched,
)
from rules.games.fudge_miniatures.tables import ItemKind, Step
from rules.games.fudge_miniatures.turn import ORDER


def step_of(position: Position) -> tuple[Step | None, str]:
    """The step of the turn, and the one model whose step it is; empty where the whole force acts together."""
    name, _, figure = position.state.phase.partition(" ")
    return rules_of(position).tables.steps.get(name), figure


def order(state: State) -> Sequence[str]:
    """The players in the order of their turns."""
    return list(state.statuses.get(ORDER) or state.sides)


def counts_now(position: Position, side: str) -> bool:
    """Whether a side counts another turn of a task that is to be kept up: in the last step of its turn, once."""
    state, (step, _) = position.state, step_of(position)
    last = max((one.number for one in rules_of(position).tables.steps.values() if one.moves), default=0)
    return state.side == side and step is not None and step.number == last and held_by(side) not in state.this_turn


def turns_held(position: Position, side: str) -> int:
    """For how many turns, one after another, a side has kept up its task; the present one where it counts now."""
    state = position.state
    now = counts_now(position, side)
    last = int(state.statuses.get(last_held_by(side), state.turn - 1))
    broken = last < state.turn - 1
    return (0 if broken else int(state.statuses.get(held_by(side), 0))) + now


def next_own_turn(state: State, side: str) -> int:
    """The number of the game turn in which a side is next at its turn."""
    seats = order(state)
    later = bool(state.turn) and seats.index(side) > seats.index(state.side)
    return state.turn if later else state.turn + 1


def not_now(position: Position, unit: Unit, action: str, step: str) -> Verdict | None:
    """Why a model may not do a deed at this moment: another's turn or step, or the state that it is in.

    Args:
        action: A row of the table of deeds.
        step: The flag of the steps in which it is done, as "moves".
    """
    rules, state = rules_of(position), position.state
    if unit.side != state.side:
        return forbidden("not_your_turn", rules.because("FM-17", f"it is the turn of {display_name(state.side)}"))
    row, alone = step_of(position)
    if alone and alone != unit.id:
        return forbidden("not_his_turn", rules.because("FM-A11", f"it is the turn of {display_name(alone)}"))
    if row is None or not getattr(row, step):
        steps = sorted((one for one in rules.tables.steps.values() if getattr(one, step)), key=lambda one: one.number)
        when = " and ".join(f"{one.number}" for one in steps)
        text = f"{display_name(action).lower()} belongs to step {when} of the turn"
        return forbidden("wrong_step", rules.because(steps[0].rule, text))
    return cannot(position, unit, action)


def cannot(position: Position, unit: Unit, action: str) -> Verdict | None:
    """Why a model in its state may not do a deed."""
    rules = rules_of(position)
    if not lies(position, unit):
        if unit.statuses.get(MUST_RUN):
            return forbidden("must_run", rules.because("FM-53", f"{display_name(unit.id)} must run first"))
        if bar := waits_for(position, unit):
            return bar
    facts = {"state": state_of(position, unit), "effect": effect_of(position, unit), "actions": [action]}
    found = verdict_without_dice(position.game, "may_do", facts)
    if found is None or found.numbers["allowed"]:
        return None
    return forbidden("stopped", *found.reasons)


def waits_for(position: Position, unit: Unit) -> Verdict | None:
    """What must be rolled before a model does anything: attacks on one who leaves, and Guts checks."""
    rules = rules_of(position)
    if who := list(map(display_name, strikers(position, unit))):
        return forbidden("free_attack", rules.because("FM-25", f"the free attack of {', '.join(who)} comes first"))
    for one in owed(unit).values():
        rule = rules.tables.guts_triggers[one["trigger"]].rule
        return forbidden("guts_check", rules.because(rule, f"{display_name(unit.id)} checks Guts first"))
    if to_try_again(position, unit):
        return forbidden("guts_check", rules.because("FM-55", f"{display_name(unit.id)} checks Guts again first"))
    return None


def to_try_again(position: Position, unit: Unit) -> list[str]:
    """Its open Guts checks that it repeats now, in its own turn."""
    state, tried = position.state, stored_list(unit, TRIED)
    if unit.side != state.side or lies(position, unit):
        return []
    return [name for name, one in failed(unit).items() if one["first"] <= state.turn and name not in tried]


def turns_since(state: State, first: int) -> int:
    """How many turns a model has had since something happened to it, this one included."""
    return max(0, state.turn - first + 1)


# Who may strike.


def opponent(position: Position, enemy: Unit, leaver: Unit) -> dict[str, int]:
    """An enemy whose base is left; who may not strike has no weapon in hand."""
    its = stats(position, enemy)
    able = may_strike(position, enemy, leaver)
    armed = len(ready(position, enemy, ItemKind.MELEE)) if able else 0
    return {"enemy_strength": its["strength"], "enemy_dexterity": its["dexterity"], "enemy_wielded_weapons": armed}


def guards(position: Position, unit: Unit) -> tuple[Unit, ...]:
    """The enemies at its base who would strike at it if it left them."""
    return tuple(one for one in touched(position, unit) if opponent(position, one, unit)["enemy_wielded_weapons"])


def strikers(position: Position, leaver: Unit) -> dict[str, str]:
    """Who may strike at one who leaves them or runs, each with the occasion."""
    due = dict(leaver.this_turn.get(STRIKES, {}))
    enemies = [one for one in position.enemies(leaver) if one.id in due] if due else []
    armed = [one.id for one in enemies if opponent(position, one, leaver)["enemy_wielded_weapons"]]
    return {name: due[name] for name in armed}


def may_strike(position: Position, unit: Unit, at: Unit) -> bool:
    """Whether a model, as both are, may attack another."""
    facts = {
        "model": model(position, unit),
        "attacker_state": state_of(position, unit),
        "effect": effect_of(position, unit),
        "target_state": state_of(position, at),
    }
    found = verdict_without_dice(position.game, "may_attack", facts)
    return found is not None and found.allowed
