"""Plastic Fudge: facts of a unit from its card, statuses and place, and the reasons why it cannot act."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Annotated, Any

from shapely.geometry import LineString, Point, Polygon

from rules.engine.events import plain
from rules.engine.facts import PHASE, UNKNOWN, Context, Source, of_actor, status
from rules.engine.position import Position, rules_with
from rules.engine.ruleset import Bar
from rules.engine.schema import Asked, Record
from rules.engine.state import State, Unit
from rules.engine.text import display_name
from rules.engine.verdict import Reason
from rules.games.plastic_fudge import statuses
from rules.games.plastic_fudge.combat import in_volley
from rules.games.plastic_fudge.forces import basic_defense_level, counted
from rules.games.plastic_fudge.tables import Card, Rules, Tables, UnitName, special_of
from rules.tabletop.errors import user_error
from rules.tabletop.measure import Range, standing_on
from rules.tabletop.path import Path, place_at, placed, spans_over
from rules.tabletop.table import PointIn, TerrainKind, TerrainPiece
from rules.tabletop.tolerance import DOUBT_SIGMAS, within

rules_of = rules_with(Tables)
"""The game's data at a moment."""

# Its card.

PER_WEAPON = ("RL", "AL")
"""Attributes with a level for each weapon."""


_CHANGEABLE = {"rule", "title", "note", "printed_cost", "ML", *PER_WEAPON, "DL", "TL"}
_IDENTIFYING = {one.name for one in fields(Card)} - _CHANGEABLE
"""The keys that identify a ready card: a card of the players' own cannot change their values."""


def card_name(position: Position, unit: Unit) -> str:
    """The ready card of a unit; for one of the players' own, its `unit` or the first that has its values.

    Raises:
        UserError: if a card of the players' own is like no ready one.
    """
    if unit.card or not unit.own:
        return unit.card or "basic"
    said = {key: value for key, value in unit.own.items() if key in _IDENTIFYING}
    ready = rules_of(position).tables.cards
    names = [unit.own["unit"]] if "unit" in unit.own else ["basic", *ready]
    alike = (name for name in names if all(plain(getattr(ready[name], key, None)) == said[key] for key in said))
    if (found := next(alike, None)) is None:
        raise user_error(
            "the card of {figure} is like no ready one in {keys}: let it name as its unit the card that it alters",
            figure=display_name(unit.id),
            keys=", ".join(sorted(said)),
        )
    return found


def card(position: Position, unit: Unit) -> Card:
    """The ready card itself."""
    return rules_of(position).tables.cards[card_name(position, unit)]


def training(position: Position, unit: Unit) -> str:
    """A unit's Training Level."""
    return str((unit.own or {}).get("TL", card(position, unit).TL))


def full_defense(position: Position, unit: Unit) -> int:
    """A unit's Defense Level in its pose, before any injury."""
    poses, chosen = rules_of(position).tables.poses, unit.statuses.get("pose")
    seen = position.figures[unit.id].posture.value if unit.id in position.figures else ""
    pose = str(chosen or (seen if seen in poses else "standing"))
    own = (unit.own or {}).get("DL")
    return int(basic_defense_level(rules_of(position), pose=pose, unit=card_name(position, unit), DL=own).numbers["DL"])


def lasting_defense(position: Position, unit: Unit) -> int:
    """Its level after injuries, except those of attacks still in progress."""
    return full_defense(position, unit) - injured(unit)


def defense(position: Position, unit: Unit) -> int:
    """The level on which a unit defends now."""
    injuries = int(unit.statuses.get(statuses.INJURIES, 0))
    return in_volley(rules_of(position), lasting_defense(position, unit), injuries)


# Its statuses.


def injured(unit: Unit) -> int:
    """How many levels of Defense a unit has lost for good."""
    return int(unit.statuses.get(statuses.LOST, unit.statuses.get(statuses.LOST_BEFORE, 0)))


def attacks_made(_: Position, unit: Unit) -> int:
    """How often a unit attacked in this turn."""
    return int(unit.this_turn.get(statuses.ATTACKS_MADE, 0))


def is_destroyed(position: Position, unit: Unit) -> bool:
    """Whether a unit is destroyed; attacks are simultaneous, so one struck in this phase counts to its end."""
    falls = statuses.FALLS
    fell_in = unit.this_turn.get(statuses.FELL_IN, unit.this_turn.get(falls))  # older battles keep both under one name
    return unit.out or (bool(unit.statuses.get(falls)) and fell_in != position.state.phase)


