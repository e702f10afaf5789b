"""What is announced when the window shows something else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.engine.action import Action
from rules.engine.preview import ActionPreview
from rules.engine.verdict import Verdict
from ui.session import Ruler
from ui.voice import AnnouncementKind, Shown, changes, move_sentence, needed_of, needed_sentence, turn_sentence

ONE, TWO = Ruler("green-1", "blue-1"), Ruler("green-2", "blue-1")


def said(before: Shown, now: Shown) -> list[tuple[AnnouncementKind, str]]:
    return [(one.kind, one.words) for one in changes(before, now, lambda laid: f"{11 + (laid is TWO)}.0 in ± 0.1")]


def test_only_a_new_ruler_is_announced() -> None:
    assert said(Shown(), Shown(laid=(ONE,))) == [(AnnouncementKind.DISTANCE, "Eleven inches.")]
    assert said(Shown(laid=(ONE,)), Shown(laid=(ONE, TWO))) == [(AnnouncementKind.DISTANCE, "Twelve inches.")]
    # Undone: the announcement is withdrawn, and the older ruler is no news.
    assert said(Shown(laid=(ONE, TWO)), Shown(laid=(ONE,))) == [(AnnouncementKind.DISTANCE, "")]
    assert said(Shown(laid=(ONE,)), Shown(laid=(ONE,))) == []


def test_a_question_withdraws_a_message_and_a_message_a_question() -> None:
    question, problem = Shown(message="Are their names right?"), Shown(message="No markers in the picture")
    assert said(Shown(), question) == [
        (AnnouncementKind.QUESTION, "Are their names right?"),
        (AnnouncementKind.WARNING, ""),
    ]
    assert said(question, problem) == [
        (AnnouncementKind.QUESTION, ""),
        (AnnouncementKind.WARNING, "No markers in the picture."),
    ]


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        ((0, "", ""), (0, "green", "set_up"), ""),
        ((0, "", ""), (1, "green", "attacking"), "Green's turn."),
        ((1, "green", "attacking"), (1, "blue", "attacking"), "Blue's turn."),
        ((1, "green", "move"), (1, "green", "attacking"), "Green attacks."),
        ((1, "blue", "attacking"), (2, "green", "attacking"), "Turn two. Green's turn."),
        ((1, "green", "movement"), (1, "", "small_arms"), "Small arms."),
        ((1, "", "small_arms"), (2, "", "initiative"), "Turn two. Initiative."),
    ],
)
def test_turns(before: tuple[int, str, str], now: tuple[int, str, str], words: str) -> None:
    assert turn_sentence(before, now) == words


def test_a_new_turn_withdraws_what_was_owed_in_the_last_one() -> None:
    assert said(Shown(), Shown(turn=(1, "green", "attacking")))[1:] == [(AnnouncementKind.OWED, "")]


def preview(**numbers: object) -> ActionPreview:
    action = Action("Rifle at Blue 1", "fire", {}, ("green-1",), ("blue-1",))
    return ActionPreview(action, Verdict("may fire", numbers, ()))


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"needs_roll": 4}, "Needs a four."),
        ({"needs_roll": 1}, "Any roll hits."),
        ({"needs_roll": 7}, "No roll hits."),
        ({"needs_roll": 5, "dice": 3}, "Needs a five on each of three dice."),
        ({"needs_roll": {"blue-1": 4, "blue-2": None}}, "Blue 1: Needs a four. Blue 2: No roll hits."),
        ({"at_most": 7}, "Needs seven or less on two dice."),
        ({"at_most": 0}, "No roll hits."),
        ({"to_hit": -2}, "Needs minus two or more on the Fudge dice."),
        ({"to_injure": 1, "to_kill": 3}, "One injures. Three kills."),
        ({}, ""),
    ],
)
def test_numbers_needed(numbers: dict[str, object], words: str) -> None:
    assert needed_sentence(preview(**numbers)).casefold() == words.casefold()


def test_a_forbidden_action_says_why() -> None:
    assert needed_sentence(replace(preview(), refusal="blue-1 is out of range (SP-9)")).startswith("Not allowed: ")


def test_a_measured_value_that_flickers_is_no_news() -> None:
    moves = [Shown(moves=(f"Green 1 moved {inches} in.",)) for inches in (5.8, 5.9)]
    assert said(*moves) == []
    assert said(Shown(message="Bumped by 0.2 in"), Shown(message="Bumped by 0.3 in")) == []
    refused = [replace(preview(), refusal=f"{inches} in is out of range") for inches in (12.1, 12.2)]
    assert said(*(Shown(needed=needed_of(one)) for one in refused)) == []
    # Another number needed is news, and so is another action that needs the same.
    [(_, words)] = said(Shown(needed=needed_of(preview(needs_roll=4))), Shown(needed=needed_of(preview(needs_roll=5))))
    assert words == "Needs a five."
    other = replace(preview(needs_roll=4), action=replace(preview().action, title="Rifle at Blue 2"))
    assert said(Shown(needed=needed_of(preview(needs_roll=4))), Shown(needed=needed_of(other)))[0][1] == "Needs a four."


def test_many_moves_are_counted() -> None:
    assert move_sentence(["Green 1 moved 5.0 in.", "Green 2 moved 7.5 in."]) == (
        "Green 1 moved five inches. Green 2 moved 7.5 inches."
    )
    assert move_sentence(["a", "b", "c"]) == "3 moves to answer."
    assert said(Shown(moves=("a", "b")), Shown(moves=("b",))) == [(AnnouncementKind.MOVE, "")]
