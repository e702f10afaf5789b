"""Army Men: legal targets, attack values, and the effects of hits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.game import Answer
from rules.engine.ruleset import Bar, first_refusal, limit, row_title
from rules.engine.schema import Inches
from rules.engine.verdict import Reason, Verdict, forbidden, total, verdict
from rules.games.army_men.hard import ZoneOfPillbox, blind, hard_die, hard_modifiers
from rules.games.army_men.shot import Shot, adjacent, armoured, effect_of, face_of, holds, its_phase, kind_of, weapon_of
from rules.games.army_men.tables import EXTRA_ARM, MOVING, Effect, Effects, Indirect, Rules, in_phase, touching
from rules.tabletop.tolerance import within

# What forbids an attack.


def barred(rules: Rules, shot: Shot) -> Verdict | None:
    """The reason that forbids this attack; None if it is allowed."""
    return first_refusal(rules, _bars(rules, shot))


def _bars(rules: Rules, shot: Shot) -> Iterator[Bar]:
    """What forbids an attack, in the order in which it is looked at."""
    weapon, in_turn = weapon_of(rules, shot), not shot.returns
    yield weapon.laid, "not_fired", "AM-70"
    yield shot.weapon not in (shot.shown_weapons or (shot.weapon,)), "weapon_not_shown", "AM-36"
    at_once = shot.opportunity and rules.chooses("opportunity_fire_in", "movement_phase")
    if in_turn and not in_phase(rules, shot.phase, MOVING if at_once else weapon.phase):
        yield True, "wrong_phase", "AM-12", its_phase(rules, shot.weapon)
    yield in_turn and shot.destroyed_in_phase not in (None, weapon.phase), "destroyed", "AM-15"
    yield shot.wounded, "wounded", "AM-17"
    yield shot.in_the_air, "in_the_air", "AM-33"
    yield shot.shut_in, "shut_in", "AM-112", "figures inside cannot fire"
    yield shot.climbing, "climbing", "AM-28"
    yield shot.dropped_this_turn, "dropped_this_turn", "AM-33"
    yield _attacked_already(rules, shot), "already_attacked", "AM-37"
    yield shot.jammed, "jammed", "AM-75"
    yield shot.out_of_ammo, "out_of_ammo", "AM-77"
    yield shot.stunned, "stunned", "AM-96"
    yield shot.glued and rules.chooses("glued_may_attack", False), "glued", "AM-62"
    yield shot.immobilized and rules.chooses("immobilized_may_attack", False), "immobilized", "AM-95"
    short = shot.crew is not None and shot.crew < weapon.crew
    men = f"it needs a crew of {weapon.crew} beside it, not {shot.crew}"
    yield short and rules.chooses("short_crew", "cannot_attack"), "short_crew", "AM-63", men
    carried = shot.moved_this_turn and not shot.mounted
    yield carried and weapon.stationary, "moved_stationary_weapon", "AM-78"
    yield weapon.turret and not shot.turret_points_at_target, "turret_elsewhere", "AM-25"
    yield blind(shot.weapon, shot.target_zone), "pillbox_blind_zone", "AM-109"
    yield from _target_bars(rules, shot)


def _attacked_already(rules: Rules, shot: Shot) -> bool:
    """Once a turn; a vehicle's light machine gun and the rest of its armament are counted apart."""
    extra = shot.mounted and rules.tables.kinds[shot.attacker].extra_lmg and rules.chooses("extra_lmg", True)
    if not extra:
        return shot.attacks_made_this_turn > 0
    is_extra = shot.weapon == EXTRA_ARM
    cleared = is_extra and shot.cleared_this_turn and rules.chooses("fires_after_clearing", False)
    again = cleared or any((weapon == EXTRA_ARM) == is_extra for weapon in shot.fired_this_turn)
    return again or shot.attacks_made_this_turn > 1


