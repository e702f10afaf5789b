"""Army Men: the questions that stand for all else that a figure may do, and for what is owed by nobody alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from rules.engine.effects import goal_key
from rules.engine.position import Position
from rules.engine.referee import Deed, Measured
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


def others(moment: Position, figure: str) -> Iterator[Deed]:
    """Bursts at several targets, and all that is no attack."""
    man = moment.unit(figure)
    if man.out:
        return
    yield from bursts(moment, man)
    yield from _jams(moment, man)
    yield from _ports(moment, man)
    yield from _treatments(moment, man)
    yield from _earthworks(moment, man)
    yield from _clearings(moment, man)
    yield from _sweeps(moment, man)
    yield from _feats(moment, man)
    yield from _boardings(moment, man)
    yield from _hitches(moment, man)
    yield from _landings(moment, man)
    yield from _turrets(moment, man)


def _bar(moment: Position, man: Unit) -> Verdict | None:
    """What keeps him from doing anything by hand: casualties do nothing, passengers nothing but shoot."""
    rules, around = moment.game.rules, status.carrier(moment, man)
    if status.casualty(man):
        return forbidden("casualty", rules.because("AM-17"))
    if around is not None and status.kind(moment, around).vehicle:
        return forbidden("aboard", rules.because("AM-112", "the men inside get out before they do anything else"))
    return _not_landed(moment, man)


def _not_landed(moment: Position, man: Unit) -> Verdict | None:
    """What keeps a paratrooper from doing anything else before his drop and in its turn."""
    if status.in_the_air(moment, man) or status.dropped(man):
        return forbidden("dropped_this_turn", moment.game.rules.because("AM-33"))
    return None


def _waits(moment: Position, man: Unit) -> dict[str, bool]:
    return {"waits": status.waits(moment.state, man)}


def _jams(moment: Position, man: Unit) -> Iterator[Deed]:
    for weapon in status.weapons(moment, man):
        if status.jammed(man, weapon):
            facts = {
                "weapon": weapon,
                "phase": moment.state.phase,
                "turns_since_jam": 0 if man.this_turn.get(status.jam(weapon)) else 1,
                "attacks_made_this_turn": status.attacks_made(man),
            }
            title = f"Clear the {display_name(weapon).lower()}"
            bar = forbidden("casualty", moment.game.rules.because("AM-17")) if status.casualty(man) else None
            yield Deed(title, "clear_jam", facts, (man.id,), weapon=weapon, bar=bar)


def _ports(moment: Position, man: Unit) -> Iterator[Deed]:
    """Flames and grenades through the port of a pillbox, from where its men cannot fire."""
    boxes = [one for one in status.targets(moment, man) if status.kind(moment, one).hard == "pillbox"]
    carried = [weapon for weapon in status.weapons(moment, man) if weapon in THROUGH_THE_PORT]
    action = "attack_pillbox_from_safe_zone"
    nothing_to_ask = {one.fact: one.default for one in moment.game.questions(action)}
    for box, weapon in product(boxes, carried):
        facts = {
            **nothing_to_ask,
            **firer(moment, man, weapon),
            "zone": zone_of(moment, box, moment.figure(man.id)),
            "distance_in": round(moment.measure(moment.figure(man.id), moment.figure(box.id)).edge_in, 2),
        }
        men = tuple(one.id for one in status.carried(moment, box) if status.fit(one))
        title = f"{display_name(weapon)} through the port of {display_name(box.id)}"
        yield Deed(title, action, facts, (man.id,), (box.id, *men), weapon)


def _treatments(moment: Position, man: Unit) -> Iterator[Deed]:
    if not status.card(moment, man, "medic"):
        return
    for other in moment.state.standing(man.side):
        if other.id == man.id or other.id not in moment.figures or not other.statuses.get(status.WOUNDED):
            continue
        gap = moment.measure(moment.figure(man.id), moment.figure(other.id))
        treated = bool(other.this_turn.get(status.TREATED)) or "medic" in man.acts_this_turn
        facts = {
            **_waits(moment, man),
            "edge_in": round(gap.edge_in, 2),
            "wounded": True,
            "treated_this_turn": treated,
        }
        measured = _gap(gap.sigma_in, f"the gap from {display_name(man.id)} to {display_name(other.id)}")
        title, bar = f"Treat {display_name(other.id)}", _bar(moment, man)
        yield Deed(title, "medic", facts, (man.id,), (other.id,), measured=measured, bar=bar)


def _gap(sigma_in: float, what: str, *fact: str) -> tuple[Measured, ...]:
    return (Measured(fact or ("edge_in",), sigma_in, what),) if sigma_in > 0 else ()


def _earthworks(moment: Position, man: Unit) -> Iterator[Deed]:
    if not status.card(moment, man, "shovel") or man.statuses.get(status.ENTRENCHED):
        return
    facts = {
        **_waits(moment, man),
        "turns_digging": int(man.statuses.get(status.DIGGING, 0)) + 1,
        "shovels": True,
        "unit": status.kind_name(moment, man),
        "busy_this_turn": bool(man.this_turn.get(status.MOVED)) or status.attacks_made(man) > 0,
    }
    yield Deed("Dig in", "entrench", facts, (man.id,), bar=_bar(moment, man))


def _clearings(moment: Position, man: Unit) -> Iterator[Deed]:
    """Obstacles that he may clear away by hand, or shoot away."""
    tables = moment.game.rules.tables
    obstacles = {row.terrain: name for name, row in tables.obstacles.items()}
    pieces = [one for one in moment.terrain if one.kind in obstacles and one.name not in status.cleared(moment)]
    hands = ["engineer"] if status.card(moment, man, "engineer") else []
    for piece, by in product(pieces, [*hands, *status.weapons(moment, man)]):
        obstacle = obstacles[piece.kind]
        if not as_what(moment.game.rules, by) & set(tables.obstacles[obstacle].destroyed_by):
            continue
        away = range_to(moment.figure(man.id), piece.outline_in)
        weapon = "" if by in hands else by
        facts = {**_waits(moment, man), "obstacle": obstacle, "by": by}
        gap = {"distance_in": round(away.edge_in, 2)}
        if weapon:
            facts["shot"] = {**firer(moment, man, weapon), **gap}
        else:
            moved, attacks = bool(man.this_turn.get(status.MOVED)), status.attacks_made(man)
            facts |= {**gap, "moved_this_turn": moved, "attacks_made_this_turn": attacks}
        fact = ("shot", "distance_in") if weapon else ("distance_in",)
        measured = _gap(away.sigma_in, f"the way from {display_name(man.id)} to {display_name(piece.name)}", *fact)
        how = f" with the {display_name(weapon).lower()}" if weapon else ""
        title, bar = f"Destroy {display_name(piece.name)}{how}", _bar(moment, man)
        yield Deed(
            title, "destroy_obstacle", facts, (man.id,), weapon=weapon, measured=measured, bar=bar, piece=piece.name
        )


def _sweeps(moment: Position, man: Unit) -> Iterator[Deed]:
    if not status.card(moment, man, "mine_detector"):
        return
    for piece in moment.terrain:
        if piece.kind is not TerrainKind.MINE or piece.name in status.cleared(moment):
            continue
        away = range_to(moment.figure(man.id), piece.outline_in)
        done_in = float(moment.state.statuses.get(status.swept(piece.name), 0.0))
        facts = {
            **_waits(moment, man),
            "mine_distance_in": round(away.edge_in, 2),
            "path_in": round(max(0.0, _across_in(piece) - done_in), 1),
            "swept_this_turn": status.attacks_made(man) > 0,
        }
        measured = _gap(
            away.sigma_in, f"the way from {display_name(man.id)} to {display_name(piece.name)}", "mine_distance_in"
        )
        title, bar = f"Sweep {display_name(piece.name)}", _bar(moment, man)
        yield Deed(title, "mine_detector", facts, (man.id,), measured=measured, bar=bar, piece=piece.name)


def _across_in(piece: TerrainPiece) -> float:
    """The longest way through a piece."""
    return max(math.dist(a, b) for a, b in product(piece.outline_in, repeat=2))


def _feats(moment: Position, man: Unit) -> Iterator[Deed]:
    """What takes a die as one moves: a cliff, the landing of a paratrooper."""
    if not status.is_man(moment, man):
        return
    here, bar = moment.figure(man.id), _bar(moment, man)
    for piece in moment.terrain:
        if piece.kind in CLIFFS and here.z_in < piece.top_in:
            gap = range_to(here, piece.outline_in)
            facts = _tried(moment, man, "climb") | {"edge_in": round(gap.edge_in, 2)}
            measured = _gap(gap.sigma_in, f"the gap from {display_name(man.id)} to {display_name(piece.name)}")
            title = f"Climb {display_name(piece.name)}"
            yield Deed(title, "climb", facts, (man.id,), measured=measured, bar=bar, piece=piece.name)
    if status.in_the_air(moment, man):
        walked = bool(man.this_turn.get(status.MOVED)) and status.carrier(moment, man) is None
        busy = walked or status.attacks_made(man) > 0
        facts = {**_tried(moment, man, "paratrooper"), "busy_this_turn": busy}
        casualty = forbidden("casualty", moment.game.rules.because("AM-17")) if status.casualty(man) else None
        yield Deed("Land by parachute", "paratrooper", facts, (man.id,), bar=casualty)


def _tried(moment: Position, man: Unit, action: str) -> dict[str, object]:
    return {**status.step(moment, man), "tried_this_turn": action in man.acts_this_turn}


def _boardings(moment: Position, man: Unit) -> Iterator[Deed]:
    """Getting into what carries men, or out of it."""
    if not status.is_man(moment, man):
        return
    around = status.carrier(moment, man)
    near = [around] if around is not None else status.friends(moment, man)
    for other in near:
        if not status.kind(moment, other).carries or other.id not in moment.figures:
            continue
        gap = moment.measure(moment.figure(man.id), moment.figure(other.id))
        facts = {
            **status.step(moment, man),
            "vehicle": status.kind_name(moment, other),
            "edge_in": 0.0 if around is not None else round(gap.edge_in, 2),
            "casualty": status.casualty(man),
            "held": status.glued(man),
            "flying": status.flies(moment, other),
        }
        sigma_in = 0.0 if around is not None else gap.sigma_in
        measured = _gap(sigma_in, f"the gap from {display_name(man.id)} to {display_name(other.id)}")
        title = f"{'Get out of' if around is not None else 'Get into'} {display_name(other.id)}"
        bar = _not_landed(moment, man)
        yield Deed(title, "board", facts, (man.id,), (other.id,), measured=measured, bar=bar)


def _landings(moment: Position, craft: Unit) -> Iterator[Deed]:
    if status.kind(moment, craft).flies:
        facts = {
            **status.step(moment, craft),
            "unit": status.kind_name(moment, craft),
            "casualty": status.casualty(craft),
            "landed": not status.flies(moment, craft),
        }
        yield Deed("Land", "land", facts, (craft.id,))


def _turrets(moment: Position, tank: Unit) -> Iterator[Deed]:
    turret = any(row.turret for row in status.weapons(moment, tank).values())
    if not turret or status.phase_number(moment) != MOVING or status.waits(moment.state, tank):
        return
    facts = {
        **status.step(moment, tank),
        "unit": status.kind_name(moment, tank),
        "casualty": status.casualty(tank),
    }
    for enemy in status.targets(moment, tank):
        yield Deed(f"Turn the turret to {display_name(enemy.id)}", "turn_turret", facts, (tank.id,), (enemy.id,))


def _hitches(moment: Position, vehicle: Unit) -> Iterator[Deed]:
    """Hitching a gun beside it to a truck or jeep, or letting go of it."""
    name = status.kind_name(moment, vehicle)
    if name not in TRACTORS:
        return
    behind = status.towed(moment, vehicle)
    for gun in status.friends(moment, vehicle):
        if status.kind(moment, gun).target != "cannon" or (status.tractor(moment, gun) and gun not in behind):
            continue
        gap = moment.measure(moment.figure(vehicle.id), moment.figure(gun.id))
        facts = {
            **status.step(moment, vehicle),
            "vehicle": name,
            "gun": status.kind_name(moment, gun),
            "edge_in": 0.0 if gun in behind else round(gap.edge_in, 2),
        }
        sigma_in = 0.0 if gun in behind else gap.sigma_in
        measured = _gap(sigma_in, f"the gap from {display_name(vehicle.id)} to {display_name(gun.id)}")
        title = f"{'Unhitch' if gun in behind else 'Hitch up'} {display_name(gun.id)}"
        bar = _bar(moment, vehicle)
        yield Deed(title, "hitch", facts, (vehicle.id,), (gun.id,), measured=measured, bar=bar)


# What is owed by nobody alone.


def duties(moment: Position) -> Iterator[Deed]:
    """Who moves first; mines, tracks and water that somebody met; casualties as a phase closes; crews; who has won."""
    state = moment.state
    every_turn = moment.game.rules.chooses("order_every_turn", True)
    told = state.this_turn if every_turn else state.statuses
    if status.ORDER not in told and (every_turn or not state.turn):
        yield Deed("Who moves first", "move_order", {"players": list(state.sides)}, listed=False, owed="AM-06")
    yield from _draw(moment)
    yield from _heroes(moment)
    for unit in state.units.values():
        if unit.id in moment.figures and not unit.out:
            yield from _met_on_the_way(moment, unit)
        if unit.statuses.get(status.CREW) == status.TRAPPED:
            inside = sum(status.fit(one) for one in status.carried(moment, unit))
            facts = {"destroyed": status.kind_name(moment, unit), "crew": inside or 1}
            title = f"The men inside {display_name(unit.id)}"
            yield Deed(title, "crew_survival", facts, at=(unit.id,), owed="AM-105")
    yield from _casualties(moment)
    yield from _goals(moment)


def _draw(moment: Position) -> Iterator[Deed]:
    """Who plays which army, drawn once the table is laid out."""
    state = moment.state
    players = [f"player {number}" for number in range(1, len(state.sides) + 1)]
    if not state.turn and status.plays(players[0]) not in state.statuses:
        facts = {"players": players, "colours": list(state.sides)}
        yield Deed("Draw the armies", "draw_armies", facts, listed=False)


def _heroes(moment: Position) -> Iterator[Deed]:
    """Heroes have names, which their own cards or the players tell."""
    for side in moment.state.sides if not moment.state.turn else ():
        men = [one for one in moment.state.standing(side) if status.card(moment, one, "hero")]
        if men:
            names = [
                str(one.statuses.get("name") or status.card(moment, one, "name") or display_name(one.id)) for one in men
            ]
            yield Deed(
                f"The heroes of {display_name(side)}", "hero_names", {"names": names}, at=tuple(one.id for one in men)
            )


def _met_on_the_way(moment: Position, unit: Unit) -> Iterator[Deed]:
    """Dice that a move owes, as long as units move."""
    if status.phase_number(moment) != MOVING:
        return
    if unit.this_turn.get(status.IN_MINES) and status.fit(unit):
        facts = {
            "unit": status.kind_name(moment, unit),
            "heavy": bool(status.card(moment, unit, "heavy")),
            "attacked_by_mines_this_turn": "minefield" in unit.acts_this_turn,
        }
        title = f"Mines under {display_name(unit.id)}"
        yield Deed(title, "minefield", facts, (unit.id,), round="Mines and tracks", owed="AM-70")
    for name in unit.this_turn.get(status.RAN_OVER, ()):
        run = {"unit": status.kind_name(moment, unit), "target": status.kind_name(moment, moment.unit(name))}
        title = f"{display_name(unit.id)} runs over {display_name(name)}"
        yield Deed(title, "overrun", run, (unit.id,), (name,), round="Mines and tracks", owed="AM-26")
    if _swims(moment, unit) and "swim" not in unit.acts_this_turn:
        title, facts = f"{display_name(unit.id)} swims", _tried(moment, unit, "swim")
        yield Deed(title, "swim", facts, (unit.id,), round="Swimming", owed="AM-30")


def _swims(moment: Position, unit: Unit) -> bool:
    """Whether a soldier is in the water as his side moves, or has swum through it."""
    able = status.is_man(moment, unit) and status.fit(unit) and status.carrier(moment, unit) is None
    now = moment.state.turn > 0 and not status.waits(moment.state, unit)
    wet = any(piece.kind is TerrainKind.WATER for piece in status.ground(moment, unit))
    return able and now and (wet or bool(unit.this_turn.get(status.SWAM)))


def _casualties(moment: Position) -> Iterator[Deed]:
    """Each side's losses come off as the phase closes."""
    for side in moment.state.sides:
        down = [one.id for one in moment.state.standing(side) if one.statuses.get(status.DOWN)]
        if not down:
            continue
        kept = int(moment.state.statuses.get(status.kept_by(side), 0))
        facts: dict[str, object] = {"casualties": len(down), "kept_before": kept}
        if moment.game.rules.chooses("wounded_limit", 0):
            facts["wanted"] = 0
        yield Deed(f"The casualties of {display_name(side)}", "casualties", facts, tuple(down), owed="AM-17")


def _goals(moment: Position) -> Iterator[Deed]:
    state = moment.state
    for side in state.sides:
        left = {one: _left(moment, one) for one in state.sides}
        enemies = sum(number for other, number in left.items() if other != side)
        goal = state.statuses.get(goal_key(side), USUAL_GOAL)
        facts: dict[str, object] = {"side": side, "goal": goal, "enemies_left": enemies, "own_left": left[side]}
        if moment.game.rules.tables.goals[goal].counted:
            facts["done"] = False
        yield Deed(f"Has {display_name(side)} won", "victory", facts)


def _left(moment: Position, side: str) -> int:
    """How many of a side are left: whoever is hit counts to the end of the phase, a pillbox alone does not."""
    standing = [one for one in moment.state.standing(side) if not one.statuses.get(status.WOUNDED)]
    return sum(status.kind(moment, one).hard != "pillbox" for one in standing)
