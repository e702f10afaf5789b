"""Army Men: set-up, the turn's phases, opportunity fire, casualties and victory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from rules.engine.common import SIDES
from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.facts import UNKNOWN, Source, of_actor
from rules.engine.ruleset import limit, refused
from rules.engine.schema import Asked, Count, Row
from rules.engine.verdict import RuleRefusal, StatusEffect, Verdict, forbidden, verdict
from rules.games.army_men import status
from rules.games.army_men.tables import Indirect, Rules, WeaponName


def set_up(
    rules: Rules,
    players: tuple[str, ...],
    playing_area: bool = False,
    victory_conditions: bool = False,
    forces: bool = False,
    starting_positions: bool = False,
) -> Verdict:
    """Whether the game can begin, and the agreements that are still missing."""
    agreed = {"playing_area": playing_area, "victory_conditions": victory_conditions}
    agreed |= {"forces": forces, "starting_positions": starting_positions}
    missing = [name for name, done in agreed.items() if not done]
    enough = len(set(players)) >= limit(rules, "players_fewest")
    ready = enough and not missing
    reasons = (rules.because("AM-02"), rules.because("AM-04"), rules.because("AM-05"))
    return verdict("ready" if ready else "to agree", *reasons, ready=ready, enough_players=enough, missing=missing)


def force_advice(
    rules: Rules, men: Count, defenders: Annotated[Count | None, Asked("How many defend the fortified place?")] = None
) -> Verdict:
    """A force compared with the rulebook's advice, which is not binding."""
    fewest, most = limit(rules, "men_fewest"), limit(rules, "men_most")
    typical = fewest <= men <= most
    wanted = None if defenders is None else defenders * limit(rules, "attackers_per_defender")
    reasons = [rules.because("AM-07")] + ([rules.because("AM-08")] if wanted is not None else [])
    strong = wanted is None or men >= wanted
    return verdict("as advised" if typical and strong else "unusual", *reasons, typical=typical, strong_enough=strong)


_SEATS = Source(lambda context: [f"player {number}" for number in range(1, len(context.position.state.sides) + 1)])


def draw_armies(
    rules: Rules, players: Annotated[tuple[str, ...], _SEATS], colours: Annotated[tuple[str, ...], SIDES]
) -> Procedure[Verdict]:
    """Each player in turn draws one of the armies that are left; a die stands for the closed hand."""
    left = list(colours)
    if len(players) != len(left) or not 0 < len(left) <= len(Die.D6.faces):
        raise RuleRefusal("wrong_armies", f"{len(players)} players need as many armies, at most six")
    drawn = {}
    for player in players:
        fair = len(Die.D6.faces) // len(left) * len(left)
        request = DiceRequest(Die.D6, 1, player, f"drawing one of {len(left)} armies")
        roll = (yield request) if len(left) > 1 else None
        while roll is not None and roll.total > fair:
            roll = yield request.once_more()
        drawn[player] = left.pop((roll.total - 1) % len(left) if roll else 0)
    owners = [StatusEffect("", status.PLAYS.format(player), side, "AM-05") for player, side in drawn.items()]
    return verdict("drawn", rules.because("AM-05"), armies=drawn).causing(*owners)


def move_order(rules: Rules, players: Annotated[tuple[str, ...], SIDES]) -> Procedure[Verdict]:
    """The order in which the players move.

    Raises:
        RuleRefusal: "same_player_twice".
    """
    if len(set(players)) < len(players):
        raise RuleRefusal("same_player_twice", f"two players have one name: {', '.join(players)}")
    order = yield from _ordered(rules, players, "the first move")
    every_turn = rules.chooses("order_every_turn", True)
    found = verdict(order[0] if order else "nobody", rules.because("AM-06"), order=order, every_turn=every_turn)
    kept = [StatusEffect("", status.ORDER, order, "AM-06", this_turn=True)] if every_turn else []
    return found.causing(StatusEffect("", status.ORDER, order, "AM-06"), *kept)


def _ordered(rules: Rules, players: Sequence[str], why: str) -> Procedure[list[str]]:
    """The players by their dice, highest first; the tied among them roll again."""
    reroll = rules.chooses("first_move_ties", "reroll")
    rolls = yield from _thrown(players, why, again=False)
    while reroll and len(players) > 1 and len(set(rolls.values())) == 1:
        rolls = yield from _thrown(players, why, again=True)
    order: list[str] = []
    for face in sorted(set(rolls.values()), reverse=True):
        tied = [player for player in players if rolls[player] == face]
        if len(tied) > 1 and reroll:
            tied = yield from _ordered(rules, tied, f"the tie of {' and '.join(tied)}")
        order += tied
    return order


