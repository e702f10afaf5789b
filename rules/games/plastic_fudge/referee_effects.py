"""Plastic Fudge: what the answers to a referee's questions do to the units of a battle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rules.engine.effects import fallen, kept, marked, taken_along, walked
from rules.engine.events import Change, Effects, Move
from rules.engine.position import Position
from rules.engine.referee import Deed
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


def effects(moment: Position, deed: Deed, found: Verdict) -> Effects:
    """Who went, who is hurt, who falls, who flees, and what else is to be remembered."""
    after = _EFFECTS.get(deed.action)
    return after(moment, deed, found) if after else Effects()


def _moved(moment: Position, deed: Deed, found: Verdict) -> Effects:
    if not deed.paths:
        return Effects()
    [(name, path)] = deed.paths.items()
    cost_in = found.numbers.get("cost_in")
    walk = walked(moment, deed.paths, {} if cost_in is None else {name: cost_in}, deed.facing_deg)
    return Effects(
        moves=(*walk, *_along(moment, name, path)),
        changes=_stepped(moment, moment.unit(name), path),
    )


def _along(moment: Position, vehicle: str, path: Path) -> tuple[Move, ...]:
    """Everybody inside goes with a vehicle."""
    placed = (one for one in _riders(moment, vehicle) if moment.unit(one).at_in)
    return tuple(taken_along(moment, rider, path) for rider in placed)


def _riders(moment: Position, vehicle: str) -> tuple[str, ...]:
    return tuple(one.id for one in moment.state.units.values() if one.statuses.get(RIDES) == vehicle)


def _stepped(moment: Position, unit: Unit, path: Path) -> tuple[Change, ...]:
    mines = [[name, ends, list(place)] for name, ends, place in mines_on(moment, unit.id, path)]
    trodden = [*kept(unit, ON_MINES), *mines]
    return marked([unit.id], ON_MINES, trodden, "PF-83", this_turn=True) if mines else ()


def _fled(moment: Position, deed: Deed, found: Verdict) -> Effects:
    [name] = deed.by
    path = deed.paths.get(name, ())
    ran = marked([name], FLEES, None, "PF-65", this_turn=True)
    unit = moment.unit(name)
    ran += marked([name], RIDES, None, "PF-65") if RIDES in unit.statuses else ()
    if not path:
        return Effects(changes=ran)
    ran += marked([name], FLED, [list(place) for place in path], "PF-68", this_turn=True)
    ran += marked([name], FLIGHTS, flight_of(unit)[1] + 1, "PF-68", this_turn=True)
    ran += marked([name], STAYS, None, "PF-66", this_turn=True) if STAYS in unit.this_turn else ()
    if found.numbers.get("removed"):
        ran += _off_table(deed, found)
    elif deed.given.get("reaches_edge") is False:
        ran += marked([name], STAYS, True, "PF-66", this_turn=True)
    turned = {name: found.numbers["facing_deg"]} if len(set(path)) == 1 and "facing_deg" in found.numbers else {}
    walk = walked(moment, deed.paths, facing_deg={**turned, **deed.facing_deg})
    return Effects(moves=(*walk, *_along(moment, name, path)), changes=ran + _stepped(moment, unit, path))


def _shot(moment: Position, deed: Deed, found: Verdict) -> Effects:
    changes = _acted(moment, deed)
    [at] = deed.at
    numbers = found.numbers
    after = {
        "id": at,
        "DL_after": numbers.get("defender_DL_after"),
        **{key: numbers[key] for key in ("result", "removed")},
    }
    men = {"explodes": numbers.get("explodes", False), "occupants": numbers.get("occupants", ())}
    changes += _suffered(moment, [after | men])
    if not numbers["ranged"]:
        for_now = rules_of(moment).chooses("hand_to_hand_lasts", "round")
        changes += marked([at], ATTACKED_BY_HAND, True, "PF-A41", this_turn=for_now)
    return Effects(changes=changes)


def _blasted(moment: Position, deed: Deed, found: Verdict) -> Effects:
    return Effects(changes=_acted(moment, deed) + _suffered(moment, found.numbers.get("targets", ())))


def _acted(moment: Position, deed: Deed) -> tuple[Change, ...]:
    """Who attacked has made one attack more."""
    made = {name: int(moment.unit(name).this_turn.get(ATTACKS_MADE, 0)) + 1 for name in deed.by}
    return tuple(
        Change(figure=name, key=ATTACKS_MADE, value=n, rule="PF-45", this_turn=True) for name, n in made.items()
    )


def _suffered(moment: Position, struck: Iterable[Mapping[str, Any]]) -> tuple[Change, ...]:
    """What results do: at once, or where attacks are made at the same time when all of them are."""
    rows = rules_of(moment).tables.results
    changes: tuple[Change, ...] = ()
    for one in (each for hit in struck for each in (hit, *hit.get("occupants", ()))):
        row = rows.get(one.get("result", ""))
        if row is None or not (row.injures or row.destroys):
            continue
        if one["id"] not in moment.state.units:
            changes += _base_hit(one, row.destroys)
        elif together_in(rules_of(moment), moment.state.phase) or one.get("explodes"):
            changes += _to_fall(moment, moment.unit(one["id"]), row.destroys, bool(one.get("explodes")))
        else:
            changes += _hurt(moment, moment.unit(one["id"]), one["DL_after"], row.destroys or one["removed"])
    return changes


def _base_hit(one: Mapping[str, Any], destroyed: bool) -> tuple[Change, ...]:
    """A base, which is terrain."""
    left = DESTROYED if destroyed or one["removed"] else one["DL_after"]
    return marked([""], base_key(one["id"]), left, "PF-76")


def _to_fall(moment: Position, unit: Unit, destroyed: bool, explodes: bool) -> tuple[Change, ...]:
    """A unit that is struck and still makes its own attack."""
    if not destroyed:
        return marked([unit.id], INJURIES, int(unit.statuses.get(INJURIES, 0)) + 1, "PF-52")
    changes = marked([unit.id], FALLS, True, "PF-53")
    changes += marked([unit.id], FELL_IN, moment.state.phase, "PF-46", this_turn=True)
    return changes + (marked([unit.id], EXPLODES, True, "PF-116") if explodes else ())


def _hurt(moment: Position, unit: Unit, level: int, removed: bool) -> tuple[Change, ...]:
    lost = full_defense(moment, unit) - level
    changes = marked([unit.id], LOST, lost, "PF-52") if lost != injured(unit) else ()
    if not removed:
        return changes
    return changes + fallen([unit.id], "PF-53") + marked(_riders(moment, unit.id), RIDES, None, "PF-70")


def _casualties(moment: Position, deed: Deed, found: Verdict) -> Effects:
    gone = found.numbers["destroyed"]
    changes: tuple[Change, ...] = ()
    for name in deed.at:
        unit = moment.unit(name)
        if INJURIES in unit.statuses and name not in gone:
            changes += marked([name], INJURIES, None, "PF-46")
        changes += _hurt(moment, unit, found.numbers["DL_after"][name], name in gone)
    return Effects(changes=changes)


def _burnt(moment: Position, deed: Deed, found: Verdict) -> Effects:
    return Effects(changes=marked(deed.at, EXPLODES, None, "PF-116") + _suffered(moment, found.numbers["targets"]))


def _swept(moment: Position, deed: Deed, found: Verdict) -> Effects:
    mine, [man] = deed.piece, deed.by
    fate = found.numbers["mine"]
    changes = _acted(moment, deed)
    if fate == "activated":
        trodden = [*kept(moment.unit(man), ON_MINES), [mine, True, list(moment.figure(man).centre_in)]]
        changes += marked([""], mine_key(mine), None, "PF-105")
        changes += marked([man], ON_MINES, trodden, "PF-105", this_turn=True)
    elif fate != "not_detected":
        changes += marked([""], mine_key(mine), fate, "PF-102")
    return Effects(changes=changes)


def _trod(moment: Position, deed: Deed, found: Verdict) -> Effects:
    mine, [man] = deed.piece, deed.by
    unit = moment.unit(man)
    left = [one for one in kept(unit, ON_MINES) if one[0] != mine]
    changes = marked([man], ON_MINES, left or None, "PF-83", this_turn=True)
    if found.numbers["goes_off"]:
        changes += marked([""], mine_key(mine), "gone", "PF-83")
    return Effects(changes=changes + _suffered(moment, found.numbers.get("targets", ())))


def _checked(moment: Position, deed: Deed, found: Verdict) -> Effects:
    [name] = deed.by
    unit, phase = moment.unit(name), moment.state.phase
    changes: tuple[Change, ...] = ()
    if deed.at:
        left = [one for one in kept(unit, MUST_CHECK) if one not in deed.at]
        changes += marked([name], MUST_CHECK, left or None, "PF-68", this_turn=True)
    if not deed.at or not found.numbers["passed"]:
        changes += marked([name], CHECKED, [*kept(unit, CHECKED), phase], "PF-55", this_turn=True)
    if not found.numbers["passed"]:
        changes += marked([name], ROUTED, True, "PF-65") + marked(
            [name], FLEES, AGAIN if unit.statuses.get(ROUTED) else True, "PF-65", this_turn=True
        )
    elif unit.statuses.get(ROUTED):
        changes += marked([name], ROUTED, None, "PF-66")
    return Effects(changes=changes)


def _passed(moment: Position, deed: Deed, found: Verdict) -> Effects:
    [name] = deed.by
    unit = moment.unit(name)
    flights = [flight_of(moment.unit(runner)) for runner in deed.at]
    changes = marked([name], PASSED, [*kept(unit, PASSED), *flights], "PF-68", this_turn=True)
    if found.numbers["must_check"]:
        changes += marked([name], MUST_CHECK, [*kept(unit, MUST_CHECK), *deed.at], "PF-68", this_turn=True)
    return Effects(changes=changes)


def _at_edge(moment: Position, deed: Deed, found: Verdict) -> Effects:
    if not found.numbers["removed"]:
        return Effects(changes=marked(deed.by, STAYS, True, "PF-66", this_turn=True))
    return Effects(changes=_off_table(deed, found))


def _off_table(deed: Deed, found: Verdict) -> tuple[Change, ...]:
    off = found.numbers["counts_as"] == "routed"
    return marked(deed.by if off else (), ROUTED_OFF, True, "PF-67") + fallen(deed.by, "PF-67")


def _initiative(moment: Position, deed: Deed, found: Verdict) -> Effects:
    return Effects(changes=marked([""], WINNER, found.numbers["winner"], "PF-21", this_turn=True))


def _seated(moment: Position, deed: Deed, found: Verdict) -> Effects:
    seats = {SEAT_A: found.numbers["A"], SEAT_B: found.numbers["B"]}
    changes = [Change(figure="", key=seat, value=side, rule="PF-23", this_turn=True) for seat, side in seats.items()]
    return Effects(changes=tuple(changes))


def _carried(moment: Position, deed: Deed, found: Verdict) -> Effects:
    inside = deed.by[0] if deed.given["does"] == "load" else None
    changes = marked(deed.at, RIDES, inside, "PF-123")
    return Effects(changes=changes + marked(deed.by, CARRIED, True, "PF-123", this_turn=True))


def _rode(moment: Position, deed: Deed, found: Verdict) -> Effects:
    inside = deed.at[0] if deed.given["does"] == "load" else None
    return Effects(changes=marked(deed.by, RIDES, inside, "PF-93"))


def _called(moment: Position, deed: Deed, found: Verdict) -> Effects:
    return Effects(changes=marked(deed.at, CALLED_TURN, deed.given["called_turn"], "PF-125"))


def _holed(moment: Position, deed: Deed, found: Verdict) -> Effects:
    """The base has a hole from now on, to see, to fire and to walk through."""
    hole, changes = deed.template, _acted(moment, deed)
    if not isinstance(hole, Blast):
        return Effects(changes=changes)
    made = [*holes_in(moment.state, deed.piece), [round(inches, 2) for inches in hole.centre_in]]
    return Effects(changes=changes + marked([""], hole_key(deed.piece), made, "PF-81"))


def _won(moment: Position, deed: Deed, found: Verdict) -> Effects:
    return Effects(changes=marked([""] if found.numbers["victory"] else [], "victory", deed.given["side"], "PF-86"))


_EFFECTS: Mapping[str, Callable[[Position, Deed, Verdict], Effects]] = {
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
