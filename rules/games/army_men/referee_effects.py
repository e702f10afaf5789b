"""Army Men: the effects of verdicts that depend on the table: casualties, jams, moves, and sightings on the way."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from shapely.geometry import Point, Polygon
from shapely.ops import nearest_points

from rules.engine.action import Action
from rules.engine.dice import no_dice
from rules.engine.effects import WRECK, carried_move, eliminations, moves_along, status_changes
from rules.engine.events import Change, Effects, Move, plain
from rules.engine.position import Position
from rules.engine.referee import effects_of
from rules.engine.ruleset import limit
from rules.engine.state import ELIMINATED, Unit
from rules.engine.verdict import Verdict
from rules.games.army_men import status
from rules.games.army_men.bursts import caught, explosion
from rules.games.army_men.hard import ZoneOfPillbox
from rules.games.army_men.mines import Lane, lane_ahead, lanes, lanes_walked, mines_met
from rules.games.army_men.referee_fire import target_zone
from rules.games.army_men.tables import Effect
from rules.games.army_men.turn import is_silent
from rules.tabletop.bearing import Compass, bearing_deg, drifted, onward
from rules.tabletop.path import Path, contacts, length_in, places_along
from rules.tabletop.sight import exposures
from rules.tabletop.table import Figure, PointIn, TerrainKind, TerrainPiece, area_of
from rules.tabletop.template import under
from rules.tabletop.tolerance import EXACT, reaches

LOOK_IN = 1.0
"""The distance between the places along a move where enemies may see it."""
FOOTHOLD_IN = 0.6
"""How far from the edge a climber stands at the top: on his whole base."""
OVER_IN = 0.01
"""How far a tank is over a man's base if it runs over him; one that only touches him does not."""

Changes = Iterator[Change]


def effects(position: Position, action: Action, found: Verdict) -> Effects:
    """The effects of a verdict."""
    if action.name in _MOVES:
        return _MOVES[action.name](position, action, found)
    carried = effects_of(position, action, found)
    more = _CHANGES[action.name](position, action, found) if action.name in _CHANGES else ()
    return replace(carried, changes=(*carried.changes, *more))


# Who is hit.


def hit(position: Position, name: str, rule: str, *, answers: bool = False, silent: bool = False) -> Changes:
    """A figure is hit; where all fire at once it waits for the end of the phase, and a hero has lives to lose.

    The target of opportunity fire in the phase of movement waits as well, because it `answers`; one that was hit by a
    `silent` weapon does not.
    """
    unit, rules = position.unit(name), position.game.rules
    if not status.fit(unit):
        return
    if status.card(position, unit, "hero"):
        lost = int(unit.statuses.get(status.ELIMINATIONS, 0)) + 1
        yield Change(figure=name, key=status.ELIMINATIONS, value=lost, rule="AM-115")
        if not position.game.ask("hero_status", {"eliminations": lost}, no_dice).numbers["removed"]:
            return
    phase = rules.tables.phases.get(position.state.phase)
    if silent or phase is None or not (phase.simultaneous or answers):
        yield from eliminations([name], rule)
        return
    yield Change(figure=name, key=status.DOWN, value=True, rule=rule)
    yield Change(figure=name, key=status.DOWN_IN_PHASE, value=phase.number, rule="AM-15", this_turn=True)


def _struck(
    position: Position, name: str, numbers: Mapping[str, Any], *, answers: bool = False, silent: bool = False
) -> Changes:
    """The effect of an attack on one target."""
    result = numbers.get("hard_result")
    if numbers["target_eliminated"]:
        yield from _lost(position, name, "AM-40", answers=answers, silent=silent)
    if result == "immobilized":
        yield Change(figure=name, key=status.IMMOBILIZED, value=True, rule="AM-95")
    if result == "stunned":
        yield Change(figure=name, key=status.STUNNED, value=position.state.turn, rule="AM-96")
        phase = status.phase_number(position)
        yield Change(figure=name, key=status.STUNNED_IN_PHASE, value=phase, rule="AM-96", this_turn=True)
    if numbers.get("immobilized"):
        this_turn = position.game.rules.chooses("glue_lasts", "turn")
        yield Change(figure=name, key=status.GLUED, value=True, rule="AM-62", this_turn=this_turn)
    if result == "immobilized" or numbers.get("immobilized"):
        phase = status.phase_number(position)
        yield Change(figure=name, key=status.HELD_IN_PHASE, value=phase, rule="AM-15", this_turn=True)
    if numbers.get("explodes"):
        yield from _explosion(position, name, answers=answers)


