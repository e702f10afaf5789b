"""Short texts for players: names of figures, outcomes, changes and events."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from rules.engine import events
from rules.tabletop.table import PointIn, Posture
from rules.tabletop.translation import mark_for_translation


def display_name(name: str) -> str:
    """The display name of a figure's id or an action's name: "tan-4" becomes "Tan 4"."""
    words = name.replace("-", " ").replace("_", " ")
    return words[:1].upper() + words[1:]


_ID = re.compile(r"(?<![\w-])(?=\w*[a-z])[^\W\d_]\w*-\d+(?![\w-])")
_JOINED = re.compile(r"(?<=[^\W_])_(?=[^\W_])")


def readable(sentence: str) -> str:
    """A sentence of the rules with ids replaced for display: "tan-4 is very_hurt" becomes "Tan 4 is very hurt".

    Rule ids such as PF-52 and file names stay unchanged.
    """
    return "".join(
        part if "/" in part or "\\" in part else _JOINED.sub(" ", _ID.sub(lambda found: display_name(found[0]), part))
        for part in re.split(r"(\s+)", sentence)
    )


def place_words(at_in: PointIn) -> str:
    """A place as text, such as "(12.0, 7.5)"."""
    return f"({at_in[0]:.1f}, {at_in[1]:.1f})"


def display_names(names: tuple[str, ...]) -> str:
    """The display names of several figures, without repetitions."""
    return ", ".join(map(display_name, dict.fromkeys(names)))


_TURN = mark_for_translation("Turn {turn}")

_DOES = {
    "acting": mark_for_translation("{side} acts"),
    "action": mark_for_translation("{side} acts"),
    "attacking": mark_for_translation("{side} attacks"),
    "a_moves": mark_for_translation("{side} moves (A)"),
    "b_moves": mark_for_translation("{side} moves (B)"),
    "damage": mark_for_translation("{side} deals damage"),
    "first_actions": mark_for_translation("{side} acts"),
    "first_status": mark_for_translation("{side} checks status"),
    "move": mark_for_translation("{side} moves"),
    "move_on": mark_for_translation("{side} moves on"),
    "movement": mark_for_translation("{side} moves"),
    "moving": mark_for_translation("{side} moves"),
    "second_actions": mark_for_translation("{side} acts"),
    "second_status": mark_for_translation("{side} checks status"),
}
"""What a side does in a phase of its own; games of the players' own may have other phases."""

_PHASES = (
    mark_for_translation("Attacks"),
    mark_for_translation("Automatic weapons"),
    mark_for_translation("Hand to hand"),
    mark_for_translation("Heavy weapons"),
    mark_for_translation("Initiative"),
    mark_for_translation("Jet"),
    mark_for_translation("Morale"),
    mark_for_translation("Small arms"),
)
"""Phases of all sides together, as `display_name` shows them."""


def phase_words(side: str, phase: str, say: Callable[..., str] = str.format) -> str:
    """The text of a phase: "Green moves", "Small arms" if it belongs to all sides, empty if there is none.

    `say` formats the text; the window passes `tr`.
    """
    if side and phase in _DOES:
        return say(_DOES[phase], side=display_name(side))
    name = display_name(phase)
    return _joined(display_name(side), say(name) if name in _PHASES else name)


def turn_words(turn: int, side: str, phase: str, say: Callable[..., str] = str.format) -> str:
    """The text of a turn and its phase, such as "Turn 1 · Green moves"; for `say`, see `phase_words`."""
    return _joined(say(_TURN, turn=turn), phase_words(side, phase, say))


def _joined(*parts: str) -> str:
    return " · ".join(filter(None, parts))


_CODES = {
    "--": "misses",
    "NE": "no effect",
    "INJ": "injures",
    "KIL": "kills",
    "minus1_rolls": "-1 on all rolls",
    "none": "passed",
}
"""Texts of outcomes that a rulebook's chart prints as codes or that are not clear by themselves."""

_CODES_AT = {**_CODES, "NE": "no effect on"}
"""The texts before the name of a target."""


def outcome_words(outcome: str) -> str:
    """The text of a verdict's outcome, such as "kills" or, for several targets, "kills Tan 4, misses Tan 5"."""
    return ", ".join(map(_outcome_words, outcome.split(", ")))


def _outcome_words(outcome: str) -> str:
    before, colon, result = outcome.rpartition(": ")
    target, _, code = result.rpartition(" ")
    text = (
        f"{_CODES_AT[code]} {display_name(target)}"
        if target and code in _CODES
        else _CODES.get(result, readable(result))
    )
    return f"{before}{colon}{text}"


def event_outcome(event: events.ActionResolved) -> str:
    """The text of an action's outcome; the display name of a side that has won a roll, such as for the first move."""
    outcome = event.verdict.outcome
    return display_name(outcome) if outcome in {throw.for_whom for throw in event.throws} else outcome_words(outcome)


def roller_words(name: str) -> str:
    """The name of the figure or role that a roll is for: "Tan 4", "the attacker"."""
    if name == "the ordinary":  # written in battles; ordinary soldiers of Simple Plastic have no other name
        return "the soldier"
    return name if name.startswith("the ") else display_name(name)


