"""Collecting and compiling the strings to be translated."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po, write_po

from tools.extract_strings import SOURCES, collect, main, path_of
from ui.battle.battle_setup import option_texts
from ui.rules_text import COLOURS, phrases
from ui.translation import tr, use_language
from ui.vocabulary import kind_texts


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    use_language(["en"])


def strings() -> set[str]:
    """Every literal given to `tr` or one of its kind, and the phrases, options and kinds of the rules."""
    functions = {"tr": 1, "user_error": 1, "mark_for_translation": 1, "tr_count": 2, "mark_all_for_translation": None}
    calls = [
        node
        for folder in SOURCES
        for source in folder.rglob("*.py")
        for node in ast.walk(ast.parse(source.read_text("utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in functions
    ]
    literals = (one.args[: functions[getattr(one.func, "id", "")]] for one in calls)
    return {one.value for group in literals for one in group if isinstance(one, ast.Constant)} | {
        *COLOURS,
        *phrases(),
        *option_texts(),
        *kind_texts(),
    }


@pytest.mark.slow
def test_every_string_is_collected_and_translations_are_kept(tmp_path: Path) -> None:
    collect("de", tmp_path)
    path = path_of("de", tmp_path)
    catalog = read_po(path.read_bytes().splitlines(keepends=True))
    catalog["Quit"].string = "Beenden"
    with path.open("wb") as stream:
        write_po(stream, catalog)
    collected = {
        one
        for message in collect("de", tmp_path)
        for one in ([message.id] if isinstance(message.id, str) else message.id)
    }
    assert collected - {""} == strings()
    assert len(collected) > 700
    use_language(["de"], tmp_path)
    assert tr("Quit") == "Beenden"


def test_a_new_language_has_no_translations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tools.extract_strings.FOLDER", tmp_path)
    assert main(["fr"]) == 0
    *problems, last = capsys.readouterr().out.splitlines()
    assert last.endswith(f": 0 of {len(problems)} strings are translated")  # each string is a problem, plurals too


@pytest.mark.parametrize(
    ("language", "content", "message"),
    [("xx", "", "there is no language 'xx'"), ("de", 'msgid "a"\nmsgid', "is not a catalog")],
)
def test_a_wrong_language_or_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], language: str, content: str,
    message: str,
) -> None:  # fmt: skip
    path = path_of(language, tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text(content, encoding="utf-8")
    monkeypatch.setattr("tools.extract_strings.FOLDER", tmp_path)
    assert main([language]) == 1
    assert message in capsys.readouterr().err
