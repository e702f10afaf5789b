"""Army Men: what comes of verdicts on the table: who is hit, what jams, who went where, who is seen on his way."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from shapely.geometry import Point, Polygon
from shapely.ops import nearest_points

from rules.engine.dice import no_dice
from rules.engine.effects import WRECK, fallen, marked, taken_along, walked
from rules.engine.events import Change, Effects, Move
from rules.engine.position import Position
from rules.engine.referee import Deed
from rules.engine.state import Unit
from rules.engine.verdict import Verdict
from rules.games.army_men import status
from rules.games.army_men.bursts import caught, explosion
from rules.games.army_men.tables import Effect
from rules.tabletop.bearing import bearing_deg, onward
from rules.tabletop.path import Path, contacts, legs, length_in, place_at, placed, spans_over
from rules.tabletop.scatter import Compass, drifted
from rules.tabletop.sight import exposures
from rules.tabletop.table import PointIn, TerrainKind, TerrainPiece, area_of
from rules.tabletop.template import under
from rules.tabletop.tolerance import reaches

LOOK_IN = 1.0
"""How densely a move is looked along for whoever sees it."""
FOOTHOLD_IN = 0.6
"""How far from the edge a climber stands at the top: on his whole base."""

Changes = Iterator[Change]


def effects(moment: Position, deed: Deed, found: Verdict) -> Effects:
    """What a verdict does."""
    if deed.action in ("move", "march"):
        return _marched(moment, deed, found)
    if deed.action == "paratrooper":
        return _landed(moment, deed, found)
    if deed.action == "climb":
        return _climbed(moment, deed, found)
    return Effects(changes=tuple(_CHANGES.get(deed.action, _none)(moment, deed, found)))


def _none(moment: Position, deed: Deed, found: Verdict) -> Changes:
    yield from ()


# Who is hit.


def hit(moment: Position, name: str, rule: str, *, answers: bool = False) -> Changes:
    """A figure is hit; where all fire at once it waits for the end of the phase, and a hero has lives to lose.

    So does whoever `answers` opportunity fire in the phase of movement.
    """
    unit, rules = moment.unit(name), moment.game.rules
    if not status.fit(unit):
        return
    if status.card(moment, unit, "hero"):
        lost = int(unit.statuses.get(status.ELIMINATIONS, 0)) + 1
        yield Change(figure=name, key=status.ELIMINATIONS, value=lost, rule="AM-115")
        if not moment.game.ask("hero_status", {"eliminations": lost}, no_dice).numbers["removed"]:
            return
    phase = rules.tables.phases.get(moment.state.phase)
    if phase is None or not (phase.simultaneous or answers):
        yield from fallen([name], rule)
        return
    yield Change(figure=name, key=status.DOWN, value=True, rule=rule)
    yield Change(figure=name, key=status.DOWN_IN_PHASE, value=phase.number, rule="AM-15", this_turn=True)


def _struck(moment: Position, name: str, numbers: Mapping[str, Any], *, answers: bool = False) -> Changes:
    """What an attack did to one target."""
    result = numbers.get("hard_result")
    if numbers["target_eliminated"]:
        yield from _lost(moment, name, "AM-40", answers=answers)
    if result == "immobilized":
        yield Change(figure=name, key=status.IMMOBILIZED, value=True, rule="AM-95")
    if result == "stunned":
        yield Change(figure=name, key=status.STUNNED, value=moment.state.turn, rule="AM-96")
        phase = status.phase_number(moment)
        yield Change(figure=name, key=status.STUNNED_IN_PHASE, value=phase, rule="AM-96", this_turn=True)
    if numbers.get("immobilized"):
        this_turn = moment.game.rules.chooses("glue_lasts", "turn")
        yield Change(figure=name, key=status.GLUED, value=True, rule="AM-62", this_turn=this_turn)
    if numbers.get("explodes"):
        there = [moment.figure(one) for one in _burnt(moment) if one != name]
        burst = explosion(moment.game.rules, moment.figure(name).centre_in)
        for other in caught(moment.game.rules, under(burst, there)):
            yield from _lost(moment, other, "AM-82", answers=answers)


def _lost(moment: Position, name: str, rule: str, *, answers: bool) -> Changes:
    """A unit is eliminated; a vehicle leaves a wreck, and a die falls for the men inside."""
    yield from hit(moment, name, rule, answers=answers)
    if status.kind(moment, moment.unit(name)).vehicle:
        yield Change(figure=name, key=WRECK, value=True, rule="AM-104")
    if _crewed(moment, moment.unit(name)):
        yield Change(figure=name, key=status.CREW, value=status.TRAPPED, rule="AM-105")


def _burnt(moment: Position) -> Iterator[str]:
    """Those whom the explosion of a flame-thrower can eliminate: armour and walls are immune to it (AM-93)."""
    flame = moment.game.rules.tables.effects["flame_thrower"]
    for unit in moment.state.units.values():
        around = status.carrier(moment, unit)
        inside = around is not None and status.kind(moment, around).sealed
        burns = getattr(flame, status.kind(moment, unit).target) is Effect.ELIMINATES
        if burns and not inside and unit.id in moment.figures:
            yield unit.id


def _crewed(moment: Position, wreck: Unit) -> bool:
    """Whether somebody may get out of a wreck: its crew, or of those put inside one who still takes part."""
    inside = [one for one in moment.state.units.values() if one.statuses.get(status.INSIDE) == wreck.id]
    row = moment.game.rules.tables.crew_survival.get(status.kind_name(moment, wreck))
    return row is not None and (any(map(status.fit, inside)) if inside else row.survives_to > 0)


def _fired(moment: Position, deed: Deed, found: Verdict) -> Changes:
    """What any attack leaves behind with him who made it."""
    man = moment.unit(deed.by[0])
    fired = [*man.this_turn.get(status.FIRED, ()), deed.weapon]
    yield Change(figure=man.id, key=status.FIRED, value=fired, rule="AM-37", this_turn=True)
    if found.numbers.get("jammed"):
        yield Change(figure=man.id, key=status.jam(deed.weapon), value=True, rule="AM-75")
        yield Change(figure=man.id, key=status.jam(deed.weapon), value=True, rule="AM-75", this_turn=True)
    if found.numbers.get("out_of_ammo"):
        yield Change(figure=man.id, key=status.empty(deed.weapon), value=True, rule="AM-77")
    if deed.given.get("fixed_location"):
        known: list[Any] = list(man.statuses.get(status.RANGED_IN, ()))
        location = deed.at[0] if deed.spot_in is None else [round(inches, 1) for inches in deed.spot_in]
        if location not in known:
            yield Change(figure=man.id, key=status.RANGED_IN, value=[*known, location], rule="AM-91")
    if deed.given.get("opportunity"):
        for target in map(moment.unit, deed.at):
            by = {**target.this_turn.get(status.FIRED_ON_BY, {}), man.id: deed.weapon}
            yield Change(figure=target.id, key=status.FIRED_ON_BY, value=by, rule="AM-35", this_turn=True)


def _attacked(moment: Position, deed: Deed, found: Verdict) -> Changes:
    yield from _fired(moment, deed, found)
    yield from _struck(moment, deed.at[0], found.numbers, answers=bool(deed.given.get("opportunity")))


def _volleyed(moment: Position, deed: Deed, found: Verdict) -> Changes:
    yield from _fired(moment, deed, found)
    told: set[tuple[str, str, bool]] = set()
    for name, numbers in zip(deed.given["targets"], found.numbers["each"], strict=False):
        for change in _struck(moment, name, numbers, answers=bool(deed.given.get("opportunity"))):
            if (change.figure, change.key, change.this_turn) not in told:  # under the blast and in an explosion as well
                told.add((change.figure, change.key, change.this_turn))
                yield change


def _through_the_port(moment: Position, deed: Deed, found: Verdict) -> Changes:
    yield from _fired(moment, deed, found)
    for man in deed.at[1:] if found.numbers["occupants_destroyed"] else ():
        yield from hit(moment, man, "AM-111")


def _casualties(moment: Position, deed: Deed, found: Verdict) -> Changes:
    """As a phase closes: the first of them stay as wounded men, the others come off."""
    kept = [name for name in deed.by if status.is_man(moment, moment.unit(name))][: found.numbers["kept"]]
    yield from marked(kept, status.DOWN, None, "AM-17")
    yield from marked(kept, status.WOUNDED, True, "AM-17")
    gone = [name for name in deed.by if name not in kept]
    yield from fallen(gone, "AM-17")
    yield from marked(_freed(moment, gone), status.INSIDE, None, "AM-105")
    side = moment.unit(deed.by[0]).side
    before = int(moment.state.statuses.get(status.kept_by(side), 0))
    if kept:
        yield Change(figure="", key=status.kept_by(side), value=before + len(kept), rule="AM-17")


def _freed(moment: Position, wrecks: Sequence[str]) -> list[str]:
    """The men inside wrecks whose die has fallen."""
    safe = [name for name in wrecks if moment.unit(name).statuses.get(status.CREW) != status.TRAPPED]
    return [one.id for name in safe for one in status.carried(moment, moment.unit(name))]


def _crew(moment: Position, deed: Deed, found: Verdict) -> Changes:
    """Whether those in a wreck get out; the men who were put inside share its crew's luck.

    Where all fire at once they are in it, and fire, until the phase ends.
    """
    wreck = moment.unit(deed.at[0])
    alive = int(found.numbers["survivors"])
    yield Change(figure=wreck.id, key=status.CREW, value="safe" if alive else "dead", rule="AM-105")
    for place, man in enumerate(one for one in status.carried(moment, wreck) if status.fit(one)):
        if wreck.out:
            yield Change(figure=man.id, key=status.INSIDE, value=None, rule="AM-105")
        if place >= alive:
            yield from hit(moment, man.id, "AM-105")


# Other deeds.


def _cleared_jam(moment: Position, deed: Deed, found: Verdict) -> Changes:
    if found.numbers["fixed"]:
        for key in (status.jam(deed.weapon), status.JAMMED):
            if moment.unit(deed.by[0]).statuses.get(key):
                yield Change(figure=deed.by[0], key=key, value=None, rule="AM-76")
    if not found.numbers["may_fire_this_turn"]:
        yield _busy(moment, deed, "AM-76")


def _busy(moment: Position, deed: Deed, rule: str) -> Change:
    """What is done in the place of an attack."""
    times = int(moment.unit(deed.by[0]).this_turn.get(status.BUSY, 0)) + 1
    return Change(figure=deed.by[0], key=status.BUSY, value=times, rule=rule, this_turn=True)


def _dug(moment: Position, deed: Deed, found: Verdict) -> Changes:
    yield Change(figure=deed.by[0], key=status.DIGGING, value=deed.given["turns_digging"], rule="AM-92")
    yield _busy(moment, deed, "AM-92")
    if found.numbers["entrenched"]:
        yield Change(figure=deed.by[0], key=status.ENTRENCHED, value=True, rule="AM-92")


def _healed(moment: Position, deed: Deed, found: Verdict) -> Changes:
    yield Change(figure=deed.at[0], key=status.TREATED, value=True, rule="AM-68", this_turn=True)
    if found.numbers["healed"]:
        yield Change(figure=deed.at[0], key=status.WOUNDED, value=None, rule="AM-68")


def _destroyed(moment: Position, deed: Deed, found: Verdict) -> Changes:
    """An obstacle is gone; who shot it away has fired."""
    if deed.weapon:
        yield from _fired(moment, deed, found)
    else:
        yield _busy(moment, deed, "AM-67")
    yield _gone(moment, deed, "AM-67")


def _swept(moment: Position, deed: Deed, found: Verdict) -> Changes:
    key = status.swept(deed.piece)
    done_in = float(moment.state.statuses.get(key, 0.0)) + float(found.numbers["cleared_in"])
    yield _busy(moment, deed, "AM-69")
    yield Change(figure="", key=key, value=round(done_in, 1), rule="AM-69")
    if found.numbers["cleared_in"] and float(found.numbers["cleared_in"]) >= deed.given["path_in"]:
        yield _gone(moment, deed, "AM-69")


def _gone(moment: Position, deed: Deed, rule: str) -> Change:
    """The piece that the deed is done to stands no more in the way."""
    return Change(figure="", key=status.CLEARED, value=sorted({*status.cleared(moment), deed.piece}), rule=rule)


def _climbed(moment: Position, deed: Deed, found: Verdict) -> Effects:
    """A climber gains height, and at the top he stands on the cliff."""
    [name] = deed.by
    if found.numbers["dead"]:
        return Effects(changes=tuple(hit(moment, name, "AM-27")))
    before_in = float(moment.unit(name).statuses.get(status.CLIMBED, 0.0))
    done_in = before_in + found.numbers["climbed_in"]
    here, cliff = moment.figure(name), next(piece for piece in moment.terrain if piece.name == deed.piece)
    if not found.numbers["climbed_in"]:
        return Effects()
    if not reaches(here.z_in + done_in, cliff.top_in):
        return Effects(changes=(Change(figure=name, key=status.CLIMBED, value=done_in, rule="AM-27"),))
    top = _edge_of(cliff, here.centre_in)
    up = Move(figure=name, from_in=here.centre_in, to_in=top, moved_in=math.dist(here.centre_in, top), cost_in=0.0)
    changes = marked([name] if before_in else [], status.CLIMBED, None, "AM-27")
    return Effects(moves=(up,), changes=changes)


def _edge_of(cliff: TerrainPiece, from_in: PointIn) -> PointIn:
    """The place on top of a cliff where somebody comes up."""
    area = Polygon(cliff.outline_in)
    edge = nearest_points(area, Point(from_in))[0].coords[0]
    place = onward((edge[0], edge[1]), bearing_deg(from_in, (edge[0], edge[1])), FOOTHOLD_IN)
    if area.contains(Point(place)):
        return place
    inside = area.representative_point()
    return inside.x, inside.y


def _swum(moment: Position, deed: Deed, found: Verdict) -> Changes:
    if found.numbers["drowned"]:
        yield from hit(moment, deed.by[0], "AM-30")


def _mined(moment: Position, deed: Deed, found: Verdict) -> Changes:
    yield Change(figure=deed.by[0], key=status.IN_MINES, value=None, rule="AM-70", this_turn=True)
    if found.numbers["hit"]:
        yield from _struck(moment, deed.by[0], {"target_eliminated": found.numbers["eliminated"], **found.numbers})


def _overran(moment: Position, deed: Deed, found: Verdict) -> Changes:
    tank = moment.unit(deed.by[0])
    left = [name for name in tank.this_turn.get(status.RAN_OVER, ()) if name not in deed.at]
    yield Change(figure=tank.id, key=status.RAN_OVER, value=left or None, rule="AM-26", this_turn=True)
    if found.numbers["eliminated"]:
        yield from hit(moment, deed.at[0], "AM-26")


def _boarded(moment: Position, deed: Deed, found: Verdict) -> Changes:
    inside = None if moment.unit(deed.by[0]).statuses.get(status.INSIDE) else deed.at[0]
    yield Change(figure=deed.by[0], key=status.INSIDE, value=inside, rule="AM-112")


def _hitched(moment: Position, deed: Deed, found: Verdict) -> Changes:
    [vehicle], [gun] = deed.by, deed.at
    behind = None if moment.unit(gun).statuses.get(status.TOWED_BY) == vehicle else vehicle
    yield Change(figure=gun, key=status.TOWED_BY, value=behind, rule="AM-A44")


def _set_down(moment: Position, deed: Deed, found: Verdict) -> Changes:
    yield Change(figure=deed.by[0], key=status.LANDED, value=True, rule="AM-A46")


def _aimed(moment: Position, deed: Deed, found: Verdict) -> Changes:
    here, there = (moment.figure(name).centre_in for name in (*deed.by, *deed.at))
    yield Change(figure=deed.by[0], key=status.TURRET, value=round(bearing_deg(here, there), 1), rule="AM-25")


def _drawn(moment: Position, deed: Deed, found: Verdict) -> Changes:
    for player, side in found.numbers["armies"].items():
        yield Change(figure="", key=status.plays(player), value=side, rule="AM-05")


def _ordered(moment: Position, deed: Deed, found: Verdict) -> Changes:
    every_turn = bool(found.numbers["every_turn"])
    yield Change(figure="", key=status.ORDER, value=found.numbers["order"], rule="AM-06", this_turn=every_turn)


_CHANGES: Mapping[str, Callable[[Position, Deed, Verdict], Changes]] = {
    "attack": _attacked,
    "burst_rolls": _volleyed,
    "blast": _volleyed,
    "attack_pillbox_from_safe_zone": _through_the_port,
    "casualties": _casualties,
    "crew_survival": _crew,
    "clear_jam": _cleared_jam,
    "entrench": _dug,
    "medic": _healed,
    "destroy_obstacle": _destroyed,
    "mine_detector": _swept,
    "swim": _swum,
    "minefield": _mined,
    "overrun": _overran,
    "board": _boarded,
    "hitch": _hitched,
    "land": _set_down,
    "turn_turret": _aimed,
    "draw_armies": _drawn,
    "move_order": _ordered,
}


# Moves.


def _landed(moment: Position, deed: Deed, found: Verdict) -> Effects:
    """A paratrooper on the ground; past the table's edge he is lost."""
    [name] = deed.by
    out = marked([name] if status.carrier(moment, moment.unit(name)) else [], status.INSIDE, None, "AM-31")
    if found.numbers["on_target"]:
        return Effects(changes=out)
    start = moment.figure(name).centre_in
    end = drifted(start, Compass(found.numbers["direction"]), found.numbers["offset_in"])
    off_in = float(found.numbers["offset_in"])
    area_in = moment.state.area_in
    lost = bool(area_in) and not area_of(area_in).covers(Point(end))
    down = Move(figure=name, from_in=start, to_in=end, moved_in=off_in, cost_in=0.0)
    return Effects(moves=(down,), changes=(*out, *fallen([name] if lost else [], "AM-32")))


