"""Simple Plastic Figure: what the answers to a referee's questions do to the figures of a battle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any

from rules.engine.effects import eliminations, goal_key, moves_along, status_changes
from rules.engine.events import Change, Effects, Move
from rules.engine.position import Position
from rules.engine.referee import Action
from rules.engine.state import ELIMINATED
from rules.engine.verdict import Verdict
from rules.games.simple_plastic_figure.command import Helped
from rules.games.simple_plastic_figure.movement import met
from rules.games.simple_plastic_figure.referee_facts import (
    CHOOSER,
    DIRECTED_BY,
    DONE,
    EXITED,
    FAILED,
    FALLING,
    FIGHTS,
    FIRST,
    GONE,
    LANDED,
    LAST_CHOOSER,
    LOST,
    NAMED,
    REROLLED,
    SHOTS_LEFT,
    STATUS_DIE,
    done,
    holes_in,
    is_reserve,
    named,
    needed_by,
    place_for,
    returned,
    rules_of,
)
from rules.games.simple_plastic_figure.tables import weapon_of
from rules.tabletop.path import length_in

Changes = tuple[Change, ...]


def effects(position: Position, action: Action, found: Verdict) -> Effects:
    """Who went, who is eliminated, who has acted, and what else is to be remembered."""
    after = _EFFECTS.get(action.name)
    return after(position, action, found) if after else Effects()


def _now(name: str, key: str, value: Any, rule: str) -> Changes:
    """What is said of a figure, or of the battle, until the turn ends."""
    return status_changes([name], key, value, rule, this_turn=True)


def _did(position: Position, name: str, what: str, rule: str) -> Changes:
    """He has acted; shots that were left belong to the action that they are left of."""
    before = done(position.unit(name))
    return () if what == "fire" and before[-1:] == [what] else _now(name, DONE, [*before, what], rule)


def _fall(position: Position, names: Iterable[str], rule: str) -> Changes:
    """They are eliminated; when, is remembered of those whom a reserve may bring back."""
    changes = eliminations(names, rule)
    for change in changes:
        unit = position.unit(change.figure)
        in_reserve = any(is_reserve(position, one) for one in position.state.standing(unit.side))
        if in_reserve and not is_reserve(position, unit):
            changes += status_changes([unit.id], LOST, position.state.turn, "WW-59")
    return changes


# Before the first turn, and as one begins.


def _agreed(position: Position, action: Action, found: Verdict) -> Effects:
    side, needed = action.given["side"], action.given.get("needed")
    changes = status_changes([""], goal_key(side), action.given["goal"], "WW-05")
    changes += status_changes([""], place_for(side), action.piece, "WW-05") if action.piece else ()
    return Effects(changes=changes + (status_changes([""], needed_by(side), needed, "WW-05") if needed else ()))


def _rolled_off(position: Position, action: Action, found: Verdict) -> Effects:
    chooser, first = found.numbers["chooser"], found.numbers["goes_first"]
    again = chooser is not None and rules_of(position).chooses("tied_initiative", "last_chooser")
    changes = status_changes([""], LAST_CHOOSER, chooser, "WW-A01") if again else ()
    key, side = (CHOOSER, chooser) if first is None else (FIRST, first)
    return Effects(changes=changes + _now("", key, side, "WW-07"))


def _ordered(position: Position, action: Action, found: Verdict) -> Effects:
    return Effects(changes=_now("", FIRST, action.given["first"], "WW-07"))


def _checked(position: Position, action: Action, found: Verdict) -> Effects:
    each = found.numbers["each"] if action.name == "status_checks" else {action.by[0]: found.numbers}
    return Effects(changes=tuple(change for name, told in each.items() for change in _check(name, told, "WW-09")))


def _check(name: str, told: Mapping[str, Any], rule: str) -> Changes:
    failed = True if told["failed"] else None
    return _now(name, STATUS_DIE, told["status_die"], rule) + _now(name, FAILED, failed, rule)


def _checked_again(position: Position, action: Action, found: Verdict) -> Effects:
    [name] = action.by
    return Effects(changes=_check(name, found.numbers, "WW-56") + _now(name, REROLLED, True, "WW-56"))


def _came_back(position: Position, action: Action, found: Verdict) -> Effects:
    [reserve], [gone] = action.by, action.at
    spot, side = position.figure(reserve).centre_in, position.state.side
    before = position.unit(gone).at_in or spot
    times = action.given["returned_this_turn"] + 1
    changes = status_changes([gone], ELIMINATED, None, "WW-59") + status_changes([gone], LOST, None, "WW-59")
    changes += eliminations([reserve], "WW-59") + _now("", returned(side), times, "WW-59")
    return Effects(moves=(Move(figure=gone, from_in=before, to_in=spot, moved_in=0, cost_in=0),), changes=changes)


# Moving and fighting.


def _moved(position: Position, action: Action, found: Verdict) -> Effects:
    if not action.paths:
        return Effects()
    [name] = action.by
    # What the players let pass may have no price in the rules; then it takes its length.
    spent_in = found.numbers.get("cost_in", length_in(action.paths[name]))
    fights = met(rules_of(position), *(action.given[fact] for fact in ("ends_in", "enemies_inside", "enemy_gaps_in")))
    rule = "WW-22" if fights else "WW-10"
    changes = _did(position, name, "move_into_hand_to_hand" if fights else "move", rule)
    if fights:
        changes += _now(name, FIGHTS, {"with": fights, "in": action.given["ends_in"]}, rule)
    stays = len(action.paths[name]) < 2
    return Effects(
        moves=() if stays else moves_along(position, action.paths, {name: spent_in}, action.facing_deg), changes=changes
    )


def _fought(position: Position, action: Action, found: Verdict) -> Effects:
    beaten = found.numbers["enemies_eliminated"]
    fell = beaten if found.numbers["attacker_alive"] else [*beaten, *action.by]
    return Effects(changes=_now(action.by[0], FIGHTS, None, "WW-23") + _fall(position, fell, "WW-24"))


def _left(position: Position, action: Action, found: Verdict) -> Effects:
    return Effects(changes=status_changes(action.by, EXITED, True, "WW-05") + eliminations(action.by, "WW-05"))


# Fire.


def _fired(position: Position, action: Action, found: Verdict) -> Effects:
    """Small arms; shots that are left may go to the next target where targets are named one by one."""
    [name], left = action.by, found.numbers["shots_left"]
    dead = found.numbers["eliminated"]
    fell = dead if action.name == "volley" else action.at if dead else ()
    kept = [action.weapon, left] if left and rules_of(position).chooses("targets_named", "one_by_one") else None
    changes = _did(position, name, "fire", "WW-10") + _now(name, SHOTS_LEFT, kept, "WW-36")
    changes += _now(name, NAMED, None, "WW-36") if NAMED in position.unit(name).this_turn else ()
    return Effects(changes=changes + _fall(position, fell, "WW-50"))


def _named(position: Position, action: Action, found: Verdict) -> Effects:
    [name] = action.by
    return Effects(
        changes=_now(name, NAMED, [action.weapon, [*named(position.unit(name), action.weapon), *action.at]], "WW-36")
    )


def _burst(position: Position, action: Action, found: Verdict) -> Effects:
    """A grenade or a launcher's round, which bursts as it is fired."""
    changes = _did(position, action.by[0], "fire", "WW-10")
    return Effects(changes=changes + _fall(position, found.numbers["eliminated"], "WW-50"))


