"""Army Men: the referee: moves, all other actions except shots, and obligations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from rules.engine.action import Action, UncertainFact
from rules.engine.effects import CONDITIONS, WRECK, condition, goal_key, next_step, unharmed
from rules.engine.events import PhaseBegun, plain
from rules.engine.facts import Bound, Context, action_for, bind
from rules.engine.objectives import Task
from rules.engine.position import Position
from rules.engine.referee import FIRE, NO_FACINGS, Referee
from rules.engine.ruleset import Ruleset, refused
from rules.engine.state import Unit
from rules.engine.text import display_name, display_names
from rules.engine.verdict import Verdict, forbidden
from rules.games.army_men import status
from rules.games.army_men.attack import THROUGH_THE_PORT
from rules.games.army_men.movement import TRACTORS
from rules.games.army_men.movement import Path as PathFacts
from rules.games.army_men.referee_effects import effects
from rules.games.army_men.referee_fire import (
    IN_RETURN,
    OPPORTUNITY,
    at_spot,
    at_targets,
    attacks,
    bursts,
    firer,
    unoffered,
    weapon_title,
    zone_of,
)
from rules.games.army_men.specialists import as_what
from rules.games.army_men.status import movement_profile, sight_rules, stretches
from rules.games.army_men.tables import MOVING, Tables
from rules.tabletop.bearing import bearing_deg, turn_deg
from rules.tabletop.measure import held_by
from rules.tabletop.movement import walk
from rules.tabletop.path import Path, legs, placed
from rules.tabletop.table import PointIn, TerrainKind

TURN_SLACK_DEG = 10.0
"""A hand does not push a tank straighter than this, nor does a camera read how it faces."""
INITIATIVE = "order_of_moving"
"""The step in which the order is rolled, where that is done every turn."""
USUAL_GOAL = "destroy_all"
CLIFFS = (TerrainKind.HILL, TerrainKind.MOUNTAIN)


def movement(position: Position, figure: str) -> Action:
    """The remaining allowance of a unit."""
    unit = position.unit(figure)
    return action_for("Move", "move", Context(position, (unit,)), {"path": [], **_turns(position, unit, 0)})


def march(position: Position, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS) -> Action:
    """Units along their paths: one by itself, or several each on its own."""
    moves = {name: _move(position, position.unit(name), paths, facing_deg.get(name)) for name in paths}
    measured = [replace(of, fact=("paths", name, *of.fact)) for name, one in moves.items() for of in one.measured]
    given = {"paths": {name: one.given for name, one in moves.items()}}
    together = Action("Move together", "march", given, tuple(paths), measured=tuple(measured), paths=paths)
    if len(moves) == 1:
        [one] = moves.values()
        together = replace(together, title="Move", name="move", given=one.given, measured=one.measured)
    return replace(together, facing_deg=facing_deg)


def _is_wreck(position: Position, piece: str) -> bool:
    """Whether a piece of terrain is a wrecked vehicle; others may have the name of a unit, too."""
    unit = position.state.units.get(piece)
    return unit is not None and bool(unit.statuses.get(WRECK))


def _turns(position: Position, unit: Unit, changes: int) -> dict[str, Any]:
    """How often it turns; left to the players for a tank whose facing was unknown."""
    turns = changes > 0 or any(unit.this_turn.get(key) for key in (status.TURNED, "turns"))
    unknown = unit.facing_deg is None and not turns and status.kind_name(position, unit) == "tank"
    return {"direction_changes": changes} | ({} if unknown else {"turns": turns})


TOW_ROPE_IN = 1.0
"""How far behind its truck a gun is set down, at most."""


def _leaves_tractor(position: Position, gun: Unit, paths: Mapping[str, Path]) -> bool:
    """Whether the paths part a gun from what tows it."""
    towing = status.tractor(position, gun)
    if towing is None or towing.id not in position.figures:
        return False
    figures = (position.figure(unit.id) for unit in (gun, towing))
    ends = [placed(one, paths[one.id][-1]) if one.id in paths else one for one in figures]
    return position.measure(*ends).edge_in > TOW_ROPE_IN


def _move(position: Position, unit: Unit, paths: Mapping[str, Path], end_facing_deg: float | None) -> Bound:
    """The facts of a measured move; a unit that has left the road has no more of it in this turn."""
    path = paths[unit.id]
    here, terrain, name = position.figure(unit.id), status.uncleared(position), status.kind_name(position, unit)
    profile = movement_profile(position.game.rules, name, held_by(here, terrain))
    walked = walk(path, terrain, profile, 0.0, sigma_in=here.sigma_in)
    off_road = {"on_road": False} if unit.this_turn.get(status.LEFT_ROAD) else {}
    parts = [{**plain(part), **off_road} for part in stretches(position.game.rules, name, walked)]
    barred = [part.ground for part in walked.impassable if part.ground is not None]
    given = {
        **bind(PathFacts, Context(position, (unit,))).given,
        **_turns(position, unit, _changes(path, unit.facing_deg, end_facing_deg)),
        "path": parts,
        "blocked_by": str(barred[0].kind) if barred and not status.kind(position, unit).flies else None,
        "by_wreck": bool(barred) and _is_wreck(position, barred[0].name),
        "leaves_tractor": _leaves_tractor(position, unit, paths),
    }
    if not parts or not walked.sigma_in > 0:
        return Bound(given)
    rate, what = walked.stretches[-1].cost_per_in, f"how far {display_name(unit.id)} went"
    sigma_in = walked.sigma_in / rate if 0 < rate < math.inf else walked.sigma_in
    return Bound(given, (UncertainFact(("path", len(parts) - 1, "inches"), sigma_in, what),))


def _changes(path: Path, facing_deg: float | None, end_facing_deg: float | None) -> int:
    """The number of turns of a vehicle; one that keeps its facing may have backed up."""
    changes, heading_deg = 0, facing_deg
    for _, a, b in legs(path):
        off_deg = 0.0 if heading_deg is None else abs(turn_deg(heading_deg, bearing_deg(a, b)))
        backs_up = end_facing_deg is not None and off_deg >= 180 - TURN_SLACK_DEG
        if heading_deg is None or (off_deg > TURN_SLACK_DEG and not backs_up):
            changes, heading_deg = changes + (heading_deg is not None), bearing_deg(a, b)
    if heading_deg is None or end_facing_deg is None:
        return changes
    return changes + (abs(turn_deg(heading_deg, end_facing_deg)) > TURN_SLACK_DEG)


# What else a figure may do.


def others(position: Position, figure: str) -> Iterator[Action]:
    """Bursts at several targets, and everything that is not an attack."""
    man = position.unit(figure)
    if not man.out:
        for actions in (bursts, *BY_HAND):
            yield from actions(position, man)


def _rests(position: Position, man: Unit) -> Verdict | None:
    """The reason that forbids all actions of a casualty."""
    return refused(position.game.rules, (status.casualty(position, man), "casualty", "AM-17"))


BY_HAND_OUTSIDE = "the men inside get out before they do anything else"
"""Why passengers do no work by hand."""


def _bar(position: Position, man: Unit) -> Verdict | None:
    """The reason that forbids work by hand: casualties do nothing, passengers only shoot."""
    rules, around = position.game.rules, status.carrier(position, man)
    if around is not None and status.kind(position, around).vehicle and status.fit(man):
        return forbidden("aboard", rules.because("AM-112", BY_HAND_OUTSIDE))
    return _rests(position, man) or _not_landed(position, man)


def _not_landed(position: Position, man: Unit) -> Verdict | None:
    """The reason that forbids a paratrooper's other actions before the drop and in its turn."""
    if status.in_the_air(position, man) or status.dropped(position, man):
        return forbidden("dropped_this_turn", position.game.rules.because("AM-33"))
    return None


