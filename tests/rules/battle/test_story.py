"""The story of a battle: the text of every kind of event."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.battle.story import story_lines
from rules.engine.dice import Die, Scripted
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
    TableLaid,
    Throw,
    UnitJoined,
    VerdictOverruled,
    VerdictRecord,
)
from rules.engine.text import outcome_words, readable, status_words
from rules.games import open_game
from rules.tabletop.table import Posture, TerrainKind, TerrainPiece
from tests.rules.engine.test_state import BEGUN, events

GAME = open_game("simple_plastic")
MOVE = Move(figure="tan-4", from_in=(0, 0), to_in=(3, 4), moved_in=5, cost_in=7.5, ground=("the old wood", "creek"))
HOUSE = TerrainPiece("house", TerrainKind.BUILDING, ((1.0, 1.0), (5.0, 1.0), (5.0, 4.0)), 0.0, 5.0)
OUT = Change(figure="green-1", key="eliminated", value=True, rule="SP-11")


def asked(**changes: Any) -> ActionResolved:
    facts = {"attacker": "ordinary", "attacker_moved": True}
    verdict = VerdictRecord.of(GAME.ask("attack", facts, Scripted([4])))
    throw = Throw(die=Die.D6.name, for_whom="Tan 4", why="the attack", faces=(4,))
    whole = {"action": "attack", "given": facts, "by": ("tan-4",), "throws": (throw,), "verdict": verdict}
    return ActionResolved(**{**whole, "effects": Effects(changes=(OUT,)), **changes})


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (PhaseBegun(turn=2), ["", "Turn 2"]),
        (PhaseBegun(turn=2, side="tan", phase="hand_to_hand"), ["", "Turn 2 · Tan · Hand to hand"]),
        (Placed(figure="tan-4", at_in=(1.25, 2)), ["  Tan 4 is placed at (1.2, 2.0)."]),
        (Posed(figure="tan-4", posture=Posture.DOWN), ["  Tan 4 lies down."]),
        (Posed(figure="tan-4", posture=Posture.STANDING), ["  Tan 4 stands up."]),
        (Posed(figure="tan-4", facing_deg=90.0), ["  Tan 4 is turned."]),
        (
            Moved(moves=(MOVE,)),
            ["  Tan 4 moves 5.0 in over the old wood, creek to (3.0, 4.0), which costs 7.5 in."],
        ),
        (
            asked(),
            [
                "  Tan 4: Attack: kills.",
                "    4 rolled for Tan 4: the attack",
                "    SP-11  4 or more kills (+4)",
                "    SP-10  Distance neither forbids an attack nor changes it.",
                "  Green 1 eliminated.",
            ],
        ),
        (Changed(changes=(OUT,)), ["  Green 1 eliminated (SP-11)."]),
        (QuestionAsked(question="Is Tan 4 within 4 in?"), ["  Too close to call: Is Tan 4 within 4 in? (in or out)"]),
        (
            QuestionAnswered(question="Is Tan 4 within 4 in?", answer="in"),
            ["  The players decide: Is Tan 4 within 4 in? in."],
        ),
        (
            VerdictOverruled(entry=9, reason="the die was cocked", effects=Effects(moves=(MOVE,))),
            [
                "  The players overrule entry 9: the die was cocked.",
                "  Tan 4 moves 5.0 in over the old wood, creek to (3.0, 4.0), which costs 7.5 in.",
            ],
        ),
        (
            VerdictOverruled(
                entry=9, reason="he stood behind", effects=Effects(), what="Tan 4: attack: kills", outcome="misses"
            ),
            ["  The players overrule Tan 4: attack: kills: misses. He stood behind."],
        ),
        (
            OutcomeDecided(
                title="Attack",
                action="attack",
                by=("tan-4",),
                outcome="kills",
                reason="Agreed!",
                effects=Effects(changes=(OUT,)),
            ),
            ["  Tan 4: Attack: the players decide: kills. Agreed!", "  Green 1 eliminated."],
        ),
        (Noted(text="Tea."), ["  Tea."]),
        (CameraMoved(what="camera"), ["  (the camera was bumped; positions on the table are unchanged)"]),
        (MarkerMoved(ids=(2,)), ["  (marker 2 was moved; positions on the table are unchanged)"]),
        (TableLaid(camera="c", terrain=(HOUSE,)), ["  (On the table: house)"]),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_story_lines_of_an_event(event: Event, lines: list[str]) -> None:
    assert list(story_lines(GAME, [event])) == lines


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ("KIL", "kills"),
        ("near_death", "near death"),
        ("tan-1 NE, tan-5 KIL, tan-9 --", "no effect on Tan 1, kills Tan 5, misses Tan 9"),
        ("dropped: tan-2 INJ", "dropped: injures Tan 2"),
        ("hits 1 of 2", "hits 1 of 2"),
    ],
)
def test_text_of_an_outcome(outcome: str, words: str) -> None:
    assert outcome_words(outcome) == words


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("tan-4 is 3.5 in from green-10's base", "Tan 4 is 3.5 in from Green 10's base"),
        ("its very_hurt man (PF-52, WW-46)", "its very hurt man (PF-52, WW-46)"),
        ("20-25 in, half-way", "20-25 in, half-way"),
        ("the disk is full: saves/my_self/tan-4.battle", "the disk is full: saves/my_self/tan-4.battle"),
    ],
)
def test_ids_in_sentences_become_display_names(sentence: str, words: str) -> None:
    assert readable(sentence) == words


def test_text_of_a_status() -> None:
    assert status_words("in_cover at tan-4", True) == "in cover at Tan 4"
    assert status_words("wounds", ["scratch", "very_hurt"]) == "wounds: Scratch, Very hurt"
    assert status_words("rides", "tan-5") == "rides: Tan 5"
    assert status_words("facing_deg", 90.0) == "facing deg: 90"


def test_fudge_dice_show_their_signs() -> None:
    throw = Throw(die=Die.FUDGE.name, for_whom="Tan 4", why="the burst", faces=(-1, 0, 1))
    assert "    -1 0 +1 rolled for Tan 4: the burst" in story_lines(GAME, [asked(throws=(throw,))])


def test_story_begins_with_the_game_its_credit_and_its_options() -> None:
    game = GAME.choosing(split_dice=True, victory="objective")
    begun = BattleBegun(
        game="simple_plastic", players=("green", "tan"), options={"split_dice": True, "victory": "objective"}
    )
    assert list(story_lines(game, [begun])) == [
        "Simple Plastic Wargame: Green against Tan",
        GAME.credit,
        "A heavy weapon's dice may be shared among several targets: yes (SP-A14)",
        "What ends the game: objective (SP-A19)",
    ]


def test_armies_are_listed_by_side() -> None:
    recruits = (
        UnitJoined(figure="green-1", side="green", card="heavy_machine_gunner", squad="rifles"),
        UnitJoined(figure="green-2", side="green", own={"title": "Uncle Tom"}),
        UnitJoined(figure="tan-1", side="tan", own={"dice": 3}),
    )
    assert list(story_lines(GAME, recruits)) == [
        "Army of Green",
        "  Green 1: Heavy machine gunner, Rifles",
        "  Green 2: Uncle Tom",
        "Army of Tan",
        "  Tan 1: Own card",
    ]


@given(st.lists(events, max_size=8))
def test_every_event_has_a_story(happened: list[Event]) -> None:
    lines = list(story_lines(GAME, [event for event in happened if event is not BEGUN]))
    assert len(lines) >= len([event for event in happened if event is not BEGUN])
