"""Plastic Fudge: a whole attack on the measured table, from its legality to its effects."""

# ruff: noqa: N815 - AL, DL, RL and TL are the sheet's own words
from __future__ import annotations

from dataclasses import dataclass

from rules.engine.dice import Procedure
from rules.engine.facts import facts_from
from rules.engine.game import NoFacts
from rules.engine.ruleset import limit
from rules.engine.verdict import Reason, RuleRefusal, Verdict, forbidden, total, verdict
from rules.games.plastic_fudge import blasts, combat
from rules.games.plastic_fudge.fire import Request, attack_request, hand_to_hand, weapon_of
from rules.games.plastic_fudge.tables import Rating, Rules, TerrainName, called

# At one target.


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot(Request):
    """An attack on one unit: all that decides whether it may be made, and how the target stands."""

    target_DL: Rating
    terrain: TerrainName = "open"
    grounds: tuple[TerrainName, ...] = ()
    height_difference_bands: combat.BandsUp = 0
    occupants: combat.Occupants = ()


def aim(rules: Rules, one: Shot) -> Verdict:
    """Both levels of an attack before the dice, and what the attacker must roll against an even defence."""
    asked = attack_request(rules, one)
    if not asked.allowed:
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
    asked = attack_request(rules, one)
    if not asked.allowed:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvo(Request):
    """An attack that lays a template: the targets under it, and those near a thrower that may drop it."""

    targets: tuple[blasts.Caught, ...]
    near_thrower: tuple[blasts.Caught, ...] = ()


def lay(rules: Rules, salvo: Salvo) -> Verdict:
    """Whether a template may be laid there, and the targets in it."""
    asked = attack_request(rules, salvo)
    if not asked.allowed:
        return asked
    shares = [(target.id, blasts.covered(rules, target.fraction)) for target in salvo.targets]
    inside = {name: extent for name, (extent, _) in shares}
    reasons = [rules.because(why.rule, f"{name}: {why.text}") for name, (_, why) in shares]
    return verdict("may attack", *asked.reasons, *reasons, **asked.numbers, inside=inside)


def blast(rules: Rules, salvo: Salvo) -> Procedure[Verdict]:
    """An attack that lays a template, where it may be made; its outcome says what became of each."""
    asked = attack_request(rules, salvo)
    if not asked.allowed:
        return asked
    level, weapon = asked.numbers["AL"], weapon_of(rules, salvo)
    if rules.tables.weapons[weapon].thrown:
        found = yield from blasts.grenade_throw(rules, AL=level, targets=salvo.targets, near_thrower=salvo.near_thrower)
    else:
        found = yield from blasts.explosion(rules, blasts.Explosion(AL=level, targets=salvo.targets, weapon=weapon))
    affected = [one for one in found.numbers.get("targets", ()) if one["affected"]]
    fates = [f"{one['id']} {one['result']}" for hit in affected for one in (hit, *hit.get("occupants", ()))]
    outcome = ("dropped: " if found.numbers.get("dropped") else "") + (", ".join(fates) or "nobody is in it")
    return Verdict(outcome, found.numbers, found.reasons)


# At a base, and at a mine.


def hole(rules: Rules, request: Request) -> Verdict:
    """Whether a base may be shot at with what takes holes out of it, and what that does."""
    asked = attack_request(rules, request)
    if not asked.allowed:
        return asked
    if not rules.tables.weapons[asked.numbers["weapon"]].holes:
        return forbidden("no_hole", rules.because("PF-81", "his weapon takes no hole out of a base"))
    found = blasts.bazooka_on_base(rules, NoFacts())
    return verdict(found.outcome, *asked.reasons, *found.reasons, allowed=True, **found.numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweeping(Request):
    """A sweeper that tries a marker `distance_in` away."""

    mine_DL: Rating | None = None
    real: blasts.IsReal = True


def sweep(rules: Rules, work: Sweeping) -> Procedure[Verdict]:
    """A sweeper's attempt to detect a mine, if allowed; it replaces the attack of this turn."""
    asked = attack_request(rules, work)
    if not asked.allowed:
        return asked
    level, reach, distance_in = asked.numbers["AL"], called(rules, asked.numbers["RL"]), work.distance_in or 0
    return (
        yield from blasts.sweep_roll(
            rules, AL=level, mine_DL=work.mine_DL, RL=reach, distance_in=distance_in, real=work.real
        )
    )
