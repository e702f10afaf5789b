"""Army Men: the questions that stand for a figure's attacks: single shots, bursts and blasts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rules.bearing import arc_of_fire, aspect_sigma_deg, bearing_deg, turn_deg
from rules.events import spoken
from rules.games import army_men_status as status
from rules.games.army_men_bursts import laid, smallest_arc_deg
from rules.games.army_men_ground import cover_to_target_in
from rules.games.army_men_shot import armoured
from rules.games.army_men_tables import limit
from rules.measure import Range
from rules.moment import Moment, View
from rules.path import placed
from rules.referee import Deed, Measured, at_once
from rules.sight import SLIVER
from rules.state import Unit
from rules.table import Refused
from rules.template import under
from rules.verdict import Verdict

ON_ITS_WAY = "on its way"


def attacks(moment: Moment, figure: str) -> Iterator[Deed]:
    """Every weapon at every enemy, also where he was seen on his way; a shell with all that its blast reaches."""
    man = moment.unit(figure)
    if man.out:
        return
    for weapon, row in status.weapons(moment, man).items():
        for enemy in status.targets(moment, man):
            spreads = row.spreads and not armoured(moment.game.rules, status.kind_name(moment, enemy))
            yield shell(moment, man, weapon, enemy) if spreads else shot(moment, man, weapon, enemy)
            yield from _on_the_way(moment, man, weapon, enemy)


def bursts(moment: Moment, man: Unit) -> Iterator[Deed]:
    """The bursts of each automatic weapon that go at as many enemies as lie in one arc, counted from each of them."""
    rules = moment.game.rules
    for weapon, row in status.weapons(moment, man).items():
        if row.rof < 2:
            continue
        open_to = [one for one in status.targets(moment, man) if _may(moment, man, weapon, one)]
        seen: set[frozenset[str]] = set()
        for first in open_to:
            group = _within_arc(moment, man, first, open_to, limit(rules, "burst_arc_deg"))[: row.rof]
            names = frozenset(one.id for one in group)
            if len(group) > 1 and names not in seen:
                seen.add(names)
                yield burst(moment, man, weapon, group)


def _within_arc(moment: Moment, man: Unit, first: Unit, others: Sequence[Unit], arc_deg: float) -> list[Unit]:
    """An enemy and those counter-clockwise of him within an arc, the nearest in bearing first."""
    here = moment.figure(man.id).centre_in
    start = bearing_deg(here, moment.figure(first.id).centre_in)
    off = {one.id: (bearing_deg(here, moment.figure(one.id).centre_in) - start) % 360 for one in others}
    inside = [one for one in others if smallest_arc_deg((start, start + off[one.id])) <= arc_deg >= off[one.id]]
    return sorted(inside, key=lambda one: off[one.id])


def _may(moment: Moment, man: Unit, weapon: str, enemy: Unit) -> bool:
    answer = at_once(moment.game, "aim", _facts(moment, man, weapon, enemy))
    return answer is not None and answer.allowed


def shot(moment: Moment, man: Unit, weapon: str, enemy: Unit) -> Deed:
    """One attack on one target; with an automatic weapon, its whole burst at this one."""
    return _single(moment, moment, man, weapon, enemy)


def burst(moment: Moment, man: Unit, weapon: str, enemies: Sequence[Unit]) -> Deed:
    """A burst of an automatic weapon, an attack on each of several targets."""
    here = moment.figure(man.id)
    there = [moment.figure(enemy.id) for enemy in enemies]
    arc = arc_of_fire(here, there)
    names = tuple(enemy.id for enemy in enemies)
    facts = {
        **_facts(moment, man, weapon, enemies[0]),
        "targets": list(names),
        "each": {enemy.id: _aim(moment, man, enemy, moment.view(man.id, enemy.id)) for enemy in enemies},
        "bearings_deg": [round(bearing_deg(here.centre_in, one.centre_in), 2) for one in there],
    }
    last = len(names) - 1
    measured = [Measured(("bearings_deg", last), arc.sigma_deg, f"the arc of {spoken(man.id)}'s burst")]
    for enemy in enemies:
        measured += _errors(moment, man, enemy, moment.view(man.id, enemy.id), ("each", enemy.id))
    title = f"{spoken(weapon)} at {', '.join(map(spoken, names))}"
    found = tuple(one for one in measured if one.sigma > 0)
    return Deed(
        title,
        "burst_rolls",
        facts,
        (man.id,),
        names,
        weapon,
        "burst_aim",
        measured=found,
        each={name: {"targets": [name]} for name in names},
    )


def shell(moment: Moment, man: Unit, weapon: str, enemy: Unit) -> Deed:
    """What fills an area, laid on an enemy, with everybody whom it reaches, friend or foe."""
    view, rules = moment.view(man.id, enemy.id), moment.game.rules
    facts = _facts(moment, man, weapon, enemy)
    try:
        template = laid(rules, weapon, moment.figure(man.id).centre_in, moment.figure(enemy.id).centre_in)
    except Refused:  # both stand in one place, as the camera has it: nobody else is under it
        return shot(moment, man, weapon, enemy)
    flame = rules.tables.weapons[weapon].cone_in is not None
    there = [one for name, one in moment.figures.items() if _exposed(moment, name) and not (flame and name == man.id)]
    each, measured = {}, _errors(moment, man, enemy, view)
    for hit in under(template, there):
        own = {"fraction": round(hit.fraction, 3)}
        way: tuple[str, ...] = ("fraction",)
        if hit.id == enemy.id:
            facts |= own
        else:
            way = ("each", hit.id, "fraction")
            own |= _under(moment, man, moment.unit(hit.id), facts)
            if not _reachable(moment, {**facts, **own}):
                continue
            each[hit.id] = own
        if hit.most > hit.least:
            what = f"how much of {spoken(hit.id)} is under {spoken(man.id)}'s blast"
            measured.append(Measured(way, hit.most - hit.least, what, hit.least, hit.most))
    names = (enemy.id, *each)
    facts |= {"targets": list(names), "each": each}
    title = f"{spoken(weapon)} at {spoken(enemy.id)}"
    return Deed(
        title,
        "blast",
        facts,
        (man.id,),
        names,
        weapon,
        "blast_aim",
        view,
        tuple(measured),
        each={name: {"targets": [name]} for name in names} if len(names) > 1 else {},
    )


def _exposed(moment: Moment, name: str) -> bool:
    return name in moment.state.units and status.fit(moment.state.units[name])


def _under(moment: Moment, man: Unit, other: Unit, aimed: dict[str, Any]) -> dict[str, Any]:
    """Somebody else under a blast: as far as the spot that was aimed at, in his own cover."""
    own = _target(moment, other) | {"off_facing_deg": None}
    if other.id != man.id:
        own["cover_to_target_in"] = _cover_in(moment, other, moment.view(man.id, other.id))
    return own | {fact: aimed[fact] for fact in ("distance_in", "los")}


def _reachable(moment: Moment, facts: dict[str, Any]) -> bool:
    """Whether a blast can do anything to him: armour and what is immune stay out of it."""
    if armoured(moment.game.rules, facts["target"]):
        return False
    answer = at_once(moment.game, "aim", {**facts, "phase": None})
    return answer is None or answer.allowed or answer.numbers.get("reason") not in ("immune", "target_not_attackable")


def _single(moment: Moment, seen: Moment, man: Unit, weapon: str, enemy: Unit, how: str = "") -> Deed:
    """One attack, with the target as it is `seen` now or was on its way."""
    view = seen.view(man.id, enemy.id)
    whole = moment.game.rules.tables.weapons[weapon].rof > 1
    facts = {**_facts(moment, man, weapon, enemy, seen), "sustained": whole, "opportunity": how == ON_ITS_WAY}
    if how:  # the rule grants it: the one saw the other, though not always that one him
        facts["los"] = True
    measured = tuple(_errors(seen, man, enemy, view))
    title = " ".join(filter(None, [f"{spoken(weapon)} at {spoken(enemy.id)}", how]))
    return Deed(title, "attack", facts, (man.id,), (enemy.id,), weapon, "aim", view, measured)


# Fire at what was seen on its way, and back at who fired so.


def _on_the_way(moment: Moment, man: Unit, weapon: str, enemy: Unit) -> Iterator[Deed]:
    place = enemy.this_turn.get(status.SEEN_AT, {}).get(man.id)
    if place is not None:
        at_end = moment.view(man.id, enemy.id).exposure >= SLIVER
        chance = {"target_crossed_los": True, "target_in_los_at_end": at_end}
        bar = at_once(moment.game, "opportunity_fire", {"weapon": weapon, **chance})
        seen = _glimpse(moment, man, enemy, enemy, place)
        yield _barred(_single(moment, seen, man, weapon, enemy, ON_ITS_WAY), bar)
    back = man.this_turn.get(status.SEEN_AT, {}).get(enemy.id)
    if back is not None and enemy.id in man.this_turn.get(status.FIRED_ON_BY, {}):
        asked = {"attacked_by_opportunity_fire": True, "attackers_weapon": man.this_turn[status.FIRED_ON_BY][enemy.id]}
        bar = at_once(moment.game, "return_fire", asked)
        yield _barred(_single(moment, _glimpse(moment, man, enemy, man, back), man, weapon, enemy, "in return"), bar)


def _glimpse(moment: Moment, man: Unit, enemy: Unit, mover: Unit, place: Sequence[float]) -> Moment:
    """The two of them as one stood on its way."""
    both = {name: moment.figure(name) for name in (man.id, enemy.id)}
    return replace(moment, figures={**both, mover.id: placed(both[mover.id], (place[0], place[1]))})


def _barred(deed: Deed, bar: Verdict | None) -> Deed:
    return deed if bar is None or bar.allowed else replace(deed, bar=bar)


# The facts of a shot.


def _facts(moment: Moment, man: Unit, weapon: str, enemy: Unit, seen: Moment | None = None) -> dict[str, Any]:
    view = (seen or moment).view(man.id, enemy.id)
    return {
        **firer(moment, man, weapon),
        **_aim(seen or moment, man, enemy, view),
        **_helped(moment, man, enemy),
        **_location(moment, man, weapon, enemy),
    }


def firer(moment: Moment, man: Unit, weapon: str) -> dict[str, Any]:
    """What he brings to a shot with one of his weapons."""
    kind, row, now = status.kind(moment, man), moment.game.rules.tables.weapons[weapon], man.this_turn
    down = bool(man.statuses.get(status.DOWN))
    facts = {
        "weapon": weapon,
        "attacker": status.kind_name(moment, man),
        "shown_weapons": list(status.weapons(moment, man)),
        "phase": moment.state.phase,
        "destroyed_in_phase": int(now.get(status.DOWN_IN_PHASE, 0)) if down else None,
        "wounded": bool(man.statuses.get(status.WOUNDED)),
        "moved_this_turn": bool(now.get(status.MOVED)),
        "climbing": "climb" in man.acts_this_turn,
        "dropped_this_turn": "paratrooper" in man.acts_this_turn,
        "attacks_made_this_turn": status.attacks_made(man),
        "fired_this_turn": list(now.get(status.FIRED, ())),
        "mounted": kind.vehicle,
        "crew": _crew(moment, man),
        "jammed": bool(man.statuses.get(status.jam(weapon))),
        "out_of_ammo": bool(man.statuses.get(status.empty(weapon))),
        "stunned": status.stunned(moment, man),
        "glued": bool({**man.statuses, **now}.get(status.GLUED)),
        "immobilized": bool(man.statuses.get(status.IMMOBILIZED)),
        "sustained": False,
        "hero": bool(status.card(moment, man, "hero")),
        "leader": bool(status.card(moment, man, "leader")),
        "binoculars": any(status.card(moment, one, "binoculars") for one in (man, *_mates(moment, man))),
    }
    return facts if row.turret else facts | {"turret_points_at_target": True}


def _mates(moment: Moment, man: Unit) -> list[Unit]:
    """The soldiers of his squad who stand beside him, as a crew does beside its gun."""
    beside = []
    for mate in moment.squad(man) if man.squad else ():
        if mate.id in moment.figures and mate.id != man.id and status.is_man(moment, mate) and status.fit(mate):
            edge_in = moment.measure(moment.figure(man.id), moment.figure(mate.id)).edge_in
            answer = at_once(moment.game, "adjacent", {"edge_in": edge_in})
            beside += [mate] if answer is not None and answer.numbers["adjacent"] else []
    return beside


def _crew(moment: Moment, man: Unit) -> int | None:
    """How many serve a gun that stands apart from its men; None where the figure is weapon and crew in one."""
    if "crew" in man.statuses:
        return int(man.statuses["crew"])
    return len(_mates(moment, man)) if man.squad and not status.is_man(moment, man) else None


def _helped(moment: Moment, man: Unit, enemy: Unit) -> dict[str, Any]:
    """What his friends do for a shot: leaders, radios, and who looks through binoculars."""
    friends = status.friends(moment, man)
    leaders = [one for one in friends if status.card(moment, one, "leader")]
    radios = [one for one in friends if status.card(moment, one, "radio")]
    watchers = [one for one in radios if moment.view(one.id, enemy.id).exposure >= SLIVER]
    spotters = (one for one in friends if status.card(moment, one, "binoculars"))
    here = moment.figure(man.id)
    ranges = [_distance_in(moment, moment.measure(here, moment.figure(one.id))) for one in leaders]
    facts = {
        "radio": bool(watchers),
        "spotter_binoculars": any(moment.view(one.id, enemy.id).exposure >= SLIVER for one in spotters),
        "leader_distance_in": min(ranges, default=None),
        "target_zone": None,
    }
    facts |= _zone(moment, man, enemy)
    passed_on = leaders and (radios or status.card(moment, man, "radio")) and not _led(moment, man, facts)
    return facts if passed_on else facts | {"leader_by_radio": False}


def _led(moment: Moment, man: Unit, facts: dict[str, Any]) -> bool:
    """Whether a leader's bonus reaches him without a radio."""
    shot = {"weapon": next(iter(status.weapons(moment, man))), "distance_in": 0.0}
    shot |= {"leader": bool(status.card(moment, man, "leader")), "leader_distance_in": facts["leader_distance_in"]}
    answer = at_once(moment.game, "leader_bonus", shot)
    return answer is not None and bool(answer.numbers["modifier"])


