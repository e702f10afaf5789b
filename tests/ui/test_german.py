"""The German catalog: complete, up to date, and used by the presenters."""

from __future__ import annotations

import ast
import io
from collections.abc import Iterator
from dataclasses import replace

import pytest
from babel.messages.mofile import write_mo

from rules.engine.state import State
from rules.games import open_game
from rules.tabletop.measure import Range
from rules.tabletop.table import Posture, TerrainKind
from tools.extract_strings import SOURCES, catalog_strings, extracted, load, path_of, problems
from ui.battle.action_text import state_words
from ui.battle.battle_setup import answer_words, option_title
from ui.formatting import Basis, other_words, range_words
from ui.guide import GuideStep, Progress, TableStatus, guide
from ui.session import Ruler, TableState
from ui.table.shapes import USUAL, TemplateKind
from ui.translation import FOLDER, languages, use_language
from ui.vocabulary import posture_words, terrain_kind_words

ENGLISH = (
    "rules",
    "hardware",
    "ui/commands",
    "ui/cli",
    "ui/devices/cli_links",
    "calibration/camera",
    "vision/simulation",
)
"""Where a `UserError` quotes rules, is printed by the command line, or is a fault of the program."""

TRANSLATED = [name for name in languages() if name != "en"]


def test_german_is_offered() -> None:
    assert languages()[0] == "en"
    assert "de" in TRANSLATED


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_entry_is_translated_with_the_same_placeholders_and_keys(language: str) -> None:
    assert problems(load(language, FOLDER)) == ()


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_catalog_has_all_strings_of_the_program(language: str) -> None:
    missing = catalog_strings(extracted()) - catalog_strings(load(language, FOLDER))
    assert not missing, f"run: make strings LANGUAGE={language}"


@pytest.fixture
def english_afterwards() -> Iterator[None]:
    yield
    use_language(["en"])


def test_options_of_games_are_in_german(english_afterwards: None) -> None:
    option = open_game("army_men").options["road_bonus"]
    use_language(["de"])
    assert option_title(option) == "Zuschlag auf der Straße"
    assert [answer_words(value) for value in option.values] == ["ganzer Zug", "Teil auf der Straße"]
    own = replace(option, title="How many {men}")
    assert option_title(own) == "How many {men}", "players' own games may have any text"


@pytest.mark.slow
def test_players_read_errors_in_their_language() -> None:
    bare = [
        f"{name}:{call.lineno}"
        for source in SOURCES
        for path in sorted(source.rglob("*.py"))
        if not (name := path.relative_to(source.parent).as_posix()).startswith(ENGLISH)
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "UserError"
        if isinstance(call.args[0], ast.JoinedStr | ast.Constant)
    ]
    assert not bare, "put the sentence into tr()"


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_compiled_catalog_is_that_of_the_translators(language: str) -> None:
    compiled = io.BytesIO()
    write_mo(compiled, load(language, FOLDER))
    committed = path_of(language, FOLDER).with_suffix(".mo").read_bytes()
    assert compiled.getvalue() == committed, f"run: make strings LANGUAGE={language}"


@pytest.mark.usefixtures("german")
def test_presenters_speak_german() -> None:
    ends = ((0.0, 0.0), (12.4, 0.0))
    distance = Range(12.4, 11.5, 0.04, ends, ends)
    assert range_words(distance) == "12.4 Zoll ± 0.1"
    assert other_words(distance, Basis.CENTRE) == "Rand 11.5 Zoll"
    assert Ruler("green-1", "tan-2", ((1.0, 1.0),)).name == "Grün 1 bis Beige 2 um 1 Ecke"
    assert USUAL[TemplateKind.BLAST].words == "Explosion von 3 Zoll"
    assert state_words(State()) == "Aufstellung"


@pytest.mark.usefixtures("german")
def test_the_guide_speaks_german() -> None:
    shown = guide(TableStatus("demo", None, TableState()), Progress())
    assert shown.step is GuideStep.CAMERA
    assert shown.words.startswith("Keine Kamera ist eingesteckt.")
    assert [shown.step.words, shown.marks[GuideStep.CAMERA].words, shown.button] == ["Kamera", "jetzt", "Üben"]


def test_every_posture_and_kind_of_terrain_has_a_word() -> None:
    assert [posture_words(posture) for posture in Posture] == [str(posture) for posture in Posture]
    assert [terrain_kind_words(kind) for kind in TerrainKind] == [str(kind).replace("_", " ") for kind in TerrainKind]