def change_words(change: events.Change) -> str:
    """The text of a change, such as "Tan 4 eliminated" or "Tan 4: ammunition 2"."""
    key = _key_words(change.key)
    if not change.figure:
        return f"{display_name(key)}: {_value_words(change.value)}"
    if change.value is True:
        return f"{display_name(change.figure)} {key}"
    if change.value is None or change.value is False:
        return f"{display_name(change.figure)} no longer {key}"
    return f"{display_name(change.figure)}: {key} {_value_words(change.value)}"


def _key_words(key: str) -> str:
    """The text of a status key, which may name a target: "fired on by", "in cover at Tan 4"."""
    status, at, target = key.replace("_", " ").partition(" at ")
    return f"{status}{at}{display_name(target)}"


def status_words(key: str, value: Any) -> str:
    """The text of a status without the figure's name, such as "eliminated" or "ammunition: 2"."""
    return _key_words(key) if value is True else f"{_key_words(key)}: {_value_words(value)}"


def _value_words(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple, Mapping)):  # the values of a mapping matter only to the rules
        return ", ".join(map(_item_words, value))
    return readable(f"{value:g}" if isinstance(value, float) else str(value))


def _item_words(one: Any) -> str:
    """The text of an item of a list; a place becomes "(12.0, 7.5)"."""
    if isinstance(one, (list, tuple)) and len(one) == 2 and all(isinstance(inches, (int, float)) for inches in one):
        return f"({one[0]:.1f}, {one[1]:.1f})"
    return display_name(str(one))


def _posed(event: events.Posed) -> str:
    """The text of a new pose, such as "Tan 4 lies down"."""
    if event.posture is None:
        return f"{display_name(event.figure)} is turned"
    return f"{display_name(event.figure)} {'lies down' if event.posture is Posture.DOWN else 'stands up'}"


def _moved(moves: tuple[events.Move, ...]) -> str:
    names = display_names(tuple(move.figure for move in moves))
    return f"{names} moved {max((m.moved_in for m in moves), default=0):.1f} in"


def _asked(event: events.ActionResolved) -> str:
    """A label such as "Green 2: Rifle at Tan 4, misses"; in battles of old versions without titles, the effects."""
    outcome = event_outcome(event)
    if event.effects.moves:
        return _moved(event.effects.moves)
    if event.title:
        action = action_with_actors(event.by, event.title)
        return action if says_outcome(event) else f"{action}, {outcome}"
    changes = [change_words(change) for change in event.effects.changes if not change.this_turn]
    return ", ".join(changes) or f"{display_name(event.action).lower()}: {outcome}"


def says_outcome(event: events.ActionResolved) -> bool:
    """Whether the title of an obligation of no single figure already contains the outcome, such as "Green begins"."""
    outcome = event_outcome(event)
    return not event.by and bool(event.title) and event.title.casefold().startswith(outcome.casefold())


def _ruled(event: events.OutcomeDecided) -> str:
    action = _moved(event.effects.moves) if event.effects.moves else action_with_actors(event.by, event.title)
    return f"{action}, ruled: {event.outcome}"


def action_with_actors(by: tuple[str, ...], title: str) -> str:
    """An action's title, preceded by the figures that act if it does not name them: "Green 2: Rifle at Tan 4"."""
    if not by or display_name(by[0]) in title:
        return title
    actors = display_names(by) if len(by) <= _MOST_NAMED else f"{display_name(by[0])} and {len(by) - 1} others"
    return f"{actors}: {title}"


def _subject(question: str) -> str:
    """The subject of a question, without the turn and the side at its beginning."""
    parts = question.split(", ", 2)
    return parts[2] if len(parts) > 2 and parts[0].startswith("turn ") else question


def answer_words(event: events.QuestionAnswered) -> str:
    """The players' answer, such as "less than 4 in"."""
    return f"{event.answer} than {event.limit}" if event.limit else event.answer


_MOST_NAMED = 2


_LABELS: Mapping[type[events.Event], Callable[[Any], str]] = {
    events.BattleBegun: lambda e: f"the battle of {' against '.join(map(display_name, e.players))} begins",
    events.UnitJoined: lambda e: f"{display_name(e.figure)} joins {display_name(e.side)}",
    events.PhaseBegun: lambda e: turn_words(e.turn, e.side, e.phase),
    events.Placed: lambda e: f"{display_name(e.figure)} placed at ({e.at_in[0]:.1f}, {e.at_in[1]:.1f})",
    events.Posed: _posed,
    events.Moved: lambda e: _moved(e.moves),
    events.ActionResolved: _asked,
    events.Changed: lambda e: ", ".join(map(change_words, e.changes)),
    events.QuestionAsked: lambda e: f"asked: {_subject(e.question)}",
    events.QuestionAnswered: lambda e: f"settled: {_subject(e.question)}: {answer_words(e)}",
    events.VerdictOverruled: lambda e: (
        f"overruled {e.what}: {e.outcome}" if e.what else f"overruled entry {e.entry}: {e.reason}"
    ),
    events.OutcomeDecided: _ruled,
    events.Noted: lambda e: f"note: {e.text}",
    events.CameraMoved: lambda e: f"the {e.what} was bumped",
    events.MarkerMoved: lambda e: f"marker {', '.join(map(str, e.ids))} was moved",
    events.TableLaid: lambda e: f"on the table: {', '.join(piece.name for piece in e.terrain) or 'no terrain'}",
}


def label(event: events.Event) -> str:
    """A short text for an event, as the undo menu shows it."""
    return _LABELS[type(event)](event)
