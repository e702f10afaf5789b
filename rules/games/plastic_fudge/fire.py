"""Plastic Fudge: the legal attacks of a unit, their reach, and the needs of flamethrowers and mortars."""

# ruff: noqa: N803, N815 - AL, DL, RL and TL are the sheet's own words
from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from rules.engine.dice import Procedure
from rules.engine.facts import of_actor, status
from rules.engine.ruleset import Bar, first_refusal, limit, row_title
from rules.engine.schema import Asked, Count, Inches
from rules.engine.verdict import RuleRefusal, Verdict, forbidden, total, verdict
from rules.games.plastic_fudge import units
from rules.games.plastic_fudge.combat import Stance, attack_reasons, by_hand, is_legendary
from rules.games.plastic_fudge.statuses import CARRIED
from rules.games.plastic_fudge.tables import (
    LevelName,
    Rating,
    Rules,
    UnitName,
    WeaponName,
    attacks_in,
    fudge,
    range_bands,
    rating,
    six_sided,
    special_of,
)
from rules.tabletop.tolerance import within

# Range.


def range_check(
    rules: Rules, RL: LevelName, distance_in: Inches, band_in: Inches | None = None, weapon: WeaponName | None = None
) -> Verdict:
    """Whether a distance is within reach."""
    limit_in = reach_in(rules, rating(rules, RL), weapon, band_in)
    in_range = within(distance_in, limit_in)
    rule = rules.tables.weapons[weapon].rule if weapon else "PF-10"
    text = f"{distance_in:.4g} in away; {RL} reaches {limit_in:g} in"
    word = "in range" if in_range else "out of range"
    numbers = {"limit_in": limit_in, "in_range": in_range, "measured_from": rules.option("measured_from")}
    return verdict(word, rules.because("PF-16"), rules.because(rule, text), **numbers)


def reach_in(rules: Rules, level: int, weapon: str | None, band_in: float | None = None) -> float:
    """How far a weapon reaches at a Range Level."""
    band_in = rules.option("band_in") if band_in is None else band_in
    row = rules.tables.weapons[weapon] if weapon else None
    if row and row.most_RL:
        level = min(level, rating(rules, row.most_RL))
    wedge = rules.tables.templates[row.template].radius_in if row and row.template else None
    if wedge is not None and rules.chooses("flame_reach", "wedge"):
        return wedge
    bands_in = float(range_bands(rules, level) * band_in)
    return bands_in * limit(rules, "throw") if row and row.thrown else bands_in


# Whether a unit may attack.

CARRIED_TROOPS = "Has it taken up or set down troops in this turn?"
SPOTTER = "Does somebody with binoculars spot for the mortar?"


class Request(units.Acting):
    """A unit that wants to attack; RL and AL that are not said are those of its card, one for each weapon."""

    unit: Annotated[UnitName, units.CARD]
    spotter_with_binoculars: Annotated[bool, Asked(SPOTTER), units.SPOTTED_FOR] = False
    spotter_sees_target: bool = True
    RL: Annotated[tuple[LevelName, ...] | None, units.own("RL")] = None
    AL: Annotated[tuple[LevelName, ...] | None, units.own("AL")] = None
    aboard: Annotated[bool, units.ABOARD] = False
    weapon: WeaponName | None = None
    attacks_made_this_turn: Annotated[Count, of_actor(units.attacks_made)] = 0
    carried_this_turn: Annotated[bool, Asked(CARRIED_TROOPS), status(CARRIED)] = False
    distance_in: Inches | None = None
    los: bool = True
    target_unit: UnitName | None = None
    attacked_hand_to_hand: units.AttackedByHand = False


def can_act(
    rules: Rules,
    unit: UnitName,
    spotter_with_binoculars: Annotated[bool, Asked(SPOTTER)] = False,
    spotter_sees_target: bool = True,
) -> Verdict:
    """Whether a unit has all that it needs to act."""
    if _unspotted(rules, unit, spotter_with_binoculars, spotter_sees_target):
        return forbidden("no_spotter", rules.because("PF-109"))
    rule = "PF-109" if _needs_spotter(rules, unit) else "PF-45"
    return verdict("allowed", rules.because(rule), allowed=True)


def attack_request(rules: Rules, request: Request) -> Verdict:
    """Whether a unit may make an attack, and at which levels."""
    card = rules.tables.cards[request.unit]
    if stopped := first_refusal(rules, _bars(rules, request)):
        return stopped
    attack_level, range_level = levels_of(rules, request)
    weapon = weapon_of(rules, request)
    limit_in = reach_in(rules, range_level, weapon)
    reasons = [rules.because("PF-45"), rules.because(card.rule)]
    if len(card.weapons) > 1:
        reasons.append(rules.because("PF-97" if card.kind == "trooper" else "PF-71"))
    if card.flies and card.carries:
        reasons.append(rules.because("PF-122"))
    numbers = {"weapon": weapon, "AL": attack_level, "RL": range_level, "limit_in": limit_in}
    return verdict("allowed", *reasons, allowed=True, **numbers)


