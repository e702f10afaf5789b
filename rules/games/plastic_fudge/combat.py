"""Plastic Fudge: attacks, the damage chart, volleys, and the effect of injuries and hand-to-hand on levels."""

# ruff: noqa: N803, N815 - AL, DL, RL and TL are the sheet's own words
from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any

from rules.engine.dice import Procedure
from rules.engine.facts import facts_from
from rules.engine.ruleset import limit, row_title
from rules.engine.schema import Asked, Count, Part, Record
from rules.engine.verdict import Reason, RuleRefusal, Verdict, forbidden, total, verdict
from rules.games.plastic_fudge.tables import (
    Rating,
    ResultName,
    Rules,
    TerrainName,
    UnitName,
    fudge,
    range_bands,
    rating,
    special_of,
    thrown,
)

# The damage chart.


def chart(rules: Rules, attack_total: int, defense_total: int) -> Verdict:
    """A result of the damage chart."""
    result = charted(rules, attack_total, defense_total)
    return verdict(result, *charted_why(rules, attack_total, defense_total, result), result=result)


def charted(rules: Rules, attack_total: int, defense_total: int, rows_down: int = 0) -> str:
    """The result for two totals, those beyond the chart's ends included; `rows_down` reads it so much lower."""
    lowest, highest = int(limit(rules, "abysmal")), int(limit(rules, "legendary"))
    if rules.chooses("off_the_chart", "by_difference"):
        # The same difference, moved to where the chart has it: along its first row, or back along its last.
        difference = min(max(attack_total - defense_total, lowest - highest), highest - lowest)
        defense_total = lowest if difference >= 0 else highest
        attack_total = defense_total + difference
    offence = min(max(attack_total, lowest), highest)
    row_at = min(max(defense_total, lowest), highest) + rows_down
    if row_at > highest:
        return next(iter(rules.tables.results))
    return rules.tables.chart[str(row_at)].results[offence - lowest]


def charted_why(rules: Rules, attack_total: int, defense_total: int, result: str) -> tuple[Reason, Reason]:
    """The look-up and its result in words."""
    look_up = rules.because("PF-49", f"attack {attack_total:+d} against defence {defense_total:+d}: {result}")
    return look_up, rules.because(rules.tables.results[result].rule)


def milder(rules: Rules, attack_total: int, defense_total: int, result: ResultName) -> str:
    """The result one step below, or a row lower on the chart."""
    if rules.chooses("one_level_less", "chart_row"):
        return charted(rules, attack_total, defense_total, rows_down=1)
    steps = list(rules.tables.results)
    return steps[max(0, steps.index(result) - 1)]


# Injuries.


def injuries(rules: Rules, DL: Rating, injuries: Count) -> Verdict:
    """The Defense Level that is left."""
    after, removed = worn(rules, DL, injuries)
    reasons = [rules.because("PF-52", f"{injuries} injuries", -injuries)]
    reasons += [rules.because("PF-54")] if removed else []
    return verdict("removed" if removed else "hurt", *reasons, DL_after=after, removed=removed)


def worn(rules: Rules, level: int, taken: int) -> tuple[int, bool]:
    """The Defense Level after injuries, and whether it is worn down."""
    abysmal = int(limit(rules, "abysmal"))
    after = max(level - taken, min(level, abysmal))
    return after, after <= abysmal


# One attack.

BandsUp = Annotated[int, Asked("How many range bands does the attacker stand higher?")]


class Stance(Record):
    """Where a target stands, seen from the attacker; on a table, `grounds` is all the terrain that it defends in."""

    terrain: TerrainName = "open"
    grounds: tuple[TerrainName, ...] = ()
    height_difference_bands: BandsUp = 0
    attacker_flies: bool = False
    target_flies: bool = False


class Occupant(Record):
    """A trooper inside a vehicle."""

    id: str
    DL: Rating


Occupants = Annotated[tuple[Occupant, ...], Asked("Who is inside the vehicle?")]


class Target(Stance):
    """A unit that is attacked."""

    target_unit: UnitName | None = None
    occupants: Occupants = ()


class Attack(Target):
    """One attack on one unit."""

    attacker_AL: Rating
    defender_DL: Rating
    ranged: bool = False


def attack(rules: Rules, blow: Attack) -> Procedure[Verdict]:
    """Both rolls of an attack and their effects."""
    rolled, _ = yield from fudge(rules, "the attacker", "the attack", attack=True)
    reasons = attack_reasons(rules, blow, blow.attacker_AL, rolled)
    attack_total = int(total(reasons))
    if explodes(rules, blow.target_unit, attack_total, rolled):
        numbers = {"attack_total": attack_total, "result": "KIL", "removed": True, "explodes": True, "disk": "large"}
        return verdict("explodes", *reasons, rules.because("PF-116"), **numbers)
    fell, _ = yield from fudge(rules, "the defender", "the defence")
    defending = defence_reasons(rules, blow, blow.defender_DL, fell, blow.ranged)
    defense_total = int(total(defending))
    result = charted(rules, attack_total, defense_total)
    after, removed = struck(rules, blow.defender_DL, result)
    reasons += [*defending, *charted_why(rules, attack_total, defense_total, result)]
    if removed and not rules.tables.results[result].destroys:
        reasons.append(rules.because("PF-54"))
    numbers = {"attack_total": attack_total, "defense_total": defense_total, "result": result}
    numbers |= {"defender_DL_after": after, "removed": removed}
    if blow.occupants:
        numbers["occupants"] = yield from inside(rules, blow.occupants, attack_total, removed)
        reasons.append(rules.because("PF-70"))
    return verdict(result, *reasons, **numbers)


