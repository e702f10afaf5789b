"""Army Men: the attacks of a figure: shots, bursts and blasts at enemies, places and passing targets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rules.engine.action import Action, UncertainFact
from rules.engine.common import in_sight
from rules.engine.facts import Bound, Context, bind
from rules.engine.position import Position, View
from rules.engine.ruleset import limit
from rules.engine.state import Unit
from rules.engine.text import display_name, place_words
from rules.engine.verdict import Verdict, forbidden
from rules.engine.without_dice import refusal_of
from rules.games.army_men import status
from rules.games.army_men.attack import THROUGH_THE_PORT
from rules.games.army_men.bursts import laid
from rules.games.army_men.hard import ZoneOfPillbox, blind, pillbox_zone
from rules.games.army_men.shot import Aim, Shot, armoured, distance_in
from rules.games.army_men.specialists import leader_bonus
from rules.games.army_men.tables import MOVING
from rules.tabletop.bearing import arc_sigma_deg, bearing_deg, turn_deg
from rules.tabletop.errors import UserError
from rules.tabletop.sight import SLIVER
from rules.tabletop.table import Figure, PointIn
from rules.tabletop.template import Template, under
from rules.tabletop.tolerance import within

Facts = Mapping[str, Any]

OPPORTUNITY, IN_RETURN = "Opportunity fire", "Return fire"
_TITLES = {"hmg": "Heavy machine gun", "lmg": "Light machine gun"}
ON_ITS_WAY, ON_THEIR_WAY = "on its way", "on their way"
TURRET_SLACK_DEG = 10.0
"""A hand does not point a toy's turret more exactly."""
SAME_SPOT_IN = 1.0
"""Spots this near to one another are one location to a gun; players do not point more exactly at a table."""
UNTOUCHED = ("immune", "target_not_attackable", "cannot_destroy_pillbox")
"""The refusals of targets that a blast does not affect."""


def attacks(position: Position, figure: str) -> Iterator[Action]:
    """Every weapon at every enemy, now and during its move; a shell with all figures under its blast."""
    man = position.unit(figure)
    for weapon in () if man.out else status.weapons(position, man):
        fires = firer(position, man, weapon)
        for enemy in status.targets(position, man):
            if _goes_through_the_port(position, man, weapon, enemy):
                continue
            context = Context(position, (man,), (enemy,), weapon=weapon)
            yield _attack(context, fires, position)
            yield from _on_the_way(context, fires)


def _goes_through_the_port(position: Position, man: Unit, weapon: str, enemy: Unit) -> bool:
    """Whether a weapon reaches a man of a garrison through its port, so that all inside share one roll (AM-111)."""
    box = status.carrier(position, enemy)
    if box is None or weapon not in THROUGH_THE_PORT or status.kind(position, box).hard != "pillbox":
        return False
    return zone_of(position, box, position.figure(man.id)) in (ZoneOfPillbox.FRONT_BELOW, ZoneOfPillbox.BEHIND)


def _attack(context: Context, fires: Facts, seen: Position, how: str = "") -> Action:
    """A shot at one enemy, or a shell, grenade or flame with all figures under it, as `seen` now or during a move."""
    spreads = context.rules.tables.weapons[context.weapon].spreads
    armour = armoured(context.rules, status.kind_name(context.position, context.target))
    return (_shell(context, fires, seen, how) if spreads and not armour else None) or _shot(context, fires, seen, how)


def _shot(context: Context, fires: Facts, seen: Position, how: str = "") -> Action:
    """One attack, or a whole burst, at one target, as `seen` now or during its move."""
    view, bound = seen.view(context.actor.id, context.target.id), facts_of(context, fires, seen)
    whole = context.rules.tables.weapons[context.weapon].rof > 1
    facts = {**bound.given, "sustained": whole, **_granted(how)}
    by, at, measured = (context.actor.id,), (context.target.id,), _doubtful(bound, how)
    return Action(_title(context, how), "attack", facts, by, at, context.weapon, "aim", view, measured)


