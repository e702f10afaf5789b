"""Army Men: the questions that stand for all else that a figure may do, and for what is owed by nobody alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from rules.engine.effects import goal_key
from rules.engine.position import Position
from rules.engine.referee import Action, UncertainFact
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, forbidden
from rules.games.army_men import status
from rules.games.army_men.attack import THROUGH_THE_PORT
from rules.games.army_men.movement import TRACTORS
from rules.games.army_men.referee_facts import firer, zone_of
from rules.games.army_men.referee_fire import bursts
from rules.games.army_men.specialists import as_what
from rules.games.army_men.tables import MOVING
from rules.tabletop.measure import range_to
from rules.tabletop.table import TerrainKind, TerrainPiece

USUAL_GOAL = "destroy_all"
CLIFFS = (TerrainKind.HILL, TerrainKind.MOUNTAIN)


def others(position: Position, figure: str) -> Iterator[Action]:
    """Bursts at several targets, and all that is no attack."""
    man = position.unit(figure)
    if man.out:
        return
    yield from bursts(position, man)
    yield from _jams(position, man)
    yield from _ports(position, man)
    yield from _treatments(position, man)
    yield from _earthworks(position, man)
    yield from _clearings(position, man)
    yield from _sweeps(position, man)
    yield from _feats(position, man)
    yield from _boardings(position, man)
    yield from _hitches(position, man)
    yield from _landings(position, man)
    yield from _turrets(position, man)


def _bar(position: Position, man: Unit) -> Verdict | None:
    """What keeps him from doing anything by hand: casualties do nothing, passengers nothing but shoot."""
    rules, around = position.game.rules, status.carrier(position, man)
    if status.casualty(man):
        return forbidden("casualty", rules.because("AM-17"))
    if around is not None and status.kind(position, around).vehicle:
        return forbidden("aboard", rules.because("AM-112", "the men inside get out before they do anything else"))
    return _not_landed(position, man)


def _not_landed(position: Position, man: Unit) -> Verdict | None:
    """What keeps a paratrooper from doing anything else before his drop and in its turn."""
    if status.in_the_air(position, man) or status.dropped(man):
        return forbidden("dropped_this_turn", position.game.rules.because("AM-33"))
    return None


def _waits(position: Position, man: Unit) -> dict[str, bool]:
    return {"waits": status.waits(position.state, man)}


def _jams(position: Position, man: Unit) -> Iterator[Action]:
    for weapon in status.weapons(position, man):
        if status.jammed(man, weapon):
            facts = {
                "weapon": weapon,
                "phase": position.state.phase,
                "turns_since_jam": 0 if man.this_turn.get(status.jam(weapon)) else 1,
                "attacks_made_this_turn": status.attacks_made(man),
            }
            title = f"Clear the {display_name(weapon).lower()}"
            bar = forbidden("casualty", position.game.rules.because("AM-17")) if status.casualty(man) else None
            yield Action(title, "clear_jam", facts, (man.id,), weapon=weapon, blocked_by=bar)


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
    if not status.card(position, man, "medic"):
        return
    for other in position.state.standing(man.side):
        if other.id == man.id or other.id not in position.figures or not other.statuses.get(status.WOUNDED):
            continue
        gap = position.measure(position.figure(man.id), position.figure(other.id))
        treated = bool(other.this_turn.get(status.TREATED)) or "medic" in man.acts_this_turn
        facts = {
            **_waits(position, man),
            "edge_in": round(gap.edge_in, 2),
            "wounded": True,
            "treated_this_turn": treated,
        }
        measured = _gap(gap.sigma_in, f"the gap from {display_name(man.id)} to {display_name(other.id)}")
        title, bar = f"Treat {display_name(other.id)}", _bar(position, man)
        yield Action(title, "medic", facts, (man.id,), (other.id,), measured=measured, blocked_by=bar)


def _gap(sigma_in: float, what: str, *fact: str) -> tuple[UncertainFact, ...]:
    return (UncertainFact(fact or ("edge_in",), sigma_in, what),) if sigma_in > 0 else ()


def _earthworks(position: Position, man: Unit) -> Iterator[Action]:
    if not status.card(position, man, "shovel") or man.statuses.get(status.ENTRENCHED):
        return
    facts = {
        **_waits(position, man),
        "turns_digging": int(man.statuses.get(status.DIGGING, 0)) + 1,
        "shovels": True,
        "unit": status.kind_name(position, man),
        "busy_this_turn": bool(man.this_turn.get(status.MOVED)) or status.attacks_made(man) > 0,
    }
    yield Action("Dig in", "entrench", facts, (man.id,), blocked_by=_bar(position, man))


def _clearings(position: Position, man: Unit) -> Iterator[Action]:
    """Obstacles that he may clear away by hand, or shoot away."""
    tables = position.game.rules.tables
    obstacles = {row.terrain: name for name, row in tables.obstacles.items()}
    pieces = [one for one in position.terrain if one.kind in obstacles and one.name not in status.cleared(position)]
    hands = ["engineer"] if status.card(position, man, "engineer") else []
    for piece, by in product(pieces, [*hands, *status.weapons(position, man)]):
        obstacle = obstacles[piece.kind]
        if not as_what(position.game.rules, by) & set(tables.obstacles[obstacle].destroyed_by):
            continue
        away = range_to(position.figure(man.id), piece.outline_in)
        weapon = "" if by in hands else by
        facts = {**_waits(position, man), "obstacle": obstacle, "by": by}
        gap = {"distance_in": round(away.edge_in, 2)}
        if weapon:
            facts["shot"] = {**firer(position, man, weapon), **gap}
        else:
            moved, attacks = bool(man.this_turn.get(status.MOVED)), status.attacks_made(man)
            facts |= {**gap, "moved_this_turn": moved, "attacks_made_this_turn": attacks}
        fact = ("shot", "distance_in") if weapon else ("distance_in",)
        measured = _gap(away.sigma_in, f"the way from {display_name(man.id)} to {display_name(piece.name)}", *fact)
        how = f" with the {display_name(weapon).lower()}" if weapon else ""
        title, bar = f"Destroy {display_name(piece.name)}{how}", _bar(position, man)
        yield Action(
            title,
            "destroy_obstacle",
            facts,
            (man.id,),
            weapon=weapon,
            measured=measured,
            blocked_by=bar,
            piece=piece.name,
        )


def _sweeps(position: Position, man: Unit) -> Iterator[Action]:
    if not status.card(position, man, "mine_detector"):
        return
    for piece in position.terrain:
        if piece.kind is not TerrainKind.MINE or piece.name in status.cleared(position):
            continue
        away = range_to(position.figure(man.id), piece.outline_in)
        done_in = float(position.state.statuses.get(status.swept(piece.name), 0.0))
        facts = {
            **_waits(position, man),
            "mine_distance_in": round(away.edge_in, 2),
            "path_in": round(max(0.0, _across_in(piece) - done_in), 1),
            "swept_this_turn": status.attacks_made(man) > 0,
        }
        measured = _gap(
            away.sigma_in, f"the way from {display_name(man.id)} to {display_name(piece.name)}", "mine_distance_in"
        )
        title, bar = f"Sweep {display_name(piece.name)}", _bar(position, man)
        yield Action(title, "mine_detector", facts, (man.id,), measured=measured, blocked_by=bar, piece=piece.name)


def _across_in(piece: TerrainPiece) -> float:
    """The longest way through a piece."""
    return max(math.dist(a, b) for a, b in product(piece.outline_in, repeat=2))


def _feats(position: Position, man: Unit) -> Iterator[Action]:
    """What takes a die as one moves: a cliff, the landing of a paratrooper."""
    if not status.is_man(position, man):
        return
    here, bar = position.figure(man.id), _bar(position, man)
    for piece in position.terrain:
        if piece.kind in CLIFFS and here.z_in < piece.top_in:
            gap = range_to(here, piece.outline_in)
            facts = _tried(position, man, "climb") | {"edge_in": round(gap.edge_in, 2)}
            measured = _gap(gap.sigma_in, f"the gap from {display_name(man.id)} to {display_name(piece.name)}")
            title = f"Climb {display_name(piece.name)}"
            yield Action(title, "climb", facts, (man.id,), measured=measured, blocked_by=bar, piece=piece.name)
    if status.in_the_air(position, man):
        walked = bool(man.this_turn.get(status.MOVED)) and status.carrier(position, man) is None
        busy = walked or status.attacks_made(man) > 0
        facts = {**_tried(position, man, "paratrooper"), "busy_this_turn": busy}
        casualty = forbidden("casualty", position.game.rules.because("AM-17")) if status.casualty(man) else None
        yield Action("Land by parachute", "paratrooper", facts, (man.id,), blocked_by=casualty)


def _tried(position: Position, man: Unit, action: str) -> dict[str, object]:
    return {**status.step(position, man), "tried_this_turn": action in man.acts_this_turn}


def _boardings(position: Position, man: Unit) -> Iterator[Action]:
    """Getting into what carries men, or out of it."""
    if not status.is_man(position, man):
        return
    around = status.carrier(position, man)
    near = [around] if around is not None else status.friends(position, man)
    for other in near:
        if not status.kind(position, other).carries or other.id not in position.figures:
            continue
        gap = position.measure(position.figure(man.id), position.figure(other.id))
        facts = {
            **status.step(position, man),
            "vehicle": status.kind_name(position, other),
            "edge_in": 0.0 if around is not None else round(gap.edge_in, 2),
            "casualty": status.casualty(man),
            "held": status.glued(man),
            "flying": status.flies(position, other),
        }
        sigma_in = 0.0 if around is not None else gap.sigma_in
        measured = _gap(sigma_in, f"the gap from {display_name(man.id)} to {display_name(other.id)}")
        title = f"{'Get out of' if around is not None else 'Get into'} {display_name(other.id)}"
        bar = _not_landed(position, man)
        yield Action(title, "board", facts, (man.id,), (other.id,), measured=measured, blocked_by=bar)


def _landings(position: Position, craft: Unit) -> Iterator[Action]:
    if status.kind(position, craft).flies:
        facts = {
            **status.step(position, craft),
            "unit": status.kind_name(position, craft),
            "casualty": status.casualty(craft),
            "landed": not status.flies(position, craft),
        }
        yield Action("Land", "land", facts, (craft.id,))


def _turrets(position: Position, tank: Unit) -> Iterator[Action]:
    turret = any(row.turret for row in status.weapons(position, tank).values())
    if not turret or status.phase_number(position) != MOVING or status.waits(position.state, tank):
        return
    facts = {
        **status.step(position, tank),
        "unit": status.kind_name(position, tank),
        "casualty": status.casualty(tank),
    }
    for enemy in status.targets(position, tank):
        yield Action(f"Turn the turret to {display_name(enemy.id)}", "turn_turret", facts, (tank.id,), (enemy.id,))


def _hitches(position: Position, vehicle: Unit) -> Iterator[Action]:
    """Hitching a gun beside it to a truck or jeep, or letting go of it."""
    name = status.kind_name(position, vehicle)
    if name not in TRACTORS:
        return
    behind = status.towed(position, vehicle)
    for gun in status.friends(position, vehicle):
        if status.kind(position, gun).target != "cannon" or (status.tractor(position, gun) and gun not in behind):
            continue
        gap = position.measure(position.figure(vehicle.id), position.figure(gun.id))
        facts = {
            **status.step(position, vehicle),
            "vehicle": name,
            "gun": status.kind_name(position, gun),
            "edge_in": 0.0 if gun in behind else round(gap.edge_in, 2),
        }
        sigma_in = 0.0 if gun in behind else gap.sigma_in
        measured = _gap(sigma_in, f"the gap from {display_name(vehicle.id)} to {display_name(gun.id)}")
        title = f"{'Unhitch' if gun in behind else 'Hitch up'} {display_name(gun.id)}"
        bar = _bar(position, vehicle)
        yield Action(title, "hitch", facts, (vehicle.id,), (gun.id,), measured=measured, blocked_by=bar)


# What is owed by nobody alone.


def obligations(position: Position) -> Iterator[Action]:
    """Who moves first; mines, tracks and water that somebody met; casualties as a phase closes; crews; who has won."""
    state = position.state
    every_turn = position.game.rules.chooses("order_every_turn", True)
    told = state.this_turn if every_turn else state.statuses
    if status.ORDER not in told and (every_turn or not state.turn):
        yield Action("Who moves first", "move_order", {"players": list(state.sides)}, has_odds=False, owed="AM-06")
    yield from _draw(position)
    yield from _heroes(position)
    for unit in state.units.values():
        if unit.id in position.figures and not unit.out:
            yield from _met_on_the_way(position, unit)
        if unit.statuses.get(status.CREW) == status.TRAPPED:
            inside = sum(status.fit(one) for one in status.carried(position, unit))
            facts = {"destroyed": status.kind_name(position, unit), "crew": inside or 1}
            title = f"The men inside {display_name(unit.id)}"
            yield Action(title, "crew_survival", facts, at=(unit.id,), owed="AM-105")
    yield from _casualties(position)
    yield from _goals(position)


def _draw(position: Position) -> Iterator[Action]:
    """Who plays which army, drawn once the table is laid out."""
    state = position.state
    players = [f"player {number}" for number in range(1, len(state.sides) + 1)]
    if not state.turn and status.plays(players[0]) not in state.statuses:
        facts = {"players": players, "colours": list(state.sides)}
        yield Action("Draw the armies", "draw_armies", facts, has_odds=False)


def _heroes(position: Position) -> Iterator[Action]:
    """Heroes have names, which their own cards or the players tell."""
    for side in position.state.sides if not position.state.turn else ():
        men = [one for one in position.state.standing(side) if status.card(position, one, "hero")]
        if men:
            names = [
                str(one.statuses.get("name") or status.card(position, one, "name") or display_name(one.id))
                for one in men
            ]
            yield Action(
                f"The heroes of {display_name(side)}", "hero_names", {"names": names}, at=tuple(one.id for one in men)
            )


def _met_on_the_way(position: Position, unit: Unit) -> Iterator[Action]:
    """Dice that a move owes, as long as units move."""
    if status.phase_number(position) != MOVING:
        return
    if unit.this_turn.get(status.IN_MINES) and status.fit(unit):
        facts = {
            "unit": status.kind_name(position, unit),
            "heavy": bool(status.card(position, unit, "heavy")),
            "attacked_by_mines_this_turn": "minefield" in unit.acts_this_turn,
        }
        title = f"Mines under {display_name(unit.id)}"
        yield Action(title, "minefield", facts, (unit.id,), round="Mines and tracks", owed="AM-70")
    for name in unit.this_turn.get(status.RAN_OVER, ()):
        run = {"unit": status.kind_name(position, unit), "target": status.kind_name(position, position.unit(name))}
        title = f"{display_name(unit.id)} runs over {display_name(name)}"
        yield Action(title, "overrun", run, (unit.id,), (name,), round="Mines and tracks", owed="AM-26")
    if _swims(position, unit) and "swim" not in unit.acts_this_turn:
        title, facts = f"{display_name(unit.id)} swims", _tried(position, unit, "swim")
        yield Action(title, "swim", facts, (unit.id,), round="Swimming", owed="AM-30")


def _swims(position: Position, unit: Unit) -> bool:
    """Whether a soldier is in the water as his side moves, or has swum through it."""
    able = status.is_man(position, unit) and status.fit(unit) and status.carrier(position, unit) is None
    now = position.state.turn > 0 and not status.waits(position.state, unit)
    wet = any(piece.kind is TerrainKind.WATER for piece in status.ground(position, unit))
    return able and now and (wet or bool(unit.this_turn.get(status.SWAM)))


def _casualties(position: Position) -> Iterator[Action]:
    """Each side's losses come off as the phase closes."""
    for side in position.state.sides:
        down = [one.id for one in position.state.standing(side) if one.statuses.get(status.DOWN)]
        if not down:
            continue
        kept = int(position.state.statuses.get(status.kept_by(side), 0))
        facts: dict[str, object] = {"casualties": len(down), "kept_before": kept}
        if position.game.rules.chooses("wounded_limit", 0):
            facts["wanted"] = 0
        yield Action(f"The casualties of {display_name(side)}", "casualties", facts, tuple(down), owed="AM-17")


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
