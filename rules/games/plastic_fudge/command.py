"""Plastic Fudge: the round, initiative, and morale."""

# ruff: noqa: N815 - AL, DL, RL and TL are the sheet's own words
from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from rules.engine.dice import Procedure
from rules.engine.facts import UNKNOWN, Source, of_actor, status
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Count, Inches, Record
from rules.engine.verdict import Reason, RuleRefusal, StatusEffect, Verdict, forbidden, total, verdict
from rules.games.plastic_fudge import units
from rules.games.plastic_fudge.statuses import ROUTED, SEAT_A, SEAT_B, WINNER
from rules.games.plastic_fudge.tables import ClassName, LevelName, Rating, Rules, fudge, rating, thrown
from rules.tabletop.tolerance import within

# The round and its order.


def phases(rules: Rules) -> Verdict:
    """The parts of a round in order."""
    rows = [
        {"name": name, "phase": row.phase, "simultaneous": row.simultaneous, "morale_after": row.morale_after}
        for name, row in rules.tables.phases.items()
    ]
    any_time = rules.chooses("attacks_when", "any_time")
    played = {name for _, name in steps(rules, {}, called=True)}
    kept = [row for row in rows if row["name"] in played]
    reasons = (rules.because("PF-20"), rules.because("PF-25"), rules.because("PF-44"), rules.because("PF-55"))
    return verdict("round", *reasons, phases=kept, attacks_any_time=any_time)


def steps(rules: Rules, seats: Mapping[str, str], called: bool) -> list[tuple[str, str]]:
    """The parts of a round, each with its player.

    Args:
        seats: The players in the seats A and B.
        called: Whether a unit was called, which has a part of the round to itself.
    """
    any_time = rules.chooses("attacks_when", "any_time")
    rows = rules.tables.phases.items()
    kept = [(name, row) for name, row in rows if (row.moves or not row.attacks or not any_time)]
    return [(seats.get(row.seat, ""), name) for name, row in kept if called or not row.called]


class Player(Record):
    """A player, the level on which he rolls, and whether his Commander is lost."""

    id: str
    roll_level: Rating
    commander_destroyed: bool = False
    out_of_touch: bool = False


def initiative(rules: Rules, players: tuple[Player, ...]) -> Procedure[Verdict]:
    """The player with the initiative; a tie is rolled again."""
    if len(players) != 2 or players[0].id == players[1].id:
        raise RuleRefusal("wrong_players", f"initiative is between two players, not {len(players)}: name both")
    totals, reasons = [], []
    for player in players:
        rolled, _ = yield from fudge(rules, player.id, "initiative")
        found = [thrown(rules, "PF-21", rolled), rules.because("PF-13", "the Training Level", player.roll_level)]
        if player.commander_destroyed or (player.out_of_touch and rules.option("out_of_touch_penalty")):
            found.append(rules.because("PF-24", modifier=limit(rules, "initiative_without_commander")))
        totals.append(int(total(found)))
        reasons += found
    tie = totals[0] == totals[1]
    winner = None if tie else players[totals.index(max(totals))].id
    why = rules.because("PF-22" if tie else "PF-21")
    answer = verdict(winner or "tie", *reasons, why, totals=totals, winner=winner, reroll=tie)
    return answer.causing(StatusEffect("", WINNER, winner, "PF-21", this_turn=True))


def choose_order(
    rules: Rules,
    winner: str,
    choice: Annotated[str, Asked("Does the winner move first (A) or second (B)?")],
    players: tuple[str, ...] = ("P1", "P2"),
) -> Verdict:
    """The players in the seats A and B."""
    others = [player for player in players if player != winner]
    if len(players) != 2 or len(others) != 1:
        raise RuleRefusal("wrong_players", f"the winner {winner!r} must be one of two players")
    if choice not in ("A", "B"):
        raise RuleRefusal("bad_choice", f"the seats are A and B, not {choice!r}")
    first, second = (winner, others[0]) if choice == "A" else (others[0], winner)
    seated = {SEAT_A: first, SEAT_B: second}
    found = verdict(f"{first} moves first", rules.because("PF-23"), **seated)
    return found.causing(*(StatusEffect("", seat, side, "PF-23", this_turn=True) for seat, side in seated.items()))


class Link(Record):
    """The link between a side's Commander and its troops."""

    commander_destroyed: Annotated[bool, units.COMMANDER_LOST] = False
    radioman_destroyed: Annotated[bool, units.RADIO_LOST] = False
    out_of_touch: bool = False

    @property
    def cut_off(self) -> bool:
        """Whether no order reaches the troops."""
        return self.out_of_touch or self.radioman_destroyed


class Command(Link):
    """A side's Commander and its troops; vehicles count where no trooper is left."""

    commander_alive: bool = False
    commander_TL: Rating | None = None
    trooper_TLs: tuple[Rating, ...] = ()
    vehicle_TLs: tuple[Rating, ...] = ()


def initiative_level(rules: Rules, side: Command) -> Verdict:
    """The level on which a side rolls for initiative."""
    alive = side.commander_alive and not side.commander_destroyed
    levels = side.trooper_TLs or side.vehicle_TLs
    in_touch = alive and not side.cut_off
    his_own = not alive and rules.chooses("dead_commander_level", "his_own")
    numbers = {"in_touch": in_touch, "modifier": 0 if alive else int(limit(rules, "initiative_without_commander"))}
    if (in_touch or his_own) and side.commander_TL is not None:
        return verdict("commander", rules.because("PF-21"), level=side.commander_TL, **numbers)
    if not levels:
        return forbidden("no_trooper", rules.because("PF-90", "nobody is left to roll for the side"))
    rule = "PF-90" if alive else "PF-24"
    outcome = "highest trooper" if side.trooper_TLs else "highest vehicle"
    return verdict(outcome, rules.because(rule), level=max(levels), **numbers)


