"""Plastic Fudge: every attack of a unit on the measured table, and all its other actions except moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import hypot
from typing import Any

from shapely.geometry import Point, Polygon

from rules.engine.action import Action, UncertainFact
from rules.engine.common import in_sight, one_of
from rules.engine.facts import Context, action_for
from rules.engine.position import Position, View
from rules.engine.state import Unit
from rules.engine.text import display_name, place_words
from rules.engine.verdict import Verdict, forbidden
from rules.games.plastic_fudge import statuses, units
from rules.games.plastic_fudge.board import band, bands_up, base_left, disk, flame, possible_terrains, terrains_under
from rules.games.plastic_fudge.referee_moves import fleeing, not_here
from rules.games.plastic_fudge.tables import Weapon
from rules.games.plastic_fudge.units import card, rules_of, spoken_of
from rules.tabletop.bearing import bearing_deg
from rules.tabletop.measure import Range, base_area, range_to
from rules.tabletop.table import Figure, PointIn, TerrainKind, TerrainPiece
from rules.tabletop.template import Template, fraction_inside, under
from rules.tabletop.tolerance import Comparison

# Attacks.


def attacks(position: Position, figure: str) -> Iterator[Action]:
    """Every weapon of a unit at every enemy; a template is laid with its middle on the enemy."""
    unit = position.unit(figure)
    for weapon in card(position, unit).weapons or ("",):
        lays = weapon and rules_of(position).tables.weapons[weapon].template
        for enemy in position.enemies(unit):
            yield _blast(position, unit, weapon, enemy) if lays else _shot(position, unit, weapon, enemy)


@dataclass(frozen=True, slots=True)
class _Line:
    """The line to a target: its length, its facts, and their errors."""

    range: Range
    known: Mapping[str, Any]
    errors: tuple[UncertainFact, ...]


def _line_to(position: Position, unit: Unit, target: str, view: View, views: Sequence[View]) -> _Line:
    """The line to a target that a unit sees in this `view`, and its spotters in these `views`."""
    known = {
        "distance_in": spoken_of(rules_of(position), view.range),
        "los": view.exposure > 0,
        "spotter_sees_target": any(one.exposure > 0 for one in views),
    }
    best = max(views, key=lambda one: one.exposure, default=None)
    by_spotter = () if best is None else in_sight(best, f"whether a spotter sees {target}", ("spotter_sees_target",))
    own = in_sight(view, f"whether {display_name(unit.id)} sees {target}")
    return _Line(view.range, known, (*own, *by_spotter, *_range_error(view.range, target)))


def _line_to_enemy(position: Position, unit: Unit, enemy: Unit) -> _Line:
    views = [position.view(one.id, enemy.id) for one in units.spotters(position, unit)]
    line = _line_to(position, unit, display_name(enemy.id), position.view(unit.id, enemy.id), views)
    return replace(line, known={**line.known, "target_unit": units.card_name(position, enemy)})


def _range_error(measured: Range, target: str) -> tuple[UncertainFact, ...]:
    """The error of a distance; bases that touch are in contact whatever it is."""
    sigma_in = measured.sigma_in if measured.edge_in > 0 else 0.0
    return (UncertainFact(("distance_in",), sigma_in, f"the range to {target}"),)


def _shot(position: Position, unit: Unit, weapon: str, enemy: Unit) -> Action:
    line, figure, target = _line_to_enemy(position, unit, enemy), position.figure(unit.id), position.figure(enemy.id)
    known = {
        **({"weapon": weapon} if weapon else {}),
        **line.known,
        **_stance(position, figure, target),
        "target_DL": units.defense(position, enemy),
        "occupants": units.occupants(position, enemy),
    }
    found = possible_terrains(rules_of(position), target, position.terrain, figure.centre_in)
    ground = one_of(found, target.sigma_in, f"what {display_name(enemy.id)} stands in", ("grounds",))
    return action_for(
        f"{display_name(weapon) or 'Attack'} at {display_name(enemy.id)}",
        "shot",
        Context(position, (unit,), (enemy,)),
        known,
        measured=(*line.errors, *ground),
        weapon=weapon,
        preview="aim",
        view=position.view(unit.id, enemy.id),
        band=_band(position, line.range),
        blocked_by=not_here(position, unit) or _no_target(position, enemy),
    )


def _stance(position: Position, figure: Figure, target: Figure) -> dict[str, Any]:
    """How a target stands, seen from a figure."""
    rules = rules_of(position)
    return {
        "grounds": terrains_under(rules, target, position.terrain, figure.centre_in),
        "height_difference_bands": bands_up(rules, figure, target),
    }


def _no_target(position: Position, enemy: Unit) -> Verdict | None:
    """Why an enemy cannot be a target: a jet that has not arrived yet, or a soldier whom a vehicle protects."""
    around = units.carrier(position, enemy)
    if around is None:
        return not_here(position, enemy)
    return forbidden("inside", rules_of(position).because("PF-70", f"he is in {display_name(around.id)}: fire at that"))


def at_spot(position: Position, figure: str, spot_in: PointIn) -> Iterator[Action]:
    """A unit's templates laid at a bare place; a hole in the base that is there."""
    unit, rules = position.unit(figure), rules_of(position)
    if unit.out:
        return
    there = _standing_at(position, figure, spot_in)
    view, *views = (
        position.view(one, there) if there else position.view_of_spot(one, spot_in)
        for one in (figure, *(spotter.id for spotter in units.spotters(position, unit)))
    )
    line = _line_to(position, unit, "the spot", view, views)
    for weapon in card(position, unit).weapons:
        if rules.tables.weapons[weapon].template:
            title = f"{display_name(weapon)} at the spot {place_words(spot_in)}"
            action = _laid(position, unit, weapon, title, spot_in, line)
            men = tuple(one["id"] for one in action.given["targets"] if one["id"] in position.state.units)
            yield replace(action, at=men, view=view, spot_in=spot_in)
    for piece in position.terrain:
        if Polygon(piece.outline_in).covers(Point(spot_in)):
            yield from (replace(action, spot_in=spot_in) for action in _holes_in(position, unit, piece, spot_in))