def weapon_title(weapon: str) -> str:
    """A weapon as a player calls it, such as "Heavy machine gun"."""
    return _TITLES.get(weapon, display_name(weapon))


def _title(context: Context, how: str) -> str:
    names = ", ".join(display_name(one.id) for one in context.targets)
    return f"{weapon_title(context.weapon)} at {names} {how}".rstrip()


def _doubtful(aim: Bound, how: str) -> tuple[UncertainFact, ...]:
    """The uncertain facts of a target; a target on its way counts as seen."""
    return tuple(one for one in aim.measured if not how or one.fact != ("los",))


def _granted(how: str) -> dict[str, Any]:
    """Opportunity fire: a moving target counts as seen, even if it did not see the firer."""
    return {"los": True, "opportunity": how in (ON_ITS_WAY, ON_THEIR_WAY)} if how else {"opportunity": False}


# Bursts.


def bursts(position: Position, man: Unit) -> Iterator[Action]:
    """The bursts of each automatic weapon at as many enemies as lie in one arc, as they stand or ran by."""
    for weapon, row in status.weapons(position, man).items():
        if row.rof < 2:
            continue
        context = Context(position, (man,), status.targets(position, man), weapon=weapon)
        yield from _bursts(context, position)
        ran, seen = _as_they_ran(context)
        if len(ran) > 1:
            yield from _bursts(replace(context, targets=ran), seen, ON_THEIR_WAY)


def _as_they_ran(context: Context) -> tuple[tuple[Unit, ...], Position]:
    """The targets that may be fired at because they were seen on their way, and the position in which they were."""
    position, man = context.position, context.actor
    passed = {one.id: place for one in context.targets if (place := _seen_at(man, one))}
    ran = tuple(one for one in context.targets if one.id in passed and not _no_chance(replace(context, targets=(one,))))
    passing = {one.id: status.on_its_way(position, position.figure(one.id), passed[one.id]) for one in ran}
    return ran, replace(position, figures={man.id: position.figure(man.id), **passing})


def _bursts(context: Context, seen: Position, how: str = "") -> Iterator[Action]:
    """The bursts at groups in one arc, starting from each legal target as `seen`."""
    fires = firer(context.position, context.actor, context.weapon)
    aims = {one.id: aim_at(seen, context.actor, one) for one in context.targets}
    shots = {
        one.id: facts_of(replace(context, targets=(one,)), fires, seen, aims[one.id]).given for one in context.targets
    }
    barred = {
        name: refusal_of(context.position.game, "aim", {**facts, **_granted(how)}) for name, facts in shots.items()
    }
    here, there = seen.figure(context.actor.id).centre_in, {name: seen.figure(name).centre_in for name in shots}
    # A tank that runs over a man may be exactly where he stands: it lies in no direction from him.
    bearings_deg = {name: bearing_deg(here, at) for name, at in there.items() if not barred[name] and at != here}
    units = {one.id: one for one in context.targets}
    known: set[frozenset[str]] = set()
    for first in bearings_deg:
        group = _within_arc(context, bearings_deg, first)
        if len(group) > 1 and frozenset(group) not in known:
            known.add(frozenset(group))
            in_turn = replace(context, targets=tuple(units[name] for name in group))
            yield _burst(in_turn, shots[group[0]], {name: aims[name] for name in group}, seen, how)


def at_targets(position: Position, figure: str, names: tuple[str, ...]) -> Iterator[Action]:
    """Each weapon of a figure at several enemies, as they stand or ran by, one attack on each, in this order."""
    man = position.unit(figure)
    enemies = {one.id: one for one in ([] if man.out else status.targets(position, man))}
    if len(names) < 2 or not set(names) <= enemies.keys():
        return
    for weapon, row in status.weapons(position, man).items():
        if not row.spreads:
            context = Context(position, (man,), tuple(enemies[name] for name in names), weapon=weapon)
            yield _named(context, position, "")
            ran, seen = _as_they_ran(context)
            if ran == context.targets:
                yield _named(context, seen, ON_THEIR_WAY)


