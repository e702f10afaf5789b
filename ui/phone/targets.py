"""What a figure can do, for the phone page: each target with its chance, and why the others are out of reach."""

from __future__ import annotations

from typing import Any

from rules.battle.referees import referee_of
from rules.engine.position import Position
from rules.engine.referee import ActionPreview, available_actions
from rules.engine.text import display_name, readable
from rules.tabletop.errors import UserError
from ui.battle.action_text import action_words, card_title, movement_words, reason_rows
from ui.battle.card import forbidden_groups, odds_column, ranked
from ui.formatting import sentence

_MOST_ACTIONS = 40


def targets_data(position: Position, figure: str) -> dict[str, Any]:
    """The actions of a figure as plain data for JSON; takes 30 to 130 ms in a large battle.

    A figure without actions, such as one that is out of the battle, has a `refusal` instead of them.
    """
    title = {"id": figure, "name": display_name(figure)}
    try:
        available = available_actions(referee_of(position.game.name), position, figure)
    except UserError as refusal:
        return {**title, "refusal": readable(str(refusal))}
    previews = (*available.attacks, *available.others)
    order = ranked(previews)
    groups = forbidden_groups(previews, order.impossible)
    return {
        **title,
        "card": card_title(position, position.unit(figure)),
        "move": sentence(movement_words(available)),
        "may_move": available.movement.possible,
        "actions": [_action(previews[number]) for number in (*order.best, *order.more)[:_MOST_ACTIONS]],
        "forbidden": [words for words, _ in groups][:_MOST_ACTIONS],
    }


def _action(preview: ActionPreview) -> dict[str, Any]:
    # The odds of bursts at many targets take seconds; only their names are listed.
    reasons = () if preview.odds_of else reason_rows(preview)
    return {
        "words": action_words(preview),
        "chance": odds_column(preview),
        "at": list(preview.action.at),
        "reasons": list(reasons),
    }
