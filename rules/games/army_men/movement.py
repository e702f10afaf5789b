"""Army Men: moves, and what is rolled for during them: cliffs, water, landings, overruns by tanks, and mines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated

from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.facts import PHASE, Source, of_actor
from rules.engine.position import Position
from rules.engine.ruleset import Bar, limit, refused
from rules.engine.schema import Asked, Count, Inches, Record, Row
from rules.engine.state import Unit
from rules.engine.verdict import ACTORS, Reason, StatusEffect, Verdict, forbidden, verdict
from rules.games.army_men import status
from rules.games.army_men.attack import NATURAL_TWO, two_dice
from rules.games.army_men.hard import hard_die, hard_modifiers
from rules.games.army_men.status import Stretch, card_says, did, gap, has, of_target
from rules.games.army_men.tables import (
    INCHES_A_FOOT,
    MOVING,
    Blocked,
    Effect,
    Face,
    Halving,
    KindName,
    Rules,
    WeaponName,
    in_phase,
    touching,
)
from rules.tabletop.table import TerrainKind
from rules.tabletop.tolerance import within


class Move(Record):
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
    stays = (move.dropped_this_turn, "dropped_this_turn", "AM-33"), (move.immobilized, "immobilized", "AM-95")
    if bar := refused(rules, *stays, distance_in=0):
        return bar
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


Waits = Annotated[bool, of_actor(status.waits)]
"""Whether another player moves now."""
ThisPhase = Annotated[str | None, PHASE]
"""The phase, if it matters."""
IsCasualty = Annotated[bool, of_actor(status.casualty)]
"""Whether the unit that acts is one."""


def waiting(waits: bool) -> Bar:
    """The reason that forbids an action while another player moves."""
    return waits, "not_his_move", "AM-06", "another player moves now"


def rests(casualty: bool) -> Bar:
    """The reason that forbids the actions of a casualty."""
    return casualty, "casualty", "AM-17"


def out_of_turn(rules: Rules, phase: str | None, waits: bool) -> tuple[Bar, Bar]:
    """The reason that forbids an action outside the player's own movement phase."""
    early = not in_phase(rules, phase, MOVING)
    return (early, "wrong_phase", "AM-12", "units move in the phase of movement only"), waiting(waits)


def _unmanned(position: Position, unit: Unit) -> bool:
    """Whether it is a gun that its crew cannot push; a truck tows it without them."""
    rows, crew = status.weapons(position, unit).values(), status.crew_of(position, unit)
    gun = status.kind(position, unit).target == "cannon" and not status.is_towed(position, unit)
    short = crew is not None and any(crew < row.crew for row in rows)
    return gun and short and bool(position.game.rules.chooses("short_crew", "cannot_attack"))


class Path(Record):
    """A move over several kinds of ground; for a tank, with the number of turns, or whether it turns.

    Attributes:
        used_in: What earlier moves of this turn took of the allowance.
        turns: Whether a tank turns; asked where its facing before the move is unknown.
        aboard: He is inside a vehicle or pillbox.
        in_the_air: He has a parachute and has not landed.
        on_the_cliff: He hangs between foot and top of a cliff.
        climbed_this_turn: He has tried to climb, which was his move.
        cleared_this_turn: He has destroyed an obstacle, for which an engineer stays where he is.
        unmanned: It is a gun with less than its crew.
        blocked_by: What stands on the way that does not let it pass.
        by_wreck: That is a wrecked vehicle.
        towed: It is a gun behind a truck or jeep.
        leaves_tractor: It is one that is moved away from it.
    """

    unit: Annotated[KindName, of_actor(status.kind_name)]
    path: tuple[Stretch, ...]
    waits: Waits = False
    phase: ThisPhase = None
    casualty: IsCasualty = False
    weapon: Annotated[WeaponName | None, of_actor(status.weapon_with("half_move"))] = None
    direction_changes: Count = 0
    turns: Annotated[bool, Asked("Does the tank turn before, during or after this move?")] = False
    dropped_this_turn: Annotated[bool, of_actor(status.dropped)] = False
    immobilized: Annotated[bool, has(status.IMMOBILIZED)] = False
    glued: Annotated[bool, has(status.GLUED)] = False
    used_in: Annotated[Inches, Source(lambda context: round(context.actor.allowance_used_in, 2))] = 0
    aboard: Annotated[bool, of_actor(status.aboard)] = False
    in_the_air: Annotated[bool, of_actor(status.in_the_air)] = False
    on_the_cliff: Annotated[bool, has(status.CLIMBED)] = False
    climbed_this_turn: Annotated[bool, did("climb")] = False
    cleared_this_turn: Annotated[bool, did("destroy_obstacle")] = False
    unmanned: Annotated[bool, of_actor(_unmanned)] = False
    blocked_by: TerrainKind | None = None
    by_wreck: bool = False
    towed: Annotated[bool, of_actor(status.is_towed)] = False
    leaves_tractor: bool = False


