"""Plastic Fudge: the referee, and the obligations of whole sides: initiative, casualties, mines, flights, morale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from rules.engine.action import Action, UncertainFact
from rules.engine.effects import CONDITIONS, condition, next_step, stored_list, unharmed
from rules.engine.events import PhaseBegun
from rules.engine.facts import Context, action_for
from rules.engine.position import Position
from rules.engine.referee import Referee, phase_says, rounds_where
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.games.plastic_fudge import statuses, units
from rules.games.plastic_fudge.board import disk, ground
from rules.games.plastic_fudge.command import Command, initiative_level, steps
from rules.games.plastic_fudge.referee_effects import effects
from rules.games.plastic_fudge.referee_fire import at_spot, attacks, caught, others, real_mine
from rules.games.plastic_fudge.referee_moves import fleeing, march, movement, not_here, passed_by, turn_in
from rules.games.plastic_fudge.tables import Tables, rating
from rules.games.plastic_fudge.units import card, rules_of
from rules.tabletop.path import placed
from rules.tabletop.scene import SightRules
from rules.tabletop.table import Figure, TerrainPiece


def obligations(position: Position) -> Iterator[Action]:
    """All obligations now, the most urgent first."""
    yield from chain(_initiative(position), _explosions(position), _casualties(position), _mines(position))
    yield from chain(_flights(position), _morale(position), _victory(position))


# Initiative.


def _initiative(position: Position) -> Iterator[Action]:
    state = position.state
    if not phase_says(position, "initiative"):
        return
    winner = state.this_turn.get(statuses.WINNER)
    if winner is None:
        yield _roll_off(position)
    elif statuses.SEAT_A not in state.this_turn:
        for seat, words in (("A", "moves first"), ("B", "moves second")):
            given = {"winner": winner, "choice": seat, "players": list(state.sides)}
            yield Action(f"{display_name(winner)} {words}", "choose_order", given, owed="PF-23")


def _roll_off(position: Position) -> Action:
    players, bar = [], None
    for side in position.state.sides:
        command = _command(position, side)
        found = initiative_level(rules_of(position), command)
        if not found.allowed:
            bar = found
            continue
        cut_off = command.commander_alive and not found.numbers["in_touch"]
        known = {"id": side, "roll_level": found.numbers["level"], "out_of_touch": cut_off}
        players.append({**known, "commander_destroyed": command.commander_destroyed})
    return Action("Initiative", "initiative", {"players": players}, blocked_by=bar, owed="PF-21")


def _command(position: Position, side: str) -> Command:
    """A side's Commander, its radio, and the units that may roll in place of the Commander."""
    alive, rules = units.able(position, side), rules_of(position)
    leaders = [unit for unit in alive if card(position, unit).commander]
    commanders = leaders or [unit for unit in units.of_side(position, side) if card(position, unit).commander]
    troopers = [unit for unit in alive if card(position, unit).kind == "trooper"]
    men = [unit for unit in troopers if unit not in leaders] or leaders
    vehicles = [unit for unit in alive if unit not in troopers]
    return Command(
        commander_alive=bool(leaders),
        commander_TL=rating(rules, units.training(position, commanders[0])) if commanders else None,
        trooper_TLs=tuple(rating(rules, units.training(position, man)) for man in men),
        vehicle_TLs=tuple(rating(rules, units.training(position, vehicle)) for vehicle in vehicles),
        commander_destroyed=units.is_lost(position, side, "commander"),
        radioman_destroyed=units.is_lost(position, side, "radio"),
    )


# What attacks at the same time leave, and what they set off.


def _explosions(position: Position) -> Iterator[Action]:
    for unit in position.state.units.values():
        if unit.statuses.get(statuses.EXPLODES) and unit.id in position.figures:
            trooper = position.figure(unit.id)
            area = disk(rules_of(position), "large", trooper.centre_in)
            targets, shares = caught(position, area, trooper, (unit.id,), trooper.sigma_in)
            known = [{name: value for name, value in one.items() if name in _LOST_IN_IT} for one in targets]
            burning = f"{display_name(unit.id)} goes up in flames"
            yield Action(burning, "conflagration", {"targets": known}, at=(unit.id,), measured=shares, owed="PF-116")


