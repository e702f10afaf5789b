"""Fudge Miniatures Battles: every attack of a model on the measured table, free strikes among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rules.engine.action import Action, UncertainFact
from rules.engine.position import Position, View
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, forbidden
from rules.games.fudge_miniatures import statuses
from rules.games.fudge_miniatures.attack import behind, ranges
from rules.games.fudge_miniatures.equipment import Held, Wielded, attacks_in_melee_action, attacks_in_shoot_action
from rules.games.fudge_miniatures.model import Model, models
from rules.games.fudge_miniatures.referee_moves import cannot_act
from rules.games.fudge_miniatures.tables import Concern, Item, ItemKind
from rules.tabletop.bearing import bearing_deg
from rules.tabletop.measure import held_by
from rules.tabletop.sight import SLIVER
from rules.tabletop.table import TerrainKind
from rules.tabletop.tolerance import within

MELEE, SHOOT, CAST = "melee", "shoot", "cast_spell"


@dataclass(frozen=True, slots=True)
class _Target:
    """An enemy as a model sees it.

    Attributes:
        facts: The facts of any attack on it.
        contact: Whether the bases touch; None if it is too close to call.
        past_terrain: The part of it that terrain alone leaves in sight.
    """

    model: Model
    view: View
    facts: Mapping[str, Any]
    contact: bool | None
    past_terrain: float


def attacks(position: Position, figure: str) -> Iterator[Action]:
    """Every weapon and every attacking spell of a model at every enemy, the weapons in its hands first."""
    model = Model(position, position.unit(figure))
    idle = {*model.arms} - {*model.ready(ItemKind.MELEE), *model.ready(ItemKind.RANGED)}
    yield from sorted(_attacks(model), key=lambda action: action.weapon in idle)


def _attacks(model: Model) -> Iterator[Action]:
    targets = [] if model.unit.out else _targets(model)
    touching = [target.contact for target in targets]
    known = True in touching or None not in touching
    near = {"in_base_contact_with_enemy": any(touching)} if known else {}
    for name, item in model.weapons(ItemKind.MELEE).items():
        yield from (_blow(model, target, name, item) for target in targets)
    for name, item in model.weapons(ItemKind.RANGED).items():
        bow = {"rodf": model.odf(item), "fired_in_contact": item.fired_in_contact, **near}
        yield from (_shot(model, target, SHOOT, name, item.range_in, bow) for target in targets)
    for name, spell in model.rules.tables.spells.items():
        if spell.odf is not None:
            cast = {"rodf": spell.odf, **near}
            yield from (_shot(model, target, CAST, name, spell.range_in, cast) for target in targets)


def _targets(model: Model) -> list[_Target]:
    position, bare = model.position, model.position
    if position.sight.figures_hide:
        bare = replace(position, sight=replace(position.sight, figures_hide=False))
    found = []
    for enemy in model.enemies:
        view = position.view(model.id, enemy.id)
        number = {"models_attacking_target": _attackers(model, enemy), "distance_in": round(view.range.edge_in, 2)}
        past_terrain = bare.view(model.id, enemy.id).exposure if view.exposure < 1 else 1.0
        facts = {**_facts_against(model, enemy), **number}
        found.append(_Target(enemy, view, facts, model.touches(enemy), past_terrain))
    return found


def _blow(model: Model, target: _Target, name: str, item: Item) -> Action:
    """One melee weapon at one enemy."""
    contact = {} if target.contact is None else {"in_base_contact": target.contact}
    return model.action(
        f"{name} at {target.model.name}",
        "melee_attack",
        {**target.facts, "modf": model.odf(item), "reach_in": item.reach_in, **contact},
        target.model,
        weapon=name,
        preview="melee_aim",
        view=target.view,
        measured=(_distance(target, "gap"),) if item.reach_in and not target.contact else (),
        blocked_by=cannot_act(model, MELEE) or _not_in_hand(model, target.model, MELEE, name),
    )


def _shot(
    model: Model, target: _Target, action: str, name: str, range_in: float | None, weapon: Mapping[str, Any]
) -> Action:
    """One ranged weapon or spell at one enemy; a spell without a Range reaches every distance."""
    edge_in = target.facts["distance_in"]
    reach_in = range_in or max(edge_in, 1.0)
    line, unsure = _line(target)
    among_trees = True if _in_woods(target.model) else None
    cover = {"behind_cover": among_trees} if model.rules.chooses("cover", "any_part_hidden") else {}
    many = ranges(edge_in, reach_in)
    return model.action(
        f"{display_name(name)} at {target.model.name}",
        "ranged_attack",
        {**target.facts, **weapon, **line, "weapon_range_in": reach_in, **cover},
        target.model,
        weapon=name,
        preview="ranged_aim",
        view=target.view,
        measured=((_distance(target, "range"),) if range_in else ()) + unsure,
        band="" if range_in is None else "in Range" if many == 1 else f"{many} Ranges",
        blocked_by=cannot_act(model, action) or _not_in_hand(model, target.model, action, name),
    )


def _in_woods(model: Model) -> bool:
    """Whether a model stands in woods, where trees hide a part of it that the camera cannot measure."""
    held = held_by(model.figure, model.position.terrain)
    return any(one.kind is TerrainKind.WOODS and model.figure.z_in < one.top_in for one in held)


def _distance(target: _Target, word: str) -> UncertainFact:
    return UncertainFact(("distance_in",), target.view.range.sigma_in, f"the {word} to {target.model.name}")


def _line(target: _Target) -> tuple[dict[str, float], tuple[UncertainFact, ...]]:
    """The part of a target past terrain, the part of that hidden by models, and the error of the first."""
    past_terrain = 1.0 if target.past_terrain >= 1 - SLIVER else target.past_terrain
    hides = target.model.position.sight.figures_hide
    by_models = max(0.0, past_terrain - target.view.exposure) if hides else 0.0
    facts = {"visible_fraction": round(past_terrain, 3), "models_hide": round(by_models, 3)}
    what = f"how much of {target.model.name} is seen"
    errors = target.view.part_errors(past_terrain)
    return facts, tuple(UncertainFact(("visible_fraction",), sigma, what, 0.0, 1.0) for sigma in errors)


def _facts_against(model: Model, enemy: Model) -> dict[str, Any]:
    """The facts of any attack of a model on an enemy."""
    return {
        **model.situation(Concern.ODF, from_behind=_from_behind(model, enemy)),
        "ddf": enemy.stats["ddf"],
        "hddf": enemy.stats["hddf"],
        "target_state": enemy.state,
        "attacker_state": model.state,
        **model.shaken,
    }


def _from_behind(model: Model, enemy: Model) -> bool | None:
    """Whether a model stands behind an enemy; None if the enemy's facing is not seen."""
    here, there = model.figure, enemy.figure
    if there.facing_deg is None or here.centre_in == there.centre_in:
        return None
    found = behind(model.rules, there.facing_deg, bearing_deg(there.centre_in, here.centre_in))
    return bool(found.numbers["from_behind"])


