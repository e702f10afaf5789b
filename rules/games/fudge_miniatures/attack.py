"""Fudge Miniatures Battles: legal attacks, their rolls and wounds; spells; attacks from behind; lines of fire."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Annotated, Any

from rules.engine.dice import Procedure
from rules.engine.game import Answer
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Inches, Part, Record, Row, Within
from rules.engine.verdict import Reason, RuleRefusal, Verdict, forbidden, total, verdict
from rules.games.fudge_miniatures.rolls import (
    Modifier,
    RollFacts,
    modifier_reasons,
    reasons_of,
    throw,
    trait_reasons,
    traits_of,
)
from rules.games.fudge_miniatures.tables import Concern, EffectName, Rules, named, state_row, whole
from rules.games.fudge_miniatures.wounds import apply_wounds, column_of, display_name
from rules.tabletop.scene import SightRules
from rules.tabletop.tolerance import EXACT, within


class Strike(RollFacts):
    """The facts of every attack.

    Attributes:
        model: The name of the attacker, by which its gifts and faults count.
        ddf, hddf: Those of the target, with its wounds in them; HDDF is needed if it is helpless.
        effect: Effect of a failed Guts check that the attacker is under.
    """

    ddf: int
    hddf: int | None = None
    target_state: str = "normal"
    attacker_state: str = "normal"
    effect: EffectName = "none"
    models_attacking_target: Annotated[int, Within(low=1, code="no_attacker")] = 1
    modifiers: tuple[Modifier, ...] = ()


class Attempt(Record):
    """A model that wants to attack; its fields are those of `Strike`."""

    model: str = ""
    target_state: str = "normal"
    attacker_state: str = "normal"
    effect: EffectName = "none"


def may_attack(rules: Rules, attempt: Attempt) -> Verdict:
    """Whether a model may attack a target in this state at all."""
    return barred(rules, attempt, "melee") or verdict("legal", rules.because("FM-31"), legal=True)


def effects_counted(rules: Rules, effect: str) -> list[str]:
    """The Guts effects that count for one of them: the row reached, or all rows up to it; another state by itself."""
    rows = rules.tables.guts_effects
    if effect not in rows or rules.chooses("guts_rows", "row_reached"):
        return [effect]
    return [name for name, row in rows.items() if row.margin <= rows[effect].margin]


def barred(rules: Rules, strike: Strike | Attempt, deed: str) -> Verdict | None:
    """The reason that forbids a model's attack; None if it is allowed."""
    target = state_row(rules, strike.target_state)
    if not target.attackable:
        return forbidden("target_dead", rules.because("FM-07"), legal=False)
    if bar := unable(rules, strike.attacker_state, strike.effect):
        return forbidden("cannot_act", bar, legal=False)
    under = (strike.attacker_state, *effects_counted(rules, strike.effect))
    if any(deed in state_row(rules, name).forbids for name in under):
        return forbidden("may_not_attack", rules.because("FM-52"), legal=False)
    honour = traits_of(rules, strike.model, Concern.HONOUR)
    if honour and target.defenceless:
        return forbidden("defenceless_target", *reasons_of(rules, honour), legal=False)
    return None


def unable(rules: Rules, *states: str) -> Reason | None:
    """The reason that forbids all actions of a model in these states; None if it can act."""
    names = (named(rules.tables.states, name, "unknown_state") for name in states)
    stopped = next((name for name in names if not rules.tables.states[name].may_act), None)
    if stopped is None:
        return None
    return rules.because(rules.tables.states[stopped].rule if stopped in rules.tables.guts_effects else "FM-42")


# What the roll comes to.


def defence_of(rules: Rules, strike: Strike) -> tuple[int, Reason]:
    """The target's defence against an attack, and the rule that determines it.

    Raises:
        RuleRefusal: "missing_key" where its HDDF counts and is not given.
    """
    target = state_row(rules, strike.target_state)
    if not target.hddf:
        return strike.ddf, rules.because("FM-31", f"against DDF {strike.ddf:+d}")
    if strike.hddf is None:
        raise RuleRefusal("missing_key", "the target's HDDF counts here: give it with the key 'hddf'", target.rule)
    text = f"{display_name(strike.target_state)}: against HDDF {strike.hddf:+d}"
    return strike.hddf, rules.because(target.rule, text)


