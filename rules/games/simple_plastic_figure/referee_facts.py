"""Simple Plastic Figure: what the referee knows of a figure: its card, its pose, its place, and what it has done."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Mapping
from typing import Any

from shapely.geometry import Point, Polygon

from rules.engine.position import Position, View, rules_with
from rules.engine.referee import UncertainFact, verdict_without_dice
from rules.engine.state import State, Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, forbidden
from rules.games.simple_plastic_figure.board import holder, near, place_kind, terrain_names
from rules.games.simple_plastic_figure.cover import Piece, exposure
from rules.games.simple_plastic_figure.statuses import (
    DIRECTED_BY,
    FALLING,
    FIGHTS,
    GONE,
    LANDED,
    NAMED,
    SHOTS_LEFT,
    STATUS_DIE,
    done,
    status_die,
)
from rules.games.simple_plastic_figure.tables import Enemies, Phase, Rules, Tables, Weapon
from rules.tabletop.errors import UserError
from rules.tabletop.measure import range_to
from rules.tabletop.sight import SLIVER, exposures
from rules.tabletop.table import Figure, Outline, PointIn, Posture, TerrainPiece, ellipse_outline
from rules.tabletop.tolerance import DOUBT_SIGMAS, Comparison

rules_of = rules_with(Tables)
"""The game's data at a moment."""


# A figure.


def role(position: Position, unit: Unit) -> str:
    """What it can do for others."""
    return str(position.kind(unit).get("role", "figure"))


def is_reserve(position: Position, unit: Unit) -> bool:
    """Whether it is in no fighting pose."""
    return bool(position.kind(unit).get("reserve"))


def weapons(position: Position, unit: Unit) -> Mapping[str, Weapon]:
    """The weapons that it shows.

    Raises:
        UserError: if its own card names one that the game does not have.
    """
    rows, names = rules_of(position).tables.weapons, position.kind(unit).get("weapons", ())
    strange = [name for name in names if name not in rows]
    if strange:
        raise UserError(f"{unit.id} carries the unknown weapon {strange[0]!r}: choose one of {', '.join(rows)}")
    return {name: rows[name] for name in names}


def pose(position: Position, unit: Unit) -> str:
    """How it is modelled: as the players or its own card say, else as it is seen, else as such figures usually are."""
    poses, told = rules_of(position).tables.poses, unit.statuses.get("pose") or (unit.own or {}).get("pose")
    seen = position.figures[unit.id].posture.value if unit.id in position.figures else ""
    return str(told or (seen if seen in poses else position.kind(unit).get("pose", "standing")))


def ground(_: Rules, state: State, terrain: Iterable[TerrainPiece]) -> tuple[TerrainPiece, ...]:
    """The pieces that still stand."""
    gone = state.statuses.get(GONE, ())
    return tuple(piece for piece in terrain if piece.name not in gone)


def held_in(position: Position, name: str) -> TerrainPiece | None:
    """The house, bunker or trench that a figure is inside of."""
    return holder(rules_of(position), position.figure(name), position.terrain)


def place_of(position: Position, piece: TerrainPiece | None) -> str:
    """The place that a piece is, told by the players where a kind may be several, as a ditch is a trench to the eye."""
    if piece is None:
        return "open"
    told = position.state.statuses.get(f"{piece.name} is")
    known = rules_of(position).tables.places
    return str(told if told in known else place_kind(rules_of(position), piece.kind) or "open")


def place(position: Position, name: str) -> str:
    """What a figure is in."""
    return place_of(position, held_in(position, name))


def inside(position: Position, piece: TerrainPiece, units: Iterable[Unit]) -> tuple[Unit, ...]:
    """Those of the figures who are in a house, bunker or trench."""
    found = ((one, held_in(position, one.id)) for one in units if one.id in position.figures)
    return tuple(one for one, there in found if there is not None and there.name == piece.name)


def at_piece(position: Position, piece: TerrainPiece, units: Iterable[Unit]) -> tuple[Unit, ...]:
    """Those of the figures whose middle is in a piece of terrain or on it."""
    area = Polygon(piece.outline_in)
    there = (one for one in units if one.id in position.figures)
    return tuple(one for one in there if area.covers(Point(position.figure(one.id).centre_in)))


def friends(position: Position, unit: Unit) -> tuple[Unit, ...]:
    """The others of its side on the table."""
    mates = position.state.standing(unit.side)
    return tuple(mate for mate in mates if mate.id != unit.id and mate.id in position.figures)


# What it may do.


