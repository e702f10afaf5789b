"""Fudge Miniatures Battles: Guts checks, what a failed one does, how it passes, and who flees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from rules.engine.dice import Procedure
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Count, Inches, Row, Within
from rules.engine.verdict import Reason, Verdict, total, verdict
from rules.games.fudge_miniatures.attack import shaken, state
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
from rules.games.fudge_miniatures.tables import Concern, Effect, Rules, whole
from rules.games.fudge_miniatures.wounds import rank

EffectName = Annotated[str, Row("guts_effects", "unknown_effect")]
RUN, NO_EFFECT = "run", "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Situation):
    """A Guts check; `guts_now` has the wound penalty in it, `effect` is that of an earlier failure."""

    trigger: Annotated[str, Row("guts_triggers", "unknown_trigger")]
    guts_now: int
    terrifying_gifts: Annotated[int, Within(low=1, code="not_terrifying")] = 1
    modifiers: tuple[Modifier, ...] = ()
    effect: EffectName = NO_EFFECT


def guts_check(rules: Rules, check: Check) -> Procedure[Verdict]:
    """A Guts check by what called for it, and what failing it does."""
    row = rules.tables.guts_triggers[check.trigger]
    target = row.target + row.each_gift * check.terrifying_gifts
    thrown = yield from throw(rules, check.model or "the model", "its Guts check")
    reasons = [
        *told(rules, thrown),
        rules.because(row.rule, "its Guts", check.guts_now),
        *added(rules, row.rule, check.modifiers),
        *trait_reasons(rules, check, Concern.GUTS),
        *_shaken_guts(rules, check.effect),
    ]
    rolled = int(total(reasons))
    passed, margin, effect, why = judged(rules, rolled, target)
    reasons += [rules.because(row.rule, f"{rolled:+d} against {target:+d}"), *why]
    numbers = {"target": target, "total": rolled, "margin": margin, "passed": passed, "rerolled": thrown.again}
    fate = _fate(rules, check.model, margin, passed)
    return Verdict(effect, {**numbers, **consequences(rules, effect), **fate.numbers}, (*reasons, *fate.reasons))


def _shaken_guts(rules: Rules, effect: str) -> list[Reason]:
    return shaken(rules, effect) if rules.chooses("minus_1_on", "every_roll") else []


def judged(rules: Rules, rolled: int, target: int) -> tuple[bool, int, str, list[Reason]]:
    """Whether a check is passed, the margin of failure, the effect and why."""
    margin = target - rolled
    if margin < 0 or (margin == 0 and rules.chooses("guts_tie", "passes")):
        return True, max(0, margin), NO_EFFECT, [rules.because("FM-50", "passed")]
    name, row = _reached(rules, margin)
    return False, margin, name, [rules.because(row.rule)]


def _reached(rules: Rules, margin: int) -> tuple[str, Effect]:
    rows = rules.tables.guts_effects
    worst = max(row.margin for row in rows.values())
    if margin > worst and rules.chooses("beyond_margin_4", "no_effect"):
        margin = 0
    return next((name, row) for name, row in rows.items() if row.margin == min(margin, worst))


def consequences(rules: Rules, effect: str) -> dict[str, Any]:
    """What a Guts effect amounts to in play."""
    row = rules.tables.guts_effects[effect]
    counted = [effect]
    if rules.chooses("guts_rows", "all_rows_up_to_it"):
        counted = [name for name, other in rules.tables.guts_effects.items() if other.margin <= row.margin]
    states = [state(rules, name) for name in counted]
    return {
        "effect": effect,
        "roll_modifier": sum(rules.tables.guts_effects[name].roll_modifier for name in counted),
        "may_attack": all(one.may_act and not one.forbids for one in states),
        "helpless": any(one.hddf for one in states),
    }


# Each turn after a failure.


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery(Situation):
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
    bonus = _bonus(rules, model)
    thrown = yield from throw(rules, model.model or "the model", "pulling itself together")
    reasons = [
        *told(rules, thrown),
        rules.because("FM-55", "its Guts", model.guts_now),
        rules.because("FM-56", modifier=bonus),
        *added(rules, "FM-55", model.modifiers),
        *trait_reasons(rules, model, Concern.GUTS),
        *_shaken_guts(rules, model.effect or NO_EFFECT),
    ]
    rolled = int(total(reasons))
    ends, margin, newly, why = judged(rules, rolled, model.target)
    reasons += [rules.because("FM-55", f"{rolled:+d} against {model.target:+d}"), *(why if ends else [])]
    stays = newly if rules.chooses("repeated_check", "by_new_margin") else model.effect
    numbers: dict[str, Any] = {"bonus": bonus, "total": rolled, "target": model.target, "margin": margin}
    flees = not ends and (stays == RUN or bool(traits_of(rules, model.model, Concern.FLEES_FAILED)))
    numbers |= {"effect_ends": ends, "effect": NO_EFFECT if ends else stays, "flees": flees}
    return Verdict("recovers" if ends else "goes on", numbers, tuple(reasons))


def _bonus(rules: Rules, model: Recovery) -> int:
    if not model.from_wound and rules.chooses("recovery_bonus", "of_wounds"):
        return 0
    return whole(rules, "bonus_a_turn") * max(0, model.turns_since_wound - model.bonuses_lost)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCheck:
    """A failed Guts check that is not passed yet."""

    target: int
    turns_since_wound: Count
    bonuses_lost: Count = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WoundedAgain:
    """A model with open Guts checks that takes a further wound level."""

    open_checks: tuple[OpenCheck, ...]
    trigger: Annotated[str, Row("guts_triggers", "unknown_trigger")] = "new_wound_level"


def wounded_again(rules: Rules, model: WoundedAgain) -> Verdict:
    """The check to make at once, and the older ones, each with one more bonus lost."""
    older = [
        {"target": c.target, "turns_since_wound": c.turns_since_wound, "bonuses_lost": c.bonuses_lost + 1}
        for c in model.open_checks
    ]
    now = {"trigger": model.trigger, "target": rules.tables.guts_triggers[model.trigger].target}
    return verdict("check at once", rules.because("FM-57"), check_now=now, open_checks=older)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shaken:
    """The stats of a model that failed a Guts check by 1; only those given are told."""

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
    stats = {name: getattr(model, name) for name in Shaken.__dataclass_fields__}
    modifier = rules.tables.guts_effects["minus1_rolls"].roll_modifier
    given = {name: value for name, value in stats.items() if value is not None}
    return verdict("minus1_rolls", rules.because("FM-51", modifier=modifier), **given, roll_modifier=modifier)


# Who flees.


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A model that failed a Guts check by a margin."""

    model: str
    margin: Count


