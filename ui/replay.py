"""A battle's journal as a story, or as JSON; both say where the rules would now answer otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rules.battle import Battle, Difference, differences
from rules.events import event_of, is_event, plain, spoken
from rules.journal import Entry, standing
from rules.story import tell

SCHEMA = 1


def replay_text(path: Path) -> str:
    """The story of the battle in a file: what holds, then how it stands, and what was taken back.

    Raises:
        Refused: if there is no battle, or the file is damaged, foreign or newer.
    """
    with _opened(path) as battle:
        held = standing(battle.entries)
        lines = list(tell(battle.game, map(event_of, held)))
        left = (f"{spoken(side)} {figures}" for side, figures in battle.state.figures_left.items())
        lines += ["", f"Figures left: {', '.join(left)}."]
        gone = sum(map(is_event, battle.entries)) - len(held)
        lines += [f"Taken back: {gone} {'entry' if gone == 1 else 'entries'}."] if gone else []
        lines += map(_told, differences(battle.game, battle.entries))
    return "\n".join(lines) + "\n"


def replay_json(path: Path) -> dict[str, Any]:
    """The journal, the state that it folds into, and the differences; raises as `replay_text`."""
    with _opened(path) as battle:
        held = {entry.seq for entry in standing(battle.entries)}
        return {
            "schema": SCHEMA,
            "state": plain(battle.state),
            "entries": [_entry(entry, held) for entry in battle.entries],
            "differences": plain(differences(battle.game, battle.entries)),
        }


def _opened(path: Path) -> Battle:
    return Battle.open(path, lambda: 0.0)  # nothing is written, so the time is never asked


def _entry(entry: Entry, held: set[int]) -> dict[str, Any]:
    return {**plain(entry), "stands": entry.seq in held}


def _told(found: Difference) -> str:
    return f"Entry {found.seq} said {found.was}; the rules of this program say {found.now}."
