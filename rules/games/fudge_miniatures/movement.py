"""Fudge Miniatures Battles: the cost of a path, moving on after the action, and leaving a fight."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Annotated

from rules.engine.dice import Procedure
from rules.engine.game import Answer
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Count, Inches, Record, Row
from rules.engine.verdict import Reason, RuleRefusal, Verdict, forbidden, total, verdict
from rules.games.fudge_miniatures.attack import Melee, attack_preview, attack_roll, barred, guts_penalties, modf_reason
from rules.games.fudge_miniatures.rolls import Modifier, modifier_reasons, reasons_of, throw, traits_of, words
from rules.games.fudge_miniatures.tables import Concern, EffectName, Rules, whole
from rules.tabletop.movement import MovementProfile, TerrainCost, Walk
from rules.tabletop.movement import Reason as TollFor
from rules.tabletop.table import TerrainPiece
from rules.tabletop.tolerance import EXACT, within


class Stretch(Record):
    """A part of a path on one kind of terrain.

    Attributes:
        inches: Along the table; for the terrain "climb" and "descend" the height.
        climbed_in: Height gained on the way.
    """

    terrain: Annotated[str, Row("terrain", "unknown_terrain")]
    inches: Inches
    climbed_in: Annotated[Inches, Asked("How many inches of height are gained?")] = 0


class Path(Record):
    """A model's path, its remaining Movement and, if the answer must name it, its whole Movement."""

    movement_left_in: Inches
    path: tuple[Stretch, ...] = ()
    movement_in: Inches | None = None


def move(rules: Rules, path: Path) -> Verdict:
    """Whether a path is within the remaining Movement."""
    parts = _joined(path.path)
    costs = [_cost_in(rules, part) for part in parts]
    reasons = [
        rules.because("FM-27", f"{part.inches:.3g} in of {part.terrain}: {cost:.3g} in")
        for part, cost in zip(parts, costs, strict=True)
    ]
    if any(_rounded(rules, part) for part in parts):
        reasons.append(rules.because("FM-26"))
    cost_in = math.fsum(costs)
    whole_in = {} if path.movement_in is None else {"allowance_in": path.movement_in}
    if not within(cost_in, path.movement_left_in):
        far = rules.because("FM-18", f"{cost_in:.3g} in needed, {path.movement_left_in:.3g} in left")
        numbers = {"cost_in": cost_in, "left_in": path.movement_left_in, **whole_in}
        return forbidden("too_far", *reasons, far, legal=False, **numbers)
    left_in = max(0.0, path.movement_left_in - cost_in)
    return verdict("legal", *reasons, rules.because("FM-24"), legal=True, cost_in=cost_in, left_in=left_in, **whole_in)


def march(rules: Rules, paths: Mapping[str, Path]) -> Verdict:
    """Whether each of several paths, by model, is within its model's remaining Movement."""
    each = {name: move(rules, path) for name, path in paths.items()}
    reasons = [replace(one, text=f"{name}: {one.text}") for name, found in each.items() for one in found.reasons]
    numbers = {"each": {name: dict(found.numbers) for name, found in each.items()}}
    if late := next((found for found in each.values() if not found.allowed), None):
        return forbidden(late.numbers["reason"], *reasons, legal=False, **numbers)
    return verdict("legal", *reasons, legal=True, **numbers)


def _joined(path: Sequence[Stretch]) -> list[Stretch]:
    """The path with stretches on one terrain that follow each other made into one."""
    groups = [(terrain, list(parts)) for terrain, parts in groupby(path, key=lambda part: part.terrain)]
    return [
        Stretch(terrain=terrain, inches=sum(p.inches for p in parts), climbed_in=sum(p.climbed_in for p in parts))
        for terrain, parts in groups
    ]


def _cost_in(rules: Rules, part: Stretch) -> float:
    row, climb = rules.tables.terrain[part.terrain], rules.tables.terrain["climb"]
    level_in = _counted_in(rules, part.inches, row.whole) * row.factor
    if row.flies or not part.climbed_in:
        return level_in
    if rules.chooses("mixed_terrain", "multiplied"):
        return level_in * climb.factor
    return level_in + _counted_in(rules, part.climbed_in, climb.whole) * climb.factor


def _rounded(rules: Rules, part: Stretch) -> bool:
    """Whether a part of an inch is charged as a whole one."""
    whole_inches = rules.tables.terrain[part.terrain].whole
    return abs(_counted_in(rules, part.inches, whole_inches) - part.inches) > EXACT


