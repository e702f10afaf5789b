"""Simple Plastic Figure: the questions that stand for a figure's small arms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from rules.engine.position import Position, View
from rules.engine.referee import ActionPreview, Deed, Measured, prospect
from rules.engine.state import Unit
from rules.engine.text import display_name, place_words
from rules.engine.verdict import Verdict
from rules.games.simple_plastic_figure.board import holder_at
from rules.games.simple_plastic_figure.fire import held
from rules.games.simple_plastic_figure.referee_facts import (
    DONE,
    SHOTS_LEFT,
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
    status_die,
    weapons,
)
from rules.games.simple_plastic_figure.tables import AimAt, band, called
from rules.tabletop.measure import Range
from rules.tabletop.table import PointIn


def titled(moment: Position, weapon: str) -> str:
    """A weapon's name as the first word of a title."""
    name = called(rules_of(moment), weapon)
    return name[:1].upper() + name[1:]


def shot(moment: Position, man: Unit, weapon: str, enemy: Unit, barred: Verdict | None) -> Deed:
    """All shots of a weapon at one enemy."""
    view = moment.view(man.id, enemy.id)
    given = {
        **firer(moment, man, weapon, enemy, view),
        "distance_in": round(view.range.edge_in, 2),
        "shots": _shots(moment, man, weapon),
        **_stands(moment, man, enemy, view),
    }
    sigma_in, what = view.range.sigma_in, f"the range from {display_name(man.id)} to {display_name(enemy.id)}"
    measured: tuple[Measured, ...] = (Measured(("distance_in",), sigma_in, what),) if sigma_in > 0 else ()
    if beside(moment, enemy).isdisjoint(piece.name for piece, _ in view.hidden_by):
        seen, part = (
            f"how much of {display_name(enemy.id)} is seen by {display_name(man.id)}",
            float(given["target_exposed"]),
        )
        measured += tuple(Measured(("target_exposed",), sigma, seen, 0.0, 1.0) for sigma in view.part_errors(part))
    return Deed(
        f"{titled(moment, weapon)} at {display_name(enemy.id)}",
        "attack",
        given,
        (man.id,),
        (enemy.id,),
        weapon,
        preview="aimed",
        view=view,
        measured=(*measured, *leader_errors(moment, man)),
        band=band_of(moment, view.range),
        bar=barred,
    )


def _shots(moment: Position, man: Unit, weapon: str) -> int:
    """How often he may fire it; where targets are named one by one, what is left of that."""
    held = man.this_turn.get(SHOTS_LEFT)
    return int(held[1]) if held and held[0] == weapon and man.this_turn.get(DONE) else _rate(moment, man, weapon)


def _rate(moment: Position, man: Unit, weapon: str) -> int:
    rules = rules_of(moment)
    return rules.tables.weapons[held(rules, weapon, scope(moment, man, weapon).get("scope", False))].rof


def scope(moment: Position, man: Unit, weapon: str) -> dict[str, bool]:
    """Whether his rifle has a scope: ready cards say it by their weapon, own ones may; else the players are asked."""
    if man.own is not None and "scope" in man.own:
        return {"scope": bool(man.own["scope"])}
    rifles = {nation.rifle for nation in rules_of(moment).tables.nations.values()}
    for key, told in {**man.statuses, **man.this_turn}.items():
        if key == "scope" or key.startswith("scope at "):
            return {"scope": bool(told)}
    return {} if man.own is not None and weapon in rifles else {"scope": False}


def firer(moment: Position, man: Unit, weapon: str, enemy: Unit, view: View) -> dict[str, Any]:
    """What decides whether he may fire at an enemy, or at the spot where that one stands."""
    past = _past(moment, man, enemy)
    return {
        "weapon": weapon,
        **scope(moment, man, weapon),
        "target_exposed": shows(moment, man.id, enemy.id, past),
        "shooter_exposed": shows(moment, enemy.id, man.id, past),
        **({} if held_in(moment, enemy.id) else {"target_at_opening": False}),
        **({} if held_in(moment, man.id) else {"shooter_at_opening": False}),
        "status_die": status_die(man),
        **helped(moment, man, weapon, view, enemy.id),
    }


def firer_at_spot(moment: Position, man: Unit, weapon: str, spot_in: PointIn, view: View) -> dict[str, Any]:
    """What decides whether he may fire at a bare place."""
    shelter, there = holder_at(rules_of(moment), spot_in, moment.terrain), place_words(spot_in)
    past = edges(moment, man, at_opening=_says(man, "shooter_at_opening", there))
    if shelter and _says(man, "target_at_opening", there):
        past |= {shelter.name}
    target, shooter = open_to_spot(moment, man.id, spot_in, past)
    return {
        "weapon": weapon,
        **scope(moment, man, weapon),
        "target_exposed": target,
        "shooter_exposed": shooter,
        **({} if shelter else {"target_at_opening": False}),
        **({} if held_in(moment, man.id) else {"shooter_at_opening": False}),
        "status_die": status_die(man),
        **helped(moment, man, weapon, view, spot_in),
    }


def _says(man: Unit, fact: str, at: str) -> bool:
    """What the players said of this shot: who is in a shelter may be at an opening, which no camera tells."""
    told = {**man.statuses, **man.this_turn}
    return bool(told.get(f"{fact} at {at}", told.get(fact, False)))


def _past(moment: Position, man: Unit, enemy: Unit) -> frozenset[str]:
    """The pieces at whose edges two figures are, so that they fire past them."""
    ends = ((man, "shooter_at_opening"), (enemy, "target_at_opening"))
    first, second = (edges(moment, one, at_opening=_says(man, fact, enemy.id)) for one, fact in ends)
    return first | second