def named(unit: Unit, weapon: str) -> list[str]:
    """The targets that are named for its shots with a weapon so far."""
    told = unit.this_turn.get(NAMED)
    return [str(one) for one in told[1]] if told and told[0] == weapon else []


def phase(position: Position) -> Phase | None:
    """The part of the turn; None before the first."""
    return rules_of(position).tables.phases.get(position.state.phase)


def owed(position: Position) -> str:
    """What must be finished before anybody does anything else; empty where nothing must."""
    now = position.state.this_turn
    if now.get(FALLING) or now.get(LANDED):
        return "a shell is still to come down"
    must = next((one.id for one in position.state.units.values() if fighting(position, one)), None)
    return f"{display_name(must)} must fight first" if must else ""


def fighting(position: Position, unit: Unit) -> list[Unit]:
    """The enemies whom a figure must still fight after its move."""
    met = () if unit.out else unit.this_turn.get(FIGHTS, {}).get("with", ())
    return [one for one in map(position.unit, met) if not one.out]


def waits(position: Position, unit: Unit) -> Verdict | None:
    """Why a figure may do nothing now, whatever it may do otherwise; None where it may act."""
    rules, now = rules_of(position), phase(position)
    if unit.out:
        return forbidden("eliminated", rules.because("WW-63", f"{display_name(unit.id)} is eliminated"))
    if now is None or not now.acts:
        told = now.text if now else "nothing has begun"
        return forbidden("wrong_phase", rules.because("WW-08", f"figures act after their status checks; now {told}"))
    if position.state.side != unit.side:
        return forbidden(
            "not_your_half", rules.because("WW-08", f"it is the half of {display_name(position.state.side)}")
        )
    if waiting := owed(position):
        return forbidden("finish_first", rules.because("WW-11", waiting))
    if STATUS_DIE not in unit.this_turn:
        return forbidden("not_checked", rules.because("WW-09", "its status check comes first"))
    return None


def bar(position: Position, unit: Unit, doing: str, weapon: str = "") -> Verdict | None:
    """Why a figure may not do this now; None where it may. Shots that are left are left to the one weapon."""
    if waiting := waits(position, unit):
        return waiting
    going_on = doing == "fire" and weapon in unit.this_turn.get(SHOTS_LEFT, ())
    asked = {
        "who": role(position, unit),
        "actions": [*([] if going_on else done(unit)), doing],
        "status_die": status_die(unit),
        "binoculars": bool(position.kind(unit).get("binoculars")),
        "radioman_armed": bool(weapons(position, unit)),
    }
    found = verdict_without_dice(position.game, "command_actions", asked)
    return None if found is None or found.allowed else found


def helped(
    position: Position, unit: Unit, weapon: str = "", spot: View | None = None, at: str | PointIn = ""
) -> dict[str, Any]:
    """Who leads and directs it: at an enemy or a bare place, or by where its leaders stand alone."""
    leaders = leading(position, unit)
    facts: dict[str, Any] = {"leader_distances_in": [_gap_in(position, unit, one) for one in leaders]}
    for observer, means in unit.this_turn.get(DIRECTED_BY, {}).items():
        if spot is not None and _directs(position, str(observer), str(means), weapon, spot, at):
            facts[f"directed_by_{means}"] = True
    return facts


def to_edge_in(position: Position, figure: Figure, edge_deg: float) -> float:
    """How far a base is from the table's edge in a direction."""
    way = cmath.rect(1, math.radians(edge_deg))

    def reach_in(outline: Outline) -> float:
        return max(x_in * way.real + y_in * way.imag for x_in, y_in in outline)

    return max(0.0, reach_in(position.state.area_in) - reach_in(figure.base_in))


def leading(position: Position, unit: Unit) -> list[Unit]:
    """The friends who lead in this turn."""
    return [one for one in friends(position, unit) if "lead" in done(one)]


def leader_errors(position: Position, unit: Unit) -> tuple[UncertainFact, ...]:
    """The errors of how far they are."""
    found = []
    for place_, one in enumerate(leading(position, unit)):
        sigma_in = position.measure(position.figure(one.id), position.figure(unit.id)).sigma_in
        what = f"the range from {display_name(one.id)} who leads to {display_name(unit.id)}"
        found.append(UncertainFact(("leader_distances_in", place_), sigma_in, what))
    return tuple(one for one in found if one.sigma > 0)


def _gap_in(position: Position, one: Unit, other: Unit) -> float:
    return round(position.measure(position.figure(one.id), position.figure(other.id)).edge_in, 2)


