"""The rules' texts in the language of the window."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rules.engine.events import PhaseBegun
from rules.engine.text import outcome_words as english_outcome_words
from ui.rules_text import (
    COLOURS,
    display_name,
    label,
    outcome_words,
    phrases,
    side_name,
    step_words,
    stored_name,
    translated,
)

SITUATIONS = Path(__file__).parents[1] / "data" / "situations"
SENTENCE = "Green 2: Rifle at Tan 4, misses"


def test_in_english_every_text_stays_as_it_is() -> None:
    assert translated(SENTENCE) == SENTENCE
    assert (side_name("tan"), stored_name("tan"), stored_name("Tan")) == ("tan", "tan", "Tan")


@pytest.mark.usefixtures("german")
def test_armies_named_after_colours_are_german_and_stored_in_english() -> None:
    assert (display_name("tan-4"), display_name("green"), side_name("tan")) == ("Beige 4", "Grün", "Beige")
    assert [stored_name(side_name(colour)) for colour in COLOURS] == list(COLOURS)
    assert (side_name("Rangers"), stored_name("Rangers"), display_name("rangers-3")) == (
        "Rangers",
        "Rangers",
        "Rangers 3",
    )


def outcomes_in(answers: object) -> set[str]:
    """All outcomes in the answers to a scripted battle."""
    inner = answers.values() if isinstance(answers, dict) else answers if isinstance(answers, list) else ()
    own = {answers["outcome"]} if isinstance(answers, dict) and isinstance(answers.get("outcome"), str) else set()
    return own.union(*map(outcomes_in, inner))


@pytest.mark.usefixtures("german")
def test_every_outcome_of_the_scripted_battles_is_german() -> None:
    files = sorted(SITUATIONS.glob("*/*.json"))
    found = set().union(*(outcomes_in(json.loads(file.read_text(encoding="utf-8"))) for file in files))
    assert len(found) > 80
    same = {one for one in found if outcome_words(one) == english_outcome_words(one) and any(map(str.isalpha, one))}
    assert same <= {"american", "german"}, "these are names of sides"


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize("words", ["checked", "may lead", "may fire", "attacker wins", "flees", "may move"])
def test_outcomes_that_few_scripted_battles_have_are_german(words: str) -> None:
    assert outcome_words(words) != words


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (SENTENCE, "Grün 2: Gewehr auf Beige 4, daneben"),
        ("Declare victory of Green", "Sieg von Grün erklären"),
        ("Green 3, Green 4 moved 8.1 in", "Grün 3, Grün 4: 8.1 Zoll bewegt"),
        ("the infantry moves 12 in (AM-19)", "Infanterie zieht höchstens 12 Zoll (AM-19)"),
        (
            "units move in the phase of movement only (AM-20); another player moves now (AM-03)",
            "gezogen wird nur in der Bewegungsphase (AM-20); jetzt zieht der andere Spieler (AM-03)",
        ),
        (
            "the target is 28.1 in away; the rifle reaches 0 to 24 in (AM-38)",
            "28.1 Zoll entfernt; Gewehr reicht 0 bis 24 Zoll (AM-38)",
        ),
        ("The rifle fires in the phase of small arms.", "Gewehr: erst in der Phase Handwaffen."),
        ("Green 2 sees Green 6 run", "Grün 2 sieht Grün 6 fliehen"),
        ("Take off Tan 4", "Beige 4 vom Tisch nehmen"),
        ("German rifle at Tan 4", "Gewehr (deutsch) auf Beige 4"),
        ("its status check", "seine Zustandsprobe"),
        ("the effect of the rifle", "Wirkung: Gewehr"),
        ("Second check, led: Green 1", "Zweite Probe, geführt: Grün 1"),
        ("Tank between Tan 2 and Tan 4", "Panzer zwischen Beige 2 und Beige 4"),
        ("American officer with binoculars", "Offizier mit Fernglas (amerikanisch)"),
        ("Green is to eliminate a number (1)", "Grün soll eine Zahl ausschalten (1)"),
        # A weapon of house rules has no translation: the action stays English, but its target is named as elsewhere.
        ("Crossbow at Tan 4", "Crossbow at Beige 4"),
    ],
)
def test_phrases_of_the_rules_are_german(words: str, expected: str) -> None:
    assert translated(words) == expected


@pytest.mark.usefixtures("german")
def test_outcomes_and_events_are_german() -> None:
    assert outcome_words("very_hurt") == "schwer verletzt"
    assert label(PhaseBegun(turn=2, side="tan", phase="movement")) == "Spielzug 2 · Beige zieht"


def test_a_phrase_appears_only_once() -> None:
    found = [phrase.lower() for phrase in phrases()]
    assert len(found) == len(set(found))


def test_a_step_of_the_players_is_named_by_their_answer() -> None:
    asked = "settled: Move the squad rifles: how far its leading man went: less than 4 in"
    assert step_words(asked) == "how far its leading man went: less than 4 in"
    assert step_words("Tan 3 placed at (16.4, 15.5)") == "new place of Tan 3"
    assert step_words("Green 2 moved 5.0 in, ruled: it stands") == "Green 2 moved 5.0 in, allowed by you"
    assert step_words("Green 2: Rifle at Tan 4, ruled: misses") == "Green 2: Rifle at Tan 4, decided by you: misses"
    assert step_words(SENTENCE) == SENTENCE