def _zone(moment: Moment, man: Unit, enemy: Unit) -> dict[str, Any]:
    """Where the target stands, seen from the pillbox that he fires from; left to the players where nobody sees it."""
    around = status.carrier(moment, man)
    if not status.in_pillbox(moment, man):
        return {}
    zone = zone_of(moment, around, enemy) if around is not None else None
    return {"target_zone": zone} if zone else {"target_zone": man.statuses.get("target_zone")}


def zone_of(moment: Moment, pillbox: Unit, other: Unit) -> str | None:
    """Where somebody stands, seen from a pillbox; None where nobody knows which way it faces."""
    if pillbox.id not in moment.figures:
        return None
    box, there = moment.figure(pillbox.id), moment.figure(other.id)
    if box.facing_deg is None or box.centre_in == there.centre_in:
        return None
    off_deg = turn_deg(box.facing_deg, bearing_deg(box.centre_in, there.centre_in))
    asked = {"off_front_deg": off_deg, "edge_in": moment.measure(box, there).edge_in}
    answer = at_once(moment.game, "pillbox_zone", asked)
    return str(answer.numbers["zone"]) if answer is not None else None


def _location(moment: Moment, man: Unit, weapon: str, enemy: Unit) -> dict[str, Any]:
    """Whether a gun has to range in: a pillbox stays where it is, of the rest the players say so."""
    gun = moment.game.rules.tables.weapons[weapon].gun
    before = {"earlier_attacks_on_location": list(man.statuses.get(status.RANGED_IN, ())).count(enemy.id)}
    if not gun:
        return before | {"fixed_location": False}
    return before | {"fixed_location": True} if status.kind(moment, enemy).hard == "pillbox" else before


