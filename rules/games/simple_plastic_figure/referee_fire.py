"""Simple Plastic Figure: the questions that stand for a figure's small arms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from rules.engine.position import Position, View
from rules.engine.referee import Action, ActionPreview, UncertainFact, preview_of
from rules.engine.state import Unit
from rules.engine.text import display_name, place_words
from rules.engine.verdict import Verdict
from rules.games.simple_plastic_figure.board import holder_at
from rules.games.simple_plastic_figure.fire import Held, held
from rules.games.simple_plastic_figure.referee_facts import (
    bar,
    beside,
    edges,
    held_in,
    helped,
    leader_errors,
    named,
    open_to_spot,
    pieces,
    place,
    pose,
    rules_of,
    shows,
    weapons,
)
from rules.games.simple_plastic_figure.statuses import DONE, SHOTS_LEFT, status_die
from rules.games.simple_plastic_figure.tables import AimAt, band, called
from rules.tabletop.measure import Range
from rules.tabletop.table import PointIn


def titled(position: Position, weapon: str) -> str:
    """A weapon's name as the first word of a title."""
    name = called(rules_of(position), weapon)
    return name[:1].upper() + name[1:]


def shot(position: Position, man: Unit, weapon: str, enemy: Unit, barred: Verdict | None) -> Action:
    """All shots of a weapon at one enemy."""
    view = position.view(man.id, enemy.id)
    given = {
        **firer(position, man, weapon, enemy, view),
        "distance_in": round(view.range.edge_in, 2),
        "shots": _shots(position, man, weapon),
        **_stands(position, man, enemy, view),
    }
    sigma_in, what = view.range.sigma_in, f"the range from {display_name(man.id)} to {display_name(enemy.id)}"
    measured: tuple[UncertainFact, ...] = (UncertainFact(("distance_in",), sigma_in, what),) if sigma_in > 0 else ()
    if beside(position, enemy).isdisjoint(piece.name for piece, _ in view.hidden_by):
        seen, part = (
            f"how much of {display_name(enemy.id)} is seen by {display_name(man.id)}",
            float(given["target_exposed"]),
        )
        measured += tuple(UncertainFact(("target_exposed",), sigma, seen, 0.0, 1.0) for sigma in view.part_errors(part))
    return Action(
        f"{titled(position, weapon)} at {display_name(enemy.id)}",
        "attack",
        given,
        (man.id,),
        (enemy.id,),
        weapon,
        preview="aimed",
        view=view,
        measured=(*measured, *leader_errors(position, man)),
        band=band_of(position, view.range),
        blocked_by=barred,
    )


def _shots(position: Position, man: Unit, weapon: str) -> int:
    """How often he may fire it; where targets are named one by one, what is left of that."""
    held = man.this_turn.get(SHOTS_LEFT)
    return int(held[1]) if held and held[0] == weapon and man.this_turn.get(DONE) else _rate(position, man, weapon)


def _rate(position: Position, man: Unit, weapon: str) -> int:
    rules = rules_of(position)
    return rules.tables.weapons[held(rules, Held(weapon=weapon, **scope(position, man, weapon)))].rof


def scope(position: Position, man: Unit, weapon: str) -> dict[str, bool]:
    """Whether his rifle has a scope: ready cards say it by their weapon, own ones may; else the players are asked."""
    if man.own is not None and "scope" in man.own:
        return {"scope": bool(man.own["scope"])}
    rifles = {nation.rifle for nation in rules_of(position).tables.nations.values()}
    for key, told in {**man.statuses, **man.this_turn}.items():
        if key == "scope" or key.startswith("scope at "):
            return {"scope": bool(told)}
    return {} if man.own is not None and weapon in rifles else {"scope": False}


def firer(position: Position, man: Unit, weapon: str, enemy: Unit, view: View) -> dict[str, Any]:
    """What decides whether he may fire at an enemy, or at the spot where that one stands."""
    past = _past(position, man, enemy)
    return {
        "weapon": weapon,
        **scope(position, man, weapon),
        "target_exposed": shows(position, man.id, enemy.id, past),
        "shooter_exposed": shows(position, enemy.id, man.id, past),
        **({} if held_in(position, enemy.id) else {"target_at_opening": False}),
        **({} if held_in(position, man.id) else {"shooter_at_opening": False}),
        "status_die": status_die(man),
        **helped(position, man, weapon, view, enemy.id),
    }


def firer_at_spot(position: Position, man: Unit, weapon: str, spot_in: PointIn, view: View) -> dict[str, Any]:
    """What decides whether he may fire at a bare place."""
    shelter, there = holder_at(rules_of(position), spot_in, position.terrain), place_words(spot_in)
    past = edges(position, man, at_opening=_says(man, "shooter_at_opening", there))
    if shelter and _says(man, "target_at_opening", there):
        past |= {shelter.name}
    target, shooter = open_to_spot(position, man.id, spot_in, past)
    return {
        "weapon": weapon,
        **scope(position, man, weapon),
        "target_exposed": target,
        "shooter_exposed": shooter,
        **({} if shelter else {"target_at_opening": False}),
        **({} if held_in(position, man.id) else {"shooter_at_opening": False}),
        "status_die": status_die(man),
        **helped(position, man, weapon, view, spot_in),
    }


def _says(man: Unit, fact: str, at: str) -> bool:
    """What the players said of this shot: who is in a shelter may be at an opening, which no camera tells."""
    told = {**man.statuses, **man.this_turn}
    return bool(told.get(f"{fact} at {at}", told.get(fact, False)))


