"""Exports a battle as text, as JSON, or as an HTML page with pictures. No Qt here."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator
from html import escape
from typing import Any

from rules.battle.battle import Battle
from rules.battle.event_codec import is_event
from rules.battle.journal import Entry, standing
from rules.battle.progress import Step, no_step
from rules.battle.replay import Difference, differences
from rules.battle.story import story_lines
from rules.engine.events import plain
from rules.engine.text import display_name
from ui.battle.history import HistoryMoment

SCHEMA = 1

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.45 system-ui, sans-serif; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.2rem; border-bottom: 1px solid #8886; }
section { margin: 1.4rem 0; } section.back { opacity: .55; }
h3 { font-size: 1rem; margin: 0 0 .3rem; } time { float: right; font-weight: normal; opacity: .7; }
img { display: block; max-width: 100%; border-radius: 4px; margin: .4rem 0; }
pre { white-space: pre-wrap; font: inherit; margin: 0; }
"""


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


def page(
    title: str, credit: str, story: Iterable[HistoryMoment], picture: Callable[[int], bytes | None], step: Step
) -> bytes:
    """The story as one HTML page with embedded pictures and no script.

    Args:
        title: The game and its players.
        story: The moments that stand.
        picture: Returns the JPEG of an entry.
        step: Called with the progress before every moment.

    Raises:
        UserError: if `step` raises it.
    """
    every = tuple(story)
    parts = [_head(title, credit)]
    for number, position in enumerate(every):
        step(number, len(every))
        parts += _section(position, picture)
    parts.append("</body>\n</html>\n")
    return "\n".join(parts).encode("utf-8", "replace")


def _head(title: str, credit: str) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n<p>{escape(credit)}</p>"
    )


def _section(position: HistoryMoment, picture: Callable[[int], bytes | None]) -> Iterator[str]:
    when = position.when
    clock = f'<time datetime="{when:%Y-%m-%dT%H:%M:%S}">{when:%H:%M}</time>' if when else ""
    heading = "h2" if position.is_phase else "h3"
    yield f"<section><{heading}>{clock}{escape(position.title)}</{heading}>"
    jpeg = next((found for seq in reversed(position.seqs) if (found := picture(seq))), None)
    if jpeg is not None:
        data = base64.b64encode(jpeg).decode()
        yield f'<img alt="{escape(position.title)}" src="data:image/jpeg;base64,{data}">'
    lines = "" if position.lines == (position.title,) or heading == "h2" else escape("\n".join(position.lines))
    yield f"<pre>{lines}</pre></section>" if lines else "</section>"


def _entry(entry: Entry, held: set[int]) -> dict[str, Any]:
    return {**plain(entry), "stands": entry.seq in held}


def _difference_words(found: Difference) -> str:
    return f"Entry {found.seq}: the verdict was {found.was}, but the present rules say {found.now}."
