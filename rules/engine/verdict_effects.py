"""Turns the effects in a verdict into changes of the acting figures and their targets."""

from __future__ import annotations

from rules.engine.effects import moves_along, status_changes
from rules.engine.events import Effects
from rules.engine.position import Position
from rules.engine.referee import Action
from rules.engine.verdict import ACTORS, TARGETS, MoveEffect, StatusEffect, Verdict


def effects_of(position: Position, action: Action, found: Verdict) -> Effects:
    """The effects of a verdict on the figures of its action."""
    moves = [
        move
        for one in found.effects
        if isinstance(one, MoveEffect)
        for move in moves_along(position, action.paths, one.cost_in, action.facing_deg)
    ]
    names = {ACTORS: action.by, TARGETS: action.at}
    changes = [
        change
        for one in found.effects
        if isinstance(one, StatusEffect)
        for change in status_changes(
            names.get(one.figure, (one.figure,)), one.status, one.value, one.rule, this_turn=one.this_turn
        )
    ]
    return Effects(moves=tuple(moves), changes=tuple(changes))
