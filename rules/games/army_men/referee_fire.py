"""Army Men: the attacks of a figure: shots, bursts and blasts, at enemies, at spots and at what ran past."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rules.engine.ambiguity import in_sight
from rules.engine.facts import Bound, Context, bind
from rules.engine.position import Position
from rules.engine.referee import Action, UncertainFact, verdict_without_dice
from rules.engine.ruleset import limit
from rules.engine.state import Unit
from rules.engine.text import display_name, place_words
from rules.engine.verdict import Verdict, forbidden
from rules.games.army_men import status
from rules.games.army_men.bursts import laid, smallest_arc_deg
from rules.games.army_men.shot import Aim, Shot, armoured, distance_in
from rules.games.army_men.tables import MOVING
from rules.tabletop.bearing import arc_of_fire, bearing_deg, turn_deg
from rules.tabletop.errors import UserError
from rules.tabletop.path import placed
from rules.tabletop.sight import SLIVER
from rules.tabletop.table import Figure, PointIn
from rules.tabletop.template import Template, under

OPPORTUNITY, IN_RETURN = "Opportunity fire", "Return fire"
ON_ITS_WAY, ON_THEIR_WAY = "on its way", "on their way"


def attacks(position: Position, figure: str) -> Iterator[Action]:
    """Every weapon at every enemy, also where he was seen on his way; a shell with all that its blast reaches."""
    man = position.unit(figure)
    if man.out:
        return
    for weapon, row in status.weapons(position, man).items():
        for enemy in status.targets(position, man):
            spreads = row.spreads and not armoured(position.game.rules, status.kind_name(position, enemy))
            blast = shell(position, man, weapon, enemy) if spreads else None
            yield blast or _single(position, position, man, weapon, enemy)
            yield from _on_the_way(position, man, weapon, enemy)


def bursts(position: Position, man: Unit) -> Iterator[Action]:
    """The bursts of each automatic weapon that go at as many enemies as lie in one arc, as they stand or ran by."""
    targets = status.targets(position, man)
    for weapon, row in status.weapons(position, man).items():
        if row.rof < 2:
            continue
        yield from _bursts(position, position, man, weapon, targets)
        ran = {one.id: place for one in targets if (place := _opportunity(position, man, weapon, one)) is not None}
        if len(ran) > 1:
            passing = {name: placed(position.figure(name), place) for name, place in ran.items()}
            seen = replace(position, figures={man.id: position.figure(man.id), **passing})
            runners = [one for one in targets if one.id in ran]
            yield from _bursts(position, seen, man, weapon, runners, ON_THEIR_WAY)


def _bursts(
    position: Position, seen: Position, man: Unit, weapon: str, targets: Sequence[Unit], how: str = ""
) -> Iterator[Action]:
    """The bursts at groups in one arc, counted from each of those whom he may attack as they are `seen`."""
    rules, granted = position.game.rules, _granted(how)
    asked = {one.id: {**facts_of(position, man, weapon, one, seen), **granted} for one in targets}
    open_to = [
        one
        for one in targets
        if (answer := verdict_without_dice(position.game, "aim", asked[one.id])) and answer.allowed
    ]
    known: set[frozenset[str]] = set()
    for first in open_to:
        arc_deg, most = limit(rules, "burst_arc_deg"), rules.tables.weapons[weapon].rof
        group = _within_arc(seen, man, first, open_to, arc_deg)[:most]
        names = frozenset(one.id for one in group)
        if len(group) > 1 and names not in known:
            known.add(names)
            yield burst(position, seen, man, weapon, group, how)


def _granted(how: str) -> dict[str, Any]:
    """What the rule grants who fires at whom he saw: the one saw the other, though not always that one him."""
    return {"los": True, "opportunity": how in (ON_ITS_WAY, ON_THEIR_WAY)} if how else {"opportunity": False}


def _within_arc(position: Position, man: Unit, first: Unit, others: Sequence[Unit], arc_deg: float) -> list[Unit]:
    """An enemy and those counter-clockwise of him within an arc, the nearest in bearing first."""
    here = position.figure(man.id).centre_in
    start = bearing_deg(here, position.figure(first.id).centre_in)
    off = {one.id: (bearing_deg(here, position.figure(one.id).centre_in) - start) % 360 for one in others}
    inside = [one for one in others if smallest_arc_deg((start, start + off[one.id])) <= arc_deg >= off[one.id]]
    return sorted(inside, key=lambda one: off[one.id])


def burst(position: Position, seen: Position, man: Unit, weapon: str, enemies: Sequence[Unit], how: str = "") -> Action:
    """A burst of an automatic weapon, an attack on each of several targets, as they are `seen` now or ran by."""
    here, sighted = position.figure(man.id), {"los": True} if how else {}
    aims = {enemy.id: aim_at(seen, man, enemy) for enemy in enemies}
    there = [seen.figure(enemy.id) for enemy in enemies]
    arc = arc_of_fire(here, there)
    names = tuple(aims)
    facts = {
        **facts_of(position, man, weapon, enemies[0], seen),
        **_granted(how),
        "targets": list(names),
        "each": {name: {**aim.given, **sighted} for name, aim in aims.items()},
        "bearings_deg": [round(bearing_deg(here.centre_in, one.centre_in), 2) for one in there],
    }
    what = f"the arc of {display_name(man.id)}'s burst"
    measured = [UncertainFact(("bearings_deg", len(names) - 1), arc.sigma_deg, what)] if arc.sigma_deg > 0 else []
    for name, aim in aims.items():
        measured += [replace(one, fact=("each", name, *one.fact)) for one in _doubtful(aim, how)]
    title = " ".join(filter(None, [f"{display_name(weapon)} at {', '.join(map(display_name, names))}", how]))
    each = {name: {"targets": [name]} for name in names}
    return Action(
        title, "burst_rolls", facts, (man.id,), names, weapon, "burst_aim", measured=tuple(measured), each=each
    )


def _doubtful(aim: Bound, how: str) -> tuple[UncertainFact, ...]:
    """The uncertain facts of a target; a target on its way counts as seen."""
    return tuple(one for one in aim.measured if not how or one.fact != ("los",))


def _single(position: Position, seen: Position, man: Unit, weapon: str, enemy: Unit, how: str = "") -> Action:
    """One attack, or a whole burst, at one target, as it is `seen` now or was on its way."""
    view = seen.view(man.id, enemy.id)
    whole = position.game.rules.tables.weapons[weapon].rof > 1
    facts = {**facts_of(position, man, weapon, enemy, seen), "sustained": whole, **_granted(how)}
    measured = _doubtful(aim_at(seen, man, enemy), how)
    title = " ".join(filter(None, [f"{display_name(weapon)} at {display_name(enemy.id)}", how]))
    return Action(title, "attack", facts, (man.id,), (enemy.id,), weapon, "aim", view, measured)


# Fire at what was seen on its way, and back at who fired so.


def _on_the_way(position: Position, man: Unit, weapon: str, enemy: Unit) -> Iterator[Action]:
    place = _seen_at(man, enemy)
    if place is not None:
        seen, bar = _glimpse(position, man, enemy, enemy, place), _chance(position, man, weapon, enemy)
        action = _single(position, seen, man, weapon, enemy, ON_ITS_WAY)
        yield _barred(replace(action, round=OPPORTUNITY), bar)
    back = man.this_turn.get(status.SEEN_AT, {}).get(enemy.id)
    if back is not None and enemy.id in man.this_turn.get(status.FIRED_ON_BY, {}):
        asked = {"attacked_by_opportunity_fire": True, "attackers_weapon": man.this_turn[status.FIRED_ON_BY][enemy.id]}
        bar = verdict_without_dice(position.game, "return_fire", asked)
        action = _single(position, _glimpse(position, man, enemy, man, back), man, weapon, enemy, "in return")
        given = {**action.given, "returns": _just_now(position, man.this_turn[status.FIRED_ON_BY][enemy.id])}
        yield _barred(replace(action, given=given, round=IN_RETURN), bar)


def _just_now(position: Position, weapon: str) -> bool:
    """Whether this is the phase in which opportunity fire with such a weapon falls, and so its answer (AM-35)."""
    rules = position.game.rules
    at_once = rules.chooses("opportunity_fire_in", "movement_phase")
    return status.phase_number(position) == (MOVING if at_once else rules.tables.weapons[weapon].phase)


def _seen_at(man: Unit, enemy: Unit) -> PointIn | None:
    """Where he saw an enemy best on his way."""
    place = enemy.this_turn.get(status.SEEN_AT, {}).get(man.id)
    return None if place is None else (float(place[0]), float(place[1]))


def _chance(position: Position, man: Unit, weapon: str, enemy: Unit) -> Verdict | None:
    """Whether he may fire at whom he saw on his way."""
    at_end = position.view(man.id, enemy.id).exposure >= SLIVER
    asked = {"weapon": weapon, "target_crossed_los": True, "target_in_los_at_end": at_end}
    return verdict_without_dice(position.game, "opportunity_fire", asked)


def _opportunity(position: Position, man: Unit, weapon: str, enemy: Unit) -> PointIn | None:
    """Where he may fire at whom he saw on his way; None where he may not."""
    place = _seen_at(man, enemy)
    found = _chance(position, man, weapon, enemy) if place is not None else None
    return place if found is not None and found.allowed else None


def _glimpse(position: Position, man: Unit, enemy: Unit, mover: Unit, place: Sequence[float]) -> Position:
    """The two of them as one stood on its way."""
    both = {name: position.figure(name) for name in (man.id, enemy.id)}
    return replace(position, figures={**both, mover.id: placed(both[mover.id], (place[0], place[1]))})


def _barred(action: Action, bar: Verdict | None) -> Action:
    return action if bar is None or bar.allowed else replace(action, blocked_by=bar)


# The facts of a shot.


def facts_of(position: Position, man: Unit, weapon: str, enemy: Unit, seen: Position | None = None) -> dict[str, Any]:
    """All facts of a shot at an enemy; `seen` is the position in which he is seen, where that is not the current."""

    def sees(friend: Unit) -> bool:
        return position.view(friend.id, enemy.id).exposure >= SLIVER

    return {
        **firer(position, man, weapon),
        **turret(position, man, weapon, (seen or position).figure(enemy.id).centre_in),
        **aim_at(seen or position, man, enemy).given,
        **helped(position, man, position.figure(enemy.id), sees),
        **_location(position, man, weapon, enemy),
    }


def firer(position: Position, man: Unit, weapon: str) -> dict[str, Any]:
    """What he brings to a shot with one of his weapons, whatever the target."""
    return dict(bind(Shot, Context(position, (man,), weapon=weapon)).given)


def aim_at(position: Position, man: Unit, enemy: Unit) -> Bound:
    """The facts of a target as he sees it."""
    return bind(Aim, Context(position, (man,), (enemy,)))


TURRET_SLACK_DEG = 10.0
"""A hand does not point a toy's turret more exactly."""