def _shut_in(position: Position, man: Unit, *, at_ports: bool = True) -> Verdict | None:
    """Why a man inside something cannot act: it has no ports or, without `at_ports`, he would have to walk."""
    around = status.carrier(position, man)
    if around is None or (at_ports and status.kind(position, around).ports):
        return None
    return forbidden("aboard", position.game.rules.because("AM-112", BY_HAND_OUTSIDE))


def _jams(position: Position, man: Unit) -> Iterator[Action]:
    for weapon in status.weapons(position, man):
        context = Context(position, (man,), weapon=weapon)
        if status.jammed(context):
            title = f"Clear the {weapon_title(weapon).lower()}"
            bar = _rests(position, man) or _not_landed(position, man) or _shut_in(position, man)
            yield action_for(title, "clear_jam", context, blocked_by=bar)


def _ports(position: Position, man: Unit) -> Iterator[Action]:
    """Flames and grenades through the port of a pillbox, from a place at which its men cannot fire."""
    boxes = [one for one in status.targets(position, man) if status.kind(position, one).hard == "pillbox"]
    carried = [weapon for weapon in status.weapons(position, man) if weapon in THROUGH_THE_PORT]
    action = "attack_pillbox_from_safe_zone"
    nothing_to_ask = {one.fact: one.default for one in position.game.questions(action)}
    for box, weapon in product(boxes, carried):
        facts = {
            **nothing_to_ask,
            **firer(position, man, weapon),
            "zone": zone_of(position, box, position.figure(man.id)),
            "distance_in": round(position.measure(position.figure(man.id), position.figure(box.id)).edge_in, 2),
        }
        men = tuple(one.id for one in status.carried(position, box) if status.fit(one))
        title = f"{weapon_title(weapon)} through the port of {display_name(box.id)}"
        view = position.view(man.id, box.id)
        yield Action(title, action, facts, (man.id,), (box.id, *men), weapon, view=view)


