"""Fudge Miniatures Battles: the questions that stand for where a model goes on a measured table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from shapely import LineString, Point, Polygon

from rules.engine.effects import stored_list
from rules.engine.events import plain
from rules.engine.position import Position
from rules.engine.referee import NO_FACINGS, Action, UncertainFact, verdict_without_dice
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, forbidden
from rules.games.fudge_miniatures.guts import MUST_RUN
from rules.games.fudge_miniatures.movement import measured, movement_profile
from rules.games.fudge_miniatures.referee_facts import (
    BROKE_FROM,
    DARED,
    MOVEMENT_BEFORE,
    flies,
    in_contact,
    owed,
    rules_of,
    stats,
    terrors,
    touches,
)
from rules.games.fudge_miniatures.referee_turn import guards, not_now, opponent, waits_for
from rules.tabletop.bearing import onward
from rules.tabletop.measure import range_between
from rules.tabletop.movement import Walk, walk
from rules.tabletop.path import Path, length_in, placed
from rules.tabletop.table import Figure
from rules.tabletop.tolerance import DOUBT_SIGMAS, Comparison

MOVE = "move"
LOOK_EVERY_IN = 0.1
"""How far apart the places on a path are at which contact is looked for; bases are about an inch wide."""
WAYS_OUT = 16
"""How many directions are tried for a run; the players march where they find a better one."""


def movement(position: Position, figure: str) -> Action:
    """What is left of a model's Movement; of one that must run, how far it runs."""
    unit = position.unit(figure)
    if unit.statuses.get(MUST_RUN):
        its = {"movement_in": stats(position, unit)["movement_in"]}
        return Action("Run to safety", "minimum_run", its, (figure,), blocked_by=waits_for(position, unit))
    return Action(
        "Move", "move", {**_allowance(position, unit), "path": []}, (figure,), blocked_by=_not_now(position, unit)
    )


def _not_now(position: Position, unit: Unit) -> Verdict | None:
    return not_now(position, unit, MOVE, "moves")


def march(position: Position, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS) -> Action:
    """A model along its path, or several each along its own; who must run runs along it."""
    names = tuple(paths)
    units = {name: position.unit(name) for name in names}
    running = next((unit for unit in units.values() if unit.statuses.get(MUST_RUN)), None)
    if running and len(names) == 1:
        return replace(flight(position, running, paths[running.id]), facing_deg=facing_deg)
    walks = {name: _walk(position, unit, paths[name]) for name, unit in units.items()}
    bars = (_not_now(position, unit) or _held(position, unit, paths[name]) for name, unit in units.items())
    bar = next(filter(None, bars), None)
    asked = {
        name: {**_allowance(position, unit), **_stretches(position, unit, walks[name])} for name, unit in units.items()
    }
    if len(names) == 1:
        [name] = names
        errors = _errors(name, asked[name], walks[name], ())
        return Action(
            "Move", "move", asked[name], names, measured=errors, paths=paths, facing_deg=facing_deg, blocked_by=bar
        )
    every = [one for name in names for one in _errors(name, asked[name], walks[name], ("paths", name))]
    return Action(
        "Move together",
        "march",
        {"paths": asked},
        names,
        measured=tuple(every),
        paths=paths,
        facing_deg=facing_deg,
        blocked_by=bar,
    )


def _allowance(position: Position, unit: Unit) -> dict[str, float]:
    """The Movement of a model and what is left of it; what wounds took in this turn counts against both moves."""
    now_in = float(stats(position, unit)["movement_in"])
    before_in = float(unit.this_turn.get(MOVEMENT_BEFORE, now_in))
    facts = {
        "movement_in": before_in,
        "used_in": unit.allowance_used_in,
        "wounded_in_step_3": before_in != now_in,
        "new_movement_in": now_in,
    }
    found = verdict_without_dice(position.game, "second_move", facts)
    return {"movement_in": now_in, "movement_left_in": float(found.numbers["max_in"]) if found else 0.0}


def _walk(position: Position, unit: Unit, path: Path) -> Walk:
    going = movement_profile(rules_of(position), flying=flies(position, unit))
    return walk(path, position.terrain, going, 0.0, sigma_in=position.figure(unit.id).sigma_in)


