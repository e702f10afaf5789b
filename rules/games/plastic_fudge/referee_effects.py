"""Plastic Fudge: the effects that need the position: moves, injuries, deaths, mines and flights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from rules.engine.action import Action
from rules.engine.effects import carried_move, moves_along, stored_list
from rules.engine.events import Change, Effects, Move
from rules.engine.position import Position
from rules.engine.preview import preview_without_odds
from rules.engine.referee import effects_of
from rules.engine.state import ELIMINATED, Unit
from rules.engine.verdict import Verdict
from rules.games.plastic_fudge import statuses, units
from rules.games.plastic_fudge.referee_moves import passed_by
from rules.games.plastic_fudge.tables import together_in
from rules.games.plastic_fudge.units import rules_of
from rules.tabletop.path import Path
from rules.tabletop.template import Blast


def effects(position: Position, action: Action, found: Verdict) -> Effects:
    """The effects that a verdict carries, and those that need the position."""
    carried = effects_of(position, action, found)
    more = list(_EFFECTS[action.name](position, action, found)) if action.name in _EFFECTS else []
    return Effects(
        moves=(*(one for one in more if isinstance(one, Move)), *carried.moves),
        changes=(*(one for one in more if isinstance(one, Change)), *carried.changes),
    )


def _becomes(figure: str, key: str, value: Any, rule: str) -> Change:
    return Change(figure=figure, key=key, value=value, rule=rule, this_turn=key in statuses.THIS_TURN)


def _longer(unit: Unit, key: str, added: Iterable[Any], rule: str) -> Change:
    """The list under a status of this turn with more entries."""
    return _becomes(unit.id, key, [*stored_list(unit, key), *added], rule)


# Moves and flights.


def _moved(position: Position, action: Action, found: Verdict) -> Iterator[Move | Change]:
    cost_in = found.numbers.get("cost_in")
    costs = {} if cost_in is None else dict.fromkeys(action.paths, cost_in)
    yield from moves_along(position, action.paths, costs, action.facing_deg)
    for name, path in action.paths.items():
        yield from _along(position, position.unit(name), path)


def _along(position: Position, unit: Unit, path: Path) -> Iterator[Move | Change]:
    """A unit takes its load along, and sets off the mines on its path."""
    for rider in units.riders(position, unit):
        if rider.at_in:
            yield carried_move(position, rider.id, path)
    crossed = rules_of(position).chooses("mines_go_off", "path_crosses")
    trodden = units.mines_on(position, unit.id, path)
    mines = [[name, ends, list(place)] for name, ends, place in trodden if ends or crossed]
    if mines:
        yield _longer(unit, statuses.ON_MINES, mines, "PF-83")


def _fled(position: Position, action: Action, found: Verdict) -> Iterator[Move | Change]:
    [name] = action.by
    path, unit = action.paths.get(name, ()), position.unit(name)
    yield _becomes(name, statuses.FLEES, None, "PF-65")
    if statuses.RIDES in unit.statuses:
        yield _becomes(name, statuses.RIDES, None, "PF-65")
    if not path:
        return
    yield _becomes(name, statuses.FLED, [list(place) for place in path], "PF-68")
    flight = [name, units.flight_of(unit)[1] + 1]
    yield _becomes(name, statuses.FLIGHTS, flight[1], "PF-68")
    for passing in passed_by(position, unit, path, flight):
        preview = preview_without_odds(position, passing)
        if preview.before is not None and not preview.ambiguities:  # otherwise the players say how near it passed
            yield from _shaken(position.unit(passing.by[0]), flight, preview.before)
    if statuses.STAYS in unit.this_turn:
        yield _becomes(name, statuses.STAYS, None, "PF-66")
    if not found.numbers.get("removed") and action.given.get("reaches_edge") is False:
        yield _becomes(name, statuses.STAYS, True, "PF-66")
    turned = {name: found.numbers["facing_deg"]} if len(set(path)) == 1 and "facing_deg" in found.numbers else {}
    yield from moves_along(position, action.paths, facing_deg={**turned, **action.facing_deg})
    yield from _along(position, unit, path)


def _passed(position: Position, action: Action, found: Verdict) -> Iterator[Change]:
    [runner] = action.at
    yield from _shaken(position.unit(action.by[0]), units.flight_of(position.unit(runner)), found)


def _shaken(unit: Unit, flight: list[Any], found: Verdict) -> Iterator[Change]:
    yield _longer(unit, statuses.PASSED, [flight], "PF-68")
    if found.numbers["must_check"]:
        yield _longer(unit, statuses.MUST_CHECK, flight[:1], "PF-68")


def _checked(position: Position, action: Action, found: Verdict) -> Iterator[Change]:
    unit, passed = position.unit(action.by[0]), found.numbers["passed"]
    was_routed = unit.statuses.get(statuses.ROUTED)
    if action.at:
        left = [one for one in stored_list(unit, statuses.MUST_CHECK) if one not in action.at]
        yield _becomes(unit.id, statuses.MUST_CHECK, left or None, "PF-68")
    if not action.at or not passed:
        yield _longer(unit, statuses.CHECKED, [position.state.phase], "PF-55")
    if not passed:
        yield _becomes(unit.id, statuses.ROUTED, True, "PF-65")
        yield _becomes(unit.id, statuses.FLEES, statuses.AGAIN if was_routed else True, "PF-65")
    elif was_routed:
        yield _becomes(unit.id, statuses.ROUTED, None, "PF-66")


# Attacks.


def _acted(position: Position, action: Action) -> Iterator[Change]:
    """The attack counts for this turn."""
    for name in action.by:
        yield _becomes(name, statuses.ATTACKS_MADE, units.attacks_made(position, position.unit(name)) + 1, "PF-45")


def _shot(position: Position, action: Action, found: Verdict) -> Iterator[Change]:
    yield from _acted(position, action)
    [at] = action.at
    yield from _suffered(position, [{**found.numbers, "id": at, "DL_after": found.numbers.get("defender_DL_after")}])
    if not found.numbers["ranged"]:
        for_now = rules_of(position).chooses("hand_to_hand_lasts", "round")
        yield replace(_becomes(at, statuses.ATTACKED_BY_HAND, True, "PF-A41"), this_turn=for_now)


def _blasted(position: Position, action: Action, found: Verdict) -> Iterator[Change]:
    yield from _acted(position, action)
    yield from _suffered(position, found.numbers.get("targets", ()))


def _burnt(position: Position, action: Action, found: Verdict) -> Iterator[Change]:
    yield _becomes(action.at[0], statuses.EXPLODES, None, "PF-116")
    yield from _suffered(position, found.numbers["targets"])


def _suffered(position: Position, struck: Iterable[Mapping[str, Any]]) -> Iterator[Change]:
    """What results do: at once, or where attacks are made at the same time when all of them are."""
    rows = rules_of(position).tables.results
    for one in (each for hit in struck for each in (hit, *hit.get("occupants", ()))):
        row, unit = rows.get(one.get("result", "")), position.state.units.get(one["id"])
        if row is None or not (row.injures or row.destroys):
            continue
        if unit is None:  # a base, which is terrain
            left = statuses.DESTROYED if row.destroys or one["removed"] else one["DL_after"]
            yield _becomes("", statuses.BASE.format(one["id"]), left, "PF-76")
        elif together_in(rules_of(position), position.state.phase) or one.get("explodes"):
            yield from _struck(position, unit, row.destroys, bool(one.get("explodes")))
        else:
            yield from _hurt(position, unit, one["DL_after"], row.destroys or one["removed"])


def _struck(position: Position, unit: Unit, destroyed: bool, explodes: bool) -> Iterator[Change]:
    """A unit that is struck and still makes its own attack."""
    if destroyed:
        yield _becomes(unit.id, statuses.FALLS, True, "PF-53")
        yield _becomes(unit.id, statuses.FELL_IN, position.state.phase, "PF-46")
    else:
        yield _becomes(unit.id, statuses.INJURIES, int(unit.statuses.get(statuses.INJURIES, 0)) + 1, "PF-52")
    if destroyed and explodes:
        yield _becomes(unit.id, statuses.EXPLODES, True, "PF-116")


def _hurt(position: Position, unit: Unit, level: int, removed: bool) -> Iterator[Change]:
    lost = units.full_defense(position, unit) - level
    if lost != units.injured(unit):
        yield _becomes(unit.id, statuses.LOST, lost, "PF-52")
    if removed:
        yield _becomes(unit.id, ELIMINATED, True, "PF-53")
        for rider in units.riders(position, unit):
            yield _becomes(rider.id, statuses.RIDES, None, "PF-70")


def _casualties(position: Position, action: Action, found: Verdict) -> Iterator[Change]:
    for name in action.at:
        unit, gone = position.unit(name), name in found.numbers["destroyed"]
        if statuses.INJURIES in unit.statuses and not gone:
            yield _becomes(name, statuses.INJURIES, None, "PF-46")
        yield from _hurt(position, unit, found.numbers["DL_after"][name], gone)


def _holed(position: Position, action: Action, found: Verdict) -> Iterator[Change]:
    """The base has a hole from now on, to see, to fire and to walk through."""
    yield from _acted(position, action)
    if isinstance(action.template, Blast):
        hole = [round(inches, 2) for inches in action.template.centre_in]
        made = [*units.holes_in(position.state, action.piece), hole]
        yield _becomes("", statuses.HOLES.format(action.piece), made, "PF-81")


# Mines, and rides.


def _swept(position: Position, action: Action, found: Verdict) -> Iterator[Change]:
    [man], fate, mine = action.by, found.numbers["mine"], statuses.MINE.format(action.piece)
    yield from _acted(position, action)
    if fate == "activated":
        yield _becomes("", mine, None, "PF-105")
        here = [action.piece, True, list(position.figure(man).centre_in)]
        yield _longer(position.unit(man), statuses.ON_MINES, [here], "PF-105")
    elif fate != "not_detected":
        yield _becomes("", mine, fate, "PF-102")


def _trod(position: Position, action: Action, found: Verdict) -> Iterator[Change]:
    [man] = action.by
    left = [one for one in stored_list(position.unit(man), statuses.ON_MINES) if one[0] != action.piece]
    yield _becomes(man, statuses.ON_MINES, left or None, "PF-83")
    if found.numbers["goes_off"]:
        yield _becomes("", statuses.MINE.format(action.piece), "gone", "PF-83")
    yield from _suffered(position, found.numbers.get("targets", ()))


def _boarded(position: Position, action: Action, found: Verdict) -> Iterator[Change]:
    """A trooper got into a jeep or out of it, or a helicopter took troops up or set them down."""
    lifts = action.name == "carry"
    rider, vehicle, rule = (*action.at, *action.by, "PF-123") if lifts else (*action.by, *action.at, "PF-93")
    yield _becomes(rider, statuses.RIDES, vehicle if action.given["does"] == "load" else None, rule)
    if lifts:
        yield _becomes(vehicle, statuses.CARRIED, True, rule)


_EFFECTS: Mapping[str, Callable[[Position, Action, Verdict], Iterator[Move | Change]]] = {
    "move": _moved,
    "rout_move": _fled,
    "rout_contagion": _passed,
    "morale_check": _checked,
    "shot": _shot,
    "blast": _blasted,
    "conflagration": _burnt,
    "casualties": _casualties,
    "hole": _holed,
    "sweep": _swept,
    "mine": _trod,
    "ride": _boarded,
    "carry": _boarded,
}
