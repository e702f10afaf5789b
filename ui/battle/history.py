"""A battle's history as moments, what each of them contains, and the battle as text or JSON. No Qt here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from rules.battle.battle import Battle
from rules.battle.journal import EXTERNAL_EVENTS, Entry, event_of, is_event, redoable, standing
from rules.battle.progress import Step, no_step
from rules.battle.replay import differences
from rules.battle.story import effect_lines, story_lines
from rules.engine.events import (
    ActionResolved,
    BattleBegun,
    Change,
    Changed,
    Effects,
    Event,
    Move,
    Moved,
    OutcomeDecided,
    PhaseBegun,
    Placed,
    Throw,
    UnitJoined,
    VerdictOverruled,
    plain,
)
from rules.engine.game import Game
from rules.engine.state import State, fold
from rules.engine.verdict import Reason
from ui.battle.action_text import outcome_banner
from ui.battle.battle_folder import ends_battle
from ui.formatting import capitalized
from ui.rules_text import display_name, label, readable, roller_words, story_line
from ui.translation import tr, tr_count

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
    return tuple(
        position
        for position in every
        if sought in "\n".join((position.title, *map(story_line, position.lines))).casefold()
    )


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


@dataclass(frozen=True, slots=True)
class SideScore:
    """How many of a side's figures are left, of how many, and the display names of the others."""

    side: str
    left: int
    of: int
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class BattleReport:
    """What the film and the web page show of a battle.

    Attributes:
        title, credit: The game's.
        sides: The players.
        moments: Those that stand and that a player caused, in order.
        result: The victory in words; empty if there is none.
    """

    title: str
    credit: str
    sides: tuple[str, ...]
    moments: tuple[HistoryMoment, ...]
    result: str

    @property
    def opponents(self) -> str:
        """The sides in words, such as "Green against Tan"."""
        against = tr("against")
        return f" {against} ".join(map(display_name, self.sides))

    @property
    def score_title(self) -> str:
        """The heading of the score."""
        return tr("Final score") if self.result else tr("Score so far")

    @property
    def after(self) -> State:
        """The state after the last moment."""
        return self.moments[-1].after if self.moments else State()


def report_of(battle: Battle) -> BattleReport:
    """The report of a battle so far."""
    moments = tuple(moment for moment in positions(battle) if moment.stands and moment.is_step)
    ends = [event for moment in moments for event in moment.events if ends_battle(event)]
    result = outcome_banner(ends[-1]) if ends else ""
    return BattleReport(battle.game.title, battle.game.credit, battle.state.sides, moments, result)


def scores(state: State) -> tuple[SideScore, ...]:
    """The score of each side, in order."""
    found = []
    for side in state.sides:
        units = [unit for unit in state.units.values() if unit.side == side]
        lost = tuple(display_name(unit.id) for unit in units if unit.out)
        found.append(SideScore(side, len(units) - len(lost), len(units), lost))
    return tuple(found)


def throws_in(moment: HistoryMoment) -> tuple[Throw, ...]:
    """All dice of a moment."""
    return tuple(throw for event in moment.events if isinstance(event, ActionResolved) for throw in event.throws)


def throw_purpose(throw: Throw) -> str:
    """The figure that a throw was for and its purpose, such as "Green 1: the attack"."""
    return f"{capitalized(roller_words(throw.for_whom))}: {readable(throw.why)}"


def reasons_in(moment: HistoryMoment) -> tuple[Reason, ...]:
    """The reasons of a moment's verdicts."""
    return tuple(
        reason for event in moment.events if isinstance(event, ActionResolved) for reason in event.verdict.reasons
    )


def reason_text(reason: Reason) -> str:
    """A reason without its rule's number, such as "the target is a special unit (+1)"."""
    modifier = "" if reason.modifier is None else f" ({reason.modifier:+g})"
    return f"{readable(reason.text)}{modifier}"


def effects_in(moment: HistoryMoment) -> tuple[Effects, ...]:
    """All moves and changes of a moment."""
    return tuple(found for event in moment.events if (found := _effects(event)) is not None)


def _effects(event: Event) -> Effects | None:
    if isinstance(event, ActionResolved | OutcomeDecided | VerdictOverruled):
        return event.effects
    if isinstance(event, Moved):
        return Effects(moves=event.moves)
    return Effects(changes=event.changes) if isinstance(event, Changed) else None


def moves_in(moment: HistoryMoment) -> tuple[Move, ...]:
    """All moves of a moment."""
    return tuple(move for effects in effects_in(moment) for move in effects.moves)


def changes_in(moment: HistoryMoment) -> tuple[Change, ...]:
    """All lasting changes of a moment."""
    return tuple(change for effects in effects_in(moment) for change in effects.changes if not change.this_turn)


def lines_in(moment: HistoryMoment) -> tuple[str, ...]:
    """The lines of a moment that its title, dice and reasons do not contain, such as effects, cards and options."""
    event = moment.events[-1]
    if isinstance(event, PhaseBegun):
        return ()
    if isinstance(event, ActionResolved):
        lines = tuple(effect_lines(event.effects))
    else:
        lines = moment.lines[2:] if isinstance(event, BattleBegun) else moment.lines
    texts = (line if isinstance(event, UnitJoined) else line.strip() for line in lines)
    return tuple(line for line in map(story_line, texts) if _plain(line) not in _plain(moment.title))


def _plain(text: str) -> str:
    return text.strip(" .").casefold()


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
    lines += [
        f"Entry {found.seq}: the verdict was {found.was}, but the present rules say {found.now}."
        for found in differences(battle.game, battle.events, step)
    ]
    return "\n".join(lines) + "\n"


def battle_document(battle: Battle, step: Step = no_step) -> dict[str, Any]:
    """The journal, its state, and the verdicts that would now differ, as JSON; raises as `story_text`."""
    held = {entry.seq for entry in standing(battle.entries)}
    return {
        "schema": SCHEMA,
        "state": plain(battle.state),
        "entries": [{**plain(entry), "stands": entry.seq in held} for entry in battle.entries],
        "differences": plain(differences(battle.game, battle.events, step)),
    }


def battle_json(battle: Battle, step: Step = no_step) -> bytes:
    """`battle_document` as the bytes of a file; raises as `story_text`."""
    return (json.dumps(battle_document(battle, step), indent=1, allow_nan=False) + "\n").encode()