def _explosion(position: Position, name: str, *, answers: bool = False) -> Changes:
    """The effect of a flame-thrower that explodes on everyone around it."""
    there = [position.figure(one) for one in _burnt(position) if one != name]
    burst = explosion(position.game.rules, position.figure(name).centre_in)
    burnt = caught(position.game.rules, under(burst, there))
    for other in burnt:
        if not _rides_in(position, other, burnt):
            yield from _lost(position, other, "AM-82", answers=answers)
            yield from _ignited(position, other)


def _ignited(position: Position, name: str) -> Changes:
    """A flame-thrower hit by something other than an attack roll: whether it explodes is owed."""
    unit = position.unit(name)
    flames = any(weapon.cone_in for weapon in status.weapons(position, unit).values())
    if flames and status.fit(unit):
        yield Change(figure=name, key=status.IGNITED, value=True, rule="AM-82")


def _burnt_out(position: Position, action: Action, found: Verdict) -> Changes:
    """Whether a flame-thrower that was hit explodes."""
    [name] = action.at
    yield Change(figure=name, key=status.IGNITED, value=None, rule="AM-82")
    if found.numbers["explodes"]:
        yield from _explosion(position, name)


def _rides_in(position: Position, name: str, lost: Collection[str]) -> bool:
    """Whether a figure is inside one of these: a shot does not kill it twice, it shares the fate of the crew."""
    around = status.carrier(position, position.unit(name))
    return around is not None and around.id in lost


def _lost(position: Position, name: str, rule: str, *, answers: bool, silent: bool = False) -> Changes:
    """A unit is eliminated; a vehicle leaves a wreck, and a die falls for the men inside, or they die with it."""
    changes = tuple(hit(position, name, rule, answers=answers, silent=silent))
    yield from changes
    wreck = position.unit(name)
    if status.kind(position, wreck).vehicle:
        yield Change(figure=name, key=WRECK, value=True, rule="AM-104")
    row = position.game.rules.tables.crew_survival.get(status.kind_name(position, wreck))
    if row is not None and row.survives_to == 0:
        gone = any(one.key == ELIMINATED for one in changes)
        yield from _inside(position, wreck, (), gone=gone, answers=answers)
    elif row is not None and (status.manning(position, wreck) or not _boarded_by(position, wreck)):
        yield Change(figure=name, key=status.CREW, value=status.TRAPPED, rule="AM-105")


def _burnt(position: Position) -> Iterator[str]:
    """The units that the explosion of a flame-thrower can eliminate: armour and walls are immune to it (AM-93)."""
    flame = position.game.rules.tables.effects["flame_thrower"]
    for unit in position.state.units.values():
        burns = getattr(flame, status.kind(position, unit).target) is Effect.ELIMINATES
        if burns and not status.sealed(position, unit) and unit.id in position.figures:
            yield unit.id


def _boarded_by(position: Position, wreck: Unit) -> bool:
    """Whether men were put inside, dead or alive; otherwise its own crew is."""
    return any(one.statuses.get(status.INSIDE) == wreck.id for one in position.state.units.values())


def _fired(position: Position, action: Action, found: Verdict) -> Changes:
    """The effects of any attack on the attacker, and on the targets of opportunity fire."""
    man = position.unit(action.by[0])
    fired = [*man.this_turn.get(status.FIRED, ()), action.weapon]
    yield Change(figure=man.id, key=status.FIRED, value=fired, rule="AM-37", this_turn=True)
    if found.numbers.get("jammed"):
        yield Change(figure=man.id, key=status.JAM.format(action.weapon), value=True, rule="AM-75")
        yield Change(figure=man.id, key=status.JAM.format(action.weapon), value=True, rule="AM-75", this_turn=True)
    if found.numbers.get("out_of_ammo"):
        yield Change(figure=man.id, key=status.OUT_OF_AMMO.format(action.weapon), value=True, rule="AM-77")
    if action.given.get("fixed_location"):
        known: list[Any] = list(man.statuses.get(status.RANGED_IN, ()))
        location = action.at[0] if action.spot_in is None else [round(inches, 1) for inches in action.spot_in]
        if location not in known:
            yield Change(figure=man.id, key=status.RANGED_IN, value=[*known, location], rule="AM-91")
    if action.given.get("opportunity"):
        for target in map(position.unit, action.at):
            by = {**target.this_turn.get(status.FIRED_ON_BY, {}), man.id: action.weapon}
            yield Change(figure=target.id, key=status.FIRED_ON_BY, value=by, rule="AM-35", this_turn=True)


