"""Simple Plastic Figure: the referee: the parts of a turn, and the effects that verdicts do not carry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from rules.engine.action import Action
from rules.engine.effects import CONDITIONS, next_step, unharmed
from rules.engine.events import Effects, Move, PhaseBegun
from rules.engine.position import Position
from rules.engine.referee import Referee, effects_of, phase_says, rounds_where
from rules.engine.state import ELIMINATED
from rules.engine.verdict import ACTORS, TARGETS, Effect, MoveEffect, StatusEffect, Verdict
from rules.engine.without_dice import verdict_without_dice
from rules.games.simple_plastic_figure import statuses
from rules.games.simple_plastic_figure.cover import sight_rules
from rules.games.simple_plastic_figure.figures import ground, is_reserve, named, phase, rules_of
from rules.games.simple_plastic_figure.movement import enemies_met
from rules.games.simple_plastic_figure.referee_actions import calls_at_spot, march, movement, obligations, others, tasks
from rules.games.simple_plastic_figure.referee_fire import at_targets, attacks, explosives_at
from rules.games.simple_plastic_figure.rows import weapon_of
from rules.games.simple_plastic_figure.statuses import FIRST, INITIATIVE, LOST, THIS_TURN, done, for_now
from rules.games.simple_plastic_figure.tables import Tables
from rules.games.simple_plastic_figure.turn import Helped
from rules.tabletop.path import length_in
from rules.tabletop.table import PointIn


def at_spot(position: Position, figure: str, spot_in: PointIn) -> Iterator[Action]:
    """Every explosive of a figure, or that it calls for, at a bare place."""
    yield from explosives_at(position, figure, spot_in)
    yield from calls_at_spot(position, figure, spot_in)


def next_phase(position: Position) -> PhaseBegun:
    """The halves of the turn in the winner's order, otherwise in the order of the sides."""
    state, now = position.state, phase(position)
    first = str(state.this_turn.get(FIRST) or state.sides[0])
    second = next((side for side in state.sides if side != first), first)
    if now is not None and now.half and state.side not in ("", (first, second)[now.half - 1]):
        first, second = second, first
    found = verdict_without_dice(position.game, "turn", {"first": first, "second": second})
    steps = found.numbers["steps"] if found else []
    known = [(step["side"] or "", step["phase"]) for step in steps]
    return next_step(state, [(side, name) for side, name in known if side or name == INITIATIVE])


def strayed(position: Position, action: Action, found: Verdict) -> tuple[PointIn, PointIn] | None:
    """The target place of a shell and the place where it lands."""
    aimed, fell = action.given.get("spot_in"), found.numbers.get("spot_in")
    if not aimed or not fell:
        return None
    ends = (float(aimed[0]), float(aimed[1])), (float(fell[0]), float(fell[1]))
    return ends if ends[0] != ends[1] else None


# What an answer changes.

_DID = {
    "attack": ("fire", "WW-10"),
    "volley": ("fire", "WW-10"),
    "charge": ("fire", "WW-10"),
    "shell": ("fire", "WW-10"),
    "command_actions": ("lead", "WW-56"),
    "direct_fire_binoculars": ("direct_fire", "WW-57"),
    "direct_onboard": ("direct_fire", "WW-61"),
    "offboard": ("call_fire", "WW-62"),
}
"""What a figure has done after an action, or after a radio is used so; and the rule."""


def effects(position: Position, action: Action, found: Verdict) -> Effects:
    """The effects of an action: those of the verdict, and those that depend on the battle."""
    name = action.given["mode"] if action.name == "radio" else action.name
    did = _did(position, action, *_DID[name]) if name in _DID else ()
    more = _MORE[name](position, action, found) if name in _MORE else ()
    effects = effects_of(position, action, found.causing(*did, *found.effects, *more))
    return replace(effects, moves=_came_back(position, action)) if name == "reserve" else effects


def _did(position: Position, action: Action, what: str, rule: str) -> tuple[Effect, ...]:
    """It has acted; shots that were left belong to the action that they are left of."""
    before = done(position.unit(action.by[0]))
    repeated = what == "fire" and before[-1:] == [what]
    return () if repeated else (for_now(ACTORS, statuses.DONE, [*before, what], rule),)


def _moved(position: Position, action: Action, found: Verdict) -> tuple[Effect, ...]:
    if not action.paths:
        return ()
    [(name, path)] = action.paths.items()
    # A move that the players allow may have no price in the rules; then it costs its length.
    goes = [MoveEffect({name: found.numbers.get("cost_in", length_in(path))})] if len(path) > 1 else []
    place, *enemies = (action.given[fact] for fact in ("ends_in", "enemies_inside", "enemy_gaps_in"))
    fights = enemies_met(rules_of(position), place, *enemies)
    if not fights:
        return (*_did(position, action, "move", "WW-10"), *goes)
    stored = for_now(ACTORS, statuses.FIGHTS, {"with": fights, "in": place}, "WW-22")
    return (*_did(position, action, "move_into_hand_to_hand", "WW-22"), stored, *goes)


def _came_back(position: Position, action: Action) -> tuple[Move, ...]:
    """The figure that returns stands where its reserve stood."""
    spot_in, [gone] = position.figure(action.by[0]).centre_in, action.at
    before_in = position.unit(gone).at_in or spot_in
    return (Move(figure=gone, from_in=before_in, to_in=spot_in, moved_in=0, cost_in=0),)


