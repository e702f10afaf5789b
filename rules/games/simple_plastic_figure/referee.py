"""Simple Plastic Figure: the referee, and the parts of a turn on its table."""

from __future__ import annotations

from collections.abc import Iterator

from rules.engine.condition import CONDITIONS, unharmed
from rules.engine.effects import next_step
from rules.engine.events import PhaseBegun
from rules.engine.position import Position
from rules.engine.referee import FIRE, Action, Referee, verdict_without_dice
from rules.engine.verdict import Verdict
from rules.games.simple_plastic_figure.board import sight_rules
from rules.games.simple_plastic_figure.figures import ground, phase
from rules.games.simple_plastic_figure.referee_actions import calls_at_spot, obligations, others, tasks
from rules.games.simple_plastic_figure.referee_effects import effects
from rules.games.simple_plastic_figure.referee_fire import at_targets, attacks, explosives_at
from rules.games.simple_plastic_figure.referee_moves import march, movement
from rules.games.simple_plastic_figure.statuses import FIRST, INITIATIVE, LOST, THIS_TURN
from rules.games.simple_plastic_figure.tables import Tables
from rules.tabletop.table import PointIn


def at_spot(position: Position, figure: str, spot_in: PointIn) -> Iterator[Action]:
    """Every explosive of a figure, or that it calls for, at a bare place."""
    yield from explosives_at(position, figure, spot_in)
    yield from calls_at_spot(position, figure, spot_in)


def next_phase(position: Position) -> PhaseBegun:
    """The halves of the turn as the winner of the dice chose, else as the sides are named; its end is passed over."""
    state = position.state
    first = str(state.this_turn.get(FIRST) or state.sides[0])
    second = next((side for side in state.sides if side != first), first)
    found = verdict_without_dice(position.game, "turn", {"first": first, "second": second})
    steps = found.numbers["steps"] if found else []
    known = [(step["side"] or "", step["phase"]) for step in steps]
    return next_step(state, [(side, name) for side, name in known if side or name == INITIATIVE])


def rounds(position: Position) -> tuple[str, ...]:
    """In the actions of a side."""
    now = phase(position)
    return (FIRE,) if now is not None and now.acts else ()


def strayed(position: Position, action: Action, found: Verdict) -> tuple[PointIn, PointIn] | None:
    """Where a shell was to go and where it comes down."""
    aimed, fell = action.given.get("spot_in"), found.numbers.get("spot_in")
    if not aimed or not fell:
        return None
    ends = (float(aimed[0]), float(aimed[1])), (float(fell[0]), float(fell[1]))
    return ends if ends[0] != ends[1] else None


REFEREE: Referee[Tables] = Referee(
    sight=sight_rules,
    movement=movement,
    march=march,
    attacks=attacks,
    others=others,
    obligations=obligations,
    effects=effects,
    next_phase=next_phase,
    at_spot=at_spot,
    at_targets=at_targets,
    ground=ground,
    rounds=rounds,
    strayed=strayed,
    tasks=tasks,
    this_turn=THIS_TURN,
    conditions={**CONDITIONS, "unharmed": unharmed(LOST)},
)
