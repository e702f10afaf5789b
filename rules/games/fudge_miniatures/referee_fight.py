"""Fudge Miniatures Battles: every attack of a model on the measured table, free strikes among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rules.engine.effects import kept
from rules.engine.position import Position, View
from rules.engine.referee import Deed, Measured, verdict_without_dice
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, forbidden
from rules.games.fudge_miniatures.referee_facts import (
    DONE,
    MUST_RUN,
    STRUCK_AT,
    STRUCK_WITH,
    arms,
    card,
    effect_of,
    model,
    odf,
    ready,
    rules_of,
    situation,
    state_of,
    stats,
    touches,
    weapons,
)
from rules.games.fudge_miniatures.referee_turn import may_strike, not_now, strikers
from rules.games.fudge_miniatures.shooting import ranges
from rules.games.fudge_miniatures.tables import Concern, Item, ItemKind
from rules.tabletop.bearing import bearing_deg
from rules.tabletop.sight import SLIVER

MELEE, SHOOT, CAST = "melee", "shoot", "cast_spell"
_ACTION_OF = {MELEE: "attacks_in_melee_action", SHOOT: "attacks_in_shoot_action"}


@dataclass(frozen=True, slots=True)
class _Foe:
    """An enemy as a model has him before it.

    Attributes:
        unit, view: Himself, and how he is seen.
        facts: What an attack of any kind on him is judged by.
        contact: Whether the bases touch; None where it is too close to call.
        past_terrain: The part of him that terrain alone leaves in sight.
    """

    unit: Unit
    view: View
    facts: Mapping[str, Any]
    contact: bool | None
    past_terrain: float


def attacks(moment: Position, figure: str) -> Iterator[Deed]:
    """Every weapon and every attacking spell of a model at every enemy."""
    unit = moment.unit(figure)
    foes = [] if unit.out else _foes(moment, unit)
    touching = [foe.contact for foe in foes]
    known = True in touching or None not in touching
    near = {"in_base_contact_with_enemy": any(touching)} if known else {}
    for name, item in weapons(moment, unit, ItemKind.MELEE).items():
        yield from (_blow(moment, unit, foe, name, item) for foe in foes)
    for name, item in weapons(moment, unit, ItemKind.RANGED).items():
        bow = {"rodf": odf(moment, unit, item), "fired_in_contact": item.fired_in_contact, **near}
        yield from (_shot(moment, unit, foe, SHOOT, name, item.range_in, bow) for foe in foes)
    for name, spell in rules_of(moment).tables.spells.items():
        if spell.odf is not None:
            cast = {"rodf": spell.odf, **near}
            yield from (_shot(moment, unit, foe, CAST, name, spell.range_in, cast) for foe in foes)


def _foes(moment: Position, unit: Unit) -> list[_Foe]:
    bare = replace(moment, sight=replace(moment.sight, figures_hide=False)) if moment.sight.figures_hide else moment
    found = []
    for enemy in moment.enemies(unit):
        view = moment.view(unit.id, enemy.id)
        facts = {
            **strike(moment, unit, enemy),
            "models_attacking_target": _attackers(moment, unit, enemy),
            "distance_in": round(view.range.edge_in, 2),
        }
        past_terrain = bare.view(unit.id, enemy.id).exposure if view.exposure < 1 else 1.0
        found.append(_Foe(enemy, view, facts, touches(moment, unit, enemy), past_terrain))
    return found


def _blow(moment: Position, unit: Unit, foe: _Foe, name: str, item: Item) -> Deed:
    enemy = foe.unit
    given = {
        **foe.facts,
        "modf": odf(moment, unit, item),
        "reach_in": item.reach_in,
        **({} if foe.contact is None else {"in_base_contact": foe.contact}),
    }
    far = Measured(("distance_in",), foe.view.range.sigma_in, f"the gap to {display_name(enemy.id)}")
    return Deed(
        f"{name} at {display_name(enemy.id)}",
        "melee_attack",
        given,
        (unit.id,),
        (enemy.id,),
        name,
        preview="melee_aim",
        view=foe.view,
        measured=(far,) if item.reach_in and not foe.contact else (),
        bar=_bar(moment, unit, enemy, MELEE, name),
    )


def _shot(
    moment: Position, unit: Unit, foe: _Foe, deed: str, name: str, range_in: float | None, weapon: dict[str, Any]
) -> Deed:
    """One ranged weapon or spell at one enemy; what has no Range reaches as far as he is."""
    enemy, edge_in = foe.unit, foe.facts["distance_in"]
    reach_in = range_in or max(edge_in, 1.0)
    line, unsure = _line(moment, foe)
    given = {
        **foe.facts,
        **weapon,
        **line,
        "weapon_range_in": reach_in,
        **({"behind_cover": None} if rules_of(moment).chooses("cover", "any_part_hidden") else {}),
    }
    many = ranges(edge_in, reach_in)
    far = Measured(("distance_in",), foe.view.range.sigma_in, f"the range to {display_name(enemy.id)}")
    return Deed(
        f"{display_name(name)} at {display_name(enemy.id)}",
        "ranged_attack",
        given,
        (unit.id,),
        (enemy.id,),
        name,
        preview="ranged_aim",
        view=foe.view,
        measured=((far,) if range_in else ()) + unsure,
        band="" if range_in is None else "in Range" if many == 1 else f"{many} Ranges",
        bar=_bar(moment, unit, enemy, deed, name),
    )


def _line(moment: Position, foe: _Foe) -> tuple[dict[str, float], tuple[Measured, ...]]:
    """How much of a target terrain leaves in sight, what models alone hide of that, and the error of the first."""
    past_terrain = 1.0 if foe.past_terrain >= 1 - SLIVER else foe.past_terrain
    by_models = max(0.0, past_terrain - foe.view.exposure) if moment.sight.figures_hide else 0.0
    facts = {"visible_fraction": round(past_terrain, 3), "models_hide": round(by_models, 3)}
    what = f"how much of {display_name(foe.unit.id)} is seen"
    errors = foe.view.part_errors(past_terrain)
    return facts, tuple(Measured(("visible_fraction",), sigma, what, 0.0, 1.0) for sigma in errors)


def strike(moment: Position, unit: Unit, enemy: Unit) -> dict[str, Any]:
    """What an attack of any kind is judged by."""
    its = stats(moment, enemy)
    return {
        **situation(moment, unit, Concern.ODF, from_behind=_from_behind(moment, unit, enemy)),
        "ddf": its["ddf"],
        "hddf": its["hddf"],
        "target_state": state_of(moment, enemy),
        "attacker_state": state_of(moment, unit),
        "effect": effect_of(moment, unit),
    }


def _from_behind(moment: Position, unit: Unit, enemy: Unit) -> bool | None:
    """Whether a model stands behind an enemy whose facing is seen."""
    here, there = moment.figure(unit.id), moment.figure(enemy.id)
    if there.facing_deg is None or here.centre_in == there.centre_in:
        return None
    facts = {"facing_deg": there.facing_deg, "to_attacker_deg": bearing_deg(there.centre_in, here.centre_in)}
    found = verdict_without_dice(moment.game, "behind", facts)
    return None if found is None else bool(found.numbers["from_behind"])


def _attackers(moment: Position, unit: Unit, enemy: Unit) -> int:
    """How many attack an enemy in this step: as the players said, or those who have, and those at his base who can."""
    said = {**unit.statuses, **unit.this_turn}.get(f"models_attacking_target at {enemy.id}")
    mates = [one for one in moment.state.standing(unit.side) if one.id != unit.id and one.id in moment.figures]
    return int(said) if said is not None else 1 + sum(_attacks_too(moment, mate, enemy) for mate in mates)


def _attacks_too(moment: Position, mate: Unit, enemy: Unit) -> bool:
    done = kept(mate, DONE)
    if done:
        shots = rules_of(moment).chooses("attackers_counted", "melee_and_ranged")
        return enemy.id in kept(mate, STRUCK_AT) and (shots or MELEE in done)
    there = touches(moment, mate, enemy) is not False and not mate.statuses.get(MUST_RUN)
    return there and bool(ready(moment, mate, ItemKind.MELEE)) and may_strike(moment, mate, enemy)


# Why not.


def _bar(moment: Position, unit: Unit, enemy: Unit, deed: str, name: str) -> Verdict | None:
    """Why a model may not attack with a weapon now, whatever the target is."""
    return not_now(moment, unit, deed, "acts") or acted(moment, unit, deed) or _hands(moment, unit, enemy, deed, name)


def acted(moment: Position, unit: Unit, deed: str) -> Verdict | None:
    """Why a model that has acted may not do this besides: it attacks with each weapon, all else it does once."""
    rules, done = rules_of(moment), kept(unit, DONE)
    if done and not rules.tables.deeds[deed].attack:
        return forbidden("already_acted", rules.because("FM-19"))
    found = verdict_without_dice(moment.game, "actions_in_step_2", {"actions": [*done, deed]})
    return None if found is None or found.allowed else found


def _hands(moment: Position, unit: Unit, enemy: Unit, deed: str, name: str) -> Verdict | None:
    """Why a weapon does not attack: it has, it is not in hand, or another must have the same target."""
    rules, used = rules_of(moment), kept(unit, STRUCK_WITH)
    rule = "FM-29" if deed == MELEE else "FM-38"
    if name in used:
        return forbidden(
            "already_attacked", rules.because(rule, f"{display_name(name).lower()} has attacked in this turn")
        )
    if deed == CAST:
        return None
    kind = ItemKind.MELEE if deed == MELEE else ItemKind.RANGED
    if name not in ready(moment, unit, kind):
        return forbidden("not_in_hand", rules.because(rule, f"{display_name(name).lower()} is not in hand"))
    held = [{"kind": str(one.kind), "hands": one.hands} for one in ready(moment, unit, kind).values()]
    spare = {name: one.hands for name, one in arms(card(moment, unit)).items()}
    facts = {
        "wielded": held,
        "hands_available": sum(spare.values()),
        "targets": len({*kept(unit, STRUCK_AT), enemy.id}),
    }
    found = verdict_without_dice(moment.game, _ACTION_OF[deed], facts)
    return None if found is None or found.allowed else found


# Free strikes.


def free_strikes(moment: Position) -> Iterator[Deed]:
    """Each weapon of each enemy who may strike at one who leaves him or runs."""
    for leaver in moment.state.units.values():
        if leaver.out or leaver.id not in moment.figures:
            continue
        for name, reason in strikers(moment, leaver).items():
            enemy = moment.unit(name)
            for weapon, item in ready(moment, enemy, ItemKind.MELEE).items():
                given = {
                    **strike(moment, enemy, leaver),
                    "modf": odf(moment, enemy, item),
                    "in_base_contact": True,
                    "reason": reason,
                    "leaver": model(moment, leaver),
                }
                title = f"{display_name(name)} strikes at {display_name(leaver.id)}, who leaves"
                names = ((name,), (leaver.id,))
                owed = rules_of(moment).tables.attacks[reason].rule
                yield Deed(
                    title, "free_attack", given, *names, weapon, preview="free_aim", round="Free attacks", owed=owed
                )
