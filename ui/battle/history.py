"""A battle as a row of moments: what happened in each, who had a part in it, and how all stood after it. No Qt here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from rules.battle.battle import Battle
from rules.battle.event_codec import event_of
from rules.battle.journal import BEFALLEN, Entry, redoable, standing
from rules.battle.story import tell
from rules.engine.events import Enlisted, Event, PhaseBegun, Placed
from rules.engine.game import Game
from rules.engine.state import State, fold
from rules.engine.text import label
from ui.formatting import begun

_TOGETHER: Mapping[type[Event], str] = {Enlisted: "figures join", Placed: "figures are placed"}
"""Events that come in rows: a row of them is one moment."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """Something that happened in a battle.

    Attributes:
        seqs: Numbers of its entries, in order.
        time_s: When, by the journal's clock.
        title: In a few words.
        lines: As the story tells it.
        figures: Who had a part in it.
        after: How the battle stood then.
        stands: False where it was taken back and can be done again.
        is_step: False where it befell the table: nobody can go back to it.
        is_phase: Whether a turn, or a part of one, begins with it.
    """

    seqs: tuple[int, ...]
    time_s: float
    title: str
    lines: tuple[str, ...]
    figures: frozenset[str]
    after: State
    stands: bool
    is_step: bool
    is_phase: bool = False


def moments(battle: Battle) -> tuple[Moment, ...]:
    """All that holds, in order; then what was taken back and can be done again."""
    held, again = standing(battle.entries), redoable(battle.entries)
    state, found = State(), []
    for entries, stands in ((held, True), (again, False)):
        for some in _rows(entries):
            events = [event_of(entry) for entry in some]
            for event in events:
                state = fold(state, event)
            found.append(_moment(battle.game, some, events, state, stands))
    return tuple(found)


def matching(every: Iterable[Moment], words: str) -> tuple[Moment, ...]:
    """Those in which a figure had a part, where `words` is its name as "tan-4" or "Tan 4"; else where they occur."""
    sought = " ".join(words.casefold().split())
    every = tuple(every)
    figure = sought.replace(" ", "-")
    named = tuple(one for one in every if figure in {name.casefold() for name in one.figures})
    if not sought or named:
        return named or every
    return tuple(one for one in every if sought in "\n".join((one.title, *one.lines)).casefold())


def _rows(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    together = {kind.kind for kind in _TOGETHER}
    for _, some in groupby(enumerate(entries), lambda one: one[1].kind if one[1].kind in together else one[0]):
        yield [entry for _, entry in some]


def _moment(
    game: Game[object], entries: Sequence[Entry], events: Sequence[Event], state: State, stands: bool
) -> Moment:
    last = events[-1]
    several = _TOGETHER.get(type(last), "") if len(events) > 1 else ""
    parts = {word for entry in entries for word in _words(entry.body) if word in state.units}
    return Moment(
        tuple(entry.seq for entry in entries),
        entries[-1].time_s,
        f"{len(events)} {several}" if several else begun(label(last)),
        tuple(line for line in tell(game, events) if line.strip()),
        frozenset(parts),
        state,
        stands,
        entries[-1].kind not in BEFALLEN,
        isinstance(last, PhaseBegun),
    )


def _words(value: object) -> Iterator[str]:
    """Every text in an entry's body, its keys too: figures are named in both."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from _words(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _words(inner)
