"""Fudge Miniatures Battles: who may strike or shoot, what the roll comes to, and the wound."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from rules.call import EXACT, within
from rules.dice import Procedure
from rules.game import Answer
from rules.games.fudge_miniatures.rolls import (
    Modifier,
    Situation,
    added,
    because_of,
    throw,
    told,
    trait_reasons,
    traits_of,
)
from rules.games.fudge_miniatures.tables import Concern, Rules, State, named, whole
from rules.games.fudge_miniatures.wounds import Wounds, apply_wounds, column_of, spoken
from rules.ruleset import limit
from rules.scene import SightRules
from rules.typed import Asked, Inches, Part, Row, Within
from rules.verdict import Reason, RuleRefusal, Verdict, forbidden, total, verdict

Range = Annotated[float, Within(low=0.1, code="bad_range")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Strike(Situation):
    """One attack as all attacks have it.

    Attributes:
        model: Who attacks, where his gifts and faults may count.
        ddf, hddf: The target's, with its wounds in them; the second is needed where it is helpless.
        effect: Effect of a failed Guts check that the attacker is under.
        attacker_state: How the attacker is.
    """

    ddf: int
    hddf: int | None = None
    target_state: str = "normal"
    attacker_state: str = "normal"
    effect: Annotated[str, Row("guts_effects", "unknown_effect")] = "none"
    models_attacking_target: Annotated[int, Within(low=1, code="no_attacker")] = 1
    modifiers: tuple[Modifier, ...] = ()


def state(rules: Rules, name: str) -> State:
    """A state by any of its names."""
    return rules.tables.states[named(rules.tables.states, name, "unknown_state")]


def barred(rules: Rules, strike: Strike, deed: str) -> Verdict | None:
    """Why nobody may attack so, None where he may."""
    target = state(rules, strike.target_state)
    under = [state(rules, name) for name in (strike.attacker_state, strike.effect)]
    if not target.attackable:
        return forbidden("target_dead", rules.because("FM-07"), legal=False)
    if not all(one.may_act for one in under):
        return forbidden("cannot_act", rules.because("FM-42"), legal=False)
    if any(deed in one.forbids for one in under) or _cumulatively_barred(rules, strike.effect, deed):
        return forbidden("may_not_attack", rules.because("FM-52"), legal=False)
    honour = traits_of(rules, strike.model, Concern.HONOUR)
    if honour and target.defenceless:
        return forbidden("defenceless_target", *because_of(rules, honour), legal=False)
    return None


def _cumulatively_barred(rules: Rules, effect: str, deed: str) -> bool:
    """Whether a milder effect than the one reached forbids this, where all rows are to count."""
    if rules.chooses("guts_rows", "row_reached"):
        return False
    rows = rules.tables.guts_effects
    return any(deed in state(rules, name).forbids for name, row in rows.items() if row.margin <= rows[effect].margin)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """Somebody who wants to attack."""

    model: str = ""
    target_state: str = "normal"
    attacker_state: str = "normal"
    effect: Annotated[str, Row("guts_effects", "unknown_effect")] = "none"


def may_attack(rules: Rules, wish: Bars) -> Verdict:
    """Whether somebody may attack a target in this state at all."""
    return _wish_barred(rules, wish, "melee") or verdict("legal", rules.because("FM-31"), legal=True)


def _wish_barred(rules: Rules, wish: Bars, deed: str) -> Verdict | None:
    strike = Strike(
        model=wish.model,
        ddf=0,
        target_state=wish.target_state,
        attacker_state=wish.attacker_state,
        effect=wish.effect,
    )
    return barred(rules, strike, deed)


# What the roll comes to.


def defence_of(rules: Rules, strike: Strike) -> tuple[int, Reason]:
    """The target's defence against an attack, and the rule that says which.

    Raises:
        RuleRefusal: "missing_key" where its HDDF counts and is not given.
    """
    target = state(rules, strike.target_state)
    if not target.hddf:
        return strike.ddf, rules.because("FM-31", f"against DDF {strike.ddf:+d}")
    if strike.hddf is None:
        raise RuleRefusal("missing_key", "the target's HDDF counts here: give it with the key 'hddf'", target.rule)
    return strike.hddf, rules.because(target.rule, f"{spoken(strike.target_state)}: against HDDF {strike.hddf:+d}")


def shaken(rules: Rules, effect: str) -> list[Reason]:
    """What a failed Guts check takes off rolls."""
    rows = rules.tables.guts_effects
    reached = rows[effect].margin
    counted = [rows[effect]]
    if rules.chooses("guts_rows", "all_rows_up_to_it"):
        counted = [row for row in rows.values() if row.margin <= reached]
    return [rules.because(row.rule, modifier=row.roll_modifier) for row in counted if row.roll_modifier]


def aimed(rules: Rules, strike: Strike, odf: Reason, modifiers: list[Reason]) -> Verdict:
    """An attack before its dice: what is added to them, and what they must show."""
    against, why = defence_of(rules, strike)
    reasons = [odf, *_gains(rules, strike, odf, modifiers)]
    modifier = int(total(reasons))
    by_itself = state(rules, strike.target_state).hit_by_itself
    numbers = {"modifier": modifier, "defence": against, "to_hit": None if by_itself else against - modifier}
    outcome = "hits by itself" if by_itself else f"{against - modifier:+d} or more hits"
    return verdict(outcome, *reasons, replace(why, text=f"{why.text}: {outcome}"), legal=True, **numbers)


def _gains(rules: Rules, strike: Strike, odf: Reason, modifiers: list[Reason]) -> list[Reason]:
    """All that is added to the dice besides the ODF."""
    extra = [*modifiers, *added(rules, odf.rule, strike.modifiers), *shaken(rules, strike.effect)]
    return [*trait_reasons(rules, strike, Concern.ODF), *_gang(rules, strike, odf), *extra]


def struck(rules: Rules, strike: Strike, odf: Reason, modifiers: list[Reason]) -> Procedure[Verdict]:
    """An attack's dice, whether it hits, and the wound; the outcome of a hit is the wound's column."""
    against, why = defence_of(rules, strike)
    thrown = yield from throw(rules, "the attacker", f"the attack on the {strike.target_state} target", attack=True)
    reasons = [*told(rules, thrown), odf, *_gains(rules, strike, odf, modifiers)]
    rolled = int(total(reasons))
    gang = _gang(rules, strike, odf)
    helps_wound = 0 if rules.chooses("several_attackers", "raises_wound") else int(total(gang))
    wound, hit = _wound(rules, strike, rolled - against, helps_wound)
    column = None if wound is None else column_of(rules, wound)
    numbers: dict[str, Any] = {
        "legal": True,
        "total": rolled,
        "defence": against,
        "hit": hit,
        "wound": wound,
        "column": column,
        "rerolled": thrown.again,
    }
    if column is None:
        return Verdict("miss", numbers, (*reasons, why))
    told_wound = rules.because("FM-32", f"{rolled:+d} against {against:+d}: a wound of {wound}, {spoken(column)}")
    return Verdict(column, numbers, (*reasons, why, told_wound))


def _gang(rules: Rules, strike: Strike, odf: Reason) -> list[Reason]:
    counted = odf.rule == "FM-31" or rules.chooses("attackers_counted", "melee_and_ranged")
    several = counted and strike.models_attacking_target > 1
    return [rules.because("FM-33", modifier=whole(rules, "several_attackers"))] if several else []


def _wound(rules: Rules, strike: Strike, degree: int, not_in_wound: int) -> tuple[int | None, bool]:
    """Size of the wound, None for none, and whether the attack hits."""
    by_itself = state(rules, strike.target_state).hit_by_itself
    if degree >= 0:
        return max(0, degree - not_in_wound), True
    if not by_itself:
        return None, False
    return (0 if rules.chooses("near_death_missed", "wound_of_0") else None), True


# Melee.


@dataclass(frozen=True, slots=True, kw_only=True)
class Melee(Strike):
    """One melee weapon's attack; `reach_in` is for weapons that need no contact."""

    modf: int
    in_base_contact: Annotated[bool, Asked("Do the two bases touch?")] = True
    distance_in: Inches = 0
    reach_in: Inches = 0


