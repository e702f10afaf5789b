"""Fudge Miniatures Battles: when a model may act, and its moves on the measured table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shapely import LineString, Point, Polygon

from rules.engine.action import Action, UncertainFact
from rules.engine.common import not_your_turn
from rules.engine.events import plain
from rules.engine.position import Position, rules_with
from rules.engine.referee import NO_FACINGS
from rules.engine.state import State
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, forbidden
from rules.games.fudge_miniatures import statuses
from rules.games.fudge_miniatures.guts import charge
from rules.games.fudge_miniatures.model import Model, in_contact, models
from rules.games.fudge_miniatures.movement import Path as Stretches
from rules.games.fudge_miniatures.movement import move, movement_profile, second_move, stretches_of
from rules.games.fudge_miniatures.tables import Step, Tables
from rules.games.fudge_miniatures.turn import actions_in_step_2, may_do
from rules.tabletop.bearing import onward
from rules.tabletop.measure import range_between
from rules.tabletop.movement import MovementProfile, Walk, walk
from rules.tabletop.path import Path, length_in, placed, places_along
from rules.tabletop.table import Figure, PointIn
from rules.tabletop.tolerance import DOUBT_SIGMAS, Comparison

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
    counted = statuses.HELD_BY.format(side) in state.this_turn
    return state.side == side and step is not None and step.number == last and not counted


def turns_held(position: Position, side: str) -> int:
    """For how many turns in a row a side has kept up its task, the present one included if it counts now."""
    state = position.state
    broken = int(state.statuses.get(statuses.LAST_HELD_BY.format(side), state.turn - 1)) < state.turn - 1
    return (0 if broken else int(state.statuses.get(statuses.HELD_BY.format(side), 0))) + counts_now(position, side)


def next_own_turn(model: Model) -> int:
    """The number of the game turn in which a model's player is next at his turn."""
    state = model.position.state
    seats = order(state)
    # A scripted situation may have a phase of no side: then the game turn is over for all.
    later = bool(state.turn and state.side) and seats.index(model.unit.side) > seats.index(state.side)
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
    rules = model.rules
    if bar := not_your_turn(model.position, model.unit, "FM-17"):
        return bar
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


MOVE = "move"
CONTACT_EVERY_IN = 0.1
"""The distance between places on a path at which contact is checked; bases are about an inch wide."""
RUN_DIRECTIONS = 16
"""How many directions are tried for a run; the players march where they find a better one."""


def movement(position: Position, figure: str) -> Action:
    """The remaining Movement of a model; for one that must run, the length of the run."""
    model = Model(position, position.unit(figure))
    if model.must_run:
        its = {"movement_in": model.stats["movement_in"]}
        return model.action("Run to safety", "minimum_run", its, blocked_by=waits_for(model))
    facts = {**_allowance(model), "path": []}
    return model.action("Move", "move", facts, blocked_by=not_now(model, MOVE, "moves"))


def march(position: Position, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS) -> Action:
    """The move of one or more models along their paths; a model that must run runs along its path."""
    names = tuple(paths)
    models = [Model(position, position.unit(name)) for name in names]
    if len(models) == 1 and models[0].must_run:
        return replace(run_along(models[0], paths[names[0]]), facing_deg=facing_deg)
    bars = (not_now(one, MOVE, "moves") or _what_comes_first(one, paths[one.id]) for one in models)
    bar = next(filter(None, bars), None)
    asked = {one.id: _asked(one, paths[one.id]) for one in models}
    title, name, given, errors = "Move", "move", *asked[names[0]]
    if len(models) > 1:
        title, name, given = "Move together", "march", {"paths": {one: facts for one, (facts, _) in asked.items()}}
        errors = [replace(e, fact=("paths", one, *e.fact)) for one, (_, found) in asked.items() for e in found]
    return Action(title, name, given, names, measured=tuple(errors), paths=paths, facing_deg=facing_deg, blocked_by=bar)


