"""Fast undo: every state must equal the fold of all entries in force from the beginning."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rules.battle import history as turn_history
from rules.battle.history import History
from rules.battle.journal import EXTERNAL_EVENTS, REDO, UNDO, Entry
from rules.engine.events import (
    BattleBegun,
    CameraMoved,
    Change,
    Changed,
    Event,
    MarkerMoved,
    Move,
    Moved,
    Noted,
    Placed,
    TableLaid,
    UnitJoined,
)
from rules.engine.state import State, fold
from rules.tabletop.table import TerrainKind, TerrainPiece

BEGUN = BattleBegun(game="simple_plastic", players=("green", "tan"), options={})
MAN = UnitJoined(figure="tan-4", side="tan", card="soldier")
PUT = Placed(figure="tan-4", at_in=(1.0, 2.0))
HOUSE = TerrainPiece("house", TerrainKind.BUILDING, ((1.0, 1.0), (5.0, 1.0), (5.0, 4.0)), 0.0, 5.0)
places = st.tuples(st.floats(-50, 50), st.floats(-50, 50))
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(Placed, figure=st.just("tan-4"), at_in=places),
    st.builds(
        lambda to_in, cost_in: Moved(
            moves=(Move(figure="tan-4", from_in=(0.0, 0.0), to_in=to_in, moved_in=cost_in, cost_in=cost_in),)
        ),
        places,
        st.floats(0, 30),
    ),
    st.builds(
        lambda value, lately: Changed(changes=(Change(figure="tan-4", key="wounds", value=value, this_turn=lately),)),
        st.none() | st.integers(1, 9),
        st.booleans(),
    ),
    st.builds(Noted, text=st.text(max_size=3)),
    st.builds(CameraMoved, what=st.just("camera")),
    st.builds(MarkerMoved, ids=st.just((1,))),
    st.builds(TableLaid, camera=st.just(""), terrain=st.sampled_from([(), (HOUSE,)])),
)
turns = st.sampled_from([UNDO, REDO])
stretches = st.one_of(st.lists(events, max_size=9), st.lists(turns, max_size=9), st.lists(st.just(UNDO), max_size=12))
Happened = Event | str


def reference_history(happened: Iterable[Happened]) -> tuple[list[Event], list[Event]]:
    """The events in force and those that can be redone, by a simple independent implementation."""
    in_force: list[Event] = [BEGUN, MAN]
    undone: list[Event] = []
    for one in happened:
        if one == UNDO:
            undone.append(in_force.pop(max(k for k, event in enumerate(in_force) if event.kind not in EXTERNAL_EVENTS)))
        elif isinstance(one, str):
            in_force += [undone.pop()] if undone else []
        else:
            in_force.append(one)
            undone = undone if one.kind in EXTERNAL_EVENTS else []
    return in_force, undone


def possible(happened: Iterable[Happened]) -> list[Happened]:
    """Without undos of the beginning or of the unit that the other events need."""
    kept: list[Happened] = []
    for one in happened:
        in_force, _ = reference_history(kept)
        if one != UNDO or sum(event.kind not in EXTERNAL_EVENTS for event in in_force) > 2:
            kept.append(one)
    return kept


class MemoryJournal:
    """A journal in memory with its history."""

    def __init__(self, course: History) -> None:
        self.course = course
        self.events: dict[int, Event] = {}
        self.count = 0
        self.add([BEGUN, MAN])

    def add(self, happened: Iterable[Happened]) -> None:
        entries = []
        for one in happened:
            self.count += 1
            if isinstance(one, Event):
                self.events[self.count] = one
            kind = one if isinstance(one, str) else one.kind
            entries.append(Entry(self.count, 0.0, kind, 1, {}))
        self.course = self.course.after(entries, self.events)

    def check(self, happened: Iterable[Happened]) -> None:
        in_force, undone = reference_history(happened)
        course = self.course
        assert [self.events[entry.seq] for entry in course.in_force] == in_force
        assert [self.events[entry.seq] for entry in course.undone] == undone
        assert course.state == reduce(fold, in_force, State())


@given(st.lists(stretches, max_size=9), st.booleans(), st.integers(1, 3), st.integers(2, 4))
@example([[PUT, CameraMoved(what="camera")], [UNDO, REDO, UNDO]], True, 1, 9)
def test_every_state_equals_the_fold_from_the_beginning(
    parts: list[list[Happened]], at_once: bool, spacing: int, most: int
) -> None:
    """With few stored states at short intervals, a short journal drops states like one of 4096 events."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(turn_history, "MOST_CHECKPOINTS", most)
        kept, happened = MemoryJournal(History(spacing=spacing)), []
        for part in parts:
            new = possible([*happened, *part])[len(happened) :]
            for some in [new] if at_once else [[one] for one in new]:
                kept.add(some)
                happened += some
                kept.check(happened)
            assert len(kept.course.checkpoints) <= most


def test_undo_folds_a_bounded_number_of_events(monkeypatch: pytest.MonkeyPatch) -> None:
    folds = []

    def counted(state: State, event: Event) -> State:
        folds.append(event)
        return fold(state, event)

    monkeypatch.setattr(turn_history, "fold", counted)
    kept = MemoryJournal(History())
    for length in (100, 1000, 10_000):
        kept.add([Noted(text="tea")] * (length - len(kept.course.in_force)))
        checkpoints, spacing = len(kept.course.checkpoints), kept.course.spacing
        assert checkpoints <= 256
        assert spacing == (64 if length == 10_000 else 16)  # 16 x 256 = 4096, 32 x 256 = 8192, 64 x 256 = 16 384
        folds.clear()
        for _ in range(60):
            kept.add([UNDO])
        assert len(folds) <= 60 * (spacing - 1)
        folds.clear()
        for _ in range(60):
            kept.add([REDO])
        assert len(folds) == 60
        folds.clear()
        kept.add([UNDO] * (length // 2))
        assert len(folds) < spacing, "undoing many entries at once is not more expensive"
        folds.clear()
        kept.add([REDO] * (length // 2))
        assert len(folds) == length // 2
