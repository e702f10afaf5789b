"""Plastic Fudge: every attack of a unit on the measured table, and all else that it may do besides moving."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from math import hypot
from typing import Any

from shapely.geometry import Point, Polygon

from rules.engine.position import Position, View
from rules.engine.referee import Action, UncertainFact
from rules.engine.state import Unit
from rules.engine.text import display_name, place_words
from rules.engine.verdict import Verdict, forbidden
from rules.games.plastic_fudge.board import disk, flame, rod, spoken_of
from rules.games.plastic_fudge.movement import JetTurn, jet_acts
from rules.games.plastic_fudge.referee_facts import (
    CALLED_TURN,
    FLEES,
    RIDES,
    ROUTED,
    able,
    at_target,
    card,
    card_name,
    carrier,
    caught,
    cover_of,
    defense,
    falls,
    how_far,
    markers,
    occupants,
    of_side,
    request,
    rules_of,
    sight_of,
    spotters,
    stance,
)
from rules.games.plastic_fudge.referee_moves import fleeing, mover
from rules.games.plastic_fudge.tables import Weapon
from rules.tabletop.bearing import bearing_deg
from rules.tabletop.measure import Range, base_area, range_to
from rules.tabletop.table import PointIn, TerrainKind, TerrainPiece
from rules.tabletop.template import Template
from rules.tabletop.tolerance import Comparison

# Attacks.


def attacks(position: Position, figure: str) -> Iterator[Action]:
    """Every weapon of a unit at every enemy; what lays a template is laid on him."""
    unit = position.unit(figure)
    rows = rules_of(position).tables.weapons
    for weapon in card(position, unit).weapons or ("",):
        for enemy in position.enemies(unit):
            row = rows.get(weapon)
            template = row.template if row else None
            yield _blast(position, unit, weapon, enemy) if row and template else _shot(position, unit, weapon, enemy)


def _shot(position: Position, unit: Unit, weapon: str, enemy: Unit) -> Action:
    view = position.view(unit.id, enemy.id)
    given = {
        **request(position, unit, weapon),
        **at_target(position, unit, enemy, view),
        **stance(position, position.figure(unit.id), position.figure(enemy.id)),
        "target_DL": defense(position, enemy),
        "occupants": occupants(position, enemy),
    }
    return Action(
        f"{display_name(weapon) or 'Attack'} at {display_name(enemy.id)}",
        "shot",
        given,
        (unit.id,),
        (enemy.id,),
        weapon,
        preview="aim",
        view=view,
        measured=(
            *_line(position, unit, enemy, view),
            *cover_of(position, position.figure(unit.id), position.figure(enemy.id)),
        ),
        band=_band(position, view.range),
        blocked_by=not_here(position, unit) or _inside(position, enemy),
    )


def _line(position: Position, unit: Unit, enemy: Unit, view: View) -> tuple[UncertainFact, ...]:
    """The errors of whether he is seen, and of how far he is."""
    whom, views = display_name(enemy.id), [position.view(one.id, enemy.id) for one in spotters(position, unit)]
    return (*sight_of(position, unit, view, views, whom), *how_far(view.range, whom))


def _inside(position: Position, enemy: Unit) -> Verdict | None:
    """Why nobody fires at a man himself who rides in something: its Defense protects him."""
    around = carrier(position, enemy)
    if around is None:
        return None
    return forbidden("inside", rules_of(position).because("PF-70", f"he is in {display_name(around.id)}: fire at that"))


def at_spot(position: Position, figure: str, spot_in: PointIn) -> Iterator[Action]:
    """Whatever of a unit's lays a template, at a bare place; a hole in the base that is there."""
    unit, rules = position.unit(figure), rules_of(position)
    if unit.out:
        return
    there = _standing_at(position, figure, spot_in)
    view, *views = (
        position.view(one, there) if there else position.view_of_spot(one, spot_in)
        for one in (figure, *(spotter.id for spotter in spotters(position, unit)))
    )
    known = {
        "distance_in": spoken_of(rules, view.range),
        "los": view.exposure > 0,
        "spotter_sees_target": any(one.exposure > 0 for one in views),
    }
    error = (*sight_of(position, unit, view, views, "the spot"), *how_far(view.range, "the spot"))
    for weapon in card(position, unit).weapons:
        if rules.tables.weapons[weapon].template:
            title = f"{display_name(weapon)} at the spot {place_words(spot_in)}"
            action = _laid(position, unit, weapon, title, spot_in, known, view.range, error)
            men = tuple(one["id"] for one in action.given["targets"] if one["id"] in position.state.units)
            yield replace(action, at=men, view=view, spot_in=spot_in)
    for piece in position.terrain:
        if Polygon(piece.outline_in).covers(Point(spot_in)):
            yield from (replace(action, spot_in=spot_in) for action in _holes_in(position, unit, piece, spot_in))


def _standing_at(position: Position, figure: str, spot_in: PointIn) -> str:
    """Whose base is at a spot, which is as near as he is; nobody's where it is bare, or the thrower's own."""
    units = (position.state.units.get(name) for name in position.figures if name != figure)
    there = (unit.id for unit in units if unit is not None and not unit.out)
    return next((name for name in there if base_area(position.figure(name)).covers(Point(spot_in))), "")