def _asked(model: Model, path: Path) -> tuple[dict[str, Any], list[UncertainFact]]:
    """The facts of a move along a path, and the error of its length as that of its last part."""
    walked = _walk(model, path)
    parts = [plain(one) for one in stretches_of(model.rules, walked, flying=model.flies)]
    facts = {**_allowance(model), "path": parts}
    if not parts or not walked.sigma_in > 0:
        return facts, []
    sigma_in = walked.sigma_in / walked.stretches[-1].cost_per_in
    return facts, [UncertainFact(("path", len(parts) - 1, "inches"), sigma_in, f"how far {model.name} went")]


def _allowance(model: Model) -> dict[str, float]:
    """The whole and the remaining Movement of a model; wounds of this turn reduce both moves."""
    now_in = float(model.stats["movement_in"])
    before_in = float(model.status(statuses.MOVEMENT_BEFORE, now_in))
    found = second_move(model.rules, before_in, model.unit.allowance_used_in, before_in != now_in, now_in)
    return {"movement_in": now_in, "movement_left_in": float(found.numbers["max_in"])}


def _profile(model: Model) -> MovementProfile:
    return movement_profile(model.rules, flying=model.flies)


def _walk(model: Model, path: Path) -> Walk:
    return walk(path, model.position.terrain, _profile(model), 0.0, sigma_in=model.figure.sigma_in)


# What comes before a move.


def contacts(model: Model, path: Path, enemy: Model) -> list[bool]:
    """Whether a model touches an enemy from the start of a path to its end, one value for each time that changes.

    Where it is too close to call it counts as before on the way, and as touching at the end. A flyer passes above
    all others between its start and its end.
    """
    found = [model.touches(enemy) is not False]
    if length_in(path) <= 0:
        return found
    here, there = model.figure, enemy.figure
    spare_in = _reach_in(here) + _reach_in(there) + DOUBT_SIGMAS * (here.sigma_in + there.sigma_in) + 1.0
    if not found[0] and LineString(path).distance(Point(there.centre_in)) > spare_in:
        return found
    places = places_along(path, CONTACT_EVERY_IN)[1:]
    *way, end = [in_contact(model.position.measure(placed(here, place), there)) for place in places]
    if model.flies:
        way = [False] if False in way else []
    for now in (*way, end is not False):
        if now is not None and now != found[-1]:
            found.append(now)
    return found


def _reach_in(figure: Figure) -> float:
    return max(math.dist(figure.centre_in, place) for place in figure.base_in)


def _enemy_passed(model: Model, path: Path) -> Model | None:
    """An enemy that would strike at a model whose path comes to its base and leaves it again."""
    for enemy in model.enemies:
        touching = contacts(model, path, enemy)
        came = next((n for n in range(1, len(touching)) if touching[n]), len(touching))
        if False in touching[came:] and enemy.would_strike(model):
            return enemy
    return None


def _what_comes_first(model: Model, path: Path) -> Verdict | None:
    """Why a model may not go along a path yet: it leaves an enemy without a test, or has not declared a charge."""
    rules = model.rules
    if length_in(path) <= 0:
        return None
    for enemy in model.guards:
        if False in contacts(model, path, enemy):
            text = f"it leaves {enemy.name}: it breaks away first, by its Dexterity"
            return forbidden("break_away_first", rules.because("FM-25", text))
    for enemy in model.enemies:
        if True not in contacts(model, path, enemy)[1:]:
            continue
        declared = enemy.id in model.listed(statuses.DARED) and not enemy.owed
        found = charge(rules, declared=False, charger_gifts=model.terror, charged_gifts=enemy.terror)
        if found.numbers["checks"] and not declared:
            text = f"it comes to touch {enemy.name}: the charge is declared and Guts are checked first"
            return forbidden("declare_the_charge", rules.because("FM-49", text))
    if passed := _enemy_passed(model, path):
        text = f"it comes to touch {passed.name} and leaves him again: it stops there and breaks away first"
        return forbidden("break_away_first", rules.because("FM-25", text))
    return None