def guts_penalties(rules: Rules, *effects: str) -> list[Reason]:
    """The penalty of failed Guts checks on rolls; one effect counts once."""
    counted = dict.fromkeys(name for effect in effects for name in effects_counted(rules, effect))
    rows = (rules.tables.guts_effects[name] for name in counted)
    return [rules.because(row.rule, modifier=row.roll_modifier) for row in rows if row.roll_modifier]


def attack_preview(rules: Rules, strike: Strike, odf: Reason, modifiers: Sequence[Reason] = ()) -> Verdict:
    """An attack before its dice: the modifiers and the number needed."""
    against, why = defence_of(rules, strike)
    reasons = _added(rules, strike, odf, modifiers)
    modifier = int(total(reasons))
    by_itself = state_row(rules, strike.target_state).hit_by_itself
    numbers = {"modifier": modifier, "defence": against, "to_hit": None if by_itself else against - modifier}
    outcome = "hits by itself" if by_itself else f"{against - modifier:+d} or more hits"
    return verdict(outcome, *reasons, replace(why, text=f"{why.text}: {outcome}"), legal=True, **numbers)


def _added(rules: Rules, strike: Strike, odf: Reason, modifiers: Sequence[Reason]) -> list[Reason]:
    """All that is added to the dice."""
    shaken = guts_penalties(rules, strike.effect, *strike.other_effects)
    extra = [*modifiers, *modifier_reasons(rules, odf.rule, strike.modifiers), *shaken]
    return [odf, *trait_reasons(rules, strike, Concern.ODF), *_several(rules, strike, odf), *extra]


def attack_roll(rules: Rules, strike: Strike, odf: Reason, modifiers: Sequence[Reason] = ()) -> Procedure[Verdict]:
    """An attack's dice, whether it hits, and the wound; the outcome of a hit is the wound's column."""
    against, why = defence_of(rules, strike)
    added, attack = _added(rules, strike, odf, modifiers), f"the attack on the {strike.target_state} target"
    thrown = yield from throw(rules, "the attacker", attack, *added, attack=True)
    to_hit_only = rules.chooses("several_attackers", "to_hit_only")
    not_in_wound = int(total(_several(rules, strike, odf))) if to_hit_only else 0
    wound, hit = _wound(rules, strike, thrown.total - against, not_in_wound)
    column = None if wound is None else column_of(rules, wound)
    numbers: dict[str, Any] = {
        "legal": True,
        "total": thrown.total,
        "defence": against,
        "hit": hit,
        "wound": wound,
        "column": column,
        "rerolled": thrown.rerolled,
    }
    if column is None:
        return Verdict("miss", numbers, (*thrown.reasons, why))
    words = f"{thrown.total:+d} against {against:+d}: a wound of {wound}, {display_name(column)}"
    return Verdict(column, numbers, (*thrown.reasons, why, rules.because("FM-32", words)))


def _several(rules: Rules, strike: Strike, odf: Reason) -> list[Reason]:
    counted = odf.rule == "FM-31" or rules.chooses("attackers_counted", "melee_and_ranged")
    several = counted and strike.models_attacking_target > 1
    return [rules.because("FM-33", modifier=whole(rules, "several_attackers"))] if several else []


def _wound(rules: Rules, strike: Strike, degree: int, not_in_wound: int) -> tuple[int | None, bool]:
    """Size of the wound, None for none, and whether the attack hits."""
    if degree >= 0:
        return max(0, degree - not_in_wound), True
    if not state_row(rules, strike.target_state).hit_by_itself:
        return None, False
    return (0 if rules.chooses("near_death_missed", "wound_of_0") else None), True


# Melee.


class Melee(Strike):
    """One melee weapon's attack; `reach_in` is for weapons that need no contact."""

    modf: int
    in_base_contact: Annotated[bool, Asked("Do the two bases touch?")] = True
    distance_in: Inches = 0
    reach_in: Inches = 0


