"""Army lists in files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rules.engine.roster import Army, Recruit
from rules.tabletop.errors import UserError
from ui.battle.battle_setup import ArmyLists, find_army, load_army, save_army

ARMY = Army(
    name="Grüne Schützen",
    game="simple_plastic",
    recruits=(
        Recruit(figure="green-1", card="soldier", squad="rifles"),
        Recruit(figure="green-2", own={"title": "Onkel Tom", "unit": "sniper"}),
    ),
)


def test_a_saved_army_list_loads_unchanged(tmp_path: Path) -> None:
    save_army(tmp_path / "green.json", ARMY)
    assert load_army(tmp_path / "green.json") == ARMY
    assert json.loads((tmp_path / "green.json").read_text("utf-8"))["schema"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"schema": 2}', "has schema 2, but this version of Sandtable reads schema 1"),
        ("Dear diary", "is not JSON"),
        (
            '{"schema": 1, "name": "x", "game": "army_men"}',
            r"green\.json cannot be read: the army list lacks the key 'recruits'",
        ),
    ],
)
def test_an_invalid_army_list_is_rejected_with_its_file_name(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "green.json"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        load_army(path)
    assert path.read_text() == text


@pytest.fixture
def store(tmp_path: Path) -> ArmyLists:
    return ArmyLists(tmp_path / "data" / "armies")


def test_a_missing_folder_lists_no_armies(store: ArmyLists) -> None:
    assert store.listed() == ()
    with pytest.raises(UserError, match="there is no army list 'Guards': save one first"):
        store.take("Guards")


def test_army_lists_are_saved_and_loaded(store: ArmyLists) -> None:
    other = replace(ARMY, name="Tans: second wave!", recruits=ARMY.recruits[:1])
    store.keep(ARMY)
    store.keep(other)
    assert store.listed() == (ARMY, other)
    assert store.take("grüne schützen") == ARMY
    assert store.take(other.name) == other
    with pytest.raises(UserError, match="there is no army list 'Sand': choose one of"):
        store.take("Sand")


def test_saving_replaces_a_list_of_the_same_name(store: ArmyLists) -> None:
    store.keep(ARMY)
    store.keep(replace(ARMY, recruits=ARMY.recruits[:1]))
    assert len(store.take(ARMY.name).recruits) == 1
    assert len(store.listed()) == 1


def test_two_names_with_the_same_file_are_rejected(store: ArmyLists) -> None:
    store.keep(replace(ARMY, name="A-Team"))
    with pytest.raises(UserError, match="'A Team' is too similar to the saved list 'A-Team'"):
        store.keep(replace(ARMY, name="A Team"))
    with pytest.raises(UserError, match="there is no army list 'A Team'"):
        store.take("A Team")
    assert [army.name for army in store.listed()] == ["A-Team"]


@pytest.mark.parametrize("name", ["", "../..", "???"])
def test_a_name_without_letters_is_rejected(store: ArmyLists, name: str) -> None:
    with pytest.raises(UserError, match="use letters or digits"):
        store.keep(replace(ARMY, name=name))


def test_a_name_cannot_leave_the_folder(store: ArmyLists) -> None:
    store.keep(replace(ARMY, name="../../etc/passwd"))
    assert [path.name for path in store.folder.iterdir()] == ["etc-passwd.json"]


@pytest.mark.parametrize("text", ["Dear diary", '{"schema": 9}', '{"schema": 1, "pieces": []}', '{"schema":1}'])
def test_an_invalid_file_is_left_out_and_unchanged(store: ArmyLists, text: str) -> None:
    store.keep(replace(ARMY, name="Guards"))
    foreign = store.folder / "tans.json"
    foreign.write_text(text)
    assert [army.name for army in store.listed()] == ["Guards"]
    for action in (lambda: store.keep(replace(ARMY, name="Tans")), lambda: store.take("Tans")):
        with pytest.raises(UserError):
            action()
    assert foreign.read_text() == text
    assert [army.name for army in store.listed()] == ["Guards"]


def test_a_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "armies").write_text("a file")
    with pytest.raises(UserError, match="cannot be created"):
        ArmyLists(tmp_path / "armies" / "here").keep(ARMY)


def test_an_army_is_loaded_by_file_or_name(tmp_path: Path) -> None:
    save_army(tmp_path / "x.json", ARMY)
    assert find_army(tmp_path / "x.json") == ARMY
