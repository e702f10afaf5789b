"""Fudge Miniatures Battles: the wound track, being Near Death, and crashing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from rules.engine.dice import Procedure
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Count, Row, Within
from rules.engine.verdict import ACTORS, Reason, RuleRefusal, StatusEffect, Verdict, forbidden, verdict
from rules.games.fudge_miniatures.rolls import Modifier, modifier_reasons, throw
from rules.games.fudge_miniatures.statuses import FALLS, TO_MARK
from rules.games.fudge_miniatures.tables import Rules, state_row, whole

NEAR_DEATH, VERY_HURT, DEAD = "near_death", "very_hurt", "dead"
HEALTHY = "healthy"
STANDING = "standing"

Wound = Annotated[int, Within(low=0, code="negative_wound")]
Track = Mapping[str, int]
"""Marked boxes by the name of their column."""


def full_track(rules: Rules, track: Track) -> dict[str, int]:
    """A track with every column, those that are not named empty.

    Raises:
        RuleRefusal: "bad_track" for an unknown column or a number of boxes that it cannot have marked.
    """
    columns = rules.tables.wounds
    for name, marked in track.items():
        if name not in columns:
            raise RuleRefusal("bad_track", f"the wound track has no column {name!r}: {', '.join(columns)}", "FM-39")
        if not 0 <= marked <= columns[name].boxes:
            raise RuleRefusal("bad_track", f"{name} has {columns[name].boxes} boxes, not {marked}", "FM-39")
    return {name: track.get(name, 0) for name in columns}


def column_of(rules: Rules, wound: int) -> str:
    """The column of a wound by its size."""
    rows = rules.tables.wounds.items()
    return next(name for name, row in rows if row.least <= wound and (row.most is None or wound <= row.most))


def marked(rules: Rules, track: Track, wound: int) -> dict[str, int]:
    """The track with one more wound: the first free box of its column or to the right of it."""
    columns = list(rules.tables.wounds)
    own = columns.index(column_of(rules, wound))
    open_to = columns[own:]
    if own < columns.index(NEAR_DEATH) and rules.chooses("overflow", "to_near_death"):
        open_to = columns[own : columns.index(NEAR_DEATH) + 1]
    free = next((name for name in open_to if track[name] < rules.tables.wounds[name].boxes), None)
    return {name: count + (name == free) for name, count in track.items()}


def level(rules: Rules, track: Track) -> str:
    """The wound level: the worst column with a mark."""
    return next((name for name in reversed(list(rules.tables.wounds)) if track[name]), HEALTHY)


def rank(rules: Rules, name: str) -> int:
    """A wound level as a number; healthy and Scratch are 0, unless a Scratch is to count."""
    if name == HEALTHY:
        return -1 if rules.chooses("scratch_is_level", True) else 0
    return list(rules.tables.wounds).index(name)


def worst_penalty(rules: Rules, columns: Iterable[str]) -> int:
    """The penalty of marked columns on the stats: the worst one counts."""
    found = list(columns)
    if NEAR_DEATH in found and rules.chooses("near_death_penalty", "none"):
        return 0
    return min((rules.tables.wounds[name].penalty for name in found), default=0)


def checks_called_for(rules: Rules, before: str, after: str) -> tuple[str, ...]:
    """The Guts checks that one attack calls for by the levels before and after it; the dead make none."""
    one, two = "new_wound_level", "two_wound_levels_one_attack"
    jump = rank(rules, after) - rank(rules, before)
    if jump < 1 or after == DEAD:
        return ()
    if jump == 1:
        return (one,)
    return (one, two) if rules.chooses("two_levels", "both_checks") else (two,)


def apply_wounds(rules: Rules, track_before: Track, wounds: tuple[Wound, ...]) -> Verdict:
    """The track after the wounds of the last attacks, in the order rolled, and the Guts checks that each calls for."""
    track = full_track(rules, track_before)
    was = level(rules, track)
    reasons, checks = [], []
    for wound in wounds:
        before, track = level(rules, track), marked(rules, track, wound)
        now = level(rules, track)
        checks += [*checks_called_for(rules, before, now)]
        column = column_of(rules, wound)
        text = f"a wound of {wound} is {display_name(column)}; the model is {display_name(now)}"
        reasons.append(rules.because("FM-39", text))
        if now != column and before != now:
            reasons.append(rules.because("FM-40"))
    reasons += _pose_reason(rules, was, level(rules, track))
    numbers = {**track_numbers(rules, track), "guts_checks": checks}
    return Verdict(numbers["level"], numbers, tuple(reasons), (StatusEffect(ACTORS, TO_MARK, None, "FM-20"),))


def track_numbers(rules: Rules, track: Track) -> dict[str, Any]:
    """The state of a wound track."""
    return {
        "track_after": dict(track),
        "level": level(rules, track),
        "stat_penalty": worst_penalty(rules, (name for name, count in track.items() if count)),
        "lies": state_row(rules, level(rules, track)).lies,
    }


def display_name(name: str) -> str:
    """A level or state as a player says it."""
    return name.replace("_", " ").title()


def _pose_reason(rules: Rules, was: str, now: str) -> list[Reason]:
    """What to do with the model if it must be laid down or stood up."""
    laid = state_row(rules, now).lies
    how = "set the model on its feet" if laid == STANDING else f"lay the model {laid.replace('_', ' ')}"
    return [rules.because("FM-07", how)] if laid != state_row(rules, was).lies else []


def model_pose(rules: Rules, state: str) -> Verdict:
    """How a model in a state is laid."""
    laid = state_row(rules, state).lies
    return verdict(laid, rules.because("FM-07"), lay=laid)


# Near Death.


def near_death_roll(
    rules: Rules,
    guts_now: int,
    modifiers: tuple[Modifier, ...] = (),
    roll_modifier: int = 0,
    turns_since: Count = 1,
    track_before: Track | None = None,
) -> Procedure[Verdict]:
    """Whether a model Near Death at the start of its turn rises, dies, or lies on.

    Args:
        guts_now: Its Guts with the wound penalty in it.
        roll_modifier: What a failed Guts check takes off its rolls.
    """
    if turns_since == 0:
        return forbidden("too_early", rules.because("FM-44"), legal=False)
    added = [rules.because("FM-44", "its Guts", guts_now), *modifier_reasons(rules, "FM-44", modifiers)]
    added += [rules.because("FM-51", modifier=roll_modifier)] if roll_modifier else []
    thrown = yield from throw(rules, "the model Near Death", "its Guts roll", *added, target=whole(rules, "rises_from"))
    result = NEAR_DEATH
    if thrown.total >= limit(rules, "rises_from"):
        result = VERY_HURT
    elif thrown.total <= limit(rules, "dies_at"):
        result = DEAD
    numbers: dict[str, Any] = {"total": thrown.total, "result": result, "may_act": result == VERY_HURT}
    if track_before is not None:
        numbers |= track_numbers(rules, _track_with(rules, full_track(rules, track_before), result))
    why = rules.because("FM-44", f"{thrown.total:+d}: {display_name(result)}")
    return Verdict(result, numbers, (*thrown.reasons, why, *_pose_reason(rules, NEAR_DEATH, result)))


def _track_with(rules: Rules, track: Track, result: str) -> Track:
    """The track after a Near Death roll."""
    if result == NEAR_DEATH:
        return track
    if result == DEAD:
        return {**track, DEAD: 1}
    kept = track if rules.chooses("risen", "others_unchanged") else dict.fromkeys(track, 0)
    return {**kept, NEAR_DEATH: 0, VERY_HURT: 1}


def crash(
    rules: Rules, track_before: Track, hddf: int = 0, flying: Annotated[bool, Asked("Was it flying?")] = True
) -> Procedure[Verdict]:
    """The further wound of a flyer that became Near Death and falls."""
    track = full_track(rules, track_before)
    if level(rules, track) != NEAR_DEATH:
        return forbidden("not_near_death", rules.because("FM-43"), legal=False)
    if not flying:
        return forbidden("not_flying", rules.because("FM-43"), legal=False)
    added = [rules.because("FM-43", modifier=whole(rules, "crash"))]
    added += [rules.because("FM-A37", "its HDDF", -hddf)] if rules.chooses("crash_defence", "hddf") else []
    thrown = yield from throw(rules, "the flyer", "its crash", *added)
    wound = max(0, thrown.total)
    answer = apply_wounds(rules, track, (wound,))
    reasons, landed = (*thrown.reasons, *answer.reasons), StatusEffect(ACTORS, FALLS, None, "FM-43")
    return Verdict(answer.outcome, {"wound": wound, **answer.numbers}, reasons, (landed,))


# When damage counts.


def damage_applies(rules: Rules, occasion: Annotated[str, Row("attacks", "unknown_occasion")] = "step_2") -> Verdict:
    """When the wounds of an attack are marked, by its occasion."""
    row = rules.tables.attacks[occasion]
    when = rules.option("free_attack_damage") if row.free else row.marked
    return verdict(when, rules.because(row.rule), rules.because("FM-20"), when=when)
