"""Army Men: everything that a figure may do besides moves and shots, and the obligations of a side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

from rules.engine.effects import goal_key
from rules.engine.facts import Context, action_for
from rules.engine.position import Position
from rules.engine.referee import Action
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, forbidden
from rules.games.army_men import status
from rules.games.army_men.attack import THROUGH_THE_PORT
from rules.games.army_men.movement import TRACTORS, rests
from rules.games.army_men.referee_fire import bursts, firer, zone_of
from rules.games.army_men.specialists import as_what
from rules.games.army_men.tables import MOVING
from rules.tabletop.table import TerrainKind

USUAL_GOAL = "destroy_all"
CLIFFS = (TerrainKind.HILL, TerrainKind.MOUNTAIN)


def others(position: Position, figure: str) -> Iterator[Action]:
    """Bursts at several targets, and everything that is not an attack."""
    man = position.unit(figure)
    if not man.out:
        for actions in (bursts, *BY_HAND):
            yield from actions(position, man)


def _rests(position: Position, man: Unit) -> Verdict | None:
    return rests(position.game.rules, status.casualty(position, man))


def _bar(position: Position, man: Unit) -> Verdict | None:
    """What keeps him from doing anything by hand: casualties do nothing, passengers nothing but shoot."""
    rules, around = position.game.rules, status.carrier(position, man)
    if around is not None and status.kind(position, around).vehicle and status.fit(man):
        return forbidden("aboard", rules.because("AM-112", "the men inside get out before they do anything else"))
    return _rests(position, man) or _not_landed(position, man)


def _not_landed(position: Position, man: Unit) -> Verdict | None:
    """What keeps a paratrooper from doing anything else before his drop and in its turn."""
    if status.in_the_air(position, man) or status.dropped(position, man):
        return forbidden("dropped_this_turn", position.game.rules.because("AM-33"))
    return None


def _jams(position: Position, man: Unit) -> Iterator[Action]:
    for weapon in status.weapons(position, man):
        context = Context(position, (man,), weapon=weapon)
        if status.jammed(context):
            title = f"Clear the {display_name(weapon).lower()}"
            yield action_for(title, "clear_jam", context, blocked_by=_rests(position, man))


def _ports(position: Position, man: Unit) -> Iterator[Action]:
    """Flames and grenades through the port of a pillbox, from where its men cannot fire."""
    boxes = [one for one in status.targets(position, man) if status.kind(position, one).hard == "pillbox"]
    carried = [weapon for weapon in status.weapons(position, man) if weapon in THROUGH_THE_PORT]
    action = "attack_pillbox_from_safe_zone"
    nothing_to_ask = {one.fact: one.default for one in position.game.questions(action)}
    for box, weapon in product(boxes, carried):
        facts = {
            **nothing_to_ask,
            **firer(position, man, weapon),
            "zone": zone_of(position, box, position.figure(man.id)),
            "distance_in": round(position.measure(position.figure(man.id), position.figure(box.id)).edge_in, 2),
        }
        men = tuple(one.id for one in status.carried(position, box) if status.fit(one))
        title = f"{display_name(weapon)} through the port of {display_name(box.id)}"
        yield Action(title, action, facts, (man.id,), (box.id, *men), weapon)


def _treatments(position: Position, man: Unit) -> Iterator[Action]:
    for other in position.state.standing(man.side) if status.card(position, man, "medic") else ():
        if other.id != man.id and other.id in position.figures and other.statuses.get(status.WOUNDED):
            title, context = f"Treat {display_name(other.id)}", Context(position, (man,), (other,))
            yield action_for(title, "medic", context, blocked_by=_bar(position, man))


def _earthworks(position: Position, man: Unit) -> Iterator[Action]:
    if status.card(position, man, "shovel") and not man.statuses.get(status.ENTRENCHED):
        yield action_for("Dig in", "entrench", Context(position, (man,)), blocked_by=_bar(position, man))


def _clearings(position: Position, man: Unit) -> Iterator[Action]:
    """Obstacles that he may clear away by hand, or shoot away."""
    rules = position.game.rules
    obstacles = {row.terrain: (name, set(row.destroyed_by)) for name, row in rules.tables.obstacles.items()}
    pieces = [one for one in status.uncleared(position) if one.kind in obstacles]
    hands = ["engineer"] if status.card(position, man, "engineer") else []
    for piece, by in product(pieces, [*hands, *status.weapons(position, man)]):
        obstacle, destroyed_by = obstacles[piece.kind]
        if as_what(rules, by) & destroyed_by:
            context = Context(position, (man,), weapon="" if by in hands else by, piece=piece)
            how = f" with the {display_name(by).lower()}" if context.weapon else ""
            title, facts = f"Destroy {display_name(piece.name)}{how}", {"obstacle": obstacle, "by": by}
            yield action_for(title, "destroy_obstacle", context, facts, blocked_by=_bar(position, man))


def _sweeps(position: Position, man: Unit) -> Iterator[Action]:
    for piece in status.uncleared(position) if status.card(position, man, "mine_detector") else ():
        if piece.kind is TerrainKind.MINE:
            title, context = f"Sweep {display_name(piece.name)}", Context(position, (man,), piece=piece)
            yield action_for(title, "mine_detector", context, blocked_by=_bar(position, man))


def _climbs(position: Position, man: Unit) -> Iterator[Action]:
    for piece in position.terrain if status.is_man(position, man) else ():
        if piece.kind in CLIFFS and position.figure(man.id).z_in < piece.top_in:
            title, context = f"Climb {display_name(piece.name)}", Context(position, (man,), piece=piece)
            yield action_for(title, "climb", context, _tried(man, "climb"), blocked_by=_bar(position, man))


def _drops(position: Position, man: Unit) -> Iterator[Action]:
    """The landing of a paratrooper."""
    if status.is_man(position, man) and status.in_the_air(position, man):
        walked = bool(man.this_turn.get(status.MOVED)) and not status.aboard(position, man)
        facts = _tried(man, "paratrooper") | {"busy_this_turn": walked or status.has_attacked(position, man)}
        context = Context(position, (man,))
        yield action_for("Land by parachute", "paratrooper", context, facts, blocked_by=_rests(position, man))


def _tried(man: Unit, action: str) -> dict[str, bool]:
    return {"tried_this_turn": action in man.acts_this_turn}


def _boardings(position: Position, man: Unit) -> Iterator[Action]:
    """Getting into what carries men, or out of it."""
    if not status.is_man(position, man):
        return
    around = status.carrier(position, man)
    for other in [around] if around else status.friends(position, man):
        if status.kind(position, other).carries and other.id in position.figures:
            title = f"{'Get out of' if around else 'Get into'} {display_name(other.id)}"
            context = Context(position, (man,), (other,))
            yield action_for(title, "board", context, blocked_by=_not_landed(position, man))


def _landings(position: Position, craft: Unit) -> Iterator[Action]:
    if status.kind(position, craft).flies:
        yield action_for("Land", "land", Context(position, (craft,)))


def _turrets(position: Position, tank: Unit) -> Iterator[Action]:
    turret = any(row.turret for row in status.weapons(position, tank).values())
    if turret and status.phase_number(position) == MOVING and not status.waits(position, tank):
        for enemy in status.targets(position, tank):
            title = f"Turn the turret to {display_name(enemy.id)}"
            yield action_for(title, "turn_turret", Context(position, (tank,), (enemy,)))


def _hitches(position: Position, vehicle: Unit) -> Iterator[Action]:
    """Hitching a gun beside it to a truck or jeep, or releasing it."""
    behind = status.towed(position, vehicle)
    for gun in status.friends(position, vehicle) if status.kind_name(position, vehicle) in TRACTORS else ():
        free = gun in behind or not status.is_towed(position, gun)
        if free and status.kind(position, gun).target == "cannon":
            title = f"{'Unhitch' if gun in behind else 'Hitch up'} {display_name(gun.id)}"
            context = Context(position, (vehicle,), (gun,))
            yield action_for(title, "hitch", context, blocked_by=_bar(position, vehicle))


BY_HAND: tuple[Callable[[Position, Unit], Iterator[Action]], ...] = (
    *(_jams, _ports, _treatments, _earthworks, _clearings, _sweeps),
    *(_climbs, _drops, _boardings, _hitches, _landings, _turrets),
)


# Obligations of a side, or of units that met something on their way.


def obligations(position: Position) -> Iterator[Action]:
    """Who moves first; mines, tracks and water on the way; casualties as a phase closes; crews; who has won."""
    state = position.state
    every_turn = position.game.rules.chooses("order_every_turn", True)
    known = state.this_turn if every_turn else state.statuses
    if status.ORDER not in known and (every_turn or not state.turn):
        yield action_for("Who moves first", "move_order", Context(position), has_odds=False, owed="AM-06")
    if not state.turn:
        yield from _before_the_first_turn(position)
    for unit in state.units.values():
        if unit.id in position.figures and not unit.out and status.phase_number(position) == MOVING:
            yield from _met_on_the_way(position, unit)
        if unit.statuses.get(status.CREW) == status.TRAPPED:
            title = f"The men inside {display_name(unit.id)}"
            yield action_for(title, "crew_survival", Context(position, targets=(unit,)), owed="AM-105")
    for side in state.sides:
        if down := tuple(one for one in state.standing(side) if one.statuses.get(status.DOWN)):
            title = f"The casualties of {display_name(side)}"
            yield action_for(title, "casualties", Context(position, down), owed="AM-17")
    yield from _goals(position)


def _before_the_first_turn(position: Position) -> Iterator[Action]:
    """Which player has which army, drawn once the table is laid out; the names of heroes."""
    if status.PLAYS.format("player 1") not in position.state.statuses:
        yield action_for("Draw the armies", "draw_armies", Context(position), has_odds=False)
    for side in position.state.sides:
        heroes = tuple(one for one in position.state.standing(side) if status.card(position, one, "hero"))
        if heroes:
            title = f"The heroes of {display_name(side)}"
            yield action_for(title, "hero_names", Context(position, targets=heroes))


def _met_on_the_way(position: Position, unit: Unit) -> Iterator[Action]:
    """Dice that a move owes, as long as units move."""
    name, context = display_name(unit.id), Context(position, (unit,))
    if unit.this_turn.get(status.IN_MINES) and status.fit(unit):
        yield action_for(f"Mines under {name}", "minefield", context, round="Mines and tracks", owed="AM-70")
    for man in map(position.unit, unit.this_turn.get(status.RAN_OVER, ())):
        title, run = f"{name} runs over {display_name(man.id)}", replace(context, targets=(man,))
        yield action_for(title, "overrun", run, round="Mines and tracks", owed="AM-26")
    if _swims(position, unit) and "swim" not in unit.acts_this_turn:
        yield action_for(f"{name} swims", "swim", context, _tried(unit, "swim"), round="Swimming", owed="AM-30")


def _swims(position: Position, unit: Unit) -> bool:
    """Whether a soldier is in the water as his side moves, or has swum through it."""
    able = status.is_man(position, unit) and status.fit(unit) and not status.aboard(position, unit)
    now = position.state.turn > 0 and not status.waits(position, unit)
    wet = any(piece.kind is TerrainKind.WATER for piece in status.ground(position, unit))
    return able and now and (wet or bool(unit.this_turn.get(status.SWAM)))


def _goals(position: Position) -> Iterator[Action]:
    state = position.state
    for side in state.sides:
        left = {one: _left(position, one) for one in state.sides}
        enemies = sum(number for other, number in left.items() if other != side)
        goal = state.statuses.get(goal_key(side), USUAL_GOAL)
        facts: dict[str, object] = {"side": side, "goal": goal, "enemies_left": enemies, "own_left": left[side]}
        if position.game.rules.tables.goals[goal].counted:
            facts["done"] = False
        yield Action(f"Has {display_name(side)} won", "victory", facts)


def _left(position: Position, side: str) -> int:
    """How many of a side are left: whoever is hit counts to the end of the phase, a pillbox alone does not."""
    standing = [one for one in position.state.standing(side) if not one.statuses.get(status.WOUNDED)]
    return sum(status.kind(position, one).hard != "pillbox" for one in standing)
