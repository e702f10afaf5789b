"""Plastic Fudge: a unit's move along its path, and its flight."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import hypot
from typing import Any

from rules.engine.action import Action, UncertainFact
from rules.engine.effects import stored_list
from rules.engine.facts import UNKNOWN, Context, action_for, bind
from rules.engine.position import Position
from rules.engine.referee import NO_FACINGS
from rules.engine.ruleset import refused
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict
from rules.engine.without_dice import refusal_of, verdict_without_dice
from rules.games.plastic_fudge import statuses
from rules.games.plastic_fudge.board import flight, reaches_edge, run_in, stretches, terrain_under
from rules.games.plastic_fudge.movement import Mover, Stretch, rout_contagion, turn_tolls, turns_between
from rules.games.plastic_fudge.units import card, card_name, is_destroyed, known_facing_deg, mines_on, rules_of
from rules.tabletop.bearing import bearing_deg
from rules.tabletop.path import Path, legs, length_in, nearest_in
from rules.tabletop.tolerance import DOUBT_SIGMAS


def movement(position: Position, figure: str) -> Action:
    """The remaining move of a unit."""
    unit = position.unit(figure)
    return action_for("Move", "move", Context(position, (unit,)), {"path": []}, blocked_by=not_here(position, unit))


def march(position: Position, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS) -> Action:
    """One unit along its path, on which it flees if it must; several at once have to go one by one."""
    gone = any(position.unit(name).out for name in paths)
    together = (len(paths) != 1, "one_by_one", "PF-26", "each unit moves by itself, one after the other")
    if bar := refused(rules_of(position), (gone, "destroyed", "PF-53"), together):
        return Action("Move", "move", {}, tuple(paths), paths=paths, facing_deg=facing_deg, blocked_by=bar)
    [(name, path)] = paths.items()
    unit, found = position.unit(name), position.state.statuses
    if unit.this_turn.get(statuses.FLEES):
        return replace(fleeing(position, unit, path), facing_deg=facing_deg)
    context = Context(position, (unit,), paths=paths)
    parts = stretches(rules_of(position), Mover(**bind(Mover, context).given), path, position.terrain)
    if not parts and rules_of(position).chooses("turns_in_terrain", True):
        under = terrain_under(rules_of(position), position.figure(name), position.terrain)
        parts = (Stretch(inches=0.0, terrain=under),)
    headings = [bearing_deg(start, end) for _, start, end in legs(path)]
    known = {
        "path": [{"inches": one.inches, "terrain": one.terrain, "climbs": one.climbs} for one in parts],
        "headings_deg": headings + [facing_deg[name]] if name in facing_deg else headings,
        "unswept_mines": any(
            found.get(statuses.MINE.format(mine)) != statuses.FOUND for mine, *_ in mines_on(position, name, path)
        ),
    }
    error = (_length_error(position, unit, ("path", len(parts) - 1, "inches")),) if parts else ()
    wait = not_here(position, unit)
    return action_for("Move", "move", context, known, measured=error, facing_deg=facing_deg, blocked_by=wait)


def turn_in(position: Position, unit: Unit, heading_deg: float) -> float:
    """The inches that a unit on open ground loses if it first turns to a heading; none if its facing is unknown."""
    facing = known_facing_deg(position, unit)
    if facing is UNKNOWN:
        return 0.0
    rules = rules_of(position)
    return -sum(toll.modifier or 0.0 for toll in turn_tolls(rules, turns_between(rules, facing, (heading_deg,)), 0.0))


def fleeing(position: Position, unit: Unit, path: Path | None = None) -> Action:
    """A flight, along the path on which the unit was seen to run, else straight away from where it faces.

    It runs as far as the ground lets it, or to the edge of the table.
    """
    facing, start, rules = known_facing_deg(position, unit), position.figure(unit.id), rules_of(position)
    again = unit.this_turn.get(statuses.FLEES) == statuses.AGAIN
    if facing is UNKNOWN and path is not None and path[0] != path[-1]:
        facing = bearing_deg(path[0], path[-1]) if again else bearing_deg(path[-1], path[0])
    left_out = ("phase", "own_turn", "aboard", "spotter_with_binoculars")
    known = bind(Mover, Context(position, (unit,))).given
    given: dict[str, Any] = {name: value for name, value in known.items() if name not in left_out}
    given |= {"again": again, "riding": False}  # a rider jumps out
    if facing is UNKNOWN:
        return Action("Flee", "rout_move", given, (unit.id,))
    given["facing_deg"] = facing
    found = verdict_without_dice(position.game, "rout_move", given)
    name = card_name(position, unit)
    straight_on = flight(rules, name, start, found, position.terrain) if found else (start.centre_in,)
    path = straight_on if path is None else path
    if path is not straight_on and path[0] != path[-1]:
        given["heading_deg"] = bearing_deg(path[0], path[-1])
        given["run_in"] = run_in(rules, name, path, position.terrain)
        given["least_in"] = run_in(rules, name, straight_on, position.terrain)
    elif found and not length_in(straight_on):
        given["run_in"] = 0.0  # what is behind him does not let him run
    if position.state.area_in:
        given["reaches_edge"] = reaches_edge(start, path, position.state.area_in)
    measured = (_length_error(position, unit, ("run_in",)),) if "heading_deg" in given else ()
    return Action("Flee", "rout_move", given, (unit.id,), measured=measured, paths={unit.id: path})


def passed_by(position: Position, runner: Unit, path: Path, flight: list[Any]) -> Iterator[Action]:
    """Every other unit that a flight shakes, or perhaps shakes within the error of its distance, if not yet decided."""
    if not length_in(path):
        return
    for mate in position.state.units.values():
        passed = stored_list(mate, statuses.PASSED)
        gone = mate.id not in position.figures or is_destroyed(position, mate)
        if mate.id == runner.id or gone or mate.statuses.get(statuses.ROUTED) or flight in passed:
            continue
        moving, standing = position.figure(runner.id), position.figure(mate.id)
        near_in, sigma_in = nearest_in(moving, path, standing), hypot(moving.sigma_in, standing.sigma_in)
        known: dict[str, Any] = {"same_side": mate.side == runner.side, "unit": card_name(position, mate)}
        known["checked_for_this_unit"] = any(name == runner.id for name, _ in passed)
        least_in = max(0.0, near_in - DOUBT_SIGMAS * sigma_in)
        if rout_contagion(rules_of(position), **known, closest_in=least_in).numbers["must_check"]:
            how = (UncertainFact(("closest_in",), sigma_in, f"how near {display_name(runner.id)} passed"),)
            title = f"{display_name(runner.id)} runs past {display_name(mate.id)}"
            known["closest_in"] = round(near_in, 2)
            found = Action(title, "rout_contagion", known, (mate.id,), (runner.id,))
            yield replace(found, measured=how, round="Flight", owed="PF-68")


def _length_error(position: Position, unit: Unit, fact: tuple[str | int, ...]) -> UncertainFact:
    """The error of a path's length: that of its two ends."""
    return UncertainFact(fact, position.figure(unit.id).sigma_in * 2**0.5, "how far it went")


def not_here(position: Position, unit: Unit) -> Verdict | None:
    """Why a unit that is called does not act yet, or no longer."""
    if not card(position, unit).called:
        return None
    return refusal_of(position.game, "jet_acts", action_for("", "jet_acts", Context(position, (unit,))).given)