_LOST_IN_IT = ("id", "DL", "fraction", "target_unit", "occupants")


def _casualties(position: Position) -> Iterator[Action]:
    left = [unit for unit in position.state.units.values() if not unit.out]
    struck = [unit for unit in left if unit.statuses.get(statuses.FALLS) or unit.statuses.get(statuses.INJURIES)]
    if struck and not any(unit.statuses.get(statuses.EXPLODES) and unit.id in position.figures for unit in struck):
        rows = [
            {
                "id": unit.id,
                "DL": units.lasting_defense(position, unit),
                "injuries": int(unit.statuses.get(statuses.INJURIES, 0)),
                "killed": bool(unit.statuses.get(statuses.FALLS)),
            }
            for unit in struck
        ]
        at = tuple(unit.id for unit in struck)
        yield Action("Apply the hits", "casualties", {"units": rows}, at=at, owed="PF-46")


# Mines.


def _mines(position: Position) -> Iterator[Action]:
    laid = {piece.name: piece for piece in units.markers(position)}
    for unit in position.state.units.values():
        if unit.id not in position.figures or card(position, unit).flies:
            continue
        for name, ends, place in stored_list(unit, statuses.ON_MINES):
            if name in laid:
                yield _trodden(position, placed(position.figure(unit.id), (place[0], place[1])), laid[name], bool(ends))


def _trodden(position: Position, figure: Figure, piece: TerrainPiece, ends: bool) -> Action:
    """A mine under a unit that counts as being where it was when it trod on it."""
    rules, unit = rules_of(position), position.unit(figure.id)
    area = disk(rules, rules.tables.weapons["land_mine"].template or "", units.middle(piece))
    targets, shares = caught(position, area, figure)
    level = {"height_difference_bands": 0, "attacker_flies": False}  # a mine lies in the ground under its target
    given = {
        "path_crosses": True,
        "ends_on_it": ends,
        "found": position.state.statuses.get(statuses.MINE.format(piece.name)) == statuses.FOUND,
        "flies": card(position, unit).flies,
        "targets": [{**one, **level} for one in targets],
        **real_mine(position, piece.name),
    }
    found = Action(f"{display_name(unit.id)} on {piece.name}", "mine", given, (unit.id,), measured=shares)
    return replace(found, has_odds=False, piece=piece.name, round="Mines", owed="PF-83")


# Flight.


def _flights(position: Position) -> Iterator[Action]:
    for unit in [unit for unit in position.state.units.values() if unit.id in position.figures]:
        if unit.this_turn.get(statuses.FLED):
            yield from _fled(position, unit)
        if units.is_destroyed(position, unit):
            continue
        if unit.this_turn.get(statuses.FLEES):
            yield replace(fleeing(position, unit), round="Flight", owed="PF-65")
        for name in _must_check(unit):
            title = f"{display_name(unit.id)} sees {display_name(name)} run"
            yield replace(_check(position, unit, title, (name,)), owed="PF-68")


def _must_check(unit: Unit) -> list[Any]:
    """The routed units that make it check at once; none if it flees itself."""
    return [] if unit.statuses.get(statuses.ROUTED) else stored_list(unit, statuses.MUST_CHECK)


def _fled(position: Position, runner: Unit) -> Iterator[Action]:
    """Whether a runner left the table, if its edge is unknown, and every friend that the flight perhaps shook."""
    if not runner.out and not runner.this_turn.get(statuses.STAYS):
        yield Action(f"Is {display_name(runner.id)} at the edge", "rout_reaches_edge", {}, (runner.id,), owed="PF-67")
    path = tuple((x, y) for x, y in runner.this_turn[statuses.FLED])
    yield from passed_by(position, runner, path, units.flight_of(runner))


# Morale.


