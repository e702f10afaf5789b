"""Plastic Fudge: the questions that stand for what a unit may do on a measured table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rules.engine.condition import CONDITIONS, condition, unharmed
from rules.engine.effects import next_step
from rules.engine.events import PhaseBegun
from rules.engine.position import Position
from rules.engine.referee import FIRE, NO_FACINGS, Action, Referee
from rules.engine.state import Unit
from rules.engine.verdict import forbidden
from rules.games.plastic_fudge.board import sight_rules, stretches
from rules.games.plastic_fudge.command import steps
from rules.games.plastic_fudge.movement import Mover
from rules.games.plastic_fudge.referee_effects import effects
from rules.games.plastic_fudge.referee_facts import (
    CALLED_TURN,
    EXPLODES,
    FALLS,
    FLEES,
    FOUND,
    INJURIES,
    LOST,
    LOST_BEFORE,
    ROUTED,
    SEAT_A,
    SEAT_B,
    THIS_TURN,
    card,
    ground,
    known_facing_deg,
    mine_key,
    mines_on,
    rules_of,
)
from rules.games.plastic_fudge.referee_fire import at_spot, attacks, not_here, others
from rules.games.plastic_fudge.referee_moves import fleeing, how_far_it_went, mover
from rules.games.plastic_fudge.referee_obligations import obligations
from rules.games.plastic_fudge.tables import Tables
from rules.tabletop.bearing import bearing_deg
from rules.tabletop.path import Path, legs

# Movement.


def movement(position: Position, figure: str) -> Action:
    """What is left of a unit's move."""
    unit = position.unit(figure)
    return Action(
        "Move", "move", {**_walker(position, unit), "path": []}, (figure,), blocked_by=not_here(position, unit)
    )


def _walker(position: Position, unit: Unit) -> dict[str, Any]:
    facing = known_facing_deg(position, unit)
    faces = {} if facing is None else {"facing_deg": facing}
    return {**mover(position, unit), **faces, "spent_in": unit.allowance_used_in}


def march(position: Position, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS) -> Action:
    """One unit along its path; several at once are told to go one by one. Who is to flee flees along it."""
    if len(paths) != 1:
        why = rules_of(position).because("PF-26", "each unit moves by itself, one after the other")
        return Action(
            "Move",
            "move",
            {},
            tuple(paths),
            paths=paths,
            facing_deg=facing_deg,
            blocked_by=forbidden("one_by_one", why),
        )
    [(name, path)] = paths.items()
    unit = position.unit(name)
    if unit.this_turn.get(FLEES):
        return replace(fleeing(position, unit, path), facing_deg=facing_deg)
    headings = [bearing_deg(start, end) for _, start, end in legs(path)]
    known = mover(position, unit)
    who = Mover(**{fact: value for fact, value in known.items() if value is not None})
    parts = stretches(rules_of(position), who, path, position.terrain)
    crosses = any(position.state.statuses.get(mine_key(mine)) != FOUND for mine, *_ in mines_on(position, name, path))
    given = {
        **_walker(position, unit),
        "path": [{"inches": one.inches, "terrain": one.terrain, "climbs": one.climbs} for one in parts],
        "headings_deg": headings + [facing_deg[name]] if name in facing_deg else headings,
        "unswept_mines": crosses,
    }
    measured = (how_far_it_went(position, unit, ("path", len(parts) - 1, "inches")),) if parts else ()
    return Action(
        "Move",
        "move",
        given,
        (name,),
        measured=measured,
        paths=paths,
        facing_deg=facing_deg,
        blocked_by=not_here(position, unit),
    )


# The round.


def next_phase(position: Position) -> PhaseBegun:
    """The parts of the round, A's and B's as the winner of the initiative chose; else as the players are named."""
    state = position.state
    seats = dict(zip((SEAT_A, SEAT_B), state.sides, strict=False)) | dict(state.this_turn)
    jets = any(
        CALLED_TURN in unit.statuses and not unit.out for unit in state.units.values() if card(position, unit).called
    )
    return next_step(state, steps(rules_of(position), seats, called=jets))


def rounds(position: Position) -> tuple[str, ...]:
    """In the phases of attacks."""
    row = rules_of(position).tables.phases.get(position.state.phase)
    return (FIRE,) if row is not None and row.attacks else ()


REFEREE: Referee[Tables] = Referee(
    sight=sight_rules,
    movement=movement,
    march=march,
    attacks=attacks,
    others=others,
    obligations=obligations,
    effects=effects,
    next_phase=next_phase,
    at_spot=at_spot,
    ground=ground,
    rounds=rounds,
    this_turn=THIS_TURN,
    conditions={
        **CONDITIONS,
        "unharmed": unharmed(FALLS, INJURIES, LOST, LOST_BEFORE, EXPLODES, ROUTED),
        "killed, once all have attacked": condition(FALLS),
        "injured": condition(LOST, value=1),
        "routed": condition(ROUTED),
        "rallied": condition(ROUTED, value=None),
    },
)