def _lofted(position: Position, action: Action, found: Verdict) -> Effects:
    """A mortar's or gun's shell, which has come down and is still to burst."""
    [name] = action.by
    helps = {field.name for field in fields(Helped)}
    landed = {
        "by": name,
        "weapon": action.weapon,
        "spot_in": list(found.numbers["spot_in"]),
        "aimed_in": list(action.given["spot_in"]),
        "range_in": action.given["distance_in"],
        "on_board": True,
        "help": {fact: value for fact, value in action.given.items() if fact in helps},
    }
    return Effects(changes=_did(position, name, "fire", "WW-10") + _now("", LANDED, landed, "WW-44"))


def _came_down(position: Position, action: Action, found: Verdict) -> Effects:
    """A shell from off the board; its mortar is farther from everybody than it reaches on the table."""
    [name] = action.by
    landed = {
        "by": name,
        "weapon": action.weapon,
        "spot_in": list(found.numbers["spot_in"]),
        "aimed_in": list(action.given["spot_in"]),
        "range_in": weapon_of(rules_of(position), action.weapon).range_in,
        "on_board": False,
        "help": {},
    }
    return Effects(changes=_now("", FALLING, None, "WW-62") + _now("", LANDED, landed, "WW-44"))


def _exploded(position: Position, action: Action, found: Verdict) -> Effects:
    numbers, said = found.numbers, position.state.statuses
    changes = _now("", LANDED, None, "WW-44") + _fall(position, numbers["eliminated"], "WW-50")
    if numbers.get("bunker_eliminated"):
        changes += status_changes([""], GONE, [*said.get(GONE, ()), action.piece], "WW-48")
    if "hole_in" in numbers:
        changes += status_changes([""], holes_in(action.piece), int(said.get(holes_in(action.piece), 0)) + 1, "WW-49")
    return Effects(changes=changes)


# Leaders, observers, radiomen.


def _led(position: Position, action: Action, found: Verdict) -> Effects:
    return Effects(changes=_did(position, action.by[0], "lead", "WW-56"))


def _directed(position: Position, action: Action, found: Verdict) -> Effects:
    [name], [mate] = action.by, action.at
    means, rule = ("binoculars", "WW-57") if action.name == "direct_fire_binoculars" else ("radio", "WW-61")
    by = {**position.unit(mate).this_turn.get(DIRECTED_BY, {}), name: means}
    return Effects(changes=_did(position, name, "direct_fire", rule) + _now(mate, DIRECTED_BY, by, rule))


def _radioed(position: Position, action: Action, found: Verdict) -> Effects:
    if action.given["mode"] == "direct_onboard":
        return _directed(position, action, found)
    [name] = action.by
    spot_in = action.spot_in or position.figure(action.at[0]).centre_in
    shell = {"by": name, "weapon": found.numbers["weapon"], "spot_in": list(spot_in)}
    return Effects(changes=_did(position, name, "call_fire", "WW-62") + _now("", FALLING, shell, "WW-62"))


def _won(position: Position, action: Action, found: Verdict) -> Effects:
    return Effects(
        changes=status_changes([""] if found.numbers["won"] else [], "victory", action.given["side"], "WW-05")
    )


_EFFECTS: Mapping[str, Callable[[Position, Action, Verdict], Effects]] = {
    "objective": _agreed,
    "initiative": _rolled_off,
    "turn": _ordered,
    "status_check": _checked,
    "status_checks": _checked,
    "status_reroll": _checked_again,
    "reserve": _came_back,
    "move": _moved,
    "hand_to_hand": _fought,
    "leave_table": _left,
    "attack": _fired,
    "volley": _fired,
    "declare_shots": _named,
    "charge": _burst,
    "shell": _lofted,
    "deviation": _came_down,
    "burst": _exploded,
    "command_actions": _led,
    "direct_fire_binoculars": _directed,
    "radio": _radioed,
    "victory": _won,
}
