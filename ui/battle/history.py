"""A battle's history as moments, each with its text, its figures and the state after it. No Qt here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from rules.battle.battle import Battle
from rules.battle.event_codec import event_of
from rules.battle.journal import EXTERNAL_EVENTS, Entry, redoable, standing
from rules.battle.story import story_lines
from rules.engine.events import Event, Placed, UnitJoined
from rules.engine.game import Game
from rules.engine.state import State, fold
from rules.engine.text import label
from ui.formatting import capitalized
from ui.translation import tr_count

_TOGETHER: tuple[type[Event], ...] = (UnitJoined, Placed)
"""Consecutive events of these kinds form one moment."""


@dataclass(frozen=True, slots=True, eq=False)
class HistoryMoment:
    """Something that happened in a battle.

    Attributes:
        seqs: Numbers of its journal entries, in order.
        time_s: Time by the journal's clock.
        figures: Ids of the figures that took part.
        stands: False if it was undone and can be redone.
        is_step: False for external events, which undo skips.
        events: Its events, in order.
    """

    seqs: tuple[int, ...]
    time_s: float
    title: str
    lines: tuple[str, ...]
    figures: frozenset[str]
    after: State
    stands: bool
    is_step: bool
    events: tuple[Event, ...] = ()

    @property
    def when(self) -> datetime | None:
        """The local time; None if the journal's time is impossible."""
        return datetime.fromtimestamp(self.time_s) if 0 <= self.time_s < 2**40 else None


def positions(battle: Battle) -> tuple[HistoryMoment, ...]:
    """All moments that stand, in order, then those that were undone and can be redone."""
    held, again = standing(battle.entries), redoable(battle.entries)
    state, found = State(), []
    for entries, stands in ((held, True), (again, False)):
        for group in _groups(entries):
            events = [event_of(entry) for entry in group]
            for event in events:
                state = fold(state, event)
            found.append(_moment(battle.game, group, events, state, stands))
    return tuple(found)


def matching(every: Iterable[HistoryMoment], words: str) -> tuple[HistoryMoment, ...]:
    """Moments with the figure that `words` names ("tan-4" or "Tan 4"); else those whose text contains `words`."""
    sought = " ".join(words.casefold().split())
    every = tuple(every)
    figure = sought.replace(" ", "-")
    named = tuple(position for position in every if figure in {name.casefold() for name in position.figures})
    if not sought or named:
        return named or every
    return tuple(position for position in every if sought in "\n".join((position.title, *position.lines)).casefold())


def _groups(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    together = {kind.kind for kind in _TOGETHER}
    numbered = enumerate(entries)
    for _, group in groupby(numbered, lambda item: item[1].kind if item[1].kind in together else item[0]):
        yield [entry for _, entry in group]


def _moment(
    game: Game[object], entries: Sequence[Entry], events: Sequence[Event], state: State, stands: bool
) -> HistoryMoment:
    last = events[-1]
    parts = {word for entry in entries for word in _words(entry.body) if word in state.units}
    return HistoryMoment(
        tuple(entry.seq for entry in entries),
        entries[-1].time_s,
        _title(last, len(events)),
        tuple(line for line in story_lines(game, events) if line.strip()),
        frozenset(parts),
        state,
        stands,
        entries[-1].kind not in EXTERNAL_EVENTS,
        tuple(events),
    )


def _title(last: Event, count: int) -> str:
    if count > 1 and isinstance(last, UnitJoined):
        return tr_count("{count} soldier joins", "{count} soldiers join", count)
    if count > 1 and isinstance(last, Placed):
        return tr_count("{count} soldier is placed", "{count} soldiers are placed", count)
    return capitalized(label(last))


def _words(value: object) -> Iterator[str]:
    """Every string in an entry's body, including keys, because both may name figures."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from _words(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _words(inner)
