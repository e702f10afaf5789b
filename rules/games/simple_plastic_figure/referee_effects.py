"""Simple Plastic Figure: what the answers to a referee's questions do to the figures of a battle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any

from rules.engine.effects import fallen, goal_key, marked, walked
from rules.engine.events import Change, Effects, Move
from rules.engine.position import Position
from rules.engine.referee import Deed
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


def effects(moment: Position, deed: Deed, found: Verdict) -> Effects:
    """Who went, who is eliminated, who has acted, and what else is to be remembered."""
    after = _EFFECTS.get(deed.action)
    return after(moment, deed, found) if after else Effects()


def _now(name: str, key: str, value: Any, rule: str) -> Changes:
    """What is said of a figure, or of the battle, until the turn ends."""
    return marked([name], key, value, rule, this_turn=True)


def _did(moment: Position, name: str, what: str, rule: str) -> Changes:
    """He has acted; shots that were left belong to the action that they are left of."""
    before = done(moment.unit(name))
    return () if what == "fire" and before[-1:] == [what] else _now(name, DONE, [*before, what], rule)


def _fall(moment: Position, names: Iterable[str], rule: str) -> Changes:
    """They are eliminated; when, is remembered of those whom a reserve may bring back."""
    changes = fallen(names, rule)
    for change in changes:
        unit = moment.unit(change.figure)
        in_reserve = any(is_reserve(moment, one) for one in moment.state.standing(unit.side))
        if in_reserve and not is_reserve(moment, unit):
            changes += marked([unit.id], LOST, moment.state.turn, "WW-59")
    return changes


# Before the first turn, and as one begins.


def _agreed(moment: Position, deed: Deed, found: Verdict) -> Effects:
    side, needed = deed.given["side"], deed.given.get("needed")
    changes = marked([""], goal_key(side), deed.given["goal"], "WW-05")
    changes += marked([""], place_for(side), deed.piece, "WW-05") if deed.piece else ()
    return Effects(changes=changes + (marked([""], needed_by(side), needed, "WW-05") if needed else ()))


def _rolled_off(moment: Position, deed: Deed, found: Verdict) -> Effects:
    chooser, first = found.numbers["chooser"], found.numbers["goes_first"]
    again = chooser is not None and rules_of(moment).chooses("tied_initiative", "last_chooser")
    changes = marked([""], LAST_CHOOSER, chooser, "WW-A01") if again else ()
    key, side = (CHOOSER, chooser) if first is None else (FIRST, first)
    return Effects(changes=changes + _now("", key, side, "WW-07"))


def _ordered(moment: Position, deed: Deed, found: Verdict) -> Effects:
    return Effects(changes=_now("", FIRST, deed.given["first"], "WW-07"))


def _checked(moment: Position, deed: Deed, found: Verdict) -> Effects:
    each = found.numbers["each"] if deed.action == "status_checks" else {deed.by[0]: found.numbers}
    return Effects(changes=tuple(change for name, told in each.items() for change in _check(name, told, "WW-09")))


def _check(name: str, told: Mapping[str, Any], rule: str) -> Changes:
    failed = True if told["failed"] else None
    return _now(name, STATUS_DIE, told["status_die"], rule) + _now(name, FAILED, failed, rule)


def _checked_again(moment: Position, deed: Deed, found: Verdict) -> Effects:
    [name] = deed.by
    return Effects(changes=_check(name, found.numbers, "WW-56") + _now(name, REROLLED, True, "WW-56"))


def _came_back(moment: Position, deed: Deed, found: Verdict) -> Effects:
    [reserve], [gone] = deed.by, deed.at
    spot, side = moment.figure(reserve).centre_in, moment.state.side
    before = moment.unit(gone).at_in or spot
    times = deed.given["returned_this_turn"] + 1
    changes = marked([gone], ELIMINATED, None, "WW-59") + marked([gone], LOST, None, "WW-59")
    changes += fallen([reserve], "WW-59") + _now("", returned(side), times, "WW-59")
    return Effects(moves=(Move(figure=gone, from_in=before, to_in=spot, moved_in=0, cost_in=0),), changes=changes)


# Moving and fighting.


def _moved(moment: Position, deed: Deed, found: Verdict) -> Effects:
    if not deed.paths:
        return Effects()
    [name] = deed.by
    # What the players let pass may have no price in the rules; then it takes its length.
    spent_in = found.numbers.get("cost_in", length_in(deed.paths[name]))
    fights = met(rules_of(moment), *(deed.given[fact] for fact in ("ends_in", "enemies_inside", "enemy_gaps_in")))
    rule = "WW-22" if fights else "WW-10"
    changes = _did(moment, name, "move_into_hand_to_hand" if fights else "move", rule)
    if fights:
        changes += _now(name, FIGHTS, {"with": fights, "in": deed.given["ends_in"]}, rule)
    stays = len(deed.paths[name]) < 2
    return Effects(
        moves=() if stays else walked(moment, deed.paths, {name: spent_in}, deed.facing_deg), changes=changes
    )


def _fought(moment: Position, deed: Deed, found: Verdict) -> Effects:
    beaten = found.numbers["enemies_eliminated"]
    fell = beaten if found.numbers["attacker_alive"] else [*beaten, *deed.by]
    return Effects(changes=_now(deed.by[0], FIGHTS, None, "WW-23") + _fall(moment, fell, "WW-24"))


def _left(moment: Position, deed: Deed, found: Verdict) -> Effects:
    return Effects(changes=marked(deed.by, EXITED, True, "WW-05") + fallen(deed.by, "WW-05"))


# Fire.


def _fired(moment: Position, deed: Deed, found: Verdict) -> Effects:
    """Small arms; shots that are left may go to the next target where targets are named one by one."""
    [name], left = deed.by, found.numbers["shots_left"]
    dead = found.numbers["eliminated"]
    fell = dead if deed.action == "volley" else deed.at if dead else ()
    kept = [deed.weapon, left] if left and rules_of(moment).chooses("targets_named", "one_by_one") else None
    changes = _did(moment, name, "fire", "WW-10") + _now(name, SHOTS_LEFT, kept, "WW-36")
    changes += _now(name, NAMED, None, "WW-36") if NAMED in moment.unit(name).this_turn else ()
    return Effects(changes=changes + _fall(moment, fell, "WW-50"))


def _named(moment: Position, deed: Deed, found: Verdict) -> Effects:
    [name] = deed.by
    return Effects(
        changes=_now(name, NAMED, [deed.weapon, [*named(moment.unit(name), deed.weapon), *deed.at]], "WW-36")
    )


def _burst(moment: Position, deed: Deed, found: Verdict) -> Effects:
    """A grenade or a launcher's round, which bursts as it is fired."""
    changes = _did(moment, deed.by[0], "fire", "WW-10")
    return Effects(changes=changes + _fall(moment, found.numbers["eliminated"], "WW-50"))


