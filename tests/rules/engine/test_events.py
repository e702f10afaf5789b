"""Events as entries of a journal: a round trip, and the refusal of unknown or invalid entries."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from rules.battle.journal import EVENTS, Entry, event_of
from rules.engine.dice import DiceRequest, Die, Roll
from rules.engine.events import Change, Event, Placed, Throw, UnitJoined, VerdictRecord, plain
from rules.engine.text import label
from rules.engine.verdict import Reason, forbidden
from rules.tabletop.errors import UserError
from tests.rules.engine.test_state import events


@given(events)
def test_event_survives_json(event: Event) -> None:
    body = json.loads(json.dumps(event.to_body(), allow_nan=False))
    assert event_of(Entry(1, 0.0, event.kind, event.version, body)) == event


@given(events)
def test_every_event_has_a_label(event: Event) -> None:
    assert label(event)


def test_kinds_are_unique() -> None:
    assert len(EVENTS) == 16
    assert all(event.kind == kind for kind, event in EVENTS.items())


@pytest.mark.parametrize(
    ("kind", "version", "body", "message"),
    [
        ("teleported", 1, {}, "entry 7 is of the unknown kind 'teleported': update Sandtable"),
        (
            "noted",
            2,
            {"text": "x"},
            r"entry 7 \(noted\) has version 2, but .* reads version 1: update Sandtable",
        ),
        ("noted", 1, {"txt": "x"}, r"entry 7 \(noted\) has the unknown key 'txt': did you mean 'text'"),
        ("noted", 1, {}, r"entry 7 \(noted\) lacks the key 'text'"),
        ("placed", 1, {"figure": "a", "at_in": [1, 2, 3]}, r"the place of a must be \[x, y\] in inches, not"),
        ("phase", 1, {"turn": 0}, "must be at least 1"),
        ("moved", 1, {"moves": []}, "needs at least one figure"),
        ("changed", 1, {"changes": []}, "needs at least one figure"),
        ("enlisted", 1, {"figure": "a", "side": "tan"}, "a needs one card"),
    ],
)
def test_invalid_body_is_refused(kind: str, version: int, body: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        event_of(Entry(7, 0.0, kind, version, body))


def test_verdict_record_keeps_all_values() -> None:
    told = VerdictRecord.of(
        forbidden("too_far", Reason("SP-02", "moved 5 in of 4", -1), left_in=(1.5, 2), phase=Die.D6)
    )
    assert plain(told) == {
        "outcome": "forbidden",
        "numbers": {"allowed": False, "reason": "too_far", "left_in": [1.5, 2], "phase": [1, 2, 3, 4, 5, 6]},
        "reasons": [{"rule": "SP-02", "text": "moved 5 in of 4", "modifier": -1}],
    }


def test_throw_records_its_request() -> None:
    throw = Throw.of(DiceRequest(Die.FUDGE, 2, "Tan 1", "the burst"), Roll((-1, 0)))
    assert plain(throw) == {"die": "FUDGE", "for_whom": "Tan 1", "why": "the burst", "faces": [-1, 0]}


def test_infinite_number_is_refused() -> None:
    with pytest.raises(UserError, match="cannot store inf"):
        Placed(figure="a", at_in=(float("inf"), 0)).to_body()


@pytest.mark.parametrize(
    ("value", "words"),
    [(True, "Tan 4 out of ammo"), (None, "Tan 4 no longer out of ammo"), (2, "Tan 4: out of ammo 2")],
)
def test_text_of_a_change(value: Any, words: str) -> None:
    event = EVENTS["changed"].from_body(
        {"changes": [plain(Change(figure="tan-4", key="out_of_ammo", value=value, rule="AM-1"))]}
    )
    assert label(event) == words


@pytest.mark.parametrize(("value", "words"), [(True, "yes"), (False, "no"), (None, "no"), ("tan", "tan")])
def test_text_of_a_change_of_the_battle(value: Any, words: str) -> None:
    event = EVENTS["changed"].from_body({"changes": [plain(Change(figure="", key="flag_taken", value=value))]})
    assert label(event) == f"Flag taken: {words}"


def test_figure_has_exactly_one_card() -> None:
    with pytest.raises(UserError, match="a needs one card"):
        UnitJoined(figure="a", side="tan", card="sniper", own={})