def _past(position: Position, man: Unit, enemy: Unit) -> frozenset[str]:
    """The pieces at whose edges two figures are, so that they fire past them."""
    ends = ((man, "shooter_at_opening"), (enemy, "target_at_opening"))
    first, second = (edges(position, one, at_opening=_says(man, fact, enemy.id)) for one, fact in ends)
    return first | second


def _stands(position: Position, man: Unit, enemy: Unit, view: View) -> dict[str, Any]:
    """A target's pose and place, and what hides some of it; of what it only touches, what counts for who lies.

    What the firer or the target fires past covers the target only where the target lies beside it.
    """
    stands = pose(position, enemy)
    lying = rules_of(position).tables.poses[stands].lying
    past = _past(position, man, enemy) - beside(position, enemy)
    hiding = [(piece, part) for piece, part in view.hidden_by if piece.name not in past]
    found = pieces(position, position.figure(enemy.id), hiding)
    counting = [one for one in found if one["line_passes_terrain"] or lying]
    return {"pose": stands, "place": place(position, enemy.id), "terrain": counting}


def band_of(position: Position, measured: Range) -> str:
    """The row of the range modifiers that a distance falls into."""
    bands = rules_of(position).tables.range_bands
    row = band(rules_of(position), bands, round(measured.edge_in, 2))
    return next(name for name, one in bands.items() if one == row)


def spreads(position: Position, man: Unit) -> Iterator[Action]:
    """The shots of one weapon at several enemies: named one after another, or in turn at those easiest to hit."""
    for weapon in _small_arms(position, man):
        rate, barred = _rate(position, man, weapon), bar(position, man, "fire", weapon)
        if rate < 2 or barred is not None or man.this_turn.get(SHOTS_LEFT):
            continue
        tried = [_tried(position, man, weapon, enemy) for enemy in position.enemies(man)]
        open_to = [one for one in tried if one.possible and one.before is not None]
        easiest = sorted(open_to, key=lambda one: (-one.before.numbers["modifier"] if one.before else 0, one.action.at))
        yield from _naming(position, man, weapon, easiest)
        most = easiest[:rate]
        for aimed in (*combinations(most, 2), *(most[:many] for many in range(3, len(most) + 1))):
            yield _spread(position, man, weapon, [aimed[k % len(aimed)] for k in range(rate)])


def _naming(position: Position, man: Unit, weapon: str, open_to: Sequence[ActionPreview]) -> Iterator[Action]:
    """A target for each shot, the same or another one; then all that were named are fired at."""
    of, rate = {one.action.at[0]: one for one in open_to}, _rate(position, man, weapon)
    names = [name for name in named(man, weapon) if name in of]
    if names:
        yield _spread(position, man, weapon, [of[name] for name in names])
    for name in of if len(names) < rate and len(of) > 1 else ():
        title = f"{titled(position, weapon)}, name shot {len(names) + 1} of {rate}: {display_name(name)}"
        given = {"weapon": weapon, **scope(position, man, weapon), "shots": len(names) + 1}
        yield Action(title, "declare_shots", given, (man.id,), (name,), weapon)


def at_targets(position: Position, figure: str, names: Sequence[str]) -> Iterator[Action]:
    """The shots of each small arm at targets that the players name, each in turn until no shot is left."""
    man = position.unit(figure)
    for weapon in () if man.out else _small_arms(position, man):
        tried = [_tried(position, man, weapon, position.unit(name)) for name in names]
        barred = next((one for one in tried if not one.possible or one.before is None), None)
        if barred is not None:
            yield replace(barred.action, name="volley", given={}, at=tuple(names), preview="", blocked_by=barred.before)
        else:
            shots = max(len(tried), _rate(position, man, weapon))
            action = _spread(position, man, weapon, [tried[k % len(tried)] for k in range(shots)])
            yield replace(action, view=tried[0].action.view)


def _small_arms(position: Position, man: Unit) -> Iterator[str]:
    kinds = rules_of(position).tables.weapon_kinds
    return (weapon for weapon, row in weapons(position, man).items() if kinds[row.kind].aim_at is AimAt.FIGURE)


def _tried(position: Position, man: Unit, weapon: str, enemy: Unit) -> ActionPreview:
    """What the rules say of his shots at one enemy before the dice."""
    action = shot(position, man, weapon, enemy, bar(position, man, "fire", weapon))
    return preview_of(position, replace(action, has_odds=False))


def _spread(position: Position, man: Unit, weapon: str, aimed: Sequence[ActionPreview]) -> Action:
    """One shot at each of these in this order."""
    shots = []
    for one in aimed:
        [name], numbers = one.action.at, one.before.numbers if one.before else {}
        aim = {"target": name, "range_in": one.action.given["distance_in"], "pose": numbers["pose"]}
        view = position.view(man.id, name)
        shots.append({**aim, "covers": numbers["covers"], **helped(position, man, weapon, view, name)})
    names = [one["target"] for one in shots]
    times = {name: names.count(name) for name in names}
    even = max(times.values()) - min(times.values()) < 2
    told = [display_name(name) if even else f"{display_name(name)} ({count})" for name, count in times.items()]
    errors = [(k, name, position.view(man.id, name).range.sigma_in) for k, name in enumerate(names)]
    return Action(
        f"{titled(position, weapon)} at {', '.join(told)}",
        "volley",
        {"weapon": weapon, **scope(position, man, weapon), "shots": shots},
        (man.id,),
        tuple(times),
        weapon,
        preview="volley_aim",
        measured=tuple(
            UncertainFact(
                ("shots", k, "range_in"), sigma_in, f"the range from {display_name(man.id)} to {display_name(name)}"
            )
            for k, name, sigma_in in errors
            if sigma_in > 0
        ),
        has_odds=False,
    )