def weapon_of(rules: Rules, request: Request) -> str:
    """The weapon meant: the one named, or the first on the card; "" where there is none.

    Raises:
        RuleRefusal: "unknown_weapon" if the unit does not have it.
    """
    has = rules.tables.cards[request.unit].weapons
    if request.weapon is not None and request.weapon not in has:
        words = ", ".join(has) or "no weapon"
        raise RuleRefusal("unknown_weapon", f"{row_title(request.unit)} has {words}, not {request.weapon!r}")
    return request.weapon or (has[0] if has else "")


def levels_of(rules: Rules, request: Request) -> tuple[int, int]:
    """AL and RL with which a unit attacks."""
    card, weapon = rules.tables.cards[request.unit], weapon_of(rules, request)
    at = card.weapons.index(weapon)
    attack_levels, range_levels = request.AL or card.AL, request.RL or card.RL
    if len(attack_levels) <= at or len(range_levels) <= at:
        raise RuleRefusal(
            "missing_key", f"{row_title(request.unit)} needs an AL and an RL for each weapon: name them all"
        )
    attack_level, range_level = rating(rules, attack_levels[at]), rating(rules, range_levels[at])
    if request.attacked_hand_to_hand:
        attack_level, range_level, _ = by_hand(rules, request.unit, attack_level, range_level, None)
    return attack_level, range_level


def _bars(rules: Rules, request: Request) -> Iterator[Bar]:
    """What forbids a unit's attack, in the order in which it is looked at."""
    card = rules.tables.cards[request.unit]
    waits = request.phase is not None and not attacks_in(rules, request.phase, card.called)
    why = rules.because("PF-44", "attacks wait for their own phase, after all units have moved") if waits else None
    yield from units.bars(rules, request, why, request.aboard)
    yield not card.weapons, "no_weapon", "PF-93"
    yield request.attacks_made_this_turn >= limit(rules, "attacks_a_turn"), "already_attacked", "PF-45"
    yield request.carried_this_turn, "carried_troops", "PF-123"
    unspotted = _unspotted(rules, request.unit, request.spotter_with_binoculars, request.spotter_sees_target)
    yield unspotted, "no_spotter", "PF-109"
    flying = request.target_unit is not None and rules.tables.cards[request.target_unit].flies and card.flies
    yield flying and not rules.option("air_combat"), "air_combat", "PF-127"
    if request.distance_in is not None:
        weapon = weapon_of(rules, request)
        row, limit_in = rules.tables.weapons[weapon], reach_in(rules, levels_of(rules, request)[1], weapon)
        text = f"the target is {request.distance_in:.4g} in away; {row_title(weapon)} reaches {limit_in:g} in"
        rule = row.rule if row.thrown else "PF-10"
        yield not within(request.distance_in, limit_in), "out_of_range", rule, text
    seen = request.los or not rules.option("line_of_sight") or _needs_spotter(rules, request.unit)
    yield not seen, "no_line_of_sight", "PF-A08", "the target is not in sight"


def _needs_spotter(rules: Rules, unit: str) -> bool:
    special = special_of(rules, unit)
    return special is not None and special.spotter


def _unspotted(rules: Rules, unit: str, has_spotter: bool, spotter_sees: bool) -> bool:
    seen = spotter_sees or not rules.option("line_of_sight")
    return _needs_spotter(rules, unit) and not (has_spotter and seen)


def hand_to_hand(rules: Rules, distance_in: Inches, in_the_air: bool = False) -> Verdict:
    """Whether an attack at this distance is hand to hand."""
    close = not in_the_air and units.in_contact(rules, distance_in)
    return verdict("hand to hand" if close else "ranged", rules.because("PF-A41", "bases in contact"), ranged=not close)


# The flamethrower's tank.


class AgainstFlamethrower(Stance):
    """An attack on a Flamethrower Trooper, and its posture."""

    attacker_AL: Rating


def flamethrower_attacked(rules: Rules, blow: AgainstFlamethrower) -> Procedure[Verdict]:
    """Whether the attack sets him off; his defence is rolled only where it does not."""
    rolled, _ = yield from fudge(rules, "the attacker", "the attack on the flamethrower", attack=True)
    reasons = attack_reasons(rules, blow, blow.attacker_AL, rolled)
    attack_total = int(total(reasons))
    explodes = is_legendary(rules, attack_total, rolled)
    reasons += [rules.because("PF-116")] if explodes else []
    numbers = {"attack_total": attack_total, "explodes": explodes, "disk": "large" if explodes else None}
    return verdict("explodes" if explodes else "holds", *reasons, **numbers)


# Six-sided dice.


def read_d6(rules: Rules, faces: tuple[int, ...]) -> Verdict:
    """The Fudge faces that six-sided dice stand for."""
    meant = six_sided(rules)
    strange = [face for face in faces if not 1 <= face <= len(meant)]
    if strange:
        raise RuleRefusal("impossible_die_face", f"a six-sided die cannot show {strange[0]}: read the dice again")
    read = [meant[face - 1] for face in faces]
    return verdict("read", rules.because("PF-06"), fudge=read, total=sum(read))
