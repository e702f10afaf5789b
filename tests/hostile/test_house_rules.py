"""House rules from strangers: a game, or a refusal that names the file."""

from __future__ import annotations

import copy
import datetime
import json
import math
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.ruleset import HOME
from rules.games import GAMES, open_game
from rules.tabletop.errors import UserError
from tests.hostile.nasty import NASTY, TREES, damaged, few, only_refuses, places

TEXTS = {game: (HOME / f"{game}.toml").read_text("utf-8") for game in GAMES}
DOCUMENTS: dict[str, Any] = {game: tomllib.loads(text) for game, text in TEXTS.items()}
PLACES = {game: [place for place in places(document) if place] for game, document in DOCUMENTS.items()}
of_each = pytest.mark.parametrize("game", GAMES)


def toml(value: Any) -> str:
    """A value as inline TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "nan" if math.isnan(value) else str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(str(key))} = {toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value) if isinstance(value, int) else quoted("" if value is None else str(value))


def quoted(text: str) -> str:
    return json.dumps(text.encode(errors="replace").decode()).replace("\x7f", "")


def document_toml(document: dict[str, Any]) -> str:
    return "".join(f"{quoted(key)} = {toml(value)}\n" for key, value in document.items())


def open_rules(game: str, path: Path, content: bytes | str) -> None:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    only_refuses(lambda: open_game(game, path), path)


@of_each
def test_the_rewritten_document_equals_the_game(game: str, tmp_path: Path) -> None:
    """Otherwise every mutant would be refused because of the rewriting."""
    path = tmp_path / "same.toml"
    path.write_text(document_toml(DOCUMENTS[game]), "utf-8")
    assert open_game(game, path).rules.plain == open_game(game).rules.plain


@of_each
@few
@given(data=st.data())
def test_one_wrong_value(game: str, tmp_path: Path, data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(PLACES[game]))
    value: Any = data.draw(st.sampled_from(NASTY) | TREES | st.dates())
    for key in reversed(place):
        value = {key: value}
    open_rules(game, tmp_path / "house.toml", document_toml({"inherits": game, **value}))


@of_each
@few
@given(data=st.data())
def test_a_damaged_file(game: str, tmp_path: Path, data: st.DataObject) -> None:
    open_rules(game, tmp_path / "house.toml", data.draw(damaged(TEXTS[game].encode()) | st.binary(max_size=200)))


@few
@given(game=st.sampled_from(sorted(GAMES)), key=st.text(max_size=12), value=st.sampled_from(NASTY) | TREES)
def test_any_key_over_a_game(tmp_path: Path, game: str, key: str, value: Any) -> None:
    open_rules(game, tmp_path / "house.toml", f'inherits = "{game}"\n{quoted(key)} = {toml(value)}\n')


@pytest.mark.parametrize(
    "written",
    [
        'inherits = "a\\u0000b.toml"',
        'inherits = "house.toml"',
        'inherits = "../{folder}/house.toml"',
        'inherits = "./../{folder}/../{folder}/house.toml"',
        'inherits = "/dev/zero"',
        'inherits = "../../../../../../../../dev/zero/x.toml"',
        'inherits = "army_men"\nprefix = "("',
        'inherits = "army_men"\nprefix = "(A+)+$"\n',
        'inherits = "army_men"\nhouse_rules = [1]',
        'inherits = "army_men"\nchosen = {{ self = 1 }}',
        'inherits = "army_men"\noptions = 3',
        "{deep}",
        "{dotted} = 1",
        'inherits = "army_men"\n[weapons]\n{dotted} = 1',
        "x = {many}",
    ],
)
def test_misleading_house_rules_cause_no_traceback(tmp_path: Path, written: str) -> None:
    text = written.format(
        folder=tmp_path.name, deep="x = " + "[" * 5000 + "]" * 5000, dotted=".".join("a" * 600), many="9" * 5000
    )
    open_rules("army_men", tmp_path / "house.toml", text)


def test_an_option_may_change_tables_only(tmp_path: Path) -> None:
    document = copy.deepcopy(DOCUMENTS["army_men"])
    option = next(one for one in document["options"].values())
    for nasty in (0, "", [], [1], {"weapons": 3}, {"weapons": {"rifle": None}}, {"a": {"b": {"c": 1}}}):
        option["changes"] = {str(option["default"]).lower(): nasty}
        open_rules("army_men", tmp_path / "house.toml", document_toml(document))


def test_a_file_above_the_limit_is_not_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "endless.toml").write_bytes(b"#" * 2_000_001)
    with pytest.raises(UserError, match="MB"):
        open_game("army_men", tmp_path / "endless.toml")