def _treatments(position: Position, man: Unit) -> Iterator[Action]:
    for other in position.state.standing(man.side) if status.card(position, man, "medic") else ():
        if other.id != man.id and other.id in position.figures and other.statuses.get(status.WOUNDED):
            title, context = f"Treat {display_name(other.id)}", Context(position, (man,), (other,))
            yield action_for(title, "medic", context, blocked_by=_bar(position, man))


def _earthworks(position: Position, man: Unit) -> Iterator[Action]:
    if status.card(position, man, "shovel") and not man.statuses.get(status.ENTRENCHED):
        yield action_for("Dig in", "entrench", Context(position, (man,)), blocked_by=_bar(position, man))


def _clearings(position: Position, man: Unit) -> Iterator[Action]:
    """Obstacles that the soldier may clear by hand or by shooting."""
    rules = position.game.rules
    obstacles = {row.terrain: (name, set(row.destroyed_by)) for name, row in rules.tables.obstacles.items()}
    pieces = [one for one in status.uncleared(position) if one.kind in obstacles]
    hands = ["engineer"] if status.card(position, man, "engineer") else []
    for piece, by in product(pieces, [*hands, *status.weapons(position, man)]):
        obstacle, destroyed_by = obstacles[piece.kind]
        if as_what(rules, by) & destroyed_by:
            context = Context(position, (man,), weapon="" if by in hands else by, piece=piece)
            how = f" with the {display_name(by).lower()}" if context.weapon else ""
            title, facts = f"Destroy {display_name(piece.name)}{how}", {"obstacle": obstacle, "by": by}
            yield action_for(title, "destroy_obstacle", context, facts, blocked_by=_bar(position, man))


def _sweeps(position: Position, man: Unit) -> Iterator[Action]:
    for piece in status.uncleared(position) if status.card(position, man, "mine_detector") else ():
        if piece.kind is TerrainKind.MINE:
            title, context = f"Sweep {display_name(piece.name)}", Context(position, (man,), piece=piece)
            bar = _bar(position, man) or _shut_in(position, man, at_ports=False)
            yield action_for(title, "mine_detector", context, blocked_by=bar)


