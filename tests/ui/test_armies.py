"""Army lists in files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rules.roster import Army, Recruit
from rules.table import Refused
from ui.armies import load_army, save_army

ARMY = Army(
    name="Grüne Schützen",
    game="simple_plastic",
    recruits=(
        Recruit(figure="green-1", card="soldier", squad="rifles"),
        Recruit(figure="green-2", own={"title": "Onkel Tom", "unit": "sniper"}),
    ),
)


def test_a_list_is_there_again(tmp_path: Path) -> None:
    save_army(tmp_path / "green.json", ARMY)
    assert load_army(tmp_path / "green.json") == ARMY
    assert json.loads((tmp_path / "green.json").read_text("utf-8"))["schema"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"schema": 2}', "has schema 2 and this program reads 1"),
        ("Dear diary", "is not JSON"),
        ('{"schema": 1, "name": "x", "game": "army_men"}', r"green\.json: the army list lacks the key 'recruits'"),
    ],
)
def test_what_is_no_list_is_refused_by_its_name(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "green.json"
    path.write_text(text)
    with pytest.raises(Refused, match=message):
        load_army(path)
    assert path.read_text() == text