def _morale(position: Position) -> Iterator[Action]:
    """A check of every trooper in the morale phase, and after each phase where the players chose that."""
    phase = position.state.phase
    if not (phase_says(position, "morale") or phase_says(position, "morale_after")):
        return
    for side in position.state.sides:
        for unit in units.able(position, side):
            if _stands_for(position, unit) not in position.figures or phase in stored_list(unit, statuses.CHECKED):
                continue
            if _must_check(unit):
                continue  # that check comes first
            if rules_of(position).tables.classes[card(position, unit).kind].checks_morale:
                yield replace(_check(position, unit, f"Morale of {display_name(unit.id)}"), owed="PF-55")


def _check(position: Position, unit: Unit, title: str, at: tuple[str, ...] = ()) -> Action:
    """A trooper's morale check with all that bears on it."""
    rules, its = rules_of(position), card(position, unit)
    lead = next((one for one in units.able(position, unit.side) if card(position, one).commander), None)
    near = lead is not None and not its.commander and _stands_for(position, lead) in position.figures
    view = position.view(_stands_for(position, lead), _stands_for(position, unit)).range if lead and near else None
    known: dict[str, Any] = {"class": its.kind}
    known |= {} if view is None else {"commander_distance_in": units.spoken_of(rules, view)}
    what = "how near the Commander is"
    how = () if view is None else (UncertainFact(("commander_distance_in",), view.sigma_in, what),)
    found = action_for(title, "morale_check", Context(position, (unit,)), known, measured=how)
    return replace(found, at=at, preview="morale_modifier", round="Morale")


def _stands_for(position: Position, unit: Unit) -> str:
    """The figure that shows a unit's place: its vehicle, otherwise itself."""
    around = units.carrier(position, unit)
    return unit.id if around is None or unit.id in position.figures else around.id


# Victory.


def _victory(position: Position) -> Iterator[Action]:
    taken = position.state.statuses.get("flag_taken")
    for side in position.state.sides:
        enemy = [unit for unit in position.state.units.values() if unit.side != side]
        given = {
            "side": side,
            "enemy_troops": units.count_troops(position, enemy),
            "enemy_lost": units.count_troops(position, [unit for unit in enemy if unit.out]),
            **({} if taken is None else {"flag_taken": taken == side}),
        }
        yield Action(f"Declare victory of {display_name(side)}", "victory_check", given)


def next_phase(position: Position) -> PhaseBegun:
    """The parts of the round, A's and B's as the winner of the initiative chose; else as the players are named."""
    state, row = position.state, rules_of(position).tables.phases.get(position.state.phase)
    first, second = statuses.SEAT_A, statuses.SEAT_B
    seats = dict(zip((first, second), state.sides, strict=False)) | dict(state.this_turn)
    if row is not None and row.seat and state.side not in ("", seats.get(row.seat)):
        seats |= {first: seats.get(second, ""), second: seats.get(first, "")}
    jets = any(
        card(position, unit).called and not_here(position, unit) is None
        for unit in state.units.values()
        if not unit.out
    )
    return next_step(state, steps(rules_of(position), seats, called=jets))


REFEREE: Referee[Tables] = Referee(
    sight=lambda _: SightRules(),  # the usual ones, because the sheet does not mention them
    movement=movement,
    march=march,
    turn_in=turn_in,
    attacks=attacks,
    others=others,
    obligations=obligations,
    effects=effects,
    next_phase=next_phase,
    at_spot=at_spot,
    ground=ground,
    rounds=rounds_where("attacks"),
    ready=lambda position, unit: not (unit.statuses.get(statuses.ROUTED) or units.attacks_made(position, unit)),
    squads=False,
    this_turn=statuses.THIS_TURN,
    harmless=frozenset({statuses.ATTACKED_BY_HAND}),
    inside=frozenset({statuses.RIDES}),
    conditions={
        **CONDITIONS,
        "unharmed": unharmed(
            statuses.FALLS,
            statuses.INJURIES,
            statuses.LOST,
            statuses.LOST_BEFORE,
            statuses.EXPLODES,
            statuses.ROUTED,
        ),
        "killed, once all have attacked": condition(statuses.FALLS),
        "injured": condition(statuses.LOST, value=1),
        "routed": condition(statuses.ROUTED),
        "rallied": condition(statuses.ROUTED, value=None),
    },
)
