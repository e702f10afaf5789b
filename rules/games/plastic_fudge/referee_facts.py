"""Plastic Fudge: what the referee knows of a unit, from its card, its statuses and its place on the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from shapely.geometry import LineString, Point, Polygon

from rules.engine.ambiguity import in_sight, one_of
from rules.engine.position import Position, View, rules_with
from rules.engine.referee import UncertainFact
from rules.engine.state import State, Unit
from rules.engine.text import display_name
from rules.games.plastic_fudge.board import (
    PART,
    after_hole,
    bands_up,
    spoken_of,
    terrain_under,
    terrains_under,
)
from rules.games.plastic_fudge.combat import in_volley
from rules.games.plastic_fudge.fire import Contact, hand_to_hand
from rules.games.plastic_fudge.forces import Posed, basic_defense_level
from rules.games.plastic_fudge.tables import Card, Rules, Tables, special_of
from rules.tabletop.area import standing_on
from rules.tabletop.measure import Range
from rules.tabletop.path import Path, place_at, placed, spans_over
from rules.tabletop.table import Figure, PointIn, TerrainKind, TerrainPiece
from rules.tabletop.template import Template, fraction_inside, under
from rules.tabletop.tolerance import DOUBT_SIGMAS

FALLS, FELL_IN = "falls", "fell_in"
"""A unit that was killed by attacks at the same time, and still makes its own; the phase of this turn when it was."""
INJURIES = "under_fire"
"""Injuries by attacks at the same time, which count when all have been made."""
LOST, LOST_BEFORE = "injured", "lost_defense"
"""Levels of Defense that injuries took for good; older battles keep them under the second name."""
EXPLODES = "explodes"
ROUTED, FLEES, FLED, FLIGHTS = "routed", "flees", "flight_path", "flights"
"""Who has failed a check; who has yet to run, `AGAIN` where he had failed before; the path that he ran last; how
often he ran in this turn."""
AGAIN = "again"
STAYS = "stays"
"""Who ran and is still on the table."""
ROUTED_OFF = "fled_the_table"
PASSED, MUST_CHECK, CHECKED = "passed_by", "must_check", "checked"
"""The flights that were looked at, by unit and count; units whose flight makes one check; the phases when he did."""
ATTACKS_MADE, CARRIED, ATTACKED_BY_HAND = "attacks_made", "carried_this_turn", "attacked_hand_to_hand"
RIDES = "rides"
CALLED_TURN = "called_turn"
ON_MINES = "on_mines"
WINNER, SEAT_A, SEAT_B = "initiative", "A", "B"
DESTROYED = "destroyed"
"""What a base has left that fell."""
THIS_TURN = frozenset(
    {
        FELL_IN, FLEES, FLED, FLIGHTS, STAYS, PASSED, MUST_CHECK, CHECKED, ATTACKS_MADE, CARRIED, ATTACKED_BY_HAND,
        ON_MINES, WINNER, SEAT_A, SEAT_B,
    }
)  # fmt: skip
"""The statuses that the next turn forgets."""
FOUND, GONE = "found_active", frozenset({"deactivated", "gone"})


def mine_key(name: str) -> str:
    """The battle's status that holds what is known of a marker."""
    return f"mine {name}"


def base_key(name: str) -> str:
    """The battle's status that holds the Defense Level that a base has left."""
    return f"base {name}"


def base_left(state: State, name: str) -> Any:
    """What a base has left of its level; None where it was never hit. A part has at first what the whole had."""
    whole, part, _ = name.rpartition(PART)
    left = state.statuses.get(base_key(name))
    return base_left(state, whole) if left is None and part else left


def hole_key(name: str) -> str:
    """The battle's status that holds where a base has holes."""
    return f"holes in {name}"


def holes_in(state: State, name: str) -> list[list[float]]:
    """The middles of the holes in a base; battles of before they were kept have only their number."""
    told = state.statuses.get(hole_key(name), ())
    return [] if isinstance(told, int) else [list(place) for place in told]


