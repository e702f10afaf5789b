"""Fudge Miniatures Battles: the referee, and the steps of the players' turns."""

from __future__ import annotations

from rules.engine.condition import CONDITIONS, condition, unharmed
from rules.engine.effects import next_step
from rules.engine.events import Change, PhaseBegun
from rules.engine.objectives import Task
from rules.engine.position import Position
from rules.engine.referee import FIRE, Referee, verdict_without_dice
from rules.engine.ruleset import Ruleset
from rules.games.fudge_miniatures import statuses
from rules.games.fudge_miniatures.referee_actions import USUAL_GOAL, goals, obligations, others
from rules.games.fudge_miniatures.referee_effects import effects, task_held
from rules.games.fudge_miniatures.referee_fight import attacks
from rules.games.fudge_miniatures.referee_moves import march, movement
from rules.games.fudge_miniatures.referee_turn import order, rules_of, step_of
from rules.games.fudge_miniatures.shooting import sight_rules
from rules.games.fudge_miniatures.tables import Tables
from rules.games.fudge_miniatures.turn import turn_steps


def next_phase(position: Position) -> PhaseBegun:
    """The steps of each player's turn, of his whole force or of one model after another; then the next player's."""
    state = position.state
    return next_step(state, [(side, phase) for side in order(state) for phase in _phases(position, side)])


def at_phase_end(position: Position) -> tuple[Change, ...]:
    """The tasks that a side has kept up for a turn more, as far as the table shows whether it has."""
    shown = (one for one in goals(position) if one.given.get("turns_agreed") is not None and "held" in one.given)
    found = ((str(one.given["side"]), verdict_without_dice(position.game, one.name, one.given)) for one in shown)
    return tuple(change for side, task in found if task for change in task_held(position, side, task))


def _phases(position: Position, side: str) -> list[str]:
    """The steps of a side that has models left, or had as its turn began; handing the turn on is not among them."""
    state, (_, now) = position.state, step_of(position)
    if side != state.side and not state.standing(side) and any(state.figures_left.values()):
        return []
    force = tuple(unit.id for unit in state.units.values() if unit.side == side and (not unit.out or unit.id == now))
    steps = [one for one in turn_steps(rules_of(position), force or (side,)).numbers["steps"] if one["model"]]
    alone = rules_of(position).chooses("activation", "model_by_model")
    return list(dict.fromkeys(f"{one['step']} {one['model']}" if alone else str(one["step"]) for one in steps))


def rounds(position: Position) -> tuple[str, ...]:
    """In the step of actions."""
    step, _ = step_of(position)
    return (FIRE,) if step is not None and step.acts else ()


def moves(position: Position) -> bool:
    """In the two steps of moves."""
    step, _ = step_of(position)
    return step is not None and step.moves


def tasks(rules: Ruleset[Tables]) -> tuple[Task, ...]:
    """The scenarios' tasks; some are to be kept up for turns that are agreed."""
    rows = rules.tables.goals
    return tuple(
        Task(name, row.text, row.rule, number="turns", number_key=statuses.agreed_for, usual=3)
        if row.turns
        else Task(name, row.text, row.rule)
        for name, row in sorted(rows.items(), key=lambda one: one[0] != USUAL_GOAL)
    )


COURAGE = (statuses.GUTS_OWED, statuses.SHAKEN, statuses.MUST_RUN)
"""The statuses of a model whose Guts failed or are to be checked."""

REFEREE: Referee[Tables] = Referee(
    sight=sight_rules,
    movement=movement,
    march=march,
    attacks=attacks,
    others=others,
    obligations=obligations,
    effects=effects,
    next_phase=next_phase,
    at_phase_end=at_phase_end,
    rounds=rounds,
    moves=moves,
    tasks=tasks,
    this_turn=statuses.THIS_TURN,
    conditions={
        **CONDITIONS,
        "unharmed": unharmed(statuses.WOUNDS, statuses.TO_MARK, *COURAGE, statuses.CLINGS, statuses.FALLS),
        "of good courage": condition(*COURAGE, value=None),
        "running": condition(statuses.MUST_RUN),
        "scratch": condition(statuses.WOUNDS, value=["scratch"]),
        "hurt": condition(statuses.WOUNDS, value=["hurt"]),
        "very hurt": condition(statuses.WOUNDS, value=["very_hurt"]),
    },
)
