"""Plastic Fudge: what the answers to a referee's questions do to the units of a battle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rules.engine.effects import carried_move, eliminations, moves_along, status_changes, stored_list
from rules.engine.events import Change, Effects, Move
from rules.engine.position import Position
from rules.engine.referee import Action
from rules.engine.state import Unit
from rules.engine.verdict import Verdict
from rules.games.plastic_fudge.referee_facts import (
    AGAIN,
    ATTACKED_BY_HAND,
    ATTACKS_MADE,
    CALLED_TURN,
    CARRIED,
    CHECKED,
    DESTROYED,
    EXPLODES,
    FALLS,
    FELL_IN,
    FLED,
    FLEES,
    FLIGHTS,
    INJURIES,
    LOST,
    MUST_CHECK,
    ON_MINES,
    PASSED,
    RIDES,
    ROUTED,
    ROUTED_OFF,
    SEAT_A,
    SEAT_B,
    STAYS,
    WINNER,
    base_key,
    flight_of,
    full_defense,
    hole_key,
    holes_in,
    injured,
    mine_key,
    mines_on,
    rules_of,
)
from rules.games.plastic_fudge.tables import together_in
from rules.tabletop.path import Path
from rules.tabletop.template import Blast

# Effects.


def effects(position: Position, action: Action, found: Verdict) -> Effects:
    """Who went, who is hurt, who falls, who flees, and what else is to be remembered."""
    after = _EFFECTS.get(action.name)
    return after(position, action, found) if after else Effects()


def _moved(position: Position, action: Action, found: Verdict) -> Effects:
    if not action.paths:
        return Effects()
    [(name, path)] = action.paths.items()
    cost_in = found.numbers.get("cost_in")
    walk = moves_along(position, action.paths, {} if cost_in is None else {name: cost_in}, action.facing_deg)
    return Effects(
        moves=(*walk, *_along(position, name, path)),
        changes=_stepped(position, position.unit(name), path),
    )


def _along(position: Position, vehicle: str, path: Path) -> tuple[Move, ...]:
    """Everybody inside goes with a vehicle."""
    placed = (one for one in _riders(position, vehicle) if position.unit(one).at_in)
    return tuple(carried_move(position, rider, path) for rider in placed)


def _riders(position: Position, vehicle: str) -> tuple[str, ...]:
    return tuple(one.id for one in position.state.units.values() if one.statuses.get(RIDES) == vehicle)


def _stepped(position: Position, unit: Unit, path: Path) -> tuple[Change, ...]:
    mines = [[name, ends, list(place)] for name, ends, place in mines_on(position, unit.id, path)]
    trodden = [*stored_list(unit, ON_MINES), *mines]
    return status_changes([unit.id], ON_MINES, trodden, "PF-83", this_turn=True) if mines else ()


def _fled(position: Position, action: Action, found: Verdict) -> Effects:
    [name] = action.by
    path = action.paths.get(name, ())
    ran = status_changes([name], FLEES, None, "PF-65", this_turn=True)
    unit = position.unit(name)
    ran += status_changes([name], RIDES, None, "PF-65") if RIDES in unit.statuses else ()
    if not path:
        return Effects(changes=ran)
    ran += status_changes([name], FLED, [list(place) for place in path], "PF-68", this_turn=True)
    ran += status_changes([name], FLIGHTS, flight_of(unit)[1] + 1, "PF-68", this_turn=True)
    ran += status_changes([name], STAYS, None, "PF-66", this_turn=True) if STAYS in unit.this_turn else ()
    if found.numbers.get("removed"):
        ran += _off_table(action, found)
    elif action.given.get("reaches_edge") is False:
        ran += status_changes([name], STAYS, True, "PF-66", this_turn=True)
    turned = {name: found.numbers["facing_deg"]} if len(set(path)) == 1 and "facing_deg" in found.numbers else {}
    walk = moves_along(position, action.paths, facing_deg={**turned, **action.facing_deg})
    return Effects(moves=(*walk, *_along(position, name, path)), changes=ran + _stepped(position, unit, path))


def _shot(position: Position, action: Action, found: Verdict) -> Effects:
    changes = _acted(position, action)
    [at] = action.at
    numbers = found.numbers
    after = {
        "id": at,
        "DL_after": numbers.get("defender_DL_after"),
        **{key: numbers[key] for key in ("result", "removed")},
    }
    men = {"explodes": numbers.get("explodes", False), "occupants": numbers.get("occupants", ())}
    changes += _suffered(position, [after | men])
    if not numbers["ranged"]:
        for_now = rules_of(position).chooses("hand_to_hand_lasts", "round")
        changes += status_changes([at], ATTACKED_BY_HAND, True, "PF-A41", this_turn=for_now)
    return Effects(changes=changes)


def _blasted(position: Position, action: Action, found: Verdict) -> Effects:
    return Effects(changes=_acted(position, action) + _suffered(position, found.numbers.get("targets", ())))


def _acted(position: Position, action: Action) -> tuple[Change, ...]:
    """Who attacked has made one attack more."""
    made = {name: int(position.unit(name).this_turn.get(ATTACKS_MADE, 0)) + 1 for name in action.by}
    return tuple(
        Change(figure=name, key=ATTACKS_MADE, value=n, rule="PF-45", this_turn=True) for name, n in made.items()
    )


def _suffered(position: Position, struck: Iterable[Mapping[str, Any]]) -> tuple[Change, ...]:
    """What results do: at once, or where attacks are made at the same time when all of them are."""
    rows = rules_of(position).tables.results
    changes: tuple[Change, ...] = ()
    for one in (each for hit in struck for each in (hit, *hit.get("occupants", ()))):
        row = rows.get(one.get("result", ""))
        if row is None or not (row.injures or row.destroys):
            continue
        if one["id"] not in position.state.units:
            changes += _base_hit(one, row.destroys)
        elif together_in(rules_of(position), position.state.phase) or one.get("explodes"):
            changes += _to_fall(position, position.unit(one["id"]), row.destroys, bool(one.get("explodes")))
        else:
            changes += _hurt(position, position.unit(one["id"]), one["DL_after"], row.destroys or one["removed"])
    return changes


def _base_hit(one: Mapping[str, Any], destroyed: bool) -> tuple[Change, ...]:
    """A base, which is terrain."""
    left = DESTROYED if destroyed or one["removed"] else one["DL_after"]
    return status_changes([""], base_key(one["id"]), left, "PF-76")


def _to_fall(position: Position, unit: Unit, destroyed: bool, explodes: bool) -> tuple[Change, ...]:
    """A unit that is struck and still makes its own attack."""
    if not destroyed:
        return status_changes([unit.id], INJURIES, int(unit.statuses.get(INJURIES, 0)) + 1, "PF-52")
    changes = status_changes([unit.id], FALLS, True, "PF-53")
    changes += status_changes([unit.id], FELL_IN, position.state.phase, "PF-46", this_turn=True)
    return changes + (status_changes([unit.id], EXPLODES, True, "PF-116") if explodes else ())


def _hurt(position: Position, unit: Unit, level: int, removed: bool) -> tuple[Change, ...]:
    lost = full_defense(position, unit) - level
    changes = status_changes([unit.id], LOST, lost, "PF-52") if lost != injured(unit) else ()
    if not removed:
        return changes
    return changes + eliminations([unit.id], "PF-53") + status_changes(_riders(position, unit.id), RIDES, None, "PF-70")


def _casualties(position: Position, action: Action, found: Verdict) -> Effects:
    gone = found.numbers["destroyed"]
    changes: tuple[Change, ...] = ()
    for name in action.at:
        unit = position.unit(name)
        if INJURIES in unit.statuses and name not in gone:
            changes += status_changes([name], INJURIES, None, "PF-46")
        changes += _hurt(position, unit, found.numbers["DL_after"][name], name in gone)
    return Effects(changes=changes)


def _burnt(position: Position, action: Action, found: Verdict) -> Effects:
    return Effects(
        changes=status_changes(action.at, EXPLODES, None, "PF-116") + _suffered(position, found.numbers["targets"])
    )


def _swept(position: Position, action: Action, found: Verdict) -> Effects:
    mine, [man] = action.piece, action.by
    fate = found.numbers["mine"]
    changes = _acted(position, action)
    if fate == "activated":
        trodden = [*stored_list(position.unit(man), ON_MINES), [mine, True, list(position.figure(man).centre_in)]]
        changes += status_changes([""], mine_key(mine), None, "PF-105")
        changes += status_changes([man], ON_MINES, trodden, "PF-105", this_turn=True)
    elif fate != "not_detected":
        changes += status_changes([""], mine_key(mine), fate, "PF-102")
    return Effects(changes=changes)


def _trod(position: Position, action: Action, found: Verdict) -> Effects:
    mine, [man] = action.piece, action.by
    unit = position.unit(man)
    left = [one for one in stored_list(unit, ON_MINES) if one[0] != mine]
    changes = status_changes([man], ON_MINES, left or None, "PF-83", this_turn=True)
    if found.numbers["goes_off"]:
        changes += status_changes([""], mine_key(mine), "gone", "PF-83")
    return Effects(changes=changes + _suffered(position, found.numbers.get("targets", ())))


def _checked(position: Position, action: Action, found: Verdict) -> Effects:
    [name] = action.by
    unit, phase = position.unit(name), position.state.phase
    changes: tuple[Change, ...] = ()
    if action.at:
        left = [one for one in stored_list(unit, MUST_CHECK) if one not in action.at]
        changes += status_changes([name], MUST_CHECK, left or None, "PF-68", this_turn=True)
    if not action.at or not found.numbers["passed"]:
        changes += status_changes([name], CHECKED, [*stored_list(unit, CHECKED), phase], "PF-55", this_turn=True)
    if not found.numbers["passed"]:
        changes += status_changes([name], ROUTED, True, "PF-65") + status_changes(
            [name], FLEES, AGAIN if unit.statuses.get(ROUTED) else True, "PF-65", this_turn=True
        )
    elif unit.statuses.get(ROUTED):
        changes += status_changes([name], ROUTED, None, "PF-66")
    return Effects(changes=changes)


def _passed(position: Position, action: Action, found: Verdict) -> Effects:
    [name] = action.by
    unit = position.unit(name)
    flights = [flight_of(position.unit(runner)) for runner in action.at]
    changes = status_changes([name], PASSED, [*stored_list(unit, PASSED), *flights], "PF-68", this_turn=True)
    if found.numbers["must_check"]:
        changes += status_changes(
            [name], MUST_CHECK, [*stored_list(unit, MUST_CHECK), *action.at], "PF-68", this_turn=True
        )
    return Effects(changes=changes)


def _at_edge(position: Position, action: Action, found: Verdict) -> Effects:
    if not found.numbers["removed"]:
        return Effects(changes=status_changes(action.by, STAYS, True, "PF-66", this_turn=True))
    return Effects(changes=_off_table(action, found))


def _off_table(action: Action, found: Verdict) -> tuple[Change, ...]:
    off = found.numbers["counts_as"] == "routed"
    return status_changes(action.by if off else (), ROUTED_OFF, True, "PF-67") + eliminations(action.by, "PF-67")


def _initiative(position: Position, action: Action, found: Verdict) -> Effects:
    return Effects(changes=status_changes([""], WINNER, found.numbers["winner"], "PF-21", this_turn=True))


def _seated(position: Position, action: Action, found: Verdict) -> Effects:
    seats = {SEAT_A: found.numbers["A"], SEAT_B: found.numbers["B"]}
    changes = [Change(figure="", key=seat, value=side, rule="PF-23", this_turn=True) for seat, side in seats.items()]
    return Effects(changes=tuple(changes))


def _carried(position: Position, action: Action, found: Verdict) -> Effects:
    inside = action.by[0] if action.given["does"] == "load" else None
    changes = status_changes(action.at, RIDES, inside, "PF-123")
    return Effects(changes=changes + status_changes(action.by, CARRIED, True, "PF-123", this_turn=True))


def _rode(position: Position, action: Action, found: Verdict) -> Effects:
    inside = action.at[0] if action.given["does"] == "load" else None
    return Effects(changes=status_changes(action.by, RIDES, inside, "PF-93"))


def _called(position: Position, action: Action, found: Verdict) -> Effects:
    return Effects(changes=status_changes(action.at, CALLED_TURN, action.given["called_turn"], "PF-125"))


def _holed(position: Position, action: Action, found: Verdict) -> Effects:
    """The base has a hole from now on, to see, to fire and to walk through."""
    hole, changes = action.template, _acted(position, action)
    if not isinstance(hole, Blast):
        return Effects(changes=changes)
    made = [*holes_in(position.state, action.piece), [round(inches, 2) for inches in hole.centre_in]]
    return Effects(changes=changes + status_changes([""], hole_key(action.piece), made, "PF-81"))


def _won(position: Position, action: Action, found: Verdict) -> Effects:
    return Effects(
        changes=status_changes([""] if found.numbers["victory"] else [], "victory", action.given["side"], "PF-86")
    )


_EFFECTS: Mapping[str, Callable[[Position, Action, Verdict], Effects]] = {
    "move": _moved,
    "rout_move": _fled,
    "shot": _shot,
    "blast": _blasted,
    "casualties": _casualties,
    "conflagration": _burnt,
    "hole": _holed,
    "sweep": _swept,
    "mine": _trod,
    "morale_check": _checked,
    "rout_contagion": _passed,
    "rout_reaches_edge": _at_edge,
    "initiative": _initiative,
    "choose_order": _seated,
    "carry": _carried,
    "ride": _rode,
    "call_jet": _called,
    "victory_check": _won,
}