def _directs(position: Position, observer: str, means: str, weapon: str, spot: View, at: str | PointIn) -> bool:
    """Whether somebody who said that he directs this figure's fire does so at this target."""
    if observer not in position.figures:
        return False
    view = position.view(observer, at) if isinstance(at, str) else position.view_of_spot(observer, at)
    sees = {"observer_sees_target": view.exposure >= SLIVER, "weapon": weapon}
    if means == "radio":
        asked = {"mode": "direct_onboard", "onboard_mortar_or_gun": True}
        found = verdict_without_dice(
            position.game, "radio", {**asked, **sees, "distance_to_target_in": round(view.range.edge_in, 2)}
        )
    else:
        asked = {"distance_to_directed_figure_in": 0, "weapon_to_target_in": round(spot.range.edge_in, 2)}
        found = verdict_without_dice(position.game, "direct_fire_binoculars", {**asked, **sees})
    return found is not None and found.allowed


# What is between a firer and a target.


def terrain_name(position: Position, piece: TerrainPiece) -> str | None:
    """What a piece is in the rulebook's words, as the players say or as such a piece usually is."""
    names = terrain_names(rules_of(position), piece.kind)
    told = position.state.statuses.get(f"{piece.name} is")
    return str(told) if told in names else next(iter(names), None)


def pieces(position: Position, target: Figure, hidden_by: Iterable[tuple[TerrainPiece, float]]) -> list[dict[str, Any]]:
    """What hides some of a target, and what else it touches, where that is anything to a shot."""
    found = []
    hiding = {piece.name: part for piece, part in hidden_by}
    for piece in position.terrain:
        name, part = terrain_name(position, piece), hiding.get(piece.name)
        touching = name is not None and _touches(target, piece)
        if name is not None and (part is not None or touching):
            crossed = {"fraction_behind": round(part or 0.0, 2), "line_passes_terrain": part is not None}
            found.append({"terrain": name, **crossed, "touching": touching})
    return found


def _touches(figure: Figure, piece: TerrainPiece) -> bool:
    """Whether a figure is on or beside a piece, or may be."""
    if not near(figure, piece, DOUBT_SIGMAS * figure.sigma_in):
        return False
    return range_to(figure, piece.outline_in).contact() is not Comparison.OUT


Names = frozenset[str]


def beside(position: Position, unit: Unit) -> Names:
    """The pieces that a lying figure touches and so fires past; nobody fires past a house."""
    if not rules_of(position).tables.poses[pose(position, unit)].lying:
        return frozenset()
    figure, places = position.figure(unit.id), rules_of(position).tables.places
    low = (piece for piece in position.terrain if places[place_of(position, piece)].enemies is Enemies.NONE)
    held = held_in(position, unit.id)
    touched = (piece for piece in low if terrain_name(position, piece) and _touches(figure, piece))
    return frozenset(piece.name for piece in touched if held is None or piece.name != held.name)


def edges(position: Position, unit: Unit, *, at_opening: bool) -> Names:
    """The pieces that a figure fires past: those that it lies beside, and its shelter where it is at an opening."""
    shelter = held_in(position, unit.id) if at_opening else None
    return beside(position, unit) | ({shelter.name} if shelter else set())


def shows(position: Position, of: str, at: str, past: Names = frozenset()) -> float:
    """The part of the figure `at` at which the figure `of` can fire, past all that stands between them.

    Args:
        position: The position.
        of, at: The two.
        past: The pieces at whose edges they are, which are no hindrance; for one that he lies beside is seen to here.
    """
    view = position.view(of, at)
    if past.isdisjoint(piece.name for piece, _ in view.hidden_by):
        return round(_shown(position, at, view.exposure_to_fire, view.hidden_by), 2)
    rest = tuple(piece for piece in position.terrain if piece.name not in past)
    seen = exposures([position.figure(of), position.figure(at)], rest, position.sight)
    own = beside(position, position.unit(at))
    hidden_by = [(piece, part) for piece, part in view.hidden_by if piece.name not in past or piece.name in own]
    return round(_shown(position, at, float(seen.exposure_to_fire[0, 1]), hidden_by, own), 2)


def _shown(
    position: Position,
    name: str,
    part: float,
    hidden_by: Iterable[tuple[TerrainPiece, float]],
    own: Names = frozenset(),
) -> float:
    """What is left to be fired at of a figure."""
    parts, rules, stands = [part], rules_of(position), pose(position, position.unit(name))
    for piece, behind in hidden_by:
        kind = terrain_name(position, piece)
        if kind is not None:
            found = Piece(terrain=kind, fraction_behind=behind, line_passes_terrain=True, touching=piece.name in own)
            parts.append(exposure(rules, stands, found))
    return min(parts)


