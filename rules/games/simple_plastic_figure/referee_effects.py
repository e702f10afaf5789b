"""Simple Plastic Figure: what an answer changes in the battle, beyond what its verdict says by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from rules.engine.effects import eliminations, moves_along, status_changes
from rules.engine.events import Change, Effects, Move
from rules.engine.position import Position
from rules.engine.referee import Action
from rules.engine.state import ELIMINATED
from rules.engine.verdict import Verdict
from rules.engine.verdict_effects import effects_of
from rules.games.simple_plastic_figure import statuses
from rules.games.simple_plastic_figure.command import Helped
from rules.games.simple_plastic_figure.figures import is_reserve, named, rules_of
from rules.games.simple_plastic_figure.movement import enemies_met
from rules.games.simple_plastic_figure.statuses import done
from rules.games.simple_plastic_figure.tables import weapon_of
from rules.tabletop.path import length_in

Changes = tuple[Change, ...]

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
    """What the figures did, what the verdict changes, and what else depends on the battle."""
    name = action.given["mode"] if action.name == "radio" else action.name
    if name in _MOVES:
        return _MOVES[name](position, action, found)
    did = _did(position, action.by[0], *_DID[name]) if name in _DID else ()
    more = _CHANGES[name](position, action, found) if name in _CHANGES else ()
    return Effects(changes=did + effects_of(position, action, found).changes + more)


def _now(name: str, key: str, value: Any, rule: str) -> Changes:
    """A status of a figure, or of the battle, until the turn ends."""
    return status_changes([name], key, value, rule, this_turn=True)


def _did(position: Position, name: str, what: str, rule: str) -> Changes:
    """It has acted; shots that were left belong to the action that they are left of."""
    before = done(position.unit(name))
    return () if what == "fire" and before[-1:] == [what] else _now(name, statuses.DONE, [*before, what], rule)


def _moved(position: Position, action: Action, found: Verdict) -> Effects:
    if not action.paths:
        return Effects()
    [name], [path] = action.by, action.paths.values()
    # A move that the players allow may have no price in the rules; then it costs its length.
    cost_in = {name: found.numbers.get("cost_in", length_in(path))}
    place, *enemies = (action.given[fact] for fact in ("ends_in", "enemies_inside", "enemy_gaps_in"))
    fights = enemies_met(rules_of(position), place, *enemies)
    if fights:
        changes = _did(position, name, "move_into_hand_to_hand", "WW-22")
        changes += _now(name, statuses.FIGHTS, {"with": fights, "in": place}, "WW-22")
    else:
        changes = _did(position, name, "move", "WW-10")
    moves = moves_along(position, action.paths, cost_in, action.facing_deg) if len(path) > 1 else ()
    return Effects(moves=moves, changes=changes)


def _came_back(position: Position, action: Action, found: Verdict) -> Effects:
    [reserve], [gone] = action.by, action.at
    spot, side = position.figure(reserve).centre_in, position.state.side
    before = position.unit(gone).at_in or spot
    changes = status_changes([gone], ELIMINATED, None, "WW-59") + status_changes([gone], statuses.LOST, None, "WW-59")
    changes += eliminations([reserve], "WW-59")
    changes += _now("", statuses.returned(side), action.given["returned_this_turn"] + 1, "WW-59")
    return Effects(moves=(Move(figure=gone, from_in=before, to_in=spot, moved_in=0, cost_in=0),), changes=changes)


def _lost(position: Position, action: Action, found: Verdict) -> Changes:
    """The turn is stored for eliminated figures that a reserve may bring back."""
    dead = [one.figure for one in effects_of(position, action, found).changes if one.key == ELIMINATED]
    fighters = [unit for unit in map(position.unit, dead) if not is_reserve(position, unit)]
    waiting = {one.side for one in position.state.units.values() if not one.out and is_reserve(position, one)}
    names = [unit.id for unit in fighters if unit.side in waiting]
    return status_changes(names, statuses.LOST, position.state.turn, "WW-59")


def _agreed(position: Position, action: Action, found: Verdict) -> Changes:
    """The piece of terrain that a side is to take or hold."""
    names = [""] if action.piece else []
    return status_changes(names, statuses.place_for(action.given["side"]), action.piece, "WW-05")


def _fired(position: Position, action: Action, found: Verdict) -> Changes:
    """The targets named before count no longer."""
    names = [name for name in action.by if statuses.NAMED in position.unit(name).this_turn]
    return status_changes(names, statuses.NAMED, None, "WW-36", this_turn=True) + _lost(position, action, found)


def _named(position: Position, action: Action, found: Verdict) -> Changes:
    [name] = action.by
    targets = [*named(position.unit(name), action.weapon), *action.at]
    return _now(name, statuses.NAMED, [action.weapon, targets], "WW-36")


def _lofted(position: Position, action: Action, found: Verdict) -> Changes:
    """A mortar's or gun's shell has come down and is still to burst."""
    helps = {field.name for field in fields(Helped)}
    help_ = {fact: value for fact, value in action.given.items() if fact in helps}
    return _landed(action, found, action.given["distance_in"], on_board=True, help=help_)


def _came_down(position: Position, action: Action, found: Verdict) -> Changes:
    """A shell from off the board; its mortar is farther from every figure than it reaches on the table."""
    far_in = weapon_of(rules_of(position), action.weapon).range_in
    return _now("", statuses.FALLING, None, "WW-62") + _landed(action, found, far_in, on_board=False, help={})


def _landed(action: Action, found: Verdict, range_in: float, **more: Any) -> Changes:
    spots = {"spot_in": list(found.numbers["spot_in"]), "aimed_in": list(action.given["spot_in"])}
    shell = {"by": action.by[0], "weapon": action.weapon, **spots, "range_in": range_in, **more}
    return _now("", statuses.LANDED, shell, "WW-44")


def _exploded(position: Position, action: Action, found: Verdict) -> Changes:
    numbers, state, changes = found.numbers, position.state.statuses, _lost(position, action, found)
    if numbers.get("bunker_eliminated"):
        changes += status_changes([""], statuses.GONE, [*state.get(statuses.GONE, ()), action.piece], "WW-48")
    if "hole_in" in numbers:
        key = statuses.holes_in(action.piece)
        changes += status_changes([""], key, int(state.get(key, 0)) + 1, "WW-49")
    return changes


def _directed(position: Position, action: Action, found: Verdict) -> Changes:
    [name], [mate] = action.by, action.at
    means, rule = ("radio", "WW-61") if action.name == "radio" else ("binoculars", "WW-57")
    by = {**position.unit(mate).this_turn.get(statuses.DIRECTED_BY, {}), name: means}
    return _now(mate, statuses.DIRECTED_BY, by, rule)


def _called(position: Position, action: Action, found: Verdict) -> Changes:
    spot_in = action.spot_in or position.figure(action.at[0]).centre_in
    shell = {"by": action.by[0], "weapon": found.numbers["weapon"], "spot_in": list(spot_in)}
    return _now("", statuses.FALLING, shell, "WW-62")


_CHANGES: Mapping[str, Callable[[Position, Action, Verdict], Changes]] = {
    "objective": _agreed,
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
_MOVES = {"move": _moved, "reserve": _came_back}
"""What an action, or a radio used so, changes besides what the figures did and the verdict says."""