def _standing_at(position: Position, figure: str, spot_in: PointIn) -> str:
    """The other unit whose base covers a spot, which is as near as that unit; empty if there is none."""
    there = (name for name, one in position.figures.items() if base_area(one).covers(Point(spot_in)))
    known = (position.state.units.get(name) for name in there if name != figure)
    return next((unit.id for unit in known if unit is not None and not unit.out), "")


def _blast(position: Position, unit: Unit, weapon: str, enemy: Unit) -> Action:
    title, line = f"{display_name(weapon)} at {display_name(enemy.id)}", _line_to_enemy(position, unit, enemy)
    found = _laid(position, unit, weapon, title, position.figure(enemy.id).centre_in, line)
    view, bar = position.view(unit.id, enemy.id), found.blocked_by or _no_target(position, enemy)
    return replace(found, at=(enemy.id,), view=view, blocked_by=bar)


def _laid(position: Position, unit: Unit, weapon: str, title: str, at_in: PointIn, line: _Line) -> Action:
    """A template laid at a place."""
    thrower, row = position.figure(unit.id), rules_of(position).tables.weapons[weapon]
    template, spare, sigma_in = _template(position, unit, row, at_in)
    targets, shares = caught(position, template, thrower, spare, sigma_in)
    lists = {"targets": targets}
    if row.thrown:
        lists["near_thrower"] = caught(position, _disk(position, row, thrower.centre_in), thrower)[0]
    alone = {
        one["id"]: {part: [other for other in of if other["id"] == one["id"]] for part, of in lists.items()}
        for one in targets
    }
    return action_for(
        title,
        "blast",
        Context(position, (unit,)),
        {"weapon": weapon, **line.known, **lists},
        measured=(*line.errors, *shares),
        weapon=weapon,
        preview="lay",
        band=_band(position, line.range),
        blocked_by=not_here(position, unit),
        template=template,
        each=alone if len(targets) > 1 else {},
    )


