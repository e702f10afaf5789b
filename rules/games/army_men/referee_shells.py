"""Army Men: the questions that stand for what fills an area: shells, grenades and flames, at enemies and at spots."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from rules.engine.ambiguity import in_sight
from rules.engine.position import Position
from rules.engine.referee import Action, UncertainFact, verdict_without_dice
from rules.engine.state import Unit
from rules.engine.text import display_name, place_words
from rules.engine.verdict import Verdict, forbidden
from rules.games.army_men import status
from rules.games.army_men.bursts import laid
from rules.games.army_men.referee_facts import (
    cover_in,
    distance_in,
    errors,
    facts_of,
    firer,
    helped,
    rise_in,
    target_facts,
    turret,
)
from rules.games.army_men.shot import armoured
from rules.tabletop.errors import UserError
from rules.tabletop.sight import SLIVER
from rules.tabletop.table import PointIn
from rules.tabletop.template import Template, under

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
    facts, measured = facts_of(position, man, weapon, enemy), errors(position, man, enemy, view)
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


def _location(position: Position, man: Unit, weapon: str, spot_in: PointIn) -> dict[str, Any]:
    """A place that is pointed out is a fixed one; a gun that has fired at it before has ranged in."""
    if not position.game.rules.tables.weapons[weapon].gun:
        return {"fixed_location": False, "earlier_attacks_on_location": 0}
    before = (one for one in man.statuses.get(status.RANGED_IN, ()) if not isinstance(one, str))
    earlier = sum(math.dist(one, spot_in) <= SAME_SPOT_IN for one in before)
    return {"fixed_location": True, "earlier_attacks_on_location": earlier}


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
    own = target_facts(position, other) | {"off_facing_deg": None}
    if other.id != man.id:
        view = position.view(man.id, other.id)
        own |= {"cover_to_target_in": cover_in(position, other, view), "rise_in": rise_in(man, other, view)}
    return own | {fact: aimed[fact] for fact in ("distance_in", "los")}


def _reachable(position: Position, facts: dict[str, Any]) -> bool:
    """Whether a blast can do anything to him: armour and what is immune stay out of it."""
    if armoured(position.game.rules, facts["target"]):
        return False
    answer = verdict_without_dice(position.game, "aim", {**facts, "phase": None})
    return answer is None or answer.allowed or answer.numbers.get("reason") not in UNTOUCHED