def _returned(position: Position, action: Action, found: Verdict) -> tuple[Effect, ...]:
    times = action.given["returned_this_turn"] + 1
    return (for_now("", statuses.RETURNED.format(position.state.side), times, "WW-59"),)


def _lost(position: Position, action: Action, found: Verdict) -> tuple[Effect, ...]:
    """The turn is stored for eliminated figures that a reserve may bring back."""
    dead = [one.figure for one in effects_of(position, action, found).changes if one.key == ELIMINATED]
    fighters = [unit for unit in map(position.unit, dead) if not is_reserve(position, unit)]
    waiting = {one.side for one in position.state.units.values() if not one.out and is_reserve(position, one)}
    names = [unit.id for unit in fighters if unit.side in waiting]
    return tuple(StatusEffect(name, statuses.LOST, position.state.turn, "WW-59") for name in names)


def _agreed(position: Position, action: Action, found: Verdict) -> tuple[Effect, ...]:
    """The piece of terrain that a side is to take or hold."""
    key = statuses.PLACE_OF.format(action.given["side"])
    return (StatusEffect("", key, action.piece, "WW-05"),) if action.piece else ()


def _fired(position: Position, action: Action, found: Verdict) -> tuple[Effect, ...]:
    """The targets named before count no longer."""
    names = [name for name in action.by if statuses.NAMED in position.unit(name).this_turn]
    return (*(for_now(name, statuses.NAMED, None, "WW-36") for name in names), *_lost(position, action, found))


def _named(position: Position, action: Action, found: Verdict) -> tuple[Effect, ...]:
    targets = [*named(position.unit(action.by[0]), action.weapon), *action.at]
    return (for_now(ACTORS, statuses.NAMED, [action.weapon, targets], "WW-36"),)


def _lofted(position: Position, action: Action, found: Verdict) -> tuple[Effect, ...]:
    """A mortar's or gun's shell has come down and is still to burst."""
    helps = {field.name for field in fields(Helped)}
    help_ = {fact: value for fact, value in action.given.items() if fact in helps}
    return (_landed(action, found, action.given["distance_in"], on_board=True, help=help_),)


def _came_down(position: Position, action: Action, found: Verdict) -> tuple[Effect, ...]:
    """A shell from off the board; its mortar is farther from every figure than it reaches on the table."""
    far_in = weapon_of(rules_of(position), action.weapon).range_in
    landed = _landed(action, found, far_in, on_board=False, help={})
    return for_now("", statuses.FALLING, None, "WW-62"), landed


def _landed(action: Action, found: Verdict, range_in: float, **more: Any) -> Effect:
    spots = {"spot_in": list(found.numbers["spot_in"]), "aimed_in": list(action.given["spot_in"])}
    shell = {"by": action.by[0], "weapon": action.weapon, **spots, "range_in": range_in, **more}
    return for_now("", statuses.LANDED, shell, "WW-44")


def _exploded(position: Position, action: Action, found: Verdict) -> tuple[Effect, ...]:
    said, changes = position.state.statuses, [*_lost(position, action, found)]
    if found.numbers.get("bunker_eliminated"):
        changes.append(StatusEffect("", statuses.GONE, [*said.get(statuses.GONE, ()), action.piece], "WW-48"))
    if "hole_in" in found.numbers:
        key = statuses.HOLES_IN.format(action.piece)
        changes.append(StatusEffect("", key, int(said.get(key, 0)) + 1, "WW-49"))
    return tuple(changes)


def _directed(position: Position, action: Action, found: Verdict) -> tuple[Effect, ...]:
    means, rule = ("radio", "WW-61") if action.name == "radio" else ("binoculars", "WW-57")
    before = position.unit(action.at[0]).this_turn.get(statuses.DIRECTED_BY, {})
    return (for_now(TARGETS, statuses.DIRECTED_BY, {**before, action.by[0]: means}, rule),)


def _called(position: Position, action: Action, found: Verdict) -> tuple[Effect, ...]:
    spot_in = action.spot_in or position.figure(action.at[0]).centre_in
    shell = {"by": action.by[0], "weapon": found.numbers["weapon"], "spot_in": list(spot_in)}
    return (for_now("", statuses.FALLING, shell, "WW-62"),)


_MORE: Mapping[str, Callable[[Position, Action, Verdict], tuple[Effect, ...]]] = {
    "objective": _agreed,
    "reserve": _returned,
    "move": _moved,
    "hand_to_hand": _lost,
    "attack": _fired,
    "volley": _fired,
    "declare_shots": _named,
    "charge": _lost,
    "shell": _lofted,
    "deviation": _came_down,
    "burst": _exploded,
    "direct_fire_binoculars": _directed,
    "direct_onboard": _directed,
    "offboard": _called,
}
"""What an action, or a radio used so, changes in addition to what the figures did and the verdict says."""


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
    at_targets=at_targets,
    ground=ground,
    rounds=rounds_where("acts"),
    ready=lambda _, unit: statuses.status_die(unit) != statuses.IDLE_DIE,
    shown_die=lambda unit: die if (die := statuses.status_die(unit)) >= statuses.FIRE_ONLY_DIE else 0,
    squads=False,
    moves=lambda position: phase_says(position, "acts"),  # a figure moves or fires in the actions of its side
    strayed=strayed,
    tasks=tasks,
    this_turn=THIS_TURN,
    conditions={**CONDITIONS, "unharmed": unharmed(LOST)},
)