def _target_bars(rules: Rules, shot: Shot) -> Iterator[Bar]:
    """What forbids an attack on this target: its kind, its distance, or what is between."""
    weapon, effect = weapon_of(rules, shot), effect_of(rules, shot)
    yield effect is Effect.NOT_ALLOWED, "target_not_attackable", "AM-85"
    burns = kind_of(rules, shot).hard == "pillbox" and weapon.group == "flame_thrower"
    yield burns, "cannot_destroy_pillbox", "AM-103"
    gap_in = shot.distance_in if shot.edge_in is None else shot.edge_in
    by_hand = weapon.range_max_ft == 0 and adjacent(rules, shot) and touching(rules, gap_in)
    reach = "" if weapon.range_max_in is None else f" to {weapon.range_max_in:g}"
    away = f"the target is {shot.distance_in:.4g} in away"
    range_text = f"{away}; {row_title(shot.weapon)} reaches {weapon.range_min_in:g}{reach} in"
    yield not (weapon.reaches(shot.distance_in) or by_hand), "out_of_range", "AM-38", range_text
    over_obstacles = weapon.indirect is not Indirect.NEVER
    spotted = over_obstacles and (shot.radio or rules.chooses("indirect_fire_needs", "nothing"))
    unseen = "the target is out of sight" + (", and no friend with a radio sees it" if over_obstacles else "")
    yield not shot.los and not spotted, "no_line_of_sight", "AM-66", unseen
    untouched = effect in (Effect.IMMUNE, Effect.MEN_INSIDE) and not lucky(rules, shot)
    # Walls or armour keep a weapon from the man inside them; it may still be aimed at the walls.
    walls = (Effect.IMMUNE, Effect.SECOND_DIE) if shot.garrison else (Effect.IMMUNE,)
    sheltered = shot.sealed or (shot.inside_pillbox and _effects_row(rules, shot).pillbox in walls)
    yield untouched or sheltered, "immune", "AM-93"


# The attack value.


def attack_value(rules: Rules, shot: Shot) -> tuple[Reason, ...]:
    """The weapon's attack value and every modifier that applies, in reading order."""
    weapon = weapon_of(rules, shot)
    base = rules.because(weapon.rule, f"{row_title(shot.weapon)} attacks at {weapon.attack}", weapon.attack)
    rows = [
        row
        for row in rules.tables.attack_modifiers.values()
        if (row.fact is None or holds(rules, shot, row.fact))
        and (row.beyond_in is None or not within(shot.distance_in, row.beyond_in))
        and shot.weapon not in row.not_for
    ]
    if rules.chooses("covers", "worst"):
        worst = min((row for row in rows if row.cover), key=lambda row: row.modifier, default=None)
        rows = [row for row in rows if not row.cover or row is worst]
    return (base, *(rules.because(row.rule, row.text, row.modifier) for row in rows))


def aim(rules: Rules, shot: Shot) -> Verdict:
    """The value that an attack must roll, or the reason why it is forbidden."""
    if bar := barred(rules, shot):
        return bar
    reasons = attack_value(rules, shot)
    value = int(total(reasons))
    # Whatever the value, a natural 2 hits and a natural 12 does not.
    needed = min(max(value, NATURAL_TWO), NATURAL_TWELVE - 1)
    if reached_too_little(rules, shot):
        reasons, needed = (*reasons, _too_little(rules, shot)), 0
    return verdict("may attack", *reasons, allowed=True, attack_value=value, at_most=needed)


# The attack itself.

TWO_DICE = 2
NATURAL_TWO, NATURAL_TWELVE = 2, 12


def two_dice(for_whom: str, why: str) -> DiceRequest:
    """Two dice of which only the sum counts."""
    return DiceRequest(Die.D6, TWO_DICE, for_whom, why, summed=True)


def attack(rules: Rules, shot: Shot) -> Answer:
    """One attack on one target."""
    request = two_dice("the firer", f"the attack with {row_title(shot.weapon)}")
    value = attack_value(rules, shot)

    def rolled() -> Procedure[Verdict]:
        roll = yield request
        return (yield from struck(rules, shot, value, roll.total))

    return barred(rules, shot) or rolled