def ground(rules: Rules, state: State, terrain: Iterable[TerrainPiece]) -> Iterator[TerrainPiece]:
    """The terrain as bazookas and shells have left it: holes in bases, and no base that is destroyed."""
    for piece in terrain:
        if base_left(state, piece.name) == DESTROYED:
            continue
        parts: tuple[TerrainPiece, ...] = (piece,)
        for x, y in holes_in(state, piece.name):
            parts = tuple(left for part in parts for left in after_hole(rules, part, (x, y)))
        for part in parts:
            yield from (part,) if part.name == piece.name else ground(rules, state, (part,))


def markers(position: Position) -> tuple[TerrainPiece, ...]:
    """The mine markers that still lie there."""
    laid = (piece for piece in position.terrain if piece.kind is TerrainKind.MINE)
    return tuple(piece for piece in laid if position.state.statuses.get(mine_key(piece.name)) not in GONE)


# A unit.


rules_of = rules_with(Tables)
"""The game's data at a moment."""


def card_name(unit: Unit) -> str:
    """The ready card of a unit; one of the players' own names the card that it alters as its `unit`."""
    return unit.card or str((unit.own or {}).get("unit", "basic"))


def card(position: Position, unit: Unit) -> Card:
    """The ready card itself."""
    return rules_of(position).tables.cards[card_name(unit)]


def altered(unit: Unit, *names: str) -> dict[str, Any]:
    """The attributes that a card of the players' own has other than its ready one."""
    return {name: (unit.own or {})[name] for name in names if name in (unit.own or {})}


def training(position: Position, unit: Unit) -> str:
    """A unit's Training Level."""
    return str(altered(unit, "TL").get("TL", card(position, unit).TL))


def full_defense(position: Position, unit: Unit) -> int:
    """A unit's Defense Level in its pose, before any injury."""
    poses, told = rules_of(position).tables.poses, unit.statuses.get("pose")
    seen = position.figures[unit.id].posture.value if unit.id in position.figures else ""
    pose = str(told or (seen if seen in poses else "standing"))
    found = basic_defense_level(
        rules_of(position), Posed(pose=pose, unit=card_name(unit), DL=altered(unit, "DL").get("DL"))
    )
    return int(found.numbers["DL"])


def lasting_defense(position: Position, unit: Unit) -> int:
    """What injuries have left of it, without those of attacks that are not all made."""
    return full_defense(position, unit) - injured(unit)


def injured(unit: Unit) -> int:
    """How many levels of Defense a unit has lost for good."""
    return int(unit.statuses.get(LOST, unit.statuses.get(LOST_BEFORE, 0)))


def defense(position: Position, unit: Unit) -> int:
    """The level on which a unit defends now."""
    return in_volley(rules_of(position), lasting_defense(position, unit), int(unit.statuses.get(INJURIES, 0)))


def falls(position: Position, unit: Unit) -> bool:
    """Whether a unit is destroyed; one that was struck in this phase counts to its end, as attacks are simultaneous."""
    fell_in = unit.this_turn.get(FELL_IN, unit.this_turn.get(FALLS))  # older battles keep both under one name
    return unit.out or (bool(unit.statuses.get(FALLS)) and fell_in != position.state.phase)


def able(position: Position, side: str) -> tuple[Unit, ...]:
    """A side's units that are neither out nor fallen."""
    return tuple(unit for unit in position.state.standing(side) if not falls(position, unit))


def of_side(position: Position, side: str) -> tuple[Unit, ...]:
    """All that a side began with."""
    return tuple(unit for unit in position.state.units.values() if unit.side == side)


def known_facing_deg(position: Position, unit: Unit) -> float | None:
    """Which way a unit faces: as it is seen, as the journal has it, or as the players said."""
    told = {**unit.statuses, **unit.this_turn}.get("facing_deg")
    known = (position.figure(unit.id).facing_deg, unit.facing_deg, told)
    return next((facing for facing in known if facing is not None), None)


def flight_of(runner: Unit) -> list[Any]:
    """A unit's last flight, told apart from its others in this turn."""
    return [runner.id, int(runner.this_turn.get(FLIGHTS, 0))]


# Facts of several questions.


