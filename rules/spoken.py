"""Figures, changes and events in a player's words, few of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rules.events import (
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
from rules.table import PointIn


def spoken(name: str) -> str:
    """A figure's id or an action's name as a player says it: "tan-4" is Tan 4."""
    words = name.replace("-", " ").replace("_", " ")
    return words[:1].upper() + words[1:]


def place_words(at_in: PointIn) -> str:
    """A bare place in words, as "(12.0, 7.5)"."""
    return f"({at_in[0]:.1f}, {at_in[1]:.1f})"


def listed(names: tuple[str, ...]) -> str:
    """Several of them."""
    return ", ".join(map(spoken, dict.fromkeys(names)))


_CODES = {"--": "misses", "NE": "no effect", "INJ": "injures", "KIL": "kills"}
"""Outcomes that a rulebook's chart prints as codes."""


def outcome_words(outcome: str) -> str:
    """The outcome of a verdict as a player says it."""
    return _CODES.get(outcome, outcome.replace("_", " "))


def roller_words(name: str) -> str:
    """Who rolls, as a figure's name or as the rules call him: "Tan 4", "the attacker"."""
    return name if name.startswith("the ") else spoken(name)


def change_words(change: Change) -> str:
    """As "Tan 4 eliminated" or "Tan 4: ammunition 2"."""
    what, at, whom = change.key.replace("_", " ").partition(" at ")
    key = f"{what}{at}{spoken(whom)}"
    if not change.figure:
        return f"{spoken(key)}: {_value_words(change.value)}"
    if change.value is True:
        return f"{spoken(change.figure)} {key}"
    if change.value is None or change.value is False:
        return f"{spoken(change.figure)} no longer {key}"
    return f"{spoken(change.figure)}: {key} {_value_words(change.value)}"


def _value_words(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "yes" if value else "no"
    several = isinstance(value, (list, tuple, Mapping))  # of a mapping its keys; what they hold is for the rules
    return ", ".join(map(_one_words, value)) if several else str(value).replace("_", " ")


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
        told = not event.by and event.title.casefold().startswith(outcome.casefold())  # "Green begins": green
        return event.title if told else f"{by_whom(event.by, event.title)}, {outcome}"
    changes = [change_words(change) for change in event.effects.changes if not change.this_turn]
    return ", ".join(changes) or f"{spoken(event.action).lower()}: {outcome}"


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
    Settled: lambda e: f"settled: {_decided(e.question)}: {e.answer}",
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