def struck(rules: Rules, shot: Shot, attack_at: tuple[Reason, ...], rolled: int) -> Procedure[Verdict]:
    """The effect of a roll of two dice on the target; asks for the further dice that a hit requires.

    Args:
        attack_at: The attack value with its modifiers.
        rolled: The sum of the two dice.
    """
    weapon = weapon_of(rules, shot)
    reasons = list(attack_at)
    value = int(total(reasons))
    hit, why = _hits(rules, shot, rolled, value)
    numbers: dict[str, Any] = {
        "allowed": True,
        "attack_value": value,
        "roll": rolled,
        "hit": hit,
        "target_eliminated": False,
        "second_die": False,
        "jammed": weapon.automatic and rolled == NATURAL_TWELVE,
        "out_of_ammo": weapon.ammunition and rolled == NATURAL_TWELVE,
        "blast": weapon.blast_in is not None and not armoured(rules, shot.target),
    }
    reasons += [why, *_side_effects(rules, shot, numbers), *_unharmed_shelter(rules, shot, numbers)]
    if hit:
        found, more = yield from _effect(rules, shot, rolled)
        numbers |= found
        reasons += more
    return Verdict("hit" if hit else "miss", numbers, tuple(reasons))


def _hits(rules: Rules, shot: Shot, rolled: int, value: int) -> tuple[bool, Reason]:
    if reached_too_little(rules, shot):
        return False, _too_little(rules, shot)
    if rolled == NATURAL_TWO:
        return True, rules.because("AM-73")
    if rolled == NATURAL_TWELVE:
        return False, rules.because("AM-74")
    return rolled <= value, rules.because("AM-39", f"rolled {rolled}; {value} or less hits")


def reached_too_little(rules: Rules, shot: Shot) -> bool:
    """Whether too little of the target is inside the weapon's area for a hit."""
    needs_half = weapon_of(rules, shot).spreads and not armoured(rules, shot.target)
    return needs_half and not within(limit(rules, "blast_part"), shot.fraction)


def _too_little(rules: Rules, shot: Shot) -> Reason:
    return rules.because("AM-79", f"{shot.fraction:.0%} of the target is within; half is needed")


def _side_effects(rules: Rules, shot: Shot, numbers: Mapping[str, Any]) -> list[Reason]:
    armour_piercing = weapon_of(rules, shot).blast_in is not None and not numbers["blast"]
    found = {"AM-75": numbers["jammed"], "AM-77": numbers["out_of_ammo"], "AM-80": armour_piercing}
    return [rules.because(rule) for rule, so in found.items() if so]


def _unharmed_shelter(rules: Rules, shot: Shot, numbers: dict[str, Any]) -> list[Reason]:
    sheltered = {"pillbox_affected": shot.inside_pillbox, "half_track_affected": shot.inside_half_track}
    numbers |= {name: False for name, so in sheltered.items() if so}
    return [rules.because("AM-112")] if any(sheltered.values()) else []


Found = tuple[dict[str, Any], list[Reason]]


def _by_hand(rules: Rules, shot: Shot) -> bool:
    return armoured(rules, shot.target) and adjacent(rules, shot) and shot.attacker == "infantry"


def lucky(rules: Rules, shot: Shot) -> bool:
    """Whether a natural 2 destroys this target, whatever a plain hit does."""
    effect = effect_of(rules, shot)
    if effect is Effect.IMMOBILIZES:
        return False
    soft = kind_of(rules, shot).hard is None
    eligible = effect in (Effect.SECOND_DIE, Effect.ELIMINATES)
    return soft or eligible or _by_hand(rules, shot) or rules.chooses("natural_two", "always")