def _stretches(position: Position, unit: Unit, walked: Walk) -> dict[str, Any]:
    return {"path": [plain(one) for one in measured(rules_of(position), walked, flying=flies(position, unit))]}


def _errors(name: str, facts: Mapping[str, Any], walked: Walk, way: tuple[str, ...]) -> tuple[UncertainFact, ...]:
    """The error of a path's length, told of its last part."""
    if not facts["path"] or not walked.sigma_in > 0:
        return ()
    sigma_in = walked.sigma_in / walked.stretches[-1].cost_per_in
    return (
        UncertainFact((*way, "path", len(facts["path"]) - 1, "inches"), sigma_in, f"how far {display_name(name)} went"),
    )


# What comes before a move.


def still_guarding(position: Position, unit: Unit) -> list[Unit]:
    """The enemies at its base who would strike at it if it left them now."""
    return [one for one in guards(position, unit) if one.id not in stored_list(unit, BROKE_FROM)]


def _touches_at(position: Position, unit: Unit, place: tuple[float, float], enemy: Unit) -> bool | None:
    """Whether a model would touch an enemy with its base's centre at a place."""
    return in_contact(position.measure(placed(position.figure(unit.id), place), position.figure(enemy.id)))


def contacts(position: Position, unit: Unit, path: Path, enemy: Unit) -> list[bool]:
    """Whether a model touches an enemy from the start of a path to its end, one value for each time that changes.

    Where it is too close to call it counts as before on the way, and as touching at the end. A flyer passes above
    everybody between its start and its end.
    """
    found = [touches(position, unit, enemy) is not False]
    if length_in(path) <= 0:
        return found
    here, there = (position.figure(one.id) for one in (unit, enemy))
    spare_in = _reach_in(here) + _reach_in(there) + DOUBT_SIGMAS * (here.sigma_in + there.sigma_in) + 1.0
    if not found[0] and LineString(path).distance(Point(there.centre_in)) > spare_in:
        return found
    *way, end = _places(path)
    states = [_touches_at(position, unit, place, enemy) for place in way]
    if flies(position, unit):
        states = [False] if False in states else []
    for now in (*states, _touches_at(position, unit, end, enemy) is not False):
        if now is not None and now != found[-1]:
            found.append(now)
    return found


def _reach_in(figure: Figure) -> float:
    return max(math.dist(figure.centre_in, place) for place in figure.base_in)


def _places(path: Path) -> list[tuple[float, float]]:
    """Places close together along a path, its end the last."""
    found: list[tuple[float, float]] = []
    for a, b in pairwise(path):
        parts = max(1, math.ceil(math.dist(a, b) / LOOK_EVERY_IN))
        found += [(a[0] + (b[0] - a[0]) * n / parts, a[1] + (b[1] - a[1]) * n / parts) for n in range(1, parts + 1)]
    return found


def _passed(position: Position, unit: Unit, path: Path) -> Unit | None:
    """An enemy who would strike at it, to whose base a path comes and leaves it again."""
    for enemy in position.enemies(unit):
        touching = contacts(position, unit, path, enemy)
        came = next((n for n in range(1, len(touching)) if touching[n]), len(touching))
        if False in touching[came:] and opponent(position, enemy, unit)["enemy_wielded_weapons"]:
            return enemy
    return None


def _held(position: Position, unit: Unit, path: Path) -> Verdict | None:
    """Why a model may not go so yet: it leaves an enemy without a test, or has not dared a charge."""
    rules = rules_of(position)
    if length_in(path) <= 0:
        return None
    for enemy in still_guarding(position, unit):
        if False in contacts(position, unit, path, enemy):
            text = f"it leaves {display_name(enemy.id)}: it breaks away first, by its Dexterity"
            return forbidden("break_away_first", rules.because("FM-25", text))
    for enemy in position.enemies(unit):
        if True not in contacts(position, unit, path, enemy)[1:]:
            continue
        gifts = {"charger_gifts": terrors(position, unit), "charged_gifts": terrors(position, enemy)}
        found = verdict_without_dice(position.game, "charge", {**gifts, "declared": False})
        afraid = found is not None and bool(found.numbers["checks"])
        if afraid and (enemy.id not in stored_list(unit, DARED) or owed(enemy)):
            text = f"it comes to touch {display_name(enemy.id)}: the charge is declared and Guts are checked first"
            return forbidden("declare_the_charge", rules.because("FM-49", text))
    if passed := _passed(position, unit, path):
        text = f"it comes to touch {display_name(passed.id)} and leaves him again: it stops there and breaks away first"
        return forbidden("break_away_first", rules.because("FM-25", text))
    return None