def _attacked(position: Position, action: Action, found: Verdict) -> Changes:
    """The effect of an attack on each target, once for one that is both in the blast and in an explosion."""
    yield from _fired(position, action, found)
    numbers_of = zip(action.given.get("targets", action.at), found.numbers.get("each", [found.numbers]), strict=False)
    done: dict[tuple[str, str, bool], Change] = {}
    answers, silent = bool(action.given.get("opportunity")), is_silent(position.game.rules, action.weapon)
    struck = dict(numbers_of)
    lost = [name for name, numbers in struck.items() if numbers["target_eliminated"]]
    for name, numbers in struck.items():
        if _rides_in(position, name, lost):
            continue
        for change in _struck(position, name, numbers, answers=answers, silent=silent):
            if change.key == status.IGNITED and change.figure in lost:
                continue  # Its die fell with the attack.
            done.setdefault((change.figure, change.key, change.this_turn), change)
    yield from done.values()


def _through_the_port(position: Position, action: Action, found: Verdict) -> Changes:
    yield from _fired(position, action, found)
    for man in action.at[1:] if found.numbers["occupants_destroyed"] else ():
        yield from hit(position, man, "AM-111")
        yield from _ignited(position, man)


def _casualties(position: Position, action: Action, found: Verdict) -> Changes:
    """As a phase closes: the first of them stay as wounded men, the others come off."""
    kept = [name for name in action.by if status.is_man(position, position.unit(name))][: found.numbers["kept"]]
    yield from status_changes(kept, status.DOWN, None, "AM-17")
    yield from status_changes(kept, status.WOUNDED, True, "AM-17")
    gone = [name for name in action.by if name not in kept]
    yield from eliminations(gone, "AM-17")
    yield from status_changes(_freed(position, gone), status.INSIDE, None, "AM-105")
    side = position.unit(action.by[0]).side
    before = int(position.state.statuses.get(status.KEPT.format(side), 0))
    if kept:
        yield Change(figure="", key=status.KEPT.format(side), value=before + len(kept), rule="AM-17")


def _freed(position: Position, wrecks: Sequence[str]) -> list[str]:
    """The men inside wrecks whose survival was rolled."""
    safe = [name for name in wrecks if position.unit(name).statuses.get(status.CREW) != status.TRAPPED]
    return [one.id for name in safe for one in status.carried(position, position.unit(name))]


def _crew(position: Position, action: Action, found: Verdict) -> Changes:
    """Whether the men in a wreck get out; men that were put inside share the fate of its crew.

    Where all fire at once, they stay in it and fire until the phase ends.
    """
    wreck = position.unit(action.at[0])
    crew = "safe" if found.numbers["survives"] else "dead"
    yield Change(figure=wreck.id, key=status.CREW, value=crew, rule="AM-105")
    yield from _inside(position, wreck, found.numbers["saved"], gone=wreck.out)


def _inside(position: Position, wreck: Unit, saved: Sequence[bool], *, gone: bool, answers: bool = False) -> Changes:
    """The fate of the men in a wreck, in their order; they leave it if it is `gone` already."""
    for place, man in enumerate(status.manning(position, wreck)):
        if gone:
            yield Change(figure=man.id, key=status.INSIDE, value=None, rule="AM-105")
        if not any(saved[place : place + 1]):
            wounded = man.statuses.get(status.WOUNDED)
            killed = eliminations([man.id], "AM-105") if wounded else hit(position, man.id, "AM-105", answers=answers)
            yield from killed


# Other actions.


def _cleared_jam(position: Position, action: Action, found: Verdict) -> Changes:
    if found.numbers["fixed"]:
        for key in (status.JAM.format(action.weapon), status.JAMMED):
            if position.unit(action.by[0]).statuses.get(key):
                yield Change(figure=action.by[0], key=key, value=None, rule="AM-76")
    if not found.numbers["may_fire_this_turn"]:
        yield Change(figure=action.by[0], key=status.BUSY, value=1, rule="AM-76", this_turn=True)


def _destroyed(position: Position, action: Action, found: Verdict) -> Changes:
    """An obstacle is gone; a weapon that destroyed it has fired."""
    yield from _fired(position, action, found) if action.weapon else ()
    yield _gone(position, action, "AM-67")


