"""Folding of events: any sequence of events leads to a valid state, and a refused event changes nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.battle.journal import EVENTS, Entry, standing
from rules.engine.events import (
    ActionResolved,
    BattleBegun,
    CameraMoved,
    Change,
    Changed,
    Effects,
    Event,
    MarkerMoved,
    Move,
    Moved,
    Noted,
    OutcomeDecided,
    PhaseBegun,
    Placed,
    Posed,
    QuestionAnswered,
    QuestionAsked,
    Refund,
    TableLaid,
    UnitJoined,
    VerdictOverruled,
    VerdictRecord,
)
from rules.engine.state import State, fold
from rules.tabletop.errors import UserError
from rules.tabletop.table import Posture, TerrainKind, TerrainPiece

BEGUN = BattleBegun(game="army_men", players=("green", "tan"), options={})
HOUSE = TerrainPiece("house", TerrainKind.BUILDING, ((1.0, 1.0), (5.0, 1.0), (5.0, 4.0)), 0.0, 5.0)
FIGURES = ("green-1", "green-2", "tan-1", "nobody")

figures = st.sampled_from(FIGURES)
sides = st.sampled_from(["green", "tan", "red"])
lengths = st.floats(0, 30)
places = st.tuples(st.floats(-50, 50), st.floats(-50, 50))
values = st.one_of(st.none(), st.booleans(), st.integers(-3, 9), st.text(max_size=5))
keys = st.sampled_from(["eliminated", "wounds", "ammunition"])
changes = st.builds(Change, figure=figures, key=keys, value=values, this_turn=st.booleans())
moves = st.builds(Move, figure=figures, from_in=places, to_in=places, moved_in=lengths, cost_in=lengths)
effects = st.builds(
    Effects, moves=st.lists(moves, max_size=2).map(tuple), changes=st.lists(changes, max_size=2).map(tuple)
)
given_back = st.builds(
    Refund,
    allowance_in=st.dictionaries(figures, lengths, max_size=2),
    action=st.sampled_from(["attack", "medic"]),
    by=st.lists(figures, max_size=2).map(tuple),
    this_turn=st.booleans(),
)
told = st.builds(VerdictRecord, outcome=st.just("hit"), numbers=st.just({}), reasons=st.just(()))
events: st.SearchStrategy[Event] = st.one_of(
    st.just(BEGUN),
    st.builds(UnitJoined, figure=figures, side=sides, card=st.just("rifleman")),
    st.builds(PhaseBegun, turn=st.integers(1, 4), side=st.one_of(st.just(""), sides)),
    st.builds(Placed, figure=figures, at_in=places),
    st.builds(Posed, figure=figures, posture=st.sampled_from(Posture), facing_deg=st.none() | st.floats(0, 360)),
    st.builds(Moved, moves=st.lists(moves, min_size=1, max_size=2).map(tuple)),
    st.builds(
        ActionResolved,
        action=st.sampled_from(["attack", "medic"]),
        given=st.just({}),
        by=st.lists(figures, max_size=2).map(tuple),
        throws=st.just(()),
        verdict=told,
        effects=effects,
    ),
    st.builds(Changed, changes=st.lists(changes, min_size=1, max_size=2).map(tuple)),
    st.builds(QuestionAsked, question=st.sampled_from(["in range?", "in cover?"])),
    st.builds(
        QuestionAnswered,
        question=st.sampled_from(["in range?", "in cover?"]),
        answer=st.sampled_from(["in", "out", "maybe"]),
    ),
    st.builds(
        VerdictOverruled,
        entry=st.integers(1, 9),
        reason=st.just("we agreed"),
        effects=effects,
        what=st.sampled_from(["", "Tan 1: attack: kills"]),
        outcome=st.just("misses"),
        given_back=st.none() | given_back,
    ),
    st.builds(
        OutcomeDecided,
        title=st.just("Rifle at Tan 1"),
        action=st.sampled_from(["attack", "medic"]),
        by=st.lists(figures, max_size=2).map(tuple),
        outcome=st.just("misses"),
        reason=st.just("we agreed"),
        effects=effects,
    ),
    st.builds(Noted, text=st.text(max_size=9)),
    st.just(CameraMoved(what="camera")),
    st.just(MarkerMoved(ids=(3,))),
    st.just(TableLaid(camera="c", terrain=(HOUSE,), area_in=((0.0, 0.0), (9.0, 0.0), (9.0, 9.0)))),
)


def folded(happened: list[Event]) -> list[State]:
    """The states after each event that is valid when it occurs."""
    states = [fold(State(), BEGUN)]
    for event in happened:
        try:
            states.append(fold(states[-1], event))
        except UserError:
            states.append(states[-1])
    return states


def check(state: State) -> None:
    """Check the invariants of every battle."""
    assert state.sides == ("green", "tan")
    assert 0 <= state.turn <= 4
    assert all(len(answers) > 1 for answers in state.open_questions.values())
    for name, unit in state.units.items():
        assert unit.id == name
        assert unit.side in state.sides
        assert unit.allowance_used_in >= 0
        assert all(unit.acts[act] >= count > 0 for act, count in unit.acts_this_turn.items())
        assert None not in unit.statuses.values()
    left = sum(state.figures_left.values())
    assert left == sum(not unit.out for unit in state.units.values())


@given(st.lists(events, max_size=25))
def test_every_prefix_of_events_is_a_valid_state(happened: list[Event]) -> None:
    for state in folded(happened):
        check(state)


@given(st.lists(events, max_size=12))
def test_folding_does_not_change_earlier_states(happened: list[Event]) -> None:
    states = folded(happened)
    assert states == folded(happened)


@given(st.lists(st.one_of(events, st.sampled_from(["undo", "redo"])), max_size=25))
def test_entries_in_force_always_form_a_valid_battle(happened: list[Any]) -> None:
    """A journal contains only events that were valid at their time; undo and redo never make one invalid."""
    entries = [Entry(1, 0.0, "begun", 1, BEGUN.to_body())]
    for one in happened:
        kind, body = (one, {}) if isinstance(one, str) else (one.kind, json.loads(json.dumps(one.to_body())))
        after = [*entries, Entry(len(entries) + 1, 0.0, kind, 1, body)]
        holds = standing(after)
        if not isinstance(one, str):
            try:
                state_of(holds)
            except UserError:
                continue
        elif entries[0] not in holds:
            continue  # the beginning and external events cannot be undone
        entries = after
        check(state_of(standing(entries)))


def state_of(entries: tuple[Entry, ...]) -> State:
    state = State()
    for entry in entries:
        state = fold(state, EVENTS[entry.kind].from_body(entry.body))
    return state


def staged(*happened: Event) -> State:
    """The state with Green 1 and Tan 1 in turn 1, followed by these events."""
    state = State()
    for event in (
        BEGUN,
        *(UnitJoined(figure=name, side=name.split("-")[0], card="rifleman") for name in ("green-1", "tan-1")),
        PhaseBegun(turn=1),
        *happened,
    ):
        state = fold(state, event)
    return state


def step(length_in: float, cost_in: float) -> Moved:
    move = Move(figure="tan-1", from_in=(0, 0), to_in=(length_in, 0), moved_in=length_in, cost_in=cost_in)
    return Moved(moves=(move,))


def test_moves_add_up_until_the_next_turn() -> None:
    marked = Changed(changes=(Change(figure="tan-1", key="aimed", value=True, this_turn=True),))
    wounded = Changed(changes=(Change(figure="tan-1", key="wounds", value=2),))
    now = staged(step(2, 2), step(1.5, 3), marked, wounded)
    unit = now.unit("tan-1")
    assert (unit.allowance_used_in, unit.at_in, dict(unit.this_turn)) == (5, (1.5, 0), {"aimed": True})
    same_turn = fold(now, PhaseBegun(turn=1, side="tan")).unit("tan-1")
    assert same_turn.allowance_used_in == 5
    next_turn = fold(now, PhaseBegun(turn=2)).unit("tan-1")
    assert (next_turn.allowance_used_in, dict(next_turn.this_turn)) == (0, {})
    assert (next_turn.at_in, dict(next_turn.statuses)) == ((1.5, 0), {"wounds": 2})


def test_a_given_facing_holds_until_the_figure_moves() -> None:
    given = staged(Posed(figure="tan-1", facing_deg=90.0), Posed(figure="tan-1", posture=Posture.DOWN)).unit("tan-1")
    assert (given.facing_deg, given.is_facing_given, given.posture) == (90.0, True, Posture.DOWN)
    moved = staged(Posed(figure="tan-1", facing_deg=90.0), step(2, 2)).unit("tan-1")
    assert (moved.facing_deg, moved.is_facing_given) == (90.0, False)


def test_a_pose_without_anything_new_is_refused() -> None:
    with pytest.raises(UserError, match="the pose of tan-1 must be a posture or a facing"):
        Posed(figure="tan-1")


def test_status_set_to_none_is_removed() -> None:
    now = staged(
        Changed(changes=(Change(figure="tan-1", key="jammed", value=True),)),
        Changed(changes=(Change(figure="tan-1", key="jammed", value=None),)),
    )
    assert "jammed" not in now.unit("tan-1").statuses


def test_question_stays_open_until_it_is_answered() -> None:
    asked = staged(QuestionAsked(question="Is Tan 1 within 6 in?"))
    assert dict(asked.open_questions) == {"Is Tan 1 within 6 in?": ("in", "out")}
    settled = fold(asked, QuestionAnswered(question="Is Tan 1 within 6 in?", answer="out"))
    assert (dict(settled.open_questions), dict(settled.settled)) == ({}, {"Is Tan 1 within 6 in?": "out"})


def test_overruling_an_entry() -> None:
    fallen = Changed(changes=(Change(figure="tan-1", key="eliminated", value=True),))
    lives = Effects(changes=(Change(figure="tan-1", key="eliminated", value=None),))
    now = staged(fallen, VerdictOverruled(entry=5, reason="the dice were cocked", effects=lives))
    assert now.figures_left == {"green": 1, "tan": 1}
    assert dict(now.overruled) == {5: "the dice were cocked"}


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (BEGUN, "begins exactly once"),
        (UnitJoined(figure="tan-1", side="tan", card="x"), "'tan-1' cannot join: give it a name"),
        (
            UnitJoined(figure="red-1", side="red", card="x"),
            "'red' is not a side of .*: choose one of green, tan",
        ),
        (PhaseBegun(turn=3), "turn 3 cannot follow turn 1: begin turn 2"),
        (Placed(figure="tan-9", at_in=(0, 0)), "tan-9 is not in this battle: add it first"),
        (QuestionAsked(question="in?", answers=("in",)), "must have two answers"),
    ],
)
def test_impossible_events_are_refused(event: Event, message: str) -> None:
    with pytest.raises(UserError, match=message.replace("?", r"\?")):
        staged(event)


def test_unknown_answer_is_refused() -> None:
    with pytest.raises(UserError, match="must be in or out, not 'maybe'"):
        staged(QuestionAsked(question="in?"), QuestionAnswered(question="in?", answer="maybe"))


@pytest.mark.parametrize("players", [(), ("green", "green"), ("green", "")])
def test_players_need_different_names(players: tuple[str, ...]) -> None:
    with pytest.raises(UserError, match="players with different names"):
        fold(State(), BattleBegun(game="army_men", players=players, options={}))


def test_no_event_before_the_beginning() -> None:
    with pytest.raises(UserError, match="begins exactly once, with its game"):
        fold(State(), Noted(text="hello"))
