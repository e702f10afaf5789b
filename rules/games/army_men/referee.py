"""Army Men: the referee, and the questions that stand for a figure's move on a measured table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rules.engine.condition import CONDITIONS, condition, unharmed
from rules.engine.effects import next_step
from rules.engine.events import PhaseBegun, plain
from rules.engine.objectives import Task
from rules.engine.position import Position
from rules.engine.referee import FIRE, NO_FACINGS, Action, Referee, UncertainFact
from rules.engine.ruleset import Ruleset
from rules.engine.state import State, Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict
from rules.games.army_men import status
from rules.games.army_men.ground import held_by, movement_profile, sight_rules, stretches
from rules.games.army_men.referee_actions import USUAL_GOAL, obligations, others
from rules.games.army_men.referee_effects import effects
from rules.games.army_men.referee_facts import crew_of
from rules.games.army_men.referee_fire import IN_RETURN, OPPORTUNITY, attacks
from rules.games.army_men.referee_shells import at_spot
from rules.games.army_men.tables import MOVING, Tables
from rules.tabletop.bearing import bearing_deg, turn_deg
from rules.tabletop.movement import Walk, walk
from rules.tabletop.path import Path, legs
from rules.tabletop.table import PointIn

TURN_SLACK_DEG = 10.0
"""A hand does not push a tank straighter than this, nor does a camera read how it faces."""
INITIATIVE = "order_of_moving"
"""The step in which the order is rolled, where that is done every turn."""


def movement(position: Position, figure: str) -> Action:
    """What is left of a unit's allowance."""
    unit = position.unit(figure)
    return Action("Move", "move", {**_unit(position, unit), "path": [], **_turns(position, unit, 0)}, (figure,))


def march(position: Position, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS) -> Action:
    """Units along their paths: one by itself, or several each on its own."""
    walks = {name: _walk(position, position.unit(name), path) for name, path in paths.items()}
    asked = {
        name: _path(position, position.unit(name), path, walks[name], facing_deg.get(name))
        for name, path in paths.items()
    }
    names = tuple(paths)
    if len(names) == 1:
        measured = _errors(position, names[0], asked[names[0]], walks[names[0]], ())
        return Action("Move", "move", asked[names[0]], names, measured=measured, paths=paths, facing_deg=facing_deg)
    every = [one for name in names for one in _errors(position, name, asked[name], walks[name], ("paths", name))]
    return Action(
        "Move together", "march", {"paths": asked}, names, measured=tuple(every), paths=paths, facing_deg=facing_deg
    )


def _unit(position: Position, unit: Unit) -> dict[str, Any]:
    """What is known of the figure that moves."""
    weapons, towed = status.weapons(position, unit), status.tractor(position, unit) is not None
    slow = [name for name, row in weapons.items() if row.half_move]
    crew, gun = crew_of(position, unit), status.kind(position, unit).target == "cannon"
    short = crew is not None and any(crew < row.crew for row in weapons.values())
    return {
        **status.step(position, unit),
        "unit": status.kind_name(position, unit),
        "weapon": slow[0] if slow else None,
        "dropped_this_turn": status.dropped(unit),
        "immobilized": bool(unit.statuses.get(status.IMMOBILIZED)) or status.glued(unit),
        "used_in": round(unit.allowance_used_in, 2),
        "casualty": status.casualty(unit),
        "aboard": status.carrier(position, unit) is not None,
        "in_the_air": status.in_the_air(position, unit),
        "on_the_cliff": bool(unit.statuses.get(status.CLIMBED)),
        "cleared_this_turn": "destroy_obstacle" in unit.acts_this_turn,
        "unmanned": gun and short and not towed and position.game.rules.chooses("short_crew", "cannot_attack"),
        "towed": towed,
    }


def _turns(position: Position, unit: Unit, changes: int) -> dict[str, Any]:
    """How often it turns; left to the players for a tank of which nobody knows which way it faced."""
    turns = changes > 0 or any(unit.this_turn.get(key) for key in (status.TURNED, "turns"))
    unknown = unit.facing_deg is None and not turns and status.kind_name(position, unit) == "tank"
    return {"direction_changes": changes} | ({} if unknown else {"turns": turns})


def _walk(position: Position, unit: Unit, path: Path) -> Walk:
    here = position.figure(unit.id)
    terrain = [piece for piece in position.terrain if piece.name not in status.cleared(position)]
    ends_in = math.hypot(here.sigma_in, here.sigma_in)
    gaits = movement_profile(position.game.rules, status.kind_name(position, unit), held_by(here, terrain))
    return walk(path, terrain, gaits, 0.0, sigma_in=ends_in)


def _path(position: Position, unit: Unit, path: Path, walked: Walk, end_facing_deg: float | None) -> dict[str, Any]:
    """A measured walk as the facts of a move; a unit that has left the road has no more of it in this turn."""
    name = status.kind_name(position, unit)
    parts = [plain(part) for part in stretches(position.game.rules, name, walked)]
    if unit.this_turn.get(status.LEFT_ROAD):
        parts = [{**part, "on_road": False} for part in parts]
    barred = [part.ground.kind for part in walked.impassable if part.ground is not None]
    turned = _changes(path, unit.facing_deg, end_facing_deg)
    facts = {**_unit(position, unit), **_turns(position, unit, turned), "path": parts}
    flies = status.kind(position, unit).flies
    return facts | {"blocked_by": str(barred[0]) if barred and not flies else None}


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


def _errors(
    position: Position, name: str, facts: Mapping[str, Any], walked: Walk, way: tuple[str, ...]
) -> tuple[UncertainFact, ...]:
    """The error of a path's length, told of its last part."""
    if not facts["path"] or not walked.sigma_in > 0:
        return ()
    rate = walked.stretches[-1].cost_per_in
    sigma_in = walked.sigma_in / rate if 0 < rate < math.inf else walked.sigma_in
    return (
        UncertainFact((*way, "path", len(facts["path"]) - 1, "inches"), sigma_in, f"how far {display_name(name)} went"),
    )


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
