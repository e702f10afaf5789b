"""What holds of a battle's journal and the state that it folds into; what is taken back folds only a stretch anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rules.battle.event_codec import check_version, event_of, is_event
from rules.battle.journal import BEFALLEN, Entry, turned
from rules.battle.progress import Step, no_step
from rules.engine.events import Event
from rules.engine.state import State, fold
from rules.tabletop.errors import UserError

_BEFORE = State()
_FIRST_SPACING = 16
_MOST_MARKS = 256
"""With them the last undo of ten thousand events folds 64 at the most, and no battle keeps more states than these."""


@dataclass(frozen=True, slots=True)
class Course:
    """How a battle went so far. One is made of another: what was is never changed.

    Attributes:
        held: What holds, in order.
        undone: What was taken back and can be done again, the last first.
        state: What `held` folds into.
        marks: The states after none, `spacing`, twice `spacing` ... of those that hold: whence to fold anew.
        spacing: Doubled, and every other mark let go, as soon as there are too many.
    """

    held: tuple[Entry, ...] = ()
    undone: tuple[Entry, ...] = ()
    state: State = _BEFORE
    marks: tuple[State, ...] = (_BEFORE,)
    spacing: int = _FIRST_SPACING

    def after(self, entries: Iterable[Entry], events: Mapping[int, Event], step: Step = no_step) -> Course:
        """The course when more was journalled.

        Args:
            entries: What is new, in order.
            events: All events by the numbers of their entries.
            step: Called now and then with the progress; it may end the work.

        Raises:
            UserError: if an event does not fit what came before it, or what `step` raises.
        """
        turn = turned(entries, self.held, self.undone)
        marks, spacing = list(self.marks[: turn.untouched // self.spacing + 1]), self.spacing
        if turn.untouched == len(self.held):
            known, state = len(self.held), self.state
        else:
            known, state = (len(marks) - 1) * spacing, marks[-1]
        for number, entry in enumerate(turn.held[known:], known + 1):
            step(number, len(turn.held))
            state = _folded(state, entry, events)
            if number % spacing == 0:
                marks.append(state)
            if len(marks) > _MOST_MARKS:
                marks, spacing = marks[::2], 2 * spacing
        return Course(turn.held, turn.undone, state, tuple(marks), spacing)

    @property
    def to_undo(self) -> Entry | None:
        """What an undo would take back; never the beginning."""
        steps = (entry for entry in reversed(self.held) if entry.kind not in BEFALLEN)
        found = next(steps, None)
        return None if found is None or found is self.held[0] else found

    @property
    def to_redo(self) -> Entry | None:
        """What a redo would do again."""
        return self.undone[-1] if self.undone else None


def course_of(entries: Iterable[Entry], events: Mapping[int, Event], step: Step = no_step) -> Course:
    """The course of a whole journal.

    Raises:
        UserError: if an event does not fit what came before it, or nothing was begun; or what `step` raises.
    """
    course = Course().after(entries, events, step)
    if not course.state.game:
        raise UserError("its journal does not say what is played: begin a battle in another file")
    return course


def foldable(entries: Sequence[Entry]) -> Sequence[Entry]:
    """As many of the entries, from the first on, as make a battle."""
    course, events = Course(), dict[int, Event]()
    for number, entry in enumerate(entries):
        try:
            if is_event(entry):
                events[entry.seq] = event_of(entry)
            else:
                check_version(entry)
            course = course.after((entry,), events)
        except UserError:
            return entries[:number]
    return entries


def _folded(state: State, entry: Entry, events: Mapping[int, Event]) -> State:
    try:
        return fold(state, events[entry.seq])
    except UserError as refusal:
        raise UserError(f"entry {entry.seq} ({entry.kind}) does not fit what came before: {refusal}") from refusal