def _blast(position: Position, unit: Unit, weapon: str, enemy: Unit) -> Action:
    view = position.view(unit.id, enemy.id)
    known = at_target(position, unit, enemy, view)
    title = f"{display_name(weapon)} at {display_name(enemy.id)}"
    at_in, error = position.figure(enemy.id).centre_in, _line(position, unit, enemy, view)
    found = _laid(position, unit, weapon, title, at_in, known, view.range, error)
    return replace(found, at=(enemy.id,), view=view, blocked_by=found.blocked_by or _inside(position, enemy))


def _laid(
    position: Position,
    unit: Unit,
    weapon: str,
    title: str,
    at_in: PointIn,
    known: dict[str, Any],
    measured: Range,
    error: tuple[UncertainFact, ...],
) -> Action:
    """A template laid at a place, with what is `known` of the way there."""
    thrower, row = position.figure(unit.id), rules_of(position).tables.weapons[weapon]
    template, spare, sigma_in = _template(position, unit, row, at_in)
    targets, shares = caught(position, template, thrower, spare, sigma_in)
    given = {**request(position, unit, weapon), **known, "targets": targets}
    if row.thrown:
        near = disk(rules_of(position), row.template or "", thrower.centre_in)
        given["near_thrower"] = caught(position, near, thrower)[0]
    return Action(
        title,
        "blast",
        given,
        (unit.id,),
        weapon=weapon,
        preview="lay",
        measured=(*error, *shares),
        band=_band(position, measured),
        blocked_by=not_here(position, unit),
        template=template,
        each=_each(given) if len(targets) > 1 else {},
    )


def _between(position: Position, unit: Unit) -> Iterator[Action]:
    """A disk laid midway between two enemies who both have room in it."""
    rules, figures = rules_of(position), position.figures
    for weapon in card(position, unit).weapons:
        across_in = _across(position, weapon)
        for one, other in combinations(position.enemies(unit), 2) if across_in else ():
            (ax, ay), (bx, by) = (figures[enemy.id].centre_in for enemy in (one, other))
            if 0 < hypot(bx - ax, by - ay) < across_in:
                spot = ((ax + bx) / 2, (ay + by) / 2)
                measured = range_to(figures[unit.id], (spot,))
                views = [at_target(position, unit, enemy, position.view(unit.id, enemy.id)) for enemy in (one, other)]
                seen = {fact: any(view[fact] for view in views) for fact in ("los", "spotter_sees_target")}
                title = f"{display_name(weapon)} between {display_name(one.id)} and {display_name(other.id)}"
                known = {**seen, "distance_in": spoken_of(rules, measured)}
                found = _laid(position, unit, weapon, title, spot, known, measured, how_far(measured, "the place"))
                # With a dozen enemies there are so many such places that their odds would take seconds.
                yield replace(found, at=(one.id, other.id), has_odds=False)


def _across(position: Position, weapon: str) -> float:
    """How wide the disk is that a weapon lays; 0 where it lays none."""
    template = rules_of(position).tables.weapons[weapon].template
    return (rules_of(position).tables.templates[template].diameter_in or 0.0) if template else 0.0