def turret(position: Position, man: Unit, weapon: str, at_in: PointIn) -> dict[str, Any]:
    """Whether a turret that was turned points at a place; left to the players where nobody turned it."""
    pointed_deg, here = man.statuses.get(status.TURRET), position.figure(man.id).centre_in
    if pointed_deg is None or not position.game.rules.tables.weapons[weapon].turret or here == at_in:
        return {}
    off_deg = abs(turn_deg(float(pointed_deg), bearing_deg(here, at_in)))
    return {"turret_points_at_target": off_deg <= TURRET_SLACK_DEG}


def helped(position: Position, man: Unit, there: Figure, sees: Callable[[Unit], bool]) -> dict[str, Any]:
    """What his friends do for a shot: leaders, radios, and who looks through binoculars.

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
        "target_zone": _zone(position, man, there),
    }
    passed_on = leaders and (radios or status.card(position, man, "radio")) and not _led(position, man, facts)
    return facts if passed_on else facts | {"leader_by_radio": False}


def _led(position: Position, man: Unit, facts: dict[str, Any]) -> bool:
    """Whether a leader's bonus reaches him without a radio."""
    shot = {"weapon": next(iter(status.weapons(position, man))), "distance_in": 0.0}
    shot |= {"leader": bool(status.card(position, man, "leader")), "leader_distance_in": facts["leader_distance_in"]}
    answer = verdict_without_dice(position.game, "leader_bonus", shot)
    return answer is not None and bool(answer.numbers["modifier"])


