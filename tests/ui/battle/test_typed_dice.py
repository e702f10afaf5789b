"""What players type for dice, and how requests are worded."""

from __future__ import annotations

import pytest

from rules.engine.dice import DiceRequest, Die
from ui.battle.dice import face_words, hint_words, request_words, roll_words, thrown_words, typed_faces


@pytest.mark.parametrize("text", ["6 3", "63", "6,3", " 6, 3 "])
def test_six_sided_faces_are_typed_with_or_without_spaces(text: str) -> None:
    assert typed_faces(Die.D6, text) == [6, 3]


@pytest.mark.parametrize("text", ["-1 0 1", "- 0 +", "-0+", "minus blank plus", "-,b,+1"])
def test_fudge_faces_are_typed_as_signs_or_numbers(text: str) -> None:
    assert typed_faces(Die.FUDGE, text) == [-1, 0, 1]


@pytest.mark.parametrize("text", ["0000", "0 0 0 0", "bbbb"])
def test_blanks_are_typed_without_spaces_too(text: str) -> None:
    assert typed_faces(Die.FUDGE, text) == [0, 0, 0, 0]


@pytest.mark.usefixtures("german")
def test_fudge_faces_are_typed_in_the_language_of_the_window_and_in_english() -> None:
    assert typed_faces(Die.FUDGE, "minus leer plus blank") == [-1, 0, 1, 0]
    assert [face_words(Die.FUDGE, face) for face in (-1, 0, 1)] == ["Minus", "leer", "Plus"]


def test_hints_show_an_example_of_the_right_length() -> None:
    assert hint_words(Die.D6, 1) == "Type the die, e.g. 2"
    assert hint_words(Die.D6, 2) == "Type the 2 dice, e.g. 2 5"
    assert hint_words(Die.FUDGE, 4) == "Type the 4 dice, e.g. - 0 + +"


def test_requests_and_rolls_name_who_and_what_for() -> None:
    request = DiceRequest(Die.D6, 2, "green-1", "the attack")
    assert request_words(request) == "2 six-sided dice for Green 1: the attack"
    assert roll_words(request, (4, 2)) == "Green 1: 4, 2"
    assert request_words(DiceRequest(Die.FUDGE, 1, "the attacker", "luck")) == "1 Fudge die for the attacker: luck"
    assert [face_words(Die.FUDGE, face) for face in Die.FUDGE.faces] == ["minus", "blank", "plus"]


def test_drawn_fudge_dice_are_summed_in_words() -> None:
    fudge = DiceRequest(Die.FUDGE, 4, "the attacker", "the attack")
    assert thrown_words(fudge, (1, 0, -1, 1)) == "The attacker: +1"  # 1 + 0 - 1 + 1
    assert thrown_words(DiceRequest(Die.D6, 2, "green-1", "the attack"), (4, 2)) == "Green 1: 4, 2"
