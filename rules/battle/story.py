"""The story of a battle as text for the players: the events turn by turn, with the rules behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from rules.engine import events
from rules.engine.game import Game
from rules.engine.text import (
    answer_words,
    change_words,
    display_name,
    display_names,
    event_outcome,
    label,
    place_words,
    readable,
    roller_words,
    says_outcome,
    turn_words,
)
from rules.engine.verdict import Reason


def story_lines(game: Game[Any], happened: Iterable[events.Event]) -> Iterator[str]:
    """The lines of the story; lines that belong to a turn or to an action are indented."""
    side = ""
    for event in happened:
        if isinstance(event, events.UnitJoined):
            if event.side != side:
                yield f"Army of {display_name(event.side)}"
            side = event.side
            yield f"  {display_name(event.figure)}: {_card(game, event)}"
            continue
        side = ""
        yield from _begun(game, event) if isinstance(event, events.BattleBegun) else _TELLERS[type(event)](event)


def _begun(game: Game[Any], event: events.BattleBegun) -> Iterator[str]:
    yield f"{game.title}: {' against '.join(map(display_name, event.players))}"
    yield game.credit
    for name in game.rules.labels:
        yield f"House rules: {name}"
    for name, value in event.options.items():
        yield f"{game.options[name].title}: {_value(value)} ({game.options[name].rule})"


def _value(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value).replace("_", " ")


def _card(game: Game[Any], event: events.UnitJoined) -> str:
    row = game.rules.plain.get("cards", {}).get(event.card, {})
    own = event.own or {}
    title = str(row.get("title") or own.get("title") or display_name(event.card or "own card"))
    return f"{title}, {display_name(event.squad)}" if event.squad else title


def _move(move: events.Move) -> str:
    over = f" over {', '.join(move.ground)}" if move.ground else ""
    cost = "" if abs(move.cost_in - move.moved_in) < 0.05 else f", which costs {move.cost_in:.1f} in"
    return f"  {display_name(move.figure)} moves {move.moved_in:.1f} in{over} to {place_words(move.to_in)}{cost}."


def _action_resolved(event: events.ActionResolved) -> Iterator[str]:
    winner = event.verdict.numbers.get("winner")
    outcome = event_outcome(event)
    outcome = f"{outcome} for {display_name(winner)}" if isinstance(winner, str) else outcome
    action = _action(event.by, event.title or display_name(event.action))  # battles of old versions have no titles
    yield f"  {action}." if says_outcome(event) else f"  {action}: {outcome}."
    yield from (f"    {_throw(throw)}" for throw in event.throws)
    yield from (f"    {_reason(reason)}" for reason in event.verdict.reasons)
    yield from effect_lines(event.effects)


def _action(by: tuple[str, ...], title: str) -> str:
    """An action's title, preceded by the figures that act if it does not name them."""
    return title if not by or display_name(by[0]) in title else f"{display_names(by)}: {title}"


def _throw(throw: events.Throw) -> str:
    faces = " ".join(f"{face:+d}" if throw.die == "FUDGE" and face else str(face) for face in throw.faces)
    return f"{faces} rolled for {roller_words(throw.for_whom)}: {readable(throw.why)}"


def _reason(reason: Reason) -> str:
    modifier = "" if reason.modifier is None else f" ({reason.modifier:+g})"
    return f"{reason.rule}  {readable(reason.text)}{modifier}"


def effect_lines(effects: events.Effects) -> Iterator[str]:
    """The indented lines of the moves and lasting changes in the effects of an action."""
    yield from map(_move, effects.moves)
    yield from (f"  {change_words(change)}." for change in effects.changes if not change.this_turn)


def _changed(event: events.Changed) -> Iterator[str]:
    for change in event.changes:
        yield f"  {change_words(change)}{f' ({change.rule})' if change.rule else ''}."


def _question_answered(event: events.QuestionAnswered) -> Iterator[str]:
    question = event.question if event.question.endswith("?") else f"{event.question}:"
    yield f"  The players decide: {question} {answer_words(event)}."


def _overruled(event: events.VerdictOverruled) -> Iterator[str]:
    if event.what:
        yield f"  The players overrule {event.what}: {event.outcome}. {_sentence(event.reason)}"
    else:
        yield f"  The players overrule entry {event.entry}: {event.reason}."
    yield from effect_lines(event.effects)


def _ruled(event: events.OutcomeDecided) -> Iterator[str]:
    yield f"  {_action(event.by, event.title)}: the players decide: {event.outcome}. {_sentence(event.reason)}"
    yield from effect_lines(event.effects)


def _sentence(text: str) -> str:
    """A typed text as a sentence."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


_TELLERS: Mapping[type[events.Event], Callable[[Any], Iterable[str]]] = {
    events.PhaseBegun: lambda one: ["", turn_words(one.turn, one.side, one.phase)],
    events.Placed: lambda one: [f"  {display_name(one.figure)} is placed at {place_words(one.at_in)}."],
    events.Posed: lambda one: [f"  {label(one)}."],
    events.Moved: lambda one: map(_move, one.moves),
    events.ActionResolved: _action_resolved,
    events.Changed: _changed,
    events.QuestionAsked: lambda one: [f"  Too close to call: {one.question} ({' or '.join(one.answers)})"],
    events.QuestionAnswered: _question_answered,
    events.VerdictOverruled: _overruled,
    events.OutcomeDecided: _ruled,
    events.Noted: lambda one: [f"  {one.text}"],
    events.CameraMoved: lambda one: [f"  ({label(one)}; positions on the table are unchanged)"],
    events.MarkerMoved: lambda one: [f"  ({label(one)}; positions on the table are unchanged)"],
    events.TableLaid: lambda one: [f"  ({label(one)[:1].upper()}{label(one)[1:]})"],
}