def _zone(position: Position, man: Unit, there: Figure) -> Any:
    """Where the target stands, seen from the pillbox that he fires from, or as the players say; None elsewhere."""
    if not status.in_pillbox(position, man):
        return None
    around = status.carrier(position, man)
    return (around and zone_of(position, around, there)) or man.statuses.get("target_zone")


def zone_of(position: Position, pillbox: Unit, there: Figure) -> str | None:
    """Where somebody stands, seen from a pillbox; None where nobody knows which way it faces."""
    if pillbox.id not in position.figures:
        return None
    box = position.figure(pillbox.id)
    if box.facing_deg is None or box.centre_in == there.centre_in:
        return None
    off_deg = turn_deg(box.facing_deg, bearing_deg(box.centre_in, there.centre_in))
    asked = {"off_front_deg": off_deg, "edge_in": position.measure(box, there).edge_in}
    answer = verdict_without_dice(position.game, "pillbox_zone", asked)
    return str(answer.numbers["zone"]) if answer is not None else None


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


UNTOUCHED = ("immune", "target_not_attackable", "cannot_destroy_pillbox")
"""Why a blast leaves alone what stands under it."""
SAME_SPOT_IN = 1.0
"""Spots so near to one another are one location to a gun; nobody points more exactly at a table."""


