"""Army Men: rolls during a move: cliffs, water, landings, overruns by tanks, and mines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.ruleset import limit
from rules.engine.schema import Inches
from rules.engine.verdict import Verdict, forbidden, verdict
from rules.games.army_men import status
from rules.games.army_men.attack import NATURAL_TWO, two_dice
from rules.games.army_men.hard import hard_die, hard_modifiers
from rules.games.army_men.movement import ThisPhase, Waits, out_of_turn
from rules.games.army_men.status import card_says, did, gap, of_actor, of_target
from rules.games.army_men.tables import INCHES_A_FOOT, Bar, Effect, Face, KindName, Rules, refused, touching


@dataclass(frozen=True, slots=True, kw_only=True)
class Feat:
    """A feat during a move, once a turn; a landing comes before all other actions of the turn."""

    waits: Waits = False
    phase: ThisPhase = None
    tried_this_turn: bool = False
    busy_this_turn: bool = False
    edge_in: Annotated[Inches, gap()] = 0


def _tried(rules: Rules, feat: Feat, rule: str) -> tuple[Bar, ...]:
    return *out_of_turn(rules, feat.phase, feat.waits), (feat.tried_this_turn, "already_tried", rule)


def climb(rules: Rules, feat: Feat) -> Procedure[Verdict]:
    """A climber's turn on a cliff."""
    away = not touching(rules, feat.edge_in)
    if bar := refused(rules, *_tried(rules, feat, "AM-27"), (away, "not_adjacent", "AM-27")):
        return bar
    roll = yield DiceRequest(Die.D6, 1, "the climber", "the cliff")
    name, row = next((n, r) for n, r in rules.tables.climbing.items() if roll.total in r.faces)
    reasons = (rules.because(row.rule), rules.because("AM-28"))
    return verdict(name, *reasons, dead=row.dead, climbed_in=row.climbed_in, may_attack=False)


def swim(rules: Rules, feat: Feat) -> Procedure[Verdict]:
    """A swimmer's turn in the water."""
    if bar := refused(rules, *_tried(rules, feat, "AM-30")):
        return bar
    roll = yield DiceRequest(Die.D6, 1, "the swimmer", "the water")
    drowned = roll.total == rules.option("drowning_face")
    return verdict("drowned" if drowned else "swims on", rules.because("AM-30"), drowned=drowned)


def paratrooper(rules: Rules, feat: Feat) -> Procedure[Verdict]:
    """The landing place of a paratrooper."""
    if bar := refused(rules, *_tried(rules, feat, "AM-33"), (feat.busy_this_turn, "busy_this_turn", "AM-33")):
        return bar
    roll = yield DiceRequest(Die.D6, 1, "the paratrooper", "the landing")
    direction = next(name for name, row in rules.tables.landing.items() if roll.total in row.faces)
    reasons = [rules.because("AM-31"), rules.because("AM-33")]
    if direction == "on_target":
        return verdict("on target", *reasons, on_target=True, direction=None, offset_in=0)
    feet = yield from _feet_off(rules)
    reasons.append(rules.because("AM-32", f"{feet} ft {direction} of the target"))
    offset_in = feet * INCHES_A_FOOT
    return verdict("off target", *reasons, on_target=False, direction=direction, offset_in=offset_in)


def _feet_off(rules: Rules) -> Procedure[int]:
    most = int(limit(rules, "off_target_ft"))
    request = DiceRequest(Die.D6, 1, "the paratrooper", "how many feet off")
    roll = yield request
    if rules.chooses("paratrooper_feet", "half_rounded_up"):
        return min((roll.total + 1) // 2, most)
    while roll.total > most and rules.chooses("paratrooper_feet", "reroll_above_3"):
        roll = yield request.once_more()
    return min(roll.total, most)


def overrun(
    rules: Rules,
    unit: Annotated[KindName, of_actor(status.kind_name)] = "tank",
    target: Annotated[KindName, of_target(status.kind_name)] = "infantry",
    passes_over_base: bool = True,
) -> Procedure[Verdict]:
    """Whether a soldier under the tracks is eliminated."""
    if unit != "tank" or target != "infantry" or not passes_over_base:
        return forbidden("no_overrun", rules.because("AM-26"), eliminated=False)
    if rules.chooses("overrun", "automatic"):
        return verdict("run over", rules.because("AM-26"), allowed=True, eliminated=True)
    roll = yield two_dice("the tank", "running him over")
    hit = roll.total <= limit(rules, "minefield")
    reason = rules.because("AM-26")
    return verdict("run over" if hit else "escaped", reason, allowed=True, roll=roll.total, eliminated=hit)


def minefield(
    rules: Rules,
    unit: Annotated[KindName, of_actor(status.kind_name)],
    heavy: Annotated[bool, card_says("heavy")] = False,
    attacked_by_mines_this_turn: Annotated[bool, did("minefield")] = False,
) -> Procedure[Verdict]:
    """The mines' attack on one unit."""
    kind = rules.tables.kinds[unit]
    if kind.flies or (attacked_by_mines_this_turn and rules.chooses("minefield_attacks", "once_a_turn")):
        return verdict("untouched", rules.because("AM-70"), hit=False, eliminated=False, roll_needed=False)
    roll = yield two_dice("the minefield", f"the attack on the {unit.replace('_', ' ')}")
    hit = roll.total <= limit(rules, "minefield")
    reasons = [rules.because("AM-70", f"rolled {roll.total}; {limit(rules, 'minefield'):g} or less hits")]
    effect = getattr(rules.tables.effects["land_mine"], kind.target)
    numbers: dict[str, object] = {"roll": roll.total, "hit": hit, "eliminated": hit and effect is Effect.ELIMINATES}
    numbers["second_die"] = hit and effect is Effect.SECOND_DIE and roll.total != NATURAL_TWO
    if hit and effect is Effect.SECOND_DIE and roll.total == NATURAL_TWO:
        numbers |= {"eliminated": True, "hard_result": "destroyed"}
        reasons.append(rules.because("AM-73"))
    elif numbers["second_die"]:
        answer = yield from hard_die(rules, unit, hard_modifiers(rules, "land_mine", unit, Face.FRONT, heavy))
        result = answer.numbers["result"]
        numbers |= {"modified": answer.numbers["modified"], "hard_result": result, "eliminated": result == "destroyed"}
        reasons += answer.reasons
    return Verdict("hit" if hit else "missed", numbers, tuple(reasons))