def move(rules: Rules, path: Path) -> Verdict:
    """Whether a measured path is within the allowance; slow ground costs more for each inch."""
    stays: list[Bar] = [(getattr(path, code), code, *why) for code, why in STAYS.items()]
    return refused(rules, *stays, *out_of_turn(rules, path.phase, path.waits)) or _priced(rules, path)


STAYS: Mapping[str, tuple[str] | tuple[str, str]] = {
    "casualty": ("AM-17",),
    "glued": ("AM-62", "it is glued to its place"),
    "aboard": ("AM-112", "the men inside get out before they walk"),
    "in_the_air": ("AM-33", "a paratrooper lands before he does anything else"),
    "on_the_cliff": ("AM-27", "a man on a cliff goes on climbing"),
    "climbed_this_turn": ("AM-27", "a man who climbs does not walk on in that turn"),
    "cleared_this_turn": ("AM-67",),
    "unmanned": ("AM-A44", "a gun is pushed by its full crew"),
    "leaves_tractor": ("AM-A44", "a gun in tow stays behind its truck or jeep: unhitch it first"),
}
"""The facts of a path that keep a unit where it is, each with its rule."""


def _priced(rules: Rules, path: Path) -> Verdict:
    all_road = bool(path.path) and all(part.on_road for part in path.path)
    turns = path.turns or path.direction_changes > 0
    stuck = {"dropped_this_turn": path.dropped_this_turn, "immobilized": path.immobilized}
    under = {"on_road": all_road, "towed": path.towed}
    start = Move(unit=path.unit, weapon=path.weapon, turns=turns, **under, **stuck)
    if not (whole := move_allowance(rules, start)).allowed:
        return whole
    if path.blocked_by is not None:
        wreck = rules.because("AM-18", "there is no way through the wreck") if path.by_wreck else None
        return forbidden("blocked", wreck or _in_the_way(rules, path.blocked_by))
    allowance_in = whole.numbers["distance_in"]
    if allowance_in is None:
        return verdict("legal", *whole.reasons, legal=True, cost_in=0.0, allowance_in=None, left_in=None)
    if path.unit == "tank" and rules.chooses("tank_turns", "each_time"):
        allowance_in *= rules.tables.halvings["turning"].factor ** max(0, path.direction_changes - 1)
    open_in = _pace_in(rules, Move(unit=path.unit, on_road=all_road))
    halved = rules.chooses("halvings", "once") and allowance_in < (_base(rules, start).modifier or 0)
    parts = [replace(part, uphill=False, rough=False) for part in path.path] if halved else path.path
    cost_in = sum(_cost_in(rules, path.unit, part, open_in, all_road) for part in parts)
    left_in = allowance_in - path.used_in - cost_in
    legal = within(0.0, left_in)
    numbers = {"legal": legal, "cost_in": cost_in, "allowance_in": allowance_in, "left_in": max(0.0, left_in)}
    reasons = (*whole.reasons, *_slow_ground(rules, path.unit, parts))
    if legal:
        return Verdict("legal", numbers, reasons)
    too_long = not within(sum(part.inches for part in parts), allowance_in - path.used_in)
    return Verdict(
        "too far", {"allowed": False, "reason": "too_far", **numbers}, whole.reasons if too_long else reasons
    )