def attack_reasons(rules: Rules, stance: Stance, level: int, rolled: int) -> list[Reason]:
    """All that an attack total is made of."""
    found = [thrown(rules, "PF-47", rolled), rules.because("PF-11", "the Attack Level", level)]
    up = bands_of_height(rules, stance)
    return found + ([rules.because("PF-43", modifier=up * limit(rules, "height_attack"))] if up > 0 else [])


def defence_reasons(rules: Rules, stance: Stance, level: int, rolled: int, ranged: bool) -> list[Reason]:
    """All that a defence total is made of."""
    found = [thrown(rules, "PF-48", rolled), rules.because("PF-12", "the Defense Level", level)]
    over_it = stance.target_flies and rules.chooses("aircraft_and_ground", "ignored")
    for name in () if over_it else dict.fromkeys((stance.terrain, *stance.grounds)):
        ground = rules.tables.terrain[name]
        if ground.defense and (ranged or not ground.ranged_only):
            found.append(rules.because(ground.rule, f"in {row_title(name)}", ground.defense))
    down = -bands_of_height(rules, stance)
    return found + ([rules.because("PF-42", modifier=down * limit(rules, "height_defense"))] if down > 0 else [])


def stands_in(rules: Rules, parts: Mapping[str, Part]) -> Verdict:
    """The terrain that counts for a figure on a border."""
    unknown = set(parts) - set(rules.tables.terrain)
    if unknown or not parts:
        raise RuleRefusal("unknown_terrain", f"name terrain of the table, not {sorted(unknown)}")
    best = rules.chooses("border_terrain", "best_part")
    touched = [name for name, part in parts.items() if part > 0]
    worth = {name: rules.tables.terrain[name].defense if best else parts[name] for name in touched}
    found = max(worth, key=lambda name: worth[name], default="open")
    return verdict(found, rules.because("PF-28", f"he stands in {row_title(found)}"), terrain=found)


def bands_of_height(rules: Rules, stance: Stance) -> int:
    """How many times the attacker has the bonus of height; negative where the target has it."""
    if (stance.attacker_flies or stance.target_flies) and not rules.option("aircraft_height_bonus"):
        return 0
    bands = stance.height_difference_bands
    return (bands > 0) - (bands < 0) if rules.chooses("height_counts", "flat") else bands


def struck(rules: Rules, level: int, result: str) -> tuple[int, bool]:
    """The Defense Level after a result, and whether the unit is out of play."""
    row = rules.tables.results[result]
    if row.destroys:
        return level, True
    return worn(rules, level, 1) if row.injures else (level, False)


def explodes(rules: Rules, unit: str | None, attack_total: int, rolled: int) -> bool:
    """Whether an attack makes its target's load explode."""
    special = special_of(rules, unit)
    return special is not None and special.explodes and is_legendary(rules, attack_total, rolled)


def is_legendary(rules: Rules, attack_total: int, rolled: int) -> bool:
    """Whether an attack counts as Legendary."""
    return (attack_total if rules.chooses("legendary", "total") else rolled) >= limit(rules, "legendary")


def is_abysmal(rules: Rules, attack_total: int, all_minus: bool) -> bool:
    """Whether an attack counts as Abysmal."""
    return all_minus if rules.chooses("abysmal", "bare_dice") else attack_total <= limit(rules, "abysmal")


def inside(
    rules: Rules, men: tuple[Occupant, ...], attack_total: int, wrecked: bool
) -> Procedure[list[dict[str, Any]]]:
    """The fate of the men in a vehicle that was attacked."""
    found = []
    for man in men:
        result = "--"
        if wrecked and rules.chooses("occupants", "destroyed"):
            result = "KIL"
        elif wrecked and rules.chooses("occupants", "roll_each"):
            fell, _ = yield from fudge(rules, man.id, "getting out of the wreck")
            result = charted(rules, attack_total, fell + man.DL)
        after, removed = struck(rules, man.DL, result)
        found.append({"id": man.id, "result": result, "DL_after": after, "removed": removed})
    return found


# A volley: attacks that are resolved at the same time.


class Exchange(Target):
    """One attack of a volley."""

    from_: str
    to: str
    AL: Rating
    DL: Rating
    ranged: bool | None = None


class Volley(Record):
    """Every attack declared, before any is rolled."""

    attacks: tuple[Exchange, ...]
    ranged: bool = False


