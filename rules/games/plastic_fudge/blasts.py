"""Plastic Fudge: blasts, holes in bases, mines and their sweeping, and whole attacks on the measured table."""

# ruff: noqa: N803, N815 - AL, DL, RL and TL are the sheet's own words
from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from rules.engine.dice import Procedure
from rules.engine.facts import facts_from
from rules.engine.ruleset import limit, row_title
from rules.engine.schema import Asked, Count, Inches, Part, Record
from rules.engine.verdict import Reason, RuleRefusal, Verdict, forbidden, total, verdict
from rules.games.plastic_fudge import combat
from rules.games.plastic_fudge.fire import Request, attack_request, hand_to_hand, reach_in, weapon_of
from rules.games.plastic_fudge.tables import (
    LevelName,
    Rating,
    ResultName,
    Rules,
    TerrainName,
    WeaponName,
    called,
    fudge,
    rating,
    thrown,
)
from rules.tabletop.tolerance import within

HALF = 0.5
NONE, STEP, ALL = "outside", "partly", "wholly"


def disk(rules: Rules, attack: str) -> Verdict:
    """The template that an attack lays on the table; None if it lays none."""
    tables = rules.tables
    card = tables.cards.get(attack)
    name = card.weapons[0] if card and card.weapons and attack not in tables.weapons else attack
    if name not in tables.weapons:
        raise RuleRefusal("unknown_weapon", f"no weapon is called {attack!r}: {', '.join(tables.weapons)}")
    weapon = tables.weapons[name]
    if weapon.template is None:
        return verdict("none", rules.because(weapon.rule), disk=None)
    shape = tables.templates[weapon.template]
    known = {size: value for size, value in asdict(shape).items() if size != "rule" and value is not None}
    reasons = (rules.because(weapon.rule), rules.because(shape.rule))
    return verdict(weapon.template, *reasons, disk=weapon.template, **known)


def bazooka_on_base(rules: Rules) -> Verdict:
    """The effect of a bazooka on a base."""
    reasons = (rules.because("PF-80"), rules.because("PF-81"))
    across_in = rules.tables.templates["small"].diameter_in
    return verdict("hole", *reasons, removes="small_disk_hole", diameter_in=across_in)


# Who is in a blast, and what it does.


def explosion_result(rules: Rules, attack_total: int, defense_total: int, fraction: Part) -> Verdict:
    """The effect of a blast on a target, even a half-covered one."""
    extent, why = covered(rules, fraction)
    if extent == NONE:
        return verdict("unaffected", why, affected=False)
    result, steps = _blasted(rules, attack_total, defense_total, extent)
    return verdict(result, why, *steps, affected=True, result=result)


def covered(rules: Rules, fraction: float) -> tuple[str, Reason]:
    """Whether a base counts as outside, partly or wholly in an area."""
    partly = fraction > 0 if rules.chooses("partly_inside", "any_part") else within(HALF, fraction)
    text = f"{fraction:.0%} of the base is in the area"
    if within(1, fraction):
        return ALL, rules.because("PF-76", text)
    return (STEP, rules.because("PF-77", text)) if partly else (NONE, rules.because("PF-78", text))


def _blasted(rules: Rules, attack_total: int, defense_total: int, extent: str) -> tuple[str, list[Reason]]:
    result = combat.charted(rules, attack_total, defense_total)
    reasons = list(combat.charted_why(rules, attack_total, defense_total, result))
    if extent == STEP:
        result = combat.milder(rules, attack_total, defense_total, result)
        reasons.append(rules.because("PF-77", f"one level less: {result}"))
    return result, reasons


class Caught(combat.Target):
    """A trooper, vehicle with its occupants, or base in a blast; without a DL it is a base."""

    id: str
    DL: Rating | None = None
    fraction: Part = 1.0


class Explosion(Record):
    """A shell, a flame or a mine, and the targets in its area."""

    AL: Rating
    targets: tuple[Caught, ...]
    weapon: WeaponName = "tank"


def explosion(rules: Rules, blast: Explosion) -> Procedure[Verdict]:
    """The attack roll of a blast, and a defence roll for each that is in it."""
    rolled, _ = yield from fudge(rules, row_title(blast.weapon), "the blast", attack=True)
    return (yield from blown(rules, blast, rolled))


