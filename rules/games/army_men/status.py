"""Army Men: the ground under units and their shelter; their statuses, what follows from them, and sources of facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from shapely.geometry import LineString, Polygon

from rules.engine.facts import UNKNOWN, Context, Source, Uncertain, of_actor
from rules.engine.position import Position, View
from rules.engine.ruleset import limit
from rules.engine.schema import Inches, Record
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.engine.without_dice import verdict_without_dice
from rules.games.army_men.tables import Kind, Rules, Shelter, Weapon, touching
from rules.tabletop.measure import STANDABLE_KINDS, base_area, counting, held_by, range_to, surface_in
from rules.tabletop.movement import IMPASSABLE, MovementProfile, TerrainCost, Walk
from rules.tabletop.opacity import CoverKind, Opacity
from rules.tabletop.path import placed
from rules.tabletop.scene import SightRules
from rules.tabletop.table import Figure, PointIn, TerrainKind, TerrainPiece


class Stretch(Record):
    """A part of a path on one kind of ground."""

    inches: Inches
    uphill: bool = False
    rough: bool = False
    on_road: bool = False
    swimming: bool = False


def movement_profile(rules: Rules, unit: str, stands_on: Iterable[TerrainPiece] = ()) -> MovementProfile:
    """How a unit walks the measured table, for `rules.tabletop.movement.walk`.

    It walks on a cliff that it is on, and out of the wreck that it was in.
    """
    inside = {piece.name for piece in stands_on}
    grounds = _grounds(rules, unit)
    left = {**grounds, TerrainKind.MOUNTAIN: TerrainCost(on_top=True), TerrainKind.OTHER: TerrainCost()}

    def cost_of(piece: TerrainPiece) -> TerrainCost:
        return (left if piece.name in inside else grounds).get(piece.kind, TerrainCost())

    return MovementProfile(cost_of, uphill_factor=1 / rules.tables.halvings["uphill"].factor)


def _grounds(rules: Rules, unit: str) -> Mapping[TerrainKind, TerrainCost]:
    kind = rules.tables.kinds[unit]
    rough = TerrainCost(cost_per_in=1 / rules.tables.halvings["rough"].factor) if kind.vehicle else TerrainCost()
    swum = IMPASSABLE if kind.vehicle else TerrainCost(cost_per_in=kind.move_in / limit(rules, "swimming_in"))
    return {
        **dict.fromkeys(rough_kinds(rules), rough),
        TerrainKind.WATER: swum,
        TerrainKind.HILL: TerrainCost(on_top=True),
        TerrainKind.BRIDGE: TerrainCost(on_top=True),
        TerrainKind.WIRE: TerrainCost() if kind.vehicle else IMPASSABLE,
        TerrainKind.TANK_OBSTACLE: IMPASSABLE if kind.vehicle else TerrainCost(),
        TerrainKind.BUILDING: IMPASSABLE,
        TerrainKind.BUNKER: IMPASSABLE if kind.vehicle else TerrainCost(),
        TerrainKind.MOUNTAIN: TerrainCost(passable=False, on_top=True),
        TerrainKind.WALL: IMPASSABLE,
        TerrainKind.OTHER: IMPASSABLE,
    }


def rough_kinds(rules: Rules) -> tuple[TerrainKind, ...]:
    """The kinds of terrain that are rough ground for a vehicle."""
    return (TerrainKind.ROUGH, *([TerrainKind.WOODS] if rules.chooses("prop_effects", "sensible") else []))


def stretches(rules: Rules, unit: str, walked: Walk) -> Iterator[Stretch]:
    """A measured walk as the parts of a move."""
    grounds, rough = _grounds(rules, unit), set(rough_kinds(rules))

    def height_in(pieces: Iterable[TerrainPiece]) -> float:
        return max((piece.top_in for piece in pieces if grounds.get(piece.kind, TerrainCost()).on_top), default=0.0)

    before_in, uphill = height_in(walked.start_inside), False
    for part in walked.stretches:
        uphill = part.height_in > before_in if part.height_in != before_in else uphill
        before_in = part.height_in
        kinds = {piece.kind for piece in part.inside}
        yield Stretch(
            inches=part.length_in,
            uphill=uphill and TerrainKind.BRIDGE not in kinds,
            rough=bool(kinds & rough),
            on_road=TerrainKind.ROAD in kinds,
            swimming=TerrainKind.WATER in kinds,
        )


def sight_rules(rules: Rules) -> SightRules:
    """The terrain that hides figures, with matchbox smoke if household objects count."""
    smoke = {} if rules.chooses("prop_effects", "sensible") else {TerrainKind.SMOKE: Opacity(CoverKind.CLEAR)}
    return SightRules(opacity=smoke)


# Shelter.


def shelter(rules: Rules, kind: TerrainKind) -> Shelter | None:
    """The kind of protection that terrain gives."""
    sensible = rules.chooses("prop_effects", "sensible")
    rows = (row for row in rules.tables.shelters.values() if kind in row.terrain)
    return next((row for row in rows if sensible or not row.if_sensible), None)


def inside_pillbox(rules: Rules, target: Figure, terrain: Iterable[TerrainPiece]) -> bool:
    """Whether a figure stands in a pillbox that is a piece of terrain."""
    shelters = (shelter(rules, piece.kind) for piece in held_by(target, terrain))
    return any(row is not None and row.pillbox for row in shelters)


def cover_to_target_in(rules: Rules, target: Figure, view: View, terrain: Iterable[TerrainPiece]) -> float | None:
    """The distance from a target to the cover on the line of sight; 0 in cover, None without cover."""
    held = held_by(target, terrain)
    for piece in held:
        row = shelter(rules, piece.kind)
        if row is not None and row.inside and not row.pillbox:
            return 0.0
    base = base_area(target)
    # The hill on which he stands hides his feet from below, and is no cover: that shot has its own -1 (AM-88).
    under = {piece.name for piece in held if piece.kind in STANDABLE_KINDS}
    # Woods that are too thin to hide a figure still give it cover.
    line = LineString(view.range.centre_segment_in)
    woods = (piece for piece in terrain if piece.kind is TerrainKind.WOODS)
    trees = (piece for piece in woods if piece.top_in > target.z_in and line.intersects(Polygon(piece.outline_in)))
    pieces = [piece for piece, _ in view.hidden_by if piece.name not in under]
    hiding = [piece for piece in (*pieces, *trees) if (row := shelter(rules, piece.kind)) and not row.pillbox]
    return min((float(base.distance(Polygon(piece.outline_in))) for piece in hiding), default=None)


# The names of statuses; the table `statuses` of the game says what each means.

DOWN, DOWN_IN_PHASE, WOUNDED, ELIMINATIONS = "down", "down_in_phase", "wounded", "eliminations"
STUNNED, STUNNED_IN_PHASE, STUNNED_NOW = "stunned_in_turn", "stunned_in_phase", "stunned"
MOVED, TURNED, LEFT_ROAD, SWAM, RAN_OVER, IN_MINES = "moved", "turned", "left_road", "swam", "ran_over", "in_mines"
FIRED, BUSY, ATTACKED, SEEN_AT, FIRED_ON_BY = "fired", "busy", "attacked", "seen_at", "fired_on_by"
LANDED, DROPPED, CLIMBED, TURRET, TREATED = "landed", "dropped", "inches_climbed", "turret_deg", "treated"
INSIDE, TOWED_BY, CREW, TRAPPED = "inside", "towed_by", "its_crew", "trapped"
IMMOBILIZED, GLUED, HELD_IN_PHASE = "immobilized", "glued", "held_in_phase"
DIGGING, ENTRENCHED = "turns_of_digging", "entrenched"
RANGED_IN, ORDER, CLEARED, IGNITED = "ranged_in_on", "order", "cleared", "ignited"
JAMMED, EMPTY = "jammed", "out_of_ammunition"
JAM, OUT_OF_AMMO = "{}_jammed", "{}_out_of_ammunition"
SWEPT, LANES, KEPT, PLAYS = "{}_swept_in", "{}_lanes", "wounded_of_{}", "{}_plays"
"""Statuses of one weapon, minefield, side or player."""


def jammed(context: Context) -> bool:
    """Whether the weapon of the acting unit is jammed."""
    return any(context.actor.statuses.get(key) for key in (JAM.format(context.weapon), JAMMED))


def is_empty(context: Context) -> bool:
    """Whether the weapon of the acting unit has no ammunition left."""
    return any(context.actor.statuses.get(key) for key in (OUT_OF_AMMO.format(context.weapon), EMPTY))


THIS_TURN = frozenset(
    {
        *(DOWN_IN_PHASE, HELD_IN_PHASE, STUNNED_IN_PHASE, STUNNED_NOW, MOVED, TURNED, "turns", LEFT_ROAD, FIRED, BUSY),
        *(ATTACKED, SEEN_AT, FIRED_ON_BY, RAN_OVER, IN_MINES, SWAM, TREATED, DROPPED, "wanted"),
    }
)
"""What the next turn forgets."""


def fit(unit: Unit) -> bool:
    """Whether it still takes part: neither out, nor hit, nor wounded."""
    return not (unit.out or unit.statuses.get(DOWN) or unit.statuses.get(WOUNDED))


def casualty(_: Position, unit: Unit) -> bool:
    """Whether it is on the table and does nothing more."""
    return not fit(unit)


def phase_number(position: Position) -> int:
    """The number of the current phase; 0 if it has none."""
    row = position.game.rules.tables.phases.get(position.state.phase)
    return 0 if row is None else int(row.number)


def counts(position: Position, unit: Unit) -> bool:
    """Whether it took part as this phase began: a unit that is hit in it counts to its end (AM-15)."""
    hit_now = unit.this_turn.get(DOWN_IN_PHASE) == phase_number(position)
    return fit(unit) or (hit_now and not unit.out and not unit.statuses.get(WOUNDED))


def in_the_air(position: Position, unit: Unit) -> bool:
    """Whether a paratrooper has not landed yet."""
    return bool(card(position, unit, "parachute")) and not unit.statuses.get(LANDED) and "paratrooper" not in unit.acts


def dropped(_: Position, unit: Unit) -> bool:
    """Whether he landed by parachute in this turn."""
    return "paratrooper" in unit.acts_this_turn or bool(unit.this_turn.get(DROPPED))


def flies(position: Position, unit: Unit) -> bool:
    """Whether it is an aircraft in the air."""
    return kind(position, unit).flies and not {**unit.statuses, **unit.this_turn}.get(LANDED)


def on_the_ground(position: Position, unit: Unit) -> bool:
    """Whether it does not fly, or has landed."""
    return not flies(position, unit)


def card(position: Position, unit: Unit, key: str) -> Any:
    """A value of its card; None if the card does not give it."""
    return position.kind(unit).get(key)


def kind_name(position: Position, unit: Unit) -> str:
    """Its kind; a card of the player's own without one is a man's."""
    return str(card(position, unit, "kind") or "infantry")


def kind(position: Position, unit: Unit) -> Kind:
    """The row of its kind."""
    found: Kind = position.game.rules.tables.kinds[kind_name(position, unit)]
    return found


def is_man(position: Position, unit: Unit) -> bool:
    """Whether it is a soldier."""
    return kind(position, unit).target == "infantry"


def is_vehicle(position: Position, unit: Unit) -> bool:
    """Whether it is a vehicle."""
    return kind(position, unit).vehicle


def weapons(position: Position, unit: Unit) -> Mapping[str, Weapon]:
    """The weapons that it shows."""
    rows = position.game.rules.tables.weapons
    return {name: rows[name] for name in card(position, unit, "weapons") or ()}


def weapon_with(trait: str) -> Callable[[Position, Unit], str | None]:
    """The first weapon that a unit shows with a trait, such as "half_move"; None without one."""
    return lambda position, unit: next((n for n, row in weapons(position, unit).items() if getattr(row, trait)), None)


def targets(position: Position, unit: Unit) -> tuple[Unit, ...]:
    """The enemies that still take part."""
    return tuple(one for one in position.enemies(unit) if fit(one))


def friends(position: Position, unit: Unit) -> tuple[Unit, ...]:
    """The others of its side that took part as the phase began and stand on the table."""
    own = position.state.standing(unit.side)
    return tuple(one for one in own if one.id != unit.id and counts(position, one) and one.id in position.figures)


def ground(position: Position, unit: Unit) -> tuple[TerrainPiece, ...]:
    """The pieces under it that count: no water under a bridge."""
    return counting(held_by(position.figure(unit.id), position.terrain))


def on_its_way(position: Position, figure: Figure, at_in: PointIn) -> Figure:
    """The figure at another place of its path, on the surface there."""
    rise_in = surface_in(at_in, position.terrain) - surface_in(figure.centre_in, position.terrain)
    return replace(placed(figure, at_in), z_in=figure.z_in + rise_in)


def carrier(position: Position, unit: Unit) -> Unit | None:
    """The vehicle or pillbox that it is inside of; a wreck holds only those whose die has not fallen."""
    around = position.state.units.get(str(unit.statuses.get(INSIDE) or ""))
    if around is None or (around.out and around.statuses.get(CREW) != TRAPPED):
        return None
    return around


def aboard(position: Position, unit: Unit) -> bool:
    """Whether it is inside a vehicle or pillbox."""
    return carrier(position, unit) is not None


def sealed(position: Position, unit: Unit) -> bool:
    """Whether it is inside a vehicle or shelter that protects it until destroyed."""
    around = carrier(position, unit)
    return around is not None and kind(position, around).sealed


def tractor(position: Position, gun: Unit) -> Unit | None:
    """The vehicle that a gun is hitched to, if it can still tow it; glue holds the gun."""
    towing = position.state.units.get(str(gun.statuses.get(TOWED_BY, "")))
    glued = {**gun.statuses, **gun.this_turn}.get(GLUED)
    return towing if towing is not None and fit(towing) and not glued else None


def is_towed(position: Position, gun: Unit) -> bool:
    """Whether a vehicle tows it."""
    return tractor(position, gun) is not None


def towed(position: Position, vehicle: Unit) -> tuple[Unit, ...]:
    """The guns that are hitched to a vehicle."""
    return tuple(one for one in position.state.units.values() if tractor(position, one) == vehicle and not one.out)


def carried(position: Position, unit: Unit) -> tuple[Unit, ...]:
    """Those inside a vehicle or pillbox that are not out."""
    return tuple(one for one in position.state.units.values() if one.statuses.get(INSIDE) == unit.id and not one.out)


def manning(position: Position, carrier: Unit) -> tuple[Unit, ...]:
    """Those inside a vehicle or pillbox that are alive, the wounded among them."""
    return tuple(one for one in carried(position, carrier) if not one.statuses.get(DOWN))


def in_pillbox(position: Position, unit: Unit) -> bool:
    """Whether it is in a pillbox, which may be a unit or a piece of terrain."""
    around = carrier(position, unit)
    if around is not None:
        return kind(position, around).hard == "pillbox"
    here = position.figure(unit.id)
    return is_man(position, unit) and inside_pillbox(position.game.rules, here, position.terrain)


def stunned(position: Position, unit: Unit) -> bool:
    """Whether it, or the pillbox around it, is stunned."""
    around = carrier(position, unit) or unit
    turn, phase = around.statuses.get(STUNNED), around.this_turn.get(STUNNED_IN_PHASE)
    if turn is None or phase == phase_number(position):
        return bool(around.this_turn.get(STUNNED_NOW))
    answer = verdict_without_dice(position.game, "stunned", {"turns_since": max(0, position.state.turn - int(turn))})
    return answer is not None and bool(answer.numbers["stunned"])


def stuck(key: str) -> Callable[[Position, Unit], bool]:
    """Whether a unit was immobilised or glued as this phase began: what happens in it counts from the next on."""

    def read(position: Position, unit: Unit) -> bool:
        now = unit.this_turn.get(HELD_IN_PHASE) == phase_number(position)
        return bool({**unit.statuses, **unit.this_turn}.get(key)) and not now

    return read


def fired(_: Position, unit: Unit) -> list[str]:
    """The weapons of its attacks in this turn."""
    return list(unit.this_turn.get(FIRED, ()))


def attacks_made(position: Position, unit: Unit) -> int:
    """How often it has attacked in this turn, or done something in the place of that."""
    others = (unit.this_turn.get(BUSY, 0), unit.this_turn.get(ATTACKED, 0))
    return len(fired(position, unit)) + sum(map(int, others))


def has_attacked(position: Position, unit: Unit) -> bool:
    """Whether it has attacked in this turn, or done something in the place of that."""
    return attacks_made(position, unit) > 0


def busy(position: Position, unit: Unit) -> bool:
    """Whether it has moved or attacked in this turn."""
    return bool(unit.this_turn.get(MOVED)) or has_attacked(position, unit)


def waits(position: Position, unit: Unit) -> bool:
    """Whether another player moves now."""
    return position.state.side not in ("", unit.side)


def mates(position: Position, man: Unit) -> list[Unit]:
    """The soldiers of his squad beside him, as a crew stands beside its gun."""
    others = [one for one in position.squad(man) if one.id in position.figures and one.id != man.id]
    soldiers = [one for one in others if man.squad and is_man(position, one) and counts(position, one)]
    pairs = [(one, position.measure(position.figure(man.id), position.figure(one.id))) for one in soldiers]
    return [one for one, apart in pairs if touching(position.game.rules, apart.edge_in)]


def crew_of(position: Position, man: Unit) -> int | None:
    """The number of men who serve a gun; None if one figure is both weapon and crew, or the crew is inside."""
    if "crew" in man.statuses:
        return int(man.statuses["crew"])
    alone = not man.squad or is_man(position, man) or is_vehicle(position, man)
    return None if alone else len(mates(position, man))


def cleared(position: Position) -> frozenset[str]:
    """The names of obstacles and minefields that are gone."""
    return frozenset(position.state.statuses.get(CLEARED, ()))


def uncleared(position: Position) -> list[TerrainPiece]:
    """The terrain without obstacles and minefields that are gone."""
    gone = cleared(position)
    return [piece for piece in position.terrain if piece.name not in gone]


# Sources of facts.


# Of which unit a value is read: `of_actor` or `of_target`.
Of = Callable[[Callable[[Position, Unit], Any]], Source]


def of_target(read: Callable[[Position, Unit], Any]) -> Source:
    """A source that calls a function with the first target; unknown without a target."""
    return Source(lambda context: read(context.position, context.target) if context.targets else UNKNOWN)


def of_pair(read: Callable[[Position, Unit, Unit, View], Any]) -> Source:
    """A source that calls a function with the unit and its first target; unknown without a target."""

    def of(context: Context) -> Any:
        if not context.targets or context.target.id == context.actor.id:
            return UNKNOWN
        return read(context.position, context.actor, context.target, context.target_view)

    return Source(of)


def by_hand(source: Source) -> Source:
    """A fact that matters only if no weapon is used."""
    return Source(lambda context: UNKNOWN if context.weapon else source.read(context))


def has(key: str, of: Of = of_actor) -> Source:
    """Whether a unit has a status."""
    return of(lambda _, unit: bool({**unit.statuses, **unit.this_turn}.get(key)))


def card_says(key: str, of: Of = of_actor) -> Source:
    """Whether a unit is this by its card, such as "hero"."""
    return of(lambda position, unit: bool(card(position, unit, key)))


def did(action: str) -> Source:
    """Whether the acting unit has done this in this turn."""
    return Source(lambda context: action in context.actor.acts_this_turn)


def gap(word: str = "gap") -> Source:
    """How far the acting unit is from its target, or from the piece; 0 if one of the two carries the other."""

    def read(context: Context) -> Any:
        position, man = context.position, context.actor
        if context.piece is not None:
            name, found = context.piece.name, range_to(position.figure(man.id), context.piece.outline_in)
        elif context.targets:
            name, pair = context.target.id, (carrier(position, man), tractor(position, context.target))
            if pair[0] == context.target or pair[1] == man:
                return 0.0
            found = position.measure(position.figure(man.id), position.figure(name))
        else:
            return UNKNOWN
        what = f"the {word} from {display_name(man.id)} to {display_name(name)}"
        return Uncertain(round(found.edge_in, 2), found.sigma_in, what)

    return Source(read)
