"""Army Men: the questions that stand for a figure's attacks: single shots, bursts and blasts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rules.engine.position import Position
from rules.engine.referee import Action, UncertainFact, verdict_without_dice
from rules.engine.ruleset import limit
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict
from rules.games.army_men import status
from rules.games.army_men.bursts import smallest_arc_deg
from rules.games.army_men.referee_facts import aim_of, errors, facts_of
from rules.games.army_men.referee_shells import shell
from rules.games.army_men.shot import armoured
from rules.games.army_men.tables import MOVING
from rules.tabletop.bearing import arc_of_fire, bearing_deg
from rules.tabletop.path import placed
from rules.tabletop.sight import SLIVER
from rules.tabletop.table import PointIn

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
    here, granted = position.figure(man.id), _granted(how)
    sighted = {"los": True} if how else {}
    there = [seen.figure(enemy.id) for enemy in enemies]
    arc = arc_of_fire(here, there)
    names = tuple(enemy.id for enemy in enemies)
    facts = {
        **facts_of(position, man, weapon, enemies[0], seen),
        **granted,
        "targets": list(names),
        "each": {one.id: {**aim_of(seen, man, one, seen.view(man.id, one.id)), **sighted} for one in enemies},
        "bearings_deg": [round(bearing_deg(here.centre_in, one.centre_in), 2) for one in there],
    }
    last = len(names) - 1
    measured = [UncertainFact(("bearings_deg", last), arc.sigma_deg, f"the arc of {display_name(man.id)}'s burst")]
    for enemy in enemies:
        measured += errors(seen, man, enemy, seen.view(man.id, enemy.id), ("each", enemy.id), granted=bool(how))
    title = " ".join(filter(None, [f"{display_name(weapon)} at {', '.join(map(display_name, names))}", how]))
    found = tuple(one for one in measured if one.sigma > 0)
    return Action(
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


def _single(position: Position, seen: Position, man: Unit, weapon: str, enemy: Unit, how: str = "") -> Action:
    """One attack, or a whole burst, at one target, as it is `seen` now or was on its way."""
    view = seen.view(man.id, enemy.id)
    whole = position.game.rules.tables.weapons[weapon].rof > 1
    facts = {**facts_of(position, man, weapon, enemy, seen), "sustained": whole, **_granted(how)}
    measured = tuple(errors(seen, man, enemy, view, granted=bool(how)))
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