def blown(rules: Rules, blast: Explosion, rolled: int) -> Procedure[Verdict]:
    """The defence rolls of a blast whose attack was rolled."""
    found: list[dict[str, Any]] = []
    reasons = [thrown(rules, "PF-47", rolled), rules.because("PF-11", "the Attack Level", blast.AL)]
    attack_total = int(total(reasons))
    attacked = 0
    for target in blast.targets:
        extent, why = covered(rules, target.fraction)
        reasons.append(rules.because(why.rule, f"{target.id}: {why.text}"))
        if extent == NONE:
            found.append({"id": target.id, "affected": False})
            continue
        if attacked and rules.chooses("blast_rolls", "one_each"):
            rolled, _ = yield from fudge(rules, row_title(blast.weapon), f"the blast on {target.id}", attack=True)
        attacked += 1
        row, steps = yield from _defended(rules, blast, target, rolled, extent)
        found.append(row)
        reasons += steps
    return verdict("explosion", *reasons, attack_total=attack_total, targets=found)


def _defended(
    rules: Rules, blast: Explosion, target: Caught, rolled: int, extent: str
) -> Procedure[tuple[dict[str, Any], list[Reason]]]:
    """One target's roll against a blast."""
    level = defence_level(rules, target)
    attack_total = int(total(combat.attack_reasons(rules, target, blast.AL, rolled)))
    if combat.explodes(rules, target.target_unit, attack_total, rolled):
        numbers = {"id": target.id, "affected": True, "result": "KIL", "removed": True, "explodes": True}
        return numbers, [rules.because("PF-116")]
    fell, _ = yield from fudge(rules, target.id, "the defence against the blast")
    defending = combat.defence_reasons(rules, target, level, fell, ranged=True)
    result, steps = _blasted(rules, attack_total, int(total(defending)), extent)
    after, removed = combat.struck(rules, level, result)
    numbers = {"id": target.id, "affected": True, "defense_total": int(total(defending)), "result": result}
    numbers |= {"DL_after": after, "removed": removed}
    if target.occupants:
        numbers["occupants"] = yield from combat.inside(rules, target.occupants, attack_total, removed)
        steps = [*steps, rules.because("PF-70")]
    return numbers, [*defending, *steps]


def defence_level(rules: Rules, target: Caught) -> int:
    """The level on which a target defends against a blast; that of a base was agreed on."""
    return rating(rules, rules.option("base_DL")) if target.DL is None else target.DL


# Grenades.


def grenade_throw(
    rules: Rules,
    AL: Rating,
    targets: tuple[Caught, ...] = (),
    near_thrower: tuple[Caught, ...] = (),
    RL: LevelName | None = None,
    distance_in: Inches | None = None,
) -> Procedure[Verdict]:
    """A throw, and the explosion among its targets, or among those near the thrower if he drops it."""
    if RL is not None and distance_in is not None:
        limit_in = reach_in(rules, rating(rules, RL), "grenade")
        if not within(distance_in, limit_in):
            return forbidden("out_of_range", rules.because("PF-74", f"he throws {limit_in:g} in"))
    rolled, all_minus = yield from fudge(rules, "the thrower", "the grenade", attack=True)
    dropped = combat.is_abysmal(rules, rolled + AL, all_minus)
    centre, rule = ("thrower", "PF-79") if dropped else ("target", "PF-75")
    caught = near_thrower if dropped else targets
    numbers = {"dropped": dropped, "centre": centre, "disk": "small", "attack_total": rolled + AL}
    reasons = [rules.because(rule)]
    if caught:
        if dropped and rules.chooses("dropped_grenade", "fresh_roll"):
            rolled, _ = yield from fudge(rules, "the thrower", "the dropped grenade", attack=True)
        answer = yield from blown(rules, Explosion(AL=AL, targets=caught, weapon="grenade"), rolled)
        numbers |= answer.numbers
        reasons += answer.reasons
    return verdict("dropped" if dropped else "thrown", *reasons, **numbers)


# A flamethrower that explodes.


def conflagration(rules: Rules, targets: tuple[Caught, ...]) -> Verdict:
    """The losses in it; no target defends."""
    partly = {"injured": "INJ", "destroyed": "KIL", "unharmed": "--"}[rules.option("conflagration_partly")]
    found, reasons = [], [rules.because("PF-116")]
    for target in targets:
        extent, why = covered(rules, target.fraction)
        result = {NONE: "--", STEP: partly, ALL: "KIL"}[extent]
        after, removed = combat.struck(rules, defence_level(rules, target), result)
        found.append({"id": target.id, "result": result, "DL_after": after, "removed": removed})
        lost = removed and not rules.chooses("occupants", "survive")
        found += [
            {"id": man.id, "result": "KIL", "DL_after": man.DL, "removed": True} for man in target.occupants if lost
        ]
        reasons.append(rules.because(why.rule, f"{target.id}: {why.text}"))
    return verdict("conflagration", *reasons, disk="large", targets=found)


# Mines.

IsReal = Annotated[bool, Asked("Is the mine a real one? (asked of the side that laid it)")]