def open_to_spot(position: Position, name: str, spot_in: PointIn, past: Names = frozenset()) -> tuple[float, float]:
    """The part of a bare place at which a figure can fire, and that of him which shows from there."""
    there = [position.figure(name), position.spot(spot_in)]
    seen = exposures(there, position.terrain, position.sight)
    rest = exposures(there, tuple(one for one in position.terrain if one.name not in past), position.sight)
    pieces_ = {piece.name: piece for piece in position.terrain}
    own = beside(position, position.unit(name))
    hidden_by = [(pieces_[one], part) for one, part in seen.hidden_by(1, 0) if one not in past or one in own]
    shows_ = _shown(position, name, float(rest.exposure_to_fire[1, 0]), hidden_by, own)
    return round(float(rest.exposure_to_fire[0, 1]), 2), round(shows_, 2)


# Around a burst.

_EYE_IN = 0.05
"""A burst looks about from a point; no base is smaller than this."""
_UPON_IN = 0.75
"""Nothing stands between a burst and a figure whose middle is this near."""


def caught(
    position: Position,
    spot: PointIn,
    reach_in: float,
    spot_in: TerrainPiece | None,
    firer: Unit,
    sigma_in: float = 0.0,
    on_board: bool = True,
) -> tuple[list[dict[str, Any]], tuple[UncertainFact, ...]]:
    """Everybody whom a burst may catch, friend or foe, and the errors of how near they are.

    Args:
        spot: Where it bursts.
        reach_in: No farther than this anybody is caught.
        spot_in: The shelter that the spot is in; who is in another one is safe.
        firer: The figure that fired, or that called for it.
        sigma_in: One standard deviation of the spot along one axis.
        on_board: Whether it is fired from where that figure stands.
    """
    near = _near(position, spot, reach_in, spot_in, sigma_in)
    hidden = _hidden_from(position, spot, [one for one, _ in near])
    facts, measured = [], []
    for place_, (one, gap_in) in enumerate(near):
        unit, held = position.unit(one.id), held_in(position, one.id)
        known = {
            "id": one.id,
            "side": unit.side,
            "near_edge_in": round(gap_in, 2),
            "far_edge_in": round(max(_apart(spot, corner) for corner in one.base_in), 2),
            "inside": held is not None,
            "pose": pose(position, unit),
            "place": place_of(position, held),
            "terrain": pieces(position, one, hidden.get(one.id, ())),
        }
        if on_board and firer.id != one.id:
            view = position.view(firer.id, one.id)
            known["firer_distance_in"] = round(view.range.edge_in, 2)
            known["terrain_from_firer"] = pieces(position, one, view.hidden_by)
        facts.append(known)
        sigma = (one.sigma_in**2 + sigma_in**2) ** 0.5
        what = f"how near the burst of {display_name(firer.id)} is to {display_name(one.id)}"
        measured.append(UncertainFact(("figures", place_, "near_edge_in"), sigma, what))
    return facts, tuple(one for one in measured if one.sigma > 0)


def _apart(a: PointIn, b: PointIn) -> float:
    return float(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5)


def _near(
    position: Position, spot: PointIn, reach_in: float, spot_in: TerrainPiece | None, sigma_in: float
) -> list[tuple[Figure, float]]:
    found = []
    for name, one in position.figures.items():
        if name not in position.state.units or position.unit(name).out:
            continue
        gap_in = range_to(one, (spot,)).edge_in
        held = held_in(position, name)
        same = spot_in is not None and held is not None and held.name == spot_in.name
        if same or (held is None and gap_in <= reach_in + DOUBT_SIGMAS * (one.sigma_in + sigma_in)):
            found.append((one, gap_in))
    return sorted(found, key=lambda pair: (pair[1], pair[0].id))


def _hidden_from(
    position: Position, spot: PointIn, figures: list[Figure]
) -> Mapping[str, tuple[tuple[TerrainPiece, float], ...]]:
    """What hides each figure from a burst."""
    others = [one for one in figures if _apart(spot, one.centre_in) > _UPON_IN]
    standing = {piece.name: piece for piece in position.terrain}
    if not others or not standing:
        return {}
    ground_in = min(one.z_in for one in others)
    eye = Figure("", "", *spot, ground_in, 0.0, Posture.PRONE, ellipse_outline(spot, _EYE_IN, _EYE_IN))
    seen = exposures([eye, *others], tuple(standing.values()), position.sight)
    found = {}
    for column, one in enumerate(others, 1):
        found[one.id] = tuple((standing[name], part) for name, part in seen.hidden_by(0, column))
    return found
