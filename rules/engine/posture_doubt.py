"""Whether an action depends on a posture that the camera is not sure of.

From above, a kneeling soldier and a standing one can look alike. The players can see which he is; they need only say
so where it matters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from rules.engine.action import Action
from rules.engine.position import Position
from rules.engine.preview import ActionPreview, preview_of
from rules.engine.referee import Referee
from rules.tabletop.table import Posture


@dataclass(frozen=True, slots=True)
class PostureDoubt:
    """A figure whose posture is not certain, and matters to an action.

    Attributes:
        figure: Its id.
        seen: The posture that counts.
        other: The next likeliest posture, with which the rules would say something else.
    """

    figure: str
    seen: Posture
    other: Posture


def posture_doubts(referee: Referee[Any], position: Position, preview: ActionPreview) -> Iterator[PostureDoubt]:
    """The acting and target figures of an attack whose next likeliest posture would change its verdict or odds."""
    action, unsure = preview.action, []
    for name in dict.fromkeys((*action.by, *action.at)):
        figure = position.figures.get(name)
        if figure is not None:
            unsure += [PostureDoubt(name, figure.posture, other) for other in figure.possible_postures[1:]]
    if not unsure or _attack(referee, position, action) is None:
        return
    for doubt in unsure:
        figure = replace(position.figures[doubt.figure], posture=doubt.other)
        otherwise = replace(position, figures={**position.figures, doubt.figure: figure})
        again = _attack(referee, otherwise, action)
        if _said(None if again is None else preview_of(otherwise, again, referee)) != _said(preview):
            yield doubt


def _attack(referee: Referee[Any], position: Position, action: Action) -> Action | None:
    """The same attack in this position; None if it is not offered there, or the action is no attack."""
    if not action.by:
        return None
    by = action.by[0]
    offered = chain(referee.attacks(position, by), referee.at_targets(position, by, action.at))
    return next((one for one in offered if _key(one) == _key(action)), None)


def _key(action: Action) -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    return action.name, action.title, action.by, action.at


def _said(preview: ActionPreview | None) -> tuple[Any, ...]:
    """What must be the same for a posture not to matter."""
    if preview is None:
        return ()
    before = preview.before
    reasons = () if before is None else tuple((one.rule, one.modifier) for one in before.reasons)
    return preview.possible, preview.refused_by, before and before.outcome, reasons, dict(preview.odds)
