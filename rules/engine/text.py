"""Figures, changes and events in a player's words, few of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from rules.engine.events import (
    Asked,
    Begun,
    CameraMoved,
    Change,
    Changed,
    Doubted,
    Enlisted,
    Event,
    MarkerMoved,
    Move,
    Moved,
    Noted,
    Overruled,
    PhaseBegun,
    Placed,
    Ruled,
    Settled,
    TableLaid,
)
from rules.tabletop.table import PointIn


def spoken(name: str) -> str:
    """A figure's id or an action's name as a player says it: "tan-4" is Tan 4."""
    words = name.replace("-", " ").replace("_", " ")
    return words[:1].upper() + words[1:]


_ID = re.compile(r"(?<![\w-])(?=\w*[a-z])[^\W\d_]\w*-\d+(?![\w-])")
_JOINED = re.compile(r"(?<=[^\W_])_(?=[^\W_])")


def told(sentence: str) -> str:
    """What the rules say, as a player reads it: "tan-4 is very_hurt" is Tan 4 is very hurt.

    Ids of rules, as PF-52, and names of files stay as they are.
    """
    return "".join(
        part if "/" in part or "\\" in part else _JOINED.sub(" ", _ID.sub(lambda found: spoken(found[0]), part))
        for part in re.split(r"(\s+)", sentence)
    )


def place_words(at_in: PointIn) -> str:
    """A bare place in words, as "(12.0, 7.5)"."""
    return f"({at_in[0]:.1f}, {at_in[1]:.1f})"


def listed(names: tuple[str, ...]) -> str:
    """Several of them."""
    return ", ".join(map(spoken, dict.fromkeys(names)))


_CODES = {"--": "misses", "NE": "no effect", "INJ": "injures", "KIL": "kills", "minus1_rolls": "-1 on all rolls"}
"""Outcomes that a rulebook's chart prints as codes, or that say too little by themselves."""

_CODES_AT = {**_CODES, "NE": "no effect on"}
"""The same before whom they befall."""


def outcome_words(outcome: str) -> str:
    """The outcome of a verdict as a player says it, as "kills"; of several, as "kills Tan 4, misses Tan 5"."""
    return ", ".join(map(_outcome_words, outcome.split(", ")))


def _outcome_words(outcome: str) -> str:
    before, colon, what = outcome.rpartition(": ")
    whom, _, code = what.rpartition(" ")
    befallen = f"{_CODES_AT[code]} {spoken(whom)}" if whom and code in _CODES else _CODES.get(what, told(what))
    return f"{before}{colon}{befallen}"


def roller_words(name: str) -> str:
    """Who rolls, as a figure's name or as the rules call him: "Tan 4", "the attacker"."""
    return name if name.startswith("the ") else spoken(name)


def change_words(change: Change) -> str:
    """As "Tan 4 eliminated" or "Tan 4: ammunition 2"."""
    key = _key_words(change.key)
    if not change.figure:
        return f"{spoken(key)}: {_value_words(change.value)}"
    if change.value is True:
        return f"{spoken(change.figure)} {key}"
    if change.value is None or change.value is False:
        return f"{spoken(change.figure)} no longer {key}"
    return f"{spoken(change.figure)}: {key} {_value_words(change.value)}"


def _key_words(key: str) -> str:
    """What is so of a figure, and of whom else: "fired on by", "in cover at Tan 4"."""
    what, at, whom = key.replace("_", " ").partition(" at ")
    return f"{what}{at}{spoken(whom)}"


def status_words(key: str, value: Any) -> str:
    """What is so of somebody who is named already, as "eliminated" or "ammunition: 2"."""
    return _key_words(key) if value is True else f"{_key_words(key)}: {_value_words(value)}"