def _stands(moment: Position, man: Unit, enemy: Unit, view: View) -> dict[str, Any]:
    """A target's pose and place, and what hides some of it; of what it only touches, what counts for who lies.

    What the firer or the target fires past covers the target only where the target lies beside it.
    """
    stands = pose(moment, enemy)
    lying = rules_of(moment).tables.poses[stands].lying
    past = _past(moment, man, enemy) - beside(moment, enemy)
    hiding = [(piece, part) for piece, part in view.hidden_by if piece.name not in past]
    found = pieces(moment, moment.figure(enemy.id), hiding)
    counting = [one for one in found if one["line_passes_terrain"] or lying]
    return {"pose": stands, "place": place(moment, enemy.id), "terrain": counting}


def band_of(moment: Position, measured: Range) -> str:
    """The row of the range modifiers that a distance falls into."""
    bands = rules_of(moment).tables.range_bands
    row = band(rules_of(moment), bands, round(measured.edge_in, 2))
    return next(name for name, one in bands.items() if one == row)


def spreads(moment: Position, man: Unit) -> Iterator[Deed]:
    """The shots of one weapon at several enemies: named one after another, or in turn at those easiest to hit."""
    for weapon in _small_arms(moment, man):
        rate, barred = _rate(moment, man, weapon), bar(moment, man, "fire", weapon)
        if rate < 2 or barred is not None or man.this_turn.get(SHOTS_LEFT):
            continue
        tried = [_tried(moment, man, weapon, enemy) for enemy in moment.enemies(man)]
        open_to = [one for one in tried if one.possible and one.before is not None]
        easiest = sorted(open_to, key=lambda one: (-one.before.numbers["modifier"] if one.before else 0, one.deed.at))
        yield from _naming(moment, man, weapon, easiest)
        most = easiest[:rate]
        for aimed in (*combinations(most, 2), *(most[:many] for many in range(3, len(most) + 1))):
            yield _spread(moment, man, weapon, [aimed[k % len(aimed)] for k in range(rate)])


def _naming(moment: Position, man: Unit, weapon: str, open_to: Sequence[ActionPreview]) -> Iterator[Deed]:
    """A target for each shot, the same or another one; then all that were named are fired at."""
    of, rate = {one.deed.at[0]: one for one in open_to}, _rate(moment, man, weapon)
    names = [name for name in named(man, weapon) if name in of]
    if names:
        yield _spread(moment, man, weapon, [of[name] for name in names])
    for name in of if len(names) < rate and len(of) > 1 else ():
        title = f"{titled(moment, weapon)}, name shot {len(names) + 1} of {rate}: {display_name(name)}"
        given = {"weapon": weapon, **scope(moment, man, weapon), "shots": len(names) + 1}
        yield Deed(title, "declare_shots", given, (man.id,), (name,), weapon)


def at_targets(moment: Position, figure: str, names: Sequence[str]) -> Iterator[Deed]:
    """The shots of each small arm at targets that the players name, each in turn until no shot is left."""
    man = moment.unit(figure)
    for weapon in () if man.out else _small_arms(moment, man):
        tried = [_tried(moment, man, weapon, moment.unit(name)) for name in names]
        barred = next((one for one in tried if not one.possible or one.before is None), None)
        if barred is not None:
            yield replace(barred.deed, action="volley", given={}, at=tuple(names), preview="", bar=barred.before)
        else:
            shots = max(len(tried), _rate(moment, man, weapon))
            deed = _spread(moment, man, weapon, [tried[k % len(tried)] for k in range(shots)])
            yield replace(deed, view=tried[0].deed.view)


def _small_arms(moment: Position, man: Unit) -> Iterator[str]:
    kinds = rules_of(moment).tables.weapon_kinds
    return (weapon for weapon, row in weapons(moment, man).items() if kinds[row.kind].aim_at is AimAt.FIGURE)


def _tried(moment: Position, man: Unit, weapon: str, enemy: Unit) -> ActionPreview:
    """What the rules say of his shots at one enemy before the dice."""
    deed = shot(moment, man, weapon, enemy, bar(moment, man, "fire", weapon))
    return prospect(moment, replace(deed, listed=False))


def _spread(moment: Position, man: Unit, weapon: str, aimed: Sequence[ActionPreview]) -> Deed:
    """One shot at each of these in this order."""
    shots = []
    for one in aimed:
        [name], numbers = one.deed.at, one.before.numbers if one.before else {}
        aim = {"target": name, "range_in": one.deed.given["distance_in"], "pose": numbers["pose"]}
        view = moment.view(man.id, name)
        shots.append({**aim, "covers": numbers["covers"], **helped(moment, man, weapon, view, name)})
    names = [one["target"] for one in shots]
    times = {name: names.count(name) for name in names}
    even = max(times.values()) - min(times.values()) < 2
    told = [display_name(name) if even else f"{display_name(name)} ({count})" for name, count in times.items()]
    errors = [(k, name, moment.view(man.id, name).range.sigma_in) for k, name in enumerate(names)]
    return Deed(
        f"{titled(moment, weapon)} at {', '.join(told)}",
        "volley",
        {"weapon": weapon, **scope(moment, man, weapon), "shots": shots},
        (man.id,),
        tuple(times),
        weapon,
        preview="volley_aim",
        measured=tuple(
            Measured(
                ("shots", k, "range_in"), sigma_in, f"the range from {display_name(man.id)} to {display_name(name)}"
            )
            for k, name, sigma_in in errors
            if sigma_in > 0
        ),
        listed=False,
    )