def mine_cost(
    rules: Rules,
    markers: Count,
    false_markers: Annotated[Count, Asked("How many of the markers are false? (hidden from the enemy)")] = 0,
) -> Verdict:
    """The cost of the markers; false ones cost as much as mines."""
    if false_markers > markers:
        raise RuleRefusal("bad_count", f"of {markers} markers {false_markers} cannot be false")
    levels = rules.tables.levels
    each = levels[rules.option("mine_AL")].cost + levels[rules.option("mine_DL")].cost
    reasons = (rules.because("PF-83"), rules.because("PF-84", f"{markers} markers at {each} points"))
    return verdict("mines", *reasons, cost=markers * each, cost_each=each)


def mine(
    rules: Rules,
    path_crosses: bool,
    ends_on_it: bool = False,
    real: IsReal = True,
    found: bool = False,
    flies: bool = False,
    targets: tuple[Caught, ...] = (),
) -> Procedure[Verdict]:
    """Whether a mine explodes under a unit, and its effect."""
    trodden = path_crosses if rules.chooses("mines_go_off", "path_crosses") else ends_on_it
    if found:
        return verdict("passed", rules.because("PF-106"), goes_off=False)
    if not trodden or flies or not real:
        return verdict("passed", rules.because("PF-A31", "nothing happens"), goes_off=False)
    level = rating(rules, rules.option("mine_AL"))
    answer = yield from explosion(rules, Explosion(AL=level, targets=targets, weapon="land_mine"))
    reasons = (rules.because("PF-83"), *answer.reasons)
    return verdict("goes off", *reasons, goes_off=True, disk="small", **answer.numbers)


# Sweeping.


def sweep_result(rules: Rules, chart: ResultName) -> Verdict:
    """The meaning of a chart result for the mine."""
    row = rules.tables.results[chart].mine
    return verdict(row.fate, rules.because(row.rule), mine=row.fate)


def sweep_roll(
    rules: Rules,
    AL: Rating,
    mine_DL: Rating | None = None,
    RL: LevelName = "Poor",
    distance_in: Inches = 0,
    real: IsReal = True,
) -> Procedure[Verdict]:
    """A sweeper's try to detect a mine."""
    limit_in = reach_in(rules, rating(rules, RL), "minesweeper") if rules.chooses("sweep_reach", "RL") else 0
    if not within(distance_in, limit_in):
        return forbidden("out_of_range", rules.because("PF-101", f"he reaches {limit_in:g} in"))
    rolled, all_minus = yield from fudge(rules, "the sweeper", "sweeping", attack=True)
    attack_total = rolled + AL
    reasons = [thrown(rules, "PF-47", rolled), rules.because("PF-11", "the Attack Level", AL)]
    if combat.is_abysmal(rules, attack_total, all_minus):
        # A false marker answers as an undetected mine, so that nothing is given away.
        fate, rule = ("activated", "PF-105") if real else ("not_detected", "PF-104")
        return verdict(fate, *reasons, rules.because(rule), mine=fate, attack_total=attack_total)
    level = rating(rules, rules.option("mine_DL")) if mine_DL is None else mine_DL
    fell = 0
    if rules.chooses("mine_defends", "rolls"):
        fell, _ = yield from fudge(rules, "the mine", "staying hidden")
    result = combat.charted(rules, attack_total, level + fell) if real else "--"
    row = rules.tables.results[result].mine
    numbers = {"mine": row.fate, "attack_total": attack_total, "defense_total": level + fell}
    return verdict(row.fate, *reasons, rules.because(row.rule), **numbers)


# At one target.


class Shot(Request):
    """An attack on one unit: all that decides whether it may be made, and how the target stands."""

    target_DL: Rating
    terrain: TerrainName = "open"
    grounds: tuple[TerrainName, ...] = ()
    height_difference_bands: combat.BandsUp = 0
    occupants: combat.Occupants = ()


def aim(rules: Rules, one: Shot) -> Verdict:
    """Both levels of an attack before the dice, and what the attacker must roll against an even defence."""
    if not (asked := attack_request(rules, one)).allowed:
        return asked
    blow, close = _blow(rules, one, asked.numbers["AL"])
    attacking = combat.attack_reasons(rules, blow, blow.attacker_AL, 0)[1:]
    defending = combat.defence_reasons(rules, blow, blow.defender_DL, 0, blow.ranged)[1:]
    levels = {"attack_level": int(total(attacking)), "defense_level": int(total(defending))}
    numbers = {**asked.numbers, **levels, "ranged": blow.ranged, **_needed(rules, **levels)}
    return verdict("may attack", *asked.reasons, close, *attacking, *defending, **numbers)