def _counted_in(rules: Rules, inches: float, in_whole: bool) -> float:
    """Inches as they are charged: on costly terrain each part of an inch as one."""
    rounds = in_whole and rules.chooses("parts_of_an_inch", "rounded_up")
    return math.ceil(inches - EXACT) if rounds else inches


def movement_profile(rules: Rules, *, flying: bool = False) -> MovementProfile:
    """How a model moves over the measured table, for `rules.tabletop.movement.walk`."""
    rows = rules.tables.terrain
    climb, descend, in_air = rows["climb"], rows["descend"], rows["flying"].factor
    cost_per_in = {kind: row.factor for row in (rows["rough"], rows["swimming"]) for kind in row.kinds}

    def cost_of(piece: TerrainPiece) -> TerrainCost:
        if flying:
            return TerrainCost(in_air)
        if piece.kind in descend.kinds:
            return TerrainCost(enter_in=piece.height_in * climb.factor, leave_in=piece.height_in * descend.factor)
        return TerrainCost(cost_per_in.get(piece.kind, rows["open"].factor), on_top=piece.kind in climb.kinds)

    return MovementProfile(
        cost_of,
        open_cost_per_in=in_air if flying else rows["open"].factor,
        climb_cost_per_in=0.0 if flying else climb.factor,
        whole_inches=not flying and rules.chooses("parts_of_an_inch", "rounded_up"),
    )


def stretches_of(rules: Rules, walked: Walk, *, flying: bool = False) -> tuple[Stretch, ...]:
    """A measured walk as the stretches of a path: what stands upright is climbed and descended, a hill is climbed."""
    found: list[Stretch] = []
    for part in walked.stretches:
        gained_in = 0.0
        for toll in () if flying else part.tolls:
            if toll.reason is TollFor.CLIMB:
                gained_in += toll.cost_in / rules.tables.terrain["climb"].factor
            elif (way := {TollFor.ENTER: "climb", TollFor.LEAVE: "descend"}.get(toll.reason)) is not None:
                found.append(Stretch(terrain=way, inches=toll.cost_in / rules.tables.terrain[way].factor))
        kind = part.ground.kind if part.ground else None
        ground = next((name for name in ("rough", "swimming") if kind in rules.tables.terrain[name].kinds), "open")
        found.append(Stretch(terrain="flying" if flying else ground, inches=part.length_in, climbed_in=gained_in))
    return tuple(found)


# Step 4.


def second_move(
    rules: Rules,
    movement_in: Inches,
    used_in: Inches = 0,
    wounded_in_step_3: bool = False,
    new_movement_in: Inches | None = None,
) -> Verdict:
    """How far a model may still move, by its Movement as the turn began, what it used, and its Movement if wounded.

    Raises:
        RuleRefusal: "missing_key" if it is wounded and its new Movement is not given.
    """
    now_in = new_movement_in if wounded_in_step_3 else movement_in
    if now_in is None:
        raise RuleRefusal("missing_key", "a wounded model has a new Movement: give 'new_movement_in'", "FM-21")
    left_in = now_in - used_in
    if rules.chooses("second_move", "second_move"):
        left_in = min(movement_in - used_in, now_in)
    return verdict("may move", rules.because("FM-21"), max_in=max(0, left_in))


# Leaving a fight.


class Enemy(Record):
    """An enemy whose base is left; it attacks only with a weapon in hand."""

    enemy_strength: int
    enemy_dexterity: int
    enemy_wielded_weapons: Count = 1


class Leaving(Enemy):
    """A model that leaves one enemy's base; `effect` is that of a failed Guts check."""

    dexterity: int
    modifiers: tuple[Modifier, ...] = ()
    effect: EffectName = "none"
    other_effects: tuple[EffectName, ...] = ()


def disengage(rules: Rules, leaver: Leaving) -> Procedure[Verdict]:
    """The Dexterity test, and the enemy's free attack if it fails."""
    shaken = (leaver.effect, leaver.other_effects)
    found = yield from leave_several(rules, leaver.dexterity, (leaver,), leaver.modifiers, *shaken)
    [rolled], attacks = found.numbers["totals"], found.numbers["free_attacks"]
    numbers = {"total": rolled, "needed": needed_against(leaver), "free_attacks": attacks}
    return Verdict(found.outcome, numbers, found.reasons)


def needed_against(enemy: Enemy) -> int:
    """The target number of the Dexterity test against an enemy."""
    return max(enemy.enemy_strength, enemy.enemy_dexterity)