def _lofted(moment: Position, deed: Deed, found: Verdict) -> Effects:
    """A mortar's or gun's shell, which has come down and is still to burst."""
    [name] = deed.by
    helps = {field.name for field in fields(Helped)}
    landed = {
        "by": name,
        "weapon": deed.weapon,
        "spot_in": list(found.numbers["spot_in"]),
        "aimed_in": list(deed.given["spot_in"]),
        "range_in": deed.given["distance_in"],
        "on_board": True,
        "help": {fact: value for fact, value in deed.given.items() if fact in helps},
    }
    return Effects(changes=_did(moment, name, "fire", "WW-10") + _now("", LANDED, landed, "WW-44"))


def _came_down(moment: Position, deed: Deed, found: Verdict) -> Effects:
    """A shell from off the board; its mortar is farther from everybody than it reaches on the table."""
    [name] = deed.by
    landed = {
        "by": name,
        "weapon": deed.weapon,
        "spot_in": list(found.numbers["spot_in"]),
        "aimed_in": list(deed.given["spot_in"]),
        "range_in": weapon_of(rules_of(moment), deed.weapon).range_in,
        "on_board": False,
        "help": {},
    }
    return Effects(changes=_now("", FALLING, None, "WW-62") + _now("", LANDED, landed, "WW-44"))


def _exploded(moment: Position, deed: Deed, found: Verdict) -> Effects:
    numbers, said = found.numbers, moment.state.statuses
    changes = _now("", LANDED, None, "WW-44") + _fall(moment, numbers["eliminated"], "WW-50")
    if numbers.get("bunker_eliminated"):
        changes += marked([""], GONE, [*said.get(GONE, ()), deed.piece], "WW-48")
    if "hole_in" in numbers:
        changes += marked([""], holes_in(deed.piece), int(said.get(holes_in(deed.piece), 0)) + 1, "WW-49")
    return Effects(changes=changes)


# Leaders, observers, radiomen.


def _led(moment: Position, deed: Deed, found: Verdict) -> Effects:
    return Effects(changes=_did(moment, deed.by[0], "lead", "WW-56"))


def _directed(moment: Position, deed: Deed, found: Verdict) -> Effects:
    [name], [mate] = deed.by, deed.at
    means, rule = ("binoculars", "WW-57") if deed.action == "direct_fire_binoculars" else ("radio", "WW-61")
    by = {**moment.unit(mate).this_turn.get(DIRECTED_BY, {}), name: means}
    return Effects(changes=_did(moment, name, "direct_fire", rule) + _now(mate, DIRECTED_BY, by, rule))


def _radioed(moment: Position, deed: Deed, found: Verdict) -> Effects:
    if deed.given["mode"] == "direct_onboard":
        return _directed(moment, deed, found)
    [name] = deed.by
    spot_in = deed.spot_in or moment.figure(deed.at[0]).centre_in
    shell = {"by": name, "weapon": found.numbers["weapon"], "spot_in": list(spot_in)}
    return Effects(changes=_did(moment, name, "call_fire", "WW-62") + _now("", FALLING, shell, "WW-62"))


def _won(moment: Position, deed: Deed, found: Verdict) -> Effects:
    return Effects(changes=marked([""] if found.numbers["won"] else [], "victory", deed.given["side"], "WW-05"))


_EFFECTS: Mapping[str, Callable[[Position, Deed, Verdict], Effects]] = {
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
