"""Fudge Miniatures Battles: scenario, the players' turns and their steps, and the actions in each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from rules.engine.common import SIDES
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Count, Inches, Row
from rules.engine.verdict import RuleRefusal, StatusEffect, Verdict, forbidden, verdict
from rules.games.fudge_miniatures import statuses
from rules.games.fudge_miniatures.attack import effects_counted, unable
from rules.games.fudge_miniatures.tables import EffectName, Rules, named, state_row
from rules.tabletop.tolerance import within


def victory(
    rules: Rules,
    goal: Annotated[str, Row("goals", "unknown_goal")],
    enemies_left: Count | None = None,
    turns_held: Count = 0,
    held: Annotated[bool, Asked("Is the place held now?")] = True,
    turns_agreed: Annotated[Count | None, Asked("For how many turns must it be held?")] = None,
    done: Annotated[bool, Asked("Is the task done?")] = False,
    side: str | None = None,
) -> Verdict:
    """Whether a task is done; a fight to the last man is advised against.

    Args:
        enemies_left: Where the last man decides.
        turns_held: Turns for which the task has been kept up without a break, this one included.
        turns_agreed: Turns for which it must be.
    """
    row = rules.tables.goals[goal]
    won = done
    turns_held = turns_held if held else 0
    if row.counted and enemies_left is not None:
        won = enemies_left == 0
    elif row.turns and turns_agreed is not None:
        won = turns_held >= turns_agreed
    numbers: dict[str, Any] = {"victory": won, "discouraged": row.discouraged}
    numbers |= {"turns_held": turns_held} if row.turns else {}
    why = rules.because(row.rule, row.text)
    if not won or not side:
        return verdict("victory" if won else "not yet", why, **numbers)
    found = verdict("victory", why, **numbers, winner=side)
    return found.causing(StatusEffect("", statuses.VICTORY, side, "FM-05"))


# The order of the players.


def turn_order(
    rules: Rules,
    players_clockwise: Annotated[tuple[str, ...], SIDES],
    first: Annotated[str | None, Asked("Who begins by the scenario?")] = None,
    brought_pizza: Annotated[str | None, Asked("Who brought the pizza?")] = None,
) -> Verdict:
    """The players in the order of their turns: the scenario's player begins, or else the one who brought the pizza."""
    first = first or brought_pizza
    if first is None:
        raise RuleRefusal("missing_key", "nobody begins: give 'first' or 'brought_pizza'", "FM-17")
    at = _seat(rules, players_clockwise, first)
    order = [*players_clockwise[at:], *players_clockwise[:at]]
    found = verdict(first, rules.because("FM-17"), order=order, one_at_a_time=rules.option("activation"))
    return found.causing(StatusEffect("", statuses.ORDER, order, "FM-17"))


def next_player(rules: Rules, players_clockwise: tuple[str, ...], current: str) -> Verdict:
    """The player of the next turn."""
    at = _seat(rules, players_clockwise, current)
    following = players_clockwise[(at + 1) % len(players_clockwise)]
    return verdict(following, rules.because("FM-22"), next=following)


def _seat(rules: Rules, players: Sequence[str], one: str) -> int:
    if len(set(players)) < len(players):
        raise RuleRefusal("duplicate_player", "two players have one name: tell them apart", "FM-17")
    if len(players) < limit(rules, "players_fewest"):
        raise RuleRefusal("too_few_players", f"{len(players)} players; the game needs two or more", "FM-01")
    if one not in players:
        raise RuleRefusal("unknown_player", f"{one!r} does not sit at the table: {', '.join(players)}", "FM-17")
    return list(players).index(one)


def turn_steps(rules: Rules, models: tuple[str, ...]) -> Verdict:
    """A player's turn as a list of the models' actions in order."""
    rows = sorted(rules.tables.phases.items(), key=lambda one: one[1].number)
    *own, handing_on = (name for name, _ in rows)
    if rules.chooses("activation", "whole_force"):
        steps = [{"step": step, "model": model} for step in own for model in models]
    else:
        steps = [{"step": step, "model": model} for model in models for step in own]
    reasons = [rules.because(row.rule, row.text) for _, row in rows]
    return verdict("turn", *reasons, steps=[*steps, {"step": handing_on, "model": None}])


# What a model may do.


def actions_in_step_2(rules: Rules, actions: tuple[str, ...]) -> Verdict:
    """Whether a model does no more than one kind of action."""
    kinds = {named(rules.tables.activities, word, "unknown_action") for word in actions}
    if strays := sorted(kind for kind in kinds if not rules.tables.activities[kind].action):
        return forbidden("no_action", rules.because("FM-23", f"{strays[0]} is no action of step 2"), legal=False)
    if len(kinds) > 1:
        return forbidden("one_kind_of_action", rules.because("FM-19"), legal=False)
    return verdict("legal", rules.because("FM-19"), legal=True)


def may_do(rules: Rules, actions: tuple[str, ...], state: str = "normal", effect: EffectName = "none") -> Verdict:
    """Which actions a model in a state, and under the effect of a failed Guts check, may do."""
    names = [named(rules.tables.states, word, "unknown_state") for word in (state, effect)]
    wanted = {word: named(rules.tables.activities, word, "unknown_action") for word in actions}
    counted = [one for name in names for one in effects_counted(rules, name)]
    stopped = {deed for one in counted for deed in state_row(rules, one).forbids}
    bar = unable(rules, state, effect)
    allowed = [word for word, deed in wanted.items() if bar is None and deed not in stopped]
    why = bar or rules.because(rules.tables.states[names[effect != "none"]].rule)
    return verdict("free" if len(allowed) == len(wanted) else "stopped", why, allowed=allowed)


def take_up(rules: Rules, edge_in: Inches, deed: str = "loot_dead", target_state: str = "dead") -> Verdict:
    """Whether a model may loot a body or take up an object whose edge is this far from its base."""
    name = named(rules.tables.activities, deed, "unknown_action")
    if not rules.tables.activities[name].touches:
        raise RuleRefusal("unknown_action", f"{deed!r} picks nothing up: write loot_dead or pick_up_object", "FM-23")
    if name == "loot_dead" and state_row(rules, target_state).attackable:
        return forbidden("not_dead", rules.because("FM-23"), legal=False)
    if not within(edge_in, rules.option("reach_in")):
        return forbidden("out_of_reach", rules.because("FM-A13", f"it lies {edge_in:g} in off"), legal=False)
    return verdict("legal", rules.because("FM-23"), legal=True)