def after_failed_guts_check(rules: Rules, failed: Failed) -> Verdict:
    """Whether it flees, for its margin or by its nature."""
    passed = failed.margin == 0 and rules.chooses("guts_tie", "passes")
    return _fate(rules, failed.model, failed.margin, passed)


def _fate(rules: Rules, model: str, margin: int, passed: bool) -> Verdict:
    if passed:
        return verdict("stands", flees=False)
    by_margin = _reached(rules, margin)[0] == RUN
    by_nature = because_of(rules, traits_of(rules, model, Concern.FLEES_FAILED))
    reasons = ([rules.because("FM-53")] if by_margin else []) + by_nature
    return verdict("flees" if reasons else "stands", *reasons, flees=bool(reasons))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hurt:
    """A model and its wound level, None if it is healthy."""

    model: str
    level: Annotated[str | None, Row("wounds", "unknown_wound_level")] = None


def after_wound(rules: Rules, hurt: Hurt) -> Verdict:
    """Whether a model flees combat because it is wounded."""
    least = 1 if rules.chooses("wounded_is", "hurt_or_worse") else 0
    wounded = hurt.level is not None and rank(rules, hurt.level) >= least
    reasons = because_of(rules, traits_of(rules, hurt.model, Concern.FLEES_WOUNDED)) if wounded else []
    return verdict("flees" if reasons else "stands", *reasons, flees=bool(reasons))


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """A model that runs: its Movement as it is now."""

    movement_in: Inches


def minimum_run(rules: Rules, runner: Runner) -> Verdict:
    """How far it runs at least."""
    min_in = runner.movement_in * limit(rules, "run_part")
    return verdict("runs", rules.because("FM-53"), min_in=min_in, max_in=runner.movement_in)


# What calls for a check on the table.


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """Two opponents before and after a move: who touches whom, and how terrifying each is."""

    touching_before: bool = False
    touching_after: bool = True
    declared: Annotated[bool, Asked("Is this move a charge?")] = True
    charger_gifts: Count = 0
    charged_gifts: Count = 0


def charge(rules: Rules, contact: Contact) -> Verdict:
    """Whether a move is a charge, and who must check Guts before it; each against the other's gifts."""
    closes = contact.touching_after and not contact.touching_before
    charges = contact.declared if rules.chooses("charge", "declared") else closes
    if not charges:
        return verdict("no charge", rules.because("FM-A32", "no new base contact"), charge=False, checks=[])
    row = rules.tables.guts_triggers["terrifying_charge"]
    gifts = {"charger": contact.charged_gifts, "charged": contact.charger_gifts}
    checks = [{"who": who, "target": row.target + row.each_gift * n} for who, n in gifts.items() if n]
    return verdict("charge", rules.because(row.rule), charge=True, checks=checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntoFight:
    """A shooting action into a fight, the shooter's friends who touch its targets, and how many weapons fire."""

    friends: tuple[str, ...]
    shots: Annotated[int, Within(low=1, code="no_shot")] = 1


def friend_shoots(rules: Rules, fire: IntoFight) -> Verdict:
    """Who must check Guts, once for each name; the shots never hit friends."""
    times = 1 if rules.chooses("friendly_fire_checks", "one_per_action") else fire.shots
    row = rules.tables.guts_triggers["friend_shoots_into_combat"]
    checks = [friend for friend in fire.friends for _ in range(times)]
    return verdict("check" if checks else "nobody", rules.because(row.rule), checks=checks, target=row.target)
