"""Simple Plastic Figure: the questions that stand for a figure's small arms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from rules.engine.position import Moment, View
from rules.engine.referee import Deed, Measured, prospect
from rules.engine.state import Unit
from rules.engine.text import spoken
from rules.engine.verdict import Verdict
from rules.games.simple_plastic_figure.board import holder_at
from rules.games.simple_plastic_figure.fire import held
from rules.games.simple_plastic_figure.referee_facts import (
    DONE,
    SHOTS_LEFT,
    bar,
    held_in,
    helped,
    leader_errors,
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


def titled(moment: Moment, weapon: str) -> str:
    """A weapon's name as the first word of a title."""
    name = called(rules_of(moment), weapon)
    return name[:1].upper() + name[1:]


def shot(moment: Moment, man: Unit, weapon: str, enemy: Unit, barred: Verdict | None) -> Deed:
    """All shots of a weapon at one enemy."""
    view = moment.view(man.id, enemy.id)
    given = {
        **firer(moment, man, weapon, enemy, view),
        "distance_in": round(view.range.edge_in, 2),
        "shots": _shots(moment, man, weapon),
        **_stands(moment, enemy, view),
    }
    sigma_in, what = view.range.sigma_in, f"the range from {spoken(man.id)} to {spoken(enemy.id)}"
    measured: tuple[Measured, ...] = (Measured(("distance_in",), sigma_in, what),) if sigma_in > 0 else ()
    if "target_exposed" in given:
        seen, part = f"how much of {spoken(enemy.id)} is seen by {spoken(man.id)}", float(given["target_exposed"])
        measured += tuple(Measured(("target_exposed",), sigma, seen, 0.0, 1.0) for sigma in view.part_errors(part))
    return Deed(
        f"{titled(moment, weapon)} at {spoken(enemy.id)}",
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


def _shots(moment: Moment, man: Unit, weapon: str) -> int:
    """How often he may fire it; where targets are named one by one, what is left of that."""
    held = man.this_turn.get(SHOTS_LEFT)
    return int(held[1]) if held and held[0] == weapon and man.this_turn.get(DONE) else _rate(moment, man, weapon)


def _rate(moment: Moment, man: Unit, weapon: str) -> int:
    rules = rules_of(moment)
    return rules.tables.weapons[held(rules, weapon, scope(moment, man, weapon).get("scope", False))].rof


def scope(moment: Moment, man: Unit, weapon: str) -> dict[str, bool]:
    """Whether his rifle has a scope: ready cards say it by their weapon, own ones may; else the players are asked."""
    if man.own is not None and "scope" in man.own:
        return {"scope": bool(man.own["scope"])}
    rifles = {nation.rifle for nation in rules_of(moment).tables.nations.values()}
    for key, told in {**man.statuses, **man.this_turn}.items():
        if key == "scope" or key.startswith("scope at "):
            return {"scope": bool(told)}
    return {} if man.own is not None and weapon in rifles else {"scope": False}


def firer(moment: Moment, man: Unit, weapon: str, enemy: Unit, view: View) -> dict[str, Any]:
    """What decides whether he may fire at an enemy, or at the spot where that one stands."""
    return {
        "weapon": weapon,
        **scope(moment, man, weapon),
        "target_exposed": shows(moment, man.id, enemy.id),
        "shooter_exposed": shows(moment, enemy.id, man.id),
        **({} if _peeps(moment, enemy) else {"target_at_opening": False}),
        **({} if _peeps(moment, man) else {"shooter_at_opening": False}),
        "status_die": status_die(man),
        **helped(moment, man, weapon, view, enemy.id),
    }


def firer_at_spot(moment: Moment, man: Unit, weapon: str, spot_in: PointIn, view: View) -> dict[str, Any]:
    """What decides whether he may fire at a bare place."""
    target, shooter = open_to_spot(moment, man.id, spot_in)
    return {
        "weapon": weapon,
        **scope(moment, man, weapon),
        "target_exposed": target,
        "shooter_exposed": shooter,
        **({} if holder_at(rules_of(moment), spot_in, moment.terrain) else {"target_at_opening": False}),
        **({} if _peeps(moment, man) else {"shooter_at_opening": False}),
        "status_die": status_die(man),
        **helped(moment, man, weapon, view, spot_in),
    }


def _peeps(moment: Moment, unit: Unit) -> bool:
    """Whether no camera tells how much of a figure shows: it is in a shelter, or lies behind what hides it."""
    figure, lying = moment.figure(unit.id), rules_of(moment).tables.poses[pose(moment, unit)].lying
    return held_in(moment, unit.id) is not None or (
        lying and any(one["touching"] for one in pieces(moment, figure, ()))
    )


def _stands(moment: Moment, enemy: Unit, view: View) -> dict[str, Any]:
    """A target's pose and place, and what hides some of it; of what it only touches, what counts for who lies."""
    stands = pose(moment, enemy)
    lying = rules_of(moment).tables.poses[stands].lying
    found = pieces(moment, moment.figure(enemy.id), view.hidden_by)
    counting = [one for one in found if one["line_passes_terrain"] or lying]
    return {"pose": stands, "place": place(moment, enemy.id), "terrain": counting}


def band_of(moment: Moment, measured: Range) -> str:
    """The row of the range modifiers that a distance falls into."""
    bands = rules_of(moment).tables.range_bands
    row = band(rules_of(moment), bands, round(measured.edge_in, 2))
    return next(name for name, one in bands.items() if one == row)


def spreads(moment: Moment, man: Unit) -> Iterator[Deed]:
    """The shots of one weapon in turn at any two of those enemies who are the easiest to hit, or at more of them."""
    for weapon, row in weapons(moment, man).items():
        if rules_of(moment).tables.weapon_kinds[row.kind].aim_at is not AimAt.FIGURE or man.this_turn.get(SHOTS_LEFT):
            continue
        rate, barred = _rate(moment, man, weapon), bar(moment, man, "fire", weapon)
        if rate < 2 or barred is not None:
            continue
        shots = [shot(moment, man, weapon, enemy, barred) for enemy in moment.enemies(man)]
        tried = [prospect(moment, replace(one, listed=False)) for one in shots]
        open_to = [(one.deed, one.before.numbers) for one in tried if one.possible and one.before is not None]
        easiest = sorted(open_to, key=lambda known: (-known[1]["modifier"], known[0].at))
        most = easiest[:rate]
        for aimed in (*combinations(most, 2), *(most[:many] for many in range(3, len(most) + 1))):
            yield _spread(moment, man, weapon, aimed, rate)


def _spread(moment: Moment, man: Unit, weapon: str, aimed: Sequence[tuple[Deed, Mapping[str, Any]]], rate: int) -> Deed:
    """One shot at each in turn until none is left."""
    names = tuple(deed.at[0] for deed, _ in aimed)
    aims = [
        {
            "target": name,
            "range_in": deed.given["distance_in"],
            "pose": numbers["pose"],
            "covers": numbers["covers"],
            **helped(moment, man, weapon, moment.view(man.id, name), name),
        }
        for name, (deed, numbers) in zip(names, aimed, strict=True)
    ]
    shots = [aims[k % len(aims)] for k in range(rate)]
    errors = [(k, one["target"], moment.view(man.id, one["target"]).range.sigma_in) for k, one in enumerate(shots)]
    return Deed(
        f"{titled(moment, weapon)} at {', '.join(map(spoken, names))}",
        "volley",
        {"weapon": weapon, **scope(moment, man, weapon), "shots": shots},
        (man.id,),
        names,
        weapon,
        preview="volley_aim",
        measured=tuple(
            Measured(("shots", k, "range_in"), sigma_in, f"the range from {spoken(man.id)} to {spoken(name)}")
            for k, name, sigma_in in errors
            if sigma_in > 0
        ),
        listed=False,
    )
