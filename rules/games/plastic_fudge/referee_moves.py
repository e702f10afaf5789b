"""Plastic Fudge: who moves and what keeps him from it, and which way he flees."""

from __future__ import annotations

from typing import Any

from rules.engine.position import Position
from rules.engine.referee import Action, UncertainFact, verdict_without_dice
from rules.engine.state import Unit
from rules.games.plastic_fudge.board import flight, reaches_edge, run_in
from rules.games.plastic_fudge.referee_facts import (
    AGAIN,
    FLEES,
    ROUTED,
    able,
    altered,
    by_hand,
    card,
    card_name,
    carrier,
    falls,
    known_facing_deg,
    rules_of,
    spotters,
)
from rules.tabletop.bearing import bearing_deg
from rules.tabletop.path import Path


def mover(position: Position, unit: Unit) -> dict[str, Any]:
    """Who moves, and what keeps him from it; what no camera tells is left out where it matters to him."""
    jeeps = [mate for mate in able(position, unit.side) if card(position, mate).tows]
    aboard = carrier(position, unit) is not None
    return {
        "unit": card_name(unit),
        **altered(unit, "ML", "TL"),
        **by_hand(position, unit),
        "riding": aboard,
        "aboard": aboard,
        "spotter_with_binoculars": bool(spotters(position, unit)),
        "working_jeep": bool(jeeps),
        "routed": bool(unit.statuses.get(ROUTED)),
        "destroyed": falls(position, unit),
        "phase": position.state.phase,
        "own_turn": position.state.side == unit.side,
    }


def fleeing(position: Position, unit: Unit, path: Path | None = None) -> Action:
    """His flight, along the path that he was seen to take, else straight away from where he faces.

    He runs as far as the ground lets him, or to the edge of the table.
    """
    facing, start, rules = known_facing_deg(position, unit), position.figure(unit.id), rules_of(position)
    again = unit.this_turn.get(FLEES) == AGAIN
    if facing is None and path is not None and path[0] != path[-1]:
        facing = bearing_deg(path[0], path[-1]) if again else bearing_deg(path[-1], path[0])
    known, left_out = mover(position, unit), ("phase", "own_turn", "aboard", "spotter_with_binoculars")
    given = {name: known[name] for name in known if name not in left_out}
    given |= {"again": again, "riding": False}  # who rides jumps out
    if facing is None:
        return Action("Flee", "rout_move", given, (unit.id,))
    given["facing_deg"] = facing
    found = verdict_without_dice(position.game, "rout_move", given)
    straight_on = flight(rules, card_name(unit), start, found, position.terrain) if found else (start.centre_in,)
    if path is None:
        path = straight_on
    elif path[0] != path[-1]:
        given["heading_deg"] = bearing_deg(path[0], path[-1])
        given["run_in"] = run_in(rules, card_name(unit), path, position.terrain)
        given["least_in"] = run_in(rules, card_name(unit), straight_on, position.terrain)
    if position.state.area_in:
        given["reaches_edge"] = reaches_edge(start, path, position.state.area_in)
    measured = (how_far_it_went(position, unit, ("run_in",)),) if "run_in" in given else ()
    return Action("Flee", "rout_move", given, (unit.id,), measured=measured, paths={unit.id: path})


def how_far_it_went(position: Position, unit: Unit, way: tuple[str | int, ...]) -> UncertainFact:
    """The error of a path's length: that of its two ends."""
    return UncertainFact(way, position.figure(unit.id).sigma_in * 2**0.5, "how far it went")