def _value_words(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "yes" if value else "no"
    several = isinstance(value, (list, tuple, Mapping))  # of a mapping its keys; what they hold is for the rules
    return (
        ", ".join(map(_one_words, value)) if several else told(f"{value:g}" if isinstance(value, float) else str(value))
    )


def _one_words(one: Any) -> str:
    """One of several: a place as "(12.0, 7.5)"."""
    if isinstance(one, (list, tuple)) and len(one) == 2 and all(isinstance(inches, (int, float)) for inches in one):
        return f"({one[0]:.1f}, {one[1]:.1f})"
    return spoken(str(one))


def _moved(moves: tuple[Move, ...]) -> str:
    return f"{listed(tuple(move.figure for move in moves))} moved {max((m.moved_in for m in moves), default=0):.1f} in"


def _asked(event: Asked) -> str:
    """As "Green 2: Rifle at Tan 4, misses"; in old battles, which kept no titles, what came of it."""
    outcome = outcome_words(event.verdict.outcome)
    if event.effects.moves:
        return _moved(event.effects.moves)
    if event.title:
        done = by_whom(event.by, event.title)
        return done if says_outcome(event) else f"{done}, {outcome}"
    changes = [change_words(change) for change in event.effects.changes if not change.this_turn]
    return ", ".join(changes) or f"{spoken(event.action).lower()}: {outcome}"


def says_outcome(event: Asked) -> bool:
    """Whether the title of what nobody does alone says already what came of it: "Green begins" that it is green."""
    outcome = outcome_words(event.verdict.outcome)
    return not event.by and bool(event.title) and event.title.casefold().startswith(outcome.casefold())


def _ruled(event: Ruled) -> str:
    done = _moved(event.effects.moves) if event.effects.moves else by_whom(event.by, event.title)
    return f"{done}, ruled: {event.outcome}"


def by_whom(by: tuple[str, ...], title: str) -> str:
    """A deed with who does it, where its title does not name him: "Green 2: Rifle at Tan 4"."""
    if not by or spoken(by[0]) in title:
        return title
    who = listed(by) if len(by) <= _MOST_NAMED else f"{spoken(by[0])} and {len(by) - 1} others"
    return f"{who}: {title}"


def _decided(question: str) -> str:
    """What is to be decided, without the turn and the side that its name begins with."""
    parts = question.split(", ", 2)
    return parts[2] if len(parts) > 2 and parts[0].startswith("turn ") else question


def answer_words(event: Settled) -> str:
    """What the players said, as "less than 4 in"."""
    return f"{event.answer} than {event.limit}" if event.limit else event.answer


_MOST_NAMED = 2


_LABELS: Mapping[type[Event], Callable[[Any], str]] = {
    Begun: lambda e: f"the battle of {' against '.join(map(spoken, e.players))} begins",
    Enlisted: lambda e: f"{spoken(e.figure)} joins {spoken(e.side)}",
    PhaseBegun: lambda e: ", ".join(filter(None, [f"turn {e.turn}", spoken(e.side), e.phase.replace("_", " ")])),
    Placed: lambda e: f"{spoken(e.figure)} placed at ({e.at_in[0]:.1f}, {e.at_in[1]:.1f})",
    Moved: lambda e: _moved(e.moves),
    Asked: _asked,
    Changed: lambda e: ", ".join(map(change_words, e.changes)),
    Doubted: lambda e: f"asked: {_decided(e.question)}",
    Settled: lambda e: f"settled: {_decided(e.question)}: {answer_words(e)}",
    Overruled: lambda e: f"overruled {e.what}: {e.outcome}" if e.what else f"overruled entry {e.entry}: {e.reason}",
    Ruled: _ruled,
    Noted: lambda e: f"note: {e.text}",
    CameraMoved: lambda e: f"the {e.what} was bumped",
    MarkerMoved: lambda e: f"marker {', '.join(map(str, e.ids))} was moved",
    TableLaid: lambda e: f"on the table: {', '.join(piece.name for piece in e.terrain) or 'no terrain'}",
}


def label(event: Event) -> str:
    """What happened in a few words, as a menu would name what it takes back."""
    return _LABELS[type(event)](event)