def _marched(moment: Position, deed: Deed, found: Verdict) -> Effects:
    numbers = found.numbers.get("each") or {deed.by[0]: found.numbers}
    # What the players let pass may have no price in the rules; then it takes its length.
    costs = {name: float(numbers.get(name, {}).get("cost_in", length_in(path))) for name, path in deed.paths.items()}
    facts = {name: deed.given["paths"][name] if "paths" in deed.given else deed.given for name in deed.paths}
    gone = {name: path for name, path in deed.paths.items() if length_in(path) > 0}
    turned = [name for name, told in facts.items() if told.get("turns")]
    changes = [*marked(turned, status.TURNED, True, "AM-24", this_turn=True)]
    changes += [change for name, path in gone.items() for change in _on_foot(moment, facts[name], name, path)]
    riders = [(one, path) for name, path in gone.items() for one in _with_it(moment, moment.unit(name), deed)]
    seen = {**gone, **{one.id: _shifted(moment, one, path) for one, path in riders if one.id in moment.figures}}
    changes += [change for name, path in seen.items() for change in _seen_on_the_way(moment, name, path)]
    moves = (
        *walked(moment, deed.paths, costs, deed.facing_deg),
        *(taken_along(moment, one.id, path) for one, path in riders),
    )
    changes += marked([one.id for one, _ in riders], status.MOVED, True, "AM-78", this_turn=True)
    return Effects(moves=moves, changes=tuple(changes))