def melee_attack(rules: Rules, melee: Melee) -> Answer:
    """One attack with one melee weapon."""
    return _melee_barred(rules, melee) or struck(rules, melee, rules.because("FM-31", "MODF", melee.modf), [])


def melee_aim(rules: Rules, melee: Melee) -> Verdict:
    """The same before its dice: what they must show."""
    return _melee_barred(rules, melee) or aimed(rules, melee, rules.because("FM-31", "MODF", melee.modf), [])


def _melee_barred(rules: Rules, melee: Melee) -> Verdict | None:
    reached = melee.in_base_contact or (melee.reach_in > 0 and within(melee.distance_in, melee.reach_in))
    return barred(rules, melee, "melee") if reached else forbidden("no_contact", rules.because("FM-30"), legal=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flurry(Strike):
    """One model's attacks with several melee weapons on one target; each is judged before any wound."""

    modf: tuple[int, ...]
    in_base_contact: bool = True
    target_track_before: Mapping[str, int] = field(default_factory=dict)


def two_weapon_attack(rules: Rules, flurry: Flurry) -> Answer:
    """One attack for each weapon, then the damage of all."""
    if not flurry.in_base_contact:
        return forbidden("no_contact", rules.because("FM-30"), legal=False)
    return barred(rules, flurry, "melee") or _flurry(rules, flurry)


def _flurry(rules: Rules, flurry: Flurry) -> Procedure[Verdict]:
    answers = []
    for factor in flurry.modf:
        answers.append((yield from struck(rules, flurry, rules.because("FM-31", "MODF", factor), [])))
    wounds = tuple(answer.numbers["wound"] for answer in answers if answer.numbers["wound"] is not None)
    damage = apply_wounds(rules, Wounds(track_before=flurry.target_track_before, wounds=wounds))
    numbers = {
        "legal": True,
        "totals": [answer.numbers["total"] for answer in answers],
        "hits": [answer.numbers["hit"] for answer in answers],
        "wounds": list(wounds),
        **damage.numbers,
    }
    reasons = [reason for answer in answers for reason in answer.reasons]
    return Verdict(damage.outcome, numbers, (*reasons, rules.because("FM-20"), *damage.reasons))


# Shooting.


@dataclass(frozen=True, kw_only=True)
class Line:
    """A firer's line to his target; without slots, so that `Shot` can be a strike as well.

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
    """What the distance takes off the roll: nothing up to the Range, then for each further one or part of one."""
    if within(line.distance_in, line.weapon_range_in):
        return 0
    free = 1 if rules.chooses("range_steps", "beyond_the_first") else 0
    return whole(rules, "beyond_range") * (ranges(line.distance_in, line.weapon_range_in) - free)


def ranges(distance_in: float, weapon_range_in: float) -> int:
    """How many Ranges of a weapon, parts of one included, go into a distance; one at least."""
    return max(1, math.ceil(distance_in / weapon_range_in - EXACT))


def _seen(rules: Rules, line: Line) -> float:
    by_option = {"height": line.visible_height, "base": line.visible_base}
    found = by_option.get(rules.option("half_of"))
    past_terrain = line.visible_fraction if found is None else found
    hidden = line.models_hide if rules.chooses("models_block_sight", True) else 0.0
    return past_terrain - hidden


def line_barred(rules: Rules, line: Line) -> Verdict | None:
    """Why nobody may shoot along this line, None where he may."""
    if line.in_base_contact_with_enemy and not line.fired_in_contact:
        return forbidden("enemy_in_contact", rules.because("FM-34"), legal=False)
    seen = _seen(rules, line)
    if not within(limit(rules, "visible_part"), seen):
        text = f"{max(0.0, seen):.0%} of the target is seen; {limit(rules, 'visible_part'):.0%} is needed"
        return forbidden("no_line_of_sight", rules.because("FM-35", text), legal=False)
    return None


def _range_reason(rules: Rules, line: Line) -> list[Reason]:
    far = range_modifier(rules, line)
    text = f"{line.distance_in:g} in with a Range of {line.weapon_range_in:g} in"
    return [rules.because("FM-36", text, far)] if far else []


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim(Bars, Line):
    """Somebody who wants to shoot along a line."""


def may_shoot(rules: Rules, line: Aim) -> Verdict:
    """Whether somebody may shoot along this line, and what the distance costs him."""
    if bar := line_barred(rules, line) or _wish_barred(rules, line, "shoot"):
        return bar
    far = range_modifier(rules, line)
    reasons = (rules.because("FM-35"), *_range_reason(rules, line))
    return verdict("legal", *reasons, legal=True, range_modifier=far, range_modifier_at_most=far)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot(Strike, Line):
    """One ranged weapon's attack; where nobody says whether there is cover, what hides the target tells."""

    rodf: int
    behind_cover: Annotated[bool | None, Asked("Is the target behind cover?")] = None


def ranged_attack(rules: Rules, shot: Shot) -> Answer:
    """One attack with one ranged weapon."""
    return line_barred(rules, shot) or barred(rules, shot, "shoot") or _fired(rules, shot)


def ranged_aim(rules: Rules, shot: Shot) -> Verdict:
    """The same before its dice: what they must show."""
    bar = line_barred(rules, shot) or barred(rules, shot, "shoot")
    return bar or aimed(rules, shot, _rodf(rules, shot), [*_range_reason(rules, shot), *_cover_reason(rules, shot)])


def _covered(rules: Rules, shot: Shot) -> bool:
    if shot.behind_cover is None:
        return shot.visible_fraction < 1 and rules.chooses("cover", "any_part_hidden")
    return shot.behind_cover


def _fired(rules: Rules, shot: Shot) -> Procedure[Verdict]:
    cover = _cover_reason(rules, shot)
    answer = yield from struck(rules, shot, _rodf(rules, shot), [*_range_reason(rules, shot), *cover])
    far = range_modifier(rules, shot)
    return Verdict(answer.outcome, {**answer.numbers, "range_modifier": far, "cover": bool(cover)}, answer.reasons)


def _cover_reason(rules: Rules, shot: Shot) -> list[Reason]:
    return [rules.because("FM-37", modifier=whole(rules, "cover"))] if _covered(rules, shot) else []


def _rodf(rules: Rules, shot: Shot) -> Reason:
    return rules.because("FM-38", "RODF", shot.rodf)


def sight_rules(rules: Rules) -> SightRules:
    """What hides what on the measured table, for `rules.sight`."""
    return SightRules(figures_hide=rules.chooses("models_block_sight", True))


# From behind.


@dataclass(frozen=True, slots=True, kw_only=True)
class Facing:
    """A target's facing, and the direction from it to its attacker."""

    facing_deg: Annotated[float, Asked("Where does the target look?")]
    to_attacker_deg: float


def behind(rules: Rules, attack: Facing) -> Verdict:
    """Whether an attack comes from behind."""
    off_deg = abs((attack.to_attacker_deg - attack.facing_deg + 180) % 360 - 180)
    is_behind = off_deg > 180 - rules.option("behind_arc_deg") / 2 + EXACT
    return verdict("from behind" if is_behind else "not from behind", rules.because("FM-62"), from_behind=is_behind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Casting:
    """A spell, and how far its target is."""

    spell: Annotated[str, Row("spells", "unknown_spell")]
    distance_in: Inches = 0


def cast_spell(rules: Rules, casting: Casting) -> Verdict:
    """What the players registered for a spell; one with an ODF is rolled as a ranged attack."""
    row = rules.tables.spells[casting.spell]
    if row.range_in is not None and row.odf is None and not within(casting.distance_in, row.range_in):
        return forbidden("out_of_range", rules.because(row.rule, f"it reaches {row.range_in:g} in"), legal=False)
    numbers = {"legal": True, "odf": row.odf, "range_in": row.range_in, "attack": row.odf is not None}
    return verdict("cast", rules.because(row.rule, row.text), rules.because("FM-64"), **numbers)