def by_hand(position: Position, unit: Unit) -> dict[str, bool]:
    """Whether a unit is attacked hand to hand; left to be asked where that matters to it and an enemy is so near."""
    known = {**unit.statuses, **unit.this_turn}
    if ATTACKED_BY_HAND in known:
        return {ATTACKED_BY_HAND: bool(known[ATTACKED_BY_HAND])}
    special = special_of(rules_of(position), card_name(unit)) is not None
    return {} if special and _closed_with(position, unit) else {ATTACKED_BY_HAND: False}


def _closed_with(position: Position, unit: Unit) -> bool:
    """Whether an enemy is, or may be, near enough to attack hand to hand."""
    rules = rules_of(position)
    on_foot = (enemy for enemy in position.enemies(unit) if not card(position, enemy).flies)
    ranges = [position.view(enemy.id, unit.id).range for enemy in on_foot]
    least = [max(0.0, spoken_of(rules, one) - DOUBT_SIGMAS * one.sigma_in) for one in ranges]
    return any(not hand_to_hand(rules, Contact(distance_in=one)).numbers["ranged"] for one in least)


def request(position: Position, unit: Unit, weapon: str) -> dict[str, Any]:
    """What decides whether a unit may attack with a weapon at all."""
    named = {"weapon": weapon} if weapon else {}
    return {
        "unit": card_name(unit),
        **named,
        **altered(unit, "RL", "AL"),
        **by_hand(position, unit),
        "attacks_made_this_turn": int(unit.this_turn.get(ATTACKS_MADE, 0)),
        "carried_this_turn": bool(unit.this_turn.get(CARRIED)),
        "routed": bool(unit.statuses.get(ROUTED)),
        "destroyed": falls(position, unit),
        "aboard": carrier(position, unit) is not None,
        "phase": position.state.phase,
        "spotter_with_binoculars": bool(spotters(position, unit)),
    }


def spotters(position: Position, unit: Unit) -> tuple[Unit, ...]:
    """Those of a unit's side who have binoculars and may use them."""
    mates = able(position, unit.side)
    return tuple(
        mate
        for mate in mates
        if mate.id != unit.id
        and card(position, mate).binoculars
        and mate.id in position.figures
        and not mate.statuses.get(ROUTED)
    )


def at_target(position: Position, unit: Unit, enemy: Unit, view: View) -> dict[str, Any]:
    """What decides whether a target may be attacked."""
    seen = [position.view(spotter.id, enemy.id).exposure > 0 for spotter in spotters(position, unit)]
    return {
        "distance_in": spoken_of(rules_of(position), view.range),
        "los": view.exposure > 0,
        "spotter_sees_target": any(seen),
        "target_unit": card_name(enemy),
    }


def sight_of(position: Position, unit: Unit, view: View, views: Iterable[View], whom: str) -> tuple[UncertainFact, ...]:
    """The error of whether a unit, or a spotter for it, sees somebody; `views` are the spotters'."""
    best = max(views, key=lambda one: one.exposure, default=None)
    by_spotter = () if best is None else in_sight(best, f"whether a spotter sees {whom}", ("spotter_sees_target",))
    return (*in_sight(view, f"whether {display_name(unit.id)} sees {whom}"), *by_spotter)


def cover_of(position: Position, figure: Figure, target: Figure) -> tuple[UncertainFact, ...]:
    """The error of what a target stands in or behind, seen from a figure."""
    found = terrains_under(rules_of(position), target, position.terrain, figure.centre_in)
    return one_of(found, target.sigma_in, f"what {display_name(target.id)} stands in", ("terrain",))


def how_far(measured: Range, enemy: str) -> tuple[UncertainFact, ...]:
    """The error of a distance; bases that touch are in contact whatever it is."""
    sigma_in = measured.sigma_in if measured.edge_in > 0 else 0.0
    return (UncertainFact(("distance_in",), sigma_in, f"the range to {enemy}"),)


def stance(position: Position, figure: Figure, target: Figure) -> dict[str, Any]:
    """How a target stands, seen from a figure."""
    rules = rules_of(position)
    return {
        "terrain": terrain_under(rules, target, position.terrain, figure.centre_in),
        "height_difference_bands": bands_up(rules, figure, target),
    }


