"""Simple Plastic Wargame: armies, the turn, and how the game ends."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Annotated

from rules.engine.common import FIGURES_LEFT, SIDES, highest_die, last_standing
from rules.engine.dice import Procedure
from rules.engine.ruleset import limit, row_title
from rules.engine.schema import Asked, Count, Row
from rules.engine.verdict import RuleRefusal, StatusEffect, Verdict, forbidden, verdict
from rules.games.simple_plastic.tables import Rules, UnitName
from rules.tabletop.table import Posture

STEPS = "steps"
"""Status of the battle: who does what in a turn, where dice decided it."""

# Armies.


def squad_legal(rules: Rules, members: tuple[UnitName, ...]) -> Verdict:
    """Whether these men may form a squad."""
    if not members:
        raise RuleRefusal("empty_squad", "a squad needs at least one man: name its members")
    outcast = next((unit for unit in members if not rules.tables.units[unit].in_squad), None)
    if outcast is not None:
        return forbidden("not_in_squad", rules.because("SP-20"), legal=False, unit=outcast)
    return verdict("legal", rules.because("SP-20"), legal=True)


def army_legal(rules: Rules, squads: Count, specialists: Count, lone_specialists: Count = 0) -> Verdict:
    """Whether there is a squad for every specialist; some of them may be alone."""
    if lone_specialists > specialists:
        text = f"{lone_specialists} of {specialists} specialists cannot be alone: count again"
        raise RuleRefusal("bad_count", text)
    lone = lone_specialists if rules.chooses("lone_specialist_is_squad", True) else 0
    most = int((squads + lone) * limit(rules, "specialists_per_squad"))
    if specialists > most:
        text = f"{specialists} specialists; {squads} squads allow {most}"
        return forbidden("too_many_specialists", rules.because("SP-18", text), legal=False, most=most)
    return verdict("legal", rules.because("SP-18"), legal=True, most=most)


def force_legal(
    rules: Rules, squads_of: tuple[tuple[UnitName, ...], ...] = (), alone: tuple[UnitName, ...] = ()
) -> Verdict:
    """Whether an army may be fielded."""
    units = rules.tables.units
    for squad in squads_of:
        if not (answer := squad_legal(rules, squad)).allowed:
            return answer
    for unit in alone:
        if not units[unit].alone:
            return forbidden("not_alone", rules.because(units[unit].rule), legal=False, unit=unit)
    lone = sum(units[unit].special for unit in alone)
    in_squads = sum(units[unit].special for squad in squads_of for unit in squad)
    return army_legal(rules, squads=len(squads_of), specialists=lone + in_squads, lone_specialists=lone)


def unit_of_posture(rules: Rules, posture: Posture) -> Verdict:
    """The default unit of a figure."""
    row = rules.tables.postures[posture]
    reason = rules.because(row.rule, row.text)
    if row.unit is None:
        return forbidden("no_unit", reason, unit=None)
    return verdict(row.unit, reason, unit=row.unit, ask=True)


def unit_card(rules: Rules, card: Annotated[str, Row("cards", "unknown_card")]) -> Verdict:
    """A ready unit with all that its kind brings."""
    row = rules.tables.cards[card]
    unit = rules.tables.units[row.unit]
    numbers = {**dataclasses.asdict(unit), "title": row.title, "unit": row.unit, "note": row.note}
    del numbers["rule"]
    numbers["move_in"] = limit(rules, "move_in")
    return Verdict(row.title, numbers, (rules.because(row.rule), rules.because(unit.rule, row_title(row.unit))))


# The turn.


def phase_order(rules: Rules) -> Verdict:
    """The phases of a turn in order."""
    return verdict("phases", rules.because("SP-01"), phases=_phases(rules))


def _phases(rules: Rules) -> list[str]:
    return sorted(rules.tables.phases, key=lambda name: rules.tables.phases[name].number)


def turn_sequence(
    rules: Rules,
    players: Annotated[tuple[str, ...], Asked("In which order do the players take their turns?"), SIDES],
) -> Procedure[Verdict]:
    """The phases of a turn with their sides, in order."""
    if not players or len(set(players)) < len(players):
        raise RuleRefusal("wrong_players", "two players have the same name: give each their own")
    by_dice = rules.chooses("first_player", "highest_die")
    order = (yield from highest_die(players, "who begins")) if by_dice else list(players)
    if rules.chooses("turn_order", "whole_turns"):
        steps = [[player, phase] for player in order for phase in _phases(rules)]
    else:
        steps = [[player, phase] for phase in _phases(rules) for player in order]
    found = verdict(order[0], rules.because("SP-01"), rules.because("SP-27"), order=order, steps=steps)
    return found.causing(StatusEffect("", STEPS, steps, "SP-27"))


# The end.


def victory(
    rules: Rules,
    figures_left: Annotated[Mapping[str, Count], FIGURES_LEFT],
    objective_reached_by: Annotated[str | None, Asked("Which side reached the agreed objective?")] = None,
) -> Verdict:
    """Whether the game is over, and who won; None if no figure is left."""
    by_objective = not rules.chooses("victory", "elimination")
    reached = objective_reached_by
    if reached is not None and reached not in figures_left:
        raise RuleRefusal("unknown_side", f"{reached!r} is no side of this battle: {', '.join(figures_left)}")
    if reached is not None and by_objective:
        return _over(rules, "objective", reached)
    end = last_standing(figures_left)
    if end.over and not rules.chooses("victory", "objective"):
        return _over(rules, "elimination", end.winner)
    return verdict("not yet", rules.because("SP-27"), over=False, winner=None, by=None)


def _over(rules: Rules, goal: str, winner: str | None) -> Verdict:
    row = rules.tables.goals[goal]
    return verdict(
        "victory" if winner else "draw", rules.because(row.rule, row.text), over=True, winner=winner, by=goal
    )
