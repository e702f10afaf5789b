"""Exports a battle as text or as JSON. No Qt here."""

from __future__ import annotations

import json
from typing import Any

from rules.battle.battle import Battle
from rules.battle.event_codec import is_event
from rules.battle.journal import Entry, standing
from rules.battle.progress import Step, no_step
from rules.battle.replay import Difference, differences
from rules.battle.story import story_lines
from rules.engine.events import plain
from rules.engine.text import display_name

SCHEMA = 1


def story_text(battle: Battle, step: Step = no_step) -> str:
    """The story of the battle, the figures left, the number of undone entries, and verdicts that would now differ.

    Raises:
        UserError: if `step` raises it.
    """
    held = standing(battle.entries)
    lines = list(story_lines(battle.game, battle.in_force.values()))
    left = (f"{display_name(side)} {figures}" for side, figures in battle.state.figures_left.items())
    lines += ["", f"Figures left: {', '.join(left)}."]
    undone = sum(map(is_event, battle.entries)) - len(held)
    lines += [f"Taken back: {undone} {'entry' if undone == 1 else 'entries'}."] if undone else []
    lines += map(_difference_words, differences(battle.game, battle.events, step))
    return "\n".join(lines) + "\n"


def battle_document(battle: Battle, step: Step = no_step) -> dict[str, Any]:
    """The journal, its state, and the verdicts that would now differ, as JSON; raises as `story_text`."""
    held = {entry.seq for entry in standing(battle.entries)}
    return {
        "schema": SCHEMA,
        "state": plain(battle.state),
        "entries": [_entry(entry, held) for entry in battle.entries],
        "differences": plain(differences(battle.game, battle.events, step)),
    }


def battle_json(battle: Battle, step: Step = no_step) -> bytes:
    """`battle_document` as the bytes of a file; raises as `story_text`."""
    return (json.dumps(battle_document(battle, step), indent=1, allow_nan=False) + "\n").encode()


def _entry(entry: Entry, held: set[int]) -> dict[str, Any]:
    return {**plain(entry), "stands": entry.seq in held}


def _difference_words(found: Difference) -> str:
    return f"Entry {found.seq}: the verdict was {found.was}, but the present rules say {found.now}."