def _climbs(position: Position, man: Unit) -> Iterator[Action]:
    for piece in position.terrain if status.is_man(position, man) else ():
        if piece.kind in CLIFFS and position.figure(man.id).z_in < piece.top_in:
            title, context = f"Climb {display_name(piece.name)}", Context(position, (man,), piece=piece)
            bar = _bar(position, man) or _shut_in(position, man, at_ports=False)
            yield action_for(title, "climb", context, _tried(man, "climb"), blocked_by=bar)


def at_place(position: Position, figure: str, spot_in: PointIn) -> Iterator[Action]:
    """All actions of a figure at a bare place: weapons that fill an area, and a paratrooper's landing there."""
    yield from at_spot(position, figure, spot_in)
    man = position.unit(figure)
    yield from (replace(drop, spot_in=spot_in) for drop in ([] if man.out else _drops(position, man)))


def _drops(position: Position, man: Unit) -> Iterator[Action]:
    """The landing of a paratrooper where he is."""
    if status.is_man(position, man) and status.in_the_air(position, man):
        walked = bool(man.this_turn.get(status.MOVED)) and not status.aboard(position, man)
        facts = _tried(man, "paratrooper") | {"busy_this_turn": walked or status.has_attacked(position, man)}
        context = Context(position, (man,))
        yield action_for("Land by parachute", "paratrooper", context, facts, blocked_by=_rests(position, man))


def _tried(man: Unit, action: str) -> dict[str, bool]:
    return {"tried_this_turn": action in man.acts_this_turn}


def _boardings(position: Position, man: Unit) -> Iterator[Action]:
    """Boarding a carrier, or leaving it."""
    if not status.is_man(position, man):
        return
    around = status.carrier(position, man)
    for other in [around] if around else status.friends(position, man):
        if status.kind(position, other).carries and other.id in position.figures:
            title = f"{'Get out of' if around else 'Get into'} {display_name(other.id)}"
            context = Context(position, (man,), (other,))
            yield action_for(title, "board", context, blocked_by=_not_landed(position, man))


def _landings(position: Position, craft: Unit) -> Iterator[Action]:
    if status.kind(position, craft).flies:
        yield action_for("Land", "land", Context(position, (craft,)))


def _turrets(position: Position, tank: Unit) -> Iterator[Action]:
    turret = any(row.turret for row in status.weapons(position, tank).values())
    if turret and status.phase_number(position) == MOVING and not status.waits(position, tank):
        here = position.figure(tank.id).centre_in
        aside = (enemy for enemy in status.targets(position, tank) if position.figure(enemy.id).centre_in != here)
        for enemy in aside:
            title = f"Turn the turret to {display_name(enemy.id)}"
            yield action_for(title, "turn_turret", Context(position, (tank,), (enemy,)))


def _hitches(position: Position, vehicle: Unit) -> Iterator[Action]:
    """Hitching a gun beside it to a truck or jeep, or releasing it."""
    behind = status.towed(position, vehicle)
    for gun in status.friends(position, vehicle) if status.kind_name(position, vehicle) in TRACTORS else ():
        free = gun in behind or not status.is_towed(position, gun)
        if free and status.kind(position, gun).target == "cannon":
            title = f"{'Unhitch' if gun in behind else 'Hitch up'} {display_name(gun.id)}"
            context = Context(position, (vehicle,), (gun,))
            yield action_for(title, "hitch", context, blocked_by=_bar(position, vehicle))


BY_HAND: tuple[Callable[[Position, Unit], Iterator[Action]], ...] = (
    *(_jams, _ports, _treatments, _earthworks, _clearings, _sweeps),
    *(_climbs, _drops, _boardings, _hitches, _landings, _turrets),
)


# Obligations of a side, or of units that met something on their way.