def _each(given: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Of a blast, the facts of each that is in it alone."""
    parts = [name for name in ("targets", "near_thrower") if name in given]
    names = [one["id"] for one in given["targets"]]
    return {name: {part: [one for one in given[part] if one["id"] == name] for part in parts} for name in names}


def _template(position: Position, unit: Unit, row: Weapon, at_in: PointIn) -> tuple[Template, tuple[str, ...], float]:
    """What a weapon lays at a place, who is not under it, and the error of where it lies."""
    rules, near = rules_of(position), position.figure(unit.id)
    if rules.tables.templates[row.template or ""].angle_deg is None:
        return disk(rules, row.template or "", at_in), (), 0.0
    toward = bearing_deg(near.centre_in, at_in) if near.centre_in != at_in else 0.0
    return flame(rules, near, toward), (unit.id,), near.sigma_in


def _band(position: Position, measured: Range) -> str:
    """The band of the rod that a distance falls into, as "R2"."""
    return f"R{rod(rules_of(position)).band(spoken_of(rules_of(position), measured)).value}"


def not_here(position: Position, unit: Unit) -> Verdict | None:
    """Why a unit that is called does not act yet, or no longer."""
    if not card(position, unit).called:
        return None
    found = jet_acts(
        rules_of(position),
        JetTurn(
            called_turn=unit.statuses.get(CALLED_TURN),
            turn=position.state.turn,
            radio_since_call=any(card(position, mate).radio for mate in able(position, unit.side)),
        ),
    )
    return None if found.allowed else found


# All else.


def others(position: Position, figure: str) -> Iterator[Action]:
    """A disk between two enemies, a hole in a base, a marker swept, troops lifted, a ride, the jet, a flight."""
    unit = position.unit(figure)
    yield from _between(position, unit)
    yield from _holes(position, unit)
    yield from _sweeps(position, unit)
    yield from _lifts(position, unit)
    yield from _rides(position, unit)
    yield from _calls(position, unit)
    if unit.this_turn.get(FLEES):
        yield fleeing(position, unit)


def _holes(position: Position, unit: Unit) -> Iterator[Action]:
    """Into each base, where it is nearest."""
    for piece in position.terrain:
        nearest_in = range_to(position.figure(unit.id), piece.outline_in).centre_segment_in[1]
        yield from _holes_in(position, unit, piece, nearest_in)


def _holes_in(position: Position, unit: Unit, piece: TerrainPiece, centre_in: PointIn) -> Iterator[Action]:
    """Each weapon that takes holes out of a base, at one place of it."""
    rules, measured = rules_of(position), range_to(position.figure(unit.id), (centre_in,))
    for weapon in card(position, unit).weapons if piece.kind is TerrainKind.BUNKER else ():
        if rules.tables.weapons[weapon].holes:
            given = {**request(position, unit, weapon), "distance_in": spoken_of(rules, measured)}
            title, error = f"{display_name(weapon)} at {piece.name}", how_far(measured, piece.name)
            yield Action(
                title,
                "hole",
                given,
                (unit.id,),
                weapon=weapon,
                measured=error,
                piece=piece.name,
                template=disk(rules, "small", centre_in),
            )


def _sweeps(position: Position, unit: Unit) -> Iterator[Action]:
    its = card(position, unit)
    for piece in markers(position) if its.sweeps else ():
        measured = range_to(position.figure(unit.id), piece.outline_in)
        given = {
            **request(position, unit, its.weapons[0]),
            **real_mine(position, piece.name),
            "distance_in": spoken_of(rules_of(position), measured),
        }
        title, error = f"Sweep {piece.name}", how_far(measured, piece.name)
        yield Action(title, "sweep", given, (unit.id,), weapon=its.weapons[0], measured=error, piece=piece.name)


def real_mine(position: Position, name: str) -> dict[str, bool]:
    """Whether a marker is a mine, where its side has said so."""
    told = position.state.statuses.get(f"real {name}")
    return {} if told is None else {"real": bool(told)}


def _lifts(position: Position, unit: Unit) -> Iterator[Action]:
    """Friends at the helicopter, and those aboard."""
    if not card(position, unit).carries:
        return
    mates = [
        mate for mate in able(position, unit.side) if mate.id != unit.id and card(position, mate).kind == "trooper"
    ]
    aboard = [mate for mate in mates if mate.statuses.get(RIDES) == unit.id]
    known = {
        "unit": card_name(unit),
        "aboard": len(aboard),
        "attacks_made_this_turn": request(position, unit, "")["attacks_made_this_turn"],
        "figures": 1,
        "destroyed": falls(position, unit),
        "phase": position.state.phase,
        "own_turn": position.state.side == unit.side,
    }
    for mate in mates:
        given = {**known, "routed": bool(mate.statuses.get(ROUTED))}
        if mate in aboard:
            yield Action(
                f"Set down {display_name(mate.id)}", "carry", {**given, "does": "unload"}, (unit.id,), (mate.id,)
            )
        elif _beside(position, unit, mate):
            yield Action(f"Take up {display_name(mate.id)}", "carry", {**given, "does": "load"}, (unit.id,), (mate.id,))


def _beside(position: Position, vehicle: Unit, man: Unit) -> bool:
    """Whether a man stands at a vehicle and rides in nothing."""
    there = man.id in position.figures and carrier(position, man) is None
    return there and position.view(vehicle.id, man.id).range.contact() is not Comparison.OUT


def _rides(position: Position, unit: Unit) -> Iterator[Action]:
    """Getting into a jeep beside him, or out of the one that he rides in."""
    known = {fact: value for fact, value in mover(position, unit).items() if fact in _RIDER}
    inside = carrier(position, unit)
    for jeep in able(position, unit.side):
        its = card(position, jeep)
        if not its.tows or not card(position, unit).ML_by_jeep or jeep.id not in position.figures:
            continue
        given = {**known, "vehicle": card_name(jeep)}
        if inside is jeep:
            yield Action(
                f"Get out of {display_name(jeep.id)}", "ride", {**given, "does": "unload"}, (unit.id,), (jeep.id,)
            )
        elif _beside(position, jeep, unit):
            yield Action(f"Get into {display_name(jeep.id)}", "ride", {**given, "does": "load"}, (unit.id,), (jeep.id,))


_RIDER = ("unit", "routed", "destroyed", "phase", "own_turn")


def _calls(position: Position, unit: Unit) -> Iterator[Action]:
    """A radio operator's call for each jet of his side that nobody called yet."""
    if not card(position, unit).radio:
        return
    alive = unit in able(position, unit.side)
    for jet in of_side(position, unit.side):
        if card(position, jet).called and not jet.out and CALLED_TURN not in jet.statuses:
            given = {"called_turn": position.state.turn, "radio_operator": alive}
            yield Action(f"Call {display_name(jet.id)}", "call_jet", given, (unit.id,), (jet.id,))
