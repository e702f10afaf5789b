"""What becomes of the figures: the effects that a verdict carries, with the names of those who act and are targets."""

from __future__ import annotations

from rules.engine.effects import marked, walked
from rules.engine.events import Effects
from rules.engine.position import Position
from rules.engine.referee import Deed
from rules.engine.verdict import ACTORS, TARGETS, Becomes, Goes, Verdict


def effects_of(moment: Position, deed: Deed, found: Verdict) -> Effects:
    """The effects that a verdict carries, on the figures of the action that was asked."""
    moves = [
        move
        for one in found.effects
        if isinstance(one, Goes)
        for move in walked(moment, deed.paths, one.cost_in, deed.facing_deg)
    ]
    names = {ACTORS: deed.by, TARGETS: deed.at}
    changes = [
        change
        for one in found.effects
        if isinstance(one, Becomes)
        for change in marked(
            names.get(one.figure, (one.figure,)), one.status, one.value, one.rule, this_turn=one.this_turn
        )
    ]
    return Effects(moves=tuple(moves), changes=tuple(changes))