def out_of_reach(position: Position, unit: Unit, enemy: Unit) -> Verdict | None:
    """Why a model cannot charge an enemy: what is left of its Movement does not carry it there, even straight on."""
    left_in = _allowance(position, unit)["movement_left_in"]
    rules = rules_of(position)
    carries_in = left_in / movement_profile(rules, flying=flies(position, unit)).open_cost_per_in
    gap = position.measure(position.figure(unit.id), position.figure(enemy.id))
    if gap.within(carries_in) is not Comparison.OUT:
        return None
    return forbidden("too_far", rules.because("FM-18", f"it is {gap.edge_in:.3g} in off, {carries_in:.3g} in are left"))


# Running.


def flight(position: Position, unit: Unit, path: Path) -> Action:
    """A run along a path: what it takes of the Movement, and whether it ends farther from everybody."""
    rules = rules_of(position)
    walked = _walk(position, unit, path)
    movement_in = float(stats(position, unit)["movement_in"])
    # What a path takes does not hang on what is left.
    found = verdict_without_dice(position.game, "move", {"movement_left_in": 0.0, **_stretches(position, unit, walked)})
    cost_in = float(found.numbers["cost_in"]) if found else 0.0
    farther = _farther(position, unit, path[-1])
    given = {
        "movement_in": movement_in,
        "run_in": cost_in,
        **({} if farther is None else {"farther_from_every_enemy": farther}),
    }
    far = UncertainFact(("run_in",), walked.sigma_in, f"how far {display_name(unit.id)} ran")
    bar = waits_for(position, unit)
    if bar is None and still_guarding(position, unit):
        text = f"{display_name(unit.id)} breaks off first: those at its base strike"
        bar = forbidden("break_off_first", rules.because("FM-53", text))
    if bar is None and (enemy := _passed(position, unit, path)):
        text = f"it would pass the base of {display_name(enemy.id)}: it runs another way"
        bar = forbidden("passes_an_enemy", rules.because("FM-53", text))
    return Action("Run", "flee", given, (unit.id,), measured=(far,), paths={unit.id: path}, blocked_by=bar)


def _farther(position: Position, unit: Unit, place: tuple[float, float]) -> bool | None:
    """Whether a place is farther from every enemy; None where it is too close to call."""
    here = position.figure(unit.id)
    gains, doubt_in = [], 0.0
    for enemy in position.enemies(unit):
        there = position.figure(enemy.id).centre_in
        gains.append(math.dist(place, there) - math.dist(here.centre_in, there))
        doubt_in = max(doubt_in, DOUBT_SIGMAS * here.sigma_in * math.sqrt(2))
    least_in = min(gains, default=math.inf)
    return None if abs(least_in) < doubt_in else least_in > 0


def safest(position: Position, unit: Unit) -> Path:
    """The straight run by which a model gets farthest from the enemy who gains on it most; empty where none is safe."""
    here, movement_in = position.figure(unit.id), float(stats(position, unit)["movement_in"])
    going = movement_profile(rules_of(position), flying=flies(position, unit))
    rest = [one for name, one in position.figures.items() if name != unit.id and not position.unit(name).out]
    ways: list[tuple[float, Path]] = []
    for n in range(WAYS_OUT):
        ahead = (here.centre_in, onward(here.centre_in, 360 * n / WAYS_OUT, 2 * movement_in))
        end = walk(ahead, position.terrain, going, movement_in).reach_in
        free = all(range_between(placed(here, end), one).edge_in > 0 for one in rest)
        inside = not position.state.area_in or Polygon(position.state.area_in).covers(Point(end))
        clear = free and inside and not _passed(position, unit, (here.centre_in, end))
        if clear and _farther(position, unit, end):
            enemies = (position.figure(enemy.id).centre_in for enemy in position.enemies(unit))
            ways.append((min((math.dist(end, one) for one in enemies), default=math.inf), (here.centre_in, end)))
    return max(ways, default=(0.0, ()))[1]
