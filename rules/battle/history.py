"""The entries in force and the state of a battle; an undo applies only some of the events again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rules.battle.journal import EXTERNAL_EVENTS, Entry, apply_entries, check_version, event_of, is_event
from rules.battle.progress import Step, no_step
from rules.engine.events import Event
from rules.engine.state import State, fold
from rules.tabletop.errors import UserError, user_error

_BEFORE = State()
_FIRST_SPACING = 16
MOST_CHECKPOINTS = 256
"""Limit of stored states; with it, undoing the last of ten thousand events applies at most 64 events again."""


@dataclass(frozen=True, slots=True)
class History:
    """The history of a battle so far; immutable.

    Attributes:
        in_force: The entries in force, in order.
        undone: The undone entries that can be redone, the next one last.
        state: The state after `in_force`.
        checkpoints: The states after 0, `spacing`, 2 * `spacing` ... entries in force, from which folding can restart.
        spacing: Entries between stored states; doubled, with every other state dropped, when there are too many.
    """

    in_force: tuple[Entry, ...] = ()
    undone: tuple[Entry, ...] = ()
    state: State = _BEFORE
    checkpoints: tuple[State, ...] = (_BEFORE,)
    spacing: int = _FIRST_SPACING

    def after(self, entries: Iterable[Entry], events: Mapping[int, Event], step: Step = no_step) -> History:
        """The history after further entries.

        Args:
            entries: The new entries, in order.
            events: All events by entry number.
            step: Receives the progress and may cancel.

        Raises:
            UserError: if an event does not fit the state before it; also whatever `step` raises.
        """
        turn = apply_entries(entries, self.in_force, self.undone)
        checkpoints, spacing = list(self.checkpoints[: turn.untouched // self.spacing + 1]), self.spacing
        if turn.untouched == len(self.in_force):
            known, state = len(self.in_force), self.state
        else:
            known, state = (len(checkpoints) - 1) * spacing, checkpoints[-1]
        for number, entry in enumerate(turn.in_force[known:], known + 1):
            step(number, len(turn.in_force))
            state = _folded(state, entry, events)
            if number % spacing == 0:
                checkpoints.append(state)
            if len(checkpoints) > MOST_CHECKPOINTS:
                checkpoints, spacing = checkpoints[::2], 2 * spacing
        return History(turn.in_force, turn.undone, state, tuple(checkpoints), spacing)

    @property
    def to_undo(self) -> Entry | None:
        """The entry that undo would take back; never the beginning of the battle."""
        steps = (entry for entry in reversed(self.in_force) if entry.kind not in EXTERNAL_EVENTS)
        found = next(steps, None)
        return None if found is None or found is self.in_force[0] else found

    @property
    def to_redo(self) -> Entry | None:
        """The entry that redo would restore."""
        return self.undone[-1] if self.undone else None


def history_of(entries: Iterable[Entry], events: Mapping[int, Event], step: Step = no_step) -> History:
    """The history of a whole journal.

    Raises:
        UserError: if an event does not fit the state before it, or no battle was begun; also whatever `step` raises.
    """
    course = History().after(entries, events, step)
    if not course.state.game:
        raise user_error("its journal does not name a game: begin a battle in another file")
    return course


def events_of(entries: Sequence[Entry], step: Step = no_step) -> dict[int, Event]:
    """The events of a journal by entry number, undone ones included.

    Raises:
        UserError: if an entry has an unknown kind, a newer version or an invalid body; also whatever `step` raises.
    """
    events: dict[int, Event] = {}
    for number, entry in enumerate(entries):
        step(number, len(entries))
        if is_event(entry):
            events[entry.seq] = event_of(entry)
        else:
            check_version(entry)
    return events


def valid_beginning(entries: Sequence[Entry]) -> Sequence[Entry]:
    """The longest beginning of the entries that forms a valid battle."""
    course, events = History(), dict[int, Event]()
    for number, entry in enumerate(entries):
        try:
            events |= events_of((entry,))
            course = course.after((entry,), events)
        except UserError:
            return entries[:number]
    return entries


def _folded(state: State, entry: Entry, events: Mapping[int, Event]) -> State:
    try:
        return fold(state, events[entry.seq])
    except UserError as refusal:
        raise user_error(
            "entry {seq} ({kind}) does not fit the entries before it: {reason}",
            seq=entry.seq,
            kind=entry.kind,
            reason=refusal,
        ) from refusal
