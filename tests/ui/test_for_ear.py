"""Texts for a voice."""

from __future__ import annotations

import pytest

from ui.voice import for_ear, number_words


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("11.0 in ± 0.1", "Eleven inches."),
        ("12.4 in ± 0.1", "12.4 inches."),
        ("13.0 in ± 0.1", "13 inches."),
        ("1.0 in ± 0.1", "One inch."),
        ("1.0 cm", "One centimetre."),
        ("31.5 cm ± 0.3", "31.5 centimetres."),
        ("Green 3 moved 5.8 in.", "Green 3 moved 5.8 inches."),
        ("2 in sight", "2 in sight."),
        ("HIT! Take Blue 1 off", "Hit! Take Blue 1 off."),
        ("the attacker moved (SP-12)", "The attacker moved."),
        ("no shots (SP-12, SP-A3) in the set-up", "No shots in the set-up."),
        ("1/8 of an inch", "One eighth of an inch."),
        ("on 11/12", "On 11/12."),
        ("Turn 1 · Green attacks", "Turn 1, Green attacks."),
        ("One. Two! Three.", "One. Two!"),  # the third sentence would come late
        ("", ""),
    ],
)
def test_texts_are_spoken_as_a_person_would_read_them(written: str, spoken: str) -> None:
    assert for_ear(written) == spoken


def test_small_numbers_are_words() -> None:
    assert [number_words(number) for number in (0, 12, 13, -2)] == ["zero", "twelve", "13", "minus two"]
