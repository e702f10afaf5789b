"""Fudge Miniatures Battles: every attack of a model on the measured table, free strikes among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rules.engine.effects import stored_list
from rules.engine.position import Position, View
from rules.engine.referee import Action, UncertainFact, verdict_without_dice
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, forbidden
from rules.games.fudge_miniatures.guts import MUST_RUN
from rules.games.fudge_miniatures.referee_facts import (
    DONE,
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


def attacks(position: Position, figure: str) -> Iterator[Action]:
    """Every weapon and every attacking spell of a model at every enemy."""
    unit = position.unit(figure)
    foes = [] if unit.out else _foes(position, unit)
    touching = [foe.contact for foe in foes]
    known = True in touching or None not in touching
    near = {"in_base_contact_with_enemy": any(touching)} if known else {}
    for name, item in weapons(position, unit, ItemKind.MELEE).items():
        yield from (_blow(position, unit, foe, name, item) for foe in foes)
    for name, item in weapons(position, unit, ItemKind.RANGED).items():
        bow = {"rodf": odf(position, unit, item), "fired_in_contact": item.fired_in_contact, **near}
        yield from (_shot(position, unit, foe, SHOOT, name, item.range_in, bow) for foe in foes)
    for name, spell in rules_of(position).tables.spells.items():
        if spell.odf is not None:
            cast = {"rodf": spell.odf, **near}
            yield from (_shot(position, unit, foe, CAST, name, spell.range_in, cast) for foe in foes)


def _foes(position: Position, unit: Unit) -> list[_Foe]:
    bare = (
        replace(position, sight=replace(position.sight, figures_hide=False))
        if position.sight.figures_hide
        else position
    )
    found = []
    for enemy in position.enemies(unit):
        view = position.view(unit.id, enemy.id)
        facts = {
            **strike(position, unit, enemy),
            "models_attacking_target": _attackers(position, unit, enemy),
            "distance_in": round(view.range.edge_in, 2),
        }
        past_terrain = bare.view(unit.id, enemy.id).exposure if view.exposure < 1 else 1.0
        found.append(_Foe(enemy, view, facts, touches(position, unit, enemy), past_terrain))
    return found


def _blow(position: Position, unit: Unit, foe: _Foe, name: str, item: Item) -> Action:
    enemy = foe.unit
    given = {
        **foe.facts,
        "modf": odf(position, unit, item),
        "reach_in": item.reach_in,
        **({} if foe.contact is None else {"in_base_contact": foe.contact}),
    }
    far = UncertainFact(("distance_in",), foe.view.range.sigma_in, f"the gap to {display_name(enemy.id)}")
    return Action(
        f"{name} at {display_name(enemy.id)}",
        "melee_attack",
        given,
        (unit.id,),
        (enemy.id,),
        name,
        preview="melee_aim",
        view=foe.view,
        measured=(far,) if item.reach_in and not foe.contact else (),
        blocked_by=_bar(position, unit, enemy, MELEE, name),
    )


def _shot(
    position: Position, unit: Unit, foe: _Foe, action: str, name: str, range_in: float | None, weapon: dict[str, Any]
) -> Action:
    """One ranged weapon or spell at one enemy; what has no Range reaches as far as he is."""
    enemy, edge_in = foe.unit, foe.facts["distance_in"]
    reach_in = range_in or max(edge_in, 1.0)
    line, unsure = _line(position, foe)
    given = {
        **foe.facts,
        **weapon,
        **line,
        "weapon_range_in": reach_in,
        **({"behind_cover": None} if rules_of(position).chooses("cover", "any_part_hidden") else {}),
    }
    many = ranges(edge_in, reach_in)
    far = UncertainFact(("distance_in",), foe.view.range.sigma_in, f"the range to {display_name(enemy.id)}")
    return Action(
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
        blocked_by=_bar(position, unit, enemy, action, name),
    )


def _line(position: Position, foe: _Foe) -> tuple[dict[str, float], tuple[UncertainFact, ...]]:
    """How much of a target terrain leaves in sight, what models alone hide of that, and the error of the first."""
    past_terrain = 1.0 if foe.past_terrain >= 1 - SLIVER else foe.past_terrain
    by_models = max(0.0, past_terrain - foe.view.exposure) if position.sight.figures_hide else 0.0
    facts = {"visible_fraction": round(past_terrain, 3), "models_hide": round(by_models, 3)}
    what = f"how much of {display_name(foe.unit.id)} is seen"
    errors = foe.view.part_errors(past_terrain)
    return facts, tuple(UncertainFact(("visible_fraction",), sigma, what, 0.0, 1.0) for sigma in errors)


def strike(position: Position, unit: Unit, enemy: Unit) -> dict[str, Any]:
    """What an attack of any kind is judged by."""
    its = stats(position, enemy)
    return {
        **situation(position, unit, Concern.ODF, from_behind=_from_behind(position, unit, enemy)),
        "ddf": its["ddf"],
        "hddf": its["hddf"],
        "target_state": state_of(position, enemy),
        "attacker_state": state_of(position, unit),
        "effect": effect_of(position, unit),
    }


def _from_behind(position: Position, unit: Unit, enemy: Unit) -> bool | None:
    """Whether a model stands behind an enemy whose facing is seen."""
    here, there = position.figure(unit.id), position.figure(enemy.id)
    if there.facing_deg is None or here.centre_in == there.centre_in:
        return None
    facts = {"facing_deg": there.facing_deg, "to_attacker_deg": bearing_deg(there.centre_in, here.centre_in)}
    found = verdict_without_dice(position.game, "behind", facts)
    return None if found is None else bool(found.numbers["from_behind"])


def _attackers(position: Position, unit: Unit, enemy: Unit) -> int:
    """How many attack an enemy in this step: as the players said, or those who have, and those at his base who can."""
    said = {**unit.statuses, **unit.this_turn}.get(f"models_attacking_target at {enemy.id}")
    mates = [one for one in position.state.standing(unit.side) if one.id != unit.id and one.id in position.figures]
    return int(said) if said is not None else 1 + sum(_attacks_too(position, mate, enemy) for mate in mates)


def _attacks_too(position: Position, mate: Unit, enemy: Unit) -> bool:
    done = stored_list(mate, DONE)
    if done:
        shots = rules_of(position).chooses("attackers_counted", "melee_and_ranged")
        return enemy.id in stored_list(mate, STRUCK_AT) and (shots or MELEE in done)
    there = touches(position, mate, enemy) is not False and not mate.statuses.get(MUST_RUN)
    return there and bool(ready(position, mate, ItemKind.MELEE)) and may_strike(position, mate, enemy)


# Why not.


def _bar(position: Position, unit: Unit, enemy: Unit, action: str, name: str) -> Verdict | None:
    """Why a model may not attack with a weapon now, whatever the target is."""
    return (
        not_now(position, unit, action, "acts")
        or acted(position, unit, action)
        or _hands(position, unit, enemy, action, name)
    )


def acted(position: Position, unit: Unit, action: str) -> Verdict | None:
    """Why a model that has acted may not do this besides: it attacks with each weapon, all else it does once."""
    rules, done = rules_of(position), stored_list(unit, DONE)
    if done and not rules.tables.deeds[action].attack:
        return forbidden("already_acted", rules.because("FM-19"))
    found = verdict_without_dice(position.game, "actions_in_step_2", {"actions": [*done, action]})
    return None if found is None or found.allowed else found


def _hands(position: Position, unit: Unit, enemy: Unit, action: str, name: str) -> Verdict | None:
    """Why a weapon does not attack: it has, it is not in hand, or another must have the same target."""
    rules, used = rules_of(position), stored_list(unit, STRUCK_WITH)
    rule = "FM-29" if action == MELEE else "FM-38"
    if name in used:
        return forbidden(
            "already_attacked", rules.because(rule, f"{display_name(name).lower()} has attacked in this turn")
        )
    if action == CAST:
        return None
    kind = ItemKind.MELEE if action == MELEE else ItemKind.RANGED
    if name not in ready(position, unit, kind):
        return forbidden("not_in_hand", rules.because(rule, f"{display_name(name).lower()} is not in hand"))
    held = [{"kind": str(one.kind), "hands": one.hands} for one in ready(position, unit, kind).values()]
    spare = {name: one.hands for name, one in arms(card(position, unit)).items()}
    facts = {
        "wielded": held,
        "hands_available": sum(spare.values()),
        "targets": len({*stored_list(unit, STRUCK_AT), enemy.id}),
    }
    found = verdict_without_dice(position.game, _ACTION_OF[action], facts)
    return None if found is None or found.allowed else found


# Free strikes.


def free_strikes(position: Position) -> Iterator[Action]:
    """Each weapon of each enemy who may strike at one who leaves him or runs."""
    for leaver in position.state.units.values():
        if leaver.out or leaver.id not in position.figures:
            continue
        for name, reason in strikers(position, leaver).items():
            enemy = position.unit(name)
            for weapon, item in ready(position, enemy, ItemKind.MELEE).items():
                given = {
                    **strike(position, enemy, leaver),
                    "modf": odf(position, enemy, item),
                    "in_base_contact": True,
                    "reason": reason,
                    "leaver": model(position, leaver),
                }
                title = f"{display_name(name)} strikes at {display_name(leaver.id)}, who leaves"
                names = ((name,), (leaver.id,))
                owed = rules_of(position).tables.attacks[reason].rule
                yield Action(
                    title, "free_attack", given, *names, weapon, preview="free_aim", round="Free attacks", owed=owed
                )