def _thrown(players: Sequence[str], why: str, *, again: bool) -> Procedure[dict[str, int]]:
    rolls = {}
    for player in players:
        roll = yield DiceRequest(Die.D6, 1, player, why, again=again and player == players[0])
        rolls[player] = roll.total
    return rolls


def phases(rules: Rules) -> Verdict:
    """The phases of a turn in order."""
    rows = sorted(rules.tables.phases.items(), key=lambda named: named[1].number)
    found = [{"number": row.number, "name": name, "simultaneous": row.simultaneous} for name, row in rows]
    reasons = (rules.because("AM-12"), rules.because("AM-13"), rules.because("AM-14"))
    return verdict("phases", *reasons, phases=found)


def may_still_attack(rules: Rules, weapon: WeaponName, destroyed_in_phase: Count) -> Verdict:
    """Whether a destroyed unit still has its attack."""
    phase = rules.tables.weapons[weapon].phase
    if phase == destroyed_in_phase:
        return verdict("allowed", rules.because("AM-15"), allowed=True)
    return forbidden("destroyed", rules.because("AM-15"))


_WANTED = Source(lambda context: 0 if context.rules.chooses("wounded_limit", 0) else UNKNOWN)


_KEPT_BEFORE = of_actor(lambda position, unit: int(position.state.statuses.get(status.KEPT.format(unit.side), 0)))


def casualties(
    rules: Rules,
    casualties: Annotated[Count, Source(lambda context: len(context.men))],
    wanted: Annotated[Count, Asked("How many become wounded men or dropped weapons?"), _WANTED] = 0,
    kept_before: Annotated[Count, _KEPT_BEFORE] = 0,
) -> Verdict:
    """Whether so many may be kept as the phase closes."""
    most = max(0, min(casualties, rules.option("wounded_limit") - kept_before))
    numbers = {"most": most, "chosen_by": rules.option("wounded_chosen_by")}
    if wanted > most:
        return forbidden("too_many_wounded", rules.because("AM-17"), **numbers)
    removed = casualties - wanted
    return verdict("removed", rules.because("AM-17"), allowed=True, removed=removed, kept=wanted, **numbers)


def opportunity_fire(
    rules: Rules,
    weapon: WeaponName,
    target_crossed_los: Annotated[bool, Asked("Did the firer see the target at any moment of its move?")] = False,
    target_in_los_at_end: bool = False,
    attacks_made_this_turn: Count = 0,
) -> Verdict:
    """Whether a unit may be fired at that was seen on its way."""
    row = rules.tables.weapons[weapon]
    unseen = not (target_crossed_los or target_in_los_at_end)
    direct = row.indirect is Indirect.NEVER or (row.indirect is Indirect.CAN and target_in_los_at_end)
    bars = (unseen, "no_line_of_sight", "AM-34"), (not direct, "indirect_weapon", "AM-34")
    bar = refused(rules, (attacks_made_this_turn > 0, "already_attacked", "AM-37"), *bars)
    phase = row.phase if rules.chooses("opportunity_fire_in", "weapon_phase") else 1
    return bar or verdict("allowed", rules.because("AM-34"), allowed=True, phase=phase)


def is_silent(rules: Rules, weapon: str | None) -> bool:
    """Whether the target of a weapon does not answer it, because it makes no noise."""
    return weapon == "knife" and rules.chooses("silent_knife", "no_return_fire")


def return_fire(
    rules: Rules, attacked_by_opportunity_fire: bool = False, attackers_weapon: WeaponName | None = None
) -> Verdict:
    """Whether a unit may fire back at one that it may no longer see."""
    silent = (is_silent(rules, attackers_weapon), "silent", "AM-44")
    bar = refused(rules, (not attacked_by_opportunity_fire, "not_attacked", "AM-35"), silent)
    return bar or verdict("allowed", rules.because("AM-35"), allowed=True)


def victory(
    rules: Rules,
    goal: Annotated[str, Row("goals", "unknown_goal")],
    side: str = "",
    enemies_left: Count | None = None,
    own_left: Count | None = None,
    done: Annotated[bool, Asked("Is the goal reached?")] = False,
) -> Verdict:
    """Whether a side's goal is reached; a side without units has not won by destroying all others."""
    row = rules.tables.goals[goal]
    won = enemies_left == 0 if row.counted and enemies_left is not None else done
    won = won and not (row.counted and own_left == 0)
    winner = {"winner": side} if won and side else {}
    return verdict("victory" if won else "not yet", rules.because(row.rule, row.text), victory=won, **winner)