def _named(context: Context, seen: Position, how: str) -> Action:
    """A burst at the targets in the order in which they were named."""
    aims = {one.id: aim_at(seen, context.actor, one) for one in context.targets}
    fires = firer(context.position, context.actor, context.weapon)
    first = facts_of(context, fires, seen, aims[context.target.id])
    return _burst(context, first.given, aims, seen, how)


def unoffered(position: Position, figure: str, names: tuple[str, ...], weapon: str) -> Verdict | None:
    """Why a figure is not offered an attack: it does not show the weapon, or the target is a casualty."""
    rules, man = position.game.rules, position.unit(figure)
    if weapon in rules.tables.weapons and weapon not in status.weapons(position, man):
        return forbidden("weapon_not_shown", rules.because("AM-36"))
    hit = next((name for name in names if not status.fit(position.unit(name))), None)
    text = f"{display_name(hit or '')} is a casualty already"
    return forbidden("casualty", rules.because("AM-17", text)) if hit else None


def _within_arc(context: Context, bearings_deg: Mapping[str, float], first: str) -> list[str]:
    """An enemy and those counter-clockwise of it within an arc, the nearest in bearing first, as many as one burst."""
    arc_deg, rof = limit(context.rules, "burst_arc_deg"), context.rules.tables.weapons[context.weapon].rof
    off_deg = {name: (deg - bearings_deg[first]) % 360 for name, deg in bearings_deg.items()}
    return sorted((name for name, deg in off_deg.items() if within(deg, arc_deg)), key=off_deg.__getitem__)[:rof]


def _burst(context: Context, first: Facts, aims: Mapping[str, Bound], seen: Position, how: str) -> Action:
    """A burst of an automatic weapon: an attack on each of several targets, as they are `seen` now or ran by.

    Args:
        first: The facts of a shot at the first target.
    """
    man, here = context.actor, context.position.figure(context.actor.id)
    names = tuple(one.id for one in context.targets)
    aside = [one for name in aims if (one := seen.figure(name)).centre_in != here.centre_in]
    there = aside or [seen.figure(name) for name in aims]
    sigma_deg, what = arc_sigma_deg(here, there), f"the arc of {display_name(man.id)}'s burst"
    zones = (target_zone(context.position, man, one) for one in there)
    facts = {
        **first,
        "target_zone": next((zone for zone in zones if blind(context.weapon, zone)), first.get("target_zone")),
        **_granted(how),
        "targets": list(names),
        "each": {name: {**aim.given, **({"los": True} if how else {})} for name, aim in aims.items()},
        "bearings_deg": [round(bearing_deg(here.centre_in, one.centre_in), 2) for one in there],
    }
    measured = [UncertainFact(("bearings_deg", len(there) - 1), sigma_deg, what)] if sigma_deg > 0 else []
    for name, aim in aims.items():
        measured += [replace(one, fact=("each", name, *one.fact)) for one in _doubtful(aim, how)]
    burst, each = ("burst_rolls", facts, (man.id,), names, context.weapon, "burst_aim"), _each(names)
    until = "jammed" if context.rules.chooses("jam_stops_burst", True) else ""
    return Action(_title(context, how), *burst, measured=tuple(measured), each=each, each_until=until)