def _with_it(moment: Position, vehicle: Unit, deed: Deed) -> tuple[Unit, ...]:
    """Who goes where a vehicle goes: the men in it, and the guns behind it that do not go by themselves."""
    return tuple(
        one
        for one in (*status.carried(moment, vehicle), *status.towed(moment, vehicle))
        if one.id not in deed.paths
        and (one.at_in or one.id in moment.figures)
        # Who sets the gun down behind its truck has moved it already.
        and not (one.statuses.get(status.TOWED_BY) and one.allowance_used_in)
    )


def _shifted(moment: Position, rider: Unit, path: Path) -> Path:
    """The way of somebody who rides along a path."""
    x, y = moment.figure(rider.id).centre_in
    return tuple((x + at[0] - path[0][0], y + at[1] - path[0][1]) for at in path)


def _on_foot(moment: Position, facts: Mapping[str, Any], name: str, path: Path) -> Changes:
    """What a move leaves behind: dug earth, the road, mines that it ran into, men whom it ran over."""
    unit, mover = moment.unit(name), moment.figure(name)
    yield from marked([name], status.MOVED, True, "AM-78", this_turn=True)
    if any(part["swimming"] for part in facts["path"]) and status.is_man(moment, unit):
        yield from marked([name], status.SWAM, True, "AM-30", this_turn=True)
    if status.kind(moment, unit).flies and unit.statuses.get(status.LANDED):
        yield from marked([name], status.LANDED, None, "AM-A46")
    if not all(part["on_road"] for part in facts["path"]):
        yield from marked([name], status.LEFT_ROAD, True, "AM-23", this_turn=True)
    for key in (status.DIGGING, status.ENTRENCHED):
        if unit.statuses.get(key):
            yield from marked([name], key, None, "AM-92")
    mines = [
        piece for piece in moment.terrain if piece.kind is TerrainKind.MINE and piece.name not in status.cleared(moment)
    ]
    entered = [piece.name for piece in mines if spans_over(mover, path, piece.outline_in)]
    if entered and not status.kind(moment, unit).flies:
        yield from marked([name], status.IN_MINES, entered, "AM-70", this_turn=True)
    over = [
        one.id for one in status.targets(moment, unit) if status.is_man(moment, one) and not status.carrier(moment, one)
    ]
    met = [touched.id for touched in contacts(mover, path, [moment.figure(one) for one in over])]
    if met and status.kind_name(moment, unit) == "tank":
        yield from marked([name], status.RAN_OVER, met, "AM-26", this_turn=True)