def _slow_ground(rules: Rules, unit: str, parts: Iterable[Stretch]) -> Iterable[Reason]:
    """The rules of the ground that slows a unit on its path."""
    found: list[Reason] = []
    for part in parts:
        here = Move(unit=unit, uphill=part.uphill, rough=part.rough, swimming=part.swimming)
        slow = _slowed_by(rules, here)
        found += [rules.because(row.rule, f"{row.text}: an inch costs {1 / row.factor:g}") for row in slow]
        found += [rules.because("AM-29")] if part.swimming and not rules.tables.kinds[unit].vehicle else []
    return dict.fromkeys(found)


def _in_the_way(rules: Rules, kind: TerrainKind) -> Reason:
    if kind is TerrainKind.MOUNTAIN:
        return rules.because("AM-27", "soldiers climb a cliff; they cannot walk up")
    obstacle = next((row.rule for row in rules.tables.obstacles.values() if row.terrain is kind), "AM-11")
    return rules.because(obstacle, f"there is no way through the {kind.replace('_', ' ')}")


def march(rules: Rules, paths: Mapping[str, Path]) -> Verdict:
    """Whether all of them may; otherwise the verdict of the first that may not."""
    answers = {name: move(rules, path) for name, path in paths.items()}
    each = {name: dict(answer.numbers) for name, answer in answers.items()}
    for name, answer in answers.items():
        if not answer.allowed:
            return Verdict(answer.outcome, {**answer.numbers, "each": each, "unit": name}, answer.reasons)
    reasons = dict.fromkeys(reason for answer in answers.values() for reason in answer.reasons)
    return verdict("legal", *reasons, legal=True, each=each)


def _cost_in(rules: Rules, unit: str, part: Stretch, open_in: float, all_road: bool) -> float:
    """The cost of a stretch: its length times the factor by which it slows the unit."""
    on_road = part.on_road and (all_road or rules.chooses("road_bonus", "road_part"))
    here = Move(unit=unit, uphill=part.uphill, rough=part.rough, swimming=part.swimming, on_road=on_road)
    return part.inches * open_in / _pace_in(rules, here) if open_in else part.inches


def _pace_in(rules: Rules, here: Move) -> float:
    """How far the unit would come in a turn on this ground alone."""
    return float(move_allowance(rules, here).numbers["distance_in"])


def board(
    rules: Rules,
    vehicle: Annotated[KindName, of_target(status.kind_name)],
    waits: Waits = False,
    phase: ThisPhase = None,
    casualty: IsCasualty = False,
    edge_in: Annotated[Inches, gap()] = 0,
    held: Annotated[bool, has(status.GLUED)] = False,
    flying: Annotated[bool, of_target(status.flies)] = False,
) -> Verdict:
    """Whether the soldier may board or leave."""
    carries, name = rules.tables.kinds[vehicle].carries, vehicle.replace("_", " ")
    beside = ("AM-112", "one gets in and out from beside it")
    bar = refused(
        rules,
        rests(casualty),
        (not carries, "carries_nobody", "AM-112", f"no figure can get into the {name}"),
        (held, "glued", "AM-62"),
        (flying, "flying", "AM-A46", f"the {name} has to land first"),
        *out_of_turn(rules, phase, waits),
        (not touching(rules, edge_in), "not_adjacent", *beside),
    )
    return bar or verdict("boards", rules.because(*beside), allowed=True)


