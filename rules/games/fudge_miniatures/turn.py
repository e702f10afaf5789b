"""Fudge Miniatures Battles: scenario, the players' turns and their steps, and what a model may do in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Count, Inches, Row
from rules.engine.verdict import RuleRefusal, Verdict, forbidden, verdict
from rules.games.fudge_miniatures.attack import state, unable
from rules.games.fudge_miniatures.tables import Rules, named
from rules.tabletop.tolerance import within


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A side's task and how far it is.

    Attributes:
        side: Whose task it is.
        enemies_left: Where the last man decides.
        turns_held: Turns for which the task has been kept up without a break, this one included.
        held: Whether it is kept up now.
        turns_agreed: Turns for which it must be.
        done: Whether the players say that it is done.
    """

    goal: Annotated[str, Row("goals", "unknown_goal")]
    enemies_left: Count | None = None
    turns_held: Count = 0
    held: Annotated[bool, Asked("Is the place held now?")] = True
    turns_agreed: Annotated[Count | None, Asked("For how many turns must it be held?")] = None
    done: Annotated[bool, Asked("Is the task done?")] = False
    side: str | None = None


def victory(rules: Rules, task: Scenario) -> Verdict:
    """Whether a task is done; a fight to the last man is advised against."""
    row = rules.tables.goals[task.goal]
    won = task.done
    turns_held = task.turns_held if task.held else 0
    if row.counted and task.enemies_left is not None:
        won = task.enemies_left == 0
    elif row.turns and task.turns_agreed is not None:
        won = turns_held >= task.turns_agreed
    outcome = "victory" if won else "not yet"
    numbers: dict[str, Any] = {"winner": task.side} if won and task.side else {}
    numbers |= {"turns_held": turns_held} if row.turns else {}
    return verdict(outcome, rules.because(row.rule, row.text), victory=won, discouraged=row.discouraged, **numbers)


# Who is next.


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """The players as they sit, clockwise, and who begins: the scenario's player, or else whoever brought the pizza."""

    players_clockwise: tuple[str, ...]
    first: Annotated[str | None, Asked("Who begins by the scenario?")] = None
    brought_pizza: Annotated[str | None, Asked("Who brought the pizza?")] = None


def turn_order(rules: Rules, ring: Ring) -> Verdict:
    """The players in the order of their turns."""
    first = ring.first or ring.brought_pizza
    if first is None:
        raise RuleRefusal("missing_key", "nobody begins: give 'first' or 'brought_pizza'", "FM-17")
    at = _seat(rules, ring.players_clockwise, first)
    order = [*ring.players_clockwise[at:], *ring.players_clockwise[:at]]
    return verdict(first, rules.because("FM-17"), order=order, one_at_a_time=rules.option("activation"))


@dataclass(frozen=True, slots=True, kw_only=True)
class AtTable:
    """The players as they sit, clockwise, and whose turn it is."""

    players_clockwise: tuple[str, ...]
    current: str


def next_player(rules: Rules, table: AtTable) -> Verdict:
    """Whose turn comes next."""
    at = _seat(rules, table.players_clockwise, table.current)
    following = table.players_clockwise[(at + 1) % len(table.players_clockwise)]
    return verdict(following, rules.because("FM-22"), next=following)


def _seat(rules: Rules, players: Sequence[str], one: str) -> int:
    if len(set(players)) < len(players):
        raise RuleRefusal("duplicate_player", "two players have one name: tell them apart", "FM-17")
    if len(players) < limit(rules, "players_fewest"):
        raise RuleRefusal("too_few_players", f"{len(players)} players; the game needs two or more", "FM-01")
    if one not in players:
        raise RuleRefusal("unknown_player", f"{one!r} does not sit at the table: {', '.join(players)}", "FM-17")
    return list(players).index(one)


@dataclass(frozen=True, slots=True, kw_only=True)
class Troop:
    """The active player's models."""

    models: tuple[str, ...]