def shell(position: Position, man: Unit, weapon: str, enemy: Unit) -> Action | None:
    """What fills an area, laid on an enemy, with everybody whom it reaches, friend or foe.

    None where both stand in one place, as the camera has it: then nobody else is under it.
    """
    try:
        template = laid(
            position.game.rules, weapon, position.figure(man.id).centre_in, position.figure(enemy.id).centre_in
        )
    except UserError:
        return None
    view = position.view(man.id, enemy.id)
    facts, measured = facts_of(position, man, weapon, enemy), list(aim_at(position, man, enemy).measured)
    facts, names = _filled(position, man, weapon, template, facts, measured, enemy.id)
    title = f"{display_name(weapon)} at {display_name(enemy.id)}"
    return Action(
        title,
        "blast",
        facts,
        (man.id,),
        names,
        weapon,
        "blast_aim",
        view,
        tuple(measured),
        template=template,
        each=_each(names),
    )


def at_spot(position: Position, figure: str, spot_in: PointIn) -> Iterator[Action]:
    """Everything of his that fills an area, at a bare place."""
    man = position.unit(figure)
    if man.out:
        return
    for weapon, row in status.weapons(position, man).items():
        if row.spreads and position.figure(man.id).centre_in != spot_in:
            yield _at_place(position, man, weapon, spot_in)


def _at_place(position: Position, man: Unit, weapon: str, spot_in: PointIn) -> Action:
    view, here = position.view_of_spot(man.id, spot_in), position.figure(man.id)
    template = laid(position.game.rules, weapon, here.centre_in, spot_in)

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
    measured = [
        *in_sight(view, f"whether {display_name(man.id)} sees the spot"),
        UncertainFact(("distance_in",), view.range.sigma_in, f"the range from {display_name(man.id)} to the spot"),
    ]
    facts, names = _filled(position, man, weapon, template, facts, measured)
    return Action(
        f"{display_name(weapon)} at the spot {place_words(spot_in)}",
        "blast",
        facts,
        (man.id,),
        names,
        weapon,
        "blast_aim",
        view,
        tuple(one for one in measured if one.sigma > 0),
        blocked_by=None if names else _in_vain(position, weapon, facts),
        spot_in=spot_in,
        template=template,
        each=_each(names),
    )


def _in_vain(position: Position, weapon: str, facts: dict[str, Any]) -> Verdict:
    """Why one does not fire at a place where nobody is: what forbids it anyhow comes first."""
    answer = verdict_without_dice(
        position.game, "aim", {fact: facts[fact] for fact in facts if fact not in ("targets", "each")}
    )
    if answer is not None and not answer.allowed:
        return answer
    return forbidden(
        "nobody_there", position.game.rules.because("AM-79", f"{display_name(weapon)} would reach nobody there")
    )


def _each(names: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    return {name: {"targets": [name]} for name in names} if len(names) > 1 else {}


def _filled(
    position: Position,
    man: Unit,
    weapon: str,
    template: Template,
    facts: dict[str, Any],
    measured: list[UncertainFact],
    enemy: str = "",
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The facts with everybody who is under a template, and their names.

    Args:
        measured: Grows by the errors of what is under it.
        enemy: At whom it is aimed; he is told in `facts`. Nobody is where it is aimed at a bare place; then whoever
            is most under it comes first.
    """
    flame = position.game.rules.tables.weapons[weapon].cone_in is not None
    there = [
        one for name, one in position.figures.items() if _exposed(position, name) and not (flame and name == man.id)
    ]
    first, each = enemy, {}
    for hit in under(template, there):
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
    return {**facts, "targets": list(names), "each": each}, names


def _exposed(position: Position, name: str) -> bool:
    return name in position.state.units and status.fit(position.state.units[name])


def _under(position: Position, man: Unit, other: Unit, aimed: dict[str, Any]) -> dict[str, Any]:
    """Somebody else under a blast: as far as the spot that was aimed at, in his own cover, at his own height."""
    own = {fact: value for fact, value in aim_at(position, man, other).given.items() if fact != "edge_in"}
    return own | {"off_facing_deg": None, "distance_in": aimed["distance_in"], "los": aimed["los"]}


def _reachable(position: Position, facts: dict[str, Any]) -> bool:
    """Whether a blast can do anything to him: armour and what is immune stay out of it."""
    if armoured(position.game.rules, facts["target"]):
        return False
    answer = verdict_without_dice(position.game, "aim", {**facts, "phase": None})
    return answer is None or answer.allowed or answer.numbers.get("reason") not in UNTOUCHED