def turn_turret(
    rules: Rules,
    waits: Waits = False,
    phase: ThisPhase = None,
    casualty: IsCasualty = False,
    unit: Annotated[KindName, of_actor(status.kind_name)] = "tank",
) -> Verdict:
    """Whether the turret may be turned now."""
    bar = refused(rules, rests(casualty), *out_of_turn(rules, phase, waits))
    return bar or verdict("turned", rules.because("AM-25"))


def land(
    rules: Rules,
    unit: Annotated[KindName, of_actor(status.kind_name)],
    landed: Annotated[bool, of_actor(status.on_the_ground)] = False,
    waits: Waits = False,
    phase: ThisPhase = None,
    casualty: IsCasualty = False,
) -> Verdict:
    """Whether an aircraft may land; it flies again as soon as it moves."""
    grounded, text = not rules.tables.kinds[unit].flies, f"the {unit.replace('_', ' ')} does not fly"
    here = (grounded, "no_aircraft", "AM-A46", text), (landed, "landed", "AM-A46", "it has landed")
    found = verdict("landed", rules.because("AM-A46", "it stands on the ground"))
    bar = refused(rules, rests(casualty), *here, *out_of_turn(rules, phase, waits))
    return bar or found.causing(StatusEffect(ACTORS, status.LANDED, rule="AM-A46"))


TRACTORS = ("truck", "jeep")
"""What tows a gun (AM-A44)."""


def hitch(
    rules: Rules,
    vehicle: Annotated[KindName, of_actor(status.kind_name)],
    gun: Annotated[KindName, of_target(status.kind_name)],
    waits: Waits = False,
    phase: ThisPhase = None,
    edge_in: Annotated[Inches, gap()] = 0,
    glued: Annotated[bool, has(status.GLUED, of_target)] = False,
) -> Verdict:
    """Whether a vehicle may take a gun in tow, or let go of it."""
    tractor, towed = vehicle.replace("_", " "), gun.replace("_", " ")
    unfit = vehicle not in TRACTORS or rules.tables.kinds[gun].target != "cannon"
    no_tow = (unfit, "does_not_tow", "AM-A44", f"the {tractor} does not tow the {towed}")
    apart = (not touching(rules, edge_in), "not_adjacent", "AM-89", f"the {towed} is hitched up from beside it")
    stuck = (glued, "glued", "AM-62", f"the {towed} is glued to its place")
    bar = refused(rules, no_tow, apart, stuck, *out_of_turn(rules, phase, waits))
    return bar or verdict("hitched", rules.because("AM-A44", f"the {tractor} tows the {towed}"))


def blocks(rules: Rules, obstacle: Annotated[str, Row("obstacles", "unknown_obstacle")], unit: KindName) -> Verdict:
    """Whether an obstacle stops a unit."""
    row, kind = rules.tables.obstacles[obstacle], rules.tables.kinds[unit]
    stopped = not kind.flies and kind.vehicle == (row.blocks is Blocked.VEHICLES)
    return verdict("blocked" if stopped else "passes", rules.because(row.rule), blocked=stopped)


# Rolls during a move.


class Feat(Record):
    """A feat during a move, once a turn; a landing comes before all other actions of the turn."""

    waits: Waits = False
    phase: ThisPhase = None
    tried_this_turn: bool = False
    busy_this_turn: bool = False
    edge_in: Annotated[Inches, gap()] = 0
    glued: Annotated[bool, has(status.GLUED)] = False


def _tried(rules: Rules, feat: Feat, rule: str) -> tuple[Bar, ...]:
    return *out_of_turn(rules, feat.phase, feat.waits), (feat.tried_this_turn, "already_tried", rule)


def climb(rules: Rules, feat: Feat) -> Procedure[Verdict]:
    """A climber's turn on a cliff."""
    stuck = (feat.glued, "glued", *STAYS["glued"])
    away = (not touching(rules, feat.edge_in), "not_adjacent", "AM-27")
    if bar := refused(rules, *_tried(rules, feat, "AM-27"), stuck, away):
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