def _attackers(model: Model, enemy: Model) -> int:
    """The number of attackers on an enemy in this step: the players' answer, or those that have or can attack."""
    said = model.status(f"models_attacking_target at {enemy.id}")
    return 1 + sum(_attacks_too(mate, enemy) for mate in model.mates) if said is None else int(said)


def _attacks_too(mate: Model, enemy: Model) -> bool:
    """Whether a mate has attacked an enemy in this step, or has a melee weapon left that can."""
    done, shots = mate.listed(statuses.DONE), mate.rules.chooses("attackers_counted", "melee_and_ranged")
    if enemy.id in mate.listed(statuses.STRUCK_AT) and (shots or MELEE in done):
        return True
    if done and (MELEE not in done or mate.rules.chooses("targets", "one_for_all")):
        return False
    gap_in, struck_with = mate.position.measure(mate.figure, enemy.figure).edge_in, mate.listed(statuses.STRUCK_WITH)
    left = [item for name, item in mate.ready(ItemKind.MELEE).items() if name not in struck_with]
    reaches = any(mate.touches(enemy) is not False or within(gap_in, item.reach_in) for item in left)
    return reaches and not mate.must_run and mate.may_attack(enemy)


def _not_in_hand(model: Model, enemy: Model, action: str, name: str) -> Verdict | None:
    """Why a weapon does not attack: it has, it is not in hand, or another must have the same target."""
    melee = action == MELEE
    rule, weapon = "FM-29" if melee else "FM-38", display_name(name).lower()
    if name in model.listed(statuses.STRUCK_WITH):
        return forbidden("already_attacked", model.rules.because(rule, f"{weapon} has attacked in this turn"))
    if action == CAST:
        return None
    ready = model.ready(ItemKind.MELEE if melee else ItemKind.RANGED)
    if name not in ready:
        return forbidden("not_in_hand", model.rules.because(rule, f"{weapon} is not in hand"))
    grip = Wielded(
        wielded=tuple(Held(kind=one.kind, hands=one.hands) for one in ready.values()),
        hands_available=sum(one.hands for one in model.arms.values()),
        targets=len({*model.listed(statuses.STRUCK_AT), enemy.id}),
    )
    found = (attacks_in_melee_action if melee else attacks_in_shoot_action)(model.rules, grip)
    return None if found.allowed else found


def free_strikes(position: Position) -> Iterator[Action]:
    """Each weapon of each enemy that may strike at a model that leaves it or runs."""
    for leaver in models(position):
        for name, reason in leaver.strikers.items():
            enemy = leaver.other(name)
            for weapon, item in enemy.strikes_freely_with.items():
                own = {"modf": enemy.odf(item), "in_base_contact": True, "reason": reason, "leaver": leaver.known_as}
                yield enemy.action(
                    f"{enemy.name} strikes at {leaver.name}, who leaves",
                    "free_attack",
                    {**_facts_against(enemy, leaver), **own},
                    leaver,
                    weapon=weapon,
                    preview="free_aim",
                    round="Free attacks",
                    owed=leaver.rules.tables.attacks[reason].rule,
                )
