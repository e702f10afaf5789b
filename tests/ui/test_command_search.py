"""Finding commands by what is typed."""

from __future__ import annotations

import pytest

from ui.desktop.help_controller import Command, matching

COMMANDS = (
    Command("Measure", "Tools", "M", "Click two soldiers to measure the distance between them"),
    Command("Measured distance…", "Calibration", "", "Improve the calibration with one length"),
    Command("Blast", "Tools", "B", "Place a blast disc to see which soldiers it hits"),
    Command("Full screen", "View", "F11", "Fill the whole screen"),
    Command("Save table…", "Table", "", "Save soldiers for other programs"),
)


def found(typed: str) -> list[str]:
    return [COMMANDS[at].name for at in matching(typed, COMMANDS)]


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("", [command.name for command in COMMANDS]),
        ("full", ["Full screen"]),
        ("SCREEN", ["Full screen"]),
        ("sc fu", ["Full screen"]),  # the words in any order
        ("flsn", ["Full screen"]),  # some letters in order
        ("nslf", []),
        ("blast moon", []),  # every word must match
        ("tools b", ["Blast", "Measure"]),  # "b" begins a word of Measure's effect: between
        ("distance", ["Measured distance…", "Measure"]),  # a name is better than an effect
        ("sav", ["Save table…"]),
    ],
)
def test_words_match_the_name_the_menu_or_the_effect(typed: str, names: list[str]) -> None:
    assert found(typed) == names


def test_a_name_that_begins_so_comes_first_and_ties_keep_their_order() -> None:
    assert found("mea")[:2] == ["Measure", "Measured distance…"]
    # "Save table" is in the menu Table, too, but the word in its name counts.
    assert found("table")[0] == "Save table…"