def flight_of(runner: Unit) -> list[Any]:
    """A unit's last flight: its id, and how often it ran in this turn."""
    return [runner.id, int(runner.this_turn.get(statuses.FLIGHTS, 0))]


def known_facing_deg(position: Position, unit: Unit) -> Any:
    """The facing of a unit: measured, from the journal, or the players' answer."""
    said = {**unit.statuses, **unit.this_turn}.get("facing_deg")
    known = (position.figure(unit.id).facing_deg, unit.facing_deg, said)
    return next((facing for facing in known if facing is not None), UNKNOWN)


# Units round it.


def able(position: Position, side: str) -> tuple[Unit, ...]:
    """A side's units that are neither out nor destroyed."""
    return tuple(unit for unit in position.state.standing(side) if not is_destroyed(position, unit))


def of_side(position: Position, side: str) -> tuple[Unit, ...]:
    """All that a side began with."""
    return tuple(unit for unit in position.state.units.values() if unit.side == side)


def troopers(position: Position, vehicle: Unit) -> list[Unit]:
    """The troopers of a vehicle's side."""
    mates = able(position, vehicle.side)
    return [mate for mate in mates if mate.id != vehicle.id and card(position, mate).kind == "trooper"]


def count_aboard(position: Position, vehicle: Unit) -> int:
    """How many troopers of its side are inside a vehicle."""
    return sum(man.statuses.get(statuses.RIDES) == vehicle.id for man in troopers(position, vehicle))


def met(position: Position, unit: Unit, fate: str) -> bool:
    """Whether a unit met a fate, such as destroyed or routed; one that fled the table is not destroyed."""
    lost, off = is_destroyed(position, unit), bool(unit.statuses.get(statuses.ROUTED_OFF))
    routed = bool(unit.statuses.get(statuses.ROUTED)) and not lost
    return {"units": True, "destroyed": lost and not off, "routed": routed, "routed_off": off}[fate]


def is_lost(position: Position, side: str, role: str) -> bool:
    """Whether a side's Commander, or its radioman, was destroyed."""
    men = [unit for unit in of_side(position, side) if getattr(card(position, unit), role)]
    return any(met(position, man, "destroyed") for man in men)


def count_troops(position: Position, units: Iterable[Unit]) -> int:
    """How many of these count in the shares of the destroyed and the routed."""
    return counted(rules_of(position), [card_name(position, unit) for unit in units])


def spotters(position: Position, unit: Unit) -> tuple[Unit, ...]:
    """The other units of a unit's side that have binoculars and may use them."""
    mates = [mate for mate in able(position, unit.side) if mate.id != unit.id and mate.id in position.figures]
    return tuple(mate for mate in mates if card(position, mate).binoculars and not mate.statuses.get(statuses.ROUTED))


def riders(position: Position, vehicle: Unit) -> list[Unit]:
    """The units inside a vehicle, those that are destroyed included."""
    return [unit for unit in position.state.units.values() if unit.statuses.get(statuses.RIDES) == vehicle.id]


def carrier(position: Position, unit: Unit) -> Unit | None:
    """The vehicle that carries a unit, unless it is destroyed."""
    around = position.state.units.get(str(unit.statuses.get(statuses.RIDES)))
    return around if around is not None and not is_destroyed(position, around) else None


def occupants(position: Position, vehicle: Unit) -> list[dict[str, Any]]:
    """The troops inside a vehicle, as facts of an attack."""
    men = [man for man in riders(position, vehicle) if not is_destroyed(position, man)]
    return [{"id": man.id, "DL": defense(position, man)} for man in men]


def spoken_of(rules: Rules, measured: Range) -> float:
    """Of a measured range, the distance that the rules speak of, to a hundredth of an inch; 0 for bases in contact."""
    from_edges = rules.chooses("measured_from", "base_edges") or measured.edge_in <= 0
    return round(measured.edge_in if from_edges else measured.centre_in, 2)


def in_contact(rules: Rules, distance_in: float) -> bool:
    """Whether an attack at this distance is hand to hand."""
    return within(distance_in, rules.option("hand_to_hand_within_in"))