def _swept(position: Position, action: Action, found: Verdict) -> Changes:
    key = status.SWEPT.format(action.piece)
    done_in = float(position.state.statuses.get(key, 0.0)) + float(found.numbers["cleared_in"])
    yield Change(figure="", key=key, value=round(done_in, 1), rule="AM-69")
    field = next(piece for piece in position.terrain if piece.name == action.piece)
    if found.numbers["cleared_in"]:
        lane = lane_ahead(position, position.figure(action.by[0]), field, found.numbers["cleared_in"])
        yield _swept_through(field, [*lanes(position, field), lane])
    if found.numbers["cleared_in"] and float(found.numbers["cleared_in"]) >= action.given["path_in"]:
        yield _gone(position, action, "AM-69")


def _swept_through(field: TerrainPiece, known: Sequence[Lane]) -> Change:
    return Change(figure="", key=status.LANES.format(field.name), value=[plain(one) for one in known], rule="AM-69")


def _gone(position: Position, action: Action, rule: str) -> Change:
    """The piece that the action is done to no longer stands in the way."""
    return Change(figure="", key=status.CLEARED, value=sorted({*status.cleared(position), action.piece}), rule=rule)


def _climbed(position: Position, action: Action, found: Verdict) -> Effects:
    """A climber gains height, and at the top he stands on the cliff."""
    [name] = action.by
    if found.numbers["dead"]:
        return Effects(changes=tuple(hit(position, name, "AM-27")))
    before_in = float(position.unit(name).statuses.get(status.CLIMBED, 0.0))
    done_in = before_in + found.numbers["climbed_in"]
    here, cliff = position.figure(name), next(piece for piece in position.terrain if piece.name == action.piece)
    if not found.numbers["climbed_in"]:
        return Effects()
    if not reaches(here.z_in + done_in, cliff.top_in):
        return Effects(changes=(Change(figure=name, key=status.CLIMBED, value=done_in, rule="AM-27"),))
    top = _edge_of(cliff, here.centre_in)
    up = Move(figure=name, from_in=here.centre_in, to_in=top, moved_in=math.dist(here.centre_in, top), cost_in=0.0)
    changes = status_changes([name] if before_in else [], status.CLIMBED, None, "AM-27")
    return Effects(moves=(up,), changes=changes)


def _edge_of(cliff: TerrainPiece, from_in: PointIn) -> PointIn:
    """The place on top of a cliff where a climber arrives."""
    area = Polygon(cliff.outline_in)
    edge = nearest_points(area, Point(from_in))[0].coords[0]
    place = onward((edge[0], edge[1]), bearing_deg(from_in, (edge[0], edge[1])), FOOTHOLD_IN)
    if area.contains(Point(place)):
        return place
    inside = area.representative_point()
    return inside.x, inside.y


def _swum(position: Position, action: Action, found: Verdict) -> Changes:
    if found.numbers["drowned"]:
        yield from hit(position, action.by[0], "AM-30")


def _mined(position: Position, action: Action, found: Verdict) -> Changes:
    left = list(position.unit(action.by[0]).this_turn.get(status.IN_MINES, ()))[1:]
    yield Change(figure=action.by[0], key=status.IN_MINES, value=left or None, rule="AM-70", this_turn=True)
    if found.numbers["hit"]:
        yield from _struck(position, action.by[0], {"target_eliminated": found.numbers["eliminated"], **found.numbers})
        yield from _ignited(position, action.by[0])


def _overran(position: Position, action: Action, found: Verdict) -> Changes:
    tank = position.unit(action.by[0])
    left = [name for name in tank.this_turn.get(status.RAN_OVER, ()) if name not in action.at]
    yield Change(figure=tank.id, key=status.RAN_OVER, value=left or None, rule="AM-26", this_turn=True)
    if found.numbers["eliminated"]:
        yield from hit(position, action.at[0], "AM-26")


def _boarded(position: Position, action: Action, found: Verdict) -> Changes:
    man = position.unit(action.by[0])
    inside = None if man.statuses.get(status.INSIDE) else action.at[0]
    yield Change(figure=man.id, key=status.INSIDE, value=inside, rule="AM-112")
    yield from _out_of_his_hole(man)


def _out_of_his_hole(man: Unit) -> Changes:
    for key in (status.DIGGING, status.ENTRENCHED):
        yield from status_changes([man.id] if man.statuses.get(key) else [], key, None, "AM-92")