def _each(names: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
    """The facts of the attack on each target alone."""
    return {name: {"targets": [name]} for name in names}


# Fire at a target that was seen on its way, and the answer to it.


def _on_the_way(context: Context, fires: Facts) -> Iterator[Action]:
    man, enemy = context.actor, context.target
    if place := _seen_at(man, enemy):
        action = _attack(context, fires, _glimpse(context, enemy, place), ON_ITS_WAY)
        yield replace(action, round=OPPORTUNITY, blocked_by=_no_chance(context))
    back, weapon = _seen_at(enemy, man), man.this_turn.get(status.FIRED_ON_BY, {}).get(enemy.id)
    if back and weapon:
        asked = {"attacked_by_opportunity_fire": True, "attackers_weapon": weapon}
        action = _attack(context, fires, _glimpse(context, man, back), "in return")
        given = {**action.given, "returns": _just_now(context.position, weapon)}
        bar = refusal_of(context.position.game, "return_fire", asked)
        yield replace(action, given=given, round=IN_RETURN, blocked_by=bar)


def _just_now(position: Position, weapon: str) -> bool:
    """Whether this is the phase of opportunity fire with such a weapon, and so of its answer (AM-35)."""
    rules = position.game.rules
    at_once = rules.chooses("opportunity_fire_in", "movement_phase")
    return status.phase_number(position) == (MOVING if at_once else rules.tables.weapons[weapon].phase)


def _seen_at(man: Unit, enemy: Unit) -> PointIn | None:
    """The place on an enemy's path where it was seen best."""
    place = enemy.this_turn.get(status.SEEN_AT, {}).get(man.id)
    return None if place is None else (float(place[0]), float(place[1]))


def _no_chance(context: Context) -> Verdict | None:
    """Why a target that was seen on its way may not be fired at; None if it may."""
    at_end = context.target_view.exposure >= SLIVER
    asked = {"weapon": context.weapon, "target_crossed_los": True, "target_in_los_at_end": at_end}
    return refusal_of(context.position.game, "opportunity_fire", asked)


def _glimpse(context: Context, mover: Unit, place: PointIn) -> Position:
    """The position of the two units when one of them was at this place on its way."""
    both = {one.id: context.position.figure(one.id) for one in (context.actor, context.target)}
    there = status.on_its_way(context.position, both[mover.id], place)
    return replace(context.position, figures={**both, mover.id: there})


# The facts of a shot.


def facts_of(context: Context, fires: Facts, seen: Position, aimed: Bound | None = None) -> Bound:
    """All facts of a shot at the first target.

    Args:
        fires: What `firer` returns for the weapon.
        seen: The position in which the target is seen.
        aimed: What `aim_at` returns for the target, if it is known already.
    """
    position, man, enemy = context.position, context.actor, context.target

    def sees(friend: Unit) -> bool:
        return position.view(friend.id, enemy.id).exposure >= SLIVER

    aim = aimed or aim_at(seen, man, enemy)
    given = {
        **fires,
        **turret(position, man, context.weapon, seen.figure(enemy.id).centre_in),
        **aim.given,
        **helped(position, man, seen.figure(enemy.id), sees),
        **_location(position, man, context.weapon, enemy),
    }
    return Bound(given, aim.measured)


def firer(position: Position, man: Unit, weapon: str) -> dict[str, Any]:
    """The shooter's facts for a shot with one of his weapons, at any target."""
    return dict(bind(Shot, Context(position, (man,), weapon=weapon)).given)


def aim_at(position: Position, man: Unit, enemy: Unit) -> Bound:
    """The facts of a target as the shooter sees it."""
    return bind(Aim, Context(position, (man,), (enemy,)))


def turret(position: Position, man: Unit, weapon: str, at_in: PointIn) -> dict[str, Any]:
    """Whether a turret that was turned points at a place; left to the players unless it was turned."""
    pointed_deg, here = man.statuses.get(status.TURRET), position.figure(man.id).centre_in
    if pointed_deg is None or not position.game.rules.tables.weapons[weapon].turret or here == at_in:
        return {}
    off_deg = abs(turn_deg(float(pointed_deg), bearing_deg(here, at_in)))
    return {"turret_points_at_target": off_deg <= TURRET_SLACK_DEG}


def helped(position: Position, man: Unit, there: Figure, sees: Callable[[Unit], bool]) -> dict[str, Any]:
    """The facts that friends add to a shot: leaders, radios and binoculars.

    Args:
        there: What he fires at.
        sees: Whether a friend sees it.
    """
    friends = status.friends(position, man)
    leaders = [one for one in friends if status.card(position, one, "leader")]
    radios = [one for one in friends if status.card(position, one, "radio")]
    watchers = [one for one in radios if sees(one)]
    spotters = (one for one in friends if status.card(position, one, "binoculars"))
    here = position.figure(man.id)
    ranges = [distance_in(position, position.measure(here, position.figure(one.id))) for one in leaders]
    facts = {
        "radio": bool(watchers),
        "spotter_binoculars": any(sees(one) for one in spotters),
        "leader_distance_in": min(ranges, default=None),
        "target_zone": target_zone(position, man, there),
    }
    passed_on = leaders and (radios or status.card(position, man, "radio")) and not _led(position, man, facts)
    return facts if passed_on else facts | {"leader_by_radio": False}


def _led(position: Position, man: Unit, facts: dict[str, Any]) -> bool:
    """Whether a leader's bonus reaches him without a radio."""
    leads, weapon = bool(status.card(position, man, "leader")), next(iter(status.weapons(position, man)))
    shot = Shot(weapon=weapon, distance_in=0.0, leader=leads, leader_distance_in=facts["leader_distance_in"])
    return bool(leader_bonus(position.game.rules, shot).numbers["modifier"])


def target_zone(position: Position, man: Unit, there: Figure) -> Any:
    """The side of the shooter's pillbox on which the target stands, or the players' answer; None elsewhere."""
    if not status.in_pillbox(position, man):
        return None
    around = status.carrier(position, man)
    return (around and zone_of(position, around, there)) or man.statuses.get("target_zone")


def zone_of(position: Position, pillbox: Unit, there: Figure) -> str | None:
    """The side of a pillbox on which a unit stands; None if the facing of the pillbox is unknown."""
    if pillbox.id not in position.figures:
        return None
    box = position.figure(pillbox.id)
    if box.facing_deg is None or box.centre_in == there.centre_in:
        return None
    off_deg = turn_deg(box.facing_deg, bearing_deg(box.centre_in, there.centre_in))
    return str(pillbox_zone(position.game.rules, off_deg, position.measure(box, there).edge_in).numbers["zone"])


def _location(position: Position, man: Unit, weapon: str, place: Unit | PointIn) -> dict[str, Any]:
    """Whether a gun has to range in: spots and pillboxes are fixed locations, other targets if the players say so."""
    gun, known = position.game.rules.tables.weapons[weapon].gun, man.statuses.get(status.RANGED_IN, ())
    if isinstance(place, Unit):
        fixed, earlier = status.kind(position, place).hard == "pillbox", list(known).count(place.id)
    else:
        spots = [one for one in known if gun and not isinstance(one, str)]
        fixed, earlier = True, sum(math.dist(one, place) <= SAME_SPOT_IN for one in spots)
    return {"earlier_attacks_on_location": earlier} | ({"fixed_location": gun} if fixed or not gun else {})


# What fills an area: shells, grenades and flames.


def _shell(context: Context, fires: Facts, seen: Position, how: str) -> Action | None:
    """A weapon that fills an area, aimed at an enemy; None if the camera has both in one place."""
    here, there = (seen.figure(one.id).centre_in for one in (context.actor, context.target))
    try:
        template = laid(context.rules, context.weapon, here, there)
    except UserError:
        return None
    view, shot = seen.view(context.actor.id, context.target.id), facts_of(context, fires, seen)
    if how:
        shot = Bound({**shot.given, **_granted(how)}, _doubtful(shot, how))
        around = replace(context.position, figures={**context.position.figures, **seen.figures})
        context = replace(context, position=around)
    return _blast(context, f"{display_name(context.target.id)} {how}".rstrip(), template, view, shot)


def at_spot(position: Position, figure: str, spot_in: PointIn) -> Iterator[Action]:
    """All weapons of a figure that fill an area, aimed at a bare place."""
    man, here = position.unit(figure), position.figure(figure).centre_in
    for weapon, row in status.weapons(position, man).items():
        if row.spreads and here != spot_in and not man.out:
            yield _at_place(Context(position, (man,), weapon=weapon), spot_in)


def _at_place(context: Context, spot_in: PointIn) -> Action:
    position, man, weapon = context.position, context.actor, context.weapon
    view, here = position.view_of_spot(man.id, spot_in), position.figure(man.id)

    def sees(friend: Unit) -> bool:
        return position.view_of_spot(friend.id, spot_in).exposure >= SLIVER

    facts = {
        **firer(position, man, weapon),
        **turret(position, man, weapon, spot_in),
        **helped(position, man, position.spot(spot_in), sees),
        **_location(position, man, weapon, spot_in),
        "distance_in": distance_in(position, view.range),
        "los": view.exposure >= SLIVER,
    }
    what = f"the range from {display_name(man.id)} to the spot"
    far = (UncertainFact(("distance_in",), view.range.sigma_in, what),) if view.range.sigma_in > 0 else ()
    shot = Bound(facts, (*in_sight(view, f"whether {display_name(man.id)} sees the spot"), *far))
    template = laid(position.game.rules, weapon, here.centre_in, spot_in)
    action = _blast(context, f"the spot {place_words(spot_in)}", template, view, shot)
    return replace(action, spot_in=spot_in, blocked_by=None if action.at else _in_vain(position, weapon, facts))


def _blast(context: Context, where: str, template: Template, view: View, shot: Bound) -> Action:
    """A blast or flame with every figure under it, friend or foe."""
    title, by, weapon = f"{weapon_title(context.weapon)} at {where}", (context.actor.id,), context.weapon
    filled, names = _filled(context, template, shot)
    each = _each(names) if len(names) > 1 else {}
    action = Action(title, "blast", filled.given, by, names, weapon, "blast_aim", view, filled.measured)
    return replace(action, template=template, each=each)


def _in_vain(position: Position, weapon: str, facts: Mapping[str, Any]) -> Verdict:
    """The reason that forbids fire at an empty place; general reasons come first."""
    reason = position.game.rules.because("AM-79", f"{weapon_title(weapon)} would not reach anyone there")
    return refusal_of(position.game, "aim", facts) or forbidden("nobody_there", reason)


def _filled(context: Context, template: Template, shot: Bound) -> tuple[Bound, tuple[str, ...]]:
    """The facts with every figure under a template, and their names: the target first, else the one most under it.

    A flame in range is always on its target; ranges start at the firer's base, the flame at its middle.
    """
    position, man, facts, measured = context.position, context.actor, shot.given, list(shot.measured)
    enemy = context.target.id if context.targets else ""
    flame = context.rules.tables.weapons[context.weapon].cone_in is not None
    clear = {man.id, enemy} if flame else set()
    fit = {name for name, unit in position.state.units.items() if status.fit(unit) and name not in clear}
    first, each = enemy, {}
    for hit in under(template, [one for name, one in position.figures.items() if name in fit]):
        own = {"fraction": round(hit.fraction, 3)}
        if hit.id != enemy:
            own |= _under(position, man, position.unit(hit.id), facts)
            if not _reachable(position, {**facts, **own}):
                continue
        first = first or hit.id
        way: tuple[str, ...] = ("fraction",) if hit.id == first else ("each", hit.id, "fraction")
        if hit.id == first:
            facts = {**facts, **own}
        else:
            each[hit.id] = own
        if hit.most > hit.least:
            what = f"how much of {display_name(hit.id)} is under {display_name(man.id)}'s blast"
            measured.append(UncertainFact(way, hit.most - hit.least, what, hit.least, hit.most))
    names = (first, *each) if first else ()
    return Bound({**facts, "targets": list(names), "each": each}, tuple(measured)), names


def _under(position: Position, man: Unit, other: Unit, aimed: Mapping[str, Any]) -> dict[str, Any]:
    """Another unit under a blast: as far as the place that was aimed at, in its own cover, at its own height."""
    own = {fact: value for fact, value in aim_at(position, man, other).given.items() if fact != "edge_in"}
    return own | {"off_facing_deg": None, "distance_in": aimed["distance_in"], "los": aimed["los"]}


def _reachable(position: Position, facts: dict[str, Any]) -> bool:
    """Whether a blast can affect a target; armour and immune units are safe."""
    bar = refusal_of(position.game, "aim", {**facts, "phase": None})
    immune = bar is not None and bar.numbers.get("reason") in UNTOUCHED
    return not (immune or armoured(position.game.rules, facts["target"]))