def out_of_reach(model: Model, enemy: Model) -> Verdict | None:
    """Why a model cannot charge an enemy: its remaining Movement does not carry it there, even straight on."""
    carries_in = _allowance(model)["movement_left_in"] / _profile(model).open_cost_per_in
    gap = model.position.measure(model.figure, enemy.figure)
    if gap.within(carries_in) is not Comparison.OUT:
        return None
    text = f"it is {gap.edge_in:.3g} in off, {carries_in:.3g} in are left"
    return forbidden("too_far", model.rules.because("FM-18", text))


# Running.


def run_along(model: Model, path: Path) -> Action:
    """A run along a path: its cost in Movement, and whether it ends farther from every enemy."""
    walked = _walk(model, path)
    # The cost of a path does not depend on what is left.
    parts = Stretches(movement_left_in=0.0, path=stretches_of(model.rules, walked, flying=model.flies))
    cost_in = float(move(model.rules, parts).numbers["cost_in"])
    given: dict[str, Any] = {"movement_in": float(model.stats["movement_in"]), "run_in": cost_in}
    if (farther := _farther(model, path[-1])) is not None:
        given["farther_from_every_enemy"] = farther
    far = UncertainFact(("run_in",), walked.sigma_in, f"how far {model.name} ran")
    bar = waits_for(model) or _breaks_off_first(model, path)
    return model.action("Run", "flee", given, measured=(far,), paths={model.id: path}, blocked_by=bar)


def _breaks_off_first(model: Model, path: Path) -> Verdict | None:
    """Why a model may not run along a path: enemies at its base strike first, or it would pass one."""
    if model.guards:
        text = f"{model.name} breaks off first: those at its base strike"
        return forbidden("break_off_first", model.rules.because("FM-53", text))
    if enemy := _enemy_passed(model, path):
        text = f"it would pass the base of {enemy.name}: it runs another way"
        return forbidden("passes_an_enemy", model.rules.because("FM-53", text))
    return None


def _farther(model: Model, place: PointIn) -> bool | None:
    """Whether a place is farther from every enemy; None if it is too close to call."""
    here = model.figure
    centres = [enemy.figure.centre_in for enemy in model.enemies]
    least_in = min((math.dist(place, one) - math.dist(here.centre_in, one) for one in centres), default=math.inf)
    doubt_in = DOUBT_SIGMAS * here.sigma_in * math.sqrt(2)
    return None if abs(least_in) < doubt_in else least_in > 0


def safest_run(model: Model) -> Path:
    """The straight run by which a model gets farthest from its nearest enemy; empty if no place is safe."""
    position, here = model.position, model.figure
    movement_in = float(model.stats["movement_in"])
    rest = [one for name, one in position.figures.items() if name != model.id and not position.unit(name).out]

    def is_clear(end: PointIn) -> bool:
        inside = not position.state.area_in or Polygon(position.state.area_in).covers(Point(end))
        free = inside and all(range_between(placed(here, end), one).edge_in > 0 for one in rest)
        return free and not _enemy_passed(model, (here.centre_in, end))

    ways: list[tuple[float, PointIn]] = []
    for n in range(RUN_DIRECTIONS):
        ahead = (here.centre_in, onward(here.centre_in, 360 * n / RUN_DIRECTIONS, 2 * movement_in))
        end = walk(ahead, position.terrain, _profile(model), movement_in).reach_in
        if _farther(model, end):
            away_in = (math.dist(end, enemy.figure.centre_in) for enemy in model.enemies)
            ways.append((min(away_in, default=math.inf), end))
    return next(((here.centre_in, end) for _, end in sorted(ways, reverse=True) if is_clear(end)), ())