def leave_several(
    rules: Rules,
    dexterity: int,
    enemies: tuple[Enemy, ...],
    modifiers: tuple[Modifier, ...] = (),
    effect: EffectName = "none",
    other_effects: tuple[EffectName, ...] = (),
) -> Procedure[Verdict]:
    """A Dexterity test against each enemy whose base is left; the effects are those of failed Guts checks."""
    added = [rules.because("FM-25", "its Dexterity", dexterity), *modifier_reasons(rules, "FM-25", modifiers)]
    added += guts_penalties(rules, effect, *other_effects)
    totals: list[int] = []
    attacks: list[int] = []
    reasons: list[Reason] = []
    for enemy in enemies:
        needed = needed_against(enemy)
        if not totals or rules.chooses("leaving_several", "one_each"):
            test = yield from throw(rules, "the leaver", "its Dexterity test", *added, target=needed)
            reasons += test.reasons
            totals.append(test.total)
        reasons.append(rules.because("FM-25", f"{totals[-1]:+d} against {needed:+d}"))
        attacks.append(0 if totals[-1] >= needed else _free_attacks(rules, enemy))
    numbers = {"totals": totals, "free_attacks_by_enemy": attacks, "free_attacks": sum(attacks)}
    return Verdict("struck at" if any(attacks) else "away", numbers, tuple(reasons))


def _free_attacks(rules: Rules, enemy: Enemy) -> int:
    return min(whole(rules, "free_attacks"), enemy.enemy_wielded_weapons)


def flee(
    rules: Rules,
    movement_in: Inches,
    enemies: tuple[Enemy, ...] = (),
    dexterity: int = 0,
    farther_from_every_enemy: Annotated[bool, Asked("Does the run end farther from every enemy?")] = True,
    run_in: Inches | None = None,
) -> Answer:
    """Whether a run after a failed Guts check is far enough and to safety, and the free attacks of `enemies` on it."""
    least_in = movement_in * limit(rules, "run_part")
    ran = {} if run_in is None else {"cost_in": run_in, "allowance_in": movement_in}
    run_in = least_in if run_in is None else run_in
    if not within(least_in, run_in) or not within(run_in, movement_in):
        text = f"he runs {least_in:g} to {movement_in:g} in, not {run_in:g}"
        return forbidden("bad_run", rules.because("FM-53", text), legal=False, **ran)
    if not farther_from_every_enemy:
        because = rules.because("FM-A34", "the run must end farther from every enemy")
        return forbidden("no_safe_place", because, legal=False)
    if rules.chooses("fleeing_test", True):
        return leave_several(rules, dexterity, enemies)
    attacks = sum(_free_attacks(rules, enemy) for enemy in enemies)
    bonus = whole(rules, "run_free_attack")
    numbers = {"legal": True, "min_in": least_in, "free_attacks": attacks, "bonus": bonus, **ran}
    return verdict("runs", rules.because("FM-53", modifier=bonus), **numbers)


LEAVES = frozenset({"disengage", "disengaging", "disengagement", "leave", "leaving"})
RUNS = frozenset({"run", "ran", "running", "flee", "fled", "fleeing", "flight", "rout", "guts", "margin"})


def free_attack_bonus(rules: Rules, reason: str, leaver: str | None = None) -> Verdict:
    """The modifier of a free attack, by its reason and the model that leaves.

    Raises:
        RuleRefusal: "unknown_reason" if it is neither for leaving a fight nor for running away.
    """
    said = words(reason)
    if said & RUNS:
        reasons = [rules.because("FM-53", modifier=whole(rules, "run_free_attack"))]
    elif said & LEAVES:
        reasons = reasons_of(rules, traits_of(rules, leaver or "", Concern.FREE_ATTACK))
    else:
        raise RuleRefusal("unknown_reason", f"{reason!r} allows no free attack: disengage or run", "FM-25")
    bonus = int(total(reasons))
    return verdict(f"{bonus:+d}", *reasons, rules.because("FM-25"), bonus=bonus)


class FreeStrike(Melee):
    """The one free attack on a model that leaves or runs, with one weapon."""

    reason: str
    leaver: str = ""


def free_attack(rules: Rules, strike: FreeStrike) -> Answer:
    """A free attack; its damage is not kept for step 3. Raises as `free_attack_bonus`."""
    gains = _free_gains(rules, strike)
    return barred(rules, strike, "melee") or attack_roll(rules, strike, modf_reason(rules, strike.modf), gains)


def free_aim(rules: Rules, strike: FreeStrike) -> Verdict:
    """The number needed, before the dice."""
    gains = _free_gains(rules, strike)
    return barred(rules, strike, "melee") or attack_preview(rules, strike, modf_reason(rules, strike.modf), gains)


def _free_gains(rules: Rules, strike: FreeStrike) -> list[Reason]:
    return [one for one in free_attack_bonus(rules, strike.reason, strike.leaver).reasons if one.modifier]