def carrier(position: Position, unit: Unit) -> Unit | None:
    """What a unit rides in, while that has not fallen."""
    around = position.state.units.get(str(unit.statuses.get(RIDES)))
    return around if around is not None and not falls(position, around) else None


def occupants(position: Position, vehicle: Unit) -> list[dict[str, Any]]:
    """Who is inside."""
    men = [unit for unit in position.state.units.values() if unit.statuses.get(RIDES) == vehicle.id]
    return [{"id": man.id, "DL": defense(position, man)} for man in men if not falls(position, man)]


# Templates.


def caught(
    position: Position,
    template: Template,
    by: Figure,
    spare: Iterable[str] = (),
    sigma_in: float = 0.0,
    *,
    there: bool = False,
) -> tuple[list[dict[str, Any]], tuple[UncertainFact, ...]]:
    """Everybody and every base under a template, and the errors of their shares; occupants count with their vehicle.

    Args:
        by: Who lays it; from his height it is attacked.
        spare: Who is not asked for.
        sigma_in: One standard deviation of the template's own place.
        there: Whether he himself counts where `by` has him, not where he stands by now.
    """
    spared = set(spare)
    targets: list[dict[str, Any]] = []
    measured: list[UncertainFact] = []
    now = {**position.figures, by.id: by} if there else position.figures
    figures = {name: one for name, one in now.items() if name not in spared and not _gone(position, name)}
    for hit in under(template, figures.values(), sigma_in):
        unit = position.unit(hit.id)
        part, sigma = f"how far {display_name(hit.id)} is in", (hit.most - hit.least) / 4
        measured.append(UncertainFact(("targets", len(targets), "fraction"), sigma, part, 0, 1))
        flying = {"attacker_flies": _flies(position, by.id), "target_flies": card(position, unit).flies}
        known = {"id": hit.id, "DL": defense(position, unit), "fraction": hit.fraction, "target_unit": card_name(unit)}
        men = {"occupants": inside} if (inside := occupants(position, unit)) else {}
        targets.append({**known, **flying, **men, **stance(position, by, figures[hit.id])})
    return targets + _bases(position, template), tuple(one for one in measured if one.sigma > 0)


def _gone(position: Position, name: str) -> bool:
    """Whether a template never strikes a figure itself: it is no unit, is out, or rides in what is struck."""
    unit = position.state.units.get(name)
    return unit is None or unit.out or carrier(position, unit) is not None


def _flies(position: Position, name: str) -> bool:
    return name in position.state.units and card(position, position.unit(name)).flies


def _bases(position: Position, template: Template) -> list[dict[str, Any]]:
    """The bases under a template; one that was hit before has what is left of its level."""
    found: list[dict[str, Any]] = []
    for piece in position.terrain:
        fraction = fraction_inside(template, piece.outline_in) if piece.kind is TerrainKind.BUNKER else 0.0
        left = base_left(position.state, piece.name)
        if fraction > 0:
            found.append({"id": piece.name, "fraction": fraction} | ({} if left is None else {"DL": left}))
    return found


def mines_on(position: Position, name: str, path: Path) -> list[tuple[str, bool, PointIn]]:
    """The markers that a path leads over, whether it ends on them, and where it comes nearest to their middles."""
    figure, found = position.figure(name), []
    for piece in markers(position):
        if spans_over(figure, path, piece.outline_in):
            ends = standing_on(placed(figure, path[-1]), [piece])
            found.append((piece.name, any(share.piece for share in ends), nearest_on(path, middle(piece))))
    return found


def nearest_on(path: Path, place_in: PointIn) -> PointIn:
    """The place of a path that is nearest to another."""
    if len(set(path)) == 1:
        return path[0]
    return place_at(path, LineString(path).project(Point(place_in)))


def middle(piece: TerrainPiece) -> PointIn:
    """The middle of a piece's outline."""
    spot = Polygon(piece.outline_in).centroid
    return spot.x, spot.y