def _between(position: Position, unit: Unit) -> Iterator[Action]:
    """A disk laid midway between two enemies that both fit under it."""
    rules, figures = rules_of(position), position.figures
    for weapon in card(position, unit).weapons:
        template = rules.tables.weapons[weapon].template
        across_in = (rules.tables.templates[template].diameter_in or 0.0) if template else 0.0
        for one, other in combinations(position.enemies(unit), 2) if across_in else ():
            (ax, ay), (bx, by) = (figures[enemy.id].centre_in for enemy in (one, other))
            if 0 < hypot(bx - ax, by - ay) < across_in:
                spot = ((ax + bx) / 2, (ay + by) / 2)
                measured = range_to(figures[unit.id], (spot,))
                lines = [_line_to_enemy(position, unit, enemy) for enemy in (one, other)]
                seen = {fact: any(line.known[fact] for line in lines) for fact in ("los", "spotter_sees_target")}
                known = {**seen, "distance_in": spoken_of(rules, measured)}
                line = _Line(measured, known, _range_error(measured, "the place"))
                title = f"{display_name(weapon)} between {display_name(one.id)} and {display_name(other.id)}"
                found = _laid(position, unit, weapon, title, spot, line)
                # With a dozen enemies there are so many such places that their odds would take seconds.
                yield replace(found, at=(one.id, other.id), has_odds=False)


def _template(position: Position, unit: Unit, row: Weapon, at_in: PointIn) -> tuple[Template, tuple[str, ...], float]:
    """The template of a weapon at a place, the units that it spares, and the error of its own place."""
    rules, near = rules_of(position), position.figure(unit.id)
    if rules.tables.templates[row.template or ""].angle_deg is None:
        return _disk(position, row, at_in), (), 0.0
    toward = bearing_deg(near.centre_in, at_in) if near.centre_in != at_in else 0.0
    return flame(rules, near, toward), (unit.id,), near.sigma_in


def _disk(position: Position, row: Weapon, at_in: PointIn) -> Template:
    return disk(rules_of(position), row.template or "", at_in)


def caught(
    position: Position, template: Template, by: Figure, spare: tuple[str, ...] = (), sigma_in: float = 0.0
) -> tuple[list[dict[str, Any]], tuple[UncertainFact, ...]]:
    """Every unit and base under a template, and the errors of their shares; occupants count with their vehicle.

    Args:
        by: The figure that lays it, where it counts as being; the attack comes from its height.
        spare: Figures that are left out.
        sigma_in: One standard deviation of the template's own place.
    """
    targets: list[dict[str, Any]] = []
    measured: list[UncertainFact] = []
    left_out = {name for name in position.figures if name in spare or _gone(position, name)}
    figures = {name: one for name, one in {**position.figures, by.id: by}.items() if name not in left_out}
    for hit in under(template, figures.values(), sigma_in):
        unit = position.unit(hit.id)
        part, sigma = f"how much of {display_name(hit.id)} is under the template", (hit.most - hit.least) / 4
        measured.append(UncertainFact(("targets", len(targets), "fraction"), sigma, part, 0, 1))
        attacker = position.state.units.get(by.id)
        known = {
            "id": hit.id,
            "DL": units.defense(position, unit),
            "fraction": hit.fraction,
            "target_unit": units.card_name(position, unit),
            "attacker_flies": attacker is not None and card(position, attacker).flies,
            "target_flies": card(position, unit).flies,
        }
        men = {"occupants": inside} if (inside := units.occupants(position, unit)) else {}
        targets.append({**known, **men, **_stance(position, by, figures[hit.id])})
    return targets + _bases(position, template), tuple(one for one in measured if one.sigma > 0)


def _gone(position: Position, name: str) -> bool:
    """Whether a template never strikes a figure itself: it is no unit, is out, or is no target."""
    unit = position.state.units.get(name)
    return unit is None or unit.out or _no_target(position, unit) is not None


def _bases(position: Position, template: Template) -> list[dict[str, Any]]:
    """The bases under a template; one that was hit before has what is left of its level."""
    found: list[dict[str, Any]] = []
    for piece in position.terrain:
        fraction = fraction_inside(template, piece.outline_in) if piece.kind is TerrainKind.BUNKER else 0.0
        left = base_left(position.state, piece.name)
        if fraction > 0:
            found.append({"id": piece.name, "fraction": fraction} | ({} if left is None else {"DL": left}))
    return found


def _band(position: Position, measured: Range) -> str:
    """The band of the rod that a distance falls into, as "R2"."""
    return f"R{band(rules_of(position), spoken_of(rules_of(position), measured))}"


# All else.