def melee_attack(rules: Rules, melee: Melee) -> Answer:
    """One attack with one melee weapon."""
    return _melee_barred(rules, melee) or attack_roll(rules, melee, modf_reason(rules, melee.modf))


def melee_aim(rules: Rules, melee: Melee) -> Verdict:
    """The number needed, before the dice."""
    return _melee_barred(rules, melee) or attack_preview(rules, melee, modf_reason(rules, melee.modf))


def modf_reason(rules: Rules, modf: int) -> Reason:
    """The bonus of a melee weapon on its datacard."""
    return rules.because("FM-31", "the melee weapon (MODF)", modf)


def _melee_barred(rules: Rules, melee: Melee) -> Verdict | None:
    reached = melee.in_base_contact or (melee.reach_in > 0 and within(melee.distance_in, melee.reach_in))
    return barred(rules, melee, "melee") if reached else forbidden("no_contact", rules.because("FM-30"), legal=False)


class Flurry(Strike):
    """One model's attacks with several melee weapons on one target; each is judged before any wound."""

    modf: tuple[int, ...]
    in_base_contact: bool = True
    target_track_before: Mapping[str, int] = field(default_factory=dict)


def two_weapon_attack(rules: Rules, flurry: Flurry) -> Procedure[Verdict]:
    """One attack for each weapon, then the damage of all."""
    if not flurry.in_base_contact:
        return forbidden("no_contact", rules.because("FM-30"), legal=False)
    if bar := barred(rules, flurry, "melee"):
        return bar
    answers = []
    for factor in flurry.modf:
        answers.append((yield from attack_roll(rules, flurry, modf_reason(rules, factor))))
    wounds = tuple(answer.numbers["wound"] for answer in answers if answer.numbers["wound"] is not None)
    damage = apply_wounds(rules, flurry.target_track_before, wounds)
    numbers = {
        "legal": True,
        "totals": [answer.numbers["total"] for answer in answers],
        "hits": [answer.numbers["hit"] for answer in answers],
        "wounds": list(wounds),
        **damage.numbers,
    }
    reasons = [reason for answer in answers for reason in answer.reasons]
    return Verdict(damage.outcome, numbers, (*reasons, rules.because("FM-20"), *damage.reasons))


# From behind.


def behind(
    rules: Rules, facing_deg: Annotated[float, Asked("Where does the target look?")], to_attacker_deg: float
) -> Verdict:
    """Whether an attack comes from behind a target: its facing, and the direction from it to its attacker."""
    off_deg = abs((to_attacker_deg - facing_deg + 180) % 360 - 180)
    is_behind = off_deg > 180 - rules.option("behind_arc_deg") / 2 + EXACT
    return verdict("from behind" if is_behind else "not from behind", rules.because("FM-62"), from_behind=is_behind)


def cast_spell(rules: Rules, spell: Annotated[str, Row("spells", "unknown_spell")], distance_in: Inches = 0) -> Verdict:
    """The players' description of a spell; one with an ODF is rolled as a ranged attack."""
    row = rules.tables.spells[spell]
    if row.range_in is not None and row.odf is None and not within(distance_in, row.range_in):
        return forbidden("out_of_range", rules.because(row.rule, f"it reaches {row.range_in:g} in"), legal=False)
    numbers = {"legal": True, "odf": row.odf, "range_in": row.range_in, "attack": row.odf is not None}
    return verdict("cast", rules.because(row.rule, row.text), rules.because("FM-64"), **numbers)


# Shooting.


Range = Annotated[float, Within(low=0.1, code="bad_range")]


class Line(Record):
    """The line to a target.

    Attributes:
        visible_fraction: Of the target's silhouette, past the terrain.
        visible_height, visible_base: The same of its height and base; asked only where an option counts them.
        models_hide: Part of it that other models alone hide; they are no cover.
        fired_in_contact: The weapon may be fired with an enemy at one's base.
    """

    weapon_range_in: Range
    distance_in: Inches
    visible_fraction: Annotated[Part, Asked("How much of the target is seen from the model's eye?")] = 1.0
    visible_height: Part | None = None
    visible_base: Part | None = None
    models_hide: Part = 0.0
    in_base_contact_with_enemy: Annotated[bool, Asked("Does an enemy touch the firer's base?")] = False
    fired_in_contact: bool = False