def _hitched(position: Position, action: Action, found: Verdict) -> Changes:
    [vehicle], [gun] = action.by, action.at
    behind = None if position.unit(gun).statuses.get(status.TOWED_BY) == vehicle else vehicle
    yield Change(figure=gun, key=status.TOWED_BY, value=behind, rule="AM-A44")


def _aimed(position: Position, action: Action, found: Verdict) -> Changes:
    here, there = (position.figure(name).centre_in for name in (*action.by, *action.at))
    yield Change(figure=action.by[0], key=status.TURRET, value=round(bearing_deg(here, there), 1), rule="AM-25")


_CHANGES: Mapping[str, Callable[[Position, Action, Verdict], Changes]] = {
    "attack": _attacked,
    "burst_rolls": _attacked,
    "blast": _attacked,
    "attack_pillbox_from_safe_zone": _through_the_port,
    "casualties": _casualties,
    "crew_survival": _crew,
    "flame_thrower_hit": _burnt_out,
    "clear_jam": _cleared_jam,
    "destroy_obstacle": _destroyed,
    "mine_detector": _swept,
    "swim": _swum,
    "minefield": _mined,
    "overrun": _overran,
    "board": _boarded,
    "hitch": _hitched,
    "turn_turret": _aimed,
}


# Moves.


def _landed(position: Position, action: Action, found: Verdict) -> Effects:
    """A paratrooper on the ground; past the table's edge he is lost."""
    [name] = action.by
    out = status_changes([name] if status.carrier(position, position.unit(name)) else [], status.INSIDE, None, "AM-31")
    man = position.figure(name)
    aimed_at = action.spot_in or man.centre_in
    numbers, off_in = found.numbers, float(found.numbers["offset_in"])
    end = aimed_at if numbers["on_target"] else drifted(aimed_at, Compass(numbers["direction"]), off_in)
    area_in = position.state.area_in
    lost = bool(area_in) and not area_of(area_in).covers(Point(end))
    down = Move(figure=name, from_in=man.centre_in, to_in=end, moved_in=off_in, cost_in=0.0)
    met = eliminations([name], "AM-32") if lost else _in_mines(position, man, (end,))
    return Effects(moves=(down,) if end != man.centre_in else (), changes=(*out, *met))


def _marched(position: Position, action: Action, found: Verdict) -> Effects:
    numbers = found.numbers.get("each") or {action.by[0]: found.numbers}
    # What the players let pass may have no price in the rules; then it takes its length.
    costs = {name: float(numbers.get(name, {}).get("cost_in", length_in(path))) for name, path in action.paths.items()}
    facts = {name: action.given["paths"][name] if "paths" in action.given else action.given for name in action.paths}
    gone = {name: path for name, path in action.paths.items() if length_in(path) > 0}
    turned = [name for name, given in facts.items() if given.get("turns")]
    changes = [*status_changes(turned, status.TURNED, True, "AM-24", this_turn=True)]
    changes += [change for name, path in gone.items() for change in _on_foot(position, facts[name], name, path)]
    riders = [(one, path) for name, path in gone.items() for one in _with_it(position, position.unit(name), action)]
    seen = {**gone, **{one.id: _shifted(position, one, path) for one, path in riders if one.id in position.figures}}
    changes += [change for name, path in seen.items() for change in _seen_on_the_way(position, name, path)]
    moves = (
        *moves_along(position, action.paths, costs, action.facing_deg),
        *(carried_move(position, one.id, path) for one, path in riders),
    )
    changes += status_changes([one.id for one, _ in riders], status.MOVED, True, "AM-78", this_turn=True)
    return Effects(moves=moves, changes=tuple(changes))


def _with_it(position: Position, vehicle: Unit, action: Action) -> tuple[Unit, ...]:
    """The units that move with a vehicle: the men in it, and the guns that it tows."""
    return tuple(
        one
        for one in (*status.carried(position, vehicle), *status.towed(position, vehicle))
        if one.id not in action.paths
        and (one.at_in or one.id in position.figures)
        # A gun that was set down behind its truck has moved already.
        and not (one.statuses.get(status.TOWED_BY) and one.allowance_used_in)
    )


def _shifted(position: Position, rider: Unit, path: Path) -> Path:
    """The path of a unit that is carried along another path."""
    x, y = position.figure(rider.id).centre_in
    return tuple((x + at[0] - path[0][0], y + at[1] - path[0][1]) for at in path)