def obligations(position: Position) -> Iterator[Action]:
    """The first mover; mines, tracks and water on paths; casualties at the end of a phase; crews; victory."""
    state = position.state
    every_turn = position.game.rules.chooses("order_every_turn", True)
    known = state.this_turn if every_turn else state.statuses
    if status.ORDER not in known and (not state.turn or state.phase == INITIATIVE):
        yield action_for("Who moves first", "move_order", Context(position), has_odds=False, owed="AM-06")
    if not state.turn:
        yield from _before_the_first_turn(position)
    for unit in state.units.values():
        if unit.id in position.figures and not unit.out and status.phase_number(position) == MOVING:
            yield from _met_on_the_way(position, unit)
        if unit.statuses.get(status.CREW) == status.TRAPPED:
            title = f"The men inside {display_name(unit.id)}"
            yield action_for(title, "crew_survival", Context(position, (unit,), (unit,)), owed="AM-105")
        if unit.statuses.get(status.IGNITED) and unit.id in position.figures:
            title = f"The flame-thrower of {display_name(unit.id)}"
            yield action_for(title, "flame_thrower_hit", Context(position, (unit,), (unit,)), owed="AM-82")
    for side in state.sides:
        yield from _casualties(position, tuple(one for one in state.standing(side) if one.statuses.get(status.DOWN)))
    yield from _goals(position)


def _casualties(position: Position, down: tuple[Unit, ...]) -> Iterator[Action]:
    """Taking off a side's casualties; the first soldier of them is the first that stays as a wounded man, if any do."""
    stay = [one for one in down if status.is_man(position, one)]
    title = f"Take off {display_names(tuple(one.id for one in down))}"
    if down:
        yield action_for(title, "casualties", Context(position, down), owed="AM-17")
    for first in stay[1:] if not position.game.rules.chooses("wounded_limit", 0) else ():
        place = down.index(first)
        in_turn = Context(position, (*down[place:], *down[:place]))
        yield action_for(f"{title}; {display_name(first.id)} is the first to stay", "casualties", in_turn)


def _before_the_first_turn(position: Position) -> Iterator[Action]:
    """Which player has which army, drawn once the table is laid out; the names of heroes."""
    if status.PLAYS.format("player 1") not in position.state.statuses:
        yield action_for("Draw the armies", "draw_armies", Context(position), has_odds=False)
    for side in position.state.sides:
        heroes = tuple(one for one in position.state.standing(side) if status.card(position, one, "hero"))
        if heroes:
            title = f"The heroes of {display_name(side)}"
            yield action_for(title, "hero_names", Context(position, targets=heroes))


def _met_on_the_way(position: Position, unit: Unit) -> Iterator[Action]:
    """Dice that a move owes, as long as units move."""
    name, context = display_name(unit.id), Context(position, (unit,))
    again = position.game.rules.chooses("minefield_attacks", "every_entry")
    mined = unit.this_turn.get(status.IN_MINES) and (again or "minefield" not in unit.acts_this_turn)
    if mined and status.fit(unit):
        yield action_for(f"Mines under {name}", "minefield", context, round="Mines and tracks", owed="AM-70")
    for man in map(position.unit, unit.this_turn.get(status.RAN_OVER, ())):
        title, run = f"{name} runs over {display_name(man.id)}", replace(context, targets=(man,))
        yield action_for(title, "overrun", run, round="Mines and tracks", owed="AM-26")
    if _swims(position, unit) and "swim" not in unit.acts_this_turn:
        yield action_for(f"{name} swims", "swim", context, _tried(unit, "swim"), round="Swimming", owed="AM-30")


def _swims(position: Position, unit: Unit) -> bool:
    """Whether a soldier is in the water as his side moves, or has swum through it."""
    able = status.is_man(position, unit) and status.fit(unit) and not status.aboard(position, unit)
    now = position.state.turn > 0 and not status.waits(position, unit)
    wet = any(piece.kind is TerrainKind.WATER for piece in status.ground(position, unit))
    return able and now and (wet or bool(unit.this_turn.get(status.SWAM)))