def attacked_by_hand(position: Position, unit: Unit) -> Any:
    """Whether a unit is attacked hand to hand; unknown if that matters to it and an enemy is so near."""
    known = {**unit.statuses, **unit.this_turn}
    if statuses.ATTACKED_BY_HAND in known:
        return bool(known[statuses.ATTACKED_BY_HAND])
    rules = rules_of(position)
    if special_of(rules, card_name(position, unit)) is None:
        return False
    on_foot = (enemy for enemy in position.enemies(unit) if not card(position, enemy).flies)
    ranges = [position.view(enemy.id, unit.id).range for enemy in on_foot]
    near = (in_contact(rules, max(0.0, spoken_of(rules, one) - DOUBT_SIGMAS * one.sigma_in)) for one in ranges)
    return UNKNOWN if any(near) else False


# Mines and bases.


def markers(position: Position) -> tuple[TerrainPiece, ...]:
    """The mine markers that still lie there."""
    laid = (piece for piece in position.terrain if piece.kind is TerrainKind.MINE)
    known = position.state.statuses
    return tuple(piece for piece in laid if known.get(statuses.MINE.format(piece.name)) not in statuses.GONE)


def mines_on(position: Position, name: str, path: Path) -> list[tuple[str, bool, PointIn]]:
    """The markers on a path, whether it ends on them, and its nearest points to their middles."""
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


def holes_in(state: State, name: str) -> list[list[float]]:
    """The middles of the holes in a base; battles of before they were kept have only their number."""
    found = state.statuses.get(statuses.HOLES.format(name), ())
    return [] if isinstance(found, int) else [list(place) for place in found]


# Facts of every unit that acts.


def own(attribute: str) -> Source:
    """An attribute of the acting unit, if its own card changes it; one level, not in a list, is that of one weapon."""

    def read(context: Context) -> Any:
        found = (context.actor.own or {}).get(attribute, UNKNOWN)
        return [found] if attribute in PER_WEAPON and isinstance(found, str) else found

    return Source(read)


def fate_of(side: str, fate: str) -> Source:
    """A source that counts the units of the acting unit's side, or of the others, that met a fate."""

    def read(position: Position, unit: Unit) -> int:
        of = [one for one in position.state.units.values() if (one.side == unit.side) == (side == "friendly")]
        return count_troops(position, [one for one in of if met(position, one, fate)])

    return of_actor(read)


CARD = of_actor(card_name)
AttackedByHand = Annotated[bool, Asked("Is he attacked hand to hand?"), of_actor(attacked_by_hand)]
SPOTTED_FOR = of_actor(lambda position, unit: bool(spotters(position, unit)))
ABOARD = of_actor(lambda position, unit: carrier(position, unit) is not None)
OWN_TURN = of_actor(lambda position, unit: position.state.side == unit.side)
TURN = Source(lambda context: context.position.state.turn)
ABLE = of_actor(lambda position, unit: unit in able(position, unit.side))
JEEP = of_actor(lambda position, unit: any(card(position, mate).tows for mate in able(position, unit.side)))
RADIO = of_actor(lambda position, unit: any(card(position, mate).radio for mate in able(position, unit.side)))
COMMANDER_LOST = of_actor(lambda position, unit: is_lost(position, unit.side, "commander"))
RADIO_LOST = of_actor(lambda position, unit: is_lost(position, unit.side, "radio"))
COMMANDER = of_actor(lambda position, unit: card(position, unit).commander)
SPENT_IN = of_actor(lambda _, unit: unit.allowance_used_in)
TARGET_ROUTED = Source(lambda context: bool(context.target.statuses.get(statuses.ROUTED)))
TARGET_CARD = Source(lambda context: card_name(context.position, context.target))


class Acting(Record):
    """A unit that acts; where the `phase` of the round is said, only in its own."""

    unit: Annotated[UnitName | None, CARD] = None
    routed: Annotated[bool, status(statuses.ROUTED)] = False
    destroyed: Annotated[bool, of_actor(is_destroyed)] = False
    phase: Annotated[str | None, PHASE] = None


FLEES = ("routed", "PF-66", "he flees until he passes a morale check")
"""Why a routed unit does nothing else."""


def bars(rules: Rules, acting: Acting, wrong_phase: Reason | None, aboard: bool = False) -> Iterator[Bar]:
    """What forbids a unit's move or attack; `wrong_phase` if it is not its time."""
    yield acting.destroyed, "destroyed", "PF-53"
    yield acting.routed and not rules.option("routed_act"), *FLEES
    if wrong_phase:
        yield True, "wrong_phase", wrong_phase.rule, wrong_phase.text
    yield aboard, "aboard", "PF-70", "he is inside a vehicle: let him get out first"
