"""Fudge Miniatures Battles: Guts checks, the effects of failed ones and their end, and fleeing models."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated, Any

from rules.engine.dice import Procedure
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Count, Inches, Record, Within
from rules.engine.verdict import ACTORS, Reason, StatusEffect, Verdict, verdict
from rules.games.fudge_miniatures import statuses
from rules.games.fudge_miniatures.attack import effects_counted, guts_penalties
from rules.games.fudge_miniatures.rolls import (
    Modifier,
    RollFacts,
    modifier_reasons,
    reasons_of,
    throw,
    trait_reasons,
    traits_of,
)
from rules.games.fudge_miniatures.tables import (
    Concern,
    Effect,
    EffectName,
    Rules,
    TriggerName,
    WoundName,
    state_row,
    whole,
)
from rules.games.fudge_miniatures.wounds import rank

RUN, NO_EFFECT = "run", "none"


class Check(RollFacts):
    """A Guts check; `guts_now` has the wound penalty in it, `effect` is that of an earlier failure."""

    trigger: TriggerName
    guts_now: int
    terrifying_gifts: Annotated[int, Within(low=1, code="not_terrifying")] = 1
    modifiers: tuple[Modifier, ...] = ()
    effect: EffectName = NO_EFFECT


def guts_check(rules: Rules, check: Check) -> Procedure[Verdict]:
    """A Guts check: its cause, and the effect of a failure."""
    row = rules.tables.guts_triggers[check.trigger]
    target = row.target + row.each_gift * check.terrifying_gifts
    added = _guts_reasons(rules, check, row.rule)
    thrown = yield from throw(rules, check.model or "the model", "its Guts check", *added, target=target)
    passed, margin, effect, why = judge_check(rules, thrown.total, target)
    numbers = {"target": target, "total": thrown.total, "margin": margin, "passed": passed, "rerolled": thrown.rerolled}
    fate = _flees(rules, check.model, margin, passed)
    judgement = rules.because(row.rule, f"{thrown.total:+d} against {target:+d}")
    reasons = (*thrown.reasons, judgement, *why, *fate.reasons)
    return Verdict(effect, {**numbers, **consequences(rules, effect), **fate.numbers}, reasons)


def _guts_reasons(rules: Rules, check: Check | Recovery, rule: str, *bonus: Reason) -> list[Reason]:
    """All that is added to the dice of a Guts check."""
    under = (check.effect or NO_EFFECT, *check.other_effects)
    return [
        rules.because(rule, "its Guts", check.guts_now),
        *bonus,
        *modifier_reasons(rules, rule, check.modifiers),
        *trait_reasons(rules, check, Concern.GUTS),
        *(guts_penalties(rules, *under) if rules.chooses("minus_1_on", "every_roll") else []),
    ]


def judge_check(rules: Rules, rolled: int, target: int) -> tuple[bool, int, str, list[Reason]]:
    """Whether a check is passed, the margin of failure, the effect and why."""
    margin = target - rolled
    if margin < 0 or (margin == 0 and rules.chooses("guts_tie", "passes")):
        return True, max(0, margin), NO_EFFECT, [rules.because("FM-50", "passed")]
    name, row = _effect_reached(rules, margin)
    return False, margin, name, [rules.because(row.rule)]


def _effect_reached(rules: Rules, margin: int) -> tuple[str, Effect]:
    rows = rules.tables.guts_effects
    worst = max(row.margin for row in rows.values())
    if margin > worst and rules.chooses("beyond_margin_4", "no_effect"):
        margin = 0
    return next((name, row) for name, row in rows.items() if row.margin == min(margin, worst))


def consequences(rules: Rules, effect: str) -> dict[str, Any]:
    """The consequences of a Guts effect."""
    counted = effects_counted(rules, effect)
    states = [state_row(rules, name) for name in counted]
    return {
        "effect": effect,
        "roll_modifier": sum(rules.tables.guts_effects[name].roll_modifier for name in counted),
        "may_attack": all(one.may_act and not one.forbids for one in states),
        "helpless": any(one.hddf for one in states),
    }


# Each turn after a failure.


class Recovery(RollFacts):
    """A model that failed a Guts check, in a later turn of its player.

    Attributes:
        target: The target of the check that failed.
        turns_since_wound: Turns since the wound, or the failure where none was.
        bonuses_lost: Steps of the bonus lost to further wound levels.
        effect: The effect that it is under.
        from_wound: Whether a wound had called for the check.
    """

    guts_now: int
    target: int
    turns_since_wound: Count
    bonuses_lost: Count = 0
    effect: EffectName | None = None
    from_wound: bool = True
    modifiers: tuple[Modifier, ...] = ()


def guts_recovery(rules: Rules, model: Recovery) -> Procedure[Verdict]:
    """Whether the effect of a failed Guts check ends this turn."""
    counts = model.from_wound or not rules.chooses("recovery_bonus", "of_wounds")
    bonus = whole(rules, "bonus_a_turn") * max(0, model.turns_since_wound - model.bonuses_lost) if counts else 0
    added = _guts_reasons(rules, model, "FM-55", rules.because("FM-56", modifier=bonus))
    thrown = yield from throw(rules, model.model or "the model", "pulling itself together", *added, target=model.target)
    ends, margin, newly, why = judge_check(rules, thrown.total, model.target)
    judgement = rules.because("FM-55", f"{thrown.total:+d} against {model.target:+d}")
    stays = newly if rules.chooses("repeated_check", "by_new_margin") else model.effect
    numbers: dict[str, Any] = {"bonus": bonus, "total": thrown.total, "target": model.target, "margin": margin}
    flees = not ends and (stays == RUN or bool(traits_of(rules, model.model, Concern.FLEES_FAILED)))
    numbers |= {"effect_ends": ends, "effect": NO_EFFECT if ends else stays, "flees": flees}
    reasons = (*thrown.reasons, judgement, *(why if ends else []))
    return Verdict("recovers" if ends else "goes on", numbers, reasons)


class OpenCheck(Record):
    """A failed Guts check that is not passed yet."""

    target: int
    turns_since_wound: Count
    bonuses_lost: Count = 0


def wounded_again(
    rules: Rules, open_checks: tuple[OpenCheck, ...], trigger: TriggerName = "new_wound_level"
) -> Verdict:
    """The check that a further wound level calls for at once, and the open ones, each with one more bonus lost."""
    older = [asdict(replace(one, bonuses_lost=one.bonuses_lost + 1)) for one in open_checks]
    now = {"trigger": trigger, "target": rules.tables.guts_triggers[trigger].target}
    return verdict("check at once", rules.because("FM-57"), check_now=now, open_checks=older)


class Shaken(Record):
    """The stats of a model that failed a Guts check by 1; only those given are returned."""

    strength: int | None = None
    dexterity: int | None = None
    guts: int | None = None
    movement_in: Inches | None = None
    modf: int | None = None
    rodf: int | None = None
    ddf: int | None = None
    hddf: int | None = None


def under_guts_margin_1(rules: Rules, model: Shaken) -> Verdict:
    """Stats stay as they are; rolls do not."""
    modifier = rules.tables.guts_effects["minus1_rolls"].roll_modifier
    given = {name: value for name, value in asdict(model).items() if value is not None}
    return verdict("minus1_rolls", rules.because("FM-51", modifier=modifier), **given, roll_modifier=modifier)


# Fleeing.


def after_failed_guts_check(rules: Rules, model: str, margin: Count) -> Verdict:
    """Whether a model that failed a Guts check flees, for its margin or by its nature."""
    return _flees(rules, model, margin, margin == 0 and rules.chooses("guts_tie", "passes"))


def _flees(rules: Rules, model: str, margin: int, passed: bool) -> Verdict:
    if passed:
        return verdict("stands", flees=False)
    by_margin = _effect_reached(rules, margin)[0] == RUN
    by_nature = reasons_of(rules, traits_of(rules, model, Concern.FLEES_FAILED))
    reasons = ([rules.because("FM-53")] if by_margin else []) + by_nature
    return verdict("flees" if reasons else "stands", *reasons, flees=bool(reasons))


def after_wound(rules: Rules, model: str, level: WoundName | None = None) -> Verdict:
    """Whether a model flees combat because of its wound level, None if it is healthy."""
    least = 1 if rules.chooses("wounded_is", "hurt_or_worse") else 0
    wounded = level is not None and rank(rules, level) >= least
    reasons = reasons_of(rules, traits_of(rules, model, Concern.FLEES_WOUNDED)) if wounded else []
    return verdict("flees" if reasons else "stands", *reasons, flees=bool(reasons))


def minimum_run(rules: Rules, movement_in: Inches) -> Verdict:
    """How far a model runs at least with the Movement that it has now."""
    min_in = movement_in * limit(rules, "run_part")
    found = verdict("runs", rules.because("FM-53"), min_in=min_in, max_in=movement_in)
    return found.causing(StatusEffect(ACTORS, statuses.MUST_RUN, None, "FM-A34"))


# What calls for a check on the table.


def charge(
    rules: Rules,
    touching_before: bool = False,
    touching_after: bool = True,
    declared: Annotated[bool, Asked("Is this move a charge?")] = True,
    charger_gifts: Count = 0,
    charged_gifts: Count = 0,
) -> Verdict:
    """Whether a move is a charge, and which side must check Guts before it, each against the other's terror."""
    closes = touching_after and not touching_before
    if not (declared if rules.chooses("charge", "declared") else closes):
        return verdict("no charge", rules.because("FM-A32", "no new base contact"), charge=False, checks=[])
    row = rules.tables.guts_triggers["terrifying_charge"]
    gifts = {"charger": charged_gifts, "charged": charger_gifts}
    checks = [{"who": who, "target": row.target + row.each_gift * n} for who, n in gifts.items() if n]
    return verdict("charge", rules.because(row.rule), charge=True, checks=checks)


def friend_shoots(
    rules: Rules, friends: tuple[str, ...], shots: Annotated[int, Within(low=1, code="no_shot")] = 1
) -> Verdict:
    """The friends touching a shooter's targets that must check Guts, once for each name; shots never hit friends."""
    times = 1 if rules.chooses("friendly_fire_checks", "one_per_action") else shots
    row = rules.tables.guts_triggers["friend_shoots_into_combat"]
    checks = [friend for friend in friends for _ in range(times)]
    return verdict("check" if checks else "nobody", rules.because(row.rule), checks=checks, target=row.target)