def _seen_on_the_way(moment: Position, name: str, path: Path) -> Changes:
    """Where each enemy who loses something by waiting saw it best: nearest to him, before it came to its end."""
    watchers = [moment.figure(one.id) for one in status.targets(moment, moment.unit(name))]
    if not watchers:
        return
    mover = moment.figure(name)
    places = _looked_at(path)
    passing = [placed(mover, place) for place in places]
    ghosts = [replace(one, id=f"{name} at {n}") for n, one in enumerate(passing)]
    table = exposures([*watchers, *ghosts], moment.terrain, moment.sight)
    seen: dict[str, PointIn] = dict(moment.unit(name).this_turn.get(status.SEEN_AT, {}))
    for row, watcher in enumerate(watchers):
        visible = [places[n] for n in range(len(places)) if table.visible[row, len(watchers) + n]]
        best = min(visible, key=lambda place: math.dist(place, watcher.centre_in), default=None)
        if best is not None and best != places[-1]:
            seen[watcher.id] = (round(best[0], 2), round(best[1], 2))
    if seen:
        yield Change(
            figure=name, key=status.SEEN_AT, value={k: list(v) for k, v in seen.items()}, rule="AM-34", this_turn=True
        )


def _looked_at(path: Path) -> Sequence[PointIn]:
    """Places along a path, its corners and ends among them."""
    found = [path[0]]
    for _, a, b in legs(path):
        count = max(1, math.ceil(math.dist(a, b) / LOOK_IN))
        found += [place_at((a, b), k * math.dist(a, b) / count) for k in range(1, count)] + [b]
    return found
