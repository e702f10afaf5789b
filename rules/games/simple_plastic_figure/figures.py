"""Simple Plastic Figure: facts of a figure for the referee: its card, pose, place and past actions."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Mapping

from rules.engine.facts import Uncertain
from rules.engine.position import Position, rules_with
from rules.engine.state import State, Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, forbidden
from rules.engine.without_dice import refusal_of
from rules.games.simple_plastic_figure import statuses
from rules.games.simple_plastic_figure.cover import holder, place_kind
from rules.games.simple_plastic_figure.tables import Phase, Rules, Tables, Weapon
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, Outline, TerrainPiece

rules_of = rules_with(Tables)
"""The game's data at a moment."""


# A figure.


def role(position: Position, unit: Unit) -> str:
    """The help that it can give others."""
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
    """Its pose: the players' answer or its own card, otherwise as seen, otherwise the default."""
    poses, said = rules_of(position).tables.poses, unit.statuses.get("pose") or (unit.own or {}).get("pose")
    seen = position.figures[unit.id].posture.value if unit.id in position.figures else ""
    return str(said or (seen if seen in poses else position.kind(unit).get("pose", "standing")))


def ground(_: Rules, state: State, terrain: Iterable[TerrainPiece]) -> tuple[TerrainPiece, ...]:
    """The pieces that still stand."""
    gone = state.statuses.get(statuses.GONE, ())
    return tuple(piece for piece in terrain if piece.name not in gone)


def held_in(position: Position, name: str) -> TerrainPiece | None:
    """The house, bunker or trench that a figure is inside of."""
    return holder(rules_of(position), position.figure(name), position.terrain)


def place_of(position: Position, piece: TerrainPiece | None) -> str:
    """The kind of place that a piece is; the players answer if it is ambiguous, such as a ditch or a trench."""
    if piece is None:
        return "open"
    said = position.state.statuses.get(f"{piece.name} is")
    known = rules_of(position).tables.places
    return str(said if said in known else place_kind(rules_of(position), piece.kind) or "open")


def place(position: Position, name: str) -> str:
    """The terrain that contains a figure."""
    return place_of(position, held_in(position, name))


def inside(position: Position, piece: TerrainPiece, units: Iterable[Unit]) -> tuple[Unit, ...]:
    """Those of the figures that are in a house, bunker or trench."""
    found = ((one, held_in(position, one.id)) for one in units if one.id in position.figures)
    return tuple(one for one, there in found if there is not None and there.name == piece.name)


def on_table(position: Position, side: str) -> list[Unit]:
    """The figures of a side that are on the table and not eliminated."""
    return [unit for unit in position.state.standing(side) if unit.id in position.figures]


def friends(position: Position, unit: Unit) -> list[Unit]:
    """The others of its side on the table."""
    return [mate for mate in on_table(position, unit.side) if mate.id != unit.id]


# What it may do.


def named(unit: Unit, weapon: str) -> list[str]:
    """The targets that are named for its shots with a weapon so far."""
    chosen = unit.this_turn.get(statuses.NAMED)
    return [str(one) for one in chosen[1]] if chosen and chosen[0] == weapon else []


def phase(position: Position) -> Phase | None:
    """The part of the turn; None before the first."""
    return rules_of(position).tables.phases.get(position.state.phase)


def owed(position: Position) -> str:
    """The action that must be finished before any other; empty if there is none."""
    now = position.state.this_turn
    if now.get(statuses.FALLING) or now.get(statuses.LANDED):
        return "a shell is still to come down"
    must = next((one.id for one in position.state.units.values() if fighting(position, one)), None)
    return f"{display_name(must)} must fight first" if must else ""


def fighting(position: Position, unit: Unit) -> list[Unit]:
    """The enemies that a figure must still fight after its move."""
    met = () if unit.out else unit.this_turn.get(statuses.FIGHTS, {}).get("with", ())
    return [one for one in map(position.unit, met) if not one.out]


def waits(position: Position, unit: Unit) -> Verdict | None:
    """The reason that forbids all actions of a figure now; None if it may act."""
    rules, now = rules_of(position), phase(position)
    if unit.out:
        return forbidden("eliminated", rules.because("WW-63", f"{display_name(unit.id)} is eliminated"))
    if now is None or not now.acts:
        text = now.text if now else "nothing has begun"
        return forbidden("wrong_phase", rules.because("WW-08", f"figures act after their status checks; now {text}"))
    if position.state.side != unit.side:
        text = f"it is the half of {display_name(position.state.side)}"
        return forbidden("not_your_half", rules.because("WW-08", text))
    if waiting := owed(position):
        return forbidden("finish_first", rules.because("WW-11", waiting))
    if statuses.STATUS_DIE not in unit.this_turn:
        return forbidden("not_checked", rules.because("WW-09", "its status check comes first"))
    return None


def bar(position: Position, unit: Unit, doing: str, weapon: str = "") -> Verdict | None:
    """The reason that forbids this action now; None if it is allowed. Remaining shots belong to one weapon."""
    if waiting := waits(position, unit):
        return waiting
    going_on = doing == "fire" and weapon in unit.this_turn.get(statuses.SHOTS_LEFT, ())
    asked = {
        "who": role(position, unit),
        "actions": [*([] if going_on else statuses.done(unit)), doing],
        "status_die": statuses.status_die(unit),
        "binoculars": bool(position.kind(unit).get("binoculars")),
        "radioman_armed": bool(weapons(position, unit)),
    }
    return refusal_of(position.game, "command_actions", asked)


def own_edge_deg(position: Position, side: str) -> float:
    """A side's board edge: the players' answer, otherwise near for the first side and far for the other."""
    sides = position.state.sides
    usual = -90.0 if sides and side == sides[0] else 90.0
    return float(position.state.statuses.get(f"edge_of_{side}", usual))


def to_edge_in(position: Position, figure: Figure, edge_deg: float) -> float:
    """How far a base is from the table's edge in a direction."""
    way = cmath.rect(1, math.radians(edge_deg))

    def reach_in(outline: Outline) -> float:
        return max(x_in * way.real + y_in * way.imag for x_in, y_in in outline)

    return max(0.0, reach_in(position.state.area_in) - reach_in(figure.base_in))


def leading(position: Position, unit: Unit) -> list[Unit]:
    """The friends that lead in this turn."""
    return [one for one in friends(position, unit) if "lead" in statuses.done(one)]


def gap(position: Position, one: Unit, other: Unit, note: str = "") -> Uncertain:
    """The gap between two figures; `note` follows the first name in the description of the range."""
    measured = position.measure(position.figure(one.id), position.figure(other.id))
    what = f"the range from {display_name(one.id)}{note} to {display_name(other.id)}"
    return Uncertain(round(measured.edge_in, 2), measured.sigma_in, what)
