"""Army Men: how far a unit goes, and what happens on the way."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from rules.call import within
from rules.dice import DiceRequest, Die, Procedure
from rules.game import Answer, NoFacts
from rules.games.army_men_attack import NATURAL_TWO, TWO_DICE
from rules.games.army_men_hard import hard_die, hard_modifiers
from rules.games.army_men_tables import (
    INCHES_A_FOOT,
    Blocked,
    Effect,
    Face,
    Halving,
    KindName,
    Rules,
    WeaponName,
    limit,
)
from rules.going import IMPASSABLE, Gait, Going
from rules.table import TerrainKind, TerrainPiece
from rules.typed import Asked, Count, Inches, Row
from rules.verdict import Reason, Verdict, forbidden, verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A unit's whole move under one set of conditions."""

    unit: KindName
    weapon: WeaponName | None = None
    mounted: bool = False
    uphill: Annotated[bool, Asked("Does the move go uphill?")] = False
    rough: bool = False
    on_road: bool = False
    turns: bool = False
    turret_turns: bool = False
    swimming: Annotated[bool, Asked("Does he swim?")] = False
    dropped_this_turn: bool = False
    immobilized: bool = False
    crew: Count | None = None
    towed: bool = False


def move_allowance(rules: Rules, move: Move) -> Verdict:
    """How far a unit may go."""
    kind = rules.tables.kinds[move.unit]
    if move.dropped_this_turn:
        return forbidden("dropped_this_turn", rules.because("AM-33"), distance_in=0)
    if move.immobilized:
        return forbidden("immobilized", rules.because("AM-95"), distance_in=0)
    if kind.flies and rules.chooses("plane_moves", "anywhere"):
        return verdict("anywhere", rules.because(kind.rule, "planes are placed anywhere"), distance_in=None)
    base = _base(rules, move)
    factors = [rules.because(row.rule, row.text, row.factor) for row in _slowed_by(rules, move)]
    if move.weapon and not kind.vehicle and not move.mounted and rules.tables.weapons[move.weapon].half_move:
        carried = f"carrying the {move.weapon.replace('_', ' ')}"
        factors.append(rules.because(rules.tables.weapons[move.weapon].rule, carried, limit(rules, "half_move")))
    if rules.chooses("halvings", "once"):
        factors = factors[:1]
    distance_in = (base.modifier or 0) * math.prod(factor.modifier or 1 for factor in factors)
    free = [rules.because("AM-25")] if move.turret_turns else []
    return verdict("may move", base, *factors, *free, distance_in=distance_in)


def _base(rules: Rules, move: Move) -> Reason:
    kind = rules.tables.kinds[move.unit]
    if move.swimming and not kind.vehicle:
        return rules.because("AM-29", modifier=limit(rules, "swimming_in"))
    if move.towed:
        return rules.because("AM-A44", "towed by a truck or jeep", rules.tables.kinds["truck"].move_in)
    if move.on_road and kind.road_in is not None:
        return rules.because("AM-23", modifier=kind.road_in)
    text = f"the {move.unit.replace('_', ' ')} moves {kind.move_in:g} in"
    return rules.because("AM-20" if kind.vehicle else kind.rule, text, kind.move_in)