def _goals(position: Position) -> Iterator[Action]:
    state = position.state
    for side in state.sides:
        left = {one: _left(position, one) for one in state.sides}
        enemies = sum(number for other, number in left.items() if other != side)
        goal = state.statuses.get(goal_key(side), USUAL_GOAL)
        facts: dict[str, object] = {"side": side, "goal": goal, "enemies_left": enemies, "own_left": left[side]}
        if position.game.rules.tables.goals[goal].counted:
            facts["done"] = False
        yield Action(f"Declare victory of {display_name(side)}", "victory", facts)


def _left(position: Position, side: str) -> int:
    """How many of a side are left: a unit that is hit counts to the end of the phase, a pillbox does not."""
    standing = [one for one in position.state.standing(side) if not one.statuses.get(status.WOUNDED)]
    return sum(status.kind(position, one).hard != "pillbox" for one in standing)


# The turn.


def next_phase(position: Position) -> PhaseBegun:
    """Each player moves in the order of the dice; then the weapons fire, phase by phase."""
    state, rules = position.state, position.game.rules
    rows = sorted(rules.tables.phases.items(), key=lambda named: named[1].number)
    order = {**state.statuses, **state.this_turn}.get(status.ORDER) or state.sides
    steps = [(side, name) for name, row in rows if row.number == MOVING for side in order]
    steps += [("", name) for name, row in rows if row.number != MOVING]
    known = not state.turn and status.ORDER in state.statuses
    if rules.chooses("order_every_turn", True) and not known:
        steps.insert(0, ("", INITIATIVE))
    return next_step(state, steps)


HARM = (status.DOWN, status.WOUNDED, status.IMMOBILIZED, status.GLUED, status.STUNNED)
"""Statuses of units that are harmed but not eliminated."""


def rounds(position: Position) -> tuple[str, ...]:
    """In the phases of fire: opportunity fire first, then return fire, then all other attacks.

    Opportunity fire and other attacks need a unit that can still fire a weapon of this phase.
    """
    units = position.state.units.values()
    if status.phase_number(position) in (0, MOVING):
        return ()
    ready = {unit.id for unit in units if _can_fire(position, unit)}
    seen_by = {name for unit in units if status.fit(unit) for name in unit.this_turn.get(status.SEEN_AT, ())}
    answers = any(status.FIRED_ON_BY in unit.this_turn for unit in units)
    possible = ((OPPORTUNITY, ready & seen_by), (IN_RETURN, answers), (FIRE, ready))
    return tuple(name for name, found in possible if found)


def _can_fire(position: Position, unit: Unit) -> bool:
    """Whether a unit on the table has a weapon of this phase and, unless it has several, has not attacked."""
    if unit.id not in position.figures or not status.counts(position, unit):
        return False
    rows, number = status.weapons(position, unit).values(), status.phase_number(position)
    able = status.is_vehicle(position, unit) or not status.has_attacked(position, unit)
    return able and any(row.phase == number and not row.laid for row in rows)


def strayed(position: Position, action: Action, found: Verdict) -> tuple[PointIn, PointIn] | None:
    """Where a paratrooper aimed to land, and where he landed."""
    if action.name != "paratrooper":
        return None
    moves = effects(position, action, found).moves
    aimed_at = action.spot_in or (moves[0].from_in if moves else None)
    return (aimed_at, moves[0].to_in) if moves and aimed_at is not None and aimed_at != moves[0].to_in else None


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
    at_spot=at_place,
    at_targets=at_targets,
    unoffered=unoffered,
    conditions={
        **CONDITIONS,
        "unharmed": unharmed(*HARM),
        "hit, until the phase ends": condition(status.DOWN),
        "wounded": condition(status.WOUNDED),
        "immobilized": condition(status.IMMOBILIZED),
    },
    rounds=rounds,
    ready=lambda position, unit: status.phase_number(position) == MOVING or _can_fire(position, unit),
    this_turn=status.THIS_TURN,
    inside=frozenset({status.INSIDE}),
    strayed=strayed,
    tasks=tasks,
)
