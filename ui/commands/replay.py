"""A battle's journal as a story, or as JSON; both say where the rules would now answer otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rules.battle import Battle
from ui.battle.export import battle_document, story_text


def replay_text(path: Path) -> str:
    """The story of the battle in a file: what holds, then how it stands, and what was taken back.

    Raises:
        Refused: if there is no battle, or the file is damaged, foreign or newer.
    """
    with _opened(path) as battle:
        return story_text(battle)


def replay_json(path: Path) -> dict[str, Any]:
    """The journal, the state that it folds into, and the differences; raises as `replay_text`."""
    with _opened(path) as battle:
        return battle_document(battle)


def _opened(path: Path) -> Battle:
    return Battle.open(path, lambda: 0.0)  # nothing is written, so the time is never asked
