"""Army Men: the referee, and the moves of figures on a measured table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rules.engine.condition import CONDITIONS, condition, unharmed
from rules.engine.effects import next_step
from rules.engine.events import PhaseBegun, plain
from rules.engine.facts import Bound, Context, action_for, bind
from rules.engine.objectives import Task
from rules.engine.position import Position
from rules.engine.referee import FIRE, NO_FACINGS, Action, Referee, UncertainFact
from rules.engine.ruleset import Ruleset
from rules.engine.state import State, Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict
from rules.games.army_men import movement as movement_facts
from rules.games.army_men import status
from rules.games.army_men.ground import held_by, movement_profile, sight_rules, stretches
from rules.games.army_men.referee_actions import USUAL_GOAL, obligations, others
from rules.games.army_men.referee_effects import effects
from rules.games.army_men.referee_fire import IN_RETURN, OPPORTUNITY, at_spot, attacks
from rules.games.army_men.tables import MOVING, Tables
from rules.tabletop.bearing import bearing_deg, turn_deg
from rules.tabletop.movement import walk
from rules.tabletop.path import Path, legs
from rules.tabletop.table import PointIn

TURN_SLACK_DEG = 10.0
"""A hand does not push a tank straighter than this, nor does a camera read how it faces."""
INITIATIVE = "order_of_moving"
"""The step in which the order is rolled, where that is done every turn."""


def movement(position: Position, figure: str) -> Action:
    """What is left of a unit's allowance."""
    unit = position.unit(figure)
    return action_for("Move", "move", Context(position, (unit,)), {"path": [], **_turns(position, unit, 0)})


def march(position: Position, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS) -> Action:
    """Units along their paths: one by itself, or several each on its own."""
    moves = {name: _move(position, position.unit(name), path, facing_deg.get(name)) for name, path in paths.items()}
    measured = [replace(of, fact=("paths", name, *of.fact)) for name, one in moves.items() for of in one.measured]
    given = {"paths": {name: one.given for name, one in moves.items()}}
    together = Action("Move together", "march", given, tuple(paths), measured=tuple(measured), paths=paths)
    if len(moves) == 1:
        [one] = moves.values()
        together = replace(together, title="Move", name="move", given=one.given, measured=one.measured)
    return replace(together, facing_deg=facing_deg)


def _turns(position: Position, unit: Unit, changes: int) -> dict[str, Any]:
    """How often it turns; left to the players for a tank of which nobody knows which way it faced."""
    turns = changes > 0 or any(unit.this_turn.get(key) for key in (status.TURNED, "turns"))
    unknown = unit.facing_deg is None and not turns and status.kind_name(position, unit) == "tank"
    return {"direction_changes": changes} | ({} if unknown else {"turns": turns})


def _move(position: Position, unit: Unit, path: Path, end_facing_deg: float | None) -> Bound:
    """The facts of a measured move; a unit that has left the road has no more of it in this turn."""
    here, terrain, name = position.figure(unit.id), status.uncleared(position), status.kind_name(position, unit)
    profile = movement_profile(position.game.rules, name, held_by(here, terrain))
    walked = walk(path, terrain, profile, 0.0, sigma_in=math.hypot(here.sigma_in, here.sigma_in))
    off_road = {"on_road": False} if unit.this_turn.get(status.LEFT_ROAD) else {}
    parts = [{**plain(part), **off_road} for part in stretches(position.game.rules, name, walked)]
    barred = [str(part.ground.kind) for part in walked.impassable if part.ground is not None]
    given = {
        **bind(movement_facts.Path, Context(position, (unit,))).given,
        **_turns(position, unit, _changes(path, unit.facing_deg, end_facing_deg)),
        "path": parts,
        "blocked_by": barred[0] if barred and not status.kind(position, unit).flies else None,
    }
    if not parts or not walked.sigma_in > 0:
        return Bound(given)
    rate, what = walked.stretches[-1].cost_per_in, f"how far {display_name(unit.id)} went"
    sigma_in = walked.sigma_in / rate if 0 < rate < math.inf else walked.sigma_in
    return Bound(given, (UncertainFact(("path", len(parts) - 1, "inches"), sigma_in, what),))


def _changes(path: Path, facing_deg: float | None, end_facing_deg: float | None) -> int:
    """How often a vehicle turns on its way; one that ends facing as it did may have backed up."""
    changes, heading_deg = 0, facing_deg
    for _, a, b in legs(path):
        off_deg = 0.0 if heading_deg is None else abs(turn_deg(heading_deg, bearing_deg(a, b)))
        if heading_deg is None or (off_deg > TURN_SLACK_DEG and not _backs_up(off_deg, end_facing_deg)):
            changes, heading_deg = changes + (heading_deg is not None), bearing_deg(a, b)
    if heading_deg is None or end_facing_deg is None:
        return changes
    return changes + (abs(turn_deg(heading_deg, end_facing_deg)) > TURN_SLACK_DEG)


def _backs_up(off_deg: float, end_facing_deg: float | None) -> bool:
    return end_facing_deg is not None and off_deg >= 180 - TURN_SLACK_DEG


def next_phase(position: Position) -> PhaseBegun:
    """Each player moves in the order of the dice; then the weapons fire, phase by phase."""
    state, rules = position.state, position.game.rules
    rows = sorted(rules.tables.phases.items(), key=lambda named: named[1].number)
    steps = [(side, name) for name, row in rows if row.number == MOVING for side in _order(state)]
    steps += [("", name) for name, row in rows if row.number != MOVING]
    if rules.chooses("order_every_turn", True):
        steps.insert(0, ("", INITIATIVE))
    return next_step(state, steps)


def _order(state: State) -> list[str]:
    told = {**state.statuses, **state.this_turn}.get(status.ORDER)
    return list(told or state.sides)


HARM = (status.DOWN, status.WOUNDED, status.IMMOBILIZED, status.GLUED, status.STUNNED)
"""What may befall a unit short of its end."""


def rounds(position: Position) -> tuple[str, ...]:
    """In the phases of fire: at whom one saw on his way first, then back at who fired so, then all else."""
    row = position.game.rules.tables.phases.get(position.state.phase)
    if row is None or row.number == MOVING:
        return ()
    told = [unit.this_turn for unit in position.state.units.values()]
    seen = ((OPPORTUNITY, status.SEEN_AT), (IN_RETURN, status.FIRED_ON_BY))
    return (*(name for name, key in seen if any(key in one for one in told)), FIRE)


def strayed(position: Position, action: Action, found: Verdict) -> tuple[PointIn, PointIn] | None:
    """Where a paratrooper was to land and where he does."""
    if action.name != "paratrooper":
        return None
    moves = effects(position, action, found).moves
    return (moves[0].from_in, moves[0].to_in) if moves else None


def tasks(rules: Ruleset[Tables]) -> tuple[Task, ...]:
    """The victory conditions."""
    rows = rules.tables.goals
    return tuple(Task(name, rows[name].text, rows[name].rule) for name in sorted(rows, key=USUAL_GOAL.__ne__))


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
    conditions={
        **CONDITIONS,
        "unharmed": unharmed(*HARM),
        "hit, until the phase ends": condition(status.DOWN),
        "wounded": condition(status.WOUNDED),
        "immobilized": condition(status.IMMOBILIZED),
    },
    rounds=rounds,
    this_turn=status.THIS_TURN,
    strayed=strayed,
    tasks=tasks,
)