# Morale.


class Spirits(Link):
    """All that bears on a trooper's morale; units are counted against those that the side began with."""

    commander_distance_in: Inches | None = None
    is_commander: Annotated[bool, units.COMMANDER] = False
    enemy_units: Annotated[Count, units.fate_of("enemy", "units")] = 0
    enemy_destroyed: Annotated[Count, units.fate_of("enemy", "destroyed")] = 0
    enemy_routed: Annotated[Count, units.fate_of("enemy", "routed")] = 0
    enemy_routed_off: Annotated[Count, units.fate_of("enemy", "routed_off")] = 0
    friendly_units: Annotated[Count, units.fate_of("friendly", "units")] = 0
    friendly_destroyed: Annotated[Count, units.fate_of("friendly", "destroyed")] = 0
    friendly_routed: Annotated[Count, units.fate_of("friendly", "routed")] = 0
    friendly_routed_off: Annotated[Count, units.fate_of("friendly", "routed_off")] = 0


def morale_modifier(rules: Rules, spirits: Spirits) -> Verdict:
    """The sum of all morale modifiers."""
    reasons = modifiers(rules, spirits) or [rules.because("PF-56", "nothing bears on his morale")]
    return verdict("modifier", *reasons, modifier=int(total(reasons)))


def modifiers(rules: Rules, spirits: Spirits) -> list[Reason]:
    """Every morale modifier that applies, in the order of the table."""
    rows = rules.tables.morale_modifiers
    shares = _shares(rules, spirits)
    reached = {name: row for name, row in rows.items() if row.counted and within(row.share, shares[row.counted])}
    if rules.chooses("shares", "replace"):
        highest = {row.counted: row.share for row in sorted(reached.values(), key=lambda row: row.share)}
        reached = {name: row for name, row in reached.items() if row.share == highest[row.counted]}
    lost = spirits.commander_destroyed or (spirits.cut_off and rules.chooses("out_of_touch_morale", "as_destroyed"))
    plain = {"commander_within_6in": _near(rules, spirits), "commander_destroyed": lost}
    held = [row for name, row in rows.items() if name in reached or plain.get(name, False)]
    return [rules.because(row.rule, row.text, row.modifier) for row in held]


def _shares(rules: Rules, spirits: Spirits) -> Mapping[str, float]:
    """The share of each side that met each fate; below every limit where a side began with nothing."""
    off_as = str(rules.option("routed_off"))
    found = {}
    for side in ("enemy", "friendly"):
        units, off = getattr(spirits, f"{side}_units"), getattr(spirits, f"{side}_routed_off")
        for fate in ("destroyed", "routed"):
            many = getattr(spirits, f"{side}_{fate}") + (off if fate == off_as else 0)
            if many > units:
                raise RuleRefusal("bad_count", f"of {units} {side} units {many} cannot be {fate}: count them again")
            found[f"{side}_{fate}"] = many / units if units else -1.0
    return found


def _near(rules: Rules, spirits: Spirits) -> bool:
    distance_in = spirits.commander_distance_in
    if spirits.is_commander:
        near = rules.chooses("commander_steadies_himself", True)
    else:
        near = distance_in is not None and within(distance_in, limit(rules, "commander_near_in"))
    return near and not spirits.commander_destroyed and not spirits.cut_off


_NO_CAUSE = Source(lambda context: context.rules.option("morale_without_cause") or UNKNOWN)


class MoraleCheck(Spirits):
    """A trooper that checks its morale."""

    TL: Annotated[LevelName, of_actor(units.training)]
    class_: ClassName = "trooper"
    destroyed: bool = False
    routed: Annotated[bool, status(ROUTED)] = False
    something_happened: Annotated[bool, Asked("Did anything happen to this unit in this round?"), _NO_CAUSE] = True


def morale_check(rules: Rules, trooper: MoraleCheck) -> Procedure[Verdict]:
    """A morale check, where the unit makes one."""
    if trooper.destroyed:
        return forbidden("destroyed", rules.because("PF-55", "only survivors check"))
    if not rules.tables.classes[trooper.class_].checks_morale:
        return forbidden("vehicles_do_not_check", rules.because("PF-55", "only troopers check"))
    if not trooper.something_happened and not trooper.routed and not rules.option("morale_without_cause"):
        return forbidden("no_cause", rules.because("PF-55", "nothing happened to this unit"))
    rolled, _ = yield from fudge(rules, "the trooper", "morale")
    level = rating(rules, trooper.TL)
    reasons = [thrown(rules, "PF-56", rolled), rules.because("PF-13", f"Training {trooper.TL}", level)]
    reasons += modifiers(rules, trooper)
    reached, needed = int(total(reasons)), rules.option("morale_target")
    passed = reached >= needed
    ends = [rules.because("PF-66")] if trooper.routed else [] if passed else [rules.because("PF-65")]
    numbers: dict[str, Any] = {"total": reached, "needed": needed, "passed": passed, "routed": not passed}
    return verdict("passed" if passed else "routed", *reasons, *ends, **numbers)