def _effect(rules: Rules, shot: Shot, rolled: int) -> Procedure[Found]:
    lucky_two = rolled == NATURAL_TWO and lucky(rules, shot)
    effect = Effect.ELIMINATES if lucky_two else effect_of(rules, shot)
    if effect is Effect.ELIMINATES:
        numbers, reasons = yield from _eliminates(rules, shot)
        return numbers, [rules.because("AM-108"), *reasons] if lucky_two and _by_hand(rules, shot) else reasons
    if effect is Effect.SECOND_DIE:
        return (yield from _second_die(rules, shot))
    if effect is Effect.IMMOBILIZES:
        return {"immobilized": True, "until": "the end of the " + rules.option("glue_lasts")}, [rules.because("AM-62")]
    hard = {"hard_result": "no_effect"} if kind_of(rules, shot).hard else {}
    rule, text = _effects_row(rules, shot).rule, f"{row_title(shot.weapon)} does nothing to {row_title(shot.target)}"
    return hard, [rules.because(rule, text)]


def _effects_row(rules: Rules, shot: Shot) -> Effects:
    return rules.tables.effects[weapon_of(rules, shot).group]


def _eliminates(rules: Rules, shot: Shot) -> Procedure[Found]:
    kind = kind_of(rules, shot)
    printed = {"infantry": "AM-40", "soft": "AM-107", "cannon": "AM-106"}
    rule = printed.get(kind.target, _effects_row(rules, shot).rule)
    reasons = [rules.because(rule, f"{row_title(shot.target)} is eliminated")]
    numbers: dict[str, Any] = {"target_eliminated": True}
    if kind.hard:
        numbers["hard_result"] = "destroyed"
    if shot.target_hero:
        numbers["removed"] = shot.target_eliminations + 1 >= limit(rules, "hero_lives")
        reasons.append(rules.because("AM-115"))
    if shot.target_weapon and rules.tables.weapons[shot.target_weapon].cone_in:
        found, more = yield from exploded(rules)
        numbers |= found
        reasons += more
    return numbers, reasons


def exploded(rules: Rules) -> Procedure[Found]:
    """Whether a flame-thrower that was hit explodes."""
    roll = yield DiceRequest(Die.D6, 1, "the flame-thrower", "whether it explodes")
    explodes = (roll.total <= 3) == rules.chooses("flame_explodes_on", "1-3")
    blast_in = limit(rules, "flame_explosion_in")
    return {"explodes": explodes, "explosion_in": blast_in if explodes else 0}, [rules.because("AM-82")]


def _second_die(rules: Rules, shot: Shot) -> Procedure[Found]:
    reasons = hard_modifiers(rules, shot.weapon, shot.target, face_of(rules, shot), shot.heavy)
    answer = yield from hard_die(rules, shot.target, reasons)
    result = answer.numbers["result"]
    found = {"second_die": True, "modified": answer.numbers["modified"], "hard_result": result}
    return found | {"target_eliminated": result == "destroyed"}, [rules.because("AM-41"), *answer.reasons]


# Through the port of a pillbox.


class FromSafeZone(Shot):
    """An attack on the men in a pillbox from a place at which they cannot fire.

    Attributes:
        zone: Where he stands, where that is known; else the players see to it that he is in a safe one.
    """

    distance_in: Inches = 0
    zone: ZoneOfPillbox | None = None


THROUGH_THE_PORT = ("flame_thrower", "grenade")
"""The weapons with which one reaches the men inside from beside their pillbox (AM-111)."""


def attack_pillbox_from_safe_zone(rules: Rules, shot: FromSafeZone) -> Procedure[Verdict]:
    """Flame or grenade through the gun port."""
    if shot.weapon not in THROUGH_THE_PORT:
        return forbidden("wrong_weapon", rules.because("AM-111"))
    if bar := barred(rules, shot):
        return bar
    if shot.zone in (ZoneOfPillbox.FRONT, ZoneOfPillbox.SIDE):
        return forbidden("not_in_safe_zone", rules.because("AM-109"))
    roll = yield two_dice("the attacker", f"the {shot.weapon.replace('_', ' ')} through the port")
    destroyed = roll.total <= limit(rules, "safe_zone")
    numbers = {"allowed": True, "roll": roll.total, "occupants_destroyed": destroyed, "pillbox_affected": False}
    numbers["out_of_ammo"] = weapon_of(rules, shot).ammunition and roll.total == NATURAL_TWELVE
    return Verdict("destroyed" if destroyed else "missed", numbers, (rules.because("AM-111"),))