def _on_foot(position: Position, facts: Mapping[str, Any], name: str, path: Path) -> Changes:
    """The effects of a move: it ends digging, leaves the road, enters mines, runs men over."""
    unit, mover, kind = position.unit(name), position.figure(name), status.kind(position, position.unit(name))
    enemies = [one for one in status.targets(position, unit) if not status.aboard(position, one)]
    men = [position.figure(one.id) for one in enemies if status.is_man(position, one)]
    before = tuple(unit.this_turn.get(status.RAN_OVER, ()))
    met = [touched.id for touched in contacts(mover, path, men, -OVER_IN) if touched.id not in before]
    swam = any(part["swimming"] for part in facts["path"]) and status.is_man(position, unit)
    # A status that is removed (None) was a lasting one; all others end with the turn.
    rows: Sequence[tuple[Any, str, Any, str]] = (
        (True, status.MOVED, True, "AM-78"),
        (swam, status.SWAM, True, "AM-30"),
        (kind.flies and unit.statuses.get(status.LANDED), status.LANDED, None, "AM-A46"),
        (not all(part["on_road"] for part in facts["path"]), status.LEFT_ROAD, True, "AM-23"),
        (met and status.kind_name(position, unit) == "tank", status.RAN_OVER, [*before, *met], "AM-26"),
    )
    for holds, key, value, rule in rows:
        yield from status_changes([name] if holds else [], key, value, rule, this_turn=value is not None)
    if not kind.flies:
        yield from _in_mines(position, mover, path)
    yield from _out_of_his_hole(unit)


def _in_mines(position: Position, mover: Figure, path: Path) -> Changes:
    """The minefields that a unit enters on a path or by landing, once for each entry, after those of earlier moves.

    A unit that starts in a minefield enters it if this turn's mines have not met it yet. A detector that has swept in
    this turn walks in his own lane.
    """
    unit = position.unit(mover.id)
    before = list(unit.this_turn.get(status.IN_MINES, ()))
    met = bool(before) or "minefield" in unit.acts_this_turn
    mines = [piece for piece in status.uncleared(position) if piece.kind is TerrainKind.MINE]
    long_in, entered = limit(position.game.rules, "mine_path_in"), []
    for field in mines:
        swept = lanes_walked(position, mover, path, field, long_in)
        if swept != lanes(position, field):
            yield _swept_through(field, swept)
        entered += [field.name for start_in, _ in mines_met(mover, path, field, swept) if start_in > EXACT or not met]
    yield from status_changes(
        [mover.id] if entered else [], status.IN_MINES, [*before, *entered], "AM-70", this_turn=True
    )


def _seen_on_the_way(position: Position, name: str, path: Path) -> Changes:
    """The place at which each enemy saw it best; at the end of its path it is shot at in the weapon's phase, or now."""
    at_once = position.game.rules.chooses("opportunity_fire_in", "movement_phase")
    watchers = [position.figure(one.id) for one in status.targets(position, position.unit(name))]
    if not watchers:
        return
    mover = position.figure(name)
    places = places_along(path, LOOK_IN)
    passing = [status.on_its_way(position, mover, place) for place in places]
    ghosts = [replace(one, id=f"{name} at {n}") for n, one in enumerate(passing)]
    table = exposures([*watchers, *ghosts], position.terrain, position.sight)
    seen: dict[str, PointIn] = dict(position.unit(name).this_turn.get(status.SEEN_AT, {}))
    for row, watcher in enumerate(watchers):
        visible = [there for n, there in enumerate(passing) if table.visible[row, len(watchers) + n]]
        best = min(visible, key=lambda there: _aim_at(position, watcher, there), default=None)
        if best is not None and (at_once or best.centre_in != places[-1]):
            seen[watcher.id] = (round(best.centre_in[0], 2), round(best.centre_in[1], 2))
    places_seen = {watcher: list(place) for watcher, place in seen.items()}
    yield from status_changes([name] if seen else [], status.SEEN_AT, places_seen, "AM-34", this_turn=True)


def _aim_at(position: Position, watcher: Figure, there: Figure) -> tuple[bool, float]:
    """How well a watcher could fire at a place; the least is best: out of a pillbox's blind zones first, then near."""
    zone = target_zone(position, position.unit(watcher.id), there)
    return zone not in (None, ZoneOfPillbox.FRONT), math.dist(there.centre_in, watcher.centre_in)


_MOVES = {"move": _marched, "march": _marched, "paratrooper": _landed, "climb": _climbed}