def range_modifier(rules: Rules, line: Line) -> int:
    """The penalty of the distance: none up to the Range, then for each further Range or part of it."""
    if within(line.distance_in, line.weapon_range_in):
        return 0
    free = 1 if rules.chooses("range_steps", "beyond_the_first") else 0
    return whole(rules, "beyond_range") * (ranges(line.distance_in, line.weapon_range_in) - free)


def ranges(distance_in: float, weapon_range_in: float) -> int:
    """How many Ranges of a weapon, parts of one included, go into a distance; one at least."""
    return max(1, math.ceil(distance_in / weapon_range_in - EXACT))


def _barred(rules: Rules, line: Aim | Shot) -> Verdict | None:
    """Why a model may not shoot along this line, None if it may."""
    if line.in_base_contact_with_enemy and not line.fired_in_contact:
        return forbidden("enemy_in_contact", rules.because("FM-34"), legal=False)
    by_option = {"height": line.visible_height, "base": line.visible_base}.get(rules.option("half_of"))
    past_terrain = line.visible_fraction if by_option is None else by_option
    seen = past_terrain - (line.models_hide if rules.chooses("models_block_sight", True) else 0.0)
    if not within(limit(rules, "visible_part"), seen):
        text = f"{max(0.0, seen):.0%} of the target is seen; {limit(rules, 'visible_part'):.0%} is needed"
        return forbidden("no_line_of_sight", rules.because("FM-35", text), legal=False)
    return barred(rules, line, "shoot")


def _range_reason(rules: Rules, line: Line) -> list[Reason]:
    far = range_modifier(rules, line)
    text = f"{line.distance_in:g} in with a Range of {line.weapon_range_in:g} in"
    return [rules.because("FM-36", text, far)] if far else []


class Aim(Attempt, Line):
    """A model that wants to shoot along a line."""


def may_shoot(rules: Rules, line: Aim) -> Verdict:
    """Whether a model may shoot along this line, and the penalty of the distance."""
    if bar := _barred(rules, line):
        return bar
    far = range_modifier(rules, line)
    reasons = (rules.because("FM-35"), *_range_reason(rules, line))
    return verdict("legal", *reasons, legal=True, range_modifier=far, range_modifier_at_most=far)


class Shot(Strike, Line):
    """One ranged weapon's attack; unless the players say whether there is cover, it depends on what is seen."""

    rodf: int
    behind_cover: Annotated[bool | None, Asked("Is the target behind cover?")] = None


def ranged_attack(rules: Rules, shot: Shot) -> Procedure[Verdict]:
    """One attack with one ranged weapon."""
    if bar := _barred(rules, shot):
        return bar
    cover = _cover_reason(rules, shot)
    answer = yield from attack_roll(rules, shot, _rodf(rules, shot), [*_range_reason(rules, shot), *cover])
    far = range_modifier(rules, shot)
    return Verdict(answer.outcome, {**answer.numbers, "range_modifier": far, "cover": bool(cover)}, answer.reasons)


def ranged_aim(rules: Rules, shot: Shot) -> Verdict:
    """The number needed, before the dice."""
    modifiers = [*_range_reason(rules, shot), *_cover_reason(rules, shot)]
    return _barred(rules, shot) or attack_preview(rules, shot, _rodf(rules, shot), modifiers)


def _cover_reason(rules: Rules, shot: Shot) -> list[Reason]:
    covered = shot.behind_cover
    if covered is None:
        covered = shot.visible_fraction < 1 and rules.chooses("cover", "any_part_hidden")
    return [rules.because("FM-37", modifier=whole(rules, "cover"))] if covered else []


def _rodf(rules: Rules, shot: Shot) -> Reason:
    return rules.because("FM-38", "the ranged weapon (RODF)", shot.rodf)


def sight_rules(rules: Rules) -> SightRules:
    """The kinds of terrain that hide figures, for `rules.tabletop.sight`."""
    return SightRules(figures_hide=rules.chooses("models_block_sight", True))