def _aim(moment: Moment, man: Unit, enemy: Unit, view: View) -> dict[str, Any]:
    """A target as he has it before him."""
    facts = {
        **_target(moment, enemy),
        "distance_in": _distance_in(moment, view.range),
        "edge_in": round(view.range.edge_in, 2),
        "rise_in": round(view.range.rise_in, 2),
        "los": view.exposure >= SLIVER,
        "cover_to_target_in": _cover_in(moment, enemy, view),
    }
    here, there = moment.figure(man.id), moment.figure(enemy.id)
    if there.facing_deg is not None and here.centre_in != there.centre_in:
        facts["off_facing_deg"] = round(turn_deg(there.facing_deg, bearing_deg(there.centre_in, here.centre_in)), 1)
    return facts


def _cover_in(moment: Moment, enemy: Unit, view: View) -> float | None:
    found = cover_to_target_in(moment.game.rules, moment.figure(enemy.id), view, moment.terrain)
    return None if found is None else round(found, 2)


def _distance_in(moment: Moment, measured: Range) -> float:
    edges = moment.game.rules.chooses("measured_from", "base_edges")
    return round(measured.edge_in if edges else measured.centre_in, 2)


def _target(moment: Moment, enemy: Unit) -> dict[str, Any]:
    """What a target is, whoever fires at it."""
    around = status.carrier(moment, enemy)
    told = {**enemy.statuses, **enemy.this_turn}
    flames = [name for name, row in status.weapons(moment, enemy).items() if row.cone_in]
    return {
        "target": status.kind_name(moment, enemy),
        "behind_cover": bool(told.get("behind_cover")),
        "entrenched": bool(told.get(status.ENTRENCHED)),
        "inside_half_track": around is not None and status.kind(moment, around).target == "half_track",
        "inside_pillbox": status.in_pillbox(moment, enemy),
        "flying": status.kind(moment, enemy).flies and not told.get("landed"),
        "from_lower": False,
        "heavy": bool(status.card(moment, enemy, "heavy")),
        "target_weapon": flames[0] if flames else None,
        "target_hero": bool(status.card(moment, enemy, "hero")),
        "target_eliminations": int(told.get(status.ELIMINATIONS, 0)),
    }


def _errors(moment: Moment, man: Unit, enemy: Unit, view: View, way: tuple[str | int, ...] = ()) -> list[Measured]:
    """What of a target was measured, and how well."""
    here, there = moment.figure(man.id), moment.figure(enemy.id)
    pair = f"{spoken(man.id)} to {spoken(enemy.id)}"
    sigma_in = view.range.sigma_in
    found = [
        Measured((*way, "distance_in"), sigma_in, f"the range from {pair}"),
        Measured((*way, "edge_in"), sigma_in, f"the gap from {pair}"),
    ]
    if _cover_in(moment, enemy, view):
        found.append(Measured((*way, "cover_to_target_in"), there.sigma_in, f"the cover of {spoken(enemy.id)}"))
    if there.facing_deg is not None and here.centre_in != there.centre_in:
        sigma_deg = aspect_sigma_deg(there, here.centre_in, 0.0, here.sigma_in)
        what = f"the side of {spoken(enemy.id)} that {spoken(man.id)} sees"
        found.append(Measured((*way, "off_facing_deg"), sigma_deg, what, -180.0, 180.0))
    return [one for one in found if one.sigma > 0]
