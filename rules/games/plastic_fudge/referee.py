"""Plastic Fudge: the referee: the possible actions of a unit on a measured table."""

from __future__ import annotations

from rules.engine.condition import CONDITIONS, condition, unharmed
from rules.engine.effects import next_step
from rules.engine.events import PhaseBegun
from rules.engine.position import Position
from rules.engine.referee import FIRE, Referee
from rules.games.plastic_fudge import statuses
from rules.games.plastic_fudge.board import ground
from rules.games.plastic_fudge.command import steps
from rules.games.plastic_fudge.referee_effects import effects
from rules.games.plastic_fudge.referee_fire import at_spot, attacks, others
from rules.games.plastic_fudge.referee_moves import march, movement, not_here
from rules.games.plastic_fudge.referee_obligations import obligations
from rules.games.plastic_fudge.tables import Tables
from rules.games.plastic_fudge.units import card, rules_of
from rules.tabletop.scene import SightRules


def next_phase(position: Position) -> PhaseBegun:
    """The parts of the round, A's and B's as the winner of the initiative chose; else as the players are named."""
    state, row = position.state, rules_of(position).tables.phases.get(position.state.phase)
    first, second = statuses.SEAT_A, statuses.SEAT_B
    seats = dict(zip((first, second), state.sides, strict=False)) | dict(state.this_turn)
    if row is not None and row.seat and state.side not in ("", seats.get(row.seat)):
        seats |= {first: seats.get(second, ""), second: seats.get(first, "")}
    jets = any(
        card(position, unit).called and not_here(position, unit) is None
        for unit in state.units.values()
        if not unit.out
    )
    return next_step(state, steps(rules_of(position), seats, called=jets))


def rounds(position: Position) -> tuple[str, ...]:
    """In the phases of attacks."""
    row = rules_of(position).tables.phases.get(position.state.phase)
    return (FIRE,) if row is not None and row.attacks else ()


REFEREE: Referee[Tables] = Referee(
    sight=lambda _: SightRules(),  # the usual ones, because the sheet does not mention them
    movement=movement,
    march=march,
    attacks=attacks,
    others=others,
    obligations=obligations,
    effects=effects,
    next_phase=next_phase,
    at_spot=at_spot,
    ground=ground,
    rounds=rounds,
    this_turn=statuses.THIS_TURN,
    harmless=frozenset({statuses.ATTACKED_BY_HAND}),
    inside=frozenset({statuses.RIDES}),
    conditions={
        **CONDITIONS,
        "unharmed": unharmed(
            statuses.FALLS,
            statuses.INJURIES,
            statuses.LOST,
            statuses.LOST_BEFORE,
            statuses.EXPLODES,
            statuses.ROUTED,
        ),
        "killed, once all have attacked": condition(statuses.FALLS),
        "injured": condition(statuses.LOST, value=1),
        "routed": condition(statuses.ROUTED),
        "rallied": condition(statuses.ROUTED, value=None),
    },
)