def volley(rules: Rules, declared: Volley) -> Procedure[Verdict]:
    """All attacks at once: the destroyed still make theirs."""
    made = Counter(one.from_ for one in declared.attacks)
    if twice := [name for name, count in made.items() if count > limit(rules, "attacks_a_turn")]:
        return forbidden("already_attacked", rules.because("PF-45", f"{twice[0]} attacks more than once"))
    taken: Counter[str] = Counter()
    killed: set[str] = set()
    exploded: set[str] = set()
    results, reasons = [], [rules.because("PF-46")]
    for one in declared.attacks:
        ranged, level = declared.ranged if one.ranged is None else one.ranged, in_volley(rules, one.DL, taken[one.to])
        blow = facts_from(Attack, one, attacker_AL=one.AL, defender_DL=level, ranged=ranged)
        answer = yield from attack(rules, blow)
        result = answer.numbers["result"]
        results.append(result)
        taken[one.to] += rules.tables.results[result].injures
        killed |= {one.to} if rules.tables.results[result].destroys else set()
        killed |= {man["id"] for man in answer.numbers.get("occupants", ()) if man["removed"]}
        exploded |= {one.to} if answer.numbers.get("explodes") else set()
        reasons += [rules.because("PF-46", f"{one.from_} at {one.to}:"), *answer.reasons]
    levels = {one.to: one.DL for one in declared.attacks}
    struck_units = [Struck(id=name, DL=levels[name], injuries=taken[name], killed=name in killed) for name in levels]
    ends = casualties(rules, units=tuple(struck_units)).numbers
    destroyed = sorted(killed | set(ends["destroyed"]))
    numbers = {"results": results, "destroyed": destroyed, "exploded": sorted(exploded), "DL_after": ends["DL_after"]}
    return verdict("volley", *reasons, **numbers)


def in_volley(rules: Rules, level: int, injured: int) -> int:
    """The level on which a unit defends that was injured so often by attacks resolved at the same time."""
    return level if rules.chooses("several_injuries", "from_start") else worn(rules, level, injured)[0]


class Struck(Record):
    """What attacks at the same time did to one unit: the level it had before, its injuries, whether one killed."""

    id: str
    DL: Rating
    injuries: Count = 0
    killed: bool = False


def casualties(rules: Rules, units: tuple[Struck, ...]) -> Verdict:
    """The casualties of simultaneous attacks, and the remaining levels of the survivors."""
    levels = {one.id: worn(rules, one.DL, one.injuries) for one in units}
    worn_down = {name for name, (_, removed) in levels.items() if removed}
    killed = {one.id for one in units if one.killed}
    reasons = [rules.because("PF-46")]
    reasons += [rules.because("PF-53", f"{name} is destroyed") for name in sorted(killed)]
    reasons += [rules.because("PF-54", f"{name} is worn down") for name in sorted(worn_down - killed)]
    hurt = [one for one in units if one.injuries and one.id not in killed | worn_down]
    reasons += [rules.because("PF-52", f"{one.id} is hurt", -one.injuries) for one in hurt]
    gone, after = sorted(killed | worn_down), {name: level for name, (level, _) in levels.items()}
    return verdict(f"{len(gone)} destroyed", *reasons, destroyed=gone, DL_after=after)


# Hand-to-hand.


def hand_to_hand_levels(
    rules: Rules,
    unit: UnitName,
    AL: Rating | None = None,
    RL: Rating | None = None,
    DL: Rating | None = None,
    rounds_since: Annotated[Count, Asked("How many rounds ago was he attacked hand to hand?")] = 0,
) -> Verdict:
    """The levels of a unit that is attacked hand to hand, by default its first weapon's, and its reach."""
    card = rules.tables.cards[unit]
    attack_level = rating(rules, card.AL[0]) if AL is None else AL
    range_level = rating(rules, card.RL[0]) if RL is None else RL
    levels = (attack_level, range_level, DL)
    changed = by_hand(rules, unit, *levels, rounds_since)
    attack_level, range_level, defence_level = changed
    numbers = {"AL": attack_level, "RL": range_level, "range_bands": range_bands(rules, range_level)}
    if defence_level is not None:
        numbers["DL"] = defence_level
    special = special_of(rules, unit)
    if special is None or changed == levels:
        return verdict("unchanged", rules.because("PF-A41", "hand-to-hand changes nothing for him"), **numbers)
    return verdict("changed", rules.because(special.hand_to_hand.rule), **numbers)


def by_hand(
    rules: Rules, unit: str, attack_level: int, range_level: int, defence_level: int | None, rounds_since: int = 0
) -> tuple[int, int, int | None]:
    """AL, RL and DL of a unit that is attacked hand to hand."""
    special = special_of(rules, unit)
    over = rounds_since > 0 and rules.chooses("hand_to_hand_lasts", "round")
    if special is None or over or (special.fixed and rules.chooses("fifty_cal_hand_to_hand", "moves_as_mortar")):
        return attack_level, range_level, defence_level
    change, raises = special.hand_to_hand, rules.option("knife_raises")
    gains = change.AL > 0
    if gains and raises != "AL" and defence_level is not None:
        defence_level += change.AL
    return attack_level + (0 if gains and raises == "DL" else change.AL), range_level + change.RL, defence_level