def others(position: Position, figure: str) -> Iterator[Action]:
    """A disk between two enemies, a hole in a base, a marker swept, troops lifted, a ride, the jet, a flight."""
    unit = position.unit(figure)
    yield from _between(position, unit)
    for piece in position.terrain:
        nearest_in = range_to(position.figure(unit.id), piece.outline_in).centre_segment_in[1]
        yield from _holes_in(position, unit, piece, nearest_in)
    yield from _sweeps(position, unit)
    yield from _lifts(position, unit)
    yield from _rides(position, unit)
    yield from _calls(position, unit)
    if unit.this_turn.get(statuses.FLEES):
        yield fleeing(position, unit)


def _holes_in(position: Position, unit: Unit, piece: TerrainPiece, centre_in: PointIn) -> Iterator[Action]:
    """Each weapon that takes holes out of a base, at one place of it."""
    rules, measured = rules_of(position), range_to(position.figure(unit.id), (centre_in,))
    for weapon in card(position, unit).weapons if piece.kind is TerrainKind.BUNKER else ():
        if rules.tables.weapons[weapon].holes:
            hole = disk(rules, "small", centre_in)
            yield replace(_at_piece(position, unit, weapon, "hole", piece, measured), template=hole)


def _sweeps(position: Position, unit: Unit) -> Iterator[Action]:
    its = card(position, unit)
    for piece in units.markers(position) if its.sweeps else ():
        measured = range_to(position.figure(unit.id), piece.outline_in)
        found = _at_piece(position, unit, its.weapons[0], "sweep", piece, measured)
        real = real_mine(position, piece.name)
        yield replace(found, title=f"Sweep {piece.name}", given={**found.given, **real})


def _at_piece(position: Position, unit: Unit, weapon: str, name: str, piece: TerrainPiece, measured: Range) -> Action:
    """The effect of a weapon on a terrain piece."""
    known = {"weapon": weapon, "distance_in": spoken_of(rules_of(position), measured)}
    title, error = f"{display_name(weapon)} at {piece.name}", _range_error(measured, piece.name)
    more = {"measured": error, "weapon": weapon, "piece": piece.name}
    return action_for(title, name, Context(position, (unit,)), known, **more)


def real_mine(position: Position, name: str) -> dict[str, bool]:
    """Whether a marker is a mine, where its side has said so."""
    said = position.state.statuses.get(f"real {name}")
    return {} if said is None else {"real": bool(said)}


def _lifts(position: Position, unit: Unit) -> Iterator[Action]:
    """Friends at the helicopter, and those aboard."""
    for mate in units.troopers(position, unit) if card(position, unit).carries else ():
        aboard = mate.statuses.get(statuses.RIDES) == unit.id
        if aboard or _beside(position, unit, mate):
            title, does = ("Set down", "unload") if aboard else ("Take up", "load")
            context = Context(position, (unit,), (mate,))
            yield action_for(f"{title} {display_name(mate.id)}", "carry", context, {"figures": 1, "does": does})


def _beside(position: Position, vehicle: Unit, man: Unit) -> bool:
    """Whether a man stands at a vehicle and rides in nothing."""
    there = man.id in position.figures and units.carrier(position, man) is None
    return there and position.view(vehicle.id, man.id).range.contact() is not Comparison.OUT


def _rides(position: Position, unit: Unit) -> Iterator[Action]:
    """Getting into a jeep, or out of the one that the unit rides in."""
    jeeps = units.able(position, unit.side) if card(position, unit).ML_by_jeep else ()
    for jeep in (one for one in jeeps if card(position, one).tows and one.id in position.figures):
        inside = units.carrier(position, unit) is jeep
        if inside or _beside(position, jeep, unit):
            title, does = ("Get out of", "unload") if inside else ("Get into", "load")
            context = Context(position, (unit,), (jeep,))
            yield action_for(f"{title} {display_name(jeep.id)}", "ride", context, {"does": does})


def _calls(position: Position, unit: Unit) -> Iterator[Action]:
    """A radio operator's call for each jet of the side that was not called yet."""
    for jet in units.of_side(position, unit.side) if card(position, unit).radio else ():
        if card(position, jet).called and not jet.out and statuses.CALLED_TURN not in jet.statuses:
            yield action_for(f"Call {display_name(jet.id)}", "call_jet", Context(position, (unit,), (jet,)))
