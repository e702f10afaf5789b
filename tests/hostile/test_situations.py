"""Scripted situations from strangers: played, or refused in one sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.battle.scripted import play_situation
from rules.battle.situation import situation_of
from rules.tabletop.errors import UserError
from tests.hostile.nasty import NASTY, TREES, changed, few, mutants, only_refuses, places, text_of
from ui.cli import main
from ui.commands.resolve import read_document

FOLDER = Path(__file__).parents[1] / "data" / "situations"
KEYS = ("schema", "game", "options", "terrain", "table_in", "sides", "steps")


def situation(file: str) -> dict[str, Any]:
    """A situation of the tests, without its expectations."""
    document = json.loads((FOLDER / file).read_text("utf-8"))
    return {key: document[key] for key in KEYS if key in document}


SAMPLES = {
    "army_men": situation("army_men/a_dinosaur_of_ones_own.json"),
    "fudge_miniatures": situation("fudge_miniatures/running_goes_on_until_he_passes.json"),
    "plastic_fudge": situation("plastic_fudge/a_sweeper_finds_a_mine.json"),
    "simple_plastic": situation("simple_plastic/the_hidden_nearest_shields_the_rest_where_agreed.json"),
    "simple_plastic_figure": situation("simple_plastic_figure/a_gun_blows_a_hole.json"),
}
of_each = pytest.mark.parametrize("game", SAMPLES)


def play(path: Path, document: Any) -> None:
    """Play a file as `sandtable battle` does."""
    path.write_text(text_of(document), "utf-8")

    def played() -> None:
        answer = play_situation(situation_of(read_document(str(path), "situation")))
        json.dumps(answer, ensure_ascii=False, allow_nan=False)

    only_refuses(played, path)


@of_each
@few
@given(data=st.data())
def test_one_wrong_value(game: str, tmp_path: Path, data: st.DataObject) -> None:
    play(tmp_path / "s.json", data.draw(mutants(SAMPLES[game])))


@of_each
@pytest.mark.slow
def test_nasty_values_as_each_part_of_a_step(game: str, tmp_path: Path) -> None:
    document = SAMPLES[game]
    parts = [("steps", *place) for place in places(document["steps"]) if len(place) == 3]
    for number, part in enumerate(parts):
        for nasty in NASTY[number % 4 :: 4]:
            play(tmp_path / "s.json", changed(document, part, nasty))


@few
@given(
    document=TREES | st.fixed_dictionaries({"schema": st.just(1), "game": st.sampled_from([*SAMPLES]), "sides": TREES})
)
def test_any_tree(tmp_path: Path, document: Any) -> None:
    play(tmp_path / "s.json", document)


def with_terrain(*names: str) -> dict[str, Any]:
    pieces = [
        {"name": name, "kind": "wall", "outline_in": [[n, 9], [n + 1, 9], [n + 1, 9.2]], "height_in": 1}
        for n, name in enumerate(names)
    ]
    return {**SAMPLES["simple_plastic"], "terrain": pieces, "steps": []}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sides": {}}, "sides needs the name of each side"),
        ({"sides": {"": []}}, "sides needs the name of each side"),
        ({"steps": {}}, "steps must be a list, not {}"),
        ({"terrain": 3}, "terrain must be a list, not 3"),
        ({"terrain": with_terrain(*["w"] * 501)["terrain"]}, "501 pieces are more than 500"),
        ({"table_in": [1e308, 9]}, "table_in.0. must be at least 0.01 and at most 1000"),
        ({"sides": {"green": [{"id": "g", "card": "soldier", "at_in": [0, 1e9]}]}}, "at_in.1. must be at least -1000"),
        ({"steps": [{"phase": "moving", "side": "green", "turn": 10**9}]}, "turn 1000000000 cannot follow turn 0"),
        ({"steps": [{"move": {"green-1": {"path_in": [[1e9, 0]]}}}]}, "path_in must lie within 1000 in"),
        ({"steps": [{"ask": ["green-1"]}]}, r"no figure \['green-1'\]"),
        ({"steps": [{"do": {"action": "attack", "by": "green-1", "answers": 3}}]}, "answers must be an object"),
        ({"options": {"x": float("nan")}}, "the situation has NaN or an infinite number"),
    ],
)
def test_wrong_values_are_named(change: Mapping[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        play_situation(situation_of({**SAMPLES["simple_plastic"], **change}))


@pytest.mark.parametrize("key", ["game", "sides"])
def test_a_missing_key_is_named(key: str) -> None:
    document = {name: value for name, value in SAMPLES["army_men"].items() if name != key}
    with pytest.raises(UserError, match=f"the situation lacks the key '{key}': add it"):
        situation_of(document)


def test_a_status_that_the_game_cannot_have_is_named() -> None:
    document = SAMPLES["simple_plastic_figure"]
    wrong = changed(document, ("steps", 1, "status", "german-1", "status_die"), {"a": 1})
    with pytest.raises(UserError, match=r"step 2: .* cannot use what the file sets \(status_die of German 1\)"):
        play_situation(situation_of(wrong))


def test_a_fault_of_the_program_is_not_blamed_on_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what the file sets by hand may explain an exception in the rules."""

    def broken(*_: object) -> None:
        raise KeyError("a bug")

    document = {**SAMPLES["simple_plastic"], "steps": [{"ask": "green-1"}]}
    monkeypatch.setattr("rules.battle.scripted.position_of", broken)
    with pytest.raises(KeyError, match="a bug"):
        play_situation(situation_of(document))


def test_terrain_of_one_name_is_named_apart() -> None:
    pieces = situation_of(with_terrain("wall", "wall", "wall 2", "wall")).terrain
    assert [piece.name for piece in pieces] == ["wall", "wall 2", "wall 2 2", "wall 3"]


GOOD = text_of(SAMPLES["simple_plastic"])


@pytest.mark.parametrize("command", ["battle", "resolve"])
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not JSON"),
        (GOOD.encode("utf-16"), "is not a text file in UTF-8: save it as UTF-8"),
        (b"[" * 100_000, "values are nested too deep"),
        (GOOD.replace("green", "gr\u00fcn").encode("latin-1"), "is not a text file"),
        (GOOD[:-9].encode(), "is not JSON"),
        (b'{"schema": 1, "schema": 1}', "has the key 'schema' twice in one object"),
    ],
)
def test_a_file_that_is_no_document(
    command: str, content: bytes, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.json"
    path.write_bytes(content)
    assert main([command, str(path)]) == 1
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert words in error


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.json"
    path.write_text(GOOD, "utf-8-sig")
    assert main(["battle", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == 1