def _slowed_by(rules: Rules, move: Move) -> list[Halving]:
    kind = rules.tables.kinds[move.unit]
    return [
        row
        for row in rules.tables.halvings.values()
        if getattr(move, row.fact)
        and (kind.vehicle or not row.vehicles_only)
        and (not row.kinds or move.unit in row.kinds)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A part of a path on one kind of ground."""

    inches: Inches
    uphill: bool = False
    rough: bool = False
    on_road: bool = False
    swimming: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """A move over several kinds of ground; a tank says how often it turns, or only that it does."""

    unit: KindName
    path: tuple[Stretch, ...]
    weapon: WeaponName | None = None
    direction_changes: Count = 0
    turns: bool = False
    dropped_this_turn: bool = False
    immobilized: bool = False


def move(rules: Rules, path: Path) -> Verdict:
    """Whether a measured path is within the allowance: slow ground takes more of it for each inch."""
    all_road = bool(path.path) and all(part.on_road for part in path.path)
    turns = path.turns or path.direction_changes > 0
    stuck = {"dropped_this_turn": path.dropped_this_turn, "immobilized": path.immobilized}
    whole = move_allowance(rules, Move(unit=path.unit, weapon=path.weapon, on_road=all_road, turns=turns, **stuck))
    if not whole.allowed:
        return whole
    allowance_in = whole.numbers["distance_in"]
    if allowance_in is None:
        return verdict("legal", *whole.reasons, legal=True, cost_in=0.0, allowance_in=None, left_in=None)
    if path.unit == "tank" and rules.chooses("tank_turns", "each_time"):
        allowance_in *= rules.tables.halvings["turning"].factor ** max(0, path.direction_changes - 1)
    open_in = _pace_in(rules, Move(unit=path.unit, on_road=all_road))
    cost_in = sum(_cost_in(rules, path.unit, part, open_in, all_road) for part in path.path)
    legal = within(cost_in, allowance_in)
    left_in = max(0.0, allowance_in - cost_in)
    outcome = "legal" if legal else "too far"
    numbers = {"legal": legal, "cost_in": cost_in, "allowance_in": allowance_in, "left_in": left_in}
    return Verdict(outcome, numbers, whole.reasons)


def _cost_in(rules: Rules, unit: str, part: Stretch, open_in: float, all_road: bool) -> float:
    """What a stretch takes from the allowance: as many times its length as it slows the unit down."""
    on_road = part.on_road and (all_road or rules.chooses("road_bonus", "road_part"))
    here = Move(unit=unit, uphill=part.uphill, rough=part.rough, swimming=part.swimming, on_road=on_road)
    return part.inches * open_in / _pace_in(rules, here) if open_in else part.inches


def _pace_in(rules: Rules, here: Move) -> float:
    """How far the unit would come in a turn on this ground alone."""
    return float(move_allowance(rules, here).numbers["distance_in"])


def gait(rules: Rules, unit: str) -> Gait:
    """How a unit walks the measured table, for `rules.movement.walk`."""
    kind = rules.tables.kinds[unit]
    rough = Going(cost_per_in=1 / rules.tables.halvings["rough"].factor) if kind.vehicle else Going()
    swum = IMPASSABLE if kind.vehicle else Going(cost_per_in=kind.move_in / limit(rules, "swimming_in"))
    grounds = {
        TerrainKind.ROUGH: rough,
        TerrainKind.WOODS: rough if rules.chooses("prop_effects", "sensible") else Going(),
        TerrainKind.WATER: swum,
        TerrainKind.HILL: Going(on_top=True),
        TerrainKind.BRIDGE: Going(on_top=True),
        TerrainKind.WIRE: Going() if kind.vehicle else IMPASSABLE,
        TerrainKind.TANK_OBSTACLE: IMPASSABLE if kind.vehicle else Going(),
        TerrainKind.BUILDING: IMPASSABLE,
        TerrainKind.BUNKER: IMPASSABLE,
        TerrainKind.WALL: IMPASSABLE,
    }

    def going(piece: TerrainPiece) -> Going:
        return grounds.get(piece.kind, Going())

    return Gait(going, uphill_factor=1 / rules.tables.halvings["uphill"].factor)


# Dice on the way.


def climb(rules: Rules, _: NoFacts) -> Procedure[Verdict]:
    """A climber's turn on a cliff."""
    roll = yield DiceRequest(Die.D6, 1, "the climber", "the cliff")
    name, row = next((n, r) for n, r in rules.tables.climbing.items() if roll.total in r.faces)
    reasons = (rules.because(row.rule), rules.because("AM-28"))
    return verdict(name, *reasons, dead=row.dead, climbed_in=row.climbed_in, may_attack=False)


def swim(rules: Rules, _: NoFacts) -> Procedure[Verdict]:
    """A swimmer's turn in the water."""
    roll = yield DiceRequest(Die.D6, 1, "the swimmer", "the water")
    drowned = roll.total == rules.option("drowning_face")
    return verdict("drowned" if drowned else "swims on", rules.because("AM-30"), drowned=drowned)


def paratrooper(rules: Rules, _: NoFacts) -> Procedure[Verdict]:
    """Where a paratrooper lands."""
    roll = yield DiceRequest(Die.D6, 1, "the paratrooper", "the landing")
    direction = next(name for name, row in rules.tables.landing.items() if roll.total in row.faces)
    reasons = [rules.because("AM-31"), rules.because("AM-33")]
    if direction == "on_target":
        return verdict("on target", *reasons, on_target=True, direction=None, offset_in=0)
    feet = yield from _feet_off(rules)
    return verdict(
        "off target",
        *reasons,
        rules.because("AM-32", f"{feet} ft {direction} of the target"),
        on_target=False,
        direction=direction,
        offset_in=feet * INCHES_A_FOOT,
    )


def _feet_off(rules: Rules) -> Procedure[int]:
    most = int(limit(rules, "off_target_ft"))
    request = DiceRequest(Die.D6, 1, "the paratrooper", "how many feet off")
    roll = yield request
    if rules.chooses("paratrooper_feet", "half_rounded_up"):
        return min((roll.total + 1) // 2, most)
    while roll.total > most and rules.chooses("paratrooper_feet", "reroll_above_3"):
        roll = yield request.once_more()
    return min(roll.total, most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrun:
    """A tank that drives over an enemy's base."""

    unit: KindName = "tank"
    target: KindName = "infantry"
    passes_over_base: bool = True


def overrun(rules: Rules, run: Overrun) -> Answer:
    """Whether the man under the tracks is lost."""
    if run.unit != "tank" or run.target != "infantry" or not run.passes_over_base:
        return forbidden("no_overrun", rules.because("AM-26"), eliminated=False)
    if rules.chooses("overrun", "automatic"):
        return verdict("run over", rules.because("AM-26"), allowed=True, eliminated=True)
    return _run_at(rules)


def _run_at(rules: Rules) -> Procedure[Verdict]:
    roll = yield DiceRequest(Die.D6, TWO_DICE, "the tank", "running him over")
    hit = roll.total <= limit(rules, "minefield")
    reason = rules.because("AM-26")
    return verdict("run over" if hit else "escaped", reason, allowed=True, roll=roll.total, eliminated=hit)


@dataclass(frozen=True, slots=True, kw_only=True)
class InMinefield:
    """A unit that moves in a minefield."""

    unit: KindName
    heavy: bool = False
    attacked_by_mines_this_turn: bool = False


def minefield(rules: Rules, unit: InMinefield) -> Answer:
    """The mines' attack on one unit."""
    if rules.tables.kinds[unit.unit].flies:
        return verdict("untouched", rules.because("AM-70"), hit=False, eliminated=False, roll_needed=False)
    if unit.attacked_by_mines_this_turn and rules.chooses("minefield_attacks", "once_a_turn"):
        return verdict("untouched", rules.because("AM-70"), hit=False, eliminated=False, roll_needed=False)
    return _mines(rules, unit)


def _mines(rules: Rules, unit: InMinefield) -> Procedure[Verdict]:
    kind = rules.tables.kinds[unit.unit]
    roll = yield DiceRequest(Die.D6, TWO_DICE, "the minefield", f"the attack on the {unit.unit.replace('_', ' ')}")
    hit = roll.total <= limit(rules, "minefield")
    reasons = [rules.because("AM-70", f"rolled {roll.total}; {limit(rules, 'minefield'):g} or less hits")]
    effect = getattr(rules.tables.effects["land_mine"], kind.target)
    numbers: dict[str, object] = {"roll": roll.total, "hit": hit, "eliminated": hit and effect is Effect.ELIMINATES}
    numbers["second_die"] = hit and effect is Effect.SECOND_DIE and roll.total != NATURAL_TWO
    if hit and effect is Effect.SECOND_DIE and roll.total == NATURAL_TWO:
        numbers |= {"eliminated": True, "hard_result": "destroyed"}
        reasons.append(rules.because("AM-73"))
    elif numbers["second_die"]:
        answer = yield from hard_die(
            rules, unit.unit, hard_modifiers(rules, "land_mine", unit.unit, Face.FRONT, unit.heavy)
        )
        result = answer.numbers["result"]
        numbers |= {"modified": answer.numbers["modified"], "hard_result": result, "eliminated": result == "destroyed"}
        reasons += answer.reasons
    return Verdict("hit" if hit else "missed", numbers, tuple(reasons))


@dataclass(frozen=True, slots=True, kw_only=True)
class InTheWay:
    """A unit before an obstacle."""

    obstacle: Annotated[str, Row("obstacles", "unknown_obstacle")]
    unit: KindName


def blocks(rules: Rules, meeting: InTheWay) -> Verdict:
    """Whether an obstacle stops a unit."""
    row, kind = rules.tables.obstacles[meeting.obstacle], rules.tables.kinds[meeting.unit]
    stopped = not kind.flies and kind.vehicle == (row.blocks is Blocked.VEHICLES)
    return verdict("blocked" if stopped else "passes", rules.because(row.rule), blocked=stopped)