def _needed(rules: Rules, attack_level: int, defense_level: int) -> dict[str, int | None]:
    """The least sum of the attacker's dice that injures, and that kills, where the defender's come to nothing."""
    most = int(limit(rules, "dice"))
    found = {rolled: combat.charted(rules, rolled + attack_level, defense_level) for rolled in range(-most, most + 1)}
    rows = rules.tables.results
    injures = [rolled for rolled, result in found.items() if rows[result].injures or rows[result].destroys]
    kills = [rolled for rolled, result in found.items() if rows[result].destroys]
    return {"to_injure": min(injures, default=None), "to_kill": min(kills, default=None)}


def shot(rules: Rules, one: Shot) -> Procedure[Verdict]:
    """An attack on one unit, where it may be made."""
    if not (asked := attack_request(rules, one)).allowed:
        return asked
    blow, close = _blow(rules, one, asked.numbers["AL"])
    answer = yield from combat.attack(rules, blow)
    return Verdict(answer.outcome, {**answer.numbers, "ranged": blow.ranged}, (close, *answer.reasons))


def _blow(rules: Rules, one: Shot, level: int) -> tuple[combat.Attack, Reason]:
    """The attack itself, and whether it is made hand to hand."""
    if one.distance_in is None:
        raise RuleRefusal("missing_key", "an attack on the table needs its distance: measure it")
    cards, target = rules.tables.cards, one.target_unit
    flying = cards[one.unit].flies, target is not None and cards[target].flies
    found = hand_to_hand(rules, distance_in=one.distance_in, in_the_air=any(flying))
    ranged = bool(found.numbers["ranged"])
    guard = one.target_DL
    if target and not ranged:
        guard = combat.by_hand(rules, target, 0, 0, guard)[2] or 0
    levels = {"attacker_AL": level, "defender_DL": guard, "ranged": ranged}
    blow = facts_from(combat.Attack, one, **levels, attacker_flies=flying[0], target_flies=flying[1])
    return blow, rules.because("PF-A41", "bases in contact, hand to hand" if not ranged else "at a distance")


# With a template.


class Salvo(Request):
    """An attack that lays a template: the targets under it, and those near a thrower that may drop it."""

    targets: tuple[Caught, ...]
    near_thrower: tuple[Caught, ...] = ()


def lay(rules: Rules, salvo: Salvo) -> Verdict:
    """Whether a template may be laid there, and the targets in it."""
    if not (asked := attack_request(rules, salvo)).allowed:
        return asked
    shares = [(target.id, covered(rules, target.fraction)) for target in salvo.targets]
    inside = {name: extent for name, (extent, _) in shares}
    reasons = [rules.because(why.rule, f"{name}: {why.text}") for name, (_, why) in shares]
    return verdict("may attack", *asked.reasons, *reasons, **asked.numbers, inside=inside)


def blast(rules: Rules, salvo: Salvo) -> Procedure[Verdict]:
    """An attack that lays a template, where it may be made; its outcome says what became of each."""
    if not (asked := attack_request(rules, salvo)).allowed:
        return asked
    level, weapon = asked.numbers["AL"], weapon_of(rules, salvo)
    if rules.tables.weapons[weapon].thrown:
        found = yield from grenade_throw(rules, AL=level, targets=salvo.targets, near_thrower=salvo.near_thrower)
    else:
        found = yield from explosion(rules, Explosion(AL=level, targets=salvo.targets, weapon=weapon))
    affected = [one for one in found.numbers.get("targets", ()) if one["affected"]]
    fates = [f"{one['id']} {one['result']}" for hit in affected for one in (hit, *hit.get("occupants", ()))]
    outcome = ("dropped: " if found.numbers.get("dropped") else "") + (", ".join(fates) or "nobody is in it")
    return Verdict(outcome, found.numbers, found.reasons)


# At a base, and at a mine.


def hole(rules: Rules, request: Request) -> Verdict:
    """Whether a base may be shot at with what takes holes out of it, and what that does."""
    if not (asked := attack_request(rules, request)).allowed:
        return asked
    if not rules.tables.weapons[asked.numbers["weapon"]].holes:
        return forbidden("no_hole", rules.because("PF-81", "his weapon takes no hole out of a base"))
    found = bazooka_on_base(rules)
    return verdict(found.outcome, *asked.reasons, *found.reasons, allowed=True, **found.numbers)


class Sweeping(Request):
    """A sweeper that tries a marker `distance_in` away."""

    mine_DL: Rating | None = None
    real: IsReal = True


def sweep(rules: Rules, work: Sweeping) -> Procedure[Verdict]:
    """A sweeper's attempt to detect a mine, if allowed; it replaces the attack of this turn."""
    if not (asked := attack_request(rules, work)).allowed:
        return asked
    level, reach, distance_in = asked.numbers["AL"], called(rules, asked.numbers["RL"]), work.distance_in or 0
    return (
        yield from sweep_roll(rules, AL=level, mine_DL=work.mine_DL, RL=reach, distance_in=distance_in, real=work.real)
    )
