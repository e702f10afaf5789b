"""Fudge Miniatures Battles: the referee, and the steps of the players' turns."""

from __future__ import annotations

from rules.aftermath import following
from rules.events import PhaseBegun
from rules.games.fudge_miniatures_attack import sight_rules
from rules.games.fudge_miniatures_referee_deeds import duties, others
from rules.games.fudge_miniatures_referee_effects import effects
from rules.games.fudge_miniatures_referee_fight import attacks
from rules.games.fudge_miniatures_referee_moves import march, movement
from rules.games.fudge_miniatures_referee_turn import order, step_of
from rules.games.fudge_miniatures_tables import Tables
from rules.moment import Moment
from rules.referee import Referee, at_once


def next_phase(moment: Moment) -> PhaseBegun:
    """The steps of each player's turn, of his whole force or of one model after another; then the next player's."""
    state = moment.state
    return following(state, [(side, phase) for side in order(state) for phase in _phases(moment, side)])


def _phases(moment: Moment, side: str) -> list[str]:
    """The steps of a side that has anybody left, or had as its turn began; handing the turn on is none of them."""
    state = moment.state
    _, now = step_of(moment)
    if side != state.side and not state.standing(side) and any(state.figures_left.values()):
        return []
    force = [unit for unit in state.units.values() if unit.side == side]
    models = [unit.id for unit in force if not unit.out or unit.id == now]
    found = at_once(moment.game, "turn_steps", {"models": models or [side]})
    steps = [one for one in found.numbers["steps"] if one["model"]] if found else []
    alone = moment.game.rules.chooses("activation", "model_by_model")
    return list(dict.fromkeys(f"{one['step']} {one['model']}" if alone else str(one["step"]) for one in steps))


REFEREE: Referee[Tables] = Referee(
    sight=sight_rules,
    movement=movement,
    march=march,
    attacks=attacks,
    others=others,
    duties=duties,
    effects=effects,
    next_phase=next_phase,
)