def turn_steps(rules: Rules, troop: Troop) -> Verdict:
    """A player's turn as a list of what each model does when."""
    rows = sorted(rules.tables.steps.items(), key=lambda one: one[1].number)
    *own, handing_on = (name for name, _ in rows)
    if rules.chooses("activation", "whole_force"):
        steps = [{"step": step, "model": model} for step in own for model in troop.models]
    else:
        steps = [{"step": step, "model": model} for model in troop.models for step in own]
    reasons = [rules.because(row.rule, row.text) for _, row in rows]
    return verdict("turn", *reasons, steps=[*steps, {"step": handing_on, "model": None}])


# What a model may do.


@dataclass(frozen=True, slots=True, kw_only=True)
class Deeds:
    """What somebody wants to do in step 2."""

    actions: tuple[str, ...]


def actions_in_step_2(rules: Rules, wanted: Deeds) -> Verdict:
    """Whether it is no more than one kind of action."""
    kinds = {named(rules.tables.deeds, word, "unknown_action") for word in wanted.actions}
    strays = sorted(kind for kind in kinds if not rules.tables.deeds[kind].action)
    if strays:
        return forbidden("no_action", rules.because("FM-23", f"{strays[0]} is no action of step 2"), legal=False)
    if len(kinds) > 1:
        return forbidden("one_kind_of_action", rules.because("FM-19"), legal=False)
    return verdict("legal", rules.because("FM-19"), legal=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowCommands:
    """A model's state, the effect of a failed Guts check that it is under, and what it wants to do."""

    state: str = "normal"
    actions: tuple[str, ...]
    effect: Annotated[str, Row("guts_effects", "unknown_effect")] = "none"


def may_do(rules: Rules, model: WindowCommands) -> Verdict:
    """Which of these things a model may do as it is."""
    rows = [state(rules, word) for word in (model.state, model.effect)]
    wanted = {word: named(rules.tables.deeds, word, "unknown_action") for word in model.actions}
    stopped = _stopped(rules, model.state) | _stopped(rules, model.effect)
    bar = unable(rules, model.state, model.effect)
    allowed = [word for word, deed in wanted.items() if bar is None and deed not in stopped]
    why = bar or rules.because(rows[model.effect != "none"].rule)
    return verdict("free" if len(allowed) == len(wanted) else "stopped", why, allowed=allowed)


def _stopped(rules: Rules, word: str) -> set[str]:
    """What a state forbids, with all milder effects of a failed check where all rows are to count."""
    own = named(rules.tables.states, word, "unknown_state")
    effects = rules.tables.guts_effects
    counted = [own]
    if own in effects and rules.chooses("guts_rows", "all_rows_up_to_it"):
        counted += [name for name, row in effects.items() if row.margin <= effects[own].margin]
    return {deed for name in counted for deed in state(rules, name).forbids}


@dataclass(frozen=True, slots=True, kw_only=True)
class Taking:
    """Somebody who wants to loot a body or take up an object, and how far its edge is from his base."""

    edge_in: Inches
    deed: str = "loot_dead"
    target_state: str = "dead"


def take_up(rules: Rules, taking: Taking) -> Verdict:
    """Whether he reaches it."""
    deed = named(rules.tables.deeds, taking.deed, "unknown_action")
    if not rules.tables.deeds[deed].touches:
        raise RuleRefusal("unknown_action", f"{taking.deed!r} takes nothing up: loot_dead or pick_up_object", "FM-23")
    if deed == "loot_dead" and state(rules, taking.target_state).attackable:
        return forbidden("not_dead", rules.because("FM-23"), legal=False)
    if not within(taking.edge_in, rules.option("reach_in")):
        return forbidden("out_of_reach", rules.because("FM-A13", f"it lies {taking.edge_in:g} in off"), legal=False)
    return verdict("legal", rules.because("FM-23"), legal=True)
