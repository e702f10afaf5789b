"""Matchbox Skirmish: the initiative roll, the one action of a soldier, and who wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from rules.engine.common import (
    ACTOR,
    EDGE_RANGE,
    FIGURES_LEFT,
    IN_THE_WAY,
    PART_SEEN,
    PATH_COST,
    SIDES,
    WEAPON,
    highest_die,
    last_standing,
)
from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.facts import PHASE, done
from rules.engine.game import Answer, actions
from rules.engine.ruleset import limit
from rules.engine.schema import Count, Inches, Part, Record
from rules.engine.state import ELIMINATED
from rules.engine.verdict import TARGETS, MoveEffect, StatusEffect, Verdict, forbidden, total, verdict
from rules.tabletop.tolerance import within

from .tables import Rules, Tables, WeaponName

__all__ = ["ACTIONS", "Tables"]

ORDER = "order"
"""Status of the battle for a turn: the sides in the order in which they act."""


class Sides(Record):
    """The sides that roll for initiative."""

    sides: Annotated[tuple[str, ...], SIDES]


def initiative(rules: Rules, who: Sides) -> Procedure[Verdict]:
    """Who acts first this turn."""
    order = yield from highest_die(who.sides, "initiative")
    found = verdict(order[0], rules.because("MB-02"), order=order)
    return found.causing(StatusEffect("", ORDER, order, "MB-02", this_turn=True))


class Turn(Record):
    """When a soldier acts, and how often he did so in this turn."""

    phase: Annotated[str, PHASE] = "acting"
    actions_this_turn: Annotated[Count, done("move", "shoot")] = 0


def _barred(rules: Rules, turn: Turn) -> Verdict | None:
    if turn.phase != "acting":
        return forbidden("wrong_phase", rules.because("MB-01", "soldiers act after the initiative roll"))
    return forbidden("has_acted", rules.because("MB-03")) if turn.actions_this_turn else None


class Move(Turn):
    """A move: what its ground costs, and what stands in the way."""

    cost_in: Annotated[Inches, PATH_COST]
    in_the_way: Annotated[tuple[str, ...], IN_THE_WAY] = ()


def move(rules: Rules, step: Move) -> Verdict:
    """Whether a soldier may move so."""
    barred, allowance_in = _barred(rules, step), limit(rules, "move_in")
    left_in = 0.0 if barred else max(0.0, allowance_in - step.cost_in)
    numbers = {"allowance_in": allowance_in, "cost_in": step.cost_in, "left_in": left_in}
    because = rules.because("MB-04", f"{step.cost_in:.3g} in of {allowance_in:g}")
    if barred:
        found = forbidden("barred", *barred.reasons, **numbers)
    elif step.in_the_way:
        found = forbidden("in_the_way", rules.because("MB-05", f"{step.in_the_way[0]} is in the way"), **numbers)
    elif not within(step.cost_in, allowance_in):
        found = forbidden("too_far", because, **numbers)
    else:
        found = verdict("moved", because, **numbers)
    return found.causing(MoveEffect())


class Shot(Turn):
    """A shot at one enemy."""

    shooter: Annotated[str, ACTOR] = "the shooter"
    weapon: Annotated[WeaponName, WEAPON]
    distance_in: Annotated[Inches, EDGE_RANGE]
    seen: Annotated[Part, PART_SEEN] = 1.0


def to_hit(rules: Rules, shot: Shot) -> Verdict:
    """What a shot needs."""
    weapon = rules.tables.weapons[shot.weapon]
    if barred := _barred(rules, shot):
        return barred
    if not shot.seen:
        return forbidden("not_seen", rules.because("MB-06"))
    if not within(shot.distance_in, weapon.range_in):
        return forbidden("too_far", rules.because(weapon.rule, f"{shot.distance_in:.3g} in of {weapon.range_in:g}"))
    base = limit(rules, "base_to_hit")
    reasons = [rules.because("MB-08", f"{base:g} or more takes the target out", base)]
    if not within(1 - shot.seen, limit(rules, "cover_beyond")):
        reasons.append(rules.because("MB-09", "the target is in cover", limit(rules, "cover_modifier")))
    return verdict("may shoot", *reasons, needs_roll=int(total(reasons)))


def shoot(rules: Rules, shot: Shot) -> Answer:
    """A shot with its die."""
    need = to_hit(rules, shot)
    return _rolled(shot, need) if need.allowed else need


def _rolled(shot: Shot, need: Verdict) -> Procedure[Verdict]:
    roll = yield DiceRequest(Die.D6, 1, shot.shooter, "the shot")
    hit = roll.total >= need.numbers["needs_roll"]
    found = verdict("out" if hit else "misses", *need.reasons, **need.numbers, roll=roll.total)
    return found.causing(StatusEffect(TARGETS, ELIMINATED, rule="MB-11")) if hit else found


class Standing(Record):
    """How many figures each side has left."""

    figures_left: Annotated[Mapping[str, Count], FIGURES_LEFT]


def victory(rules: Rules, sides: Standing) -> Verdict:
    """Whether the game is over, and who has won."""
    end = last_standing(sides.figures_left)
    return verdict(end.outcome, rules.because("MB-12"), over=end.over, winner=end.winner)


ACTIONS = actions(initiative, move, to_hit, shoot, victory)
